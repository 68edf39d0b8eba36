//! From arguments to inputs: files, folders, patterns, archives and their members.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use qdemo::Limits;
use qdemo::container::{self, Listing, Location, Opened};

use crate::item::Item;
use crate::names::{NameHint, Wanted};
use crate::{Note, Settings, count, folder, glob};

/// All that the user named, archives not yet looked into: there may be thousands of them.
pub struct Inputs {
    starts: VecDeque<Start>,
    /// True unless a single file was named.
    pub several: bool,
    /// What must not be overwritten.
    pub protected: Protected,
    wanted: Wanted,
    limits: Limits,
    /// Standard input was named.
    stdin: bool,
}

/// What an argument became.
enum Start {
    /// One input.
    Item(Item),
    /// An archive in a folder: all that is wanted in it.
    Archive(Item),
    /// Members of an archive that fit a pattern; the archive itself was named, or found by a pattern.
    Members { location: Location, pattern: String, named: bool },
    /// Something to tell.
    Note(Note),
    /// Something that went wrong.
    Failed(anyhow::Error),
}

/// What the inputs yield, one by one.
pub enum Found<T> {
    /// An input.
    Item(T),
    /// Something to tell on the way.
    Note(Note),
    /// Something that went wrong on the way; there may be more inputs behind it.
    Failed(anyhow::Error),
}

impl<T> Found<T> {
    /// Does something more with an input.
    pub fn and_then<U>(self, f: impl FnOnce(T) -> Result<U>) -> Found<U> {
        match self {
            Found::Item(item) => f(item).map_or_else(Found::Failed, Found::Item),
            Found::Note(note) => Found::Note(note),
            Found::Failed(e) => Found::Failed(e),
        }
    }
}

impl Inputs {
    /// Takes the arguments apart, and says what is left out of folders.
    pub fn gather(files: &[OsString], wanted: Wanted, settings: impl Into<Settings>) -> Self {
        let settings = settings.into();
        let protected = Protected { all: settings.no_clobber, files: Vec::new(), folders: Vec::new(), wanted };
        let (several, limits) = (files.len() > 1, settings.limits);
        let mut inputs = Inputs { starts: VecDeque::new(), several, protected, wanted, limits, stdin: false };
        for file in files {
            inputs.argument(file);
        }
        inputs
    }

    /// A file is read beside the inputs: it is not written over either.
    pub fn protect(&mut self, path: &Path) {
        self.protected.add(path);
    }

    /// The only input, when a single file was named.
    pub fn single(&self) -> Option<&Item> {
        match self.starts.front() {
            Some(Start::Item(item)) if !self.several => Some(item),
            _ => None,
        }
    }

    fn argument(&mut self, file: &OsString) {
        let path = Path::new(file);
        if file != "-" && path.is_dir() {
            return self.folder(path);
        }
        let location = Location::parse(file);
        if !location.is_stdin() && !location.path.exists() {
            if let Some(text) = file.to_str().filter(|text| glob::is_pattern(text)) {
                return self.pattern(text);
            }
        }
        if location.is_stdin() && std::mem::replace(&mut self.stdin, true) {
            return self.starts.push_back(Start::Failed(anyhow!("{location}: standard input can be read only once")));
        }
        self.protected.add(&location.path);
        self.several |= self.location(location, None, true);
    }

    /// A file or a member of a container. True when it may be several.
    fn location(&mut self, mut location: Location, relative: Option<PathBuf>, named: bool) -> bool {
        if self.ends_in_pattern(&location) {
            let pattern = location.members.pop().unwrap_or_default();
            self.starts.push_back(Start::Members { location, pattern, named });
            return true;
        }
        let mut item = Item::at(location);
        item.relative = relative.unwrap_or(item.relative);
        self.starts.push_back(Start::Item(item));
        false
    }

    /// True when the member at the end is a pattern. A real name goes before that: `4on4[dm2].mvd`.
    fn ends_in_pattern(&self, location: &Location) -> bool {
        match location.members.last() {
            Some(last) if !glob::is_pattern(last) => false,
            // Standard input cannot be looked at twice. No demo's name has a star in it.
            Some(last) if location.is_stdin() => last.contains(['*', '?']),
            Some(last) => last == "*" || container::open(location, &self.limits).is_err(),
            None => false,
        }
    }

