//! Opening one input for reading.

use std::fmt;
use std::io::{self, Read};

use anyhow::Result;
use qdemo::Limits;
use qdemo::container::{Behind, Entry, Listing, Opened, Source};

use crate::item::Item;
use crate::names::{NameHint, Wanted};

/// How many names an error lists.
const NAMES: usize = 8;

/// Opens an input that must be a single file. Of an archive that is its only file, or the only one that is wanted.
pub fn open_one(item: &Item, wanted: Option<Wanted>, limits: &Limits) -> Result<Source> {
    if let Some(kept) = item.kept() {
        return kept;
    }
    let source = only_file(item.open(limits)?, wanted, limits)?;
    item.watch(source.remains());
    Ok(source)
}

/// The single file that was opened; of an archive its only one, or the only one that is wanted.
pub fn only_file(mut opened: Opened, wanted: Option<Wanted>, limits: &Limits) -> Result<Source> {
    loop {
        // Archives within archives end at the limit of their depth.
        match opened {
            Opened::File(source) => return Ok(source),
            Opened::Listing(archive) => opened = archive.open(only(&archive, wanted)?, limits)?,
        }
    }
}

/// Which file of an archive is meant cannot be told: there are several, or none.
#[derive(Debug, Clone)]
pub struct Undecided {
    /// The archive, with the members that lead to it.
    pub archive: String,
    /// What it holds.
    pub what: String,
    /// The first that may be meant, by its address; none where there is nothing to read.
    pub first: Option<String>,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Undecided { archive, what, first } = self;
        write!(f, "{archive}: {what}; ")?;
        match first {
            Some(first) => write!(f, "name one of them ({archive}:{first}) or take all demos ({archive}:*)"),
            None => f.write_str(Undecided::NOTHING),
        }
    }
}

impl std::error::Error for Undecided {}

impl Undecided {
    /// What is said where there is no file.
    pub const NOTHING: &'static str = "there is nothing to read";
}

/// The first bytes of an input, so many at most and as far as they can be had. What opens it next, by [`open_one`], has all of
/// it, also where it can be read but once.
pub fn beginning(item: &Item, wanted: Option<Wanted>, most: usize, limits: &Limits) -> Vec<u8> {
    let mut opened = open_one(item, wanted, limits);
    let head = opened.as_mut().map(|source| source.peek(most)).unwrap_or_default();
    item.keep(opened);
    head
}

/// An error that keeps what it says on its way through a reader.
pub fn as_io(e: anyhow::Error) -> io::Error {
    match e.downcast::<qdemo::Error>() {
        Ok(e) => e.into(),
        Err(e) => io::Error::other(e),
    }
}

fn only(archive: &Listing, wanted: Option<Wanted>) -> std::result::Result<usize, Undecided> {
    let entries = &archive.entries;
    let is_wanted = |e: &Entry| wanted.is_some_and(|wanted| wanted.hint(&e.display_name()) == NameHint::Wanted);
    let fitting: Vec<_> = (0..entries.len()).filter(|&i| is_wanted(&entries[i])).collect();
    match (entries.len(), fitting.as_slice()) {
        (1, _) => return Ok(0),
        (_, [index]) => return Ok(*index),
        _ => {}
    }
    let undecided = |what, first| Undecided { archive: archive.name.clone(), what, first };
    let kind = archive.kind.name();
    let damage = archive.damage.iter().map(|d| format!(" ({d})")).collect::<String>();
    let all: Vec<_> = (0..entries.len()).collect();
    let (which, of) = match fitting.as_slice() {
        [] => (all, "files".to_owned()),
        some => (some.to_vec(), format!("demos among {} files", entries.len())),
    };
    let Some(first) = which.first() else {
        return Err(undecided(format!("this {kind} is empty{damage}"), None));
    };
    let names: Vec<_> = which.iter().take(NAMES).map(|&i| entries[i].address()).collect();
    let more = if which.len() > NAMES { ", ..." } else { "" };
    let what = format!("this {kind} holds {} {of}: {}{more}{damage}", which.len(), names.join(", "));
    Err(undecided(what, Some(entries[*first].address())))
}

/// Reads as far as it goes: damage in a container looks like the end of the file, and is told afterwards.
///
/// So everything before the damage is still delivered.
pub struct LenientReader {
    source: Source,
    fault: Option<qdemo::Error>,
}

impl LenientReader {
    /// Reads a file.
    pub fn new(source: Source) -> Self {
        LenientReader { source, fault: None }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// What stands behind the end of the containers, once the file was read to its end.
    pub fn behind(&self) -> Vec<Behind> {
        self.source.behind()
    }

    /// What ended the file too early.
    pub fn into_fault(self) -> Option<qdemo::Error> {
        self.fault
    }
}

impl Read for LenientReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.fault.is_some() {
            return Ok(0);
        }
        match self.source.read(buf) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => {
                self.fault = Some(e.into());
                Ok(0)
            }
            read => read,
        }
    }
}
