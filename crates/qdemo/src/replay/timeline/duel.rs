//! Duels of Quake II.

use std::collections::BTreeSet;

use crate::event::Won;

/// Who plays a match: those who were seen in it or had part in a death, as places in a list. Of two of them the text that
/// ends a match tells both scores. Recordings of clients tell no other score of the one who did not record.
#[derive(Debug, Default)]
pub(super) struct Duel {
    played: BTreeSet<usize>,
}

impl Duel {
    /// One more plays, or the same again.
    pub(super) fn add(&mut self, at: usize) {
        self.played.insert(at);
    }

    /// The scores of two that a text tells.
    pub(super) fn scores<'n>(&self, text: &str, name: impl Fn(usize) -> &'n str) -> Option<[(usize, i32); 2]> {
        let won = Won::by_text(text)?;
        let mut played = self.played.iter().copied();
        let (Some(first), Some(second), None) = (played.next(), played.next(), played.next()) else { return None };
        let [of_first, of_second] = won.scores_of_two([name(first), name(second)])?;
        Some([(first, of_first), (second, of_second)])
    }
}
