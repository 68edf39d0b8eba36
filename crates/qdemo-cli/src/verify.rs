//! `qdemo verify`: is the model of a demo exact, is the demo whole?

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write;

use anyhow::Result;
use clap::ValueHint;
use qdemo::container::Behind;
use qdemo::verify::Report;
use qdemo::{FileKind, Limits};
use qdemo_inputs::{Inputs, Item, LenientReader, Wanted, open_one};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::{self, Outcome};
use crate::console::{BAD, DOUBT, GOOD, Note};
use crate::exit::Exit;
use crate::report;
use crate::session::Session;
use crate::show::{Safe, count};

/// Check that demos are understood byte for byte, and whole
///
/// Every block is decoded, written again from what was understood alone, and compared. A file is "exact" when not a
/// byte differs and none is left without a meaning; "damaged" when it breaks the rules of its format or ends too early.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 every file is exact and whole   1 some file is not   2 some file could not be read

Examples:
  qdemo verify demo1.dem
  qdemo verify demos/ && echo all fine
  qdemo verify 'pak0.pak:*'
  qdemo verify --json demos/ > verdicts.jsonl")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let several = inputs.several;
    let threads = session.threads_of_one(several);
    let sums = RefCell::new(Sums::default());
    let tell = |outcome: &Outcome| {
        sums.borrow_mut().add(outcome);
        Ok(())
    };
    let work = |item: &Item| one(threads, item, args.json, limits);
    let exit = batch::run(session, inputs.items(), several, args.json, Ok, work, tell)?;
    if several {
        session.console.note(&Note::Remark(sums.borrow().to_string()));
    }
    Ok(exit)
}

/// Whether a recording is understood byte for byte, and whole.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Verified<'r> {
    #[serde(flatten)]
    report: &'r Report,
    /// What stands behind the end of the containers: no part of the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    behind: Vec<Behind>,
    /// What kept the rest of the file from being read, in words for people: the report is about the bytes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn one(threads: usize, item: &Item, json: bool, limits: Limits) -> Outcome {
    match check(threads, item, limits) {
        Ok((report, behind, fault)) => {
            let name = item.to_string();
            let sound = report.is_sound();
            let mut outcome = if json {
                let error = fault.as_ref().map(ToString::to_string);
                Outcome::json(&report::line(&name, Verified { report: &report, behind, error }))
            } else {
                Outcome::text(verdict(&report, &name, fault.is_some()))
            };
            if !sound {
                outcome.exit = Exit::No;
            }
            if let Some(e) = fault {
                outcome.fail(&e.into());
            }
            outcome
        }
        Err(e) => report::failed(&item.to_string(), &e, json),
    }
}

/// The report on what could be read, what stands behind the containers, and what kept us from reading the rest.
fn check(threads: usize, item: &Item, limits: Limits) -> Result<(Report, Vec<Behind>, Option<qdemo::Error>)> {
    let mut input = LenientReader::new(open_one(item, Some(Wanted::Demos), &limits)?);
    let report = qdemo::verify::verify_on(threads, &mut input, &item.to_string(), limits)?;
    let (offset, behind) = (input.offset(), input.behind());
    match input.into_fault() {
        Some(e) if offset == 0 => Err(e.into()),
        fault => Ok((report, behind, fault)),
    }
}

fn verdict(report: &Report, name: &str, cut: bool) -> String {
    let mut out = String::new();
    let first = report.faults.iter().next();
    let name = Safe(name);
    if report.detected.kind == FileKind::Unknown {
        if report.bytes == 0 {
            let _ = writeln!(out, "{BAD}NOT EXACT{BAD:#}  {name}: the file is empty");
            return out;
        }
        let (reason, bytes) = (Safe(&report.detected.reason), count(report.uncovered, "byte"));
        let _ =
            writeln!(out, "{BAD}NOT EXACT{BAD:#}  {name}: no demo that qdemo knows ({reason}), {bytes} not covered");
        return out;
    }
    if !report.is_exact() {
        let _ = write!(out, "{BAD}NOT EXACT{BAD:#}  {name}: ");
        let mut parts = Vec::new();
        if report.uncovered > 0 {
            parts.push(format!("{} of {} bytes not covered by the model", report.uncovered, report.bytes));
        }
        if report.different > 0 {
            parts.push(format!("{} differ when written again", count(report.different, "piece")));
        }
        let _ = write!(out, "{}", parts.join(", "));
        if let Some(e) = first {
            let _ = write!(out, ", first {}: {}", place(e), Safe(&e.kind.to_string()));
        }
    } else if let Some(e) = first {
        let _ = write!(out, "{DOUBT}exact, but damaged{DOUBT:#}  {name}: {} {}", Safe(&e.kind.to_string()), place(e));
    } else {
        let word = if cut { "exact as far as it goes" } else { "exact" };
        let style = if cut { DOUBT } else { GOOD };
        let (blocks, messages) = (count(report.blocks, "block"), count(report.messages, "message"));
        let _ = write!(out, "{style}{word}{style:#}  {name}: {blocks}, {messages}, ");
        let _ = write!(out, "{} covered", count(report.covered(), "byte"));
    }
    let more = report.faults.count().saturating_sub(1);
    if more > 0 {
        let _ = write!(out, "; and {}", count(more, "more fault"));
    }
    if report.detected.is_assumed() {
        let _ = write!(out, "; {}", Safe(&report.detected.reason));
    }
    out.push('\n');
    out
}

/// Where a fault lies: `at byte 123 (block 4, time 1.5 s)`.
fn place(e: &qdemo::Error) -> String {
    let mut rest = e.place.clone();
    let offset = rest.offset.take();
    let (rest, at) = (rest.to_string(), offset.map(|n| format!("at byte {n}")).unwrap_or_default());
    if rest.is_empty() { at } else { format!("{at} ({rest})") }
}

/// How many files ended how.
#[derive(Default)]
struct Sums {
    sound: u64,
    unsound: u64,
    errors: u64,
}

impl Sums {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.exit {
            // A warning on the way is no file.
            Exit::Fine => self.sound += u64::from(!outcome.out.is_empty()),
            Exit::No => self.unsound += 1,
            Exit::Error => self.errors += 1,
        }
    }
}

impl std::fmt::Display for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.sound + self.unsound + self.errors;
        write!(f, "{}: {} exact and whole", count(all, "file"), self.sound)?;
        if self.unsound > 0 {
            write!(f, ", {} not", self.unsound)?;
        }
        if self.errors > 0 {
            write!(f, ", {} could not be read", self.errors)?;
        }
        Ok(())
    }
}
