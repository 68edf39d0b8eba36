//! Demos made byte by byte, as the documents say.

/// A file of blocks and the end mark.
pub(super) fn file(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = unended(blocks);
    file.extend((-1i32).to_le_bytes());
    file
}

/// Blocks without the end mark.
pub(super) fn unended(blocks: &[Vec<u8>]) -> Vec<u8> {
    let sized = |block: &Vec<u8>| [&(block.len() as u32).to_le_bytes()[..], block].concat();
    blocks.iter().flat_map(sized).collect()
}

/// The blocks of a file that ends with the mark.
pub(super) fn blocks(file: &[u8]) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    let mut rest = file;
    while let Some((size, behind)) = rest.split_first_chunk() {
        let Ok(size) = usize::try_from(i32::from_le_bytes(*size)) else { break };
        let (block, behind) = behind.split_at(size);
        blocks.push(block.to_vec());
        rest = behind;
    }
    blocks
}

fn text(id: u8, text: &str) -> Vec<u8> {
    [&[id], text.as_bytes(), &[0]].concat()
}

pub(super) fn serverdata(protocol: i32, mark: u8, player: i16) -> Vec<u8> {
    let mut m = vec![12];
    m.extend(protocol.to_le_bytes());
    m.extend(0x0001_0007u32.to_le_bytes());
    m.push(mark);
    m.extend(b"ctf\0");
    m.extend(player.to_le_bytes());
    m.extend(b"Outer Base\0");
    m
}

pub(super) fn config(index: i16, string: &str) -> Vec<u8> {
    [&[13][..], &index.to_le_bytes(), string.as_bytes(), &[0]].concat()
}

pub(super) fn stufftext(command: &str) -> Vec<u8> {
    text(11, command)
}

pub(super) fn print(level: u8) -> Vec<u8> {
    [&[10, level][..], b"Gnat died.\n\0"].concat()
}

/// An entity with the bytes of mask that it needs.
pub(super) fn entity(mask: u32, number: u16, fields: &[u8]) -> Vec<u8> {
    let mut mask = mask | if number > 255 { 0x100 } else { 0 };
    for more in [0x0080_0000, 0x8000, 0x80u32] {
        if mask & !(more | (more - 1)) != 0 {
            mask |= more;
        }
    }
    let bytes = [Some(mask), Some(mask >> 8), Some(mask >> 16), Some(mask >> 24)];
    let more = [true, mask & 0x80 != 0, mask & 0x8000 != 0, mask & 0x0080_0000 != 0];
    let mut e: Vec<_> = bytes.into_iter().flatten().zip(more).filter(|it| it.1).map(|it| it.0 as u8).collect();
    let number = number.to_le_bytes();
    e.extend(if mask & 0x100 == 0 { &number[..1] } else { &number });
    e.extend(fields);
    e
}

/// Its first model and its first coordinate.
pub(super) fn model(number: u16, model: u8) -> Vec<u8> {
    entity(0x801, number, &[model, 0x40, 0x01])
}

pub(super) fn remove(number: u16) -> Vec<u8> {
    entity(0x40, number, &[])
}

pub(super) fn baseline(entity: &[u8]) -> Vec<u8> {
    [&[14], entity].concat()
}

/// A frame up to its playerinfo; protocol 26 has no count of suppressed packets.
pub(super) fn frame_head(protocol: i32, number: i32, delta: i32) -> Vec<u8> {
    let mut m = vec![20];
    m.extend(number.to_le_bytes());
    m.extend(delta.to_le_bytes());
    if protocol != 26 {
        m.push(0);
    }
    m.extend([2, 0xFF, 0x01]);
    m
}

/// Walks, and sees 90 degrees.
pub(super) const PLAYER: &[u8] = &[17, 0x01, 0x08, 0, 90, 0x02, 0, 0, 0, 100, 0];

/// Every field that an entity may have.
fn everything(number: u16) -> Vec<u8> {
    let fields: [(u32, &[u8]); 19] = [
        (0x800, &[2]), // models
        (0x0010_0000, &[255]),
        (0x0020_0000, &[2]),
        (0x0040_0000, &[2]),
        (0x10, &[9]), // frame, both widths
        (0x0002_0000, &[9, 1]),
        (0x0201_0000, &[1, 2, 3, 4]), // skin
        (0x0008_4000, &[0, 0, 1, 0]), // effects
        (0x0004_0000, &[0, 1]),       // render effects
        (0x1, &[8, 0]),               // origin
        (0x2, &[8, 0]),
        (0x200, &[8, 0]),
        (0x400, &[64]), // angles
        (0x4, &[64]),
        (0x8, &[64]),
        (0x0100_0000, &[8, 0, 8, 0, 8, 0]), // old origin
        (0x0400_0000, &[1]),                // sound
        (0x20, &[2]),                       // event
        (0x0800_0000, &[31, 0]),            // solid
    ];
    let mask = fields.iter().fold(0, |mask, field| mask | field.0);
    entity(mask, number, &fields.map(|field| field.1).concat())
}

