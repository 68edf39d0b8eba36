//! Who comes into a slot, who leaves it, and who has it meanwhile: mods tell it each in their own way.

use qdemo::Limits;
use qdemo::analysis::stats::{Ending, Holder, Measure, Period, PeriodKind, stats};
use qdemo::event::EventKind;
use qdemo::replay::Range;
use qdemo::replay::info::{Facts, info};
use qdemo::replay::timeline::timeline;
use qdemo::view;

use super::{begin, configstring, frame, print, recording, told, words};

/// The game empties the configstring of a player who goes, so another name there is the same player's: in front of what the
/// block says of the old one too. Once it was empty, or the player disconnected, it is somebody else's: OpenTDM does not
/// empty it.
#[test]
fn a_configstring_tells_another_name() {
    let all = told(&[
        begin(&["stg\\male/grunt", "beta\\female/athena"]),
        print(1, "stg was railed by beta\n"),
        [print(1, "stg was railed by beta\n"), configstring(1313, "gamma\\female/athena")].concat(),
        [configstring(1313, "gamma\\male/viper"), print(2, "gamma changed name to gamma\n")].concat(),
        [configstring(1313, ""), print(1, "stg was railed by gamma\n")].concat(),
        configstring(1313, "other\\male/grunt"),
        [configstring(1313, ""), configstring(1313, "another\\male/grunt")].concat(),
        print(2, "another disconnected\n"),
        [configstring(1313, "new\\male/grunt"), print(2, "new entered the game\n")].concat(),
        configstring(1313, "newer\\male/grunt"),
    ]);
    let expected = [
        "level q2dm1 (The Edge)",
        "beta kills stg (railgun)",
        "beta is now gamma",
        "gamma kills stg (railgun)",
        "gamma kills stg (railgun)",
        "another leaves",
        "new joins",
        "new is now newer",
    ];
    assert_eq!(words(&all), expected);
}

