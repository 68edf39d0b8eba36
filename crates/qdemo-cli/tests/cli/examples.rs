//! The examples in the help of the verbs: each one runs as it stands there.

use std::path::Path;

use crate::shell::run;
use crate::support::{Place, clip, gzip, pak, testdata, verbs};

/// Stand-ins for programs that want a terminal, and a `qdemo` that notes how it ended, as a pipe tells of its last
/// command only.
const TOOLS: &str = r#"less() { cat; }
man() { cat; }
note() { echo "$1" >> ~/.codes; return "$1"; }
qdemo() { command qdemo "$@"; note $?; }
PROFILE=profile.ps1
"#;

/// The commands below `Examples:`, without the remarks behind them.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| !line.is_empty());
    let commands = lines.map(|line| {
        let command = line.strip_prefix("  ").unwrap_or_default();
        assert!(command.starts_with("qdemo "), "this is no command, or a remark too long for its line: {line}");
        command.split("  ").next().unwrap_or(command)
    });
    commands.collect()
}

/// A recorded game with more than five minutes of silence in its end, a frag, and what KTX might have counted.
fn duel(place: &Place) {
    place.write("short.mvd", &testdata("ez-dm.mvd"));
    place.run(&["decompile", "short.mvd", "-o", "duel.txt"]).ends(0).in_silence();
    let game = String::from_utf8(place.read("duel.txt")).unwrap();
    let (game, end) = game.split_at(game.rfind("\nmblock").unwrap());
    let silence = "mblock { msec 250; all; }".repeat(5 * 60 * 4);
    let frag = r#"mblock { msec 1; all; print { level 1; string "Recorder becomes bored with life\n"; } }"#;
    let chat = r#"mblock { msec 1; all; print { level 3; string "Recorder: gg\n"; } }"#;
    let ktx = r#"mblock { msec 9; multiple 0; hidden_demoinfo { block 0; text "{\"map\":\"lqdm13\"}"; } }"#;
    place.write("duel.txt", [game, &silence, frag, chat, ktx, end].concat().as_bytes());
    place.run(&["compile", "duel.txt", "-o", "duel.mvd"]).ends(0).in_silence();
    place.run(&["state", "duel.mvd", "--at", "5:00"]).ends(0).shows(" of 5:23.").shows("Recorder");
}

/// The examples of rules and of edits in the documentation.
fn rules(number: usize) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rules = page.split("```toml\n").nth(number).unwrap();
    rules.split_once("```").unwrap().0.to_owned()
}

/// The example of a file of edits: the one in which subtitles are named.
fn edits() -> String {
    (1..).map(rules).find(|example| example.contains("film.srt")).unwrap()
}

/// A folder with what the examples name.
fn kitchen() -> Place {
    let place = Place::new();
    let (clip, duel_68) = (clip(), testdata("oa-dm2.dm_68"));
    for name in ["matches/1.mvd", "matches/2.mvd"] {
        place.write(name, &testdata("ez-dm.mvd"));
    }
    for name in ["before.qwd", "after.qwd", "match.qwd"] {
        place.write(name, &testdata("ez-dm.qwd"));
    }
    for name in ["e1m1.dem", "e1m2.dem", "e1m3.dem", "demo1.dem", "run.dem", "demos/demo1.dem", "runs/run.dem"] {
        place.write(name, &clip);
    }
    for name in ["demo1.dem.gz", "run.dem.gz"] {
        place.write(name, &gzip(&clip));
    }
    for (name, from) in [("mine.dm_71", "merge-a.dm_71"), ("yours.dm_71", "merge-b.dm_71")] {
        place.write(name, &testdata(from));
    }
    for name in ["red.qwd", "blue.qwd"] {
        place.write(name, &testdata("ez-dm.qwd"));
    }
    for name in ["duel.dm_68", "clip.dm_68", "demos/duel.dm_68"] {
        place.write(name, &duel_68);
    }
    place.write("clip.mvd", &testdata("ez-dm.mvd"));
    place.write("duel.dm_66", &testdata("oa-dm5.dm_66"));
    place.write("demo1.dm2", &testdata("q2-demo1.dm2"));
    place.write("ffa.dm_71", &testdata("oa-dm4.dm_71"));
    let mut broken = clip.clone();
    broken[40_000..40_500].fill(0x55);
    place.write("broken.dem", &broken);
    place.write("cut.dm_68", &duel_68[..duel_68.len() / 2]);
    // Two levels in one file, without the end of the first one.
    let line = clip.iter().position(|b| *b == b'\n').unwrap() + 1;
    place.write("marathon.dem", &[&clip[..clip.len() - 17], &clip[line..]].concat());
    place.write("duel.qwz", &testdata("qizmo.qwz"));
    place.write("pak0.pak", &pak(&[("demo1.dem", &clip), ("demo2.dem", &clip), ("config.cfg", b"bind w +forward\n")]));
    place.write("cup.toml", rules(1).as_bytes());
    place.write("film.toml", edits().as_bytes());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/camera.md");
    let page = std::fs::read_to_string(page).unwrap();
    place.write("cam.toml", page.split("```").find_map(|part| part.strip_prefix("toml\n")).unwrap().as_bytes());
    place.write("film.srt", b"1\n00:00:01,000 --> 00:00:02,000\nA film\n");
    for name in ["demo1.txt", "texts/demo3.dem.txt"] {
        place.write(name, br#"track "-1\n"; block { camera 0 0 0; print "You got the grenades\n"; }"#);
    }
    for folder in [".local/share/bash-completion/completions", ".config/fish/completions", ".local/share/man/man1"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    duel(&place);
    place.run(&["index", "demos", "--db", "demos.sqlite"]).ends(0).in_silence();
    place.run(&["index", "pak0.pak", "--db", "all.sqlite"]).ends(0).in_silence();
    place.write("more/run.dem", &clip);
    place
}

#[test]
fn every_example_runs() {
    let mut wrong = String::new();
    for verb in verbs().iter().map(String::as_str).chain([""]) {
        let help = run(&Place::new(), &format!("qdemo {verb} --help"));
        let (place, examples) = (kitchen(), examples(&help));
        assert!(!examples.is_empty(), "{verb} has no example");
        for example in examples {
            let printed = run(&place, &format!("{TOOLS}{example}\nnote $?"));
            let codes = String::from_utf8(place.read(".codes")).unwrap();
            std::fs::remove_file(place.path(".codes")).unwrap();
            // A check may find something, a duel has more than its clip, and a search may find nothing; that is no mistake.
            let may_say_no = ["check ", "diff ", "repair -n ", "find "]
                .iter()
                .any(|verb| example.starts_with(&format!("qdemo {verb}")));
            let fine = codes.lines().all(|code| code == "0" || may_say_no && code == "1");
            if !fine || codes.lines().count() < 2 {
                wrong += &format!("{example}\nends with {}\n{printed}\n", codes.replace('\n', " "));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn examples_end_before_their_remarks() {
    let help = "Usage: x\n\nExamples:\n  qdemo info a | less   what it says\n  qdemo man\n\nMore:\n  qdemo no\n";
    assert_eq!(examples(help), ["qdemo info a | less", "qdemo man"]);
    assert!(examples("Usage: x\n").is_empty());
}
