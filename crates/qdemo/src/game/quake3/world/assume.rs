//! Going on behind a loss: a snapshot that is known stands for one that was lost.

use super::World;
use super::states::StoredSnapshot;

impl World {
    /// Takes the last snapshot known in front of a lost one for that one, so that what builds on it can be made complete.
    /// What changed while nothing was recorded stays as it was until it is told. Where none is known, one of nothing stands
    /// for it if that is to be `invented`; else false.
    pub(crate) fn assume(&mut self, lost: i32, invented: bool) -> bool {
        let ring = self.ring.get(..Self::RING).unwrap_or_default();
        let earlier = ring.iter().filter(|kept| (0..lost).contains(&kept.number)).max_by_key(|kept| kept.number);
        let known = earlier.or_else(|| ring.iter().find(|kept| kept.number == self.now && kept.number >= 0));
        let nothing = || invented.then(StoredSnapshot::default);
        let Some(mut known) = known.cloned().or_else(nothing).filter(|_| lost >= 0) else { return false };
        known.number = lost;
        if let Some(slot) = self.ring.get_mut(Self::slot(lost)) {
            *slot = known;
        }
        true
    }

    /// Nothing stands for a lost snapshot any more.
    pub(crate) fn forget(&mut self, lost: i32) {
        if let Some(slot) = self.ring.get_mut(Self::slot(lost)).filter(|slot| slot.number == lost) {
            slot.clear();
        }
    }
}