/// Every field that a player may have, and two of the 32 numbers for the screen.
fn player_with_everything() -> Vec<u8> {
    let widths = [1, 6, 6, 1, 1, 2, 6, 3, 6, 3, 1, 7, 4, 1, 1];
    let fields = widths.map(|width| vec![2; width]).concat();
    [&[17, 0xFF, 0x7F][..], &fields, &[2, 0, 0, 0x80, 100, 0, 1, 0]].concat()
}

/// A list of entities.
pub(super) fn list(entities: &[Vec<u8>]) -> Vec<u8> {
    [&[18], &entities.concat()[..], &[0, 0]].concat()
}

pub(super) fn frame(protocol: i32, number: i32, delta: i32, entities: &[Vec<u8>]) -> Vec<u8> {
    [&frame_head(protocol, number, delta), PLAYER, &list(entities)].concat()
}

/// Messages that may stand anywhere.
pub(super) fn others(protocol: i32) -> Vec<u8> {
    let pos = [8, 0, 16, 0, 24, 0];
    let mut m = vec![1, 1, 0, 3, 2, 44, 1, 61, 6];
    let mut temp = |kind: u8, parts: &[&[u8]]| m.extend([&[3, kind], &parts.concat()[..]].concat());
    temp(0, &[&pos, &[161]]);
    temp(3, &[&pos, &pos]);
    temp(5, &[&pos]);
    temp(10, &[&[20], &pos, &[5], &[2]]);
    temp(16, &[&[44, 1], &pos, &pos]);
    if protocol >= 31 {
        // 3.12 to 3.14 had green blood at 27, later ones at 26.
        let (blood, trail) = if protocol == 31 { (27, 26) } else { (26, 27) };
        temp(blood, &[&pos, &[7]]);
        temp(trail, &[&pos, &pos]);
        temp(24, &[&[1, 0], &pos, &pos, &pos]);
    }
    if protocol >= 32 {
        temp(29, &[&[20], &pos, &[5], &[2]]);
    }
    if protocol >= 34 {
        temp(33, &[&[1, 0], &[5, 0], &pos, &pos]);
        temp(36, &[&pos, &[1, 0]]);
        temp(37, &[&pos, &pos, &[208]]);
        temp(40, &[&[0xFF, 0xFF], &[20], &pos, &[5], &[2], &[60, 0]]);
        temp(40, &[&[7, 0], &[20], &pos, &[5], &[2], &[60, 0], &[0xE8, 3, 0, 0]]);
        temp(50, &[&[0x21, 0x4E], &pos]);
        temp(55, &[&pos, &[7]]);
    }
    m.extend(text(4, "xv 32 yv 8 picn inventory"));
    m.extend([vec![5], vec![0; 512]].concat());
    m.extend([&[9, 0x1F, 1, 255, 64, 10, 0x0C, 0][..], &pos].concat());
    m.extend(print(3));
    m.extend(text(15, "You found a secret"));
    m
}

/// The first blocks of a level: what stands in front of its frames.
pub(super) fn start(protocol: i32) -> Vec<Vec<u8>> {
    let first = [
        serverdata(protocol, 1, 0),
        config(0, "Outer Base"),
        config(5, &"yb -24 ".repeat(100)),
        config(30, "8"),
        config(31, "-1234"),
        config(33, "maps/base1.bsp"),
        config(34, "models/items/armor/shard/tris.md2"),
        config(289, "misc/talk.wav"),
    ];
    let second = [baseline(&model(5, 2)), baseline(&model(300, 2)), stufftext("precache\n")];
    vec![first.concat(), second.concat()]
}

/// A short recording in which nothing is odd: frames 10, 11 and 12 are its blocks 2 to 4.
pub(super) fn demo(protocol: i32) -> Vec<Vec<u8>> {
    let mut blocks = start(protocol);
    let player = entity(0x0000_0821, 1, &[255, 0x40, 0x01, 2]);
    blocks.push(frame(protocol, 10, -1, &[player, entity(0, 5, &[]), entity(0, 300, &[])]));
    blocks.push(frame(protocol, 11, 10, &[entity(0x1, 1, &[0x48, 0x01]), remove(300)]));
    let entities = list(&[remove(5), everything(7), entity(0, 300, &[])]);
    blocks.push([&frame_head(protocol, 12, 11)[..], &player_with_everything(), &entities, &others(protocol)].concat());
    blocks
}
