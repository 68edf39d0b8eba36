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

pub(super) use carried::item_word;
pub(super) use frames::diff_entity;
pub use frames::{FullFrame, InView, diff_entities, diff_test_entities};
pub(crate) use json::Own;
pub use states::{
    Baselines, Effects, Eighths, EntityState, Eyes, Fog, FogDensity, GunView, Guns, LoopSound, PlayerState, Screen,
};
pub use tables::{Configstrings, Personal, Score};

use crate::describe::State as _;
use crate::format::dm2::{
    Block, Chunk, Dialect, Dm2, EntityMaskKind, Fog as LevelFog, FogChange, Frame, LocPrint, Message, PacketEntities,
    PlayerInfo, ServerData, SplitPlayers,
};
use crate::format::{Begin, Decoder, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake2::matches::CHAT;
use crate::game::quake2::world::carried::ArmorSeen;
use crate::game::quake2::world::frames::{Ring, Rules};
use crate::game::quake2::world::tables::{PersonalTables, name_in};
use crate::world::{Changes, DemoClock, DemoTime, LevelCount, MuzzleFlash, Sound, StringKind, TextKind};

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

    /// Takes in a chunk. Gives the fault in it; what stands in front of a fault is taken in.
    pub fn apply(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        self.apply_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_with(&mut self, chunk: &Chunk<'_>, others: &mut [&mut dyn Visitor<Dm2>]) -> Option<Diagnostic> {
        self.changes.clear();
        match chunk {
            Chunk::Block(block) => self.block(block, others),
            Chunk::Start(_) | Chunk::End | Chunk::Trailer(_) => None,
            Chunk::Unframed(unframed) => Some(unframed.into()),
        }
    }

    fn block(&mut self, block: &Block<'_>, others: &mut [&mut dyn Visitor<Dm2>]) -> Option<Diagnostic> {
        let diagnostic = Owned::visit_with(self, |world| &mut world.decoder, block, others);
        self.before = None;
        if let Some(decoder) = self.decoder.get() {
            self.dialect = decoder.dialect();
        }
        self.close_frame();
        if self.changes.sent {
            self.levels.frame();
        }
        diagnostic
    }

    /// A copy to go back to. Frames are not in it: [`Ring::take_back`] knows those to forget.
    fn without_frames(&mut self) -> World {
        self.ring.begin_block();
        let ring = std::mem::take(&mut self.ring);
        let copy = self.clone();
        self.ring = ring;
        copy
    }

    /// There is code of its own for each kind of message: what it does stands in functions, of which there is one.
    #[inline(always)]
    fn message(&mut self, message: &Message<'_>, client: Option<u8>) {
        match message {
            Message::PlayerInfo(_) | Message::PacketEntities(_) if self.texts_only => {}
            Message::PlayerInfo(m) => self.take_player(m, client),
            Message::PacketEntities(m) => self.take_entities(m),
            Message::Frame(m) => self.open_frame(m),
            _ => self.other_message(message, client),
        }
    }

    fn take_player(&mut self, m: &PlayerInfo, client: Option<u8>) {
        // Of several players at one screen it is the last one's.
        let last = self.facts.split.last().filter(|_| self.facts.split.len() > 1);
        if let Some(client) = last.map_or(Some(client), |slot| slot.map(Some)) {
            self.ring.player(client, |state| state.apply(m, &self.dialect));
        }
    }

    fn take_entities(&mut self, m: &PacketEntities) {
        let rules = Rules { first: &self.baselines, limit: self.entity_limit(), dialect: &self.dialect };
        self.ring.entities(&m.entities, rules, &mut self.changes);
    }

    #[inline(never)]
    pub(super) fn other_message(&mut self, message: &Message<'_>, client: Option<u8>) {
        match message {
            Message::Sound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: m.source.and_then(|s| u16::try_from(s.entity).ok()),
                channel: m.source.map_or(0, |s| s.channel),
                origin: m.origin.map(|o| o.map(|c| c.get() as f32)),
                volume: m.vol.map_or(1.0, |v| v.get()),
                attenuation: m.attenuation.map_or(1.0, |v| v.get()),
                delay_ms: m.timeofs.map_or(0, |v| v.0),
            }),
            Message::MuzzleFlash(m) => self.flash(m.entity, m.value.into(), false),
            Message::MuzzleFlash2(m) => self.flash(m.entity, m.value.into(), true),
            Message::MuzzleFlash3(m) => self.flash(m.entity, m.value, true),
            Message::Print(m) => {
                let said = self.print_of(m.level);
                self.say(said, m.string.bytes(), client);
            }
            Message::CenterPrint(m) => self.say(TextKind::Center, m.text.bytes(), client),
            Message::StuffText(m) => self.changes.say(TextKind::Console, m.text.bytes(), client),
            Message::TestPlayerInfo(m) => self.ring.player(client, |state| state.apply(m, &self.dialect)),
            Message::TestEntities(m) => {
                let rules = Rules { first: &self.baselines, limit: self.entity_limit(), dialect: &self.dialect };
                self.ring.entities(&m.entities, rules, &mut self.changes);
            }
            Message::ServerData(m) => self.level(m),
            Message::ConfigString(m) => {
                self.configstring(m.index, m.string.bytes());
            }
            Message::SpawnBaseline(m) if m.entity.0 < self.entity_limit() => {
                Arc::make_mut(&mut self.baselines).set(m, &self.dialect);
            }
            Message::TestBaseline(m) => Arc::make_mut(&mut self.baselines).set(m, &self.dialect),
            Message::Layout(m) => Arc::make_mut(&mut self.told).layout(client.or(self.spoken_to), m.text.bytes()),
            Message::Inventory(m) => Arc::make_mut(&mut self.told).inventory(client.or(self.spoken_to), &m.count.0),
            Message::Fog(m) => Arc::make_mut(&mut self.facts).fog = Some(m.clone()),
            Message::Setting(m) if m.index == Self::FRAMES_A_SECOND => self.set_rate(m.value),
            Message::Unicast(m) => self.message(&m.message, Some(m.client)),
            _ => self.message_of_rerelease(message),
        }
    }

    #[cold]
    fn message_of_rerelease(&mut self, message: &Message<'_>) {
        match message {
            Message::SplitClient(m) => {
                // Counted from 1; what is for the first is for the recorder.
                let nth = usize::from(m.client).checked_sub(1).filter(|n| *n > 0);
                self.spoken_to = nth.and_then(|n| self.facts.split.get(n).copied().flatten());
            }
            Message::ConfigBlast(m) => {
                m.each(|m| {
                    self.configstring(m.index, m.string.bytes());
                });
            }
            Message::SpawnBaselineBlast(m) => {
                let (dialect, limit) = (self.dialect, self.entity_limit());
                let baselines = Arc::make_mut(&mut self.baselines);
                m.each(&dialect, |m| {
                    if m.entity.0 < limit {
                        baselines.set(m, &dialect);
                    }
                });
            }
            Message::LevelRestart(m) => m.strings.each(|index, text| {
                self.configstring(index, text);
            }),
            Message::LocPrint(m) => self.loc_print(m),
            Message::BotChat(m) => {
                let text = [m.name.bytes(), b": ", m.text.bytes(), b"\n"].concat();
                self.say(TextKind::Print(Some(CHAT)), &text, u8::try_from(m.client).ok());
            }
            Message::FogChange(m) => {
                let facts = Arc::make_mut(&mut self.facts);
                match &mut facts.fog_change {
                    Some(fog) => fog.merge(m),
                    None => facts.fog_change = Some(m.clone()),
                }
            }
            _ => {}
        }
    }

    fn flash(&mut self, entity: i16, flash: u16, monster: bool) {
        if let Ok(entity) = u16::try_from(entity) {
            self.changes.flashes.push(MuzzleFlash { entity, flash, monster });
        }
    }

    fn loc_print(&mut self, m: &LocPrint<'_>) {
        let broadcast = m.flags & BROADCAST != 0;
        let spoken_to = if broadcast { self.spoken_to.take() } else { self.spoken_to };
        self.say(self.print_of(m.level()), &m.text(), None);
        self.spoken_to = spoken_to;
    }

    /// Notes a text, for a client of several or for the recorder.
    fn say(&mut self, said: TextKind, text: &[u8], client: Option<u8>) {
        let named = self.with_names(text).into_owned();
        self.changes.say(said, &named, client.or(self.spoken_to));
    }

    /// Where a print of a level goes.
    fn print_of(&self, level: u8) -> TextKind {
        match level {
            level if is_center(level) && self.dialect.layout.rerelease => TextKind::Center,
            _ => TextKind::Print(Some(level)),
        }
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

    fn level(&mut self, m: &ServerData<'_>) {
        self.close_frame();
        let facts = Facts {
            key: m.key,
            isdemo: m.isdemo,
            gamedir: m.game.bytes().to_vec(),
            client: u8::try_from(m.client.first()).ok(),
            split: split_slots(&m.client.split),
            title: m.mapname.bytes().to_vec(),
            fog: None,
            fog_change: None,
        };
        self.begin(m.dialect(self.dialect.long_angles), facts);
        self.changes.tell(StringKind::Level, m.mapname.bytes(), None);
        self.ring.begin(self.ring_size());
        self.rate = m.tickrate.map(u16::from).filter(|rate| *rate > 0);
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

    /// Takes in a configstring. True when somebody else is in a slot now.
    pub(super) fn configstring(&mut self, index: u16, text: &[u8]) -> bool {
        let slot = self.dialect.layout.configstrings.player(index);
        let of = slot.and_then(|slot| u8::try_from(slot).ok());
        self.changes.tell(StringKind::ConfigString(index), text, of);
        // Somebody else in the slot has another score.
        let other = slot.filter(|_| name_in(self.strings.get(index)) != name_in(text));
        if let Some(slot) = other {
            Arc::make_mut(&mut self.told).forget_score(slot);
        }
        if let Some(slot) = slot.filter(|_| !text.is_empty()) {
            self.slots = self.slots.max(slot + 1);
        }
        if self.strings.get(index) != text {
            let strings = Arc::make_mut(&mut self.strings);
            strings.set(index, text);
            let numbers = self.dialect.layout.configstrings;
            if numbers.is_status_bar(index) {
                let longest = if self.dialect.layout.rerelease { LONGEST_RERELEASE } else { LONGEST };
                strings.read_status_bar(index, numbers.air_acceleration(), longest);
            }
            // It stands in front of the checksum of the map, in front of the models.
            if index == numbers.models - 2 {
                let told = std::str::from_utf8(text).ok().and_then(|told| told.trim().parse().ok());
                strings.maxclients = told.filter(|slots| (1..=Self::MAX_PLAYERS).contains(slots));
            }
            if numbers.is_image(index) {
                let team = text == TEAM_PICTURE;
                strings.team_picture = strings.team_picture.filter(|was| *was != index).or(team.then_some(index));
            }
        }
        other.is_some()
    }

    fn set_rate(&mut self, rate: i32) {
        let Some(rate) = u16::try_from(rate).ok().filter(|r| *r > 0) else { return };
        if self.rate.unwrap_or(Self::RATE) != rate {
            // The same numbers are other times from here on.
            self.clock.restart();
        }
        self.rate = Some(rate);
    }

    /// Microseconds of the server's clock at a frame.
    fn micros(&self, number: i32) -> i64 {
        match self.rate {
            None => i64::from(number) * 100_000,
            Some(rate) => i64::from(number) * 1_000_000 / i64::from(rate),
        }
    }

    fn open_frame(&mut self, m: &Frame) {
        self.close_frame();
        self.frame = Some(m.seq1);
        self.changes.sent = true;
        self.clock.micros(self.micros(m.seq1));
        // Until all of it is told.
        self.complete = false;
        let base = m.seq2.filter(|n| *n > 0);
        if !self.ring.has_slots() {
            self.ring.begin(self.ring_size());
        }
        if !self.ring.open(m.seq1, base) {
            self.missing += 1;
            return;
        }
        if let Some(frame) = self.ring.opened() {
            frame.suppress = m.suppress.unwrap_or(0);
            for (to, from) in [(&mut frame.areas, &m.areas), (&mut frame.connected, &m.connected)] {
                to.extend_from_slice(from.as_ref().map_or(&[], |list| &list.0));
            }
        }
        if let Some(split) = &m.split {
            self.split_players(split);
        }
    }

    #[cold]
    fn split_players(&mut self, players: &SplitPlayers) {
        if let (Some(frame), Some(first)) = (self.ring.opened(), players.0.first()) {
            frame.areas.clone_from(&first.areas.0);
        }
        let slots = self.facts.split.clone();
        // A slot that is none is nobody's.
        for (n, (player, slot)) in players.0.iter().zip(slots).enumerate() {
            if n == 0 || slot.is_some() {
                self.ring.player(slot, |state| state.apply(&player.state, &self.dialect));
            }
        }
    }

    #[inline]
    fn close_frame(&mut self) {
        if self.ring.close(&mut self.changes) {
            self.complete = true;
            self.changes.frame = true;
            self.count_slots();
            self.see_armor(self.clock.now());
        }
    }

    /// A frame may tell of players whose names nobody told.
    fn count_slots(&mut self) {
        let clients = self.ring.now().into_iter().flat_map(|frame| &frame.players).filter_map(|(client, _)| *client);
        self.slots = clients.map(|client| usize::from(client) + 1).fold(self.slots, usize::max);
    }
}

/// Bytes of a configstring that a server tells at most, but for whole status bars (`MAX_QPATH`), and in the re-release
/// (`CS_MAX_STRING_LENGTH`).
const LONGEST: usize = 64;
const LONGEST_RERELEASE: usize = 96;

/// The picture of the red team.
const TEAM_PICTURE: &[u8] = b"i_ctf1";

/// Levels of prints, and a flag, in the re-release.
const TYPEWRITER: u8 = 4;
const CENTER: u8 = 5;
const BROADCAST: u8 = 8;

/// True for a level of the re-release whose prints stand in the middle of the screen.
pub(super) fn is_center(level: u8) -> bool {
    matches!(level, TYPEWRITER | CENTER)
}

/// The clients of several players at one screen: the first is the recorder.
fn split_slots(slots: &[i16]) -> Vec<Option<u8>> {
    slots.iter().enumerate().map(|(n, slot)| u8::try_from(*slot).ok().filter(|_| n > 0)).collect()
}

impl Visitor<Dm2> for World {
    fn takes_back(&self) -> bool {
        true
    }

    fn begin(&mut self, begin: Begin<'_, '_, Dm2>) {
        self.dialect = *begin.dialect;
        // Where blocks are read in another way when they do not decode, nothing of it may be left.
        self.before = None;
        self.before = begin.on_trial.then(|| Box::new(self.without_frames()));
    }

    #[inline(always)]
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        World::message(self, message, None);
    }

    fn take_back(&mut self) {
        if let Some(before) = self.before.take() {
            self.ring.take_back();
            *self = World { ring: std::mem::take(&mut self.ring), ..*before };
        }
    }
}
