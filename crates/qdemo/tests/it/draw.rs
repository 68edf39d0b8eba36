//! Pictures: what is in them is what the recording tells, and they are well-formed whatever it says.

use qdemo::Limits;
use qdemo::draw::{Choice, Picture, Size, Subject, draw};
use qdemo::replay::Range;
use qdemo::text::{Options, compile_bytes, decompile_bytes};
use qdemo::view::{self, LevelAt, Mark, MarkKind, MatchAt, Replay, Values, Who};

use crate::common::{all_dem, all_dm2, all_dm3, all_mvd2, all_quakeworld, file_name, testdata};
use crate::quake3::made::{Made, eyes};

fn read(name: &str) -> Replay {
    view::read(&testdata(name)[..], name, Limits::default(), Range::ALL).unwrap().0
}

fn picture(replay: &Replay, subject: Subject) -> Result<Picture, String> {
    draw(replay, &Choice::new(subject)).map_err(|e| e.to_string())
}

/// Every element is closed by one of its name, and nothing stands in the text that XML cannot have.
fn is_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>') && text.chars().all(|c| c >= ' ' || "\n\t\r".contains(c)), "{text:?}");
        let (tag, behind) = after.split_once('>').expect("a tag ends");
        let name = |tag: &str| tag.split([' ', '/']).next().unwrap_or_default().to_owned();
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed)),
            None if tag.ends_with('/') => {}
            None => open.push(name(tag)),
        }
        assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
        rest = behind;
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_death_is_in_the_picture() {
    let replay = read("oa-dm4.dm_71");
    let died = replay.about.marks.iter().filter(|mark| matches!(mark.kind, MarkKind::Frag { .. })).count();
    let picture = picture(&replay, Subject::Deaths).unwrap();
    assert_eq!(picture.count + picture.without_place, died);
    assert!(picture.count > died / 2, "most of them have a place");
    assert_eq!(picture.svg.matches("<circle").count() - people(&picture), picture.count, "a dot for each");
    assert!(picture.svg.contains("Deaths on oa_dm4") && picture.svg.contains("units</text>"));
}

/// A team kill whose killer is not told has no place, and is counted as such.
#[test]
fn kills_by_somebody_are_counted() {
    let mut replay = read("oa-dm4.dm_71");
    let told = picture(&replay, Subject::Kills).unwrap();
    let kill = replay.about.marks.iter_mut().find_map(|mark| match &mut mark.kind {
        MarkKind::Frag { attacker, from, frag_kind, .. } if frag_kind == "kill" => Some((attacker, from, frag_kind)),
        _ => None,
    });
    let (attacker, from, frag_kind) = kill.unwrap();
    (*attacker, *from, *frag_kind) = (None, None, "team_kill".into());
    let picture = picture(&replay, Subject::Kills).unwrap();
    assert_eq!(picture.count + picture.without_place, told.count + told.without_place);
}

/// Lines of the legend: each begins with a disc that tells nothing.
fn people(picture: &Picture) -> usize {
    picture.svg.matches("\"></circle>").count()
}

#[test]
fn players_and_weapons_choose() {
    let replay = read("oa-dm4.dm_71");
    let choose = |subject, player: &[&str], weapon: Option<&str>| {
        let players = player.iter().map(|it| (*it).to_owned()).collect();
        draw(&replay, &Choice { players, weapon: weapon.map(str::to_owned), ..Choice::new(subject) })
    };
    let count = |player: &[&str]| {
        let picture = choose(Subject::Deaths, player, None).unwrap();
        picture.count + picture.without_place
    };
    let frags = |name: &str| {
        let is = |mark: &&Mark| matches!(&mark.kind, MarkKind::Frag { victim, .. } if victim.name == name);
        replay.about.marks.iter().filter(is).count()
    };
    assert_eq!([count(&["ANGEL"]), count(&["sarge"])], [frags("Angelyss"), frags("Sarge")]);
    assert_eq!(count(&["angelyss", "sarge"]), frags("Angelyss") + frags("Sarge"));
    let nobody = choose(Subject::Paths, &["nobody"], None).unwrap_err().to_string();
    assert!(nobody.contains("\"nobody\"") && nobody.contains("Angelyss"), "it says who is there: {nobody}");
    let rail = choose(Subject::Kills, &[], Some("trebuchet")).unwrap_err().to_string();
    assert!(rail.contains("rocket_launcher"), "it says which weapons are there: {rail}");
    let rockets = choose(Subject::Kills, &[], Some("Rocket Launcher")).unwrap();
    assert!(rockets.count > 0 && rockets.count < choose(Subject::Kills, &[], None).unwrap().count);
}

