//! What stands around the messages of Quake: the CD track line, headers of blocks.

use super::dialect::{Bytes as Wire, Dialect, Variant};
use super::message::{Message, MessageKind};
use super::track::track_len;
use crate::describe::{Field, Fields, Mistake, Name, Reference, Sink, Size32, field_schema, name_of, packet};
use crate::error::Moment;
use crate::format::{
    BlockOf, ByteFormat, Format, Look, MessagesAlone, Sealed, Split, State, Verdict, byte_format, byte_messages,
};
use crate::frame::{self, HeaderRead, Rules, Step};
use crate::wire::{ByteReader, ByteWriter, F32, Fault};

/// Quake's `.dem`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dem;

packet! {
    /// The header of a block.
    pub struct Header {
        /// Size of a block that the end of the file cuts.
        size as "": Size32;
        /// The client's view angles: pitch, yaw and roll.
        camera in "degrees": [F32; 3];
    }
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 16;

    /// The header of a block whose size is that of its messages.
    pub fn new(camera: [F32; 3]) -> Self {
        Header { size: Size32(None), camera }
    }
}

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size.0.unwrap_or_default() as i32)
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size32(size), ..self }
    }
}

impl Rules for Header {
    const CHAIN: usize = 3;
    const AHEAD: u32 = 2;
    const LARGEST: usize = 65_536;
    const LAST: Option<&'static [u8]> = None;

    fn start(window: &[u8], at_end: bool) -> Option<Step<usize>> {
        const ENOUGH: usize = 1024;
        let enough = at_end || window.len() >= ENOUGH;
        Some(if enough { Step::Cut(track_len(window, at_end)) } else { Step::More })
    }

    /// A client that the server disconnects records that, and writes the block with which it stops recording behind it.
    fn goes_on(&self, behind: &[u8]) -> bool {
        let disconnects = behind.first().copied() == Dialect::QUAKE.number_of(MessageKind::Disconnect);
        !(disconnects && frame::Header::payload(self) == 1)
    }

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        HeaderRead::of(bytes, Self::LEN)
    }
    #[inline]
    fn possible(&self, _: &[u8]) -> bool {
        (0..=0x4_0000).contains(&frame::Header::payload(self))
    }
    #[inline]
    fn plausible(&self, behind: &[u8], _: Option<&Self>) -> bool {
        // Small whole numbers, of which messages are full, are far less as floats than any angle but 0.
        let angle = |a: f32| a == 0.0 || (1e-20..1e7).contains(&a.abs());
        (1..=Self::LARGEST as i64).contains(&frame::Header::payload(self))
            && self.camera.iter().all(|a| angle(a.get()))
            && behind.first().is_none_or(|id| *id >= 0x80 || (1..=60).contains(id))
    }
}

/// One part of a file: the CD track line in front (possibly empty), then blocks. There is no end mark.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A block of messages.
pub type Block<'a> = frame::Block<'a, Header>;

/// A block with its messages.
pub type Packet<'a> = crate::format::Packet<'a, Dem>;

/// Reads block after block.
pub type Decoder = crate::format::Decoder<Dem>;

/// The messages of one block, in order. Reading never fails: at a fault the rest of the block becomes one
/// [`Message::Unknown`], and [`Messages::fault`](crate::format::Messages::fault) tells why.
///
/// ```
/// use qdemo::format::dem::{Dialect, Message, Messages};
/// let mut messages = Messages::new(&[5, 1, 0, 0xFF, 99], Dialect::QUAKE);
/// assert!(matches!(messages.next(), Some(Message::SetView(v)) if v.entity == 1));
/// assert!(matches!(messages.next(), Some(Message::Unknown(_))));
/// assert!(messages.fault().is_some());
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

impl Packet<'_> {
    /// A block of messages, seen with these view angles.
    pub fn new<'a>(camera: [impl Into<F32>; 3], messages: Vec<Message<'a>>) -> Packet<'a> {
        Packet { header: Header::new(camera.map(Into::into)), contents: MessagesAlone, messages }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Dem::first_dialect(None))
    }
}

