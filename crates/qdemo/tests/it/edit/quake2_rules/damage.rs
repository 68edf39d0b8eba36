//! The rules are strict: what breaks one is told, by its name.

use super::made::{self, config, entity, frame, frame_head, list, model, print, remove, serverdata, stufftext};
use super::rules::{self, Rule};
use super::{check, entities as lists};
use crate::common::{file_name, files, root, testdata};

/// The rule that a file breaks.
#[track_caller]
fn broken(file: &[u8]) -> Rule {
    let error = check(file).expect_err("a rule is broken");
    *rules::ALL.iter().find(|rule| error.contains(&format!(": {}: ", rule.name))).unwrap_or_else(|| panic!("{error}"))
}

/// The short demo with a block behind it.
fn and(block: &[u8]) -> Vec<u8> {
    made::file(&[made::demo(34), vec![block.to_vec()]].concat())
}

/// The short demo of a protocol with one of its blocks made anew.
fn with(protocol: i32, block: usize, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut blocks = made::demo(protocol);
    change(&mut blocks[block]);
    made::file(&blocks)
}

/// The short demo without some of its blocks, or with them in another order.
fn of(order: &[usize]) -> Vec<u8> {
    let blocks = made::demo(34);
    made::file(&order.iter().map(|&block| blocks[block].clone()).collect::<Vec<_>>())
}

/// Replaces bytes that stand once in a block.
fn replace(block: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let places: Vec<_> = (0..block.len()).filter(|&at| block[at..].starts_with(old)).collect();
    let [at] = places[..] else { panic!("{old:?} stands {} times", places.len()) };
    block.splice(at..at + old.len(), new.iter().copied());
}

/// A further frame with these entities.
fn entities(entities: &[Vec<u8>]) -> Vec<u8> {
    and(&frame(34, 13, 12, entities))
}

/// A further frame with so many bytes of areas.
fn areas(count: u8) -> Vec<u8> {
    let areas = vec![0; count.into()];
    [&[20, 13, 0, 0, 0, 12, 0, 0, 0, 0, count][..], &areas, made::PLAYER, &list(&[])].concat()
}

/// Frames of many entities, each upon the one in front of it, and a last one upon the first.
fn many(each: u16, frames: i32) -> Vec<u8> {
    let mut blocks = made::start(34);
    let all: Vec<_> = (1..=each).map(|number| model(number, 2)).collect();
    blocks.push(frame(34, 1, -1, &all));
    blocks.extend((2..=frames).map(|number| frame(34, number, number - 1, &[])));
    blocks.push(frame(34, frames + 1, 1, &[]));
    made::file(&blocks)
}

