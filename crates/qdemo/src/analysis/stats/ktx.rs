//! The statistics that KTX has MVDSV put into a recording and those that it prints, and what it tells of weapons while the
//! match goes on.
//!
//! Sources: KTX's `stats_json.c` and `stats.c` for the words and what they mean; recordings that have both, where both say
//! the same.

use serde_json::Value;

use super::measure::{ItemMeasure, Measure, Numbers, WeaponMeasure};
use super::period::Period;
use super::player::Player;
use crate::event::roster::{asked_for, without_number};
use crate::game::quakeworld::GHOST;
use crate::wire::clean;
use crate::world::DemoTime;

/// The message that brings them.
const SOURCE: &str = "hidden_demoinfo";
/// And the one that people read.
const PRINTED: &str = "print";

/// Where numbers of a player are, and by how much they are multiplied.
const PLAYER: [(&str, Measure, f64); 45] = [
    ("/stats/frags", Measure::Score, 1.0),
    ("/stats/kills", Measure::Kills, 1.0),
    ("/stats/deaths", Measure::Deaths, 1.0),
    ("/stats/suicides", Measure::Suicides, 1.0),
    ("/stats/tk", Measure::TeamKills, 1.0),
    ("/stats/spawn-frags", Measure::SpawnFrags, 1.0),
    ("/spree/max", Measure::Streak, 1.0),
    ("/dmg/given", Measure::DamageGiven, 1.0),
    ("/dmg/taken", Measure::DamageTaken, 1.0),
    ("/dmg/team", Measure::DamageTeam, 1.0),
    ("/dmg/self", Measure::DamageSelf, 1.0),
    ("/dmg/enemy-weapons", Measure::DamageToArmed, 1.0),
    ("/dmg/team-weapons", Measure::DamageToArmedMates, 1.0),
    ("/ping", Measure::Ping, 1.0),
    ("/control", Measure::ControlMs, 1000.0),
    ("/speed/max", Measure::SpeedMax, 1.0),
    ("/speed/avg", Measure::SpeedAverage, 1.0),
    ("/handicap", Measure::Handicap, 1.0),
    ("/bot/skill", Measure::BotSkill, 1.0),
    // Only what is not 0.
    ("/ctf/points", Measure::FlagPoints, 1.0),
    ("/ctf/caps", Measure::Captures, 1.0),
    ("/ctf/pickups", Measure::FlagsTaken, 1.0),
    ("/ctf/returns", Measure::FlagsReturned, 1.0),
    ("/ctf/defends", Measure::Defends, 1.0),
    ("/ctf/carrier-defends", Measure::CarrierDefends, 1.0),
    ("/ctf/carrier-frags", Measure::CarrierFrags, 1.0),
    ("/instagib/gibs/air", Measure::AirGibs, 1.0),
    ("/ra/wins", Measure::RoundsWon, 1.0),
    ("/ra/losses", Measure::RoundsLost, 1.0),
    // In older versions without names.
    ("/stats/0", Measure::Score, 1.0),
    ("/stats/1", Measure::Deaths, 1.0),
    ("/stats/2", Measure::TeamKills, 1.0),
    ("/stats/3", Measure::SpawnFrags, 1.0),
    ("/spree/0", Measure::Streak, 1.0),
    ("/dmg/0", Measure::DamageTaken, 1.0),
    ("/dmg/1", Measure::DamageGiven, 1.0),
    ("/dmg/2", Measure::DamageTeam, 1.0),
    ("/dmg/3", Measure::DamageSelf, 1.0),
    ("/dmg/4", Measure::DamageToArmedMates, 1.0),
    ("/dmg/5", Measure::DamageToArmed, 1.0),
    ("/ctf/defends/0", Measure::Defends, 1.0),
    ("/ctf/defends/1", Measure::CarrierDefends, 1.0),
    ("/ctf/frags", Measure::CarrierFrags, 1.0),
    ("/ra/0", Measure::RoundsWon, 1.0),
    ("/ra/1", Measure::RoundsLost, 1.0),
];

