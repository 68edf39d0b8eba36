//! `qdemo info`: what a demo says about itself, and what an archive holds.

mod demo;
pub(crate) mod ktx;
mod listing;

use std::ffi::OsString;
use std::io::Read;

use anyhow::Result;
use clap::ValueHint;
use qdemo::Limits;
use qdemo::analysis::hash::HashingReader;
use qdemo::analysis::run_name::{Comparison, RunName};
use qdemo::analysis::summary::summary;
use qdemo::container::{Behind, Opened};
use qdemo::replay::info::{self, Info};
use qdemo::table;
use qdemo_inputs::{Inputs, Item, LenientReader, Wanted};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::batch::{self, Outcome};
use crate::console::Note;
use crate::exit::Exit;
use crate::report;
use crate::rows::{self, Columns, Layout};
use crate::session::Session;

/// Tell what demos say about themselves: format, protocol, levels, times, players
///
/// Of an archive it lists what the archive holds; put :* behind its name for the demos in it. Of several files of one
/// name all but the one that the name means are listed, and reached, with their place among them in front:
/// old.zip:#1/demo1.dem is the first. Times are those of the clock that the file has: the server's, or in QuakeWorld that
/// of the recording.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine, also for a damaged demo: its faults are among the facts   2 a file could not be read
  1 with --ktx: a demo has no statistics

Examples:
  qdemo info demo1.dem
  qdemo info --detail run.dem.gz         bytes by kind of message as well
  qdemo info pak0.pak                    what the archive holds
  qdemo info pak0.pak:demo1.dem          one demo in it
  qdemo info --ktx duel.mvd              the statistics that the server put into it
  qdemo info --hash run.dem.gz           its SHA-256 as well
  qdemo info --json demos/ > all.jsonl   one JSON object a line for every demo below a folder
  qdemo info --csv demos/ > demos.csv    one row for every demo, to sort and filter
  qdemo info --quick demos/              several times as fast, for large collections of Quake III")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Write one JSON object a line
    #[arg(long)]
    json: bool,

    /// Write CSV, one row for every demo; docs/tables.md tells the columns
    #[arg(long, conflicts_with_all = ["json", "detail", "quick", "hash", "ktx"])]
    csv: bool,

    #[command(flatten)]
    columns: Columns,

    /// Count messages and bytes by kind of message
    #[arg(long)]
    detail: bool,

    /// Read texts and clocks alone in Quake III demos: no messages are counted, nothing is told of matches and of whom
    /// the recorder saw through, and damage in snapshots is not seen: those that are damaged count, as do their times,
    /// which are left out else
    #[arg(long, conflicts_with = "detail")]
    quick: bool,

    /// Tell the SHA-256 of the recording too, whatever it is packed in: that of `qdemo hash`
    #[arg(long, conflicts_with = "ktx")]
    hash: bool,

    /// Print the match statistics that KTX put into a multi-view demo: JSON as it stands in the file, indented
    #[arg(long, conflicts_with = "detail")]
    ktx: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let several = inputs.several;
    let layout = args.columns.of_csv(&table::DEMOS, args.csv)?;
    if args.csv {
        session.console.raw(&layout.headings(true)?)?;
        let work = |item: &Item| row(item, &layout, limits);
        return batch::run(session, inputs.items(), several, true, Ok, work, |_| Ok(()));
    }
    let mut first = true;
    let tell = |outcome: &Outcome| {
        // One block each, divided by a blank line.
        if !outcome.raw && !outcome.out.is_empty() && !std::mem::replace(&mut first, false) {
            session.console.show(b"\n")?;
        }
        Ok(())
    };
    batch::run(session, inputs.items(), several, args.json, Ok, |item| one(item, args, limits), tell)
}

fn one(item: &Item, args: &Args, limits: Limits) -> Outcome {
    let name = item.to_string();
    match item.open(&limits) {
        Ok(Opened::File(source)) => {
            let containers: Vec<_> = source.containers.iter().map(|kind| kind.name()).collect();
            demo(LenientReader::new(source), &name, &containers, args, limits)
        }
        Ok(Opened::Listing(archive)) if args.json => Outcome::json(&report::line(&name, &archive)),
        Ok(Opened::Listing(archive)) => Outcome::text(listing::text(&archive)),
        Err(e) => report::failed(&name, &e.into(), args.json),
    }
}

/// The row of one demo in a list of them.
fn row(item: &Item, layout: &Layout, limits: Limits) -> Outcome {
    let read = |input: &mut LenientReader, name: &str| {
        let mut input = HashingReader::new(input);
        let summary = summary(&mut input, name, limits)?;
        Ok((summary, input.finish()?.1))
    };
    report::rows(item, limits, read, |(mut summary, hash), name| {
        summary.sha256 = Some(hash);
        rows::csv(std::iter::once(table::demo(&summary)), layout, Some(name))
    })
}

/// What a recording says about itself.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Info")]
pub(crate) struct Recording<'i> {
    #[serde(flatten)]
    info: &'i Info,
    /// The containers that it was in, the outermost first.
    containers: &'i [&'i str],
    /// What the name of the file says of the run in it, and whether the recording says the same; of files with such names.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_name: Option<&'i Comparison>,
    /// With `--hash`: the SHA-256 of the recording, in small hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// What stands behind the end of the containers: no part of the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    behind: Vec<Behind>,
    /// What kept the rest of the file from being read, in words for people: the facts are those of the bytes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn demo(input: LenientReader, name: &str, containers: &[&str], args: &Args, limits: Limits) -> Outcome {
    let (info, input, hash) = match read(input, name, args, limits) {
        Ok(read) => read,
        Err(e) => return report::failed(name, &e.into(), args.json),
    };
    let (offset, behind) = (input.offset(), input.behind());
    let fault = input.into_fault();
    let named = RunName::of(name).and_then(|said| said.against(&info));
    match fault {
        // Not a byte of it could be read: there are no facts.
        Some(e) if offset == 0 => report::failed(name, &e.into(), args.json),
        fault => {
            let mut outcome = if args.ktx {
                ktx::outcome(&info, name, args.json)
            } else if args.json {
                let recording = Recording {
                    info: &info,
                    containers,
                    file_name: named.as_ref(),
                    sha256: hash.filter(|_| fault.is_none()),
                    behind,
                    error: fault.as_ref().map(ToString::to_string),
                };
                let mut facts = json!(report::line(name, recording));
                if let Some(facts) = facts.as_object_mut().filter(|_| !args.detail) {
                    facts.remove("messages_by_kind");
                }
                Outcome::json(&facts)
            } else {
                let hash = hash.as_deref().filter(|_| fault.is_none());
                let beside = demo::Beside { containers, hash, named: named.as_ref() };
                Outcome::text(demo::text(&info, name, &beside, args.detail))
            };
            if let Some(e) = fault {
                outcome.fail(&e.into());
                let what = format!("{name}: the facts are those of the {offset} bytes before the damage");
                outcome.notes.push(Note::Warning(what));
            }
            outcome
        }
    }
}

/// The facts of a recording, and its hash when that is asked for.
fn read(
    mut input: LenientReader,
    name: &str,
    args: &Args,
    limits: Limits,
) -> qdemo::Result<(Info, LenientReader, Option<String>)> {
    let read = |input: &mut dyn Read| {
        if args.quick { info::quick(input, name, limits) } else { info::info(input, name, limits) }
    };
    if !args.hash {
        return Ok((read(&mut input)?, input, None));
    }
    let mut input = HashingReader::new(input);
    let info = read(&mut input)?;
    let (input, hash, _) = input.finish()?;
    Ok((info, input, Some(hash)))
}
