//! Damaged recordings: what is intact is read.

use std::fmt::Debug;

use qdemo::format::mvd::Mvd;
use qdemo::format::qwd::Qwd;
use qdemo::verify::verify;
use qdemo::{Limits, Reader};

use super::build::{CLIENT, END, MULTIVIEW, block, packet, record};
use crate::common::{Random, assert_survives};
use crate::every::Samples;

/// Prints `one`, `two`, `three`: what of them is found.
fn prints(demo: &[u8], name: &str) -> Vec<&'static str> {
    let mut found = String::new();
    let mut each = |_, message: &dyn Debug| found += &format!("{message:?}");
    match name {
        Qwd::FILE => Qwd::each_message(demo, &mut each),
        _ => Mvd::each_message(demo, &mut each),
    }
    let is_there = |word: &&str| found.contains(&format!("{word:?}"));
    ["one", "two", "three"].into_iter().filter(is_there).collect()
}

/// An unknown message costs the rest of its block, and nothing else: 100 is no message.
#[test]
fn one_bad_message_costs_the_rest_of_its_block() {
    for server in [CLIENT, MULTIVIEW] {
        let name = server.name();
        let demo = server.demo(&[b"\x08\x02one\0", b"\x08\x02two\0\x64\x08\x02lost\0", b"\x08\x02three\0", END]);
        assert_eq!(prints(&demo, name), ["one", "two", "three"]);
        let report = verify(&demo[..], name, Limits::default()).unwrap();
        // The number and the print behind it: 1 + 7 bytes.
        assert_eq!((report.faults.count(), report.uncovered), (1, 8), "{name}");
        assert_survives(&demo, name);
        // A known message that is cut short by its block's end costs no more.
        let demo = server.demo(&[b"\x08\x02one\0\x26\x00\x01", b"\x08\x02two\0", END]);
        let report = verify(&demo[..], name, Limits::default()).unwrap();
        assert_eq!((report.faults.count(), report.uncovered), (1, 3), "{name}");
        assert_eq!(prints(&demo, name), ["one", "two"]);
    }
}

/// Sizes of gigabytes, and below nothing, in headers allocate nothing and cost what they cover.
#[test]
fn a_lying_size_is_not_believed() {
    for size in [0x7FFF_FFFFu32, 0xFFFF_FFFF, 0x8000_0000, 0x4000_0000, 0x0010_0001] {
        let mut demo = CLIENT.demo(&[b"\x08\x02one\0"]);
        let at = demo.len() + 5;
        demo.extend(packet(3.0, 3, b"\x01"));
        demo[at..at + 4].copy_from_slice(&size.to_le_bytes());
        (4..10).for_each(|n| demo.extend(packet(n as f32, n, b"\x08\x02two\0")));
        check_lie(&demo, "x.qwd", size);
        let mut demo = MULTIVIEW.demo(&[b"\x08\x02one\0"]);
        let at = demo.len() + 2;
        demo.extend(record(6, b"\x01"));
        demo[at..at + 4].copy_from_slice(&size.to_le_bytes());
        (0..10).for_each(|_| demo.extend(record(6, b"\x08\x02two\0")));
        check_lie(&demo, "x.mvd", size);
    }
}

fn check_lie(demo: &[u8], name: &str, size: u32) {
    let report = verify(demo, name, Limits::default()).unwrap();
    assert!(!report.is_sound() && report.different == 0, "{name} {size:#X}");
    assert_eq!(prints(demo, name), ["one", "two"], "{name} {size:#X}");
    assert_survives(demo, name);
}

