//! The world of QuakeWorld, as one client saw it (`.qwd`) or as a server recorded it of all (`.mvd`).
//!
//! Sources: the unofficial QWD format description 1.0.5; id Software's QuakeWorld, ezQuake and MVDSV for the rules of
//! state that it leaves open.

mod apply;
mod assume;
mod bridge;
mod entities;
mod json;
mod keyframe;
mod level;
mod players;
mod scene;
mod states;

use std::sync::Arc;

pub use crate::game::quake::AmbientSound;
pub(crate) use entities::diff_entities_among;
pub use entities::{Baselines, diff_entities};
pub(crate) use json::Own;
pub(crate) use keyframe::{sound_and_model_lists, stat as stat_message};
pub use level::{Intermission, Names};
pub(crate) use level::{ZEXT, zext};
pub(crate) use players::{GHOST, ghost, ghost_name, is_nobody};
pub use players::{Slot, Stats, stat};
pub(crate) use scene::FLAG_EFFECTS;
pub use states::{EntityState, Flags, Look, PlayerState};

use crate::error::Moment;
use crate::format::Owned;
use crate::format::mvd::{self, Mvd};
use crate::format::qwd::{self, Dialect, Nail, Qwd, UserCommand};
use crate::game::cloned_in_place;
use crate::game::quake::Game;
use crate::game::quakeworld::bits;
use crate::game::quakeworld::pause::Pause;
use crate::world::{Changes, DemoClock, DemoTime, LevelCount, microseconds};
use entities::Frames;
use level::LevelState;

cloned_in_place! {
    /// The world of a `.qwd` or an `.mvd`.
    ///
    /// In a `.qwd`, what is in view is what the last packet with entities told, and stats are those of the recorder. In an
    /// `.mvd`, it is what the last frame of the server told, and stats are there for every player.
    ///
    /// Demo time follows the recording's own clock. The clock of an `.mvd` stands still in a pause: see
    /// [`World::paused_ms`].
    #[derive(Debug)]
    pub struct World {
        multiview: bool,
        /// What players and entities do is left out.
        texts_only: bool,

        /// What reads packets, in a recording of a client.
        packets: Owned<Qwd>,
        /// What reads records, in one of a server.
        records: Owned<Mvd>,
        now: Option<Moment>,
        msec: i32,
        clock: DemoClock,
        /// For whom the messages are: a bit for each slot.
        to: u32,
        levels: LevelCount,
        level: Arc<LevelState>,
        recorder: Option<u8>,
        spectator: bool,
        slots: [Slot; World::SLOTS],
        /// Those in which somebody was, ever: a bit each.
        taken: u32,
        frames: Frames,
        /// Slots that were told of last: in the last frame, in an `.mvd` in the last record that tells of players.
        in_view: u32,
        /// Those told of so far, and those in view at the frame before.
        seen: u32,
        before: u32,
        /// Of those seen, the ones that changed.
        moved: u32,
        /// A list of entities came with this chunk.
        listed: bool,
        /// A list came with a record of this moment, which goes on: `.mvd`.
        pending: bool,
        /// This chunk is a packet of the game, or a record that tells of players.
        in_packet: bool,
        /// The number of the packet that the list builds on.
        base: Option<u8>,
        nails: Vec<Nail>,
        command: Option<UserCommand>,
        view_angles: Option<[f32; 3]>,
        paused: Pause,
        paused_ms: i64,
        sequence: u32,
        acknowledged: u32,
        /// Number of the next packet of the client.
        outgoing: u32,
        changes: Changes,
    }
}

impl World {
    /// The same, which reads packets with a decoder.
    #[must_use]
    pub(crate) fn reading_packets(self, decoder: qwd::Decoder) -> Self {
        World { packets: Owned::of(decoder), ..self }
    }

    /// The same, which reads records with a decoder.
    #[must_use]
    pub(crate) fn reading_records(self, decoder: mvd::Decoder) -> Self {
        World { records: Owned::of(decoder), ..self }
    }

    /// Slots that a server has.
    pub const SLOTS: usize = 32;
    /// [`World::movevars`] where the protocol does not tell them.
    pub(crate) const MOVEVARS: [f32; 10] = LevelState::MOVEVARS;

