//! Matches and rounds, by mode.

use qdemo::analysis::parts::{PartKind, Wanted, parts};
use qdemo::edit::cut;
use qdemo::error::Moment;
use qdemo::event::Phase;
use qdemo::replay::info::{Facts, info};
use qdemo::replay::{Position, Range};
use qdemo::table;
use qdemo::text::{Options, decompile_bytes};
use qdemo::world::DemoTime;

use super::*;
use crate::qwd::build::{CLIENT, packet};

/// The line of KTX and its forerunners, and those of Threewave's competitions, PureCTF and Team Fortress; what somebody says begins nothing, nor does
/// a name that holds the same words.
#[test]
fn matches_begin_with_a_line() {
    for (level, text, begins) in [
        (2, "The match has begun!\n", true),
        (2, "Match started.\n", true),
        (2, "Match Started!\n", true),
        (2, "MATCH BEGINS NOW\n", true),
        (2, "a MATCH BEGINS NOW\n", false),
        (3, "a: Match started.\n", false),
        (2, "Match started. Not.\n", false),
        (2, "matchkey: 1-2\nThe duel has begun!\n", true),
        (2, "it has begun! changed name to a\n", false),
        (2, "The a was nailed by it has begun!\n", false),
    ] {
        let mut made = Made::new(r"\deathmatch\1", DUEL);
        made.print(level, text).wait(2000).end();
        let mut all = Vec::new();
        events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
            all.extend(matches!(event.kind, EventKind::Match(Phase::Start)).then_some(event.clock.demo));
            Ok(())
        })
        .unwrap();
        assert_eq!(all.len(), usize::from(begins), "{text}");
    }
}

/// What is told of a match, in order.
pub(super) fn phases(made: &Made) -> Vec<&'static str> {
    let mut phases = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Match(phase) = event.kind {
            phases.push(phase.name());
        }
        Ok(())
    })
    .unwrap();
    phases
}

/// Words of the server within lines about players say nothing of a match; forerunners of KTX write a number behind its end.
#[test]
fn names_neither_end_a_match_nor_prolong_it() {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin();
    for text in [
        "a rides The match is over's rocket\n",
        "The match is over left the game with 3 frags\n",
        "The match is over was nailed by a\n",
        "overtime begins rides overtime follows's rocket\n",
        "a was nailed by overtime begins\n",
        "The point is over was nailed by a\n",
    ] {
        made.print(1, text).wait(500);
    }
    made.print(2, "[3] minutes overtime follows\n").wait(500).print(2, "Sudden death overtime begins\n").wait(500);
    made.print(2, "The match is over                (5)\nPlayer statistics:\n").wait(500);
    assert_eq!(phases(&made), ["start", "overtime", "overtime", "end"]);
}

/// A match that only the settings tell, behind another one.
#[test]
fn settings_tell_matches() {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.list(&[]).wait(100);
    for status in ["10 min left", "9 min left", "Standby", "Countdown", "10 min left", "Standby"] {
        made.all(&[&[52][..], b"status\0", status.as_bytes(), &[0]].concat()).list(&[]).wait(500);
    }
    assert_eq!(phases(&made), ["start", "end", "countdown", "start", "end"]);
}

/// Classic Fortress: the settings have another word where a match is stopped (`StopTimer` of its clan.qc).
#[test]
fn settings_tell_that_a_match_is_stopped() {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.list(&[]).wait(100).print(2, "MATCH BEGINS NOW\n");
    for status in ["19 min left", "Normal", "Standby"] {
        made.all(&[&[52][..], b"status\0", status.as_bytes(), &[0]].concat()).list(&[]).wait(500);
    }
    assert_eq!(phases(&made), ["start", "end"]);
}

