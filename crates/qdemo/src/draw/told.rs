//! Values of players as far as they count.

use crate::view::{Index, Replay, Values};

/// A value of a player, or with no slot of the world. Who leaves has no name any more, and for a moment a score of nothing. Who
/// watches has no score: in QuakeWorld -999 stands for that.
pub(super) struct Told<'r> {
    replay: &'r Replay,
    values: &'r Values,
    names: Option<&'r Values>,
    /// The first row with a name.
    since: Option<u32>,
    spectator: Option<&'r Values>,
}

impl<'r> Told<'r> {
    pub(super) fn of(replay: &'r Replay, index: &Index<'r>, slot: Option<u32>, name: &str) -> Option<Self> {
        let values = index.values_of(slot, name)?;
        let own = |name| slot.and_then(|slot| index.values_of(Some(slot), name));
        let spectator = own("spectator").filter(|_| name == "frags");
        let mut told = Told { replay, values, names: own("name"), since: None, spectator };
        told.since = told.names.and_then(|names| names.keys.iter().find(|key| told.is_named(key.1))).map(|key| key.0);
        Some(told)
    }

    fn is_named(&self, name: Option<i64>) -> bool {
        name.and_then(|name| u32::try_from(name).ok()).is_some_and(|name| !self.replay.string(name).is_empty())
    }

    /// The number of the name at a row.
    pub(super) fn name(&self, row: u32) -> Option<i64> {
        self.names.and_then(|names| names.at(row)).filter(|name| self.is_named(Some(*name)))
    }

    pub(super) fn at(&self, row: u32) -> Option<f64> {
        let has_left = self.since.is_some_and(|since| since <= row) && self.name(row).is_none();
        let watches = self.spectator.is_some_and(|spectator| spectator.at(row).is_some());
        self.values.at(row).filter(|_| !has_left && !watches).map(|v| v as f64)
    }

    /// The rows at which it may change.
    pub(super) fn rows(&self) -> Vec<u32> {
        let lists = [Some(self.values), self.names, self.spectator];
        let mut rows: Vec<u32> = lists.into_iter().flatten().flat_map(|values| &values.keys).map(|key| key.0).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}
