//! Facts about Quake III's protocols, as bits written by hand beside the text they must give: above all what no
//! recording has.
//!
//! Sources: the format document for protocols 66 to 68, id Software's `msg.c` and `cl_parse.c`, ioquake3, OpenArena and
//! wolfcam for the rest. The bits come from a writer of the tests' own. Nothing here was taken from qdemo's output.

use super::packet;
use crate::common::assert_survives;
use crate::common::quake3::{Bits, ESCAPE, Protocol, masks, protocol, protocols};
use qdemo::format::dm3::{Array, Change, Dialect, FieldValue, Message};
use qdemo::game::quake3::{Command, Configstrings};
use qdemo::text::{Options, Style, decompile_bytes};
use qdemo::{Limits, verify::verify};

/// What stands in the second block of a demo: white space folded, comments left out, from behind the head on.
fn text_of(p: &Protocol, payload: Vec<u8>) -> String {
    let file = p.demo(&[payload]);
    let name = p.file_name();
    let report = verify(&file[..], &name, Limits::default()).unwrap();
    assert_eq!((report.different, report.protocol), (0, p.number));
    assert_survives(&file, &name);
    let text = String::from_utf8(decompile_bytes(&file, &name, &Options::default()).unwrap()).unwrap();
    let block = text.split("\nblock {").nth(2).unwrap().split("\nendblock").next().unwrap();
    let lines: Vec<_> = block.lines().map(|l| l.split(" // ").next().unwrap().trim()).collect();
    // The comment, sequence, and where the protocol has it there, rel_ack.
    let body = lines[2 + usize::from(p.ack_first())..].join(" ");
    body.strip_suffix(" }").unwrap_or(&body).trim().to_owned()
}

/// The text of messages whose bits `make` writes, in a block that is closed as usual.
fn message(number: i32, make: impl FnOnce(&mut Bits)) -> String {
    let p = protocol(number);
    let mut b = p.head(77);
    make(&mut b);
    let payload = p.closed(b);
    let (_, fault) = packet(&payload, Dialect::by_protocol(number).unwrap());
    assert!(fault.is_none(), "{fault:?}");
    text_of(p, payload)
}

/// The beginning of a snapshot: time 1000, difference to 1 back, no flags, no areas.
fn snapshot(b: &mut Bits, p: &Protocol) {
    b.int(7, 8);
    if !p.ack_first() {
        b.int(77, 32);
    }
    b.int(1000, 32).int(1, 8).int(0, 8).int(0, 8);
}

/// The bits of the smallest player state: from 66 on a count of 0 and no arrays; before, a bit for each field and array.
fn no_player(b: &mut Bits, p: &Protocol) {
    if p.is_new() {
        b.int(0, 8).raw(0, 1);
    } else {
        b.raw(0, p.player.len() as u32).raw(0, 4);
    }
}

/// The text of a snapshot's state of the player, written by `make` behind the snapshot's head.
fn player(number: i32, make: impl FnOnce(&mut Bits)) -> String {
    let p = protocol(number);
    let text = message(number, |b| {
        snapshot(b, p);
        make(b);
        b.int(1023, 10);
    });
    let text = text.split_once("areamask; ").unwrap().1;
    text.strip_suffix(" entities; }").unwrap().to_owned()
}

/// The text of a snapshot's list of entities.
fn entities(number: i32, make: impl FnOnce(&mut Bits)) -> String {
    let p = protocol(number);
    let text = message(number, |b| {
        snapshot(b, p);
        no_player(b, p);
        make(b);
        b.int(1023, 10);
    });
    let text = text.split_once("player; entities").unwrap().1;
    text.trim_start_matches([' ', '{']).trim_end_matches(['}', ' ']).to_owned()
}

fn has_arrays(b: &mut Bits) -> &mut Bits {
    b.int(0, 8).raw(1, 1)
}

