//! Retimed recordings: a moment of the output shows what the input shows at the moment that the map tells.

mod incomplete;
mod leaps;
mod shown;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::edit::{Account, TimeMap, cut, retime};
use qdemo::format::{Format, dm3};
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
    assert!(e.contains("above") && e.contains("shift it by less"), "{e}");
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

/// Times at which a block has both a snapshot and a server command in front of it, and whether the numbers of commands rise.
fn commands(bytes: &[u8], name: &str) -> (Vec<DemoTime>, bool) {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    let mut decoder = dm3::Decoder::new(dm3::Dm3::first_dialect(reader.detected().protocol));
    let (mut times, mut last, mut rise) = (Vec::new(), 0, true);
    while let Some(chunk) = reader.next_chunk().unwrap() {
        world.apply(&chunk);
        let Chunk::Dm3(dm3::Chunk::Block(block)) = &chunk else { continue };
        let (mut told, mut before) = (false, None);
        for message in decoder.read(block).0.messages {
            match message {
                dm3::Message::Gamestate(gamestate) => last = gamestate.server_command_sequence,
                dm3::Message::ServerCommand(command) => {
                    rise &= before.is_none_or(|before| command.seq > before);
                    told |= command.seq > last;
                    (before, last) = (Some(command.seq), last.max(command.seq));
                }
                dm3::Message::Snapshot(_) if told => times.push(world.clock().demo),
                _ => {}
            }
        }
    }
    (times, rise)
}

/// Engines pass over a server command whose number is not above that of the last one: those that are told again come behind
/// what the recording has in the same packet.
#[test]
fn numbers_of_server_commands_rise_where_strings_are_told_again() {
    let mut told_again = 0;
    for name in ["oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"] {
        let bytes = testdata(name);
        let (times, rise) = commands(&bytes, name);
        assert!(rise, "{name}");
        for at in times.into_iter().filter(|at| at.0 > 0).take(8) {
            let (out, _) = run(&bytes, name, &TimeMap::freeze(at, ms(5_000)).unwrap()).unwrap();
            assert!(commands(&out, name).1, "{name}: {at}");
            told_again += 1;
        }
    }
    assert!(told_again > 8, "{told_again}");
}

/// A recording of a module and protocol whose server tells some configstrings, each in two blocks, as servers repeat what is
/// not acknowledged; and all its commands.
fn told_twice(protocol: i32, module: &str, strings: &[String]) -> (Vec<u8>, String) {
    telling(protocol, module, |n| match n {
        2 | 3 => (1..).zip(strings.iter().cloned()).collect(),
        _ => Vec::new(),
    })
}

/// A recording of a module and protocol with eight snapshots, from 100000 ms on and 50 ms apart; and the server's commands in
/// front of each, with their numbers.
fn telling(protocol: i32, module: &str, told: impl Fn(i32) -> Vec<(i32, String)>) -> (Vec<u8>, String) {
    use dm3::{Configstring, Dialect, Dm3, Gamestate, Message, Packet, ServerCommand, Snapshot};
    let d = Dialect::by_protocol(protocol).unwrap();
    let mut level = Gamestate::new(0, 0, 0, &d);
    let info = format!(r"\protocol\{protocol}\mapname\q3dm6\gamename\{module}");
    level.items = vec![Configstring { index: 0, value: info.as_str().into() }.into()];
    let mut demo = qdemo::demo::Recording::<Dm3>::new(Some(protocol));
    demo.push(Packet::new(1, 0, vec![level.into()], &d));
    for n in 0..8 {
        let command = |(seq, text): (i32, String)| ServerCommand { seq, value: text.as_str().into() };
        let mut messages: Vec<Message> = told(n).into_iter().map(command).map(Message::from).collect();
        messages.push(Snapshot::new(100_000 + 50 * n, &d).into());
        demo.push(Packet::new(2 + n, 0, messages, &d));
    }
    (demo.to_bytes().unwrap(), format!("x.dm_{protocol}"))
}

/// The commands of a recording.
fn texts(bytes: &[u8], name: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (_, packet) in qdemo::demo::Recording::<dm3::Dm3>::read(bytes.to_vec(), name).unwrap().packets() {
        for message in packet.messages {
            if let dm3::Message::ServerCommand(command) = message {
                all.push(String::from_utf8(command.value.0).unwrap());
            }
        }
    }
    all
}

