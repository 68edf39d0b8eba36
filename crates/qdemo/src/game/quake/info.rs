//! What a `.dem` says about itself: levels, players, clocks, who recorded it with what.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::error::Moment;
use crate::event::{Lines, Match, Matches, PlayerRef, Run};
use crate::format::dem::{Block, Chunk, Colors, Decoder, Dem, Dialect, Message, MessageKind, ServerInfo, track_number};
use crate::format::{Begin, Format, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake::matches::{PhaseTold, Phases};
use crate::game::quake::runs;
use crate::game::tally::{InBytes, Tally, count_message, in_bytes, map_name, name};
use crate::json::{Named, row};
use crate::wire::{IntoOwned, clean};
use crate::world::{Charset, ClockKind, Finished, OnClock};

row! {
    /// A level played in the recording.
    #[derive(Debug, Clone, PartialEq, Default)]
    #[schemars(rename = "QuakeLevel")]
    #[non_exhaustive]
    pub struct Level {
        /// Name of the map file without folder and extension, such as `e1m3`.
        pub map: String,
        /// Name of the level for people, such as `the Necropolis`.
        pub title: String,
        /// Player slots.
        pub maxclients: u8,
        /// True for deathmatch rules.
        pub deathmatch: bool,
        /// Protocol number.
        pub protocol: i32,
        /// First block of the level.
        pub first_block: u64,
        /// First time stamp, in seconds of the server's clock, which counts from the beginning of the level.
        #[serde(skip)]
        pub first_time: Option<f32>,
        /// Last time stamp.
        #[serde(skip)]
        pub last_time: Option<f32>,
        /// Time of the first intermission or end text.
        #[serde(skip)]
        pub finished: Option<f32>,
        /// Matches in order.
        pub matches: Vec<Match<Moment>>,
        /// Monsters killed and in the level, secrets found and in the level.
        #[serde(flatten)]
        pub totals: Totals,
        /// How many monsters and secrets there are was told.
        #[serde(skip)]
        pub(crate) counts: bool,
    }
    |level| -> Finished {
        let [from, to, finished] = [level.first_time, level.last_time, level.finished].map(|at| at.map(Moment::Seconds));
        Finished::of(OnClock::of(ClockKind::Server, from, to), finished)
    }
}

/// Counts of a level, as the server sent them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Monsters killed.
    pub kills: i32,
    /// Monsters in the level.
    pub monsters: i32,
    /// Secrets found.
    #[serde(rename = "secrets_found")]
    pub found: i32,
    /// Secrets in the level.
    pub secrets: i32,
}

impl Level {
    /// The kind of game in words.
    pub fn mode(&self) -> &'static str {
        match (self.deathmatch, self.maxclients) {
            (true, _) => "deathmatch",
            (false, 1) => "single player",
            (false, _) => "cooperative",
        }
    }

    /// Seconds of the server's clock from the first to the last time stamp of the level in this recording.
    pub fn length(&self) -> Option<f32> {
        Some(self.last_time? - self.first_time?)
    }
}

/// A player slot as it was last seen with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "QuakePlayer")]
#[non_exhaustive]
pub struct Player {
    /// Slot from 0; the player's entity is slot + 1.
    pub slot: u8,
    /// Name as the bytes in the file.
    #[serde(flatten, serialize_with = "name")]
    #[schemars(with = "Named")]
    pub name_raw: Vec<u8>,
    /// Shirt and pants colour.
    #[serde(flatten, serialize_with = "shirt_and_pants")]
    #[schemars(with = "Clothes")]
    pub colors: Option<Colors>,
    /// Last frags.
    pub frags: Option<i16>,
    /// True when the player left before the recording ended.
    pub left: bool,
}

/// Colours of a player, by their numbers in the palette's rows.
#[derive(Serialize, JsonSchema)]
struct Clothes {
    /// Colour of the shirt, 0 to 15; null where it is not told.
    shirt: Option<u8>,
    /// Colour of the pants, 0 to 15; null where it is not told.
    pants: Option<u8>,
}

