//! The re-release of 2023.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use qdemo::Limits;
use qdemo::event::{EventKind, FragKind};
use qdemo::game::quake2::World;
use qdemo::replay::events;
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::verify::verify;
use qdemo::world::{Scene, TextKind};
use std::io::Write as _;

use super::wire::*;
use crate::common::assert_survives;

#[test]
fn it_tells_its_map_and_players() {
    assert_info(RERELEASE, 62, 11_582, "quake2-rerelease");
}

/// Every bit of a mask of five bytes: the box in front of the place, the other end of a beam in front of the angles.
#[test]
fn entities() {
    let bits: Vec<u32> = (0..36).filter(|bit| ![6, 13, 17, 19, 18, 25].contains(bit)).collect();
    let item = bytes()
        .u8(&mask(&bits).to_le_bytes()[..5])
        .u16(&[8191, 0x101, 2, 3, 4])
        .u8(&[7, 8])
        .u32(0x8000_0001)
        .u8(&[0x22, 10])
        .u32(0x3820_1010)
        .f32(&[0.1, -1.5, 4096.25, 1.0, 2.0, 3.5, 90.0, -0.25, 359.9])
        .u16(&[0xC000 | 700])
        .u8(&[51, 192, 6, 255, 24, 3])
        .u16(&[5, 300]);
    assert_eq!(
        entity(RERELEASE, &item.0),
        "entity 8191; modelindex 257; modelindex2 2; modelindex3 3; modelindex4 4; frame 7; skin 8; \
         effects 2147483649; morefx 34; renderfx 10; solid 941625360; origin_x 0.1; origin_y -1.5; origin_z 4096.25; \
         old_origin 1 2 3.5; angles_1 90; angles_2 -0.25; angles_3 359.9; sound 700; loop_volume 0.2; \
         loop_attenuation 3; event 6; alpha 1; scale 1.5; instance 3; owner 5; old_frame 300;"
    );
    // Wide forms, and effects of 32 bits.
    let wide = mask(&[7, 15, 23, 17, 12, 14, 18, 19, 16, 25]) as u32;
    let item = bytes().u32(wide).u8(&[1]).u16(&[300]).u32(0xAABB_CCDD).u32(0x8000).u32(0x9000);
    assert_eq!(entity(RERELEASE, &item.0), "entity 1; frame 300; skin 2864434397; effects 32768; renderfx 36864;");
    assert_eq!(entity(RERELEASE, &[0x40, 9]), "entity 9; remove;");
}

/// The upper half of 64 bits of effects: as long as the bits of effects say; one byte where they say nothing.
#[test]
fn effects_of_64_bits() {
    for (bits, upper, text) in [
        (&[14][..], &[3][..], "morefx 3;"),
        (&[19], &[0, 1], "morefx 256;"),
        (&[19], &[1, 0], "morefx 1; morefx_bytes 2;"),
        (&[14, 19], &[0, 0, 0, 0x80], "morefx 2147483648;"),
        (&[], &[9], "morefx 9; morefx_bytes 0;"),
    ] {
        let head = mask(&[bits, &[7, 15, 23, 29]].concat()) as u32;
        let item = bytes().u32(head).u8(&[9]).u32(8).u8(upper);
        // Bit 15 announces the third mask byte, which announces the fourth.
        assert_eq!(entity(RERELEASE, &item.0), format!("entity 9; effects 8; {text}"));
    }
}