/// OpenFFA and OSP Tourney do not empty the configstring, and tell how many still play; that somebody connects they tell once.
/// The re-release neither empties it nor tells that somebody goes: a name is another player's where the block says who comes.
#[test]
fn who_comes_into_a_slot_is_another_player() {
    let first = || begin(&["stg\\male/grunt", "beta\\female/athena"]);
    let gamma = || configstring(1313, "gamma\\male/viper");
    let railed = |name: &str| print(1, &format!("{name} was railed by stg\n"));
    let openffa = [
        [first(), railed("beta")].concat(),
        print(2, "beta disconnected (1 player)\n"),
        [gamma(), print(2, "gamma connected\n"), railed("gamma")].concat(),
        print(2, "gamma disconnected (many players)\n"),
    ];
    let osp = [
        [first(), railed("beta")].concat(),
        print(2, "beta wimped out and left. (clients = 1)\n"),
        [gamma(), print(2, "gamma connected\n"), railed("gamma")].concat(),
        print(2, "gamma wimped out and left. (clients = few)\n"),
    ];
    let rerelease = [
        [first(), railed("beta")].concat(),
        [gamma(), print(2, "$g_player_connected \"gamma\"\n")].concat(),
        [print(2, "$g_entered_game \"gamma\"\n"), railed("gamma")].concat(),
    ];
    let expected = ["stg kills beta (railgun)", "beta leaves", "gamma joins", "stg kills gamma (railgun)"];
    for blocks in [&openffa[..2], &osp[..2]] {
        assert_eq!(words(&told(blocks))[1..], expected[..2]);
    }
    for blocks in [&openffa[..], &osp, &rerelease] {
        assert_eq!(words(&told(blocks))[1..], expected);
    }
    let framed: Vec<_> = rerelease.iter().zip(1..).map(|(block, n)| [&block[..], &frame(n, &[])].concat()).collect();
    let mut names = Vec::new();
    stats(&recording(&framed)[..], "made.dm2", Limits::default(), &mut |period| {
        names.extend(period.players.iter().map(|player| player.who.name.clone()));
        Ok(())
    })
    .unwrap();
    names.sort();
    assert_eq!(names, ["beta", "gamma", "stg"]);
    for blocks in [&openffa[..], &osp, &rerelease] {
        assert_eq!(in_info(blocks), [("stg", 0, false), ("gamma", 1, false), ("beta", 1, true)].map(owned));
        let framed: Vec<_> = blocks.iter().zip(1..).map(|(block, n)| [&block[..], &frame(n, &[])].concat()).collect();
        let there = timeline(&recording(&framed)[..], "made.dm2", Limits::default()).unwrap().players;
        let mut there: Vec<_> = there.iter().map(|player| (player.slot, &*player.name)).collect();
        there.sort();
        assert_eq!(there, [(0, "stg"), (1, "beta"), (1, "gamma")]);
    }
    // A replay has three as well, whatever the configstring says, and whoever comes back is the same.
    let back = [configstring(1313, "beta\\female/athena"), print(2, "beta connected\n")].concat();
    for (blocks, people) in
        [(openffa.to_vec(), 3), (rerelease.to_vec(), 3), ([&openffa[..], &[back]].concat(), 3), (vec![first()], 2)]
    {
        let framed: Vec<_> = blocks.iter().zip(1..).map(|(block, n)| [&block[..], &frame(n, &[])].concat()).collect();
        let (replay, _) = view::read(&recording(&framed)[..], "made.dm2", Limits::default(), Range::ALL).unwrap();
        assert_eq!(replay.players_and_spectators(), [people, 0]);
    }
    // Nor does another slot make another one of whoever comes back: id's game empties the configstring.
    let gone = [configstring(1313, ""), print(2, "beta disconnected\n")].concat();
    for (name, people) in [("beta", 2), ("gamma", 3)] {
        let comes = configstring(1314, &format!("{name}\\female/athena"));
        let framed: Vec<_> = [first(), gone.clone(), comes]
            .iter()
            .zip(1..)
            .map(|(block, n)| [block, &frame(n, &[])[..]].concat())
            .collect();
        let (replay, _) = view::read(&recording(&framed)[..], "made.dm2", Limits::default(), Range::ALL).unwrap();
        assert_eq!(replay.players_and_spectators(), [people, 0]);
    }
    // Nobody has the slot while nobody is there.
    let framed: Vec<_> = openffa.iter().zip(1..).map(|(block, n)| [&block[..], &frame(n, &[])].concat()).collect();
    let (replay, _) = view::read(&recording(&framed)[..], "made.dm2", Limits::default(), Range::ALL).unwrap();
    let names = &replay.values_of(Some(1), "name").unwrap().keys;
    let names: Vec<_> = names.iter().map(|(_, name)| name.map(|name| replay.string(name as u32))).collect();
    assert_eq!(names, [Some("beta"), None, Some("gamma")]);
}

/// The players that `info` tells: name, slot, and whether they left.
fn in_info(blocks: &[Vec<u8>]) -> Vec<(String, u8, bool)> {
    let facts = info(&recording(blocks)[..], "made.dm2", Limits::default()).unwrap().facts;
    let Facts::Dm2(facts) = facts else { panic!("{facts:?}") };
    facts.players.iter().map(|player| (player.name(), player.slot, player.left)).collect()
}

fn owned((name, slot, left): (&str, u8, bool)) -> (String, u8, bool) {
    (name.to_owned(), slot, left)
}

