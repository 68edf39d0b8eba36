//! What was changed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::edit::Account;
use crate::kinds::kinds;
use crate::world::Clock;

kinds! {
    /// What became of a message.
    pub enum Changed {
        /// It is not in the output, or says nothing there.
        Removed = "removed",
        /// It says something else.
        Changed = "changed",
        /// Only the output has it.
        Added = "added",
    }
}

/// A message that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Change {
    /// What became of it.
    pub done: Changed,
    /// Why, as the command has it: `remove`, `rename`, `sanitize` ...
    pub why: &'static str,
    /// Name of the message.
    pub message: &'static str,
    /// Number of the block in the input, from 0.
    pub block: u64,
    /// When it is told.
    #[serde(flatten)]
    pub clock: Clock,
    /// What it said, in plain characters, or what of it was changed.
    pub before: Option<String>,
    /// What it says now.
    pub after: Option<String>,
}

/// What [`change`](super::change) did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct EditAccount {
    /// What became of the blocks.
    #[serde(flatten)]
    pub account: Account,
    /// Messages that were left out.
    pub removed: u64,
    /// Changes of messages.
    pub changed: u64,
    /// Messages that were put in.
    pub added: u64,
    /// The changes in order: the first 1,000.
    pub changes: Vec<Change>,
}

impl EditAccount {
    /// Changes that are kept; a recording may have a hundred thousand messages of a kind.
    pub const MOST: usize = 1_000;

    pub(in crate::edit) fn add(&mut self, change: Change) {
        let count = match change.done {
            Changed::Removed => &mut self.removed,
            Changed::Changed => &mut self.changed,
            Changed::Added => &mut self.added,
        };
        *count += 1;
        if self.changes.len() < Self::MOST {
            self.changes.push(change);
        }
    }

    /// Takes in what was done before.
    pub(super) fn follows(&mut self, before: EditAccount) {
        self.account.notes.splice(0..0, before.account.notes);
        (self.removed, self.added) = (self.removed + before.removed, self.added + before.added);
        self.changed += before.changed;
        self.changes.splice(0..0, before.changes);
        self.changes.sort_by_key(|change| change.block);
        self.changes.truncate(Self::MOST);
    }

    /// Says something once.
    pub(in crate::edit) fn remark(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.account.notes.contains(&note) {
            self.account.notes.push(note);
        }
    }
}
