//! What a client of QuakeWorld recorded, as one of Quake records it, in protocol 15.

use std::collections::BTreeMap;
use std::io::Write;

use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::describe::{Attenuation, Seconds, SignedByte, SoundIndex, StatIndex, Velocity16, Volume};
use crate::error::{Moment, Result};
use crate::format::dem::{self, ChannelEntity, Colors, Dem, Message, SignonNum, Time, UpdateColors, UpdateName};
use crate::format::qwd::{self, Contents, Dialect, Qwd};
use crate::format::{Format as _, MessageSet as _, encode_messages};
use crate::game::quake::{self, Baselines, Client, InView, diff_entities};
use crate::game::quakeworld::info::full_serverinfo;
use crate::game::quakeworld::{EntityState, Names, PlayerState, World, stat};
use crate::game::split;
use crate::wire::{Angle, AngleKind, ByteWriter, Coord, CoordKind, F32, IntoOwned as _, StrList, info_value};
use crate::world::{Clock, Scene};

/// Slots that engines have room for.
const SLOTS: u8 = 16;
/// Models and sounds that there are numbers for.
const NAMES: usize = 255;
/// QuakeWorld numbers entities up to here, unless its extensions have more; engines of Quake up to 600.
const LAST_ENTITY: u16 = 511;
const SPIKE: &[u8] = b"progs/spike.mdl";
/// Effects that mean the same, and the flash at the muzzle, which QuakeWorld has a message for.
const SHARED_EFFECTS: u8 = 0b1101;
const MUZZLE_FLASH: u8 = 0b0010;
/// Chat, and what marks it.
const CHAT: u8 = 3;
const CHAT_MARK: u8 = 1;
/// Particles of a hit.
const PARTICLES: u8 = 20;
const BLOOD: u8 = 73;
const LIGHTNING: u8 = 225;

/// A recording of QuakeWorld on its way to one of Quake.
pub(super) struct ToQuake {
    world: World,
    /// What is told with the next frame.
    waiting: Vec<Message<'static>>,
    /// True once the file has begun.
    begun: bool,
    /// True from the beginning of a level until it shows something.
    signs_on: bool,
    /// When the level was told, in seconds.
    began: f32,
    shows: bool,
    /// The slots that players have in the output.
    slots: [Option<u8>; World::SLOTS],
    /// What was told of them: name, frags, colours.
    board: BTreeMap<u8, (Vec<u8>, i16, u8)>,
    stats: [i32; 4],
    baselines: Baselines,
    /// Who fired, a bit each, and how the view was kicked, in degrees.
    flashes: u32,
    kick: i8,
    /// Commands since the last packet.
    commands: u32,
    /// The score board has changed since the last frame.
    scored: bool,
    w: ByteWriter,
    ended: bool,
}

impl ToQuake {
    pub(super) fn new() -> Self {
        ToQuake {
            world: World::new(false),
            waiting: Vec::new(),
            begun: false,
            signs_on: false,
            began: 0.0,
            shows: false,
            slots: [None; World::SLOTS],
            board: BTreeMap::new(),
            stats: [0; 4],
            baselines: Baselines::default(),
            flashes: 0,
            kick: 0,
            commands: 0,
            scored: false,
            w: ByteWriter::default(),
            ended: false,
        }
    }

    fn own(&self) -> u8 {
        Scene::recorder(&self.world).and_then(|slot| u8::try_from(slot).ok()).unwrap_or(0)
    }

    fn view(&self) -> [F32; 3] {
        let camera = self.world.intermission().map(|camera| camera.angles);
        camera.or(self.world.view_angles()).unwrap_or_default().map(F32::from)
    }

    fn now(&self) -> f32 {
        if let Some(Moment::Seconds(now)) = self.world.clock().now { now } else { 0.0 }
    }

