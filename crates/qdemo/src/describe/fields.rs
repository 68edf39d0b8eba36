//! The wire types that several formats share, as [`Field`]s.

use std::borrow::Cow;

use super::{Bits, Bytes, Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Sink, Table, TypeSchema, WideField};
use crate::dialect::{Dialect, Width, quake3};
use crate::wire::{Angle, BitReader, BitWriter, Coord, F32, Fault, Reader, Scalar, Str, StrList, Writer};

macro_rules! integers {
    ($($ty:ident $min:expr, $max:expr;)*) => {$(
        impl<'a> Field<'a> for $ty {
            const TYPE: TypeSchema = TypeSchema::new(stringify!($ty), "integer", "");
            #[inline(always)]
            fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
                r.$ty()
            }
            #[inline]
            fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
                w.$ty(*self);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, Scalar::Int(i64::from(*self)));
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
                // LMPC writes some unsigned numbers with a sign; `as` gives the bits either way.
                f.take(name)?.int($min, $max).map(|v| v as $ty)
            }
        }

        impl<'a> Field<'a, Bits> for $ty {
            const TYPE: TypeSchema = <$ty as Field<'a, Bytes>>::TYPE;
            #[inline(always)]
            fn read(r: &mut BitReader<'a>, _: &quake3::Dialect) -> Result<Self, Fault> {
                r.$ty()
            }
            #[inline]
            fn write(&self, w: &mut BitWriter, _: &quake3::Dialect) -> Result<(), Fault> {
                w.$ty(*self);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                <$ty as Field<'a, Bytes>>::show(self, name, s);
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &quake3::Dialect) -> Result<Self, Mistake> {
                f.take(name)?.int($min, $max).map(|v| v as $ty)
            }
        }
    )*};
}

integers! {
    u8 -128, 255;
    i8 -128, 127;
    u16 -32768, 65535;
    i16 -32768, 32767;
    u32 -2_147_483_648, 4_294_967_295;
    i32 -2_147_483_648, 2_147_483_647;
}

/// Numbers on the wire that stand for a fraction: the struct holds the wire value, text shows the fraction.
macro_rules! fractions {
    ($($(#[$doc:meta])* $name:ident($ty:ident), $per:literal per unit, $wire:literal, $unit:literal, $shown:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub $ty);

        impl $name {
            /// The value in its unit.
            pub fn get(self) -> f32 {
                (f64::from(self.0) / $per) as f32
            }
        }

        impl<'a> Field<'a> for $name {
            const TYPE: TypeSchema = TypeSchema::new($wire, "number", $unit);
            #[inline(always)]
            fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
                r.$ty().map($name)
            }
            #[inline]
            fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
                w.$ty(self.0);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, self.scalar());
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
                Self::from_number(f.take(name)?.number()?).ok_or_else(|| {
                    f.mistake(concat!("a number beyond the range of ", $wire))
                })
            }
        }

        impl $name {
            #[inline]
            fn scalar(self) -> Scalar {
                let shown: fn($name) -> Scalar = $shown;
                shown(self)
            }

            fn from_number(v: f64) -> Option<Self> {
                let v = (v * $per).round();
                (f64::from($ty::MIN)..=f64::from($ty::MAX)).contains(&v).then_some($name(v as $ty))
            }
        }
    )*};
}

fractions! {
    /// Loudness: 0 silent, 255 full.
    Volume(u8), 255.0 per unit, "u8/255", "0..1", |v| Scalar::Near(v.get());
    /// How fast a sound fades with distance, in 64ths: 0 everywhere, 1 normal, 2 idle, 3 static.
    Attenuation(u8), 64.0 per unit, "u8/64", "", |v| Scalar::Binary(i32::from(v.0), 6);
    /// Opacity: 0 not to be seen, 255 solid.
    Alpha(u8), 255.0 per unit, "u8/255", "0..1", |v| Scalar::Near(v.get());
    /// Size against the usual one, in 16ths.
    Scale(u8), 16.0 per unit, "u8/16", "", |v| Scalar::Binary(i32::from(v.0), 4);
    /// A share of something, in two bytes.
    Share16(u16), 65535.0 per unit, "u16/65535", "0..1", |v| Scalar::Near(v.get());
    /// A particle's velocity in 16ths of a unit per tick.
    Velocity16(i8), 16.0 per unit, "i8/16", "units", |v| Scalar::Binary(i32::from(v.0), 4);
    /// A signed byte that text shows as a float (view height in units, kick in degrees, velocity in 16 units/s).
    SignedByte(i8), 1.0 per unit, "i8", "", |v| Scalar::Binary(i32::from(v.0), 0);
}

