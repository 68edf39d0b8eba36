//! What KTX tells of those who leave, of rounds won, of pauses and of matches that are stopped: in words of its own. Sources: its
//! server's console beside the recordings that it made (1.42), `ghost2scores`, `ghostClearScores` (g_utils.c),
//! `team_round_summary` (clan_arena.c), `vote_check_break` (vote.c), `AdminForceBreak` (admin.c).

use qdemo::analysis::stats::Ending;
use qdemo::draw::{Choice, Subject, draw};
use qdemo::edit::cut;
use qdemo::event::Phase;
use qdemo::game::quakeworld::info::Info;
use qdemo::replay::info::{Facts, info};
use qdemo::replay::{Position, Range};
use qdemo::view;
use qdemo::world::DemoTime;

use super::matches::{pauses, phases};
use super::*;

fn told(made: &Made) -> Box<Info> {
    match info(&made.bytes[..], "made.mvd", Limits::default()).unwrap().facts {
        Facts::QuakeWorld(facts) => facts,
        other => panic!("{other:?}"),
    }
}

const LEAVES: &[u8] = b"";
const GHOST: &[u8] = b"\\name\\\x83 b\\team\\blue\\topcolor\\4\\bottomcolor\\4";
const CLEARED: &[u8] = b"\\name\\";

/// A match of red against blue in which b leaves with -5.
fn one_leaves() -> Made {
    let mut made = Made::new(r"\deathmatch\3\teamplay\2", ["red", "blue", "blue"]);
    made.begin().all(&[frags(0, 1), frags(1, -5), frags(2, 7)].concat()).list(&[]).wait(1000);
    made.all(&[userinfo(3, 0, GHOST), frags(3, -5), frags(1, 0), userinfo(1, 11, LEAVES)].concat())
        .list(&[])
        .wait(2000);
    made
}

/// The teams of the match with their scores, and all names: as `stats`, `info` and `timeline` have them.
fn who_played(made: &Made) -> (Vec<(String, i64)>, [Vec<String>; 3]) {
    let period = made.period();
    let teams = period.teams.iter().map(|team| (team.name.clone(), team.counted.get(Measure::Score).unwrap()));
    let mut names = [
        period.players.iter().map(|player| player.who.name.clone()).collect::<Vec<_>>(),
        told(made).players.iter().map(|player| player.name()).collect(),
        presences(made).into_iter().map(|(_, name, ..)| name).collect(),
    ];
    names.iter_mut().for_each(|names| names.sort());
    (teams.collect(), names)
}

fn named(names: &[&str]) -> [Vec<String>; 3] {
    [(); 3].map(|()| names.iter().map(|name| (*name).to_owned()).collect())
}

/// The board lists a ghost, and the one whom it is of has left: the frags count once, `[blue]: 7 + (-5) = 2` as KTX prints it.
#[test]
fn a_ghost_is_nobody() {
    let mut made = one_leaves();
    made.end();
    let scores = [("blue".to_owned(), 2), ("red".to_owned(), 1)];
    assert_eq!(who_played(&made), (scores.to_vec(), named(&["a", "b", "c"])));
    let b = |p: &&qdemo::game::quakeworld::info::Player| p.name() == "b";
    assert_eq!(told(&made).players.iter().find(b).map(|p| (p.frags, p.left)), Some((Some(-5), true)));
    let mut joined = Vec::new();
    events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
        joined.extend(matches!(event.kind, EventKind::Join(_)).then_some(event.clock.demo));
        Ok(())
    })
    .unwrap();
    assert_eq!(joined, []);
}

/// KTX empties the slot of the ghost when the player is back, who has the frags again.
#[test]
fn a_ghost_goes_when_the_player_is_back() {
    let mut made = one_leaves();
    made.all(&userinfo(3, 0, CLEARED)).list(&[]).wait(500);
    made.all(&[frags(1, -5), userinfo(1, 20, br"\name\b\team\blue")].concat()).list(&[]).wait(1000);
    made.all(&frags(1, -4)).list(&[]).wait(1000).end();
    let scores = [("blue".to_owned(), 3), ("red".to_owned(), 1)];
    assert_eq!(who_played(&made), (scores.to_vec(), named(&["a", "b", "c"])));
}

