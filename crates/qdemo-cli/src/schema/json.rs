//! A JSON Schema of the lines that `decompile --json` writes.

use std::cmp::Ordering;

use qdemo::FileKind;
use qdemo::describe::{Carried, FieldSchema, Holds, MessageSchema, Presence, Schema, Statement};
use serde_json::{Map, Value, json};

use super::chapter::{MASK_EXTRA, named, one_line};

pub(super) fn schema(formats: &[FileKind]) -> Value {
    let mut all = Definitions::new();
    let mut lines = Vec::new();
    for kind in formats {
        let Some(reference) = kind.reference() else { continue };
        let messages = Messages::of(&reference.messages, &mut all);
        for statement in reference.statements {
            lines.extend(all.lines(statement, kind.name(), &messages));
        }
    }
    let data = [("data", reference("bytes"))];
    if formats.iter().any(|kind| kind.has_end_mark()) {
        lines.push(object("The end mark.", Some(("piece", "endblock")), &[], &[]));
    }
    if formats.iter().any(|kind| kind.has_trailer()) {
        lines.push(object("Bytes behind the end of a recording.", Some(("piece", "trailer")), &data, &["data"]));
    }
    lines.push(object("Bytes that are not understood.", Some(("piece", "unknown")), &data, &["data"]));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of `qdemo decompile --json`",
        // Blocks of two formats may look alike.
        "anyOf": lines,
        "$defs": all.0,
    })
}

/// The messages of a format, as references.
struct Messages {
    usual: Vec<Value>,
    hidden: Vec<Value>,
}

impl Messages {
    fn of(messages: &[MessageSchema], all: &mut Definitions) -> Self {
        let mut of = |hidden| {
            let asked = messages.iter().filter(|message| message.hidden == hidden);
            asked.map(|message| all.message(message)).collect::<Vec<_>>()
        };
        let (mut usual, hidden) = (of(false), of(true));
        usual.push(reference("unknown_message"));
        Messages { usual, hidden }
    }
}

/// What the schema refers to, by name.
struct Definitions(Map<String, Value>);

