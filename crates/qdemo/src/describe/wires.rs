//! What messages travel on: bytes, or the bit streams of Quake III.

use super::TypeSchema;
use super::unknown::UnknownWriter;
use crate::sealed::Sealed;
use crate::wire::{AngleKind, ByteReader, ByteWriter, CoordKind};

/// How the messages of a format are laid out, and with which dialects. Declarations name theirs once, as `Wire`.
pub trait Wire: Sealed {
    /// Where values come from.
    type Reader<'a>;
    /// Where values go.
    type Writer: UnknownWriter;
    /// What the protocols of the format differ in.
    type Dialect;
}

/// What the dialects of all formats can tell of themselves.
pub trait AnyDialect: Sealed + Copy + std::fmt::Debug + PartialEq + Send {
    /// The protocol number in the file; 0 before a server introduced itself.
    fn protocol(&self) -> i32;
    /// Name for people.
    fn name(&self) -> &'static str;
    /// False for a protocol that is named but not decoded: its blocks stay bytes.
    #[inline(always)]
    fn is_decoded(&self) -> bool {
        true
    }
    /// A protocol that is named and kept, not decoded; the same dialect in a format that has no such protocols.
    #[must_use]
    fn undecoded(self, _protocol: i32) -> Self {
        self
    }
}

/// Whole bytes: all formats but Quake III's. What these share is declared for each of them at once.
pub trait ByteWire: for<'r> Wire<Reader<'r> = ByteReader<'r>, Writer = ByteWriter> {}

/// What the wire types that formats share ask of a dialect. What is not said is as in Quake's protocol 15.
pub trait ByteDialect {
    /// What documentation says of numbers of models and sounds.
    const INDEX: TypeSchema = TypeSchema::new("u8", "integer", "");
    /// What documentation says of the channel and the entity of a sound.
    const SOUND_SOURCE: [TypeSchema; 2] = [
        TypeSchema::new("low 3 bits of a u16", "integer", ""),
        TypeSchema::new("high 13 bits of that u16", "integer", ""),
    ];
    /// How coordinates are written.
    fn coord(&self) -> CoordKind;
    /// How angles are written.
    fn angle(&self) -> AngleKind;
    /// Width of model numbers.
    #[inline(always)]
    fn model_index(&self) -> Width {
        Width::U8
    }
    /// Width of sound numbers in `sound`.
    #[inline(always)]
    fn sound_index(&self) -> Width {
        Width::U8
    }
    /// Width of sound numbers in `spawnstaticsound`.
    #[inline(always)]
    fn static_sound_index(&self) -> Width {
        Width::U8
    }
    /// True when `download` carries data.
    fn download_data(&self) -> bool {
        true
    }
}

/// Width of a number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
}

/// Bytes that read the same in all protocols: headers of blocks, and what stands around messages.
#[derive(Debug, Clone, Copy)]
pub struct PlainBytes;

impl Sealed for PlainBytes {}

impl Wire for PlainBytes {
    type Reader<'a> = ByteReader<'a>;
    type Writer = ByteWriter;
    type Dialect = ();
}

impl ByteWire for PlainBytes {}