/// Three velocities.
impl<'a> Field<'a> for [Velocity16; 3] {
    const TYPE: TypeSchema = TypeSchema::new("i8/16[3]", "number[3]", "units");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok([Field::read(r, d)?, Field::read(r, d)?, Field::read(r, d)?])
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|v| v.write(w, d))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Velocity16::scalar));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let v = f.take(name)?.floats::<3>()?;
        let mut out = [Velocity16(0); 3];
        for (slot, v) in out.iter_mut().zip(v) {
            *slot = Velocity16::from_number(f64::from(v.get()))
                .ok_or_else(|| f.mistake("a velocity beyond -8 to 7.9375"))?;
        }
        Ok(out)
    }
}

impl<'a> Field<'a> for F32 {
    const TYPE: TypeSchema = TypeSchema::new("f32", "number", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u32().map(F32::from_bits)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u32(self.bits());
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Float(*self));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.float()
    }
}

/// A moment on the server's clock, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub F32);

impl<'a> Field<'a> for Seconds {
    const TYPE: TypeSchema = TypeSchema::new("f32", "number", "s");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        F32::read(r, d).map(Seconds)
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.0.write(w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Seconds(self.0));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.seconds().map(Seconds)
    }
}

impl<'a> Field<'a> for Coord {
    const TYPE: TypeSchema = TypeSchema::new("coord", "number", "units");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Coord::read(r, d.coord)
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        Coord::write(*self, w, d.coord)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, (*self).into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.coords::<1>(d.coord).map(|[c]| c)
    }
}

impl<'a> Field<'a> for [Coord; 3] {
    const TYPE: TypeSchema = TypeSchema::new("coord[3]", "number[3]", "units");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok([Coord::read(r, d.coord)?, Coord::read(r, d.coord)?, Coord::read(r, d.coord)?])
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|c| Coord::write(*c, w, d.coord))
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Scalar::from));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.coords(d.coord)
    }
}

impl<'a> Field<'a> for Angle {
    const TYPE: TypeSchema = TypeSchema::new("angle", "number", "degrees");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Angle::read(r, d.angle)
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        Angle::write(*self, w, d.angle)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, (*self).into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles::<1>(d.angle).map(|[a]| a)
    }
}

impl<'a> Field<'a> for [Angle; 3] {
    const TYPE: TypeSchema = TypeSchema::new("angle[3]", "number[3]", "degrees");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Ok([Angle::read(r, d.angle)?, Angle::read(r, d.angle)?, Angle::read(r, d.angle)?])
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|a| Angle::write(*a, w, d.angle))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Scalar::from));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles(d.angle)
    }
}

impl<'a> Field<'a> for Str<'a> {
    const TYPE: TypeSchema = TypeSchema::new("string", "string", "");
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.until_nul().map(Str)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.str(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.string(name, self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let s = f.take(name)?.string()?;
        if s.contains(&0) {
            return Err(f.mistake("a string cannot contain \\000: NUL ends it"));
        }
        Ok(Str(s))
    }
}

impl<'a> Field<'a> for StrList<'a> {
    const TYPE: TypeSchema = TypeSchema::new("string...", "string[]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let start = r.pos();
        while !r.until_nul()?.is_empty() {}
        let all = r.since(start);
        Ok(StrList(Cow::Borrowed(&all[..all.len() - 1])))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.str(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.strings(name, self);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let strings = f.take(name)?.strings()?;
        if strings.iter().any(|s| s.is_empty() || s.contains(&0)) {
            return Err(f.mistake("an empty string or \\000 would end the list"));
        }
        Ok(StrList::from_strings(strings))
    }
}

