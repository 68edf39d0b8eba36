//! Recordings of Quake II of which there are none at hand: by servers and Relay, in Q2PRO's and the re-release's protocols.

use qdemo::describe::{ByteOrShort, ModelIndex};
use qdemo::format::dm2::{
    ByteList, ClientSlots, ConfigString, END_MARK, Frame, FrameNumber, Inventory, Items, Layout, Message, OriginCoord,
    Packet, PacketEntities, PacketEntity, PlayerInfo, ServerData, Sized32, SpawnBaseline, SplitClient, SplitPlayer,
    SplitPlayers, Stats, Unicast,
};
use qdemo::format::dm2::{Dialect, Recording};
use qdemo::wire::{ByteWriter, Coord, Str};

use crate::keyframe::rebased::File;

/// Numbers that look random, the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn origin(&mut self, d: &Dialect) -> Option<OriginCoord> {
        use qdemo::wire::CoordKind;
        let eighths = self.below(16_000) as i16 - 8000;
        Some(OriginCoord(match d.origin {
            CoordKind::I16 => Coord::I16(eighths),
            CoordKind::F32 => Coord::F32((f32::from(eighths) / 3.0).into()),
            CoordKind::I24Eighths => Coord::I24Eighths(eighths.into()),
            CoordKind::StretchedDelta => Coord::By(eighths / 64),
            _ => return None,
        }))
    }

    fn entity(&mut self, d: &Dialect, there: &mut Vec<u16>) -> PacketEntity {
        let number = 1 + self.below(12) as u16 + 300 * self.below(2) as u16;
        let known = there.contains(&number);
        let mut m = PacketEntity { entity: ByteOrShort(number), ..PacketEntity::default() };
        // Servers tell everything that is in view: nothing leaves.
        let tells_all = matches!(d.recording, Recording::Server);
        if known && !tells_all && self.below(5) == 0 {
            there.retain(|other| *other != number);
            m.remove = true;
            return m;
        }
        if !known {
            there.push(number);
        }
        m.modelindex = (self.below(2) == 0).then(|| ModelIndex(self.below(250) as u16));
        m.frame = FrameNumber { byte: (self.below(2) == 0).then(|| self.below(256) as u8), short: None };
        if self.below(3) == 0 {
            m.skin = Sized32::of(self.below(1 << 20) as u32);
            m.effects = Sized32::of(self.below(1 << 18) as u32);
        }
        if self.below(2) == 0 {
            (m.origin_x, m.origin_z) = (self.origin(d), self.origin(d));
        }
        m.event = (self.below(4) == 0).then(|| 1 + self.below(6) as u8);
        m
    }

    fn player(&mut self, d: &Dialect) -> PlayerInfo {
        let stats: [i16; 256] = std::array::from_fn(|_| self.below(200) as i16);
        let told = self.below(1 << 30);
        PlayerInfo {
            pm_type: (self.below(3) == 0).then(|| self.below(4) as u8),
            gravity: (self.below(3) == 0).then_some(800),
            fov: (self.below(3) == 0).then(|| self.below(120) as u8),
            stats: Stats::of(&stats, |n| n < 30 && told >> n & 1 == 1, d.layout.stats),
            ..PlayerInfo::default()
        }
    }
}

