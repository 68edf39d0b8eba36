//! One input: a file, standard input, or a member of an archive.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use qdemo::Limits;
use qdemo::container::{self, Entry, Listing, Location, Opened, Remains, Source};

use crate::Note;

/// Something to read, not opened yet.
#[derive(Debug, Clone)]
pub struct Item {
    place: Place,
    /// Where its result belongs below a folder of results.
    pub relative: PathBuf,
    reading: Arc<Mutex<Reading>>,
}

/// What its reading left for later.
#[derive(Debug, Default)]
struct Reading {
    /// What stands behind the containers that were opened for it.
    remains: Vec<Remains>,
    /// It was opened, but only looked at.
    opened: Option<Result<Source>>,
}

#[derive(Debug, Clone)]
enum Place {
    At(Location),
    /// A member found in an archive: by number, because names may repeat. The archive stays open as long as one of
    /// its members waits. The path is that of the file on disk.
    Member(Arc<Listing>, usize, PathBuf),
}

impl Item {
    /// What the user named.
    pub fn at(location: Location) -> Self {
        let relative = match location.members.last() {
            Some(member) => harmless(member.rsplit(['/', '\\']).next().unwrap_or(member)),
            None if location.is_stdin() => PathBuf::from("stdin"),
            None => location.path.file_name().map(PathBuf::from).unwrap_or_default(),
        };
        Item::new(Place::At(location), relative)
    }

    /// True for standard input, which can be read only once.
    pub fn is_stdin(&self) -> bool {
        matches!(&self.place, Place::At(location) if location.is_stdin())
    }

    /// A file found in a folder.
    pub fn found(path: PathBuf, relative: PathBuf) -> Self {
        Item::new(Place::At(Location::file(path)), relative)
    }

    /// A member found in an archive, whose own place is `relative`, and which lies in the file at `path`.
    pub fn member(archive: &Arc<Listing>, index: usize, relative: &Path, path: &Path) -> Self {
        let entry = archive.entries.get(index);
        let name = entry.map(|entry| String::from_utf8_lossy(&entry.name)).unwrap_or_default();
        let number = entry.and_then(Entry::number).map(|number| format!("#{number}")).unwrap_or_default();
        let relative = relative.join(number).join(harmless(&name));
        Item::new(Place::Member(Arc::clone(archive), index, path.to_owned()), relative)
    }

    fn new(place: Place, relative: PathBuf) -> Self {
        Item { place, relative, reading: Arc::default() }
    }

    /// The file on disk that it is, or lies in.
    pub fn path(&self) -> &Path {
        match &self.place {
            Place::At(location) => &location.path,
            Place::Member(.., path) => path,
        }
    }

    /// True for a file on disk itself.
    pub fn is_file(&self) -> bool {
        matches!(&self.place, Place::At(location) if location.members.is_empty())
    }

    /// An argument that leads back to it. What is shown of it has no bytes that are no text, and none that steer terminals.
    pub fn argument(&self) -> OsString {
        let (shown, whole) = (self.to_string(), Location::file(self.path()).to_string());
        let mut argument = self.path().as_os_str().to_owned();
        argument.push(shown.strip_prefix(&whole).unwrap_or_default());
        argument
    }

    /// Opens it, down to a plain file or an archive.
    pub fn open(&self, limits: &Limits) -> qdemo::Result<Opened> {
        let opened = match &self.place {
            Place::At(location) => container::open(location, limits)?,
            Place::Member(archive, index, _) => archive.open(*index, limits)?,
        };
        self.watch(match &opened {
            Opened::File(source) => source.remains(),
            Opened::Listing(archive) => archive.remains(),
        });
        Ok(opened)
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what was opened and only looked at, for whoever opens it next: it may be that it can be read but once.
    pub(crate) fn keep(&self, opened: Result<Source>) {
        self.reading().opened = Some(opened);
    }

    /// What was kept.
    pub(crate) fn kept(&self) -> Option<Result<Source>> {
        self.reading().opened.take()
    }

    /// Tells in the end what stands behind a container that was opened for this.
    pub fn watch(&self, remains: Remains) {
        self.reading().remains.push(remains);
    }

    /// What stands behind the containers that were read to their end: no part of what they hold.
    pub fn notes(&self) -> Vec<Note> {
        let remains = std::mem::take(&mut self.reading().remains);
        let mut notes = Vec::new();
        for behind in remains.iter().flat_map(Remains::found) {
            let advice = "no part of it; `qdemo unpack --rest FILE` writes them";
            let note = Note::Remark(format!("{self}: {behind}; {advice}"));
            // What is read twice is told once.
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::At(location) => location.fmt(f),
            Place::Member(archive, index, _) => {
                let entry = archive.entries.get(*index);
                write!(f, "{}:{}", archive.name, entry.map(Entry::address).unwrap_or_default())
            }
        }
    }
}

/// The name of an archive member as a relative path that cannot leave the folder it is put into, on any system.
fn harmless(name: &str) -> PathBuf {
    let plain = |c: char| if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c };
    name.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .map(|part| part.chars().map(plain).collect::<String>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_cannot_leave_their_folder() {
        assert_eq!(harmless("demos/e1m1.dem"), Path::new("demos/e1m1.dem"));
        assert_eq!(harmless("/etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(harmless("..\\..\\C:\\x.dem"), Path::new("C_/x.dem"));
    }

    #[test]
    fn results_are_named_after_the_innermost_name() {
        let relative = |text: &str| Item::at(Location::parse(text)).relative;
        assert_eq!(relative("a/b.dem"), Path::new("b.dem"));
        assert_eq!(relative("-"), Path::new("stdin"));
        let location = Location { path: "pak0.pak".into(), members: vec!["demos/e1m1.dem".into()] };
        assert_eq!(Item::at(location).relative, Path::new("e1m1.dem"));
    }
}