/// Where numbers of a weapon are.
const WEAPON: [(&str, WeaponMeasure); 28] = [
    ("/kills/total", WeaponMeasure::Kills),
    ("/kills/team", WeaponMeasure::TeamKills),
    ("/kills/self", WeaponMeasure::Suicides),
    ("/kills/enemy", WeaponMeasure::OwnersKilled),
    ("/deaths", WeaponMeasure::Deaths),
    ("/acc/attacks", WeaponMeasure::Shots),
    ("/acc/hits", WeaponMeasure::Hits),
    ("/acc/real", WeaponMeasure::HitsWithBlast),
    ("/acc/virtual", WeaponMeasure::HitsNear),
    ("/damage/enemy", WeaponMeasure::Damage),
    ("/damage/team", WeaponMeasure::DamageTeam),
    ("/pickups/taken", WeaponMeasure::Pickups),
    ("/pickups/dropped", WeaponMeasure::Drops),
    ("/pickups/total-taken", WeaponMeasure::AllPickups),
    ("/pickups/spawn-taken", WeaponMeasure::MapPickups),
    ("/pickups/spawn-total-taken", WeaponMeasure::AllMapPickups),
    // In older versions without names.
    ("/acc/0", WeaponMeasure::Shots),
    ("/acc/1", WeaponMeasure::Hits),
    ("/acc/2", WeaponMeasure::HitsWithBlast),
    ("/acc/3", WeaponMeasure::HitsNear),
    ("/kills/0", WeaponMeasure::Kills),
    ("/kills/1", WeaponMeasure::TeamKills),
    ("/kills/2", WeaponMeasure::OwnersKilled),
    ("/pickups/0", WeaponMeasure::Drops),
    ("/pickups/1", WeaponMeasure::Pickups),
    ("/pickups/2", WeaponMeasure::AllPickups),
    ("/damage/0", WeaponMeasure::Damage),
    ("/damage/1", WeaponMeasure::DamageTeam),
];

const WEAPONS: [(&str, &str); 8] = [
    ("axe", "axe"),
    ("sg", "shotgun"),
    ("ssg", "super_shotgun"),
    ("ng", "nailgun"),
    ("sng", "super_nailgun"),
    ("gl", "grenade_launcher"),
    ("rl", "rocket_launcher"),
    ("lg", "lightning_gun"),
];

const ITEMS: [(&str, &str); 10] = [
    ("health_15", "health_15"),
    ("health_25", "health_25"),
    ("health_100", "megahealth"),
    ("ga", "green_armor"),
    ("ya", "yellow_armor"),
    ("ra", "red_armor"),
    ("q", "quad"),
    ("p", "invulnerability"),
    ("r", "invisibility"),
    ("s", "biosuit"),
];

/// Runes, in the order of their times.
const RUNES: [&str; 4] = ["rune_of_resistance", "rune_of_strength", "rune_of_haste", "rune_of_regeneration"];

