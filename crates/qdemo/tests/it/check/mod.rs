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
