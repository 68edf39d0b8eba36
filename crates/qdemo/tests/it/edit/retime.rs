//! Retimed recordings: a moment of the output shows what the input shows at the moment that the map tells.

mod commands;
mod ends;
mod incomplete;
mod leaps;
mod shown;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::edit::{Account, TimeMap, cut, retime};
use qdemo::replay::{Range, World};
use qdemo::text::{Options, decompile_bytes};
use qdemo::world::{DemoTime, Scene};
use qdemo::{Chunk, Limits, Reader};

use super::marks;
use crate::common::{
    Random, assert_sound, block, demo, file_name, is_broken, recordings, report, rounds, serverinfo, testdata,
};
use incomplete::players_in_frames;
use shown::{Way, compare};

fn ms(ms: i64) -> DemoTime {
    DemoTime::from_ms(ms)
}

fn run(bytes: &[u8], name: &str, map: &TimeMap) -> qdemo::Result<(Vec<u8>, Account)> {
    retime(bytes, name, Limits::default(), map, Vec::new())
}

/// Runs a test on the shipped recordings; with `QDEMO_RETIME` on those of the corpus too whose names have that in them.
/// It goes on behind a recording that fails, and names all of these in the end.
fn each(mut test: impl FnMut(&[u8], &str)) {
    let wanted = std::env::var("QDEMO_RETIME").ok();
    let mut failed = Vec::new();
    for path in recordings(|extension| extension != "qwz" && qdemo::FileKind::by_extension(extension).is_some()) {
        let name = file_name(&path);
        let shipped = path.starts_with(crate::common::root().join("testdata"));
        if is_broken(&path) || !wanted.as_deref().map_or(shipped, |wanted| name.contains(wanted)) {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if bytes.is_empty() || !report(&bytes, &name).is_sound() {
            // No recording, or a damaged one.
            continue;
        }
        if catch_unwind(AssertUnwindSafe(|| test(&bytes, &name))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{} recordings failed: {}", failed.len(), failed.join(" "));
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
        TimeMap::freeze(s(-1), s(2)),
        TimeMap::freeze(s(1), s(-2)),
    ];
    assert!(bad.iter().all(Result::is_err));
}

/// A moment behind every end is asked for as any other.
#[test]
fn a_map_is_asked_for_the_end() {
    let s = |seconds: i64| ms(1000 * seconds);
    let maps = [
        TimeMap::identity(),
        TimeMap::speed(2.0, Some((s(10), s(20)))).unwrap(),
        TimeMap::speed(2.0, Some((s(10), TimeMap::END))).unwrap(),
        TimeMap::speed(1000.0, None).unwrap(),
        TimeMap::repeat(s(10), s(20), 3).unwrap(),
        TimeMap::freeze(s(10), s(20)).unwrap(),
    ];
    for map in maps {
        assert!(map.input(TimeMap::END) > s(1_000_000), "{map:?}");
    }
    assert_eq!(TimeMap::reverse(None).unwrap().input(TimeMap::END), s(0));
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
    each(|bytes, name| {
        let (times, _) = frames(bytes, name, 25);
        for speed in [0.5, 2.0] {
            let map = TimeMap::speed(speed, None).unwrap();
            let (out, _) = run(bytes, name, &map).unwrap();
            assert_sound(&out, name);
            // Half as fast is twice the time.
            let at = |time: DemoTime| DemoTime((time.0 as f64 / speed).round() as i64);
            let moments: Vec<_> = times.iter().map(|time| (*time, at(*time))).collect();
            compared += compare(bytes, &out, name, Way::Forward(speed), &moments);
        }
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

/// Between two frames the recorder is as in the first one: nothing is told before it was. The camera turns on its way, the
/// short way round, as do things in view.
#[test]
fn frames_in_between_show_nothing_early() {
    let mut level = serverinfo(15, &[]);
    level.extend([5, 1, 0, 25, 3]);
    let frame = |time: f32, health: i16, turn: f32| {
        let mut b = [[7].as_slice(), &time.to_le_bytes(), &[15, 0, 2], &[0; 4]].concat();
        b.extend(health.to_le_bytes());
        b.extend([25, 25, 0, 0, 0, 1]);
        let mut block = block(&b);
        block[8..12].copy_from_slice(&turn.to_le_bytes());
        block
    };
    let mut bytes = demo("-1\n", &[&level]);
    for (time, health, turn) in [(1.0, 100, 350.0), (1.1, 100, 350.0), (1.2, 40, 10.0)] {
        bytes.extend(frame(time, health, turn));
    }
    bytes.extend(block(&[2]));
    let (out, _) = run(&bytes, "x.dem", &TimeMap::speed(0.25, None).unwrap()).unwrap();
    let mut reader = Reader::new(&out[..], "x.dem", Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), "x.dem").unwrap();
    let mut shown = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        let (Chunk::Dem(qdemo::format::dem::Chunk::Block(block)), World::Dem(world)) = (&chunk, &world) else {
            continue;
        };
        if let Some(client) = world.client().filter(|_| world.changes().frame) {
            let turn = block.header.camera[1].get();
            shown.push((world.clock().demo.ms(), client.health, (turn * 10.0).round()));
        }
    }
    let due = [(0, 3500), (100, 3500), (200, 3500), (300, 3500), (400, 3500), (500, 3550), (600, 3600), (700, 3650)];
    let due = due.map(|(ms, turn)| (ms, 100, turn as f32));
    assert_eq!(shown, [&due[..], &[(800, 40, 100.0)]].concat());
}

/// What `check` warns of in the output and not in the input.
fn new_findings(bytes: &[u8], out: &[u8], name: &str) -> Vec<String> {
    let rules = |bytes: &[u8]| -> BTreeSet<String> {
        let report = check(bytes, name, Limits::default(), &Checks::default()).unwrap();
        report.findings.into_iter().filter(|f| f.severity > Severity::Note).map(|f| f.rule).collect()
    };
    rules(out).difference(&rules(bytes)).cloned().collect()
}

#[test]
fn frozen_and_repeated_recordings_show_the_same_states() {
    let mut compared = 0;
    each(|bytes, name| {
        let (times, length) = frames(bytes, name, 25);
        // Frames of Quake II are a tenth of a second apart.
        let tenths = |tenths: i64| ms(length.ms() * tenths / 1000 * 100);
        let (from, to) = (tenths(3), tenths(4));
        if to.0 - from.0 < 1_000_000 {
            return;
        }
        let stop = ms(1_500);
        let freeze = TimeMap::freeze(from, stop).unwrap();
        let part = DemoTime(to.0 - from.0);
        let thrice = TimeMap::repeat(from, to, 3).unwrap();
        for (map, later, way) in [(freeze, stop, Way::Forward(1.0)), (thrice, DemoTime(2 * part.0), Way::Again)] {
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
            compared += compare(bytes, &out, name, way, &moments);
            assert_eq!(new_findings(bytes, &out, name), [""; 0], "{name}: {way:?}");
            if later == stop && !name.ends_with(".qwd") && !name.ends_with(".mvd") {
                // Nothing comes at that time in QuakeWorld.
                let still = [(DemoTime(from.0 - 1), DemoTime(from.0 + 1_000_000))];
                compared += compare(bytes, &out, name, Way::Still, &still);
            }
        }
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

#[test]
fn reversed_recordings_show_the_same_states() {
    let mut compared = 0;
    each(|bytes, name| {
        let (times, length) = frames(bytes, name, 25);
        if times.is_empty() {
            // It has a level, and no frame.
            return;
        }
        let (out, account) = run(bytes, name, &TimeMap::reverse(None).unwrap()).unwrap();
        assert_sound(&out, name);
        // It begins with the last moment; what ends a recording is none.
        let last = account.first.unwrap().at.demo;
        assert!(last <= length && length.0 - last.0 < 2_000_000, "{name}: {last} of {length}");
        let times: Vec<_> = times.into_iter().filter(|time| *time <= last).collect();
        let length = last;
        let moments: Vec<_> = times.iter().map(|time| (*time, DemoTime(length.0 - time.0))).collect();
        compared += compare(bytes, &out, name, Way::Back, &moments);
    });
    eprintln!("{compared} moments");
    assert!(compared > 50);
}

/// In an `.mvd` times are counted from record to record. The server's clock is told once, and that is what is shifted.
#[test]
fn a_shift_of_an_mvd_changes_the_clock_it_is_told() {
    let (bytes, name) = (testdata("ez-dm.mvd"), "ez-dm.mvd");
    let (out, account) = run(&bytes, name, &TimeMap::shift(64_000)).unwrap();
    assert_eq!((account.blocks_changed, account.blocks_made, account.blocks_dropped), (1, 0, 0));
    let differ: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at] != out[*at]).collect();
    assert!(bytes.len() == out.len() && differ.len() <= 4 && differ.last().unwrap() - differ[0] < 4, "{differ:?}");
    let text = |bytes: &[u8]| {
        let text = String::from_utf8(decompile_bytes(bytes, name, &Options::default()).unwrap()).unwrap();
        let clock =
            text.lines().find_map(|line| line.trim().strip_prefix("servertime ")?.strip_suffix("s;")?.parse().ok());
        clock.unwrap()
    };
    let [before, now]: [f32; 2] = [text(&bytes), text(&out)];
    assert_eq!(now, before + 64.0);
    assert_eq!(players_in_frames(&bytes, name), players_in_frames(&out, name));
}

/// A shift that no clock has room for is refused, in every format and build.
#[test]
fn a_shift_by_more_than_24_days_is_refused() {
    each(|bytes, name| {
        for ms in
            [i64::MAX, i64::MAX / 1000, i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1, i64::MIN / 1000, i64::MIN]
        {
            let error = run(bytes, name, &TimeMap::shift(ms)).unwrap_err();
            assert!(error.to_string().contains("more than 24 days: shift it by less"), "{name} {ms}: {error}");
        }
        // These may go on or not: no sum overflows.
        for ms in [i32::MAX, i32::MIN + 1] {
            let _ = run(bytes, name, &TimeMap::shift(i64::from(ms)));
        }
    });
}

/// The distance from a float to the next one.
fn step(a: f32) -> f32 {
    f32::from_bits(a.abs().to_bits() + 1) - a.abs()
}

/// True for what becomes of a clock in seconds that was shifted and back: the float next to the later time, and so the same
/// where floats there are as close to each other.
fn is_rounded(a: Option<f64>, b: Option<f64>, shift: f32) -> bool {
    let (Some(a), Some(b)) = (a.map(|a| a as f32), b.map(|b| b as f32)) else { return a == b };
    let there = step(a + shift);
    if there <= step(a) { a == b } else { (a - b).abs() <= there / 2.0 }
}

#[test]
fn a_shift_and_the_same_back_give_the_recording() {
    const SHIFT: i64 = 64_000;
    each(|bytes, name| {
        let Ok((later, _)) = run(bytes, name, &TimeMap::shift(SHIFT)) else {
            // It has frames and no clock.
            return assert!(name.ends_with(".mvd2"), "{name}");
        };
        assert_sound(&later, name);
        let (back, _) = run(&later, name, &TimeMap::shift(-SHIFT)).unwrap();
        if name.ends_with(".dm2") {
            assert!(back == bytes, "{name}");
        }
        // Quake III has bits without a meaning behind each message, so worlds are compared.
        let mut a = Reader::new(bytes, name, Limits::default()).unwrap();
        let mut b = Reader::new(&back[..], name, Limits::default()).unwrap();
        let (mut one, mut other) = (World::of(a.detected(), name).unwrap(), World::of(b.detected(), name).unwrap());
        let rounded = |a: Option<f64>, b| is_rounded(a, b, SHIFT as f32 / 1000.0);
        while let Some(chunk) = a.next_chunk().unwrap() {
            one.apply(&chunk);
            other.apply(&b.next_chunk().unwrap().expect(name));
            for part in one.differences(&other) {
                let is_same = match (part, &one, &other) {
                    ("time", World::Dem(_) | World::QuakeWorld(_), _) => {
                        let seconds = |world: &World| match world.clock().now {
                            Some(qdemo::error::Moment::Seconds(seconds)) => Some(seconds.into()),
                            _ => None,
                        };
                        rounded(seconds(&one), seconds(&other))
                    }
                    // When it ended is part of a level.
                    ("everything of the level", World::Dem(one), World::Dem(other)) => {
                        let ended = |world: &qdemo::game::quake::World| world.ending()?.time.map(f64::from);
                        one.differences(other).iter().all(|part| matches!(*part, "time" | "everything of the level"))
                            && one.ending().map(|it| (it.kind, &it.text))
                                == other.ending().map(|it| (it.kind, &it.text))
                            && rounded(ended(one), ended(other))
                    }
                    _ => false,
                };
                assert!(is_same, "{name}: {part}");
            }
        }
    });
}

#[test]
fn a_recording_is_repeated_from_its_beginning() {
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"] {
        let bytes = crate::common::testdata(name);
        let (times, _) = frames(&bytes, name, 200);
        let (out, account) = run(&bytes, name, &TimeMap::repeat(ms(0), ms(2_000), 2).unwrap()).unwrap();
        assert_sound(&out, name);
        let length = |bytes: &[u8]| qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().1.ms();
        // The level is loaded again, which may cost the time of a frame.
        let longer = length(&out) - length(&bytes);
        assert!((1_900..=2_000).contains(&longer), "{name}: {longer}");
        assert!(account.blocks_read > 0);
        // The first frame of the second time may stand at the time of the last one of the first.
        let first = times.into_iter().filter(|time| *time < ms(1_800)).map(|time| (time, time));
        let first: Vec<_> = first.collect();
        compare(&bytes, &out, name, Way::Forward(1.0), &first);
    }
}

/// A part that goes on to the end, or beyond: what ends the recording stands once, behind the last time.
#[test]
fn a_recording_is_repeated_up_to_its_end() {
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"] {
        let bytes = testdata(name);
        let length = |bytes: &[u8]| qdemo::replay::at(bytes, name, Limits::default(), None).unwrap().1.ms();
        let part = length(&bytes) - 5_000;
        for to in [TimeMap::END, ms(86_000_000)] {
            let (out, _) = run(&bytes, name, &TimeMap::repeat(ms(5_000), to, 3).unwrap()).unwrap();
            assert_sound(&out, name);
            let longer = length(&out) - length(&bytes);
            assert!((2 * part - 300..=2 * part + 300).contains(&longer), "{name}: {longer}, not 2 * {part}");
            let ends = |bytes: &[u8]| {
                let text = String::from_utf8(decompile_bytes(bytes, name, &Options::default()).unwrap()).unwrap();
                text.lines().filter(|line| line.trim().starts_with("disconnect") || line.contains("EndOfDemo")).count()
            };
            assert!(ends(&out) <= 1, "{name}");
            // In the `.mvd` entities are known at the end, and not where the part begins: that is a gap in its lists.
            let due: &[&str] = if name == "ez-dm.mvd" { &["gaps"] } else { &[] };
            assert_eq!(new_findings(&bytes, &out, name), due, "{name}");
        }
    }
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

/// What the output cannot tell is refused, and not cut off.
#[test]
fn no_clock_goes_beyond_what_it_can_tell() {
    let most = i64::from(i32::MAX);
    let bytes = testdata("oa-dm4.dm_71");
    for ms in [most, most - 10_000, i64::MAX] {
        let e = run(&bytes, "oa-dm4.dm_71", &TimeMap::shift(ms)).unwrap_err().to_string();
        assert!(e.contains("shift it by less"), "{ms}: {e}");
    }
    let e = run(&testdata("q2-demo1.dm2"), "q2-demo1.dm2", &TimeMap::shift(1000 * most)).unwrap_err().to_string();
    assert!(e.contains("24 days: shift it by less"), "{e}");
}

/// A recording twice, the second one behind the first.
fn twice(name: &str) -> Vec<u8> {
    let bytes = testdata(name);
    let both = [(name, &bytes[..]), (name, &bytes[..])];
    qdemo::edit::join(both, Limits::default(), Vec::new()).unwrap().0
}

/// How many levels a recording has, its length, and the longest time between two times of it.
fn extent(bytes: &[u8], name: &str) -> (usize, i64, i64) {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let (mut levels, mut length, mut gap) = (0, 0, 0);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        levels += usize::from(world.changes().level);
        let now = world.clock().demo.ms();
        (length, gap) = (now, gap.max(now - length));
    }
    (levels, length, gap)
}

/// The same level played again is another one, and its clock shows nothing when it begins.
#[test]
fn recordings_of_several_levels_keep_them() {
    for name in ["clip.dem", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"] {
        let bytes = twice(name);
        let (levels, length, gap) = extent(&bytes, name);
        assert_eq!(levels, 2, "{name}");
        let map = |map: TimeMap| {
            let (out, account) = run(&bytes, name, &map).unwrap();
            let (levels, length, longest) = extent(&out, name);
            assert!(longest <= gap.max(500), "{name}: {longest} ms without a frame, {gap} before: {map:?}");
            (levels, length, account)
        };
        let (levels, back, _) = map(TimeMap::reverse(None).unwrap());
        assert!(levels == 2 && (length - 500..=length).contains(&back), "{name}: {levels} levels, {back} of {length}");
        // Within the first level, and over the beginning of the second.
        let half = length / 2000 * 1000;
        for (from, to) in [(ms(1_000), ms(2_000)), (ms(half - 1_000), ms(half + 1_000))] {
            let (_, longer, _) = map(TimeMap::repeat(from, to, 2).unwrap());
            let due = length + (to.ms() - from.ms());
            assert!((due - 200..=due + 100).contains(&longer), "{name}: {longer} of {due}");
            let (_, same, account) = map(TimeMap::reverse(Some((from, to))).unwrap());
            assert!((length - 200..=length + 100).contains(&same), "{name}: {same} of {length}");
            assert!(account.blocks_made > 0, "{name}: nothing was reversed");
        }
    }
}

/// What the recorder's clock shows in each block of a `.qwd`.
fn clock(bytes: &[u8]) -> Vec<f32> {
    let demo = qdemo::demo::Recording::<qdemo::format::qwd::Qwd>::read(bytes.to_vec(), "x.qwd").unwrap();
    demo.packets().map(|(_, packet)| packet.header.time.0.get()).collect()
}

/// A `.qwd` whose clock shows something else: `shows` is asked for each block, with its number and what it showed.
fn with_clock(bytes: &[u8], shows: impl Fn(usize, f32) -> f32) -> Vec<u8> {
    let (mut bytes, mut reader) = (bytes.to_vec(), Reader::new(bytes, "x.qwd", Limits::default()).unwrap());
    let mut at = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        if let Some((number, _)) = chunk.block() {
            let place = bytes[at..].first_chunk_mut().unwrap();
            *place = shows(number as usize, f32::from_le_bytes(*place)).to_le_bytes();
        }
        at = reader.offset() as usize;
    }
    bytes
}

/// No engine's clock shows less than 0. One that goes back in a recording that is played faster begins anew from what it shows
/// there, or from what it has come to, and goes on at that speed.
#[test]
fn a_recorders_clock_that_goes_back_does_not_go_below_0() {
    let recording = testdata("ez-dm.qwd");
    let first = clock(&recording)[0];
    let recording = with_clock(&recording, |_, clock| clock - first);
    let before = clock(&recording);
    let fast = TimeMap::speed(4.0, None).unwrap();
    let near = |a: f32, b: f32| (a - b).abs() < 0.05;
    let (middle, last) = (before.len() / 2, before.len() - 1);
    let (length, reached) = (before[middle], before[middle] / 4.0);
    // Where it would show less than 0: what it shows, or what was reached. Else it goes back by as much as in the input.
    for (back, due) in [(0.0, 0.0), (0.5, 0.5), (length / 2.0, reached), (length - 1.0, reached - 1.0)] {
        let bytes = with_clock(&recording, |n, clock| if n < middle { clock } else { clock - length + back });
        let (out, _) = run(&bytes, "x.qwd", &fast).unwrap();
        assert_sound(&out, "x.qwd");
        let after = clock(&out);
        assert!(after.iter().all(|clock| *clock >= 0.0), "{back}");
        assert!(near(after[middle - 1], reached) && near(after[middle], due), "{back}: {} {due}", after[middle]);
        assert!(near(after[last] - after[middle], (before[last] - length) / 4.0), "{back}: {}", after[last]);
    }
    // One that shows nonsense in a block alone leaps ahead behind it.
    let damaged = with_clock(&recording, |n, clock| if n == middle { 0.25 } else { clock });
    let after = clock(&run(&damaged, "x.qwd", &fast).unwrap().0);
    let due = 0.25 + (before[last] - 0.25) / 4.0;
    assert!(after.iter().all(|clock| *clock >= 0.0) && near(after[last], due), "{} {due}", after[last]);
}

/// Two recordings one behind the other, as they are: the recorder's clock begins anew, and time goes on.
#[test]
fn a_recorders_clock_that_steps_back_goes_on_where_it_is_shown_backwards() {
    let bytes = [testdata("ez-dm.qwd"), testdata("ez-dm.qwd")].concat();
    let before = clock(&bytes);
    assert!(before.windows(2).any(|pair| pair[1] < pair[0] - 10.0));
    for range in [None, Some((ms(1_000), ms(40_000)))] {
        let (out, _) = run(&bytes, "x.qwd", &TimeMap::reverse(range).unwrap()).unwrap();
        assert_sound(&out, "x.qwd");
        let after = clock(&out);
        assert_eq!(after[0], before[0], "{range:?}");
        assert!(after.windows(2).all(|pair| (0.0..1.0).contains(&(pair[1] - pair[0]))), "{range:?}");
        let (length, now) = (extent(&bytes, "x.qwd").1, extent(&out, "x.qwd").1);
        assert!((length - 500..=length + 100).contains(&now), "{range:?}: {now} of {length}");
    }
}

/// What is damaged stays as it is, as `cut` and `join` leave it; all say so in the same words.
#[test]
fn damage_that_stays_is_told_of() {
    let maps = [
        TimeMap::identity(),
        TimeMap::speed(0.5, None).unwrap(),
        TimeMap::freeze(ms(700), ms(1_000)).unwrap(),
        TimeMap::reverse(None).unwrap(),
    ];
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm2.dm_68"] {
        let whole = testdata(name);
        let mut bytes = whole.clone();
        bytes[whole.len() * 3 / 4..][..40].fill(0xEE);
        let told = |account: &Account| {
            let words = format!("what was read is damaged, and is as it was where it was kept: {name}: ");
            account.notes.iter().filter(|note| note.starts_with(&words)).count()
        };
        let (_, account) = cut(&bytes[..], name, Limits::default(), Range::ALL, Vec::new()).unwrap();
        assert_eq!(told(&account), 1, "{name}: {account:?}");
        for map in &maps {
            assert_eq!(told(&run(&bytes, name, map).unwrap().1), 1, "{name}: {map:?}");
            assert_eq!(told(&run(&whole, name, map).unwrap().1), 0, "{name}: {map:?}");
        }
    }
}

/// Servers look for the mark of a multi-view recording once, at the beginning of a file. (Source: `demo_read_first` of Q2PRO.)
#[test]
fn a_multi_view_recording_has_its_mark_in_front() {
    let bytes = twice("q2pro-dm.mvd2");
    for map in [TimeMap::reverse(None).unwrap(), TimeMap::repeat(ms(0), ms(2_000), 2).unwrap()] {
        let (out, _) = run(&bytes, "x.mvd2", &map).unwrap();
        assert_eq!(marks(&out), [0], "{map:?}");
    }
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

/// Of a recording without a moment nothing can be shown on the way back.
#[test]
fn a_recording_without_a_moment_is_not_reversed() {
    let bytes = crate::common::demo("-1\n", &[b"\x08hello\n\0"]);
    let e = run(&bytes, "x.dem", &TimeMap::reverse(None).unwrap()).unwrap_err();
    assert!(e.to_string().contains("no moment"), "{e}");
}
