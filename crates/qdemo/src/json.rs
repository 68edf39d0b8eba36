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

/// A text as JSON, without characters that a terminal obeys.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    let is_plain = text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\');
    if is_plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(without_controls(Value::from(text).to_string()).as_bytes());
    }
}

/// A time as JSON: the shortest decimal that names the 32-bit float, not the longer one of its double.
pub(crate) fn decimal(v: Option<f32>) -> Option<f64> {
    let v = v.filter(|v| v.is_finite())?;
    // Floats as small as that lie closer to each other than any shorter decimal to an eighth.
    let eighths = v * 8.0;
    if v.abs() < 65_536.0 && eighths as i32 as f32 == eighths {
        return Some(v.into());
    }
    match plain_decimal(v, &mut zmij::Buffer::new()) {
        Some(short) => short.parse().ok(),
        None => v.to_string().parse().ok(),
    }
}

/// The shortest decimal that names a float, as `{:?}` and JSON have it; `None` for one with an exponent, and where another one
/// of as many digits is as near.
#[inline]
pub(crate) fn plain_decimal(v: f32, buffer: &mut zmij::Buffer) -> Option<&str> {
    if !(v == 0.0 || (1e-4..1e12).contains(&v.abs())) {
        return None;
    }
    let short = buffer.format_finite(v);
    is_plain(v, short).then_some(short)
}

/// False for a decimal with an exponent, and where another one of as many digits is as near to the float: of two the
/// standard library takes the other.
fn is_plain(v: f32, short: &str) -> bool {
    /// Powers of ten by which a float can be multiplied exactly.
    const POWERS: [f64; 13] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12];
    let Some((_, decimals)) = short.split_once('.').filter(|(_, decimals)| !decimals.contains('e')) else {
        return false;
    };
    // In the middle of two: one more digit, a 5, would be all of it.
    let Some(power) = POWERS.get(decimals.len() + 1) else { return false };
    let all = f64::from(v) * power;
    let whole = all as i64;
    all.abs() >= 1e15 || whole as f64 != all || whole % 10 != 5 && whole % 10 != -5
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Held against what the standard library prints and reads.
    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let eighths = (-600_000..600_000).map(|n| n as f32 / 8.0);
        let bits = (0..u32::MAX).step_by(4_099).map(f32::from_bits);
        let more = [0.0, -0.0, 1e-4, 9.9e-5, 1e12, 65_535.875, 16_777_216.0, 1_048_576.1, f32::MIN_POSITIVE];
        for v in eighths.chain(bits).chain(more).filter(|v| v.is_finite()) {
            let expected: f64 = v.to_string().parse().unwrap();
            assert_eq!(decimal(Some(v)).map(f64::to_bits), Some(expected.to_bits()), "{v:?}");
            if let Some(short) = plain_decimal(v, &mut zmij::Buffer::new()) {
                assert_eq!((short, short), (&*format!("{v:?}"), &*Value::from(expected).to_string()));
            }
        }
        assert!(plain_decimal(409.3, &mut zmij::Buffer::new()).is_some());
        assert_eq!([f32::NAN, f32::INFINITY].map(|v| decimal(Some(v))), [None; 2]);
    }

    #[test]
    fn texts_have_no_characters_that_a_terminal_obeys() {
        for text in ["", "plain ~", "a \"quote\" and \\", "\u{7F}\u{9B}31m\n", "\u{E9}"] {
            let mut out = Vec::new();
            write_text(text, &mut out);
            let json = String::from_utf8(out).unwrap();
            assert!(!json.chars().any(char::is_control), "{json:?}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
