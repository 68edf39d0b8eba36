//! Framing: cutting a Quake III demo into blocks, its end mark, and bytes that belong to neither.

use crate::format::{Step, Stray};
use crate::limits::Limits;
use crate::wire::{Fault, Reader, What};

/// One part of a file. All parts in order make up the file, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'a> {
    /// A block of messages: what the server sent in one packet.
    Block(Block<'a>),
    /// The end mark: a header of which all bits are set.
    End,
    /// Bytes behind the end mark. DeFRaG puts some there.
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

    /// Offset of the first message in the file.
    pub fn payload_offset(&self) -> u64 {
        self.offset + Self::HEADER as u64
    }

    /// True when the file ends within the block.
    pub fn is_cut(&self) -> bool {
        self.size as usize != self.payload.len()
    }
}

/// Where a piece ends and what it is, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// Bytes of the piece.
    pub(crate) len: usize,
    offset: u64,
    what: CutKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CutKind {
    Block { index: u64, header: Header },
    End,
    Trailer,
    Stray { why: What },
}

impl Cut {
    /// The piece, from the bytes that it was cut from.
    pub(crate) fn piece<'a>(&self, window: &'a [u8]) -> Piece<'a> {
        let bytes = window.get(..self.len).unwrap_or(window);
        match self.what {
            CutKind::Block { index, header } => Piece::Block(Block {
                index,
                offset: self.offset,
                sequence: header.sequence,
                size: header.size as u32,
                payload: bytes.get(Block::HEADER..).unwrap_or_default(),
            }),
            CutKind::End => Piece::End,
            CutKind::Trailer => Piece::Trailer(bytes),
            CutKind::Stray { why } => Piece::Stray(Stray { offset: self.offset, bytes, why: Fault::new(why, 0) }),
        }
    }
}

/// Cuts a file into [`Piece`]s. It sees a window of the file and asks for more when it needs it, so a file of any
/// size is read with memory for a few blocks.
#[derive(Debug, Clone)]
pub struct Framer {
    limits: Limits,
    offset: u64,
    block: u64,
    lost: bool,
    ended: bool,
}

impl Framer {
    /// A scan after damage looks for sizes that engines write (32,768 in the largest, as messages of 16,384 are cut).
    pub(crate) const SCAN_BLOCK: usize = 32_768;
    /// Most stray bytes in one piece.
    const STRAY: usize = 65_536;
    /// Blocks in a row that end a scan.
    const CHAIN: usize = 3;
    /// Bytes that a scan looks at.
    const REACH: usize = Self::STRAY + Self::CHAIN * (Self::SCAN_BLOCK + Block::HEADER) + Block::HEADER;
    /// Packets that may be lost between two blocks of a row.
    const GAP: i32 = 2_000;

    /// A framer at the beginning of a file.
    pub fn new(limits: Limits) -> Self {
        Framer { limits, offset: 0, block: 0, lost: false, ended: false }
    }

