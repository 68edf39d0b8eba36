//! JSON Schemas of the lines that verbs write with `--json`, from the types that are written.
//!
//! `schemars` derives them from the same declarations as `serde` what is written. Here they are put together, and closed: an
//! object has no keys but those that are declared.

use qdemo::analysis::check::{Described, Report};
use qdemo::analysis::highlight::Highlight;
use qdemo::analysis::stats::Period;
use qdemo::analysis::texts::Text;
use qdemo::container::Listing;
use qdemo::convert::Conversion;
use qdemo::diff::{Difference, Summary};
use qdemo::edit::{Account, CameraAccount, EditAccount};
use qdemo::merge::MergeAccount;
use qdemo::replay::World;
use qdemo::replay::timeline::{Presence, Span};
use qdemo::table::{TABLES, Table, Values};
use qdemo::{Event, FileKind};
use qdemo_catalogue::Told;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::chapter::one_line;
use crate::clips::{Cut, Written};
use crate::draw::Drawn;
use crate::event_verbs::At;
use crate::hash::{Duplicates, Hashed};
use crate::index::Indexed;
use crate::info::Recording;
use crate::info::ktx::Ktx;
use crate::match_report::Reported;
use crate::repair::RepairTold;
use crate::report::{Failed, Line};
use crate::verify::Verified;
use crate::view::Page;

/// Gives the schemas of what a verb writes.
type Lines = fn(&mut SchemaGenerator) -> Vec<Value>;

/// The verbs, each with the types of its lines.
macro_rules! verbs {
    ($($verb:literal: $($line:ty),+;)*) => {
        [$(($verb, |generator| vec![$(schema::<$line>(generator)),+])),*]
    };
}

/// Those whose lines are types; `decompile` and `export` have declarations of their own.
const VERBS: &[(&str, Lines)] = &verbs! {
    "info": Line<Recording<'_>>, Line<Listing>, Ktx, Failed;
    "verify": Line<Verified<'_>>, Failed;
    "check": Line<Report>, Described, Failed;
    "diff": Difference, Summary, Failed;
    "repair": Line<RepairTold<'_>>, Failed;
    "state": Line<World>, Failed;
    "timeline": Line<Span>;
    "players": Line<Presence>;
    "frags": Line<At<Event>>;
    "chat": Line<At<Event>>;
    "scores": Line<At<Event>>;
    "runs": Line<At<Event>>;
    "events": Line<At<Event>>;
    "texts": Line<At<Text>>;
    "highlights": Line<At<Highlight>>;
    "stats": Line<Period>;
    "view": Line<Written<Page>>, Failed;
    "draw": Line<Written<Drawn>>, Failed;
    "report": Line<Written<Reported>>, Failed;
    "cut": Line<Cut<'_>>;
    "split": Line<Cut<'_>>;
    "join": Written<Account>;
    "merge": Written<MergeAccount>;
    "retime": Line<Written<Account>>, Failed;
    "edit": Line<Written<EditAccount>>, Failed;
    "camera": Line<Written<CameraAccount>>, Failed;
    "convert": Line<Written<Conversion>>, Failed;
    "hash": Hashed, Duplicates<'_>, Failed;
    "index": Indexed;
};

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    T::json_schema(generator).to_value()
}

/// The verbs that have `--json`.
pub(super) fn verbs() -> Vec<&'static str> {
    VERBS.iter().map(|(verb, _)| *verb).chain(["export", "find", "decompile"]).collect()
}

/// The schema of a line of one verb.
pub(super) fn of(verb: &str) -> Option<Value> {
    if verb == "decompile" {
        return Some(super::json::schema(FileKind::FORMATS));
    }
    let mut generator = generator();
    let line = line(verb, &mut generator)?;
    let mut schema = json!({"$schema": DRAFT, "$comment": KEYS, "title": format!("A line of `qdemo {verb} --json`")});
    let Value::Object(keys) = &mut schema else { return None };
    keys.extend(line);
    keys.insert("$defs".to_owned(), definitions(generator));
    Some(finished(schema))
}

