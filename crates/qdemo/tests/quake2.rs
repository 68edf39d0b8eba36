//! Quake II: real recordings come back; so do demos of every protocol, kind of recording and message, built here from
//! the documents, and whatever bytes stand in one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::HashSet;
use std::io::Read;
use std::path::PathBuf;

use common::{Random, assert_survives, files, shared};
use proptest::prelude::*;
use qdemo::describe::{Attenuation, ByteOrShort, ModelIndex, SoundIndex, Volume};
use qdemo::detect::{Format, detect};
use qdemo::dialect::{Dialect, Recording};
use qdemo::format::dem::{Bad, CenterPrint, Nop, StuffText};
use qdemo::format::dm2::*;
use qdemo::info::Facts;
use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};
use qdemo::verify::{Report, verify};
use qdemo::wire::{Angle, Coord, Str, Writer};
use qdemo::{Limits, Pieces};

// Real recordings.

/// Every `.dm2` at hand.
fn recordings() -> Vec<(String, Vec<u8>)> {
    let folders = ["corpus/dm2", "recorded/dm2"].into_iter().filter_map(shared);
    let all = folders.flat_map(|dir| files(&dir, "dm2"));
    all.map(|path: PathBuf| (path.display().to_string(), std::fs::read(&path).unwrap())).collect()
}

/// Protocol 56 of KMQuake2 is named, and its blocks are kept as bytes.
fn is_named_only(name: &str) -> bool {
    name.contains("Mission64")
}

fn report(demo: &[u8], name: &str) -> Report {
    verify(demo, name, Limits::default()).unwrap()
}

#[track_caller]
fn assert_sound(demo: &[u8], name: &str) -> Report {
    let report = report(demo, name);
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{name}: {} uncovered, {} different, {faults:?}", report.uncovered, report.different);
    assert_eq!(report.bytes, demo.len() as u64);
    assert!(!report.detected.name_disagrees || !name.contains(".dm2"), "{name}");
    report
}

#[test]
fn the_model_is_exact_on_every_recording() {
    for (name, demo) in recordings() {
        if is_named_only(&name) {
            let report = report(&demo, &name);
            assert_eq!((report.protocol, report.different), (56, 0), "{name}");
            assert!(report.uncovered > 0 && !report.is_sound(), "{name}");
            assert!(report.dialect.contains("kmquake2"), "{}", report.dialect);
        } else {
            assert_sound(&demo, &name);
        }
    }
}

/// Text, LMPC's style and JSON compile to the same bytes, KMQuake2's included.
#[test]
fn every_recording_survives_text_and_json() {
    for (name, demo) in recordings() {
        assert_survives(&demo, &name);
    }
}

#[test]
fn recordings_are_known_by_their_content() {
    for (name, demo) in recordings() {
        assert_eq!(detect(&demo, true, "x", Limits::default()).format, Format::Dm2, "{name}");
    }
}

