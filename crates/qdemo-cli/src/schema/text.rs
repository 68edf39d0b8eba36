//! The reference for a terminal.

use std::fmt::Write;

use super::chapter::{Chapter, one_line};
use crate::console::KEY;
use crate::table::Table;

pub(super) fn reference(chapters: &[Chapter]) -> String {
    let mut out = String::new();
    for chapter in chapters {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{KEY}{}{KEY:#}", chapter.title);
        for entry in &chapter.entries {
            let (name, old) = (entry.schema.name, entry.old_name());
            let _ = writeln!(out, "\n{KEY}{name}{KEY:#}{old}\n  {}. {}", entry.what, one_line(entry.schema.doc));
            if entry.rows.is_empty() {
                continue;
            }
            let mut table = Table::new(&["Field", "Type", "Present", "Unit", "Meaning"]);
            for row in &entry.rows {
                table.row([&row.name, row.wire, &row.present, row.unit, &row.meaning].map(str::to_owned));
            }
            table.without_empty_columns().write(&mut out, 4);
        }
    }
    out
}