/// Numbers into a precache list or the state array: shown with the name they stand for.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident, $wire:literal, $table:expr, $width:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub u16);

        impl<'a> Field<'a> for $name {
            const TYPE: TypeSchema = TypeSchema::new($wire, "integer", "");
            #[inline(always)]
            fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Self::read_wide(r, d, false)
            }
            #[inline]
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                self.write_wide(w, d, false)
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.index(name, u32::from(self.0), $table);
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
                f.take(name)?.int(0, 65535).map(|v| $name(v as u16))
            }
        }

        impl<'a> WideField<'a> for $name {
            #[inline(always)]
            fn read_wide(r: &mut Reader<'a>, d: &Dialect, wide: bool) -> Result<Self, Fault> {
                let width: fn(&Dialect) -> Width = $width;
                Ok($name(if wide || width(d) == Width::U16 { r.u16()? } else { u16::from(r.u8()?) }))
            }
            #[inline]
            fn write_wide(&self, w: &mut Writer, d: &Dialect, wide: bool) -> Result<(), Fault> {
                let width: fn(&Dialect) -> Width = $width;
                match (wide || width(d) == Width::U16, u8::try_from(self.0)) {
                    (true, _) => w.u16(self.0),
                    (false, Ok(v)) => w.u8(v),
                    (false, Err(_)) => return Err(Fault::unwritable("a number above 255 in a one-byte field")),
                }
                Ok(())
            }
            #[inline]
            fn needs_wide(&self, d: &Dialect) -> bool {
                let width: fn(&Dialect) -> Width = $width;
                width(d) == Width::U8 && self.0 > 255
            }
        }
    )*};
}

indices! {
    /// A number in the model precache list, 1 the map; 0 no model.
    ModelIndex, "u8 (u16 in BJP)", Table::Models, |d| d.model_index;
    /// A number in the sound precache list, from 1.
    SoundIndex, "u8 (u16 in BJP)", Table::Sounds, |d| d.sound_index;
    /// A number in the sound precache list of an ambient sound.
    StaticSoundIndex, "u8 (u16 in BJP)", Table::Sounds, |d| d.static_sound_index;
    /// A number in the sound precache list that is always two bytes.
    LongSoundIndex, "u16", Table::Sounds, |_| Width::U16;
    /// A number in the player state array, 0 to 31.
    StatIndex, "u8", Table::Stats, |_| Width::U8;
}

/// A number that takes one byte, or two when a mask bit says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteOrShort(pub u16);

impl<'a> Field<'a> for ByteOrShort {
    const TYPE: TypeSchema = TypeSchema::new("u8 or u16", "integer", "");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Self::read_wide(r, d, false)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.write_wide(w, d, false)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Int(i64::from(self.0)));
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        <u16 as Field>::parse(f, name, d).map(ByteOrShort)
    }
}

impl<'a> WideField<'a> for ByteOrShort {
    #[inline(always)]
    fn read_wide(r: &mut Reader<'a>, d: &Dialect, wide: bool) -> Result<Self, Fault> {
        StatIndex::read_wide(r, d, wide).map(|v| ByteOrShort(v.0))
    }
    #[inline]
    fn write_wide(&self, w: &mut Writer, d: &Dialect, wide: bool) -> Result<(), Fault> {
        StatIndex(self.0).write_wide(w, d, wide)
    }
    #[inline]
    fn needs_wide(&self, _: &Dialect) -> bool {
        self.0 > 255
    }
}

/// A rare field, kept apart so that it does not make every message larger.
impl<'a, T: Field<'a>> Field<'a> for Box<T> {
    const TYPE: TypeSchema = T::TYPE;
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        T::read(r, d).map(Box::new)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        T::write(self, w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        T::show(self, name, s);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        T::parse(f, name, d).map(Box::new)
    }
    fn given(f: &Fields<'a, '_>, name: Name, d: &Dialect) -> bool {
        T::given(f, name, d)
    }
}

/// A rare group, kept apart so that it does not make every message larger.
impl<'a, T: MaskedGroup<'a>> MaskedGroup<'a> for Option<Box<T>> {
    const BITS: u64 = T::BITS;
    const FIELDS: &'static [FieldSchema] = T::FIELDS;
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & T::BITS == 0 { Ok(None) } else { T::read(r, d, mask).map(|group| Some(Box::new(group))) }
    }
    #[inline]
    fn bits(&self) -> u64 {
        self.as_ref().map_or(0, |group| group.bits())
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.as_ref().map_or(Ok(()), |group| group.write(w, d))
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        if let Some(group) = self {
            group.show(s);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        T::parse(f, d).map(|group| (group.bits() != 0).then(|| Box::new(group)))
    }
}

/// A group behind a mask byte of its own; text and JSON show it in braces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Braced<T>(pub T);

