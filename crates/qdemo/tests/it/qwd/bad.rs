//! Every kind of error has a tiny file in `testdata/bad`, and says what, where, and what to do.

use qdemo::error::{Kind, Moment};
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::verify::verify;
use qdemo::{Error, Limits};

use super::build::{CLIENT, MULTIVIEW, Server};
use crate::common::{assert_survives, root};

fn bad(name: &str) -> Vec<u8> {
    std::fs::read(root().join("testdata/bad").join(name)).unwrap()
}

/// The first fault that verifying a damaged recording reports. Facts and text report the same one.
fn first_fault(name: &str) -> Error {
    let demo = bad(name);
    let report = verify(&demo[..], name, Limits::default()).unwrap();
    assert!(!report.is_sound(), "{name} passes");
    assert_eq!(report.different, 0, "{name} is not written back as it was");
    assert_survives(&demo, name);
    let first =
        |faults: qdemo::Faults| faults.into_vec().into_iter().next().unwrap_or_else(|| panic!("{name}: no fault"));
    let fault = first(report.faults);
    let told = first(qdemo::info::info(&demo[..], name, Limits::default()).unwrap().faults);
    assert_eq!(told.to_string(), fault.to_string(), "facts of {name}");
    let text = qdemo::text::decompile(&demo[..], name, std::io::sink(), &Options::default()).unwrap();
    assert_eq!(first(text.faults).to_string(), fault.to_string(), "text of {name}");
    fault
}

/// Counted by hand. `serverdata`: id 1, protocol 4, server count 4, "qw" 3, slot 1, "x" 2, ten floats 40. A packet has
/// 9 bytes of header and 8 of numbers; a record has 6, and 4 more with a mask.
const QWD: u64 = 9 + 8 + 55;
/// The time of the server takes 4 bytes where the slot takes 1.
const MVD: u64 = 6 + 58;

#[test]
fn recordings_name_the_place() {
    struct Case(&'static str, &'static str, u64, Option<u64>, Option<&'static str>, Option<&'static str>);
    let cases = [
        Case("cut_block.qwd", "truncated: 200 more bytes needed, 20 left", QWD, Some(1), None, None),
        Case("cut_header.qwd", "truncated: 5 more bytes needed, 3 left", QWD, None, None, None),
        Case("wrong_kind.qwd", "malformed: a block is of kind 0, 1 or 2", QWD, None, None, None),
        Case("huge_size.qwd", "block size 2147483647 exceeds the limit of 1048576", QWD, None, None, None),
        Case("negative_size.qwd", "malformed: negative block size", QWD, None, None, None),
        // Behind a nop and a setpause of two bytes.
        Case("unknown_message.qwd", "unknown message 0x64", QWD + 17 + 3, Some(1), None, None),
        Case(
            "truncated.qwd",
            "truncated: 4 more bytes needed, 1 left",
            QWD + 17 + 1,
            Some(1),
            Some("updatestatlong"),
            Some("value"),
        ),
        Case(
            "temp_entity.qwd",
            "malformed: unknown type of temporary entity",
            QWD + 17,
            Some(1),
            Some("temp_entity"),
            None,
        ),
        Case("short_packet.qwd", "truncated: 8 more bytes needed, 3 left", QWD + 9, Some(1), None, None),
        Case("no_protocol.qwd", "malformed: no protocol of QuakeWorld", 17, Some(0), Some("serverdata"), None),
        Case("cut_record.mvd", "truncated: 200 more bytes needed, 12 left", MVD, Some(1), None, None),
        Case("cut_header.mvd", "truncated: 2 more bytes needed, 1 left", MVD, None, None, None),
        Case("wrong_kind.mvd", "malformed: a record is of kind 0 to 6", MVD, None, None, None),
        Case("huge_size.mvd", "block size 2147483647 exceeds the limit of 1048576", MVD, None, None, None),
        Case("unknown_message.mvd", "unknown message 0x64", MVD + 6 + 3, Some(1), None, None),
        // An extension word of 8 bytes in serverdata; a whole message of 6 + 8 bytes in front of the bad one.
        Case("hidden.mvd", "malformed: no hidden message", MVD + 8 + 10 + 14, Some(1), None, None),
    ];
    for Case(file, what, offset, block, message, field) in cases {
        let error = first_fault(file);
        let line = error.to_string();
        assert_eq!(error.kind.to_string(), what, "{file}");
        assert_eq!((error.place.offset, error.place.block), (Some(offset), block), "{line}");
        assert_eq!((error.place.message, error.place.field), (message, field), "{line}");
        assert_eq!(error.place.file.as_deref(), Some(file), "{line}");
        assert!(line.contains("; ") && !line.contains('\n'), "one line with advice: {line}");
    }
}

/// The messages before the fault and the time are part of the place.
#[test]
fn a_fault_tells_time_and_the_messages_before() {
    let error = first_fault("unknown_message.qwd");
    assert_eq!(error.place.time, Some(Moment::Seconds(1.5)));
    assert_eq!(error.place.after, ["nop", "setpause"]);
    let error = first_fault("unknown_message.mvd");
    assert_eq!(error.place.time, Some(Moment::Milliseconds(0)));
    assert_eq!(error.place.after, ["nop", "setpause"]);
}

