//! Framing: cutting a `.dem` into its track line, blocks, and bytes that belong to neither.

use super::packet::Header;
use crate::describe::Part;
use crate::frame::{Cut, CutKind, Header as _, Step};
use crate::limits::{Bound, Limits};
use crate::wire::{ByteReader, FaultKind};

/// Cuts a file into chunks.
#[derive(Debug, Clone)]
pub(crate) struct Framer {
    limits: Limits,
    offset: u64,
    block: u64,
    begun: bool,
    lost: bool,
}

impl crate::frame::Framer for Framer {
    type Header = Header;

    fn new(limits: Limits) -> Self {
        Framer { limits, offset: 0, block: 0, begun: false, lost: false }
    }

    fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut<Header>> {
        let step = if self.begun { self.chunk(window, at_end) } else { self.track(window, at_end) };
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
        }
        step
    }
}

impl Framer {
    /// A scan after damage looks for sizes that engines write (65,536 in the largest).
    pub(crate) const SCAN_BLOCK: usize = 65_536;
    /// Most unframed bytes in one chunk.
    const UNFRAMED: usize = 65_536;
    /// Blocks in a row that end a scan.
    const CHAIN: usize = 3;

    fn cut(&self, len: usize, kind: CutKind<Header>) -> Step<Cut<Header>> {
        Step::Cut(Cut { len, offset: self.offset, kind })
    }

    fn track(&mut self, window: &[u8], at_end: bool) -> Step<Cut<Header>> {
        const ENOUGH: usize = 1024;
        if window.len() < ENOUGH && !at_end {
            return Step::More;
        }
        self.begun = true;
        self.cut(track_len(window, at_end), CutKind::Start)
    }

    fn chunk(&mut self, window: &[u8], at_end: bool) -> Step<Cut<Header>> {
        if window.is_empty() {
            return if at_end { Step::End } else { Step::More };
        }
        let why = match read(window) {
            _ if self.lost => FaultKind::Malformed("bytes between damage and the next block"),
            None if !at_end => return Step::More,
            None => {
                let why = FaultKind::Truncated { needed: Header::LEN, available: window.len() };
                return self.unframed(window.len(), why);
            }
            Some(header) => {
                let Ok(size) = usize::try_from(header.payload()) else {
                    return self.scan(window, at_end, FaultKind::Malformed("negative block size"));
                };
                if size > self.limits.block {
                    FaultKind::Limit { what: Bound::Block, limit: self.limits.block, found: size }
                } else if size <= window.len() - Header::LEN {
                    return self.block(header, size);
                } else if !at_end {
                    return Step::More;
                } else {
                    // The file ends within the block, or the size is damaged and other blocks follow. The messages
                    // of a cut block can look like a block or two by chance, so a good header wants more proof.
                    let others = if plausible(&header, window.get(Header::LEN).copied()) {
                        find_row(&window[1..], |bytes| Row::at(bytes, true, Self::CHAIN).blocks == Self::CHAIN)
                    } else {
                        find_block(&window[1..], true)
                    };
                    if others.is_none() {
                        return self.block(header, window.len() - Header::LEN);
                    }
                    FaultKind::Malformed("block size runs over the blocks behind it")
                }
            }
        };
        self.scan(window, at_end, why)
    }

    fn block(&mut self, header: Header, payload: usize) -> Step<Cut<Header>> {
        let index = self.block;
        self.block += 1;
        self.cut(Header::LEN + payload, CutKind::Block { index, header, len: Header::LEN })
    }

    /// Looks for the next block after damage, and hands out what lies before it.
    fn scan(&mut self, window: &[u8], at_end: bool, why: FaultKind) -> Step<Cut<Header>> {
        let reach = Self::UNFRAMED + Self::CHAIN * (Self::SCAN_BLOCK + Header::LEN) + Header::LEN;
        if window.len() < reach && !at_end {
            return Step::More;
        }
        let from = usize::from(!self.lost);
        let found = window.get(from..).and_then(|rest| find_block(rest, at_end)).map(|n| n + from);
        self.lost = found.is_none();
        match found {
            Some(0) => self.chunk(window, at_end),
            Some(n) => self.unframed(n, why),
            None => self.unframed(window.len().min(Self::UNFRAMED), why),
        }
    }

    fn unframed(&self, len: usize, why: FaultKind) -> Step<Cut<Header>> {
        self.cut(len, CutKind::Unframed(why))
    }
}

fn read(bytes: &[u8]) -> Option<Header> {
    Header::read(&mut ByteReader::new(bytes)).ok()
}

/// True when this looks like a header that an engine wrote.
fn plausible(header: &Header, first: Option<u8>) -> bool {
    (1..=Framer::SCAN_BLOCK as i64).contains(&header.payload())
        && header.camera.iter().all(|a| a.get().is_finite() && a.get().abs() < 1e7)
        && first.is_none_or(|id| id >= 0x80 || (1..=60).contains(&id))
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
            let Some(header) = read(rest) else {
                return Row { blocks, to_the_end: blocks > 0 && (rest.is_empty() || !at_end) };
            };
            if !plausible(&header, rest.get(Header::LEN).copied()) {
                return Row { blocks, to_the_end: false };
            }
            match rest.get(Header::LEN + header.payload() as usize..) {
                Some(next) => rest = next,
                None => return Row { blocks, to_the_end: !at_end },
            }
        }
        Row { blocks: most, to_the_end: rest.is_empty() }
    }
}

/// The first offset within [`Framer::UNFRAMED`] bytes where blocks begin again: so many in a row, or all that follow.
fn find_block(bytes: &[u8], at_end: bool) -> Option<usize> {
    find_row(bytes, |bytes| {
        let row = Row::at(bytes, at_end, Framer::CHAIN);
        row.blocks == Framer::CHAIN || row.to_the_end
    })
}

fn find_row(bytes: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<usize> {
    (0..bytes.len().min(Framer::UNFRAMED)).find(|&n| fits(&bytes[n..]))
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
    use crate::frame::Framer as _;

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
            let name = match cut.kind {
                CutKind::Start => "track",
                CutKind::Block { .. } => "block",
                CutKind::Unframed(_) => "unframed",
                other => panic!("{other:?} in Quake"),
            };
            seen.push((name, cut.len));
            at += cut.len;
        }
        let expected = [("track", 3), ("block", 36), ("unframed", 37), ("block", 25), ("block", 25), ("block", 25)];
        assert_eq!(seen, expected);
    }
}
