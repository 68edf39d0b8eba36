//! Places, as far and as fine as a protocol has them.

use super::loss::Loss;
use crate::wire::{Coord, CoordKind};

/// The nearest coordinate of a kind, and what is lost with it.
pub(super) fn nearest(told: f64, kind: CoordKind) -> (Coord, Option<Loss>) {
    match Coord::from_f64(told, kind) {
        Some(new) => (new, (new.get() != told).then_some(Loss::Place)),
        None => (edge(told, kind), Some(Loss::FarPlace)),
    }
}

/// The last whole unit that a kind has both ways, in the direction of a coordinate beyond it; 0 for one that is none.
fn edge(told: f64, kind: CoordKind) -> Coord {
    let far = match kind {
        CoordKind::I16 | CoordKind::EitherShort => 4095.0,
        CoordKind::I24 => 32767.0,
        CoordKind::Stretched | CoordKind::StretchedDelta => 524_287.0,
        CoordKind::I24Eighths => 1_048_575.0,
        CoordKind::I32 | CoordKind::F32 | CoordKind::Either => f64::from(i32::MAX) / 16.0 - 1.0,
    };
    let near = if told.is_nan() { 0.0 } else { told.clamp(-far, far) };
    Coord::from_f64(near, kind).unwrap_or_default()
}