/// In QuakeWorld anybody may say to be of the red team: the settings tell whether it is a game of teams.
#[test]
fn teams_are_those_of_a_game_of_teams() {
    let mut replay = read("ez-dm.mvd");
    let slots: Vec<_> = replay.values.iter().filter(|it| replay.string(it.name) == "frags").map(|it| it.slot).collect();
    let first = replay.about.strings.len() as u32;
    replay.about.strings.extend(["team", "red"].map(str::to_owned));
    replay.values.retain(|it| replay.about.strings[it.name as usize] != "team");
    let of = |slot| Values { slot, name: first, keys: vec![(0, Some(i64::from(first) + 1))] };
    replay.values.extend(slots.into_iter().map(of));
    for (in_teams, game, shown) in
        [(false, "quakeworld", false), (true, "quakeworld", true), (false, "quake2", true), (false, "quake3", false)]
    {
        (replay.about.teams, replay.about.game) = (in_teams, game.to_owned());
        replay.about.levels[0].teams = in_teams;
        let svg = picture(&replay, Subject::Scores).unwrap().svg;
        assert_eq!(svg.contains("1 team<") || svg.contains(">red<"), shown, "{in_teams} {game}");
    }
    // What the game counts of its own for a team stands for the sum.
    replay.about.strings.push("score_red".to_owned());
    replay.values.push(Values { slot: None, name: first + 2, keys: vec![(0, Some(3))] });
    (replay.about.teams, replay.about.game) = (true, "quake3".to_owned());
    replay.about.levels[0].teams = true;
    let svg = picture(&replay, Subject::Scores).unwrap().svg;
    assert!(svg.contains(">3<") && svg.contains(">points<"));
}

/// A level of teams has scores of teams, one without has those of its players.
#[test]
fn levels_of_teams_and_others_have_their_own_scores() {
    let mut replay = Replay::default();
    replay.rows = (0..100).map(|n| n * 100).collect();
    replay.about.game = "quake3".to_owned();
    replay.about.teams = true;
    replay.about.levels =
        [(0, true), (50, false)].map(|(row, teams)| LevelAt { row, teams, ..LevelAt::default() }).to_vec();
    replay.about.strings = ["name", "team", "frags", "score_red", "score_blue", "red", "blue", "free", "Ada", "Bob"]
        .map(str::to_owned)
        .to_vec();
    let values =
        |slot, name, keys: [(u32, i64); 2]| Values { slot, name, keys: keys.map(|(row, v)| (row, Some(v))).to_vec() };
    replay.values = vec![
        values(None, 3, [(0, 0), (20, 2)]),
        values(None, 4, [(0, 0), (30, 1)]),
        values(Some(0), 0, [(0, 8), (50, 8)]),
        values(Some(0), 1, [(0, 5), (50, 7)]),
        values(Some(0), 2, [(0, 77), (50, 11)]),
        values(Some(1), 0, [(0, 9), (50, 9)]),
        values(Some(1), 1, [(0, 6), (50, 7)]),
        values(Some(1), 2, [(0, 88), (50, 12)]),
    ];
    let svg = picture(&replay, Subject::Scores).unwrap().svg;
    for told in [">red<", ">2<", ">blue<", ">1<", ">Ada<", ">11<", ">Bob<", ">12<"] {
        assert!(svg.contains(told), "{told}");
    }
    assert!(!svg.contains(">free<") && !svg.contains(">77<") && svg.contains("4 lines"));
    replay.about.levels[1].teams = true;
    assert!(!picture(&replay, Subject::Scores).unwrap().svg.contains(">Ada<"));
}

