//! How facts and rows serialize: what a derived [`Serialize`] cannot say by attributes alone.

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::{Map, Value};

/// Bytes as JSON text: one character, U+0000 to U+00FF, for each.
pub(crate) fn bytes_as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

/// A time as JSON: the shortest decimal that names the 32-bit float, not the longer one of its double.
pub(crate) fn decimal(v: Option<f32>) -> Option<f64> {
    v.and_then(|v| v.to_string().parse().ok()).filter(|v: &f64| v.is_finite())
}

/// A number as JSON; null for one that JSON cannot say.
pub(crate) fn number(v: f32) -> Value {
    decimal(Some(v)).into()
}

/// Numbers as JSON.
pub(crate) fn numbers(all: &[f32]) -> Value {
    all.iter().copied().map(number).collect()
}

/// An object to which only what is there is added.
#[derive(Default)]
pub(crate) struct Object(pub(crate) Map<String, Value>);

impl Object {
    /// Adds a key, unless its value is null.
    pub(crate) fn put(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        if !value.is_null() {
            self.0.insert(key.to_owned(), value);
        }
    }
}

/// A row as an object; nothing for what is none.
pub(crate) fn map(row: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// For `serialize_with`: bytes as text.
pub(crate) fn as_text<T: AsRef<[u8]>, S: Serializer>(bytes: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&bytes_as_text(bytes.as_ref()))
}

/// For `serialize_with`: one 32-bit float or several, each as the shortest decimal that names it, and null where JSON has
/// no word for it.
pub(crate) fn decimals<T: Serialize, S: Serializer>(floats: &T, serializer: S) -> Result<S::Ok, S::Error> {
    // The doubles that floats become have no other digits than theirs.
    let shortest = |value: Value| value.as_f64().map_or(Value::Null, |v| number(v as f32));
    let floats = match serde_json::to_value(floats).map_err(S::Error::custom)? {
        Value::Array(all) => all.into_iter().map(shortest).collect(),
        one => shortest(one),
    };
    floats.serialize(serializer)
}

/// For `serialize_with`: names and their values as an object.
pub(crate) fn object<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Beside other keys `name`, in plain characters, and `name_raw`, as the bytes in the file, where that differs.
pub(crate) fn name(name: &str, raw: &[u8], mut more: Value) -> Value {
    more["name"] = name.into();
    if name.as_bytes() != raw {
        more["name_raw"] = bytes_as_text(raw).into();
    }
    more
}

/// For `serialize_with`: a row without the keys whose value is null.
pub(crate) fn known<T: Serialize, S: Serializer>(row: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut row = serde_json::to_value(row).map_err(S::Error::custom)?;
    if let Value::Object(row) = &mut row {
        row.retain(|_, value| !value.is_null());
    }
    row.serialize(serializer)
}

/// A struct whose row has more than its fields: `Serialize` as the attributes of the fields say, and beside them the keys
/// of another row, such as what follows from several fields. With `known` keys that are null are left out.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $ty:ident $(<$life:lifetime>)? {
            $($(#[doc = $doc:literal])* $(#[serde $how:tt])* $vis:vis $field:ident: $fty:ty,)*
        }
        $($known:ident)? |$it:pat_param| $more:expr
    ) => {
        $(#[$meta])*
        pub struct $ty $(<$life>)? {
            $($(#[doc = $doc])* $vis $field: $fty,)*
        }

        const _: () = {
            type Declared $(<$life>)? = $ty $(<$life>)?;

            // The fields once more, as serde has it for types that do not derive themselves.
            #[derive(serde::Serialize)]
            #[serde(remote = "Declared")]
            struct Fields $(<$life>)? {
                $($(#[serde $how])* $field: $fty,)*
            }

            #[derive(serde::Serialize)]
            struct Row<'f, $($life,)? More> {
                #[serde(flatten, with = "Fields")]
                fields: &'f $ty $(<$life>)?,
                #[serde(flatten)]
                more: More,
            }

            impl $(<$life>)? serde::Serialize for $ty $(<$life>)? {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
                    let $it = self;
                    let row = Row { fields: self, more: $more };
                    $crate::json::row!($($known)? row, serializer)
                }
            }
        };
    };
    (known $row:ident, $serializer:ident) => {
        $crate::json::known(&$row, $serializer)
    };
    ($row:ident, $serializer:ident) => {
        $row.serialize($serializer)
    };
}
pub(crate) use row;
