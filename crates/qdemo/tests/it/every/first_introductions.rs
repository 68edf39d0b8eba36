//! The first introduction of a server is damaged, and all behind it is sound: blocks show what their protocol is, so that the
//! damage costs its block alone. A protocol that no blocks show stays one that is not known.

use qdemo::error::ErrorKind;
use qdemo::format::dem::Dem;
use qdemo::format::dm2::Dm2;
use qdemo::format::mvd2::Mvd2;
use qdemo::format::qwd::Qwd;
use qdemo::replay::{World, info};
use qdemo::text::compile_bytes;
use qdemo::world::{DemoTime, Scene};
use qdemo::{FileKind, Limits, Reader};

use super::Samples;
use crate::common::{self, assert_sound, comes_back, quake2_demo, testdata};

/// Bytes up to the end of the first block.
fn first_block(demo: &[u8], name: &str) -> usize {
    let mut reader = Reader::new(demo, name, Limits::default()).unwrap();
    while reader.next_chunk().unwrap().is_some_and(|chunk| chunk.block().is_none()) {}
    reader.offset() as usize
}

/// When a recording ends, as its world has it.
fn last_moment(demo: &[u8], name: &str) -> DemoTime {
    let mut reader = Reader::new(demo, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
    }
    world.clock().demo
}

/// A recording whose first block cannot be read is read behind it as it was. Gives why.
#[track_caller]
fn costs_its_block<F: Samples>(sound: &[u8], damaged: &[u8], name: &str) -> String {
    let (before, after) = (assert_sound(sound, name), comes_back(damaged, name));
    let end = first_block(sound, name);
    assert_eq!((after.detected.kind, after.dialect), (F::KIND, before.dialect), "{name}");
    assert_eq!(after.blocks, before.blocks, "{name}");
    assert_eq!(after.faults.count(), 1, "{name}: {:?}", after.faults);
    assert!((1..=end as u64).contains(&after.uncovered), "{name}: {} of {end}", after.uncovered);
    let behind = |demo: &[u8]| {
        let all = F::messages(demo).into_iter();
        all.filter(|(at, _)| *at > end as u64).collect::<Vec<_>>()
    };
    assert!(behind(sound) == behind(damaged) && !behind(sound).is_empty(), "{name}");
    // Facts and worlds are gathered by readings of their own.
    let info = info::info(damaged, name, Limits::default()).unwrap();
    assert_eq!(info.faults.count(), 1, "{name}: {:?}", info.faults);
    // What begins a level of an `.mvd2` is its first moment.
    let lost = last_moment(sound, name).ms() - last_moment(damaged, name).ms();
    assert!((0..=100).contains(&lost), "{name}: {lost} ms");
    after.detected.reason
}

/// Whichever bit of the number is damaged: one that is told then and is a protocol that is known, too, is believed. What the
/// damage costs is looked at for some of them, as all are read alike.
#[test]
fn a_damaged_bit_of_the_first_protocol_costs_its_block() {
    fn each_bit<F: Samples>(name: &str, at: usize, bits: std::ops::Range<usize>, protocol: i32) {
        let sound = testdata(name);
        for bit in bits {
            let mut damaged = sound.clone();
            damaged[at + bit / 8] ^= 1 << (bit % 8);
            let why = match bit % 4 {
                0 => costs_its_block::<F>(&sound, &damaged, name),
                _ => Reader::new(&damaged[..], name, Limits::default()).unwrap().detected().reason.clone(),
            };
            assert!(
                why.contains(&format!("its blocks can be read as protocol {protocol}")),
                "{name}, bit {bit}: {why}"
            );
        }
    }
    for (name, protocol) in [("dm13-15.dem", 15), ("e0m1-666.dem", 666)] {
        let introduction = [&[11][..], &i32::to_le_bytes(protocol)].concat();
        let at = testdata(name).windows(5).position(|bytes| bytes == introduction).unwrap() + 1;
        each_bit::<Dem>(name, at, 8..32, protocol);
    }
    // Behind the size of the block and the number of the message; up to bit 7 some become other protocols that are known.
    each_bit::<Dm2>("q2-demo1.dm2", 5, 8..32, 34);
    // A minor version behind the mark, the size of the block, the number of the command, and the version.
    each_bit::<Mvd2>("q2pro-dm.mvd2", 11, 3..16, 37);
}

