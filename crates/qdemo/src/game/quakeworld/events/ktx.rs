//! What KTX tells recordings alone, as commands for the console.

use std::borrow::Cow;

use super::{Detector, MOMENT, slot_of};
use crate::event::{EventKind, Sink};
use crate::game::quake::Game;
use crate::game::quake::items::item_of;
use crate::game::quakeworld::World;
use crate::world::Scene;

impl Detector {
    /// What KTX tells only recordings: `//ktx WHAT ...`. Players and things are entities.
    pub(super) fn ktx(&mut self, world: &World, line: &[u8], sink: &mut Sink<'_>) {
        const STUFFTEXT: &str = "stufftext";
        let Some(words) = line.strip_prefix(b"//ktx ").and_then(|line| std::str::from_utf8(line).ok()) else { return };
        let mut words = words.split_ascii_whitespace();
        let what = words.next();
        let mut number = || words.next()?.parse::<u32>().ok();
        let thing = number();
        match what {
            Some("took") => {
                let (_, player) = (number(), number());
                let item = thing.and_then(|n| world.entity(n as usize)).and_then(|e| item_of(&e.model, e.skin));
                if let (Some(item), Some(slot)) = (item, player.and_then(slot_of)) {
                    self.takes(world, slot, Cow::Borrowed(item), STUFFTEXT, sink);
                }
            }
            Some("bp") => {
                if let Some(slot) = number().and_then(slot_of) {
                    self.takes(world, slot, Cow::Borrowed("backpack"), STUFFTEXT, sink);
                }
            }
            Some("drop") => {
                let (bits, player) = (number(), number());
                let slot = player.and_then(slot_of);
                for item in bits.into_iter().flat_map(|bits| Game::Quake.items(bits)).filter(|_| slot.is_some()) {
                    let player = slot.and_then(|slot| self.who(slot));
                    sink.stated(STUFFTEXT, EventKind::Drop { player, item: Cow::Borrowed(item) });
                }
            }
            _ => {}
        }
    }

    /// A text says that a player took something. Others may say so too.
    pub(super) fn takes(
        &mut self,
        world: &World,
        slot: usize,
        item: Cow<'static, str>,
        source: &'static str,
        sink: &mut Sink<'_>,
    ) {
        let now = world.clock().demo;
        let Some(followed) = self.slots.get_mut(slot) else { return };
        followed.took.retain(|(at, _, _)| now.0 - at.0 < MOMENT);
        let told = followed.took.iter().any(|(at, took, by)| *by != source && *at == now && *took == item);
        followed.took.push((now, item.clone(), source));
        if !told {
            sink.stated(source, EventKind::Pickup { player: self.who(slot), item });
        }
    }
}
