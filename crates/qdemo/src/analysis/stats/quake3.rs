//! What the game modules of Quake III tell of scores and statistics.

use std::collections::BTreeSet;

use super::measure::{ItemMeasure, Measure, Numbers, WeaponMeasure};
use super::period::{Period, time_of_race};
use super::player::Player;
use crate::format::dm3::Era;
use crate::game::quake3::is_no_score;
use crate::game::quake3::names::{Game, Module, TEAMS, WEAPONS};
use crate::game::quake3::scoreboards::{DUELS, ReportedNumber, Subject};
use crate::replay::World;
use crate::world::DemoTime;

/// Numbers of a command, in the words of the table of commands: those of measures and items.
pub(super) fn report(
    period: &mut Period,
    source: &'static str,
    reported: &[ReportedNumber],
    seen: Option<usize>,
    now: DemoTime,
) {
    let slot_of = |client: Option<i64>| match client {
        Some(client) => usize::try_from(client).ok(),
        // The statistics of whoever is seen have no number of a client.
        None if OF_SEEN.contains(&source) => seen,
        None => None,
    };
    // Whoever is seen may be another than the one of whom it is told, as far as the team tells.
    let team = reported.iter().find(|number| number.name == "team" && number.client.is_none());
    let fits = |player: &Player| {
        let told = team.and_then(|told| TEAMS.get(usize::try_from(told.value).ok()?));
        told.is_none_or(|told| player.who.team.as_deref() == Some(*told))
    };
    let mut slots: Vec<usize> = reported.iter().filter_map(|number| slot_of(number.client)).collect();
    slots.sort_unstable();
    slots.dedup();
    for slot in slots {
        let mut numbers = Numbers::default();
        // Who has not finished a race has no score.
        let is_time = |number: &&ReportedNumber| {
            !period.is_race || number.name != "score" || time_of_race(number.value).is_some()
        };
        for number in reported.iter().filter(|number| slot_of(number.client) == Some(slot)).filter(is_time) {
            set(&mut numbers, number);
        }
        let over = period.ended;
        if let Some(player) = period.in_slot(slot).filter(|player| fits(player)) {
            player.report(source, &numbers, now, over);
        }
    }
    for ReportedNumber { client, of, name, value } in reported {
        match (of, *name) {
            (Subject::Team(team), name) => {
                if let Some(numbers) = period.reported_team(team) {
                    set_item(numbers, name, *value);
                }
            }
            (Subject::Game, "red" | "blue") if slot_of(*client).is_none() && !is_no_score(*value) => {
                if let Some(numbers) = period.reported_team(name) {
                    numbers.set(Measure::Score, *value);
                }
            }
            _ => {}
        }
    }
}

fn set(numbers: &mut Numbers, ReportedNumber { of, name, value, .. }: &ReportedNumber) {
    match of {
        Subject::Weapon(number) => {
            let weapon = WEAPONS.get(*number).and_then(|weapon| numbers.weapon_mut(weapon));
            if let Some((weapon, measure)) = weapon.zip(WeaponMeasure::by_name(name)) {
                weapon.set(measure, *value);
            }
        }
        Subject::Powerup(number) => {
            // Powerups of the base game: only its modules tell of them by number.
            let Some(powerup) = Game::of(Era::Arena).powerups.get(*number) else { return };
            let measure = if *name == "held_ms" { ItemMeasure::TimeMs } else { ItemMeasure::Taken };
            if let Some(item) = numbers.item_mut(powerup) {
                item.set(measure, *value);
            }
        }
        Subject::Player | Subject::Game => match Measure::by_name(name) {
            // -1: the client is about to connect.
            Some(Measure::Ping) if *value < 0 => {}
            Some(Measure::Score) if is_no_score(*value) => {}
            Some(measure) => numbers.set(measure, *value),
            None => set_item(numbers, name, *value),
        },
        Subject::Team(_) => {}
    }
}

/// A number about an item: how often it was taken, for how long it was held, how long it lay there.
fn set_item(numbers: &mut Numbers, name: &str, value: i64) {
    let (item, of) = match name.rsplit_once('_') {
        Some((item, of @ ("held" | "delay"))) => (item, of),
        _ => (name, ""),
    };
    if !ITEMS.contains(&item) {
        return;
    }
    let (measure, value) = match of {
        "held" => (ItemMeasure::TimeMs, value.saturating_mul(1000)),
        "delay" => (ItemMeasure::DelayMs, value),
        _ => (ItemMeasure::Taken, value),
    };
    if let Some(item) = numbers.item_mut(item) {
        item.set(measure, value);
    }
}

/// Leaves out what is told of those who watch: a line of the scoreboard has the score and the awards of whom they look at,
/// and what they did themselves before is forgotten. Only players have lines in the commands of duels, though one of them may
/// watch already when the last comes.
pub(super) fn leave_out_watchers(source: &str, reported: &mut Vec<ReportedNumber>, plays: &impl Fn(usize) -> bool) {
    if !DUELS.contains(&source) {
        let known = |client: i64| usize::try_from(client).is_ok_and(plays);
        reported.retain(|number| number.client.is_none_or(known));
    }
}

/// Leaves out what is told of those who have these slots.
pub(super) fn leave_out_slots(reported: &mut Vec<ReportedNumber>, slots: &BTreeSet<usize>) {
    let is_left_out = |client: i64| usize::try_from(client).is_ok_and(|slot| slots.contains(&slot));
    reported.retain(|number| !number.client.is_some_and(is_left_out));
}

/// Statistics at the end of a duel, of the winner (0) and the loser (1), become those of their slots.
pub(super) fn number_by_names(
    reported: &mut Vec<ReportedNumber>,
    names: &[Vec<u8>; 2],
    slot_of: &impl Fn(&[u8]) -> Option<usize>,
) {
    reported.retain_mut(|number| {
        let name = number.client.and_then(|client| names.get(usize::try_from(client).ok()?));
        number.client = name.and_then(|name| i64::try_from(slot_of(name)?).ok());
        number.client.is_some()
    });
}

/// True where the game counts a player anew who comes back from the spectators. Quake Live: kills and deaths of players who
/// did so are those since then. CPMA and OSP keep them.
pub(super) fn counts_anew(world: &World) -> bool {
    matches!(world, World::Dm3(world) if world.module() == Module::QuakeLive)
}

/// True where scores are times, of which the shortest wins.
pub(super) fn is_race(world: &World) -> bool {
    matches!(world, World::Dm3(world) if world.is_race())
}

/// Commands about the player who is seen.
const OF_SEEN: [&str; 1] = ["statsinfo"];

/// Items whose number players and teams are told.
const ITEMS: [&str; 11] = [
    "red_armor",
    "yellow_armor",
    "green_armor",
    "megahealth",
    "quad",
    "battlesuit",
    "regeneration",
    "haste",
    "invisibility",
    "flag",
    "medkit",
];
