//! Reading inputs for tables.

use std::io::Read;

use qdemo::analysis::hash::HashingReader;
use qdemo::demo::detect::Detected;
use qdemo::table::{self, Options, Row, Table, TableRows};
use qdemo::{Error, HiddenFrames, Limits, Result};

use crate::{Item, LenientReader, Wanted, open_one};

/// What came of reading an input for tables.
#[derive(Debug, Default)]
pub struct Done {
    /// The first thing that is wrong with the recording.
    pub fault: Option<String>,
    /// How many things are wrong with it.
    pub faults: u64,
    /// Frames of which nothing is known.
    pub hidden: Option<HiddenFrames>,
    /// The SHA-256 of the recording, where all of it could be read.
    pub sha256: Option<String>,
    /// Why the input could not be read, or not to its end.
    pub error: Option<anyhow::Error>,
    /// The input is a recording, as far as it could be read.
    pub is_recording: bool,
    /// Those who take the rows ended the reading.
    pub was_stopped: bool,
    /// Bytes of the recording that were read.
    pub bytes: u64,
}

/// Reads an input once and hands out the rows of tables. A file that cannot be read has a row in `demos`, where that table
/// is asked for, with the reason; of a file that is damaged everything before the damage is told.
pub fn read_tables(
    item: &Item,
    tables: &[&'static Table],
    options: &Options,
    limits: Limits,
    rows: &mut dyn TableRows,
) -> Done {
    let mut done = Done::default();
    if let Err(e) = read(item, tables, options, limits, rows, &mut done) {
        let told = tell(tables, &table::unreadable(&e.to_string()), rows);
        done.error = Some(told.err().map_or(e, Into::into));
    }
    done
}

fn read(
    item: &Item,
    tables: &[&'static Table],
    options: &Options,
    limits: Limits,
    rows: &mut dyn TableRows,
    done: &mut Done,
) -> anyhow::Result<()> {
    let name = item.to_string();
    let source = open_one(item, Some(Wanted::Demos), &limits)?;
    let containers: Vec<_> = source.containers.iter().map(|kind| kind.name()).collect();
    let mut input = HashingReader::new(LenientReader::new(source));
    let mut watched = Watched { rows, failed: None };
    let read = table::read(tables, &mut input as &mut dyn Read, &name, options, limits, &mut watched);
    let failed = watched.failed.take();
    if let Some(e) = failed {
        // Those who take the rows have had enough: that says nothing of the file.
        (done.error, done.is_recording, done.was_stopped) = (Some(e.into()), true, true);
        return Ok(());
    }
    let (input, hash, _) = input.finish().map_err(Error::from)?;
    done.bytes = input.offset();
    let mut read = match (read, input.into_fault()) {
        (Err(_), Some(fault)) => return Err(fault.into()),
        (Ok(_), Some(fault)) if done.bytes == 0 => return Err(fault.into()),
        (read, fault) => {
            let read = read?;
            done.is_recording = true;
            done.error = fault.map(Into::into);
            read
        }
    };
    // Of a part it would be another one.
    done.sha256 = done.error.is_none().then_some(hash);
    done.hidden = read.faults().hidden();
    (done.faults, done.fault) = (read.faults().count(), read.faults().iter().next().map(ToString::to_string));
    if let Some(summary) = &mut read.summary {
        summary.containers = containers;
        summary.error = done.error.as_ref().map(ToString::to_string);
        summary.sha256.clone_from(&done.sha256);
        tell(tables, &table::demo(summary), rows)?;
    }
    Ok(())
}

/// Tells the row of a file in `demos`.
fn tell(tables: &[&'static Table], row: &Row<'_>, rows: &mut dyn TableRows) -> Result<()> {
    match tables.iter().position(|it| std::ptr::eq(*it, &table::DEMOS)) {
        Some(at) => rows.row(at, row),
        None => Ok(()),
    }
}

/// Keeps the error of those who take rows apart from those of reading.
struct Watched<'r> {
    rows: &'r mut dyn TableRows,
    failed: Option<Error>,
}

impl Watched<'_> {
    fn kept(&mut self, done: Result<()>) -> Result<()> {
        done.map_err(|e| {
            self.failed = Some(e);
            Error::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe))
        })
    }
}

impl TableRows for Watched<'_> {
    fn begin(&mut self, detected: &Detected) -> Result<()> {
        let done = self.rows.begin(detected);
        self.kept(done)
    }

    fn row(&mut self, table: usize, row: &Row<'_>) -> Result<()> {
        let done = self.rows.row(table, row);
        self.kept(done)
    }
}
