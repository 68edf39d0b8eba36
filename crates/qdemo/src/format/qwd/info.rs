//! What a QuakeWorld recording says about itself: levels, server, players, match, statistics. For `.qwd` and `.mvd`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::block::{Block, BlockKind, Chunk};
use super::message::{Kind, Message, ServerData};
use super::packet::{Messages, PacketHead};
use crate::dialect::Dialect;
use crate::error::Moment;
use crate::format::facts::{Tally, count_message, map_name};
use crate::format::mvd::{self, Hidden};
use crate::format::{Diagnostic, Framed, counts};
use crate::json::{by_kind, decimal, raw_name};
use crate::wire::clean;

/// A level in the recording.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Level {
    /// Name of the map file without folder and extension, such as `dm6`.
    pub map: String,
    /// Name of the level for people, such as `The Dark Zone`.
    pub title: String,
    /// Game directory.
    pub gamedir: String,
    /// First block of the level.
    pub first_block: u64,
    /// First time, on the recording's own clock.
    pub first_time: Option<Moment>,
    /// Last time.
    pub last_time: Option<Moment>,
    /// Time of the intermission.
    pub finished: Option<Moment>,
    /// When the match began, as the server printed it.
    pub match_begun: Option<Moment>,
    /// When it was over.
    pub match_over: Option<Moment>,
}

/// A player slot as it was last seen in use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Player {
    /// Slot from 0; the player's entity is slot + 1.
    pub slot: u8,
    /// Number of the user on the server.
    pub user: i32,
    /// Everything that the player's client told: `\name\...`.
    pub userinfo: Vec<u8>,
    /// Last frags.
    pub frags: Option<i16>,
    /// True when the player left before the recording ended.
    pub left: bool,
}

impl Player {
    /// A value of the user info.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        crate::format::dm3::info_value(&self.userinfo, key).filter(|v| !v.is_empty())
    }

    /// The name as the bytes in the file.
    pub fn name_raw(&self) -> &[u8] {
        self.value("name").unwrap_or_default()
    }

    /// The name in plain characters.
    pub fn name(&self) -> String {
        clean(self.name_raw())
    }

    /// The team in plain characters.
    pub fn team(&self) -> Option<String> {
        self.value("team").map(clean)
    }

    /// True for a spectator.
    pub fn is_spectator(&self) -> bool {
        self.value("*spectator").is_some_and(|v| v != b"0")
    }
}

/// What a QuakeWorld recording says about itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// Dialect at the end.
    pub dialect: Dialect,
    /// Extensions that the server announced: a magic number and flags each.
    pub extensions: Vec<(u32, u32)>,
    /// Slot of the recording client; `None` in multi-view recordings.
    pub recorder: Option<u8>,
    /// True when the recorder is a spectator.
    pub spectator: bool,
    /// The server's settings: `\hostname\...`.
    pub serverinfo: Vec<u8>,
    /// Levels in order.
    pub levels: Vec<Level>,
    /// Players by slot, those who left included.
    pub players: Vec<Player>,
    /// The date that the server printed at the beginning of the match.
    pub match_date: Option<String>,
    /// When recording began, in milliseconds since 1970.
    pub recorded_at: Option<u64>,
    /// The statistics of KTX: JSON, as they stand in the file.
    pub ktx: Option<Vec<u8>>,
    /// Blocks.
    pub blocks: u64,
    /// Messages.
    pub messages: u64,
    /// Messages and bytes by kind, in order of declaration.
    pub kinds: Tally<Kind>,
    /// Hidden messages.
    pub hidden: u64,
    /// Packets of the server that are missing: holes in the sequence numbers.
    pub lost_packets: u64,
    /// Bytes that no message covers.
    pub unknown_bytes: u64,
    /// Bytes behind the end.
    pub trailer_bytes: u64,
    /// True when the recording ends with `disconnect`.
    pub ends_cleanly: bool,
}

