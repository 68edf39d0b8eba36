//! The snapshots of a world: lists of entities, whose states stand in a pool that all of them share.

use super::states::{Baselines, EntityState, PlayerState};
use crate::format::dm3::{AreaMask, Change, Snapshot};
use crate::game::cloned_in_place;
use crate::world::Changes;

cloned_in_place! {
    /// Entity states that snapshots share: most entities stay as they are from one to the next.
    #[derive(Debug, Default)]
    pub(super) struct StatePool {
        states: Vec<EntityState>,
        free: Vec<u32>,
        /// So many states are made before those that nobody has any more are looked for.
        enough: usize,
    }
}

impl StatePool {
    const LEAST: usize = 128;

    /// Finds the states that no snapshot has any more, when it is time to.
    pub(super) fn tidy(&mut self, lists: &[StoredSnapshot]) {
        if !self.free.is_empty() || self.states.len() < self.enough.max(Self::LEAST) {
            return;
        }
        let used = self.used(lists);
        self.free.extend((0..).zip(&used).filter(|(_, used)| !**used).map(|(place, _)| place));
        self.enough = 2 * (self.states.len() - self.free.len());
    }

    /// Which states some snapshot has.
    fn used(&self, lists: &[StoredSnapshot]) -> Vec<bool> {
        let mut used = vec![false; self.states.len()];
        for place in lists.iter().flat_map(|list| &list.places) {
            if let Some(used) = used.get_mut(*place as usize) {
                *used = true;
            }
        }
        used
    }

    /// Leaves out the states that no snapshot has, for those who keep a copy for long.
    pub(super) fn shrink(&mut self, lists: &mut [StoredSnapshot]) {
        let used = self.used(lists);
        let in_front = used.iter().scan(0, |sum, used| {
            let before = *sum;
            *sum += u32::from(*used);
            Some(before)
        });
        let places: Vec<u32> = in_front.collect();
        let mut each = used.iter();
        self.states.retain(|_| each.next().is_some_and(|used| *used));
        self.states.shrink_to_fit();
        self.free = Vec::new();
        for place in lists.iter_mut().flat_map(|list| &mut list.places) {
            *place = places.get(*place as usize).copied().unwrap_or_default();
        }
    }

    /// A new state: a copy of the one at a place, or of another.
    #[inline]
    fn add(&mut self, from: Option<u32>, other: &EntityState) -> u32 {
        // States are large: each is copied once.
        let from = from.map(|place| place as usize).filter(|place| *place < self.states.len());
        if let Some(at) = self.free.pop() {
            match (from, self.states.get_mut(at as usize)) {
                (Some(from), Some(_)) => self.states.copy_within(from..=from, at as usize),
                (None, Some(slot)) => *slot = *other,
                (_, None) => {}
            }
            return at;
        }
        match from {
            Some(from) => self.states.extend_from_within(from..=from),
            None => self.states.push(*other),
        }
        // 33 lists of at most 1023 entities are far below 2^32.
        (self.states.len() - 1) as u32
    }

    #[inline]
    pub(super) fn get(&self, place: u32) -> &EntityState {
        self.states.get(place as usize).unwrap_or(&EntityState::ZERO)
    }

    #[inline]
    fn last_added(&mut self, place: u32) -> Option<&mut EntityState> {
        self.states.get_mut(place as usize)
    }
}

cloned_in_place! {
    /// A snapshot without the entity states, which stand in the [`StatePool`].
    #[derive(Debug)]
    pub(super) struct StoredSnapshot {
        pub(super) number: i32,
        pub(super) server_time: i32,
        pub(super) flags: u8,
        pub(super) areamask: AreaMask,
        pub(super) player: PlayerState,
        pub(super) numbers: Vec<u16>,
        pub(super) places: Vec<u32>,
    }
}

