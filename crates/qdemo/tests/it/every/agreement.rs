//! The verbs agree with themselves: one idea of matches, one order of events, one count of deaths.

use std::collections::BTreeMap;

use qdemo::Limits;
use qdemo::analysis::stats::{Measure, Period, PeriodKind, stats};
use qdemo::error::Moment;
use qdemo::event::{Event, EventKind, EventTag, FragKind, Match, Phase};
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::{Span, SpanKind, timeline};
use qdemo::replay::{Options, Pass, Seeker, Step, events};
use qdemo::table::{self, Interval, Row, Table, Value, Values};
use qdemo::world::{Clock, DemoTime, Scene};

use crate::common::{
    Random, all_dem, all_dm2, all_dm3, all_mvd2, all_quakeworld, file_name, is_broken, not_long, shared,
};

/// Where a match lies, and whether its beginning and end were recorded.
type Lies = (Option<Moment>, Option<Moment>, bool, bool);

fn all_files() -> Vec<std::path::PathBuf> {
    [all_dem(), all_quakeworld(), all_dm2(), all_mvd2(), all_dm3()].concat()
}

fn all_events(demo: &[u8], name: &str) -> Vec<Event> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

fn periods(demo: &[u8], name: &str) -> Vec<Period> {
    let mut all = Vec::new();
    stats(demo, name, Limits::default(), &mut |period| {
        all.push(period);
        Ok(())
    })
    .unwrap();
    all
}

fn in_info(demo: &[u8], name: &str) -> Vec<Match<Moment>> {
    macro_rules! of {
        ($facts:expr) => {
            $facts.levels.iter().flat_map(|level| &level.matches).cloned().collect::<Vec<_>>()
        };
    }
    match info(demo, name, Limits::default()).unwrap().facts {
        Facts::Unknown => Vec::new(),
        Facts::Dem(facts) => of!(facts),
        Facts::QuakeWorld(facts) => of!(facts),
        Facts::Dm2(facts) => of!(facts),
        Facts::Mvd2(facts) => of!(facts),
        Facts::Dm3(facts) => of!(facts),
        _ => panic!("a format that this test does not know"),
    }
}

/// On the game's own clock, which may not have shown anything when a level began: then the event has no time of it.
#[test]
fn levels_begin_alike() {
    let mut compared = 0;
    for path in not_long(all_files()).into_iter().filter(|path| !is_broken(path)) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let mut spans = timeline(&demo[..], &name, Limits::default()).unwrap().spans;
        spans.retain(|span| matches!(span.kind, SpanKind::Level { .. }));
        for event in all_events(&demo, &name).iter().filter(|event| matches!(event.kind, EventKind::Level { .. })) {
            let level = spans.iter().find(|level| level.block == event.block).unwrap();
            assert_eq!(level.from.demo, event.clock.demo, "{name}: timeline and events");
            assert!(event.clock.now.is_none_or(|now| level.from.now == Some(now)), "{name}: timeline and events");
        }
        for period in periods(&demo, &name).iter().filter(|period| period.kind != PeriodKind::Match) {
            if let Some(level) = spans.iter().find(|level| level.from.demo == period.begin.demo) {
                assert_eq!(level.from.now, period.begin.now, "{name}: timeline and stats");
                compared += 1;
            }
        }
    }
    assert!(compared >= 5, "{compared}");
}

/// When somebody was last there, for how long in view, and with which ping at last.
type Present = (DemoTime, DemoTime, Option<i32>);

