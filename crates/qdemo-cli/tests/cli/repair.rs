//! Damaged recordings that play again: `repair`. The library's tests measure what is saved.

use std::ops::Range;

use serde_json::Value;

use crate::support::{Place, testdata};

const NAMES: [&str; 5] = ["dm13-15.dem", "oa-dm4.dm_71", "q2-demo1.dm2", "ez-dm.mvd", "q2pro-dm.mvd2"];

/// Where the blocks of a `.dem` or of Quake III's lie: sizes stand in front of them, in their fixed places.
fn blocks(bytes: &[u8], name: &str) -> Vec<Range<usize>> {
    let is_dem = name.ends_with(".dem");
    let (size_at, header) = if is_dem { (0, 16) } else { (4, 8) };
    let mut at = if is_dem { bytes.iter().position(|b| *b == b'\n').unwrap() + 1 } else { 0 };
    let mut all = Vec::new();
    while let Some(size) = bytes.get(at + size_at..at + size_at + 4) {
        let size = i32::from_le_bytes(size.try_into().unwrap());
        let Ok(size) = usize::try_from(size) else { break };
        all.push(at..at + header + size);
        at += header + size;
    }
    all
}

/// A recording with its blocks in another order.
fn reordered(name: &str, order: impl Fn(&mut Vec<Range<usize>>)) -> Vec<u8> {
    let bytes = testdata(name);
    let mut all = blocks(&bytes, name);
    let (start, end) = (all[0].start, all[all.len() - 1].end);
    order(&mut all);
    let parts = std::iter::once(0..start).chain(all).chain(std::iter::once(end..bytes.len()));
    parts.flat_map(|range| bytes[range].to_vec()).collect()
}

/// Repairs a file that is damaged, and gives the account. What is written is exact, and breaks no rule.
fn repaired(place: &Place, name: &str) -> Value {
    let account = place.run(&["repair", name, "-o", &format!("whole-{name}"), "--json"]).ends(0).objects().remove(0);
    let whole = format!("whole-{name}");
    assert_eq!((&account["sound"], &account["output"]), (&false.into(), &whole.as_str().into()), "{account}");
    assert_eq!((&account["after"]["exact"], &account["after"]["faults"]), (&true.into(), &0.into()), "{account}");
    place.run(&["verify", &whole]).ends(0).shows("exact");
    let found = place.run(&["check", &whole, "--json"]).objects().remove(0);
    let broken: Vec<_> = found["findings"].as_array().unwrap().iter().filter(|f| f["severity"] == "error").collect();
    assert!(broken.is_empty(), "{name}: {broken:?}");
    // There is nothing left to be repaired.
    let again = place.run(&["repair", &whole, "-n", "--json"]).ends(0).objects().remove(0);
    assert_eq!(again["sound"], true, "{again}");
    account
}

/// What was found and done.
fn repairs(account: &Value) -> Vec<(&str, &str)> {
    let all = account["repairs"].as_array().unwrap().iter();
    all.map(|repair| (repair["found"].as_str().unwrap(), repair["done"].as_str().unwrap())).collect()
}

#[test]
fn a_sound_recording_comes_back_byte_for_byte() {
    let place = Place::with(&NAMES);
    for name in NAMES {
        let out = format!("again-{name}");
        // Its server left old blocks behind the end, of which a note tells.
        let told = if name == "ez-dm.mvd" { "nothing is repaired" } else { "nothing is wrong" };
        place.run(&["repair", name, "-o", &out]).ends(0).in_silence().shows(told);
        assert_eq!(place.read(&out), testdata(name), "{name}");
        let told = place.run(&["repair", name, "-n", "--json"]).ends(0).objects().remove(0);
        assert_eq!((&told["sound"], &told["dry_run"], &told["output"]), (&true.into(), &true.into(), &Value::Null));
        assert_eq!(place.run(&["repair", name, "-o", "-"]).ends(0).out, testdata(name), "{name}");
    }
}

#[test]
fn a_cut_recording_gets_an_end() {
    let place = Place::new();
    for name in NAMES {
        let bytes = testdata(name);
        place.write(name, &bytes[..bytes.len() * 2 / 3]);
        let account = repaired(&place, name);
        assert_eq!(repairs(&account).last(), Some(&("no_end", "made")), "{account}");
        assert_eq!(account["end_made"], true);
        // All blocks but the one that was cut are there as they were.
        let whole = place.read(&format!("whole-{name}"));
        let is_lost = |repair: &&Value| repair["done"] == "dropped" || repair["done"] == "shortened";
        let lost = account["repairs"].as_array().unwrap().iter().filter(is_lost);
        let lost = lost.map(|repair| repair["bytes"].as_u64().unwrap()).sum::<u64>() as usize;
        let cut = bytes.len() * 2 / 3 - lost;
        assert!(lost < 4_000 && whole.len() >= cut, "{account}");
    }
}

