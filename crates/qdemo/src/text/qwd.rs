//! The text form of QuakeWorld's chunks: the three kinds of blocks, and unframed bytes.

use super::Printed;
use super::chunks::{self, Language, print_chunk};
use super::sink::{MessageSink, Words, show_message};
use crate::describe::{Fields, Form, Mistake, Name, Sink, Table};
use crate::dialect::Dialect;
use crate::error::Moment;
use crate::format::qwd::{
    Block, BlockKind, Kind, Message, Messages, PacketHead, Chunk, UserCommand, encode_block, open_block, parse_buttons,
    show_buttons, too_short,
};
use crate::format::{Framed, close_block};
use crate::wire::{F32, Scalar, ByteWriter};

const SBLOCK: Name = Name::new("sblock");
const CBLOCK: Name = Name::new("cblock");
const FBLOCK: Name = Name::new("fblock");
const TIME: Name = Name::new("time");
const SIZE: Name = Name::with("size", "");
const SEQ1: Name = Name::new("seq1");
const SEQ2: Name = Name::new("seq2");
const RELIABLE: Name = Name::new("reliable");
const CONNLESS: Name = Name::new("connless");
const ID: Name = Name::new("id");
const DATA: Name = Name::new("data");
const MSEC: Name = Name::with("msec", "load");
const ANGLES: Name = Name::new("angles");
const SPEED: Name = Name::new("speed");
const IMPULSE: Name = Name::new("impulse");
const VIEWANGLES: Name = Name::with("viewangles", "uk_angles");

/// Connectionless packets that are a text and nothing else, or nothing at all.
const TEXTS: [(u8, Name); 4] = [
    (2, Name::new("disconnect")),
    (b'B', Name::new("client_command")),
    (b'c', Name::new("challenge")),
    (b'n', Name::new("console")),
];
const WORDS: [(u8, Name); 2] = [(b'j', Name::new("connect")), (b'k', Name::new("ping"))];
const RELIABLE_BIT: u32 = 1 << 31;

/// Shows the messages of a packet or record; what the dialect becomes is put into `dialect`.
pub(crate) fn show_messages<'a, S: MessageSink>(
    payload: &'a [u8],
    dialect: &mut Dialect,
    s: &mut S,
    foreign: &mut (u64, u64),
    shown: &mut Printed,
) -> Messages<'a> {
    let mut messages = Messages::new(payload, *dialect);
    loop {
        let before = messages.dialect().known_to_lmpc;
        let Some(message) = messages.next() else { break };
        // `serverdata` reads alike in all dialects: the one that it leads to decides.
        let known = if let Message::ServerData(_) = message { messages.dialect().known_to_lmpc } else { before };
        shown.messages += 1;
        let words = match &message {
            Message::Unknown(_) => Words::Wrong,
            _ if known => Words::All,
            _ => Words::None,
        };
        foreign.1 += u64::from(show_message(s, |s| message.show(s), message.name(), messages.raw(), words));
        match &message {
            Message::ModelList(m) => s.learn(Table::Models, usize::from(m.first.unwrap_or(0)), &m.models),
            Message::SoundList(m) => s.learn(Table::Sounds, usize::from(m.first.unwrap_or(0)), &m.sounds),
            Message::FteModelList(m) => s.learn(Table::Models, usize::from(m.first), &m.models),
            _ => {}
        }
    }
    if let (Some(fault), Form::Text) = (messages.fault(), s.form()) {
        s.comment(format_args!("{fault}"));
    }
    *dialect = messages.dialect();
    messages
}

/// Shows a command of the recording client. `msec` is the name of its duration.
pub(crate) fn show_command<S: Sink>(command: &UserCommand, msec: Name, s: &mut S) {
    s.value(msec, Scalar::Int(i64::from(command.msec)));
    s.values(ANGLES, &command.angles.map(Scalar::Float));
    s.values(SPEED, &command.speed.map(|v| Scalar::Int(i64::from(v))));
    show_buttons(command.buttons, s);
    if command.impulse != 0 {
        s.value(IMPULSE, Scalar::Int(i64::from(command.impulse)));
    }
    s.values(VIEWANGLES, &command.viewangles.map(Scalar::Float));
}

