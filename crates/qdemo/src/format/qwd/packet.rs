//! What stands around the messages of QuakeWorld: headers of blocks, commands, sequence numbers.

use super::dialect::{Bytes as Wire, Dialect};
use std::borrow::Cow;

use super::connectionless::Connectionless;
use super::message::{Message, MessageKind};
use super::values::{Buttons, Impulse};
use crate::describe::{
    Field, FieldSchema, Fields, Form, Mistake, Name, Part, PlainBytes, Presence, Reference, Seconds, Sink, Size32,
    TypeSchema, field_schema, name_of, packet,
};
use crate::error::Moment;
use crate::format::{ByteFormat, Format, Look, Sealed, Split, State, Verdict, as_named, byte_format, byte_messages};
use crate::frame::{self, HeaderRead, Rules};
use crate::wire::{ByteReader, ByteWriter, F32, Fault, FaultKind, IntoOwned, Scalar};

/// QuakeWorld's `.qwd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Qwd;

packet! {
    /// The header of a block.
    pub struct Header {
        /// Seconds on the recorder's clock.
        time: Seconds;
        /// What the block is.
        kind: BlockKind, group;
        /// The size in the header, where the end of the file cuts; else what it holds.
        size as "": Size32, when (kind == BlockKind::Packet);
    }
}

/// What a block is. In text the keyword says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A command of the recording client: 36 bytes, a dump of the engine's structure.
    Command,
    /// A packet of the server.
    Packet,
    /// The sequence numbers at the moment when recording began: 8 bytes.
    Frame,
}

impl BlockKind {
    const FIELDS: &'static [FieldSchema] = &[];
    const ALL: [BlockKind; 3] = [BlockKind::Command, BlockKind::Packet, BlockKind::Frame];

    /// The keyword in text.
    pub(crate) const fn keyword(self) -> Name {
        match self {
            BlockKind::Command => Name::new("cblock"),
            BlockKind::Packet => Name::new("sblock"),
            BlockKind::Frame => Name::new("fblock"),
        }
    }

    /// True for a keyword of one of them.
    pub(crate) fn has(keyword: &[u8]) -> bool {
        Self::ALL.iter().any(|kind| kind.keyword().is(keyword))
    }
}

impl<'a> Field<'a, PlainBytes> for BlockKind {
    const TYPE: TypeSchema = TypeSchema::new("u8", "", "");
    #[inline]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        let at = r.pos();
        Self::ALL
            .get(usize::from(r.u8()?))
            .copied()
            .ok_or_else(|| Fault::new(FaultKind::Malformed("a block is of kind 0, 1 or 2"), at))
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        w.u8(*self as u8);
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, _: &mut S) {}
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &()) -> Result<Self, Mistake> {
        let kind = Self::ALL.into_iter().find(|kind| kind.keyword().is(f.keyword()));
        kind.ok_or_else(|| f.mistake("a block is sblock, cblock or fblock"))
    }
}

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        match self.kind {
            BlockKind::Command => UserCommand::LEN as i64,
            BlockKind::Packet => i64::from(self.size.0.unwrap_or_default() as i32),
            BlockKind::Frame => SequenceNumbers::LEN as i64,
        }
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size32(size.filter(|_| self.kind == BlockKind::Packet)), ..self }
    }
}

/// The end of a recording: `disconnect "EndOfDemo"`.
pub(crate) const END_OF_DEMO: &[u8] = b"\x02EndOfDemo\0";

impl Rules for Header {
    const CHAIN: usize = 4;
    const AHEAD: u32 = 2;
    const LARGEST: usize = 8_192;
    const LAST: Option<&'static [u8]> = Some(END_OF_DEMO);

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        HeaderRead::of(bytes, if bytes.len() < 5 { 5 } else { 9 })
    }
    #[inline]
    fn possible(&self, _: &[u8]) -> bool {
        self.time.0.get().is_finite() && (0..=0x4_0000).contains(&frame::Header::payload(self))
    }
    #[inline]
    fn plausible(&self, behind: &[u8], before: Option<&Self>) -> bool {
        // A clock stands at 0 or tells ms. Small whole numbers, of which packets are full, are far less as floats; most text
        // is more than any machine's clock shows, and angles are below 0. Floats that show years stand still for a while, and
        // then go on by a step of some seconds.
        let time = self.time.0.get();
        let step = time.abs() * f32::EPSILON;
        let goes_on = |before: f32| (-1.0 - step..300.0 + step).contains(&(time - before));
        // Packets of a beginning have long runs of zeros, and each of them would be many commands without anything in
        // them, the last of which would swallow what follows. A command lasts some ms.
        let in_zeros = time == 0.0 && self.kind == BlockKind::Command && behind.iter().take(4).all(|b| *b == 0);
        !in_zeros
            && (time == 0.0 || (1e-4..1e10).contains(&time))
            && (5..=Self::LARGEST as i64).contains(&frame::Header::payload(self))
            && before.is_none_or(|b| goes_on(b.time.0.get()))
    }
}

