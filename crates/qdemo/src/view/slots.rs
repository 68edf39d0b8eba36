//! Slots that several people had, one after the other.

use std::collections::HashMap;

use super::{LevelAt, MarkKind, Replay, TrackOf, Values, Who};

/// From a row on, up to the next of its slot, a slot is that of somebody: of the one whose number this is.
pub(super) struct Stay {
    pub(super) slot: u32,
    pub(super) from: u32,
    /// The first row in which the slot is nobody's, or in another level.
    pub(super) until: u32,
    pub(super) number: u32,
    /// The names of whoever has it, with their rows.
    pub(super) names: Vec<(u32, i64)>,
}

/// The replay with a slot for each person, where somebody left and somebody of another name came, or has the slot in the next
/// level: who came later has a slot that nobody had. `None` where each has one already, which is nearly always so.
pub(crate) fn one_each(replay: &Replay) -> Option<Replay> {
    let stays = stays(replay)?;
    stays.iter().any(|stay| stay.number != stay.slot).then(|| divided(replay, &stays))
}

/// The stays of all who have a name, by slot. `None` where there are no slots, or no more numbers.
pub(super) fn stays(replay: &Replay) -> Option<Vec<Stay>> {
    let last = replay.values.iter().filter_map(|values| values.slot).max()?;
    let mut stays = Vec::new();
    let mut free = last.checked_add(1)?;
    for (slot, names) in replay.names() {
        // The first of a slot who had a name.
        let mut people: HashMap<i64, u32> = HashMap::new();
        for (mut names, until) in by_stay(&names.keys, &replay.about.levels) {
            let Some((from, _)) = names.first().copied() else { continue };
            names.retain(|(_, name)| replay.is_name(*name));
            if names.is_empty() {
                continue;
            }
            // Whoever comes back is the same.
            let known = names.iter().filter_map(|(_, name)| people.get(name)).min().copied();
            let number = known.unwrap_or(if people.is_empty() { slot } else { free });
            free = free.checked_add(u32::from(number == free))?;
            people.extend(names.iter().map(|(_, name)| (*name, number)));
            stays.push(Stay { slot, from, until, number, names });
        }
    }
    stays.sort_by_key(|stay| stay.slot);
    Some(stays)
}

/// The names of a slot, with their rows: a list for each stay, and the row that ends it. One ends where nobody has the slot,
/// and with a level.
fn by_stay(keys: &[(u32, Option<i64>)], levels: &[LevelAt]) -> Vec<(Vec<(u32, i64)>, u32)> {
    let mut stays: Vec<(Vec<(u32, i64)>, u32)> = Vec::new();
    let mut stay: Vec<(u32, i64)> = Vec::new();
    let mut begins = levels.iter().map(|level| level.row).peekable();
    for (row, name) in keys {
        while let Some(begin) = begins.next_if(|begin| begin <= row) {
            // Who is still there when it begins has the slot in it, too.
            let goes_on = stay.last().filter(|_| begin < *row).map(|(_, name)| (begin, *name));
            stays.push((std::mem::replace(&mut stay, goes_on.into_iter().collect()), begin));
        }
        match name {
            Some(name) => stay.push((*row, *name)),
            None => stays.push((std::mem::take(&mut stay), *row)),
        }
    }
    stays.push((stay, u32::MAX));
    stays
}

