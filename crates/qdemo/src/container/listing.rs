//! What an archive holds: looking members up and opening them.

use super::behind::{Behind, Remains};
use super::budget::Budget;
use super::entry::{self, Entry, Form, printable};
use super::source::{Bounded, Stream};
use super::store::{Fault, Store};
use super::{ContainerKind, Feed, Opened, Position, descend, dz, pak, sevenzip, tar, zip};
use crate::{Error, Limits, Result, error};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Read};

/// How many names an error message shows.
const SHOWN: usize = 8;

/// What an archive holds.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Listing {
    /// What the archive is.
    #[serde(rename = "format")]
    pub kind: ContainerKind,
    /// The name as the user wrote it, with the members that lead to it: `old.zip:pak0.pak`.
    #[serde(rename = "file")]
    pub name: String,
    /// The containers around the entries, outermost first; the last one is `kind`.
    pub containers: Vec<ContainerKind>,
    /// The files, in the order of the directory. Folders are left out, repeated names are not.
    pub entries: Vec<Entry>,
    /// What is wrong with the archive, when it could be listed all the same: then entries may be
    /// missing.
    pub damage: Option<String>,
    #[serde(skip)]
    store: Store,
    /// Added to every offset: the length of what stands before a ZIP archive.
    #[serde(skip)]
    base: u64,
    /// What may still come out of the file on disk.
    #[serde(skip)]
    budget: Budget,
    /// What was found behind the end of the containers around.
    #[serde(rename = "behind")]
    remains: Remains,
}

/// What a reader of directories found.
pub(super) struct Contents {
    pub(super) entries: Vec<Entry>,
    pub(super) damage: Option<String>,
    pub(super) base: u64,
}

impl Listing {
    /// Reads the directory; a stream is loaded into memory for it.
    pub(super) fn read(kind: ContainerKind, feed: Feed, at: Position, limits: &Limits) -> Result<Listing> {
        let store = match feed {
            Feed::Store(store) => store,
            Feed::Stream(stream, size) => load(&at, stream, size, limits)?,
        };
        let Position { name, mut containers, budget, remains } = at;
        let contents = match kind {
            ContainerKind::Pak => pak::read(&store, limits),
            ContainerKind::Dz => dz::read(&store, limits),
            ContainerKind::Tar => tar::read(&store, limits),
            ContainerKind::SevenZip => sevenzip::read(&store, limits),
            _ => zip::read(&store, limits),
        };
        let mut contents = match (contents, store.fault()) {
            (Ok(contents), _) => contents,
            // The damage around is what broke the directory.
            (Err(_), Some(fault)) => return Err(Error::container(&fault.what).in_file(&name)),
            (Err(e), None) => return Err(e.in_file(&name)),
        };
        entry::number(&mut contents.entries, finds_first(kind));
        containers.push(kind);
        let around = store.fault().map(|f| f.what.clone());
        Ok(Listing {
            kind,
            name,
            containers,
            entries: contents.entries,
            damage: contents.damage.or(around),
            store,
            base: contents.base,
            budget,
            remains,
        })
    }

    /// Opens an entry by its index in [`Listing::entries`]; the way to reach every entry, also
    /// those of equal names. An archive in the archive opens as a listing again.
    ///
    /// # Errors
    ///
    /// When there is no such entry, it is encrypted or packed by an unknown method, or a limit is
    /// exceeded.
    pub fn open(&self, index: usize, limits: &Limits) -> Result<Opened> {
        let name = self.entries.get(index).map(Entry::address).unwrap_or_default();
        let at = self.position(&name);
        let feed = self.feed(index).map_err(|e| e.in_file(&at.name))?;
        descend(feed, at, &[], limits)
    }

    /// What stands behind the end of the containers around, for those who give the archive away.
    pub fn remains(&self) -> Remains {
        self.remains.clone()
    }

    /// What stands behind the end of the containers around the archive: no part of it.
    pub fn behind(&self) -> Vec<Behind> {
        self.remains.found()
    }

    /// The index of the entry that a user means.
    ///
    /// An exact name comes first; then one that differs only in the case of letters or has `\` for
    /// `/`; then one that ends in it after a `/` (`demo1.dem` finds `demos/demo1.dem`). Where the
    /// same name occurs more than once, the engine's search through a PAK finds the first one, and
    /// unpacking any other archive leaves the last one; [`Entry::address`] finds the others.
    ///
    /// # Errors
    ///
    /// When nothing matches, or several in the same way: the message lists names.
    pub fn find(&self, member: &str) -> Result<usize> {
        if let Some(index) = self.find_exact(member) {
            return Ok(index);
        }
        let wanted = folded(member.as_bytes());
        let names: Vec<_> = self.entries.iter().map(|e| folded(&e.name)).collect();
        let mut suffix = vec![b'/'];
        suffix.extend_from_slice(&wanted);
        let same: Vec<_> = (0..names.len()).filter(|&i| names[i] == wanted).collect();
        let ending: Vec<_> = (0..names.len()).filter(|&i| names[i].ends_with(&suffix)).collect();
        for found in [same, ending] {
            let mut distinct = found.iter().map(|&i| &self.entries[i].name).collect::<Vec<_>>();
            distinct.sort_unstable();
            distinct.dedup();
            match distinct.len() {
                0 => {}
                1 => return Ok(self.preferred(found.into_iter()).unwrap_or_default()),
                _ => return Err(self.ambiguous(member, &found)),
            }
        }
        Err(self.missing(member))
    }

