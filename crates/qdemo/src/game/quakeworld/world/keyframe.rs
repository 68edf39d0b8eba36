//! From a world to the packets of a full start: what a server sends to those who connect, and one full frame.

use super::players::{Slot, Stats};
use super::states::{EntityState, PlayerState};
use super::{AmbientSound, Names, World, diff_entities};
use crate::describe::{Seconds, State};
use crate::error::Moment;
use crate::format::dem::{Finale, LightStyle, SetPause, StuffText, UpdateFrags};
use crate::format::mvd::{self, Target};
use crate::format::qwd::{
    self, CdTrack, DeltaPacketEntities, Dialect, FteModelList, Intermission, Message, ModelList, MoveVars,
    MvdPlayerInfo, Nail, Nails, Nails2, PacketEntities, PacketNumbers, PlayerInfo, SequenceNumbers, ServerData,
    SetAngle, SoundList, UpdateEnterTime, UpdatePing, UpdatePl, UpdateUserInfo,
};
use crate::game::ShortOrLong;
use crate::game::split::split;
use crate::wire::{Angle, Coord, F32, Fault, StrList, same};

/// Bytes of names in a part of a list.
const MOST_NAMES: usize = 1000;

impl World {
    /// Bytes of messages in a packet: the client of id Software has room for 1,450 (`MAX_MSGLEN`) with the numbers in front.
    pub(crate) const MOST: usize = 1400;

    /// The packets of a full start of a `.qwd`: with them in front, a recording that goes on from here plays from here.
    /// Empty when no level has begun, and for the world of an `.mvd`.
    ///
    /// They are what a recording begins with that is started in the middle of a game: packets with small numbers that
    /// tell the level (`serverdata`, lists, base states, what never moves, score board, light styles, stats), the last
    /// command of the recorder, and where the numbers of packets stand. Then come the lists of entities that later
    /// packets may be told as the difference to, at most 63 packets back, and the players, entities and nails in view.
    /// All have the time of the last block. Packets have at most 1,408 bytes, which is what id's client takes, unless one
    /// message has more or the players and entities in view together.
    ///
    /// A new world that takes the packets in shows the same ([`World::difference`]), and goes on in the same way from the
    /// next block on. Not the same are what counts from the beginning of a recording, demo time and the number of the
    /// level; texts, sounds and effects, which are of one moment; base states with nothing in them; and, by what rounding
    /// to a float loses, when players came. Where what the entities in view build on was not recorded
    /// ([`Scene::is_complete`](crate::world::Scene::is_complete)), the keyframe says just that: its list is the
    /// difference to a packet that is not there.
    ///
    /// Sources: id Software's QuakeWorld `cl_demo.c` (`CL_Record_f`) and `sv_user.c`; ezQuake `cl_demo.c`.
    ///
    /// # Errors
    /// What the dialect cannot write.
    pub fn keyframe_packets(&self) -> Result<Vec<qwd::Packet<'static>>, Fault> {
        if self.multiview || self.levels.begun() == 0 {
            return Ok(Vec::new());
        }
        let d = &self.dialect();
        let time = if let Some(Moment::Seconds(now)) = self.now { F32::from(now) } else { F32::default() };
        let in_view = self.frames.in_view();
        let mut sign_on = self.sign_on(d)?;
        let mut start = Vec::new();
        if let Some(stats) = self.recorder.and_then(|slot| self.stats(slot.into())) {
            start.extend(Stats::diff(&Stats::default(), stats).into_iter().map(stat));
        }
        // Players who are out of view come in a packet of their own, in front of the frame that shows who is in view.
        if in_view.is_some() || self.in_view != 0 || !self.frames.is_complete() {
            start.extend(self.players(!self.in_view).map(|(slot, state)| self.player(slot, state, d)));
        }
        start.push(stuff(b"skins\n".to_vec()));
        sign_on.push(start);
        let sign_on = split_all(sign_on, Dialect::QUAKEWORLD)?;
        let numbered = sign_on.into_iter().zip(1..);
        let mut packets: Vec<_> = numbered
            .map(|(messages, number)| qwd::Packet::new(time, PacketNumbers { seq1: number, seq2: number }, messages))
            .collect();
        packets.extend(self.command.map(|command| qwd::Packet::command(time, command)));

