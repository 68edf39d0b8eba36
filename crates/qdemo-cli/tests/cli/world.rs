//! `state`, `timeline`, `players` and `export`: the world of a recording.
//!
//! First and last snapshot of the Quake III recording, 5,000 and 26,350 ms, how many there are, 396, and first and last
//! time of the Quake recording, 1.4 and 17.241 s, were read by a short Python program that knows blocks and codes only.

use qdemo::table::{ENTITIES, FRAMES, POSITIONS, Table};

use super::support::{Done, Place, testdata};

const DEM: &str = "clip.dem";
const DM2: &str = "oa-dm2.dm_68";
const FILES: [&str; 2] = [DEM, DM2];

fn place() -> Place {
    let place = Place::new();
    FILES.iter().for_each(|name| place.write(name, &testdata(name)));
    place
}

/// The lines of CSV as cells. The recordings have neither quotes nor commas in them.
fn cells(done: &Done) -> Vec<Vec<String>> {
    assert!(!done.text().contains('"'));
    done.text().lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn heading(table: &Table) -> Vec<&'static str> {
    table.columns.iter().map(|column| column.name).collect()
}

/// A column of CSV.
fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let at = rows[0].iter().position(|cell| cell == name).unwrap();
    rows[1..].iter().map(|row| row[at].clone()).collect()
}

#[test]
fn state_tells_who_is_where() {
    let place = place();
    let done = place.run(&["state", DM2]).ends(0).in_silence();
    done.shows("Time:    0:21.350 of 0:21.350\n")
        .shows("Clock:   0:26.350 (server)\n")
        .shows("Level:   oa_dm2 (Claustrophobopolis (Converted from q1 sources))\n")
        .shows("View:    Recorder at ")
        .shows("Slot  Name      Team  Score  Health  Armor  Weapon ")
        .shows("   0  Recorder  free ")
        .shows("   2  Kyonshi   free\n");
    let done = place.run(&["state", DEM]).ends(0).in_silence();
    done.shows("Time:    0:15.841 of 0:15.841\n")
        .shows("Clock:   0:17.24100 (server)\n")
        .shows("Level:   start (Episode Select)\n")
        .shows("   0  Recorder ");
}

#[test]
fn entities_are_listed_when_asked_for() {
    let place = place();
    let without = place.run(&["state", DM2, "--at", "0"]).ends(0).in_silence();
    assert!(!without.text().contains("Entity"), "{}", without.text());
    let done = place.run(&["state", DM2, "--at", "0", "--entities"]).ends(0).in_silence();
    // Entity 92 is a baseline of the recording: a mover with the submodel 11.
    let done = done.shows("\nEntity  Kind ").shows("    92  mover ").shows(" *11 ");
    assert!(done.text().starts_with(without.text()));
}

/// The same moment in every form that a time may have, and times beyond both ends.
#[test]
fn a_time_has_many_forms() {
    let place = place();
    let at = |time: &str| place.run(&["state", DM2, "--at", time]).ends(0).in_silence().text().to_owned();
    let expected = at("10");
    // A snapshot was sent every 50 ms, so there is one at 15,000 ms on the server's clock.
    assert!(expected.starts_with("Time:    0:10.000 of 0:21.350\nClock:   0:15.000 (server)\n"), "{expected}");
    for time in ["10s", "10.0", "0:10", "0:00:10", "0:10.000", "10000ms", "10.049"] {
        assert_eq!(at(time), expected, "{time}");
    }
    assert!(at("0").starts_with("Time:    0:00.000 "));
    let behind = place.run(&["state", DM2, "--at", "99:00"]).ends(0).says("ends at 0:21.350");
    assert_eq!(behind.text(), place.run(&["state", DM2]).ends(0).text());
}

#[test]
fn a_bad_time_is_wrong_usage() {
    let place = place();
    for time in ["", "x", "1:60", "-1", "1:2:3:4", "10m"] {
        for args in [&["state", DM2, "--at", time][..], &["export", DM2, "--table", "frames", "--every", time]] {
            let done = place.run(args).ends(2);
            assert!(done.out.is_empty() && !done.err.is_empty(), "{args:?}");
        }
    }
    place.run(&["state", DM2, "--at", "1:60"]).ends(2).says("1:02:03.5");
}

