//! `qdemo export`: tables of the world, frame by frame, and of what blocks tell.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::replay::Range;
use qdemo::table::{self, Interval, Row, Rows, TABLES, Table};
use qdemo::world::DemoTime;

use crate::batch::{self, Feed, Outcome};
use crate::exit::Exit;
use crate::inputs::{Inputs, Protected};
use crate::item::Item;
use crate::names::Wanted;
use crate::output::Output;
use crate::rows::{Columns, Layout, RowWriter};
use crate::session::Session;
use crate::source::{LenientReader, open_one};
use crate::when::{Between, When};
use crate::{report, writing};

/// Write tables of a recording as CSV or JSON lines
///
/// docs/tables.md tells each column with type, unit and source, and so does `qdemo schema tables`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read or written

Examples:
  qdemo export duel.mvd --table positions --every 100ms > where.csv
  qdemo export duel.mvd --table positions --columns demo_ms,name,x,y,z
  qdemo export run.dem --table entities --json -o entities.jsonl
  qdemo export duel.dm_68 --table inputs > keys.csv   what the player pressed
  qdemo export duel.mvd --table shots --columns demo_ms,name,weapon
  qdemo export duel.mvd --table positions --from 1:00 --to 1:30
  qdemo export demos/ --table frames > all.csv        one table with a file column
  qdemo export demos/ --table frames -o tables/       a table for each recording")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Which table
    #[arg(long, value_name = "TABLE", value_parser = table())]
    table: &'static Table,

    /// A row only for the first frame in each such span; the default is every frame. For positions, entities and frames
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    every: Option<DemoTime>,

    #[command(flatten)]
    between: Between,

    #[command(flatten)]
    when: When,

    #[command(flatten)]
    columns: Columns,

    /// JSON lines in place of CSV
    #[arg(long)]
    json: bool,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

/// The tables that can be written.
fn tables() -> impl Iterator<Item = &'static Table> {
    TABLES.into_iter().filter(|table| table.is_of_world())
}

fn table() -> impl TypedValueParser<Value = &'static Table> {
    let values = tables().map(|table| PossibleValue::new(table.name).help(table.doc));
    let named = |name: String| tables().find(|table| table.name == name).ok_or("no such table");
    PossibleValuesParser::new(values).try_map(named)
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let limits = session.limits;
    let layout = args.columns.of(args.table)?;
    let has_frames = args.table.has_frames() || args.every.is_none();
    anyhow::ensure!(has_frames, "--every leaves out frames, and the table {} has none", args.table.name);
    let stream = inputs.several && args.output.is_none();
    if stream {
        return together(args, &layout, inputs, session);
    }
    let extension = if args.json { "jsonl" } else { "csv" };
    let rename = |path: &Path| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
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
    let work = |item: &Item, feed: &mut Feed| {
        let read = |input: &mut LenientReader, name: &str| {
            let range = range(item, args, limits)?;
            rows(input, name, (args, range), limits, &mut RowWriter::new(feed, layout, args.json, Some(name)))
        };
        report::rows(item, limits, read, |faults, _| {
            let mut outcome = Outcome { raw: true, ..Outcome::new() };
            report::warn(&mut outcome, &faults);
            outcome
        })
    };
    batch::stream(session, inputs.items(), true, args.json, Ok, work, |_| Ok(()))
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
    let range = range(item, args, limits)?;
    let mut input = LenientReader::new(open_one(item, Some(Wanted::Demos), &limits)?);
    let mut output = target.map_or_else(|| Ok(Output::stdout()), |path| Output::create(path, protected))?;
    let mut writer = RowWriter::new(&mut output, layout, args.json, None);
    let done = writer.head().and_then(|()| rows(&mut input, &name, (args, range), limits, &mut writer));
    drop(writer);
    let faults = done.map_err(|e| output.explain(e))?;
    output.finish()?;
    report::warn(outcome, &faults);
    match input.into_fault() {
        Some(e) => Err(e.into()),
        None => Ok(()),
    }
}

/// What of a recording is asked for. For times within matches and levels it is read once more.
fn range(item: &Item, args: &Args, limits: Limits) -> qdemo::Result<Range> {
    let given = args.between.range();
    given.check_order()?;
    args.when.places_in(given, &args.when.parts(item, limits)?).map_err(|e| e.in_file(&item.to_string()))
}

/// Rows of a part of a recording.
struct Within<'w, R> {
    rows: &'w mut R,
    range: Range,
}

impl<R: Rows> Rows for Within<'_, R> {
    fn row(&mut self, row: &Row<'_>) -> qdemo::Result<()> {
        if self.range.contains(Some(row.block()), &row.clock()) { self.rows.row(row) } else { Ok(()) }
    }
}

fn rows<W: Write>(
    input: impl Read,
    name: &str,
    (args, range): (&Args, Range),
    limits: Limits,
    writer: &mut RowWriter<'_, W>,
) -> qdemo::Result<qdemo::Faults> {
    let every = args.every.map_or(Interval::FRAME, |every| Interval::ms(every.ms()));
    let faults = table::world(args.table, input, name, every, limits, &mut Within { rows: &mut *writer, range })?;
    writer.flush()?;
    Ok(faults)
}
