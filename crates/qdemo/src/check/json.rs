//! Reports as JSON, with the keys that `docs/rules.md` documents.

use serde_json::{Map, Value, json};

use super::{Finding, Report};

impl Finding {
    /// The finding as JSON: `rule`, `severity`, `block`, `offset`, the clock, `source`, `text`, `evidence`.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("rule".to_owned(), self.rule.as_str().into());
        map.insert("severity".to_owned(), self.severity.name().into());
        map.insert("block".to_owned(), self.block.into());
        map.insert("offset".to_owned(), self.offset.into());
        if let Some(clock) = &self.clock {
            map.extend(clock.to_json());
        }
        map.insert("source".to_owned(), self.source.as_str().into());
        map.insert("text".to_owned(), self.text.as_str().into());
        let evidence: Map<_, _> = self.evidence.iter().map(|(name, v)| ((*name).to_owned(), v.clone())).collect();
        map.insert("evidence".to_owned(), evidence.into());
        Value::Object(map)
    }
}

impl Report {
    /// The report as JSON, with the keys that `qdemo check --json` documents.
    pub fn to_json(&self, file: &str) -> Value {
        let findings: Vec<_> = self.findings.iter().map(Finding::to_json).collect();
        let left_out: Map<_, _> = self.left_out.iter().map(|(rule, n)| (rule.clone(), (*n).into())).collect();
        json!({
            "file": file,
            "format": self.detected.kind.name(),
            "worst": self.worst.map(super::Severity::name),
            "findings": findings,
            "left_out": left_out,
            "checks": self.checks,
        })
    }
}
