//! The protocols of Quake's `.dem`: a [`Dialect`] for each.
//!
//! Sources: the DEM document 1.0.9 for protocol 15; id Software's WinQuake, QuakeSpasm, FTE and DarkPlaces sources
//! (their `protocol.h` and client parsers) for the rest.

use super::message::{MessageKind, ServerInfo};
use super::values::Extensions;
use crate::describe::{ByteDialect, ByteWire, TypeSchema, Width, Wire};
use crate::error::Protocol;
use crate::format::{AnyDialect, Opcodes};
use crate::wire::{AngleKind, ByteReader, ByteWriter, CoordKind, FaultKind};

/// Bytes, in dialects of Quake.
#[derive(Debug, Clone, Copy)]
pub struct Bytes;

impl crate::sealed::Sealed for Bytes {}

impl Wire for Bytes {
    type Reader<'a> = ByteReader<'a>;
    type Writer = ByteWriter;
    type Dialect = Dialect;
}

impl ByteWire for Bytes {}

/// How one protocol of Quake writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dialect {
    /// Name for people: `quake`, `fitzquake`, `rmq` ...
    pub name: &'static str,
    /// The protocol number in the file, that of Quake before a server introduced itself.
    pub protocol: i32,
    /// Which reading of an ambiguous protocol is in force.
    pub variant: Variant,
    /// False for a protocol that is named but not decoded: its blocks stay bytes.
    pub decoded: bool,
    /// True when LMPC 3.4 knows the layout of all messages it knows by name.
    pub known_to_lmpc: bool,
    /// How coordinates are written.
    pub coord: CoordKind,
    /// How angles are written.
    pub angle: AngleKind,
    /// Width of model numbers.
    pub model_index: Width,
    /// Width of sound numbers in `sound`.
    pub sound_index: Width,
    /// Width of sound numbers in `spawnstaticsound`.
    pub static_sound_index: Width,
    /// True when `clientdata` always carries items, whatever its bit 9 says.
    pub items_always: bool,
    /// Bits of the `sound` mask that have a meaning.
    pub sound_bits: u8,
    /// Bits of the `spawnbaseline2` flags that have a meaning.
    pub baseline_bits: u8,
    /// Bits of the `clientdata` mask that have a meaning.
    pub clientdata_bits: u32,
    /// Bits of the `updateentity` mask that have a meaning.
    pub update_bits: u64,
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
}

/// What is spoken before a server introduces itself.
impl Default for Dialect {
    fn default() -> Self {
        Dialect::QUAKE
    }
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
        Dialect { name: protocol_name(protocol), protocol, decoded: false, ..Dialect::QUAKE }
    }
}

impl ByteDialect for Dialect {
    const INDEX: TypeSchema = TypeSchema::new("u8 (u16 in BJP)", "integer", "");
    const SOUND_SOURCE: [TypeSchema; 2] = [
        TypeSchema::new("low 3 bits of a u16; in sound with bit 3: u8 behind the entity", "integer", ""),
        TypeSchema::new("high 13 bits of that u16; in sound with bit 3: u16", "integer", ""),
    ];
    #[inline(always)]
    fn coord(&self) -> CoordKind {
        self.coord
    }
    #[inline(always)]
    fn angle(&self) -> AngleKind {
        self.angle
    }
    #[inline(always)]
    fn model_index(&self) -> Width {
        self.model_index
    }
    #[inline(always)]
    fn sound_index(&self) -> Width {
        self.sound_index
    }
    #[inline(always)]
    fn static_sound_index(&self) -> Width {
        self.static_sound_index
    }
}

/// Which reading of an ambiguous protocol number is in force. The number alone does not tell; a trial does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Variant {
    /// The reading of id's released engine and of nearly all files.
    #[default]
    Standard,
    /// Protocol 15 up to Quake 1.06: items only when bit 9 of the clientdata mask says so.
    OptionalItems,
    /// Protocol 15 with Nehahra's transparency behind bit 15 of updateentity.
    Nehahra,
    /// Protocol 15 with FitzQuake's extra mask bytes and messages.
    Extended,
    /// BJP 2 and 3 with the other width of ambient sound numbers (readers disagree).
    OtherStaticSounds,
}

impl Variant {
    /// Every variant, the usual one first.
    pub const ALL: [Variant; 5] =
        [Variant::Standard, Variant::Extended, Variant::Nehahra, Variant::OptionalItems, Variant::OtherStaticSounds];

    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Standard => "standard",
            Variant::OptionalItems => "optional_items",
            Variant::Nehahra => "nehahra",
            Variant::Extended => "extended",
            Variant::OtherStaticSounds => "other_static_sounds",
        }
    }

    /// The variant with a name.
    pub fn by_name(name: &[u8]) -> Option<Variant> {
        Variant::ALL.into_iter().find(|v| v.name().as_bytes() == name)
    }
}

