//! Going on behind a loss: a snapshot that is known stands for one that was lost.

use super::World;
use super::states::EntityState;
use super::stored::StoredSnapshot;
use crate::format::dm3::{Change, EntityField, EntityUpdate, Snapshot};
use crate::game::quake3::names::Game;

impl World {
    /// Snapshots from each of which to the next an entity changed, if it is to be held for one that always does.
    const RESTLESS: usize = 4;
    /// For so many ms a server keeps the entity of an event.
    const EVENT: i32 = 300;

    /// Lets a snapshot that is known stand for a lost one, on which that of packet `number` builds, so that this can be made
    /// complete: the first one behind the lost one, which has all that was told until then; else the last one in front of
    /// it, without what must be [gone](World::is_gone). What changed while nothing was recorded stays as it was until it is
    /// told. Where none is known, one of nothing stands for it if that is to be `invented`; else false.
    pub(crate) fn assume(&mut self, lost: i32, number: i32, snapshot: &Snapshot, invented: bool) -> bool {
        let ring = self.ring.get(..Self::RING).unwrap_or_default();
        let kept = || ring.iter().filter(|kept| (0..number).contains(&kept.number));
        let behind = kept().filter(|kept| kept.number > lost).min_by_key(|kept| kept.number);
        let before = || kept().filter(|kept| kept.number < lost).max_by_key(|kept| kept.number);
        let known = match behind {
            Some(known) => Some(known.clone()),
            None => before().map(|known| self.without_gone(known, snapshot)),
        };
        let nothing = || invented.then(StoredSnapshot::default);
        let Some(mut known) = known.or_else(nothing).filter(|_| lost >= 0) else { return false };
        known.number = lost;
        if let Some(slot) = self.ring.get_mut(Self::slot(lost)) {
            *slot = known;
        }
        true
    }

    /// A snapshot in front of a loss, without what the first one behind the loss shows to be gone.
    fn without_gone(&self, known: &StoredSnapshot, snapshot: &Snapshot) -> StoredSnapshot {
        let mut updates: Vec<EntityUpdate<'_>> = snapshot.entities().collect();
        updates.sort_by_key(|update| update.number);
        let mut left = known.clone();
        left.retain(|number, place| {
            let update =
                updates.binary_search_by_key(&number, |update| update.number).ok().and_then(|at| updates.get(at));
            !self.is_gone(known, number, self.pool.get(place), snapshot.server_time, update)
        });
        left
    }

    /// True for an entity that was there in front of a loss and is told of as a server tells of one that was gone.
    ///
    /// What is told is only what changed: a server that names the type again of what has it already does not know the
    /// entity. What changed in every snapshot and is not told of, and the entity of an event whose time is over, is gone.
    fn is_gone(
        &self,
        known: &StoredSnapshot,
        number: u16,
        state: &EntityState,
        time: i32,
        update: Option<&EntityUpdate<'_>>,
    ) -> bool {
        match update.map(|update| update.change) {
            Some(Change::Remove) => false,
            Some(Change::Baseline) => true,
            Some(Change::Fields(fields)) => {
                let mut anew = *state;
                anew.set_int(EntityField::EType, !state.kind());
                anew.apply(&fields);
                anew.kind() == state.kind() && self.baselines.get(number).kind() != state.kind()
            }
            None => {
                let first_event = i32::from(Game::of(self.dialect.layout.era).first_event);
                let over = time.saturating_sub(known.server_time()) > Self::EVENT;
                state.kind() > first_event && over || self.is_restless(known.number, number)
            }
        }
    }

    /// True for an entity that changed from each snapshot to the next, up to one with a number.
    fn is_restless(&self, last: i32, entity: u16) -> bool {
        let mut earlier: Vec<_> = self
            .ring
            .get(..Self::RING)
            .unwrap_or_default()
            .iter()
            .filter(|kept| (0..=last).contains(&kept.number))
            .collect();
        earlier.sort_by_key(|kept| std::cmp::Reverse(kept.number));
        let states: Option<Vec<_>> = earlier.iter().take(Self::RESTLESS).map(|kept| kept.place(entity)).collect();
        let changed = |pair: &[u32]| matches!(pair, [a, b] if self.pool.get(*a) != self.pool.get(*b));
        states.is_some_and(|places| places.len() == Self::RESTLESS && places.windows(2).all(changed))
    }

    /// Nothing stands for a lost snapshot any more.
    pub(crate) fn forget(&mut self, lost: i32) {
        if let Some(slot) = self.ring.get_mut(Self::slot(lost)).filter(|slot| slot.number == lost) {
            slot.clear();
        }
    }
}
