//! Framing by headers: cutting a file into blocks, each behind a header that tells its size, and bytes that are none.

use super::{Chunk, Step, Unframed};
use crate::limits::Limits;
use crate::wire::{Fault, FaultKind};

/// The header of a block in one format.
pub(crate) trait Head: Copy {
    /// FaultKind a block is, with its bytes.
    type Block<'a>;

    /// Blocks in a row that end a scan after damage.
    const CHAIN: usize;
    /// Blocks in a row that do so where the file ends behind them; one less in front of an end mark.
    const CHAIN_AT_END: usize = 2;
    /// A scan looks for payloads that engines write.
    const LARGEST: usize;
    /// How the payload of the last block ends, where it tells.
    const END: Option<&'static [u8]>;

    /// Reads the header at the beginning of some bytes.
    fn read(bytes: &[u8]) -> HeadRead<Self>;
    /// Bytes of the header itself.
    fn len(&self) -> usize;
    /// Bytes behind it, as it says.
    fn payload(&self) -> i64;
    /// True when this is an end mark: nothing but a trailer follows.
    fn is_last(&self) -> bool {
        false
    }
    /// The block behind this header: its number, the offset of the header in the file, what stands behind it.
    fn block(self, index: u64, offset: u64, payload: &[u8]) -> Self::Block<'_>;
    /// True when this may be a header.
    fn possible(&self) -> bool;
    /// True when this looks like a header that an engine wrote, behind the one `before`.
    fn plausible(&self, before: Option<&Self>) -> bool;
}

/// FaultKind came of reading a header.
pub(crate) enum HeadRead<H> {
    /// So many bytes are needed.
    More(usize),
    /// These bytes are no header.
    Bad(FaultKind),
    /// A header.
    Head(H),
}

/// Where a chunk ends and what it is, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut<H> {
    /// Bytes of the chunk.
    pub(crate) len: usize,
    /// Its offset in the file.
    pub(crate) offset: u64,
    /// FaultKind it is.
    pub(crate) what: CutKind<H>,
}

/// FaultKind a chunk is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CutKind<H> {
    /// A block, with its number.
    Block(H, u64),
    /// Bytes behind the end of a recording that are no blocks.
    Trailer,
    /// Bytes that are no block.
    Unframed(FaultKind),
}

impl<H: Head> Cut<H> {
    /// The chunk, from the bytes that it was cut from.
    #[inline]
    pub(crate) fn chunk<'a>(&self, window: &'a [u8]) -> Chunk<'a, H::Block<'a>> {
        let bytes = window.get(..self.len).unwrap_or(window);
        match self.what {
            CutKind::Block(head, _) if head.is_last() => Chunk::End,
            CutKind::Block(head, index) => {
                let payload = bytes.get(head.len()..).unwrap_or_default();
                Chunk::Block(head.block(index, self.offset, payload))
            }
            CutKind::Trailer => Chunk::Trailer(bytes),
            CutKind::Unframed(why) => Chunk::Unframed(Unframed { offset: self.offset, bytes, why: Fault::new(why, 0) }),
        }
    }
}

/// Cuts a file into blocks. It sees a window of the file and asks for more when it needs it, so a file of any size is
/// read with memory for a few blocks.
#[derive(Debug, Clone)]
pub(crate) struct Frames<H> {
    limits: Limits,
    offset: u64,
    block: u64,
    lost: bool,
    /// The last block ended a recording: what is no block behind it is a trailer.
    ended: bool,
    trailer: bool,
    head: std::marker::PhantomData<H>,
}

impl<H: Head> Frames<H> {
    /// Most unframed bytes in one chunk.
    const STRAY: usize = 65_536;
    /// Bytes that a scan looks at: the last part is for a row that begins at the last place.
    const REACH: usize = Self::STRAY + H::CHAIN * (H::LARGEST + 32);

    pub(crate) fn new(limits: Limits) -> Self {
        Frames {
            limits,
            offset: 0,
            block: 0,
            lost: false,
            ended: false,
            trailer: false,
            head: std::marker::PhantomData,
        }
    }

