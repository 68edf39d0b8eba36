//! Facts about QuakeWorld's messages and `.qwd`, as bytes written by hand beside the text they must give.
//!
//! Sources: the QWD document 1.0.5 and its errata; id Software's QuakeWorld (`cl_parse.c`, `cl_ents.c`, `cl_demo.c`,
//! `protocol.h`), ezQuake for protocols below 28. Nothing here was taken from qdemo's output.

use qdemo::Limits;
use qdemo::format::qwd::{Message, Messages};
use qdemo::replay::info::{Facts, info};
use qdemo::verify::verify;

use super::build::{CLIENT, END, MULTIVIEW, Server, block, block_text, outside, packet, text_of_block};
use crate::common::assert_survives;

#[test]
fn messages_of_protocol_28() {
    let cases: &[(&[u8], &str)] = &[
        // Stats: one byte, or a long for what does not fit: 4096, the axe.
        (b"\x03\x00\x64", "updatestat { index 0; value 100; }"),
        (b"\x26\x0A\x00\x10\x00\x00", "updatestatlong { index 10; value 4096; }"),
        // Print: level, text.
        (b"\x08\x03Bob: hi\n\0", "print { level 3; string \"Bob: hi\\n\"; }"),
        // The document's 8 and NetQuake's 7: four bytes are skipped.
        (b"\x07\0\0\xC0\x3F", "time 1.5s;"),
        (b"\x09skins\n\0", "stufftext \"skins\\n\";"),
        // Angles are 256ths of a turn: 0x40 is 90 degrees.
        (b"\x0A\x00\x40\xC0", "setangle 0 90 -90;"),
        (b"\x0C\x01az\0", "lightstyle { style 1; string \"az\"; }"),
        (b"\x0E\x04\xFE\xFF", "updatefrags { player 4; frags -2; }"),
        // Stopsound: entity << 3 | channel: 0x2B is entity 5, channel 3.
        (b"\x10\x2B\x00", "stopsound { channel 3; entity 5; }"),
        (b"\x13\x02\x05\0\0\0\0\x04\0", "damage { save 2; take 5; origin 0 0 0.5; }"),
        (b"\x18\x01", "setpause 1;"),
        (b"\x1B", "killedmonster;"),
        (b"\x1C", "foundsecret;"),
        (b"\x21", "sellscreen;"),
        // Intermission: three coordinates and three angles, 9 bytes.
        (b"\x1E\x08\0\x10\0\x18\0\x40\x80\xC0", "intermission { origin 1 2 3; angles 90 -180 -90; }"),
        (b"\x20\x06", "cdtrack 6;"),
        (b"\x22", "smallkick;"),
        (b"\x23", "bigkick;"),
        // Ping in ms, 16 bits; packet loss in percent; seconds since a player came, negative for free slots.
        (b"\x24\x02\xE7\x03", "updateping { player 2; ping 999; }"),
        (b"\x35\x02\x19", "updatepl { player 2; loss 25; }"),
        (b"\x25\x02\0\0\x20\xC0", "updateentertime { player 2; entertime -2.5s; }"),
        (b"\x27\x03\0", "muzzleflash 3;"),
        (b"\x28\x02\x29\0\0\0\\name\\Bob\0", "updateuserinfo { player 2; user 41; string \"\\\\name\\\\Bob\"; }"),
        // Download: size, percent, bytes; size -1 for a file that is not there, without bytes.
        (b"\x29\x03\0\x64\x01\x02\x03", "download { size 3; percent 100; data 0x01 0x02 0x03; }"),
        (b"\x29\xFF\xFF\0", "download { size -1; percent 0; }"),
        (b"\x2C\x02", "choke 2;"),
        (b"\x31\0\0\xA0\x43", "maxspeed 320;"),
        (b"\x32\0\0\0\x3F", "entgravity 0.5;"),
        (b"\x33\x02team\0red\0", "setinfo { player 2; name \"team\"; value \"red\"; }"),
        (b"\x34status\0Countdown\0", "serverinfo { name \"status\"; value \"Countdown\"; }"),
        // Baseline: entity, model, frame, colours, skin, then origin and angles by turns.
        (
            b"\x16\x21\0\x02\x03\x01\x04\x08\0\x40\x10\0\0\x18\0\xC0",
            "spawnbaseline { entity 33; default_modelindex 2; default_frame 3; default_colormap 1; default_skin 4; \
             default_origin 1 2 3; default_angles 90 0 -90; }",
        ),
        (b"\x1D\x08\0\x10\0\x18\0\x07\xFF\xC0", "spawnstaticsound { origin 1 2 3; soundnum 7; vol 1; attenuation 3; }"),
        // A miss of the document: the text of a disconnect is part of it.
        (b"\x02", "disconnect;"),
    ];
    for (bytes, text) in cases {
        assert_eq!(CLIENT.text_of(bytes), *text, "{bytes:02X?}");
    }
    let end = text_of_block(&CLIENT.demo(&[END]), CLIENT.name(), 1);
    assert!(end.starts_with("disconnect") && end.contains("\"EndOfDemo\""), "{end}");
    assert!(CLIENT.text_of(b"\x29\xFF\xFF\x00").starts_with("download { size -1; percent 0;"));
}

