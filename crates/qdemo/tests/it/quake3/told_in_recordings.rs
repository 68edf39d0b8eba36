//! What the game modules tell of scores and statistics in all recordings at hand: beside another analyser, and beside what
//! deaths add up to.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{all_dm3, file_name, root, shared, told_by_others};
use crate::stats;
use qdemo::analysis::stats::{Difference, Measure, Numbers, Period, Player, WeaponMeasure};

/// Their names of what the game modules tell of a player. CPMA's and Quake Live's duels count kills in ways of their own.
const PLAYER: [(&str, &[Measure]); 26] = [
    ("score", &[Measure::Score]),
    ("kills", &[Measure::Kills, Measure::WeaponKills, Measure::KillsAndSuicides]),
    ("deaths", &[Measure::EnemyDeaths, Measure::WeaponDeaths, Measure::Deaths]),
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
    ("thaws", &[Measure::Thaws]),
    ("perfect", &[Measure::Perfect]),
    ("bestWeaponAccuracy", &[Measure::BestWeaponAccuracy]),
    ("teamKilled", &[Measure::TeamDeaths]),
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
    ("megaHealthPickups", "megahealth"),
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

/// The commands of a recording as the other analyser lists them, up to a server time: words of each.
fn commands(theirs: &Value, to: i64) -> Vec<Vec<String>> {
    let list = theirs["rawCommands"].as_array().cloned().unwrap_or_default();
    let told = list.iter().filter(|c| c["serverTime"].as_i64().is_some_and(|at| at <= to));
    told.map(|c| c["rawCommand"].as_str().unwrap().split_whitespace().map(str::to_owned).collect()).collect()
}

/// The last command of a name.
fn last<'c>(commands: &'c [Vec<String>], name: &str) -> Option<&'c [String]> {
    commands.iter().rfind(|words| words.first().is_some_and(|word| word == name)).map(Vec::as_slice)
}

fn number(words: &[String], at: usize) -> i64 {
    words.get(at).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Why the other analyser may have another number, by what the commands are.
fn they_err(
    commands: &[Vec<String>],
    part: &Period,
    player: &Player,
    key: &str,
    [ours, theirs]: [i64; 2],
) -> Option<&'static str> {
    let told = |m| player.reported.get(m).unwrap_or(0);
    let by = |source| player.reported_by.iter().any(|(by, _)| *by == source);
    if by("statsinfo") {
        let words = last(commands, "statsinfo").unwrap();
        let weapon = WEAPONS.iter().any(|(name, _)| key.starts_with(name));
        // 17 words, and four of each of nine weapons: no mask of weapons, which they look for in the 22nd.
        if weapon && theirs == 0 && words.len() == 1 + 17 + 9 * 4 {
            return Some("OSP 0.99t sends no mask");
        }
        // The 18th word is the mask: no items in front, which they take the mask and what follows for.
        if key.ends_with("Pickups") && words.len() == 1 + 18 + 4 * number(words, 18).count_ones() as usize {
            return Some("OSP 0.99v3 sends no items");
        }
        // They take the team for the suicides; less these and the team kills the kills are the score.
        let losses = told(Measure::TeamKills) + told(Measure::OwnDeaths);
        if key == "suicides" && theirs == number(words, 3) && told(Measure::Score) == told(Measure::Kills) - losses {
            return Some("the third word of OSP is the team");
        }
    }
    // The row of whoever left, or watches, is another's.
    let slot = player.who.slot.unwrap();
    let strings = [529, 544].map(|first| format!("{}", first + slot));
    let string = commands.iter().rfind(|words| words[0] == "cs" && words.len() > 1 && strings.contains(&words[1]));
    if string.is_some_and(|words| words.len() == 2 || words[2..].concat().contains(r"\t\3") || words[2] == "\"\"") {
        return Some("who watches or left has no row");
    }
    // CPMA hides what others picked up until the match is over: the last command has our number, after the match.
    let of_client = |words: &&Vec<String>| words[0] == "mstats" && number(words, 1) == slot as i64;
    if let Some(words) = commands.iter().rfind(of_client).filter(|_| theirs == 0 && ours != 0) {
        if words[3..].contains(&ours.to_string()) {
            return Some("CPMA tells all when the match is over");
        }
    }
    // Both who play: score and deaths of each are the kills of both.
    let other = part.players.iter().find(|other| other.who.slot != player.who.slot && by("dscores"));
    if let Some(other) = other {
        let told = |player: &Player, m| player.reported.get(m).unwrap_or(0);
        let kills = told(player, Measure::Kills) + told(other, Measure::Kills);
        let sum = |player| told(player, Measure::Score) + told(player, Measure::Deaths);
        if kills == sum(player) && kills == sum(other) {
            return Some("rows of dscores by client number");
        }
    }
    None
}