    fn folder(&mut self, path: &Path) {
        self.several = true;
        self.protected.folders.extend(path.canonicalize());
        let found = folder::look(path, self.wanted);
        let what = match self.wanted {
            Wanted::Demos => "demos",
            Wanted::Texts => "texts",
        };
        let left_out = found.left_out();
        if found.items.is_empty() && found.errors.is_empty() {
            let left_out = left_out.map(|text| format!(" ({text})")).unwrap_or_default();
            let advice = "name a file to read it whatever it is called";
            self.starts.push_back(Start::Failed(anyhow!("{}: no {what} here{left_out}; {advice}", path.display())));
        } else if let Some(left_out) = left_out {
            self.starts.push_back(Start::Note(Note::Remark(format!("{}: {left_out}", path.display()))));
        }
        self.starts.extend(found.errors.into_iter().map(Start::Failed));
        self.starts.extend(found.items.into_iter().map(|(item, hint)| match hint {
            NameHint::Archive => Start::Archive(item),
            _ => Start::Item(item),
        }));
    }

    /// A pattern that the shell did not expand, perhaps with members behind it: `*.pak:demo1.dem`.
    fn pattern(&mut self, text: &str) {
        self.several = true;
        let splits = text.rmatch_indices(':').map(|(at, _)| (&text[..at], Some(&text[at + 1..])));
        for (files, members) in std::iter::once((text, None)).chain(splits) {
            let found = glob::expand(Path::new(files));
            if found.is_empty() {
                continue;
            }
            for (path, relative) in found {
                self.protected.add(&path);
                let mut location = Location::file(path);
                match members {
                    Some(members) => {
                        location.members.extend(members.split(':').map(str::to_owned));
                        self.location(location, None, false);
                    }
                    None => {
                        self.location(location, Some(relative), false);
                    }
                }
            }
            return;
        }
        self.starts.push_back(Start::Failed(anyhow!("{text}: no file fits this pattern; check the name")));
    }

    /// The inputs, found as they are asked for.
    pub fn items(self) -> Items {
        Items { starts: self.starts, archives: Vec::new(), wanted: self.wanted, limits: self.limits }
    }
}

/// Walks through inputs and into archives.
pub struct Items {
    starts: VecDeque<Start>,
    /// Archives being walked through, the innermost last.
    archives: Vec<Walk>,
    wanted: Wanted,
    limits: Limits,
}

/// An archive being walked through.
struct Walk {
    archive: Arc<Listing>,
    next: usize,
    /// Where its results belong.
    relative: PathBuf,
    /// The file on disk.
    path: PathBuf,
    /// The pattern that members must fit; all that is wanted when there is none.
    pattern: Option<String>,
    /// Archives of kinds that are not unpacked.
    unsupported: u64,
    /// Something was found, or it does not matter.
    found: bool,
}

impl Walk {
    /// What is to be said in the end.
    fn end(self) -> Option<Found<Item>> {
        let name = &self.archive.name;
        let later = (self.unsupported > 0)
            .then(|| format!("{} that qdemo does not unpack left out", count(self.unsupported, "archive")));
        match (self.found, later) {
            (true, later) => later.map(|text| Found::Note(Note::Remark(format!("{name}: {text}")))),
            (false, later) => {
                let later = later.map(|text| format!(" ({text})")).unwrap_or_default();
                Some(Found::Failed(anyhow!("{name}: no member fits{later}; list them with `qdemo info`")))
            }
        }
    }
}

impl Items {
    /// What is wanted in a file on disk: the file itself, or of one that is named as an archive all that is wanted in it.
    pub fn in_file(path: PathBuf, wanted: Wanted, limits: Limits) -> Self {
        let name = PathBuf::from(path.file_name().unwrap_or_default());
        let is_archive = wanted.hint(&name.to_string_lossy()) == NameHint::Archive;
        let item = Item::found(path, name);
        let start = if is_archive { Start::Archive(item) } else { Start::Item(item) };
        Items { starts: VecDeque::from([start]), archives: Vec::new(), wanted, limits }
    }

    /// How many inputs are known to wait. There may turn out to be more.
    pub fn waiting(&self) -> u64 {
        self.starts.len() as u64
    }