/// No frame comes for long, and then another level: the match was given up with the last frame, as its level was.
#[test]
fn a_match_ends_with_its_level_in_front_of_a_gap() {
    let frame = &[47, 0, 0][..];
    let map = [&[45, 0][..], b"maps/dm3.bsp\0progs/player.mdl\0", &[0, 0]].concat();
    let begin = [&[8, 2][..], b"The match has begun!\n\0", frame].concat();
    let level = CLIENT.data();
    // The server has another number for it.
    let mut next = level.clone();
    let count = next.windows(4).position(|four| four == [7, 0, 0, 0]).unwrap();
    next[count] += 1;
    let said = [&[8, 2][..], b"hello\n\0"].concat();
    let blocks: [(f32, &[u8]); 10] = [
        (1.0, &level),
        (1.5, &map),
        (2.0, &begin),
        (3.0, frame),
        (4.0, frame),
        (15.0, &said),
        (30.0, &next),
        (30.5, &map),
        (31.0, frame),
        (32.0, frame),
    ];
    let demo: Vec<u8> = blocks.iter().zip(1..).flat_map(|((time, what), n)| packet(*time, n, what)).collect();
    let mut ends = Vec::new();
    events(&demo[..], "x.qwd", Limits::default(), &mut |event| {
        ends.extend((event.kind == EventKind::Match(Phase::GivenUp)).then_some(event.clock));
        Ok(())
    })
    .unwrap();
    assert_eq!(ends.iter().map(|end| end.now).collect::<Vec<_>>(), [Some(Moment::Seconds(4.0))]);
    let spans = timeline(&demo[..], "x.qwd", Limits::default()).unwrap().spans;
    let to = |name| spans.iter().find(|span| span.kind.name() == name).map(|span| span.to);
    assert_eq!((to("level"), to("match")), (Some(ends[0]), Some(ends[0])));
    let Facts::QuakeWorld(facts) = info(&demo[..], "x.qwd", Limits::default()).unwrap().facts else { panic!() };
    let level = &facts.levels[0];
    assert_eq!(level.last_time, Some(Moment::Seconds(4.0)));
    assert_eq!(level.matches.iter().map(|one| one.end).collect::<Vec<_>>(), [Moment::Seconds(4.0)]);
    // The clip of it has nothing of the next level.
    let (found, _) = parts(&demo[..], "x.qwd", Limits::default(), &Wanted::new(PartKind::Match)).unwrap();
    assert_eq!(found.iter().map(|part| part.to).collect::<Vec<_>>(), [ends[0].demo]);
}

pub(super) fn center(text: &str) -> Vec<u8> {
    [&[26][..], text.as_bytes(), &[0]].concat()
}

/// Clan Arena: a round is over when the server says who won it, and the next one begins with the fight.
#[test]
fn rounds_of_clan_arena() {
    let mut made = Made::new(r"\deathmatch\5\teamplay\4", TEAMS);
    made.begin().all(&center("FIGHT!")).wait(1000).print(1, "b rides a's rocket\n").wait(2000);
    made.print(2, "\nTeam red has won the round\n").wait(500).print(1, "a becomes bored with life\n").wait(500);
    made.tell(0, "round [2] starts in 5 seconds.\n").wait(1000).all(&center("FIGHT!")).wait(1000);
    // Wipeout says so to each who is back in the round.
    made.all(&center("FIGHT!\n")).wait(500).print(1, "b rides a's rocket\n").wait(500);
    made.print(2, "\nThe round is a draw!\n").wait(500).end();
    assert_eq!(phases(&made), ["start", "round", "next_round", "round", "end"]);
    let period = made.period();
    assert_eq!(period.game.as_ref().unwrap().rounds.len(), 2);
    let a = &player(&period, "a").counted;
    assert_eq!((a.get(Measure::Kills), a.get(Measure::Deaths)), (Some(2), Some(0)));
}

