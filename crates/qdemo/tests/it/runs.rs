//! Runs against the clock: `info` and events have the same, and names of files are compared with them.

use qdemo::analysis::run_name::{Comparison, RunName};
use qdemo::event::{Event, EventKind, Run};
use qdemo::replay::events;
use qdemo::replay::info::{Facts, Info, info};
use qdemo::{Demo, Limits};

use crate::common::{all_dem, all_dm3, demo, file_name, need, serverinfo};

fn told(demo: &[u8], name: &str) -> Info {
    info(demo, name, Limits::default()).unwrap()
}

fn runs(info: &Info) -> Vec<Run> {
    match &info.facts {
        Facts::Dem(facts) => facts.runs.clone(),
        Facts::Dm3(facts) => facts.runs.clone(),
        Facts::QuakeWorld(facts) => facts.runs.clone(),
        _ => Vec::new(),
    }
}

/// As events, without the sum of several levels, which no message tells.
fn in_events(demo: &[u8], name: &str) -> Vec<Run> {
    let mut all = Vec::new();
    events(demo, name, Limits::default(), &mut |event| {
        match &event.kind {
            EventKind::Run(run) if run.from != "sum of the levels" => all.push(run.clone()),
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    all
}

fn same(one: &Run, other: &Run) -> bool {
    let name = |run: &Run| run.player.as_ref().map(|who| (who.slot, who.name.clone()));
    (one.time, one.precision, one.from, &one.map, one.totals, &one.mode)
        == (other.time, other.precision, other.from, &other.map, other.totals, &other.mode)
        && name(one) == name(other)
}

#[test]
fn info_has_the_runs_of_the_events() {
    let mut all = 0;
    for path in [all_dem(), all_dm3()].concat() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let (mut here, mut there) = (runs(&told(&demo, &name)), in_events(&demo, &name));
        for list in [&mut here, &mut there] {
            list.sort_by(|one, other| one.time.total_cmp(&other.time));
        }
        let equal = here.len() == there.len() && here.iter().zip(&there).all(|(one, other)| same(one, other));
        assert!(equal, "{name}: {here:#?}\n{there:#?}");
        all += here.len();
    }
    eprintln!("{all} runs");
    assert!(need("corpus/dem").is_none() || all >= 4, "{all}");
}

/// A level of Quake that ends at 24.5 s; the module for runs prints the same with more digits, in two pieces.
fn quake() -> Vec<u8> {
    let time = |at: f32| [&[7][..], &at.to_le_bytes()].concat();
    let begin = [&serverinfo(15, &[])[..], b"\x05\x01\0\x0D\0ranger\0"].concat();
    let end = [&time(24.5)[..], b"\x08the exact time was 0:24\0\x1E\x08.49876\n\0"].concat();
    demo("-1\n", &[&begin, &time(1.25), &end])
}

#[test]
fn runs_of_quake() {
    let info = told(&quake(), "x.dem");
    let expected = [("time at the end of the level", 24.5), ("print: exact time", 24.49876)];
    let runs = runs(&info);
    assert_eq!(runs.iter().map(|run| (run.from, run.time)).collect::<Vec<_>>(), expected);
    assert!(runs.iter().all(|run| run.player.as_ref().unwrap().name == "ranger" && run.map == "e1m1"));
    assert!(in_events(&quake(), "x.dem").len() == 2);
}

/// A run of DeFRaG: settings, what it prints, who plays.
fn defrag(physics: &str) -> Vec<u8> {
    defrag_that_tells(physics, &["print \"^2nick.one^7 reached the finish line in ^31:02:345^7\n\""])
}

/// The same with other commands.
fn defrag_that_tells(physics: &str, commands: &[&str]) -> Vec<u8> {
    use qdemo::format::dm3::{Configstring, Dialect, Dm3, Gamestate, Packet, ServerCommand};
    let d = Dialect::by_protocol(68).unwrap();
    let info = format!(r"\protocol\68\gamename\defrag\mapname\Ghost-strafe1\defrag_gametype\5{physics}");
    let mut level = Gamestate::new(0, 0, 0, &d);
    let strings = [(0, info.as_str()), (1, r"\g_speed\320\sv_cheats\0"), (544, r"n\^1Ni^7ck\dfn\nick_one\t\0")];
    level.items = strings.map(|(index, value)| Configstring { index, value: value.into() }.into()).to_vec();
    let told = (1..).zip(commands).map(|(seq, text)| ServerCommand { seq, value: (*text).into() }.into()).collect();
    let mut demo = qdemo::demo::Recording::<Dm3>::new(Some(68));
    demo.push(Packet::new(1, 0, vec![level.into()], &d));
    demo.push(Packet::new(2, 0, told, &d));
    demo.to_bytes().unwrap()
}

#[test]
fn runs_of_defrag() {
    let info = told(&defrag(r"\df_promode\1"), "x.dm_68");
    let all = runs(&info);
    assert_eq!((all.len(), all[0].time, all[0].from), (1, 62.345, "print: finish line"));
    assert_eq!((all[0].mode.as_deref(), &*all[0].map), (Some("cpm"), "Ghost-strafe1"));
    let Facts::Dm3(facts) = &info.facts else { panic!() };
    let rules = facts.levels[0].defrag.as_ref().unwrap();
    assert_eq!((rules.physics, rules.online), (Some("cpm"), Some(true)));
    let rule = |key| rules.settings.iter().find(|(k, _)| *k == key).map(|(_, value)| value.as_str());
    assert_eq!([rule("g_speed"), rule("sv_cheats"), rule("timescale")], [Some("320"), Some("0"), None]);
    assert_eq!(facts.players[0].login.as_deref(), Some("nick_one"));
}

/// The name that a player logs in with stays, to be asked for, where the player has another one.
#[test]
fn runs_of_defrag_have_the_login() {
    for (name, login) in [("nick_one", Some("nick_one")), ("Nick", None)] {
        let command = format!("print \"Time performed by ^2{name}^7 : ^325:488^7 (v1.91.25 beta)\n\"");
        let demo = defrag_that_tells(r"\df_promode\1", &[&command]);
        let mut all = Vec::new();
        let mut each = |event: &Event| {
            if let EventKind::Run(run) = &event.kind {
                let player = run.player.as_ref().map(|player| player.name.clone());
                all.push((player.unwrap_or_default(), run.login.clone()));
            }
            Ok(())
        };
        qdemo::replay::events(&demo[..], "x.dm_68", Limits::default(), &mut each).unwrap();
        assert_eq!(all, [("Nick".to_owned(), login.map(str::to_owned))]);
    }
}

/// What earlier versions tell, some of it to whoever ran and without a name; and the name that players log in with.
#[test]
fn texts_of_defrag() {
    let me = (Some(0), "Nick".to_owned());
    let other = |name: &str| (None, name.to_owned());
    for (commands, who, time, from) in [
        (
            &["print \"Time performed by ^2nick_one^7 : ^325:488^7 (v1.91.25 beta)\n\""][..],
            me.clone(),
            25.488,
            "print: time performed",
        ),
        (
            &["print \"Time performed by ^2Nick^7 : ^325:488^7 (defrag 1.9)\n\""],
            me.clone(),
            25.488,
            "print: time performed",
        ),
        (&["print \"Time performed by ^2a : b^7 : ^300:54:184\n\""], other("a : b"), 54.184, "print: time performed"),
        (&["print \"^3Time Performed: 25:912 (defrag 1.5)\n^7\""], me.clone(), 25.912, "print: time performed"),
        (
            &["NewTime -971299442 7:200 \"defrag 1.80\" \"nick_one\" route ya->->rg"],
            me.clone(),
            7.2,
            "command: NewTime",
        ),
        (&["newTime 47080"], me.clone(), 47.08, "command: newTime"),
        // Two texts about one run.
        (
            &["newTime 25912", "print \"^3Time Performed: 25:912 (defrag 1.5)\n^7\""],
            me.clone(),
            25.912,
            "command: newTime",
        ),
    ] {
        let demo = defrag_that_tells("", commands);
        let (here, there) = (runs(&told(&demo, "x.dm_68")), in_events(&demo, "x.dm_68"));
        let of = |run: &Run| (run.player.as_ref().map(|who| (who.slot, who.name.clone())), run.time, run.from);
        assert_eq!(here.iter().map(of).collect::<Vec<_>>(), [(Some(who), time, from)], "{commands:?}");
        assert!(there.len() == 1 && same(&here[0], &there[0]), "{commands:?}: {there:?}");
    }
}

fn compared(demo: &[u8], name: &str) -> Option<Comparison> {
    RunName::of(name)?.against(&told(demo, name))
}

/// What the name says and the recording does not stands in neither list.
#[test]
fn names_are_compared() {
    let demo = defrag(r"\df_promode\1");
    let of = |name: &str| {
        let it = compared(&demo, name).unwrap();
        let against = it.disagreements.into_iter().map(|d| (d.what, d.name, d.recording)).collect::<Vec<_>>();
        (it.confirmed, against)
    };
    let all = vec!["map", "run_time", "physics", "nick"];
    assert_eq!(of("ghost-strafe1[mdf.cpm]01.02.345(NICKone.Russia).dm_68"), (all, vec![]));
    let (confirmed, against) = of("other[mdf.vq3]01.02.344(else.Russia).dm_68");
    assert!(confirmed.is_empty());
    let expected = [
        ("map", "other", "Ghost-strafe1"),
        ("run_time", "62.344", "62.345"),
        ("physics", "vq3", "cpm"),
        ("nick", "else", "nick.one, nick_one, Nick"),
    ];
    assert_eq!(against, expected.map(|(what, name, told)| (what, name.to_owned(), told.to_owned())));
    // Without the setting nothing is said of physics.
    let untold = compared(&defrag(""), "ghost-strafe1[df.vq3]01.02.345(nick).dm_68").unwrap();
    assert_eq!((untold.confirmed, untold.disagreements.len()), (vec!["map", "run_time", "nick"], 0));
}

/// Whole seconds are those that have passed: 24.5 is 0:24.
#[test]
fn names_of_quake_are_compared() {
    let demo = quake();
    assert_eq!(compared(&demo, "e1m1_024.dem").unwrap().confirmed, ["map", "run_time"]);
    let it = compared(&demo, "e1m2_025.dem").unwrap();
    let told: Vec<_> = it.disagreements.iter().map(|d| (d.what, &*d.name, &*d.recording)).collect();
    assert_eq!(told, [("map", "e1m2", "e1m1"), ("run_time", "25", "24")]);
    // Nothing to compare with: a name may look so by chance.
    let unfinished = &demo[..demo.len() - 60];
    assert!(compared(unfinished, "e1m1_024.dem").is_none());
    assert!(Demo::read(demo, "x.dem").is_ok());
}

/// The names that the runs of the corpus have where they come from, and the facts' own reading of both (2.5).
#[test]
fn runs_of_the_corpus() {
    let Some(folder) = need("corpus/q3") else { return };
    let named = [
        (
            "michael-rd_q3df.tools__dfwc2019-1_df.vq3_00.25.488_lokki.Russia__8883.dm_68",
            "dfwc2019-1[df.vq3]00.25.488(lokki.Russia)_8883.dm_68",
        ),
        (
            "michael-rd_q3df.tools__lucy-vchrkn_df.vq3_00.44.048_MichaelRD.Russia_.dm_68",
            "lucy-vchrkn[df.vq3]00.44.048(MichaelRD.Russia).dm_68",
        ),
    ];
    for (file, name) in named {
        let it = compared(&std::fs::read(folder.join(file)).unwrap(), name).unwrap();
        assert_eq!(it.confirmed, ["map", "run_time", "physics", "nick"], "{name}");
        assert!(it.disagreements.is_empty() && it.name.country.as_deref() == Some("Russia"));
        // What is printed is the name that the recorder logs in with.
        let demo = std::fs::read(folder.join(file)).unwrap();
        assert!(runs(&told(&demo, file)).iter().all(|run| run.player.as_ref().unwrap().slot == Some(0)), "{name}");
    }
}
