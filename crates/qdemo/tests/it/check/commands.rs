//! What playing a recording would carry out.

use qdemo::analysis::check::Severity;

use super::{of, report, value};
use crate::common::{demo, serverinfo};

fn stuff(text: &str) -> Vec<u8> {
    [&[9][..], text.as_bytes(), &[0]].concat()
}

/// Severities and commands that a recording with these texts has.
fn found(texts: &[&str]) -> Vec<(Severity, String)> {
    let mut blocks = vec![serverinfo(15, &[])];
    blocks.extend(texts.iter().map(|text| stuff(text)));
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let report = report(&demo("-1\n", &blocks), "made.dem");
    let all = of(&report, "commands");
    all.iter().map(|f| (f.severity, value(f, "command").as_str().unwrap().to_owned())).collect()
}

#[test]
fn what_engines_send_is_no_finding() {
    assert_eq!(found(&["bf\n", "reconnect\n", "cmd spawn 1\n", "//ktx took 1 2 3\n", "v_cshift 1 2 3 4\n"]), []);
    // DarkPlaces and FTE when somebody connects; mods that show fog.
    let engines = ["csqc_progname csprogs.dat\ncsqc_progsize 12\ncsqc_progcrc 34\n", "cl_serverextension_download 2\n"];
    assert_eq!(found(&engines), []);
    assert_eq!(found(&["fog 0.1 0.2 0.3 0.4\n", "sky night_\n", "r_skyfog 0.5\n"]), []);
}

/// Team Fortress shakes the view of whoever has a concussion, and mods give words for impulses, with quotes or without.
#[test]
fn what_mods_send_is_a_note() {
    let note = |text: &str| (Severity::Note, text.to_owned());
    assert_eq!(
        found(&["v_idlescale 100\nfov 90\n", "alias fire \"impulse 5\"\n", "alias fire impulse 5\n"]),
        [note("v_idlescale 100"), note("fov 90"), note("alias fire \"impulse 5\""), note("alias fire impulse 5")]
    );
    let warning = |text: &str| (Severity::Warning, text.to_owned());
    assert_eq!(found(&["alias fire \"impulse 5;quit\"\n"]), [warning("alias fire \"impulse 5;quit\"")]);
}

/// KTX calls words of those who connect, if they have them, and gives them words for its commands.
#[test]
fn what_ktx_sends_to_those_who_connect_is_a_note() {
    let note = |text: &str| (Severity::Note, text.to_owned());
    assert_eq!(
        found(&["sinfoset\n", "ktx_infoset\n", "alias ready cmd cc 3\n", "alias ready \"cmd cc 3;quit\"\n"]),
        [
            note("sinfoset"),
            note("ktx_infoset"),
            note("alias ready cmd cc 3"),
            (Severity::Warning, "alias ready \"cmd cc 3;quit\"".to_owned())
        ]
    );
}

#[test]
fn what_harms_is_a_warning_and_so_is_the_unknown() {
    let warning = |text: &str| (Severity::Warning, text.to_owned());
    assert_eq!(
        found(&["bf;bind w \"say hi;quit\"; quit\n", "frobnicate 3\n", "viewsize 100\n"]),
        [
            warning("bind w \"say hi;quit\""),
            warning("quit"),
            warning("frobnicate 3"),
            (Severity::Note, "viewsize 100".to_owned())
        ]
    );
}

/// The console puts chunks together up to the end of the line, and so must whoever looks for commands.
#[test]
fn pieces_of_a_command() {
    assert_eq!(found(&["qu", "it", "\n"]), [(Severity::Warning, "quit".to_owned())]);
    assert_eq!(found(&["qu", "it"]), [(Severity::Warning, "quit".to_owned())]);
    // A remark ends where the console ends a command.
    assert_eq!(found(&["//ktx ;quit\n"]), [(Severity::Warning, "quit".to_owned())]);
}