/// One document with the schemas of all verbs, and once what they share.
pub(super) fn all() -> Value {
    let mut generator = generator();
    let lines: Vec<_> = verbs().into_iter().filter_map(|verb| Some((verb, line(verb, &mut generator)?))).collect();
    let mut all = definitions(generator);
    for (n, (verb, line)) in lines.iter().enumerate() {
        // Several verbs write the same.
        let same = lines.iter().take(n).find(|(_, other)| other == line);
        let mut line = match same {
            Some((other, _)) => Map::from_iter([("$ref".to_owned(), format!("#/$defs/{other}").into())]),
            None => line.clone(),
        };
        line.insert("title".to_owned(), format!("A line of `qdemo {verb} --json`").into());
        all[*verb] = line.into();
    }
    let mut schema = finished(json!({"$defs": all}));
    schema["$schema"] = DRAFT.into();
    schema["title"] = "The JSON of qdemo".into();
    schema["description"] = ABOUT.into();
    schema["$comment"] = KEYS.into();
    schema
}

const ABOUT: &str = "A line that `qdemo VERB --json` writes is described by `#/$defs/VERB`. Left out here are the messages \
    of `decompile`: `qdemo schema json decompile`.";

/// What holds for all keys.
const KEYS: &str = "Keys that end in `_ms` are milliseconds: `demo_ms`, `from_demo_ms` and `to_demo_ms` since the first moment \
    of the recording, `time_ms`, `from_ms` and `to_ms` on the clock that `clock` names; the rest are lengths. Places are in \
    the units of the game, angles in degrees.";

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn definitions(mut generator: SchemaGenerator) -> Value {
    generator.take_definitions(true).into()
}

/// What a verb writes: one of several kinds of lines, or the only one.
fn line(verb: &str, generator: &mut SchemaGenerator) -> Option<Map<String, Value>> {
    let mut kinds = match verb {
        "export" => TABLES.iter().filter(|table| table.is_of_world()).map(|table| row(table)).collect(),
        "find" => qdemo_catalogue::schema::TABLES.iter().map(|table| found(table)).collect(),
        verb => VERBS.iter().find(|(name, _)| *name == verb)?.1(generator),
    };
    match (kinds.pop(), kinds.is_empty()) {
        (Some(Value::Object(only)), true) => Some(only),
        (last, _) => {
            kinds.extend(last);
            Some(Map::from_iter([("anyOf".to_owned(), kinds.into())]))
        }
    }
}

/// What is found in a catalogue: the row of a table, with the columns that a catalogue adds.
fn found(table: &'static Table) -> Value {
    let mut row = row(table);
    let told = qdemo_catalogue::told(table);
    let Some(properties) = row["properties"].as_object_mut() else { return row };
    properties.retain(|name, _| told.iter().any(|told| told.name() == name));
    for told in told {
        if let Told::Added(added) = told {
            properties.insert(added.name.to_owned(), json!({"type": "string", "description": one_line(added.doc)}));
        }
    }
    row
}

/// The row of a table, of which any value may be missing.
fn row(table: &Table) -> Value {
    let file = json!({
        "type": "string",
        "description": "Where several recordings share a table: the file as it was named.",
    });
    let columns = table.columns.iter().map(|column| {
        let ty = match column.values {
            Values::Integer(_) => "integer",
            Values::Number(_) | Values::Seconds(_) => "number",
            Values::Text(_) | Values::Word(_) | Values::Raw(_) => "string",
            Values::Boolean(_) => "boolean",
        };
        let mut doc = one_line(column.doc);
        if !column.unit.is_empty() {
            doc += &format!(" Unit: {}.", column.unit);
        }
        if let Some(range) = column.range {
            doc += &format!(" Range, in a recording that is not damaged: {range}.");
        }
        (column.name.to_owned(), json!({"type": ty, "description": doc}))
    });
    let keys: Map<_, _> = [("file".to_owned(), file)].into_iter().chain(columns).collect();
    json!({
        "title": table.name,
        "description": format!("{} (`--table {}`)", one_line(table.doc), table.name),
        "type": "object",
        "properties": keys,
    })
}

