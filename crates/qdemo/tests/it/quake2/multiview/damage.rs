//! What the world of a hostile file holds is no more than that of a good one.

use qdemo::replay::World;
use qdemo::world::Scene;

use crate::mvd2::build::VERSIONS;

/// The sum of many levels and personal configstrings is no more than that of the last level.
#[test]
fn a_level_forgets_what_was_before() {
    let version = VERSIONS[1];
    let scene = version.scene(&[version.player(200, u32::MAX, false)], &[version.entity()]);
    let mut payloads = Vec::new();
    for n in 0..200u16 {
        payloads.push(version.serverdata(&scene));
        let string = [&b"\x0D"[..], &(1570 + n % 300).to_le_bytes(), b"personal\0"].concat();
        payloads.push([&[8, string.len() as u8, 200], &string[..]].concat());
    }
    let mut demo = b"MVD2".to_vec();
    for payload in payloads {
        demo.extend((payload.len() as u16).to_le_bytes());
        demo.extend(payload);
    }
    let world = super::fold(&demo, |_| {});
    let size =
        |world: qdemo::game::quake2::multiview::World| format!("{:?}", World::Mvd2(Box::new(world)).to_json()).len();
    assert_eq!(world.personal_string(200, 1570 + 199), Some(&b"personal"[..]));
    assert_eq!(world.personal_string(200, 1570 + 198), None);
    assert_eq!((world.level().number, world.frames()), (199, 200));
    assert!(size(world) < 20_000);
}
