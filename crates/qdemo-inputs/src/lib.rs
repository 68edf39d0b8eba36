//! What users write, for the command and the Python package alike: names of files, folders, patterns, archives and their
//! members; rules of edits and scripts of cameras.
//! [`Inputs::gather`] takes them apart, [`Items`]
//! finds one [`Item`] after the other, [`open_one`] opens it, and [`LenientReader`] reads it as far as it goes.

pub mod camera;
mod folder;
mod glob;
mod inputs;
mod item;
mod links;
mod names;
mod parallel;
mod read;
pub mod rules;
mod source;

use qdemo::Limits;

pub use inputs::{Found, Inputs, Items, Protected};
pub use item::Item;
pub use links::behind_links;
pub use names::{NameHint, Wanted, unpacked_name};
pub use parallel::{Next, Sender, in_order, processors};
pub use read::{Done, read_tables};
pub use source::{LenientReader, Undecided, as_io, beginning, only_file, open_one};

/// What reading may take, and whether files that are there stay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Bounds on inputs.
    pub limits: Limits,
    /// Nothing that is there is overwritten.
    pub no_clobber: bool,
}

/// Something to tell beside results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// What went wrong: the line, and lines that belong below it.
    Error(String, Option<String>),
    /// What is doubtful.
    Warning(String),
    /// What is merely good to know.
    Remark(String),
}

impl Note {
    /// What went wrong.
    pub fn error(e: &anyhow::Error) -> Note {
        // The library's errors name their cause themselves, so the chain would say it twice.
        Note::Error(e.to_string(), e.downcast_ref::<qdemo::Error>().and_then(qdemo::Error::details))
    }
}

/// `1 block`, `2 blocks`.
pub fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