#[test]
fn parts_of_masks() {
    let five = |bits: &[u32], data: &[u8]| {
        let all = [bits, &[7, 15, 23, 31]].concat();
        bytes().u8(&mask(&all).to_le_bytes()[..5]).u8(&[9]).u8(data).0
    };
    assert_eq!(entity(RERELEASE, &five(&[32], &[16])), "entity 9; scale 1;");
    assert_eq!(entity(RERELEASE, &five(&[33], &[1])), "entity 9; instance 1;");
    assert_eq!(entity(RERELEASE, &five(&[34], &[0xFF, 0xFF])), "entity 9; owner -1;");
    assert_eq!(entity(RERELEASE, &five(&[35], &[0xFF, 0xFF])), "entity 9; old_frame 65535;");
    // Bits without a meaning: 13, and 36 to 39.
    assert_eq!(entity(RERELEASE, &[0x80, 0x20, 9]), "entity 9; mask_extra 0x2080;");
    assert_eq!(entity(RERELEASE, &five(&[32, 36, 39], &[16])), "entity 9; scale 1; mask_extra 0x9000000000;");
    // A mask byte more than needed, and two bytes for a model that needs one.
    assert_eq!(entity(RERELEASE, &[0x80, 0, 9]), "entity 9; mask_extra 0x80;");
    assert_eq!(entity(RERELEASE, &[0x80, 0x88, 0x80, 0x10, 9, 5, 0]), "entity 9; modelindex 5; mask_extra 0x10808000;");
    // In the fourth byte alone: the box, 31 for a part of the map.
    assert_eq!(entity(RERELEASE, &[0x80, 0x80, 0x80, 0x08, 9, 31, 0, 0, 0]), "entity 9; solid 31;");
    // A removed entity has no fields, whatever its mask says.
    assert_eq!(entity(RERELEASE, &[0xC1, 0x01, 9, 1]), "entity 265; remove; mask_extra 0x01;");
}