/// Who plays is looked at where something is told; this looks at everybody at every frame.
#[test]
fn presence_is_that_of_every_frame() {
    let (mut compared, mut pings) = (0, 0);
    // Names of Quake II stay behind in slots that somebody has left.
    for path in not_long([all_dem(), all_quakeworld(), all_dm3()].concat()) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let (mut all, mut last) = (BTreeMap::<Vec<u8>, Present>::new(), None);
        let mut look = |step: &Step<'_>| {
            let (world, changes) = (step.world, step.changes());
            last = last.filter(|_| !changes.level);
            if !changes.sent {
                return Ok(());
            }
            let now = world.clock().demo;
            let since = last.replace(now).map_or(0, |last: DemoTime| now.0 - last.0);
            for player in world.players() {
                let is = all.entry(player.name.to_vec()).or_insert((now, DemoTime(0), None));
                is.0 = now;
                is.1.0 += if player.origin.is_some() { since } else { 0 };
                is.2 = player.ping.or(is.2);
            }
            Ok(())
        };
        Pass::new(Limits::default()).run(&demo[..], &name, &mut [&mut look]).unwrap();
        let mut told = BTreeMap::<Vec<u8>, Present>::new();
        for player in timeline(&demo[..], &name, Limits::default()).unwrap().players {
            let is = told.entry(player.name_raw).or_insert((player.to, DemoTime(0), player.ping));
            is.1.0 += player.in_view.0;
            if player.to >= is.0 {
                (is.0, is.2) = (player.to, player.ping.or(is.2));
            }
        }
        if all.len() > 1 {
            all.remove(&[][..]);
        }
        assert_eq!(told, all, "{name}");
        compared += told.len();
        pings += told.values().filter(|(_, _, ping)| ping.is_some_and(|ping| ping > 0)).count();
    }
    eprintln!("{compared} players, {pings} with a ping");
    assert!(compared >= 30 && pings >= 5, "{compared}, {pings}");
}

fn in_timeline(spans: &[Span]) -> Vec<Lies> {
    let matches = spans.iter().filter_map(|span| match span.kind {
        SpanKind::Match { begun, ended, .. } => Some((span.from.now, span.to.now, begun, ended)),
        _ => None,
    });
    matches.collect()
}

#[test]
fn matches_lie_where_they_lie() {
    let (mut matches, mut whole, mut rounds) = (0, 0, 0);
    for path in all_files().into_iter().filter(|path| !is_broken(path)) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let matches_told = in_info(&demo, &name);
        let told: Vec<Lies> = matches_told.iter().map(|m| (Some(m.begin), Some(m.end), m.begun, m.ended)).collect();
        let spans = timeline(&demo[..], &name, Limits::default()).unwrap().spans;
        let drawn = in_timeline(&spans);
        assert_eq!(told, drawn, "{name}: info and timeline");
        let periods = periods(&demo, &name);
        let counted: Vec<Lies> = periods
            .iter()
            .filter(|period| period.kind == PeriodKind::Match)
            .map(|period| (period.begin.now, period.end.now, period.begun, period.ended))
            .collect();
        assert_eq!(drawn, counted, "{name}: timeline and stats");
        let ends = |phase: Phase, events: &[Event]| -> Vec<Option<Moment>> {
            let told = events.iter().filter(|event| matches!(event.kind, EventKind::Match(p) if p == phase));
            told.map(|event| event.clock.now).collect()
        };
        let events = all_events(&demo, &name);
        let begins: Vec<_> = ends(Phase::Start, &events);
        let from: Vec<_> = drawn.iter().map(|(from, ..)| *from).collect();
        assert_eq!(begins, from, "{name}: events and timeline");
        let over: Vec<_> = drawn.iter().filter(|(.., ended)| *ended).map(|(_, to, ..)| *to).collect();
        let told_ends = ends(Phase::End, &events);
        assert_eq!(told_ends, over, "{name}: events and timeline");
        assert!(spans.iter().all(|span| span.from.demo <= span.to.demo), "{name}: {spans:?}");
        let pauses: Vec<_> = spans.iter().filter(|span| span.kind == SpanKind::Pause).collect();
        let mut stood: Vec<[Option<Clock>; 2]> = Vec::new();
        for event in &events {
            match event.kind {
                EventKind::Match(Phase::Pause) => stood.push([Some(event.clock), None]),
                EventKind::Match(Phase::Resume) => stood.last_mut().unwrap()[1] = Some(event.clock),
                _ => {}
            }
        }
        assert_eq!(stood.len(), pauses.len(), "{name}: events and timeline");
        for ([from, to], pause) in stood.iter().zip(pauses) {
            let both = [from.unwrap().now, to.unwrap_or(pause.to).now];
            assert_eq!(both, [pause.from.now, pause.to.now], "{name}: events and timeline");
        }
        let stood = |m: &Match<Moment>| m.pauses.iter().map(|both| both.map(Some)).collect::<Vec<_>>();
        let counted: Vec<_> = (periods.iter())
            .filter_map(|period| period.game.as_ref())
            .map(|game| game.pauses.iter().map(|both| both.map(|at| at.now)).collect::<Vec<_>>())
            .collect();
        let known: Vec<_> = matches_told.iter().map(stood).collect();
        assert_eq!(known, counted, "{name}: info and stats");
        matches += drawn.len();
        whole += drawn.iter().filter(|(.., begun, ended)| *begun && *ended).count();
        rounds += ends(Phase::NextRound, &events).len();
    }
    eprintln!("{matches} matches, {whole} of them whole, {rounds} more rounds");
    assert!(shared("corpus").is_none() || matches >= 40 && whole >= 25 && rounds > 10);
}

