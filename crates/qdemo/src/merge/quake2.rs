//! Quake II: entities of other frames of the same number, and what is heard and seen for a moment.

use std::io::Write;

use super::account::{Aligned, Counting, MergeAccount};
use super::follow::{Follower, Glimpse, Watch, others};
use super::said::Unsaid;
use super::survey::{LevelId, Survey, frame_time, level_of};
use super::{Input, open, refused};
use crate::demo::Chunk;
use crate::edit::frames::{Frames, RetoldFrame};
use crate::error::Result;
use crate::format::dm2::{Block, Decoder, Message, Packet, Print, Recording};
use crate::frame;
use crate::game::quake2::{EntityState, FullFrame, InView, World as Quake2World};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::{ByteWriter, IntoOwned as _, Str};
use crate::world::{Scene, TextKind};

/// Bytes that engines take in a block (`MAX_MSGLEN` in `qcommon.h`), less a few.
const ROOM: usize = 1_390;
/// Entities that the first engines draw at once (`MAX_ENTITIES` in `ref.h`).
const MOST_ENTITIES: usize = 128;

/// What a frame of another recording shows.
struct Seen {
    entities: Vec<InView>,
    areas: Vec<u8>,
    /// What is heard and seen for a moment.
    moments: Vec<Message<'static>>,
}

struct Watching {
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

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<Glimpse<Seen>> {
        let Chunk::Dm2(frame::Chunk::Block(block)) = chunk else { return None };
        self.world.apply(chunk);
        let (packet, _) = self.decoder.read(block);
        let world = quake2(&self.world)?;
        let now = world.complete_frame().filter(|_| world.changes().frame)?;
        let moments = packet.messages.into_iter().filter(is_moment).map(|message| message.into_owned()).collect();
        let view = Seen { entities: now.entities().to_vec(), areas: now.areas().to_vec(), moments };
        Some(Glimpse { level: level_of(&self.world)?, at: frame_time(world), view })
    }
}

struct Merging<'a> {
    others: Vec<Follower<'a, Watching>>,
    counting: Counting,
    /// What others heard and saw with the frame at hand.
    moments: Vec<Message<'static>>,
    /// The entities that it gets, with the input.
    added: Vec<(usize, u16)>,
}

impl Merging<'_> {
    fn show(&mut self, now: &FullFrame, world: &Quake2World, level: &LevelId) -> Result<Option<FullFrame>> {
        let (mut entities, mut areas) = (now.entities().to_vec(), now.areas().to_vec());
        for (nth, other) in (1..).zip(&mut self.others) {
            let glimpse = other.at(level, frame_time(world))?;
            self.counting.frame(nth, glimpse.map(|(_, same)| same));
            let Some((Glimpse { view, .. }, same)) = glimpse else { continue };
            areas.iter_mut().zip(&view.areas).for_each(|(ours, theirs)| *ours |= theirs);
            if same {
                self.moments.extend_from_slice(&view.moments);
            }
            for InView { number, state } in &view.entities {
                if let Some(known) = now.entity(*number) {
                    if same {
                        self.counting.both(nth, known.origin == state.origin);
                    }
                    continue;
                }
                let Err(at) = entities.binary_search_by_key(number, |entity| entity.number) else { continue };
                if entities.len() >= MOST_ENTITIES {
                    self.counting.done.no_room += 1;
                    continue;
                }
                // What was done in an older frame is over.
                let event = if same { state.event } else { 0 };
                entities.insert(at, InView { number: *number, state: EntityState { event, ..*state } });
                self.added.push((nth, *number));
            }
        }
        let is_new = !self.added.is_empty() || areas != now.areas();
        Ok(is_new.then(|| now.showing(entities, areas)))
    }
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

/// Where a merge is.
struct Run<'a> {
    merging: Merging<'a>,
    frames: Frames,
    unsaid: Unsaid,
    /// Reads what the frames leave as it is.
    decoder: Decoder,
}

impl Run<'_> {
    /// Writes what a block becomes; nothing: it is as it was.
    fn block(&mut self, block: &Block<'_>, len: usize, world: &World, w: &mut ByteWriter) -> Result<()> {
        let Some(game) = quake2(world) else { return Ok(()) };
        let (as_read, fault) = self.decoder.read(block);
        let before = self.decoder.before();
        check(game)?;
        let level = level_of(world).unwrap_or_default();
        (self.merging.moments, self.merging.added) = (Vec::new(), Vec::new());
        let merging = &mut self.merging;
        // What does not fit is left out.
        let fits = |packet: &Packet<'_>, w: &mut ByteWriter| -> Result<bool> {
            w.clear();
            packet.write(&mut { before }, w)?;
            Ok(w.len() <= ROOM.max(len))
        };
        let retold = self.frames.block(block, game, |now| merging.show(now, game, &level), |packet| fits(packet, w))?;
        let (mut packet, mut is_new) = match retold {
            RetoldFrame::New(packet, _) => (packet, true),
            RetoldFrame::TooLarge(packet) => {
                merging.counting.done.no_room += std::mem::take(&mut merging.added).len() as u64;
                packet.map_or((as_read, false), |packet| (packet, true))
            }
            RetoldFrame::Same => (as_read, false),
            RetoldFrame::Faulty => {
                merging.counting.remark("blocks in which something cannot be read are as they were");
                merging.added.clear();
                (as_read, false)
            }
        };
        let levels = game.level_number().saturating_sub(1);
        for (nth, entity) in std::mem::take(&mut merging.added) {
            merging.counting.add(nth, levels, entity);
        }
        w.clear();
        if fault.is_some() {
            return Ok(());
        }
        // Each with the number of the input, where it is chat.
        let mut more: Vec<(Option<usize>, Message<'static>)> = Vec::new();
        for moment in std::mem::take(&mut merging.moments) {
            if !packet.messages.contains(&moment) && !more.iter().any(|(_, known)| *known == moment) {
                more.push((None, moment));
            }
        }
        let at = frame_time(game);
        while let Some((nth, said)) = game.changes().frame.then(|| self.unsaid.take(&level, at)).flatten() {
            if let TextKind::Print(Some(level)) = said.kind {
                more.push((Some(nth), Message::Print(Print { level, string: Str::from(said.text) })));
            }
        }
        for (said_in, message) in more {
            packet.messages.push(message);
            if fits(&packet, w)? {
                is_new = true;
                said_in.into_iter().for_each(|nth| merging.counting.said(nth));
            } else {
                packet.messages.pop();
                merging.counting.done.no_room += 1;
            }
        }
        w.clear();
        if is_new {
            packet.write(&mut { before }, w)?;
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
    let counting = Counting::new(inputs, Aligned::ServerFrame);
    let mut run = Run {
        merging: Merging { others: followed, counting, moments: Vec::new(), added: Vec::new() },
        frames: Frames::default(),
        unsaid: Unsaid::new(surveys, &vec![0; inputs.len()]),
        decoder: Decoder::default(),
    };
    let mut w = ByteWriter::default();
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        if let Some(world) = quake2(&world) {
            run.frames.before(world);
        }
        world.apply(&any);
        w.clear();
        if let Chunk::Dm2(frame::Chunk::Block(block)) = &any {
            run.block(block, bytes.len(), &world, &mut w)?;
            run.merging.counting.block(&any, world.clock(), !w.is_empty() && w.as_slice() != bytes);
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        run.merging.counting.done.account.bytes_written += written.len() as u64;
        out.write_all(written)?;
    }
    out.flush()?;
    Ok((out, run.merging.counting.finish()?))
}
