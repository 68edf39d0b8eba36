//! Recordings seen from elsewhere: the view is where the script says, and all else is as it was.

use qdemo::convert::{Target, convert};
use qdemo::edit::{CameraAccount, Easing, Edits, Key, Script, Setting, Shot, ShotKind, Subject, camera, change};
use qdemo::event::EventTag;
use qdemo::format::dm3::Array;
use qdemo::replay::{Position, Range, World};
use qdemo::world::{DemoTime, Entity, Scene, View};
use qdemo::{Chunk, FileKind, Limits, Reader};

use super::{each, events, happened};
use crate::common::{Random, assert_sound, report, rounds, testdata};

/// Recordings with a view of their own, one of each game at least.
const VIEWED: [&str; 7] =
    ["dm13-15.dem", "e0m1-666.dem", "ez-dm.qwd", "q2-demo1.dm2", "oa-dm2.dm_68", "oa-dm4.dm_71", "oa-dm5.dm_66"];

fn kind_of(bytes: &[u8], name: &str) -> FileKind {
    Reader::new(bytes, name, Limits::default()).unwrap().detected().kind
}

fn ms(ms: i64) -> DemoTime {
    DemoTime::from_ms(ms)
}

fn shot(from: i64, to: i64, kind: ShotKind) -> Shot {
    Shot { from: ms(from), to: ms(to), kind, look_at: None, fov: None }
}

fn film(bytes: &[u8], name: &str, shots: &[Shot]) -> (Vec<u8>, CameraAccount) {
    let script = Script { shots: shots.to_vec() };
    camera(bytes, name, Limits::default(), &script, Vec::new()).unwrap()
}

/// A moment of a recording.
struct Frame {
    time: DemoTime,
    view: Option<View>,
    world: World,
    /// Something is told of it beside the time.
    is_frame: bool,
}

/// Every block of a recording with the world after it, but for those of `.dem` that hold nothing at all.
fn play(bytes: &[u8], name: &str, each: &mut dyn FnMut(&Frame, &[u8])) {
    let mut reader = Reader::new(bytes, name, Limits::default()).unwrap();
    let mut world = World::of(reader.detected(), name).unwrap();
    while let Some((chunk, raw)) = reader.next_with_bytes().unwrap() {
        let fault = world.apply(&chunk);
        assert!(fault.is_none(), "{name}: {fault:?}");
        let is_nothing = |chunk: &Chunk<'_>| match chunk {
            Chunk::Dem(qdemo::frame::Chunk::Block(block)) => block.payload == [1],
            _ => false,
        };
        if chunk.block().is_some() && !is_nothing(&chunk) {
            let is_frame = world.changes().frame;
            let frame = Frame { time: world.clock().demo, view: world.view(), world: world.clone(), is_frame };
            each(&frame, raw);
        }
    }
}

/// The view in each frame.
fn views_of_frames(bytes: &[u8], name: &str) -> Vec<(DemoTime, Option<View>)> {
    let mut all = Vec::new();
    play(bytes, name, &mut |frame, _| {
        if frame.is_frame {
            all.push((frame.time, frame.view));
        }
    });
    all
}

/// The view in each frame, with what else comes at its time: clients of QuakeWorld record the command of a moment, which has the
/// angles, behind its packet.
fn views(bytes: &[u8], name: &str) -> Vec<(DemoTime, Option<View>)> {
    let mut all: Vec<(DemoTime, Option<View>)> = Vec::new();
    play(bytes, name, &mut |frame, _| match all.last_mut().filter(|last| last.0 == frame.time) {
        Some(last) if !frame.is_frame => last.1 = frame.view,
        _ if frame.is_frame => all.push((frame.time, frame.view)),
        _ => {}
    });
    all
}

fn near(a: [f32; 3], b: [f32; 3], by: f32) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= by)
}

/// Angles that differ by less than so many degrees, whole turns apart.
fn turned(a: [f32; 3], b: [f32; 3], by: f32) -> bool {
    a.iter().zip(b).all(|(a, b)| ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs() <= by)
}

