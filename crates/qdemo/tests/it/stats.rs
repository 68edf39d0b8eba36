//! Statistics against those of the game modules in the same recordings, another analyser's, and the score boards.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{
    Random, all_dem, all_dm2, all_dm3, all_quakeworld, falls_cost_nothing, file_name, has_flags, is_broken, root,
    rounds, shared, testdata, with_worlds,
};
use qdemo::Limits;
use qdemo::analysis::stats::{
    Comparison, Difference, ItemMeasure, Measure, Period, PeriodKind, Player, WeaponMeasure, stats,
};
use qdemo::event::{EventKind, Phase};
use qdemo::replay::events;

fn parts(demo: &[u8], name: &str) -> Vec<Period> {
    let mut all = Vec::new();
    stats(demo, name, Limits::default(), &mut |part| {
        all.push(part);
        Ok(())
    })
    .unwrap();
    all
}

pub(crate) fn of(path: &Path) -> Vec<Period> {
    parts(&std::fs::read(path).unwrap(), &file_name(path))
}

pub(crate) fn is_match(part: &&Period) -> bool {
    part.kind == PeriodKind::Match
}

/// Numbers of a player that both sides have and that mean the same.
pub(crate) fn compared(player: &Player) -> usize {
    let same = |m: &&Measure| {
        m.comparison() == Comparison::Same && player.reported.get(**m).is_some() && player.counted.get(**m).is_some()
    };
    let of_weapons: usize = player
        .reported
        .weapons()
        .map(|(_, told)| {
            WeaponMeasure::ALL.iter().filter(|m| m.comparison() == Comparison::Same && told.get(**m).is_some()).count()
        })
        .sum();
    Measure::ALL.iter().filter(same).count() + of_weapons + player.reported.items().count()
}

/// Numbers that both sides have, with the weapons and items, that differ.
fn agreement(player: &Player) -> (usize, Vec<&Difference>) {
    // Messages have whole numbers of damage, the game has not.
    let rounded = |d: &&Difference| d.what.contains("damage") && (d.counted - d.reported).abs() <= 2;
    (compared(player), player.differences.iter().filter(|d| !rounded(d)).collect())
}

/// KTX counts in the game itself, and its server writes that into the recording; and KTX prints it for people, in old
/// recordings too. docs/truth.md says what differs, and why.
#[test]
fn ktx_counts_the_same() {
    let (mut players, mut numbers, mut weapons, mut taken, mut harm) = (0, 0, 0, 0, 0);
    let (mut printed, mut rounded) = (0, 0);
    for path in all_quakeworld() {
        for part in of(&path).iter().filter(is_match) {
            for player in part.players.iter().filter(|p| !p.reported_by.is_empty()) {
                let by = |source: &str| player.reported_by.iter().any(|(by, _)| *by == source);
                assert!(part.is_reported(player), "{}", path.display());
                let (same, other) = agreement(player);
                assert!(other.is_empty(), "{}: {}: {other:?}", path.display(), player.who.name);
                players += 1;
                printed += usize::from(by("print") && !by("hidden_demoinfo"));
                rounded += player.differences.len();
                harm += player.counted.get(Measure::DamageGiven).unwrap_or(0);
                numbers += same;
                weapons += player.reported.weapons().filter(|(_, w)| w.get(WeaponMeasure::Shots).is_some()).count();
                taken += player.counted.items().filter_map(|(_, item)| item.get(ItemMeasure::Taken)).sum::<i64>();
                assert!(player.reported.get(Measure::Score).is_some() && player.counted.get(Measure::Streak).is_some());
            }
        }
    }
    let share = 100.0 * (1.0 - rounded as f64 / numbers.max(1) as f64);
    eprintln!("{players} players, {printed} of them printed alone, {numbers} numbers, {share:.2} % equal to the point");
    eprintln!("{weapons} weapons with shots, {taken} items");
    assert!(shared("corpus/mvd").is_none() || players >= 35 && printed >= 19 && numbers >= 900);
    assert!(shared("corpus/mvd").is_none() || weapons >= 30 && taken >= 1500 && harm > 28_000 && share > 99.5);
}

