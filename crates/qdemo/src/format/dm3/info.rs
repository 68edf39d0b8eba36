//! What a Quake III demo says about itself: levels, matches, players, who recorded it with what.

use serde_json::{Value, json};

use super::block::{Block, Chunk};
use super::command::{Command, Configstrings};
use super::decode::Packet;
use super::delta::FieldValue;
use super::gamestate::Gamestate;
pub use super::matches::Match;
use super::matches::{Matches, Told};
use super::message::{Kind, Message};
use super::serverinfo::value;
use crate::dialect::quake3::{Dialect, PlayerField};
use crate::format::facts::Tally;
use crate::format::{Diagnostic, counts};
use crate::json::{by_kind, raw_name};

/// A gamestate and what follows it up to the next one: a level.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Level {
    /// Name of the map, such as `q3dm17`.
    pub map: String,
    /// Name of the level for people, such as `The Longest Yard`.
    pub title: String,
    /// Number of the kind of game.
    pub game_type: Option<i32>,
    /// The kind of game in words.
    pub game_type_name: &'static str,
    /// First block of the level.
    pub first_block: u64,
    /// Server time of the first snapshot, in ms.
    pub first_time: Option<i32>,
    /// Server time of the last snapshot, in ms.
    pub last_time: Option<i32>,
    /// Slot of the recording client.
    pub client_num: Option<i32>,
    /// Matches in order.
    pub matches: Vec<Match>,
}

impl Level {
    /// Milliseconds of server time from the first to the last snapshot in this recording.
    pub fn length(&self) -> Option<i64> {
        Some(i64::from(self.last_time?) - i64::from(self.first_time?))
    }
}

/// A player slot as it was last seen in use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Player {
    /// Slot from 0.
    pub slot: u8,
    /// Name as the bytes in the file, colour codes and all.
    pub name_raw: Vec<u8>,
    /// Team: 0 free, 1 red, 2 blue, 3 spectator.
    pub team: Option<u8>,
    /// Clan, where the game has it apart from the name.
    pub clan: Option<String>,
    /// Model.
    pub model: String,
    /// True when the player left before the recording ended.
    pub left: bool,
}

impl Player {
    /// The name in plain characters, without colour codes.
    pub fn name(&self) -> String {
        without_colors(&self.name_raw)
    }

    /// The team in a word.
    pub fn team_name(&self) -> &'static str {
        match self.team {
            Some(0) => "free",
            Some(1) => "red",
            Some(2) => "blue",
            Some(3) => "spectator",
            _ => "",
        }
    }
}

/// A string without its colour codes (`^1`) and without control characters. Letters beyond ASCII are kept: as UTF-8 where
/// they are (Quake Live), else as Latin-1.
pub fn without_colors(text: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, after)) = rest.split_first() {
        // Every character behind a caret is a colour, except another caret.
        match after.first() {
            Some(color) if b == b'^' && *color != b'^' => rest = &after[1..],
            _ => {
                out.push(b);
                rest = after;
            }
        }
    }
    out.retain(|b| !b.is_ascii_control() || matches!(b, b'\n' | b'\t'));
    String::from_utf8(out).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect())
}

/// What a Quake III demo says about itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// The dialect.
    pub dialect: Dialect,
    /// Protocol that serverinfo tells.
    pub server_protocol: Option<i32>,
    /// `com_protocol` in serverinfo: what an ioquake3 server calls its own protocol.
    pub com_protocol: Option<i32>,
    /// Version of the server's engine, such as `Q3 1.32 linux-i386 Oct  7 2002`.
    pub engine: Option<String>,
    /// Name of the server.
    pub server: Option<String>,
    /// Game module: `baseq3`, `cpma`, `osp`, `defrag` ...
    pub game: Option<String>,
    /// Its version, as it names it.
    pub game_version: Option<String>,
    /// Levels in order.
    pub levels: Vec<Level>,
    /// Players by slot, those who left included.
    pub players: Vec<Player>,
    /// Slot of the recording client.
    pub recorder: Option<u8>,
    /// Slots that the recorder saw through, in order of first appearance.
    pub seen: Vec<u8>,
    /// Blocks.
    pub blocks: u64,
    /// False when texts and clocks alone were read, see [`InfoBuilder::quick`]: then messages are not counted, and nothing
    /// is known of matches and of whom the recorder saw through.
    pub whole: bool,
    /// Messages.
    pub messages: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Server commands without those sent again.
    pub commands: u64,
    /// Packets that are missing: holes in the sequence numbers.
    pub lost_packets: u64,
    /// Messages and bits by kind.
    pub kinds: Tally<Kind>,
    /// Bytes that no message covers.
    pub unknown_bytes: u64,
    /// Bytes behind the end mark.
    pub trailer_bytes: u64,
    /// True when there is an end mark.
    pub ends_cleanly: bool,
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    packet: Packet,
    spans: Vec<usize>,
    strings: Configstrings,
    /// Number of the last server command.
    command: i32,
    sequence: Option<i32>,
    time: Option<i32>,
    matches: Matches,
}