packet! {
    /// A command of the recording client, as the engine has it in memory.
    pub struct UserCommand {
        /// Duration, in the lowest byte; the others are padding of the engine's structure.
        msec as "load" in "ms": u32;
        /// Pitch, yaw and roll that are asked for.
        angles in "degrees": [F32; 3];
        /// Forward, sideways, up.
        speed in "units/s": [i16; 3];
        /// In text `fire;` for 1, `jump;` for 2, `flag` for the other bits by number; left out when 0.
        buttons as "": Buttons;
        /// Weapon numbers and the like; left out when 0.
        impulse: Impulse;
        /// The view: pitch, yaw and roll.
        viewangles as "uk_angles" in "degrees": [F32; 3];
    }
}

impl UserCommand {
    /// Bytes of a command: 36. (Three bytes of padding stand within.)
    pub const LEN: usize = 36;
}

packet! {
    /// Two sequence numbers.
    pub struct SequenceNumbers {
        /// Number of the client's next packet.
        seq1: u32;
        /// Number of the last packet that came from the server.
        seq2: u32;
    }
}

impl SequenceNumbers {
    /// Bytes of it.
    pub const LEN: usize = 8;
}

/// What stands in front of the messages of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketNumbers {
    /// Number of the packet; bit 31: it carries reliable messages.
    pub seq1: u32,
    /// Number of the last client packet that arrived; bit 31 toggles with reliable messages of the client.
    pub seq2: u32,
}

impl PacketNumbers {
    /// Bytes of it.
    pub const LEN: usize = 8;
    const SEQ: [Name; 2] = [Name::new("seq1"), Name::new("seq2")];
    const RELIABLE: Name = Name::new("reliable");
    const RELIABLE_BIT: u32 = 1 << 31;
    const WORD: TypeSchema = TypeSchema::new("31 bits of a u32", "integer", "").within(0, i32::MAX as i64);
}

impl Part for PacketNumbers {
    const FIELDS: &'static [&'static [FieldSchema]] = &[&[
        FieldSchema::new(Self::SEQ[0].text, Self::WORD, Presence::Selected, "Number of the packet."),
        FieldSchema::new(
            Self::SEQ[1].text,
            Self::WORD,
            Presence::Selected,
            "Number of the last client packet that the server got.",
        ),
        FieldSchema::new(
            Self::RELIABLE.text,
            TypeSchema::new("bit 31 of a u32", "integer[]", "").within(1, 2).left_out_when_empty(),
            Presence::Selected,
            "1: seq1 has bit 31, the packet carries reliable messages. 2: seq2 has it, it toggles with reliable messages of the client.",
        ),
    ]];
    #[inline]
    fn read(r: &mut ByteReader<'_>) -> Result<Self, Fault> {
        Ok(PacketNumbers { seq1: r.u32()?, seq2: r.u32()? })
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter) -> Result<(), Fault> {
        w.u32(self.seq1);
        w.u32(self.seq2);
        Ok(())
    }
    fn show_front<S: Sink>(&self, s: &mut S, _: fn(Name) -> Name) {
        let words = [self.seq1, self.seq2];
        for (name, word) in Self::SEQ.into_iter().zip(words) {
            s.value(name, Scalar::Int(i64::from(word & !Self::RELIABLE_BIT)));
        }
        let bits = (1..).zip(words).filter(|(_, word)| word & Self::RELIABLE_BIT != 0);
        let reliable: Vec<_> = bits.map(|(n, _)| Scalar::Int(n)).collect();
        if !reliable.is_empty() {
            s.values(Self::RELIABLE, &reliable);
        }
    }
    fn show_behind<S: Sink>(&self, _: &mut S) {}
    fn parse(f: &mut Fields<'_, '_>, _: fn(Name) -> Name) -> Result<Self, Mistake> {
        let mut words = [0u32; 2];
        for (name, word) in Self::SEQ.into_iter().zip(&mut words) {
            *word = f.take(name)?.int(0, i64::from(!Self::RELIABLE_BIT))? as u32;
        }
        if f.has(Self::RELIABLE) {
            for n in f.take(Self::RELIABLE)?.ints(1, 2)? {
                words[n as usize - 1] |= Self::RELIABLE_BIT;
            }
        }
        Ok(PacketNumbers { seq1: words[0], seq2: words[1] })
    }
}