/// A schema as it is to be read: objects have the keys that are told and no other, what may be left out is never null, and
/// descriptions have no links.
fn finished(mut schema: Value) -> Value {
    let all = schema["$defs"].clone();
    let definitions = all.as_object().cloned().unwrap_or_default();
    if let Some(own) = schema["$defs"].as_object_mut() {
        own.values_mut().for_each(|one| finish(one, &definitions, Object::Whole));
    }
    finish(&mut schema, &definitions, Object::Whole);
    schema
}

/// What the schema of an object tells.
#[derive(Clone, Copy, PartialEq)]
enum Object {
    /// All keys.
    Whole,
    /// Some of them.
    Part,
}

fn finish(schema: &mut Value, definitions: &Map<String, Value>, object: Object) {
    let Value::Object(schema) = schema else { return };
    let has_keys = schema.get("type").is_some_and(|ty| ty == "object");
    let mut in_parts = false;
    for word in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(all)) = schema.get_mut(word) else { continue };
        let parts = has_keys || object == Object::Part || word == "allOf";
        for one in all {
            // Keys amid others: a reference would be to an object that has no more than its own.
            if parts {
                put_in_place(one, definitions);
            }
            finish(one, definitions, if parts { Object::Part } else { Object::Whole });
        }
        in_parts |= parts;
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        // What stands beside a row may say the same as the row: the name of the file.
        required.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        required.dedup();
    }
    let required: Vec<_> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(keys)) = schema.get_mut("properties") {
        for (name, key) in keys {
            let always = required.contains(&name.as_str().into());
            if !always {
                without_null(key);
            }
            if let Some(Value::String(text)) = key.get_mut("description") {
                *text = text.replace("`None`", if always { "null" } else { "left out" });
            }
            finish(key, definitions, Object::Whole);
        }
    }
    for word in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(word) {
            finish(inner, definitions, Object::Whole);
        }
    }
    if let Some(Value::Array(items)) = schema.get_mut("prefixItems") {
        items.iter_mut().for_each(|item| finish(item, definitions, Object::Whole));
    }
    if has_keys && object == Object::Whole && !schema.contains_key("additionalProperties") {
        let word = if in_parts { "unevaluatedProperties" } else { "additionalProperties" };
        schema.insert(word.to_owned(), false.into());
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = without_links(&one_line(text)).replace("`None`", "null");
    }
}

/// Puts what is referred to in the place of the reference.
fn put_in_place(schema: &mut Value, definitions: &Map<String, Value>) {
    let Value::Object(keys) = schema else { return };
    let name = keys.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix("#/$defs/"));
    if let Some(Value::Object(told)) = name.and_then(|name| definitions.get(name)).cloned() {
        keys.remove("$ref");
        let own = std::mem::replace(keys, told);
        keys.extend(own);
    }
}

/// What may be null, where it is not. A null that is described means something.
fn without_null(schema: &mut Value) {
    let null = |one: &Value| *one == json!({"type": "null"});
    let Value::Object(keys) = schema else { return };
    if let Some(Value::Array(types)) = keys.get_mut("type") {
        types.retain(|ty| ty != "null");
        if let [ty] = types.as_slice() {
            let ty = ty.clone();
            keys.insert("type".to_owned(), ty);
        }
    }
    let Some(Value::Array(any)) = keys.get_mut("anyOf") else { return };
    any.retain(|one| !null(one));
    if let [Value::Object(only)] = any.as_slice() {
        let only = only.clone();
        keys.remove("anyOf");
        let own = std::mem::replace(keys, only);
        keys.extend(own);
    }
}

/// Words of documentation without the marks of links: [`that`](elsewhere) is `that`.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((word, behind)) = link.split_once("`]") else { break };
        out.push_str(&format!("{before}`{word}`"));
        rest = match behind.strip_prefix('(').and_then(|behind| behind.split_once(')')) {
            Some((_, behind)) => behind,
            None => behind,
        };
    }
    out + rest
}
