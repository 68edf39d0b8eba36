//! What a client of Quake recorded, as one of QuakeWorld records it.
//!
//! All protocols of Quake become 15 first, which has the numbers and places of QuakeWorld.

use std::collections::BTreeMap;
use std::io::Write;

use super::alike::{
    BLOOD, CHAT, CHAT_MARK, COLOR_MARK, HIGH, LAST_ENTITY, LIGHTNING, MUZZLE_FLASH, PARTICLES, SHARED_EFFECTS,
    of_quake, turn,
};
use super::client::{Body, Client, Moment};
use super::recorder;
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::convert::pass::{Converter as _, block_of};
use crate::convert::quake::Quake;
use crate::describe::{SoundIndex, State as _};
use crate::error::{self, Result};
use crate::format::dem::{self, Dem, TempEntity};
use crate::format::qwd::{self, CdTrack, Dialect, Message, MoveVars, Qwd, ServerData, SoundHead};
use crate::frame::Block;
use crate::game::quake;
use crate::game::quakeworld::{
    Baselines, EntityState, PlayerState, Stats, World, sound_and_model_lists, stat, stat_message,
};
use crate::wire::{Angle, AngleKind, ByteWriter, F32};
use crate::world::{Clock, Scene};

/// The highest number of an entity that can be heard.
const LAST_SOUNDING: u16 = 1023;
/// The weapon that Quake tells as 0.
const AXE: i32 = 4096;
const PLAYER_MODEL: &[u8] = b"progs/player.mdl";

/// A recording of Quake on its way to one of QuakeWorld.
pub(super) struct FromQuake {
    quake: Quake,
    bytes: ByteWriter,
    world: quake::World,
    client: Client,
    protocol: i32,
    levels: i32,
    /// What the server's clock showed when demo time began, in seconds.
    first: Option<f64>,
    /// True when something was seen since the last packet.
    shows: bool,
    over: bool,
    player_model: u16,
    baselines: Baselines,
    stats: Stats,
    /// What was told of each slot of the score board.
    board: BTreeMap<u8, Vec<u8>>,
    /// Numbers of entities that QuakeWorld has no room for, and those that they have for it.
    numbers: BTreeMap<u16, u16>,
    ended: bool,
}

impl FromQuake {
    pub(super) fn new(protocol: i32) -> Self {
        FromQuake {
            quake: Quake::new(15),
            bytes: ByteWriter::default(),
            world: quake::World::default(),
            client: Client::default(),
            protocol,
            levels: 0,
            first: None,
            shows: false,
            over: false,
            player_model: 0,
            baselines: Baselines::default(),
            stats: Stats::default(),
            board: BTreeMap::new(),
            numbers: BTreeMap::new(),
            ended: false,
        }
    }

    /// Time goes on over all levels, from what the first one shows first.
    fn seconds(&self) -> f64 {
        self.first.unwrap_or(0.0) + self.world.clock().demo.seconds()
    }

    fn recorder(&self) -> u8 {
        recorder(&self.world)
    }

    /// A level begins.
    fn level(&mut self, m: &dem::ServerInfo<'_>) {
        self.levels += 1;
        (self.baselines, self.stats) = (Baselines::default(), Stats::default());
        (self.shows, self.over) = (false, false);
        self.board.clear();
        self.numbers.clear();
        let player = m.models.iter().position(|name| name == PLAYER_MODEL);
        self.player_model = player.and_then(|at| u16::try_from(at + 1).ok()).unwrap_or(0);
        self.client.tell(Message::ServerData(ServerData {
            serverversion: self.protocol,
            age: self.levels,
            game: b"qw".to_vec().into(),
            client: Some(self.recorder()),
            mapname: m.mapname.clone(),
            movevars: Some(MoveVars(World::MOVEVARS.map(F32::from))),
            ..ServerData::default()
        }));
        let settings = format!("\\maxclients\\{}\\deathmatch\\{}\\map\\", m.maxclients, m.multi);
        let map = self.world.level().map.to_vec();
        self.stuff(&[b"fullserverinfo \"", settings.as_bytes(), &map, b"\"\n"].concat());
        for list in sound_and_model_lists(m.sounds.iter(), m.models.iter()) {
            self.client.tell(list);
        }
    }

    fn stuff(&mut self, text: &[u8]) {
        self.client.tell(Message::StuffText(dem::StuffText { text: text.to_vec().into() }));
    }

