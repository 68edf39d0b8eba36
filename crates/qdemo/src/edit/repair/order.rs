//! Putting blocks into their places, as their numbers tell.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::Mend;
use super::mender::{Mender, content, told};
use super::within::Item;
use crate::error::Result;
use crate::format::{BlockOf, Decoder};

/// What is said of a block that is not above the number of the one before.
pub(super) const STALE: &str = "older than the block in front of it: players pass over it, or stop";

/// What is said of a block that stands there twice.
const DOUBLED: &str = "the same block as the one before";

/// What is dropped, whatever the blocks around it tell.
pub(super) struct Lost {
    pub(super) found: Found,
    pub(super) offset: u64,
    pub(super) bytes: usize,
    /// The number of a block.
    pub(super) block: Option<u64>,
    pub(super) text: String,
}

impl<F: Mend, W: Write> Mender<F, W> {
    /// Numbers may be out of order by this much to be put in order.
    const NEAR: i64 = 64;
    /// Numbers may leap by this much.
    const FAR: i64 = 2_000;
    /// So much may be lost behind a block that waits.
    const LOST: usize = 1_000;

    /// A block comes: it goes on when it is clear that it stands where it belongs.
    pub(super) fn take(&mut self, item: Item) -> Result<()> {
        let Some(held) = self.held.take() else {
            self.held = Some(item);
            return Ok(());
        };
        if let Some(lost) = held.number.and_then(|_| self.lost(&item, &held)) {
            self.held = Some(held);
            self.unread = Some(item);
            return self.pass_over(lost);
        }
        if held.bytes == item.bytes && self.as_block(&item).is_some_and(|block| F::is_single(&block, &self.world)) {
            match F::COUNTED {
                true => self.doubled(&item),
                // The clock may stand still: that shows behind it.
                false => self.twins.push((item.index, item.offset)),
            }
            self.held = Some(held);
            return Ok(());
        }
        let mut held = held;
        if let (Some(next), Some(now)) = (item.number, held.number) {
            let before = self.number;
            let fits = before.is_none_or(|before| next > before);
            let off = next < now && now - next > self.near() || before.is_some_and(|before| now - before > Self::FAR);
            if next < now
                && fits
                && now - next <= self.near()
                && item.arrived <= held.arrived
                && !self.begins(&item)
                && !self.begins(&held)
            {
                let text = format!("block {} belongs in front of block {}", item.index, held.index);
                self.note_item(&item, Found::Swapped, Done::Moved, text);
                self.emit(item)?;
                self.held = Some(held);
                return self.take_within();
            }
            if F::COUNTED && off && next < now && fits && before.is_none_or(|before| next - before < Self::FAR) {
                // In front of all others the next one alone tells what is due: then it must not be damaged itself.
                let is_known = before.is_some() || self.is_readable(&item);
                match self.renumber(held, next, is_known) {
                    Some(right) => held = right,
                    None => {
                        self.tell_lost();
                        self.held = Some(item);
                        return Ok(());
                    }
                }
            }
        }
        self.let_go(held, item.number)?;
        match self.held {
            Some(_) => self.take(item),
            None => {
                self.held = Some(item);
                Ok(())
            }
        }
    }

    /// The blocks that were found within the one that went on come.
    fn take_within(&mut self) -> Result<()> {
        std::mem::take(&mut self.within).into_iter().try_for_each(|item| self.take(item))
    }

    /// Something is lost, which is told behind the block that waits.
    pub(super) fn pass_over(&mut self, lost: Lost) -> Result<()> {
        self.lost.push(lost);
        match self.held {
            Some(_) if self.lost.len() < Self::LOST => return Ok(()),
            Some(_) => self.release()?,
            None => self.tell_lost(),
        }
        Ok(())
    }

    fn tell_lost(&mut self) {
        for Lost { found, offset, bytes, block, text } in std::mem::take(&mut self.lost) {
            if !matches!(found, Found::Stale | Found::Doubled) {
                self.lose();
            }
            if bytes > 0 {
                self.note(found, Done::Dropped, offset, bytes, block, text);
            }
        }
    }

    /// True when the block that waits does so over what is lost behind it.
    pub(super) fn waits_on(&self) -> bool {
        let Some(held) = self.held.as_ref().filter(|held| held.number.is_some()) else { return false };
        if self.ended.is_some() || self.last.has_ended() {
            return false;
        }
        let Some(block) = self.as_block(held) else { return false };
        let (packet, _) = Decoder::<F>::new(self.decoder.dialect()).read(&block);
        !F::begins(&packet) && !F::is_last(&block, &packet)
    }

    /// What is to be told of a block that is dropped wherever it stands: it was written before, or nothing is left of it.
    fn lost(&self, item: &Item, held: &Item) -> Option<Lost> {
        let lost = |found, text| {
            Some(Lost { found, offset: item.offset, bytes: item.bytes.len(), block: Some(item.index), text })
        };
        if let Some(number) = item.number {
            // Where a level begins, numbers may begin anew.
            let is_stale =
                F::COUNTED && self.has_written(number, &item.bytes) && !self.begins(item) && !self.begins(held);
            return lost(Found::Stale, STALE.to_owned()).filter(|_| is_stale);
        }
        let (block, before) = (self.as_block(item)?, self.decoder.dialect());
        let (mut packet, fault) = Decoder::<F>::new(before).read(&block);
        let fault = fault?;
        if self.remains(&mut packet, &block, Some(&fault), &before)
            || !self.blocks_behind(item, &packet, Some(&fault)).is_empty()
        {
            return None;
        }
        lost(if block.is_cut() { Found::Cut } else { Found::Undecodable }, told(&fault))
    }

