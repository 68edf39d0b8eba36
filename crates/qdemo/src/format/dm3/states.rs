//! What documentation says of the states of players and entities within messages.

use super::arrays::{ARRAYS, Array};
use super::delta::{COUNT, LONG, MASK, UNZERO};
use super::dialect::{Dialect, EntityField, PlayerField, Table};
use super::entity::{INDEX, LAST, NOTHING, REMOVE};
use crate::describe::{FieldSchema, Holds, Name, Presence, Schema, Statement, TypeSchema};

/// The player who is seen.
pub(super) const PLAYER_STATE: Statement = Statement::of(
    Name::new("player"),
    "The state of the player who is seen, within a snapshot: the fields that changed. Behind them the slots of its arrays: stats[N], persistant[N], ammo[N] (i16), powerups[N] (i32, ms), N from 0 to 15.",
    &[PlayerField::SCHEMA, PLAYER_WORDS],
)
.state("A state within messages");

/// An entity.
pub(super) const ENTITY_STATE: Statement = Statement::of(
    Name::new("entity"),
    "An entity, within a snapshot or a baseline: index (its number, 0 to 1022), then `remove` when it is gone, the fields that changed, or nothing when it is new and exactly as its baseline.",
    &[IN_FRONT, EntityField::SCHEMA, ENTITY_WORDS],
)
.state("A state within messages");

/// A word for what engines do not send.
const fn unusual(name: Name, wire: &'static str, high: i64, doc: &'static str) -> FieldSchema {
    FieldSchema::ours(name.text, TypeSchema::new(wire, "integer", "").within(0, high), Presence::Unusual, doc)
}

/// An array of the player's state.
const fn slots(array: Array, wire: &'static str, doc: &'static str) -> FieldSchema {
    let ty = TypeSchema::new(wire, "integer", "").holding(Holds::Each(Array::SLOTS as u16));
    FieldSchema::new(array.name(), ty, Presence::Sent, doc)
}

/// A bit for each field of a state.
const BITS: i64 = (1 << Table::MOST) - 1;
const LONG_FIELD: FieldSchema =
    unusual(LONG, "", BITS, "Floats in 32 bits although 13 would do: bit N for the field at place N.");
const COUNT_FIELD: FieldSchema = unusual(
    COUNT,
    "u8",
    Table::MOST as i64,
    "Fields counted; usual is the place of the last field sent, plus 1. Protocol 66 and later.",
);

const PLAYER_WORDS: &[FieldSchema] = &[
    slots(Array::Stats, "i16", "Slot N, 0 to 15: health, armour, weapons ..., as the game module has it."),
    slots(Array::Persistant, "i16", "Slot N, 0 to 15: what lasts over deaths, such as the score."),
    slots(Array::Ammo, "i16", "Ammunition of weapon N, 0 to 15; -1 without end."),
    slots(Array::Powerups, "i32", "Server time in ms at which powerup N, 0 to 15, ends."),
    LONG_FIELD,
    COUNT_FIELD,
    unusual(
        ARRAYS,
        "bits",
        31,
        "Arrays said to be there: 1 stats, 2 persistant, 4 ammo, 8 powerups; 16 any of them (66 and later).",
    ),
];

const IN_FRONT: &[FieldSchema] = &[
    FieldSchema::new(
        INDEX.text,
        TypeSchema::new("u10", "integer", "").within(0, LAST as i64 - 1),
        Presence::Always,
        "Its number.",
    ),
    FieldSchema::new(
        REMOVE.text,
        TypeSchema::new("bit", "true", ""),
        Presence::Selected,
        "It is gone; no fields follow.",
    ),
];

const ENTITY_WORDS: &[FieldSchema] = &[
    FieldSchema::ours(
        NOTHING.text,
        TypeSchema::new("bit", "true", ""),
        Presence::Unusual,
        "Fields follow, but none is sent. Without it no fields say: new, and exactly as its baseline.",
    ),
    unusual(
        UNZERO,
        "",
        BITS,
        "Fields sent as a value although it is 0: bit N for the field at place N. Protocol 66 and later.",
    ),
    LONG_FIELD,
    COUNT_FIELD,
    unusual(MASK, "u5", 31, "Number of the mask; usual is the one that fits, else 31. Protocols 43 to 48."),
];

/// The protocols that have a field of a state, in words; empty for all.
pub(super) fn sent(state: &Schema, field: &FieldSchema) -> String {
    let is = |name: &str| name == field.name;
    let id = match state.name {
        "player" => PlayerField::ALL.iter().find(|f| is(f.name())).map(|f| *f as u8),
        _ => EntityField::ALL.iter().find(|f| is(f.name())).map(|f| *f as u8),
    };
    let Some(id) = id else { return String::new() };
    let table = |d: &Dialect| if state.name == "player" { &d.layout.player } else { &d.layout.entity };
    let has = |d: &&Dialect| table(d).place(id).is_some();
    let protocols: Vec<_> = Dialect::all().iter().filter(has).map(|d| d.protocol).collect();
    if protocols.len() == Dialect::all().len() { String::new() } else { in_words(&protocols) }
}

/// Protocols in words: `43 to 48`, `90 and later`, `66, 67, 68`.
pub(super) fn in_words(protocols: &[i32]) -> String {
    let all: Vec<_> = Dialect::all().iter().map(|d| d.protocol).collect();
    match protocols {
        [first, .., last] if all.starts_with(protocols) => format!("{first} to {last}"),
        [first, _, ..] if all.ends_with(protocols) => format!("{first} and later"),
        _ => protocols.iter().map(i32::to_string).collect::<Vec<_>>().join(", "),
    }
}