    /// A message of protocol 15 as QuakeWorld tells it.
    fn take<W: Write>(&mut self, message: dem::Message<'_>, out: &mut Output<Qwd, W>) {
        use dem::Message as Told;
        match &message {
            Told::KilledMonster(_) => self.add(stat::MONSTERS),
            Told::FoundSecret(_) => self.add(stat::SECRETS),
            _ => {}
        }
        let new = match message {
            Told::ServerInfo(m) => return self.level(&m),
            Told::Time(_) | Told::UpdateEntity(_) | Told::ClientData(_) => {
                self.shows = true;
                return;
            }
            Told::SpawnBaseline(m) => {
                self.baselines.set(EntityState::of(&m, &Dialect::QUAKEWORLD));
                if m.entity > LAST_ENTITY {
                    return;
                }
                Message::SpawnBaseline(m)
            }
            Told::SpawnStatic(m) => Message::SpawnStatic(m),
            Told::SpawnStaticSound(m) => Message::SpawnStaticSound(m),
            Told::CutScene(m) => Message::CenterPrint(dem::CenterPrint { text: m.text }),
            Told::CdTrack(m) => Message::CdTrack(CdTrack { track: m.fromtrack }),
            Told::SetAngle(m) => Message::SetAngle(qwd::SetAngle { about: None, angles: m.angles }),
            Told::Print(m) => print(&m),
            Told::Sound(m) if m.source.entity > LAST_SOUNDING => return out.lose(Loss::Sound),
            Told::Sound(m) => Message::Sound(qwd::Sound {
                head: SoundHead {
                    channel: m.source.channel & 7,
                    entity: m.source.entity,
                    bit13: false,
                    vol: m.vol.map(|vol| vol.0),
                    attenuation: m.attenuation.map(|attenuation| attenuation.0),
                },
                soundnum: SoundIndex(m.soundnum.0),
                origin: m.origin,
            }),
            Told::TempEntity(m) => match effect(&m) {
                Some(effect) => effect,
                None => return out.lose(Loss::Effect),
            },
            Told::Particle(m) => match particles(&m) {
                Some(effect) => effect,
                None => return out.lose(Loss::Effect),
            },
            Told::Intermission(_) => {
                self.over = true;
                return;
            }
            Told::SetView(m) => {
                let is_own = u16::from(self.recorder()) + 1 == m.entity;
                if !is_own {
                    out.lose(Loss::View);
                }
                return;
            }
            // The score board and the stats are told when they have changed.
            Told::UpdateName(_) | Told::UpdateColors(_) | Told::UpdateStat(_) => return,
            // Stages of connecting, and what says nothing.
            Told::SignonNum(_) | Told::Nop(_) | Told::Disconnect(_) | Told::Version(_) | Told::SpawnBinary(_) => return,
            other => match of_quake(other) {
                Some(same) => same,
                None => return out.lose(Loss::Message),
            },
        };
        self.client.tell(new);
    }

    fn add(&mut self, stat: usize) {
        if let Some(count) = self.stats.0.get_mut(stat) {
            *count = count.wrapping_add(1);
        }
    }

    /// Names and colours that have changed.
    fn names(&mut self) {
        for player in 0..self.world.maxclients().min(World::SLOTS as u8) {
            let Some(score) = self.world.score(player) else { continue };
            let mut info = [b"\\name\\", &*plain(&score.name)].concat();
            if let Some(colors) = score.colors {
                info.extend(format!("\\topcolor\\{}\\bottomcolor\\{}", colors.shirt(), colors.pants()).into_bytes());
            }
            let is_there = !score.name.is_empty();
            if !is_there {
                info.clear();
            }
            if self.board.get(&player) == Some(&info) || !is_there && !self.board.contains_key(&player) {
                continue;
            }
            let user = if is_there { i32::from(player) + 1 } else { 0 };
            let string = info.clone().into();
            self.client.tell(Message::UpdateUserInfo(qwd::UpdateUserInfo { player, user, string }));
            self.board.insert(player, info);
        }
    }