/// A recording that begins behind that has the ghost alone: whose it is has left, with these frags.
#[test]
fn a_ghost_tells_who_left_before_the_recording_began() {
    let mut made = one_leaves();
    made.all(&stufftext("fullserverinfo \"\\deathmatch\\3\\teamplay\\2\\status\\9 min left\"\n"))
        .list(&[])
        .wait(1000)
        .end();
    let range = Range { from: Position::Demo(DemoTime::from_ms(4500)), to: Position::End };
    let (bytes, _) = cut(&made.bytes[..], "made.mvd", Limits::default(), range, Vec::new()).unwrap();
    let clip = Made { bytes };
    let (teams, [counted, known, there]) = who_played(&clip);
    assert_eq!(teams, [("blue".to_owned(), 2), ("red".to_owned(), 1)]);
    let [all, [here, ..]] = [named(&["a", "b", "c"]), named(&["a", "c"])];
    assert_eq!(([counted, known], there), ([all[0].clone(), all[1].clone()], here));
}

/// Whoever has a number is a player, whatever the name.
#[test]
fn a_name_may_begin_with_the_mark_of_a_ghost() {
    let mut made = Made::new(r"\deathmatch\3\teamplay\2", ["red", "blue", "blue"]);
    made.all(&userinfo(3, 14, b"\\name\\\x83 d\\team\\red")).begin();
    made.all(&[frags(0, 1), frags(1, 1), frags(2, 7), frags(3, 2)].concat()).list(&[]).wait(1000).end();
    let scores = [("blue".to_owned(), 8), ("red".to_owned(), 3)];
    let d = qdemo::wire::clean(b"\x83 d");
    assert_eq!(who_played(&made), (scores.to_vec(), named(&[&d, "a", "b", "c"])));
}

/// Clan Arena counts rounds, not what players have. `rounds` are those that red and blue have won in the end.
fn clan_arena(rounds: [&str; 2]) -> Made {
    let mut made = Made::new(r"\deathmatch\5\teamplay\4", ["red", "blue", "blue"]);
    made.begin().all(&[frags(0, 3), frags(1, 5), frags(2, 2)].concat()).list(&[]).wait(1000);
    for (winner, [red, blue]) in [("red", ["1    4 round winner", "0    5 "]), ("blue", rounds)] {
        made.print(2, &format!("\nTeam {winner} has won the round\n")).print(2, "team   wins need status\n");
        made.print(2, "------ ---- ---- ------------\n");
        // Parts of a line come one by one.
        made.print(2, "red ").print(2, "      ").print(2, &format!("{red}\n"));
        made.print(2, &format!("blue      {blue}\n")).print(2, "\n").wait(3000);
        made.tell(0, "round [2] starts in 5 seconds.\n").wait(1000).all(b"\x1aFIGHT!\0").wait(1000);
    }
    made
}

/// Charts and the page have the rounds as scores of teams, from the beginning of the match on.
#[test]
fn charts_of_clan_arena_show_rounds() {
    let made = clan_arena(["1    4 ", "1    4 round winner"]);
    let (replay, _) = view::read(&made.bytes[..], "made.mvd", Limits::default(), Range::ALL).unwrap();
    let told = |name: &str, ms: i64| {
        let of_world = replay.values.iter().filter(|values| values.slot.is_none());
        let mut named = of_world.filter(|values| replay.string(values.name) == name);
        named.next().unwrap().at(replay.row_at(ms).unwrap())
    };
    let at = |ms| ["score_red", "score_blue"].map(|name| told(name, ms));
    let last = *replay.rows.last().unwrap();
    assert_eq!([500, 3000, last].map(at), [[Some(0); 2], [Some(1), Some(0)], [Some(1); 2]]);
    let svg = draw(&replay, &Choice::new(Subject::Scores)).unwrap().svg;
    // Below the heading a name and a number of each.
    let texts = svg.split("Score at the end").nth(1).unwrap().split("<text").skip(1);
    let texts: Vec<_> =
        texts.filter_map(|text| text.split_once('>')?.1.split_once('<')).map(|(text, _)| text).collect();
    assert_eq!(texts.get(..4), Some(&["blue", "1", "red", "1"][..]), "{texts:?}");
}

