//! What is found in real recordings: everything above a note is what the recording says itself.

use std::io::Read;
use std::path::PathBuf;

use qdemo::analysis::check::{Checks, Finding, Severity, check};
use qdemo::text::{Options, decompile_bytes};
use qdemo::{Limits, container};

use crate::common::{corpora, file_name, files, shared};

/// What the recording says itself is no mistake of the check: a finding that quotes it, by what stands in its text, and
/// damage, where the text has bytes that nothing explains.
fn is_said(finding: &Finding, text: &str) -> bool {
    let evidence = |name: &str| {
        finding.evidence.iter().find(|(key, _)| *key == name).and_then(|(_, value)| value.as_str()).unwrap_or_default()
    };
    match finding.rule.as_str() {
        // A setting of the server, such as the mark of cheats.
        _ if !evidence("key").is_empty() => text.contains(&format!("\\\\{}\\\\{}", evidence("key"), evidence("value"))),
        // The server's answer to somebody who asks for a cheat.
        "speedrun/cheats" => !evidence("text").is_empty() && text.contains(evidence("text")),
        "damage" => text.lines().any(|line| line.starts_with("unknown") || line.starts_with("unframed")),
        // What stands behind what looks like the end.
        "end" => text.lines().any(|line| line.starts_with("trailer")),
        _ => false,
    }
}

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
        let serious: Vec<_> = report.findings.iter().filter(|finding| finding.severity > Severity::Note).collect();
        let text = match serious.is_empty() {
            true => String::new(),
            false => {
                let container::Opened::File(mut source) = container::open(&location, &Limits::default()).unwrap()
                else {
                    continue;
                };
                let mut demo = Vec::new();
                source.read_to_end(&mut demo).unwrap();
                String::from_utf8(decompile_bytes(&demo, &name, &Options::default()).unwrap()).unwrap()
            }
        };
        files += 1;
        clean += usize::from(report.findings.is_empty());
        for finding in serious {
            assert!(is_said(finding, &text), "{name}: {finding:?}");
            explained += 1;
        }
        assert!(
            report.left_out.iter().all(|(rule, _)| ["gaps", "commands", "damage"].contains(&rule.as_str())),
            "{name}"
        );
    }
    eprintln!("{files} recordings, {clean} without any finding, {explained} findings above a note");
    if shared("corpus").is_some() {
        assert!(files >= 90 && clean >= 25 && explained >= 8, "{files} files, {clean} clean, {explained} explained");
    }
}
