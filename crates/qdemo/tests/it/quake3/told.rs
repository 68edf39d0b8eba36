//! What the game modules tell of scores and statistics, beside what deaths add up to: in made recordings of every game
//! that has a way of its own.

use super::made_matches::{
    BLUE, FREE, Made, RED, ROCKET, SUICIDE, SWITCH_TEAMS, TELEFRAG, WATCHES, WORLD, differences, numbers, of,
};

use crate::common::{all_dm3, file_name, shared};
use crate::stats;
use qdemo::analysis::stats::{ItemMeasure, Measure, Numbers, WeaponMeasure};

/// Numbers of a scoreboard as words.
fn words(numbers: &[i64]) -> String {
    numbers.iter().map(|n| format!(" {n}")).collect()
}

/// A row of `scores_duel` and one of `dscores`: 14 or 13 weapons, kills and deaths by rockets.
fn duel_row(front: &[i64], weapons: usize, kills: i64) -> String {
    let weapon = |n| if n == 5 { words(&[9, 30, 30, 500, kills]) } else { words(&[0; 5]) };
    words(front) + &(1..=weapons).map(weapon).collect::<String>()
}

/// A duel of Quake Live: slot 4 leads, slot 2 kills itself twice; slot 7 watches. 3 to 1 kills, so 3 to -1.
fn duel(protocol: i32) -> Made {
    let mut made = Made::new(protocol, "baseqz", 1, &[(4, "ace", FREE), (2, "bob", FREE), (7, "eve", WATCHES)]);
    made.start();
    for (victim, killer) in [(2, 4), (2, 4), (4, 2), (2, 2), (2, 2), (2, 4)] {
        made.deaths(&[(victim, killer, ROCKET)]);
    }
    made.own = (3, 4, false);
    made
}

/// For how long somebody had a thing, as the game tells it.
fn held(numbers: &Numbers, item: &str) -> Option<i64> {
    numbers.item(item)?.get(ItemMeasure::TimeMs)
}

/// Configstrings 659 and 660 name the first and the second, and the scoreboard has the first on top: the rows of `dscores`
/// are those of the lower client number and the higher.
#[test]
fn rows_of_duels() {
    let mut made = duel(73);
    made.configstring(659, "ace").configstring(660, "bob");
    let row = |client, score, ping, accuracy, kills, deaths| {
        words(&[client, score, ping, 1, 0, 0, accuracy, 1, 0, 0, 0, 0, 0, 0, 0, kills, deaths, 5])
    };
    // Who watches has the numbers of whom the eyes follow.
    let board = row(4, 3, 30, 40, 3, 1) + &row(2, -1, 50, 20, 1, 5) + &row(7, 3, 70, 40, 3, 1);
    made.command(format!("scores 3 0 0{board}"));
    let rows = [
        duel_row(&[50, 1, 5, 20, 700, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0], 13, 1),
        duel_row(&[30, 3, 1, 40, 1800, 1, 2, 0, 0, 0, 5, 0, 6, 0, 7, 0, 8, 0], 13, 3),
    ];
    made.end().command(format!("scores 3 0 0{board}")).command(format!("dscores{}", rows.concat())).frame();
    let period = made.stats();
    for (name, all, damage, armor) in [("ace", [3, 3, 1], 1800, 5), ("bob", [-1, 1, 5], 700, 1)] {
        let player = of(&period, name);
        assert_eq!(
            numbers(&player.reported, [Measure::Score, Measure::Kills, Measure::Deaths]),
            all.map(Some),
            "{name}"
        );
        assert_eq!(player.reported.get(Measure::DamageGiven), Some(damage));
        assert_eq!(player.reported.taken("red_armor"), Some(armor));
        assert_eq!(differences(player), [], "{name}");
        assert!(period.is_reported(player));
    }
    assert!(period.players.iter().all(|p| p.who.name != "eve"));
    let rocket = of(&period, "ace").reported.weapon("rocket_launcher").unwrap();
    assert_eq!([WeaponMeasure::Kills, WeaponMeasure::Shots].map(|m| rocket.get(m)), [Some(3), Some(30)]);
}