/// In the re-release a name takes the place of another one when somebody comes, who is told to connect in the same frame
/// (`ClientConnect`), and when a player takes another name, of which nothing else tells (`ClientUserinfoChanged`). `info` has as
/// many players as `events` tell of.
#[test]
fn who_had_a_slot_of_the_re_release_is_in_info() {
    let named = |name: &str| configstring(1313, &format!("{name}\\male/grunt\\default"));
    let connects = |name: &str| print(2, &format!("$g_player_connected \"{name}\"\n"));
    let first = begin(&["stg\\male/grunt\\default", "beta\\male/grunt\\default"]);
    let gamma = [named("gamma"), connects("gamma")].concat();
    let (stays, beta, left) = (("stg", 0, false), ("beta", 1, false), ("beta", 1, true));
    for (blocks, players, events) in [
        (vec![named("gamma")], vec![stays, ("gamma", 1, false)], vec!["beta is now gamma"]),
        (vec![gamma.clone()], vec![stays, ("gamma", 1, false), left], vec!["beta leaves", "gamma joins"]),
        // The line may stand in front of the name, or be about somebody else.
        (
            vec![[connects("gamma"), named("gamma")].concat()],
            vec![stays, ("gamma", 1, false), left],
            vec!["beta leaves", "gamma joins"],
        ),
        (
            vec![[configstring(1314, "gamma\\male/grunt"), named("delta"), connects("gamma")].concat()],
            vec![stays, ("delta", 1, false), ("gamma", 2, false)],
            vec!["beta is now delta", "gamma joins"],
        ),
        // Whoever comes back is the same, and so is who changes names before another one comes.
        (
            vec![gamma.clone(), [named("beta"), connects("beta")].concat()],
            vec![stays, beta, ("gamma", 1, true)],
            vec!["beta leaves", "gamma joins", "gamma leaves", "beta joins"],
        ),
        (
            vec![named("delta"), gamma.clone()],
            vec![stays, ("gamma", 1, false), ("delta", 1, true)],
            vec!["beta is now delta", "delta leaves", "gamma joins"],
        ),
    ] {
        let blocks = [vec![first.clone()], blocks].concat();
        assert_eq!(in_info(&blocks), players.into_iter().map(owned).collect::<Vec<_>>());
        assert_eq!(words(&told(&blocks))[1..], events);
    }
}

/// A recording of so many frames, with what stands in front of some of them.
fn framed(blocks: &[(i32, Vec<u8>)], last: i32) -> Vec<u8> {
    let all = (1..=last).map(|n| {
        let told = blocks.iter().filter(|(at, _)| *at == n).flat_map(|(_, block)| block.clone());
        told.chain(frame(n, &[])).collect()
    });
    recording(&all.collect::<Vec<Vec<u8>>>())
}

/// The moments at which a slot gets a name, or none, in frames of 0.1 seconds.
fn names_told(blocks: &[(i32, Vec<u8>)], slot: u32) -> Vec<(i64, Option<String>)> {
    let demo = framed(blocks, blocks.last().unwrap().0 + 5);
    let (replay, _) = view::read(&demo[..], "made.dm2", Limits::default(), Range::ALL).unwrap();
    let names = &replay.values_of(Some(slot), "name").unwrap().keys;
    let ms = |row: &u32| replay.rows[*row as usize] - replay.rows[0];
    names.iter().map(|(row, name)| (ms(row), name.map(|name| replay.string(name as u32).to_owned()))).collect()
}

/// Whoever comes back under the same name has it again, in whatever words the server says so: id's game empties the
/// configstring (`ClientDisconnect`), others do not, and each tells it anew of who comes (`ClientUserinfoChanged`).
#[test]
fn who_comes_back_has_a_name_again() {
    let first = || (1, begin(&["stg\\male/grunt", "beta\\female/athena"]));
    let (beta, none) = (configstring(1313, "beta\\female/athena"), configstring(1313, ""));
    let leaves = print(2, "beta disconnected\n");
    let back = (9, [&beta[..], &print(2, "beta has joined the battle\n")].concat());
    let expected =
        [(0, Some("beta")), (300, None), (800, Some("beta"))].map(|(ms, name)| (ms, name.map(str::to_owned)));
    for gone in [
        vec![(4, [leaves.clone(), none.clone()].concat())],
        vec![(4, [none.clone(), leaves.clone()].concat())],
        vec![(4, leaves.clone()), (5, none.clone())],
        vec![(4, none), (5, leaves.clone())],
        vec![(4, leaves.clone())],
        vec![(4, print(2, "beta wimped out and left. (clients = 1)\n"))],
        // Told in the block in which the player goes, it is what was.
        vec![(4, [beta, leaves].concat())],
    ] {
        let blocks = [vec![first()], gone, vec![back.clone()]].concat();
        assert_eq!(names_told(&blocks, 1), expected);
    }
}

