//! Quake II's messages, and what stands within them.

use qdemo::describe::{Body, MaskedGroup, Schema};
use qdemo::format::dm2::{BlendParts, ChangedStrings, Hit, Kind, PacketEntity, PlayerFog, SplitPlayer, TestEntity};
use qdemo::format::dm2::{Bytes, Dialect};
use serde_json::{Map, Value, json};

use super::json::{fields, int, list, message, messages, object, reference};
use super::{Chapter, Entry, Row};

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the protocol has them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 6` is the bit itself without data, `always; wide: bit 8` has more bytes when the bit is set, and `selected`
depends on an earlier field, the protocol, or who recorded. [text-format.md](text-format.md#quake-ii) has the rest.
";

/// The messages that stand within others.
static WITHIN: [(Schema, Kind); 2] = [
    (<PacketEntity as Body<'_, Bytes>>::SCHEMA, Kind::PacketEntities),
    (<TestEntity as Body<'_, Bytes>>::SCHEMA, Kind::TestEntities),
];

/// What lists within messages are made of, and the names of these.
static LISTS: [(Schema, Kind, &str); 2] =
    [(ChangedStrings::ITEM_SCHEMA, Kind::LevelRestart, "strings"), (Hit::SCHEMA, Kind::Damage, "hits")];

/// What stands in front of the fields of `playerinfo` in the list of players in a frame.
static SPLIT: Schema = braced("player", "A player at the recorder's screen.", &[&[SplitPlayer::AREAS_SCHEMA]]);

/// What stands in braces within `playerinfo`.
static BRACED: [Schema; 2] = [
    braced(
        "blend",
        "Colours of the whole screen, those that changed.",
        &[<BlendParts as MaskedGroup<'_, Bytes>>::FIELDS],
    ),
    braced("fog", "Fog that the player is in, what changed of it.", &[<PlayerFog as MaskedGroup<'_, Bytes>>::FIELDS]),
];

const fn braced(
    name: &'static str,
    doc: &'static str,
    fields: &'static [&'static [qdemo::describe::FieldSchema]],
) -> Schema {
    Schema { name, lmpc: None, doc, inline: false, masked: false, fields }
}

/// The numbers on the status bar: one word each.
const STATS: &str = "stats";
const STATS_DOC: &str = "Number N on the status bar: 0 to 31; to 63 in protocols 3435 and 3436 and the re-release; to 255 in KMQuake2, \
                         where a mask bit stands for eight numbers, 32 apart.";
const SPARE_BYTES: &str = "stats_spare_bytes";
const SPARE_BYTES_DOC: &str = "Bytes of the mask beyond those that it needs, in protocols 3435 and 3436.";

pub(super) fn chapter() -> Chapter {
    let mut entries = Vec::new();
    for kind in Kind::ALL {
        entries.push(entry(kind.schema(), number(*kind)));
        for (schema, around) in &WITHIN {
            if around == kind {
                entries.push(entry(schema, format!("Within {}", kind.schema().name)));
            }
        }
        for (schema, _, name) in LISTS.iter().filter(|(_, around, _)| around == kind) {
            entries.push(entry(schema, format!("Within {}, in its list {name}", kind.schema().name)));
        }
        if *kind == Kind::Frame {
            entries
                .push(entry(&SPLIT, "Within frame, in its list split; behind it the fields of playerinfo".to_owned()));
        }
        if *kind == Kind::PlayerInfo {
            let within = |schema| entry(schema, "Within playerinfo, in Q2PRO's extended demos".to_owned());
            entries.extend(BRACED.iter().map(within));
        }
    }
    Chapter { title: "Quake II (dm2)", intro: INTRO.to_owned(), entries, appendix: String::new() }
}

/// A message. What types say of Quake's protocols is said of Quake II's here.
fn entry(schema: &'static Schema, what: String) -> Entry {
    let mut entry = Entry::new(schema, what);
    let of_test = schema.name.starts_with("test_");
    let entity = [WITHIN[0].0.name, Kind::SpawnBaseline.schema().name].contains(&schema.name);
    for row in &mut entry.rows {
        if row.wire.contains("u16 in BJP") {
            row.wire = match row.name {
                _ if of_test => "u8",
                "modelindex" | "modelindex2" | "modelindex3" | "modelindex4" if entity => {
                    "u8; u16 in KMQuake2, and with mask bit 28 in Q2PRO's extended demos and the re-release"
                }
                _ => "u8; u16 in KMQuake2",
            };
        }
        if row.wire == "angle" && entity {
            row.wire = "angle; in Q2PRO's extended demos 2 bytes with mask bit 13, else 1";
        }
    }
    if let Some(at) = entry.rows.iter().position(|row| row.name == STATS) {
        let playerinfo = schema.name == Kind::PlayerInfo.schema().name;
        let row = &mut entry.rows[at];
        row.name = "stats[N]";
        row.wire = if of_test { "u32 mask, i16 each" } else { row.wire };
        row.meaning = if of_test { "Number N on the status bar, 0 to 31." } else { STATS_DOC }.to_owned();
        if playerinfo {
            let meaning = SPARE_BYTES_DOC.to_owned();
            let row = Row { name: SPARE_BYTES, wire: "", present: "selected".to_owned(), unit: "", meaning };
            entry.rows.insert(at + 1, row);
        }
    }
    entry
}

/// The number of a message in the protocols that have it.
fn number(kind: Kind) -> String {
    if kind == Kind::Unicast {
        return "Number 128 and above, in recordings of Relay".to_owned();
    }
    let standard = Dialect::QUAKE2.number_of(kind);
    let mut numbers: Vec<_> = standard.iter().map(u8::to_string).collect();
    for (dialect, name) in [
        (Dialect::TEST_RELEASE, "the test release"),
        (Dialect::announced(56, 0), "KMQuake2"),
        (Dialect::announced(3434, 0), "Q2PRO's extended demos"),
        (Dialect::announced(2023, 0), "the re-release"),
    ] {
        match dialect.number_of(kind) {
            Some(number) if standard != Some(number) => numbers.push(format!("{number} in {name}")),
            _ => {}
        }
    }
    format!("Number {}", numbers.join(", "))
}

/// There is a message `fog` too.
fn braced_key(schema: &Schema) -> String {
    format!("dm2.playerinfo.{}", schema.name)
}

/// The lines of `decompile --json`; what they refer to goes to `defs`.
pub(super) fn lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let key = |schema: &Schema| format!("dm2.{}", schema.name);
    for schema in &BRACED {
        defs.insert(braced_key(schema), fields(schema, None, Vec::new(), &[]));
    }
    for (schema, _) in &WITHIN {
        defs.insert(key(schema), message(schema));
    }
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let schema = kind.schema();
        let within = WITHIN.iter().filter(|(_, around)| around == kind);
        let mut more: Vec<_> = within.map(|(inner, _)| ("messages", messages(vec![reference(&key(inner))]))).collect();
        let lists = LISTS.iter().filter(|(_, around, _)| around == kind);
        more.extend(lists.map(|(item, _, name)| (*name, list(fields(item, None, Vec::new(), &[]), None))));
        if *kind == Kind::Frame {
            more.push(("split", list(split_player(), None)));
        }
        let required: Vec<_> = LISTS.iter().filter(|(_, around, _)| around == kind).map(|(.., name)| *name).collect();
        let mut def = fields(schema, Some(("message", schema.name)), more, &required);
        if schema.fields().any(|field| field.name == STATS) {
            status_bar(&mut def);
        }
        kinds.push(reference(&key(schema)));
        defs.insert(key(schema), def);
    }
    kinds.push(reference("unknown_message"));
    vec![
        object("What stands in front of a Quake II demo.", Some(("piece", "dm2")), &[], &[]),
        object(
            "A block of messages.",
            Some(("piece", "block")),
            &[
                ("size", int("Size of a block that the end of the file cuts.", 0, u32::MAX.into())),
                ("long_angles", int("KMQuake2's entities have angles of two bytes from here on, or of one.", 0, 1)),
                ("messages", messages(kinds)),
            ],
            &[],
        ),
        object("An empty block: between two levels.", Some(("piece", "betweenblock")), &[], &[]),
    ]
}

/// A player in a frame: areas, and the fields of `playerinfo`.
fn split_player() -> Value {
    let mut player = fields(Kind::PlayerInfo.schema(), None, Vec::new(), &[]);
    status_bar(&mut player);
    let areas = fields(&SPLIT, None, Vec::new(), &[]);
    let name = SplitPlayer::AREAS_SCHEMA.name;
    player["properties"][name] = areas["properties"][name].clone();
    if let Some(required) = player["required"].as_array_mut() {
        required.push(name.into());
    }
    player["description"] = areas["description"].clone();
    player
}

/// The numbers of the status bar are keys of their own; what changed of the screen's colours and of fog is an object.
fn status_bar(def: &mut Value) {
    let stat = json!({"type": "integer", "minimum": i16::MIN, "maximum": i16::MAX});
    def["patternProperties"] = json!({r"^stats\[(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])\]$": stat});
    if let Some(required) = def["required"].as_array_mut() {
        required.retain(|name| name != STATS);
    }
    let Some(properties) = def["properties"].as_object_mut() else { return };
    properties.remove(STATS);
    properties.insert(SPARE_BYTES.to_owned(), int(SPARE_BYTES_DOC, 0, 9));
    for schema in &BRACED {
        if let Some(property) = properties.get_mut(schema.name).and_then(Value::as_object_mut) {
            let braced = reference(&braced_key(schema));
            match property.get("type") == Some(&json!("object")) {
                true => drop(property.insert("$ref".to_owned(), braced["$ref"].clone())),
                false => {
                    let description = property.remove("description");
                    let plain = Value::Object(std::mem::take(property));
                    property.insert("anyOf".to_owned(), json!([plain, braced]));
                    property.extend(description.map(|text| ("description".to_owned(), text)));
                }
            }
        }
    }
}
