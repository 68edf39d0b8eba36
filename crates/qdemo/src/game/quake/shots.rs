//! Shots of players in Quake and QuakeWorld: no message tells them, but each weapon has its sound, and lightning is seen.
//!
//! The sounds are those of id Software's game module (`weapons.qc`), which plays one for each shot on the channel of
//! weapons, and in which lightning is told 10 times a second while it lasts. Ammunition of those whose stats are told goes down
//! in step with them, in every recording at hand. Other modules may have other sounds, and then nothing is told.

use std::borrow::Cow;

use crate::world::{Beam, Scene, Shot, ShotSource, Sound};

/// The channel of weapons.
const CHAN_WEAPON: u8 = 1;
/// Lightning of a player's lightning gun, `TE_LIGHTNING2`.
const TE_LIGHTNING2: u8 = 6;

const SOUNDS: [(&[u8], &str); 7] = [
    (b"weapons/ax1.wav", "axe"),
    (b"weapons/guncock.wav", "shotgun"),
    (b"weapons/shotgn2.wav", "super_shotgun"),
    (b"weapons/rocket1i.wav", "nailgun"),
    (b"weapons/spike2.wav", "super_nailgun"),
    (b"weapons/grenade.wav", "grenade_launcher"),
    (b"weapons/sgun1.wav", "rocket_launcher"),
];

/// What shoots like another weapon when it has one round left.
const LAST_ROUND: [(&str, &str); 2] = [("shotgun", "super_shotgun"), ("nailgun", "super_nailgun")];

/// Shows the shots that the last chunk tells.
pub(crate) fn shots(scene: &impl Scene, each: &mut dyn FnMut(&Shot)) {
    let changes = scene.changes();
    for sound in &changes.sounds {
        if let Some(shot) = by_sound(scene, sound) {
            each(&shot);
        }
    }
    for beam in &changes.beams {
        if let Some(shot) = by_beam(scene, beam) {
            each(&shot);
        }
    }
}

fn by_sound(scene: &impl Scene, sound: &Sound) -> Option<Shot> {
    let name = scene.sound_name(sound.sound).filter(|_| sound.channel == CHAN_WEAPON)?;
    let (_, weapon) = SOUNDS.iter().find(|(sound, _)| *sound == name)?;
    of_player(scene, sound.entity?, weapon, ShotSource::Sound)
}

fn by_beam(scene: &impl Scene, beam: &Beam) -> Option<Shot> {
    let lightning = beam.kind == TE_LIGHTNING2;
    lightning.then(|| of_player(scene, beam.entity, "lightning_gun", ShotSource::Beam)).flatten()
}

/// Players are the entities from 1 on.
fn of_player(scene: &impl Scene, entity: u16, weapon: &'static str, source: ShotSource) -> Option<Shot> {
    let slot = usize::from(entity.checked_sub(1)?);
    let player = scene.player(slot)?;
    let in_hand = player.weapon.as_deref().filter(|_| player.ammo == Some(0));
    let like = LAST_ROUND.iter().find(|(as_if, with)| *as_if == weapon && in_hand == Some(*with));
    Some(Shot {
        source,
        slot: Some(slot),
        entity: Some(entity),
        weapon: Some(Cow::Borrowed(like.map_or(weapon, |(_, with)| with))),
        origin: player.origin,
        angles: player.angles,
    })
}
