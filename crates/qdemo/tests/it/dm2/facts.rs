//! Facts about Quake II's protocols, as bytes written by hand beside the text they must give.
//!
//! Sources: the DM2 document (section numbers); id Software's Quake II 3.21 where it corrects the document:
//! `MSG_WriteDeltaEntity` and `SV_EmitPacketEntities` for entities, `CL_ParseTEnt`, `CL_ParseStartSoundPacket`,
//! `CL_ParsePlayerstate`. Nothing here was taken from qdemo's output.

use crate::common::{self, assert_survives, quake2_demo as file};
use qdemo::describe::Field;
use qdemo::format::dm2::{Dialect, Direction};
use qdemo::replay::info::Facts;
use qdemo::text::{Options, decompile_bytes};
use qdemo::wire::ByteWriter;
use qdemo::{Limits, verify::verify};

/// Marks of `serverdata`: recorded by a client, by the server, by Relay.
const CLIENT: u8 = 1;
const SERVER: u8 = 2;
const RELAY: u8 = 0x80;

/// Section 3.13: protocol, key, mark, game directory, player number, name of the level.
fn serverdata(protocol: i32, isdemo: u8) -> Vec<u8> {
    let mut m = vec![0x0C];
    m.extend(protocol.to_le_bytes());
    m.extend([1, 0, 1, 0, isdemo]);
    m.extend(b"ctf\0\0\0The Edge\0");
    m
}

/// The text of a file, white space folded, comments left out.
fn text(file: &[u8]) -> String {
    let text = String::from_utf8(decompile_bytes(file, "x.dm2", &Options::default()).unwrap()).unwrap();
    let lines: Vec<_> = text.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    lines.join(" ")
}

/// The text of messages in a recording. They are a block of their own.
#[track_caller]
fn text_of(protocol: i32, isdemo: u8, messages: &[u8]) -> String {
    let file = file(&[&serverdata(protocol, isdemo), messages]);
    let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{faults:?}");
    assert_survives(&file, "x.dm2");
    let text = text(&file);
    let block = text.split("block {").nth(2).unwrap();
    block.trim().strip_suffix("} endblock;").unwrap().trim().to_owned()
}

/// True when nothing of the messages is understood, and yet all of it is kept.
#[track_caller]
fn refused(protocol: i32, isdemo: u8, messages: &[u8]) -> bool {
    let file = file(&[&serverdata(protocol, isdemo), messages]);
    assert_survives(&file, "x.dm2");
    let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
    assert_eq!(report.different, 0);
    report.uncovered == messages.len() as u64
}

/// Text of a list with one entity in it, the list's own brackets left out.
#[track_caller]
fn entity(item: &[u8]) -> String {
    let text = text_of(34, CLIENT, &[&[0x12], item, &[0, 0]].concat());
    let inner = text.strip_prefix("packetentities { packetentity {").and_then(|t| t.strip_suffix("} }"));
    inner.unwrap_or_else(|| panic!("one entity: {text}")).trim().to_owned()
}

/// Section 3.2 and on: the plain messages.
#[test]
fn plain_messages() {
    let cases: &[(&[u8], &str)] = &[
        // Entity as a signed short; MZ_ numbers plus 128 for a silencer.
        (b"\x01\x01\0\x87", "muzzleflash { entity 1; value 135; }"),
        (b"\x02\x2C\x01\xD2", "muzzleflash2 { entity 300; value 210; }"),
        (b"\x01\xFF\xFF\0", "muzzleflash { entity -1; value 0; }"),
        (b"\x04xv 32\0", "layout \"xv 32\";"),
        (b"\x06\x07\x08", "nop; disconnect; reconnect;"),
        (b"\x0A\x03hi\0", "print { level 3; string \"hi\"; }"),
        (b"\x0Bprecache\0", "stufftext \"precache\";"),
        (b"\x0Fhello\0", "centerprint \"hello\";"),
        // The index of a configstring is a short: 1312 is the first player's.
        (b"\x0D\x20\x05Bob\0", "configstring { index 1312; string \"Bob\"; }"),
    ];
    for protocol in 26..=34 {
        for (bytes, text) in cases {
            assert_eq!(text_of(protocol, CLIENT, bytes), *text, "{protocol} {bytes:02X?}");
        }
    }
}

