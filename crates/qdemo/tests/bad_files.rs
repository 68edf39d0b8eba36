//! Every kind of error has a tiny file in `testdata/bad`, and says what, where, and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::path::PathBuf;

use common::root;
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