/// A level: its map, and when it ends on the game's own clock.
type Level = (String, Option<i64>);

fn levels_in_info(demo: &[u8], name: &str) -> Vec<Level> {
    let facts = serde_json::to_value(info(demo, name, Limits::default()).unwrap()).unwrap();
    let levels = facts["levels"].as_array().cloned().unwrap_or_default();
    levels.iter().map(|level| (level["map"].as_str().unwrap().to_owned(), level["to_ms"].as_i64())).collect()
}

/// Whatever is missing or damaged: info, timeline and stats have the same levels and matches, and nothing ends in front of
/// its beginning. How many matches there are.
fn verbs_agree(demo: &[u8], name: &str, what: &str) -> usize {
    let spans = timeline(demo, name, Limits::default()).unwrap().spans;
    for span in &spans {
        assert!(span.from.demo <= span.to.demo, "{what}: {span:?}");
    }
    let levels: Vec<Level> = spans
        .iter()
        .filter_map(|span| match &span.kind {
            SpanKind::Level { map, .. } => Some((map.clone(), span.to.ms())),
            _ => None,
        })
        .collect();
    assert_eq!(levels_in_info(demo, name), levels, "{what}: levels of info and timeline");
    let drawn = in_timeline(&spans);
    let told: Vec<Lies> = in_info(demo, name).iter().map(|m| (Some(m.begin), Some(m.end), m.begun, m.ended)).collect();
    assert_eq!(told, drawn, "{what}: matches of info and timeline");
    let mut counted = Vec::<Lies>::new();
    for period in periods(demo, name) {
        assert!(period.begin.demo <= period.end.demo, "{what}: {:?} {:?}", period.begin, period.end);
        assert!(levels.iter().any(|(map, _)| *map == period.map), "{what}: a period on {:?}", period.map);
        if period.kind == PeriodKind::Match {
            counted.push((period.begin.now, period.end.now, period.begun, period.ended));
        }
    }
    assert_eq!(drawn, counted, "{what}: matches of timeline and stats");
    drawn.len()
}

/// Where the blocks of a recording lie.
fn blocks(demo: &[u8], name: &str) -> Vec<std::ops::Range<usize>> {
    let mut reader = qdemo::Reader::new(demo, name, Limits::default()).unwrap();
    let mut all = Vec::new();
    loop {
        let from = reader.offset() as usize;
        let Some(chunk) = reader.next_chunk().unwrap() else { return all };
        let is_block = chunk.block().is_some();
        if is_block {
            all.push(from..reader.offset() as usize);
        }
    }
}

fn shipped() -> Vec<std::path::PathBuf> {
    let folder = crate::common::root().join("testdata");
    all_files().into_iter().filter(|path| path.parent() == Some(&folder)).collect()
}

/// A recording may lack its beginning: what of a level it shows is a level, and a match in it one of it.
#[test]
fn verbs_agree_without_the_beginning() {
    let (mut levels, mut matches) = (0, 0);
    for path in shipped() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let blocks = blocks(&demo, &name);
        for n in [1, 2, 3, 5, 20, blocks.len() / 2].into_iter().filter(|n| *n < blocks.len()) {
            let rest = [&demo[..blocks[0].start], &demo[blocks[n].start..]].concat();
            matches += verbs_agree(&rest, &name, &format!("{name} without {n} blocks"));
            let level = |span: &Span| matches!(span.kind, SpanKind::Level { .. });
            let whole = timeline(&rest[..], &name, Limits::default()).unwrap();
            assert!(whole.frames == 0 || whole.spans.iter().any(level), "{name} without {n} blocks");
            levels += whole.spans.iter().filter(|span| level(span)).count();
        }
    }
    assert!(levels > 40 && matches > 10, "{levels} {matches}");
}

