//! The values of a replay, found by slot and name.

use std::collections::HashMap;
use std::ops::Range;

use super::{NAME, Replay, Values};

/// Finds values of players and of the world, however many there are.
#[derive(Debug)]
pub(crate) struct Index<'r> {
    replay: &'r Replay,
    lists: HashMap<(Option<u32>, &'r str), &'r Values>,
}

impl<'r> Index<'r> {
    pub(crate) fn new(replay: &'r Replay) -> Self {
        let mut lists = HashMap::new();
        for values in &replay.values {
            lists.entry((values.slot, replay.string(values.name))).or_insert(values);
        }
        Index { replay, lists }
    }

    /// As [`Replay::values_of`].
    pub(crate) fn values_of(&self, slot: Option<u32>, name: &str) -> Option<&'r Values> {
        self.lists.get(&(slot, name)).copied()
    }

    /// True for a slot that somebody has, by its names, and does not only watch. The page has the same.
    pub(crate) fn plays(&self, slot: u32, names: &Values) -> bool {
        let is_there = |row| self.replay.name_at(names, row).is_some();
        self.replay.named_since(names).is_some_and(|since| self.plays_within(slot, 0..u32::MAX, since, &is_there))
    }

    /// True where somebody who is there since a row has a slot within some rows, and does not only watch. What is so in the
    /// last row alone, when servers begin a level anew, lasts no time.
    pub(super) fn plays_within(
        &self,
        slot: u32,
        within: Range<u32>,
        since: u32,
        is_there: &dyn Fn(u32) -> bool,
    ) -> bool {
        let [names, spectator] = [NAME, "spectator"].map(|name| self.values_of(Some(slot), name));
        let last = self.replay.rows.len().saturating_sub(1) as u32;
        let told = [names, spectator].into_iter().flatten().flat_map(|values| values.within(&within)).map(|key| key.0);
        let rows = [since, within.start].into_iter().chain(told);
        let mut rows = rows.filter(|row| within.contains(row) && (*row < last || *row == since));
        rows.any(|row| is_there(row) && spectator.is_none_or(|spectator| spectator.at(row).is_none()))
    }
}