#[test]
fn what_lies_behind_an_overwritten_region_plays_on() {
    let place = Place::new();
    for name in NAMES {
        let mut bytes = testdata(name);
        let middle = bytes.len() / 2;
        bytes[middle..middle + 300].iter_mut().zip(0u32..).for_each(|(byte, n)| *byte = (n * 89 + 41) as u8);
        place.write(name, &bytes);
        let account = repaired(&place, name);
        let (read, kept, changed) = (&account["blocks_read"], &account["blocks_kept"], &account["blocks_changed"]);
        let saved = kept.as_u64().unwrap() + changed.as_u64().unwrap();
        assert!(saved * 100 >= read.as_u64().unwrap() * 95, "{account}");
        assert_eq!(account["before"]["exact"], false, "{account}");
    }
}

#[test]
fn frames_behind_a_dropped_block_are_rebuilt() {
    let place = Place::new();
    place.write(
        "gap.dm_71",
        &reordered("oa-dm4.dm_71", |all| {
            all.remove(all.len() / 2);
        }),
    );
    let account = repaired(&place, "gap.dm_71");
    assert!(repairs(&account).contains(&("lost_base", "rebuilt")), "{account}");
}

#[test]
fn doubled_and_swapped_blocks_are_put_in_order() {
    let place = Place::new();
    place.write("double.dm_71", &reordered("oa-dm4.dm_71", |all| all.insert(100, all[100].clone())));
    assert_eq!(repairs(&repaired(&place, "double.dm_71")), [("doubled", "dropped")]);
    place.write("swap.dm_71", &reordered("oa-dm4.dm_71", |all| all.swap(100, 101)));
    assert_eq!(repairs(&repaired(&place, "swap.dm_71")), [("swapped", "moved")]);
    for name in ["whole-double.dm_71", "whole-swap.dm_71"] {
        assert!(place.read(name) == testdata("oa-dm4.dm_71"), "{name}");
    }
}

#[test]
fn what_is_invented_is_said() {
    let place = Place::new();
    for (name, late) in [("dm13-15.dem", 4), ("oa-dm4.dm_71", 20)] {
        place.write(name, &reordered(name, |all| drop(all.drain(..late))));
        let account = repaired(&place, name);
        let first = repairs(&account)[0];
        assert_eq!(first, ("no_beginning", "invented"), "{account}");
        let note = account["notes"][0].as_str().unwrap();
        assert!(note.contains("begins within a level") && note.contains("not known"), "{note}");
        assert_eq!(account["repairs"][0]["text"], note);
        // It is said where the recording itself goes to standard output, too.
        let piped = place.run(&["repair", name, "-o", "-"]).ends(0).says("begins within a level");
        assert!(piped.out == place.read(&format!("whole-{name}")), "{name}");
    }
}

#[test]
fn several_go_into_a_folder_and_one_that_is_no_demo_is_told() {
    let place = Place::with(&["dm13-15.dem"]);
    let bytes = testdata("oa-dm4.dm_71");
    place.write("cut.dm_71", &bytes[..30_000]);
    place
        .run(&["repair", "dm13-15.dem", "cut.dm_71", "-o", "out/"])
        .ends(0)
        .shows("nothing is wrong")
        .shows("no end, made");
    assert_eq!(place.names("out"), ["cut.dm_71", "dm13-15.dem"]);
    place.write("none.dem", b"this is no demo at all");
    place.run(&["repair", "none.dem", "-o", "out.dem"]).ends(2).says("none.dem");
    assert!(!place.path("out.dem").exists());
}

#[test]
fn a_dry_run_says_no_and_writes_nothing() {
    let place = Place::new();
    let bytes = testdata("oa-dm4.dm_71");
    place.write("cut.dm_71", &bytes[..30_000]);
    place.run(&["repair", "cut.dm_71", "-n"]).ends(1).in_silence().shows("no end, made");
    let told = place.run(&["repair", "cut.dm_71", "-n", "--json", "-o", "whole.dm_71"]).ends(1).objects().remove(0);
    assert_eq!((&told["dry_run"], &told["output"]), (&true.into(), &"whole.dm_71".into()));
    assert_eq!(told["before"]["exact"], false);
    assert_eq!(place.names("."), ["cut.dm_71"]);
}

#[test]
fn an_output_is_asked_for_and_never_over_an_input() {
    let place = Place::with(&["dm13-15.dem"]);
    place.run(&["repair", "dm13-15.dem"]).ends(2).says("-o OUT");
    place.run(&["repair", "dm13-15.dem", "-o", "-", "--json"]).ends(2).says("not both");
    place.run(&["repair", "dm13-15.dem", "-o", "dm13-15.dem"]).ends(2).says("one of the inputs");
    assert_eq!(place.read("dm13-15.dem"), testdata("dm13-15.dem"));
    assert_eq!(place.names("."), ["dm13-15.dem"]);
    // Standard input is read more than once all the same.
    let bytes = testdata("dm13-15.dem");
    assert_eq!(place.run_with(&["repair", "-", "-o", "-"], &bytes).ends(0).out, bytes);
}