const fn op(code: u8, kind: MessageKind) -> (u8, u8) {
    (code, kind as u8)
}

/// DEM document, section 7.
const QUAKE_MESSAGES: [(u8, u8); 35] = [
    op(0, MessageKind::Bad),
    op(1, MessageKind::Nop),
    op(2, MessageKind::Disconnect),
    op(3, MessageKind::UpdateStat),
    op(4, MessageKind::Version),
    op(5, MessageKind::SetView),
    op(6, MessageKind::Sound),
    op(7, MessageKind::Time),
    op(8, MessageKind::Print),
    op(9, MessageKind::StuffText),
    op(10, MessageKind::SetAngle),
    op(11, MessageKind::ServerInfo),
    op(12, MessageKind::LightStyle),
    op(13, MessageKind::UpdateName),
    op(14, MessageKind::UpdateFrags),
    op(15, MessageKind::ClientData),
    op(16, MessageKind::StopSound),
    op(17, MessageKind::UpdateColors),
    op(18, MessageKind::Particle),
    op(19, MessageKind::Damage),
    op(20, MessageKind::SpawnStatic),
    op(21, MessageKind::SpawnBinary),
    op(22, MessageKind::SpawnBaseline),
    op(23, MessageKind::TempEntity),
    op(24, MessageKind::SetPause),
    op(25, MessageKind::SignonNum),
    op(26, MessageKind::CenterPrint),
    op(27, MessageKind::KilledMonster),
    op(28, MessageKind::FoundSecret),
    op(29, MessageKind::SpawnStaticSound),
    op(30, MessageKind::Intermission),
    op(31, MessageKind::Finale),
    op(32, MessageKind::CdTrack),
    op(33, MessageKind::SellScreen),
    op(34, MessageKind::CutScene),
];

/// Message numbers with the high bit set are all `updateentity`: the low seven bits belong to its mask.
const UPDATES: [(u8, u8); 128] = {
    let mut all = [op(0x80, MessageKind::UpdateEntity); 128];
    let mut i = 0;
    while i < 128 {
        // Written from high to low, so that 0x80 is the number a writer uses.
        all[i as usize].0 = 0xFF - i;
        i += 1;
    }
    all
};

/// FitzQuake and QuakeSpasm (`protocol.h`); 52 and 56 come from mods made for the 2021 re-release.
const FITZQUAKE_MESSAGES: [(u8, u8); 8] = [
    op(37, MessageKind::SkyBox),
    op(40, MessageKind::BonusFlash),
    op(41, MessageKind::Fog),
    op(42, MessageKind::SpawnBaseline2),
    op(43, MessageKind::SpawnStatic2),
    op(44, MessageKind::SpawnStaticSound2),
    op(52, MessageKind::Achievement),
    op(56, MessageKind::LocalSound),
];

/// Nehahra (FTE `protocol.h`, DZip's decoder).
const NEHAHRA_MESSAGES: [(u8, u8); 5] = [
    op(35, MessageKind::ShowLmp),
    op(36, MessageKind::HideLmp),
    op(37, MessageKind::SkyBox),
    op(50, MessageKind::SkyBoxSize),
    op(51, MessageKind::NehahraFog),
];

static QUAKE: Opcodes = Opcodes::new(&[&QUAKE_MESSAGES, &UPDATES]);
static FITZQUAKE: Opcodes = Opcodes::new(&[&QUAKE_MESSAGES, &UPDATES, &FITZQUAKE_MESSAGES]);
static NEHAHRA: Opcodes = Opcodes::new(&[&QUAKE_MESSAGES, &UPDATES, &NEHAHRA_MESSAGES]);

/// `updateentity` bits 1-6 and 8-14. Bit 0 and 7 (more bits, signal) are not information.
const UPDATE_BITS: u64 = 0x7F7E;
/// FitzQuake: alpha 16, frame2 17, model2 18, lerpfinish 19, scale 20.
const UPDATE_BITS_FITZQUAKE: u64 = UPDATE_BITS | 0x1F_0000;
/// Nehahra's bit 15 is kept apart from FitzQuake's extension bit: bit 32 of our mask.
const UPDATE_BITS_NEHAHRA: u64 = UPDATE_BITS | 1 << 32;
/// `clientdata` bits 0-7, 9-14.
const CLIENTDATA_BITS: u32 = 0x7EFF;
/// FitzQuake: bits 16-22, 24, 25.
const CLIENTDATA_BITS_FITZQUAKE: u32 = CLIENTDATA_BITS | 0x037F_0000;

