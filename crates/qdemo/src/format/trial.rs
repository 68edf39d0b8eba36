//! Reading blocks whose own introduction is lost or damaged: trying those that there may have been.

use super::{BlockOf, Decoder, DialectOf, Format, Packet};
use crate::describe::{Alternative, Carried, FieldSchema, Name, Presence, Statement, TypeSchema};
use crate::frame::{Block, Diagnostic};

/// How a server introduces itself: the bytes of a block, of whichever format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Introduction(Vec<u8>);

impl Introduction {
    /// The block.
    pub(crate) fn packet<F: Format>(&self) -> Option<Packet<'_, F>> {
        let block = Block::of_bytes(&self.0, 0, 0)?;
        Some(Decoder::new(F::first_dialect(None)).read(&block).0)
    }
}

/// One way to read blocks whose introduction is lost.
#[derive(Debug, Clone)]
pub(crate) struct Trial<F: Format> {
    /// The introduction that there may have been.
    pub(crate) introduction: Packet<'static, F>,
    /// The dialect behind it.
    pub(crate) dialect: DialectOf<F>,
    /// What reads blocks as they are behind it.
    pub(crate) decoder: Decoder<F>,
    /// Blocks in which something cannot be read so.
    pub(crate) faults: u64,
}

impl<F: Format> Trial<F> {
    /// All ways there are, the most likely first: see [`Format::introductions`].
    pub(crate) fn all(told: Option<i32>) -> Vec<Self> {
        let first = F::first_dialect(told);
        let of = |introduction| {
            let decoder = Decoder::behind(first, &introduction);
            Trial { dialect: decoder.dialect(), decoder, introduction, faults: 0 }
        };
        F::introductions(told).into_iter().map(of).collect()
    }

    /// Reads a block.
    pub(crate) fn read<'a>(&mut self, block: &BlockOf<'a, F>) -> (Packet<'a, F>, Option<Diagnostic>) {
        let (packet, diagnostic) = self.decoder.read(block);
        self.faults += u64::from(diagnostic.is_some());
        (packet, diagnostic)
    }

    /// What reads from the introduction on.
    pub(crate) fn begin(&self) -> Decoder<F> {
        Decoder::behind(F::first_dialect(None), &self.introduction)
    }

    /// The introduction, as it can be kept for any format.
    pub(crate) fn into_introduction(self) -> Option<Introduction> {
        self.introduction.to_bytes(F::first_dialect(None)).ok().map(Introduction)
    }
}

/// In text, an introduction that the bytes of a recording do not tell; and its field.
pub(crate) const INTRODUCTION: Name = Name::with("introduction", "");
pub(crate) const FORMAT: Name = Name::new("format");

/// What documentation says of it.
pub(crate) const STATEMENT: Statement = Statement::of(
    INTRODUCTION,
    "No bytes. From here on messages are those of the protocol that this introduction tells: that of the recording is damaged.",
    &[],
)
.one_of(&[Alternative::with(Carried::Some, &[&[&[OF_FORMAT]]])]);

const OF_FORMAT: FieldSchema = FieldSchema::ours(
    FORMAT.text,
    TypeSchema::new("", "string", ""),
    Presence::Always,
    "The format that the introduction is of.",
);

/// The numbers that may have become the one that was told: itself, and those that differ from it in one bit, if they are known.
pub(crate) fn near(told: Option<i32>, is_known: impl Fn(i32) -> bool) -> impl Iterator<Item = i32> {
    let bits = std::iter::once(0).chain((0..i32::BITS).map(|bit| 1 << bit));
    told.into_iter().flat_map(move |told| bits.clone().map(move |bit| told ^ bit)).filter(move |n| is_known(*n))
}
