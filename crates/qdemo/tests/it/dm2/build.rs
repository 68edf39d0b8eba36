//! Demos of every protocol, kind of recording and message, built from the documents.

use qdemo::describe::{Attenuation, ByteOrShort, ModelIndex, SoundIndex, Volume};
use qdemo::format::dem::{Bad, CenterPrint, Nop, StuffText};
use qdemo::format::dm2::*;
use qdemo::format::encode_messages;
use qdemo::wire::{Angle, ByteWriter, Coord, Str};
use qdemo::{Limits, Reader};

pub(crate) const RECORDINGS: [(Recording, u8); 3] =
    [(Recording::Client, 1), (Recording::Server, 2), (Recording::Relay, 0x80)];

pub(crate) fn origin(x: i16) -> Option<OriginCoord> {
    Some(OriginCoord(Coord::I16(x)))
}

pub(crate) fn position(x: i16) -> [Coord; 3] {
    [Coord::I16(x), Coord::I16(-x), Coord::I16(i16::MAX.wrapping_sub(x))]
}

pub(crate) fn serverdata(protocol: i32, isdemo: u8) -> Message<'static> {
    Message::ServerData(ServerData {
        serverversion: protocol,
        key: 0x1_0001,
        isdemo,
        game: Str::new(b"rogue"),
        tickrate: None,
        client: ClientSlots::one(if isdemo == 1 { 3 } else { -1 }),
        mapname: Str::new(b"Lost \xCDHall"),
    })
}

pub(crate) fn plain_entity(number: u16) -> PacketEntity {
    PacketEntity {
        entity: ByteOrShort(number),
        remove: false,
        modelindex: None,
        modelindex2: None,
        modelindex3: None,
        modelindex4: None,
        modelindex5: None,
        modelindex6: None,
        frame: FrameNumber::default(),
        skin: Sized32::default(),
        wide_effects: None,
        effects: Sized32::default(),
        renderfx: Sized32::default(),
        solid_in_front: None,
        origin_x: None,
        origin_y: None,
        origin_z: None,
        old_origin_in_front: None,
        angles_1: None,
        angles_2: None,
        angles_3: None,
        old_origin: None,
        alpha_in_front: None,
        loop_attenuation: None,
        morefx: Sized32::default(),
        alpha: None,
        scale: None,
        sound: None,
        event: None,
        solid: None,
        rerelease: None,
        mask_extra: 0,
    }
}

pub(crate) fn full_entity(number: u16) -> PacketEntity {
    PacketEntity {
        modelindex: Some(ModelIndex(255)),
        modelindex2: Some(ModelIndex(1)),
        modelindex3: Some(ModelIndex(2)),
        modelindex4: Some(ModelIndex(3)),
        frame: FrameNumber { byte: Some(197), short: None },
        skin: Sized32::of(0x0203),
        effects: Sized32::of(0x8000_0040),
        renderfx: Sized32::of(128),
        origin_x: origin(-1),
        origin_y: origin(i16::MIN),
        origin_z: origin(8),
        angles_1: Some(EntityAngle(Angle::I8(-128))),
        angles_2: Some(EntityAngle(Angle::I8(127))),
        angles_3: Some(EntityAngle(Angle::I8(1))),
        old_origin: Some(position(77)),
        sound: Some(EntitySound::new(9)),
        event: Some(6),
        solid: Some(Solid(0xFFFF)),
        ..plain_entity(number)
    }
}

pub(crate) fn baseline(number: u16) -> SpawnBaseline {
    SpawnBaseline {
        entity: ByteOrShort(number),
        remove: false,
        modelindex: Some(ModelIndex(4)),
        modelindex2: None,
        modelindex3: None,
        modelindex4: None,
        modelindex5: None,
        modelindex6: None,
        frame: FrameNumber { byte: None, short: Some(300) },
        skin: Sized32::of(0xD0D1_D2D3),
        wide_effects: None,
        effects: Sized32::default(),
        renderfx: Sized32::of(128),
        solid_in_front: None,
        origin_x: origin(5),
        origin_y: None,
        origin_z: origin(-5),
        old_origin_in_front: None,
        angles_1: None,
        angles_2: Some(EntityAngle(Angle::I8(64))),
        angles_3: None,
        old_origin: Some(position(3)),
        alpha_in_front: None,
        loop_attenuation: None,
        morefx: Sized32::default(),
        alpha: None,
        scale: None,
        sound: None,
        event: None,
        solid: Some(Solid(31)),
        rerelease: None,
        mask_extra: 0,
    }
}

pub(crate) fn quiet_player() -> PlayerInfo {
    PlayerInfo {
        pm_type: None,
        origin: None,
        velocity: None,
        pm_time: None,
        pm_flags: None,
        gravity: None,
        precise: None,
        delta_angles: None,
        viewoffset: None,
        viewangles: None,
        kick_angles: None,
        gunindex: None,
        gunindex2: None,
        kmquake2: None,
        fog: None,
        precise_gun: None,
        gun: None,
        blend: None,
        fov: None,
        rdflags: None,
        stats: Stats::default(),
        rerelease: None,
        mask_extra: 0,
    }
}

