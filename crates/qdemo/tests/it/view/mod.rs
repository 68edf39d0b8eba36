//! A replay says what the world of its recording is, row by row, and is the same after it was packed.

mod maps;

use std::cell::LazyCell;

use qdemo::Limits;
use qdemo::event::EventKind;
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::replay::{Position, Range, Seeker, events};
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::view::{self, Key, MarkKind, Replay, Track, TrackOf};
use qdemo::world::{DemoTime, Scene};

use crate::common::{all_dem, all_dm2, all_dm3, all_mvd2, all_quakeworld, file_name, is_broken, report, testdata};

const SHIPPED: [&str; 8] = [
    "clip.dem",
    "e0m1-666.dem",
    "ez-dm.mvd",
    "ez-dm.qwd",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
    "oa-dm4.dm_71",
    "oa-dm2.dm_68",
];

fn read(demo: &[u8], name: &str) -> Replay {
    view::read(demo, name, Limits::default(), Range::ALL).unwrap().0
}

/// What of a track is in view at a row.
fn at(replay: &Replay, row: u32, is: impl Fn(&TrackOf) -> bool) -> Option<&Key> {
    let all: Vec<&Track> = replay.tracks.iter().filter(|track| is(&track.of) && track.at(row).is_some()).collect();
    assert!(all.len() <= 1, "two tracks of one at row {row}");
    all.first().and_then(|track| track.at(row))
}

/// A place is quantised to eighths, an angle to 65536ths of a turn.
#[track_caller]
fn near(key: &Key, origin: [f32; 3], angles: Option<[f32; 3]>, what: &str) {
    let off = |n: usize| (key.origin()[n] - origin[n]).abs();
    assert!((0..3).all(|n| off(n) <= 0.0626), "{what}: {:?} is not {origin:?}", key.origin());
    for (told, angle) in key.degrees().iter().zip(angles.into_iter().flatten()) {
        let off = (told - angle).rem_euclid(360.0);
        assert!(off.min(360.0 - off) <= 0.0056, "{what}: {told} is not {angle}");
    }
}

/// Who came and left: when, the slot, and whose name it is that left.
fn comings_and_goings(demo: &[u8], name: &str) -> Vec<(i64, Option<usize>, Option<String>)> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        match &event.kind {
            EventKind::Leave(who) => all.push((event.clock.demo.ms(), who.slot, Some(who.name.clone()))),
            EventKind::Join(who) => all.push((event.clock.demo.ms(), who.slot, None)),
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    all
}

