//! What documentation says of Quake II's recordings, beside the declarations.

use super::dialect::Dialect;
use super::message::MessageKind;
use super::packet::Header;
use crate::describe::{
    Alternative, Carried, FieldSchema, MessageSchema, Name, Part, Presence, Reference, Statement, TypeSchema,
};
use crate::format::INTRODUCTION_STATEMENT;

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16`, `f32` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as the protocol has them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the message's mask is set,
`flag bit 6` is the bit itself without data, `always; wide: bit 8` has more bytes when the bit is set, and `selected`
depends on an earlier field, the protocol, or who recorded. [text-format.md](text-format.md#quake-ii) has the rest.
";

const LONG_ANGLES: FieldSchema = FieldSchema::ours(
    "long_angles",
    TypeSchema::new("", "integer", "").within(0, 1).left_out_when_empty(),
    Presence::Selected,
    "KMQuake2's entities have angles of two bytes from here on, or of one.",
);

static STATEMENTS: [Statement; 4] = [
    INTRODUCTION_STATEMENT,
    Statement::of(Name::with("dm2", ""), "What stands in front of a Quake II demo.", &[]),
    Statement::of(Name::new("block"), "A block of messages.", &[])
        .one_of(&[Alternative::with(Carried::Any, &[Header::FIELDS, &[&[LONG_ANGLES]]])]),
    Statement::of(Name::new("betweenblock"), "An empty block: between two levels.", &[]),
];

/// The number of a message in the protocols that have it.
fn numbers(kind: MessageKind) -> String {
    if kind == MessageKind::Unicast {
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

pub(super) fn reference() -> Reference {
    Reference {
        title: "Quake II",
        about: "Quake II",
        intro: INTRO.to_owned(),
        statements: &STATEMENTS,
        messages: MessageSchema::all("dm2", numbers),
        sent: Reference::EVERYWHERE,
    }
}
