//! Numbers as the wire has them, with the unit they stand for.

use super::fault::Fault;
use super::reader::ByteReader;
use super::writer::ByteWriter;

/// A 32-bit float kept as its bits, so that every NaN survives.
///
/// ```
/// use qdemo::wire::F32;
/// assert_eq!(F32::from(1.5).get(), 1.5);
/// assert_eq!(F32::from_bits(0x7FC0_0001).bits(), 0x7FC0_0001);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct F32(u32);

impl F32 {
    /// From the bits on the wire.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        F32(bits)
    }

    /// The bits on the wire.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The value.
    #[inline]
    pub fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl From<f32> for F32 {
    fn from(v: f32) -> Self {
        F32(v.to_bits())
    }
}

/// How a dialect writes coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoordKind {
    /// Two bytes, eighths of a unit: -4096 to 4095.875.
    I16,
    /// Two bytes of whole units and one byte of 255ths (RMQ flag 24BITCOORD).
    I24,
    /// Four bytes, sixteenths of a unit (RMQ flag INT32COORD).
    I32,
    /// Four bytes, float (RMQ flag FLOATCOORD, DarkPlaces, FTE).
    F32,
    /// Three bytes, eighths of a unit, the highest byte first and the others behind it (KMQuake2).
    I24Eighths,
    /// Eighths of a unit in two bytes, 15 bits, or in three, 23 bits (Q2PRO's extended demos).
    Stretched,
    /// The same, where the short form is the difference to the value before (Q2PRO's extended demos).
    StretchedDelta,
    /// Four bytes, float, or two, eighths of a unit, by what was told before (demos of Quake II's re-release). Read as
    /// float.
    Either,
    /// The same, read as eighths.
    EitherShort,
}

impl CoordKind {
    /// The encoding in a word: `i16/8`, `i16+u8/255`, `i32/16`, `f32`, `i24/8`, `i15/8 or i23/8`,
    /// `+i15/8 or i23/8`, or `f32 or i16/8`.
    pub fn name(self) -> &'static str {
        match self {
            CoordKind::I16 => "i16/8",
            CoordKind::I24 => "i16+u8/255",
            CoordKind::I32 => "i32/16",
            CoordKind::F32 => "f32",
            CoordKind::I24Eighths => "i24/8",
            CoordKind::Stretched => "i15/8 or i23/8",
            CoordKind::StretchedDelta => "+i15/8 or i23/8",
            CoordKind::Either | CoordKind::EitherShort => "f32 or i16/8",
        }
    }
}

/// A coordinate in Quake units, as one of the [`CoordKind`]s.
///
/// ```
/// use qdemo::wire::Coord;
/// assert_eq!(Coord::I16(-3).get(), -0.375);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coord {
    /// Eighths of a unit.
    I16(i16),
    /// Whole units, and 255ths to be added.
    I24(i16, u8),
    /// Sixteenths of a unit.
    I32(i32),
    /// A float.
    F32(F32),
    /// Eighths of a unit, 24 bits.
    I24Eighths(i32),
    /// Eighths of a unit, 15 bits, where a long form exists.
    Short(i16),
    /// The difference in eighths of a unit to the value before, 15 bits.
    By(i16),
    /// Eighths of a unit, 23 bits.
    Long(i32),
    /// Eighths of a unit in the long form although the short one would do.
    NeedlesslyLong(i32),
    /// Eighths of a unit where others are floats.
    EitherShort(i16),
}

impl Default for Coord {
    fn default() -> Self {
        Coord::I16(0)
    }
}

/// The numbers that the short form of [`CoordKind::Stretched`] has room for.
const SHORT: std::ops::RangeInclusive<i32> = -0x4000..=0x3FFF;
/// Those of the long form.
const LONG: std::ops::RangeInclusive<i32> = -0x40_0000..=0x3F_FFFF;