/// At some rows everything that the world tells of players and entities is what the replay has there.
fn agrees(demo: &[u8], name: &str, every: usize) {
    let replay = read(demo, name);
    assert!(replay.rows.is_sorted_by(|a, b| a < b), "{name}: rows only grow");
    let mut seeker = Seeker::open(demo, name, Limits::default()).unwrap();
    assert_eq!(replay.rows.last().copied(), Some(seeker.length().ms()), "{name}");
    let moves = LazyCell::new(|| comings_and_goings(demo, name));
    for (row, ms) in replay.rows.iter().enumerate().step_by(every) {
        // A place in a recording is a whole millisecond: all of it.
        let world = seeker.seek(DemoTime(ms * 1000 + 499));
        let (what, row) = (format!("{name} at {ms} ms"), row as u32);
        let level = replay.about.levels.iter().rev().find(|level| level.row <= row).unwrap();
        // What a level is called may be told after it began.
        let map = world.level().map;
        assert!(level.map.as_bytes() == map || map.is_empty(), "{what}: {} is not {map:?}", level.map);
        for slot in 0..world.player_slots() {
            let is = |of: &TrackOf| *of == TrackOf::Player(slot as u32);
            let (player, key) = (world.player(slot), at(&replay, row, is));
            let origin = player.as_ref().and_then(|player| player.origin);
            assert_eq!(key.is_some(), origin.is_some(), "{what}: slot {slot} is in view");
            if let (Some(key), Some(origin)) = (key, origin) {
                let angles = player.as_ref().and_then(|player| player.angles);
                near(key, origin, angles, &format!("{what}: slot {slot}"));
            }
            let value = |name: &str| replay.values_of(Some(slot as u32), name).and_then(|values| values.at(row));
            let text = |name: &str| value(name).map(|number| replay.string(number as u32).to_owned());
            let told = player.as_ref();
            assert_eq!(value("health"), told.and_then(|p| p.health).map(i64::from), "{what}: slot {slot}");
            assert_eq!(value("armor"), told.and_then(|p| p.armor).map(i64::from), "{what}: slot {slot}");
            assert_eq!(value("frags"), told.and_then(|p| p.frags).map(i64::from), "{what}: slot {slot}");
            // Servers of Quake II leave the name of who went in the slot.
            let name_told = told.map(|p| p.clean_name());
            let has_left = || {
                let mut moved = moves.iter().filter(|(at, of, _)| at <= ms && *of == Some(slot));
                moved.next_back().is_some_and(|(.., left)| *left == name_told)
            };
            if text("name").is_some() || name_told.is_none() || !has_left() {
                assert_eq!(text("name"), name_told, "{what}: slot {slot}");
            }
            assert_eq!(text("weapon").as_deref(), told.and_then(|p| p.weapon.as_deref()), "{what}: slot {slot}");
            if told.is_none() {
                continue;
            }
            let mut carried = 0;
            world.carried(slot, &mut |name, expected| {
                assert_eq!(value(name), Some(expected), "{what}: slot {slot} carries {name}");
                carried += 1;
            });
            let shells = value("shells").is_some();
            assert!(carried > 0 || !shells, "{what}: slot {slot} carries nothing");
        }
        for number in 0..world.entity_slots() {
            let is = |of: &TrackOf| matches!(of, TrackOf::Entity { number: n, .. } if *n as usize == number);
            let entity = world.entity(number).filter(|it| it.player.is_none());
            let key = at(&replay, row, is);
            let Some(entity) = entity else {
                assert!(key.is_none(), "{what}: entity {number} is not in view");
                continue;
            };
            // What nobody sees is left out.
            if let Some(key) = key {
                near(key, entity.origin, Some(entity.angles), &format!("{what}: entity {number}"));
            } else {
                assert!(!["item", "missile", "mover", "monster"].contains(&&*entity.kind), "{what}: entity {number}");
            }
        }
    }
}

#[test]
fn a_replay_is_the_world_row_by_row() {
    for name in SHIPPED {
        agrees(&testdata(name), name, if cfg!(debug_assertions) { 29 } else { 3 });
    }
    for path in [all_dem(), all_quakeworld(), all_dm2(), all_mvd2(), all_dm3()].concat() {
        let demo = std::fs::read(&path).unwrap();
        let (name, shipped) = (file_name(&path), path.starts_with(crate::common::root().join("testdata")));
        // What the world shows while a part is missing comes and goes unsaid.
        if demo.len() < 1_000_000 && !shipped && !is_broken(&path) && report(&demo, &name).is_sound() {
            agrees(&demo, &name, 997);
        }
    }
}

#[test]
fn a_replay_comes_back_from_its_bytes() {
    let nothing = Replay::default();
    assert!(Replay::from_bytes(&nothing.to_bytes().unwrap()).unwrap() == nothing);
    for name in SHIPPED {
        let replay = read(&testdata(name), name);
        let packed = replay.to_bytes().unwrap();
        assert!(Replay::from_bytes(&packed).unwrap() == replay, "{name}");
        for cut in [0, 1, packed.len() / 2, packed.len() - 1] {
            assert!(Replay::from_bytes(&packed[..cut]).is_err(), "{name}: {cut} bytes of it");
        }
    }
}

