//! Value types that only Quake II's messages have.

mod player;
mod sound;
mod stats;

use crate::format::dm2::{Bytes as Wire, Dialect, EntityMaskKind};
pub use player::{Angles16, Blend, BlendParts, Gun, GunIndex, KmPlayer, PlayerFog, Quarters};
use sound::LOOP_ATTENUATION;
pub use sound::{EntitySound, SoundSource, TimeOffset};
pub use stats::Stats;

use super::directions::DIRECTIONS;
use crate::describe::{
    Alpha, Attenuation, Field, FieldSchema, Fields, Form, MaskedGroup, Mistake, Name, Presence, Sink, TypeSchema,
    WideField, coordinates,
};
use crate::wire::{Angle, AngleKind, ByteReader, ByteWriter, Coord, F32, Fault, FaultKind, Scalar};

coordinates! {
    /// A coordinate of an entity's or a player's origin.
    OriginCoord, |d| d.origin;
    /// A part of the player's velocity.
    VelocityCoord, |d| d.layout.velocity;
}

/// An angle of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityAngle(pub Angle);

impl EntityAngle {
    /// True where a mask bit tells that angles are long.
    #[inline]
    fn short(d: &Dialect, wide: bool) -> bool {
        d.layout.entity_mask == EntityMaskKind::Extended && !wide
    }
}

impl<'a> Field<'a, Wire> for EntityAngle {
    const TYPE: TypeSchema =
        TypeSchema::new("angle; in Q2PRO's extended demos 2 bytes with mask bit 13, else 1", "number", "degrees");
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Angle::read(r, d.angle).map(EntityAngle)
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.0.write(w, d.angle)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, self.0.into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles::<1>(d.angle).map(|[a]| EntityAngle(a))
    }
}

impl<'a> WideField<'a, Wire> for EntityAngle {
    #[inline(always)]
    fn read_wide(r: &mut ByteReader<'a>, d: &Dialect, wide: bool) -> Result<Self, Fault> {
        let kind = if Self::short(d, wide) { AngleKind::I8 } else { d.angle };
        Angle::read(r, kind).map(EntityAngle)
    }
    #[inline]
    fn write_wide(&self, w: &mut ByteWriter, d: &Dialect, wide: bool) -> Result<(), Fault> {
        match (self.0, Self::short(d, wide)) {
            // Degrees in text do not tell how many bytes they take.
            (Angle::I16(v), true) if v & 0xFF == 0 => w.i8((v >> 8) as i8),
            (Angle::I8(v), false) if d.angle == AngleKind::I16 => w.i16(i16::from(v) << 8),
            (angle, true) => return angle.write(w, AngleKind::I8),
            (angle, false) => return angle.write(w, d.angle),
        }
        Ok(())
    }
    /// The mask adds the bit where engines do.
    #[inline]
    fn needs_wide(&self, _: &Dialect) -> bool {
        false
    }
}

/// Fields that some dialects have at another place than others: types of their own, with the name that the field has
/// elsewhere, and with the dialects that are meant.
macro_rules! elsewhere {
    ($($(#[$doc:meta])* $ty:ident($inner:ty) = $name:expr, $has:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty(pub $inner);

        impl $ty {
            const NAME: Name = $name;
        }

        impl<'a> Field<'a, Wire> for $ty {
            const TYPE: TypeSchema =
                <$inner as Field<'static, Wire>>::TYPE.spread(&[($ty::NAME.text, <$inner as Field<'static, Wire>>::TYPE.json)]);
            fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Field::<Wire>::read(r, d).map($ty)
            }
            fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
                Field::<Wire>::write(&self.0, w, d)
            }
            fn show<S: Sink>(&self, _: Name, s: &mut S) {
                Field::<Wire>::show(&self.0, Self::NAME, s);
            }
            fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
                Field::<Wire>::parse(f, Self::NAME, d).map($ty)
            }
            fn given(f: &Fields<'a, '_>, _: Name, d: &Dialect) -> bool {
                let has: fn(&Dialect) -> bool = $has;
                has(d) && f.has(Self::NAME)
            }
        }
    )*};
}
pub(super) use elsewhere;

elsewhere! {
    /// Opacity as KMQuake2 has it: in front of the sound, where others have it at the end.
    AlphaInFront(Alpha) = Name::new("alpha"), |d| d.layout.entity_mask == EntityMaskKind::KmQuake2;
    /// How fast the sound of an entity fades, as KMQuake2 has it.
    LoopAttenuation(Attenuation) = LOOP_ATTENUATION, |d| d.layout.entity_mask == EntityMaskKind::KmQuake2;
}