impl InfoBuilder {
    /// Begins with a dialect.
    pub fn new(dialect: Dialect) -> Self {
        InfoBuilder {
            info: Info {
                dialect,
                server_protocol: None,
                com_protocol: None,
                engine: None,
                server: None,
                game: None,
                game_version: None,
                levels: Vec::new(),
                players: Vec::new(),
                recorder: None,
                seen: Vec::new(),
                blocks: 0,
                whole: true,
                messages: 0,
                snapshots: 0,
                commands: 0,
                lost_packets: 0,
                kinds: Tally::default(),
                unknown_bytes: 0,
                trailer_bytes: 0,
                ends_cleanly: false,
            },
            packet: Packet::default(),
            spans: Vec::new(),
            strings: Configstrings::default(),
            command: 0,
            sequence: None,
            time: None,
            matches: Matches::default(),
        }
    }

    /// The same, but texts and clocks alone are read: that is much faster. Damage in snapshots is not seen.
    pub fn quick(dialect: Dialect) -> Self {
        let mut it = Self::new(dialect);
        it.info.whole = false;
        it
    }

    /// Server time of the last snapshot, in ms.
    pub fn time(&self) -> Option<i32> {
        self.time
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        match chunk.block_or_count(counts!(self.info)) {
            Ok(block) => self.block(block),
            Err(broken) => broken,
        }
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        let last = self.matches.stop(false);
        self.note(last);
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info
    }

    fn block(&mut self, block: &Block<'_>) -> Option<Diagnostic> {
        self.info.blocks += 1;
        if let Some(last) = self.sequence.replace(block.sequence) {
            let gap = i64::from(block.sequence) - i64::from(last) - 1;
            // A long gap is a pause in the recording, not loss.
            self.info.lost_packets += u64::try_from(gap).ok().filter(|n| *n < 1000).unwrap_or(0);
        }
        let mut packet = std::mem::take(&mut self.packet);
        // Old protocols tell the recorder in the first snapshot only.
        let fault = match self.info.whole || self.info.recorder.is_none() || block.is_cut() {
            true => {
                self.spans.clear();
                packet.read_spans(block.payload, &self.info.dialect, Some(&mut self.spans))
            }
            false => {
                let (time, fault) = packet.read_texts(block.payload, &self.info.dialect);
                if let Some(time) = time {
                    self.info.snapshots += 1;
                    self.snapshot_time(time);
                }
                fault
            }
        };
        if self.info.whole {
            self.count(&packet);
        }
        // Commands take effect with the snapshot that they come with.
        for message in &packet.messages {
            if let Message::Snapshot(snapshot) = message {
                self.snapshot_time(snapshot.server_time);
            }
        }
        for message in &packet.messages {
            match message {
                Message::Gamestate(gamestate) => {
                    self.gamestate(gamestate, block.index);
                    self.sequence = None;
                }
                Message::ServerCommand(command) if command.seq > self.command => {
                    self.command = command.seq;
                    self.info.commands += 1;
                    self.server_command(&command.value.0);
                }
                Message::Snapshot(snapshot) => {
                    self.info.snapshots += 1;
                    let movement = match snapshot.player().get(PlayerField::PmType as u8) {
                        Some(FieldValue::Int(kind)) => Some(kind),
                        _ => None,
                    };
                    self.matches.movement(movement, snapshot.delta_num == 0);
                    let seen = snapshot.player().get(PlayerField::ClientNum as u8);
                    // A complete state without the number means slot 0.
                    let seen = match seen {
                        Some(FieldValue::Int(slot)) => Some(slot as u8),
                        _ if snapshot.delta_num == 0 => Some(0),
                        _ => None,
                    };
                    if let Some(slot) = seen {
                        self.info.recorder.get_or_insert(slot);
                        if self.info.whole && !self.info.seen.contains(&slot) {
                            self.info.seen.push(slot);
                        }
                    }
                }
                _ => {}
            }
        }
        if self.info.whole {
            self.play();
        }
        let broken = fault.map(|f| f.broken(block, &packet));
        if let Some(broken) = &broken {
            self.info.unknown_bytes += block.payload_offset() + block.payload.len() as u64 - broken.offset;
        }
        self.packet = packet;
        broken
    }

