//! Whether a recording that is written is what the name of its file promises: engines go by that.

use std::path::Path;

use qdemo::detect::detect;
use qdemo::{FileKind, Limits};
use qdemo_inputs::unpacked_name;

use crate::console::Note;

/// The beginning of a file that is written.
pub(crate) struct Called {
    name: String,
    head: Vec<u8>,
    is_whole: bool,
}

impl Called {
    /// Bytes of a beginning; Quake III's first block, which tells the protocol, has at most 16 KiB.
    const HEAD: usize = 64 * 1024;

    pub(crate) fn new(path: &Path) -> Self {
        Called { name: path.display().to_string(), head: Vec::new(), is_whole: true }
    }

    /// Takes in what is written.
    pub(crate) fn look(&mut self, bytes: &[u8]) {
        let room = (Self::HEAD - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.is_whole &= room == bytes.len();
    }

    /// Says so where the name promises another format or protocol. Names that promise none are free.
    pub(crate) fn disagrees(&self) -> Option<Note> {
        let plain = unpacked_name(Path::new(&self.name));
        let extension = plain.extension()?.to_str()?.to_ascii_lowercase();
        let promised = FileKind::by_extension(&extension)?;
        let number = extension.strip_prefix("dm_").and_then(|number| number.parse::<i32>().ok());
        // The content alone is asked.
        let found = detect(&self.head, self.is_whole, "", Limits::default());
        let protocol = found.protocol.filter(|_| found.kind == FileKind::Dm3);
        let is_other = protocol.zip(number).is_some_and(|(found, promised)| found != promised);
        // What Qizmo compressed is unknown as it is.
        let is_packed = Path::new(&self.name).extension().is_some_and(|own| own.eq_ignore_ascii_case("qwz"));
        if found.kind == FileKind::Unknown || found.kind == promised && !is_other && !is_packed {
            return None;
        }
        let kind = protocol.map_or_else(|| found.kind.name().to_owned(), |protocol| format!("dm_{protocol}"));
        let name = &self.name;
        Some(Note::Warning(format!(
            "{name}: what was written is a .{kind}, and engines go by the extension; rename it"
        )))
    }
}
