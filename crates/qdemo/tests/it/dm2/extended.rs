//! Quake II beyond protocol 34: KMQuake2, Q2PRO's extended demos and the re-release, as bytes written by hand beside
//! the text they must give.
//!
//! Sources: KMQuake2's `MSG_WriteDeltaEntity`, `CL_ParsePlayerstate` and `CL_ParseFog`, and one recording; Q2PRO's
//! `MSG_WriteDeltaEntity` and q2proto's reader of extended demos; for the re-release the description of its protocol
//! beside the source of its game. Nothing here was taken from qdemo's output. No
//! recording of Q2PRO's or the re-release's is at hand: their tests are built from these sources alone.

use crate::common::{assert_survives, need};
use qdemo::Limits;
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::verify::verify;

use super::wire::*;

const KMQUAKE2: i32 = 56;
const EXTENDED: std::ops::RangeInclusive<i32> = 3434..=3436;

// KMQuake2.

#[test]
fn kmquake2_tells_its_map_and_players() {
    assert_info(KMQUAKE2, 32, 18_976, "kmquake2");
}

/// Every bit of the mask: six models of two bytes, coordinates of three, and the fields at 28 to 31.
#[test]
fn entities_of_kmquake2() {
    let bits: Vec<u32> = (0..32).filter(|bit| ![6, 13, 17, 18, 19, 25].contains(bit)).collect();
    let item = bytes()
        .u32(mask(&bits) as u32)
        .u16(&[300, 0x101, 0x202, 0x303, 0x404, 0x505, 0x606])
        .u8(&[7, 8, 9, 10])
        .high_first(&[0x01_2345, -1, 8])
        .u8(&[0x80, 0x40, 0xFF])
        .high_first(&[0x7F_FFFF, -0x80_0000, 0])
        .u8(&[51])
        .u16(&[700])
        .u8(&[32, 6])
        .u16(&[31]);
    assert_eq!(
        entity(KMQUAKE2, &item.0),
        "entity 300; modelindex 257; modelindex2 514; modelindex3 771; modelindex4 1028; modelindex5 1285; \
         modelindex6 1542; frame 7; skin 8; effects 9; renderfx 10; origin_x 9320.625; origin_y -0.125; origin_z 1; \
         angles_1 -180; angles_2 90; angles_3 -1.40625; old_origin 1048575.875 -1048576 0; alpha 0.2; sound 700; \
         loop_attenuation 0.5; event 6; solid 31;"
    );
    // Wide forms, and each of the four alone.
    let wide = mask(&[7, 15, 23, 17, 12, 14, 18, 19, 16, 25]) as u32;
    let item = bytes().u32(wide).u8(&[1]).u16(&[300]).u32(0xAABB_CCDD).u32(0x8000).u32(0x9000);
    assert_eq!(entity(KMQUAKE2, &item.0), "entity 1; frame 300; skin 2864434397; effects 32768; renderfx 36864;");
    let more = mask(&[7, 15, 23]) as u32;
    for (bit, data, text) in [
        (28, &[0x05, 0x01][..], "modelindex5 261;"),
        (29, &[0x05, 0x01], "modelindex6 261;"),
        (30, &[64], "loop_attenuation 1;"),
        (31, &[0], "alpha 0;"),
    ] {
        let item = bytes().u32(more | 1 << bit).u8(&[2]).u8(data);
        assert_eq!(entity(KMQUAKE2, &item.0), format!("entity 2; {text}"));
    }
    assert_eq!(entity(KMQUAKE2, &[0x40, 9]), "entity 9; remove;");
    // A mask byte more than needed stays.
    assert_eq!(entity(KMQUAKE2, &[0x80, 0x80, 0x80, 0, 9]), "entity 9; mask_extra 0x808080;");
}

