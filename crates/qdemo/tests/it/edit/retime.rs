//! Retimed recordings: a moment of the output shows what the input shows at the moment that the map tells.

use std::fs;

use qdemo::edit::{Account, TimeMap, retime};
use qdemo::replay::{Seeker, World};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Limits, Reader};
use serde_json::Value;

use crate::common::{Random, assert_sound, file_name, is_broken, recordings, rounds};

fn ms(ms: i64) -> DemoTime {
    DemoTime::from_ms(ms)
}

fn run(bytes: &[u8], name: &str, map: &TimeMap) -> qdemo::Result<(Vec<u8>, Account)> {
    retime(bytes, name, Limits::default(), map, Vec::new())
}

/// The shipped recordings; with `QDEMO_RETIME` those of the corpus too whose names have that in them.
fn each(mut test: impl FnMut(&[u8], &str)) {
    let wanted = std::env::var("QDEMO_RETIME").ok();
    for path in recordings(|extension| extension != "qwz" && qdemo::FileKind::by_extension(extension).is_some()) {
        let name = file_name(&path);
        let shipped = path.starts_with(crate::common::root().join("testdata"));
        if is_broken(&path) || !wanted.as_deref().map_or(shipped, |wanted| name.contains(wanted)) {
            continue;
        }
        test(&fs::read(&path).unwrap(), &name);
    }
}

/// The same, of the given size at most.
fn each_below(most: usize, mut test: impl FnMut(&[u8], &str)) {
    each(|bytes, name| {
        if bytes.len() <= most {
            test(bytes, name);
        }
    });
}

#[test]
fn a_map_tells_which_moment_is_shown() {
    let s = |seconds: i64| ms(1000 * seconds);
    let slow = TimeMap::speed(0.5, Some((s(10), s(20)))).unwrap();
    // 10 s as they were, 20 s for what took 10, and the rest.
    for (output, input) in [(0, 0), (10, 10), (14, 12), (30, 20), (31, 21)] {
        assert_eq!(slow.input(s(output)), s(input), "slow, {output}");
    }
    let freeze = TimeMap::freeze(s(5), s(3)).unwrap();
    for (output, input) in [(4, 4), (5, 5), (7, 5), (8, 5), (9, 6)] {
        assert_eq!(freeze.input(s(output)), s(input), "freeze, {output}");
    }
    let thrice = TimeMap::repeat(s(10), s(20), 3).unwrap();
    for (output, input) in [(9, 9), (19, 19), (20, 10), (35, 15), (40, 20), (41, 21)] {
        assert_eq!(thrice.input(s(output)), s(input), "loop, {output}");
    }
    let back = TimeMap::reverse(None).unwrap().of_length(s(60));
    for (output, input) in [(0, 60), (10, 50), (60, 0)] {
        assert_eq!(back.input(s(output)), s(input), "back, {output}");
    }
    let bad = [
        TimeMap::speed(0.0, None),
        TimeMap::speed(f64::NAN, None),
        TimeMap::speed(1.0, Some((s(2), s(2)))),
        TimeMap::repeat(s(3), s(2), 2),
        TimeMap::repeat(s(1), s(2), 0),
    ];
    assert!(bad.iter().all(Result::is_err));
}

#[test]
fn speed_1_and_shift_0_change_nothing() {
    each(|bytes, name| {
        for map in [TimeMap::speed(1.0, None).unwrap(), TimeMap::shift(0), TimeMap::identity()] {
            let (out, account) = run(bytes, name, &map).unwrap();
            assert!(out == bytes && account.blocks_changed + account.blocks_made == 0, "{name}");
        }
        // Not by the short way alone.
        let map = TimeMap::freeze(ms(1_000), ms(0)).unwrap();
        if let Ok((out, account)) = run(bytes, name, &map) {
            assert_eq!(account.blocks_dropped, 0, "{name}");
            if !name.contains(".dm") {
                // What has no end is given one.
                assert!(out == bytes || account.end_made && out.starts_with(bytes), "{name}: {account:?}");
            }
        }
    });
}

/// Another reading of a value: numbers are near, what is a time is left out.
fn near(a: &Value, b: &Value, path: &str, most: f64) -> Result<(), String> {
    const TIMES: [&str; 14] = [
        "time",
        "time_ms",
        "demo_ms",
        "frame",
        "entered_ms",
        "age_ms",
        "command",
        "effects_ms",
        "step",
        "snap",
        "old_origin",
        "velocity",
        "event",
        "since_ms",
    ];
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                if TIMES.contains(&key.as_str()) {
                    continue;
                }
                let none = Value::Null;
                near(a.get(key).unwrap_or(&none), b.get(key).unwrap_or(&none), &format!("{path}.{key}"), most)?;
            }
            Ok(())
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut all = a.iter().zip(b).enumerate();
            all.try_for_each(|(n, (a, b))| near(a, b, &format!("{path}[{n}]"), most))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let turn = ((a - b + 540.0).rem_euclid(360.0) - 180.0).abs();
            if (a - b).abs().min(turn) <= most { Ok(()) } else { Err(format!("{path}: {a} and {b}")) }
        }
        _ if a == b => Ok(()),
        _ => Err(format!("{path}: {a} and {b}")),
    }
}

