//! Blocks within damage: what a header does not prove, messages that can be read may. They tell sizes that are damaged, too.

use super::mend::{Mend, intact, is_right};
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
const HUGE: usize = 256 << 10;
/// Blocks in a row that prove that.
const ROW: usize = 3;
/// Bytes of blocks that prove that where other blocks follow them.
const PROOF: usize = 24;

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
        if decoded > 64 * size {
            break;
        }
    }
    Vec::new()
}

/// A block whose size is damaged, with the size that its messages tell, and the blocks behind it that it ran over. `item`
/// begins with it: what lies in front of it tells that, or, where it is not `known`, its size must. Empty where messages tell
/// no other size.
pub(super) fn resized<F: Mend>(item: &Item, known: bool, d: DialectOf<F>, world: &World) -> Vec<Item> {
    let Some(block) = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset) else { return Vec::new() };
    let (size, whole) = (block.payload.len(), item.bytes.len());
    if whole > HUGE {
        return Vec::new();
    }
    // One that goes on behind the end of the file is cut, and one that is right is no larger.
    let is_cut = known && block.size() > size;
    let is_right = known && is_right_as_told::<F>(item, &block, d, world);
    if let Some((own, _)) = ending_at::<F>(&block, size, known, d, world).filter(|_| !is_cut && !is_right) {
        return vec![own];
    }
    let most = if is_right { block.size() } else { size };
    let mut decoder = Decoder::<F>::new(d);
    let _ = decoder.read(&block);
    let unit = if F::IN_BITS { 8 } else { 1 };
    let ends = decoder.ends().iter().map(|end| end.div_ceil(unit)).flat_map(|end| end..=end + F::REST);
    let (mut last, mut decoded) = (0, 0);
    for end in ends.filter(|end| *end < most) {
        let behind = block.header_len + end;
        if end <= last || !may_begin::<F>(item.bytes.get(behind..).unwrap_or_default()) {
            continue;
        }
        last = end;
        decoded += end;
        if let Some((own, d)) = ending_at::<F>(&block, end, known, d, world) {
            let row = row_at::<F>(item, behind, true, d, world, &mut decoded);
            let fits = row.iter().map(|item| item.bytes.len()).sum::<usize>() == whole - behind;
            if row.len() >= ROW || fits && row.iter().any(|item| has_messages::<F>(item, d)) {
                return [own].into_iter().chain(row).collect();
            }
        }
        if decoded > 64 * whole {
            break;
        }
    }
    Vec::new()
}

/// True for a block that can be read as it is, where bytes that are none of it may follow.
fn is_right_as_told<F: Mend>(item: &Item, block: &BlockOf<'_, F>, d: DialectOf<F>, world: &World) -> bool {
    let bytes = item.bytes.get(..block.header_len.saturating_add(block.size()));
    let told = bytes.and_then(|bytes| BlockOf::<F>::of_bytes(bytes, item.index, item.offset));
    told.is_some_and(|told| {
        let (packet, fault) = Decoder::<F>::new(d).read(&told);
        is_right::<F>(&packet, fault.as_ref(), world)
    })
}

/// The block that ends behind so many bytes of the payload of another one, if all of it is right then, and the dialect behind it.
fn ending_at<F: Mend>(
    block: &BlockOf<'_, F>,
    end: usize,
    known: bool,
    d: DialectOf<F>,
    world: &World,
) -> Option<(Item, DialectOf<F>)> {
    let bytes = block.ending(end)?;
    let own = BlockOf::<F>::of_bytes(&bytes, block.index, block.offset)?;
    // One byte that is wrong leaves more than chance makes right.
    let wrong = (own.header.payload() ^ block.header.payload()).to_le_bytes().iter().filter(|byte| **byte != 0).count();
    if wrong == 0 || wrong > 1 && !known {
        return None;
    }
    let mut decoder = Decoder::<F>::new(d);
    let (packet, fault) = decoder.read(&own);
    if packet.messages.is_empty() || !is_right::<F>(&packet, fault.as_ref(), world) {
        return None;
    }
    drop(packet);
    let (number, arrived) = (F::number(&own, &d), F::arrived(&own));
    Some((Item { bytes, index: block.index, offset: block.offset, number, arrived }, decoder.dialect()))
}

/// True for bytes that may begin with a block.
fn may_begin<F: Mend>(bytes: &[u8]) -> bool {
    BlockOf::<F>::of_bytes(bytes, 0, 0).is_some_and(|block| (1..=block.payload.len()).contains(&block.size()))
}

fn has_messages<F: Mend>(item: &Item, d: DialectOf<F>) -> bool {
    let block = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset);
    block.is_some_and(|block| !Decoder::<F>::new(d).read(&block).0.messages.is_empty())
}

/// Blocks in a row within another one, from a place on, all of which can be read. One without messages is the first only where
/// a block is `known` to begin.
fn row_at<F: Mend>(
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
