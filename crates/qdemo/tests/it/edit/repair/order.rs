//! Numbers of which a bit is damaged, blocks that come again, ends that are none: what the blocks around them tell.

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::edit::repair::{Done, Found};
use qdemo::replay::World;
use qdemo::world::Scene as _;
use qdemo::{FileKind, Limits, Reader};

use super::{blocks, reordered, repaired};
use crate::common::{assert_sound, demo, testdata};

/// Where the number of a block stands within it, if it has one.
fn number_in(block: &[u8], kind: FileKind) -> Option<usize> {
    match kind {
        FileKind::Dm3 => Some(0),
        FileKind::Qwd => (block[4] == 1).then_some(9),
        // A frame begins with it.
        FileKind::Dm2 => (block[4] == 20).then_some(5),
        _ => None,
    }
}

/// One bit of one number: nothing but that block is touched, however far its number is off. Blocks of Quake II cannot be
/// renumbered: others build on them.
#[test]
fn a_bit_of_a_number_costs_no_other_block() {
    for name in ["ez-dm.qwd", "oa-dm2.dm_68", "oa-dm4.dm_71", "q2-demo1.dm2"] {
        let bytes = testdata(name);
        let sound = repaired(&bytes, name);
        let all = blocks(&bytes, name);
        let number = |block: usize| {
            let range = all.ranges[block].clone();
            let at = range.start + number_in(&bytes[range], all.kind)?;
            Some((at, u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())))
        };
        let numbers: Vec<_> = (all.ranges.len() / 3..all.ranges.len()).filter_map(number).collect();
        let mut runs = 0;
        for bit in [1, 3, 4, 5, 6, 7, 9, 20] {
            let is_row = |row: &&[(usize, u32)]| {
                let goes_on = row.windows(2).all(|pair| pair[1].1 == pair[0].1 + 1);
                goes_on && row[1].1 & 1 << bit == 0
            };
            let Some(row) = numbers.windows(6).find(is_row) else { continue };
            let mut damaged = bytes.clone();
            damaged[row[1].0 + bit / 8] ^= 1 << (bit % 8);
            let (out, account) = repaired(&damaged, name);
            assert_sound(&out, name);
            let found: Vec<_> = account.repairs.iter().map(|it| (it.found, it.done)).collect();
            let expected = if all.kind == FileKind::Dm2 { Done::Dropped } else { Done::Renumbered };
            assert_eq!(found.first(), Some(&(Found::WrongNumber, expected)), "{name}: bit {bit}: {found:?}");
            let others =
                found[1..].iter().filter(|it| !matches!(it, (Found::NoEnd, _) | (Found::LostBase, Done::Rebuilt)));
            assert_eq!(others.count(), 0, "{name}: bit {bit}: {found:?}");
            let account = account.account;
            if expected == Done::Renumbered {
                assert!(out == sound.0, "{name}: bit {bit}");
                assert_eq!((account.blocks_changed, account.blocks_dropped), (1, 0), "{name}: bit {bit}");
            } else {
                assert_eq!(account.blocks_dropped, 1, "{name}: bit {bit}");
            }
            runs += 1;
        }
        assert!(runs > 3, "{name}: {runs}");
    }
}

/// The blocks with which levels begin.
fn levels(bytes: &[u8], name: &str) -> Vec<usize> {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let (mut levels, mut block) = (Vec::new(), 0);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if chunk.block().is_some() {
            if world.changes().level {
                levels.push(block);
            }
            block += 1;
        }
    }
    levels
}