impl Info {
    /// A value of the server's settings, in plain characters.
    pub fn setting(&self, key: &str) -> Option<String> {
        crate::format::dm3::info_value(&self.serverinfo, key).filter(|v| !v.is_empty()).map(clean)
    }
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    dialect: Dialect,
    msec: i32,
    now: Option<Moment>,
    sequence: Option<u32>,
    /// What was told last about the frags of each slot.
    scores: BTreeMap<u8, Score>,
    /// A line of prints that is not complete yet.
    line: Vec<u8>,
    ktx: Vec<u8>,
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

impl InfoBuilder {
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
            dialect,
            msec: 0,
            now: None,
            sequence: None,
            scores: BTreeMap::new(),
            line: Vec::new(),
            ktx: Vec::new(),
        }
    }

    /// The time of the last block.
    pub fn time(&self) -> Option<Moment> {
        self.now
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info.dialect = self.dialect;
        self.info
    }

    /// Takes in a chunk of a `.qwd`. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        let block = match chunk.block_or_count(counts!(self.info)) {
            Ok(block) => block,
            Err(broken) => return broken,
        };
        self.begin(Moment::Seconds(block.time.get()));
        let broken = self.packet(block);
        broken.or_else(|| block.cut_short())
    }

    fn packet(&mut self, block: &Block<'_>) -> Option<Diagnostic> {
        match block.kind {
            BlockKind::Command => return None,
            BlockKind::Frame => {
                // What the recorder wrote to begin with has numbers of its own.
                self.sequence = None;
                return None;
            }
            BlockKind::Packet { .. } => {}
        }
        let (head, payload) = PacketHead::split(block.payload);
        match head {
            PacketHead::Game { seq1, .. } => {
                let sequence = seq1 & 0x7FFF_FFFF;
                if let Some(last) = self.sequence.replace(sequence) {
                    // A long gap is the one between what a recorder writes at its beginning and the game.
                    let missing = i64::from(sequence) - i64::from(last) - 1;
                    self.info.lost_packets += u64::try_from(missing).ok().filter(|n| *n < 1000).unwrap_or(0);
                }
                let offset = block.payload_offset() + PacketHead::GAME as u64;
                self.read(payload, offset, block.index)
            }
            PacketHead::Connectionless { id, .. } => {
                self.info.ends_cleanly = id == 2;
                None
            }
            PacketHead::Short(bytes) => {
                self.info.unknown_bytes += bytes.len() as u64;
                (!block.is_cut()).then(|| super::too_short(block))
            }
        }
    }

    /// Takes in a chunk of an `.mvd`. Gives the fault in it.
    pub fn record(&mut self, chunk: &mvd::Chunk<'_>) -> Option<Diagnostic> {
        let block = match chunk.block_or_count(counts!(self.info)) {
            Ok(block) => block,
            Err(broken) => return broken,
        };
        self.msec = self.msec.wrapping_add(i32::from(block.msec));
        self.begin(Moment::Milliseconds(self.msec));
        let broken = match block.target {
            mvd::Target::Command | mvd::Target::Set => None,
            mvd::Target::Multiple(0) if self.dialect.quakeworld.hidden => {
                let (messages, rest) = mvd::read_hidden(block.payload, &self.dialect);
                messages.iter().for_each(|m| self.hidden(m));
                self.info.unknown_bytes += rest.len() as u64;
                (!rest.is_empty()).then(|| mvd::not_hidden(block, rest))
            }
            _ => self.read(block.payload, block.payload_offset(), block.index),
        };
        broken.or_else(|| block.cut_short())
    }

    fn begin(&mut self, now: Moment) {
        self.now = Some(now);
        self.info.blocks += 1;
        self.info.ends_cleanly = false;
        if let Some(level) = self.info.levels.last_mut() {
            level.first_time.get_or_insert(now);
            level.last_time = Some(now);
        }
    }

    fn hidden(&mut self, message: &Hidden<'_>) {
        self.info.hidden += 1;
        match message {
            Hidden::HiddenStart(m) => {
                self.info.recorded_at.get_or_insert(m.time.0);
            }
            Hidden::HiddenDemoInfo(m) => {
                self.ktx.extend_from_slice(&m.text.0);
                if m.block == 0 {
                    self.info.ktx = Some(std::mem::take(&mut self.ktx));
                }
            }
            _ => {}
        }
    }

    fn read(&mut self, payload: &[u8], offset: u64, block: u64) -> Option<Diagnostic> {
        let mut messages = Messages::new(payload, self.dialect);
        while let Some(message) = messages.next() {
            let bytes = messages.raw().len() as u64;
            let info = &mut self.info;
            count_message(message.kind(), bytes, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
            self.message(&message, block);
        }
        self.dialect = messages.dialect();
        messages.broken_at(offset, block)
    }

    fn message(&mut self, message: &Message<'_>, block: u64) {
        let info = &mut self.info;
        match message {
            Message::ServerData(m) => self.level(m, block),
            Message::ModelList(m) => {
                if let Some(level) = info.levels.last_mut().filter(|l| l.map.is_empty() && m.first.unwrap_or(0) == 0) {
                    level.map = m.models.iter().next().map(map_name).unwrap_or_default();
                }
            }
            Message::StuffText(m) => self.stufftext(m.text.bytes()),
            Message::ServerInfo(m) => set_value(&mut info.serverinfo, m.name.bytes(), m.value.bytes()),
            Message::UpdateUserInfo(m) => self.userinfo(m.player, m.user, m.string.bytes(), block),
            Message::SetInfo(m) => {
                if let Some(player) = self.player(m.player) {
                    set_value(&mut player.userinfo, m.name.bytes(), m.value.bytes());
                }
            }
            Message::UpdateFrags(m) => self.frags(m.player, m.frags, block),
            Message::Print(m) => self.print(m.string.bytes()),
            Message::Intermission(_) => {
                let now = self.now;
                if let Some(level) = info.levels.last_mut() {
                    level.finished = level.finished.or(now);
                }
            }
            Message::Disconnect(_) => info.ends_cleanly = true,
            _ => {}
        }
    }

    fn level(&mut self, m: &ServerData<'_>, block: u64) {
        self.sequence = None;
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
        }
    }

    /// The player in a slot who has not left.
    fn player(&mut self, slot: u8) -> Option<&mut Player> {
        self.info.players.iter_mut().find(|p| p.slot == slot && !p.left)
    }

    fn frags(&mut self, slot: u8, frags: i16, block: u64) {
        let player = self.player(slot);
        let before = player.and_then(|p| p.frags.replace(frags));
        self.scores.insert(slot, Score { frags, before, block });
    }

    /// Servers tell a slot's frags, ping and then its user in one go, so frags just in front are those of the user who
    /// comes. With a user who leaves they are 0 and no result.
    fn userinfo(&mut self, slot: u8, user: i32, text: &[u8], block: u64) {
        let score = self.scores.get(&slot).copied();
        match self.player(slot) {
            Some(player) if player.user == user && !text.is_empty() => player.userinfo = text.to_vec(),
            old => {
                if let Some(player) = old {
                    player.left = true;
                    if let Some(score) = score.filter(|score| score.block == block) {
                        player.frags = score.before;
                    }
                }
                if text.is_empty() {
                    return;
                }
                // The same user comes back with a new level.
                self.info.players.retain(|p| (p.slot, p.user) != (slot, user));
                let frags = score.map(|score| score.frags);
                self.info.players.push(Player { slot, user, userinfo: text.to_vec(), frags, left: false });
            }
        }
    }

    /// Prints come in chunks: lines count.
    fn print(&mut self, text: &[u8]) {
        const LONGEST: usize = 4096;
        for part in text.split_inclusive(|&b| b == b'\n') {
            if self.line.len() < LONGEST {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = clean(&std::mem::take(&mut self.line));
                self.told(line.trim());
            }
        }
    }

    /// What KTX and its forerunners print about a match.
    fn told(&mut self, line: &str) {
        let now = self.now;
        if let Some(date) = line.strip_prefix("matchdate: ") {
            self.info.match_date = Some(date.to_owned());
        }
        let Some(level) = self.info.levels.last_mut() else { return };
        if line.ends_with(" has begun!") && line.starts_with("The ") {
            level.match_begun = now;
            level.match_over = None;
        } else if line.starts_with("The match is over") && level.match_begun.is_some() {
            level.match_over = level.match_over.or(now);
        }
    }
}

