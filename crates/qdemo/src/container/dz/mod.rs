//! DZIP archives (`.dz`) of Quake speedruns, versions 1 to 3.
//!
//! The first 12 bytes are `DZ`, the version (major, minor), and place and number of the entries of a directory, little
//! endian. An entry is 32 bytes (24 in version 1) and a name: where its data begins, how large it is there, how large it
//! is unpacked, the length of its name with the NUL, its part in a PAK, a checksum, what it is, a date, and how large it
//! is once inflated. Everything is deflated but what would not shrink. Recordings of Quake are shortened before that: see
//! [`demo`].
//!
//! Version 1 deflates all files in one go, the later ones each on its own. A PAK has an entry without data and, behind
//! it, one for each of its members; it is put together again when it is read. The checksum is CRC-32 without its last
//! step, the inversion.
//!
//! How the format works was learned from what dzip does (kugelrund/dzip on GitHub), and checked against archives that it
//! made.
//!
//! | file | job |
//! |---|---|
//! | `demo`, `messages` | recordings: blocks, and messages that are (nearly) as in the recording |
//! | `client`, `entities` | what is written as differences: the player's own data, entities |
//! | `first` | entities in version 1 |

mod client;
mod demo;
mod entities;
mod first;
mod messages;

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;

use super::budget::Budget;
use super::checked::Checked;
use super::codecs::{Deflate, Zlib};
use super::entry::{self, Entry};
use super::input::INPUT;
use super::listing::Contents;
use super::pump::Pump;
use super::solid::Solid;
use super::source::Stream;
use super::store::Store;
use crate::error::ErrorKind;
use crate::limits::Bound;
use crate::{Error, Limits, Result};

const HEADER: u64 = 12;

/// There are not more files without data, and folders.
const MOST_EMPTY: u64 = 1 << 16;

/// A name with its NUL is at most so long.
const MAX_NAME: usize = 257;

/// What an entry is.
const RECORDING_1: u32 = 1;
const PAK: u32 = 3;
const RECORDING: u32 = 5;
const NEHAHRA: u32 = 6;
const FOLDER: u32 = 7;
const STORED: u32 = 8;

/// An entry of a PAK's directory: 56 bytes of name, offset, length.
const PAK_NAME: usize = 56;
const PAK_ENTRY: u64 = 64;

/// True for the first bytes of a `.dz`. A recording of Quake III begins with the number and the size of its first packet, which may
/// be these: then the number of entries is that of bits of a packet, and there are fewer files than bytes of data.
pub(super) fn begins(prefix: &[u8]) -> bool {
    match prefix {
        [b'D', b'Z', 1..=3, minor, rest @ ..] => {
            let number = |at: usize| Some(u64::from(u32::from_le_bytes(*rest.get(at..)?.first_chunk()?)));
            let (directory, entries) = (number(0).unwrap_or(HEADER), number(4).unwrap_or(0));
            *minor < 100 && directory >= HEADER && entries <= directory.max(MOST_EMPTY)
        }
        _ => false,
    }
}

/// Where and how a member is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    File(File),
    /// A PAK that is put together of these.
    Pak(Arc<Vec<Part>>),
    /// Of a kind that no version of dzip writes.
    Unknown(u32),
}

/// A file with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    offset: u64,
    packed: u64,
    inflated: u64,
    size: u64,
    kind: u32,
    crc: u32,
    /// The data that all files share: version 1.
    shared: Option<Solid>,
}

/// A file within a PAK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    name: Vec<u8>,
    file: File,
}

impl Form {
    /// Why the member cannot be unpacked, if so.
    pub(super) fn obstacle(&self) -> Option<String> {
        match self {
            Form::Unknown(kind) => Some(format!("is of kind {kind}, which is none of dzip's")),
            Form::File(_) | Form::Pak(_) => None,
        }
    }
}

/// An entry as it stands in the directory.
struct Row {
    name: Vec<u8>,
    file: File,
    /// Of a PAK the number of its members, which follow.
    pak: usize,
}

