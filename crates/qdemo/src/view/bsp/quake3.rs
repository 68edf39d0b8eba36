//! Maps of Quake III: faces are triangles, or curved patches.

use super::{Surfaces, cut, int, lump, records, vector};
use crate::error::Result;

const SHADERS: usize = 8 + 8;
const MODELS: usize = 8 + 7 * 8;
const CORNERS: usize = 8 + 10 * 8;
const MESH: usize = 8 + 11 * 8;
const FACES: usize = 8 + 13 * 8;

/// Flags of surfaces that are not drawn here: sky, not drawn.
const UNSEEN: u32 = 0x4 | 0x80;
/// Contents likewise: lava, slime, water, fog.
const FLUID: u32 = 8 | 16 | 32 | 64;
/// A curve is drawn as so many straight parts.
const PARTS: usize = 3;

/// A corner: its place, and where the surface faces there.
type Corner = ([f32; 3], [f32; 3]);

/// Reads the surfaces of a map.
///
/// # Errors
/// A map that is cut.
pub(super) fn read(bytes: &[u8], out: &mut Surfaces) -> Result<()> {
    let [shaders, faces] = [lump(bytes, SHADERS)?, lump(bytes, FACES)?];
    let [corners, mesh] = [lump(bytes, CORNERS)?, lump(bytes, MESH)?];
    for model in lump(bytes, MODELS)?.chunks_exact(40) {
        out.begin_model();
        let (first, count) = int(model, 24).zip(int(model, 28)).ok_or_else(cut)?;
        for face in records(faces, 104, first, count)? {
            let field = |n: usize| int(face, n * 4).ok_or_else(cut);
            let drawn = records(shaders, 72, field(0)?, 1)?.next().is_none_or(|shader| {
                int(shader, 64).unwrap_or(0) & UNSEEN == 0 && int(shader, 68).unwrap_or(0) & FLUID == 0
            });
            if !drawn {
                continue;
            }
            let own = records(corners, 44, field(3)?, field(4)?)?;
            let own: Vec<Corner> = own.filter_map(|corner| Some((vector(corner, 0)?, vector(corner, 28)?))).collect();
            match field(2)? {
                1 | 3 => {
                    let numbers = records(mesh, 4, field(5)?, field(6)?)?;
                    let numbers: Vec<usize> = numbers.filter_map(|n| Some(int(n, 0)? as usize)).collect();
                    for three in numbers.chunks_exact(3) {
                        let corner = |n: usize| own.get(three[n]).copied().ok_or_else(cut);
                        triangle([corner(0)?, corner(1)?, corner(2)?], out)?;
                    }
                }
                2 => patch(&own, field(24)? as usize, out)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn triangle(corners: [Corner; 3], out: &mut Surfaces) -> Result<()> {
    let normal = [0, 1, 2].map(|n| corners.iter().map(|(_, normal)| normal[n]).sum());
    out.triangle(corners.map(|(place, _)| place), normal)
}

/// A patch: a grid of control points, each three by three of which, with common edges, are a curve of the second degree
/// either way.
fn patch(grid: &[Corner], width: usize, out: &mut Surfaces) -> Result<()> {
    let height = grid.len().checked_div(width).unwrap_or(0);
    let point = |x: usize, y: usize| grid.get(y * width + x).copied().ok_or_else(cut);
    for (x, y) in (2..height).step_by(2).flat_map(|y| (2..width).step_by(2).map(move |x| (x - 2, y - 2))) {
        let mut nine = [([0.0; 3], [0.0; 3]); 9];
        for (n, corner) in nine.iter_mut().enumerate() {
            *corner = point(x + n % 3, y + n / 3)?;
        }
        for (u, v) in (0..PARTS).flat_map(|v| (0..PARTS).map(move |u| (u, v))) {
            let [a, b, c, d] = [(u, v), (u + 1, v), (u, v + 1), (u + 1, v + 1)].map(|(u, v)| curved(&nine, u, v));
            triangle([a, b, c], out)?;
            triangle([b, d, c], out)?;
        }
    }
    Ok(())
}

/// A point of a curve of three by three control points.
fn curved(nine: &[Corner; 9], u: usize, v: usize) -> Corner {
    let weights = |part: usize| {
        let t = part as f32 / PARTS as f32;
        [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t]
    };
    let (across, along) = (weights(u), weights(v));
    let sum = |of: fn(&Corner) -> [f32; 3]| {
        let mut sum = [0.0; 3];
        for (n, corner) in nine.iter().enumerate() {
            let weight = across[n % 3] * along[n / 3];
            sum.iter_mut().zip(of(corner)).for_each(|(sum, v)| *sum += v * weight);
        }
        sum
    };
    (sum(|corner| corner.0), sum(|corner| corner.1))
}
