//! What was wrong with a recording, and what was done about it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::edit::Account;
use crate::json::AllOrNone;
use crate::kinds::kinds;
use crate::world::Clock;

kinds! {
    /// What is wrong at a place of a recording.
    pub enum Found {
        /// Bytes that are no block.
        Unframed = "unframed",
        /// A block in which something cannot be read.
        Undecodable = "undecodable",
        /// The file ends within a block, or within what stands in front of one.
        Cut = "cut",
        /// A frame is told as the difference to one that is lost.
        LostBase = "lost_base",
        /// Server commands are lost: their numbers tell.
        LostCommands = "lost_commands",
        /// The same block twice in a row.
        Doubled = "doubled",
        /// A block stands behind the next one: their numbers tell.
        Swapped = "swapped",
        /// A packet is older than those in front of it: players pass over it.
        Stale = "stale",
        /// The number of a block is none that those around it leave room for.
        WrongNumber = "wrong_number",
        /// A bit of the size of a block is damaged.
        WrongSize = "wrong_size",
        /// The recording begins within a level.
        NoBeginning = "no_beginning",
        /// What tells a player to begin with the game is lost.
        NoSignon = "no_signon",
        /// Between two levels stand commands that stop players.
        LevelChange = "level_change",
        /// A block without messages, at which players stop.
        Empty = "empty",
        /// A recording ends, and another one follows, or it goes on.
        EndWithin = "end_within",
        /// The mark that a file begins with stands within it.
        MarkWithin = "mark_within",
        /// The file does not begin with the mark of its format.
        NoMark = "no_mark",
        /// The recording has no end.
        NoEnd = "no_end",
    }
}

kinds! {
    /// What was done about it.
    pub enum Done {
        /// It is not in the output.
        Dropped = "dropped",
        /// Messages in front of what cannot be read are in the output.
        Shortened = "shortened",
        /// The frame builds on one that is there, or on none.
        Rebuilt = "rebuilt",
        /// It stands where its number says.
        Moved = "moved",
        /// It has the number that is due.
        Renumbered = "renumbered",
        /// It has the size of its messages.
        Resized = "resized",
        /// Messages were taken out or changed.
        Changed = "changed",
        /// It was made from what is known.
        Made = "made",
        /// It was made, and holds what the recording does not tell.
        Invented = "invented",
    }
}

/// A place of a recording that was repaired.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Repair {
    /// What was wrong.
    pub found: Found,
    /// What was done.
    pub done: Done,
    /// Offset in the input.
    pub offset: u64,
    /// Bytes of the input that this is about.
    pub bytes: u64,
    /// Number of the block in the input, from 0; `None` for what is no block.
    pub block: Option<u64>,
    /// When, by what was written before.
    #[serde(flatten)]
    #[schemars(with = "AllOrNone<Clock>")]
    pub clock: Option<Clock>,
    /// What it is, in words.
    pub text: String,
}

/// What [`repair`](super::repair) found and did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RepairAccount {
    /// What became of the blocks.
    #[serde(flatten)]
    pub account: Account,
    /// Bytes of what was dropped: blocks, and bytes that are no block. What was taken out of other blocks does not count.
    pub bytes_dropped: u64,
    /// The places that were repaired, in order: the first 1,000.
    pub repairs: Vec<Repair>,
    /// How many there were.
    pub repair_count: u64,
}

impl RepairAccount {
    /// Places that are kept; a hostile file can have millions.
    pub const MOST: usize = 1_000;

    /// True when nothing was wrong: then the output is the input.
    pub fn is_sound(&self) -> bool {
        self.repair_count == 0
    }

    /// How many of the repairs kept are about something.
    pub fn count(&self, found: Found) -> usize {
        self.repairs.iter().filter(|repair| repair.found == found).count()
    }

    pub(super) fn add(&mut self, repair: Repair) {
        self.repair_count += 1;
        if repair.done == Done::Dropped {
            self.bytes_dropped += repair.bytes;
        }
        // Damage in a row that is so for one reason is told once.
        if let Some(last) = self.repairs.last_mut().filter(|last| last.is_followed_by(&repair)) {
            last.bytes += repair.bytes;
            self.repair_count -= 1;
            return;
        }
        if self.repairs.len() < Self::MOST {
            self.repairs.push(repair);
        }
    }
}

impl Repair {
    /// True for bytes without a block that go on where others end, and for the same reason.
    fn is_followed_by(&self, next: &Repair) -> bool {
        (self.found, self.done, &self.text) == (next.found, next.done, &next.text)
            && self.block.is_none()
            && next.block.is_none()
            && self.offset + self.bytes == next.offset
            && next.bytes > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_in_a_row_is_told_once_for_each_reason() {
        let mut account = RepairAccount::default();
        for (offset, text) in [(100, "one"), (110, "one"), (120, "other")] {
            let text = text.to_owned();
            let (found, done) = (Found::Unframed, Done::Dropped);
            account.add(Repair { found, done, offset, bytes: 10, block: None, clock: None, text });
        }
        let told: Vec<_> = account.repairs.iter().map(|it| (it.offset, it.bytes, &*it.text)).collect();
        assert_eq!(told, [(100, 20, "one"), (120, 10, "other")]);
        assert_eq!((account.repair_count, account.bytes_dropped), (2, 30));
    }
}
