//! ZIP archives, by their central directory (PKWARE APPNOTE 6.3).
//!
//! Section numbers in comments are those of the APPNOTE. Members are stored, or packed by deflate, bzip2, LZMA, XZ or Zstandard; sizes and
//! offsets may be of 64 bits. The central directory has the last word: of a local header only the
//! lengths that lead to the data are used. What stands in front of the archive (the program of a
//! self-extractor) does not matter. A file without its end is read by [`salvage`] instead.

mod salvage;

use super::behind::Remains;
use super::checked::Checked;
use super::codecs::{Bzip2, Deflate, Lzma, Xz};
use super::entry::{self, Entry};
use super::input::{INPUT, Input};
use super::listing::Contents;
use super::pump::Pump;
use super::source::Stream;
use super::store::Store;
use super::streams::Streams;
use super::zstd::Unzstd;
use crate::foreign;
use crate::limits::Bound;
use crate::{Error, Limits, Result, error};
use std::io::{self, BufReader, Read};

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const CENTRAL: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR64: [u8; 4] = *b"PK\x06\x07";

const LOCAL_SIZE: usize = 30;
const CENTRAL_SIZE: usize = 46;
const END_SIZE: usize = 22;
const END64_SIZE: usize = 56;
const LOCATOR64_SIZE: usize = 20;

/// General purpose flags (4.4.4).
const ENCRYPTED: u16 = 1;
const STRONGLY_ENCRYPTED: u16 = 1 << 6;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const BZIP2: u16 = 12;
const LZMA: u16 = 14;
/// The number of Zstandard, and the one that it had for a while.
const ZSTANDARD: u16 = 93;
const ZSTANDARD_OLD: u16 = 20;
const XZ: u16 = 95;
/// LZMA marks its end by itself (4.4.4, bit 1).
const MARKS_END: u16 = 1 << 1;

/// Where and how a member is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Offset of the local header, counted from where the archive begins.
    header: u64,
    flags: u16,
    method: u16,
    /// CRC-32 of the unpacked data, when known.
    crc: Option<u32>,
    /// Bytes that unpacking may keep.
    held: u64,
}

impl Form {
    /// Why the member cannot be unpacked, if so.
    pub(super) fn obstacle(&self) -> Option<String> {
        if self.flags & (ENCRYPTED | STRONGLY_ENCRYPTED) != 0 {
            return Some("is encrypted, which qdemo does not open".to_owned());
        }
        // Names of methods: 4.4.5.
        let method = match self.method {
            STORED | DEFLATED | BZIP2 | LZMA | ZSTANDARD | ZSTANDARD_OLD | XZ => return None,
            1 => "shrink",
            2..=5 => "reduce",
            6 => "implode",
            9 => "deflate64",
            97 => "WavPack",
            98 => "PPMd",
            99 => "AES encryption",
            _ => "unknown",
        };
        let number = self.method;
        Some(format!("is packed by method {number} ({method}), which qdemo does not unpack"))
    }
}

/// Lists the members.
///
/// # Errors
///
/// When this is no ZIP archive, it is split over several files, or has too many entries.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let starts_here = matches!(store.array(0)?, Some(LOCAL | END));
    match Directory::find(store)? {
        // A file that begins like an archive, with a directory that counts from further inside,
        // is the beginning of an archive that holds another one.
        Some(directory) if directory.base == 0 || !starts_here => directory.read(store, limits),
        _ if starts_here => salvage::read(store, limits),
        _ => {
            let mut beginning = [0; foreign::PREFIX];
            let len = store.read_at_most(0, &mut beginning)?;
            let what = foreign::name(&beginning[..len]).unwrap_or_else(|| "not an archive that qdemo knows".to_owned());
            Err(Error::container(what))
        }
    }
}

