//! A JSON Schema of the lines that `decompile --json` writes.

use qdemo::describe::{Presence, Schema};
use qdemo::dialect::Variant;
use qdemo::format::dem;
use serde_json::{Map, Value, json};

use super::{MASK_EXTRA, one_line};

pub(super) fn schema() -> Value {
    let mut defs = Map::new();
    let float = "A float that no decimal names, by its bits.";
    defs.insert(
        "number".to_owned(),
        json!({"anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": "^f32\\(0x[0-9A-Fa-f]{1,8}\\)$", "description": float},
        ]}),
    );
    let string = "One character for each byte, U+0000 to U+00FF.";
    defs.insert(
        "string".to_owned(),
        json!({"type": "string", "pattern": "^[\\u0000-\\u00FF]*$", "description": string}),
    );
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    defs.insert("bytes".to_owned(), json!({"type": "array", "items": byte}));
    let mut kinds = Vec::new();
    for kind in dem::Kind::ALL {
        let key = format!("dem.{}", kind.schema().name);
        kinds.push(json!({"$ref": format!("#/$defs/{key}")}));
        defs.insert(key, message(kind.schema()));
    }
    kinds.push(json!({"$ref": "#/$defs/unknown_message"}));
    let unknown = "A message number and the bytes up to the end of the block, not understood.";
    defs.insert(
        "unknown_message".to_owned(),
        object(unknown, "message", "unknown", &[("id", byte), ("data", bytes())], &[]),
    );
    let variants: Vec<_> = Variant::ALL.map(Variant::name).into();
    let pieces = [
        object("The line in front of a Quake demo.", "piece", "track", &[("line", string_ref())], &["line"]),
        object(
            "From here on, how an ambiguous protocol is read.",
            "piece",
            "variant",
            &[("name", json!({"enum": variants}))],
            &["name"],
        ),
        object(
            "A block of messages, with the view angles of the recorder.",
            "piece",
            "block",
            &[
                ("camera", list(json!({"$ref": "#/$defs/number"}), Some(3))),
                ("size", json!({"type": "integer", "description": "Size of a block that the end of the file cuts."})),
                ("messages", json!({"type": "array", "items": {"oneOf": kinds}})),
            ],
            &["camera"],
        ),
        object("Bytes that are not understood.", "piece", "unknown", &[("data", bytes())], &["data"]),
    ];
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of `qdemo decompile --json`",
        "oneOf": pieces,
        "$defs": defs,
    })
}

fn message(schema: &Schema) -> Value {
    let mut properties = Vec::new();
    let mut required = Vec::new();
    for field in schema.fields() {
        let mut add = |name: &'static str, mut value: Value, doc: &str| {
            let unit = field.ty.unit;
            let doc = if unit.is_empty() { one_line(doc) } else { format!("{} Unit: {unit}.", one_line(doc)) };
            value["description"] = json!(doc);
            properties.push((name, value));
        };
        add(field.name, value(field.ty.json), field.doc);
        for (name, json) in field.ty.parts {
            add(name, value(json), field.doc);
        }
        let always = matches!(field.presence, Presence::Always | Presence::Wide(_));
        if always && field.ty.parts.is_empty() && !field.ty.left_out_when_empty {
            required.push(field.name);
        }
    }
    if schema.masked {
        properties.push(("mask_extra", json!({"type": "integer", "description": MASK_EXTRA})));
    }
    object(&one_line(schema.doc), "message", schema.name, &properties, &required)
}

/// The type of a field: `integer`, `number[3]`, `string[]` ...
fn value(ty: &str) -> Value {
    if let Some((item, count)) = ty.strip_suffix(']').and_then(|ty| ty.split_once('[')) {
        return list(value(item), count.parse().ok());
    }
    match ty {
        "number" => json!({"$ref": "#/$defs/number"}),
        "string" => string_ref(),
        ty => json!({"type": ty}),
    }
}

fn list(item: Value, count: Option<u64>) -> Value {
    let mut list = json!({"type": "array", "items": item});
    if let Some(n) = count {
        list["minItems"] = json!(n);
        list["maxItems"] = json!(n);
    }
    list
}

fn string_ref() -> Value {
    json!({"$ref": "#/$defs/string"})
}

fn bytes() -> Value {
    json!({"$ref": "#/$defs/bytes"})
}

/// An object that a constant under `tag` names.
fn object(doc: &str, tag: &'static str, name: &str, properties: &[(&str, Value)], required: &[&'static str]) -> Value {
    let mut all = Map::new();
    all.insert(tag.to_owned(), json!({"const": name}));
    all.extend(properties.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    let required: Vec<_> = std::iter::once(&tag).chain(required).collect();
    json!({
        "description": doc,
        "type": "object",
        "properties": all,
        "required": required,
        "additionalProperties": false,
    })
}