/// In every protocol of Quake Live kills may come with suicides or without them; the sums tell.
#[test]
fn kills_of_duels() {
    for protocol in [73, 90, 91] {
        let weapons = if protocol == 73 { 13 } else { 14 };
        for with_suicides in [false, true] {
            let more = if with_suicides { 2 } else { 0 };
            let row = |client, score, kills, deaths| {
                let front = [client, score, 30, 1, kills, deaths, 40, 5, 1500, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0];
                duel_row(&front, weapons, kills)
            };
            let board = format!("scores_duel 2{}{}", row(2, -1, 1 + more, 5), row(4, 3, 3, 1));
            let mut made = duel(protocol);
            made.end().command(board).frame();
            let period = made.stats();
            let bob = of(&period, "bob");
            let told = numbers(&bob.reported, [Measure::Kills, Measure::KillsAndSuicides, Measure::Deaths]);
            let rocket = bob.reported.weapon("rocket_launcher").unwrap();
            match with_suicides {
                false => assert_eq!(told, [Some(1), None, Some(5)], "{protocol}"),
                true => {
                    assert_eq!(told, [None, Some(3), Some(5)], "{protocol}");
                    assert_eq!(rocket.get(WeaponMeasure::KillsAndSuicides), Some(3));
                }
            }
            assert_eq!(numbers(&bob.counted, [Measure::KillsAndSuicides, Measure::OwnDeaths]), [Some(3), Some(2)]);
            for player in &period.players {
                assert_eq!(differences(player), [], "{protocol} {}", player.who.name);
            }
            // A number that is wrong is named.
            made.command(format!("scores_duel 2{}{}", row(2, -1, 2 + more, 6), row(4, 3, 3, 1))).frame();
            assert!(differences(of(&made.stats(), "bob")).iter().any(|(what, ..)| *what == "deaths"));
        }
    }
}

/// Who gives a duel up: the score is -999, in CPMA -9999 and then that of a player who comes back. Scores and statistics
/// are those of before, and the change of teams is no death in Quake Live.
#[test]
fn forfeits() {
    let mut made = duel(90);
    let row = |client, score, kills, deaths| {
        let front = [client, score, 30, 1, kills, deaths, 40, 5, 1500, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0];
        duel_row(&front, 14, kills)
    };
    let board = format!("scores_duel 2{}{}", row(2, -1, 1, 5), row(4, 2, 3, 1));
    made.configstring(6, "-1").configstring(7, "-999").command(board.clone()).joins(4, WATCHES);
    made.own = (-999, 4, false);
    made.deaths(&[(4, 4, SWITCH_TEAMS)]).end().command(board).frame();
    let period = made.stats();
    let ace = of(&period, "ace");
    assert_eq!(numbers(&ace.counted, [Measure::Score, Measure::Deaths, Measure::Suicides]), [2, 1, 0].map(Some));
    assert_eq!((ace.reported.get(Measure::Deaths), differences(ace)), (Some(1), vec![]));

    let mut made = Made::new(68, "cpma", 1, &[(0, "ace", FREE), (1, "bob", FREE)]);
    made.start().deaths(&[(1, 0, ROCKET)]).deaths(&[(1, 0, ROCKET)]).deaths(&[(0, 1, ROCKET)]);
    made.own = (2, 0, false);
    let stats = |client: i64, score: i64, kills: i64, deaths: i64| {
        let rocket = words(&[9, 30, kills, deaths, 2, 1]);
        format!(
            "mstats {client} 32{rocket} 866 1296 110 35 0 3 6 0 0 2 abaaaaaaaaaa {score} {kills} {deaths} 0 0 0 0 200 2 0 0 0 0"
        )
    };
    made.frame().command(stats(0, 2, 2, 1)).command(stats(1, 1, 1, 2));
    made.joins(0, WATCHES).configstring(710, r"sb\1\sr\-9999").joins(0, FREE);
    made.own = (0, 0, false);
    made.frame().end().command("mstats 0 0 0 0 0 0 0 0 0 0 0 2 abaaaaaaaaaa 0 0 0 0 0 0 0 0 0 0 0 0 0").frame();
    let period = made.stats();
    let ace = of(&period, "ace");
    let measures = [Measure::Score, Measure::WeaponKills, Measure::DamageGiven, Measure::DamageTaken];
    assert_eq!(numbers(&ace.reported, measures), [2, 2, 866, 1296].map(Some));
    assert_eq!((ace.counted.get(Measure::Score), differences(ace)), (Some(2), vec![]));
    assert!(period.is_reported(ace));
}

