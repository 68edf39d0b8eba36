//! Parts of recordings: `cut` and `split`. The library's tests hold the states and events of clips against the original.

use crate::support::{Place, testdata};

fn place() -> Place {
    Place::with(&["oa-dm4.dm_71", "ez-dm.mvd", "dm13-15.dem"])
}

#[test]
fn a_clip_is_a_recording_of_its_own() {
    let place = place();
    place.run(&["cut", "oa-dm4.dm_71", "--from", "10", "--to", "0:20", "-o", "clip.dm_71"]).ends(0).in_silence();
    place.run(&["verify", "clip.dm_71"]).ends(0).shows("exact");
    // The start that was made counts, as its bytes do.
    let told = place.run(&["cut", "ez-dm.mvd", "--from", "5", "--to", "9", "-o", "part.mvd"]).ends(0);
    let blocks = told.text().split(", ").find(|part| part.ends_with(" blocks")).unwrap().to_owned();
    place.run(&["verify", "part.mvd"]).ends(0).shows(&format!("part.mvd: {blocks}, "));
    let state = |demo: &str, at: &str| place.run(&["state", demo, "--at", at, "--json"]).ends(0).objects().remove(0);
    // On the server's clock both have the same times.
    let (ours, theirs) = (state("clip.dm_71", "server:20"), state("oa-dm4.dm_71", "server:20"));
    assert_eq!((&ours["players"], &ours["entities"]), (&theirs["players"], &theirs["entities"]));
    assert!(!ours["entities"].as_array().unwrap().is_empty());
}

#[test]
fn places_on_all_clocks() {
    let place = place();
    let account = |args: &[&str]| {
        let line = place.run(&[&["cut", "-n", "--json"], args].concat()).ends(0).objects().remove(0);
        (line["first"]["block"].as_u64().unwrap(), line["last"]["block"].as_u64().unwrap())
    };
    let whole = account(&["ez-dm.mvd"]);
    assert_eq!(whole.0, 0);
    assert_eq!(account(&["ez-dm.mvd", "--from", "start", "--to", "end"]), whole);
    assert_eq!(account(&["ez-dm.mvd", "--from", "block:100", "--to", "block:200"]), (100, 200));
    let times = ["--from", "2", "--to", "3000ms"];
    let clocks = ["--from", "recording:2", "--to", "clock:0:03"];
    assert_eq!(account(&[&["ez-dm.mvd"], &times[..]].concat()), account(&[&["ez-dm.mvd"], &clocks[..]].concat()));
    for wrong in [["--from", "server:2"], ["--to", "frame:9"], ["--from", "9:00"]] {
        place.run(&[&["cut", "-n", "ez-dm.mvd"], &wrong[..]].concat()).ends(2);
    }
    place.run(&["cut", "-n", "ez-dm.mvd", "--from", "noon"]).ends(2);
    place.run(&["cut", "-n", "ez-dm.mvd", "--from", "5", "--to", "4"]).ends(2).says("nothing");
}

#[test]
fn clips_of_what_happens() {
    let place = place();
    let frags = place.run(&["frags", "oa-dm4.dm_71", "--player", "Sarge", "--json"]).ends(0).objects();
    let margin = ["--before", "1s", "--after", "500ms", "--player", "Sarge"];
    place.run(&[&["cut", "oa-dm4.dm_71", "--frag", "all", "-o", "clips"], &margin[..]].concat()).ends(0).in_silence();
    let clips = place.names("clips");
    assert_eq!(clips.len(), frags.len());
    for (clip, frag) in clips.iter().zip(&frags) {
        let told = place.run(&["frags", &format!("clips/{clip}"), "--player", "Sarge", "--json"]).ends(0).objects();
        assert!(told.iter().any(|it| it["time_ms"] == frag["time_ms"]), "{clip}");
    }
    let one = [&["cut", "oa-dm4.dm_71", "--frag", "2", "-o", "two.dm_71"], &margin[..]].concat();
    place.run(&one).ends(0).in_silence().shows(&clips_text(&frags[1]));
    assert_eq!(place.read("two.dm_71"), place.read(&format!("clips/{}", clips[1])));
    for nothing in [["--frag", "99"], ["--chat", "no such words"], ["--round", "1"], ["--player", "nobody at all"]] {
        place.run(&[&["cut", "oa-dm4.dm_71", "-n"], &nothing[..]].concat()).ends(2).says("there is no");
    }
    place.run(&["cut", "oa-dm4.dm_71", "--highlight", "multikill,one_shot", "--all", "-n"]).ends(0).shows("3 kills");
    place.run(&["cut", "oa-dm4.dm_71", "--chat", "(", "-n"]).ends(2);
    place.run(&["cut", "oa-dm4.dm_71", "--frag", "1", "--from", "3", "-n"]).ends(2);
}

/// How a frag is told of in a line about its clip.
fn clips_text(frag: &serde_json::Value) -> String {
    format!("{} kills {}", frag["attacker"]["name"].as_str().unwrap(), frag["victim"]["name"].as_str().unwrap())
}

