//! What the facts about a demo have in common, whatever its format.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::describe::KindSet;
use crate::frame::{Block, Chunk, Diagnostic};
use crate::json::Named;
use crate::wire::clean;

/// Messages of one kind, and how much of a file they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Messages.
    pub count: u64,
    /// Bytes; in Quake III bits.
    pub size: u64,
}

/// Messages by their kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally<K> {
    shares: Vec<Share>,
    kinds: PhantomData<K>,
}

impl<K: KindSet> Default for Tally<K> {
    fn default() -> Self {
        Tally { shares: vec![Share::default(); K::ALL.len()], kinds: PhantomData }
    }
}

impl<K: KindSet> Tally<K> {
    /// Counts a message.
    #[inline]
    pub(crate) fn add(&mut self, kind: K, size: u64) {
        if let Some(share) = self.shares.get_mut(kind.index()) {
            share.count += 1;
            share.size += size;
        }
    }

    /// The messages of a kind.
    pub fn get(&self, kind: K) -> Share {
        self.shares.get(kind.index()).copied().unwrap_or_default()
    }

    /// The kinds that there are, in order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (K, Share)> + '_ {
        let all = K::ALL.iter().copied().zip(self.shares.iter().copied());
        all.filter(|(_, share)| share.count > 0)
    }
}

/// What the facts about a demo say of chunks that are no blocks.
pub(crate) struct Counts<'i> {
    /// Bytes that no message covers.
    pub(crate) unknown_bytes: &'i mut u64,
    /// Bytes behind the end.
    pub(crate) trailer_bytes: &'i mut u64,
    /// True when the recording was stopped cleanly.
    pub(crate) ends_cleanly: &'i mut bool,
}

/// The [`Counts`] among the fields of some facts.
macro_rules! counts {
    ($info:expr) => {
        $crate::game::tally::Counts {
            unknown_bytes: &mut $info.unknown_bytes,
            trailer_bytes: &mut $info.trailer_bytes,
            ends_cleanly: &mut $info.ends_cleanly,
        }
    };
}
pub(crate) use counts;

/// The block of a chunk. Of anything else its bytes are counted; `Err` is the fault in it.
pub(crate) fn block_or_count<'c, 'a, H>(
    chunk: &'c Chunk<'a, H>,
    counts: Counts<'_>,
) -> Result<&'c Block<'a, H>, Option<Diagnostic>> {
    match chunk {
        Chunk::Block(block) => return Ok(block),
        Chunk::Start(_) => {}
        Chunk::End => *counts.ends_cleanly = true,
        Chunk::Trailer(bytes) => {
            *counts.trailer_bytes += bytes.len() as u64;
            *counts.ends_cleanly = true;
        }
        Chunk::Unframed(unframed) => {
            *counts.unknown_bytes += unframed.bytes.len() as u64;
            return Err(Some(unframed.into()));
        }
    }
    Err(None)
}

/// Counts a message of some bytes by its kind; one without a kind is unknown bytes.
#[inline]
pub(crate) fn count_message<K: KindSet>(
    kind: Option<K>,
    bytes: u64,
    messages: &mut u64,
    kinds: &mut Tally<K>,
    unknown_bytes: &mut u64,
) {
    match kind {
        Some(kind) => {
            *messages += 1;
            kinds.add(kind, bytes);
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

/// Messages of a kind, and their bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessagesInBytes")]
pub(crate) struct InBytes {
    /// Name of the message.
    message: &'static str,
    /// How many there are.
    count: u64,
    /// Their bytes.
    bytes: u64,
}

/// Messages of a kind, and their bits.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessagesInBits")]
pub(crate) struct InBits {
    /// Name of the message.
    message: &'static str,
    /// How many there are.
    count: u64,
    /// Their bits.
    bits: u64,
}

/// For `serialize_with`: messages by kind, each with its count and its bytes.
pub(crate) fn in_bytes<K: KindSet, S: Serializer>(kinds: &Tally<K>, serializer: S) -> Result<S::Ok, S::Error> {
    let each =
        |(kind, share): (K, Share)| InBytes { message: kind.schema().name, count: share.count, bytes: share.size };
    serializer.collect_seq(kinds.iter().map(each))
}

/// Messages by kind, each with its count and its bits.
pub(crate) fn in_bits<K: KindSet>(kinds: &Tally<K>) -> Vec<InBits> {
    let each = |(kind, share): (K, Share)| InBits { message: kind.schema().name, count: share.count, bits: share.size };
    kinds.iter().map(each).collect()
}

/// For `serialize_with`: a name in Quake's own characters.
pub(crate) fn name<S: Serializer>(raw: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Named::new(clean(raw), raw).serialize(serializer)
}