/// Another analyser reads the same commands. Where it reads something else, the commands themselves tell who is right.
#[test]
fn others_read_the_same() {
    let (mut players, mut equal, mut of_weapons) = (0, 0, 0);
    let mut reasons = BTreeMap::new();
    for (path, told) in told_by_others() {
        let name = file_name(&path);
        let matches = told["matchStats"].as_array().cloned().unwrap_or_default();
        for part in stats::of(&path).iter().filter(stats::is_match) {
            let near = |m: &&Value| (m["endTime"].as_i64().unwrap() - part.end.ms().unwrap()).abs() < 500;
            let Some(theirs) = matches.iter().find(near) else { continue };
            let commands = commands(&told, part.end.ms().unwrap() + 4000);
            for theirs in theirs["playerStats"].as_array().unwrap() {
                let slot = theirs["clientNumber"].as_u64().map(|n| n as usize);
                // Theirs are more by those who watch.
                let Some(player) = part.players.iter().find(|p| p.who.slot == slot) else { continue };
                let mut counts = false;
                for (key, ours, theirs) in both(&player.reported, theirs) {
                    if ours != theirs {
                        let reason = they_err(&commands, part, player, &key, [ours, theirs]);
                        let context = format!("{name}: {}: {key} is {ours}, theirs {theirs}", player.who.name);
                        *reasons.entry(reason.unwrap_or_else(|| panic!("{context}"))).or_insert(0) += 1;
                        continue;
                    }
                    counts = true;
                    equal += 1;
                    of_weapons += usize::from(WEAPONS.iter().any(|(name, _)| key.starts_with(name)));
                }
                players += usize::from(counts);
            }
        }
    }
    eprintln!("{players} players, {equal} numbers equal, {of_weapons} of weapons; they err: {reasons:?}");
    assert!(shared("oracle/udt").is_none() || players >= 50 && equal >= 850 && of_weapons >= 380);
}

/// Quake Live before it had a scoreboard for each kind of game: harm stands in `ctfstats`, by the rows of the scoreboard,
/// and what teams took in `ctfscores`.
#[test]
fn old_commands_of_quake_live() {
    let has = |told: &Value| last(&commands(told, i64::MAX), "adscores").is_some();
    let Some((path, told)) = told_by_others().into_iter().find(|(_, told)| has(told)) else { return };
    let parts = stats::of(&path);
    let part = parts.iter().find(stats::is_match).unwrap();
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

/// Why our number differs from the one that the game tells, by what the recording has: a row of docs/truth.md.
fn class(player: &Player, what: &str) -> Option<&'static str> {
    let (ours, told) = (&player.counted, &player.reported);
    let of = |numbers: &Numbers, m| numbers.get(m).unwrap_or(0);
    // The score in the states of the recording, which no command tells, is that of the game's numbers, and not of the deaths
    // that were sent: one of them is missing.
    let lost = of(told, Measure::TeamKills) - of(ours, Measure::TeamKills);
    let missing = of(ours, Measure::Frags) - of(ours, Measure::Score);
    if what == "team_kills" && lost > 0 && missing == lost && of(told, Measure::Score) == of(ours, Measure::Score) {
        return Some("a death without an obituary");
    }
    None
}

/// What the mods count themselves, and we count from obituaries: at least 99.5 % of the players have no difference and 99.9 %
/// of the numbers are equal, and each difference that is left stands in docs/truth.md, with its class.
#[test]
fn the_games_count_the_same() {
    let page = std::fs::read_to_string(root().join("docs/truth.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let (mut players, mut differ, mut numbers, mut different) = (0, 0, 0, 0);
    for path in all_dm3() {
        let name = file_name(&path);
        for part in stats::of(&path).iter().filter(stats::is_match) {
            for player in part.players.iter().filter(|p| part.is_reported(p)) {
                for difference in &player.differences {
                    let Difference { what, counted, reported, .. } = difference;
                    let context = format!("{name}: {}: {what} ours {counted}, told {reported}", player.who.name);
                    let class = class(player, what).unwrap_or_else(|| panic!("{context}"));
                    let row = |row: &&Vec<&str>| {
                        row.len() >= 6
                            && name.contains(row[1].trim_matches('`'))
                            && row[0] == class
                            && row[2] == player.who.name
                    };
                    let row = rows.iter().find(row).unwrap_or_else(|| panic!("docs/truth.md lacks {class}: {context}"));
                    assert_eq!(row[3], format!("{what} {counted}, told {reported}"), "{context}");
                }
                players += 1;
                differ += usize::from(!player.differences.is_empty());
                numbers += if part.begun { stats::compared(player) } else { 1 };
                different += player.differences.len();
            }
        }
    }
    eprintln!("{players} players, {differ} with differences; {numbers} numbers, {different} different");
    assert!(different * 1000 <= numbers, "{different} of {numbers}");
    assert!(shared("corpus/q3").is_none() || players >= 100 && numbers >= 600 && differ * 100 <= players);
}
