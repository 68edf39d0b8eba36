//! Where a conversion is, and what it has done.

use super::loss::{Conversion, Loss, Lost};
use super::mapping::Way;
use super::no_way;
use crate::error::{Error, Result};
use crate::world::Clock;

/// Where a conversion is, and what it has done.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) done: Conversion,
    way: Way,
    block: u64,
    clock: Option<Clock>,
    /// What the recording turned out to be, if it cannot be converted.
    refused: Option<String>,
}

impl Progress {
    /// In front of the first block.
    pub(super) fn new(way: Way, protocol: i32) -> Self {
        Progress { done: Conversion::new(way, protocol), way, block: 0, clock: None, refused: None }
    }

    /// A block of the input is at hand.
    pub(super) fn at(&mut self, block: u64, clock: Clock) {
        (self.block, self.clock) = (block, Some(clock));
    }

    pub(super) fn lose(&mut self, loss: Loss) {
        // Nothing is lost in front of the first block.
        if let Some(clock) = self.clock {
            self.done.lose(loss, self.block, clock);
        }
    }

    /// Takes over what was lost on the way to what this one began with.
    pub(super) fn absorb(&mut self, before: &mut Progress) {
        for lost in before.done.losses.drain(..) {
            match self.done.losses.iter_mut().find(|known| known.loss == lost.loss) {
                Some(known) if known.block <= lost.block => known.count += lost.count,
                Some(known) => *known = Lost { count: known.count + lost.count, ..lost },
                None => self.done.losses.push(lost),
            }
        }
    }

    /// The recording is one that cannot be converted.
    pub(super) fn refuse(&mut self, what: String) {
        self.refused.get_or_insert(what);
    }

    /// A level of the input is in a protocol.
    pub(super) fn is_from(&mut self, protocol: i32) {
        if !self.way.is_known(Some(protocol), self.done.to_protocol) {
            self.refuse(format!("recording of protocol {protocol}"));
        }
        if !self.done.from_protocols.contains(&protocol) {
            self.done.from_protocols.push(protocol);
        }
    }

    /// The error of a recording that turned out to be one that cannot be converted.
    pub(super) fn check(&self) -> Result<()> {
        self.refused.as_deref().map_or(Ok(()), |what| Err(self.no_way(what)))
    }

    pub(super) fn no_way(&self, what: &str) -> Error {
        no_way(what, &format!(".{} of protocol {}", self.way.into.name(), self.done.to_protocol))
    }

    /// The end of the input: the account.
    pub(super) fn finish(&mut self) -> Conversion {
        if self.done.from_protocols.is_empty() {
            self.done.account.notes.push("no level tells a protocol: it is not in the output either".to_owned());
        }
        std::mem::take(&mut self.done)
    }
}
