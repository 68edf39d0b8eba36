//! Showing the chunks of a demo of any format.

use super::sink::MessageSink;
use super::{Printed, dem, dm2, dm3, mvd, mvd2, qwd};
use crate::describe::Unknown;
use crate::detect::Format;
use crate::stream::Chunk;

/// Shows chunks one after the other, whatever their format.
pub(crate) enum Printer {
    Dem(Box<dem::Printer>),
    Qwd(Box<qwd::Printer>),
    Mvd(Box<mvd::Printer>),
    Dm2(Box<dm2::Printer>),
    Mvd2(Box<mvd2::Printer>),
    Dm3(Box<dm3::Printer>),
    Unknown,
}

impl Printer {
    /// A shower at the beginning of a demo.
    pub(crate) fn new(format: Format) -> Self {
        match format {
            Format::Dem => Printer::Dem(Box::new(dem::Printer::new())),
            Format::Qwd => Printer::Qwd(Box::new(qwd::Printer::new())),
            Format::Mvd => Printer::Mvd(Box::new(mvd::Printer::new())),
            Format::Dm2 => Printer::Dm2(Box::new(dm2::Printer::new())),
            Format::Mvd2 => Printer::Mvd2(Box::new(mvd2::Printer::new())),
            Format::Dm3(dialect) => Printer::Dm3(Box::new(dm3::Printer::new(dialect))),
            Format::Unknown => Printer::Unknown,
        }
    }

    /// Shows a chunk.
    pub(crate) fn chunk<S: MessageSink>(&mut self, chunk: &Chunk<'_>, s: &mut S) -> Printed {
        match (self, chunk) {
            (Printer::Dem(shower), Chunk::Dem(chunk)) => shower.chunk(chunk, s),
            (Printer::Qwd(shower), Chunk::Qwd(chunk)) => shower.chunk(chunk, s),
            (Printer::Mvd(shower), Chunk::Mvd(chunk)) => shower.chunk(chunk, s),
            (Printer::Dm2(shower), Chunk::Dm2(chunk)) => shower.chunk(chunk, s),
            (Printer::Mvd2(shower), Chunk::Mvd2(chunk)) => shower.chunk(chunk, s),
            (Printer::Dm3(shower), Chunk::Dm3(chunk)) => shower.chunk(chunk, s),
            (_, Chunk::Unknown(unframed)) => {
                Unknown::print_unframed(unframed.bytes, s);
                Printed::default()
            }
            // Reader of another demo are none of this one.
            _ => Printed::default(),
        }
    }

    /// True behind an end mark of Quake III.
    pub(crate) fn has_end_mark(&self) -> bool {
        matches!(self, Printer::Dm3(shower) if shower.ended)
    }

    /// Reader that LMPC's language cannot hold at all, and messages that it holds only as bytes.
    pub(crate) fn foreign(&self) -> (u64, u64) {
        match self {
            Printer::Dem(shower) => shower.foreign,
            Printer::Qwd(shower) => shower.foreign,
            Printer::Mvd(shower) => shower.foreign,
            Printer::Dm2(shower) => shower.foreign,
            Printer::Mvd2(shower) => shower.foreign,
            Printer::Dm3(shower) => (shower.foreign, 0),
            Printer::Unknown => (0, 0),
        }
    }
}
