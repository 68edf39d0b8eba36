//! Quake III: the server's time stands in each snapshot, and times of that clock within the states and configstrings.

mod clock;
mod told;

use std::collections::BTreeMap;

use super::{Game, Moment, Sink, Step};
use crate::demo::Chunk;
use crate::edit::writer::no_beginning;
use crate::error::Result;
use crate::format::Format;
use crate::format::dm3::{
    Contents, Decoder, Dialect, Dm3, Gamestate, GamestateItem, Header, Message, Packet, ServerCommand, Snapshot, Text,
};
use crate::frame;
use crate::game::quake3::{FullSnapshot, World as Quake3World, retimed, told_string};
use crate::replay::World;
use crate::world::Scene;
use clock::{Clock, Clocks};
use told::Output;

pub(super) struct Quake3 {
    dialect: Dialect,
    output: Output,
    /// Configstrings with times, as they stand in the output.
    strings: BTreeMap<u16, Vec<u8>>,
    /// What is added to the numbers of packets, and to those of commands from a number on.
    add: i32,
    commands: Vec<(i32, i32)>,
    /// The last of both in the output.
    number: i32,
    command: i32,
    /// The last command of the input.
    read: i32,
    /// The last commands of the input with other texts in the output: servers repeat what is not acknowledged.
    texts: BTreeMap<i32, Vec<u8>>,
    /// The input's time before its clock.
    before: Option<i64>,
    clocks: Clocks,
    /// The part of the map that was told last: where it begins.
    part: Option<(i64, i64)>,
    /// The time of the output up to which everything is told.
    told: i64,
    /// What comes next does not go on from what was told last.
    jumped: bool,
}

/// So many commands a server keeps to repeat them.
const KEPT: usize = 64;
/// A command has at most 1023 bytes: longer configstrings come in parts.
const PART: usize = 900;
/// Time between snapshots that stand still.
const STEP: i64 = 50_000;

impl Quake3 {
    pub(super) fn new(protocol: Option<i32>) -> Self {
        let dialect = Dm3::first_dialect(protocol);
        Quake3 {
            dialect,
            output: Output::new(dialect),
            strings: BTreeMap::new(),
            add: 0,
            commands: vec![(i32::MIN, 0)],
            number: 0,
            command: 0,
            read: 0,
            texts: BTreeMap::new(),
            before: None,
            clocks: Clocks::default(),
            part: None,
            told: 0,
            jumped: false,
        }
    }

    fn clock(&self, sink: &Sink<'_>) -> Clock {
        Clock { line: sink.line, speed: sink.line.speed, before: self.before, fixed: None }
    }

    /// A snapshot that the input does not have, as the difference to the last one; `of` is the world that was told.
    fn new_snapshot(
        &mut self,
        snapshot: &FullSnapshot<'_>,
        of: &Quake3World,
        at: (i32, Clock),
        number: i32,
    ) -> Snapshot {
        self.number = number;
        self.output.new_one(snapshot, of, at, number)
    }

    /// The number in the output of a command of the input.
    fn command_number(&self, number: i32) -> i32 {
        let at = self.commands.partition_point(|(from, _)| *from <= number);
        let add = at.checked_sub(1).and_then(|at| self.commands.get(at)).or(self.commands.first());
        number.saturating_add(add.map_or(0, |(_, add)| *add))
    }

    /// A command that the input does not have, behind the last one.
    fn new_command(&mut self, text: Vec<u8>) -> Message {
        self.command = self.command.saturating_add(1);
        Message::ServerCommand(ServerCommand { seq: self.command, value: Text(text) })
    }

    /// Numbers of commands go on behind those that were added.
    fn commands_added(&mut self) {
        let add = self.command.saturating_sub(self.read);
        let from = self.read.saturating_add(1);
        self.commands.retain(|(number, _)| *number < from);
        self.commands.push((from, add));
        if self.commands.len() > 128 {
            self.commands.drain(..64);
        }
    }

    /// Commands that set a configstring.
    fn set_string(&mut self, index: u16, value: &[u8]) -> Vec<Message> {
        let line = |name: &str, part: &[u8]| [format!("{name} {index} \"").as_bytes(), part, b"\""].concat();
        if value.len() <= PART {
            return vec![self.new_command(line("cs", value))];
        }
        let last = value.chunks(PART).count() - 1;
        let name = |n: usize| {
            if n == 0 {
                "bcs0"
            } else if n == last {
                "bcs2"
            } else {
                "bcs1"
            }
        };
        let parts: Vec<_> = value.chunks(PART).enumerate().map(|(n, part)| line(name(n), part)).collect();
        parts.into_iter().map(|text| self.new_command(text)).collect()
    }

