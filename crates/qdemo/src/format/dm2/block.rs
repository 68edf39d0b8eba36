//! Framing of `.dm2`: blocks behind their sizes, and an end mark.

use crate::format::frames::{self, Framed, Frames, Head, HeadRead};
use crate::format::{Step, Stray};
use crate::limits::Limits;
use crate::wire::Reader;

/// One part of a file. All parts in order make up the file, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'a> {
    /// A block of messages. An empty one stands between two levels.
    Block(Block<'a>),
    /// The end mark: the size -1.
    End,
    /// Bytes behind the end mark.
    Trailer(&'a [u8]),
    /// Bytes that are no block.
    Stray(Stray<'a>),
}

/// A block of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Number of the block, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Size of the messages as the header tells. Differs from `payload.len()` only when the file ends early.
    pub size: u32,
    /// The messages.
    pub payload: &'a [u8],
}

impl Block<'_> {
    /// Bytes of the block header.
    pub const HEADER: usize = 4;

    /// Offset of the first message in the file.
    pub fn payload_offset(&self) -> u64 {
        self.offset + Self::HEADER as u64
    }

    /// True when the file ends within the block.
    pub fn is_cut(&self) -> bool {
        self.payload.len() != self.size as usize
    }
}

/// The header: a size; and the first byte behind it, which is a message number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockHead {
    size: i32,
    first: Option<u8>,
}

impl BlockHead {
    const END_MARK: i32 = -1;
}

impl Head for BlockHead {
    const CHAIN: usize = 4;
    const LARGEST: usize = 32_768;
    const END: Option<&'static [u8]> = None;

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        match Reader::new(bytes).i32() {
            Ok(size) => HeadRead::Head(BlockHead { size, first: bytes.get(Block::HEADER).copied() }),
            Err(_) => HeadRead::More(Block::HEADER),
        }
    }
    #[inline]
    fn len(&self) -> usize {
        Block::HEADER
    }
    #[inline]
    fn payload(&self) -> i64 {
        if self.is_last() { 0 } else { i64::from(self.size) }
    }
    #[inline]
    fn is_last(&self) -> bool {
        self.size == Self::END_MARK
    }
    #[inline]
    fn possible(&self) -> bool {
        self.is_last() || (0..=0x4_0000).contains(&self.size)
    }
    fn plausible(&self, _: Option<&Self>) -> bool {
        (1..=Self::LARGEST as i32).contains(&self.size) && self.first.is_none_or(|id| (1..=20).contains(&(id & 0x7F)))
    }
}

/// Where a piece ends and what it is.
pub(crate) type Cut = frames::Cut<BlockHead>;

impl Cut {
    /// The piece, from the bytes that it was cut from.
    #[inline]
    pub(crate) fn piece<'a>(&self, window: &'a [u8]) -> Piece<'a> {
        match self.framed(window) {
            Framed::Block(head, ..) if head.is_last() => Piece::End,
            Framed::Block(head, index, payload) => {
                Piece::Block(Block { index, offset: self.offset, size: head.size as u32, payload })
            }
            Framed::Trailer(bytes) => Piece::Trailer(bytes),
            Framed::Stray(stray) => Piece::Stray(stray),
        }
    }
}

/// Cuts a file into [`Piece`]s.
#[derive(Debug, Clone)]
pub struct Framer(Frames<BlockHead>);

impl Framer {
    /// A framer at the beginning of a file.
    pub fn new(limits: Limits) -> Self {
        Framer(Frames::new(limits))
    }

    #[inline]
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        self.0.next(window, at_end)
    }
}
