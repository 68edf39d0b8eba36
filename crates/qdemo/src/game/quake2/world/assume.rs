//! Going on behind a loss: a frame that is known stands for one that was lost.

use super::World;
use crate::format::dm2::Message;
use crate::game::quake2::world::states::Update;

impl World {
    /// Lets a frame that is known stand for a lost one, on which the frame `number` in some messages builds, so that this can
    /// be made complete: the first one behind the lost one, which has all that was told until then; else the last one in
    /// front of it, without what must be gone. What changed while nothing was recorded stays as it was until it is told.
    /// Where none is known, one of nothing stands for it if that is to be `invented`; else false.
    pub(crate) fn assume(&mut self, lost: i32, number: i32, messages: &[Message<'_>], invented: bool) -> bool {
        let mut told = Vec::new();
        for message in messages {
            match message {
                Message::PacketEntities(list) => told.extend(list.entities.iter().map(Update::number)),
                Message::TestEntities(list) => told.extend(list.entities.iter().map(Update::number)),
                _ => {}
            }
        }
        self.ring.assume(lost, number, &told, invented)
    }

    /// Nothing stands for a lost frame any more.
    pub(crate) fn forget(&mut self, lost: i32) {
        self.ring.forget(lost);
    }
}
