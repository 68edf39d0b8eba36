//! Recordings of all players, as the client of one of them is told.

use super::World;
use super::frames::{FullFrame, InView, diff_baseline};
use super::keyframe::{FrameTold, Messages};
use super::states::{EntityState, Eyes, PlayerState};
use crate::format::dem::StuffText;
use crate::format::dm2::{ClientSlots, ConfigString, Dialect, Message, ServerData};
use crate::wire::{F32, Fault, Str};

impl World {
    /// What a level begins with for the client in a slot, in a dialect of clients.
    pub(crate) fn level_of(&self, slot: u8, d: &Dialect) -> Messages {
        let facts = &self.facts;
        let mut told = vec![Message::ServerData(ServerData {
            serverversion: d.protocol,
            key: facts.key,
            isdemo: 1,
            tickrate: None,
            game: Str::from(facts.gamedir.clone()),
            client: ClientSlots::one(slot.into()),
            mapname: Str::from(facts.title.clone()),
        })];
        let strings = self.strings.iter().filter_map(|(index, text)| Some((u16::try_from(index).ok()?, text)));
        told.extend(
            strings
                .map(|(index, text)| Message::ConfigString(ConfigString { index, string: Str::from(text.to_vec()) })),
        );
        told.extend(
            self.baselines.iter().map(|(number, state)| Message::SpawnBaseline(diff_baseline(number, state, d))),
        );
        told.push(Message::StuffText(StuffText { text: Str::from("precache\n") }));
        told
    }

    /// The frame with a number that the client in a slot sees, where this one is complete: everything, wherever it is, and
    /// the player's own state; `last` where the player is not there.
    pub(crate) fn frame_of(&self, slot: u8, number: i32, last: &PlayerState) -> Option<FullFrame> {
        /// Bytes of a bit for each area of a map.
        const AREAS: usize = 32;
        let frame = self.frame().filter(|_| self.complete)?;
        let body = || frame.entity(u16::from(slot) + 1).map(seen_by_itself);
        let player = frame.player(Some(slot)).copied().or_else(body).unwrap_or(*last);
        let plain = |entity: &InView| InView { number: entity.number, state: entity.state };
        Some(FullFrame {
            number,
            delta: None,
            suppress: 0,
            areas: vec![0xFF; AREAS],
            connected: Vec::new(),
            entities: frame.entities.iter().map(plain).collect(),
            players: vec![(None, player)],
        })
    }

    /// True where the recording tells the state of a player.
    pub(crate) fn tells_state(&self, slot: u8) -> bool {
        self.client_state(slot).is_some()
    }

    /// What tells a frame to those who see this world.
    ///
    /// # Errors
    /// What the dialect cannot write.
    pub(crate) fn frame_after(&self, frame: &FullFrame) -> Result<Messages, Fault> {
        FrameTold { world: self, frame, from: self.frame().filter(|_| self.complete) }.messages()
    }
}

/// The state of a player whose entity is all that is known: models bend by a third of the view.
fn seen_by_itself(body: &EntityState) -> PlayerState {
    const EYES: f32 = 22.0;
    const FIELD_OF_VIEW: u8 = 90;
    let [pitch, yaw, roll] = body.angles.map(F32::get);
    let pitch = (pitch + 180.0).rem_euclid(360.0) - 180.0;
    PlayerState {
        origin: body.origin,
        viewangles: [pitch * 3.0, yaw, roll].map(F32::from),
        eyes: Eyes { offset: [0.0, 0.0, EYES].map(F32::from), ..PlayerState::ZERO.eyes },
        fov: FIELD_OF_VIEW,
        ..PlayerState::ZERO
    }
}
