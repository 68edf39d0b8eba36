//! Events of Quake II recordings: what the server prints, and the score of the recorder.

mod runs;
mod slots;

use crate::common::{self, all_dm2, file_name};
use qdemo::Limits;
use qdemo::analysis::stats::{PeriodKind, stats};
use qdemo::error::Moment;
use qdemo::event::{Certainty, Event, EventKind, FragKind, Match, Patterns, Reason};
use qdemo::replay::info::{Facts, info};
use qdemo::replay::{Options, Pass, Step};
use qdemo::world::Scene;

/// The events of a recording, and its recorder.
fn all_events(demo: &[u8], name: &str) -> (Vec<Event>, Option<usize>) {
    let (mut all, mut recorder) = (Vec::new(), None);
    let mut note = |step: &Step<'_>| {
        if !step.events.is_empty() {
            recorder = step.world.recorder();
        }
        all.extend_from_slice(step.events);
        Ok(())
    };
    Pass::new(Limits::default()).run(demo, name, &mut [&mut note]).unwrap();
    (all, recorder)
}

/// Every print with a player's name in front and another in it is a death or no death, never two; and each death by the
/// recorder's own hand is a point on the recorder's status bar at that moment.
#[test]
fn deaths_of_the_recordings() {
    let (mut deaths, mut by_recorder, mut points) = (0, 0, 0);
    for path in all_dm2() {
        let demo = std::fs::read(&path).unwrap();
        let name = file_name(&path);
        let (all, recorder) = all_events(&demo, &name);
        for event in &all {
            let EventKind::Frag(frag) = &event.kind else { continue };
            deaths += 1;
            assert!(frag.victim.slot.is_some(), "{name}: {frag:?}");
            if frag.kind != FragKind::Kill || frag.attacker.as_ref().and_then(|a| a.slot) != recorder {
                continue;
            }
            by_recorder += 1;
            let near = |e: &&Event| e.clock.demo.ms().abs_diff(event.clock.demo.ms()) <= 200;
            points += usize::from(all.iter().filter(near).any(
                |e| matches!(&e.kind, EventKind::Score { player, from, to } if player.slot == recorder && to > from),
            ));
        }
    }
    assert_eq!(points, by_recorder, "of {deaths} deaths");
    assert!(common::shared("corpus/dm2").is_none() || by_recorder >= 6 && deaths >= 14, "{by_recorder} of {deaths}");
}