/// In Quake Live's red rover everybody plays to win, whatever the team, so that teams have no scores.
#[test]
fn teams_that_win_nothing_have_no_scores() {
    for (game_type, for_oneself) in [(3, false), (12, true)] {
        let info = format!(r"\gamename\baseqz\g_gametype\{game_type}");
        let mut made = Made::new(90, &info, 60, &[1, 1, 2]);
        made.block(&[], &eyes(0), &[]);
        made.wait(3, &eyes(0), &[]);
        let mut replay = view::read(&made.bytes()[..], &made.name(), Limits::default(), Range::ALL).unwrap().0;
        let [level] = &replay.about.levels[..] else { panic!("{:?}", replay.about.levels) };
        assert_eq!((level.teams, level.for_oneself), (true, for_oneself));
        let mut teams = Vec::new();
        qdemo::analysis::stats::stats(&made.bytes()[..], &made.name(), Limits::default(), &mut |period| {
            let row = qdemo::table::one_match(&period, 0);
            let mut cell = Vec::new();
            qdemo::table::MATCHES.column("in_teams").unwrap().values.write(&row, &mut cell);
            assert_eq!(cell, if for_oneself { &b"false"[..] } else { b"true" });
            teams.extend(period.teams.into_iter().map(|team| team.name));
            Ok(())
        })
        .unwrap();
        assert_eq!(teams, if for_oneself { &[][..] } else { &["blue", "red"] }, "{game_type}");
        let frags = replay.about.strings.len() as u32;
        replay.about.strings.push("frags".to_owned());
        let scores = [(0, 7), (1, 8), (2, 9)].map(|(slot, score)| Values {
            slot: Some(slot),
            name: frags,
            keys: vec![(0, Some(score))],
        });
        replay.values.retain(|it| replay.about.strings[it.name as usize] != "frags");
        replay.values.extend(scores);
        let svg = picture(&replay, Subject::Scores).unwrap().svg;
        for (line, is_of_team) in [(">red<", true), (">15<", true), (">p0<", false), (">7<", false), (">p2<", false)] {
            assert_eq!(svg.contains(line), is_of_team != for_oneself, "{line} of {game_type}");
        }
    }
}

/// A part has the levels that it shows: those behind it tell nothing of it.
#[test]
fn a_part_without_teams_has_none() {
    let mut replay = Replay::default();
    replay.rows = (0..100).map(|n| n * 100).collect();
    replay.about.game = "quakeworld".to_owned();
    replay.about.teams = true;
    replay.about.levels =
        [(0, true), (30, false), (60, true)].map(|(row, teams)| LevelAt { row, teams, ..LevelAt::default() }).to_vec();
    replay.about.strings =
        ["name", "team", "frags", "red", "blue", "tot", "Ada", "Bob", "Cid"].map(str::to_owned).to_vec();
    let values = |slot, name, row, v| Values { slot: Some(slot), name, keys: vec![(row, Some(v))] };
    for (slot, row, team) in [(0, 0, 3), (1, 0, 4), (2, 40, 5)] {
        let own = [(0, 6 + i64::from(slot)), (1, team), (2, 1)];
        replay.values.extend(own.map(|(name, v)| values(slot, name, row, v)));
    }
    for (from, to, teams) in [(0, 2_000, true), (3_000, 5_999, false), (0, 5_999, true), (6_000, 9_900, true)] {
        let part = replay.between(from, to);
        assert_eq!(part.about.teams, teams, "{from} to {to}");
        let svg = picture(&part, Subject::Scores).unwrap().svg;
        assert_eq!(svg.contains(">red<"), teams, "{from} to {to}");
        // Only the last level has three teams.
        assert_eq!(svg.contains(">tot<"), from == 6_000, "{from} to {to}");
    }
}

