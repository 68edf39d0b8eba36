//! The values of a replay, found by slot and name.

use std::collections::HashMap;

use super::{Replay, Values, one_each};

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

    /// The names of players, a list for each slot that has some.
    pub(crate) fn names(&self) -> impl Iterator<Item = (u32, &'r Values)> {
        let replay = self.replay;
        let is = |values: &&Values| replay.string(values.name) == "name";
        replay.values.iter().filter(is).filter_map(|values| Some((values.slot?, values)))
    }

    /// True for a slot of which everybody who has it only watches, by the names that it has.
    pub(crate) fn only_watches(&self, slot: u32, names: &Values) -> bool {
        let Some(spectator) = self.values_of(Some(slot), "spectator") else { return false };
        let since = names.keys.iter().find(|(_, name)| name.is_some()).map_or(0, |key| key.0);
        // Nobody watches where nobody has the slot.
        let rows = names.keys.iter().chain(&spectator.keys).map(|key| key.0);
        let mut named = rows.filter(|row| names.at(*row).is_some() && *row + 1 < self.replay.rows.len() as u32);
        spectator.at(since).is_some() && named.all(|row| spectator.at(row).is_some())
    }
}

impl Replay {
    /// How many people play at some time, and how many only watch.
    pub fn players_and_spectators(&self) -> [usize; 2] {
        let apart = one_each(self);
        let index = Index::new(apart.as_ref().unwrap_or(self));
        let is_named = |name: i64| u32::try_from(name).is_ok_and(|name| !index.replay.string(name).is_empty());
        let named = |(_, names): &(u32, &Values)| names.keys.iter().any(|(_, name)| name.is_some_and(is_named));
        let (watching, playing): (Vec<_>, Vec<_>) =
            index.names().filter(named).partition(|(slot, names)| index.only_watches(*slot, names));
        [playing.len(), watching.len()]
    }
}