/// Quake Live's scoreboards of teams: names of the command, words of its head, and a row of a player.
fn team_boards(protocol: i32) -> Vec<(i32, String, RowWords)> {
    let side = |items: usize| words(&(1..=2 * items as i64).collect::<Vec<_>>());
    let old = protocol == 90;
    let tdm: fn(&Row) -> Vec<i64> = match old {
        true => |r| {
            vec![
                r.client,
                r.team,
                1,
                r.score,
                40,
                5,
                r.kills,
                r.deaths,
                33,
                5,
                1,
                2,
                3,
                r.team_kills,
                r.team_deaths,
                900,
            ]
        },
        false => |r| {
            vec![r.client, r.team, r.score, 40, 5, r.kills, r.deaths, 33, 5, 1, 2, 3, r.team_kills, r.team_deaths, 900]
        },
    };
    let ctf: fn(&Row) -> Vec<i64> = match old {
        true => |r| vec![r.client, r.team, 1, r.score, 40, 5, r.kills, r.deaths, 0, 33, 5, 1, 2, 3, 4, 5, 6, 0, 1],
        false => |r| vec![r.client, r.team, r.score, 40, 5, r.kills, r.deaths, 33, 5, 1, 2, 3, 4, 5, 6, 0, 1],
    };
    let ca: fn(&Row) -> Vec<i64> = match old {
        true => |r| vec![r.client, r.team, 1, r.score, 40, 5, r.kills, r.deaths, 33, 5, 44, 900, 1, 2, 3, 0, 1],
        false => |r| vec![r.client, r.team, r.score, 40, 5, r.kills, r.deaths, 33, 5, 44, 900, 1, 2, 3, 0, 1],
    };
    let ft: fn(&Row) -> Vec<i64> = match old {
        true => |r| {
            vec![
                r.client,
                r.team,
                1,
                r.score,
                40,
                5,
                r.kills,
                r.deaths,
                33,
                5,
                1,
                2,
                6,
                4,
                r.team_kills,
                r.team_deaths,
                900,
                1,
            ]
        },
        false => |r| {
            vec![
                r.client,
                r.team,
                r.score,
                40,
                5,
                r.kills,
                r.deaths,
                33,
                5,
                1,
                2,
                3,
                6,
                r.team_kills,
                r.team_deaths,
                900,
                1,
            ]
        },
    };
    let rr: fn(&Row) -> Vec<i64> = match old {
        true => |r| vec![r.client, r.score, 1, 40, 5, r.kills, r.deaths, 0, 33, 5, 44, 1, 2, 3, 4, 5, 0, 0, 1],
        false => |r| vec![r.client, r.score, 1, 40, 5, r.kills, r.deaths, 33, 5, 44, 1, 2, 3, 4, 5, 0, 0, 1],
    };
    let later: fn(&Row) -> Vec<i64> =
        |r| vec![r.client, r.score, 1, 40, 5, r.kills, r.deaths, 33, 5, 44, 900, 1, 2, 3, 4, 5, 0, 0, 1];
    let mut all = vec![
        (3, format!("scores_tdm{}", side(14)), tdm),
        (5, format!("scores_ctf{}", side(17)), ctf),
        (6, format!("scores_ctf{}", side(17)), ctf),
        (4, "scores_ca".to_owned(), ca),
        (9, format!("scores_ft{}", side(14)), ft),
        (12, "scores_rr".to_owned(), rr),
    ];
    if !old {
        all.push((12, "scores_rr".to_owned(), later));
    }
    all
}

/// The words of a row.
type RowWords = fn(&Row) -> Vec<i64>;

/// A row of a scoreboard.
struct Row {
    client: i64,
    team: i64,
    score: i64,
    kills: i64,
    deaths: i64,
    team_kills: i64,
    team_deaths: i64,
}

