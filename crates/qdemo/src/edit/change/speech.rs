//! Which prints are chat: those that events tell as such, with whoever says it in front.

use crate::event::PlayerRef;
use crate::event::console::{Lines, Text, To};
use crate::event::roster::Roster;
use crate::game::quake2::matches::will_resume;
use crate::replay::World;
use crate::wire::clean;
use crate::world::{Scene, TextKind};

/// Knows of the prints of a block which of them are chat.
#[derive(Debug, Default)]
pub(super) struct Speech {
    lines: Lines,
    roster: Roster,
    /// The prints of the block at hand for which nobody has asked.
    prints: Vec<Print>,
}

#[derive(Debug)]
struct Print {
    to: To,
    text: Box<[u8]>,
    is_settled: bool,
    is_chat: bool,
}

impl Speech {
    /// Takes in a block: the world behind it.
    pub(super) fn take(&mut self, world: &World) {
        self.prints.clear();
        self.lines.block_ends();
        // Quake III has a command for it.
        if matches!(world, World::Dm3(_)) {
            return;
        }
        let changes = world.changes();
        if changes.level {
            self.roster.clear();
        }
        if changes.level || changes.board != 0 {
            for slot in 0..world.player_slots() {
                if let Some(player) = world.player(slot) {
                    self.roster.set(slot, Some(PlayerRef::of(&player)));
                }
            }
        }
        for (said, piece, slot) in changes.texts() {
            let TextKind::Print(level) = said else { continue };
            let to = (level, slot);
            self.prints.push(Print { to, text: piece.into(), is_settled: false, is_chat: false });
            let ended = match world {
                World::Dm2(_) | World::Mvd2(_) => self.lines.add_across(to, piece).map(|(_, text)| text),
                _ => self.lines.add(to, piece),
            };
            if let Some(text) = ended {
                settle(&mut self.prints, world, &self.roster, slot, text);
            }
        }
        // Of a line that goes on in another block, what there is so far tells.
        for ((_, slot), text) in self.lines.open() {
            settle(&mut self.prints, world, &self.roster, *slot, text.clone());
        }
    }

    /// True for a print of the block at hand that is chat; to be asked once for each, in order. `None` where the block has
    /// no such print.
    pub(super) fn is_chat(&mut self, text: &[u8]) -> Option<bool> {
        let at = self.prints.iter().position(|print| *print.text == *text)?;
        Some(self.prints.remove(at).is_chat)
    }
}

/// Says of the pieces of a text that are prints of the block at hand which are chat.
fn settle(prints: &mut [Print], world: &World, roster: &Roster, slot: Option<u8>, text: Text) {
    let mut is_chat = vec![false; text.pieces().count()];
    let mut rest = Some(text.clone());
    while let Some(text) = rest.take() {
        // OpenTDM says this at the level of chat.
        if matches!(world, World::Dm2(_) | World::Mvd2(_)) && will_resume(&clean(&text.raw)) {
            break;
        }
        if let Some((from, _)) = text.chat(roster) {
            let spoken = text.pieces().map(|(at, ..)| at >= from);
            is_chat.iter_mut().zip(spoken).for_each(|(is_chat, spoken)| *is_chat |= spoken);
            rest = text.in_front_of(from);
        }
    }
    let pieces: Vec<_> = text.pieces().zip(is_chat).collect();
    for ((_, level, piece), is_chat) in pieces.into_iter().rev() {
        let is_it = |print: &&mut Print| !print.is_settled && print.to == (level, slot) && *print.text == *piece;
        // Earlier pieces stood in another block.
        let Some(print) = prints.iter_mut().rev().find(is_it) else { break };
        (print.is_settled, print.is_chat) = (true, is_chat);
    }
}