#[test]
fn state_as_json() {
    let place = place();
    let done = place.run(&["state", "--json", "--at", "10", DM2, DEM]).ends(0).in_silence();
    let all = done.objects();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0]["file"], &all[0]["demo_ms"]), (&DM2.into(), &10_000.into()));
    assert_eq!((&all[0]["clock"], &all[0]["time_ms"]), (&"server".into(), &15_000.into()));
    let names = all[0]["players"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["Recorder", "Sarge", "Kyonshi"]);
    assert!(!all[0]["entities"].as_array().unwrap().is_empty());
    assert_eq!((&all[1]["file"], &all[1]["players"][0]["name"]), (&DEM.into(), &"Recorder".into()));
    // Seconds where the game has seconds.
    assert!(all[1]["time"].is_f64() && all[1]["time_ms"].is_i64());
}

#[test]
fn timeline_tells_what_lies_where() {
    let place = place();
    let done = place.run(&["timeline", "--wide", DM2]).ends(0).in_silence();
    assert_eq!(
        done.text(),
        "Length: 0:21.350, 396 frames\n    \
         Time    Length     Clock  Block  What\n\
         0:00.000  0:21.350  0:05.000      0  level  oa_dm2 (Claustrophobopolis (Converted from q1 sources)), 396 frames\n\
         0:00.000  0:21.350  0:05.000      1  view   Recorder (slot 0)\n\
         0:00.000  0:21.350  0:05.000     21  match\n"
    );
    let done = place.run(&["timeline", DEM]).ends(0).in_silence();
    let done =
        done.shows("Length: 0:15.841, ").shows("level  start (Episode Select), ").shows("view   Recorder (slot 0)\n");
    assert!(!done.text().contains("incomplete"), "{}", done.text());
}

#[test]
fn timeline_and_players_as_json() {
    let place = place();
    let spans = place.run(&["timeline", "--json", DEM, DM2]).ends(0).in_silence().objects();
    let what: Vec<_> = spans.iter().map(|s| (s["file"].as_str().unwrap(), s["kind"].as_str().unwrap())).collect();
    assert_eq!(what, [(DEM, "level"), (DEM, "view"), (DM2, "level"), (DM2, "view"), (DM2, "match")]);
    assert_eq!(
        (&spans[2]["map"], &spans[2]["frames"], &spans[2]["length_ms"]),
        (&"oa_dm2".into(), &396.into(), &21_350.into())
    );
    let players = place.run(&["players", "--json", DM2]).ends(0).in_silence().objects();
    let names: Vec<_> = players.iter().map(|p| (p["name"].as_str().unwrap(), &p["recorder"] == true)).collect();
    assert_eq!(names, [("Recorder", true), ("Sarge", false), ("Kyonshi", false)]);
    assert_eq!((&players[0]["from_demo_ms"], &players[0]["to_demo_ms"]), (&0.into(), &21_350.into()));
}

#[test]
fn players_tells_who_played() {
    let place = place();
    let done = place.run(&["players", DM2, DEM]).ends(0).in_silence();
    let done = done
        .shows("oa-dm2.dm_68\nSlot  Name      Team ")
        .shows("   0  Recorder  free ")
        .shows("   1  Sarge     free ")
        .shows("clip.dem\nSlot  Name ");
    assert_eq!(done.text().matches("  yes\n").count(), 2);
}

#[test]
fn csv_has_the_documented_columns() {
    let place = place();
    for table in [&POSITIONS, &ENTITIES, &FRAMES] {
        for name in FILES {
            let rows = cells(&place.run(&["export", name, "--table", table.name]).ends(0).in_silence());
            assert_eq!(rows[0], heading(table), "{name}");
            assert!(rows.len() > 1 && rows.iter().all(|row| row.len() == table.columns.len()), "{name} {}", table.name);
        }
    }
}