    /// Configstrings whose times are others now than were told.
    fn strings_again(&mut self, world: &Quake3World, clock: Clock) -> Vec<Message> {
        let told = std::mem::take(&mut self.strings);
        let mut messages = Vec::new();
        for (index, before) in told {
            let value = world.configstrings().get(index);
            let now = world.complete_snapshot().map(|snapshot| snapshot.server_time());
            let at = |ms| self.clocks.told_at(ms, now, clock);
            let now = retimed(index, value, &self.dialect, world.module(), at).unwrap_or_else(|| value.to_vec());
            if now != before {
                messages.extend(self.set_string(index, &now));
            }
            self.strings.insert(index, now);
        }
        messages
    }

    /// The value of a configstring in the output.
    fn string(&mut self, index: u16, value: &[u8], world: &Quake3World, clock: Clock) -> Option<Vec<u8>> {
        let now = world.complete_snapshot().map(|snapshot| snapshot.server_time());
        let at = |ms| self.clocks.told_at(ms, now, clock);
        let now = retimed(index, value, &self.dialect, world.module(), at);
        match &now {
            Some(now) => drop(self.strings.insert(index, now.clone())),
            // It may be empty for now, or hold no time.
            None => drop(self.strings.remove(&index)),
        }
        now
    }

    fn gamestate(&mut self, gamestate: &mut Gamestate, world: &Quake3World, clock: Clock) {
        self.strings.clear();
        self.texts.clear();
        self.clocks.clear();
        for item in &mut gamestate.items {
            match item {
                GamestateItem::Configstring(string) => {
                    if let Some(now) = self.string(string.index, &string.value.0.clone(), world, clock) {
                        string.value = Text(now);
                    }
                }
                GamestateItem::Baseline(baseline) if clock.line.shift != 0 => {
                    *baseline = self.output.baseline(baseline.entity().number, world, clock);
                }
                GamestateItem::Baseline(_) => {}
            }
        }
        self.output.begin(gamestate);
        // The game's client program passes over commands whose numbers are not above the last one, also behind a gamestate.
        let goes_on = std::mem::take(&mut self.jumped) || self.command > self.read;
        self.read = gamestate.server_command_sequence;
        self.command = if goes_on { self.command.max(self.read) } else { self.read };
        gamestate.server_command_sequence = self.command;
        self.commands = vec![(i32::MIN, self.command.saturating_sub(self.read))];
    }

    /// A command of the input as it is in the output.
    fn server_command(&mut self, command: &mut ServerCommand, world: &Quake3World, clock: Clock) {
        if command.seq > self.read {
            self.read = command.seq;
            self.texts.remove(&command.seq);
            let told = &command.value.0;
            if let Some((_, index, at)) = told_string(told).filter(|(word, ..)| *word == b"cs") {
                let now = self.string(index, told.get(at.clone()).unwrap_or_default(), world, clock);
                if let Some(now) = now {
                    command.value.0.splice(at, now);
                    self.texts.insert(command.seq, command.value.0.clone());
                    if self.texts.len() > KEPT {
                        self.texts.pop_first();
                    }
                }
            }
        } else if let Some(text) = self.texts.get(&command.seq) {
            // Told again, it is what it was.
            command.value.0.clone_from(text);
        }
        command.seq = self.command_number(command.seq);
        self.command = self.command.max(command.seq);
    }

    /// A snapshot of its own, which the input does not have.
    fn put(
        &mut self,
        world: &Quake3World,
        mut messages: Vec<Message>,
        snapshot: Option<Snapshot>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let ack = world.acknowledged_command();
        messages.extend(snapshot.map(|mut snapshot| {
            snapshot.rel_ack = snapshot.rel_ack.map(|_| ack);
            Message::Snapshot(snapshot)
        }));
        sink.packet::<Dm3>(&Packet::new(self.number, ack, messages, &self.dialect), self.dialect, true)
    }
}

fn quake3(world: &World) -> Option<&Quake3World> {
    if let World::Dm3(world) = world { Some(world) } else { None }
}