/// What a world shows, without its clocks.
fn shown(world: &World) -> Value {
    let mut all = world.to_json();
    let keep = ["level", "paused", "recorder", "players", "entities", "configstrings", "light_styles", "stats"];
    all.retain(|key, _| keep.contains(&key.as_str()));
    // Those of Quake III that hold times.
    if let Some(Value::Object(strings)) = all.get_mut("configstrings") {
        let quake3 = matches!(world, World::Dm3(_));
        strings.retain(|index, _| {
            !quake3 || !["5", "8", "12", "13", "21", "662", "669", "670", "672"].contains(&index.as_str())
        });
    }
    // Quake II and III tell scores now and then: what was once told is known.
    if let (World::Dm2(_) | World::Mvd2(_) | World::Dm3(_), Some(Value::Array(players))) =
        (world, all.get_mut("players"))
    {
        for player in players.iter_mut().filter_map(Value::as_object_mut) {
            player.retain(|key, _| {
                !matches!(key.as_str(), "ping" | "frags" | "score" | "deaths" | "captures" | "minutes")
            });
        }
    }
    if let Some(Value::Object(level)) = all.get_mut("level") {
        level.remove("number");
    }
    all.into()
}

/// Compares moments of the output with those of the input. Gives how many were compared.
fn compare(bytes: &[u8], out: &[u8], name: &str, map: &TimeMap, moments: &[(DemoTime, DemoTime)]) -> usize {
    let mut input = Seeker::open(bytes, name, Limits::default()).unwrap();
    let mut output = Seeker::open(out, name, Limits::default()).unwrap();
    let mut compared = 0;
    for (at_in, at_out) in moments {
        let before = shown(input.seek(*at_in));
        // Times are rounded: to a millisecond, or to a float.
        let world = output.seek(DemoTime(at_out.0 + 900));
        if std::env::var_os("QDEMO_SHOW").is_some() {
            eprintln!("{at_in} {at_out}: {} {}", world.clock().demo, world.is_complete());
        }
        if !world.is_complete() || (world.clock().demo.0 - at_out.0).abs() > 1_000 {
            continue;
        }
        compared += 1;
        // A millisecond of what moves 900 units a second is one unit.
        // Angles of the dead are more precise where they are told of as players, half a 256th of a turn.
        let quake3 = matches!(input.world(), World::Dm3(_));
        let most = if quake3 {
            2.5
        } else if name.ends_with(".mvd2") {
            0.71
        } else {
            0.0
        };
        if let Err(what) = near(&before, &shown(world), "", most) {
            panic!("{name}: {map:?}: {at_in} at {at_out}: {what}");
        }
    }
    compared
}

/// Some moments at which the input shows a frame, and nothing else for as long as the output can tell apart.
fn frames(bytes: &[u8], name: &str, most: usize) -> (Vec<DemoTime>, DemoTime) {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut times: Vec<DemoTime> = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        if world.changes().frame && world.is_complete() {
            times.push(world.clock().demo);
        }
    }
    let length = world.clock().demo;
    times.dedup();
    let alone = |n: usize| times.get(n + 1).is_none_or(|next| next.0 - times[n].0 > 8_000);
    let alone: Vec<_> = (0..times.len()).filter(|n| alone(*n)).map(|n| times[n]).collect();
    let step = (alone.len() / most).max(1);
    (alone.into_iter().step_by(step).collect(), length)
}