/// What LMPC 3.4.5 wrote compiles to the recording that it was made from.
#[test]
fn texts_of_lmpc_compile_to_the_original() {
    let (Some(texts), Some(demos)) = (shared("oracle/lmpc"), shared("corpus/dm2")) else { return };
    let mut seen = 0;
    for path in files(&texts, "gz") {
        let name = path.file_name().unwrap().to_string_lossy().replace(".txt.gz", "");
        if name.ends_with(".dm2") {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
            match compile_bytes(&text, &name) {
                Ok(back) => assert!(back == std::fs::read(demos.join(&name)).unwrap(), "{name} differs"),
                Err(e) => panic!("{name}: {e}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 0, "a folder of texts without one of Quake II");
}

// Demos built from the documents.

const RECORDINGS: [(Recording, u8); 3] = [(Recording::Client, 1), (Recording::Server, 2), (Recording::Relay, 0x80)];

fn position(x: i16) -> [Coord; 3] {
    [Coord::I16(x), Coord::I16(-x), Coord::I16(i16::MAX.wrapping_sub(x))]
}

fn serverdata(protocol: i32, isdemo: u8) -> Message<'static> {
    Message::ServerData(ServerData {
        serverversion: protocol,
        key: 0x1_0001,
        isdemo,
        game: Str(b"rogue"),
        client: if isdemo == 1 { 3 } else { -1 },
        mapname: Str(b"Lost \xCDHall"),
    })
}

fn plain_entity(number: u16) -> PacketEntity {
    PacketEntity {
        entity: ByteOrShort(number),
        remove: false,
        modelindex: None,
        modelindex2: None,
        modelindex3: None,
        modelindex4: None,
        frame: FrameNumber::default(),
        skin: Sized32::default(),
        effects: Sized32::default(),
        renderfx: Sized32::default(),
        origin_x: None,
        origin_y: None,
        origin_z: None,
        angles_1: None,
        angles_2: None,
        angles_3: None,
        old_origin: None,
        sound: None,
        event: None,
        solid: None,
        mask_extra: 0,
    }
}

fn full_entity(number: u16) -> PacketEntity {
    PacketEntity {
        modelindex: Some(ModelIndex(255)),
        modelindex2: Some(ModelIndex(1)),
        modelindex3: Some(ModelIndex(2)),
        modelindex4: Some(ModelIndex(3)),
        frame: FrameNumber { byte: Some(197), short: None },
        skin: Sized32::of(0x0203),
        effects: Sized32::of(0x8000_0040),
        renderfx: Sized32::of(128),
        origin_x: Some(Coord::I16(-1)),
        origin_y: Some(Coord::I16(i16::MIN)),
        origin_z: Some(Coord::I16(8)),
        angles_1: Some(Angle::I8(-128)),
        angles_2: Some(Angle::I8(127)),
        angles_3: Some(Angle::I8(1)),
        old_origin: Some(position(77)),
        sound: Some(SoundIndex(9)),
        event: Some(6),
        solid: Some(0xFFFF),
        ..plain_entity(number)
    }
}

fn baseline(number: u16) -> SpawnBaseline {
    SpawnBaseline {
        entity: ByteOrShort(number),
        remove: false,
        modelindex: Some(ModelIndex(4)),
        modelindex2: None,
        modelindex3: None,
        modelindex4: None,
        frame: FrameNumber { byte: None, short: Some(300) },
        skin: Sized32::of(0xD0D1_D2D3),
        effects: Sized32::default(),
        renderfx: Sized32::of(128),
        origin_x: Some(Coord::I16(5)),
        origin_y: None,
        origin_z: Some(Coord::I16(-5)),
        angles_1: None,
        angles_2: Some(Angle::I8(64)),
        angles_3: None,
        old_origin: Some(position(3)),
        sound: None,
        event: None,
        solid: Some(31),
        mask_extra: 0,
    }
}

fn quiet_player() -> PlayerInfo {
    PlayerInfo {
        pm_type: None,
        origin: None,
        velocity: None,
        pm_time: None,
        pm_flags: None,
        gravity: None,
        delta_angles: None,
        viewoffset: None,
        viewangles: None,
        kick_angles: None,
        gunindex: None,
        gun: None,
        blend: None,
        fov: None,
        rdflags: None,
        stats: Stats::default(),
        mask_extra: 0,
    }
}

fn full_player() -> PlayerInfo {
    PlayerInfo {
        pm_type: Some(4),
        origin: Some(position(1)),
        velocity: Some(position(2)),
        pm_time: Some(255),
        pm_flags: Some(4),
        gravity: Some(800),
        delta_angles: Some(Angles16([1, -1, i16::MIN])),
        viewoffset: Some(Quarters([0, -128, 127])),
        viewangles: Some(Angles16([i16::MAX, 0, 7])),
        kick_angles: Some(Quarters([1, 2, 3])),
        gunindex: Some(ModelIndex(8)),
        gun: Some(Gun { frame: 6, offset: Quarters([-1, -2, -3]), angles: Quarters([4, 5, 6]) }),
        blend: Some(Blend([0, 1, 127, 255])),
        fov: Some(90),
        rdflags: Some(1),
        stats: Stats { mask: u32::MAX, values: (0..32).map(|n| n * 1000 - 16_000).collect() },
        mask_extra: 0,
    }
}

fn frame(recording: Recording, protocol: i32, number: i32) -> Message<'static> {
    let client = recording != Recording::Server;
    Message::Frame(Frame {
        seq1: number,
        seq2: client.then_some(number - 1),
        suppress: (client && protocol != 26).then_some(0),
        areas: client.then(|| ByteList(vec![0xFE, 0x01])),
        connected: (recording == Recording::Relay).then(|| ByteList(vec![0, 5])),
    })
}

/// What a temporary entity consists of, by the document's section 3.4 and its errata; and the bytes of that, type and
/// message number left out.
#[derive(Clone, Copy)]
enum Shape {
    Point,
    Impact,
    Line,
    Splash,
    Beam,
    Grapple,
    Flame,
    Lightning,
    Flashlight,
    ForceWall,
    Steam,
    Widow,
}

impl Shape {
    fn of(entitytype: u8, protocol: i32) -> Shape {
        match entitytype {
            // Explosions, teleport effects, smoke, nuke and widow.
            5 | 6 | 7 | 8 | 17 | 18 | 20 | 21 | 22 | 28 | 35 | 45 | 47 | 48 | 49 | 51 | 52 | 53 | 54 => Shape::Point,
            // Hits.
            0 | 1 | 2 | 4 | 9 | 12 | 13 | 14 | 30 | 42 | 43 | 44 | 46 | 55 => Shape::Impact,
            26 if protocol >= 32 => Shape::Impact,
            27 if protocol < 32 => Shape::Impact,
            3 | 11 | 23 | 26 | 27 | 31 | 34 | 41 => Shape::Line,
            10 | 15 | 25 | 29 => Shape::Splash,
            16 | 19 | 38 | 39 => Shape::Beam,
            24 => Shape::Grapple,
            32 => Shape::Flame,
            33 => Shape::Lightning,
            36 => Shape::Flashlight,
            37 => Shape::ForceWall,
            40 => Shape::Steam,
            50 => Shape::Widow,
            _ => panic!("there are 56 types"),
        }
    }

    fn bytes(self, wait: bool) -> usize {
        const POSITION: usize = 6;
        match self {
            Shape::Point => POSITION,
            Shape::Impact => POSITION + 1,
            Shape::Line => 2 * POSITION,
            Shape::Splash => 1 + POSITION + 1 + 1,
            Shape::Beam => 2 + 2 * POSITION,
            Shape::Grapple => 2 + 3 * POSITION,
            Shape::Flame => 2 + 2 + 6 * POSITION,
            Shape::Lightning => 2 + 2 + 2 * POSITION,
            Shape::Flashlight => POSITION + 2,
            Shape::ForceWall => 2 * POSITION + 1,
            Shape::Steam => 2 + 1 + POSITION + 1 + 1 + 2 + if wait { 4 } else { 0 },
            Shape::Widow => 2 + POSITION,
        }
    }
}

fn temp_entity(entitytype: u8, protocol: i32, nextid: i16) -> TempEntity {
    let shape = Shape::of(entitytype, protocol);
    let nextid = (entitytype == 40).then_some(nextid);
    let mut it = TempEntity {
        effect: EffectType { entitytype, nextid },
        dest_entity: None,
        entity: None,
        flames: None,
        count: None,
        start: None,
        dest_origin: None,
        kind: None,
        origin: Some(position(800)),
        flash_entity: None,
        trace_endpos: None,
        pos1: None,
        pos2: None,
        pos3: None,
        pos4: None,
        movedir: None,
        style: None,
        plat2flags: None,
        wait: None,
    };
    let end = Some(position(-800));
    match shape {
        Shape::Point => {}
        Shape::Impact => it.movedir = Some(Direction(161)),
        Shape::Line => it.trace_endpos = end,
        Shape::Splash => (it.count, it.movedir, it.style) = (Some(32), Some(Direction(0)), Some(6)),
        Shape::Beam => (it.entity, it.trace_endpos) = (Some(1), end),
        Shape::Grapple => (it.entity, it.trace_endpos, it.pos1) = (Some(300), end, end),
        Shape::Flame => {
            (it.entity, it.flames, it.start) = (Some(-1), Some(9), end);
            (it.pos1, it.pos2, it.pos3, it.pos4) = (end, Some(position(1)), Some(position(2)), Some(position(3)));
        }
        Shape::Lightning => (it.dest_entity, it.entity, it.dest_origin) = (Some(5), Some(6), end),
        Shape::Flashlight => it.flash_entity = Some(2),
        Shape::ForceWall => (it.trace_endpos, it.style) = (end, Some(208)),
        Shape::Steam => {
            (it.count, it.movedir, it.style, it.plat2flags) = (Some(1), Some(Direction(5)), Some(0xE0), Some(-60));
            it.wait = (nextid != Some(-1)).then_some(i32::MAX);
        }
        Shape::Widow => it.kind = Some(20_001),
    }
    it
}

fn temp_entities(protocol: i32) -> Vec<TempEntity> {
    (0..=55).map(|n| temp_entity(n, protocol, 20)).chain([temp_entity(40, protocol, -1)]).collect()
}

/// One of each message but serverdata and frames, temporary entities in all their types.
fn one_of_each(protocol: i32) -> Vec<Message<'static>> {
    let sound = Sound {
        soundnum: SoundIndex(7),
        vol: None,
        attenuation: None,
        timeofs: None,
        source: None,
        origin: None,
        mask_extra: 0,
    };
    let full_sound = Sound {
        vol: Some(Volume(1)),
        attenuation: Some(Attenuation(255)),
        timeofs: Some(TimeOffset(99)),
        source: Some(SoundSource { channel: 7, entity: 8191 }),
        origin: Some(position(4)),
        ..sound.clone()
    };
    let data = if protocol >= 32 { vec![0, 1, 255] } else { Vec::new() };
    let mut items = Box::new([0; 256]);
    (items[0], items[8], items[255]) = (i16::MIN, 1, i16::MAX);
    let removed = PacketEntity { remove: true, ..plain_entity(300) };
    let mut all = vec![
        Message::Nop(Nop {}),
        Message::MuzzleFlash(MuzzleFlash { entity: 1, value: 0x80 | 14 }),
        Message::MuzzleFlash2(MuzzleFlash2 { entity: 1023, value: 210 }),
        Message::Layout(Layout { text: Str(b"xv 32 yv 8 picn \"help\" \\ \n") }),
        Message::Inventory(Inventory { count: Items(items) }),
        Message::Sound(sound),
        Message::Sound(full_sound),
        Message::Print(Print { level: 3, string: Str(b"\xC2ob: // gg; }\n") }),
        Message::StuffText(StuffText { text: Str(b"precache\n") }),
        Message::ConfigString(ConfigString { index: 2079, string: Str(b"") }),
        Message::SpawnBaseline(baseline(1)),
        Message::SpawnBaseline(baseline(1023)),
        Message::CenterPrint(CenterPrint { text: Str(b"You need\nthe blue key") }),
        Message::Download(Download { size: 3, percent: 100, data: data.into() }),
        Message::Download(Download { size: -1, percent: 0, data: Vec::new().into() }),
        Message::PlayerInfo(full_player()),
        Message::PlayerInfo(quiet_player()),
        Message::PacketEntities(PacketEntities {
            entities: vec![plain_entity(1), full_entity(2), full_entity(256), removed],
            end_mask: 0,
        }),
        Message::PacketEntities(PacketEntities { entities: Vec::new(), end_mask: 0 }),
        Message::Bad(Bad {}),
        Message::Reconnect(Reconnect {}),
        Message::Disconnect(Disconnect {}),
    ];
    all.extend(temp_entities(protocol).into_iter().map(Message::TempEntity));
    all
}

fn payload(messages: &[Message<'_>], dialect: &mut Dialect) -> Vec<u8> {
    let mut w = Writer::default();
    encode_block(messages, dialect, &mut w).unwrap();
    w.as_slice().to_vec()
}

fn blocks(payloads: &[Vec<u8>]) -> Vec<u8> {
    let sized = |p: &Vec<u8>| [&(p.len() as u32).to_le_bytes()[..], p].concat();
    payloads.iter().flat_map(sized).collect()
}

fn demo(all: &[Vec<Message<'_>>]) -> Vec<u8> {
    let mut dialect = Dialect::QUAKE2;
    let payloads: Vec<_> = all.iter().map(|messages| payload(messages, &mut dialect)).collect();
    [&blocks(&payloads)[..], &END_MARK].concat()
}

/// The blocks of a level, with every message in them.
fn level(protocol: i32, recording: Recording, mark: u8) -> Vec<Vec<Message<'static>>> {
    let all = one_of_each(protocol);
    let map = Message::ConfigString(ConfigString { index: 33, string: Str(b"maps/rhangar1.bsp") });
    let mut level = vec![vec![serverdata(protocol, mark), map], vec![frame(recording, protocol, 5_000)]];
    level.push([vec![frame(recording, protocol, 5_001)], all.clone()].concat());
    if recording == Recording::Relay {
        let unicast = |m: Message<'static>| Message::Unicast(Unicast { client: 200, message: Box::new(m) });
        level.push([vec![frame(recording, protocol, 5_002)], all.into_iter().map(unicast).collect()].concat());
    }
    level
}

/// The messages of a demo, by the public reader.
fn decode(demo: &[u8]) -> Vec<Vec<String>> {
    let mut pieces = Pieces::new(demo, "x.dm2", Limits::default()).unwrap();
    let mut dialect = Dialect::QUAKE2;
    let mut all = Vec::new();
    while let Some(piece) = pieces.next_piece().unwrap() {
        if let qdemo::Piece::Dm2(Piece::Block(block)) = piece {
            let mut messages = Messages::new(block.payload, dialect);
            all.push(messages.by_ref().map(|m| format!("{m:?}")).collect());
            dialect = messages.dialect();
        }
    }
    all
}

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
            assert_eq!(detect(&demo, true, "x", Limits::default()).format, Format::Dm2, "{name}");
            let info = qdemo::info::info(&demo[..], "x.dm2", Limits::default()).unwrap();
            let Facts::Dm2(facts) = info.facts else { panic!("{name}") };
            assert_eq!(facts.recorded_by(), format!("{recording:?}").to_lowercase());
        }
    }
}

