//! Framing of `.qwd`: blocks of three kinds.

use crate::format::framed;
use crate::format::frames::{self, Frames, Head, HeadRead};
use crate::wire::{F32, ByteReader, FaultKind};

/// One part of a file. A trailer is what was left in the recorder's memory; there is no end mark.
pub type Chunk<'a> = crate::format::Chunk<'a, Block<'a>>;

/// FaultKind a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A command of the recording client: 36 bytes, a dump of the engine's structure.
    Command,
    /// A packet of the server.
    Packet {
        /// Its size as the header tells. Differs from `payload.len()` only when the file ends early.
        size: u32,
    },
    /// The sequence numbers at the moment when recording began: 8 bytes.
    Frame,
}

/// A block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Number of the block, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Seconds on the recorder's clock.
    pub time: F32,
    /// FaultKind it is.
    pub kind: BlockKind,
    /// The bytes behind the header.
    pub payload: &'a [u8],
}

/// The end of a recording: `disconnect "EndOfDemo"`.
pub(crate) const END_OF_DEMO: &[u8] = b"\x02EndOfDemo\0";
/// Bytes of a command block.
pub(crate) const COMMAND: usize = 36;
/// Bytes of a frame block.
pub(super) const FRAME: usize = 8;

impl Block<'_> {
    /// Bytes of the header.
    fn header_len(&self) -> usize {
        if matches!(self.kind, BlockKind::Packet { .. }) { 9 } else { 5 }
    }

    /// Bytes that the payload should have.
    fn whole(&self) -> usize {
        match self.kind {
            BlockKind::Command => COMMAND,
            BlockKind::Packet { size } => size as usize,
            BlockKind::Frame => FRAME,
        }
    }
}

framed!(Block: header Block::header_len, payload Block::whole);

/// The header: time, kind, and for packets a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockHead {
    time: F32,
    code: u8,
    size: i32,
}

impl Head for BlockHead {
    type Block<'a> = Block<'a>;

    const CHAIN: usize = 4;
    const LARGEST: usize = 8_192;
    const END: Option<&'static [u8]> = Some(END_OF_DEMO);

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        let mut r = ByteReader::new(bytes);
        let (Ok(time), Ok(code)) = (r.u32(), r.u8()) else { return HeadRead::More(5) };
        let size = match code {
            0 => COMMAND as i32,
            2 => FRAME as i32,
            1 => match r.i32() {
                Ok(size) => size,
                Err(_) => return HeadRead::More(9),
            },
            _ => return HeadRead::Bad(FaultKind::Malformed("a block is of kind 0, 1 or 2")),
        };
        HeadRead::Head(BlockHead { time: F32::from_bits(time), code, size })
    }
    #[inline]
    fn len(&self) -> usize {
        if self.code == 1 { 9 } else { 5 }
    }
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size)
    }
    #[inline]
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Block<'_> {
        let kind = match self.code {
            0 => BlockKind::Command,
            1 => BlockKind::Packet { size: self.size as u32 },
            _ => BlockKind::Frame,
        };
        Block { index, offset, time: self.time, kind, payload }
    }
    #[inline]
    fn possible(&self) -> bool {
        self.time.get().is_finite() && (0..=0x4_0000).contains(&self.size)
    }
    fn plausible(&self, before: Option<&Self>) -> bool {
        // A clock stands at 0 or tells ms. Small whole numbers, of which packets are full, are far less as floats.
        let time = self.time.get();
        (time == 0.0 || (1e-4..1e8).contains(&time))
            && (5..=Self::LARGEST as i32).contains(&self.size)
            && before.is_none_or(|b| (-1.0..300.0).contains(&(time - b.time.get())))
    }
}

/// Where a chunk ends and what it is.
pub(crate) type Cut = frames::Cut<BlockHead>;

/// Cuts a file into [`Chunk`]s.
pub(crate) type Framer = Frames<BlockHead>;