/// Takes a command out of a parsed statement.
pub(crate) fn parse_command(f: &mut Fields<'_, '_>, msec: Name) -> Result<UserCommand, Mistake> {
    let msec = f.take(msec)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32;
    let angles = f.take(ANGLES)?.floats::<3>()?;
    let speed = f.take(SPEED)?.ints(-32_768, 65_535)?;
    let [x, y, z] = speed[..] else { return Err(f.mistake("speed is three numbers: forward, sideways, up")) };
    Ok(UserCommand {
        msec,
        angles,
        speed: [x as i16, y as i16, z as i16],
        buttons: parse_buttons(f)?.unwrap_or(0),
        impulse: if f.has(IMPULSE) { f.take(IMPULSE)?.int(0, 255)? as u8 } else { 0 },
        viewangles: f.take(VIEWANGLES)?.floats::<3>()?,
    })
}

const LANGUAGE: Language =
    Language { demo: "QuakeWorld", statements: "sblock, cblock, fblock", end_mark: &[], trailer: true };

/// Shows chunks one after the other, carrying the dialect along.
pub(crate) struct Printer {
    dialect: Dialect,
    /// Reader that LMPC's language cannot hold, and messages it holds only as bytes.
    pub(crate) foreign: (u64, u64),
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { dialect: Dialect::QUAKEWORLD, foreign: (0, 0) }
    }

    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        let mut shown = Printed::default();
        if let Some(block) = print_chunk(chunk, s, &mut shown, &mut self.foreign.0) {
            self.block(block, s, &mut shown);
        }
        shown
    }

    fn block<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        shown.blocks = 1;
        shown.time = Some(Moment::Seconds(block.time.get()));
        shown.broken = block.cut_short();
        self.foreign.0 += u64::from(block.is_cut());
        let name = match block.kind {
            BlockKind::Command => CBLOCK,
            BlockKind::Packet { .. } => SBLOCK,
            BlockKind::Frame => FBLOCK,
        };
        s.open(name, false);
        if s.form() == Form::Text {
            s.comment(format_args!("{}", block.index));
        }
        s.value(TIME, Scalar::Seconds(block.time));
        match block.kind {
            BlockKind::Command => match UserCommand::read(block.payload) {
                Some(command) => show_command(&command, MSEC, s),
                None => s.bytes(DATA, block.payload),
            },
            BlockKind::Frame if block.is_cut() => s.bytes(DATA, block.payload),
            BlockKind::Frame => {
                for (name, word) in [SEQ1, SEQ2].into_iter().zip(words(block.payload)) {
                    s.value(name, Scalar::Int(i64::from(word)));
                }
            }
            BlockKind::Packet { size } => {
                if block.is_cut() {
                    s.value(SIZE, Scalar::Int(i64::from(size)));
                }
                self.packet(block, s, shown);
            }
        }
        s.close();
    }

    fn packet<S: MessageSink>(&mut self, block: &Block<'_>, s: &mut S, shown: &mut Printed) {
        let (head, payload) = PacketHead::split(block.payload);
        match head {
            PacketHead::Short(bytes) => {
                self.foreign.0 += 1;
                s.bytes(DATA, bytes);
                shown.broken.get_or_insert_with(|| too_short(block));
            }
            PacketHead::Connectionless { id, data } => show_connectionless(id, data, s),
            PacketHead::Game { seq1, seq2 } => {
                for (name, word) in [(SEQ1, seq1), (SEQ2, seq2)] {
                    s.value(name, Scalar::Int(i64::from(word & !RELIABLE_BIT)));
                }
                let bits = [(1, seq1), (2, seq2)].into_iter().filter(|(_, word)| word & RELIABLE_BIT != 0);
                let reliable: Vec<_> = bits.map(|(n, _)| Scalar::Int(n)).collect();
                if !reliable.is_empty() {
                    s.values(RELIABLE, &reliable);
                }
                let messages = show_messages(payload, &mut self.dialect, s, &mut self.foreign, shown);
                let broken = messages.broken_at(block.payload_offset() + PacketHead::GAME as u64, block.index);
                shown.broken = broken.or(shown.broken.take());
            }
        }
    }
}

/// Two numbers in eight bytes.
pub(crate) fn words(payload: &[u8]) -> [u32; 2] {
    let word = |at: usize| payload.get(at..).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b));
    [word(0), word(4)]
}

fn show_connectionless<S: Sink>(id: u8, data: &[u8], s: &mut S) {
    s.group(CONNLESS);
    let text = TEXTS.iter().find(|(n, _)| *n == id);
    let word = WORDS.iter().find(|(n, _)| *n == id);
    match (text, word, data) {
        (Some((_, name)), _, [string @ .., 0]) if !string.contains(&0) => s.string(*name, string),
        (_, Some((_, name)), []) => s.flag(*name),
        _ => {
            s.value(ID, Scalar::Hex(u64::from(id)));
            if !data.is_empty() {
                s.bytes(DATA, data);
            }
        }
    }
    s.close();
}

