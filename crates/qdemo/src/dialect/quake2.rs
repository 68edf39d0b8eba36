//! The protocols of Quake II.
//!
//! Sources: the DM2 document 1.0.4 for protocols 26 to 34; id Software's Quake II 3.21 for what it leaves open; for
//! KMQuake2 its source and one recording; for Q2PRO's extended demos its source and q2proto's, and no recording; for
//! the re-release of 2023 the description of its protocol beside the source of its game, for the demos that came with
//! it what that and q2proto's reader say, and no recordings.

use super::{Dialect, Opcodes};
use crate::describe::Width;
use crate::format::dm2::Kind;
use crate::wire::{AngleKind, CoordKind};

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

/// How the mask of an entity is packed. The bits mean the same everywhere once they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityMaskKind {
    /// One to four bytes.
    Standard,
    /// One to five bytes; angles take two bytes where bit 13 says so.
    Extended,
    /// One to four bytes; bits 28 to 31 have their own meanings, and count as 36 to 39.
    KmQuake2,
    /// One to five bytes; bits 24, 27, 29 and 33 to 35 have their own meanings, and count as 41 to 48.
    Rerelease,
}

/// How the mask of a player's state is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerMaskKind {
    /// Two bytes.
    Word,
    /// Two bytes; where bit 15 says so, a third, whose bits count from 32 on.
    WordAndByte,
    /// Four bytes.
    Long,
    /// Two bytes; where bit 15 says so, two more, whose bits count from 40 on. Bits 6 to 9 and 13 have their own
    /// layouts, and count as 33 to 37.
    TwoWords,
}

/// How a number with something in its highest bits is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// One byte, the number alone.
    Byte,
    /// Two bytes, the number alone.
    Word,
    /// Two bytes, something else in the highest bits.
    PackedWord,
}

/// Which numbers of the status bar the mask in front of them tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsKind {
    /// 32, by a mask of four bytes.
    Standard,
    /// 256, by a mask of four bytes: each bit stands for every 32nd of them.
    EightTimes,
    /// 64, by a mask in groups of seven bits.
    Variable,
    /// 64, by a mask of four bytes in front of each 32.
    Twice,
}

/// Where configstrings of a kind begin.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigStrings {
    /// Models: the map is the second.
    pub models: u16,
    /// Sounds.
    pub sounds: u16,
    /// Pictures.
    pub images: u16,
    /// Styles of lights.
    pub lights: u16,
    /// Names of items.
    pub items: u16,
    /// Players: name, model and skin.
    pub players: u16,
    /// Whatever the game wants.
    pub general: u16,
    /// The number behind the last one.
    pub end: u16,
}

impl ConfigStrings {
    /// Up to protocol 36.
    pub const STANDARD: ConfigStrings = ConfigStrings {
        models: 32,
        sounds: 288,
        images: 544,
        lights: 800,
        items: 1056,
        players: 1312,
        general: 1568,
        end: 2080,
    };
    /// Q2PRO's extended demos.
    pub const EXTENDED: ConfigStrings = ConfigStrings {
        models: 62,
        sounds: 8254,
        images: 10_302,
        lights: 12_350,
        items: 12_606,
        players: 12_862,
        general: 13_118,
        end: 13_630,
    };
    /// The re-release. Shadows of lights stand between styles of lights and items, the weapon wheel behind the others.
    pub const RERELEASE: ConfigStrings = ConfigStrings {
        models: 62,
        sounds: 8254,
        images: 10_302,
        lights: 10_814,
        items: 11_326,
        players: 11_582,
        general: 11_838,
        end: 12_448,
    };
    /// KMQuake2.
    pub const KMQUAKE2: ConfigStrings = ConfigStrings {
        models: 32,
        sounds: 8224,
        images: 16_416,
        lights: 18_464,
        items: 18_720,
        players: 18_976,
        general: 19_232,
        end: 19_744,
    };
}

