//! What documentation says of multi-view recordings of Quake II, beside the declarations.

use super::message::MessageKind;
use super::packet::Header;
use crate::describe::{
    Alternative, Carried, FieldSchema, MessageSchema, Name, Part, Presence, Reference, Statement, TypeSchema,
};
use crate::format::INTRODUCTION_STATEMENT;
use crate::format::dm2::Dialect;

const INTRO: &str = "\
*Type* is the type on the wire: `u8`, `i16` as in Rust, little
endian; `/8` says that the value shown is the number divided by 8; `coord` and `angle` are as extended limits have them;
`string` ends with NUL. *Present* says when a field is there: `mask bit 3` when that bit of the mask is set,
`flag bit 5` is the bit itself without data, and `selected` depends on an earlier field, on the number of the command or on
the protocol. The number of a command has five bits; the three bits above it have the meaning that the fields tell.

The messages of the game within `unicast` and `multicast` are those of a `.dm2`: of protocol 34; with extended limits of
Q2PRO's protocol 3434; with the second extended limits of 3435, and from minor version 2013 on of 3436.
[text-format.md](text-format.md#multi-view-demos-of-quake-ii) has the rest.
";

const UNMARKED: FieldSchema = FieldSchema::ours(
    "unmarked",
    TypeSchema::new("", "true", "").left_out_when_empty(),
    Presence::Selected,
    "The mark is missing.",
);
const SIZE_ALONE: FieldSchema = FieldSchema { ty: Header::FIELDS[1][0].ty.always(), ..Header::FIELDS[1][0] };

static STATEMENTS: [Statement; 4] = [
    INTRODUCTION_STATEMENT,
    Statement::of(
        Name::with("mvd2", ""),
        "In front of the first block: the mark of the format, unless it is missing.",
        &[&[UNMARKED]],
    ),
    Statement::of(Name::with("block", ""), "A block of commands.", &[])
        .one_of(&[Alternative::with(Carried::Some, &[Header::FIELDS])]),
    Statement::of(Name::with("block", ""), "A block whose header is all that there is.", &[&[SIZE_ALONE]]),
];

/// The numbers of a command.
fn numbers(kind: MessageKind) -> String {
    match kind {
        MessageKind::Unicast => "Numbers 8 and, reliable, 9".to_owned(),
        MessageKind::Multicast => "Numbers 10 to 12 (all, phs, pvs) and, reliable, 13 to 15".to_owned(),
        kind => Dialect::MVD2.number_of_command(kind).map(|n| format!("Number {n}")).unwrap_or_default(),
    }
}

pub(super) fn reference() -> Reference {
    Reference {
        title: "Quake II, multi-view",
        about: "Quake II, as a server of Q2PRO recorded it",
        intro: INTRO.to_owned(),
        statements: &STATEMENTS,
        messages: MessageSchema::all("mvd2", numbers),
        sent: Reference::EVERYWHERE,
    }
}
