//! Shots in Quake II: the flashes of weapons, which have messages of their own.
//!
//! Numbers are those of id Software's game (`q_shared.h`), its mission packs and the re-release. Grenades that are thrown
//! by hand, and what hits without a flash, are not told.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::world::{MuzzleFlash, Scene, Shot, ShotSource};

/// A silencer adds this to the flash of a player.
const SILENCED: u16 = 128;

/// Flashes of players, `MZ_`. What is left out is no shot: who comes and goes, items that appear.
const OF_PLAYERS: [(RangeInclusive<u16>, &str); 19] = [
    (0..=0, "blaster"),
    (1..=1, "machinegun"),
    (2..=2, "shotgun"),
    (3..=5, "chaingun"),
    (6..=6, "railgun"),
    (7..=7, "rocket_launcher"),
    (8..=8, "grenade_launcher"),
    (12..=12, "bfg10k"),
    (13..=13, "super_shotgun"),
    (14..=14, "hyperblaster"),
    (16..=16, "ionripper"),
    (17..=17, "blue_hyperblaster"),
    (18..=18, "phalanx"),
    (30..=30, "etf_rifle"),
    (32..=32, "shotgun"),
    (33..=33, "plasma_beam"),
    (34..=34, "blaster"),
    (35..=35, "disruptor"),
    (36..=39, "nuke"),
];

/// Flashes of monsters, `MZ2_`, as far as they are the game's own. Those of the mission packs have no name here.
const OF_MONSTERS: [(RangeInclusive<u16>, &str); 29] = [
    (1..=3, "tank_blaster"),
    (4..=22, "tank_machinegun"),
    (23..=25, "tank_rocket"),
    (26..=38, "infantry_machinegun"),
    (39..=40, "soldier_blaster"),
    (41..=42, "soldier_shotgun"),
    (43..=44, "soldier_machinegun"),
    (45..=52, "gunner_machinegun"),
    (53..=56, "gunner_grenade"),
    (57..=57, "chick_rocket"),
    (58..=59, "flyer_blaster"),
    (60..=60, "medic_blaster"),
    (61..=61, "gladiator_railgun"),
    (62..=62, "hover_blaster"),
    (63..=63, "actor_machinegun"),
    (64..=69, "supertank_machinegun"),
    (70..=72, "supertank_rocket"),
    (73..=77, "boss2_machinegun"),
    (78..=81, "boss2_rocket"),
    (82..=82, "floater_blaster"),
    (83..=83, "soldier_blaster"),
    (84..=84, "soldier_shotgun"),
    (85..=85, "soldier_machinegun"),
    (101..=101, "makron_bfg"),
    (102..=118, "makron_blaster"),
    (119..=119, "makron_railgun"),
    (120..=131, "jorg_machinegun"),
    (132..=132, "jorg_bfg"),
    (133..=137, "boss2_machinegun"),
];

/// Soldiers take turns: six times the same three.
const SOLDIERS: RangeInclusive<u16> = 83..=100;

/// Shows the shots that the last chunk tells.
pub(crate) fn shots(scene: &impl Scene, each: &mut dyn FnMut(&Shot)) {
    for flash in &scene.changes().flashes {
        if let Some(shot) = shot(scene, flash) {
            each(&shot);
        }
    }
}

fn shot(scene: &impl Scene, flash: &MuzzleFlash) -> Option<Shot> {
    let weapon = match flash.monster {
        true => named(&OF_MONSTERS, of_soldier(flash.flash)),
        false => Some(named(&OF_PLAYERS, flash.flash & !SILENCED)?),
    };
    let slot = flash.entity.checked_sub(1).map(usize::from).filter(|_| !flash.monster);
    let player = slot.and_then(|slot| scene.player(slot));
    let entity = scene.entity(usize::from(flash.entity));
    Some(Shot {
        source: if flash.monster { ShotSource::MonsterFlash } else { ShotSource::MuzzleFlash },
        slot: player.as_ref().map(|player| player.slot),
        entity: Some(flash.entity),
        weapon: weapon.map(Cow::Borrowed),
        origin: player.as_ref().and_then(|player| player.origin).or(entity.as_ref().map(|entity| entity.origin)),
        angles: player.as_ref().and_then(|player| player.angles).or(entity.as_ref().map(|entity| entity.angles)),
    })
}

fn named(list: &[(RangeInclusive<u16>, &'static str)], number: u16) -> Option<&'static str> {
    list.iter().find(|(numbers, _)| numbers.contains(&number)).map(|(_, name)| *name)
}

fn of_soldier(number: u16) -> u16 {
    if SOLDIERS.contains(&number) { SOLDIERS.start() + (number - SOLDIERS.start()) % 3 } else { number }
}