fn string(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn configstring(index: u16, text: &str) -> Vec<u8> {
    [&[13][..], &index.to_le_bytes(), &string(text)].concat()
}

fn print(level: u8, text: &str) -> Vec<u8> {
    [&[10, level][..], &string(text)].concat()
}

/// Serverdata, and players from slot 0 on: name and skin.
fn begin(players: &[&str]) -> Vec<u8> {
    let mut first = vec![12];
    first.extend(34i32.to_le_bytes());
    first.extend(0x1_0000i32.to_le_bytes());
    first.push(1);
    first.extend(string(""));
    first.extend(0i16.to_le_bytes());
    first.extend(string("The Edge"));
    first.extend(configstring(33, "maps/q2dm1.bsp"));
    (1312..).zip(players).for_each(|(index, player)| first.extend(configstring(index, player)));
    first
}

fn recording(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut demo: Vec<u8> =
        blocks.iter().flat_map(|block| [&(block.len() as u32).to_le_bytes()[..], block].concat()).collect();
    demo.extend([0xFF; 4]);
    demo
}

/// The events of blocks but for prints.
fn told(blocks: &[Vec<u8>]) -> Vec<Event> {
    let (mut all, _) = all_events(&recording(blocks), "made.dm2");
    all.retain(|event| !matches!(event.kind, EventKind::Print { .. }));
    all
}

fn words(all: &[Event]) -> Vec<String> {
    all.iter().map(|event| event.kind.to_string()).collect()
}

/// Blocks written by hand: serverdata, two players, prints.
#[test]
fn prints_become_events() {
    let prints = [
        (1u8, "a b was railed by stg\n"),
        (1, "stg cratered.\n"),
        (3, "a b: good shot\n"),
        (3, "(stg): to the quad\n"),
        (2, "a b changed name to c\n"),
        // Without a match it is the level that ends.
        (2, "Timelimit hit.\n"),
        (2, "Fight!\n"),
        (2, "Fraglimit hit.\n"),
        (1, "nobody was railed by stg\n"),
        // Threewave's Capture the Flag.
        (2, "stg got the BLUE flag!\n"),
        (2, "a b captured the RED flag!\n"),
        (2, "The BLUE flag has returned!\n"),
        (2, "nobody got the BLUE flag!\n"),
        // Loki's Minions'.
        (2, "stg stole the blue flag.\n"),
    ];
    let second = prints.iter().flat_map(|(level, text)| print(*level, text)).collect();
    let all = told(&[begin(&["stg\\male/grunt", "a b\\female/athena"]), second]);
    let expected = [
        "level q2dm1 (The Edge)",
        "stg kills a b (railgun)",
        "stg dies (falling)",
        "a b: good shot",
        "(stg): to the quad",
        "match: start",
        "match: end",
        "blue flag taken by stg",
        "red flag captured by a b",
        "blue flag returned",
        "blue flag taken by stg",
    ];
    // The level is told by serverdata; the map stands in a configstring behind it.
    assert_eq!(words(&all), expected);
}

/// Serverdata of a mod in such a game directory, and players.
fn begin_in(gamedir: &str, players: &[&str]) -> Vec<u8> {
    let mut first = begin(players);
    // Behind the kind, the protocol, the key and the flag of the level.
    first.splice(10..10, gamedir.bytes());
    first
}

/// What is told of a level of a mod in such a game directory, but for the level.
fn told_by(gamedir: &str, prints: &[(u8, &str)]) -> Vec<String> {
    let first = begin_in(gamedir, &["stg\\male/grunt", "beta\\female/athena"]);
    let second = prints.iter().flat_map(|(level, text)| print(*level, text)).collect();
    words(&told(&[first, second]))[1..].to_vec()
}

/// OSP Tourney (osp_main.c, g_main.c and p_client.c): what begins and ends a match, and deaths among team mates.
#[test]
fn matches_of_osp_tourney() {
    let prints = [
        (2, "All players ready... countdown starts!\n"),
        (2, "stg: Match has started!\n"),
        (2, "Match has started!\n"),
        (1, "beta was railed by stg  ** Teammate Kill **\n"),
        (1, "beta ate stg's rocket  ** Teammate Kill **\n"),
        (1, "beta was hooked to death by stg\n"),
        (3, "Time-Out called by stg\n"),
        (3, "stg: Time-Out called by beta\n"),
        (3, "**** MATCH HAS RESTARTED!! ****\n"),
        (2, "Tied match!! Sudden Death mode in effect!!!\n"),
        (2, "We have a sudden-death winner!\n"),
        (2, "Match has started!\n"),
        (2, "red forfeits! blue wins by default!\n"),
        (2, "Match has started!\n"),
        (2, "Team fraglimit hit.\n"),
    ];
    let expected = [
        "match: countdown",
        "match: start",
        "stg kills team mate beta (railgun)",
        "stg kills team mate beta (rocket)",
        "stg kills beta (grapple)",
        "match: pause",
        "match: resume",
        "match: overtime",
        "match: end",
        "match: start",
        "match: end",
        "match: start",
        "match: end",
    ];
    let told = told_by("tourney", &prints);
    let told: Vec<_> = told.iter().filter(|text| !text.contains(": Match") && !text.contains(": Time")).collect();
    assert_eq!(told, expected);
}

/// OSP Tourney: where a match stands still, for a referee or for one who lost the connection, of whom no line says that he went
/// (`OSP_rmpause_cmd`, `ClientDisconnect`, `ClientConnect`, `G_RunFrame`), and where one is stopped (`OSP_rstopmatch_cmd`). The
/// next one does not stand still, even if nobody said that the one before went on.
#[test]
fn stops_and_pauses_of_osp_tourney() {
    let center = |text: &str| [&[15][..], &string(text)].concat();
    let waits = |seconds: &str| center(&format!("Waiting for beta to reconnect.\n({seconds} seconds)\n"));
    let starts = || print(2, "Match has started!\n");
    let goes_on = || print(3, "**** MATCH HAS RESTARTED!! ****\n");
    let beta = "beta\\female/athena";
    let mut all = told(&[
        begin(&["stg\\male/grunt", beta]),
        print(3, "Match terminated by referee!!\n"),
        starts(),
        [print(3, "Match paused by referee.\n"), center("Match paused by referee.\n")].concat(),
        goes_on(),
        waits("many"),
        waits("60"),
        waits("50"),
        [configstring(1313, beta), print(2, "beta reconnected\n")].concat(),
        print(3, "beta has returned!\nMatch continues.\n"),
        goes_on(),
        print(3, "Time-Out called by stg\n"),
        print(3, "Match terminated by referee!!\n"),
        starts(),
        print(3, "Time-Out called by stg\n"),
        starts(),
        print(3, "Match terminated by console!!\n"),
    ]);
    all.retain(|event| !matches!(event.kind, EventKind::Center { .. }));
    let expected = [
        "match: start",
        "match: pause",
        "match: resume",
        "match: pause",
        "beta leaves",
        "beta joins",
        "match: resume",
        "match: pause",
        "match: resume",
        "match: given_up",
        "match: start",
        "match: pause",
        "match: resume",
        "match: start",
        "match: given_up",
    ];
    assert_eq!(words(&all)[1..], expected);
}

/// The same words mean something else in Rocket Arena 2. File systems need not tell upper case from lower.
#[test]
fn texts_of_a_game_directory() {
    let prints = [(1, "beta was perforated by stg\n"), (1, "beta was killed by stg\n"), (1, "beta cratered.\n")];
    let own = ["stg kills beta (machinegun)", "stg kills beta (unknown)", "beta dies (falling)"];
    assert_eq!(told_by("arena", &prints), own);
    assert_eq!(told_by("Arena", &prints), own);
    assert_eq!(told_by("rogue", &prints), ["stg kills beta (etf_rifle)", "beta dies (falling)"]);
}

/// What the caller says of a text counts, also where the game or the mod in the directory has the text in its own list.
#[test]
fn texts_of_the_caller() {
    let mine = "kill\tmine\tmine\t{victim} was killed by {killer}\nkill\tmine\tmine\t{victim} was railed by {killer}\n";
    let mut options = Options::default();
    options.deaths = Some(Patterns::parse(mine).unwrap());
    let players = ["stg\\male/grunt", "beta\\female/athena"];
    let said =
        [print(1, "beta was killed by stg\n"), print(1, "beta was railed by stg\n"), print(1, "stg cratered.\n")];
    for gamedir in ["", "arena", "dday"] {
        let demo = recording(&[begin_in(gamedir, &players), said.concat()]);
        let mut means = Vec::new();
        let mut note = |step: &Step<'_>| {
            means.extend(step.events.iter().filter_map(|event| match &event.kind {
                EventKind::Frag(frag) => Some(frag.means.to_string()),
                _ => None,
            }));
            Ok(())
        };
        Pass::new(Limits::default()).with(options.clone()).run(&demo[..], "made.dm2", &mut [&mut note]).unwrap();
        assert_eq!(means, ["mine", "mine", "falling"], "{gamedir}");
    }
}