/// Facts 1.3: short block; in block 0 a long size, negative with a reason; else a short and so many bytes.
#[test]
fn downloads() {
    for number in [48, 68, 91] {
        let part = message(number, |b| {
            b.int(6, 8).int(3, 16).int(4, 16).data(&[1, 2, 0xFE, 0xFF]);
        });
        assert_eq!(part, "download { block 3; data 0x01 0x02 0xFE 0xFF; }");
        let first = message(number, |b| {
            b.int(6, 8).int(0, 16).int(100_000, 32).int(2, 16).data(&[7, 8]);
        });
        assert_eq!(first, "download { block 0; size 100000; data 0x07 0x08; }");
        let refused = message(number, |b| {
            b.int(6, 8).int(0, 16).int(-1, 32).text(b"no such file");
        });
        assert_eq!(refused, "download { block 0; size -1; reason \"no such file\"; }");
        // The last part is empty.
        let last = message(number, |b| {
            b.int(6, 8).int(0xFFFF, 16).int(0, 16);
        });
        assert_eq!(last, "download { block 65535; data; }");
    }
}

/// Facts 1.3: three kinds of voice. ioquake3 and OpenArena have messages 9 and 10 with two flags; old ioquake3 hides 10
/// behind 9 behind the end of message, without flags.
#[test]
fn voice() {
    for (id, name) in [(9, "voipSpeex"), (10, "voipOpus")] {
        for number in [70, 71] {
            let text = message(number, |b| {
                b.int(id, 8).int(5, 16).int(2, 8).int(-9, 32).int(3, 8).int(2, 16).raw(2, 2).data(&[0xAB, 0]);
            });
            let body = "sender 5; generation 2; sequence -9; frames 3; flags 2; data 0xAB 0x00;";
            assert_eq!(text, format!("{name} {{ {body} }}"));
        }
    }
    for number in [66, 68, 71, 91] {
        let text = message(number, |b| {
            b.int(8, 8).int(9, 8).int(10, 8);
            b.int(5, 16).int(2, 8).int(-9, 32).int(3, 8).int(2, 16).data(&[0xAB, 0]);
        });
        let body = "id 10; sender 5; generation 2; sequence -9; frames 3; data 0xAB 0x00;";
        assert_eq!(text, format!("eof; extension {{ {body} }}"));
    }
    // The older protocols have no such messages, and 68 has them nowhere else.
    for number in [48, 68] {
        let p = protocol(number);
        let mut b = p.head(77);
        b.int(9, 8).int(5, 16);
        let bytes = b.bytes();
        let (_, fault) = packet(&bytes, Dialect::by_protocol(number).unwrap());
        let fault = fault.unwrap();
        assert_eq!(fault.fault.to_string(), "unknown message 0x09");
    }
}

/// Facts 1.6: a CPMA server on ioquake3 ends its messages twice. Behind them the usual bit or byte.
#[test]
fn two_ends_of_message() {
    let p = protocol(68);
    let mut b = p.head(77);
    b.int(1, 8).int(8, 8);
    assert_eq!(text_of(p, p.closed(b)), "nop; eof;");
    // The same bits where the first end fills up a byte may be memory: they are kept either way.
    let mut b = p.head(77);
    while b.bits.len() % 8 != 3 {
        b.int(1, 8);
    }
    b.int(8, 8).int(8, 8);
    assert!(text_of(p, b.bytes()).ends_with("nop; tail 0x15;"));
}

/// Facts 1.6: bytes used are (bits >> 3) + 1, so a message that ends with a byte is followed by one of memory.
#[test]
fn the_byte_of_memory() {
    let p = protocol(68);
    let mut b = p.head(77);
    while b.bits.len() % 8 != 3 {
        b.int(1, 8);
    }
    b.int(8, 8).raw(0xC5, 8);
    assert!(text_of(p, b.bytes()).ends_with("nop; tail 0xC5;"));
    // As 0 it is what everybody writes, and not mentioned.
    let mut b = p.head(77);
    b.int(1, 8);
    assert_eq!(text_of(p, p.closed(b)), "nop;");
    // A writer that leaves it out.
    let mut b = p.head(77);
    while b.bits.len() % 8 != 3 {
        b.int(1, 8);
    }
    b.int(8, 8);
    assert!(text_of(p, b.bytes()).ends_with("nop; tail;"));
}