/// With any number of threads, and whatever ends the reading.
#[test]
fn several_threads_make_the_same_replay() {
    for name in SHIPPED {
        let demo = testdata(name);
        let one = view::read(&demo[..], name, Limits::default(), Range::ALL).unwrap();
        let bytes = one.0.to_bytes().unwrap();
        assert_eq!(Replay::from_bytes(&bytes).unwrap(), one.0, "{name}");
        for threads in 2..5 {
            let several = view::read_on(threads, &demo[..], name, Limits::default(), Range::ALL).unwrap();
            assert_eq!(several.0, one.0, "{name}");
            assert_eq!(several.1.count(), one.1.count(), "{name}");
            assert!(several.0.to_bytes_on(threads).unwrap() == bytes, "{name}");
        }
        // A clock that a recording does not have ends the first reader alone, blocks that are too large end neither.
        let of_frame = Range { from: Position::Frame(1), to: Position::End };
        let late = Range { from: "9:00:00".parse().unwrap(), to: Position::End };
        let mut small = Limits::default();
        small.block = 8;
        for (limits, range) in [(Limits::default(), late), (Limits::default(), of_frame), (small, Range::ALL)] {
            let said = |threads| match view::read_on(threads, &demo[..], name, limits, range) {
                Ok((replay, faults)) => format!("{} rows, {} faults", replay.rows.len(), faults.count()),
                Err(e) => e.to_string(),
            };
            assert_eq!(said(2), said(1), "{name}");
            assert_eq!(said(1).contains("nothing lies between 9:00:00"), range == late, "{name}: {}", said(1));
        }
    }
}

#[test]
fn frags_are_those_of_the_events() {
    for name in SHIPPED {
        let (demo, mut expected) = (testdata(name), Vec::new());
        events(&demo[..], name, Limits::default(), &mut |event| {
            if let EventKind::Frag(frag) = &event.kind {
                let attacker = frag.attacker.as_ref().map(|who| who.name.clone());
                expected.push((event.clock.demo.ms(), attacker, frag.victim.name.clone(), frag.weapon.to_string()));
            }
            Ok(())
        })
        .unwrap();
        let replay = read(&demo, name);
        let frags = replay.about.marks.iter().filter_map(|mark| match &mark.kind {
            MarkKind::Frag { attacker, victim, weapon, .. } => {
                let attacker = attacker.as_ref().map(|who| who.name.clone());
                Some((mark.demo_ms, attacker, victim.name.clone(), weapon.clone()))
            }
            _ => None,
        });
        assert_eq!(frags.collect::<Vec<_>>(), expected, "{name}");
    }
}

/// A part of a recording has the rows of the whole that lie in it, and the same there.
#[test]
fn a_part_is_a_part_of_the_whole() {
    for name in SHIPPED {
        let demo = testdata(name);
        let whole = read(&demo, name);
        let (first, last) = (whole.rows[whole.rows.len() / 3], whole.rows[whole.rows.len() / 2]);
        let place = |ms| Position::Demo(DemoTime::from_ms(ms));
        let range = Range { from: place(first), to: place(last) };
        let (part, _) = view::read(&demo[..], name, Limits::default(), range).unwrap();
        let within: Vec<_> = whole.rows.iter().filter(|ms| (first..=last).contains(ms)).collect();
        assert_eq!(part.rows.iter().collect::<Vec<_>>(), within, "{name}");
        for ms in within.iter().step_by(7) {
            let (here, there) = (part.row_at(**ms).unwrap(), whole.row_at(**ms).unwrap());
            for slot in 0..64 {
                let is = |of: &TrackOf| *of == TrackOf::Player(slot);
                let place = |key: Option<&Key>| key.map(|key| (key.place, key.angles));
                assert_eq!(place(at(&part, here, is)), place(at(&whole, there, is)), "{name} at {ms}: slot {slot}");
            }
        }
    }
}

/// A part has the matches that it shows something of, also where they begin before it and end behind it.
#[test]
fn a_part_within_a_match_has_the_match() {
    let mut matches = 0;
    for name in SHIPPED {
        let demo = testdata(name);
        let whole = read(&demo, name);
        for one in &whole.about.matches {
            let third = (one.to_ms - one.from_ms) / 3;
            let place = |ms| Position::Demo(DemoTime::from_ms(ms));
            let range = Range { from: place(one.from_ms + third), to: place(one.to_ms - third) };
            let (part, _) = view::read(&demo[..], name, Limits::default(), range).unwrap();
            assert_eq!(part.about.matches, std::slice::from_ref(one), "{name}");
            matches += 1;
        }
    }
    assert!(matches > 0, "no recording has a match");
}

