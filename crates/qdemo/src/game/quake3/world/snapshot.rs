//! Whole snapshots: what a world shows of one, and the snapshot that a server sends to those who know another one.

use super::states::{Baselines, EntityState, PlayerState};
use super::stored::{StatePool, StoredSnapshot};
use crate::format::dm3::{AreaMask, Dialect, EntityTold, Snapshot};
use crate::game::pairs::pairs;

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
