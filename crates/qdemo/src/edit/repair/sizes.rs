//! Sizes of which one bit is damaged. To change a size that is right is worse than to lose a block: a size is damaged where no
//! engine writes it, or where the block is too short for its messages by just what stands between it and the next one; and
//! what the right size gives is a moment of the game in which nothing is wrong, with another block behind it.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::{Mend, is_right};
use super::mender::Mender;
use super::unframed::Between;
use super::within::{Item, are_behind, blocks_within, may_hold_blocks};
use crate::describe::{MessageSet as _, Oddities};
use crate::format::{BlockOf, Decoder};
use crate::frame::{Header as _, Rules as _};

/// Fewer bytes that a block lacks may be bytes too much that can be read by chance.
const FEW: usize = 16;

/// A block with another size.
struct Resized {
    own: Item,
    /// It tells of a moment of the game.
    is_moment: bool,
    has_text: bool,
}

impl<F: Mend, W: Write> Mender<F, W> {
    /// The block that bytes belong to which are none: the rest of the one in front of them, which is gone or waits, or one that
    /// begins with them. Behind it some of the bytes may be left. `next` is the number of the block behind them.
    pub(super) fn resized_around(&mut self, between: &mut Between, next: Option<i64>) -> Option<Item> {
        if self.ended.is_some() || self.last.has_ended() || self.mark.is_some() || !self.twins.is_empty() {
            return None;
        }
        let offset = between.offset;
        let adjoins = |item: &Item| item.end() == offset;
        let is_untold = |item: &Item| self.lost.last().is_some_and(|lost| lost.offset == item.offset);
        let unread = self.unread.take().filter(|item| adjoins(item) && is_untold(item));
        let is_held = unread.is_none();
        let Some(front) = unread.or_else(|| self.held.clone().filter(adjoins)) else {
            return if self.sound == offset { self.shortened_first(between) } else { None };
        };
        let longer = next.and_then(|next| self.lengthened(&front, &between.bytes, next));
        let resized = longer.or_else(|| self.shortened_over(&front, between));
        if resized.is_none() {
            return if is_held && self.is_readable(&front) { self.shortened_first(between) } else { None };
        }
        if is_held {
            self.held = None;
        } else {
            self.lost.pop();
        }
        resized
    }

    /// The block with which bytes begin that are none.
    fn shortened_first(&mut self, between: &Between) -> Option<Item> {
        let bytes = between.bytes.clone();
        let item = Item { bytes, index: 0, offset: between.offset, number: None, arrived: None, mended: false };
        let own = self.shortened(&item, false)?;
        self.account.account.blocks_read += 1;
        Some(own)
    }

    /// A block that cannot be read, if its size ran over others and ended within one of them: what lies behind its own end, the
    /// whole of that one with it, comes to the bytes between it and the next block.
    fn shortened_over(&mut self, front: &Item, between: &mut Between) -> Option<Item> {
        let is_behind_sound = match self.held.as_ref().filter(|held| held.offset < front.offset) {
            Some(held) => held.end() == front.offset && self.is_readable(held),
            None => self.sound == front.offset,
        };
        if !is_behind_sound || self.is_readable(front) || !may_hold_blocks(front.bytes.len() + between.bytes.len()) {
            return None;
        }
        let whole = Item { bytes: [&front.bytes[..], &between.bytes].concat(), ..front.clone() };
        let own = self.shortened(&whole, true)?;
        between.bytes = whole.bytes.get(own.bytes.len()..)?.to_vec();
        between.offset = own.end();
        Some(own)
    }

    /// A block that cannot be read, with the bytes behind it, if just its size lacks them: numbers tell that no other block is
    /// missing there.
    fn lengthened(&mut self, front: &Item, rest: &[u8], next: i64) -> Option<Item> {
        let block = BlockOf::<F>::of_bytes(&front.bytes, front.index, front.offset)?;
        let (told, right) = (block.header.payload(), block.payload.len() + rest.len());
        let is_bit = rest.len().is_power_of_two() && right as i64 == told | rest.len() as i64;
        let is_lacking = !block.is_cut() && rest.len() >= FEW && is_bit;
        let (packet, fault) = Decoder::<F>::new(self.decoder.dialect()).read(&block);
        if !is_lacking || is_right::<F>(&packet, fault.as_ref(), &self.world) {
            return None;
        }
        let whole = Item { bytes: [&front.bytes[..], rest].concat(), ..front.clone() };
        if has_added(&whole.bytes, rest.len()) {
            return None;
        }
        let Resized { own, is_moment, has_text } = self.with_size(&whole, right)?;
        let before =
            self.held.as_ref().filter(|held| held.offset < front.offset).map_or(self.number, |held| held.number);
        // Bytes too much in a text leave all that follows it in its place.
        if !is_moment || has_text || !follow::<F>(before, own.number?, next) {
            return None;
        }
        self.note_size(told, &own, Some(own.index));
        Some(own)
    }

