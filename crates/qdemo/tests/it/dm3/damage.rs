//! Damaged Quake III demos: nothing panics, nothing is lost, and what was intact is delivered.

use crate::common::quake3::{END, block, protocol};
use crate::common::{Random, assert_survives, testdata};
use qdemo::dialect::quake3::Dialect;
use qdemo::format::dm3::{self, Message, Packet};
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::verify::verify;
use qdemo::{Limits, Piece, Pieces};

/// All messages of a demo in order, each with the offset behind the block that holds it.
fn messages(demo: &[u8]) -> Vec<(u64, Message)> {
    let mut pieces = Pieces::new(demo, "x.dm_68", Limits::default()).unwrap();
    let mut packet = Packet::default();
    let mut all = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        let Piece::Dm3(dm3::Piece::Block(block)) = piece else { continue };
        packet.read(block.payload, &Dialect::QUAKE3);
        let end = block.payload_offset() + u64::from(block.size);
        all.extend(packet.messages.drain(..).filter(|m| m.kind().is_some()).map(|m| (end, m)));
    }
    all
}

/// A short demo: the gamestate and the first snapshots of a recording.
fn short() -> Vec<u8> {
    let demo = testdata("oa-dm2.dm_68");
    demo[..8_000].to_vec()
}

/// Cut at any offset, a demo still delivers every message of the blocks that lie before the cut.
#[test]
fn truncation_at_every_offset_keeps_the_prefix() {
    let demo = short();
    let whole = messages(&demo);
    let first = whole[0].0 as usize;
    assert!(matches!(whole[0].1, Message::Gamestate(_)) && whole.len() > 30, "{} messages", whole.len());
    for cut in 0..demo.len() {
        // Every offset behind the gamestate; within it some, as it is one message.
        if cut < first && cut > 64 && cut % 29 != 0 {
            continue;
        }
        let expected: Vec<_> = whole.iter().take_while(|(end, _)| *end <= cut as u64).map(|(_, m)| m).collect();
        let found = messages(&demo[..cut]);
        let found: Vec<_> = found.iter().map(|(_, m)| m).collect();
        assert!(found.get(..expected.len()) == Some(&expected[..]), "cut at {cut}: {} messages", found.len());
    }
    for cut in (0..demo.len()).step_by(211).chain(0..40) {
        assert_survives(&demo[..cut], "x.dm_68");
    }
}

/// A hundred thousand random mutations: no panic, and the same bytes back. A demo without its gamestate keeps a round
/// cheap; all kinds of names and protocols take their turn.
#[test]
fn mutations_neither_panic_nor_lose_anything() {
    let rounds = if cfg!(debug_assertions) { 3_000 } else { 100_000 };
    std::thread::scope(|scope| {
        for part in 0..2u64 {
            scope.spawn(move || mutate(rounds / 2, Random(0x9E37_79B9_7F4A_7C15 ^ part)));
        }
    });
}

fn mutate(rounds: usize, mut random: Random) {
    let demo = testdata("oa-dm2.dm_68");
    let gamestate = 8 + i32::from_le_bytes(demo[4..8].try_into().unwrap()) as usize;
    let snapshots = &demo[gamestate..];
    let names = ["x.dm_68", "x.dm3", "x.dm_48", "x.dm_91", "x"];
    let numbers = [68, 45, 48, 91, 73];
    for round in 0..rounds {
        let name = names[round % names.len()];
        let mut damaged = Vec::new();
        // The right protocol, now and then another that the same bytes are taken for.
        if round % 3 == 0 {
            damaged = block(1, &protocol(numbers[round % numbers.len()]).gamestate());
        }
        let from = if round % 2 == 0 { 0 } else { random.below(snapshots.len() - 600) };
        damaged.extend(&snapshots[from..from + 400]);
        random.damage(&mut damaged);
        let text = decompile_bytes(&damaged, name, &Options::default()).unwrap();
        let back = compile_bytes(&text, "t").unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert!(back == damaged, "round {round}");
        if round % 16 == 0 {
            assert_survives(&damaged, name);
            let report = verify(&damaged[..], name, Limits::default()).unwrap();
            assert_eq!((report.bytes, report.different), (damaged.len() as u64, 0), "round {round}");
        }
    }
}

/// Four commands, each in a block of its own, in a demo of protocol 68; and where each block begins.
fn commands() -> (Vec<u8>, Vec<usize>) {
    let p = protocol(68);
    let command = |n: i32| {
        let mut b = p.head(0);
        b.int(5, 8).int(n, 32).text(format!("print \"number {n}\"").as_bytes());
        p.closed(b)
    };
    let payloads: Vec<_> = (1..=4).map(command).collect();
    let first = 8 + p.gamestate().len();
    let begins = payloads.iter().scan(first, |at, p| {
        *at += 8 + p.len();
        Some(*at - 8 - p.len())
    });
    (p.demo(&payloads), begins.collect())
}