/// Kills, deaths and awards in each of Quake Live's games of teams. Bob leaves in the middle and comes back: the game counts
/// him anew. Eve watches in the end, and has the numbers of whom she sees.
#[test]
fn games_of_teams() {
    for protocol in [90, 91] {
        for (kind, head, row) in team_boards(protocol) {
            let players = [(0, "ace", RED), (1, "bob", BLUE), (2, "cid", RED), (3, "eve", BLUE)];
            let mut made = Made::new(protocol, "baseqz", kind, &players);
            made.start().deaths(&[(1, 0, ROCKET)]).deaths(&[(2, 0, ROCKET)]).deaths(&[(0, 1, ROCKET)]);
            made.deaths(&[(3, 2, ROCKET)]).deaths(&[(1, WORLD, 19)]);
            made.joins(1, WATCHES).deaths(&[(1, 1, SWITCH_TEAMS)]).joins(1, BLUE).frame();
            made.deaths(&[(0, 1, ROCKET)]).deaths(&[(1, 2, ROCKET)]);
            made.joins(3, WATCHES).frame();
            let row_of = |client, team, score, [kills, deaths, team_kills, team_deaths]: [i64; 4]| {
                words(&row(&Row { client, team, score, kills, deaths, team_kills, team_deaths }))
            };
            let rows = [
                row_of(0, 1, 7, [1, 2, 1, 0]),
                row_of(2, 1, 6, [2, 1, 0, 1]),
                row_of(1, 2, 5, [1, 1, 0, 0]),
                row_of(3, 3, 7, [0, 0, 0, 0]),
            ];
            made.own = (7, 0, false);
            made.end().command(format!("{head} 4 7 9{}", rows.concat())).frame();
            let period = made.stats();
            let context = format!("{protocol} {kind} {head}");
            for name in ["ace", "bob", "cid"] {
                let player = of(&period, name);
                assert_eq!(differences(player), [], "{context} {name}");
                assert!(period.is_reported(player));
                let awards = numbers(&player.reported, [Measure::Impressive, Measure::Excellent, Measure::Accuracy]);
                assert_eq!(awards, [1, 2, 33].map(Some), "{context} {name}");
            }
            let bob = of(&period, "bob");
            let measures = [Measure::Kills, Measure::Deaths, Measure::Suicides];
            assert_eq!(numbers(&bob.counted, measures), [2, 3, 0].map(Some), "{context}");
            assert_eq!(numbers(&bob.reported, measures), [Some(1), Some(1), None], "{context}");
            assert_eq!(of(&period, "eve").reported.get(Measure::Score), None, "{context}");
            let team = |name: &str| period.teams.iter().find(|team| team.name == name).unwrap();
            if kind != 12 {
                let scores = [team("red"), team("blue")].map(|t| t.reported.get(Measure::Score));
                assert_eq!(scores, [Some(7), Some(9)], "{context}");
            }
            match kind {
                // Red rover, which everybody wins alone.
                12 => assert!(period.teams.is_empty(), "{context}"),
                // The tenth word of each team is for how long it had the quad damage, in seconds; with flags the twelfth.
                3 | 9 => {
                    assert_eq!(
                        [team("red"), team("blue")].map(|t| held(&t.reported, "quad")),
                        [10_000, 24_000].map(Some)
                    )
                }
                5 | 6 => {
                    assert_eq!(
                        [team("red"), team("blue")].map(|t| held(&t.reported, "flag")),
                        [17_000, 34_000].map(Some)
                    )
                }
                _ => assert!(team("red").reported.items().all(|(_, item)| item.get(ItemMeasure::TimeMs).is_none())),
            }
            match kind {
                9 => assert_eq!(bob.reported.get(Measure::Thaws), Some(6), "{context}"),
                5 | 6 => assert_eq!(
                    numbers(&bob.reported, [Measure::Defends, Measure::Assists, Measure::Captures]),
                    [4, 5, 6].map(Some)
                ),
                4 | 12 => assert_eq!(bob.reported.get(Measure::BestWeaponAccuracy), Some(44), "{context}"),
                _ => assert_eq!(
                    numbers(&of(&period, "ace").reported, [Measure::TeamKills, Measure::TeamDeaths]),
                    [Some(1), Some(0)]
                ),
            }
        }
    }
}

