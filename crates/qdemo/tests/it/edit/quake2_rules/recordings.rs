//! What real engines recorded, and what the documents describe, breaks no rule.

use std::collections::BTreeSet;
use std::fs;

use super::entities::UNSEEN;
use super::rules::NOT_COVERED;
use super::{check, made};
use crate::common::{all_dm2, file_name, manifest, testdata};

const LEVELS: &str = "more levels than one, of which Quake II plays the first";
const SECOND: &str = "serverdata behind other messages of its block";

/// Every recording at hand: of protocols 25, 31 and 34. Of 26 to 30, 32 and 33 there is none (facts 0).
#[test]
fn recordings_break_no_rule() {
    let listed = manifest();
    for path in all_dm2() {
        let name = file_name(&path);
        let report = check(&fs::read(&path).unwrap());
        let listed = listed.get(&name);
        if listed.is_some_and(|it| it.what.starts_with("protocol 56 ")) {
            let error = report.unwrap_err();
            assert!(error.contains(NOT_COVERED.name) && error.contains("protocol 56"), "{name}: {error}");
            continue;
        }
        let report = report.unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Some(it) = listed {
            assert_eq!(Some(report.blocks), it.blocks, "{name}");
            assert!(it.what.starts_with(&format!("protocol {} ", report.protocol)), "{name}");
            let largest = it.framing.strip_prefix("largest block ").and_then(|it| it.split(';').next()?.parse().ok());
            assert!(largest.is_none_or(|it: usize| it == report.largest_block), "{name}");
        }
        // Each tells of one level, and its client waited for a frame that refers to no other.
        assert_eq!(report.levels, 1, "{name}");
        let whole = if report.protocol == 25 { report.frames } else { 1 };
        assert_eq!(report.full_frames, whole, "{name}");
        // Nothing is odd but what is known: id's recorder leaves out baselines without a model, Q2PRO's does not; 3.1x
        // lists entities from 256 on although nothing of them changed.
        let odd: &[&str] = match report.protocol {
            25 => &[],
            31 => &[UNSEEN, "entity listed without a change"],
            _ => &["baseline without a model"],
        };
        assert_eq!(report.notes.keys().copied().collect::<Vec<_>>(), odd, "{name}");
    }
}

/// Frames by other decoders (facts 0): of the only file each.
#[test]
fn frames_are_counted_as_others_count_them() {
    for path in all_dm2() {
        let Ok(report) = check(&fs::read(&path).unwrap()) else { continue };
        match report.protocol {
            25 => assert_eq!(report.frames, 583),
            31 => assert_eq!(report.frames, 632),
            _ => {}
        }
    }
    // Five blocks start it, and each of the others is a frame's.
    let report = check(&testdata("q2-demo1.dm2")).unwrap();
    assert_eq!((report.blocks, report.frames), (215, 210));
}

#[test]
fn made_demos_of_each_protocol_break_no_rule() {
    for protocol in 26..=34 {
        let report = check(&made::file(&made::demo(protocol))).unwrap_or_else(|error| panic!("{protocol}: {error}"));
        assert_eq!((report.protocol, report.levels, report.blocks), (protocol, 1, 5));
        assert_eq!((report.frames, report.full_frames), (3, 1));
        assert_eq!(report.notes.keys().collect::<Vec<_>>(), Vec::<&&str>::new(), "{protocol}");
    }
}