fn divided(replay: &Replay, stays: &[Stay]) -> Replay {
    let of_slot = |slot: u32| {
        let [from, to] = [slot, slot.saturating_add(1)].map(|slot| stays.partition_point(|stay| stay.slot < slot));
        stays.get(from..to).unwrap_or_default()
    };
    // Before anybody has a name, a slot is that of the first.
    let at = |slot: u32, row: u32| {
        let own = of_slot(slot);
        let stay = own.partition_point(|stay| stay.from <= row).saturating_sub(1);
        own.get(stay).map_or(slot, |stay| stay.number)
    };
    let mut apart = replay.clone();
    for track in &mut apart.tracks {
        if let TrackOf::Player(slot) = &mut track.of {
            *slot = at(*slot, track.to.saturating_sub(1));
        }
    }
    apart.values.clear();
    for values in &replay.values {
        let Some(slot) = values.slot else {
            let sees = replay.string(values.name) == "view";
            apart.values.push(if sees { seen_by(values, stays, &at) } else { values.clone() });
            continue;
        };
        let mut parts: Vec<Values> = Vec::new();
        // Where the part of a new slot is, and that of whoever has the slot.
        let (mut places, mut last): (HashMap<u32, usize>, Option<usize>) = (HashMap::new(), None);
        for (row, value) in going_on(&values.keys, of_slot(slot)) {
            let number = at(slot, row);
            let place = *places.entry(number).or_insert_with(|| {
                parts.push(Values { slot: Some(number), keys: Vec::new(), ..*values });
                parts.len() - 1
            });
            let before = last.replace(place).filter(|last| *last != place).and_then(|last| parts.get_mut(last));
            if let Some(before) = before.filter(|it| it.keys.last().is_some_and(|(_, value)| value.is_some())) {
                before.keys.push((row, None));
            }
            parts.get_mut(place).into_iter().for_each(|part| part.keys.push((row, value)));
        }
        apart.values.append(&mut parts);
    }
    apart.shots.iter_mut().for_each(|shot| shot.slot = at(shot.slot, shot.row));
    for it in &mut apart.damage {
        it.victim.iter_mut().chain(&mut it.attacker).for_each(|slot| *slot = at(*slot, it.row));
    }
    for mark in &mut apart.about.marks {
        let Some(row) = replay.row_at(mark.demo_ms) else { continue };
        let renumber = |who: &mut Who| {
            let slot = who.slot.and_then(|slot| u32::try_from(slot).ok());
            who.slot = slot.map(|slot| at(slot, row) as usize).or(who.slot);
        };
        match &mut mark.kind {
            MarkKind::Frag { attacker, victim, .. } => attacker.iter_mut().chain([victim]).for_each(renumber),
            MarkKind::Chat { speaker: player, .. }
            | MarkKind::Flag { player, .. }
            | MarkKind::Pickup { player, .. } => player.iter_mut().for_each(renumber),
            MarkKind::Highlight { player, .. } => renumber(player),
            MarkKind::Match { .. } | MarkKind::Respawn { .. } => {}
        }
    }
    let recorder = replay.about.recorder.and_then(|slot| u32::try_from(slot).ok());
    let last = replay.rows.len().saturating_sub(1) as u32;
    apart.about.recorder = recorder.map(|slot| at(slot, last) as usize);
    apart
}

/// The keys of a value of a slot, and one more where somebody else has the slot and the value goes on.
fn going_on(keys: &[(u32, Option<i64>)], stays: &[Stay]) -> Vec<(u32, Option<i64>)> {
    let mut all: Vec<(u32, Option<i64>)> = Vec::new();
    let turns = stays.windows(2).filter_map(|pair| match pair {
        [before, stay] => Some(stay.from).filter(|_| before.number != stay.number),
        _ => None,
    });
    let mut turns = turns.peekable();
    let mut now = None;
    for (row, value) in keys {
        while let Some(turn) = turns.next_if(|turn| turn <= row) {
            all.extend(Some((turn, now)).filter(|_| turn < *row && now.is_some()));
        }
        all.push((*row, *value));
        now = *value;
    }
    all.extend(turns.map(|turn| (turn, now)).filter(|_| now.is_some()));
    all
}

