//! Demos built byte by byte.

use qdemo::text::{Options, decompile_bytes};
use qdemo::verify::{Report, verify};
use qdemo::{Limits, text::compile_bytes};

use crate::common::assert_survives;

/// A minor version with flags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Version {
    pub(crate) minor: u16,
    pub(crate) flags: u16,
}

/// Every minor version, with the flags that it knows; flag 4 began to mean something in 2011, flag 8 in 2012.
pub(crate) const VERSIONS: [Version; 9] = [
    Version { minor: 2009, flags: 0 },
    Version { minor: 2010, flags: 3 },
    Version { minor: 2010, flags: 4 },
    Version { minor: 2011, flags: 4 },
    Version { minor: 2012, flags: 0 },
    Version { minor: 2012, flags: 5 },
    Version { minor: 2012, flags: 12 },
    Version { minor: 2013, flags: 4 },
    Version { minor: 2013, flags: 12 },
];

impl Version {
    pub(crate) fn extended(self) -> bool {
        self.minor >= 2011 && self.flags & 4 != 0
    }
    pub(crate) fn second(self) -> bool {
        self.minor >= 2012 && self.flags & 12 == 12
    }
    /// A player's mask may have a third byte.
    pub(crate) fn third(self) -> bool {
        self.minor >= 2013 && self.second()
    }
    pub(crate) fn end(self) -> u16 {
        if self.extended() { 13_630 } else { 2080 }
    }

    pub(crate) fn serverdata(self, body: &[u8]) -> Vec<u8> {
        let apart = self.minor >= 2012;
        let mut all = vec![4 | if apart { 0 } else { (self.flags as u8) << 5 }];
        all.extend(37u32.to_le_bytes());
        all.extend(self.minor.to_le_bytes());
        if apart {
            all.extend(self.flags.to_le_bytes());
        }
        all.extend(0x1234u32.to_le_bytes());
        all.extend(b"rogue\0");
        all.extend((-1i16).to_le_bytes());
        let (models, players) = if self.extended() { (62, 12_862) } else { (32, 1312) };
        let strings: [(u16, &[u8]); 4] = [
            (0, b"Lost Hall"),
            (models + 1, b"maps/rhangar1.bsp"),
            (players, b"claire\\female/athena"),
            (self.end() - 1, b""),
        ];
        for (index, string) in strings {
            all.extend(index.to_le_bytes());
            all.extend(string);
            all.push(0);
        }
        all.extend(self.end().to_le_bytes());
        all.extend(body);
        all
    }

    /// The fields of a player, each with its mask bit, in the order on the wire.
    pub(crate) fn player_fields(self) -> Vec<(u32, Vec<u8>, &'static str)> {
        // 512 units: 4096 eighths. With the second extended limits as a difference, in 15 bits above a 0.
        let coord = if self.second() { (4096u16 << 1).to_le_bytes() } else { 4096u16.to_le_bytes() };
        // Model 300, skin 5; or model 44.
        let gun = if self.extended() { (300u16 | 5 << 13).to_le_bytes().to_vec() } else { vec![44] };
        let blend = if self.second() { vec![0xFF, 1, 2, 3, 4, 5, 6, 7, 8] } else { vec![1, 2, 3, 4] };
        let stats = if self.second() {
            // 64 bits in groups of seven.
            let mask = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
            [&mask[..], &(0..64i16).flat_map(i16::to_le_bytes).collect::<Vec<_>>()].concat()
        } else {
            [&[0xFF; 4][..], &(0..32i16).flat_map(i16::to_le_bytes).collect::<Vec<_>>()].concat()
        };
        let mut fields = vec![
            (0, vec![4], "pm_type 4;"),
            (1, [coord, coord].concat(), "origin_xy"),
            (2, coord.to_vec(), "origin_z"),
            (3, vec![0, 0, 88], "viewoffset 0 0 22;"),
            (4, vec![0x00, 0x20, 0x00, 0xC0], "view_pitch_yaw 45 -90;"),
            (5, vec![0x00, 0x40], "view_roll 90;"),
            (6, vec![4, 0xFC, 0], "kick_angles 1 -1 0;"),
            (9, gun, "gunindex"),
            (10, vec![7], "gunframe 7;"),
            (11, vec![2, 4, 6], "gunoffset 0.5 1 1.5;"),
            (12, vec![8, 8, 8], "gunangles 2 2 2;"),
            (7, blend, "blend"),
        ];
        if self.third() {
            let fog: [&[u8]; 9] = [
                &[0xFF],
                &[1, 2, 3],
                &[0xFF, 0xFF, 0, 0],
                &[9, 0],
                &[8, 0],
                &[4, 5, 6],
                &[7, 8, 9],
                &(100u16 << 4).to_le_bytes(),
                // 8192 units do not fit 15 bits of eighths: 23 bits above a 1.
                &[0x01, 0x00, 0x02],
            ];
            fields.push((17, fog.concat(), "fog {"));
        }
        fields.extend([(8, vec![90], "fov 90;"), (13, vec![2], "rdflags 2;"), (14, stats, "stats[31] 31;")]);
        fields
    }

