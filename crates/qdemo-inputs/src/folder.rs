//! Looking for demos in a folder and the folders below it.

use std::path::Path;

use walkdir::WalkDir;

use crate::count;
use crate::item::Item;
use crate::names::{NameHint, Wanted};

/// What lies in a folder.
#[derive(Default)]
pub(crate) struct Found {
    /// Files and archives that are wanted, in order of their names.
    pub(crate) items: Vec<(Item, NameHint)>,
    /// Archives of kinds that are not unpacked.
    unsupported: u64,
    /// Files that are something else.
    others: u64,
    /// Folders and files that cannot be looked at.
    pub(crate) errors: Vec<anyhow::Error>,
}

/// Looks through a folder. Links to files count, links to folders are not followed: they may lead in circles.
pub(crate) fn look(folder: &Path, wanted: Wanted) -> Found {
    let mut found = Found::default();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                found.errors.push(unreadable(e));
                continue;
            }
        };
        // A link counts as what it leads to.
        let is_file = match entry.path_is_symlink() {
            true => entry.path().is_file(),
            false => entry.file_type().is_file(),
        };
        if !is_file {
            continue;
        }
        match wanted.hint(&entry.file_name().to_string_lossy()) {
            NameHint::Unsupported => found.unsupported += 1,
            NameHint::Other => found.others += 1,
            hint => {
                let relative = entry.path().strip_prefix(folder).unwrap_or(entry.path()).to_owned();
                found.items.push((Item::found(entry.into_path(), relative), hint));
            }
        }
    }
    found
}

/// What cannot be looked at, with its name.
fn unreadable(e: walkdir::Error) -> anyhow::Error {
    let Some(path) = e.path().map(|path| path.display().to_string()) else { return e.into() };
    match e.io_error() {
        Some(_) => e.into_io_error().map_or_else(
            || anyhow::anyhow!("{path}: this cannot be looked at"),
            |e| qdemo::Error::from(e).in_file(&path).into(),
        ),
        None => e.into(),
    }
}

impl Found {
    /// What was left out, in words.
    pub(crate) fn left_out(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.unsupported > 0 {
            parts.push(format!("{} that qdemo does not unpack", count(self.unsupported, "archive")));
        }
        if self.others > 0 {
            parts.push(format!("{} of other kinds", self.others));
        }
        let all = self.unsupported + self.others;
        (all > 0).then(|| format!("{} left out: {}", count(all, "file"), parts.join(", ")))
    }
}
