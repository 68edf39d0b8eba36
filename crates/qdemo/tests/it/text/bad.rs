//! Every kind of error has a tiny file in `testdata/bad`, and says what, where, and what to do.

use std::path::PathBuf;

use crate::common::{self, root};
use qdemo::container::{Location, Opened, open};
use qdemo::error::Kind;
use qdemo::verify::verify;
use qdemo::{Error, Limits, Result};

fn bad(name: &str) -> PathBuf {
    root().join("testdata/bad").join(name)
}

/// The first fault that verifying a damaged demo reports.
fn first_fault(name: &str) -> Error {
    let data = std::fs::read(bad(name)).unwrap();
    let report = verify(&data[..], name, Limits::default()).unwrap();
    assert!(!report.is_sound(), "{name} passes");
    assert_eq!(report.different, 0, "{name} is not written back as it was");
    report.faults.into_vec().into_iter().next().unwrap_or_else(|| panic!("{name}: no fault"))
}

/// Offsets are counted by hand: "-1\n" is 3 bytes, the first block 16 + 58, a block header 16, a time message 5.
const SECOND: u64 = 3 + 16 + 58;
const AFTER_TIME: u64 = SECOND + 16 + 5;

#[test]
fn demos_name_the_place() {
    struct Case {
        file: &'static str,
        what: &'static str,
        offset: u64,
        block: Option<u64>,
        message: Option<&'static str>,
        field: Option<&'static str>,
    }
    let cases = [
        Case {
            file: "truncated.dem",
            what: "truncated: 2 more bytes needed, 1 left",
            offset: AFTER_TIME + 3,
            block: Some(1),
            message: Some("sound"),
            field: Some("source"),
        },
        Case {
            file: "cut_block.dem",
            what: "truncated: 200 more bytes needed, 8 left",
            offset: SECOND,
            block: Some(1),
            message: None,
            field: None,
        },
        Case {
            file: "cut_header.dem",
            what: "truncated: 16 more bytes needed, 6 left",
            offset: AFTER_TIME,
            block: None,
            message: None,
            field: None,
        },
        Case {
            file: "unknown_message.dem",
            what: "unknown message 0x3B",
            offset: AFTER_TIME + 3,
            block: Some(1),
            message: None,
            field: None,
        },
        Case {
            file: "malformed.dem",
            what: "malformed: unknown type of temporary entity",
            offset: AFTER_TIME,
            block: Some(1),
            message: Some("temp_entity"),
            field: None,
        },
        Case {
            file: "unsupported.dem",
            what: "protocol 3504 (DarkPlaces 7) is not decoded",
            offset: 3 + 16,
            block: Some(0),
            message: Some("serverinfo"),
            field: None,
        },
        Case {
            file: "negative_size.dem",
            what: "malformed: negative block size",
            offset: SECOND,
            block: None,
            message: None,
            field: None,
        },
        Case {
            file: "huge_block.dem",
            what: "block size 2147483647 exceeds the limit of 1048576",
            offset: SECOND,
            block: None,
            message: None,
            field: None,
        },
        Case {
            file: "half_life.dem",
            what: "no demo that qdemo knows: begins like a Half-Life (GoldSrc) demo",
            offset: 0,
            block: None,
            message: None,
            field: None,
        },
    ];
    for case in cases {
        let error = first_fault(case.file);
        let line = error.to_string();
        assert_eq!(error.kind.to_string(), case.what, "{}", case.file);
        assert_eq!(error.place.offset, Some(case.offset), "{line}");
        assert_eq!(error.place.block, case.block, "{line}");
        assert_eq!(error.place.message, case.message, "{line}");
        assert_eq!(error.place.field, case.field, "{line}");
        assert_eq!(error.place.file.as_deref(), Some(case.file), "{line}");
        assert!(line.contains("; ") && !line.contains('\n'), "one line with advice: {line}");
    }
}