impl Definitions {
    /// What all formats have.
    fn new() -> Self {
        let mut all = Map::new();
        // Bits of a float; a coordinate of 24 bits; a difference or three bytes in Q2PRO's extended demos.
        let unusual = r"^(f32\(0x[0-9A-Fa-f]{1,8}\)|f24\(-?\d+,\d+\)|(by|long)\(-?\d+(\.\d+)?\))$";
        let spelled = "A number that JSON cannot name, or that is sent in an unusual way.";
        let number = json!({"anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": unusual, "description": spelled},
        ]});
        let characters = "One character for each byte, U+0000 to U+00FF.";
        let string = json!({"type": "string", "pattern": "^[\\u0000-\\u00FF]*$", "description": characters});
        let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
        all.insert("number".to_owned(), number);
        all.insert("string".to_owned(), string);
        all.insert("bytes".to_owned(), json!({"type": "array", "items": byte}));
        let unknown = "What could not be read, up to the end of the block.";
        let fields = [("id", byte), ("data", reference("bytes"))];
        all.insert("unknown_message".to_owned(), object(unknown, Some(("message", "unknown")), &fields, &[]));
        Definitions(all)
    }

    /// Puts what `make` makes under a name, unless it stands there already.
    fn define(&mut self, key: &str, make: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.0.contains_key(key) {
            let value = make(self);
            self.0.insert(key.to_owned(), value);
        }
        reference(key)
    }

    /// A message.
    fn message(&mut self, message: &MessageSchema) -> Value {
        self.tagged(message.schema, message.home)
    }

    /// A message, or a state that stands among messages.
    fn tagged(&mut self, schema: &'static Schema, home: &str) -> Value {
        let key = format!("{home}.{}", schema.name);
        self.define(&key, |all| {
            let tag = Some(("message", schema.name));
            all.object(schema, tag, home, &key, None)
        })
    }

    /// What stands in braces or in a list.
    fn inner(&mut self, statement: &'static Statement, field: &FieldSchema, home: &str, outer: &str) -> Value {
        let schema = named(statement, field);
        let key = if statement.state { format!("{home}.{}", schema.name) } else { format!("{outer}.{}", schema.name) };
        self.define(&key, |all| {
            if statement.alternatives.is_empty() {
                return all.object(&schema, None, home, &key, statement.behind);
            }
            let one = |fields: Properties| fields.object(schema.doc, None);
            let all: Vec<_> = all.alternatives(statement, home, &key).into_iter().map(one).collect();
            json!({"oneOf": all})
        })
    }

    /// The fields of a schema, and of one `behind` it.
    fn object(
        &mut self,
        schema: &Schema,
        tag: Option<(&str, &str)>,
        home: &str,
        key: &str,
        behind: Option<&'static Schema>,
    ) -> Value {
        let mut all = Properties::default();
        for schema in [Some(schema), behind].into_iter().flatten() {
            for field in schema.fields() {
                let always = matches!(field.presence, Presence::Always | Presence::Wide(_));
                all.field(field, always, self, home, key);
            }
            if schema.masked {
                all.known.push(("mask_extra".to_owned(), json!({"type": "integer", "description": MASK_EXTRA})));
            }
        }
        all.object(&one_line(schema.doc), tag)
    }

    /// The fields of each alternative.
    fn alternatives(&mut self, statement: &Statement, home: &str, key: &str) -> Vec<Properties> {
        let one = |alternative: &qdemo::describe::Alternative| {
            let mut all = Properties::default();
            alternative.fields().for_each(|field| all.field(field, true, self, home, key));
            all
        };
        statement.alternatives.iter().map(one).collect()
    }

    /// The lines of a statement that stands around messages.
    fn lines(&mut self, statement: &Statement, home: &str, messages: &Messages) -> Vec<Value> {
        let Schema { name, doc, .. } = statement.schema;
        let (tag, key) = (Some(("piece", name)), format!("{home}.{name}"));
        if statement.alternatives.is_empty() {
            return vec![self.object(&statement.schema, tag, home, &key, statement.behind)];
        }
        let all = self.alternatives(statement, home, &key);
        let lines = statement.alternatives.iter().zip(all).map(|(alternative, mut fields)| {
            let hidden = if alternative.messages == Carried::Hidden { &messages.hidden[..] } else { &[] };
            if alternative.messages != Carried::None {
                fields.messages = [&messages.usual[..], hidden].concat();
            }
            if alternative.messages == Carried::Some {
                fields.required.push("messages");
            }
            fields.object(doc, tag)
        });
        lines.collect()
    }
}

/// What an object may have.
#[derive(Default)]
struct Properties {
    known: Vec<(String, Value)>,
    /// Names that a regular expression tells.
    patterns: Map<String, Value>,
    messages: Vec<Value>,
    required: Vec<&'static str>,
}

