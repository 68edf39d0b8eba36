//! Blocks: what a format frames.

use super::Diagnostic;
use crate::describe::Part;
use crate::sealed::Sealed;
use crate::wire::{ByteReader, ByteWriter, Fault, FaultKind};

/// The header of a block.
pub trait Header: Sealed + Part + Copy + std::fmt::Debug + PartialEq + 'static {
    /// Bytes that stand behind it, as it tells; negative where the number in the file is.
    fn payload(&self) -> i64;

    /// The same header over what is there: it tells a size of its own only where that is `told`, another one than that of what follows.
    fn with_size(self, told: Option<u32>) -> Self;

    /// The same header behind other blocks: without the mark that only the first block of a file has. `None` where there is none.
    fn unmarked(self) -> Option<Self> {
        None
    }

    /// The same header in front of all others: with that mark. `None` where it is there, or the format has none.
    fn marked(self) -> Option<Self> {
        None
    }

    /// True where the bytes behind a block tell that it is the last one of its moment.
    #[inline]
    fn ends_moment(_behind: &[u8]) -> bool {
        true
    }
}

/// What is to be said of a file whose first block lacks the mark of its format: see [`Header::marked`].
pub(crate) const NO_MARK: &str =
    "the file does not begin with the mark of its format: players take it for no recording";

/// What is to be said of such bytes behind the end of a recording, where recorders may have left old blocks.
pub(crate) const BLOCKS_BEHIND: &str =
    "bytes behind the end look like blocks: old ones that the recorder left there, or a part of the recording";

/// A block: a header, and what it stands in front of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block<'a, H> {
    /// Number of the block, from 0.
    pub index: u64,
    /// Offset of its header in the file.
    pub offset: u64,
    /// The header as it stands in the file.
    pub header: H,
    /// Bytes of the header.
    pub header_len: usize,
    /// The bytes behind the header; fewer than it tells where the file ends within the block.
    pub payload: &'a [u8],
    /// True for the last block of a moment, as each one is but in `.mvd`: what follows is of another one, or nothing that
    /// was looked at.
    pub ends_moment: bool,
}

impl<'a, H: Header> Block<'a, H> {
    /// A block of which these are all bytes, header included; `None` where they begin with no header.
    pub(crate) fn of_bytes(bytes: &'a [u8], index: u64, offset: u64) -> Option<Self> {
        let mut r = ByteReader::new(bytes);
        let header = H::read(&mut r).ok()?;
        let header_len = r.pos();
        Some(Block { index, offset, header, header_len, payload: bytes.get(header_len..)?, ends_moment: true })
    }

    /// The block as the first one of a file, or behind others: where its header has to be another one for that.
    pub(crate) fn placed(&self, first: bool) -> Result<Option<Vec<u8>>, Fault> {
        let header = self.model();
        let header = if first { header.marked() } else { header.unmarked() };
        header.map(|header| over(header, self.payload)).transpose()
    }

    /// The block as if it ended behind so many bytes of its payload. `None` where its header tells no such size.
    pub(crate) fn ending(&self, size: usize) -> Option<Vec<u8>> {
        let payload = self.payload.get(..size)?;
        let bytes = over(self.header.with_size(None), payload).ok()?;
        Block::<H>::of_bytes(&bytes, 0, 0).is_some_and(|block| !block.is_cut()).then_some(bytes)
    }
}

/// A header over a payload.
fn over<H: Header>(header: H, payload: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut w = ByteWriter::default();
    header.write(&mut w)?;
    let start = w.len();
    w.bytes(payload);
    w.close_size(start)?;
    Ok(w.into_vec())
}

impl<H: Header> Block<'_, H> {
    /// Offset of the payload in the file.
    #[inline]
    pub fn payload_offset(&self) -> u64 {
        self.offset + self.header_len as u64
    }

    /// Bytes that the payload should have.
    #[inline]
    pub fn size(&self) -> usize {
        usize::try_from(self.header.payload()).unwrap_or_default()
    }

    /// True when the file ends within the block.
    #[inline]
    pub fn is_cut(&self) -> bool {
        self.payload.len() != self.size()
    }

    /// The header as its model has it: a size of its own it has only in a block that the end of the file cuts.
    #[inline]
    pub(crate) fn model(&self) -> H {
        self.header.with_size(self.is_cut().then_some(self.size() as u32))
    }

    /// The fault that the file ends within the block, if it does.
    pub(crate) fn cut_short(&self) -> Option<Diagnostic> {
        self.is_cut().then(|| {
            let what = FaultKind::Truncated { needed: self.size(), available: self.payload.len() };
            self.diagnostic(Fault::new(what, 0), self.offset)
        })
    }

    /// A fault in this block, at an offset in the file.
    pub(crate) fn diagnostic(&self, fault: Fault, offset: u64) -> Diagnostic {
        Diagnostic { fault, offset, block: Some(self.index), after: Vec::new() }
    }
}
