//! Any bytes at all.

use super::build::*;
use crate::common::{Random, rounds};

/// Changes a few bytes, or cuts, or copies.
fn mutate(random: &mut Random, data: &mut Vec<u8>) {
    for _ in 0..1 + random.below(4) {
        if data.is_empty() {
            return;
        }
        let at = random.below(data.len());
        match random.below(6) {
            0 => data[at] ^= 1 << random.below(8),
            1 => data[at] = random.below(256) as u8,
            2 => data[at] = [0, 0xFF, 0x7F, 0x80][random.below(4)],
            3 => data.truncate(at),
            4 => drop(data.drain(at..(at + 1 + random.below(20)).min(data.len()))),
            _ => {
                let end = (at + random.below(40)).min(data.len());
                let part = data[at..end].to_vec();
                let to = random.below(data.len());
                data.splice(to..to, part);
            }
        }
    }
}

/// Opens all there is and returns the number of bytes that came out of the largest file.
fn exhaust(opened: Opened, limits: &Limits) -> u64 {
    match opened {
        Opened::File(mut file) => {
            let (mut count, mut buf) = (0, [0; 700]);
            while let Ok(n @ 1..) = file.read(&mut buf) {
                count += n as u64;
            }
            assert_eq!(count, file.offset());
            count
        }
        Opened::Listing(l) => {
            assert!(l.entries.len() <= limits.entries);
            assert!(l.containers.len() <= limits.depth);
            let all = (0..l.entries.len()).filter_map(|i| {
                let _ = l.find(&l.entries[i].display_name());
                Some(exhaust(l.open(i, limits).ok()?, limits))
            });
            all.max().unwrap_or(0)
        }
    }
}

#[test]
fn no_bytes_whatever_do_harm() {
    let data = sample(1500);
    let inner = pak(&[("one.dem", &data[..200]), ("demos/two.dem", &data)]);
    let mut wide = deflated("wide", &data);
    wide.extra.extend(b"\x01\0\x08\0");
    wide.extra.extend(1500u64.to_le_bytes());
    wide.size = u32::MAX;
    let whole = zip(&[stored("b.pak", &inner), deflated("c.dem", &data), streamed("d.dem", &data), wide]);
    let mut multi = gzip(&data[..700]);
    multi.extend(gzip(&data[700..]));
    let seeds = [
        whole[..whole.len() - 30].to_vec(),
        whole,
        zip(&[deflated("zeros", &[0; 20_000]), stored("e.gz", &gzip(&data))]),
        gzip(&inner),
        multi,
        inner,
    ];
    let mut limits = Limits::default();
    (limits.unpacked, limits.entries, limits.depth) = (6000, 20, 3);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut opened, mut bytes) = (0, 0);
    let all = rounds(20_000);
    for round in 0..all {
        let mut data = seeds[round % seeds.len()].clone();
        mutate(&mut random, &mut data);
        // A file that is no container any more is given out whole; it is not "unpacked".
        let bound = limits.unpacked.max(data.len() as u64);
        let members = if round % 5 == 0 { at("c.dem") } else { vec![] };
        if let Ok(container) = open_bytes("a", data, &members, &limits) {
            let most = exhaust(container, &limits);
            assert!(most <= bound, "{most} bytes in round {round}");
            opened += 1;
            bytes += most;
        }
    }
    // Most mutants are still worth reading; if not, this test would test nothing.
    assert!(opened * 2 > all && bytes > all as u64 * 500, "{opened} opened, {bytes} bytes");
}
