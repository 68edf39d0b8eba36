//! Texts that LMPC rejects, or of which it makes something else than they say: each is found out.

use super::{Game, read};

/// The bytes of a text that LMPC takes.
#[track_caller]
fn bytes(text: &str, game: Game) -> Vec<u8> {
    let text = format!("// source: DEM binary file\n\n{text}\n");
    let pieces = read(text.as_bytes(), game).unwrap();
    pieces.into_iter().flat_map(|piece| piece.bytes.unwrap_or_else(|e| panic!("{text}: {e:?}"))).collect()
}

/// What is wrong with a text. A remark makes every text long enough.
fn fault(text: &str, game: Game) -> Option<String> {
    let text = format!("// a text that is wrong\n{text}");
    match read(text.as_bytes(), game) {
        Err(wrong) => Some(wrong.what),
        Ok(pieces) => pieces.into_iter().find_map(|piece| piece.bytes.err()).map(|wrong| wrong.what),
    }
}

/// What was found wrong is what was expected.
#[track_caller]
fn assert_found(all: &[(&str, &str, Option<String>)]) {
    let other: Vec<_> =
        all.iter().filter(|(_, expected, found)| !found.as_ref().is_some_and(|f| f.contains(expected))).collect();
    assert!(other.is_empty(), "{other:#?}");
}

/// Each message stands in a text that is right around it.
fn around(message: &str, game: Game) -> String {
    match game {
        Game::Quake => format!("track \"-1\\n\";\nblock {{\n camera 0.0 0.0 0.0;\n {message}\n}}\n"),
        Game::QuakeWorld => format!("sblock {{\n time 1.5s;\n seq1 1;\n seq2 1;\n {message}\n}}\n"),
        Game::Quake2 => format!("block {{\n {message}\n}}\n"),
        Game::Quake3 => format!("dm3;\nblock {{\n sequence 1;\n rel_ack 1;\n {message}\n}}\n"),
    }
}

/// The example of the text form's documentation, in LMPC's language: the bytes are those of that page.
#[test]
fn a_text_makes_its_bytes() {
    let text = "track \"-1\\n\";\nblock {\n camera 0.00000000 90.0000000 0.00000000;\n time 1.50000000s;\n print \"hello\\n\";\n \
                updateentity {\n  entity 1;\n  modelindex 2; // progs/player.mdl\n  origin_x 480.125000;\n  angles_2 90.0000000;\n }\n}";
    let expected =
        b"-1\n\x14\0\0\0\0\0\0\0\0\0\xB4\x42\0\0\0\0\x07\0\0\xC0\x3F\x08hello\n\0\x93\x04\x01\x02\x01\x0F\x40";
    assert_eq!(bytes(text, Game::Quake), expected);
}