fn heard(demo: &[u8]) -> Vec<i32> {
    let mut pieces = Pieces::new(demo, "x.dm_68", Limits::default()).unwrap();
    let (mut packet, mut all) = (Packet::default(), Vec::new());
    while let Some(piece) = pieces.next_piece().unwrap() {
        let Piece::Dm3(dm3::Piece::Block(block)) = piece else { continue };
        packet.read(block.payload, &Dialect::QUAKE3);
        for message in &packet.messages {
            if let Message::ServerCommand(command) = message {
                assert_eq!(command.value.0, format!("print \"number {}\"", command.seq).as_bytes());
                all.push(command.seq);
            }
        }
    }
    all
}

/// Damage within a block costs that block only, whether it hits messages, size or number.
#[test]
fn damage_costs_its_own_block() {
    let (demo, begins) = commands();
    assert_eq!(heard(&demo), [1, 2, 3, 4]);
    // The first byte is the number of the last client command, four codes of 0; the next one begins with the message.
    let mut damaged = demo.clone();
    damaged[begins[1] + 9] ^= 0xFF;
    assert_eq!(heard(&damaged), [1, 3, 4]);
    assert_survives(&damaged, "x.dm_68");
    // The size of the second block: too small by some bytes, too large, huge, negative.
    let size = i32::from_le_bytes(demo[begins[1] + 4..][..4].try_into().unwrap());
    for lie in [size - 3, size + 5, size + 1_000, 0x7FFF_FFFF, -2, i32::MIN] {
        let mut damaged = demo.clone();
        damaged[begins[1] + 4..][..4].copy_from_slice(&lie.to_le_bytes());
        let heard = heard(&damaged);
        assert!([1, 3, 4].iter().all(|n| heard.contains(n)), "size {lie}: {heard:?}");
        assert_survives(&damaged, "x.dm_68");
        let report = verify(&damaged[..], "x.dm_68", Limits::default()).unwrap();
        assert!(!report.is_sound() && report.different == 0, "size {lie}");
    }
    // The number of a packet tells nothing about its bytes.
    let mut damaged = demo.clone();
    damaged[begins[1]..][..4].copy_from_slice(&(-77i32).to_le_bytes());
    assert_eq!(heard(&damaged), [1, 2, 3, 4]);
    // Bytes between two blocks.
    let mut damaged = demo.clone();
    damaged.splice(begins[2]..begins[2], [0xEE; 100]);
    assert_eq!(heard(&damaged), [1, 2, 3, 4]);
    assert_survives(&damaged, "x.dm_68");
}

/// Sizes of gigabytes in headers allocate nothing, nor do those of strings, data and lists within messages.
#[test]
fn a_lying_size_allocates_nothing() {
    for size in [0x7FFF_FFFFi32, -1, 0x4000_0000, 0x0010_0001] {
        let (mut demo, begins) = commands();
        demo[begins[3] + 4..][..4].copy_from_slice(&size.to_le_bytes());
        assert_survives(&demo, "x.dm_68");
        assert!(!verify(&demo[..], "x.dm_68", Limits::default()).unwrap().is_sound());
    }
    let p = protocol(68);
    let mut download = p.head(0);
    download.int(6, 8).int(1, 16).int(0xFFFF, 16);
    let demo = p.demo(&[download.bytes()]);
    let report = verify(&demo[..], "x.dm_68", Limits::default()).unwrap();
    assert_eq!((report.different, report.faults.count()), (0, 1));
    assert_survives(&demo, "x.dm_68");
}

/// A long run of what is no block, or of tiny blocks that lead nowhere, takes time in proportion to its length.
#[test]
fn damage_is_passed_over_in_time() {
    let (start, _) = commands();
    let start = &start[..start.len() - END.len()];
    for filling in [0x00, 0x01, 0xEE] {
        let mut demo = start.to_vec();
        demo.resize(demo.len() + 2_000_000, filling);
        demo.extend(start);
        let begin = std::time::Instant::now();
        let report = verify(&demo[..], "x.dm_68", Limits::default()).unwrap();
        assert_eq!((report.bytes, report.different), (demo.len() as u64, 0));
        assert!(begin.elapsed().as_secs() < 20, "{filling}: {:?}", begin.elapsed());
    }
}