/// KTX counts the last seconds: an end one second behind the last of these is that of the time. (Games of KTX 1.42: all that
/// were played for as long as the server was set to.)
#[test]
fn time_ends_a_match() {
    let count = |level: u8, after: u32| {
        let mut made = Made::new(r"\deathmatch\3\timelimit\1", DUEL);
        made.begin().wait(1000);
        made.all(&[&[8, level][..], b"\x90\x94\x91 seconds\n\0"].concat()).wait(1000);
        made.all(&[&[8, level][..], b"\x90\x93\x91 second\n\0"].concat()).wait(after).end();
        made.period().ending
    };
    assert_eq!(count(2, 1000), Some(Ending::TimeLimit));
    assert_eq!([count(2, 500), count(2, 2000)], [None; 2]);
}

/// KTX ends a match with the death that brings somebody as many frags as the limit (`T_Damage` in its `combat.c`), and does not
/// print why.
#[test]
fn frags_end_a_match() {
    let ends = |rules: &str, score: i16| {
        let mut made = Made::new(rules, DUEL);
        made.begin().print(1, "b rides a's rocket\n").all(&frags(0, score)).end();
        made.period().ending
    };
    const KTX: &str = r"\ktxver\1.42\deathmatch\3\timelimit\10";
    let limited = format!(r"{KTX}\fraglimit\4");
    assert_eq!([3, 4, 5].map(|score| ends(&limited, score)), [None, Some(Ending::FragLimit), Some(Ending::FragLimit)]);
    assert_eq!([ends(KTX, 4), ends(&format!(r"{KTX}\fraglimit\0"), 4)], [None; 2]);
    // What is set within the match counts, and not what is set behind it (a server of KTX 1.42, to which `fraglimit 8` was said
    // three seconds into a match).
    for (limit, ending) in [("4", Some(Ending::FragLimit)), ("5", None)] {
        let set = |limit: &str| [&[52][..], b"fraglimit\0", limit.as_bytes(), &[0]].concat();
        let mut made = Made::new(&format!(r"{KTX}\fraglimit\3"), DUEL);
        made.begin().all(&set("9")).wait(500).all(&set(limit)).wait(500);
        made.print(1, "b rides a's rocket\n").all(&frags(0, 4)).end().wait(500).all(&set("2")).wait(500);
        let period = made.period();
        assert_eq!((period.ending, period.rules.frag_limit), (ending, limit.parse().ok()));
    }
}

#[test]
fn clan_arena_is_won_by_rounds() {
    let places = |made: &Made| {
        let period = made.period();
        let places: Vec<_> = period.places.iter().map(|place| (place.name.clone(), place.score)).collect();
        let sums = period.teams.iter().map(|team| (team.name.clone(), team.counted.get(Measure::Score).unwrap()));
        assert_eq!(sums.collect::<Vec<_>>(), places);
        (places, period.winner, period.ending)
    };
    // The time is over: each has won one, and four more are needed.
    let mut made = clan_arena(["1    4 ", "1    4 round winner"]);
    made.end();
    let even = vec![("blue".to_owned(), 1), ("red".to_owned(), 1)];
    assert_eq!(places(&made), (even, None, None));
    let mut made = clan_arena(["1    1 ", "2    0 round winner"]);
    made.print(2, "Team blue has won the series!\n\n").end();
    let won = vec![("blue".to_owned(), 2), ("red".to_owned(), 1)];
    assert_eq!(places(&made), (won, Some("blue".to_owned()), Some(Ending::RoundLimit)));
    let rounds = &told(&made).levels[0].matches[0].rounds_won;
    assert_eq!(rounds.iter().map(|won| (&*won.team, won.rounds)).collect::<Vec<_>>(), [("red", 1), ("blue", 2)]);
}

const HALTS: &str = "a paused the game. He has 3 remaining request(s).\n";