#[test]
fn playerinfo() {
    let state = bytes()
        .u16(&[0xFFFF, 3])
        .u8(&[3])
        .f32(&[0.5, -0.25, 1e6, 300.0, 0.0, -270.7])
        .u16(&[1000, 0x8004, 800])
        .f32(&[0.1, 180.0, 0.0])
        .u16(&[8, 0xFFF0, 1])
        .u8(&[22])
        .f32(&[-5.5, 90.5, 0.0])
        .u16(&[1024, 0xFFFF, 512])
        .u16(&[5 << 13 | 8191])
        .u16(&[0xFE00 | 511])
        .f32(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        .u8(&[20, 255, 0, 51, 255, 120, 16])
        .u32(0x8000_0001)
        .u16(&[100, 0xFFFF])
        .u32(0x8000_0002)
        .u16(&[7, 8])
        .u8(&[0, 51, 255, 255, 2]);
    assert_eq!(
        player(RERELEASE, &state.0),
        "pm_type 3; origin 0.5 -0.25 1000000; velocity 300 0 -270.7; pm_time 1000; pm_flags 32772; gravity 800; \
         delta_angles 0.1 180 0; viewoffset 0.5 -1 0.0625; viewheight 22; viewangles -5.5 90.5 0; \
         kick_angles 1 -0.0009765625 0.5; gunindex 8191; gunskin 5; gunframe 511; gunoffset_x 1; gunoffset_y 2; \
         gunoffset_z 3; gunangles_1 4; gunangles_2 5; gunangles_3 6; gunrate 20; blend 1 0 0.2 1; fov 120; rdflags 16; \
         stats[0] 100; stats[31] -1; stats[33] 7; stats[63] 8; damage_blend 0 0.2 1 1; team_id 2;"
    );
    let none = [0; 8];
    let alone = |flags: u16, data: &[u8]| bytes().u16(&[flags]).u8(data).u8(&none).0;
    assert_eq!(player(RERELEASE, &alone(0x2000, &[17, 0x80, 10])), "gunframe 17; gunrate 10;");
    assert_eq!(player(RERELEASE, &alone(0x2000, &[17, 0])), "gunframe 17;");
    assert_eq!(player(RERELEASE, &alone(0, &[])), "");
    let team = bytes().u16(&[0x8000, 2]).u8(&none).u8(&[1]);
    assert_eq!(player(RERELEASE, &team.0), "team_id 1;");
    // Bits without a meaning, and a second word for nothing.
    let unknown = bytes().u16(&[0x8001, 4]).u8(&[1]).u8(&none);
    assert_eq!(player(RERELEASE, &unknown.0), "pm_type 1; mask_extra 0x40000008000;");
    let needless = bytes().u16(&[0x8000, 0]).u8(&none);
    assert_eq!(player(RERELEASE, &needless.0), "mask_extra 0x8000;");
}

#[test]
fn sounds_and_effects() {
    let sound = bytes().u8(&[9, 0x3F]).u16(&[1000]).u8(&[255, 64, 99]).u16(&[5 * 8 + 2]).f32(&[1.0, -0.5, 10_000.0]);
    assert_eq!(
        text_of(RERELEASE, &sound.0),
        "sound { soundnum 1000; vol 1; attenuation 1; timeofs 0.099; channel 2; entity 5; origin 1 -0.5 10000; \
         explicit_origin; }"
    );
    let large = bytes().u8(&[9, 0x48]).u16(&[3]).u32(8192 * 8 + 1);
    assert_eq!(text_of(RERELEASE, &large.0), "sound { soundnum 3; channel 1; entity 8192; }");
    let needless = bytes().u8(&[9, 0xC8]).u16(&[3]).u32(5 * 8);
    assert_eq!(text_of(RERELEASE, &needless.0), "sound { soundnum 3; channel 0; entity 5; mask_extra 0xC0; }");
    let at = [1.0, 2.0, 3.0];
    for (effect, data, text) in [
        (31, bytes().f32(&at).f32(&at), "origin 1 2 3; trace_endpos 1 2 3;"),
        (56, bytes().f32(&at).u8(&[5]), "origin 1 2 3; movedir 0 0 1;"),
        (57, bytes().f32(&at).f32(&at), "origin 1 2 3; trace_endpos 1 2 3;"),
        (58, bytes().f32(&at).u8(&[5]), "origin 1 2 3; movedir 0 0 1;"),
        (59, bytes().u16(&[7]).f32(&at).f32(&at), "entity 7; origin 1 2 3; trace_endpos 1 2 3;"),
        (60, bytes().u16(&[7]).u8(&[1]), "entity 7; style 1;"),
        (61, bytes().u16(&[7]).f32(&at).f32(&at), "entity 7; origin 1 2 3; trace_endpos 1 2 3;"),
        (62, bytes().f32(&at), "origin 1 2 3;"),
        (63, bytes().f32(&at), "origin 1 2 3;"),
    ] {
        let message = bytes().u8(&[3, effect]).u8(&data.0);
        assert_eq!(text_of(RERELEASE, &message.0), format!("temp_entity {{ entitytype {effect}; {text} }}"));
    }
}

#[test]
fn new_messages() {
    let at = bytes().f32(&[0.5, -1.0, 2.0]).0;
    for (message, text) in [
        (bytes().u8(&[21, 2]), "splitclient 2;"),
        (
            bytes().u8(&[24]).u16(&[61]).u8(b"5\0").u16(&[0xFFFE]).u8(&[0]).u16(&[0xFFFF]),
            "level_restart { strings { configstring { index 61; string \"5\"; } configstring { index -2; string \"\"; } } }",
        ),
        (bytes().u8(&[24]).u16(&[0xFFFF]), "level_restart { strings; }"),
        (
            bytes().u8(&[25, 2, 0x25, 5, 0xC1, 5]),
            "damage { hits { hit { value 37; movedir 0 0 1; } hit { value 193; movedir 0 0 1; } } }",
        ),
        (bytes().u8(&[25, 0]), "damage { hits; }"),
        (
            bytes().u8(&[26, 9]).u8(b"$g_mod_kill_railgun\0\x02##P0\0\0"),
            "locprint { flags 9; base \"$g_mod_kill_railgun\"; args \"##P0\" \"\"; }",
        ),
        (bytes().u8(&[26, 2]).u8(b"hi\n\0\0"), "locprint { flags 2; base \"hi\\n\"; }"),
        (
            bytes()
                .u8(&[27, 0xFF, 0xFF])
                .f32(&[0.25])
                .u8(&[51, 1, 2, 3])
                .u16(&[500])
                .f32(&[1.5, 2.5])
                .u8(&[4, 5, 6])
                .u32(100)
                .u8(&[7, 8, 9])
                .u32(0xFFFF_FFFF),
            "fog_change { density 0.25; sky_factor 0.2; red 1; green 2; blue 3; time 500; height_falloff 1.5; \
             height_density 2.5; start_red 4; start_green 5; start_blue 6; start_height 100; end_red 7; end_green 8; \
             end_blue 9; end_height -1; }",
        ),
        (bytes().u8(&[27, 0x82, 0, 9]), "fog_change { red 9; mask_extra 0x80; }"),
        (bytes().u8(&[27, 0]), "fog_change { }"),
        (bytes().u8(&[28, 3]), "waitingforplayers 3;"),
        (
            bytes().u8(&[29]).u8(b"Tank\0").u16(&[256]).u8(b"$bot_hello\0"),
            "bot_chat { name \"Tank\"; client 256; text \"$bot_hello\"; }",
        ),
        (
            bytes().u8(&[30]).u16(&[1, 0xFFFF]).u8(&at).u16(&[300]).u8(&[208, 1]),
            "poi { key 1; time 65535; origin 0.5 -1 2; image 300; color 208; flags 1; }",
        ),
        (bytes().u8(&[31, 1]).u8(&at).u8(&[5]), "help_path { start 1; origin 0.5 -1 2; movedir 0 0 1; }"),
        (bytes().u8(&[32]).u16(&[9, 288]), "muzzleflash3 { entity 9; value 288; }"),
        (bytes().u8(&[33]).u8(b"e1m1\0"), "achievement \"e1m1\";"),
    ] {
        assert_eq!(text_of(RERELEASE, &message.0), text);
        // In protocol 34 such numbers are unknown.
        let file = file(&[&serverdata(34), &message.0]);
        let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
        assert_eq!((report.uncovered, report.different), (message.0.len() as u64, 0), "{text}");
    }
}

/// All messages of protocol 34 that are as they were.
#[test]
fn old_messages() {
    for (message, text) in [
        (bytes().u8(&[1]).u16(&[2]).u8(&[14]), "muzzleflash { entity 2; value 14; }"),
        (bytes().u8(&[2]).u16(&[2]).u8(&[211]), "muzzleflash2 { entity 2; value 211; }"),
        (bytes().u8(b"\x04xv 0\0"), "layout \"xv 0\";"),
        (bytes().u8(&[6, 7, 8]), "nop; disconnect; reconnect;"),
        (bytes().u8(b"\x0A\x05hi\0"), "print { level 5; string \"hi\"; }"),
        (bytes().u8(b"\x0Bprecache\n\0"), "stufftext \"precache\\n\";"),
        (bytes().u8(&[13]).u16(&[12_447]).u8(b"dm\0"), "configstring { index 12447; string \"dm\"; }"),
        (bytes().u8(&[14, 0x01, 7]).f32(&[0.1]), "spawnbaseline { entity 7; origin_x 0.1; }"),
        (bytes().u8(b"\x0Fcentre\0"), "centerprint \"centre\";"),
        (bytes().u8(&[16, 1, 0, 100, 9]), "download { size 1; percent 100; data 0x09; }"),
        (bytes().u8(&[20]).u32(40).u32(39).u8(&[0, 1, 0xFE]), "frame { seq1 40; seq2 39; suppress 0; areas 0xFE; }"),
    ] {
        assert_eq!(text_of(RERELEASE, &message.0), text);
    }
    let items: Vec<_> = (0..256).collect();
    let text = text_of(RERELEASE, &bytes().u8(&[5]).u16(&items).0);
    assert!(text.starts_with("inventory 0 1 2 3") && text.ends_with("255;"), "{text}");
}

fn pack(data: &[u8], level: u32) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(level));
    packer.write_all(data).unwrap();
    packer.finish().unwrap()
}

