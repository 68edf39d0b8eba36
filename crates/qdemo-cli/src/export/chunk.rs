//! Rows in pieces, and the files that these are written to.

use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use qdemo::table::{Row, Rows};
#[cfg(feature = "parquet")]
use qdemo_arrow::{Batches, RecordBatch, files};
use qdemo_inputs::Done;

use crate::output::Output;
use crate::rows::{Layout, RowWriter};

/// A row may be long, and so a piece is bounded by its rows and by its bytes.
const ROWS: u64 = 32 * 1024;
const BYTES: usize = 1 << 20;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Comma separated values, with the names of the columns in the first line
    Csv,
    /// JSON lines: an object for each row
    #[value(alias = "json", alias = "ndjson")]
    Jsonl,
    /// Parquet
    Parquet,
    /// Arrow's file format, also called Feather
    #[value(alias = "feather", alias = "ipc")]
    Arrow,
}

impl Format {
    /// The extension of its files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }

    /// The format of files with an extension.
    pub(super) fn by_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_ascii_lowercase();
        Format::value_variants().iter().copied().find(|format| {
            let names = format.to_possible_value();
            format.extension() == extension || names.is_some_and(|names| names.matches(&extension, true))
        })
    }

    pub(super) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Jsonl)
    }

    /// Says so where this program was built without what a format needs.
    pub(super) fn check(self) -> Result<()> {
        let built = cfg!(feature = "parquet") || self.is_text();
        anyhow::ensure!(
            built,
            "this qdemo was built without Parquet and Arrow, as a build takes half as long again with them; in its \
             source `cargo install --path crates/qdemo-cli --features parquet` installs one that has them"
        );
        Ok(())
    }
}

/// Rows as they will be written.
pub(super) enum Chunk {
    /// Lines.
    Text { lines: Vec<u8>, rows: u64 },
    #[cfg(feature = "parquet")]
    Batch(RecordBatch),
}

impl Chunk {
    pub(super) fn rows(&self) -> u64 {
        match self {
            Chunk::Text { rows, .. } => *rows,
            #[cfg(feature = "parquet")]
            Chunk::Batch(batch) => batch.num_rows() as u64,
        }
    }
}

/// Makes chunks of the rows of a recording.
pub(super) enum Chunks<'l> {
    Text {
        writer: RowWriter<'l, Vec<u8>>,
        rows: u64,
        most: u64,
    },
    #[cfg(feature = "parquet")]
    Batches(Box<Batches>),
}

impl<'l> Chunks<'l> {
    /// Of `most` rows each, at most. With `file` its name stands in front of every row.
    pub(super) fn new(format: Format, layout: &'l Layout, file: Option<&str>, most: u64) -> Result<Self> {
        let most = most.clamp(1, ROWS);
        #[cfg(feature = "parquet")]
        if !format.is_text() {
            let mut batches = Batches::new(layout.arrow(file.is_some(), format == Format::Arrow)?);
            batches = batches.with_rows(usize::try_from(most).unwrap_or(usize::MAX));
            batches.begin(file.unwrap_or_default());
            return Ok(Chunks::Batches(Box::new(batches)));
        }
        let writer = RowWriter::new(Vec::new(), layout, format == Format::Jsonl, file);
        Ok(Chunks::Text { writer, rows: 0, most })
    }

    /// Takes a row. Gives a chunk when it is full.
    pub(super) fn push(&mut self, row: &Row<'_>) -> qdemo::Result<Option<Chunk>> {
        match self {
            Chunks::Text { writer, rows, most } => {
                writer.row(row)?;
                *rows += 1;
                // What the writer holds back is less than that.
                if *rows >= *most || writer.written().len() >= BYTES { self.flush() } else { Ok(None) }
            }
            #[cfg(feature = "parquet")]
            Chunks::Batches(batches) => Ok(batches.push(row)?.map(Chunk::Batch)),
        }
    }

    /// The rows that make no full chunk; nothing where there are none.
    pub(super) fn flush(&mut self) -> qdemo::Result<Option<Chunk>> {
        match self {
            Chunks::Text { rows: 0, .. } => Ok(None),
            Chunks::Text { writer, rows, .. } => {
                Ok(Some(Chunk::Text { lines: writer.take()?, rows: std::mem::take(rows) }))
            }
            #[cfg(feature = "parquet")]
            Chunks::Batches(batches) => Ok(batches.flush()?.map(Chunk::Batch)),
        }
    }
}

/// A file of rows that is being written.
pub(super) enum Sheet {
    Text(Output),
    #[cfg(feature = "parquet")]
    Arrow(Box<files::Writer<Output>>),
}

impl Sheet {
    /// Begins a file of a format. With `file` it has a column of names in front.
    pub(super) fn new(format: Format, layout: &Layout, file: bool, mut out: Output) -> Result<Self> {
        #[cfg(feature = "parquet")]
        if !format.is_text() {
            let layout = layout.arrow(file, format == Format::Arrow)?;
            let writer = match format {
                Format::Arrow => files::Writer::arrow(out, &layout)?,
                _ => files::Writer::parquet(out, &layout)?,
            };
            return Ok(Sheet::Arrow(Box::new(writer)));
        }
        if format == Format::Csv {
            let written = out.write_all(&layout.headings(file)?);
            written.map_err(|e| out.explain(e.into()))?;
        }
        Ok(Sheet::Text(out))
    }

    /// Writes a chunk. An error says when it was the file that failed.
    pub(super) fn put(&mut self, chunk: &Chunk) -> Result<()> {
        self.write(chunk).map_err(|e| self.explain(e))
    }

    /// The same, while a recording is read, of which an error may be too: [`Sheet::explain`] tells whose it is.
    pub(super) fn write(&mut self, chunk: &Chunk) -> qdemo::Result<()> {
        match (self, chunk) {
            (Sheet::Text(out), Chunk::Text { lines, .. }) => Ok(out.write_all(lines)?),
            #[cfg(feature = "parquet")]
            (Sheet::Arrow(writer), Chunk::Batch(batch)) => writer.write(batch),
            // Both are made for the same format.
            #[cfg(feature = "parquet")]
            _ => Ok(()),
        }
    }

    /// An error that came up while this file was written: says so when it was the file that failed.
    pub(super) fn explain(&self, e: qdemo::Error) -> anyhow::Error {
        match self {
            Sheet::Text(out) => out.explain(e),
            #[cfg(feature = "parquet")]
            Sheet::Arrow(writer) => writer.get_ref().explain(e),
        }
    }

    /// Completes the file, and puts it into its place. `sources` are for formats that have room for them.
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))]
    pub(super) fn finish(self, sources: &[Source]) -> Result<()> {
        match self {
            Sheet::Text(out) => out.finish(),
            #[cfg(feature = "parquet")]
            Sheet::Arrow(writer) => {
                let sources = serde_json::to_string(sources)?;
                writer.finish(vec![("qdemo.sources".to_owned(), sources)])?.finish()
            }
        }
    }
}

/// A recording that rows of a file are of. Hash and size are known once all of it has been read: not in a file that is full before.
#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct Source {
    file: String,
    sha256: Option<String>,
    bytes: Option<u64>,
}

impl Source {
    /// One that has been read.
    pub(super) fn read(file: String, done: &Done) -> Self {
        Source { file, sha256: done.sha256.clone(), bytes: Some(done.bytes) }
    }

    /// One that is being read.
    pub(super) fn begun(file: String) -> Self {
        Source { file, sha256: None, bytes: None }
    }
}
