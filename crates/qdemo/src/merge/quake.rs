//! Quake: entities of other frames of the same server time, and what is heard and seen for a moment.

use std::io::Write;

use super::account::{Aligned, Counting, MergeAccount};
use super::follow::{Follower, Glimpse, Watch, others};
use super::said::Unsaid;
use super::survey::{Survey, level_of, time_of};
use super::{Input, open, refused};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dem::{Block, Decoder, Message, Print};
use crate::frame;
use crate::game::quake::{InView, World as QuakeWorld};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::{ByteWriter, IntoOwned as _, Str};
use crate::world::Scene;

/// Bytes that engines take in a block (`MAX_MSGLEN` in `quakedef.h`).
const ROOM: usize = 8_000;
/// Entities that the first engines draw at once (`MAX_VISEDICTS` in `client.h`).
const MOST_ENTITIES: usize = 256;

/// What a frame of another recording shows.
struct Seen {
    entities: Vec<InView>,
    /// What is heard and seen for a moment.
    moments: Vec<Message<'static>>,
}

struct Watching {
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

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<Glimpse<Seen>> {
        let Chunk::Dem(frame::Chunk::Block(block)) = chunk else { return None };
        self.world.apply(chunk);
        let (packet, _) = self.decoder.read(block);
        let world = quake(&self.world).filter(|world| world.is_shown() && world.changes().frame)?;
        let moments = packet.messages.into_iter().filter(is_moment).map(|message| message.into_owned()).collect();
        let view = Seen { entities: world.in_view().to_vec(), moments };
        Some(Glimpse { level: level_of(&self.world)?, at: time_of(&self.world), view })
    }
}

/// Where a merge is.
struct Run<'a> {
    others: Vec<Follower<'a, Watching>>,
    counting: Counting,
    unsaid: Unsaid,
    decoder: Decoder,
}

impl Run<'_> {
    /// Writes what a block becomes; nothing: it is as it was.
    fn block(&mut self, block: &Block<'_>, len: usize, world: &World, w: &mut ByteWriter) -> Result<()> {
        let (mut packet, fault) = self.decoder.read(block);
        let d = self.decoder.before();
        let Some(game) = quake(world).filter(|game| game.is_shown() && game.changes().frame) else { return Ok(()) };
        if fault.is_some() || block.is_final() {
            return Ok(());
        }
        let (level, at) = (level_of(world).unwrap_or_default(), time_of(world));
        let nth_level = world.level().number;
        let counting = &mut self.counting;
        let before = packet.messages.len();
        let room = ROOM.max(len);
        let mut seen: Vec<u16> = game.in_view().iter().map(|entity| entity.number).collect();
        let mut add = |packet: &mut crate::format::dem::Packet<'_>, message: Message<'static>| -> Result<bool> {
            packet.messages.push(message);
            w.clear();
            packet.write(&mut { d }, w)?;
            let fits = w.len() <= room;
            if !fits {
                packet.messages.pop();
            }
            Ok(fits)
        };
        for (nth, other) in (1..).zip(&mut self.others) {
            let glimpse = other.at(&level, at)?;
            counting.frame(nth, glimpse.map(|(_, same)| same));
            let Some((Glimpse { view, .. }, same)) = glimpse else { continue };
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
                if seen.len() < MOST_ENTITIES && add(&mut packet, update)? {
                    seen.push(entity.number);
                    counting.add(nth, nth_level, entity.number);
                } else {
                    counting.done.no_room += 1;
                }
            }
            for moment in view.moments.iter().filter(|_| same) {
                if !packet.messages.contains(moment) && !add(&mut packet, moment.clone())? {
                    counting.done.no_room += 1;
                }
            }
        }
        while let Some((nth, said)) = self.unsaid.take(&level, at) {
            let text = Str::from(said.text);
            if add(&mut packet, Message::Print(Print { text }))? {
                counting.said(nth);
            } else {
                counting.done.no_room += 1;
            }
        }
        w.clear();
        if packet.messages.len() > before {
            packet.write(&mut { d }, w)?;
        }
        Ok(())
    }
}

pub(super) fn merge<W: Write>(
    inputs: &[Input<'_>],
    surveys: &[Survey],
    limits: Limits,
    mut out: W,
) -> Result<(W, MergeAccount)> {
    let [first, ..] = inputs else { return Err(refused("there is no recording to merge")) };
    let mut reader = open(first, limits)?;
    let mut world = World::of(reader.detected(), first.name)?;
    let followed = others(inputs, surveys, limits, || Watching { world: world.clone(), decoder: Decoder::default() })?;
    let counting = Counting::new(inputs, Aligned::ServerTime);
    let unsaid = Unsaid::new(surveys, &vec![0; inputs.len()]);
    let mut run = Run { others: followed, counting, unsaid, decoder: Decoder::default() };
    let mut w = ByteWriter::default();
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        world.apply(&any);
        w.clear();
        if let Chunk::Dem(frame::Chunk::Block(block)) = &any {
            run.block(block, bytes.len(), &world, &mut w)?;
            run.counting.block(&any, world.clock(), !w.is_empty() && w.as_slice() != bytes);
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        run.counting.done.account.bytes_written += written.len() as u64;
        out.write_all(written)?;
    }
    out.flush()?;
    Ok((out, run.counting.finish()?))
}
