//! Damaged recordings: nothing panics, nothing is lost, and what was intact is delivered.

use qdemo::dialect::Dialect;
use qdemo::format::qwd::{Message, Messages, PacketHead};
use qdemo::format::{mvd, qwd};
use qdemo::verify::verify;
use qdemo::{Limits, Piece, Pieces};

use super::build::{CLIENT, END, MULTIVIEW, block, comes_back, packet, record, some_blocks};
use crate::common::{Random, assert_survives, testdata};

/// All messages of a recording, with the offset behind each of them.
fn messages(demo: &[u8], name: &str) -> Vec<(u64, String)> {
    let mut pieces = Pieces::new(demo, name, Limits::default()).unwrap();
    let mut dialect = if name.ends_with("mvd") { Dialect::MULTIVIEW } else { Dialect::QUAKEWORLD };
    let mut all = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        let (payload, offset) = match &piece {
            Piece::Qwd(qwd::Piece::Block(b)) if matches!(b.kind, qwd::BlockKind::Packet { .. }) => {
                (PacketHead::split(b.payload).1, b.payload_offset() + PacketHead::GAME as u64)
            }
            Piece::Mvd(mvd::Piece::Block(b)) if !matches!(b.target, mvd::Target::Command | mvd::Target::Set) => {
                (b.payload, b.payload_offset())
            }
            _ => continue,
        };
        let mut reader = Messages::new(payload, dialect);
        while let Some(message) = reader.next() {
            let end = offset + (reader.start() + reader.raw().len()) as u64;
            if !matches!(message, Message::Unknown(_)) {
                all.push((end, format!("{message:?}")));
            }
        }
        dialect = reader.dialect();
    }
    all
}

/// Short recordings: the beginning of a shipped one, without most of what comes before the game, then some of the game.
fn short() -> [(Vec<u8>, &'static str); 2] {
    let qwd = some_blocks(&testdata("ez-dm.qwd"), false, |n| n < 3 || (60..160).contains(&n));
    let mvd = some_blocks(&testdata("ez-dm.mvd"), true, |n| n < 2 || (10..200).contains(&n));
    [(qwd, "x.qwd"), (mvd, "x.mvd")]
}

#[test]
fn the_short_recordings_are_sound() {
    for (demo, name) in short() {
        let report = verify(&demo[..], name, Limits::default()).unwrap();
        assert!(report.is_sound() && report.messages > 100, "{name}: {:?}", report.faults);
        assert!((4_000..12_000).contains(&demo.len()), "{name}: {}", demo.len());
    }
}

/// Cut at any offset, a recording still delivers every message that lies before the cut.
#[test]
fn truncation_at_every_offset_keeps_the_prefix() {
    for (demo, name) in short() {
        let whole = messages(&demo, name);
        for cut in 0..demo.len() {
            let expected = whole.iter().take_while(|(end, _)| *end <= cut as u64).map(|(_, m)| m);
            let found = messages(&demo[..cut], name);
            let missing = expected
                .zip(found.iter().map(|(_, m)| m).chain(std::iter::repeat(&String::new())))
                .position(|(a, b)| a != b);
            assert_eq!(missing, None, "{name} cut at {cut}");
        }
        for cut in (0..demo.len()).step_by(97).chain(0..64) {
            comes_back(&demo[..cut], name);
        }
    }
}

/// A hundred thousand random mutations: no panic, and the same bytes back.
#[test]
fn mutations_neither_panic_nor_lose_anything() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds = if cfg!(debug_assertions) { 2_500 } else { 50_000 };
    for (demo, name) in short() {
        // The introduction in front keeps a window in the dialect that its messages need.
        let introduction = some_blocks(&demo, name == "x.mvd", |_| false);
        for round in 0..rounds {
            let from = introduction.len() + random.below(demo.len() - introduction.len() - 600);
            let mut damaged = [&introduction[..], &demo[from..from + 600]].concat();
            random.damage(&mut damaged);
            let text = qdemo::text::decompile_bytes(&damaged, name, &qdemo::text::Options::default()).unwrap();
            let back = qdemo::text::compile_bytes(&text, "t").unwrap_or_else(|e| panic!("{name} {round}: {e}"));
            assert!(back == damaged, "{name} {round}");
            if round % 16 == 0 {
                comes_back(&damaged, name);
            }
        }
    }
}

/// Prints `one`, `two`, `three`: what of them is found.
fn prints(demo: &[u8], name: &str) -> Vec<&'static str> {
    let found = messages(demo, name);
    let bytes = |word: &str| format!("{:?}", word.as_bytes());
    ["one", "two", "three"].into_iter().filter(|word| found.iter().any(|(_, m)| m.contains(&bytes(word)))).collect()
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

/// Behind a damaged header blocks are found again: every one of the game that follows.
#[test]
fn reading_goes_on_behind_a_damaged_header() {
    for (demo, name) in short() {
        let whole: Vec<_> = messages(&demo, name);
        // The header of a block in the middle: a kind that there is none of, and noise around it.
        let multiview = name == "x.mvd";
        let front = some_blocks(&demo, multiview, |n| n < 40);
        let header = front.len()..front.len() + if multiview { 6 } else { 9 };
        assert!(header.end < demo.len());
        let mut damaged = demo.clone();
        damaged[header].fill(0x77);
        let found = messages(&damaged, name);
        let before = whole.iter().take_while(|(end, _)| *end <= front.len() as u64).count();
        assert!(found.len() >= before && found[..before] == whole[..before], "{name}");
        // All but the messages of a few blocks come back, up to the last one.
        let after: Vec<_> = found[before..].iter().collect();
        assert!(after.iter().all(|m| whole.contains(m)), "{name}: something is read that is not there");
        assert!(found.len() + 12 >= whole.len(), "{name}: {} of {}", found.len(), whole.len());
        assert_eq!(found.last(), whole.last(), "{name}");
        let report = verify(&damaged[..], name, Limits::default()).unwrap();
        assert!(report.different == 0 && !report.is_sound());
        assert_survives(&damaged, name);
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
