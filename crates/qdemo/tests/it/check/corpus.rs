//! What is found in real recordings, and why: everything above a note is named here.

use std::path::PathBuf;

use qdemo::analysis::check::{Checks, Severity, check};
use qdemo::{Limits, container};

use crate::common::{corpora, file_name, files, is_broken, shared};

/// Files with findings above a note, by a part of the name; the rule; and what it is.
const EXPLAINED: [(&str, &str, &str); 8] = [
    ("LibreQuake__demo.dem", "speedrun/cheats", "the recorder tries noclip and notarget, which the server answers"),
    ("boomtest.dm_68", "quake3/sv_cheats", "a developer's test of OpenArena"),
    ("demo088-test1.dm_71", "quake3/sv_cheats", "a developer's test of OpenArena"),
    ("stress_sago.dm_70", "quake3/sv_cheats", "a developer's test of OpenArena"),
    ("ez-mvdsv-dm", "quakeworld/cheats", "recorded for this project on a server with cheats allowed"),
    ("invalid_area_mask_length", "damage", "known to be broken"),
    ("invalid_command_byte", "damage", "known to be broken"),
    ("3504", "damage", "DarkPlaces"),
];

fn recordings() -> Vec<PathBuf> {
    let folders = ["dem", "dm2", "mvd", "q3", "qwd", "qwz"].into_iter().flat_map(corpora);
    let mut all: Vec<_> = folders.flat_map(|dir| files(&dir, "")).collect();
    let recorded = shared("recorded").map(|dir| files(&dir, "")).unwrap_or_default();
    all.extend(recorded.iter().filter(|path| path.is_dir()).flat_map(|dir| files(dir, "")));
    all
}

#[test]
fn honest_recordings_have_nothing_above_a_note_that_is_not_explained() {
    let (mut files, mut clean, mut explained) = (0, 0, 0);
    for path in recordings() {
        let name = file_name(&path);
        let location = container::Location::file(path.clone());
        let Ok(container::Opened::File(source)) = container::open(&location, &Limits::default()) else { continue };
        let Ok(report) = check(source, &name, Limits::default(), &Checks::default()) else { continue };
        files += 1;
        clean += usize::from(report.findings.is_empty());
        for finding in report.findings.iter().filter(|finding| finding.severity > Severity::Note) {
            let known = EXPLAINED.iter().any(|(part, rule, _)| name.contains(part) && finding.rule == *rule);
            assert!(known || is_broken(&path), "{name}: {finding:?}");
            explained += 1;
        }
        assert!(
            report.left_out.iter().all(|(rule, _)| rule == "gaps" || rule == "commands" || is_broken(&path)),
            "{name}"
        );
    }
    eprintln!("{files} recordings, {clean} without any finding, {explained} findings above a note");
    if shared("corpus").is_some() {
        assert!(files >= 90 && clean >= 25 && explained >= 8, "{files} files, {clean} clean, {explained} explained");
    }
}