static STANDARD_STRINGS: ConfigStrings = ConfigStrings::STANDARD;
static EXTENDED_STRINGS: ConfigStrings = ConfigStrings::EXTENDED;
static KMQUAKE2_STRINGS: ConfigStrings = ConfigStrings::KMQUAKE2;
static RERELEASE_STRINGS: ConfigStrings = ConfigStrings::RERELEASE;

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
    /// How the origins of entities and players are written.
    pub origin: CoordKind,
    /// Origins of entities take two bytes or four by the boxes that these entities have; see
    /// [`Boxes`](crate::format::dm2::Boxes).
    pub origin_by_box: bool,
    /// How the velocity of the player is written.
    pub velocity: CoordKind,
    /// How the masks of entities are packed.
    pub entity_mask: EntityMaskKind,
    /// Bits of these masks that have a meaning.
    pub entity_bits: u64,
    /// How the masks of players' states are packed.
    pub player_mask: PlayerMaskKind,
    /// Bits of these masks that have a meaning.
    pub player_bits: u64,
    /// How the sound of an entity is written; packed: how loud, and how it fades.
    pub entity_sound: Packing,
    /// How the weapon's model is written; packed: its skin.
    pub gun_index: Packing,
    /// The box of an entity takes four bytes.
    pub long_solid: bool,
    /// Time and flags of a player's movement take two bytes.
    pub long_movement: bool,
    /// Colours of the screen are told one by one.
    pub blend_parts: bool,
    /// Numbers on the status bar.
    pub stats: StatsKind,
    /// There is a temporary entity 128.
    pub damage_effect: bool,
    /// KMQuake2 wrote the angles of entities in one byte, then in two, under the same number: true for two.
    pub long_angles: bool,
    /// Entities that are removed may have fields all the same.
    pub remove_with_fields: bool,
    /// The messages are those of the re-release, and views of players are told in its way.
    pub rerelease: bool,
    /// Frames a second, unless the server tells otherwise later.
    pub frame_rate: u8,
    /// Players at the recorder's screen: each frame has a state for each. None in cinematics of the re-release.
    pub screens: u8,
    /// Where configstrings of a kind begin.
    pub configstrings: &'static ConfigStrings,
}

/// Bits of an entity's mask that have a meaning in all protocols.
const ENTITY_BITS: u64 = 0x0FFF_7F7F & !(1 << 13) & !(1 << 23);

impl Quake2 {
    /// Protocol 34, recorded by a client.
    pub const STANDARD: Quake2 = Quake2 {
        recording: Recording::Client,
        recording_told: true,
        suppress: true,
        later_effects: true,
        origin: CoordKind::I16,
        origin_by_box: false,
        velocity: CoordKind::I16,
        entity_mask: EntityMaskKind::Standard,
        entity_bits: ENTITY_BITS,
        player_mask: PlayerMaskKind::Word,
        player_bits: 0x7FFF,
        entity_sound: Packing::Byte,
        gun_index: Packing::Byte,
        long_solid: false,
        long_movement: false,
        blend_parts: false,
        stats: StatsKind::Standard,
        damage_effect: false,
        long_angles: false,
        remove_with_fields: false,
        rerelease: false,
        frame_rate: 10,
        screens: 1,
        configstrings: &STANDARD_STRINGS,
    };

    /// Q2PRO's extended demos, the first of them.
    const EXTENDED: Quake2 = Quake2 {
        entity_mask: EntityMaskKind::Extended,
        entity_bits: ENTITY_BITS | 1 << 13 | 0b11_0111 << 28,
        entity_sound: Packing::PackedWord,
        gun_index: Packing::PackedWord,
        long_solid: true,
        damage_effect: true,
        configstrings: &EXTENDED_STRINGS,
        ..Quake2::STANDARD
    };

    /// KMQuake2.
    const KMQUAKE2: Quake2 = Quake2 {
        origin: CoordKind::I24Eighths,
        entity_mask: EntityMaskKind::KmQuake2,
        entity_bits: ENTITY_BITS | 0xF << 36,
        player_mask: PlayerMaskKind::Long,
        player_bits: 0x00FF_FFFF,
        entity_sound: Packing::Word,
        gun_index: Packing::Word,
        stats: StatsKind::EightTimes,
        configstrings: &KMQUAKE2_STRINGS,
        ..Quake2::STANDARD
    };

