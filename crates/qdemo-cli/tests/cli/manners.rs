//! Manners: exit codes, streams, pipes, and what must never happen to an input.

use std::process::Stdio;

use super::support::{Place, clip, gzip, pak, verbs};

#[test]
fn wrong_usage_is_exit_code_2() {
    let place = Place::with_clip();
    for args in [&[][..], &["frobnicate"], &["info"], &["decompile", "demo1.dem", "--style", "gothic"]] {
        let done = place.run(args).ends(2);
        assert!(done.out.is_empty() && !done.err.is_empty(), "{args:?}");
    }
    place.run(&["--version"]).ends(0).shows("qdemo ");
}

#[test]
fn every_verb_has_help_with_examples() {
    let place = Place::new();
    for verb in verbs() {
        place.run(&[&verb, "--help"]).ends(0).in_silence().shows("Examples:\n  qdemo ");
    }
}

#[test]
fn a_missing_file_is_one_clear_line() {
    let place = Place::new();
    for verb in ["info", "verify", "decompile", "compile", "unpack"] {
        let done = place.run(&[verb, "missing.dem"]).ends(2);
        assert!(done.out.is_empty());
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
        assert!(done.err.starts_with("qdemo: missing.dem: "), "{}", done.err);
        assert!(done.err.ends_with("; check the name\n"), "{}", done.err);
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::with_clip();
    for args in [
        &["decompile", "demo1.dem"][..],
        &["decompile", "--json", "demo1.dem"],
        &["unpack", "demo1.dem"],
        &["info", "demo1.dem", "demo1.dem"],
        &["verify", "demo1.dem"],
        &["schema", "--markdown"],
        &["completions", "zsh"],
    ] {
        let err = place.run_unread(args).ends(0).err;
        assert!(!err.contains("panic") && !err.contains("pipe"), "{args:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_listening_to_diagnostics_does_not_matter() {
    let place = Place::with_clip();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qdemo"));
    command.current_dir(place.path(".")).args(["verify", "missing.dem", "demo1.dem"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.starts_with(b"exact  demo1.dem"));
}

#[test]
fn an_input_is_never_overwritten() {
    let place = Place::with_clip();
    place.write("pak0.pak", &pak(&[("demo1.dem", &clip())]));
    std::fs::create_dir(place.path("sub")).unwrap();
    for (args, input) in [
        (&["decompile", "demo1.dem", "-o", "demo1.dem"], "demo1.dem"),
        (&["decompile", "demo1.dem", "-o", "sub/../demo1.dem"], "demo1.dem"),
        (&["unpack", "pak0.pak:demo1.dem", "-o", "pak0.pak"], "pak0.pak"),
        (&["compile", "demo1.dem", "-o", "./demo1.dem"], "demo1.dem"),
    ] {
        let before = place.read(input);
        place.run(args).ends(2).says("one of the inputs");
        assert_eq!(place.read(input), before);
    }
    assert_eq!(place.names("."), ["demo1.dem", "pak0.pak", "sub"]);
}

/// What is read beside a recording is an input, too.
#[test]
fn what_is_read_beside_is_not_overwritten() {
    let place = Place::with_clip();
    place.write("shots.toml", b"[[shot]]\nfrom = 0\nto = 1\nkind = \"fixed\"\nplace = [0, 0, 0]\nangles = [0, 0, 0]\n");
    place.write("lines.srt", b"1\n00:00:00,500 --> 00:00:01,000\nhello\n");
    place.write("rules.toml", b"[[rename]]\nfrom = \"player\"\nto = \"Ranger\"\n");
    place.write("e1m1.bsp", b"a map");
    for (args, file) in [
        (&["camera", "demo1.dem", "--script"], "shots.toml"),
        (&["edit", "demo1.dem", "--subtitles"], "lines.srt"),
        (&["edit", "demo1.dem", "--rules"], "rules.toml"),
        (&["view", "demo1.dem", "--maps"], "e1m1.bsp"),
        (&["draw", "demo1.dem", "--maps"], "e1m1.bsp"),
        (&["report", "demo1.dem", "--maps"], "e1m1.bsp"),
    ] {
        let before = place.read(file);
        let what: &[&str] = if args[0] == "draw" { &["--what", "paths", "--as", "svg"] } else { &[] };
        let all: Vec<&str> =
            args.iter().copied().chain([file]).chain(what.iter().copied()).chain(["-o", file]).collect();
        place.run(&all).ends(2).says(&format!("{file}: this is one of the inputs"));
        assert_eq!(place.read(file), before);
    }
}

#[test]
fn neither_is_one_that_was_found_in_a_folder() {
    let place = Place::new();
    // The demo of a.txt.txt would be called a.txt, which is an input itself.
    let text = b"track \"-1\\n\";";
    place.write("texts/a.txt", text);
    place.write("texts/a.txt.txt", text);
    place.run(&["compile", "texts", "-o", "texts"]).ends(2).says("a.txt: this is one of the inputs");
    assert_eq!(place.read("texts/a.txt"), text);
    assert_eq!(place.names("texts"), ["a.dem", "a.txt", "a.txt.txt"]);
}

#[cfg(unix)]
#[test]
fn links_lead_to_inputs_too() {
    let place = Place::with_clip();
    std::os::unix::fs::symlink("demo1.dem", place.path("link.dem")).unwrap();
    place.run(&["decompile", "demo1.dem", "-o", "link.dem"]).ends(2).says("one of the inputs");
    // A link to something else stays a link.
    place.write("old.txt", b"old");
    std::os::unix::fs::symlink("old.txt", place.path("link.txt")).unwrap();
    place.run(&["decompile", "demo1.dem", "-o", "link.txt"]).ends(0);
    assert!(place.path("link.txt").is_symlink());
    assert!(place.read("old.txt").starts_with(b"// "));
    // Also one to what is not there yet, by another link.
    std::os::unix::fs::symlink("new.txt", place.path("second.txt")).unwrap();
    std::os::unix::fs::symlink("second.txt", place.path("first.txt")).unwrap();
    place.run(&["decompile", "demo1.dem", "-o", "first.txt"]).ends(0);
    assert!(place.path("first.txt").is_symlink() && place.path("second.txt").is_symlink());
    assert!(place.read("new.txt").starts_with(b"// "));
    std::os::unix::fs::symlink("circle.txt", place.path("circle.txt")).unwrap();
    place.run(&["decompile", "demo1.dem", "-o", "circle.txt"]).ends(2).says("circle.txt: ").says("circle");
    assert!(place.path("circle.txt").is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_as_they_are() {
    let place = Place::with_clip();
    place.run(&["decompile", "demo1.dem", "-o", "/dev/null"]).ends(0).in_silence();
    // A pipe that is open already has no name.
    let text = place.run(&["decompile", "demo1.dem"]).ends(0).out;
    assert!(!text.is_empty());
    assert_eq!(place.run(&["decompile", "demo1.dem", "-o", "/dev/stdout"]).ends(0).out, text);
    place.run(&["decompile", "demo1.dem", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    place.run(&["retime", "demo1.dem", "--speed", "2", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    place.run(&["join", "demo1.dem", "demo1.dem", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    place.run(&["cut", "demo1.dem", "--to", "0:05", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    place.run(&["cut", "demo1.dem", "--from", "0:05", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    std::fs::create_dir(place.path("full")).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.path("full/demo1-level-1.dem")).unwrap();
    place.run(&["split", "demo1.dem", "--by", "level", "-o", "full/"]).ends(2).says("qdemo: full/demo1-level-1.dem: ");
    for args in [&["decompile", "demo1.dem"][..], &["help"], &["help", "info"], &["info", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qdemo"));
        let output = command.current_dir(place.path(".")).args(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stderr.starts_with(b"qdemo: standard output: "), "{args:?}");
    }
}

#[test]
fn a_folder_for_nothing_is_not_left_behind() {
    let place = Place::with_clip();
    place.run(&["edit", "nothing.dem", "--remove", "chat", "-o", "new/"]).ends(2);
    assert!(!place.path("new").exists());
    std::fs::create_dir(place.path("old")).unwrap();
    place.run(&["edit", "nothing.dem", "--remove", "chat", "-o", "old/"]).ends(2);
    assert!(place.path("old").exists());
    place.run(&["edit", "demo1.dem", "--remove", "chat", "-o", "new/"]).ends(0);
    assert!(place.path("new/demo1.dem").exists());
}

#[test]
fn a_failed_output_leaves_nothing_behind() {
    let place = Place::with_clip();
    place.run(&["decompile", "demo1.dem", "-o", "no/such/folder/x.txt"]).ends(2).says("no/such/folder/x.txt: ");
    place.run(&["decompile", "missing.dem", "-o", "x.txt"]).ends(2);
    place.run(&["unpack", "missing.gz", "-o", "x.txt"]).ends(2);
    assert_eq!(place.names("."), ["demo1.dem"]);
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let place = Place::with_clip();
    let run = |name: &str| place.command().args(["verify", "demo1.dem"]).env(name, "1").output().unwrap().stdout;
    assert!(run("CLICOLOR_FORCE").starts_with(b"\x1b["));
    assert!(run("NO_COLOR").starts_with(b"exact"));
}

#[test]
fn names_in_a_demo_cannot_steer_the_terminal() {
    let place = Place::new();
    let text = br#"track "-1\n"; block { camera 0 0 0; updatename { player 0; netname "\033[2Jme"; } }"#;
    place.write("evil.txt", text);
    place.run(&["compile", "evil.txt", "-o", "evil.dem"]).ends(0);
    let done = place.run(&["info", "evil.dem"]).ends(0).shows("[2Jme");
    assert!(!done.text().contains('\x1b'));
}

#[test]
fn completions_and_manual_are_generated() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        place.run(&["completions", shell]).ends(0).in_silence().shows("decompile");
    }
    // With what each verb is for, behind `help` too.
    let zsh = place.run(&["completions", "zsh"]);
    let (_, behind_help) = zsh.text().split_once("\n_qdemo__subcmd__help_commands() {").unwrap();
    assert!(behind_help.contains("'timeline:Tell what lies where"), "{behind_help}");
    place.run(&["man"]).ends(0).in_silence().shows(".TH qdemo 1");
    place.run(&["man", "pages"]).ends(0).in_silence();
    assert_eq!(place.names("pages"), ["man1", "man5", "man7"]);
    assert_eq!(place.names("pages/man5"), ["qdemo-rules.5", "qdemo-tables.5", "qdemo-text.5"]);
    place.run(&["man", "--page", "info"]).ends(0).in_silence().shows(".TH qdemo-info 1");
    place.run(&["man", "--page", "rules"]).ends(0).in_silence().shows(".TH qdemo-rules 5").shows("must_not");
    place.run(&["man", "--page", "nonsense"]).ends(2).says("rules, text, cookbook");
    let names = place.names("pages/man1");
    assert!(names.contains(&"qdemo.1".to_owned()) && names.contains(&"qdemo-info.1".to_owned()), "{names:?}");
}

#[test]
fn with_no_clobber_nothing_that_is_there_is_replaced() {
    let place = Place::with_clip();
    place.write("out.txt", b"mine");
    place.run(&["decompile", "demo1.dem", "-o", "out.txt", "--no-clobber"]).ends(2).says("out.txt: this file is there");
    assert_eq!(place.read("out.txt"), b"mine");
    place.run(&["decompile", "demo1.dem", "-o", "new.txt", "--no-clobber"]).ends(0).in_silence();
    place.run(&["decompile", "demo1.dem", "-o", "out.txt"]).ends(0).in_silence();
    assert_eq!(place.read("out.txt"), place.read("new.txt"));
}

/// Where the system has files without a name a program can be killed as it writes.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_program_leaves_nothing() {
    use std::io::Write;
    let place = Place::with_clip();
    let mut command = place.command();
    command.args(["decompile", "-", "-o", "out.txt"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Most of the demo; the program waits for the rest.
    let clip = clip();
    child.stdin.as_mut().unwrap().write_all(&clip[..clip.len() - 9]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.names("."), ["demo1.dem"]);
}

/// What is no text of a demo is told for what it is.
#[test]
fn compile_names_what_it_is_given() {
    let place = Place::with_clip();
    let text = place.run(&["decompile", "demo1.dem"]).ends(0).text().to_owned();
    let utf16: Vec<u8> = std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    place.write("utf16.txt", &utf16);
    let lines = place.run(&["decompile", "--json", "demo1.dem"]).ends(0).objects();
    let pretty: Vec<u8> = lines.iter().flat_map(|line| serde_json::to_vec_pretty(line).unwrap()).collect();
    place.write("pretty.jsonl", &pretty);
    for (input, what) in [
        ("utf16.txt", "this is text in UTF-16; save it as UTF-8"),
        ("pretty.jsonl", "this is JSON objects over several lines"),
        ("demo1.dem", "this is a demo, not its text (dem: "),
    ] {
        place.run(&["compile", input, "-o", "out.dem"]).ends(2).says(&format!("qdemo: {input}: {what}"));
    }
    assert!(!place.path("out.dem").exists());
}

#[test]
fn nobody_is_called_nothing() {
    let place = Place::with_clip();
    for args in [&["frags", "demo1.dem", "--player", ""], &["stats", "demo1.dem", "--player", ""]] {
        place.run(args).ends(2).says("--player");
    }
}

/// Tables fit, however much a recording holds; `--wide` lets them be.
#[test]
fn tables_are_no_wider_than_a_page() {
    let names = ["oa-dm2.dm_68", "oa-dm5.dm_66", "oa-dm4.dm_71", "ez-dm.mvd", "q2pro-dm.mvd2", "e0m1-666.dem"];
    let place = Place::with(&names);
    for name in names {
        for args in [
            &["info", name][..],
            &["timeline", name],
            &["players", name],
            &["stats", name],
            &["events", name],
            &["highlights", name],
            &["state", name, "--entities"],
        ] {
            let done = place.run(args).ends(0);
            // Facts of one line each are no tables.
            let tables = done.text().lines().filter(|line| !line.contains(": "));
            assert!(tables.map(|line| line.chars().count()).max() <= Some(100), "{args:?}: {}", done.text());
        }
    }
    let wide = place.run(&["timeline", "--wide", "oa-dm2.dm_68"]).ends(0);
    assert!(wide.text().lines().any(|line| line.chars().count() > 100), "{}", wide.text());
}

/// Bytes of a name that are no text are escaped, not lost.
#[cfg(target_os = "linux")]
#[test]
fn names_of_files_keep_their_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9\x01.dem");
    std::fs::write(place.path(".").join(name), clip()).unwrap();
    let objects = place.run(&["info", ".", "--json"]).ends(0).objects();
    assert_eq!(objects[0]["file"], "./caf\\xe9\\x01.dem");
    place.run(&["export", ".", "--table", "frames", "-o", "tables"]).ends(0);
    // A data set has readable names that are each its own.
    let written = std::fs::read_dir(place.path("tables/table=frames/game=quake")).unwrap().next().unwrap().unwrap();
    let written = written.file_name().into_string().unwrap();
    assert!(written.starts_with("caf__.dem-") && written.ends_with(".csv"), "{written}");
}

/// What is written anew is all of a recording: of a damaged container nothing is written, and it is said why.
#[test]
fn nothing_is_made_of_half_a_recording_unsaid() {
    let place = Place::with(&["ez-dm.mvd", "dm13-15.dem"]);
    for [demo, verb, option, value] in [
        ["ez-dm.mvd", "retime", "--speed", "2"],
        ["ez-dm.mvd", "edit", "--remove", "print"],
        ["dm13-15.dem", "convert", "--protocol", "666"],
    ] {
        let packed = gzip(&place.read(demo));
        place.write("cut.gz", &packed[..packed.len() / 2]);
        let out = format!("new-{demo}");
        place.run(&[verb, "cut.gz", "-o", &out, option, value]).ends(2).says("truncated");
        assert!(!place.path(&out).exists(), "{verb}");
        place.run_with(&[verb, "-", "-o", &out, option, value], &packed[..packed.len() / 2]).ends(2).says("truncated");
        assert!(!place.path(&out).exists(), "{verb}");
    }
}
