//! States of entities and players, complete; and the snapshots that hold them.

use std::sync::Arc;

use crate::format::dm3::{
    AreaMask, Array, Baseline, Change, Dialect, EntityField, EntityTold, Gamestate, PlayerField, Snapshot, State,
};
use crate::game::cloned_in_place;
use crate::game::pairs::pairs;
use crate::world::Changes;

macro_rules! fields {
    ($ty:ident, $field:ident) => {
        impl $ty {
            /// An integer field.
            #[inline]
            pub fn int(&self, field: $field) -> i32 {
                self.fields.get(field as usize).map_or(0, |v| *v as i32)
            }

            /// A float field.
            #[inline]
            pub fn float(&self, field: $field) -> f32 {
                self.fields.get(field as usize).map_or(0.0, |v| f32::from_bits(*v))
            }

            /// Three float fields.
            #[inline]
            pub fn vector(&self, fields: [$field; 3]) -> [f32; 3] {
                fields.map(|field| self.float(field))
            }

            /// The bits of a field, as on the wire: an integer, or a float.
            pub fn bits(&self, field: $field) -> u32 {
                self.fields.get(field as usize).copied().unwrap_or(0)
            }

            /// Sets an integer field.
            pub fn set_int(&mut self, field: $field, value: i32) {
                self.set(field, value as u32);
            }

            /// Sets a float field.
            pub fn set_float(&mut self, field: $field, value: f32) {
                self.set(field, value.to_bits());
            }

            /// Sets the bits of a field. Of an integer as many are sent as the protocol has for it.
            pub fn set(&mut self, field: $field, bits: u32) {
                if let Some(to) = self.fields.get_mut(field as usize) {
                    *to = bits;
                }
            }
        }
    };
}

/// An entity with all its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityState {
    fields: [u32; EntityField::ALL.len()],
}

fields!(EntityState, EntityField);

impl EntityState {
    /// The state that baselines are differences to.
    pub const ZERO: EntityState = EntityState { fields: [0; EntityField::ALL.len()] };

    pub(super) const BASE: [EntityField; 3] =
        [EntityField::PosTrBaseX, EntityField::PosTrBaseY, EntityField::PosTrBaseZ];
    pub(super) const DELTA: [EntityField; 3] =
        [EntityField::PosTrDeltaX, EntityField::PosTrDeltaY, EntityField::PosTrDeltaZ];
    pub(super) const TURN_BASE: [EntityField; 3] =
        [EntityField::AposTrBaseX, EntityField::AposTrBaseY, EntityField::AposTrBaseZ];
    pub(super) const TURN_DELTA: [EntityField; 3] =
        [EntityField::AposTrDeltaX, EntityField::AposTrDeltaY, EntityField::AposTrDeltaZ];

    /// Takes over the fields that were sent.
    pub fn apply(&mut self, sent: &State<'_>) {
        sent.apply(&mut self.fields);
    }

    /// The type, without the events that temporary entities carry in it.
    pub fn kind(&self) -> i32 {
        self.int(EntityField::EType)
    }

    /// Where the entity is at a server time.
    pub fn origin(&self, time: i32) -> [f32; 3] {
        let gravity = match self.int(EntityField::PosGravity) {
            0 => DEFAULT_GRAVITY,
            gravity => gravity as f32,
        };
        let track = Track {
            kind: self.int(EntityField::PosTrType),
            start: self.int(EntityField::PosTrTime),
            duration: self.int(EntityField::PosTrDuration),
            gravity,
        };
        track.at(time, self.vector(Self::BASE), self.vector(Self::DELTA))
    }

    /// Pitch, yaw and roll at a server time, within a turn: what turns has no end of its own.
    pub fn angles(&self, time: i32) -> [f32; 3] {
        let track = Track {
            kind: self.int(EntityField::AposTrType),
            start: self.int(EntityField::AposTrTime),
            duration: self.int(EntityField::AposTrDuration),
            gravity: DEFAULT_GRAVITY,
        };
        let angles = track.at(time, self.vector(Self::TURN_BASE), self.vector(Self::TURN_DELTA));
        angles.map(|angle| if angle.abs() > 360.0 { angle % 360.0 } else { angle })
    }