/// Sound: bits 0 to 2 channel, 3 to 12 entity, 14 attenuation byte, 15 volume byte; the volume comes first.
#[test]
fn sound() {
    // Entity 235 << 3 | channel 2 is 0x075A; both options: 0xC75A. Volume 51/255, attenuation 128/64.
    let both = b"\x06\x5A\xC7\x33\x80\x58\x20\xE6\x40\xD9\x40\x03";
    assert_eq!(
        CLIENT.text_of(both),
        "sound { channel 2; entity 235; vol 0.2; attenuation 2; soundnum 88; origin -828 -1240 104; }"
    );
    // Bit 14 alone brings the attenuation, bit 15 alone the volume.
    let sound = |high: u8, byte: u8| CLIENT.text_of(&[6, 0x5A, high, byte, 1, 0, 0, 0, 0, 0, 0]);
    let rest = "soundnum 1; origin 0 0 0; }";
    assert_eq!(sound(0x47, 0x40), format!("sound {{ channel 2; entity 235; attenuation 1; {rest}"));
    assert_eq!(sound(0x87, 0xFF), format!("sound {{ channel 2; entity 235; vol 1; {rest}"));
    // Ten bits of entity: 1023, where QuakeWorld's own client stops at 768. Bit 13 says nothing and is kept.
    let largest = CLIENT.text_of(b"\x06\xFF\x1F\x01\0\0\0\0\0\0");
    assert_eq!(largest, format!("sound {{ channel 7; entity 1023; {rest}"));
    assert!(CLIENT.text_of(b"\x06\xFF\x3F\x01\0\0\0\0\0\0").contains("entity 1023; bit13;"));
}

/// Temporary entities: a count for gunshots and blood, entity and end for beams, else a place.
#[test]
fn temporary_entities() {
    let one = [8, 0, 8, 0, 8, 0];
    for kind in 0..=13u8 {
        let (fields, text) = match kind {
            2 | 12 => (vec![20], "count 20; origin 1 1 1;"),
            5 | 6 | 9 => (vec![3, 0], "entity 3; origin 1 1 1; trace_endpos 2 2 2;"),
            _ => (vec![], "origin 1 1 1;"),
        };
        let mut message = [&[23, kind][..], &fields, &one].concat();
        if matches!(kind, 5 | 6 | 9) {
            message.extend([16, 0, 16, 0, 16, 0]);
        }
        assert_eq!(CLIENT.text_of(&message), format!("temp_entity {{ entitytype {kind}; {text} }}"));
    }
}

