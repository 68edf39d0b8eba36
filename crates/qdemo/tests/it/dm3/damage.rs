//! Damaged Quake III demos: what is intact is read.

use qdemo::format::dm3::{self, Decoder, Dialect, Message};
use qdemo::verify::verify;
use qdemo::{Chunk, Limits, Reader};

use crate::common::assert_survives;
use crate::common::quake3::{END, protocol};

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
    let mut chunks = Reader::new(demo, "x.dm_68", Limits::default()).unwrap();
    let (mut decoder, mut all) = (Decoder::new(Dialect::QUAKE3), Vec::new());
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Dm3(dm3::Chunk::Block(block)) = chunk else { continue };
        let (packet, _) = decoder.read(&block);
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

/// A recording of which the first block is not all there is still one: its name or what is there of it says so.
#[test]
fn a_recording_cut_in_its_first_block_is_told_what_it_is() {
    let whole = crate::common::testdata("oa-dm2.dm_68");
    let size = u32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
    let look = |end: usize, name: &str| qdemo::detect::detect(&whole[..end], true, name, qdemo::Limits::default());
    for end in [20, 100, size / 2, size - 200] {
        let found = look(end, "cut.dm_68");
        assert_eq!(found.kind, qdemo::FileKind::Dm3, "{end}: {}", found.reason);
        let told = format!("the first block is cut: {} of its {size} bytes are there", end - 8);
        assert!(found.reason.contains(&told), "{}", found.reason);
        let report = qdemo::verify::verify(&whole[..end], "cut.dm_68", qdemo::Limits::default()).unwrap();
        assert_eq!((report.blocks, report.is_exact() || report.uncovered > 0), (1, true));
        let fault = report.faults.iter().next().unwrap().to_string();
        assert!(fault.contains("truncated"), "{fault}");
    }
    // Without its name, serverinfo has to be there.
    assert_eq!(look(size / 2, "cut").kind, qdemo::FileKind::Dm3);
    assert!(look(size / 2, "cut").reason.contains("serverinfo"));
    assert_ne!(look(20, "cut").kind, qdemo::FileKind::Dm3);
}

/// Recordings of other games with the same engine are named by what their serverinfo tells.
#[test]
fn recordings_of_other_games_are_named() {
    let Some(folder) = crate::common::need("corpus/other") else { return };
    let reason = |file: &str| {
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let found = qdemo::detect::detect(&bytes, true, file, qdemo::Limits::default());
        assert_eq!(found.kind, qdemo::FileKind::Unknown);
        found.reason
    };
    let enemy_territory = reason("mittermichal_uberdemotools__scores_test.dm_84");
    assert!(enemy_territory.contains("protocol 84 (ET 2.60"), "{enemy_territory}");
    let half_life = reason("YaLTeR_hldemo-rs__basic.dem");
    assert!(half_life.contains("Half-Life (HLDEMO, protocol 5, network protocol 48)"), "{half_life}");
}