/// Protocol 73: rows of statistics behind the scoreboard, and lines that are left out where another is followed.
#[test]
fn older_games_of_teams() {
    let players = [(0, "ace", RED), (1, "bob", BLUE), (2, "cid", RED)];
    let board = |client, score, kills, deaths| {
        words(&[client, score, 40, 5, 0, 0, 33, 1, 2, 3, 4, 5, 0, 6, 1, kills, deaths, 5])
    };
    let castats = |weapons| (1..=weapons).map(|n| if n == 5 { " 33 1" } else { " 0 0" }).collect::<String>();
    for (kind, lines) in [
        (
            3,
            vec![
                format!("tdmscores2{} 0 1 0 1 0 900 1 2 0 0 0 800 2 1 0 0 1 700", words(&[3; 28])),
                "tdmstats 0 0 1 0 900 800 1 2 3 4 5 6".to_owned(),
            ],
        ),
        (3, vec![format!("tdmscores{} 0 1 1 0 900 1 2 0 0 800 2 1 0 1 700", words(&[3; 16]))]),
        (5, vec!["ctfstats 0 0 900 800 1 2 3 4 5 6 7 8 9".to_owned()]),
        (4, vec![format!("castats 0 900 800{}", castats(13)), "cascores 0 1 0 900 41 1 2 0 800 39".to_owned()]),
        (4, vec![format!("castats 0 900 800{}", castats(15))]),
    ] {
        let mut made = Made::new(73, "baseqz", kind, &players);
        made.start().deaths(&[(1, 0, ROCKET)]).deaths(&[(2, 0, ROCKET)]).deaths(&[(0, 1, ROCKET)]);
        made.own = (5, 0, false);
        made.end();
        made.command(format!("scores 3 0 0{}{}{}", board(0, 5, 1, 1), board(1, 4, 1, 1), board(2, 3, 0, 1)));
        for line in &lines {
            made.command(line.clone());
        }
        made.frame();
        let period = made.stats();
        let ace = of(&period, "ace");
        assert_eq!(ace.reported.get(Measure::DamageGiven), Some(900), "{lines:?}");
        assert_eq!(numbers(&ace.reported, [Measure::Captures, Measure::Assists]), [6, 5].map(Some));
        for player in &period.players {
            assert_eq!(differences(player), [], "{lines:?} {}", player.who.name);
        }
        if lines[0].starts_with("castats") {
            let rocket = ace.reported.weapon("rocket_launcher").unwrap();
            assert_eq!([WeaponMeasure::Accuracy, WeaponMeasure::Kills].map(|m| rocket.get(m)), [Some(33), Some(1)]);
        }
    }
}

/// OSP itself counts the armours that a player took. A recording shows those taken while he is seen: no more, and of green ones
/// some. Nobody takes Team Arena's items there.
#[test]
fn green_armor_of_osp() {
    let mut seen = 0;
    for path in all_dm3() {
        let periods = stats::of(&path);
        for period in periods.iter().filter(|period| period.rules.module.as_deref() == Some("osp")) {
            for player in &period.players {
                let name = file_name(&path);
                assert_eq!(player.counted.taken("kamikaze"), None, "{name}");
                let told = player.reported.taken("green_armor").filter(|_| period.is_reported(player));
                if let Some(told) = told {
                    let counted = player.counted.taken("green_armor").unwrap_or(0);
                    assert!(counted <= told, "{name}: {}: {counted} of {told}", player.who.name);
                    seen += counted;
                }
            }
        }
    }
    eprintln!("{seen} green armours");
    if shared("corpus").is_some() {
        assert!(seen >= 10);
    }
}