fn shirt_and_pants<S: Serializer>(colors: &Option<Colors>, serializer: S) -> Result<S::Ok, S::Error> {
    Clothes { shirt: colors.map(Colors::shirt), pants: colors.map(Colors::pants) }.serialize(serializer)
}

impl Player {
    /// The name in plain characters.
    pub fn name(&self) -> String {
        clean(&self.name_raw)
    }
}

row! {
    /// What a `.dem` says about itself.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "QuakeInfo")]
    #[non_exhaustive]
    pub struct Info {
        /// The CD track line as it stands in the file.
        #[serde(skip)]
        pub track_line: Vec<u8>,
        /// The CD track; -1: the level's own.
        #[serde(rename = "cd_track")]
        pub track: i32,
        /// Dialect at the end.
        #[serde(skip)]
        pub dialect: Dialect,
        /// First words of the server, such as `VERSION 1.09 SERVER (22264 CRC)`.
        pub banner: Option<String>,
        /// CRC of the server's program, from the banner: a fingerprint of the game or mod.
        pub progs_crc: Option<u32>,
        /// Game directory or mission pack, as far as the file tells.
        pub game: Option<String>,
        /// Entity that the view was first put on; player slot + 1.
        pub view_entity: Option<u16>,
        /// Levels in order.
        pub levels: Vec<Level>,
        /// Levels that somebody finished, without those of a deathmatch, and exact times that a game module printed.
        pub runs: Vec<Run>,
        /// Players by slot, those who left included.
        pub players: Vec<Player>,
        /// Blocks.
        pub blocks: u64,
        /// Messages.
        pub messages: u64,
        /// Messages and bytes by kind, in order of their numbers; `info` tells them with `--detail`.
        #[serde(rename = "messages_by_kind", serialize_with = "in_bytes")]
        #[schemars(with = "Vec<InBytes>", skip_serializing_if = "left_out_without_detail")]
        pub kinds: Tally<MessageKind>,
        /// Bytes that no message covers.
        pub unknown_bytes: u64,
        /// True when the last block is the lone `disconnect` of a cleanly stopped recording.
        pub ends_cleanly: bool,
    }
    |info| -> Spoken {
        Spoken {
            protocol: info.dialect.protocol,
            dialect: info.dialect.name,
            variant: info.dialect.variant.name(),
            coordinates: info.dialect.coord.name(),
            angles: info.dialect.angle.name(),
            decoded: info.dialect.decoded,
            map: info.levels.first().map(|level| level.map.clone()),
        }
    }
}

/// How a recording speaks, and of which map.
#[derive(Serialize, JsonSchema)]
struct Spoken {
    /// Protocol number at the end; 0 when there is none.
    protocol: i32,
    /// Name of the dialect at the end.
    dialect: &'static str,
    /// Which of those that share a protocol number it is.
    variant: &'static str,
    /// How coordinates are sent.
    coordinates: &'static str,
    /// How angles are sent.
    angles: &'static str,
    /// False for a protocol whose messages are not decoded.
    decoded: bool,
    /// Name of the first level's map.
    map: Option<String>,
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug, Clone)]
pub struct InfoBuilder {
    decoder: Owned<Dem>,
    info: Info,
    /// Kinds of the messages of a block, and their bytes.
    counted: Vec<(Option<MessageKind>, u64)>,
    /// Those of them that tell something.
    told: Vec<Message<'static>>,
    lines: Lines,
    now: Option<Moment>,
    phases: Phases,
    matches: Matches<Moment>,
}

