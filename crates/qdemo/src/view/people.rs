//! How many people a replay shows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::slots::{Stay, stays};
use super::{Index, NAME, Replay};
use crate::event::roster::tells_apart;

impl Replay {
    /// How many people play at some time, and how many only watch. Whoever comes back is the same, also in another slot. Where
    /// nobody has a name, all count who are seen.
    pub fn players_and_spectators(&self) -> [usize; 2] {
        let index = Index::new(self);
        let stays = stays(self).unwrap_or_default();
        let mut play: Vec<bool> = people(self, &stays).iter().map(|person| person.plays(self, &index)).collect();
        if play.is_empty() {
            play = nameless(self, &index);
        }
        let playing = play.iter().filter(|plays| **plays).count();
        [playing, play.len() - playing]
    }
}

/// Somebody who has a name.
#[derive(Default)]
struct Person<'s> {
    stays: Vec<&'s Stay>,
}

impl Person<'_> {
    /// True at a row for somebody who is in no slot any more.
    fn is_away(&self, row: u32) -> bool {
        self.stays.last().is_none_or(|stay| stay.until <= row)
    }

    fn plays(&self, replay: &Replay, index: &Index<'_>) -> bool {
        let first = self.stays.first().and_then(|stay| stay.names.first());
        let Some((since, _)) = first.copied() else { return false };
        self.stays.iter().any(|stay| {
            let names = index.values_of(Some(stay.slot), NAME);
            let is_there = |row| names.is_some_and(|names| replay.name_at(names, row).is_some());
            index.plays_within(stay.slot, stay.from..stay.until, since, &is_there)
        })
    }
}

/// Who has these slots: the same one in each of a name that tells people apart, unless that one is somewhere else at the time.
fn people<'s>(replay: &Replay, stays: &'s [Stay]) -> Vec<Person<'s>> {
    let mut people: Vec<Person<'s>> = Vec::new();
    let mut numbered: HashMap<u32, usize> = HashMap::new();
    let mut named: BTreeSet<(i64, usize)> = BTreeSet::new();
    let mut by_row: Vec<&Stay> = stays.iter().collect();
    by_row.sort_by_key(|stay| stay.from);
    for stay in by_row {
        let is_away = |n: &usize| people.get(*n).is_some_and(|person| person.is_away(stay.from));
        let tells = |name: &i64| u32::try_from(*name).is_ok_and(|name| tells_apart(replay.string(name).as_bytes()));
        let names = || stay.names.iter().map(|(_, name)| *name).filter(tells);
        let of_name = |name: i64| named.range((name, 0)..=(name, usize::MAX)).rev().map(|(_, n)| *n).find(is_away);
        let known = numbered.get(&stay.number).copied().filter(is_away).or_else(|| names().find_map(of_name));
        let n = known.unwrap_or(people.len());
        if n == people.len() {
            people.push(Person::default());
        }
        people.get_mut(n).into_iter().for_each(|person| person.stays.push(stay));
        numbered.insert(stay.number, n);
        named.extend(names().map(|name| (name, n)));
    }
    people
}