/// Damage is that of the events: whose, by whom, and what of it there was to lose.
#[test]
fn damage_is_that_of_the_events() {
    let mut told = 0;
    for name in SHIPPED {
        let (demo, mut expected) = (testdata(name), Vec::new());
        let replay = read(&demo, name);
        let slot =
            |who: &Option<qdemo::event::PlayerRef>| who.as_ref().and_then(|who| who.slot).map(|slot| slot as u32);
        events(&demo[..], name, Limits::default(), &mut |event| {
            if let EventKind::Damage(it) = &event.kind {
                let amount = it.taken.unwrap_or(it.amount);
                expected.push((replay.row_at(event.clock.demo.ms()), slot(&it.victim), slot(&it.attacker), amount));
            }
            Ok(())
        })
        .unwrap();
        let damage = replay.damage.iter().map(|it| (Some(it.row), it.victim, it.attacker, it.amount as i32));
        assert_eq!(damage.collect::<Vec<_>>(), expected, "{name}");
        told += expected.len();
    }
    assert!(told > 0, "no recording tells of damage");
}

/// Armour of Quake has one model: its skin tells which it is, and the replay says so.
#[test]
fn items_of_quake_have_their_names() {
    let replay = read(&testdata("ez-dm.qwd"), "ez-dm.qwd");
    let items = replay.tracks.iter().filter_map(|track| match track.of {
        TrackOf::Entity { kind, model, .. } if replay.string(kind) == "item" => Some(replay.string(model)),
        _ => None,
    });
    let items: Vec<_> = items.collect();
    for name in ["red_armor", "yellow_armor", "quad", "megahealth", "rocket_launcher"] {
        assert!(items.contains(&name), "{name} is not in {items:?}");
    }
    assert!(!items.iter().any(|name| name.contains("armor.mdl")), "{items:?}");
}

/// The game stands still where the timeline has a pause: OSP Tourney prints its time-outs, and Quake II tells nothing else of them.
#[test]
fn the_game_stands_still_where_it_is_paused() {
    let text = decompile_bytes(&testdata("q2-demo1.dm2"), "q2-demo1.dm2", &Options::default()).unwrap();
    let mut text = String::from_utf8(text).unwrap();
    for (block, level, line) in [(100, 2, "Fight!"), (150, 3, "Time-Out called by Player"), (200, 2, "Fight!")] {
        let head = format!("block {{ // {block}\n");
        assert_eq!(text.matches(&head).count(), 1);
        text = text.replace(&head, &format!("{head} print {{ level {level}; string \"{line}\\n\"; }}\n"));
    }
    let demo = compile_bytes(text.as_bytes(), "text").unwrap();
    let timeline = timeline(&demo[..], "made.dm2", Limits::default()).unwrap();
    let pauses: Vec<_> = timeline.spans.iter().filter(|span| span.kind == SpanKind::Pause).collect();
    let [pause] = pauses[..] else { panic!("{pauses:?}") };
    let (from, to) = (pause.from.demo.ms(), pause.to.demo.ms());
    assert!(to - from > 4_000, "50 blocks of a tenth of a second each: {from} to {to}");
    let ms = |part: i64| Position::Demo(DemoTime::from_ms(from + (to - from) * part / 4));
    for range in [Range::ALL, Range { from: ms(1), to: ms(6) }, Range { from: ms(-2), to: ms(2) }] {
        let (replay, _) = view::read(&demo[..], "made.dm2", Limits::default(), range).unwrap();
        let paused = replay.values_of(None, "paused").unwrap();
        for (row, ms) in (0..).zip(&replay.rows) {
            assert_eq!(paused.at(row), Some(i64::from((from..to).contains(ms))), "at {ms}");
        }
    }
}