    fn begin(&mut self, start: Start) -> Option<Found<Item>> {
        let mut is_named = false;
        let (opened, relative, path, pattern) = match start {
            Start::Item(item) => return Some(Found::Item(item)),
            Start::Note(note) => return Some(Found::Note(note)),
            Start::Failed(e) => return Some(Found::Failed(e)),
            Start::Archive(item) => match item.open(&self.limits) {
                // Whatever its name promised: a file is a file. Who reads one that cannot be opened tells why.
                Ok(Opened::File(_)) | Err(_) => return Some(Found::Item(item)),
                opened => (opened, item.relative.clone(), item.path().to_owned(), None),
            },
            Start::Members { location, pattern, named } => {
                is_named = named;
                match container::open(&location, &self.limits) {
                    Err(_) => return Some(Found::Item(Item::at(location))),
                    opened => (opened, PathBuf::new(), location.path, Some(pattern)),
                }
            }
        };
        match opened {
            Ok(Opened::Listing(archive)) => self.enter(archive, (relative, path), pattern, is_named),
            Ok(Opened::File(file)) => Some(Found::Failed(anyhow!(
                "{}: this is no archive of several files; leave out what stands behind its name",
                file.name
            ))),
            Err(e) => Some(Found::Failed(e.into())),
        }
    }

    fn enter(
        &mut self,
        archive: Listing,
        (relative, path): (PathBuf, PathBuf),
        pattern: Option<String>,
        named: bool,
    ) -> Option<Found<Item>> {
        let pattern = pattern.filter(|p| p != "*");
        let damage =
            archive.damage.as_ref().map(|damage| format!("{}: {damage}; members may be missing", archive.name));
        let behind = archive.behind().first().map(|behind| format!("{}: {behind}; no part of it", archive.name));
        let archive = Arc::new(archive);
        self.archives.push(Walk { archive, next: 0, relative, path, pattern, unsupported: 0, found: !named });
        let damage = damage.map(Note::Warning);
        damage.or(behind.map(Note::Remark)).map(Found::Note)
    }

    /// The next member of the innermost archive. `None`: nothing yet, go on.
    fn member(&mut self) -> Option<Found<Item>> {
        let walk = self.archives.last_mut()?;
        let index = walk.next;
        walk.next += 1;
        let Some(entry) = walk.archive.entries.get(index) else {
            return self.archives.pop().and_then(Walk::end);
        };
        let name = entry.display_name();
        let hint = match &walk.pattern {
            Some(pattern) => {
                // As engines see it: letters in either case, and a bare pattern looks into every folder.
                let name = name.replace('\\', "/").to_lowercase();
                let short = name.rsplit('/').next().unwrap_or(&name);
                let pattern = pattern.replace('\\', "/").to_lowercase();
                let fits = glob::fits(&pattern, if pattern.contains('/') { &name } else { short });
                if fits { NameHint::Wanted } else { NameHint::Other }
            }
            None => self.wanted.hint(&name),
        };
        if !matches!(hint, NameHint::Wanted | NameHint::Archive) {
            walk.unsupported += u64::from(hint == NameHint::Unsupported);
            return None;
        }
        walk.found = true;
        let item = Item::member(&walk.archive, index, &walk.relative, &walk.path);
        if hint == NameHint::Wanted {
            return Some(Found::Item(item));
        }
        match item.open(&self.limits) {
            Ok(Opened::Listing(archive)) => {
                let path = item.path().to_owned();
                self.enter(archive, (item.relative, path), None, false)
            }
            Ok(Opened::File(_)) | Err(_) => Some(Found::Item(item)),
        }
    }
}

impl Iterator for Items {
    type Item = Found<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = if self.archives.is_empty() {
                let start = self.starts.pop_front()?;
                self.begin(start)
            } else {
                self.member()
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Knows the inputs, so that no output destroys one.
#[derive(Debug, Clone)]
pub struct Protected {
    /// Nothing that is there is overwritten.
    pub all: bool,
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    wanted: Wanted,
}

impl Protected {
    fn add(&mut self, path: &Path) {
        // Linux tells which file was redirected to standard input.
        let path = if path.as_os_str() == "-" { Path::new("/dev/stdin") } else { path };
        self.files.extend(path.canonicalize().ok().filter(|path| path.is_file()));
    }

    /// True when this existing file is one of the inputs, or one that was found in a folder.
    pub fn covers(&self, path: &Path) -> bool {
        let Ok(path) = path.canonicalize() else { return false };
        let hint = || self.wanted.hint(&path.to_string_lossy());
        let inside = self.folders.iter().any(|folder| path.starts_with(folder));
        self.files.contains(&path) || inside && matches!(hint(), NameHint::Wanted | NameHint::Archive)
    }
}