/// Section 3.13. In a recording of the server there is no player: slot -1.
#[test]
fn serverdata_fields() {
    let expected =
        "serverdata { serverversion 34; key 65537; isdemo 1; game \"ctf\"; client 0; mapname \"The Edge\"; }";
    assert_eq!(text_of(34, CLIENT, &serverdata(34, CLIENT)), expected);
    let mut of_server = b"\x0C\x22\0\0\0\x07\0\0\0\x02\0\xFF\xFFbase1\0".to_vec();
    let expected = "serverdata { serverversion 34; key 7; isdemo 2; game \"\"; client -1; mapname \"base1\"; }";
    assert_eq!(text_of(34, SERVER, &of_server), expected);
    // The mark decides how frames look, in the very block that it stands in.
    of_server.extend(b"\x14\x05\0\0\0\x12\0\0");
    assert_eq!(text_of(34, CLIENT, &of_server), format!("{expected} frame {{ seq1 5; }} packetentities {{ }}"));
}

/// `CL_ParseStartSoundPacket`: volume 1, attenuation 2, position 4, entity 8, offset 16; the data in the order volume,
/// attenuation, offset, entity, position.
#[test]
fn sounds() {
    let all = b"\x09\x1F\x05\xFF\x60\x0A\x29\x09\x08\0\x10\0\xE8\xFF";
    // 0x929 = 293 * 8 + 1
    let expected = "sound { soundnum 5; vol 1; attenuation 1.5; timeofs 0.01; channel 1; entity 293; origin 1 2 -3; }";
    assert_eq!(text_of(34, CLIENT, all), expected);
    assert_eq!(text_of(34, CLIENT, b"\x09\0\xC8"), "sound { soundnum 200; }");
    assert_eq!(text_of(34, CLIENT, b"\x09\x04\x01\x08\0\x08\0\x08\0"), "sound { soundnum 1; origin 1 1 1; }");
    // The number of the entity has 13 bits and no sign.
    assert_eq!(text_of(34, CLIENT, b"\x09\x08\x01\xFF\xFF"), "sound { soundnum 1; channel 7; entity 8191; }");
    // A bit without a meaning is kept, and brings nothing along.
    assert_eq!(text_of(34, CLIENT, b"\x09\x20\x01\x06"), "sound { soundnum 1; mask_extra 0x20; } nop;");
}

const POS: &[u8] = b"\x08\0\x10\0\x18\0";
const END: &[u8] = b"\xF8\xFF\xF0\xFF\xE8\xFF";

fn temp_entity(parts: &[&[u8]]) -> Vec<u8> {
    [&[3], parts.concat().as_slice()].concat()
}

/// Section 3.4, corrected by `CL_ParseTEnt`.
#[test]
fn temporary_entities() {
    let text = |parts: &[&[u8]]| text_of(34, CLIENT, &temp_entity(parts));
    assert_eq!(text(&[&[5], POS]), "temp_entity { entitytype 5; origin 1 2 3; }");
    assert_eq!(text(&[&[3], POS, END]), "temp_entity { entitytype 3; origin 1 2 3; trace_endpos -1 -2 -3; }");
    // Electric sparks are an impact: a place and a direction.
    assert_eq!(text(&[&[46], POS, &[5]]), "temp_entity { entitytype 46; origin 1 2 3; movedir 0 0 1; }");
    assert_eq!(
        text(&[&[10, 32], POS, &[84, 2]]),
        "temp_entity { entitytype 10; count 32; origin 1 2 3; movedir 0 0 -1; style 2; }"
    );
    assert_eq!(
        text(&[&[16], &[0x2C, 1], POS, END]),
        "temp_entity { entitytype 16; entity 300; origin 1 2 3; trace_endpos -1 -2 -3; }"
    );
    assert_eq!(
        text(&[&[24], &[7, 0], POS, END, &[0, 0, 0, 0, 0x40, 0]]),
        "temp_entity { entitytype 24; entity 7; origin 1 2 3; trace_endpos -1 -2 -3; pos1 0 0 8; }"
    );
    assert_eq!(text(&[&[36], POS, &[9, 0]]), "temp_entity { entitytype 36; origin 1 2 3; flash_entity 9; }");
    // 20001 = 0x4E21
    assert_eq!(text(&[&[50], &[0x21, 0x4E], POS]), "temp_entity { entitytype 50; kind 20001; origin 1 2 3; }");
}