        let before = self.frames.before(self.sequence);
        let number = in_view.map_or(self.sequence, |(number, _)| number);
        let first = before.first().map_or(number, |(first, _)| *first);
        let numbers = SequenceNumbers { seq1: self.outgoing, seq2: first.wrapping_sub(1) };
        packets.push(qwd::Packet::frame(time, numbers));
        let packet = |number: u32, messages| {
            let acknowledged = self.acknowledged.wrapping_sub(self.sequence.wrapping_sub(number)) & LOW;
            qwd::Packet::new(time, PacketNumbers { seq1: number, seq2: acknowledged }, messages)
        };
        let mut base = None;
        for (number, entities) in before {
            packets.push(packet(number, vec![self.listing(base, number, entities, d)]));
            base = Some((number, entities));
        }
        let mut frame: Vec<_> = self.players(self.in_view).map(|(slot, state)| self.player(slot, state, d)).collect();
        frame.extend(self.listing_in_view(d));
        frame.extend(self.nail_lists());
        frame.extend(self.turned(d));
        packets.push(packet(number, frame));
        if number != self.sequence {
            packets.push(packet(self.sequence, Vec::new()));
        }
        Ok(packets)
    }

    /// The records of a full start of an `.mvd`: with them in front, a recording that goes on from here plays from here.
    /// Empty when no level has begun, and for the world of a `.qwd`.
    ///
    /// They are what a server writes when it begins to record: the level (`serverdata`, lists, base states, what never
    /// moves, score board, light styles), where every player is, the stats of each, and all entities. The server's clock
    /// in `serverdata` is that of the moment. No record lets time pass. Records have at most 1,400 bytes, unless one
    /// message has more.
    ///
    /// A new world that takes the records in shows the same ([`World::difference`]), and goes on in the same way. Not the
    /// same are what counts from the beginning of a recording: its clock, demo time, the time of pauses, the number of
    /// the level; that the game stands still, where each frame of the pause tells it anew; texts, sounds and effects, which
    /// are of one moment; base states with nothing in them; and, by what rounding to a float loses, when players came. Where
    /// what the entities in view build on was not recorded, as at the beginning of most recordings
    /// ([`Scene::is_complete`](crate::world::Scene::is_complete)), the keyframe says just that: its list is the difference
    /// to one that is not there.
    ///
    /// Sources: MVDSV `sv_demo.c` (`SV_MVD_SendInitialGamestate`), recordings.
    ///
    /// # Errors
    /// What the dialect cannot write.
    pub fn keyframe_records(&self) -> Result<Vec<mvd::Packet<'static>>, Fault> {
        if !self.multiview || self.levels.begun() == 0 {
            return Ok(Vec::new());
        }
        let d = &self.dialect();
        let record = |target, slot, messages| mvd::Packet::new(mvd::Header::new(0, target, slot), messages);
        let all = |messages: Vec<_>| record(Target::All, 0, messages);
        let mut records: Vec<_> = split_all(self.sign_on(d)?, Dialect::MULTIVIEW)?.into_iter().map(all).collect();
        for (slot, it) in (0..).zip(&self.slots) {
            records
                .extend(it.stats.map(|stats| record(Target::Stats, slot, stats.all().into_iter().map(stat).collect())));
        }
        records.push(all(vec![stuff(b"skins\n".to_vec())]));
        // Who is told of in a record is in view, and nobody else.
        let players = |slots| {
            let players: Vec<_> = self.players(slots).map(|(slot, state)| tracked(slot, state, d)).collect();
            (!players.is_empty()).then(|| all(players))
        };
        let (others, in_view) = (players(!self.in_view), players(self.in_view));
        let mut frame: Vec<_> = self.listing_in_view(d).into_iter().collect();
        frame.extend(self.nail_lists());
        records.extend(others.into_iter().chain([all(frame)]).chain(in_view));
        records.extend(self.addressed());
        Ok(records)
    }

    /// The next record may be for those that the one before was for.
    pub(super) fn addressed(&self) -> Option<mvd::Packet<'static>> {
        let record = |target, slot| mvd::Packet::new(mvd::Header::new(0, target, slot), Vec::new());
        match self.to {
            u32::MAX => None,
            0 => Some(mvd::Packet::hidden(0, Vec::new())),
            one if one.is_power_of_two() => Some(record(Target::Single, one.trailing_zeros() as u8)),
            some => Some(record(Target::Multiple(some), 0)),
        }
    }

    /// What a level begins with, and the score board, in groups: each part of a list has a packet of its own, as clients
    /// ask for them one by one.
    fn sign_on(&self, d: &Dialect) -> Result<Vec<Vec<Message<'static>>>, Fault> {
        let level = &self.level;
        let mut messages = vec![Message::ServerData(self.server_data(d))];
        messages.extend(level.track.map(|track| Message::CdTrack(CdTrack { track })));
        if !level.serverinfo.is_empty() {
            messages.push(stuff([b"fullserverinfo \"", &*level.serverinfo, b"\"\n"].concat()));
        }
        let mut groups = vec![messages];
        groups.extend(sounds(&level.sounds, d)?.into_iter().chain(models(&level.models, d)?).map(|part| vec![part]));
        let mut messages = Vec::new();
        messages.extend(level.statics.iter().map(|state| match state.still(d) {
            ShortOrLong::Short(m) => Message::SpawnStatic(m),
            ShortOrLong::Long(m) => Message::FteSpawnStatic2(m),
        }));
        messages.extend(
            level.ambients.iter().map(|sound| Message::SpawnStaticSound(State::diff(&AmbientSound::ZERO, sound, d))),
        );
        messages.extend(level.baselines.told().map(|state| match state.baseline(d) {
            ShortOrLong::Short(m) => Message::SpawnBaseline(m),
            ShortOrLong::Long(m) => Message::FteSpawnBaseline2(m),
        }));
        messages.push(stuff(format!("cmd spawn {} 0\n", level.age).into_bytes()));
        messages.extend(self.board());
        let styles = (0..).zip(&level.lightstyles);
        messages
            .extend(styles.map(|(style, text)| Message::LightStyle(LightStyle { style, string: text.clone().into() })));
        messages.extend(self.intermission_told(d));
        messages.extend(self.finale_told());
        messages.extend(self.paused.is_told().then_some(Message::SetPause(SetPause { pausestate: 1 })));
        groups.push(messages);
        Ok(groups)
    }

    /// The camera at the end of the level.
    pub(super) fn intermission_told(&self, d: &Dialect) -> Option<Message<'static>> {
        self.level.intermission.map(|camera| {
            Message::Intermission(Intermission {
                origin: camera.origin.map(|v| Coord::of_float(v.into(), d.coord)),
                angles: camera.angles.map(|v| Angle::of_float(v.into(), d.angle)),
            })
        })
    }

    /// The text at the end of an episode.
    pub(super) fn finale_told(&self) -> Option<Message<'static>> {
        self.level.finale.clone().map(|text| Message::Finale(Finale { text: text.into() }))
    }

    fn server_data(&self, d: &Dialect) -> ServerData<'static> {
        /// Whoever only watches.
        const SPECTATOR: u8 = 0x80;
        let level = &self.level;
        let client = self.recorder.unwrap_or(!SPECTATOR) | if self.spectator { SPECTATOR } else { 0 };
        ServerData {
            extensions: level.extensions.clone(),
            serverversion: d.protocol,
            age: level.age,
            game: level.game.clone().into(),
            servertime: self.server_time().map(|time| Seconds((time as f32).into())),
            client: (!self.multiview).then_some(client),
            mapname: level.title.clone().into(),
            movevars: d.movevars.then(|| MoveVars(level.movevars.map(F32::from))),
        }
    }

    /// What the server's clock shows now in seconds, where an `.mvd` tells.
    fn server_time(&self) -> Option<f64> {
        let since = f64::from(self.msec.wrapping_sub(self.level.told_at)) / 1000.0;
        self.level.server_time.map(|time| f64::from(time) + since)
    }

    /// The score board: all that was told of the players.
    pub(crate) fn board(&self) -> Vec<Message<'static>> {
        (0..).zip(&self.slots).flat_map(|(player, slot)| self.line(player, slot)).collect()
    }

    /// A line of the score board.
    pub(super) fn line(&self, player: u8, slot: &Slot) -> Vec<Message<'static>> {
        let mut messages = Vec::new();
        messages.extend(slot.frags.map(|frags| Message::UpdateFrags(UpdateFrags { player, frags })));
        messages.extend(slot.ping.map(|ping| Message::UpdatePing(UpdatePing { player, ping: ping as i16 })));
        messages.extend(slot.loss.map(|loss| Message::UpdatePl(UpdatePl { player, loss })));
        messages.extend(self.since(slot).map(|ago| {
            let entertime = Seconds((ago as f32).into());
            Message::UpdateEnterTime(UpdateEnterTime { player, entertime })
        }));
        if slot.is_told() {
            let string = slot.userinfo().to_vec().into();
            messages.push(Message::UpdateUserInfo(UpdateUserInfo { player, user: slot.user, string }));
        }
        messages
    }

    /// How many seconds ago a player came.
    fn since(&self, slot: &Slot) -> Option<f64> {
        slot.entered.map(|entered| self.clock.now().0.saturating_sub(entered.0) as f64 / 1e6)
    }

    /// Those of some slots, a bit each, whose states are known.
    pub(super) fn players(&self, slots: u32) -> impl Iterator<Item = (u8, &PlayerState)> {
        let known = (0..).zip(&self.slots).filter_map(|(slot, it)| Some((slot, it.state.as_ref()?)));
        known.filter(move |(slot, _)| slots >> slot & 1 == 1)
    }

    /// A player as a client is told.
    pub(super) fn player(&self, player: u8, state: &PlayerState, d: &Dialect) -> Message<'static> {
        Message::PlayerInfo(PlayerInfo { player, ..State::diff(&self.usual_player(), state, d) })
    }

    /// The list of a packet with a number: whole, or the difference to the packet before where that is near enough.
    fn listing(
        &self,
        base: Option<(u32, &[EntityState])>,
        number: u32,
        to: &[EntityState],
        d: &Dialect,
    ) -> Message<'static> {
        let base = base.filter(|(base, _)| (1..64).contains(&number.wrapping_sub(*base)));
        let entities = diff_entities(base.map(|(_, from)| from), to, &self.level.baselines, d);
        match base {
            Some((base, _)) => Message::DeltaPacketEntities(DeltaPacketEntities { frame: base as u8, entities }),
            None => Message::PacketEntities(PacketEntities { entities }),
        }
    }

    /// The list that is in view: whole, or nothing told as the difference to a packet that nobody has, where that is how
    /// things stand.
    pub(super) fn listing_in_view(&self, d: &Dialect) -> Option<Message<'static>> {
        let whole = self.entities_in_view(d).map(Message::PacketEntities);
        whole.or_else(|| (!self.frames.is_complete()).then(|| self.unknown_list(self.sequence)))
    }

    /// The list that is in view, whole.
    pub(super) fn entities_in_view(&self, d: &Dialect) -> Option<PacketEntities> {
        let (_, entities) = self.frames.in_view()?;
        Some(PacketEntities { entities: diff_entities(None, entities, &self.level.baselines, d) })
    }

    /// Nothing, told in the packet with a number as the difference to one that nobody has.
    pub(crate) fn unknown_list(&self, number: u32) -> Message<'static> {
        // Multi-view recordings count their lists: the next one builds on this one.
        let counted = self.base.filter(|_| self.multiview);
        let frame = counted.unwrap_or(number.wrapping_sub(64) as u8);
        Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities: Vec::new() })
    }

    pub(super) fn nail_lists(&self) -> impl Iterator<Item = Message<'static>> {
        let kinds = self.nails.chunk_by(|a, b| a.id.is_some() == b.id.is_some());
        kinds.flat_map(|nails| nails.chunks(usize::from(u8::MAX))).map(nail_list)
    }

    /// The view, where a server turned it after the last command.
    pub(super) fn turned(&self, d: &Dialect) -> Option<Message<'static>> {
        let last = self.command.map(|command| command.viewangles.map(F32::get));
        let angles = self
            .view_angles
            .filter(|angles| last.map(|all| all.map(f32::to_bits)) != Some(angles.map(f32::to_bits)))?;
        let angles = angles.map(|v| Angle::of_float(v.into(), d.angle));
        Some(Message::SetAngle(SetAngle { about: d.setangle_byte.then_some(0), angles }))
    }

    /// The first part in which another world differs, by name; `None` when both show the same. Left out is what a
    /// [keyframe](World::keyframe_packets) cannot carry. The server's clock, and when players came, may differ by what
    /// rounding to a float loses.
    pub fn difference(&self, other: &World) -> Option<&'static str> {
        self.differences(other).first().copied()
    }

    /// All parts in which another world differs, by name: see [`World::difference`].
    pub fn differences(&self, other: &World) -> Vec<&'static str> {
        let (a, b) = (&*self.level, &*other.level);
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-3 + f64::from(f32::EPSILON) * a.abs().max(b.abs()),
            (a, b) => a == b,
        };
        let slots = || self.slots.iter().zip(&other.slots);
        let board = |slot: &Slot| (slot.user, slot.frags, slot.ping, slot.loss, slot.is_told());
        let same_board = |(a, b): (&Slot, &Slot)| board(a) == board(b) && same(a.userinfo(), b.userinfo());
        // What is no number is the same as itself.
        let bits = |angles: Option<[f32; 3]>| angles.map(|all| all.map(f32::to_bits));
        let recorder = |world: &World| (world.recorder, world.spectator, world.command, bits(world.view_angles));
        let numbers = |world: &World| (world.sequence, world.acknowledged, world.outgoing);
        let parts = [
            ("kind of recording", self.multiview == other.multiview),
            ("level begun", (self.levels.begun() > 0) == (other.levels.begun() > 0)),
            ("level", (a.age, &a.game, &a.title, &a.extensions) == (b.age, &b.game, &b.title, &b.extensions)),
            ("server time", near(self.server_time(), other.server_time())),
            ("physics", a.movevars == b.movevars),
            ("settings", (&a.serverinfo, a.zext) == (&b.serverinfo, b.zext)),
            ("lists", (&a.models, &a.sounds, a.player_model) == (&b.models, &b.sounds, b.player_model)),
            ("light styles", a.lightstyles == b.lightstyles),
            ("base states", a.baselines.told().eq(b.baselines.told())),
            ("static entities", a.statics == b.statics),
            ("ambient sounds", a.ambients == b.ambients),
            ("music", a.track == b.track),
            ("end of the level", (&a.intermission, &a.finale) == (&b.intermission, &b.finale)),
            ("score board", slots().all(same_board)),
            ("times of entering", slots().all(|(a, b)| near(self.since(a), other.since(b)))),
            ("players", slots().all(|(a, b)| a.state == b.state)),
            ("stats", slots().all(|(a, b)| a.stats == b.stats)),
            ("players in view", self.in_view == other.in_view),
            ("entities", self.entity_states() == other.entity_states()),
            ("packets that others build on", self.frames.before(self.sequence) == other.frames.before(other.sequence)),
            ("nails", self.nails == other.nails),
            ("pause", self.paused.is_told() == other.paused.is_told()),
            ("time", self.multiview || self.now == other.now),
            ("recorder", recorder(self) == recorder(other)),
            ("numbers of packets", numbers(self) == numbers(other)),
            ("addressees", !self.multiview || self.to == other.to),
        ];
        parts.into_iter().filter(|(_, same)| !same).map(|(part, _)| part).collect()
    }
}

