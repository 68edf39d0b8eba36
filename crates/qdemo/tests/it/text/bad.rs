//! Every kind of mistake in a text has a tiny file in `testdata/bad`, and says what, where, and what to do.

use qdemo::error::ErrorKind;
use qdemo::text::compile_bytes;

use crate::common::{self, bad};

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
        let ErrorKind::Text(t) = &error.kind else { panic!("{name}: {error}") };
        assert!(t.what.contains(what), "{name}: {error}");
        assert_eq!((t.line, t.column), (line, column), "{name}: {error}");
        assert!(error.to_string().starts_with(&format!("{name}:{line}:{column}: ")), "{error}");
        assert!(error.details().is_none_or(|d| d.ends_with('^')), "{error}");
    }
}

/// Statements that share a line count from its beginning.
#[test]
fn columns_count_from_the_beginning_of_the_line() {
    let text = b"track \"1\\n\"; block {\n camera 0 0 0; } block { camera 0 0 0; frob; }";
    let error = compile_bytes(text, "t").unwrap_err();
    let ErrorKind::Text(t) = &error.kind else { panic!("{error}") };
    assert_eq!((t.line, t.column), (2, 40), "{error}");
    assert_eq!(t.source.get(t.caret..), Some("frob; }"));
}

/// A byte order mark and Windows line ends do no harm.
#[test]
fn texts_of_windows_editors_compile() {
    let text = b"\xEF\xBB\xBFtrack \"-1\\n\";\r\nblock {\r\n camera 0 0 0; // angles\r\n disconnect;\r\n}\r\n";
    let demo = compile_bytes(text, "t").unwrap();
    assert_eq!(demo, common::demo("-1\n", &[b"\x02"]));
}

/// Members of an object have no order, and programs put space where they like; messages do have one.
#[test]
fn json_of_other_programs_compiles() {
    let track = "{\"piece\":\"track\",\"line\":\"-1\\n\"}\n";
    let text = format!(
        "{track}{}{}",
        r#" { "messages" : [ {"time": 1.5, "message": "time"} , {"message":"print","text":"\u0068i\n\u00e1é"} ], "#,
        r#""camera": [ 0 ,0, 90] , "none" : null, "no": false, "piece": "bl\u006fck" }"#,
    );
    let usual = format!(
        "{track}{}{}",
        r#"{"piece":"block","camera":[0,0,90],"messages":[{"message":"time","time":1.5},"#,
        r#"{"message":"print","text":"hi\ná\u00e9"}]}"#,
    );
    let demo = compile_bytes(text.as_bytes(), "other.jsonl").unwrap();
    assert_eq!(demo, compile_bytes(usual.as_bytes(), "usual.jsonl").unwrap());
    // svc_time and 1.5, svc_print and its text.
    assert!(demo.ends_with(b"\x07\x00\x00\xC0\x3F\x08hi\n\xE1\xE9\0"), "{demo:?}");
}

#[test]
fn json_of_another_shape_says_what_is_due() {
    for (line, column, what) in [
        (r#"{"piece":"block","camera":[0,0,0]"#, 33, "EOF while parsing an object"),
        (r#"{"piece":"block","camera":[0,0,0],}"#, 35, "key must be a string"),
        (r#"{"piece":5}"#, 10, "a string is due here"),
        (r#"{"camera":[0,0,0]}"#, 1, "the key \"piece\""),
        (r#"{"piece":"block","messages":5}"#, 29, "a list is due here"),
        (r#"{"piece":"block","messages":[{"message":"nop"},7]}"#, 48, "an object is due here"),
        (r#"{"piece":"block","camera":[0,true,0]}"#, 30, "a number or a string is due here"),
        (r#"{"piece":"block","camera":[0,[0],0]}"#, 30, "a number or a string is due here"),
        (r#"{"piece":"block","camera":[{"a":1},0]}"#, 36, "an object is due here"),
        (r#"{"piece":"block","a":"\ud800"}"#, 29, "not the JSON"),
        // Keys and kinds are shown as they are written.
        (r#"{"piece":"blöck"}"#, 1, "blöck begins no demo"),
        (
            r#"{"piece":"block","camera":[0,0,0],"messages":[{"message":"nöp"}]}"#,
            47,
            "there is no message nöp in a block",
        ),
        (r#"{"piece":"block","camera":[0,0,0],"messages":[{"message":"nop","é":1}]}"#, 69, "nop has no field é here"),
        (r#"{"piece":"block","camera":[0,0,0],"messages":[{"message":"nop","№":1}]}"#, 70, "nop has no field № here"),
        (r#"{"piece":"block","camera":[0,0,0],"\u00e9":1}"#, 44, "a block has no key é"),
    ] {
        let error = compile_bytes(line.as_bytes(), "x.jsonl").expect_err(line);
        let ErrorKind::Text(t) = &error.kind else { panic!("{line}: {error}") };
        assert!(t.what.contains(what), "{line}: {error}");
        assert_eq!((t.line, t.column), (1, column), "{line}: {error}");
        // There is one place in it.
        assert!(!t.what.contains("column"), "{line}: {error}");
    }
    let unbraced = "{\"piece\":\"track\",\"line\":\"-1\\n\"}\n \"piece\":\"block\"}\n";
    let error = compile_bytes(unbraced.as_bytes(), "x.jsonl").unwrap_err().to_string();
    assert!(error.starts_with("x.jsonl:2:2: an object is due here"), "{error}");
    // Deep ones end at a bound, whoever counts first.
    let deep = format!("{{\"piece\":\"block\",\"a\":{}1{}}}", "{\"a\":".repeat(100), "}".repeat(100));
    let error = compile_bytes(deep.as_bytes(), "deep.jsonl").unwrap_err();
    assert!(error.to_string().contains("deeper than 8"), "{error}");
    let deeper = format!("{{\"piece\":\"block\",\"a\":{}", "[".repeat(100_000));
    compile_bytes(deeper.as_bytes(), "deep.jsonl").unwrap_err();
}
