//! Events: who killed whom, who said what, who came and went, the scores.

use std::collections::BTreeMap;

use qdemo::Limits;
use qdemo::analysis::stats::{Ending, Holder, Period, PeriodKind, stats};
use qdemo::event::{Event, EventKind, FragKind};
use qdemo::replay::events;
use qdemo::world::Scene;

use super::rules::{STRINGS, configstring, frame, level, print, standing, to, two_levels};
use crate::common::{all_mvd2, file_name, need, shared};
use crate::mvd2::build::demo;

fn all_events(demo: &[u8]) -> Vec<Event> {
    let mut all = Vec::new();
    events(demo, "x.mvd2", Limits::default(), &mut |event| {
        all.push(event.clone());
        Ok(())
    })
    .unwrap();
    all
}

fn words(demo: &[u8]) -> Vec<String> {
    let all = all_events(demo);
    all.iter().filter(|e| !matches!(e.kind, EventKind::Print { .. })).map(|e| e.kind.to_string()).collect()
}

#[test]
fn what_everybody_reads_counts_once() {
    let expected =
        ["level q2dm1 (The Edge)", "new joins", "stg kills a b (railgun)", "stg: ha", "level q2dm2 (Tokay's Towers)"];
    assert_eq!(words(&two_levels()), expected);
}

/// OpenRA2 tells of a death at a higher level those whom it is about, each with the other name in other letters.
#[test]
fn a_text_of_several_levels_counts_once() {
    let high = |text: &str| text.bytes().map(|b| b | 0x80).collect::<Vec<_>>();
    let to = |client: u8, level: u8, text: &[&[u8]]| {
        let message = [&[10, level][..], &text.concat(), b"\n\0"].concat();
        [&[9, message.len() as u8, client], &message[..]].concat()
    };
    let said = [
        to(0, 2, &[&high("a b"), b" was railed by stg"]),
        to(1, 2, &[b"a b was railed by ", &high("stg")]),
        to(2, 1, &[b"a b was railed by stg"]),
    ];
    let demo = demo(&[level(&STRINGS, &[], &[]), [said.concat(), frame(&[], &[])].concat()]);
    let deaths = all_events(&demo).iter().filter(|event| matches!(event.kind, EventKind::Frag(_))).count();
    assert_eq!(deaths, 1);
}

/// OpenFFA leaves the configstring of who went as it was.
#[test]
fn who_takes_a_slot_is_another_player() {
    let frame = frame(&[], &[]);
    let changes = [
        print(2, "a b disconnected (1 player)\n"),
        [configstring(1313, "new\\male/grunt"), print(2, "new connected\n")].concat(),
        [configstring(1313, "newer\\male/grunt"), print(2, "$g_player_connected \"newer\"\n")].concat(),
    ];
    let blocks: Vec<_> = changes.iter().map(|change| [&change[..], &frame].concat()).collect();
    let told = words(&demo(&[&[level(&STRINGS, &[], &[])][..], &blocks].concat()));
    assert_eq!(told[1..], ["a b leaves", "new joins", "new leaves", "newer joins"]);
}

/// Configstrings tell who is there, whatever the mod prints.
#[test]
fn who_comes_and_goes() {
    let frame = frame(&[], &[]);
    let changes = [
        configstring(1314, "new\\male/grunt"),
        configstring(1314, "new\\female/athena"),
        [print(2, "new changed name to newer\n"), configstring(1314, "newer\\male/grunt")].concat(),
        [print(2, "newer disconnected\n"), configstring(1314, "")].concat(),
        print(1, "stg was railed by newer\n"),
        print(2, "Fight!\n"),
        print(2, "Timelimit hit. Match ended.\n"),
    ];
    let blocks: Vec<_> = changes.iter().map(|change| [&change[..], &frame].concat()).collect();
    let begun = [&[level(&STRINGS, &[], &[])][..], &blocks].concat();
    let expected =
        ["new joins", "new is now newer", "newer leaves", "newer kills stg (railgun)", "match: start", "match: end"];
    let told = words(&demo(&begun));
    assert_eq!(told[0], "level q2dm1 (The Edge)");
    assert_eq!(told[1..], expected);
    // Without the level it is not known who was there before, nor who stg is.
    assert_eq!(words(&demo(&blocks)), expected[4..]);
}

