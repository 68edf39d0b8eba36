//! Values of states that are set: what is named is another one in that time, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};

use qdemo::edit::{EditAccount, Edits, Setting, change};
use qdemo::replay::{Position, Range, World};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};
use serde_json::{Map, Value, json};

use crate::common::{assert_sound, testdata};

fn edited(bytes: &[u8], name: &str, texts: &[&str], range: Option<Range>) -> (Vec<u8>, EditAccount) {
    let set = texts.iter().map(|text| Setting { range, ..text.parse().unwrap() }).collect();
    let edits = Edits { set, ..Edits::default() };
    let (out, account) = change(bytes, name, Limits::default(), &edits, Vec::new()).unwrap();
    assert_sound(&out, name);
    (out, account)
}

fn fault(bytes: &[u8], name: &str, text: &str) -> String {
    let edits = Edits { set: vec![text.parse().unwrap()], ..Edits::default() };
    change(bytes, name, Limits::default(), &edits, Vec::new()).unwrap_err().to_string()
}

/// The world as JSON, at each frame of a short recording, at every tenth of a long one.
fn frames(bytes: &[u8], name: &str) -> Vec<(i64, Value)> {
    let step = if name.starts_with("ez") { 10 } else { 1 };
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let (mut all, mut count) = (Vec::new(), 0);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        count += usize::from(world.changes().frame);
        if world.changes().frame && count % step == 0 {
            all.push((world.clock().demo.ms(), Value::Object(world.to_json())));
        }
    }
    all
}

/// What of two recordings differs: pointers with the new values, by time.
fn differences(a: &[(i64, Value)], b: &[(i64, Value)]) -> BTreeMap<String, Vec<(i64, Value)>> {
    fn walk(a: &Value, b: &Value, at: String, found: &mut Vec<(String, Value)>) {
        match (a, b) {
            (Value::Object(x), Value::Object(y)) => {
                // What is as usual is left out.
                let keys: BTreeSet<&String> = x.keys().chain(y.keys()).collect();
                let of = |map: &Map<String, Value>, key: &str| map.get(key).cloned().unwrap_or_default();
                keys.into_iter().for_each(|key| walk(&of(x, key), &of(y, key), format!("{at}/{key}"), found));
            }
            (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
                (0..x.len()).for_each(|n| walk(&x[n], &y[n], format!("{at}/{n}"), found));
            }
            _ if a == b => {}
            _ => found.push((at, b.clone())),
        }
    }
    assert_eq!(a.len(), b.len());
    let mut all = BTreeMap::new();
    for ((time, a), (_, b)) in a.iter().zip(b) {
        let mut found = Vec::new();
        walk(a, b, String::new(), &mut found);
        found.into_iter().for_each(|(at, value)| all.entry(at).or_insert_with(Vec::new).push((*time, value)));
    }
    all
}

/// Only keys of these names differ, only in that time, and they are there this value.
fn only(name: &str, bytes: &[u8], text: &str, keys: &[&str], value: &Value) {
    let before = frames(bytes, name);
    let end = before.last().unwrap().0;
    let third = |n: usize| Position::Demo(DemoTime::from_ms(before[before.len() * n / 3].0));
    let range = Range { from: third(1), to: third(2) };
    let (out, account) = edited(bytes, name, &[text], Some(range));
    let found = differences(&before, &frames(&out, name));
    assert!(!found.is_empty(), "{name}: {text}: {:?}", account.account.notes);
    assert!(account.changed > 0 && account.account.blocks_changed > 0, "{name}");
    let mut times: Vec<i64> = Vec::new();
    for (at, values) in &found {
        assert!(keys.iter().any(|key| at.ends_with(&format!("/{key}"))), "{name}: {text}: {at}");
        assert!(values.iter().all(|(_, found)| found == value), "{name}: {at}: {values:?}");
        times.extend(values.iter().map(|(time, _)| *time));
    }
    assert!(times.iter().all(|time| *time < end), "{name}");
    // Without a range it is so to the end; and what it was comes back.
    let (all, _) = edited(bytes, name, &[text], None);
    let always = differences(&before, &frames(&all, name));
    assert!(always.values().flatten().map(|(time, _)| *time).max() > times.into_iter().max(), "{name}");
    assert!(always.values().flatten().all(|(_, found)| found == value), "{name}");
}

#[test]
fn fields_of_entities() {
    for (name, text, keys, value) in [
        ("dm13-15.dem", "entity[1].frame=3", &["frame"][..], json!(3)),
        ("e0m1-666.dem", "entity[1].skin=1", &["skin"], json!(1)),
        ("ez-dm.mvd", "entity[37].frame=5", &["frame"], json!(5)),
        ("ez-dm.qwd", "entity[37].frame=5", &["frame"], json!(5)),
        ("q2-demo1.dm2", "entity[2].frame=7", &["frame"], json!(7)),
        ("oa-dm2.dm_68", "entity[37].eFlags=8", &["effects", "eFlags"], json!(8)),
    ] {
        let bytes = testdata(name);
        let text = match name {
            // Some entity that is in view all the time.
            "ez-dm.mvd" | "ez-dm.qwd" | "oa-dm2.dm_68" => text.replace("37", &seen(&bytes, name).to_string()),
            _ => text.to_owned(),
        };
        only(name, &bytes, &text, keys, &value);
    }
}