/// Quake III. Offsets are counted by hand: the first block of a `.dm_68` has 8 + 21 bytes, the second 8 + 8, so the third
/// begins at 45, its messages at 53; four codes of 0, two bits each, are the number of the last client command.
/// In the `.dm_48` the blocks have 8 + 26 and 8 + 20 bytes, and that number has four bytes: 34 + 28 + 8 + 4.
#[test]
fn demos_of_quake_3_name_the_place() {
    const THIRD: u64 = 8 + 21 + 8 + 8;
    const MESSAGE: u64 = THIRD + 8 + 1;
    /// Message and field.
    type Names = (Option<&'static str>, Option<&'static str>);
    /// File, what is wrong, offset, block, names, and the messages before.
    type Case = (&'static str, &'static str, u64, Option<u64>, Names, &'static [&'static str]);
    const NONE: Names = (None, None);
    let cases: [Case; 10] = [
        (
            "cut_block.dm_68",
            "truncated: 1 more bytes needed, 0 left",
            MESSAGE,
            Some(2),
            (Some("serverCommand"), Some("value")),
            &[],
        ),
        ("cut_header.dm_68", "truncated: 8 more bytes needed, 5 left", THIRD, None, NONE, &[]),
        ("negative_size.dm_68", "malformed: negative block size", THIRD, None, NONE, &[]),
        ("huge_block.dm_68", "block size 2147483647 exceeds the limit of 1048576", THIRD, None, NONE, &[]),
        // Behind a nop, whose code has five bits.
        ("unknown_message.dm_68", "unknown message 0x0B", MESSAGE, Some(2), NONE, &["nop"]),
        (
            "too_many_fields.dm_68",
            "malformed: a state with more fields than this protocol has",
            MESSAGE,
            Some(2),
            (Some("snapshot"), Some("player")),
            &[],
        ),
        (
            "long_areamask.dm_68",
            "malformed: an area mask of more than the 32 bytes that engines accept",
            MESSAGE,
            Some(2),
            (Some("snapshot"), Some("areamask")),
            &[],
        ),
        (
            "out_of_step.dm_68",
            "malformed: a Huffman code that no engine writes: the stream is out of step",
            MESSAGE,
            Some(2),
            (Some("serverCommand"), Some("value")),
            &[],
        ),
        // Eight nops of five bits end with a byte.
        (
            "no_end.dm_68",
            "malformed: the block has no end of message",
            MESSAGE + 5,
            Some(2),
            NONE,
            &["nop", "nop", "nop"],
        ),
        (
            "fill_bits.dm_48",
            "malformed: bits are set that fill up a byte",
            8 + 26 + 8 + 20 + 8 + 4,
            Some(2),
            (Some("snapshot"), None),
            &[],
        ),
    ];
    for (file, what, offset, block, (message, field), after) in cases {
        let error = first_fault(file);
        let line = error.to_string();
        assert_eq!(error.kind.to_string(), what, "{file}");
        assert_eq!((error.place.offset, error.place.block), (Some(offset), block), "{line}");
        assert_eq!((error.place.message, error.place.field), (message, field), "{line}");
        assert_eq!(error.place.after, after, "{line}");
        // The second block holds a snapshot of this time.
        assert_eq!(error.place.time, Some(qdemo::error::Moment::Milliseconds(1500)), "{line}");
        assert!(line.contains("; ") && !line.contains('\n'), "one line with advice: {line}");
        common::assert_survives(&std::fs::read(bad(file)).unwrap(), file);
    }
}

/// The messages before the fault and the time are part of the place.
#[test]
fn a_fault_tells_time_and_the_messages_before() {
    let error = first_fault("unknown_message.dem");
    assert_eq!(error.place.time, Some(qdemo::error::Moment::Seconds(1.5)));
    assert_eq!(error.place.after, ["time", "setview"]);
}

/// An empty file is no demo, and no error either: it has nothing to lose.
#[test]
fn an_empty_file_is_unknown() {
    let report = verify(&b""[..], "empty.dem", Limits::default()).unwrap();
    assert_eq!((report.bytes, report.blocks), (0, 0));
}

fn compile(name: &str) -> Result<Vec<u8>> {
    qdemo::text::compile_bytes(&std::fs::read(bad(name)).unwrap(), name)
}

