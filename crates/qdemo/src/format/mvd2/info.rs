//! What a multi-view demo of Quake II says about itself: levels, players.

use serde_json::{Value, json};

use super::block::Chunk;
use super::decode::{FrameClock, Messages};
use super::level::ServerData;
use super::message::{Kind, Message};
use crate::dialect::{ConfigStrings, Dialect};
use crate::error::Moment;
use crate::format::dm2::{Player, note_player};
use crate::format::facts::{Tally, count_message, map_name};
use crate::format::{Diagnostic, Framed, counts};
use crate::json::{by_kind, raw_name};

/// A level in the recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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
    /// Frames of the server, that at the beginning of the level included.
    pub frames: u64,
}

/// What a multi-view demo of Quake II says about itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Info {
    /// Dialect at the end.
    pub dialect: Dialect,
    /// Levels in order.
    pub levels: Vec<Level>,
    /// Players by slot, those who left included.
    pub players: Vec<Player>,
    /// Blocks.
    pub blocks: u64,
    /// Commands.
    pub messages: u64,
    /// Commands and bytes by kind, in order of declaration.
    pub kinds: Tally<Kind>,
    /// Bytes that no command covers.
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
    clock: FrameClock,
}

impl Default for InfoBuilder {
    fn default() -> Self {
        InfoBuilder {
            info: Info {
                dialect: Dialect::MVD2,
                levels: Vec::new(),
                players: Vec::new(),
                blocks: 0,
                messages: 0,
                kinds: Tally::default(),
                unknown_bytes: 0,
                trailer_bytes: 0,
                ends_cleanly: false,
            },
            clock: FrameClock::default(),
        }
    }
}

impl InfoBuilder {
    /// The time of the last frame.
    pub fn time(&self) -> Option<Moment> {
        self.clock.time()
    }

    /// The result.
    pub fn finish(mut self) -> Info {
        self.info.players.sort_by_key(|p| (p.slot, p.left));
        self.info
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        let info = &mut self.info;
        let block = match chunk.block_or_count(counts!(info)) {
            Ok(block) => block,
            Err(broken) => return broken,
        };
        info.blocks += 1;
        let mut decoder = Messages::new(block.payload, info.dialect);
        while let Some(message) = decoder.next() {
            let bytes = decoder.raw().len() as u64;
            count_message(message.kind(), bytes, &mut info.messages, &mut info.kinds, &mut info.unknown_bytes);
            self.clock.count(&message);
            let strings = decoder.dialect().quake2.configstrings;
            match &message {
                Message::ServerData(data) => info.level(data, block.index, strings),
                Message::ConfigString(m) => info.configstring(m.index, m.string.bytes(), strings),
                Message::Frame(_) => {
                    if let Some(level) = info.levels.last_mut() {
                        level.frames += 1;
                    }
                }
                _ => {}
            }
        }
        info.dialect = decoder.dialect();
        decoder.broken_at(block.payload_offset(), block.index).or_else(|| block.cut_short())
    }
}

impl Info {
    fn level(&mut self, data: &ServerData<'_>, block: u64, strings: &ConfigStrings) {
        for player in &mut self.players {
            player.left = true;
        }
        self.levels.push(Level {
            gamedir: data.head.game.clean(),
            minor: data.head.minor,
            flags: data.flags(),
            client: data.head.client,
            first_block: block,
            frames: 1,
            ..Level::default()
        });
        for (index, string) in &data.configstrings {
            self.configstring(*index, string.bytes(), strings);
        }
    }

    fn configstring(&mut self, index: u16, text: &[u8], strings: &ConfigStrings) {
        if let Some(level) = self.levels.last_mut() {
            // The first model is none, the second the map.
            if index == strings.models + 1 && level.map.is_empty() {
                level.map = map_name(text);
            }
            if index == 0 && level.title.is_empty() {
                level.title = crate::wire::clean(text);
            }
        }
        if let Some(slot) = index.checked_sub(strings.players).and_then(|n| u8::try_from(n).ok()) {
            note_player(&mut self.players, slot, text);
        }
    }

    /// The facts as JSON. `detail` adds bytes by kind of command.
    pub fn to_json(&self, detail: bool) -> Value {
        let levels: Vec<_> = self
            .levels
            .iter()
            .map(|l| {
                json!({
                    "map": l.map, "title": l.title, "gamedir": l.gamedir, "minor": l.minor, "flags": l.flags,
                    "client": l.client, "first_block": l.first_block, "frames": l.frames,
                })
            })
            .collect();
        let players: Vec<_> = self
            .players
            .iter()
            .map(|p| {
                let mut player = json!({"slot": p.slot, "name": p.name(), "skin": p.skin, "left": p.left});
                raw_name(&mut player, &p.name(), &p.name_raw);
                player
            })
            .collect();
        let last = self.levels.last();
        let mut all = json!({
            "protocol": self.dialect.protocol, "dialect": self.dialect.name, "recorded_by": "multi-view",
            "minor": last.map(|l| l.minor), "flags": last.map(|l| l.flags),
            "game": self.levels.first().map(|l| &l.gamedir), "map": self.levels.first().map(|l| &l.map),
            "levels": levels, "players": players, "blocks": self.blocks, "messages": self.messages,
            "unknown_bytes": self.unknown_bytes, "trailer_bytes": self.trailer_bytes,
            "ends_cleanly": self.ends_cleanly,
        });
        if detail {
            all["messages_by_kind"] = by_kind(&self.kinds, "bytes");
        }
        all
    }
}