fn name(names: &[(&str, &'static str)], short: &str) -> Option<&'static str> {
    names.iter().find(|(known, _)| *known == short).map(|(_, name)| *name)
}

/// Takes over the statistics.
pub(super) fn report(period: &mut Period, text: &[u8], now: DemoTime) {
    // Names have a byte for each character.
    let text: String = text.iter().map(|b| char::from(*b)).collect();
    let all = serde_json::from_str::<Value>(&text).or_else(|_| serde_json::from_str(&with_commas(&text)));
    let Ok(all) = all else { return };
    let Some(players) = all.get("players").and_then(Value::as_array) else { return };
    // From 4 on everybody is given weapons, and none is counted as somebody's.
    let owned = all.get("dm").and_then(Value::as_i64).is_none_or(|mode| mode < 4);
    for reported in players {
        let Some(name) = reported.get("name").and_then(Value::as_str) else { continue };
        let raw: Vec<u8> = name.chars().map(|c| u32::from(c) as u8).collect();
        let numbers = numbers(reported, owned);
        let at = named(period, &raw, numbers.get(Measure::Score));
        let Some(player) = at.and_then(|at| period.players.get_mut(at)) else { continue };
        player.report(SOURCE, &numbers, now, false);
        let login = reported.get("login").and_then(Value::as_str).filter(|login| !login.is_empty());
        player.login = login.map(|login| clean(&login.chars().map(|c| u32::from(c) as u8).collect::<Vec<_>>()));
    }
}

/// The player whom the game calls so: where the server calls nobody so, the only one who can have asked for the name.
///
/// The game may call several so: a server lets two have one name, and where it puts a number in front of that of the second,
/// the game does not. Their scores tell them apart; where these are the same too, it is who alone is called just so.
fn named(period: &Period, name: &[u8], score: Option<i64>) -> Option<usize> {
    let plain = clean(name);
    let players = &period.players;
    let only = |is: &dyn Fn(&Player) -> bool| {
        let mut all = (0..).zip(players).filter(|(_, player)| is(player)).map(|(at, _)| at);
        all.next().filter(|_| all.next().is_none())
    };
    let is_called = |player: &Player| player.who.name_raw == name;
    let is_numbered = |player: &Player| without_number(&player.who.name) == Some(&plain);
    let has_score = |player: &Player| score.is_some() && player.counted.get(Measure::Score) == score;
    let by_score = only(&|player| (is_called(player) || is_numbered(player)) && has_score(player));
    let by_both = || only(&|player| is_called(player) && has_score(player));
    let asks = |player: &Player| asked_for(&player.who, &plain) && !players.iter().any(is_called);
    by_score.or_else(by_both).or_else(|| only(&is_called)).or_else(|| only(&asks))
}

/// JSON with a comma between any two values. Older versions of KTX left some out: `[10 0 0 20]`.
fn with_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let (mut quoted, mut escaped, mut gap, mut last) = (false, false, false, ' ');
    for c in text.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            gap = true;
            out.push(c);
            continue;
        } else {
            let ended = matches!(last, '"' | ']' | '}') || last.is_ascii_alphanumeric();
            let begins = matches!(c, '"' | '[' | '{' | '-') || c.is_ascii_alphanumeric();
            if gap && ended && begins {
                out.push(',');
            }
            quoted = c == '"';
        }
        (gap, last) = (false, c);
        out.push(c);
    }
    out
}

fn numbers(reported: &Value, owned: bool) -> Numbers {
    let mut out = Numbers::default();
    let number = |at: &Value, path: &str| at.pointer(path).and_then(Value::as_i64);
    for (path, measure, factor) in PLAYER {
        if let Some(value) = reported.pointer(path).and_then(Value::as_f64) {
            out.set(measure, (value * factor).round() as i64);
        }
    }
    if out.get(Measure::Deaths).unwrap_or(0) > 0 {
        number(reported, "/dmg/taken-to-die").into_iter().for_each(|n| out.set(Measure::DamagePerDeath, n));
    }
    if let Some(midairs) = reported.get("midair") {
        out.set(Measure::Midairs, number(midairs, "/total").unwrap_or(0));
    }
    // A letter for each round: won or lost, small where the other one killed itself, and `s` where the player did.
    if let Some(rounds) = reported.get("hm-rounds").and_then(Value::as_str) {
        let count = |letters: &str| rounds.chars().filter(|c| letters.contains(*c)).count() as i64;
        out.set(Measure::RoundsWon, count("Ww"));
        out.set(Measure::RoundsLost, count("Lls"));
    }
    for (short, reported) in reported.get("weapons").and_then(Value::as_object).into_iter().flatten() {
        let weapon = name(&WEAPONS, short).and_then(|name| out.weapon_mut(name));
        let Some(weapon) = weapon else { continue };
        // Everybody has an axe and a shotgun.
        let owned = owned && !matches!(short.as_str(), "axe" | "sg");
        for (path, measure) in WEAPON.into_iter().filter(|(_, m)| owned || *m != WeaponMeasure::OwnersKilled) {
            if let Some(value) = number(reported, path) {
                weapon.set(measure, value);
            }
        }
    }
    // Old versions tell of rocket launchers alone.
    for (key, weapon) in [("/xfer", "rocket_launcher"), ("/xferRL", "rocket_launcher"), ("/xferLG", "lightning_gun")] {
        if let Some((value, weapon)) = number(reported, key).filter(|n| *n > 0).zip(out.weapon_mut(weapon)) {
            weapon.set(WeaponMeasure::Transfers, value);
        }
    }
    for (short, reported) in reported.get("items").and_then(Value::as_object).into_iter().flatten() {
        let Some(item) = name(&ITEMS, short).and_then(|name| out.item_mut(name)) else { continue };
        if let Some(took) = number(reported, "/took").or_else(|| number(reported, "/0")) {
            item.set(ItemMeasure::Taken, took);
        }
        if let Some(seconds) = number(reported, "/time").or_else(|| number(reported, "/1")) {
            item.set(ItemMeasure::TimeMs, seconds.saturating_mul(1000));
        }
    }
    let quad = number(reported, "/spree/quad").or_else(|| number(reported, "/spree/1"));
    if let Some(streak) = quad.filter(|n| *n > 0) {
        out.item_mut("quad").into_iter().for_each(|quad| quad.set(ItemMeasure::Streak, streak));
    }
    for (n, rune) in RUNES.into_iter().enumerate() {
        let seconds = number(reported, &format!("/ctf/runes/{n}")).filter(|n| *n > 0);
        if let Some((seconds, rune)) = seconds.zip(out.item_mut(rune)) {
            rune.set(ItemMeasure::TimeMs, seconds.saturating_mul(1000));
        }
    }
    out
}