#[test]
fn messages_that_lmpc_rejects() {
    use Game::{Quake, Quake2, Quake3, QuakeWorld};
    let long = format!("stufftext \"{}\";", "x".repeat(2048));
    let all = [
        // Words, numbers, strings.
        (Quake, "fog 1;", "unknown word"),
        (Quake, "Nop;", "unknown word"),
        (Quake, "nop; @", "ignores"),
        (Quake, "time +1.5s;", "ignores"),
        (Quake, "time .5s;", "ignores"),
        (Quake, "time 5s;", "unknown word"),
        (Quake, "time 5e3s;", "unknown word"),
        (Quake, "time 5 s;", "wants a time"),
        (Quake, "time 1:30m;", "unknown word"),
        (Quake, "time 1.5m;", "wants a time"),
        (Quake, "time nans;", "unknown word"),
        (Quake, "time inf;", "unknown word"),
        (Quake, "time 1.0e99s;", "single precision"),
        (Quake, "setangle 0 90 0;", "another kind"),
        (Quake, "setangle 0.0 90.0;", "wants 3 values"),
        (Quake, "setview 1.0;", "another kind"),
        (Quake, "setview -;", "sign"),
        (Quake, "setview 2147483648;", "32 bits"),
        (Quake, "setview 0x100000000;", "its bits"),
        (Quake, "setview \"1\";", "another kind"),
        (Quake, "print 1;", "another kind"),
        (Quake, "print \"a\n\";", "end of a line"),
        (Quake, "print \"\\400\";", "above"),
        (Quake, "print \"a\\000b\";", "NUL"),
        (Quake, &long, "2048 bytes"),
        // Statements.
        (Quake, "nop {}", "empty braces"),
        (Quake, "nop 1;", "no value"),
        (Quake, ";", "begins with"),
        (Quake, "setview 1", "behind values"),
        (Quake, "updatestat 1 2;", "braces"),
        (Quake, "print { string \"\"; }", "no message"),
        (Quake, "updatestat { index 1; }", "value is missing"),
        (Quake, "updatestat { index 1; index 2; value 2; }", "twice"),
        (Quake, "updatestat { index 1; value 2; entity 1; }", "no field"),
        (Quake, "areas;", "no message"),
        (Quake, "seq1 1;", "no message"),
        // Messages.
        (Quake, "unknown { id 0x02; }", "data is missing"),
        (Quake, "unknown { data 0x02; }", "id is missing"),
        (
            Quake,
            "serverinfo { serverversion 15; maxclients 1; multi 0; mapname \"\"; models; sounds \"a\"; }",
            "strings",
        ),
        (Quake, "temp_entity { entitytype 19; }", "origin is missing"),
        (Quake, "camera 0.0 0.0 0.0; nop;", "twice"),
        (Quake, "", "writes nothing"),
        (QuakeWorld, "nop;", "no message"),
        (QuakeWorld, "choke 1; time 1.5s;", "twice"),
        (QuakeWorld, "disconnect \"EndOfDemo\";", "no value"),
        (QuakeWorld, "packetentities { }", "empty braces"),
        (QuakeWorld, "deltapacketentities { frame 1; packetentity { entity 1; } }", "no field"),
        (QuakeWorld, "deltapacketentities { frame 1; deltapacketentity { entity 1; } }", "no field"),
        (QuakeWorld, "serverinfo { name \"a\"; value \"b\"; }", "string is missing"),
        (QuakeWorld, "setinfo { player 1; name \"a\"; value \"b\"; }", "string is missing"),
        (QuakeWorld, "nails { }", "empty braces"),
        (QuakeWorld, "nails;", "braces"),
        (QuakeWorld, "modellist { first 0; models; next 0; }", "strings"),
        (QuakeWorld, "seq1 2; choke 1;", "twice"),
        (QuakeWorld, "choke 1; reliable 1;", "no message"),
        (QuakeWorld, "serverdata { serverversion 24; age 1; game \"\"; client 0; mapname \"\"; }", "uk_floats"),
        (QuakeWorld, "playerinfo { player 0; origin 0.0 0.0 0.0; frame 0; load 13; }", "angles_2"),
        (QuakeWorld, "playerinfo { player 0; origin 0.0 0.0 0.0; frame 0; onground; }", "unknown word"),
        (Quake2, "dm2;", "unknown word"),
        (Quake2, "muzzleflash2 { entity 1; value 1; }", "unknown word"),
        (Quake2, "playerinfo { }", "empty braces"),
        (Quake2, "inventory 1 2 3;", "256"),
        (Quake2, "unicast 1;", "without a message"),
        (Quake2, "unicast 1; unknown { id 1; data 2; }", "no client"),
        (Quake2, "frame { seq1 1; seq2 0; uk_b1 0; }", "areas is missing"),
        (Quake2, "sound { soundnum 1; vol 1; }", "another kind"),
        (Quake2, "playerinfo { stats { stat { index 2; value 1; } stat { index 1; value 1; } } }", "order"),
        (Quake2, "temp_entity { entitytype 1; movedir 0.0 0.0 1.0; }", "origin is missing"),
        (Quake3, "serverCommand { value \"a\"; seq 1; }", "due here"),
        (Quake3, "serverCommand { seq 1.0; value \"a\"; }", "wants"),
        (Quake3, "nop;", "no message"),
        (Quake3, "unknown { id 1; data 2; }", "no message"),
        (Quake3, "snapshot { serverTime 1; deltaNum 0; snapFlags 0; areamask; player { } entities; }", "empty braces"),
        (Quake3, "snapshot { serverTime 1; snapFlags 0; deltaNum 0; areamask; player; entities; }", "due here"),
        (Quake3, "snapshot { serverTime 1; deltaNum 0; snapFlags 0; areamask 0x100; player; entities; }", "its bits"),
        (
            Quake3,
            "snapshot { serverTime 1; deltaNum 0; snapFlags 0; areamask; player { origin[0] 1; } entities; }",
            "wants",
        ),
        (
            Quake3,
            "snapshot { serverTime 1; deltaNum 0; snapFlags 0; areamask; player { origin[1] 1.0; origin[0] 1.0; } entities; }",
            "behind a field",
        ),
        (
            Quake3,
            "snapshot { serverTime 1; deltaNum 0; snapFlags 0; areamask; player; entities { entity { remove; } } }",
            "index first",
        ),
    ];
    let found = all.map(|(game, message, expected)| (message, expected, fault(&around(message, game), game)));
    assert_found(&found);
}