    /// The next piece of `window`, which begins where the last piece ended. `at_end` tells that the window reaches
    /// to the end of the file.
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        let step = self.piece(window, at_end);
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
        }
        step
    }

    fn cut(&self, len: usize, what: CutKind) -> Step<Cut> {
        Step::Cut(Cut { len, offset: self.offset, what })
    }

    fn piece(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        if window.is_empty() {
            return if at_end { Step::End } else { Step::More };
        }
        if self.ended {
            if window.len() < Self::STRAY && !at_end {
                return Step::More;
            }
            return self.cut(window.len().min(Self::STRAY), CutKind::Trailer);
        }
        let why = match Header::read(window) {
            _ if self.lost => What::Malformed("bytes between damage and the next block"),
            None if !at_end => return Step::More,
            None => {
                let why = What::Truncated { needed: Block::HEADER, available: window.len() };
                return self.cut(window.len(), CutKind::Stray { why });
            }
            Some(Header::END) => {
                self.ended = true;
                return self.cut(Block::HEADER, CutKind::End);
            }
            Some(header) => {
                let size = header.size as usize;
                if header.size < 0 {
                    What::Malformed("negative block size")
                } else if size > self.limits.block {
                    What::Limit { what: "block size", limit: self.limits.block, found: size }
                } else if size <= window.len() - Block::HEADER {
                    match self.runs_over(window, size, at_end) {
                        None => return Step::More,
                        Some(false) => return self.block(header, size),
                        Some(true) => What::Malformed("block size runs over the blocks behind it"),
                    }
                } else if !at_end {
                    return Step::More;
                } else if find_row(&window[1..], at_end).is_none() {
                    // The file ends within the block.
                    return self.block(header, window.len() - Block::HEADER);
                } else {
                    What::Malformed("block size runs over the blocks behind it")
                }
            }
        };
        self.scan(window, at_end, why)
    }

    /// True when no header stands behind a block, and other blocks begin within it: then its size is damaged.
    /// `None`: more bytes are needed to tell.
    fn runs_over(&self, window: &[u8], size: usize, at_end: bool) -> Option<bool> {
        let behind = window.get(Block::HEADER + size..).unwrap_or_default();
        match Header::read(behind) {
            Some(next) if next == Header::END || next.plausible(None) => return Some(false),
            Some(_) => {}
            None if at_end => return Some(false),
            None => return None,
        }
        if window.len() < Self::REACH + size && !at_end {
            return None;
        }
        Some(find_row(&window[1..], at_end).is_some_and(|n| n < size))
    }

    fn block(&mut self, header: Header, payload: usize) -> Step<Cut> {
        let index = self.block;
        self.block += 1;
        self.cut(Block::HEADER + payload, CutKind::Block { index, header })
    }

    /// Looks for the next block after damage, and hands out what lies before it.
    fn scan(&mut self, window: &[u8], at_end: bool, why: What) -> Step<Cut> {
        if window.len() < Self::REACH && !at_end {
            return Step::More;
        }
        let from = usize::from(!self.lost);
        let found = window.get(from..).and_then(|rest| find_row(rest, at_end)).map(|n| n + from);
        self.lost = found.is_none();
        match found {
            Some(0) => self.piece(window, at_end),
            Some(n) => self.cut(n, CutKind::Stray { why }),
            None => self.cut(window.len().min(Self::STRAY), CutKind::Stray { why }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Header {
    sequence: i32,
    size: i32,
}

impl Header {
    const END: Header = Header { sequence: -1, size: -1 };

    fn read(bytes: &[u8]) -> Option<Header> {
        let mut r = Reader::new(bytes);
        Some(Header { sequence: r.i32().ok()?, size: r.i32().ok()? })
    }

    /// True when this looks like a header that an engine wrote behind that of packet `last`.
    fn plausible(&self, last: Option<i32>) -> bool {
        let gap = |last: i32| (1..=Framer::GAP).contains(&self.sequence.wrapping_sub(last));
        (1..=Framer::SCAN_BLOCK as i32).contains(&self.size) && self.sequence >= 0 && last.is_none_or(gap)
    }
}

/// The first offset within [`Framer::STRAY`] bytes where blocks with rising numbers begin again: so many in a row, or
/// fewer up to the end mark.
fn find_row(bytes: &[u8], at_end: bool) -> Option<usize> {
    (0..bytes.len().min(Framer::STRAY)).find(|&n| is_row(&bytes[n..], at_end))
}

fn is_row(bytes: &[u8], at_end: bool) -> bool {
    let (mut rest, mut last) = (bytes, None);
    for blocks in 0..Framer::CHAIN {
        let Some(header) = Header::read(rest) else {
            return blocks > 1 && rest.is_empty() && at_end;
        };
        if header == Header::END {
            return blocks > 0 && rest.len() == Block::HEADER && at_end;
        }
        if !header.plausible(last) {
            return false;
        }
        match rest.get(Block::HEADER + header.size as usize..) {
            Some(next) => rest = next,
            None => return false,
        }
        last = Some(header.sequence);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(sequence: i32, payload: &[u8]) -> Vec<u8> {
        let mut b = sequence.to_le_bytes().to_vec();
        b.extend((payload.len() as u32).to_le_bytes());
        b.extend(payload);
        b
    }

    fn pieces(file: &[u8]) -> Vec<(&'static str, usize)> {
        let mut framer = Framer::new(Limits::default());
        let (mut at, mut seen) = (0, Vec::new());
        while let Step::Cut(cut) = framer.next(&file[at..], true) {
            let name = match cut.piece(&file[at..]) {
                Piece::Block(block) if block.is_cut() => "cut",
                Piece::Block(_) => "block",
                Piece::End => "end",
                Piece::Trailer(_) => "trailer",
                Piece::Stray(_) => "stray",
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
        assert_eq!(pieces(&file), [("block", 28), ("block", 8), ("end", 8)]);
        file.extend([7; 88]);
        assert_eq!(pieces(&file), [("block", 28), ("block", 8), ("end", 8), ("trailer", 88)]);
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
        assert_eq!(pieces(&file), expected);
    }

    #[test]
    fn a_file_that_ends_early() {
        let mut file = block(20, &[1; 20]);
        file.extend(block(21, &[1; 20]));
        file.truncate(50);
        assert_eq!(pieces(&file), [("block", 28), ("cut", 22)]);
        file.truncate(31);
        assert_eq!(pieces(&file), [("block", 28), ("stray", 3)]);
    }
}