/// RMQ protocol flags (QuakeSpasm `protocol.h`, `PRFL_...`).
mod rmq {
    pub(super) const SHORTANGLE: u32 = 0x02;
    pub(super) const FLOATANGLE: u32 = 0x04;
    pub(super) const COORD24: u32 = 0x08;
    pub(super) const FLOATCOORD: u32 = 0x10;
    pub(super) const INT32COORD: u32 = 0x80;
}

/// FTE extension flag: every coordinate is a float and every angle two bytes (FTE `protocol.h`).
const FTE_FLOATCOORDS: u32 = 0x8000;

impl Dialect {
    /// Protocol 15, as every engine from 0.91 to 1.09 speaks it.
    pub const QUAKE: Dialect = Dialect {
        name: "quake",
        protocol: 15,
        variant: Variant::Standard,
        decoded: true,
        known_to_lmpc: true,
        coord: CoordKind::I16,
        angle: AngleKind::I8,
        model_index: Width::U8,
        sound_index: Width::U8,
        static_sound_index: Width::U8,
        items_always: true,
        sound_bits: 0x03,
        baseline_bits: 0,
        clientdata_bits: CLIENTDATA_BITS,
        update_bits: UPDATE_BITS,
        opcodes: &QUAKE,
    };

    /// FitzQuake's protocol 666.
    pub const FITZQUAKE: Dialect = Dialect {
        name: "fitzquake",
        protocol: 666,
        opcodes: &FITZQUAKE,
        update_bits: UPDATE_BITS_FITZQUAKE,
        clientdata_bits: CLIENTDATA_BITS_FITZQUAKE,
        sound_bits: 0x1B,
        baseline_bits: 0x0F,
        ..Dialect::QUAKE
    };

    const NEHAHRA: Dialect =
        Dialect { name: "nehahra", opcodes: &NEHAHRA, update_bits: UPDATE_BITS_NEHAHRA, ..Dialect::QUAKE };

    const BJP: Dialect =
        Dialect { name: "bjp", protocol: 10000, known_to_lmpc: false, model_index: Width::U16, ..Dialect::NEHAHRA };

    /// The dialect of RMQ's protocol 999 with its flags.
    pub fn rmq(flags: u32) -> Dialect {
        // Where several flags are set, the order of precedence is that of QuakeSpasm's readers.
        let coord = if flags & rmq::FLOATCOORD != 0 {
            CoordKind::F32
        } else if flags & rmq::INT32COORD != 0 {
            CoordKind::I32
        } else if flags & rmq::COORD24 != 0 {
            CoordKind::I24
        } else {
            CoordKind::I16
        };
        let angle = if flags & rmq::FLOATANGLE != 0 {
            AngleKind::F32
        } else if flags & rmq::SHORTANGLE != 0 {
            AngleKind::I16
        } else {
            AngleKind::I8
        };
        let known_to_lmpc = coord == CoordKind::I16 && angle == AngleKind::I8;
        Dialect { name: "rmq", protocol: 999, coord, angle, known_to_lmpc, ..Dialect::FITZQUAKE }
    }

    /// What is spoken before a server introduces itself.
    pub fn initial(variant: Variant) -> Dialect {
        Dialect::of_protocol(15, 0, variant).unwrap_or(Dialect::QUAKE)
    }

    /// The dialect that a `serverinfo` announces, for everything after it.
    pub fn after(info: &ServerInfo<'_>, variant: Variant) -> Dialect {
        let mut dialect = Dialect::of_protocol(info.serverversion, info.protocolflags.unwrap_or(0), variant)
            .unwrap_or_else(|| Dialect::QUAKE.undecoded(info.serverversion));
        if info.extensions.flags(Extensions::FTE1) & FTE_FLOATCOORDS != 0 {
            dialect.coord = CoordKind::F32;
            dialect.angle = AngleKind::I16;
            dialect.known_to_lmpc = false;
        }
        dialect
    }