/// A block that just ends: its messages count, and the text says that it is not closed.
#[test]
fn a_block_without_an_end() {
    let p = protocol(68);
    let mut b = p.head(77);
    b.int(5, 8).int(1, 32).text(b"x");
    let fill = b.bits.len() % 8;
    let bytes = b.bytes();
    let (read, fault) = packet(&bytes, Dialect::QUAKE3);
    assert!(fault.is_some() && !read.contents.closed);
    assert!(matches!(&read.messages[0], Message::ServerCommand(c) if c.seq == 1 && c.value.0 == b"x"));
    assert_ne!(fill, 0);
    let text = text_of(p, b.bytes());
    assert_eq!(text, "serverCommand { seq 1; value \"x\"; } unknown { id 0x00; } unclosed;");
    // Up to protocol 48 that is how blocks are; a message 0 ends them too.
    let old = protocol(48);
    let mut b = old.head(77);
    b.int(1, 8).int(0, 8);
    assert_eq!(text_of(old, b.bytes()), "nop; closed;");
    // 8 is no message there: what ends blocks since 66 was not thought of.
    let mut b = old.head(77);
    b.int(8, 8);
    let bytes = b.bytes();
    let (_, fault) = packet(&bytes, Dialect::by_protocol(48).unwrap());
    assert_eq!(fault.unwrap().fault.to_string(), "unknown message 0x08");
    assert_eq!(text_of(old, b.bytes()), "unknown { id 0x08; }");
}

/// Facts 1.4: ammo and the other slots of 16 bits are signed, powerups have 32.
#[test]
fn arrays() {
    let text = player(68, |b| {
        has_arrays(b);
        b.raw(1, 1).int(0b1000_0000_0000_0001, 16).int(-5, 16).int(125, 16);
        b.raw(1, 1).int(1, 16).int(-9999, 16);
        b.raw(1, 1).int(4, 16).int(-1, 16);
        b.raw(1, 1).int(2, 16).int(-1, 32);
    });
    let slots = "stats[0] -5; stats[15] 125; persistant[0] -9999; ammo[2] -1; powerups[1] -1;";
    assert_eq!(text, format!("player {{ {slots} }}"));
    // The bit for any of them, and then none; an array without a slot.
    let text = player(68, |b| {
        has_arrays(b).raw(0, 4);
    });
    assert_eq!(text, "player { arrays 0x10; }");
    let text = player(68, |b| {
        has_arrays(b).raw(0, 2).raw(1, 1).int(0, 16).raw(0, 1);
    });
    assert_eq!(text, "player { arrays 0x14; }");
    // Facts 2.3: protocols 43 to 48 have no bit for any of them.
    for number in [43, 46, 48] {
        let p = protocol(number);
        let text = player(number, |b| {
            b.raw(0, p.player.len() as u32).raw(0, 2).raw(1, 1).int(1 << 15, 16).int(-1, 16).raw(0, 1);
        });
        assert_eq!(text, "player { ammo[15] -1; }", "{number}");
    }
}

/// Facts 1.4 on floats: 13 bits for whole numbers from -4096 to 4095, 32 for others; the long form of a short one is
/// noted. The negative zero has no short form.
#[test]
fn floats() {
    // velocity[0] is the fifth field of the player in 66 to 73.
    let velocity = |bits: u32, long: bool| {
        player(68, |b| {
            b.int(5, 8).raw(0, 4).raw(1, 1).float(bits, long).raw(0, 1);
        })
    };
    assert_eq!(velocity(320f32.to_bits(), false), "player { velocity[0] 320; }");
    assert_eq!(velocity(320f32.to_bits(), true), "player { velocity[0] 320; long 0x10; }");
    assert_eq!(velocity((-4096f32).to_bits(), true), "player { velocity[0] -4096; long 0x10; }");
    assert_eq!(velocity(4095f32.to_bits(), true), "player { velocity[0] 4095; long 0x10; }");
    for (value, text) in [(4096f32, "4096"), (-4097.0, "-4097"), (0.5, "0.5"), (-0.0, "-0")] {
        assert_eq!(velocity(value.to_bits(), true), format!("player {{ velocity[0] {text}; }}"));
    }
    assert_eq!(velocity(0x7FC0_0001, true), "player { velocity[0] f32(0x7FC00001); }");
    // -4096 is 0 in its 13 bits, 4095 is 8191.
    let raw = |short: i32| {
        player(68, |b| {
            b.int(5, 8).raw(0, 4).raw(1, 1).raw(0, 1).int(short, 13).raw(0, 1);
        })
    };
    assert_eq!((raw(0), raw(8191)), ("player { velocity[0] -4096; }".into(), "player { velocity[0] 4095; }".into()));
}