/// The colour of a force wall is a byte, where the document has a short: 14 bytes with the message's type.
#[test]
fn force_wall_has_a_byte() {
    let wall = temp_entity(&[&[37], POS, END, &[0xD0]]);
    assert_eq!(wall.len(), 1 + 14);
    let expected = "temp_entity { entitytype 37; origin 1 2 3; trace_endpos -1 -2 -3; style 208; }";
    assert_eq!(text_of(34, CLIENT, &wall), expected);
    assert_eq!(text_of(34, CLIENT, &[&wall[..], &[6]].concat()), format!("{expected} nop;"));
}

/// Steam that lasts has an id other than -1, and a duration behind everything else.
#[test]
fn steam_has_a_duration_when_it_has_an_id() {
    let steam = |id: &[u8], wait: &[u8]| {
        text_of(34, CLIENT, &[&temp_entity(&[&[40], id, &[20], POS, &[52, 8], &[0x4B, 0], wait])[..], &[6]].concat())
    };
    assert_eq!(
        steam(&[0xFF, 0xFF], &[]),
        "temp_entity { entitytype 40; nextid -1; count 20; origin 1 2 3; movedir 1 0 0; style 8; plat2flags 75; } nop;"
    );
    assert_eq!(
        steam(&[3, 0], &[0xE8, 3, 0, 0]),
        "temp_entity { entitytype 40; nextid 3; count 20; origin 1 2 3; movedir 1 0 0; style 8; plat2flags 75; \
         wait 1000; } nop;"
    );
}

/// Lightning: two shorts, then two places. The names are the document's; the game and its client do not agree on
/// which entity comes first.
#[test]
fn lightning_has_two_entities() {
    assert_eq!(
        text_of(34, CLIENT, &temp_entity(&[&[33], &[1, 0], &[0x2C, 1], POS, END])),
        "temp_entity { entitytype 33; dest_entity 1; entity 300; dest_origin 1 2 3; origin -1 -2 -3; }"
    );
}

/// Types 26 and 27 changed places with protocol 32: plasma trail and green blood before, green blood and blue
/// hyperblaster since.
#[test]
fn effects_26_and_27_by_protocol() {
    let impact = |n: u8| (temp_entity(&[&[n], POS, &[5]]), format!("entitytype {n}; origin 1 2 3; movedir 0 0 1;"));
    let line =
        |n: u8| (temp_entity(&[&[n], POS, END]), format!("entitytype {n}; origin 1 2 3; trace_endpos -1 -2 -3;"));
    for (protocol, cases) in [
        (31, [line(26), impact(27)]),
        (32, [impact(26), line(27)]),
        (33, [impact(26), line(27)]),
        (34, [impact(26), line(27)]),
    ] {
        for (bytes, fields) in cases {
            assert_eq!(text_of(protocol, CLIENT, &bytes), format!("temp_entity {{ {fields} }}"), "{protocol}");
        }
    }
}