impl Coord {
    /// The value in Quake units; of [`Coord::By`] the difference.
    pub fn get(self) -> f64 {
        match self {
            Coord::I16(v) => f64::from(v) / 8.0,
            Coord::I24(whole, part) => f64::from(whole) + f64::from(part) / 255.0,
            Coord::I32(v) => f64::from(v) / 16.0,
            Coord::F32(v) => f64::from(v.get()),
            Coord::I24Eighths(v) | Coord::Long(v) | Coord::NeedlesslyLong(v) => f64::from(v) / 8.0,
            Coord::Short(v) | Coord::By(v) | Coord::EitherShort(v) => f64::from(v) / 8.0,
        }
    }

    /// How it is written.
    pub fn kind(self) -> CoordKind {
        match self {
            Coord::I16(_) => CoordKind::I16,
            Coord::I24(..) => CoordKind::I24,
            Coord::I32(_) => CoordKind::I32,
            Coord::F32(_) => CoordKind::F32,
            Coord::I24Eighths(_) => CoordKind::I24Eighths,
            Coord::Short(_) | Coord::Long(_) | Coord::NeedlesslyLong(_) => CoordKind::Stretched,
            Coord::By(_) => CoordKind::StretchedDelta,
            Coord::EitherShort(_) => CoordKind::EitherShort,
        }
    }

    /// The value in Quake units as a float: the same bits where it is one on the wire, otherwise the nearest.
    #[inline]
    pub fn float(self) -> F32 {
        match self {
            Coord::I16(v) => F32::from(f32::from(v) / 8.0),
            Coord::F32(v) => v,
            _ => F32::from(self.get() as f32),
        }
    }

    /// The reverse: the nearest coordinate of a kind. One that is out of its range is left a float, which cannot be
    /// written then.
    pub fn of_float(v: F32, kind: CoordKind) -> Self {
        match kind {
            CoordKind::F32 | CoordKind::Either => Coord::F32(v),
            _ => Self::from_f64(f64::from(v.get()), kind).unwrap_or(Coord::F32(v)),
        }
    }

    /// [`Coord::float`] where the value before is known: [`Coord::By`] is a difference to it.
    #[inline]
    pub fn float_after(self, before: F32) -> F32 {
        match self {
            Coord::By(v) => F32::from(before.get() + f32::from(v) / 8.0),
            _ => self.float(),
        }
    }

    /// The reverse: a difference where the kind has them and it is small enough.
    pub fn of_float_after(v: F32, before: F32, kind: CoordKind) -> Self {
        let by = Self::by(f64::from(v.get()) - f64::from(before.get()));
        let there = |by: &Coord| kind == CoordKind::StretchedDelta && by.float_after(before) == v;
        by.filter(there).unwrap_or_else(|| Self::of_float(v, kind))
    }

    /// Zero in a kind.
    pub(crate) fn zero(kind: CoordKind) -> Self {
        Self::of_float(F32::default(), kind)
    }

    /// The nearest coordinate of a kind, or `None` when the value is out of its range.
    pub fn from_f64(v: f64, kind: CoordKind) -> Option<Self> {
        let within = |v: f64, lo: f64, hi: f64| (lo..=hi).contains(&v).then_some(v);
        Some(match kind {
            CoordKind::I16 => Coord::I16(within(round(v * 8.0), -32768.0, 32767.0)? as i16),
            CoordKind::I24 => {
                let (mut whole, mut part) = (v.floor(), ((v - v.floor()) * 255.0).round());
                if part >= 255.0 {
                    (whole, part) = (whole + 1.0, 0.0);
                }
                Coord::I24(within(whole, -32768.0, 32767.0)? as i16, part as u8)
            }
            CoordKind::I32 => Coord::I32(within(round(v * 16.0), f64::from(i32::MIN), f64::from(i32::MAX))? as i32),
            CoordKind::F32 | CoordKind::Either => Coord::F32(F32::from(v as f32)),
            CoordKind::EitherShort => Coord::EitherShort(within(round(v * 8.0), -32768.0, 32767.0)? as i16),
            CoordKind::I24Eighths => {
                Coord::I24Eighths(within(round(v * 8.0), f64::from(-0x80_0000), f64::from(0x7F_FFFF))? as i32)
            }
            CoordKind::Stretched | CoordKind::StretchedDelta => {
                let v = within(round(v * 8.0), f64::from(*LONG.start()), f64::from(*LONG.end()))? as i32;
                if kind == CoordKind::Stretched && SHORT.contains(&v) { Coord::Short(v as i16) } else { Coord::Long(v) }
            }
        })
    }