    /// Numbers of the recorder that have changed.
    fn numbers(&mut self) {
        let mut now = self.stats;
        if let Some(client) = self.world.client() {
            let weapon = if client.weapon == 0 && client.weapon_model != 0 { AXE } else { client.weapon.into() };
            let told = [
                (stat::HEALTH, client.health.into()),
                (stat::WEAPON_MODEL, client.weapon_model.into()),
                (stat::AMMO, client.ammo.into()),
                (stat::ARMOR, client.armor.into()),
                (stat::SHELLS, client.shells.into()),
                (stat::SHELLS + 1, client.nails.into()),
                (stat::SHELLS + 2, client.rockets.into()),
                (stat::SHELLS + 3, client.cells.into()),
                (stat::ACTIVE_WEAPON, weapon),
                (stat::ITEMS, client.items as i32),
            ];
            for (index, value) in told {
                if let Some(to) = now.0.get_mut(index) {
                    *to = value;
                }
            }
        }
        for index in stat::TOTALS {
            let told = u8::try_from(index).ok().and_then(|index| self.world.stat(index));
            if let (Some(to), Some(value)) = (now.0.get_mut(index), told) {
                *to = value;
            }
        }
        for told in Stats::diff(&self.stats, &now) {
            self.client.tell(stat_message(told));
        }
        self.stats = now;
    }

    /// The number that an entity has in the output; `None` where there is none left.
    fn number(&mut self, number: u16, taken: &[u16]) -> Option<u16> {
        if number <= LAST_ENTITY {
            return Some(number);
        }
        if let Some(known) = self.numbers.get(&number).filter(|known| !taken.contains(known)) {
            return Some(*known);
        }
        let is_free = |free: &u16| !taken.contains(free) && !self.numbers.values().any(|used| used == free);
        let free = (World::SLOTS as u16 + 1..=LAST_ENTITY).rev().find(is_free)?;
        self.numbers.insert(number, free);
        Some(free)
    }

    /// What is in view: players, and other entities.
    fn seen<W: Write>(&mut self, out: &mut Output<Qwd, W>) -> (Vec<Body>, Vec<EntityState>) {
        let own = self.recorder();
        let slots = u16::from(self.world.maxclients());
        let in_view = self.world.in_view().to_vec();
        let taken: Vec<_> = in_view.iter().map(|it| it.number).filter(|number| *number <= LAST_ENTITY).collect();
        self.numbers.retain(|number, _| in_view.iter().any(|it| it.number == *number));
        let (mut players, mut entities) = (Vec::new(), Vec::new());
        for it in &in_view {
            let state = &it.state;
            let slot = it.number.checked_sub(1).filter(|slot| *slot < slots).and_then(|slot| u8::try_from(slot).ok());
            let Some(slot) = slot.filter(|slot| usize::from(*slot) < World::SLOTS) else {
                if state.model == 0 {
                    continue;
                }
                match self.number(it.number, &taken) {
                    Some(number) => entities.push(entity(number, state)),
                    None => out.lose(Loss::Entity),
                }
                if state.effects & !(SHARED_EFFECTS | MUZZLE_FLASH) != 0 {
                    out.lose(Loss::Effect);
                }
                continue;
            };
            let is_own = slot == own;
            if state.model == 0 && !is_own {
                continue;
            }
            if state.effects & MUZZLE_FLASH != 0 {
                self.client.tell(Message::MuzzleFlash(qwd::MuzzleFlash { entity: it.number }));
            }
            let client = self.world.client().filter(|_| is_own);
            let is_dead = client.is_some_and(|client| client.health <= 0);
            let weapon_frame = client.map_or(0, |client| client.weapon_frame as u8);
            let player = PlayerState::of_quake(&entity(it.number, state), view_of(state), weapon_frame, is_dead);
            let velocity = client.map(|client| client.velocity().map(|v| v as i16));
            players.push(Body { slot, state: player, velocity });
        }
        entities.sort_by_key(|entity| entity.number);
        (players, entities)
    }

    /// The end of the level, seen from where the recorder is then.
    fn intermission(&mut self, view: [f32; 3]) {
        if !std::mem::take(&mut self.over) {
            return;
        }
        let own = u16::from(self.recorder()) + 1;
        let place = self.world.entity_state(own).map(|state| state.origin).unwrap_or_default();
        let angles = view.map(|v| Angle::of_float(v.into(), AngleKind::I8));
        self.client.tell(Message::Intermission(qwd::Intermission { origin: place, angles }));
    }
}

