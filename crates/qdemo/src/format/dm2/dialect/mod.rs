//! The protocols of Quake II: a [`Dialect`] for each, with a [`ProtocolLayout`] that several share.
//!
//! Sources: the DM2 document 1.0.4 for protocols 26 to 34; id Software's Quake II 3.21 for what it leaves open; for
//! KMQuake2 its source and one recording; for Q2PRO's extended demos its source and q2proto's, and no recording; for
//! the re-release of 2023 the description of its protocol beside the source of its game, for the demos that came with
//! it what that and q2proto's reader say, and no recordings.

mod layout;

pub use layout::{ConfigStrings, EntityMaskKind, Packing, PlayerMaskKind, ProtocolLayout, StatsKind};
use layout::{EXTENDED, FOG, KMQUAKE2, RERELEASE, RERELEASE_DEMOS, STANDARD, STRETCHED};

use super::message::MessageKind;
use crate::describe::{ByteDialect, ByteWire, TypeSchema, Width, Wire};
use crate::error::Protocol;
use crate::format::{AnyDialect, Opcodes};
use crate::wire::{AngleKind, ByteReader, ByteWriter, CoordKind};

/// Bytes, in dialects of Quake II.
#[derive(Debug, Clone, Copy)]
pub struct Bytes;

impl crate::sealed::Sealed for Bytes {}

impl Wire for Bytes {
    type Reader<'a> = ByteReader<'a>;
    type Writer = ByteWriter;
    type Dialect = Dialect;
}

impl ByteWire for Bytes {}

/// Who recorded a demo: the frames differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// How one protocol of Quake II writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// Name for people: `quake2`, `kmquake2`, `quake2-rerelease` ...
    pub name: &'static str,
    /// The protocol number in the file, that of most recordings before a server introduced itself.
    pub protocol: i32,
    /// False for a protocol that is named but not decoded: its blocks stay bytes.
    pub decoded: bool,
    /// True when LMPC 3.4 knows the layout of all messages it knows by name.
    pub known_to_lmpc: bool,
    /// Who recorded.
    pub recording: Recording,
    /// True when `serverdata` tells who recorded; up to protocol 32 it may not.
    pub recording_told: bool,
    /// A frame has a suppress count (from 27 on).
    pub suppress: bool,
    /// Types 26 and 27 of temporary entities have their later meaning (from 32 on).
    pub later_effects: bool,
    /// True when `download` carries data (from 32 on).
    pub download_data: bool,
    /// How the origins of entities and players are written.
    pub origin: CoordKind,
    /// How angles are written.
    pub angle: AngleKind,
    /// KMQuake2 wrote the angles of entities in one byte, then in two, under the same number: true for two.
    pub long_angles: bool,
    /// Entities that are removed may have fields all the same: in multi-view recordings.
    pub remove_with_fields: bool,
    /// Frames a second, unless the server tells otherwise later.
    pub frame_rate: u8,
    /// Players at the recorder's screen: each frame has a state for each. None in cinematics of the re-release.
    pub screens: u8,
    /// How messages are laid out.
    pub layout: &'static ProtocolLayout,
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
}

impl crate::sealed::Sealed for Dialect {}

impl AnyDialect for Dialect {
    fn protocol(&self) -> i32 {
        self.protocol
    }
    fn name(&self) -> &'static str {
        self.name
    }
    #[inline(always)]
    fn is_decoded(&self) -> bool {
        self.decoded
    }
    fn undecoded(self, protocol: i32) -> Self {
        Dialect { name: Protocol::UNKNOWN, protocol, decoded: false, ..Dialect::QUAKE2 }
    }
}

