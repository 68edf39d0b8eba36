//! Entity deltas.

use super::dialect::{Bytes as Wire, Dialect};
use super::values::EntityCoord;
use crate::describe::{
    Field, FieldSchema, Fields, Interleaved, Mask, MaskedGroup, Mistake, Name, NamedAxes, Presence, Sink, Table,
    TypeSchema, field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, masked,
    message, name_of,
};
use crate::wire::{Angle, ByteReader, ByteWriter, Fault, Scalar};

/// An entity's number, in the mask itself: nine bits, and FTE's two bits for 512 and 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntityNumber(pub u16);

const LOW: u64 = 0x1FF;
const PLUS_512: u64 = 1 << 29;
const PLUS_1024: u64 = 1 << 30;

impl<'a> MaskedGroup<'a, Wire> for EntityNumber {
    const BITS: u64 = LOW | PLUS_512 | PLUS_1024;
    const FIELDS: &'static [FieldSchema] = &[FieldSchema::new(
        "entity",
        TypeSchema::new("mask bits 0 to 8 (with FTE's extensions bits 29 and 30 for 512 and 1024)", "integer", ""),
        Presence::Always,
        "Entity number.",
    )];
    #[inline(always)]
    fn read(_: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(EntityNumber((mask & LOW) as u16 | ((mask >> 29 & 3) as u16 * 512)))
    }
    #[inline]
    fn bits(&self) -> u64 {
        u64::from(self.0) & LOW | (u64::from(self.0) >> 9 & 3) << 29
    }
    fn write(&self, _: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        s.value(Name::new("entity"), Scalar::Int(i64::from(self.0)));
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        f.take(Name::new("entity"))?.int(0, 2047).map(|v| EntityNumber(v as u16))
    }
}

/// A model number: a byte, with FTE's MODELDBL 256 more, or two bytes where only that bit is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntityModel {
    /// The number, when it was sent.
    pub index: Option<u16>,
    /// Sent in two bytes.
    pub long: bool,
}

const MODEL: u64 = 1 << 18;
const MODEL_DOUBLE: u64 = 1 << 27;
const MODELINDEX: Name = Name::new("modelindex");
const LONG: Name = Name::with("long_modelindex", "");

impl<'a> MaskedGroup<'a, Wire> for EntityModel {
    const BITS: u64 = MODEL | MODEL_DOUBLE;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema::new(
            "modelindex",
            TypeSchema::new("u8 (with FTE's extensions bit 27 adds 256)", "integer", ""),
            Presence::Bit(18),
            "Model number.",
        ),
        FieldSchema::ours(
            "long_modelindex",
            TypeSchema::new("bit", "boolean", ""),
            Presence::Flag(27),
            "The model number takes two bytes: bit 27 without bit 18.",
        ),
    ];
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        Ok(match (mask & MODEL != 0, mask & MODEL_DOUBLE != 0) {
            (false, false) => EntityModel::default(),
            (true, double) => EntityModel { index: Some(u16::from(r.u8()?) + 256 * u16::from(double)), long: false },
            (false, true) => EntityModel { index: Some(r.u16()?), long: true },
        })
    }
    #[inline]
    fn bits(&self) -> u64 {
        match self.index {
            None => 0,
            Some(_) if self.long => MODEL_DOUBLE,
            Some(0..=255) => MODEL,
            Some(_) => MODEL | MODEL_DOUBLE,
        }
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        match self.index {
            None => {}
            Some(v) if self.long => w.u16(v),
            Some(v @ 0..=511) => w.u8(v as u8),
            Some(_) => return Err(Fault::unwritable("a model number above 511 needs long_modelindex")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        if let Some(v) = self.index {
            s.index(MODELINDEX, u32::from(v), Table::Models);
            if self.long {
                s.flag(LONG);
            }
        }
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(MODELINDEX) {
            return Ok(EntityModel::default());
        }
        let index = Some(f.take(MODELINDEX)?.int(0, 65_535)? as u16);
        Ok(EntityModel { index, long: f.flag(LONG)? })
    }
}

/// Red, green and blue, a byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

impl<'a> Field<'a, Wire> for Rgb {
    const TYPE: TypeSchema = TypeSchema::new("u8[3]", "integer[3]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Rgb([r.u8()?, r.u8()?, r.u8()?]))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(|v| Scalar::Int(i64::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        match f.take(name)?.bytes()?[..] {
            [r, g, b] => Ok(Rgb([r, g, b])),
            _ => Err(f.mistake("a colour is three numbers: red, green, blue")),
        }
    }
}

/// Names and bits of an entity's origin and angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityAxes;

impl NamedAxes for EntityAxes {
    const BITS: [[u8; 3]; 2] = [[9, 10, 11], [16, 12, 17]];
    const NAMES: [[Name; 3]; 2] = [
        [Name::new("origin_x"), Name::new("origin_y"), Name::new("origin_z")],
        [Name::new("angles_1"), Name::new("angles_2"), Name::new("angles_3")],
    ];
    const FIELDS: &'static [FieldSchema] = &crate::format::dem::axes::<Self>(
        ["Origin.", "Angle (pitch, yaw, roll)."],
        [<EntityCoord as Field<Wire>>::TYPE, <Angle as Field<Wire>>::TYPE],
    );
}