#[test]
fn texts_name_line_and_column() {
    let cases = [
        ("no_semicolon.txt", 5, 1, "a ; is missing before }"),
        ("unknown_message.txt", 4, 2, "there is no message setviwe"),
        ("unknown_field.txt", 7, 3, "updatefrags has no field score"),
        ("missing_field.txt", 4, 2, "updatefrags lacks the field frags"),
        ("out_of_range.txt", 6, 9, "frags wants a whole number from -32768 to 32767, found 40000"),
        ("coordinate.txt", 7, 10, "origin wants a coordinate within the range of the protocol"),
        ("unwritable.txt", 4, 2, "this protocol has no such message"),
        ("open_string.txt", 4, 14, "a string does not go over the end of a line"),
        ("open_brace.txt", 5, 1, "the text ends where a closing } is due"),
        ("deep.txt", 1, 69, "braces nest deeper than 16"),
        ("other_language.txt", 1, 1, "main() begins no demo that qdemo knows"),
        ("bad.jsonl", 2, 77, "entity wants one whole number, found a string"),
        ("not_latin.jsonl", 2, 73, "a string holds bytes"),
        (
            "dm3_protocol.txt",
            2,
            11,
            "no such protocol: it is one of 43, 45, 46, 47, 48, 66, 67, 68, 70, 71, 73, 90, 91",
        ),
        ("dm3_field.txt", 13, 4, "the player has no field jumpTime in this protocol"),
        ("dm3_range.txt", 13, 15, "viewheight wants a whole number from -128 to 127, found 128"),
        ("dm3_player.txt", 7, 2, "the snapshot lacks its player or entities"),
        ("dm3_index.txt", 14, 4, "the entity lacks its index"),
        ("dm3_foreign.txt", 7, 2, "there is no message setview in a block"),
        ("dm3.jsonl", 2, 98, "value wants one \"string\", found 5"),
    ];
    for (name, line, column, what) in cases {
        let error = compile(name).expect_err(name);
        let Kind::Text(t) = &error.kind else { panic!("{name}: {error}") };
        assert!(t.what.contains(what), "{name}: {error}");
        assert_eq!((t.line, t.column), (line, column), "{name}: {error}");
        assert!(error.to_string().starts_with(&format!("{name}:{line}:{column}: ")), "{error}");
        assert!(error.details().is_none_or(|d| d.ends_with('^')), "{error}");
    }
}

