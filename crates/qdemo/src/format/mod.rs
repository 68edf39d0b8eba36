//! The formats, one module each: framing, messages, state. They share wire types, declarations and dialects, and
//! know nothing of text.
//!
//! Each format module has the same rooms: a `Framer` that cuts a file into chunks (in most a `Head` for `frames`, and a
//! `Block`), messages with a decoder, a `check` that writes a chunk from the model alone, and a `InfoBuilder` for facts. What
//! they say to the layers above is here.

pub mod dem;
pub mod dm2;
pub mod dm3;
mod download;
pub(crate) mod facts;
mod frames;
mod messages;
pub mod mvd;
pub mod mvd2;
mod chunk;
pub mod qwd;

pub(crate) use messages::message_set;
pub use messages::{MessageSet, Messages, encode_messages};
pub use chunk::Chunk;
pub(crate) use chunk::{Counts, Framed, check_chunk, close_block, counts, framed};

use crate::dialect::Dialect;
use crate::error::Moment;
use crate::wire::{Fault, ByteWriter};

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

/// What came of decoding a chunk and writing it again from the model alone.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Blocks in it.
    pub(crate) blocks: u64,
    /// Messages in it, unknown ones not counted.
    pub(crate) messages: u64,
    /// Bytes that no declaration covers.
    pub(crate) uncovered: u64,
    /// True when a recording ends like this if it was stopped cleanly.
    pub(crate) clean_end: bool,
    /// The time of the chunk, where it tells one.
    pub(crate) time: Option<Moment>,
    /// What is wrong with the chunk.
    pub(crate) broken: Option<Diagnostic>,
    /// Whether the model could be written.
    pub(crate) written: Result<(), Fault>,
}

impl Default for Checked {
    fn default() -> Self {
        Checked { blocks: 0, messages: 0, uncovered: 0, clean_end: false, time: None, broken: None, written: Ok(()) }
    }
}

impl Checked {
    /// Bytes that are no block stay as they are.
    pub(crate) fn unframed(&mut self, unframed: &Unframed<'_>, w: &mut ByteWriter) {
        w.bytes(unframed.bytes);
        self.uncovered = unframed.bytes.len() as u64;
        self.broken = Some(unframed.into());
    }

    /// Reads the messages of a block, which begin at `offset` of the file, and writes them again. `look` is shown them and
    /// the dialect behind them, which this gives.
    pub(crate) fn rewrite<'a, M: MessageSet<'a>>(
        &mut self,
        messages: &mut Messages<'a, M>,
        offset: u64,
        block: u64,
        w: &mut ByteWriter,
        look: impl FnOnce(&mut Self, &[M], &Dialect),
    ) -> Dialect {
        let mut before = messages.dialect();
        let all: Vec<M> = messages.by_ref().collect();
        self.messages = all.iter().filter(|m| !m.is_unknown()).count() as u64;
        let after = messages.dialect();
        look(self, &all, &after);
        if let Some(broken) = messages.broken_at(offset, block) {
            // The last message holds all from the fault on.
            self.uncovered = messages.raw().len() as u64;
            self.broken = Some(broken);
        }
        self.written = encode_messages(&all, &mut before, w);
        after
    }
}
