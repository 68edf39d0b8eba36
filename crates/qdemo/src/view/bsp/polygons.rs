//! Maps of Quake and Quake II: faces are polygons, told by their edges.

use super::{Surfaces, cut, int, lump, records, short, vector};
use crate::error::Result;

/// Where things stand in a kind of map. Lists are told by their numbers among the lumps.
pub(super) struct Layout {
    /// Where the first lump is told.
    lumps: usize,
    planes: usize,
    corners: usize,
    texinfo: usize,
    faces: usize,
    edges: usize,
    surfedges: usize,
    models: usize,
    /// Numbers of planes, edges and corners have 32 bits, not 16.
    wide: bool,
    texinfo_size: usize,
    model_size: usize,
    /// Where a model tells its first face.
    first_face: usize,
    is_drawn: fn(bytes: &[u8], texinfo: &[u8]) -> Option<bool>,
}

pub(super) const QUAKE: Layout = Layout {
    lumps: 4,
    planes: 1,
    corners: 3,
    texinfo: 6,
    faces: 7,
    edges: 12,
    surfedges: 13,
    models: 14,
    wide: false,
    texinfo_size: 40,
    model_size: 64,
    first_face: 56,
    is_drawn: by_name,
};
pub(super) const BSP2: Layout = Layout { wide: true, ..QUAKE };
pub(super) const QUAKE2: Layout = Layout {
    lumps: 8,
    planes: 1,
    corners: 2,
    texinfo: 5,
    faces: 6,
    edges: 11,
    surfedges: 12,
    models: 13,
    wide: false,
    texinfo_size: 76,
    model_size: 48,
    first_face: 40,
    is_drawn: by_flags,
};

/// Quake tells by the name of a texture what it is.
fn by_name(bytes: &[u8], texinfo: &[u8]) -> Option<bool> {
    const TEXTURES: usize = 4 + 2 * 8;
    let textures = lump(bytes, TEXTURES).ok()?;
    let at = int(textures, 4 + 4 * int(texinfo, 32)? as usize)? as usize;
    let name = textures.get(at..at.checked_add(16)?)?.to_ascii_lowercase();
    let unseen: [&[u8]; 6] = [b"sky", b"*", b"trigger", b"clip", b"skip", b"hint"];
    Some(!unseen.iter().any(|start| name.starts_with(start)))
}

/// Quake II by flags: sky, warped (water), not drawn, hint, skip.
fn by_flags(_: &[u8], texinfo: &[u8]) -> Option<bool> {
    const UNSEEN: u32 = 0x4 | 0x8 | 0x80 | 0x100 | 0x200;
    Some(int(texinfo, 32)? & UNSEEN == 0)
}

/// The lists of a map.
struct Lists<'a> {
    bytes: &'a [u8],
    layout: &'a Layout,
    planes: &'a [u8],
    corners: &'a [u8],
    texinfo: &'a [u8],
    edges: &'a [u8],
    surfedges: &'a [u8],
}

/// Reads the surfaces of a map.
///
/// # Errors
/// A map that is cut.
pub(super) fn read(bytes: &[u8], layout: &Layout, out: &mut Surfaces) -> Result<()> {
    let list = |n: usize| lump(bytes, layout.lumps + 8 * n);
    let lists = Lists {
        bytes,
        layout,
        planes: list(layout.planes)?,
        corners: list(layout.corners)?,
        texinfo: list(layout.texinfo)?,
        edges: list(layout.edges)?,
        surfedges: list(layout.surfedges)?,
    };
    let (faces, face_size) = (list(layout.faces)?, if layout.wide { 28 } else { 20 });
    for model in list(layout.models)?.chunks_exact(layout.model_size) {
        out.begin_model();
        let (first, count) = int(model, layout.first_face).zip(int(model, layout.first_face + 4)).ok_or_else(cut)?;
        for face in records(faces, face_size, first, count)? {
            lists.face(face, out)?;
        }
    }
    Ok(())
}

impl Lists<'_> {
    fn face(&self, face: &[u8], out: &mut Surfaces) -> Result<()> {
        let told = if self.layout.wide {
            [int(face, 0), int(face, 4), int(face, 8), int(face, 12), int(face, 16)]
        } else {
            [short(face, 0), short(face, 2), int(face, 4), short(face, 8), short(face, 10)]
        };
        let [Some(plane), Some(side), Some(first), Some(count), Some(texinfo)] = told else { return Err(cut()) };
        let texinfo = records(self.texinfo, self.layout.texinfo_size, texinfo, 1)?.next().ok_or_else(cut)?;
        if !(self.layout.is_drawn)(self.bytes, texinfo).unwrap_or(true) {
            return Ok(());
        }
        let normal = vector(self.planes, plane as usize * 20).ok_or_else(cut)?;
        let normal = if side == 0 { normal } else { normal.map(|v| -v) };
        let mut corners = records(self.surfedges, 4, first, count)?.map(|edge| self.corner(edge));
        let (Some(a), Some(b)) = (corners.next(), corners.next()) else { return Ok(()) };
        let (a, mut b) = (a?, b?);
        for c in corners {
            let c = c?;
            out.triangle([a, b, c], normal)?;
            b = c;
        }
        Ok(())
    }

    /// The corner with which an edge begins; it goes backwards where its number is below 0.
    fn corner(&self, surfedge: &[u8]) -> Result<[f32; 3]> {
        let number = int(surfedge, 0).ok_or_else(cut)? as i32;
        let (edge, end) = (number.unsigned_abs() as usize, usize::from(number < 0));
        let corner = match self.layout.wide {
            true => int(self.edges, edge * 8 + end * 4),
            false => short(self.edges, edge * 4 + end * 2),
        };
        corner.and_then(|corner| vector(self.corners, corner as usize * 12)).ok_or_else(cut)
    }
}
