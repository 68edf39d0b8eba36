//! Framing of `.dm2`: blocks behind their sizes, and an end mark.

use crate::format::framed;
use crate::format::frames::{self, Frames, Head, HeadRead};
use crate::wire::ByteReader;

/// One part of a file. An empty block stands between two levels; the end mark is the size -1.
pub type Chunk<'a> = crate::format::Chunk<'a, Block<'a>>;

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
}

framed!(Block: header |_| Block::HEADER, payload |b| b.size as usize, end mark &super::END_MARK);

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
    type Block<'a> = Block<'a>;

    const CHAIN: usize = 4;
    const LARGEST: usize = 44_800;
    const END: Option<&'static [u8]> = None;

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        match ByteReader::new(bytes).i32() {
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
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Block<'_> {
        Block { index, offset, size: self.size as u32, payload }
    }
    #[inline]
    fn possible(&self) -> bool {
        self.is_last() || (0..=0x4_0000).contains(&self.size)
    }
    fn plausible(&self, _: Option<&Self>) -> bool {
        (1..=Self::LARGEST as i32).contains(&self.size) && self.first.is_none_or(|id| (1..=33).contains(&(id & 0x7F)))
    }
}

/// Where a chunk ends and what it is.
pub(crate) type Cut = frames::Cut<BlockHead>;

/// Cuts a file into [`Chunk`]s.
pub(crate) type Framer = Frames<BlockHead>;