fn blast(id: u8, size: usize, packed: &[u8]) -> Vec<u8> {
    bytes().u8(&[id]).u16(&[packed.len() as u16, size as u16]).u8(packed).0
}

fn strings() -> Vec<u8> {
    let string = |index: u16, text: &[u8]| bytes().u16(&[index]).u8(text).u8(&[0]).0;
    [
        string(63, b"maps/q2dm1.bsp"),
        string(11_582, b"Grunt\\male/grunt\\default"),
        string(11_585, b"Bo b\\female/athena\\x"),
    ]
    .concat()
}

/// Packed configstrings stay as they are, however they were packed; remarks say what they are.
#[test]
fn packed_configstrings() {
    let strings = strings();
    for level in [0, 1, 6, 9] {
        let packed = pack(&strings, level);
        let file = file(&[&serverdata(RERELEASE), &blast(22, strings.len(), &packed)]);
        sound_report(&file);
        let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
        let remarks: Vec<_> = text.lines().skip(1).filter_map(|line| line.trim().strip_prefix("// ")).collect();
        let remarks = remarks.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        assert_eq!(
            remarks,
            "configstring { index 63; string \"maps/q2dm1.bsp\"; } \
             configstring { index 11582; string \"Grunt\\\\male/grunt\\\\default\"; } \
             configstring { index 11585; string \"Bo b\\\\female/athena\\\\x\"; }"
        );
        let Facts::Dm2(facts) = qdemo::replay::info::info(&file[..], "x.dm2", Limits::default()).unwrap().facts else {
            panic!("Quake II")
        };
        assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].frame_rate), ("q2dm1", 40));
        let players: Vec<_> = facts.players.iter().map(|p| (p.slot, p.name(), p.skin.clone())).collect();
        let known = [(0, "Grunt", "male/grunt"), (3, "Bo b", "female/athena")];
        assert_eq!(players, known.map(|(slot, name, skin)| (slot, name.to_owned(), skin.to_owned())));
    }
    let baselines = bytes().u8(&[0x81, 0x08, 7, 5]).f32(&[64.5]).u8(&[0x00, 9]).0;
    let file = file(&[&serverdata(RERELEASE), &blast(23, baselines.len(), &pack(&baselines, 6))]);
    sound_report(&file);
    let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
    for line in ["//  entity 7;", "//  modelindex 5;", "//  origin_x 64.5;", "//  entity 9;"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let world = world(&file);
    assert_eq!(world.baselines().get(7).origin(), [64.5, 0.0, 0.0]);
    assert_eq!(world.baselines().iter().count(), 2);
}

