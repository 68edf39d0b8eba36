//! Sizes that are damaged, where that is certain: sizes that are right stay, and blocks that a size ran over are there.

use std::ops::Range;

use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Found, repair};
use qdemo::{FileKind, Limits};

use super::{all, blocks, repaired};
use crate::common::{Random, assert_sound, rounds, testdata};

/// Where the size of a block stands within it, if it has one.
fn size_in(block: &[u8], kind: FileKind) -> Option<usize> {
    match kind {
        FileKind::Dm3 => Some(4),
        FileKind::Qwd => (block[4] == 1).then_some(5),
        FileKind::Mvd => match block[1] & 7 {
            0 | 2 => None,
            3 => Some(6),
            _ => Some(2),
        },
        _ => Some(0),
    }
}

/// Flips a bit of a number in a recording.
fn flipped(bytes: &[u8], at: usize, bit: usize) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    damaged[at + bit / 8] ^= 1 << (bit % 8);
    damaged
}

/// What is said of sizes: where blocks begin, and how many bytes they are said to have, header included.
fn sizes(account: &RepairAccount) -> Vec<(usize, usize)> {
    let found = account.repairs.iter().filter(|repair| repair.found == Found::WrongSize);
    found.map(|repair| (repair.offset as usize, repair.bytes as usize)).collect()
}

/// Any bit of the size of any block: where a size is said to be wrong it is, and the recording is the original again. How often
/// that is so at least, in percent: most bits are those of sizes that no engine writes; of lower ones only those that are
/// gone are certain, in formats in which blocks have numbers or times.
#[test]
fn a_bit_of_a_size_is_mended_or_left() {
    let mut random = Random(0x51_2E);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        // Some have no end of their own.
        let sound = repaired(&bytes, name).0;
        let (mut runs, mut mended) = (0, 0);
        for nth in 0..rounds(300).max(30) {
            let range = match nth {
                0..8 => all.ranges[nth / 2 * (all.ranges.len() - 1) / 3].clone(),
                _ => all.ranges[random.below(all.ranges.len())].clone(),
            };
            let Some(size) = size_in(&bytes[range.clone()], all.kind) else { continue };
            let bit = random.below(if all.kind == FileKind::Mvd2 { 16 } else { 32 });
            let damaged = flipped(&bytes, range.start + size, bit);
            let Ok((out, account)) = repair(|| Ok(&damaged[..]), name, Limits::default(), Vec::new()) else { continue };
            assert_sound(&out, name);
            assert!(repaired(&out, name).1.is_sound(), "{name}: {range:?}, bit {bit}: repaired twice");
            runs += 1;
            match &sizes(&account)[..] {
                [] => {}
                [found] => {
                    assert_eq!(*found, (range.start, range.len()), "{name}: bit {bit}");
                    assert!(out == sound, "{name}: {range:?}, bit {bit}: {:?}", account.repairs);
                    mended += 1;
                }
                more => panic!("{name}: {range:?}, bit {bit}: {more:?}"),
            }
        }
        let least = match all.kind {
            FileKind::Dm3 | FileKind::Dem | FileKind::Dm2 => 50,
            FileKind::Qwd | FileKind::Mvd => 35,
            _ => 20,
        };
        assert!(mended * 100 >= least * runs, "{name}: {mended} of {runs}");
    }
}

/// A size of which the sign is damaged, and one that is too large for anything.
#[test]
fn a_size_that_no_engine_writes_is_mended() {
    for name in ["clip.dem", "q2-demo1.dm2", "oa-dm2.dm_68", "ez-dm.qwd", "ez-dm.mvd"] {
        let bytes = testdata(name);
        let (all, sound) = (blocks(&bytes, name), repaired(&bytes, name).0);
        // Large blocks behind the beginning tell of a moment of the game in any format.
        let later = all.ranges[all.ranges.len() / 2..all.ranges.len() - 20].iter();
        let range = later.max_by_key(|range| range.len()).unwrap();
        for bit in [17, 31] {
            let at = range.start + size_in(&bytes[range.clone()], all.kind).unwrap();
            let (out, account) = repaired(&flipped(&bytes, at, bit), name);
            assert!(out == sound, "{name}: {range:?}, bit {bit}: {:?}", account.repairs);
            assert_eq!(sizes(&account), [(range.start, range.len())]);
        }
    }
}

/// Whatever else is damaged, no size is said to be wrong: bytes that are lost, powers of two of them, garbage, zeros, bytes too
/// much, a cut.
#[test]
fn a_size_that_is_right_stays() {
    let mut random = Random(0x51_2F);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let payload = |range: &Range<usize>| range.start + 16..range.end;
        let inner: Vec<_> = all.ranges.iter().map(payload).filter(|range| !range.is_empty()).collect();
        for nth in 0..rounds(400).max(40) {
            let range = inner[1 + random.below(inner.len() - 1)].clone();
            let at = range.start + random.below(range.len());
            let (few, power) = (1 + random.below(1500), 1 << random.below(11));
            let mut damaged = bytes.clone();
            let rest = bytes.len() - at;
            match nth % 7 {
                0 => drop(damaged.drain(at..at + rest.min(few))),
                1 => drop(damaged.drain(at..at + rest.min(power))),
                2 => {
                    let garbage = random.bytes(rest.min(power));
                    damaged[at..at + garbage.len()].copy_from_slice(&garbage);
                }
                3 => damaged[at..at + rest.min(power)].fill(0),
                4 => damaged[at] ^= 1 << random.below(8),
                5 => {
                    let more = random.bytes(power);
                    drop(damaged.splice(at..at, more));
                }
                _ => damaged.truncate(at),
            }
            let Ok((_, account)) = repair(|| Ok(&damaged[..]), name, Limits::default(), Vec::new()) else { continue };
            assert_eq!(sizes(&account), [], "{name}: round {nth} at {at}: {:?}", account.repairs);
        }
    }
}