/// What a block holds besides messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents<'a> {
    /// A packet of the game: two numbers, then messages.
    Packet(PacketNumbers),
    /// A packet outside the game.
    Connectionless(Connectionless<'a>),
    /// A command of the recording client.
    Command(UserCommand),
    /// Where the numbers of packets stood when recording began.
    Frame(SequenceNumbers),
    /// Bytes: the beginning of a block that the end of the file cuts, or a packet too short for its numbers.
    Bytes(Cow<'a, [u8]>),
}

impl IntoOwned for Contents<'_> {
    type Owned = Contents<'static>;
    fn into_owned(self) -> Contents<'static> {
        match self {
            Contents::Packet(numbers) => Contents::Packet(numbers),
            Contents::Connectionless(packet) => Contents::Connectionless(packet.into_owned()),
            Contents::Command(command) => Contents::Command(command),
            Contents::Frame(numbers) => Contents::Frame(numbers),
            Contents::Bytes(bytes) => Contents::Bytes(Cow::Owned(bytes.into_owned())),
        }
    }
}

/// The name of such bytes in text.
pub(crate) const DATA: Name = Name::new("data");

impl Sealed for Contents<'_> {}

impl crate::format::Contents for Contents<'_> {
    fn show_front<S: Sink>(&self, s: &mut S) {
        match self {
            Contents::Packet(numbers) => numbers.show_front(s, as_named),
            Contents::Connectionless(packet) => packet.show(s),
            Contents::Command(command) => command.show_front(s, as_named),
            // LMPC has one way for numbers of packets, wherever they stand.
            Contents::Frame(SequenceNumbers { seq1, seq2 }) if s.form() == Form::Lmpc => {
                PacketNumbers { seq1: *seq1, seq2: *seq2 }.show_front(s, as_named);
            }
            Contents::Frame(numbers) => numbers.show_front(s, as_named),
            Contents::Bytes(bytes) => s.bytes(DATA, bytes),
        }
    }
    fn uncovered(&self) -> usize {
        if let Contents::Bytes(bytes) = self { bytes.len() } else { 0 }
    }
}

/// A part that takes `LEN` bytes, from all of them. Where their number is known, none is asked for its place.
#[inline]
pub(crate) fn whole<P: Part, const LEN: usize>(bytes: &[u8]) -> Option<P> {
    let bytes: &[u8; LEN] = bytes.try_into().ok()?;
    let mut r = ByteReader::new(bytes);
    P::read(&mut r).ok().filter(|_| r.is_empty())
}

/// A chunk of a file. A trailer is what was left in the recorder's memory; there is no end mark.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A block: a packet of the server, a command of the client, or sequence numbers.
pub type Block<'a> = frame::Block<'a, Header>;

/// A block with what it holds.
pub type Packet<'a> = crate::format::Packet<'a, Qwd>;

/// Reads block after block.
pub type Decoder = crate::format::Decoder<Qwd>;

/// The messages of a packet, in order.
///
/// ```
/// use qdemo::format::qwd::{Dialect, Message, Messages};
/// let mut messages = Messages::new(&[32, 5], Dialect::QUAKEWORLD);
/// assert!(matches!(messages.next(), Some(Message::CdTrack(m)) if m.track == 5));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Qwd::first_dialect(None))
    }
}

impl Packet<'_> {
    /// A packet of the server with messages.
    pub fn new<'a>(time: impl Into<F32>, numbers: PacketNumbers, messages: Vec<Message<'a>>) -> Packet<'a> {
        Packet { contents: Contents::Packet(numbers), messages, ..Packet::of(time, BlockKind::Packet) }
    }

    /// A command of the recording client.
    pub fn command(time: impl Into<F32>, command: UserCommand) -> Packet<'static> {
        Packet { contents: Contents::Command(command), ..Packet::of(time, BlockKind::Command) }
    }

    /// Where the numbers of packets stand when recording begins.
    pub fn frame(time: impl Into<F32>, numbers: SequenceNumbers) -> Packet<'static> {
        Packet { contents: Contents::Frame(numbers), ..Packet::of(time, BlockKind::Frame) }
    }

    /// A packet outside the game, such as [`Connectionless::end_of_demo`].
    pub fn connectionless(time: impl Into<F32>, packet: Connectionless<'_>) -> Packet<'_> {
        Packet { contents: Contents::Connectionless(packet), ..Packet::of(time, BlockKind::Packet) }
    }

    fn of<'a>(time: impl Into<F32>, kind: BlockKind) -> Packet<'a> {
        let header = Header { time: Seconds(time.into()), kind, size: Size32(None) };
        Packet { header, contents: Contents::Bytes(Cow::Borrowed(&[])), messages: Vec::new() }
    }
}

impl Sealed for Qwd {}

