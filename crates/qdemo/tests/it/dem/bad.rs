//! Texts that make no sense.

use qdemo::text::compile_bytes;

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
        let error = compile_bytes(text.as_bytes(), "t").expect_err(statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    let double = br#"{"piece":"block","camera":[0,0,0],"camera":[1,0,0]}"#;
    assert!(compile_bytes(double, "t").unwrap_err().to_string().contains("camera stands twice"));
    let unframed = br#"{"piece":"block","camera":[0,0,0],"setview":5}"#;
    assert!(compile_bytes(unframed, "t").unwrap_err().to_string().contains("a block has no key setview"));
}

/// Items are always sent in protocol 15, whatever the mask says (Quake's `SV_WriteClientdataToMessage`): a message without them cannot
/// be written, and the error names them.
#[test]
fn what_a_protocol_always_sends_is_named_where_it_is_missing() {
    let mut demo = qdemo::demo::Recording::<qdemo::format::dem::Dem>::new(None);
    let message = qdemo::format::dem::ClientData::default();
    demo.push(qdemo::format::dem::Packet::new([0.0; 3], vec![message.into()]));
    let error = demo.to_bytes().unwrap_err();
    assert_eq!(error.place.field, Some("items"), "{error}");
    assert!(error.to_string().contains("always sends"), "{error}");
}
