//! Maps: what is drawn of the surfaces of a `.bsp` file of Quake (29, BSP2), Quake II (38), Quake III and Quake Live (46, 47).
//!
//! The layouts are those of the games' map compilers; `lumps` are parts of the file, told by offset and size at its beginning.

mod polygons;
mod quake3;

use std::collections::HashMap;

use super::Map;
use super::columns::malformed;
use crate::error::Result;

/// No map that is played has more.
const MOST_TRIANGLES: usize = 1_000_000;
/// No map reaches farther, in units.
const FARTHEST: f32 = 131_072.0;

impl Map {
    /// The surfaces of a map. Left out are sky, water, and what nobody sees in the game.
    ///
    /// # Errors
    /// A file that is no map of these games, one that ends too early, and one of more than a million triangles.
    pub fn from_bsp(bytes: &[u8], level: u32) -> Result<Map> {
        let mut surfaces = Surfaces::default();
        match (bytes.get(..4), int(bytes, 4)) {
            (Some(b"IBSP"), Some(38)) => polygons::read(bytes, &polygons::QUAKE2, &mut surfaces)?,
            (Some(b"IBSP"), Some(46 | 47)) => quake3::read(bytes, &mut surfaces)?,
            (Some([29, 0, 0, 0]), _) => polygons::read(bytes, &polygons::QUAKE, &mut surfaces)?,
            (Some(b"BSP2"), _) => polygons::read(bytes, &polygons::BSP2, &mut surfaces)?,
            _ => return Err(malformed("this is no map (.bsp) of Quake, Quake II or Quake III")),
        }
        Ok(Map { level, corners: surfaces.corners, models: surfaces.models })
    }
}

/// The surfaces that were read.
#[derive(Debug, Default)]
struct Surfaces {
    corners: Vec<[i32; 3]>,
    numbers: HashMap<[i32; 3], u32>,
    models: Vec<Vec<[u32; 3]>>,
    triangles: usize,
}

impl Surfaces {
    fn begin_model(&mut self) {
        self.models.push(Vec::new());
    }

    fn corner(&mut self, place: [f32; 3]) -> u32 {
        let place = place.map(|v| v.clamp(-FARTHEST, FARTHEST).round() as i32);
        *self.numbers.entry(place).or_insert_with(|| {
            self.corners.push(place);
            self.corners.len() as u32 - 1
        })
    }

    /// A triangle whose front is where `normal` points.
    fn triangle(&mut self, corners: [[f32; 3]; 3], normal: [f32; 3]) -> Result<()> {
        self.triangles += 1;
        if self.triangles > MOST_TRIANGLES {
            return Err(malformed("the map has more than a million triangles"));
        }
        let [a, b, c] = corners;
        let [u, v] = [b, c].map(|to| [to[0] - a[0], to[1] - a[1], to[2] - a[2]]);
        let own = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let along: f32 = own.iter().zip(normal).map(|(a, b)| a * b).sum();
        let [a, b, c] = [a, b, c].map(|place| self.corner(place));
        let triangle = if along < 0.0 { [a, c, b] } else { [a, b, c] };
        // What is smaller than a unit is nothing.
        if a != b && b != c && a != c {
            if let Some(model) = self.models.last_mut() {
                model.push(triangle);
            }
        }
        Ok(())
    }
}

fn int(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into())
}

fn vector(bytes: &[u8], at: usize) -> Option<[f32; 3]> {
    let float = |n: usize| int(bytes, at + 4 * n).map(f32::from_bits);
    Some([float(0)?, float(1)?, float(2)?])
}

/// A part of the file: its offset and its size stand at `at`.
fn lump(bytes: &[u8], at: usize) -> Result<&[u8]> {
    let place = int(bytes, at).zip(int(bytes, at + 4)).map(|(from, size)| (from as usize, size as usize));
    let lump = place.and_then(|(from, size)| bytes.get(from..from.checked_add(size)?));
    lump.ok_or_else(cut)
}

/// The records of a list, from one on.
fn records(lump: &[u8], size: usize, first: u32, count: u32) -> Result<impl Iterator<Item = &[u8]>> {
    let place = |n: u32| (n as usize).checked_mul(size);
    let range = place(first).zip(first.checked_add(count).and_then(place));
    let records = range.and_then(|(from, to)| lump.get(from..to)).ok_or_else(cut)?;
    Ok(records.chunks_exact(size))
}

fn cut() -> crate::Error {
    malformed("the map names a part that lies beyond its end: the file is damaged, or cut")
}