/// Later builds write angles of two bytes under the same number. A block that only they could have written tells.
#[test]
fn long_angles_of_kmquake2() {
    let list = |angle: &[u8]| {
        let item = bytes().u8(&[18, 0x84, 0x04, 5]).u8(angle).u8(&[0, 0]);
        bytes().u8(&[20]).u32(1).u32(u32::MAX).u8(&[0, 0]).u8(&item.0).0
    };
    // 0x4000 of 0x10000 is a right angle, 0x0123 is 1.59851...
    let long = list(&[0x00, 0x40, 0x23, 0x01]);
    let file = file(&[&serverdata(KMQUAKE2), &long, &long, &list(&[0x40, 0x20])]);
    sound_report(&file);
    let text = String::from_utf8(decompile_bytes(&file, "x.dm2", &Options::default()).unwrap()).unwrap();
    assert_eq!(text.matches("angles_1 90;").count(), 3, "{text}");
    assert_eq!(text.matches("angles_2 1.598").count(), 2, "{text}");
    assert_eq!(text.matches("angles_2 45;").count(), 1, "{text}");
    assert_eq!((text.matches("long_angles 1;").count(), text.matches("long_angles 0;").count()), (1, 1));
}

/// All 24 flags, and eight numbers for one bit of the status bar's mask.
#[test]
fn playerinfo_of_kmquake2() {
    let state = bytes()
        .u32(0x00FF_FFFF)
        .u8(&[2])
        .high_first(&[0x01_2345, -8, 80])
        .u16(&[16, 0xFFFF, 0])
        .u8(&[5, 4])
        .u16(&[800, 0x4000, 0, 0x8000])
        .u8(&[0, 0, 88])
        .u16(&[0, 0x2000, 0])
        .u8(&[4, 0xFC, 1])
        .u16(&[300, 301])
        .u8(&[17, 18, 4, 8, 12, 0xFC, 0xF8, 0xF4])
        .u16(&[2, 3, 320, 100, 400, 10, 0xFFFF])
        .u8(&[255, 0, 51, 255, 90, 1])
        .u32(2)
        .u16(&[10, 11, 12, 13, 14, 15, 16, 0xFFEF]);
    assert_eq!(
        player(KMQUAKE2, &state.0),
        "pm_type 2; origin 9320.625 -1 10; velocity 2 -0.125 0; pm_time 5; pm_flags 4; gravity 800; \
         delta_angles 90 0 -180; viewoffset 0 0 22; viewangles 0 45 0; kick_angles 1 -1 0.25; gunindex 300; \
         gunindex2 301; gunframe 17; gunframe2 18; gunoffset 1 2 3; gunangles -1 -2 -3; gunskin 2; gunskin2 3; \
         maxspeed 320; duckspeed 100; waterspeed 400; accel 10; stopspeed -1; blend 1 0 0.2 1; fov 90; rdflags 1; \
         stats[1] 10; stats[33] 11; stats[65] 12; stats[97] 13; stats[129] 14; stats[161] 15; stats[193] 16; \
         stats[225] -17;"
    );
    // The second weapon's frame alone brings offset and angles too.
    let alone = bytes().u32(0x2_0000).u8(&[18, 4, 8, 12, 0, 0, 0]).u32(0);
    assert_eq!(player(KMQUAKE2, &alone.0), "gunframe2 18; gunoffset 1 2 3; gunangles 0 0 0;");
    for (bit, name) in [(16, "gunindex2"), (18, "gunskin2"), (23, "stopspeed")] {
        let state = bytes().u32(1 << bit).u16(&[7]).u32(0);
        assert_eq!(player(KMQUAKE2, &state.0), format!("{name} 7;"));
    }
    let unknown = bytes().u32(0x8000_0001).u8(&[1]).u32(0);
    assert_eq!(player(KMQUAKE2, &unknown.0), "pm_type 1; mask_extra 0x80000000;");
}

#[test]
fn other_messages_of_kmquake2() {
    let sound = bytes().u8(&[9, 0x1F]).u16(&[1000]).u8(&[255, 64, 99]).u16(&[5 * 8 + 2]).high_first(&[8, -8, 80_000]);
    assert_eq!(
        text_of(KMQUAKE2, &sound.0),
        "sound { soundnum 1000; vol 1; attenuation 1; timeofs 0.099; channel 2; entity 5; origin 1 -1 10000; }"
    );
    let fog = bytes().u8(&[21, 1, 2, 50]).u16(&[64, 4096]).u8(&[200, 100, 0]);
    assert_eq!(text_of(KMQUAKE2, &fog.0), "fog { on 1; model 2; density 50; start 64; end 4096; color 200 100 0; }");
    let rail = bytes().u8(&[3, 3]).high_first(&[8, 16, 24, -8, -16, -24]);
    assert_eq!(text_of(KMQUAKE2, &rail.0), "temp_entity { entitytype 3; origin 1 2 3; trace_endpos -1 -2 -3; }");
    let baseline = bytes().u8(&[14, 0x80, 0x08, 7]).u16(&[700]);
    assert_eq!(text_of(KMQUAKE2, &baseline.0), "spawnbaseline { entity 7; modelindex 700; }");
}

