//! Files on disk: found in folders one after the other, and told from what they were.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use qdemo_inputs::{NameHint, Wanted};
use walkdir::WalkDir;

/// A file on disk that is a recording, or that may hold some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OnDisk {
    pub(crate) path: PathBuf,
    /// Its path as the catalogue has it.
    pub(crate) key: String,
    /// The path as bytes, where it is not UTF-8.
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
        OnDisk {
            key: key(&path),
            raw: path.to_str().is_none().then(|| path.as_os_str().as_encoded_bytes().to_owned()),
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

/// A path as text, by which it is found again: bytes that are no UTF-8 are written `\xe9`.
pub(crate) fn key(path: &Path) -> String {
    let mut key = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        key.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| key.push_str(&format!("\\x{byte:02x}")));
    }
    key
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

    /// The files in it that are wanted, in the order of their names. Links to files count, links to folders are not followed:
    /// they may lead in circles.
    pub(crate) fn files(&self) -> Box<dyn Iterator<Item = Result<OnDisk>>> {
        if !self.is_folder {
            let found = std::fs::metadata(&self.path).map_err(|e| failed(&self.path, e));
            return Box::new(std::iter::once(found.map(|metadata| OnDisk::new(self.path.clone(), &metadata))));
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

    /// From where to where paths in it are in order, the end excluded; `None` for a single file.
    pub(crate) fn range(&self) -> (String, Option<String>) {
        let key = key(&self.path);
        match self.is_folder {
            false => (key, None),
            // `0` is what follows `/`; on other systems `]` follows `\`.
            true => {
                let (slash, next) = if std::path::MAIN_SEPARATOR == '/' { ('/', '0') } else { ('\\', ']') };
                let key = key.trim_end_matches(slash);
                (format!("{key}{slash}"), Some(format!("{key}{next}")))
            }
        }
    }
}

fn failed(path: &Path, e: std::io::Error) -> anyhow::Error {
    qdemo::Error::from(e).in_file(&path.display().to_string()).into()
}
