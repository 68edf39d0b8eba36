//! The text form of multi-view demos of Quake II: mark, blocks, end mark, trailer, unframed bytes.

use super::Printed;
use super::chunks::{self, Language, print_chunk};
use super::sink::{MessageSink, Words, show_message};
use crate::describe::{Fields, Form, Mistake, Name};
use crate::dialect::Dialect;
use crate::format::Framed;
use crate::format::mvd2::{
    Block, END_MARK, FrameClock, Kind, MAGIC, Message, Messages, Chunk, close_block, encode_block,
};
use crate::wire::{Scalar, ByteWriter};

const MVD2: Name = Name::with("mvd2", "");
/// The mark does not stand there.
const UNMARKED: Name = Name::with("unmarked", "");
const BLOCK: Name = Name::with("block", "");
const SIZE: Name = Name::with("size", "");

const LANGUAGE: Language =
    Language { demo: "Quake II multi-view", statements: "mvd2, block", end_mark: &END_MARK, trailer: true };

/// Shows chunks one after the other, carrying the dialect along.
pub(crate) struct Printer {
    dialect: Dialect,
    clock: FrameClock,
    begun: bool,
    /// Reader that LMPC's language cannot hold, and messages it holds only as bytes.
    pub(crate) foreign: (u64, u64),
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { dialect: Dialect::MVD2, clock: FrameClock::default(), begun: false, foreign: (0, 0) }
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        let marked = matches!(chunk, Chunk::Block(block) if block.marked);
        if !std::mem::replace(&mut self.begun, true) || marked {
            s.open(MVD2, marked);
            if !marked {
                s.flag(UNMARKED);
            }
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
        s.open(BLOCK, false);
        if s.form() == Form::Text {
            s.comment(format_args!("{}", block.index));
        }
        if block.is_cut() {
            s.value(SIZE, Scalar::Int(i64::from(block.size)));
            shown.broken = block.cut_short();
        }
        let mut decoder = Messages::new(block.payload, self.dialect);
        while let Some(message) = decoder.next() {
            shown.messages += 1;
            self.clock.count(&message);
            let words = if matches!(message, Message::Unknown(_)) { Words::Wrong } else { Words::None };
            let foreign = show_message(s, |s| message.show(s), message.name(), decoder.raw(), words);
            self.foreign.1 += u64::from(foreign);
        }
        if let (Some(fault), Form::Text) = (decoder.fault(), s.form()) {
            s.comment(format_args!("{fault}"));
        }
        s.close();
        shown.time = self.clock.time();
        let broken = decoder.broken_at(block.payload_offset(), block.index);
        shown.broken = broken.or(shown.broken.take());
        self.dialect = decoder.dialect();
    }
}

/// Turns statements back into bytes, carrying the dialect along.
pub(crate) struct Builder {
    dialect: Dialect,
    /// The mark was written last.
    marked: bool,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::MVD2, marked: false }
    }

    /// True for a keyword that begins the text of a multi-view demo of Quake II.
    pub(crate) fn knows(keyword: &[u8]) -> bool {
        MVD2.is(keyword)
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        let marked = std::mem::take(&mut self.marked);
        if MVD2.is(keyword) {
            if !f.flag(UNMARKED)? {
                w.bytes(&MAGIC);
                self.marked = true;
            }
            f.finish()
        } else if BLOCK.is(keyword) {
            self.block(&mut f, marked, w)
        } else {
            LANGUAGE.chunk(&mut f, w)
        }
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, marked: bool, w: &mut ByteWriter) -> Result<(), Mistake> {
        if !f.braces() {
            return Err(f.mistake("a block is written block { commands }"));
        }
        let size = if f.has(SIZE) { Some(f.take(SIZE)?.int(0, 65_535)? as u16) } else { None };
        w.u16(0);
        let start = w.len();
        for mut child in f.children().filter(|c| !c.is_used()) {
            let at = child.at();
            let message = parse_message(&mut child, &self.dialect)?;
            encode_block([&message], &mut self.dialect, w).map_err(|f| Mistake::new(at, f.to_string()))?;
        }
        if w.len() == start && size.is_none() && !marked {
            return Err(f.mistake("a block without commands would be the end mark: write endblock;"));
        }
        close_block(start, size, w).map_err(|e| f.mistake(e.to_string()))
    }
}

/// A command from its statement.
fn parse_message<'x>(f: &mut Fields<'x, '_>, dialect: &Dialect) -> Result<Message<'x>, Mistake> {
    let known = |kind, f: &mut Fields<'x, '_>| Message::parse(kind, f, dialect);
    chunks::parse_message(f, ("command", "mvd2"), Kind::by_name, known, Message::Unknown)
}
