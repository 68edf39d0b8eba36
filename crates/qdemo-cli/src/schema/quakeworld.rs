//! QuakeWorld's messages, and the blocks and records around them.

use qdemo::describe::{Body, FieldSchema, Presence, Schema, TypeSchema};
use qdemo::format::dem::Time;
use qdemo::format::mvd::HIDDEN;
use qdemo::format::qwd::{Bytes, Dialect};
use qdemo::format::qwd::{Kind, PacketEntity};
use serde_json::{Map, Value, json};

use super::json::{fields, int, message, messages, object, reference};
use super::{Chapter, Entry};

const TYPES: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the extensions have them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 5` is the bit itself without data, and `selected` depends on an earlier field, the protocol or the extensions.
";

const QWD: &str = "\
The blocks come first, then the messages of a server, by name as in Quake where Quake has them too.
[text-format.md](text-format.md#quakeworld) has the rest: masks, protocols and extensions, what `selected` means.
";

const MVD: &str = "\
A multi-view demo has the messages of [messages-qwd.md](messages-qwd.md), with the same numbers, but `mvdplayerinfo`
instead of `playerinfo`, `servertime` instead of `client` in `serverdata`, and always `about`, the slot of a player, in
`setangle`. Below stand its records, this message, and the hidden messages, which servers put into records for nobody
(`multiple 0`) when `serverdata` has announced MVD1's flag 0x20.
[text-format.md](text-format.md#multi-view-demos) has the rest.
";

const fn field(
    name: &'static str,
    lmpc: Option<&'static str>,
    ty: TypeSchema,
    presence: Presence,
    doc: &'static str,
) -> FieldSchema {
    FieldSchema { name, lmpc, doc, ty, presence }
}

const fn part(
    name: &'static str,
    lmpc: Option<&'static str>,
    doc: &'static str,
    fields: &'static [&'static [FieldSchema]],
) -> Schema {
    Schema { name, lmpc, doc, inline: false, masked: false, fields }
}

const U8: TypeSchema = TypeSchema::new("u8", "integer", "");
const U32: TypeSchema = TypeSchema::new("u32", "integer", "");
const WORD: TypeSchema = TypeSchema::new("31 bits of a u32", "integer", "");
const FLAG: TypeSchema = TypeSchema::new("", "boolean", "");
const BYTES: TypeSchema = TypeSchema::new("u8[]", "integer[]", "");
const STRING: TypeSchema = TypeSchema::new("string", "string", "");
const MSEC: TypeSchema = TypeSchema::new("u8", "integer", "ms");
const SECONDS: TypeSchema = TypeSchema::new("f32", "number", "s");
const FLOATS: TypeSchema = TypeSchema::new("f32[3]", "number[3]", "degrees");
use Presence::{Always, Selected};

const TIME: FieldSchema = field("time", Some("time"), SECONDS, Always, "Seconds on the recorder's clock.");
const CUT: FieldSchema =
    field("data", None, BYTES, Selected, "The bytes of a block that the file's end cuts, instead of all other fields.");
const SIZE: FieldSchema = field(
    "size",
    None,
    TypeSchema::new("u32", "integer", "bytes"),
    Selected,
    "The size in the header, where the end of the file cuts; else what it holds.",
);
const SEQ: [FieldSchema; 2] = [
    field("seq1", Some("seq1"), U32, Always, "Number of the client's next packet."),
    field("seq2", Some("seq2"), U32, Always, "Number of the last packet that came from the server."),
];
const COMMAND: [FieldSchema; 7] = [
    field(
        "msec",
        Some("load"),
        TypeSchema::new("u32", "integer", "ms"),
        Always,
        "Duration, in the lowest byte; the others are padding of the engine's structure.",
    ),
    field("angles", Some("angles"), FLOATS, Always, "Pitch, yaw and roll that are asked for."),
    field("speed", Some("speed"), TypeSchema::new("i16[3]", "integer[3]", "units/s"), Always, "Forward, sideways, up."),
    field(
        "buttons",
        None,
        U8,
        Selected,
        "In text `fire;` for 1, `jump;` for 2, `flag` for the other bits by number; left out when 0.",
    ),
    field("impulse", Some("impulse"), U8, Selected, "Weapon numbers and the like; left out when 0."),
    field("viewangles", Some("uk_angles"), FLOATS, Always, "The view: pitch, yaw and roll."),
    CUT,
];

static SBLOCK: Schema = part(
    "sblock",
    Some("sblock"),
    "A packet of the server: head, then messages. The other kinds of packets have `connless` or `data` and nothing else.",
    &[&[
        TIME,
        SIZE,
        field("seq1", Some("seq1"), WORD, Selected, "Number of the packet."),
        field("seq2", Some("seq2"), WORD, Selected, "Number of the last client packet that the server got."),
        field(
            "reliable",
            Some("reliable"),
            TypeSchema::new("bit 31 of a u32", "integer[]", ""),
            Selected,
            "1: seq1 has bit 31, the packet carries reliable messages. 2: seq2 has it, it toggles with reliable messages of the client.",
        ),
        field("data", None, BYTES, Selected, "A packet too short for a head."),
    ]],
);
static CONNLESS: Schema = part(
    "connless",
    Some("connless"),
    "A packet outside the game, behind a word of 0xFFFFFFFF: one of the words with its number, or id and data.",
    &[&[
        field("disconnect", Some("disconnect"), STRING, Selected, "Number 2: the recording ends, \"EndOfDemo\"."),
        field(
            "client_command",
            Some("client_command"),
            STRING,
            Selected,
            "Number 66 (B): a command for the client's console.",
        ),
        field("challenge", Some("challenge"), STRING, Selected, "Number 99 (c): a number to connect with."),
        field("console", Some("console"), STRING, Selected, "Number 110 (n): text for the console."),
        field("connect", Some("connect"), FLAG, Selected, "Number 106 (j): the server accepts the client."),
        field("ping", Some("ping"), FLAG, Selected, "Number 107 (k): the server asks for an answer."),
        field("id", Some("id"), U8, Selected, "Any number, with whatever data."),
        field("data", Some("data"), BYTES, Selected, "What follows it."),
    ]],
);
static CBLOCK: Schema =
    part("cblock", Some("cblock"), "A command of the recorder to the server, 36 bytes.", &[&[TIME], &COMMAND]);
static FBLOCK: Schema = part(
    "fblock",
    Some("fblock"),
    "The numbers of the packets when recording began; they stand behind what the recorder wrote to begin with.",
    &[&[TIME], &SEQ, &[CUT]],
);
static NAIL: Schema = part(
    "nail",
    Some("nail"),
    "A nail in flight.",
    &[&[
        field(
            "id",
            None,
            U8,
            Selected,
            "In nails2, and always there: a number that ties it to the nail of the frame before.",
        ),
        field(
            "origin",
            Some("origin"),
            TypeSchema::new("u12[3] = (n+4096)/2", "integer[3]", "units"),
            Always,
            "Place, in even numbers from -4096 to 4094.",
        ),
        field("angles_1", Some("angles_1"), TypeSchema::new("u4*360/16", "number", "degrees"), Always, "Pitch."),
        field("angles_2", Some("angles_2"), TypeSchema::new("i8*360/256", "number", "degrees"), Always, "Yaw."),
    ]],
);
/// Quake's, with other words.
static TIME_MESSAGE: Schema =
    Schema { doc: "The server's time, as in Quake. Not used in QuakeWorld.", ..<Time as Body<'_, Bytes>>::SCHEMA };
static PACKET_ENTITY: Schema = <PacketEntity as Body<'_, Bytes>>::SCHEMA;

const SLOT: TypeSchema = TypeSchema::new("5 bits of a u8", "integer", "");
static MVD_MARK: Schema = part("mvd", None, "Says that the text is that of a multi-view demo. No bytes.", &[]);
static MBLOCK: Schema = part(
    "mblock",
    None,
    "A record: one of the targets, then messages. With `set` it has seq1 and seq2 instead, with `command` the fields of cblock, whose msec is command_msec here.",
    &[&[
        field("msec", None, MSEC, Always, "Time since the record before."),
        field("command", None, FLAG, Selected, "Kind 0: a command, as in cblock. Not seen in files."),
        field("same", None, FLAG, Selected, "Kind 1: for those that the record before was for."),
        field("set", None, FLAG, Selected, "Kind 2: two numbers without meaning."),
        field(
            "multiple",
            None,
            U32,
            Selected,
            "Kind 3: for several players, a bit for each slot; 0 for nobody: hidden messages.",
        ),
        field("single", None, SLOT, Selected, "Kind 4: for the player in this slot."),
        field("stats", None, SLOT, Selected, "Kind 5: stats of the player in this slot."),
        field("all", None, FLAG, Selected, "Kind 6: for everyone."),
        field("slot", None, SLOT, Selected, "The bits of the slot, where the target has none; left out when 0."),
        SIZE,
        CUT,
    ]],
);

/// The messages that stand within others.
const WITHIN: [(&Schema, &[Kind]); 2] =
    [(&PACKET_ENTITY, &[Kind::PacketEntities, Kind::DeltaPacketEntities]), (&NAIL, &[Kind::Nails, Kind::Nails2])];

pub(super) fn qwd() -> Chapter {
    let block = |schema: &'static Schema, what: &str| Entry::new(schema, what.to_owned());
    let mut entries = vec![
        block(&SBLOCK, "Block of kind 1"),
        block(&CONNLESS, "Within sblock"),
        block(&CBLOCK, "Block of kind 0"),
        block(&FBLOCK, "Block of kind 2"),
    ];
    for (kind, number) in numbered(&Dialect::QUAKEWORLD) {
        let schema = if kind == Kind::Time { &TIME_MESSAGE } else { kind.schema() };
        entries.push(entry(schema, format!("Number {number}")));
        for (schema, kinds) in WITHIN {
            if kinds.last() == Some(&kind) {
                let names: Vec<_> = kinds.iter().map(|kind| kind.schema().name).collect();
                entries.push(Entry::new(schema, format!("Within {}", names.join(" and "))));
            }
        }
    }
    Chapter { title: "QuakeWorld (qwd)", intro: format!("{TYPES}{QWD}"), entries, appendix: String::new() }
}

pub(super) fn mvd() -> Chapter {
    let mut entries =
        vec![Entry::new(&MVD_MARK, "The first statement".to_owned()), Entry::new(&MBLOCK, "Record".to_owned())];
    for (kind, number) in own(&Dialect::MULTIVIEW) {
        entries.push(entry(kind.schema(), format!("Number {number}")));
    }
    for kind in &HIDDEN {
        let number = match kind {
            Kind::HiddenCommand => "Hidden number 1",
            Kind::HiddenDemoInfo => "Hidden number 3",
            Kind::HiddenDamage => "Hidden number 7",
            Kind::HiddenPause => "Hidden number 10",
            Kind::HiddenStart => "Hidden number 11 or 9",
            _ => "Any hidden number",
        };
        entries.push(Entry::new(kind.schema(), number.to_owned()));
    }
    Chapter { title: "QuakeWorld, multi-view (mvd)", intro: format!("{TYPES}{MVD}"), entries, appendix: String::new() }
}

/// A message. Types that Quake's protocols widen are the plain ones here.
fn entry(schema: &'static Schema, what: String) -> Entry {
    let mut entry = Entry::new(schema, what);
    for row in &mut entry.rows {
        for remark in [" (u16 in BJP)", "; in sound with bit 3"] {
            row.wire = row.wire.split(remark).next().unwrap_or(row.wire);
        }
    }
    entry
}

/// The kinds of messages that a dialect has, with their numbers.
fn numbered(dialect: &Dialect) -> impl Iterator<Item = (Kind, u8)> {
    Kind::ALL.iter().filter_map(|kind| Some((*kind, dialect.number_of(*kind)?)))
}

/// Those that a client's recording does not have.
fn own(dialect: &Dialect) -> impl Iterator<Item = (Kind, u8)> {
    numbered(dialect).filter(|(kind, _)| Dialect::QUAKEWORLD.number_of(*kind).is_none())
}

/// The messages of both, as references to what is put into `defs`.
fn kinds(defs: &mut Map<String, Value>, dialect: &Dialect) -> Vec<Value> {
    for (schema, _) in WITHIN {
        defs.insert(format!("qwd.{}", schema.name), fields(schema, Some(("message", schema.name)), Vec::new(), &[]));
    }
    let mut kinds = Vec::new();
    for (kind, _) in numbered(dialect) {
        let schema = kind.schema();
        let within = WITHIN.iter().find(|(_, kinds)| kinds.contains(&kind));
        let list =
            |(schema, _): &(&Schema, _)| vec![("messages", messages(vec![reference(&format!("qwd.{}", schema.name))]))];
        // The entity and the channel of a sound are parts of one value.
        let required: &[&str] = if kind == Kind::Sound { &["channel", "entity"] } else { &[] };
        let def = fields(schema, Some(("message", schema.name)), within.map(list).unwrap_or_default(), required);
        let key = format!("qwd.{}", schema.name);
        kinds.push(reference(&key));
        defs.insert(key, def);
    }
    kinds.push(reference("unknown_message"));
    kinds
}

/// A statement of the top with some of the fields of a schema: those `required`, and those that may be there.
fn chunk(schema: &Schema, required: &[&str], may: &[&str], more: &[(&str, Value)]) -> Value {
    let all = fields(schema, None, Vec::new(), &[]);
    let mut properties: Vec<_> = required
        .iter()
        .chain(may)
        .filter_map(|name| Some((*name, all["properties"].get(*name)?.clone())))
        .filter(|(name, _)| more.iter().all(|(other, _)| other != name))
        .collect();
    properties.extend(more.iter().cloned());
    object(schema.doc, Some(("piece", schema.name)), &properties, required)
}

/// The lines of `decompile --json` for a client's recording.
pub(super) fn qwd_lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let kinds = kinds(defs, &Dialect::QUAKEWORLD);
    let words = ["disconnect", "client_command", "challenge", "console", "connect", "ping"];
    let word = |word: &str| {
        let all = fields(&CONNLESS, None, Vec::new(), &[]);
        object(CONNLESS.doc, None, &[(word, all["properties"][word].clone())], &[word])
    };
    let mut connless: Vec<_> = words.map(word).into();
    let byte = int("Kind of the packet.", 0, 255);
    connless.push(object(CONNLESS.doc, None, &[("id", byte), ("data", reference("bytes"))], &["id"]));
    let mut packet = ["seq1", "seq2"].map(|name| (name, int("Number of a packet.", 0, i32::MAX.into()))).to_vec();
    let reliable = json!({"type": "array", "items": {"enum": [1, 2]}});
    packet.extend([("reliable", reliable), ("messages", messages(kinds))]);
    vec![
        chunk(&SBLOCK, &["time", "seq1", "seq2"], &["size"], &packet),
        chunk(&SBLOCK, &["time", "connless"], &["size"], &[("connless", json!({"oneOf": connless}))]),
        chunk(&SBLOCK, &["time", "data"], &["size"], &[]),
        chunk(&CBLOCK, &COMMANDED, &UNUSUAL, &[]),
        chunk(&CBLOCK, &["time", "data"], &[], &[]),
        chunk(&FBLOCK, &["time", "seq1", "seq2"], &[], &[]),
        chunk(&FBLOCK, &["time", "data"], &[], &[]),
    ]
}

/// What a command always has, and what only when it is not 0.
const COMMANDED: [&str; 5] = ["time", "msec", "angles", "speed", "viewangles"];
const UNUSUAL: [&str; 2] = ["buttons", "impulse"];

/// The lines of `decompile --json` for a server's recording.
pub(super) fn mvd_lines(defs: &mut Map<String, Value>) -> Vec<Value> {
    let kinds = kinds(defs, &Dialect::MULTIVIEW);
    let mut for_nobody = kinds.clone();
    for kind in &HIDDEN {
        let key = format!("mvd.{}", kind.schema().name);
        for_nobody.push(reference(&key));
        defs.insert(key, message(kind.schema()));
    }
    let list = |kinds: &[Value]| ("messages", messages(kinds.to_vec()));
    let slot = |name| (name, int("Slot of a player.", 0, 31));
    let target = |name: &'static str| match name {
        "single" | "stats" => chunk(&MBLOCK, &["msec", name], &["size"], &[slot(name), list(&kinds)]),
        _ => chunk(&MBLOCK, &["msec", name], &["size"], &[slot("slot"), list(&kinds)]),
    };
    let mut lines = vec![object(MVD_MARK.doc, Some(("piece", "mvd")), &[], &[])];
    lines.extend(["all", "same", "single", "stats"].map(target));
    for (low, high, kinds) in [(0, 0, &for_nobody), (1, u32::MAX.into(), &kinds)] {
        let mask = ("multiple", int("A bit for each slot.", low, high));
        lines.push(chunk(&MBLOCK, &["msec", "multiple"], &["size"], &[mask, slot("slot"), list(kinds)]));
    }
    // The record has an `msec` of its own.
    let command = fields(&CBLOCK, None, Vec::new(), &[]);
    let name = |name| if name == "msec" { "command_msec" } else { name };
    let command = COMMANDED[1..].iter().chain(&UNUSUAL).map(|key| (name(*key), command["properties"][*key].clone()));
    let command: Vec<_> = command.chain([slot("slot")]).collect();
    let mut numbers = ["seq1", "seq2"].map(|name| (name, int("Without meaning.", 0, u32::MAX.into()))).to_vec();
    numbers.push(slot("slot"));
    lines.extend([
        chunk(&MBLOCK, &["msec", "set", "seq1", "seq2"], &[], &numbers),
        chunk(&MBLOCK, &["msec", "set", "data"], &[], &[slot("slot")]),
        chunk(&MBLOCK, &["msec", "command", "command_msec", "angles", "speed", "viewangles"], &[], &command),
        chunk(&MBLOCK, &["msec", "command", "data"], &[], &[slot("slot")]),
    ]);
    lines
}