    fn time(&self) -> Message<'static> {
        told_at(self.now())
    }

    /// The slot that a player has in the output; `None` where there is none left.
    fn slot(&mut self, player: u8) -> Option<u8> {
        let known = self.slots.get(usize::from(player)).copied()?;
        if known.is_some() {
            return known;
        }
        let is_free = |slot: &u8| !self.slots.contains(&Some(*slot));
        let free = Some(player).filter(|slot| *slot < SLOTS && is_free(slot)).or((0..SLOTS).rev().find(is_free))?;
        if let Some(to) = self.slots.get_mut(usize::from(player)) {
            *to = Some(free);
        }
        Some(free)
    }

    /// The number that an entity has in the output: those of players have their slots.
    fn entity(&mut self, number: u16) -> Option<u16> {
        match number.checked_sub(1).and_then(|slot| u8::try_from(slot).ok()) {
            Some(player) if usize::from(player) < World::SLOTS => self.slot(player).map(|slot| u16::from(slot) + 1),
            _ => Some(number),
        }
    }

    fn blocks<W: Write>(
        &mut self,
        messages: Vec<Message<'static>>,
        again: Option<&Message<'static>>,
        out: &mut Output<Dem, W>,
    ) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            out.bytes(NO_TRACK)?;
        }
        let camera = self.view();
        self.w.clear();
        let is_short =
            encode_messages(&messages, &mut out.dialect(), &mut self.w).is_ok() && self.w.len() <= quake::World::MOST;
        if is_short {
            return out.packet(dem::Packet::new(camera, messages));
        }
        let packets = split(messages.iter().cloned(), again, quake::World::MOST, &mut out.dialect());
        // What cannot be written is left out where it is.
        let packets = packets.unwrap_or_else(|_| vec![messages]);
        for messages in packets {
            out.packet(dem::Packet::new(camera, messages))?;
        }
        Ok(())
    }

    /// What a level begins with, in its three stages.
    fn level<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Result<()> {
        let own = self.own();
        let slot = self.slot(own).unwrap_or(0);
        let world = &self.world;
        let is_deathmatch = info_value(world.serverinfo(), "deathmatch").is_none_or(|v| v != b"0");
        let [models, sounds] = [world.models(), world.sounds()].map(|names| {
            if names.len() > NAMES {
                out.lose(Loss::Name);
            }
            list(names)
        });
        let mut first = vec![Message::ServerInfo(dem::ServerInfo {
            serverversion: out.progress.done.to_protocol,
            maxclients: SLOTS,
            multi: is_deathmatch.into(),
            mapname: world.level().title.to_vec().into(),
            models,
            sounds,
            ..dem::ServerInfo::default()
        })];
        if let Some(track) = world.cd_track() {
            first.push(Message::CdTrack(dem::CdTrack { fromtrack: track, totrack: track }));
        }
        first.push(Message::SetView(dem::SetView { entity: u16::from(slot) + 1 }));
        let mut second = Vec::new();
        let told: Vec<_> = world.baselines().told().copied().collect();
        let statics: Vec<_> = world.statics().to_vec();
        let ambients = world.ambient_sounds().to_vec();
        self.baselines = Baselines::default();
        for state in told {
            let (number, base) = (state.number, thing(&state, out));
            self.baselines.set(number, base);
            second.extend(short(base.baseline(number, &dem::Dialect::QUAKE)).map(Message::SpawnBaseline));
        }
        for state in statics {
            let base = thing(&state, out);
            second.extend(short(base.still(&dem::Dialect::QUAKE)).map(Message::SpawnStatic));
        }
        for sound in ambients {
            match short(sound.message(&dem::Dialect::QUAKE)) {
                Some(message) => second.push(Message::SpawnStaticSound(message)),
                None => out.lose(Loss::Sound),
            }
        }
        let styles = (0..64u8).filter_map(|style| Some((style, self.world.lightstyle(style.into())?)));
        // Time begins when the level was told.
        let mut third = vec![told_at(self.began)];
        let styles = styles
            .filter(|(_, text)| !text.is_empty())
            .map(|(style, text)| Message::LightStyle(dem::LightStyle { style, string: text.to_vec().into() }));
        third.extend(styles);
        self.board.clear();
        self.stats = [0; 4];
        third.extend(self.board(out));
        third.extend(self.totals());
        for (stage, mut messages) in (1..).zip([first, second, third]) {
            messages.push(Message::SignonNum(SignonNum { signon: stage }));
            self.blocks(messages, None, out)?;
        }
        Ok(())
    }

    /// What has changed of the score board.
    fn board<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Vec<Message<'static>> {
        let mut messages = Vec::new();
        for player in 0..World::SLOTS as u8 {
            let Some(it) = self.world.slot(player.into()) else { continue };
            let is_there = it.user != 0 && !it.is_spectator();
            let name = it.value("name").filter(|_| is_there).unwrap_or_default().to_vec();
            let (frags, colors) = (it.frags.unwrap_or(0), it.colors().map(|color| color.unwrap_or(0).min(13)));
            let has_slot = self.slots.get(usize::from(player)).is_some_and(Option::is_some);
            if !is_there && !has_slot {
                continue;
            }
            let Some(slot) = self.slot(player) else {
                out.lose(Loss::Entity);
                continue;
            };
            let [shirt, pants] = colors;
            let (now, before) = ((name, frags, shirt << 4 | pants), self.board.get(&slot));
            if before.is_none_or(|before| before.0 != now.0) {
                messages.push(Message::UpdateName(UpdateName { player: slot, netname: now.0.clone().into() }));
            }
            if before.is_none_or(|before| before.1 != now.1) {
                messages.push(Message::UpdateFrags(dem::UpdateFrags { player: slot, frags: now.1 }));
            }
            if before.is_none_or(|before| before.2 != now.2) {
                messages.push(Message::UpdateColors(UpdateColors { player: slot, colors: Colors(now.2) }));
            }
            self.board.insert(slot, now);
            // Whoever has left makes room, but for the recorder.
            if !is_there && player != self.own() {
                if let Some(to) = self.slots.get_mut(usize::from(player)) {
                    *to = None;
                }
            }
        }
        messages
    }

    /// Secrets and monsters, where their number has changed.
    fn totals(&mut self) -> Vec<Message<'static>> {
        let stats = self.world.stats(self.own().into()).copied().unwrap_or_default();
        let mut messages = Vec::new();
        for (told, index) in self.stats.iter_mut().zip(stat::TOTALS) {
            let value = stats.get(index);
            if std::mem::replace(told, value) != value {
                let index = StatIndex(index as u16);
                messages.push(Message::UpdateStat(dem::UpdateStat { index, value }));
            }
        }
        messages
    }

    /// A message that is passed on adds to a number.
    fn add(&mut self, index: usize) {
        let told = self.stats.iter_mut().zip(stat::TOTALS).find(|(_, at)| *at == index);
        if let Some((told, _)) = told {
            *told = told.wrapping_add(1);
        }
    }

    /// What the recorder has, and how the view is.
    fn client<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Message<'static> {
        let own = self.own();
        let stats = self.world.stats(own.into()).copied().unwrap_or_default();
        let state = self.world.slot(own.into()).and_then(|slot| slot.state);
        let mut number = |index: usize| byte(stats.get(index), out);
        let (armor, ammo) = (number(stat::ARMOR), number(stat::AMMO));
        let [shells, nails, rockets, cells] = [0, 1, 2, 3].map(|n| number(stat::SHELLS + n));
        let weapon_model = number(stat::WEAPON_MODEL);
        let flags = state.map(|state| state.flags).unwrap_or_default();
        let height = match (flags.gib, flags.dead) {
            (true, _) => 8,
            (_, true) => -16,
            _ => self.world.view_height(own.into()) as i8,
        };
        let speed = |v: i16| SignedByte((v / 16).clamp(-128, 127) as i8);
        let client = Client {
            view_height: SignedByte(height),
            punch: [SignedByte(std::mem::take(&mut self.kick)), SignedByte(0), SignedByte(0)],
            velocity: state.map_or([SignedByte(0); 3], |state| state.velocity.map(speed)),
            items: stats.get(stat::ITEMS) as u32,
            on_ground: flags.on_ground,
            weapon_frame: state.map_or(0, |state| state.weapon_frame.into()),
            armor,
            weapon_model,
            health: stats.get(stat::HEALTH).clamp(i16::MIN.into(), i16::MAX.into()) as i16,
            ammo,
            shells,
            nails,
            rockets,
            cells,
            // The axe is told as no weapon.
            weapon: stats.get(stat::ACTIVE_WEAPON) as u8,
            ..Client::default()
        };
        Message::ClientData(client.message(None, &dem::Dialect::QUAKE))
    }

    /// What is in view.
    fn seen<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Vec<InView> {
        let own = self.own();
        let (mut seen, flashes) = (Vec::new(), std::mem::take(&mut self.flashes));
        let camera = self.world.intermission().copied();
        for player in 0..World::SLOTS as u8 {
            let is_own = player == own;
            let in_view = self.world.is_in_view(player.into()) || is_own;
            let Some(state) = self.world.slot(player.into()).and_then(|it| it.state).filter(|_| in_view) else {
                continue;
            };
            let Some(slot) = self.slot(player) else {
                out.lose(Loss::Entity);
                continue;
            };
            if state.alpha.is_some() {
                out.lose(Loss::Alpha);
            }
            if state.tells_movement() && !is_own {
                out.lose(Loss::Movement);
            }
            let view = if is_own { self.world.view_angles() } else { state.angles() }.unwrap_or_default();
            let flash = if flashes >> player & 1 == 1 { MUZZLE_FLASH } else { 0 };
            let mut body = player_thing(&state, view, slot, out);
            body.effects |= flash;
            if let (true, Some(camera)) = (is_own, camera) {
                body.origin = camera.origin.map(|v| Coord::of_float(v.into(), CoordKind::I16));
            }
            seen.push(InView::new(u16::from(slot) + 1, body));
        }
        if self.world.is_complete() {
            let entities = self.world.entity_states().to_vec();
            seen.extend(entities.iter().map(|state| InView::new(state.number, thing(state, out))));
        }
        let spike = (1..=self.world.models().len()).find(|n| self.world.models().get(*n) == Some(SPIKE));
        if let Some(model) = spike.and_then(|model| u8::try_from(model).ok()) {
            let last = seen.iter().map(|it| it.number).max().unwrap_or(0).max(LAST_ENTITY);
            let nails = (last + 1..).zip(self.world.nails());
            seen.extend(nails.map(|(number, nail)| {
                let origin = nail.origin().map(|v| Coord::of_float(F32::from(f32::from(v)), CoordKind::I16));
                let angles = nail.angles().map(|v| Angle::of_float(F32::from(v), AngleKind::I8));
                let state = quake::EntityState { model: model.into(), origin, angles, ..quake::EntityState::default() };
                // Lists of nails do not say which is which.
                InView { step: true, ..InView::new(number, state) }
            }));
        }
        seen.sort_by_key(|it| it.number);
        seen
    }

    fn frame<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Result<()> {
        if std::mem::take(&mut self.commands) > 1 {
            out.lose(Loss::View);
        }
        if std::mem::take(&mut self.signs_on) {
            self.level(out)?;
        }
        let time = self.time();
        let mut messages = vec![time.clone()];
        if std::mem::take(&mut self.scored) {
            messages.extend(self.board(out));
        }
        messages.extend(self.totals());
        messages.append(&mut self.waiting);
        messages.push(self.client(out));
        let seen = self.seen(out);
        let updates = diff_entities(&seen, &self.baselines, &dem::Dialect::QUAKE);
        messages.extend(updates.into_iter().map(Message::UpdateEntity));
        self.blocks(messages, Some(&time), out)
    }

    /// What becomes of a message.
    fn take<W: Write>(&mut self, message: qwd::Message<'_>, out: &mut Output<Dem, W>) {
        use qwd::Message as Told;
        let new = match message {
            Told::ServerData(m) => {
                out.progress.is_from(m.serverversion);
                (self.signs_on, self.shows, self.began) = (true, false, self.now());
                self.slots = [None; World::SLOTS];
                self.board.clear();
                return;
            }
            Told::PlayerInfo(_)
            | Told::PacketEntities(_)
            | Told::DeltaPacketEntities(_)
            | Told::Nails(_)
            | Told::Nails2(_) => {
                self.shows = true;
                return;
            }
            // A level begins with all that is known of it.
            Told::ModelList(_)
            | Told::FteModelList(_)
            | Told::SoundList(_)
            | Told::SpawnBaseline(_)
            | Told::FteSpawnBaseline2(_)
            | Told::SpawnStatic(_)
            | Told::FteSpawnStatic2(_)
            | Told::SpawnStaticSound(_) => return,
            Told::LightStyle(_) | Told::CdTrack(_) if self.signs_on => return,
            // The score board and the stats are told when they have changed.
            Told::UpdateFrags(_) | Told::UpdateStat(_) | Told::UpdateStatLong(_) => return,
            Told::UpdateUserInfo(m) => {
                let has = |key| info_value(m.string.bytes(), key).is_some_and(|value| !value.is_empty());
                if has("team") || has("skin") {
                    out.lose(Loss::Board);
                }
                return;
            }
            Told::SetInfo(m) => {
                let is_told = matches!(m.name.bytes(), b"name" | b"topcolor" | b"bottomcolor");
                if !is_told {
                    out.lose(Loss::Board);
                }
                return;
            }
            Told::UpdatePing(_) | Told::UpdatePl(_) | Told::UpdateEnterTime(_) | Told::ServerInfo(_) => {
                return out.lose(Loss::Board);
            }
            Told::MaxSpeed(_) | Told::EntGravity(_) => return out.lose(Loss::Movement),
            Told::Choke(_) | Told::Download(_) => return out.lose(Loss::Connection),
            Told::Nop(_) | Told::Bad(_) | Told::Disconnect(_) | Told::Time(_) => return,
            Told::SmallKick(_) => {
                self.kick = -2;
                return;
            }
            Told::BigKick(_) => {
                self.kick = -4;
                return;
            }
            Told::MuzzleFlash(m) => {
                self.flashes |= m.entity.checked_sub(1).map_or(0, |slot| 1u32.checked_shl(slot.into()).unwrap_or(0));
                return;
            }
            Told::StuffText(m) if self.signs_on || full_serverinfo(m.text.bytes()).is_some() => return,
            Told::StuffText(m) => Message::StuffText(m),
            Told::LightStyle(m) => Message::LightStyle(m),
            Told::CdTrack(m) => Message::CdTrack(dem::CdTrack { fromtrack: m.track, totrack: m.track }),
            Told::StopSound(m) => match self.entity(m.source.entity) {
                Some(entity) => {
                    let source = ChannelEntity { entity, ..m.source };
                    Message::StopSound(dem::StopSound { source })
                }
                None => return out.lose(Loss::Sound),
            },
            Told::Damage(mut m) => {
                self.places(&mut m.origin, out);
                Message::Damage(m)
            }
            Told::SetPause(m) => Message::SetPause(m),
            Told::CenterPrint(m) => Message::CenterPrint(m),
            Told::KilledMonster(m) => {
                self.add(stat::MONSTERS);
                Message::KilledMonster(m)
            }
            Told::FoundSecret(m) => {
                self.add(stat::SECRETS);
                Message::FoundSecret(m)
            }
            Told::SellScreen(m) => Message::SellScreen(m),
            Told::Finale(m) => Message::Finale(m),
            Told::Intermission(_) => Message::Intermission(dem::Intermission {}),
            Told::SetAngle(m) => Message::SetAngle(dem::SetAngle {
                angles: m.angles.map(|angle| Angle::of_float(angle.float(), AngleKind::I8)),
            }),
            Told::Print(m) => {
                let mark: &[u8] = if m.level == CHAT { &[CHAT_MARK] } else { &[] };
                Message::Print(dem::Print { text: [mark, m.string.bytes()].concat().into() })
            }
            Told::Sound(mut m) => {
                self.places(&mut m.origin, out);
                let (Some(entity), Ok(number)) = (self.entity(m.head.entity), u8::try_from(m.soundnum.0)) else {
                    return out.lose(Loss::Sound);
                };
                Message::Sound(dem::Sound {
                    vol: m.head.vol.map(Volume),
                    attenuation: m.head.attenuation.map(Attenuation),
                    source: ChannelEntity { channel: m.head.channel, entity },
                    soundnum: SoundIndex(number.into()),
                    origin: m.origin,
                    ..dem::Sound::default()
                })
            }
            Told::TempEntity(m) => self.effect(m, out),
            _ => return out.lose(Loss::Message),
        };
        self.waiting.push(new.into_owned());
    }

    fn places<W: Write>(&mut self, places: &mut [Coord; 3], out: &mut Output<Dem, W>) {
        *places = places.map(|v| coord(v.float(), out));
    }

    fn effect<W: Write>(&mut self, mut m: qwd::TempEntity, out: &mut Output<Dem, W>) -> Message<'static> {
        self.places(&mut m.origin, out);
        if let Some(end) = &mut m.trace_endpos {
            self.places(end, out);
        }
        let count = m.count.unwrap_or(1);
        let particles = |color, count| {
            let vel = [Velocity16(0); 3];
            Message::Particle(dem::Particle { origin: m.origin, vel, count, color })
        };
        match m.entitytype {
            2 if count != 1 => particles(0, count.saturating_mul(PARTICLES).min(u8::MAX - 1)),
            12 => particles(BLOOD, count.saturating_mul(PARTICLES).min(u8::MAX - 1)),
            13 => particles(LIGHTNING, 50),
            entitytype => Message::TempEntity(dem::TempEntity {
                entitytype,
                entity: m.entity.map(|entity| self.entity(entity).unwrap_or(0)),
                origin: Some(m.origin),
                trace_endpos: m.trace_endpos,
                ..dem::TempEntity::default()
            }),
        }
    }
}