/// The one recording there is: every byte of it is understood.
#[test]
fn a_recording_of_kmquake2() {
    let Some(path) = need("corpus/dm2").map(|dir| dir.join("m-x-d_Mission64-data__demo1.dm2")) else { return };
    let demo = std::fs::read(path).unwrap();
    let report = sound_report(&demo);
    assert_eq!((report.protocol, report.blocks, report.uncovered, report.ends_cleanly), (KMQUAKE2, 340, 0, true));
    let Facts::Dm2(facts) = qdemo::replay::info::info(&demo[..], "x.dm2", Limits::default()).unwrap().facts else {
        panic!("Quake II")
    };
    assert_eq!((facts.levels[0].title.as_str(), facts.levels[0].frames), ("Welcome to Mission 64", 339));
    assert!(!facts.levels[0].map.is_empty() && facts.players.len() == 1);
}

// Q2PRO's extended demos.

#[test]
fn q2pro_tells_its_map_and_players() {
    for protocol in EXTENDED {
        assert_info(protocol, 62, 12_862, "q2pro-extended");
    }
}

/// Every bit of a mask of five bytes.
#[test]
fn entities_of_q2pro() {
    let bits: Vec<u32> = (0..34).filter(|bit| ![6, 17, 18, 19, 25].contains(bit)).collect();
    let head = bytes().u8(&mask(&bits).to_le_bytes()[..5]).u16(&[8191, 0x101, 2, 3, 4]).u8(&[7, 8, 9, 10]);
    let tail = |b: Bytes| b.u16(&[0xC000 | 700]).u8(&[51, 192, 6]).u32(0x8000_0001).u32(0xAABB_CCDD).u8(&[255, 24]).0;
    let angles = [0x4000, 0xC000, 0x0100];
    let text = |origin: &str, old: &str| {
        format!(
            "entity 8191; modelindex 257; modelindex2 2; modelindex3 3; modelindex4 4; frame 7; skin 8; effects 9; \
             renderfx 10; {origin} angles_1 90; angles_2 -90; angles_3 1.40625; old_origin {old}; sound 700; \
             loop_volume 0.2; loop_attenuation 3; event 6; solid 2147483649; morefx 2864434397; alpha 1; scale 1.5;"
        )
    };
    let item = tail(head.clone().u16(&[8, 0xFFF8, 0x7FFF]).u16(&angles).u16(&[16, 0, 0x8000]));
    let origin = "origin_x 1; origin_y -1; origin_z 4095.875;";
    assert_eq!(entity(3434, &item), text(origin, "2 0 -4096"));
    // From 3435 on: a short difference, a long place, and one that is small all the same.
    for protocol in [3435, 3436] {
        let origin = head.clone().short(&[-8]).long(&[0x3F_FFFF, 8]).u16(&angles);
        let item = tail(origin.short(&[16]).long(&[-0x40_0000, 8]));
        let origin = "origin_x by(-1); origin_y 524287.875; origin_z 1;";
        assert_eq!(entity(protocol, &item), text(origin, "2 -524288 long(1)"));
    }
}

