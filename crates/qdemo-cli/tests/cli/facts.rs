//! `info` and `verify`.

use super::support::{Place, clip, gzip};

#[test]
fn info_tells_what_people_ask_for() {
    let done = Place::with_clip().run(&["info", "demo1.dem"]).ends(0).in_silence();
    for fact in [
        "File:          demo1.dem",
        "Size:          87295 bytes (85.2 KiB)",
        "protocol 999 (RMQ), dialect rmq",
        "Server:        FITZQUAKE 0.85 SERVER (26466 CRC)",
        "server clock",
        "  start  Episode Select  cooperative  0:01.40000  0:17.24100  0:15.84100",
        "     0  Recorder     11     10      0  recorder",
        "Messages:      9344",
        "clean (disconnect)",
        "Faults:        none",
    ] {
        assert!(done.text().contains(fact), "`{fact}` is missing in: {}", done.text());
    }
    assert!(!done.text().contains('\x1b'), "colours belong on terminals");
}

/// Only a name with an extension promises anything, and what packs a file is no promise about it.
#[test]
fn names_that_promise_nothing_else() {
    let place = Place::with(&["qizmo.qwz"]);
    place.write("clip", &clip());
    place.write("a.folder/clip", &clip());
    place.write("clip.gz", &gzip(&clip()));
    place.write("clip.dem.gz", &gzip(&clip()));
    place.write("clip.mvd", &clip());
    for name in ["qizmo.qwz", "clip", "a.folder/clip", "clip.gz", "clip.dem.gz", "clip.mvd"] {
        let done = place.run(&["info", name]).ends(0).in_silence();
        assert_eq!(done.text().contains("the name promises"), name == "clip.mvd", "{name}: {}", done.text());
    }
}

#[test]
fn info_divides_files_by_a_blank_line() {
    let place = Place::with_clip();
    let done = place.run(&["info", "demo1.dem", "demo1.dem"]).ends(0);
    assert_eq!(done.text().matches("\n\nFile:").count(), 1);
    assert!(done.text().starts_with("File:"));
}

#[test]
fn detail_sums_up_to_all_messages() {
    let place = Place::with_clip();
    let done = place.run(&["info", "--detail", "--json", "demo1.dem"]).ends(0).in_silence();
    let facts = &done.objects()[0];
    let kinds = facts["messages_by_kind"].as_array().unwrap();
    let count: u64 = kinds.iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
    assert_eq!(facts["messages"], count);
    place.run(&["info", "--detail", "demo1.dem"]).ends(0).shows("updateentity").shows(" %");
}

#[test]
fn json_holds_one_object_for_each_file() {
    let place = Place::with_clip();
    place.write("empty.dem", b"");
    let done = place.run(&["info", "--json", "demo1.dem", "missing.dem", "empty.dem"]).ends(2);
    let all = done.objects();
    assert_eq!(all.len(), 3);
    assert_eq!(all[0]["levels"][0]["map"], "start");
    assert_eq!(all[0]["levels"][0]["to"], 17.241001);
    assert_eq!(all[1]["file"], "missing.dem");
    assert!(all[1]["error"].is_string());
    assert_eq!(all[2]["format"], "unknown");
}

#[test]
fn a_foreign_demo_is_named() {
    let place = Place::new();
    place.write("crossfire.dem", b"HLDEMO\0\0and so on");
    place.run(&["info", "crossfire.dem"]).ends(0).shows("unknown").shows("Half-Life").shows("promises a demo");
    place.run(&["verify", "crossfire.dem"]).ends(1).shows("NOT EXACT").shows("Half-Life");
}

#[test]
fn the_content_counts_not_the_name() {
    let place = Place::new();
    place.write("demo1.mp3", &clip());
    place.run(&["info", "demo1.mp3"]).ends(0).shows("protocol 999").shows("the name promises something else");
    place.run(&["verify", "demo1.mp3"]).ends(0).shows("exact");
}

