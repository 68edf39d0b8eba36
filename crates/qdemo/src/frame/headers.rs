//! Framing by headers: cutting a file into blocks, each behind a header that tells its size, and bytes that are none.

use super::{Cut, CutKind, Header, Step};
use crate::limits::{Bound, Limits};
use crate::wire::{ByteReader, FaultKind};

/// Why bytes are no block that follow others which are none.
pub(crate) const DAMAGE_GOES_ON: &str = "bytes between damage and the next block";

/// What headers of a format look like: how blocks are found again behind damage.
pub(crate) trait Rules: Header {
    /// Blocks in a row that end a scan after damage.
    const CHAIN: usize;
    /// Blocks in a row that do so where the file ends behind them; one less in front of an end mark.
    const CHAIN_AT_END: usize = 2;
    /// Headers behind a block that look as if engines wrote them, and that prove its size.
    const AHEAD: u32;
    /// Payloads that engines write are no larger.
    const LARGEST: usize;
    /// True where bytes within a block often look like the end mark: it is none where blocks follow.
    const END_IS_WEAK: bool = false;
    /// How the payload of the last block ends, where it tells.
    const LAST: Option<&'static [u8]>;

    /// True for a block behind an end with which a recording goes on, or another one begins. Where recorders leave old blocks
    /// there, only the first block of a recording proves that; `behind` are the bytes behind the header.
    fn goes_on(&self, _behind: &[u8]) -> bool {
        true
    }

    /// How many bytes stand in front of all blocks, in a format that has such.
    fn start(_window: &[u8], _at_end: bool) -> Option<Step<usize>> {
        None
    }

    /// Looks for a header at the beginning of some bytes.
    fn find(bytes: &[u8]) -> HeaderRead<Self>;
    /// True for the end mark: nothing but a trailer follows.
    fn is_end(&self) -> bool {
        false
    }
    /// True when this may be a header: those of every sound recording may. `behind` are the bytes behind it.
    fn possible(&self, behind: &[u8]) -> bool;
    /// True when this looks like one that an engine wrote, behind the one `before`.
    fn plausible(&self, behind: &[u8], before: Option<&Self>) -> bool;
}

/// What came of looking for a header.
pub(crate) enum HeaderRead<H> {
    /// So many bytes are needed.
    More(usize),
    /// These bytes are no header.
    Bad(FaultKind),
    /// A header.
    HeaderFound(HeaderFound<H>),
}

/// A header, and how many bytes it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeaderFound<H> {
    pub(crate) header: H,
    pub(crate) len: usize,
}

impl<H: Rules> HeaderRead<H> {
    /// Reads a header, which takes `len` bytes.
    #[inline]
    pub(crate) fn of(bytes: &[u8], len: usize) -> Self {
        let mut r = ByteReader::new(bytes);
        match H::read(&mut r) {
            Ok(header) => HeaderRead::HeaderFound(HeaderFound { header, len: r.pos() }),
            Err(fault) => match fault.what {
                FaultKind::Truncated { .. } => HeaderRead::More(len),
                why => HeaderRead::Bad(why),
            },
        }
    }
}

impl<H: Rules> HeaderFound<H> {
    /// Bytes behind the header, as it says; an end mark has none.
    #[inline]
    fn payload(&self) -> i64 {
        if self.header.is_end() { 0 } else { self.header.payload() }
    }

    /// The bytes behind the header.
    fn behind<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.len..).unwrap_or_default()
    }

    /// Bytes of the block, header included; `None` for a negative size.
    #[inline]
    pub(crate) fn whole(&self) -> Option<usize> {
        usize::try_from(self.payload()).ok()?.checked_add(self.len)
    }
}

/// The headers behind a block, as far as they were looked at.
#[derive(Debug, Clone, Copy)]
struct Ahead<H> {
    /// How many.
    count: u32,
    /// A bit for each, the last one lowest: it looks as if an engine wrote it.
    plausible: u32,
    /// The last of them, or that of the block itself.
    last: H,
    /// Where the block behind that one ends, from the beginning of the file.
    end: u64,
}

impl<H: Rules> Ahead<H> {
    fn prove(&self) -> bool {
        self.plausible.count_ones() >= H::AHEAD
    }

    /// More of them only may be headers than stand between others in a recording: zeros look so, too.
    fn are_doubtful(&self) -> bool {
        self.count - self.plausible.count_ones() > H::AHEAD
    }