    /// The re-release.
    const RERELEASE: Quake2 = Quake2 {
        origin: CoordKind::F32,
        velocity: CoordKind::F32,
        entity_mask: EntityMaskKind::Rerelease,
        entity_bits: ENTITY_BITS & !(0b1001 << 24) | 0b1_0101 << 28 | 0xFF << 41,
        player_mask: PlayerMaskKind::TwoWords,
        player_bits: 0x5C3F | 0b1_1111 << 33 | 0b11 << 40,
        entity_sound: Packing::PackedWord,
        gun_index: Packing::PackedWord,
        long_solid: true,
        long_movement: true,
        stats: StatsKind::Twice,
        rerelease: true,
        configstrings: &RERELEASE_STRINGS,
        ..Quake2::STANDARD
    };
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

/// Messages that only the re-release has.
const RERELEASE_MESSAGES: [(u8, u8); 13] = [
    op(21, Kind::SplitClient),
    op(22, Kind::ConfigBlast),
    op(23, Kind::SpawnBaselineBlast),
    op(24, Kind::LevelRestart),
    op(25, Kind::Damage),
    op(26, Kind::LocPrint),
    op(27, Kind::FogChange),
    op(28, Kind::WaitingForPlayers),
    op(29, Kind::BotChat),
    op(30, Kind::Poi),
    op(31, Kind::HelpPath),
    op(32, Kind::MuzzleFlash3),
    op(33, Kind::Achievement),
];
/// Messages that only Q2PRO's extended demos have.
const EXTENDED_MESSAGES: [(u8, u8); 1] = [op(24, Kind::Setting)];
/// A message that only KMQuake2 has.
const KMQUAKE2_MESSAGES: [(u8, u8); 1] = [op(21, Kind::Fog)];

pub(super) static EXTENDED: Opcodes = Opcodes::new(&[&MESSAGES, &EXTENDED_MESSAGES]);
static KMQUAKE2: Opcodes = Opcodes::new(&[&MESSAGES, &KMQUAKE2_MESSAGES]);
static RERELEASE: Opcodes = Opcodes::new(&[&MESSAGES, &RERELEASE_MESSAGES]);
static TEST: Opcodes = Opcodes::new(&[&TEST_RELEASE]);
pub(super) static PLAIN: Opcodes = Opcodes::new(&[&MESSAGES]);
static RELAY: Opcodes = Opcodes::new(&[&MESSAGES, &UNICASTS]);

/// Marks of `serverdata` that tell who recorded.
mod isdemo {
    pub(super) const SERVER: u8 = 2;
    pub(super) const RELAY: u8 = 0x80;
}

impl Dialect {
    /// Quake II's protocol 34, recorded by a client.
    pub const QUAKE2: Dialect = Dialect {
        name: "quake2",
        protocol: 34,
        opcodes: &PLAIN,
        sound_bits: 0x1F,
        quake2: Quake2::STANDARD,
        ..Dialect::QUAKE
    };

    /// Q2PRO's extended demos, the first of them.
    const Q2PRO_EXTENDED: Dialect = Dialect {
        name: "q2pro-extended",
        protocol: 3434,
        opcodes: &EXTENDED,
        known_to_lmpc: false,
        angle: AngleKind::I16,
        sound_bits: 0x3F,
        quake2: Quake2::EXTENDED,
        ..Dialect::QUAKE2
    };

    /// The protocol number of KMQuake2.
    pub(crate) const KMQUAKE2_PROTOCOL: i32 = 56;

    /// KMQuake2.
    const KMQUAKE2: Dialect = Dialect {
        name: "kmquake2",
        protocol: Self::KMQUAKE2_PROTOCOL,
        opcodes: &KMQUAKE2,
        known_to_lmpc: false,
        coord: CoordKind::I24Eighths,
        model_index: Width::U16,
        sound_index: Width::U16,
        quake2: Quake2::KMQUAKE2,
        ..Dialect::QUAKE2
    };

    /// The protocol number of the re-release.
    const RERELEASE_PROTOCOL: i32 = 2023;

    /// The re-release.
    const RERELEASE: Dialect = Dialect {
        name: "quake2-rerelease",
        protocol: Self::RERELEASE_PROTOCOL,
        opcodes: &RERELEASE,
        known_to_lmpc: false,
        coord: CoordKind::F32,
        angle: AngleKind::F32,
        sound_index: Width::U16,
        sound_bits: 0x15F,
        quake2: Quake2::RERELEASE,
        ..Dialect::QUAKE2
    };

    /// The protocol number of the demos that came with the re-release.
    const RERELEASE_DEMOS_PROTOCOL: i32 = 2022;

    /// These demos.
    const RERELEASE_DEMOS: Dialect = Dialect {
        name: "quake2-rerelease-demos",
        protocol: Self::RERELEASE_DEMOS_PROTOCOL,
        coord: CoordKind::I16,
        quake2: Quake2 { origin: CoordKind::Either, origin_by_box: true, ..Quake2::RERELEASE },
        ..Dialect::RERELEASE
    };