/// An entity that is in view at most frames.
fn seen(bytes: &[u8], name: &str) -> u64 {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, world) in frames(bytes, name) {
        let entities = world["entities"].as_array().unwrap();
        let listed = entities.iter().filter(|entity| entity["slot"].is_null()).filter_map(|it| it["entity"].as_u64());
        listed.for_each(|number| *counts.entry(number).or_default() += 1);
    }
    counts.into_iter().max_by_key(|(_, count)| *count).unwrap().0
}

#[test]
fn places_are_set_in_the_encoding_of_the_recording() {
    let bytes = testdata("dm13-15.dem");
    let (out, _) = edited(&bytes, "dm13-15.dem", &["entity[1].origin=[100.5, -20.25, 31]"], None);
    let last = frames(&out, "dm13-15.dem").pop().unwrap().1;
    let entities = last["entities"].as_array().unwrap();
    let player = entities.iter().find(|entity| entity["entity"] == 1).unwrap();
    assert_eq!(player["origin"], json!([100.5, -20.25, 31.0]));
    let (out, _) = edited(&bytes, "dm13-15.dem", &["entity[1].origin[2]=77"], None);
    let last = frames(&out, "dm13-15.dem").pop().unwrap().1;
    let height = |entity: &Value| entity["entity"] == 1 && entity["origin"][2] == json!(77.0);
    assert!(last["entities"].as_array().unwrap().iter().any(height));
}

#[test]
fn fields_of_the_player() {
    for (name, text, keys, value) in [
        ("dm13-15.dem", "player.health=55", &["health"][..], json!(55)),
        ("q2-demo1.dm2", "player.fov=120", &["fov"], json!(120)),
        ("oa-dm2.dm_68", "player.stats[0]=55", &["health", "stats/0"], json!(55)),
    ] {
        only(name, &testdata(name), text, keys, &value);
    }
}

#[test]
fn what_cannot_be_set_is_said() {
    let (dem, dm3, mvd2) = (testdata("dm13-15.dem"), testdata("oa-dm2.dm_68"), testdata("q2pro-dm.mvd2"));
    assert!(fault(&dem, "a.dem", "entity[1].nothing=3").contains("there are"));
    assert!(fault(&dem, "a.dem", "entity[1].frame=70000").contains("does not take"));
    assert!(fault(&dem, "a.dem", "entity[1].frame=\"x\"").contains("does not take"));
    assert!(fault(&dm3, "a.dm_68", "entity[1].nothing=3").contains("pos.trBase[0]"));
    assert!(fault(&dm3, "a.dm_68", "player.stats[16]=3").contains("there is no such field"));
    assert!(fault(&mvd2, "a.mvd2", "entity[1].frame=3").contains("convert --player"));
    // More than a field has bits for, and less than it has a sign for.
    for text in [
        "player.stats[0]=70000",
        "player.stats[0]=40000",
        "player.pm_type=256",
        "entity[3].weapon=5000",
        "entity[3].eType=-1",
    ] {
        assert!(fault(&dm3, "a.dm_68", text).contains("does not take"), "{text}");
    }
    for text in ["player.stats[0]=-32768", "player.powerups[1]=70000", "player.pm_type=255"] {
        let (out, _) = edited(&dm3, "a.dm_68", &[text], None);
        assert!(out != dm3, "{text}");
    }
    // States have the fields of all protocols.
    let dm2 = testdata("q2-demo1.dm2");
    for text in ["player.stats[40]=4", "player.gunrate=4", "player.gunskin=4"] {
        assert!(fault(&dm2, "a.dm2", text).contains("has nothing that tells it"), "{text}");
    }
    for text in ["entity.frame=3", "entity[x].frame=3", "entity[1]=3", "entity[1].frame", "entity[1].frame=x"] {
        assert!(text.parse::<Setting>().is_err(), "{text}");
    }
    let (out, account) = edited(&dem, "a.dem", &["entity[599].frame=3"], None);
    assert!(out == dem && account.account.notes[0].contains("not in view"), "{:?}", account.account.notes);
}

#[test]
fn it_goes_together_with_other_edits() {
    let bytes = testdata("ez-dm.mvd");
    let set: Setting = format!("entity[{}].frame=5", seen(&bytes, "ez-dm.mvd")).parse().unwrap();
    let edits = |set: Vec<Setting>, strip_counters| Edits { set, sanitize: true, strip_counters, ..Edits::default() };
    let run = |edits: &Edits| change(&bytes[..], "ez-dm.mvd", Limits::default(), edits, Vec::new()).unwrap();
    let (both, account) = run(&edits(vec![set], false));
    let (alone, other) = run(&edits(Vec::new(), false));
    assert_sound(&both, "ez-dm.mvd");
    assert!(account.changed > other.changed && account.removed == other.removed);
    assert_eq!(account.account.blocks_read, other.account.blocks_read);
    assert!(account.account.blocks_changed > other.account.blocks_changed);
    assert!(both != alone);
}