impl ByteDialect for Dialect {
    const INDEX: TypeSchema = TypeSchema::new("u8; u16 in KMQuake2", "integer", "")
        .or_wide("u8; u16 in KMQuake2, and with mask bit 28 in Q2PRO's extended demos and the re-release");
    #[inline(always)]
    fn coord(&self) -> CoordKind {
        self.layout.coord
    }
    #[inline(always)]
    fn angle(&self) -> AngleKind {
        self.angle
    }
    #[inline(always)]
    fn model_index(&self) -> Width {
        self.layout.model_index
    }
    #[inline(always)]
    fn sound_index(&self) -> Width {
        self.layout.sound_index
    }
    fn download_data(&self) -> bool {
        self.download_data
    }
}

const fn op(code: u8, kind: MessageKind) -> (u8, u8) {
    (code, kind as u8)
}

/// DM2 document, section 3.
const MESSAGES: [(u8, u8); 20] = [
    op(0, MessageKind::Bad),
    op(1, MessageKind::MuzzleFlash),
    op(2, MessageKind::MuzzleFlash2),
    op(3, MessageKind::TempEntity),
    op(4, MessageKind::Layout),
    op(5, MessageKind::Inventory),
    op(6, MessageKind::Nop),
    op(7, MessageKind::Disconnect),
    op(8, MessageKind::Reconnect),
    op(9, MessageKind::Sound),
    op(10, MessageKind::Print),
    op(11, MessageKind::StuffText),
    op(12, MessageKind::ServerData),
    op(13, MessageKind::ConfigString),
    op(14, MessageKind::SpawnBaseline),
    op(15, MessageKind::CenterPrint),
    op(16, MessageKind::Download),
    op(17, MessageKind::PlayerInfo),
    op(18, MessageKind::PacketEntities),
    op(20, MessageKind::Frame),
];

/// In Relay recordings bit 7 of any message number says that a client number follows.
const UNICASTS: [(u8, u8); 128] = {
    let mut all = [op(0x80, MessageKind::Unicast); 128];
    let mut i = 0;
    while i < 128 {
        all[i as usize].0 = 0xFF - i;
        i += 1;
    }
    all
};

/// The test release (protocol 25), as far as its one recording tells.
const TEST_RELEASE: [(u8, u8); 12] = [
    op(4, MessageKind::Sound),
    op(5, MessageKind::Print),
    op(6, MessageKind::StuffText),
    op(7, MessageKind::ServerData),
    op(8, MessageKind::ConfigString),
    op(9, MessageKind::TestBaseline),
    op(10, MessageKind::TempEntity),
    op(12, MessageKind::MuzzleFlash),
    op(14, MessageKind::TestPlayerInfo),
    op(16, MessageKind::TestEntities),
    op(18, MessageKind::Frame),
    op(19, MessageKind::MuzzleFlash2),
];

/// Messages that only the re-release has.
const RERELEASE_MESSAGES: [(u8, u8); 13] = [
    op(21, MessageKind::SplitClient),
    op(22, MessageKind::ConfigBlast),
    op(23, MessageKind::SpawnBaselineBlast),
    op(24, MessageKind::LevelRestart),
    op(25, MessageKind::Damage),
    op(26, MessageKind::LocPrint),
    op(27, MessageKind::FogChange),
    op(28, MessageKind::WaitingForPlayers),
    op(29, MessageKind::BotChat),
    op(30, MessageKind::Poi),
    op(31, MessageKind::HelpPath),
    op(32, MessageKind::MuzzleFlash3),
    op(33, MessageKind::Achievement),
];
/// Messages that only Q2PRO's extended demos have.
const EXTENDED_MESSAGES: [(u8, u8); 1] = [op(24, MessageKind::Setting)];
/// A message that only KMQuake2 has.
const KMQUAKE2_MESSAGES: [(u8, u8); 1] = [op(21, MessageKind::Fog)];

