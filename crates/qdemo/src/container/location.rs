//! Where a file lies: a path, and members of the containers there.

use super::entry::printable;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

/// A file on disk and, optionally, the path of members within: `pak0.pak:demo1.dem`. Of several members of one name
/// the others are reached with a number in front, `pak0.pak:#2/demo1.dem`: see [`Entry::address`](super::Entry::address).
///
/// `Display` gives it back as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file on disk; `-` is standard input.
    pub path: PathBuf,
    /// The members, outermost first. Empty for the file itself.
    pub members: Vec<String>,
}

impl Location {
    /// A file on disk, whatever characters its name has.
    pub fn file(path: impl Into<PathBuf>) -> Location {
        Location { path: path.into(), members: Vec::new() }
    }

    /// Takes apart what a user wrote.
    ///
    /// The longest beginning, up to the end or up to a `:`, that names an existing file is the
    /// path; so names with `:` and Windows drive letters work. The rest are members, divided by
    /// `:`. When nothing exists the whole is taken for the path, and opening it will say so.
    /// `-` is standard input, and `-:demo1.dem` a member of an archive that comes from there.
    pub fn parse<T: AsRef<OsStr> + ?Sized>(text: &T) -> Location {
        let text = text.as_ref();
        if let Some(rest) = text.to_str().and_then(|t| t.strip_prefix("-:")) {
            if !Path::new(text).exists() {
                return Location::within("-", rest);
            }
        }
        if text == "-" || is_file(text) {
            return Location::file(text);
        }
        colons(text)
            .find(|(path, _)| is_file(path))
            .map_or_else(|| Location::file(text), |(path, rest)| Location::within(path, &rest))
    }

    fn within(path: impl Into<PathBuf>, rest: &str) -> Location {
        let mut location = Location::file(path);
        if !rest.is_empty() {
            location.members.extend(rest.split(':').map(str::to_owned));
        }
        location
    }

    /// True for `-`, standard input. A file of that name is `./-`.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The name of the file on disk alone, fit to be printed.
    pub(super) fn file_name(&self) -> String {
        printable(self.path.as_os_str().as_encoded_bytes())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file_name())?;
        self.members.iter().try_for_each(|m| write!(f, ":{}", printable(m.as_bytes())))
    }
}

/// Pipes count, folders do not.
fn is_file(path: impl AsRef<Path>) -> bool {
    std::fs::metadata(path).is_ok_and(|m| !m.is_dir())
}

/// Every way to split at a `:`, the last one first.
#[cfg(unix)]
fn colons(text: &OsStr) -> impl Iterator<Item = (&OsStr, String)> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = text.as_bytes();
    (0..bytes.len()).rev().filter(|&at| bytes[at] == b':').map(move |at| {
        let rest = String::from_utf8_lossy(&bytes[at + 1..]).into_owned();
        (OsStr::from_bytes(&bytes[..at]), rest)
    })
}

/// Every way to split at a `:`, the last one first. Only Unix allows to cut a name that is not
/// Unicode.
#[cfg(not(unix))]
fn colons(text: &OsStr) -> impl Iterator<Item = (&OsStr, String)> {
    let text = text.to_str().unwrap_or_default();
    text.rmatch_indices(':').map(|(at, _)| (OsStr::new(&text[..at]), text[at + 1..].to_owned()))
}