/// Whoever goes is there no longer, though the name stays in the slot: neither among the players nor in the times of statistics.
#[test]
fn who_left_a_slot_is_not_there() {
    let beta = || configstring(1313, "beta\\female/athena");
    let leaves = (4, print(2, "beta wimped out and left. (clients = 1)\n"));
    let back = (9, [&beta()[..], &print(2, "beta connected\n")].concat());
    let first = (1, begin(&["stg\\male/grunt", "beta\\female/athena"]));
    for (blocks, stays, there) in [
        (vec![first.clone()], 1000, 1000),
        (vec![first.clone(), leaves.clone()], 200, 300),
        (vec![first, leaves, back], 1000, 500),
    ] {
        let demo = framed(&blocks, 11);
        let players = timeline(&demo[..], "made.dm2", Limits::default()).unwrap().players;
        let to: Vec<_> =
            players.iter().map(|player| (player.name.as_str(), player.to.ms() - players[0].from.ms())).collect();
        assert_eq!(to, [("stg", 1000), ("beta", stays)]);
        let mut times = Vec::new();
        stats(&demo[..], "made.dm2", Limits::default(), &mut |period| {
            times.extend(
                period.players.iter().map(|player| (player.who.name.clone(), player.counted.get(Measure::TimeMs))),
            );
            Ok(())
        })
        .unwrap();
        times.sort();
        assert_eq!(times, [("beta".to_owned(), Some(there)), ("stg".to_owned(), Some(1000))]);
    }
}

/// Whoever comes back into another slot is the same player, also where the one of before keeps the name: in OSP Tourney one who
/// lost the connection, and OpenFFA does not empty the configstring either.
#[test]
fn who_comes_back_into_another_slot() {
    let waits = [&[15][..], b"Waiting for beta to reconnect.\n(60 seconds)\n\0"].concat();
    let beta = configstring(1315, "beta\\female/athena");
    for (gone, back) in [
        (waits, "beta reconnected\n"),
        (print(2, "beta disconnected (2 players)\n"), "beta connected\n"),
        ([print(2, "beta disconnected\n"), configstring(1313, "")].concat(), "beta entered the game\n"),
    ] {
        let first = begin(&["stg\\male/grunt", "beta\\female/athena", "cid\\male/grunt"]);
        let blocks = [(1, first), (4, gone), (9, [&beta[..], &print(2, back)].concat())];
        let players = timeline(&framed(&blocks, 12)[..], "made.dm2", Limits::default()).unwrap().players;
        let there: Vec<_> =
            players.iter().map(|player| (player.slot, &*player.name, (player.to.0 - player.from.0) / 1000)).collect();
        assert_eq!(there, [(0, "stg", 1100), (2, "cid", 1100), (3, "beta", 1100)], "{back}");
    }
}

/// A line about one of two players of the same name is about the one whose configstring is emptied with it (`ClientDisconnect`).
#[test]
fn who_has_the_name_of_one_who_goes_stays() {
    let first = (1, begin(&["stg\\male/grunt", "unnamed\\male/grunt", "unnamed\\male/grunt"]));
    let line = print(2, "unnamed disconnected\n");
    for goes in [1u16, 2] {
        let empty = configstring(1312 + goes, "");
        for gone in [[line.clone(), empty.clone()].concat(), [empty, line.clone()].concat()] {
            let blocks = [first.clone(), (4, gone)];
            let left = told(&blocks.clone().map(|(_, block)| block));
            let slots = left.iter().filter_map(|event| match &event.kind {
                EventKind::Leave(who) => Some(who.slot),
                _ => None,
            });
            assert_eq!(slots.collect::<Vec<_>>(), [Some(usize::from(goes))]);
            let players = timeline(&framed(&blocks, 11)[..], "made.dm2", Limits::default()).unwrap().players;
            let stays = players.iter().map(|player| (player.slot, player.to.ms() - players[0].from.ms() == 1000));
            let expected = [0, 1, 2].map(|slot| (slot, slot != usize::from(goes)));
            assert_eq!(stays.collect::<Vec<_>>(), expected);
        }
    }
}

