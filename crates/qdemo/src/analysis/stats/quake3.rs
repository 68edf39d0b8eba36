//! What the game modules of Quake III tell of scores and statistics.

use super::measure::{ItemMeasure, Measure, WeaponMeasure};
use super::period::Period;
use crate::game::quake3::names::WEAPONS;
use crate::game::quake3::scoreboards::{ReportedNumber, Subject};
use crate::world::DemoTime;

/// Numbers of a command, in the words of the table of commands: those of measures and items.
pub(super) fn report(
    period: &mut Period,
    source: &'static str,
    reported: &[ReportedNumber],
    seen: Option<usize>,
    now: DemoTime,
) {
    for ReportedNumber { client, of, name, value } in reported {
        if let Subject::Team(team) = of {
            if let Some(item) = period.reported_team(team).and_then(|n| n.item_mut(name)) {
                item.set(ItemMeasure::Taken, *value);
            }
            continue;
        }
        let slot = match client {
            Some(client) => usize::try_from(*client).ok(),
            // The statistics of whoever is seen have no number of a client.
            None if OF_SEEN.contains(&source) => seen,
            None => None,
        };
        let Some(slot) = slot else {
            let team = matches!(*name, "red" | "blue") && !OF_SEEN.contains(&source);
            if let Some(numbers) = team.then(|| period.reported_team(name)).flatten() {
                numbers.set(Measure::Score, *value);
            }
            continue;
        };
        let Some(report) = period.in_slot(slot).and_then(|player| player.report(source, now)) else { continue };
        match of {
            Subject::Weapon(number) => {
                let weapon = WEAPONS.get(*number).and_then(|weapon| report.weapon_mut(weapon));
                if let Some((weapon, measure)) = weapon.zip(WeaponMeasure::by_name(name)) {
                    weapon.set(measure, *value);
                }
            }
            Subject::Player | Subject::Game => match Measure::by_name(name) {
                Some(measure) => report.set(measure, *value),
                None if ITEMS.contains(name) => {
                    if let Some(item) = report.item_mut(name) {
                        item.set(ItemMeasure::Taken, *value);
                    }
                }
                None => {}
            },
            Subject::Powerup(_) | Subject::Team(_) => {}
        }
    }
}

/// Commands about the player who is seen.
const OF_SEEN: [&str; 1] = ["statsinfo"];

/// Items whose number players are told.
const ITEMS: [&str; 9] = [
    "red_armor",
    "yellow_armor",
    "green_armor",
    "mega_health",
    "quad",
    "battlesuit",
    "regeneration",
    "haste",
    "invisibility",
];
