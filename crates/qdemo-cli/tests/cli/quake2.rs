//! Quake II, through all verbs.
//!
//! What the recording holds was counted by a reader of a few lines in another language: blocks behind their sizes, and
//! the first message of each.

use super::support::{Place, gzip, testdata};

/// Deathmatch rules, two players: 215 blocks; the first frame has number 1, the last one 210.
const DEMO1: &str = "q2-demo1.dm2";

fn place() -> Place {
    let place = Place::new();
    place.write(DEMO1, &testdata(DEMO1));
    place
}

/// Where the blocks of a demo end: a size in four bytes, then the block; the size -1 ends it.
fn ends(demo: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    while demo[at..] != [0xFF; 4] {
        at += 4 + u32::from_le_bytes(demo[at..at + 4].try_into().unwrap()) as usize;
        ends.push(at);
    }
    ends
}

#[test]
fn info_tells_what_people_ask_for() {
    let done = place().run(&["info", "--detail", DEMO1]).ends(0).in_silence();
    for fact in [
        "Format:        Quake II demo (dm2), protocol 34 (quake2), recorded by a client\n",
        "serverdata of protocol 34",
        "Game:          baseq2\n",
        "ten frames a second",
        // Frames 1 to 210, ten a second.
        "  demo1  Outer Base  slot 0    0:00.100  0:21.000  0:20.900     210\n",
        "     0  Recorder  male/grunt  recorder\n",
        "     1  Second    male/grunt\n",
        "Blocks:        215\n",
        "Unknown:       0 bytes\n",
        "Ending:        clean (end mark)\n",
        "  frame             210 ",
        "Faults:        none\n",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
    for fact in ["Trailer", "left", "promises"] {
        assert!(!done.text().contains(fact), "`{fact}` does not belong in: {}", done.text());
    }
}

#[test]
fn info_as_json() {
    let done = place().run(&["info", "--json", "--detail", DEMO1]).ends(0).in_silence();
    let facts = &done.objects()[0];
    assert_eq!((&facts["format"], &facts["protocol"], &facts["blocks"]), (&"dm2".into(), &34.into(), &215.into()));
    assert_eq!((&facts["recorded_by"], &facts["ends_cleanly"]), (&"client".into(), &true.into()));
    let level = &facts["levels"][0];
    assert_eq!((&level["map"], &level["title"]), (&"demo1".into(), &"Outer Base".into()));
    assert_eq!([&level["first_frame"], &level["last_frame"], &level["frames"]], [1, 210, 210]);
    assert_eq!([&level["from_ms"], &level["to_ms"]], [100, 21_000]);
    let names: Vec<_> = facts["players"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Recorder", "Second"]);
    let kinds = facts["messages_by_kind"].as_array().unwrap();
    let count: u64 = kinds.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
    assert_eq!(facts["messages"], count);
    // The messages and the sizes of the blocks make up the file, but for the end mark.
    let bytes: u64 = kinds.iter().map(|kind| kind["bytes"].as_u64().unwrap()).sum();
    assert_eq!(bytes, 22_705 - 4 * 215 - 4);
}

#[test]
fn there_and_back_again() {
    let place = place();
    for args in [&["decompile", DEMO1][..], &["decompile", "--json", DEMO1], &["decompile", "--style", "lmpc", DEMO1]] {
        let text = place.run(args).ends(0).in_silence();
        let back = place.run_with(&["compile", "-"], &text.out).ends(0).in_silence();
        assert!(back.out == testdata(DEMO1), "{args:?}");
    }
}

#[test]
fn a_compiled_text_has_the_usual_extension() {
    let place = place();
    place.run(&["decompile", DEMO1, "-o", "texts/"]).ends(0);
    assert_eq!(place.names("texts"), ["q2-demo1.dm2.txt"]);
    place.run(&["compile", "texts", "-o", "demos/"]).ends(0);
    assert!(place.read("demos/q2-demo1.dm2") == testdata(DEMO1));
}

#[test]
fn json_is_one_object_for_each_piece() {
    let chunks = place().run(&["decompile", "--json", DEMO1]).ends(0).in_silence().objects();
    assert_eq!(chunks.len(), 1 + 215 + 1);
    assert_eq!(chunks[0].to_string(), r#"{"piece":"dm2"}"#);
    assert_eq!(chunks[216].to_string(), r#"{"piece":"endblock"}"#);
    let first = &chunks[1]["messages"][0];
    assert_eq!((&first["message"], &first["serverversion"]), (&"serverdata".into(), &34.into()));
    let last = &chunks[215]["messages"][0];
    assert_eq!((&last["message"], &last["seq1"], &last["seq2"]), (&"frame".into(), &210.into(), &209.into()));
}

/// LMPC's words for what has other ones: numbers of the status bar in a list, the skin in two parts.
#[test]
fn the_style_of_lmpc() {
    let done = place().run(&["decompile", "--style", "lmpc", DEMO1]).ends(0).in_silence();
    done.shows("// source: DM2 binary file q2-demo1.dm2\n\nblock {\n serverdata {\n  serverversion 34;\n")
        .shows("  stats {\n   stat {\n    index 2;\n    value 14;\n   }\n")
        .shows("   skin 0;\n   vwep 8;\n")
        .shows("  uk_b1 0;\n");
}

#[test]
fn verify_says_how_much_is_covered() {
    let place = place();
    place.write("demos/a.DM2", &testdata(DEMO1));
    place.write("demos/b.dm2.gz", &gzip(&testdata(DEMO1)));
    let done = place.run(&["verify", DEMO1]).ends(0).in_silence();
    assert!(done.text().starts_with("exact  q2-demo1.dm2: 215 blocks, "), "{}", done.text());
    assert!(done.text().ends_with(" messages, 22705 bytes covered\n"), "{}", done.text());
    let done = place.run(&["verify", "demos"]).ends(0).says("2 files: 2 exact and whole");
    done.shows("exact  demos/a.DM2: 215 blocks").shows("exact  demos/b.dm2.gz: 215 blocks");
}

#[test]
fn the_content_counts_not_the_name() {
    let place = Place::new();
    for name in ["demo1.dem", "demo1.dm_68", "demo1.qwd", "demo1"] {
        place.write(name, &testdata(DEMO1));
        place.run(&["info", name]).ends(0).shows("Quake II demo (dm2), protocol 34");
        place.run(&["verify", name]).ends(0).shows("exact");
    }
    place.run(&["info", "demo1.dem"]).ends(0).shows("the name promises something else");
    place.run(&["info", "--json", "demo1.dem"]).ends(0).shows(r#""name_disagrees":true"#);
}

/// Everything in front of the place where the file ends is still there.
#[test]
fn a_cut_demo_is_damaged() {
    let place = Place::new();
    let demo = testdata(DEMO1);
    let within = ends(&demo)[100] + 10;
    place.write("cut.dm2", &demo[..within]);
    place.run(&["verify", "cut.dm2"]).ends(1).shows("truncated").shows("block 101");
    let done = place.run(&["info", "cut.dm2"]).ends(0);
    // Block 100 holds frame 96.
    done.shows("0:00.100  0:09.600").shows("no end mark at the end").shows("Faults:        1\n");
    place.run(&["decompile", "cut.dm2", "-o", "cut.txt"]).ends(0).says("warning: cut.dm2: truncated");
    place.run(&["compile", "cut.txt", "-o", "again"]).ends(0);
    assert_eq!(place.read("again"), demo[..within]);
}

/// The page's example, put together by hand from the tables.
const EXAMPLE: [u8; 113] = [
    0x32, 0, 0, 0, 0x0C, 0x22, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0x4F, 0x75, 0x74, 0x65, 0x72, 0x20, 0x42, 0x61, 0x73,
    0x65, 0, 0x0D, 0x23, 0, 0x6D, 0x6F, 0x64, 0x65, 0x6C, 0x73, 0x2F, 0x62, 0x6F, 0x78, 0x2E, 0x6D, 0x64, 0x32, 0,
    0x0E, 0x85, 8, 0x28, 3, 0, 4, 0x40, 0x33, 0, 0, 0, 0x14, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 2, 0x11, 2, 9,
    0x20, 3, 0x3C, 0xFF, 0x40, 0, 0, 0, 0, 0x40, 0, 0, 0x5A, 2, 0, 0, 0, 0x64, 0, 0x12, 0x11, 0x28, 0x0C, 0x11, 4,
    0xC0, 1, 0x2C, 1, 0, 0, 9, 8, 5, 0x41, 1, 0xFF, 0xFF, 0xFF, 0xFF,
];

/// The example of the page on the text form.
#[test]
fn the_documented_example_has_the_documented_bytes() {
    let page = include_str!("../../../../docs/text-format.md");
    let text = page.split("```text\n").find(|part| part.starts_with("dm2;")).unwrap();
    let text = text.split("```").next().unwrap();
    let demo = Place::new().run_with(&["compile", "-"], text.as_bytes()).ends(0).in_silence().out;
    assert_eq!(demo, EXAMPLE);
    let back = Place::new().run_with(&["decompile", "-"], &demo).ends(0).out;
    assert!(String::from_utf8(back).unwrap().ends_with(text));
}
