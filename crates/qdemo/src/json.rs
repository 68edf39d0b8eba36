//! Facts as JSON: what the formats' facts and reports share.

use serde_json::{Map, Value, json};

use crate::describe::KindSet;
use crate::error::{Kind, Moment};
use crate::format::facts::Tally;

/// Bytes as JSON text: one character, U+0000 to U+00FF, for each.
pub(crate) fn bytes_as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

/// A time as JSON: the shortest decimal that names the 32-bit float, not the longer one of its double.
pub(crate) fn decimal(v: Option<f32>) -> Option<f64> {
    v.and_then(|v| v.to_string().parse().ok()).filter(|v: &f64| v.is_finite())
}

/// Adds `name_raw` to the JSON of a player whose name is not the bytes in the file.
pub(crate) fn raw_name(player: &mut Value, name: &str, raw: &[u8]) {
    if name.as_bytes() != raw {
        player["name_raw"] = bytes_as_text(raw).into();
    }
}

/// Messages by kind as JSON: name, count, and how much in bytes or bits.
pub(crate) fn by_kind<K: KindSet>(kinds: &Tally<K>, unit: &str) -> Value {
    let each = kinds.iter();
    each.map(|(kind, share)| json!({"message": kind.schema().name, "count": share.count, unit: share.size})).collect()
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

/// A fault as JSON: `what`, `offset`, `block`, `time` in seconds or `time_ms`, `message`, `field`, `advice`.
pub(crate) fn fault(e: &crate::Error) -> Value {
    let kind = match &e.kind {
        Kind::Truncated { .. } => "truncated",
        Kind::UnknownMessage(_) => "unknown_message",
        Kind::Unsupported(_) => "unsupported",
        Kind::Limit { .. } => "limit",
        Kind::Malformed(_) => "malformed",
        Kind::NotADemo(_) => "not_a_demo",
        _ => "other",
    };
    let (seconds, ms) = match e.place.time {
        Some(Moment::Seconds(s)) => (Some(s), None),
        Some(Moment::Milliseconds(ms)) => (None, Some(ms)),
        None => (None, None),
    };
    json!({
        "kind": kind,
        "what": e.kind.to_string(),
        "offset": e.place.offset,
        "block": e.place.block,
        "time": decimal(seconds),
        "time_ms": ms,
        "message": e.place.message,
        "field": e.place.field,
        "advice": e.advice(),
    })
}