/// The movement variables came with protocol 25, numbered lists with 26. All protocols end the message where it ends:
/// a print behind it is read.
#[test]
fn serverdata_of_each_protocol() {
    for protocol in 24..=28 {
        let server = Server { protocol, ..CLIENT };
        let mut messages = server.data();
        let ten = if protocol >= 25 { 40 } else { 0 };
        // id, protocol, count, "qw", slot, title.
        assert_eq!(messages.len(), 1 + 4 + 4 + 3 + 1 + 14 + ten);
        messages.extend(b"\x08\x02hello\0");
        let demo = [packet(2.0, 2, &messages), packet(3.0, 3, END)].concat();
        // The second packet is the one that `text_of_block` is made for.
        let demo = [packet(1.0, 1, &server.data()), demo].concat();
        let vars = " uk_floats 800 100 320 500 10 0.7 10 6 1 1;".replace("uk_floats", "movevars");
        let vars = if protocol >= 25 { &vars } else { "" };
        assert_eq!(
            text_of_block(&demo, "x.qwd", 1),
            format!(
                "serverdata {{ serverversion {protocol}; age 7; game \"qw\"; client 3; mapname \"The Dark Zone\";{vars} }} \
                 print {{ level 2; string \"hello\"; }}"
            )
        );
        let found = info(&demo[..], "x.qwd", Limits::default()).unwrap();
        let Facts::QuakeWorld(facts) = found.facts else { panic!("a recording of QuakeWorld") };
        assert_eq!((facts.dialect.protocol, facts.recorder, facts.spectator), (protocol, Some(3), false));
    }
    // In a multi-view recording the time of the server stands in place of the slot.
    let demo = MULTIVIEW.demo(&[END]);
    let text = text_of_block(&demo, "x.mvd", 0);
    assert!(text.contains("game \"qw\"; servertime 2.5s; mapname \"The Dark Zone\"; movevars 800"), "{text}");
    // A slot with bit 7 belongs to a spectator.
    let mut watched = CLIENT.demo(&[END]);
    let slot = 9 + 8 + 1 + 4 + 4 + 3;
    assert_eq!(watched[slot], 3);
    watched[slot] |= 0x80;
    let Facts::QuakeWorld(facts) = info(&watched[..], "x.qwd", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!((facts.recorder, facts.spectator), (Some(3), true));
}

/// No other protocol is QuakeWorld's.
#[test]
fn other_protocols_are_refused() {
    for protocol in [15u8, 23, 29] {
        let mut data = CLIENT.data();
        data[1] = protocol;
        let mut messages = Messages::new(&data, CLIENT.dialect());
        assert!(matches!(messages.next(), Some(Message::Unknown(_))));
        assert_eq!(messages.fault().unwrap().message, Some("serverdata"));
    }
}

/// Lists: up to protocol 25 strings up to an empty one, from 26 on with numbers in front and behind.
#[test]
fn lists_of_models_and_sounds() {
    let names = b"maps/dm6.bsp\0progs/player.mdl\0\0";
    for (id, list, what) in [(45u8, "modellist", "models"), (46, "soundlist", "sounds")] {
        for protocol in 24..=28 {
            let server = Server { protocol, ..CLIENT };
            let names_text = format!("{what} \"maps/dm6.bsp\" \"progs/player.mdl\";");
            if protocol < 26 {
                let message = [&[id], &names[..]].concat();
                assert_eq!(server.text_of(&message), format!("{list} {{ {names_text} }}"), "{protocol}");
            } else {
                let message = [&[id, 40], &names[..], &[42]].concat();
                let text = format!("{list} {{ first 40; {names_text} next 42; }}");
                assert_eq!(server.text_of(&message), text, "{protocol}");
            }
        }
    }
}

/// `playerinfo` of protocol 28: every flag with its field, in the order of id Software's client.
#[test]
fn playerinfo() {
    let fields = |flags: u16, data: &[u8]| {
        let head = [&[42, 5][..], &flags.to_le_bytes(), &[8, 0, 16, 0, 24, 0, 13]].concat();
        let text = CLIENT.text_of(&[&head, data].concat());
        let text = text.strip_prefix("playerinfo { player 5; ").unwrap().strip_suffix(" }").unwrap().to_owned();
        text.replace("origin 1 2 3; frame 13;", "*")
    };
    assert_eq!(fields(0, &[]), "*");
    assert_eq!(fields(1, &[77]), "* msec 77;");
    // Velocity: whole units a second. The document has eighths, which is wrong.
    assert_eq!(fields(4, &[0x40, 0x01]), "* velocity_x 320;");
    assert_eq!(fields(8, &[0xC0, 0xFE]), "* velocity_y -320;");
    assert_eq!(fields(16, &[0x0E, 0x01]), "* velocity_z 270;");
    assert_eq!(fields(0x20, &[9]), "* modelindex 9;");
    assert_eq!(fields(0x40, &[2]), "* skinnum 2;");
    // Effects, not a weapon: 8 is the dim light of a quad.
    assert_eq!(fields(0x80, &[8]), "* effects 8;");
    assert_eq!(fields(0x100, &[4]), "* weaponframe 4;");
    // No data: dead, head only, ZQuake's kinds of movement in bits 11 to 13, on ground and solid.
    assert_eq!(fields(0x200, &[]), "dead; *");
    assert_eq!(fields(0x400, &[]), "gib; *");
    assert_eq!(fields(0x2000, &[]), "pm_type 4; *");
    assert_eq!(fields(0x1800, &[]), "pm_type 3; *");
    assert_eq!(fields(0x4000, &[]), "onground; *");
    assert_eq!(fields(0x8000, &[]), "solid; *");
    // All together.
    let data = [77, 0, 13, 0x40, 0x01, 0xC0, 0xFE, 0x0E, 0x01, 9, 2, 8, 4];
    assert_eq!(
        fields(0x01FF, &data),
        "* msec 77; command_msec 13; velocity_x 320; velocity_y -320; velocity_z 270; modelindex 9; skinnum 2; \
         effects 8; weaponframe 4;"
    );
}

/// The command within `playerinfo` from protocol 27 on: sixteen bits for angles and speeds, the duration always.
#[test]
fn commands_since_protocol_27() {
    for protocol in [27, 28] {
        let server = Server { protocol, ..CLIENT };
        let command = |data: &[u8]| {
            let head = [42, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0];
            let text = server.text_of(&[&head, data].concat());
            let all = text.strip_prefix("playerinfo { player 5; origin 0 0 0; frame 0; ").unwrap();
            all.strip_suffix(" }").unwrap().to_owned()
        };
        assert_eq!(command(&[0, 13]), "command_msec 13;");
        // The bits in order: pitch, roll, forward, side, up, buttons, impulse, yaw; yaw comes second all the same.
        assert_eq!(command(&[0x01, 0x00, 0x40, 13]), "angles_1 90; command_msec 13;");
        assert_eq!(command(&[0x02, 0x00, 0x40, 13]), "angles_3 90; command_msec 13;");
        assert_eq!(command(&[0x04, 0x90, 0x01, 13]), "speed_x 400; command_msec 13;");
        assert_eq!(command(&[0x08, 0x70, 0xFE, 13]), "speed_y -400; command_msec 13;");
        assert_eq!(command(&[0x10, 0xC8, 0x00, 13]), "speed_z 200; command_msec 13;");
        assert_eq!(command(&[0x20, 3, 13]), "fire; jump; command_msec 13;");
        assert_eq!(command(&[0x40, 7, 13]), "impulse 7; command_msec 13;");
        assert_eq!(command(&[0x80, 0x00, 0xC0, 13]), "angles_2 -90; command_msec 13;");
        let all = [0xFF, 0, 0x40, 0, 0xC0, 0, 0x20, 1, 0, 2, 0, 3, 0, 1, 7, 13];
        assert_eq!(
            command(&all),
            "angles_1 90; angles_2 -90; angles_3 45; speed_x 1; speed_y 2; speed_z 3; fire; impulse 7; command_msec 13;"
        );
    }
}

/// Up to protocol 26 speeds are signed bytes (in units of 8), the yaw is always there, and bit 7 is the duration.
#[test]
fn commands_up_to_protocol_26() {
    for protocol in 24..=26 {
        let server = Server { protocol, ..CLIENT };
        let command = |data: &[u8]| {
            let head = [42, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0];
            let text = server.text_of(&[&head, data].concat());
            let all = text.strip_prefix("playerinfo { player 5; origin 0 0 0; frame 0; ").unwrap();
            all.strip_suffix(" }").unwrap().to_owned()
        };
        assert_eq!(command(&[0, 0x00, 0x40]), "angles_2 90;");
        assert_eq!(command(&[0x80, 0x00, 0x40, 13]), "angles_2 90; command_msec 13;");
        // Forward 400 is 50, backward 400 is the byte 206.
        assert_eq!(command(&[0x04, 0x00, 0x40, 50]), "angles_2 90; speed_x 50;");
        assert_eq!(command(&[0x0C, 0x00, 0x40, 206, 127]), "angles_2 90; speed_x -50; speed_y 127;");
        assert_eq!(
            command(&[0xFF, 0, 0x40, 0, 0xC0, 0, 0x20, 1, 2, 128, 1, 7, 13]),
            "angles_1 90; angles_2 -90; angles_3 45; speed_x 1; speed_y 2; speed_z -128; fire; impulse 7; command_msec 13;"
        );
    }
}

/// Entities of a packet: the number in nine bits of the word, fields behind it, the word 0 at the end.
#[test]
fn packet_entities() {
    let entity = |data: &[u8]| {
        let text = CLIENT.text_of(&[&[47], data, &[0, 0]].concat());
        let all = text.strip_prefix("packetentities { packetentity { ").unwrap();
        all.strip_suffix(" } }").unwrap().to_owned()
    };
    // Bits 9 to 13: three coordinates, yaw, frame.
    assert_eq!(entity(b"\x21\x02\x08\0"), "entity 33; origin_x 1;");
    assert_eq!(entity(b"\x21\x04\x08\0"), "entity 33; origin_y 1;");
    assert_eq!(entity(b"\x21\x08\x08\0"), "entity 33; origin_z 1;");
    assert_eq!(entity(b"\x21\x10\x40"), "entity 33; angles_2 90;");
    assert_eq!(entity(b"\x21\x20\x05"), "entity 33; frame 5;");
    // Bit 14: the entity is gone; the number has nine bits: 511.
    assert_eq!(entity(b"\xFF\x41"), "entity 511; remove;");
    // Bit 15: a second byte with pitch, roll, model, colours, skin, effects, and the solid bit without data.
    assert_eq!(entity(b"\x21\x80\x01\x40"), "entity 33; angles_1 90;");
    assert_eq!(entity(b"\x21\x80\x02\x40"), "entity 33; angles_3 90;");
    assert_eq!(entity(b"\x21\x80\x04\x09"), "entity 33; modelindex 9;");
    assert_eq!(entity(b"\x21\x80\x08\x01"), "entity 33; colormap 1;");
    assert_eq!(entity(b"\x21\x80\x10\x02"), "entity 33; skin 2;");
    assert_eq!(entity(b"\x21\x80\x20\x40"), "entity 33; effects 64;");
    assert_eq!(entity(b"\x21\x80\x40"), "entity 33; solid;");
    // The order on the wire: model, frame, colours, skin, effects, then coordinates and angles by turns.
    let all = b"\x21\xBE\x7F\x09\x05\x01\x02\x40\x08\0\x40\x10\0\x80\x18\0\xC0";
    let text = entity(all);
    for part in [
        "modelindex 9;",
        "frame 5;",
        "colormap 1;",
        "skin 2;",
        "effects 64;",
        "origin_x 1;",
        "angles_1 90;",
        "origin_y 2;",
        "angles_2 -180;",
        "origin_z 3;",
        "angles_3 -90;",
        "solid;",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // Without extensions nothing follows a removal, whatever its other bits say.
    assert!(entity(b"\x21\xC0").starts_with("entity 33; remove;"));
    // A delta has in front the low byte of the packet that it refers to.
    let text = CLIENT.text_of(b"\x30\x07\x21\x20\x05\x22\x40\0\0");
    assert_eq!(
        text,
        "deltapacketentities { frame 7; packetentity { entity 33; frame 5; } packetentity { entity 34; remove; } }"
    );
    assert_eq!(CLIENT.text_of(b"\x2F\0\0"), "packetentities { }");
}

/// Nails in six bytes: three times twelve bits, in even units from -4096; the pitch in four bits without a sign.
#[test]
fn nails() {
    // x 0x800 is 0, y 0x801 is 2, z 0xFFF is 4094; pitch 4 of 16 is 90 degrees, yaw 0x40 of 256.
    let bytes = [0x00, 0x18, 0x80, 0xFF, 0x4F, 0x40];
    let nail = "nail { origin 0 2 4094; angles_1 90; angles_2 90; }";
    assert_eq!(CLIENT.text_of(&[&[43, 1], &bytes[..]].concat()), format!("nails {{ {nail} }}"));
    // Pitch 15 is 337.5 degrees, not -22.5. All twelve bits 0: -4096.
    let steep = [0, 0, 0, 0, 0xF0, 0];
    let text = "nail { origin -4096 -4096 -4096; angles_1 337.5; angles_2 0; }";
    assert_eq!(CLIENT.text_of(&[&[43, 2], &bytes[..], &steep].concat()), format!("nails {{ {nail} {text} }}"));
    // In multi-view recordings with a number in front.
    let numbered = nail.replace("{ origin", "{ id 200; origin");
    assert_eq!(MULTIVIEW.text_of(&[&[54, 1, 200], &bytes[..]].concat()), format!("nails2 {{ {numbered} }}"));
}

/// A block of each kind. The words in front of a packet's messages have a bit of their own: reliable.
#[test]
fn kinds_of_blocks() {
    let numbers = [0x18, 0x13, 0x01, 0x00, 0x16, 0x13, 0x01, 0x00];
    let command = [
        &[13, 0, 0, 0][..],
        &[10.0f32, 90.0, 0.0].map(f32::to_le_bytes).concat(),
        &[400i16, -350, 0].map(i16::to_le_bytes).concat(),
        &[3, 7],
        &[11.0f32, 91.0, 0.5].map(f32::to_le_bytes).concat(),
    ]
    .concat();
    assert_eq!(command.len(), 36);
    let live = [&0x8001_1318u32.to_le_bytes()[..], &0x8001_1316u32.to_le_bytes(), b"\x01"].concat();
    let mut demo = packet(1.0, 1, &CLIENT.data());
    demo.extend(block(1.0, 2, &numbers));
    demo.extend(block(1.25, 0, &command));
    demo.extend(block(1.5, 1, &live));
    demo.extend(outside(2, b"EndOfDemo\0"));
    assert_eq!(block_text(&demo, "x.qwd", 1), "time 1s; seq1 70424; seq2 70422;");
    assert_eq!(
        block_text(&demo, "x.qwd", 2),
        "time 1.25s; msec 13; angles 10 90 0; speed 400 -350 0; fire; jump; impulse 7; viewangles 11 91 0.5;"
    );
    let reliable = block_text(&demo, "x.qwd", 3);
    assert_eq!(reliable, "time 1.5s; seq1 70424; seq2 70422; reliable 1 2; nop;");
    assert!(verify(&demo[..], "x.qwd", Limits::default()).unwrap().ends_cleanly);
}

/// Packets outside the game: FFFFFFFF, a letter, and a text for some.
#[test]
fn connectionless_packets() {
    let cases: [(u8, &[u8], &[&str]); 10] = [
        (b'c', b"123456\0", &["challenge \"123456\";"]),
        (b'j', b"", &["connect;"]),
        (b'k', b"", &["ping;"]),
        (b'n', b"print this\n\0", &["console \"print this\\n\";"]),
        (b'B', b"toggleconsole\0", &["client_command \"toggleconsole\";"]),
        (2, b"EndOfDemo\0", &["disconnect \"EndOfDemo\";"]),
        // Letters without a text of their own: the number, and bytes if there are any.
        (b'l', b"", &["id 0x6C;"]),
        (b'm', b"", &["id 0x6D;"]),
        (b'e', b"echo\0", &["id 0x65;", "data 0x65 0x63 0x68 0x6F 0x00;"]),
        // FTE's chunked downloads come as a text that is none: "\chunk", number, bytes.
        (b'n', b"\\chunk\x05\0\0\0\xAA", &["id 0x6E;", "0x05 0x00 0x00 0x00 0xAA;"]),
    ];
    for (kind, data, parts) in cases {
        let mut demo = [CLIENT.demo(&[]), outside(kind, data)].concat();
        // A disconnect ends the recording itself.
        if kind != 2 {
            demo.extend(packet(2.0, 2, END));
        }
        let text = block_text(&demo, "x.qwd", 1);
        assert!(text.starts_with("time 1s; connless {"), "{text}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{part} in {text}"));
    }
}

/// A client prints such a text as it comes (`CL_ConnectionlessPacket` of QuakeWorld's client); it tells nothing of the game.
#[test]
fn text_for_the_console_is_a_text() {
    use qdemo::analysis::texts::{TextTag, texts};
    let outsides = [
        outside(b'n', b"map: dm3\n\0"),
        outside(b'n', b"\\chunk\x05\0\0\0\xAA"),
        outside(b'B', b"toggleconsole\0"),
        outside(b'n', b"The match has begun!\n\0"),
    ];
    let demo = [CLIENT.demo(&[]), outsides.concat(), packet(2.0, 2, END)].concat();
    let mut told = Vec::new();
    let mut each = |text: &qdemo::analysis::texts::Text| {
        told.push((text.block, text.kind, text.print_level, text.text.clone()));
        Ok(())
    };
    texts(&demo[..], "x.qwd", Limits::default(), &mut each).unwrap();
    told.retain(|(_, kind, ..)| *kind == TextTag::Print);
    let print = |block: u64, text: &str| (block, TextTag::Print, None, text.to_owned());
    assert_eq!(told, [print(1, "map: dm3\n"), print(4, "The match has begun!\n")]);
    let mut kinds = Vec::new();
    let mut each = |event: &qdemo::event::Event| {
        kinds.push(event.kind.tag().name());
        Ok(())
    };
    qdemo::replay::events(&demo[..], "x.qwd", Limits::default(), &mut each).unwrap();
    kinds.retain(|kind| *kind != "level");
    assert_eq!(kinds, ["print", "print"]);
}

/// What stands behind the end is kept: more blocks as blocks, which players never reach (`CL_ConnectionlessPacket`: "End of
/// demo"), else as a trailer, which is no damage.
#[test]
fn bytes_behind_the_end() {
    let clean = CLIENT.demo(&[b"\x01", END]);
    let more = [&clean[..], &packet(9.0, 9, b"\x01"), &packet(10.0, 10, b"\x01")].concat();
    let report = verify(&more[..], "x.qwd", Limits::default()).unwrap();
    assert!(!report.is_sound());
    assert_eq!((report.faults.count(), report.blocks), (1, 5), "{:?}", report.faults);
    assert_survives(&more, "x.qwd");
    for tail in [&b"\xFF\xFF\xFF"[..], b"left over in memory, long enough for a header"] {
        let demo = [&clean[..], tail].concat();
        let report = verify(&demo[..], "x.qwd", Limits::default()).unwrap();
        assert!(report.is_sound() && report.ends_cleanly, "{:?}", report.faults);
        assert_survives(&demo, "x.qwd");
        let Facts::QuakeWorld(facts) = info(&demo[..], "x.qwd", Limits::default()).unwrap().facts else { panic!() };
        assert_eq!(facts.trailer_bytes, tail.len() as u64);
    }
    // The same bytes without an end in front are damage.
    let cut = [&CLIENT.demo(&[b"\x01"])[..], b"\xFF\xFF\xFF"].concat();
    assert!(!verify(&cut[..], "x.qwd", Limits::default()).unwrap().is_sound());
}

/// Holes in the numbers are lost packets; the jump from a recorder's own packets to the game's is none.
#[test]
fn lost_packets_are_counted() {
    let mut demo = packet(1.0, 1, &CLIENT.data());
    for number in [2, 70_000, 70_001, 70_004, 70_005] {
        demo.extend(packet(2.0, number, b"\x01"));
    }
    let Facts::QuakeWorld(facts) = info(&demo[..], "x.qwd", Limits::default()).unwrap().facts else { panic!() };
    assert_eq!(facts.lost_packets, 2);
    assert!(!facts.ends_cleanly);
}