    /// A player with fields of these bits, gone or not.
    pub(crate) fn player(self, slot: u8, bits: u32, gone: bool) -> Vec<u8> {
        let mut all = vec![slot];
        let mask = self.player_fields().iter().map(|f| 1 << f.0 & bits).fold(0, |all, bit| all | bit);
        if self.third() {
            let third = (mask >> 16) as u8 | u8::from(gone);
            all.extend(((mask & 0x7FFF) as u16 | if third != 0 { 0x8000 } else { 0 }).to_le_bytes());
            if third != 0 {
                all.push(third);
            }
        } else {
            all.extend((mask as u16 | u16::from(gone) << 15).to_le_bytes());
        }
        all.extend(self.player_fields().iter().filter(|f| bits >> f.0 & 1 == 1).flat_map(|f| f.1.clone()));
        all
    }

    /// An entity with every mask bit set, removed too, although nobody writes short and long numbers at once.
    pub(crate) fn entity(self) -> Vec<u8> {
        let mut mask: u64 = 0x0FFF_DFFF;
        if self.extended() {
            // Angles in two bytes, models in two bytes, more effects, opacity, a fifth byte, size, more effects.
            mask |= 1 << 13 | 1 << 28 | 1 << 29 | 1 << 30 | 1 << 31 | 1 << 32 | 1 << 33;
        }
        let mut all = mask.to_le_bytes()[..if self.extended() { 5 } else { 4 }].to_vec();
        all.extend(300u16.to_le_bytes());
        all.extend((0..4).flat_map(|_| if self.extended() { vec![0x2C, 1] } else { vec![255] }));
        // The frame: a byte, then two. Skin, effects, render flags: both bits say four bytes.
        all.extend([9, 0x2C, 1]);
        all.extend([1, 2, 3, 4, 0, 0, 0, 0x80, 0, 4, 0, 0]);
        // Origin: the height as a full number where there are differences.
        match self.second() {
            true => all.extend([2, 0, 4, 0, 0x01, 0x00, 0x02]),
            false => all.extend([1, 0, 2, 0, 3, 0]),
        }
        all.extend((0..3).flat_map(|n| if self.extended() { vec![n, 0x40] } else { vec![0x40] }));
        match self.second() {
            true => all.extend([2, 0, 4, 0, 6, 0]),
            false => all.extend([1, 0, 2, 0, 3, 0]),
        }
        match self.extended() {
            // Sound 5, its loudness, how it fades.
            true => all.extend([5, 0xC0, 255, 64]),
            false => all.push(5),
        }
        all.push(6);
        all.extend(&[31, 0, 0, 0][..if self.extended() { 4 } else { 2 }]);
        if self.extended() {
            all.extend([1, 0, 0, 0x80, 128, 24]);
        }
        all
    }

    pub(crate) fn scene(self, players: &[Vec<u8>], entities: &[Vec<u8>]) -> Vec<u8> {
        [&[2, 0xFE, 1], &players.concat()[..], &[255], &entities.concat(), &[0, 0]].concat()
    }