/// D-Day's mark is a byte like any other elsewhere, and in names. Who has it is not who lacks it.
#[test]
fn names_may_have_the_mark_of_dday() {
    let said = ["\u{2}beta was railed by stg\n", "stg was railed by be\u{2}ta\n"].map(|text| print(1, text));
    for gamedir in ["", "ctf", "dday"] {
        let first = begin_in(gamedir, &["stg\\male/grunt", "beta\\a/b", "\u{2}beta\\a/b", "be\u{2}ta\\a/b"]);
        let all = told(&[first, said.concat()]);
        let frags = all.iter().filter_map(|event| match &event.kind {
            EventKind::Frag(frag) => Some([frag.attacker.as_ref()?.slot, frag.victim.slot]),
            _ => None,
        });
        assert_eq!(frags.collect::<Vec<_>>(), [[Some(0), Some(2)], [Some(3), Some(0)]], "{gamedir}");
    }
}

/// D-Day: Normandy marks team mates of the reader, and tells behind a death that it was one of these, or who wounded before.
#[test]
fn marks_and_remarks_of_dday() {
    let prints = [
        (1, "\u{2}beta"),
        (1, " was gunned down by "),
        (1, "\u{2}stg"),
        (1, "'s submachinegun (Friendly fire"),
        (1, ")\n"),
        (1, "beta was shot down by stg's rifle (Friendly fire, Kill credited to \u{2}beta)\n"),
        (1, "\u{2}beta drowned (kill credited to stg).\n"),
        (1, "beta changed teams.\n"),
        (1, "beta was sniped by stg (for fun)\n"),
    ];
    let expected = [
        "stg kills team mate beta (submachinegun)",
        "stg kills team mate beta (rifle)",
        "beta dies (water)",
        "beta dies (changed_teams)",
    ];
    assert_eq!(told_by("dday", &prints), expected);
    assert_eq!(told_by("DDay", &prints), expected);
    assert_eq!(told_by("", &[(2, "beta changed teams.\n")]), [""; 0]);
    // Of several lines in a text each has marks, or none.
    for text in ["stg drowned\n\u{2}beta drowned\n", "\u{2}stg drowned\nbeta drowned\n"] {
        assert_eq!(told_by("dday", &[(1, text)]), ["stg dies (water)", "beta dies (water)"]);
    }
}