/// Lists the members.
///
/// # Errors
///
/// When the directory lies outside the file, or has too many entries.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let Some(header) = store.array::<{ HEADER as usize }>(0)? else {
        return Err(Error::new(ErrorKind::Truncated { needed: HEADER, available: store.len() }).at_offset(0));
    };
    let [_, _, major, _, o0, o1, o2, o3, n0, n1, n2, n3] = header;
    let (offset, count) = (u32::from_le_bytes([o0, o1, o2, o3]).into(), u32::from_le_bytes([n0, n1, n2, n3]));
    if u64::from(count) > limits.entries as u64 {
        let (limit, found) = (limits.entries as u64, count.into());
        return Err(Error::new(ErrorKind::Limit { what: Bound::Entries, limit, found }));
    }
    if count > 0 && offset >= store.len() {
        let what = format!("the dz directory (from byte {offset} on) lies outside the file of {} bytes", store.len());
        return Err(Error::container(what));
    }
    let shared = (major == 1).then(|| {
        let store = store.clone();
        Solid::new(move || Ok(zlib(&store, HEADER, offset - HEADER.min(offset))?))
    });
    let mut directory = BufReader::new(store.tail(offset));
    let mut rows = Vec::new();
    let mut damage = None;
    for _ in 0..count {
        match row(&mut directory, shared.as_ref())? {
            Ok(row) => rows.push(row),
            Err(what) => {
                damage = Some(format!("{what}: {} of {count} entries are left", rows.len()));
                break;
            }
        }
    }
    Ok(Contents { entries: entries(rows), damage, base: 0 })
}

/// Reads an entry; an error in words where there is none.
fn row(directory: &mut impl Read, shared: Option<&Solid>) -> io::Result<std::result::Result<Row, &'static str>> {
    const CUT: &str = "the file ends inside the dz directory";
    let mut fixed = [0; 32];
    let len = if shared.is_some() { 24 } else { 32 };
    if !fill(directory, &mut fixed[..len])? {
        return Ok(Err(CUT));
    }
    let number =
        |at: usize, len: usize| fixed.iter().skip(at).take(len).rev().fold(0, |sum, &b| sum << 8 | u32::from(b));
    let name_len = number(12, 2) as usize;
    if name_len == 0 || name_len > MAX_NAME {
        return Ok(Err("the dz directory is damaged"));
    }
    let mut name = vec![0; name_len];
    if !fill(directory, &mut name)? {
        return Ok(Err(CUT));
    }
    name.truncate(name.iter().position(|&b| b == 0).unwrap_or(name_len));
    let file = File {
        offset: number(0, 4).into(),
        packed: number(4, 4).into(),
        // Version 1 tells the size before what the recordings are shortened to, and none of the deflated data.
        inflated: number(if shared.is_some() { 4 } else { 28 }, 4).into(),
        size: number(8, 4).into(),
        kind: number(20, 4),
        crc: number(16, 4),
        shared: shared.cloned(),
    };
    Ok(Ok(Row { name, file, pak: number(14, 2) as usize }))
}

fn fill(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(e),
    }
}

/// The members as others see them: without folders, and with the members of a PAK inside it.
fn entries(rows: Vec<Row>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rows = rows.into_iter();
    while let Some(Row { name, file, pak }) = rows.next() {
        let (size, packed) = (file.size, file.packed);
        let (packed, form) = match file.kind {
            FOLDER => continue,
            PAK => {
                let parts: Vec<_> = rows.by_ref().take(pak).map(|Row { name, file, .. }| Part { name, file }).collect();
                (parts.iter().map(|part| part.file.packed).sum(), Form::Pak(Arc::new(parts)))
            }
            kind if kind > STORED => (packed, Form::Unknown(kind)),
            _ => (packed, Form::File(file)),
        };
        entries.push(Entry::new(name, size, packed, entry::Form::Dz(form)));
    }
    entries
}

/// The unpacked bytes of a member.
pub(super) fn unpack(store: &Store, entry: &Entry, form: &Form, budget: &Budget) -> Result<Stream> {
    match form {
        Form::File(file) => file.open(store, budget),
        Form::Pak(parts) => Ok(Box::new(Pak::new(store, entry.size, parts, budget))),
        Form::Unknown(_) => Err(Error::container(format!("the member {}", form.obstacle().unwrap_or_default()))),
    }
}

