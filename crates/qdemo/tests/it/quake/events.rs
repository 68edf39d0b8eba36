//! Events of Quake recordings.
#![allow(clippy::print_stdout, reason = "numbers of agreement are for people")]

mod deaths;

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{self, all_dem, file_name};
use qdemo::Limits;
use qdemo::analysis::stats::{Measure, PeriodKind, stats};
use qdemo::event::{Certainty, Event, EventKind, EventTag, FragKind, PlayerRef, Reason};
use qdemo::replay::events;
use qdemo::replay::timeline::{SpanKind, timeline};

fn all_events(path: &Path) -> Vec<Event> {
    let demo = std::fs::read(path).unwrap();
    let mut all = Vec::new();
    events(&demo[..], &file_name(path), Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

/// A level for some players: `serverinfo`, names, and the end of the sign-on.
fn begin(multi: u8, names: &[&str]) -> Vec<u8> {
    let mut p = vec![11, 15, 0, 0, 0, names.len() as u8, multi];
    p.extend(b"the Slipgate Complex\0maps/e1m1.bsp\0\0misc/null.wav\0\0");
    p.extend([5, 1, 0]);
    for (slot, name) in names.iter().enumerate() {
        p.extend([13, slot as u8]);
        p.extend(name.as_bytes());
        p.extend([0, 14, slot as u8, 0, 0]);
    }
    p.extend([25, 3]);
    p
}

fn time(seconds: f32) -> Vec<u8> {
    [&[7][..], &seconds.to_le_bytes()].concat()
}

fn print(text: &str) -> Vec<u8> {
    [&[8][..], text.as_bytes(), &[0]].concat()
}

fn told(blocks: &[Vec<u8>]) -> Vec<Event> {
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let demo = common::demo("-1\n", &blocks);
    let mut all = Vec::new();
    events(&demo[..], "x.dem", Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

/// A server prints a line in chunks: names and what stands between.
#[test]
fn deaths_come_in_pieces() {
    let line = |parts: &[&str]| parts.iter().flat_map(|part| print(part)).collect::<Vec<_>>();
    let all = told(&[
        begin(1, &["ranger", "was nailed by", "James"]),
        [time(1.5), print("ranger"), print(" rides ")].concat(),
        [time(1.6), line(&["James", "' rocket", "\n"]), vec![14, 2, 1, 0]].concat(),
        [time(1.7), line(&["was nailed by", " was nailed by ", "ranger", "\n"]), vec![14, 0, 1, 0]].concat(),
        [time(1.8), line(&["James", " discharges into the water.\n"]), vec![14, 2, 0, 0]].concat(),
        [time(1.9), line(&["You got the ", "Nailgun", "\n"]), print("\u{1}James: ranger died\n")].concat(),
        [time(2.0), line(&["somebody", " died\n"]), print("\u{2}ranger died\n"), vec![13, 2, 0]].concat(),
    ]);
    let frags: Vec<_> = all
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Frag(f) => {
                Some((f.kind, f.attacker.as_ref().unwrap().slot.unwrap(), f.victim.slot.unwrap(), &*f.weapon))
            }
            _ => None,
        })
        .collect();
    let wanted = [
        (FragKind::Kill, 2, 0, "rocket_launcher"),
        (FragKind::Kill, 0, 1, "nailgun"),
        (FragKind::Suicide, 2, 2, "lightning_gun"),
    ];
    assert_eq!(frags, wanted);
    let count = |kind| all.iter().filter(|event| event.kind.tag() == kind).count();
    assert_eq!(
        [EventTag::Score, EventTag::Chat, EventTag::Pickup, EventTag::Leave, EventTag::Level].map(count),
        [3, 1, 1, 1, 1]
    );
    assert!(all.iter().any(|e| matches!(&e.kind, EventKind::Chat(c) if c.text == "ranger died" && !c.team)));
}

/// What a mod prints without a line end stands in front of the next line, and is none of it.
#[test]
fn a_piece_is_no_part_of_the_next_line() {
    let all = told(&[
        begin(1, &["ranger", "James"]),
        [time(1.5), print("5 ")].concat(),
        [time(1.6), print("\u{1}ranger: hi there\n"), print("6 ")].concat(),
        [time(1.7), print("You receive 25 health\n"), print("7 ")].concat(),
        [time(1.8), print("ranger"), print(" rides "), print("James"), print("' rocket\n")].concat(),
    ]);
    let words: Vec<_> = all.iter().skip(1).map(|event| event.kind.to_string()).collect();
    let expected = [
        "5 ",
        "ranger: hi there",
        "ranger takes health_25",
        "6 You receive 25 health\n",
        "James kills ranger (rocket_launcher)",
        "7 ranger rides James' rocket\n",
    ];
    assert_eq!(words, expected);
    assert!(all.iter().any(|e| matches!(&e.kind, EventKind::Chat(c) if c.speaker.as_ref().unwrap().slot == Some(0))));
}

/// A player, by slot and name.
type Who = (Option<usize>, String);

/// Who killed whom.
fn kills(all: &[Event]) -> Vec<(FragKind, [Who; 2])> {
    let known = |who: &PlayerRef| (who.slot, who.name.clone());
    let frag = |event: &Event| match &event.kind {
        EventKind::Frag(frag) => Some((frag.kind, [known(frag.attacker.as_ref()?), known(&frag.victim)])),
        _ => None,
    };
    all.iter().filter_map(frag).collect()
}

/// Who is called by the default name may not be the only one: a death by a weapon that has another text for one's own
/// (`ClientObituary` of id's game) is a kill, and of whom is not told.
#[test]
fn two_players_have_a_name() {
    let all = told(&[
        begin(1, &["player", "player", "James"]),
        [time(1.5), print("player rides player's rocket\n")].concat(),
        [time(1.6), print("player rides James's rocket\n")].concat(),
        [time(1.7), vec![13, 1, 0], print("player rides James's rocket\n")].concat(),
    ]);
    let player = |slot| (slot, "player".to_owned());
    let james = || (Some(2), "James".to_owned());
    // Whoever goes is still known in that block.
    let wanted = [[player(None), player(None)], [james(), player(None)], [james(), player(None)]];
    assert_eq!(kills(&all), wanted.map(|both| (FragKind::Kill, both)));
}

/// A name that comes in the block of a text with the old one is that of the same player.
#[test]
fn a_text_has_the_name_of_before() {
    let death = |at: f32, killer: &str| [time(at), print(&format!("alpha rides {killer}'s rocket\n"))].concat();
    let blocks = [
        begin(1, &["alpha", "beta"]),
        death(1.5, "beta"),
        [death(2.5, "beta"), vec![13, 1], b"gamma\0".to_vec()].concat(),
        death(3.5, "gamma"),
    ];
    let killers: Vec<_> = kills(&told(&blocks)).into_iter().map(|(_, [killer, _])| killer.1).collect();
    assert_eq!(killers, ["beta", "gamma", "gamma"]);
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let demo = common::demo("-1\n", &blocks);
    let mut players = Vec::new();
    stats(&demo[..], "x.dem", Limits::default(), &mut |period| {
        players.extend(period.players.into_iter().map(|p| (p.who.name, p.counted.get(Measure::Kills).unwrap_or(0))));
        Ok(())
    })
    .unwrap();
    players.sort();
    assert_eq!(players, [("alpha".to_owned(), 0), ("gamma".to_owned(), 3)]);
}

/// Threewave's Capture the Flag: the server speaks in chunks; what players say is none of its.
#[test]
fn flags_change_hands() {
    let line = |parts: &[&str]| parts.iter().flat_map(|part| print(part)).collect::<Vec<_>>();
    let all = told(&[
        begin(1, &["ranger", "James"]),
        [time(1.5), line(&["ranger", " got the ", "BLUE", " flag!\n"])].concat(),
        [time(2.5), line(&["ranger", " lost the ", "BLUE", " flag!\n"])].concat(),
        [time(3.5), line(&["James returned the BLUE flag!\n"]), print("\u{1}James: James got the RED flag!\n")]
            .concat(),
        [time(4.5), print("\u{1}ranger got the RED flag!\n"), line(&["The RED flag has been returned\n"])].concat(),
        [time(5.5), line(&["James", " captured the ", "RED", " flag!\n"])].concat(),
    ]);
    let flags: Vec<_> = all.iter().filter(|e| e.kind.tag() == EventTag::Flag).map(|e| e.kind.to_string()).collect();
    let wanted = [
        "blue flag taken by ranger",
        "blue flag dropped by ranger",
        "blue flag returned by James",
        "red flag returned",
        "red flag captured by James",
    ];
    assert_eq!(flags, wanted);
}

/// A level of one player ends: the time of the run is what the server's clock shows then.
#[test]
fn a_run_ends() {
    let stat = |index: u8, value: u8| vec![3, index, value, 0, 0, 0];
    let all = told(&[
        [begin(0, &["player"]), stat(11, 4), stat(12, 9)].concat(),
        time(1.25),
        [time(2.5), vec![27, 27, 28]].concat(),
        [time(70.25), vec![30]].concat(),
        [time(71.0), vec![31, b'x', 0]].concat(),
    ]);
    let runs: Vec<_> =
        all.iter().filter_map(|e| if let EventKind::Run(run) = &e.kind { Some(run) } else { None }).collect();
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].time, runs[0].precision, runs[0].totals), (70.25, 5, Some([2, 9, 1, 4])));
    assert_eq!(runs[0].player.as_ref().unwrap().name, "player");
    assert!(all.iter().any(|e| e.kind == EventKind::Monster(2)) && all.iter().any(|e| e.kind == EventKind::Secret(1)));
}