impl Default for StoredSnapshot {
    fn default() -> Self {
        StoredSnapshot {
            number: -1,
            server_time: 0,
            flags: 0,
            areamask: AreaMask::default(),
            player: PlayerState::ZERO,
            numbers: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl StoredSnapshot {
    /// Forgets everything but its memory.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.numbers.clear();
        self.number = -1;
    }

    pub(super) fn numbers(&self) -> &[u16] {
        &self.numbers
    }

    pub(super) fn server_time(&self) -> i32 {
        self.server_time
    }

    /// Where the state of an entity stands.
    pub(super) fn place(&self, entity: u16) -> Option<u32> {
        self.places.get(self.numbers.binary_search(&entity).ok()?).copied()
    }

    /// Keeps some of the entities.
    pub(super) fn retain(&mut self, keep: impl Fn(u16, u32) -> bool) {
        let kept = self.numbers.iter().copied().zip(self.places.iter().copied()).filter(|(n, place)| keep(*n, *place));
        (self.numbers, self.places) = kept.unzip();
    }

    /// Becomes what `snapshot` makes of `base`.
    pub(super) fn build(
        &mut self,
        number: i32,
        snapshot: &Snapshot,
        base: Option<&StoredSnapshot>,
        first: &Baselines,
        pool: &mut StatePool,
    ) {
        self.clear();
        self.number = number;
        self.server_time = snapshot.server_time;
        self.flags = snapshot.snap_flags;
        self.areamask = snapshot.areamask;
        self.player = base.map_or(PlayerState::ZERO, |b| b.player);
        self.player.apply(snapshot);
        let (numbers, places) = base.map_or((&[][..], &[][..]), |b| (&b.numbers[..], &b.places[..]));
        let mut old = 0;
        for update in snapshot.entities() {
            // Those that are not mentioned stay as they are.
            let rest = numbers.get(old..).unwrap_or_default();
            let run = rest.iter().take_while(|n| **n < update.number).count();
            self.carry(numbers, places, old, old + run);
            old += run;
            let there = rest.get(run) == Some(&update.number);
            let from = if there { places.get(old) } else { None };
            old += usize::from(there);
            if matches!(update.change, Change::Remove) {
                continue;
            }
            let place = pool.add(from.copied(), first.get(update.number));
            if let (Change::Fields(fields), Some(state)) = (update.change, pool.last_added(place)) {
                state.apply(&fields);
            }
            self.numbers.push(update.number);
            self.places.push(place);
        }
        self.carry(numbers, places, old, numbers.len());
    }

    /// Takes over entities that stay as they are.
    #[inline]
    fn carry(&mut self, numbers: &[u16], places: &[u32], from: usize, to: usize) {
        if let (Some(numbers), Some(places)) = (numbers.get(from..to), places.get(from..to)) {
            self.numbers.extend_from_slice(numbers);
            self.places.extend_from_slice(places);
        }
    }

    /// Notes what differs from an earlier snapshot.
    pub(super) fn compare(&self, earlier: &StoredSnapshot, pool: &StatePool, changes: &mut Changes) {
        const STRIDE: usize = 8;
        let (mut now, mut before) = (0, 0);
        let numbers = &earlier.numbers;
        while let (Some(number), Some(place)) = (self.numbers.get(now), self.places.get(now)) {
            // Most entities stay as they are: a state that both have is of the same entity.
            let stride = |places: &[u32], at: usize| places.get(at..)?.first_chunk::<STRIDE>().copied();
            if let (Some(ours), Some(theirs)) = (stride(&self.places, now), stride(&earlier.places, before)) {
                if ours == theirs {
                    now += STRIDE;
                    before += STRIDE;
                    continue;
                }
            }
            now += 1;
            while let Some(gone) = numbers.get(before).filter(|gone| *gone < number) {
                changes.removed.push(*gone);
                before += 1;
            }
            match earlier.places.get(before).filter(|_| numbers.get(before) == Some(number)) {
                None => {
                    changes.added.push(*number);
                    continue;
                }
                Some(was) if was == place || pool.get(*was) == pool.get(*place) => {}
                Some(_) => changes.changed.push(*number),
            }
            before += 1;
        }
        changes.removed.extend_from_slice(numbers.get(before..).unwrap_or_default());
    }
}