/// Statements that look right at a glance are refused, not guessed at.
#[test]
fn nonsense_is_not_accepted() {
    let cases = [
        ("updatefrags 3;", "updatefrags has several fields"),
        ("unknown 5;", "unknown has several fields"),
        ("clientdata { onground 0; }", "onground wants no value"),
        ("nop 5;", "nop takes no value"),
        ("time 5m;", "time wants a time"),
        ("time 1e999;", "time wants a time"),
        ("setangle 1e30 0 0;", "setangle wants an angle"),
        ("setview 1 { }", "values or braces, not both"),
        ("print \"a\" \"b\";", "print wants one \"string\", found 2 values"),
        ("print \"a\\000b\";", "a string cannot contain \\000"),
        ("print;", "print lacks its text"),
        ("camera 0 0 0;", "camera stands twice"),
        ("cdtrack { fromtrack 1; totrack 2; totrack 3; }", "cdtrack has no field totrack here (or it stands twice)"),
        ("sound { channel 8; entity 1; soundnum 1; origin 0 0 0; }", "needs FitzQuake's long form"),
    ];
    for (statement, what) in cases {
        let text = format!("block {{ camera 0 0 0; {statement} }}");
        let error = qdemo::text::compile_bytes(text.as_bytes(), "t").expect_err(statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    let double = br#"{"piece":"block","camera":[0,0,0],"camera":[1,0,0]}"#;
    assert!(qdemo::text::compile_bytes(double, "t").unwrap_err().to_string().contains("camera stands twice"));
    let stray = br#"{"piece":"block","camera":[0,0,0],"setview":5}"#;
    assert!(qdemo::text::compile_bytes(stray, "t").unwrap_err().to_string().contains("a block has no key setview"));
}

/// The same for Quake III: what contradicts itself or the protocol is refused, and nothing is dropped in silence.
#[test]
fn nonsense_of_quake_3_is_not_accepted() {
    let snapshot = |rest: &str| format!("snapshot {{ serverTime 1; deltaNum 0; snapFlags 0; {rest} }}");
    let player = |fields: &str| snapshot(&format!("areamask; player {{ {fields} }} entities;"));
    let entity = |fields: &str| snapshot(&format!("areamask; player; entities {{ entity {{ {fields} }} }}"));
    let mask = "0 ".repeat(33);
    let cases = [
        (68, snapshot(&format!("areamask {mask}; player; entities;")), "areamask has at most 32 bytes"),
        (68, player("pm_type 1; pm_type 2;"), "pm_type stands twice"),
        (68, player("pm_type 256;"), "pm_type wants a whole number from 0 to 255"),
        (68, player("stats[16] 1;"), "the player has no field stats[16]"),
        (
            68,
            player("stats[1] 1; stats[1] 2;"),
            "the player has no field stats[1] in this protocol, or it stands twice",
        ),
        (68, player("stats[1] 65536;"), "stats[1] wants a whole number from -32768 to 65535"),
        (68, player("count 49;"), "a count that does not fit the fields"),
        (68, player("origin[0] 1; count 1;"), "a count that does not fit the fields"),
        (68, player("stats[1] 1; arrays 0x12;"), "arrays leaves out slots that stand here: they need 0x11"),
        (48, player("ammo[1] 1; arrays 0x01;"), "arrays leaves out slots that stand here: they need 0x04"),
        (68, player("origin[0] 1; long 0x04;"), "`long` names a field that is no float, is absent"),
        (68, entity("index 1; eType 0; unzero 0x01;"), "`unzero` names a field that is absent or not 0"),
        (68, entity("index 1023; eType 0;"), "index wants a whole number from 0 to 1022"),
        (68, entity("index 1; remove; eType 1;"), "an entity that is removed has no fields"),
        (68, entity("index 1; pos.gravity 800;"), "an entity has no field pos.gravity in this protocol"),
        (48, entity("index 1; eType 1; mask 7;"), "a mask that does not fit the fields"),
        (68, snapshot("rel_ack 1; areamask; player; entities;"), "only protocols 43 and 45 have it"),
        (43, snapshot("areamask; player; entities;"), "a snapshot of this protocol has a rel_ack"),
        (68, snapshot("areamask; player; entities { thing; }"), "made of entity"),
        (68, "gamestate { serverCommandSequence 1; }".to_owned(), "has clientNum and checksumFeed"),
        (48, "gamestate { serverCommandSequence 1; clientNum 0; checksumFeed 0; }".to_owned(), "has no clientNum"),
        (68, "gamestate { serverCommandSequence 1; baseline { entity; } }".to_owned(), "lacks its index"),
        (68, "download { block 0; data; }".to_owned(), "block 0 has a size"),
        (68, "download { block 1; size 4; data; }".to_owned(), "block 0 has a size"),
        (68, "download { block 0; size -1; data; }".to_owned(), "a reason when its size is negative"),
        (68, "serverCommand { seq 1; value \"a\\000b\"; }".to_owned(), "a string with a NUL in it"),
        (
            68,
            "voipSpeex { sender 1; generation 1; sequence 1; frames 1; flags 0; data; }".to_owned(),
            "no such message",
        ),
        (71, "voipSpeex { sender 1; generation 1; sequence 1; frames 1; flags 4; data; }".to_owned(), "from 0 to 3"),
        (68, "tail;  tail;".to_owned(), "there is no message tail in a block"),
        (68, "tail 0x10;".to_owned(), "the last byte has bits that do not fit in"),
    ];
    for (protocol, statement, what) in cases {
        let ack = if protocol > 45 { "rel_ack 0;" } else { "" };
        let text = format!("dm3 {{ protocol {protocol}; }} block {{ sequence 1; {ack} {statement} }}");
        let error = qdemo::text::compile_bytes(text.as_bytes(), "t").expect_err(&statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    for (text, what) in [
        ("dm3 { protocol 68; } track \"-1\";", "track is no part of a Quake III demo"),
        ("dm3; block { }", "block lacks the field sequence"),
        ("dm3; block 5;", "a block is written block {"),
        ("dm3; endblock 1;", "endblock takes no value"),
    ] {
        let error = qdemo::text::compile_bytes(text.as_bytes(), "t").expect_err(text);
        assert!(error.to_string().contains(what), "{text}: {error}");
    }
}

/// A byte order mark and Windows line ends do no harm.
#[test]
fn texts_of_windows_editors_compile() {
    let text = b"\xEF\xBB\xBFtrack \"-1\\n\";\r\nblock {\r\n camera 0 0 0; // angles\r\n disconnect;\r\n}\r\n";
    let demo = qdemo::text::compile_bytes(text, "t").unwrap();
    assert_eq!(demo, common::demo("-1\n", &[b"\x02"]));
}

#[test]
fn a_cut_container_delivers_what_came_before() {
    let Opened::File(mut source) = open(&Location::file(bad("cut.dem.gz")), &Limits::default()).unwrap() else {
        panic!("a gzip file holds one file")
    };
    let (bytes, error) = source.salvage(&Limits::default());
    assert!(bytes.starts_with(b"-1\n"), "{} bytes", bytes.len());
    assert!(matches!(error.unwrap().kind, Kind::Truncated { .. }));
}

#[test]
fn a_missing_file_is_named() {
    let error = open(&Location::file("no/such/file.dem"), &Limits::default()).err().unwrap();
    assert!(matches!(error.kind, Kind::Io(_)));
    assert!(error.to_string().contains("no/such/file.dem"), "{error}");
}
