//! Quake III's messages, and the states within them.

mod tables;

use qdemo::describe::{Body, FieldSchema, Schema};
use qdemo::format::dm3::{Baseline, Bits, Configstring, Kind, STATES};
use qdemo::format::dm3::{Dialect, ProtocolLayout, Table};
use serde_json::{Map, Value, json};

use super::json::{fields, flag, int, list, message, messages, object, reference};
use super::{Chapter, Entry, Row};

const INTRO: &str = "\
*Type* is the type on the wire, in bits: `u10` has ten bits, `i16` sixteen of which the highest is a sign, `f32` is a
float; `f13/f32` is a float in 13 bits where it fits, else in 32; `string` ends with NUL. *Present* says when a field is
there: `selected` depends on an earlier field or the protocol; `sent` is a field of a state, there when the server sent
it, in the protocols named; `unusual` words say that something was sent in another way than engines do it.
[text-format.md](text-format.md#quake-iii) has the rest.
";

/// The messages that stand within a gamestate, with their numbers in all protocols.
static WITHIN_GAMESTATE: [(Schema, u8); 2] =
    [(<Configstring as Body<'_, Bits>>::SCHEMA, 3), (<Baseline as Body<'_, Bits>>::SCHEMA, 4)];

static PLAYER_AND_ENTITY: [Schema; 2] = STATES;

/// A word of a state that is no field of the engine's structure.
struct Word {
    name: &'static str,
    wire: &'static str,
    present: &'static str,
    doc: &'static str,
    json: Json,
}

/// How JSON has it.
enum Json {
    Int(i64, i64),
    Flag,
    /// Slots of an array, by their names.
    Slots(&'static [&'static str; 16], i64, i64),
}

const UNUSUAL: &str = "unusual";
const FRONT: [&str; 2] = ["index", "remove"];
/// A bit for each field of a state.
const BITS: Json = Json::Int(0, (1 << Table::MOST) - 1);
const LONG: Word = Word {
    name: "long",
    wire: "",
    present: UNUSUAL,
    doc: "Floats in 32 bits although 13 would do: bit N for the field at place N.",
    json: BITS,
};
const COUNT: Word = Word {
    name: "count",
    wire: "u8",
    present: UNUSUAL,
    doc: "Fields counted; usual is the place of the last field sent, plus 1. Protocol 66 and later.",
    json: Json::Int(0, Table::MOST as i64),
};

