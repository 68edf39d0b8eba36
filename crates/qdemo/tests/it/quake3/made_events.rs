//! Events of made recordings, and what is counted of them: flags, powerups, overtime, scores, highlights.

use qdemo::analysis::highlight::{Criteria, HighlightKind, highlights};
use qdemo::analysis::parts::{PartKind, Wanted, parts};
use qdemo::analysis::stats::{ItemMeasure, Measure, PeriodKind, stats};
use qdemo::edit::cut;
use qdemo::error::Moment;
use qdemo::event::{EventKind, EventTag, Phase};
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::{SpanKind, timeline};
use qdemo::replay::{Options, Pass, Position, Range, Step, events};
use qdemo::text::decompile;
use qdemo::verify::verify;
use qdemo::world::DemoTime;
use qdemo::{Faults, Limits};

use super::made_matches::{BLUE, FREE, Made, RED, ROCKET, numbers, of};

/// A player's entity with powerups, a bit for each.
fn with(slot: usize, powerups: u32) -> String {
    format!("index {slot}; eType 1; clientNum {slot}; powerups {powerups};")
}

/// The entity of an event that all are told (number 20, behind the 13 types of entities; `bg_public.h`).
fn told_to_all(parm: i32) -> String {
    format!("index 300; eType 33; eventParm {parm};")
}

fn all_events(made: &Made) -> Vec<EventKind> {
    events_of(&made.demo(), &made.name())
}

fn events_of(demo: &[u8], name: &str) -> Vec<EventKind> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        all.push(event.kind.clone());
        Ok(())
    })
    .unwrap();
    all
}

const BLUE_FLAG: u32 = 1 << 8;
const QUAD: u32 = 1 << 1;
/// The configstring that tells where the flags are.
const FLAGS: usize = 23;

