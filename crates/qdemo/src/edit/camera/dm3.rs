//! Quake III: the state of the player who is seen becomes that of a camera, and the player an entity.

use super::{Film, Shooting, Step};
use crate::demo::Chunk;
use crate::edit::snapshots::{Instead, Retold, Snapshots};
use crate::error::Result;
use crate::format::dm3::{Dm3, Message};
use crate::frame;
use crate::game::quake3::{EventsTold, FullSnapshot, Viewpoint, World as Quake3World, all_areas};
use crate::replay::World;

#[derive(Default)]
pub(super) struct Quake3 {
    snapshots: Snapshots,
    events: Option<EventsTold>,
    jumped: bool,
}

/// What a snapshot of a shot shows.
fn shot(
    now: &FullSnapshot<'_>,
    step: &Step<'_>,
    world: &Quake3World,
    (events, jumped): (&mut Option<EventsTold>, &mut bool),
    film: &mut Film<'_>,
) -> Option<Instead> {
    let Some(view) = step.view else {
        *events = None;
        return None;
    };
    let Some(slot) = world.free_slot() else {
        film.account.remark("all 64 slots have players: there is none for a camera, and the view is the recorded one");
        return None;
    };
    *jumped ^= view.cut;
    if view.pose.fov.is_some() && !world.has_fov() {
        film.account.remark(super::NO_FOV);
    }
    let super::Pose { place, angles, fov } = view.pose;
    let player = world.seen_from(now, &Viewpoint { place, angles, fov, slot, jumped: *jumped });
    let seen = world.seen_entity(now, events).filter(|(number, _)| now.entity(*number).is_none());
    film.account.recorder_shown += u64::from(seen.is_some());
    let entities = seen.into_iter().map(|(number, state)| (number, Some(state))).collect();
    // The mask is that of the recorder's place.
    Some(Instead { player, areas: all_areas(&now.areas()), entities })
}

fn quake3(world: &World) -> Option<&Quake3World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

impl Shooting for Quake3 {
    fn shows(&self, world: &World) -> bool {
        use crate::world::Scene;
        quake3(world).is_some_and(|world| world.changes().frame && world.complete_snapshot().is_some())
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Dm3(frame::Chunk::Block(block)), Some(world)) = (step.chunk, quake3(step.world)) else {
            return film.block(step.bytes, None);
        };
        if world.messages().iter().any(|m| matches!(m, Message::Gamestate(_))) {
            self.events = None;
        }
        let state = (&mut self.events, &mut self.jumped);
        match self.snapshots.block(block, world, |now| Ok(shot(now, step, world, state, film)))? {
            Retold::Same => film.block(step.bytes, None),
            Retold::OutOfOrder => {
                film.account
                    .remark("snapshots whose entities are not in order are as they were, with the recorded view");
                film.block(step.bytes, None)
            }
            Retold::New(packet, dialect) => {
                film.packet::<Dm3>(step, &packet, dialect)?;
                self.snapshots.recycle(packet);
                Ok(())
            }
        }
    }
}
