//! `qdemo diff`: what differs, for people and programs.

use serde_json::json;

use crate::support::{Done, Place, gzip, testdata};

/// The recording with another text in place of some of its own, by way of its text.
fn changed(place: &Place, from: &str, to: &str, words: (&str, &str)) {
    place.run(&["decompile", from, "-o", "all.txt"]).ends(0).in_silence();
    let text = String::from_utf8(place.read("all.txt")).unwrap();
    assert!(text.contains(words.0), "{from} has no {}", words.0);
    place.write("all.txt", text.replacen(words.0, words.1, 1).as_bytes());
    place.run(&["compile", "all.txt", "-o", to]).ends(0).in_silence();
}

fn diff(place: &Place, args: &[&str]) -> Done {
    place.run(&[&["diff"], args].concat())
}

#[test]
fn copies_are_the_same() {
    let place = Place::with(&["clip.dem", "oa-dm2.dm_68"]);
    let done = diff(&place, &["clip.dem", "clip.dem"]).ends(0).in_silence();
    done.shows("clip.dem and clip.dem are the same, byte for byte").shows("Levels    start");
    // In a container as well.
    place.write("copy.dem.gz", &gzip(&testdata("clip.dem")));
    diff(&place, &["clip.dem", "copy.dem.gz"]).ends(0).in_silence().shows("byte for byte");
    let all = diff(&place, &["clip.dem", "copy.dem.gz", "--json"]).ends(0).in_silence().objects();
    assert_eq!((all.len(), &all[0]["verdict"], &all[0]["differences"]), (1, &json!("identical"), &json!(0)));
    // From standard input.
    place.run_with(&["diff", "clip.dem", "-"], &testdata("clip.dem")).ends(0).in_silence();
    place.run_with(&["diff", "-", "-"], &testdata("clip.dem")).ends(2).says("only once");
}

#[test]
fn a_changed_text_is_shown() {
    let place = Place::with(&["clip.dem"]);
    changed(&place, "clip.dem", "changed.dem", ("print \"", "print \"Not "));
    let done = diff(&place, &["clip.dem", "changed.dem"]).ends(1).in_silence();
    let done =
        done.shows("clip.dem and changed.dem differ: 1 message changed\n").shows("  changed print:\n    text: \"");
    assert!(done.text().contains(" -> \"Not "), "{}", done.text());
    let all = diff(&place, &["--json", "clip.dem", "changed.dem"]).ends(1).in_silence().objects();
    let [found, summary] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        (&found["difference"], &found["change"], &found["message"]),
        (&json!("message"), &json!("changed"), &json!("print"))
    );
    assert_eq!((&found["a"]["block"], &found["a"]["demo_ms"]), (&found["b"]["block"], &found["b"]["demo_ms"]));
    assert_eq!(found["fields"][0]["field"], "text");
    assert_eq!((&summary["verdict"], &summary["counts"]["changed"]), (&json!("different"), &json!(1)));
    assert_eq!((&summary["a"]["file"], &summary["a"]["levels"]), (&json!("clip.dem"), &json!(["start"])));
    // None is listed, but counted.
    let done = diff(&place, &["--limit", "0", "clip.dem", "changed.dem"]).ends(1).in_silence();
    assert!(!done.text().contains("changed print") && done.text().contains("and 1 more"), "{}", done.text());
    assert_eq!(diff(&place, &["--limit", "0", "--json", "clip.dem", "changed.dem"]).ends(1).objects().len(), 1);
}

/// A file that was cut short is the beginning of the whole one.
#[test]
fn a_part_is_told() {
    let place = Place::with(&["oa-dm2.dm_68"]);
    place.write("half.dm_68", &testdata("oa-dm2.dm_68")[..12_000]);
    let done = diff(&place, &["oa-dm2.dm_68", "half.dm_68"]).ends(1).says("half.dm_68");
    let done = done.shows("half.dm_68 is oa-dm2.dm_68 from 0:00.000 to 0:");
    assert!(!done.text().contains("only in"), "{}", done.text());
    let all = diff(&place, &["-q", "oa-dm2.dm_68", "half.dm_68", "--json"]).ends(1).in_silence().objects();
    let summary = all.last().unwrap();
    assert_eq!((&summary["part"]["part"], &summary["part"]["from_demo_ms"]), (&json!("b"), &json!(0)));
    assert_eq!(summary["aligned_by"], "clock");
    diff(&place, &["oa-dm2.dm_68", "half.dm_68", "--offset", "0"])
        .ends(1)
        .shows("half.dm_68 is oa-dm2.dm_68 from 0:00.000");
    diff(&place, &["oa-dm2.dm_68", "half.dm_68", "--offset", "x"]).ends(2).says("a time is written");
}

#[test]
fn what_cannot_be_compared() {
    let place = Place::with(&["clip.dem", "ez-dm.mvd", "ez-dm.qwd"]);
    place.write("no.dem", b"nothing of the kind");
    diff(&place, &["clip.dem", "no.dem"]).ends(2).says("no.dem").says("no demo that qdemo knows");
    let all = diff(&place, &["clip.dem", "none.dem", "--json"]).ends(2).objects();
    assert!(all[0]["error"].is_string() && all[0]["file"] == "none.dem", "{all:?}");
    // Different formats of the same game.
    let done = diff(&place, &["ez-dm.mvd", "ez-dm.qwd"]).ends(1).in_silence();
    done.shows("one is .mvd, the other .qwd").shows("Levels    lqdm13").shows("In common 3 events");
    diff(&place, &["ez-dm.mvd", "clip.dem"]).ends(1).in_silence();
    diff(&place, &["clip.dem"]).ends(2).says("<B>");
}
