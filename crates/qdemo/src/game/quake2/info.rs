//! What a Quake II demo says about itself: levels, players, who recorded it with what.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Moment;
use crate::event::{Match, Run};
use crate::format::dm2::{
    Chunk, ConfigStrings, Decoder, Dialect, Dm2, Message, MessageKind, Recording, ServerData, frame_time, time_of,
};
use crate::format::{Begin, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake2::holders::Holders;
use crate::game::quake2::matches::PrintedMatches;
use crate::game::quake2::world::is_center;
use crate::game::tally::{InBytes, Tally, block_or_count, count_message, counts, in_bytes, map_name, name};
use crate::json::{Named, row};
use crate::wire::clean;
use crate::world::{ClockKind, OnClock};

row! {
    /// A level in the recording.
    #[derive(Debug, Clone, PartialEq, Default)]
    #[schemars(rename = "Quake2Level")]
    #[non_exhaustive]
    pub struct Level {
        /// Name of the map file without folder and extension, such as `q2dm1`.
        pub map: String,
        /// Name of the level for people, such as `The Edge`.
        pub title: String,
        /// Game directory; empty for baseq2.
        pub gamedir: String,
        /// The mark of `serverdata`: 0 live, 1 client, 2 server, 128 Relay.
        pub isdemo: u8,
        /// Slot of the recorder; -1 for none; of several at one screen the first.
        pub client: i16,
        /// Frames a second.
        pub frame_rate: u8,
        /// First block of the level.
        pub first_block: u64,
        /// Number of the first frame.
        pub first_frame: Option<i32>,
        /// Number of the last frame.
        pub last_frame: Option<i32>,
        /// Frames.
        pub frames: u64,
        /// Matches in order, as far as the server prints of them.
        pub matches: Vec<Match<Moment>>,
    }
    |level| -> OnClock {
        let ms = |time: Option<i64>| time.and_then(|ms| i32::try_from(ms).ok()).map(Moment::Milliseconds);
        OnClock::of(ClockKind::Server, ms(level.first_time_ms()), ms(level.last_time_ms()))
    }
}

impl Level {
    /// Time of the first frame on the server's clock, in ms.
    pub fn first_time_ms(&self) -> Option<i64> {
        self.first_frame.map(|frame| time_of(frame, self.frame_rate))
    }

    /// Time of the last frame on the server's clock, in ms.
    pub fn last_time_ms(&self) -> Option<i64> {
        self.last_frame.map(|frame| time_of(frame, self.frame_rate))
    }
}

/// A player slot as it was last seen in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Quake2Player")]
#[non_exhaustive]
pub struct Player {
    /// Slot from 0.
    pub slot: u8,
    /// Name as the bytes in the file.
    #[serde(flatten, serialize_with = "name")]
    #[schemars(with = "Named")]
    pub name_raw: Vec<u8>,
    /// Model and skin.
    pub skin: String,
    /// True when the player left before the recording ended.
    pub left: bool,
}

impl Player {
    /// The name in plain characters.
    pub fn name(&self) -> String {
        clean(&self.name_raw)
    }
}

row! {
    /// What a Quake II demo says about itself.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "Quake2Info")]
    #[non_exhaustive]
    pub struct Info {
        /// Dialect at the end.
        #[serde(skip)]
        pub dialect: Dialect,
        /// Levels in order.
        pub levels: Vec<Level>,
        /// Runs of the jump mod that somebody finished, in order.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub runs: Vec<Run>,
        /// Players by slot, those who left included.
        pub players: Vec<Player>,
        /// Blocks.
        pub blocks: u64,
        /// Messages.
        pub messages: u64,
        /// Messages and bytes by kind, in order of declaration; `info` tells them with `--detail`.
        #[serde(rename = "messages_by_kind", serialize_with = "in_bytes")]
        #[schemars(with = "Vec<InBytes>", skip_serializing_if = "left_out_without_detail")]
        pub kinds: Tally<MessageKind>,
        /// Bytes that no message covers.
        pub unknown_bytes: u64,
        /// Bytes behind the end mark.
        pub trailer_bytes: u64,
        /// True when there is an end mark.
        pub ends_cleanly: bool,
    }
    |info| -> Spoken {
        let first = info.levels.first();
        Spoken {
            protocol: info.dialect.protocol,
            dialect: info.dialect.name,
            recorded_by: info.recorded_by(),
            game: first.map(|level| level.gamedir.clone()),
            map: first.map(|level| level.map.clone()),
        }
    }
}

/// How a recording speaks, who made it, and of which game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Spoken {
    /// Protocol number at the end.
    pub(crate) protocol: i32,
    /// Name of the dialect at the end.
    pub(crate) dialect: &'static str,
    /// Who made the recording: `client`, `server`, `relay`, `client of the test release` or `multi-view`.
    pub(crate) recorded_by: &'static str,
    /// Game directory of the first level; empty for baseq2.
    pub(crate) game: Option<String>,
    /// Name of the first level's map.
    pub(crate) map: Option<String>,
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    decoder: Owned<Dm2>,
    /// The block at hand.
    block: u64,
    /// The kind of the message seen last.
    counted: Option<MessageKind>,
    now: Option<Moment>,
    holders: Holders,
    matches: PrintedMatches,
    /// What is told of a level whose beginning was not recorded, in front of its first frame.
    early: Level,
}