/// Of several players of a name each leaves with the configstring that is emptied; and one whom another replaces leaves once,
/// whatever else the block says.
#[test]
fn each_leaves_once() {
    let leavers = |blocks: &[Vec<u8>]| -> Vec<_> {
        let left = told(blocks).into_iter().filter_map(|event| match event.kind {
            EventKind::Leave(who) => Some((who.name, who.slot)),
            _ => None,
        });
        left.collect()
    };
    let line = |name: &str| print(2, &format!("{name} disconnected\n"));
    let (first, second) = (configstring(1313, ""), configstring(1314, ""));
    for gone in [
        [&first[..], &line("x"), &second, &line("x")],
        [&line("x"), &first, &line("x"), &second],
        [&line("x"), &line("x"), &first, &second],
    ] {
        let blocks = [begin(&["stg\\male/grunt", "x\\male/grunt", "x\\male/grunt"]), gone.concat()];
        assert_eq!(leavers(&blocks), [1, 2].map(|slot| ("x".to_owned(), Some(slot))));
    }
    // Names are told apart by their bytes.
    let bright = [&[13][..], &1313u16.to_le_bytes(), b"\xF8\\male/grunt\0"].concat();
    let begins = [begin(&["stg\\male/grunt", "y\\male/grunt", "x\\male/grunt"]), bright].concat();
    let said = [10, 2].iter().chain(b"\xF8 disconnected\n\0").copied().collect::<Vec<_>>();
    let blocks = [begins, [&second[..], &line("x"), &first, &said].concat()];
    assert_eq!(leavers(&blocks), [2, 1].map(|slot| ("x".to_owned(), Some(slot))));

    let begins = begin(&["stg\\male/grunt", "beta\\female/athena"]);
    let zed = [configstring(1313, "zed\\male/grunt"), print(2, "zed connected\n")].concat();
    for gone in [line("beta"), [line("beta"), first.clone()].concat(), [first, line("beta")].concat()] {
        let all = words(&told(&[[&begins[..], &frame(1, &[])].concat(), [&gone[..], &zed].concat()]));
        assert_eq!(all[1..], ["beta leaves", "zed joins"]);
    }
}

/// A slot that is emptied and filled over and over in a block is left by whom a line names, in time in proportion to the
/// length of the recording.
#[test]
fn a_slot_is_emptied_over_and_over() {
    let begins = [begin(&["stg\\male/grunt", "beta\\female/athena"]), frame(1, &[])].concat();
    let line = |name: &str| print(2, &format!("{name} disconnected\n"));
    let once = [configstring(1313, ""), configstring(1313, "zed\\male/grunt")].concat();
    let lines: Vec<u8> = (0..28_000).flat_map(|_| line("bob")).chain(line("beta")).collect();
    let begin = std::time::Instant::now();
    assert_eq!(words(&told(&[begins, [once.repeat(20_000), lines].concat(), frame(2, &[])]))[1..], ["beta leaves"]);
    assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
}

/// The board of id's game and of mods lists those who are there (`DeathmatchScoreboardMessage`), so whoever leaves wins nothing,
/// and the best of the others does.
#[test]
fn who_left_does_not_win() {
    let board = |scores: &[(usize, i16)]| {
        let text: String =
            scores.iter().map(|(slot, score)| format!("client 0 {} {slot} {score} 40 1 ", slot * 32)).collect();
        [&[4][..], text.as_bytes(), &[0]].concat()
    };
    let leaves = || (30, [configstring(1313, ""), print(2, "beta disconnected\n")].concat());
    let [stg, beta, left] = [("stg", 0, Holder::Stayed(0)), ("beta", 7, Holder::Stayed(1)), ("beta", 7, Holder::Left)];
    let cid = |score| ("cid", score, Holder::Stayed(2));
    for (last, score, gone, winner, order) in [
        (60, 3, true, Some("cid"), [cid(3), stg, left]),
        (60, 0, true, None, [stg, cid(0), left]),
        (32, 3, true, Some("cid"), [cid(3), stg, left]),
        (60, 3, false, Some("beta"), [beta, cid(3), stg]),
    ] {
        let first = begin(&["stg\\male/grunt", "beta\\female/athena", "cid\\male/grunt"]);
        let mut blocks = vec![
            (1, first),
            (2, print(2, "Fight!\n")),
            (4, board(&[(0, 0), (1, 7), (2, score)])),
            (last, print(2, "Timelimit hit. Match ended.\n")),
        ];
        blocks.extend(gone.then(leaves));
        let mut all = Vec::new();
        stats(&framed(&blocks, last + 5)[..], "made.dm2", Limits::default(), &mut |period| {
            all.extend((period.kind == PeriodKind::Match).then_some(period));
            Ok(())
        })
        .unwrap();
        assert_eq!((all.len(), all[0].ending), (1, Some(Ending::TimeLimit)));
        let places: Vec<_> = all[0].places.iter().map(|place| (&*place.name, place.score, place.holder)).collect();
        assert_eq!((all[0].winner.as_deref(), &places[..]), (winner, &order[..]), "{last} {score}");
    }
}