/// Game modules for runs clear the middle of the screen with a cut scene without a text, and may tell the exact time then:
/// the level goes on. Facts 1.1: the client's intermission 3 is a cut scene, and the game runs below it.
#[test]
fn a_cut_scene_ends_no_run() {
    let all = told(&[
        begin(0, &["player"]),
        time(1.25),
        [time(70.25), vec![34, 0], print("exact time was 1:10.25000\n")].concat(),
        time(80.0),
        [time(90.5), vec![30], print("exact time was 1:30.50000\n")].concat(),
    ]);
    let exact = all.iter().filter_map(|e| match &e.kind {
        EventKind::Run(run) if run.from == "print: exact time" => Some(run.time),
        _ => None,
    });
    assert_eq!(exact.collect::<Vec<_>>(), [90.5]);
}

/// A medkit gives 15: two that lie side by side are taken one right after the other.
#[test]
fn equal_things_are_taken_in_a_row() {
    let medkit = |seconds| [time(seconds), print("You receive 15 health\n")].concat();
    let all = told(&[begin(0, &["me"]), time(1.0), medkit(2.0), medkit(2.2), medkit(9.0)]);
    let pickups = all.iter().filter_map(|event| match &event.kind {
        EventKind::Pickup { item, .. } => Some((event.clock.demo.ms(), item.to_string())),
        _ => None,
    });
    assert_eq!(pickups.collect::<Vec<_>>(), [1000, 1200, 8000].map(|at| (at, "health_15".to_owned())));
}