/// The line in front of a file that asks for no music.
const NO_TRACK: &[u8] = b"-1\n";

fn told_at(seconds: f32) -> Message<'static> {
    Message::Time(Time { time: Seconds(seconds.into()) })
}

/// A list of names as far as there are numbers for them.
fn list(names: &Names) -> StrList<'static> {
    StrList::from_strings(names.iter().take(NAMES))
}

/// The form that protocol 15 has.
fn short<Short, Long>(told: crate::game::ShortOrLong<Short, Long>) -> Option<Short> {
    if let crate::game::ShortOrLong::Short(m) = told { Some(m) } else { None }
}

/// A number that has a byte.
fn byte<W: Write>(value: i32, out: &mut Output<Dem, W>) -> u16 {
    let told = value.clamp(0, u8::MAX.into());
    if told != value {
        out.lose(Loss::Stat);
    }
    told as u16
}

fn coord<W: Write>(v: F32, out: &mut Output<Dem, W>) -> Coord {
    let new = Coord::of_float(v, CoordKind::I16);
    if (new.get() - f64::from(v.get())).abs() > 0.5 {
        out.lose(Loss::FarPlace);
    } else if new.float() != v {
        out.lose(Loss::Place);
    }
    new
}

fn angle(degrees: f32) -> Angle {
    Angle::of_float(degrees.into(), AngleKind::I8)
}