/// OSP Tourney tells of everybody who begins to play how many do (`OSP_startObserve`, `CameraCmd`): of who comes, and of who
/// watched for a while.
#[test]
fn who_begins_to_play_in_osp_tourney_joins_once() {
    let first = || [begin(&["stg\\male/grunt"]), frame(1, &[])].concat();
    let beta = || configstring(1313, "beta\\female/athena");
    let plays = |clients: &str| print(2, &format!("beta entered the game (clients = {clients})\n"));
    let leaves = || print(2, "beta wimped out and left. (clients = 1)\n");
    for (blocks, expected) in [
        (vec![first(), beta(), plays("2"), plays("2"), leaves()], vec!["beta joins", "beta leaves"]),
        (vec![first(), beta(), plays("two"), leaves()], vec!["beta leaves"]),
        (
            vec![first(), beta(), plays("2"), leaves(), beta(), plays("2"), plays("2")],
            vec!["beta joins", "beta leaves", "beta joins"],
        ),
        // Whose configstring stays as it is.
        (vec![first(), beta(), plays("2"), leaves(), plays("2")], vec!["beta joins", "beta leaves", "beta joins"]),
        (vec![first(), beta(), print(2, "beta connected\n"), plays("2")], vec!["beta joins"]),
        // Who is there when the level begins, whenever that is told.
        (vec![begin(&["stg\\male/grunt"]), beta(), frame(1, &[]), plays("2")], vec![]),
        (vec![begin(&["stg\\male/grunt", "beta\\male/grunt"]), frame(1, &[]), plays("2")], vec![]),
    ] {
        assert_eq!(words(&told(&blocks))[1..], expected, "{blocks:?}");
    }
}

/// Who connects and leaves before entering the game leaves a free slot behind, whether the line that says so stands in front of
/// the empty configstring (id's `ClientDisconnect`) or behind it in the block.
#[test]
fn a_slot_that_was_left_at_once() {
    let comes = |name: &str| {
        [configstring(1314, &format!("{name}\\male/grunt")), print(2, &format!("{name} connected\n"))].concat()
    };
    let (empty, line) = (configstring(1314, ""), print(2, "early disconnected\n"));
    for leaves in [[line.clone(), empty.clone()], [empty, line]] {
        let all = told(&[
            begin(&["stg\\male/grunt", "beta\\female/athena"]),
            comes("early"),
            leaves.concat(),
            comes("next"),
            print(2, "next entered the game\n"),
        ]);
        assert_eq!(words(&all)[1..], ["early joins", "early leaves", "next joins"]);
    }
}

/// A recording of four, of whom the third comes into view for one frame and the fourth never does.
fn watched(texts: &[(i32, Vec<u8>)], last: i32) -> Vec<u8> {
    let names = ["stg\\male/grunt", "beta\\female/athena", "cid\\male/grunt", "spy\\male/grunt"];
    // The entity of the third player, number 3, with the model of a player.
    let in_view = [&[0x80, 0x08, 3, 255][..], &[0, 0]].concat();
    let blocks = (1..=last).map(|n| {
        let first = if n == 1 { begin(&names) } else { Vec::new() };
        let told = texts.iter().filter(|(at, _)| *at == n).flat_map(|(_, text)| text.clone());
        let mut frame = frame(n, &[]);
        if n == 17 {
            frame.truncate(frame.len() - 2);
            frame.extend(&in_view);
        }
        [first, told.collect(), frame].concat()
    });
    recording(&blocks.collect::<Vec<_>>())
}

