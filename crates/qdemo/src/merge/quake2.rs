//! Quake II: entities of other frames of the same number, and what is heard and seen for a moment.

use super::account::Aligned;
use super::follow::Watch;
use super::refused;
use super::run::{Merge, Others, Room, Shows};
use super::survey::frame_time;
use crate::demo::Chunk;
use crate::edit::frames::{Frames, RetoldFrame};
use crate::error::Result;
use crate::format::dm2::{Decoder, Message, Packet, Print, Recording};
use crate::frame;
use crate::game::quake2::{EntityState, FullFrame, InView, World as Quake2World};
use crate::replay::World;
use crate::wire::{ByteWriter, IntoOwned as _, Str};
use crate::world::{Scene, TextKind};

/// Bytes that engines take in a block (`MAX_MSGLEN` in `qcommon.h`), less a few.
const ROOM: usize = 1_390;
/// Entities that the first engines draw at once (`MAX_ENTITIES` in `ref.h`).
const MOST_ENTITIES: usize = 128;

/// What a frame of another recording shows.
pub(super) struct Seen {
    entities: Vec<InView>,
    areas: Vec<u8>,
    /// What is heard and seen for a moment.
    moments: Vec<Message<'static>>,
}

pub(super) struct Watching {
    world: World,
    decoder: Decoder,
}

fn quake2(world: &World) -> Option<&Quake2World> {
    if let World::Dm2(world) = world { Some(world) } else { None }
}

/// True for what is heard or seen for a moment, and is told to all who are near.
fn is_moment(message: &Message<'_>) -> bool {
    matches!(message, Message::Sound(_) | Message::TempEntity(_) | Message::MuzzleFlash(_) | Message::MuzzleFlash2(_))
}

impl Watch for Watching {
    type View = Seen;

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<(i64, Seen)> {
        let Chunk::Dm2(frame::Chunk::Block(block)) = chunk else { return None };
        self.world.apply(chunk);
        let (packet, _) = self.decoder.read(block);
        let world = quake2(&self.world)?;
        let now = world.complete_frame().filter(|_| world.changes().frame)?;
        let moments = packet.messages.into_iter().filter(is_moment).map(|message| message.into_owned()).collect();
        let view = Seen { entities: now.entities().to_vec(), areas: now.areas().to_vec(), moments };
        Some((frame_time(world), view))
    }

    fn world(&self) -> &World {
        &self.world
    }
}

/// What others add to a frame.
#[derive(Default)]
struct Added {
    /// What they heard and saw with it.
    moments: Vec<Message<'static>>,
    /// Entities, with the input.
    entities: Vec<(usize, u16)>,
}

/// A frame with what the others saw.
fn show(
    now: &FullFrame,
    world: &Quake2World,
    others: &mut Others<'_, Watching>,
    added: &mut Added,
) -> Result<Option<FullFrame>> {
    let (mut entities, mut areas) = (now.entities().to_vec(), now.areas().to_vec());
    let (shown, counting) = others.at(frame_time(world))?;
    for Shows { nth, view, same } in shown {
        areas.iter_mut().zip(&view.areas).for_each(|(ours, theirs)| *ours |= theirs);
        if same {
            added.moments.extend_from_slice(&view.moments);
        }
        for InView { number, state } in &view.entities {
            if let Some(known) = now.entity(*number) {
                if same {
                    counting.both(nth, known.origin == state.origin);
                }
                continue;
            }
            let Err(at) = entities.binary_search_by_key(number, |entity| entity.number) else { continue };
            if entities.len() >= MOST_ENTITIES {
                counting.done.no_room += 1;
                continue;
            }
            // What was done in an older frame is over.
            let event = if same { state.event } else { 0 };
            entities.insert(at, InView { number: *number, state: EntityState { event, ..*state } });
            added.entities.push((nth, *number));
        }
    }
    let is_new = !added.entities.is_empty() || areas != now.areas();
    Ok(is_new.then(|| now.showing(entities, areas)))
}

/// Says whether there is something to merge in a recording.
fn check(world: &Quake2World) -> Result<()> {
    match world.dialect().recording {
        Recording::Client => Ok(()),
        Recording::TestRelease => Err(refused(
            "recordings of the test release are not merged, as their frames have no numbers; make them protocol 34 first",
        )),
        _ => Err(refused(
            "a recording of a server or of several players shows all that there is: there is nothing to merge",
        )),
    }
}

/// How a merge goes.
#[derive(Default)]
pub(super) struct Merging {
    frames: Frames,
    /// Reads what the frames leave as it is.
    decoder: Decoder,
}

impl Merge for Merging {
    const ALIGNED: Aligned = Aligned::ServerFrame;
    type Watch = Watching;

    fn watch(world: World) -> Watching {
        Watching { world, decoder: Decoder::default() }
    }

    fn before(&mut self, world: &World) {
        if let Some(world) = quake2(world) {
            self.frames.before(world);
        }
    }

    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        len: usize,
        world: &World,
        others: &mut Others<'_, Watching>,
        w: &mut ByteWriter,
    ) -> Result<()> {
        let (Chunk::Dm2(frame::Chunk::Block(block)), Some(game)) = (chunk, quake2(world)) else { return Ok(()) };
        let (as_read, fault) = self.decoder.read(block);
        let before = self.decoder.before();
        check(game)?;
        let mut added = Added::default();
        // What does not fit is left out.
        let most = ROOM.max(len);
        let fits = |packet: &Packet<'_>| -> Result<bool> { Ok(packet.to_bytes(before)?.len() <= most) };
        let show = |now: &FullFrame| show(now, game, others, &mut added);
        let (mut packet, mut is_new) = match self.frames.block(block, game, show, fits)? {
            RetoldFrame::New(packet, _) => (packet, true),
            RetoldFrame::TooLarge(packet) => {
                others.counting.done.no_room += std::mem::take(&mut added.entities).len() as u64;
                packet.map_or((as_read, false), |packet| (packet, true))
            }
            RetoldFrame::Same => (as_read, false),
            RetoldFrame::Faulty => {
                others.counting.remark("blocks in which something cannot be read are as they were");
                added.entities.clear();
                (as_read, false)
            }
        };
        let number = game.level().number;
        for (nth, entity) in added.entities {
            others.counting.add(nth, number, entity);
        }
        if fault.is_some() {
            return Ok(());
        }
        // Each with the number of the input, where it is chat.
        let mut more: Vec<(Option<usize>, Message<'static>)> = Vec::new();
        for moment in added.moments {
            if !packet.messages.contains(&moment) && !more.iter().any(|(_, known)| *known == moment) {
                more.push((None, moment));
            }
        }
        let at = frame_time(game);
        while let Some((nth, said)) = game.changes().frame.then(|| others.take_said(at)).flatten() {
            if let TextKind::Print(Some(level)) = said.kind {
                more.push((Some(nth), Message::Print(Print { level, string: Str::from(said.text) })));
            }
        }
        if !more.is_empty() {
            let mut room = Room::of(&packet, before, most)?;
            for (said_in, message) in more {
                if room.add(&mut packet, message, &before)? {
                    is_new = true;
                    said_in.into_iter().for_each(|nth| others.counting.said(nth));
                } else {
                    others.counting.done.no_room += 1;
                }
            }
        }
        if is_new {
            packet.write(&mut { before }, w)?;
        }
        Ok(())
    }
}
