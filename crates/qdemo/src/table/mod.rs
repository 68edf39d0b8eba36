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
mod objects;
mod range;
mod read;
mod row;
mod stats;
mod told;
mod world;

use std::borrow::Cow;

pub use events::{CHAT, EVENTS, FRAGS, HIGHLIGHTS, RUNS, SCORES, event, highlight};
pub use lists::{DEMOS, LEVELS, MATCHES, PLAYERS, TIMELINE, demo, level, one_match, presence, span, unreadable};
pub use objects::Objects;
pub use range::Range;
pub use read::{Options, Read, TableRows, read};
pub use row::Row;
pub use stats::{ITEM_STATS, STATS, WEAPON_STATS, stats};
pub use told::{INPUTS, MESSAGES, PRINTS, SHOTS, SOUNDS, TEXTS, text};
pub use world::{ENTITIES, FRAMES, Interval, POSITIONS, world};

use crate::analysis::texts::TextTag;
use crate::error::Result;
use crate::event::EventTag;
use crate::json::plain_decimal;
use crate::text::int;

/// Every table.
pub static TABLES: [&Table; 23] = [
    &DEMOS,
    &LEVELS,
    &MATCHES,
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
    Levels,
    Matches,
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

    /// True for a table of statistics, which may tell of what is played before and after matches: see [`Options`].
    pub fn has_warmup(&self) -> bool {
        matches!(self.of, Subject::Stats(_))
    }

    /// The table with a name.
    pub fn by_name(name: &str) -> Option<&'static Table> {
        TABLES.into_iter().find(|table| table.name == name)
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
    /// Seconds of a game's own clock, a 32-bit float in the file: the same shortest decimals.
    Seconds(fn(&Row<'_>) -> Option<f32>),
    /// Texts, of which hardly two are the same.
    Text(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, str>>),
    /// Texts of which there are few: names, weapons, kinds.
    Word(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, str>>),
    /// Texts as the bytes in the file: one character, U+0000 to U+00FF, for each.
    Raw(for<'r> fn(&'r Row<'_>) -> Option<Cow<'r, [u8]>>),
    /// True or false.
    Boolean(fn(&Row<'_>) -> Option<bool>),
}

/// A value of a column, as every exporter writes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'r> {
    /// A whole number.
    Integer(i64),
    /// A number, of [`Values::Number`] or [`Values::Seconds`].
    Number(f32),
    /// A text, of [`Values::Text`], [`Values::Word`] or [`Values::Raw`].
    Text(Cow<'r, str>),
    /// True or false.
    Boolean(bool),
}

impl Values {
    /// The name of the type in documentation.
    pub fn type_name(self) -> &'static str {
        match self {
            Values::Integer(_) => "integer",
            Values::Number(_) => "number",
            Values::Seconds(_) => "seconds",
            Values::Text(_) => "text",
            Values::Word(_) => "word",
            Values::Raw(_) => "raw",
            Values::Boolean(_) => "boolean",
        }
    }

    /// The value of a row: the same whatever it is written as. Texts have no control characters but line ends and tabs;
    /// those of [`Values::Raw`] have what the file has.
    #[inline]
    pub fn of<'r>(self, row: &'r Row<'_>) -> Option<Value<'r>> {
        Some(match self {
            Values::Integer(of) => Value::Integer(of(row)?),
            Values::Number(of) | Values::Seconds(of) => Value::Number(of(row)?),
            Values::Text(of) | Values::Word(of) => Value::Text(Values::plain(of(row)?)),
            Values::Raw(of) => Value::Text(Values::of_bytes(of(row)?)),
            Values::Boolean(of) => Value::Boolean(of(row)?),
        })
    }

    /// Writes a value as it stands in CSV, without quotes. Numbers always have a point, so that a reader that looks at the
    /// first rows alone knows that they are no whole ones. In raw texts control characters and backslashes are escaped as
    /// JSON does it: readers take a carriage return for the end of a row, and terminals obey others.
    pub fn write(self, row: &Row<'_>, out: &mut Vec<u8>) {
        let raw = matches!(self, Values::Raw(_));
        match self.of(row) {
            None => {}
            Some(Value::Integer(v)) => int(out, v),
            Some(Value::Number(v)) => match plain_decimal(v, &mut zmij::Buffer::new()) {
                Some(short) => out.extend_from_slice(short.as_bytes()),
                None => out.extend_from_slice(format!("{v:?}").as_bytes()),
            },
            Some(Value::Text(v)) if raw => v.chars().for_each(|c| match c {
                '\\' => out.extend_from_slice(b"\\\\"),
                c if c.is_control() => out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes()),
                c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }),
            Some(Value::Text(v)) => out.extend_from_slice(v.as_bytes()),
            Some(Value::Boolean(v)) => out.extend_from_slice(if v { b"true" } else { b"false" }),
        }
    }

    /// Writes a value as JSON, [`Values::json`] with escapes for the characters that a terminal obeys. False, and nothing is
    /// written, for one that is missing.
    pub fn write_json(self, row: &Row<'_>, out: &mut Vec<u8>) -> bool {
        let Some(value) = self.of(row) else { return false };
        match value {
            Value::Integer(v) => int(out, v),
            Value::Number(v) => match plain_decimal(v, &mut zmij::Buffer::new()) {
                Some(short) => out.extend_from_slice(short.as_bytes()),
                None => {
                    let Some(v) = crate::json::decimal(Some(v)) else { return false };
                    out.extend_from_slice(serde_json::Value::from(v).to_string().as_bytes());
                }
            },
            Value::Text(v) => crate::json::write_text(&v, out),
            Value::Boolean(v) => out.extend_from_slice(if v { b"true" } else { b"false" }),
        }
        true
    }

    /// A value as JSON; `None` for one that is missing.
    pub fn json(self, row: &Row<'_>) -> Option<serde_json::Value> {
        match self.of(row)? {
            Value::Integer(v) => Some(v.into()),
            Value::Number(v) => crate::json::decimal(Some(v)).map(Into::into),
            Value::Text(v) => Some(v.into()),
            Value::Boolean(v) => Some(v.into()),
        }
    }

    /// A text as columns have it: without control characters but line ends and tabs. Readers of CSV take a carriage return for
    /// the end of a row, and terminals obey others. For who takes what [`Values::Text`] and [`Values::Word`] give.
    pub fn plain(text: Cow<'_, str>) -> Cow<'_, str> {
        let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
        // Most are of one byte a character.
        let none = text.bytes().all(|b| matches!(b, 0x20..=0x7E | b'\n' | b'\t')) || !text.contains(steers);
        if none {
            return text;
        }
        let plain = |c: char| match c {
            '\r' => ' ',
            c if steers(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        };
        Cow::Owned(text.chars().map(plain).collect())
    }

    /// Bytes as columns have them: one character for each. For who takes what [`Values::Raw`] gives.
    pub fn of_bytes(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
        match bytes {
            Cow::Borrowed(bytes) if bytes.is_ascii() => Cow::Borrowed(std::str::from_utf8(bytes).unwrap_or_default()),
            bytes => Cow::Owned(crate::json::bytes_as_text(&bytes)),
        }
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
