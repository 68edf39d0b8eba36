//! Sizes that are damaged: messages tell the right ones.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::{Mend, is_right};
use super::mender::Mender;
use super::within::{EFFORT, HUGE, Item, ROW, row_at};
use crate::format::{BlockOf, Decoder, DialectOf};
use crate::frame::Header as _;
use crate::replay::World;

impl<F: Mend, W: Write> Mender<F, W> {
    /// A block whose size is damaged, with the one that its messages tell, and the blocks that it ran over: see [`resized`].
    pub(super) fn resize(&mut self, item: &Item, known: bool) -> Vec<Item> {
        let blocks = resized::<F>(item, known, self.decoder.dialect(), &self.world);
        if let Some(own) = blocks.first() {
            let told =
                |item: &Item| BlockOf::<F>::of_bytes(&item.bytes, 0, 0).map_or(0, |block| block.header.payload());
            let text = format!("size {} stands where {} is right", told(item), told(own));
            self.note(Found::WrongSize, Done::Resized, item.offset, own.bytes.len(), known.then_some(item.index), text);
        }
        blocks
    }

    /// Bytes that are no block may be the rest of the one in front of them, which waits, or a block whose size is damaged.
    pub(super) fn resized_around(&mut self, bytes: &[u8], offset: u64) -> Vec<Item> {
        if self.ended.is_some() || self.last.has_ended() || self.mark.is_some() || self.twins > 0 {
            return Vec::new();
        }
        let adjoins = |item: &Item| item.offset + item.bytes.len() as u64 == offset;
        let is_untold = |item: &Item| self.lost.last().is_some_and(|lost| lost.offset == item.offset);
        let unread = self.unread.take().filter(|item| adjoins(item) && is_untold(item));
        let is_held = unread.is_none();
        let front = unread.or_else(|| self.held.clone().filter(adjoins));
        if let Some(front) = front {
            let bytes = [&front.bytes[..], bytes].concat();
            let blocks = self.resize(&Item { bytes, ..front }, true);
            if !blocks.is_empty() {
                if is_held {
                    self.held = None;
                } else {
                    self.lost.pop();
                }
                self.account.account.blocks_read += blocks.len() as u64 - 1;
                return blocks;
            }
        }
        let item = Item { bytes: bytes.to_vec(), index: 0, offset, number: None, arrived: None };
        let blocks = self.resize(&item, false);
        self.account.account.blocks_read += blocks.len() as u64;
        blocks
    }
}

/// A block whose size is damaged, with the size that its messages tell, and the blocks behind it that it ran over. `item`
/// begins with it: what lies in front of it tells that, or, where it is not `known`, its size must. Empty where messages tell
/// no other size.
fn resized<F: Mend>(item: &Item, known: bool, d: DialectOf<F>, world: &World) -> Vec<Item> {
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
        if decoded > EFFORT * whole {
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
