//! Facts about Quake's protocols, as bytes written by hand beside the text they must give.
//!
//! Sources: the DEM document (section numbers), WinQuake's and QuakeSpasm's `protocol.h` and parsers, FTE for Nehahra,
//! BJP and its own extensions. Nothing here was taken from qdemo's output.

use crate::common::{assert_survives, demo, serverinfo};
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::{Limits, verify::verify};

/// The text of a message in a demo of a protocol: white space folded, comments left out.
fn text_of(protocol: i32, flags: &[u8], message: &[u8]) -> String {
    let file = demo("-1\n", &[&serverinfo(protocol, flags), message, b"\x02"]);
    let report = verify(&file[..], "x.dem", Limits::default()).unwrap();
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{faults:?}");
    assert_survives(&file, "x.dem");
    let text = String::from_utf8(decompile_bytes(&file, "x.dem", &Options::default()).unwrap()).unwrap();
    let third = text.split("\nblock {").nth(2).unwrap();
    let lines: Vec<_> = third.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    let (_, body) = lines.split_at(lines.iter().position(|l| l.starts_with("camera")).unwrap() + 1);
    let body = body.join(" ");
    body.strip_suffix(" }").unwrap_or(&body).trim().to_owned()
}

const QUAKE: i32 = 15;
const FITZ: i32 = 666;
const RMQ: i32 = 999;
const NEHAHRA: i32 = 250;

#[test]
fn quake_messages() {
    let cases: &[(&[u8], &str)] = &[
        // 7.4 updatestat: u8 index, i32 value
        (b"\x03\x0C\x36\0\0\0", "updatestat { index 12; value 54; }"),
        // 7.7 sound: mask 3, volume 127/255, attenuation 64/64, entity 235 << 3 | channel 2, sound 88, coordinates / 8
        (
            b"\x06\x03\x7F\x40\x5A\x07\x58\x20\xE6\x40\xD9\x40\x03",
            "sound { vol 0.49803922; attenuation 1; channel 2; entity 235; soundnum 88; origin -828 -1240 104; }",
        ),
        // 7.8 time: 1.25 s
        (b"\x07\0\0\xA0\x3F", "time 1.25s;"),
        // 7.11 setangle: 256ths of a turn
        (b"\x0A\x05\xE0\x80", "setangle 7.03125 -45 -180;"),
        // 7.14, 7.15, 7.18: slot, then name, frags (i16), shirt << 4 | pants
        (b"\x0D\x01Bob\0", "updatename { player 1; netname \"Bob\"; }"),
        (b"\x0E\x01\xFE\xFF", "updatefrags { player 1; frags -2; }"),
        (b"\x11\x00\x4D", "updatecolors { player 0; colors 4 13; }"),
        // 7.17 stopsound: entity 5, channel 3
        (b"\x10\x2B\0", "stopsound { channel 3; entity 5; }"),
        // 7.19 particle: velocity / 16
        (
            b"\x12\x08\0\x10\0\x18\0\xFF\x10\0\xFF\x49",
            "particle { origin 1 2 3; vel -0.0625 1 0; count 255; color 73; }",
        ),
        // 7.20 damage
        (b"\x13\x02\x05\0\0\0\0\x04\0", "damage { save 2; take 5; origin 0 0 0.5; }"),
        // 7.23 spawnbaseline: coordinate and angle by turns
        (
            b"\x16\x01\0\x02\0\x01\0\x08\0\x40\x10\0\0\x18\0\xC0",
            "spawnbaseline { entity 1; default_modelindex 2; default_frame 0; default_colormap 1; default_skin 0; \
             default_origin 1 2 3; default_angles 90 0 -90; }",
        ),
        // 7.24 temporary entities: a point, a beam, an explosion with colours (start and length)
        (b"\x17\x0B\x08\0\x08\0\x08\0", "temp_entity { entitytype 11; origin 1 1 1; }"),
        (
            b"\x17\x0D\x02\0\x08\0\x08\0\x08\0\x10\0\x10\0\x10\0",
            "temp_entity { entitytype 13; entity 2; origin 1 1 1; trace_endpos 2 2 2; }",
        ),
        (b"\x17\x0C\x08\0\x08\0\x08\0\x10\x05", "temp_entity { entitytype 12; origin 1 1 1; color 16; range 5; }"),
        // 7.30 spawnstaticsound
        (b"\x1D\x08\0\x08\0\x08\0\x01\xFF\xC0", "spawnstaticsound { origin 1 1 1; soundnum 1; vol 1; attenuation 3; }"),
        // 7.33, 7.34, 7.35
        (b"\x20\x06\x07", "cdtrack { fromtrack 6; totrack 7; }"),
        (b"\x21", "sellscreen;"),
        (b"\x22The end\0", "cutscene \"The end\";"),
        // 7.36 updateentity: more bits, origin x, long entity (300), yaw behind origin y's place
        (b"\x93\x40\x2C\x01\x10\0\x40", "updateentity { entity 300; origin_x 2; angles_2 90; }"),
        // bit 5 carries no data
        (b"\xA0\x07", "updateentity { entity 7; new; }"),
    ];
    for (bytes, text) in cases {
        assert_eq!(text_of(QUAKE, &[], bytes), *text, "{bytes:02X?}");
    }
}

