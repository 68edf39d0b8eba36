//! What a QuakeWorld recording says about itself: levels, server, players, match, statistics. For `.qwd` and `.mvd`.

mod builder;

use std::collections::BTreeMap;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::error::Moment;
use crate::event::{Match, Run};
use crate::format::qwd::{Dialect, MessageKind};
use crate::game::tally::{InBytes, Tally, in_bytes};
use crate::json::{Named, row};
use crate::wire::{clean, info_pairs, info_value};
use crate::world::{ClockKind, Finished, OnClock};

pub use builder::InfoBuilder;

row! {
    /// A level in the recording.
    #[derive(Debug, Clone, PartialEq, Default)]
    #[schemars(rename = "QuakeWorldLevel")]
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
        #[serde(skip)]
        pub first_time: Option<Moment>,
        /// Time of the last frame.
        #[serde(skip)]
        pub last_time: Option<Moment>,
        /// Time of the intermission.
        #[serde(skip)]
        pub finished: Option<Moment>,
        /// Matches in order.
        pub matches: Vec<Match<Moment>>,
    }
    |level| -> Finished {
        // A client counts seconds, a recording milliseconds.
        let clock = match level.first_time {
            Some(Moment::Milliseconds(_)) => ClockKind::Recording,
            _ => ClockKind::Recorder,
        };
        Finished::of(OnClock::of(clock, level.first_time, level.last_time), level.finished)
    }
}

row! {
    /// A player slot as it was last seen in use.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[schemars(rename = "QuakeWorldPlayer")]
    #[non_exhaustive]
    pub struct Player {
        /// Slot from 0; the player's entity is slot + 1.
        pub slot: u8,
        /// Number of the user on the server.
        pub user: i32,
        /// Everything that the player's client told: `\name\...`.
        #[serde(skip)]
        pub userinfo: Vec<u8>,
        /// Frags at the end of the last match that ended; without one those that were told last.
        pub frags: Option<i16>,
        /// True when the player left before the recording ended.
        pub left: bool,
    }
    |player| -> Told {
        let named = Named::new(player.name(), player.name_raw());
        Told { named, team: player.team(), spectator: player.is_spectator() }
    }
}

/// What a player's client told.
#[derive(Serialize, JsonSchema)]
struct Told {
    #[serde(flatten)]
    named: Named,
    /// The team in plain characters.
    team: Option<String>,
    /// True for a spectator.
    spectator: bool,
}

impl Player {
    /// A value of the user info.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        info_value(&self.userinfo, key).filter(|v| !v.is_empty())
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

row! {
    /// What a QuakeWorld recording says about itself.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "QuakeWorldInfo")]
    #[non_exhaustive]
    pub struct Info {
        /// Dialect at the end.
        #[serde(skip)]
        pub dialect: Dialect,
        /// Extensions that the server announced: a magic number and flags each.
        pub extensions: Vec<(u32, u32)>,
        /// Slot of the recording client; `None` in multi-view recordings.
        pub recorder: Option<u8>,
        /// True when the recorder is a spectator.
        pub spectator: bool,
        /// The server's settings by name.
        #[serde(serialize_with = "settings")]
        #[schemars(with = "BTreeMap<String, String>")]
        pub serverinfo: Vec<u8>,
        /// Levels in order.
        pub levels: Vec<Level>,
        /// Races that somebody finished.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub runs: Vec<Run>,
        /// Players by slot, those who left included.
        pub players: Vec<Player>,
        /// The date that the server printed at the beginning of the match.
        pub match_date: Option<String>,
        /// When recording began, in milliseconds since 1970.
        #[serde(rename = "recorded_at_ms")]
        pub recorded_at: Option<u64>,
        /// True when there are statistics of KTX: `info --ktx` writes them.
        #[serde(serialize_with = "is_there")]
        #[schemars(with = "bool")]
        pub ktx: Option<Vec<u8>>,
        /// Blocks.
        pub blocks: u64,
        /// Messages, those of `.mvd` that are hidden too.
        pub messages: u64,
        /// Messages and bytes by kind, in order of declaration; `info` tells them with `--detail`.
        #[serde(rename = "messages_by_kind", serialize_with = "in_bytes")]
        #[schemars(with = "Vec<InBytes>", skip_serializing_if = "left_out_without_detail")]
        pub kinds: Tally<MessageKind>,
        /// Hidden messages among them: those that a server writes for nobody's client.
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
    |info| -> Spoken {
        let first = info.levels.first();
        Spoken {
            protocol: info.dialect.protocol,
            dialect: info.dialect.name,
            server: info.setting("hostname"),
            engine: info.setting("*version"),
            mode: info.setting("mode"),
            game: first.map(|level| level.gamedir.clone()),
            map: first.map(|level| level.map.clone()),
        }
    }
}

/// How a recording speaks, and what its server calls itself.
#[derive(Serialize, JsonSchema)]
struct Spoken {
    /// Protocol number at the end.
    protocol: i32,
    /// Name of the dialect at the end.
    dialect: &'static str,
    /// Name of the server.
    server: Option<String>,
    /// Version of the server's engine.
    engine: Option<String>,
    /// The kind of game, as the server's setting `mode` has it.
    mode: Option<String>,
    /// Game directory of the first level.
    game: Option<String>,
    /// Name of the first level's map.
    map: Option<String>,
}

impl Info {
    /// A value of the server's settings, in plain characters.
    pub fn setting(&self, key: &str) -> Option<String> {
        info_value(&self.serverinfo, key).filter(|v| !v.is_empty()).map(clean)
    }
}

/// All settings of the server, when a console command tells them.
pub(crate) fn full_serverinfo(text: &[u8]) -> Option<&[u8]> {
    text.get(place_of_serverinfo(text)?)
}

/// Where they stand in it.
pub(crate) fn place_of_serverinfo(text: &[u8]) -> Option<Range<usize>> {
    const COMMAND: &[u8] = b"fullserverinfo \"";
    let from = text.windows(COMMAND.len()).position(|w| w == COMMAND)? + COMMAND.len();
    let behind = text.get(from..)?;
    Some(from..from + behind.iter().position(|&b| b == b'"').unwrap_or(behind.len()))
}

/// All settings by name, in plain characters.
fn settings<S: Serializer>(serverinfo: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    // A name that stands there twice has its last value.
    let all: BTreeMap<_, _> = info_pairs(serverinfo).map(|(key, value)| (clean(key), clean(value))).collect();
    all.serialize(serializer)
}

/// Not the statistics themselves: `info --ktx` has those.
fn is_there<S: Serializer>(ktx: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    ktx.is_some().serialize(serializer)
}