#[test]
fn export_has_a_row_for_each_frame() {
    let place = place();
    let rows = cells(&place.run(&["export", DM2, "--table", "frames"]).ends(0).in_silence());
    let clock = column(&rows, "time_ms");
    assert_eq!((clock.len(), &*clock[0], &*clock[395]), (396, "5000", "26350"));
    assert_eq!(column(&rows, "demo_ms")[395], "21350");
    assert!(column(&rows, "time").iter().all(String::is_empty));
    assert!(column(&rows, "map").iter().all(|map| map == "oa_dm2"));
    // In Quake the clock has seconds.
    let rows = cells(&place.run(&["export", DEM, "--table", "frames"]).ends(0).in_silence());
    let (time, time_ms) = (column(&rows, "time"), column(&rows, "demo_ms"));
    assert_eq!((&*time[0], &*time_ms[0], &**time_ms.last().unwrap()), ("1.4", "0", "15841"));
    // And these rounded to milliseconds.
    assert_eq!(column(&rows, "time_ms")[0], "1400");
}

/// The first frame of each span.
#[test]
fn every_takes_one_frame_of_a_span() {
    let place = place();
    let time_ms = |every: &[&str]| {
        let args = [&["export", DM2, "--table", "frames"], every].concat();
        let rows = cells(&place.run(&args).ends(0).in_silence());
        column(&rows, "demo_ms").iter().map(|ms| ms.parse::<i64>().unwrap()).collect::<Vec<_>>()
    };
    let all = time_ms(&[]);
    for (every, ms) in [("1s", 1_000), ("100ms", 100), ("0:05", 5_000), ("1h", 0)] {
        if ms == 0 {
            place.run(&["export", DM2, "--table", "frames", "--every", every]).ends(2);
            continue;
        }
        let mut first: Vec<i64> = Vec::new();
        for at in &all {
            if first.last().is_none_or(|last| at / ms != last / ms) {
                first.push(*at);
            }
        }
        assert_eq!(time_ms(&["--every", every]), first, "{every}");
    }
}

#[test]
fn export_as_json_has_the_same_values() {
    let place = place();
    let args = ["export", DEM, "--table", "positions", "--every", "1s"];
    let rows = cells(&place.run(&args).ends(0).in_silence());
    let objects = place.run(&[&args[..], &["--json"]].concat()).ends(0).in_silence().objects();
    assert_eq!(objects.len(), rows.len() - 1);
    for (row, object) in rows[1..].iter().zip(&objects) {
        for (column, cell) in POSITIONS.columns.iter().zip(row) {
            match object.get(column.name) {
                None => assert_eq!(cell, "", "{}", column.name),
                Some(serde_json::Value::String(text)) => assert_eq!(cell, text),
                Some(serde_json::Value::Bool(v)) => assert_eq!(*cell, v.to_string()),
                Some(number) => assert!(
                    number.as_f64().unwrap() == cell.parse::<f64>().unwrap(),
                    "{}: {number} and {cell}",
                    column.name
                ),
            }
        }
    }
}

#[test]
fn several_recordings_share_a_table() {
    let place = place();
    let args = ["export", DEM, DM2, "--table", "frames"];
    let rows = cells(&place.run(&args).ends(0).in_silence());
    assert_eq!(rows[0][0], "file");
    assert_eq!(rows[0][1..], heading(&FRAMES));
    let files = column(&rows, "file");
    assert_eq!(files.iter().filter(|file| *file == DM2).count(), 396);
    assert!(files.is_sorted(), "one recording after the other");
    let objects = place.run(&[&args[..], &["--json"]].concat()).ends(0).in_silence().objects();
    assert_eq!(objects.iter().map(|o| o["file"].as_str().unwrap()).collect::<Vec<_>>(), files);
}

