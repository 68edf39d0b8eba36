//! The values of a replay, found by slot and name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Replay, TrackOf, Values, one_each};

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
    /// How many people play at some time, and how many only watch: all who have a name, or are seen as players without one.
    pub fn players_and_spectators(&self) -> [usize; 2] {
        let apart = one_each(self);
        let index = Index::new(apart.as_ref().unwrap_or(self));
        let names: BTreeMap<u32, &Values> = index.names().collect();
        let is_named = |name: i64| u32::try_from(name).is_ok_and(|name| !index.replay.string(name).is_empty());
        let named = names.iter().filter(|(_, names)| names.keys.iter().any(|(_, name)| name.is_some_and(is_named)));
        let seen = index.replay.tracks.iter().filter_map(|track| match track.of {
            TrackOf::Player(slot) => Some(slot),
            _ => None,
        });
        let people: BTreeSet<u32> = named.map(|(slot, _)| *slot).chain(seen).collect();
        let only_watches = |slot: &&u32| names.get(slot).is_some_and(|names| index.only_watches(**slot, names));
        let watching = people.iter().filter(only_watches).count();
        [people.len().saturating_sub(watching), watching]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Track;

    /// A recording may tell no name of its player, who is seen.
    #[test]
    fn who_has_no_name_is_a_player_where_one_is_seen() {
        let mut replay = Replay { rows: vec![0, 100, 200], ..Replay::default() };
        replay.about.strings = ["name", "spectator", "", "a"].map(str::to_owned).to_vec();
        let value = |slot, name, v| Values { slot: Some(slot), name, keys: vec![(0, Some(v))] };
        replay.values = vec![value(0, 0, 2), value(1, 0, 2), value(2, 0, 2), value(2, 1, 1), value(3, 0, 3)];
        assert_eq!(replay.players_and_spectators(), [1, 0]);
        let track = |of| Track { of, from: 0, to: 3, keys: Vec::new() };
        replay.tracks = [0, 0, 2, 3, 4].map(|slot| track(TrackOf::Player(slot))).to_vec();
        replay.tracks.push(track(TrackOf::View));
        // Slot 1 is seen nowhere, 2 only watches, of 4 nothing else is told.
        assert_eq!(replay.players_and_spectators(), [3, 1]);
    }
}