/// Numbers that are short in most protocols, and long in the others.
macro_rules! by_dialect {
    ($($(#[$doc:meta])* $ty:ident($inner:ident): $short:ident, $max:literal, $wire:literal, $long:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty(pub $inner);

        impl<'a> Field<'a, Wire> for $ty {
            const TYPE: TypeSchema = TypeSchema::new($wire, "integer", "");
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
                let long: fn(&Dialect) -> bool = $long;
                Ok($ty(if long(d) { r.$inner()? } else { $inner::from(r.$short()?) }))
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
                let long: fn(&Dialect) -> bool = $long;
                match (long(d), $short::try_from(self.0)) {
                    (true, _) => w.$inner(self.0),
                    (false, Ok(v)) => w.$short(v),
                    (false, Err(_)) => return Err(Fault::unwritable("a number that this protocol has no room for")),
                }
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, Scalar::Int(i64::from(self.0)));
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                let long: fn(&Dialect) -> bool = $long;
                // LMPC writes some unsigned numbers with a sign.
                match f.take(name)?.int(-$max, i64::from($inner::MAX))? {
                    v @ 0.. => Ok($ty(v as $inner)),
                    v if long(d) => Ok($ty(v as $inner)),
                    v => Ok($ty($inner::from(v as $short))),
                }
            }
        }
    )*};
}

by_dialect! {
    /// The box of an entity.
    Solid(u32): u16, 32_768, "u16; u32 in Q2PRO's extended demos and the re-release", |d| d.layout.long_solid;
    /// Time or flags of a player's movement.
    Movement(u16): u8, 128, "u8; u16 in Q2PRO's extended demos and the re-release", |d| d.layout.long_movement;
}

/// A direction by its number, 0 to 161; shown as a unit vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Direction(pub u8);

impl Direction {
    /// The unit vector.
    pub fn vector(self) -> Option<[f32; 3]> {
        DIRECTIONS.get(usize::from(self.0)).copied()
    }
}

