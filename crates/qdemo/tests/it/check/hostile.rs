//! Damaged recordings: nothing panics, and what is found is bounded.

use std::collections::BTreeMap;

use qdemo::Limits;
use qdemo::analysis::check::{Checks, Report, RuleSet, check};
use qdemo::error::ErrorKind;

use super::{of, report};
use crate::common::{Random, demo, root, rounds, serverinfo, testdata};

const NAMES: [&str; 10] = [
    "clip.dem",
    "dm13-15.dem",
    "e0m1-666.dem",
    "ez-dm.qwd",
    "ez-dm.mvd",
    "q2-demo1.dm2",
    "q2pro-dm.mvd2",
    "oa-dm2.dm_68",
    "oa-dm4.dm_71",
    "oa-dm5.dm_66",
];

fn look(demo: &[u8], name: &str) {
    let Ok(report) = check(demo, name, Limits::default(), &Checks::default()) else { return };
    let mut by_rule: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in &report.findings {
        *by_rule.entry(&finding.rule).or_default() += 1;
        assert!(finding.text.len() < 2_000, "{name}: {}", finding.text);
    }
    assert!(by_rule.values().all(|n| *n <= Report::MOST), "{name}");
    assert!(report.findings.iter().map(|f| Some(f.severity)).max().unwrap_or_default() <= report.worst);
    // Whatever is found can be written.
    assert!(serde_json::to_value(report).unwrap().is_object());
}

#[test]
fn cut_and_mutated() {
    let mut random = Random(0x5EED_0F0F);
    for name in NAMES {
        let whole = testdata(name);
        for _ in 0..rounds(12) {
            look(&whole[..random.below(whole.len())], name);
            let mut other = whole.clone();
            for _ in 0..1 + random.below(40) {
                let at = random.below(other.len());
                other[at] = random.next() as u8;
            }
            look(&other, name);
            // A part of one behind a part of the same.
            let (cut, from) = (random.below(whole.len()), random.below(whole.len()));
            look(&[&whole[..cut], &whole[from..]].concat(), name);
        }
    }
}

/// Findings without end: 20 are kept, all are counted.
#[test]
fn findings_are_bounded() {
    let quit = [&[9][..], b"quit\n", &[0]].concat();
    let blocks: Vec<Vec<u8>> = std::iter::once(serverinfo(15, &[])).chain(vec![quit.repeat(100); 50]).collect();
    let blocks: Vec<&[u8]> = blocks.iter().map(|b| &b[..]).collect();
    let report = report(&demo("-1\n", &blocks), "made.dem");
    assert_eq!(of(&report, "commands").len() as u64, Report::MOST);
    assert_eq!(report.left_out, [("commands".to_owned(), 5_000 - Report::MOST)]);
}

/// Rules with mistakes of all kinds: told, with a place in the text.
#[test]
fn mutated_rules() {
    let text = std::fs::read_to_string(root().join("crates/qdemo/src/analysis/check/rules/defrag.toml")).unwrap();
    let mut random = Random(0x7031);
    let mut mistakes = 0;
    for _ in 0..600 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.drain(at..(at + 20).min(bytes.len()))),
                _ => bytes.truncate(at),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let Err(e) = RuleSet::parse(&text, "x.toml") else { continue };
        let ErrorKind::Text(mistake) = &e.kind else { panic!("{e}") };
        assert!(mistake.line >= 1 && mistake.line <= text.lines().count() as u64 + 1, "{e}");
        mistakes += 1;
    }
    assert!(mistakes > 100);
}