/// Bytes too much in a text: the block can be read with them, and its size is right.
#[test]
fn bytes_too_much_in_a_text_tell_no_size() {
    let name = "q2-demo1.dm2";
    let bytes = testdata(name);
    let all = blocks(&bytes, name);
    // Behind the beginning, letters stand in texts: frames have few of them in a row.
    let letters = |at: &usize| bytes[at - 8..at + 8].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    let later = all.ranges[20].start..all.ranges[all.ranges.len() - 20].start;
    let places: Vec<_> = later.filter(letters).step_by(5).collect();
    assert!(!places.is_empty());
    for at in places {
        for more in [1, 2, 4, 8, 16] {
            let damaged = [&bytes[..at], &b"x".repeat(more), &bytes[at..]].concat();
            let account = repaired(&damaged, name).1;
            assert_eq!(sizes(&account), [], "{at}, {more}: {:?}", account.repairs);
        }
    }
}

/// A block in front of one with a damaged size is sound, also where nothing that plays follows it: QuakeWorld's beginning.
#[test]
fn a_size_that_is_damaged_costs_no_sound_block() {
    let name = "ez-dm.qwd";
    let bytes = testdata(name);
    let all = blocks(&bytes, name);
    for block in 3..60 {
        let range = all.ranges[block].clone();
        let Some(size) = size_in(&bytes[range.clone()], all.kind) else { continue };
        let (out, account) = repaired(&flipped(&bytes, range.start + size, 0), name);
        assert_eq!(sizes(&account), [], "{block}: {:?}", account.repairs);
        assert!(out.starts_with(&bytes[..range.start]), "{block}: {:?}", account.repairs);
    }
}

/// A size that runs over others, of which one cannot be read: those in front of it and behind it are there, and whatever is
/// not is told.
#[test]
fn blocks_behind_one_that_cannot_be_read_are_found_as_well() {
    let name = "clip.dem";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let (at, bad, last) = (50, 55, 63);
    let mut damaged = bytes.clone();
    let size = ranges[last].end - ranges[at].start - 16;
    damaged[ranges[at].start..][..4].copy_from_slice(&(size as u32).to_le_bytes());
    damaged[ranges[bad].start + 16..ranges[bad].end].fill(0xFF);
    let (out, account) = repaired(&damaged, name);
    let kept = |range: &Range<usize>| out.windows(range.len()).any(|window| *window == bytes[range.clone()]);
    let lost: Vec<_> = (at..=last).filter(|block| !kept(&ranges[*block])).collect();
    assert_eq!(lost, [at, bad], "{:?}", account.repairs);
    assert_eq!(account.bytes_dropped, (bytes.len() - out.len()) as u64, "{:?}", account.repairs);
    assert_eq!(account.bytes_dropped, (ranges[at].len() + ranges[bad].len()) as u64);
}

/// A recording of Quake III in which the size of a block runs to the end of one that stands so many behind it.
fn running_over(bytes: &[u8], ranges: &[Range<usize>], at: usize, over: usize) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let size = ranges[at + over].end - ranges[at].start - 8;
    damaged[ranges[at].start + 4..][..4].copy_from_slice(&(size as u32).to_le_bytes());
    damaged
}

/// A size that runs over others to where one of them ends: the block can be read, and bytes are left. It is lost alone.
#[test]
fn a_size_that_runs_over_whole_blocks_costs_none_of_them() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let bytes = testdata(name);
        let ranges = blocks(&bytes, name).ranges;
        for (at, over) in [(60, 1), (60, 5), (100, 10)] {
            let damaged = running_over(&bytes, &ranges, at, over);
            let (out, account) = repaired(&damaged, name);
            let mut expected = numbers(&bytes, name);
            expected.remove(at);
            assert_eq!(numbers(&out, name), expected, "{name}: {at}, {over}: {:?}", account.repairs);
            assert_eq!(account.account.blocks_read, ranges.len() as u64, "{name}: {at}, {over}");
            assert_eq!(account.bytes_dropped, ranges[at].len() as u64, "{name}: {at}, {over}: {:?}", account.repairs);
        }
    }
}

/// The numbers of all blocks of a recording of Quake III.
fn numbers(bytes: &[u8], name: &str) -> Vec<i32> {
    let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    blocks(bytes, name).ranges.iter().map(|range| number(range.start)).collect()
}

/// Blocks within one that cannot be read are put in order as others are.
#[test]
fn blocks_within_a_damaged_one_are_put_in_order() {
    let name = "oa-dm2.dm_68";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let at = 100;
    let mut damaged = running_over(&bytes, &ranges, at, 6);
    damaged[ranges[at].start + 8..ranges[at].end].fill(0);
    // Of those within, one has a wrong number, and two have changed places.
    damaged[ranges[at + 2].start..][..4].copy_from_slice(&1_000_000i32.to_le_bytes());
    let [four, five] = [at + 4, at + 5].map(|block| bytes[ranges[block].clone()].to_vec());
    damaged.splice(ranges[at + 4].start..ranges[at + 5].end, [&five[..], &four].concat());
    let (out, account) = repaired(&damaged, name);
    let mut expected = numbers(&bytes, name);
    expected.remove(at);
    assert_eq!(numbers(&out, name), expected, "{:?}", account.repairs);
    let found = [Found::WrongNumber, Found::Swapped, Found::Undecodable].map(|found| account.count(found));
    assert_eq!(found, [1, 1, 1], "{:?}", account.repairs);
    assert_sound(&out, name);
    assert!(repaired(&out, name).1.is_sound());
}