/// Where nothing may lie a flag goes home from a carrier who dies (`player_die`, `Team_ReturnFlag`): it is carried no longer.
#[test]
fn a_flag_that_goes_home_is_carried_no_longer() {
    let mut made = Made::new(68, "baseq3", 4, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
    made.configstring(FLAGS, "00").start();
    made.seen = vec![with(4, BLUE_FLAG)];
    made.configstring(FLAGS, "01").frame().frame().frame();
    made.seen = vec![with(4, 0)];
    made.configstring(FLAGS, "00").frame();
    for _ in 0..10 {
        made.frame();
    }
    made.end();
    let told: Vec<String> = all_events(&made).iter().filter_map(flag).collect();
    assert_eq!(told, ["blue flag taken by ace", "blue flag returned"]);
    let period = made.stats();
    let ace = numbers(&of(&period, "ace").counted, [Measure::FlagsTaken, Measure::FlagTimeMs]);
    assert_eq!(ace, [Some(1), Some(1500)]);
}

/// In OpenArena's double domination the configstring for flags tells whose both points are. Its server writes of each of these
/// changes that somebody took a point.
#[test]
fn points_are_no_flags() {
    for (kind, count) in [(4, 2), (11, 0)] {
        let mut made = Made::new(71, "baseoa", kind, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
        made.configstring(FLAGS, "00").start();
        made.command("print \"ace^7 (RED) took control of A!\n\"").configstring(FLAGS, "10").frame();
        made.command("print \"bob^7 (BLUE) took control of A!\n\"").configstring(FLAGS, "20").frame().frame().end();
        let kinds = all_events(&made);
        assert_eq!(kinds.iter().filter_map(flag).count(), count, "{kind}");
        let takes = |kind: &&EventKind| matches!(kind, EventKind::Print { text, .. } if text.contains("took control"));
        assert_eq!(kinds.iter().filter(takes).count(), 2, "{kind}");
    }
}

fn flag(kind: &EventKind) -> Option<String> {
    matches!(kind, EventKind::Flag { .. }).then(|| kind.to_string())
}

/// In capture strike a capture ends the round, which configstrings say with it. What is carried then is carried no longer.
#[test]
fn a_capture_that_ends_a_round_counts() {
    let mut made = Made::new(68, "cpma", 4, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
    made.configstring(FLAGS, "00").start();
    let begin = made.time;
    made.seen = vec![with(4, BLUE_FLAG)];
    made.configstring(FLAGS, "01").frame().frame();
    made.seen = vec![with(4, 0)];
    made.configstring(FLAGS, "00").configstring(6, "1");
    made.configstring(672, &format!(r"\tw\{}\ts\{begin}\sr\1\sb\0", made.time + 5000)).frame();
    for _ in 0..10 {
        made.frame();
    }
    made.configstring(672, &format!(r"\tw\0\ts\{begin}\sr\1\sb\0")).frame().frame().end();
    let kinds = all_events(&made);
    assert!(kinds.contains(&EventKind::Match(Phase::Round)), "{kinds:?}");
    let told: Vec<String> = kinds.iter().filter_map(flag).collect();
    assert_eq!(told, ["blue flag taken by ace", "blue flag captured by ace"]);
    let period = made.stats();
    let ace = &of(&period, "ace").counted;
    assert_eq!(numbers(ace, [Measure::Captures, Measure::FlagTimeMs]), [Some(1), Some(1000)]);
    assert_eq!(ace.item("blue_flag").and_then(|item| item.get(ItemMeasure::TimeMs)), Some(1000));
}

/// CPMA and OSP tell everybody that a powerup is taken, and nothing else: who has it then has taken it.
#[test]
fn powerups_are_taken_by_who_has_them() {
    for (module, told) in [("cpma", &["ace takes quad", "somebody takes quad"][..]), ("baseq3", &[])] {
        let mut made = Made::new(68, module, 0, &[(0, "me", FREE), (4, "ace", FREE), (5, "bob", FREE)]);
        made.start();
        // Number 28 of the list of items is the quad damage.
        made.seen = vec![with(4, QUAD), told_to_all(28)];
        made.frame();
        made.seen = vec![with(4, QUAD)];
        made.frame().frame();
        made.seen = vec![with(4, 0)];
        made.frame().frame();
        // Whoever takes it now is out of sight.
        made.seen = vec![with(4, 0), told_to_all(28)];
        made.frame().end();
        let pickups: Vec<String> = all_events(&made)
            .iter()
            .filter(|kind| matches!(kind, EventKind::Pickup { .. }))
            .map(ToString::to_string)
            .collect();
        assert_eq!(pickups, told, "{module}");
        let taken = of(&made.stats(), "ace").counted.item("quad").and_then(|item| item.get(ItemMeasure::Taken));
        assert_eq!(taken, (module == "cpma").then_some(1), "{module}");
    }
}

fn phases(made: &Made) -> Vec<Phase> {
    phases_of(&made.demo(), &made.name())
}

fn phases_of(demo: &[u8], name: &str) -> Vec<Phase> {
    let phase = |kind: EventKind| match kind {
        EventKind::Match(phase) => Some(phase),
        _ => None,
    };
    events_of(demo, name).into_iter().filter_map(phase).collect()
}

/// The configstring of Quake Live that tells when the round began, and -1 once it is over (`CS_ROUND_TIME`). What an earlier
/// match left there is no round of this one. The death that ends a round comes with its end, and counts.
#[test]
fn rounds_of_quake_live() {
    for protocol in [73, 90, 91] {
        let mut made = Made::new(protocol, "", 4, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
        made.configstring(662, "-1").start();
        made.configstring(662, "12000").frame();
        made.configstring(662, "-1").deaths(&[(5, 4, ROCKET)]).frame();
        made.configstring(662, "14000").frame().deaths(&[(5, 4, ROCKET)]).end();
        let expected = [Phase::Start, Phase::Round, Phase::NextRound, Phase::End, Phase::Intermission];
        assert_eq!(phases(&made), expected, "{protocol}");
        let stats = made.stats();
        assert_eq!(numbers(&of(&stats, "ace").counted, [Measure::Kills]), [Some(2)], "{protocol}");
    }
    // A recording that begins between two rounds.
    let mut made = Made::new(90, "", 4, &[(0, "me", RED), (5, "bob", BLUE)]);
    made.start().configstring(662, "12000").frame().configstring(662, "-1").frame().frame();
    let between = DemoTime::from_ms(i64::from(made.time - 10_500));
    made.frame().frame().frame().configstring(662, "14000").frame().frame().end();
    let range = Range { from: Position::Demo(between), to: Position::End };
    let (clip, _) = cut(&made.demo()[..], &made.name(), Limits::default(), range, Vec::new()).unwrap();
    let expected = [Phase::Start, Phase::NextRound, Phase::End, Phase::Intermission];
    assert_eq!(phases_of(&clip, &made.name()), expected);
    // Other games have something else there.
    let mut made = Made::new(68, "osp", 3, &[(0, "me", RED), (5, "bob", BLUE)]);
    made.start().configstring(662, "12000").frame().configstring(662, "-1").frame().end();
    assert!(!phases(&made).contains(&Phase::Round));
}

/// CPMA tells when a round began (`ts`), and in games of rounds how many of each side are left (`pr`, `pb`). Older versions count
/// down to no round but the first: one ends where the next begins. The score of the last one is told a moment behind the
/// intermission, and a clip of the match has it. (Source of `ts`: uberdemotools, analysis_general.cpp.)
#[test]
fn rounds_of_older_cpma() {
    for (left, rounds) in [(r"\pr\2\pb\2", 2), ("", 0)] {
        let mut made = Made::new(68, "cpma", 7, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
        made.start();
        let told = |wait: i32, begin: i32, blue: i32| format!(r"{left}\tw\{wait}\ts\{begin}\sr\1\sb\{blue}");
        let begin = made.time - 1500;
        made.configstring(672, &told(0, begin, 0)).deaths(&[(5, 4, ROCKET)]);
        let next = made.time;
        // A death at the very moment counts.
        made.configstring(672, &told(0, next, 0)).deaths(&[(5, 4, ROCKET)]).frame();
        made.configstring(672, &told(0, next, 1)).frame();
        made.intermission().configstring(672, &told(-1, next, 2)).frame().frame().frame();
        let mut expected = vec![Phase::Start, Phase::Round, Phase::NextRound, Phase::End, Phase::Intermission];
        expected.retain(|phase| rounds > 0 || !matches!(phase, Phase::Round | Phase::NextRound));
        assert_eq!(phases(&made), expected, "{left}");
        let whole = made.stats();
        assert_eq!(whole.game.as_ref().map(|game| game.rounds.len()), Some(rounds), "{left}");
        assert_eq!(numbers(&of(&whole, "ace").counted, [Measure::Kills]), [Some(2)], "{left}");
        let (parts, _) =
            parts(&made.demo()[..], &made.name(), Limits::default(), &Wanted::new(PartKind::Match)).unwrap();
        let (clip, _) = cut(&made.demo()[..], &made.name(), Limits::default(), parts[0].range, Vec::new()).unwrap();
        let mut winners = vec![whole.winner];
        stats(&clip[..], &made.name(), Limits::default(), &mut |period| {
            winners.extend((period.kind == PeriodKind::Match).then_some(period.winner));
            Ok(())
        })
        .unwrap();
        assert_eq!(winners, [Some("blue".to_owned()), Some("blue".to_owned())], "{left}");
    }
}

/// Damage may leave the time of a snapshot and not the rest. What is told with it is told then, unless the time is damage too,
/// whether somebody wants to know of players or of texts alone, for which the rest is not read. All tell of the fault at that
/// time, and a level ends with its last snapshot that is whole.
#[test]
fn a_damaged_snapshot_may_have_its_time() {
    for (later, at) in [(0, 1000), (60_000, 500), (-5_000, 500)] {
        let mut made = Made::new(68, "baseq3", 0, &[(0, "me", FREE), (1, "bob", FREE)]);
        made.frame().command("chat \"bob^7\x19: ^2hello\"");
        made.time += later;
        made.frame();
        let demo = without_the_last(&made.demo());
        let times = |kinds: &[EventTag]| {
            let mut options = Options::default();
            options.kinds = kinds.to_vec();
            let mut all = Vec::new();
            let mut look = |step: &Step<'_>| {
                let chat = step.events.iter().filter(|event| matches!(event.kind, EventKind::Chat(_)));
                all.extend(chat.map(|event| event.clock));
                Ok(())
            };
            let pass = Pass::new(Limits::default()).with(options);
            let faults = pass.run(&demo[..], &made.name(), &mut [&mut look]).unwrap();
            (all, fault_times(&faults))
        };
        let (all, faults) = times(&[]);
        assert_eq!((all.len(), all[0].demo), (1, DemoTime::from_ms(at)), "{later}");
        assert_eq!(times(&[EventTag::Chat]).0, all, "{later}");
        assert_eq!(faults, [all[0].now], "{later}");
        let (name, limits) = (made.name(), Limits::default());
        let info = info(&demo[..], &name, limits).unwrap();
        let report = verify(&demo[..], &name, limits).unwrap();
        let text = decompile(&demo[..], &name, std::io::sink(), &Default::default()).unwrap();
        for others in [&info.faults, &report.faults, &text.faults] {
            assert_eq!(fault_times(others), faults, "{later}");
        }
        let Facts::Dm3(facts) = info.facts else { panic!() };
        let spans = timeline(&demo[..], &name, limits).unwrap().spans;
        let level = spans.iter().find(|span| matches!(span.kind, SpanKind::Level { .. })).unwrap();
        let ends = facts.levels.iter().map(|level| level.last_time.map(Moment::Milliseconds));
        assert_eq!(ends.collect::<Vec<_>>(), [level.to.now], "{later}");
    }
}

fn fault_times(faults: &Faults) -> Vec<Option<Moment>> {
    faults.iter().map(|fault| fault.place.time).collect()
}

/// The same recording, whose last block lacks the last bytes.
fn without_the_last(demo: &[u8]) -> Vec<u8> {
    let (mut damaged, mut at, mut blocks) = (Vec::new(), 0, Vec::new());
    // Number and size of a block.
    while let Some(size) = demo.get(at + 4..at + 8).map(|size| i32::from_le_bytes(size.try_into().unwrap())) {
        let Ok(size) = usize::try_from(size) else { break };
        blocks.push((&demo[at..at + 4], &demo[at + 8..at + 8 + size]));
        at += 8 + size;
    }
    let last = blocks.len() - 1;
    for (n, (number, payload)) in blocks.into_iter().enumerate() {
        let left = payload.len() - if n == last { 6 } else { 0 };
        damaged.extend([number, &(left as u32).to_le_bytes(), &payload[..left]].concat());
    }
    damaged.extend(&demo[at..]);
    damaged
}

/// A match that ends with its level, or a moment in front of the next one: neither the next gamestate nor what that tells of
/// scores is in its clip.
#[test]
fn clips_of_matches_end_with_their_level() {
    for over in [false, true] {
        let mut made = Made::new(68, "cpma", 3, &[(0, "me", RED), (4, "ace", RED), (5, "bob", BLUE)]);
        made.start().deaths(&[(5, 4, ROCKET)]).frame().frame();
        if over {
            made.intermission();
        }
        made.level().frame().frame().frame();
        let (demo, name) = (made.demo(), made.name());
        let (found, _) = parts(&demo[..], &name, Limits::default(), &Wanted::new(PartKind::Match)).unwrap();
        let levels = timeline(&demo[..], &name, Limits::default()).unwrap().spans;
        let levels = Vec::from_iter(levels.iter().filter(|span| span.kind.name() == "level").map(|span| span.block));
        assert_eq!((found.len(), levels.len()), (1, 2), "{over}");
        assert_eq!(found[0].range.to, Position::Block(levels[1] - 1), "{over}");
        let (clip, _) = cut(&demo[..], &name, Limits::default(), found[0].range, Vec::new()).unwrap();
        let begins = |kind: &EventKind| matches!(kind, EventKind::Level { .. });
        assert_eq!(events_of(&clip, &name).iter().filter(|kind| begins(kind)).count(), 1, "{over}");
        // Who wants more behind it gets it.
        let mut wanted = Wanted::new(PartKind::Match);
        wanted.after = DemoTime::from_ms(50);
        let (more, _) = parts(&demo[..], &name, Limits::default(), &wanted).unwrap();
        assert_eq!(more[0].range.to, Position::Demo(DemoTime(found[0].to.0 + 50_000)), "{over}");
    }
}

/// Servers tell of overtime in the middle of the screen, or in a line that begins with the word: not whoever speaks of it, or
/// is called so, and not the settings.
#[test]
fn overtime_is_what_the_server_says() {
    for (command, is) in [
        ("cp \"^3Overtime!\"", true),
        ("print \"Sudden Death!\n\"", true),
        ("print \"^2OVERTIME ^7- 2 minutes\n\"", true),
        ("print \"EVE (81): overtime! lol\n\"", false),
        ("print \"overtime connected\n\"", false),
        ("print \"Settings\nOvertime Mode: 2-minute Periods\n\"", false),
    ] {
        let name = if command.contains("connected") { "Overtime" } else { "ace" };
        let mut made = Made::new(68, "osp", 1, &[(0, "me", FREE), (4, name, FREE)]);
        made.start().command(command).frame().end();
        assert_eq!(all_events(&made).contains(&EventKind::Match(Phase::Overtime)), is, "{command}");
    }
}

/// In Quake Live an event tells it (84, `EV_OVERTIME`), and clients make the text. One that the server sends beside it is no
/// second overtime.
#[test]
fn overtime_is_an_event_of_quake_live() {
    let times = |protocol: i32, plays: bool, text: bool| {
        let mut made = Made::new(protocol, "", 1, &[(0, "me", FREE), (4, "ace", FREE)]);
        if plays {
            made.start();
        }
        if text {
            made.command("cp \"Overtime!\"");
        }
        made.seen = vec!["index 300; eType 97;".to_owned()];
        made.frame();
        made.seen.clear();
        made.frame().end();
        phases(&made).iter().filter(|phase| **phase == Phase::Overtime).count()
    };
    for protocol in [73, 90, 91] {
        let told = [times(protocol, true, false), times(protocol, true, true), times(protocol, false, true)];
        assert_eq!(told, [1, 1, 0], "{protocol}");
    }
    assert_eq!(times(68, true, false), 0);
}

/// What a player keeps up to death ends in every frame anew, at the time of that frame (`ClientEndFrame`). What runs out at
/// that time is gone.
#[test]
fn what_is_kept_is_held() {
    for (number, item, time) in [(11, "guard", Some(1500)), (10, "scout", Some(1500)), (1, "quad", None)] {
        let mut made = Made::new(68, "missionpack", 0, &[(0, "me", FREE), (4, "ace", FREE)]);
        made.start();
        made.keeps = Some(number);
        made.frame().frame().frame();
        made.keeps = None;
        made.frame().end();
        let stats = made.stats();
        let held = of(&stats, "me").counted.item(item).and_then(|item| item.get(ItemMeasure::TimeMs));
        assert_eq!(held, time, "{item}");
    }
}

/// Where everybody plays for oneself there is no second score while one is alone (`SetScoreConfigstring`, `-9999`). Whoever
/// comes to play has not won by that, and has a score.
#[test]
fn who_is_alone_has_a_score() {
    let mut made = Made::new(68, "baseq3", 0, &[(0, "me", FREE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    made.configstring(7, "-9999").frame();
    made.players.push((4, "ace", FREE));
    made.joins(4, FREE).configstring(7, "0").frame();
    for score in 1..=3 {
        made.own.0 = score;
        made.configstring(6, &score.to_string()).deaths(&[(4, 0, ROCKET)]);
    }
    made.frame().frame().end();
    let period = made.stats();
    assert_eq!(of(&period, "me").counted.get(Measure::Score), Some(3));
    assert_eq!(period.ending, None);
}

/// The score of a team is what the game tells, also where it told it in front of the match alone: deaths are worth nothing
/// where flags are captured.
#[test]
fn a_team_has_the_score_that_was_told() {
    let mut made = Made::new(68, "baseq3", 4, &[(0, "me", RED), (4, "bob", BLUE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    for score in 1..=3 {
        made.own.0 = score;
        made.deaths(&[(4, 0, ROCKET)]);
    }
    made.frame().end();
    let period = made.stats();
    let teams: Vec<_> = period.teams.iter().map(|team| (&*team.name, team.counted.get(Measure::Score))).collect();
    assert_eq!(teams, [("blue", Some(0)), ("red", Some(0))]);
    assert_eq!(of(&period, "me").counted.get(Measure::Score), Some(3));
}

/// What happens behind a match is of no streak in it.
#[test]
fn a_streak_ends_with_the_match() {
    let mut made = Made::new(68, "osp", 1, &[(0, "me", FREE), (4, "ace", FREE)]);
    made.start();
    for _ in 0..3 {
        made.deaths(&[(4, 0, ROCKET)]);
    }
    made.configstring(5, "-1").frame();
    for _ in 0..2 {
        made.deaths(&[(4, 0, ROCKET)]);
    }
    made.frame();
    let criteria = Criteria { streak: 1, ..Criteria::default() };
    let (all, _) =
        highlights(&made.demo()[..], &made.name(), Limits::default(), &Options::default(), &criteria).unwrap();
    let streaks: Vec<u32> = all.iter().filter(|it| it.kind == HighlightKind::Streak).map(|it| it.count).collect();
    assert_eq!(streaks, [3, 2]);
}