impl Default for InfoBuilder {
    fn default() -> Self {
        InfoBuilder {
            decoder: Owned::new(Dem::first_dialect(None)),
            counted: Vec::new(),
            told: Vec::new(),
            lines: Lines::default(),
            now: None,
            phases: Phases::default(),
            matches: Matches::default(),
            info: Info {
                track_line: Vec::new(),
                track: 0,
                dialect: Dialect::QUAKE,
                banner: None,
                progs_crc: None,
                game: None,
                view_entity: None,
                levels: Vec::new(),
                runs: Vec::new(),
                players: Vec::new(),
                blocks: 0,
                messages: 0,
                kinds: Tally::default(),
                unknown_bytes: 0,
                ends_cleanly: false,
            },
        }
    }
}

impl InfoBuilder {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder) -> Self {
        InfoBuilder { decoder: Owned::of(decoder), ..self }
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        let Chunk::Block(block) = chunk else { return self.seen(chunk, self.info.dialect) };
        let diagnostic = Owned::visit(self, |info| &mut info.decoder, block);
        let dialect = self.decoder.get().map_or(self.info.dialect, Decoder::dialect);
        self.seen(chunk, dialect).or(diagnostic)
    }

    /// Takes in a chunk, if it is a block one whose messages it has seen. Gives the fault in any other. The dialect is the
    /// one behind it.
    pub(crate) fn seen(&mut self, chunk: &Chunk<'_>, dialect: Dialect) -> Option<Diagnostic> {
        match chunk {
            Chunk::Start(line) => {
                self.info.track_line = line.to_vec();
                self.info.track = track_number(line);
                None
            }
            Chunk::Block(block) => {
                self.block(block, dialect);
                None
            }
            Chunk::Unframed(unframed) => {
                self.info.unknown_bytes += unframed.bytes.len() as u64;
                Some(unframed.into())
            }
            Chunk::End | Chunk::Trailer(_) => None,
        }
    }

    /// The time of the last block that tells one.
    pub fn time(&self) -> Option<Moment> {
        self.now
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.rest();
        self.cut(self.now);
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info
    }

    /// Lines that have not ended, and never will.
    fn rest(&mut self) {
        let rest: Vec<_> = self.lines.rest().collect();
        rest.into_iter().for_each(|(_, text)| self.print(&text.raw));
    }

    /// A text that has ended. What is said of a match stands in front of chat, and in no coloured line.
    fn print(&mut self, raw: &[u8]) {
        self.info.exact_time(raw);
        let said = raw.split(|b| *b == 1).next().filter(|said| !matches!(said.first(), None | Some(2)));
        if let Some(said) = said {
            let told = self.phases.print(&clean(said));
            self.phase(told);
        }
    }

    fn phase(&mut self, told: impl IntoIterator<Item = Option<PhaseTold>>) {
        let Some(now) = self.now else { return };
        for told in told.into_iter().flatten() {
            self.matches.step(told.phase, told.is_begun(), now);
        }
    }

    /// The level ends, or the recording does.
    fn cut(&mut self, last: Option<Moment>) {
        last.into_iter().for_each(|last| self.matches.cut(last));
        self.phases = Phases::default();
        if let Some(level) = self.info.levels.last_mut() {
            level.matches = self.matches.take();
        }
    }

    fn block(&mut self, block: &Block<'_>, dialect: Dialect) {
        let last = self.now;
        self.now = block.time().map(Moment::Seconds).or(self.now);
        let info = &mut self.info;
        info.blocks += 1;
        info.ends_cleanly = block.is_final();
        for (kind, bytes) in &self.counted {
            count_message(*kind, *bytes, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
        }
        let (told, mut begins) = (std::mem::take(&mut self.told), false);
        for message in &told {
            if let Message::ServerInfo(_) = message {
                self.rest();
                self.cut(last);
                begins = true;
            }
            self.info.message(message, block.index);
        }
        block.time().into_iter().for_each(|time| self.matches.frame(Moment::Seconds(time)));
        // Texts of a block may stand in front of what ends the level in it.
        for message in &told {
            match message {
                Message::Print(m) => {
                    if let Some(text) = self.lines.add((None, None), m.text.bytes()) {
                        self.print(&text.raw);
                    }
                }
                Message::CenterPrint(m) => self.info.exact_time(m.text.bytes()),
                _ => {}
            }
        }
        for message in &told {
            match message {
                Message::SetPause(m) => {
                    let told = self.phases.pause(m.pausestate != 0);
                    self.phase([told]);
                }
                Message::Intermission(_) | Message::Finale(_) => {
                    let told = self.phases.intermission();
                    self.phase(told);
                }
                _ => {}
            }
        }
        self.told = told;
        if begins {
            // The line with which a server greets has no end.
            self.rest();
        }
        self.info.dialect = dialect;
    }
}