/// The line with which a server greets stands in the block of `serverinfo` and has no end (`SV_SendServerinfo` of id's
/// server): what is printed in the level is no part of it, and what was left open in a level ends with it.
#[test]
fn a_level_ends_lines() {
    let greeting = print("\u{2}\nVERSION 1.09 SERVER (22264 CRC)");
    let all = told(&[
        [greeting.clone(), begin(0, &["player"])].concat(),
        [time(1.25), print("You got the shells\n")].concat(),
        [time(90.5), print("exact time was 1:30.50000")].concat(),
        [greeting, begin(0, &["player"])].concat(),
        [time(1.25), vec![30], print("\nYou got the nails\n")].concat(),
    ]);
    let items = all.iter().filter_map(|e| match &e.kind {
        EventKind::Pickup { item, .. } => Some(item.to_string()),
        _ => None,
    });
    assert_eq!(items.collect::<Vec<_>>(), ["shells", "nails"]);
    let from = |e: &Event| matches!(&e.kind, EventKind::Run(run) if run.from == "print: exact time");
    assert!(!all.iter().any(from));
}

/// A message that tells a score.
fn score(slot: u8, frags: u8) -> Vec<u8> {
    vec![14, slot, frags, 0]
}

/// Asserts what is told of scores: of two players, of whom one stays for the next level and has a frag there.
fn are_those_of_two_levels(all: &[Event]) {
    let scores: Vec<_> = all.iter().filter(|e| e.kind.tag() == EventTag::Score).map(|e| e.kind.to_string()).collect();
    let wanted = [
        "ranger has 7 points (had 0)",
        "James has 4 points (had 0)",
        "ranger has 0 points (had 7)",
        "ranger has 1 point (had 0)",
    ];
    assert_eq!(scores, wanted);
}

/// A level begins with new scores, which whoever stays on is told of.
#[test]
fn levels_reset_scores() {
    are_those_of_two_levels(&told(&[
        begin(1, &["ranger", "James"]),
        [time(1.5), score(0, 7), score(1, 4)].concat(),
        begin(1, &["ranger", "other"]),
        [time(1.5), score(0, 1)].concat(),
    ]));
}

