//! The floor, as far as those who stood on it tell: the cells below them, and those between the two ends of a jump.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::track::{Key, Track, TrackOf};
use super::{Index, Replay};

/// Units to a side of a [`Floor`]'s cells.
pub const CELL: i32 = 16;

/// Where players of a level have stood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Floor {
    /// The level, as [`About::levels`](super::About::levels) counts them.
    pub level: u32,
    /// Cells: x and y count [`CELL`]s, z units.
    pub cells: Vec<[i32; 3]>,
}

/// From a player's origin to the soles, in eighths of a unit.
const SOLES: i32 = 24 * 8;
/// Between these times before and after a moment somebody who is in the air falls faster by 3 units and more.
const AROUND_MS: i64 = 60;
/// Falls less, in eighths of a unit, and stands, walks or swims.
const STANDS: i32 = 6;
/// Floors that lie nearer to each other than this, in units, are one: steps are lower.
const APART: i32 = 14;
/// Who stands again within this time, not much higher or lower, has jumped over floor most of the time.
const JUMP_MS: i64 = 1_200;
/// Not much: eighths of a unit.
const LEVEL: i32 = 24 * 8;
/// No jump goes farther, in eighths of a unit.
const JUMP: i32 = 640 * 8;

/// Heights of floors in a column of cells, by the column's x and y.
type Cells = HashMap<(i32, i32), Vec<i32>, BuildHasherDefault<CellHasher>>;

/// Mixes two numbers: columns are looked up for every step of everybody.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_i32((*byte).into()));
    }

    fn write_i32(&mut self, v: i32) {
        // The golden ratio as a fraction of 2^64: neighbours come to lie far apart.
        self.0 = (self.0.rotate_left(32) ^ v as u32 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

/// The floors of all levels.
pub(super) fn floors(replay: &Replay) -> Vec<Floor> {
    let levels = &replay.about.levels;
    let mut floors: Vec<_> = levels.iter().map(|_| Cells::default()).collect();
    let index = Index::new(replay);
    for track in &replay.tracks {
        let TrackOf::Player(slot) = track.of else { continue };
        let spectator = index.values_of(Some(slot), "spectator");
        let flies = |row| spectator.and_then(|values| values.at(row)).is_some();
        let level = levels.partition_point(|level| level.row <= track.from).checked_sub(1);
        let Some(cells) = level.and_then(|level| floors.get_mut(level)) else { continue };
        stood(track, &replay.rows, &flies, cells);
    }
    let floor = |(level, cells): (usize, Cells)| {
        let all = cells.into_iter().flat_map(|((x, y), all)| all.into_iter().map(move |z| [x, y, z]));
        let mut cells: Vec<[i32; 3]> = all.collect();
        cells.sort_unstable();
        Floor { level: level as u32, cells }
    };
    floors.into_iter().enumerate().map(floor).collect()
}

/// Notes the cells below a player.
fn stood(track: &Track, rows: &[i64], flies: &dyn Fn(u32) -> bool, cells: &mut Cells) {
    let time = |key: &Key| rows.get(key.row as usize).copied().unwrap_or_default();
    let keys = &track.keys;
    let (mut before, mut after, mut last) = (0, 0, None);
    let mut stood: Option<(i64, [i32; 3])> = None;
    for key in keys {
        let now = time(key);
        while keys.get(before + 1).is_some_and(|key| time(key) <= now - AROUND_MS) {
            before += 1;
        }
        while keys.get(after + 1).is_some_and(|key| time(key) <= now + AROUND_MS) {
            after += 1;
        }
        let (Some(a), Some(b)) = (keys.get(before), keys.get(after)) else { continue };
        let up = |from: &Key, to: &Key| to.place[2].saturating_sub(from.place[2]);
        let along = (0..2).map(|n| (b.place[n].saturating_sub(a.place[n])).saturating_abs()).max().unwrap_or(0);
        let stands = (up(key, b) - up(a, key)).abs() < STANDS && up(a, b).abs() <= along.saturating_add(STANDS);
        if !stands || flies(key.row) {
            continue;
        }
        let here = [key.place[0], key.place[1], key.place[2].saturating_sub(SOLES)];
        let from = stood.replace((now, here)).filter(|(then, from)| {
            let near = |n: usize, most: i32| here[n].saturating_sub(from[n]).saturating_abs() <= most;
            now - then <= JUMP_MS && near(0, JUMP) && near(1, JUMP) && near(2, LEVEL)
        });
        let from = from.map_or(here, |(_, from)| from);
        let far = (0..2).map(|n| (here[n] - from[n]).abs()).max().unwrap_or(0);
        let steps = far / (CELL * 8) + 1;
        let between = (1..steps).map(|step| [0, 1, 2].map(|n| from[n] + (here[n] - from[n]) / steps * step));
        for at in between.chain([here]) {
            let cell = [at[0].div_euclid(CELL * 8), at[1].div_euclid(CELL * 8), at[2].div_euclid(8)];
            if last != Some(cell) {
                stand(cell, last, cells);
                last = Some(cell);
            }
        }
    }
}

/// Notes the cells below a player in the middle of one: a player is two cells wide. Those below the cell before have been.
fn stand([x, y, z]: [i32; 3], before: Option<[i32; 3]>, cells: &mut Cells) {
    let noted = |at: (i32, i32)| {
        before.is_some_and(|[x, y, height]| height == z && (at.0 - x).abs() <= 1 && (at.1 - y).abs() <= 1)
    };
    for (x, y) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy))).filter(|at| !noted(*at)) {
        let all = cells.entry((x, y)).or_default();
        if all.iter().all(|other| (other - z).abs() > APART) {
            all.push(z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(height: impl Fn(i64) -> f64) -> Vec<i32> {
        let rows: Vec<i64> = (0..40).map(|n| n * 20).collect();
        let key = |(row, ms): (usize, &i64)| {
            let place = [*ms as i32 * 2, 0, ((height(*ms) + 24.0) * 8.0).round() as i32];
            Key { row: row as u32, place, angles: [0; 3] }
        };
        let keys = rows.iter().enumerate().map(key).collect();
        let track = Track { of: TrackOf::Player(0), from: 0, to: 40, keys };
        let mut cells = Cells::default();
        stood(&track, &rows, &|_| false, &mut cells);
        cells.into_values().flatten().collect()
    }

    #[test]
    fn who_stands_shows_the_floor_and_who_falls_does_not() {
        let flat = walked(|_| 100.0);
        assert!(flat.len() > 10 && flat.iter().all(|z| *z == 100), "{flat:?}");
        // A jump of Quake: 270 units a second up, 800 units a second slower every second.
        let jump = walked(|ms| 270.0 * ms as f64 / 1000.0 - 400.0 * (ms as f64 / 1000.0).powi(2));
        assert!(jump.iter().all(|z| *z < 20), "only where the jump begins: {jump:?}");
    }
}
