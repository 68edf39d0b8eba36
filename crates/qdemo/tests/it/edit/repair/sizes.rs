//! Sizes that are damaged, where that is certain: sizes that are right stay, and blocks that a size ran over are there.

use std::fs;
use std::ops::Range;

use qdemo::edit::RepairAccount;
use qdemo::edit::repair::{Found, repair};
use qdemo::{FileKind, Limits};

use super::{all, blocks, repaired};
use crate::common::{Random, assert_sound, rounds, shared, testdata};

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
                    assert_eq!(account.account.blocks_changed, 1, "{name}: {range:?}, bit {bit}");
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
/// much, bytes that stand there twice, filler, a cut.
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
            match nth % 9 {
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
                6 => damaged.truncate(at),
                7 => drop(damaged.splice(at..at, bytes[at..at + rest.min(power)].to_vec())),
                _ => drop(damaged.splice(at..at, vec![[0, 1, 6][random.below(3)]; power])),
            }
            let Ok((_, account)) = repair(|| Ok(&damaged[..]), name, Limits::default(), Vec::new()) else { continue };
            assert_eq!(sizes(&account), [], "{name}: round {nth} at {at}: {:?}", account.repairs);
        }
    }
}

/// Bytes of a block that stand there twice, and filler within it: what is told again, or nothing, can be read, and the size that
/// lacks just these bytes is right.
#[test]
fn bytes_that_stand_there_twice_and_filler_tell_no_size() {
    for name in ["q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71", "e0m1-666.dem", "ez-dm.qwd"] {
        let bytes = testdata(name);
        let all = blocks(&bytes, name);
        let nop = if all.kind == FileKind::Dm2 { 6 } else { 1 };
        for range in all.ranges[all.ranges.len() / 2..].iter().step_by(3).take(rounds(12).max(3)) {
            let Some(at) = size_in(&bytes[range.clone()], all.kind) else { continue };
            let size = i32::from_le_bytes(bytes[range.start + at..][..4].try_into().unwrap());
            for run in [16, 32, 64] {
                // Only a bit that is not set may seem to be lost.
                if size & run != 0 {
                    continue;
                }
                let run = run as usize;
                for at in (range.start + 16..range.end.saturating_sub(run)).step_by(7) {
                    for more in [bytes[at..at + run].to_vec(), vec![nop; run], vec![1; run]] {
                        let damaged = [&bytes[..at], &more, &bytes[at..]].concat();
                        let Ok((_, account)) = repair(|| Ok(&damaged[..]), name, Limits::default(), Vec::new()) else {
                            continue;
                        };
                        assert_eq!(sizes(&account), [], "{name}: {run} at {at}: {:?}", account.repairs);
                    }
                }
            }
        }
    }
}

/// The same where some of them stand in front of a block, and the others are its first ones.
#[test]
fn bytes_around_the_beginning_of_a_block_that_stand_there_twice_tell_no_size() {
    for name in ["q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71", "e0m1-666.dem", "ez-dm.qwd"] {
        let bytes = testdata(name);
        let all = blocks(&bytes, name);
        let seen = (name == "q2-demo1.dm2").then_some((15_112, 32));
        let places = all.ranges[all.ranges.len() / 2..].iter().step_by(3).take(rounds(40).max(10));
        let places = places.flat_map(|range| {
            let before = |run| [1, 3, run / 2].map(|before| (range.start - before, run));
            [16, 32, 64].into_iter().flat_map(before)
        });
        for (at, run) in seen.into_iter().chain(places) {
            let Some(twice) = bytes.get(at..at + run) else { continue };
            let damaged = [&bytes[..at], twice, &bytes[at..]].concat();
            let Ok((_, account)) = repair(|| Ok(&damaged[..]), name, Limits::default(), Vec::new()) else { continue };
            assert_eq!(sizes(&account), [], "{name}: {run} at {at}: {:?}", account.repairs);
        }
    }
}

/// The same where it was seen: playerstates and lists of entities told twice.
#[test]
fn a_state_that_is_told_twice_tells_no_size() {
    for (name, at, run) in [
        ("dm2/q2pro-34-dm.dm2", 8_098, 16),
        ("dm2/q2pro-34-coop.dm2", 33_126, 16),
        ("dm2/q2pro-net35-written34-dm.dm2", 9_236, 32),
        ("dm_68/oa-dm2-sync.dm_68", 11_581, 16),
    ] {
        let Some(path) = shared(&format!("recorded/{name}")) else { continue };
        let bytes = fs::read(path).unwrap();
        let damaged = [&bytes[..at], &bytes[at..at + run], &bytes[at..]].concat();
        assert_eq!(sizes(&repaired(&damaged, name).1), [], "{name}");
    }
}

/// Where a damaged size ended within another block, that one is there, too.
#[test]
fn a_block_within_which_a_damaged_size_ended_is_there() {
    for (name, at, bits) in [("q2pro-dm.mvd2", 6_103, 2), ("q2-demo1.dm2", 6_549, 2)] {
        let bytes = testdata(name);
        let mut damaged = bytes.clone();
        damaged[at] ^= bits;
        let (out, account) = repaired(&damaged, name);
        assert!(out == repaired(&bytes, name).0, "{name}: {:?}", account.repairs);
        assert_eq!(account.repairs.len(), 1, "{name}: {:?}", account.repairs);
        assert_eq!(sizes(&account).len(), 1, "{name}: {:?}", account.repairs);
    }
}

/// The end of a recording behind a block with a damaged size is one: what stands behind it is not played.
#[test]
fn the_end_behind_a_damaged_size_is_one() {
    let name = "ez-dm.mvd";
    let bytes = testdata(name);
    let mut damaged = bytes.clone();
    damaged[29_826] ^= 4;
    let (out, account) = repaired(&damaged, name);
    assert!(out == bytes, "{:?}", account.repairs);
    assert_eq!(sizes(&account).len(), 1, "{:?}", account.repairs);
}

/// What is told of damage in a row is true of all of it.
#[test]
fn damage_is_told_with_its_reason() {
    let name = "clip.dem";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let mut damaged = bytes.clone();
    damaged.splice(ranges[50].start..ranges[50].start, vec![0xFF; 200_000]);
    let (out, account) = repaired(&damaged, name);
    assert!(out == bytes, "{:?}", account.repairs);
    // Read in parts, and damaged for one reason.
    let [repair] = &account.repairs[..] else { panic!("{:?}", account.repairs) };
    assert_eq!((repair.offset, repair.bytes), (ranges[50].start as u64, 200_000));
    assert!(repair.text.starts_with("bytes that are no block: "), "{}", repair.text);
}

/// A made recording of Quake III with large blocks in which anything may be a header.
#[test]
fn blocks_full_of_headers_are_read_in_time() {
    let name = "oa-dm2.dm_68";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let payload: Vec<u8> = [0, 1, 0].repeat(80_000);
    let block = |nth: i32| {
        let header = [(100_000 + nth).to_le_bytes(), (payload.len() as i32).to_le_bytes()].concat();
        [header, payload.clone()].concat()
    };
    let made: Vec<u8> = (0..2).flat_map(block).collect();
    let damaged = [&bytes[..ranges[60].start], &made, &bytes[ranges[60].start..]].concat();
    let begun = std::time::Instant::now();
    repaired(&damaged, name);
    // Each place was read to the end of its block: that took more than ten seconds.
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
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
