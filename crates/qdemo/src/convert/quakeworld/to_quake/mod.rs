//! What a client of QuakeWorld recorded, as one of Quake records it, in protocol 15.

mod slots;
mod things;
mod told;

use std::io::Write;

use self::slots::Slots;
use self::things::thing;
use super::{ClientPacket, packet_of_client, recorder};
use crate::convert::across::{Across, Output};
use crate::convert::loss::Loss;
use crate::describe::{Seconds, StatIndex};
use crate::error::{Moment, Result};
use crate::format::MessageSet as _;
use crate::format::dem::{self, Dem, Message, SignonNum, Time};
use crate::format::qwd::{self, Dialect, Qwd};
use crate::game::quake::{self, Baselines, diff_entities};
use crate::game::quakeworld::{Names, World, stat};
use crate::game::{ShortOrLong, split};
use crate::wire::{F32, StrList, info_value};
use crate::world::{Clock, Scene};

/// Models and sounds that there are numbers for.
const NAMES: usize = 255;

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
    /// When the last frame was, as the input has it and as it was told.
    last: [f32; 2],
    slots: Slots,
    stats: [i32; 4],
    baselines: Baselines,
    /// Who fired, a bit each, and how the view was kicked, in degrees.
    flashes: u32,
    kick: i8,
    /// Commands since the last packet.
    commands: u32,
    /// The score board has changed since the last frame.
    scored: bool,
    /// Entities that the last frame showed.
    last_seen: usize,
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
            last: [f32::NAN; 2],
            slots: Slots::default(),
            stats: [0; 4],
            baselines: Baselines::default(),
            flashes: 0,
            kick: 0,
            commands: 0,
            scored: false,
            last_seen: 0,
            ended: false,
        }
    }

    fn own(&self) -> u8 {
        recorder(&self.world)
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
        let Some(dem::Packet { messages, .. }) =
            out.short_packet(dem::Packet::new(camera, messages), quake::World::MOST)?
        else {
            return Ok(());
        };
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
        let slot = self.slots.of(own).unwrap_or(0);
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
            maxclients: Slots::MOST,
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
        self.stats = [0; 4];
        third.extend(self.slots.board(&self.world, own, out));
        third.extend(self.totals());
        for (stage, mut messages) in (1..).zip([first, second, third]) {
            messages.push(Message::SignonNum(SignonNum { signon: stage }));
            self.blocks(messages, None, out)?;
        }
        Ok(())
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

    fn frame<W: Write>(&mut self, out: &mut Output<Dem, W>) -> Result<()> {
        if std::mem::take(&mut self.commands) > 1 {
            out.lose(Loss::View);
        }
        if std::mem::take(&mut self.signs_on) {
            // Until a level was told, the one before goes on.
            if self.last[1] < self.began {
                self.blocks(vec![told_at(self.began)], None, out)?;
            }
            self.level(out)?;
        }
        // Quake keeps what an earlier frame of the same time showed: so they are told the least time apart.
        let (now, [read, told]) = (self.now(), self.last);
        let told = if now == read { f32::from_bits(told.to_bits() + 1) } else { now };
        self.last = [now, told];
        let time = told_at(told);
        let mut messages = vec![time.clone()];
        if std::mem::take(&mut self.scored) {
            messages.extend(self.slots.board(&self.world, self.own(), out));
        }
        messages.extend(self.totals());
        messages.append(&mut self.waiting);
        messages.push(self.client(out));
        let seen = self.seen(out);
        messages.reserve(seen.len());
        let updates = diff_entities(&seen, &self.baselines, &dem::Dialect::QUAKE);
        messages.extend(updates.into_iter().map(Message::UpdateEntity));
        self.blocks(messages, Some(&time), out)
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
fn short<Short, Long>(told: ShortOrLong<Short, Long>) -> Option<Short> {
    if let ShortOrLong::Short(m) = told { Some(m) } else { None }
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
        match packet_of_client(block, &packet, &mut self.commands, out) {
            ClientPacket::Game => {}
            ClientPacket::End => return self.end(out),
            ClientPacket::Other => return Ok(()),
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
