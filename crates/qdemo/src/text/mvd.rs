//! The text form of multi-view demos: records and unframed bytes.

use super::Printed;
use super::chunks::{self, Language, print_chunk};
use super::qwd::{build_messages, parse_command, show_command, show_messages, words};
use super::sink::MessageSink;
use crate::describe::{Fields, Form, Mistake, Name, Unknown};
use crate::dialect::Dialect;
use crate::error::Moment;
use crate::format::Framed;
use crate::format::mvd::{
    Block, Hidden, HiddenKind, Chunk, Target, close_record, not_hidden, open_record, read_hidden, write_hidden,
};
use crate::format::qwd::UserCommand;
use crate::wire::{Scalar, ByteWriter};

const MVD: Name = Name::with("mvd", "");
const BLOCK: Name = Name::with("mblock", "");
const MSEC: Name = Name::with("msec", "");
const COMMAND_MSEC: Name = Name::with("command_msec", "");
const SLOT: Name = Name::with("slot", "");
const SIZE: Name = Name::with("size", "");
const COMMAND: Name = Name::with("command", "");
const SAME: Name = Name::with("same", "");
const SET: Name = Name::with("set", "");
const MULTIPLE: Name = Name::with("multiple", "");
const SINGLE: Name = Name::with("single", "");
const STATS: Name = Name::with("stats", "");
const ALL: Name = Name::with("all", "");
const SEQ1: Name = Name::with("seq1", "");
const SEQ2: Name = Name::with("seq2", "");
const DATA: Name = Name::with("data", "");

const LANGUAGE: Language = Language { demo: "multi-view", statements: "mvd, mblock", end_mark: &[], trailer: true };

/// Shows chunks one after the other, carrying the dialect along.
pub(crate) struct Printer {
    dialect: Dialect,
    begun: bool,
    msec: i32,
    /// Reader that LMPC's language cannot hold, and messages it holds only as bytes.
    pub(crate) foreign: (u64, u64),
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { dialect: Dialect::MULTIVIEW, begun: false, msec: 0, foreign: (0, 0) }
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        if !std::mem::replace(&mut self.begun, true) {
            s.open(MVD, true);
            s.close();
        }
        let mut shown = Printed::default();
        if let Some(block) = print_chunk(chunk, s, &mut shown, &mut self.foreign.0) {
            self.block(block, s, &mut shown);
        }
        shown
    }

    fn block<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        shown.blocks = 1;
        self.foreign.0 += 1;
        self.msec = self.msec.wrapping_add(i32::from(block.msec));
        shown.time = Some(Moment::Milliseconds(self.msec));
        shown.broken = block.cut_short();
        s.open(BLOCK, false);
        if s.form() == Form::Text {
            let (minutes, seconds) = (self.msec / 60_000, self.msec % 60_000 / 1000);
            s.comment(format_args!("{} at {minutes}:{seconds:02}.{:03}", block.index, self.msec % 1000));
        }
        s.value(MSEC, Scalar::Int(i64::from(block.msec)));
        let slot = Scalar::Int(i64::from(block.slot));
        match block.target {
            Target::Command => s.flag(COMMAND),
            Target::Same => s.flag(SAME),
            Target::Set => s.flag(SET),
            Target::Multiple(mask) => s.value(MULTIPLE, Scalar::Hex(u64::from(mask))),
            Target::Single => s.value(SINGLE, slot),
            Target::Stats => s.value(STATS, slot),
            Target::All => s.flag(ALL),
        }
        if block.slot != 0 && !matches!(block.target, Target::Single | Target::Stats) {
            s.value(SLOT, slot);
        }
        if block.is_cut() && !matches!(block.target, Target::Command | Target::Set) {
            s.value(SIZE, Scalar::Int(i64::from(block.size)));
        }
        self.payload(block, s, shown);
        s.close();
    }

    fn payload<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        match block.target {
            Target::Command => match UserCommand::read(block.payload) {
                Some(command) => show_command(&command, COMMAND_MSEC, s),
                None => s.bytes(DATA, block.payload),
            },
            Target::Set if block.is_cut() => s.bytes(DATA, block.payload),
            Target::Set => {
                for (name, word) in [SEQ1, SEQ2].into_iter().zip(words(block.payload)) {
                    s.value(name, Scalar::Int(i64::from(word)));
                }
            }
            Target::Multiple(0) if self.dialect.quakeworld.hidden => {
                let (messages, rest) = read_hidden(block.payload, &self.dialect);
                shown.messages += messages.len() as u64;
                // In LMPC's style `serverdata` is bytes, so nothing there says that these messages are hidden ones.
                let bytes = if s.form() == Form::Lmpc { block.payload } else { rest };
                if s.form() == Form::Lmpc {
                    self.foreign.1 += messages.len() as u64;
                } else {
                    messages.iter().for_each(|m| m.show(s));
                }
                if !bytes.is_empty() {
                    Unknown { bytes: bytes.into() }.show(s);
                }
                if !rest.is_empty() {
                    shown.broken = Some(not_hidden(block, rest));
                }
            }
            _ => {
                let messages = show_messages(block.payload, &mut self.dialect, s, &mut self.foreign, shown);
                let broken = messages.broken_at(block.payload_offset(), block.index);
                shown.broken = broken.or(shown.broken.take());
            }
        }
    }
}

