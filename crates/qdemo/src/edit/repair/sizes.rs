//! Sizes of which one bit is damaged. To change a size that is right is worse than to lose a block: a size is damaged where no
//! engine writes it, or where the block is too short for its messages by just what stands between it and the next one; and
//! what the right size gives is a moment of the game in which nothing is wrong, with another block behind it.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::{Mend, is_right};
use super::mender::Mender;
use super::within::{Item, are_behind};
use crate::describe::{MessageSet as _, Oddities};
use crate::format::{BlockOf, Decoder};
use crate::frame::{Header as _, Rules as _};

impl<F: Mend, W: Write> Mender<F, W> {
    /// The block that bytes belong to which are none: the rest of the one in front of them, which waits, or one that begins
    /// with them. Behind it some of the bytes may be left.
    pub(super) fn resized_around(&mut self, bytes: &[u8], offset: u64) -> Option<Item> {
        if self.ended.is_some() || self.last.has_ended() || self.mark.is_some() || self.twins > 0 {
            return None;
        }
        let adjoins = |item: &Item| item.offset + item.bytes.len() as u64 == offset;
        let is_untold = |item: &Item| self.lost.last().is_some_and(|lost| lost.offset == item.offset);
        let unread = self.unread.take().filter(|item| adjoins(item) && is_untold(item));
        let is_held = unread.is_none();
        let front = unread.or_else(|| self.held.clone().filter(adjoins));
        if let Some(own) = front.and_then(|front| self.lengthened(&front, bytes)) {
            if is_held {
                self.held = None;
            } else {
                self.lost.pop();
            }
            return Some(own);
        }
        let own = self.shortened(&Item { bytes: bytes.to_vec(), index: 0, offset, number: None, arrived: None }, false)?;
        self.account.account.blocks_read += 1;
        Some(own)
    }

    /// A block that cannot be read, with the bytes behind it, if just its size lacks them.
    fn lengthened(&mut self, front: &Item, rest: &[u8]) -> Option<Item> {
        let block = BlockOf::<F>::of_bytes(&front.bytes, front.index, front.offset)?;
        let (told, right) = (block.header.payload(), (block.payload.len() + rest.len()) as i64);
        let is_lacking = !block.is_cut() && right == told | rest.len() as i64 && rest.len().is_power_of_two();
        let (packet, fault) = Decoder::<F>::new(self.decoder.dialect()).read(&block);
        if !is_lacking || is_right::<F>(&packet, fault.as_ref(), &self.world) {
            return None;
        }
        let whole = Item { bytes: [&front.bytes[..], rest].concat(), ..front.clone() };
        let (own, is_frame) = self.with_size(&whole, right as usize)?;
        if !is_frame {
            return None;
        }
        self.note_size(told, &own, Some(own.index));
        Some(own)
    }

    /// A block whose size no engine writes, with the right one.
    pub(super) fn shortened(&mut self, item: &Item, known: bool) -> Option<Item> {
        let block = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)?;
        let told = block.header.payload();
        let bits = u32::try_from(told).unwrap_or(told as i32 as u32);
        let right = bits.checked_ilog2().map(|highest| bits ^ (1 << highest))?;
        let (own, is_frame) = self.with_size(item, right as usize)?;
        let most = if is_frame { 2 * self.survey.largest } else { F::Header::LARGEST };
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

    /// The block with which bytes begin, with a size that no damage could make it have, if nothing is wrong with it then; and
    /// whether it is a moment of the game.
    fn with_size(&self, item: &Item, size: usize) -> Option<(Item, bool)> {
        let block = BlockOf::<F>::of_bytes(&item.bytes, item.index, item.offset)?;
        let bytes = block.ending(size)?;
        let own = BlockOf::<F>::of_bytes(&bytes, item.index, item.offset)?;
        let d = self.decoder.dialect();
        let (packet, fault) = Decoder::<F>::new(d).read(&own);
        let mut odd = Oddities::new(F::IN_BITS);
        odd.begin_block();
        packet.messages.iter().for_each(|m| m.show(&mut odd));
        let is_written = !F::is_mixed(&packet, &d) && odd.odd.is_empty();
        if packet.messages.is_empty() || !is_right::<F>(&packet, fault.as_ref(), &self.world) || !is_written {
            return None;
        }
        let is_frame = F::is_frame(&packet) && !F::begins(&packet);
        let (number, arrived) = (F::number(&own, &d), F::arrived(&own));
        drop(packet);
        Some((Item { bytes, index: item.index, offset: item.offset, number, arrived }, is_frame))
    }

    fn note_size(&mut self, told: i64, own: &Item, block: Option<u64>) {
        let right = BlockOf::<F>::of_bytes(&own.bytes, 0, 0).map_or(0, |block| block.payload.len());
        let text = format!("size {told} stands where {right} is right");
        self.note(Found::WrongSize, Done::Resized, own.offset, own.bytes.len(), block, text);
    }
}
