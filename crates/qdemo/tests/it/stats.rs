//! Statistics against those of the game modules in the same recordings, another analyser's, and the score boards.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{
    Random, all_dem, all_dm2, all_dm3, all_quakeworld, falls_cost_nothing, file_name, has_flags, is_broken, root,
    rounds, shared, testdata, told_by_others,
};
use qdemo::Limits;
use qdemo::analysis::stats::{
    Comparison, Difference, ItemMeasure, Measure, Numbers, Period, PeriodKind, Player, WeaponMeasure, stats,
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

fn of(path: &Path) -> Vec<Period> {
    parts(&std::fs::read(path).unwrap(), &file_name(path))
}

fn is_match(part: &&Period) -> bool {
    part.kind == PeriodKind::Match
}

/// Numbers of a player that both sides have and that mean the same.
fn compared(player: &Player) -> usize {
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
        events(&std::fs::read(&path).unwrap()[..], &file_name(&path), Limits::default(), &mut |_, event| {
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

/// Their names of what the game modules tell of a player. CPMA's and Quake Live's duels count kills in ways of their own.
const PLAYER: [(&str, &[Measure]); 23] = [
    ("score", &[Measure::Score]),
    ("kills", &[Measure::Kills, Measure::WeaponKills, Measure::KillsAndSuicides]),
    ("deaths", &[Measure::Killed, Measure::WeaponDeaths, Measure::Deaths]),
    ("suicides", &[Measure::OwnDeaths]),
    ("teamKills", &[Measure::TeamKills]),
    ("telefrags", &[Measure::Telefrags]),
    ("damageGiven", &[Measure::DamageGiven]),
    ("damageReceived", &[Measure::DamageTaken]),
    ("teamDamage", &[Measure::DamageTeam]),
    ("armorTaken", &[Measure::ArmorTaken]),
    ("healthTaken", &[Measure::HealthTaken]),
    ("rocketLauncherDamage", &[Measure::RocketDamage]),
    ("rocketLauncherDirectHits", &[Measure::RocketDirectHits]),
    ("ping", &[Measure::Ping]),
    ("playTime", &[Measure::Minutes]),
    ("accuracy", &[Measure::Accuracy]),
    ("impressives", &[Measure::Impressive]),
    ("excellents", &[Measure::Excellent]),
    ("gauntlets", &[Measure::GauntletAwards]),
    ("captures", &[Measure::Captures]),
    ("defends", &[Measure::Defends]),
    ("assists", &[Measure::Assists]),
    ("-", &[]),
];
const WEAPONS: [(&str, &str); 9] = [
    ("gauntlet", "gauntlet"),
    ("machinegun", "machinegun"),
    ("shotgun", "shotgun"),
    ("grenadeLauncher", "grenade_launcher"),
    ("rocketLauncher", "rocket_launcher"),
    ("lightningGun", "lightning_gun"),
    ("railgun", "railgun"),
    ("plasmaGun", "plasma_gun"),
    ("bfg", "bfg"),
];
const WEAPON: [(&str, &[WeaponMeasure]); 7] = [
    ("Kills", &[WeaponMeasure::Kills, WeaponMeasure::KillsAndSuicides]),
    ("Deaths", &[WeaponMeasure::Deaths]),
    ("Shots", &[WeaponMeasure::Shots]),
    ("Hits", &[WeaponMeasure::Hits]),
    ("Pickups", &[WeaponMeasure::Pickups]),
    ("Drops", &[WeaponMeasure::Drops]),
    ("Damage", &[WeaponMeasure::Damage]),
];
const ITEMS: [(&str, &str); 9] = [
    ("redArmorPickups", "red_armor"),
    ("yellowArmorPickups", "yellow_armor"),
    ("greenArmorPickups", "green_armor"),
    ("megaHealthPickups", "mega_health"),
    ("quadDamagePickups", "quad"),
    ("battleSuitPickups", "battlesuit"),
    ("regenerationPickups", "regeneration"),
    ("hastePickups", "haste"),
    ("invisibilityPickups", "invisibility"),
];

/// What both have of a player: the name, our number, theirs.
fn both(told: &Numbers, theirs: &serde_json::Value) -> Vec<(String, i64, i64)> {
    let mut all = Vec::new();
    let mut add = |key: String, ours: Option<i64>| {
        if let Some((ours, theirs)) = ours.zip(theirs[key.as_str()].as_i64()) {
            all.push((key, ours, theirs));
        }
    };
    for (key, measures) in PLAYER {
        add(key.to_owned(), measures.iter().find_map(|m| told.get(*m)));
    }
    for (theirs, ours) in WEAPONS {
        let weapon = told.weapon(ours).copied().unwrap_or_default();
        for (key, measures) in WEAPON {
            add(format!("{theirs}{key}"), measures.iter().find_map(|m| weapon.get(*m)));
        }
    }
    for (key, item) in ITEMS {
        add(key.to_owned(), told.taken(item));
    }
    all
}

/// Another analyser reads the same commands. Where it reads something else, the recording itself tells who is right.
#[test]
fn what_the_mods_tell_is_read_as_others_read_it() {
    let (mut players, mut equal, mut of_weapons) = (0, 0, 0);
    for (path, told) in told_by_others() {
        let name = file_name(&path);
        let matches = told["matchStats"].as_array().cloned().unwrap_or_default();
        for part in of(&path).iter().filter(is_match) {
            let near = |m: &&serde_json::Value| (m["endTime"].as_i64().unwrap() - part.end.ms().unwrap()).abs() < 500;
            let Some(theirs) = matches.iter().find(near) else { continue };
            for theirs in theirs["playerStats"].as_array().unwrap() {
                let slot = theirs["clientNumber"].as_u64().map(|n| n as usize);
                // Theirs are more by those who watch.
                let Some(player) = part.players.iter().find(|p| p.who.slot == slot) else { continue };
                let mut counts = false;
                for (key, ours, theirs) in both(&player.reported, theirs) {
                    let weapon = WEAPONS.iter().any(|(name, _)| key.starts_with(name));
                    let context = format!("{name}: {}: {key}", player.who.name);
                    if ours != theirs {
                        // OSP 0.99t sends no mask of weapons, which they look for.
                        let old = name.contains("duel.dm_48") && weapon && theirs == 0;
                        // OSP 0.99v3 sends no items: they take the mask of weapons and what follows for them.
                        let items = name.contains("2001") && key.ends_with("Pickups") && ours == 0;
                        // This one left; the last scoreboard with him says 2.
                        let left =
                            name.contains("ojfc-09") && key == "score" && player.who.name == "Toast" && ours == 2;
                        // OSP: what they take for suicides are team kills. Kills less these and the suicides are the score.
                        let n = |m| player.reported.get(m).unwrap_or(0);
                        let losses = n(Measure::TeamKills) + n(Measure::OwnDeaths);
                        let osp = key == "suicides" && n(Measure::Score) == n(Measure::Kills) - losses;
                        assert!(old || items || left || osp, "{context} is {ours}, theirs {theirs}");
                        continue;
                    }
                    counts = true;
                    equal += 1;
                    of_weapons += usize::from(weapon);
                }
                players += usize::from(counts);
            }
        }
    }
    eprintln!("{players} players, {equal} numbers equal, {of_weapons} of weapons");
    assert!(shared("oracle/udt").is_none() || players >= 50 && equal >= 850 && of_weapons >= 380);
}

/// Quake Live before it had a scoreboard for each kind of game: harm stands in `ctfstats`, by the rows of the scoreboard,
/// and what teams took in `ctfscores`.
#[test]
fn old_commands_of_quake_live() {
    let Some((path, told)) = told_by_others().into_iter().find(|(path, _)| file_name(path).contains("ad_adscores"))
    else {
        return;
    };
    let parts = of(&path);
    let part = parts.iter().find(is_match).unwrap();
    let theirs = &told["matchStats"][0];
    let mut players = 0;
    for theirs in theirs["playerStats"].as_array().unwrap() {
        let slot = theirs["clientNumber"].as_u64().map(|n| n as usize);
        // Theirs are more by those who watch.
        let Some(player) = part.players.iter().find(|p| p.who.slot == slot) else { continue };
        let harm = [("damageGiven", Measure::DamageGiven), ("damageReceived", Measure::DamageTaken)];
        for (key, measure) in harm {
            assert_eq!(player.reported.get(measure), theirs[key].as_i64(), "{} {key}", player.who.name);
        }
        assert!(player.reported_by.iter().any(|(by, _)| *by == "ctfstats"));
        players += 1;
    }
    for theirs in theirs["teamStats"].as_array().unwrap() {
        let team = part.teams.iter().find(|team| theirs["team"] == team.name).unwrap();
        assert_eq!(team.reported.taken("flag"), theirs["flagPickups"].as_i64());
        assert_eq!(team.reported.get(Measure::Score), theirs["score"].as_i64());
    }
    assert_eq!((players, part.teams.len()), (8, 2));
}

/// What the mods count themselves, and we count from obituaries.
#[test]
fn the_mods_count_the_same() {
    let (mut players, mut numbers) = (0, 0);
    for path in all_dm3() {
        let name = file_name(&path);
        // Of some only a part was recorded: there the game counted more.
        for part in of(&path).iter().filter(is_match).filter(|part| part.begun && part.ended) {
            for player in part.players.iter().filter(|p| part.is_reported(p)) {
                let rest: Vec<_> = player
                    .differences
                    .iter()
                    // In capture strike whoever gives up between two rounds loses nothing.
                    .filter(|d| {
                        !(name.contains("ojfc-09") && d.what == "own_deaths" && d.reported == 3 && d.counted == 18)
                    })
                    .collect();
                assert!(rest.is_empty(), "{name}: {}: {rest:?}", player.who.name);
                players += 1;
                numbers += compared(player);
            }
        }
    }
    eprintln!("{players} players, {numbers} numbers equal");
    assert!(shared("corpus/q3").is_none() || players >= 40 && numbers >= 200);
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
        events(&demo[..], &name, Limits::default(), &mut |_, event| {
            match &event.kind {
                EventKind::Match(Phase::Round) => rounds = true,
                EventKind::Match(Phase::Start) => {
                    changes.clear();
                    given_up.clear();
                    runs = true;
                }
                EventKind::Match(Phase::End) => runs = false,
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
                PeriodKind::Match => number(Measure::Score),
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
        let (mut counted, mut rounds) = (0, false);
        let done = events(&demo[..], &file_name(&path), Limits::default(), &mut |_, event| {
            rounds |= event.kind == EventKind::Match(Phase::Round);
            // Nobody is counted for a death of whom the recording does not tell who died.
            frags += i64::from(matches!(&event.kind, EventKind::Frag(frag) if !frag.victim.name_raw.is_empty()));
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
        // Rounds: what happens between them counts for nothing.
        if !rounds {
            assert_eq!(counted, frags, "{}", path.display());
        }
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
