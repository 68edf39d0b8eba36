//! The text form of Quake's chunks: track, blocks, unframed bytes.

use super::Printed;
use super::chunks::{self, Language, print_unframed};
use super::sink::{MessageSink, Words, show_message};
use crate::describe::{Fields, Form, Mistake, Name, Table};
use crate::dialect::{Dialect, Variant};
use crate::error::Moment;
use crate::format::dem::{Block, Decoder, Kind, Message, Messages, Chunk, broken, encode_block};
use crate::wire::{F32, Scalar, ByteWriter};

const TRACK: Name = Name::new("track");
const LINE: Name = Name::new("line");
const VARIANT: Name = Name::with("variant", "");
const NAME: Name = Name::new("name");
const BLOCK: Name = Name::new("block");
const SIZE: Name = Name::with("size", "");
const CAMERA: Name = Name::new("camera");

const LANGUAGE: Language = Language { demo: "Quake", statements: "track, block", end_mark: &[], trailer: false };

/// Shows chunks one after the other, carrying the dialect along.
pub(crate) struct Printer {
    decoder: Decoder,
    /// What a compiler of LMPC's text takes the dialect for: it does not see into `unknown` bytes.
    lmpc: Dialect,
    /// True while that is the dialect of the demo.
    in_step: bool,
    /// Reader that LMPC's language cannot hold, and messages it holds only as bytes.
    pub(crate) foreign: (u64, u64),
}

impl Printer {
    pub(crate) fn new() -> Self {
        let decoder = Decoder::default();
        Printer { decoder, lmpc: decoder.dialect(), in_step: true, foreign: (0, 0) }
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        let mut shown = Printed::default();
        match chunk {
            Chunk::Track(track) => {
                s.open(TRACK, true);
                s.string(LINE, track.bytes);
                s.close();
                match track.bytes {
                    b"-1\n" => s.comment(format_args!("default track")),
                    b"" => s.comment(format_args!("warning: empty CD track")),
                    _ => {}
                }
            }
            Chunk::Block(block) => self.block(block, s, &mut shown),
            Chunk::Unframed(unframed) => print_unframed(unframed, s, &mut shown, &mut self.foreign.0),
        }
        shown
    }

    fn block<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        shown.blocks = 1;
        shown.time = block.time().map(Moment::Seconds);
        let mark = s.mark();
        let before = (self.foreign, self.lmpc, self.in_step);
        loop {
            let messages = self.block_once(block, s, shown);
            if !self.decoder.reconsider(block, &messages) {
                self.decoder.carry(&messages);
                shown.broken = broken(&messages, block);
                return;
            }
            s.take_back(mark);
            ((self.foreign, self.lmpc, self.in_step), shown.messages) = (before, 0);
            self.in_step = false;
            // LMPC sees the messages of other readings as bytes anyway.
            if s.form() != Form::Lmpc {
                s.open(VARIANT, true);
                s.string(NAME, self.decoder.dialect().variant.name().as_bytes());
                s.close();
            }
        }
    }

    /// True when a compiler that reads the text without knowing more than it says writes the same bytes.
    fn encodes(&self, message: &Message<'_>, raw: &[u8]) -> bool {
        let mut w = ByteWriter::default();
        self.in_step || encode_block([message], &mut { self.lmpc }, &mut w).is_ok() && w.as_slice() == raw
    }

    fn block_once<'a, S: MessageSink>(&mut self, block: &Block<'a>, s: &mut S, shown: &mut Printed) -> Messages<'a> {
        s.open(BLOCK, false);
        if s.form() == Form::Text {
            match block.time() {
                Some(time) if (0.0..1e9).contains(&time) => {
                    let ms = (f64::from(time) * 1000.0).round() as u64;
                    let (minutes, seconds) = (ms / 60_000, ms % 60_000 / 1000);
                    s.comment(format_args!("{} at {minutes}:{seconds:02}.{:03}", block.index, ms % 1000));
                }
                Some(time) => s.comment(format_args!("{} at {time} s", block.index)),
                None => s.comment(format_args!("{}", block.index)),
            }
        }
        if block.is_cut() {
            s.value(SIZE, Scalar::Int(i64::from(block.size)));
        }
        s.values(CAMERA, &block.camera.map(Scalar::Float));
        let unlike_lmpc =
            block.is_cut() || block.payload.is_empty() || block.camera.iter().any(|a| !a.get().is_finite());
        self.foreign.0 += u64::from(unlike_lmpc);
        let mut messages = Messages::new(block.payload, self.decoder.dialect());
        loop {
            let dialect = messages.dialect();
            let Some(message) = messages.next() else { break };
            shown.messages += 1;
            let sayable = s.form() != Form::Lmpc || dialect.known_to_lmpc && self.encodes(&message, messages.raw());
            let words = match &message {
                Message::Bad(_) | Message::Unknown(_) => Words::Wrong,
                _ if sayable => Words::All,
                _ => Words::None,
            };
            let foreign = show_message(s, |s| message.show(s), message.name(), messages.raw(), words);
            self.foreign.1 += u64::from(foreign);
            if let Message::ServerInfo(info) = &message {
                if !foreign {
                    self.lmpc = Dialect::after(info, self.lmpc.variant);
                }
                self.in_step = !foreign && self.lmpc.variant == dialect.variant;
                s.learn(Table::Models, 0, &info.models);
                s.learn(Table::Sounds, 0, &info.sounds);
            }
        }
        if let (Some(fault), Form::Text) = (messages.fault(), s.form()) {
            s.comment(format_args!("{fault}"));
        }
        s.close();
        messages
    }
}