/// From one place to another in 1.2 seconds: some recordings last no two.
fn line() -> Vec<Shot> {
    let key = |at, place, yaw| Key { at: ms(at), place, angles: [10.0, yaw, 0.0], fov: None, easing: Easing::Linear };
    let keys = vec![key(300, [100.0, -200.0, 50.0], 350.0), key(1500, [400.0, 100.0, 80.0], 20.0)];
    vec![shot(300, 1500, ShotKind::Path { keys })]
}

#[test]
fn a_camera_on_a_line_is_where_time_has_brought_it() {
    // A client records a command behind the packet of its time; here it stands in front.
    let to = Target::by_extension("qwd", None).unwrap().of_player(0);
    let (made, _) = convert(&testdata("ez-dm.mvd")[..], "ez-dm.mvd", Limits::default(), to, Vec::new()).unwrap();
    let viewed = VIEWED.map(|name| (testdata(name), name));
    for (bytes, name) in viewed.into_iter().chain([(made, "made.qwd")]) {
        let (out, account) = film(&bytes, name, &line());
        assert_sound(&out, name);
        let (before, after) = (views(&bytes, name), views(&out, name));
        assert_eq!(before.len(), after.len(), "{name}");
        let mut frames = 0;
        for ((time, recorded), (again, view)) in before.into_iter().zip(after) {
            assert_eq!(time, again, "{name}");
            if !(ms(300)..ms(1500)).contains(&time) {
                assert_eq!(view, recorded, "{name} {time}");
                continue;
            }
            // Three hundred units and thirty degrees.
            let share = (time.0 - 300_000) as f32 / 1.2e6;
            let place = [100.0 + 300.0 * share, -200.0 + 300.0 * share, 50.0 + 30.0 * share];
            let view = view.unwrap();
            assert!(near(view.origin.unwrap(), place, 0.126), "{name} {time}: {view:?}, not {place:?}");
            // A command of QuakeWorld is as old as the last one.
            let by = if name.ends_with(".qwd") { 2.0 } else { 0.01 };
            assert!(turned(view.angles, [10.0, 350.0 + 30.0 * share, 0.0], by), "{name} {time}: {view:?}");
            frames += 1;
        }
        assert!(frames > 10, "{name}: {frames}");
        assert!(account.shots[0].frames.abs_diff(frames) <= 3, "{name}: {:?}, not {frames}", account.shots);
        assert_eq!(account.shots[0].unseen, 0);
    }
}

/// What is in view in both, but for what a camera puts in: an entity of a name that nothing in the recording has.
fn same_entities(one: &World, other: &World, what: &str) {
    // The recorder of a `.qwd` is where the camera is.
    let is_recorder = |entity: &Entity<'_>| matches!(one, World::QuakeWorld(_)) && entity.player == one.recorder();
    let all = |world: &World| {
        let all = world.entities().filter(|entity| !is_recorder(entity));
        all.map(IntoStatic::into_static).collect::<Vec<_>>()
    };
    let (before, after) = (all(one), all(other));
    let missing: Vec<_> = before.iter().filter(|entity| !after.contains(entity)).collect();
    assert!(missing.is_empty(), "{what}: {missing:?}");
    assert!(after.len() <= before.len() + 1, "{what}: {} and {}", before.len(), after.len());
}

trait IntoStatic {
    fn into_static(self) -> Entity<'static>;
}

impl IntoStatic for Entity<'_> {
    fn into_static(self) -> Entity<'static> {
        Entity { kind: self.kind.into_owned().into(), model: self.model.into_owned().into(), ..self }
    }
}

