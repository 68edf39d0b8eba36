//! What documentation says of multi-view recordings, beside the declarations.

use super::packet::{COMMAND_MSEC, Header, Recipients};
use crate::describe::{Alternative, Carried, FieldSchema, KindSet, MessageSchema, Name, Part, Reference, Statement};
use crate::format::INTRODUCTION_STATEMENT;
use crate::format::qwd::{CUT, Dialect, HIDDEN, MessageKind, SequenceNumbers, TYPES, UserCommand, messages};

const INTRO: &str = "\
A multi-view demo has the messages of [messages-qwd.md](messages-qwd.md), with the same numbers, but `mvdplayerinfo`
instead of `playerinfo`, `servertime` instead of `client` in `serverdata`, and always `about`, the slot of a player, in
`setangle`. Below stand its records, this message, and the hidden messages, which servers put into records for nobody
(`multiple 0`) when `serverdata` has announced MVD1's flag 0x20.
[text-format.md](text-format.md#multi-view-demos) has the rest.
";

const MSEC: &[FieldSchema] = Header::FIELDS[0];
const SIZE: &[FieldSchema] = Header::FIELDS[2];
const COMMAND: FieldSchema = Recipients::FIELDS[0];
const SAME: FieldSchema = Recipients::FIELDS[1];
const SET: FieldSchema = Recipients::FIELDS[2];
const NOBODY: FieldSchema = Recipients::FIELDS[3].within(0, 0);
const MULTIPLE: FieldSchema = Recipients::FIELDS[3].within(1, u32::MAX as i64);
const SINGLE: FieldSchema = Recipients::FIELDS[4];
const STATS: FieldSchema = Recipients::FIELDS[5];
const ALL: FieldSchema = Recipients::FIELDS[6];
const SLOT: FieldSchema = Recipients::FIELDS[7];
/// Duration of a command: the record has an `msec` of its own.
const OF_COMMAND: FieldSchema =
    FieldSchema { name: COMMAND_MSEC.text, lmpc: COMMAND_MSEC.lmpc, ..UserCommand::FIELDS[0][0] };
const REST_OF_COMMAND: &[&[FieldSchema]] = UserCommand::FIELDS.split_at(1).1;

static STATEMENTS: [Statement; 3] = [
    INTRODUCTION_STATEMENT,
    Statement::of(Name::with("mvd", ""), "Says that the text is that of a multi-view demo. No bytes.", &[])
        .called("The first statement"),
    Statement::of(
        Name::with("mblock", ""),
        "A record: one of the targets, then messages. With `set` it has seq1 and seq2 instead, with `command` the fields of cblock, whose msec is command_msec here.",
        &[MSEC, Recipients::FIELDS, SIZE, &[CUT]],
    )
    .called("Record")
    .one_of(&[
        Alternative::with(Carried::Any, &[&[MSEC, &[ALL, SLOT], SIZE]]),
        Alternative::with(Carried::Any, &[&[MSEC, &[SAME, SLOT], SIZE]]),
        Alternative::with(Carried::Any, &[&[MSEC, &[SINGLE], SIZE]]),
        Alternative::with(Carried::Any, &[&[MSEC, &[STATS], SIZE]]),
        Alternative::with(Carried::Hidden, &[&[MSEC, &[NOBODY, SLOT], SIZE]]),
        Alternative::with(Carried::Any, &[&[MSEC, &[MULTIPLE, SLOT], SIZE]]),
        Alternative::of(&[&[MSEC, &[SET, SLOT]], SequenceNumbers::FIELDS]),
        Alternative::of(&[&[MSEC, &[SET, SLOT, CUT]]]),
        Alternative::of(&[&[MSEC, &[COMMAND, SLOT, OF_COMMAND]], REST_OF_COMMAND]),
        Alternative::of(&[&[MSEC, &[COMMAND, SLOT, CUT]]]),
    ]),
];

/// The number of a hidden message.
fn hidden(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::HiddenCommand => "Hidden number 1",
        MessageKind::HiddenDemoInfo => "Hidden number 3",
        MessageKind::HiddenDamage => "Hidden number 7",
        MessageKind::HiddenPause => "Hidden number 10",
        MessageKind::HiddenStart => "Hidden number 11 or 9",
        _ => "Any hidden number",
    }
}

pub(super) fn reference() -> Reference {
    let mut all = messages(&Dialect::MULTIVIEW);
    let of_client = messages(&Dialect::QUAKEWORLD);
    for message in &mut all {
        if of_client.iter().any(|other| other.schema.name == message.schema.name) {
            message.numbers = String::new();
        }
    }
    all.extend(HIDDEN.map(|kind| MessageSchema {
        schema: KindSet::schema(kind),
        numbers: hidden(kind).to_owned(),
        home: "mvd",
        hidden: true,
    }));
    Reference {
        title: "QuakeWorld, multi-view",
        about: "QuakeWorld, as a server recorded it",
        intro: format!("{TYPES}{INTRO}"),
        statements: &STATEMENTS,
        messages: all,
        sent: Reference::EVERYWHERE,
    }
}
