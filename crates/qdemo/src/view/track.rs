//! Where something was: quantised places and angles, at the rows in which they changed.

/// Eighths of a unit to a unit.
const EIGHTHS: f32 = 8.0;
/// What a whole turn is.
const TURN: f32 = 65536.0;
/// No map reaches farther: 2^20 units.
const FARTHEST: f32 = 1_048_576.0;

/// A place in eighths of a unit.
pub(super) fn quantised(place: [f32; 3]) -> [i32; 3] {
    // What is no number becomes 0.
    place.map(|v| nearest(v.clamp(-FARTHEST, FARTHEST) * EIGHTHS))
}

/// Angles in 65536ths of a turn.
pub(super) fn quantised_angles(angles: [f32; 3]) -> [i16; 3] {
    let within = |v: f32| if v.abs() < 3600.0 { v } else { v % 360.0 };
    angles.map(|v| nearest(within(v) / 360.0 * TURN) as i16)
}

/// The nearest whole number, quickly; 0 for what is no number.
fn nearest(v: f32) -> i32 {
    (v + 0.5_f32.copysign(v)) as i32
}

/// What a [`Track`] is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrackOf {
    /// A player, by slot.
    Player(u32),
    /// The eyes through which the recording looks.
    View,
    /// Another entity: its number, and the numbers of its kind and its model in [`About::strings`](super::About::strings).
    Entity {
        /// Its number.
        number: u32,
        /// Its kind, such as `missile`.
        kind: u32,
        /// The name of its model; of an item that is known its own, such as `red_armor`.
        model: u32,
    },
}

/// Where something was, for as long as it was in view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// What it is of.
    pub of: TrackOf,
    /// The first row in which it is in view.
    pub from: u32,
    /// The first row in which it no longer is.
    pub to: u32,
    /// Where it is, from a row on until the next one; the first stands at `from`.
    pub keys: Vec<Key>,
}

/// A place, from a row on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The row.
    pub row: u32,
    /// In eighths of a unit.
    pub place: [i32; 3],
    /// Pitch, yaw and roll in 65536ths of a turn.
    pub angles: [i16; 3],
}

impl Key {
    /// The place in units.
    pub fn origin(&self) -> [f32; 3] {
        self.place.map(|v| v as f32 / EIGHTHS)
    }

    /// Pitch, yaw and roll in degrees, -180 to 180.
    pub fn degrees(&self) -> [f32; 3] {
        self.angles.map(|v| f32::from(v) * 360.0 / TURN)
    }
}

impl Track {
    /// The slot of a player's track.
    pub fn slot(&self) -> Option<u32> {
        match self.of {
            TrackOf::Player(slot) => Some(slot),
            _ => None,
        }
    }

    /// Where it is at a row; `None` while it is not in view.
    pub fn at(&self, row: u32) -> Option<&Key> {
        if !(self.from..self.to).contains(&row) {
            return None;
        }
        self.keys.get(self.keys.partition_point(|key| key.row <= row).checked_sub(1)?)
    }
}

/// Something that a player has or is, or with no slot the whole world, at the rows in which it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// The player; `None` for the world.
    pub slot: Option<u32>,
    /// Number of its name in [`About::strings`](super::About::strings).
    pub name: u32,
    /// The value from a row on; `None` where it is not told. A text is its number in [`About::strings`](super::About::strings).
    pub keys: Vec<(u32, Option<i64>)>,
}

impl Values {
    /// The value at a row.
    pub fn at(&self, row: u32) -> Option<i64> {
        self.keys.get(self.keys.partition_point(|(from, _)| *from <= row).checked_sub(1)?)?.1
    }

    /// The keys that stand at some rows.
    pub(super) fn within(&self, rows: &std::ops::Range<u32>) -> &[(u32, Option<i64>)] {
        let [from, to] = [rows.start, rows.end].map(|row| self.keys.partition_point(|key| key.0 < row));
        self.keys.get(from..to).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantised_is_near() {
        assert_eq!(quantised([1.0, -0.0625, 0.07]), [8, -1, 1]);
        assert_eq!(quantised([f32::NAN, f32::INFINITY, f32::MIN]), [0, 8 << 20, -8 << 20]);
        assert_eq!(quantised_angles([90.0, -90.0, 360.0]), [16384, -16384, 0]);
        assert_eq!(quantised_angles([180.0, 450.0, f32::NAN]), [-32768, 16384, 0]);
        let key = Key { row: 0, place: [9, 0, -4], angles: [16384, 0, -1] };
        assert_eq!((key.origin(), key.degrees()[0]), ([1.125, 0.0, -0.5], 90.0));
    }

    #[test]
    fn what_is_held_is_there_until_it_changes() {
        let key = |row| Key { row, place: [row as i32; 3], angles: [0; 3] };
        let track = Track { of: TrackOf::View, from: 2, to: 9, keys: vec![key(2), key(5)] };
        let at = |row| track.at(row).map(|key| key.row);
        assert_eq!([at(1), at(2), at(4), at(5), at(8), at(9)], [None, Some(2), Some(2), Some(5), Some(5), None]);
        let values = Values { slot: None, name: 0, keys: vec![(3, Some(7)), (6, None)] };
        assert_eq!([values.at(2), values.at(3), values.at(5), values.at(6)], [None, Some(7), Some(7), None]);
    }
}