/// OpenTDM says in one line that a match ends and why.
#[test]
fn what_ends_a_match() {
    let frame = frame(&[], &[]);
    let said = ["Fight!\n", "stg: x\n", "Timelimit hit. Match ended.\n", "stg: y\n"];
    let blocks = said.map(|text| [&print(2, text)[..], &frame].concat());
    let demo = demo(&[&[level(&STRINGS, &[], &[])][..], &blocks].concat());
    let mut endings = Vec::new();
    stats(&demo[..], "x.mvd2", Limits::default(), &mut |period| {
        endings.extend((period.kind == PeriodKind::Match).then_some(period.ending));
        Ok(())
    })
    .unwrap();
    assert_eq!(endings, [Some(Ending::TimeLimit)]);
}

/// The periods of a recording in which a server prints these, one after the other, each with its level.
fn periods(said: &[(u8, &str)]) -> Vec<Period> {
    let blocks = said.iter().map(|(to, text)| [&print(*to, text)[..], &frame(&[], &[])].concat());
    let demo = demo(&[vec![level(&STRINGS, &[], &[])], blocks.collect()].concat());
    let mut all = Vec::new();
    stats(&demo[..], "x.mvd2", Limits::default(), &mut |period| {
        all.extend((period.kind == PeriodKind::Match).then_some(period));
        Ok(())
    })
    .unwrap();
    all
}

/// OpenTDM says `Fight!` where a match begins, and where it goes on behind a time-out. (Source: `TDM_BeginCountdown`,
/// `TDM_Timeout_f`, `TDM_Disconnected` and `TDM_CheckTimes` of its game module.)
#[test]
fn a_time_out_does_not_end_a_match() {
    let begin = [(2, "All players ready! Starting countdown (15 secs)...\n"), (2, "Fight!\n")];
    let stops: [&[(u8, &str)]; 3] = [
        &[(3, "stg called a time out. Match will resume automatically in 5:00.\n")],
        &[(3, "stg (Home) called a time out. Match will resume automatically in 5:00.\n")],
        // The recording has lost what says so.
        &[],
    ];
    for stop in stops {
        let behind = [
            (3, "Game resuming in 10 seconds. Match time remaining: 9:00\n"),
            (2, "Fight!\n"),
            (2, "Timelimit hit. Match ended.\n"),
        ];
        let all = periods(&[&begin[..], stop, &behind].concat());
        assert_eq!(all.len(), 1, "{stop:?}");
        assert!(all[0].begun && all[0].ended, "{stop:?}");
        let pauses = usize::from(!stop.is_empty());
        assert_eq!(all[0].game.as_ref().map(|game| game.pauses.len()), Some(pauses), "{stop:?}");
    }
    let again = [&begin[..], &begin].concat();
    assert_eq!(periods(&again).len(), 2, "a match that is begun anew");
    // Players may vote for a new countdown during a time-out.
    let voted = periods(&[&begin[..], stops[0], &begin].concat());
    let pauses = |period: &Period| period.game.as_ref().map(|game| game.pauses.len());
    assert_eq!(voted.iter().map(pauses).collect::<Vec<_>>(), [Some(1), Some(0)]);
    // What a player says pauses nothing.
    let said = [(2, "Fight!\n"), (3, "x: stg called a time out. Match will resume automatically in 5:00.\n")];
    assert_eq!(periods(&said)[0].game.as_ref().map(|game| game.pauses.len()), Some(0));
}