/// Who goes to watch in QuakeWorld has no score any more, whatever the server tells.
#[test]
fn who_watches_has_no_score() {
    let text = |teamplay: u8| {
        let who = |slot: u8, name: &str, frags: i16, more: &str| {
            format!(
                r#"updateuserinfo {{ player {slot}; user {}; string "\\name\\{name}{more}"; }} updatefrags {{ player {slot}; frags {frags}; }} "#,
                slot + 1
            )
        };
        let [red, blue] = ["red", "blue"].map(|team| format!(r"\\team\\{team}"));
        let first = [
            who(0, "Anna", 10, &red),
            who(1, "Bob", 7, &blue),
            who(2, "Cid", 5, &red),
            who(3, "Eve", -999, r"\\*spectator\\1"),
        ];
        let watches = who(0, "Anna", -999, &format!(r"{red}\\*spectator\\1"));
        format!(
            r#"mvd;
            mblock {{ msec 0; all; serverdata {{ serverversion 28; age 1; game "qw"; servertime 1; mapname "Two";
                movevars 800 100 320 500 10 10 10 4 4 1; }} stufftext "fullserverinfo \"\\teamplay\\{teamplay}\"\n"; }}
            mblock {{ msec 100; all; {} }}
            mblock {{ msec 200; all; {watches} }}
            mblock {{ msec 200; all; updatefrags {{ player 1; frags 8; }} }}
            mblock {{ msec 10; all; disconnect "EndOfDemo"; }}"#,
            first.concat()
        )
    };
    for (teamplay, shown) in [(2, [("red", 15), ("blue", 8)].as_slice()), (0, &[("Anna", 10), ("Bob", 8), ("Cid", 5)])]
    {
        let demo = qdemo::text::compile_bytes(text(teamplay).as_bytes(), "made.mvd").unwrap();
        let replay = view::read(&demo[..], "made.mvd", Limits::default(), Range::ALL).unwrap().0;
        assert_eq!(replay.players_and_spectators(), [3, 1]);
        let svg = picture(&replay, Subject::Scores).unwrap().svg;
        let legend = svg.split_once("Score at the end").unwrap().1.to_owned();
        let texts: Vec<_> = legend.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text).collect();
        let told: Vec<_> = texts[1..].iter().filter(|text| !text.trim().is_empty()).copied().collect();
        let expected: Vec<_> = shown.iter().flat_map(|(name, score)| [(*name).to_owned(), score.to_string()]).collect();
        assert_eq!(told, expected);
        // Nor is there an axis for it.
        assert!(!svg.contains(">-"), "{svg}");
    }
}

/// However many players and however small the picture, no strip of a chart lies on another or on the axis of time.
#[test]
fn strips_of_charts_have_room() {
    let replay = read("oa-dm4.dm_71");
    for (width, height) in [(320, 240), (640, 480), (1200, 900)] {
        let choice = Choice { size: Size { width, height }, ..Choice::new(Subject::Speed) };
        let picture = draw(&replay, &choice).unwrap();
        let number = |tag: &str, name: &str| {
            let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
            rest.split_once('"')?.0.parse::<f64>().ok()
        };
        let rects =
            picture.svg.split("<rect").skip(1).filter_map(|tag| Some([number(tag, "y")?, number(tag, "height")?]));
        // The first is the sheet.
        let mut strips: Vec<_> = rects.filter(|[_, high]| *high < f64::from(height) * 0.8).collect();
        strips.dedup();
        assert!(strips.len() >= picture.count, "{} rectangles", strips.len());
        for pair in strips.windows(2) {
            assert!(pair[0][0] + pair[0][1] <= pair[1][0] || pair[0][0] == pair[1][0], "{width}x{height}: {pair:?}");
        }
        // Nor does a number beside an axis lie on another one.
        let numbers = picture.svg.split("<text").skip(1).filter(|tag| tag.contains("text-anchor=\"end\""));
        let numbers = numbers.filter(|tag| number(tag, "x").is_some_and(|x| x < 80.0));
        let mut numbers: Vec<_> = numbers.filter_map(|tag| number(tag, "y")).collect();
        numbers.sort_by(f64::total_cmp);
        let room = numbers.windows(2).all(|pair| pair[1] - pair[0] >= 11.9);
        assert!(!numbers.is_empty() && room, "{width}x{height}: {numbers:?}");
        let bottom = strips.iter().map(|[y, high]| y + high).fold(0.0, f64::max);
        assert!(bottom <= f64::from(height) - 50.0, "{width}x{height}: {bottom}");
    }
}

