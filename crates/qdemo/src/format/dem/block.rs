//! Framing: cutting a `.dem` into its track line, blocks, and bytes that belong to neither.

use super::message::Kind;
use crate::dialect::Dialect;
use crate::format::{Step, Unframed, framed};
use crate::limits::Limits;
use crate::wire::{F32, Fault, ByteReader, FaultKind};

/// One part of a file. All parts in order make up the file, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk<'a> {
    /// The CD track line at the beginning; possibly empty.
    Track(Track<'a>),
    /// A block of messages.
    Block(Block<'a>),
    /// Bytes that are no block.
    Unframed(Unframed<'a>),
}

/// The CD track line with its line end, exactly as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Track<'a> {
    /// The bytes, normally `-1\n`. Empty when the file has no track at all.
    pub bytes: &'a [u8],
}

impl Track<'_> {
    /// The track number as Quake 1.09 and its successors read it: digits accumulate, `-` anywhere makes it
    /// negative, every other byte counts as a digit too (DEM document, 6.1.2).
    ///
    /// ```
    /// use qdemo::format::dem::Track;
    /// assert_eq!(Track { bytes: b"-1\n" }.number(), -1);
    /// assert_eq!(Track { bytes: b"1-\n" }.number(), -1);
    /// ```
    pub fn number(&self) -> i32 {
        let (mut track, mut negative) = (0i32, false);
        for &b in self.bytes.iter().take_while(|&&b| b != b'\n') {
            if b == b'-' {
                negative = true;
            } else {
                track = track.wrapping_mul(10).wrapping_add(i32::from(b) - i32::from(b'0'));
            }
        }
        if negative { track.wrapping_neg() } else { track }
    }
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
    /// The client's view angles: pitch, yaw, roll in degrees.
    pub camera: [F32; 3],
    /// The messages.
    pub payload: &'a [u8],
}

impl Block<'_> {
    /// Bytes of the block header.
    pub const HEADER: usize = 16;

    /// The time message at its start, in seconds of the server's clock: nearly all blocks begin with one.
    pub fn time(&self) -> Option<f32> {
        let (id, rest) = self.payload.split_first()?;
        let seconds = rest.first_chunk::<4>().filter(|_| is_number_of(*id, Kind::Time))?;
        Some(f32::from_le_bytes(*seconds))
    }

    /// True for the lone `disconnect` that ends a cleanly stopped recording.
    pub fn is_final(&self) -> bool {
        matches!(self.payload, [id] if is_number_of(*id, Kind::Disconnect)) && !self.is_cut()
    }
}

framed!(Block: header |_| Block::HEADER, payload |b| b.size as usize);

/// Where a chunk ends and what it is, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    /// Bytes of the chunk.
    pub(crate) len: usize,
    offset: u64,
    what: CutKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum CutKind {
    Track,
    Block { index: u64, header: Header },
    Unframed { why: FaultKind },
}

impl Cut {
    /// The chunk, from the bytes that it was cut from.
    pub(crate) fn chunk<'a>(&self, window: &'a [u8]) -> Chunk<'a> {
        let bytes = window.get(..self.len).unwrap_or(window);
        match self.what {
            CutKind::Track => Chunk::Track(Track { bytes }),
            CutKind::Block { index, header } => Chunk::Block(Block {
                index,
                offset: self.offset,
                size: header.size as u32,
                camera: header.camera,
                payload: bytes.get(Block::HEADER..).unwrap_or_default(),
            }),
            CutKind::Unframed { why } => Chunk::Unframed(Unframed { offset: self.offset, bytes, why: Fault::new(why, 0) }),
        }
    }
}

/// True for the number of a kind of message that has the same one in every dialect.
fn is_number_of(id: u8, kind: Kind) -> bool {
    Dialect::QUAKE.number_of(kind) == Some(id)
}

/// Cuts a file into [`Chunk`]s. It sees a window of the file and asks for more when it needs it, so a file of any
/// size is read with memory for a few blocks.
#[derive(Debug, Clone)]
pub struct Framer {
    limits: Limits,
    offset: u64,
    block: u64,
    begun: bool,
    lost: bool,
}

impl Framer {
    /// A scan after damage looks for sizes that engines write (65,536 in the largest).
    pub(crate) const SCAN_BLOCK: usize = 65_536;
    /// Most unframed bytes in one chunk.
    const STRAY: usize = 65_536;
    /// Blocks in a row that end a scan.
    const CHAIN: usize = 3;

