//! The formats, one module each: framing, messages, state. They share wire types, declarations and dialects, and
//! know nothing of text.
//!
//! Each format module has the same rooms: a `Framer` that cuts a file into pieces (in most a `Head` for `frames`, and a
//! `Block`), messages with a decoder, a `check` that writes a piece from the model alone, and a `Gather` for facts. What
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
mod piece;
pub mod qwd;

pub(crate) use messages::message_set;
pub use messages::{MessageSet, Messages, encode_messages};
pub use piece::Piece;
pub(crate) use piece::{Counts, Framed, check_piece, close_block, counts, framed};

use crate::dialect::Dialect;
use crate::error::Moment;
use crate::wire::{Fault, Writer};

/// Bytes that belong to no block: damage, or an unfinished header at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray<'a> {
    /// Offset in the file.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Why they are no block.
    pub why: Fault,
}

/// A fault in a piece of a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The fault.
    pub fault: Fault,
    /// Offset in the file.
    pub offset: u64,
    /// Number of the block.
    pub block: Option<u64>,
    /// Names of the messages just before it, at most 3.
    pub after: Vec<&'static str>,
}

impl From<&Stray<'_>> for Broken {
    fn from(stray: &Stray<'_>) -> Self {
        Broken { fault: stray.why.clone(), offset: stray.offset, block: None, after: Vec::new() }
    }
}

/// What a framer found in its window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step<C> {
    /// A piece.
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

/// What came of decoding a piece and writing it again from the model alone.
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
    /// The time of the piece, where it tells one.
    pub(crate) time: Option<Moment>,
    /// What is wrong with the piece.
    pub(crate) broken: Option<Broken>,
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
    pub(crate) fn stray(&mut self, stray: &Stray<'_>, w: &mut Writer) {
        w.bytes(stray.bytes);
        self.uncovered = stray.bytes.len() as u64;
        self.broken = Some(stray.into());
    }

    /// Reads the messages of a block, which begin at `offset` of the file, and writes them again. `look` is shown them and
    /// the dialect behind them, which this gives.
    pub(crate) fn rewrite<'a, M: MessageSet<'a>>(
        &mut self,
        messages: &mut Messages<'a, M>,
        offset: u64,
        block: u64,
        w: &mut Writer,
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
