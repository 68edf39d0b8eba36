//! Showing the pieces of a demo of any format.

use super::sink::MessageSink;
use super::{Shown, dem, dm2, dm3, mvd, mvd2, qwd};
use crate::describe::Unknown;
use crate::detect::Format;
use crate::stream::Piece;

/// Shows pieces one after the other, whatever their format.
pub(crate) enum Shower {
    Dem(Box<dem::Shower>),
    Qwd(Box<qwd::Shower>),
    Mvd(Box<mvd::Shower>),
    Dm2(Box<dm2::Shower>),
    Mvd2(Box<mvd2::Shower>),
    Dm3(Box<dm3::Shower>),
    Unknown,
}

impl Shower {
    /// A shower at the beginning of a demo.
    pub(crate) fn new(format: Format) -> Self {
        match format {
            Format::Dem => Shower::Dem(Box::new(dem::Shower::new())),
            Format::Qwd => Shower::Qwd(Box::new(qwd::Shower::new())),
            Format::Mvd => Shower::Mvd(Box::new(mvd::Shower::new())),
            Format::Dm2 => Shower::Dm2(Box::new(dm2::Shower::new())),
            Format::Mvd2 => Shower::Mvd2(Box::new(mvd2::Shower::new())),
            Format::Dm3(dialect) => Shower::Dm3(Box::new(dm3::Shower::new(dialect))),
            Format::Unknown => Shower::Unknown,
        }
    }

    /// Shows a piece.
    pub(crate) fn piece<S: MessageSink>(&mut self, piece: &Piece<'_>, s: &mut S) -> Shown {
        match (self, piece) {
            (Shower::Dem(shower), Piece::Dem(piece)) => shower.piece(piece, s),
            (Shower::Qwd(shower), Piece::Qwd(piece)) => shower.piece(piece, s),
            (Shower::Mvd(shower), Piece::Mvd(piece)) => shower.piece(piece, s),
            (Shower::Dm2(shower), Piece::Dm2(piece)) => shower.piece(piece, s),
            (Shower::Mvd2(shower), Piece::Mvd2(piece)) => shower.piece(piece, s),
            (Shower::Dm3(shower), Piece::Dm3(piece)) => shower.piece(piece, s),
            (_, Piece::Unknown(stray)) => {
                Unknown::show_stray(stray.bytes, s);
                Shown::default()
            }
            // Pieces of another demo are none of this one.
            _ => Shown::default(),
        }
    }

    /// True behind an end mark of Quake III.
    pub(crate) fn has_end_mark(&self) -> bool {
        matches!(self, Shower::Dm3(shower) if shower.ended)
    }

    /// Pieces that LMPC's language cannot hold at all, and messages that it holds only as bytes.
    pub(crate) fn foreign(&self) -> (u64, u64) {
        match self {
            Shower::Dem(shower) => shower.foreign,
            Shower::Qwd(shower) => shower.foreign,
            Shower::Mvd(shower) => shower.foreign,
            Shower::Dm2(shower) => shower.foreign,
            Shower::Mvd2(shower) => shower.foreign,
            Shower::Dm3(shower) => (shower.foreign, 0),
            Shower::Unknown => (0, 0),
        }
    }
}
