//! Recordings on another time: `retime`. The library's tests hold the states against the original.

use serde_json::Value;

use crate::support::{Place, testdata};

/// One of each format.
const ALL: [&str; 6] = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];

/// Milliseconds that a recording lasts.
fn length(place: &Place, demo: &str) -> i64 {
    let end = place.run(&["state", demo, "--at", "end", "--json"]).ends(0).objects().remove(0);
    end["demo_ms"].as_i64().unwrap()
}

/// Writes a retimed recording, which is exact; gives the account.
fn retime(place: &Place, demo: &str, how: &[&str], out: &str) -> Value {
    let args = [&["retime", demo, "-o", out, "--json"], how].concat();
    let account = place.run(&args).ends(0).in_silence().objects().remove(0);
    place.run(&["verify", out]).ends(0).shows("exact");
    account
}

#[test]
fn lengths_are_those_that_were_asked_for() {
    let place = Place::with(&ALL);
    for name in ALL {
        let whole = length(&place, name);
        let out = format!("out-{name}");
        let cases: [(&[&str], i64); 6] = [
            (&["--speed", "2"], whole / 2),
            (&["--speed", "0.5"], whole * 2),
            (&["--speed", "0.5", "--from", "1", "--to", "0:02"], whole + 1000),
            (&["--loop", "1", "2", "3"], whole + 2000),
            (&["--freeze", "1", "1500ms"], whole + 1500),
            (&["--reverse"], whole),
        ];
        for (how, wanted) in cases {
            let account = retime(&place, name, how, &out);
            let now = length(&place, &out);
            // By a frame or two: what ends a recording shows nothing, and Quake II has ten frames a second.
            assert!((now - wanted).abs() <= 200, "{name} {how:?}: {now}, not {wanted}");
            assert_eq!((&account["output"], &account["dry_run"]), (&out.as_str().into(), &false.into()));
            assert_eq!(account["bytes_written"], place.read(&out).len(), "{name} {how:?}");
            let sum = |keys: &[&str]| keys.iter().map(|key| account[*key].as_u64().unwrap()).sum::<u64>();
            let read = sum(&["blocks_kept", "blocks_changed", "blocks_dropped"]);
            // What is repeated is there more often than it was read.
            assert!(read == sum(&["blocks_read"]) || how[0] == "--loop", "{name} {how:?}: {account}");
        }
    }
}

#[test]
fn a_shift_moves_the_clock_and_nothing_else() {
    let place = Place::with(&ALL);
    for name in ALL {
        if name.ends_with(".mvd2") {
            place.run(&["retime", name, "--shift", "60", "-o", "out"]).ends(2).says("no clock");
            continue;
        }
        let out = format!("later-{name}");
        let account = retime(&place, name, &["--shift", "60"], &out);
        assert_eq!(
            account["blocks_read"],
            account["blocks_kept"].as_u64().unwrap() + account["blocks_changed"].as_u64().unwrap()
        );
        assert_eq!(length(&place, &out), length(&place, name), "{name}");
        let clock = |demo: &str| place.run(&["state", demo, "--at", "2", "--json"]).ends(0).objects().remove(0);
        let (before, now) = (clock(name), clock(&out));
        assert_eq!(before["demo_ms"], now["demo_ms"], "{name}");
        if before["clock"] == "recording" {
            // It counts from the beginning of the recording.
            assert_eq!(before["time_ms"], now["time_ms"], "{name}");
        } else {
            let shifted = now["time_ms"].as_i64().unwrap() - before["time_ms"].as_i64().unwrap();
            assert!((shifted - 60_000).abs() <= 1, "{name}: {shifted}");
        }
        retime(&place, &out, &["--shift", "-1:00"], "back");
        assert_eq!(length(&place, "back"), length(&place, name));
    }
    place.run(&["retime", "oa-dm4.dm_71", "--shift", "-24:00:00", "-o", "out"]).ends(2).says("shift it back by");
    place.run(&["retime", "q2-demo1.dm2", "--shift", "33ms", "-o", "out"]).ends(2).says("multiple");
}

