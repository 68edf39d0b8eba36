//! Quake III, through all verbs.
//!
//! What the recordings hold was counted by a reader of a few lines in another language, over the framing and the
//! engine's Huffman code; ioquake3, playing them, began as many messages as there are blocks.

use super::support::{Place, gzip, testdata};

/// A free for all of bots: 397 blocks with a gamestate, 396 snapshots and 11 commands.
const DM2: &str = "oa-dm2.dm_68";

fn place() -> Place {
    let place = Place::new();
    place.write(DM2, &testdata(DM2));
    place
}

/// Where the packets of a demo end: sequence and size, four bytes each, then the packet.
fn ends(demo: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    while demo[at..] != [0xFF; 8] {
        at += 8 + u32::from_le_bytes(demo[at + 4..at + 8].try_into().unwrap()) as usize;
        ends.push(at);
    }
    ends
}

#[test]
fn info_tells_what_people_ask_for() {
    let done = place().run(&["info", "--detail", "--wide", DM2]).ends(0).in_silence();
    for fact in [
        "Format:        Quake III demo (dm3), protocol 68 (quake3-1.32)\n",
        // An ioquake3 server tells its own protocol only.
        "as the name says; serverinfo does not tell",
        "Engine:        ioq3 1.36",
        "Game:          baseoa, version baseoa-1\n",
        "server clock",
        // First and last snapshot: 5,000 and 26,350 ms.
        "  oa_dm2  Claustrophobopolis (Converted from q1 sources)  free for all  slot 0    0:05.000  0:26.350  0:21.350\n",
        "  0:05.000  0:26.350  0:21.350  under way throughout\n",
        "     0  Recorder  free  recorder\n",
        "     2  Kyonshi   free\n",
        "Blocks:        397\n",
        "Messages:      408\n",
        "Snapshots:     396\n",
        "Commands:      11\n",
        "Lost packets:  0\n",
        "Unknown:       0 bytes\n",
        "Ending:        clean (end mark)\n",
        "  gamestate          1 ",
        "Faults:        none\n",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
    for fact in ["Seen through", "Trailer", "Clan", "left"] {
        assert!(!done.text().contains(fact), "`{fact}` does not belong in: {}", done.text());
    }
}

/// A spectator who looks through the eyes of three others.
#[test]
fn info_tells_who_was_seen_through() {
    let place = Place::new();
    place.write("oa-dm5.dm_66", &testdata("oa-dm5.dm_66"));
    let done = place.run(&["info", "oa-dm5.dm_66"]).ends(0).in_silence();
    done.shows("Seen through:  slots 0, 1, 2, 3\n")
        .shows("     0  Recorder  spectator  recorder\n")
        .shows("     2  Kyonshi   red\n")
        .shows("oa_dm5  The Cistern  team deathmatch");
}

#[test]
fn info_quick_leaves_out_what_it_does_not_read() {
    let place = place();
    let done = place.run(&["info", "--quick", DM2]).ends(0).in_silence();
    for told in ["oa_dm2", "Players:", "Snapshots:", "Ending:        clean"] {
        assert!(done.text().contains(told), "{}", done.text());
    }
    for untold in ["Messages:", "Matches:", "Seen through:"] {
        assert!(!done.text().contains(untold), "{}", done.text());
    }
    place.run(&["info", "--quick", "--detail", DM2]).ends(2);
}

#[test]
fn info_as_json() {
    let place = place();
    place.write("oa-dm4.dm_71", &testdata("oa-dm4.dm_71"));
    let done = place.run(&["info", "--json", "--detail", DM2, "oa-dm4.dm_71"]).ends(0).in_silence();
    let all = done.objects();
    let counts = |facts: &serde_json::Value| {
        ["blocks", "messages", "snapshots", "commands"].map(|key| facts[key].as_u64().unwrap())
    };
    assert_eq!(counts(&all[0]), [397, 408, 396, 11]);
    assert_eq!(counts(&all[1]), [816, 869, 815, 53]);
    assert_eq!((&all[0]["format"], &all[0]["protocol"]), (&"dm3".into(), &68.into()));
    assert_eq!((&all[1]["protocol"], &all[1]["dialect"]), (&71.into(), &"ioquake3".into()));
    assert_eq!(all[0]["levels"][0]["length_ms"], 26_350 - 5_000);
    assert_eq!(all[1]["map"], "oa_dm4");
    let names = all[1]["players"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap());
    let six_bots = ["Recorder", "Sarge", "Kyonshi", "Angelyss", "Arachna", "Major", "Sorceress"];
    assert_eq!(names.collect::<Vec<_>>(), six_bots);
    let kinds = all[0]["messages_by_kind"].as_array().unwrap().iter();
    let kinds: Vec<_> =
        kinds.map(|kind| (kind["message"].as_str().unwrap(), kind["count"].as_u64().unwrap())).collect();
    assert_eq!(kinds, [("gamestate", 1), ("serverCommand", 11), ("snapshot", 396)]);
}

#[test]
fn there_and_back_again() {
    for name in [DM2, "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let place = Place::new();
        place.write(name, &testdata(name));
        place.run(&["decompile", name, "-o", "demo.txt"]).ends(0).in_silence();
        place.run(&["compile", "demo.txt", "-o", "again"]).ends(0).in_silence();
        assert!(place.read("again") == testdata(name), "{name}");
        place.run(&["decompile", "--json", name, "-o", "demo.jsonl"]).ends(0).in_silence();
        place.run(&["compile", "demo.jsonl", "-o", "again"]).ends(0).in_silence();
        assert!(place.read("again") == testdata(name), "{name} by JSON");
    }
}

#[test]
fn json_is_one_object_for_each_piece() {
    let chunks = place().run(&["decompile", "--json", DM2]).ends(0).in_silence().objects();
    assert_eq!(chunks.len(), 1 + 397 + 1);
    assert_eq!(chunks[0].to_string(), r#"{"piece":"dm3","protocol":68}"#);
    assert_eq!(chunks[398].to_string(), r#"{"piece":"endblock"}"#);
    let first = &chunks[2]["messages"][0];
    assert_eq!((&first["message"], &first["serverTime"]), (&"snapshot".into(), &5_000.into()));
}

/// LMPC's language has no word for the byte behind the last bit of a message: the command says so, and what comes back
/// has zeros there and nothing else changed.
#[test]
fn the_style_of_lmpc_loses_the_tails_and_says_so() {
    let place = place();
    let done = place.run(&["decompile", "--style", "lmpc", DM2, "-o", "demo.txt"]).ends(0);
    done.says("pieces are beyond LMPC's language").says("without --style lmpc qdemo does");
    place.run(&["compile", "demo.txt", "-o", "again"]).ends(0).in_silence();
    let (demo, again) = (testdata(DM2), place.read("again"));
    assert_eq!(demo.len(), again.len());
    let changed: Vec<_> = (0..demo.len()).filter(|n| demo[*n] != again[*n]).collect();
    assert!(!changed.is_empty());
    let ends = ends(&demo);
    assert!(changed.iter().all(|n| again[*n] == 0 && ends.contains(&(n + 1))), "{changed:?}");
}

#[test]
fn verify_says_how_much_is_covered() {
    let done = place().run(&["verify", DM2]).ends(0).in_silence();
    assert_eq!(done.text(), "exact  oa-dm2.dm_68: 397 blocks, 408 messages, 20667 bytes covered\n");
}

/// Everything in front of the place where the file ends is still there.
#[test]
fn a_cut_demo_is_damaged() {
    let place = Place::new();
    let demo = testdata(DM2);
    let within = ends(&demo)[199] + 20;
    place.write("cut.dm_68", &demo[..within]);
    place.run(&["verify", "cut.dm_68"]).ends(1).shows("truncated").shows("block 200");
    let done = place.run(&["info", "cut.dm_68"]).ends(0);
    done.shows("Snapshots:     199\n").shows("no end mark at the end").shows("Faults:        1\n");
    place.run(&["decompile", "cut.dm_68", "-o", "cut.txt"]).ends(0).says("warning: cut.dm_68: truncated");
    place.run(&["compile", "cut.txt", "-o", "again"]).ends(0);
    assert_eq!(place.read("again"), demo[..within]);
}

#[test]
fn folders_are_searched_for_them() {
    let place = Place::new();
    for (name, demo) in [("demos/a.DM_68", testdata(DM2)), ("demos/b.dm_68.gz", gzip(&testdata(DM2)))] {
        place.write(name, &demo);
    }
    let done = place.run(&["verify", "demos"]).ends(0).says("2 files: 2 exact and whole");
    done.shows("exact  demos/a.DM_68: 397 blocks").shows("exact  demos/b.dm_68.gz: 397 blocks");
}

/// The example of the page on the text form, and its bytes, which were put together by hand from the tables.
#[test]
fn the_documented_example_has_the_documented_bytes() {
    let page = include_str!("../../../../docs/text-format.md");
    let text = page.split("```text\n").find(|part| part.starts_with("dm3 {")).unwrap();
    let text = text.split("```").next().unwrap();
    let demo = Place::new().run_with(&["compile", "-"], text.as_bytes()).ends(0).in_silence().out;
    assert_eq!(demo.len(), 120);
    let third =
        [0x4A, 0, 0, 0, 13, 0, 0, 0, 0x6C, 0xF5, 0x1F, 0x10, 0xBF, 0xEE, 0xD0, 0xFD, 0x12, 0x23, 0x9F, 0xAC, 0x3A];
    assert_eq!(demo[112 - third.len()..112], third);
    let back = Place::new().run_with(&["decompile", "-"], &demo).ends(0).out;
    assert!(String::from_utf8(back).unwrap().ends_with(text));
}