impl Properties {
    /// Adds a field; `always` says that it is there unless it is left out when empty.
    fn field(&mut self, field: &'static FieldSchema, always: bool, all: &mut Definitions, home: &str, key: &str) {
        let ty = &field.ty;
        let mut value = match ty.holds {
            Holds::Messages(inner) => {
                self.messages.extend(inner.iter().map(|inner| all.tagged(&inner.schema, home)));
                json!({})
            }
            Holds::OfFormat(messages) => {
                self.messages.extend(messages().iter().map(|message| all.message(message)));
                json!({})
            }
            Holds::OneOf(words) if ty.json == "string" => json!({"enum": words()}),
            Holds::OneOf(words) => json!({"enum": words().iter().filter_map(|n| n.parse().ok()).collect::<Vec<i64>>()}),
            Holds::List(inner) => list(all.inner(inner, field, home, key), None),
            Holds::Object(inner) => {
                let braced = all.inner(inner, field, home, key);
                if ty.json == "object" { braced } else { json!({"anyOf": [typed(field), braced]}) }
            }
            Holds::Nothing | Holds::Each(_) => typed(field),
        };
        let doc = one_line(field.doc);
        let doc = if ty.unit.is_empty() { doc } else { format!("{doc} Unit: {}.", ty.unit) };
        let described = |mut value: Value| {
            if !doc.is_empty() {
                value["description"] = json!(doc);
            }
            value
        };
        let among_messages = matches!(ty.holds, Holds::Messages(_) | Holds::OfFormat(_));
        if let Holds::Each(count) = ty.holds {
            let value = described(value);
            match count {
                0..=LISTED => self.known.extend((0..count).map(|n| (format!("{}[{n}]", field.name), value.clone()))),
                _ => drop(self.patterns.insert(format!(r"^{}\[({})\]$", field.name, below(count)), value)),
            }
        } else if !among_messages && !ty.json.is_empty() {
            self.known.push((field.name.to_owned(), described(value.take())));
            if always && !ty.left_out_when_empty {
                self.required.push(field.name);
            }
        }
        self.known.extend(ty.parts.iter().map(|(name, json)| ((*name).to_owned(), described(plain(json)))));
        self.required.extend(ty.needed);
        for beside in ty.beside {
            self.field(beside, false, all, home, key);
        }
    }

    fn object(mut self, doc: &str, tag: Option<(&str, &str)>) -> Value {
        if !self.messages.is_empty() {
            self.known.push(("messages".to_owned(), list(json!({"oneOf": self.messages}), None)));
        }
        let known: Vec<_> = self.known.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let mut object = object(doc, tag, &known, &self.required);
        if !self.patterns.is_empty() {
            object["patternProperties"] = Value::Object(self.patterns);
        }
        object
    }
}

/// Up to so many names of numbers stand there each for itself.
const LISTED: u16 = 64;

/// A regular expression for the numbers from 0 to one below `count`, of several digits.
fn below(count: u16) -> String {
    let last = count.saturating_sub(1).to_string();
    let any = |n: usize| r"\d".repeat(n);
    let mut all: Vec<_> =
        (0..last.len() - 1).map(|n| if n == 0 { any(1) } else { format!("[1-9]{}", any(n)) }).collect();
    for (n, digit) in last.char_indices() {
        let (front, behind) = (&last[..n], last.len() - n - 1);
        let first = if n == 0 { '1' } else { '0' };
        // The last digit may also be that of the highest number.
        let up_to = if behind == 0 { digit } else { char::from(digit as u8 - 1) };
        match first.cmp(&up_to) {
            Ordering::Less => all.push(format!("{front}[{first}-{up_to}]{}", any(behind))),
            Ordering::Equal => all.push(format!("{front}{first}{}", any(behind))),
            Ordering::Greater => {}
        }
    }
    all.join("|")
}

/// What a field may be, by its types in JSON and on the wire.
fn typed(field: &FieldSchema) -> Value {
    let ty = &field.ty;
    // The type of a field with a wide form is the narrow one.
    let range = ty.range.or_else(|| range(ty.wire).filter(|_| !matches!(field.presence, Presence::Wide(_))));
    let integer = |(low, high)| json!({"type": "integer", "minimum": low, "maximum": high});
    match (ty.json, range) {
        ("integer", Some(range)) => integer(range),
        ("integer[]", _) if ty.wire.contains("u8[") => reference("bytes"),
        ("integer[]", Some(range)) if ty.range.is_some() => list(integer(range), None),
        _ => plain(ty.json),
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
fn plain(ty: &str) -> Value {
    if let Some((item, count)) = ty.strip_suffix(']').and_then(|ty| ty.split_once('[')) {
        return list(plain(item), count.parse().ok());
    }
    match ty {
        "number" => reference("number"),
        "string" => reference("string"),
        "true" => json!({"const": true}),
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

fn reference(def: &str) -> Value {
    json!({"$ref": format!("#/$defs/{def}")})
}

/// An object; a constant under `tag` names it.
fn object(doc: &str, tag: Option<(&str, &str)>, properties: &[(&str, Value)], required: &[&str]) -> Value {
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
