//! Damaged and cut recordings keep what is whole.

use qdemo::dialect::{Dialect, Recording};
use qdemo::format::dm2::*;
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::{Limits, Pieces};

use super::build::*;
use super::recordings::report;
use crate::common::{Random, assert_survives};

/// A short recording with every message.
fn short() -> Vec<u8> {
    let frames = (0..3).map(|n| {
        let entities = PacketEntities { entities: vec![plain_entity(1), full_entity(2)], end_mask: 0 };
        let player = Message::PlayerInfo(quiet_player());
        vec![frame(Recording::Client, 34, n), player, Message::PacketEntities(entities)]
    });
    demo(&[level(34, Recording::Client, 1), frames.collect()].concat())
}

/// All messages of a demo, with the offset behind each.
fn messages_with_ends(demo: &[u8]) -> Vec<(u64, String)> {
    let mut pieces = Pieces::new(demo, "x.dm2", Limits::default()).unwrap();
    let mut dialect = Dialect::QUAKE2;
    let mut all = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        let qdemo::Piece::Dm2(Piece::Block(block)) = piece else { continue };
        let mut messages = Messages::new(block.payload, dialect);
        while let Some(message) = messages.next() {
            if message.kind().is_some() {
                let end = block.payload_offset() + (messages.start() + messages.raw().len()) as u64;
                all.push((end, format!("{message:?}")));
            }
        }
        dialect = messages.dialect();
    }
    all
}

/// Cut at any offset, a recording still delivers every message that lies before the cut.
#[test]
fn truncation_at_every_offset_keeps_the_prefix() {
    let demo = short();
    let whole = messages_with_ends(&demo);
    assert!(whole.len() > 80);
    for cut in 0..demo.len() {
        let expected: Vec<_> = whole.iter().take_while(|(end, _)| *end <= cut as u64).collect();
        let found = messages_with_ends(&demo[..cut]);
        assert!(found.len() >= expected.len(), "cut at {cut}: {} of {}", found.len(), expected.len());
        assert!(expected.into_iter().zip(&found).all(|(a, b)| a == b), "cut at {cut}");
    }
    for cut in (0..demo.len()).step_by(31).chain(0..64) {
        assert_survives(&demo[..cut], "x.dm2");
    }
}

/// Random mutations: no panic, and the same bytes back.
#[test]
fn mutations_neither_panic_nor_lose_anything() {
    let sources = [
        short(),
        demo(&level(31, Recording::Relay, 0x80)),
        demo(&level(26, Recording::Server, 2)),
        demo(&level(32, Recording::Client, 1)),
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds = if cfg!(debug_assertions) { 1_000 } else { 20_000 };
    for round in 0..rounds {
        let mut damaged = sources[round % sources.len()].clone();
        random.damage(&mut damaged);
        if random.below(6) == 0 {
            // The head is where protocol and recorder stand.
            let at = random.below(damaged.len().min(24));
            damaged[at] = random.next() as u8;
        }
        damaged.resize(damaged.len().max(24), 0);
        let text = decompile_bytes(&damaged, "x.dm2", &Options::default()).unwrap();
        let back = compile_bytes(&text, "t").unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(back == damaged, "round {round}");
        if round % 16 == 0 {
            assert_survives(&damaged, "x.dm2");
        }
        let report = report(&damaged, "x.dm2");
        assert_eq!((report.bytes, report.different), (damaged.len() as u64, 0), "round {round}");
    }
}