/// What is packed badly stays too, and what can be read of it is used.
#[test]
fn damaged_packed_configstrings() {
    let strings = strings();
    let packed = pack(&strings, 0);
    let cut = &packed[..packed.len() - 6];
    let open = pack(&strings[..strings.len() - 1], 6);
    let bomb = pack(&vec![b'a'; 300_000], 9);
    for (packed, remark, map) in [
        (cut, "damaged", "q2dm1"),
        (&open, "unpacked bytes are not understood", "q2dm1"),
        (&[][..], "damaged", ""),
        (b"nonsense", "damaged", ""),
        (&[&packed[..], b"more"].concat(), "damaged", "q2dm1"),
        (&bomb, "65535 of 65535 unpacked bytes", ""),
    ] {
        let file = file(&[&serverdata(RERELEASE), &blast(22, 7, packed)]);
        sound_report(&file);
        let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
        assert!(text.contains(remark), "{remark}: {text}");
        assert_eq!(world(&file).level().map, map.as_bytes(), "{remark}");
    }
}

fn split_serverdata() -> Vec<u8> {
    let head = bytes().u8(&[12]).u32(RERELEASE as u32).u8(&[1, 0, 1, 0, 1, 20, 0]);
    head.u16(&[0xFFFE, 3, 4, 2, 9]).u8(b"Split\0").0
}

