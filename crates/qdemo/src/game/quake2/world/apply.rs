//! Taking in chunks.

use std::sync::Arc;

use crate::describe::State as _;
use crate::format::dm2::{Block, Chunk, Dialect, Dm2, Frame, LocPrint, Message, PlayerInfo, ServerData, SplitPlayers};
use crate::format::{Begin, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake2::matches::CHAT;
use crate::game::quake2::world::frames::Rules;
use crate::game::quake2::world::states::Update;
use crate::game::quake2::world::tables::name_in;
use crate::game::quake2::world::{Facts, World};
use crate::world::{MuzzleFlash, Sound, StringKind, TextKind};

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

impl World {
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
            Message::PacketEntities(m) => self.take_entities(&m.entities),
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

    fn take_entities<U: Update>(&mut self, entities: &[U]) {
        let rules = Rules { first: &self.baselines, limit: self.entity_limit(), dialect: &self.dialect };
        self.ring.entities(entities, rules, &mut self.changes);
    }

    #[inline(never)]
    pub(in crate::game::quake2) fn other_message(&mut self, message: &Message<'_>, client: Option<u8>) {
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
            Message::TestEntities(m) => self.take_entities(&m.entities),
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

    /// Takes in a configstring. True when somebody else is in a slot now.
    pub(in crate::game::quake2) fn configstring(&mut self, index: u16, text: &[u8]) -> bool {
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
}

/// True for a level of the re-release whose prints stand in the middle of the screen.
pub(in crate::game::quake2) fn is_center(level: u8) -> bool {
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
