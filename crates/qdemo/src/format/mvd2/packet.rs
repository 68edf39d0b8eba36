//! What stands around the commands of Quake II's multi-view demos: a mark in front of the first block, sizes, an end mark.

use super::message::{Message, MessageKind};
use crate::describe::{
    Field, FieldSchema, Fields, Mistake, Name, PlainBytes, Reference, Sink, Size16, TypeSchema, field_schema, name_of,
    packet,
};
use crate::error::Moment;
use crate::format::dm2::{Bytes as Wire, ConfigStrings, Dialect};
use crate::format::{
    ByteFormat, Format, Look, MessagesAlone, Sealed, Split, State, Verdict, byte_format, byte_messages,
};
use crate::frame::{self, HeaderRead, Rules};
use crate::wire::{ByteReader, ByteWriter, Fault};

/// Quake II's `.mvd2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mvd2;

packet! {
    /// The header of a block.
    pub struct Header {
        /// True when the mark of the format stands in front: the first block of a file.
        mark: Mark, group;
        /// Size of a block that the end of the file cuts.
        size as "": Size16;
    }
}

/// The mark of the format. In text it is a statement of its own, in front of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(pub bool);

impl Mark {
    const FIELDS: &'static [FieldSchema] = &[];
}

impl<'a> Field<'a, PlainBytes> for Mark {
    const TYPE: TypeSchema = TypeSchema::new("MVD2", "", "");
    #[inline]
    fn read(r: &mut ByteReader<'a>, _: &()) -> Result<Self, Fault> {
        let there = r.peek_u32() == Some(u32::from_le_bytes(MAGIC));
        if there {
            r.u32()?;
        }
        Ok(Mark(there))
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &()) -> Result<(), Fault> {
        w.bytes(if self.0 { &MAGIC } else { &[] });
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, _: &mut S) {}
    fn parse(_: &mut Fields<'a, '_>, _: Name, _: &()) -> Result<Self, Mistake> {
        Ok(Mark(false))
    }
}

/// What a file begins with.
pub const MAGIC: [u8; 4] = *b"MVD2";

/// The end mark: the size 0.
pub const END_MARK: [u8; 2] = [0; 2];

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size.0.unwrap_or_default())
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size16(size.map(|size| size as u16)), ..self }
    }
    fn unmarked(self) -> Option<Self> {
        self.mark.0.then_some(Header { mark: Mark(false), ..self })
    }
    fn marked(self) -> Option<Self> {
        (!self.mark.0).then_some(Header { mark: Mark(true), ..self })
    }
}

impl Rules for Header {
    // Two bytes are a weak header: only a longer row proves something.
    const CHAIN: usize = 6;
    const CHAIN_AT_END: usize = 4;
    const AHEAD: u32 = 3;
    const END_IS_WEAK: bool = true;
    const LARGEST: usize = u16::MAX as usize;
    const LAST: Option<&'static [u8]> = None;

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        let mark = if bytes.starts_with(&MAGIC) { MAGIC.len() } else { 0 };
        HeaderRead::of(bytes, END_MARK.len() + mark)
    }
    #[inline]
    fn is_end(&self) -> bool {
        // With the mark it is the whole recording, in a block of nothing.
        self.size.0 == Some(0) && !self.mark.0
    }
    #[inline]
    fn possible(&self, behind: &[u8]) -> bool {
        self.is_end() || looks_written(self.size.0.unwrap_or_default(), behind)
    }
    #[inline]
    fn plausible(&self, behind: &[u8], _: Option<&Self>) -> bool {
        self.size.0 != Some(0) && looks_written(self.size.0.unwrap_or_default(), behind)
    }
}

/// True for the number of a configstring that a server may have.
pub(crate) fn is_configstring(index: u16) -> bool {
    index < ConfigStrings::EXTENDED.end
}

/// True when the first command of a block looks like one that a server wrote, as far as it can be seen.
fn looks_written(size: u16, block: &[u8]) -> bool {
    let Some((number, behind)) = block.split_first() else { return true };
    let mut next = [0; 4];
    next.iter_mut().zip(behind).for_each(|(slot, byte)| *slot = *byte);
    let [a, b, c, d] = next;
    let (command, spare) = (number & 0x1F, number >> 5);
    let carries = |between: u16, message: u8| {
        let len = u16::from(a) | u16::from(spare) << 8;
        len != 0 && size > between + len + 1 && matches!(message, 1..=24)
    };
    match command {
        1 => spare == 0,
        4 => i32::from_le_bytes(next) == Dialect::MVD2_PROTOCOL,
        5 => spare == 0 && is_configstring(u16::from_le_bytes([a, b])) && size >= 4,
        6 => spare == 0 && a <= 32 && size >= 5,
        8 | 9 => carries(1, c) && b < u8::MAX,
        10 | 13 => carries(0, b),
        11 | 12 | 14 | 15 => carries(2, d),
        16 => spare < 4 && a & 8 != 0 && size >= 5,
        17 => spare == 0 && a < 4 && size >= 3,
        _ => false,
    }
}

