//! `impulse9`: everything at once. Quake `.dem` only.
//!
//! The cheat of Quake's game code gives all weapons and both keys, and sets the ammunition to 100 shells, 200 nails, 100
//! rockets and 200 cells. Nothing is printed. No pickup gives so many things in one frame.

use serde_json::json;

use super::found::{Findings, Severity, Statement};
use super::{ChunkSeen, Probe};
use crate::replay::World;
use crate::world::Scene;

/// Bits of the seven weapons with ammunition, the same in mission packs.
const WEAPONS: u32 = 0b111_1111;
/// Keys.
const KEYS: u32 = 0b11 << 17;
/// What the cheat sets, by entry of the player state array.
const AMMO: [(u8, i32); 4] = [(6, 100), (7, 200), (8, 100), (9, 200)];

#[derive(Default)]
pub(super) struct Impulse9 {
    before: Option<u32>,
}

impl Probe for Impulse9 {
    fn step(&mut self, seen: &ChunkSeen<'_>, found: &mut Findings) {
        let World::Dem(world) = seen.world else { return };
        if world.changes().level {
            self.before = None;
        }
        let Some(items) = world.client().map(|client| client.items).filter(|_| world.changes().frame) else { return };
        let Some(before) = self.before.replace(items) else { return };
        let fresh = items & !before & (WEAPONS | KEYS);
        let everything = items & (WEAPONS | KEYS) == WEAPONS | KEYS;
        let full = || AMMO.iter().all(|(stat, amount)| world.stat(*stat) == Some(*amount));
        // Keys are among what one pickup may give, weapons come one by one, in mods two.
        if everything && fresh.count_ones() >= 3 && full() {
            found.add("impulse9", Severity::Violation, &seen.place, "clientdata", || {
                let new: Vec<_> = world.game().items(fresh).collect();
                let text = format!("{} come in one frame with the ammunition that `impulse 9` gives", new.join(", "));
                Statement::new(
                    text,
                    vec![("items_before", before.into()), ("items", items.into()), ("new", json!(new))],
                )
            });
        }
    }
}