/// Three players at one screen: what a frame tells of all but the last stands in it.
#[test]
fn split_screens() {
    let state = |kind: u8| bytes().u8(&[17]).u16(&[1]).u8(&[kind]).u8(&[0; 8]).0;
    let areas = |area: u8| [1, area];
    let head = bytes().u8(&[20]).u32(20).u32(u32::MAX).u8(&[0]).0;
    let parts = [&areas(1)[..], &state(1), &areas(2), &state(2), &areas(3), &state(3)].concat();
    let frame = [&head[..], &parts, &[18, 0, 0]].concat();
    let texts = bytes().u8(b"\x0A\x02all\n\0\x15\x02\x0A\x02second\n\0\x15\x01\x0A\x02first\n\0").0;
    let file = file(&[&split_serverdata(), &frame, &texts]);
    sound_report(&file);
    let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
    let text = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect::<Vec<_>>().join(" ");
    for part in [
        "tickrate 20; game \"\"; client -2; split_clients 4 2 9; mapname \"Split\";",
        "split { player { areas 0x01; pm_type 1; } player { areas 0x02; pm_type 2; } } areas 0x03; } \
         playerinfo { pm_type 3; } packetentities { }",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mut said = Vec::new();
    let world = fold(&file, |world| {
        said.extend(world.changes().texts().map(|(_, text, to)| (text.to_vec(), to)));
    });
    assert_eq!((world.recorder(), world.clock().now.map(|m| m.to_string())), (Some(4), Some("1000 ms".to_owned())));
    assert_eq!(world.player_state().unwrap().pm_type, 1);
    assert_eq!([2, 9].map(|slot| world.client_state(slot).unwrap().pm_type), [2, 3]);
    assert_eq!(world.frame().unwrap().areas(), [1]);
    assert_eq!(said, [(b"all\n".to_vec(), None), (b"second\n".to_vec(), Some(2)), (b"first\n".to_vec(), None)]);
    // None at all, as in cinematics: then a frame has no areas and no states.
    let none = bytes().u8(&[12]).u32(RERELEASE as u32).u8(&[1, 0, 1, 0, 1, 0, 0]).u16(&[0xFFFE, 0]).u8(&[0]).0;
    sound_report(&super::wire::file(&[&none, &[&head[..], &[18, 0, 0]].concat()]));
}

fn world(file: &[u8]) -> World {
    fold(file, |_| ())
}

/// A little game.
pub(super) fn little_game() -> Vec<u8> {
    let strings = strings();
    let begin = [serverdata(RERELEASE), blast(22, strings.len(), &pack(&strings, 6))].concat();
    let frame = |number: u32, from: u32, player: &[u8], entities: &[u8]| {
        let head = bytes().u8(&[20]).u32(number).u32(from).u8(&[0, 0, 17]).0;
        [&head[..], player, &[18], entities, &[0, 0]].concat()
    };
    let first = bytes().u16(&[0x0002 | 0x0080]).f32(&[0.1, 0.2, 0.3]).u16(&[16, 0, 8]).u8(&[22]).u8(&[0; 8]).0;
    let appears = bytes().u8(&[0x83, 0x0A, 7, 5]).f32(&[1.1, 2.2, 3.3]).0;
    let effects = bytes().u8(&[0x80, 0xC0, 0x80, 0x20, 8]).u32(4).u8(&[2]).0;
    let second = bytes().u16(&[0x0004]).f32(&[0.0, 0.0, -270.7]).u8(&[0; 8]).0;
    let moves = bytes().u8(&[0x84, 0x02, 7]).f32(&[3.35, 90.25]).0;
    let plain = bytes().u8(&[0x80, 0x40, 8, 1]).0;
    file(&[
        &begin,
        &frame(80, u32::MAX, &first, &[appears, effects].concat()),
        &frame(81, 80, &second, &[moves, plain].concat()),
    ])
}

/// Places are floats, nothing of them is lost; frames are differences to earlier ones.
#[test]
fn states() {
    let demo = little_game();
    sound_report(&demo);
    let mut seen = Vec::new();
    let world = fold(&demo, |world| {
        if let Some(entity) = world.entity_state(7).filter(|_| world.changes().frame) {
            seen.push((entity.origin(), entity.old_origin(), entity.angles()[1]));
        }
        if let Some(entity) = world.entity_state(8) {
            // All 64 bits are told anew.
            let told = if seen.len() == 1 { (4, 2) } else { (1, 0) };
            assert_eq!((entity.effects.effects, entity.effects.more), told);
        }
    });
    assert_eq!(seen, [([1.1, 2.2, 3.3], [0.0; 3], 0.0), ([1.1, 2.2, 3.35], [1.1, 2.2, 3.3], 90.25)]);
    let state = world.player_state().unwrap();
    assert_eq!((state.origin(), state.velocity()), ([0.1, 0.2, 0.3], [0.0, 0.0, -270.7]));
    assert_eq!((state.viewoffset(), state.eyes.height), ([1.0, 0.0, 22.5], 22));
    // 40 frames a second.
    assert_eq!((world.frame_rate(), world.clock().now.map(|m| m.to_string())), (Some(40), Some("2025 ms".to_owned())));
    assert_eq!(world.player(3).map(|p| p.name.into_owned()), Some(b"Bo b".to_vec()));
}

/// Deaths are keys; players are tokens, for which each reader puts names.
#[test]
fn deaths_and_texts() {
    let strings = strings();
    let begin = [serverdata(RERELEASE), blast(22, strings.len(), &pack(&strings, 6))].concat();
    let print = |flags: u8, text: &[u8]| bytes().u8(&[26, flags]).u8(text).0;
    let demo = file(&[
        &begin,
        &print(9, b"$g_mod_kill_rocket_splash\0\x02##P3\0##P0\0"),
        &print(9, b"$g_mod_self_default\0\x01##P0\0"),
        &print(9, b"$g_mod_generic_lava\0\x01Bo b\0"),
        &print(2, b"{} has {1} of {0}{2}\n\0\x02##P3\0x\0"),
        &print(5, b"centre\0\0"),
        &bytes().u8(b"\x1DTank\0\0\x01$bot_hello\0").0,
    ]);
    sound_report(&demo);
    let mut said = Vec::new();
    fold(&demo, |world| said.extend(world.changes().texts().map(|(said, text, _)| (said, text.to_vec()))));
    let texts: Vec<_> = said.iter().map(|(_, text)| String::from_utf8(text.clone()).unwrap()).collect();
    assert_eq!(
        texts,
        [
            "$g_mod_kill_rocket_splash \"Bo b\" \"Grunt\"\n",
            "$g_mod_self_default \"Grunt\"\n",
            "$g_mod_generic_lava \"Bo b\"\n",
            "Bo b has x of Bo b{2}\n",
            "centre",
            "Tank: $bot_hello\n",
        ]
    );
    assert_eq!((said[0].0, said[4].0), (TextKind::Print(Some(1)), TextKind::Center));
    let mut frags = Vec::new();
    events(&demo[..], "x.dm2", Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            let killer = frag.attacker.as_ref().map(|who| who.name.clone()).unwrap_or_default();
            frags.push((frag.kind, frag.means.to_string(), killer, frag.victim.name.clone()));
        }
        Ok(())
    })
    .unwrap();
    let expected = [
        (FragKind::Kill, "rocket_splash", "Grunt", "Bo b"),
        (FragKind::Suicide, "suicide", "Grunt", "Grunt"),
        (FragKind::World, "lava", "", "Bo b"),
    ];
    assert_eq!(frags, expected.map(|(kind, means, a, b)| (kind, means.to_owned(), a.to_owned(), b.to_owned())));
}

/// What makes no sense stays bytes, and no cut of a message is a panic.
#[test]
fn what_makes_no_sense_is_kept() {
    let whole = blast(22, 20, &pack(&strings(), 6));
    for message in [&whole[..whole.len() - 1], &[24, 1], &[25, 2, 1, 5, 1, 162], &[26, 0, 0, 1], &[27, 0x80], &[3, 64]]
    {
        let file = file(&[&serverdata(RERELEASE), message]);
        assert_survives(&file, "x.dm2");
        let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
        assert_eq!((report.different, report.uncovered), (0, message.len() as u64));
    }
    // A number of players at one screen that there cannot be.
    let head = bytes().u8(&[12]).u32(RERELEASE as u32).u8(&[1, 0, 1, 0, 1, 40, 0]);
    for count in [256, 0xFFFF] {
        let file = file(&[&head.clone().u16(&[0xFFFE, count]).u8(&[0; 600]).0]);
        assert_survives(&file, "x.dm2");
        assert_ne!(verify(&file[..], "x.dm2", Limits::default()).unwrap().uncovered, 0);
    }
}
