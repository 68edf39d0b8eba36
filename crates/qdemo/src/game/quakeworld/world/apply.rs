//! Taking in chunks.

use std::sync::Arc;

use crate::describe::State as _;
use crate::error::Moment;
use crate::format::mvd::{self, Mvd, Target};
use crate::format::qwd::{self, Dialect, Message, PacketEntity, Qwd};
use crate::format::{Begin, Owned, Visitor, dem};
use crate::frame::Diagnostic;
use crate::game::quake::damage_to;
use crate::game::quakeworld::World;
use crate::game::quakeworld::info::full_serverinfo;
use crate::game::quakeworld::world::entities::{Base, Frames, Rules};
use crate::game::quakeworld::world::level::{Intermission, LevelState};
use crate::game::quakeworld::world::players::{Slot, Stats, stat};
use crate::game::quakeworld::world::states::{EntityState, PlayerState};
use crate::wire::{Coord, set_info_value};
use crate::world::{Beam, DamageMessage, Input, InputSource, Sound, StringKind, TextKind};

/// Settings do not grow beyond this; engines stop far earlier.
const LONGEST_INFO: usize = 8192;

impl Visitor<Qwd> for World {
    fn begin(&mut self, begin: Begin<'_, '_, Qwd>) {
        let time = begin.block.header.time.0.get();
        self.now = Some(Moment::Seconds(time));
        self.clock.seconds(time);
        match begin.contents {
            qwd::Contents::Command(command) => {
                self.view_angles = Some(command.viewangles.map(|a| a.get()));
                self.command = Some(*command);
                let angles = command.angles.map(|a| a.get());
                let input = Input::of_view(InputSource::Command, self.recorder.map(usize::from), angles);
                self.changes.inputs.push(Input {
                    msec: Some(command.msec as u8),
                    speed: Some(command.speed.map(i32::from)),
                    impulse: Some(command.impulse.0),
                    ..input.with_buttons(command.buttons.0)
                });
                self.outgoing = self.outgoing.wrapping_add(1);
            }
            qwd::Contents::Packet(numbers) => {
                self.sequence = numbers.seq1 & 0x7FFF_FFFF;
                self.acknowledged = numbers.seq2 & 0x7FFF_FFFF;
                self.in_packet = true;
                (self.seen, self.moved) = (0, 0);
            }
            qwd::Contents::Frame(numbers) => self.outgoing = numbers.seq1,
            qwd::Contents::Connectionless(packet) => {
                if let Some(text) = packet.printed() {
                    self.say(TextKind::Print(None), text);
                }
            }
            qwd::Contents::Bytes(_) => {}
        }
    }

    fn message(&mut self, message: &Message<'_>, d: &Dialect) {
        self.take_in(message, d);
    }
}

impl Visitor<Mvd> for World {
    fn begin(&mut self, begin: Begin<'_, '_, Mvd>) {
        let header = &begin.block.header;
        self.msec = self.msec.wrapping_add(i32::from(header.msec));
        self.now = Some(Moment::Milliseconds(self.msec));
        self.clock.ms(i64::from(self.msec));
        if header.msec > 0 {
            self.paused.time_passes();
        }
        match header.to.target {
            Target::Multiple(mask) => self.to = mask,
            Target::Single | Target::Stats => self.to = 1 << (header.to.slot & 31),
            Target::All => self.to = u32::MAX,
            Target::Same | Target::Command | Target::Set => {}
        }
    }

    fn message(&mut self, message: &Message<'_>, d: &Dialect) {
        match message {
            Message::HiddenPause(m) => {
                self.paused.frame();
                self.paused_ms = self.paused_ms.saturating_add(i64::from(m.msec));
            }
            Message::HiddenCommand(m) => {
                let angles = m.angles.map(|a| a.get());
                let input = Input::of_view(InputSource::Hidden, Some(m.player.into()), angles);
                self.changes.inputs.push(Input {
                    msec: Some(m.msec),
                    speed: Some([m.forwardmove, m.sidemove, m.upmove].map(i32::from)),
                    impulse: Some(m.impulse),
                    ..input.with_buttons(m.buttons)
                });
            }
            Message::HiddenDamage(m) => {
                let victim = m.victim.checked_sub(1).filter(|slot| usize::from(*slot) < Self::SLOTS);
                self.changes.damage.push(DamageMessage {
                    attacker: Some(m.attacker),
                    victims: Some(victim.map_or(0, |slot| 1 << slot)),
                    amount: m.damage.into(),
                    save: 0,
                    cause: Some(m.deathtype),
                    by_world: false,
                });
            }
            Message::HiddenDemoInfo(m) => {
                let (text, last) = self.changes.statistics.get_or_insert_default();
                text.extend_from_slice(&m.text.0);
                *last |= m.block == 0;
            }
            // A record for nobody changes nothing.
            _ if self.to == 0 => {}
            Message::MvdPlayerInfo(_) if self.texts_only => {}
            Message::MvdPlayerInfo(m) => {
                // All players of a frame come in one record.
                if !std::mem::replace(&mut self.in_packet, true) {
                    self.seen = 0;
                }
                let has_begun = self.levels.begun() > 0;
                self.player_moves(m.player, |state, _| match state {
                    Some(state) => state.update(m, d),
                    None => state.insert(PlayerState::first(has_begun)).update(m, d) | true,
                });
            }
            message => self.take_in(message, d),
        }
    }
}