    /// The nearest difference, or `None` when it is too large for one.
    pub(crate) fn by(v: f64) -> Option<Self> {
        let v = round(v * 8.0);
        (f64::from(*SHORT.start())..=f64::from(*SHORT.end())).contains(&v).then_some(Coord::By(v as i16))
    }

    /// The nearest coordinate in the long form where the short one would do.
    pub(crate) fn needlessly_long(v: f64) -> Option<Self> {
        Self::by(v).map(|short| Coord::NeedlesslyLong(if let Coord::By(v) = short { i32::from(v) } else { 0 }))
    }

    /// Reads a coordinate of a kind.
    #[inline(always)]
    pub fn read(r: &mut ByteReader<'_>, kind: CoordKind) -> Result<Self, Fault> {
        Ok(match kind {
            CoordKind::I16 => Coord::I16(r.i16()?),
            CoordKind::I24 => Coord::I24(r.i16()?, r.u8()?),
            CoordKind::I32 => Coord::I32(r.i32()?),
            CoordKind::F32 => Coord::F32(F32(r.u32()?)),
            // By value: the cursor of the caller can stay in registers.
            _ => {
                let (coord, rest) = Self::read_rare(*r, kind)?;
                *r = rest;
                coord
            }
        })
    }

    /// The kinds that few files have, kept out of the way of the others.
    fn read_rare(mut r: ByteReader<'_>, kind: CoordKind) -> Result<(Self, ByteReader<'_>), Fault> {
        match kind {
            CoordKind::Either => return Ok((Coord::F32(F32(r.u32()?)), r)),
            CoordKind::EitherShort => return Ok((Coord::EitherShort(r.i16()?), r)),
            _ => {}
        }
        if kind == CoordKind::I24Eighths {
            let high = i32::from(r.i8()?);
            return Ok((Coord::I24Eighths(high << 16 | i32::from(r.u16()?)), r));
        }
        let word = r.u16()?;
        let coord = if word & 1 == 0 {
            let v = word as i16 >> 1;
            if kind == CoordKind::StretchedDelta { Coord::By(v) } else { Coord::Short(v) }
        } else {
            let high = i32::from(r.i8()?);
            let v = (high << 16 | i32::from(word)) >> 1;
            let short = kind == CoordKind::Stretched && SHORT.contains(&v);
            if short { Coord::NeedlesslyLong(v) } else { Coord::Long(v) }
        };
        Ok((coord, r))
    }

    /// Writes the coordinate. Its kind must be that of the dialect.
    #[inline]
    pub fn write(self, w: &mut ByteWriter, kind: CoordKind) -> Result<(), Fault> {
        match (self, kind) {
            (Coord::I16(v), CoordKind::I16) => w.i16(v),
            (Coord::I24(whole, part), CoordKind::I24) => {
                w.i16(whole);
                w.u8(part);
            }
            (Coord::I32(v), CoordKind::I32) => w.i32(v),
            (Coord::F32(v), CoordKind::F32 | CoordKind::Either | CoordKind::EitherShort) => w.u32(v.bits()),
            (Coord::EitherShort(v), CoordKind::Either | CoordKind::EitherShort) => w.i16(v),
            (Coord::I24Eighths(v @ -0x80_0000..=0x7F_FFFF), CoordKind::I24Eighths) => {
                w.u8((v >> 16) as u8);
                w.u16(v as u16);
            }
            (Coord::Short(v), CoordKind::Stretched) | (Coord::By(v), CoordKind::StretchedDelta)
                if SHORT.contains(&i32::from(v)) =>
            {
                w.i16(v << 1);
            }
            (Coord::Long(v) | Coord::NeedlesslyLong(v), CoordKind::Stretched | CoordKind::StretchedDelta)
                if LONG.contains(&v) =>
            {
                let v = v << 1 | 1;
                w.u16(v as u16);
                w.u8((v >> 16) as u8);
            }
            _ => return Err(Fault::unwritable("the dialect encodes coordinates in another way")),
        }
        Ok(())
    }
}

