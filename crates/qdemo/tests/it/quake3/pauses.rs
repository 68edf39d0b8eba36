//! When a match stands still: all verbs say the same.

use qdemo::Limits;
use qdemo::analysis::stats::{Measure, PeriodKind, stats};
use qdemo::error::Moment;
use qdemo::event::{EventKind, Phase};
use qdemo::replay::events;
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::{SpanKind, timeline};

use super::made_matches::{FREE, Made, ROCKET, of};

/// Protocol and game module of those that tell of time-outs, each in its own way.
const GAMES: [(i32, &str); 3] = [(68, "cpma"), (68, "osp"), (73, "baseq3")];

fn made(protocol: i32, game: &'static str) -> Made {
    Made::new(protocol, game, if protocol == 73 { 1 } else { 0 }, &[(0, "ace", FREE), (1, "bob", FREE)])
}

/// A match that began at a server time stands still for so many frames.
fn stands_still(made: &mut Made, (protocol, game): (i32, &str), begin: i32, frames: i32) {
    let now = made.time;
    match game {
        "cpma" => made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0\te\500")),
        _ if protocol == 73 => made.configstring(669, &now.to_string()).configstring(670, "0"),
        _ => made.configstring(21, &(now + 60_000).to_string()),
    };
    for _ in 0..frames {
        made.frame();
    }
    match game {
        "cpma" => made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0\te\0")),
        _ if protocol == 73 => made.configstring(669, "").configstring(670, ""),
        _ => made.configstring(21, &(begin + frames * 500).to_string()),
    };
    made.frame();
}

type Times = Vec<[i64; 2]>;

/// The phases of a recording in their order, with their server times in ms; its pauses by `timeline`, `info` and `stats`; and
/// for how long each played in its match.
fn told(demo: &[u8], name: &str) -> (Vec<(Phase, i64)>, [Times; 3], Vec<i64>) {
    let mut phases = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        if let EventKind::Match(phase) = event.kind {
            phases.push((phase, event.clock.ms().unwrap()));
        }
        Ok(())
    })
    .unwrap();
    let spans = timeline(demo, name, Limits::default()).unwrap().spans;
    let pauses = spans.iter().filter(|span| span.kind == SpanKind::Pause);
    let drawn = pauses.map(|span| [span.from.ms().unwrap(), span.to.ms().unwrap()]).collect();
    let Facts::Dm3(facts) = info(demo, name, Limits::default()).unwrap().facts else { panic!() };
    let matches = facts.levels.iter().flat_map(|level| &level.matches);
    let ms = |at: Moment| match at {
        Moment::Milliseconds(ms) => i64::from(ms),
        Moment::Seconds(_) => panic!("{at:?}"),
    };
    let known = matches.flat_map(|m| &m.pauses).map(|both| both.map(ms)).collect();
    let (mut counted, mut played) = (Vec::new(), Vec::new());
    stats(demo, name, Limits::default(), &mut |period| {
        if period.kind == PeriodKind::Match {
            let pauses = period.game.iter().flat_map(|game| &game.pauses);
            counted.extend(pauses.map(|both| both.map(|at| at.ms().unwrap())));
            played.extend(period.players.iter().filter_map(|player| player.counted.get(Measure::TimeMs)));
        }
        Ok(())
    })
    .unwrap();
    (phases, [drawn, known, counted], played)
}

/// That a match begins is told once it is long enough to be one: a pause in the first second of it is told behind.
#[test]
fn a_match_may_stand_still_in_its_first_second() {
    for game in GAMES {
        for frames in [1, 10] {
            let mut made = made(game.0, game.1);
            made.begin();
            let begin = made.time;
            stands_still(&mut made, game, begin, frames);
            for _ in 0..7 {
                made.frame();
            }
            made.end();
            let [begin, still] = [begin, frames * 500].map(i64::from);
            let (pause, resume, end) = (begin + 500, begin + 500 + still, begin + still + 4500);
            let (phases, pauses, played) = told(&made.demo(), &made.name());
            let expected = [
                (Phase::Start, begin),
                (Phase::Pause, pause),
                (Phase::Resume, resume),
                (Phase::End, end),
                (Phase::Intermission, end),
            ];
            assert_eq!(phases, expected, "{game:?} {frames}");
            assert_eq!(pauses, [(); 3].map(|()| vec![[pause, resume]]), "{game:?} {frames}");
            assert_eq!(played, [4500; 2], "{game:?} {frames}");
        }
    }
}

/// So it is where the recording begins within the pause.
#[test]
fn a_recording_may_begin_with_a_short_pause() {
    let mut made = made(68, "cpma");
    made.begin_with(&[(672, r"\tw\0\ts\100\sr\0\sb\0\te\500")]);
    let begin = i64::from(made.time);
    made.configstring(672, r"\tw\0\ts\100\sr\0\sb\0\te\0").frame();
    for _ in 0..7 {
        made.frame();
    }
    let (phases, pauses, played) = told(&made.demo(), &made.name());
    assert_eq!(phases, [(Phase::Start, begin), (Phase::Pause, begin), (Phase::Resume, begin + 500)]);
    assert_eq!(pauses, [(); 3].map(|()| vec![[begin, begin + 500]]));
    assert_eq!(played, [3500; 2]);
}

