//! Scores: what the game tells of both sides, in all that tells scores.

use super::made_matches::{BLUE, FREE, LAVA, Made, RED, ROCKET, WATCHES, WORLD};
use crate::common::need;
use qdemo::Limits;
use qdemo::analysis::stats::{Measure, PeriodKind, stats};
use qdemo::draw::{Choice, Subject, draw};
use qdemo::edit::cut;
use qdemo::event::EventKind;
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::{ScoreTime, SpanKind, timeline};
use qdemo::replay::{self, Position, Range, events};
use qdemo::report;
use qdemo::view::{self, Replay};
use qdemo::world::{DemoTime, Scene};

fn replay(made: &Made) -> Replay {
    view::read(&made.demo()[..], &made.name(), Limits::default(), Range::ALL).unwrap().0
}

fn last(replay: &Replay, slot: Option<u32>, name: &str) -> Option<i64> {
    replay.values_of(slot, name)?.keys.iter().rev().find_map(|(_, value)| *value)
}

/// Scores of players by the statistics, the list of players and a replay: they are one.
fn scores(made: &Made) -> Vec<(String, Option<i64>)> {
    let (period, replay) = (made.stats(), replay(made));
    let players = timeline(&made.demo()[..], &made.name(), Limits::default()).unwrap().players;
    let mut all = Vec::new();
    for presence in players.iter().filter(|presence| presence.team.as_deref() != Some(b"spectator")) {
        let score = presence.frags.map(i64::from);
        let player = period.players.iter().find(|player| player.who.name == presence.name);
        assert_eq!(player.and_then(|player| player.counted.get(Measure::Score)), score, "{}", presence.name);
        assert_eq!(last(&replay, Some(presence.slot as u32), "frags"), score, "{}", presence.name);
        all.push((presence.name.clone(), score));
    }
    all
}

fn named<const N: usize>(all: [(&str, i64); N]) -> Vec<(String, Option<i64>)> {
    all.map(|(name, score)| (name.to_owned(), Some(score))).to_vec()
}

/// Of a duel the configstrings have both scores, and the state of the one who is seen says which is whose: the scoreboard of
/// minutes before does not, nor does what is seen of one who watches.
#[test]
fn both_scores_of_a_duel() {
    let mut made = Made::new(68, "baseq3", 1, &[(0, "ace", FREE), (1, "bob", FREE), (2, "eve", WATCHES)]);
    made.configstring(6, "0").configstring(7, "0").start();
    let row = |client, score| format!(" {client} {score} 50 4 0 0 30 1 0 0 0 0 0 0");
    made.own = (1, 0, false);
    made.configstring(6, "1").command(format!("scores 3 0 0{}{}{}", row(0, 1), row(1, 0), row(2, 7))).frame();
    made.own = (3, 0, false);
    made.configstring(6, "5").configstring(7, "3").frame().frame().frame();
    made.own = (4, 2, false);
    made.end().frame();
    assert_eq!(scores(&made), named([("ace", 3), ("bob", 5)]));
    let period = made.stats();
    let places: Vec<_> = period.places.iter().map(|place| (place.name.as_str(), place.score)).collect();
    assert_eq!((places, period.winner.as_deref()), (vec![("bob", 5), ("ace", 3)], Some("bob")));
    // Nobody has the score of one who watches.
    let of_eve = |kind: &EventKind| matches!(kind, EventKind::Score { player, .. } if player.name == "eve");
    let mut told = 0;
    events(&made.demo()[..], &made.name(), Limits::default(), &mut |event| {
        told += usize::from(of_eve(&event.kind));
        Ok(())
    })
    .unwrap();
    assert_eq!(told, 0);
}

/// What is told of scores: whose, from which and to which.
fn changes(made: &Made) -> Vec<(String, i32, i32)> {
    let mut all = Vec::new();
    events(&made.demo()[..], &made.name(), Limits::default(), &mut |event| {
        if let EventKind::Score { player, from, to } = &event.kind {
            all.push((player.name.clone(), *from, *to));
        }
        Ok(())
    })
    .unwrap();
    all
}