fn parse_connectionless(f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
    PacketHead::Connectionless { id: 0, data: &[] }.write(w);
    w.truncate(w.len() - 1);
    for (id, name) in TEXTS {
        if f.has(name) {
            w.u8(id);
            w.str(f.take(name)?.string()?);
            return f.finish();
        }
    }
    for (id, name) in WORDS {
        if f.flag(name)? {
            w.u8(id);
            return f.finish();
        }
    }
    w.u8(f.take(ID)?.int(0, 255)? as u8);
    if f.has(DATA) {
        w.bytes(&f.take(DATA)?.bytes()?);
    }
    f.finish()
}

/// Turns statements back into bytes, carrying the dialect along.
pub(crate) struct Builder {
    dialect: Dialect,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Builder { dialect: Dialect::QUAKEWORLD }
    }

    /// True for a keyword that begins a chunk of QuakeWorld's text.
    pub(crate) fn knows(keyword: &[u8]) -> bool {
        [SBLOCK, CBLOCK, FBLOCK].iter().any(|name| name.is(keyword))
    }

    /// Writes the chunk that a top-level statement describes.
    pub(crate) fn statement(&mut self, mut f: Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        let keyword = f.keyword();
        let kind = if SBLOCK.is(keyword) {
            BlockKind::Packet { size: 0 }
        } else if CBLOCK.is(keyword) {
            BlockKind::Command
        } else if FBLOCK.is(keyword) {
            BlockKind::Frame
        } else {
            return LANGUAGE.chunk(&mut f, w);
        };
        if !f.braces() {
            return Err(f.mistake("a block is written sblock { time T; seq1 N; seq2 N; messages }"));
        }
        let time: F32 = f.take(TIME)?.seconds()?;
        let start = open_block(time, kind, w);
        // The beginning of a cut block is bytes.
        let cut = f.has(DATA) && !matches!(kind, BlockKind::Packet { .. });
        match kind {
            _ if cut => w.bytes(&f.take(DATA)?.bytes()?),
            BlockKind::Command => parse_command(&mut f, MSEC)?.write(w),
            BlockKind::Frame => {
                for name in [SEQ1, SEQ2] {
                    w.u32(f.take(name)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32);
                }
            }
            BlockKind::Packet { .. } => {
                let size = if f.has(SIZE) { Some(f.take(SIZE)?.int(0, i64::from(u32::MAX))? as u32) } else { None };
                self.packet(&mut f, w)?;
                close_block(start, size, w).map_err(|e| f.mistake(e.to_string()))?;
                return Ok(());
            }
        }
        f.finish()
    }

    fn packet(&mut self, f: &mut Fields<'_, '_>, w: &mut ByteWriter) -> Result<(), Mistake> {
        if let Some(mut child) = f.take_child(CONNLESS) {
            parse_connectionless(&mut child, w)?;
            return f.finish();
        }
        if f.has(DATA) {
            w.bytes(&f.take(DATA)?.bytes()?);
            return f.finish();
        }
        let mut head = [0u32; 2];
        for (name, word) in [SEQ1, SEQ2].into_iter().zip(&mut head) {
            *word = f.take(name)?.int(0, i64::from(!RELIABLE_BIT))? as u32;
        }
        if f.has(RELIABLE) {
            for n in f.take(RELIABLE)?.ints(1, 2)? {
                head[n as usize - 1] |= RELIABLE_BIT;
            }
        }
        PacketHead::Game { seq1: head[0], seq2: head[1] }.write(w);
        build_messages(f, &mut self.dialect, w)
    }
}

/// Writes the messages among the children of a statement: all that were not taken yet.
pub(crate) fn build_messages(f: &Fields<'_, '_>, dialect: &mut Dialect, w: &mut ByteWriter) -> Result<(), Mistake> {
    for mut child in f.children() {
        if child.is_used() {
            continue;
        }
        let at = child.at();
        let message = parse_message(&mut child, dialect)?;
        encode_block([&message], dialect, w).map_err(|f| Mistake::new(at, f.to_string()))?;
    }
    Ok(())
}

/// A message from its statement.
fn parse_message<'x>(f: &mut Fields<'x, '_>, dialect: &Dialect) -> Result<Message<'x>, Mistake> {
    let known = |kind, f: &mut Fields<'x, '_>| Message::parse(kind, f, dialect);
    chunks::parse_message(f, ("message", "qwd"), Kind::by_name, known, Message::Unknown)
}