/// Puts groups of messages into packets, none of which has messages of two groups.
fn split_all(groups: Vec<Vec<Message<'static>>>, mut d: Dialect) -> Result<Vec<Vec<Message<'static>>>, Fault> {
    let mut packets = Vec::new();
    for group in groups {
        packets.extend(split(group, None, World::MOST, &mut d)?);
    }
    packets.retain(|messages| !messages.is_empty());
    Ok(packets)
}

/// The bits of a number of a packet.
pub(super) const LOW: u32 = 0x7FFF_FFFF;

pub(super) fn stuff(text: Vec<u8>) -> Message<'static> {
    Message::StuffText(StuffText { text: text.into() })
}

pub(crate) fn stat(told: ShortOrLong<qwd::UpdateStat, qwd::UpdateStatLong>) -> Message<'static> {
    match told {
        ShortOrLong::Short(m) => Message::UpdateStat(m),
        ShortOrLong::Long(m) => Message::UpdateStatLong(m),
    }
}

/// A player as a multi-view recording tells.
pub(super) fn tracked(player: u8, state: &PlayerState, d: &Dialect) -> Message<'static> {
    Message::MvdPlayerInfo(MvdPlayerInfo { player, ..State::diff(&PlayerState::first(true), state, d) })
}

fn nail_list(nails: &[Nail]) -> Message<'static> {
    let nails = nails.to_vec();
    match nails.iter().all(|nail| nail.id.is_some()) {
        true => Message::Nails2(Nails2 { nails }),
        false => Message::Nails(Nails { nails }),
    }
}

