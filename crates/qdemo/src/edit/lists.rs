//! Lists of entities of QuakeWorld that show something else in the output than in the recording: each is told as the
//! difference to what the output has shown.

use crate::error::Result;
use crate::format::qwd::{DeltaPacketEntities, Dialect, Message, PacketEntities};
use crate::game::quakeworld::{EntityState, World, diff_entities};
use crate::world::Scene as _;

/// The lists of entities of a recording of QuakeWorld, as they were and as they are told now.
#[derive(Default)]
pub(crate) struct Lists {
    /// By the lowest byte of the number of their packet.
    told: Vec<(u8, Vec<EntityState>, Option<Vec<EntityState>>)>,
    count: u8,
}

impl Lists {
    /// Lists that others may build on.
    const KEPT: usize = 64;

    /// Tells the list of a block that shows something else, or that builds on such a one; true if so. `show` changes what
    /// the list shows, and gives true where it did.
    pub(crate) fn block(
        &mut self,
        messages: &mut [Message<'_>],
        world: &World,
        d: &Dialect,
        show: impl FnOnce(&mut [EntityState]) -> Result<bool>,
    ) -> Result<bool> {
        if world.changes().level {
            self.told.clear();
        }
        let Some(base) = world.listed_base().filter(|_| world.is_complete()) else { return Ok(false) };
        let number = if world.is_multiview() { self.count.wrapping_add(1) } else { world.sequence().0 as u8 };
        let base = base.map(|base| if world.is_multiview() { self.count } else { base });
        self.count = number;
        let mut now = world.entity_states().to_vec();
        let is_new = show(&mut now)?;
        let base = base.and_then(|base| self.told.iter().rev().find(|(of, ..)| *of == base));
        let changes = is_new || base.is_some_and(|(.., changed)| changed.is_some());
        if changes {
            let from = base.map(|(_, was, changed)| changed.as_deref().unwrap_or(was));
            let entities = diff_entities(from, &now, world.baselines(), d);
            for message in messages {
                match message {
                    Message::PacketEntities(_) => {
                        *message = Message::PacketEntities(PacketEntities { entities: entities.clone() });
                    }
                    Message::DeltaPacketEntities(m) => {
                        let (frame, entities) = (m.frame, entities.clone());
                        *message = Message::DeltaPacketEntities(DeltaPacketEntities { frame, entities });
                    }
                    _ => {}
                }
            }
        }
        if self.told.len() >= Self::KEPT {
            self.told.remove(0);
        }
        self.told.push((number, world.entity_states().to_vec(), is_new.then_some(now)));
        Ok(changes)
    }
}