/// Some servers write neither a message nor hidden ones of a pause: the clock stands still, and KTX prints texts. Where there are
/// hidden ones, too, it is one pause.
#[test]
fn pauses_are_printed() {
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin().print(2, HALTS).list(&[]).print(2, "a unpaused the game (will resume in 2 seconds)\n").list(&[]);
    made.print(2, "game unpaused\n").list(&[]).wait(2000).end();
    assert_eq!(pauses(&made.bytes), [(); 4].map(|()| vec![[1000, 1000]]));
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin();
    let hidden_pause = multiple(0, &[10, 0, 101]);
    made.bytes.extend(&hidden_pause);
    made.print(2, HALTS).wait(23);
    (0..20).for_each(|_| made.bytes.extend([hidden_pause.clone(), record(6, &[])].concat()));
    made.print(2, "game unpaused\n").wait(16).wait(2000).end();
    assert_eq!(pauses(&made.bytes), [(); 4].map(|()| vec![[1000, 1039]]));
    // A name with such words in it halts nothing.
    let mut made = Made::new(r"\deathmatch\1", DUEL);
    made.begin().print(1, "b rides x paused the game. He has 3's rocket\n").wait(500).end();
    assert_eq!(phases(&made), ["start", "end"]);
}

/// A match that is stopped has no end, and nobody won it.
#[test]
fn a_match_may_be_stopped() {
    for said in ["Match stopped by majority vote\n", "a forces a break!\n"] {
        let mut made = Made::new(r"\deathmatch\3", DUEL);
        made.begin().all(&[frags(0, 4), frags(1, 1)].concat()).list(&[]).wait(1000).print(2, said).end().wait(1000);
        assert_eq!(phases(&made), ["start", "given_up"]);
        let period = made.period();
        assert_eq!((period.begun, period.ended, period.ending), (true, false, Some(Ending::Stopped)), "{said}");
        assert_eq!((period.winner.as_deref(), period.places.len()), (None, 0), "{said}");
        assert_eq!(player(&period, "a").counted.get(Measure::Score), Some(4), "{said}");
        let game = &told(&made).levels[0].matches[0];
        assert_eq!((game.begun, game.ended, game.given_up), (true, false, true), "{said}");
    }
    // A name may end so.
    let mut made = Made::new(r"\deathmatch\3", DUEL);
    made.begin().print(1, "b was nailed by x forces a break\n").wait(1000).print(1, "b rides a's rocket\n").end();
    assert_eq!(phases(&made), ["start", "end"]);
    assert_eq!(made.period().ending, None);
}

/// A match that another level interrupts is not whole; where the same one is told again, as to whoever connects again, it has no
/// end that is known.
#[test]
fn another_level_interrupts_a_match() {
    // KTX says that the match is over as the server leaves the level, and shows no scores.
    for (count, ending, told_so, is_over) in
        [(8, Some(Ending::LevelChange), 1, false), (8, Some(Ending::LevelChange), 1, true), (7, None, 0, false)]
    {
        let mut made = Made::new(r"\deathmatch\3", DUEL);
        made.begin().all(&[frags(0, 4), frags(1, 1)].concat()).list(&[]).wait(1000);
        if is_over {
            made.end();
        }
        let mut level = Server { mvd1: 0x20, ..MULTIVIEW }.data();
        let at = level.windows(4).position(|four| four == [7, 0, 0, 0]).unwrap();
        level[at] = count;
        made.all(&level).wait(500);
        let period = made.period();
        assert_eq!((period.begun, period.ended, period.ending), (true, false, ending), "{count}");
        assert_eq!((period.winner.as_deref(), period.places.len()), (None, 0), "{count}");
        let mut given_up = 0;
        events(&made.bytes[..], "made.mvd", Limits::default(), &mut |event| {
            given_up += usize::from(event.kind == EventKind::Match(Phase::GivenUp));
            Ok(())
        })
        .unwrap();
        assert_eq!(given_up, told_so, "{count}");
        let game = &told(&made).levels[0].matches[0];
        assert_eq!((game.ended, game.given_up), (false, told_so == 1), "{count}");
        let spans = timeline(&made.bytes[..], "made.mvd", Limits::default()).unwrap().spans;
        let ended = spans.iter().any(|span| matches!(span.kind, SpanKind::Match { ended: true, .. }));
        assert!(!ended, "{count}");
    }
}

