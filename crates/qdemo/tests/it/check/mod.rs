//! `check`: honest recordings have no findings but those that are explained here, edited ones have the right ones.

mod commands;
mod corpus;
mod godmode;
mod hostile;
mod order;
mod rules;

use qdemo::Limits;
use qdemo::analysis::check::{Checks, Finding, Report, Severity, check};
use qdemo::text::{Options, compile_bytes, decompile_bytes};

use crate::common::testdata;

/// All checks on a recording.
fn report(demo: &[u8], name: &str) -> Report {
    check(demo, name, Limits::default(), &Checks::default()).unwrap()
}

/// The findings of one check.
fn of<'r>(report: &'r Report, rule: &str) -> Vec<&'r Finding> {
    report.findings.iter().filter(|finding| finding.rule == rule).collect()
}

/// Rule, severity and block of all findings that are no notes.
fn serious(report: &Report) -> Vec<(&str, Severity, Option<u64>)> {
    let told = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
    told.map(|finding| (finding.rule.as_str(), finding.severity, finding.block)).collect()
}

/// A value of a finding's evidence.
fn value(finding: &Finding, name: &str) -> serde_json::Value {
    finding.evidence.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone()).expect(name)
}

/// A recording with its text edited: `edit` gets the statements of the top level.
fn edited(demo: &[u8], name: &str, edit: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let text = String::from_utf8(decompile_bytes(demo, name, &Options::default()).unwrap()).unwrap();
    let mut statements: Vec<String> = Vec::new();
    for line in text.lines() {
        let goes_on = line.starts_with([' ', '}']);
        match statements.last_mut().filter(|_| goes_on) {
            Some(statement) => *statement += &format!("{line}\n"),
            None => statements.push(format!("{line}\n")),
        }
    }
    edit(&mut statements);
    compile_bytes(statements.concat().as_bytes(), "edited.txt").unwrap()
}

/// Places of the statements that hold a text.
fn holding(statements: &[String], text: &str) -> Vec<usize> {
    (0..statements.len()).filter(|at| statements[*at].contains(text)).collect()
}

/// Number of a block, as the text tells it.
fn number(statement: &str) -> u64 {
    statement.split_once("{ // ").unwrap().1.split([' ', '\n']).next().unwrap().parse().unwrap()
}

/// Servers look for the mark of a multi-view recording once, at the beginning of a file: within it they would take it for sizes.
/// (Source: `demo_read_first` and `demo_load_message` of Q2PRO.)
#[test]
fn a_mark_within_a_recording_is_found() {
    let whole = testdata("q2pro-dm.mvd2");
    let open = &whole[..whole.len() - 2];
    let two = report(&[open, &whole[..]].concat(), "two.mvd2");
    let (mut rest, mut blocks) = (&open[4..], 0);
    while let [a, b, behind @ ..] = rest {
        rest = &behind[usize::from(u16::from_le_bytes([*a, *b]))..];
        blocks += 1;
    }
    let found: Vec<_> = of(&two, "end").iter().map(|finding| (finding.severity, finding.block)).collect();
    assert_eq!(found, [(Severity::Warning, Some(blocks))], "{two:?}");
    assert!(of(&report(&whole, "one.mvd2"), "end").is_empty());
    // Nor without it.
    let bare = report(&whole[4..], "one.mvd2");
    let found: Vec<_> = of(&bare, "end").iter().map(|finding| (finding.severity, finding.block)).collect();
    assert_eq!(found, [(Severity::Warning, Some(0))], "{bare:?}");
}