fn damages() -> Vec<(Rule, Vec<u8>)> {
    use rules::*;
    let demo = made::file(&made::demo(34));
    let no_end = &demo[..demo.len() - 4];
    let player = |message: &[u8]| and(&[&frame_head(34, 13, 12), message, &list(&[])].concat());
    let first = |block: Vec<u8>| made::file(&[block]);
    vec![
        (NOT_COVERED, first(serverdata(56, 1, 0))),
        (NOT_COVERED, first(serverdata(34, 2, -1))),
        (NOT_COVERED, first(serverdata(34, 0x80, 0))),
        // Protocol 32 does not tell that a server recorded.
        (NOT_COVERED, made::file(&[serverdata(32, 1, -1), [&[20, 9, 0, 0, 0], &list(&[])[..]].concat()])),
        // Sizes.
        (BLOCK_SIZE, demo[..demo.len() - 5].to_vec()),
        (BLOCK_SIZE, [no_end, &(-2i32).to_le_bytes()].concat()),
        (BLOCK_SIZE, [no_end, &0x8001u32.to_le_bytes(), &vec![6; 0x8001], &[0xFF; 4]].concat()),
        (EMPTY_BLOCK, made::file(&[vec![vec![]], made::demo(34)].concat())),
        (EMPTY_BLOCK, made::file(&[made::demo(34), vec![vec![]]].concat())),
        (EMPTY_BLOCK, made::file(&[made::demo(34), vec![vec![], vec![]], made::demo(34)].concat())),
        (EMPTY_BLOCK, made::file(&[made::demo(34), vec![vec![], frame(34, 13, 12, &[])]].concat())),
        (END_MARK, no_end.to_vec()),
        (END_MARK, demo[..demo.len() - 1].to_vec()),
        (END_MARK, vec![]),
        (BEHIND_END, [&demo[..], &[0]].concat()),
        (BEHIND_END, [&demo[..], &demo[..]].concat()),
        // Messages.
        (MESSAGE_WHOLE, and(&frame(34, 13, 12, &[])[..20])),
        (MESSAGE_WHOLE, and(&[9, 0])),
        (MESSAGE_WHOLE, and(&[3, 37, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        (STRING_END, and(b"\x0Bprecache")),
        (STRING_LENGTH, and(&stufftext(&"x".repeat(2048)))),
        (MESSAGE_KNOWN, and(&[0])),
        (MESSAGE_KNOWN, and(&[19])),
        (MESSAGE_KNOWN, and(&[21])),
        (MESSAGE_KNOWN, with(34, 3, |block| block.push(0))),
        // A level's start.
        (SERVERDATA_FIRST, of(&[1, 2, 3, 4])),
        (SERVERDATA_FIRST, made::file(&[])),
        (SERVERDATA_FIRST, with(34, 0, |block| _ = block.drain(..serverdata(34, 1, 0).len()))),
        (SERVERDATA_CLIENT, first(serverdata(34, 1, 256))),
        (CONFIG_INDEX, and(&config(2080, "x"))),
        (CONFIG_INDEX, and(&config(-1, "x"))),
        (CONFIG_LENGTH, and(&config(1312, &"x".repeat(64)))),
        // From 5 up to 28 there is room for 24 times 64 bytes, the last of them zero.
        (CONFIG_LENGTH, and(&config(5, &"x".repeat(1536)))),
        (CONFIG_LENGTH, and(&config(28, &"x".repeat(64)))),
        (CONFIG_LENGTH, and(&config(29, &"x".repeat(64)))),
        (BASELINE_PLACE, and(&made::baseline(&model(9, 2)))),
        (MAP, with(34, 0, |block| replace(block, b"maps/base1.bsp", b""))),
        (PRECACHE, of(&[0, 2, 3, 4])),
        (PRECACHE, with(34, 1, |block| replace(block, b"precache", b"precacher"))),
        // Frames.
        (FRAME_ORDER, with(34, 3, |block| _ = block.drain(..frame_head(34, 11, 10).len()))),
        (FRAME_ORDER, and(&[&frame_head(34, 13, 12)[..], &[6], made::PLAYER, &list(&[])].concat())),
        (FRAME_ORDER, and(&[&frame_head(34, 13, 12), made::PLAYER, &[6], &list(&[])].concat())),
        (FRAME_ORDER, and(&[&frame_head(34, 13, 12), &list(&[])[..], made::PLAYER].concat())),
        (FRAME_ORDER, and(&frame_head(34, 13, 12))),
        (FRAME_ORDER, and(&list(&[]))),
        // Another protocol's: a byte too few.
        (FRAME_AREAS, and(&[&frame_head(26, 13, 12), made::PLAYER, &list(&[])].concat())),
        (FRAME_ONCE, and(&[frame(34, 13, 12, &[]), frame(34, 14, 13, &[])].concat())),
        (FRAME_NUMBER, of(&[0, 1, 2, 3, 3, 4])),
        (FRAME_NUMBER, of(&[0, 1, 2, 3, 2, 4])),
        (FRAME_NUMBER, and(&frame(34, 21_474_837, 12, &[]))),
        (FRAME_NUMBER, made::file(&[made::start(34), vec![frame(34, -5, -1, &[])]].concat())),
        (FRAME_AREAS, and(&areas(33))),
        (FRAME_FULL, of(&[0, 1, 3, 4])),
        // A level forgets the frames in front of it.
        (FRAME_FULL, made::file(&[made::demo(34), made::start(34), vec![frame(34, 13, 12, &[])]].concat())),
        (FRAME_BASE, of(&[0, 1, 2, 4])),
        (FRAME_BASE, of(&[0, 1, 2, 4, 3])),
        (FRAME_BASE, and(&frame(34, 13, 13, &[]))),
        (FRAME_BASE, and(&frame(34, 13, 14, &[]))),
        // 17 frames back: its place holds another.
        (FRAME_BASE, many(1, 17)),
        // 896 entities back, where 960 with the last frame are; and 1200 with it, where 600 are back.
        (FRAME_RING, many(64, 14)),
        (FRAME_RING, many(600, 1)),
        (PLAYER_BITS, player(&[17, 0, 0x80, 0, 0, 0, 0])),
        (PLAYER_MOVE, player(&[17, 1, 0, 5, 0, 0, 0, 0])),
        // Entities.
        (ENTITY_NUMBER, entities(&[entity(0x801, 1024, &[2, 0, 0])])),
        (ENTITY_NUMBER, entities(&[entity(0x801, 0xFFFF, &[2, 0, 0])])),
        (ENTITY_NUMBER, with(34, 1, |block| _ = block.splice(..0, made::baseline(&model(0, 2))))),
        (ENTITY_BITS, entities(&[entity(0x2000, 8, &[0])])),
        (ENTITY_BITS, entities(&[entity(0x1000_0000, 8, &[0])])),
        (ENTITY_ORDER, entities(&[model(9, 2), model(8, 2)])),
        (ENTITY_ORDER, entities(&[model(8, 2), model(8, 2)])),
        (ENTITY_ORDER, entities(&[remove(7), model(7, 2)])),
        (REMOVE_PRESENT, entities(&[remove(8)])),
        (REMOVE_PRESENT, entities(&[remove(5)])),
        (REMOVE_PRESENT, and(&frame(34, 13, -1, &[remove(1)]))),
        (REMOVE_PLAIN, entities(&[entity(0x41, 7, &[0, 0])])),
        (REMOVE_PLAIN, with(34, 1, |block| _ = block.splice(..0, made::baseline(&remove(9))))),
        // What happens.
        (MUZZLE_ENTITY, and(&[1, 0, 0, 3])),
        (MUZZLE_ENTITY, and(&[2, 0, 4, 3])),
        (MUZZLE_ENTITY, and(&[2, 0xFF, 0xFF, 3])),
        (TEMP_KIND, and(&[3, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        (TEMP_KIND, and(&[3, 56, 0, 0])),
        (TEMP_KIND, with(30, 4, |block| block.extend([3, 23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))),
        (TEMP_KIND, with(31, 4, |block| block.extend([3, 28, 0, 0, 0, 0, 0, 0]))),
        (TEMP_KIND, with(33, 4, |block| block.extend([3, 30, 0, 0, 0, 0, 0, 0, 0]))),
        (DIRECTION, and(&[3, 0, 0, 0, 0, 0, 0, 0, 162])),
        (SOUND_BITS, and(&[9, 0x20, 1, 0])),
        (SOUND_ENTITY, and(&[9, 8, 1, 8, 0x20])),
        (PRINT_LEVEL, and(&print(4))),
        (DOWNLOAD, and(&[16, 0xFE, 0xFF, 0])),
        (DOWNLOAD, and(&[16, 0xFF, 0xFF, 101])),
        (DISCONNECT, and(&[7, 6])),
        (DISCONNECT, made::file(&[made::demo(34), vec![vec![8], frame(34, 13, 12, &[])]].concat())),
    ]
}

#[test]
fn each_damage_breaks_the_rule_that_it_should() {
    for (number, (rule, file)) in damages().into_iter().enumerate() {
        assert_eq!(broken(&file), rule, "damage {number}: {:?}", check(&file));
    }
}

#[test]
fn each_rule_is_broken_by_some_damage() {
    let damages = damages();
    for rule in rules::ALL {
        assert!(damages.iter().any(|damage| damage.0 == *rule), "{}", rule.name);
    }
}

/// What is just within a rule breaks none.
#[test]
fn the_edges_of_rules_hold() {
    let sound = [&[9, 8, 1][..], &(1024u16 << 3).to_le_bytes()].concat();
    let edges = [
        and(&config(2079, &"x".repeat(63))),
        and(&config(5, &"x".repeat(1535))),
        and(&config(28, &"x".repeat(63))),
        and(&stufftext(&"x".repeat(2047))),
        and(&frame(34, 21_474_836, 12, &[])),
        and(&frame(34, 13, 0, &[])),
        and(&areas(32)),
        and(&[3, 0, 0, 0, 0, 0, 0, 0, 161]),
        and(&sound),
        and(&[1, 0xFF, 3, 3]),
        and(&vec![6; 0x8000]),
        and(&[16, 0xFF, 0xFF, 100]),
        and(&[7]),
        entities(&[model(1023, 2)]),
        made::file(&[made::demo(34), vec![vec![8]], made::demo(34)].concat()),
        // The frame 16 back is in its place until this one takes it.
        many(1, 16),
        // 889 entities back, and 1016 with the last frame; 512 and 1024.
        many(127, 7),
        many(512, 1),
    ];
    for (number, file) in edges.iter().enumerate() {
        let report = check(file);
        assert!(report.is_ok(), "edge {number}: {report:?}");
    }
}

/// Wherever a recording is cut, it has no end.
#[test]
fn a_recording_that_is_cut_has_no_end() {
    let demo = testdata("q2-demo1.dm2");
    let ends = demo.len() - 4;
    for length in (0..ends).step_by(61).chain(ends - 40..demo.len()) {
        let rule = broken(&demo[..length]);
        assert!([rules::END_MARK, rules::BLOCK_SIZE].contains(&rule), "{length}: {rule:?}");
    }
}

/// Blocks of a recording that are lost, come twice, change places, or are longer or shorter than their messages. Five
/// start it, and each of the others has a frame that refers to the one in front of it.
#[test]
fn blocks_of_a_recording_have_their_places() {
    let demo = testdata("q2-demo1.dm2");
    let blocks = made::blocks(&demo);
    assert_eq!(made::file(&blocks), demo);
    let notes = check(&demo).unwrap().notes;
    let changed = |change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut blocks = blocks.clone();
        change(&mut blocks);
        made::file(&blocks)
    };
    let last = blocks.len() - 1;
    for at in 0..=last {
        let lost = changed(&|blocks| _ = blocks.remove(at));
        match at {
            0 => assert_eq!(broken(&lost), rules::SERVERDATA_FIRST),
            // A level may be without configstrings and baselines: what lacks them is noted.
            1..4 => {
                let lacking = [
                    "model that no configstring names",
                    "sound of an entity that no configstring names",
                    lists::UNSEEN,
                ][at - 1];
                assert!(!notes.contains_key(lacking) && check(&lost).unwrap().notes.contains_key(lacking), "{at}");
            }
            4 => assert_eq!(broken(&lost), rules::PRECACHE),
            5 => assert_eq!(broken(&lost), rules::FRAME_FULL),
            _ if at == last => assert_eq!(check(&lost).unwrap().frames, 209),
            _ => assert_eq!(broken(&lost), rules::FRAME_BASE, "{at}"),
        }
        if at > 4 {
            let twice = changed(&|blocks| blocks.insert(at, blocks[at].clone()));
            assert_eq!(broken(&twice), rules::FRAME_NUMBER, "{at}");
        }
        if (5..last).contains(&at) {
            let swapped = changed(&|blocks| blocks.swap(at, at + 1));
            assert_eq!(broken(&swapped), if at == 5 { rules::FRAME_FULL } else { rules::FRAME_BASE }, "{at}");
        }
        let longer = changed(&|blocks| blocks[at].push(0));
        assert_eq!(broken(&longer), rules::MESSAGE_KNOWN, "{at}");
        let shorter = changed(&|blocks| _ = blocks[at].pop());
        assert!([rules::MESSAGE_WHOLE, rules::STRING_END].contains(&broken(&shorter)), "{at}");
    }
}

/// A refusal says where, what, and by which document.
#[test]
fn a_refusal_says_where_and_why() {
    let error = check(&of(&[0, 1, 2, 4])).unwrap_err();
    // Where the end mark of the first three would be, a size stands and then the frame.
    let at = of(&[0, 1, 2]).len();
    assert_eq!(
        error,
        format!(
            "block 3, byte {at}: the frame referred to is the one in its place of the ring of 16: \
             frame 12 refers to 11, whose place is empty (facts 4.3)"
        )
    );
}

/// The library has no part in the rules: only the tests of them name anything else of this crate.
#[test]
fn the_rules_stand_alone() {
    let folder = root().join("crates/qdemo/tests/it/edit/quake2_rules");
    for path in files(&folder, "rs") {
        let source = std::fs::read_to_string(&path).unwrap();
        let is_test = ["damage.rs", "recordings.rs"].contains(&file_name(&path).as_str());
        let foreign = [concat!("qdemo", "::"), concat!("crate", "::"), concat!("extern ", "crate")];
        assert!(is_test || !foreign.iter().any(|name| source.contains(name)), "{}", path.display());
    }
}

/// The smallest recording of the test release: its own numbers for messages, each frame whole, and no end mark.
fn test_release(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut start = vec![7, 25, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0];
    start.extend(b"Comm Center\0\x08\x21\0maps/base1.bsp\0");
    // A baseline: entity 2 with a model and an origin.
    start.extend([9, 0xA7, 0, 0x08, 0, 7, 8, 0, 8, 0, 8, 0]);
    start.extend(b"\x06precache\n\0");
    made::unended(&[&[start], frames].concat())
}

/// A frame of the test release with these entities.
fn old_frame(number: u8, entities: &[u8]) -> Vec<u8> {
    let player = [&[14, 0x14, 0][..], &[0; 3 * 6], &[3, 0], &[2, 0, 0, 0, 100, 0]].concat();
    [&[18, number, 0, 0, 0, 1, 0xFF], &player[..], &[16], entities, &[0, 0]].concat()
}

#[test]
fn the_test_release_has_its_own_rules() {
    // Entities 1 and 2, the second with every field that is known.
    let all: &[u8] = &[
        0xBF, 0, 0x7F, 0xC7, 1, 1, 2, 2, 2, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9, 1, 2, 3, 1, 0, 1, 0, 1,
        0, 9,
    ];
    let two = [&[0x41, 0, 8, 0][..], all].concat();
    let report = check(&test_release(&[old_frame(1, &two), old_frame(2, &[])])).unwrap();
    assert_eq!((report.protocol, report.levels, report.blocks, report.frames, report.full_frames), (25, 1, 3, 2, 2));

    let one = |entities: &[u8]| broken(&test_release(&[old_frame(1, entities)]));
    assert_eq!(one(&[0x81, 0, 8, 0, 0x41, 0, 8, 0]), rules::ENTITY_ORDER);
    assert_eq!(one(&[0x60, 0, 0x80, 0]), rules::ENTITY_BITS);
    assert_eq!(one(&[0x01, 0, 8, 0]), rules::ENTITY_NUMBER);
    let then = |message: &[u8]| broken(&test_release(&[old_frame(1, &[]), message.to_vec()]));
    assert_eq!(then(&old_frame(1, &[])), rules::FRAME_NUMBER);
    assert_eq!(then(&[17]), rules::MESSAGE_KNOWN);
    assert_eq!(then(&[10, 5]), rules::TEMP_KIND);
    assert_eq!(then(&[9, 0x41, 0, 8, 0]), rules::BASELINE_PLACE);
    assert_eq!(then(&old_frame(2, &[])[..12]), rules::MESSAGE_WHOLE);
    assert_eq!(then(&old_frame(2, &[])[..7]), rules::FRAME_ORDER);
    assert_eq!(then(&[14]), rules::FRAME_ORDER);
    let unknown = [&[18, 2, 0, 0, 0, 0, 14, 0x16][..], &[0; 40]].concat();
    assert_eq!(then(&unknown), rules::PLAYER_BITS);
    let no_precache = [&[7, 25, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0][..], &old_frame(1, &[])].concat();
    assert_eq!(broken(&made::unended(&[no_precache])), rules::PRECACHE);
}