/// A part of a list of names.
struct ListPart<'w> {
    /// Names in front of it.
    first: usize,
    names: Vec<&'w [u8]>,
}

/// A list in parts, each of which a packet has room for. Old protocols have it in one.
fn parts<'w>(names: &'w Names, d: &Dialect) -> Vec<ListPart<'w>> {
    let mut parts: Vec<ListPart<'_>> = Vec::new();
    let mut size = 0;
    for (at, name) in names.iter().enumerate() {
        // An empty name would end the list, and stands where a part of the list was not recorded.
        if name.is_empty() {
            continue;
        }
        let goes_on = parts.last().is_some_and(|part| part.first + part.names.len() == at);
        // A part tells the low byte of where the next one begins, and 0 for none: no part begins at a multiple of 256.
        let has_room = size + name.len() < MOST_NAMES || at % 256 == 0 || !d.numbered_lists;
        if !goes_on || !has_room {
            parts.push(ListPart { first: at, names: Vec::new() });
            size = 0;
        }
        size += name.len() + 1;
        if let Some(part) = parts.last_mut() {
            part.names.push(name);
        }
    }
    parts
}

/// The lists of a level, in parts that a packet has room for.
pub(crate) fn sound_and_model_lists<'n>(
    sound_names: impl Iterator<Item = &'n [u8]>,
    model_names: impl Iterator<Item = &'n [u8]>,
) -> Vec<Message<'static>> {
    let (mut all_sounds, mut all_models) = (Names::default(), Names::default());
    all_sounds.part(0, &StrList::from_strings(sound_names));
    all_models.part(0, &StrList::from_strings(model_names));
    let d = &Dialect::QUAKEWORLD;
    let lists = [sounds(&all_sounds, d), models(&all_models, d)];
    lists.into_iter().flat_map(Result::unwrap_or_default).collect()
}

