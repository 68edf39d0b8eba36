//! Gathers what a QuakeWorld recording says about itself, message by message.

use std::collections::BTreeMap;

use super::{Info, Level, Player, full_serverinfo};
use crate::error::Moment;
use crate::event::roster::tells_apart;
use crate::event::{Lines, Matches, PlayerRef, Turn};
use crate::format::mvd::{self, Mvd, Target};
use crate::format::qwd::{BlockKind, Chunk, Contents, Decoder, Dialect, HIDDEN, Message, MessageKind, Qwd, ServerData};
use crate::format::{Begin, Owned, Visitor};
use crate::frame::{self, Diagnostic};
use crate::game::quake::matches::{LEVEL_CHAT, PhaseTold, Phases};
use crate::game::quakeworld::pause::Pause;
use crate::game::quakeworld::runs::{Finish, Races};
use crate::game::quakeworld::{ghost, is_nobody};
use crate::game::tally::{Tally, block_or_count, count_message, counts, map_name};
use crate::wire::{clean, info_value, set_info_value};
use crate::world::Charset;

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    packets: Owned<Qwd>,
    records: Owned<Mvd>,
    multiview: bool,
    msec: i32,
    now: Option<Moment>,
    /// A frame has begun.
    in_frame: bool,
    /// The block at hand.
    block: u64,
    /// The kind of the message seen last.
    counted: Option<MessageKind>,
    sequence: Option<u32>,
    /// What was told last about the frags of each slot.
    scores: BTreeMap<u8, Score>,
    /// What KTX tells in a slot of somebody who has left the match.
    ghosts: BTreeMap<u8, Vec<u8>>,
    lines: Lines,
    /// The player whom the block at hand is for, where it is for one.
    to: Option<u8>,
    pause: Pause,
    phases: Phases,
    matches: Matches<Moment>,
    /// What is told of a level whose beginning was not recorded, in front of its first frame.
    early: Level,
    races: Races,
    outcome: Outcome,
    /// Which level of the server it is: the number that the server has for it, and the title.
    level: Option<(i32, Vec<u8>)>,
    ktx: Vec<u8>,
}

/// Of what the frags are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Of what is played.
    Open,
    /// Of a match that is over, until one is set to 0, or the level changes.
    Over,
    /// Of that match, whatever is told.
    Kept,
}

/// The frags of a slot.
#[derive(Debug, Clone, Copy)]
struct Score {
    frags: i16,
    /// Those of the player in the slot until then.
    before: Option<i16>,
    /// The block that told it.
    block: u64,
}

impl Visitor<Qwd> for InfoBuilder {
    fn begin(&mut self, begin: Begin<'_, '_, Qwd>) {
        self.block = begin.block.index;
        self.begin(Moment::Seconds(begin.block.header.time.0.get()));
        match begin.contents {
            Contents::Command(_) => {}
            // What the recorder wrote to begin with has numbers of its own.
            Contents::Frame(_) => self.sequence = None,
            Contents::Packet(numbers) => {
                let sequence = numbers.seq1 & 0x7FFF_FFFF;
                if let Some(last) = self.sequence.replace(sequence) {
                    // A long gap is the one between what a recorder writes at its beginning and the game.
                    let missing = i64::from(sequence) - i64::from(last) - 1;
                    self.info.lost_packets += u64::try_from(missing).ok().filter(|n| *n < 1000).unwrap_or(0);
                }
            }
            Contents::Connectionless(packet) => self.info.ends_cleanly = packet.id == 2,
            Contents::Bytes(bytes) => match begin.block.header.kind {
                BlockKind::Packet => self.info.unknown_bytes += bytes.len() as u64,
                BlockKind::Frame => self.sequence = None,
                BlockKind::Command => {}
            },
        }
    }
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        self.see(message);
    }
    fn size(&mut self, bytes: usize) {
        self.count(bytes);
    }
}

impl Visitor<Mvd> for InfoBuilder {
    fn begin(&mut self, begin: Begin<'_, '_, Mvd>) {
        self.block = begin.block.index;
        self.msec = self.msec.wrapping_add(i32::from(begin.block.header.msec));
        let to = begin.block.header.to;
        self.to = (to.target == Target::Single).then_some(to.slot);
        self.begin(Moment::Milliseconds(self.msec));
        if begin.block.header.msec > 0 {
            self.pause.time_passes();
            self.stands_still();
        }
    }
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        self.see(message);
    }
    fn size(&mut self, bytes: usize) {
        self.count(bytes);
    }
}

impl InfoBuilder {
    /// The same, which reads packets with a decoder.
    #[must_use]
    pub(crate) fn reading_packets(self, decoder: Decoder) -> Self {
        InfoBuilder { packets: Owned::of(decoder), ..self }
    }