    /// The variants that a protocol number allows, the usual one first.
    pub fn variants(protocol: i32) -> &'static [Variant] {
        match protocol {
            15 => &[Variant::Standard, Variant::Extended, Variant::Nehahra, Variant::OptionalItems],
            10001 | 10002 => &[Variant::Standard, Variant::OtherStaticSounds],
            _ => &[Variant::Standard],
        }
    }

    /// True for a protocol that is decoded.
    pub(crate) fn is_known(protocol: i32) -> bool {
        Dialect::of_protocol(protocol, 0, Variant::Standard).is_some()
    }

    /// The same protocol read in another way.
    #[must_use]
    pub fn with_variant(self, variant: Variant) -> Dialect {
        match Dialect::of_protocol(self.protocol, 0, variant) {
            // Encodings were announced, they do not depend on the reading.
            Some(dialect) => Dialect { coord: self.coord, angle: self.angle, ..dialect },
            None => self,
        }
    }

    /// The number of a kind of message, if the dialect has it. (The numbers from 0x80 on all are `updateentity`.)
    pub fn number_of(&self, kind: MessageKind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }

    fn of_protocol(protocol: i32, flags: u32, variant: Variant) -> Option<Dialect> {
        // A variant that a protocol does not have means the usual reading of it.
        let variant = if Dialect::variants(protocol).contains(&variant) { variant } else { Variant::Standard };
        let other = variant == Variant::OtherStaticSounds;
        let width = |wide: bool| if wide { Width::U16 } else { Width::U8 };
        let dialect = match (protocol, variant) {
            (15, Variant::Nehahra) => Dialect::NEHAHRA,
            (15, Variant::Extended) => Dialect { name: "quake-extended", protocol: 15, ..Dialect::FITZQUAKE },
            (15, Variant::OptionalItems) => Dialect { name: "quake-1.06", items_always: false, ..Dialect::QUAKE },
            (15, _) => Dialect::QUAKE,
            (250, _) => Dialect { protocol: 250, ..Dialect::NEHAHRA },
            (666, _) => Dialect::FITZQUAKE,
            (999, _) => Dialect::rmq(flags),
            (10000, _) => Dialect::BJP,
            (10001, _) => Dialect {
                name: "bjp2",
                protocol: 10001,
                sound_index: Width::U16,
                static_sound_index: width(!other),
                ..Dialect::BJP
            },
            (10002, _) => Dialect {
                name: "bjp3",
                protocol: 10002,
                sound_index: Width::U16,
                static_sound_index: width(other),
                ..Dialect::BJP
            },
            _ => return None,
        };
        // LMPC knows one reading only.
        let known_to_lmpc = dialect.known_to_lmpc && variant == Variant::Standard;
        Some(Dialect { variant, known_to_lmpc, ..dialect })
    }
}

/// The number of a kind of message, in the first dialect that has it, and that dialect's name.
///
/// ```
/// use qdemo::format::dem::{MessageKind, number_of};
/// assert_eq!(number_of(MessageKind::Sound), Some((6, "quake")));
/// assert_eq!(number_of(MessageKind::Fog), Some((41, "fitzquake")));
/// ```
pub fn number_of(kind: MessageKind) -> Option<(u8, &'static str)> {
    [Dialect::QUAKE, Dialect::FITZQUAKE, Dialect::NEHAHRA]
        .iter()
        .find_map(|d| d.number_of(kind).map(|number| (number, d.name)))
}

/// The name that a protocol number of Quake is known by.
pub fn protocol_name(number: i32) -> &'static str {
    match number {
        15 => "Quake",
        666 => "FitzQuake",
        999 => "RMQ",
        250 => "Nehahra",
        10000 => "BJP",
        10001 => "BJP 2",
        10002 => "BJP 3",
        96 => "DarkPlaces 1",
        97 => "DarkPlaces 2",
        3500 => "DarkPlaces 3",
        3501 => "DarkPlaces 4",
        3502 => "DarkPlaces 5",
        3503 => "DarkPlaces 6",
        3504 => "DarkPlaces 7",
        3505 => "DarkPlaces 8",
        17 => "reQuiem",
        18..=20 => "Hexen II",
        24..=28 => "QuakeWorld",
        _ => Protocol::UNKNOWN,
    }
}

/// Which optional fields a `serverinfo` has: bit 0 protocolflags, bit 1 gamedir.
pub(super) fn serverinfo_fields(extensions: &Extensions, version: &i32, _: &Dialect) -> Result<u64, FaultKind> {
    if !Dialect::is_known(*version) {
        return Err(FaultKind::Unsupported(Protocol { number: *version, name: protocol_name(*version) }));
    }
    Ok(u64::from(*version == 999) | u64::from(extensions.predinfo()) << 1)
}

/// Which fields a `temp_entity` of a type has: bit 0 model, 1 entity, 2 origin, 3 trace_endpos, 4 color, 5 range.
///
/// Bit 6 is Nehahra's rgb. Types 0 to 13 stand in the DEM document (7.24); 16 to 18 are Nehahra's.
pub(super) fn temp_entity_fields(entitytype: &u8, d: &Dialect) -> Result<u64, FaultKind> {
    const ORIGIN: u64 = 0b00_0100;
    const BEAM: u64 = 0b00_1110;
    let nehahra = d.update_bits & (1 << 32) != 0;
    Ok(match entitytype {
        0..=4 | 7 | 8 | 10 | 11 => ORIGIN,
        5 | 6 | 9 | 13 => BEAM,
        12 => 0b11_0100,
        16 if nehahra => ORIGIN | 0b100_0000,
        17 if nehahra => BEAM | 1,
        18 if nehahra => ORIGIN | 0b01_0000,
        _ => return Err(FaultKind::Malformed("unknown type of temporary entity")),
    })
}