#[test]
fn inputs_stay_and_outputs_are_whole() {
    let place = place();
    let before = place.names(".");
    place.run(&["cut", "ez-dm.mvd", "--from", "2"]).ends(2).says("-o OUT");
    place.run(&["cut", "ez-dm.mvd", "--from", "2", "-o", "ez-dm.mvd"]).ends(2).says("one of the inputs");
    place.run(&["cut", "ez-dm.mvd", "--from", "2", "-n", "-o", "clip.mvd"]).ends(0).in_silence();
    place.run(&["cut", "ez-dm.mvd", "dm13-15.dem", "--to", "2", "-o", "ez-dm.mvd"]).ends(2);
    place.run(&["cut", "ez-dm.mvd", "--frag", "all", "-n", "-o", "clips"]).ends(0);
    assert_eq!(place.names("."), before);
    assert_eq!(place.read("ez-dm.mvd"), testdata("ez-dm.mvd"));
    place.run(&["cut", "ez-dm.mvd", "dm13-15.dem", "--to", "2", "-o", "clips/"]).ends(0).in_silence();
    assert_eq!(place.names("clips"), ["dm13-15.dem", "ez-dm.mvd"]);
    let piped = place.run_with(&["cut", "-", "--to", "2", "-o", "-"], &testdata("ez-dm.mvd")).ends(0).in_silence();
    assert_eq!(piped.out, place.read("clips/ez-dm.mvd"));
    place.run_with(&["cut", "-", "--frag", "1", "-o", "frag.mvd"], &testdata("ez-dm.mvd")).ends(0).in_silence();
    place.run(&["cut", "ez-dm.mvd", "--to", "2", "--json", "-o", "-"]).ends(2).says("not both");
}

#[test]
fn levels_make_up_the_recording() {
    let place = Place::new();
    // Two levels, as a server that changes the map leaves them in one file: the end of the first one is no end.
    let (mut both, second) = (testdata("dm13-15.dem"), testdata("clip.dem"));
    let end = both.len() - 17;
    assert_eq!((both[end], both[end + 16]), (1, 2), "a block of one byte, `disconnect`");
    both.truncate(end);
    let line = second.iter().position(|b| *b == b'\n').unwrap() + 1;
    both.extend(&second[line..]);
    place.write("both.dem", &both);
    place.run(&["split", "both.dem", "--by", "level", "-o", "levels"]).ends(0).in_silence();
    assert_eq!(place.names("levels"), ["both-level-1.dem", "both-level-2.dem"]);
    // The first part gets an end; the second one begins as it is, behind the line in front of the file.
    assert_eq!(place.read("levels/both-level-1.dem")[..end], both[..end]);
    let front = both.iter().position(|b| *b == b'\n').unwrap() + 1;
    assert_eq!(place.read("levels/both-level-2.dem"), [&both[..front], &second[line..]].concat());
    place.run(&["verify", "levels/"]).ends(0);
    place.run(&["split", "both.dem", "--by", "match", "-n"]).ends(2).says("no match");
}

#[test]
fn an_option_without_its_use_is_refused() {
    let place = Place::with(&["clip.dem"]);
    for (how, what) in [
        (&["--nth", "2"][..], "--nth needs something that happens"),
        (&["--from", "1", "--before", "3"], "--before needs something that happens"),
        (&["--after", "3"], "--after needs something that happens"),
        (&["--chat", "tick", "--nth", "2", "--all"], "cannot be used with"),
        (&["--frag", "1", "--nth", "2"], "cannot be used with"),
        (&["--chat", "tick", "--before", "-3"], "-3"),
    ] {
        let done = place.run(&[&["cut", "clip.dem", "-n"], how].concat()).ends(2).says(what);
        assert!(!done.err.contains("use '-- "), "{}", done.err);
    }
    place.run(&["cut", "clip.dem", "-n", "--chat", "tick", "--nth", "2"]).ends(0);
    // A file is no folder.
    place.write("x.dem", b"");
    let all = ["cut", "clip.dem", "--chat", "tick", "--all", "-o", "x.dem"];
    place.run(&all).ends(2).says("x.dem: several results need a folder");
    place.write("other/clip.dem", &place.read("clip.dem"));
    let split = ["split", "clip.dem", "other/clip.dem", "--by", "level", "-o", "parts"];
    place.run(&split).ends(2).says("clip.dem is taken by another input of that name in parts;");
}

/// Engines go by the extension.
#[test]
fn a_name_that_promises_another_recording_is_told() {
    let place = Place::with(&["clip.dem", "oa-dm4.dm_71", "ez-dm.qwd", "merge-a.qwd", "merge-b.qwd"]);
    place.run(&["cut", "clip.dem", "--from", "1", "-o", "x.mvd"]).ends(0).says("x.mvd: what was written is a .dem,");
    place
        .run(&["cut", "oa-dm4.dm_71", "--from", "1", "-o", "x.dm_73"])
        .ends(0)
        .says("x.dm_73: what was written is a .dm_71,");
    // Its server tells `com_protocol` alone, which clients of protocol 68 record, too, in the same layout.
    place.run(&["cut", "oa-dm4.dm_71", "--from", "1", "-o", "x.dm_68"]).ends(0).in_silence();
    place
        .run(&["convert", "ez-dm.qwd", "--to", "mvd", "-o", "c.qwd"])
        .ends(0)
        .says("c.qwd: what was written is a .mvd,");
    place
        .run(&["merge", "merge-a.qwd", "merge-b.qwd", "-o", "m.qwd"])
        .ends(0)
        .says("m.qwd: what was written is a .mvd,");
    for free in ["x.dem", "x.tmp", "x", "-"] {
        place.run(&["cut", "clip.dem", "--from", "1", "-o", free]).ends(0).in_silence();
    }
}