#[test]
fn parts_of_masks_of_q2pro() {
    // One byte for angles: the bit that engines set is missing, and with it the bit that announces its mask byte.
    assert_eq!(entity(3434, &[0x04, 9, 0x40]), "entity 9; angles_2 90; mask_extra 0x2080;");
    assert_eq!(entity(3434, &[0x84, 0x20, 9, 0x00, 0x40]), "entity 9; angles_2 90;");
    // Two bytes for a model that needs one: bit 28, and what announces its mask byte.
    assert_eq!(entity(3434, &[0x80, 0x88, 0x80, 0x10, 9, 5, 0]), "entity 9; modelindex 5; mask_extra 0x10808000;");
    let five = |bits: &[u32], data: &[u8]| {
        let all = [bits, &[7, 15, 23, 31]].concat();
        bytes().u8(&mask(&all).to_le_bytes()[..5]).u8(&[9]).u8(data).0
    };
    assert_eq!(entity(3434, &five(&[32], &[16])), "entity 9; scale 1;");
    assert_eq!(entity(3434, &five(&[33], &[0, 1])), "entity 9; morefx 256;");
    assert_eq!(entity(3434, &five(&[33], &[1, 0])), "entity 9; morefx 1; morefx_bytes 2;");
    assert_eq!(entity(3434, &five(&[39, 32], &[16])), "entity 9; scale 1; mask_extra 0x8000000000;");
    assert_eq!(entity(3434, &[0x80, 0x80, 0x80, 0x20, 9, 3]), "entity 9; morefx 3;");
    assert_eq!(entity(3434, &[0x80, 0x80, 0x80, 0x40, 9, 0]), "entity 9; alpha 0;");
    for (word, data, text) in [
        (0x0005, &[][..], "sound 5;"),
        (0x4005, &[255], "sound 5; loop_volume 1;"),
        (0x8005, &[64], "sound 5; loop_attenuation 1;"),
    ] {
        let item = bytes().u8(&[0x80, 0x80, 0x80, 0x04, 9]).u16(&[word]).u8(data);
        assert_eq!(entity(3434, &item.0), format!("entity 9; {text}"));
    }
    // The mask of the end may be long as well.
    let end = text_of(3434, &[18, 0x80, 0x80, 0x80, 0x80, 0x01, 0]);
    assert_eq!(end, "packetentities { end_mask 0x180808080; }");
}

/// All flags of 3434: as 34, with a weapon of two bytes and a skin in it.
#[test]
fn playerinfo_of_q2pro() {
    let state = |flags: u16| {
        let head = bytes().u16(&[flags]);
        if flags & 0x8000 != 0 { head.u8(&[1]) } else { head }
    };
    let angles = |b: Bytes| {
        b.u16(&[800, 0x4000, 0, 0x8000])
            .u8(&[0, 0, 88])
            .u16(&[0, 0x2000, 0])
            .u8(&[4, 0xFC, 1])
            .u16(&[5 << 13 | 8191])
            .u8(&[17, 4, 8, 12, 0xFC, 0xF8, 0xF4])
    };
    let text = |middle: &str, blend: &str, stats: &str| {
        format!(
            "pm_type 2; {middle} gravity 800; delta_angles 90 0 -180; viewoffset 0 0 22; viewangles 0 45 0; \
             kick_angles 1 -1 0.25; gunindex 8191; gunskin 5; gunframe 17; gunoffset 1 2 3; gunangles -1 -2 -3; \
             {blend} fov 90; rdflags 1; {stats}"
        )
    };
    let old = angles(state(0x7FFF).u8(&[2]).u16(&[8, 16, 24, 16, 0xFFFF, 0]).u8(&[5, 4]))
        .u8(&[255, 0, 51, 255, 90, 1])
        .u32(0x8000_0001)
        .u16(&[100, 0xFFFF]);
    assert_eq!(
        player(3434, &old.0),
        text(
            "origin 1 2 3; velocity 2 -0.125 0; pm_time 5; pm_flags 4;",
            "blend 1 0 0.2 1;",
            "stats[0] 100; stats[31] -1;"
        )
    );
    // From 3435 on: stretched coordinates, words, colours one by one, a mask in groups of seven bits: 0, 7 and 63.
    let newer = |flags: u16, fog: &[u8]| {
        let place = state(flags).u8(&[2]).long(&[0x10_0000]).short(&[-8, 8]).short(&[16, -1]).long(&[0x4000]);
        angles(place.u16(&[500, 300]))
            .u8(&[0xFF, 255, 0, 51, 255, 0, 51, 255, 0])
            .u8(fog)
            .u8(&[90, 1, 0x81, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01])
            .u16(&[100, 7, 0xFFFF])
            .0
    };
    let middle = "origin 131072 by(-1) by(1); velocity by(2) by(-0.125) 2048; pm_time 500; pm_flags 300;";
    let blend = "blend { red 1; green 0; blue 0.2; alpha 1; damage_red 0; damage_green 0.2; damage_blue 1; \
                 damage_alpha 0; }";
    let stats = "stats[0] 100; stats[7] 7; stats[63] -1;";
    for protocol in [3435, 3436] {
        assert_eq!(player(protocol, &newer(0x7FFF, &[])), text(middle, blend, stats));
    }
    let fog = bytes()
        .u8(&[0xFF, 200, 100, 0])
        .u16(&[65_535, 0, 300, 400])
        .u8(&[1, 2, 3, 4, 5, 6])
        .short(&[-8])
        .long(&[0x4000]);
    let fog_text = "fog { color 200 100 0; density 1; sky_factor 0; height_density 300; height_falloff 400; \
                    start_color 1 2 3; end_color 4 5 6; start_height -1; end_height 2048; }";
    assert_eq!(player(3436, &newer(0xFFFF, &fog.0)), text(middle, &format!("{blend} {fog_text}"), stats));
    // Bit 15 means nothing before 3436.
    assert_eq!(player(3435, &[0x01, 0x80, 3, 0]), "pm_type 3; mask_extra 0x8000;");
    // Each colour alone, none of them, and a mask longer than it need be.
    assert_eq!(player(3435, &[0, 4, 0x40, 255, 0]), "blend { damage_blue 1; }");
    assert_eq!(player(3435, &[0, 4, 0, 0]), "blend;");
    assert_eq!(player(3436, &[0, 0x80, 1, 4, 44, 1, 0]), "fog { height_density 300; }");
    assert_eq!(player(3436, &[0, 0x80, 0, 0]), "mask_extra 0x8000;");
    assert_eq!(player(3435, &[0, 0, 0x81, 0x80, 0, 9, 0]), "stats[0] 9; stats_spare_bytes 2;");
}

