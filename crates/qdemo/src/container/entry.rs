//! One file inside an archive.

use schemars::JsonSchema;
use serde::Serialize;

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
        #[serde(skip)]
        pub(super) form: Form,
    }
    |entry| -> Shown { Shown { name: entry.display_name(), obstacle: entry.obstacle() } }
}

/// An entry for people.
#[derive(Serialize, JsonSchema)]
struct Shown {
    /// The name; bytes that are no text, and control characters, as `\xNN`.
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
    /// The name for people: what is not UTF-8, and control characters, become U+FFFD.
    pub fn display_name(&self) -> String {
        printable(&self.name)
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
