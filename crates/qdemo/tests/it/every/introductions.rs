//! A server introduces itself with its protocol. One that nobody has, within a recording of another one, is damage: it costs
//! the rest of its block, and what follows is read as before.

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::error::ErrorKind;
use qdemo::format::dem::Dem;
use qdemo::format::dm2::Dm2;
use qdemo::format::mvd2::Mvd2;
use qdemo::replay::{self, info};
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::{Faults, Limits, Reader, verify};

use super::Samples;
use crate::common::{self, comes_back, quake2_demo, report, serverinfo, testdata};

/// No protocol of the Quake family has one of these numbers.
const NOBODYS: [i32; 5] = [285_296_128, 51_281_929, 0, -1, 14];

/// A `serverinfo` of Quake behind a nop.
fn of_quake(protocol: i32) -> Vec<u8> {
    [vec![1], serverinfo(protocol, &[])].concat()
}

/// A `serverdata` of Quake II behind a nop: count of levels, who recorded, game, slot, name of the level.
fn of_quake_2(protocol: i32) -> Vec<u8> {
    [&[6, 12][..], &protocol.to_le_bytes(), &[1, 0, 0, 0, 1], b"rogue\0", &[0, 0], b"Lost Hall\0"].concat()
}

/// The same, and a nop behind it, within a command for all players, behind a nop.
fn within_a_command(protocol: i32) -> Vec<u8> {
    let messages = [&of_quake_2(protocol)[1..], &[6]].concat();
    [&[1, 10, messages.len() as u8][..], &messages].concat()
}

/// What a level of a multi-view recording of a minor version begins with, behind a nop.
fn of_a_minor_version(minor: i32) -> Vec<u8> {
    [&[1, 4][..], &37i32.to_le_bytes(), &(minor as u16).to_le_bytes(), &[0; 4], b"rogue\0", &[0, 0], &[0; 8]].concat()
}

/// A recording with a block put in where its middle block begins.
fn with_block<F: Samples>(demo: &[u8], header: &dyn Fn(usize) -> Vec<u8>, payload: &[u8]) -> Vec<u8> {
    let mut chunks = Reader::new(demo, F::FILE, Limits::default()).unwrap();
    let mut borders = Vec::new();
    while chunks.next_chunk().unwrap().is_some() {
        borders.push(chunks.offset() as usize);
    }
    let (front, behind) = demo.split_at(borders[borders.len() / 2]);
    [front, &header(payload.len()), payload, behind].concat()
}

/// An introduction within a recording costs its block behind the nop, for everybody who reads.
#[track_caller]
fn costs_its_block<F: Samples>(demo: &[u8], header: &dyn Fn(usize) -> Vec<u8>, payload: &[u8]) {
    let sound = common::assert_sound(demo, F::FILE);
    let damaged = with_block::<F>(demo, header, payload);
    let found = comes_back(&damaged, F::FILE);
    assert_eq!((found.protocol, found.dialect), (sound.protocol, sound.dialect));
    assert_eq!((found.blocks, found.messages), (sound.blocks + 1, sound.messages + 1));
    assert_eq!(found.uncovered as usize, payload.len() - 1);
    let threads = verify::verify_on(2, &damaged[..], F::FILE, Limits::default()).unwrap();
    assert_eq!(threads, found);
    // Each message in front of it and behind it is read as it was.
    let told = |demo: &[u8]| F::messages(demo).into_iter().map(|(_, message)| message).collect::<Vec<_>>();
    let (before, mut after) = (told(demo), told(&damaged));
    let at = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    after.remove(at);
    assert!(before == after && (1..before.len() - 1).contains(&at));
    let is_damage = |faults: &Faults| {
        let mut all = faults.iter();
        matches!((all.next(), all.next()), (Some(fault), None) if matches!(fault.kind, ErrorKind::Malformed(_)))
    };
    let info = info::info(&damaged[..], F::FILE, Limits::default()).unwrap();
    let events = replay::events(&damaged[..], F::FILE, Limits::default(), &mut |_| Ok(())).unwrap();
    assert!(is_damage(&found.faults) && is_damage(&info.faults) && is_damage(&events), "{:?}", found.faults);
    // Facts are gathered by a reading of their own.
    let facts = |info: &info::Info| {
        let json = serde_json::to_value(info).unwrap();
        [json["protocol"].clone(), json["levels"].clone()]
    };
    assert_eq!(facts(&info), facts(&info::info(demo, F::FILE, Limits::default()).unwrap()));
}

