//! Fog of the level: what of it changes.

use crate::describe::{
    Alpha, Field, Fields, Mask, Mistake, Name, Sink, TypeSchema, field_bits, field_parse, field_read, field_schema,
    field_show, field_type, field_write, masked, message, name_of,
};
use crate::format::dm2::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, F32, Fault, Scalar};

masked! {
    /// The fog changes.
    pub struct FogChange = "fog_change" as "", mask FogMask {
        /// How dense it is, and how much of the sky it hides.
        density as "": FogDensity, bit 0;
        /// Red.
        red as "": u8, bit 1;
        /// Green.
        green as "": u8, bit 2;
        /// Blue.
        blue as "": u8, bit 3;
        /// Time that the change takes, in ms; at once when absent.
        time as "": u16, bit 4;
        /// How fast the fog that depends on height thins out with it.
        height_falloff as "": F32, bit 5;
        /// How dense that one is.
        height_density as "": F32, bit 6;
        /// Its red at its start.
        start_red as "": u8, bit 8;
        /// Its green at its start.
        start_green as "": u8, bit 9;
        /// Its blue at its start.
        start_blue as "": u8, bit 10;
        /// Height of its start.
        start_height as "": i32, bit 11;
        /// Its red at its end.
        end_red as "": u8, bit 12;
        /// Its green at its end.
        end_green as "": u8, bit 13;
        /// Its blue at its end.
        end_blue as "": u8, bit 14;
        /// Height of its end.
        end_height as "": i32, bit 15;
    }
}

impl FogChange {
    /// Takes over what a later change says.
    pub fn merge(&mut self, later: &FogChange) {
        macro_rules! take_over {
            ($($field:ident)*) => { $(self.$field = later.$field.or(self.$field);)* };
        }
        take_over!(
            density red green blue time height_falloff height_density start_red start_green start_blue start_height
            end_red end_green end_blue end_height
        );
    }
}

/// The mask of `fog_change`: one byte or two.
pub(super) struct FogMask;

/// Announces the second byte.
const MORE: u64 = 1 << 7;

impl Mask<Dialect> for FogMask {
    fn read(_: u8, r: &mut ByteReader<'_>, _: &Dialect) -> Result<u64, Fault> {
        let mask = u64::from(r.u8()?);
        Ok(if mask & MORE != 0 { mask | u64::from(r.u8()?) << 8 } else { mask })
    }
    fn write(_: u8, mask: u64, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        match (mask >> 8, mask & MORE != 0) {
            (0, false) => w.u8(mask as u8),
            (0..=0xFF, true) => w.u16(mask as u16),
            _ => return Err(Fault::unwritable("a mask bit above those that the mask has room for")),
        }
        Ok(())
    }
    fn present(mask: u64, _: &Dialect) -> u64 {
        mask & !MORE
    }
    fn canon(bits: u64, _: &Dialect) -> u64 {
        if bits >> 8 != 0 { bits | MORE } else { bits }
    }
}

/// How dense fog is, and how much of the sky it hides: they come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FogDensity {
    /// How dense it is.
    pub density: F32,
    /// How much of the sky it hides.
    pub sky_factor: Alpha,
}

impl FogDensity {
    const SKY_FACTOR: Name = Name::with("sky_factor", "");
}

impl<'a> Field<'a, Wire> for FogDensity {
    const TYPE: TypeSchema =
        TypeSchema::new("f32, u8/255", "", "").spread(&[("density", "number"), ("sky_factor", "number")]);
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(FogDensity { density: Field::<Wire>::read(r, d)?, sky_factor: Field::<Wire>::read(r, d)? })
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        Field::<Wire>::write(&self.density, w, d)?;
        Field::<Wire>::write(&self.sky_factor, w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        Field::<Wire>::show(&self.density, name, s);
        Field::<Wire>::show(&self.sky_factor, Self::SKY_FACTOR, s);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        Ok(FogDensity {
            density: Field::<Wire>::parse(f, name, d)?,
            sky_factor: Field::<Wire>::parse(f, Self::SKY_FACTOR, d)?,
        })
    }
}