/// There are 162 directions: the vertices of a sphere, `anorms.h`.
#[test]
fn directions() {
    let unit = [
        (5, "0 0 1"),
        (32, "0 1 0"),
        (52, "1 0 0"),
        (84, "0 0 -1"),
        (104, "0 -1 0"),
        (143, "-1 0 0"),
        (0, "-0.525731 0 0.850651"),
        (161, "-0.688191 -0.587785 -0.425325"),
    ];
    for (n, vector) in unit {
        let expected = format!("temp_entity {{ entitytype 0; origin 1 2 3; movedir {vector}; }}");
        assert_eq!(text_of(34, CLIENT, &temp_entity(&[&[0], POS, &[n]])), expected);
    }
    for n in [162, 163, 255] {
        assert!(refused(34, CLIENT, &temp_entity(&[&[0], POS, &[n]])), "{n}");
        assert_eq!(Direction(n).vector(), None);
        assert!(Direction(n).write(&mut ByteWriter::default(), &Dialect::QUAKE2).is_err(), "{n}");
    }
    let all: Vec<_> = (0..162).map(|n| Direction(n).vector().unwrap()).collect();
    for (n, v) in all.iter().enumerate() {
        let length = v.iter().map(|x| x * x).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-5, "{n}: {length}");
        assert!(!all[..n].contains(v), "{n} stands twice");
        // The sphere is symmetric but for signs of 0.
        assert!(all.iter().any(|w| v.iter().zip(w).all(|(a, b)| *a == -*b)), "{n} has nothing across");
        // Each comes back from each language.
        assert_survives(&file(&[&serverdata(34, CLIENT), &temp_entity(&[&[0], POS, &[n as u8]])]), "x.dm2");
    }
}

/// All 162 against the table of the engine, where the facts are at hand.
#[test]
fn directions_are_those_of_the_engine() {
    let Some(data) = common::need("facts/data") else { return };
    let table = std::fs::read_to_string(data.join("anorms.tsv")).unwrap();
    let mut seen = 0;
    for line in table.lines() {
        let words: Vec<_> = line.split('\t').collect();
        let Ok(n) = words[0].parse::<u8>() else { continue };
        let vector = [1, 2, 3].map(|i| words[i].parse::<f32>().unwrap());
        assert_eq!(Direction(n).vector(), Some(vector), "{n}");
        seen += 1;
    }
    assert_eq!(seen, 162);
}

/// A mask of one to four bytes; bits 7, 15 and 23 announce the next.
#[test]
fn entity_masks() {
    // Bit 0: origin x. Bit 11: model. Bit 16: skin in a byte. Bit 27: solid.
    assert_eq!(entity(&[0x01, 5, 8, 0]), "entity 5; origin_x 1;");
    assert_eq!(entity(&[0x80, 0x08, 5, 7]), "entity 5; modelindex 7;");
    assert_eq!(entity(&[0x80, 0x80, 0x01, 5, 3]), "entity 5; skin 3;");
    assert_eq!(entity(&[0x80, 0x80, 0x80, 0x08, 5, 31, 0]), "entity 5; solid 31;");
    // An empty mask is normal: an entity comes into view just as its baseline is.
    assert_eq!(entity(&[0x00, 5]), "entity 5;");
    // Bit 8: the number takes two bytes.
    assert_eq!(entity(&[0x81, 0x01, 0x2C, 1, 8, 0]), "entity 300; origin_x 1;");
    // Mask bytes that carry nothing are kept.
    assert_eq!(entity(&[0x81, 0x00, 5, 8, 0]), "entity 5; origin_x 1; mask_extra 0x80;");
    assert_eq!(entity(&[0x81, 0x80, 0x80, 0x00, 5, 8, 0]), "entity 5; origin_x 1; mask_extra 0x808080;");
    // Bits 13 and 28 to 31 have no meaning up to protocol 34, and nothing behind them.
    assert_eq!(entity(&[0x80, 0x20, 5]), "entity 5; mask_extra 0x2080;");
    assert_eq!(entity(&[0x80, 0x80, 0x80, 0xF0, 5]), "entity 5; mask_extra 0xF0808080;");
}