#[test]
fn other_messages_of_q2pro() {
    for protocol in EXTENDED {
        let near = bytes().u8(&[9, 0, 200]);
        assert_eq!(text_of(protocol, &near.0), "sound { soundnum 200; }");
        let wide = bytes().u8(&[9, 0x20]).u16(&[2000]);
        assert_eq!(text_of(protocol, &wide.0), "sound { soundnum 2000; }");
        let needless = bytes().u8(&[9, 0x20]).u16(&[200]);
        assert_eq!(text_of(protocol, &needless.0), "sound { soundnum 200; mask_extra 0x20; }");
        let damage = bytes().u8(&[3, 128]).u16(&[0xFFFE]);
        assert_eq!(text_of(protocol, &damage.0), "temp_entity { entitytype 128; damage -2; }");
        let setting = bytes().u8(&[24]).u32(4).u32(u32::MAX);
        assert_eq!(text_of(protocol, &setting.0), "setting { index 4; value -1; }");
    }
    let place = bytes().u8(&[3, 5]).short(&[8, -8]).long(&[0x10_0000]);
    assert_eq!(text_of(3435, &place.0), "temp_entity { entitytype 5; origin 1 -1 131072; }");
    let sound = bytes().u8(&[9, 4, 1]).short(&[8]).long(&[8]).short(&[0x3FFF]);
    assert_eq!(text_of(3436, &sound.0), "sound { soundnum 1; origin 1 long(1) 2047.875; }");
    // None of them in protocol 34.
    for message in [&[3, 128, 1, 0][..], &[24, 0, 0, 0, 0, 0, 0, 0, 0], &[21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]] {
        let file = file(&[&serverdata(34), message]);
        let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
        assert_eq!((report.uncovered, report.different), (message.len() as u64, 0));
        assert_survives(&file, "x.dm2");
    }
}

/// What these protocols cannot have stays bytes, and a mask without an end is an error, not a panic.
#[test]
fn what_makes_no_sense_is_kept() {
    let overlong = [&[17, 0, 0][..], &[0xFF; 12]].concat();
    for message in [&overlong[..], &[17, 0, 0, 0x80], &[18, 0x80, 0x80, 0x80, 0x80], &[18, 0x01, 9, 1]] {
        for protocol in EXTENDED.chain([KMQUAKE2]) {
            let file = file(&[&serverdata(protocol), message]);
            assert_survives(&file, "x.dm2");
            assert_eq!(verify(&file[..], "x.dm2", Limits::default()).unwrap().different, 0);
        }
    }
}
