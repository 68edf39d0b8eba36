//! What KTX tells recordings alone, as commands for the console.

use std::borrow::Cow;

use super::pickups::Teller;
use super::{Detector, slot_of};
use crate::event::{EventKind, Sink};
use crate::game::quake::items::item_of;
use crate::game::quakeworld::World;
use crate::world::Scene;

impl Detector {
    /// What KTX tells only recordings: `//ktx WHAT ...`. Players and things are entities.
    pub(super) fn ktx(&mut self, world: &World, line: &[u8], sink: &mut Sink<'_>) {
        const STUFFTEXT: &str = "stufftext";
        let Some(words) = line.strip_prefix(b"//ktx ").and_then(|line| std::str::from_utf8(line).ok()) else { return };
        let mut words = words.split_ascii_whitespace();
        let (now, what) = (world.clock().demo, words.next());
        let mut number = || words.next()?.parse::<u32>().ok();
        let thing = number();
        match what {
            Some("took") => {
                let (_, player) = (number(), number());
                let item = thing.and_then(|n| world.entity(n as usize)).and_then(|e| item_of(&e.model, e.skin));
                if let (Some(item), Some(slot)) = (item, player.and_then(slot_of)) {
                    self.takes(slot, Cow::Borrowed(item), Teller::Command, now, sink);
                }
            }
            Some("bp") => {
                if let Some(slot) = number().and_then(slot_of) {
                    self.takes(slot, Cow::Borrowed("backpack"), Teller::Command, now, sink);
                }
            }
            Some("drop") => {
                let (bits, player) = (number(), number());
                let slot = player.and_then(slot_of);
                for item in bits.into_iter().flat_map(|bits| world.game().items(bits)).filter(|_| slot.is_some()) {
                    let player = slot.and_then(|slot| self.who(slot));
                    sink.stated(STUFFTEXT, EventKind::Drop { player, item: Cow::Borrowed(item) });
                }
            }
            _ => {}
        }
    }
}
