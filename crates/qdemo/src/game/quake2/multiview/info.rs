//! What a multi-view demo of Quake II says about itself: levels, players.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Moment;
use crate::event::{Match, Run};
use crate::format::dm2::{ConfigStrings, Dialect, Message as GameMessage};
use crate::format::mvd2::{Chunk, FrameClock, Message, MessageKind, Mvd2, ServerData};
use crate::format::{Begin, Decoder, Owned, Visitor};
use crate::frame::Diagnostic;
use crate::game::quake2::holders::Holders;
use crate::game::quake2::info::{Player, Spoken};
use crate::game::quake2::matches::PrintedMatches;
use crate::game::tally::{InBytes, Tally, block_or_count, count_message, counts, in_bytes, map_name};
use crate::json::row;
use crate::world::{ClockKind, OnClock};

row! {
    /// A level in the recording.
    #[derive(Debug, Clone, PartialEq, Default)]
    #[schemars(rename = "MultiviewLevel")]
    #[non_exhaustive]
    pub struct Level {
        /// Name of the map file without folder and extension, such as `q2dm1`.
        pub map: String,
        /// Name of the level for people, such as `The Edge`.
        pub title: String,
        /// Game directory; empty for baseq2.
        pub gamedir: String,
        /// Minor version of the protocol.
        pub minor: u16,
        /// 1 no messages stored, 2 one player only, 4 extended limits, 8 more of them.
        pub flags: u16,
        /// Slot of a spectator that the recorder pretends to have; -1 for none.
        pub client: i16,
        /// First block of the level.
        pub first_block: u64,
        /// Time of the first frame since the recording began.
        #[serde(skip)]
        pub first_time: Option<Moment>,
        /// Time of the last frame.
        #[serde(skip)]
        pub last_time: Option<Moment>,
        /// Frames of the server, that at the beginning of the level included.
        pub frames: u64,
        /// Matches in order, as far as the server prints of them.
        pub matches: Vec<Match<Moment>>,
    }
    |level| -> OnClock { OnClock::of(ClockKind::Recording, level.first_time, level.last_time) }
}

row! {
    /// What a multi-view demo of Quake II says about itself.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "MultiviewInfo")]
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
        /// Commands.
        pub messages: u64,
        /// Commands and bytes by kind, in order of declaration; `info` tells them with `--detail`.
        #[serde(rename = "messages_by_kind", serialize_with = "in_bytes")]
        #[schemars(with = "Vec<InBytes>", skip_serializing_if = "left_out_without_detail")]
        pub kinds: Tally<MessageKind>,
        /// Bytes that no command covers.
        pub unknown_bytes: u64,
        /// Bytes behind the end mark.
        pub trailer_bytes: u64,
        /// True when there is an end mark.
        pub ends_cleanly: bool,
    }
    |info| -> Version {
        let (first, last) = (info.levels.first(), info.levels.last());
        let spoken = Spoken {
            protocol: info.dialect.protocol,
            dialect: info.dialect.name,
            recorded_by: "multi-view",
            game: first.map(|level| level.gamedir.clone()),
            map: first.map(|level| level.map.clone()),
        };
        Version { spoken, minor: last.map(|level| level.minor), flags: last.map(|level| level.flags) }
    }
}

/// How a recording speaks, and in which version.
#[derive(Serialize, JsonSchema)]
struct Version {
    #[serde(flatten)]
    spoken: Spoken,
    /// Minor version of the protocol in the last level.
    minor: Option<u16>,
    /// Its flags: 1 no messages stored, 2 one player only, 4 extended limits, 8 more of them.
    flags: Option<u16>,
}

/// Gathers an [`Info`] chunk by chunk.
#[derive(Debug)]
pub struct InfoBuilder {
    info: Info,
    decoder: Owned<Mvd2>,
    clock: FrameClock,
    /// The block at hand.
    block: u64,
    /// The kind of the message seen last.
    counted: Option<MessageKind>,
    holders: Holders,
    matches: PrintedMatches,
    /// What is told of a level whose beginning was not recorded, in front of its first frame.
    early: Level,
}

impl Default for InfoBuilder {
    fn default() -> Self {
        InfoBuilder {
            info: Info {
                dialect: Dialect::MVD2,
                levels: Vec::new(),
                runs: Vec::new(),
                players: Vec::new(),
                blocks: 0,
                messages: 0,
                kinds: Tally::default(),
                unknown_bytes: 0,
                trailer_bytes: 0,
                ends_cleanly: false,
            },
            decoder: Owned::new(Dialect::MVD2),
            clock: FrameClock::default(),
            block: 0,
            counted: None,
            holders: Holders::default(),
            matches: PrintedMatches::default(),
            early: Level { client: -1, ..Level::default() },
        }
    }
}