/// Rocket Arena tells who died, and behind that who did it; or nothing more, when the other one of the two had lost nothing.
#[test]
fn deaths_and_rounds_of_rocket_arena() {
    let mut made = Made::new(r"\deathmatch\4", DUEL);
    made.begin().print(2, "The new winner is a\n").wait(500);
    let fight = |made: &mut Made, both: &str| {
        made.print(2, both).wait(1000);
    };
    fight(&mut made, "a vs. b\n");
    made.print(2, "The winner a has been defeated\n").print(2, "b had [100] health and [ 50] armor left\n").wait(500);
    fight(&mut made, "b vs. a\n");
    made.print(2, "The challenger a has failed\n").print(2, "because he became bored with life!\n").wait(500);
    fight(&mut made, "b vs. c\n");
    made.print(2, "The winner b has been defeated\n").print(2, "FLAWLESS Victory!\n").wait(500);
    // The game that it follows tells all at once.
    fight(&mut made, "c vs. a\n");
    made.print(2, "The winner c has been defeated\nThe new winner is a\na had 50 health and 2 armor left\n").end();
    let mut deaths = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        if let EventKind::Frag(frag) = &event.kind {
            deaths.push((frag.kind, frag.attacker.as_ref().and_then(|who| who.slot), frag.victim.slot));
        }
        Ok(())
    })
    .unwrap();
    use FragKind::{Kill, Suicide};
    let wanted = [(Kill, 1, 0), (Suicide, 0, 0), (Kill, 2, 1), (Kill, 0, 2)];
    assert_eq!(deaths, wanted.map(|(kind, attacker, victim)| (kind, Some(attacker), Some(victim))));
    let rounds = ["round", "next_round"].into_iter().cycle().take(7);
    assert_eq!(phases(&made), ["start"].into_iter().chain(rounds).chain(["end"]).collect::<Vec<_>>());
    let period = made.period();
    let numbers = |name| [Measure::Kills, Measure::Deaths].map(|m| player(&period, name).counted.get(m).unwrap());
    assert_eq!([numbers("a"), numbers("b"), numbers("c")], [[1, 2], [1, 1], [1, 1]]);
}

/// HoonyMode: between rounds nothing counts, and nobody holds anything.
#[test]
fn rounds_of_hoonymode() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.begin().stats(0, 100, 200, SHOTGUN_AND_AXE | RED).wait(1000);
    made.print(2, "The point is over\n").wait(3000).heard(&[41], &[(0, HEALTH, 2000)]);
    made.print(2, "The match has begun!\n").wait(2000).stats(0, 100, 0, SHOTGUN_AND_AXE).wait(500);
    made.end();
    let period = made.period();
    assert_eq!(item(&period, "a", "red_armor", ItemMeasure::TimeMs), Some(3000));
    assert_eq!(item(&period, "a", "health_25", ItemMeasure::Taken), None);
}

/// A match of several rounds begins once and ends once, with the intermission if no text says so before, for everybody
/// who asks: `match: start` is told as often as there are matches.
#[test]
fn rounds_are_one_match() {
    let mut made = Made::new("\\deathmatch\\3", DUEL);
    made.begin().print(2, "The point is over\n").wait(3000);
    made.print(2, "The match has begun!\n").wait(2000).print(2, "The point is over\n").wait(1000);
    // The intermission: place and angles.
    made.all(&[30, 0, 0, 0, 0, 0, 0, 0, 0, 0]).wait(1000);
    assert_eq!(phases(&made), ["start", "round", "next_round", "round", "end", "intermission"]);
    let spans = timeline(&made.bytes[..], "made.mvd", Limits::default()).unwrap().spans;
    let matches: Vec<_> = spans
        .iter()
        .filter_map(|span| match span.kind {
            SpanKind::Match { begun, ended, .. } => Some((begun, ended)),
            _ => None,
        })
        .collect();
    assert_eq!(matches, [(true, true)]);
    assert_eq!(made.period().game.unwrap().rounds.len(), 2);
}