/// Frames behind damage have a time though what they build on is lost: levels and matches go on.
#[test]
fn verbs_agree_behind_damage() {
    let mut matches = 0;
    for path in shipped() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let blocks = blocks(&demo, &name);
        for eighth in 1..8 {
            let at = demo.len() * eighth / 8;
            let cut = [&demo[..at], &demo[(at + 99).min(demo.len())..]].concat();
            matches += verbs_agree(&cut, &name, &format!("{name} without 99 bytes at {at}"));
            let at = blocks.len() * eighth / 8;
            let without = [&demo[..blocks[at].start], &demo[blocks[at].end..]].concat();
            matches += verbs_agree(&without, &name, &format!("{name} without block {at}"));
        }
    }
    assert!(matches > 20, "{matches}");
}

/// What is said is said at the same time for whoever asks for texts alone: damaged recordings are no other.
#[test]
fn chat_has_the_same_times_alone() {
    let mut lines = 0;
    for path in all_files() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let said = |kinds: &[EventTag]| {
            let (mut options, mut all) = (Options::default(), Vec::new());
            options.kinds = kinds.to_vec();
            let mut look = |step: &Step<'_>| {
                let chat = step.events.iter().filter(|event| matches!(event.kind, EventKind::Chat(_)));
                all.extend(chat.map(|event| (event.block, event.clock)));
                Ok(())
            };
            Pass::new(Limits::default()).with(options).run(&demo[..], &name, &mut [&mut look]).unwrap();
            all
        };
        let all = said(&[]);
        assert_eq!(said(&[EventTag::Chat]), all, "{name}");
        lines += all.len();
    }
    assert!(shared("corpus").is_none() || lines > 1000, "{lines}");
}

/// What is told of each step comes after what had been told when it was said that all before is known; in order it never
/// goes back. Damaged recordings are no other.
#[test]
fn events_never_go_back() {
    let mut random = Random(15);
    let mut seen = 0;
    for path in all_files() {
        let (mut demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        demo.truncate(3 << 20);
        for round in 0..3 {
            let (mut settled, mut told) = (DemoTime(0), Vec::new());
            let mut check = |step: &Step<'_>| {
                assert!(settled <= step.settled, "{name}: {settled:?} {:?}", step.settled);
                for event in step.events {
                    assert!(settled <= event.clock.demo, "{name}: {settled:?} {event:?}");
                }
                settled = step.settled;
                told.extend_from_slice(step.events);
                Ok(())
            };
            let done = Pass::new(Limits::default()).run(&demo[..], &name, &mut [&mut check]);
            assert!(done.is_ok() || round > 0, "{name}");
            // In order they are the same, none left out and none with another time.
            told.sort_by_key(|event| event.clock.demo);
            let mut in_order = Vec::new();
            let _ = events(&demo[..], &name, Limits::default(), &mut |event| {
                in_order.push(event.clone());
                Ok(())
            });
            assert_eq!(in_order, told, "{name}");
            seen += in_order.len();
            (0..5).for_each(|_| random.damage(&mut demo));
        }
    }
    assert!(seen > 100, "{seen}");
}

fn only(demo: &[u8], name: &str, kind: EventTag) -> Vec<(Clock, EventKind)> {
    let mut options = Options::default();
    options.kinds = vec![kind];
    let mut all = Vec::new();
    let mut note = |step: &Step<'_>| {
        let wanted = step.events.iter().filter(|event| event.kind.tag() == kind);
        all.extend(wanted.map(|event| (event.clock, event.kind.clone())));
        Ok(())
    };
    Pass::new(Limits::default()).with(options).run(demo, name, &mut [&mut note]).unwrap();
    all
}

