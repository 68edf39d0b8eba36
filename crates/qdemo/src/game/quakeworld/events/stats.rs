//! What players have, and take: their stats.

use std::borrow::Cow;

use super::damage::Vitals;
use super::flags::Flags;
use super::pickups::Teller;
use super::{Detector, MOMENT, clan_arena};
use crate::event::{EventKind, Sink};
use crate::game::quake::Game;
use crate::game::quake::items::{KEYS, PENTAGRAM, QUAD};
use crate::game::quakeworld::{World, stat};
use crate::world::Scene;

/// What KTX gives in Berzerk.
const GIFTS: u32 = QUAD | PENTAGRAM;

impl Detector {
    /// What the stats of a player say that was not so before.
    pub(super) fn stats(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let Some(stats) = world.stats(slot) else { return };
        // These are the level's; every player is told of them.
        if world.recorder().is_none_or(|recorder| recorder == slot) {
            for (n, index) in [stat::SECRETS, stat::MONSTERS].into_iter().enumerate() {
                let value = stats.get(index);
                if self.settled && value > self.secrets[n] {
                    let what = if n == 0 { EventKind::Secret(value) } else { EventKind::Monster(value) };
                    sink.stated("stat", what);
                }
                self.secrets[n] = value.max(self.secrets[n]);
            }
        }
        let (Some(stats), Some(followed)) = (world.own_stats(slot), self.slots.get_mut(slot)) else { return };
        let now = Vitals {
            health: stats.get(stat::HEALTH),
            armor: stats.get(stat::ARMOR),
            items: stats.get(stat::ITEMS) as u32,
        };
        let at = world.clock().demo;
        let before = followed.had.replace(now);
        followed.left = Some(now);
        if let Some(had) = before.filter(|_| followed.before.is_none_or(|(then, _)| then != at)) {
            followed.before = Some((at, had));
        }
        if let Some(before) = before.filter(|_| !self.doubted.is_empty()) {
            self.doubt_ends(slot, before, now, sink);
        }
        let Some(followed) = self.slots.get_mut(slot) else { return };
        let Some(before) = before else { return };
        if before.health > 0 && now.health <= 0 {
            followed.died = Some(at);
        }
        if self.slots.get(slot).is_none_or(|followed| followed.known.is_none()) {
            return;
        }
        // Whoever begins to live is given things.
        if now.health <= 0 || before.items == 0 {
            return;
        }
        // After `kill` in the console in the same frame.
        let lives_again = self.slots.get(slot).is_some_and(|followed| followed.mourned == Some(at));
        if self.begins(at) || before.health <= 0 || lives_again {
            return self.appears(world, slot, now, at, sink);
        }
        // What comes there was given.
        if clan_arena::is_on(world) {
            return;
        }
        let mut fresh = now.items & !before.items;
        if now.armor > before.armor {
            // The same kind again.
            fresh |= now.items & Game::Quake.armors();
        }
        let keys = if Flags::are_shown(world) || self.flags.has(slot) { KEYS } else { 0 };
        let given = if self.berserk.is_some_and(|then| at.0 - then.0 <= MOMENT) { GIFTS } else { 0 };
        let fresh = fresh & !keys & !given;
        for item in world.game().taken(fresh, |model| world.has_model(model)) {
            self.takes(slot, Cow::Borrowed(item), Teller::Inventory, at, sink);
        }
    }
}