#[test]
fn export_into_files_and_folders() {
    let place = place();
    let expected = place.run(&["export", DM2, "--table", "frames"]).ends(0).out;
    place.run(&["export", DM2, "--table", "frames", "-o", "all.csv"]).ends(0).in_silence();
    assert_eq!(place.read("all.csv"), expected);
    // Several recordings in one file are what they are on standard output.
    let both = place.run(&["export", DEM, DM2, "--table", "frames"]).ends(0).out;
    place.run(&["export", DEM, DM2, "--table", "frames", "-o", "both.csv"]).ends(0).in_silence();
    assert_eq!(place.read("both.csv"), both);
    place.run(&["export", DM2, "--table", "frames", "-o", DM2]).ends(2).says("one of the inputs");
    assert!(place.read(DM2) == testdata(DM2));
}

#[test]
fn what_is_no_recording_is_an_error() {
    let place = place();
    place.write("empty.dem", b"");
    place.write("text.dem", b"This is no demo at all.");
    let verbs: [&[&str]; 4] = [&["state"], &["timeline"], &["players"], &["export", "--table", "positions"]];
    for verb in verbs {
        for name in ["empty.dem", "text.dem"] {
            let done = place.run(&[verb, &[name]].concat()).ends(2).says(&format!("qdemo: {name}: "));
            let table = verb[0] == "export";
            assert!(done.out.is_empty() || table && done.text().lines().count() == 1, "{verb:?}: {}", done.text());
        }
        let done = place.run(&[verb, &["missing.dem"]].concat()).ends(2);
        assert!(
            done.err.starts_with("qdemo: missing.dem: ") && done.err.ends_with("; check the name\n"),
            "{}",
            done.err
        );
        // One that cannot be read does not stop the others.
        let done = place.run(&[verb, &["missing.dem", DM2]].concat()).ends(2).says("missing.dem");
        assert!(done.text().contains("Recorder"), "{verb:?}");
        // Where each file has one object none is missing; among rows no error stands.
        let one = usize::from(verb[0] == "state");
        let objects = place.run(&[verb, &["--json", "missing.dem", DM2]].concat()).ends(2).objects();
        let (errors, rows) = objects.split_at(one);
        assert!(errors.iter().all(|o| o["file"] == "missing.dem" && o["error"].is_string()), "{verb:?}");
        assert!(!rows.is_empty() && rows.iter().all(|o| o["file"] == DM2 && o["error"].is_null()), "{verb:?}");
    }
    place.run(&["export", DM2]).ends(2).says("--table");
    place.run(&["export", DM2, "--table", "nonsense"]).ends(2).says("positions");
}

/// What stands in front of the damage is told.
#[test]
fn damage_is_told_of() {
    let place = Place::new();
    let demo = testdata(DM2);
    place.write("cut.dm_68", &demo[..demo.len() / 2]);
    let verbs: [&[&str]; 3] = [&["timeline"], &["players"], &["export", "--table", "frames"]];
    for verb in verbs {
        let done = place.run(&[verb, &["cut.dm_68"]].concat()).ends(0).says("warning: cut.dm_68: truncated");
        assert!(!done.out.is_empty());
    }
    place.run(&["state", "cut.dm_68"]).ends(0).shows("oa_dm2");
}

#[test]
fn a_closed_pipe_is_quiet() {
    let place = place();
    for args in [
        &["export", DM2, "--table", "entities"][..],
        &["export", DM2, "--table", "entities", "--json"],
        &["export", DEM, DM2, "--table", "entities"],
        &["state", DM2, "--entities"],
        &["timeline", DM2],
        &["players", "--json", DM2],
    ] {
        place.run_unread(args).ends(0).in_silence();
    }
}

