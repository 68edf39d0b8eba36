//! Framing: cutting a recording into chunks, whatever its format. A format tells what its headers look like; damage,
//! what follows the end, and reading with a window are the same for all.

mod block;
mod headers;
mod window;

pub(crate) use block::{BLOCKS_BEHIND, NO_MARK};
pub use block::{Block, Header};
pub(crate) use headers::{DAMAGE_GOES_ON, Framer, HeaderRead, Rules};
pub(crate) use window::Window;

use crate::wire::{Fault, FaultKind};

/// One part of a recording. All chunks in order make up the file, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk<'a, H> {
    /// What stands in front of all blocks: the CD track line of Quake.
    Start(&'a [u8]),
    /// A block. (Multi-view demos of QuakeWorld call it a record.)
    Block(Block<'a, H>),
    /// The end mark, in formats that have one.
    End,
    /// Bytes behind the end that are no blocks: what DeFRaG puts there, or what was left in the recorder's memory.
    Trailer(&'a [u8]),
    /// Bytes that are no block.
    Unframed(Unframed<'a>),
}

/// Bytes that belong to no block: damage, or an unfinished header at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unframed<'a> {
    /// Offset in the file.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Why they are no block.
    pub why: Fault,
}

/// A fault in a chunk of a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The fault.
    pub fault: Fault,
    /// Offset in the file.
    pub offset: u64,
    /// Number of the block.
    pub block: Option<u64>,
    /// Names of the messages just before it, at most 3.
    pub after: Vec<&'static str>,
}

impl From<&Unframed<'_>> for Diagnostic {
    fn from(unframed: &Unframed<'_>) -> Self {
        Diagnostic { fault: unframed.why.clone(), offset: unframed.offset, block: None, after: Vec::new() }
    }
}

/// What a framer found in its window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step<C> {
    /// A chunk.
    Cut(C),
    /// More bytes are needed to tell.
    More,
    /// The end.
    End,
}

impl<C> Step<C> {
    #[inline]
    pub(crate) fn map<D>(self, f: impl FnOnce(C) -> D) -> Step<D> {
        match self {
            Step::Cut(cut) => Step::Cut(f(cut)),
            Step::More => Step::More,
            Step::End => Step::End,
        }
    }
}

/// Where a chunk ends and what it is, without its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut<H> {
    /// Bytes of the chunk.
    pub(crate) len: usize,
    /// Its offset in the file.
    pub(crate) offset: u64,
    /// What it is.
    pub(crate) kind: CutKind<H>,
}

/// What a chunk is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CutKind<H> {
    /// What stands in front of all blocks.
    Start,
    /// A block.
    Block {
        /// Its number.
        index: u64,
        /// Its header.
        header: H,
        /// Bytes of the header.
        len: usize,
    },
    /// The end mark.
    End,
    /// Bytes behind the end of a recording that are no blocks.
    Trailer,
    /// Bytes that are no block.
    Unframed(FaultKind),
}

impl<H: Header> Cut<H> {
    /// The chunk, from the bytes that it was cut from.
    #[inline]
    pub(crate) fn chunk<'a>(&self, window: &'a [u8]) -> Chunk<'a, H> {
        let bytes = window.get(..self.len).unwrap_or(window);
        match self.kind {
            CutKind::Start => Chunk::Start(bytes),
            CutKind::Block { index, header, len } => {
                let payload = bytes.get(len..).unwrap_or_default();
                let ends_moment = H::ends_moment(window.get(self.len..).unwrap_or_default());
                Chunk::Block(Block { index, offset: self.offset, header, header_len: len, payload, ends_moment })
            }
            CutKind::End => Chunk::End,
            CutKind::Trailer => Chunk::Trailer(bytes),
            CutKind::Unframed(why) => Chunk::Unframed(Unframed { offset: self.offset, bytes, why: Fault::new(why, 0) }),
        }
    }
}