    /// The same, seen from the next block.
    fn seen_by_next(self) -> Option<Self> {
        let count = self.count.checked_sub(1)?;
        Some(Ahead { count, plausible: self.plausible & !(1 << count), ..self })
    }

    fn and(self, plausible: bool, last: H, size: usize) -> Self {
        let (count, end) = (self.count + 1, self.end + size as u64);
        Ahead { count, plausible: self.plausible << 1 | u32::from(plausible), last, end }
    }
}

/// What stands behind a block, as headers that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// So many that they prove its size, or the end.
    Proof,
    /// The file ends within a block.
    Cut,
    /// Something that is no header.
    Damage,
}

/// Cuts a file into chunks. It sees a window of the file and asks for more when it needs it, so a file of any size is
/// read with memory for a few blocks.
#[derive(Debug, Clone)]
pub(crate) struct Framer<H> {
    limits: Limits,
    offset: u64,
    block: u64,
    /// What stands in front of all blocks was handed out.
    begun: bool,
    lost: bool,
    /// The last block ended a recording: what is no block behind it is a trailer.
    ended: bool,
    trailer: bool,
    /// Blocks behind the end are read, too.
    reads_on: bool,
    /// What is known of the headers behind the block handed out last, so that each is looked at once.
    ahead: Option<Ahead<H>>,
    /// A block that is larger than this, which follows from the one in front of it, is looked at more closely.
    usual: usize,
}

impl<H: Rules> Framer<H> {
    /// Most unframed bytes in one chunk.
    const UNFRAMED: usize = 65_536;
    /// Bytes that a scan looks at: the last part is for a row that begins at the last place.
    const REACH: usize = Self::UNFRAMED + H::CHAIN * (H::LARGEST + 32);

    /// A block may be so many times as large as the one in front of it, or have so many bytes, without more ado.
    const GROWTH: usize = 8;
    const SMALL: usize = 1024;
    /// Bytes of a block that may be lost so that the block behind it is found whole.
    const FEW: usize = 16;

    /// A framer at the beginning of a file.
    pub(crate) fn new(limits: Limits) -> Self {
        let (begun, lost, ended, trailer, reads_on) = (false, false, false, false, false);
        Framer { limits, offset: 0, block: 0, begun, lost, ended, trailer, reads_on, ahead: None, usual: usize::MAX }
    }

    /// From here on blocks behind an end are read, too, where they are a recording that goes on, or another one.
    pub(crate) fn read_on(&mut self) {
        self.reads_on = true;
    }

    /// Where in bytes behind the end of a recording blocks begin with which it goes on, or another one begins.
    pub(crate) fn blocks_behind(bytes: &[u8]) -> Option<usize> {
        begins_again::<H>(bytes, true)
    }

    /// True for bytes behind the end of a recording that look like blocks, whatever a format's recorders leave there.
    pub(crate) fn look_like_blocks(bytes: &[u8]) -> bool {
        find_row::<H>(bytes, false).is_some()
    }

