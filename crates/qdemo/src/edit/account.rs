//! What an edit did.

use serde::Serialize;

use crate::world::Clock;

/// What became of a recording in an edit. As JSON it is what the command writes with `--json`.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Account {
    /// Blocks that were looked at.
    pub blocks_read: u64,
    /// Blocks that are in the output byte for byte.
    pub blocks_kept: u64,
    /// Blocks that are in the output with something changed: what they built on is not there.
    pub blocks_changed: u64,
    /// Blocks that are not in the output.
    pub blocks_dropped: u64,
    /// Blocks that only the output has: full starts, and an end.
    pub blocks_made: u64,
    /// Bytes of the output.
    pub bytes_written: u64,
    /// Where the output begins anew with all that is known at that moment.
    pub starts: Vec<Start>,
    /// True when the output was given an end, as there was none in what it has of the input.
    pub end_made: bool,
    /// The first block that was kept.
    pub first: Option<Kept>,
    /// The last block that was kept.
    pub last: Option<Kept>,
    /// What was put in that the input does not tell, and other remarks.
    pub notes: Vec<String>,
}

/// A block of the input that is in the output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Kept {
    /// Its number.
    pub block: u64,
    /// The time after it, on the clocks of the input.
    #[serde(flatten)]
    pub at: Clock,
}

/// A full start in an output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Start {
    /// The moment whose state it holds, on the clocks of the input.
    #[serde(flatten)]
    pub at: Clock,
    /// Number of the first block of the input behind it.
    pub block: u64,
    /// Blocks of which it is made.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}
