//! What states of players have.

use crate::describe::{
    Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema, field_bits, field_parse,
    field_read, field_schema, field_show, field_type, field_write, name_of, rare,
};
use crate::format::dm2::values::Blend;
use crate::format::dm2::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, F32, Fault, Scalar};

rare! {
    /// The view, told more precisely than elsewhere.
    pub struct PreciseView {
        /// Added to the angles of commands, in the re-release.
        delta_angles: PreciseAngles, bit 33;
        /// Eyes above the origin, without their height; and that, in the re-release.
        viewoffset: PreciseViewOffset, bit 34;
        /// View, in the re-release.
        viewangles: PreciseAngles, bit 35;
        /// Kick of the view, in the re-release.
        kick_angles: PreciseKick, bit 36;
    }
}

rare! {
    /// What stands at the end of a player's state.
    pub struct FinalView {
        /// Colour of the edge of the screen, in the re-release.
        damage_blend as "": Blend, bit 40;
        /// Team, in the re-release.
        team_id as "": u8, bit 41;
    }
}

/// Three angles in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreciseAngles(pub [F32; 3]);

impl<'a> Field<'a, Wire> for PreciseAngles {
    const TYPE: TypeSchema = TypeSchema::new("f32[3]", "number[3]", "degrees");
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok(PreciseAngles([Field::<Wire>::read(r, d)?, Field::<Wire>::read(r, d)?, Field::<Wire>::read(r, d)?]))
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.0.iter().try_for_each(|v| Field::<Wire>::write(v, w, d))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::FloatUnits));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.floats::<3>().map(PreciseAngles)
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &Dialect) -> bool {
        d.layout.rerelease && f.has(name)
    }
}

/// Shorts that stand for fractions, out of the numbers of a statement.
fn fractions(f: &mut Fields<'_, '_>, name: Name, per_unit: f64) -> Result<[i16; 3], Mistake> {
    let values = f.take(name)?.floats::<3>()?.map(|v| (f64::from(v.get()) * per_unit).round());
    if values.iter().any(|v| !(-32_768.0..=32_767.0).contains(v)) {
        return Err(f.mistake(format!("{} is out of the range of this protocol", name.text)));
    }
    Ok(values.map(|v| v as i16))
}

/// The eyes above the origin: three shorts in sixteenths of a unit, and their height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreciseViewOffset {
    /// Sixteenths of a unit.
    pub offset: [i16; 3],
    /// Height of the eyes, to which the offset is added.
    pub viewheight: i8,
}

impl PreciseViewOffset {
    const VIEWHEIGHT: Name = Name::with("viewheight", "");
    const PER_UNIT: f64 = 16.0;

    /// The eyes above the origin, in units.
    pub fn eyes(&self) -> [f32; 3] {
        let mut eyes = self.offset.map(|v| (f64::from(v) / Self::PER_UNIT) as f32);
        eyes[2] += f32::from(self.viewheight);
        eyes
    }
}

impl<'a> Field<'a, Wire> for PreciseViewOffset {
    const TYPE: TypeSchema = TypeSchema::new("i16/16 [3], i8", "", "units")
        .spread(&[("viewoffset", "number[3]"), ("viewheight", "integer")]);
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(PreciseViewOffset { offset: [r.i16()?, r.i16()?, r.i16()?], viewheight: r.i8()? })
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.offset.iter().for_each(|v| w.i16(*v));
        w.i8(self.viewheight);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.offset.map(|v| Scalar::Binary(i32::from(v), 4)));
        s.value(Self::VIEWHEIGHT, Scalar::Int(i64::from(self.viewheight)));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let offset = fractions(f, name, Self::PER_UNIT)?;
        Ok(PreciseViewOffset { offset, viewheight: f.take(Self::VIEWHEIGHT)?.int(-128, 127)? as i8 })
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &Dialect) -> bool {
        d.layout.rerelease && f.has(name)
    }
}

/// The kick of the view: three shorts in 1024ths of a degree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreciseKick(pub [i16; 3]);

impl PreciseKick {
    const PER_DEGREE: f64 = 1024.0;