#[test]
fn all_but_the_view_is_as_it_was() {
    const WHAT: &[EventTag] = &[EventTag::Frag, EventTag::Chat, EventTag::Center, EventTag::Score, EventTag::Level];
    each(|bytes, name| {
        if bytes.len() > 500_000 {
            return;
        }
        let kind = kind_of(bytes, name);
        if matches!(kind, FileKind::Mvd | FileKind::Mvd2) {
            return;
        }
        let shots = line();
        let (out, account) = match camera(bytes, name, Limits::default(), &Script { shots }, Vec::new()) {
            Ok(done) => done,
            Err(e) => {
                // That of a server, or of the test release.
                assert!(e.to_string().contains("no camera"), "{name}: {e}");
                return;
            }
        };
        assert_sound(&out, name);
        let told = |bytes: &[u8]| happened(events(bytes, name, WHAT));
        assert_eq!(told(bytes), told(&out), "{name}");
        let mut played = Vec::new();
        play(&out, name, &mut |frame, raw| played.push((frame.world.clone(), raw.to_vec())));
        let (mut n, mut same, mut other) = (0, 0, 0);
        play(bytes, name, &mut |frame, raw| {
            let (world, block) = &played[n];
            n += 1;
            let what = format!("{name} {} block {n}", frame.time);
            same_entities(&frame.world, world, &what);
            assert_eq!(frame.world.clock(), world.clock(), "{what}");
            if raw == block {
                same += 1;
            } else {
                other += 1;
                // Differences to frames of the shot are told until the server builds on a later one.
                assert!((ms(300)..ms(6000)).contains(&frame.time), "{what}");
            }
            if !(ms(300)..ms(1500)).contains(&frame.time) {
                let differences = frame.world.differences(world);
                // The angles of a packet are those of the command before.
                assert!(differences.is_empty() || kind == FileKind::Qwd, "{what}: {differences:?}");
            }
        });
        assert_eq!(
            (n, same, other),
            (played.len(), account.account.blocks_kept, account.account.blocks_changed),
            "{name}"
        );
    });
}

#[test]
fn what_never_applies_changes_nothing() {
    each(|bytes, name| {
        if bytes.len() > 1_000_000 {
            return;
        }
        if matches!(kind_of(bytes, name), FileKind::Mvd | FileKind::Mvd2) {
            return;
        }
        let fixed = ShotKind::Fixed { place: [0.0; 3], angles: [0.0; 3] };
        let (out, account) = film(bytes, name, &[shot(360_000_000, 360_001_000, fixed)]);
        assert!(out == bytes, "{name}");
        assert_eq!((account.account.blocks_changed, account.account.blocks_made), (0, 0), "{name}");
        assert_eq!(account.shots[0].frames, 0, "{name}");
    });
}

/// Whatever is damaged: what is written can be read as far as the input could.
#[test]
fn damaged_recordings_are_carried_out_or_refused() {
    let mut random = Random(0xCA3E);
    for name in VIEWED {
        for _ in 0..rounds(20) {
            let mut bytes = testdata(name);
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            let was_exact = report(&bytes, name).is_exact();
            let script = Script { shots: line() };
            if let Ok((out, account)) = camera(&bytes[..], name, Limits::default(), &script, Vec::new()) {
                let all = &account.account;
                assert_eq!(all.blocks_read, all.blocks_kept + all.blocks_changed, "{name} {at}");
                assert!(!was_exact || report(&out, name).is_exact(), "{name} {at}");
            }
        }
    }
}

/// A camera in Quake III is a spectator, as servers have them: no score is his (`ClientSpawn` of id's game module clears what counts),
/// he is never dead, whoever was, and looks at the scores when all do (`MoveClientToIntermission`).
#[test]
fn a_camera_is_a_spectator_as_servers_have_them() {
    let name = "oa-dm4.dm_71";
    let at = |ms| Position::Demo(DemoTime::from_ms(ms));
    let set = |text: &str, from, to| {
        let range = Some(Range { from: at(from), to: at(to) });
        Setting { range, ..text.parse().unwrap() }
    };
    let all = vec![
        set("player.persistant[0]=6", 10_000, 12_000),
        set("player.persistant[0]=7", 12_000, 40_000),
        set("player.stats[0]=-5", 14_000, 16_000),
        set("player.pm_type=5", 38_000, 40_000),
    ];
    let edits = Edits { set: all, ..Edits::default() };
    let (bytes, _) = change(&testdata(name)[..], name, Limits::default(), &edits, Vec::new()).unwrap();
    let told = |bytes: &[u8]| happened(events(bytes, name, &[EventTag::Score, EventTag::Match]));
    let before = told(&bytes);
    let own = |all: &[(i64, EventTag, String)]| all.iter().filter(|it| it.2.contains("7 points (had 6)")).count();
    assert_eq!(own(&before), 1, "{before:?}");
    let fixed = ShotKind::Fixed { place: [100.0, 0.0, 200.0], angles: [10.0, 0.0, 0.0] };
    let (out, _) = film(&bytes, name, &[shot(9_000, 41_000, fixed)]);
    assert_sound(&out, name);
    // The score is the recorder's, and nobody tells it to a spectator; all else is as it was.
    let others: Vec<_> = before.into_iter().filter(|(_, _, text)| !text.contains("Recorder has")).collect();
    let after: Vec<_> = told(&out).into_iter().filter(|(_, _, text)| !text.contains("Recorder has")).collect();
    assert_eq!(after, others);
    assert!(others.iter().any(|(_, tag, text)| *tag == EventTag::Match && text.contains("intermission")), "{others:?}");
    let mut frames = 0;
    play(&out, name, &mut |frame, _| {
        let World::Dm3(world) = &frame.world else { panic!("Quake III") };
        if frame.is_frame && (ms(9_000)..ms(41_000)).contains(&frame.time) {
            let state = world.player_state().unwrap();
            let score = state.slot(Array::Persistant, 0);
            assert_eq!((score, state.slot(Array::Stats, 0)), (0, 100), "{}", frame.time);
            assert_eq!(world.is_intermission(), (ms(38_000)..=ms(40_000)).contains(&frame.time), "{}", frame.time);
            assert_eq!(frame.view.and_then(|view| view.origin), Some([100.0, 0.0, 200.0]));
            frames += 1;
        }
    });
    assert!(frames > 500, "{frames}");
}

