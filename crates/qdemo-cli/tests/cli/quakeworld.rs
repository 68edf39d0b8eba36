//! QuakeWorld, what a client recorded and what a server recorded, through all verbs.
//!
//! Both recordings are of the same game: one player called Recorder on the map lqdm13. How many blocks of which kind
//! they have, their times and sequence numbers were counted by a few lines of Python over the framing alone.

use super::support::{Place, gzip, testdata};

/// 1,757 blocks: 904 packets, 852 commands and the numbers at the beginning. The client was killed, so that nothing
/// ends it.
const QWD: &str = "ez-dm.qwd";
/// 1,224 records up to `EndOfDemo`, 23,101 ms together; 673 bytes of the server's memory behind it.
const MVD: &str = "ez-dm.mvd";

fn place() -> Place {
    let place = Place::new();
    place.write(QWD, &testdata(QWD));
    place.write(MVD, &testdata(MVD));
    place
}

#[test]
fn info_tells_what_a_client_recorded() {
    let done = place().run(&["info", "--detail", QWD]).ends(0).in_silence();
    for fact in [
        "Format:        QuakeWorld demo (qwd), protocol 28, extensions FTEX 0x21407000, FTE2 0x2, MVD1 0x1\n",
        "Server:        lab\n",
        "Engine:        MVDSV 0.35\n",
        "Game:          qw\n",
        "Recorder:      slot 0, Recorder\n",
        "recorder's clock",
        // The times of the first and of the last block.
        "  lqdm13  Death Provides No Return  0:21.81829  0:50.91623  0:29.09794\n",
        "     0  Recorder      0  recorder\n",
        "Blocks:        1757\n",
        // Sequence numbers jump once, where what the recorder wrote itself ends; that is no loss.
        "Lost packets:  0\n",
        "Unknown:       0 bytes\n",
        "Ending:        no disconnect at the end\n",
        // The only player is in each packet but the 52 that the recorder wrote to begin with.
        "  playerinfo             852 ",
        "Faults:        none\n",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
    for fact in ["Hidden", "Trailer", "KTX", "Matches", "Teams", "spectator"] {
        assert!(!done.text().contains(fact), "`{fact}` does not belong in: {}", done.text());
    }
}

#[test]
fn info_tells_what_a_server_recorded() {
    let done = place().run(&["info", MVD]).ends(0).in_silence();
    for fact in [
        "Format:        QuakeWorld multi-view demo (mvd), protocol 28, extensions MVD1 0x20\n",
        "Server:        lab\n",
        "since the recording began",
        "  lqdm13  Death Provides No Return  0:00.000  0:23.101  0:23.101\n",
        "     0  Recorder      0\n",
        "Blocks:        1224\n",
        "Hidden:        0 of them\n",
        "Trailer:       673 bytes behind the end\n",
        "Ending:        clean (disconnect)\n",
        "Faults:        none\n",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
    for fact in ["Lost", "Recorder:"] {
        assert!(!done.text().contains(fact), "`{fact}` does not belong in: {}", done.text());
    }
}

#[test]
fn info_as_json() {
    let all = place().run(&["info", "--json", "--detail", QWD, MVD]).ends(0).in_silence().objects();
    assert_eq!((&all[0]["format"], &all[0]["protocol"]), (&"qwd".into(), &28.into()));
    assert_eq!((&all[0]["recorder"], &all[0]["spectator"]), (&0.into(), &false.into()));
    assert_eq!((&all[1]["format"], &all[1]["recorder"]), (&"mvd".into(), &serde_json::Value::Null));
    assert_eq!(all[1]["levels"][0]["to_ms"], 23_101);
    assert_eq!(all[1]["trailer_bytes"], 673);
    for facts in all {
        assert_eq!(facts["players"][0]["name"], "Recorder");
        assert_eq!((&facts["map"], &facts["server"], &facts["ktx"]), (&"lqdm13".into(), &"lab".into(), &false.into()));
        let kinds = facts["messages_by_kind"].as_array().unwrap();
        let count: u64 = kinds.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
        assert_eq!(facts["messages"], count);
    }
}

/// A multi-view demo with this behind its beginning, and its end.
fn multiview(place: &Place, name: &str, records: &str) {
    let text = format!(
        r#"mvd;
        mblock {{ msec 0; all; serverdata {{ extensions 0x3144564D 0x20; serverversion 28; age 1; game "qw";
            servertime 1; mapname "Two"; movevars 800 100 320 500 10 10 10 4 4 1; }}
            stufftext "fullserverinfo \"\\teamplay\\2\"\n"; }}
        {records}
        mblock {{ msec 10; all; disconnect "EndOfDemo"; }}"#
    );
    place.write("demo.txt", text.as_bytes());
    place.run(&["compile", "demo.txt", "-o", name]).ends(0).in_silence();
}

#[test]
fn statistics_of_ktx_are_printed() {
    let place = place();
    // They come in numbered parts; the last one is number 0.
    multiview(
        &place,
        "ktx.mvd",
        r#"mblock { msec 9; multiple 0; hidden_demoinfo { block 1; text "{\"map\":\"dm6\",\"tl"; } }
           mblock { msec 9; multiple 0; hidden_demoinfo { block 0; text "\": 10, \"duration\":600.0}"; } }"#,
    );
    let done = place.run(&["info", "--ktx", "ktx.mvd"]).ends(0).in_silence();
    assert_eq!(done.text(), "{\n  \"map\": \"dm6\",\n  \"tl\": 10,\n  \"duration\": 600.0\n}\n");
    let done = place.run(&["info", "--ktx", "--json", "ktx.mvd", MVD]).ends(1).says("ez-dm.mvd: there are no KTX");
    let lines: Vec<_> = done.text().lines().collect();
    assert_eq!(lines[0], r#"{"file":"ktx.mvd","ktx_stats":{"map":"dm6","tl":10,"duration":600.0}}"#);
    assert_eq!(lines[1], r#"{"file":"ez-dm.mvd","ktx_stats":null}"#);
    place.run(&["info", "ktx.mvd"]).ends(0).shows("KTX statistics: embedded, 40 bytes; --ktx prints them\n");
}

#[test]
fn a_demo_without_statistics_says_so() {
    for name in [QWD, MVD] {
        let done = place().run(&["info", "--ktx", name]).ends(1).says("there are no KTX statistics");
        assert_eq!(done.text(), "");
    }
}

/// Servers tell a slot's frags in front of its user. Who leaves keeps the frags: the 0 that comes then is the slot's.
#[test]
fn frags_are_those_of_the_player() {
    let user = |slot: u8, user: u8, frags: i16, info: &str| {
        format!(
            r#"mblock {{ msec 1; all; updatefrags {{ player {slot}; frags {frags}; }}
                updateuserinfo {{ player {slot}; user {user}; string "{info}"; }} }}"#
        )
    };
    let place = Place::new();
    let records = [
        user(0, 1, 5, r"\\name\\Ann\\team\\red"),
        user(1, 2, 7, r"\\name\\Bob\\team\\red"),
        user(2, 3, -1, r"\\name\\Cyd\\team\\blue"),
        user(3, 4, 0, r"\\name\\Dan\\*spectator\\1"),
        "mblock { msec 1; all; updatefrags { player 1; frags 8; } }".to_owned(),
        user(1, 2, 0, ""),
        user(1, 5, 0, r"\\name\\Eve\\team\\blue"),
    ];
    multiview(&place, "teams.mvd", &records.concat());
    let done = place.run(&["info", "teams.mvd"]).ends(0).in_silence();
    for fact in [
        "     0  Ann   red       5\n",
        "     1  Bob   red       8             left\n",
        "     1  Eve   blue      0\n",
        "     2  Cyd   blue     -1\n",
        "     3  Dan                spectator\n",
        "  red         2     13\n",
        "  blue        2     -1\n",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
}

/// A match, on the clock of the demo; prints come in pieces.
#[test]
fn matches_have_times() {
    let place = Place::new();
    let print =
        |msec: u8, text: &str| format!(r#"mblock {{ msec {msec}; all; print {{ level 2; string "{text}"; }} }}"#);
    let records =
        [print(100, "matchdate: 2026-03-25 11:54:30 UTC\\n"), print(100, "The match has "), print(50, "begun!\\n")];
    multiview(&place, "begun.mvd", &records.concat());
    let done = place.run(&["info", "begun.mvd"]).ends(0).in_silence();
    done.shows("Match date:    2026-03-25 11:54:30 UTC\n").shows("  0:00.250  0:00.260  0:00.010  without its end\n");
    multiview(&place, "over.mvd", &[records.concat(), print(255, "The match is over\\n")].concat());
    place.run(&["info", "over.mvd"]).ends(0).in_silence().shows("  0:00.250  0:00.505  0:00.255  whole\n");
}

#[test]
fn packets_that_are_missing_are_counted() {
    let place = Place::new();
    // 2 to 4 and 6 are missing; the step from the recorder's own numbers to the game's is none.
    let packets = [1, 5, 7].map(|n| format!("sblock {{ time 1; seq1 {n}; seq2 1; nop; }}"));
    let begin = r#"sblock { time 0; seq1 1; seq2 1; serverdata { serverversion 28; age 1; game "qw"; client 128;
        mapname "Two"; movevars 800 100 320 500 10 10 10 4 4 1; } } sblock { time 0; seq1 2; seq2 2; nop; }
        fblock { time 1; seq1 9; seq2 500; }"#;
    place.write("demo.txt", [begin, &packets.concat()].concat().as_bytes());
    place.run(&["compile", "demo.txt", "-o", "lost.qwd"]).ends(0).in_silence();
    let done = place.run(&["info", "lost.qwd"]).ends(0).in_silence();
    done.shows("Lost packets:  4 (on the way, or held back by the server)\n")
        .shows("Recorder:      slot 0, spectator\n");
}

#[test]
fn there_and_back_again() {
    for name in [QWD, MVD] {
        let place = place();
        for style in [&["--style", "text"][..], &["--style", "lmpc"], &["--json"]] {
            let args = [&["--quiet", "decompile", name, "-o", "demo.txt"], style].concat();
            place.run(&args).ends(0).in_silence();
            place.run(&["compile", "demo.txt", "-o", "again"]).ends(0).in_silence();
            assert!(place.read("again") == testdata(name), "{name} {style:?}");
            std::fs::remove_file(place.path("demo.txt")).unwrap();
            std::fs::remove_file(place.path("again")).unwrap();
        }
    }
}

/// Eight decimals, as LMPC has them, do not tell 0.0021111611 seconds; nothing may be left of the attempt.
#[test]
fn short_times_survive_the_style_of_lmpc() {
    let place = Place::new();
    let text = b"sblock { time 0.0021111611; connless { connect; } } sblock { time 0.5; seq1 0; seq2 0; }";
    let demo = place.run_with(&["compile", "-"], text).ends(0).in_silence().out;
    place.write("short.qwd", &demo);
    let done = place.run(&["--quiet", "decompile", "--style", "lmpc", "short.qwd"]).ends(0);
    let again = place.run_with(&["compile", "-"], &done.out).ends(0).in_silence().out;
    assert_eq!(again, demo);
}

/// The time of a record and the duration of a command within it are two things, in JSON too.
#[test]
fn a_command_in_a_record_has_its_own_duration() {
    let place = Place::new();
    let command = "command; command_msec 13; angles 0 90 0; speed 400 0 0; fire; viewangles 1 2 3;";
    multiview(&place, "command.mvd", &format!("mblock {{ msec 5; {command} }}"));
    let lines = place.run(&["decompile", "--json", "command.mvd"]).ends(0).in_silence().objects();
    assert_eq!((&lines[2]["msec"], &lines[2]["command_msec"]), (&5.into(), &13.into()));
}

#[test]
fn json_is_one_object_for_each_piece() {
    let place = place();
    let chunks = place.run(&["decompile", "--json", QWD]).ends(0).in_silence().objects();
    let count = |name: &str| chunks.iter().filter(|chunk| chunk["piece"] == name).count();
    assert_eq!(["sblock", "cblock", "fblock"].map(count), [904, 852, 1]);
    let chunks = place.run(&["decompile", "--json", MVD]).ends(0).in_silence().objects();
    assert_eq!(chunks.len(), 1 + 1224 + 1);
    assert_eq!(chunks[0].to_string(), r#"{"piece":"mvd"}"#);
    assert_eq!(chunks.iter().filter_map(|chunk| chunk["msec"].as_u64()).sum::<u64>(), 23_101);
    assert_eq!(chunks[1225]["data"].as_array().unwrap().len(), 673);
}

#[test]
fn verify_says_how_much_is_covered() {
    let place = place();
    place.run(&["verify", QWD]).ends(0).in_silence().shows("exact  ez-dm.qwd: 1757 blocks, ");
    place.run(&["verify", MVD]).ends(0).in_silence().shows(" 30623 bytes covered\n");
}

#[test]
fn folders_are_searched_for_them() {
    let place = Place::new();
    for (name, demo) in [("demos/a.QWD", testdata(QWD)), ("demos/b.mvd.gz", gzip(&testdata(MVD)))] {
        place.write(name, &demo);
    }
    let done = place.run(&["verify", "demos"]).ends(0).says("2 files: 2 exact and whole");
    done.shows("exact  demos/a.QWD: 1757 blocks").shows("exact  demos/b.mvd.gz: 1224 blocks");
}

#[test]
fn the_reference_has_messages_and_blocks() {
    let place = Place::new();
    // Numbers as the engines have them: 42 is a player in both kinds of demos, with other fields.
    place.run(&["schema", "qwd", "playerinfo"]).ends(0).in_silence().shows("Number 42. ").shows("LMPC: cspeed_x");
    place.run(&["schema", "mvd", "mvdplayerinfo"]).ends(0).in_silence().shows("Number 42. ").shows("mask bit 11");
    place.run(&["schema", "qwd", "packetentity"]).ends(0).shows("Within packetentities and deltapacketentities. ");
    place.run(&["schema", "mvd", "mblock"]).ends(0).shows("multiple ");
    place.run(&["schema", "mvd", "playerinfo"]).ends(2).says("no such message");
}

/// The examples of the page on the text form, and their bytes, which were put together by hand from the tables.
#[test]
fn the_documented_examples_have_the_documented_bytes() {
    let page = include_str!("../../../../docs/text-format.md");
    let place = Place::new();
    for (begin, size, from, until) in [("sblock {", 210, "00 00 C0 3F  01", 186), ("mvd;", 151, "00 03 00", 151)] {
        let blocks: Vec<_> = page.split("```text\n").filter_map(|part| part.split("```").next()).collect();
        let text = blocks.iter().find(|part| part.starts_with(begin)).unwrap();
        let demo = place.run_with(&["compile", "-"], text.as_bytes()).ends(0).in_silence().out;
        assert_eq!(demo.len(), size);
        let listed = blocks.iter().find(|part| part.starts_with(from)).unwrap();
        let is_byte =
            |word: &&str| word.len() == 2 && word.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        let bytes: Vec<_> = listed
            .lines()
            // Remarks stand behind three blanks.
            .flat_map(|line| line.split("   ").next().unwrap().split_whitespace().filter(is_byte))
            .map(|word| u8::from_str_radix(word, 16).unwrap())
            .collect();
        assert_eq!(demo[until - bytes.len()..until], bytes, "{begin}");
        let back = place.run_with(&["decompile", "-"], &demo).ends(0).out;
        assert!(String::from_utf8(back).unwrap().ends_with(text));
    }
}