impl InfoBuilder {
    /// The same, which reads blocks with a decoder.
    #[must_use]
    pub(crate) fn reading(self, decoder: Decoder<Mvd2>) -> Self {
        InfoBuilder { decoder: Owned::of(decoder), ..self }
    }

    /// The time of the last frame.
    pub fn time(&self) -> Option<Moment> {
        self.clock.time()
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
                self.matches.block(self.clock.time());
                self.begins_within_level();
                None
            }
            Err(fault) => fault,
        }
    }
}

impl InfoBuilder {
    fn print(&mut self, level: u8, to: Option<u8>, text: &[u8]) {
        self.holders.print(level, text);
        self.matches.print(level, to, text);
        let map = self.info.levels.last().map_or("", |level| &level.map);
        // Each of several readers may be told.
        let run = self.holders.run(text, to, map).filter(|run| self.info.runs.last() != Some(run));
        self.info.runs.extend(run);
    }

    fn prints(&mut self, messages: &[GameMessage<'_>], to: Option<u8>) {
        for message in messages {
            match message {
                GameMessage::Print(m) => self.print(m.level, to, m.string.bytes()),
                GameMessage::CenterPrint(m) => self.matches.center(m.text.bytes()),
                _ => {}
            }
        }
    }

    /// A level of which something is told is one, though its beginning was not recorded.
    fn begins_within_level(&mut self) {
        if self.info.levels.is_empty() && self.matches.shows_level() {
            let (first_block, now) = (self.block, self.clock.time());
            let early = std::mem::take(&mut self.early);
            self.info.levels.push(Level { first_block, first_time: now, last_time: now, ..early });
        }
    }

    /// The level ends, or the recording does.
    fn cut(&mut self) {
        let matches = self.matches.cut(self.clock.time());
        if let Some(level) = self.info.levels.last_mut() {
            level.matches = matches;
        }
    }

    fn level(&mut self, data: &ServerData<'_>, strings: &ConfigStrings) {
        self.holders.level();
        let now = self.clock.time();
        self.info.levels.push(Level {
            gamedir: data.head.game.clean(),
            minor: data.head.minor,
            flags: data.flags(),
            client: data.head.client,
            first_block: self.block,
            first_time: now,
            last_time: now,
            frames: 1,
            ..Level::default()
        });
        for (index, string) in &data.configstrings {
            self.configstring(*index, string.bytes(), strings);
        }
    }

    fn configstring(&mut self, index: u16, text: &[u8], strings: &ConfigStrings) {
        let level = self.info.levels.last_mut().unwrap_or(&mut self.early);
        // The first model is none, the second the map.
        if index == strings.models + 1 && level.map.is_empty() {
            level.map = map_name(text);
        }
        if index == 0 && level.title.is_empty() {
            level.title = crate::wire::clean(text);
        }
        if let Some(slot) = index.checked_sub(strings.players).and_then(|n| u8::try_from(n).ok()) {
            self.holders.configstring(slot, text);
        }
    }
}

impl Visitor<Mvd2> for InfoBuilder {
    fn begin(&mut self, begin: Begin<'_, '_, Mvd2>) {
        self.clock.block();
        self.info.blocks += 1;
        self.block = begin.block.index;
    }
    fn message(&mut self, message: &Message<'_>, dialect: &Dialect) {
        self.counted = message.kind();
        self.clock.count(message);
        let strings = dialect.layout.configstrings;
        match message {
            Message::ServerData(data) => {
                self.cut();
                self.matches.frame(self.clock.time());
                self.level(data, strings);
            }
            Message::Print(m) => self.print(m.level, None, m.string.bytes()),
            Message::Unicast(m) => self.prints(&m.messages, Some(m.client)),
            Message::Multicast(m) => self.prints(&m.messages, None),
            Message::ConfigString(m) => self.configstring(m.index, m.string.bytes(), strings),
            Message::Frame(_) => {
                self.matches.frame(self.clock.time());
                self.begins_within_level();
                if let Some(level) = self.info.levels.last_mut() {
                    level.frames += 1;
                    level.last_time = self.clock.time();
                }
            }
            _ => {}
        }
    }
    fn size(&mut self, bytes: usize) {
        let info = &mut self.info;
        let bytes = bytes as u64;
        count_message(self.counted, bytes, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
    }
}