    /// The same, which reads records with a decoder.
    #[must_use]
    pub(crate) fn reading_records(self, decoder: mvd::Decoder) -> Self {
        InfoBuilder { records: Owned::of(decoder), ..self }
    }

    /// For a recording of a client, or of a server.
    pub fn new(multiview: bool) -> Self {
        let dialect = if multiview { Dialect::MULTIVIEW } else { Dialect::QUAKEWORLD };
        let info = Info {
            dialect,
            extensions: Vec::new(),
            recorder: None,
            spectator: false,
            serverinfo: Vec::new(),
            levels: Vec::new(),
            runs: Vec::new(),
            players: Vec::new(),
            match_date: None,
            recorded_at: None,
            ktx: None,
            blocks: 0,
            messages: 0,
            kinds: Tally::default(),
            hidden: 0,
            lost_packets: 0,
            unknown_bytes: 0,
            trailer_bytes: 0,
            ends_cleanly: false,
        };
        InfoBuilder {
            info,
            packets: Owned::new(Dialect::QUAKEWORLD),
            records: Owned::new(Dialect::MULTIVIEW),
            multiview,
            msec: 0,
            now: None,
            in_frame: false,
            block: 0,
            counted: None,
            sequence: None,
            scores: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            lines: Lines::default(),
            to: None,
            pause: Pause::default(),
            phases: Phases::default(),
            matches: Matches::default(),
            early: Level::default(),
            races: Races::default(),
            outcome: Outcome::Open,
            level: None,
            ktx: Vec::new(),
        }
    }

    /// True for a recording of a server.
    pub(crate) fn is_multiview(&self) -> bool {
        self.multiview
    }

    /// The time of the last block.
    pub fn time(&self) -> Option<Moment> {
        self.now
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.cut();
        self.unknown_ghosts();
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info
    }

