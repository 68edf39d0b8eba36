//! Facts about the extensions of FTE, MVDSV and ezQuake, as bytes written by hand beside the text they must give.
//!
//! Sources: ezQuake (`cl_parse.c`, `cl_ents.c`, `CL_ParseDelta`), MVDSV (`sv_ents.c`), qwprot (`protocol.h`), FTE.
//! Nothing here was taken from qdemo's output.

use qdemo::Limits;
use qdemo::replay::info::{Facts, info};

use qdemo::text::{Options, Style, decompile_bytes};

use super::build::{CLIENT, END, MULTIVIEW, Server, block_text, extensions};
use crate::common::assert_survives;

/// FTE's flags that matter to MVDSV: TRANS, MODELDBL, ENTITYDBL and ENTITYDBL2, COLOURMOD, SPAWNSTATIC2, 256PACKETENTITIES.
const MVDSV: u32 = 0x0148_7008;
const TRANS: u32 = 0x8;
const FLOATCOORDS: u32 = 0x8000;
/// An FTE flag that changes no layout by itself: entities may have more bytes all the same.
const PACKETENTITIES_256: u32 = 0x0100_0000;
/// Flags of MVDSV's own.
const MVD1_FLOATCOORDS: u32 = 0x1;
const HIGHLAGTELEPORT: u32 = 0x2;
const WEAPONPREDICTION: u32 = 0x80;

/// The words stand in front of the protocol number, each with its flags.
#[test]
fn extension_words() {
    for server in [
        Server { fte: MVDSV, ..CLIENT },
        Server { mvd1: MVD1_FLOATCOORDS, ..CLIENT },
        Server { fte: FLOATCOORDS, mvd1: 0x20, ..MULTIVIEW },
    ] {
        let demo = server.demo(&[END]);
        let text = block_text(&demo, server.name(), 0);
        let words = extensions(&server);
        let all: Vec<_> =
            words.iter().flat_map(|(magic, flags)| [*magic, *flags]).map(|v| format!("0x{v:02X}")).collect();
        let all = format!("serverdata {{ extensions {}; serverversion 28; age 7;", all.join(" "));
        assert!(text.contains(&all), "{all} in {text}");
        let Facts::QuakeWorld(facts) = info(&demo[..], server.name(), Limits::default()).unwrap().facts else {
            panic!()
        };
        assert_eq!(facts.extensions, words);
    }
}