/// The protocol that blocks show need not be the usual one, and nothing of the introduction need be left.
#[test]
fn what_is_left_of_an_introduction_does_not_matter() {
    // Of protocol 999, behind the track line and the header.
    let (name, start) = ("clip.dem", 3 + 16);
    let sound = testdata(name);
    let mut damaged = sound.clone();
    // The number of a message that no protocol has.
    damaged[start..first_block(&sound, name)].fill(0x7E);
    let why = costs_its_block::<Dem>(&sound, &damaged, name);
    assert!(why.starts_with("its beginning cannot be read; its blocks can be read as protocol 999"), "{why}");
    // QuakeWorld's extensions: protocol 28 is read without them where none are told. The number of the message stands behind
    // header and numbers of the packet.
    let name = "ez-dm.qwd";
    let sound = testdata(name);
    let mut damaged = sound.clone();
    damaged[17] ^= 0x40;
    costs_its_block::<Qwd>(&sound, &damaged, name);
}

/// The protocol of a mod whose blocks are those of no protocol that is known, and one whose blocks two of them can read in
/// different ways, neither of which is the one that was told but for a bit.
#[test]
fn a_protocol_that_blocks_do_not_show_stays_unknown() {
    let name = "q2-demo1.dm2";
    let mut like_two = testdata(name);
    like_two[5..9].copy_from_slice(&12_345i32.to_le_bytes());
    let mut of_a_mod = like_two.clone();
    let (mut at, mut frames) = (first_block(&of_a_mod, name), 0);
    while let Some(size) = of_a_mod.get(at..at + 4).map(|size| u32::from_le_bytes(size.try_into().unwrap())) {
        if size == u32::MAX {
            break;
        }
        let payload = at + 4..at + 4 + size as usize;
        at = payload.end;
        // What a level begins with is much the same in all protocols, and so are many frames.
        frames += usize::from(of_a_mod[payload.start] == 20);
        if of_a_mod[payload.start] == 20 && frames % 5 == 0 {
            of_a_mod[payload].iter_mut().skip(1).for_each(|byte| *byte ^= 0x55);
        }
    }
    // Too little to tell.
    let frame = [20, 1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 17, 0, 0, 0, 0, 0, 0, 18, 0, 0];
    let introduction = [&[12][..], &12_345i32.to_le_bytes(), &[1, 0, 0, 0, 1, 0, 0, 0, 0]].concat();
    let short = quake2_demo(&[&introduction, &frame, &frame]);
    for (demo, what) in [(like_two, "like two"), (of_a_mod, "of a mod"), (short, "short")] {
        let found = comes_back(&demo, name);
        let is_other = |kind: &ErrorKind| matches!(kind, ErrorKind::Unsupported(p) if p.number == 12_345);
        assert_eq!((found.detected.kind, found.protocol), (FileKind::Dm2, 12_345), "{what}: {}", found.detected.reason);
        assert!(found.faults.iter().all(|fault| is_other(&fault.kind)), "{what}: {:?}", found.faults);
    }
}

/// Text has the introduction in words of its own, as no bytes tell it: message 41 is FitzQuake's fog.
#[test]
fn text_tells_what_stands_for_the_introduction() {
    let fog = [41, 0, 0, 0, 0, 0, 0];
    let expected = common::demo("-1\n", &[&fog]);
    let text = |format: &str, protocol| {
        let info =
            format!("serverinfo {{ serverversion {protocol}; maxclients 1; multi 0; mapname \"\"; models; sounds; }}");
        let block = "track \"-1\\n\"; block { camera 0 0 0; fog { density 0; red 0; green 0; blue 0; fade 0; } }";
        format!("introduction {{ format \"{format}\"; {info} }} {block}")
    };
    assert_eq!(compile_bytes(text("dem", 666).as_bytes(), "text").unwrap(), expected);
    for (text, wrong) in [(text("dem", 15), "this protocol has no such message"), (text("qwd", 666), "serverinfo")] {
        let error = compile_bytes(text.as_bytes(), "text").unwrap_err().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}