/// Nothing counts until it is known that the block is to be read so.
impl Visitor<Dem> for InfoBuilder {
    fn takes_back(&self) -> bool {
        true
    }

    fn begin(&mut self, _: Begin<'_, '_, Dem>) {
        self.counted.clear();
        self.told.clear();
    }

    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        self.counted.push((message.kind(), 0));
        let moves = matches!(
            message,
            Message::UpdateEntity(_)
                | Message::ClientData(_)
                | Message::Sound(_)
                | Message::Particle(_)
                | Message::TempEntity(_)
        );
        if !moves {
            self.told.push(message.clone().into_owned());
        }
    }

    fn size(&mut self, bytes: usize) {
        if let Some((_, size)) = self.counted.last_mut() {
            *size = bytes as u64;
        }
    }
}

impl Info {
    fn message(&mut self, message: &Message<'_>, block: u64) {
        match message {
            Message::Time(m) => {
                let time = m.time.0.get();
                if self.levels.is_empty() {
                    // There is a frame of it, though its beginning was not recorded.
                    self.levels.push(Level { first_block: block, protocol: self.dialect.protocol, ..Level::default() });
                }
                if let Some(level) = self.levels.last_mut() {
                    level.first_time.get_or_insert(time);
                    level.last_time = Some(time);
                }
            }
            Message::Print(m) if self.banner.is_none() => self.banner(m.text.bytes()),
            Message::ServerInfo(m) => self.level(m, block),
            Message::SetView(m) => {
                self.view_entity.get_or_insert(m.entity);
            }
            Message::UpdateName(m) => self.name(m.player, m.netname.bytes()),
            Message::UpdateFrags(m) => {
                if let Some(player) = self.player(m.player) {
                    player.frags = Some(m.frags);
                }
            }
            Message::UpdateColors(m) => {
                if let Some(player) = self.player(m.player) {
                    player.colors = Some(m.colors);
                }
            }
            Message::UpdateStat(m) => {
                if let Some(level) = self.levels.last_mut() {
                    level.counts |= matches!(m.index.0, 11 | 12);
                    match m.index.0 {
                        11 => level.totals.secrets = m.value,
                        12 => level.totals.monsters = m.value,
                        13 => level.totals.found = m.value,
                        14 => level.totals.kills = m.value,
                        _ => {}
                    }
                }
            }
            Message::KilledMonster(_) => {
                if let Some(level) = self.levels.last_mut() {
                    level.totals.kills = level.totals.kills.wrapping_add(1);
                }
            }
            Message::FoundSecret(_) => {
                if let Some(level) = self.levels.last_mut() {
                    level.totals.found = level.totals.found.wrapping_add(1);
                }
            }
            Message::Intermission(_) | Message::Finale(_) => {
                let Some(level) = self.levels.last_mut() else { return };
                let ends = level.finished.is_none();
                level.finished = level.finished.or(level.last_time);
                let timed = !level.deathmatch;
                let time = level.finished.filter(|time| ends && timed && time.is_finite());
                if let Some(time) = time {
                    self.run(f64::from(time), runs::digits(time), runs::AT_THE_END);
                }
            }
            _ => {}
        }
    }