/// Who watches has the state of the other as it was when the turn of the one who watches came: somebody with a higher slot
/// may die in lava behind it. The configstrings and the scoreboard of that frame have the score of then.
#[test]
fn a_death_behind_the_copy_of_a_state() {
    let mut made = Made::new(71, "baseq3", 1, &[(0, "eve", WATCHES), (1, "ace", FREE), (2, "bob", FREE)]);
    made.own = (0, 1, true);
    made.configstring(6, "0").configstring(7, "0").start();
    let board = |ace, bob| table(&[(1, ace), (2, bob)]);
    made.configstring(7, "-1").command(board(-1, 0)).deaths(&[(1, WORLD, LAVA)]);
    made.own = (-1, 1, true);
    made.frame().frame();
    // Once both scores differ no state names the wrong player, but it is late all the same.
    made.configstring(7, "-2").command(board(-2, 0)).deaths(&[(1, WORLD, LAVA)]);
    made.own = (-2, 1, true);
    made.frame().end().frame();
    assert_eq!(changes(&made), [("ace".to_owned(), 0, -1), ("ace".to_owned(), -1, -2)]);
    assert_eq!(scores(&made), named([("ace", -2), ("bob", 0)]));
}

/// Where a level begins anew states say so in front of the configstrings: those have the scores of the match before.
#[test]
fn a_new_match_has_no_scores_of_the_last() {
    let mut made = Made::new(68, "baseq3", 1, &[(0, "ace", FREE), (1, "bob", FREE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    made.own = (2, 0, false);
    made.configstring(6, "2").frame().frame().frame().end().frame();
    made.own = (0, 0, false);
    made.start().configstring(6, "0").frame();
    let all = changes(&made);
    assert_eq!(all, [("ace".to_owned(), 0, 2), ("ace".to_owned(), 2, 0)]);
}

/// A player who is told of only after the first points of the next match had 0 in between, not what the last match left.
#[test]
fn points_of_a_new_match_are_counted_from_0() {
    let mut made =
        Made::new(68, "baseq3", 0, &[(0, "ace", FREE), (1, "bob", FREE), (2, "cat", FREE), (3, "dan", FREE)]);
    made.start();
    made.own = (2, 0, false);
    made.command(table(&[(0, 2), (1, 8), (2, 3), (3, 0)])).frame().frame().frame().end().frame();
    made.own = (0, 0, false);
    made.start().command(table(&[(0, 0), (1, 1), (2, 0), (3, 4)])).frame();
    made.command(table(&[(0, 0), (1, 2), (2, 5), (3, 4)])).frame();
    let all = changes(&made);
    let right = [
        ("ace", 0, 2),
        ("ace", 2, 0),
        ("bob", 8, 0),
        ("bob", 0, 1),
        ("cat", 3, 0),
        ("dan", 0, 4),
        ("bob", 1, 2),
        ("cat", 0, 5),
    ];
    assert_eq!(all, right.map(|(name, from, to)| (name.to_owned(), from, to)));
}

/// What `players` tells of scores, and of when they are.
fn presences(made: &Made) -> Vec<(String, Option<i32>, Option<&'static str>)> {
    let all = timeline(&made.demo()[..], &made.name(), Limits::default()).unwrap().players;
    all.into_iter().map(|it| (it.name, it.frags, it.frags_at.map(ScoreTime::name))).collect()
}

fn table(rows: &[(usize, i32)]) -> String {
    let row = |(client, score): &(usize, i32)| format!(" {client} {score} 50 4 0 0 30 1 0 0 0 0 0 0");
    format!("scores {} 0 0{}", rows.len(), rows.iter().map(row).collect::<String>())
}

/// Where somebody scores in the next level, scores are those of that level from then on: of all, though one is seen.
#[test]
fn a_level_in_which_somebody_scores_has_its_own_scores() {
    let mut made = Made::new(68, "baseq3", 0, &[(0, "ace", FREE), (1, "bob", FREE)]);
    made.own = (3, 0, false);
    made.command(table(&[(0, 3), (1, 5)])).frame().frame();
    made.own = (0, 0, false);
    made.level().frame().command(table(&[(0, 0), (1, 0)])).frame().frame();
    let before = |name: &str, score| (name.to_owned(), Some(score), Some("level_end"));
    assert_eq!(presences(&made), [before("ace", 3), before("bob", 5)]);
    made.configstring(546, r"n\cat\t\0").frame().frame();
    made.own = (1, 2, true);
    made.frame().frame().frame();
    let last = |name: &str, score| (name.to_owned(), Some(score), Some("last"));
    assert_eq!(presences(&made), [last("ace", 0), last("bob", 0), last("cat", 1)]);
}

/// Whoever comes to play behind a match has no score of it, whether it is one who was in it or not; whoever takes another
/// name has it. So `stats` has it, too.
#[test]
fn who_comes_behind_a_match_has_no_score_of_it() {
    let of_match = |name: &str, score| (name.to_owned(), Some(score), Some("match_end"));
    let [ace, bob, cat] = [of_match("ace", 2), of_match("bob", 9), of_match("cat", 1)];
    let eve = ("eve".to_owned(), None, None);
    for (changes, told, expected) in [
        (&["", r"n\bob\t\0"][..], 3, vec![&ace, &bob, &cat]),
        (&["", r"n\bob\t\0"], 0, vec![&ace, &bob, &cat]),
        (&[r"n\bob\t\3", r"n\bob\t\0"], 3, vec![&ace, &bob, &cat]),
        (&["", r"n\eve\t\0"], 3, vec![&ace, &bob, &eve, &cat]),
        (&[r"n\rob\t\0"], 10, vec![&ace, &bob, &of_match("rob", 10), &cat]),
    ] {
        // At once nobody is seen to leave who does not leave the server.
        let leaves = changes[0].is_empty();
        for at_once in [false, true].into_iter().filter(|at_once| leaves || !at_once) {
            let mut made = Made::new(68, "baseq3", 0, &[(0, "ace", FREE), (1, "bob", FREE), (2, "cat", FREE)]);
            made.start();
            made.own = (2, 0, false);
            made.command(table(&[(1, 9), (0, 2), (2, 1)]));
            for _ in 0..10 {
                made.frame();
            }
            made.end().frame();
            for change in changes {
                made.configstring(545, change);
                if !at_once {
                    made.frame().frame();
                }
            }
            made.frame().command(table(&[(1, told), (0, 2), (2, 1)])).frame().frame();
            assert_eq!(presences(&made).iter().collect::<Vec<_>>(), expected, "{changes:?} {told} {at_once}");
            let places = made.stats().places;
            let is_renamed = changes.len() == 1;
            assert_eq!(places.first().map(|place| place.score), Some(if is_renamed { 10 } else { 9 }), "{changes:?}");
        }
    }
}

/// Players have points for what they do, and a team for the flags that it captures.
#[test]
fn the_score_of_a_team_is_what_the_game_counts() {
    let mut made = Made::new(90, "baseqz", 5, &[(0, "ace", RED), (1, "bob", BLUE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    made.own = (34, 0, false);
    made.configstring(6, "8").configstring(7, "1").frame().frame().frame().end().frame();
    let period = made.stats();
    let teams: Vec<_> = period.teams.iter().map(|team| (&*team.name, team.counted.get(Measure::Score))).collect();
    assert_eq!(teams, [("red", Some(8)), ("blue", Some(1))]);
    let replay = replay(&made);
    assert_eq!(["score_red", "score_blue"].map(|name| last(&replay, None, name)), [Some(8), Some(1)]);
    let svg = draw(&replay, &Choice::new(Subject::Scores)).unwrap().svg;
    assert!(svg.contains(">8<") && svg.contains(">1<") && !svg.contains(">34<"), "{svg}");
}

/// The flag that ends a match is told of when the match is over: a part that ends with the match has it, an earlier end has not.
#[test]
fn a_part_ends_with_the_scores_of_its_match() {
    let mut made = Made::new(90, "baseqz", 5, &[(0, "ace", RED), (1, "bob", BLUE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    made.configstring(6, "7").configstring(7, "1").frame().frame().frame().end().frame();
    made.configstring(6, "8").frame();
    let whole = replay(&made);
    let end = whole.about.matches[0].to_ms;
    let before = whole.rows[whole.row_at(end).unwrap() as usize - 1];
    for (to, score) in [(end, 8), (before, 7)] {
        let range = Range { from: Position::Start, to: Position::Demo(DemoTime::from_ms(to)) };
        let (part, _) = view::read(&made.demo()[..], &made.name(), Limits::default(), range).unwrap();
        assert_eq!(last(&part, None, "score_red"), Some(score), "up to {to}");
        assert_eq!(last(&part, None, "score_blue"), Some(1));
    }
}

/// The legend of the first chart of scores in a report: names and scores.
fn at_the_end(made: &Made) -> Vec<String> {
    let (report, _) = report::read(&made.demo()[..], &made.name(), Limits::default()).unwrap();
    let page = report.to_html();
    let legend = page.split_once("Score at the end").unwrap().1.split_once("</svg>").unwrap().0;
    let texts = legend.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text.to_owned());
    texts.skip(1).filter(|text| !text.trim().is_empty()).collect()
}

/// The scores that are told when a match is over are those of who is there then.
#[test]
fn a_report_ends_with_the_scores_of_those_who_stayed() {
    let row = |client, score| format!(" {client} {score} 50 4 0 0 30 1 0 0 0 0 0 0");
    let table = |rows: [String; 3]| format!("scores 3 0 0{}", rows.concat());
    // Another one takes the slot of who leaves.
    let mut made = Made::new(68, "baseq3", 0, &[(0, "ace", FREE), (1, "bob", FREE), (2, "cid", FREE)]);
    made.start().command(table([row(0, 1), row(1, 6), row(2, 2)])).frame().frame();
    made.configstring(545, "").frame().frame().configstring(545, r"n\dan\t\0").frame().frame();
    made.own = (1, 0, false);
    made.command(table([row(0, 1), row(1, 17), row(2, 2)])).frame().frame().end();
    made.command(table([row(0, 1), row(1, 18), row(2, 2)])).frame();
    assert_eq!(at_the_end(&made), ["dan", "18", "bob", "6", "cid", "2", "ace", "1"]);
    // Two have a name.
    let mut made = Made::new(68, "baseq3", 0, &[(0, "ace", FREE), (1, "bob", FREE), (2, "bob", FREE)]);
    made.start().command(table([row(0, 1), row(1, 17), row(2, 9)])).frame().frame();
    made.own = (1, 0, false);
    made.frame().end().command(table([row(0, 1), row(1, 18), row(2, 10)])).frame();
    assert_eq!(at_the_end(&made), ["bob", "18", "bob", "10", "ace", "1"]);
}

/// Who gives a match up loses the score with the state, whether he stays away or comes back: it is what it was.
#[test]
fn who_gives_up_keeps_the_score() {
    let mut made = Made::new(68, "cpma", 1, &[(0, "ace", FREE), (1, "bob", FREE)]);
    made.start().deaths(&[(1, 0, ROCKET)]);
    made.own = (2, 0, false);
    made.configstring(710, r"sb\2\sr\1").frame().frame().frame();
    made.joins(0, WATCHES).configstring(710, r"sb\1\sr\-9999").joins(0, FREE);
    made.own = (0, 0, false);
    made.frame().configstring(710, r"sb\1\sr\0").end().frame();
    assert_eq!(scores(&made), named([("ace", 2), ("bob", 1)]));

    let mut made = Made::new(90, "baseqz", 1, &[(0, "ace", FREE), (1, "bob", FREE)]);
    made.configstring(6, "0").configstring(7, "0").start();
    made.own = (4, 0, false);
    made.configstring(6, "4").configstring(7, "1").frame().frame().frame();
    made.configstring(6, "1").configstring(7, "-999").joins(0, WATCHES);
    made.own = (-999, 0, false);
    made.frame().end().frame();
    let period = made.stats();
    let players = timeline(&made.demo()[..], &made.name(), Limits::default()).unwrap().players;
    let ace = |name: &str| name == "ace";
    let player = period.players.iter().find(|player| ace(&player.who.name)).unwrap();
    assert_eq!(player.counted.get(Measure::Score), Some(4));
    assert_eq!(players.iter().find(|player| ace(&player.name)).unwrap().frags, Some(4));
    assert_eq!(last(&replay(&made), Some(0), "frags"), Some(4));
}

/// Red's score and blue's at the beginning of a recording.
fn first_scores(demo: &[u8], name: &str) -> [Option<i64>; 2] {
    let replay = view::read(demo, name, Limits::default(), Range::ALL).unwrap().0;
    ["score_red", "score_blue"].map(|name| replay.values_of(None, name).and_then(|of| of.keys.first()?.1))
}

/// A recording from a moment on.
fn clip(made: &Made, from: i32) -> Vec<u8> {
    let range = Range { from: Position::Clock(None, from.into()), to: Position::End };
    cut(&made.demo()[..], &made.name(), Limits::default(), range, Vec::new()).unwrap().0
}

/// CPMA has the scores twice, and what was told last counts: the configstrings with which a recording begins show which it was.
/// The pairs are those of recordings at hand.
#[test]
fn scores_of_cpma_that_were_told_last() {
    let game = |rest: &str| format!(r"\tw\0\ts\0{rest}");
    for (kind, game, alone, right) in [
        // In a game of teams the first are those of the beginning, or of a time-out.
        (9, game(r"\sr\0\sb\0"), r"sb\1\sr\9", [9, 1]),
        (9, game(r"\sr\13\sb\1"), r"sb\1\sr\12", [12, 1]),
        // In a match of rounds they are those with which the last one ended, until somebody dies.
        (7, game(r"\sr\36\sb\33\pb\5\pr\5"), r"sb\33\sr\33\pb\1\pr\1\tw\0", [36, 33]),
        (7, game(r"\sr\30\sb\30\pb\5\pr\5"), r"sb\33\sr\30\pb\2\pr\0\tw\0", [30, 33]),
        // A match that begins.
        (7, game(r"\sr\0\sb\0\pb\3\pr\3"), r"sb\12\sr\15\pb\3\pr\3\tw\448805", [0, 0]),
        // One that is over.
        (9, r"\tw\-1\ts\0\sr\15\sb\12".to_owned(), r"sb\12\sr\14", [15, 12]),
    ] {
        let mut made = Made::new(68, "cpma", kind, &[(0, "ace", RED), (1, "bob", BLUE)]);
        made.begin_with(&[(672, &game), (710, alone)]).frame().frame().frame();
        assert_eq!(first_scores(&made.demo(), &made.name()), right.map(Some), "{game} {alone}");
        // So have its statistics, where nobody scores within it.
        for period in made.matches() {
            let score = |side: &str| period.teams.iter().find(|team| team.name == side)?.counted.get(Measure::Score);
            assert_eq!((["red", "blue"].map(score), period.begun), (right.map(Some), false), "{game} {alone}");
        }
    }
}

/// Where they do not, a clip tells it: for a moment those of the last match stand beside a new one.
#[test]
fn a_clip_has_the_scores_of_its_beginning() {
    let mut made = Made::new(68, "cpma", 3, &[(0, "ace", RED), (1, "bob", BLUE)]);
    made.configstring(710, r"sb\7\sr\15").start();
    let begin = made.time;
    made.configstring(710, r"sb\0\sr\0").frame().configstring(710, r"sb\1\sr\9").frame().frame();
    let within = made.time;
    made.frame().configstring(672, r"\tw\-1\ts\0\sr\12\sb\1").frame().frame();
    let behind = made.time;
    made.frame().configstring(710, r"sb\0\sr\2").frame().frame();
    let alone = made.time;
    made.frame().frame();
    for (at, right) in [(begin, [0, 0]), (within, [9, 1]), (behind, [12, 1]), (alone, [2, 0])] {
        assert_eq!(first_scores(&clip(&made, at), &made.name()), right.map(Some), "{at}");
    }
}

/// And what was told of each player: CPMA's statistics are about one at a time.
#[test]
fn a_clip_has_what_was_told_of_each_player() {
    let mut made =
        Made::new(68, "cpma", 3, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE), (3, "cat", BLUE)]);
    made.start().command(statistics(1, 4)).command(statistics(2, 7)).command(statistics(3, 9)).frame();
    // Whoever comes into a slot is not told of by what was told of the one before.
    made.command(statistics(1, 5)).configstring(544 + 3, "").frame().joins(3, RED).frame();
    let clip = clip(&made, made.time);
    let told = |bytes: &[u8]| {
        let world = replay::at(bytes, &made.name(), Limits::default(), None).unwrap().0;
        [1, 2, 3].map(|slot| world.score_line(slot).and_then(|line| line.frags))
    };
    assert_eq!((told(&made.demo()), told(&clip)), ([Some(5), Some(7), None], [Some(5), Some(7), None]));
}

/// A scoreboard from before a player came tells nothing of that one, whose slot another had.
#[test]
fn a_clip_has_no_scores_of_who_was_there_before() {
    let mut made = Made::new(68, "baseq3", 3, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)]);
    let board =
        "scores 3 4 7 1 4 50 4 0 0 30 1 0 0 0 0 0 0 2 7 50 4 0 0 30 1 0 0 0 0 0 0 0 0 50 4 0 0 30 1 0 0 0 0 0 0";
    made.start().command(board).command("tinfo 2 1 3 125 50 5 2 2 4 100 0 2 0").frame();
    made.configstring(544 + 2, "").frame().joins(2, BLUE).frame();
    let name = made.name();
    let told = |bytes: &[u8]| {
        let world = replay::at(bytes, &name, Limits::default(), None).unwrap().0;
        let replay::World::Dm3(world) = world else { panic!() };
        (
            [1, 2].map(|slot| world.score(slot).map(|score| score.score)),
            [1, 2].map(|slot| world.team_info(slot).is_some()),
        )
    };
    let right = ([Some(4), None], [true, false]);
    assert_eq!((told(&made.demo()), told(&clip(&made, made.time))), (right, right));
    // So it is where a second one goes, and where nobody is left.
    for (slot, left) in [(1, [None; 2]), (0, [None; 2])] {
        made.configstring(544 + slot, "").frame();
        let right = (left, [false; 2]);
        assert_eq!((told(&made.demo()), told(&clip(&made, made.time))), (right, right));
    }
}

/// The statistics of one player by CPMA, of whom nothing is told but the score.
fn statistics(client: i64, score: i64) -> String {
    format!("mstats {client} 0 0 0 0 0 0 0 0 0 0 2 abaaaaaaaaaa {score} 0 0 0 0 0 0 0 0 0 0 0 0 0")
}

/// Scores by the last list of players.
fn listed<const N: usize>(bytes: &[u8], name: &str, slots: [usize; N]) -> [Option<i32>; N] {
    let replay::World::Dm3(world) = replay::at(bytes, name, Limits::default(), None).unwrap().0 else { panic!() };
    slots.map(|slot| world.score(slot).map(|score| score.score))
}

/// Name, score and kind of command that the game told of a player.
type Reported = (String, Option<i64>, &'static str);

/// What it told of each player, by periods.
fn reported(bytes: &[u8], name: &str) -> Vec<(PeriodKind, Vec<Reported>)> {
    let mut all = Vec::new();
    stats(bytes, name, Limits::default(), &mut |period| {
        let told = period.players.iter().filter_map(|player| {
            let (source, _) = player.reported_by.first()?;
            Some((player.who.name.clone(), player.reported.get(Measure::Score), *source))
        });
        all.push((period.kind, told.collect()));
        Ok(())
    })
    .unwrap();
    all
}

/// CPMA begins another match in the same level without a restart: a clip of it has nothing of the one before.
#[test]
fn a_clip_has_no_scores_of_the_match_before() {
    let mut made = Made::new(68, "cpma", 3, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)]);
    let list = "xscores 2 1 4 0 5 0 0 0 2 7 0 5 0 0 0";
    made.start().command(list).command(statistics(1, 4)).command(statistics(2, 7)).frame();
    let first = made.time;
    made.frame().configstring(672, r"\tw\-1\ts\100\sr\4\sb\7").frame();
    // Those of the last match are told when asked for, until the next one begins.
    made.command(statistics(1, 5)).frame();
    let between = made.time;
    made.frame().configstring(672, r"\tw\99000\ts\100\sr\4\sb\7").frame();
    let countdown = made.time;
    made.frame().configstring(672, r"\tw\0\ts\15000\sr\0\sb\0").frame();
    let second = made.time;
    made.frame().frame().frame().command(statistics(2, 1)).frame();
    let later = made.time;
    made.frame();
    let whole = made.demo();
    let told = |from: i32, to: i32| {
        let range = Range { from: Position::Clock(None, from.into()), to: Position::Clock(None, to.into()) };
        let clip = cut(&whole[..], &made.name(), Limits::default(), range, Vec::new()).unwrap().0;
        listed(&clip, &made.name(), [1, 2])
    };
    for (from, to, right) in [
        (first, first + 500, [Some(4), Some(7)]),
        (between, between + 500, [Some(5), Some(7)]),
        (countdown, countdown + 500, [Some(5), Some(7)]),
        (between, second, [None; 2]),
        (countdown, second, [None; 2]),
        (second, second + 500, [None; 2]),
        (second, later, [None, Some(1)]),
        (later, later + 500, [None, Some(1)]),
    ] {
        assert_eq!(told(from, to), right, "{from} to {to}");
    }
    let bob = vec![("bob".to_owned(), Some(1), "mstats")];
    let of_match = |(kind, told): &(PeriodKind, Vec<Reported>)| (*kind == PeriodKind::Match).then(|| told.clone());
    for clip in [clip(&made, countdown), clip(&made, second), clip(&made, later)] {
        let periods = reported(&clip, &made.name());
        assert_eq!(periods.iter().find_map(of_match).as_ref(), Some(&bob), "{periods:?}");
    }
    assert_eq!(reported(&whole, &made.name()).iter().filter_map(of_match).nth(1), Some(bob));
}

/// A list that was told in the countdown to a match, in which nobody has a score, is that of the match.
#[test]
fn a_clip_has_the_list_of_the_countdown() {
    let mut made = Made::new(68, "cpma", 3, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)]);
    made.start().command(statistics(1, 4)).frame();
    made.configstring(672, r"\tw\-1\ts\100\sr\4\sb\0").frame();
    made.configstring(672, r"\tw\99000\ts\100\sr\4\sb\0").frame();
    made.command("xscores 2 1 0 0 5 0 0 0 2 0 0 5 0 0 0").frame();
    let countdown = made.time;
    made.frame().configstring(672, r"\tw\0\ts\15000\sr\0\sb\0").frame();
    let second = made.time;
    made.frame();
    for bytes in [made.demo(), clip(&made, countdown), clip(&made, second)] {
        assert_eq!(listed(&bytes, &made.name(), [1, 2]), [Some(0); 2]);
    }
}

/// Who is in a list that stays has 0 when the match begins, whatever was told since, and nobody else has a score.
#[test]
fn a_match_begins_with_the_scores_that_its_clip_has() {
    let list = |scores: [i32; 2]| format!("xscores 2 1 {} 0 5 0 0 0 2 {} 0 5 0 0 0", scores[0], scores[1]);
    let (team, leaves) = ("tinfo 1 2 0 125 50 5 2".to_owned(), "cs 546 \"\"".to_owned());
    for (commands, right) in [
        (vec![list([0; 2]), statistics(2, 7)], [Some(0); 2]),
        (vec![list([0; 2]), statistics(2, 7), leaves], [Some(0), None]),
        (vec![list([0, 1]), statistics(2, 0)], [None; 2]),
        (vec![list([0; 2]), list([0, 1])], [None; 2]),
        // Those of both teams are scores, too.
        (vec!["scores 1 3 0 1 0 50 4 0 0".to_owned()], [None; 2]),
        // What a team is told has none.
        (vec![team, statistics(2, 0)], [None; 2]),
    ] {
        let mut made = Made::new(68, "cpma", 3, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)]);
        made.start();
        for command in &commands {
            made.command(command);
        }
        made.frame().configstring(672, r"\tw\-1\ts\100\sr\4\sb\0").frame();
        made.configstring(672, r"\tw\99000\ts\100\sr\4\sb\0").frame();
        let countdown = made.time;
        made.frame().configstring(672, r"\tw\0\ts\15000\sr\0\sb\0").frame();
        let second = made.time;
        made.frame();
        for bytes in [made.demo(), clip(&made, countdown), clip(&made, second)] {
            assert_eq!(listed(&bytes, &made.name(), [1, 2]), right, "{commands:?}");
        }
    }
}