impl File {
    /// The unpacked bytes, with size and checksum compared at the end.
    fn open(&self, store: &Store, budget: &Budget) -> Result<Stream> {
        let data: Stream = match &self.shared {
            Some(solid) => Box::new(solid.part(self.offset.saturating_sub(HEADER), self.packed, budget)),
            None if self.kind == STORED => Box::new(store.range(self.offset, self.size)),
            None => Box::new(zlib(store, self.offset, self.packed)?.take(self.inflated)),
        };
        let whole: Stream = match self.kind {
            RECORDING_1 => Box::new(demo::Recording::new(data, demo::Version::First)),
            RECORDING | NEHAHRA => Box::new(demo::Recording::new(data, demo::Version::Later)),
            _ => data,
        };
        Ok(Box::new(Checked::new(whole, self.size, Some(!self.crc))))
    }
}

/// Deflated data, nearly always with the header of zlib (RFC 1950).
fn zlib(store: &Store, offset: u64, len: u64) -> io::Result<Stream> {
    let packed = || BufReader::with_capacity(INPUT, store.range(offset, len));
    let has_header = match store.array::<2>(offset)? {
        Some([method, flags]) => method & 0x0F == 8 && u16::from_be_bytes([method, flags]) % 31 == 0,
        None => true,
    };
    Ok(match has_header {
        true => Box::new(Pump::new(packed(), Zlib::new())),
        false => Box::new(Pump::new(packed(), Deflate::new())),
    })
}

/// A PAK put together: header, members, directory. A member that is damaged is filled up with zeros, so that the others
/// are where they belong; the damage is told at the end.
struct Pak {
    store: Store,
    budget: Budget,
    parts: Arc<Vec<Part>>,
    next: usize,
    /// The member being read, and how many bytes it is still to have.
    member: Option<(Stream, u64)>,
    /// What is ready to be given: header or directory.
    ready: Cursor<Vec<u8>>,
    has_ended: bool,
    fault: Option<io::Error>,
}

impl Pak {
    fn new(store: &Store, size: u64, parts: &Arc<Vec<Part>>, budget: &Budget) -> Self {
        let length = parts.len() as u64 * PAK_ENTRY;
        // Numbers of 32 bits, as those of the archive are.
        let [offset, length] = [size.saturating_sub(length), length].map(|n| (n as u32).to_le_bytes());
        let ready = Cursor::new([b"PACK".as_slice(), &offset, &length].concat());
        let parts = Arc::clone(parts);
        Pak {
            store: store.clone(),
            budget: budget.clone(),
            parts,
            next: 0,
            member: None,
            ready,
            has_ended: false,
            fault: None,
        }
    }

    fn directory(&self) -> Vec<u8> {
        let mut at = HEADER;
        let mut directory = Vec::new();
        for Part { name, file } in self.parts.iter() {
            let mut field = name.clone();
            field.resize(PAK_NAME, 0);
            directory.extend(field);
            directory.extend((at as u32).to_le_bytes());
            directory.extend((file.size as u32).to_le_bytes());
            at += file.size;
        }
        directory
    }

    fn note(&mut self, e: Error) {
        let name = self.next.checked_sub(1).and_then(|at| self.parts.get(at)).map(|part| entry::printable(&part.name));
        let what = format!("{} (member {} of the pak)", e.kind, name.unwrap_or_default());
        self.fault.get_or_insert_with(|| Error::container(what).into());
    }
}

impl Read for Pak {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.ready.read(buf)?;
            if n > 0 || buf.is_empty() {
                return Ok(n);
            }
            if let Some((member, left)) = &mut self.member {
                match member.read(buf) {
                    Ok(0) => self.member = None,
                    Ok(n) => {
                        *left = left.saturating_sub(n as u64);
                        return Ok(n);
                    }
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => return Err(e),
                    Err(e) => {
                        let zeros = io::repeat(0).take(*left);
                        self.member = Some((Box::new(zeros), *left));
                        self.note(e.into());
                    }
                }
                continue;
            }
            if let Some(part) = self.parts.get(self.next) {
                self.next += 1;
                self.member = Some((part.file.open(&self.store, &self.budget)?, part.file.size));
            } else if !self.has_ended {
                self.has_ended = true;
                self.ready = Cursor::new(self.directory());
            } else {
                return self.fault.take().map_or(Ok(0), Err);
            }
        }
    }
}
