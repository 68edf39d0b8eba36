//! Quake III: entities of other snapshots of the same server time.

use std::io::Write;

use super::account::{Aligned, Counting, MergeAccount};
use super::follow::{Follower, Glimpse, Watch, others};
use super::said::Unsaid;
use super::survey::{LevelId, Survey, level_of, time_of};
use super::{Input, open};
use crate::demo::Chunk;
use crate::edit::commands::Commands;
use crate::edit::snapshots::{Instead, MOST_ENTITIES, Retold, Snapshots, packet_of};
use crate::error::Result;
use crate::format::dm3::{AreaMask, Message};
use crate::frame;
use crate::game::quake3::{EntityState, EventsTold, FullSnapshot, World as Quake3World};
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene;

/// What a snapshot of another recording shows.
struct Seen {
    /// By number, with the player through whose eyes it looks.
    entities: Vec<(u16, EntityState)>,
    areas: AreaMask,
}

/// Reads another recording.
struct Watching {
    world: World,
    events: Option<EventsTold>,
}

fn quake3(world: &World) -> Option<&Quake3World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

impl Watch for Watching {
    type View = Seen;

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<Glimpse<Seen>> {
        self.world.apply(chunk);
        let world = quake3(&self.world)?;
        let now = world.complete_snapshot().filter(|_| world.changes().frame)?;
        let mut entities: Vec<_> = now.entities().map(|(number, state)| (number, *state)).collect();
        entities.sort_unstable_by_key(|(number, _)| *number);
        if let Some((number, state)) = world.seen_entity(&now, &mut self.events) {
            if let Err(at) = entities.binary_search_by_key(&number, |(number, _)| *number) {
                entities.insert(at, (number, state));
            }
        }
        let view = Seen { entities, areas: now.areas() };
        Some(Glimpse { level: level_of(&self.world)?, at: now.server_time().into(), view })
    }
}

struct Merging<'a> {
    others: Vec<Follower<'a, Watching>>,
    counting: Counting,
    fault: Option<crate::error::Error>,
}

impl Merging<'_> {
    /// What a snapshot shows with what the others saw.
    fn show(&mut self, now: &FullSnapshot<'_>, world: &Quake3World, level: &LevelId) -> Option<Instead> {
        let time = now.server_time();
        let own = u16::try_from(world.seen().unwrap_or(usize::MAX)).unwrap_or(u16::MAX);
        let mut instead = Instead::as_recorded(now);
        let mut room = MOST_ENTITIES.saturating_sub(now.entities().count());
        for (nth, other) in (1..).zip(&mut self.others) {
            let glimpse = match other.at(level, time.into()) {
                Ok(glimpse) => glimpse,
                Err(fault) => {
                    self.fault.get_or_insert(fault);
                    return None;
                }
            };
            self.counting.frame(nth, glimpse.map(|(_, same)| same));
            let Some((Glimpse { view, .. }, same)) = glimpse else { continue };
            instead.areas = both(&instead.areas, &view.areas);
            for (number, state) in &view.entities {
                match now.entity(*number) {
                    Some(known) if same => {
                        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0);
                        self.counting.both(nth, near(known.origin(time), state.origin(time)));
                    }
                    Some(_) => {}
                    None if *number == own || instead.has(*number) => {}
                    None if room == 0 => self.counting.done.no_room += 1,
                    None => {
                        room -= 1;
                        instead.set(*number, Some(*state));
                        self.counting.add(nth, world.level_number().saturating_sub(1), *number);
                    }
                }
            }
        }
        let adds = !instead.entities.is_empty() || instead.areas != now.areas();
        adds.then_some(instead)
    }
}

/// The areas that neither of two masks lets see: each bit that is set hides one.
fn both(a: &AreaMask, b: &AreaMask) -> AreaMask {
    let b = b.bytes();
    // What a mask does not tell of is hidden.
    let hides: Vec<_> = a.bytes().iter().enumerate().map(|(n, a)| a & b.get(n).unwrap_or(&0xFF)).collect();
    AreaMask::new(&hides).unwrap_or(*a)
}

pub(super) fn merge<W: Write>(
    inputs: &[Input<'_>],
    surveys: &[Survey],
    limits: Limits,
    mut out: W,
) -> Result<(W, MergeAccount)> {
    let [first, ..] = inputs else { return Err(super::refused("there is no recording to merge")) };
    let mut reader = open(first, limits)?;
    let mut world = World::of(reader.detected(), first.name)?;
    let followed = others(inputs, surveys, limits, || Watching { world: world.clone(), events: None })?;
    let counting = Counting::new(inputs, Aligned::ServerTime);
    let mut unsaid = Unsaid::new(surveys, &vec![0; inputs.len()]);
    let mut merging = Merging { others: followed, counting, fault: None };
    let (mut snapshots, mut commands, mut w) = (Snapshots::default(), Commands::default(), ByteWriter::default());
    while let Some((any, bytes)) = reader.next_with_bytes()? {
        world.apply(&any);
        w.clear();
        if let (Chunk::Dm3(frame::Chunk::Block(block)), Some(game)) = (&any, quake3(&world)) {
            let level = level_of(&world).unwrap_or_default();
            let retold = snapshots.block(block, game, |now| merging.show(now, game, &level));
            if let Some(fault) = merging.fault.take() {
                return Err(fault);
            }
            let at = time_of(&world);
            let is_due = game.changes().frame && unsaid.is_due(&level, at);
            let (mut packet, mut is_new) = match retold {
                Retold::New(packet, _) => (Some(packet), true),
                Retold::OutOfOrder => {
                    merging.counting.remark("snapshots whose entities are not in order are as they were");
                    (None, false)
                }
                Retold::Same => (None, false),
            };
            if packet.is_none() && !block.is_cut() && (is_due || tells_numbers(game)) {
                packet = packet_of(block, game, None);
            }
            if let Some(packet) = &mut packet {
                is_new |= commands.renumber(&mut packet.messages);
                while let Some((nth, said)) = is_due.then(|| unsaid.take(&level, at)).flatten() {
                    is_new |= commands.put_in(&mut packet.messages, said.text);
                    merging.counting.said(nth);
                }
                if is_new {
                    packet.write(&mut game.dialect(), &mut w)?;
                }
            }
            if let Some(packet) = packet {
                snapshots.recycle(packet);
            }
            merging.counting.block(&any, world.clock(), !w.is_empty() && w.as_slice() != bytes);
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        merging.counting.done.account.bytes_written += written.len() as u64;
        out.write_all(written)?;
    }
    out.flush()?;
    Ok((out, merging.counting.finish()?))
}

/// True for a packet that tells numbers of server commands.
fn tells_numbers(world: &Quake3World) -> bool {
    world.messages().iter().any(|message| matches!(message, Message::ServerCommand(_) | Message::Gamestate(_)))
}