    /// A framer at the beginning of a file.
    pub fn new(limits: Limits) -> Self {
        Framer { limits, offset: 0, block: 0, begun: false, lost: false }
    }

    /// The next chunk of `window`, which begins where the last chunk ended. `at_end` tells that the window reaches
    /// to the end of the file.
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        let step = if self.begun { self.chunk(window, at_end) } else { self.track(window, at_end) };
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
        }
        step
    }

    fn cut(&self, len: usize, what: CutKind) -> Step<Cut> {
        Step::Cut(Cut { len, offset: self.offset, what })
    }

    fn track(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        const ENOUGH: usize = 1024;
        if window.len() < ENOUGH && !at_end {
            return Step::More;
        }
        self.begun = true;
        self.cut(track_len(window, at_end), CutKind::Track)
    }

    fn chunk(&mut self, window: &[u8], at_end: bool) -> Step<Cut> {
        if window.is_empty() {
            return if at_end { Step::End } else { Step::More };
        }
        let why = match Header::read(window) {
            _ if self.lost => FaultKind::Malformed("bytes between damage and the next block"),
            None if !at_end => return Step::More,
            None => {
                let why = FaultKind::Truncated { needed: Block::HEADER, available: window.len() };
                return self.unframed(window.len(), why);
            }
            Some(header) => {
                let size = header.size as usize;
                if header.size < 0 {
                    FaultKind::Malformed("negative block size")
                } else if size > self.limits.block {
                    FaultKind::Limit { what: "block size", limit: self.limits.block, found: size }
                } else if size <= window.len() - Block::HEADER {
                    return self.block(header, size);
                } else if !at_end {
                    return Step::More;
                } else {
                    // The file ends within the block, or the size is damaged and other blocks follow. The messages
                    // of a cut block can look like a block or two by chance, so a good header wants more proof.
                    let others = if header.plausible(window.get(Block::HEADER).copied()) {
                        find_row(&window[1..], |bytes| Row::at(bytes, true, Self::CHAIN).blocks == Self::CHAIN)
                    } else {
                        find_block(&window[1..], true)
                    };
                    if others.is_none() {
                        return self.block(header, window.len() - Block::HEADER);
                    }
                    FaultKind::Malformed("block size runs over the blocks behind it")
                }
            }
        };
        self.scan(window, at_end, why)
    }

    fn block(&mut self, header: Header, payload: usize) -> Step<Cut> {
        let index = self.block;
        self.block += 1;
        self.cut(Block::HEADER + payload, CutKind::Block { index, header })
    }

    /// Looks for the next block after damage, and hands out what lies before it.
    fn scan(&mut self, window: &[u8], at_end: bool, why: FaultKind) -> Step<Cut> {
        let reach = Self::STRAY + Self::CHAIN * (Self::SCAN_BLOCK + Block::HEADER) + Block::HEADER;
        if window.len() < reach && !at_end {
            return Step::More;
        }
        let from = usize::from(!self.lost);
        let found = window.get(from..).and_then(|rest| find_block(rest, at_end)).map(|n| n + from);
        self.lost = found.is_none();
        match found {
            Some(0) => self.chunk(window, at_end),
            Some(n) => self.unframed(n, why),
            None => self.unframed(window.len().min(Self::STRAY), why),
        }
    }

    fn unframed(&self, len: usize, why: FaultKind) -> Step<Cut> {
        self.cut(len, CutKind::Unframed { why })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Header {
    size: i32,
    camera: [F32; 3],
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Header> {
        let mut r = ByteReader::new(bytes);
        let size = r.i32().ok()?;
        let mut camera = [F32::default(); 3];
        for angle in &mut camera {
            *angle = F32::from_bits(r.u32().ok()?);
        }
        Some(Header { size, camera })
    }

    /// True when this looks like a header that an engine wrote.
    fn plausible(&self, first: Option<u8>) -> bool {
        (1..=Framer::SCAN_BLOCK as i32).contains(&self.size)
            && self.camera.iter().all(|a| a.get().is_finite() && a.get().abs() < 1e7)
            && first.is_none_or(|id| id >= 0x80 || (1..=60).contains(&id))
    }
}

/// A row of plausible blocks at the start of some bytes.
struct Row {
    /// Blocks, at most as many as were asked for.
    blocks: usize,
    /// True when the row goes on to the end of the bytes without a contradiction.
    to_the_end: bool,
}

impl Row {
    fn at(bytes: &[u8], at_end: bool, most: usize) -> Row {
        let mut rest = bytes;
        for blocks in 0..most {
            let Some(header) = Header::read(rest) else {
                return Row { blocks, to_the_end: blocks > 0 && (rest.is_empty() || !at_end) };
            };
            if !header.plausible(rest.get(Block::HEADER).copied()) {
                return Row { blocks, to_the_end: false };
            }
            match rest.get(Block::HEADER + header.size as usize..) {
                Some(next) => rest = next,
                None => return Row { blocks, to_the_end: !at_end },
            }
        }
        Row { blocks: most, to_the_end: rest.is_empty() }
    }
}

/// The first offset within [`Framer::STRAY`] bytes where blocks begin again: so many in a row, or all that follow.
fn find_block(bytes: &[u8], at_end: bool) -> Option<usize> {
    find_row(bytes, |bytes| {
        let row = Row::at(bytes, at_end, Framer::CHAIN);
        row.blocks == Framer::CHAIN || row.to_the_end
    })
}

fn find_row(bytes: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (0..bytes.len().min(Framer::STRAY)).find(|&n| fits(&bytes[n..]))
}

/// Length of the track line. Candidates are the line of newer readers (everything up to a line feed), the number
/// of old readers (`fscanf`: a number and all white space behind it), and nothing; the first behind which blocks
/// begin is taken.
fn track_len(bytes: &[u8], at_end: bool) -> usize {
    const LONGEST: usize = 12;
    let head = &bytes[..bytes.len().min(LONGEST)];
    let allowed = |b: u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b' ' | b'\t' | b'\r');
    let line = head.iter().position(|&b| b == b'\n').filter(|&n| head[..n].iter().all(|&b| allowed(b))).map(|n| n + 1);
    let sign = usize::from(head.first() == Some(&b'-'));
    let digits = head[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    let space = head[sign + digits..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let number = (digits > 0).then_some(sign + digits + space);
    let bare = (digits > 0 && space == 0).then_some(sign + digits);
    let begins = |n: usize| {
        let row = Row::at(&bytes[n..], at_end, 2);
        row.blocks > 0 || row.to_the_end
    };
    let candidates = [line, number, bare, Some(0)];
    let found = candidates.into_iter().flatten().find(|&n| begins(n));
    found.or(line).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(payload: &[u8]) -> Vec<u8> {
        let mut b = (payload.len() as u32).to_le_bytes().to_vec();
        b.extend([0; 12]);
        b.extend(payload);
        b
    }

    /// The readers of the DEM document, section 6.1, and what facts add: CR, no newline at all, no track at all.
    #[test]
    fn track_lines_of_all_readers() {
        for head in ["-1\n", "2\n", "0\n", "\n", "-1 ", "7", "", "-1\r\n", "1-\n", " 2\n"] {
            let mut file = head.as_bytes().to_vec();
            file.extend(block(&[7, 0, 0, 128, 63]));
            file.extend(block(&[2]));
            assert_eq!(track_len(&file, true), head.len(), "{head:?}");
        }
    }

    /// A block length whose low byte is white space belongs to the block when a line feed came before it.
    #[test]
    fn white_space_in_the_first_size_is_no_track() {
        let mut file = b"-1\n".to_vec();
        file.extend(block(&[1; 32]));
        file.extend(block(&[2]));
        assert_eq!(track_len(&file, true), 3);
    }

    /// Damage between two blocks costs only itself.
    #[test]
    fn framing_goes_on_after_damage() {
        let mut file = b"-1\n".to_vec();
        file.extend(block(&[1; 20]));
        file.extend([0xFF; 37]);
        for _ in 0..3 {
            file.extend(block(&[1; 9]));
        }
        let mut framer = Framer::new(Limits::default());
        let (mut at, mut seen) = (0, Vec::new());
        while let Step::Cut(cut) = framer.next(&file[at..], true) {
            let name = match cut.chunk(&file[at..]) {
                Chunk::Track(_) => "track",
                Chunk::Block(_) => "block",
                Chunk::Unframed(_) => "stray",
            };
            seen.push((name, cut.len));
            at += cut.len;
        }
        let expected = [("track", 3), ("block", 36), ("stray", 37), ("block", 25), ("block", 25), ("block", 25)];
        assert_eq!(seen, expected);
    }
}