/// What is too short to be a match may stand still all the same, at the end of the recording too.
#[test]
fn a_pause_needs_no_match() {
    for ends in [false, true] {
        let mut made = made(68, "cpma");
        made.begin();
        let begin = i64::from(made.time);
        made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0\te\500")).frame();
        if !ends {
            made.configstring(672, r"\tw\-1\ts\0\sr\0\sb\0").frame().frame();
        }
        let (phases, [drawn, known, counted], _) = told(&made.demo(), &made.name());
        let both = [(Phase::Pause, begin + 500), (Phase::Resume, begin + 1000)];
        assert_eq!(phases, both[..if ends { 1 } else { 2 }]);
        assert_eq!(drawn, [[begin + 500, if ends { begin + 500 } else { begin + 1000 }]]);
        assert!(known.is_empty() && counted.is_empty());
    }
}

/// The level may begin anew a while behind the end of the warm-up: the match begins with that, for all alike, and what
/// happened or stood still before is none of it.
#[test]
fn a_match_begins_with_the_level() {
    for game in GAMES {
        for stops in [false, true] {
            let mut made = made(game.0, game.1);
            let short = |made: &mut Made, deaths: &[_]| {
                made.time -= 400;
                made.deaths(deaths);
            };
            let plays = |made: &mut Made, begin: i32, stops: bool| match game.1 {
                "cpma" => {
                    let stop = if stops { r"\te\100" } else { "" };
                    made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0{stop}"));
                }
                _ if game.0 == 73 => {
                    let stop = if stops { "1" } else { "" };
                    made.configstring(0, r"\protocol\73\gamename\baseq3\g_gametype\1\g_gameState\IN_PROGRESS");
                    made.configstring(13, &begin.to_string()).configstring(669, stop).configstring(670, "0");
                }
                _ => {
                    made.configstring(5, "").configstring(21, &(begin + i32::from(stops) * 60_000).to_string());
                }
            };
            made.frame().frame();
            let warm_up_ends = made.time + 100;
            plays(&mut made, warm_up_ends, false);
            short(&mut made, &[]);
            plays(&mut made, warm_up_ends, stops);
            short(&mut made, &[(1, 0, ROCKET)]);
            short(&mut made, &[]);
            let begin = made.time + 100;
            made.command("map_restart");
            plays(&mut made, begin, false);
            short(&mut made, &[]);
            for _ in 0..8 {
                made.frame();
            }
            made.end().frame();
            let (name, demo) = (made.name(), made.demo());
            let begin = i64::from(begin);
            let (phases, pauses, _) = told(&demo, &name);
            let starts: Vec<_> = phases.iter().filter(|(phase, _)| *phase == Phase::Start).map(|(_, at)| *at).collect();
            assert_eq!(starts, [begin], "{game:?} {stops}");
            // A pause in front of the match is none of it.
            let [drawn, known, counted] = pauses;
            let before = i64::from(warm_up_ends) + 100;
            assert!(drawn.iter().all(|pause| *pause == [before, begin]), "{game:?} {drawn:?}");
            assert_eq!((drawn.len(), known.len(), counted.len()), (usize::from(stops), 0, 0), "{game:?}");
            let period = made.stats();
            let [deaths, time] = [Measure::Deaths, Measure::TimeMs].map(|m| of(&period, "bob").counted.get(m));
            assert_eq!((period.begin.ms(), deaths), (Some(begin), Some(0)), "{game:?} {stops}");
            assert_eq!(time, Some(period.end.ms().unwrap() - begin), "{game:?} {stops}");
            let spans = timeline(&demo[..], &name, Limits::default()).unwrap().spans;
            let matches = spans.iter().filter(|span| matches!(span.kind, SpanKind::Match { .. }));
            assert_eq!(matches.map(|span| span.from.ms()).collect::<Vec<_>>(), [Some(begin)], "{game:?} {stops}");
            let Facts::Dm3(facts) = info(&demo[..], &name, Limits::default()).unwrap().facts else { panic!() };
            let matches: Vec<_> = facts.levels.iter().flat_map(|level| &level.matches).map(|m| m.begin).collect();
            assert_eq!(matches, [Moment::Milliseconds(begin as i32)], "{game:?} {stops}");
        }
    }
}

/// What stood still in front of a match and goes on with it does not stand still in it.
#[test]
fn a_pause_up_to_a_match_is_none_of_it() {
    for game in [(68, "cpma"), (68, "osp")] {
        let mut made = made(game.0, game.1);
        made.frame().frame();
        match game.1 {
            "cpma" => made.configstring(672, r"\tw\-1\ts\0\sr\0\sb\0\te\500"),
            _ => {
                let later = (made.time + 60_000).to_string();
                made.configstring(21, &later)
            }
        };
        made.frame().frame().frame();
        made.begin();
        for _ in 0..8 {
            made.frame();
        }
        made.end().frame();
        let (_, [_, known, counted], _) = told(&made.demo(), &made.name());
        assert_eq!([known, counted], [(); 2].map(|()| Times::new()), "{game:?}");
    }
}

/// Whatever is told in the first second of a match, no more waits than fits, and the last word stands.
#[test]
fn many_pauses_in_one_second() {
    let mut made = made(68, "cpma");
    made.begin();
    let begin = made.time;
    for n in 0..201 {
        made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\0\sb\0\te\{}", 500 * (n % 2))).frame();
        made.time = begin + n;
    }
    for _ in 0..7 {
        made.frame();
    }
    let (phases, ..) = told(&made.demo(), &made.name());
    let still = phases.iter().filter(|(phase, _)| matches!(phase, Phase::Pause | Phase::Resume));
    let still: Vec<_> = still.map(|(phase, _)| *phase).collect();
    assert!(still.len() <= 64 && still.last() == Some(&Phase::Resume), "{still:?}");
}
