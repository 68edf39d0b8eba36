//! What the text of one format has of its own, beyond what its declarations say.

use super::sink::{LmpcCoverage, MessageSink};
use crate::demo::Listed;
use crate::describe::{Fields, Mistake, Name};
use crate::format::{BlockOf, DialectOf, Format, Packet};
use crate::wire::ByteWriter;

/// What a text of one format may hold at its top level.
#[derive(Debug)]
pub(crate) struct Language {
    /// The demo, for messages.
    pub(crate) demo: &'static str,
    /// Its own statements, for messages.
    pub(crate) statements: &'static str,
    /// How a block is written, for messages.
    pub(crate) block: &'static str,
    /// What messages are called, and the format that has them, for messages.
    pub(crate) message: (&'static str, &'static str),
}

/// The text of one format: what printing and compiling ask beyond its declarations. `Self` carries what is known from
/// statement to statement.
pub(crate) trait TextForm<F: Format>: Default + Clone + PartialEq + Send {
    /// Its statements.
    const LANGUAGE: Language;
    /// True when the remark behind a block tells its time.
    const TIMED: bool = false;
    /// False where text for LMPC has nothing that LMPC does not read: what is beyond it is left out.
    const BYTES_FOR_LMPC: bool = true;

    /// Prints what stands in front of a demo or of a block. True when LMPC's language cannot say it.
    fn in_front<S: MessageSink>(&mut self, _: InFront<'_, F>, _: &mut S) -> bool {
        false
    }

    /// The keyword of a block.
    fn keyword(header: &F::Header) -> Name;

    /// Prints a block that is a statement without braces; false for others.
    fn print_empty<S: MessageSink>(_: &BlockOf<'_, F>, _: &mut S) -> bool {
        false
    }

    /// Prints that a block is not read as was told before it.
    fn print_change<S: MessageSink>(&self, _told: &DialectOf<F>, _before: &DialectOf<F>, _: &mut S) {}

    /// How far LMPC's language goes for a message, with the dialect before and after it, and its bytes.
    fn words(&mut self, message: &F::Message<'_>, dialects: (&DialectOf<F>, &DialectOf<F>), raw: &[u8])
    -> LmpcCoverage;

    /// A message was printed; `foreign` tells that LMPC sees only its bytes.
    fn printed<S: MessageSink>(&mut self, _: &F::Message<'_>, _after: &DialectOf<F>, _foreign: bool, _: &mut S) {}

    /// Prints the messages of a packet in a way of its own, and counts those that LMPC sees only as bytes; false: as usual.
    fn print_messages<S: MessageSink>(_: &BlockOf<'_, F>, _: &Packet<'_, F>, _: &mut u64, _: &mut S) -> bool {
        false
    }

    /// Prints what stands behind the messages; in JSON in front of them.
    fn print_behind<S: MessageSink>(_: &Packet<'_, F>, _: &DialectOf<F>, _: &mut S) {}

    /// True when LMPC's language cannot hold a block, which was printed.
    fn is_foreign<S: MessageSink>(_: &BlockOf<'_, F>, _: &Packet<'_, F>, _: &DialectOf<F>, _: &mut S) -> bool;

    /// True for a statement that begins a text of this format.
    fn begins(f: &Fields<'_, '_>) -> bool;

    /// Writes what a statement describes that is no block; false for one that this format does not have.
    fn statement(&mut self, _: &mut Fields<'_, '_>, _: &mut DialectOf<F>, _: &mut ByteWriter) -> Result<bool, Mistake> {
        Ok(false)
    }

    /// True for the keyword of a block.
    fn is_block(keyword: &[u8]) -> bool;

    /// Writes a block.
    fn block(&mut self, f: &mut Fields<'_, '_>, dialect: &mut DialectOf<F>, w: &mut ByteWriter) -> Result<(), Mistake>;
}

/// What something stands in front of.
pub(crate) enum InFront<'p, F: Format> {
    /// The first chunk of a demo that begins in a dialect; it may be a block.
    Demo(&'p DialectOf<F>, Option<&'p F::Header>),
    /// A block.
    Block {
        /// Its header.
        header: &'p F::Header,
        /// The dialect that was told before it.
        told: &'p DialectOf<F>,
        /// The dialect that it begins with.
        before: &'p DialectOf<F>,
    },
}

/// A format with a text.
pub(crate) trait HasText: Listed {
    /// What its text has of its own.
    type Text: TextForm<Self>;
}
