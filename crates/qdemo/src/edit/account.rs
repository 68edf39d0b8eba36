//! What an edit did.

use schemars::JsonSchema;
use serde::Serialize;

use crate::demo::Faults;
use crate::world::{Clock, DemoTime};

/// What became of a recording in an edit. As JSON it is what the command writes with `--json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
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
    /// The recordings that were joined, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Joined>,
    /// What was put in that the input does not tell, and other remarks.
    pub notes: Vec<String>,
}

impl Account {
    /// A block of the input is in the output.
    pub(crate) fn has(&mut self, block: Option<(u64, u64)>, at: Clock) {
        if let Some((block, _)) = block {
            let kept = Kept { block, at };
            self.first.get_or_insert(kept);
            self.last = Some(kept);
        }
    }

    /// Notes that what was read is damaged, if it is: such blocks are in the output as they are.
    pub(super) fn note_damage(&mut self, faults: &Faults) {
        if let Some(first) = faults.iter().next() {
            let more = faults.count() - 1;
            let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
            self.notes.push(format!("what was read is damaged, and is as it was where it was kept: {first}{more}"));
        }
    }
}

/// A block of the input that is in the output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Kept {
    /// Its number.
    pub block: u64,
    /// The time after it, on the clocks of the input.
    #[serde(flatten)]
    pub at: Clock,
}

/// A full start in an output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Start {
    /// The moment whose state it holds, on the clocks of the input.
    #[serde(flatten)]
    pub at: Clock,
    /// Number of the first block of the input behind it; `None` where time runs another way than in the input.
    pub block: Option<u64>,
    /// Blocks of which it is made.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// A recording in a joined one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Joined {
    /// Its name.
    pub name: String,
    /// Demo time in the output at which it begins, in ms.
    #[serde(rename = "from_demo_ms")]
    pub from: DemoTime,
    /// Levels that begin in it.
    pub levels: u64,
    /// Players whose names, scores and colours are those of the recording before, as it tells none.
    pub players_carried: u64,
    /// True when it goes on exactly where the one before ends, so that its full start was left out.
    pub goes_on: bool,
    /// Blocks that it has.
    pub blocks_read: u64,
    /// Blocks of it that are in the output byte for byte.
    pub blocks_kept: u64,
    /// Blocks of it that are in the output with something changed.
    pub blocks_changed: u64,
    /// Blocks of it that are not in the output: what ends it, or begins it where it goes on.
    pub blocks_dropped: u64,
    /// What is added to the numbers of its packets: `.qwd` and Quake III.
    pub packets_shifted: i64,
    /// What is added to the numbers of its server commands: Quake III.
    pub commands_shifted: i64,
    /// What is added to the recorder's clock, in seconds: `.qwd`.
    pub seconds_shifted: f64,
}