    fn count(&mut self, packet: &Packet) {
        let mut from = if packet.rel_ack.is_some() { 32 } else { 0 };
        for (message, to) in packet.messages.iter().zip(&self.spans) {
            if let Some(kind) = message.kind() {
                self.info.kinds.add(kind, (to - from.min(*to)) as u64);
                self.info.messages += 1;
            }
            from = *to;
        }
    }

    fn snapshot_time(&mut self, time: i32) {
        self.time = Some(time);
        if self.info.levels.is_empty() {
            // The gamestate is damaged or missing.
            self.info.levels.push(Level::default());
        }
        if let Some(level) = self.info.levels.last_mut() {
            // The first snapshots of a level may still have the clock of the level before.
            level.first_time = Some(level.first_time.map_or(time, |first| first.min(time)));
            level.last_time = Some(time);
        }
    }

    fn gamestate(&mut self, gamestate: &Gamestate, block: u64) {
        let last = self.matches.stop(false);
        self.note(last);
        self.time = None;
        self.command = gamestate.server_command_sequence;
        self.strings.set_all(gamestate);
        let info = &mut self.info;
        for player in &mut info.players {
            player.left = true;
        }
        let text = |key| value(self.strings.get(0), key).map(without_colors).filter(|v| !v.is_empty());
        let number = |key| text(key).and_then(|v| v.trim().parse::<i32>().ok());
        info.server_protocol = info.server_protocol.or_else(|| number("protocol"));
        info.com_protocol = info.com_protocol.or_else(|| number("com_protocol"));
        info.engine = info.engine.take().or_else(|| text("version"));
        info.server = info.server.take().or_else(|| text("sv_hostname"));
        info.game = info.game.take().or_else(|| text("gamename"));
        let indices = &info.dialect.layout.indices;
        let version = || {
            let version = ["gameversion", "defrag_vers", "mod_version"].into_iter().find_map(text);
            version.or_else(|| Some(without_colors(self.strings.get(indices.game_version))).filter(|v| !v.is_empty()))
        };
        info.game_version = info.game_version.take().or_else(version);
        let game_type = number("g_gametype");
        let level = Level {
            map: text("mapname").unwrap_or_default(),
            title: without_colors(self.strings.get(3)),
            game_type,
            game_type_name: game_type.map_or("", |n| info.game_type_name(n)),
            first_block: block,
            client_num: gamestate.client_num,
            ..Level::default()
        };
        info.levels.push(level);
        if let Some(slot) = gamestate.client_num.and_then(|n| u8::try_from(n).ok()) {
            info.recorder = Some(slot);
        }
        for slot in 0..PLAYERS {
            self.player(slot);
        }
    }

    /// Takes over the configstring of a player.
    fn player(&mut self, slot: u8) {
        let text = self.strings.get(self.info.dialect.layout.indices.players + u16::from(slot));
        let players = &mut self.info.players;
        let current = players.iter().position(|p| p.slot == slot && !p.left);
        let Some(name) = value(text, "n").filter(|_| !text.is_empty()) else {
            if let Some(player) = current.and_then(|n| players.get_mut(n)) {
                player.left = true;
            }
            return;
        };
        let string = |key| value(text, key).map(without_colors).filter(|v| !v.is_empty());
        let player = Player {
            slot,
            name_raw: name.to_vec(),
            team: string("t").and_then(|t| t.parse().ok()),
            clan: string("cn"),
            model: string("model").unwrap_or_default(),
            left: false,
        };
        // Somebody who was here before comes back into the slot.
        let same = current.or_else(|| players.iter().position(|p| p.slot == slot && p.name_raw == name));
        match same.and_then(|n| players.get_mut(n)) {
            Some(old) => *old = player,
            None => players.push(player),
        }
    }

    fn server_command(&mut self, text: &[u8]) {
        match self.strings.command(text) {
            Command::Configstring(index) => {
                let first = self.info.dialect.layout.indices.players;
                if (first..first + u16::from(PLAYERS)).contains(&index) {
                    self.player((index - first) as u8);
                }
            }
            Command::MapRestart => self.matches.restart(),
            Command::Other => {}
        }
    }

