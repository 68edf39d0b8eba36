//! The text form of Quake III's chunks: protocol, blocks, end mark, trailer, unframed bytes.

use crate::describe::{Fields, Form, Mistake, Name, Sink, Unknown};
use crate::dialect::quake3::Dialect;
use crate::error::Moment;
use crate::format::close_block;
use crate::format::dm3::{Block, END_MARK, Kind, Message, Packet, Chunk, write_message};
use crate::wire::{BitWriter, Scalar, ByteWriter};

use super::Printed;
use super::chunks::{self, Language, print_chunk};
use super::sink::MessageSink;

const DM3: Name = Name::new("dm3");
const PROTOCOL: Name = Name::with("protocol", "");
const BLOCK: Name = Name::new("block");
const SEQUENCE: Name = Name::new("sequence");
const REL_ACK: Name = Name::new("rel_ack");
const SIZE: Name = Name::with("size", "");
const CLOSED: Name = Name::with("closed", "");
const UNCLOSED: Name = Name::with("unclosed", "");
const TAIL: Name = Name::with("tail", "");

const LANGUAGE: Language = Language { demo: "Quake III", statements: "dm3, block", end_mark: &END_MARK, trailer: true };

/// Shows chunks one after the other.
pub(crate) struct Printer {
    dialect: Dialect,
    packet: Packet,
    begun: bool,
    /// True behind an end mark.
    pub(crate) ended: bool,
    /// Blocks and other chunks of which LMPC's language cannot hold everything.
    pub(crate) foreign: u64,
}

impl Printer {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Printer { dialect, packet: Packet::default(), begun: false, ended: false, foreign: 0 }
    }

    /// Shows what stands in front of all chunks.
    pub(crate) fn begin<S: Sink>(&mut self, s: &mut S) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        // LMPC knows the layout of 66 to 68 alone, and needs no number for it.
        if s.form() == Form::Lmpc && self.dialect.layout == Dialect::QUAKE3.layout {
            s.open(DM3, true);
            return s.close();
        }
        self.foreign += u64::from(s.form() == Form::Lmpc);
        s.open(DM3, false);
        s.value(PROTOCOL, Scalar::Int(i64::from(self.dialect.protocol)));
        s.comment(format_args!("{}", self.dialect.name));
        s.close();
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        self.begin(s);
        let mut shown = Printed::default();
        self.ended |= matches!(chunk, Chunk::End);
        if matches!(chunk, Chunk::Trailer(_)) && s.form() == Form::Lmpc {
            self.foreign += 1;
        } else if let Some(block) = print_chunk(chunk, s, &mut shown, &mut self.foreign) {
            self.block(block, s, &mut shown);
        }
        shown
    }

    fn block<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        let packet = &mut self.packet;
        let fault = packet.read(block.payload, &self.dialect);
        shown.blocks = 1;
        shown.messages = packet.messages.len() as u64;
        let snapshot = |m: &Message| if let Message::Snapshot(s) = m { Some(s.server_time) } else { None };
        let time = packet.messages.iter().find_map(snapshot);
        s.take_foreign();
        shown.time = time.map(Moment::Milliseconds);
        s.open(BLOCK, false);
        if s.form() == Form::Text {
            match time {
                Some(ms @ 0..) => {
                    let (minutes, seconds) = (ms / 60_000, ms % 60_000 / 1000);
                    s.comment(format_args!("{} at {minutes}:{seconds:02}.{:03}", block.index, ms % 1000));
                }
                Some(ms) => s.comment(format_args!("{} at {ms} ms", block.index)),
                None => s.comment(format_args!("{}", block.index)),
            }
        }
        s.value(SEQUENCE, Scalar::Int(i64::from(block.sequence)));
        if let Some(ack) = packet.rel_ack {
            s.value(REL_ACK, Scalar::Int(i64::from(ack)));
        }
        let ending = |s: &mut S| {
            if block.is_cut() {
                s.value(SIZE, Scalar::Int(i64::from(block.size)));
            }
            match (packet.closed, self.dialect.layout.end) {
                (true, None) => s.flag(CLOSED),
                (false, Some(_)) => s.flag(UNCLOSED),
                _ => {}
            }
            if fault.is_none() && packet.tail != Packet::usual_tail(&self.dialect) {
                s.bytes(TAIL, &packet.tail);
            }
        };
        // In JSON the keys of an object stand in front of its messages.
        if s.form() == Form::Json {
            ending(s);
        }
        let lmpc = s.form() == Form::Lmpc;
        for message in &packet.messages {
            // LMPC has no word for the others, and no bytes in their place.
            if !lmpc || matches!(message.kind(), Some(Kind::Gamestate | Kind::ServerCommand | Kind::Snapshot)) {
                message.show(s);
            }
        }
        if s.form() == Form::Text {
            if let Some(fault) = &fault {
                s.comment(format_args!("{}", fault.fault));
            }
            ending(s);
        }
        s.close();
        let usual = |m: &Message| matches!(m.kind(), Some(Kind::Gamestate | Kind::ServerCommand | Kind::Snapshot));
        let plain = packet.closed
            && packet.tail == Packet::usual_tail(&self.dialect)
            && packet.messages.iter().all(usual)
            && !block.is_cut();
        // LMPC has no word either for what is unusual within a message.
        self.foreign += u64::from(!plain || s.take_foreign());
        shown.broken = fault.map(|f| f.broken(block, packet));
    }
}