    /// The next chunk of `window`, which begins where the last chunk ended. `at_end` tells that the window reaches
    /// to the end of the file.
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        let step = self.chunk(window, at_end);
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
            if let CutKind::Block(head, _) = cut.what {
                self.block += 1;
                let payload = window.get(head.len()..cut.len).unwrap_or_default();
                self.ended = H::END.is_some_and(|end| payload.ends_with(end));
                self.trailer = head.is_last();
            }
        }
        step
    }

    fn cut(&self, len: usize, what: CutKind<H>) -> Step<Cut<H>> {
        Step::Cut(Cut { len, offset: self.offset, what })
    }

    fn chunk(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        if window.is_empty() {
            return if at_end { Step::End } else { Step::More };
        }
        if self.trailer {
            return self.behind_the_end(window, at_end);
        }
        let why = match H::read(window) {
            _ if self.lost => FaultKind::Malformed("bytes between damage and the next block"),
            HeadRead::More(_) if !at_end => return Step::More,
            HeadRead::More(_) if self.ended => return self.behind_the_end(window, at_end),
            HeadRead::More(needed) => {
                return self.cut(window.len(), CutKind::Unframed(FaultKind::Truncated { needed, available: window.len() }));
            }
            HeadRead::Bad(why) => why,
            HeadRead::Head(head) => match usize::try_from(head.payload()) {
                Err(_) => FaultKind::Malformed("negative block size"),
                Ok(size) if size > self.limits.block => {
                    FaultKind::Limit { what: "block size", limit: self.limits.block, found: size }
                }
                Ok(size) => {
                    let whole = head.len() + size;
                    let fits = whole <= window.len();
                    if !fits && !at_end {
                        return Step::More;
                    }
                    match Self::runs_over(window, whole, at_end) {
                        None => return Step::More,
                        Some(true) => FaultKind::Malformed("block size runs over the blocks behind it"),
                        Some(false) => return self.cut(whole.min(window.len()), CutKind::Block(head, self.block)),
                    }
                }
            },
        };
        if self.ended {
            return self.behind_the_end(window, at_end);
        }
        self.scan(window, at_end, why)
    }

    fn behind_the_end(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        if window.len() < Self::STRAY && !at_end {
            return Step::More;
        }
        self.trailer = true;
        self.cut(window.len().min(Self::STRAY), CutKind::Trailer)
    }

    /// True when no header stands behind a block of `whole` bytes, and other blocks begin within it: then its size is
    /// damaged. `None`: more bytes are needed to tell.
    fn runs_over(window: &[u8], whole: usize, at_end: bool) -> Option<bool> {
        match window.get(whole..).map(H::read) {
            Some(HeadRead::Head(next)) if next.possible() => return Some(false),
            Some(HeadRead::More(_)) => return if at_end { Some(false) } else { None },
            // The file ends within the block, or what stands behind it is no header.
            None | Some(_) => {}
        }
        if window.len() < Self::REACH + whole && !at_end {
            return None;
        }
        // FaultKind begins behind this block is not its affair: a file of many small blocks is scanned once, not for each.
        let within = whole.min(Self::STRAY).min(window.len());
        Some((1..within).any(|n| is_row::<H>(&window[n..], at_end)))
    }

    /// Looks for the next block after damage, and hands out what lies before it.
    fn scan(&mut self, window: &[u8], at_end: bool, why: FaultKind) -> Step<Cut<H>> {
        if window.len() < Self::REACH && !at_end {
            return Step::More;
        }
        let from = usize::from(!self.lost);
        let found = window.get(from..).and_then(|rest| find_row::<H>(rest, at_end)).map(|n| n + from);
        self.lost = found.is_none();
        match found {
            Some(0) => self.chunk(window, at_end),
            Some(n) => self.cut(n, CutKind::Unframed(why)),
            None => self.cut(window.len().min(Self::STRAY), CutKind::Unframed(why)),
        }
    }
}

/// The first offset within [`Frames::STRAY`] bytes where blocks begin again: so many in a row, or a few up to the end.
fn find_row<H: Head>(bytes: &[u8], at_end: bool) -> Option<usize> {
    (0..bytes.len().min(Frames::<H>::STRAY)).find(|&n| is_row::<H>(&bytes[n..], at_end))
}

fn is_row<H: Head>(bytes: &[u8], at_end: bool) -> bool {
    let (mut rest, mut before) = (bytes, None::<H>);
    for blocks in 0..H::CHAIN {
        let HeadRead::Head(head) = H::read(rest) else {
            return rest.is_empty() && at_end && blocks >= H::CHAIN_AT_END;
        };
        if head.is_last() {
            return blocks + 1 >= H::CHAIN_AT_END && rest.len() == head.len() && at_end;
        }
        if !head.plausible(before.as_ref()) {
            return false;
        }
        match usize::try_from(head.payload()).ok().and_then(|size| rest.get(head.len() + size..)) {
            Some(next) => rest = next,
            None => return false,
        }
        before = Some(head);
    }
    true
}
