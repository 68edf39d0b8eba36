//! Batches from a thread that reads: without Python's lock, and so that Ctrl-C ends it.

use std::ffi::OsString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use qdemo::Limits;
use qdemo::analysis::hash::HashingReader;
use qdemo::analysis::summary::Summary;
use qdemo::table::Options;
use qdemo_arrow::{Batches, Layout, Literal, Taker, Test};
use qdemo_inputs::{Found, Inputs, Item, Next, Sender, Settings, Wanted, in_order, processors, read_tables};

use crate::error::any_to_py;

/// So many batches wait to be taken.
const WAITING: usize = 4;
/// So often Python is asked whether somebody pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is read.
#[derive(Clone)]
pub(crate) enum Source {
    /// A recording in memory.
    Memory { name: String, bytes: Arc<Vec<u8>>, containers: Vec<&'static str>, error: Option<String> },
    /// Files, folders, patterns, archives.
    Inputs { paths: Vec<OsString>, jobs: usize, raise: bool, files: Vec<Test>, skipped: Skipped },
}

/// The hash of a recording, as the tables have it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    HashingReader::new(bytes).finish().map(|(_, hash, _)| hash).unwrap_or_default()
}

/// Files that could not be read, or not to their end, and why: in the last reading that is over.
pub(crate) type Skipped = Arc<Mutex<Vec<(String, String)>>>;

/// Batches of a table as they are read.
pub(crate) struct Stream {
    schema: SchemaRef,
    /// Python's objects may be shared by threads.
    receiver: Mutex<Receiver<anyhow::Result<RecordBatch>>>,
    failed: Failed,
    /// The process in which the reading thread is.
    process: u32,
}

/// Why a stream ended early that another package reads: it is told the words of it alone.
pub(crate) type Failed = Arc<Mutex<Option<PyErr>>>;

impl Stream {
    /// Begins to read.
    pub(crate) fn begin(source: Source, layout: Layout, options: Options) -> Self {
        let (to, receiver) = sync_channel(WAITING);
        let schema = layout.schema().clone();
        std::thread::spawn(move || {
            if let Err(e) = read(source, &layout, &options, &to) {
                // Nobody listens any more when there is no room.
                let _ = to.send(Err(e));
            }
        });
        let process = std::process::id();
        Stream { schema, receiver: Mutex::new(receiver), failed: Failed::default(), process }
    }

    /// The same, and why it ends early stands here as well.
    pub(crate) fn failing_into(self, failed: Failed) -> Self {
        Stream { failed, ..self }
    }