impl Game for Quake3 {
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (Chunk::Dm3(frame::Chunk::Block(block)), Some(world)) = (step.chunk, step.world.and_then(quake3)) else {
            return sink.kept(step.bytes);
        };
        sink.last.take(step.chunk);
        // The world has read the block.
        let (messages, Some(contents)) = (world.messages(), world.contents()) else { return sink.kept(step.bytes) };
        let is_faulty = block.is_cut() || messages.iter().any(|m| m.kind().is_none());
        let is_new = messages.iter().any(|m| matches!(m, Message::Snapshot(_)));
        if is_faulty && !is_new {
            // What is damaged stays so.
            return sink.kept(step.bytes);
        }
        let now = world.complete_snapshot().filter(|now| !is_faulty && now.number() == block.header.sequence);
        let begins = messages.iter().any(|m| matches!(m, Message::Gamestate(_)));
        if begins {
            self.before = None;
        }
        if let Some(time) = messages.iter().rev().find_map(Message::server_time) {
            self.before = Some(step.time.saturating_sub(i64::from(time) * 1000));
        }
        self.told = sink.line.out(step.time);
        let clock = self.clock(sink);
        if let Some(time) = messages.iter().find_map(Message::server_time) {
            self.clocks.go_on(time, clock);
        }
        let part = (sink.line.begin, sink.line.level);
        let mut due = is_new && (self.part.replace(part) != Some(part) || begins);
        let number = block.header.sequence.saturating_add(self.add);
        self.number = number;
        let mut written = Vec::with_capacity(messages.len());
        for message in messages {
            let message = match message {
                Message::Gamestate(gamestate) => {
                    let mut gamestate = gamestate.clone();
                    self.gamestate(&mut gamestate, world, clock);
                    Message::Gamestate(gamestate)
                }
                Message::ServerCommand(command) => {
                    let mut command = command.clone();
                    self.server_command(&mut command, world, clock);
                    Message::ServerCommand(command)
                }
                Message::Snapshot(told) => {
                    let shown = i64::from(told.server_time) * 1000;
                    let shows = sink.clock(shown, clock.micros(told.server_time).saturating_sub(shown))?;
                    let server_time = Clock::ms(shows)?;
                    if std::mem::take(&mut due) {
                        // Behind the block's own commands: their numbers have to rise.
                        let again = self.strings_again(world, clock);
                        if !again.is_empty() {
                            self.commands_added();
                            written.extend(again);
                        }
                    }
                    Message::Snapshot(match &now {
                        Some(now) => self.output.retold(told, (now, world), (server_time, clock), number),
                        // What it builds on was not recorded.
                        None => {
                            self.output.forget(number);
                            let mut told = told.clone();
                            told.server_time = server_time;
                            told
                        }
                    })
                }
                other => other.clone(),
            };
            written.push(message);
        }
        // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
        let contents = match contents.closed {
            true => Contents { rel_ack: contents.rel_ack, ..Contents::new(0, &self.dialect) },
            false => contents.clone(),
        };
        let header = Header { sequence: number, ..block.model() };
        let packet = Packet { header, contents, messages: written };
        sink.packet::<Dm3>(&packet, self.dialect, false)?;
        self.output.recycle(packet.messages);
        Ok(())
    }

    fn can_hold(&self, world: &World) -> bool {
        quake3(world).is_some_and(|world| world.complete_snapshot().is_some())
    }

    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = quake3(world) else { return Ok(()) };
        let time = world.clock().demo.0;
        let Some(snapshot) = world.complete_snapshot() else { return Ok(()) };
        let shown = i64::from(snapshot.server_time()) * 1000;
        let mut at = sink.line.begin;
        while at < until {
            // What is to come stays as far away.
            let offset = sink.line.offset_at(time, at);
            let clock = Clock { fixed: Some(offset), speed: 0.0, ..self.clock(sink) };
            let now = sink.clock(shown, offset)?;
            let server_time = Clock::ms(now)?;
            let number = self.number.saturating_add(1);
            let told = self.new_snapshot(&snapshot, world, (server_time, clock), number);
            self.put(world, Vec::new(), Some(told), sink)?;
            self.add = self.add.saturating_add(1);
            self.told = at;
            at += STEP;
        }
        sink.remark("snapshots that stand still");
        Ok(())
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (quake3(shown), quake3(world)) else { return Ok(false) };
        let same = world.level_number() == shown.level_number() && shown.level_number() > 0;
        self.jumped = !same;
        let Some(snapshot) = world.complete_snapshot() else {
            if world.level_number() == 0 {
                // The recording begins again: numbers of packets go on rising.
                self.add = self.number;
            }
            return Ok(false);
        };
        let out = sink.line.out(time);
        let mut first = Vec::new();
        self.before = Some(world.clock().demo.0.saturating_sub(i64::from(snapshot.server_time()) * 1000));
        let mut clock = self.clock(sink);
        if !same {
            sink.line.begin_level(time, out);
            clock = self.clock(sink);
            let mut packets = world.keyframe()?;
            let number = self.number.saturating_add(1);
            if packets.is_empty() {
                return Err(no_beginning());
            }
            if let Some(packet) = packets.first_mut() {
                for message in &mut packet.messages {
                    if let Message::Gamestate(gamestate) = message {
                        self.gamestate(gamestate, world, clock);
                    }
                }
                packet.header.sequence = number;
                self.number = number;
                sink.start(world.clock(), |sink| sink.packet::<Dm3>(packet, self.dialect, true))?;
            }
        }
        self.clocks.go_on(snapshot.server_time(), clock);
        if same {
            let indices = world.configstrings().iter().chain(shown.configstrings().iter());
            let indices: std::collections::BTreeSet<_> = indices.map(|(index, _)| index).collect();
            for index in indices.into_iter().filter_map(|index| u16::try_from(index).ok()) {
                let (now, before) = (world.configstrings().get(index), shown.configstrings().get(index));
                // On the way back it stays as it is, for as long as the recording does not tell another one.
                if sink.line.speed < 0.0 && now == before {
                    continue;
                }
                let told = self.strings.get(&index).cloned();
                let now = self.string(index, now, world, clock).unwrap_or_else(|| now.to_vec());
                if told.as_deref().unwrap_or(before) != now {
                    first.extend(self.set_string(index, &now));
                }
            }
        }
        // Several may tell the same, and then the last one counts: they come in their order from the first other one on.
        let known = world.boards().zip(shown.boards()).take_while(|(now, before)| same && now == before).count();
        for board in world.boards().skip(known) {
            first.push(self.new_command(board.into_owned()));
        }
        self.read = world.command();
        self.commands = vec![(i32::MIN, self.command.saturating_sub(self.read))];
        let speed = sink.line.speed;
        let now = clock.micros(snapshot.server_time());
        // The line tells the time of the moment, which may lie behind that of the snapshot.
        let late = time.saturating_sub(world.clock().demo.0);
        let late = if speed == 0.0 { 0 } else { (late as f64 / speed).round() as i64 };
        let server_time = Clock::ms(now.saturating_add(late))?;
        // On the way back, too, what is to come is as far away as the input shows.
        let fixed = (speed < 0.0).then(|| now + late - i64::from(snapshot.server_time()) * 1000);
        let clock = Clock { fixed, ..clock };
        let passed = i32::try_from((out - self.told) / 1000).unwrap_or(0);
        if !same && passed > 0 {
            // A clock that begins anew shows that time has passed when it shows two.
            let number = self.number.saturating_add(1);
            let still = (server_time.saturating_sub(passed), Clock { speed: 0.0, ..clock });
            let told = self.new_snapshot(&snapshot, shown, still, number);
            self.put(world, Vec::new(), Some(told), sink)?;
        }
        let number = self.number.saturating_add(1);
        let told = self.new_snapshot(&snapshot, shown, (server_time, clock), number);
        self.output.leave();
        self.put(world, first, Some(told), sink)?;
        self.told = out;
        self.add = number.saturating_sub(snapshot.number());
        self.part = Some((sink.line.begin, sink.line.level));
        Ok(true)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = quake3(moment.world) else { return Ok(false) };
        // What is said and printed, as it was told: the newest commands of the moment, each once.
        let mut said = Vec::new();
        for (chunk, _) in moment.chunks {
            let Chunk::Dm3(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = Decoder::new(self.dialect).read(block);
            said.extend(packet.messages.into_iter().filter_map(|message| match message {
                Message::ServerCommand(command) if is_said(&command.value.0) => Some(command),
                _ => None,
            }));
        }
        if !self.jump(shown, moment.world, moment.time, sink)? {
            return Ok(false);
        }
        let before = moment.commands_before;
        said.retain(|command| before.is_none_or(|before| command.seq > before) && command.seq <= world.command());
        // The last one of these has been told.
        let told: Vec<_> = world.boards().map(|board| word(&board).to_vec()).collect();
        said.retain(|command| !told.iter().any(|told| told == word(&command.value.0)));
        if !said.is_empty() {
            let messages: Vec<_> = said.into_iter().map(|command| self.new_command(command.value.0)).collect();
            self.number = self.number.saturating_add(1);
            self.put(world, messages, None, sink)?;
        }
        Ok(true)
    }
}

/// True for commands of one moment, which no state holds.
fn is_said(text: &[u8]) -> bool {
    !matches!(word(text), b"cs" | b"bcs0" | b"bcs1" | b"bcs2" | b"map_restart" | b"disconnect" | b"clientLevelShot")
}

/// The name of a command.
fn word(text: &[u8]) -> &[u8] {
    text.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default()
}