/// How long somebody had something, in whole seconds. Of powerups both mean the same; armour KTX counts until its owner
/// dies or takes another, used up or not, and the pickups and deaths of the recording add up to that.
#[test]
fn ktx_tells_how_long_things_were_held() {
    let (mut powerups, mut armors) = (0, 0);
    for path in all_quakeworld() {
        let all = of(&path);
        let Some(part) = all.iter().rfind(is_match) else { continue };
        let (from, to) = (part.begin.demo.ms(), part.end.demo.ms());
        let mut what = Vec::new();
        let mut rounds = false;
        events(&std::fs::read(&path).unwrap()[..], &file_name(&path), Limits::default(), &mut |event| {
            let at = event.clock.demo.ms();
            rounds |= event.kind == EventKind::Match(Phase::Round);
            match &event.kind {
                EventKind::Pickup { player: Some(who), item } if item.ends_with("_armor") => {
                    what.push((at, who.slot, Some(item.to_string())));
                }
                EventKind::Frag(frag) => what.push((at, frag.victim.slot, None)),
                _ => {}
            }
            Ok(())
        })
        .unwrap();
        what.retain(|(at, _, _)| (from..=to).contains(at));
        what.sort_by_key(|(at, _, _)| *at);
        for player in &part.players {
            let mut held: BTreeMap<String, i64> = BTreeMap::new();
            let mut worn: Option<(String, i64)> = None;
            let own = what.iter().filter(|(_, slot, _)| *slot == player.who.slot).cloned();
            for (at, _, item) in own.chain([(to, None, None)]) {
                if let Some((name, since)) = worn.take() {
                    *held.entry(name).or_default() += at - since;
                }
                worn = item.map(|item| (item, at));
            }
            for (name, told) in player.reported.items() {
                let Some(told) = told.get(ItemMeasure::TimeMs) else { continue };
                let context = format!("{}: {} {name}", path.display(), player.who.name);
                if name.ends_with("_armor") {
                    // Between rounds nobody dies, and armour is gone all the same.
                    if !rounds {
                        assert_eq!(held.get(name).map(|ms| ms / 1000 * 1000), Some(told), "{context}");
                        armors += 1;
                    }
                } else {
                    let ours = player.counted.item(name).and_then(|item| item.get(ItemMeasure::TimeMs)).unwrap();
                    assert!((ours - told).abs() < 1000, "{context}: {ours}, told {told}");
                    powerups += 1;
                }
            }
        }
    }
    eprintln!("{powerups} powerups, {armors} armours held as long as told");
    assert!(shared("corpus/mvd").is_none() || powerups >= 3 && armors >= 15);
}

/// What deaths do to scores by the rule, against `updatefrags`.
#[test]
fn frags_are_what_the_score_board_says() {
    let (mut players, mut frags) = (0, 0);
    for path in all_quakeworld().into_iter().chain(all_dem()).filter(|p| !is_broken(p)) {
        let name = file_name(&path);
        let demo = std::fs::read(&path).unwrap();
        if has_flags(&demo) {
            continue;
        }
        // Many recordings begin in the middle of a game: only how much the score changes counts.
        let (mut changes, mut given_up) = (BTreeMap::new(), BTreeMap::new());
        let (mut runs, mut rounds) = (true, false);
        events(&demo[..], &name, Limits::default(), &mut |event| {
            match &event.kind {
                EventKind::Match(Phase::Round) => rounds = true,
                EventKind::Match(Phase::Start) => {
                    changes.clear();
                    given_up.clear();
                    runs = true;
                }
                EventKind::Match(Phase::End | Phase::GivenUp) => runs = false,
                EventKind::Score { player, from, to } if runs => {
                    *changes.entry(player.name_raw.clone()).or_insert(0) += i64::from(to - from);
                }
                EventKind::Frag(frag) if runs && frag.means == "suicide" => {
                    *given_up.entry(frag.victim.name_raw.clone()).or_insert(0) += 1;
                }
                _ => {}
            }
            Ok(())
        })
        .unwrap();
        // In rounds who dies alone gives a point away.
        if rounds {
            continue;
        }
        let all = of(&path);
        let level = |part: &&Period| part.kind == PeriodKind::Level;
        let Some(part) = all.iter().rfind(is_match).or_else(|| all.iter().rfind(level)) else { continue };
        let libre = falls_cost_nothing(&demo);
        for player in &part.players {
            let number = |m| player.counted.get(m).unwrap_or(0);
            let falls = if libre { number(Measure::WorldDeaths) } else { 0 };
            let name_raw = &player.who.name_raw;
            // Whoever gives up loses two.
            let rule = number(Measure::Frags) + falls - given_up.get(name_raw).copied().unwrap_or(0);
            // A match begins with nothing.
            let score = match part.kind {
                PeriodKind::Match if part.begun => number(Measure::Score),
                _ => changes.get(name_raw).copied().unwrap_or(0),
            };
            assert_eq!(score, rule, "{name}: {}", player.who.name);
            players += usize::from(rule != 0);
            frags += rule.abs();
        }
    }
    eprintln!("{players} players with {frags} frags");
    assert!(shared("corpus/mvd").is_none() || players >= 50 && frags >= 600);
}