/// An entity as Quake has one.
fn thing<W: Write>(state: &EntityState, out: &mut Output<Dem, W>) -> quake::EntityState {
    let model = u8::try_from(state.model).unwrap_or_else(|_| {
        out.lose(Loss::Model);
        0
    });
    if state.alpha != 0 || state.color != [0; 3] {
        out.lose(Loss::Alpha);
    }
    quake::EntityState {
        model: model.into(),
        frame: state.frame.into(),
        colormap: state.colormap,
        skin: state.skin,
        effects: state.effects & SHARED_EFFECTS,
        origin: state.origin.map(|v| coord(v, out)),
        angles: state.angles().map(angle),
        ..quake::EntityState::zero(&dem::Dialect::QUAKE)
    }
}

/// A player as Quake has one: an entity whose model bends by a third of the view.
fn player_thing<W: Write>(
    state: &PlayerState,
    view: [f32; 3],
    slot: u8,
    out: &mut Output<Dem, W>,
) -> quake::EntityState {
    let [pitch, yaw, _] = view;
    let angles = [-pitch / 3.0, yaw, 0.0];
    let body = EntityState {
        number: 0,
        model: state.look.model,
        frame: state.frame,
        colormap: slot + 1,
        skin: state.look.skin,
        effects: state.effects,
        origin: state.origin,
        angles: angles.map(F32::from),
        ..EntityState::default()
    };
    thing(&body, out)
}

