//! The formats, one module each. They share wire types, declarations and framing, and know nothing of text.
//!
//! A [`Format`] says what its headers, packets and messages are; each has a type that stands for it, such as
//! [`dem::Dem`]. What goes through a recording of any format is written once, over that trait:
//!
//! * a [`Decoder`] reads block after block: into a [`Packet`] that can be kept, changed and written, or past a
//!   [`Visitor`], which is faster;
//! * [`Packet::write`] gives the bytes of a block from its model alone.
//!
//! Each format module has the same rooms: `dialect` (its protocols), `packet` (headers, what stands around messages),
//! `message` and what else is declared beside it, `detect` (how much a file looks like one), `reference` (what the
//! declarations do not say), and a guide, which its page shows.

mod bytes;
mod decode;
pub mod dem;
mod dialect;
pub mod dm2;
pub mod dm3;
mod download;
mod look;
pub mod mvd;
pub mod mvd2;
mod packet;
pub mod qwd;
mod trial;

#[doc(hidden)]
pub use bytes::ByteMessages;
pub(crate) use bytes::{ByteFormat, OwnLayout, Split, byte_format, byte_messages, write_deltas, write_message};
pub use bytes::{Messages, encode_messages};
pub(crate) use decode::Owned;
pub use decode::{Begin, Decoder, Visitor};
pub use dialect::Opcodes;
#[doc(hidden)]
pub use look::{Look, Verdict};
pub(crate) use look::{Sample, Survey};
pub use packet::Packet;
pub(crate) use trial::{FORMAT, INTRODUCTION, Introduction, STATEMENT as INTRODUCTION_STATEMENT, Trial, near};

pub use crate::describe::{AnyDialect, MessageSet};
use crate::describe::{Name, Reference, Sink, Wire};
use crate::error::Moment;
use crate::frame::{Block, Chunk, Diagnostic, Header, Rules};
use crate::wire::{ByteWriter, Fault};

pub(crate) use crate::sealed::Sealed;

/// What the protocols of a format differ in.
pub type DialectOf<F> = <<F as Format>::Wire as Wire>::Dialect;

/// A block of a format.
pub type BlockOf<'a, F> = Block<'a, <F as Format>::Header>;

/// A chunk of a format.
pub type ChunkOf<'a, F> = Chunk<'a, <F as Format>::Header>;