/// The other ends that OpenTDM knows, and who has won. (Source: `TDM_EndMatch`, `TDM_Overtime` and `TDM_SuddenDeath` of its
/// game module.)
#[test]
fn how_matches_end() {
    let win = |name: &str, score| Some((name.to_owned(), score));
    for (said, ending, winner) in [
        (&["Tie game, 4 to 4.\n"][..], None, None),
        (&["Match canceled, no players remaining.\n"], None, None),
        (&["Match ended.\n", "stg wins by forfeit!\n"], Some(Ending::Forfeit), win("stg", None)),
        (
            &["Timelimit hit. Match ended.\n", "The Home wins, 63 to 15.\n"],
            Some(Ending::TimeLimit),
            win("The Home", Some(63)),
        ),
    ] {
        let text: String = said.concat();
        let all = periods(&[(2, "Fight!\n"), (2, &text), (2, "Fight!\n")]);
        assert_eq!((all.len(), all[0].ended, all[0].ending), (2, true, ending), "{said:?}");
        let score = all[0].places.first().map(|place| place.score);
        assert_eq!(all[0].winner.clone().map(|name| (name, score)), winner, "{said:?}");
    }
    for tied in ["adding 1 minute overtime.", "adding 2 minutes overtime.", "entering Sudden Death!"] {
        let tied = format!("Scores are tied 4 - 4, {tied}\n");
        let all = periods(&[(2, "Fight!\n"), (2, &tied), (2, "Timelimit hit. Match ended.\n")]);
        assert_eq!(all[0].game.as_ref().map(|game| game.overtimes.len()), Some(1), "{tied}");
    }
}

/// In one block a match ends and players leave: who leaves behind the end was there to it, as the lines tell, though the
/// configstring of another one who left is emptied in front of it.
#[test]
fn who_leaves_behind_the_end_was_there() {
    let (end, stg, other) = ("Timelimit hit. Match ended.\n", "stg disconnected\n", "a b disconnected\n");
    let (over, left) = ("match: end", "stg leaves");
    let none = |slot: u16| configstring(1312 + slot, "");
    for (said, emptied, order, holder) in [
        (&[end, stg][..], none(0), &[over, left][..], Holder::Stayed(0)),
        (&[stg, end], none(0), &[left, over], Holder::Left),
        (&[other, end, stg], [none(1), none(0)].concat(), &["a b leaves", over, left], Holder::Stayed(0)),
        // Nothing says when.
        (&[end], none(0), &[over, left], Holder::Stayed(0)),
    ] {
        let frame = frame(&[], &[]);
        let lines: Vec<u8> = said.iter().flat_map(|text| print(2, text)).collect();
        for block in [[&lines[..], &emptied, &frame].concat(), [&emptied[..], &lines, &frame].concat()] {
            let begins = [level(&STRINGS, &[&standing()], &[]), [&print(2, "Fight!\n")[..], &frame].concat()];
            let demo = demo(&[&begins[..], &vec![frame.clone(); 30], &[block, frame.clone()]].concat());
            assert_eq!(words(&demo)[2..], *order, "{said:?}");
            let mut places = Vec::new();
            stats(&demo[..], "x.mvd2", Limits::default(), &mut |period| {
                places.extend(period.places);
                Ok(())
            })
            .unwrap();
            let stg = places.iter().find(|place| place.name == "stg").map(|place| (place.score, place.holder));
            assert_eq!(stg, Some((3, holder)), "{said:?}");
        }
    }
}

/// A line that one player reads twice was said twice, whoever else reads it.
#[test]
fn the_same_words_again() {
    let twice = [to(0, 3, "stg: x\n"), to(0, 3, "stg: x\n"), to(1, 3, "stg: x\n"), to(1, 3, "stg: x\n")].concat();
    let everybody = [print(1, "stg cratered.\n"), to(1, 1, "stg cratered.\n"), to(0, 1, "stg cratered.\n")].concat();
    let later = [to(1, 3, "stg: x\n"), frame(&[], &[])].concat();
    let told = words(&demo(&[level(&STRINGS, &[], &[]), twice, everybody, later]));
    assert_eq!(told[1..], ["stg: x", "stg: x", "stg dies (falling)", "stg: x"]);
}