    /// The same dialect where the places of an entity take two bytes, or four.
    pub(crate) fn with_short_origins(self, short: bool) -> Dialect {
        let origin = if short { CoordKind::EitherShort } else { CoordKind::Either };
        Dialect { quake2: Quake2 { origin, ..self.quake2 }, ..self }
    }

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
        if let Some(extended) = extended(protocol) {
            let recording = if isdemo == isdemo::SERVER { Recording::Server } else { Recording::Client };
            return Dialect { quake2: Quake2 { recording, ..extended.quake2 }, ..extended };
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
            ..Quake2::STANDARD
        };
        Dialect { protocol, quake2, download_data: protocol >= 32, ..Dialect::QUAKE2 }.recorded_by(recording)
    }

    /// The same dialect with what `serverdata` tells of the re-release: frames a second, and players at the screen.
    #[must_use]
    pub fn with_screens(self, frame_rate: u8, screens: u8) -> Dialect {
        let frame_rate = if frame_rate == 0 { Quake2::STANDARD.frame_rate } else { frame_rate };
        Dialect { quake2: Quake2 { frame_rate, screens, ..self.quake2 }, ..self }
    }

    /// True when `serverdata` of a protocol tells frames a second, and players at the screen.
    pub(crate) fn tells_screens(protocol: i32) -> bool {
        matches!(protocol, Self::RERELEASE_PROTOCOL | Self::RERELEASE_DEMOS_PROTOCOL)
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

    /// The same dialect where KMQuake2 writes the angles of entities in two bytes, or in one.
    #[must_use]
    pub fn with_long_angles(self, long_angles: bool) -> Dialect {
        let of_kmquake2 = self.quake2.entity_mask == EntityMaskKind::KmQuake2;
        let angle = match (of_kmquake2, long_angles) {
            (false, _) => self.angle,
            (true, false) => AngleKind::I8,
            (true, true) => AngleKind::I16,
        };
        Dialect { angle, quake2: Quake2 { long_angles, ..self.quake2 }, ..self }
    }

    /// True when states of entities and players are laid out as in protocol 34.
    #[inline(always)]
    pub(crate) fn has_standard_states(&self) -> bool {
        const STANDARD: Dialect = Dialect::QUAKE2;
        let (its, standard) = (&self.quake2, &STANDARD.quake2);
        self.coord == STANDARD.coord
            && self.angle == STANDARD.angle
            && self.model_index == STANDARD.model_index
            && its.origin == standard.origin
            && its.origin_by_box == standard.origin_by_box
            && its.velocity == standard.velocity
            && its.entity_mask == standard.entity_mask
            && its.entity_bits == standard.entity_bits
            && its.entity_sound == standard.entity_sound
            && its.long_solid == standard.long_solid
            && its.player_mask == standard.player_mask
            && its.player_bits == standard.player_bits
            && its.gun_index == standard.gun_index
            && its.long_movement == standard.long_movement
            && its.blend_parts == standard.blend_parts
            && its.stats == standard.stats
            && its.remove_with_fields == standard.remove_with_fields
            && its.rerelease == standard.rerelease
    }

    /// The number of a kind of Quake II message, if the dialect has it.
    pub fn number_of_quake2(&self, kind: Kind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}

/// A protocol with layouts of its own.
pub(super) fn extended(protocol: i32) -> Option<Dialect> {
    const STRETCHED: Quake2 = Quake2 {
        origin: CoordKind::StretchedDelta,
        velocity: CoordKind::StretchedDelta,
        long_movement: true,
        blend_parts: true,
        stats: StatsKind::Variable,
        ..Quake2::EXTENDED
    };
    const FOG: Quake2 = Quake2 { player_mask: PlayerMaskKind::WordAndByte, player_bits: 0x7FFF | 1 << 32, ..STRETCHED };
    let stretched = |quake2| Dialect { protocol, coord: CoordKind::Stretched, quake2, ..Dialect::Q2PRO_EXTENDED };
    match protocol {
        Dialect::KMQUAKE2_PROTOCOL => Some(Dialect::KMQUAKE2),
        Dialect::RERELEASE_PROTOCOL => Some(Dialect::RERELEASE),
        Dialect::RERELEASE_DEMOS_PROTOCOL => Some(Dialect::RERELEASE_DEMOS),
        3434 => Some(Dialect::Q2PRO_EXTENDED),
        3435 => Some(stretched(STRETCHED)),
        3436 => Some(stretched(FOG)),
        _ => None,
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
        _ => Some("unknown"),
    }
}
