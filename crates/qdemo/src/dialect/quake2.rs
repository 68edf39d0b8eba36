//! The protocols of Quake II.
//!
//! Sources: the DM2 document 1.0.4 for protocols 26 to 34; id Software's Quake II 3.21 for what it leaves open.

use super::{Dialect, Opcodes};
use crate::format::dm2::Kind;

/// Who recorded a demo: the frames differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// One client.
    Client,
    /// The server, all entities and no players' states.
    Server,
    /// Relay, a game module: all clients.
    Relay,
    /// One client of the test release, which has its own message numbers and layouts.
    TestRelease,
}

/// What Quake II's protocols differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quake2 {
    /// Who recorded.
    pub recording: Recording,
    /// True when `serverdata` tells who recorded; up to protocol 32 it may not.
    pub recording_told: bool,
    /// A frame has a suppress count (from 27 on).
    pub suppress: bool,
    /// Types 26 and 27 of temporary entities have their later meaning (from 32 on).
    pub later_effects: bool,
}

impl Quake2 {
    /// Protocol 34, recorded by a client.
    pub const STANDARD: Quake2 =
        Quake2 { recording: Recording::Client, recording_told: true, suppress: true, later_effects: true };
}

const fn op(code: u8, kind: Kind) -> (u8, u8) {
    (code, kind as u8)
}

/// DM2 document, section 3.
const MESSAGES: [(u8, u8); 20] = [
    op(0, Kind::Bad),
    op(1, Kind::MuzzleFlash),
    op(2, Kind::MuzzleFlash2),
    op(3, Kind::TempEntity),
    op(4, Kind::Layout),
    op(5, Kind::Inventory),
    op(6, Kind::Nop),
    op(7, Kind::Disconnect),
    op(8, Kind::Reconnect),
    op(9, Kind::Sound),
    op(10, Kind::Print),
    op(11, Kind::StuffText),
    op(12, Kind::ServerData),
    op(13, Kind::ConfigString),
    op(14, Kind::SpawnBaseline),
    op(15, Kind::CenterPrint),
    op(16, Kind::Download),
    op(17, Kind::PlayerInfo),
    op(18, Kind::PacketEntities),
    op(20, Kind::Frame),
];

/// In Relay recordings bit 7 of any message number says that a client number follows.
const UNICASTS: [(u8, u8); 128] = {
    let mut all = [op(0x80, Kind::Unicast); 128];
    let mut i = 0;
    while i < 128 {
        all[i as usize].0 = 0xFF - i;
        i += 1;
    }
    all
};

/// The test release (protocol 25), as far as its one recording tells.
const TEST_RELEASE: [(u8, u8); 12] = [
    op(4, Kind::Sound),
    op(5, Kind::Print),
    op(6, Kind::StuffText),
    op(7, Kind::ServerData),
    op(8, Kind::ConfigString),
    op(9, Kind::TestBaseline),
    op(10, Kind::TempEntity),
    op(12, Kind::MuzzleFlash),
    op(14, Kind::TestPlayerInfo),
    op(16, Kind::TestEntities),
    op(18, Kind::Frame),
    op(19, Kind::MuzzleFlash2),
];

static TEST: Opcodes = Opcodes::new(&[&TEST_RELEASE]);
static PLAIN: Opcodes = Opcodes::new(&[&MESSAGES]);
static RELAY: Opcodes = Opcodes::new(&[&MESSAGES, &UNICASTS]);

/// Marks of `serverdata` that tell who recorded.
mod isdemo {
    pub(super) const SERVER: u8 = 2;
    pub(super) const RELAY: u8 = 0x80;
}

impl Dialect {
    /// Quake II's protocol 34, recorded by a client.
    pub const QUAKE2: Dialect =
        Dialect { name: "quake2", protocol: 34, opcodes: &PLAIN, quake2: Quake2::STANDARD, ..Dialect::QUAKE };

    /// The protocol number of the test release.
    pub const QUAKE2_TEST_PROTOCOL: i32 = 25;

    /// The test release of Quake II, protocol 25.
    pub const QUAKE2_TEST: Dialect = Dialect {
        name: "quake2-test",
        protocol: Self::QUAKE2_TEST_PROTOCOL,
        opcodes: &TEST,
        known_to_lmpc: false,
        quake2: Quake2 { recording: Recording::TestRelease, suppress: false, ..Quake2::STANDARD },
        ..Dialect::QUAKE2
    };

    /// The dialect after a `serverdata` with a protocol number and its mark.
    pub fn quake2(protocol: i32, isdemo: u8) -> Dialect {
        if protocol == Self::QUAKE2_TEST_PROTOCOL {
            return Dialect::QUAKE2_TEST;
        }
        if let Some(name) = not_decoded(protocol) {
            return Dialect { name, protocol, decoded: false, ..Dialect::QUAKE2 };
        }
        let recording = match isdemo {
            isdemo::SERVER => Recording::Server,
            isdemo::RELAY => Recording::Relay,
            _ => Recording::Client,
        };
        let quake2 = Quake2 {
            recording: Recording::Client,
            recording_told: protocol > 32 || recording != Recording::Client,
            suppress: protocol != 26,
            later_effects: protocol >= 32,
        };
        Dialect { protocol, quake2, download_data: protocol >= 32, ..Dialect::QUAKE2 }.recorded_by(recording)
    }

    /// The same dialect of another kind of recording.
    #[must_use]
    pub fn recorded_by(self, recording: Recording) -> Dialect {
        let opcodes = match recording {
            Recording::Client | Recording::Server => &PLAIN,
            Recording::Relay => &RELAY,
            Recording::TestRelease => &TEST,
        };
        Dialect { opcodes, quake2: Quake2 { recording, ..self.quake2 }, ..self }
    }

    /// The number of a kind of Quake II message, if the dialect has it.
    pub fn number_of_quake2(&self, kind: Kind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}

/// The name of a protocol that is named, not decoded.
fn not_decoded(protocol: i32) -> Option<&'static str> {
    match protocol {
        26..=34 => None,
        35 => Some("r1q2"),
        36 => Some("q2pro"),
        3434..=3436 => Some("q2pro-extended"),
        56 => Some("kmquake2"),
        2022 | 2023 => Some("quake2-rerelease"),
        _ => Some("unknown"),
    }
}
