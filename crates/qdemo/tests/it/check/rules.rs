//! Rules about settings and texts, built in and written by users.

use qdemo::analysis::check::{Checks, Report, RuleSet, Severity, check};
use qdemo::{Limits, container};

use super::{edited, of, report, serious, value};
use crate::common::{demo, need, root, serverinfo, testdata};

fn with(rules: &str, demo: &[u8], name: &str) -> Report {
    let checks = Checks::without_rules().with_rules(RuleSet::parse(rules, "my.toml").unwrap());
    check(demo, name, Limits::default(), &checks).unwrap()
}

/// The recording of a server that was started with `-cheats`, as `testdata/PROVENANCE.md` has it.
#[test]
fn a_server_that_allows_cheats() {
    for name in ["ez-dm.qwd", "ez-dm.mvd"] {
        let report = report(&testdata(name), name);
        assert_eq!(serious(&report), [("quakeworld/cheats", Severity::Violation, Some(0))], "{name}");
        assert_eq!(value(of(&report, "quakeworld/cheats")[0], "value"), "ON");
    }
}

/// The beginning of the level is not in it: nobody told a gravity of 0.
#[test]
fn settings_that_nobody_told() {
    let location = container::Location::file(root().join("testdata/qizmo.qwz"));
    let container::Opened::File(source) = container::open(&location, &Limits::default()).unwrap() else { panic!() };
    let report = check(source, "qizmo.qwz", Limits::default(), &Checks::default()).unwrap();
    assert_eq!(report.detected.kind.name(), "qwd");
    assert_eq!(serious(&report), []);
}

/// A recording of Quake III whose server says that it runs DeFRaG, with other settings.
fn defrag(changes: &[(&str, &str)]) -> Vec<u8> {
    edited(&testdata("oa-dm2.dm_68"), "x.dm_68", |statements| {
        let run = |text: &str, changes: &[(&str, &str)]| {
            changes.iter().fold(text.to_owned(), |text, (from, to)| {
                assert!(text.contains(from), "{from} is missing");
                text.replacen(from, to, 1)
            })
        };
        let at = statements.iter().position(|s| s.contains("gamestate {")).unwrap();
        let settings = "\\\\defrag_clfps\\\\125\\\\defrag_svfps\\\\125\\\\df_mp_InterferenceOff\\\\3\\\\pmove_msec\\\\8\
                        \\\\pmove_fixed\\\\1\\\\g_speed\\\\320\\\\g_gravity\\\\800\\\\g_knockback\\\\1000\\\\sv_cheats\\\\0\
                        \\\\timescale\\\\1\\\\g_synchronousClients\\\\0";
        // Configstring 1 as a whole.
        let one = statements[at].find("\n   index 1;\n").unwrap();
        let from = one + statements[at][one..].find('"').unwrap();
        let end = from + statements[at][from..].find("\";\n").unwrap();
        statements[at].replace_range(from + 1..end, settings);
        let usual = [("\\\\gamename\\\\baseoa", "\\\\gamename\\\\defrag\\\\defrag_gametype\\\\1")];
        statements[at] = run(&run(&statements[at], &usual), changes);
    })
}