/// The nearest whole number. `f64::round` is a library call on processors without SSE 4.1; this is two instructions.
#[inline]
fn round(v: f64) -> f64 {
    // Half added and cut off. Values beyond i64 are out of every range anyway.
    let cut = (v + 0.5f64.copysign(v)) as i64;
    if v.is_nan() { v } else { cut as f64 }
}

/// How a dialect writes angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AngleKind {
    /// One signed byte, 256ths of a turn.
    I8,
    /// Two bytes, 65536ths of a turn.
    I16,
    /// Four bytes, degrees.
    F32,
}

/// An angle in degrees as one from -180 to 180: formats tell pitches from 0 to 360, too.
pub(crate) fn signed(angle: f32) -> f32 {
    (angle + 180.0).rem_euclid(360.0) - 180.0
}

impl AngleKind {
    /// The encoding in a word: `i8`, `i16` (parts of a turn) or `f32` (degrees).
    pub fn name(self) -> &'static str {
        match self {
            AngleKind::I8 => "i8",
            AngleKind::I16 => "i16",
            AngleKind::F32 => "f32",
        }
    }
}

/// An angle, as one of the [`AngleKind`]s.
///
/// ```
/// use qdemo::wire::Angle;
/// assert_eq!(Angle::I8(-33).degrees(), -46.40625);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Angle {
    /// 256ths of a turn.
    I8(i8),
    /// 65536ths of a turn.
    I16(i16),
    /// Degrees.
    F32(F32),
}

impl Default for Angle {
    fn default() -> Self {
        Angle::I8(0)
    }
}

impl Angle {
    /// The value in degrees.
    pub fn degrees(self) -> f64 {
        match self {
            Angle::I8(v) => f64::from(v) * (360.0 / 256.0),
            Angle::I16(v) => f64::from(v) * (360.0 / 65536.0),
            Angle::F32(v) => f64::from(v.get()),
        }
    }

    /// The value in degrees as a float: exact, and the same bits where it is one on the wire.
    #[inline]
    pub fn float(self) -> F32 {
        match self {
            Angle::I8(v) => F32::from(f32::from(v) * (360.0 / 256.0)),
            Angle::I16(v) => F32::from(f32::from(v) * (360.0 / 65536.0)),
            Angle::F32(v) => v,
        }
    }

    /// The reverse: the nearest angle of a kind.
    pub fn of_float(v: F32, kind: AngleKind) -> Self {
        if kind == AngleKind::F32 { Angle::F32(v) } else { Self::from_degrees(f64::from(v.get()), kind) }
    }

    /// How it is written.
    pub fn kind(self) -> AngleKind {
        match self {
            Angle::I8(_) => AngleKind::I8,
            Angle::I16(_) => AngleKind::I16,
            Angle::F32(_) => AngleKind::F32,
        }
    }

    /// Zero in a kind.
    pub(crate) fn zero(kind: AngleKind) -> Self {
        Self::of_float(F32::default(), kind)
    }

    /// The nearest angle of a kind; whole turns are taken off where the kind has no room for them.
    pub fn from_degrees(v: f64, kind: AngleKind) -> Self {
        // `as i64` saturates, and keeping the low bits takes off whole turns.
        match kind {
            AngleKind::I8 => Angle::I8(round(v * (256.0 / 360.0)) as i64 as i8),
            AngleKind::I16 => Angle::I16(round(v * (65536.0 / 360.0)) as i64 as i16),
            AngleKind::F32 => Angle::F32(F32::from(v as f32)),
        }
    }