impl World {
    /// Takes in a chunk of a `.qwd`. Gives the fault in it.
    pub fn apply_packet(&mut self, chunk: &qwd::Chunk<'_>) -> Option<Diagnostic> {
        self.apply_packet_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_packet_with(
        &mut self,
        chunk: &qwd::Chunk<'_>,
        others: &mut [&mut dyn Visitor<Qwd>],
    ) -> Option<Diagnostic> {
        self.changes.clear();
        (self.listed, self.in_packet) = (false, false);
        match chunk {
            qwd::Chunk::Block(block) => {
                let diagnostic = Owned::visit_with(self, |world| &mut world.packets, block, others);
                // A client sees whom a packet tells of, with entities or without.
                if self.in_packet && (self.listed || self.seen != 0) {
                    self.end_frame();
                }
                diagnostic
            }
            qwd::Chunk::Unframed(unframed) => Some(unframed.into()),
            qwd::Chunk::Start(_) | qwd::Chunk::End | qwd::Chunk::Trailer(_) => None,
        }
    }

    /// Takes in a chunk of an `.mvd`. Gives the fault in it.
    pub fn apply_record(&mut self, chunk: &mvd::Chunk<'_>) -> Option<Diagnostic> {
        self.apply_record_with(chunk, &mut [])
    }

    /// The same, and others see its messages.
    pub(crate) fn apply_record_with(
        &mut self,
        chunk: &mvd::Chunk<'_>,
        others: &mut [&mut dyn Visitor<Mvd>],
    ) -> Option<Diagnostic> {
        self.changes.clear();
        (self.listed, self.in_packet) = (false, false);
        match chunk {
            mvd::Chunk::Block(block) => {
                let diagnostic = Owned::visit_with(self, |world| &mut world.records, block, others);
                // Servers write the players of a frame in front of its list or behind it: all records of a moment are one
                // frame.
                self.in_view = self.seen;
                self.pending |= self.listed;
                if self.pending && block.ends_moment {
                    self.pending = false;
                    self.end_frame();
                }
                diagnostic
            }
            mvd::Chunk::Unframed(unframed) => Some(unframed.into()),
            mvd::Chunk::Start(_) | mvd::Chunk::End | mvd::Chunk::Trailer(_) => None,
        }
    }

    /// A player is seen. `update` says whether that changed something.
    #[inline]
    fn player_moves(&mut self, slot: u8, update: impl FnOnce(&mut Option<PlayerState>, &LevelState) -> bool) {
        let Some(to) = self.slots.get_mut(usize::from(slot)) else { return };
        let bit = 1 << slot;
        self.seen |= bit;
        self.taken |= bit;
        if update(&mut to.state, &self.level) {
            self.moved |= bit;
        }
    }

    /// Everybody in view has been told of.
    fn end_frame(&mut self) {
        let (before, now) = (std::mem::replace(&mut self.before, self.seen), self.seen);
        self.in_view = now;
        let changes = &mut self.changes;
        // Players are known without the list of entities, whose base may be missing.
        (changes.frame, changes.sent) = (true, true);
        self.levels.frame();
        put_in_front(&mut changes.added, now & !before);
        put_in_front(&mut changes.changed, now & before & self.moved);
        put_in_front(&mut changes.removed, before & !now);
        self.moved = 0;
    }

    #[inline]
    fn take_in(&mut self, message: &Message<'_>, d: &Dialect) {
        match message {
            Message::PlayerInfo(_) | Message::PacketEntities(_) | Message::DeltaPacketEntities(_)
                if self.texts_only =>
            {
                self.levels.frame();
            }
            Message::PlayerInfo(m) => self.player_moves(m.player, |state, level| {
                let mut new = PlayerState::usual(level.player_model);
                new.apply(m, d);
                let changed = state.as_ref() != Some(&new);
                *state = Some(new);
                changed
            }),
            Message::PacketEntities(m) => self.list(Base::Baselines, &m.entities, d),
            Message::DeltaPacketEntities(m) => self.list(Base::Packet(m.frame), &m.entities, d),
            Message::UpdateStat(m) => self.set_stat(m.index.0, i32::from(m.value)),
            Message::UpdateStatLong(m) => self.set_stat(m.index.0, m.value),
            Message::Sound(m) => self.changes.sounds.push(Sound {
                sound: m.soundnum.0,
                entity: Some(m.head.entity),
                channel: m.head.channel,
                origin: Some(m.origin.map(|v| v.float().get())),
                volume: m.head.vol.map_or(1.0, |v| f32::from(v) / 255.0),
                attenuation: m.head.attenuation.map_or(1.0, |v| f32::from(v) / 64.0),
                delay_ms: 0,
            }),
            Message::TempEntity(qwd::TempEntity { entitytype, entity: Some(entity), origin, trace_endpos, .. }) => {
                let float = |place: [Coord; 3]| place.map(|v| v.float().get());
                let (from, to) = (float(*origin), float(trace_endpos.unwrap_or(*origin)));
                self.changes.beams.push(Beam { entity: *entity, kind: *entitytype, from, to });
            }
            Message::Nails(m) => self.nails.extend_from_slice(&m.nails),
            Message::Nails2(m) => self.nails.extend_from_slice(&m.nails),
            Message::Print(m) => self.say(TextKind::Print(Some(m.level)), m.string.bytes()),
            Message::CenterPrint(m) => self.say(TextKind::Center, m.text.bytes()),
            Message::StuffText(m) => {
                self.say(TextKind::Console, m.text.bytes());
                if let Some(all) = full_serverinfo(m.text.bytes()) {
                    self.changes.settings = true;
                    let level = self.level();
                    level.serverinfo = all.to_vec();
                    level.settings_changed();
                }
            }
            message => self.rare_message(message, d),
        }
    }

    /// Messages that come now and then.
    fn rare_message(&mut self, message: &Message<'_>, d: &Dialect) {
        match message {
            Message::ServerData(m) => {
                self.begin_level(m);
                self.changes.tell(StringKind::Level, m.mapname.bytes(), None);
            }
            Message::ModelList(m) => self.level().model_part(usize::from(m.first.unwrap_or(0)), &m.models),
            Message::FteModelList(m) => self.level().model_part(usize::from(m.first), &m.models),
            Message::SoundList(m) => {
                let first = usize::from(m.first.unwrap_or(0));
                self.level().sounds.part(first, &m.sounds);
            }
            Message::LightStyle(m) => self.level().lightstyle(m.style, m.string.bytes()),
            Message::SpawnBaseline(m) => self.level().baselines.set(EntityState::of(m, d)),
            Message::FteSpawnBaseline2(m) => {
                self.level().baselines.set(EntityState::of(m, d));
            }
            Message::SpawnStatic(m) => self.level().add_static(EntityState::of(m, d)),
            Message::FteSpawnStatic2(m) => self.level().add_static(EntityState::of(m, d)),
            Message::SpawnStaticSound(m) => self.level().ambient(m, d),
            Message::CdTrack(m) => self.level().track = Some(m.track),
            Message::Intermission(m) => {
                let (origin, angles) = (m.origin.map(|v| v.float().get()), m.angles.map(|v| v.float().get()));
                self.level().intermission = Some(Intermission { origin, angles });
            }
            Message::Finale(m) => self.level().finale = Some(m.text.bytes().to_vec()),
            Message::ServerInfo(m) => {
                self.changes.settings = true;
                self.changes.tell_value(StringKind::ServerInfo, m.name.bytes(), m.value.bytes(), None);
                let level = self.level();
                if level.serverinfo.len() < LONGEST_INFO {
                    set_info_value(&mut level.serverinfo, m.name.bytes(), m.value.bytes());
                    level.settings_changed();
                }
            }
            // These are of the one for whom they are: of nobody in particular in a multi-view recording.
            Message::MaxSpeed(m) if !self.multiview => {
                self.level().movevars[LevelState::MAXSPEED] = m.maxspeed.get();
            }
            Message::EntGravity(m) if !self.multiview => {
                self.level().movevars[LevelState::ENTGRAVITY] = m.entgravity.get();
            }
            // The angles of players in a multi-view recording are told by their own messages alone.
            Message::SetAngle(m) if !self.multiview => self.view_angles = Some(m.angles.map(|v| v.float().get())),
            Message::SetPause(m) => self.paused.set(m.pausestate != 0),
            Message::KilledMonster(_) => self.add_to_stat(stat::MONSTERS),
            Message::FoundSecret(_) => self.add_to_stat(stat::SECRETS),
            Message::Damage(m) => {
                let victims = Some(self.those());
                self.changes.damage.push(damage_to(victims, m));
            }
            Message::UpdateFrags(dem::UpdateFrags { player, frags }) => {
                self.changes.on_board(*player);
                self.at(*player, |slot| slot.frags = Some(*frags));
            }
            Message::UpdatePing(m) => {
                self.changes.pings |= 1 << (m.player & 31);
                self.at(m.player, |slot| slot.ping = Some(m.ping as u16));
            }
            Message::UpdatePl(m) => self.at(m.player, |slot| slot.loss = Some(m.loss)),
            Message::UpdateEnterTime(m) => {
                let entered = self.ago(m.entertime.0.get());
                self.at(m.player, |slot| slot.entered = entered);
            }
            Message::UpdateUserInfo(m) => {
                self.changes.on_board(m.player);
                self.changes.tell(StringKind::UserInfo, m.string.bytes(), Some(m.player));
                self.at(m.player, |slot| slot.set_userinfo(m.user, m.string.bytes()));
            }
            Message::SetInfo(m) => {
                self.changes.on_board(m.player);
                self.changes.tell_value(StringKind::UserInfo, m.name.bytes(), m.value.bytes(), Some(m.player));
                self.at(m.player, |slot| {
                    if slot.userinfo().len() < LONGEST_INFO {
                        slot.set_value(m.name.bytes(), m.value.bytes());
                    }
                });
            }
            _ => {}
        }
    }

    fn level(&mut self) -> &mut LevelState {
        Arc::make_mut(&mut self.level)
    }

    fn at(&mut self, slot: u8, change: impl FnOnce(&mut Slot)) {
        if let Some(it) = self.slots.get_mut(usize::from(slot)) {
            change(it);
            self.taken |= u32::from(!it.userinfo().is_empty()) << slot;
        }
    }

    fn begin_level(&mut self, m: &qwd::ServerData<'_>) {
        self.levels.begin();
        self.level = Arc::new(LevelState::new(m, self.msec));
        self.slots = std::array::from_fn(|_| Slot::default());
        self.frames = Frames::default();
        self.changes.level = true;
        self.changes.added.clear();
        self.changes.changed.clear();
        self.changes.removed.clear();
        (self.in_view, self.seen, self.before, self.moved) = (0, 0, 0, 0);
        (self.listed, self.pending) = (false, false);
        self.nails.clear();
        self.paused.set(false);
        if let Some(client) = m.client {
            let slot = client & 0x7F;
            self.recorder = Some(slot).filter(|slot| usize::from(*slot) < Self::SLOTS);
            self.spectator = client & 0x80 != 0;
            // All stats are 0 until the server says otherwise.
            self.at(slot, |slot| slot.stats = Some(Stats::default()));
        }
    }

    fn list(&mut self, base: Base, list: &[PacketEntity], dialect: &Dialect) {
        self.listed = true;
        self.base = if let Base::Packet(base) = base { Some(base) } else { None };
        self.nails.clear();
        if self.levels.begun() == 0 {
            // The base states were not recorded.
            return self.frames.lose(&mut self.changes);
        }
        let rules = Rules { baselines: &self.level.baselines, dialect };
        match self.multiview {
            true => self.frames.record(base, list, rules, &mut self.changes),
            false => self.frames.packet(self.sequence, base, list, rules, &mut self.changes),
        }
    }

    /// Those for whom the messages are.
    fn those(&self) -> u32 {
        match self.multiview {
            true => self.to,
            false => self.recorder.map_or(0, |slot| 1 << slot),
        }
    }

    /// Does something to the stats of those for whom the messages are.
    fn stats_of_those(&mut self, change: impl Fn(&mut Stats)) {
        let to = self.those();
        self.changes.stats |= to;
        for (_, slot) in self.slots.iter_mut().enumerate().filter(|(n, _)| to >> n & 1 == 1) {
            change(slot.stats.get_or_insert_default());
        }
    }

    fn set_stat(&mut self, index: u16, value: i32) {
        self.stats_of_those(|stats| stats.set(index, value));
    }

    fn add_to_stat(&mut self, index: usize) {
        self.stats_of_those(|stats| stats.add(index));
    }

    fn say(&mut self, said: TextKind, text: &[u8]) {
        let alone = self.multiview && self.to.is_power_of_two();
        self.changes.say(said, text, alone.then_some(self.to.trailing_zeros() as u8));
    }
}

/// Puts the entities of players, slot + 1, in front of others.
fn put_in_front(numbers: &mut Vec<u16>, mut slots: u32) {
    if slots == 0 {
        return;
    }
    let (others, players) = (numbers.len(), slots.count_ones() as usize);
    numbers.resize(others + players, 0);
    numbers.copy_within(..others, players);
    for number in numbers.iter_mut().take(players) {
        *number = slots.trailing_zeros() as u16 + 1;
        slots &= slots - 1;
    }
}