/// All settings of the server, when a console command tells them.
pub(crate) fn full_serverinfo(text: &[u8]) -> Option<&[u8]> {
    const COMMAND: &[u8] = b"fullserverinfo \"";
    let at = text.windows(COMMAND.len()).position(|w| w == COMMAND)?;
    text.get(at + COMMAND.len()..)?.split(|&b| b == b'"').next()
}

/// Sets a key of an info string.
pub(crate) fn set_value(info: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    let mut out = Vec::with_capacity(info.len() + key.len() + value.len() + 2);
    let others = crate::format::dm3::info_pairs(info).filter(|(k, _)| *k != key);
    for (k, v) in others.chain((!value.is_empty()).then_some((key, value))) {
        out.push(b'\\');
        out.extend_from_slice(k);
        out.push(b'\\');
        out.extend_from_slice(v);
    }
    *info = out;
}

/// A time as JSON: seconds for a client's recording, milliseconds for a server's.
fn moment(time: Option<Moment>) -> Value {
    match time {
        Some(Moment::Seconds(s)) => json!(decimal(Some(s))),
        Some(Moment::Milliseconds(ms)) => json!(ms),
        None => Value::Null,
    }
}

impl Info {
    /// The facts as JSON. `detail` adds bytes by kind of message.
    pub fn to_json(&self, detail: bool) -> Value {
        let multiview = self.dialect.quakeworld.multiview;
        let unit = |name: &str| if multiview { format!("{name}_ms") } else { name.to_owned() };
        let levels: Vec<_> = self
            .levels
            .iter()
            .map(|l| {
                let mut level = json!({
                    "map": l.map, "title": l.title, "gamedir": l.gamedir, "first_block": l.first_block,
                    "clock": "demo",
                });
                for (name, time) in [
                    ("first_time", l.first_time),
                    ("last_time", l.last_time),
                    ("finished", l.finished),
                    ("match_begun", l.match_begun),
                    ("match_over", l.match_over),
                ] {
                    level[unit(name)] = moment(time);
                }
                level
            })
            .collect();
        let players: Vec<_> = self
            .players
            .iter()
            .map(|p| {
                let mut player = json!({
                    "slot": p.slot, "user": p.user, "name": p.name(), "team": p.team(), "frags": p.frags,
                    "spectator": p.is_spectator(), "left": p.left,
                });
                raw_name(&mut player, &p.name(), p.name_raw());
                player
            })
            .collect();
        let settings: serde_json::Map<_, _> = crate::format::dm3::info_pairs(&self.serverinfo)
            .map(|(key, value)| (clean(key), Value::from(clean(value))))
            .collect();
        let mut all = json!({
            "protocol": self.dialect.protocol, "dialect": self.dialect.name, "extensions": self.extensions,
            "server": self.setting("hostname"), "engine": self.setting("*version"),
            "game": self.levels.first().map(|l| &l.gamedir), "mode": self.setting("mode"), "serverinfo": settings,
            "recorder": self.recorder, "spectator": self.spectator, "match_date": self.match_date,
            "recorded_at_ms": self.recorded_at, "ktx": self.ktx.is_some(),
            "map": self.levels.first().map(|l| &l.map), "levels": levels, "players": players, "blocks": self.blocks,
            "messages": self.messages, "hidden": self.hidden, "lost_packets": self.lost_packets,
            "unknown_bytes": self.unknown_bytes, "trailer_bytes": self.trailer_bytes,
            "ends_cleanly": self.ends_cleanly,
        });
        if detail {
            all["messages_by_kind"] = by_kind(&self.kinds, "bytes");
        }
        all
    }
}
