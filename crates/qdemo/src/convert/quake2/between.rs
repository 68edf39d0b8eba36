//! What a client recorded in one protocol as it would in another one, where the two lay out states in their own ways.

use std::io::Write;

use super::fields::{Fields, Lose};
use super::numbers::{Entities, Numbers};
use super::told::Told;
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::describe::SoundIndex;
use crate::error::Result;
use crate::format::dm2::{
    self, ConfigString, Dialect, Dm2, Message, Recording, Setting, Sound, SoundSource, TempEntity,
};
use crate::format::{DialectOf, Format as _, Packet};
use crate::game::quake2::{EntityState, FullFrame, InView, PlayerState, World};
use crate::wire::{IntoOwned as _, Str};
use crate::world::{Clock, Scene as _};

/// A recording of a client on its way to another protocol.
pub(super) struct Between {
    game: World,
    told: Told,
    fields: Fields,
    models: Numbers,
    sounds: Numbers,
    entities: Entities,
    /// Numbers on the status bar that are those of configstrings.
    string_stats: Vec<usize>,
    /// By number: the last state of an entity, and what is left of it.
    known: Vec<(EntityState, EntityState)>,
    /// What the client is told with its next frame: configstrings, and all else.
    strings: Vec<Message<'static>>,
    waiting: Vec<Message<'static>>,
    /// A level has begun that the output has not told.
    begins: bool,
    /// What is told is for another player at the same screen.
    for_others: bool,
    /// Number of the last frame of the output.
    number: i32,
    /// Events of entities in frames that the output does not have.
    events: Vec<(u16, u8)>,
}

/// What clients run when they know what to load.
const PRECACHE: &[u8] = b"precache";
/// The model number that stands for that of a player.
const PLAYERS_MODEL: u16 = 255;
/// The number of the map among the models.
const MAP: u16 = 1;

/// Number of the program of the status bar, and the words in front of a number on it that is that of a configstring.
const STATUS_BAR: u16 = 5;
const TEXTS: [&[u8]; 5] =
    [b"stat_string", b"loc_stat_string", b"loc_stat_rstring", b"loc_stat_cstring", b"loc_stat_cstring2"];

impl Between {
    pub(super) fn new(protocol: i32) -> Self {
        let to = Dialect::announced(protocol, 1);
        Between {
            game: World::default(),
            told: Told::default(),
            fields: Fields { from: to, to },
            models: Numbers::default(),
            sounds: Numbers::default(),
            entities: Entities::default(),
            string_stats: Vec::new(),
            known: Vec::new(),
            strings: Vec::new(),
            waiting: Vec::new(),
            begins: false,
            for_others: false,
            number: 0,
            events: Vec::new(),
        }
    }

    /// The number of a model; 0 where the target has none left.
    fn model(&mut self, number: u16, lose: Lose<'_>) -> u16 {
        let Some((told, new)) = self.models.of(number) else {
            lose(Loss::Model);
            return 0;
        };
        if new {
            let models = |d: &Dialect| d.layout.configstrings.models;
            self.name(models(&self.fields.from) + number, models(&self.fields.to) + told);
        }
        told
    }

    /// The number of a sound; 0 where the target has none left.
    fn sound(&mut self, number: u16, lose: Lose<'_>) -> u16 {
        let Some((told, new)) = self.sounds.of(number) else {
            lose(Loss::Sound);
            return 0;
        };
        if new {
            let sounds = |d: &Dialect| d.layout.configstrings.sounds;
            self.name(sounds(&self.fields.from) + number, sounds(&self.fields.to) + told);
        }
        told
    }

    /// Tells a name that has become one of the output.
    fn name(&mut self, from: u16, index: u16) {
        let text = self.game.configstrings().get(from);
        if !text.is_empty() {
            let string = Str::from(text.to_vec());
            self.strings.push(Message::ConfigString(ConfigString { index, string }));
        }
    }