/// Of each slot in which somebody is seen, whether somebody plays there.
fn nameless(replay: &Replay, index: &Index<'_>) -> Vec<bool> {
    let mut play: BTreeMap<u32, bool> = BTreeMap::new();
    for track in &replay.tracks {
        let Some(slot) = track.slot() else { continue };
        *play.entry(slot).or_default() |= index.plays_within(slot, track.from..track.to, track.from, &|_| true);
    }
    play.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{LevelAt, Track, TrackOf, Values};

    const STRINGS: [&str; 6] = ["name", "spectator", "", "anna", "bob", "unnamed"];
    const ANNA: Option<i64> = Some(3);
    const BOB: Option<i64> = Some(4);
    const UNNAMED: Option<i64> = Some(5);

    type Keys = [(u32, Option<i64>)];

    /// A replay of ten rows, with these values: slot, name, keys.
    fn replay(values: &[(u32, u32, &Keys)]) -> Replay {
        let mut replay = Replay { rows: (0..10).map(|n| n * 100).collect(), ..Replay::default() };
        replay.about.strings = STRINGS.map(str::to_owned).to_vec();
        let values =
            values.iter().map(|(slot, name, keys)| Values { slot: Some(*slot), name: *name, keys: keys.to_vec() });
        replay.values = values.collect();
        replay
    }
    /// A recording may tell no name of its player, who is seen.
    #[test]
    fn who_has_no_name_counts_where_nobody_has_one() {
        let none: &[_] = &[(0, Some(2))];
        let mut replay = replay(&[(0, 0, none), (1, 0, none), (2, 0, none), (2, 1, &[(0, Some(1))])]);
        assert_eq!(replay.players_and_spectators(), [0, 0]);
        let track = |of| Track { of, from: 0, to: 10, keys: Vec::new() };
        replay.tracks = [0, 0, 2, 4].map(|slot| track(TrackOf::Player(slot))).to_vec();
        replay.tracks.push(track(TrackOf::View));
        // Slot 1 is seen nowhere, 2 only watches, of 4 nothing else is told.
        assert_eq!(replay.players_and_spectators(), [2, 1]);
        replay.values.push(Values { slot: Some(3), name: 0, keys: vec![(5, ANNA)] });
        assert_eq!(replay.players_and_spectators(), [1, 0]);
    }

    #[test]
    fn who_comes_back_in_another_slot_is_the_same() {
        let leaves: &[_] = &[(0, ANNA), (4, None)];
        // In a later row, in that row, and before.
        for (row, people) in [(6, 1), (4, 1), (3, 2)] {
            assert_eq!(
                replay(&[(0, 0, leaves), (1, 0, &[(row, ANNA)])]).players_and_spectators(),
                [people, 0],
                "{row}"
            );
        }
        assert_eq!(replay(&[(0, 0, leaves), (1, 0, &[(6, BOB)])]).players_and_spectators(), [2, 0]);
        // Many are called that.
        let leaves: &[_] = &[(0, UNNAMED), (4, None)];
        assert_eq!(replay(&[(0, 0, leaves), (1, 0, &[(6, UNNAMED)])]).players_and_spectators(), [2, 0]);
        // Two of a name, one of whom comes back twice.
        let often: &[_] = &[(0, ANNA), (2, None), (3, ANNA), (5, None)];
        assert_eq!(
            replay(&[(0, 0, often), (1, 0, &[(0, ANNA)]), (2, 0, &[(7, ANNA)])]).players_and_spectators(),
            [2, 0]
        );
    }

    /// Whoever plays in one of several slots does not only watch.
    #[test]
    fn who_plays_in_one_slot_is_a_player() {
        let (leaves, watches): (&[_], &[_]) = (&[(0, ANNA), (4, None)], &[(0, Some(1)), (4, None)]);
        let back = |watches: &'static Keys| {
            replay(&[(0, 0, leaves), (0, 1, &[(0, Some(1)), (4, None)]), (1, 0, &[(6, ANNA)]), (1, 1, watches)])
        };
        assert_eq!(replay(&[(0, 0, leaves), (0, 1, watches)]).players_and_spectators(), [0, 1]);
        assert_eq!(back(&[(6, Some(1))]).players_and_spectators(), [0, 1]);
        assert_eq!(back(&[(7, Some(1))]).players_and_spectators(), [1, 0]);
    }

    /// Servers that begin a level anew let everybody play at first: of those who watch too, in the last row of a recording.
    #[test]
    fn what_the_last_row_tells_lasts_no_time() {
        let mut replay = replay(&[(0, 0, &[(0, ANNA)]), (0, 1, &[(0, Some(1)), (9, None)]), (1, 0, &[(9, BOB)])]);
        assert_eq!(replay.players_and_spectators(), [1, 1]);
        replay.about.levels = [0, 9].map(|row| LevelAt { row, ..LevelAt::default() }).to_vec();
        assert_eq!(replay.players_and_spectators(), [1, 1]);
        replay.rows.push(1_000);
        assert_eq!(replay.players_and_spectators(), [2, 0]);
    }
}