/// OSP tells of whoever is seen, without a number: the team is the third word. Deaths are those by enemies.
#[test]
fn statistics_of_osp() {
    for (protocol, layout) in [(48, 0), (66, 1), (67, 2), (68, 2)] {
        let mut made =
            Made::new(protocol, "osp", 3, &[(0, "^xCCCCCC[EYE]^1ace", RED), (1, "bob", BLUE), (2, "cid", RED)]);
        made.start().deaths(&[(1, 0, ROCKET)]).deaths(&[(1, 0, TELEFRAG)]).deaths(&[(2, 0, ROCKET)]);
        made.deaths(&[(0, 1, ROCKET)]).deaths(&[(0, 2, ROCKET)]).deaths(&[(0, 0, ROCKET)]).deaths(&[(0, WORLD, 19)]);
        // 2 kills, one death by an enemy, 2 by nobody, a team mate killed.
        let front = words(&[1, -1, 1, 2, 1, 2, 1, 100, 900, 800]);
        let rest = match layout {
            0 => {
                words(&[0; 7])
                    + &(1..=9).map(|n| if n == 5 { words(&[30, 9, 1, 1]) } else { words(&[0; 4]) }).collect::<String>()
            }
            1 => words(&[0, 0, 0, 0, 0, 0, 0, 32, 9, 30, 1, 1]),
            _ => words(&[50 << 16, 25 << 16, 0, 0, 0, 0, 0, 1, 2, 3, 4, 32, 9 | 1 << 16, 30 | 2 << 16, 1, 1]),
        };
        made.own = (-1, 0, false);
        made.command(format!("statsinfo{front}{rest}")).end().frame();
        let period = made.stats();
        let ace = of(&period, "[EYE]ace");
        let measures = [Measure::Score, Measure::Kills, Measure::EnemyDeaths, Measure::OwnDeaths, Measure::TeamKills];
        assert_eq!(numbers(&ace.reported, measures), [-1, 2, 1, 2, 1].map(Some), "{protocol} {layout}");
        assert_eq!(numbers(&ace.counted, measures), [-1, 2, 1, 2, 1].map(Some), "{protocol} {layout}");
        assert_eq!(differences(ace), []);
        assert!(period.is_reported(ace));
        let rocket = ace.reported.weapon("rocket_launcher").unwrap();
        let weapon = [WeaponMeasure::Hits, WeaponMeasure::Shots, WeaponMeasure::Kills, WeaponMeasure::Deaths];
        assert_eq!(weapon.map(|m| rocket.get(m)), [9, 30, 1, 1].map(Some), "{layout}");
        assert_eq!(ace.reported.taken("red_armor"), (layout == 2).then_some(3));
    }
    // The same name in a game that does not know colours of six digits.
    let mut made = Made::new(68, "baseq3", 3, &[(0, "^xCCCCCC[EYE]^1ace", RED), (1, "bob", BLUE)]);
    made.start().end().frame();
    of(&made.stats(), "CCCCCC[EYE]ace");
}

/// CPMA: `mstats` and `xstats2` count weapons' kills and deaths by enemies; between two rounds nothing counts, and whoever
/// follows another has the own score in the other's state.
#[test]
fn rounds_of_cpma() {
    let mut made = Made::new(68, "cpma", 7, &[(0, "ace", RED), (1, "bob", BLUE), (2, "cid", RED)]);
    made.start()
        .deaths(&[(1, 0, ROCKET)])
        .deaths(&[(1, 0, TELEFRAG)])
        .deaths(&[(0, 2, ROCKET)])
        .deaths(&[(0, 0, ROCKET)]);
    let between = (made.time + 5000).to_string();
    made.configstring(672, &format!(r"\tw\{between}\ts\1\sr\3\sb\0")).frame();
    made.deaths(&[(0, 0, SUICIDE)]).deaths(&[(1, 0, ROCKET)]);
    made.configstring(672, r"\tw\0\ts\1\sr\3\sb\0").frame();
    made.deaths(&[(0, 1, ROCKET)]);
    made.command("xscores 3 0 9 abababab 5 0 866 1296 1 7 abababab 5 0 300 400 2 6 abababab 5 0 100 50");
    made.own = (9, 0, false);
    made.frame();
    // Dead, ace follows cid: the score in that state is still ace's.
    made.own = (9, 2, true);
    made.frame();
    let line = "xstats2 0 32 9 30 1 1 2 1 866 1296 110 35 1 3 6 2 258 4 112397 2 1002 2 abaaaaaaaaaa 9 1 1 1 1 100 0 200 2 0 0 0 0";
    made.end().command(line).frame();
    let period = made.stats();
    let ace = of(&period, "ace");
    assert_eq!(differences(ace), []);
    let measures = [
        Measure::Score,
        Measure::WeaponKills,
        Measure::WeaponDeaths,
        Measure::OwnDeaths,
        Measure::TeamKills,
        Measure::Telefrags,
    ];
    assert_eq!(numbers(&ace.counted, measures), [9, 1, 1, 1, 0, 1].map(Some));
    assert_eq!(numbers(&ace.reported, measures), [9, 1, 1, 1, 0, 1].map(Some));
    assert_eq!((ace.reported.taken("quad"), held(&ace.reported, "quad")), (Some(4), Some(112_397)));
    assert_eq!((ace.reported.taken("blue_flag"), held(&ace.reported, "blue_flag")), (Some(2), Some(1002)));
    let cid = of(&period, "cid");
    assert_eq!((cid.counted.get(Measure::Score), cid.reported.get(Measure::Score)), (Some(6), Some(6)));
    assert_eq!(cid.counted.get(Measure::Deaths), Some(0));
}

