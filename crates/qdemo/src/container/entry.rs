//! One file inside an archive.

use serde_json::json;

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
    |entry| json!({"name": entry.display_name(), "obstacle": entry.obstacle()})
}

/// Where and how an entry is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is, at this offset.
    Raw { offset: u64 },
    /// As a ZIP member.
    Zip(super::zip::Form),
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
        }
    }
}

/// Text from raw bytes that is safe to print on one line.
pub(super) fn printable(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
        .chars()
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}
