//! Facts about multi-view recordings: records, players, hidden messages. Bytes written by hand beside the text.
//!
//! Sources: MVDSV (`sv_demo.c`, `sv_send.c`), ezQuake (`cl_demo.c`), qwprot (`protocol.h`), KTX. Nothing here was taken
//! from qdemo's output.

use qdemo::format::mvd::{self, Target};
use qdemo::replay::info::{Facts, info};
use qdemo::{Chunk, Limits, Reader, verify::verify};

use crate::common::assert_survives;
use crate::qwd::build::{CLIENT, END, MULTIVIEW, Server, block_text, hidden, multiple, record};

/// A server that announces hidden messages.
const HIDING: Server = Server { mvd1: 0x20, ..MULTIVIEW };

/// `serverdata`, then records as they are.
fn demo(server: Server, records: &[Vec<u8>]) -> Vec<u8> {
    [server.demo(&[]), records.concat(), record(6, END)].concat()
}

/// What the records of a recording say in their headers, and their payloads.
fn records(demo: &[u8]) -> Vec<(u8, Target, u8, Vec<u8>)> {
    let mut chunks = Reader::new(demo, "x.mvd", Limits::default()).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Mvd(mvd::Chunk::Block(block)) = chunk else { panic!("no record") };
        assert!(!block.is_cut());
        all.push((block.header.msec, block.header.to.target, block.header.to.slot, block.payload.to_vec()));
    }
    all
}

/// Each kind of record: milliseconds, kind in three bits and slot in five, then what the kind has.
#[test]
fn kinds_of_records() {
    let nop = &[1][..];
    let command = [&[9, 0][..], &[0; 36]].concat();
    let all = [
        // 2, the oldest servers' first record: two numbers without a size.
        [&[0, 2][..], &[0; 8]].concat(),
        // 1, older servers: for whom the record before was.
        [&[13, 1][..], &[1, 0, 0, 0], nop].concat(),
        // 3: a bit for each slot.
        multiple(0x8000_0005, nop),
        // 4 and 5: slot 31 and slot 2.
        record(4 | 31 << 3, nop),
        record(5 | 2 << 3, b"\x03\0\x64"),
        // 6: everyone; without messages too.
        [&[255, 6][..], &[0, 0, 0, 0]].concat(),
        // 0: a command, as a client's recording has it.
        command,
    ];
    let demo = demo(MULTIVIEW, &all);
    let found = records(&demo);
    let heads: Vec<_> = found[1..8].iter().map(|(msec, target, slot, _)| (*msec, *target, *slot)).collect();
    assert_eq!(
        heads,
        [
            (0, Target::Set, 0),
            (13, Target::Same, 0),
            (0, Target::Multiple(0x8000_0005), 0),
            (0, Target::Single, 31),
            (0, Target::Stats, 2),
            (255, Target::All, 0),
            (9, Target::Command, 0),
        ]
    );
    let sizes: Vec<_> = found[1..8].iter().map(|(.., payload)| payload.len()).collect();
    assert_eq!(sizes, [8, 1, 1, 1, 3, 0, 36]);
    let texts: Vec<_> = (1..8).map(|n| block_text(&demo, "x.mvd", n)).collect();
    assert_eq!(texts[0], "msec 0; set; seq1 0; seq2 0;");
    assert_eq!(texts[1], "msec 13; same; nop;");
    assert_eq!(texts[2], "msec 0; multiple 0x80000005; nop;");
    assert_eq!(texts[3], "msec 0; single 31; nop;");
    assert_eq!(texts[4], "msec 0; stats 2; updatestat { index 0; value 100; }");
    assert_eq!(texts[5], "msec 255; all;");
    assert!(texts[6].starts_with("msec 9; command;"), "{}", texts[6]);
    assert!(texts[6].ends_with("angles 0 0 0; speed 0 0 0; viewangles 0 0 0;"), "{}", texts[6]);
}

