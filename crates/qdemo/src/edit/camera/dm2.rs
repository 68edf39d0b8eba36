//! Quake II: place, angles and field of view of the recorder's state; and the recorder's player a second time.

use super::{Film, Pose, Shooting, Step};
use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dm2::{Decoder, Dm2, Message, Recording};
use crate::frame;
use crate::game::quake2::{FullFrame, World as Quake2World};
use crate::replay::World;

/// Frames that later ones may build on.
const RING: usize = 64;

#[derive(Default)]
pub(super) struct Quake2 {
    /// Frames that are others in the output: the last ones.
    changed: Vec<FullFrame>,
    /// How the block at hand is read.
    decoder: Option<Decoder>,
}

impl Quake2 {
    fn told(&self, number: i32) -> Option<&FullFrame> {
        self.changed.iter().rev().find(|frame| frame.number() == number)
    }

    fn keep(&mut self, frame: FullFrame) {
        if self.changed.len() >= RING {
            self.changed.remove(0);
        }
        self.changed.push(frame);
    }
}

fn quake2(world: &World) -> Option<&Quake2World> {
    if let World::Dm2(world) = world { Some(world) } else { None }
}

impl Shooting for Quake2 {
    fn shows(&self, world: &World) -> bool {
        use crate::world::Scene;
        quake2(world).is_some_and(|world| world.changes().frame && world.complete_frame().is_some())
    }

    fn before(&mut self, world: &World) {
        self.decoder = quake2(world).and_then(Quake2World::decoder).cloned();
    }

    fn step(&mut self, step: &Step<'_>, film: &mut Film<'_>) -> Result<()> {
        let (Chunk::Dm2(frame::Chunk::Block(block)), Some(world)) = (step.chunk, quake2(step.world)) else {
            return film.block(step.bytes, None);
        };
        if step.world_begins_level() {
            self.changed.clear();
        }
        let Some(now) = world.complete_frame().filter(|_| self.shows(step.world)) else {
            return film.block(step.bytes, None);
        };
        if step.view.is_some() && matches!(world.dialect().recording, Recording::TestRelease) {
            return Err(super::refused(
                "a recording of the test release has no camera: its frames are told another way",
            ));
        }
        if step.view.is_some() && !matches!(world.dialect().recording, Recording::Client) {
            return Err(super::refused(
                "a recording of a server or of several players has no view of its own, so there is no camera to move",
            ));
        }
        let mut decoder = self.decoder.take().unwrap_or_default();
        let base = now.delta().and_then(|number| self.told(number));
        if step.view.is_none() && base.is_none() {
            return film.block(step.bytes, None);
        }
        let (mut packet, fault) = decoder.read(block);
        let frames = packet.messages.iter().filter(|message| matches!(message, Message::Frame(_))).count();
        if fault.is_some() || frames != 1 {
            film.account.remark("blocks in which something cannot be read are as they were, with the recorded view");
            return film.block(step.bytes, None);
        }
        let shown = match step.view {
            Some(view) => {
                let Pose { place, angles, fov } = view.pose;
                let (frame, has_body) = now.seen_from(world, place, angles, fov);
                *(if has_body { &mut film.account.recorder_shown } else { &mut film.account.recorder_missing }) += 1;
                Some(frame)
            }
            None => None,
        };
        let from = base.or_else(|| now.delta().and_then(|number| world.earlier(number)));
        let told = world.frame_from(from, shown.as_ref().unwrap_or(now))?;
        Quake2World::replace_frame(&mut packet.messages, told);
        if let Some(frame) = shown {
            self.keep(frame);
        }
        film.packet::<Dm2>(step, &packet, decoder.before())
    }
}
