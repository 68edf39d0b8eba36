//! What players have, and take: their stats.

use std::borrow::Cow;

use super::damage::Vitals;
use super::flags::KEYS;
use super::{Detector, MOMENT};
use crate::event::{EventKind, Reason, Sink};
use crate::world::dem::Game;
use crate::world::quakeworld::{World, stat};
use crate::world::{DemoTime, Scene};

impl Detector {
    /// What the stats of a player say that was not so before.
    pub(super) fn stats(&mut self, world: &World, slot: usize, sink: &mut Sink<'_>) {
        let (Some(stats), Some(followed)) = (world.stats(slot), self.slots.get_mut(slot)) else { return };
        let now = Vitals {
            health: stats.get(stat::HEALTH),
            armor: stats.get(stat::ARMOR),
            items: stats.get(stat::ITEMS) as u32,
        };
        let at = world.clock().demo;
        let before = followed.had.replace(now);
        followed.left = Some(now);
        if let Some(lost) =
            before.map(|before| before.all().saturating_sub(now.all())).filter(|_| !self.guarded.is_empty())
        {
            self.guarded_hurt(slot, lost, sink);
        }
        let Some(followed) = self.slots.get_mut(slot) else { return };
        if world.recorder() == Some(slot) {
            for (n, index) in [stat::SECRETS, stat::MONSTERS].into_iter().enumerate() {
                let value = stats.get(index);
                if self.settled && value > self.secrets[n] {
                    let what = if n == 0 { EventKind::Secret(value) } else { EventKind::Monster(value) };
                    sink.stated("stat", what);
                }
                self.secrets[n] = value;
            }
        }
        let Some(before) = before else { return };
        if before.health > 0 && now.health <= 0 {
            followed.died = Some(at);
        }
        // Whoever begins to live is given things.
        let begins = self.begun.is_some_and(|begun| at.0 - begun.0 <= MOMENT) || before.items == 0;
        if begins || before.health <= 0 || now.health <= 0 || followed.known.is_none() {
            return;
        }
        let mut fresh = now.items & !before.items;
        if now.armor > before.armor {
            // The same kind again.
            fresh |= now.items & Game::Quake.armors();
        }
        if self.flags.are_shown(world) || self.flags.has(slot) {
            fresh &= !KEYS;
        }
        if fresh == 0 {
            return;
        }
        for item in Game::Quake.items(fresh) {
            let told = |(time, told, _): &(DemoTime, Cow<'static, str>, &'static str)| {
                let armor = told == "armor" && item.ends_with("_armor");
                at.0 - time.0 <= MOMENT && (told == item || armor)
            };
            if !followed.took.iter().any(told) {
                let pickup = EventKind::Pickup {
                    player: followed.known.as_ref().map(|known| known.who.clone()),
                    item: Cow::Borrowed(item),
                };
                sink.inferred("stat", Reason::InInventory, pickup);
            }
        }
    }
}