/// Turns statements back into bytes, carrying the dialect along.
pub(crate) struct Builder {
    dialect: Dialect,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::MULTIVIEW }
    }

    /// True for a keyword that begins the text of a multi-view demo.
    pub(crate) fn knows(keyword: &[u8]) -> bool {
        MVD.is(keyword)
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        if MVD.is(keyword) {
            f.finish()
        } else if BLOCK.is(keyword) {
            self.block(&mut f, w)
        } else {
            LANGUAGE.chunk(&mut f, w)
        }
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        if !f.braces() {
            return Err(f.mistake("a record is written mblock { msec N; all; messages }"));
        }
        let msec = f.take(MSEC)?.int(0, 255)? as u8;
        let (target, mut slot) = target(f)?;
        if f.has(SLOT) {
            slot = f.take(SLOT)?.int(0, 31)? as u8;
        }
        let size = if f.has(SIZE) { Some(f.take(SIZE)?.int(0, i64::from(u32::MAX))? as u32) } else { None };
        let head = Block { index: 0, offset: 0, msec, target, slot, size: 0, payload: &[] };
        let start = open_record(&head, w);
        let cut = matches!(target, Target::Command | Target::Set) && f.has(DATA);
        match target {
            _ if cut => w.bytes(&f.take(DATA)?.bytes()?),
            Target::Command => parse_command(f, COMMAND_MSEC)?.write(w),
            Target::Set => {
                for name in [SEQ1, SEQ2] {
                    w.u32(f.take(name)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32);
                }
            }
            Target::Multiple(0) if self.dialect.quakeworld.hidden => {
                for mut child in f.children().filter(|c| !c.is_used()) {
                    let at = child.at();
                    let message = parse_hidden(&mut child, &self.dialect)?;
                    write_hidden(&message, w, &self.dialect).map_err(|f| Mistake::new(at, f.to_string()))?;
                }
                return close_record(start, target, size, w).map_err(|e| f.mistake(e.to_string()));
            }
            _ => {
                build_messages(f, &mut self.dialect, w)?;
                return close_record(start, target, size, w).map_err(|e| f.mistake(e.to_string()));
            }
        }
        f.finish()
    }
}

/// Whom a record is for, and the slot in its kind byte.
fn target(f: &mut Fields<'_, '_>) -> Result<(Target, u8), Mistake> {
    for (name, target) in [(ALL, Target::All), (SAME, Target::Same), (SET, Target::Set), (COMMAND, Target::Command)] {
        if f.flag(name)? {
            return Ok((target, 0));
        }
    }
    for (name, target) in [(SINGLE, Target::Single), (STATS, Target::Stats)] {
        if f.has(name) {
            return Ok((target, f.take(name)?.int(0, 31)? as u8));
        }
    }
    if f.has(MULTIPLE) {
        return Ok((Target::Multiple(f.take(MULTIPLE)?.int(0, i64::from(u32::MAX))? as u32), 0));
    }
    Err(f.mistake("the record lacks its target: add all, single N, multiple 0xMASK, stats N, same, set or command"))
}

fn parse_hidden<'x>(f: &mut Fields<'x, '_>, dialect: &Dialect) -> Result<Hidden<'x>, Mistake> {
    let known = |kind, f: &mut Fields<'x, '_>| Hidden::parse(kind, f, dialect);
    chunks::parse_message(f, ("hidden message", "mvd"), HiddenKind::by_name, known, Hidden::Unknown)
}
