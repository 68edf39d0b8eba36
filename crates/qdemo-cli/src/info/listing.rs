//! What an archive holds.

use std::fmt::Write;

use qdemo::container::Listing;
use qdemo_inputs::{NameHint, Wanted};

use crate::console::{BAD, KEY};
use crate::show::{Safe, count};
use crate::table::Table;

pub(super) fn text(archive: &Listing) -> String {
    let mut out = String::new();
    let mut demos = 0;
    let mut table = Table::new(&[">Bytes", ">Packed", "", "Name"]);
    for entry in &archive.entries {
        let name = entry.address();
        let hint = Wanted::Demos.hint(&name);
        demos += u64::from(hint == NameHint::Wanted);
        let what = match hint {
            _ if entry.obstacle().is_some() => entry.obstacle().unwrap_or_default(),
            NameHint::Wanted => "demo".to_owned(),
            NameHint::Archive => "archive".to_owned(),
            NameHint::Unsupported => "demo, not read yet".to_owned(),
            NameHint::Other => String::new(),
        };
        table.row([entry.size.to_string(), entry.packed.to_string(), what, Safe(&name).to_string()]);
    }
    // Innermost first, as of a recording.
    let chain: Vec<_> = archive.containers.iter().rev().map(|kind| kind.name()).collect();
    let (files, demos) = (count(archive.entries.len() as u64, "file"), count(demos, "demo"));
    let _ = writeln!(out, "{KEY}{}{KEY:#}: {}, {files}, {demos}", Safe(&archive.name), chain.join(" in "));
    if let Some(damage) = &archive.damage {
        let _ = writeln!(out, "{BAD}damaged{BAD:#}: {}; members may be missing", Safe(damage));
    }
    if !archive.entries.is_empty() {
        table.without_empty_columns().write(&mut out, 2);
    }
    out
}