static EXTENDED_OPCODES: Opcodes = Opcodes::new(&[&MESSAGES, &EXTENDED_MESSAGES]);
static KMQUAKE2_OPCODES: Opcodes = Opcodes::new(&[&MESSAGES, &KMQUAKE2_MESSAGES]);
static RERELEASE_OPCODES: Opcodes = Opcodes::new(&[&MESSAGES, &RERELEASE_MESSAGES]);
static TEST_OPCODES: Opcodes = Opcodes::new(&[&TEST_RELEASE]);
static OPCODES: Opcodes = Opcodes::new(&[&MESSAGES]);
static RELAY_OPCODES: Opcodes = Opcodes::new(&[&MESSAGES, &UNICASTS]);

/// Marks of `serverdata` that tell who recorded.
mod isdemo {
    pub(super) const SERVER: u8 = 2;
    pub(super) const RELAY: u8 = 0x80;
}

/// Frames a second of all but the re-release.
const FRAME_RATE: u8 = 10;

impl Dialect {
    /// Protocol 34, recorded by a client.
    pub const QUAKE2: Dialect = Dialect {
        name: "quake2",
        protocol: 34,
        decoded: true,
        known_to_lmpc: true,
        recording: Recording::Client,
        recording_told: true,
        suppress: true,
        later_effects: true,
        download_data: true,
        origin: CoordKind::I16,
        angle: AngleKind::I8,
        long_angles: false,
        remove_with_fields: false,
        frame_rate: FRAME_RATE,
        screens: 1,
        layout: &STANDARD,
        opcodes: &OPCODES,
    };

    /// The protocol number of KMQuake2.
    pub(crate) const KMQUAKE2_PROTOCOL: i32 = 56;

    /// The protocol number of the re-release.
    const RERELEASE_PROTOCOL: i32 = 2023;

    /// The protocol number of the demos that came with the re-release.
    const RERELEASE_DEMOS_PROTOCOL: i32 = 2022;

    /// The protocol number of the test release.
    pub const TEST_RELEASE_PROTOCOL: i32 = 25;

    /// The test release, protocol 25.
    pub const TEST_RELEASE: Dialect = Dialect {
        name: "quake2-test",
        protocol: Self::TEST_RELEASE_PROTOCOL,
        known_to_lmpc: false,
        recording: Recording::TestRelease,
        suppress: false,
        opcodes: &TEST_OPCODES,
        ..Dialect::QUAKE2
    };

    /// A protocol with a layout of its own.
    fn laid_out(
        name: &'static str,
        protocol: i32,
        layout: &'static ProtocolLayout,
        opcodes: &'static Opcodes,
    ) -> Dialect {
        let (origin, angle) = (layout.origin, layout.angle);
        Dialect { name, protocol, known_to_lmpc: false, origin, angle, layout, opcodes, ..Dialect::QUAKE2 }
    }

    /// The protocols with layouts of their own.
    pub(crate) fn extended(protocol: i32) -> Option<Dialect> {
        let q2pro = |layout| Self::laid_out("q2pro-extended", protocol, layout, &EXTENDED_OPCODES);
        Some(match protocol {
            Self::KMQUAKE2_PROTOCOL => Self::laid_out("kmquake2", protocol, &KMQUAKE2, &KMQUAKE2_OPCODES),
            Self::RERELEASE_PROTOCOL => Self::laid_out("quake2-rerelease", protocol, &RERELEASE, &RERELEASE_OPCODES),
            Self::RERELEASE_DEMOS_PROTOCOL => {
                Self::laid_out("quake2-rerelease-demos", protocol, &RERELEASE_DEMOS, &RERELEASE_OPCODES)
            }
            3434 => q2pro(&EXTENDED),
            3435 => q2pro(&STRETCHED),
            3436 => q2pro(&FOG),
            _ => return None,
        })
    }

