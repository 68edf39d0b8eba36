//! Tables: typed rows with documented columns, the same for every exporter.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, table::{self, Cell, Every}};
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let mut rows = 0;
//! table::world(&table::POSITIONS, demo, "ez-dm.mvd", Every::ms(1000), Limits::default(), &mut |cells: &[Cell<'_>]| {
//!     assert_eq!(cells.len(), table::POSITIONS.columns.len());
//!     rows += 1;
//!     Ok(())
//! })?;
//! assert!(rows > 0);
//! # Ok(()) }
//! ```

mod columns;
mod events;
mod row;
mod stats;
mod world;

use std::borrow::Cow;

pub use columns::{CHAT, ENTITIES, EVENTS, FRAGS, FRAMES, HIGHLIGHTS, POSITIONS, RUNS, SCORES, TABLES};
pub use events::{event, highlight};
pub use stats::{ITEM_STATS, STATS, WEAPON_STATS, stats};
pub use world::{Every, world};

use crate::error::Result;
use crate::event::Kind;

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name: heading in CSV, key in JSON.
    pub name: &'static str,
    /// The type of its values.
    pub ty: Type,
    /// Their unit, or empty.
    pub unit: &'static str,
    /// What they are, and where they come from.
    pub doc: &'static str,
    cell: fn(&row::Row<'_>) -> Cell<'static>,
}

/// The type of a column. Any value may be missing: empty in CSV, left out in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A whole number.
    Integer,
    /// A number: the shortest decimal of a 32-bit float.
    Number,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

impl Type {
    /// The name in documentation.
    pub fn name(self) -> &'static str {
        match self {
            Type::Integer => "integer",
            Type::Number => "number",
            Type::Text => "text",
            Type::Boolean => "boolean",
        }
    }
}

/// A table: what it is about, and its columns in order.
#[derive(Debug)]
pub struct Table {
    /// Its name, as in `qdemo export --table`.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// The columns.
    pub columns: &'static [Column],
    of: Of,
}

/// What there is a row for.
#[derive(Debug, Clone, Copy)]
enum Of {
    Players,
    Entities,
    Frames,
    Events(&'static [Kind]),
    Highlights,
    Stats(stats::Each),
}

impl Table {
    /// The values of a row.
    fn cells(&self, row: &row::Row<'_>, cells: &mut Vec<Cell<'_>>) {
        cells.clear();
        cells.extend(self.columns.iter().map(|column| (column.cell)(row)));
    }
}

/// A value in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// The format does not tell, or not now.
    None,
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f32),
    /// Text.
    Text(Cow<'a, str>),
    /// True or false.
    Boolean(bool),
}

impl Cell<'_> {
    /// As JSON; `None` for a value that is missing, or that JSON cannot say (infinite numbers).
    pub fn to_json(&self) -> Option<serde_json::Value> {
        Some(match self {
            Cell::None => return None,
            Cell::Integer(v) => (*v).into(),
            Cell::Number(v) => crate::json::decimal(Some(*v))?.into(),
            Cell::Text(v) => v.as_ref().into(),
            Cell::Boolean(v) => (*v).into(),
        })
    }
}

/// As it stands in CSV, without quotes.
impl std::fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::None => Ok(()),
            Cell::Integer(v) => v.fmt(f),
            Cell::Number(v) => v.fmt(f),
            Cell::Text(v) => f.write_str(v),
            Cell::Boolean(v) => v.fmt(f),
        }
    }
}

macro_rules! cells {
    ($($ty:ty: $v:ident => $cell:expr;)*) => {$(
        impl From<$ty> for Cell<'_> {
            fn from($v: $ty) -> Self {
                $cell
            }
        }
    )*};
}

cells! {
    bool: v => Cell::Boolean(v);
    f32: v => Cell::Number(v);
    i64: v => Cell::Integer(v);
    i32: v => Cell::Integer(v.into());
    u32: v => Cell::Integer(v.into());
    u16: v => Cell::Integer(v.into());
    u8: v => Cell::Integer(v.into());
    usize: v => Cell::Integer(i64::try_from(v).unwrap_or(i64::MAX));
    String: v => Cell::Text(Cow::Owned(v));
    &str: v => Cell::Text(Cow::Owned(v.to_owned()));
}

/// A value that may be missing.
impl<'a, T> From<Option<T>> for Cell<'a>
where
    Cell<'a>: From<T>,
{
    fn from(v: Option<T>) -> Self {
        v.map_or(Cell::None, Cell::from)
    }
}

/// Takes rows: the values in the order of the columns.
pub trait Rows {
    /// The next row.
    ///
    /// # Errors
    /// Whatever writing it gives.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<()>;
}

impl<F: FnMut(&[Cell<'_>]) -> Result<()>> Rows for F {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<()> {
        self(cells)
    }
}