/// A server tells the scores of a new level in the sign-on before it tells the names: quakespasm with a module that logs what
/// happens, all others by `SV_UpdateToReliableMessages` of id Software's `sv_main.c`, as all scores are 0 then.
#[test]
fn levels_reset_scores_before_names() {
    let next = |names: &[&str]| {
        let told = begin(1, names);
        // Without names, and not yet signed on: that is the rest.
        let first = begin(1, &vec![""; names.len()]);
        let first = first[..first.len() - 2 - names.len() * 7].to_vec();
        let rest = told[first.len()..].to_vec();
        [first, [score(0, 0), score(1, 0)].concat(), rest]
    };
    let mut blocks = vec![begin(1, &["ranger", "James"]), [time(1.5), score(0, 7), score(1, 4)].concat()];
    blocks.extend(next(&["ranger", ""]));
    blocks.push([time(1.5), score(0, 1)].concat());
    // Who comes later has no score of the level before, under the same name either.
    blocks.push([time(1.6), [&[13, 1][..], b"James\0", &score(1, 0)].concat()].concat());
    are_those_of_two_levels(&told(&blocks));
}

/// A printed line about a player that no rule knows is marked; deaths, and lines about coming and going, are not.
#[test]
fn texts_that_are_not_understood() {
    let line = |text: &str| [time(1.5), print(text)].concat();
    let all = told(&[
        begin(1, &["ranger", "James"]),
        line("ranger was put in a blender by James\n"),
        line("ranger rides James's rocket\n"),
        line("James entered the game\n"),
        line("James exited the level\n"),
        line("rangers are no players\n"),
        line("James's blender was put in a rocket\n"),
        line("\u{1}James: ranger was put in a blender\n"),
        line("the blender is ready\n"),
    ]);
    let unknown = all.iter().filter_map(|e| match &e.kind {
        EventKind::Print { text, unknown: true, .. } => Some(text.trim()),
        _ => None,
    });
    let wanted = ["ranger was put in a blender by James", "James's blender was put in a rocket"];
    assert_eq!(unknown.collect::<Vec<_>>(), wanted);
}

/// A marathon: the times of its levels, and what they add up to.
#[test]
fn levels_add_up() {
    let stat = |index: u8, value: u8| vec![3, index, value, 0, 0, 0];
    let level = |total: u8, end: f32, killed: &[u8]| {
        let begin = [begin(0, &["player"]), stat(11, 1), stat(12, total)].concat();
        [begin, time(1.0), [time(2.0), killed.to_vec()].concat(), [time(end), vec![30]].concat()]
    };
    let all = told(&[level(9, 70.25, &[27, 27, 28]), level(5, 30.5, &[27])].concat());
    let runs: Vec<_> =
        all.iter().filter_map(|e| if let EventKind::Run(run) = &e.kind { Some(run) } else { None }).collect();
    let times: Vec<_> = runs.iter().map(|run| (run.time, run.map.as_str(), run.totals)).collect();
    let [first, second] = [Some([2, 9, 1, 1]), Some([1, 5, 0, 1])];
    assert_eq!(times, [(70.25, "e1m1", first), (30.5, "e1m1", second), (100.75, "2 levels", Some([3, 14, 1, 2]))]);
    assert_eq!(all.last().unwrap().certainty, Certainty::Inferred(Reason::SumOfLevels));
}

