//! Which columns of a table are wanted, and what they are to Arrow.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use qdemo::table::{Column, Table, Values};
use qdemo::{Error, Result};

use crate::filter::Filter;

/// A column that is wanted.
#[derive(Debug, Clone, Copy)]
pub enum Chosen {
    /// The name of the recording, as a user named it.
    File,
    /// A column of the table.
    Of(&'static Column),
}

impl Chosen {
    /// What the column of names is called.
    pub const FILE: &'static str = "file";

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Chosen::File => Chosen::FILE,
            Chosen::Of(column) => column.name,
        }
    }

    fn field(self, words: DataType) -> Field {
        let Chosen::Of(column) = self else {
            let about = HashMap::from([("description".to_owned(), "The recording as it was named.".to_owned())]);
            return Field::new(Chosen::FILE, words, false).with_metadata(about);
        };
        let ty = match column.values {
            Values::Integer(_) => DataType::Int64,
            Values::Number(_) => DataType::Float32,
            Values::Seconds(_) => DataType::Float64,
            Values::Text(_) => DataType::Utf8,
            Values::Word(_) | Values::Raw(_) => words,
            Values::Boolean(_) => DataType::Boolean,
        };
        let mut about = HashMap::from([("description".to_owned(), column.doc.to_owned())]);
        if !column.unit.is_empty() {
            about.insert("unit".to_owned(), column.unit.to_owned());
        }
        if let Some(range) = column.range {
            about.insert("range".to_owned(), range.to_string());
        }
        Field::new(column.name, ty, true).with_metadata(about)
    }
}

/// What words are: in dictionaries, or plain texts.
fn words(plain: bool) -> DataType {
    match plain {
        true => DataType::Utf8,
        false => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    }
}

/// What is wanted of a table: columns in order, and which rows.
#[derive(Debug, Clone)]
pub struct Layout {
    table: &'static Table,
    columns: Vec<Chosen>,
    filters: Vec<Filter>,
    plain: bool,
    metadata: Vec<(String, String)>,
    schema: SchemaRef,
}

impl Layout {
    /// All columns and rows of a table.
    pub fn new(table: &'static Table) -> Self {
        let layout = Layout {
            table,
            columns: table.columns.iter().map(Chosen::Of).collect(),
            filters: Vec::new(),
            plain: false,
            metadata: Vec::new(),
            schema: Arc::new(Schema::empty()),
        };
        layout.made()
    }

    /// The same with the schema that follows.
    fn made(mut self) -> Self {
        let about = [("qdemo.table", self.table.name), ("qdemo.description", self.table.doc)];
        let about = about.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let about: HashMap<_, _> = about.into_iter().chain(self.metadata.iter().cloned()).collect();
        let fields: Vec<_> = self.columns.iter().map(|column| Arc::new(column.field(words(self.plain)))).collect();
        self.schema = Arc::new(Schema::new(fields).with_metadata(about));
        self
    }

    /// The same with the names of recordings in front, for several of them.
    #[must_use]
    pub fn with_file(mut self) -> Self {
        self.columns.insert(0, Chosen::File);
        self.made()
    }

    /// The same with these columns alone, in this order.
    ///
    /// # Errors
    /// A column that the table does not have.
    pub fn with_columns<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        let has_file = self.columns.iter().any(|column| matches!(column, Chosen::File));
        let column = |name: &S| match name.as_ref() {
            Chosen::FILE if has_file => Ok(Chosen::File),
            name => column(self.table, name).map(Chosen::Of),
        };
        self.columns = names.iter().map(column).collect::<Result<_>>()?;
        Ok(self.made())
    }

    /// The same without a column, if it is there.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.columns.retain(|column| column.name() != name);
        self.made()
    }

    /// The same for rows alone that pass all filters.
    #[must_use]
    pub fn with_filters(self, filters: Vec<Filter>) -> Self {
        Layout { filters, ..self }
    }

    /// The same with words as plain texts, for readers that take no dictionaries, or none that grow.
    #[must_use]
    pub fn with_plain_words(self) -> Self {
        Layout { plain: true, ..self }.made()
    }

    /// The same with metadata of the schema.
    #[must_use]
    pub fn with_metadata(mut self, more: impl IntoIterator<Item = (String, String)>) -> Self {
        self.metadata.extend(more);
        self.made()
    }

    /// The table.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Chosen] {
        &self.columns
    }

    /// Which rows are wanted: those that pass all of these.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// True where words are plain texts.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// What batches are made of.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

/// A column of a table.
pub(crate) fn column(table: &Table, name: &str) -> Result<&'static Column> {
    table.column(name).ok_or_else(|| {
        let all = table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
        let what = format!("the table {} has no column {name}; it has {all}", table.name);
        Error::new(qdemo::error::ErrorKind::Refused(what))
    })
}