/// What a verb finds that asks for one kind of event is what all events have; deaths of players in `stats` are those of
/// `frags` in the same time.
#[test]
fn deaths_and_chat_are_the_same_wherever_they_are_told() {
    let (mut players, mut said) = (0, 0);
    for path in all_files() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let all = all_events(&demo, &name);
        for kind in [EventTag::Chat, EventTag::Frag] {
            let mut few = only(&demo, &name, kind);
            few.sort_by_key(|(clock, _)| clock.demo);
            let of_all = all.iter().filter(|event| event.kind.tag() == kind);
            if kind == EventTag::Chat && is_broken(&path) {
                // The time of a snapshot counts although it is damaged behind it.
                assert_eq!(few.len(), of_all.count(), "{name}");
            } else {
                assert!(
                    few.iter()
                        .map(|(clock, what)| (clock.demo, what))
                        .eq(of_all.map(|event| (event.clock.demo, &event.kind))),
                    "{name}"
                );
            }
            said += few.len();
        }
        for period in periods(&demo, &name).iter().filter(|period| period.kind == PeriodKind::Match) {
            // What happens between rounds counts for nothing; at both ends the order of what a frame tells decides.
            if period.game.as_ref().is_some_and(|game| !game.rounds.is_empty()) {
                continue;
            }
            let mut deaths: BTreeMap<&[u8], [i64; 2]> = BTreeMap::new();
            let within = |event: &&Event| {
                let at = event.clock.demo;
                (period.begin.demo..=period.end.demo).contains(&at)
            };
            let mut edge = 0;
            for event in all.iter().filter(within) {
                let EventKind::Frag(frag) = &event.kind else { continue };
                // No game counts it.
                if frag.means == "switch_teams" {
                    continue;
                }
                let [died, killed] = [Some(&frag.victim), frag.attacker.as_ref()];
                edge += i64::from(event.clock.demo == period.begin.demo || event.clock.demo == period.end.demo);
                // Of some only the killer is told.
                died.into_iter()
                    .filter(|who| !who.name_raw.is_empty())
                    .for_each(|who| deaths.entry(&who.name_raw).or_default()[0] += 1);
                if frag.kind == FragKind::Kill {
                    killed.into_iter().for_each(|who| deaths.entry(&who.name_raw).or_default()[1] += 1);
                }
            }
            let sums = |n: usize| deaths.values().map(|counts| counts[n]).sum::<i64>();
            let counted = |measure| period.players.iter().filter_map(|p| p.counted.get(measure)).sum::<i64>();
            assert!(
                (sums(0) - counted(Measure::Deaths)).abs() <= edge,
                "{name}: {} {}",
                sums(0),
                counted(Measure::Deaths)
            );
            assert!(
                (sums(1) - counted(Measure::Kills)).abs() <= edge,
                "{name}: {} {}",
                sums(1),
                counted(Measure::Kills)
            );
            players += period.players.len();
        }
    }
    eprintln!("{players} players, {said} deaths and lines of chat");
    assert!(shared("corpus").is_none() || players >= 150 && said >= 6000);
}

/// Players with a place, or entities, of one moment: a number, and what is told of it.
type Rows = Vec<(i64, String)>;

/// What a table tells of frames at the beginning of each second: of the last one at each time.
fn exported(table: &Table, number: &str, columns: &[&str], demo: &[u8], name: &str) -> BTreeMap<i64, Rows> {
    let column = |name: &str| table.column(name).unwrap().values;
    let (Values::Integer(time), Values::Integer(number)) = (column("demo_ms"), column(number)) else { panic!() };
    let columns: Vec<_> = columns.iter().map(|name| column(name)).collect();
    let told = |values: Values, row: &Row<'_>| match values.of(row) {
        Some(Value::Integer(value)) => format!("{:?}", Some(value)),
        Some(Value::Number(value)) => format!("{:?}", Some(value)),
        Some(Value::Text(value)) => format!("{:?}", Some(value)),
        Some(Value::Boolean(value)) => format!("{:?}", Some(value)),
        None => "None".to_owned(),
    };
    let mut times = BTreeMap::<i64, Rows>::new();
    table::world(table, demo, name, Interval::FRAME, Limits::default(), &mut |row: &Row<'_>| {
        let time = time(row).unwrap();
        if time % 1000 >= 60 {
            return Ok(());
        }
        let rows = times.entry(time).or_default();
        let number = number(row).unwrap();
        // Numbers rise within a frame: this is another one of the same time.
        if rows.last().is_some_and(|(last, _)| *last >= number) {
            rows.clear();
        }
        rows.push((number, columns.iter().map(|values| told(*values, row)).collect::<Vec<_>>().join(" ")));
        Ok(())
    })
    .unwrap();
    times
}