/// `MSG_WriteDeltaEntity`, every field at once, in its order.
#[test]
fn entity_fields_in_order() {
    let mask = &[0xBF, 0xDE, 0xFD, 0x0D];
    let number = &[9];
    let models = &[1, 2, 3, 4];
    let frame = &[5];
    let skin = &[6];
    let effects = &[0x00, 0x80, 0, 0];
    let renderfx = &[0x00, 0x80, 0, 0];
    let origin = &[8, 0, 16, 0, 24, 0];
    let angles = &[0x40, 0xC0, 0x80];
    let old_origin = &[0, 0, 8, 0, 16, 0];
    let rest = &[7, 2, 0x42, 0x1C];
    let item: [&[u8]; 11] = [mask, number, models, frame, skin, effects, renderfx, origin, angles, old_origin, rest];
    assert_eq!(
        entity(&item.concat()),
        "entity 9; modelindex 1; modelindex2 2; modelindex3 3; modelindex4 4; frame 5; skin 6; effects 32768; \
         renderfx 32768; origin_x 1; origin_y 2; origin_z 3; angles_1 90; angles_2 -90; angles_3 -180; \
         old_origin 0 1 2; sound 7; event 2; solid 7234;"
    );
}

/// Numbers that could be shorter are kept as long as they are.
#[test]
fn numbers_in_more_bytes_than_needed() {
    // The number of the entity: bit 8, and bit 7 that announces its mask byte.
    assert_eq!(entity(&[0x81, 0x01, 5, 0, 8, 0]), "entity 5; origin_x 1; mask_extra 0x180;");
    // The frame: bit 17.
    assert_eq!(entity(&[0x80, 0x80, 0x02, 5, 0x2C, 1]), "entity 5; frame 300;");
    assert_eq!(entity(&[0x80, 0x80, 0x02, 5, 7, 0]), "entity 5; frame16 7;");
    // Both bits: both numbers stand there, as the engine reads them.
    assert_eq!(entity(&[0x90, 0x80, 0x02, 5, 7, 0x2C, 1]), "entity 5; frame 7; frame16 300;");
}

/// Skin, effects and renderfx: one byte below 256; two below 65536 (skin) or 32768 (the others), whose readers take a
/// signed short; four from there on. Both bits together are the four bytes. Other widths are kept.
#[test]
fn widths_of_skin_effects_and_renderfx() {
    for (name, low, wide, long) in
        [("skin", 16, 25, 0x1_0000u32), ("effects", 14, 19, 0x8000), ("renderfx", 12, 18, 0x8000)]
    {
        let item = |value: u32, bytes: usize| {
            let mut mask = match bytes {
                1 => 1u32 << low,
                2 => 1 << wide,
                _ => 1 << low | 1 << wide,
            };
            // Bits that announce bytes.
            if mask >> 24 != 0 {
                mask |= 1 << 23;
            }
            if mask >> 16 != 0 {
                mask |= 1 << 15;
            }
            mask |= 1 << 7;
            let used = 4 - mask.leading_zeros() as usize / 8;
            entity(&[&mask.to_le_bytes()[..used], &[5], &value.to_le_bytes()[..bytes]].concat())
        };
        for (value, engine) in [
            (0, 1),
            (255, 1),
            (256, 2),
            (0x7FFF, 2),
            (0x8000, if long > 0x8000 { 2 } else { 4 }),
            (0xFFFF, if long > 0x8000 { 2 } else { 4 }),
            (0x1_0000, 4),
            (u32::MAX, 4),
        ] {
            assert_eq!(item(value, engine), format!("entity 5; {name} {value};"), "as engines write it");
            for bytes in [1, 2, 4] {
                if bytes != engine && (bytes == 4 || value >> (8 * bytes) == 0) {
                    let kept = format!("entity 5; {name} {value}; {name}_bytes {bytes};");
                    assert_eq!(item(value, bytes), kept, "{name} {value} in {bytes}");
                }
            }
        }
    }
}