/// The statistics that KTX prints for everybody when a match is over: a line with the name of each player, and below it
/// what there is to say, a word and its numbers. In recordings without the other ones these are all that there is.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// Whose lines these are, by the number within the period, and what they have told so far.
    about: Option<(usize, Numbers)>,
    /// The head of the list was there, the foot was not. Nothing is printed below a list that has neither teams nor best players.
    open: bool,
}

impl Printed {
    /// Takes in a text that is printed for everybody.
    pub(super) fn text(&mut self, period: &mut Period, raw: &[u8], now: DemoTime) {
        let plain = clean(raw);
        if plain.contains("Frags (rank)") {
            *self = Printed { about: None, open: true };
        }
        if plain.contains("statistics:") && !plain.contains("Player statistics:") || plain.contains("top scorers") {
            self.open = false;
        }
        if !self.open {
            return;
        }
        if let Some((name, score, team_kills)) = heading(raw, &plain) {
            self.about = None;
            let at = named(period, name, Some(score));
            let at = at.or_else(|| named(period, name.strip_prefix(&[GHOST])?, Some(score)));
            let Some(player) = at.and_then(|at| period.players.get_mut(at)) else { return };
            let mut told = Numbers::default();
            // Where flags are captured it is the score without the points for that.
            if !period.rules.game_type.as_deref().is_some_and(|mode| mode.eq_ignore_ascii_case("ctf")) {
                told.set(Measure::Score, score);
            }
            team_kills.into_iter().for_each(|kills| told.set(Measure::TeamKills, kills));
            player.tells(PRINTED, &told, now);
            self.about = Some((player.number, told));
            return;
        }
        let Some((number, told)) = &mut self.about else { return };
        let lines = plain.lines().filter(|line| printed(told, line)).count();
        let player = period.players.iter_mut().find(|player| player.number == *number && lines > 0);
        player.into_iter().for_each(|player| player.tells(PRINTED, told, now));
    }
}

/// `? NAME:`, and below it `SCORE (RANK) TEAM_KILLS EFFICIENCY%`, the third only in games of teams.
fn heading<'t>(raw: &'t [u8], plain: &str) -> Option<(&'t [u8], i64, Option<i64>)> {
    let name = raw.get(2..raw.windows(2).position(|two| two == b":\n")?).filter(|_| raw.get(1) == Some(&b' '))?;
    let mut words = plain.split_once(":\n")?.1.split_ascii_whitespace();
    let score = words.next()?.parse().ok()?;
    words.next().filter(|rank| rank.starts_with('('))?;
    let (third, fourth) = (words.next()?, words.next());
    match fourth {
        None => third.ends_with('%').then_some((name, score, None)),
        Some(last) => last.ends_with('%').then_some((name, score, third.parse().ok())),
    }
}