    /// True for what goes on moving, or turning, by itself: no snapshot tells where it is now.
    pub(crate) fn moves(&self) -> bool {
        [EntityField::PosTrType, EntityField::AposTrType].iter().any(|field| (2..=5).contains(&self.int(*field)))
    }

    /// Health and armour: 16 bits of a number with sign, which the protocol declares without. The dead have less than none.
    pub fn health_and_armor(&self) -> [i32; 2] {
        [EntityField::Health, EntityField::Armor].map(|field| (self.int(field) as i16).into())
    }

    /// Velocity as sent: of players the real one, of others that at the beginning of the movement.
    pub fn velocity(&self) -> [f32; 3] {
        self.vector(Self::DELTA)
    }
}

/// What falls without a gravity of its own.
pub(super) const DEFAULT_GRAVITY: f32 = 800.0;

/// How something moves.
struct Track {
    kind: i32,
    start: i32,
    duration: i32,
    gravity: f32,
}

impl Track {
    fn at(&self, time: i32, base: [f32; 3], delta: [f32; 3]) -> [f32; 3] {
        // Milliseconds may lie anywhere in a damaged file.
        let since = |time: i32| (i64::from(time) - i64::from(self.start)) as f32 / 1000.0;
        let along = |t: f32| std::array::from_fn(|i| base[i] + delta[i] * t);
        match self.kind {
            2 => along(since(time)),
            3 => {
                let last = self.start.saturating_add(self.duration);
                along(since(time.min(last)).max(0.0))
            }
            4 if self.duration != 0 => {
                let turns = since(time) * 1000.0 / self.duration as f32;
                along((turns * std::f32::consts::TAU).sin())
            }
            5 => {
                let t = since(time);
                let mut at = along(t);
                at[2] -= 0.5 * self.gravity * t * t;
                at
            }
            _ => base,
        }
    }
}

/// A player with all fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerState {
    fields: [u32; PlayerField::ALL.len()],
    arrays: [[i32; Array::SLOTS]; 4],
}

fields!(PlayerState, PlayerField);

impl PlayerState {
    /// The state that a complete snapshot is a difference to.
    pub const ZERO: PlayerState = PlayerState { fields: [0; PlayerField::ALL.len()], arrays: [[0; Array::SLOTS]; 4] };

    /// Takes over what a snapshot tells of the player.
    pub fn apply(&mut self, snapshot: &Snapshot) {
        snapshot.player().apply(&mut self.fields);
        for (array, slot, value) in snapshot.arrays() {
            self.set_slot(array, slot, value);
        }
    }

    /// Sets a slot of an array, if there is one.
    pub fn set_slot(&mut self, array: Array, slot: usize, value: i32) {
        if let Some(to) = self.arrays[array as usize].get_mut(slot) {
            *to = value;
        }
    }

    /// A slot of an array; 0 beyond its 16.
    pub fn slot(&self, array: Array, slot: usize) -> i32 {
        self.array(array).get(slot).copied().unwrap_or(0)
    }

    /// A whole array.
    pub fn array(&self, array: Array) -> &[i32; Array::SLOTS] {
        &self.arrays[array as usize]
    }
}

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
        server_time: i32,
        flags: u8,
        areamask: AreaMask,
        player: PlayerState,
        numbers: Vec<u16>,
        places: Vec<u32>,
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

/// A snapshot, complete: the world as the client saw it at one moment.
#[derive(Debug, Clone, Copy)]
pub struct FullSnapshot<'w> {
    kept: &'w StoredSnapshot,
    pool: &'w StatePool,
}

impl<'w> FullSnapshot<'w> {
    pub(super) fn new(kept: &'w StoredSnapshot, pool: &'w StatePool) -> Self {
        FullSnapshot { kept, pool }
    }

    /// Number of the packet that it came with.
    pub fn number(&self) -> i32 {
        self.kept.number
    }

    /// Server time in ms.
    pub fn server_time(&self) -> i32 {
        self.kept.server_time
    }

    /// 1 rate delayed, 2 not active, 4 toggles when the server counts anew.
    pub fn flags(&self) -> u8 {
        self.kept.flags
    }

