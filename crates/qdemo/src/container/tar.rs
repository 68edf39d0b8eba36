//! tar archives: headers of 512 bytes, each with its file behind it as it is.
//!
//! What headers say (POSIX ustar and pax, GNU's long names, names of old) is read by the crate `tar`.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use super::entry::{self, Entry};
use super::listing::Contents;
use super::store::Store;
use crate::error::ErrorKind;
use crate::limits::Bound;
use crate::{Error, Limits, Result};

/// The size of a header; one is enough for [`begins`].
pub(super) const HEADER: usize = 512;

/// Where the checksum stands in it.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Where and how a member is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is, at this offset.
    Plain(u64),
    /// With its holes left out.
    Sparse,
}

impl Form {
    /// Why the member cannot be unpacked, if so.
    pub(super) fn obstacle(&self) -> Option<String> {
        (*self == Form::Sparse).then(|| "is stored without its holes, which qdemo does not fill".to_owned())
    }

    pub(super) fn offset(&self) -> Result<u64> {
        match self {
            Form::Plain(offset) => Ok(*offset),
            Form::Sparse => Err(Error::container(format!("the member {}", self.obstacle().unwrap_or_default()))),
        }
    }
}

/// True for the first bytes of a tar: a header whose checksum is right. It is the sum of all bytes, with spaces where it
/// stands itself, and octal digits. Old archives have no other mark.
pub(super) fn begins(prefix: &[u8]) -> bool {
    let Some(header) = prefix.get(..HEADER) else { return false };
    let digits: Vec<_> = header[CHECKSUM].iter().copied().skip_while(|&b| b == b' ').collect();
    let digits = digits.split(|&b| matches!(b, b' ' | 0)).next().unwrap_or_default();
    let told = std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let sum = |at: usize, &byte: &u8| if CHECKSUM.contains(&at) { 32 } else { u32::from(byte) };
    let found = header.iter().enumerate().map(|(at, byte)| sum(at, byte)).sum();
    header[0] != 0 && told == Some(found)
}

/// Lists the members.
///
/// # Errors
///
/// When there are too many entries.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let mut archive = tar::Archive::new(At { store: store.clone(), offset: 0, run: 0 });
    let mut entries: Vec<Entry> = Vec::new();
    // Where the last one of a name stands.
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut damage = None;
    for (seen, found) in archive.entries_with_seek()?.enumerate() {
        if seen == limits.entries {
            let (limit, found) = (seen as u64, seen as u64 + 1);
            return Err(Error::new(ErrorKind::Limit { what: Bound::Entries, limit, found }));
        }
        let found = match found {
            Ok(found) => found,
            Err(e) => {
                damage = Some(format!("the tar is damaged behind {} of its files: {e}", entries.len()));
                break;
            }
        };
        let name = found.path_bytes().into_owned();
        let packed = found.header().entry_size().unwrap_or_else(|_| found.size());
        let plain = |form| Entry::new(name.clone(), found.size(), packed, entry::Form::Tar(form));
        let entry = match found.header().entry_type() {
            tar::EntryType::Regular | tar::EntryType::Continuous => plain(Form::Plain(found.raw_file_position())),
            tar::EntryType::GNUSparse => plain(Form::Sparse),
            // Another name of a file in front of it.
            tar::EntryType::Link => {
                let target = found.link_name_bytes().and_then(|target| entries.get(*places.get(&*target)?));
                match target {
                    Some(target) => Entry { name: name.clone(), ..target.clone() },
                    None => continue,
                }
            }
            // Folders, symbolic links, devices.
            _ => continue,
        };
        places.insert(name, entries.len());
        entries.push(entry);
    }
    Ok(Contents { entries, damage, base: 0 })
}

/// So many bytes can be read without passing over a file: headers and long names.
const MAX_RUN: u64 = 64 << 20;

/// A store read from one place on.
struct At {
    store: Store,
    offset: u64,
    /// Bytes read since the last place was looked for.
    run: u64,
}

impl Read for At {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.store.tail(self.offset).read(buf)?;
        self.offset += n as u64;
        self.run += n as u64;
        if self.run > MAX_RUN {
            return Err(io::Error::other("a name without end"));
        }
        Ok(n)
    }
}

impl Seek for At {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, by) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(by) => (self.offset, by),
            SeekFrom::End(by) => (self.store.len(), by),
        };
        let at = base.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        (self.offset, self.run) = (at, 0);
        Ok(at)
    }
}