/// `WORD: NAME:NUMBER ...` about a player. True for a line that tells such numbers: others are printed while the list is open.
fn printed(report: &mut Numbers, line: &str) -> bool {
    let Some((about, numbers)) = line.trim().split_once(": ") else { return false };
    if about == "CTF" {
        // The number beside the name was not the whole score.
        report.unset(Measure::Score);
    }
    let pairs = || numbers.split_ascii_whitespace().filter_map(|pair| pair.split_once(':'));
    let whole = |number: &str| number.trim_matches(['[', ']']).parse::<i64>().ok();
    let mut measures = |named: &[(&str, Measure)]| {
        for (name, value) in pairs() {
            let measure = named.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure);
            // Speeds have a digit behind the point.
            let value = value.parse::<f64>().ok().map(|value| value.round() as i64);
            measure.zip(value).into_iter().for_each(|(measure, value)| report.set(measure, value));
        }
    };
    match about {
        "Damage" => measures(&[
            ("Tkn", Measure::DamageTaken),
            ("Gvn", Measure::DamageGiven),
            ("Tm", Measure::DamageTeam),
            ("Self", Measure::DamageSelf),
            ("EWep", Measure::DamageToArmed),
        ]),
        "CTF" => measures(&[
            ("pickups", Measure::FlagsTaken),
            ("caps", Measure::Captures),
            ("returns", Measure::FlagsReturned),
        ]),
        "Defends" => measures(&[("flag", Measure::Defends), ("carrier", Measure::CarrierDefends)]),
        "Speed" => measures(&[("max", Measure::SpeedMax), ("average", Measure::SpeedAverage)]),
        "Streaks" => {
            measures(&[("Frags", Measure::Streak)]);
            let quad = pairs().find(|(name, _)| *name == "QuadRun").and_then(|(_, n)| whole(n)).filter(|n| *n > 0);
            let item = quad.and_then(|_| report.item_mut("quad"));
            quad.zip(item).into_iter().for_each(|(n, quad)| quad.set(ItemMeasure::Streak, n));
        }
        "SpawnFrags" => whole(numbers.trim()).into_iter().for_each(|n| report.set(Measure::SpawnFrags, n)),
        "Armr&mhs" | "Powerups" => {
            for (short, value) in pairs() {
                let short = if short == "mh" { "health_100".to_owned() } else { short.to_ascii_lowercase() };
                let item = name(&ITEMS, &short).and_then(|name| report.item_mut(name));
                whole(value).zip(item).into_iter().for_each(|(n, item)| item.set(ItemMeasure::Taken, n));
            }
        }
        "RL" | "LG" => {
            let weapon = name(&WEAPONS, &about.to_ascii_lowercase()).and_then(|name| report.weapon_mut(name));
            let Some(weapon) = weapon else { return false };
            for (name, value) in pairs() {
                let measure = match name {
                    "Took" => WeaponMeasure::Pickups,
                    "Killed" => WeaponMeasure::OwnersKilled,
                    "Dropped" => WeaponMeasure::Drops,
                    "Xfer" => WeaponMeasure::Transfers,
                    _ => continue,
                };
                whole(value).into_iter().for_each(|n| weapon.set(measure, n));
            }
        }
        _ => return false,
    }
    true
}

/// Shots and hits of a weapon, as they stand: `//wps SLOT WEAPON SHOTS HITS`.
pub(super) fn shots(line: &[u8]) -> Option<(usize, &'static str, [i64; 2])> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.strip_prefix("//wps ")?.split_ascii_whitespace();
    let slot = words.next()?.parse().ok()?;
    let weapon = name(&WEAPONS, words.next()?)?;
    let mut number = || words.next()?.parse().ok().map(|n: u32| i64::from(n));
    Some((slot, weapon, [number()?, number()?]))
}
