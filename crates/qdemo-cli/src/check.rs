//! `qdemo check`: what a referee should know.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueHint;
use qdemo::analysis::check::{Checks, Finding, Report, RuleSet, Severity, check};
use qdemo_inputs::{Inputs, Item, Wanted};
use serde_json::Value;

use crate::batch::{self, Outcome};
use crate::console::{BAD, DOUBT, GOOD, KEY};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count, moment};
use crate::table::table;

/// Notes of one check that people are shown of a file; JSON has more.
const NOTES: u64 = 3;

/// Look for cheats, broken rules, contradictions and traces of editing
///
/// Each finding says where it is and which values show it. A note is good to know, a warning is for somebody to look at, a
/// violation breaks a rule or contradicts the rest of the recording. A finding is evidence, no verdict on a person.
///
/// Rules about settings and texts are files in TOML: docs/rules.md tells how to write them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 nothing but notes   1 warnings or violations   2 a file could not be read

Examples:
  qdemo check run.dem
  qdemo check --only godmode,impulse9 run.dem
  qdemo check --set defrag runs/             only DeFRaG's rules, beside the checks
  qdemo check --rules cup.toml demos/
  qdemo check --json demos/ > findings.jsonl   one JSON object a line for every file
  qdemo check --list")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required_unless_present = "list", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Add the rules of a TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rules: Vec<PathBuf>,

    /// Of the built-in sets of rules, only these; `none` for none of them
    #[arg(long = "set", value_name = "NAME", value_delimiter = ',')]
    sets: Vec<String>,

    /// Only these checks, sets, or rules as SET/RULE
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,

    /// Leave out notes
    #[arg(long)]
    no_notes: bool,

    /// List the checks and rules, and what they look for
    #[arg(long, conflicts_with = "no_notes")]
    list: bool,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let checks = checks(args)?;
    if args.list {
        return list(&checks, args.json, session);
    }
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let (limits, several) = (session.limits, inputs.several);
    let work = |item: &Item| {
        let read = |input: &mut qdemo_inputs::LenientReader, name: &str| check(input, name, limits, &checks);
        report::one(item, args.json, limits, read, |mut report, name| {
            if args.no_notes {
                report.findings.retain(|finding| finding.severity > Severity::Note);
            }
            let mut outcome = match args.json {
                true => Outcome::json(&report::line(name, &report)),
                false => Outcome::text(text(&report, name)),
            };
            if report.worst > Some(Severity::Note) {
                outcome.exit = Exit::No;
            }
            outcome
        })
    };
    batch::run(session, inputs.items(), several, args.json, Ok, work, |_| Ok(()))
}

/// What is asked for.
fn checks(args: &Args) -> Result<Checks> {
    let mut checks = if args.sets.is_empty() { Checks::default() } else { Checks::without_rules() };
    for name in args.sets.iter().filter(|name| *name != "none") {
        let Some(set) = RuleSet::built_in().iter().find(|set| set.name() == name) else {
            let names: Vec<_> = RuleSet::built_in().iter().map(RuleSet::name).collect();
            bail!("there is no set {name}: it is one of {}, or none", names.join(", "));
        };
        checks = checks.with_rules(set.clone());
    }
    for path in &args.rules {
        checks = checks.with_rules(rules(path)?);
    }
    checks.only(&args.only).map_err(|name| {
        anyhow::anyhow!("there is no check, set or rule {name}: `qdemo check --list` lists what there is")
    })
}

fn rules(path: &Path) -> Result<RuleSet> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| qdemo::Error::from(e).in_file(&name))?;
    Ok(RuleSet::parse(&text, &name)?)
}

fn list(checks: &Checks, json: bool, session: &Session) -> Result<Exit> {
    let all = checks.list();
    if json {
        session.console.raw(&report::lines(&all).out)?;
        return Ok(Exit::Fine);
    }
    let table = table! {
        for known in &all;
        let games = match known.games.as_slice() {
            [] => String::new(),
            games => format!(" ({})", games.join(" ")),
        };
        let scope = format!("{}{games}", known.formats.join(" "));
        "Name" => Safe(&known.name),
        "Severity" => known.severity.name(),
        "For" => if scope.is_empty() { Safe("all") } else { Safe(&scope) },
        "What" => Safe(&known.text),
    };
    let mut out = String::new();
    table.write(&mut out, 0);
    session.console.show(out.as_bytes())?;
    Ok(Exit::Fine)
}

fn text(report: &Report, name: &str) -> String {
    let mut out = format!("{KEY}{}{KEY:#}: ", Safe(name));
    let left_out: u64 = report.left_out.iter().map(|(_, n)| n).sum();
    if report.findings.is_empty() && left_out == 0 {
        let _ = writeln!(out, "{GOOD}no findings{GOOD:#}");
        return out;
    }
    let _ = writeln!(out, "{}", count(report.findings.len() as u64 + left_out, "finding"));
    // Notes of one kind come by the hundred: a few say it all.
    let mut more: BTreeMap<&str, u64> = report.left_out.iter().map(|(rule, n)| (rule.as_str(), *n)).collect();
    let mut notes: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in &report.findings {
        let before = notes.entry(&finding.rule).or_default();
        *before += u64::from(finding.severity == Severity::Note);
        if finding.severity == Severity::Note && *before > NOTES {
            *more.entry(&finding.rule).or_default() += 1;
        } else {
            one(finding, &mut out);
        }
    }
    for (rule, n) in more {
        let _ = writeln!(out, "  {}: and {n} more", Safe(rule));
    }
    out
}

/// A finding: a line of what and where, and a line of values.
fn one(finding: &Finding, out: &mut String) {
    let style = match finding.severity {
        Severity::Violation => BAD,
        Severity::Warning => DOUBT,
        Severity::Note => anstyle::Style::new(),
    };
    let severity = finding.severity.name();
    let _ = writeln!(out, "  {style}{severity}{style:#} {}: {}", Safe(&finding.rule), Safe(&finding.text));
    let mut place = Vec::new();
    if let Some(clock) = &finding.clock {
        place.push(format!("at {}", clock.demo));
        place.extend(clock.now.map(|now| format!("{} clock {}", clock.kind.name(), moment(Some(now)))));
    }
    place.extend(finding.block.map(|block| format!("block {block}")));
    place.push(format!("byte {}", finding.offset));
    place.push(finding.source.clone());
    let values = finding.evidence.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name} {text}"),
        other => format!("{name} {other}"),
    });
    place.extend(values);
    let _ = writeln!(out, "    {}", Safe(&place.join(", ")));
}