impl<'a> Field<'a, Wire> for Direction {
    const TYPE: TypeSchema = TypeSchema::new("u8, one of 162 directions", "number[3]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let at = r.pos();
        let direction = Direction(r.u8()?);
        match direction.vector() {
            Some(_) => Ok(direction),
            None => Err(Fault::new(FaultKind::Malformed("a direction beyond the 162 that there are"), at)),
        }
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if self.vector().is_none() {
            return Err(Fault::unwritable("a direction beyond the 162 that there are"));
        }
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let vector = self.vector().unwrap_or_default();
        s.values(name, &vector.map(|v| Scalar::Float(F32::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let wanted = f.take(name)?.floats::<3>()?.map(F32::get);
        // The one nearest to it, as the engine writes directions.
        let near = |v: &[f32; 3]| v.iter().zip(&wanted).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let mut best = (0, f64::NEG_INFINITY);
        for (n, vector) in DIRECTIONS.iter().enumerate() {
            let product = near(vector);
            if product > best.1 {
                best = (n, product);
            }
        }
        Ok(Direction(best.0 as u8))
    }
}

/// Bytes behind their number: areas, connected clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByteList(pub Vec<u8>);

impl<'a> Field<'a, Wire> for ByteList {
    const TYPE: TypeSchema = TypeSchema::new("u8 count, u8[count]", "integer[]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let count = r.u8()?;
        r.bytes(usize::from(count)).map(|b| ByteList(b.to_vec()))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(u8::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 255 bytes in a list"))?);
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(ByteList)
    }
}

/// What the player carries: 256 numbers by item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Items(pub Box<[i16; 256]>);

impl Default for Items {
    fn default() -> Self {
        Items(Box::new([0; 256]))
    }
}

impl<'a> Field<'a, Wire> for Items {
    const TYPE: TypeSchema = TypeSchema::new("i16[256]", "integer[256]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = Box::new([0; 256]);
        for v in all.iter_mut() {
            *v = r.i16()?;
        }
        Ok(Items(all))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let all: Vec<_> = self.0.iter().map(|v| Scalar::Int(i64::from(*v))).collect();
        s.values(name, &all);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.ints(-32_768, 65_535)?;
        let mut all = Box::new([0; 256]);
        if values.len() != all.len() {
            return Err(f.mistake("an inventory has 256 numbers"));
        }
        for (slot, v) in all.iter_mut().zip(values) {
            *slot = v as i16;
        }
        Ok(Items(all))
    }
}

/// The type of a temporary entity, and for steam the number that chains its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EffectType {
    /// The type.
    pub entitytype: u8,
    /// Steam: -1 for a piece of its own.
    pub nextid: Option<i16>,
}

impl EffectType {
    pub(super) const STEAM: u8 = 40;
    const TYPE_NAME: Name = Name::new("entitytype");
    const NEXTID: Name = Name::new("nextid");
}

impl<'a> Field<'a, Wire> for EffectType {
    const TYPE: TypeSchema =
        TypeSchema::new("u8, with 40: i16", "", "").spread(&[("entitytype", "integer"), ("nextid", "integer")]);
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let entitytype = r.u8()?;
        Ok(EffectType { entitytype, nextid: if entitytype == Self::STEAM { Some(r.i16()?) } else { None } })
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if self.nextid.is_some() != (self.entitytype == Self::STEAM) {
            return Err(Fault::unwritable("nextid belongs to steam, type 40"));
        }
        w.u8(self.entitytype);
        if let Some(v) = self.nextid {
            w.i16(v);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::TYPE_NAME, Scalar::Int(i64::from(self.entitytype)));
        if let Some(v) = self.nextid {
            s.value(Self::NEXTID, Scalar::Int(i64::from(v)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let entitytype = f.take(Self::TYPE_NAME)?.int(0, 255)? as u8;
        let nextid = if f.has(Self::NEXTID) { Some(f.take(Self::NEXTID)?.int(-32_768, 65_535)? as i16) } else { None };
        Ok(EffectType { entitytype, nextid })
    }
}

/// Which masked number a [`Sized32`] is.
pub trait SizedNumber {
    /// Mask bits: one byte, two bytes; both: four bytes.
    const BITS: (u8, u8);
    /// The name; LMPC splits the skin in two.
    const NAME: Name;
    /// What it means.
    const DOC: &'static str;
    /// From here on engines write four bytes.
    const LONG: u32;
    /// LMPC's second name, for what is above the lowest byte.
    const HIGH: Option<Name>;
    /// How text says that more bytes were used than needed.
    const BYTES: Name;
}

/// A number of one, two or four bytes by two mask bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sized32<N> {
    /// The number; 0 when it was not sent.
    value: u32,
    /// Bytes that it takes; 0 when it was not sent.
    bytes: u8,
    which: std::marker::PhantomData<N>,
}

impl<N> Default for Sized32<N> {
    fn default() -> Self {
        Sized32 { value: 0, bytes: 0, which: std::marker::PhantomData }
    }
}

impl<N: SizedNumber> Sized32<N> {
    /// A number in as many bytes as engines use.
    pub fn of(value: u32) -> Self {
        let bytes = match value {
            0..=255 => 1,
            v if v < N::LONG => 2,
            _ => 4,
        };
        Sized32 { value, bytes, which: std::marker::PhantomData }
    }

    /// Bytes that it takes; 0 when it was not sent.
    pub fn bytes(&self) -> u8 {
        self.bytes
    }

    /// The number, when it was sent.
    pub fn value(&self) -> Option<u32> {
        (self.bytes != 0).then_some(self.value)
    }
}

impl<'a, N: SizedNumber> MaskedGroup<'a, Wire> for Sized32<N> {
    const BITS: u64 = 1 << N::BITS.0 | 1 << N::BITS.1;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: N::NAME.text,
            lmpc: N::NAME.lmpc,
            doc: N::DOC,
            ty: TypeSchema::new("u8, u16 or u32", "integer", ""),
            presence: Presence::Bit(N::BITS.0),
        },
        FieldSchema::ours(
            N::BYTES.text,
            TypeSchema::new("which of two mask bits", "integer", ""),
            Presence::Bit(N::BITS.1),
            "Bytes of it, when there are more than needed.",
        ),
    ];
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        let (value, bytes) = match (mask >> N::BITS.0 & 1, mask >> N::BITS.1 & 1) {
            (0, 0) => return Ok(Self::default()),
            (1, 0) => (u32::from(r.u8()?), 1),
            (0, _) => (u32::from(r.u16()?), 2),
            _ => (r.u32()?, 4),
        };
        Ok(Sized32 { value, bytes, which: std::marker::PhantomData })
    }
    #[inline]
    fn bits(&self) -> u64 {
        match self.bytes {
            0 => 0,
            1 => 1 << N::BITS.0,
            2 => 1 << N::BITS.1,
            _ => <Self as MaskedGroup<'a, Wire>>::BITS,
        }
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        match (self.value, self.bytes) {
            (_, 0) => {}
            (v @ 0..=0xFF, 1) => w.u8(v as u8),
            (v @ 0..=0xFFFF, 2) => w.u16(v as u16),
            (v, 4) => w.u32(v),
            _ => return Err(Fault::unwritable("a number in fewer bytes than it needs")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(value) = self.value() else { return };
        // LMPC takes four bytes from this number on, and counts with a sign.
        const LONG_FOR_LMPC: u32 = 0x8000;
        if (LONG_FOR_LMPC..N::LONG).contains(&value) || i32::try_from(value).is_err() {
            s.foreign();
        }
        if let (Some(high), Form::Lmpc) = (N::HIGH, s.form()) {
            s.value(N::NAME, Scalar::Int(i64::from(value & 0xFF)));
            if value >> 8 != 0 {
                s.value(high, Scalar::Int(i64::from(value >> 8)));
            }
        } else {
            s.value(N::NAME, Scalar::Int(i64::from(value)));
        }
        if self.bytes != Self::of(value).bytes {
            s.value(N::BYTES, Scalar::Int(i64::from(self.bytes)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(N::NAME) {
            return Ok(Self::default());
        }
        let mut value = f.take(N::NAME)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32;
        if let Some(high) = N::HIGH.filter(|high| f.has(*high)) {
            value = value & 0xFF | (f.take(high)?.int(0, 0x00FF_FFFF)? as u32) << 8;
        }
        let mut it = Self::of(value);
        if f.has(N::BYTES) {
            it.bytes = match f.take(N::BYTES)?.int(1, 4)? {
                3 => return Err(f.mistake("a number takes 1, 2 or 4 bytes")),
                n => n as u8,
            };
        }
        Ok(it)
    }
}