#[test]
fn a_protocol_that_nobody_has_costs_its_block_in_quake() {
    let header = |size: usize| [&(size as u32).to_le_bytes()[..], &[0; 12]].concat();
    for protocol in NOBODYS {
        for name in ["clip.dem", "dm13-15.dem"] {
            costs_its_block::<Dem>(&testdata(name), &header, &of_quake(protocol));
        }
    }
}

#[test]
fn a_protocol_that_nobody_has_costs_its_block_in_quake_2() {
    let header = |size: usize| (size as u32).to_le_bytes().to_vec();
    for protocol in NOBODYS {
        costs_its_block::<Dm2>(&testdata("q2-demo1.dm2"), &header, &of_quake_2(protocol));
    }
}

#[test]
fn a_protocol_that_nobody_has_costs_its_block_in_multiview_demos() {
    let (demo, header) = (testdata("q2pro-dm.mvd2"), |size: usize| (size as u16).to_le_bytes().to_vec());
    for protocol in NOBODYS {
        costs_its_block::<Mvd2>(&demo, &header, &within_a_command(protocol));
    }
    for minor in [0, 2008, 2014, 65_535] {
        costs_its_block::<Mvd2>(&demo, &header, &of_a_minor_version(minor));
    }
}

/// A writer takes whatever it is given: only what is read shows damage.
#[test]
fn a_protocol_that_nobody_has_can_be_written() {
    let text =
        decompile_bytes(&quake2_demo(&[&of_quake_2(34), &of_quake_2(34)]), "x.dm2", &Options::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (front, behind) = text.rsplit_once("serverversion 34;").unwrap();
    let other = format!("{front}serverversion 12345;{behind}");
    let compiled = compile_bytes(other.as_bytes(), "text").unwrap();
    assert_eq!(compiled, quake2_demo(&[&of_quake_2(34), &of_quake_2(12_345)]));
}

/// Where no server has introduced itself before, the number is that of the recording: nothing in it can be read, and nothing
/// is damaged. So it is with a protocol that is known by name, wherever it stands. `check` says that it has seen nothing.
#[test]
fn a_recording_of_another_protocol_is_not_decoded() {
    let nops = [[1; 20], [6; 20]];
    // What servers print in front of it shows which game it is.
    let quake = |protocol| common::demo("-1\n", &[b"\x08one\0", b"\x08two\0", &of_quake(protocol), &nops[0], b"\x02"]);
    let quake_2 = |protocol| quake2_demo(&[&of_quake_2(protocol), &nops[1]]);
    let later = common::demo("-1\n", &[&of_quake(15), &of_quake(3504), &nops[0], b"\x02"]);
    let later_2 = quake2_demo(&[&of_quake_2(34), &of_quake_2(1038), &nops[1]]);
    for (demo, name, protocol, blocks) in [
        (quake(12_345), "x.dem", 12_345, 3),
        (quake(3504), "x.dem", 3504, 3),
        (later, "x.dem", 3504, 3),
        // In Quake II `serverdata` can be read in any case.
        (quake_2(12_345), "x.dm2", 12_345, 1),
        (quake_2(36), "x.dm2", 36, 1),
        (later_2, "x.dm2", 1038, 1),
    ] {
        let found = comes_back(&demo, name);
        assert_eq!((found.protocol, found.faults.count()), (protocol, blocks), "{name} {protocol}");
        let is_other = |kind: &ErrorKind| matches!(kind, ErrorKind::Unsupported(p) if p.number == protocol);
        assert!(found.faults.iter().all(|fault| is_other(&fault.kind)), "{name} {protocol}: {:?}", found.faults);
        let found = check(&demo[..], name, Limits::default(), &Checks::default()).unwrap();
        let told = found.findings.iter().filter(|finding| finding.rule == "damage").map(|finding| finding.severity);
        assert_eq!(told.collect::<Vec<_>>(), [Severity::Warning], "{name} {protocol}");
    }
    assert_eq!(report(&quake(15), "x.dem").uncovered, 0);
}
