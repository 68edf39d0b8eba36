//! Maps made by hand, a floor each: what is drawn of them is what was put in.

use qdemo::view::Map;

use crate::common::{files, places, shared};

/// Corners of the floor, against the clock as seen from above.
const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 64.0], [128.0, 0.0, 64.0], [128.0, 256.0, 64.0], [0.0, 256.0, 64.0]];

fn ints(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn shorts(all: &[u16]) -> Vec<u8> {
    all.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(all: &[f32]) -> Vec<u8> {
    all.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A file of lumps behind a head.
fn file(head: &[u8], count: usize, lumps: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let (mut table, mut body) = (vec![[0_u32; 2]; count], Vec::new());
    let begin = head.len() + count * 8;
    for (number, lump) in lumps {
        table[*number] = [(begin + body.len()) as u32, lump.len() as u32];
        body.extend(lump);
    }
    [head.to_vec(), table.into_iter().flat_map(|place| ints(&place)).collect(), body].concat()
}

/// A model of so many faces, in records of `size` bytes.
fn model(size: usize, first_face: usize, faces: u32) -> Vec<u8> {
    let mut model = vec![0; size];
    model[first_face..first_face + 8].copy_from_slice(&ints(&[0, faces]));
    model
}

/// Two faces: the floor, and the same again with the second texture.
fn quake(wide: bool, second: &str) -> Vec<u8> {
    let mut textures = ints(&[2, 12, 28]);
    for name in ["floor", second] {
        let mut padded = name.as_bytes().to_vec();
        padded.resize(16, 0);
        textures.extend(padded);
    }
    let texinfo = |number: u32| [floats(&[0.0; 8]), ints(&[number, 0])].concat();
    let plane = [floats(&[0.0, 0.0, 1.0, 64.0]), ints(&[2])].concat();
    // The first edge is no edge; the third is walked backwards.
    let ends: [[u32; 2]; 5] = [[0, 0], [0, 1], [1, 2], [3, 2], [3, 0]];
    let edges = ends.concat();
    let edges = if wide { ints(&edges) } else { shorts(&edges.iter().map(|v| *v as u16).collect::<Vec<_>>()) };
    let face = |texinfo: u32| match wide {
        true => ints(&[0, 0, 0, 4, texinfo, 0, 0]),
        false => [shorts(&[0, 0]), ints(&[0]), shorts(&[4, texinfo as u16]), ints(&[0, 0])].concat(),
    };
    let lumps = [
        (1, plane),
        (2, textures),
        (3, floats(&SQUARE.concat())),
        (6, [texinfo(0), texinfo(1)].concat()),
        (7, [face(0), face(1)].concat()),
        (12, edges),
        (13, ints(&[1, 2, -3_i32 as u32, 4])),
        (14, model(64, 56, 2)),
    ];
    file(if wide { b"BSP2" } else { &[29, 0, 0, 0] }, 15, &lumps)
}

fn quake2(flags: u32) -> Vec<u8> {
    let texinfo = |flags: u32| [floats(&[0.0; 8]), ints(&[flags, 0]), vec![0; 32], ints(&[0])].concat();
    let face = |texinfo: u16| [shorts(&[0, 0]), ints(&[0]), shorts(&[4, texinfo]), ints(&[0, 0])].concat();
    let lumps = [
        (1, [floats(&[0.0, 0.0, 1.0, 64.0]), ints(&[2])].concat()),
        (2, floats(&SQUARE.concat())),
        (5, [texinfo(0), texinfo(flags)].concat()),
        (6, [face(0), face(1)].concat()),
        (11, shorts(&[0, 0, 0, 1, 1, 2, 3, 2, 3, 0])),
        (12, ints(&[1, 2, -3_i32 as u32, 4])),
        (13, model(48, 40, 2)),
    ];
    file(&[b"IBSP".to_vec(), ints(&[38])].concat(), 19, &lumps)
}

/// A floor of two triangles, as the game has them: with the clock; and the same again with the second shader.
fn quake3(version: u32, flags: u32) -> Vec<u8> {
    let shader = |flags: u32| [vec![0; 64], ints(&[flags, 1])].concat();
    let corner = |place: &[f32; 3]| [floats(place), floats(&[0.0; 4]), floats(&[0.0, 0.0, 1.0]), ints(&[0])].concat();
    let face = |shader: u32| {
        let mut face = ints(&[shader, 0, 1, 0, 4, 0, 6]);
        face.resize(104, 0);
        face
    };
    let lumps = [
        (1, [shader(0), shader(flags)].concat()),
        (7, model(40, 24, 2)),
        (10, SQUARE.iter().flat_map(corner).collect()),
        (11, ints(&[0, 2, 1, 0, 3, 2])),
        (13, [face(0), face(1)].concat()),
    ];
    file(&[b"IBSP".to_vec(), ints(&[version])].concat(), 18, &lumps)
}

/// Twice the area of what faces up, and how many triangles there are.
fn up(map: &Map) -> (i64, usize) {
    let corner = |n: u32| map.corners[n as usize].map(i64::from);
    let area = |[a, b, c]: [u32; 3]| {
        let (a, b, c) = (corner(a), corner(b), corner(c));
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let all: Vec<_> = map.models.iter().flatten().copied().collect();
    (all.iter().map(|three| area(*three).max(0)).sum(), all.len())
}

#[test]
fn floors_are_those_that_were_put_in() {
    const AREA: i64 = 2 * 128 * 256;
    // What the second face is, and how many of the two are drawn. Sky is 0x4 and not drawn 0x80 in both later games.
    let maps = [
        (quake(false, "wall"), 2),
        (quake(false, "sky1"), 1),
        (quake(true, "*water"), 1),
        (quake(true, "wall"), 2),
        (quake2(0), 2),
        (quake2(0x80), 1),
        (quake3(46, 0), 2),
        (quake3(47, 0x4), 1),
    ];
    for (number, (bytes, faces)) in maps.iter().enumerate() {
        let map = Map::from_bsp(bytes, 3).unwrap();
        assert_eq!(map.level, 3);
        let mut corners = map.corners.clone();
        corners.sort_unstable();
        assert_eq!(corners, [[0, 0, 64], [0, 256, 64], [128, 0, 64], [128, 256, 64]], "map {number}");
        assert_eq!(up(&map), (AREA * faces, 2 * *faces as usize), "map {number}");
    }
}

#[test]
fn what_is_no_map_is_refused() {
    for bytes in [&b""[..], b"IBSP", b"PACK then more", &[30, 0, 0, 0, 0, 0, 0, 0]] {
        assert!(Map::from_bsp(bytes, 0).unwrap_err().to_string().contains("map"));
    }
    for whole in [quake(false, "wall"), quake(true, "wall"), quake2(0), quake3(46, 0)] {
        for end in places(whole.len()) {
            assert!(Map::from_bsp(&whole[..end], 0).is_err() || end > whole.len() - 64, "cut at {end}");
        }
        for at in places(whole.len()) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xFF;
            let _ = Map::from_bsp(&damaged, 0);
        }
    }
}

/// Of real maps the floor below those who stood on it is there: nearly every place where players stood is above a surface that
/// faces up.
#[test]
fn maps_at_hand_are_read() {
    let Some(folder) = shared("maps") else { return };
    for path in files(&folder, "bsp").into_iter().filter(|path| !path.to_string_lossy().contains("halflife")) {
        let map = Map::from_bsp(&std::fs::read(&path).unwrap(), 0).unwrap();
        assert!(up(&map).0 > 0, "{}", path.display());
    }
}
