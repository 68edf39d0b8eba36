//! What is built from the documents comes back: every message, levels, recordings without a mark.

use std::collections::HashSet;

use qdemo::detect::detect;
use qdemo::format::dm2::*;
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::wire::Str;
use qdemo::{FileKind, Limits};

use super::build::*;
use crate::common::{assert_sound, assert_survives, report};

/// Every message in every protocol and kind of recording: the same messages back from the bytes, the same bytes back
/// from every language.
#[test]
fn every_message_in_every_recording() {
    for protocol in 26..=34 {
        for (recording, mark) in RECORDINGS {
            let level = level(protocol, recording, mark);
            let demo = demo(&level);
            let name = format!("{protocol}-{recording:?}.dm2");
            let report = assert_sound(&demo, &name);
            assert_eq!((report.protocol, report.blocks, report.ends_cleanly), (protocol, level.len() as u64, true));
            let sent: Vec<Vec<_>> = level.iter().map(|b| b.iter().map(|m| format!("{m:?}")).collect()).collect();
            assert_eq!(decode(&demo), sent, "{name}");
            assert_survives(&demo, &name);
            assert_eq!(detect(&demo, true, "x", Limits::default()).kind, FileKind::Dm2, "{name}");
            let info = qdemo::replay::info::info(&demo[..], "x.dm2", Limits::default()).unwrap();
            let Facts::Dm2(facts) = info.facts else { panic!("{name}") };
            assert_eq!(facts.recorded_by(), format!("{recording:?}").to_lowercase());
        }
    }
}

/// The list above leaves nothing out but what only the test release, KMQuake2, Q2PRO and the re-release have.
#[test]
fn no_message_is_forgotten() {
    let seen: HashSet<_> = level(34, Recording::Relay, 0x80).iter().flatten().map(|m| m.kind().unwrap()).collect();
    let others = [
        MessageKind::TestBaseline,
        MessageKind::TestPlayerInfo,
        MessageKind::TestEntities,
        MessageKind::Fog,
        MessageKind::Setting,
    ];
    let rerelease = [
        MessageKind::SplitClient,
        MessageKind::ConfigBlast,
        MessageKind::SpawnBaselineBlast,
        MessageKind::LevelRestart,
        MessageKind::Damage,
        MessageKind::LocPrint,
        MessageKind::FogChange,
        MessageKind::WaitingForPlayers,
        MessageKind::BotChat,
        MessageKind::Poi,
        MessageKind::HelpPath,
        MessageKind::MuzzleFlash3,
        MessageKind::Achievement,
    ];
    for kind in MessageKind::ALL {
        assert_eq!(seen.contains(kind), !others.contains(kind) && !rerelease.contains(kind), "{kind:?}");
    }
}

/// Sizes of temporary entities are those of the document, with the byte of the force wall.
#[test]
fn sizes_of_temporary_entities() {
    for protocol in 26..=34 {
        for it in temp_entities(protocol) {
            let wait = it.wait.is_some();
            let EffectType { entitytype, .. } = it.effect;
            let bytes = payload(&[Message::TempEntity(it)], &mut Dialect::announced(protocol, 1));
            let expected = 2 + Shape::of(entitytype, protocol).bytes(wait);
            assert_eq!(bytes.len(), expected, "type {entitytype} in {protocol}");
            assert_eq!(bytes[..2], [3, entitytype]);
        }
    }
}

/// Levels follow each other behind an empty block, each with its own protocol and its own recorder.
#[test]
fn several_levels() {
    let mut all = Vec::new();
    for (protocol, (recording, mark)) in [34, 31, 26].into_iter().zip(RECORDINGS) {
        if !all.is_empty() {
            all.push(Vec::new());
        }
        all.extend(level(protocol, recording, mark));
    }
    let demo = demo(&all);
    assert_sound(&demo, "levels.dm2");
    assert_survives(&demo, "levels.dm2");
    let text = String::from_utf8(decompile_bytes(&demo, "levels.dm2", &Options::default()).unwrap()).unwrap();
    assert_eq!(text.matches("\nbetweenblock;").count(), 2);
    let info = qdemo::replay::info::info(&demo[..], "levels.dm2", Limits::default()).unwrap();
    let Facts::Dm2(facts) = info.facts else { panic!("Quake II") };
    assert_eq!(facts.levels.iter().map(|l| (l.isdemo, l.frames)).collect::<Vec<_>>(), [(1, 2), (2, 2), (128, 3)]);
}