/// A removed entity is a number and nothing else: `SV_EmitPacketEntities`.
#[test]
fn removed_entities() {
    let list = |bytes: &[u8]| text_of(34, CLIENT, &[&[0x12], bytes].concat());
    assert_eq!(entity(&[0x40, 5]), "entity 5; remove;");
    assert_eq!(entity(&[0xC0, 0x01, 0x2C, 1]), "entity 300; remove;");
    // Whatever else the mask says.
    assert_eq!(
        list(&[0x41, 5, 0x40, 6, 0, 0]),
        "packetentities { packetentity { entity 5; remove; mask_extra 0x01; } packetentity { entity 6; remove; } }"
    );
}

/// The number 0 ends the list, whatever the mask before it.
#[test]
fn end_of_the_list() {
    let list = |bytes: &[u8]| text_of(34, CLIENT, &[&[0x12], bytes, &[6]].concat());
    assert_eq!(list(&[0, 0]), "packetentities { } nop;");
    assert_eq!(list(&[0x80, 0x01, 0, 0]), "packetentities { end_mask 0x180; } nop;");
    assert_eq!(
        list(&[0x40, 5, 0x81, 0x80, 0x80, 0x01, 0]),
        "packetentities { end_mask 0x1808081; packetentity { entity 5; remove; } } nop;"
    );
}

/// Section 3.15: a baseline is an entity behind a message number of its own.
#[test]
fn baselines() {
    assert_eq!(
        text_of(34, CLIENT, b"\x0E\x81\x0A\x05\x07\x08\0\x10\0"),
        "spawnbaseline { entity 5; modelindex 7; origin_x 1; origin_z 2; }"
    );
}

/// `CL_ParsePlayerstate`: every field, all 32 stats.
#[test]
fn playerinfo_with_everything() {
    let mut m = vec![0x11, 0xFF, 0x7F];
    m.push(4); // pm_type
    m.extend([8, 0, 16, 0, 24, 0]); // origin / 8
    m.extend([0xF8, 0xFF, 0, 0, 1, 0]); // velocity / 8
    m.extend([5, 4]); // pm_time, pm_flags
    m.extend([0x20, 3]); // gravity
    m.extend([0, 0x40, 0, 0xC0, 0, 0x80]); // delta angles
    m.extend([0, 0, 22]); // view offset / 4
    m.extend([0, 0x20, 0, 0, 0, 0]); // view angles
    m.extend([0xFC, 1, 0]); // kick / 4
    m.push(7); // gun
    m.extend([3, 1, 2, 3, 0xFF, 4, 8]); // its frame, offset / 4, angles / 4
    m.extend([255, 0, 0, 51]); // blend / 255
    m.extend([90, 1]); // fov, rdflags
    m.extend([0xFF; 4]);
    let stats: Vec<i16> = (0..32).map(|n| n * 100 - 500).collect();
    stats.iter().for_each(|v| m.extend(v.to_le_bytes()));
    let mut expected =
        "playerinfo { pm_type 4; origin 1 2 3; velocity -1 0 0.125; pm_time 5; pm_flags 4; gravity 800; \
         delta_angles 90 -90 -180; viewoffset 0 0 5.5; viewangles 45 0 0; kick_angles -1 0.25 0; gunindex 7; \
         gunframe 3; gunoffset 0.25 0.5 0.75; gunangles -0.25 1 2; blend 1 0 0 0.2; fov 90; rdflags 1;"
            .to_owned();
    for (n, v) in stats.iter().enumerate() {
        expected += &format!(" stats[{n}] {v};");
    }
    assert_eq!(text_of(34, CLIENT, &m), expected + " }");
    // Nothing changed.
    assert_eq!(text_of(34, CLIENT, &[0x11, 0, 0, 0, 0, 0, 0]), "playerinfo { }");
    // Stats are where their bits are: 1 and 31.
    assert_eq!(
        text_of(34, CLIENT, &[0x11, 0, 0, 2, 0, 0, 0x80, 100, 0, 0xFF, 0xFF]),
        "playerinfo { stats[1] 100; stats[31] -1; }"
    );
    // Bit 15 has no meaning up to protocol 34.
    assert_eq!(text_of(34, CLIENT, &[0x11, 0, 0x80, 0, 0, 0, 0]), "playerinfo { mask_extra 0x8000; }");
}

