//! Texts that make no sense.

use qdemo::text::compile_bytes;

/// What contradicts itself or the protocol is refused, and nothing is dropped in silence.
#[test]
fn nonsense_is_not_accepted() {
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
    ];
    for (protocol, statement, what) in cases {
        let ack = if protocol > 45 { "rel_ack 0;" } else { "" };
        let text = format!("dm3 {{ protocol {protocol}; }} block {{ sequence 1; {ack} {statement} }}");
        let error = compile_bytes(text.as_bytes(), "t").expect_err(&statement);
        assert!(error.to_string().contains(what), "{statement}: {error}");
    }
    for (text, what) in [
        ("dm3 { protocol 68; } track \"-1\";", "track is no part of a Quake III demo"),
        ("dm3; block { }", "block lacks the field sequence"),
        ("dm3; block 5;", "a block is written block {"),
        ("dm3; endblock 1;", "endblock takes no value"),
    ] {
        let error = compile_bytes(text.as_bytes(), "t").expect_err(text);
        assert!(error.to_string().contains(what), "{text}: {error}");
    }
}