/// Mask bits in vain and superfluous bytes survive: a long entity number below 256, an empty second mask byte.
#[test]
fn unusual_masks_are_kept() {
    assert_eq!(text_of(QUAKE, &[], b"\x81\x40\x07\0"), "updateentity { entity 7; mask_extra 0x4001; }");
    assert_eq!(text_of(QUAKE, &[], b"\x81\0\x07"), "updateentity { entity 7; mask_extra 0x01; }");
    // Sound bit 2 (looping) exists in the header and carries nothing.
    let sound = text_of(QUAKE, &[], b"\x06\x04\x0A\0\x01\0\0\0\0\0\0");
    assert_eq!(sound, "sound { channel 2; entity 1; soundnum 1; origin 0 0 0; mask_extra 0x04; }");
}

/// 7.16 clientdata: items are always there in files of all versions, whatever bit 9 says.
#[test]
fn clientdata() {
    // Mask: view height, velocity y, bit 9, on ground, armour, weapon model.
    let full = b"\x0F\x41\x66\xF8\x02\x01\x11\x40\0\x32\x02\x64\0\x17\x17\0\0\0\x02";
    // Items 0x00401101: shotgun (bit 0), shells in use (8), axe (12), quad damage (22).
    assert_eq!(
        text_of(QUAKE, &[], full),
        "clientdata { view_ofs_z -8; vel_y 2; weapons 1 2; ammotype 1; power_ups 4; onground; armorvalue 50; \
         weaponmodel 2; health 100; currentammo 23; ammo_shells 23; ammo_nails 0; ammo_rockets 0; ammo_cells 0; weapon 3; }"
    );
    // Bit 9 clear and the items there all the same, as mission pack recordings have it.
    let quiet = b"\x0F\0\x40\x01\0\0\0\x02\x64\0\x17\x17\0\0\0\x01";
    assert!(
        text_of(QUAKE, &[], quiet).contains("weapons 2;") && text_of(QUAKE, &[], quiet).contains("mask_extra 0x200;")
    );
}