/// Always 256 signed shorts.
#[test]
fn inventory() {
    let mut m = vec![5];
    (0..256).for_each(|n: i16| m.extend((n * 100 - 12_800).to_le_bytes()));
    let numbers: Vec<_> = (0..256).map(|n| (n * 100 - 12_800).to_string()).collect();
    assert_eq!(text_of(34, CLIENT, &m), format!("inventory {};", numbers.join(" ")));
    assert!(refused(34, CLIENT, &m[..512]));
}

/// The size -1 says that there is no such file: nothing behind the percent. Up to protocol 31 nothing ever is.
#[test]
fn downloads() {
    for protocol in 26..=34 {
        assert_eq!(text_of(protocol, CLIENT, b"\x10\xFF\xFF\0\x06"), "download { size -1; percent 0; } nop;");
        let two = if protocol >= 32 {
            text_of(protocol, CLIENT, b"\x10\x02\0\x32\x07\x08\x06")
        } else {
            text_of(protocol, CLIENT, b"\x10\x02\0\x32\x06")
        };
        let data = if protocol >= 32 { " data 0x07 0x08;" } else { "" };
        assert_eq!(two, format!("download {{ size 2; percent 50;{data} }} nop;"), "{protocol}");
    }
}

/// Section 3.21: a client's frame has a suppress count, but in protocol 26; a server's is its number alone; Relay's
/// tells who is connected.
#[test]
fn frames() {
    const NUMBERS: &[u8] = b"\x14\x05\0\0\0\x04\0\0\0";
    let frame = |protocol, mark, rest: &[u8]| text_of(protocol, mark, &[NUMBERS, rest, &[6]].concat());
    assert_eq!(frame(26, CLIENT, &[2, 0xFF, 1]), "frame { seq1 5; seq2 4; areas 0xFF 0x01; } nop;");
    for protocol in 27..=34 {
        let text = frame(protocol, CLIENT, &[3, 2, 0xFF, 1]);
        assert_eq!(text, "frame { seq1 5; seq2 4; suppress 3; areas 0xFF 0x01; } nop;", "{protocol}");
        let text = frame(protocol, RELAY, &[3, 1, 9, 2, 0, 4]);
        assert_eq!(text, "frame { seq1 5; seq2 4; suppress 3; areas 0x09; connected 0x00 0x04; } nop;", "{protocol}");
    }
    let text = frame(26, RELAY, &[1, 9, 2, 0, 4]);
    assert_eq!(text, "frame { seq1 5; seq2 4; areas 0x09; connected 0x00 0x04; } nop;");
    for protocol in 26..=34 {
        assert_eq!(text_of(protocol, SERVER, b"\x14\x05\0\0\0\x12\0\0"), "frame { seq1 5; } packetentities { }");
    }
    // The first frame is no difference to another: -1.
    let text = text_of(34, CLIENT, b"\x14\x05\0\0\0\xFF\xFF\xFF\xFF\0\0");
    assert!(text.contains("seq2 -1;"), "{text}");
}

/// Bit 7 of a message number, in Relay's recordings alone: a client number follows, then the message.
#[test]
fn unicasts() {
    let print = b"\x8A\x03\x02hi\0";
    assert_eq!(text_of(34, RELAY, print), "unicast 3; print { level 2; string \"hi\"; }");
    assert_eq!(text_of(34, RELAY, &[0x86, 1, 6]), "unicast 1; nop; nop;");
    assert!(refused(34, CLIENT, print));
    assert!(refused(34, SERVER, print));
    // A bit is a bit: 0xFF would be the number 127, which no message has.
    assert!(refused(34, RELAY, &[0xFF, 0, 0]));
}

