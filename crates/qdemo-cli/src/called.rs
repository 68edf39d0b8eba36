//! What files that are written are called, and whether a recording is what its name promises: engines go by that.

use std::path::{Path, PathBuf};

use qdemo::detect::{Detected, detect};
use qdemo::{FileKind, Limits};
use qdemo_inputs::{Item, NameHint, Wanted, beginning, unpacked_name};

use crate::console::Note;

/// The beginning of a file that is written.
pub(crate) struct Called {
    name: String,
    head: Vec<u8>,
    is_whole: bool,
}

/// Bytes of a beginning; Quake III's first block, which tells the protocol, has at most 16 KiB.
const HEAD: usize = 64 * 1024;

impl Called {
    pub(crate) fn new(path: &Path) -> Self {
        Called { name: path.display().to_string(), head: Vec::new(), is_whole: true }
    }

    /// Takes in what is written.
    pub(crate) fn look(&mut self, bytes: &[u8]) {
        let room = (HEAD - self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.is_whole &= room == bytes.len();
    }

    /// Says so where the name promises another format or protocol. Names that promise none are free.
    pub(crate) fn disagrees(&self) -> Option<Note> {
        let plain = unpacked_name(Path::new(&self.name));
        let extension = plain.extension()?.to_str()?.to_ascii_lowercase();
        let promised = FileKind::by_extension(&extension)?;
        let number = extension.strip_prefix("dm_").and_then(|number| number.parse::<i32>().ok());
        let found = by_content(&self.head, self.is_whole);
        let protocol = |found: &Detected| found.protocol.filter(|_| found.kind == FileKind::Dm3);
        let is_other =
            |found: &Detected| protocol(found).zip(number).is_some_and(|(found, promised)| found != promised);
        // Where the content leaves open which protocol it is, the name tells.
        let is_other = is_other(&found) && is_other(&detect(&self.head, self.is_whole, &self.name, Limits::default()));
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
/// or that of an archive, the one that it ought to have.
pub(crate) fn completed(name: PathBuf, found: impl FnOnce() -> Detected) -> PathBuf {
    let is_archive = Wanted::Demos.hint(&name.to_string_lossy()) == NameHint::Archive;
    if has_extension(&name) && !is_archive {
        return name;
    }
    let found = found();
    if found.kind == FileKind::Unknown { name } else { with_extension(name, &extension_of(&found)) }
}

/// What a recording that is made of this input is called, if its name would be `name`.
pub(crate) fn recording_name(name: PathBuf, item: &Item, limits: &Limits) -> PathBuf {
    completed(name, || found(&beginning(item, Some(Wanted::Demos), HEAD, limits)))
}

/// What a recording is, by its first bytes alone: all, or as many as [`HEAD`].
pub(crate) fn found(bytes: &[u8]) -> Detected {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    by_content(head, bytes.len() < HEAD)
}

/// What a beginning is. The name says nothing, the content alone is asked.
pub(crate) fn by_content(head: &[u8], is_whole: bool) -> Detected {
    detect(head, is_whole, "", Limits::default())
}
