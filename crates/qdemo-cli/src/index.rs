//! `qdemo index`: a catalogue of demos.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueHint;
use qdemo::table;
use qdemo_catalogue::{Account, Catalogue, Observer, Progress, Settings};
use qdemo_inputs::{Note, count};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::session::Session;

/// The catalogue where none is named.
pub(crate) const DB: &str = "demos.sqlite";

/// Keep a catalogue of all demos in folders, to be asked with `find`, or by any program that knows SQLite
///
/// Only files that are new or have changed are read; what is gone is marked. It may be stopped at any moment and run again, and
/// several may run at once. Archives are looked into. docs/catalogue.md tells the tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes:
  0 fine   2 a file could not be read, or not to its end; all others are in the catalogue

Examples:
  qdemo index demos/
  qdemo index demos/ more/ --db all.sqlite
  qdemo find --db all.sqlite is:error     what could not be read?")]
pub(crate) struct Args {
    /// Folders, demos, archives
    #[arg(required = true, value_name = "FOLDER", value_hint = ValueHint::AnyPath)]
    files: Vec<OsString>,

    /// The catalogue
    #[arg(long, value_name = "FILE", default_value = DB, value_hint = ValueHint::FilePath)]
    db: PathBuf,

    /// Write what was done as one JSON object
    #[arg(long)]
    json: bool,
}

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Indexed {
    /// Files on disk that were read: new ones, and those that had changed.
    read: u64,
    /// Files on disk that had not changed.
    unchanged: u64,
    /// Files on disk that had been touched, but hold what they held.
    touched: u64,
    /// Files of the catalogue that are gone.
    vanished: u64,
    /// Recordings that were written.
    demos: u64,
    /// Files and recordings that could not be read, or not to their end.
    errors: u64,
    /// Bytes of recordings that were read, unpacked.
    bytes: u64,
    /// How long it took, in milliseconds.
    took_ms: u64,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit> {
    let begun = Instant::now();
    let mut catalogue = Catalogue::create(&args.db)?;
    let settings = Settings { limits: session.limits, threads: session.jobs, options: table::Options::default() };
    let mut files = 0;
    let shown = session.console.start_bytes(|| {
        let (all, bytes) = qdemo_catalogue::count(&args.files);
        files = all;
        bytes
    });
    let mut observer = Shown { console: &session.console, shown, files, begun, drawn: None };
    let done = catalogue.index(&args.files, &settings, &mut observer);
    session.console.end_progress();
    let account = done?;
    let told = told(&account, begun.elapsed());
    if args.json {
        session.console.raw(format!("{}\n", json!(told)).as_bytes())?;
    } else {
        session.console.show(words(&told).as_bytes())?;
    }
    if told.errors > 0 {
        let what = count(told.errors, "file");
        session.console.note(&Note::Warning(format!(
            "{what} could not be read, or not to the end; `qdemo find --db {} is:error` lists those of the catalogue",
            args.db.display()
        )));
    }
    Ok(if told.errors > 0 { Exit::Error } else { Exit::Fine })
}

fn told(account: &Account, took: Duration) -> Indexed {
    let Account { read, unchanged, touched, vanished, demos, errors, bytes, .. } = *account;
    let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    Indexed { read, unchanged, touched, vanished, demos, errors, bytes, took_ms }
}

fn words(told: &Indexed) -> String {
    let mut parts = vec![format!("{} read ({})", count(told.read, "file"), count(told.demos, "demo"))];
    let mut more = |n: u64, what: &str| {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    };
    more(told.unchanged, "unchanged");
    more(told.touched, "touched");
    more(told.vanished, "gone");
    more(told.errors, "with errors");
    format!("{}\n", parts.join(", "))
}

/// Megabytes a second.
fn speed(bytes: u64, took: Duration) -> f64 {
    bytes as f64 / 1e6 / took.as_secs_f64().max(1e-3)
}

struct Shown<'s> {
    console: &'s Console,
    shown: bool,
    files: u64,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Observer for Shown<'_> {
    fn note(&mut self, note: Note) {
        self.console.note(&note);
    }

    fn progress(&mut self, progress: Progress, file: &str) {
        const EVERY: Duration = Duration::from_millis(100);
        if !self.shown || self.drawn.is_some_and(|drawn| drawn.elapsed() < EVERY) {
            return;
        }
        self.drawn = Some(Instant::now());
        let told = || {
            let speed = speed(progress.bytes, self.begun.elapsed());
            format!("{} of {} files, {speed:.0} MB/s", progress.files, self.files.max(progress.files))
        };
        self.console.bytes(progress.bytes_on_disk, told, file);
    }
}
