//! The reference for a terminal.

use std::fmt::Write;

use super::{Chapter, MASK_EXTRA, lmpc, meaning, number, one_line, presence};
use crate::console::KEY;
use crate::table::Table;

pub(super) fn reference(chapters: &[Chapter]) -> String {
    let mut out = String::new();
    for chapter in chapters {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{KEY}{}{KEY:#}", chapter.title);
        for message in &chapter.messages {
            let name = message.name;
            let old = lmpc(name, message.lmpc).map(|old| format!(" ({old})")).unwrap_or_default();
            let _ = writeln!(out, "\n{KEY}{name}{KEY:#}{old}\n  {}. {}", number(name), one_line(message.doc));
            let mut table = Table::new(&["Field", "Type", "Present", "Unit", "Meaning"]);
            let mut fields = 0;
            for field in message.fields() {
                let mut doc = meaning(field);
                if let Some(old) = lmpc(field.name, field.lmpc).filter(|_| message.lmpc.is_some()) {
                    let _ = write!(doc, " ({old})");
                }
                let cells = [field.name, field.ty.wire, &presence(field), field.ty.unit, &doc];
                table.row(cells.map(str::to_owned));
                fields += 1;
            }
            if message.masked {
                table.row(["mask_extra", "", "", "", MASK_EXTRA].map(str::to_owned));
            }
            if fields > 0 {
                table.without_empty_columns().write(&mut out, 4);
            }
        }
    }
    out
}