    /// The angles in degrees.
    pub fn degrees(&self) -> [f32; 3] {
        self.0.map(|v| (f64::from(v) / Self::PER_DEGREE) as f32)
    }
}

impl<'a> Field<'a, Wire> for PreciseKick {
    const TYPE: TypeSchema = TypeSchema::new("i16/1024 [3]", "number[3]", "degrees");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(PreciseKick([r.i16()?, r.i16()?, r.i16()?]))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.degrees().map(Scalar::Near));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        fractions(f, name, Self::PER_DEGREE).map(PreciseKick)
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &Dialect) -> bool {
        d.layout.rerelease && f.has(name)
    }
}

/// The weapon in view: its frame, and what of its place and direction is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreciseGun {
    /// Frame of the weapon, 0 to 511.
    pub frame: u16,
    /// The rest.
    pub parts: GunParts,
}

rare! {
    /// Place and direction of the weapon in view. The mask stands above its frame.
    pub struct GunParts {
        /// Place of the weapon against the eyes, x, in the re-release.
        gunoffset_x as "": F32, bit 9;
        /// The same, y.
        gunoffset_y as "": F32, bit 10;
        /// The same, z.
        gunoffset_z as "": F32, bit 11;
        /// Direction of the weapon against the view: pitch, in degrees, in the re-release.
        gunangles_1 as "": F32, bit 12;
        /// The same, yaw.
        gunangles_2 as "": F32, bit 13;
        /// The same, roll.
        gunangles_3 as "": F32, bit 14;
        /// Frames of the weapon a second, in the re-release; 0 for 10.
        gunrate as "": u8, bit 15;
    }
}

impl PreciseGun {
    const FRAME: Name = Name::new("gunframe");
    const LAST_FRAME: u16 = 0x1FF;
    const BIT: u64 = 1 << 37;
}

impl<'a> MaskedGroup<'a, Wire> for Option<Box<PreciseGun>> {
    const BITS: u64 = PreciseGun::BIT;
    const FIELDS: &'static [FieldSchema] = {
        const PARTS: &[FieldSchema] = GunParts::FIELDS;
        &[
            FieldSchema {
                name: PreciseGun::FRAME.text,
                lmpc: None,
                doc: "Frame of the weapon, in the re-release: bits 0 to 8. The others are the mask of those that follow.",
                ty: TypeSchema::new("u16, 9 bits", "integer", ""),
                presence: Presence::Bit(37),
            },
            // Their mask is that of the word.
            FieldSchema { presence: Presence::Selected, ..PARTS[0] },
            FieldSchema { presence: Presence::Selected, ..PARTS[1] },
            FieldSchema { presence: Presence::Selected, ..PARTS[2] },
            FieldSchema { presence: Presence::Selected, ..PARTS[3] },
            FieldSchema { presence: Presence::Selected, ..PARTS[4] },
            FieldSchema { presence: Presence::Selected, ..PARTS[5] },
            FieldSchema { presence: Presence::Selected, ..PARTS[6] },
        ]
    };
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & PreciseGun::BIT == 0 {
            return Ok(None);
        }
        let word = r.u16()?;
        let parts = GunParts::read(r, d, u64::from(word))?;
        Ok(Some(Box::new(PreciseGun { frame: word & PreciseGun::LAST_FRAME, parts })))
    }
    #[inline]
    fn bits(&self) -> u64 {
        if self.is_some() { PreciseGun::BIT } else { 0 }
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let Some(gun) = self else { return Ok(()) };
        if gun.frame > PreciseGun::LAST_FRAME {
            return Err(Fault::unwritable("a frame of the weapon above 511"));
        }
        w.u16(gun.frame | gun.parts.bits() as u16);
        gun.parts.write(w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(gun) = self else { return };
        s.value(PreciseGun::FRAME, Scalar::Int(i64::from(gun.frame)));
        gun.parts.show(s);
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        if !d.layout.rerelease || !f.has(PreciseGun::FRAME) {
            return Ok(None);
        }
        let frame = f.take(PreciseGun::FRAME)?.int(0, i64::from(PreciseGun::LAST_FRAME))? as u16;
        Ok(Some(Box::new(PreciseGun { frame, parts: GunParts::parse(f, d)? })))
    }
}