/// A chunk of a file. The end mark is the size 0.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A block of commands.
pub type Block<'a> = frame::Block<'a, Header>;

/// A block with its commands.
pub type Packet<'a> = crate::format::Packet<'a, Mvd2>;

/// Reads block after block.
pub type Decoder = crate::format::Decoder<Mvd2>;

/// The commands of one block, in order.
///
/// ```
/// use qdemo::format::dm2::Dialect;
/// use qdemo::format::mvd2::{Message, Messages};
/// let mut messages = Messages::new(&[17, 3, b'h', b'i', 0], Dialect::MVD2);
/// assert!(matches!(messages.next(), Some(Message::Print(m)) if m.string.bytes() == b"hi"));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

impl Packet<'_> {
    /// A block of commands; `first` is the first one of a file, which has the mark of the format.
    pub fn new(first: bool, messages: Vec<Message<'_>>) -> Packet<'_> {
        Packet { header: Header { mark: Mark(first), size: Size16(None) }, contents: MessagesAlone, messages }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Mvd2::first_dialect(None))
    }
}

/// The time of a recording, by its frames: they have no numbers, and servers record ten a second whatever their own rate.
/// The beginning of a level has one, and is read in one go: a frame behind it in the same block completes that one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameClock {
    /// Frames so far.
    pub(crate) frames: u64,
    /// The last frame is that of a level which began in this block.
    begins: bool,
}

impl FrameClock {
    /// A frame lasts so many milliseconds.
    const FRAME: i64 = 100;

    /// Another block comes.
    pub(crate) fn block(&mut self) {
        self.begins = false;
    }

    /// Counts the frame that a command may tell.
    pub(crate) fn count(&mut self, message: &Message<'_>) {
        match message {
            Message::ServerData(_) => (self.frames, self.begins) = (self.frames + 1, true),
            Message::Frame(_) => self.frames += u64::from(!std::mem::take(&mut self.begins)),
            _ => {}
        }
    }

    /// Milliseconds from the first frame to the last.
    pub(crate) fn ms(self) -> i64 {
        let frames = i64::try_from(self.frames.saturating_sub(1)).unwrap_or(i64::MAX);
        frames.saturating_mul(Self::FRAME)
    }

    /// The same as the time of a recording; `None` before the first frame.
    pub(crate) fn time(self) -> Option<Moment> {
        (self.frames > 0).then(|| Moment::Milliseconds(i32::try_from(self.ms()).unwrap_or(i32::MAX)))
    }
}

impl Sealed for Mvd2 {}

impl Format for Mvd2 {
    const NAME: &'static str = "mvd2";
    const EXTENSIONS: &'static [&'static str] = &["mvd2"];
    const END_MARK: &'static [u8] = &END_MARK;
    type Wire = Wire;
    type Header = Header;
    type Contents<'a> = MessagesAlone;
    type Message<'a> = Message<'a>;
    type Memory = ();
    type Clock = FrameClock;
    byte_format!();

    fn first_dialect(_: Option<i32>) -> Dialect {
        Dialect::MVD2
    }

    fn tells_moment(messages: &[Message<'_>]) -> bool {
        messages.iter().any(|m| matches!(m, Message::Frame(_)))
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

    fn time(clock: &mut FrameClock, _: &Block<'_>, messages: &[Message<'_>], _: &State<Self>) -> Option<Moment> {
        clock.block();
        messages.iter().for_each(|message| clock.count(message));
        clock.time()
    }
}

impl ByteFormat for Mvd2 {
    fn split<'a>(block: &Block<'a>, _: &Dialect) -> Split<'a, MessagesAlone> {
        Split::all(MessagesAlone, block.payload)
    }
}

byte_messages!(Message, MessageKind);

/// The dialect that a command leads to.
#[inline(always)]
pub(super) fn after(message: &Message<'_>, _: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => data.dialect(),
        _ => None,
    }
}
