//! Recordings of all players, as the client of one of them is told.

use super::World;
use super::frames::{FullFrame, InView, diff_baseline, diff_entity};
use super::keyframe::{FrameTold, Messages};
use super::states::{EntityState, Eyes, PlayerState};
use crate::describe::State;
use crate::format::dem::StuffText;
use crate::format::dm2::{ClientSlots, ConfigString, Dialect, Message, PlayerInfo, ServerData};
use crate::wire::{F32, Fault, Str};

impl World {
    /// What a level begins with for the client in a slot, in a dialect of clients.
    pub(crate) fn level_of(&self, slot: u8, d: &Dialect) -> Messages {
        let strings = self.strings.iter().filter_map(|(index, text)| Some((u16::try_from(index).ok()?, text.to_vec())));
        let baselines = self.baselines.iter().map(|(number, state)| (number, *state));
        self.level_with(Some(slot), strings, baselines, d)
    }

    /// The same, with configstrings and baselines as the dialect has them.
    pub(crate) fn level_with(
        &self,
        slot: Option<u8>,
        strings: impl IntoIterator<Item = (u16, Vec<u8>)>,
        baselines: impl IntoIterator<Item = (u16, EntityState)>,
        d: &Dialect,
    ) -> Messages {
        let facts = &self.facts;
        let rate = self.frame_rate().and_then(|rate| u8::try_from(rate).ok()).unwrap_or(d.frame_rate);
        let mut told = vec![Message::ServerData(ServerData {
            serverversion: d.protocol,
            key: facts.key,
            isdemo: 1,
            tickrate: Dialect::tells_screens(d.protocol).then_some(rate),
            game: Str::from(facts.gamedir.clone()),
            client: ClientSlots::one(slot.map_or(-1, i16::from)),
            mapname: Str::from(facts.title.clone()),
        })];
        told.extend(
            strings
                .into_iter()
                .map(|(index, text)| Message::ConfigString(ConfigString { index, string: Str::from(text) })),
        );
        let baseline = |(number, state)| Message::SpawnBaseline(diff_baseline(number, &state, d));
        told.extend(baselines.into_iter().map(baseline));
        told.push(Message::StuffText(StuffText { text: Str::from("precache\n") }));
        told
    }

    /// The slot of the recorder.
    pub(crate) fn recorder_slot(&self) -> Option<u8> {
        self.facts.client
    }

    /// The frame with a number that the client in a slot sees, where this one is complete: everything, wherever it is, and
    /// the player's own state; `last` where the player is not there.
    pub(crate) fn frame_of(&self, slot: u8, number: i32, last: &PlayerState) -> Option<FullFrame> {
        /// Bytes of a bit for each area of a map.
        const AREAS: usize = 32;
        let frame = self.complete_frame()?;
        let body = || frame.entity(u16::from(slot) + 1).map(seen_by_itself);
        let player = self.told_state(frame, slot).copied().or_else(body).unwrap_or(*last);
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
        self.frame().is_some_and(|frame| self.told_state(frame, slot).is_some())
    }

    /// True where the last frame shows a player, by a state or as an entity.
    pub(crate) fn shows(&self, slot: u8) -> bool {
        self.tells_state(slot) || self.frame().is_some_and(|frame| frame.entity(u16::from(slot) + 1).is_some())
    }

    /// The state of the player in a slot, where a frame tells it: with the slot, or as that of whoever recorded.
    fn told_state<'f>(&self, frame: &'f FullFrame, slot: u8) -> Option<&'f PlayerState> {
        let own = || frame.player(None).filter(|_| self.recorder_slot().is_none_or(|own| own == slot));
        frame.player(Some(slot)).or_else(own)
    }

    /// What tells a frame of this level to those who have seen another one, or none. `changed` are the entities that are
    /// others than in that one, in order, where that is known.
    ///
    /// # Errors
    /// What the dialect cannot write.
    pub(crate) fn frame_after(
        &self,
        from: Option<&FullFrame>,
        frame: &FullFrame,
        changed: Option<&[u16]>,
    ) -> Result<Messages, Fault> {
        FrameTold { world: self, frame, from, changed }.messages()
    }
}

impl FullFrame {
    /// The same frame with other entities, in order of numbers, and other areas in sight.
    pub(crate) fn showing(&self, entities: Vec<InView>, areas: Vec<u8>) -> FullFrame {
        FullFrame { entities, areas, ..self.clone() }
    }

    /// The entities, to be changed; their numbers stay.
    pub(crate) fn entities_mut(&mut self) -> &mut [InView] {
        &mut self.entities
    }

    /// The state of a player, to be changed: see [`FullFrame::player`].
    pub(crate) fn player_mut(&mut self, client: Option<u8>) -> Option<&mut PlayerState> {
        self.players.iter_mut().find(|(of, _)| *of == client).map(|(_, state)| state)
    }

    /// The same frame with another number, and what is in it as another protocol has it.
    pub(crate) fn told_as(&self, number: i32, entities: Vec<InView>, player: PlayerState) -> FullFrame {
        FullFrame {
            number,
            delta: None,
            suppress: self.suppress,
            areas: self.areas.clone(),
            connected: Vec::new(),
            entities,
            players: vec![(None, player)],
        }
    }
}

impl EntityState {
    /// What is left of the state in a dialect that tells it.
    pub(crate) fn as_told(&self, d: &Dialect) -> EntityState {
        let mut left = EntityState::ZERO;
        left.apply(&diff_entity(0, &EntityState::ZERO, self, d), d);
        left
    }
}

impl PlayerState {
    /// What is left of the state in a dialect that tells it.
    pub(crate) fn as_told(&self, d: &Dialect) -> PlayerState {
        let told: PlayerInfo = State::diff(&PlayerState::ZERO, self, d);
        let mut left = PlayerState::ZERO;
        left.apply(&told, d);
        left
    }
}

/// The state of a player whose entity is all that is known.
fn seen_by_itself(body: &EntityState) -> PlayerState {
    const EYES: f32 = 22.0;
    const FIELD_OF_VIEW: u8 = 90;
    PlayerState {
        origin: body.origin,
        viewangles: body.view_angles().map(F32::from),
        eyes: Eyes { offset: [0.0, 0.0, EYES].map(F32::from), ..PlayerState::ZERO.eyes },
        fov: FIELD_OF_VIEW,
        ..PlayerState::ZERO
    }
}