    /// Areas that cannot be seen: a bit each.
    pub fn areamask(&self) -> &'w [u8] {
        self.kept.areamask.bytes()
    }

    /// The player who is seen.
    pub fn player(&self) -> &'w PlayerState {
        &self.kept.player
    }

    /// The entities in the order of the snapshot: that of their numbers, in every undamaged file.
    pub fn entities(&self) -> impl Iterator<Item = (u16, &'w EntityState)> + use<'w> {
        let pool = self.pool;
        self.kept.numbers.iter().copied().zip(self.kept.places.iter().map(|place| pool.get(*place)))
    }

    /// The areas that cannot be seen, as they are told.
    pub(crate) fn areas(&self) -> AreaMask {
        self.kept.areamask
    }

    /// The snapshot that a server sends to those who know an earlier one, `back` packets before; to others it is complete.
    pub fn diff(&self, from: Option<(FullSnapshot<'_>, u8)>, baselines: &Baselines, d: &Dialect) -> Snapshot {
        let player = from.map_or(&PlayerState::ZERO, |(from, _)| from.player());
        let mut snapshot = SnapshotBuilder::new(self.server_time(), (player, self.player()), d);
        snapshot.0.delta_num = from.map_or(0, |(_, back)| back);
        (snapshot.0.snap_flags, snapshot.0.areamask) = (self.flags(), self.kept.areamask);
        let known: Vec<_> = from.into_iter().flat_map(|(from, _)| from.entities()).collect();
        let all: Vec<_> = self.entities().collect();
        snapshot.entities(&known, &all, baselines).build()
    }

    /// The entity with a number, if the snapshot has it.
    pub fn entity(&self, number: u16) -> Option<&'w EntityState> {
        let place = self.kept.places.get(self.kept.numbers.binary_search(&number).ok()?)?;
        Some(self.pool.get(*place))
    }
}

/// Makes a snapshot from states: what a server sends to those who know other ones.
///
/// ```
/// use qdemo::format::dm3::{Dialect, EntityField, PlayerField};
/// use qdemo::game::quake3::{Baselines, EntityState, PlayerState, SnapshotBuilder};
/// let (mut player, mut missile) = (PlayerState::ZERO, EntityState::ZERO);
/// player.set_int(PlayerField::Weapon, 5);
/// missile.set_int(EntityField::EType, 3);
/// let snapshot = SnapshotBuilder::new(1000, (&PlayerState::ZERO, &player), &Dialect::QUAKE3)
///     .entities(&[], &[(70, &missile)], &Baselines::default())
///     .build();
/// assert_eq!((snapshot.player().len(), snapshot.entities().count()), (1, 1));
/// ```
#[derive(Debug, Clone)]
pub struct SnapshotBuilder(Snapshot);

impl SnapshotBuilder {
    /// A complete snapshot at a server time, of the player as the difference between two states.
    pub fn new(server_time: i32, player: (&PlayerState, &PlayerState), d: &Dialect) -> Self {
        Self::on(Snapshot::new(server_time, d), player)
    }

    /// The same on a snapshot that tells nothing yet.
    pub(crate) fn on(mut snapshot: Snapshot, (from, to): (&PlayerState, &PlayerState)) -> Self {
        snapshot.tell_player((&from.fields, &from.arrays), (&to.fields, &to.arrays));
        SnapshotBuilder(snapshot)
    }

    /// Tells those who know the entities `from` of the entities `to`: who is new, who changed, who is gone. Both are in
    /// order of numbers.
    #[must_use]
    pub fn entities(mut self, from: &[(u16, &EntityState)], to: &[(u16, &EntityState)], baselines: &Baselines) -> Self {
        for (number, old, new) in pairs(from, to, |entity| entity.0) {
            tell_difference(&mut self.0, number, old.map(|(_, old)| *old), new.map(|(_, new)| *new), baselines);
        }
        self
    }

    /// Tells what differs between two states of an entity.
    #[must_use]
    pub fn entity(mut self, number: u16, from: &EntityState, to: &EntityState) -> Self {
        self.0.tell_entity(number, EntityTold::Fields(&from.fields, &to.fields));
        self
    }

