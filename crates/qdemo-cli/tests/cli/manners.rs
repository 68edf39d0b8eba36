//! Manners: exit codes, streams, pipes, and what must never happen to an input.

use std::process::Stdio;

use super::support::{Place, clip, pak, verbs};

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
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_as_they_are() {
    let place = Place::with_clip();
    place.run(&["decompile", "demo1.dem", "-o", "/dev/null"]).ends(0).in_silence();
    place.run(&["decompile", "demo1.dem", "-o", "/dev/full"]).ends(2).says("qdemo: /dev/full: ");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qdemo"));
    let output = command.current_dir(place.path(".")).args(["decompile", "demo1.dem"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.starts_with(b"qdemo: standard output: "));
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
    place.run(&["man"]).ends(0).in_silence().shows(".TH qdemo 1");
    place.run(&["man", "pages"]).ends(0).in_silence();
    let names = place.names("pages");
    assert!(names.contains(&"qdemo.1".to_owned()) && names.contains(&"qdemo-info.1".to_owned()), "{names:?}");
}