#[test]
fn texts_that_lmpc_rejects() {
    use Game::{Quake, Quake2, Quake3, QuakeWorld};
    let late = format!("// {}\ndm3;\n", "x".repeat(1000));
    let large = format!("unknown {{\n  id 0;\n  data{};\n }}", " 0x00".repeat(65_536));
    let all = [
        (Quake, "block {\n camera 0.0 0.0 0.0;\n nop;\n}\n", "track stands first"),
        (Quake, "track \"-1\\n\";\ntrack \"-1\\n\";\n", "track stands first"),
        (Quake, "track \"-1\\n\";\nblock {\n nop;\n}\n", "camera is missing"),
        (Quake, "track \"-1\\n\";\nblock {\n camera f32(0x7FC00001) 0.0 0.0;\n nop;\n}\n", "unknown word"),
        (Quake, "track \"-1\\n\";\nblock {\n camera 0.0 0.0 0.0;\n size 5;\n nop;\n}\n", "no message"),
        (Quake, "track \"-1\\n\";\nunknown {\n data 0x00;\n}\n", "track stands first"),
        (Quake, "track \"-1\\n\";\nvariant \"nehahra\";\n", "unknown word"),
        (Quake, "track \"-1", "without an end"),
        (Quake, "track \"-1\\n\";\n// a remark without its line end", "line end"),
        (Quake, &around(&large, Quake), "65536"),
        (QuakeWorld, "sblock {\n seq1 1;\n time 1.0s;\n seq2 1;\n}\n", "time stands first"),
        (QuakeWorld, "sblock {\n time 1.0s;\n connless {\n  ping;\n  ping;\n }\n}\n", "one packet"),
        (QuakeWorld, "sblock {\n time 1.0s;\n connless {\n  id 5;\n }\n}\n", "outside the game"),
        (QuakeWorld, "sblock {\n time 1.0s;\n data 0x00;\n}\n", "seq1 is missing"),
        (QuakeWorld, "fblock {\n time 1.0s;\n seq1 -1;\n seq2 1;\n}\n", "31 bits"),
        (QuakeWorld, "trailer {\n data 0x00;\n}\n", "unknown word"),
        (Quake2, "endblock;\nbetweenblock;\n", "behind endblock"),
        (Quake2, "block;\n", "braces"),
        (Quake3, &late, "1000 bytes"),
        (Quake3, "dm3 {\n protocol 68;\n}\n", "wants"),
        (Quake3, "block {\n sequence 1;\n rel_ack 1;\n}\n", "dm3 stands first"),
        (Quake3, "dm3;\ntrailer {\n data 0x00;\n}\n", "dm3 stands first"),
        (Quake3, "\n", "no statement"),
    ];
    let found = all.map(|(game, text, expected)| (text, expected, fault(text, game)));
    assert_found(&found);
    assert_eq!(read(b"dm3;\n", Quake3).unwrap_err().what, "a text has 20 bytes at least");
}

/// What LMPC takes without a word, and makes something else of than the same text is for qdemo: the bytes tell.
#[test]
fn words_that_mean_something_else_to_lmpc() {
    let player = |fields: &str| {
        let start = "serverdata { serverversion 28; age 1; game \"\"; client 0; mapname \"\"; uk_floats 1.0 1.0 1.0 1.0 1.0 \
                     1.0 1.0 1.0 1.0 1.0; }";
        let player = format!("{start} playerinfo {{ player 0; origin 0.0 0.0 0.0; frame 0; {fields} load 13; }}");
        bytes(&around(&player, Game::QuakeWorld), Game::QuakeWorld)
    };
    // Fire alone is fire and jump.
    assert_eq!(player("fire;")[..], player("flag 0 1;"));
    assert_ne!(player("fire;")[..], player("flag 0;"));
    // 5 thousandths as LMPC writes them are 4.
    let sound =
        |time: &str| bytes(&around(&format!("sound {{ soundnum 1; timeofs {time}; }}"), Game::Quake2), Game::Quake2);
    assert_eq!(sound("0.00499999989").last(), Some(&4));
    assert_eq!(sound("0.0055").last(), Some(&5));
    // Each part of a time has a sign.
    let time = |time: &str| bytes(&around(&format!("time {time};"), Game::Quake), Game::Quake)[20..].to_vec();
    assert_eq!(time("-2:-59:-23.26171875h"), (-10_763.262f32).to_le_bytes());
    assert_eq!(time("0.01000000s"), 0x3C23_D70Au32.to_le_bytes());
    assert_eq!(time("1.00000028e-02"), 0x3C23_D70Du32.to_le_bytes());
}
