//! Recordings one behind the other: `join`. The library's tests hold states and events against the parts.

use crate::support::{Place, testdata};

#[test]
fn recordings_become_levels_of_one() {
    let place = Place::with(&["dm13-15.dem", "ez-dm.qwd", "oa-dm4.dm_71", "q2-demo1.dm2"]);
    for name in ["dm13-15.dem", "ez-dm.qwd", "oa-dm4.dm_71", "q2-demo1.dm2"] {
        let out = format!("both-{name}");
        place.run(&["join", name, name, "-o", &out]).ends(0).in_silence().shows("2 recordings, 2 levels");
        place.run(&["verify", &out]).ends(0).shows("exact");
        let spans = place.run(&["timeline", &out, "--json"]).ends(0).objects();
        let levels = spans.iter().filter(|span| span["kind"] == "level").count();
        assert_eq!(levels, 2, "{name}");
    }
    // An end that is made is a block of what is written, too.
    let both = place.run(&["join", "ez-dm.qwd", "ez-dm.qwd", "-n", "-o", "x.qwd"]).ends(0);
    both.shows("3516 blocks, ");
    // What is no end is there byte for byte.
    let (one, both) = (testdata("dm13-15.dem"), place.read("both-dm13-15.dem"));
    let line = one.iter().position(|b| *b == b'\n').unwrap() + 1;
    assert_eq!(both, [&one[..one.len() - 17], &one[line..]].concat());
}

#[test]
fn clips_are_put_together_again() {
    let place = Place::with(&["oa-dm4.dm_71", "ez-dm.mvd"]);
    for name in ["oa-dm4.dm_71", "ez-dm.mvd"] {
        place.run(&["cut", name, "--to", "0:05", "-o", "a"]).ends(0);
        place.run(&["cut", name, "--from", "0:05", "-o", "b"]).ends(0);
        let account = place.run(&["join", "a", "b", "-o", "c", "--json"]).ends(0).objects().remove(0);
        assert_eq!(account["parts"][1]["goes_on"], true, "{name}: {account}");
        let length =
            |demo: &str| place.run(&["info", demo, "--json"]).ends(0).objects().remove(0)["duration_ms"].clone();
        assert_eq!(length("c"), length(name), "{name}");
    }
}

#[test]
fn a_folder_is_joined_in_the_order_of_names_and_only_told_of_in_a_dry_run() {
    let place = Place::new();
    place.write("levels/2.dem", &testdata("dm13-15.dem"));
    place.write("levels/1.dem", &testdata("dm13-15.dem"));
    let account = place.run(&["join", "levels", "-n", "--json", "-o", "all.dem"]).ends(0).objects().remove(0);
    let names: Vec<_> = account["parts"].as_array().unwrap().iter().map(|part| part["name"].clone()).collect();
    assert_eq!(names, ["levels/1.dem", "levels/2.dem"]);
    assert_eq!((&account["dry_run"], &account["output"]), (&true.into(), &"all.dem".into()));
    assert!(!place.path("all.dem").exists());
}

#[test]
fn what_does_not_go_together_leaves_nothing_behind() {
    let place = Place::with(&["dm13-15.dem", "e0m1-666.dem", "ez-dm.mvd"]);
    place.run(&["join", "dm13-15.dem", "e0m1-666.dem", "-o", "out.dem"]).ends(2).says("protocols 15 and 666");
    place.run(&["join", "dm13-15.dem", "ez-dm.mvd", "-o", "out.dem"]).ends(2).says("different formats");
    place.run(&["join", "dm13-15.dem", "missing.dem", "-o", "out.dem"]).ends(2).says("missing.dem");
    place.run(&["join", "dm13-15.dem", "dm13-15.dem"]).ends(2).says("-o OUT");
    place.run(&["join", "dm13-15.dem", "dm13-15.dem", "-o", "dm13-15.dem"]).ends(2).says("one of the inputs");
    assert!(!place.path("out.dem").exists());
    assert_eq!(place.read("dm13-15.dem"), testdata("dm13-15.dem"));
}