/// Servers do not tell names apart: of two players who have the default one it is not told whom a text means.
#[test]
fn two_players_have_a_name() {
    let all = told(&[
        begin(&["unnamed\\male/grunt", "unnamed\\male/grunt", "stg\\male/grunt"]),
        [print(1, "unnamed ate unnamed's rocket\n"), print(1, "stg ate unnamed's rocket\n")].concat(),
    ]);
    let frags = all.iter().filter_map(|event| match &event.kind {
        EventKind::Frag(frag) => Some((frag.kind, frag.attacker.as_ref()?.slot, frag.victim.slot)),
        _ => None,
    });
    assert_eq!(frags.collect::<Vec<_>>(), [(FragKind::Kill, None, None), (FragKind::Kill, None, Some(2))]);
}

/// Skins show teams where the level has the pictures of teams on the status bar (`SP_worldspawn`, `CTFAssignSkin` of id's
/// Capture the Flag). Elsewhere anybody may wear them.
#[test]
fn skins_are_teams() {
    let words_with = |picture: &str| {
        let players = ["stg\\male/ctf_r", "b\\female/ctf_b", "c\\cyborg/ctf_r", "d\\male/grunt"];
        words(&told(&[
            [begin(&players), configstring(544, "i_health"), configstring(545, picture)].concat(),
            ["b", "c", "d"].iter().flat_map(|killer| print(1, &format!("stg was railed by {killer}\n"))).collect(),
            [configstring(1314, "c\\cyborg/ctf_b"), print(1, "stg was railed by c\n")].concat(),
            configstring(1315, "d\\male/ctf_r\\default"),
        ]))
    };
    let kills = |killer: &str, mate: &str| format!("{killer} kills {mate}stg (railgun)");
    let of = |who: &str, team: &str| format!("{who} joins team {team}");
    let level = || "level q2dm1 (The Edge)".to_owned();
    let mate = kills("c", "team mate ");
    let teams = [level(), kills("b", ""), mate, kills("d", ""), of("c", "blue"), kills("c", ""), of("d", "red")];
    assert_eq!(words_with("i_ctf1"), teams);
    let none = [level(), kills("b", ""), kills("c", ""), kills("d", ""), kills("c", "")];
    assert_eq!(words_with("i_fixme"), none);
}

/// A frame in full, and numbers on the status bar.
fn frame(number: i32, stats: &[(u8, i16)]) -> Vec<u8> {
    let mut all = [&[20][..], &number.to_le_bytes(), &[0xFF; 4], &[0, 0, 17, 0, 0]].concat();
    all.extend(stats.iter().fold(0u32, |mask, (stat, _)| mask | 1 << stat).to_le_bytes());
    stats.iter().for_each(|(_, value)| all.extend(value.to_le_bytes()));
    all.extend([18, 0, 0]);
    all
}

/// A status bar that marks whoever watches, and one that also names whom one follows.
const MARKS: &str = "yb -24 xv 0 hnum xv 50 pic 0 if 17 xv 0 string2 \"SPECTATOR\" endif ";
const NAMES: &str = "if 16 xv 0 yb -68 string \"Chasing The One In Front\" xv 64 stat_string 16 endif ";

/// The numbers of whoever follows the player in a slot: frags and what was just taken.
fn follows(slot: i16, frags: i16, pickup: i16) -> [(u8, i16); 4] {
    [(8, pickup), (14, frags), (16, 1312 + slot), (17, 1)]
}