    /// The next chunk of `window`, which begins where the last chunk ended. `at_end` tells that the window reaches to the
    /// end of the file.
    pub(crate) fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        if !self.begun {
            if let Some(start) = H::start(window, at_end) {
                return start.map(|len| {
                    self.begun = true;
                    self.offset += len as u64;
                    Cut { len, offset: 0, kind: CutKind::Start }
                });
            }
            self.begun = true;
        }
        let step = self.chunk(window, at_end);
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
            match cut.kind {
                CutKind::Block { len, .. } => {
                    self.block += 1;
                    // Nothing is unusual for a while behind large blocks, nor at the beginning of a recording.
                    let usual = (self.usual / 2).min(H::LARGEST);
                    self.usual = cut.len.saturating_mul(Self::GROWTH).max(Self::SMALL).max(usual);
                    let payload = window.get(len..cut.len).unwrap_or_default();
                    self.ended = H::LAST.is_some_and(|end| payload.ends_with(end));
                    self.trailer = false;
                }
                CutKind::End => {
                    self.block += 1;
                    self.ended = false;
                    self.trailer = true;
                }
                CutKind::Start | CutKind::Trailer | CutKind::Unframed(_) => self.ahead = None,
            }
        }
        step
    }

    fn cut(&self, len: usize, kind: CutKind<H>) -> Step<Cut<H>> {
        Step::Cut(Cut { len, offset: self.offset, kind })
    }

    fn chunk(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        if window.is_empty() {
            return if at_end { Step::End } else { Step::More };
        }
        if self.trailer {
            return self.behind_the_end(window, at_end);
        }
        let why = match H::find(window) {
            _ if self.lost => FaultKind::Malformed(DAMAGE_GOES_ON),
            HeaderRead::More(_) if !at_end => return Step::More,
            HeaderRead::More(_) if self.ended => return self.behind_the_end(window, at_end),
            HeaderRead::More(needed) => {
                let why = FaultKind::Truncated { needed, available: window.len() };
                return self.cut(window.len(), CutKind::Unframed(why));
            }
            HeaderRead::Bad(why) => why,
            HeaderRead::HeaderFound(found) => match usize::try_from(found.payload()) {
                Err(_) => FaultKind::Malformed("negative block size"),
                Ok(size) if size > self.limits.block => {
                    FaultKind::Limit { what: Bound::Block, limit: self.limits.block, found: size }
                }
                Ok(size) => {
                    let whole = found.len.saturating_add(size);
                    let fits = whole <= window.len();
                    if !fits && !at_end {
                        return Step::More;
                    }
                    match self.runs_over(window, whole, &found, at_end) {
                        None => return Step::More,
                        Some(true) => FaultKind::Malformed("block size runs over the blocks behind it"),
                        Some(false) if found.header.is_end() => {
                            match goes_on::<H>(window.get(whole..).unwrap_or_default(), at_end) {
                                None => return Step::More,
                                Some(true) => FaultKind::Malformed("blocks behind an end mark"),
                                Some(false) => return self.cut(whole, CutKind::End),
                            }
                        }
                        Some(false) => {
                            let kind = CutKind::Block { index: self.block, header: found.header, len: found.len };
                            return self.cut(whole.min(window.len()), kind);
                        }
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
        let enough = if self.reads_on { Self::REACH } else { Self::UNFRAMED };
        if window.len() < enough && !at_end {
            return Step::More;
        }
        if let Some(n) = begins_again::<H>(window, at_end).filter(|_| self.reads_on) {
            (self.ended, self.trailer) = (false, false);
            return match n {
                0 => self.chunk(window, at_end),
                n => self
                    .cut(n, CutKind::Unframed(FaultKind::Malformed("bytes between an end and the blocks behind it"))),
            };
        }
        self.trailer = true;
        self.cut(window.len().min(Self::UNFRAMED), CutKind::Trailer)
    }

    /// True when a row of others lies within a block of `whole` bytes, and what stands behind it does not prove its size, or
    /// that is far larger than what stood in front: then the size is damaged. `None`: more bytes are needed to tell.
    fn runs_over(&mut self, window: &[u8], whole: usize, found: &HeaderFound<H>, at_end: bool) -> Option<bool> {
        let behind = self.follow(window, whole, found.header, at_end)?;
        if behind == Behind::Proof && whole <= self.usual {
            return Some(false);
        }
        if window.len() < Self::REACH.saturating_add(whole) && !at_end {
            return None;
        }
        // A row that ends behind this block proves nothing: a few bytes of it that look like a header lead to one of the
        // blocks there easily. But where some bytes of this block are lost the next one begins within its last ones.
        // Recordings are cut more often than damaged near the end, and a number can lead to a block far behind by chance:
        // both give way to a long row.
        let (chain, last) = match behind {
            _ if !found.header.plausible(found.behind(window), None) => (H::CHAIN, 1),
            Behind::Damage => (H::CHAIN, whole.saturating_sub(Self::FEW)),
            Behind::Proof | Behind::Cut => (2 * H::CHAIN, whole),
        };
        // And a file of many small blocks is scanned once, not for each.
        let within = whole.min(Self::UNFRAMED).min(window.len());
        let others = |n: usize| row::<H>(&window[n..], at_end, chain).is_some_and(|len| n + len < whole || n >= last);
        Some((1..within).any(others))
    }

    /// What stands behind a block of `whole` bytes. `None`: more bytes are needed to tell.
    fn follow(&mut self, window: &[u8], whole: usize, header: H, at_end: bool) -> Option<Behind> {
        let here = Ahead { count: 0, plausible: 0, last: header, end: self.offset + whole as u64 };
        let mut ahead = self.ahead.take().and_then(Ahead::seen_by_next).unwrap_or(here);
        while !ahead.prove() {
            let end = usize::try_from(ahead.end - self.offset).ok();
            let Some((block, rest)) = end.and_then(|end| window.split_at_checked(end)) else {
                // The last of them may lead anywhere.
                let likely = ahead.plausible.count_ones() > 1;
                return at_end.then_some(if likely { Behind::Proof } else { Behind::Cut });
            };
            let is_last = || H::LAST.is_some_and(|last| block.ends_with(last));
            let found = match H::find(rest) {
                _ if rest.is_empty() && at_end || is_last() => return Some(Behind::Proof),
                HeaderRead::More(_) => return at_end.then_some(Behind::Cut),
                HeaderRead::Bad(_) => return Some(Behind::Damage),
                HeaderRead::HeaderFound(found) => found,
            };
            let behind = found.behind(rest);
            if found.header.is_end() {
                let goes_on = goes_on::<H>(behind, at_end)?;
                return Some(if goes_on { Behind::Damage } else { Behind::Proof });
            }
            let Some(size) = found.whole().filter(|_| found.header.possible(behind) && !ahead.are_doubtful()) else {
                return Some(Behind::Damage);
            };
            ahead = ahead.and(found.header.plausible(behind, Some(&ahead.last)), found.header, size);
        }
        self.ahead = Some(ahead);
        Some(Behind::Proof)
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
            None => self.cut(window.len().min(Self::UNFRAMED), CutKind::Unframed(why)),
        }
    }
}

/// True when there are blocks somewhere behind an end mark that may be part of something else. `None`: more bytes are
/// needed to tell.
fn goes_on<H: Rules>(behind: &[u8], at_end: bool) -> Option<bool> {
    let another = matches!(H::find(behind), HeaderRead::HeaderFound(found) if found.header.unmarked().is_some());
    if !H::END_IS_WEAK || another {
        return Some(false);
    }
    let enough = at_end || behind.len() >= Framer::<H>::REACH;
    enough.then(|| find_row::<H>(behind, at_end).is_some())
}

/// The first offset behind an end at which a recording goes on, or another one begins.
fn begins_again<H: Rules>(bytes: &[u8], at_end: bool) -> Option<usize> {
    let begins = |bytes: &[u8]| match H::find(bytes) {
        HeaderRead::HeaderFound(found) => found.header.goes_on(found.behind(bytes)),
        HeaderRead::More(_) | HeaderRead::Bad(_) => false,
    };
    let reach = bytes.len().min(Framer::<H>::UNFRAMED);
    (0..reach).find(|&n| begins(&bytes[n..]) && row::<H>(&bytes[n..], at_end, H::CHAIN).is_some())
}

/// The offset within [`Framer::UNFRAMED`] bytes where blocks begin again: so many in a row, or a few up to the end. Of several
/// rows it is the one that ends first: what looks like a header by chance mostly tells a large size, which leads to one of
/// the blocks far behind.
fn find_row<H: Rules>(bytes: &[u8], at_end: bool) -> Option<usize> {
    let (mut first, mut end) = (None, bytes.len().min(Framer::<H>::UNFRAMED));
    let mut n = 0;
    while n < end {
        if let Some(len) = row::<H>(&bytes[n..], at_end, H::CHAIN).filter(|len| first.is_none() || n + len < end) {
            (first, end) = (Some(n), n + len);
        }
        n += 1;
    }
    first
}

/// The bytes of a row of so many blocks at the start of some.
fn row<H: Rules>(bytes: &[u8], at_end: bool, chain: usize) -> Option<usize> {
    let (mut rest, mut before) = (bytes, None::<H>);
    for blocks in 0..chain {
        let HeaderRead::HeaderFound(found) = H::find(rest) else {
            let ends = rest.is_empty() && at_end && blocks >= H::CHAIN_AT_END;
            return ends.then_some(bytes.len());
        };
        if found.header.is_end() {
            let ends = blocks + 1 >= H::CHAIN_AT_END && rest.len() == found.len && at_end;
            return ends.then_some(bytes.len());
        }
        if !found.header.plausible(found.behind(rest), before.as_ref()) {
            return None;
        }
        rest = rest.get(found.whole()?..)?;
        before = Some(found.header);
    }
    Some(bytes.len() - rest.len())
}