#[test]
fn recordings_of_all_players_have_no_camera() {
    for name in ["ez-dm.mvd", "q2pro-dm.mvd2"] {
        let script = Script { shots: line() };
        let e = camera(&testdata(name)[..], name, Limits::default(), &script, Vec::new()).map(drop).unwrap_err();
        assert!(e.to_string().contains("no camera"), "{name}: {e}");
    }
}

/// The direction in which angles look: by the sines and cosines of pitch, down, and yaw.
fn forward([pitch, yaw, _]: [f32; 3]) -> [f32; 3] {
    let (pitch, yaw) = (pitch.to_radians(), yaw.to_radians());
    [pitch.cos() * yaw.cos(), pitch.cos() * yaw.sin(), -pitch.sin()]
}

/// True when who looks from `view` has a place in the middle of the screen.
fn looks_at(view: &View, place: [f32; 3]) -> bool {
    let from = view.origin.unwrap();
    let way: [f32; 3] = std::array::from_fn(|i| place[i] - from[i]);
    let length = way.iter().map(|v| v * v).sum::<f32>().sqrt();
    let forward = forward(view.angles);
    let along = way.iter().zip(forward).map(|(a, b)| a * b).sum::<f32>();
    along > 0.999 * length
}

#[test]
fn cameras_look_at_places_and_behind_players() {
    for name in VIEWED {
        let bytes = testdata(name);
        // The recorder of one only watches: from 5.35 s to 8.6 s he follows the same player.
        let start = if name == "oa-dm5.dm_66" { 6000 } else { 300 };
        let place = [300.0, -500.0, 20.0];
        let fixed = ShotKind::Fixed { place: [-100.0, 50.0, 200.0], angles: [0.0; 3] };
        let at = Shot { look_at: Some(Subject::Place(place)), ..shot(start, start + 400, fixed) };
        // Through whose eyes it looks then: a recorder who only watches follows others.
        let mut who = Vec::new();
        play(&bytes, name, &mut |frame, _| {
            let view = frame.view.filter(|view| frame.time >= ms(start) && view.origin.is_some());
            if let Some(slot) = view.and_then(|view| view.slot) {
                who.extend(frame.world.player(slot).map(|player| player.clean_name()).filter(|name| !name.is_empty()));
            }
        });
        let who = Subject::Player(who.first().expect(name).clone());
        let follow = ShotKind::Follow {
            who: who.clone(),
            distance: 100.0,
            height: 75.0,
            turn: 0.0,
            smooth: DemoTime::default(),
        };
        let ride = ShotKind::Ride { who, offset: [0.0, 0.0, 10.0] };
        let shots = [at, shot(start + 400, start + 800, follow), shot(start + 800, start + 1200, ride)];
        let (out, account) = film(&bytes, name, &shots);
        assert_sound(&out, name);
        let (before, after) = (views_of_frames(&bytes, name), views_of_frames(&out, name));
        let mut seen = [0; 3];
        for ((time, recorded), (_, view)) in before.into_iter().zip(after) {
            let (Some(recorded), Some(view)) = (recorded, view) else { continue };
            let Some(eyes) = recorded.origin else { continue };
            let from = view.origin.unwrap();
            let since = time.ms() - start;
            // The angles of a first packet come behind it.
            if name.ends_with(".qwd") && since.rem_euclid(400) < 40 {
                continue;
            }
            match since {
                0..400 => {
                    assert!(looks_at(&view, place), "{name} {time}: {view:?}");
                    seen[0] += 1;
                }
                400..800 => {
                    let way: [f32; 3] = std::array::from_fn(|i| eyes[i] - from[i]);
                    // 100 units behind, and 75 above.
                    assert!(
                        (way[0].hypot(way[1]) - 100.0).abs() < 0.5 && (way[2] + 75.0).abs() < 0.5,
                        "{name} {time}: {way:?}"
                    );
                    assert!(looks_at(&view, eyes), "{name} {time}: {view:?}");
                    let [fx, fy, _] = forward([0.0, recorded.angles[1], 0.0]);
                    assert!(fx * way[0] + fy * way[1] > 99.0, "{name} {time}: {way:?} {recorded:?}");
                    seen[1] += 1;
                }
                800..1200 => {
                    let up: [f32; 3] = std::array::from_fn(|i| from[i] - eyes[i]);
                    let length = up.iter().map(|v| v * v).sum::<f32>().sqrt();
                    assert!((length - 10.0).abs() < 0.3, "{name} {time}: {up:?}");
                    let by = if name.ends_with(".qwd") { 30.0 } else { 0.02 };
                    assert!(turned(view.angles, recorded.angles, by), "{name} {time}: {view:?} {recorded:?}");
                    seen[2] += 1;
                }
                _ => {}
            }
        }
        assert!(seen.iter().all(|n| *n > 2), "{name}: {seen:?}");
        assert!(account.shots.iter().all(|shot| shot.unseen == 0), "{name}: {:?}", account.shots);
    }
}

