//! `qdemo export`: tables of the world, frame by frame.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{ValueEnum, ValueHint};
use qdemo::Limits;
use qdemo::table::{self, Interval, Table};
use qdemo::world::DemoTime;

use crate::batch::{self, Outcome};
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::Wanted;
use crate::output::Output;
use crate::report;
use crate::rows::{Columns, Layout, RowWriter};
use crate::session::Session;
use crate::source::{LenientReader, open_one};
use crate::writing;

/// Write tables of a recording as CSV or JSON lines
///
/// positions: the players in view, frame by frame; entities: everything in view; frames: what each frame of the server
/// changed. docs/tables.md tells each column with type, unit and source.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read or written

Examples:
  qdemo export duel.mvd --table positions --every 100ms > where.csv
  qdemo export duel.mvd --table positions --columns demo_ms,name,x,y,z
  qdemo export run.dem --table entities --json -o entities.jsonl
  qdemo export demos/ --table frames > all.csv        one table with a file column
  qdemo export demos/ --table frames -o tables/       a table for each recording")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Which table
    #[arg(long, value_name = "TABLE", value_enum)]
    table: Which,

    /// A row only for the first frame in each such span; the default is every frame
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    every: Option<DemoTime>,

    #[command(flatten)]
    columns: Columns,

    /// JSON lines in place of CSV
    #[arg(long)]
    json: bool,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Which {
    Positions,
    Entities,
    Frames,
}

impl Which {
    fn table(self) -> &'static Table {
        match self {
            Which::Positions => &table::POSITIONS,
            Which::Entities => &table::ENTITIES,
            Which::Frames => &table::FRAMES,
        }
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let layout = args.columns.of(args.table.table())?;
    let stream = inputs.several && args.output.is_none();
    if stream {
        return together(args, &layout, inputs, session);
    }
    let extension = if args.json { "jsonl" } else { "csv" };
    let rename = |path: &Path| PathBuf::from(format!("{}.{extension}", path.display()));
    let work = |item: &Item, target: Option<&Path>, protected: &Protected| {
        let mut outcome = Outcome::new();
        let done = to_file(item, (target, protected), args, &layout, limits, &mut outcome);
        if let Err(e) = done {
            outcome.fail(&e);
        }
        outcome
    };
    writing::run(inputs, args.output.as_deref(), session, rename, work)
}

/// Many recordings in one table, which has a column with their names.
fn together(args: &Args, layout: &Layout, inputs: Inputs, session: &Session) -> Result<Exit> {
    let limits = session.limits;
    if !args.json {
        session.console.raw(&layout.headings(true)?)?;
    }
    let work = |item: &Item| {
        let read = |input: &mut LenientReader, name: &str| {
            let mut out = Vec::new();
            let faults = rows(input, name, args, limits, &mut RowWriter::new(&mut out, layout, args.json, Some(name)))?;
            Ok((out, faults))
        };
        report::one(item, args.json, limits, read, |(out, faults), _| {
            let mut outcome = Outcome { out, raw: true, ..Outcome::new() };
            report::warn(&mut outcome, &faults);
            outcome
        })
    };
    batch::run(session, inputs.items(), true, args.json, Ok, work, |_| Ok(()))
}

fn to_file(
    item: &Item,
    (target, protected): (Option<&Path>, &Protected),
    args: &Args,
    layout: &Layout,
    limits: Limits,
    outcome: &mut Outcome,
) -> Result<()> {
    let name = item.to_string();
    let mut input = LenientReader::new(open_one(item, Some(Wanted::Demos), &limits)?);
    let mut output = target.map_or_else(|| Ok(Output::stdout()), |path| Output::create(path, protected))?;
    let mut writer = RowWriter::new(&mut output, layout, args.json, None);
    let done = writer.head().and_then(|()| rows(&mut input, &name, args, limits, &mut writer));
    drop(writer);
    let faults = done.map_err(|e| output.explain(e))?;
    output.finish()?;
    report::warn(outcome, &faults);
    match input.into_fault() {
        Some(e) => Err(e.into()),
        None => Ok(()),
    }
}

fn rows<W: Write>(
    input: impl Read,
    name: &str,
    args: &Args,
    limits: Limits,
    writer: &mut RowWriter<'_, W>,
) -> qdemo::Result<qdemo::Faults> {
    let every = args.every.map_or(Interval::FRAME, |every| Interval::ms(every.ms()));
    let faults = table::world(args.table.table(), input, name, every, limits, writer)?;
    writer.flush()?;
    Ok(faults)
}
