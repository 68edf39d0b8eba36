//! What a Quake III demo says about itself: levels, matches, players, who recorded it with what.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::command::{Command, Configstrings, Shown, shown};
use super::game_types::game_type_of;
use super::matches::{MatchState, Pauses, PhaseAt, Phases};
use super::names::Module;
use super::runs::{self, Defrag, Finish, LOGIN};
use super::world::first_word;
use crate::error::Moment;
use crate::event::{LastRun, Match, Matches, PlayerRef, Run};
use crate::format::dm3::{Chunk, Dialect, Dm3, FieldValue, Gamestate, Message, MessageKind, PlayerField};
use crate::format::{Begin, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::tally::{InBits, Tally, block_or_count, counts, in_bits};
use crate::json::{Named, row};
use crate::wire::{info_value, without_colors};
use crate::world::{Charset, ClockKind, OnClock};

row! {
    /// A gamestate and what follows it up to the next one: a level.
    #[derive(Debug, Clone, PartialEq, Default)]
    #[schemars(rename = "Quake3Level")]
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
        #[serde(skip)]
        pub first_time: Option<i32>,
        /// Server time of the last snapshot, in ms.
        #[serde(skip)]
        pub last_time: Option<i32>,
        /// Slot of the recording client.
        pub client_num: Option<i32>,
        /// Matches in order.
        #[serde(skip)]
        pub matches: Vec<Match<Moment>>,
        /// The rules of a level of DeFRaG.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub defrag: Option<Defrag>,
    }
    |level| -> Course {
        let [from, to] = [level.first_time, level.last_time].map(|at| at.map(Moment::Milliseconds));
        Course { on_clock: OnClock::of(ClockKind::Server, from, to), matches: Some(level.matches.clone()) }
    }
}

/// When a level was played, and the matches in it.
#[derive(Serialize, JsonSchema)]
struct Course {
    #[serde(flatten)]
    on_clock: OnClock,
    /// Matches in order; left out with `--quick`.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<Match<Moment>>>,
}

impl Level {
    /// Milliseconds of server time from the first to the last snapshot in this recording.
    pub fn length(&self) -> Option<i64> {
        Some(i64::from(self.last_time?) - i64::from(self.first_time?))
    }
}

row! {
    /// A player slot as it was last seen in use.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[schemars(rename = "Quake3Player")]
    #[non_exhaustive]
    pub struct Player {
        /// Slot from 0.
        pub slot: u8,
        /// Name as the bytes in the file, colour codes and all.
        #[serde(skip)]
        pub name_raw: Vec<u8>,
        /// How the name is written.
        #[serde(skip)]
        pub charset: Charset,
        /// Team: 0 free, 1 red, 2 blue, 3 spectator.
        #[serde(skip)]
        pub team: Option<u8>,
        /// Clan, where the game has it apart from the name.
        pub clan: Option<String>,
        /// The name that the player logs in with, in DeFRaG.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub login: Option<String>,
        /// Model.
        pub model: String,
        /// True when the player left before the recording ended.
        pub left: bool,
    }
    |player| -> NameAndTeam {
        NameAndTeam { named: Named::new(player.name(), &player.name_raw), team: player.team_name() }
    }
}

/// Who a player is.
#[derive(Serialize, JsonSchema)]
struct NameAndTeam {
    #[serde(flatten)]
    named: Named,
    /// The team: `free`, `red`, `blue` or `spectator`; empty where it is not told.
    team: &'static str,
}