/// Where a recording stands still, by `events`, `timeline`, `info` and `stats`: from and to in ms on its clock.
pub(super) fn pauses(demo: &[u8]) -> [Vec<[i64; 2]>; 4] {
    const NAME: &str = "made.mvd";
    let mut told = Vec::new();
    events(demo, NAME, Limits::default(), &mut |event| {
        match event.kind {
            EventKind::Match(Phase::Pause) => told.push([event.clock.demo.ms(); 2]),
            EventKind::Match(Phase::Resume) => told.last_mut().unwrap()[1] = event.clock.demo.ms(),
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    let spans = timeline(demo, NAME, Limits::default()).unwrap().spans;
    let spans = spans.iter().filter(|span| span.kind == SpanKind::Pause);
    let drawn = spans.map(|span| [span.from.demo.ms(), span.to.demo.ms()]).collect();
    let Facts::QuakeWorld(facts) = info(demo, NAME, Limits::default()).unwrap().facts else { panic!() };
    let known = facts.levels.iter().flat_map(|level| &level.matches).flat_map(|m| &m.pauses);
    let ms = |at: Moment| match at {
        Moment::Milliseconds(ms) => i64::from(ms),
        Moment::Seconds(_) => panic!("{at:?}"),
    };
    let known = known.map(|both| both.map(ms)).collect();
    let mut counted = Vec::new();
    stats(demo, NAME, Limits::default(), &mut |period| {
        let pauses = period.game.iter().flat_map(|game| &game.pauses);
        counted.extend(pauses.map(|both| both.map(|at| at.demo.ms())));
        Ok(())
    })
    .unwrap();
    [told, drawn, known, counted]
}

/// A match that stands still as a server tells it, from 1000 to 1023 ms: what was played before the first frame of the pause
/// comes behind it.
fn stands_still() -> Made {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin();
    let hidden_pause = multiple(0, &[10, 0, 101]);
    made.bytes.extend(&hidden_pause);
    made.wait(23);
    (0..20).for_each(|_| made.bytes.extend([hidden_pause.clone(), record(6, &[])].concat()));
    made.wait(16).wait(2000).end();
    made
}

/// The clock of a client goes on while a match stands still: a minute is played in 1:05, as `timelimit 1` has it.
#[test]
fn what_is_played_of_a_match_is_without_its_pauses() {
    let texts = |text: &str| [&[8, 2][..], text.as_bytes(), &[0]].concat();
    let steps: [(f32, Vec<u8>); 7] = [
        (10.0, CLIENT.data()),
        (20.0, texts("The match has begun!\n")),
        (40.0, vec![24, 1]),
        (45.0, vec![24, 0]),
        (84.5, vec![1]),
        (85.0, texts("The match is over\n")),
        (90.0, END.to_vec()),
    ];
    let demo: Vec<u8> = steps.iter().zip(1..).flat_map(|((at, said), n)| packet(*at, n, said)).collect();
    let spans = timeline(&demo[..], "made.qwd", Limits::default()).unwrap().spans;
    let drawn = spans.iter().find_map(|span| match span.kind {
        SpanKind::Match { played, .. } => Some((span.length_ms(), played.ms())),
        _ => None,
    });
    assert_eq!(drawn, Some((65_000, 60_000)));
    let Facts::QuakeWorld(facts) = info(&demo[..], "made.qwd", Limits::default()).unwrap().facts else { panic!() };
    let told = facts.levels[0].matches.iter().map(|game| serde_json::to_value(game).unwrap());
    let told: Vec<_> = told.map(|game| (game["length_ms"].as_i64(), game["played_ms"].as_i64())).collect();
    assert_eq!(told, [(Some(65_000), Some(60_000))]);
    let mut counted = Vec::new();
    stats(&demo[..], "made.qwd", Limits::default(), &mut |period| {
        if period.kind == PeriodKind::Match {
            let mut cell = Vec::new();
            table::MATCHES.column("played_ms").unwrap().values.write(&table::one_match(&period, 0), &mut cell);
            counted.push((serde_json::to_value(&period).unwrap()["played_ms"].as_i64(), cell));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(counted, [(Some(60_000), b"60000".to_vec())]);
}

/// One pause is told as one, and by all.
#[test]
fn servers_tell_pauses_in_hidden_messages() {
    assert_eq!(pauses(&stands_still().bytes), [(); 4].map(|()| vec![[1000, 1039]]));
    // One of a single frame ends with what is played behind it.
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin();
    made.bytes.extend(multiple(0, &[10, 0, 101]));
    made.wait(23).wait(13).wait(2000).end();
    assert_eq!(pauses(&made.bytes), [(); 4].map(|()| vec![[1000, 1036]]));
}

/// A recording of all players that was made of a client's has the message that told the client: the game stands still up
/// to the next one, and a clip that begins in the pause has both.
#[test]
fn a_message_tells_a_pause_up_to_the_next_one() {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin().all(&[24, 1]).wait(2020).all(&[24, 0]).wait(1000).end();
    assert_eq!(pauses(&made.bytes), [(); 4].map(|()| vec![[1000, 3020]]));
    let range = Range { from: Position::Demo(DemoTime::from_ms(2000)), to: Position::End };
    let (clip, _) = cut(&made.bytes[..], "made.mvd", Limits::default(), range, Vec::new()).unwrap();
    let [told, drawn, ..] = pauses(&clip);
    // It begins with the record of 250 ms that leads there.
    assert_eq!([told, drawn], [(); 2].map(|()| vec![[0, 1270]]));
    let text = decompile_bytes(&clip, "made.mvd", &Options::default()).unwrap();
    let told = String::from_utf8(text).unwrap().matches("setpause").count();
    assert_eq!(told, 2);
}

/// A clip that begins within a pause goes on where the recording does: nothing but the server's own word says that it stands
/// still, which a clip has for as long as the recording.
#[test]
fn a_clip_may_begin_in_a_pause() {
    let made = stands_still();
    let [first, played] = [10, 12];
    for from in [first, played] {
        let range = Range { from: Position::Block(from), to: Position::End };
        let (clip, _) = cut(&made.bytes[..], "made.mvd", Limits::default(), range, Vec::new()).unwrap();
        let to = if from == first { 39 } else { 16 };
        let [told, drawn, ..] = pauses(&clip);
        assert_eq!([told, drawn], [(); 2].map(|()| vec![[0, to]]), "{from}");
        let text = decompile_bytes(&clip, "made.mvd", &Options::default()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("hidden_pause") && !text.contains("setpause"), "{text}");
    }
}

/// Scores of players as `timeline` has them, and as the only period of `stats` has them.
fn scores(demo: &[u8]) -> [Vec<(String, Option<i64>)>; 2] {
    let players = timeline(demo, "made.mvd", Limits::default()).unwrap().players;
    let told = players.into_iter().map(|player| (player.name, player.frags.map(i64::from))).collect();
    let mut counted = Vec::new();
    stats(demo, "made.mvd", Limits::default(), &mut |period| {
        let score = |player: &Player| (player.who.name.to_string(), player.counted.get(Measure::Score));
        counted.push(period.players.iter().map(score).collect::<Vec<_>>());
        Ok(())
    })
    .unwrap();
    assert_eq!(counted.len(), 1);
    counted[0].sort();
    [told, counted.remove(0)]
}

/// Place and angles.
const INTERMISSION: [u8; 10] = [30, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn scored(slot: u8, frags: u8) -> [u8; 4] {
    [14, slot, frags, 0]
}

/// At an intermission the game shows the scores of the level: whoever leaves or comes behind it does not change them, without
/// a match either. A recording that begins there has them as well.
#[test]
fn a_level_has_the_scores_of_its_intermission() {
    let settings = |name: &str| [&[40, 1, 11, 0, 0, 0][..], name.as_bytes(), &[0]].concat();
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.wait(1000).all(&scored(0, 5)).all(&scored(1, 7)).all(&scored(2, 1)).list(&[]).wait(1000);
    made.list(&[]).all(&INTERMISSION).list(&[]).wait(1000).list(&[]);
    let wanted = [("a", 5), ("b", 7), ("c", 1)].map(|(name, frags)| (name.to_owned(), Some(frags)));
    let clip = |made: &Made| {
        let range = Range { from: Position::Demo(DemoTime::from_ms(2500)), to: Position::End };
        cut(&made.bytes[..], "made.mvd", Limits::default(), range, Vec::new()).unwrap().0
    };
    assert_eq!([scores(&made.bytes), scores(&clip(&made))], [(); 2].map(|()| [(); 2].map(|()| wanted.to_vec())));
    // One comes back, and one takes the place of another.
    made.all(&settings("")).list(&[]).wait(500).list(&[]);
    made.all(&settings(r"\name\b")).all(&scored(1, 0)).list(&[]).wait(500).list(&[]);
    made.all(&[&[40, 2, 99, 0, 0, 0][..], br"\name\d", &[0]].concat()).all(&scored(2, 3)).list(&[]).wait(1200);
    made.list(&[]).all(&scored(2, 4)).list(&[]).wait(1200).list(&[]);
    for demo in [&made.bytes, &clip(&made)] {
        let [told, counted] = scores(demo);
        assert_eq!(counted, wanted);
        let told: Vec<_> = told.into_iter().filter(|(_, frags)| frags.is_some()).collect();
        assert_eq!(told, wanted);
    }
}
