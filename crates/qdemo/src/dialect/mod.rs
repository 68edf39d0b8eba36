//! Protocols as data: what differs between the engines that wrote a format, as plain values.
//!
//! A [`Dialect`] is chosen from the server's first message and carried from there. No code outside this module
//! asks for a protocol number: it asks the dialect for widths, encodings, message numbers and mask bits.

mod mvd2;
mod quake;
mod quake2;
pub mod quake3;
mod quakeworld;

pub use quake::{Variant, number_of, protocol_name, serverinfo_fields, temp_entity_fields};
pub use quake2::{ConfigStrings, EntityMaskKind, Packing, PlayerMaskKind, Quake2, Recording, StatsKind};
pub use quakeworld::QuakeWorld;

use crate::wire::{AngleKind, CoordKind};

/// Width of a number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
}

/// How one protocol of Quake writes its messages. A plain value: copy it, compare it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dialect {
    /// Name for people: `quake`, `fitzquake`, `rmq` ...
    pub name: &'static str,
    /// The protocol number in the file, 0 before a server introduced itself.
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
    /// Which message has which number.
    pub opcodes: &'static Opcodes,
    /// Bits of the `updateentity` mask that have a meaning.
    pub update_bits: u64,
    /// Bits of the `clientdata` mask that have a meaning.
    pub clientdata_bits: u64,
    /// True when `clientdata` always carries items, whatever its bit 9 says.
    pub items_always: bool,
    /// Bits of the `sound` mask that have a meaning.
    pub sound_bits: u64,
    /// Bits of the `spawnbaseline2` flags that have a meaning.
    pub baseline_bits: u64,
    /// True when `download` carries data (Quake II before 32: no).
    pub download_data: bool,
    /// What QuakeWorld's protocols differ in.
    pub quakeworld: QuakeWorld,
    /// What Quake II's protocols differ in.
    pub quake2: Quake2,
}

/// What is spoken before a server introduces itself.
impl Default for Dialect {
    fn default() -> Self {
        Dialect::QUAKE
    }
}

impl Dialect {
    /// The number of a kind of message, if the dialect has it. (The numbers from 0x80 on all are `updateentity`.)
    pub fn number_of(&self, kind: crate::format::dem::Kind) -> Option<u8> {
        self.opcodes.code(kind as usize)
    }
}

/// What the dialects of all games can tell of themselves.
pub trait AnyDialect: Copy + std::fmt::Debug + PartialEq {
    /// The protocol number in the file; 0 before a server introduced itself.
    fn protocol(&self) -> i32;
    /// Name for people.
    fn name(&self) -> &'static str;
    /// False for a protocol that is named but not decoded: its blocks stay bytes.
    fn is_decoded(&self) -> bool;
    /// A protocol that is named and kept, not decoded.
    #[must_use]
    fn undecoded(protocol: i32) -> Self;
}

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
    fn undecoded(protocol: i32) -> Self {
        Dialect::undecoded(protocol)
    }
}

impl AnyDialect for quake3::Dialect {
    fn protocol(&self) -> i32 {
        self.protocol
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn is_decoded(&self) -> bool {
        true
    }
    fn undecoded(protocol: i32) -> Self {
        quake3::Dialect { protocol, ..quake3::Dialect::QUAKE3 }
    }
}

/// Message numbers of a dialect. Kinds are indices into the format's own list.
#[derive(Debug, PartialEq)]
pub struct Opcodes {
    kinds: [u8; 256],
    codes: [u8; 128],
}

impl Opcodes {
    const NONE: u8 = 0xFF;

    /// A table from `(message number, kind)` pairs; where a kind has several numbers the last one is written.
    pub(crate) const fn new(pairs: &[&[(u8, u8)]]) -> Self {
        let mut table = Opcodes { kinds: [Self::NONE; 256], codes: [Self::NONE; 128] };
        let mut set = 0;
        while set < pairs.len() {
            let mut i = 0;
            while i < pairs[set].len() {
                let (code, kind) = pairs[set][i];
                table.kinds[code as usize] = kind;
                table.codes[kind as usize] = code;
                i += 1;
            }
            set += 1;
        }
        table
    }

    /// The kind of the message with a number.
    #[inline]
    pub(crate) fn kind(&self, code: u8) -> Option<usize> {
        match self.kinds[usize::from(code)] {
            Self::NONE => None,
            kind => Some(usize::from(kind)),
        }
    }

    /// The number of a kind of message.
    #[inline]
    pub(crate) fn code(&self, kind: usize) -> Option<u8> {
        self.codes.get(kind).copied().filter(|&c| c != Self::NONE)
    }
}