/// A round is counted down as a match is, and begins none, even where nobody has won one yet: what was told of the match stands.
#[test]
fn a_clip_of_a_later_round_has_what_was_told_before() {
    for red in [0, 1] {
        let mut made = Made::new(68, "cpma", 5, &[(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)]);
        made.start().command(statistics(1, 4)).frame();
        made.configstring(710, &format!(r"\sb\0\sr\{red}\pb\0\pr\3\tw\0")).frame();
        made.configstring(672, &format!(r"\tw\99000\ts\100\sr\{red}\sb\0")).frame();
        let countdown = made.time;
        made.frame().configstring(672, &format!(r"\tw\0\ts\14000\sr\{red}\sb\0")).frame();
        let round = made.time;
        made.frame();
        for bytes in [made.demo(), clip(&made, countdown), clip(&made, round)] {
            assert_eq!(listed(&bytes, &made.name(), [1, 2]), [Some(4), None]);
        }
        // Another match begins without scores.
        made.configstring(672, r"\tw\-1\ts\14000\sr\1\sb\0").frame();
        made.configstring(672, r"\tw\0\ts\17000\sr\0\sb\0").frame();
        for bytes in [made.demo(), clip(&made, countdown), clip(&made, round)] {
            assert_eq!(listed(&bytes, &made.name(), [1, 2]), [None; 2]);
        }
    }
}