/// A print with its level.
fn print(m: &dem::Print<'_>) -> Message<'static> {
    let text = m.text.bytes();
    let (level, text) = match text.split_first() {
        Some((&CHAT_MARK, rest)) => (CHAT, rest.to_vec()),
        Some((&COLOR_MARK, rest)) => (HIGH, rest.iter().map(|b| if *b > b' ' { b | 0x80 } else { *b }).collect()),
        _ => (HIGH, text.to_vec()),
    };
    Message::Print(qwd::Print { level, string: text.into() })
}

/// An effect that QuakeWorld has, too; with a count where it counts them.
fn effect(m: &TempEntity<'_>) -> Option<Message<'static>> {
    let (entitytype, count) = match m.entitytype {
        2 => (2, Some(1)),
        // An explosion in colours of its own.
        12 => (3, None),
        0..=11 => (m.entitytype, None),
        _ => return None,
    };
    let (entity, trace_endpos) = (m.entity, m.trace_endpos);
    Some(Message::TempEntity(qwd::TempEntity { entitytype, count, entity, origin: m.origin?, trace_endpos }))
}

/// Particles as hits: of blood, of lightning, of bullets. 255 is an explosion.
fn particles(m: &dem::Particle) -> Option<Message<'static>> {
    let times = Some((m.count / PARTICLES).max(1));
    let (entitytype, count) = match m.color {
        _ if m.count == u8::MAX => (3, None),
        BLOOD => (12, times),
        LIGHTNING => (13, None),
        0 => (2, times),
        _ => return None,
    };
    let effect = qwd::TempEntity { entitytype, count, origin: m.origin, ..qwd::TempEntity::default() };
    Some(Message::TempEntity(effect))
}

/// A name without what would end it in a list of keys.
fn plain(name: &[u8]) -> Vec<u8> {
    name.iter().map(|b| if matches!(b, b'\\' | b'"') { b'\'' } else { *b }).collect()
}

fn entity(number: u16, state: &quake::EntityState) -> EntityState {
    EntityState {
        number,
        model: state.model,
        frame: state.frame as u8,
        colormap: state.colormap,
        skin: state.skin,
        effects: state.effects & SHARED_EFFECTS,
        origin: state.origin.map(|v| v.float()),
        angles: state.angles.map(|v| v.float()),
        ..EntityState::default()
    }
}

/// Where a player looks.
fn view_of(state: &quake::EntityState) -> [i16; 3] {
    state.view_angles().map(turn)
}

impl Across for FromQuake {
    type From = Dem;
    type Into = Qwd;

    fn apply(&mut self, chunk: &dem::Chunk<'_>) -> Clock {
        // Blocks are taken in when they are in protocol 15.
        if !matches!(chunk, dem::Chunk::Block(_)) {
            self.world.apply(chunk);
        }
        self.world.clock()
    }

    fn block<W: Write>(
        &mut self,
        block: &dem::Block<'_>,
        packet: dem::Packet<'_>,
        dialect: dem::Dialect,
        out: &mut Output<Qwd, W>,
    ) -> Result<()> {
        let view = packet.header.camera.map(F32::get);
        let is_last = block.is_final();
        let protocols = packet.messages.iter().filter_map(|message| match message {
            dem::Message::ServerInfo(m) => Some(m.serverversion),
            _ => None,
        });
        protocols.for_each(|protocol| out.progress.is_from(protocol));
        out.progress.check()?;
        self.quake.pass().progress.at(block.index, self.world.clock());
        let (packet, bytes) = block_of(&mut self.quake, packet, dialect, std::mem::take(&mut self.bytes))?;
        if let Some(block) = Block::of_bytes(bytes.as_slice(), block.index, block.offset) {
            self.world.apply(&dem::Chunk::Block(block));
        }
        out.progress.at(block.index, self.world.clock());
        for message in packet.into_owned().messages {
            self.take(message, out);
        }
        self.bytes = bytes;
        if is_last {
            return self.end(out);
        }
        if self.world.changes().board != 0 {
            self.names();
        }
        if !std::mem::take(&mut self.shows) {
            return Ok(());
        }
        let clock = self.world.clock();
        if let (None, Some(error::Moment::Seconds(now))) = (self.first, clock.now) {
            self.first = Some(f64::from(now) - clock.demo.seconds());
        }
        self.numbers();
        let (players, entities) = self.seen(out);
        self.intermission(view);
        let seconds = self.seconds();
        let seen = Moment {
            own: self.recorder(),
            view,
            players: &players,
            usual: PlayerState::usual(self.player_model),
            entities: self.world.is_complete().then_some(&entities[..]),
            changed: None,
            baselines: &self.baselines,
            nails: &[],
        };
        self.client.frame(seconds, &seen, out)
    }

    fn end<W: Write>(&mut self, out: &mut Output<Qwd, W>) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        out.progress.absorb(&mut self.quake.pass().progress);
        self.client.end(self.seconds(), out)
    }
}
