//! Quake: entities of other frames of the same server time, and what is heard and seen for a moment.

use super::account::Aligned;
use super::follow::Watch;
use super::run::{Merge, Others, Room, Shows};
use super::survey::time_of;
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dem::{Decoder, Message, Print};
use crate::frame;
use crate::game::quake::{InView, World as QuakeWorld};
use crate::replay::World;
use crate::wire::{ByteWriter, IntoOwned as _, Str};
use crate::world::Scene;

/// Bytes that engines take in a block (`MAX_MSGLEN` in `quakedef.h`).
const ROOM: usize = 8_000;
/// Entities that the first engines draw at once (`MAX_VISEDICTS` in `client.h`).
const MOST_ENTITIES: usize = 256;

/// What a frame of another recording shows.
pub(super) struct Seen {
    entities: Vec<InView>,
    /// What is heard and seen for a moment.
    moments: Vec<Message<'static>>,
}

pub(super) struct Watching {
    world: World,
    decoder: Decoder,
}

fn quake(world: &World) -> Option<&QuakeWorld> {
    if let World::Dem(world) = world { Some(world) } else { None }
}

/// True for what is heard or seen for a moment, and is told to all who are near.
fn is_moment(message: &Message<'_>) -> bool {
    matches!(message, Message::Sound(_) | Message::TempEntity(_) | Message::Particle(_))
}

impl Watch for Watching {
    type View = Seen;

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<(i64, Seen)> {
        let Chunk::Dem(frame::Chunk::Block(block)) = chunk else { return None };
        self.world.apply(chunk);
        let (packet, _) = self.decoder.read(block);
        let world = quake(&self.world).filter(|world| world.is_shown() && world.changes().frame)?;
        let moments = packet.messages.into_iter().filter(is_moment).map(|message| message.into_owned()).collect();
        let view = Seen { entities: world.in_view().to_vec(), moments };
        Some((time_of(&self.world), view))
    }

    fn world(&self) -> &World {
        &self.world
    }
}

/// How a merge goes.
#[derive(Default)]
pub(super) struct Merging {
    decoder: Decoder,
}

impl Merge for Merging {
    const ALIGNED: Aligned = Aligned::ServerTime;
    type Watch = Watching;

    fn watch(world: World) -> Watching {
        Watching { world, decoder: Decoder::default() }
    }

    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        len: usize,
        world: &World,
        others: &mut Others<'_, Watching>,
        w: &mut ByteWriter,
    ) -> Result<()> {
        let Chunk::Dem(frame::Chunk::Block(block)) = chunk else { return Ok(()) };
        let (mut packet, fault) = self.decoder.read(block);
        let d = self.decoder.before();
        let Some(game) = quake(world).filter(|game| game.is_shown() && game.changes().frame) else { return Ok(()) };
        if fault.is_some() || block.is_final() {
            return Ok(());
        }
        let at = time_of(world);
        let before = packet.messages.len();
        let mut room = Room::of(&packet, d, ROOM.max(len))?;
        let mut seen: Vec<u16> = game.in_view().iter().map(|entity| entity.number).collect();
        let (shown, counting) = others.at(at)?;
        for Shows { nth, view, same } in shown {
            for entity in &view.entities {
                if let Some(known) = game.entity_state(entity.number) {
                    if same {
                        counting.both(nth, known.origin == entity.state.origin);
                    }
                    continue;
                }
                if seen.contains(&entity.number) {
                    continue;
                }
                let update = Message::UpdateEntity(entity.update(game.baselines().base(entity.number), &d));
                if seen.len() < MOST_ENTITIES && room.add(&mut packet, update, &d)? {
                    seen.push(entity.number);
                    counting.add(nth, world.level().number, entity.number);
                } else {
                    counting.done.no_room += 1;
                }
            }
            for moment in view.moments.iter().filter(|_| same) {
                if !packet.messages.contains(moment) && !room.add(&mut packet, moment.clone(), &d)? {
                    counting.done.no_room += 1;
                }
            }
        }
        while let Some((nth, said)) = others.take_said(at) {
            let print = Message::Print(Print { text: Str::from(said.text) });
            if room.add(&mut packet, print, &d)? {
                others.counting.said(nth);
            } else {
                others.counting.done.no_room += 1;
            }
        }
        if packet.messages.len() > before {
            packet.write(&mut { d }, w)?;
        }
        Ok(())
    }
}