    /// Reads an angle of a kind.
    #[inline(always)]
    pub fn read(r: &mut ByteReader<'_>, kind: AngleKind) -> Result<Self, Fault> {
        Ok(match kind {
            AngleKind::I8 => Angle::I8(r.i8()?),
            AngleKind::I16 => Angle::I16(r.i16()?),
            AngleKind::F32 => Angle::F32(F32(r.u32()?)),
        })
    }

    /// Writes the angle. Its kind must be that of the dialect.
    #[inline]
    pub fn write(self, w: &mut ByteWriter, kind: AngleKind) -> Result<(), Fault> {
        match (self, kind) {
            (Angle::I8(v), AngleKind::I8) => w.i8(v),
            (Angle::I16(v), AngleKind::I16) => w.i16(v),
            (Angle::F32(v), AngleKind::F32) => w.u32(v.bits()),
            _ => return Err(Fault::unwritable("the dialect encodes angles in another way")),
        }
        Ok(())
    }
}

/// A number on its way to a printer: the value and how it is best shown.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A whole number.
    Int(i64),
    /// A bit mask, shown in hexadecimal.
    Hex(u64),
    /// A float, shown as the shortest decimal that gives the same bits.
    Float(F32),
    /// A float in seconds.
    Seconds(F32),
    /// A whole number of `1/2^n` parts, shown exactly: `(numerator, n)` with `n` at most 6.
    Binary(i32, u8),
    /// A signed byte in 256ths of a turn, shown in degrees, exactly.
    Turn256(i8),
    /// A signed short in 65536ths of a turn, shown in degrees as the nearest float.
    Turn65536(i16),
    /// A coordinate or angle that is a float on the wire.
    FloatUnits(F32),
    /// A value with no short exact decimal (255ths): shown as the nearest float.
    Near(f32),
    /// A 24-bit coordinate: whole units and 255ths.
    Part255(i16, u8),
    /// A difference, in eighths.
    By(i16),
    /// Eighths in more bytes than needed.
    NeedlesslyLong(i32),
    /// Eighths where others are floats.
    EitherShort(i16),
}

impl From<Coord> for Scalar {
    #[inline]
    fn from(c: Coord) -> Self {
        match c {
            Coord::I16(v) => Scalar::Binary(i32::from(v), 3),
            Coord::I24(whole, part) => Scalar::Part255(whole, part),
            Coord::I32(v) => Scalar::Binary(v, 4),
            Coord::F32(v) => Scalar::FloatUnits(v),
            Coord::I24Eighths(v) | Coord::Long(v) => Scalar::Binary(v, 3),
            Coord::Short(v) => Scalar::Binary(i32::from(v), 3),
            Coord::By(v) => Scalar::By(v),
            Coord::NeedlesslyLong(v) => Scalar::NeedlesslyLong(v),
            Coord::EitherShort(v) => Scalar::EitherShort(v),
        }
    }
}

impl From<Angle> for Scalar {
    #[inline]
    fn from(a: Angle) -> Self {
        match a {
            Angle::I8(v) => Scalar::Turn256(v),
            Angle::I16(v) => Scalar::Turn65536(v),
            Angle::F32(v) => Scalar::FloatUnits(v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every wire value of the small encodings comes back from its own value in units.
    #[test]
    fn values_in_units_are_reversible() {
        for v in i16::MIN..=i16::MAX {
            let c = Coord::I16(v);
            assert_eq!(Coord::from_f64(c.get(), CoordKind::I16), Some(c));
            let a = Angle::I16(v);
            assert_eq!(Angle::from_degrees(a.degrees(), AngleKind::I16), a);
            let c = Coord::I24(v, (v as u8).min(254));
            assert_eq!(Coord::from_f64(c.get(), CoordKind::I24), Some(c));
        }
        for v in i8::MIN..=i8::MAX {
            assert_eq!(Angle::from_degrees(Angle::I8(v).degrees(), AngleKind::I8), Angle::I8(v));
        }
        assert_eq!(Coord::from_f64(4096.0, CoordKind::I16), None);
        assert_eq!(Coord::from_f64(f64::NAN, CoordKind::I32), None);
    }
}