pub(crate) fn full_player() -> PlayerInfo {
    PlayerInfo {
        pm_type: Some(4),
        origin: Some(position(1).map(OriginCoord)),
        velocity: Some(position(2).map(VelocityCoord)),
        pm_time: Some(Movement(255)),
        pm_flags: Some(Movement(4)),
        gravity: Some(800),
        precise: None,
        delta_angles: Some(Angles16([1, -1, i16::MIN])),
        viewoffset: Some(Quarters([0, -128, 127])),
        viewangles: Some(Angles16([i16::MAX, 0, 7])),
        kick_angles: Some(Quarters([1, 2, 3])),
        gunindex: Some(GunIndex::new(8)),
        gunindex2: None,
        kmquake2: None,
        fog: None,
        precise_gun: None,
        gun: Some(Gun { frame: Some(6), frame2: None, offset: Quarters([-1, -2, -3]), angles: Quarters([4, 5, 6]) }),
        blend: Some(Blend::All([0, 1, 127, 255])),
        fov: Some(90),
        rdflags: Some(1),
        stats: Stats {
            mask: u64::from(u32::MAX),
            spare_bytes: 0,
            values: (0..32).map(|n| n * 1000 - 16_000).collect(),
        },
        rerelease: None,
        mask_extra: 0,
    }
}

pub(crate) fn frame(recording: Recording, protocol: i32, number: i32) -> Message<'static> {
    let client = recording != Recording::Server;
    Message::Frame(Frame {
        seq1: number,
        seq2: client.then_some(number - 1),
        suppress: (client && protocol != 26).then_some(0),
        split: None,
        areas: client.then(|| ByteList(vec![0xFE, 0x01])),
        connected: (recording == Recording::Relay).then(|| ByteList(vec![0, 5])),
    })
}

/// What a temporary entity consists of, by the document's section 3.4 and its errata; and the bytes of that, type and
/// message number left out.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
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
    pub(crate) fn of(entitytype: u8, protocol: i32) -> Shape {
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

    pub(crate) fn bytes(self, wait: bool) -> usize {
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

pub(crate) fn temp_entity(entitytype: u8, protocol: i32, nextid: i16) -> TempEntity {
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
        damage: None,
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

pub(crate) fn temp_entities(protocol: i32) -> Vec<TempEntity> {
    (0..=55).map(|n| temp_entity(n, protocol, 20)).chain([temp_entity(40, protocol, -1)]).collect()
}

/// One of each message but serverdata and frames, temporary entities in all their types.
pub(crate) fn one_of_each(protocol: i32) -> Vec<Message<'static>> {
    let sound = Sound {
        soundnum: SoundIndex(7),
        vol: None,
        attenuation: None,
        timeofs: None,
        source: None,
        origin: None,
        explicit_origin: false,
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
        Message::Layout(Layout { text: Str::new(b"xv 32 yv 8 picn \"help\" \\ \n") }),
        Message::Inventory(Inventory { count: Items(items) }),
        Message::Sound(sound),
        Message::Sound(full_sound),
        Message::Print(Print { level: 3, string: Str::new(b"\xC2ob: // gg; }\n") }),
        Message::StuffText(StuffText { text: Str::new(b"precache\n") }),
        Message::ConfigString(ConfigString { index: 2079, string: Str::new(b"") }),
        Message::SpawnBaseline(baseline(1)),
        Message::SpawnBaseline(baseline(1023)),
        Message::CenterPrint(CenterPrint { text: Str::new(b"You need\nthe blue key") }),
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

pub(crate) fn payload(messages: &[Message<'_>], dialect: &mut Dialect) -> Vec<u8> {
    let mut w = ByteWriter::default();
    encode_messages(messages, dialect, &mut w).unwrap();
    w.as_slice().to_vec()
}

pub(crate) fn blocks(payloads: &[Vec<u8>]) -> Vec<u8> {
    let sized = |p: &Vec<u8>| [&(p.len() as u32).to_le_bytes()[..], p].concat();
    payloads.iter().flat_map(sized).collect()
}

pub(crate) fn demo(all: &[Vec<Message<'_>>]) -> Vec<u8> {
    let mut dialect = Dialect::QUAKE2;
    let payloads: Vec<_> = all.iter().map(|messages| payload(messages, &mut dialect)).collect();
    [&blocks(&payloads)[..], &END_MARK].concat()
}

/// The blocks of a level, with every message in them.
pub(crate) fn level(protocol: i32, recording: Recording, mark: u8) -> Vec<Vec<Message<'static>>> {
    let all = one_of_each(protocol);
    let map = Message::ConfigString(ConfigString { index: 33, string: Str::new(b"maps/rhangar1.bsp") });
    let mut level = vec![vec![serverdata(protocol, mark), map], vec![frame(recording, protocol, 5_000)]];
    level.push([vec![frame(recording, protocol, 5_001)], all.clone()].concat());
    if recording == Recording::Relay {
        let unicast = |m: Message<'static>| Message::Unicast(Unicast { client: 200, message: Box::new(m) });
        level.push([vec![frame(recording, protocol, 5_002)], all.into_iter().map(unicast).collect()].concat());
    }
    level
}

/// The messages of a demo, by the public reader.
pub(crate) fn decode(demo: &[u8]) -> Vec<Vec<String>> {
    let mut chunks = Reader::new(demo, "x.dm2", Limits::default()).unwrap();
    let mut dialect = Dialect::QUAKE2;
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        if let qdemo::Chunk::Dm2(Chunk::Block(block)) = chunk {
            let mut messages = Messages::new(block.payload, dialect);
            all.push(messages.by_ref().map(|m| format!("{m:?}")).collect());
            dialect = messages.dialect();
        }
    }
    all
}
