//! Faults noted while reading goes on: recover mode.

use crate::detect::Detected;
use crate::error::{Error, Kind, Place};
use crate::format::dem::{Block, Piece};
use crate::wire::Fault;

/// Faults with their places. A hostile file can have millions: the first 1,000 are kept, all are counted.
#[derive(Debug, Default)]
pub struct Faults {
    kept: Vec<Error>,
    count: u64,
    block: Option<u64>,
    time: Option<f32>,
}

impl Faults {
    const MOST: usize = 1_000;

    /// The faults kept, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Error> {
        self.kept.iter()
    }

    /// Takes the first fault out of the list; the count stays.
    pub fn take_first(&mut self) -> Option<Error> {
        (!self.kept.is_empty()).then(|| self.kept.remove(0))
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// True when nothing was wrong.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Takes block number and time from a piece, for the faults found in it.
    pub(crate) fn see(&mut self, piece: &Piece<'_>) {
        self.block = None;
        if let Piece::Block(block) = piece {
            self.block = Some(block.index);
            self.time = block_time(block).or(self.time);
        }
    }

    /// Notes that the file is no demo.
    pub(crate) fn not_a_demo(&mut self, file: &str, detected: &Detected) {
        if self.count == 0 {
            self.count = 1;
            let error = Error::new(Kind::NotADemo(detected.reason.clone())).at_offset(0).in_file(file);
            self.kept.push(error);
        }
    }

    /// Notes a fault in the piece seen last.
    pub(crate) fn add(&mut self, file: &str, fault: Fault, after: Vec<&'static str>, offset: u64) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            let place = Place {
                file: Some(file.to_owned()),
                offset: Some(offset),
                block: self.block,
                time: self.time,
                message: fault.message,
                field: fault.field,
                after,
            };
            self.kept.push(Error { place: Box::new(place), kind: fault.kind() });
        }
    }
}

/// The time message at the start of a block, if there is one: nearly all blocks begin with it.
pub(crate) fn block_time(block: &Block<'_>) -> Option<f32> {
    match block.payload {
        [7, a, b, c, d, ..] => Some(f32::from_le_bytes([*a, *b, *c, *d])),
        _ => None,
    }
}