/// Of each span the first frame, by the times that rows have: those of Quake are rounded.
#[test]
fn an_interval_takes_the_first_frame_of_each_span() {
    const SPAN: i64 = 50;
    let Values::Integer(time) = table::FRAMES.column("demo_ms").unwrap().values else { panic!() };
    let mut compared = 0;
    for path in not_long(all_files()).into_iter().filter(|path| !is_broken(path)) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let [all, some] = [Interval::FRAME, Interval::ms(SPAN)].map(|every| {
            let mut times = Vec::new();
            table::world(&table::FRAMES, &demo[..], &name, every, Limits::default(), &mut |row: &Row<'_>| {
                times.extend(time(row));
                Ok(())
            })
            .unwrap();
            times
        });
        let mut span = i64::MIN;
        let is_first = |ms: &i64| {
            let is_next = ms.div_euclid(SPAN) > span;
            span = span.max(ms.div_euclid(SPAN));
            is_next
        };
        let first: Vec<_> = all.into_iter().filter(is_first).collect();
        assert_eq!(some, first, "{name}");
        compared += some.len();
    }
    assert!(compared > 500, "{compared}");
}

/// A table of the world and the state at a time that it tells say the same.
#[test]
fn exported_rows_are_the_states_at_their_times() {
    let mut compared = [0; 2];
    for path in not_long(all_files()).into_iter().filter(|path| !is_broken(path)) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let columns = ["x", "y", "z", "vx", "vy", "vz", "on_ground", "weapon"];
        let players = exported(&table::POSITIONS, "slot", &columns, &demo, &name);
        let entities = exported(&table::ENTITIES, "entity", &["x", "y", "z", "model_frame"], &demo, &name);
        let mut seeker = Seeker::open(&demo, &name, Limits::default()).unwrap();
        for (ms, rows) in players.iter().step_by(players.len() / 40 + 1) {
            let world = seeker.seek(DemoTime(ms * 1000 + 499));
            let finite = |v: f32| Some(v).filter(|v| v.is_finite());
            let told: Rows = world
                .players()
                .filter_map(|player| {
                    let ([x, y, z], v) = (player.origin?.map(finite), player.velocity);
                    let [vx, vy, vz] = [0, 1, 2].map(|n| v.and_then(|v| finite(v[n])));
                    let text =
                        format!("{x:?} {y:?} {z:?} {vx:?} {vy:?} {vz:?} {:?} {:?}", player.on_ground, player.weapon);
                    Some((player.slot as i64, text))
                })
                .collect();
            assert_eq!(told, *rows, "{name}: players at {ms} ms");
            compared[0] += rows.len();
        }
        for (ms, rows) in entities.iter().step_by(entities.len() / 40 + 1) {
            let world = seeker.seek(DemoTime(ms * 1000 + 499));
            // What fell out of the world has no place in tables.
            let range = table::ENTITIES.column("x").unwrap().range.unwrap();
            let told: Rows = world
                .entities()
                .map(|entity| {
                    let inside = entity.origin.iter().all(|v| range.contains_float(*v));
                    let [x, y, z] = entity.origin.map(|v| Some(v).filter(|_| inside));
                    (entity.number.into(), format!("{x:?} {y:?} {z:?} {:?}", Some(i64::from(entity.frame))))
                })
                .collect();
            assert_eq!(told, *rows, "{name}: entities at {ms} ms");
            compared[1] += rows.len();
        }
    }
    eprintln!("{compared:?} rows of players and entities");
    assert!(compared.iter().all(|n| *n > 200), "{compared:?}");
}
