//! Slots of Quake II that somebody has left.

use std::collections::BTreeMap;

use super::World;
use crate::event::{Event, EventKind};
use crate::world::Scene;

/// Who has left a slot in which the name still stands: some mods of Quake II leave it there until somebody takes the slot. Then
/// it is told anew, also where nothing else tells that the same player is back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Left(BTreeMap<usize, Box<[u8]>>);

impl Left {
    /// Takes in what a chunk changed and told.
    pub(crate) fn look(&mut self, world: &World, events: &[Event]) {
        if !matches!(world, World::Dm2(_) | World::Mvd2(_)) {
            return;
        }
        let changes = world.changes();
        if changes.level {
            self.0.clear();
        }
        for slot in changes.strings().filter_map(|(_, _, slot)| slot) {
            self.0.remove(&usize::from(slot));
        }
        for event in events {
            let (EventKind::Leave(who) | EventKind::Join(who)) = &event.kind else { continue };
            let Some(slot) = who.slot else { continue };
            self.0.remove(&slot);
            if matches!(event.kind, EventKind::Leave(_)) && !changes.level && world.player(slot).is_some() {
                self.0.insert(slot, who.name_raw.as_slice().into());
            }
        }
    }

    /// True for the name of somebody who has left the slot.
    pub(crate) fn has(&self, slot: usize, name: &[u8]) -> bool {
        self.0.get(&slot).is_some_and(|left| **left == *name)
    }
}