/// Nor does it where a level begins, or where packets are told to be counted from.
#[test]
fn a_bit_of_the_first_number_of_a_level_costs_no_other_block() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "merge-a.qwd", "q2-demo1.dm2"] {
        let one = testdata(name);
        let (bytes, _) = qdemo::edit::join([(name, &one[..]), (name, &one)], Limits::default(), Vec::new()).unwrap();
        let (sound, account) = repaired(&bytes, name);
        assert!(account.is_sound(), "{name}: {:?}", account.repairs);
        let all = blocks(&bytes, name);
        let of = |block: usize| &bytes[all.ranges[block].clone()];
        let begins = levels(&bytes, name)[1];
        let mut places: Vec<_> = (begins..all.ranges.len())
            .filter_map(|block| Some(all.ranges[block].start + number_in(of(block), all.kind)?))
            .take(1)
            .collect();
        if all.kind == FileKind::Qwd {
            let told = (0..all.ranges.len()).find(|block| of(*block)[4] == 2).unwrap();
            places.push(all.ranges[told].start + 9);
            let first = (told..all.ranges.len()).find(|block| number_in(of(*block), all.kind).is_some()).unwrap();
            places.push(all.ranges[first].start + 9);
        }
        for at in places {
            let number = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            for bit in (1..12).filter(|bit| number & 1 << bit == 0) {
                let mut damaged = bytes.clone();
                damaged[at + bit / 8] ^= 1 << (bit % 8);
                let (out, account) = repaired(&damaged, name);
                assert_eq!(account.count(Found::WrongNumber), 1, "{name}: {number}, bit {bit}: {:?}", account.repairs);
                if all.kind == FileKind::Dm2 {
                    assert_eq!(account.account.blocks_dropped, 1, "{name}: {number}, bit {bit}");
                    assert_eq!(account.count(Found::Swapped), 0, "{name}: {number}, bit {bit}");
                } else {
                    assert!(out == sound, "{name}: {number}, bit {bit}: {:?}", account.repairs);
                }
            }
        }
    }
}

/// Networks bring a packet early, and again.
#[test]
fn a_block_that_came_early_and_again_keeps_its_number() {
    for name in ["ez-dm.qwd", "oa-dm2.dm_68", "oa-dm4.dm_71", "q2-demo1.dm2"] {
        let bytes = testdata(name);
        let all = blocks(&bytes, name);
        let is_numbered = |block: &usize| number_in(&bytes[all.ranges[*block].clone()], all.kind).is_some();
        let numbered: Vec<_> = (all.ranges.len() / 3..all.ranges.len()).filter(is_numbered).collect();
        for row in [[0, 3, 2, 3, 4], [0, 4, 2, 4, 5]] {
            let order: Vec<usize> = (0..numbered[0]).chain(row.map(|n| numbered[n])).collect();
            let rest: Vec<usize> = (order[order.len() - 1] + 1..all.ranges.len()).collect();
            let damaged = reordered(&bytes, &all, &[order, rest].concat());
            let (out, account) = repaired(&damaged, name);
            assert_sound(&out, name);
            assert_eq!(account.count(Found::WrongNumber), 0, "{name}: {row:?}: {:?}", account.repairs);
            assert_eq!(account.account.blocks_dropped, 1, "{name}: {row:?}: {:?}", account.repairs);
        }
    }
}

/// Of zeros commands of players could be made, at the beginning of time.
#[test]
fn zeros_are_no_commands() {
    let name = "ez-dm.qwd";
    let bytes = testdata(name);
    for len in [512, 4_096] {
        let mut damaged = bytes.clone();
        let at = bytes.len() / 2 / 512 * 512;
        damaged[at..at + len].fill(0);
        let (out, _) = repaired(&damaged, name);
        assert_sound(&out, name);
        let nothing = blocks(&out, name).ranges.into_iter().filter(|range| out[range.clone()].iter().all(|b| *b == 0));
        assert_eq!(nothing.count(), 0, "{len}");
        let length = |bytes: &[u8]| qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().1;
        assert_eq!(length(&out), length(&bytes), "{len}");
    }
}

/// An end in the middle: nothing behind it is lost in silence. Recorders of `.mvd` leave old blocks there.
#[test]
fn blocks_behind_an_end_go_on_or_are_told_of() {
    for name in ["ez-dm.qwd", "ez-dm.mvd"] {
        let (whole, _) = repaired(&testdata(name), name);
        let ranges = blocks(&whole, name).ranges;
        let (middle, end) = (ranges[ranges.len() / 2].start, &whole[ranges[ranges.len() - 1].clone()]);
        // Zeros are records of an `.mvd`.
        let zeros = if name.ends_with("qwd") { &[0; 1_000][..] } else { &[] };
        for junk in [&[][..], &[0xEE; 3], &[0x55; 100], zeros] {
            let damaged = [&whole[..middle], end, junk, &whole[middle..]].concat();
            let (out, account) = repaired(&damaged, name);
            let found = check(&damaged[..], name, Limits::default(), &Checks::default()).unwrap().findings;
            let severity = found.iter().find(|it| it.rule == "end").map(|it| it.severity);
            // Where blocks stand just behind the end they are read on of both.
            if name.ends_with("qwd") || junk.is_empty() {
                assert!(out == whole, "{} bytes: {:?}", junk.len(), account.repairs);
                assert_eq!(account.count(Found::EndWithin), 1, "{name}: {} bytes", junk.len());
                let told = if name.ends_with("qwd") { Severity::Warning } else { Severity::Note };
                assert_eq!(severity, Some(told), "{name}: {} bytes", junk.len());
            } else {
                assert!(out == damaged && account.is_sound(), "{} bytes: {:?}", junk.len(), account.repairs);
                let notes = account.account.notes;
                assert!(notes.len() == 1 && notes[0].contains("look like blocks"), "{} bytes: {notes:?}", junk.len());
                assert_eq!(severity, Some(Severity::Note), "{} bytes", junk.len());
            }
        }
    }
}