/// Facts 1.4 on entities: a bit for zero; a count that reaches beyond the last field sent.
#[test]
fn entity_deltas() {
    let one = |make: fn(&mut Bits)| {
        entities(68, |b| {
            b.int(300, 10).raw(0, 1).raw(1, 1);
            make(b);
        })
    };
    // pos.trTime (32 bits), then pos.trBase[0]: 0 in one bit, in 13 bits, in 32.
    assert_eq!(one(|b| drop(b.int(1, 8).raw(1, 1).raw(0, 1).clone())), "entity { index 300; pos.trTime 0;");
    let zero = |make: fn(&mut Bits)| {
        let mut b = protocol(68).bits();
        b.int(2, 8).raw(0, 1).raw(1, 1);
        make(&mut b);
        entities(68, |all| {
            all.int(300, 10).raw(0, 1).raw(1, 1);
            all.bits.extend(&b.bits);
        })
    };
    assert_eq!(zero(|b| drop(b.raw(0, 1).clone())), "entity { index 300; pos.trBase[0] 0;");
    let short = zero(|b| drop(b.raw(1, 1).float(0, false).clone()));
    assert_eq!(short, "entity { index 300; pos.trBase[0] 0; unzero 0x02;");
    let long = zero(|b| drop(b.raw(1, 1).float(0, true).clone()));
    assert_eq!(long, "entity { index 300; pos.trBase[0] 0; unzero 0x02; long 0x02;");
    assert_eq!(one(|b| drop(b.int(51, 8).raw(0, 51).clone())), "entity { index 300; count 51;");
    assert_eq!(one(|b| drop(b.int(0, 8).clone())), "entity { index 300; nothing;");
    // eFlags have 19 bits, three of them plain and two codes: the ninth field behind ten and eight others.
    let place = protocol(68).entity.iter().position(|f| *f == ("eFlags", 19)).unwrap();
    let flags = entities(68, |b| {
        b.int(0, 10).raw(0, 1).raw(1, 1).int(place as i32 + 1, 8);
        b.raw(0, place as u32).raw(1, 1).raw(1, 1).int(0x7_FFFF, 19);
    });
    assert_eq!(flags, "entity { index 0; eFlags 524287;");
    // Removed, and new exactly as its baseline.
    let both = entities(68, |b| {
        b.int(1022, 10).raw(1, 1).int(3, 10).raw(0, 2);
    });
    assert_eq!(both, "entity { index 1022; remove; } entity { index 3;");
}

/// Facts 2.3: each of the 31 built-in masks, with all fields 0, by its number; and spelled out behind 31.
#[test]
fn masks_of_old_protocols() {
    for number in [43, 45, 46, 47, 48] {
        let p = protocol(number);
        for (n, mask) in masks().iter().enumerate() {
            let fields: Vec<_> = p.entity.iter().filter(|f| mask.contains(&f.0)).collect();
            assert_eq!(fields.len(), mask.len());
            // A zero is sent in full: there is no bit for it.
            let values = |b: &mut Bits| {
                for (_, bits) in &fields {
                    match bits {
                        0 => b.float(0, false),
                        bits => b.int(0, u32::from(bits.unsigned_abs())),
                    };
                }
            };
            let shown: String = fields.iter().map(|(name, _)| format!(" {name} 0;")).collect();
            let numbered = entities(number, |b| {
                b.int(9, 10).raw(0, 1).raw(1, 1).raw(n as u64, 5);
                values(b);
            });
            assert_eq!(numbered, format!("entity {{ index 9;{shown}"), "{number} mask {n}");
            let bits = p.entity.iter().rev().fold(0u64, |all, f| all << 1 | u64::from(mask.contains(&f.0)));
            let spelled = entities(number, |b| {
                b.int(9, 10).raw(0, 1).raw(1, 1).raw(31, 5).raw(bits, p.entity.len() as u32);
                values(b);
            });
            assert_eq!(spelled, format!("entity {{ index 9;{shown} mask 31;"), "{number} mask {n}");
        }
    }
}