    /// A text may tell the exact time of a level, once it has ended.
    fn exact_time(&mut self, text: &[u8]) {
        if self.levels.last().is_none_or(|level| level.finished.is_none()) {
            return;
        }
        if let Some((time, digits)) = runs::exact_time(&clean(text)) {
            self.run(time, digits, runs::EXACT);
        }
    }

    /// A run of the recorder, when nobody else plays.
    fn run(&mut self, time: f64, precision: u8, from: &'static str) {
        let Some(level) = self.levels.last() else { return };
        let there = || self.players.iter().filter(|player| !player.left);
        let slot = self.view_entity.and_then(|entity| entity.checked_sub(1)).map(usize::from);
        let named = there().find(|player| Some(usize::from(player.slot)) == slot).map(|player| &*player.name_raw);
        let player = slot.filter(|slot| *slot < usize::from(level.maxclients)).filter(|_| there().count() <= 1);
        let who = |slot| PlayerRef { slot: Some(slot), ..PlayerRef::named(named.unwrap_or_default(), Charset::Quake) };
        let Totals { kills, monsters, found, secrets } = level.totals;
        let run = Run {
            login: None,
            player: player.map(who),
            time,
            precision,
            from,
            map: level.map.clone(),
            totals: level.counts.then_some([kills, monsters, found, secrets]),
            mode: None,
        };
        self.runs.push(run);
    }

    fn banner(&mut self, text: &[u8]) {
        let text = clean(text.strip_prefix(&[2]).unwrap_or(text));
        let text = text.trim();
        if !text.contains(" SERVER ") {
            return;
        }
        let crc = text.rsplit_once('(').and_then(|(_, rest)| rest.split_once(' '));
        self.progs_crc = crc.and_then(|(number, _)| number.parse().ok());
        self.banner = Some(text.to_owned());
    }

    fn level(&mut self, m: &ServerInfo<'_>, block: u64) {
        let map = m.models.iter().next().map(map_name).unwrap_or_default();
        if let Some(game) = mission_pack(m) {
            self.game = Some(game.to_owned());
        }
        if let Some(dir) = &m.gamedir {
            self.game = Some(dir.clean());
        }
        self.levels.push(Level {
            map,
            title: m.mapname.clean(),
            maxclients: m.maxclients,
            deathmatch: m.multi != 0,
            protocol: m.serverversion,
            first_block: block,
            ..Level::default()
        });
    }

    /// The player in a slot who has not left.
    fn player(&mut self, slot: u8) -> Option<&mut Player> {
        self.players.iter_mut().find(|p| p.slot == slot && !p.left)
    }

    fn name(&mut self, slot: u8, name: &[u8]) {
        let old = self.player(slot);
        match old {
            Some(player) if name.is_empty() => player.left = true,
            Some(player) => player.name_raw = name.to_vec(),
            None if name.is_empty() => {}
            None => {
                // Somebody who was here before comes back into the slot.
                self.players.retain(|p| p.slot != slot || p.name_raw != name);
                let player = Player { slot, name_raw: name.to_vec(), colors: None, frags: None, left: false };
                self.players.push(player);
            }
        }
    }
}

/// Models that tell a mission pack (its program precaches them).
const MISSION_PACKS: [(&str, &str); 3] = [
    ("progs/v_laserg.mdl", "hipnotic (mission pack 1)"),
    ("progs/v_lava.mdl", "rogue (mission pack 2)"),
    ("progs/v_multi.mdl", "rogue (mission pack 2)"),
];

/// The mission pack that a level belongs to.
pub(crate) fn mission_pack(info: &ServerInfo<'_>) -> Option<&'static str> {
    let precached = |model: &str| info.models.iter().any(|name| name == model.as_bytes());
    MISSION_PACKS.iter().rev().find(|(model, _)| precached(model)).map(|(_, game)| *game)
}
