//! Whole numbers, fractions, floats.

use crate::describe::{ByteWire, Field, Fields, Mistake, Name, Sink, TypeSchema, carries, shown_numbers};
use crate::wire::{ByteReader, ByteWriter, F32, Fault, Scalar};

macro_rules! integers {
    ($($ty:ident $min:expr, $max:expr;)*) => {$(
        impl<'a, W: ByteWire> Field<'a, W> for $ty {
            const TYPE: TypeSchema = TypeSchema::new(stringify!($ty), "integer", "");
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
                r.$ty()
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
                w.$ty(*self);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, Scalar::Int(i64::from(*self)));
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
                // LMPC writes some unsigned numbers with a sign; `as` gives the bits either way.
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
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name(pub $ty);

        impl $name {
            /// The value in its unit.
            pub fn get(self) -> f32 {
                (f64::from(self.0) / $per) as f32
            }
        }

        impl<'a, W: ByteWire> Field<'a, W> for $name {
            const TYPE: TypeSchema = TypeSchema::new($wire, "number", $unit);
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
                r.$ty().map($name)
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
                w.$ty(self.0);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, self.scalar());
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
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

        shown_numbers! { $name, $wire, $unit, $name(0), $name::get, |_, v| $name::from_number(v); }
        carries! { $name($ty); $name; }
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
impl<'a, W: ByteWire> Field<'a, W> for [Velocity16; 3] {
    const TYPE: TypeSchema = TypeSchema::new("i8/16[3]", "number[3]", "units");
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        Ok([Field::<W>::read(r, d)?, Field::<W>::read(r, d)?, Field::<W>::read(r, d)?])
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|v| Field::<W>::write(v, w, d))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Velocity16::scalar));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        let v = f.take(name)?.floats::<3>()?;
        let mut out = [Velocity16(0); 3];
        for (slot, v) in out.iter_mut().zip(v) {
            *slot = Velocity16::from_number(f64::from(v.get()))
                .ok_or_else(|| f.mistake("a velocity beyond -8 to 7.9375"))?;
        }
        Ok(out)
    }
}

impl<'a, W: ByteWire> Field<'a, W> for F32 {
    const TYPE: TypeSchema = TypeSchema::new("f32", "number", "");
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        r.u32().map(F32::from_bits)
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        w.u32(self.bits());
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Float(*self));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.float()
    }
}

/// Three floats, one after the other.
impl<'a, W: ByteWire> Field<'a, W> for [F32; 3] {
    const TYPE: TypeSchema = TypeSchema::new("f32[3]", "number[3]", "");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        Ok([F32::from_bits(r.u32()?), F32::from_bits(r.u32()?), F32::from_bits(r.u32()?)])
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        self.iter().for_each(|v| w.u32(v.bits()));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Scalar::Float));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.floats::<3>()
    }
}

/// A moment on the server's clock, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seconds(pub F32);

impl From<f32> for Seconds {
    fn from(seconds: f32) -> Self {
        Seconds(seconds.into())
    }
}

impl<'a, W: ByteWire> Field<'a, W> for Seconds {
    const TYPE: TypeSchema = TypeSchema::new("f32", "number", "s");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        <F32 as Field<W>>::read(r, d).map(Seconds)
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        Field::<W>::write(&self.0, w, d)
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Seconds(self.0));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.seconds().map(Seconds)
    }
}

/// Red, green and blue, 0 to 255 each.
impl<'a, W: ByteWire> Field<'a, W> for [u8; 3] {
    const TYPE: TypeSchema = TypeSchema::new("u8[3]", "integer[3]", "");
    fn read(r: &mut ByteReader<'a>, _: &W::Dialect) -> Result<Self, Fault> {
        Ok([r.u8()?, r.u8()?, r.u8()?])
    }
    fn write(&self, w: &mut ByteWriter, _: &W::Dialect) -> Result<(), Fault> {
        w.bytes(self);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(|v| Scalar::Int(i64::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.ints(0, 255)?;
        <[i64; 3]>::try_from(values).map(|v| v.map(|v| v as u8)).map_err(|_| f.mistake("a colour has three numbers"))
    }
}
