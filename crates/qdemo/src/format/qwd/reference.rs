//! What documentation says of QuakeWorld's recordings, beside the declarations.

use super::connectionless::Connectionless;
use super::dialect::{Bytes as Wire, Dialect};
use super::packet::{BlockKind, DATA, Header, PacketNumbers, SequenceNumbers, UserCommand};
use crate::describe::{
    Alternative, Body, Carried, FieldSchema, Holds, MessageSchema, Part, Presence, Reference, Schema, Statement,
    TypeSchema,
};
use crate::format::INTRODUCTION_STATEMENT;
use crate::format::dem::Time;

/// How to read types and conditions, in both kinds of recordings.
pub(crate) const TYPES: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the extensions have them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 5` is the bit itself without data, and `selected` depends on an earlier field, the protocol or the extensions.
";

const INTRO: &str = "\
The blocks come first, then the messages of a server, by name as in Quake where Quake has them too.
[text-format.md](text-format.md#quakeworld) has the rest: masks, protocols and extensions, what `selected` means.
";

const BYTES: TypeSchema = TypeSchema::new("u8[]", "integer[]", "");

/// The bytes of a block that is cut.
pub(crate) const CUT: FieldSchema = FieldSchema::ours(
    DATA.text,
    BYTES,
    Presence::Selected,
    "The bytes of a block that the file's end cuts, instead of all other fields.",
);
const SHORT: FieldSchema = FieldSchema::ours(DATA.text, BYTES, Presence::Selected, "A packet too short for a head.");
const CONNLESS: FieldSchema = FieldSchema::new(
    "connless",
    TypeSchema::new("", "object", "").holding(Holds::Object(&Connectionless::STATEMENT)),
    Presence::Selected,
    "",
);
const TIME: &[&[FieldSchema]] = &[Header::FIELDS[0]];

static STATEMENTS: [Statement; 4] = [
    INTRODUCTION_STATEMENT,
    Statement::of(
        BlockKind::Packet.keyword(),
        "A packet of the server: head, then messages. The other kinds of packets have `connless` or `data` and nothing else.",
        &[],
    )
    .called("Block of kind 1")
    .one_of(&[
        Alternative::with(Carried::Any, &[Header::FIELDS, PacketNumbers::FIELDS]),
        Alternative::of(&[Header::FIELDS, &[&[CONNLESS]]]),
        Alternative::of(&[Header::FIELDS, &[&[SHORT]]]),
    ]),
    Statement::of(BlockKind::Command.keyword(), "A command of the recorder to the server, 36 bytes.", &[])
        .called("Block of kind 0")
        .one_of(&[Alternative::of(&[TIME, UserCommand::FIELDS]), Alternative::of(&[TIME, &[&[CUT]]])]),
    Statement::of(
        BlockKind::Frame.keyword(),
        "The numbers of the packets when recording began; they stand behind what the recorder wrote to begin with.",
        &[],
    )
    .called("Block of kind 2")
    .one_of(&[Alternative::of(&[TIME, SequenceNumbers::FIELDS]), Alternative::of(&[TIME, &[&[CUT]]])]),
];

/// Quake's, with other words.
static TIME_MESSAGE: Schema =
    Schema { doc: "The server's time, as in Quake. Not used in QuakeWorld.", ..<Time as Body<'_, Wire>>::SCHEMA };

/// The messages that a dialect has, with their numbers.
pub(crate) fn messages(dialect: &Dialect) -> Vec<MessageSchema> {
    let numbers = |kind| dialect.number_of(kind).map(|number| format!("Number {number}")).unwrap_or_default();
    let mut all = MessageSchema::all("qwd", numbers);
    all.retain(|message| !message.numbers.is_empty());
    for message in all.iter_mut().filter(|message| message.schema.name == TIME_MESSAGE.name) {
        message.schema = &TIME_MESSAGE;
    }
    all
}

pub(super) fn reference() -> Reference {
    Reference {
        title: "QuakeWorld",
        about: "QuakeWorld, as a client recorded it",
        intro: format!("{TYPES}{INTRO}"),
        statements: &STATEMENTS,
        messages: messages(&Dialect::QUAKEWORLD),
        sent: Reference::EVERYWHERE,
    }
}