/// What is told of a level with such configstrings, in which `Spec` records.
fn watched(strings: &[Vec<u8>], frames: &[(i32, [(u8, i16); 4])]) -> Vec<String> {
    let begin = begin(&["Spec\\male/grunt", "Ann\\female/athena", "Bob\\male/grunt"]);
    let first = [begin, strings.concat(), configstring(1056 + 8, "Rocket Launcher")].concat();
    let frames = frames.iter().map(|(number, stats)| frame(*number, stats));
    words(&told(&[first].into_iter().chain(frames).collect::<Vec<_>>()))[1..].to_vec()
}

/// Servers of Q2PRO cut the program of the status bar at 64 bytes; what names whom one follows may stand across a cut.
/// Servers of id tell it as a whole, and its tails behind it. What is seen of whom one follows is that player's.
#[test]
fn whoever_watches_takes_nothing() {
    let whole = [MARKS, NAMES].concat();
    let pieces = [&whole[..64], &whole[64..128], &whole[128..]];
    let strings =
        |parts: [&str; 3]| (5..).zip(parts).map(|(index, text)| configstring(index, text)).collect::<Vec<_>>();
    let frames = [(1, follows(1, 5, 0)), (2, follows(1, 5, 1056 + 8)), (3, follows(2, 2, 0))];
    for bar in [pieces, [&whole, &whole[64..], &whole[128..]]] {
        assert_eq!(watched(&strings(bar), &frames), ["Ann takes rocket_launcher"], "{bar:?}");
    }
    // Where the status bar shows no name there, the number is something else. What stands behind the end is no part of it.
    for bar in [[pieces[0], "", NAMES], [MARKS, NAMES, ""]] {
        let told = watched(&strings(bar), &frames);
        assert_eq!(told, ["Spec takes rocket_launcher", "Spec has 2 points (had 5)"], "{bar:?}");
    }
}

/// The name of what was taken stands on the status bar for three seconds, also for who looks away and back.
#[test]
fn who_looks_away_sees_the_same_again() {
    let bar = [configstring(5, &[MARKS, NAMES].concat())];
    let (none, ann, bob) = (follows(1, 5, 0), follows(1, 5, 1056 + 8), follows(2, 2, 0));
    assert_eq!(watched(&bar, &[(1, none), (2, ann), (3, bob), (4, bob), (31, ann)]), ["Ann takes rocket_launcher"]);
    // Later the same thing has been taken again.
    assert_eq!(watched(&bar, &[(1, none), (2, ann), (3, bob), (32, ann)]), ["Ann takes rocket_launcher"; 2]);
}

/// What stands there when a recording begins was taken before, as in clips.
#[test]
fn what_was_taken_before_the_recording_is_not_taken_in_it() {
    let bar = [configstring(5, &[MARKS, NAMES].concat())];
    let (none, ann) = (follows(1, 5, 0), follows(1, 5, 1056 + 8));
    assert_eq!(watched(&bar, &[(40, ann), (41, ann)]), [""; 0]);
    assert_eq!(watched(&bar, &[(40, ann), (50, none), (51, ann)]), ["Ann takes rocket_launcher"]);
}

