//! The text form of Quake II's chunks: blocks, end mark, trailer, unframed bytes.

use super::Printed;
use super::chunks::{self, Language, is_end_mark, print_chunk};
use super::print::TextSink;
use super::sink::{MessageSink, Words, show_message};
use crate::describe::{Body, Fields, Form, Mistake, Name};
use crate::dialect::{Dialect, Recording};
use crate::error::Moment;
use crate::format::dm2::{
    Block, Boxes, END_MARK, Kind, Message, Messages, Chunk, TEST_RELEASE, Unicast, encode_block, frame_time, messages,
};
use crate::format::{Framed, close_block};
use crate::wire::{Scalar, ByteWriter};

const DM2: Name = Name::with("dm2", "");
const BLOCK: Name = Name::new("block");
const BETWEEN: Name = Name::new("betweenblock");
const SIZE: Name = Name::with("size", "");
/// KMQuake2's entities have angles of two bytes from here on, or of one.
const LONG_ANGLES: Name = Name::with("long_angles", "");
const UNICAST: Name = Name::new("unicast");
const CLIENT: Name = Name::new("client");
/// A field that Quake's blocks have and Quake II's have not.
const CAMERA: Name = Name::new("camera");

const LANGUAGE: Language =
    Language { demo: "Quake II", statements: "block, betweenblock", end_mark: &END_MARK, trailer: true };

/// Shows chunks one after the other, carrying the dialect along.
pub(crate) struct Printer {
    dialect: Dialect,
    boxes: Boxes,
    begun: bool,
    /// Reader that LMPC's language cannot hold, and messages it holds only as bytes.
    pub(crate) foreign: (u64, u64),
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { dialect: Dialect::QUAKE2, boxes: Boxes::default(), begun: false, foreign: (0, 0) }
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        if !std::mem::replace(&mut self.begun, true) && s.form() != Form::Lmpc {
            s.open(DM2, true);
            s.close();
        }
        let mut shown = Printed::default();
        match print_chunk(chunk, s, &mut shown, &mut self.foreign.0) {
            Some(block) if block.size == 0 => {
                shown.blocks = 1;
                s.open(BETWEEN, true);
                s.close();
            }
            Some(block) => self.block(block, s, &mut shown),
            None => {}
        }
        shown
    }

    fn block<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        shown.blocks = 1;
        let mut decoder = messages(block, self.dialect, &self.boxes);
        s.open(BLOCK, false);
        if s.form() == Form::Text {
            s.comment(format_args!("{}", block.index));
        }
        if block.is_cut() {
            s.value(SIZE, Scalar::Int(i64::from(block.size)));
            shown.broken = block.cut_short();
            self.foreign.0 += 1;
        }
        let long_angles = decoder.dialect().quake2.long_angles;
        if long_angles != self.dialect.quake2.long_angles && s.form() != Form::Lmpc {
            s.value(LONG_ANGLES, Scalar::Int(i64::from(long_angles)));
        }
        loop {
            let known = decoder.dialect().known_to_lmpc;
            let Some(message) = decoder.next() else { break };
            shown.messages += 1;
            let words = match &message {
                Message::Bad(_) | Message::Unknown(_) => Words::Wrong,
                _ if known => Words::All,
                _ => Words::None,
            };
            let foreign = show_message(s, |s| message.show(s), message.name(), decoder.raw(), words);
            self.foreign.1 += u64::from(foreign);
            if s.form() == Form::Text {
                show_packed(&message, &decoder.dialect(), s);
            }
            if let Message::Frame(frame) = &message {
                shown.time = Some(Moment::Milliseconds(frame_time(frame, &decoder.dialect())));
            }
        }
        if let (Some(fault), Form::Text) = (decoder.fault(), s.form()) {
            s.comment(format_args!("{fault}"));
        }
        s.close();
        let broken = decoder.broken_at(block.payload_offset(), block.index);
        shown.broken = broken.or(shown.broken.take());
        (self.dialect, self.boxes) = (decoder.dialect(), decoder.memory());
    }
}

