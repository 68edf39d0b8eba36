//! A frame for those who look from elsewhere than the recorder.

use super::frames::{FullFrame, InView};
use super::states::PMF_NO_PREDICTION;
use super::{EntityState, World};
use crate::wire::F32;
use crate::world::Scene;

/// The recorder's eyes are under water (`RDF_UNDERWATER`).
const UNDER_WATER: u8 = 1;
/// Entities that every engine has room for (`MAX_EDICTS`), with the world as number 0.
const ROOM: u16 = 1024;
/// Steps of an angle of a player to a turn.
const STEPS: f32 = 65536.0;

impl FullFrame {
    /// The frame seen from a place, in units, with pitch, yaw and roll in degrees and a field of view. The recorder's player
    /// is in it a second time, under a number of its own, as engines do not draw the one whose number is the recorder's
    /// (`CL_AddPacketEntities`). False where the recording does not show what he looks like.
    pub(crate) fn seen_from(
        &self,
        world: &World,
        place: [f32; 3],
        angles: [f32; 3],
        fov: Option<f32>,
    ) -> (FullFrame, bool) {
        let mut frame = self.clone();
        frame.areas.fill(0xFF);
        if let Some((_, state)) = frame.players.iter_mut().find(|(client, _)| client.is_none()) {
            let none = [F32::default(); 3];
            // Eighths of a unit, which every protocol can tell.
            state.origin = place.map(|v| F32::from((v * 8.0).round() / 8.0));
            state.viewangles = angles.map(|v| {
                let turn = (v + 180.0).rem_euclid(360.0) - 180.0;
                F32::from((turn * (STEPS / 360.0)).round().min(STEPS / 2.0 - 1.0) * (360.0 / STEPS))
            });
            (state.velocity, state.kick_angles) = (none, none);
            (state.eyes.offset, state.eyes.height) = (none, 0);
            state.pm_flags |= PMF_NO_PREDICTION;
            (state.guns.index, state.guns.index2) = (0, 0);
            (state.screen.blend, state.screen.damage) = ([0; 4], [0; 4]);
            state.rdflags &= !UNDER_WATER;
            if let Some(fov) = fov {
                state.fov = fov.round() as u8;
            }
        }
        let own = world.recorder().and_then(|slot| u16::try_from(slot + 1).ok());
        let body = own.and_then(|own| self.entity(own)).filter(|body| body.modelindex != 0);
        let number =
            (1..ROOM).rev().find(|n| self.entity(*n).is_none() && *world.baselines().get(*n) == EntityState::ZERO);
        let (Some(body), Some(number)) = (body, number) else { return (frame, false) };
        let at = frame.entities.partition_point(|entity| entity.number < number);
        // What it does is heard of the other one.
        frame.entities.insert(at, InView { number, state: EntityState { event: 0, ..*body } });
        (frame, true)
    }
}
