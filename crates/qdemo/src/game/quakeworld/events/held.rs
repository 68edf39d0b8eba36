//! What is told of players in front of their names: a server that records writes what the game says of whoever comes in one
//! frame, and the score board may stand behind that.

use super::Detector;
use crate::event::console::Text;
use crate::event::roster::without_number;
use crate::event::{Event, EventKind, PlayerRef, Sink};
use crate::game::quakeworld::World;
use crate::world::DemoTime;

/// A text in which nobody was found to die, and what tells it.
#[derive(Debug)]
pub(super) struct Unread {
    text: Text,
    pub(super) event: Event,
    /// It is still to be told.
    pub(super) waits: bool,
    /// How often it may be read again.
    reads: u8,
}

impl Detector {
    /// The player in a slot; one without a name where nobody is known to be there.
    pub(super) fn who_or_slot(&self, slot: usize) -> PlayerRef {
        self.who(slot).unwrap_or_else(|| PlayerRef { slot: Some(slot), ..PlayerRef::default() })
    }

    /// Tells an event, once the players whom it is about have names.
    pub(super) fn tell(&mut self, event: Event, sink: &mut Sink<'_>) {
        let waits = event.kind.players().into_iter().flatten().any(|who| who.slot.is_some() && who.name_raw.is_empty());
        if waits { self.open.push(event) } else { sink.push(event) }
    }

    /// Names the players of an event who had no name when it happened. Who has none yet is nobody.
    pub(super) fn name_at_last(&self, kind: &mut EventKind) {
        let players = match kind {
            EventKind::Pickup { player, .. } => [Some(player), None],
            EventKind::Damage(damage) => [Some(&mut damage.attacker), Some(&mut damage.victim)],
            _ => return,
        };
        for player in players.into_iter().flatten() {
            if let Some(nameless) = player.as_ref().filter(|who| who.name_raw.is_empty()) {
                *player = nameless.slot.and_then(|slot| self.who(slot));
            }
        }
    }

    /// A player has another name from this moment on. What is still to be told of it is told behind that.
    pub(super) fn is_called(&mut self, player: &PlayerRef, now: DemoTime) {
        let doubted = self.doubted.iter_mut().map(|doubted| &mut doubted.event);
        for event in self.open.iter_mut().chain(doubted).filter(|event| event.clock.demo == now) {
            let same = event.kind.players_mut().into_iter().flatten().filter(|who| who.slot == player.slot);
            same.for_each(|who| who.clone_from(player));
        }
    }

    /// A text in which nobody was found to die is kept for the names of this moment. It is told with them where damage in the same
    /// moment is of somebody who has none yet: it may be understood then.
    pub(super) fn waits_for_names(&mut self, text: Text, event: Event, sink: &mut Sink<'_>) {
        /// More texts, or names in them, come in no frame of a game.
        const MOST: usize = 64;
        const READS: u8 = 8;
        let mut hits = self.hits.iter().filter(|hit| hit.at == event.clock.demo);
        let waits = hits.any(|hit| hit.attacker.into_iter().chain([hit.victim]).any(|slot| self.who(slot).is_none()));
        if !waits {
            sink.push(event.clone());
        }
        if self.unread.len() >= MOST {
            self.stays_unread(sink);
        }
        self.unread.push(Unread { text, event, waits, reads: READS });
    }

    /// Somebody has a name who had not: texts in front of it may be about deaths.
    pub(super) fn reads_again(&mut self, world: &World, who: &PlayerRef, sink: &mut Sink<'_>) {
        let name = without_number(&who.name).unwrap_or(&who.name);
        for mut unread in std::mem::take(&mut self.unread) {
            let EventKind::Print { text: plain, unknown, .. } = &mut unread.event.kind else { continue };
            let names = unread.reads > 0 && plain.contains(name);
            unread.reads -= u8::from(names);
            if !names || !self.deaths(world, &unread.text, plain, sink) {
                self.unread.push(unread);
                continue;
            }
            *unknown = false;
            if unread.waits {
                sink.push(unread.event);
            }
        }
    }

    /// No more names come in the moment of these texts.
    pub(super) fn stays_unread(&mut self, sink: &mut Sink<'_>) {
        let waiting = self.unread.drain(..).filter(|unread| unread.waits);
        waiting.for_each(|unread| sink.push(unread.event));
    }
}
