//! Aligned columns.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use unicode_width::UnicodeWidthStr;

use crate::console::KEY;

/// Tables are no wider than this.
const WIDTH: usize = 100;
/// Blanks between columns.
const GAP: usize = 2;
/// A text is not folded to less.
const LEAST: usize = 20;

/// Lines may be as long as they like.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Lets tables be as wide as they are.
pub(crate) fn be_wide() {
    WIDE.store(true, Ordering::Relaxed);
}

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

    /// Writes the table, every line indented by `indent` spaces; of a table without columns nothing. What is wider than
    /// [`WIDTH`] is folded: the texts of the widest column, or else columns that have no room come below, beside the first.
    pub(crate) fn write(&self, out: &mut String, indent: usize) {
        let most = if WIDE.load(Ordering::Relaxed) { usize::MAX } else { WIDTH };
        self.write_within(most.saturating_sub(indent), out, indent);
    }

    /// Writes the table with something beside each line that is never folded: the headings have one too.
    pub(crate) fn write_beside(&self, beside: &[String], out: &mut String) {
        let mut table = String::new();
        self.write_within(usize::MAX, &mut table, 0);
        let width = table
            .lines()
            .map(|line| width_of(&anstream::adapter::strip_str(line).to_string()))
            .max()
            .unwrap_or_default();
        for (line, beside) in table.lines().zip(beside) {
            let shown = width_of(&anstream::adapter::strip_str(line).to_string());
            let blank = width.saturating_sub(shown) + GAP;
            let _ = writeln!(out, "{line}{:blank$}{beside}", "");
        }
    }

    fn write_within(&self, most: usize, out: &mut String, indent: usize) {
        let width = |at: usize| self.rows.iter().filter_map(|r| r.get(at)).map(|c| width_of(c)).max();
        let mut widths: Vec<_> = (0..self.right.len()).map(|at| width(at).unwrap_or_default()).collect();
        // The widest text takes less where that is enough.
        let beyond = (widths.iter().map(|width| width + GAP).sum::<usize>()).saturating_sub(most.saturating_add(GAP));
        let texts = widths.iter_mut().zip(&self.right).filter(|(_, right)| !**right).map(|(width, _)| width);
        if let Some(widest) = texts.max().filter(|widest| **widest >= LEAST + beyond) {
            *widest -= beyond;
        }
        let mut columns = 0..widths.len();
        while !columns.is_empty() {
            let repeated = usize::from(columns.start > 0);
            let mut taken = widths.iter().take(repeated).map(|width| width + GAP).sum::<usize>();
            let fits = widths[columns.clone()].iter().take_while(|width| {
                taken += **width + GAP;
                taken <= most.saturating_add(GAP)
            });
            let end = columns.start + fits.count().max(1);
            self.write_columns((0..repeated).chain(columns.start..end), &widths, out, indent);
            columns.start = end;
        }
    }

    fn write_columns(
        &self,
        columns: impl Iterator<Item = usize> + Clone,
        widths: &[usize],
        out: &mut String,
        indent: usize,
    ) {
        let (mut cells, mut line) = (Vec::new(), String::new());
        for (number, row) in self.rows.iter().enumerate() {
            cells.clear();
            cells.extend(columns.clone().map(|at| (row.get(at).map(String::as_str), widths[at], self.right[at])));
            loop {
                line.clear();
                for (rest, width, right) in &mut cells {
                    let (text, behind) = rest.map_or(("", None), |rest| folded(rest, *width));
                    *rest = behind;
                    // Characters may be two places wide, or none.
                    let blank = width.saturating_sub(width_of(text));
                    let (left, behind) = if *right { (blank, GAP) } else { (0, blank + GAP) };
                    push_blanks(&mut line, left);
                    line.push_str(text);
                    push_blanks(&mut line, behind);
                }
                let line = line.trim_end();
                // A row that stands in the other columns says nothing here.
                if !line.is_empty() || cells.len() == self.right.len() {
                    push_blanks(out, indent);
                    let _ = match number {
                        0 => writeln!(out, "{KEY}{line}{KEY:#}"),
                        _ => writeln!(out, "{line}"),
                    };
                }
                if cells.iter().all(|(rest, ..)| rest.is_none()) {
                    break;
                }
            }
        }
    }
}

fn push_blanks(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Places a text takes on a terminal.
fn width_of(text: &str) -> usize {
    let is_plain = text.bytes().all(|b| matches!(b, b' '..=b'~'));
    if is_plain { text.len() } else { text.width() }
}

/// The first line of a text in lines of a width, parted between words, and what stands behind it. A word that is longer
/// stays whole.
fn folded(text: &str, width: usize) -> (&str, Option<&str>) {
    if width_of(text) <= width {
        return (text, None);
    }
    let mut end = None;
    let blanks = text.match_indices(' ').map(|(at, _)| at).filter(|at| *at > 0);
    for at in blanks {
        if width_of(&text[..at]) > width && end.is_some() {
            break;
        }
        end = Some(at);
    }
    end.map_or((text, None), |end| (&text[..end], Some(text[end..].trim_start())))
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

    #[test]
    fn wide_tables_are_folded() {
        let lines = |table: &Table, most| {
            let mut out = String::new();
            table.write_within(most, &mut out, 0);
            anstream::adapter::strip_str(&out).to_string().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let mut table = Table::new(&[">Time", "Text"]);
        table.row(["1:00".to_owned(), "words that go on and on for longer than there is room".to_owned()]);
        let folded = lines(&table, 40);
        assert_eq!(folded, ["Time  Text", "1:00  words that go on and on for longer", "      than there is room"]);
        assert_eq!(lines(&table, 100).len(), 2);
        // What cannot be folded stands below, beside the first column.
        let mut table = Table::new(&["Name", ">Shells", ">Nails", ">Rockets"]);
        table.row(["me", "1", "22", "3"].map(str::to_owned));
        let folded = lines(&table, 20);
        assert_eq!(folded, ["Name  Shells  Nails", "me         1     22", "Name  Rockets", "me          3"]);
        // A row without a name has nothing to say there.
        table.row(["", "1", "22", ""].map(str::to_owned));
        assert_eq!(lines(&table, 20)[2..], ["           1     22", "Name  Rockets", "me          3"]);
    }

    #[test]
    fn wide_letters_do_not_shift_columns() {
        let mut table = Table::new(&["Name", "Team"]);
        // Each of the first takes two places on a terminal; the mark above the last takes none.
        table.row(["\u{6F22}\u{5B57}".to_owned(), "red".to_owned()]);
        table.row(["Rene\u{301}".to_owned(), "blue".to_owned()]);
        let mut out = String::new();
        table.write(&mut out, 0);
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert_eq!(plain, "Name  Team\n\u{6F22}\u{5B57}  red\nRene\u{301}  blue\n");
    }
}