    fn find_exact(&self, member: &str) -> Option<usize> {
        let exact = |e: &Entry| e.name == member.as_bytes() || e.display_name() == member;
        let matching = self.entries.iter().enumerate().filter(|(_, e)| exact(e));
        let named = self.preferred(matching.map(|(index, _)| index));
        named.or_else(|| self.entries.iter().position(|e| e.number().is_some() && e.address() == member))
    }

    fn preferred(&self, mut indices: impl Iterator<Item = usize>) -> Option<usize> {
        if finds_first(self.kind) { indices.next() } else { indices.last() }
    }

    /// Looks up the first of `members` and tells how many of them its name takes up: a name may
    /// have a `:` in it.
    pub(super) fn find_path(&self, members: &[String]) -> Result<(usize, usize)> {
        for used in (2..=members.len()).rev() {
            if let Some(index) = self.find_exact(&members[..used].join(":")) {
                return Ok((index, used));
            }
        }
        let first = members.first().map(String::as_str).unwrap_or_default();
        Ok((self.find(first)?, 1))
    }

    fn ambiguous(&self, member: &str, found: &[usize]) -> Error {
        let names = found.iter().map(|&i| &self.entries[i]);
        Error::container(format!(
            "'{}' may be any of {}: {}",
            printable(member.as_bytes()),
            found.len(),
            some_names(names)
        ))
        .in_file(&self.name)
    }

    fn missing(&self, member: &str) -> Error {
        let member = printable(member.as_bytes());
        let what = match self.entries.len() {
            0 => format!("no member '{member}': the {} is empty", self.kind.name()),
            n => format!(
                "no member '{member}' among the {n} of this {}: {}",
                self.kind.name(),
                some_names(self.entries.iter())
            ),
        };
        let damage = self.damage.iter().map(|d| format!(" ({d})")).collect::<String>();
        Error::container(what + &damage).in_file(&self.name)
    }

    pub(super) fn position(&self, member: &str) -> Position {
        Position {
            name: format!("{}:{}", self.name, printable(member.as_bytes())),
            containers: self.containers.clone(),
            budget: self.budget.clone(),
            // What stands behind a member is found for whoever reads that member.
            remains: Remains::default(),
        }
    }

    /// The unpacked bytes of an entry.
    pub(super) fn feed(&self, index: usize) -> Result<Feed> {
        let Some(entry) = self.entries.get(index) else {
            return Err(Error::container(format!("no entry number {index} among {}", self.entries.len())));
        };
        let stream: Stream = match &entry.form {
            Form::Raw { offset } => self.raw(*offset, entry.size),
            Form::Tar(form) => self.raw(form.offset()?, entry.size),
            Form::Zip(form) => zip::unpack(&self.store, self.base, entry, form)?,
            Form::Dz(form) => dz::unpack(&self.store, entry, form, &self.budget)?,
            Form::SevenZip(form) => sevenzip::unpack(entry, form, &self.budget)?,
        };
        let size = Some(entry.size);
        Ok(Feed::Stream(Bounded::boxed(stream, size, &self.budget), size))
    }

    /// Bytes as they are in the archive.
    fn raw(&self, offset: u64, size: u64) -> Stream {
        let data = self.store.range(self.base.saturating_add(offset), size);
        // No checksum guards these bytes, so damage around them must be told here.
        match self.store.fault().filter(|f| !f.prefix_is_sound) {
            None => Box::new(data),
            Some(fault) => Box::new(data.chain(Alarm(fault.clone()))),
        }
    }
}

/// True where of several entries of one name the first is meant, else the last.
fn finds_first(kind: ContainerKind) -> bool {
    kind == ContainerKind::Pak
}

/// Takes a stream into memory, as far as it is intact.
fn load(at: &Position, stream: Stream, size: Option<u64>, limits: &Limits) -> Result<Store> {
    let mut source = super::Source::new(at.clone(), size, stream);
    let (data, error) = source.salvage(limits);
    let fault = match error {
        None => None,
        Some(e) if matches!(e.kind, error::ErrorKind::Limit { .. } | error::ErrorKind::Io(_)) => {
            return Err(e);
        }
        Some(e) => Some(Fault {
            what: format!("{} at byte {} of the archive", e.kind, data.len()),
            prefix_is_sound: matches!(e.kind, error::ErrorKind::Truncated { .. }),
        }),
    };
    Ok(Store::salvaged(data, fault))
}

/// Where a stream would end, says that something around it is damaged.
struct Alarm(Fault);

impl Read for Alarm {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let what = format!("the archive around is damaged: {}", self.0.what);
        Err(Error::container(what).into())
    }
}

/// A name as engines compare it: without regard to case, with `/` between folders.
fn folded(name: &[u8]) -> Vec<u8> {
    let plain = |&b: &u8| {
        if b == b'\\' { b'/' } else { b.to_ascii_lowercase() }
    };
    name.iter().map(plain).collect()
}

fn some_names<'a>(entries: impl ExactSizeIterator<Item = &'a Entry>) -> String {
    let more = if entries.len() > SHOWN { ", ..." } else { "" };
    let names: Vec<_> = entries.take(SHOWN).map(Entry::address).collect();
    names.join(", ") + more
}
