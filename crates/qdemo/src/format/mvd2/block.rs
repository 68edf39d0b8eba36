//! Framing of `.mvd2`: blocks behind their sizes, the first behind a mark, and an end mark.

use super::decode::{END_MARK, MAGIC};
use crate::dialect::{ConfigStrings, Dialect};
use crate::format::framed;
use crate::format::frames::{self, Frames, Head, HeadRead};
use crate::wire::ByteReader;

/// One part of a file. The end mark is the size 0.
pub type Chunk<'a> = crate::format::Chunk<'a, Block<'a>>;

/// A block of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Number of the block, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// True when the mark of the format stands in front: the first block of a file.
    pub marked: bool,
    /// Size of the commands as the header tells. Differs from `payload.len()` only when the file ends early.
    pub size: u16,
    /// The commands.
    pub payload: &'a [u8],
}

impl Block<'_> {
    /// Bytes of the header: the size, and the mark.
    pub fn header_len(&self) -> usize {
        header_len(self.marked)
    }
}

framed!(Block: header Block::header_len, payload |b| usize::from(b.size), end mark &END_MARK);

fn header_len(marked: bool) -> usize {
    END_MARK.len() + if marked { MAGIC.len() } else { 0 }
}

/// The header: perhaps the mark, a size; and the first bytes behind it, with the number of a command in front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockHead {
    marked: bool,
    size: u16,
    first: Option<u8>,
    /// What follows the number, with zeros behind the end of the file.
    next: [u8; 4],
}

impl BlockHead {
    /// True when the first command has a number that there is.
    fn begins_well(&self) -> bool {
        self.first.is_none_or(|number| matches!(number & 0x1F, 1 | 4..=6 | 8..=17))
    }

    /// True when the first command looks like one that a server wrote, as far as it can be seen.
    fn looks_written(&self) -> bool {
        let Some(number) = self.first else { return true };
        let [a, b, c, d] = self.next;
        let (command, spare) = (number & 0x1F, number >> 5);
        let carries = |between: u16, message: u8| {
            let len = u16::from(a) | u16::from(spare) << 8;
            len != 0 && self.size > between + len + 1 && matches!(message, 1..=24)
        };
        match command {
            1 => spare == 0,
            4 => i32::from_le_bytes(self.next) == Dialect::MVD2_PROTOCOL,
            5 => spare == 0 && u16::from_le_bytes([a, b]) < ConfigStrings::EXTENDED.end && self.size >= 4,
            6 => spare == 0 && a <= 32 && self.size >= 5,
            8 | 9 => carries(1, c) && b < u8::MAX,
            10 | 13 => carries(0, b),
            11 | 12 | 14 | 15 => carries(2, d),
            16 => spare < 4 && a & 8 != 0 && self.size >= 5,
            17 => spare == 0 && a < 4 && self.size >= 3,
            _ => false,
        }
    }
}

impl Head for BlockHead {
    type Block<'a> = Block<'a>;

    // Two bytes are a weak header: only a longer row proves something.
    const CHAIN: usize = 6;
    const CHAIN_AT_END: usize = 4;
    const LARGEST: usize = u16::MAX as usize;
    const END: Option<&'static [u8]> = None;

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        let marked = bytes.starts_with(&MAGIC);
        let len = header_len(marked);
        match bytes.get(len - END_MARK.len()..).map(|size| ByteReader::new(size).u16()) {
            Some(Ok(size)) => {
                let mut next = [0; 4];
                let behind = bytes.get(len + 1..).unwrap_or_default();
                next.iter_mut().zip(behind).for_each(|(slot, byte)| *slot = *byte);
                HeadRead::Head(BlockHead { marked, size, first: bytes.get(len).copied(), next })
            }
            _ => HeadRead::More(len),
        }
    }
    #[inline]
    fn len(&self) -> usize {
        header_len(self.marked)
    }
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size)
    }
    #[inline]
    fn is_last(&self) -> bool {
        // With the mark it is the whole recording, in a block of nothing.
        self.size == 0 && !self.marked
    }
    #[inline]
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Block<'_> {
        Block { index, offset, marked: self.marked, size: self.size, payload }
    }
    #[inline]
    fn possible(&self) -> bool {
        self.is_last() || self.begins_well()
    }
    fn plausible(&self, _: Option<&Self>) -> bool {
        self.size != 0 && self.looks_written()
    }
}

/// Where a chunk ends and what it is.
pub(crate) type Cut = frames::Cut<BlockHead>;

/// Cuts a file into [`Chunk`]s.
pub(crate) type Framer = Frames<BlockHead>;