/// The mask of an entity delta: two bytes with the number in them, then up to three more. `WITH_ID` for a message of
/// its own, with a message number in front.
pub(super) struct EntityMask<const WITH_ID: bool>;

const REMOVE: u64 = 1 << 14;
pub(super) const MORE: u64 = 1 << 15;
const EVEN_MORE: u64 = 1 << 23;
const YET_MORE: u64 = 1 << 31;
/// Bits with a meaning: flags of the word, of the low byte, FTE's alpha, model and numbers, FTE's colour.
const PLAIN: u64 = LOW | 0x7E00 | 0x7F_0000;
const FTE: u64 = 1 << 25 | MODEL_DOUBLE | PLUS_512 | PLUS_1024 | 1 << 34;

impl<const WITH_ID: bool> Mask<Dialect> for EntityMask<WITH_ID> {
    const HOLDS_ID: bool = !WITH_ID;

    #[inline(always)]
    fn read(_: u8, r: &mut ByteReader<'_>, d: &Dialect) -> Result<u64, Fault> {
        let mut mask = u64::from(r.u16()?);
        let fte = d.entity_bytes;
        // Without extensions nothing at all follows a removal.
        if mask & MORE != 0 && (fte || mask & REMOVE == 0) {
            mask |= u64::from(r.u8()?) << 16;
            if fte && mask & EVEN_MORE != 0 {
                mask |= u64::from(r.u8()?) << 24;
                if mask & YET_MORE != 0 {
                    mask |= u64::from(r.u8()?) << 32;
                }
            }
        }
        Ok(mask)
    }
    #[inline]
    fn write(_: u8, mask: u64, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let fte = d.entity_bytes;
        let bytes = match mask {
            _ if mask & MORE == 0 || !fte && mask & REMOVE != 0 => 2,
            _ if mask & EVEN_MORE == 0 || !fte => 3,
            _ if mask & YET_MORE == 0 => 4,
            _ => 5,
        };
        if mask >> (8 * bytes) != 0 {
            return Err(Fault::unwritable("a mask bit without a mask byte to carry it"));
        }
        w.bytes(&mask.to_le_bytes()[..bytes]);
        Ok(())
    }
    #[inline]
    fn present(mask: u64, d: &Dialect) -> u64 {
        let known = if d.entity_bytes { PLAIN | FTE } else { PLAIN };
        // A removed entity has its number and nothing else.
        if mask & REMOVE != 0 {
            mask & known & (<EntityNumber as MaskedGroup<Wire>>::BITS | REMOVE)
        } else {
            mask & known
        }
    }
    #[inline]
    fn canon(bits: u64, _: &Dialect) -> u64 {
        let bits = if bits >> 32 != 0 { bits | YET_MORE } else { bits };
        let bits = if bits >> 24 != 0 { bits | EVEN_MORE } else { bits };
        if bits >> 16 != 0 { bits | MORE } else { bits }
    }
}

/// The fields of an entity delta; the messages differ in name and in what is in front of the mask.
macro_rules! entity_delta {
    ($doc:literal, $ty:ident = $text:literal $(as $lmpc:literal)?, $mask:ty) => {
        masked! {
            #[doc = $doc]
            pub struct $ty = $text $(as $lmpc)?, mask $mask {
                /// Entity number.
                entity: EntityNumber, group;
                /// The entity is gone.
                remove: (), flag 14;
                /// Model number.
                model: EntityModel, group;
                /// Frame of the model.
                frame: u8, bit 13;
                /// 0 none, n: the colours of player n - 1.
                colormap: u8, bit 19;
                /// Skin of the model.
                skin: u8, bit 20;
                /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light, 16 and 32 flags, 64 blue, 128 red.
                effects: u8, bit 21;
                /// Origin and angles.
                place: Interleaved<EntityCoord, Angle, EntityAxes>, group;
                /// A hint for prediction: the entity is solid.
                solid as "": (), flag 22;
                /// Opacity. (FTE)
                alpha as "": u8, bit 25;
                /// Red, green and blue. (FTE)
                colormod as "": Rgb, bit 34;
            }
        }
    };
}

entity_delta! {
    "An entity in a packet, as the difference to its baseline, or to an earlier packet.",
    PacketEntity = "packetentity", EntityMask<false>
}
entity_delta! {
    "An entity that never changes, with FTE's additions.",
    FteSpawnStatic2 = "fte_spawnstatic2" as "", EntityMask<true>
}
entity_delta! {
    "The base state of an entity, with FTE's additions.",
    FteSpawnBaseline2 = "fte_spawnbaseline2" as "", EntityMask<true>
}

impl PacketEntity {
    /// An entity that is just there.
    pub fn of(entity: u16) -> Self {
        PacketEntity { entity: EntityNumber(entity), ..Self::default() }
    }
}
