//! Rows gathered into batches.

use std::io::Read;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use qdemo::analysis::summary::Summary;
use qdemo::demo::Faults;
use qdemo::table::{self, Options, Row, TableRows};
use qdemo::{Error, Limits, Result};

use crate::columns::Gathered;
use crate::schema::{Chosen, Layout};

/// So many rows a batch has at most. Four times as many took 5 % longer: their memory goes back to the system each time.
pub const ROWS: usize = 8 * 1024;

/// So many bytes of texts a batch has, and one row.
const BYTES: usize = 4 << 20;

/// Gathers the rows of a table into batches. The words of dictionaries are kept from batch to batch.
pub struct Batches {
    layout: Layout,
    columns: Vec<Gathered>,
    /// Those of them that may hold long texts.
    texts: Vec<usize>,
    rows: usize,
    most: usize,
}

impl Batches {
    /// No rows yet.
    pub fn new(layout: Layout) -> Self {
        let gathered = |column: &Chosen| match column {
            Chosen::File => Gathered::file(layout.is_plain()),
            Chosen::Of(column) => Gathered::new(column.values, layout.is_plain()),
        };
        let columns: Vec<_> = layout.columns().iter().map(gathered).collect();
        let texts = (0..columns.len()).filter(|at| columns.get(*at).is_some_and(Gathered::is_text)).collect();
        Batches { layout, columns, texts, rows: 0, most: ROWS }
    }

    /// The same with so many rows a batch at most.
    #[must_use]
    pub fn with_rows(self, most: usize) -> Self {
        Batches { most: most.clamp(1, ROWS), ..self }
    }

    /// What is wanted of the table.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The recording whose rows come next.
    pub fn begin(&mut self, file: &str) {
        self.columns.iter_mut().for_each(|column| column.begin(file));
    }

    /// Takes a row, unless a filter leaves it out. Gives a batch when it is full.
    ///
    /// # Errors
    /// Never, as long as there is memory.
    pub fn push(&mut self, row: &Row<'_>) -> Result<Option<RecordBatch>> {
        if !self.layout.filters().iter().all(|filter| filter.passes(row)) {
            return Ok(None);
        }
        self.columns.iter_mut().for_each(|column| column.take(row));
        self.rows += 1;
        let bytes = |at: &usize| self.columns.get(*at).map_or(0, Gathered::bytes);
        let full = self.rows >= self.most || self.texts.iter().map(bytes).sum::<usize>() >= BYTES;
        if full { self.flush() } else { Ok(None) }
    }

    /// The rows that make no full batch; nothing where there are none.
    ///
    /// # Errors
    /// Never, as long as there is memory.
    pub fn flush(&mut self) -> Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let rows = std::mem::take(&mut self.rows);
        let columns = self.columns.iter_mut().map(Gathered::finish).collect::<std::result::Result<_, _>>();
        let schema = Arc::clone(self.layout.schema());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = columns.and_then(|columns| RecordBatch::try_new_with_options(schema, columns, &options));
        batch.map(Some).map_err(io_error)
    }

    /// True where a filter says that nothing is wanted of what comes behind a row.
    fn is_past(&self, row: &Row<'_>) -> bool {
        let now = row.clock().demo.ms();
        self.layout.filters().iter().filter_map(|filter| filter.until()).any(|until| now > until)
    }
}

/// Hands the rows of a table on in batches.
pub struct Taker<'t> {
    batches: &'t mut Batches,
    each: &'t mut dyn FnMut(RecordBatch) -> Result<()>,
    /// Nothing more is wanted of the recording: an error of the reading is how it was ended.
    pub is_done: bool,
}

impl<'t> Taker<'t> {
    /// Gathers rows in `batches` and hands full ones to `each`.
    pub fn new(batches: &'t mut Batches, each: &'t mut dyn FnMut(RecordBatch) -> Result<()>) -> Self {
        Taker { batches, each, is_done: false }
    }
}

impl TableRows for Taker<'_> {
    fn row(&mut self, _: usize, row: &Row<'_>) -> Result<()> {
        if self.batches.is_past(row) {
            self.is_done = true;
            return Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into());
        }
        self.batches.push(row)?.map_or(Ok(()), &mut *self.each)
    }
}

pub(crate) fn io_error(e: impl std::error::Error + Send + Sync + 'static) -> Error {
    std::io::Error::other(e).into()
}

/// Reads a recording and hands out the batches of a table. Gives what is wrong with the recording.
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give.
pub fn read(
    layout: &Layout,
    input: impl Read,
    name: &str,
    options: &Options,
    limits: Limits,
    each: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<Faults> {
    read_known(layout, input, name, options, limits, &mut |_| {}, each)
}

/// The same; `known` puts what is known of the file into the row of table `demos`.
///
/// # Errors
/// As [`read`].
pub fn read_known(
    layout: &Layout,
    input: impl Read,
    name: &str,
    options: &Options,
    limits: Limits,
    known: &mut dyn FnMut(&mut Summary),
    each: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<Faults> {
    let mut batches = Batches::new(layout.clone());
    batches.begin(name);
    let mut taker = Taker::new(&mut batches, each);
    let done = table::read(&[layout.table()], input, name, options, limits, &mut taker);
    let faults = match done {
        Err(_) if taker.is_done => Faults::default(),
        done => {
            let mut done = done?;
            if let Some(summary) = &mut done.summary {
                known(summary);
                taker.row(0, &table::demo(summary))?;
            }
            done.into_faults()
        }
    };
    batches.flush()?.map_or(Ok(()), each)?;
    Ok(faults)
}
