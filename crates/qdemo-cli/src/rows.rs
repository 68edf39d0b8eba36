//! Rows as CSV or JSON lines.

use std::io::Write;

use anyhow::Context;
use qdemo::table::{Column, Objects, Row, Rows, Table};

use crate::batch::Outcome;

/// Which columns to write.
#[derive(Debug, clap::Args)]
pub(crate) struct Columns {
    /// Only these columns of a table, in this order; a column `file` stands in front where there are several recordings
    #[arg(long = "columns", value_name = "COLUMN", value_delimiter = ',')]
    names: Vec<String>,
}

impl Columns {
    /// What to write of a table.
    ///
    /// # Errors
    /// The table has no such column.
    pub(crate) fn of(&self, table: &'static Table) -> anyhow::Result<Layout> {
        let column = |name: &String| {
            table.column(name).with_context(|| {
                let all = table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
                format!("the table {} has no column {name}; it has {all}", table.name)
            })
        };
        let columns = match self.names.as_slice() {
            [] => table.columns.iter().collect(),
            names => names.iter().map(column).collect::<anyhow::Result<_>>()?,
        };
        Ok(Layout { table, columns })
    }

    /// The same for verbs that write tables as CSV alone.
    ///
    /// # Errors
    /// Likewise, and when columns are asked for without CSV.
    pub(crate) fn of_csv(&self, table: &'static Table, csv: bool) -> anyhow::Result<Layout> {
        anyhow::ensure!(csv || self.names.is_empty(), "--columns is for tables; add --csv");
        self.of(table)
    }
}

/// A table, and the columns of it that are written.
#[derive(Debug)]
pub(crate) struct Layout {
    table: &'static Table,
    columns: Vec<&'static Column>,
}

impl Layout {
    pub(crate) fn table(&self) -> &'static Table {
        self.table
    }

    /// The same without a column, if it is there.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.columns.retain(|column| column.name != name);
        self
    }

    /// The same for Arrow: with `file` a column for names of recordings in front, and with words as plain texts or not.
    #[cfg(feature = "parquet")]
    pub(crate) fn arrow(&self, file: bool, plain: bool) -> qdemo::Result<qdemo_arrow::Layout> {
        let names: Vec<_> = self.columns.iter().map(|column| column.name).collect();
        let layout = qdemo_arrow::Layout::new(self.table).with_columns(&names)?;
        let layout = if file { layout.with_file() } else { layout };
        Ok(if plain { layout.with_plain_words() } else { layout })
    }

    /// The headings of a table in CSV; with `file` a column for names of recordings in front.
    pub(crate) fn headings(&self, file: bool) -> qdemo::Result<Vec<u8>> {
        let mut head = Vec::new();
        RowWriter::new(&mut head, self, false, file.then_some("")).head()?;
        Ok(head)
    }
}

/// Rows as CSV without headings.
pub(crate) fn csv<'r>(rows: impl Iterator<Item = Row<'r>>, layout: &Layout, file: Option<&str>) -> Outcome {
    let mut outcome = Outcome { raw: true, ..Outcome::new() };
    let mut writer = RowWriter::new(&mut outcome.out, layout, false, file);
    // Memory takes it all.
    for row in rows {
        if writer.row(&row).is_err() {
            break;
        }
    }
    let _ = writer.flush();
    drop(writer);
    outcome
}

/// Writes the rows of a table.
pub(crate) struct RowWriter<'a, W: Write> {
    form: Form<W>,
    layout: &'a Layout,
    /// The name of the recording, where several share a table.
    file: Option<String>,
    /// Room for a value, or for a line of JSON.
    room: Vec<u8>,
}

enum Form<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Json(W, Objects),
}

impl<'a, W: Write> RowWriter<'a, W> {
    pub(crate) fn new(out: W, layout: &'a Layout, json: bool, file: Option<&str>) -> Self {
        let form = match json {
            true => Form::Json(out, Objects::new(layout.columns.iter().copied(), file)),
            false => Form::Csv(Box::new(of_csv(out))),
        };
        RowWriter { form, layout, file: file.map(str::to_owned), room: Vec::new() }
    }

    /// The headings.
    pub(crate) fn head(&mut self) -> qdemo::Result<()> {
        if let Form::Csv(csv) = &mut self.form {
            let file = self.file.as_ref().map(|_| "file");
            let names = file.into_iter().chain(self.layout.columns.iter().map(|column| column.name));
            csv.write_record(names).map_err(io_error)?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> qdemo::Result<()> {
        match &mut self.form {
            Form::Csv(csv) => csv.flush()?,
            Form::Json(out, _) => out.flush()?,
        }
        Ok(())
    }
}

fn of_csv<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().flexible(true).from_writer(out)
}

impl RowWriter<'_, Vec<u8>> {
    /// What was written since it was taken, but for some kilobytes that may be held back.
    pub(crate) fn written(&self) -> &[u8] {
        match &self.form {
            Form::Csv(csv) => csv.get_ref(),
            Form::Json(out, _) => out,
        }
    }

    /// Takes what was written.
    pub(crate) fn take(&mut self) -> qdemo::Result<Vec<u8>> {
        match &mut self.form {
            Form::Csv(csv) => {
                let full = std::mem::replace(&mut **csv, of_csv(Vec::new()));
                full.into_inner().map_err(|e| e.into_error().into())
            }
            Form::Json(out, _) => Ok(std::mem::take(out)),
        }
    }
}

impl<W: Write> Rows for RowWriter<'_, W> {
    fn row(&mut self, row: &Row<'_>) -> qdemo::Result<()> {
        match &mut self.form {
            Form::Csv(csv) => {
                if let Some(file) = &self.file {
                    csv.write_field(file).map_err(io_error)?;
                }
                for column in &self.layout.columns {
                    self.room.clear();
                    column.values.write(row, &mut self.room);
                    csv.write_field(&self.room).map_err(io_error)?;
                }
                csv.write_record(None::<&[u8]>).map_err(io_error)
            }
            Form::Json(out, objects) => {
                self.room.clear();
                objects.write(row, &mut self.room);
                self.room.push(b'\n');
                Ok(out.write_all(&self.room)?)
            }
        }
    }
}

/// What went wrong with CSV.
pub(crate) fn io_error(e: csv::Error) -> qdemo::Error {
    // As it is, so that a closed pipe is seen to be one.
    match e.into_kind() {
        csv::ErrorKind::Io(e) => e.into(),
        other => std::io::Error::other(format!("{other:?}")).into(),
    }
}
