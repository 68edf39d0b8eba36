//! One file inside an archive.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

use crate::json::row;

row! {
    /// One file inside an archive.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Entry {
        /// The name as stored: raw bytes in no certain encoding, with `/` or `\` between folders. It
        /// is fit for looking up and for showing (see [`Entry::display_name`]), not for creating files.
        #[serde(skip)]
        pub name: Vec<u8>,
        /// Unpacked size in bytes, as the directory of the archive tells it.
        #[serde(rename = "bytes")]
        pub size: u64,
        /// Size in the archive in bytes, likewise.
        pub packed: u64,
        /// See [`Entry::number`].
        #[serde(skip)]
        pub(super) number: Option<usize>,
        #[serde(skip)]
        pub(super) form: Form,
    }
    |entry| -> Shown { Shown { name: entry.address(), obstacle: entry.obstacle() } }
}

/// An entry for people.
#[derive(Serialize, JsonSchema)]
struct Shown {
    /// The name by which it is reached; bytes that are no text, and control characters, as `\xNN`. Of several of one name
    /// all but the one that the name alone means have `#N/` in front, such as `#1/demo1.dem`.
    name: String,
    /// Why it cannot be unpacked, if so: it is encrypted, or packed by an unknown method.
    obstacle: Option<String>,
}

/// Where and how an entry is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is, at this offset.
    Raw { offset: u64 },
    /// As a ZIP member.
    Zip(super::zip::Form),
    /// As a member of a DZIP archive.
    Dz(super::dz::Form),
    /// As a member of a tar archive.
    Tar(super::tar::Form),
    /// As a member of a 7z archive.
    SevenZip(super::sevenzip::Form),
}

impl Entry {
    pub(super) fn new(name: Vec<u8>, size: u64, packed: u64, form: Form) -> Entry {
        Entry { name, size, packed, number: None, form }
    }

    /// The name for people: bytes that are no text, and control characters, become `\xNN`.
    pub fn display_name(&self) -> String {
        printable(&self.name)
    }

    /// The place, from 1, among the entries of this name, where the name alone means another one of them.
    pub fn number(&self) -> Option<usize> {
        self.number
    }

    /// The name by which [`Listing::find`](super::Listing::find) finds this entry and no other: its name, with `#N/` in
    /// front where it has a [`number`](Entry::number).
    pub fn address(&self) -> String {
        let name = self.display_name();
        self.number.map_or(name.clone(), |number| numbered(number, &name))
    }

    /// Why the entry cannot be unpacked, if so: it is encrypted, or packed by an unknown method.
    pub fn obstacle(&self) -> Option<String> {
        match &self.form {
            Form::Raw { .. } => None,
            Form::Zip(form) => form.obstacle(),
            Form::Dz(form) => form.obstacle(),
            Form::Tar(form) => form.obstacle(),
            Form::SevenZip(form) => form.obstacle(),
        }
    }
}

/// The number stands in front, like a folder, so that what follows from the end of a name stays.
fn numbered(number: usize, name: &str) -> String {
    format!("#{number}/{name}")
}

/// Numbers entries that share a name, but for the one that the name alone means: the first or the last of them. A number
/// with which an entry would be called like another one is passed over.
pub(super) fn number(entries: &mut [Entry], first_is_meant: bool) {
    let names: Vec<_> = entries.iter().map(Entry::display_name).collect();
    let mut all: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in names.iter().enumerate() {
        all.entry(name).or_default().push(index);
    }
    for (name, same) in all.iter().filter(|(_, same)| same.len() > 1) {
        let meant = if first_is_meant { same.first() } else { same.last() };
        let free = (1..).filter(|number| !all.contains_key(&*numbered(*number, name)));
        for (index, number) in same.iter().zip(free) {
            if Some(index) != meant {
                entries[*index].number = Some(number);
            }
        }
    }
}

/// A name as text that is safe to print on one line: bytes that are no text, and control characters, become `\xNN`, so that
/// none is lost.
pub(super) fn printable(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len());
    let escaped = |bytes: &[u8]| bytes.iter().map(|b| format!("\\x{b:02x}")).collect::<String>();
    for part in name.utf8_chunks() {
        for c in part.valid().chars() {
            match c.is_control() {
                true => out += &escaped(c.encode_utf8(&mut [0; 4]).as_bytes()),
                false => out.push(c),
            }
        }
        out += &escaped(part.invalid());
    }
    out
}