#[test]
fn recordings() {
    let mut exact = 0;
    for path in all_dem() {
        let name = file_name(&path);
        let all = all_events(&path);
        let mut kinds = BTreeMap::new();
        let mut scores: BTreeMap<usize, (i32, i32)> = BTreeMap::new();
        for event in &all {
            *kinds.entry(event.kind.tag().name()).or_insert(0) += 1;
            match &event.kind {
                EventKind::Frag(frag) => {
                    // No recording at hand has two players. The game module of LibreQuake takes nothing for a fall;
                    // whoever gives up loses two.
                    let cost = match (frag.kind, &*frag.means) {
                        (FragKind::World, _) => 0,
                        (_, "suicide") => 2,
                        _ => 1,
                    };
                    scores.entry(frag.victim.slot.unwrap()).or_default().0 -= cost;
                }
                EventKind::Run(run) if run.from == "print: exact time" => {
                    // What the module says is what the clock shows in the frame in which the level ends.
                    let end =
                        all.iter().filter(|e| matches!(e.kind, EventKind::Center { .. })).find_map(|e| e.clock.ms());
                    assert!((run.time * 1000.0 - end.unwrap() as f64).abs() <= 0.5, "{name}: {run:?}");
                    exact += 1;
                }
                EventKind::Score { player, from, to } => scores.entry(player.slot.unwrap()).or_default().1 += to - from,
                _ => {}
            }
        }
        println!("{name}: {kinds:?}");
        assert!(scores.values().all(|(ours, board)| ours == board), "{name}: {scores:?}");
    }
    // The one exact time of the corpus is told as a text over the running game, which goes on for a minute.
    assert_eq!(exact, 0);
    // The player who recorded it said so three times.
    let clip = all_events(&common::root().join("testdata/clip.dem"));
    let is_tick = |e: &&Event| matches!(&e.kind, EventKind::Chat(c) if c.text == "tick" && c.speaker.as_ref().is_some_and(|s| s.slot == Some(0)));
    assert_eq!(clip.iter().filter(is_tick).count(), 3);
}

