//! The world of Quake II: what one client saw, or a server, or Relay.
//!
//! * A frame tells what changed since an earlier one, by the number of that; the last 16 are kept (64 in KMQuake2). When
//!   the earlier one was not recorded, nothing is said of entities and players until a frame that has what it builds on.
//! * Servers and the test release tell every frame in full.
//! * Events live for one frame. Where nothing else is told, an entity was in the frame before where it was then.
//! * Ten frames a second; in Q2PRO's extended demos and the re-release the server may tell another number.
//! * In the re-release several players may sit at one screen: the first is the recorder, the others are clients like
//!   those of Relay.
//! * A level begins with `serverdata`, which forgets everything.
//!
//! Sources: the unofficial DM2 format description 1.0.4; id Software's Quake II 3.21, KMQuake2 and Q2PRO for what it
//! leaves open; for the re-release what its publisher says of its protocol.

mod apply;
mod assume;
mod bridge;
mod carried;
mod client;
mod frames;
pub(super) mod json;
mod keyframe;
pub(super) mod scene;
pub(super) mod states;
mod tables;
mod viewpoint;

use std::sync::Arc;

pub(super) use apply::is_center;
pub(super) use carried::item_word;
pub(super) use frames::diff_entity;
pub use frames::{FullFrame, InView, diff_entities, diff_test_entities};
pub(crate) use json::Own;
pub use states::{
    Baselines, Effects, Eighths, EntityState, Eyes, Fog, FogDensity, GunView, Guns, LoopSound, PlayerState, Screen,
};
pub use tables::{Configstrings, Personal, Score};

use crate::format::dm2::{Dialect, Dm2, EntityMaskKind, Fog as LevelFog, FogChange};
use crate::format::{Decoder, Owned};
use crate::game::quake2::world::carried::ArmorSeen;
use crate::game::quake2::world::frames::Ring;
use crate::game::quake2::world::tables::PersonalTables;
use crate::world::{Changes, DemoClock, DemoTime, LevelCount};

/// The world of a Quake II recording.
#[derive(Debug, Clone)]
pub struct World {
    dialect: Dialect,
    decoder: Owned<Dm2>,
    /// The world in front of a block that may have to be read once more.
    before: Option<Box<World>>,
    pub(super) levels: LevelCount,
    pub(super) facts: Arc<Facts>,
    strings: Arc<Configstrings>,
    baselines: Arc<Baselines>,
    told: Arc<PersonalTables>,
    armors: ArmorSeen,
    ring: Ring,
    /// Number of the last frame that began, complete or not.
    frame: Option<i32>,
    /// False while the last frame could not be made complete.
    pub(super) complete: bool,
    pub(super) missing: u64,
    /// Frames a second, when the server tells.
    rate: Option<u16>,
    /// One more than the highest slot of a player so far. It stays when that one goes, for those who remember players.
    slots: usize,
    /// For whom of several players at one screen texts are; `None`: the first.
    spoken_to: Option<u8>,
    clock: DemoClock,
    pub(super) changes: Changes,
    /// What players and entities do is left out.
    texts_only: bool,
}

/// What `serverdata` tells of a level, and what changes as seldom.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) key: i32,
    pub(super) isdemo: u8,
    pub(super) gamedir: Vec<u8>,
    pub(super) client: Option<u8>,
    /// Slots of all players at one screen, where there are several.
    pub(super) split: Vec<Option<u8>>,
    pub(super) title: Vec<u8>,
    pub(super) fog: Option<LevelFog>,
    /// All that changes of fog add up to.
    pub(super) fog_change: Option<FogChange>,
}

impl Default for World {
    fn default() -> Self {
        World {
            dialect: Dialect::QUAKE2,
            decoder: Owned::new(Dialect::QUAKE2),
            before: None,
            levels: LevelCount::default(),
            facts: Arc::default(),
            strings: Arc::default(),
            baselines: Arc::default(),
            told: Arc::default(),
            armors: ArmorSeen::default(),
            ring: Ring::default(),
            frame: None,
            complete: true,
            missing: 0,
            rate: None,
            slots: 0,
            spoken_to: None,
            clock: DemoClock::default(),
            changes: Changes::default(),
            texts_only: false,
        }
    }
}