/// Where numbers begin anew the way to go on is told.
#[test]
fn recordings_with_numbers_are_better_joined() {
    for name in ["ez-dm.qwd", "oa-dm2.dm_68", "q2-demo1.dm2"] {
        let (one, _) = repaired(&testdata(name), name);
        let account = repaired(&[&one[..], &one].concat(), name).1;
        let told = account.repairs.iter().filter(|it| it.text.contains("cut out and joined"));
        assert_eq!((account.count(Found::EndWithin), told.count()), (1, 1), "{name}: {:?}", account.repairs);
    }
}

/// Zeros are as many blocks of nothing as fit there: that says nothing of the protocol.
#[test]
fn a_region_of_zeros_is_damage() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let mut bytes = testdata(name);
        let (from, to) = (bytes.len() / 2, bytes.len() * 4 / 5);
        bytes[from..to].fill(0);
        let (out, account) = repaired(&bytes, name);
        assert_sound(&out, name);
        assert!(account.account.blocks_kept > 20, "{name}: {:?}", account.account);
        assert!(repaired(&out, name).1.is_sound(), "{name}");
    }
}

/// A block that is shortened to what readers take for none would end what they read.
#[test]
fn what_is_left_of_a_block_is_one() {
    let name = "q2pro-dm.mvd2";
    let bytes = testdata(name);
    let damaged = [&bytes[..9_220], &bytes[5_455..5_967], &bytes[9_732..]].concat();
    let (out, _) = repaired(&damaged, name);
    assert_sound(&out, name);
}

/// The twin of a block behind bytes that are none is told where it stands, and in order.
#[test]
fn a_twin_behind_damage_is_told_where_it_stands() {
    let frame = |time: f32| [&[7][..], &time.to_le_bytes(), &[0x80, 1]].concat();
    let times: Vec<_> = (0..30).map(|nth| frame(1.0 + 0.1 * nth as f32)).collect();
    let level = crate::common::serverinfo(15, &[]);
    let mut all = vec![&level[..]];
    all.extend(times.iter().map(|frame| &frame[..]));
    all.push(&[2]);
    let whole = demo("-1\n", &all);
    let ranges = blocks(&whole, "x.dem").ranges;
    let twin = ranges[15].clone();
    let damaged = [&whole[..twin.end], &[0xEE; 58], &whole[twin.start..]].concat();
    let account = repaired(&damaged, "x.dem").1;
    let found: Vec<_> = account.repairs.iter().map(|it| (it.found, it.offset as usize)).collect();
    let behind = [(Found::Unframed, twin.end), (Found::Doubled, twin.end + 58)];
    assert!(found.ends_with(&behind), "{found:?} for {behind:?}");
}

/// Whatever is not in the output is told.
#[test]
fn bytes_dropped_are_those_of_the_repairs() {
    let bytes = testdata("dm13-15.dem");
    let account = repaired(&[&bytes[..], &bytes].concat(), "two.dem").1;
    let told: u64 = account.repairs.iter().filter(|it| it.done == Done::Dropped).map(|it| it.bytes).sum();
    assert_eq!((account.count(Found::EndWithin), account.bytes_dropped), (1, told));
}

/// The last frame and an end mark in the middle: the number of the block behind the mark tells that it is the frame that does
/// not belong there. The genuine one stays.
#[test]
fn a_block_in_front_of_an_end_that_is_none_is_put_in_order() {
    for name in ["q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71"] {
        let bytes = testdata(name);
        let ranges = blocks(&bytes, name).ranges;
        let [at, last] = [ranges[50].start, ranges[ranges.len() - 1].start];
        let damaged = [&bytes[..at], &bytes[last..], &bytes[at..]].concat();
        let (out, account) = repaired(&damaged, name);
        assert!(out == bytes, "{name}: {:?}", account.repairs);
        assert_eq!(account.count(Found::EndWithin), 1, "{name}: {:?}", account.repairs);
    }
}