/// Message 19 was never used, 21 and above do not exist; types of temporary entities end with 55.
#[test]
fn what_no_engine_knows_is_kept() {
    for bytes in [&[19, 1, 2, 3][..], &[21, 0], &[0x55, 1], &[3, 56, 0, 0, 0, 0, 0, 0]] {
        assert!(refused(34, CLIENT, bytes), "{bytes:02X?}");
    }
}

/// The test release: serverdata has the number 7 there, and is followed by other numbers. Its blocks end without an
/// end mark.
#[test]
fn test_release() {
    let mut introduction = vec![7, 25, 0, 0, 0, 1, 0, 1, 0, 1];
    introduction.extend(b"\0\0\0Outer Base\0");
    let mut messages = introduction.clone();
    messages.extend(b"\x08\x21\0maps/base1.bsp\0\x06precache\n\0\x05\x02hi\0\x0C\x01\0\x02");
    // Frame 5 with two areas; complete player: flags 0x14, origin, angles, delta angles, gun 3; no stats.
    let frame = b"\x12\x05\0\0\0\x02\xFF\x01\
        \x0E\x14\0\x08\0\x10\0\x18\0\0\x40\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\
        \x10\x41\x01\x08\0\x61\x01\x01\0\x08\0\x40\0\0\x06hi\0";
    let mut file = file(&[&messages, frame]);
    file.truncate(file.len() - 4);
    let report = verify(&file[..], "x.dm2", Limits::default()).unwrap();
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound() && report.protocol == 25, "{faults:?}");
    assert_survives(&file, "x.dm2");
    let text = text(&file);
    for part in [
        "configstring { index 33; string \"maps/base1.bsp\"; } stufftext \"precache\\n\"; \
         print { level 2; string \"hi\"; } muzzleflash { entity 1; value 2; }",
        "frame { seq1 5; areas 0xFF 0x01; }",
        "test_playerinfo { origin 1 2 3; viewangles 90 0 0; delta_angles 0 0 0; gunindex 3; }",
        // Numbers stand in bits 6 to 15: 5 << 6 | origin x; then with a second word for the pitch.
        "test_packetentity { entity 5; origin_x 1; } test_packetentity { entity 5; origin_x 1; angles_1 90; }",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Levels follow each other with an empty block between, each with a serverdata of its own.
#[test]
fn levels() {
    let frame = |n: u8| [&[0x14, n, 0, 0, 0][..], &[0xFF; 4], &[0, 0], &[0x11, 0, 0, 0, 0, 0, 0, 0x12, 0, 0]].concat();
    let map = |name: &str| [b"\x0D\x21\0maps/", name.as_bytes(), b".bsp\0"].concat();
    let start = |protocol, name| [serverdata(protocol, CLIENT), map(name)].concat();
    let file = file(&[&start(34, "q2dm1"), &frame(10), &frame(25), &[], &start(33, "q2dm2"), &frame(1)]);
    assert!(verify(&file[..], "x.dm2", Limits::default()).unwrap().is_sound());
    assert_survives(&file, "x.dm2");
    assert!(text(&file).contains("} betweenblock; block {"));
    let info = qdemo::replay::info::info(&file[..], "x.dm2", Limits::default()).unwrap();
    let Facts::Dm2(facts) = info.facts else { panic!("a demo") };
    let levels: Vec<_> = facts.levels.iter().map(|l| (l.map.as_str(), l.first_frame, l.last_frame, l.frames)).collect();
    assert_eq!(levels, [("q2dm1", Some(10), Some(25), 2), ("q2dm2", Some(1), Some(1), 1)]);
    assert!(facts.ends_cleanly);
    assert_eq!((facts.dialect.protocol, facts.recorded_by()), (33, "client"));
}