    /// The world before anything happened: in a recording of a client, or in a multi-view recording of a server.
    pub fn new(multiview: bool) -> Self {
        World {
            multiview,
            texts_only: false,
            packets: Owned::new(Dialect::QUAKEWORLD),
            records: Owned::new(Dialect::MULTIVIEW),
            now: None,
            msec: 0,
            clock: DemoClock::default(),
            to: u32::MAX,
            levels: LevelCount::default(),
            level: Arc::default(),
            recorder: None,
            spectator: false,
            slots: std::array::from_fn(|_| Slot::default()),
            taken: 0,
            frames: Frames::default(),
            in_view: 0,
            seen: 0,
            before: 0,
            moved: 0,
            listed: false,
            pending: false,
            in_packet: false,
            base: None,
            nails: Vec::new(),
            command: None,
            view_angles: None,
            paused: Pause::default(),
            paused_ms: 0,
            sequence: 0,
            acknowledged: 0,
            outgoing: 1,
            changes: Changes::default(),
        }
    }

    /// Those who have left the match, as KTX still lists them: name, and the slot of the score board.
    pub(crate) fn ghosts(&self) -> impl Iterator<Item = (&[u8], &Slot)> {
        self.slots.iter().filter_map(|slot| Some((ghost(slot.user, slot.name())?, slot)))
    }

    /// A slot of the score board, from 0 to 31.
    pub fn slot(&self, slot: usize) -> Option<&Slot> {
        self.slots.get(slot)
    }

    /// True for a player who was told of in the last frame.
    pub fn is_in_view(&self, slot: usize) -> bool {
        slot < Self::SLOTS && self.in_view >> slot & 1 == 1
    }

    /// Those players, a bit each.
    pub(crate) fn in_view(&self) -> u32 {
        self.in_view
    }

    /// Those of them whose place is known, a bit each.
    pub(crate) fn placed(&self) -> u32 {
        let is_placed = |slot: &usize| self.slots.get(*slot).is_some_and(Slot::is_placed);
        bits(self.in_view).filter(is_placed).fold(0, |slots, slot| slots | 1 << slot)
    }

    /// Slots whose [`ScoreLine`] the last chunk may have changed, a bit each, but for whether the player is in view.
    pub(crate) fn told_lines(&self) -> u32 {
        let Changes { level, board, pings, .. } = self.changes;
        if level { u32::MAX } else { board | pings }
    }

    /// The stats of a player: of the recorder in a `.qwd`, of everyone in an `.mvd`. Who only watches is sent those of the
    /// player whose eyes he looks through.
    pub fn stats(&self, slot: usize) -> Option<&Stats> {
        self.slots.get(slot)?.stats.as_ref()
    }

    /// The stats of one who plays; nothing of one who only watches: they are somebody else's, and a recording does not
    /// tell whose. Source: QuakeWorld's `SV_UpdateClientStats`, and its client's `ptrack`, which recordings leave out.
    pub(crate) fn own_stats(&self, slot: usize) -> Option<&Stats> {
        let watches = self.recorder.map(usize::from) == Some(slot) && self.spectator;
        self.slots.get(slot).filter(|it| !watches && !it.is_spectator())?.stats.as_ref()
    }

    /// The entities in view by number, without players.
    pub fn entity_states(&self) -> &[EntityState] {
        self.frames.entities()
    }

    /// The entity with a number, while it is in view. Players are no entities here: see [`Slot::state`].
    pub fn entity_state(&self, number: u16) -> Option<&EntityState> {
        self.frames.entity(number)
    }

    /// The base states that the server told.
    pub fn baselines(&self) -> &Baselines {
        &self.level.baselines
    }

    /// What a player's state in a `.qwd` is that nothing was told of: see [`PlayerState::usual`].
    pub fn usual_player(&self) -> PlayerState {
        PlayerState::usual(self.level.player_model)
    }

    /// Entities that never change.
    pub fn statics(&self) -> &[EntityState] {
        &self.level.statics
    }

    /// Sounds that never end.
    pub fn ambient_sounds(&self) -> &[AmbientSound] {
        &self.level.ambients
    }

    /// Nails in flight, as the last frame told.
    pub fn nails(&self) -> &[Nail] {
        &self.nails
    }

    /// Names of the models.
    pub fn models(&self) -> &Names {
        &self.level.models
    }

    /// Whose rules the bits of items follow.
    pub fn game(&self) -> Game {
        self.level.item_rules
    }

    /// True when the level has loaded a model.
    pub(crate) fn has_model(&self, name: &[u8]) -> bool {
        self.models().iter().any(|model| model == name)
    }

