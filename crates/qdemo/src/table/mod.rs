//! Tables: typed rows with documented columns, the same for every exporter.
//!
//! A [`Table`] declares its columns once. Reading hands out a [`Row`] for each thing that the table is about, and every
//! [`Column`] takes its value from it, typed, so that an exporter asks only for the columns that it writes, and may put
//! them into text, JSON or arrays of numbers alike.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, table::{self, Interval, Row, Values}};
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let Some(Values::Number(x)) = table::POSITIONS.column("x").map(|column| column.values) else { panic!() };
//! let mut array: Vec<Option<f32>> = Vec::new();
//! table::world(&table::POSITIONS, demo, "ez-dm.mvd", Interval::ms(1000), Limits::default(), &mut |row: &Row<'_>| {
//!     array.push(x(row));
//!     Ok(())
//! })?;
//! assert!(!array.is_empty());
//! # Ok(()) }
//! ```
//!
//! Tables are flat, where the same things [serialized](serde::Serialize) are nested as they are in the library: there a
//! player is an object, a place a list, and texts have their bytes beside them.

mod columns;
mod events;
mod lists;
mod range;
mod row;
mod stats;
mod told;
mod world;

use std::borrow::Cow;
use std::fmt;

pub use events::{CHAT, EVENTS, FRAGS, HIGHLIGHTS, RUNS, SCORES, event, highlight};
pub use lists::{DEMOS, PLAYERS, TIMELINE, demo, presence, span};
pub use range::Range;
pub use row::Row;
pub use stats::{ITEM_STATS, STATS, WEAPON_STATS, stats};
pub use told::{INPUTS, MESSAGES, PRINTS, SHOTS, SOUNDS, TEXTS, text};
pub use world::{ENTITIES, FRAMES, Interval, POSITIONS, world};

use crate::analysis::texts::TextTag;
use crate::error::Result;
use crate::event::EventTag;

/// Every table.
pub static TABLES: [&Table; 21] = [
    &DEMOS,
    &PLAYERS,
    &TIMELINE,
    &POSITIONS,
    &ENTITIES,
    &FRAMES,
    &INPUTS,
    &SHOTS,
    &SOUNDS,
    &MESSAGES,
    &PRINTS,
    &TEXTS,
    &FRAGS,
    &CHAT,
    &SCORES,
    &RUNS,
    &HIGHLIGHTS,
    &EVENTS,
    &STATS,
    &WEAPON_STATS,
    &ITEM_STATS,
];

/// A table: what it is about, and its columns in order.
#[derive(Debug)]
pub struct Table {
    /// Its name, as in `qdemo export --table`.
    pub name: &'static str,
    /// What a row is.
    pub doc: &'static str,
    /// The columns.
    pub columns: &'static [Column],
    of: Subject,
}

/// What there is a row for.
#[derive(Debug, Clone, Copy)]
enum Subject {
    Demos,
    Presences,
    Spans,
    Players,
    Entities,
    Frames,
    Inputs,
    Shots,
    Sounds,
    Messages,
    Texts(&'static [TextTag]),
    Events(&'static [EventTag]),
    Highlights,
    Stats(stats::StatsOf),
}

impl Table {
    /// True for a table that [`world`] writes.
    pub fn is_of_world(&self) -> bool {
        use Subject::{Inputs, Messages, Shots, Sounds, Texts};
        self.has_frames() || matches!(self.of, Inputs | Shots | Sounds | Messages | Texts(_))
    }

    /// True for a table that [`world`] writes frame by frame, and so can thin out: see [`Interval`].
    pub fn has_frames(&self) -> bool {
        matches!(self.of, Subject::Players | Subject::Entities | Subject::Frames)
    }

    /// The column with a name.
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// What a column holds.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name: heading in CSV, key in JSON.
    pub name: &'static str,
    /// The unit of its values, or empty.
    pub unit: &'static str,
    /// The range of its values, of every column of numbers. A damaged recording may say others; none of them is infinite.
    pub range: Option<Range>,
    /// What they are, and where they come from.
    pub doc: &'static str,
    /// The values.
    pub values: Values,
}

/// What takes the values of a column from rows, by their type. Any value may be missing: empty in CSV, left out in JSON.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// Whole numbers.
    Integer(fn(&Row<'_>) -> Option<i64>),
    /// Numbers: the shortest decimals of 32-bit floats.
    Number(fn(&Row<'_>) -> Option<f32>),
    /// Texts.
    Text(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, str>>),
    /// True or false.
    Boolean(fn(&Row<'_>) -> Option<bool>),
}

impl Values {
    /// The name of the type in documentation.
    pub fn type_name(self) -> &'static str {
        match self {
            Values::Integer(_) => "integer",
            Values::Number(_) => "number",
            Values::Text(_) => "text",
            Values::Boolean(_) => "boolean",
        }
    }

    /// Writes a value as it stands in CSV, without quotes. Numbers always have a point, so that a reader that looks at the
    /// first rows alone knows that they are no whole ones; texts have no control characters but line ends and tabs.
    ///
    /// # Errors
    /// What `out` gives.
    pub fn write(self, row: &Row<'_>, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Values::Integer(of) => of(row).map_or(Ok(()), |v| write!(out, "{v}")),
            Values::Number(of) => of(row).map_or(Ok(()), |v| write!(out, "{v:?}")),
            Values::Text(of) => of(row).map_or(Ok(()), |v| v.chars().try_for_each(|c| out.write_char(plain(c)))),
            Values::Boolean(of) => of(row).map_or(Ok(()), |v| write!(out, "{v}")),
        }
    }

    /// A value as JSON; `None` for one that is missing, or that JSON cannot say (infinite numbers).
    pub fn json(self, row: &Row<'_>) -> Option<serde_json::Value> {
        match self {
            Values::Integer(of) => of(row).map(Into::into),
            Values::Number(of) => crate::json::decimal(of(row)).map(Into::into),
            Values::Text(of) => of(row).map(Into::into),
            Values::Boolean(of) => of(row).map(Into::into),
        }
    }
}

/// A character as it may stand in CSV: readers take a carriage return for the end of a row, and terminals obey others.
fn plain(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Takes the rows of a table, one after the other.
pub trait Rows {
    /// The next row.
    ///
    /// # Errors
    /// Whatever writing it gives.
    fn row(&mut self, row: &Row<'_>) -> Result<()>;
}

impl<F: FnMut(&Row<'_>) -> Result<()>> Rows for F {
    fn row(&mut self, row: &Row<'_>) -> Result<()> {
        self(row)
    }
}