#[test]
fn fitzquake_messages() {
    let cases: &[(&[u8], &str)] = &[
        (b"\x25unit1_\0", "skybox \"unit1_\";"),
        (b"\x28", "bf;"),
        (b"\x29\x80\x10\x20\x30\xE8\x03", "fog { density 128; red 16; green 32; blue 48; fade 1000; }"),
        // Large entity and channel (bit 3), large sound (bit 4).
        (b"\x06\x18\x39\x30\x09\x2C\x01\0\0\0\0\0\0", "sound { channel 9; entity 12345; soundnum 300; origin 0 0 0; }"),
        // Baseline with large model (1), large frame (2) and alpha (4).
        (
            b"\x2A\x01\0\x07\x2C\x01\x90\x01\0\0\0\0\0\0\0\0\0\0\0\x80",
            "spawnbaseline2 { entity 1; default_modelindex 300; default_frame 400; default_colormap 0; \
             default_skin 0; default_origin 0 0 0; default_angles 0 0 0; default_alpha 128; }",
        ),
        (
            b"\x2B\x00\x05\x06\0\0\0\0\0\0\0\0\0\0\0",
            "spawnstatic2 { default_modelindex 5; default_frame 6; default_colormap 0; default_skin 0; \
             default_origin 0 0 0; default_angles 0 0 0; }",
        ),
        (
            b"\x2C\0\0\0\0\0\0\x2C\x01\xFF\x40",
            "spawnstaticsound2 { origin 0 0 0; soundnum 300; vol 1; attenuation 1; }",
        ),
        // Update: more bits, EXTEND1; alpha, frame2, model2, lerpfinish in that order, scale before frame2.
        (
            b"\xC1\x84\x1F\x07\x01\x02\x80\x20\x03\x04\x1A",
            "updateentity { entity 7; modelindex 1; frame 2; alpha 128; scale 32; frame2 3; modelindex2 4; lerpfinish 26; }",
        ),
    ];
    for protocol in [FITZ, RMQ] {
        let flags: &[u8] = if protocol == RMQ { &[0; 4] } else { &[] };
        for (bytes, text) in cases {
            assert_eq!(text_of(protocol, flags, bytes), *text, "{protocol} {bytes:02X?}");
        }
    }
    // clientdata with EXTEND1 and EXTEND2: high bytes of the weapon model and of its frame.
    let text = text_of(FITZ, &[], b"\x0F\0\xD2\x81\x01\0\0\0\0\x05\x06\x64\0\0\0\0\0\0\0\x01\x02");
    assert!(
        text.contains("weaponframe 5; weaponmodel 6;") && text.contains("weaponmodel2 1; weaponframe2 2;"),
        "{text}"
    );
}

/// RMQ's flags change every coordinate and angle in the stream.
#[test]
fn rmq_encodings() {
    let beam = |flags: u8, coord: &[u8]| {
        let mut message = vec![0x17, 0];
        (0..3).for_each(|_| message.extend(coord));
        text_of(RMQ, &[flags, 0, 0, 0], &message)
    };
    assert_eq!(beam(0x80, &[0x18, 0, 0, 0]), "temp_entity { entitytype 0; origin 1.5 1.5 1.5; }");
    assert_eq!(beam(0x10, &[0, 0, 0xC0, 0x3F]), "temp_entity { entitytype 0; origin 1.5 1.5 1.5; }");
    assert_eq!(beam(0x08, &[0x01, 0, 51]), "temp_entity { entitytype 0; origin 1.2 1.2 1.2; }");
    assert_eq!(beam(0x08, &[0x01, 0, 255]), "temp_entity { entitytype 0; origin f24(1,255) f24(1,255) f24(1,255); }");
    // Float coordinates win over int32.
    assert_eq!(beam(0x90, &[0, 0, 0xC0, 0x3F]), "temp_entity { entitytype 0; origin 1.5 1.5 1.5; }");
    let angles = |flags: u8, angle: &[u8]| text_of(RMQ, &[flags, 0, 0, 0], &[&[10], angle, angle, angle].concat());
    assert_eq!(angles(0x02, &[0, 0x40]), "setangle 90 90 90;");
    assert_eq!(angles(0x04, &[0, 0, 0xB4, 0x42]), "setangle 90 90 90;");
    assert_eq!(angles(0x06, &[0, 0, 0xB4, 0x42]), "setangle 90 90 90;");
}

#[test]
fn nehahra_and_bjp_messages() {
    let one = 1f32.to_le_bytes();
    let half = 0.5f32.to_le_bytes();
    let two = 2f32.to_le_bytes();
    let update = |tail: &[u8]| [b"\x81\x80\x07", tail].concat();
    let plain = update(&[one, half].concat());
    assert_eq!(text_of(NEHAHRA, &[], &plain), "updateentity { entity 7; trans 1 0.5; }");
    let bright = update(&[two, half, one].concat());
    assert_eq!(text_of(NEHAHRA, &[], &bright), "updateentity { entity 7; trans 2 0.5 1; }");
    let fog = [&b"\x33\x01"[..], &half, b"\x01\x02\x03"].concat();
    assert_eq!(text_of(NEHAHRA, &[], &fog), "nehahra_fog { enable 1; density 0.5; red 1; green 2; blue 3; }");
    assert_eq!(text_of(NEHAHRA, &[], b"\x33\0"), "nehahra_fog { enable 0; }");
    assert_eq!(text_of(NEHAHRA, &[], b"\x24hud\0"), "hidelmp \"hud\";");
    // BJP: model numbers of two bytes; BJP 2 and 3 also in sound.
    assert_eq!(text_of(10000, &[], b"\x81\x04\x07\x2C\x01"), "updateentity { entity 7; modelindex 300; }");
    let sound = "sound { channel 2; entity 1; soundnum 300; origin 0 0 0; }";
    assert_eq!(text_of(10002, &[], b"\x06\0\x0A\0\x2C\x01\0\0\0\0\0\0"), sound);
}

