//! Coordinates and angles.

use crate::describe::{
    ByteDialect, ByteWire, Carries, Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Sink, TypeSchema, carries,
};
use crate::wire::{Angle, ByteReader, ByteWriter, Coord, F32, Fault, Scalar};

/// Coordinates that states hold as floats: of each the coordinate in it, itself around one, and its kind.
macro_rules! float_coordinates {
    ($ty:ident, $coord:expr, $of:expr, $kind:expr) => {
        impl $crate::describe::Carries<$crate::wire::F32, Dialect> for $ty {
            #[inline(always)]
            fn value(&self, before: &$crate::wire::F32, _: &Dialect) -> $crate::wire::F32 {
                let coord: fn($ty) -> Coord = $coord;
                coord(*self).float_after(*before)
            }
            fn of(value: &$crate::wire::F32, before: &$crate::wire::F32, d: &Dialect) -> Self {
                let (of, kind): (fn(Coord) -> $ty, fn(&Dialect) -> $crate::wire::CoordKind) = ($of, $kind);
                of(Coord::of_float_after(*value, *before, kind(d)))
            }
        }
    };
}
pub(crate) use float_coordinates;

impl<D: ByteDialect> Carries<F32, D> for Coord {
    #[inline(always)]
    fn value(&self, before: &F32, _: &D) -> F32 {
        self.float_after(*before)
    }
    fn of(value: &F32, before: &F32, d: &D) -> Self {
        Coord::of_float_after(*value, *before, d.coord())
    }
}

impl<D: ByteDialect> Carries<F32, D> for Angle {
    #[inline(always)]
    fn value(&self, _: &F32, _: &D) -> F32 {
        self.float()
    }
    fn of(value: &F32, _: &F32, d: &D) -> Self {
        Angle::of_float(*value, d.angle())
    }
}

carries! {
    Coord;
    Angle;
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for Coord {
    const TYPE: TypeSchema = TypeSchema::new("coord", "number", "units");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        Coord::read(r, d.coord())
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        Coord::write(*self, w, d.coord())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, (*self).into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.coords::<1>(d.coord()).map(|[c]| c)
    }
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for [Coord; 3] {
    const TYPE: TypeSchema = TypeSchema::new("coord[3]", "number[3]", "units");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        Ok([Coord::read(r, d.coord())?, Coord::read(r, d.coord())?, Coord::read(r, d.coord())?])
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|c| Coord::write(*c, w, d.coord()))
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Scalar::from));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.coords(d.coord())
    }
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for Angle {
    const TYPE: TypeSchema = TypeSchema::new("angle", "number", "degrees");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        Angle::read(r, d.angle())
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        Angle::write(*self, w, d.angle())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, (*self).into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles::<1>(d.angle()).map(|[a]| a)
    }
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for [Angle; 3] {
    const TYPE: TypeSchema = TypeSchema::new("angle[3]", "number[3]", "degrees");
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        Ok([Angle::read(r, d.angle())?, Angle::read(r, d.angle())?, Angle::read(r, d.angle())?])
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        self.iter().try_for_each(|a| Angle::write(*a, w, d.angle()))
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.map(Scalar::from));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles(d.angle())
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

impl<'a, W, A, B, N> MaskedGroup<'a, W> for Interleaved<A, B, N>
where
    W: ByteWire,
    A: Field<'a, W> + Copy,
    B: Field<'a, W> + Copy,
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
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect, mask: u64) -> Result<Self, Fault> {
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
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
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
    fn parse(f: &mut Fields<'a, '_>, d: &W::Dialect) -> Result<Self, Mistake> {
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