/// Facts 2.2: where 43 to 48 differ from each other, in a player who has every field at its highest or lowest value.
#[test]
fn widths_of_old_protocols() {
    let full = |number: i32| {
        let p = protocol(number);
        player(number, |b| {
            for (_, bits) in &p.player {
                b.raw(1, 1);
                match bits {
                    0 => b.float(1f32.to_bits(), false),
                    bits => b.int(-1, u32::from(bits.unsigned_abs())),
                };
            }
            b.raw(0, 4);
        })
    };
    let cases: [(i32, &[&str], &[&str]); 4] = [
        (
            43,
            &["pm_time 65535", "weaponTime 65535", "externalEvent 255", "viewheight 255"],
            &["jumppad_ent", "generic1"],
        ),
        (
            46,
            &["pm_time 65535", "weaponTime 65535", "externalEvent 1023", "viewheight -1", "loopSound 65535"],
            &["generic1"],
        ),
        (47, &["pm_time -1", "weaponTime -1", "externalEvent 1023", "viewheight -1", "generic1 255"], &[]),
        (48, &["pm_time -1", "weaponTime -1", "jumppad_ent 1023", "loopSound 65535", "generic1 255"], &[]),
    ];
    for (number, has, lacks) in cases {
        let text = full(number);
        assert_eq!(text.matches(';').count(), protocol(number).player.len(), "{number}: {text}");
        has.iter().for_each(|part| assert!(text.contains(&format!(" {part};")), "{number} {part}: {text}"));
        lacks.iter().for_each(|part| assert!(!text.contains(part), "{number} {part}: {text}"));
    }
}

/// Facts 2.3: where a message stands in 43 to 48: aligned to bytes, with the acknowledged command in front of the block,
/// or in the snapshot in 43 and 45.
#[test]
fn blocks_of_old_protocols() {
    // By hand, byte for byte: command 5 in 46 and 47; long 77, byte 5, long 3, "hi", NUL.
    for number in [46, 47] {
        let payload = b"\x4D\0\0\0\x05\x03\0\0\0hi\0".to_vec();
        assert_eq!(text_of(protocol(number), payload), "serverCommand { seq 3; value \"hi\"; }");
    }
    // In 43 the same without the long; then a snapshot with it.
    let payload = b"\x05\x03\0\0\0hi\0".to_vec();
    assert_eq!(text_of(protocol(43), payload), "serverCommand { seq 3; value \"hi\"; }");
    let text = message(43, |b| {
        snapshot(b, protocol(43));
        no_player(b, protocol(43));
        b.int(1023, 10).align().int(1, 8);
    });
    let head = "rel_ack 77; serverTime 1000; deltaNum 1; snapFlags 0; areamask;";
    assert_eq!(text, format!("snapshot {{ {head} player; entities; }} nop;"));
    // A gamestate ends with 0, has no client number, and its items are not aligned.
    let text = message(46, |b| {
        b.int(2, 8).int(-1, 32);
        b.int(4, 8).int(1, 10).raw(0, 1).raw(0, 1);
        b.int(3, 8).int(20, 16).text(b"baseq3-1").int(0, 8);
    });
    let items = "baseline { entity { index 1; } } configstring { index 20; value \"baseq3-1\"; }";
    assert_eq!(text, format!("gamestate {{ serverCommandSequence -1; {items} }}"));
}

/// Facts 2.2: the tables of every protocol: names in the order of the wire, widths, signs.
#[test]
fn tables() {
    assert_eq!(
        protocols().map(|p| p.number).collect::<Vec<_>>(),
        Dialect::all().iter().map(|d| d.protocol).collect::<Vec<_>>()
    );
    for p in protocols() {
        let layout = Dialect::by_protocol(p.number).unwrap().layout;
        for (table, facts) in [(&layout.entity, &p.entity), (&layout.player, &p.player)] {
            let sign = |signed: bool, bits: u8| if signed { -(bits as i8) } else { bits as i8 };
            let ours: Vec<_> = table.fields().iter().map(|f| (f.name.text, sign(f.signed, f.bits))).collect();
            assert_eq!(ours, *facts, "{}", p.number);
        }
    }
}

/// Facts 1.6: the code of every byte, and the escape, which no stream in step holds.
#[test]
fn codes() {
    let p = protocol(68);
    let all: Vec<u8> = (1..=255).collect();
    let mut b = p.head(0);
    b.int(5, 8).int(1, 32).text(&all);
    let bytes = p.closed(b);
    let (read, fault) = packet(&bytes, Dialect::QUAKE3);
    assert!(fault.is_none());
    assert!(matches!(&read.messages[0], Message::ServerCommand(c) if c.value.0 == all));
    let mut b = p.head(0);
    b.int(5, 8).code(ESCAPE).raw(0, 30);
    let bytes = b.bytes();
    let (_, fault) = packet(&bytes, Dialect::QUAKE3);
    let fault = fault.unwrap();
    assert!(fault.fault.to_string().contains("out of step"), "{}", fault.fault);
}