/// Turns statements back into bytes.
pub(crate) struct Builder {
    dialect: Dialect,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::QUAKE3 }
    }

    /// True for a keyword that begins Quake III's text.
    pub(crate) fn knows(keyword: &[u8]) -> bool {
        DM3.is(keyword)
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        if DM3.is(keyword) {
            if f.has(PROTOCOL) {
                let value = f.take(PROTOCOL)?;
                let Some(dialect) = Dialect::by_protocol(value.int(0, i64::from(i32::MAX))? as i32) else {
                    let known: Vec<_> = Dialect::all().iter().map(|d| d.protocol.to_string()).collect();
                    return Err(value.mistake(format!("no such protocol: it is one of {}", known.join(", "))));
                };
                self.dialect = dialect;
            }
            f.finish()
        } else if BLOCK.is(keyword) {
            self.block(&mut f, w)
        } else {
            LANGUAGE.chunk(&mut f, w)
        }
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        if !f.braces() {
            return Err(f.mistake("a block is written block { sequence N; rel_ack N; messages }"));
        }
        const LOW: i64 = i32::MIN as i64;
        const HIGH: i64 = u32::MAX as i64;
        let dialect = &self.dialect;
        let sequence = f.take(SEQUENCE)?.int(LOW, HIGH)? as i32;
        let size = if f.has(SIZE) { Some(f.take(SIZE)?.int(0, HIGH)? as u32) } else { None };
        w.i32(sequence);
        w.u32(0);
        let payload = w.len();
        let mut bits = BitWriter::behind(std::mem::take(w), dialect.layout.coding);
        if f.has(REL_ACK) {
            bits.i32(f.take(REL_ACK)?.int(LOW, HIGH)? as i32);
        }
        let closed = match dialect.layout.end {
            Some(_) => !f.flag(UNCLOSED)?,
            None => f.flag(CLOSED)?,
        };
        let tail = if f.has(TAIL) { Some(f.take(TAIL)?.bytes()?) } else { None };
        let mut open_end = false;
        for mut child in f.children() {
            if child.is_used() {
                continue;
            }
            child.consume();
            let at = child.at();
            let message = parse_message(&mut child, dialect)?;
            open_end |= message.kind().is_none();
            write_message(&message, &mut bits, dialect).map_err(|f| Mistake::new(at, f.to_string()))?;
        }
        if let (true, Some(id)) = (closed, dialect.number_of(Kind::Eof)) {
            bits.u8(id);
        }
        // Unknown bytes go to the end of the block, and a block without an end has no tail of its own.
        let usual = if open_end || !closed { &[][..] } else { Packet::usual_tail(dialect) };
        bits.rest(tail.as_deref().unwrap_or(usual)).map_err(|e| f.mistake(e.to_string()))?;
        *w = bits.finish();
        close_block(payload, size, w).map_err(|e| f.mistake(e.to_string()))
    }
}

/// A message from its statement.
pub(crate) fn parse_message(f: &mut Fields<'_, '_>, dialect: &Dialect) -> Result<Message, Mistake> {
    let unknown = |it: Unknown<'_>| Message::Unknown(Unknown { bytes: it.bytes.into_owned().into() });
    chunks::parse_message(f, ("message", "dm3"), Kind::by_name, |kind, f| Message::parse(kind, f, dialect), unknown)
}