#[test]
fn runs_of_defrag() {
    let names = |changes: &[(&str, &str)]| {
        let report = report(&defrag(changes), "x.dm_68");
        report.findings.iter().filter(|f| f.rule.contains('/')).map(|f| f.rule.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), [""; 0]);
    for (change, rule) in [
        (("sv_cheats\\\\0", "sv_cheats\\\\1"), "defrag/sv_cheats"),
        (("timescale\\\\1", "timescale\\\\0.9"), "defrag/timescale"),
        (("pmove_msec\\\\8", "pmove_msec\\\\7"), "defrag/pmove_msec"),
        (("g_speed\\\\320", "g_speed\\\\400"), "defrag/g_speed"),
        (("g_gravity\\\\800", "g_gravity\\\\700"), "defrag/g_gravity"),
        (("svfps\\\\125", "svfps\\\\40"), "defrag/sv_fps"),
        (("pmove_fixed\\\\1", "pmove_fixed\\\\0"), "defrag/pmove_fixed"),
    ] {
        assert_eq!(names(&[change]), [rule]);
    }
    // That of the player who recorded; the bots have one of 90.
    assert_eq!(names(&[("hc\\\\100", "hc\\\\50")]), ["defrag/handicap"]);
    // Offline the other way to a fixed step is as good; `1.0` is 1.
    assert_eq!(
        names(&[("pmove_fixed\\\\1", "pmove_fixed\\\\0"), ("synchronousClients\\\\0", "synchronousClients\\\\1")]),
        [""; 0]
    );
    assert_eq!(names(&[("timescale\\\\1", "timescale\\\\1.0")]), [""; 0]);
    // Freestyle may have cheats; online nobody may be in the way.
    assert_eq!(names(&[("gametype\\\\1", "gametype\\\\2"), ("sv_cheats\\\\0", "sv_cheats\\\\1")]), [""; 0]);
    let online = ("defrag_gametype\\\\1", "defrag_gametype\\\\5");
    assert_eq!(names(&[online]), [""; 0]);
    assert_eq!(names(&[online, ("InterferenceOff\\\\3", "InterferenceOff\\\\0")]), ["defrag/interference"]);
}

/// Two runs that the archives of DeFRaG have taken, one with each way to a fixed step.
#[test]
fn real_runs_keep_the_rules() {
    let Some(corpus) = need("corpus/q3") else { return };
    let mut runs = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().contains("q3df.tools") {
            continue;
        }
        let report = report(&std::fs::read(&path).unwrap(), "x.dm_68");
        assert_eq!(serious(&report), [], "{}", path.display());
        assert!(report.checks.iter().any(|name| name == "defrag/pmove_fixed"));
        runs += 1;
    }
    assert!(runs >= 2);
}

/// A variable that a server sets at the viewer is another matter than one that it tells.
#[test]
fn variables_of_the_system_information() {
    let report = report(&defrag(&[("g_speed\\\\320", "g_speed\\\\320\\\\cl_maxpackets\\\\15")]), "x.dm_68");
    let found = of(&report, "commands");
    assert_eq!((found.len(), found[0].severity), (1, Severity::Warning));
    assert_eq!((value(found[0], "variable"), value(found[0], "value")), ("cl_maxpackets".into(), "15".into()));
}

#[test]
fn prints_of_cheats_and_what_players_say() {
    let print = |text: &str| [&[8][..], text.as_bytes(), &[0]].concat();
    let blocks = [
        serverinfo(15, &[]),
        print("godmode ON\n"),
        print("\u{1}somebody: noclip ON\n"),
        [print("notar"), print("get ON\n")].concat(),
    ];
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let report = report(&demo("-1\n", &blocks), "made.dem");
    let found: Vec<_> = of(&report, "speedrun/cheats").iter().map(|f| (f.block, value(f, "text"))).collect();
    assert_eq!(found, [(Some(1), "godmode ON".into()), (Some(3), "notarget ON".into())]);
}

