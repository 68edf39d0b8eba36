//! Findings, and how many of them are kept.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Place, Report};
use crate::json::{AllOrNone, object};
use crate::kinds::kinds;
use crate::world::Clock;

kinds! {
    /// How bad a finding is, the mildest first.
    pub enum Severity {
        /// Good to know. Honest recordings have such.
        Note = "note",
        /// Somebody should look at it.
        Warning = "warning",
        /// A rule is broken, or the recording contradicts itself.
        Violation = "violation",
    }
}

/// Something a referee should know.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// The check, or the set and the rule in it: `godmode`, `defrag/sv_cheats`.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// Number of the block, from 0 (in `.mvd` of the record); `None` where it is about no block.
    pub block: Option<u64>,
    /// Offset of that block's messages in the file, or of the bytes that it is about.
    pub offset: u64,
    /// When, where the format has a clock that is known.
    #[serde(flatten)]
    #[schemars(with = "AllOrNone<Clock>")]
    pub clock: Option<Clock>,
    /// The message, or whatever else tells it.
    pub source: String,
    /// What it is, in words.
    pub text: String,
    /// The values that show it, by name.
    #[serde(serialize_with = "object")]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub evidence: Vec<(&'static str, Value)>,
}

/// What a finding says.
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) evidence: Vec<(&'static str, Value)>,
}

impl Statement {
    pub(super) fn new(text: impl Into<String>, evidence: Vec<(&'static str, Value)>) -> Self {
        Statement { text: text.into(), evidence }
    }
}

/// Collects findings.
#[derive(Default)]
pub(super) struct Findings {
    findings: Vec<Finding>,
    counts: BTreeMap<String, u64>,
    worst: Option<Severity>,
}

impl Findings {
    /// Adds a finding. `tell` is asked only when it is kept.
    pub(super) fn add(
        &mut self,
        rule: &str,
        severity: Severity,
        place: &Place,
        source: &str,
        tell: impl FnOnce() -> Statement,
    ) {
        self.worst = self.worst.max(Some(severity));
        let count = match self.counts.get_mut(rule) {
            Some(count) => count,
            None => self.counts.entry(rule.to_owned()).or_default(),
        };
        *count += 1;
        if *count > Report::MOST {
            return;
        }
        let Statement { text, evidence } = tell();
        let Place { block, offset, clock } = *place;
        let (rule, source) = (rule.to_owned(), source.to_owned());
        self.findings.push(Finding { rule, severity, block, offset, clock, source, text, evidence });
    }

    /// The findings in order of the recording, what was left out by rule, and the worst of all.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<(String, u64)>, Option<Severity>) {
        self.findings.sort_by_key(|finding| finding.offset);
        let left_out = self.counts.into_iter().filter(|(_, n)| *n > Report::MOST);
        (self.findings, left_out.map(|(rule, n)| (rule, n - Report::MOST)).collect(), self.worst)
    }
}

/// Text from a recording, short and in plain characters, for a finding.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 200;
    let text = text.trim_end();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