/// OpenFFA tells each of two of a death with the name of the other one in other letters (`Q_HighlightStr`).
#[test]
fn the_same_words_in_other_letters() {
    let bright = |name: &str| name.bytes().map(|b| b | 0x80).collect::<Vec<_>>();
    let to = |client: u8, text: &[u8]| {
        let message = [&[10, 1], text, &[0]].concat();
        [&[9, message.len() as u8, client], &message[..]].concat()
    };
    let texts = [
        to(2, b"stg was railed by a b\n"),
        to(1, &[&bright("stg")[..], b" was railed by a b\n"].concat()),
        to(0, &[b"stg was railed by ", &bright("a b")[..], b"\n"].concat()),
    ];
    let told = words(&demo(&[level(&STRINGS, &[], &[]), [texts.concat(), frame(&[], &[])].concat()]));
    assert_eq!(told[1..], ["a b kills stg (railgun)"]);
}

/// That a match of Capture the Flag starts is shown to each player (`CTFStartMatch`).
#[test]
fn a_match_starts_once() {
    let shown = |client: u8| {
        let message = [&[15][..], b"***\n\nMATCH HAS STARTED!\n\n***\0"].concat();
        [&[9, message.len() as u8, client], &message[..]].concat()
    };
    let blocks = [
        level(&STRINGS, &[], &[]),
        [shown(0), shown(1), frame(&[], &[])].concat(),
        [print(3, "MATCH COMPLETED!\n"), frame(&[], &[])].concat(),
    ];
    let told = words(&demo(&blocks));
    assert_eq!(
        told.iter().filter(|words| words.starts_with("match: ")).collect::<Vec<_>>(),
        ["match: start", "match: end"]
    );
}

/// The game says at the end of a match how it went, and knows nothing of our counting: `claire wins, 17 to 7.`
#[test]
fn the_game_counts_the_same() {
    let Some(dir) = need("corpus/dm2") else { return };
    let demo = std::fs::read(dir.join("packetflinger_libq2__test.mvd2")).unwrap();
    let (mut scores, mut kills) = (BTreeMap::new(), BTreeMap::new());
    let mut told = None;
    for event in all_events(&demo) {
        match event.kind {
            EventKind::Score { player, to, .. } if told.is_none() => {
                scores.insert(player.name, to);
            }
            EventKind::Frag(frag) => match frag.kind {
                FragKind::Kill => *kills.entry(frag.attacker.unwrap().name).or_insert(0) += 1,
                FragKind::Suicide | FragKind::World => *kills.entry(frag.victim.name).or_insert(0) -= 1,
                _ => panic!("{frag:?}"),
            },
            EventKind::Print { text, .. } => told = told.or(text.strip_prefix("claire wins, ").map(str::to_owned)),
            _ => {}
        }
    }
    assert_eq!(told.as_deref(), Some("17 to 7.\n"));
    let expected = BTreeMap::from([("claire".to_owned(), 17), ("[dream]shloo".to_owned(), 7)]);
    assert_eq!((&scores, &kills), (&expected, &expected));
}

/// The score board that the game draws, and the numbers on the players' status bars.
#[test]
fn the_score_board_says_the_same() {
    let mut checked = 0;
    for path in all_mvd2() {
        let mut before = BTreeMap::new();
        super::fold(&std::fs::read(&path).unwrap(), |world| {
            for slot in 0..world.player_slots() {
                let Some(score) = world.game().score(slot) else { continue };
                // A board is old soon.
                if before.insert(slot, score) == Some(score) {
                    continue;
                }
                let Some(state) = world.game().client_state(slot as u8) else { continue };
                assert_eq!(score.score, i32::from(state.stat(14)), "{} {slot}", file_name(&path));
                checked += 1;
            }
        });
    }
    assert!(checked >= 4 || shared("recorded").is_none(), "{checked}");
}
