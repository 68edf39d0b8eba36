//! Damaged demos: nothing panics, nothing is lost, and what was intact before the damage is delivered.

use crate::common::{self, Random, assert_survives, testdata};
use qdemo::format::dem::{self, Decoder, Message};
use qdemo::verify::verify;
use qdemo::{Limits, Piece, Pieces};

/// All messages of a demo as text, with the offset behind each of them.
fn messages(demo: &[u8]) -> Vec<(u64, String)> {
    let mut pieces = Pieces::new(demo, "x.dem", Limits::default()).unwrap();
    let mut decoder = Decoder::default();
    let mut all = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        let Piece::Dem(dem::Piece::Block(block)) = piece else { continue };
        let mut reader = dem::Messages::new(block.payload, decoder.dialect());
        while let Some(message) = reader.next() {
            let end = block.payload_offset() + (reader.start() + reader.raw().len()) as u64;
            if !matches!(message, Message::Unknown(_)) {
                all.push((end, format!("{message:?}")));
            }
        }
        decoder.read(&block, &mut Vec::new());
    }
    all
}

/// A short demo: the first blocks of a recording.
fn short() -> Vec<u8> {
    let demo = testdata("dm13-15.dem");
    demo[..12_000].to_vec()
}

/// Cut at any offset, a demo still delivers every message that lies before the cut.
#[test]
fn truncation_at_every_offset_keeps_the_prefix() {
    let demo = short();
    let whole = messages(&demo);
    for cut in 0..demo.len() {
        let expected = whole.iter().take_while(|(end, _)| *end <= cut as u64).map(|(_, m)| m);
        let found = messages(&demo[..cut]);
        // Below one message the content says nothing, and the name alone is not asked.
        let missing = expected
            .zip(found.iter().map(|(_, m)| m).chain(std::iter::repeat(&String::new())))
            .position(|(a, b)| a != b);
        assert_eq!(missing, None, "cut at {cut}");
    }
    for cut in (0..demo.len()).step_by(97).chain(0..64) {
        assert_survives(&demo[..cut], "x.dem");
    }
}

/// A hundred thousand random mutations: no panic, and the same bytes back.
#[test]
fn mutations_neither_panic_nor_lose_anything() {
    let demo = short();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
    for round in 0..rounds {
        // A window of the demo keeps a round cheap; it begins with the whole head often enough.
        let from = if round % 2 == 0 { 0 } else { random.below(demo.len() - 1_200) };
        let mut damaged = demo[from..from + 1_200].to_vec();
        if from > 0 {
            damaged.splice(0..0, *b"-1\n");
        }
        random.damage(&mut damaged);
        let text = qdemo::text::decompile_bytes(&damaged, "x.dem", &qdemo::text::Options::default()).unwrap();
        let back = qdemo::text::compile_bytes(&text, "t").unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(back == damaged, "round {round}");
        if round % 16 == 0 {
            assert_survives(&damaged, "x.dem");
            let report = verify(&damaged[..], "x.dem", Limits::default()).unwrap();
            assert_eq!(report.bytes, damaged.len() as u64);
            assert_eq!(report.different, 0, "round {round}");
        }
    }
}

/// Damage in the middle costs its own block: everything before and after is still there.
#[test]
fn one_bad_message_costs_the_rest_of_its_block() {
    let mut demo = common::demo("-1\n", &[b"\x05\x01\0", b"\x08one\0\x3Bwhat is this", b"\x08two\0", b"\x02"]);
    let found: Vec<_> = messages(&demo).into_iter().map(|(_, m)| m).collect();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[1].contains("111, 110, 101") && found[2].contains("116, 119, 111"), "{found:?}");
    // The same with the size of the second block damaged: blocks are found again behind it.
    demo[3 + 19..3 + 23].copy_from_slice(&[0xFF; 4]);
    let found: Vec<_> = messages(&demo).into_iter().map(|(_, m)| m).collect();
    assert!(found.len() >= 2 && found.iter().any(|m| m.contains("116, 119, 111")), "{found:?}");
}

/// Sizes of gigabytes in headers allocate nothing.
#[test]
fn a_lying_size_allocates_nothing() {
    for size in [0x7FFF_FFFFu32, 0xFFFF_FFFF, 0x4000_0000, 0x0010_0001] {
        let mut demo = common::demo("-1\n", &[b"\x05\x01\0", b"\x02"]);
        demo[3..7].copy_from_slice(&size.to_le_bytes());
        assert_survives(&demo, "x.dem");
        let report = verify(&demo[..], "x.dem", Limits::default()).unwrap();
        assert!(!report.is_sound());
    }
}