/// The messages of a list; `message` makes one of the names in front of a part, the names, and where the next one begins.
fn list_messages(
    names: &Names,
    d: &Dialect,
    message: impl Fn(usize, StrList<'static>, u8) -> Result<Message<'static>, Fault>,
) -> Result<Vec<Message<'static>>, Fault> {
    let parts = parts(names, d);
    let next = parts.iter().skip(1).map(|part| (part.first as u8).max(1)).chain([0]);
    parts
        .iter()
        .zip(next)
        .map(|(part, next)| message(part.first, StrList::from_strings(part.names.iter().copied()), next))
        .collect()
}

fn sounds(names: &Names, d: &Dialect) -> Result<Vec<Message<'static>>, Fault> {
    list_messages(names, d, |first, sounds, next| {
        let first = u8::try_from(first)
            .map_err(|_| Fault::unwritable("more than 255 sounds in front of a part of the list"))?;
        let numbered = d.numbered_lists;
        Ok(Message::SoundList(SoundList { first: numbered.then_some(first), sounds, next: numbered.then_some(next) }))
    })
}

fn models(names: &Names, d: &Dialect) -> Result<Vec<Message<'static>>, Fault> {
    list_messages(names, d, |first, models, next| {
        let numbered = d.numbered_lists;
        Ok(match u8::try_from(first) {
            Ok(first) => Message::ModelList(ModelList {
                first: numbered.then_some(first),
                models,
                next: numbered.then_some(next),
            }),
            // No list is that long.
            Err(_) => Message::FteModelList(FteModelList { first: first as u16, models, next }),
        })
    })
}
