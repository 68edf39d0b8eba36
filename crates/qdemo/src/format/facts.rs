//! What the facts about a demo have in common, whatever its format.

use std::collections::BTreeMap;

use crate::wire::clean;

/// Messages and bytes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Messages.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Counts a message of some bytes by its kind; one without a kind is unknown bytes.
#[inline]
pub(crate) fn count_message<K: Ord>(
    kind: Option<K>,
    bytes: u64,
    messages: &mut u64,
    kinds: &mut BTreeMap<K, Share>,
    unknown_bytes: &mut u64,
) {
    match kind {
        Some(kind) => {
            *messages += 1;
            let share = kinds.entry(kind).or_default();
            share.count += 1;
            share.bytes += bytes;
        }
        None => *unknown_bytes += bytes,
    }
}

/// The name of a map without folder and extension, from the name of its file.
pub(crate) fn map_name(file: &[u8]) -> String {
    let file = clean(file);
    let map = file.rsplit('/').next().unwrap_or_default();
    map.strip_suffix(".bsp").unwrap_or(map).to_owned()
}