/// FTE announces its extensions in front of the protocol number; FLOATCOORDS changes coordinates and angles.
#[test]
fn fte_extensions() {
    let mut info = serverinfo(15, &[]);
    let extensions = [0x5845_5446u32.to_le_bytes(), 0x8000u32.to_le_bytes()].concat();
    info.splice(1..1, extensions);
    let file = demo("-1\n", &[&info, b"\x0A\0\x40\0\x40\0\x40", b"\x02"]);
    assert_survives(&file, "x.dem");
    let text = String::from_utf8(decompile_bytes(&file, "x.dem", &Options::default()).unwrap()).unwrap();
    assert!(text.contains("extensions 0x58455446 0x8000;") && text.contains("setangle 90 90 90;"), "{text}");
}

/// Several levels in one file, each with its own protocol; the clock begins anew with each.
#[test]
fn levels_change_the_protocol() {
    let time = |t: f32| [&[7][..], &t.to_le_bytes()].concat();
    let fog = b"\x29\x80\x10\x20\x30\xE8\x03";
    let blocks: Vec<Vec<u8>> = vec![
        serverinfo(15, &[]),
        time(1.5),
        [time(9.0), b"\x1E".to_vec()].concat(),
        serverinfo(666, &[]),
        [time(1.25), fog.to_vec()].concat(),
        time(4.0),
        b"\x02".to_vec(),
    ];
    let file = demo("-1\n", &blocks.iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert_survives(&file, "x.dem");
    let info = qdemo::replay::info::info(&file[..], "x.dem", Limits::default()).unwrap();
    assert!(info.faults.is_empty());
    let Facts::Dem(facts) = info.facts else { panic!("a demo") };
    let levels: Vec<_> = facts.levels.iter().map(|l| (l.protocol, l.length(), l.finished)).collect();
    assert_eq!(levels, [(15, Some(7.5), Some(9.0)), (666, Some(2.75), None)]);
    assert!(facts.ends_cleanly);
}

/// Blocks larger than any engine's limit, no final disconnect, bytes behind it: all are kept.
#[test]
fn unusual_files_are_kept() {
    let long = [&[b'\x01'; 100_000][..], b"\x05\x01\0"].concat();
    let file = demo("-1\n", &[&serverinfo(15, &[]), &long]);
    assert!(verify(&file[..], "x.dem", Limits::default()).unwrap().is_sound());
    assert_survives(&file, "x.dem");
    let mut file = demo("2\n", &[&serverinfo(15, &[]), b"\x05\x01\0", b"\x02"]);
    file.extend(b"made with love");
    let report = verify(&file[..], "x.dem", Limits::default()).unwrap();
    assert_eq!((report.different, report.uncovered), (0, 14));
    assert_survives(&file, "x.dem");
}

/// Up to Quake 1.06 items may be left out; Nehahra hides behind protocol 15. Trial tells, and the text says so.
#[test]
fn other_readings_of_protocol_15() {
    let old = b"\x0F\0\x40\x05\x64\0\x19\x19\0\0\0\x01";
    let trans = [&b"\x81\x80\x07"[..], &1f32.to_le_bytes(), &0.5f32.to_le_bytes()].concat();
    for (message, variant) in [(&old[..], "optional_items"), (&trans[..], "nehahra")] {
        let file = demo("-1\n", &[&serverinfo(15, &[]), message, b"\x02"]);
        assert!(verify(&file[..], "x.dem", Limits::default()).unwrap().is_sound(), "{variant}");
        assert_survives(&file, "x.dem");
        let text = String::from_utf8(decompile_bytes(&file, "x.dem", &Options::default()).unwrap()).unwrap();
        assert!(text.contains(&format!("variant \"{variant}\";")), "{text}");
    }
}