impl Across for ToQuake {
    type From = Qwd;
    type Into = Dem;

    fn apply(&mut self, chunk: &qwd::Chunk<'_>) -> Clock {
        self.world.apply_packet(chunk);
        self.scored |= self.world.changes().board != 0;
        self.world.clock()
    }

    fn block<W: Write>(
        &mut self,
        block: &qwd::Block<'_>,
        packet: qwd::Packet<'_>,
        _: Dialect,
        out: &mut Output<Dem, W>,
    ) -> Result<()> {
        match &packet.contents {
            Contents::Packet(_) => {}
            Contents::Command(command) => {
                self.commands += 1;
                if command.buttons.0 != 0 || command.impulse.0 != 0 || command.speed != [0; 3] {
                    out.lose(Loss::Movement);
                }
                return Ok(());
            }
            Contents::Frame(_) => return Ok(()),
            Contents::Connectionless(_) if Qwd::is_last(block, &packet) => return self.end(out),
            Contents::Connectionless(_) | Contents::Bytes(_) => {
                out.lose(Loss::Connection);
                return Ok(());
            }
        }
        for message in packet.messages {
            if message.unknown_bytes().is_none() {
                self.take(message, out);
            }
        }
        if std::mem::take(&mut self.shows) { self.frame(out) } else { Ok(()) }
    }

    fn end<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        if !self.waiting.is_empty() {
            let time = self.time();
            let messages = [vec![time.clone()], std::mem::take(&mut self.waiting)].concat();
            self.blocks(messages, Some(&time), out)?;
        }
        self.blocks(vec![Message::Disconnect(dem::Disconnect {})], None, out)
    }
}