    /// Takes in a chunk of a `.qwd`. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        let Chunk::Block(block) = chunk else { return self.seen(chunk, self.info.dialect) };
        let diagnostic = Owned::visit(self, |info| &mut info.packets, block);
        let dialect = self.packets.get().map_or(self.info.dialect, Decoder::dialect);
        self.seen(chunk, dialect).or(diagnostic)
    }

    /// Takes in a chunk of an `.mvd`. Gives the fault in it.
    pub fn record(&mut self, chunk: &mvd::Chunk<'_>) -> Option<Diagnostic> {
        let mvd::Chunk::Block(block) = chunk else { return self.seen(chunk, self.info.dialect) };
        let diagnostic = Owned::visit(self, |info| &mut info.records, block);
        let dialect = self.records.get().map_or(self.info.dialect, mvd::Decoder::dialect);
        self.seen(chunk, dialect).or(diagnostic)
    }

    /// Takes in a chunk, if it is a block one whose messages it has seen. Gives the fault in any other. The dialect is the
    /// one behind it.
    pub(crate) fn seen<H>(&mut self, chunk: &frame::Chunk<'_, H>, dialect: Dialect) -> Option<Diagnostic> {
        self.info.dialect = dialect;
        match block_or_count(chunk, counts!(self.info)) {
            Ok(block) => {
                // All records of a moment are one frame.
                if self.in_frame && block.ends_moment {
                    self.frame();
                }
                None
            }
            Err(fault) => fault,
        }
    }

    /// The server sent a frame.
    fn frame(&mut self) {
        self.in_frame = false;
        self.phases.frame();
        self.now.into_iter().for_each(|now| self.matches.frame(now));
        self.begins_within_level();
        if let Some(level) = self.info.levels.last_mut() {
            level.last_time = self.now;
        }
    }

    fn begin(&mut self, now: Moment) {
        self.now = Some(now);
        self.info.blocks += 1;
        self.info.ends_cleanly = false;
    }

    fn see(&mut self, message: &Message<'_>) {
        self.counted = message.kind();
        self.message(message, self.block);
    }

    /// The message seen last was so large.
    fn count(&mut self, bytes: usize) {
        let info = &mut self.info;
        info.hidden += u64::from(self.counted.is_some_and(|kind| HIDDEN.contains(&kind)));
        count_message(self.counted, bytes as u64, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
    }

    fn message(&mut self, message: &Message<'_>, block: u64) {
        let info = &mut self.info;
        match message {
            Message::HiddenStart(m) => {
                info.recorded_at.get_or_insert(m.time.0);
            }
            Message::HiddenDemoInfo(m) => {
                self.ktx.extend_from_slice(&m.text.0);
                if m.block == 0 {
                    self.info.ktx = Some(std::mem::take(&mut self.ktx));
                }
            }
            Message::ServerData(m) => self.level(m, block),
            Message::ModelList(m) => {
                let level = info.levels.last_mut().unwrap_or(&mut self.early);
                if level.map.is_empty() && m.first.unwrap_or(0) == 0 {
                    level.map = m.models.iter().next().map(map_name).unwrap_or_default();
                }
            }
            Message::StuffText(m) => self.stufftext(m.text.bytes()),
            Message::ServerInfo(m) => {
                set_info_value(&mut info.serverinfo, m.name.bytes(), m.value.bytes());
                self.settings();
            }
            Message::UpdateUserInfo(m) => self.userinfo(m.player, m.user, m.string.bytes(), block),
            Message::SetInfo(m) => {
                if let Some(player) = self.player(m.player) {
                    set_info_value(&mut player.userinfo, m.name.bytes(), m.value.bytes());
                }
            }
            Message::UpdateFrags(m) => self.frags(m.player, m.frags, block),
            Message::Print(m) => self.print(m.level, m.string.bytes()),
            Message::CenterPrint(m) => {
                let told = self.phases.center(&m.text.clean());
                self.phase(told);
            }
            // A client sees whom a packet tells of, with entities or without.
            Message::PlayerInfo(_) | Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => {
                self.in_frame = true;
            }
            Message::SetPause(m) => {
                self.pause.set(m.pausestate != 0);
                self.stands_still();
            }
            Message::HiddenPause(_) => {
                self.pause.frame();
                self.stands_still();
            }
            Message::Intermission(_) => {
                let now = self.now;
                if let Some(level) = info.levels.last_mut() {
                    level.finished = level.finished.or(now);
                }
                let told = self.phases.intermission();
                self.phase(told);
            }
            Message::Disconnect(_) => info.ends_cleanly = true,
            _ => {}
        }
    }

    fn level(&mut self, m: &ServerData<'_>, block: u64) {
        self.sequence = None;
        self.pause.set(false);
        let level = Some((m.age, m.mapname.bytes().to_vec()));
        let is_same = std::mem::replace(&mut self.level, level.clone()) == level;
        let told = self.phases.level(is_same);
        // A match that the level ends was over with its last frame, however long the next level took to come.
        let now = self.now;
        self.now = self.matches.last().or(now);
        self.phase([told]);
        self.now = now;
        self.cut();
        if self.outcome == Outcome::Over {
            self.outcome = Outcome::Kept;
        }
        self.unknown_ghosts();
        let info = &mut self.info;
        info.extensions = m.extensions.pairs().to_vec();
        if let Some(client) = m.client {
            info.recorder = Some(client & 0x7F);
            info.spectator = client & 0x80 != 0;
        }
        for player in &mut info.players {
            player.left = true;
        }
        self.scores.clear();
        info.levels.push(Level {
            title: m.mapname.clean(),
            gamedir: m.game.clean(),
            first_block: block,
            first_time: self.now,
            last_time: self.now,
            ..Level::default()
        });
    }

    /// The server tells all of its settings by a console command.
    fn stufftext(&mut self, text: &[u8]) {
        if let Some(all) = full_serverinfo(text) {
            self.info.serverinfo = all.to_vec();
            self.settings();
        }
        for line in text.split(|b| *b == b'\n') {
            let told = self.phases.console(line);
            self.phase(told);
            if let Some(finish) = self.races.command(line) {
                let slot = if self.multiview { self.to } else { self.info.recorder };
                self.run(&finish, |player| Some(player.slot) == slot);
            }
        }
    }

    /// The player in a slot who has not left.
    fn player(&mut self, slot: u8) -> Option<&mut Player> {
        self.info.players.iter_mut().find(|p| p.slot == slot && !p.left)
    }

    fn frags(&mut self, slot: u8, frags: i16, block: u64) {
        let before = self.player(slot).and_then(|p| p.frags);
        if self.outcome == Outcome::Over && frags == 0 && before.is_some_and(|before| before != 0) {
            self.outcome = Outcome::Kept;
        }
        if self.outcome != Outcome::Kept || before.is_none() {
            self.player(slot).into_iter().for_each(|p| p.frags = Some(frags));
        }
        self.scores.insert(slot, Score { frags, before, block });
    }

    /// Servers tell a slot's frags, ping and then its user in one go, so frags just in front are those of the user who
    /// comes. With a user who leaves they are 0 and no result.
    fn userinfo(&mut self, slot: u8, user: i32, text: &[u8], block: u64) {
        let score = self.scores.get(&slot).copied();
        let name = info_value(text, "name").unwrap_or_default();
        let is_nobody = text.is_empty() || is_nobody(user, name);
        match ghost(user, name) {
            Some(_) => drop(self.ghosts.insert(slot, text.to_vec())),
            None => drop(self.ghosts.remove(&slot)),
        }
        match self.player(slot) {
            Some(player) if player.user == user && !is_nobody => player.userinfo = text.to_vec(),
            old => {
                if let Some(player) = old {
                    player.left = true;
                    if let Some(score) = score.filter(|score| score.block == block) {
                        player.frags = score.before;
                    }
                }
                if is_nobody {
                    return;
                }
                // The same user comes back with a new level; whoever connects anew has another number, and perhaps slot.
                let back = |p: &Player| p.left && tells_apart(name) && p.name_raw() == name;
                let same = |p: &Player| (p.slot, p.user) == (slot, user) || back(p);
                let kept = self.info.players.iter().filter(|p| same(p)).find_map(|p| p.frags);
                let kept = kept.filter(|_| self.outcome == Outcome::Kept);
                self.info.players.retain(|p| !same(p));
                let frags = kept.or(score.map(|score| score.frags));
                self.info.players.push(Player { slot, user, userinfo: text.to_vec(), frags, left: false });
            }
        }
    }

    /// Who left before the recording began is known by the ghost alone.
    fn unknown_ghosts(&mut self) {
        for (slot, mut userinfo) in std::mem::take(&mut self.ghosts) {
            let name = info_value(&userinfo, "name").and_then(|name| ghost(0, name)).unwrap_or_default().to_vec();
            if self.info.players.iter().all(|player| player.name_raw() != name) {
                set_info_value(&mut userinfo, b"name", &name);
                let frags = self.scores.get(&slot).map(|score| score.frags);
                self.info.players.push(Player { slot, user: 0, userinfo, frags, left: true });
            }
        }
    }

    /// What the server prints, and is no chat.
    fn print(&mut self, level: u8, text: &[u8]) {
        let Some(text) = self.lines.add((Some(level), self.to), text).filter(|_| level != LEVEL_CHAT) else { return };
        let plain = clean(&text.raw);
        let date = plain.lines().filter_map(|line| line.trim().strip_prefix("matchdate: ")).next_back();
        if let Some(date) = date {
            self.info.match_date = Some(date.to_owned());
        }
        let told = self.phases.print(&plain);
        self.phase(told);
        self.matches.text(&plain);
        for line in plain.lines() {
            if let Some(name) = self.races.finisher(line) {
                let who = self.racer(|player| player.name() == name);
                self.info.runs.last_mut().into_iter().for_each(|run| run.player = who.clone());
            }
            if let Some(finish) = self.races.print(line) {
                self.run(&finish, |player| finish.name.is_some_and(|name| player.name() == name));
            }
        }
    }

    /// A race is finished, by the player of whom this holds.
    fn run(&mut self, finish: &Finish<'_>, is_it: impl Fn(&Player) -> bool) {
        let who = self.racer(is_it);
        let map = self.info.levels.last().map(|level| level.map.clone()).unwrap_or_default();
        self.info.runs.push(finish.run(who, map));
    }

    /// The player of whom this holds.
    fn racer(&self, is_it: impl Fn(&Player) -> bool) -> Option<PlayerRef> {
        let player = self.info.players.iter().find(|player| !player.left && is_it(player))?;
        Some(PlayerRef {
            slot: Some(player.slot.into()),
            team: player.team(),
            ..PlayerRef::named(player.name_raw(), Charset::Quake)
        })
    }

    fn settings(&mut self) {
        let status = info_value(&self.info.serverinfo, "status").map(clean).unwrap_or_default();
        let told = self.phases.status(&status);
        self.phase(told);
    }

    /// What was told last says whether the game stands still.
    fn stands_still(&mut self) {
        let told = self.phases.pause(self.pause.is_on());
        self.phase([told]);
    }

    fn phase(&mut self, told: impl IntoIterator<Item = Option<PhaseTold>>) {
        let Some(now) = self.now else { return };
        for told in told.into_iter().flatten() {
            let turn = self.matches.step(told.phase, told.is_begun(), now);
            if told.takes_back_an_end(turn) {
                self.matches.take_back_the_end();
            }
            match turn {
                Some(Turn::Begins) => {
                    self.outcome = Outcome::Open;
                    self.begins_within_level();
                }
                Some(Turn::Ends) => self.outcome = Outcome::Over,
                _ => {}
            }
        }
    }

    /// A level of which something is told is one, though its beginning was not recorded.
    fn begins_within_level(&mut self) {
        if self.info.levels.is_empty() && self.matches.shows_level() {
            let (first_block, now) = (self.block, self.now);
            let early = std::mem::take(&mut self.early);
            self.info.levels.push(Level { first_block, first_time: now, last_time: now, ..early });
        }
    }

    /// The level ends, or the recording does.
    fn cut(&mut self) {
        if let Some(now) = self.now {
            self.matches.cut(now);
        }
        if let Some(level) = self.info.levels.last_mut() {
            level.matches = self.matches.take();
        }
    }
}