/// A part of a table is that part of the whole.
#[test]
fn rows_of_a_part_are_those_of_the_whole() {
    let place = Place::with(&["ez-dm.mvd", "oa-dm2.dm_68"]);
    for name in ["ez-dm.mvd", "oa-dm2.dm_68"] {
        let rows = |how: &[&str]| {
            let args = [&["export", name, "--table", "positions", "--json"], how].concat();
            place.run(&args).ends(0).objects()
        };
        let all = rows(&[]);
        let ms = |row: &serde_json::Value| row["demo_ms"].as_i64().unwrap();
        let (from, to) = (2_000, 5_000);
        let part: Vec<_> = all.iter().filter(|row| (from..=to).contains(&ms(row))).cloned().collect();
        assert!(!part.is_empty() && rows(&["--from", "2", "--to", "5"]) == part, "{name}");
        // On the clock of the level, of which `timeline` says when it begins.
        let spans = place.run(&["timeline", name, "--json"]).ends(0).objects();
        let level = spans.iter().find(|span| span["kind"] == "level").unwrap();
        let begin = level["demo_ms"].as_i64().unwrap();
        let since = |row: &serde_json::Value| (from + begin..=to + begin).contains(&ms(row));
        let part: Vec<_> = all.iter().filter(|row| since(row)).cloned().collect();
        let level = rows(&["--clock", "level", "--from", "2", "--to", "5"]);
        assert!(!part.is_empty() && level == part, "{name}");
    }
    place.run(&["export", "ez-dm.mvd", "--table", "frames", "--match", "3"]).ends(2).says("this recording has");
    place.run(&["export", "ez-dm.mvd", "--table", "frames", "--from", "9", "--to", "3"]).ends(2).says("nothing lies");
}

/// A snapshot builds on one that is too old to be kept: as each builds on the one before, nothing more is known to the end.
#[test]
fn frames_of_which_nothing_is_known_are_told() {
    let place = Place::with(&["oa-dm4.dm_71"]);
    let json = place.run(&["decompile", "--json", "oa-dm4.dm_71"]).ends(0);
    let mut lines: Vec<_> = json.text().lines().map(str::to_owned).collect();
    let time = |line: &str| {
        let (_, behind) = line.split_once("\"message\":\"snapshot\",\"serverTime\":")?;
        behind.split(',').next()?.parse::<i64>().ok()
    };
    let times: Vec<_> = lines.iter().filter_map(|line| time(line)).collect();
    let at = 300;
    assert!(lines[at].contains("\"deltaNum\":1,"), "{}", lines[at]);
    let (first, hidden) = (times[0], time(&lines[at]).unwrap());
    lines[at] = lines[at].replace("\"deltaNum\":1,", "\"deltaNum\":40,");
    place.write("text", lines.join("\n").as_bytes());
    place.run(&["compile", "text", "-o", "hidden.dm_71"]).ends(0);
    // The file is exact.
    place.run(&["verify", "hidden.dm_71"]).ends(0);
    let frames = times.iter().filter(|time| **time >= hidden).count();
    let from = qdemo::world::DemoTime::from_ms(hidden - first);
    let what = format!("hidden.dm_71: {frames} frames from {from} on build on what is not in the recording");
    let verbs: [&[&str]; 7] = [
        &["frags"],
        &["events"],
        &["stats"],
        &["timeline"],
        &["state"],
        &["export", "--table", "positions"],
        &["highlights"],
    ];
    for verb in verbs {
        place.run(&[verb, &["hidden.dm_71"]].concat()).ends(0).says(&what);
    }
    // Texts do not build on anything.
    place.run(&["chat", "hidden.dm_71"]).ends(0).in_silence();
    for verb in
        [&["view", "hidden.dm_71", "--json", "-o", "x.html"], &["report", "hidden.dm_71", "--json", "-o", "y.html"]]
    {
        assert_eq!(place.run(verb).ends(0).objects()[0]["hidden_frames"], frames, "{verb:?}");
    }
    let clip = place.run(&["cut", "hidden.dm_71", "--from", "20", "--to", "30", "--json", "-o", "clip.dm_71"]).ends(0);
    let note = &clip.objects()[0]["notes"][0];
    assert!(note.as_str().is_some_and(|note| note.contains("shows nothing until one that is complete")), "{note}");
    let whole =
        place.run(&["cut", "oa-dm4.dm_71", "--from", "20", "--to", "30", "--json", "-o", "clip2.dm_71"]).ends(0);
    assert_eq!(whole.objects()[0]["notes"], serde_json::json!([]));
}