#[test]
fn who_is_not_seen_is_counted_and_the_recorded_view_stays() {
    for name in VIEWED {
        let bytes = testdata(name);
        let ride = ShotKind::Ride { who: Subject::Player("nobody of that name".to_owned()), offset: [0.0; 3] };
        let (out, account) = film(&bytes, name, &[shot(300, 1500, ride)]);
        assert!(out == bytes, "{name}");
        let [shot] = account.shots[..] else { panic!("one shot") };
        assert_eq!(shot.frames, 0, "{name}");
        assert!(shot.first_unseen.is_some_and(|first| first.at.demo.ms() >= 300), "{name}: {shot:?}");
        // Each frame counts once: commands of a client, which stand between them, are none.
        let (mut frames, mut reader) = (0, Reader::new(&bytes[..], name, Limits::default()).unwrap());
        let mut world = World::of(reader.detected(), name).unwrap();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
            frames += u64::from(world.changes().frame && (300..1500).contains(&world.clock().demo.ms()));
        }
        assert!(frames > 5 && shot.unseen == frames, "{name}: {frames} frames, {shot:?}");
    }
}

#[test]
fn scripts_that_cannot_be_carried_out_are_refused() {
    let fixed = || ShotKind::Fixed { place: [0.0; 3], angles: [0.0; 3] };
    let path = |keys| ShotKind::Path { keys };
    let far = ShotKind::Fixed { place: [f32::NAN, 0.0, 0.0], angles: [0.0; 3] };
    let key = Key { at: ms(5), place: [0.0; 3], angles: [0.0; 3], fov: None, easing: Easing::In };
    let cases = [
        (vec![shot(10, 10, fixed())], "let it end later"),
        (vec![shot(10, 20, fixed()), shot(15, 30, fixed())], "before the one in front of it ends"),
        (vec![shot(10, 20, path(Vec::new()))], "needs keys"),
        (vec![shot(10, 20, path(vec![key, key]))], "order them by time"),
        (vec![shot(10, 20, far)], "at most a million"),
    ];
    for (shots, what) in cases {
        let e = Script { shots }.check().unwrap_err();
        assert!(e.to_string().contains(what), "{e}");
    }
}