/// Its statistics have the names that players asked for: of two whom the server calls `unnamed` they are of nobody.
#[test]
fn statistics_have_names_that_the_server_changes() {
    let told = |name: &str, other: &str, text: &str| {
        let mut made = Made::new(r"\deathmatch\3", DUEL);
        made.all(&[userinfo(1, 11, format!(r"\name\{name}")), userinfo(2, 12, format!(r"\name\{other}"))].concat());
        made.begin().wait(1000).end().print(2, "\nPlayer statistics:\nFrags (rank) . efficiency\n");
        made.print(2, &format!("? {text}:\n  5 (3) 60.0%\n")).wait(500);
        let period = made.period();
        [name, other].map(|name| player(&period, name).reported.get(Measure::Score))
    };
    assert_eq!(told("b 2", "c", " b 2 "), [Some(5), None]);
    assert_eq!(told("unnamed", "c", "x#y"), [Some(5), None]);
    assert_eq!(told("(1)unnamed", "c", "&cf00red"), [Some(5), None]);
    assert_eq!(told("unnamed", "(1)unnamed", "x#y"), [None, None]);
    assert_eq!(told("unnamed", "c", "xy"), [None, None]);
}

/// Servers let two have one name, of whom the scores that KTX prints beside it tell (1.42: `Same:   -12 (-28) 0.0%` and
/// `Same:   -7 (-22) 0.0%`). Where these are the same the numbers are of nobody;
/// who has a number in front of the name is called so, too, if two have the name.
#[test]
fn statistics_of_two_of_one_name() {
    let told = |scores: [i16; 2]| {
        let mut made = Made::new(r"\deathmatch\3", DUEL);
        let names = [r"\name\Same", r"\name\Same", r"\name\(1)Same"];
        (0..).zip(names).for_each(|(slot, name)| {
            made.all(&userinfo(slot, slot + 10, name));
        });
        made.list(&[]).begin().all(&[frags(0, scores[0]), frags(1, scores[1]), frags(2, -12)].concat());
        made.list(&[]).wait(1000).end();
        made.print(2, "\nPlayer statistics:\nFrags (rank) . efficiency\n");
        for (score, given) in [(-7, 1682), (-12, 2577)] {
            made.print(2, &format!("? Same:\n  {score} (-28) 0.0%\n"));
            made.print(2, &format!("  Damage: Tkn:2650 Gvn:{given} Tm:0\n"));
        }
        made.wait(500);
        let period = made.period();
        [0, 1].map(|slot| {
            let player = period.players.iter().find(|player| player.who.slot == Some(slot)).unwrap();
            player.reported.get(Measure::DamageGiven)
        })
    };
    assert_eq!(told([-12, -7]), [Some(2577), Some(1682)]);
    assert_eq!(told([-7, -12]), [Some(1682), Some(2577)]);
    assert_eq!(told([-7, -7]), [None; 2]);
}

/// Below the statistics of a duel KTX prints nothing that ends them: what the server says later is not of them, and the next match
/// has none of its own as long as none are printed.
#[test]
fn printed_statistics_are_of_their_match() {
    let mut made = Made::new(r"\deathmatch\3", DUEL);
    made.begin().wait(1000).end().print(2, "\nPlayer statistics:\nFrags (rank) . efficiency\n");
    made.print(2, "? b:\n  0 (0) 0.0%\n").print(2, "  Damage: Tkn:43 Gvn:173 Tm:0\n").wait(500);
    made.print(2, "Server recording completed\n").wait(1000);
    made.begin().wait(1000).print(2, "Server starts recording (disk): x.mvd\n").wait(1000);
    let all = made.matches();
    let [first, second] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(player(first, "b").reported_by, [("print", first.end.demo)]);
    assert!(!second.ended && second.players.iter().all(|player| player.reported_by.is_empty()));
}