    /// The next batch. Python's lock is free while it is waited for.
    ///
    /// # Errors
    /// What reading gives, and Ctrl-C.
    pub(crate) fn next_batch(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        // There may always be a batch: Ctrl-C is looked for before each.
        py.check_signals()?;
        if std::process::id() != self.process {
            let what = "this table was begun before the process was forked, and is read there: begin it anew here";
            return Err(PyRuntimeError::new_err(what));
        }
        loop {
            let receiver = &self.receiver;
            let next = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE));
            match next {
                Ok(batch) => return batch.map(Some).map_err(any_to_py),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let _locked = Locked::new();
        Python::attach(|py| match self.next_batch(py) {
            Ok(batch) => batch.map(Ok),
            Err(e) => {
                // Whoever reads the stream raises an exception of its own. An interrupt that waited beside that would hit
                // whoever handles it, or Python itself while it tells of it.
                let told = match e.is_instance_of::<PyKeyboardInterrupt>(py) {
                    true => "interrupted by Ctrl-C".to_owned(),
                    false => e.value(py).to_string(),
                };
                *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                // It becomes a string of C.
                Some(Err(ArrowError::ExternalError(told.replace('\0', "\\0").into())))
            }
        })
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Python's lock is held. `Python::attach` takes it only where this package has not got it yet, by its own count; but one
/// that reads a stream which it was handed by us may have let it go without our knowing, as polars and pyarrow do.
struct Locked(pyo3::ffi::PyGILState_STATE);

#[allow(unsafe_code)] // Python's own functions, which may be called in any thread, and as often as they are paired.
impl Locked {
    fn new() -> Self {
        Locked(unsafe { pyo3::ffi::PyGILState_Ensure() })
    }
}

#[allow(unsafe_code)] // As above: what was taken is given back.
impl Drop for Locked {
    fn drop(&mut self) {
        unsafe { pyo3::ffi::PyGILState_Release(self.0) }
    }
}

/// Nobody takes batches any more.
fn gone() -> qdemo::Error {
    std::io::Error::from(std::io::ErrorKind::BrokenPipe).into()
}

fn read(
    source: Source,
    layout: &Layout,
    options: &Options,
    to: &SyncSender<anyhow::Result<RecordBatch>>,
) -> anyhow::Result<()> {
    match source {
        Source::Memory { name, bytes, containers, error } => {
            let mut each = |batch| to.send(Ok(batch)).map_err(|_| gone());
            let mut known = |summary: &mut Summary| {
                // Of a part it would be another one.
                summary.sha256 = error.is_none().then(|| sha256(&bytes));
                (summary.containers, summary.error) = (containers.clone(), error.clone());
            };
            qdemo_arrow::read_known(layout, &bytes[..], &name, options, Limits::default(), &mut known, &mut each)?;
            Ok(())
        }
        Source::Inputs { paths, jobs, raise, files, skipped } => {
            let settings = Settings::default();
            let mut items = Inputs::gather(&paths, Wanted::Demos, settings).items();
            let jobs = match jobs {
                0 => processors(),
                jobs => jobs,
            };
            let next = || loop {
                match items.next()? {
                    Found::Item(item) if files.iter().all(|test| passes(test, &item.to_string())) => {
                        return Some(Next::Job(item));
                    }
                    Found::Item(_) | Found::Note(_) => {}
                    Found::Failed(e) => return Some(Next::Piece(Piece::Failed(named(&e), e))),
                }
            };
            let work = |item: Item, to: &Sender<Piece>| one(&item, layout, options, settings.limits, to);
            let (mut failed, mut left) = (Vec::new(), false);
            let take = |piece, _| match piece {
                Piece::Batch(batch) => Ok(to.send(Ok(batch)).map_err(|_| {
                    left = true;
                    gone()
                })?),
                Piece::Failed(_, e) if raise => Err(e),
                Piece::Failed(file, e) => {
                    failed.push((file, e.to_string()));
                    Ok(())
                }
            };
            let done = in_order(jobs, next, work, take);
            // One that nobody takes to its end is not over. Whoever is told of the end finds what it left out.
            if !left {
                *skipped.lock().unwrap_or_else(PoisonError::into_inner) = failed;
            }
            done
        }
    }
}

/// What comes of an input.
enum Piece {
    Batch(RecordBatch),
    Failed(String, anyhow::Error),
}

fn one(item: &Item, layout: &Layout, options: &Options, limits: Limits, to: &Sender<Piece>) {
    let name = item.to_string();
    let mut batches = Batches::new(layout.clone());
    batches.begin(&name);
    let mut send = |batch| if to.send(Piece::Batch(batch)) { Ok(()) } else { Err(gone()) };
    let mut taker = Taker::new(&mut batches, &mut send);
    let done = read_tables(item, &[layout.table()], options, limits, &mut taker);
    let is_done = taker.is_done;
    let last = batches.flush().map(|last| last.map(&mut send));
    let error = done.error.filter(|_| !is_done).or_else(|| last.err().map(Into::into));
    if let Some(e) = error {
        to.send(Piece::Failed(name, e));
    }
}

/// The name of what could not be looked at, as far as it is known.
fn named(e: &anyhow::Error) -> String {
    e.downcast_ref::<qdemo::Error>().and_then(|e| e.place.file.clone()).unwrap_or_default()
}

/// True for a file that a condition on names lets through.
fn passes(test: &Test, name: &str) -> bool {
    let text = |literal: &Literal| if let Literal::Text(text) = literal { Some(text.clone()) } else { None };
    let compare = |literal: &Literal| text(literal).map(|text| name.cmp(&text));
    match test {
        Test::Equal(it) => compare(it).is_some_and(|order| order.is_eq()),
        Test::NotEqual(it) => compare(it).is_some_and(|order| order.is_ne()),
        Test::Less(it) => compare(it).is_some_and(|order| order.is_lt()),
        Test::AtMost(it) => compare(it).is_some_and(|order| order.is_le()),
        Test::Greater(it) => compare(it).is_some_and(|order| order.is_gt()),
        Test::AtLeast(it) => compare(it).is_some_and(|order| order.is_ge()),
        Test::In(all) => all.iter().filter_map(text).any(|text| text == name),
        Test::Missing => false,
        Test::There => true,
    }
}
