//! Quake III: entities of other snapshots of the same server time.

use super::account::Aligned;
use super::follow::Watch;
use super::run::{Merge, Others, Shows};
use super::survey::time_of;
use crate::demo::Chunk;
use crate::edit::commands::Commands;
use crate::edit::snapshots::{Instead, MOST_ENTITIES, Retold, Snapshots, packet_of};
use crate::error::Result;
use crate::format::dm3::{AreaMask, Message};
use crate::frame;
use crate::game::quake3::{EntityState, EventsTold, FullSnapshot, World as Quake3World};
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene;

/// What a snapshot of another recording shows.
pub(super) struct Seen {
    /// By number, with the player through whose eyes it looks.
    entities: Vec<(u16, EntityState)>,
    areas: AreaMask,
}

/// Reads another recording.
pub(super) struct Watching {
    world: World,
    events: Option<EventsTold>,
}

fn quake3(world: &World) -> Option<&Quake3World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

impl Watch for Watching {
    type View = Seen;

    fn take(&mut self, chunk: &Chunk<'_>) -> Option<(i64, Seen)> {
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
        Some((now.server_time().into(), view))
    }

    fn world(&self) -> &World {
        &self.world
    }
}

/// What a snapshot shows with what the others saw; `added` gets the entities that it shows now, with the input.
fn show(
    now: &FullSnapshot<'_>,
    world: &Quake3World,
    others: &mut Others<'_, Watching>,
    added: &mut Vec<(usize, u16)>,
) -> Result<Option<Instead>> {
    let time = now.server_time();
    let own = u16::try_from(world.seen().unwrap_or(usize::MAX)).unwrap_or(u16::MAX);
    let mut instead = Instead::as_recorded(now);
    let mut room = MOST_ENTITIES.saturating_sub(now.entities().count());
    let (shown, counting) = others.at(time.into())?;
    for Shows { nth, view, same } in shown {
        instead.areas = both(&instead.areas, &view.areas);
        for (number, state) in &view.entities {
            match now.entity(*number) {
                Some(known) if same => {
                    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.0);
                    counting.both(nth, near(known.origin(time), state.origin(time)));
                }
                Some(_) => {}
                None if *number == own || instead.has(*number) => {}
                None if room == 0 => counting.done.no_room += 1,
                None => {
                    room -= 1;
                    instead.set(*number, Some(*state));
                    added.push((nth, *number));
                }
            }
        }
    }
    let adds = !instead.entities.is_empty() || instead.areas != now.areas();
    Ok(adds.then_some(instead))
}

/// The areas that neither of two masks lets see: each bit that is set hides one.
fn both(a: &AreaMask, b: &AreaMask) -> AreaMask {
    let b = b.bytes();
    // What a mask does not tell of is hidden.
    let hides: Vec<_> = a.bytes().iter().enumerate().map(|(n, a)| a & b.get(n).unwrap_or(&0xFF)).collect();
    AreaMask::new(&hides).unwrap_or(*a)
}

/// How a merge goes.
#[derive(Default)]
pub(super) struct Merging {
    snapshots: Snapshots,
    commands: Commands,
}

impl Merge for Merging {
    const ALIGNED: Aligned = Aligned::ServerTime;
    type Watch = Watching;

    fn watch(world: World) -> Watching {
        Watching { world, events: None }
    }

    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        _: usize,
        world: &World,
        others: &mut Others<'_, Watching>,
        w: &mut ByteWriter,
    ) -> Result<()> {
        let (Chunk::Dm3(frame::Chunk::Block(block)), Some(game)) = (chunk, quake3(world)) else { return Ok(()) };
        let mut added = Vec::new();
        let retold = self.snapshots.block(block, game, |now| show(now, game, others, &mut added))?;
        let (mut packet, mut is_new) = match retold {
            Retold::New(packet, _) => (Some(packet), true),
            Retold::OutOfOrder => {
                others.counting.remark("snapshots whose entities are not in order are as they were");
                added.clear();
                (None, false)
            }
            Retold::Same => (None, false),
        };
        for (nth, entity) in added {
            others.counting.add(nth, game.level().number, entity);
        }
        let at = time_of(world);
        let is_due = game.changes().frame && others.has_said(at);
        if packet.is_none() && !block.is_cut() && (is_due || tells_numbers(game)) {
            packet = packet_of(block, game, None);
        }
        let Some(mut packet) = packet else { return Ok(()) };
        is_new |= self.commands.renumber(&mut packet.messages);
        while let Some((nth, said)) = is_due.then(|| others.take_said(at)).flatten() {
            is_new |= self.commands.put_in(&mut packet.messages, said.text);
            others.counting.said(nth);
        }
        if is_new {
            packet.write(&mut game.dialect(), w)?;
        }
        self.snapshots.recycle(packet);
        Ok(())
    }
}

/// True for a packet that tells numbers of server commands.
fn tells_numbers(world: &Quake3World) -> bool {
    world.messages().iter().any(|message| matches!(message, Message::ServerCommand(_) | Message::Gamestate(_)))
}
