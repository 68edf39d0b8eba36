//! Any bytes as a recording of each format, with all checks; and as a set of rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use qdemo::Limits;
use qdemo::check::{Checks, Report, RuleSet, check};

fuzz_target!(|data: &[u8]| {
    let checks = Checks::default();
    for name in ["x.dem", "x.qwd", "x.mvd", "x.dm2", "x.mvd2", "x.dm_68", "x.dm3"] {
        let Ok(report) = check(data, name, Limits::default(), &checks) else { continue };
        assert!(report.findings.len() as u64 <= Report::MOST * checks.list().len() as u64);
        serde_json::to_value(report).unwrap();
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = RuleSet::parse(text, "x.toml");
    }
});