    /// The number of a configstring in the output, where it is told at once.
    fn string(&self, index: u16, lose: Lose<'_>) -> Option<u16> {
        let (from, to) = (self.fields.from.layout.configstrings, self.fields.to.layout.configstrings);
        let among = |first: u16, end: u16| index.checked_sub(first).filter(|_| index < end);
        if let Some(number) = among(from.models, from.sounds) {
            return if number == PLAYERS_MODEL { None } else { Some(to.models + self.models.known(number)?) };
        }
        if let Some(number) = among(from.sounds, from.images) {
            return Some(to.sounds + self.sounds.known(number)?);
        }
        let told = from.number_in(index, to);
        if told.is_none() {
            lose(match index {
                _ if among(from.images, from.lights).is_some() => Loss::Picture,
                _ if index >= from.lights && self.fields.from.layout.rerelease => Loss::Rerelease,
                _ => Loss::Name,
            });
        }
        told
    }

    /// Takes in what the status bar shows as text.
    fn status_bar(&mut self) {
        let end = self.fields.from.layout.configstrings.models;
        self.string_stats.clear();
        for index in STATUS_BAR..end {
            let mut words = self.game.configstrings().get(index).split(u8::is_ascii_whitespace);
            while let Some(word) = words.next() {
                if TEXTS.contains(&word) {
                    let number = words.next().and_then(|word| std::str::from_utf8(word).ok());
                    let number = number.and_then(|number| number.parse::<usize>().ok());
                    // The parts of a long status bar stand in it as a whole as well.
                    self.string_stats.extend(number.filter(|number| !self.string_stats.contains(number)));
                }
            }
        }
    }

    /// The same numbers on the status bar, where configstrings have others.
    fn stats(&self, player: &mut PlayerState, lose: Lose<'_>) {
        let first = self.fields.from.layout.configstrings.models;
        for number in &self.string_stats {
            let Some(stat) = player.stats.get_mut(*number) else { continue };
            let Some(index) = u16::try_from(*stat).ok().filter(|index| *index >= first) else { continue };
            *stat = self.string(index, lose).and_then(|index| i16::try_from(index).ok()).unwrap_or(0);
        }
    }