#[test]
fn texts_name_line_and_column() {
    let cases = [
        ("qwd_no_seq2.txt", 2, 1, "sblock lacks the field seq2"),
        ("qwd_about.txt", 5, 2, "nothing stands in front of the angles"),
        ("qwd_other_game.txt", 6, 1, "block is no part of a QuakeWorld demo"),
        ("mvd_no_target.txt", 2, 1, "the record lacks its target"),
        ("mvd_slot.txt", 4, 9, "single wants a whole number from 0 to 31, found 32"),
        ("mvd_message.txt", 5, 2, "this protocol has no such message"),
        ("qwd_bad.jsonl", 2, 35, "seq1 wants one whole number, found a string"),
    ];
    for (name, line, column, what) in cases {
        let error = compile_bytes(&bad(name), name).expect_err(name);
        let Kind::Text(t) = &error.kind else { panic!("{name}: {error}") };
        assert!(t.what.contains(what), "{name}: {error}");
        assert_eq!((t.line, t.column), (line, column), "{name}: {error}");
    }
}

/// The text of a recording with a message put in front of its last block's end.
fn compile_with(server: Server, statement: &str) -> qdemo::Result<Vec<u8>> {
    let demo = server.demo(&[b"\x01"]);
    let text = String::from_utf8(decompile_bytes(&demo, server.name(), &Options::default()).unwrap()).unwrap();
    assert_eq!(text.matches("\n nop;").count(), 1, "{text}");
    compile_bytes(text.replace("\n nop;", &format!("\n {statement}")).as_bytes(), "t")
}

/// Statements that look right at a glance are refused, not guessed at.
#[test]
fn nonsense_is_not_accepted() {
    let plain = "packetentities { packetentity { entity 33;";
    let old = Server { protocol: 26, ..CLIENT };
    let fte = Server { fte: 0x0148_7008, ..CLIENT };
    let hiding = Server { mvd1: 0x20, ..MULTIVIEW };
    let player = "playerinfo { player 0; origin 0 0 0; frame 0;";
    let cases = [
        (CLIENT, "setview 1;".to_owned(), "there is no message setview"),
        (CLIENT, "disconnect \"bye\";".to_owned(), "the text of disconnect is \"EndOfDemo\""),
        (CLIENT, "mvdplayerinfo { player 0; frame 0; }".to_owned(), "this protocol has no such message"),
        (
            CLIENT,
            "sound { channel 8; entity 1; soundnum 1; origin 0 0 0; }".to_owned(),
            "channel wants a whole number from 0 to 7",
        ),
        (
            CLIENT,
            "sound { channel 0; entity 1024; soundnum 1; origin 0 0 0; }".to_owned(),
            "entity wants a whole number from 0 to 1023",
        ),
        (CLIENT, "sound { channel 0; entity 1; vol 1.5; soundnum 1; origin 0 0 0; }".to_owned(), "vol does not fit"),
        (CLIENT, "nails { nail { origin 1 0 0; angles_1 0; angles_2 0; } }".to_owned(), "a nail is at even units"),
        (
            CLIENT,
            "nails { nail { id 1; origin 0 0 0; angles_1 0; angles_2 0; } }".to_owned(),
            "nails2 has numbered nails",
        ),
        (CLIENT, format!("{plain} alpha 1; }} }}"), "a field that this protocol has no bit for"),
        (CLIENT, format!("{plain} modelindex 300; }} }}"), "cannot be written"),
        (CLIENT, "packetentities { packetentity { entity 512; } }".to_owned(), "cannot be written"),
        (CLIENT, "packetentities { packetentity { entity 0; } }".to_owned(), "its mask would end the list"),
        (fte, format!("{plain} modelindex 512; }} }}"), "needs long_modelindex"),
        (fte, "packetentities { packetentity { entity 2048; } }".to_owned(), "a whole number from 0 to 2047"),
        (fte, format!("{plain} colormod 1 2; }} }}"), "a colour is three numbers"),
        (CLIENT, format!("{player} alpha 1; }}"), "a field that this protocol has no bit for"),
        (CLIENT, format!("{player} prediction 0x00; }}"), "weapon prediction was not announced"),
        (CLIENT, format!("{player} speed_x 40000; angles_1 0; }}"), "playerinfo has no field"),
        // Up to protocol 26 a speed is a byte.
        (
            old,
            format!("{player} angles_2 0; speed_x 300; }}"),
            "speed_x wants a whole number from -128 to 255, found 300",
        ),
        (CLIENT, "qizmovoice { data 1 2 3; }".to_owned(), "a piece of Qizmo's voice has 34 bytes"),
        (CLIENT, "download { size 2; percent 0; data 1; }".to_owned(), ""),
        (old, "serverdata { serverversion 29; age 1; game \"\"; client 0; mapname \"\"; }".to_owned(), ""),
        (MULTIVIEW, "setangle 0 0 0;".to_owned(), "a byte stands in front of the angles here"),
        (
            hiding,
            "hidden_damage { deathtype 1; attacker 1; victim 1; damage 1; }".to_owned(),
            "there is no message hidden_damage",
        ),
    ];
    for (server, statement, what) in cases {
        let error = compile_with(server, &statement).expect_err(&statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    // What is right compiles, so that the frame around these is not at fault.
    compile_with(CLIENT, "cdtrack 5;").unwrap();
    compile_with(fte, &format!("{plain} modelindex 511; }} }}")).unwrap();
    compile_with(old, &format!("{player} angles_2 0; speed_x -50; }}")).unwrap();
}