/// The unpacked bytes of a member, with size and checksum compared at the end.
pub(super) fn unpack(store: &Store, base: u64, entry: &Entry, form: &Form) -> Result<Stream> {
    if let Some(obstacle) = form.obstacle() {
        return Err(Error::container(format!("the member {obstacle}")));
    }
    let header = base.saturating_add(form.header);
    let Some(local) = store.array::<LOCAL_SIZE>(header)? else {
        return Err(Error::container(format!(
            "damaged: its data should begin at byte {header} of a zip of {} bytes",
            store.len()
        )));
    };
    if !local.starts_with(&LOCAL) {
        return Err(Error::container(format!("damaged: no local header at byte {header} of the zip")));
    }
    let skipped = LOCAL_SIZE as u64 + u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
    let packed = store.range(header.saturating_add(skipped), entry.packed);
    let mut input = BufReader::with_capacity(INPUT, packed);
    let unpacked: Stream = match form.method {
        STORED => Box::new(input),
        BZIP2 => Box::new(Pump::new(input, Bzip2::new())),
        XZ => Box::new(Pump::new(input, Xz::new(form.held))),
        ZSTANDARD | ZSTANDARD_OLD => {
            Box::new(Streams::new(Unzstd::new(Input::new(Box::new(input)), form.held), Remains::default()))
        }
        LZMA => {
            // A version of two bytes, and the size of the properties (5.8.8).
            let mut head = [0; 9];
            input.read_exact(&mut head).map_err(|_| Error::container("damaged: the LZMA data has no beginning"))?;
            let [_, _, 5, 0, properties @ ..] = head else {
                return Err(Error::container("is packed by LZMA in a way that LZMA does not have"));
            };
            let size = if form.flags & MARKS_END != 0 { u64::MAX } else { entry.size };
            Box::new(Pump::new(input, Lzma::new(&properties, size, None, form.held)?))
        }
        _ => Box::new(Pump::new(input, Deflate::new())),
    };
    Ok(Box::new(Checked::new(unpacked, entry.size, form.crc)))
}

/// Where the central directory lies.
struct Directory {
    start: u64,
    end: u64,
    /// Length of what stands in front of the archive.
    base: u64,
    /// Declared number of entries.
    count: u64,
    /// Bits of `count` that are meaningful: without the 64-bit record it wraps at 16 bits.
    mask: u64,
}

impl Directory {
    /// Finds the end record (4.3.16) by searching backwards through the place of its comment.
    fn find(store: &Store) -> Result<Option<Directory>> {
        let most = (END_SIZE + usize::from(u16::MAX)) as u64;
        let from = store.len().saturating_sub(most);
        let mut tail = Vec::new();
        store.range(from, store.len() - from).read_to_end(&mut tail)?;
        for at in (0..tail.len().saturating_sub(END_SIZE - 1)).rev() {
            let record = &tail[at..];
            if !record.starts_with(&END) || record.len() < END_SIZE + usize::from(u16_at(record, 20)) {
                continue;
            }
            if let Some(directory) = Directory::at(store, from + at as u64, record)? {
                return Ok(Some(directory));
            }
        }
        Ok(None)
    }

    /// The directory that an end record points to, if there is one.
    fn at(store: &Store, at: u64, record: &[u8]) -> Result<Option<Directory>> {
        let [mut disk, mut count] = [4, 10].map(|i| u64::from(u16_at(record, i)));
        let [mut size, mut offset] = [12, 16].map(|i| u64::from(u32_at(record, i)));
        let (mut end, mut mask) = (at, u64::from(u16::MAX));
        if let Some((at64, record)) = end64(store, at)? {
            disk = u32_at(&record, 16).into();
            [count, size, offset] = [32, 40, 48].map(|i| u64_at(&record, i));
            (end, mask) = (at64, u64::MAX);
        }
        // Usually it lies right before its end record; but if something was put between, nothing
        // stands in front of the archive.
        let before = end.checked_sub(size);
        for (start, base) in [(before, before.and_then(|s| s.checked_sub(offset))), (Some(offset), Some(0))] {
            let (Some(start), Some(base)) = (start, base) else {
                continue;
            };
            let sound = match count {
                // Nothing to check against, so chance finds must not pass: be strict.
                0 => start == end && base == 0,
                _ => start < end && store.array(start)? == Some(CENTRAL),
            };
            if !sound {
                continue;
            }
            if disk != 0 {
                return Err(Error::container(format!(
                    "part {} of a zip that is split over several files; join them first",
                    disk + 1
                )));
            }
            return Ok(Some(Directory { start, end, base, count, mask }));
        }
        Ok(None)
    }