/// A recording of a protocol with a mark of who recorded, of so many players at one screen; the dialect is for
/// what the protocol does not tell.
pub(crate) fn recording(protocol: i32, isdemo: u8, screens: u8, dialect: Option<Dialect>) -> File {
    let mut random = Random(0x1234_5678 + protocol as u64 + u64::from(isdemo));
    let several = screens > 1;
    let d = dialect.unwrap_or(Dialect::announced(protocol, isdemo));
    let d = if matches!(protocol, 2022 | 2023) { d.with_screens(40, screens) } else { d };
    let client = match (several, d.recording) {
        (true, _) => ClientSlots { client: -2, split: (0..i16::from(screens)).map(|n| n * 2).collect() },
        (false, Recording::Client) => ClientSlots::one(3),
        (false, _) => ClientSlots::one(-1),
    };
    let string =
        |index, text: &str| Message::ConfigString(ConfigString { index, string: Str::from(text.as_bytes().to_vec()) });
    let strings = d.layout.configstrings;
    let mut level = vec![
        Message::ServerData(ServerData {
            serverversion: protocol,
            key: 0x1_0007,
            isdemo,
            tickrate: matches!(protocol, 2022 | 2023).then_some(40),
            game: Str::from("rogue"),
            client,
            mapname: Str::from("A hall"),
        }),
        string(0, "A hall"),
        string(strings.models + 1, "maps/q2dm1.bsp"),
        string(strings.players, "One\\male/grunt"),
        string(strings.players + 2, "Two\\female/athena"),
        string(strings.general + 3, &"long ".repeat(300)),
    ];
    if d.recording != Recording::Server {
        for number in [1, 5, 305] {
            let frame = FrameNumber { byte: Some(number as u8), short: None };
            let entity = ByteOrShort(number);
            level.push(Message::SpawnBaseline(SpawnBaseline { entity, frame, ..SpawnBaseline::default() }));
        }
    }
    let mut blocks = vec![level];
    // What is in view in each frame.
    let mut history: Vec<(i32, Vec<u16>)> = Vec::new();
    for number in 1..90_i32 {
        let full = number % 23 == 1 || matches!(d.recording, Recording::Server);
        let base = if full { None } else { history.iter().rev().nth(random.below(4) as usize).cloned() };
        let mut there = base.as_ref().map_or(Vec::new(), |(_, there)| there.clone());
        let mut entities: Vec<PacketEntity> =
            (0..random.below(8)).map(|_| random.entity(&d, &mut there.clone())).collect();
        entities.sort_by_key(|m| m.entity.0);
        entities.dedup_by_key(|m| m.entity.0);
        for m in &entities {
            there.retain(|other| *other != m.entity.0);
            if !m.remove {
                there.push(m.entity.0);
            }
        }
        let of = |recordings: &[Recording]| recordings.contains(&d.recording);
        let deltas = of(&[Recording::Client, Recording::Relay]);
        let split: Vec<SplitPlayer> = (1..screens)
            .map(|_| SplitPlayer { areas: ByteList(vec![3, number as u8]), state: random.player(&d) })
            .collect();
        let mut block = vec![Message::Frame(Frame {
            seq1: number,
            seq2: deltas.then_some(base.as_ref().map_or(-1, |(base, _)| *base)),
            suppress: (deltas && d.suppress).then_some((number % 3) as u8),
            split: several.then_some(SplitPlayers(split)),
            areas: deltas.then(|| ByteList(vec![1, number as u8])),
            connected: of(&[Recording::Relay]).then(|| ByteList(vec![0, 2])),
        })];
        let player = Message::PlayerInfo(random.player(&d));
        match d.recording {
            Recording::Client => block.push(player),
            Recording::Relay => {
                let other = Message::PlayerInfo(random.player(&d));
                for (client, message) in [(0, player), (2, other)] {
                    block.push(Message::Unicast(Unicast { client, message: Box::new(message) }));
                }
            }
            _ => {}
        }
        block.push(Message::PacketEntities(PacketEntities { entities, end_mask: 0 }));
        if number % 31 == 7 && deltas {
            let layout = Message::Layout(Layout { text: Str::from("xv 0 client 0 0 2 5 40 1 ") });
            let items = Message::Inventory(Inventory { count: Items(Box::new([number as i16; 256])) });
            if several {
                block.push(Message::SplitClient(SplitClient { client: 2 }));
            }
            match d.recording {
                Recording::Relay => {
                    block.push(Message::Unicast(Unicast { client: 2, message: Box::new(layout) }));
                    block.push(Message::Unicast(Unicast { client: 0, message: Box::new(items) }));
                }
                _ => block.extend([layout, items]),
            }
        }
        history.push((number, there));
        blocks.push(block);
    }
    let mut w = ByteWriter::default();
    for (n, block) in blocks.into_iter().enumerate() {
        // The level's own dialect is in force behind it, also where it does not tell all of that.
        Packet::new(block).write(&mut { if n == 0 { Dialect::QUAKE2 } else { d } }, &mut w).unwrap();
    }
    let bytes = [w.as_slice(), &END_MARK].concat();
    File { name: format!("made-{protocol}-{isdemo}-{screens}.dm2"), bytes }
}