#[test]
fn verify_says_how_much_is_covered() {
    let place = Place::with_clip();
    let done = place.run(&["verify", "demo1.dem"]).ends(0).in_silence();
    assert_eq!(done.text(), "exact  demo1.dem: 1104 blocks, 9344 messages, 87295 bytes covered\n");
    let facts = &place.run(&["verify", "--json", "demo1.dem"]).ends(0).in_silence().objects()[0];
    assert_eq!((&facts["exact"], &facts["sound"]), (&true.into(), &true.into()));
}

#[test]
fn verify_says_no_with_exit_code_1() {
    let place = Place::new();
    let clip = clip();
    place.write("cut.dem", &clip[..60_000]);
    place.write("whole.dem", &clip);
    place.run(&["verify", "cut.dem"]).ends(1).shows("truncated").shows("byte");
    let done = place.run(&["verify", "cut.dem", "whole.dem"]).ends(1);
    done.shows("exact  whole.dem").says("2 files: 1 exact and whole, 1 not");
    place.run(&["verify", "cut.dem", "missing.dem", "whole.dem"]).ends(2).shows("whole.dem").says("missing.dem");
}

#[test]
fn an_empty_file_is_no_demo() {
    let place = Place::new();
    place.write("empty.dem", b"");
    place.run(&["verify", "empty.dem"]).ends(1).shows("empty");
    assert_eq!(place.run(&["verify", "--json", "empty.dem"]).ends(1).objects()[0]["sound"], false);
}

#[test]
fn what_stands_before_damage_is_told() {
    let place = Place::new();
    let packed = gzip(&clip());
    place.write("cut.dem.gz", &packed[..packed.len() / 2]);
    place.run(&["info", "cut.dem.gz"]).ends(2).shows("Episode Select").says("truncated").says("before the damage");
    place.run(&["verify", "cut.dem.gz"]).ends(2).shows("cut.dem.gz: ").says("cut.dem.gz: truncated");
    let done = place.run(&["info", "--json", "cut.dem.gz"]).ends(2);
    let facts = &done.objects()[0];
    assert_eq!(facts["containers"][0], "gzip");
    assert!(facts["error"].as_str().unwrap().contains("truncated"));
}

/// A level of Quake, `e1m1`, that ends at 24.5 s: blocks by hand.
fn finished() -> Vec<u8> {
    let time = |at: f32| [&[7][..], &at.to_le_bytes()].concat();
    let mut level = vec![11];
    level.extend(15i32.to_le_bytes());
    level.extend(b"\x01\0the Slipgate Complex\0maps/e1m1.bsp\0\0misc/null.wav\0\0\x05\x01\0\x0D\0ranger\0");
    let blocks = [level, time(1.25), [time(24.5), vec![30]].concat()];
    let mut demo = b"-1\n".to_vec();
    for block in blocks {
        demo.extend((block.len() as u32).to_le_bytes());
        demo.extend([0; 12]);
        demo.extend(block);
    }
    demo
}

#[test]
fn a_run_is_compared_with_the_name_of_its_file() {
    let place = Place::new();
    for name in ["e1m1_024.dem", "e1m2_025.dem", "ranger.dem"] {
        place.write(name, &finished());
    }
    let done = place.run(&["info", "e1m1_024.dem"]).ends(0);
    done.shows("Runs:\n").shows("Name says:     e1m1, 24 s\n").shows("Confirmed:     map, run time\n");
    let done = place.run(&["info", "e1m2_025.dem"]).ends(0);
    done.shows("Disagrees:     map: the name says e1m2, the recording e1m1\n")
        .shows("Disagrees:     run time: the name says 25, the recording 24\n");
    let json = &place.run(&["info", "--json", "e1m2_025.dem"]).ends(0).objects()[0];
    assert_eq!(json["runs"][0]["run_time"], 24.5);
    assert_eq!(json["file_name"]["disagreements"][1]["recording"], "24");
    let plain = place.run(&["info", "ranger.dem"]).ends(0);
    assert!(!plain.text().contains("Name says"));
}