#[test]
fn cheats_in_quake_2() {
    let recording = edited(&testdata("q2-demo1.dm2"), "x.dm2", |statements| {
        let frames = super::holding(statements, "\n frame {\n");
        for (at, level, text) in [(10, 2, "godmode ON"), (20, 3, "somebody: noclip ON"), (30, 2, "noclip OFF")] {
            let print = format!("{{\n print {{\n  level {level};\n  string \"{text}\\n\";\n }}\n");
            let statement = &mut statements[frames[at]];
            let head = statement.find('\n').unwrap() + 1;
            statement.replace_range(..head, &format!("block {print}"));
        }
    });
    let report = report(&recording, "x.dm2");
    let found: Vec<_> = of(&report, "quake2/cheats").iter().map(|f| value(f, "text")).collect();
    assert_eq!(found, ["godmode ON"]);
    // Steering in the air, as a configstring changes it.
    let air = edited(&testdata("q2-demo1.dm2"), "x.dm2", |statements| {
        let frames = super::holding(statements, "\n frame {\n");
        let set = "block {\n configstring {\n  index 29;\n  string \"10\";\n }\n";
        let statement = &mut statements[frames[10]];
        let head = statement.find('\n').unwrap() + 1;
        statement.replace_range(..head, set);
    });
    let report = super::report(&air, "x.dm2");
    let found: Vec<_> = of(&report, "quake2/airaccelerate").iter().map(|f| (f.severity, value(f, "value"))).collect();
    assert_eq!(found, [(Severity::Note, "10".into())]);
    // In the re-release it has another number, and this one is a piece of the status bar.
    let string = |index: u16, text: &str| [&[13][..], &index.to_le_bytes(), text.as_bytes(), &[0]].concat();
    let mut level = [&[12][..], &2023i32.to_le_bytes(), &1i32.to_le_bytes(), &[1, 40, 0, 0, 0]].concat();
    level.extend(b"The Edge\0");
    level.extend([string(29, " endif if 18"), string(59, "1"), string(63, "maps/q2dm1.bsp")].concat());
    let air = [&(level.len() as u32).to_le_bytes()[..], &level, &[0xFF; 4]].concat();
    let report = super::report(&air, "x.dm2");
    let found: Vec<_> = of(&report, "quake2/airaccelerate").iter().map(|f| (f.severity, value(f, "value"))).collect();
    assert_eq!(found, [(Severity::Note, "1".into())]);
}

/// The example in the documentation is a set of rules, and finds what it says.
#[test]
fn the_documented_example_works() {
    let docs = std::fs::read_to_string(root().join("docs/rules.md")).unwrap();
    let (_, rest) = docs.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let set = RuleSet::parse(example, "rules.md").unwrap();
    assert_eq!(set.name(), "cup");
    let report = with(example, &testdata("oa-dm4.dm_71"), "x.dm_71");
    let found: Vec<_> = report.findings.iter().filter(|f| f.rule.starts_with("cup/")).collect();
    let names: Vec<_> = found.iter().map(|f| (f.rule.as_str(), f.severity)).collect();
    // That server allows eight players and has no limit of ten minutes; it runs no other map than it should.
    assert_eq!(names, [("cup/timelimit", Severity::Violation), ("cup/maxclients", Severity::Warning)]);
    // What the docs list is what there is.
    for known in Checks::default().list() {
        let name = known.name.split('/').next().unwrap();
        assert!(docs.contains(&format!("`{name}`")), "docs/rules.md says nothing of {name}");
    }
}

/// A finding comes when a setting breaks a rule, and again when it breaks it in another way, not with each frame.
#[test]
fn a_broken_rule_is_told_once() {
    let rules = "name = \"my\"\n[[rule]]\nname = \"t\"\nwhere = \"serverinfo\"\nkey = \"timelimit\"\nmust = 99";
    let recording = testdata("ez-dm.mvd");
    let none = with(rules, &recording, "x.mvd");
    assert!(of(&none, "my/t").is_empty(), "a setting that is not told");
    let twice = edited(&recording, "x.mvd", |statements| {
        for (at, value) in [(100, "1"), (200, "99"), (300, "1"), (310, "2")] {
            let setting = format!(
                "mblock {{\n msec 0;\n all;\n serverinfo {{\n  name \"timelimit\";\n  value \"{value}\";\n }}\n}}\n"
            );
            statements.insert(at, setting);
        }
    });
    let found = with(rules, &twice, "x.mvd");
    let values: Vec<_> = of(&found, "my/t").iter().map(|f| value(f, "value")).collect();
    assert_eq!(values, ["1", "1", "2"]);
}

#[test]
fn only_what_is_asked_for() {
    let recording = testdata("ez-dm.mvd");
    let only = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let checks = Checks::default().only(&names)?;
        Ok::<_, String>(check(&recording[..], "x.mvd", Limits::default(), &checks).unwrap())
    };
    assert_eq!(only(&["clock"]).unwrap().checks, ["clock"]);
    assert!(only(&["clock"]).unwrap().findings.is_empty());
    assert_eq!(serious(&only(&["quakeworld/cheats"]).unwrap()).len(), 1);
    assert_eq!(only(&["quakeworld"]).unwrap().checks.len(), 5);
    assert_eq!(only(&["clocks"]).unwrap_err(), "clocks");
}
