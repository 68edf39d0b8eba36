//! Going on behind a loss: a list of entities that is known stands for one that was lost.

use super::World;
use crate::format::qwd::{DeltaPacketEntities, PacketEntities};

impl World {
    /// The number of the packet that the list in a packet of a `.qwd` with a number builds on, if that is not kept.
    pub(crate) fn lost_base(&self, sequence: u32, list: &DeltaPacketEntities) -> Option<u32> {
        self.frames.lost_base(sequence, list.frame)
    }

    /// The list in a packet of a `.qwd` with a number, if it builds on a packet that is not kept: then the first list known
    /// behind that one stands for it, or the last one in front of it. Gives the number of the packet that it stands for; what changed while nothing
    /// was recorded stays as it was until it is told. Where nothing is known, a list of nothing stands for it if that may be
    /// `invented`. `None` where nothing is missing, or nothing can stand for it.
    pub(crate) fn assume(&mut self, sequence: u32, list: &mut DeltaPacketEntities, invented: bool) -> Option<u32> {
        let lost = self.lost_base(sequence, list)?;
        // A packet that is too far back, or the packet itself, is none that a list can build on.
        let near = (1..64).contains(&sequence.wrapping_sub(lost));
        let stands_for = if near { lost } else { sequence.wrapping_sub(1) };
        if !self.frames.assume(stands_for, sequence, invented) {
            return None;
        }
        list.frame = stands_for as u8;
        Some(stands_for)
    }

    /// Nothing stands for the list of a packet any more.
    pub(crate) fn forget(&mut self, number: u32) {
        self.frames.forget(number);
    }

    /// True where a list of an `.mvd` builds on another one than the one in front of it.
    pub(crate) fn lacks_record(&self, list: &DeltaPacketEntities) -> bool {
        self.frames.lacks_record(list.frame)
    }

    /// Then the one in front of it stands for that. False where there is none.
    pub(crate) fn assume_record(&mut self, invented: bool) -> bool {
        self.frames.assume_record(invented)
    }

    /// The whole list of the entities in view, and no others are in view from here on. `None` where they are not known.
    pub(crate) fn make_list_whole(&mut self) -> Option<PacketEntities> {
        let list = self.whole_list()?;
        self.frames.keep(|number| list.entities.binary_search_by_key(&number, |e| e.entity.0).is_ok());
        Some(list)
    }
}
