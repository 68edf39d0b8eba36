//! Coordinates and angles that states hold as floats: every value of the wire comes back from its float.

use qdemo::wire::{Angle, AngleKind, Coord, CoordKind, F32};

/// What a server of Q2PRO may send of a coordinate in 23 bits, and KMQuake2 in 24.
#[test]
fn coordinates_come_back_from_floats() {
    for v in i16::MIN..=i16::MAX {
        for (coord, kind) in [(Coord::I16(v), CoordKind::I16), (Coord::EitherShort(v), CoordKind::EitherShort)] {
            assert_eq!(Coord::of_float(coord.float(), kind), coord);
            assert_eq!(f64::from(coord.float().get()), f64::from(v) / 8.0);
        }
    }
    for v in -0x80_0000..=0x7F_FFFF {
        let coord = Coord::I24Eighths(v);
        assert_eq!(Coord::of_float(coord.float(), CoordKind::I24Eighths), coord);
    }
    for v in -0x40_0000..=0x3F_FFFF {
        let coord = if (-0x4000..0x4000).contains(&v) { Coord::Short(v as i16) } else { Coord::Long(v) };
        assert_eq!(Coord::of_float(coord.float(), CoordKind::Stretched), coord);
        // In more bytes than needed it is the same number.
        assert_eq!(Coord::NeedlesslyLong(v).float(), coord.float());
    }
}

/// Angles in bytes and shorts are whole multiples of 360/256 and 360/65536 degrees: short enough for a float.
#[test]
fn angles_come_back_from_floats() {
    for v in i16::MIN..=i16::MAX {
        let angle = Angle::I16(v);
        assert_eq!(f64::from(angle.float().get()), f64::from(v) * 360.0 / 65536.0);
        assert_eq!(Angle::of_float(angle.float(), AngleKind::I16), angle);
    }
    for v in i8::MIN..=i8::MAX {
        let angle = Angle::I8(v);
        assert_eq!(f64::from(angle.float().get()), f64::from(v) * 360.0 / 256.0);
        assert_eq!(Angle::of_float(angle.float(), AngleKind::I8), angle);
        // A byte is the high byte of a short.
        assert_eq!(Angle::of_float(angle.float(), AngleKind::I16), Angle::I16(i16::from(v) << 8));
    }
}

/// Floats keep their bits, signalling NaNs too.
#[test]
fn floats_keep_their_bits() {
    for bits in (0..=u32::MAX).step_by(65_521).chain([0x8000_0000, 0x7F80_0001, 0xFFBF_FFFF, 0x7FC0_0000]) {
        let v = F32::from_bits(bits);
        for kind in [CoordKind::F32, CoordKind::Either] {
            assert_eq!(Coord::of_float(v, kind), Coord::F32(v));
        }
        assert_eq!((Coord::F32(v).float(), Angle::F32(v).float()), (v, v));
        assert_eq!(Angle::of_float(v, AngleKind::F32), Angle::F32(v));
    }
}
