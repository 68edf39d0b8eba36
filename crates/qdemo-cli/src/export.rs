//! `qdemo export`: tables as files.

mod chunk;
mod dataset;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use qdemo::Limits;
use qdemo::demo::detect::Detected;
use qdemo::replay::Range;
use qdemo::table::{self, Interval, Row, TABLES, Table, TableRows};
use qdemo::world::DemoTime;
use qdemo_inputs::{Done, Found, Inputs, Item, Wanted, read_tables};

use self::chunk::{Chunks, Format, Sheet, Source};
use crate::batch::Outcome;
use crate::console::Note;
use crate::exit::Exit;
use crate::output::Output;
use crate::report;
use crate::rows::{Columns, Layout};
use crate::session::Session;
use crate::when::{Between, Parts, When};
use crate::writing::is_folder;

/// Write tables of recordings as CSV, JSON lines, Parquet or Arrow
///
/// docs/tables.md tells each column with type, unit and source, and so does `qdemo schema tables`. Into a folder a data set is
/// written, parted by table and game: `table=frags/game=quake3/duel.dm_68-1a2b3c4d5e6f.parquet`, with a column `file` in
/// front. A file that cannot be read costs its own rows alone, and the table demos says what is wrong with it.
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
  qdemo export demos/ --table frags -o frags.jsonl    the same in a file
  qdemo export demos/ --table frags,chat -o data/     a data set, a file for each recording
  qdemo export demos/ --table all --rows-per-file 1000000 -o data/")]
pub(crate) struct Args {
    /// Demos, folders, patterns, archives or their members; - is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// Which table; several, or all, for a data set
    #[arg(long = "table", value_name = "TABLE", required = true, value_delimiter = ',', value_parser = tables())]
    tables: Vec<Tables>,

    /// How it is written; else what the name of the output says, or CSV. Parquet and Arrow need a qdemo that was built with
    /// them
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// A row only for the first frame in each such span; the default is every frame. For positions, entities and frames
    #[arg(long, value_name = "TIME", value_parser = report::time)]
    every: Option<DemoTime>,

    #[command(flatten)]
    between: Between,

    #[command(flatten)]
    when: When,

    #[command(flatten)]
    columns: Columns,

    /// JSON lines in place of CSV: the same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// In a data set files of so many rows at most, of several recordings; the default is a file for each recording
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rows_per_file: Option<u64>,

    /// Write to this file, or into this folder; the default is standard output
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

/// A table that was named, or all of them.
#[derive(Debug, Clone, Copy)]
enum Tables {
    All,
    One(&'static Table),
}

fn tables() -> impl TypedValueParser<Value = Tables> {
    let all = PossibleValue::new("all").help("All of them");
    let values = TABLES.iter().map(|table| PossibleValue::new(table.name).help(table.doc)).chain([all]);
    let named = |name: String| match Table::by_name(&name) {
        Some(table) => Ok(Tables::One(table)),
        None if name == "all" => Ok(Tables::All),
        None => Err("no such table"),
    };
    PossibleValuesParser::new(values).try_map(named)
}

/// What is to be written.
struct Plan {
    layouts: Vec<Layout>,
    format: Format,
    options: table::Options,
    between: Between,
    when: When,
    rows_per_file: Option<u64>,
    limits: Limits,
}

impl Plan {
    fn of(args: &Args, limits: Limits) -> Result<Plan> {
        let all = args.tables.iter().any(|named| matches!(named, Tables::All));
        let named = |table: &Table| args.tables.iter().any(|it| matches!(it, Tables::One(it) if it.name == table.name));
        // Each once, in their own order.
        let tables: Vec<_> = TABLES.into_iter().filter(|table| all || named(table)).collect();
        let only = |name: &str, is: fn(&Table) -> bool| match tables.iter().find(|table| !is(table)) {
            Some(table) if tables.len() == 1 => Err(anyhow!("{name}, and the table {} has none", table.name)),
            _ => Ok(()),
        };
        let range = args.between.range();
        range.check_order()?;
        if args.every.is_some() {
            only("--every leaves out frames", Table::has_frames)?;
        }
        if range != Range::ALL || args.when.needs_parts() {
            only("--from, --to and --match are about times", has_times)?;
        }
        let layouts = tables.iter().copied().map(|table| args.columns.of(table)).collect::<Result<_>>()?;
        let by_name = || Format::by_extension(args.output.as_deref()?.extension()?.to_str()?);
        let format = match args.format {
            Some(format) => format,
            None if args.json => Format::Jsonl,
            None => by_name().unwrap_or(Format::Csv),
        };
        format.check()?;
        let mut options = table::Options::default();
        options.every = args.every.map_or(Interval::FRAME, |every| Interval::ms(every.ms()));
        let rows_per_file = args.rows_per_file;
        Ok(Plan { layouts, format, options, between: args.between, when: args.when, rows_per_file, limits })
    }

