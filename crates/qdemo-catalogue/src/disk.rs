//! Files on disk: found in folders one after the other, and told from what they were.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, anyhow};
use qdemo_inputs::{NameHint, Wanted};
use walkdir::WalkDir;

/// A file on disk that is a recording, or that may hold some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OnDisk {
    pub(crate) path: PathBuf,
    /// Its path as the catalogue has it.
    pub(crate) key: String,
    /// The path as bytes, where that text is another one.
    pub(crate) raw: Option<Vec<u8>>,
    pub(crate) bytes: i64,
    pub(crate) modified_ns: i64,
}

impl OnDisk {
    fn new(path: PathBuf, metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = |time: std::time::SystemTime| match time.duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
        };
        let key = key(&path);
        OnDisk {
            raw: (path.to_str() != Some(&key)).then(|| path.as_os_str().as_encoded_bytes().to_owned()),
            key,
            bytes: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            modified_ns: modified.map_or(0, since),
            path,
        }
    }

    /// True for an archive, by its name.
    pub(crate) fn is_archive(&self) -> bool {
        hint(&self.path) == NameHint::Archive
    }
}

/// A path as text, by which it is found again: bytes that are no UTF-8 are written `\xe9`, and so is a backslash that would be
/// taken for one of these.
pub(crate) fn key(path: &Path) -> String {
    let mut key = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for (at, text) in chunk.valid().split('\\').enumerate() {
            if at > 0 {
                key.push_str(if cfg!(unix) && looks_escaped(text) { "\\x5c" } else { "\\" });
            }
            key.push_str(text);
        }
        chunk.invalid().iter().for_each(|byte| key.push_str(&format!("\\x{byte:02x}")));
    }
    key
}

/// True for what follows a backslash where a byte is written so.
fn looks_escaped(text: &str) -> bool {
    let digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(text.as_bytes(), [b'x', high, low, ..] if digit(high) && digit(low))
}

fn hint(path: &Path) -> NameHint {
    path.file_name().map_or(NameHint::Other, |name| Wanted::Demos.hint(&name.to_string_lossy()))
}

/// A folder or a file that is to be in the catalogue.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    path: PathBuf,
    is_folder: bool,
}

impl Root {
    /// What an argument names, by its whole path.
    pub(crate) fn new(named: &Path) -> Result<Self> {
        let whole =
            |path: &Path| path.canonicalize().map_err(|e| qdemo::Error::from(e).in_file(&named.display().to_string()));
        if named.is_dir() {
            return Ok(Root { path: whole(named)?, is_folder: true });
        }
        // A link is a file of its own name.
        let name = named.file_name().with_context(|| format!("{}: this names no file", named.display()))?;
        let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Root { path: whole(folder)?.join(name), is_folder: false })
    }

    /// True where all that the other one has is in this one.
    fn covers(&self, other: &Root) -> bool {
        match (self.is_folder, other.is_folder) {
            (true, true) => other.path.starts_with(&self.path),
            // Whatever it is called, a file that is named is read.
            (true, false) => {
                other.path.starts_with(&self.path) && matches!(hint(&other.path), NameHint::Wanted | NameHint::Archive)
            }
            (false, _) => !other.is_folder && self.path == other.path,
        }
    }

    /// Adds it to others, so that nothing is in two of them.
    pub(crate) fn join(self, others: &mut Vec<Root>) {
        if !others.iter().any(|other| other.covers(&self)) {
            others.retain(|other| !self.covers(other));
            others.push(self);
        }
    }

    /// The files in it that are wanted, in the order of their names. Links to files count, links to folders are not followed:
    /// they may lead in circles.
    pub(crate) fn files(&self) -> Box<dyn Iterator<Item = Result<OnDisk>>> {
        if !self.is_folder {
            let found = match std::fs::metadata(&self.path) {
                Ok(metadata) if metadata.is_file() => Ok(OnDisk::new(self.path.clone(), &metadata)),
                // What comes out of a pipe is not there a second time.
                Ok(_) => {
                    Err(anyhow!("{}: this is no file; a catalogue is made of files and folders", self.path.display()))
                }
                Err(e) => Err(failed(&self.path, e)),
            };
            return Box::new(std::iter::once(found));
        }
        let entries = WalkDir::new(&self.path).sort_by_file_name().into_iter();
        Box::new(entries.filter_map(|entry| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => return Some(Err(e.into())),
            };
            let wanted =
                !entry.file_type().is_dir() && matches!(hint(entry.path()), NameHint::Wanted | NameHint::Archive);
            if !wanted {
                return None;
            }
            match std::fs::metadata(entry.path()) {
                Ok(metadata) if !metadata.is_file() => None,
                Ok(metadata) => Some(Ok(OnDisk::new(entry.into_path(), &metadata))),
                // A link that leads nowhere is no file.
                Err(_) if entry.path_is_symlink() => None,
                Err(e) => Some(Err(failed(entry.path(), e))),
            }
        }))
    }

    /// Its path, and from where to where paths below it are in order, the end excluded.
    pub(crate) fn range(&self) -> [String; 3] {
        // `0` is what follows `/`; on other systems `]` follows `\`.
        let (slash, next) = if std::path::MAIN_SEPARATOR == '/' { ('/', '0') } else { ('\\', ']') };
        let key = key(&self.path);
        let below = key.trim_end_matches(slash);
        [format!("{below}{slash}"), format!("{below}{next}"), key.clone()]
    }
}

fn failed(path: &Path, e: std::io::Error) -> anyhow::Error {
    qdemo::Error::from(e).in_file(&path.display().to_string()).into()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    /// Two paths never have one key, and where there is nothing to tell apart the key is the path.
    #[test]
    fn every_path_has_a_key_of_its_own() {
        let key = |bytes: &[u8]| key(Path::new(std::ffi::OsStr::from_bytes(bytes)));
        assert_eq!(key(b"/a\xe9.dem"), r"/a\xe9.dem");
        assert_eq!(key(br"/a\xe9.dem"), r"/a\x5cxe9.dem");
        for plain in [r"/a\b.dem", r"/a\xE9", r"/\x5", r"/\\x", "/ä\\ö"] {
            assert_eq!(key(plain.as_bytes()), plain);
        }
        // All names of five signs out of those that matter.
        let mut all = std::collections::HashSet::new();
        let signs = [b'\\', b'x', b'e', b'5', b'c', 0xE9];
        for n in 0..signs.len().pow(5) {
            let name: Vec<u8> = (0..5).map(|at| signs[n / signs.len().pow(at) % signs.len()]).collect();
            assert!(all.insert(key(&name)), "{name:?}");
        }
    }
}