impl Block<'_> {
    /// True for the lone `disconnect` that ends a cleanly stopped recording; also in a protocol that is not decoded.
    pub fn is_final(&self) -> bool {
        let is_disconnect = |id| Dialect::QUAKE.number_of(MessageKind::Disconnect) == Some(id);
        matches!(self.payload, [id] if is_disconnect(*id)) && !self.is_cut()
    }

    /// The time message at its start, in seconds of the server's clock: nearly all blocks begin with one.
    pub fn time(&self) -> Option<f32> {
        let (id, rest) = self.payload.split_first()?;
        let seconds = rest.first_chunk::<4>().filter(|_| Dialect::QUAKE.number_of(MessageKind::Time) == Some(*id))?;
        Some(f32::from_le_bytes(*seconds))
    }
}

impl Sealed for Dem {}

impl Format for Dem {
    const NAME: &'static str = "dem";
    const EXTENSIONS: &'static [&'static str] = &["dem"];
    const TRAILER: bool = false;
    const STOPS_AT_EMPTY: bool = true;
    type Wire = Wire;
    type Header = Header;
    type Contents<'a> = MessagesAlone;
    type Message<'a> = Message<'a>;
    type Memory = ();
    type Clock = ();
    byte_format!();

    fn first_dialect(_: Option<i32>) -> Dialect {
        Dialect::initial(Variant::Standard)
    }

    fn tells_moment(messages: &[Message<'_>]) -> bool {
        messages.iter().any(|m| matches!(m, Message::UpdateEntity(_)))
    }

    fn introductions(told: Option<i32>) -> Vec<Packet<'static>> {
        super::detect::introductions(told)
    }

    fn reference() -> Reference {
        super::reference::reference()
    }

    fn look(look: &Look<'_>) -> Verdict {
        super::detect::look(look)
    }

    fn time(_: &mut (), block: &Block<'_>, _: &[Message<'_>], _: &State<Self>) -> Option<Moment> {
        block.time().map(Moment::Seconds)
    }

    fn is_last(block: &Block<'_>, _: &Packet<'_>) -> bool {
        block.is_final()
    }
}

impl ByteFormat for Dem {
    fn split<'a>(block: &Block<'a>, _: &Dialect) -> Split<'a, MessagesAlone> {
        Split::all(MessagesAlone, block.payload)
    }

    /// A protocol number does not always tell how its messages are read (see [`Variant`]). A cut block ends with a fault
    /// in every reading.
    fn is_open(block: &BlockOf<'_, Self>, d: &Dialect) -> bool {
        !block.is_cut() && Dialect::variants(d.protocol).len() > 1
    }

    fn others(_: &BlockOf<'_, Self>, d: &Dialect) -> Vec<Dialect> {
        let others = Dialect::variants(d.protocol).iter().filter(|v| **v != d.variant);
        others.map(|v| d.with_variant(*v)).collect()
    }
}

byte_messages!(Message, MessageKind);

/// The dialect that a message leads to.
#[inline(always)]
pub(super) fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerInfo(info) => Some(Dialect::after(info, d.variant)),
        _ => None,
    }
}

/// The track number of a CD track line as Quake 1.09 and its successors read it: digits accumulate, `-` anywhere makes
/// it negative, every other byte counts as a digit too (DEM document, 6.1.2).
///
/// ```
/// use qdemo::format::dem::track_number;
/// assert_eq!(track_number(b"-1\n"), -1);
/// assert_eq!(track_number(b"1-\n"), -1);
/// ```
pub fn track_number(line: &[u8]) -> i32 {
    let (mut track, mut negative) = (0i32, false);
    for &b in line.iter().take_while(|&&b| b != b'\n') {
        if b == b'-' {
            negative = true;
        } else {
            track = track.wrapping_mul(10).wrapping_add(i32::from(b) - i32::from(b'0'));
        }
    }
    if negative { track.wrapping_neg() } else { track }
}