/// The match of such a recording.
fn watched_match(texts: &[(i32, Vec<u8>)], last: i32) -> Period {
    let demo = watched(texts, last);
    let mut all = Vec::new();
    stats(&demo[..], "made.dm2", Limits::default(), &mut |period| {
        all.extend((period.kind == PeriodKind::Match).then_some(period));
        Ok(())
    })
    .unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// The configstrings of Quake II tell of those who watch what they tell of those who play. Of a whole match whoever was never in
/// view, in no death and without a score is no player; of a part of one, that may be one who plays elsewhere. (Source:
/// `PutClientInServer` of the game modules of id and of OpenTDM: who watches has no body.)
#[test]
fn who_watches_a_whole_match_is_no_player_of_it() {
    let begins = || (2, print(2, "Fight!\n"));
    let death = || (30, print(1, "beta was railed by stg\n"));
    let ends = || (60, [print(2, "Timelimit hit. Match ended.\n"), print(2, "stg wins, 1 to 0.\n")].concat());
    let board = |slot: usize| (40, [&[4][..], format!("client 0 0 {slot} 0 40 1").as_bytes(), &[0]].concat());
    let names = |period: &Period| {
        let mut names: Vec<_> = period.players.iter().map(|player| player.who.name.clone()).collect();
        names.sort();
        names
    };
    let whole = watched_match(&[begins(), death(), ends()], 65);
    assert_eq!(names(&whole), ["beta", "cid", "stg"]);
    // The game's own scores tell who plays.
    let scored = watched_match(&[begins(), death(), board(3), ends()], 65);
    assert_eq!(names(&scored), ["beta", "cid", "spy", "stg"]);
    let underway = || (2, print(3, "stg called a time out. Match will resume automatically in 2:00.\n"));
    for part in [&[begins(), death()][..], &[underway(), (12, print(2, "Fight!\n")), death(), ends()]] {
        assert_eq!(names(&watched_match(part, 65)), ["beta", "cid", "spy", "stg"]);
    }
    // Both players of a duel have a place.
    let third = (10, [configstring(1314, ""), print(2, "cid disconnected\n")].concat());
    let duel = watched_match(&[third, (14, print(2, "Fight!\n")), death(), ends()], 65);
    let places: Vec<_> = duel.places.iter().map(|place| (&*place.name, place.score)).collect();
    assert_eq!(places, [("stg", 1), ("beta", 0)]);
}

/// Of the player who did not record a client of Quake II is told no score but by the line that ends a duel.
#[test]
fn the_end_of_a_duel_tells_both_scores() {
    let gone = || (10, [configstring(1314, ""), print(2, "cid disconnected\n")].concat());
    let plays = |ends: &str, begins: &str| {
        let begins = (14, print(if begins == "Fight!\n" { 2 } else { 3 }, begins));
        let death = (30, print(1, "beta was railed by stg\n"));
        let ends = (60, [print(2, "Timelimit hit. Match ended.\n"), print(2, ends)].concat());
        let texts = [gone(), begins, death, ends];
        let period = watched_match(&texts, 70);
        let counted = period.players.iter().map(|player| (player.who.name.clone(), player.counted.get(Measure::Score)));
        let mut counted: Vec<_> = counted.map(|(name, score)| (name, score.map(|score| score as i32))).collect();
        let players = timeline(&watched(&texts, 70)[..], "made.dm2", Limits::default()).unwrap().players;
        let named = |name: &str| players.iter().find(|player| player.name == name).and_then(|player| player.frags);
        let listed: Vec<_> = counted.iter().map(|(name, _)| (name.clone(), named(name))).collect();
        assert_eq!(counted, listed);
        assert_eq!(named("spy"), None);
        counted.sort();
        counted.into_iter().map(|(_, score)| score).collect::<Vec<_>>()
    };
    // In the order of their names: beta, stg.
    assert_eq!(plays("stg wins, 7 to -2.\n", "Fight!\n"), [Some(-2), Some(7)]);
    assert_eq!(plays("beta wins, 5 to 4.\n", "Fight!\n"), [Some(5), Some(4)]);
    // The name of a team, and a match of which another part may show that others play.
    let none = plays("The Home wins, 5 to 4.\n", "Fight!\n");
    assert_eq!(none[0], None);
    let part = "stg called a time out. Match will resume automatically in 2:00.\n";
    assert_eq!(plays("stg wins, 7 to 2.\n", part)[0], None);
}