    /// Tells what a level begins with.
    fn level<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        let lose: Lose<'_> = &mut |loss| out.progress.lose(loss);
        self.begins = false;
        self.known.clear();
        self.strings.clear();
        self.status_bar();
        let from = self.fields.from.layout.configstrings;
        let to = self.fields.to.layout.configstrings;
        let strings: Vec<(u16, Vec<u8>)> = self
            .game
            .configstrings()
            .iter()
            .filter_map(|(index, text)| Some((u16::try_from(index).ok()?, text.to_vec())))
            .collect();
        let named = |first: u16, end: u16| {
            let all = strings.iter().filter(move |(index, _)| (first..end).contains(index));
            all.map(move |(index, text)| (index - first, text))
        };
        // Models of weapons in hands are known by their order.
        let first = named(from.models, from.sounds)
            .filter(|(number, text)| *number == MAP || text.starts_with(b"#"))
            .map(|(number, _)| number);
        let models = named(from.models, from.sounds).map(|(number, _)| number);
        let last = (to.sounds - to.models - 1).min(if to.sounds - to.models > 256 { u16::MAX } else { 254 });
        self.models = Numbers::begin(last, Some(PLAYERS_MODEL), first, models.filter(|n| *n != PLAYERS_MODEL));
        let sounds = named(from.sounds, from.images).map(|(number, _)| number);
        self.sounds = Numbers::begin(to.images - to.sounds - 1, None, [], sounds);
        let mut told: Vec<(u16, Vec<u8>)> = Vec::new();
        for (index, text) in strings {
            if let Some(index) = self.string(index, lose) {
                told.push((index, text));
            }
        }
        let limit = Self::entity_limit(&self.fields.to);
        let mut baselines: Vec<_> = self.game.baselines().iter().map(|(number, state)| (number, *state)).collect();
        baselines.retain(|(number, _)| *number < limit);
        for (_, state) in &mut baselines {
            let left = self.fields.entity(state, lose);
            *state = self.numbered(left, lose);
        }
        let new = std::mem::take(&mut self.strings).into_iter().filter_map(|message| match message {
            Message::ConfigString(m) => Some((m.index, m.string.bytes().to_vec())),
            _ => None,
        });
        told.extend(new);
        told.sort_by_key(|(index, _)| *index);
        let mut level = self.game.level_with(self.game.recorder_slot(), told, baselines, &self.fields.to);
        let rate = self.game.frame_rate().filter(|rate| self.keeps_rate() && *rate != RATE);
        if let Some(rate) = rate.filter(|_| !Dialect::tells_screens(self.fields.to.protocol)) {
            level.insert(1, Message::Setting(Setting { index: FRAMES_A_SECOND, value: rate.into() }));
        }
        self.told.level(level, out)
    }

    fn entity_limit(d: &Dialect) -> u16 {
        if d.has_standard_states() { 1024 } else { 8192 }
    }

    /// True where the output has as many frames a second as the input, whatever that has.
    fn keeps_rate(&self) -> bool {
        let to = &self.fields.to;
        Dialect::tells_screens(to.protocol) || to.number_of(dm2::MessageKind::Setting).is_some()
    }

    /// The same state with the numbers of the output.
    fn numbered(&mut self, mut state: EntityState, lose: Lose<'_>) -> EntityState {
        for model in [
            &mut state.modelindex,
            &mut state.modelindex2,
            &mut state.modelindex3,
            &mut state.modelindex4,
            &mut state.modelindex5,
            &mut state.modelindex6,
        ] {
            *model = self.model(*model, lose);
        }
        state.sound.index = self.sound(state.sound.index, lose);
        state
    }

    /// What is left of an entity.
    fn entity(&mut self, number: u16, state: &EntityState, lose: Lose<'_>) -> EntityState {
        let place = usize::from(number);
        if self.known.len() <= place {
            self.known.resize(place + 1, (EntityState::ZERO, EntityState::ZERO));
        }
        let left = match self.known.get(place) {
            Some((before, left)) if before == state => *left,
            _ => {
                let left = self.fields.entity(state, lose);
                if let Some(known) = self.known.get_mut(place) {
                    *known = (*state, left);
                }
                left
            }
        };
        self.numbered(left, lose)
    }

    /// Number of a frame in the output; `None` where that has none.
    fn number_of(&mut self, frame: &FullFrame) -> Option<i32> {
        let number = match self.game.frame_rate().filter(|_| !self.keeps_rate()) {
            Some(rate) if rate != RATE => {
                i32::try_from(i64::from(frame.number()) * i64::from(RATE) / i64::from(rate)).unwrap_or(i32::MAX)
            }
            _ => frame.number(),
        };
        // Frame 0 is none that others can be told as the difference to.
        let number = number.max(1);
        (number != self.number).then_some(number)
    }

    /// Writes the frame that the world shows, and what was told with it.
    fn frame<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        let Some(frame) = self.game.complete_frame().cloned() else {
            out.lose(Loss::Unread);
            return Ok(());
        };
        if self.begins {
            self.level(out)?;
        }
        let lose: Lose<'_> = &mut |loss| out.progress.lose(loss);
        let Some(number) = self.number_of(&frame) else {
            lose(Loss::Rate);
            let happened = frame.entities().iter().filter(|entity| entity.state.event != 0);
            self.events.extend(happened.map(|entity| (entity.number, entity.state.event)));
            return Ok(());
        };
        self.number = number;
        self.entities.frame(frame.entities());
        let mut entities = Vec::with_capacity(frame.entities().len());
        for InView { number, state } in frame.entities() {
            let Some(told) = self.entities.of(*number) else {
                lose(Loss::Entity);
                continue;
            };
            let mut left = self.entity(*number, state, lose);
            if let (0, Some((_, event))) = (left.event, self.events.iter().rev().find(|(of, _)| of == number)) {
                left.event = *event;
            }
            entities.push(InView { number: told, state: left });
        }
        self.events.clear();
        entities.sort_unstable_by_key(|entity| entity.number);
        let mut player = frame.player(None).copied().unwrap_or(PlayerState::ZERO);
        self.stats(&mut player, lose);
        let mut left = self.fields.player(&player, lose);
        left.guns.index = self.model(left.guns.index, lose);
        left.guns.index2 = self.model(left.guns.index2, lose);
        let (strings, waiting) = (std::mem::take(&mut self.strings), std::mem::take(&mut self.waiting));
        self.told.frame(strings, frame.told_as(number, entities, left), None, waiting, out)
    }

    /// Writes what was told since the last frame.
    fn rest<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        let mut messages = std::mem::take(&mut self.strings);
        messages.append(&mut self.waiting);
        self.told.packet(messages, out)
    }

    /// Takes in a message that is not of a frame or a level.
    fn message(&mut self, message: Message<'_>, lose: Lose<'_>) {
        match message {
            Message::SplitClient(m) => self.for_others = m.client > 1,
            Message::ConfigString(m) => self.told_string(m.index, m.string.bytes(), lose),
            Message::ConfigBlast(m) => {
                m.each(|m| self.told_string(m.index, m.string.bytes(), lose));
            }
            Message::LevelRestart(m) => m.strings.each(|index, text| self.told_string(index, text, lose)),
            Message::SpawnBaseline(_) | Message::TestBaseline(_) | Message::SpawnBaselineBlast(_) => {}
            Message::StuffText(m) if self.begins && m.text.bytes().starts_with(PRECACHE) => {}
            Message::Setting(m) if m.index == FRAMES_A_SECOND => {}
            _ if self.for_others => lose(Loss::Others),
            Message::Sound(m) => {
                let heard = self.heard(m, lose).map(Message::Sound);
                self.waiting.extend(heard);
            }
            message => {
                let message = self.fields.message(message.into_owned(), lose);
                let message = message.and_then(|message| self.renumbered(message, lose));
                self.waiting.extend(message);
            }
        }
    }

    /// A configstring is another one.
    fn told_string(&mut self, index: u16, text: &[u8], lose: Lose<'_>) {
        if self.begins {
            return;
        }
        let from = self.fields.from.layout.configstrings;
        // What has no number yet gets one now, unless the target has too few for all: then it gets one when it is seen.
        let among = |first: u16, end: u16| index.checked_sub(first).filter(|_| index < end);
        match (among(from.models, from.sounds), among(from.sounds, from.images)) {
            (Some(number), _) if self.models.same => _ = self.models.of(number),
            (_, Some(number)) if self.sounds.same => _ = self.sounds.of(number),
            _ => {}
        }
        if (STATUS_BAR..from.models).contains(&index) {
            self.status_bar();
        }
        if let Some(index) = self.string(index, lose) {
            let string = Str::from(text.to_vec());
            self.strings.push(Message::ConfigString(ConfigString { index, string }));
        }
    }

    /// What is left of a sound.
    fn heard(&mut self, mut m: Sound, lose: Lose<'_>) -> Option<Sound> {
        m.soundnum = SoundIndex(match self.sound(m.soundnum.0, lose) {
            0 if m.soundnum.0 != 0 => return None,
            number => number,
        });
        let (from, to) = (self.fields.from.layout.rerelease, self.fields.to.layout.rerelease);
        let entity = m.source.map(|source| u16::try_from(source.entity).unwrap_or(u16::MAX));
        if from && !to {
            let seen = |entity: u16| {
                let own = self.game.recorder_slot().is_some_and(|slot| u16::from(slot) + 1 == entity);
                own || self.game.entity_state(entity).is_some()
            };
            // It is told where a sound is although it follows an entity.
            if !std::mem::take(&mut m.explicit_origin) && entity.is_some_and(seen) {
                m.origin = None;
            }
        }
        m.explicit_origin = to && (m.explicit_origin || !from && m.origin.is_some());
        m.origin = m.origin.map(|place| self.fields.place(place, lose));
        if let (Some(source), Some(entity)) = (m.source, entity) {
            m.source = self.entities.of(entity).map(|entity| SoundSource { entity: entity.into(), ..source });
            if m.source.is_none() && m.origin.is_none() {
                lose(Loss::Sound);
                return None;
            }
        }
        Some(m)
    }

    /// The same message with the numbers that entities have in the output.
    fn renumbered(&self, mut message: Message<'static>, lose: Lose<'_>) -> Option<Message<'static>> {
        let numbers: [Option<&mut i16>; 3] = match &mut message {
            Message::MuzzleFlash(m) => [Some(&mut m.entity), None, None],
            Message::MuzzleFlash2(m) => [Some(&mut m.entity), None, None],
            Message::MuzzleFlash3(m) => [Some(&mut m.entity), None, None],
            Message::TempEntity(TempEntity { dest_entity, entity, flash_entity, .. }) => {
                [dest_entity.as_mut(), entity.as_mut(), flash_entity.as_mut()]
            }
            _ => [None, None, None],
        };
        for number in numbers.into_iter().flatten() {
            let told = u16::try_from(*number)
                .map_or(Some(*number), |from| self.entities.of(from).and_then(|told| i16::try_from(told).ok()));
            let Some(told) = told else {
                lose(Loss::Effect);
                return None;
            };
            *number = told;
        }
        Some(message)
    }
}