    /// After a block: whether a match goes on.
    fn play(&mut self) {
        let Some(time) = self.time else { return };
        let level_begins = self.info.levels.last().and_then(|l| l.first_time);
        let told = Told::by(&self.strings, &self.info.dialect, self.info.game.as_deref());
        let ended = self.matches.step(time, &told, level_begins);
        self.note(ended);
    }

    fn note(&mut self, ended: Option<Match>) {
        if let (Some(game), Some(level)) = (ended, self.info.levels.last_mut()) {
            level.matches.push(game);
        }
    }
}

/// Client slots.
const PLAYERS: u8 = 64;

impl Info {
    /// The name of a kind of game: the numbers are the game module's own.
    fn game_type_name(&self, number: i32) -> &'static str {
        const QUAKE3: [&str; 8] = [
            "free for all",
            "tournament",
            "single player",
            "team deathmatch",
            "capture the flag",
            "one flag CTF",
            "obelisk",
            "harvester",
        ];
        let game = self.game.as_deref().unwrap_or_default();
        if self.dialect.layout.indices.quake_live {
            const LIVE: [&str; 13] = [
                "free for all",
                "duel",
                "race",
                "team deathmatch",
                "clan arena",
                "capture the flag",
                "one flag CTF",
                "obelisk",
                "harvester",
                "freeze tag",
                "domination",
                "attack and defend",
                "red rover",
            ];
            return usize::try_from(number).ok().and_then(|n| LIVE.get(n)).copied().unwrap_or("");
        }
        let special = match (game, number) {
            ("cpma", -1) => Some("hoony mode"),
            ("cpma", 5) => Some("clan arena"),
            ("cpma", 6) => Some("freeze tag"),
            ("cpma", 7) => Some("capture strike"),
            ("cpma", 8) => Some("not team fortress"),
            ("cpma", 9) => Some("two versus two"),
            ("baseoa", 8) => Some("elimination"),
            ("baseoa", 9) => Some("CTF elimination"),
            ("baseoa", 10) => Some("last man standing"),
            ("baseoa", 11) => Some("double domination"),
            ("baseoa", 12) => Some("domination"),
            ("baseoa", 13) => Some("possession"),
            _ => None,
        };
        special.or_else(|| QUAKE3.get(usize::try_from(number).ok()?).copied()).unwrap_or("")
    }

    /// The facts as JSON. `detail` adds bits by kind of message.
    pub fn to_json(&self, detail: bool) -> Value {
        let levels: Vec<_> = self
            .levels
            .iter()
            .map(|l| {
                let matches: Vec<_> = l
                    .matches
                    .iter()
                    .map(|m| {
                        json!({"first_time_ms": m.first_time, "last_time_ms": m.last_time, "begun": m.begun, "ended": m.ended})
                    })
                    .collect();
                json!({
                    "map": l.map, "title": l.title, "game_type": l.game_type, "game_type_name": l.game_type_name,
                    "first_block": l.first_block, "clock": "server", "first_time_ms": l.first_time,
                    "last_time_ms": l.last_time, "length_ms": l.length(), "client_num": l.client_num, "matches": matches,
                })
            })
            .collect();
        let players: Vec<_> = self
            .players
            .iter()
            .map(|p| {
                let mut player = json!({
                    "slot": p.slot, "name": p.name(), "team": p.team_name(), "clan": p.clan, "model": p.model, "left": p.left,
                });
                raw_name(&mut player, &p.name(), &p.name_raw);
                player
            })
            .collect();
        let mut all = json!({
            "protocol": self.dialect.protocol, "dialect": self.dialect.name, "server_protocol": self.server_protocol,
            "com_protocol": self.com_protocol, "engine": self.engine, "server": self.server, "game": self.game,
            "game_version": self.game_version, "map": self.levels.first().map(|l| &l.map), "levels": levels,
            "players": players, "recorder": self.recorder, "seen": self.seen, "blocks": self.blocks,
            "messages": self.messages, "snapshots": self.snapshots, "commands": self.commands,
            "lost_packets": self.lost_packets, "unknown_bytes": self.unknown_bytes,
            "trailer_bytes": self.trailer_bytes, "ends_cleanly": self.ends_cleanly,
        });
        if !self.whole {
            let unknown = ["messages", "seen"];
            if let Some(all) = all.as_object_mut() {
                all.retain(|key, _| !unknown.contains(&key.as_str()));
            }
            let levels = all["levels"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
            levels.for_each(|level| drop(level.remove("matches")));
        } else if detail {
            all["messages_by_kind"] = by_kind(&self.kinds, "bits");
        }
        all
    }
}
