//! A JSON Schema of the lines that `decompile --json` writes: what formats share.

use qdemo::describe::{FieldSchema, Presence, Schema};
use serde_json::{Map, Value, json};

use super::{Format, MASK_EXTRA, dem, dm2, dm3, mvd2, one_line, quakeworld};

pub(super) fn schema(formats: &[Format]) -> Value {
    let mut defs = Map::new();
    // Bits of a float; a coordinate of 24 bits; a difference or three bytes in Q2PRO's extended demos.
    let unusual = r"^(f32\(0x[0-9A-Fa-f]{1,8}\)|f24\(-?\d+,\d+\)|(by|long)\(-?\d+(\.\d+)?\))$";
    let spelled = "A number that JSON cannot name, or that is sent in an unusual way.";
    defs.insert(
        "number".to_owned(),
        json!({"anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": unusual, "description": spelled},
        ]}),
    );
    let characters = "One character for each byte, U+0000 to U+00FF.";
    defs.insert(
        "string".to_owned(),
        json!({"type": "string", "pattern": "^[\\u0000-\\u00FF]*$", "description": characters}),
    );
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    defs.insert("bytes".to_owned(), json!({"type": "array", "items": byte}));
    let unknown = "What could not be read, up to the end of the block.";
    let data = reference("bytes");
    let message = Some(("message", "unknown"));
    defs.insert("unknown_message".to_owned(), object(unknown, message, &[("id", byte), ("data", data.clone())], &[]));
    let mut lines = Vec::new();
    for format in formats {
        lines.extend(match format {
            Format::Dem => dem::lines(&mut defs),
            Format::Qwd => quakeworld::qwd_lines(&mut defs),
            Format::Mvd => quakeworld::mvd_lines(&mut defs),
            Format::Dm2 => dm2::lines(&mut defs),
            Format::Mvd2 => mvd2::lines(&mut defs),
            Format::Dm3 => dm3::lines(&mut defs),
            Format::Tables => Vec::new(),
        });
    }
    let data = [("data", data)];
    if formats.iter().any(|format| matches!(format, Format::Dm2 | Format::Mvd2 | Format::Dm3)) {
        lines.push(object("The end mark.", Some(("piece", "endblock")), &[], &[]));
    }
    if formats.iter().any(|format| *format != Format::Dem) {
        lines.push(object("Bytes behind the end of a recording.", Some(("piece", "trailer")), &data, &["data"]));
    }
    lines.push(object("Bytes that are not understood.", Some(("piece", "unknown")), &data, &["data"]));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of `qdemo decompile --json`",
        // Blocks of two formats may look alike.
        "anyOf": lines,
        "$defs": defs,
    })
}

/// A message as declared.
pub(super) fn message(schema: &Schema) -> Value {
    fields(schema, Some(("message", schema.name)), Vec::new(), &[])
}

/// The fields of a message or state, and `more`.
pub(super) fn fields(
    schema: &Schema,
    tag: Option<(&str, &str)>,
    more: Vec<(&'static str, Value)>,
    more_required: &[&'static str],
) -> Value {
    let mut properties = Vec::new();
    let mut required = Vec::new();
    for field in schema.fields() {
        let mut add = |name: &'static str, mut value: Value| {
            let (doc, unit) = (one_line(field.doc), field.ty.unit);
            value["description"] = json!(if unit.is_empty() { doc } else { format!("{doc} Unit: {unit}.") });
            properties.push((name, value));
        };
        // A list of states is among the messages.
        if !matches!(field.ty.json, "" | "object[]") {
            add(field.name, typed(field));
        }
        for (name, json) in field.ty.parts {
            add(name, value(json));
        }
        let always = matches!(field.presence, Presence::Always | Presence::Wide(_));
        if always && field.ty.parts.is_empty() && !field.ty.left_out_when_empty {
            required.push(field.name);
        }
    }
    if schema.masked {
        properties.push(("mask_extra", json!({"type": "integer", "description": MASK_EXTRA})));
    }
    properties.extend(more);
    required.extend(more_required);
    object(&one_line(schema.doc), tag, &properties, &required)
}

/// What a field may be, by its types in JSON and on the wire.
fn typed(field: &FieldSchema) -> Value {
    let ty = &field.ty;
    // The type of a field with a wide form is the narrow one.
    let range = range(ty.wire).filter(|_| !matches!(field.presence, Presence::Wide(_)));
    match (ty.json, range) {
        ("integer", Some((low, high))) => json!({"type": "integer", "minimum": low, "maximum": high}),
        ("integer[]", _) if ty.wire.contains("u8[") => reference("bytes"),
        _ => value(ty.json),
    }
}

/// The range of a plain integer: of `u10`, or of the wider one in `u19; u16 in 43-45`. None when there is a remark.
fn range(wire: &str) -> Option<(i64, i64)> {
    if wire.contains('(') {
        return None;
    }
    let mut range = (0, 0);
    for one in wire.split("; ").flat_map(|one| one.split(" or ")) {
        let word = one.split(' ').next()?;
        let signed = word.starts_with('i');
        let bits: u32 = word.strip_prefix(['i', 'u'])?.parse().ok().filter(|bits| *bits <= 32)?;
        let (low, high) = if signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        range = (low.min(range.0), high.max(range.1));
    }
    Some(range)
}

/// The type of a field: `integer`, `number[3]`, `string[]` ...
fn value(ty: &str) -> Value {
    if let Some((item, count)) = ty.strip_suffix(']').and_then(|ty| ty.split_once('[')) {
        return list(value(item), count.parse().ok());
    }
    match ty {
        "number" => reference("number"),
        "string" => string(),
        ty => json!({"type": ty}),
    }
}

pub(super) fn list(item: Value, count: Option<u64>) -> Value {
    let mut list = json!({"type": "array", "items": item});
    if let Some(n) = count {
        list["minItems"] = json!(n);
        list["maxItems"] = json!(n);
    }
    list
}

/// A list of messages of these kinds.
pub(super) fn messages(kinds: Vec<Value>) -> Value {
    list(json!({"oneOf": kinds}), None)
}

pub(super) fn int(doc: &str, low: i64, high: i64) -> Value {
    json!({"type": "integer", "minimum": low, "maximum": high, "description": doc})
}

pub(super) fn flag(doc: &str) -> Value {
    json!({"const": true, "description": doc})
}

pub(super) fn reference(def: &str) -> Value {
    json!({"$ref": format!("#/$defs/{def}")})
}

pub(super) fn string() -> Value {
    reference("string")
}

/// An object; a constant under `tag` names it.
pub(super) fn object(doc: &str, tag: Option<(&str, &str)>, properties: &[(&str, Value)], required: &[&str]) -> Value {
    let mut all = Map::new();
    if let Some((tag, name)) = tag {
        all.insert(tag.to_owned(), json!({"const": name}));
    }
    all.extend(properties.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let required: Vec<_> = tag.iter().map(|(tag, _)| tag).chain(required).collect();
    json!({
        "description": doc,
        "type": "object",
        "properties": all,
        "required": required,
        "additionalProperties": false,
    })
}
