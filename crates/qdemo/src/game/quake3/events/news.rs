//! Events of entities: each is told once, however many snapshots show it.

use super::{ET_ITEM, SLOTS};
use crate::format::dm3::{EntityField, PlayerField};
use crate::game::quake3::names::Game;
use crate::game::quake3::{EntityState, World};
use crate::world::Scene;

/// Event numbers have their low eight bits; two more count.
const EVENT: i32 = 0xFF;
/// A temporary entity with this flag is an event of the entity in `otherEntityNum`.
const EF_PLAYER_EVENT: i32 = 0x10;
const ET_PLAYER: i32 = 1;
/// For so long an event stays in the list of entities.
pub(super) const EVENT_LIFE: i32 = 300;
/// Whoever comes back within so many milliseconds with the same event, of the same count, has had no other since: the count
/// goes to 3, and players hardly do the same four times in that time.
const UNTIL_AGAIN: i32 = 3000;
/// A thing to take that was away for less was out of sight. One that was taken is away for a second at least, as servers count
/// that in whole seconds (`g_weaponRespawn`); half of it, as recordings are also played at half and twice the speed, where
/// events stay longer than [`EVENT_LIFE`] and things come back sooner.
const TAKEN_FOR: i32 = 500;
const ENTITIES: usize = 1024;

/// An event, as an entity or the state of the player who is seen tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    /// The game's number of it.
    pub(crate) event: i32,
    /// What goes with it.
    pub(crate) parm: i32,
    /// The player whose it is.
    pub(crate) by: Option<i32>,
    /// The entity that tells it; `None` for the state of the player who is seen.
    pub(crate) entity: Option<u16>,
    /// True for an entity that there is for this event alone.
    pub(crate) temporary: bool,
}

/// The last event of an entity. It stays with a thing for 300 ms, with a player until the next one (what a player does is
/// taken from the player's state), and within that time the entity may go out of sight and come back, or be that of the
/// player whose eyes are no longer those of the recording.
#[derive(Debug, Clone, Copy, Default)]
struct LastEvent {
    /// With its counter.
    event: i32,
    parm: i32,
    /// When it was told.
    time: i32,
    /// When the entity was seen last, where it is out of sight.
    seen: i32,
    /// The entity is out of sight.
    gone: bool,
}

/// What is new in each snapshot.
#[derive(Debug)]
pub(crate) struct News {
    /// What the last snapshot told: first what entities tell, then what the player's state does.
    pub(crate) told: Vec<Told>,
    /// Type and last appearance of temporary entities, by number.
    seen: Vec<(i32, i32)>,
    /// The last event of each entity.
    events: Vec<LastEvent>,
    /// When the last snapshot was; `None` before there is one.
    last: Option<i32>,
    /// Whose eyes, and how many events there were.
    eyes: Option<(usize, i32)>,
    external: i32,
}

impl Default for News {
    fn default() -> Self {
        News {
            told: Vec::new(),
            seen: vec![(0, i32::MIN); ENTITIES],
            events: vec![LastEvent::default(); ENTITIES],
            last: None,
            eyes: None,
            external: 0,
        }
    }
}

impl News {
    /// Takes in the snapshot that `world` has just made complete. True when it is seen through the same eyes as the one
    /// before.
    pub(crate) fn step(&mut self, world: &World) -> bool {
        self.told.clear();
        let Some(snapshot) = world.snapshot() else { return false };
        let time = snapshot.server_time();
        let eyes = self.eyes.map(|(slot, _)| slot).filter(|slot| world.seen() == Some(*slot));
        let told_by_state = eyes.and_then(|slot| i32::try_from(slot).ok());
        let changes = world.changes();
        let before = self.last.replace(time);
        match before {
            None => snapshot.entities().for_each(|it| self.entity(world, it, time, told_by_state)),
            Some(last) => {
                for number in changes.removed.iter().map(|n| usize::from(*n)) {
                    if let Some((_, when)) = self.seen.get_mut(number) {
                        *when = last;
                    }
                }
                // What stays as it was tells nothing new.
                let new = changes.added.iter().chain(&changes.changed);
                for it in new.filter_map(|number| Some((*number, snapshot.entity(*number)?))) {
                    self.entity(world, it, time, told_by_state);
                }
                self.told.sort_by_key(|told| told.entity);
            }
        }
        for number in changes.removed.iter().map(|n| usize::from(*n)) {
            self.loses(number, before);
        }
        if let Some((slot, _)) = self.eyes.filter(|(slot, _)| world.seen() != Some(*slot)) {
            self.loses(slot, before);
        }
        self.own(world, time)
    }

