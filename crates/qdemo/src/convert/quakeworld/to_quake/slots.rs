//! The slots of players, and the score board.

use std::collections::BTreeMap;
use std::io::Write;

use crate::convert::across::Output;
use crate::convert::loss::Loss;
use crate::edit::NAME_OF_QUAKE as NAME;
use crate::format::dem::{Colors, Dem, Message, UpdateColors, UpdateFrags, UpdateName};
use crate::game::quakeworld::World;

/// The players of a level, in the slots that they have in the output.
#[derive(Default)]
pub(super) struct Slots {
    slots: [Option<u8>; World::SLOTS],
    /// What was told of each slot.
    told: BTreeMap<u8, Line>,
}

/// A line of the score board.
#[derive(PartialEq)]
struct Line {
    name: Vec<u8>,
    frags: i16,
    /// Shirt and trousers.
    colors: u8,
}

impl Slots {
    /// Slots that engines have room for.
    pub(super) const MOST: u8 = 16;

    /// The slot that a player has in the output; `None` where there is none left.
    pub(super) fn of(&mut self, player: u8) -> Option<u8> {
        let known = self.slots.get(usize::from(player)).copied()?;
        if known.is_some() {
            return known;
        }
        let is_free = |slot: &u8| !self.slots.contains(&Some(*slot));
        let free =
            Some(player).filter(|slot| *slot < Self::MOST && is_free(slot)).or((0..Self::MOST).rev().find(is_free))?;
        if let Some(to) = self.slots.get_mut(usize::from(player)) {
            *to = Some(free);
        }
        Some(free)
    }

    /// The number that an entity has in the output: those of players have their slots.
    pub(super) fn entity(&mut self, number: u16) -> Option<u16> {
        match number.checked_sub(1).and_then(|slot| u8::try_from(slot).ok()) {
            Some(player) if usize::from(player) < World::SLOTS => self.of(player).map(|slot| u16::from(slot) + 1),
            _ => Some(number),
        }
    }

    /// What has changed of the score board; `own` is the recorder's slot.
    pub(super) fn board<W: Write>(
        &mut self,
        world: &World,
        own: u8,
        out: &mut Output<Dem, W>,
    ) -> Vec<Message<'static>> {
        let mut messages = Vec::new();
        for player in 0..World::SLOTS as u8 {
            let Some(it) = world.slot(player.into()) else { continue };
            let is_there = it.user != 0 && !it.is_spectator();
            let has_slot = self.slots.get(usize::from(player)).is_some_and(Option::is_some);
            if !is_there && !has_slot {
                continue;
            }
            let Some(slot) = self.of(player) else {
                out.lose(Loss::Entity);
                continue;
            };
            let [shirt, pants] = it.colors().map(|color| color.unwrap_or(0).min(13));
            let mut name = it.value("name").filter(|_| is_there).unwrap_or_default().to_vec();
            let shortened = name.len() > NAME;
            name.truncate(NAME);
            let now = Line { name, frags: it.frags.unwrap_or(0), colors: shirt << 4 | pants };
            let before = self.told.get(&slot);
            if before.is_none_or(|before| before.name != now.name) {
                if shortened {
                    out.lose(Loss::Board);
                }
                messages.push(Message::UpdateName(UpdateName { player: slot, netname: now.name.clone().into() }));
            }
            if before.is_none_or(|before| before.frags != now.frags) {
                messages.push(Message::UpdateFrags(UpdateFrags { player: slot, frags: now.frags }));
            }
            if before.is_none_or(|before| before.colors != now.colors) {
                messages.push(Message::UpdateColors(UpdateColors { player: slot, colors: Colors(now.colors) }));
            }
            self.told.insert(slot, now);
            // Whoever has left makes room, but for the recorder.
            if !is_there && player != own {
                if let Some(to) = self.slots.get_mut(usize::from(player)) {
                    *to = None;
                }
            }
        }
        messages
    }
}
