//! Going on behind a loss: a frame that is known stands for one that was lost.

use super::World;

impl World {
    /// Takes the last frame known in front of a lost one for that one, so that what builds on it can be made complete. What
    /// changed while nothing was recorded stays as it was until it is told. Where none is known, one of nothing stands for
    /// it if that is to be `invented`; else false.
    pub(crate) fn assume(&mut self, lost: i32, invented: bool) -> bool {
        self.ring.assume(lost, invented)
    }

    /// Nothing stands for a lost frame any more.
    pub(crate) fn forget(&mut self, lost: i32) {
        self.ring.forget(lost);
    }
}