    /// A block whose size no engine writes, with the right one: its highest bit is damaged.
    pub(super) fn shortened(&mut self, item: &Item, known: bool) -> Option<Item> {
        let block = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)?;
        let told = block.header.payload();
        let bits = u32::try_from(told).unwrap_or(told as i32 as u32);
        let right = bits.checked_ilog2().map(|highest| bits ^ (1 << highest))?;
        let Resized { own, is_moment, .. } = self.with_size(item, right as usize)?;
        let most = if is_moment { 2 * self.survey.largest } else { F::Header::LARGEST };
        if (0..=most as i64).contains(&told) {
            return None;
        }
        let (end, d) = (own.bytes.len(), self.decoder.dialect());
        if end < item.bytes.len() && !are_behind::<F>(item, end, d, &self.world) {
            return None;
        }
        self.note_size(told, &own, known.then_some(own.index));
        Some(own)
    }

    /// Blocks come that a block with a damaged size ran over, which has so many bytes itself; what else lies there is lost.
    pub(super) fn find_behind(&mut self, item: &Item, own: usize) {
        let within = blocks_within::<F>(item, own, self.decoder.dialect(), &self.world);
        let mut at = item.offset + own as u64;
        let places = within.iter().map(|item| (item.offset, item.end())).chain([(item.end(), item.end())]);
        for (begin, end) in places {
            let bytes = begin.saturating_sub(at) as usize;
            if bytes > 0 {
                self.lose();
                let text = "bytes behind a block with a damaged size are no block".to_owned();
                self.note(Found::Unframed, Done::Dropped, at, bytes, None, text);
            }
            at = end;
        }
        self.found_within(within);
    }

    /// The block with which bytes begin, with another size, if nothing is wrong with it then, nor anything that no engine writes.
    fn with_size(&self, item: &Item, size: usize) -> Option<Resized> {
        let block = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)?;
        let bytes = block.ending(size)?;
        let own = BlockOf::<F>::of_bytes(&bytes, item.index, item.offset)?;
        let d = self.decoder.dialect();
        let (packet, fault) = Decoder::<F>::new(d).read(&own);
        let mut odd = Oddities::new(F::IN_BITS);
        odd.begin_block();
        packet.messages.iter().for_each(|m| m.show(&mut odd));
        if packet.messages.is_empty() || !is_right::<F>(&packet, fault.as_ref(), &self.world) || !odd.odd.is_empty() {
            return None;
        }
        let is_moment = F::is_moment(&packet, &d) && !F::begins(&packet);
        let (number, arrived) = (F::number(&own, &d), F::arrived(&own));
        drop(packet);
        let own = Item { bytes, index: item.index, offset: item.offset, number, arrived, mended: true };
        Some(Resized { own, is_moment, has_text: odd.has_text })
    }

    fn note_size(&mut self, told: i64, own: &Item, block: Option<u64>) {
        let right = BlockOf::<F>::of_bytes(&own.bytes, 0, 0).map_or(0, |block| block.payload.len());
        let text = format!("size {told} stands where {right} is right");
        self.note(Found::WrongSize, Done::Resized, own.offset, own.bytes.len(), block, text);
    }
}

/// Bytes that fill up memory repeat after so many at most.
const PATTERN: usize = 8;

/// So many of the first bytes of a block tell that it begins again: some of those that repeat may stand in front of it.
const BEGINNING: usize = 4;

/// True for a block with bytes that may be too much, so many of them: the same ones stand beside them, or they are filler. Such a
/// block can be read as what it tells again.
fn has_added(bytes: &[u8], added: usize) -> bool {
    let begins_again =
        bytes.get(added..).zip(bytes.get(..BEGINNING)).is_some_and(|(rest, first)| rest.starts_with(first));
    begins_again || repeats(bytes, added, 2 * added) || (1..=PATTERN).any(|period| repeats(bytes, period, added))
}

/// True where some bytes in a row, so many of them, repeat after a few.
fn repeats(bytes: &[u8], period: usize, run: usize) -> bool {
    let mut same = 0;
    bytes.iter().zip(bytes.iter().skip(period)).any(|(byte, next)| {
        same = if byte == next { same + 1 } else { 0 };
        same + period >= run
    })
}

/// True where a block lies between others without another one missing behind it: blocks are counted, or the clock goes on by
/// little more than it did in front of it.
fn follow<F: Mend>(before: Option<i64>, now: i64, next: i64) -> bool {
    match F::COUNTED {
        true => next.saturating_sub(now) == 1,
        false => before.is_some_and(|before| {
            let step = now.saturating_sub(before);
            (1..=step.saturating_add(step / 2)).contains(&next.saturating_sub(now))
        }),
    }
}