/// CPMA 1.50: at the end of a duel winner and loser have the numbers 0 and 1, whatever their slots.
#[test]
fn ends_of_duels_of_cpma() {
    let mut made = Made::new(68, "cpma", 1, &[(4, "^1ace", FREE), (2, "bob", FREE), (0, "eve", WATCHES)]);
    made.start().deaths(&[(2, 4, ROCKET)]).deaths(&[(2, 4, ROCKET)]).deaths(&[(4, 2, ROCKET)]);
    made.own = (2, 4, false);
    let stats = |client: i64, score: i64, kills: i64, deaths: i64, damage: i64| {
        let rocket = words(&[9, 30, kills, deaths, 2, 1]);
        format!(
            "xstats2a {client} 32{rocket} {damage} 500 110 35 0 3 6 0 0 2 abaaaaaaaaaa {score} {kills} {deaths} 0 0 0 0 200 2"
        )
    };
    made.end()
        .command("duelendscores \"^1ace\" \"bob\" 0")
        .command(stats(0, 2, 2, 1, 900))
        .command(stats(1, 1, 1, 2, 500))
        .frame();
    let period = made.stats();
    for (name, all) in [("ace", [2, 2, 1, 900]), ("bob", [1, 1, 2, 500])] {
        let player = of(&period, name);
        let measures = [Measure::Score, Measure::WeaponKills, Measure::WeaponDeaths, Measure::DamageGiven];
        assert_eq!(numbers(&player.reported, measures), all.map(Some), "{name}");
        assert_eq!(differences(player), [], "{name}");
    }
}

/// The base game, Team Arena and OpenArena tell scores and awards, by words of other numbers. Of a match whose beginning was
/// not recorded only the score can be compared.
#[test]
fn scoreboards_of_other_games() {
    for (protocol, game, kind, head, row) in [
        (48, "baseq3", 0, "", 14),
        (68, "baseq3", 0, "", 14),
        (68, "baseq3", 4, "", 14),
        (68, "missionpack", 6, "", 14),
        (71, "baseoa", 0, " 0", 15),
        (71, "baseoa", 9, " 0", 15),
        (73, "baseqz", 0, "", 18),
    ] {
        let team = if kind < 3 { FREE } else { RED };
        let mut made = Made::new(
            protocol,
            game,
            kind,
            &[(0, "ace", team), (1, "bob", if team == RED { BLUE } else { FREE }), (2, "eve", WATCHES)],
        );
        made.start().deaths(&[(1, 0, ROCKET)]);
        made.own = (1, 0, false);
        made.frame().end();
        let board = |client: i64, score: i64| {
            words(&[client, score, 40, 5, 0, 0, 33, 1, 2, 3, 4, 5, 1, 6, 1, score, 1 - score, 5][..row])
        };
        made.command(format!("scores 3 0 0{head}{}{}{}", board(0, 1), board(1, 0), board(2, 1))).frame();
        let period = made.stats();
        let ace = of(&period, "ace");
        let measures = [
            Measure::Impressive,
            Measure::Excellent,
            Measure::GauntletAwards,
            Measure::Defends,
            Measure::Assists,
            Measure::Perfect,
            Measure::Captures,
        ];
        assert_eq!(numbers(&ace.reported, measures), [1, 2, 3, 4, 5, 1, 6].map(Some), "{protocol} {game}");
        assert_eq!(differences(ace), []);
        assert_eq!(of(&period, "bob").counted.get(Measure::Score), Some(0));
        assert!(period.players.iter().all(|p| p.who.name != "eve"), "{protocol} {game}");
    }
}

/// Scores of a race are times in ms.
#[test]
fn races() {
    let mut made = Made::new(91, "", 2, &[(0, "ace", FREE), (3, "bob", FREE)]);
    made.start();
    made.own = (45_175, 0, false);
    made.end().command("scores_race 2 0 45175 30 5 3 51200 60 4").frame();
    let period = made.stats();
    assert_eq!(of(&period, "ace").reported.get(Measure::Score), Some(45_175));
    assert_eq!(numbers(&of(&period, "bob").counted, [Measure::Score]), [Some(51_200)]);
}
