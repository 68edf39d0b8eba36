//! Damaged demos: every byte comes back, and what stands before the damage is read.

use super::build::*;
use crate::common::{Random, assert_survives};

/// A demo with one of each command, in short blocks.
fn short(version: Version) -> Vec<u8> {
    let mut payloads = vec![version.serverdata(&version.scene(&[version.player(0, 1, false)], &[version.entity()]))];
    payloads.extend(version.commands().into_iter().filter(|c| c.len() < 200));
    demo(&payloads)
}

#[test]
fn cut_at_every_offset() {
    for version in [VERSIONS[1], VERSIONS[8]] {
        let demo = short(version);
        for cut in 0..demo.len() {
            let report = report(&demo[..cut]);
            assert_eq!((report.bytes, report.different), (cut as u64, 0), "{version:?} cut at {cut}");
            assert!(!report.ends_cleanly, "{version:?} cut at {cut}");
            if cut % 5 == 0 || cut < 64 {
                assert_survives(&demo[..cut], "x.mvd2");
            }
        }
    }
}

#[test]
fn flipped_bits_neither_panic_nor_lose_anything() {
    for version in [VERSIONS[1], VERSIONS[3], VERSIONS[8]] {
        let demo = short(version);
        for at in 0..demo.len() {
            let mut damaged = demo.clone();
            damaged[at] ^= 1 << (at % 8);
            assert_eq!(report(&damaged).different, 0, "{version:?} flipped at {at}");
            if at % 7 == 0 {
                assert_survives(&damaged, "x.mvd2");
            }
        }
    }
}

#[test]
fn mutations_neither_panic_nor_lose_anything() {
    let sources = VERSIONS.map(short);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds = if cfg!(debug_assertions) { 500 } else { 20_000 };
    for round in 0..rounds {
        let mut damaged = sources[round % sources.len()].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len());
            match random.below(4) {
                0 => damaged[at] = random.next() as u8,
                1 => drop(damaged.drain(at..(at + random.below(40)).min(damaged.len()))),
                2 => {
                    let n = random.below(40);
                    damaged.splice(at..at, random.bytes(n));
                }
                _ => damaged.truncate(at.max(24)),
            }
            damaged.resize(damaged.len().max(24), 0);
        }
        let report = report(&damaged);
        assert_eq!((report.bytes, report.different), (damaged.len() as u64, 0), "round {round}");
        if round % 8 == 0 {
            assert_survives(&damaged, "x.mvd2");
        }
    }
}

/// A size that runs over the blocks behind it is found out, and reading goes on.
#[test]
fn a_damaged_size_costs_little() {
    let version = VERSIONS[1];
    let mut all = vec![version.serverdata(&version.scene(&[], &[]))];
    all.extend((0..30).map(|n| [&[6][..], &version.scene(&[version.player(n, 0x1FFF, false)], &[])].concat()));
    let mut demo = demo(&all);
    let at = 4 + 2 + all[0].len() + 3 * (2 + all[1].len());
    demo[at + 1] = 0xF0;
    let report = report(&demo);
    assert_eq!(report.different, 0);
    assert!(report.uncovered < 200 && report.blocks >= 28, "{} blocks, {}", report.blocks, report.uncovered);
    assert_survives(&demo, "x.mvd2");
}