#[test]
fn backwards_the_last_moment_comes_first() {
    let place = Place::with(&ALL);
    for name in ALL {
        retime(&place, name, &["--reverse"], "back");
        let there = |demo: &str, at: &str| {
            let mut state = place.run(&["state", demo, "--at", at, "--json"]).ends(0).objects().remove(0);
            let players = state["players"].take();
            let origins = players.as_array().unwrap().iter().map(|player| player["origin"].clone());
            origins.filter(|origin| !origin.is_null()).collect::<Vec<_>>()
        };
        assert!(!there("back", "0").is_empty(), "{name}");
        let (first, last) = (there(name, "0"), there("back", "end"));
        if name.ends_with(".dem") {
            // What ends the others, or begins them, shows no player.
            assert_eq!(first, last, "{name}");
        }
    }
}

#[test]
fn inputs_stay_and_nothing_is_written_in_a_dry_run() {
    let place = Place::with(&["clip.dem", "ez-dm.mvd"]);
    let before = place.names(".");
    let line = place.run(&["retime", "clip.dem", "--speed", "2", "-n", "-o", "out.dem", "--json"]).ends(0).in_silence();
    let line = line.objects().remove(0);
    assert_eq!((&line["dry_run"], &line["output"]), (&true.into(), &"out.dem".into()));
    assert!(line["blocks_changed"].as_u64() > Some(0) && line["bytes_written"].as_u64() > Some(0), "{line}");
    place.run(&["retime", "clip.dem", "--speed", "2", "-n"]).ends(0).in_silence().shows("changed");
    place.run(&["retime", "clip.dem", "--speed", "2"]).ends(2).says("-o OUT");
    place.run(&["retime", "clip.dem", "--speed", "2", "-o", "clip.dem"]).ends(2).says("one of the inputs");
    place.run(&["retime", "clip.dem", "ez-dm.mvd", "--reverse", "-o", "clip.dem"]).ends(2);
    assert_eq!(place.names("."), before);
    assert_eq!(place.read("clip.dem"), testdata("clip.dem"));
    // Several go to a folder.
    place.run(&["retime", "clip.dem", "ez-dm.mvd", "--speed", "2", "-o", "fast"]).ends(0).in_silence();
    assert_eq!(place.names("fast"), ["clip.dem", "ez-dm.mvd"]);
}

#[test]
fn times_that_make_no_sense_are_refused() {
    let place = Place::with(&["clip.dem"]);
    let cases: [(&[&str], &str); 14] = [
        (&["--speed", "0"], "between 0.001 and 1000"),
        (&["--speed", "-1"], "between 0.001 and 1000"),
        (&["--speed", "fast"], "fast"),
        (&["--speed", "2", "--from", "5", "--to", "4"], "name a later end"),
        (&["--reverse", "--from", "5", "--to", "5"], "name a later end"),
        (&["--loop", "3", "2", "2"], "name a later end"),
        (&["--loop", "1", "2", "0"], "between 1 and 10000"),
        (&["--loop", "1", "2", "often"], "whole number"),
        (&["--loop", "one", "2", "2"], "a time is written"),
        (&["--loop", "20", "30", "2"], "behind the end of the recording"),
        (&["--freeze", "1:00:00", "2"], "behind the end of the recording"),
        (&["--freeze", "1", "25:00:00"], "a day at most"),
        (&["--shift", "noon"], "noon"),
        (&["--speed", "2", "--reverse"], "cannot be used with"),
    ];
    for (how, why) in cases {
        let args = [&["retime", "clip.dem", "-o", "out.dem"], how].concat();
        place.run(&args).ends(2).says(why);
        assert!(!place.path("out.dem").exists(), "{how:?}");
    }
    place.run(&["retime", "clip.dem", "-o", "out.dem"]).ends(2).says("--speed");
    place
        .run(&["retime", "clip.dem", "-o", "out.dem", "--speed", "2", "--from", "9:00:00"])
        .ends(2)
        .says("behind the end");
}

/// The clock of a `.dem` is a float: after eleven days its steps are longer than a frame.
#[test]
fn frames_that_get_the_same_time_are_told_of() {
    let place = Place::with(&["clip.dem"]);
    let shift = |by: &str| place.run(&["retime", "clip.dem", "-n", "--shift", by]).ends(0);
    shift("30000:00").shows("some of them have the same time");
    assert!(!shift("60").text().contains("the same time"));
    place.run(&["retime", "clip.dem", "-n", "--speed", "-1"]).ends(2).says("between 0.001 and 1000");
}