impl<'a, T: MaskedGroup<'a>> Field<'a> for Braced<T> {
    const TYPE: TypeSchema = TypeSchema::new("u8 mask, then what it tells", "object", "");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let mask = u64::from(r.u8()?);
        if mask & !T::BITS != 0 {
            return Err(r.malformed("a mask bit without a meaning"));
        }
        T::read(r, d, mask).map(Braced)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        w.u8(self.0.bits() as u8);
        self.0.write(w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.group(name);
        self.0.show(s);
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let Some(mut group) = f.take_child(name) else {
            return Err(f.mistake(format!("{} is written {} {{ ... }}", name.text, name.text)));
        };
        group.check_shape(false)?;
        let all = T::parse(&mut group, d)?;
        group.finish()?;
        Ok(Braced(all))
    }
}

/// Red, green and blue, 0 to 255 each.
impl<'a> Field<'a> for [u8; 3] {
    const TYPE: TypeSchema = TypeSchema::new("u8[3]", "integer[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok([r.u8()?, r.u8()?, r.u8()?])
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.bytes(self);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(|v| Scalar::Int(i64::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.ints(0, 255)?;
        <[i64; 3]>::try_from(values).map(|v| v.map(|v| v as u8)).map_err(|_| f.mistake("a colour has three numbers"))
    }
}

/// The names and mask bits of an [`Interleaved`] group.
pub trait NamedAxes {
    /// Mask bits: the first triple's, then the second's.
    const BITS: [[u8; 3]; 2];
    /// Names: the first triple's, then the second's.
    const NAMES: [[Name; 3]; 2];
    /// Both triples as schema.
    const FIELDS: &'static [FieldSchema];
}

/// Two triples with a mask bit for each value, interleaved on the wire axis by axis (`a0 b0 a1 b1 a2 b2`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interleaved<A, B, N> {
    /// The first triple, `None` where not sent.
    pub first: [Option<A>; 3],
    /// The second triple, `None` where not sent.
    pub second: [Option<B>; 3],
    /// Which names and bits.
    pub names: std::marker::PhantomData<N>,
}

impl<A: Copy, B: Copy, N> Default for Interleaved<A, B, N> {
    fn default() -> Self {
        Interleaved { first: [None; 3], second: [None; 3], names: std::marker::PhantomData }
    }
}

impl<'a, A, B, N> MaskedGroup<'a> for Interleaved<A, B, N>
where
    A: Field<'a> + Copy,
    B: Field<'a> + Copy,
    N: NamedAxes,
{
    const BITS: u64 = {
        let (mut bits, mut i) = (0, 0);
        while i < 3 {
            bits |= 1 << N::BITS[0][i] | 1 << N::BITS[1][i];
            i += 1;
        }
        bits
    };
    const FIELDS: &'static [FieldSchema] = N::FIELDS;

    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
        let mut group = Self::default();
        if mask & Self::BITS == 0 {
            return Ok(group);
        }
        for axis in 0..3 {
            if mask >> N::BITS[0][axis] & 1 == 1 {
                group.first[axis] = Some(A::read(r, d).map_err(|f| f.in_field(N::NAMES[0][axis].text))?);
            }
            if mask >> N::BITS[1][axis] & 1 == 1 {
                group.second[axis] = Some(B::read(r, d).map_err(|f| f.in_field(N::NAMES[1][axis].text))?);
            }
        }
        Ok(group)
    }
    #[inline]
    fn bits(&self) -> u64 {
        let mut bits = 0;
        for axis in 0..3 {
            bits |= u64::from(self.first[axis].is_some()) << N::BITS[0][axis];
            bits |= u64::from(self.second[axis].is_some()) << N::BITS[1][axis];
        }
        bits
    }
    #[inline]
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        for axis in 0..3 {
            if let Some(v) = &self.first[axis] {
                v.write(w, d).map_err(|f| f.in_field(N::NAMES[0][axis].text))?;
            }
            if let Some(v) = &self.second[axis] {
                v.write(w, d).map_err(|f| f.in_field(N::NAMES[1][axis].text))?;
            }
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        for axis in 0..3 {
            if let Some(v) = &self.first[axis] {
                v.show(N::NAMES[0][axis], s);
            }
        }
        for axis in 0..3 {
            if let Some(v) = &self.second[axis] {
                v.show(N::NAMES[1][axis], s);
            }
        }
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let mut group = Self::default();
        for axis in 0..3 {
            if f.has(N::NAMES[0][axis]) {
                group.first[axis] = Some(A::parse(f, N::NAMES[0][axis], d)?);
            }
        }
        for axis in 0..3 {
            if f.has(N::NAMES[1][axis]) {
                group.second[axis] = Some(B::parse(f, N::NAMES[1][axis], d)?);
            }
        }
        Ok(group)
    }
}
