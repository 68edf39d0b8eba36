//! Events of Quake II recordings: what the server prints, and the score of the recorder.

use crate::common::{self, all_dm2, file_name};
use qdemo::Limits;
use qdemo::analysis::stats::{Measure, PeriodKind, stats};
use qdemo::event::{Event, EventKind, FragKind, Patterns};
use qdemo::replay::timeline::timeline;
use qdemo::replay::{Options, Pass, Range, Step};
use qdemo::view;
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
    // A replay has three as well, whatever the configstring says, and whoever comes back is the same.
    let back = [configstring(1313, "beta\\female/athena"), print(2, "beta connected\n")].concat();
    for (blocks, people) in
        [(openffa.to_vec(), 3), (rerelease.to_vec(), 3), ([&openffa[..], &[back]].concat(), 3), (vec![first()], 2)]
    {
        let framed: Vec<_> = blocks.iter().zip(1..).map(|(block, n)| [&block[..], &frame(n, &[])].concat()).collect();
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
    let (ann, bob) = (follows(1, 5, 1056 + 8), follows(2, 2, 0));
    assert_eq!(watched(&bar, &[(1, ann), (2, bob), (3, bob), (30, ann)]), ["Ann takes rocket_launcher"]);
    // Later the same thing has been taken again.
    assert_eq!(watched(&bar, &[(1, ann), (2, bob), (31, ann)]), ["Ann takes rocket_launcher"; 2]);
}

/// Jump mods print a line at several levels, and chat behind what has no line end is chat.
#[test]
fn a_line_has_pieces_of_several_levels() {
    let run = [
        print(2, "stg finished in 11.000 seconds (PB "),
        print(3, "-1.345 "),
        print(2, "| 1st +0.500"),
        print(2, ")\n"),
        print(3, "beta: nice run\n"),
        print(2, "5 "),
    ];
    let demo = recording(&[begin(&["stg\\male/grunt", "beta\\female/athena"]), run.concat(), print(3, "beta: gg\n")]);
    let (all, _) = all_events(&demo, "made.dm2");
    let expected = ["stg finished in 11.000 seconds (PB -1.345 | 1st +0.500)", "beta: nice run", "beta: gg", "5"];
    let told: Vec<_> = words(&all).iter().map(|text| text.trim_end().to_owned()).collect();
    assert_eq!(told[1..], expected);
    let slots = all.iter().filter_map(|event| match &event.kind {
        EventKind::Chat(chat) => Some(chat.speaker.as_ref()?.slot),
        _ => None,
    });
    assert_eq!(slots.collect::<Vec<_>>(), [Some(1), Some(1)]);
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
