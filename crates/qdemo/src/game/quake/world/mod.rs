//! The world of Quake's `.dem`: what one client saw.
//!
//! * A frame is a block with a `time`. It tells every entity in view anew, as difference to its base state; there is no
//!   message that removes one. Blocks without a time, or with the time of the frame before, add to that frame.
//! * Health, ammunition and items are known of the recorder alone.
//! * A level begins with `serverinfo`, which forgets everything but the music.
//! * When bytes were lost before the level was told in full, base states may be missing: then no entity is shown until
//!   the next level. When they were lost within a frame, none until the next frame.
//!
//! Sources: the unofficial DEM format description 1.0.9; WinQuake and QuakeSpasm for what it leaves open.

mod apply;
mod bridge;
mod entities;
mod json;
mod keyframe;
mod level;
mod scene;
mod states;
mod stats;

use std::sync::Arc;

pub(super) use crate::game::quake::items::Game;
pub(crate) use apply::damage_to;
pub(crate) use bridge::Sight;
pub use entities::{Baselines, InView, diff_entities};
pub(crate) use json::Own;
pub use level::{Ending, EndingKind, Fog, Picture, Score};
pub use states::{AmbientSound, Client, EntityState};
pub use stats::Stats;

use crate::format::dem::{Decoder, Dem, Dialect};
use crate::format::{Format, Owned};
use crate::world::{Changes, DemoClock, LevelCount};
use entities::Visible;
use level::LevelState;

/// The world of a `.dem`.
#[derive(Debug, Clone)]
pub struct World {
    decoder: Owned<Dem>,
    state: State,
    visible: Visible,
    changes: Changes,
    /// What players and entities do is left out.
    texts_only: bool,
    /// The state in front of a block that may have to be read once more.
    before: Option<Box<State>>,
}

/// Everything but entities in view: small, so that a block can be taken back.
#[derive(Debug, Clone, Default)]
struct State {
    clock: DemoClock,
    /// What `time` told last in this level.
    time: Option<f32>,
    /// True after a `serverinfo` when nothing was lost of what it begins.
    whole_level: bool,
    /// False when a part of the frame was lost.
    whole_frame: bool,
    levels: LevelCount,
    level: Arc<LevelState>,
    stats: Stats,
    client: Option<Client>,
    recorder: Option<u8>,
    view_entity: Option<u16>,
    /// The recorder's view angles.
    camera: [f32; 3],
    paused: bool,
    signon: u8,
    /// The CD track that the head of the file asks for; -1 none.
    forced_track: i32,
    track: Option<i32>,
    /// The block at hand has a time.
    timed: bool,
    /// The block at hand goes on with the frame before.
    keep: bool,
    /// The block at hand begins a level.
    begins: bool,
}

impl Default for World {
    fn default() -> Self {
        World {
            decoder: Owned::new(Dem::first_dialect(None)),
            state: State::default(),
            visible: Visible::default(),
            changes: Changes::default(),
            texts_only: false,
            before: None,
        }
    }
}

impl World {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder) -> Self {
        World { decoder: Owned::of(decoder), ..self }
    }

    /// From here on what players and entities do is left out: see [`World::only_texts`](crate::replay::World::only_texts).
    pub(crate) fn only_texts(&mut self) {
        self.texts_only = true;
    }
}

/// The state of Quake alone.
impl World {
    /// Protocol number of the level: 15, 666, 999 ...
    pub fn protocol(&self) -> i32 {
        self.state.level.facts.protocol
    }

    /// Whose rules weapons and items follow.
    pub fn game(&self) -> Game {
        self.state.level.facts.game
    }

    /// True for deathmatch rules.
    pub fn is_deathmatch(&self) -> bool {
        self.state.level.facts.deathmatch
    }

    /// Player slots of the level.
    pub fn maxclients(&self) -> u8 {
        self.state.level.facts.maxclients
    }

    /// Stage of the connection, 0 to 3: at 3 the level was told in full.
    pub fn signon(&self) -> u8 {
        self.state.signon
    }

    /// The name of a model, by its number from 1.
    pub fn model_name(&self, model: u16) -> Option<&[u8]> {
        self.state.level.facts.models.get(model)
    }

    /// True when the level has loaded a model.
    pub(crate) fn has_model(&self, name: &[u8]) -> bool {
        self.state.level.facts.models.iter().any(|model| model == name)
    }

    /// The entities that the last frame shows, by number.
    pub fn in_view(&self) -> &[InView] {
        self.visible.all()
    }

    /// An entity, while it is in view.
    pub fn entity_state(&self, number: u16) -> Option<&EntityState> {
        self.visible.get(number).map(|e| &e.state)
    }

    /// The base state that updates of an entity begin at; `None`: all zero.
    pub fn baseline(&self, number: u16) -> Option<&EntityState> {
        self.state.level.baselines.get(number)
    }

    /// All base states.
    pub fn baselines(&self) -> &Baselines {
        &self.state.level.baselines
    }

    /// Entities that never change, such as torches.
    pub fn statics(&self) -> &[EntityState] {
        &self.state.level.statics
    }

    /// Sounds that never end.
    pub fn ambient_sounds(&self) -> &[AmbientSound] {
        &self.state.level.ambient
    }

    /// Brightness of a light style in steps of 0.1 s, `a` dark to `z` bright.
    pub fn light_style(&self, number: u8) -> Option<&[u8]> {
        self.state.level.light_styles.get(usize::from(number)).map(|s| &**s)
    }

    /// The line of the score board of a slot, if anything was told of it.
    pub fn score(&self, slot: u8) -> Option<&Score> {
        self.state.level.scores.get(usize::from(slot))
    }

    /// An entry of the recorder's player state array, 0 to 31, once told: 0 health, 1 frags, 2 weapon model, 3 ammo,
    /// 4 armour, 5 weapon frame, 6 shells, 7 nails, 8 rockets, 9 cells, 10 weapon, 11 and 12 secrets and monsters of
    /// the level, 13 and 14 those found and killed.
    pub fn stat(&self, index: u8) -> Option<i32> {
        self.state.stats.get(usize::from(index))
    }

    /// The recorder's player state array.
    pub fn stats(&self) -> &Stats {
        &self.state.stats
    }

    /// What else is told of the recorder.
    pub fn client(&self) -> Option<&Client> {
        self.state.client.as_ref()
    }

    /// Entity that the view is on.
    pub fn view_entity(&self) -> Option<u16> {
        self.state.view_entity
    }

    /// The CD track that plays.
    pub fn cd_track(&self) -> Option<i32> {
        self.state.track
    }

    /// Base name of the sky's pictures; empty: the map's own. (FitzQuake, Nehahra)
    pub fn sky(&self) -> &[u8] {
        &self.state.level.sky
    }

    /// The fog, once told.
    pub fn fog(&self) -> Option<&Fog> {
        self.state.level.fog.as_ref()
    }

    /// Pictures over the game. (Nehahra)
    pub fn pictures(&self) -> &[Picture] {
        &self.state.level.pictures
    }

    /// How the level ended, once it did.
    pub fn ending(&self) -> Option<&Ending> {
        self.state.level.ending.as_ref()
    }

    /// The dialect at the beginning of the next block.
    pub fn dialect(&self) -> Dialect {
        self.decoder.get().map_or(Dialect::QUAKE, Decoder::dialect)
    }
}
