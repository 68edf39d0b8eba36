//! Rows as CSV or JSON lines.

use std::io::Write;

use qdemo::table::{Cell, Rows, Table};
use serde_json::{Map, Value};

/// Writes the rows of a table.
pub(crate) struct Sheet<'a, W: Write> {
    form: Form<'a, W>,
    table: &'static Table,
    /// The name of the recording, where several share a table.
    file: Option<&'a str>,
    text: String,
}

enum Form<'a, W: Write> {
    Csv(Box<csv::Writer<&'a mut W>>),
    Json(&'a mut W),
}

impl<'a, W: Write> Sheet<'a, W> {
    pub(crate) fn new(out: &'a mut W, table: &'static Table, json: bool, file: Option<&'a str>) -> Self {
        let form = match json {
            true => Form::Json(out),
            false => Form::Csv(Box::new(csv::WriterBuilder::new().flexible(true).from_writer(out))),
        };
        Sheet { form, table, file, text: String::new() }
    }

    /// The headings.
    pub(crate) fn head(&mut self) -> qdemo::Result<()> {
        if let Form::Csv(csv) = &mut self.form {
            let file = self.file.map(|_| "file");
            let names = file.into_iter().chain(self.table.columns.iter().map(|c| c.name));
            csv.write_record(names).map_err(io_error)?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> qdemo::Result<()> {
        match &mut self.form {
            Form::Csv(csv) => csv.flush()?,
            Form::Json(out) => out.flush()?,
        }
        Ok(())
    }
}

impl<W: Write> Rows for Sheet<'_, W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> qdemo::Result<()> {
        use std::fmt::Write as _;
        match &mut self.form {
            Form::Csv(csv) => {
                if let Some(file) = self.file {
                    csv.write_field(file).map_err(io_error)?;
                }
                for cell in cells {
                    self.text.clear();
                    let _ = write!(self.text, "{cell}");
                    csv.write_field(&self.text).map_err(io_error)?;
                }
                csv.write_record(None::<&[u8]>).map_err(io_error)
            }
            Form::Json(out) => {
                let mut map = Map::new();
                if let Some(file) = self.file {
                    map.insert("file".to_owned(), file.into());
                }
                for (column, cell) in self.table.columns.iter().zip(cells) {
                    if let Some(value) = cell.to_json() {
                        map.insert(column.name.to_owned(), value);
                    }
                }
                writeln!(out, "{}", Value::Object(map))?;
                Ok(())
            }
        }
    }
}

fn io_error(e: csv::Error) -> qdemo::Error {
    // As it is, so that a closed pipe is seen to be one.
    match e.into_kind() {
        csv::ErrorKind::Io(e) => e.into(),
        other => std::io::Error::other(format!("{other:?}")).into(),
    }
}