/// A format of recordings.
pub trait Format: Sealed + Copy + std::fmt::Debug + PartialEq + 'static {
    /// Its name: the usual extension.
    const NAME: &'static str;
    /// Extensions of files of this format, in small letters.
    const EXTENSIONS: &'static [&'static str];
    /// What stands in front of the number of a protocol in extensions that tell one: `dm_` of `dm_68`.
    const NUMBERED: Option<&'static str> = None;
    /// What ends a recording; empty where nothing does.
    const END_MARK: &'static [u8] = &[];
    /// True when bytes behind the end of a recording are set apart from those that are not understood.
    const TRAILER: bool = true;
    /// True where engines take a block of size 0 for the end: they read nothing there.
    const STOPS_AT_EMPTY: bool = false;
    /// True where messages begin and end at bits, not at bytes.
    const IN_BITS: bool = false;

    /// What messages travel on, and in which dialects.
    type Wire: Wire<Dialect: AnyDialect>;
    /// The header of a block.
    type Header: Header;
    /// What else a block holds besides messages.
    type Contents<'a>: Contents;
    /// A message.
    type Message<'a>: MessageSet<'a, Wire = Self::Wire> + Send;
    /// What of earlier blocks it takes to read later ones, besides the dialect; and memory to use again.
    type Memory: Clone + Default + PartialEq + std::fmt::Debug + Send;
    /// What tells the time of blocks.
    type Clock: Clone + Default + PartialEq + std::fmt::Debug + Send;

    /// The dialect in which a recording begins. A protocol is known beforehand where nothing can be read without it.
    fn first_dialect(protocol: Option<i32>) -> DialectOf<Self>;

    /// Introductions of servers that recordings may have had whose own is lost or damaged, the most likely first. `told` is what
    /// is left of a number of a protocol, in Quake III the protocol that is known.
    #[doc(hidden)]
    fn introductions(told: Option<i32>) -> Vec<Packet<'static, Self>>;

    /// Reads a block: what it holds, and its messages; what could not be decoded is the last of them. `ends` gets where
    /// each ends in the payload, in bytes (in Quake III in bits).
    #[doc(hidden)]
    fn read<'a>(
        state: &mut State<Self>,
        block: &BlockOf<'a, Self>,
        messages: &mut Vec<Self::Message<'a>>,
        ends: &mut Vec<usize>,
    ) -> Read<Self::Contents<'a>>;

    /// Reads a block past a visitor.
    #[doc(hidden)]
    fn visit<V: Visitor<Self>>(
        state: &mut State<Self>,
        block: &BlockOf<'_, Self>,
        visitor: &mut V,
    ) -> Option<Diagnostic>;

    /// Writes what stands behind the header of a block.
    #[doc(hidden)]
    fn write(packet: &Packet<'_, Self>, d: &mut DialectOf<Self>, w: &mut ByteWriter) -> Result<(), Fault>;

    /// The time of a block after its messages were read.
    #[doc(hidden)]
    fn time(
        clock: &mut Self::Clock,
        block: &BlockOf<'_, Self>,
        messages: &[Self::Message<'_>],
        state: &State<Self>,
    ) -> Option<Moment>;

    /// What tells the time of blocks, behind those whose headers have told so many milliseconds; `None` where messages tell
    /// the time.
    #[doc(hidden)]
    fn clock_behind(_msec: i32) -> Option<Self::Clock> {
        None
    }

    /// True when later blocks can be begun with before earlier ones are read: no clock counts what messages tell.
    #[doc(hidden)]
    fn is_divisible() -> bool {
        size_of::<Self::Clock>() == 0 || Self::clock_behind(0).is_some()
    }

    /// True for messages that tell of a moment of the game, not of the level that begins.
    #[doc(hidden)]
    fn tells_moment(messages: &[Self::Message<'_>]) -> bool;

    /// True when a recording ends with such a block if it was stopped cleanly. (An end mark ends it in any case.)
    fn is_last(_: &BlockOf<'_, Self>, _: &Packet<'_, Self>) -> bool {
        false
    }

    /// The fault of a recording that ends at an offset without having ended cleanly, in formats in which that is one.
    fn missing_end(_: u64) -> Option<Diagnostic> {
        None
    }

    /// What its declarations say of it, for documentation and JSON Schema.
    fn reference() -> Reference;

    /// How much the beginning of a file looks like one of this format.
    #[doc(hidden)]
    fn look(look: &Look<'_>) -> Verdict;

    /// The same packet, for a shorter time.
    #[doc(hidden)]
    fn shorten<'a>(packet: Packet<'static, Self>) -> Packet<'a, Self>;

    /// The same packet, borrowing nothing.
    #[doc(hidden)]
    fn into_owned(packet: Packet<'_, Self>) -> Packet<'static, Self>;

    /// Takes back the memory of messages, to use it again.
    #[doc(hidden)]
    fn recycle(_: &mut State<Self>, _: &mut Vec<Self::Message<'_>>) {}
}

/// A format whose headers say what they look like, so that it can be cut into chunks.
pub(crate) trait Framed: Format<Header: Rules> {}

impl<F: Format<Header: Rules>> Framed for F {}

/// What came of reading a block, besides its messages.
#[doc(hidden)]
#[derive(Debug)]
pub struct Read<C> {
    /// What the block holds besides messages.
    pub contents: C,
    /// Where its messages begin in the payload: in bytes, in Quake III in bits.
    pub start: usize,
    /// What is wrong with it.
    pub diagnostic: Option<Diagnostic>,
}

/// What a decoder carries from block to block.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct State<F: Format> {
    /// The dialect at the beginning of the next block.
    pub dialect: DialectOf<F>,
    /// The dialect at the beginning of the block read last.
    pub before: DialectOf<F>,
    /// What else it takes.
    pub memory: F::Memory,
    /// A server has introduced itself with a protocol that is decoded: from then on one that nobody knows is damage. Quake
    /// III's messages introduce none.
    pub introduced: bool,
    /// The time of the block read last, or of the last one before it that tells one; visits keep it in Quake III alone.
    pub time: Option<Moment>,
}

/// What a block holds besides messages.
pub trait Contents: Sealed + Clone + std::fmt::Debug + PartialEq {
    /// Shows what stands in front of the messages.
    fn show_front<S: Sink>(&self, s: &mut S);
    /// Bytes of it that no declaration covers.
    fn uncovered(&self) -> usize {
        0
    }
}

/// Nothing but messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessagesAlone;

impl Sealed for MessagesAlone {}

impl Contents for MessagesAlone {
    fn show_front<S: Sink>(&self, _: &mut S) {}
}

/// Names of parts as they are.
pub(crate) fn as_named(name: Name) -> Name {
    name
}
