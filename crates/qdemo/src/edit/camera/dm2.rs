//! Quake II: place, angles and field of view of the recorder's state; and the recorder's player a second time.

use super::{Film, Pose, Shooting, Step};
use crate::demo::Chunk;
use crate::edit::frames::{Frames, RetoldFrame};
use crate::error::Result;
use crate::format::dm2::{Dm2, Recording};
use crate::frame;
use crate::game::quake2::{FullFrame, World as Quake2World};
use crate::replay::World;

#[derive(Default)]
pub(super) struct Quake2 {
    frames: Frames,
}

fn quake2(world: &World) -> Option<&Quake2World> {
    if let World::Dm2(world) = world { Some(world) } else { None }
}

/// Says whether there is a camera to move.
fn check(world: &Quake2World) -> Result<()> {
    match world.dialect().recording {
        Recording::Client => Ok(()),
        Recording::TestRelease => {
            Err(super::refused("a recording of the test release has no camera: its frames are told another way"))
        }
        _ => Err(super::refused(
            "a recording of a server or of several players has no view of its own, so there is no camera to move",
        )),
    }
}

impl Shooting for Quake2 {
    fn shows(&self, world: &World) -> bool {
        use crate::world::Scene;
        quake2(world).is_some_and(|world| world.changes().frame && world.complete_frame().is_some())
    }

    fn before(&mut self, world: &World) {
        if let Some(world) = quake2(world) {
            self.frames.before(world);
        }
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Dm2(frame::Chunk::Block(block)), Some(world)) = (step.chunk, quake2(step.world)) else {
            return film.block(step.bytes, None);
        };
        let mut body = None;
        let show = |now: &FullFrame| {
            let Some(view) = step.view else { return Ok(None) };
            check(world)?;
            let Pose { place, angles, fov } = view.pose;
            let (frame, has_body) = now.seen_from(world, place, angles, fov);
            body = Some(has_body);
            Ok(Some(frame))
        };
        // A camera adds no more than a body.
        match self.frames.block(block, world, show, |_| Ok(true))? {
            RetoldFrame::Same | RetoldFrame::TooLarge(_) => film.block(step.bytes, None),
            RetoldFrame::Faulty => {
                film.account
                    .remark("blocks in which something cannot be read are as they were, with the recorded view");
                film.block(step.bytes, None)
            }
            RetoldFrame::New(packet, dialect) => {
                if let Some(has_body) = body {
                    let account = &mut film.account;
                    *(if has_body { &mut account.recorder_shown } else { &mut account.recorder_missing }) += 1;
                }
                film.packet::<Dm2>(step, &packet, dialect)
            }
        }
    }
}
