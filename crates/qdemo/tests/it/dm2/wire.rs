//! Bytes written by hand, and the text that they must give.

use qdemo::detect::detect;
use qdemo::game::quake2::World;
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::verify::{Report, verify};
use qdemo::{Chunk, FileKind, Limits, Reader};

use crate::common::assert_survives;
pub(crate) use crate::common::quake2_demo as file;

pub(crate) const RERELEASE: i32 = 2023;
/// The demos that came with it.
pub(crate) const RERELEASE_DEMOS: i32 = 2022;

/// Bytes, one value after the other.
#[derive(Default, Clone)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    pub(crate) fn u8(mut self, all: &[u8]) -> Self {
        self.0.extend(all);
        self
    }
    pub(crate) fn u16(mut self, all: &[u16]) -> Self {
        all.iter().for_each(|v| self.0.extend(v.to_le_bytes()));
        self
    }
    pub(crate) fn u32(mut self, v: u32) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }
    pub(crate) fn f32(self, all: &[f32]) -> Self {
        all.iter().fold(self, |b, v| b.u32(v.to_bits()))
    }
    /// KMQuake2's coordinate: the highest byte, then a word.
    pub(crate) fn high_first(self, eighths: &[i32]) -> Self {
        eighths.iter().fold(self, |b, v| b.u8(&[(v >> 16) as u8, *v as u8, (v >> 8) as u8]))
    }
    /// Q2PRO's short coordinate: the lowest bit is 0.
    pub(crate) fn short(self, eighths: &[i16]) -> Self {
        eighths.iter().fold(self, |b, v| b.u16(&[(v * 2) as u16]))
    }
    /// Its long one: the lowest bit is 1.
    pub(crate) fn long(self, eighths: &[i32]) -> Self {
        eighths.iter().fold(self, |b, v| {
            let bytes = (v * 2 + 1).to_le_bytes();
            b.u8(&bytes[..3])
        })
    }
}

pub(crate) fn bytes() -> Bytes {
    Bytes::default()
}

pub(crate) fn mask(bits: &[u32]) -> u64 {
    bits.iter().fold(0, |mask, bit| mask | 1 << bit)
}

pub(crate) fn serverdata(protocol: i32) -> Vec<u8> {
    let head = bytes().u8(&[12]).u32(protocol as u32).u8(&[1, 0, 1, 0, 1]);
    // The re-release has frames a second there.
    let head = if [RERELEASE, RERELEASE_DEMOS].contains(&protocol) { head.u8(&[40]) } else { head };
    head.u8(b"xatrix\0\0\0The Edge\0").0
}

#[track_caller]
pub(crate) fn sound_report(file: &[u8]) -> Report {
    let report = verify(file, "x.dm2", Limits::default()).unwrap();
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{} uncovered, {} different, {faults:?}", report.uncovered, report.different);
    assert_survives(file, "x.dm2");
    report
}

/// The text of messages, white space folded, comments left out. They are a block of their own.
#[track_caller]
pub(crate) fn text_of(protocol: i32, messages: &[u8]) -> String {
    let file = file(&[&serverdata(protocol), messages]);
    assert_eq!(sound_report(&file).protocol, protocol);
    assert_eq!(detect(&file, true, "x", Limits::default()).kind, FileKind::Dm2);
    let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
    let lines: Vec<_> = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    let text = lines.join(" ");
    let block = text.split("block {").nth(2).unwrap();
    block.trim().strip_suffix("} endblock;").unwrap().trim().to_owned()
}

/// The text of one entity, without brackets.
#[track_caller]
pub(crate) fn entity(protocol: i32, item: &[u8]) -> String {
    let text = text_of(protocol, &[&[18], item, &[0, 0]].concat());
    let inner = text.strip_prefix("packetentities { packetentity {").and_then(|t| t.strip_suffix("} }"));
    inner.unwrap_or_else(|| panic!("one entity: {text}")).trim().to_owned()
}

#[track_caller]
pub(crate) fn player(protocol: i32, state: &[u8]) -> String {
    let text = text_of(protocol, &[&[17], state].concat());
    text.strip_prefix("playerinfo {").and_then(|t| t.strip_suffix('}')).unwrap().trim().to_owned()
}

/// The configstrings that tell the map and a player, and what `info` makes of them.
#[track_caller]
pub(crate) fn assert_info(protocol: i32, models: u16, players: u16, dialect: &str) {
    let string = |index: u16, text: &[u8]| bytes().u8(&[13]).u16(&[index]).u8(text).u8(&[0]).0;
    let block = [
        serverdata(protocol),
        string(models + 1, b"maps/q2dm1.bsp"),
        string(models + 2, b"*1"),
        string(players + 1, b"Grunt\\male/grunt"),
        string(33, if models == 32 { b"maps/q2dm1.bsp" } else { b"1" }),
    ];
    let frame = bytes().u8(&[20]).u32(50).u32(u32::MAX).u8(&[0, 1, 255]).0;
    let file = file(&[&block.concat(), &frame]);
    sound_report(&file);
    let Facts::Dm2(facts) = qdemo::replay::info::info(&file[..], "x.dm2", Limits::default()).unwrap().facts else {
        panic!("Quake II")
    };
    assert_eq!((facts.dialect.protocol, facts.dialect.name), (protocol, dialect));
    assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].frames), ("q2dm1", 1));
    assert_eq!(facts.players.iter().map(|p| (p.slot, p.name())).collect::<Vec<_>>(), [(1, "Grunt".to_owned())]);
}

/// What the world makes of a recording; `each` sees it after every chunk.
pub(crate) fn fold(file: &[u8], mut each: impl FnMut(&World)) -> World {
    let mut chunks = Reader::new(file, "x.dm2", Limits::default()).unwrap();
    let mut world = World::default();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        if let Chunk::Dm2(chunk) = &chunk {
            world.apply(chunk);
            each(&world);
        }
    }
    world
}