/// Through whose eyes the recording looks, by the new numbers.
fn seen_by(values: &Values, stays: &[Stay], at: &dyn Fn(u32, u32) -> u32) -> Values {
    let mut rows: Vec<u32> =
        values.keys.iter().map(|(row, _)| *row).chain(stays.iter().map(|stay| stay.from)).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut keys: Vec<(u32, Option<i64>)> = Vec::new();
    for row in rows {
        let slot = values.at(row).map(|slot| u32::try_from(slot).map_or(slot, |slot| at(slot, row).into()));
        if keys.last().map_or(slot.is_some(), |(_, last)| *last != slot) {
            keys.push((row, slot));
        }
    }
    Values { keys, ..*values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Damage, Key, Mark, Shot, Track};

    fn replay(names: &[(u32, Option<i64>)]) -> Replay {
        let mut replay = Replay { rows: (0..100).map(|n| n * 100).collect(), ..Replay::default() };
        replay.about.strings = ["name", "frags", "one", "two"].map(str::to_owned).to_vec();
        replay.values.push(Values { slot: Some(3), name: 0, keys: names.to_vec() });
        let frags = vec![(0, Some(1)), (40, None), (50, Some(0)), (60, Some(7))];
        replay.values.push(Values { slot: Some(3), name: 1, keys: frags });
        for (from, to) in [(0, 40), (50, 100)] {
            let keys = vec![Key { row: from, place: [0; 3], angles: [0; 3] }];
            replay.tracks.push(Track { of: TrackOf::Player(3), from, to, keys });
        }
        let player = Some(Who { slot: Some(3), name: "two".to_owned() });
        replay.about.marks.push(Mark { demo_ms: 7_000, kind: MarkKind::Pickup { player, item: String::new() } });
        replay
    }

    #[test]
    fn who_comes_later_has_a_slot_of_their_own() {
        let apart = one_each(&replay(&[(0, Some(2)), (40, None), (50, Some(3))])).unwrap();
        let frags = |slot, row| apart.values_of(Some(slot), "frags").and_then(|values| values.at(row));
        assert_eq!([frags(3, 30), frags(3, 45), frags(3, 70)], [Some(1), None, None]);
        assert_eq!([frags(4, 30), frags(4, 55), frags(4, 70)], [None, Some(0), Some(7)]);
        assert_eq!(apart.tracks.iter().map(Track::slot).collect::<Vec<_>>(), [Some(3), Some(4)]);
        assert!(
            matches!(&apart.about.marks[0].kind, MarkKind::Pickup { player: Some(who), .. } if who.slot == Some(4))
        );
    }

    /// Also where one goes and the other comes within a row.
    #[test]
    fn who_comes_in_the_row_in_which_another_goes_has_a_slot_too() {
        let names = [(0, Some(2)), (50, None), (50, Some(3))];
        let part = replay(&names).between(4_000, 6_000);
        for (replay, row) in [(replay(&names), 50), (part, 10)] {
            let apart = one_each(&replay).unwrap();
            let name = |slot, row| apart.values_of(Some(slot), "name").and_then(|values| values.at(row));
            assert_eq!([name(3, row - 1), name(3, row)], [Some(2), None]);
            assert_eq!([name(4, row - 1), name(4, row)], [None, Some(3)]);
        }
    }

    /// However many had a slot.
    #[test]
    fn many_had_a_slot() {
        const PEOPLE: u32 = 20_000;
        let mut replay = Replay { rows: (0..i64::from(PEOPLE)).collect(), ..Replay::default() };
        replay.about.strings = ["name", "frags"].map(str::to_owned).to_vec();
        replay.about.strings.extend((0..PEOPLE).map(|n| format!("p{n}")));
        let name = |n: u32| [(n, None), (n, Some(i64::from(n) + 2))];
        replay.values = vec![
            Values { slot: Some(0), name: 0, keys: (0..PEOPLE).flat_map(name).collect() },
            Values { slot: Some(0), name: 1, keys: (0..PEOPLE).map(|n| (n, Some(n.into()))).collect() },
        ];
        let begun = std::time::Instant::now();
        let apart = one_each(&replay).unwrap();
        assert_eq!(apart.values.len(), 2 * PEOPLE as usize);
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    }

    /// Whatever is told of a slot is that of the one who has it then.
    #[test]
    fn shots_damage_and_eyes_have_the_new_slots() {
        let mut replay = replay(&[(0, Some(2)), (40, None), (50, Some(3))]);
        replay.about.strings.push("view".to_owned());
        replay.about.recorder = Some(3);
        replay.values.push(Values { slot: None, name: 4, keys: vec![(0, Some(3)), (70, Some(5))] });
        replay.shots = [30, 60].map(|row| Shot { row, slot: 3, weapon: 0 }).to_vec();
        let damage = |row| Damage { row, victim: Some(3), attacker: Some(5), amount: 1 };
        replay.damage = [30, 60].map(damage).to_vec();
        let apart = one_each(&replay).unwrap();
        assert_eq!(apart.shots.iter().map(|shot| shot.slot).collect::<Vec<_>>(), [3, 4]);
        let hurt: Vec<_> = apart.damage.iter().map(|it| (it.victim, it.attacker)).collect();
        assert_eq!(hurt, [(Some(3), Some(5)), (Some(4), Some(5))]);
        let view = apart.values_of(None, "view").unwrap();
        assert_eq!(view.keys, [(0, Some(3)), (50, Some(4)), (70, Some(5))]);
        assert_eq!(apart.about.recorder, Some(4));
    }

    /// A level that begins is told anew only as far as it differs from the one before.
    #[test]
    fn who_has_a_slot_in_the_next_level_may_be_another_one() {
        let levels = [0, 50].map(|row| LevelAt { row, ..LevelAt::default() });
        let mut other = replay(&[(0, Some(2)), (50, Some(3))]);
        other.about.levels = levels.to_vec();
        other.values[1].keys = vec![(0, Some(1)), (60, Some(7))];
        let apart = one_each(&other).unwrap();
        let values = |slot| apart.values_of(Some(slot), "frags").map(|values| values.keys.clone());
        assert_eq!(values(3), Some(vec![(0, Some(1)), (50, None)]));
        assert_eq!(values(4), Some(vec![(50, Some(1)), (60, Some(7))]));
        // Who stays and takes another name in the next level is the same.
        let mut renamed = replay(&[(0, Some(2)), (60, Some(3))]);
        renamed.about.levels = levels.to_vec();
        assert!(one_each(&renamed).is_none());
    }

    #[test]
    fn who_comes_back_or_takes_a_name_is_the_same() {
        for names in [vec![(0, Some(2)), (40, None), (50, Some(2))], vec![(0, Some(2)), (50, Some(3))]] {
            assert!(one_each(&replay(&names)).is_none(), "{names:?}");
        }
        assert!(one_each(&Replay::default()).is_none());
    }
}
