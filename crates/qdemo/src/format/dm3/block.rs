//! Framing: cutting a Quake III demo into blocks, its end mark, and bytes that belong to neither.

use crate::format::framed;
use crate::format::frames::{self, Frames, Head, HeadRead};
use crate::wire::ByteReader;

/// One part of a file. A block is what the server sent in one packet; the end mark is a header of which all bits are
/// set. DeFRaG puts a trailer behind it.
pub type Chunk<'a> = crate::format::Chunk<'a, Block<'a>>;

/// A block of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Number of the block, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Sequence number of the packet.
    pub sequence: i32,
    /// Size of the messages as the header tells. Differs from `payload.len()` only when the file ends early.
    pub size: u32,
    /// The messages.
    pub payload: &'a [u8],
}

impl Block<'_> {
    /// Bytes of the block header.
    pub const HEADER: usize = 8;
}

framed!(Block: header |_| Block::HEADER, payload |b| b.size as usize, end mark &super::END_MARK);

/// The header: sequence number and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockHead {
    sequence: i32,
    size: i32,
}

impl BlockHead {
    const END_MARK: BlockHead = BlockHead { sequence: -1, size: -1 };
    /// Packets that may be lost between two blocks of a row.
    const GAP: i32 = 2_000;
}

impl Head for BlockHead {
    type Block<'a> = Block<'a>;

    const CHAIN: usize = 3;
    const LARGEST: usize = 32_768;
    const END: Option<&'static [u8]> = None;

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        let mut r = ByteReader::new(bytes);
        match (r.i32(), r.i32()) {
            (Ok(sequence), Ok(size)) => HeadRead::Head(BlockHead { sequence, size }),
            _ => HeadRead::More(Block::HEADER),
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
        *self == Self::END_MARK
    }
    #[inline]
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Block<'_> {
        Block { index, offset, sequence: self.sequence, size: self.size as u32, payload }
    }
    #[inline]
    fn possible(&self) -> bool {
        self.is_last() || self.plausible(None)
    }
    fn plausible(&self, before: Option<&Self>) -> bool {
        let gap = |b: &Self| (1..=Self::GAP).contains(&self.sequence.wrapping_sub(b.sequence));
        (1..=Self::LARGEST as i32).contains(&self.size) && self.sequence >= 0 && before.is_none_or(gap)
    }
}

/// Where a chunk ends and what it is.
pub(crate) type Cut = frames::Cut<BlockHead>;

/// Cuts a file into [`Chunk`]s.
pub(crate) type Framer = Frames<BlockHead>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Step;
    use crate::limits::Limits;

    fn block(sequence: i32, payload: &[u8]) -> Vec<u8> {
        let mut b = sequence.to_le_bytes().to_vec();
        b.extend((payload.len() as u32).to_le_bytes());
        b.extend(payload);
        b
    }

    fn chunks(file: &[u8]) -> Vec<(&'static str, usize)> {
        let mut framer = Framer::new(Limits::default());
        let (mut at, mut seen) = (0, Vec::new());
        while let Step::Cut(cut) = framer.next(&file[at..], true) {
            let name = match cut.chunk(&file[at..]) {
                Chunk::Block(block) if block.is_cut() => "cut",
                Chunk::Block(_) => "block",
                Chunk::End => "end",
                Chunk::Trailer(_) => "trailer",
                Chunk::Unframed(_) => "stray",
            };
            seen.push((name, cut.len));
            at += cut.len;
        }
        assert_eq!(at, file.len());
        seen
    }

    #[test]
    fn blocks_end_mark_and_what_follows() {
        let mut file = block(20, &[1; 20]);
        file.extend(block(22, &[]));
        file.extend([0xFF; 8]);
        assert_eq!(chunks(&file), [("block", 28), ("block", 8), ("end", 8)]);
        file.extend([7; 88]);
        assert_eq!(chunks(&file), [("block", 28), ("block", 8), ("end", 8), ("trailer", 88)]);
    }

    /// Damage between two blocks costs only itself.
    #[test]
    fn framing_goes_on_after_damage() {
        let mut file = block(20, &[1; 20]);
        file.extend([0xEE; 37]);
        for sequence in 21..24 {
            file.extend(block(sequence, &[1; 9]));
        }
        file.extend([0xFF; 8]);
        let expected = [("block", 28), ("stray", 37), ("block", 17), ("block", 17), ("block", 17), ("end", 8)];
        assert_eq!(chunks(&file), expected);
    }

    #[test]
    fn a_file_that_ends_early() {
        let mut file = block(20, &[1; 20]);
        file.extend(block(21, &[1; 20]));
        file.truncate(50);
        assert_eq!(chunks(&file), [("block", 28), ("cut", 22)]);
        file.truncate(31);
        assert_eq!(chunks(&file), [("block", 28), ("stray", 3)]);
    }
}