/// While the game stands still nobody is anywhere.
#[test]
fn presence_leaves_out_pauses() {
    let mut replay = read("ez-dm.mvd");
    let half = replay.rows.len() as u32 / 2;
    let mut seconds = |keys: &[(u32, i64)]| {
        let strings = &replay.about.strings;
        let is = |it: &&mut Values| it.slot.is_none() && strings[it.name as usize] == "paused";
        replay.values.iter_mut().find(is).unwrap().keys = keys.iter().map(|(row, v)| (*row, Some(*v))).collect();
        let svg = picture(&replay, Subject::Presence).ok()?.svg;
        let clock = svg.split_once(" of players in view")?.0.rsplit('>').next()?.to_owned();
        let (minutes, seconds) = clock.split_once(':')?;
        Some(minutes.parse::<u32>().ok()? * 60 + seconds.parse::<u32>().ok()?)
    };
    let all = seconds(&[(0, 0)]).unwrap();
    let some = seconds(&[(0, 1), (half, 0)]).unwrap();
    assert!(some > 0 && some < all, "{some} of {all}");
    assert_eq!(seconds(&[(0, 1)]), None);
}

/// While all look at the scores from one place nobody is anywhere, and nobody goes.
#[test]
fn presence_and_speed_leave_out_the_intermission() {
    let mut text =
        String::from_utf8(decompile_bytes(&testdata("ez-dm.mvd"), "ez-dm.mvd", &Options::default()).unwrap()).unwrap();
    let (head, message) = ("mblock { // 700 at ", "intermission { origin 8 8 8; angles 0 0 0; }");
    let at = text.find(head).unwrap();
    text.insert_str(at, &format!("mblock {{\n msec 0;\n all;\n {message}\n}}\n"));
    let demo = compile_bytes(text.as_bytes(), "text").unwrap();
    let [whole, ended] = [&testdata("ez-dm.mvd")[..], &demo]
        .map(|demo| view::read(demo, "x.mvd", Limits::default(), Range::ALL).unwrap().0);
    let looks = ended.values_of(None, "intermission").unwrap();
    let [(from, Some(1))] = looks.keys[..] else { panic!("{looks:?}") };
    assert!(whole.values_of(None, "intermission").is_none() && from > 0);
    let seconds = |replay: &Replay| {
        let svg = picture(replay, Subject::Presence).unwrap().svg;
        let clock = svg.split_once(" of players in view").unwrap().0.rsplit('>').next().unwrap().to_owned();
        let (minutes, seconds) = clock.split_once(':').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    // Everybody is in view all the time: what is left is what was before.
    let ms = |replay: &Replay, row: u32| replay.rows[row as usize] as f64;
    let part = ms(&ended, from) / ms(&ended, ended.rows.len() as u32 - 1);
    let (all, some) = (seconds(&whole), seconds(&ended));
    assert!((some / all - part).abs() < 0.1, "{some} of {all} s, {part}");
    let curves = |replay: &Replay| {
        let svg = picture(replay, Subject::Speed).unwrap().svg;
        svg.split(" d=\"").filter(|path| path.find('"').is_some_and(|end| end > 100)).count()
    };
    assert!(curves(&ended) > 0 && curves(&ended) < curves(&whole), "nobody goes on");
}

/// Scores that are set to 0 when a match is over are none, as table `players` has it.
#[test]
fn scores_at_the_end_are_those_of_the_match() {
    let mut replay = read("oa-dm4.dm_71");
    let end = |replay: &Replay| {
        let svg = picture(replay, Subject::Scores).unwrap().svg;
        svg.split_once("Score at the end").unwrap().1.to_owned()
    };
    let told = end(&replay);
    let last = replay.rows.len() as u32 - 1;
    replay.about.matches = vec![MatchAt { from_ms: 0, to_ms: replay.rows[last as usize - 20] }];
    let strings = replay.about.strings.clone();
    for values in replay.values.iter_mut().filter(|it| it.slot.is_some() && strings[it.name as usize] == "frags") {
        values.keys.push((last, Some(0)));
    }
    assert_eq!(end(&replay), told);
    replay.about.matches.clear();
    assert_ne!(end(&replay), told);
}

#[test]
fn what_is_not_there_is_no_picture() {
    let told = picture(&read("q2-demo1.dm2"), Subject::Flags).unwrap_err();
    assert!(told.contains("nothing to draw of flags"), "{told}");
    for subject in Subject::ALL {
        assert!(picture(&Replay::default(), *subject).is_err());
    }
}

#[test]
fn sizes_are_bounded() {
    assert_eq!("1920x1080".parse(), Ok(Size { width: 1920, height: 1080 }));
    for wrong in ["", "12", "1200*900", "10x10", "9000x900", "-1x900"] {
        assert!(wrong.parse::<Size>().is_err(), "{wrong}");
    }
    let size = Size { width: 0, height: u32::MAX };
    assert!(draw(&read("ez-dm.mvd"), &Choice { size, ..Choice::new(Subject::Paths) }).is_err());
    for (width, height) in [(320, 240), (3840, 2160)] {
        let choice = Choice { size: Size { width, height }, ..Choice::new(Subject::Paths) };
        is_well_formed(&draw(&read("ez-dm.mvd"), &choice).unwrap().svg);
    }
}

#[test]
fn names_are_no_markup() {
    let mut replay = read("ez-dm.mvd");
    let evil = "</text><script>alert(1)</script>\u{1}\"'&";
    replay.about.strings.iter_mut().filter(|it| *it == "Recorder").for_each(|it| *it = evil.to_owned());
    replay.about.levels[0] = LevelAt { map: evil.to_owned(), ..replay.about.levels[0].clone() };
    replay.about.file = evil.to_owned();
    let who = Some(Who { slot: Some(0), name: evil.to_owned() });
    replay.about.marks.push(Mark { demo_ms: 5000, kind: MarkKind::Pickup { player: who, item: evil.to_owned() } });
    for subject in [Subject::Paths, Subject::Items, Subject::Speed] {
        let svg = picture(&replay, subject).unwrap().svg;
        assert!(!svg.contains("<script"));
        is_well_formed(&svg);
    }
}

/// Of every recording there is, every subject is a well-formed picture or has a reason.
#[test]
fn all_recordings_make_pictures() {
    let mut drawn = 0;
    for path in [all_dem(), all_quakeworld(), all_dm2(), all_mvd2(), all_dm3()].concat() {
        let (name, demo) = (file_name(&path), std::fs::read(&path).unwrap());
        if demo.len() > 150_000 {
            continue;
        }
        let Ok((replay, _)) = view::read(&demo[..], &name, Limits::default(), Range::ALL) else { continue };
        for subject in Subject::ALL {
            if let Ok(picture) = picture(&replay, *subject) {
                is_well_formed(&picture.svg);
                drawn += 1;
            }
        }
    }
    assert!(drawn > 30, "{drawn}");
}

/// A part of a replay shows what the whole does at that time, and its pictures have what happened then.
#[test]
fn a_part_is_as_the_whole_was_then() {
    for name in ["oa-dm4.dm_71", "ez-dm.mvd", "q2-demo1.dm2", "clip.dem"] {
        let replay = read(name);
        let (from, to) = (replay.rows[replay.rows.len() / 3], replay.rows[replay.rows.len() * 2 / 3]);
        let part = replay.between(from, to);
        assert!(part.rows.len() > 1 && part.rows.len() < replay.rows.len());
        for ms in part.rows.iter().copied().step_by(7) {
            let [whole, there] = [&replay, &part].map(|it| {
                let row = it.row_at(ms).unwrap();
                let at = |track: &view::Track| Some((track.slot()?, track.at(row)?.place));
                let mut places: Vec<_> = it.tracks.iter().filter_map(at).collect();
                places.sort_unstable();
                let health = |slot| it.values_of(Some(slot), "health").and_then(|values| values.at(row));
                (places, (0..16).map(health).collect::<Vec<_>>())
            });
            assert_eq!(whole, there, "{name} at {ms}");
        }
        let within = |it: &&Mark| (from..=to).contains(&it.demo_ms);
        assert_eq!(part.about.marks.len(), replay.about.marks.iter().filter(within).count());
        let all = replay.between(i64::MIN, i64::MAX);
        assert_eq!(all, replay, "{name}");
        assert!(replay.between(to, from).rows.is_empty());
    }
}
