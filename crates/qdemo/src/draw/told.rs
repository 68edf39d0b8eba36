//! Values of players as far as they count.

use crate::view::{Index, Replay, Values};

/// A value of a player, or with no slot of the world. Who leaves has no name any more, and for a moment a score of nothing. Who
/// watches has no score but the one that is told in the row in which that begins: it is the last.
pub(super) struct Told<'r> {
    replay: &'r Replay,
    values: &'r Values,
    names: Option<&'r Values>,
    /// The first row with a name.
    since: Option<u32>,
    spectator: Option<&'r Values>,
}

/// What games tell of who begins to watch in place of a score: most set it to 0, and in QuakeWorld -999 stands for none.
pub(super) const NO_SCORES: [i64; 2] = [0, -999];

impl<'r> Told<'r> {
    pub(super) fn of(replay: &'r Replay, index: &Index<'r>, slot: Option<u32>, name: &str) -> Option<Self> {
        let values = index.values_of(slot, name)?;
        let own = |name| slot.and_then(|slot| index.values_of(Some(slot), name));
        let spectator = own("spectator").filter(|_| name == "frags");
        let names = own("name");
        let since = names.and_then(|names| replay.named_since(names));
        Some(Told { replay, values, names, since, spectator })
    }

    /// The number of the name at a row.
    pub(super) fn name(&self, row: u32) -> Option<i64> {
        self.replay.name_at(self.names?, row)
    }

    pub(super) fn at(&self, row: u32) -> Option<f64> {
        let has_left = self.since.is_some_and(|since| since <= row) && self.name(row).is_none();
        let counts = !has_left && (!self.watches(row) || self.is_last(row));
        self.values.at(row).filter(|_| counts).map(|v| v as f64)
    }

    /// True for a score of somebody who watches at a row.
    pub(super) fn watches(&self, row: u32) -> bool {
        self.spectator.is_some_and(|spectator| spectator.at(row).is_some())
    }

    /// True where a player with a score begins to watch and another one is told.
    fn is_last(&self, row: u32) -> bool {
        let Some(before) = row.checked_sub(1) else { return false };
        let keys = &self.values.keys;
        let told = keys.binary_search_by_key(&row, |key| key.0).ok().and_then(|at| keys.get(at)?.1);
        let played = self.values.at(before).is_some() && !self.watches(before);
        played && self.watches(row) && told.is_some_and(|score| !NO_SCORES.contains(&score))
    }

    /// The rows at which it may change.
    pub(super) fn rows(&self) -> Vec<u32> {
        let lists = [Some(self.values), self.names, self.spectator];
        let mut rows: Vec<u32> = lists.into_iter().flatten().flat_map(|values| &values.keys).map(|key| key.0).collect();
        let begins = self.spectator.into_iter().flat_map(|spectator| &spectator.keys).map(|key| key.0);
        let behind = begins.filter(|row| self.is_last(*row)).map(|row| row.saturating_add(1));
        rows.extend(behind.filter(|row| (*row as usize) < self.replay.rows.len()));
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}