/// Shows what is packed in a message, as remarks.
fn show_packed<S: MessageSink>(message: &Message<'_>, dialect: &Dialect, s: &mut S) {
    fn show<'a, S: MessageSink>(packed: &impl Body<'a>, s: &mut S) {
        let mut text = TextSink::new(false);
        packed.show(&mut text);
        // What is packed has a line feed in front.
        String::from_utf8_lossy(&text.out).lines().filter(|line| !line.is_empty()).for_each(|line| s.remark(line));
    }
    let unpacked = match message {
        Message::ConfigBlast(m) => m.each(|string| show(string, s)),
        Message::SpawnBaselineBlast(m) => m.each(dialect, |baseline| show(baseline, s)),
        _ => return,
    };
    if unpacked.damaged {
        s.remark("what is packed is damaged, or something stands behind it");
    }
    if unpacked.unread != 0 {
        s.remark(&format!("{} of {} unpacked bytes are not understood", unpacked.unread, unpacked.size));
    }
}

/// Turns statements back into bytes, carrying the dialect along.
pub(crate) struct Builder {
    dialect: Dialect,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::QUAKE2 }
    }

    /// True for a statement that begins a text of Quake II.
    pub(crate) fn begins(f: &Fields<'_, '_>) -> bool {
        let keyword = f.keyword();
        let of_quake = || f.children().any(|child| CAMERA.is(child.keyword()));
        DM2.is(keyword) || BETWEEN.is(keyword) || is_end_mark(keyword) || BLOCK.is(keyword) && !of_quake()
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        if DM2.is(keyword) {
            f.finish()
        } else if BLOCK.is(keyword) {
            self.block(&mut f, w)
        } else if BETWEEN.is(keyword) {
            w.u32(0);
            f.finish()
        } else {
            LANGUAGE.chunk(&mut f, w)
        }
    }

    fn block(&mut self, f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        if !f.braces() {
            return Err(f.mistake("a block is written block { messages }"));
        }
        let size = if f.has(SIZE) { Some(f.take(SIZE)?.int(0, i64::from(u32::MAX))? as u32) } else { None };
        if f.has(LONG_ANGLES) {
            self.dialect = self.dialect.with_long_angles(f.take(LONG_ANGLES)?.int(0, 1)? == 1);
        }
        w.u32(0);
        let start = w.len();
        let mut to = None;
        let mut first = true;
        for mut child in f.children().filter(|c| !c.is_used()) {
            let at = child.at();
            if UNICAST.is(child.keyword()) && to.is_none() {
                to = Some(child.take(CLIENT)?.int(0, 255)? as u8);
                child.finish()?;
                first = false;
                // Up to protocol 32 a recording need not tell that Relay made it: this does.
                if !self.dialect.quake2.recording_told {
                    self.dialect = self.dialect.recorded_by(Recording::Relay);
                }
                continue;
            }
            let mut message = parse_message(&mut child, &self.dialect)?;
            if let Message::Frame(frame) = &message {
                // Up to protocol 32 only its frames tell who made a recording.
                if !self.dialect.quake2.recording_told {
                    self.dialect = self.dialect.recorded_by(frame.recording());
                }
            }
            // In front of a block it tells of the test release, where its own number is another one.
            let introduces_test = match &message {
                Message::ServerData(data) => data.serverversion == Dialect::QUAKE2_TEST_PROTOCOL,
                Message::Unknown(unknown) => unknown.bytes.starts_with(&TEST_RELEASE),
                _ => false,
            };
            if first && introduces_test {
                self.dialect = Dialect::QUAKE2_TEST;
            }
            if let Message::Unknown(unknown) = &message {
                // LMPC's style may have no words for a serverdata.
                let mut one = Messages::new(&unknown.bytes, self.dialect);
                one.next();
                self.dialect = one.dialect();
            }
            first = false;
            if let Some(client) = to.take() {
                message = Message::Unicast(Unicast { client, message: Box::new(message) });
            }
            encode_block([&message], &mut self.dialect, w).map_err(|f| Mistake::new(at, f.to_string()))?;
        }
        if to.is_some() {
            return Err(f.mistake("unicast stands in front of the message that it is about"));
        }
        close_block(start, size, w).map_err(|e| f.mistake(e.to_string()))
    }
}

/// A message from its statement.
fn parse_message<'x>(f: &mut Fields<'x, '_>, dialect: &Dialect) -> Result<Message<'x>, Mistake> {
    let known = |kind, f: &mut Fields<'x, '_>| Message::parse(kind, f, dialect);
    chunks::parse_message(f, ("message", "dm2"), Kind::by_name, known, Message::Unknown)
}