/// A client plays what no recorder writes; the report tells of it.
#[test]
fn what_is_odd_is_noted() {
    let sound = vec![9, 0, 77];
    let noted = |blocks: &[Vec<u8>]| -> BTreeSet<&str> {
        let report = check(&made::file(blocks)).unwrap();
        report.notes.into_keys().collect()
    };
    let with = |messages: &[u8]| {
        let mut blocks = made::demo(34);
        blocks[4].extend(messages);
        noted(&blocks)
    };
    assert_eq!(with(&[]), BTreeSet::new());
    assert_eq!(with(&sound), ["sound that no configstring names"].into());
    assert_eq!(with(&made::stufftext("reconnect\n")), ["stufftext of a connection"].into());
    assert_eq!(with(&[1, 1, 0, 20]), ["muzzle flash that no engine knows"].into());
    assert_eq!(with(&[2, 1, 0, 211]), ["muzzle flash that no engine knows"].into());
    assert_eq!(with(&vec![6; 1400]), ["block above 1400 bytes, which id's engines refuse"].into());

    let lists = |entities: &[Vec<u8>]| {
        let mut blocks = made::demo(34);
        blocks.push(made::frame(34, 13, 12, entities));
        noted(&blocks)
    };
    assert_eq!(lists(&[made::model(8, 3)]), ["model that no configstring names"].into());
    assert_eq!(lists(&[made::entity(0, 7, &[])]), ["entity listed without a change"].into());
    // Its baseline is gone.
    assert_eq!(lists(&[made::entity(0, 200, &[])]), [UNSEEN].into());

    assert_eq!(lists(&[made::entity(0x20, 8, &[8])]), ["event that no engine knows"].into());
    assert_eq!(lists(&[made::entity(0x0400_0000, 8, &[5])]), ["sound of an entity that no configstring names"].into());

    // Its event was of the frame in front of it only.
    let event = made::frame(34, 13, 12, &[made::entity(0x20, 8, &[2])]);
    for entities in [vec![], vec![made::entity(0x1, 8, &[0, 0])]] {
        let next = made::frame(34, 14, 13, &entities);
        assert_eq!(noted(&[made::demo(34), vec![event.clone(), next]].concat()), [UNSEEN].into());
    }
    assert_eq!(noted(&[made::demo(34), vec![event]].concat()), BTreeSet::new());

    // A frame that refers to none, of a player without anything.
    let blind = [&made::frame_head(34, 13, -1)[..], &[17, 0, 0, 0, 0, 0, 0], &made::list(&[])].concat();
    let behind = |block: Vec<u8>| noted(&[made::demo(34), vec![block]].concat());
    assert_eq!(behind(blind), ["frame with a field of view of 0"].into());
    let gun = [&made::frame_head(34, 13, 12)[..], &[17, 0, 0x10, 9, 0, 0, 0, 0], &made::list(&[])].concat();
    assert_eq!(behind(gun), ["gun that no configstring names"].into());
    let mut long_end = made::frame(34, 13, 12, &[]);
    long_end.splice(long_end.len() - 2.., [0x80, 0x01, 0, 0]);
    assert_eq!(behind(long_end), ["list of entities ended by more than two zero bytes"].into());
    assert_eq!(with(&[3, 36, 0, 0, 0, 0, 0, 0, 0, 4]), ["temporary entity of an entity out of range"].into());
    assert_eq!(with(&[16, 1, 0, 50, 0xAA]), ["download, which writes a file"].into());
    assert_eq!(with(&made::stufftext("precache\n")), ["told to precache again"].into());

    // In front of the precaching.
    let starts = |at: usize, messages: &[u8]| {
        let mut blocks = made::demo(34);
        blocks[at].splice(..0, messages.iter().copied());
        noted(&blocks)
    };
    assert_eq!(starts(1, &made::config(32, "x")), ["configstrings of a level's start out of order"].into());
    assert_eq!(starts(1, &made::baseline(&made::model(5, 2))), ["second baseline of an entity"].into());
    assert_eq!(starts(1, &made::baseline(&made::model(9, 0))), ["baseline without a model"].into());
    assert_eq!(starts(0, &made::serverdata(34, 1, 0)), ["level without a frame", SECOND, LEVELS].into());
    let level = |mark, player| {
        let precache = made::stufftext("precache\n");
        let map = made::config(33, "maps/base1.bsp");
        let start = [made::serverdata(34, mark, player), if player < 0 { vec![] } else { map }, precache].concat();
        noted(&[start, made::frame(34, 1, -1, &[])])
    };
    let lacks =
        ["no configstring tells how many clients there may be", "no configstring tells the checksum of the map"];
    assert_eq!(level(1, 0), lacks.into());
    // A level without a player needs no map.
    assert_eq!(level(1, -1), lacks.into());
    let live = "serverdata of a live server, which lets the client predict";
    assert_eq!(level(0, 0), [lacks[0], lacks[1], live].into());

    let mut blocks = made::demo(34);
    blocks.push(vec![6]);
    assert_eq!(noted(&blocks), ["block without a frame behind the first"].into());

    let levels = [made::demo(34), vec![vec![]], made::demo(34)].concat();
    assert_eq!(noted(&levels), [LEVELS].into());
    let report = check(&made::file(&levels)).unwrap();
    assert_eq!((report.levels, report.blocks, report.frames), (2, 10, 6));
}
