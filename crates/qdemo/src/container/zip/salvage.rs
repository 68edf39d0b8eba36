//! ZIP archives that have lost their end, and with it the directory.
//!
//! Every member has a local header in front (4.3.7), so the members can be found by going from one
//! to the next, as far as the file reaches.

use super::{DEFLATED, Form, LOCAL, LOCAL_SIZE, exactly, too_many, u16_at, u32_at, widened};
use crate::container::codecs::Deflate;
use crate::container::entry::{self, Entry};
use crate::container::input::INPUT;
use crate::container::listing::Contents;
use crate::container::pump::Pump;
use crate::container::store::Store;
use crate::{Error, Limits, Result};
use std::io::{self, BufReader, Read};

/// Sizes and checksum follow the data in a descriptor (4.4.4, bit 3).
const DESCRIPTOR_FOLLOWS: u16 = 1 << 3;
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Lists the members that the file still has.
///
/// # Errors
///
/// When there is none, or too many.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let mut entries = Vec::new();
    let mut at = 0;
    let mut seen = 0;
    while let Some((entry, next)) = member(store, at, limits)? {
        if seen == limits.entries {
            return Err(too_many(limits, seen as u64 + 1));
        }
        seen += 1;
        if !entry.name.ends_with(b"/") {
            entries.push(entry);
        }
        match next {
            // Every member takes up space, so this comes to an end.
            Some(next) => at = next,
            None => break,
        }
    }
    if seen == 0 {
        return Err(Error::container("damaged: the zip has neither a directory nor a member"));
    }
    let damage =
        Some(format!("the zip has no directory at its end; found {} files from the beginning on", entries.len()));
    Ok(Contents { entries, damage, base: 0 })
}

/// The member whose local header is at `at`, and where the next one should be, if that is known.
fn member(store: &Store, at: u64, limits: &Limits) -> Result<Option<(Entry, Option<u64>)>> {
    let Some(header) = store.array::<LOCAL_SIZE>(at)?.filter(|h| h.starts_with(&LOCAL)) else {
        return Ok(None);
    };
    let mut rest = store.tail(at + LOCAL_SIZE as u64);
    let [name, extra] = [26, 28].map(|i| usize::from(u16_at(&header, i)));
    let Some(name) = exactly(&mut rest, name)? else {
        return Ok(None);
    };
    let Some(extra) = exactly(&mut rest, extra)? else {
        return Ok(None);
    };
    let data = at + (LOCAL_SIZE + name.len() + extra.len()) as u64;

    let [packed, size] = [18, 22].map(|i| u64::from(u32_at(&header, i)));
    let [size, packed] = widened([size, packed], &extra);
    let form = Form {
        header: at,
        flags: u16_at(&header, 6),
        method: u16_at(&header, 8),
        crc: Some(u32_at(&header, 14)),
        held: limits.held,
    };
    let mut entry = Entry::new(name, size, packed, entry::Form::Zip(form.clone()));
    if form.flags & DESCRIPTOR_FOLLOWS == 0 {
        let next = data.saturating_add(packed);
        return Ok(Some((entry, Some(next))));
    }
    let known = if packed > 0 || size > 0 {
        true
    } else if form.method == DEFLATED && form.obstacle().is_none() {
        measure(store, data, &mut entry, limits)?
    } else {
        // Of data that cannot be unpacked the end cannot be found; offer what is left.
        entry.packed = store.len().saturating_sub(data);
        entry.size = entry.packed;
        false
    };
    let (crc, next) = if known { descriptor(store, data.saturating_add(entry.packed))? } else { (None, None) };
    entry.form = entry::Form::Zip(Form { crc, ..form });
    Ok(Some((entry, next)))
}

/// Finds the sizes by unpacking. False when the data does not come to its end.
fn measure(store: &Store, data: u64, entry: &mut Entry, limits: &Limits) -> Result<bool> {
    let mut inflated = Pump::new(BufReader::with_capacity(INPUT, store.tail(data)), Deflate::new());
    let mut sink = [0; 4096];
    entry.size = 0;
    loop {
        let outcome = inflated.read(&mut sink);
        match outcome {
            Ok(0) => {
                entry.packed = inflated.consumed();
                return Ok(true);
            }
            Ok(n) => entry.size += n as u64,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => match Error::from(e) {
                e if matches!(e.kind, crate::error::ErrorKind::Io(_)) => return Err(e),
                _ => break,
            },
        }
        if entry.size > limits.unpacked {
            break;
        }
    }
    // One more than there is, so that reading comes to the same end: something is missing.
    entry.packed = store.len().saturating_sub(data).saturating_add(1);
    Ok(false)
}

/// The checksum in a data descriptor (4.3.9), and where the next member should be. The descriptor
/// may have a signature or not, and sizes of 32 or 64 bits: right is what a signature follows.
fn descriptor(store: &Store, at: u64) -> Result<(Option<u32>, Option<u64>)> {
    let signed = store.array(at)? == Some(DESCRIPTOR);
    let start = at.saturating_add(if signed { 4 } else { 0 });
    let crc = store.array(start)?.map(u32::from_le_bytes);
    for len in [12, 20] {
        let next = start.saturating_add(len);
        if store.array(next)? == Some(*b"PK") {
            return Ok((crc, Some(next)));
        }
    }
    // Without a look at what follows, only the signature tells that this is a descriptor.
    Ok((crc.filter(|_| signed), None))
}