/// The text of one entity in a packet.
#[track_caller]
fn entity(server: Server, data: &[u8]) -> String {
    let text = server.text_of(&[&[47], data, &[0, 0]].concat());
    let all = text.strip_prefix("packetentities { packetentity { ").unwrap_or_else(|| panic!("{text}"));
    all.strip_suffix(" } }").unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// Entity deltas: with any of FTE's flags bit 7 of the second byte brings a third, and its bit 7 a fourth.
#[test]
fn bytes_of_entities() {
    for fte in [MVDSV, PACKETENTITIES_256, TRANS] {
        let server = Server { fte, ..CLIENT };
        let cases: &[(&[u8], &str)] = &[
            // Bit 1 of the third byte: opacity.
            (b"\x21\x80\x80\x02\x7F", "entity 33; alpha 127;"),
            // Bit 2 of the fourth: red, green, blue.
            (b"\x21\x80\x80\x80\x04\x10\x20\x30", "entity 33; colormod 16 32 48;"),
            // Bit 3 of the third adds 256 to a model number of a byte ...
            (b"\x21\x80\x84\x08\x2C", "entity 33; modelindex 300;"),
            // ... and stands for one of two bytes where the bit for a byte is clear.
            (b"\x21\x80\x80\x08\x2C\x01", "entity 33; modelindex 300; long_modelindex;"),
            // Bits 5 and 6 add 512 and 1024 to the entity's number.
            (b"\x21\x80\x80\x20", "entity 545;"),
            (b"\x21\x80\x80\x40", "entity 1057;"),
            (b"\xFF\x81\x80\x60", "entity 2047;"),
            // A removal has its number and nothing else.
            (b"\x21\x40", "entity 33; remove;"),
            (b"\x21\xC0\x80\x20", "entity 545; remove;"),
            (b"\x21\xC0\x80\x40", "entity 1057; remove;"),
        ];
        for (bytes, text) in cases {
            assert_eq!(entity(server, bytes), *text, "{fte:#X} {bytes:02X?}");
        }
        // The order: model, frame, origin and angles by turns, opacity, colour. Entity 512 + 33.
        let all = b"\x21\xA2\x84\xAA\x04\x2C\x05\x08\0\x7F\x10\x20\x30";
        let text = entity(server, all);
        let parts = ["entity 545;", "modelindex 300;", "frame 5;", "origin_x 1;", "alpha 127;", "colormod 16 32 48;"];
        parts.iter().for_each(|part| assert!(text.contains(part), "{part} in {text}"));
    }
    // Without an extension of FTE there is no third byte: opacity's byte would begin the next word.
    let plain = entity(CLIENT, b"\x21\x80\x80");
    assert!(plain.starts_with("entity 33;") && !plain.contains("alpha"), "{plain}");
}

/// Messages of FTE: 21 and 66 are single deltas from nothing, 60 is a list with a number of two bytes.
#[test]
fn messages_of_fte() {
    let server = Server { fte: MVDSV, ..MULTIVIEW };
    let cases: &[(&[u8], &str)] = &[
        (b"\x15\x00\x82\x04\x09\x08\0", "fte_spawnstatic2 { entity 0; modelindex 9; origin_x 1; }"),
        (b"\x42\x21\x80\x80\x20", "fte_spawnbaseline2 { entity 545; }"),
        (
            b"\x42\x21\xA0\x84\x88\x04\x2C\x05\x01\x02\x03",
            "fte_spawnbaseline2 { entity 33; modelindex 300; frame 5; colormod 1 2 3; }",
        ),
        (b"\x3C\x2C\x01progs/a.mdl\0*1\0\0\x00", "fte_modellist { first 300; models \"progs/a.mdl\" \"*1\"; next 0; }"),
        // Voice: sender, generation, number, u16 size, sound.
        (
            b"\x54\x02\x01\x09\x03\0\xAA\xBB\xCC",
            "voicechat { sender 2; generation 1; sequence 9; data 0xAA 0xBB 0xCC; }",
        ),
    ];
    for (bytes, text) in cases {
        assert_eq!(server.text_of(bytes), *text, "{bytes:02X?}");
    }
    // The word 0 is a delta like any other here: nothing of entity 0. A list would end.
    assert_eq!(server.text_of(b"\x15\0\0"), "fte_spawnstatic2 { entity 0; }");
}

/// Qizmo's voice: 34 bytes, a number and a GSM frame.
#[test]
fn voices_of_qizmo() {
    let voice: Vec<u8> = (1..=34).collect();
    let text = CLIENT.text_of(&[&[83], &voice[..], &[1]].concat());
    let bytes: Vec<_> = voice.iter().map(|b| format!("0x{b:02X}")).collect();
    assert_eq!(text, format!("qizmovoice {{ data {}; }} nop;", bytes.join(" ")));
}

/// With TRANS bit 15 of a player's flags brings eight more, in which on ground and solid are bits 6 and 7; opacity
/// comes last. Without it they are bits 14 and 15 themselves.
#[test]
fn flags_of_players() {
    let server = Server { fte: TRANS, ..CLIENT };
    let player = |server: Server, flags: &[u8], data: &[u8]| {
        let text = server.text_of(&[&[42, 5], flags, &[0; 7], data].concat());
        let text = text.strip_prefix("playerinfo { player 5; ").unwrap().strip_suffix(" }").unwrap().to_owned();
        text.replace("origin 0 0 0; frame 0;", "*")
    };
    assert_eq!(player(server, &[0, 0], &[]), "*");
    assert_eq!(player(server, &[0, 0x80, 0x40], &[]), "onground; *");
    assert_eq!(player(server, &[0, 0x80, 0x80], &[]), "solid; *");
    assert_eq!(player(server, &[0, 0x80, 0xC0], &[]), "onground; solid; *");
    assert_eq!(player(CLIENT, &[0, 0xC0], &[]), "onground; solid; *");
    // Opacity: bit 17, behind the frame of the weapon.
    assert_eq!(player(server, &[0x80, 0x81, 0x02], &[8, 4, 127]), "* effects 8; weaponframe 4; alpha 127;");
    // Bit 14 by itself says nothing with TRANS, and survives.
    let odd = player(server, &[0, 0x40], &[]);
    assert!(!odd.contains("onground") && odd.contains("mask_extra"), "{odd}");
}

/// FTE's FLOATCOORDS: every coordinate is a float, every angle has sixteen bits.
#[test]
fn float_coordinates_of_fte() {
    let (one, angle) = (1.5f32.to_le_bytes(), [0x00, 0x40]);
    let three = [one, one, one].concat();
    let angles = [angle, angle, angle].concat();
    for server in [Server { fte: FLOATCOORDS, ..CLIENT }, Server { fte: FLOATCOORDS, ..MULTIVIEW }] {
        // 18 bytes.
        let intermission = [&[30], &three[..], &angles].concat();
        assert_eq!(intermission.len(), 1 + 18);
        assert_eq!(server.text_of(&intermission), "intermission { origin 1.5 1.5 1.5; angles 90 90 90; }");
        let effect = [&[23, 3], &three[..]].concat();
        assert_eq!(server.text_of(&effect), "temp_entity { entitytype 3; origin 1.5 1.5 1.5; }");
        let sound = [&[6, 0x0A, 0, 1], &three[..]].concat();
        assert_eq!(server.text_of(&sound), "sound { channel 2; entity 1; soundnum 1; origin 1.5 1.5 1.5; }");
        let delta = [&b"\x30\x01\x21\x12"[..], &one, &angle, &[0, 0]].concat();
        assert_eq!(
            server.text_of(&delta),
            "deltapacketentities { frame 1; packetentity { entity 33; origin_x 1.5; angles_2 90; } }"
        );
        let place = [one.as_slice(), &angle, &one, &angle, &one, &angle].concat();
        let text = server.text_of(&[&[20, 1, 0, 0, 0], &place[..]].concat());
        assert!(text.contains("default_origin 1.5 1.5 1.5; default_angles 90 90 90;"), "{text}");
    }
    let client = Server { fte: FLOATCOORDS, ..CLIENT };
    assert_eq!(client.text_of(&[&[10], &angles[..]].concat()), "setangle 90 90 90;");
    let player = [&[42, 5, 0, 0], &three[..], &[13]].concat();
    assert_eq!(client.text_of(&player), "playerinfo { player 5; origin 1.5 1.5 1.5; frame 13; }");
    let seen = Server { fte: FLOATCOORDS, ..MULTIVIEW };
    let player = [&[42, 5, 7, 0, 13], &three[..]].concat();
    assert_eq!(
        seen.text_of(&player),
        "mvdplayerinfo { player 5; frame 13; origin_x 1.5; origin_y 1.5; origin_z 1.5; }"
    );
}

/// MVDSV's FLOATCOORDS: only the origins of players (in a `.qwd`) and of entity deltas. All else stays short.
#[test]
fn float_coordinates_of_mvdsv() {
    let one = 1.5f32.to_le_bytes();
    let three = [one, one, one].concat();
    let client = Server { mvd1: MVD1_FLOATCOORDS, ..CLIENT };
    let player = [&[42, 5, 0, 0], &three[..], &[13]].concat();
    assert_eq!(client.text_of(&player), "playerinfo { player 5; origin 1.5 1.5 1.5; frame 13; }");
    let seen = Server { mvd1: MVD1_FLOATCOORDS, ..MULTIVIEW };
    let player = [42, 5, 7, 0, 13, 12, 0, 12, 0, 12, 0];
    assert_eq!(
        seen.text_of(&player),
        "mvdplayerinfo { player 5; frame 13; origin_x 1.5; origin_y 1.5; origin_z 1.5; }"
    );
    for server in [client, seen] {
        let delta = [&b"\x30\x01\x21\x12"[..], &one, &[0x40, 0, 0]].concat();
        assert_eq!(
            server.text_of(&delta),
            "deltapacketentities { frame 1; packetentity { entity 33; origin_x 1.5; angles_2 90; } }"
        );
        let effect = [23, 3, 12, 0, 12, 0, 12, 0];
        assert_eq!(server.text_of(&effect), "temp_entity { entitytype 3; origin 1.5 1.5 1.5; }");
    }
}

/// A byte stands in front of the angles of `setangle`: in multi-view recordings the slot, with HIGHLAGTELEPORT what
/// turned the view.
#[test]
fn the_byte_in_front_of_setangle() {
    assert_eq!(CLIENT.text_of(b"\x0A\0\x40\0"), "setangle 0 90 0;");
    for server in [Server { mvd1: HIGHLAGTELEPORT, ..CLIENT }, MULTIVIEW] {
        assert_eq!(server.text_of(b"\x0A\x02\0\x40\0"), "setangle { about 2; angles 0 90 0; }");
    }
}

/// ezQuake's weapon prediction: a byte behind the weapon's frame, and unless it is 0, impulse u8, weapon i16, three
/// floats, think index, ping, flags, four kinds of ammunition.
#[test]
fn weapon_prediction() {
    let server = Server { mvd1: WEAPONPREDICTION, ..CLIENT };
    let player = |data: &[u8]| {
        let text = server.text_of(&[&[42, 5, 0, 1], &[0; 7][..], &[4], data].concat());
        text.strip_prefix("playerinfo { player 5; origin 0 0 0; frame 0; weaponframe 4; ").unwrap().to_owned()
    };
    assert_eq!(player(&[0]), "prediction 0x00; }");
    let size = 1 + 2 + 4 + 4 + 4 + 1 + 1 + 1 + 4;
    let data: Vec<u8> = (1..=1 + size).collect();
    let bytes: Vec<_> = data.iter().map(|b| format!("0x{b:02X}")).collect();
    assert_eq!(player(&data), format!("prediction {}; }}", bytes.join(" ")));
    // The message ends there: the next one is read.
    assert!(player(&[&data[..], &[1]].concat()).ends_with("; } nop;"));
}

/// LMPC knows no extensions: what they change is bytes in its style. A later level without them has words again, of
/// its own protocol.
#[test]
fn levels_of_other_protocols_in_the_style_of_lmpc() {
    let lists: &[u8] = b"\x2Dmaps/dm6.bsp\0\0";
    let later = [&Server { protocol: 25, ..CLIENT }.data()[..], lists].concat();
    let demo = Server { fte: MVDSV, ..CLIENT }.demo(&[b"\x20\x05", &later, b"\x20\x06", END]);
    assert_survives(&demo, "x.qwd");
    let text = decompile_bytes(&demo, "x.qwd", &Options::with_style(Style::Lmpc)).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains("cdtrack 5;") && text.contains("cdtrack 6;"), "{text}");
    assert!(text.contains("serverversion 25;") && !text.contains("serverversion 28;"), "{text}");
}
