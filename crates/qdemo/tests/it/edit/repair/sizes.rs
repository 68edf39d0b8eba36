//! Sizes that are damaged: messages tell the right ones, and blocks that a size ran over are there.

use std::ops::Range;

use qdemo::FileKind;
use qdemo::edit::repair::{Done, Found};

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

/// One bit of a size: the block has the size of its messages again, and no block is lost. In Quake III the recording is the
/// original again; where bytes of a block often look like a header, or the front of a block like a whole one, not always.
#[test]
fn a_bit_of_a_size_costs_no_block() {
    let mut random = Random(0x51_2E);
    for (name, bytes) in all() {
        let all = blocks(&bytes, name);
        let n = all.ranges.len();
        let (mut runs, mut kept) = (0, 0);
        for _ in 0..rounds(100).max(12) {
            let range = all.ranges[5 + random.below(n - 15)].clone();
            let Some(size) = size_in(&bytes[range.clone()], all.kind) else { continue };
            let mut damaged = bytes.clone();
            let bit = 4 + random.below(7);
            damaged[range.start + size + bit / 8] ^= 1 << (bit % 8);
            let (out, account) = repaired(&damaged, name);
            assert_sound(&out, name);
            assert!(repaired(&out, name).1.is_sound(), "{name}: {range:?}, bit {bit}: repaired twice");
            let found: Vec<_> = account.repairs.iter().map(|repair| (repair.found, repair.done)).collect();
            if all.kind == FileKind::Dm3 {
                assert!(out == bytes, "{name}: {range:?}, bit {bit}: {:?}", account.repairs);
                assert_eq!(found, [(Found::WrongSize, Done::Resized)]);
            }
            runs += 1;
            kept += usize::from(blocks(&out, name).ranges.len() >= n);
        }
        assert!(kept * 2 > runs, "{name}: {kept} of {runs}");
    }
}

/// A recording of Quake III in which the size of a block runs to the end of one that stands so many behind it.
fn running_over(bytes: &[u8], ranges: &[Range<usize>], at: usize, over: usize) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    let size = ranges[at + over].end - ranges[at].start - 8;
    damaged[ranges[at].start + 4..][..4].copy_from_slice(&(size as u32).to_le_bytes());
    damaged
}

/// A size that runs over others to where one of them ends: the block can be read, and bytes are left.
#[test]
fn a_size_that_runs_over_whole_blocks_costs_none() {
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let bytes = testdata(name);
        let ranges = blocks(&bytes, name).ranges;
        for (at, over) in [(60, 1), (60, 5), (100, 10)] {
            let damaged = running_over(&bytes, &ranges, at, over);
            let (out, account) = repaired(&damaged, name);
            assert!(out == bytes, "{name}: {at}, {over}: {:?}", account.repairs);
            assert_eq!(account.account.blocks_read, ranges.len() as u64, "{name}: {at}, {over}");
        }
    }
}

/// Blocks within one that cannot be read are put in order as others are.
#[test]
fn blocks_within_a_damaged_one_are_put_in_order() {
    let name = "oa-dm2.dm_68";
    let bytes = testdata(name);
    let ranges = blocks(&bytes, name).ranges;
    let number = |bytes: &[u8], at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let numbers = |bytes: &[u8]| -> Vec<i32> {
        blocks(bytes, name).ranges.iter().map(|range| number(bytes, range.start)).collect()
    };
    let at = 100;
    let mut damaged = running_over(&bytes, &ranges, at, 6);
    damaged[ranges[at].start + 8..ranges[at].end].fill(0);
    // Of those within, one has a wrong number, and two have changed places.
    damaged[ranges[at + 2].start..][..4].copy_from_slice(&1_000_000i32.to_le_bytes());
    let [four, five] = [at + 4, at + 5].map(|block| bytes[ranges[block].clone()].to_vec());
    damaged.splice(ranges[at + 4].start..ranges[at + 5].end, [&five[..], &four].concat());
    let (out, account) = repaired(&damaged, name);
    let mut expected = numbers(&bytes);
    expected.remove(at);
    assert_eq!(numbers(&out), expected, "{:?}", account.repairs);
    let found = [Found::WrongNumber, Found::Swapped, Found::Undecodable].map(|found| account.count(found));
    assert_eq!(found, [1, 1, 1], "{:?}", account.repairs);
    assert_sound(&out, name);
    assert!(repaired(&out, name).1.is_sound());
}
