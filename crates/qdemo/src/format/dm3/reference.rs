//! What documentation says of Quake III's recordings, beside the declarations.

use super::dialect::Dialect;
use super::message::MessageKind;
use super::packet::{Header, REL_ACK};
use super::states::{in_words, sent};
use crate::describe::{
    Alternative, Carried, FieldSchema, Holds, MessageSchema, Name, Part, Presence, Reference, Statement, TypeSchema,
};

const INTRO: &str = "\
*Type* is the type on the wire, in bits: `u10` has ten bits, `i16` sixteen of which the highest is a sign, `f32` is a
float; `f13/f32` is a float in 13 bits where it fits, else in 32; `string` ends with NUL. *Present* says when a field is
there: `selected` depends on an earlier field or the protocol; `sent` is a field of a state, there when the server sent
it, in the protocols named; `unusual` words say that something was sent in another way than engines do it.
[text-format.md](text-format.md#quake-iii) has the rest.
";

const PROTOCOL: FieldSchema = FieldSchema::ours(
    "protocol",
    TypeSchema::new("", "integer", "")
        .holding(Holds::OneOf(|| Dialect::all().iter().map(|dialect| dialect.protocol.to_string()).collect())),
    Presence::Always,
    "",
);

/// A field that is not always there.
const fn word(name: &'static str, ty: TypeSchema, doc: &'static str) -> FieldSchema {
    FieldSchema::ours(name, ty.left_out_when_empty(), Presence::Selected, doc)
}

const BEHIND: &[FieldSchema] = &[
    word(
        REL_ACK.text,
        TypeSchema::new("i32", "integer", ""),
        "Last client command that the server got; protocol 46 and later.",
    ),
    word("closed", TypeSchema::new("", "true", ""), "An end of message closes the block; only said up to protocol 48."),
    word(
        "unclosed",
        TypeSchema::new("", "true", ""),
        "No end of message closes the block; only said from protocol 66 on.",
    ),
    word("tail", TypeSchema::new("u8[]", "integer[]", ""), ""),
];

static STATEMENTS: [Statement; 2] = [
    Statement::of(Name::new("dm3"), "What stands in front of a Quake III demo.", &[&[PROTOCOL]]),
    Statement::of(Name::new("block"), "A block of messages: a packet of the server.", &[])
        .one_of(&[Alternative::with(Carried::Any, &[Header::FIELDS, &[BEHIND]])]),
];

/// The number of a message, by protocol where it is not the same in all.
fn numbers(kind: MessageKind) -> String {
    if kind == MessageKind::Extension {
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
    let parts = numbers.iter().map(|(number, protocols)| match protocols.len() == Dialect::all().len() {
        true => number.to_string(),
        false => format!("{number} ({})", in_words(protocols)),
    });
    format!("Number {}", parts.collect::<Vec<_>>().join(", "))
}

pub(super) fn reference() -> Reference {
    Reference {
        title: "Quake III",
        about: "Quake III Arena and its family: .dm3, .dm_68 and the like",
        intro: INTRO.to_owned(),
        statements: &STATEMENTS,
        messages: MessageSchema::all("dm3", numbers),
        sent,
    }
}