/// The clock is the sum of all milliseconds.
#[test]
fn the_clock_adds_up() {
    // Entities, none of which is in view: a frame.
    let step = |msec: u8| [&[msec, 6][..], &[3, 0, 0, 0, 47, 0, 0]].concat();
    let demo = demo(MULTIVIEW, &[step(255), step(255), step(0), step(13)]);
    let Facts::QuakeWorld(facts) = info(&demo[..], "x.mvd", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!(facts.levels[0].last_time, Some(qdemo::error::Moment::Milliseconds(523)));
    assert_eq!(facts.recorder, None, "a server records, no client");
}

/// Clients mask the slot off where a kind has none: it means nothing, and it is kept.
#[test]
fn a_slot_where_none_belongs() {
    let demo = demo(MULTIVIEW, &[record(6 | 9 << 3, &[1])]);
    assert_eq!(records(&demo)[1].1, Target::All);
    assert_eq!(block_text(&demo, "x.mvd", 1), "msec 0; all; slot 9; nop;");
}

/// Players: slot, flags, frame, then what the flags say. The order on the wire is model, skin, effects, weapon frame.
#[test]
fn players() {
    let player = |flags: u16, data: &[u8]| {
        let text = MULTIVIEW.text_of(&[&[42, 5][..], &flags.to_le_bytes(), &[13], data].concat());
        text.strip_prefix("mvdplayerinfo { player 5; ").unwrap().strip_suffix(" }").unwrap().replace("frame 13;", "*")
    };
    assert_eq!(player(0, &[]), "*");
    assert_eq!(player(0x0001, &[8, 0]), "* origin_x 1;");
    assert_eq!(player(0x0002, &[8, 0]), "* origin_y 1;");
    assert_eq!(player(0x0004, &[8, 0]), "* origin_z 1;");
    // Angles have sixteen bits, whatever `setangle` has.
    assert_eq!(player(0x0008, &[0, 0x40]), "* angles_1 90;");
    assert_eq!(player(0x0010, &[0, 0xC0]), "* angles_2 -90;");
    assert_eq!(player(0x0020, &[0, 0x20]), "* angles_3 45;");
    assert_eq!(player(0x0040, &[8]), "* effects 8;");
    assert_eq!(player(0x0080, &[2]), "* skinnum 2;");
    assert_eq!(player(0x0100, &[]), "dead; *");
    assert_eq!(player(0x0200, &[]), "gib; *");
    assert_eq!(player(0x0400, &[4]), "* weaponframe 4;");
    assert_eq!(player(0x0800, &[9]), "* modelindex 9;");
    assert_eq!(player(0x0CC0, &[9, 2, 8, 4]), "* modelindex 9; skinnum 2; effects 8; weaponframe 4;");
    // The upper four bits have no meaning.
    assert!(player(0xF000, &[]).contains("mask_extra 0xF000;"));
}

/// The text of a record for nobody.
#[track_caller]
fn hidden_text(payload: &[u8]) -> String {
    let demo = demo(HIDING, &[multiple(0, payload)]);
    let text = block_text(&demo, "x.mvd", 1);
    // No bit is set: shown as the mask 0.
    let (head, messages) = text.split_once("multiple 0x0").unwrap();
    assert_eq!(head, "msec 0; ");
    messages.split_once("; ").unwrap().1.to_owned()
}

/// Hidden messages of every known type: i32 length, u16 type, data.
#[test]
fn hidden_messages() {
    // 1, a command: player, dropped, ms, three floats, three speeds, buttons, impulse: 23 bytes.
    let command = [
        &[5, 1, 13][..],
        &[10.0f32, 90.0, 0.5].map(f32::to_le_bytes).concat(),
        &[400i16, -350, 0].map(i16::to_le_bytes).concat(),
        &[3, 7],
    ]
    .concat();
    assert_eq!(command.len(), 23);
    assert_eq!(
        hidden_text(&hidden(1, &command)),
        "hidden_command { player 5; dropped 1; msec 13; angles 10 90 0.5; forwardmove 400; sidemove -350; upmove 0; \
         buttons 3; impulse 7; }"
    );
    // 3, a part of KTX's statistics: number of the part, text.
    assert_eq!(
        hidden_text(&hidden(3, b"\x01\0{\"version\"")),
        "hidden_demoinfo { block 1; text \"{\\\"version\\\"\"; }"
    );
    // 7, damage: cause (4, the nailgun), attacker, victim, amount. Bit 15 of the cause: splash.
    assert_eq!(
        hidden_text(&hidden(7, b"\x04\0\x01\0\x02\0\x09\0")),
        "hidden_damage { deathtype 4; attacker 1; victim 2; damage 9; }"
    );
    assert!(hidden_text(&hidden(7, b"\x07\x80\x01\0\x01\0\x32\0")).contains("deathtype 32775; attacker 1; victim 1;"));
    // 11, the beginning in milliseconds since 1970; builds of 2026 number it 9, which 20 bytes have for another thing.
    let start = 1_774_432_454_000u64.to_le_bytes();
    assert_eq!(hidden_text(&hidden(11, &start)), "hidden_start { kind 11; time 1774432454000; }");
    assert_eq!(hidden_text(&hidden(9, &start)), "hidden_start { kind 9; time 1774432454000; }");
    // The largest number that eight bytes hold comes back too.
    hidden_text(&hidden(11, &[0xFF; 8]));
    let weapons: Vec<u8> = (0..20).collect();
    let text = hidden_text(&hidden(9, &weapons));
    assert!(text.starts_with("hidden { kind 9; data 0x00 0x01") && text.ends_with("0x13; }"), "{text}");
    // 0 antilag, 2 and 8 weapons, 4 to 6 reserved, and numbers that nobody has used yet: kept with their number.
    for kind in [0, 2, 4, 5, 6, 8, 12, 999] {
        let text = hidden_text(&hidden(kind, &[1, 2]));
        assert_eq!(text, format!("hidden {{ kind {kind}; data 0x01 0x02; }}"));
    }
    // Several in a record, one after the other.
    let several = [hidden(3, b"\0\0}"), hidden(7, b"\x04\0\x01\0\x02\0\x09\0"), hidden(0, &[])].concat();
    let text = hidden_text(&several);
    assert!(text.starts_with("hidden_demoinfo {") && text.contains("} hidden_damage {"), "{text}");
    assert!(text.contains("} hidden { kind 0;"), "{text}");
}

/// A pause is written without its length: three bytes in all.
#[test]
fn hidden_pause() {
    assert_eq!(hidden_text(&[10, 0, 13]), "hidden_pause { msec 13; }");
    // With a length it would be a message of a number like any other.
    assert_eq!(hidden_text(&hidden(10, &[13])), "hidden { kind 10; data 0x0D; }");
}

/// Text may hold anything, also the byte 0.
#[test]
fn hidden_text_of_any_bytes() {
    let all: Vec<u8> = (0..=255).collect();
    let demo = demo(HIDING, &[multiple(0, &hidden(3, &[&[1, 0], &all[..]].concat()))]);
    assert!(verify(&demo[..], "x.mvd", Limits::default()).unwrap().is_sound());
    assert_survives(&demo, "x.mvd");
}

/// Records for nobody are structured only where the server says so.
#[test]
fn records_for_nobody_without_the_flag() {
    let demo = demo(MULTIVIEW, &[multiple(0, b"\x01\x1B")]);
    assert_eq!(block_text(&demo, "x.mvd", 1), "msec 0; multiple 0x00; nop; killedmonster;");
    // Nor is there such a thing in a client's recording, where the number 42 has another layout besides.
    assert!(!Server { mvd1: 0x20, ..CLIENT }.dialect().hidden);
}

/// The statistics of KTX, in parts from 1 on with 0 for the last; the first moment told; damage counts as hidden.
#[test]
fn facts_from_hidden_messages() {
    let part = |n: i16, text: &[u8]| hidden(3, &[&n.to_le_bytes(), text].concat());
    let start = hidden(11, &1_774_432_454_000u64.to_le_bytes());
    let demo = demo(
        HIDING,
        &[
            multiple(0, &start),
            multiple(0, &[part(1, b"{\"version\""), part(2, b": ")].concat()),
            multiple(0, &part(0, b"3}")),
            multiple(0, &[10, 0, 13]),
        ],
    );
    let Facts::QuakeWorld(facts) = info(&demo[..], "x.mvd", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!(facts.ktx.as_deref(), Some(&b"{\"version\": 3}"[..]));
    assert_eq!(facts.recorded_at, Some(1_774_432_454_000));
    assert_eq!(facts.hidden, 5);
    // They are messages: `verify` counts as many in all.
    assert_eq!(facts.messages, verify(&demo[..], "x.mvd", Limits::default()).unwrap().messages);
    assert_eq!(facts.kinds.iter().map(|(_, share)| share.count).sum::<u64>(), facts.messages);
    assert!(facts.ends_cleanly);
}

/// What stands behind the end: more records, such as the pings of older servers, or what was left in memory.
#[test]
fn bytes_behind_the_end() {
    let clean = demo(MULTIVIEW, &[]);
    let pings = [&clean[..], &record(6, b"\x24\0\x0D\0")].concat();
    let report = verify(&pings[..], "x.mvd", Limits::default()).unwrap();
    assert!(report.is_sound() && report.blocks == 3, "{:?}", report.faults);
    let left_over = [&clean[..], b"\x03\x06\x2C\x76\x4B\x0A and so on"].concat();
    let report = verify(&left_over[..], "x.mvd", Limits::default()).unwrap();
    assert!(report.is_sound() && report.ends_cleanly && report.blocks == 2, "{:?}", report.faults);
    assert_survives(&left_over, "x.mvd");
}

/// Several levels in a file: each `serverdata` begins anew, with its own extensions.
#[test]
fn levels_have_their_own_extensions() {
    let first = Server { fte: 0x8000, ..MULTIVIEW };
    let player = |origin: &[u8]| [&[42, 0, 1, 0, 0], origin].concat();
    let blocks = [player(&1.5f32.to_le_bytes()), MULTIVIEW.data(), player(&[12, 0])];
    let demo = first.demo(&[&blocks[0], &blocks[1], &blocks[2], END]);
    for n in [1, 3] {
        assert!(block_text(&demo, "x.mvd", n).contains("origin_x 1.5;"), "record {n}");
    }
    let Facts::QuakeWorld(facts) = info(&demo[..], "x.mvd", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!((facts.levels.len(), facts.extensions.len()), (2, 0));
}
