//! Whether a recording that is written is what the name of its file promises: engines go by that.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use qdemo::container::{Opened, open_bytes};
use qdemo::detect::{Detected, detect};
use qdemo::{FileKind, Limits};
use qdemo_inputs::{Item, LenientReader, Wanted, open_one, unpacked_name};

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
        let kind = extension_of(&found);
        let name = &self.name;
        Some(Note::Warning(format!(
            "{name}: what was written is a .{kind}, and engines go by the extension; rename it"
        )))
    }
}

/// The extension of a recording: `mvd`, `dm_68`.
fn extension_of(found: &Detected) -> String {
    match (found.kind, found.protocol) {
        (FileKind::Dm3, Some(protocol)) => format!("dm_{protocol}"),
        (kind, _) => kind.name().to_owned(),
    }
}

/// True for a name with an extension; `e1m1_0.45` has none.
pub(crate) fn has_extension(name: &Path) -> bool {
    let letters = |e: &std::ffi::OsStr| e.as_encoded_bytes().iter().any(u8::is_ascii_alphabetic);
    name.extension().is_some_and(letters)
}

/// The name with another extension.
pub(crate) fn with_extension(name: PathBuf, extension: &str) -> PathBuf {
    if has_extension(&name) {
        return name.with_extension(extension);
    }
    let mut name = name.into_os_string();
    name.push(".");
    name.push(extension);
    name.into()
}

/// The name of what is made of a recording: where that of the recording has no extension, as with standard input and `NAME.gz`,
/// the one that it ought to have. `head` gives bytes of its beginning.
pub(crate) fn completed<R: Read>(name: PathBuf, head: impl FnOnce() -> Option<R>) -> PathBuf {
    if has_extension(&name) {
        return name;
    }
    let mut bytes = Vec::new();
    // What can be read of it may be enough.
    let _ = head().map(|head| head.take(Called::HEAD as u64).read_to_end(&mut bytes));
    let found = detect(&bytes, bytes.len() < Called::HEAD, "", Limits::default());
    if found.kind == FileKind::Unknown { name } else { with_extension(name, &extension_of(&found)) }
}

/// What a recording that is made of this input is called.
pub(crate) fn recording_name(item: &Item, limits: &Limits) -> PathBuf {
    completed(unpacked_name(&item.relative), || beginning(item, limits))
}

/// The beginning of an input that nobody has read yet, and that can be read again.
pub(crate) fn beginning(item: &Item, limits: &Limits) -> Option<Box<dyn Read>> {
    if item.is_stdin() {
        let head = item.beginning_of_stdin(Called::HEAD).ok()?;
        return match open_bytes("-", head, &[], limits) {
            Ok(Opened::File(source)) => Some(Box::new(LenientReader::new(source))),
            _ => None,
        };
    }
    // A pipe can be read once.
    let is_file = fs::metadata(item.path()).is_ok_and(|about| about.is_file());
    let source = is_file.then(|| open_one(item, Some(Wanted::Demos), limits).ok())??;
    Some(Box::new(LenientReader::new(source)))
}
