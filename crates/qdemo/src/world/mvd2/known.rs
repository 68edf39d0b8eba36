//! What was last told of every player and entity, of those who are gone too: later messages are differences to that.

use crate::format::mvd2::Scene;
use crate::world::dm2::states::{Update, Wholes, after};
use crate::world::dm2::{EntityState, FullFrame, InView, PlayerState};

/// Kinds of movement: of a player whose entity is told without place and angles, and of those who died.
const PM_NORMAL: u8 = 0;
const PM_DEAD: u8 = 2;
const PM_HEAD: u8 = 3;

#[derive(Debug, Clone, Copy)]
struct Thing {
    here: bool,
    state: EntityState,
}

#[derive(Debug, Clone, Copy)]
struct Client {
    here: bool,
    /// Was here at some time since the slot has its name.
    played: bool,
    state: PlayerState,
}

/// Players and entities of a level, by slot and number.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    things: Vec<Thing>,
    clients: Vec<Client>,
}

impl Known {
    pub(super) fn clear(&mut self) {
        self.things.clear();
        self.clients.clear();
    }

    /// Takes in what a frame tells. Numbers from `limit` on no engine takes; `whole_sound`: what is not said of a sound
    /// is as usual again.
    pub(super) fn take_in(&mut self, scene: &Scene, limit: u16, wholes: Wholes) {
        const NOTHING: Thing = Thing { here: false, state: EntityState::ZERO };
        const NOBODY: Client = Client { here: false, played: false, state: PlayerState::ZERO };
        for m in &scene.players {
            let slot = usize::from(m.slot);
            if self.clients.len() <= slot {
                self.clients.resize(slot + 1, NOBODY);
            }
            let Some(client) = self.clients.get_mut(slot) else { continue };
            client.state.apply_multiview(m);
            client.here = !m.remove;
            client.played |= client.here;
        }
        for thing in self.things.iter_mut().filter(|thing| !thing.state.rests()) {
            thing.state = thing.state.rested();
        }
        for m in scene.entities.entities.iter().filter(|m| m.number() < limit) {
            let number = usize::from(m.number());
            if self.things.len() <= number {
                self.things.resize(number + 1, NOTHING);
            }
            let Some(thing) = self.things.get_mut(number) else { continue };
            thing.state = after(m, &thing.state, wholes);
            thing.here = !m.removes();
        }
        for (client, thing) in self.clients.iter().zip(self.things.iter_mut().skip(1)) {
            match client.state.pm_type {
                _ if !client.here || !thing.here => {}
                PM_NORMAL => thing.state.follow(&client.state),
                // Versions of Q2PRO differ in what the place of one who just died is told as a difference to.
                PM_DEAD | PM_HEAD => thing.state.stand(&client.state),
                _ => {}
            }
        }
    }

    /// Fills a frame with all who are here. `single` is the slot of the only player whom the recording is about.
    pub(super) fn show(&self, single: Option<u8>, to: &mut FullFrame) {
        let here = self.clients.iter().enumerate().filter(|(_, client)| client.here);
        to.players.extend(here.filter_map(|(slot, client)| {
            let slot = u8::try_from(slot).ok()?;
            Some((Some(slot).filter(|slot| single != Some(*slot)), client.state))
        }));
        for (number, thing) in self.things.iter().enumerate().filter(|(_, thing)| thing.here) {
            let Ok(number) = u16::try_from(number) else { break };
            to.entities.push(InView { number, state: thing.state });
        }
    }

    /// Slot of the first player who is here.
    pub(super) fn first(&self) -> Option<u8> {
        self.clients.iter().position(|client| client.here).and_then(|slot| u8::try_from(slot).ok())
    }

    /// Somebody else is in a slot.
    pub(super) fn forget(&mut self, slot: usize) {
        if let Some(client) = self.clients.get_mut(slot) {
            client.played = client.here;
        }
    }

    /// The state of a player as it was last told, if the player was ever here.
    pub(super) fn last(&self, slot: usize) -> Option<&PlayerState> {
        self.clients.get(slot).filter(|client| client.played).map(|client| &client.state)
    }
}