/// The clients of what CPMA tells at the end of a duel are no slots: a clip names winner and loser as the recording does,
/// whoever leaves.
#[test]
fn a_clip_has_the_end_of_a_duel() {
    let mut made = Made::new(68, "cpma", 1, &[(4, "^1ace", FREE), (2, "bob", FREE), (0, "eve", WATCHES)]);
    made.start().end().command("duelendscores \"^1ace\" \"bob\" 0");
    made.command(statistics(0, 9).replace("mstats", "xstats2a"))
        .command(statistics(1, 6).replace("mstats", "xstats2a"));
    made.frame();
    let watched = made.time;
    made.frame().configstring(544, "").frame();
    let left = made.time;
    made.frame();
    assert_eq!(listed(&made.demo(), &made.name(), [0, 1]), [None; 2]);
    let right = [("bob".to_owned(), Some(6), "xstats2a"), ("ace".to_owned(), Some(9), "xstats2a")];
    for bytes in [made.demo(), clip(&made, watched), clip(&made, left)] {
        let periods = reported(&bytes, &made.name());
        let mut told: Vec<_> = periods.into_iter().flat_map(|(_, told)| told).collect();
        told.sort_by_key(|(_, score, _)| *score);
        assert_eq!(told, right);
        assert_eq!(listed(&bytes, &made.name(), [0, 1]), [None; 2]);
    }
}