/// Up to protocol 32 a recording need not tell who made it. Its frames do: behind the number of a server's frame stands
/// `packetentities`.
#[test]
fn recordings_without_a_mark_are_told_by_trial() {
    for protocol in 27..=32 {
        for (recording, _) in RECORDINGS {
            let mut dialect = Dialect::QUAKE2;
            let mut payloads = vec![payload(&[serverdata(protocol, 1)], &mut dialect)];
            dialect = dialect.recorded_by(recording);
            for number in 5_000..5_003 {
                let entities = PacketEntities { entities: vec![full_entity(1), full_entity(300)], end_mask: 0 };
                let impact = Message::TempEntity(temp_entity(0, protocol, -1));
                let block = [frame(recording, protocol, number), Message::PacketEntities(entities), impact];
                payloads.push(payload(&block, &mut dialect));
            }
            // A server's recording has no end mark.
            let demo = blocks(&payloads);
            let name = format!("{recording:?} of {protocol}.dm2");
            assert_sound(&demo, &name);
            assert_survives(&demo, &name);
            let info = qdemo::replay::info::info(&demo[..], "x.dm2", Limits::default()).unwrap();
            let Facts::Dm2(facts) = info.facts else { panic!("{name}") };
            assert_eq!(facts.recorded_by(), format!("{recording:?}").to_lowercase(), "{name}");
            assert_eq!((facts.levels[0].first_frame, facts.levels[0].last_frame), (Some(5_000), Some(5_002)));
        }
    }
}

/// The same in a recording of Relay where messages for one client come before the first frame.
#[test]
fn unicasts_in_front_of_the_first_frame() {
    let mut dialect = Dialect::QUAKE2;
    let mut payloads = vec![payload(&[serverdata(31, 0)], &mut dialect)];
    dialect = dialect.recorded_by(Recording::Relay);
    let print = Message::Print(Print { level: 2, string: Str::new(b"hi") });
    let unicast = Message::Unicast(Unicast { client: 3, message: Box::new(print) });
    payloads.push(payload(std::slice::from_ref(&unicast), &mut dialect));
    payloads.push(payload(&[unicast, frame(Recording::Relay, 31, 1)], &mut dialect));
    let demo = [&blocks(&payloads)[..], &END_MARK].concat();
    assert_sound(&demo, "x.dm2");
    assert_survives(&demo, "x.dm2");
}

/// A serverdata for one client does not begin a level; one of the test release's number behind the later message
/// number is no test release. Neither costs a byte.
#[test]
fn odd_introductions_survive() {
    let mut relay = Dialect::announced(34, 0x80);
    let unicast = Message::Unicast(Unicast { client: 3, message: Box::new(serverdata(33, 1)) });
    let later = frame(Recording::Relay, 34, 1);
    let first = payload(&[serverdata(34, 0x80)], &mut Dialect::announced(34, 0x80));
    let of_one = payload(&[unicast, later], &mut relay);
    assert_sound(&blocks(&[first.clone(), of_one.clone()]), "x.dm2");
    assert_survives(&blocks(&[first.clone(), of_one]), "x.dm2");
    let mut test_number = payload(&[serverdata(34, 1)], &mut Dialect::announced(34, 1));
    test_number[1] = 25;
    let print = payload(&[Message::Print(Print { level: 1, string: Str::new(b"hi") })], &mut Dialect::announced(34, 1));
    // Levels of another protocol behind the test release, in its own numbers.
    let test = |protocol: u8, mark: u8| [&[7, protocol, 0, 0, 0, 1, 0, 0, 0, mark][..], &[0, 0, 0, b'm', 0]].concat();
    let of_server = payload(&[frame(Recording::Server, 27, 9)], &mut Dialect::announced(27, 2));
    for payloads in [
        vec![test(25, 1), [test(27, 2), of_server.clone()].concat(), of_server],
        vec![test_number.clone(), print.clone()],
        vec![[print.clone(), test_number.clone()].concat(), print.clone()],
        vec![first.clone(), test_number.clone(), first.clone(), print.clone()],
        vec![[test_number, print.clone()].concat(), first, print],
    ] {
        let demo = [&blocks(&payloads)[..], &END_MARK].concat();
        assert_survives(&demo, "x.dm2");
        assert_eq!(report(&demo, "x.dm2").different, 0);
    }
}