/// What belongs together, in every recording at hand.
#[test]
fn numbers_fit_each_other() {
    let shipped = ["ez-dm.mvd", "ez-dm.qwd", "oa-dm4.dm_71", "oa-dm5.dm_66", "q2-demo1.dm2", "dm13-15.dem", "clip.dem"];
    let shipped = shipped.iter().map(|name| root().join("testdata").join(name));
    let (mut players, mut kills) = (0, 0);
    for path in shipped.chain(all_quakeworld()).chain(all_dem()).chain(all_dm2()).chain(all_dm3()) {
        let demo = std::fs::read(&path).unwrap();
        let mut frags = 0;
        let mut counted = 0;
        let mut rests = false;
        let done = with_worlds(&demo[..], &file_name(&path), &mut |_, event| {
            match &event.kind {
                EventKind::Match(Phase::Round) => rests = true,
                EventKind::Match(Phase::Start | Phase::NextRound | Phase::End | Phase::GivenUp)
                | EventKind::Level { .. } => rests = false,
                // Nobody is counted for a death of whom the recording does not tell who died, for changing teams, and for
                // what happens between rounds.
                EventKind::Frag(frag) => {
                    let counts = !frag.victim.name_raw.is_empty() && frag.means != "switch_teams";
                    frags += i64::from(counts && !rests);
                }
                _ => {}
            }
            Ok(())
        });
        if done.is_err() {
            continue;
        }
        for part in parts(&demo, &file_name(&path)) {
            assert!(part.begin.demo <= part.end.demo, "{}", path.display());
            let length = part.end.demo.ms() - part.begin.demo.ms();
            for player in &part.players {
                let n = |m| player.counted.get(m).unwrap();
                assert_eq!(n(Measure::Deaths), n(Measure::Killed) + n(Measure::OwnDeaths));
                assert_eq!(n(Measure::OwnDeaths), n(Measure::Suicides) + n(Measure::WorldDeaths));
                assert!(n(Measure::Streak) <= n(Measure::Kills) && n(Measure::TimeMs) <= length + 1);
                counted += n(Measure::Deaths);
                kills += n(Measure::Kills);
                players += 1;
                let of_weapons: i64 = player.counted.weapons().filter_map(|(_, w)| w.get(WeaponMeasure::Kills)).sum();
                assert_eq!(of_weapons, n(Measure::WeaponKills), "{}: {}", path.display(), player.who.name);
            }
        }
        assert_eq!(counted, frags, "{}", path.display());
    }
    assert!(players >= 15 && kills >= 15, "{players} players, {kills} kills");
    assert!(shared("corpus").is_none() || players >= 350 && kills >= 1700, "{players} players, {kills} kills");
}

/// Whatever the bytes: no panic, and no more players than there is room for.
#[test]
fn damaged_recordings() {
    let mut random = Random(7);
    let (mut read, mut failed) = (0, 0);
    for name in ["ez-dm.mvd", "ez-dm.qwd", "oa-dm4.dm_71", "oa-dm5.dm_66", "q2-demo1.dm2", "dm13-15.dem"] {
        let demo = testdata(name);
        let each = rounds(40).max(4);
        for n in 0..each {
            let mut bad = demo.clone();
            if n % 4 == 0 {
                bad.truncate(random.below(demo.len()));
            }
            for _ in 0..random.below(60) {
                let at = random.below(bad.len());
                if let Some(byte) = bad.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            let done = stats(&bad[..], name, Limits::default(), &mut |part| {
                assert!(part.players.len() <= 256);
                Ok(())
            });
            read += usize::from(done.is_ok());
            failed += usize::from(done.is_err());
        }
    }
    assert!(read > 5 * failed && read > 10, "{read} read, {failed} not");
}
