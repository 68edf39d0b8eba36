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
pub(crate) use bridge::Sight;
pub use entities::{Baselines, InView, diff_entities};
pub(crate) use json::Own;
pub use level::{Ending, EndingKind, Fog, Picture, Score};
pub use states::{AmbientSound, Client, EntityState};
pub use stats::Stats;

use crate::describe::State as StateOf;
use crate::format::dem::{
    Block, Chunk, Decoder, Dem, Dialect, Message, ServerInfo, TempEntity, UpdateColors, UpdateFrags, UpdateName,
    track_number,
};
use crate::format::{Begin, Format, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::wire::Coord;
use crate::world::{Beam, Changes, DamageMessage, DemoClock, LevelCount, Sound, StringKind, TextKind};
use entities::Visible;
use level::{LevelState, add};

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

    /// Takes in the next chunk. Gives the fault in it; what stands in front of a fault is taken in.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_with(&mut self, chunk: &Chunk<'_>, others: &mut [&mut dyn Visitor<Dem>]) -> Option<Diagnostic> {
        self.changes.clear();
        match chunk {
            Chunk::Start(line) => {
                self.state.forced_track = track_number(line);
                None
            }
            Chunk::End | Chunk::Trailer(_) => None,
            Chunk::Unframed(unframed) => {
                // The frame before still stands: it is that of its time. Base states may be among what was lost.
                self.state.lost();
                if !self.state.whole_level {
                    self.visible.settle(false, &mut self.changes);
                }
                Some(unframed.into())
            }
            Chunk::Block(block) => self.block(block, others),
        }
    }

    fn block(&mut self, block: &Block<'_>, others: &mut [&mut dyn Visitor<Dem>]) -> Option<Diagnostic> {
        let diagnostic = Owned::visit_with(self, |world| &mut world.decoder, block, others);
        let decoded = self.decoder.get().is_none_or(|decoder| decoder.dialect().decoded);
        self.end_block(diagnostic.is_some(), decoded);
        diagnostic
    }

    fn end_block(&mut self, lost: bool, decoded: bool) {
        let state = &mut self.state;
        if lost {
            state.lost();
            state.whole_frame = false;
        }
        if !decoded {
            // A level of a protocol that is not decoded: nothing of it is known.
            state.whole_level = false;
        }
        let complete = state.whole_level && state.whole_frame;
        if !complete {
            self.visible.forget_fresh();
        }
        self.visible.settle(complete && state.keep, &mut self.changes);
        self.changes.level = state.begins;
        self.changes.sent = state.timed;
        if state.timed {
            state.levels.frame();
        }
        self.changes.frame = complete && state.timed;
    }

    /// What is in nearly every frame.
    #[inline(always)]
    fn message(&mut self, message: &Message<'_>) {
        let state = &mut self.state;
        match message {
            Message::UpdateEntity(_) if self.texts_only => {}
            Message::UpdateEntity(m) => {
                self.visible.update(m, state.level.baselines.base(m.entity.0), &state.level.facts.dialect);
            }
            Message::Time(m) => {
                if state.time(m.time.0.get()) {
                    self.visible.forget_fresh();
                }
            }
            Message::ClientData(m) => {
                let client = Client::after(m, state.client.as_ref(), &state.level.facts.dialect);
                state.stats.take(&client);
                state.client = Some(client);
            }
            Message::Sound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: Some(m.source.entity),
                channel: m.source.channel,
                origin: Some(m.origin.map(|v| v.float().get())),
                volume: m.vol.map_or(1.0, |v| v.get()),
                attenuation: m.attenuation.map_or(1.0, |v| v.get()),
                delay_ms: 0,
            }),
            _ => self.other_message(message),
        }
    }

    /// What is not in every frame.
    #[inline(never)]
    fn other_message(&mut self, message: &Message<'_>) {
        let state = &mut self.state;
        match message {
            Message::ServerInfo(m) => {
                state.begin_level(m);
                self.visible.forget_fresh();
                self.changes.tell(StringKind::Level, m.mapname.bytes(), None);
            }
            Message::LocalSound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: None,
                channel: 0,
                origin: None,
                volume: 1.0,
                attenuation: 0.0,
                delay_ms: 0,
            }),
            Message::TempEntity(TempEntity {
                entitytype,
                entity: Some(entity),
                origin: Some(from),
                trace_endpos,
                ..
            }) => {
                let float = |place: [Coord; 3]| place.map(|v| v.float().get());
                let to = float(trace_endpos.unwrap_or(*from));
                self.changes.beams.push(Beam { entity: *entity, kind: *entitytype, from: float(*from), to });
            }
            Message::Print(m) => self.changes.say(TextKind::Print(None), m.text.bytes(), None),
            Message::Damage(m) => {
                let save = i32::from(m.save);
                let amount = save + i32::from(m.take);
                self.changes.damage.push(DamageMessage { attacker: None, victims: None, amount, save, cause: None });
            }
            Message::CenterPrint(m) => self.changes.say(TextKind::Center, m.text.bytes(), None),
            Message::StuffText(m) => self.changes.say(TextKind::Console, m.text.bytes(), None),
            Message::Intermission(_) => state.end(EndingKind::Intermission, &[]),
            Message::Finale(m) => {
                self.changes.say(TextKind::Center, m.text.bytes(), None);
                state.end(EndingKind::Finale, m.text.bytes());
            }
            Message::CutScene(m) => {
                self.changes.say(TextKind::Center, m.text.bytes(), None);
                state.end(EndingKind::CutScene, m.text.bytes());
            }
            Message::UpdateStat(m) => state.stats.set(usize::from(m.index.0), m.value),
            Message::KilledMonster(_) => state.stats.add(Stats::MONSTERS),
            Message::FoundSecret(_) => state.stats.add(Stats::SECRETS),
            Message::SetView(m) => state.set_view(m.entity),
            Message::SetPause(m) => state.paused = m.pausestate != 0,
            Message::SignonNum(m) => state.signon = m.signon,
            Message::CdTrack(m) => {
                let forced = state.forced_track;
                state.track = Some(if forced == -1 { i32::from(m.fromtrack) } else { forced });
            }
            _ => self.level_message(message),
        }
    }

    /// What changes the tables of the level.
    fn level_message(&mut self, message: &Message<'_>) {
        if !changes_the_level(message) {
            return;
        }
        if let Message::UpdateName(UpdateName { player, .. })
        | Message::UpdateFrags(UpdateFrags { player, .. })
        | Message::UpdateColors(UpdateColors { player, .. }) = message
        {
            self.changes.on_board(*player);
        }
        if let Message::UpdateName(m) = message {
            self.changes.tell(StringKind::Name, m.netname.bytes(), Some(m.player));
        }
        let level = Arc::make_mut(&mut self.state.level);
        let dialect = &level.facts.dialect;
        match message {
            Message::SpawnBaseline(m) => Arc::make_mut(&mut level.baselines).set(m.entity, StateOf::of(m, dialect)),
            Message::SpawnBaseline2(m) => Arc::make_mut(&mut level.baselines).set(m.entity, StateOf::of(m, dialect)),
            Message::SpawnStatic(m) => add(&mut level.statics, StateOf::of(m, dialect)),
            Message::SpawnStatic2(m) => add(&mut level.statics, StateOf::of(m, dialect)),
            Message::SpawnStaticSound(m) => add(&mut level.ambient, StateOf::of(m, dialect)),
            Message::SpawnStaticSound2(m) => add(&mut level.ambient, StateOf::of(m, dialect)),
            Message::LightStyle(m) => {
                if let Some(style) = level.light_style(m.style) {
                    *style = m.string.bytes().into();
                }
            }
            Message::UpdateName(m) => {
                if let Some(score) = level.score(m.player) {
                    score.name = m.netname.bytes().into();
                }
            }
            Message::UpdateFrags(m) => {
                if let Some(score) = level.score(m.player) {
                    score.frags = Some(m.frags);
                }
            }
            Message::UpdateColors(m) => {
                if let Some(score) = level.score(m.player) {
                    score.colors = Some(m.colors);
                }
            }
            Message::SkyBox(m) => m.name.bytes().clone_into(&mut level.sky),
            Message::SkyBoxSize(m) => level.sky_size = Some(m.size.float().get()),
            Message::Fog(m) => {
                let part = |v: u8| f32::from(v) / 255.0;
                let color = [m.red, m.green, m.blue].map(part);
                level.fog = Some(Fog { density: part(m.density), color, fade: f32::from(m.fade) / 100.0 });
            }
            Message::NehahraFog(m) => {
                let color = [m.red, m.green, m.blue].map(|v| f32::from(v.unwrap_or(0)) / 255.0);
                let density = m.density.map(|v| v.get());
                level.fog = density.map(|density| Fog { density, color, fade: 0.0 });
            }
            Message::ShowLmp(m) => {
                let (slot, file) = (m.slot.bytes().to_vec(), m.picture.bytes().to_vec());
                Arc::make_mut(&mut level.pictures).retain(|p| p.slot != slot);
                add(&mut level.pictures, Picture { slot, file, place: [m.x, m.y] });
            }
            Message::HideLmp(m) => Arc::make_mut(&mut level.pictures).retain(|p| p.slot != m.slot.bytes()),
            _ => {}
        }
    }
}