impl Player {
    /// The name in plain characters, without colour codes.
    pub fn name(&self) -> String {
        self.charset.clean(&self.name_raw)
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

row! {
    /// What a Quake III demo says about itself.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "Quake3Info")]
    #[non_exhaustive]
    pub struct Info {
        /// The dialect.
        #[serde(skip)]
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
        #[serde(skip)]
        pub levels: Vec<Level>,
        /// Runs of DeFRaG that somebody finished, in order.
        pub runs: Vec<Run>,
        /// Players by slot, those who left included.
        pub players: Vec<Player>,
        /// Slot of the recording client.
        pub recorder: Option<u8>,
        /// Slots that the recorder saw through, in order of first appearance.
        #[serde(skip)]
        pub seen: Vec<u8>,
        /// Blocks.
        pub blocks: u64,
        /// False when texts and clocks alone were read, see [`InfoBuilder::quick`]: then messages are not counted, and nothing
        /// is known of matches and of whom the recorder saw through.
        #[serde(skip)]
        pub whole: bool,
        /// Messages.
        #[serde(skip)]
        pub messages: u64,
        /// Snapshots that are read as a whole; with `--quick` those that are damaged behind their time, too.
        pub snapshots: u64,
        /// Server commands without those sent again.
        pub commands: u64,
        /// Packets that are missing: holes in the sequence numbers.
        pub lost_packets: u64,
        /// Messages and bits by kind.
        #[serde(skip)]
        pub kinds: Tally<MessageKind>,
        /// Bytes that no message covers.
        pub unknown_bytes: u64,
        /// Bytes behind the end mark.
        pub trailer_bytes: u64,
        /// True when there is an end mark.
        pub ends_cleanly: bool,
    }
    |info| -> Spoken {
        let mut levels = json!(info.levels);
        if !info.whole {
            let levels = levels.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
            levels.for_each(|level| drop(level.remove("matches")));
        }
        Spoken {
            protocol: info.dialect.protocol,
            dialect: info.dialect.name,
            map: info.levels.first().map(|level| level.map.clone()),
            levels,
            messages: info.whole.then_some(info.messages),
            messages_by_kind: info.whole.then(|| in_bits(&info.kinds)),
            seen: info.whole.then(|| info.seen.clone()),
        }
    }
}

/// How a recording speaks, and what is known of it when it is read in whole.
#[derive(Serialize, JsonSchema)]
struct Spoken {
    /// Protocol number.
    protocol: i32,
    /// Name of the dialect.
    dialect: &'static str,
    /// Name of the first level's map.
    map: Option<String>,
    /// Levels in order.
    #[schemars(with = "Vec<Level>")]
    levels: Value,
    /// Messages; left out with `--quick`.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<u64>,
    /// Messages and bits by kind; `info` tells them with `--detail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages_by_kind: Option<Vec<InBits>>,
    /// Slots that the recorder saw through, in order of first appearance; left out with `--quick`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<Vec<u8>>,
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    decoder: Owned<Dm3>,
    /// The block at hand.
    block: u64,
    /// The kind of the message seen last.
    counted: Option<MessageKind>,
    strings: Configstrings,
    /// Number of the last server command.
    command: i32,
    sequence: Option<i32>,
    time: Option<i32>,
    phases: Phases,
    pauses: Pauses<PhaseAt>,
    /// What configstrings say of the match, while it holds.
    match_told: Option<MatchState>,
    matches: Matches<Moment>,
    last_run: LastRun,
}

impl Visitor<Dm3> for InfoBuilder {
    fn texts_alone(&self) -> bool {
        // Old protocols tell the recorder in the first snapshot only.
        !self.info.whole && self.info.recorder.is_some()
    }

    fn begin(&mut self, begin: Begin<'_, '_, Dm3>) {
        self.info.blocks += 1;
        self.block = begin.block.index;
        let sequence = begin.block.header.sequence;
        if let Some(last) = self.sequence.replace(sequence) {
            let gap = i64::from(sequence) - i64::from(last) - 1;
            // A long gap is a pause in the recording, not loss.
            self.info.lost_packets += u64::try_from(gap).ok().filter(|n| *n < 1000).unwrap_or(0);
        }
        // Commands take effect with the snapshot that they come with.
        if let Some(time) = begin.server_time {
            self.time = Some(time);
            if !self.info.whole {
                self.snapshot(time);
            }
        }
    }

    fn message(&mut self, message: &Message, _: &Dialect) {
        self.counted = message.kind();
        match message {
            Message::Gamestate(gamestate) => {
                self.gamestate(gamestate, self.block);
                self.sequence = None;
            }
            Message::ServerCommand(command) if command.seq > self.command => {
                self.command = command.seq;
                self.info.commands += 1;
                self.server_command(&command.value.0);
            }
            Message::Snapshot(snapshot) => {
                if self.info.whole {
                    self.snapshot(snapshot.server_time);
                }
                self.phases.snapshot(snapshot);
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
            Message::Unknown(unknown) => self.info.unknown_bytes += unknown.bytes.len() as u64,
            _ => {}
        }
    }

    fn size(&mut self, bits: usize) {
        if let Some(kind) = self.counted.filter(|_| self.info.whole) {
            self.info.kinds.add(kind, bits as u64);
            self.info.messages += 1;
        }
    }
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
                runs: Vec::new(),
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
            decoder: Owned::new(dialect),
            block: 0,
            counted: None,
            strings: Configstrings::default(),
            command: 0,
            sequence: None,
            time: None,
            phases: Phases::default(),
            pauses: Pauses::default(),
            match_told: None,
            matches: Matches::default(),
            last_run: LastRun::default(),
        }
    }

    /// The same, but texts and clocks alone are read: that is much faster. Damage in snapshots is not seen, so that those
    /// which are damaged behind their time count, too, and their times are some of the level.
    pub fn quick(dialect: Dialect) -> Self {
        let mut it = Self::new(dialect);
        it.info.whole = false;
        it
    }

    /// Server time of the last block that tells one, in ms.
    pub fn time(&self) -> Option<i32> {
        self.time
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        let Chunk::Block(block) = chunk else { return self.seen(chunk) };
        let diagnostic = Owned::visit(self, |info| &mut info.decoder, block);
        self.seen(chunk).or(diagnostic)
    }

    /// Takes in a chunk, if it is a block one whose messages it has seen. Gives the fault in any other.
    pub(crate) fn seen(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        match block_or_count(chunk, counts!(self.info)) {
            Ok(_) => {
                if self.info.whole {
                    self.play();
                }
                None
            }
            Err(fault) => fault,
        }
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.cut();
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info
    }

    /// A snapshot: where damage is seen, one that is read as a whole.
    fn snapshot(&mut self, time: i32) {
        self.info.snapshots += 1;
        if self.info.levels.is_empty() {
            // The gamestate is damaged or missing.
            self.info.levels.push(Level::default());
            self.name_level();
        }
        if let Some(level) = self.info.levels.last_mut() {
            // The first snapshots of a level may still have the clock of the level before.
            level.first_time = Some(level.first_time.map_or(time, |first| first.min(time)));
            level.last_time = Some(time);
        }
        self.matches.frame(Moment::Milliseconds(time));
    }

    /// Where the gamestate is missing, later configstrings may tell what the level is called.
    fn name_level(&mut self) {
        let Some(level) = self.info.levels.last_mut() else { return };
        if level.map.is_empty() {
            level.map = info_value(self.strings.get(0), "mapname").map(without_colors).unwrap_or_default();
        }
        if level.title.is_empty() {
            level.title = without_colors(self.strings.get(3));
        }
    }

    fn gamestate(&mut self, gamestate: &Gamestate, block: u64) {
        self.cut();
        self.time = None;
        self.command = gamestate.server_command_sequence;
        self.strings.set_all(gamestate);
        self.match_told = None;
        self.last_run = LastRun::default();
        let info = &mut self.info;
        for player in &mut info.players {
            player.left = true;
        }
        let text = |key| info_value(self.strings.get(0), key).map(without_colors).filter(|v| !v.is_empty());
        let number = |key| text(key).and_then(|v| v.trim().parse::<i32>().ok());
        info.server_protocol = info.server_protocol.or_else(|| number("protocol"));
        info.com_protocol = info.com_protocol.or_else(|| number("com_protocol"));
        info.engine = info.engine.take().or_else(|| text("version"));
        info.server = info.server.take().or_else(|| text("sv_hostname"));
        let indices = &info.dialect.layout.indices;
        // Quake Live stopped to tell `gamename` with protocol 91. Up to 90 its configstring of the version had the same word.
        let told = || Some(without_colors(self.strings.get(indices.game_version))).filter(|v| !v.is_empty());
        let live = || told().filter(|_| indices.quake_live);
        info.game = info.game.take().or_else(|| text("gamename")).or_else(live);
        let version = || {
            let version = ["gameversion", "defrag_vers", "mod_version"].into_iter().find_map(text);
            version.or_else(told)
        };
        info.game_version = info.game_version.take().or_else(version);
        let game_type = number("g_gametype");
        let module = Module::of(&self.strings, indices);
        let level = Level {
            map: text("mapname").unwrap_or_default(),
            title: without_colors(self.strings.get(3)),
            game_type,
            game_type_name: game_type.map_or("", |n| game_type_of(module, &self.strings, n)),
            first_block: block,
            client_num: gamestate.client_num,
            defrag: Defrag::of(&self.strings),
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
        let Some(name) = info_value(text, "n").filter(|_| !text.is_empty()) else {
            if let Some(player) = current.and_then(|n| players.get_mut(n)) {
                player.left = true;
            }
            return;
        };
        let string = |key| info_value(text, key).map(without_colors).filter(|v| !v.is_empty());
        let player = Player {
            slot,
            name_raw: name.to_vec(),
            charset: Module::of(&self.strings, &self.info.dialect.layout.indices).charset(),
            team: string("t").and_then(|t| t.parse().ok()),
            clan: string("cn"),
            login: string(LOGIN),
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
                self.match_told = None;
                self.name_level();
                if let Some(slot) = self.info.dialect.layout.indices.player(index) {
                    self.player(slot);
                }
                if let (0 | 1, Some(level)) = (index, self.info.levels.last_mut()) {
                    level.defrag = Defrag::of(&self.strings);
                }
            }
            Command::MapRestart => self.phases.restart(),
            Command::Other => {
                if let Shown::Print(text) = shown(text) {
                    self.phases.print(text);
                    let plain = self.charset().clean(text);
                    self.run(runs::finish(&plain));
                } else if matches!(first_word(text), b"NewTime" | b"newTime") {
                    let plain = self.charset().clean(text);
                    self.run(runs::new_time(&plain));
                }
            }
        }
    }

    fn charset(&self) -> Charset {
        Module::of(&self.strings, &self.info.dialect.layout.indices).charset()
    }

    /// A run of DeFRaG, from what the server tells about it.
    fn run(&mut self, finish: Option<Finish<'_>>) {
        let Some(finish) = finish.filter(|finish| self.last_run.is_new(finish.from, finish.ms)) else { return };
        let charset = self.charset();
        let here = || self.info.players.iter().filter(|player| !player.left);
        let first = self.info.dialect.layout.indices.players;
        let info = |player: &Player| self.strings.get(first + u16::from(player.slot));
        let player = match finish.name {
            Some(name) => {
                let login = |player: &&Player| runs::logs_in_as(info(player), name, charset);
                here().find(|player| player.name() == name).or_else(|| here().find(login))
            }
            None => here().find(|player| Some(player.slot) == self.info.recorder),
        };
        let player = player.map(|player| PlayerRef {
            slot: Some(player.slot.into()),
            team: Some(player.team_name().to_owned()).filter(|team| !team.is_empty()),
            ..PlayerRef::named(&player.name_raw, charset)
        });
        let player = player.or_else(|| Some(PlayerRef::named(finish.name?.as_bytes(), charset)));
        let run = finish.run(player, &self.strings);
        self.info.runs.push(run);
    }

    /// After a block: whether a match goes on.
    fn play(&mut self) {
        let Some(time) = self.time else { return };
        let level_begins = self.info.levels.last().and_then(|l| l.first_time);
        let (strings, dialect) = (&self.strings, &self.info.dialect);
        let tell = || MatchState::by(strings, dialect, Module::of(strings, &dialect.layout.indices));
        let told = *self.match_told.get_or_insert_with(tell);
        let (matches, pauses) = (&mut self.matches, &mut self.pauses);
        let mut step = |PhaseAt { phase, time, begun }: PhaseAt| {
            matches.step(phase, begun, Moment::Milliseconds(time));
        };
        if self.phases.drops_open() {
            pauses.tell(&mut step);
        }
        self.phases.step(time, &told, level_begins, &mut |at| pauses.add(at.phase, at, &mut step));
        if self.phases.open().is_none() {
            pauses.tell(&mut step);
        }
    }

    /// The level ends, or the recording does.
    fn cut(&mut self) {
        (self.phases, self.pauses) = (Phases::default(), Pauses::default());
        if let Some(time) = self.time {
            self.matches.cut(Moment::Milliseconds(time));
        }
        if let Some(level) = self.info.levels.last_mut() {
            level.matches = self.matches.take();
        }
    }
}

/// Client slots.
const PLAYERS: u8 = 64;
