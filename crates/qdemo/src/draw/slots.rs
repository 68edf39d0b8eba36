//! Slots that several people had, one after the other.

use crate::view::{MarkKind, Replay, TrackOf, Values, Who};

/// From a row on, up to the next of its slot, a slot is that of somebody: of the one whose number this is.
struct Stay {
    slot: u32,
    from: u32,
    number: u32,
}

/// The replay with a slot for each person, where somebody left and somebody of another name came: who came later has a slot
/// that nobody had. `None` where each has one already, which is nearly always so.
pub(super) fn one_each(replay: &Replay) -> Option<Replay> {
    let last = replay.values.iter().filter_map(|values| values.slot).max()?;
    let mut stays = Vec::new();
    let mut free = last.checked_add(1)?;
    for names in replay.values.iter().filter(|values| replay.string(values.name) == "name") {
        let Some(slot) = names.slot else { continue };
        let mut people: Vec<(u32, Vec<i64>)> = Vec::new();
        let told = |name: &i64| u32::try_from(*name).is_ok_and(|name| !replay.string(name).is_empty());
        for stay in names.keys.split(|(_, name)| name.is_none()) {
            let all: Vec<i64> = stay.iter().filter_map(|(_, name)| *name).filter(told).collect();
            let (Some((from, _)), false) = (stay.first(), all.is_empty()) else { continue };
            match people.iter_mut().find(|(_, names)| names.iter().any(|name| all.contains(name))) {
                // Whoever comes back is the same.
                Some((number, names)) => {
                    names.extend(all);
                    stays.push(Stay { slot, from: *from, number: *number });
                }
                None => {
                    let number = if people.is_empty() { slot } else { free };
                    free = free.checked_add(u32::from(number == free))?;
                    people.push((number, all));
                    stays.push(Stay { slot, from: *from, number });
                }
            }
        }
    }
    stays.iter().any(|stay| stay.number != stay.slot).then(|| divided(replay, &stays))
}

fn divided(replay: &Replay, stays: &[Stay]) -> Replay {
    // Before anybody has a name, a slot is that of the first.
    let at = |slot: u32, row: u32| {
        let own = || stays.iter().filter(|stay| stay.slot == slot);
        own().rfind(|stay| stay.from <= row).or_else(|| own().next()).map_or(slot, |stay| stay.number)
    };
    let mut apart = replay.clone();
    for track in &mut apart.tracks {
        if let TrackOf::Player(slot) = &mut track.of {
            *slot = at(*slot, track.to.saturating_sub(1));
        }
    }
    apart.values.clear();
    for values in &replay.values {
        let mut parts: Vec<Values> = Vec::new();
        for (row, value) in &values.keys {
            let slot = values.slot.map(|slot| at(slot, *row));
            for part in parts.iter_mut().filter(|part| part.slot != slot) {
                if part.keys.last().is_some_and(|(_, value)| value.is_some()) {
                    part.keys.push((*row, None));
                }
            }
            match parts.iter_mut().find(|part| part.slot == slot) {
                Some(part) => part.keys.push((*row, *value)),
                None => parts.push(Values { slot, keys: vec![(*row, *value)], ..*values }),
            }
        }
        apart.values.append(&mut parts);
    }
    for mark in &mut apart.about.marks {
        let Some(row) = replay.row_at(mark.demo_ms) else { continue };
        let renumber = |who: &mut Who| {
            let slot = who.slot.and_then(|slot| u32::try_from(slot).ok());
            who.slot = slot.map(|slot| at(slot, row) as usize).or(who.slot);
        };
        match &mut mark.kind {
            MarkKind::Frag { attacker, victim, .. } => attacker.iter_mut().chain([victim]).for_each(renumber),
            MarkKind::Flag { player, .. } | MarkKind::Pickup { player, .. } => player.iter_mut().for_each(renumber),
            _ => {}
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{Key, Mark, Track};

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

    #[test]
    fn who_comes_back_or_takes_a_name_is_the_same() {
        for names in [vec![(0, Some(2)), (40, None), (50, Some(2))], vec![(0, Some(2)), (50, Some(3))]] {
            assert!(one_each(&replay(&names)).is_none(), "{names:?}");
        }
        assert!(one_each(&Replay::default()).is_none());
    }
}