impl Default for InfoBuilder {
    fn default() -> Self {
        let info = Info {
            dialect: Dialect::QUAKE2,
            levels: Vec::new(),
            runs: Vec::new(),
            players: Vec::new(),
            blocks: 0,
            messages: 0,
            kinds: Tally::default(),
            unknown_bytes: 0,
            trailer_bytes: 0,
            ends_cleanly: false,
        };
        InfoBuilder {
            info,
            decoder: Owned::new(Dialect::QUAKE2),
            block: 0,
            counted: None,
            now: None,
            holders: Holders::default(),
            matches: PrintedMatches::default(),
            early: Level { client: -1, ..Level::default() },
        }
    }
}

impl Visitor<Dm2> for InfoBuilder {
    fn begin(&mut self, begin: Begin<'_, '_, Dm2>) {
        self.info.blocks += 1;
        self.block = begin.block.index;
    }
    fn message(&mut self, message: &Message<'_>, dialect: &Dialect) {
        self.counted = message.kind();
        self.message(message, self.block, dialect, None);
    }
    fn size(&mut self, bytes: usize) {
        let info = &mut self.info;
        let bytes = bytes as u64;
        count_message(self.counted, bytes, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
    }
}

impl InfoBuilder {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder) -> Self {
        InfoBuilder { decoder: Owned::of(decoder), ..self }
    }

    /// The time of the last frame.
    pub fn time(&self) -> Option<Moment> {
        self.now
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.cut();
        self.info.players = self.holders.finish();
        self.info
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
        self.info.dialect = dialect;
        match block_or_count(chunk, counts!(self.info)) {
            Ok(_) => {
                self.holders.block_ends();
                self.matches.block(self.now);
                self.begins_within_level(self.block, dialect.frame_rate);
                None
            }
            Err(fault) => fault,
        }
    }

    fn message(&mut self, message: &Message<'_>, block: u64, d: &Dialect, to: Option<u8>) {
        let strings = d.layout.configstrings;
        match message {
            Message::ServerData(m) => self.level(m, block, d.frame_rate),
            Message::ConfigString(m) => self.configstring(m.index, m.string.bytes(), strings),
            Message::ConfigBlast(m) => {
                m.each(|m| self.configstring(m.index, m.string.bytes(), strings));
            }
            Message::LevelRestart(m) => m.strings.each(|index, text| self.configstring(index, text, strings)),
            Message::Frame(m) => {
                self.now = Some(Moment::Milliseconds(frame_time(m, d)));
                self.matches.frame(self.now);
                self.begins_within_level(block, d.frame_rate);
                if let Some(level) = self.info.levels.last_mut() {
                    level.first_frame.get_or_insert(m.seq1);
                    level.last_frame = Some(m.seq1);
                    level.frames += 1;
                }
            }
            Message::Print(m) => self.print(m.level, to, m.string.bytes()),
            Message::LocPrint(m) if is_center(m.level()) => self.matches.center(&m.text()),
            Message::LocPrint(m) => self.print(m.level(), to, &m.text()),
            Message::CenterPrint(m) => self.matches.center(m.text.bytes()),
            Message::Unicast(m) => self.message(&m.message, block, d, Some(m.client)),
            _ => {}
        }
    }

    fn print(&mut self, level: u8, to: Option<u8>, text: &[u8]) {
        self.holders.print(level, text);
        self.matches.print(level, to, text);
        let Some(at) = self.info.levels.last() else { return };
        let reader = to.or(u8::try_from(at.client).ok());
        self.info.runs.extend(self.holders.run(text, reader, &at.map));
    }

    /// The level ends, or the recording does.
    fn cut(&mut self) {
        let matches = self.matches.cut(self.now);
        if let Some(level) = self.info.levels.last_mut() {
            level.matches = matches;
        }
    }

    /// A level of which something is told is one, though its beginning was not recorded.
    fn begins_within_level(&mut self, block: u64, frame_rate: u8) {
        if self.info.levels.is_empty() && self.matches.shows_level() {
            let early = std::mem::take(&mut self.early);
            self.info.levels.push(Level { first_block: block, frame_rate, ..early });
        }
    }

    fn level(&mut self, m: &ServerData<'_>, block: u64, frame_rate: u8) {
        self.cut();
        self.holders.level();
        self.info.levels.push(Level {
            title: m.mapname.clean(),
            gamedir: m.game.clean(),
            isdemo: m.isdemo,
            client: m.client.first(),
            frame_rate,
            first_block: block,
            ..Level::default()
        });
    }

    fn configstring(&mut self, index: u16, text: &[u8], strings: &ConfigStrings) {
        // The first model is none, the second the map.
        if index == strings.models + 1 {
            let level = self.info.levels.last_mut().unwrap_or(&mut self.early);
            if level.map.is_empty() {
                level.map = map_name(text);
            }
        }
        if let Some(slot) = index.checked_sub(strings.players).and_then(|n| u8::try_from(n).ok()) {
            self.holders.configstring(slot, text);
        }
    }
}

impl Info {
    /// Who made the recording, in words.
    pub fn recorded_by(&self) -> &'static str {
        match self.dialect.recording {
            Recording::Client => "client",
            Recording::Server => "server",
            Recording::Relay => "relay",
            Recording::TestRelease => "client of the test release",
        }
    }
}