    fn read(&self, store: &Store, limits: &Limits) -> Result<Contents> {
        let mut entries = Vec::new();
        let mut seen = 0;
        let mut input = BufReader::new(store.tail(self.start)).take(self.end - self.start);
        while let Some(entry) = central(&mut input, limits)? {
            if seen == limits.entries as u64 {
                return Err(too_many(limits, self.count.max(seen + 1)));
            }
            seen += 1;
            // Folders have entries of their own, without data.
            if !entry.name.ends_with(b"/") {
                entries.push(entry);
            }
        }
        let damage = (seen & self.mask != self.count)
            .then(|| format!("the zip directory breaks off: {seen} entries instead of {}", self.count));
        Ok(Contents { entries, damage, base: self.base })
    }
}

/// The 64-bit end record (4.3.14) that belongs to the end record at `end`.
fn end64(store: &Store, end: u64) -> io::Result<Option<(u64, [u8; END64_SIZE])>> {
    let Some(at) = end.checked_sub(LOCATOR64_SIZE as u64) else {
        return Ok(None);
    };
    let Some(locator) = store.array::<LOCATOR64_SIZE>(at)? else {
        return Ok(None);
    };
    if !locator.starts_with(&LOCATOR64) {
        return Ok(None);
    }
    // The offset in the locator is off when something stands in front of the archive.
    for at in [Some(u64_at(&locator, 8)), at.checked_sub(END64_SIZE as u64)].into_iter().flatten() {
        if let Some(record) = store.array::<END64_SIZE>(at)? {
            if record.starts_with(&END64) {
                return Ok(Some((at, record)));
            }
        }
    }
    Ok(None)
}

/// Reads a header of the central directory (4.3.12); `None` where no whole one follows.
fn central(input: &mut impl Read, limits: &Limits) -> io::Result<Option<Entry>> {
    let header = exactly(input, CENTRAL_SIZE)?;
    let Some(header) = header.filter(|h| h.starts_with(&CENTRAL)) else {
        return Ok(None);
    };
    let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(&header, at)));
    let Some(name) = exactly(input, name)? else {
        return Ok(None);
    };
    let Some(extra) = exactly(input, extra)? else {
        return Ok(None);
    };
    // A comment cut off does no harm to the entry.
    exactly(input, comment)?;
    let [packed, size, offset] = [20, 24, 42].map(|at| u64::from(u32_at(&header, at)));
    let [size, packed, offset] = widened([size, packed, offset], &extra);
    let form = Form {
        header: offset,
        flags: u16_at(&header, 8),
        method: u16_at(&header, 10),
        crc: Some(u32_at(&header, 16)),
        held: limits.held,
    };
    Ok(Some(Entry::new(name, size, packed, entry::Form::Zip(form))))
}

/// Replaces those of the numbers that did not fit in 32 bits from the extra field 1 (4.5.3).
fn widened<const N: usize>(mut numbers: [u64; N], mut extra: &[u8]) -> [u64; N] {
    while let [i0, i1, l0, l1, rest @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*l0, *l1])).min(rest.len());
        let (mut field, next) = rest.split_at(len);
        extra = next;
        if [*i0, *i1] != [1, 0] {
            continue;
        }
        for number in numbers.iter_mut().filter(|n| **n == u64::from(u32::MAX)) {
            let Some((value, rest)) = field.split_first_chunk() else {
                break;
            };
            *number = u64::from_le_bytes(*value);
            field = rest;
        }
    }
    numbers
}

/// `len` bytes, or `None` when there are fewer. Grows with what is there, not with what is asked.
fn exactly(input: &mut impl Read, len: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(len as u64).read_to_end(&mut bytes)?;
    Ok((bytes.len() == len).then_some(bytes))
}

fn too_many(limits: &Limits, found: u64) -> Error {
    let limit = limits.entries as u64;
    Error::new(error::ErrorKind::Limit { what: Bound::Entries, limit, found })
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    number(bytes, at, 2) as u16
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    number(bytes, at, 4) as u32
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    number(bytes, at, 8)
}

/// A little-endian number. All records are of fixed size, so `at` lies within.
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes.iter().skip(at).take(len).rev().fold(0, |sum, &b| sum << 8 | u64::from(b))
}
