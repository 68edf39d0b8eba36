//! PAK archives of Quake and Quake II: a header, raw files, a directory.
//!
//! The format is that of the Quake engine (`dpackheader_t` and `dpackfile_t` in the released
//! source, `common.c`): `PACK`, then offset and length of the directory as 32-bit little-endian
//! numbers. A directory entry is 64 bytes: 56 of name, NUL padded; offset; length. Nothing is
//! compressed and there are no checksums. Entries may overlap or repeat.

use super::entry::{Entry, Form};
use super::listing::Contents;
use super::store::Store;
use crate::limits::Bound;
use crate::{Error, Limits, Result, error};
use std::io::{BufReader, ErrorKind, Read};

const NAME: usize = 56;
const ENTRY: usize = 64;

/// Reads the directory.
///
/// # Errors
///
/// When the directory lies outside the file, or has too many entries.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let Some(header) = store.array::<12>(0)? else {
        return Err(Error::new(error::ErrorKind::Truncated { needed: 12, available: store.len() }).at_offset(0));
    };
    let [_, _, _, _, o0, o1, o2, o3, l0, l1, l2, l3] = header;
    let start = u64::from(u32::from_le_bytes([o0, o1, o2, o3]));
    let len = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
    // The engine divides without a look at the remainder.
    let count = len / ENTRY as u64;
    if count > limits.entries as u64 {
        return Err(Error::new(error::ErrorKind::Limit {
            what: Bound::Entries,
            limit: limits.entries as u64,
            found: count,
        }));
    }
    let end = start + len;
    let outside = end > store.len();
    if count > 0 && start + ENTRY as u64 > store.len() {
        return Err(Error::container(format!(
            "the PAK directory (bytes {start} to {end}) lies outside the file of {} bytes",
            store.len()
        )));
    }

    let mut entries = Vec::new();
    let mut directory = BufReader::new(store.tail(start));
    for _ in 0..count {
        let mut record = [0; ENTRY];
        match directory.read_exact(&mut record) {
            Ok(()) => entries.push(entry(&record)),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => break,
            Err(e) => return Err(e.into()),
        }
    }
    let damage = outside
        .then(|| format!("the file ends inside the PAK directory: {} of {count} entries are left", entries.len()));
    Ok(Contents { entries, damage, base: 0 })
}

fn entry(record: &[u8; ENTRY]) -> Entry {
    let (name, place) = record.split_at(NAME);
    // What follows the NUL is left over from an earlier use of the memory.
    let len = name.iter().position(|&b| b == 0).unwrap_or(NAME);
    let number = |at: usize| {
        let bytes = place.iter().skip(at).take(4).rev();
        bytes.fold(0, |sum, &b| sum << 8 | u64::from(b))
    };
    Entry::new(name[..len].to_vec(), number(4), number(4), Form::Raw { offset: number(0) })
}