/// Capture the Flag in match mode: `CTFReady`, `CTFStartMatch` and `CTFEndMatch` of id's game module.
#[test]
fn matches_of_capture_the_flag() {
    let center = |text: &str| [&[15][..], &string(text)].concat();
    let starts = center("******************\n\nMATCH HAS STARTED!\n\n******************");
    let over = [
        print(3, "MATCH COMPLETED!\n"),
        print(2, "RED TEAM:  1 captures, 17 points\n"),
        print(2, "BLUE TEAM:  0 captures, 30 points\n"),
        print(3, "RED team won over the BLUE team by 1 CAPTURES!\n"),
    ];
    let blocks = [
        [begin(&["stg\\male/ctf_r", "beta\\female/ctf_b"]), configstring(544, "i_ctf1")].concat(),
        [print(3, "MATCH COMPLETED!\n"), frame(1, &[])].concat(),
        [print(3, "All players have commited.  Match starting\n"), frame(2, &[])].concat(),
        [starts.clone(), frame(3, &[])].concat(),
        [print(3, "stg: MATCH COMPLETED!\n"), frame(4, &[])].concat(),
        [print(1, "beta was railed by stg\n"), frame(5, &[])].concat(),
        [over.concat(), frame(6, &[])].concat(),
        [starts, frame(7, &[])].concat(),
        [print(3, "Match has been forced to terminate.\n"), frame(8, &[])].concat(),
    ];
    let all = told(&blocks);
    let phases: Vec<_> =
        all.iter().filter(|e| matches!(e.kind, EventKind::Match(_))).map(|e| e.kind.to_string()).collect();
    assert_eq!(phases, ["match: countdown", "match: start", "match: end", "match: start", "match: end"]);
    let mut periods = Vec::new();
    stats(&recording(&blocks)[..], "made.dm2", Limits::default(), &mut |period| {
        periods.extend((period.kind == PeriodKind::Match).then_some(period));
        Ok(())
    })
    .unwrap();
    assert_eq!((periods.len(), periods[0].winner.as_deref()), (2, Some("red")));
    let places: Vec<_> = periods[0].places.iter().map(|place| (&*place.name, place.score)).collect();
    assert_eq!(places, [("red", 1), ("blue", 0)]);
}

/// The matches that `info` knows.
fn matches_in(demo: &[u8]) -> Vec<Match<Moment>> {
    let Facts::Dm2(facts) = info(demo, "made.dm2", Limits::default()).unwrap().facts else { panic!() };
    facts.levels.into_iter().flat_map(|level| level.matches).collect()
}

/// OpenTDM counts down to the end of a time-out, and only there (`TDM_ResumeGame`): a recording that begins in one has a match
/// whose beginning it does not have.
#[test]
fn a_recording_may_begin_in_a_time_out() {
    let resumes = "Game resuming in 10 seconds. Match time remaining: 7:00\n";
    let blocks = [
        [begin(&["stg\\male/grunt", "beta\\female/athena"]), frame(1, &[])].concat(),
        [print(3, &format!("stg: {resumes}")), frame(2, &[])].concat(),
        [print(3, resumes), frame(20, &[])].concat(),
        [print(2, "Fight!\n"), frame(124, &[])].concat(),
        [print(1, "beta was railed by stg\n"), frame(200, &[])].concat(),
        [print(2, "Timelimit hit. Match ended.\n"), frame(300, &[])].concat(),
    ];
    let demo = recording(&blocks);
    let phases: Vec<_> = all_events(&demo, "made.dm2").0;
    let phases: Vec<_> = phases.iter().filter(|e| matches!(e.kind, EventKind::Match(_))).collect();
    let words: Vec<_> = phases.iter().map(|event| event.kind.to_string()).collect();
    assert_eq!(words, ["match: start", "match: pause", "match: resume", "match: end"]);
    assert_eq!(phases[0].certainty, Certainty::Inferred(Reason::Underway));
    let mut matches = Vec::new();
    stats(&demo[..], "made.dm2", Limits::default(), &mut |period| {
        matches.extend((period.kind == PeriodKind::Match).then_some((period.begun, period.ended, period.game)));
        Ok(())
    })
    .unwrap();
    let known = matches_in(&demo);
    let [(begun, ended, Some(game))] = &matches[..] else { panic!("{matches:?}") };
    let [of_info] = &known[..] else { panic!("{known:?}") };
    assert_eq!([(*begun, *ended), (of_info.begun, of_info.ended)], [(false, true); 2]);
    assert_eq!([game.pauses.len(), of_info.pauses.len()], [1, 1]);
    // Within a match nothing begins with it.
    let within = [print(2, "Fight!\n"), print(3, "stg called a time out. Match will resume automatically in 2:00.\n")];
    let blocks = [[begin(&["stg\\male/grunt"]), within.concat(), print(3, resumes), print(2, "Fight!\n")].concat()];
    let all = told(&blocks);
    let phases: Vec<_> =
        all.iter().filter(|e| matches!(e.kind, EventKind::Match(_))).map(|e| e.kind.to_string()).collect();
    assert_eq!(phases, ["match: start", "match: pause", "match: resume"]);
}