/// Frames a second, unless a server tells another number; the setting that does.
const RATE: u16 = 10;
const FRAMES_A_SECOND: i32 = 1;

impl Across for Between {
    type From = Dm2;
    type Into = Dm2;

    fn apply(&mut self, chunk: &dm2::Chunk<'_>) -> Clock {
        self.game.apply(chunk);
        self.game.clock()
    }

    fn block<W: Write>(
        &mut self,
        _: &dm2::Block<'_>,
        packet: Packet<'_, Dm2>,
        _: DialectOf<Dm2>,
        out: &mut Output<Dm2, W>,
    ) -> Result<()> {
        let (mut loads, mut tells_frame) = (false, false);
        for message in packet.messages {
            if let Message::ServerData(m) = &message {
                if !self.begins {
                    self.rest(out)?;
                }
                let from = m.dialect(self.fields.from.long_angles);
                out.progress.is_from(from.protocol);
                if !matches!(from.recording, Recording::Client | Recording::TestRelease) {
                    out.progress.refuse("recording of a server".to_owned());
                }
                out.progress.check()?;
                self.fields.from = from;
                self.entities = Entities::new(Self::entity_limit(&self.fields.to));
                (self.begins, self.for_others, self.number) = (true, false, 0);
                continue;
            }
            loads |= matches!(&message, Message::StuffText(m) if m.text.bytes().starts_with(PRECACHE));
            tells_frame |= matches!(message, Message::Frame(_));
            let is_frame = matches!(
                message,
                Message::Frame(_)
                    | Message::PlayerInfo(_)
                    | Message::PacketEntities(_)
                    | Message::TestPlayerInfo(_)
                    | Message::TestEntities(_)
            );
            if !is_frame {
                self.message(message, &mut |loss| out.progress.lose(loss));
            }
        }
        if self.begins && loads {
            self.level(out)?;
        }
        if self.game.changes().frame {
            return self.frame(out);
        }
        // It is told as the difference to one that is lost.
        if tells_frame {
            out.lose(Loss::Unread);
        }
        Ok(())
    }

    fn end<W: Write>(&mut self, out: &mut Output<Dm2, W>) -> Result<()> {
        if self.begins {
            self.level(out)?;
        }
        self.rest(out)?;
        out.bytes(Dm2::END_MARK)
    }
}
