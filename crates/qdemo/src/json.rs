//! How facts and rows serialize: what a derived [`Serialize`] cannot say by attributes alone.
//!
//! What is written by a function here has its type for JSON Schema here as well, so that a [`JsonSchema`] that is derived
//! beside [`Serialize`] says what is written.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Bytes as JSON text: one character, U+0000 to U+00FF, for each.
pub(crate) fn bytes_as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

/// JSON with escapes for the characters that a terminal obeys and that JSON itself does not escape: a text without any.
pub(crate) fn without_controls(json: String) -> String {
    let steers = |c: char| matches!(c, '\u{7F}'..='\u{9F}');
    if !json.contains(steers) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 8);
    for c in json.chars() {
        // They stand within strings alone.
        let _ = if steers(c) { write!(out, "\\u{:04x}", u32::from(c)) } else { out.write_char(c) };
    }
    out
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

/// A name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Named {
    /// The name in plain characters.
    name: String,
    /// The name as the bytes in the file, one character, U+0000 to U+00FF, for each; where that is not the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_raw: Option<String>,
}

impl Named {
    pub(crate) fn new(name: impl Into<String>, raw: &[u8]) -> Self {
        let name = name.into();
        let name_raw = (name.as_bytes() != raw).then(|| bytes_as_text(raw));
        Named { name, name_raw }
    }
}

/// No more keys.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Nothing {}

/// In a schema: a float as [`decimals`] writes it.
pub(crate) type Decimal = Option<f32>;

/// In a schema: three of them.
pub(crate) type Vector = [Decimal; 3];

/// In a schema: what [`known`] writes of a row.
pub(crate) struct Known<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Known<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        left_out_if_null(&mut schema);
        schema
    }
}

/// In a schema: the keys of a flattened `Option`, all of them or none.
pub(crate) struct AllOrNone<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for AllOrNone<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let all = T::json_schema(generator);
        schemars::json_schema!({"anyOf": [all, {"type": "object"}]})
    }
}

/// True for the schema of what may be null.
fn may_be_null(schema: &Value) -> bool {
    let null = |one: &Value| one.get("type") == Some(&"null".into());
    let types = schema.get("type").and_then(Value::as_array);
    let any = schema.get("anyOf").and_then(Value::as_array);
    types.is_some_and(|all| all.contains(&"null".into())) || any.is_some_and(|all| all.iter().any(null))
}

/// Keys that may be null need not be there: [`known`] leaves them out.
pub(crate) fn left_out_if_null(schema: &mut Schema) {
    let Some(keys) = schema.get("properties").and_then(Value::as_object) else { return };
    let null: Vec<_> = keys.iter().filter(|(_, key)| may_be_null(key)).map(|(name, _)| Value::from(&**name)).collect();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !null.contains(name));
    }
}

/// The schema of an untagged enumeration, with a key beside those of each alternative that names it.
pub(crate) fn tagged(mut schema: Schema, tag: &str, names: impl Iterator<Item = &'static str>) -> Schema {
    let Some(Value::Array(mut all)) = schema.remove("anyOf") else { return schema };
    for (one, name) in all.iter_mut().zip(names) {
        if let Value::Object(one) = one {
            let keys = one.entry("properties").or_insert_with(|| Map::new().into());
            if let Value::Object(keys) = keys {
                keys.insert(tag.to_owned(), serde_json::json!({"const": name}));
            }
            let required = one.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(required) = required {
                required.push(tag.into());
            }
        }
    }
    schema.insert("oneOf".to_owned(), all.into());
    schema
}

/// The schema of an object of whole numbers under the names of an enumeration of kinds, each with what its kind means.
pub(crate) fn numbers_of<K: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let kinds = K::json_schema(generator);
    let each = kinds.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let number = |kind: &Value| {
        let name = kind.get("const")?.as_str()?.to_owned();
        Some((name, serde_json::json!({"type": "integer", "description": kind.get("description")})))
    };
    let keys: Map<_, _> = each.filter_map(number).collect();
    schemars::json_schema!({"type": "object", "properties": keys})
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
/// `JsonSchema` says the same.
macro_rules! row {
    (
        $(#[doc = $about:literal])*
        #[derive $derive:tt]
        $(#[schemars $called:tt])?
        $(#[non_exhaustive $(, $open:tt)*])?
        pub struct $ty:ident $(<$life:lifetime>)? {
            $($(#[doc = $doc:literal])* $(#[serde $how:tt])* $(#[schemars $as:tt])* $vis:vis $field:ident: $fty:ty,)*
        }
        $($known:ident)? |$it:pat_param| -> $more:ty { $($beside:tt)* }
    ) => {
        $(#[doc = $about])*
        #[derive $derive]
        $(#[non_exhaustive] $($open)*)?
        pub struct $ty $(<$life>)? {
            $($(#[doc = $doc])* $vis $field: $fty,)*
        }

        const _: () = {
            type Declared $(<$life>)? = $ty $(<$life>)?;

            // The fields once more, as serde has it for types that do not derive themselves.
            #[derive(serde::Serialize, schemars::JsonSchema)]
            #[serde(remote = "Declared")]
            struct Fields $(<$life>)? {
                $($(#[doc = $doc])* $(#[serde $how])* $(#[schemars $as])* $field: $fty,)*
            }

            $(#[doc = $about])*
            #[derive(serde::Serialize, schemars::JsonSchema)]
            struct Row<'f, $($life)?> {
                #[serde(flatten, with = "Fields")]
                fields: &'f $ty $(<$life>)?,
                #[serde(flatten)]
                more: $more,
            }

            impl $(<$life>)? serde::Serialize for $ty $(<$life>)? {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
                    let $it = self;
                    let row = Row { fields: self, more: { $($beside)* } };
                    $crate::json::row!($($known)? row, serializer)
                }
            }

            impl $(<$life>)? schemars::JsonSchema for $ty $(<$life>)? {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    $crate::json::row!(name $ty $($called)?).into()
                }

                fn schema_id() -> std::borrow::Cow<'static, str> {
                    concat!(module_path!(), "::", stringify!($ty)).into()
                }

                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    #[allow(unused_mut)]
                    let mut schema = <Row as schemars::JsonSchema>::json_schema(generator);
                    $crate::json::row!($($known)? schema);
                    schema
                }
            }
        };
    };
    (known $schema:ident) => {
        $crate::json::left_out_if_null(&mut $schema)
    };
    ($schema:ident) => {};
    (name $ty:ident (rename = $name:literal)) => {
        $name
    };
    (name $ty:ident) => {
        stringify!($ty)
    };
    (known $row:ident, $serializer:ident) => {
        $crate::json::known(&$row, $serializer)
    };
    ($row:ident, $serializer:ident) => {
        $row.serialize($serializer)
    };
}
pub(crate) use row;
