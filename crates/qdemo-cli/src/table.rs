//! Aligned columns.

use std::fmt::Write;

use crate::console::KEY;

/// A table for people: a bold heading, columns two spaces apart, numbers to the right.
pub(crate) struct Table {
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings; one that begins with `>` heads a column that is aligned to the right.
    pub(crate) fn new(headings: &[impl AsRef<str>]) -> Self {
        let right = headings.iter().map(|h| h.as_ref().starts_with('>')).collect();
        let heads = headings.iter().map(|h| h.as_ref().trim_start_matches('>').to_owned()).collect();
        Table { right, rows: vec![heads] }
    }

    /// Adds a row; cells must be one line.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Leaves out the columns that are empty in every row.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        for at in (0..self.right.len()).rev() {
            if self.rows.iter().skip(1).all(|row| row.get(at).is_none_or(String::is_empty)) {
                self.right.remove(at);
                self.rows.iter_mut().filter(|row| at < row.len()).for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }

    /// Writes the table, every line indented by `indent` spaces; of a table without columns nothing.
    pub(crate) fn write(&self, out: &mut String, indent: usize) {
        if self.right.is_empty() {
            return;
        }
        let width = |at: usize| self.rows.iter().filter_map(|r| r.get(at)).map(|c| c.chars().count()).max();
        let widths: Vec<_> = (0..self.right.len()).map(|at| width(at).unwrap_or_default()).collect();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for ((cell, width), right) in row.iter().zip(&widths).zip(&self.right) {
                let _ = match right {
                    true => write!(line, "{cell:>width$}  "),
                    false => write!(line, "{cell:<width$}  "),
                };
            }
            let line = line.trim_end();
            let _ = match number {
                0 => writeln!(out, "{:indent$}{KEY}{line}{KEY:#}", ""),
                _ => writeln!(out, "{:indent$}{line}", ""),
            };
        }
    }
}

/// A [`Table`] with a row for each of some things: the headings, and beside each what stands below it.
macro_rules! table {
    (for $it:pat in $things:expr; $(let $name:pat = $value:expr;)* $($heading:literal => $cell:expr,)+) => {{
        let mut table = $crate::table::Table::new(&[$($heading),+]);
        for $it in $things {
            $(let $name = $value;)*
            table.row([$(($cell).to_string()),+]);
        }
        table
    }};
}
pub(crate) use table;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = Table::new(&["Name", ">Frags"]);
        table.row(["Ranger".to_owned(), "7".to_owned()]);
        let mut out = String::new();
        table.write(&mut out, 2);
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert_eq!(plain, "  Name    Frags\n  Ranger      7\n");
    }
}
