//! Shots and named sounds in Quake III: events of entities.

use crate::format::dm3::{EntityField, PlayerField};
use crate::game::quake3::World;
use crate::game::quake3::events::{News, Told};
use crate::game::quake3::names::Game;
use crate::world::{PlayedSound, Scene, Shot, ShotSource, SoundSource};

/// Highest number of players.
const PLAYERS: i32 = 64;

/// Tells the events of each snapshot, once.
#[derive(Debug, Default)]
pub(crate) struct Events(News);

impl Events {
    /// Takes in what `world` has just taken in. The events of a snapshot, if that was one.
    fn step(&mut self, world: &World) -> &[Told] {
        if world.changes().level {
            self.0 = News::default();
        }
        match world.changes().frame {
            true => {
                self.0.step(world);
                &self.0.told
            }
            false => &[],
        }
    }

    /// Shows the shots that the last chunk tells.
    pub(crate) fn shots(&mut self, world: &World, each: &mut dyn FnMut(&Shot)) {
        let fire = i32::from(Game::of(world.dialect().layout.era).fire);
        let known = world.module().has_known_numbers();
        for told in self.step(world).iter().filter(|told| known && told.event == fire) {
            if let Some(shot) = shot(world, told) {
                each(&shot);
            }
        }
    }

    /// Shows the sounds that the last chunk tells by their number.
    pub(crate) fn sounds(&mut self, world: &World, each: &mut dyn FnMut(&PlayedSound<'_>)) {
        let [at_a_place, everywhere] = Game::of(world.dialect().layout.era).sounds.map(i32::from);
        let known = world.module().has_known_numbers();
        for told in self.step(world) {
            let source = match told.event {
                _ if !known => continue,
                event if event == at_a_place => SoundSource::Event,
                event if event == everywhere => SoundSource::GlobalEvent,
                _ => continue,
            };
            let Ok(number) = u16::try_from(told.parm) else { continue };
            each(&PlayedSound {
                source,
                number,
                name: world.sound_name(number),
                entity: told.entity.filter(|_| !told.temporary),
                slot: slot(told),
                channel: None,
                volume: None,
                attenuation: None,
                delay_ms: None,
                origin: place(world, told).map(|(origin, _)| origin),
            });
        }
    }
}

fn slot(told: &Told) -> Option<usize> {
    told.by.filter(|by| (0..PLAYERS).contains(by)).and_then(|by| usize::try_from(by).ok())
}

fn shot(world: &World, told: &Told) -> Option<Shot> {
    let weapon = match told.entity {
        Some(number) => world.snapshot()?.entity(number)?.int(EntityField::Weapon),
        None => world.player_state()?.int(PlayerField::Weapon),
    };
    let (origin, angles) = place(world, told).unzip();
    let slot = slot(told);
    Some(Shot {
        source: ShotSource::Event,
        slot,
        // Players are the first entities.
        entity: told.entity.filter(|_| !told.temporary).or_else(|| u16::try_from(slot?).ok()),
        weapon: Some(weapon).filter(|weapon| *weapon > 0).map(|weapon| world.weapon_name(weapon)),
        origin,
        angles,
    })
}

/// Where the entity is that tells an event, and where it looks.
fn place(world: &World, told: &Told) -> Option<([f32; 3], [f32; 3])> {
    let snapshot = world.snapshot()?;
    match told.entity {
        Some(number) => {
            let (state, time) = (snapshot.entity(number)?, snapshot.server_time());
            Some((state.origin(time), state.angles(time)))
        }
        None => {
            let player = world.player(world.seen()?)?;
            player.origin.zip(player.angles)
        }
    }
}