/// Slots that are emptied over and over, while long commands stand, take time in proportion to the length of the recording.
#[test]
fn players_leave_in_time() {
    for comes in [false, true] {
        let mut made = Made::new(68, "cpma", 3, &[(0, "eve", WATCHES), (1, "ace", RED)]);
        for client in 0..40 {
            made.command(statistics(client, 4) + &" 1".repeat(1100));
        }
        for _ in 0..10 {
            for _ in 0..1000 {
                if comes {
                    made.configstring(544 + 63, r"n\cat\t\1");
                }
                made.configstring(544 + 63, "");
            }
            made.frame();
        }
        let demo = made.demo();
        let begin = std::time::Instant::now();
        assert_eq!(listed(&demo, &made.name(), [1, 63]), [Some(4), None]);
        assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
    }
}

/// Matches that begin over and over, while long lists without a score stand, take time in proportion to the length of the
/// recording, and each has these lists without those who left.
#[test]
fn matches_begin_in_time() {
    let players = [(0, "eve", WATCHES), (1, "ace", RED), (2, "bob", BLUE)];
    let list = |name: &str, head: &str, rest: usize| {
        let rows: String = (0..60).map(|client| format!(" {client}{}", " 0".repeat(rest))).collect();
        format!("{name} 60{head}{rows}")
    };
    let mut made = Made::new(68, "cpma", 3, &players);
    made.start().command(list("xscores", "", 7)).command(list("scores", " 0 0", 13)).frame();
    let again = |made: &mut Made, times: usize| {
        for _ in 0..times {
            made.configstring(672, r"\tw\-1").configstring(672, r"\tw\0");
        }
        made.frame();
    };
    (0..200).for_each(|_| again(&mut made, 50));
    let demo = made.demo();
    let begin = std::time::Instant::now();
    assert_eq!(listed(&demo, &made.name(), [1, 2]), [Some(0); 2]);
    assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
    // What is told within one, and who leaves, counts.
    made.command(statistics(1, 4)).configstring(546, "").frame();
    assert_eq!(listed(&made.demo(), &made.name(), [1, 2]), [Some(4), None]);
    again(&mut made, 2);
    assert_eq!(listed(&made.demo(), &made.name(), [1, 2]), [Some(0), None]);
}

/// A level begins on its own clock, not on that of the level before, which the server shows while it loads: as `info` has it.
#[test]
fn a_level_has_a_clock_of_its_own() {
    let Some(dir) = need("corpus/q3") else { return };
    let name = "mightycow_uberdemotools__3_matches_2_gamestates.dm_68";
    let Ok(demo) = std::fs::read(dir.join(name)) else { return };
    let timeline = timeline(&demo[..], name, Limits::default()).unwrap();
    let levels = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. }));
    let begins: Vec<_> = levels.map(|level| level.from.ms()).collect();
    let Facts::Dm3(info) = info(&demo[..], name, Limits::default()).unwrap().facts else { panic!() };
    let told: Vec<_> = info.levels.iter().map(|level| level.first_time.map(i64::from)).collect();
    assert_eq!((begins.len(), &begins), (2, &told));
}