#[test]
fn slow_and_fast_recordings_show_the_same_states() {
    let mut compared = 0;
    each_below(12_000_000, |bytes, name| {
        let (times, _) = frames(bytes, name, 25);
        for speed in [0.5, 2.0] {
            let map = TimeMap::speed(speed, None).unwrap();
            let (out, _) = run(bytes, name, &map).unwrap();
            assert_sound(&out, name);
            // Half as fast is twice the time.
            let at = |time: DemoTime| DemoTime((time.0 as f64 / speed).round() as i64);
            let moments: Vec<_> = times.iter().map(|time| (*time, at(*time))).collect();
            compared += compare(bytes, &out, name, &map, &moments);
        }
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

#[test]
fn frozen_and_repeated_recordings_show_the_same_states() {
    let mut compared = 0;
    each_below(6_000_000, |bytes, name| {
        let (times, length) = frames(bytes, name, 25);
        let (from, to) = (ms(length.ms() * 3 / 10), ms(length.ms() * 4 / 10));
        if to.0 - from.0 < 1_000_000 {
            return;
        }
        let stop = ms(1_500);
        let freeze = TimeMap::freeze(from, stop).unwrap();
        let part = DemoTime(to.0 - from.0);
        let thrice = TimeMap::repeat(from, to, 3).unwrap();
        for (map, later) in [(freeze, stop), (thrice, DemoTime(2 * part.0))] {
            let (out, _) = run(bytes, name, &map).unwrap();
            assert_sound(&out, name);
            let mut moments = Vec::new();
            for time in &times {
                if *time < from {
                    moments.push((*time, *time));
                } else if *time >= to || later == stop {
                    moments.push((*time, DemoTime(time.0 + later.0)));
                } else {
                    let again = [0, 1, 2].map(|n| (*time, DemoTime(time.0 + n * part.0)));
                    moments.extend(again);
                }
            }
            compared += compare(bytes, &out, name, &map, &moments);
        }
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

#[test]
fn reversed_recordings_show_the_same_states() {
    let mut compared = 0;
    each_below(4_000_000, |bytes, name| {
        let (times, length) = frames(bytes, name, 25);
        let (out, account) = run(bytes, name, &TimeMap::reverse(None).unwrap()).unwrap();
        assert_sound(&out, name);
        // It begins with the last moment; what ends a recording is none.
        let last = account.first.unwrap().at.demo;
        assert!(last <= length && length.0 - last.0 < 2_000_000, "{name}: {last} of {length}");
        let times: Vec<_> = times.into_iter().filter(|time| *time <= last).collect();
        let length = last;
        let moments: Vec<_> = times.iter().map(|time| (*time, DemoTime(length.0 - time.0))).collect();
        compared += compare(bytes, &out, name, &TimeMap::reverse(None).unwrap(), &moments);
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

#[test]
fn a_shift_and_the_same_back_give_the_recording() {
    each_below(12_000_000, |bytes, name| {
        let Ok((later, _)) = run(bytes, name, &TimeMap::shift(64_000)) else {
            // It has frames and no clock.
            return assert!(name.ends_with(".mvd2"), "{name}");
        };
        assert_sound(&later, name);
        let (back, _) = run(&later, name, &TimeMap::shift(-64_000)).unwrap();
        if name.ends_with(".dm2") {
            assert!(back == bytes, "{name}");
        }
        // Seconds in floats lose a little, and Quake III has bits without a meaning behind each message.
        let mut a = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut b = Reader::new(&back[..], name, Limits::default()).unwrap();
        let (mut one, mut other) = (World::of(a.detected(), name).unwrap(), World::of(b.detected(), name).unwrap());
        while let Some(chunk) = a.next_chunk().unwrap() {
            one.apply(&chunk);
            other.apply(&b.next_chunk().unwrap().expect(name));
            let float = matches!(one, World::Dem(_) | World::QuakeWorld(_));
            let difference = one.difference(&other);
            assert!(difference.is_none() || float && difference == Some("time"), "{name}: {difference:?}");
        }
    });
}

#[test]
fn no_clock_goes_below_0() {
    let demo = fs::read(crate::common::root().join("testdata/oa-dm4.dm_71")).unwrap();
    assert!(run(&demo, "oa-dm4.dm_71", &TimeMap::shift(-86_400_000)).is_err());
    let demo = fs::read(crate::common::root().join("testdata/clip.dem")).unwrap();
    assert!(run(&demo, "clip.dem", &TimeMap::shift(-86_400_000)).is_err());
    // Nothing lies there.
    assert!(run(&demo, "clip.dem", &TimeMap::freeze(ms(86_000_000), ms(1)).unwrap()).is_err());
}

#[test]
fn damaged_recordings_are_retimed_without_a_panic() {
    let maps = [
        TimeMap::speed(0.3, None).unwrap(),
        TimeMap::speed(7.0, Some((ms(500), ms(1_500)))).unwrap(),
        TimeMap::freeze(ms(700), ms(1_000)).unwrap(),
        TimeMap::repeat(ms(300), ms(900), 3).unwrap(),
        TimeMap::reverse(None).unwrap(),
        TimeMap::shift(5_000),
    ];
    let mut random = Random(0x7E71_3E00);
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let whole = fs::read(crate::common::root().join("testdata").join(name)).unwrap();
        let part = &whole[..whole.len().min(60_000)];
        for _ in 0..rounds(12) {
            let mut bytes = part.to_vec();
            random.damage(&mut bytes);
            for map in &maps {
                let _ = run(&bytes, name, map);
            }
        }
    }
}