    /// A block goes on, and `next` has that number. Where the clock goes on both in front of a block and behind it, and it
    /// stands there twice, it is doubled; where the clock stands still, servers send the same again and again.
    fn let_go(&mut self, held: Item, next: Option<i64>) -> Result<()> {
        self.go(held, next)?;
        if self.within.is_empty() {
            self.tell_lost();
            return Ok(());
        }
        // What is lost lies behind these.
        let lost = std::mem::take(&mut self.lost);
        self.take_within()?;
        self.lost.extend(lost);
        Ok(())
    }

    fn go(&mut self, held: Item, next: Option<i64>) -> Result<()> {
        let twins = std::mem::take(&mut self.twins);
        let ahead = matches!((held.number, next), (Some(now), Some(next)) if next > now);
        let behind = matches!((held.number, self.number), (Some(now), Some(before)) if now > before);
        if let ([(index, offset)], true, true) = (&twins[..], ahead, behind) {
            self.doubled_behind(*index, *offset, held.bytes.len());
            return self.emit(held);
        }
        // What stood between it and the same block in front of it was dropped.
        let again =
            twins.is_empty() && self.written.times == 1 && self.written.goes_on && self.written.bytes == held.bytes;
        if again && ahead && self.as_block(&held).is_some_and(|block| F::is_single(&block, &self.world)) {
            self.doubled(&held);
            return Ok(());
        }
        self.emit(held.clone())?;
        twins.into_iter().try_for_each(|(index, offset)| self.emit(Item { index, offset, ..held.clone() }))
    }

    fn doubled(&mut self, item: &Item) {
        self.note_item(item, Found::Doubled, Done::Dropped, DOUBLED.to_owned());
    }

    /// The block that waits stands there again: that is told with what is lost behind it, in order.
    fn doubled_behind(&mut self, index: u64, offset: u64, bytes: usize) {
        let at = self.lost.partition_point(|lost| lost.offset < offset);
        let text = DOUBLED.to_owned();
        self.lost.insert(at, Lost { found: Found::Doubled, offset, bytes, block: Some(index), text });
    }

    /// How far blocks may be out of order: numbers, or microseconds.
    fn near(&self) -> i64 {
        if F::COUNTED { Self::NEAR } else { 1_000_000 }
    }

    /// A block with a number that is far off both that of the one before and that of the next one. It gets the one that is
    /// due, where that `is_known` and a matter of its header; else it is dropped.
    fn renumber(&mut self, held: Item, next: i64, is_known: bool) -> Option<Item> {
        if self.begins(&held) {
            return Some(held);
        }
        let due = next - 1;
        let is_free = is_known && self.number.is_none_or(|before| due > before);
        self.with_number(held, due, is_free)
    }

    /// A block with the number that is right, where the blocks around it told that its own is not. `None` when it is dropped.
    pub(super) fn rightly_numbered(&mut self, item: Item) -> Option<Item> {
        match self.survey.numbers.right(item.offset) {
            Some(right) => self.with_number(item, right, true),
            None => Some(item),
        }
    }

    fn with_number(&mut self, item: Item, due: i64, is_free: bool) -> Option<Item> {
        let now = item.number.or_else(|| self.counts_from(&item))?;
        let text = format!("number {now} stands where {due} is due");
        let right = F::renumbered(&item.bytes, due).filter(|_| is_free);
        let done = if right.is_some() { Done::Renumbered } else { Done::Dropped };
        self.note_item(&item, Found::WrongNumber, done, text);
        Some(Item { bytes: right?, number: item.number.map(|_| due), mended: true, ..item })
    }

    /// The block that waits goes on.
    pub(super) fn release(&mut self) -> Result<()> {
        // An end mark stands behind it.
        let mark = self.mark.take();
        while let Some(held) = self.held.take() {
            self.let_go(held, None)?;
        }
        self.mark = mark;
        Ok(())
    }

    fn as_block<'i>(&self, item: &'i Item) -> Option<BlockOf<'i, F>> {
        BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)
    }

    /// True for a block in which nothing is wrong.
    pub(super) fn is_readable(&self, item: &Item) -> bool {
        let Some(block) = self.as_block(item) else { return false };
        let (packet, fault) = Decoder::<F>::new(self.decoder.dialect()).read(&block);
        fault.is_none() && !F::is_wrong(&packet, &self.world)
    }

    /// True when a level begins with a block.
    pub(super) fn begins(&self, item: &Item) -> bool {
        let Some(block) = self.as_block(item) else { return false };
        F::begins(&Decoder::<F>::new(self.decoder.dialect()).read(&block).0)
    }

    /// The number behind which blocks are counted from this one on.
    fn counts_from(&self, item: &Item) -> Option<i64> {
        let block = self.as_block(item)?;
        F::counts_from(&Decoder::<F>::new(self.decoder.dialect()).read(&block).0)
    }

    /// True for a block with which a recording ends.
    pub(super) fn is_end(&self, item: &Item) -> bool {
        let Some(block) = self.as_block(item) else { return false };
        F::is_last(&block, &Decoder::<F>::new(self.decoder.dialect()).read(&block).0)
    }

    /// True for a block that is older than the one in front of it: its number tells, or it was written before, however long ago.
    pub(super) fn is_stale(&self, item: &Item) -> bool {
        let (Some(now), Some(before)) = (item.number, self.number) else { return false };
        F::COUNTED && now <= before && (before - now < Self::NEAR || self.has_written(now, &item.bytes))
    }

    /// True where a block with this number and these bytes was written since the level began.
    fn has_written(&self, number: i64, bytes: &[u8]) -> bool {
        let at = self.counted.binary_search_by_key(&number, |(number, _)| *number);
        at.ok().and_then(|at| self.counted.get(at)).is_some_and(|(_, written)| *written == content(bytes))
    }
}
