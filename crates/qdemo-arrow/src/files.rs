//! Parquet and Arrow files.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use qdemo::Result;
use qdemo::table::Values;

use crate::batches::io_error;
use crate::schema::{Chosen, Layout};

/// Rows of a group in Parquet: what a reader skips or takes, and what is held while it is written.
const GROUP: usize = 128 * 1024;

/// A file that is written batch by batch. The bytes follow from the batches alone.
pub enum Writer<W: Write + Send> {
    /// Parquet, packed by Snappy.
    Parquet(Box<ArrowWriter<W>>),
    /// Arrow's own file format, not packed.
    Arrow(Box<FileWriter<W>>),
}

impl<W: Write + Send> Writer<W> {
    /// A Parquet file.
    ///
    /// # Errors
    /// What writing gives.
    pub fn parquet(out: W, layout: &Layout) -> Result<Self> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP))
            .set_created_by(concat!("qdemo ", env!("CARGO_PKG_VERSION")).to_owned());
        for column in layout.columns() {
            let (path, Chosen::Of(of)) = (ColumnPath::from(column.name()), column) else { continue };
            // Places are seldom the same, and times grow: looking for those that are takes longer than writing them.
            match of.values {
                Values::Number(_) | Values::Seconds(_) => {
                    properties = properties.set_column_dictionary_enabled(path, false);
                }
                Values::Integer(_) if of.unit == "ms" => {
                    properties = properties.set_column_dictionary_enabled(path.clone(), false);
                    properties = properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
                }
                _ => {}
            }
        }
        let writer = ArrowWriter::try_new(out, layout.schema().clone(), Some(properties.build())).map_err(io_error)?;
        Ok(Writer::Parquet(Box::new(writer)))
    }

    /// An Arrow file. Its layout must have [plain words](Layout::with_plain_words): the format has one dictionary for all
    /// batches, and what polars reads cannot add to it.
    ///
    /// # Errors
    /// What writing gives.
    pub fn arrow(out: W, layout: &Layout) -> Result<Self> {
        let writer = FileWriter::try_new(out, layout.schema()).map_err(io_error)?;
        Ok(Writer::Arrow(Box::new(writer)))
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// What writing gives.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Writer::Parquet(writer) => writer.write(batch).map_err(io_error),
            Writer::Arrow(writer) => writer.write(batch).map_err(io_error),
        }
    }

    /// What it is written to.
    pub fn get_ref(&self) -> &W {
        match self {
            Writer::Parquet(writer) => writer.inner(),
            Writer::Arrow(writer) => writer.get_ref(),
        }
    }

    /// Completes the file, with metadata. Gives back what it was written to.
    ///
    /// # Errors
    /// What writing gives.
    pub fn finish(self, metadata: Vec<(String, String)>) -> Result<W> {
        match self {
            Writer::Parquet(mut writer) => {
                for (key, value) in metadata {
                    writer.append_key_value_metadata(KeyValue::new(key, value));
                }
                writer.into_inner().map_err(io_error)
            }
            Writer::Arrow(mut writer) => {
                metadata.into_iter().for_each(|(key, value)| writer.write_metadata(key, value));
                writer.into_inner().map_err(io_error)
            }
        }
    }
}
