//! Blocks within damage: what a header does not prove, messages that can be read may.

use super::mend::{Mend, intact};
use crate::format::{BlockOf, Decoder, DialectOf};
use crate::frame::Header as _;
use crate::replay::World;

/// A block on its way.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) bytes: Vec<u8>,
    /// Its number in the input.
    pub(super) index: u64,
    pub(super) offset: u64,
    /// The number that tells its place.
    pub(super) number: Option<i64>,
    /// When it came, in microseconds, where that is another thing.
    pub(super) arrived: Option<i64>,
}

/// Bytes of a block that may hold others whose size is damaged.
const SMALL: usize = 24;
pub(super) const HUGE: usize = 256 << 10;
/// Blocks in a row that prove that.
pub(super) const ROW: usize = 3;
/// Bytes of blocks that prove that where other blocks follow them.
const PROOF: usize = 24;
/// So many times the bytes of a block are read, at most, to find others in it.
pub(super) const EFFORT: usize = 64;

/// The blocks within bytes, from a place on: those that a block with a damaged size runs over, those behind damage.
pub(super) fn blocks_within<F: Mend>(item: &Item, from: usize, d: DialectOf<F>, world: &World) -> Vec<Item> {
    // What is small holds nothing, and what is huge no engine wrote.
    let size = item.bytes.len();
    if !(SMALL..=HUGE).contains(&size) {
        return Vec::new();
    }
    let mut decoded = 0;
    for start in from.min(size)..size {
        let row = row_at::<F>(item, start, false, d, world, &mut decoded);
        let end = row.last().map_or(0, |last| last.offset + last.bytes.len() as u64);
        // Whole to the end of what is damaged: behind that blocks go on.
        let fits = end == item.offset + size as u64 && end - item.offset >= (start + PROOF) as u64;
        if row.len() >= ROW || fits {
            return row;
        }
        if decoded > EFFORT * size {
            break;
        }
    }
    Vec::new()
}

/// Blocks in a row within another one, from a place on, all of which can be read. One without messages is the first only where
/// a block is `known` to begin.
pub(super) fn row_at<F: Mend>(
    item: &Item,
    start: usize,
    known: bool,
    d: DialectOf<F>,
    world: &World,
    decoded: &mut usize,
) -> Vec<Item> {
    let mut row: Vec<Item> = Vec::new();
    let mut decoder = Decoder::<F>::new(d);
    let mut at = start;
    while let Some(block) = item.bytes.get(at..).and_then(|rest| BlockOf::<F>::of_bytes(rest, item.index, 0)) {
        let (Ok(size), header) = (usize::try_from(block.header.payload()), block.header_len) else { break };
        let end = at.saturating_add(header).saturating_add(size);
        let Some(bytes) = item.bytes.get(at..end).filter(|_| size > 0) else { break };
        let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, item.offset + at as u64) else { break };
        *decoded += size.min(256);
        let (packet, fault) = decoder.read(&block);
        let readable = fault.is_none() && intact::<F>(&packet, world) == packet.messages.len();
        if !readable || F::is_wrong(&packet, world) || packet.messages.is_empty() && row.is_empty() && !known {
            break;
        }
        let (number, arrived) = (F::number(&block, &decoder.before()), F::arrived(&block));
        let offset = item.offset + at as u64;
        decoder.recycle(packet);
        row.push(Item { bytes: bytes.to_vec(), index: item.index, offset, number, arrived });
        at = end;
    }
    row
}
