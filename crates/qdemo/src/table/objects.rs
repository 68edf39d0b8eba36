//! Rows as JSON.

use super::{Column, Row};

/// Writes rows as JSON: an object each, its members in the alphabetical order of their names, without those that are missing.
#[derive(Debug, Clone)]
pub struct Objects {
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    /// The name with what stands around it, and the value of what is the same in all rows.
    text: Vec<u8>,
    /// What gives the value of a row.
    column: Option<&'static Column>,
}

impl Objects {
    /// Of these columns; with `file` a member of that name, for the recording that the rows are of, unless a column is called so.
    /// Of a column that is there twice there is one member.
    pub fn new(columns: impl IntoIterator<Item = &'static Column>, file: Option<&str>) -> Self {
        let mut all: Vec<_> = columns.into_iter().map(|column| (column.name, Some(column))).collect();
        if file.is_some() && all.iter().all(|(name, _)| *name != "file") {
            all.push(("file", None));
        }
        all.sort_by_key(|(name, _)| *name);
        all.dedup_by_key(|(name, _)| *name);
        let member = |(name, column): (&str, Option<_>)| {
            let mut text = format!("\"{name}\":").into_bytes();
            if column.is_none() {
                crate::json::write_text(file.unwrap_or_default(), &mut text);
            }
            Member { text, column }
        };
        Objects { members: all.into_iter().map(member).collect() }
    }

    /// Writes a row, without a line end.
    pub fn write(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        for Member { text, column } in &self.members {
            let before = out.len();
            out.extend_from_slice(text);
            match column.is_none_or(|column| column.values.write_json(row, out)) {
                true => out.push(b','),
                false => out.truncate(before),
            }
        }
        if out.ends_with(b",") {
            out.pop();
        }
        out.push(b'}');
    }
}