    /// Names of the sounds.
    pub fn sounds(&self) -> &Names {
        &self.level.sounds
    }

    /// The pattern of a light style, 0 to 63: a letter for each tenth of a second, `a` dark to `z` bright.
    pub fn lightstyle(&self, style: usize) -> Option<&[u8]> {
        self.level.lightstyles.get(style).map(|text| &**text)
    }

    /// The number by which the server tells this level from others.
    pub(crate) fn age(&self) -> i32 {
        self.level.age
    }

    /// From here on what players and entities do is left out: see [`World::only_texts`](crate::replay::World::only_texts).
    pub(crate) fn only_texts(&mut self) {
        self.texts_only = true;
    }

    /// The server's settings: `\hostname\...`.
    pub fn serverinfo(&self) -> &[u8] {
        &self.level.serverinfo
    }

    /// The words of the setting `mode`, with which KTX tells the kind of game.
    pub(crate) fn mode_words(&self) -> impl Iterator<Item = &[u8]> {
        level::mode_words(self.serverinfo())
    }

    /// True for a recording by the server, of all players.
    pub fn is_multiview(&self) -> bool {
        self.multiview
    }

    /// True for a game of teams, as its settings say.
    pub fn in_teams(&self) -> bool {
        let teamplay = crate::wire::info_value(self.serverinfo(), "teamplay");
        teamplay.is_some_and(|v| !matches!(v, b"" | b"0"))
    }

    /// gravity, stopspeed, maxspeed, spectatormaxspeed, accelerate, airaccelerate, wateraccelerate, friction,
    /// waterfriction, entgravity.
    pub fn movevars(&self) -> [f32; 10] {
        self.level.movevars
    }

    /// True when the recorder only watches.
    pub fn is_spectator(&self) -> bool {
        self.spectator
    }

    /// The last command of the recorder.
    pub fn command(&self) -> Option<&UserCommand> {
        self.command.as_ref()
    }

    /// Where the recorder looks: pitch, yaw and roll in degrees.
    pub(crate) fn view_angles(&self) -> Option<[f32; 3]> {
        self.view_angles
    }

    /// The extensions that the level announces.
    pub(crate) fn extensions(&self) -> &crate::format::dem::Extensions {
        &self.level.extensions
    }

    /// True when the last record of an `.mvd` is for the player in a slot, below 32, among others or alone.
    pub(crate) fn tells(&self, slot: u8) -> bool {
        self.to >> slot & 1 == 1
    }

    /// The music.
    pub(crate) fn cd_track(&self) -> Option<u8> {
        self.level.track
    }

    /// The nails in flight as a list tells them.
    pub(crate) fn nails_told(&self) -> impl Iterator<Item = qwd::Message<'static>> {
        self.nail_lists()
    }

    /// The camera at the end of the level.
    pub fn intermission(&self) -> Option<&Intermission> {
        self.level.intermission.as_ref()
    }

    /// Numbers of the last packet: the server's, and that of the last client packet it knows. 0 in an `.mvd`.
    pub fn sequence(&self) -> (u32, u32) {
        (self.sequence, self.acknowledged)
    }

    /// Number of the client's next packet, in a `.qwd`.
    pub(crate) fn outgoing(&self) -> u32 {
        self.outgoing
    }

    /// How long the game was paused so far in ms, where an `.mvd` tells. Its clock does not count that time.
    pub fn paused_ms(&self) -> i64 {
        self.paused_ms
    }

    /// Of a list of entities in the last chunk, the number of the packet that it builds on: `Some(None)` for a whole list.
    pub(crate) fn listed_base(&self) -> Option<Option<u8>> {
        self.listed.then_some(self.base)
    }

    /// True when the chunk at hand is a packet of the game: `.qwd`.
    pub(crate) fn in_packet(&self) -> bool {
        self.in_packet
    }

    /// The dialect of the messages that come next.
    pub fn dialect(&self) -> Dialect {
        let told = match self.multiview {
            true => self.records.get().map(mvd::Decoder::dialect),
            false => self.packets.get().map(qwd::Decoder::dialect),
        };
        told.unwrap_or(Dialect::QUAKEWORLD)
    }

    /// The demo time of something so many seconds ago.
    fn ago(&self, seconds: f32) -> Option<DemoTime> {
        seconds.is_finite().then(|| DemoTime(self.clock.now().0.saturating_sub(microseconds(seconds))))
    }
}