impl Visitor<Dem> for World {
    fn takes_back(&self) -> bool {
        true
    }

    fn begin(&mut self, begin: Begin<'_, '_, Dem>) {
        // Where the protocol can be read in several ways, a fault may show that this was the wrong one.
        self.before = begin.on_trial.then(|| Box::new(self.state.clone()));
        self.state.begin_block(begin.block);
    }

    #[inline(always)]
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        World::message(self, message);
    }

    fn take_back(&mut self) {
        if let Some(before) = self.before.take() {
            self.state = *before;
        }
        self.changes.clear();
        self.visible.forget_fresh();
    }
}

/// True for messages that [`World::level_message`] takes in; others must not copy what a keyframe shares.
fn changes_the_level(message: &Message<'_>) -> bool {
    matches!(
        message,
        Message::SpawnBaseline(_)
            | Message::SpawnBaseline2(_)
            | Message::SpawnStatic(_)
            | Message::SpawnStatic2(_)
            | Message::SpawnStaticSound(_)
            | Message::SpawnStaticSound2(_)
            | Message::LightStyle(_)
            | Message::UpdateName(_)
            | Message::UpdateFrags(_)
            | Message::UpdateColors(_)
            | Message::SkyBox(_)
            | Message::SkyBoxSize(_)
            | Message::Fog(_)
            | Message::NehahraFog(_)
            | Message::ShowLmp(_)
            | Message::HideLmp(_)
    )
}

