//! The statistics that KTX has MVDSV put into a recording, and what it tells of weapons while the match goes on.

use serde_json::Value;

use super::measure::{Measure, Numbers, WeaponMeasure};
use super::period::Period;
use crate::world::DemoTime;

/// The message that brings them.
const SOURCE: &str = "hidden_demoinfo";

/// Where numbers of a player are.
const PLAYER: [(&str, Measure); 16] = [
    ("/stats/frags", Measure::Score),
    ("/stats/kills", Measure::Kills),
    ("/stats/deaths", Measure::Deaths),
    ("/stats/suicides", Measure::Suicides),
    ("/stats/tk", Measure::TeamKills),
    ("/stats/spawn-frags", Measure::SpawnFrags),
    ("/spree/max", Measure::Streak),
    ("/dmg/given", Measure::DamageGiven),
    ("/dmg/taken", Measure::DamageTaken),
    ("/dmg/team", Measure::DamageTeam),
    ("/dmg/self", Measure::DamageSelf),
    ("/ping", Measure::Ping),
    // Only what is not 0.
    ("/ctf/caps", Measure::Captures),
    ("/ctf/pickups", Measure::FlagsTaken),
    ("/ctf/returns", Measure::FlagsReturned),
    ("/ctf/defends", Measure::Defends),
];

/// Where numbers of a weapon are.
const WEAPON: [(&str, WeaponMeasure); 9] = [
    ("/kills/total", WeaponMeasure::Kills),
    ("/kills/team", WeaponMeasure::TeamKills),
    ("/kills/self", WeaponMeasure::Suicides),
    ("/deaths", WeaponMeasure::Deaths),
    ("/acc/attacks", WeaponMeasure::Shots),
    ("/acc/hits", WeaponMeasure::Hits),
    ("/damage/enemy", WeaponMeasure::Damage),
    ("/pickups/taken", WeaponMeasure::Pickups),
    ("/pickups/dropped", WeaponMeasure::Drops),
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

fn name(names: &[(&str, &'static str)], short: &str) -> Option<&'static str> {
    names.iter().find(|(known, _)| *known == short).map(|(_, name)| *name)
}

/// Takes over the statistics.
pub(super) fn report(period: &mut Period, text: &[u8], now: DemoTime) {
    // Names have a byte for each character.
    let text: String = text.iter().map(|b| char::from(*b)).collect();
    let Ok(all) = serde_json::from_str::<Value>(&text) else { return };
    let Some(players) = all.get("players").and_then(Value::as_array) else { return };
    for reported in players {
        let Some(name) = reported.get("name").and_then(Value::as_str) else { continue };
        let raw: Vec<u8> = name.chars().map(|c| u32::from(c) as u8).collect();
        let Some(player) = period.players.iter_mut().find(|p| p.who.name_raw == raw) else { continue };
        player.report(SOURCE, &numbers(reported), now, false);
    }
}

fn numbers(reported: &Value) -> Numbers {
    let mut out = Numbers::default();
    let number = |at: &Value, path: &str| at.pointer(path).and_then(Value::as_i64);
    for (path, measure) in PLAYER {
        if let Some(value) = number(reported, path) {
            out.set(measure, value);
        }
    }
    for (short, reported) in reported.get("weapons").and_then(Value::as_object).into_iter().flatten() {
        let weapon = name(&WEAPONS, short).and_then(|name| out.weapon_mut(name));
        let Some(weapon) = weapon else { continue };
        for (path, measure) in WEAPON {
            if let Some(value) = number(reported, path) {
                weapon.set(measure, value);
            }
        }
    }
    for (short, reported) in reported.get("items").and_then(Value::as_object).into_iter().flatten() {
        let item = name(&ITEMS, short).and_then(|name| out.item_mut(name));
        if let (Some(item), Some(took)) = (item, number(reported, "/took")) {
            *item = took;
        }
    }
    out
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
