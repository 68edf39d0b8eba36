//! Whatever bytes stand in a file: the world says of faults what the facts say, and never more than it knows.

use qdemo::event::{What, events};
use qdemo::format::mvd2::Gather;
use qdemo::world::{Scene, World};
use qdemo::{Limits, Piece, Pieces};

use super::recordings;
use super::rules::two_levels;
use crate::common::Random;
use crate::mvd2::build::VERSIONS;

fn check(demo: &[u8]) {
    let mut pieces = Pieces::new(demo, "x.mvd2", Limits::default()).unwrap();
    let (mut gather, mut world) = (Gather::default(), qdemo::world::mvd2::World::default());
    let mut last = world.clock().demo;
    while let Some(piece) = pieces.next_piece().unwrap() {
        let Piece::Mvd2(piece) = piece else { return };
        let (ours, theirs) = (world.fold(&piece), gather.piece(&piece));
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert!(world.is_complete() || world.entities().next().is_none());
        assert!(world.is_complete() || world.players().all(|player| player.origin.is_none()));
        assert!(world.entities().all(|e| e.number < 8192) && world.clock().demo >= last);
        last = world.clock().demo;
    }
    World::Mvd2(Box::new(world)).to_json();
    events(demo, "x.mvd2", Limits::default(), &mut |_, event| {
        assert!(!matches!(&event.what, What::Join(who) if who.name.is_empty()));
        Ok(())
    })
    .unwrap();
}

#[test]
fn mutations_and_cuts() {
    let mut random = Random(11);
    let mut files: Vec<_> = VERSIONS.iter().map(|version| version.demo()).collect();
    files.push(two_levels());
    files.extend(recordings().iter().map(|path| std::fs::read(path).unwrap()));
    for file in files {
        let file = &file[..file.len().min(40_000)];
        check(file);
        for _ in 0..40 {
            let mut bad = file.to_vec();
            for _ in 0..1 + random.below(12) {
                let at = 4 + random.below(bad.len() - 4);
                bad[at] = random.next() as u8;
            }
            check(&bad);
            check(&file[..1 + random.below(file.len())]);
        }
    }
}

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
    let size = |world: qdemo::world::mvd2::World| format!("{:?}", World::Mvd2(Box::new(world)).to_json()).len();
    assert_eq!(world.personal_string(200, 1570 + 199), Some(&b"personal"[..]));
    assert_eq!(world.personal_string(200, 1570 + 198), None);
    assert_eq!((world.level().number, world.frames()), (199, 200));
    assert!(size(world) < 20_000);
}
