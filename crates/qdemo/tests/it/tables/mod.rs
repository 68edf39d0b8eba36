//! Tables of what blocks tell, against the messages themselves: counted by the decompiler, by hand, and by what else a
//! recording says of the same things.

mod inputs;
mod messages;
mod read;
mod shots;
mod sounds;
mod texts;

use std::path::PathBuf;

use qdemo::table::{self, Interval, Row, Table};
use qdemo::text::{Options, Style, decompile_bytes};
use qdemo::{Limits, Result};
use serde_json::Value;

use crate::common::{all_dem, all_dm2, all_dm3, all_mvd2, all_quakeworld};

/// Cells of a table as CSV has them.
pub(crate) fn rows(table: &'static Table, demo: &[u8], name: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let columns: Vec<_> = columns.iter().map(|name| table.column(name).unwrap().values).collect();
    let mut all = Vec::new();
    let mut take = |row: &Row<'_>| -> Result<()> {
        let cells = columns.iter().map(|values| {
            let mut cell = Vec::new();
            values.write(row, &mut cell);
            String::from_utf8(cell).unwrap()
        });
        all.push(cells.collect());
        Ok(())
    };
    table::world(table, demo, name, Interval::FRAME, Limits::default(), &mut take).unwrap();
    all
}

/// What the decompiler writes as JSON for each part of a recording.
fn pieces(demo: &[u8], name: &str) -> Vec<Value> {
    let text = decompile_bytes(demo, name, &Options::with_style(Style::Json)).unwrap();
    let lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

/// The messages of a piece, or those that a message carries.
fn messages(of: &Value) -> &[Value] {
    of["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn named<'v>(message: &'v Value, name: &str) -> Option<&'v Value> {
    (message["message"] == name).then_some(message)
}

/// Recordings at hand whose text is not too long to be read as trees.
fn recordings() -> Vec<PathBuf> {
    const LARGEST: u64 = 600_000;
    let all = [all_dem(), all_quakeworld(), all_dm2(), all_mvd2(), all_dm3()].concat();
    all.into_iter().filter(|path| path.metadata().unwrap().len() < LARGEST).collect()
}