/// The list above leaves nothing out but what only the test release has.
#[test]
fn no_message_is_forgotten() {
    let seen: HashSet<_> = level(34, Recording::Relay, 0x80).iter().flatten().map(|m| m.kind().unwrap()).collect();
    let test = [Kind::TestBaseline, Kind::TestPlayerInfo, Kind::TestEntities];
    for kind in Kind::ALL {
        assert_eq!(seen.contains(kind), !test.contains(kind), "{kind:?}");
    }
}

/// Sizes of temporary entities are those of the document, with the byte of the force wall.
#[test]
fn sizes_of_temporary_entities() {
    for protocol in 26..=34 {
        for it in temp_entities(protocol) {
            let wait = it.wait.is_some();
            let EffectType { entitytype, .. } = it.effect;
            let bytes = payload(&[Message::TempEntity(it)], &mut Dialect::quake2(protocol, 1));
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
    let info = qdemo::info::info(&demo[..], "levels.dm2", Limits::default()).unwrap();
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
            let info = qdemo::info::info(&demo[..], "x.dm2", Limits::default()).unwrap();
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
    let print = Message::Print(Print { level: 2, string: Str(b"hi") });
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
    let mut relay = Dialect::quake2(34, 0x80);
    let unicast = Message::Unicast(Unicast { client: 3, message: Box::new(serverdata(33, 1)) });
    let later = frame(Recording::Relay, 34, 1);
    let first = payload(&[serverdata(34, 0x80)], &mut Dialect::quake2(34, 0x80));
    let of_one = payload(&[unicast, later], &mut relay);
    assert_sound(&blocks(&[first.clone(), of_one.clone()]), "x.dm2");
    assert_survives(&blocks(&[first.clone(), of_one]), "x.dm2");
    let mut test_number = payload(&[serverdata(34, 1)], &mut Dialect::quake2(34, 1));
    test_number[1] = 25;
    let print = payload(&[Message::Print(Print { level: 1, string: Str(b"hi") })], &mut Dialect::quake2(34, 1));
    // Levels of another protocol behind the test release, in its own numbers.
    let test = |protocol: u8, mark: u8| [&[7, protocol, 0, 0, 0, 1, 0, 0, 0, mark][..], &[0, 0, 0, b'm', 0]].concat();
    let of_server = payload(&[frame(Recording::Server, 27, 9)], &mut Dialect::quake2(27, 2));
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

// Whatever bytes.

/// Every protocol in every kind of recording.
fn dialects() -> Vec<Dialect> {
    let later = (26..=34).flat_map(|p| RECORDINGS.map(|(_, mark)| Dialect::quake2(p, mark)));
    later.chain([Dialect::QUAKE2_TEST]).collect()
}

/// A serverdata that leads to a dialect.
fn introduction(d: &Dialect) -> Vec<u8> {
    let mark = RECORDINGS.iter().find(|(r, _)| *r == d.quake2.recording).map_or(1, |(_, mark)| *mark);
    let mut bytes = vec![if d.quake2.recording == Recording::TestRelease { 7 } else { 12 }];
    bytes.extend(d.protocol.to_le_bytes());
    bytes.extend([1, 0, 0, 0, mark, 0, 0, 0, b'm', 0]);
    bytes
}

/// Bytes of a message: a number, and enough for the longest.
fn message_bytes() -> impl Strategy<Value = Vec<u8>> {
    let tail = prop_oneof![
        prop::collection::vec(any::<u8>(), 40..150),
        // Mostly small bytes: strings end, types are known.
        prop::collection::vec(0u8..40, 40..150),
        // Masks with few bits and many.
        prop::collection::vec(prop_oneof![Just(0u8), Just(0x80), Just(0xFF), any::<u8>()], 40..150),
    ];
    (prop_oneof![4 => 0u8..21, 1 => 0x80u8..0x95, 1 => any::<u8>()], tail).prop_map(|(id, mut tail)| {
        tail.insert(0, id);
        tail.extend([0; 560]);
        tail
    })
}

/// A serverdata of any protocol near those of Quake II, with the numbers of either release.
fn any_introduction() -> impl Strategy<Value = Vec<u8>> {
    (prop_oneof![6 => 25i32..37, 1 => any::<i32>()], prop_oneof![Just(0u8), Just(1), Just(2), Just(128)])
        .prop_flat_map(|(protocol, mark)| {
            (Just((protocol, mark)), prop_oneof![4 => Just(12u8), 2 => Just(7), 1 => Just(0x8C)])
        })
        .prop_map(|((protocol, mark), id)| {
            let mut bytes = vec![id];
            if id == 0x8C {
                bytes.push(1);
            }
            bytes.extend(protocol.to_le_bytes());
            bytes.extend([1, 0, 0, 0, mark, 0, 0, 0, b'm', 0]);
            bytes
        })
}

/// Parts that demos are made of, and that may stand in the wrong place.
fn part() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => any_introduction(),
        2 => Just(b"\x14\x88\x13\0\0\x12\0\0".to_vec()),
        2 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\0\x01\xFF".to_vec()),
        2 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\0\x01\xFF\x01\x02".to_vec()),
        1 => Just(b"\x14\x88\x13\0\0\x87\x13\0\0\x01\xFF".to_vec()),
        2 => Just(b"\x8A\x03\x02hi\0".to_vec()),
        2 => Just(b"\x0A\x02hi\0".to_vec()),
        1 => Just(vec![0x11, 0, 0, 0, 0, 0, 0]),
        1 => Just(b"\x0E\x14\0\x08\0\x10\0\x18\0\0\x40\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0".to_vec()),
        1 => Just(b"\x10\x41\x01\x08\0\0\0".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..8),
        1 => Just(Vec::new()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// A message read from any bytes writes the same bytes, in any dialect.
    #[test]
    fn any_message_in_any_dialect_writes_its_bytes(bytes in message_bytes()) {
        for d in dialects() {
            let mut messages = Messages::new(&bytes, d);
            if let Some(message) = messages.next().filter(|m| m.kind().is_some()) {
                let mut w = Writer::default();
                encode_block([&message], &mut { d }, &mut w).map_err(|f| TestCaseError::fail(f.to_string()))?;
                prop_assert_eq!(w.as_slice(), messages.raw(), "{:?} in {} {:?}", message, d.protocol, d.quake2.recording);
            }
        }
    }

    /// The same through a whole file, in text, LMPC's style and JSON.
    #[test]
    fn any_message_in_a_file_survives(bytes in message_bytes(), which in 0usize..28) {
        let d = dialects()[which];
        let mut messages = Messages::new(&bytes, d);
        let Some(message) = messages.next().filter(|m| m.kind().is_some()) else { return Ok(()) };
        let file = [&blocks(&[introduction(&d), messages.raw().to_vec()])[..], &END_MARK].concat();
        assert_survives(&file, "x.dm2");
        let report = report(&file, "x.dm2");
        prop_assert_eq!(report.detected.format, Format::Dm2);
        if message.kind() != Some(Kind::ServerData) {
            prop_assert_eq!((report.uncovered, report.different), (0, 0), "{:?}", message);
            let text = decompile_bytes(&file, "x.dm2", &Options::with_style(Style::Text)).unwrap();
            prop_assert!(!String::from_utf8_lossy(&text).contains("\n unknown {"), "{:?}", message);
        }
    }

    /// Any byte string comes back, under any name.
    #[test]
    fn any_bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        assert_survives(&bytes, "x.dm2");
    }

    /// The same for parts of demos in any order, cut into blocks anywhere.
    #[test]
    fn any_parts_survive(
        introduction in any_introduction(),
        parts in prop::collection::vec(prop::collection::vec(part(), 0..4), 0..6),
        tail in prop::collection::vec(any::<u8>(), 0..20),
        end in any::<bool>(),
    ) {
        let payloads: Vec<_> = [vec![introduction]].iter().chain(&parts).map(|p| p.concat()).collect();
        let mut file = blocks(&payloads);
        if end {
            file.extend(END_MARK);
        }
        file.extend(tail);
        assert_survives(&file, "x.dm2");
        prop_assert_eq!(report(&file, "x.dm2").different, 0);
    }
}

// Damage.

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
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len());
            match random.below(6) {
                0 => damaged[at] = random.next() as u8,
                1 => damaged[at] ^= 1 << random.below(8),
                2 => drop(damaged.drain(at..(at + random.below(40)).min(damaged.len()))),
                3 => {
                    let n = random.below(40);
                    damaged.splice(at..at, random.bytes(n));
                }
                // The head is where protocol and recorder stand.
                4 => damaged[at % 24] = random.next() as u8,
                _ => damaged.truncate(at.max(24)),
            }
            damaged.resize(damaged.len().max(24), 0);
        }
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