/// The typed API gives what was sent: players, arrays, entities.
#[test]
fn typed_values() {
    let p = protocol(91);
    let mut b = p.head(5);
    snapshot(&mut b, p);
    // Player: viewheight -8 alone; ammo 2 without end. Entity 7: health 300, location 255.
    let place = |fields: &[(&str, i8)], name| fields.iter().position(|f| f.0 == name).unwrap() as u32;
    let view = place(&p.player, "viewheight");
    b.int(view as i32 + 1, 8).raw(0, view).raw(1, 1).int(-8, 8);
    b.raw(1, 1).raw(0, 2).raw(1, 1).int(4, 16).int(-1, 16).raw(0, 1);
    let health = place(&p.entity, "health");
    b.int(7, 10).raw(0, 1).raw(1, 1).int(health as i32 + 3, 8).raw(0, health);
    b.raw(3, 2).int(300, 16).raw(0, 1).raw(3, 2).int(255, 8);
    b.int(8, 10).raw(1, 1).int(1023, 10);
    let bytes = p.closed(b);
    let (read, fault) = packet(&bytes, Dialect::by_protocol(91).unwrap());
    assert!(fault.is_none());
    assert_eq!(read.contents.rel_ack, Some(5));
    let Message::Snapshot(s) = &read.messages[0] else { panic!("a snapshot") };
    let player: Vec<_> = s.player().iter().map(|(f, v)| (f.name.text, v)).collect();
    assert_eq!(player, [("viewheight", FieldValue::Int(-8))]);
    assert_eq!(s.arrays().collect::<Vec<_>>(), [(Array::Ammo, 2, -1)]);
    let entities: Vec<_> = s.entities().collect();
    let Change::Fields(state) = entities[0].change else { panic!("fields") };
    let fields: Vec<_> = state.iter().map(|(f, v)| (f.name.text, v)).collect();
    assert_eq!(fields, [("health", FieldValue::Int(300)), ("location", FieldValue::Int(255))]);
    assert!(matches!((entities.len(), entities[1].number, entities[1].change), (2, 8, Change::Remove)));
}

/// JSON tells the same values under the same names.
#[test]
fn json_values() {
    let p = protocol(68);
    let mut b = p.head(5);
    snapshot(&mut b, p);
    b.int(5, 8).raw(0, 4).raw(1, 1).float(0x7FC0_0001, true);
    b.raw(1, 1).raw(0, 2).raw(1, 1).int(4, 16).int(-1, 16).raw(0, 1);
    b.int(7, 10).raw(1, 1).int(1023, 10);
    let json = decompile_bytes(&p.demo(&[p.closed(b)]), "x", &Options::with_style(Style::Json)).unwrap();
    let line = json.split(|&b| b == b'\n').nth(2).unwrap();
    let block: serde_json::Value = serde_json::from_slice(line).unwrap();
    let expected = serde_json::json!({
        "piece": "block", "sequence": 2, "rel_ack": 5,
        "messages": [{
            "message": "snapshot", "serverTime": 1000, "deltaNum": 1, "snapFlags": 0, "areamask": [],
            "player": { "velocity[0]": "f32(0x7FC00001)", "ammo[2]": -1 },
            "entities": [{ "index": 7, "remove": true }],
        }],
    });
    assert_eq!(block, expected);
}

/// Facts 3.8: long configstrings come in parts; an empty value deletes.
#[test]
fn configstrings_in_parts() {
    let mut strings = Configstrings::default();
    let part = "x".repeat(999);
    assert_eq!(strings.command(format!("bcs0 1 \"{part}\"").as_bytes()), Command::Other);
    assert_eq!(strings.command(format!("bcs1 1 \"{part}\"").as_bytes()), Command::Other);
    assert_eq!(strings.get(1), b"");
    assert_eq!(strings.command(b"bcs2 1 \"the end\""), Command::Configstring(1));
    assert_eq!(strings.get(1), format!("{part}{part}the end").as_bytes());
    // The next one begins anew.
    strings.command(b"bcs0 2 \"a\"");
    strings.command(b"bcs2 2 \"b\"");
    assert_eq!((strings.get(1).len(), strings.get(2)), (2005, &b"ab"[..]));
    strings.command(b"cs 2 \"\"");
    assert_eq!(strings.get(2), b"");
}
