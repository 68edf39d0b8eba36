//! What documentation says of Quake's recordings, beside the declarations.

use super::dialect::{Variant, number_of};
use super::message::MessageKind;
use super::packet::Header;
use crate::describe::{
    Alternative, Carried, FieldSchema, Holds, MessageSchema, Name, Part, Presence, Reference, Statement, TypeSchema,
};
use crate::format::INTRODUCTION_STATEMENT;

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the protocol has them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 5` is the bit itself without data, `always; wide: bit 14` has more bytes when the bit is set, and `selected`
depends on an earlier field or the protocol.
";

const LINE: FieldSchema = FieldSchema::new("line", TypeSchema::new("text", "string", ""), Presence::Always, "");
const VARIANT: FieldSchema = FieldSchema::new(
    "name",
    TypeSchema::new("", "string", "")
        .holding(Holds::OneOf(|| Variant::ALL.map(|variant| variant.name().to_owned()).into())),
    Presence::Always,
    "",
);

static STATEMENTS: [Statement; 4] = [
    INTRODUCTION_STATEMENT,
    Statement::of(Name::new("track"), "The line in front of a Quake demo.", &[&[LINE]]),
    Statement::of(Name::with("variant", ""), "From here on, how an ambiguous protocol is read.", &[&[VARIANT]]),
    Statement::of(Name::new("block"), "A block of messages, with the view angles of the recorder.", &[])
        .one_of(&[Alternative::with(Carried::Any, &[Header::FIELDS])]),
];

/// The number of a message, and the dialect that brought it.
fn numbers(kind: MessageKind) -> String {
    match number_of(kind) {
        Some((0x80, _)) => "Number 128 and above".to_owned(),
        Some((number, "quake")) => format!("Number {number}"),
        Some((number, dialect)) => format!("Number {number} in {dialect}"),
        None => String::new(),
    }
}

pub(super) fn reference() -> Reference {
    Reference {
        title: "Quake",
        about: "Quake",
        intro: INTRO.to_owned(),
        statements: &STATEMENTS,
        messages: MessageSchema::all("dem", numbers),
        sent: Reference::EVERYWHERE,
    }
}
