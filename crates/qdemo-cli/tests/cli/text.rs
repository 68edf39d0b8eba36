//! `decompile` and `compile`.

use super::support::{Place, clip, gzip};

#[test]
fn there_and_back_again() {
    let place = Place::with_clip();
    for (style, text) in [("text", "demo1.txt"), ("lmpc", "demo1.lmpc")] {
        place.run(&["decompile", "demo1.dem", "--style", style, "-o", text]).ends(0);
        place.run(&["compile", text, "-o", "again.dem"]).ends(0).in_silence();
        assert_eq!(place.read("again.dem"), clip(), "{style}");
    }
    let done = place.run(&["decompile", "demo1.dem", "--json", "-o", "demo1.jsonl"]).ends(0).in_silence();
    assert!(done.out.is_empty());
    place.run(&["compile", "demo1.jsonl", "-o", "again.dem"]).ends(0).in_silence();
    assert_eq!(place.read("again.dem"), clip());
}

#[test]
fn through_pipes() {
    let place = Place::new();
    let text = place.run_with(&["decompile", "-"], &clip()).ends(0).in_silence();
    let demo = place.run_with(&["compile", "-"], &text.out).ends(0).in_silence();
    assert_eq!(demo.out, clip());
    let demo = place.run_with(&["compile", "-", "-o", "-"], &text.out).ends(0).in_silence();
    assert_eq!(demo.out, clip());
}

#[test]
fn standard_input_is_read_once() {
    let done = Place::new().run_with(&["verify", "-", "-"], &clip()).ends(2).says("only once");
    done.shows("exact  -: 1104 blocks");
}

#[test]
fn json_is_one_object_for_each_piece() {
    let done = Place::with_clip().run(&["decompile", "--json", "demo1.dem"]).ends(0).in_silence();
    let chunks = done.objects();
    assert_eq!(chunks[0]["piece"], "track");
    assert_eq!(chunks.len(), 1 + 1104);
}

#[test]
fn anything_survives() {
    let place = Place::new();
    for (name, bytes) in [("noise.dem", [0xA5; 1000].as_slice()), ("empty.dem", b""), ("cut.dem", &clip()[..5000])] {
        place.write(name, bytes);
        place.run(&["decompile", name, "-o", "x.txt"]).ends(0);
        place.run(&["compile", "x.txt", "-o", "x.dem"]).ends(0);
        assert_eq!(place.read("x.dem"), bytes, "{name}");
    }
}

#[test]
fn damage_is_a_warning_and_quiet_keeps_it_back() {
    let place = Place::new();
    place.write("cut.dem", &clip()[..5000]);
    place.run(&["decompile", "cut.dem", "-o", "x.txt"]).ends(0).says("qdemo: warning: cut.dem: truncated");
    place.run(&["decompile", "--quiet", "cut.dem", "-o", "x.txt"]).ends(0).in_silence();
    place.run(&["decompile", "cut.dem", "--style", "lmpc", "-o", "x.txt"]).ends(0).says("beyond LMPC's language");
}

#[test]
fn a_mistake_is_shown_with_its_line() {
    let place = Place::new();
    place.write("bad.txt", b"track \"-1\\n\";\nblock {\n camera 0 0 0;\n tiem 1;\n}\n");
    place.write("old.dem", b"old");
    let done = place.run(&["compile", "bad.txt", "-o", "old.dem"]).ends(2).says("qdemo: bad.txt:4:2: ");
    let lines: Vec<_> = done.err.lines().collect();
    assert_eq!(lines[1], "  |  tiem 1;");
    assert_eq!(lines[2], "  |  ^");
    // What was there stays, and nothing half-done lies beside it.
    assert_eq!(place.read("old.dem"), b"old");
    assert_eq!(place.names("."), ["bad.txt", "old.dem"]);
}

#[test]
fn a_text_may_be_packed() {
    let place = Place::new();
    place.write("tiny.txt.gz", &gzip(b"track \"-1\\n\"; block { camera 0 0 0; disconnect; }"));
    place.run(&["compile", "tiny.txt.gz", "-o", "tiny.dem"]).ends(0).in_silence();
    assert_eq!(place.read("tiny.dem"), b"-1\n\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02");
}

#[test]
fn a_folder_of_demos_becomes_a_folder_of_texts_and_back() {
    let place = Place::new();
    place.write("demos/a.dem", &clip());
    place.write("demos/sub/b.dem.gz", &gzip(&clip()));
    place.run(&["decompile", "demos", "-o", "texts"]).ends(0);
    assert_eq!(place.names("texts"), ["a.dem.txt", "sub"]);
    assert_eq!(place.names("texts/sub"), ["b.dem.gz.txt"]);
    place.run(&["compile", "texts", "-o", "again"]).ends(0);
    assert_eq!(place.read("again/a.dem"), clip());
    place.run(&["decompile", "--json", "demos/a.dem", "-o", "texts"]).ends(0);
    place.run(&["decompile", "demos/a.dem", "-o", "new/"]).ends(0);
    assert_eq!(place.names("new"), ["a.dem.txt"]);
    assert_eq!(place.names("texts"), ["a.dem.jsonl", "a.dem.txt", "sub"]);
}

#[test]
fn several_files_need_a_folder() {
    let place = Place::with_clip();
    place.run(&["decompile", "demo1.dem", "demo1.dem"]).ends(2).says("give -o FOLDER");
    place.run(&["decompile", "demo1.dem", "demo1.dem", "-o", "-"]).ends(2).says("give -o FOLDER");
    place.run(&["decompile", "demo1.dem", "demo1.dem", "-o", "demo1.dem"]).ends(2).says("give -o FOLDER");
    // Two results of one name: the second would destroy the first.
    let done = place.run(&["decompile", "demo1.dem", "demo1.dem", "-o", "texts"]).ends(2).says("taken by another");
    assert_eq!(done.err.lines().count(), 1);
    assert_eq!(place.names("texts"), ["demo1.dem.txt"]);
}