impl State {
    fn begin_block(&mut self, block: &Block<'_>) {
        self.camera = block.header.camera.map(|angle| angle.get());
        self.timed = false;
        self.keep = true;
        self.begins = false;
    }

    /// Bytes were lost. Base states are among them unless the level had been told in full.
    fn lost(&mut self) {
        if self.signon < 3 {
            self.whole_level = false;
        }
    }

    /// The server's clock shows a time. True when that begins a new frame.
    #[inline]
    fn time(&mut self, time: f32) -> bool {
        self.clock.seconds(time);
        self.timed = true;
        // The same time again goes on with its frame: what was told at that time is in view.
        let new = self.time != Some(time);
        if new {
            self.time = Some(time);
            self.keep = false;
            self.whole_frame = true;
        }
        new
    }

    fn begin_level(&mut self, m: &ServerInfo<'_>) {
        self.clock.restart();
        self.time = None;
        self.whole_level = true;
        self.whole_frame = true;
        self.levels.begin();
        Arc::make_mut(&mut self.level).begin(m);
        self.stats = Stats::default();
        self.client = None;
        self.recorder = None;
        self.view_entity = None;
        self.paused = false;
        self.signon = 0;
        self.keep = false;
        self.begins = true;
    }

    /// The server first puts a player's view on the player: later on it may be a camera.
    fn set_view(&mut self, entity: u16) {
        self.view_entity = Some(entity);
        self.recorder = self.recorder.or(self.player_slot(entity));
    }

    /// Slot of the player that an entity is.
    fn player_slot(&self, entity: u16) -> Option<u8> {
        let slot = u8::try_from(entity.checked_sub(1)?).ok()?;
        (slot < self.level.facts.maxclients).then_some(slot)
    }

    fn end(&mut self, kind: EndingKind, text: &[u8]) {
        let ending = Ending { kind, time: self.time, text: text.to_vec() };
        Arc::make_mut(&mut self.level).ending = Some(ending);
        // A full start tells how the level ended, and when: nothing is shown yet.
        if self.signon < 3 {
            self.clock.restart();
        }
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