    /// Commands of all kinds.
    pub(crate) fn commands(self) -> Vec<Vec<u8>> {
        let all_bits = u32::MAX;
        let frame = self.scene(
            &[self.player(0, all_bits, false), self.player(1, 0, true), self.player(254, all_bits, true)],
            &[vec![0, 1], self.entity(), vec![0x40, 9]],
        );
        let layout = [&[4][..], &[b'x'; 600], &[0]].concat();
        let sized = |number: u8, between: &[u8], payload: &[u8]| {
            let size = payload.len();
            [&[number | (size >> 8 << 5) as u8, size as u8], between, payload].concat()
        };
        let mut all = vec![
            vec![1],
            vec![1 | 7 << 5],
            [&[6][..], &frame].concat(),
            [&[6 | 2 << 5][..], &self.scene(&[], &[])].concat(),
            b"\x05\x21\x00maps/q2dm1.bsp\0".to_vec(),
            b"\xE5\x00\x00x\0".to_vec(),
            b"\x11\x01claire was railed by mcbass\n\0".to_vec(),
            b"\x31\x03mcbass: gg\n\0".to_vec(),
            sized(8, &[3], b"\x0A\x02hi\0"),
            sized(9, &[20], &layout),
            sized(8, &[0], b""),
            // Sounds: nothing, all of it; to everyone, reliable, and a bit without a meaning.
            vec![16, 0x08, 7, 0x09, 0],
            vec![16 | 1 << 5, 0x1B, 7, 255, 64, 100, 0xFF, 0xFF],
            vec![16 | 2 << 5, 0x00, 7, 0x09, 0],
            vec![16 | 7 << 5, 0xCC, 7, 0x09, 0],
        ];
        if self.extended() {
            all.push(vec![16, 0x28, 0x2C, 1, 0x09, 0]);
        }
        let flash = b"\x01\x01\x00\x07";
        for number in 10..=15 {
            let leaf: &[u8] = if matches!(number, 10 | 13) { &[] } else { &[0x34, 0x12] };
            all.push(sized(number, leaf, flash));
            all.push(sized(number, leaf, &[&flash[..]; 80].concat()));
        }
        all
    }

    /// A demo with all of that, each command in a block of its own, then all in one.
    pub(crate) fn demo(self) -> Vec<u8> {
        let scene = self.scene(&[self.player(0, u32::MAX, false)], &[self.entity()]);
        let commands = self.commands();
        let mut payloads = vec![self.serverdata(&scene)];
        payloads.extend(commands.clone());
        payloads.push(commands.concat());
        demo(&payloads)
    }
}

pub(crate) fn demo(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut all = b"MVD2".to_vec();
    for payload in payloads {
        all.extend((payload.len() as u16).to_le_bytes());
        all.extend(payload);
    }
    all.extend([0, 0]);
    all
}

/// A demo of a level and one frame with these players and entities.
pub(crate) fn with_frame(version: Version, players: &[Vec<u8>], entities: &[Vec<u8>]) -> Vec<u8> {
    let frame = [&[6][..], &version.scene(players, entities)].concat();
    demo(&[version.serverdata(&version.scene(&[], &[])), frame])
}

pub(crate) fn report(demo: &[u8]) -> Report {
    verify(demo, "x.mvd2", Limits::default()).unwrap()
}

pub(crate) fn text(demo: &[u8]) -> String {
    String::from_utf8(decompile_bytes(demo, "x.mvd2", &Options::default()).unwrap()).unwrap()
}

/// The demo is understood whole and comes back through every language. Gives its text.
#[track_caller]
pub(crate) fn assert_exact(demo: &[u8]) -> String {
    let report = report(demo);
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound() && report.ends_cleanly, "{} uncovered, {faults:?}", report.uncovered);
    assert_eq!(report.bytes, demo.len() as u64);
    assert_survives(demo, "x.mvd2");
    let text = text(demo);
    assert!(compile_bytes(text.as_bytes(), "t").unwrap() == demo);
    text
}
