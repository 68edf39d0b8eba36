//! Shots and sounds, whatever the game.

use super::World;
use crate::demo::FileKind;
use crate::game::{quake, quake2, quake3};
use crate::world::{PlayedSound, Scene, Shot, Sound, SoundSource};

/// Tells the shots of a recording, step by step.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, replay::{Options, Pass, Shots, Step}};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let (mut shots, mut count) = (None, 0);
/// let mut look = |step: &Step<'_>| {
///     let shots = shots.get_or_insert_with(|| Shots::new(step.detected.kind));
///     shots.step(step.world, &mut |_| count += 1);
///     Ok(())
/// };
/// Pass::new(Limits::default()).run(demo, "oa-dm4.dm_71", &mut [&mut look])?;
/// assert!(count > 0);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Shots(Option<Box<quake3::shots::Events>>);

impl Shots {
    /// At the beginning of a recording.
    pub fn new(kind: FileKind) -> Self {
        Shots(events(kind))
    }

    /// Shows the shots that the chunk tells which `world` has just taken in.
    pub fn step(&mut self, world: &World, each: &mut dyn FnMut(&Shot)) {
        match (world, &mut self.0) {
            (World::Dem(world), _) => quake::shots::shots(&**world, each),
            (World::QuakeWorld(world), _) => quake::shots::shots(&**world, each),
            (World::Dm2(world), _) => quake2::shots::shots(&**world, each),
            (World::Mvd2(world), _) => quake2::shots::shots(&**world, each),
            (World::Dm3(world), Some(events)) => events.shots(world, each),
            (World::Dm3(_), None) => {}
        }
    }
}

/// Tells the sounds of a recording, step by step.
#[derive(Debug)]
pub struct Sounds(Option<Box<quake3::shots::Events>>);

impl Sounds {
    /// At the beginning of a recording.
    pub fn new(kind: FileKind) -> Self {
        Sounds(events(kind))
    }

    /// Shows the sounds that the chunk tells which `world` has just taken in.
    pub fn step(&mut self, world: &World, each: &mut dyn FnMut(&PlayedSound<'_>)) {
        match (world, &mut self.0) {
            (World::Dm3(world), Some(events)) => events.sounds(world, each),
            _ => world.changes().sounds.iter().for_each(|sound| each(&played(world, sound))),
        }
    }
}

fn events(kind: FileKind) -> Option<Box<quake3::shots::Events>> {
    (kind == FileKind::Dm3).then(Box::default)
}

fn played<'w>(world: &'w World, sound: &Sound) -> PlayedSound<'w> {
    // Players are the entities from 1 on.
    let slot = sound.entity.and_then(|entity| entity.checked_sub(1)).map(usize::from);
    let entity = || world.entity(usize::from(sound.entity?)).map(|entity| entity.origin);
    PlayedSound {
        source: SoundSource::Message,
        number: sound.sound,
        name: world.sound_name(sound.sound),
        entity: sound.entity,
        slot: slot.filter(|slot| world.player(*slot).is_some()),
        channel: Some(sound.channel),
        volume: Some(sound.volume),
        attenuation: Some(sound.attenuation),
        delay_ms: Some(sound.delay_ms),
        origin: sound.origin.or_else(entity),
    }
}
