//! Bytes that are no block: blocks among them, the end of a recording, and what stands behind it.

use std::io::Write;

use super::account::{Done, Found};
use super::mend::Mend;
use super::mender::Mender;
use super::order::Lost;
use super::within::{Item, blocks_within, is_end_mark};
use crate::error::Result;
use crate::frame::{self, Rules as _};
use crate::wire::{Fault, FaultKind};

/// Bytes that are no block.
pub(super) struct Between {
    pub(super) bytes: Vec<u8>,
    pub(super) offset: u64,
    pub(super) why: Fault,
}

impl<F: Mend, W: Write> Mender<F, W> {
    /// Bytes that are no block: `next` is the number of the block behind them, if one follows.
    pub(super) fn unframed(&mut self, mut between: Between, next: Option<i64>) -> Result<()> {
        if self.is_over()? {
            return self.behind_the_end(&between.bytes);
        }
        let resized = self.resized_around(&mut between, next);
        let Between { bytes, offset, why } = between;
        // The number of the block behind it may tell of the one that waits, as if nothing lay between them.
        if resized.is_none() && !self.waits_on() {
            self.release()?;
        }
        // Blocks follow these, or they would be a trailer.
        self.goes_on();
        if self.ended.is_some() && F::TRAILER {
            // They would be a trailer if nothing followed.
            let text = "bytes between an end and what follows".to_owned();
            self.note(Found::Unframed, Done::Dropped, offset, bytes.len(), None, text);
            return Ok(());
        }
        if self.ended.is_some() || self.last.has_ended() {
            // What stands behind the end of a recording stays, unless blocks follow.
            return self.behind_the_end(&bytes);
        }
        let found = match why.what {
            FaultKind::Truncated { .. } => Found::Cut,
            _ => Found::Unframed,
        };
        if !matches!(why.what, FaultKind::Malformed(frame::DAMAGE_GOES_ON)) {
            self.why = format!("bytes that are no block: {}", why.kind());
        }
        let mut at = offset;
        if let Some(own) = resized {
            at = at.max(own.end());
            self.take(own)?;
        }
        self.blocks_of(Item { bytes, index: 0, offset, number: None, arrived: None, mended: false }, at, found)
    }

    /// What a header does not prove the messages may: blocks among bytes that are none come, from a place on. The others are
    /// dropped, but for an end mark, and what stands behind an end.
    fn blocks_of(&mut self, unframed: Item, mut at: u64, found: Found) -> Result<()> {
        let from = |at: u64| usize::try_from(at.saturating_sub(unframed.offset)).unwrap_or(usize::MAX);
        let blocks = blocks_within::<F>(&unframed, from(at), self.decoder.dialect(), &self.world);
        self.account.account.blocks_read += blocks.len() as u64;
        let ends = blocks.last().is_some_and(|last| self.is_end(last));
        self.ended_within |= blocks.last().is_some_and(|last| ends && ends_plainly::<F>(last));
        for item in blocks {
            self.drop_unframed(found, at, item.offset)?;
            at = item.end();
            self.take(item)?;
        }
        let behind = unframed.bytes.get(from(at)..).unwrap_or_default();
        if ends {
            self.release()?;
            if self.ended.is_some() {
                return self.behind_the_end(behind);
            }
        }
        if at > unframed.offset && is_end_mark::<F>(behind) {
            self.release()?;
            self.settle_end()?;
            self.mark = Some((behind.to_vec(), at));
            return Ok(());
        }
        self.drop_unframed(found, at, unframed.end())
    }

    /// Bytes that are no block are dropped.
    fn drop_unframed(&mut self, found: Found, from: u64, to: u64) -> Result<()> {
        match usize::try_from(to.saturating_sub(from)).unwrap_or(0) {
            0 => Ok(()),
            bytes => self.pass_over(Lost { found, offset: from, bytes, block: None, text: self.why.clone() }),
        }
    }

    /// True behind an end that was found within damage.
    pub(super) fn is_over(&mut self) -> Result<bool> {
        if self.ended_within {
            self.release()?;
            self.ended_within = self.ended.is_some() || self.last.has_ended();
        }
        Ok(self.ended_within)
    }

    /// Bytes behind the end of a recording stay, unless blocks follow.
    pub(super) fn behind_the_end(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some((_, behind)) = self.ended.as_mut() {
            if behind.len() + bytes.len() <= Self::BEHIND {
                behind.extend_from_slice(bytes);
                return Ok(());
            }
            self.settle_end()?;
        }
        self.leave(bytes)
    }
}

/// True for the last bytes of a recording by which readers find its end: what follows is a trailer.
pub(super) fn ends_plainly<F: Mend>(item: &Item) -> bool {
    F::Header::LAST.is_some_and(|last| item.bytes.ends_with(last))
}