/// There is a time-out of OpenTDM in a match alone (`TDM_Timeout_f`, `TDM_Disconnected`): where a recording that begins in
/// a match tells of one, that match is under way before the time-out.
#[test]
fn a_time_out_tells_that_a_match_is_under_way() {
    for stops in [
        "stg called a time out. Match will resume automatically in 2:00.\n",
        "stg (Home) called a time out. Match will resume automatically in 2:00.\n",
        "stg disconnected and has 2:00 to reconnect.\n",
    ] {
        let blocks = [
            [begin(&["stg\\male/grunt", "beta\\female/athena"]), frame(1, &[])].concat(),
            [print(3, &format!("beta: {stops}")), frame(20, &[])].concat(),
            [print(3, stops), frame(30, &[])].concat(),
            [print(3, "Game resuming in 10 seconds. Match time remaining: 7:00\n"), frame(60, &[])].concat(),
            [print(2, "Fight!\n"), frame(160, &[])].concat(),
            [print(2, "Timelimit hit. Match ended.\n"), frame(300, &[])].concat(),
        ];
        let demo = recording(&blocks);
        let mut phases = all_events(&demo, "made.dm2").0;
        phases.retain(|event| matches!(event.kind, EventKind::Match(_)));
        let frames: Vec<_> =
            phases.iter().map(|event| (event.kind.to_string(), event.clock.frame.unwrap_or(0))).collect();
        let words = [("start", 30), ("pause", 30), ("resume", 160), ("end", 300)];
        assert_eq!(frames, words.map(|(phase, at)| (format!("match: {phase}"), at)), "{stops}");
        assert_eq!(phases[0].certainty, Certainty::Inferred(Reason::Underway));
        let known = matches_in(&demo);
        let [known] = &known[..] else { panic!("{known:?}") };
        assert_eq!((known.begun, known.ended, known.pauses.len()), (false, true, 1), "{stops}");
    }
}

/// What ends a match is said as a whole line, for everybody: names may look like it.
#[test]
fn a_name_ends_no_match() {
    let names = ["Match ended.", "Tie game, 1 to 1"];
    let players = names.map(|name| format!("{name}\\male/grunt"));
    let begin = begin(&[&*players[0], &*players[1]]);
    let said = [
        print(2, "Fight!\n"),
        print(1, "Tie game, 1 to 1 was railed by Match ended.\n"),
        print(2, "stg changed name to Match ended.\n"),
        print(2, "Tie game, 1 to 1 entered the game\n"),
        print(1, "Match ended.\n"),
        print(2, "Tie game, 4 to 4.\n"),
    ];
    let expected =
        ["match: start", "Match ended. kills Tie game, 1 to 1 (railgun)", "Tie game, 1 to 1 joins", "match: end"];
    assert_eq!(words(&told(&[begin, said.concat()]))[1..], expected);
}

/// The re-release prints keys, and what stands in their texts behind them.
#[test]
fn keys_of_the_rerelease() {
    let says = |key: &str, with: &[&str]| {
        let with: Vec<u8> = with.iter().flat_map(|text| string(text)).collect();
        [&[26, 2][..], &string(key), &[with.iter().filter(|b| **b == 0).count() as u8], &with].concat()
    };
    let mut level = vec![12];
    level.extend(2023i32.to_le_bytes());
    level.extend(1i32.to_le_bytes());
    level.extend([1, 40]);
    level.extend(string(""));
    level.extend(0i16.to_le_bytes());
    level.extend(string("The Edge"));
    level.extend(configstring(63, "maps/q2ctf1.bsp"));
    level.extend([configstring(11_582, "stg\\male/ctf_r"), configstring(11_583, "beta\\male/ctf_b")].concat());
    let said = [
        says("$g_entered_game", &["beta"]),
        says("$g_got_flag", &["stg", "BLUE"]),
        says("$g_lost_flag", &["stg", "BLUE"]),
        says("$g_returned_flag", &["beta", "BLUE"]),
        says("$g_flag_returned", &["RED"]),
        says("$g_flag_captured", &["stg", "BLUE"]),
        print(2, "Fight!\n"),
        says("$g_capturelimit_hit", &[]),
    ];
    let expected = [
        "beta joins",
        "blue flag taken by stg",
        "blue flag dropped by stg",
        "blue flag returned by beta",
        "red flag returned",
        "blue flag captured by stg",
        "match: start",
        "match: end",
    ];
    assert_eq!(words(&told(&[level, said.concat()]))[1..], expected);
}
