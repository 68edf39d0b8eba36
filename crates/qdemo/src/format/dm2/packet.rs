//! What stands around the messages of Quake II: sizes, and an end mark.

use super::dialect::{Bytes as Wire, Dialect, EntityMaskKind, Recording};
use super::entity_sizes::EntitySizes;
use super::message::{Frame, Message, MessageKind};
use crate::describe::{Field, Fields, Mistake, Name, Reference, Sink, Size32, field_schema, name_of, packet};
use crate::error::{Moment, Protocol};
use crate::format::{
    ByteFormat, Format, Look, MessagesAlone, Sealed, Split, State, Verdict, byte_format, byte_messages,
};
use crate::frame::{self, HeaderRead, Rules};
use crate::wire::{ByteReader, ByteWriter, Fault, FaultKind};

/// Quake II's `.dm2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dm2;

packet! {
    /// The header of a block.
    pub struct Header {
        /// Size of a block that the end of the file cuts.
        size as "": Size32;
    }
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 4;
}

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size.0.unwrap_or_default() as i32)
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size32(size) }
    }
}

impl Rules for Header {
    const CHAIN: usize = 4;
    const AHEAD: u32 = 2;
    const LARGEST: usize = 44_800;
    const LAST: Option<&'static [u8]> = None;

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        HeaderRead::of(bytes, Self::LEN)
    }
    #[inline]
    fn is_end(&self) -> bool {
        frame::Header::payload(self) == -1
    }
    #[inline]
    fn possible(&self, _: &[u8]) -> bool {
        self.is_end() || (0..=0x4_0000).contains(&frame::Header::payload(self))
    }
    #[inline]
    fn plausible(&self, behind: &[u8], _: Option<&Self>) -> bool {
        (1..=Self::LARGEST as i64).contains(&frame::Header::payload(self))
            && behind.first().is_none_or(|id| (1..=33).contains(&(id & 0x7F)))
    }
}

/// The end mark: the size -1.
pub const END_MARK: [u8; 4] = [0xFF; 4];

/// A chunk of a file. An empty block stands between two levels; the end mark is the size -1.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A block of messages.
pub type Block<'a> = frame::Block<'a, Header>;

/// A block with its messages.
pub type Packet<'a> = crate::format::Packet<'a, Dm2>;

/// Reads block after block.
pub type Decoder = crate::format::Decoder<Dm2>;

/// The messages of one block, in order.
///
/// ```
/// use qdemo::format::dm2::{Dialect, Message, Messages};
/// let mut messages = Messages::new(&[11, b'h', b'i', 0], Dialect::QUAKE2);
/// assert!(matches!(messages.next(), Some(Message::StuffText(m)) if m.text.bytes() == b"hi"));
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

impl Packet<'_> {
    /// A block of messages.
    pub fn new(messages: Vec<Message<'_>>) -> Packet<'_> {
        Packet { header: Header { size: Size32(None) }, contents: MessagesAlone, messages }
    }
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder::new(Dm2::first_dialect(None))
    }
}

/// How a block begins that makes a level of the test release known. It has other message numbers, from the first
/// message on.
pub(crate) const TEST_RELEASE: [u8; 5] = [7, Dialect::TEST_RELEASE_PROTOCOL as u8, 0, 0, 0];

/// How a block begins that makes a level of KMQuake2 known.
const KMQUAKE2: [u8; 5] = [12, Dialect::KMQUAKE2_PROTOCOL as u8, 0, 0, 0];

/// How a block begins that makes a level of the test release's protocol known with the later message numbers. That is
/// nobody's protocol, and text could not tell the two apart.
const NOBODYS: [u8; 5] = [12, Dialect::TEST_RELEASE_PROTOCOL as u8, 0, 0, 0];

impl Sealed for Dm2 {}

