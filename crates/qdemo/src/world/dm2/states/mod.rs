//! States of entities and players, complete, and the steps that lead to them.

use crate::format::dm2::{Angles16, Quarters};
use crate::wire::{Angle, Coord, F32};

/// Takes over what is told.
macro_rules! set {
    ($to:expr, $value:expr) => {
        if let Some(value) = $value {
            $to = value;
        }
    };
}

mod entity;
mod player;

pub use entity::{Baselines, EntityState};
pub(in crate::world) use entity::{Update, Wholes, after};
pub use player::{Fog, GunState, PlayerState};

/// Eighths of a unit; a difference counts from `before`.
#[inline]
fn eighths(coord: Coord, before: i32) -> i32 {
    match coord {
        Coord::I16(v) | Coord::Short(v) => i32::from(v),
        Coord::I24Eighths(v) | Coord::Long(v) | Coord::NeedlesslyLong(v) => v,
        Coord::By(v) => before.saturating_add(i32::from(v)),
        // No height of fog has these.
        Coord::I24(..) | Coord::I32(_) | Coord::F32(_) | Coord::EitherShort(_) => (coord.get() * 8.0) as i32,
    }
}

/// Three numbers, kept as their bits: so that states can be compared.
type Vector = [F32; 3];
const ZERO: Vector = [F32::from_bits(0); 3];

fn floats(v: Vector) -> [f32; 3] {
    v.map(F32::get)
}

/// Units: all coordinates of the game fit, as 24 bits are the most that any has.
#[inline]
fn units(coord: Coord, before: F32) -> F32 {
    match coord {
        Coord::F32(v) => v,
        Coord::By(v) => F32::from(before.get() + f32::from(v) / 8.0),
        _ => F32::from(coord.get() as f32),
    }
}

#[inline]
fn all_units(coords: [Coord; 3], before: Vector) -> Vector {
    std::array::from_fn(|i| units(coords[i], before[i]))
}

#[inline]
fn degrees(angle: Angle) -> F32 {
    match angle {
        Angle::F32(v) => v,
        _ => F32::from(angle.degrees() as f32),
    }
}

fn turns(angles: Angles16) -> Vector {
    angles.0.map(|v| degrees(Angle::I16(v)))
}

fn quarters(v: Quarters) -> Vector {
    v.0.map(|v| F32::from(f32::from(v) / 4.0))
}