macro_rules! slots {
    ($name:literal, $wire:literal, $doc:literal, $low:expr, $high:expr) => {
        slots!(@ $name, $wire, $doc, $low, $high, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $name:literal, $wire:literal, $doc:literal, $low:expr, $high:expr, $($n:literal)*) => {
        Word {
            name: concat!($name, "[N]"),
            wire: $wire,
            present: "sent",
            doc: $doc,
            json: Json::Slots(&[$(concat!($name, "[", $n, "]")),*], $low, $high),
        }
    };
}

const PLAYER_WORDS: [Word; 7] = [
    slots!(
        "stats",
        "i16",
        "Slot N, 0 to 15: health, armour, weapons ..., as the game module has it.",
        SHORT.0,
        SHORT.1
    ),
    slots!("persistant", "i16", "Slot N, 0 to 15: what lasts over deaths, such as the score.", SHORT.0, SHORT.1),
    slots!("ammo", "i16", "Ammunition of weapon N, 0 to 15; -1 without end.", SHORT.0, SHORT.1),
    slots!("powerups", "i32", "Server time in ms at which powerup N, 0 to 15, ends.", LOW, HIGH),
    LONG,
    COUNT,
    Word {
        name: "arrays",
        wire: "bits",
        present: UNUSUAL,
        doc: "Arrays said to be there: 1 stats, 2 persistant, 4 ammo, 8 powerups; 16 any of them (66 and later).",
        json: Json::Int(0, 31),
    },
];
const SHORT: (i64, i64) = (i16::MIN as i64, i16::MAX as i64);
const LOW: i64 = i32::MIN as i64;
const HIGH: i64 = i32::MAX as i64;

const ENTITY_WORDS: [Word; 7] = [
    Word { name: "index", wire: "u10", present: "always", doc: "Its number.", json: Json::Int(0, 1022) },
    Word { name: "remove", wire: "bit", present: "selected", doc: "It is gone; no fields follow.", json: Json::Flag },
    Word {
        name: "nothing",
        wire: "bit",
        present: UNUSUAL,
        doc: "Fields follow, but none is sent. Without it no fields say: new, and exactly as its baseline.",
        json: Json::Flag,
    },
    Word {
        name: "unzero",
        wire: "",
        present: UNUSUAL,
        doc: "Fields sent as a value although it is 0: bit N for the field at place N. Protocol 66 and later.",
        json: BITS,
    },
    LONG,
    COUNT,
    Word {
        name: "mask",
        wire: "u5",
        present: UNUSUAL,
        doc: "Number of the mask; usual is the one that fits, else 31. Protocols 43 to 48.",
        json: Json::Int(0, 31),
    },
];

pub(super) fn chapter() -> Chapter {
    let mut entries = Vec::new();
    for kind in Kind::ALL {
        entries.push(Entry::new(kind.schema(), number(*kind)));
        if *kind == Kind::Gamestate {
            let within = |(schema, number): &'static (Schema, u8)| Entry::new(schema, format!("Number {number}"));
            entries.extend(WITHIN_GAMESTATE.iter().map(within));
        }
    }
    let [player, entity] = &PLAYER_AND_ENTITY;
    entries.push(state(player, |layout| &layout.player, &PLAYER_WORDS));
    entries.push(state(entity, |layout| &layout.entity, &ENTITY_WORDS));
    Chapter { title: "Quake III (dm3)", intro: INTRO.to_owned(), entries, appendix: tables::all() }
}

/// The number of a message.
fn number(kind: Kind) -> String {
    if kind == Kind::Extension {
        return "Number 9, behind an end of message".to_owned();
    }
    let mut numbers: Vec<(u8, Vec<i32>)> = Vec::new();
    for dialect in Dialect::all() {
        let Some(number) = dialect.number_of(kind) else { continue };
        match numbers.iter_mut().find(|(n, _)| *n == number) {
            Some((_, protocols)) => protocols.push(dialect.protocol),
            None => numbers.push((number, vec![dialect.protocol])),
        }
    }
    let parts: Vec<_> = numbers
        .iter()
        .map(|(number, protocols)| match protocols.len() == Dialect::all().len() {
            true => number.to_string(),
            false => format!("{number} ({})", tables::list(protocols)),
        })
        .collect();
    format!("Number {}", parts.join(", "))
}

/// A state: its fields in the order of declaration, with the protocols that have them.
fn state(schema: &'static Schema, table: fn(&ProtocolLayout) -> &Table, words: &[Word]) -> Entry {
    // A schema has the fields in the order of their numbers.
    let field = |(id, field): (usize, &FieldSchema)| {
        let has = |d: &&Dialect| table(d.layout).place(id as u8).is_some();
        let protocols: Vec<_> = Dialect::all().iter().filter(has).map(|d| d.protocol).collect();
        let present = match protocols.len() == Dialect::all().len() {
            true => "sent".to_owned(),
            false => format!("sent; {}", tables::list(&protocols)),
        };
        Row::new(schema, field, present)
    };
    let row = |word: &Word| Row {
        name: word.name,
        wire: word.wire,
        present: word.present.to_owned(),
        unit: "",
        meaning: word.doc.to_owned(),
    };
    // What says which entity it is stands in front of its fields.
    let (first, last) = words.split_at(words.iter().take_while(|word| FRONT.contains(&word.name)).count());
    let rows = first.iter().map(row).chain(schema.fields().enumerate().map(field)).chain(last.iter().map(row));
    Entry { schema, what: "A state within messages".to_owned(), rows: rows.collect() }
}

/// The lines of `decompile --json`; what they refer to goes to `defs`.
pub(super) fn lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let [player, entity] = &PLAYER_AND_ENTITY;
    defs.insert("dm3.player".to_owned(), fields(player, None, words(&PLAYER_WORDS), &[]));
    defs.insert("dm3.entity".to_owned(), fields(entity, None, words(&ENTITY_WORDS), &["index"]));
    let within: Vec<_> = WITHIN_GAMESTATE.iter().map(|(schema, _)| schema).collect();
    for schema in &within {
        let more = if schema.name == "baseline" { vec![("entity", reference("dm3.entity"))] } else { Vec::new() };
        defs.insert(format!("dm3.{}", schema.name), fields(schema, Some(("message", schema.name)), more, &[]));
    }
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let schema = kind.schema();
        let more = match kind {
            Kind::Gamestate => {
                let items = within.iter().map(|schema| reference(&format!("dm3.{}", schema.name)));
                vec![("messages", messages(items.collect()))]
            }
            Kind::Snapshot => {
                let (player, entities) = (reference("dm3.player"), list(reference("dm3.entity"), None));
                vec![("player", player), ("entities", entities)]
            }
            _ => Vec::new(),
        };
        let key = format!("dm3.{}", schema.name);
        kinds.push(reference(&key));
        let def =
            if more.is_empty() { message(schema) } else { fields(schema, Some(("message", schema.name)), more, &[]) };
        defs.insert(key, def);
    }
    kinds.push(reference("unknown_message"));
    let protocols: Vec<_> = Dialect::all().iter().map(|d| d.protocol).collect();
    vec![
        object(
            "What stands in front of a Quake III demo.",
            Some(("piece", "dm3")),
            &[("protocol", json!({"enum": protocols}))],
            &["protocol"],
        ),
        object(
            "A block of messages: a packet of the server.",
            Some(("piece", "block")),
            &[
                ("sequence", int("Number of the packet.", LOW, HIGH)),
                ("rel_ack", int("Last client command that the server got; protocol 46 and later.", LOW, HIGH)),
                ("size", int("Size of a block that the end of the file cuts.", 0, u32::MAX.into())),
                ("closed", flag("An end of message closes the block; only said up to protocol 48.")),
                ("unclosed", flag("No end of message closes the block; only said from protocol 66 on.")),
                ("tail", reference("bytes")),
                ("messages", messages(kinds)),
            ],
            &["sequence"],
        ),
    ]
}

fn words(words: &[Word]) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for word in words {
        match word.json {
            Json::Int(low, high) => all.push((word.name, int(word.doc, low, high))),
            Json::Flag => all.push((word.name, flag(word.doc))),
            Json::Slots(names, low, high) => all.extend(names.iter().map(|name| (*name, int(word.doc, low, high)))),
        }
    }
    all
}