    /// The snapshot: its other fields are open.
    pub fn build(self) -> Snapshot {
        self.0
    }
}

/// Tells those who know an entity in one state, or do not see it, that it is in another one, or gone.
pub(crate) fn tell_difference(
    snapshot: &mut Snapshot,
    number: u16,
    old: Option<&EntityState>,
    new: Option<&EntityState>,
    baselines: &Baselines,
) {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) if old == new => return,
        (Some(old), Some(new)) => (old, new),
        (None, Some(new)) if baselines.get(number) == new => {
            return snapshot.tell_entity(number, EntityTold::Baseline);
        }
        (None, Some(new)) => (baselines.get(number), new),
        (_, None) => return snapshot.tell_entity(number, EntityTold::Remove),
    };
    snapshot.tell_entity(number, EntityTold::Fields(&old.fields, &new.fields));
}

impl Baseline {
    /// The baseline of an entity, for a [`Gamestate`].
    pub fn new(number: u16, state: &EntityState, d: &Dialect) -> Self {
        Self::telling(number, &state.fields, d)
    }
}

/// The baselines of a level.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    /// By entity number: one more than the place in `states`, 0 for none.
    places: Vec<u16>,
    states: Vec<EntityState>,
}

impl Baselines {
    /// Numbers that ten bits can tell.
    const NUMBERS: usize = 1024;

    pub(super) fn of(gamestate: &Gamestate) -> Arc<Self> {
        Arc::new(Self::from(gamestate))
    }

    /// The baseline of an entity; all zero where the level has none.
    #[inline]
    pub fn get(&self, number: u16) -> &EntityState {
        let place = self.places.get(usize::from(number)).map_or(0, |p| usize::from(*p));
        place.checked_sub(1).and_then(|n| self.states.get(n)).unwrap_or(&EntityState::ZERO)
    }

    /// The entities that have one.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &EntityState)> + '_ {
        let there = self.places.iter().enumerate().filter(|(_, place)| **place != 0);
        there.map(|(number, _)| (number as u16, self.get(number as u16)))
    }
}

/// Those that a gamestate tells.
impl From<&Gamestate> for Baselines {
    fn from(gamestate: &Gamestate) -> Self {
        let mut it = Baselines { places: vec![0; Baselines::NUMBERS], states: Vec::new() };
        for update in gamestate.baselines() {
            let mut state = EntityState::ZERO;
            if let Change::Fields(fields) = update.change {
                state.apply(&fields);
            }
            it.states.push(state);
            if let (Some(place), Ok(n)) =
                (it.places.get_mut(usize::from(update.number)), u16::try_from(it.states.len()))
            {
                *place = n;
            }
        }
        it
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_move_as_their_tracks_say() {
        let (base, delta) = ([10.0, 20.0, 30.0], [100.0, 0.0, 50.0]);
        let track = |kind, duration| Track { kind, start: 1000, duration, gravity: 800.0 };
        // Stationary and interpolated things are where they were sent.
        assert_eq!(track(0, 0).at(3000, base, delta), base);
        assert_eq!(track(1, 0).at(3000, base, delta), base);
        // Two seconds at 100 units a second.
        assert_eq!(track(2, 0).at(3000, base, delta), [210.0, 20.0, 130.0]);
        // Stops after half a second, and has not begun before its time.
        assert_eq!(track(3, 500).at(3000, base, delta), [60.0, 20.0, 55.0]);
        assert_eq!(track(3, 500).at(900, base, delta), base);
        // A quarter of a swing is the whole amplitude.
        let swing = track(4, 4000).at(2000, base, delta);
        assert!((swing[0] - 110.0).abs() < 1e-3 && (swing[2] - 80.0).abs() < 1e-3);
        // One second of falling: 400 units down.
        assert_eq!(track(5, 0).at(2000, base, delta), [110.0, 20.0, -320.0]);
        // Hostile numbers do not overflow.
        track(3, i32::MAX).at(i32::MIN, base, delta);
        track(4, i32::MIN).at(i32::MAX, base, delta);
    }
}