impl World {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder<Dm2>) -> Self {
        World { decoder: Owned::of(decoder), ..self }
    }

    /// Highest number of players.
    pub(super) const MAX_PLAYERS: usize = 256;
    /// Frames a second, unless the server tells another number.
    const RATE: u16 = 10;
    /// The setting with the number of frames a second.
    const FRAMES_A_SECOND: i32 = 1;

    /// What reads the blocks: a copy can read the next one.
    pub(crate) fn decoder(&self) -> Option<&Decoder<Dm2>> {
        self.decoder.get()
    }

    /// The number by which the server tells this level from others.
    pub(crate) fn age(&self) -> i32 {
        self.facts.key
    }

    /// From here on what players and entities do is left out: see [`World::only_texts`](crate::replay::World::only_texts).
    pub(crate) fn only_texts(&mut self) {
        self.texts_only = true;
    }

    /// The dialect of the recording.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The last complete frame; `None` before the first one of a level.
    pub fn frame(&self) -> Option<&FullFrame> {
        self.ring.now()
    }

    /// An earlier frame, while it is kept: later ones may build on it.
    pub fn earlier(&self, number: i32) -> Option<&FullFrame> {
        self.ring.get(number)
    }

    /// An entity with all its fields, while it is in view.
    pub fn entity_state(&self, number: u16) -> Option<&EntityState> {
        self.frame().filter(|_| self.complete)?.entity(number)
    }

    /// The state of the player who is seen; `None` in recordings of servers and Relay, and before the first frame.
    pub fn player_state(&self) -> Option<&PlayerState> {
        self.frame().filter(|_| self.complete)?.player(None)
    }

    /// The state that a client was told of, in recordings of all clients.
    pub fn client_state(&self, client: u8) -> Option<&PlayerState> {
        self.frame().filter(|_| self.complete)?.player(Some(client))
    }

    /// The state behind each status bar that is told, with the slot of the player whose numbers it shows.
    pub(crate) fn status_bars(&self) -> impl Iterator<Item = (usize, &PlayerState)> + '_ {
        let all = self.frame().filter(|_| self.complete).into_iter().flat_map(|frame| &frame.players);
        all.filter_map(|(client, state)| match client {
            None => self.seen().map(|slot| (slot, state)),
            Some(slot) => Some((usize::from(*slot), state)).filter(|_| !self.watches(state)),
        })
    }

    /// The configstrings.
    pub fn configstrings(&self) -> &Configstrings {
        &self.strings
    }

    /// The baselines of the level.
    pub fn baselines(&self) -> &Baselines {
        &self.baselines
    }

    /// Layout and inventory as they were last told: to the recorder (`None`), or in recordings of all clients to one.
    pub fn personal(&self, client: Option<u8>) -> Option<&Personal> {
        self.told.get(client)
    }

    /// The same of all, in the order in which they were first told something.
    pub(super) fn all_personal(&self) -> &[Personal] {
        self.told.all()
    }

    /// The line of a player on the score board, as it was last told.
    pub fn score(&self, slot: usize) -> Option<Score> {
        self.told.score(slot)
    }

    /// Frames so far of which what they build on was not recorded.
    pub fn missing_bases(&self) -> u64 {
        self.missing
    }

    /// Frames a second, when the server tells; otherwise there are ten.
    pub fn frame_rate(&self) -> Option<u16> {
        self.rate
    }

    /// The mark of `serverdata`: 0 live, 1 client, 2 server, 128 Relay.
    pub fn isdemo(&self) -> u8 {
        self.facts.isdemo
    }

    /// Game directory; empty for baseq2.
    pub fn gamedir(&self) -> &[u8] {
        &self.facts.gamedir
    }

    /// Entity numbers of the protocol.
    pub(super) fn entity_limit(&self) -> u16 {
        match self.dialect.layout.entity_mask {
            EntityMaskKind::Standard => 1024,
            EntityMaskKind::Extended | EntityMaskKind::KmQuake2 | EntityMaskKind::Rerelease => 8192,
        }
    }

    /// Frames that clients of the protocol keep.
    fn ring_size(&self) -> usize {
        match self.dialect.layout.entity_mask {
            // How many the client of the re-release keeps is not public: more than it has do no harm.
            EntityMaskKind::KmQuake2 | EntityMaskKind::Rerelease => 64,
            EntityMaskKind::Standard | EntityMaskKind::Extended => 16,
        }
    }

    /// A level begins: everything before it is forgotten.
    pub(super) fn begin(&mut self, dialect: Dialect, facts: Facts) {
        self.levels.begin();
        self.changes.level = true;
        if let Some(last) = self.ring.now() {
            self.changes.removed.extend(last.entities().iter().map(|e| e.number));
        }
        self.dialect = dialect;
        self.facts = Arc::new(facts);
        Arc::make_mut(&mut self.strings).clear();
        Arc::make_mut(&mut self.baselines).clear();
        Arc::make_mut(&mut self.told).clear();
        self.armors.clear();
        self.ring.begin(1);
        self.frame = None;
        self.complete = true;
        self.rate = None;
        self.spoken_to = None;
        self.clock.restart();
    }

    /// Changes the last frame where it is; the first of a level is empty.
    pub(super) fn amend_frame(&mut self, change: impl FnOnce(&mut FullFrame)) {
        self.ring.amend(change);
    }

    /// All that changes the last frame has been told, at that time; `note` says what that is.
    pub(super) fn frame_is_told(&mut self, now: DemoTime, note: impl FnOnce(&FullFrame, &mut Changes)) {
        if let Some(frame) = self.ring.now() {
            note(frame, &mut self.changes);
        }
        self.count_slots();
        self.complete = true;
        self.changes.frame = true;
        self.see_armor(now);
    }

    /// Microseconds of the server's clock at a frame.
    fn micros(&self, number: i32) -> i64 {
        match self.rate {
            None => i64::from(number) * 100_000,
            Some(rate) => i64::from(number) * 1_000_000 / i64::from(rate),
        }
    }

    /// A frame may tell of players whose names nobody told.
    fn count_slots(&mut self) {
        let clients = self.ring.now().into_iter().flat_map(|frame| &frame.players).filter_map(|(client, _)| *client);
        self.slots = clients.map(|client| usize::from(client) + 1).fold(self.slots, usize::max);
    }
}