    /// What of a recording is asked for. For times within matches and levels it is read once more.
    fn part(&self, item: &Item) -> qdemo::Result<Part> {
        let parts = self.when.parts(item, self.limits)?;
        self.when.check(&parts).map_err(|e| e.in_file(&item.to_string()))?;
        let given = self.between.range();
        Ok(Part { when: self.when, given, range: self.when.range(given), parts })
    }
}

/// What of a recording is asked for.
struct Part {
    when: When,
    given: Range,
    /// What of that counts from no match or level.
    range: Range,
    parts: Parts,
}

impl Part {
    fn has(&self, row: &Row<'_>) -> bool {
        self.range.contains(Some(row.block()), &row.clock()) && self.when.wants(self.given, &row.clock(), &self.parts)
    }
}

/// True for a table whose rows have a time each.
fn has_times(table: &Table) -> bool {
    table.column("demo_ms").is_some()
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let mut plan = Plan::of(args, session.limits)?;
    let inputs = Inputs::gather(&args.files, Wanted::Demos, session);
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let named = |path: &Path| path.extension().and_then(|it| Format::by_extension(it.to_str()?)).is_some();
    let file = output.filter(|path| !is_folder(path) && (inputs.single().is_some() || named(path)));
    if let (Some(folder), None) = (output, file) {
        // The folders say it.
        plan.layouts = plan.layouts.into_iter().map(|layout| layout.without("game")).collect();
        return dataset::run(&plan, inputs, folder, session);
    }
    anyhow::ensure!(plan.rows_per_file.is_none(), "--rows-per-file is for a data set; give -o FOLDER/");
    anyhow::ensure!(plan.layouts.len() == 1, "several tables need a folder to be written to; give -o FOLDER/");
    let protected = inputs.protected.clone();
    let out = || match file {
        Some(path) => Output::create(path, &protected),
        None if plan.format.is_text() => Ok(Output::stdout()),
        None => Output::binary_stdout(),
    };
    if inputs.single().is_none() {
        return dataset::together(&plan, inputs, out()?, session);
    }
    let mut outcome = Outcome::new();
    for found in inputs.items() {
        match found {
            Found::Item(item) => {
                if let Err(e) = out().and_then(|out| one(&plan, &item, out, &mut outcome)) {
                    outcome.fail(&e);
                }
                outcome.notes.extend(item.notes());
            }
            Found::Note(note) => outcome.notes.push(note),
            Found::Failed(e) => outcome.fail(&e),
        }
    }
    outcome.notes.iter().for_each(|note| session.console.note(note));
    Ok(outcome.exit)
}

/// The rows of one recording in one file, or on standard output.
fn one(plan: &Plan, item: &Item, out: Output, outcome: &mut Outcome) -> Result<()> {
    let layout = plan.layouts.first().ok_or_else(|| anyhow!("no such table"))?;
    let part = plan.part(item)?;
    let mut sheet = Sheet::new(plan.format, layout, false, out)?;
    let mut chunks = Chunks::new(plan.format, layout, None, u64::MAX)?;
    let mut write = |_, row: &Row<'_>| chunks.push(row)?.map_or(Ok(()), |chunk| sheet.write(&chunk));
    let mut within = Within { plan, rows: &mut write, part };
    let done = read_tables(item, &[layout.table()], &plan.options, plan.limits, &mut within);
    let last = chunks.flush()?;
    if done.is_recording || last.is_some() {
        last.map_or(Ok(()), |chunk| sheet.put(&chunk))?;
        let source = Source::read(item.to_string(), &done);
        if !done.was_stopped {
            sheet.finish(&[source])?;
            return tell(outcome, &item.to_string(), done);
        }
    }
    match done.error.map(anyhow::Error::downcast) {
        Some(Ok(e)) => Err(sheet.explain(e)),
        Some(Err(e)) => Err(e),
        None => Ok(()),
    }
}

/// Says what came of an input.
fn tell(outcome: &mut Outcome, name: &str, done: Done) -> Result<()> {
    if let Some(fault) = &done.fault {
        let more = if done.faults > 1 { format!(" (and {} more)", done.faults - 1) } else { String::new() };
        outcome.notes.push(Note::Warning(format!("{fault}{more}")));
    }
    outcome.notes.extend(done.hidden.map(|it| Note::Warning(report::hidden(it, name))));
    done.error.map_or(Ok(()), Err)
}

/// Rows of a part of a recording, where they have times.
struct Within<'w> {
    plan: &'w Plan,
    rows: &'w mut dyn TableRows,
    part: Part,
}

impl TableRows for Within<'_> {
    fn begin(&mut self, detected: &Detected) -> qdemo::Result<()> {
        self.rows.begin(detected)
    }

    fn row(&mut self, table: usize, row: &Row<'_>) -> qdemo::Result<()> {
        let timed = || self.plan.layouts.get(table).is_some_and(|layout| has_times(layout.table()));
        match !timed() || self.part.has(row) {
            true => self.rows.row(table, row),
            false => Ok(()),
        }
    }
}