    /// The dialect that a `serverdata` announces: a protocol number and its mark.
    pub fn announced(protocol: i32, isdemo: u8) -> Dialect {
        if protocol == Self::TEST_RELEASE_PROTOCOL {
            return Dialect::TEST_RELEASE;
        }
        if let Some(name) = not_decoded(protocol) {
            return Dialect { name, protocol, decoded: false, ..Dialect::QUAKE2 };
        }
        if let Some(extended) = Self::extended(protocol) {
            let recording = if isdemo == isdemo::SERVER { Recording::Server } else { Recording::Client };
            return Dialect { recording, ..extended };
        }
        let recording = match isdemo {
            isdemo::SERVER => Recording::Server,
            isdemo::RELAY => Recording::Relay,
            _ => Recording::Client,
        };
        Dialect {
            protocol,
            recording_told: protocol > 32 || recording != Recording::Client,
            suppress: protocol != 26,
            later_effects: protocol >= 32,
            download_data: protocol >= 32,
            ..Dialect::QUAKE2
        }
        .recorded_by(recording)
    }

    /// The same dialect with what `serverdata` tells of the re-release: frames a second, and players at the screen.
    #[must_use]
    pub fn with_screens(self, frame_rate: u8, screens: u8) -> Dialect {
        Dialect { frame_rate: if frame_rate == 0 { FRAME_RATE } else { frame_rate }, screens, ..self }
    }

    /// True when `serverdata` of a protocol tells frames a second, and players at the screen.
    pub(crate) fn tells_screens(protocol: i32) -> bool {
        matches!(protocol, Self::RERELEASE_PROTOCOL | Self::RERELEASE_DEMOS_PROTOCOL)
    }

    /// The same dialect of another kind of recording.
    #[must_use]
    pub fn recorded_by(self, recording: Recording) -> Dialect {
        let opcodes = match recording {
            Recording::Client | Recording::Server => &OPCODES,
            Recording::Relay => &RELAY_OPCODES,
            Recording::TestRelease => &TEST_OPCODES,
        };
        Dialect { recording, opcodes, ..self }
    }

    /// The same dialect with the message numbers of a client's recording.
    #[must_use]
    pub(crate) fn within_commands(self) -> Dialect {
        let extended = self.layout.entity_mask == EntityMaskKind::Extended;
        Dialect { opcodes: if extended { &EXTENDED_OPCODES } else { &OPCODES }, ..self }
    }

    /// The same dialect where the places of an entity take two bytes, or four.
    #[must_use]
    pub(crate) fn with_short_origins(self, short: bool) -> Dialect {
        Dialect { origin: if short { CoordKind::EitherShort } else { CoordKind::Either }, ..self }
    }

    /// The same dialect where KMQuake2 writes the angles of entities in two bytes, or in one.
    #[must_use]
    pub fn with_long_angles(self, long_angles: bool) -> Dialect {
        let of_kmquake2 = self.layout.entity_mask == EntityMaskKind::KmQuake2;
        let angle = match (of_kmquake2, long_angles) {
            (false, _) => self.angle,
            (true, false) => AngleKind::I8,
            (true, true) => AngleKind::I16,
        };
        Dialect { angle, long_angles, ..self }
    }

    /// True when states of entities and players are laid out as in protocol 34.
    #[inline(always)]
    pub(crate) fn has_standard_states(&self) -> bool {
        *self.layout == STANDARD && !self.remove_with_fields
    }

    /// The number of a kind of message, if the dialect has it.
    pub fn number_of(&self, kind: MessageKind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}

/// The name of a protocol that is named, not decoded.
fn not_decoded(protocol: i32) -> Option<&'static str> {
    match protocol {
        26..=34 | 3434..=3436 | Dialect::KMQUAKE2_PROTOCOL => None,
        Dialect::RERELEASE_PROTOCOL | Dialect::RERELEASE_DEMOS_PROTOCOL => None,
        35 => Some("r1q2"),
        36 => Some("q2pro"),
        // Recordings of games that Q2rePRO hosts for the re-release's rules.
        1038 => Some("q2repro"),
        _ => Some(Protocol::UNKNOWN),
    }
}