impl Format for Qwd {
    const NAME: &'static str = "qwd";
    const EXTENSIONS: &'static [&'static str] = &["qwd", "qwz"];
    type Wire = Wire;
    type Header = Header;
    type Contents<'a> = Contents<'a>;
    type Message<'a> = Message<'a>;
    type Memory = ();
    type Clock = ();
    byte_format!();

    fn first_dialect(_: Option<i32>) -> Dialect {
        Dialect::QUAKEWORLD
    }

    fn tells_moment(messages: &[Message<'_>]) -> bool {
        super::detect::tells_moment(messages)
    }

    fn introductions(_: Option<i32>) -> Vec<Packet<'static>> {
        super::detect::introductions()
    }

    fn reference() -> Reference {
        super::reference::reference()
    }

    fn look(look: &Look<'_>) -> Verdict {
        super::detect::look(look)
    }

    fn time(_: &mut (), block: &Block<'_>, _: &[Message<'_>], _: &State<Self>) -> Option<Moment> {
        Some(Moment::Seconds(block.header.time.0.get()))
    }

    fn is_last(_: &Block<'_>, packet: &Packet<'_>) -> bool {
        match &packet.contents {
            Contents::Connectionless(packet) => packet.is_end_of_demo(),
            Contents::Packet(_) => matches!(packet.messages.last(), Some(Message::Disconnect(_))),
            _ => false,
        }
    }
}

impl ByteFormat for Qwd {
    #[inline]
    fn split<'a>(block: &Block<'a>, _: &Dialect) -> Split<'a, Contents<'a>> {
        let payload = block.payload;
        let bytes = || Contents::Bytes(payload.into());
        let contents = match block.header.kind {
            BlockKind::Command => whole::<_, { UserCommand::LEN }>(payload).map_or_else(bytes, Contents::Command),
            BlockKind::Frame => whole::<_, { SequenceNumbers::LEN }>(payload).map_or_else(bytes, Contents::Frame),
            BlockKind::Packet => match payload.strip_prefix(&Connectionless::WORD) {
                Some([id, data @ ..]) => Contents::Connectionless(Connectionless { id: *id, data: data.into() }),
                Some([]) => return too_short(block),
                None => {
                    let mut r = ByteReader::new(payload);
                    let Ok(numbers) = PacketNumbers::read(&mut r) else { return too_short(block) };
                    return Split::all(Contents::Packet(numbers), r.rest_from(PacketNumbers::LEN));
                }
            },
        };
        Split::all(contents, &[])
    }

    #[inline]
    fn write_contents(contents: &Contents<'_>, w: &mut ByteWriter) -> Result<(), Fault> {
        match contents {
            Contents::Packet(numbers) => numbers.write(w),
            Contents::Command(command) => command.write(w),
            Contents::Frame(numbers) => numbers.write(w),
            Contents::Connectionless(packet) => {
                packet.write(w);
                Ok(())
            }
            Contents::Bytes(bytes) => {
                w.bytes(bytes);
                Ok(())
            }
        }
    }
}

/// A packet without room for what stands in front of its messages.
fn too_short<'a>(block: &Block<'a>) -> Split<'a, Contents<'a>> {
    let what = FaultKind::Truncated { needed: PacketNumbers::LEN, available: block.payload.len() };
    // The end of the file is the reason where it cuts the block.
    let fault = (!block.is_cut()).then(|| (Fault::new(what, 0), 0));
    Split { contents: Contents::Bytes(block.payload.into()), messages: &[], fault }
}

byte_messages!(Message, MessageKind);

/// The dialect that a message leads to.
#[inline(always)]
pub(super) fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => Some(Dialect::announced(data.serverversion, &data.extensions, d.multiview)),
        _ => None,
    }
}

/// Takes what stands around the messages of a packet out of a parsed statement.
pub(crate) fn parse_contents<'x>(header: &Header, f: &mut Fields<'x, '_>) -> Result<Contents<'x>, Mistake> {
    if let (BlockKind::Packet, Some(child)) = (header.kind, f.take_child(Connectionless::NAME)) {
        return Connectionless::parse(child).map(Contents::Connectionless);
    }
    if f.has(DATA) {
        return f.take(DATA)?.bytes().map(|bytes| Contents::Bytes(bytes.into()));
    }
    match header.kind {
        BlockKind::Packet => PacketNumbers::parse(f, as_named).map(Contents::Packet),
        BlockKind::Command => UserCommand::parse(f, as_named).map(Contents::Command),
        BlockKind::Frame if f.has(PacketNumbers::RELIABLE) => {
            let PacketNumbers { seq1, seq2 } = PacketNumbers::parse(f, as_named)?;
            Ok(Contents::Frame(SequenceNumbers { seq1, seq2 }))
        }
        BlockKind::Frame => SequenceNumbers::parse(f, as_named).map(Contents::Frame),
    }
}