    /// An entity is out of sight, or the eyes are no longer those of a player: seen last in the snapshot before.
    fn loses(&mut self, number: usize, before: Option<i32>) {
        if let Some(last) = self.events.get_mut(number) {
            last.gone = true;
            last.seen = before.unwrap_or(last.time);
        }
    }

    /// Takes in an entity of a snapshot.
    fn entity(&mut self, world: &World, it: (u16, &EntityState), time: i32, told_by_state: Option<i32>) {
        let (number, state) = it;
        let first = i32::from(Game::of(world.dialect().layout.era).first_event);
        let (kind, parm) = (state.kind(), state.int(EntityField::EventParm));
        let told = Told { event: 0, parm, by: None, entity: Some(number), temporary: kind > first };
        if kind > first {
            let Some(seen) = self.seen.get_mut(usize::from(number)) else { return };
            let (last, when) = std::mem::replace(seen, (kind, time));
            let away = i64::from(time) - i64::from(when);
            if last != kind || !(0..=i64::from(EVENT_LIFE)).contains(&away) {
                let owner = state.int(EntityField::EFlags) & EF_PLAYER_EVENT != 0;
                let by = owner.then(|| state.int(EntityField::OtherEntityNum));
                // The server keeps such an entity from the player whose event it is, but not from those who follow
                // that player, and to them the player's state tells the same event.
                if by.is_none() || by != told_by_state {
                    self.told.push(Told { event: (kind - first) & EVENT, by, ..told });
                }
            }
            return;
        }
        let event = state.int(EntityField::Event);
        let now = LastEvent { event, parm, time, seen: time, gone: false };
        if self.is_news(usize::from(number), now, kind == ET_ITEM) && event & EVENT != 0 {
            let by = (kind == ET_PLAYER).then(|| state.int(EntityField::ClientNum));
            self.told.push(Told { event: event & EVENT, by, ..told });
        }
    }

    /// Takes in the event of an entity. Gives false for one that has been told.
    fn is_news(&mut self, number: usize, now: LastEvent, is_item: bool) -> bool {
        let Some(last) = self.events.get_mut(number) else { return false };
        let (since, below) = match (number < SLOTS, is_item) {
            (true, _) => (last.seen, UNTIL_AGAIN + 1),
            (_, true) => (last.seen, TAKEN_FOR),
            _ => (last.time, EVENT_LIFE + 1),
        };
        let is_old = (0..i64::from(below)).contains(&(i64::from(now.time) - i64::from(since))) && last.parm == now.parm;
        let again = std::mem::take(&mut last.gone) && !is_old;
        if last.event == now.event && !again {
            return false;
        }
        *last = now;
        true
    }

    /// What the state of the player who is seen tells: that player is in no list of entities.
    fn own(&mut self, world: &World, time: i32) -> bool {
        let (Some(state), Some(slot)) = (world.player_state(), world.seen()) else { return false };
        let sequence = state.int(PlayerField::EventSequence);
        let external = state.int(PlayerField::ExternalEvent);
        let same = self.eyes.filter(|(eyes, _)| *eyes == slot).map(|(_, last)| last);
        self.eyes = Some((slot, sequence));
        if let Some(last) = same {
            // Only the last two are kept; the counter has 16 bits.
            let new = sequence.wrapping_sub(last) & 0xFFFF;
            let (events, parms) =
                ([PlayerField::Events0, PlayerField::Events1], [PlayerField::EventParms0, PlayerField::EventParms1]);
            for n in (1..=new.min(2)).rev() {
                let number = sequence.wrapping_sub(n);
                let at = (number & 1) as usize;
                let event = state.int(events[at]);
                // As the entity of the player has it, which others see (`BG_PlayerStateToEntityState` in id's `bg_misc.c`).
                self.tell_own(slot, event | (number & 3) << 8, event, state.int(parms[at]), time);
            }
            if external != self.external {
                self.tell_own(slot, external, external, state.int(PlayerField::ExternalEventParm), time);
            }
        }
        self.external = external;
        same.is_some()
    }

    /// An event of the player who is seen: no entity needs to tell it again.
    fn tell_own(&mut self, slot: usize, counted: i32, event: i32, parm: i32, time: i32) {
        let by = i32::try_from(slot).ok();
        self.told.push(Told { event: event & EVENT, parm, by, entity: None, temporary: false });
        if let Some(last) = self.events.get_mut(slot) {
            *last = LastEvent { event: counted, parm, time, seen: time, gone: true };
        }
    }
}
