//! Framing by headers: cutting a file into blocks, each behind a header that tells its size, and bytes that are none.

use super::{Cut, CutKind, Framer, Header, Step};
use crate::limits::{Bound, Limits};
use crate::wire::{ByteReader, FaultKind};

/// What headers of a format look like: how blocks are found again behind damage.
pub(crate) trait Rules: Header {
    /// Blocks in a row that end a scan after damage.
    const CHAIN: usize;
    /// Blocks in a row that do so where the file ends behind them; one less in front of an end mark.
    const CHAIN_AT_END: usize = 2;
    /// Headers behind a block that prove its size.
    const AHEAD: usize = 1;
    /// A scan looks for payloads that engines write.
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

    /// Looks for a header at the beginning of some bytes.
    fn find(bytes: &[u8]) -> HeaderRead<Self>;
    /// True for the end mark: nothing but a trailer follows.
    fn is_end(&self) -> bool {
        false
    }
    /// True when this may be a header; `behind` are the bytes behind it.
    fn possible(&self, behind: &[u8]) -> bool;
    /// True when this looks like a header that an engine wrote, behind the one `before`; `behind` are the bytes behind it.
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

    fn possible(&self, bytes: &[u8]) -> bool {
        self.header.possible(self.behind(bytes))
    }
}

/// Cuts a file into blocks behind headers.
#[derive(Debug, Clone)]
pub(crate) struct Headers<H> {
    limits: Limits,
    offset: u64,
    block: u64,
    lost: bool,
    /// The last block ended a recording: what is no block behind it is a trailer.
    ended: bool,
    trailer: bool,
    /// Blocks behind the end are read, too.
    reads_on: bool,
    header: std::marker::PhantomData<H>,
}

impl<H: Rules> Framer for Headers<H> {
    type Header = H;

    fn new(limits: Limits) -> Self {
        let header = std::marker::PhantomData;
        Headers { limits, offset: 0, block: 0, lost: false, ended: false, trailer: false, reads_on: false, header }
    }

    fn read_on(&mut self) {
        self.reads_on = true;
    }

    fn blocks_behind(bytes: &[u8]) -> Option<usize> {
        begins_again::<H>(bytes, true)
    }

    fn goes_on(header: &H, payload: &[u8]) -> bool {
        header.goes_on(payload)
    }

    fn next(&mut self, window: &[u8], at_end: bool) -> Step<Cut<H>> {
        let step = self.chunk(window, at_end);
        if let Step::Cut(cut) = &step {
            self.offset += cut.len as u64;
            match cut.kind {
                CutKind::Block { len, .. } => {
                    self.block += 1;
                    let payload = window.get(len..cut.len).unwrap_or_default();
                    self.ended = H::LAST.is_some_and(|end| payload.ends_with(end));
                    self.trailer = false;
                }
                CutKind::End => {
                    self.block += 1;
                    self.ended = false;
                    self.trailer = true;
                }
                CutKind::Start | CutKind::Trailer | CutKind::Unframed(_) => {}
            }
        }
        step
    }
}

impl<H: Rules> Headers<H> {
    /// Most unframed bytes in one chunk.
    const UNFRAMED: usize = 65_536;
    /// Bytes that a scan looks at: the last part is for a row that begins at the last place.
    const REACH: usize = Self::UNFRAMED + H::CHAIN * (H::LARGEST + 32);

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
            _ if self.lost => FaultKind::Malformed("bytes between damage and the next block"),
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
                    let whole = found.len + size;
                    let fits = whole <= window.len();
                    if !fits && !at_end {
                        return Step::More;
                    }
                    match Self::runs_over(window, whole, at_end) {
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

    /// True when no header stands behind a block of `whole` bytes, and other blocks begin within it: then its size is
    /// damaged. `None`: more bytes are needed to tell.
    fn runs_over(window: &[u8], whole: usize, at_end: bool) -> Option<bool> {
        match window.get(whole..).map(|next| follow::<H>(next, at_end)) {
            Some(Some(true)) => return Some(false),
            Some(None) => return if at_end { Some(false) } else { None },
            // The file ends within the block, or what stands behind it is no header.
            None | Some(Some(false)) => {}
        }
        if window.len() < Self::REACH + whole && !at_end {
            return None;
        }
        // What begins behind this block is not its affair: a file of many small blocks is scanned once, not for each.
        let within = whole.min(Self::UNFRAMED).min(window.len());
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
    let enough = at_end || behind.len() >= Headers::<H>::REACH;
    enough.then(|| find_row::<H>(behind, at_end).is_some())
}

/// The first offset behind an end at which a recording goes on, or another one begins.
fn begins_again<H: Rules>(bytes: &[u8], at_end: bool) -> Option<usize> {
    let begins = |bytes: &[u8]| match H::find(bytes) {
        HeaderRead::HeaderFound(found) => found.header.goes_on(found.behind(bytes)),
        HeaderRead::More(_) | HeaderRead::Bad(_) => false,
    };
    let reach = bytes.len().min(Headers::<H>::UNFRAMED);
    (0..reach).find(|&n| begins(&bytes[n..]) && is_row::<H>(&bytes[n..], at_end))
}

/// True when as many headers stand behind a block as prove its size, or the end does. `None`: more bytes are needed to tell.
fn follow<H: Rules>(bytes: &[u8], at_end: bool) -> Option<bool> {
    let mut rest = bytes;
    for left in (0..H::AHEAD).rev() {
        let found = match H::find(rest) {
            HeaderRead::HeaderFound(found) if found.possible(rest) => found,
            HeaderRead::More(_) => return None,
            HeaderRead::HeaderFound(_) | HeaderRead::Bad(_) => return Some(false),
        };
        if found.header.is_end() {
            return goes_on::<H>(rest.get(found.len..)?, at_end).map(|goes_on| !goes_on);
        }
        if left == 0 {
            break;
        }
        rest = rest.get(found.len + usize::try_from(found.payload()).ok()?..)?;
    }
    Some(true)
}

/// The first offset within [`Headers::UNFRAMED`] bytes where blocks begin again: so many in a row, or a few up to the end.
fn find_row<H: Rules>(bytes: &[u8], at_end: bool) -> Option<usize> {
    (0..bytes.len().min(Headers::<H>::UNFRAMED)).find(|&n| is_row::<H>(&bytes[n..], at_end))
}

fn is_row<H: Rules>(bytes: &[u8], at_end: bool) -> bool {
    let (mut rest, mut before) = (bytes, None::<H>);
    for blocks in 0..H::CHAIN {
        let HeaderRead::HeaderFound(found) = H::find(rest) else {
            return rest.is_empty() && at_end && blocks >= H::CHAIN_AT_END;
        };
        if found.header.is_end() {
            return blocks + 1 >= H::CHAIN_AT_END && rest.len() == found.len && at_end;
        }
        if !found.header.plausible(found.behind(rest), before.as_ref()) {
            return false;
        }
        match usize::try_from(found.payload()).ok().and_then(|size| rest.get(found.len + size..)) {
            Some(next) => rest = next,
            None => return false,
        }
        before = Some(found.header);
    }
    true
}