/// Turns statements back into bytes, carrying the dialect along.
pub(crate) struct Builder {
    dialect: Dialect,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::initial(Variant::Standard) }
    }

    /// True for a keyword that begins a chunk of Quake's text.
    pub(crate) fn knows(keyword: &[u8]) -> bool {
        [TRACK, VARIANT, BLOCK].iter().any(|name| name.is(keyword))
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        if TRACK.is(keyword) {
            w.bytes(f.take(LINE)?.string()?);
            f.finish()
        } else if VARIANT.is(keyword) {
            let name = f.take(NAME)?.string()?;
            let Some(variant) = Variant::by_name(name) else {
                let known = Variant::ALL.map(Variant::name).join(", ");
                return Err(f.mistake(format!("no such variant: it is one of {known}")));
            };
            self.dialect = self.dialect.with_variant(variant);
            f.finish()
        } else if BLOCK.is(keyword) {
            self.block(&f, w)
        } else {
            LANGUAGE.chunk(&mut f, w)
        }
    }

    fn block(&mut self, f: &Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        if !f.braces() {
            return Err(f.mistake("a block is written block { camera ...; messages }"));
        }
        let start = w.len();
        w.bytes(&[0; Block::HEADER]);
        let (mut size, mut camera) = (None, None);
        for mut child in f.children() {
            let keyword = child.keyword();
            let again = CAMERA.is(keyword) && camera.is_some() || SIZE.is(keyword) && size.is_some();
            if again || f.is_json() && !child.braces() && !CAMERA.is(keyword) && !SIZE.is(keyword) {
                let word = String::from_utf8_lossy(keyword).into_owned();
                return Err(child.mistake(if again {
                    format!("{word} stands twice in this block")
                } else {
                    format!("a block has no key {word}: messages are objects in \"messages\"")
                }));
            }
            if CAMERA.is(keyword) {
                camera = Some(child.own_values().floats::<3>()?);
            } else if SIZE.is(keyword) {
                size = Some(child.own_values().int(0, i64::from(u32::MAX))? as u32);
            } else {
                let at = child.at();
                let message = parse_message(&mut child, &self.dialect)?;
                encode_block([&message], &mut self.dialect, w).map_err(|f| Mistake::new(at, f.to_string()))?;
            }
        }
        let Some(camera) = camera else {
            return Err(f.mistake("the block lacks its camera: add `camera PITCH YAW ROLL;`"));
        };
        let actual = u32::try_from(w.len() - start - Block::HEADER);
        let Some(size) = size.or(actual.ok()) else {
            return Err(f.mistake("the block is larger than 4 GiB"));
        };
        w.patch_u32(start, size);
        for (i, angle) in camera.iter().enumerate() {
            w.patch_u32(start + 4 + 4 * i, F32::bits(*angle));
        }
        Ok(())
    }
}

/// A message from its statement.
pub(crate) fn parse_message<'x>(f: &mut Fields<'x, '_>, dialect: &Dialect) -> Result<Message<'x>, Mistake> {
    let known = |kind, f: &mut Fields<'x, '_>| Message::parse(kind, f, dialect);
    chunks::parse_message(f, ("message", "dem"), Kind::by_name, known, Message::Unknown)
}