/// A size that is a little too large swallows the next headers; they are found again all the same.
#[test]
fn a_size_over_the_next_blocks_is_noticed() {
    for extra in [1u8, 5, 20, 100] {
        let mut demo = CLIENT.demo(&[b"\x08\x02one\0"]);
        let at = demo.len() + 5;
        demo.extend(packet(3.0, 3, b"\x01"));
        demo[at] += extra;
        (4..20).for_each(|n| demo.extend(packet(n as f32, n, b"\x08\x02two\0")));
        assert_eq!(prints(&demo, "x.qwd"), ["one", "two"], "{extra}");
        assert!(!verify(&demo[..], "x.qwd", Limits::default()).unwrap().is_sound());
        assert_survives(&demo, "x.qwd");
    }
}

/// Bytes between blocks are stepped over, however many.
#[test]
fn noise_between_blocks_is_stepped_over() {
    let mut random = Random(3);
    for n in [1, 2, 7, 100, 5_000, 70_000] {
        let noise: Vec<u8> = random.bytes(n).iter().map(|b| b | 0x80).collect();
        let mut demo = CLIENT.demo(&[b"\x08\x02one\0"]);
        demo.extend(&noise);
        (4..20).for_each(|n| demo.extend(packet(n as f32, n, b"\x08\x02two\0")));
        demo.extend(block(20.0, 2, &[0; 8]));
        assert_eq!(prints(&demo, "x.qwd"), ["one", "two"], "{n}");
        assert_survives(&demo, "x.qwd");
        let noise = vec![0xFF; n];
        let mut demo = MULTIVIEW.demo(&[b"\x08\x02one\0"]);
        demo.extend(&noise);
        (0..20).for_each(|_| demo.extend(record(6, b"\x08\x02two\0")));
        assert_eq!(prints(&demo, "x.mvd"), ["one", "two"], "{n}");
        assert_survives(&demo, "x.mvd");
    }
}

/// What is left of a damaged block may be a run of zeros: no commands without anything in them, which would swallow the
/// beginning of the next block.
#[test]
fn a_run_of_zeros_is_no_commands() {
    for n in [41, 300, 753, 5_000] {
        let mut demo = CLIENT.demo(&[b"\x08\x02one\0"]);
        let whole = demo.len();
        demo.extend([0xEE; 9]);
        demo.extend(vec![0; n]);
        (4..20).for_each(|n| demo.extend(packet(n as f32, n, b"\x08\x02two\0")));
        let report = verify(&demo[..], "x.qwd", Limits::default()).unwrap();
        assert_eq!(report.uncovered, 9 + n as u64, "{n}: behind {whole}");
        assert_survives(&demo, "x.qwd");
    }
}

/// A recorder's clock is the time for which its machine is up, as a float: of a machine that runs for years it stands still for a
/// while and goes on by seconds. Such recordings are whole, and behind damage their blocks are found again.
#[test]
fn clocks_that_show_years_are_read() {
    const YEAR: f32 = 31_557_600.0;
    let recording = Qwd::shipped();
    let mut reader = Reader::new(&recording[..], Qwd::FILE, Limits::default()).unwrap();
    let mut places = vec![0];
    while reader.next_chunk().unwrap().is_some() {
        places.push(reader.offset() as usize);
    }
    assert_eq!(places.pop(), Some(recording.len()));
    let count = places.len();
    for years in [2.0, 3.1, 3.2, 10.0, 100.0] {
        let mut bytes = recording.clone();
        for at in &places {
            let clock = bytes[*at..].first_chunk_mut().unwrap();
            *clock = (f32::from_le_bytes(*clock) + years * YEAR).to_le_bytes();
        }
        let report = verify(&bytes[..], Qwd::FILE, Limits::default()).unwrap();
        assert_eq!((report.blocks, report.uncovered), (count as u64, 0), "{years} years");
        assert!(report.is_sound(), "{years} years");
        // Some bytes of a block are lost: nothing behind that block is.
        let (lost, next) = (places[count / 2], places[count / 2 + 1]);
        bytes.drain(lost + 2..lost + 4);
        let report = verify(&bytes[..], Qwd::FILE, Limits::default()).unwrap();
        assert!((1..=(next - lost) as u64).contains(&report.uncovered), "{years} years: {}", report.uncovered);
    }
}