impl Format for Dm2 {
    const NAME: &'static str = "dm2";
    const EXTENSIONS: &'static [&'static str] = &["dm2", "rla"];
    const END_MARK: &'static [u8] = &END_MARK;
    const STOPS_AT_EMPTY: bool = true;
    type Wire = Wire;
    type Header = Header;
    type Contents<'a> = MessagesAlone;
    type Message<'a> = Message<'a>;
    type Memory = EntitySizes;
    type Clock = ();
    byte_format!();

    fn first_dialect(_: Option<i32>) -> Dialect {
        Dialect::QUAKE2
    }

    fn tells_moment(messages: &[Message<'_>]) -> bool {
        messages.iter().any(|m| matches!(m, Message::Frame(_)))
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

    fn time(_: &mut (), _: &Block<'_>, messages: &[Message<'_>], state: &State<Self>) -> Option<Moment> {
        messages.iter().rev().find_map(|message| match message {
            Message::Frame(frame) => Some(Moment::Milliseconds(frame_time(frame, &state.dialect))),
            _ => None,
        })
    }
}

impl ByteFormat for Dm2 {
    fn split<'a>(block: &Block<'a>, _: &Dialect) -> Split<'a, MessagesAlone> {
        Split::all(MessagesAlone, block.payload)
    }

    fn told(block: &Block<'_>, d: &Dialect) -> Option<Dialect> {
        if block.payload.starts_with(&TEST_RELEASE) {
            return Some(Dialect::TEST_RELEASE);
        }
        if block.payload.starts_with(&NOBODYS) && d.recording != Recording::TestRelease {
            return Some(Dialect { decoded: false, ..Dialect::TEST_RELEASE });
        }
        None
    }

    /// Up to protocol 32 a recording does not tell who made it, and KMQuake2 changed its entities and kept its number.
    fn is_open(block: &Block<'_>, d: &Dialect) -> bool {
        let open = may_be_kmquake2(block, d) || !d.recording_told;
        open && !block.is_cut() && Self::told(block, d).is_none()
    }

    fn others(block: &Block<'_>, d: &Dialect) -> Vec<Dialect> {
        match may_be_kmquake2(block, d) {
            true => vec![d.with_long_angles(!d.long_angles)],
            false => [Recording::Client, Recording::Server, Recording::Relay].map(|r| d.recorded_by(r)).to_vec(),
        }
    }
}

fn may_be_kmquake2(block: &Block<'_>, d: &Dialect) -> bool {
    d.layout.entity_mask == EntityMaskKind::KmQuake2 || block.payload.starts_with(&KMQUAKE2)
}

byte_messages!(Message, MessageKind, memory EntitySizes, refuse refuse_nobodys);

/// `serverdata` can be read whatever its protocol is: see [`ByteMessages::refuse_nobodys`](crate::format::ByteMessages).
#[inline(always)]
fn refuse_nobodys(id: u8, r: &ByteReader<'_>, d: &Dialect) -> Result<(), Fault> {
    match d.opcodes.kind(id) == Some(MessageKind::ServerData as usize) {
        true => refuse_unknown(r),
        false => Ok(()),
    }
}

#[cold]
fn refuse_unknown(r: &ByteReader<'_>) -> Result<(), Fault> {
    let protocol = r.peek_u32().map(|number| number as i32);
    match protocol.map(|number| Protocol { number, name: Dialect::announced(number, 0).name }) {
        Some(protocol) if !protocol.is_known() => {
            let fault = Fault::new(FaultKind::Unsupported(protocol), r.pos().saturating_sub(1));
            Err(fault.in_message(MessageKind::ServerData.schema().name))
        }
        _ => Ok(()),
    }
}

/// The dialect that a message leads to.
#[inline(always)]
pub(super) fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerData(data) => Some(data.dialect(d.long_angles)),
        _ => None,
    }
}

/// Milliseconds of the server's clock at a frame: there are ten a second, in the re-release as many as the server tells.
pub fn frame_time(frame: &Frame, d: &Dialect) -> i32 {
    i32::try_from(time_of(frame.seq1, d.frame_rate)).unwrap_or(if frame.seq1 < 0 { i32::MIN } else { i32::MAX })
}

/// The same for the number of a frame, at a rate in frames a second.
pub(crate) fn time_of(frame: i32, rate: u8) -> i64 {
    i64::from(frame) * 1000 / i64::from(rate.max(1))
}