/// Times in configstrings go with the clock; lengths of what has been, and numbers that tell of no time, stay. A command that is
/// told again is what it was.
#[test]
fn times_in_configstrings_are_retimed_each_time_they_are_told() {
    let live = [
        (r#"cs 5 "\time\109000""#, r#"cs 5 "\time\209000""#),
        (r#"cs 5 "\time\-1""#, r#"cs 5 "\time\-1""#),
        (r#"cs 13 "90000""#, r#"cs 13 "190000""#),
        (r#"cs 661 "\time\105000\round\10\turn\1\state\1""#, r#"cs 661 "\time\205000\round\10\turn\1\state\1""#),
        (r#"cs 662 "99000""#, r#"cs 662 "199000""#),
        (r#"cs 663 "99000""#, r#"cs 663 "99000""#),
        (r#"cs 669 "99500""#, r#"cs 669 "199500""#),
    ];
    let cpma = [
        (r#"cs 672 "tw\110000\ts\0\td\0\te\0\vt\0""#, r#"cs 672 "tw\210000\ts\0\td\0\te\0\vt\0""#),
        (
            r#"cs 672 "tw\0\ts\60000\td\9000\te\30000\vt\99000""#,
            r#"cs 672 "tw\0\ts\160000\td\9000\te\30000\vt\199000""#,
        ),
        (r#"cs 5 "110000""#, r#"cs 5 "210000""#),
    ];
    for (protocol, module, strings) in [(73, "baseq3", &live[..]), (90, "baseq3", &live), (68, "cpma", &cpma)] {
        let told: Vec<_> = strings.iter().map(|(told, _)| (*told).to_owned()).collect();
        let due: Vec<_> = strings.iter().map(|(_, due)| (*due).to_owned()).collect();
        let (bytes, name) = told_twice(protocol, module, &told);
        assert_eq!(texts(&bytes, &name), [told.clone(), told].concat(), "{protocol}");
        let (out, _) = run(&bytes, &name, &TimeMap::shift(100_000)).unwrap();
        assert_eq!(texts(&out, &name), [due.clone(), due].concat(), "{protocol}");
    }
}

/// A server tells the same time again when it has come: in the output it is one time too, and it is when the output shows that
/// moment. What was before the level is shown was as long before. A speed of 2 makes 150 ms of 300.
#[test]
fn a_time_told_again_is_the_same_time() {
    let line = |ts: i32| format!(r#"cs 672 "tw\0\ts\{ts}\td\0\te\0\vt\0""#);
    // At 100100 to come in 100 ms; at 100300 and 100350 it has come. That of 100150 is told late.
    let told = |n: i32| match n {
        2 => vec![(1, line(100_200))],
        3 => vec![(2, line(100_150))],
        5 => vec![(3, line(100_150))],
        6 => vec![(4, line(100_200))],
        7 => vec![(5, line(100_200)), (6, line(60_000))],
        _ => Vec::new(),
    };
    let (bytes, name) = telling(68, "cpma", told);
    let told_as = |map: &TimeMap| texts(&run(&bytes, &name, map).unwrap().0, &name);
    let all = |early: i32, late: i32| [late, early, early, late, late, 60_000].map(line);
    assert_eq!(told_as(&TimeMap::speed(2.0, None).unwrap()), all(100_075, 100_100));
    assert_eq!(told_as(&TimeMap::speed(0.5, None).unwrap()), all(100_300, 100_400));
    // From 100 to 250 ms it is twice as fast: the part behind it shows the same times.
    let part = TimeMap::speed(2.0, Some((ms(100), ms(250)))).unwrap();
    assert_eq!(told_as(&part), all(100_125, 100_150));
    // What was before it stands still stays when it was: nothing is told anew.
    assert_eq!(told_as(&TimeMap::freeze(ms(220), ms(1000)).unwrap()), all(100_150, 100_200));
}

/// All of it, to the end of what it shows or beyond: what stands in front of all blocks does so once, and so does the end.
#[test]
fn a_whole_recording_is_repeated() {
    // The block that ends a `.qwd` comes later than the last that shows something.
    let (ended, _) = run(&testdata("ez-dm.qwd"), "ez-dm.qwd", &TimeMap::freeze(ms(1_000), ms(0)).unwrap()).unwrap();
    let last = clock(&ended).len() - 1;
    let ended = with_clock(&ended, |n, clock| if n == last { clock + 1.0 } else { clock });
    let shipped = ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"];
    let shipped = shipped.map(|name| (name, testdata(name)));
    for (name, bytes) in shipped.into_iter().chain([("ended.qwd", ended)]) {
        let length = extent(&bytes, name).1;
        for to in [length - 500, length, length + 1, length + 3_000] {
            let (out, _) = run(&bytes, name, &TimeMap::repeat(ms(0), ms(to), 2).unwrap()).unwrap();
            assert_sound(&out, name);
            let longer = extent(&out, name).1 - length;
            // Its end may come a second after all else, and a level that is loaded again takes a frame.
            assert!((length - 1_600..=length + 100).contains(&longer), "{name}, {to}: {longer}, not {length}");
            if name == "clip.dem" {
                assert_eq!(out.windows(3).filter(|bytes| bytes == b"-1\n").count(), 1, "{to}");
            }
        }
    }
}

/// Time stands still at the first frame where none has been shown by then: the clock begins as recorded.
#[test]
fn the_first_frame_stands_still() {
    const STOP: i64 = 2_000;
    for name in ["clip.dem", "ez-dm.qwd", "ez-dm.mvd", "q2-demo1.dm2", "q2pro-dm.mvd2", "oa-dm4.dm_71"] {
        let bytes = testdata(name);
        let (times, _) = frames(&bytes, name, usize::MAX);
        // When the level begins, and what the clock shows at the first frame.
        let begins = |bytes: &[u8]| {
            let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
            let mut world = World::of(reader.detected(), name).unwrap();
            let mut level = None;
            while let Some(chunk) = reader.next_chunk().unwrap() {
                world.apply(&chunk);
                level = level.or(world.changes().level.then(|| world.clock()));
                if world.changes().frame {
                    return (level.unwrap(), world.clock());
                }
            }
            panic!("{name}: no frame");
        };
        let (out, _) = run(&bytes, name, &TimeMap::freeze(ms(0), ms(STOP)).unwrap()).unwrap();
        assert_sound(&out, name);
        assert_eq!(begins(&out), begins(&bytes), "{name}");
        assert_eq!(extent(&out, name).1 - extent(&bytes, name).1, STOP, "{name}");
        let later = times.iter().skip(1).map(|time| (*time, DemoTime(time.0 + 1000 * STOP)));
        let moments: Vec<_> = [(times[0], times[0])].into_iter().chain(later.step_by(20)).collect();
        assert!(compare(&bytes, &out, name, Way::Forward(1.0), &moments) > 2, "{name}");
        if !name.ends_with(".qwd") && !name.ends_with(".mvd") {
            // Nothing comes at that time in QuakeWorld.
            let still = [(times[0], DemoTime(times[1].0 + 1_000_000))];
            compare(&bytes, &out, name, Way::Still, &still);
        }
    }
    // A clock, and nothing to be seen on it.
    let time = |seconds: f32| [[7].as_slice(), &seconds.to_le_bytes()].concat();
    let bytes = demo("-1\n", &[&time(1.0), &time(2.0), &time(3.0)]);
    let e = run(&bytes, "x.dem", &TimeMap::freeze(ms(500), ms(STOP)).unwrap()).unwrap_err().to_string();
    assert!(e.contains("nothing is shown that could stand still"), "{e}");
}

/// A recording of Quake II in whose last frame something is said, of which a faster one has no frame.
fn said_at_the_end<F: qdemo::demo::Listed>(name: &str, text: F::Message<'static>) -> Vec<u8> {
    let mut demo = qdemo::demo::Recording::<F>::read(testdata(name), name).unwrap();
    let (part, mut packet) = demo.packets().map(|(part, packet)| (part, packet.into_owned())).last().unwrap();
    packet.messages.extend(std::iter::repeat_n(text, 30));
    demo.replace(part, packet);
    demo.to_bytes().unwrap()
}

/// What is said in frames that are left out comes with the next one, or behind all of them. No packet of a `.dm2` is longer than
/// engines read (id's `MAX_MSGLEN`).
#[test]
fn what_is_said_last_is_said_in_a_faster_recording() {
    use qdemo::format::{dm2, mvd2};
    const TEXT: &str = "that is how it ended, and no frame of the faster recording comes behind it\n";
    let string = || TEXT.into();
    let said = dm2::Message::Print(dm2::Print { level: 3, string: string() });
    let to_all =
        mvd2::Message::Print(mvd2::Print { spare_bits: mvd2::SpareBits::default(), level: 3, string: string() });
    let recordings = [
        ("q2-demo1.dm2", said_at_the_end::<dm2::Dm2>("q2-demo1.dm2", said)),
        ("q2pro-dm.mvd2", said_at_the_end::<mvd2::Mvd2>("q2pro-dm.mvd2", to_all)),
    ];
    for (name, bytes) in recordings {
        let texts = |bytes: &[u8]| {
            let text = String::from_utf8(decompile_bytes(bytes, name, &Options::default()).unwrap()).unwrap();
            text.lines().filter(|line| line.trim().starts_with("string ")).map(str::to_owned).collect::<Vec<_>>()
        };
        let all = texts(&bytes);
        assert!(all.len() > 30, "{name}");
        for speed in [2.0, 3.7, 7.0, 20.0, 1000.0] {
            let (out, _) = run(&bytes, name, &TimeMap::speed(speed, None).unwrap()).unwrap();
            assert_sound(&out, name);
            assert_eq!(texts(&out), all, "{name}: {speed}");
            let mut rest = &out[..];
            while let Some(size) = rest.first_chunk().filter(|_| name.ends_with(".dm2")).map(|b| i32::from_le_bytes(*b))
            {
                assert!(size <= 1400, "{speed}: {size}");
                rest = &rest[(4 + size.max(0) as usize).min(rest.len())..];
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
