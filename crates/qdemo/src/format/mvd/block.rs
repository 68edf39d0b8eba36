//! Framing of `.mvd`: records with a time difference and a target.

use crate::format::framed;
use crate::format::frames::{self, Frames, Head, HeadRead};
use crate::format::qwd::END_OF_DEMO;
use crate::wire::{ByteReader, FaultKind};

/// One part of a file. A trailer is what was left in the recorder's memory; there is no end mark.
pub type Chunk<'a> = crate::format::Chunk<'a, Block<'a>>;

/// FaultKind a record is and whom it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A command, as in `.qwd`. Not seen in files.
    Command,
    /// For those that the record before was for.
    Same,
    /// Two sequence numbers, without meaning here.
    Set,
    /// For several players: a bit for each slot. 0: for nobody, hidden messages.
    Multiple(u32),
    /// For one player.
    Single,
    /// Stats of one player.
    Stats,
    /// For everyone.
    All,
}

impl Target {
    /// The low three bits of the kind byte.
    pub(crate) fn number(self) -> u8 {
        match self {
            Target::Command => 0,
            Target::Same => 1,
            Target::Set => 2,
            Target::Multiple(_) => 3,
            Target::Single => 4,
            Target::Stats => 5,
            Target::All => 6,
        }
    }
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// Number of the record, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Milliseconds since the record before.
    pub msec: u8,
    /// FaultKind it is and whom it is for.
    pub target: Target,
    /// Slot of the player, for [`Target::Single`] and [`Target::Stats`]; 0 to 31.
    pub slot: u8,
    /// Size of the payload as the header tells. Differs from `payload.len()` only when the file ends early.
    pub size: u32,
    /// The bytes behind the header.
    pub payload: &'a [u8],
}

impl Block<'_> {
    /// Bytes of the header.
    pub fn header_len(&self) -> usize {
        header_len(self.target.number())
    }
}

framed!(Block: header Block::header_len, payload |b| b.size as usize);

fn header_len(kind: u8) -> usize {
    match kind {
        0 | 2 => 2,
        3 => 10,
        _ => 6,
    }
}

/// The header: milliseconds, kind with slot, perhaps a mask, perhaps a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RecordHead {
    msec: u8,
    kind: u8,
    mask: u32,
    size: i32,
}

impl Head for RecordHead {
    type Block<'a> = Block<'a>;

    // Any two bytes may be a header: only a long row proves something.
    const CHAIN: usize = 8;
    const LARGEST: usize = 8_192;
    const END: Option<&'static [u8]> = Some(END_OF_DEMO);

    #[inline]
    fn read(bytes: &[u8]) -> HeadRead<Self> {
        let mut r = ByteReader::new(bytes);
        let (Ok(msec), Ok(kind)) = (r.u8(), r.u8()) else { return HeadRead::More(2) };
        let needed = header_len(kind & 7);
        if kind & 7 == 7 {
            return HeadRead::Bad(FaultKind::Malformed("a record is of kind 0 to 6"));
        }
        let mask = if kind & 7 == 3 { r.u32() } else { Ok(0) };
        let size = match kind & 7 {
            0 => Ok(crate::format::qwd::COMMAND as i32),
            2 => Ok(8),
            _ => r.i32(),
        };
        match (mask, size) {
            (Ok(mask), Ok(size)) => HeadRead::Head(RecordHead { msec, kind, mask, size }),
            _ => HeadRead::More(needed),
        }
    }
    #[inline]
    fn len(&self) -> usize {
        header_len(self.kind & 7)
    }
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size)
    }
    #[inline]
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Block<'_> {
        let target = match self.kind & 7 {
            0 => Target::Command,
            1 => Target::Same,
            2 => Target::Set,
            3 => Target::Multiple(self.mask),
            4 => Target::Single,
            5 => Target::Stats,
            _ => Target::All,
        };
        Block { index, offset, msec: self.msec, target, slot: self.kind >> 3, size: self.size as u32, payload }
    }
    #[inline]
    fn possible(&self) -> bool {
        (0..=0x4_0000).contains(&self.size)
    }
    fn plausible(&self, _: Option<&Self>) -> bool {
        (0..=Self::LARGEST as i32).contains(&self.size) && self.kind & 7 != 0 && self.kind & 7 != 2
    }
}

/// Where a chunk ends and what it is.
pub(crate) type Cut = frames::Cut<RecordHead>;

/// Cuts a file into [`Chunk`]s.
pub(crate) type Framer = Frames<RecordHead>;
