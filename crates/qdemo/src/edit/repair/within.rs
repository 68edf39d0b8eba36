//! Blocks within damage: what a header does not prove, messages that can be read may.

use super::mend::{Mend, intact};
use crate::format::{BlockOf, Decoder, DialectOf};
use crate::frame::{Header as _, HeaderRead, Rules as _};
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
    /// Its size or its number is another one than in the input.
    pub(super) mended: bool,
}

impl Item {
    /// Where it ends in the input.
    pub(super) fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// Bytes of a block that may hold others whose size is damaged.
const SMALL: usize = 24;
const HUGE: usize = 256 << 10;
/// Blocks with messages in a row that prove that.
const ROW: usize = 3;
/// Bytes of blocks that prove that where other blocks follow them.
const PROOF: usize = 24;
/// So many times the bytes of a block are read, at most, to find others in it.
const EFFORT: usize = 64;

/// The blocks within bytes, from a place on: those that a block with a damaged size runs over, those behind damage. Of those
/// behind the end of a recording there are none.
pub(super) fn blocks_within<F: Mend>(item: &Item, from: usize, mut d: DialectOf<F>, world: &World) -> Vec<Item> {
    let size = item.bytes.len();
    if !may_hold_blocks(size) {
        return Vec::new();
    }
    let (mut found, mut decoded, mut start) = (Vec::new(), 0, from);
    while start < size && decoded <= EFFORT * size {
        let row = row_at::<F>(item, start, d, world, &mut decoded);
        if !row.is_proof(size) {
            start += 1;
            continue;
        }
        // Behind these may lie others.
        start = row.end;
        d = row.dialect;
        found.extend(row.blocks);
        if row.ends {
            break;
        }
    }
    found
}

/// True for so many bytes that may hold blocks: what is small holds nothing, and what is huge no engine wrote.
pub(super) fn may_hold_blocks(size: usize) -> bool {
    (SMALL..=HUGE).contains(&size)
}

/// True for an end mark, and nothing else.
pub(super) fn is_end_mark<F: Mend>(bytes: &[u8]) -> bool {
    matches!(F::Header::find(bytes), HeaderRead::HeaderFound(found) if found.header.is_end() && found.len == bytes.len())
}

/// True where other blocks follow from a place on.
pub(super) fn are_behind<F: Mend>(item: &Item, start: usize, d: DialectOf<F>, world: &World) -> bool {
    row_at::<F>(item, start, d, world, &mut 0).is_proof(item.bytes.len())
}

/// Blocks that follow each other.
struct Row<F: Mend> {
    blocks: Vec<Item>,
    /// How many have messages.
    told: usize,
    start: usize,
    end: usize,
    /// The dialect behind them.
    dialect: DialectOf<F>,
    /// A recording ends with the last one, or with an end mark behind it, behind which nothing follows.
    ends: bool,
}

impl<F: Mend> Row<F> {
    /// True for enough of them, within so many bytes.
    fn is_proof(&self, size: usize) -> bool {
        // Whole to the end of what is damaged: behind that blocks go on.
        let fits = (self.end == size || self.ends) && self.end - self.start >= PROOF;
        self.told >= ROW || self.told > 0 && fits
    }
}

/// Blocks in a row within another one, from a place on, all of which can be read, the first of which has messages.
fn row_at<F: Mend>(item: &Item, start: usize, d: DialectOf<F>, world: &World, decoded: &mut usize) -> Row<F> {
    let mut row = Row::<F> { blocks: Vec::new(), told: 0, start, end: start, dialect: d, ends: false };
    let mut decoder = Decoder::<F>::new(d);
    while let Some(block) = item.bytes.get(row.end..).and_then(|rest| BlockOf::<F>::of_bytes(rest, item.index, 0)) {
        let (Ok(size), header) = (usize::try_from(block.header.payload()), block.header_len) else { break };
        let end = row.end.saturating_add(header).saturating_add(size);
        let Some(bytes) = item.bytes.get(row.end..end).filter(|_| size > 0) else { break };
        let offset = item.offset + row.end as u64;
        let Some(block) = BlockOf::<F>::of_bytes(bytes, item.index, offset) else { break };
        let (packet, fault) = decoder.read(&block);
        // Bits that cannot be read are copied to the end of the block; bytes are not.
        let read = fault.as_ref().filter(|_| !F::IN_BITS);
        *decoded += header + read.map_or(size, |fault| size.min(fault.offset.saturating_sub(offset) as usize));
        // Behind blocks that can be read the end of a recording is one.
        row.ends = fault.is_none() && row.told > 0 && F::is_last(&block, &packet);
        let readable = fault.is_none()
            && block.header.possible(block.payload)
            && intact::<F>(&packet, world) == packet.messages.len();
        let is_right = readable && !F::is_wrong(&packet, world) && (row.told > 0 || !packet.messages.is_empty());
        if !is_right && !row.ends {
            break;
        }
        row.told += usize::from(!packet.messages.is_empty());
        let (number, arrived) = (F::number(&block, &decoder.before()), F::arrived(&block));
        decoder.recycle(packet);
        row.blocks.push(Item { bytes: bytes.to_vec(), index: item.index, offset, number, arrived, mended: false });
        (row.end, row.dialect) = (end, decoder.dialect());
        if row.ends {
            return row;
        }
    }
    row.ends = item.bytes.get(row.end..).is_some_and(is_end_mark::<F>);
    row
}