/// Clan Ring's CRMod says that somebody stops the countdown, and that a match stands still: it does not pause the server
/// (`match_notready`, `match_pause` and `match_unpause` of match.qc). Version 7 ends one that does so for too long
/// (`match_abort_pause_timeout`), and says no more of it.
#[test]
fn pauses_of_crmod() {
    let lines =
        |at: f32, all: &[&str]| [&time(at)[..], &all.iter().flat_map(|text| print(text)).collect::<Vec<_>>()].concat();
    let blocks = [
        [begin(1, &["ranger", "James"]), time(0.0)].concat(),
        lines(1.0, &["Match paused\n", "Match begins in 1 minute\n"]),
        lines(2.0, &["ranger", " is not ready\n", "Timer stopped\n"]),
        lines(3.0, &["Match begins in 20 seconds\n"]),
        lines(4.0, &["Timer stopped\n"]),
        lines(5.0, &["20", " minutes remaining\n"]),
        lines(6.0, &["Match begins in 20 seconds\n"]),
        lines(10.0, &["20", " minutes remaining\n"]),
        lines(20.0, &["\u{1}ranger: Match paused\n", "Match paused\n", "Time remaining:  ", "19", ":", "50", "\n"]),
        [time(25.0), vec![24, 1]].concat(),
        [time(26.0), vec![24, 0]].concat(),
        lines(30.0, &["Match unpaused\n"]),
        lines(40.0, &["Match paused\n"]),
        lines(50.0, &["Match was paused for too long.\n", "The match is over\n"]),
        lines(60.0, &["The match has begun!\n"]),
        lines(70.0, &["The match is over\n"]),
        lines(80.0, &["Match unpaused\n"]),
    ];
    let all = told(&blocks);
    let phases = all.iter().filter_map(|event| match event.kind {
        EventKind::Match(phase) => Some((phase.name(), event.clock.demo.ms() / 1000)),
        _ => None,
    });
    let expected = [
        ("countdown", 1),
        ("countdown", 3),
        ("countdown", 6),
        ("start", 10),
        ("pause", 20),
        ("resume", 30),
        ("pause", 40),
        ("resume", 50),
        ("end", 50),
        ("start", 60),
        ("end", 70),
    ];
    assert_eq!(phases.collect::<Vec<_>>(), expected);
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let mut pauses = Vec::new();
    stats(&common::demo("-1\n", &blocks)[..], "x.dem", Limits::default(), &mut |period| {
        if let Some(game) = period.game.as_ref().filter(|_| period.kind == PeriodKind::Match) {
            pauses.push(game.pauses.iter().map(|both| both.map(|clock| clock.demo.ms() / 1000)).collect::<Vec<_>>());
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(pauses, [vec![[20, 30], [40, 50]], vec![]]);
    assert_eq!(drawn(&blocks), [[20, 30], [40, 50]]);
}

/// The pauses of a timeline, from and to, in seconds.
fn drawn(blocks: &[&[u8]]) -> Vec<[i64; 2]> {
    let spans = timeline(&common::demo("-1\n", blocks)[..], "x.dem", Limits::default()).unwrap().spans;
    let pauses = spans.iter().filter(|span| span.kind == SpanKind::Pause);
    pauses.map(|span| [&span.from, &span.to].map(|clock| clock.demo.ms() / 1000)).collect()
}

/// A match of CRMod that ends while it stands still does so no longer, whatever ends it: what pauses the server then is told.
#[test]
fn no_match_stands_still_once_it_is_over() {
    let blocks = [
        begin(1, &["ranger", "James"]),
        time(0.0),
        [time(1.0), print("The match has begun!\n")].concat(),
        [time(3.0), print("Match paused\n")].concat(),
        [time(5.0), vec![30]].concat(),
        time(6.0),
        [time(7.0), vec![24, 1]].concat(),
        [time(8.0), vec![24, 0]].concat(),
        time(9.0),
    ];
    let all = told(&blocks);
    let phases = all.iter().filter_map(|event| match event.kind {
        EventKind::Match(phase) => Some((phase.name(), event.clock.demo.ms() / 1000)),
        _ => None,
    });
    let expected =
        [("start", 1), ("pause", 3), ("resume", 5), ("end", 5), ("intermission", 5), ("pause", 7), ("resume", 8)];
    assert_eq!(phases.collect::<Vec<_>>(), expected);
    assert_eq!(drawn(&blocks.iter().map(|b| &b[..]).collect::<Vec<_>>()), [[3, 5], [7, 8]]);
}

/// A match that begins is played, whatever stood still in front of it: a server that stands still does not run the game. All
/// say when it went on.
#[test]
fn no_match_begins_while_it_stands_still() {
    let blocks = [
        begin(1, &["ranger", "James"]),
        [time(5.0), vec![24, 1]].concat(),
        [time(10.0), print("The match has begun!\n")].concat(),
        [time(20.0), print("The match is over\n")].concat(),
    ];
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let mut played = Vec::new();
    stats(&common::demo("-1\n", &blocks)[..], "x.dem", Limits::default(), &mut |period| {
        if period.kind == PeriodKind::Match {
            played.extend(period.players.iter().map(|player| player.counted.get(Measure::TimeMs)));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(played, [Some(10_000); 2]);
    assert_eq!(drawn(&blocks), [[0, 5]]);
    let all = told(&blocks.iter().map(|block| block.to_vec()).collect::<Vec<_>>());
    let phases = all.iter().filter_map(|event| match event.kind {
        EventKind::Match(phase) => Some((phase.name(), event.clock.demo.ms() / 1000)),
        _ => None,
    });
    assert_eq!(phases.collect::<Vec<_>>(), [("pause", 0), ("resume", 5), ("start", 5), ("end", 15)]);
}

/// Clan Ring's CRMod: version 7 says that a match begins, version 6 only how many minutes it has, behind a countdown
/// (`match_begin`, `match_timer_think1` and `match_end` of match.qc). The end of the level ends it, too.
#[test]
fn matches_of_crmod() {
    let lines =
        |at: f32, all: &[&str]| [&time(at)[..], &all.iter().flat_map(|text| print(text)).collect::<Vec<_>>()].concat();
    let death = ["James", " rides ", "ranger", "'s rocket\n"];
    let blocks = [
        begin(1, &["ranger", "James"]),
        lines(1.5, &["5", " minutes remaining\n", "\u{1}ranger: The match has begun!\n"]),
        lines(2.0, &death),
        [lines(3.0, &["The match has begun!\n", "20", " minutes remaining\n"]), vec![14, 0, 0, 0]].concat(),
        [lines(4.0, &death), vec![14, 0, 1, 0]].concat(),
        lines(5.0, &["Match tied - Sudden Death Overtime!!\n"]),
        lines(6.0, &["The ", "Red team", " has won\n", "The match is over\n"]),
        lines(7.0, &["Match begins in T minus\n", "  ", "9", " second", "s\n"]),
        lines(8.0, &["Match is 1v1\n", "10", " minutes remaining\n"]),
        [time(9.0), vec![30]].concat(),
    ];
    let all = told(&blocks);
    let phases: Vec<_> = all
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Match(phase) => Some(phase.name()),
            _ => None,
        })
        .collect();
    assert_eq!(phases, ["start", "overtime", "end", "countdown", "start", "end", "intermission"]);
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let mut kills = Vec::new();
    stats(&common::demo("-1\n", &blocks)[..], "x.dem", Limits::default(), &mut |period| {
        if period.kind == PeriodKind::Match {
            kills.push(period.players.iter().filter_map(|player| player.counted.get(Measure::Kills)).sum::<i64>());
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(kills, [1, 0]);
}
