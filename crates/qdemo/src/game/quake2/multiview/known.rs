//! What was last told of every player and entity, of those who are gone too: later messages are differences to that.

use std::collections::BTreeMap;

use crate::describe::State;
use crate::format::dm2::{Dialect, PacketEntities, PacketEntity};
use crate::format::mvd2::{PlayerDelta, SceneDelta};
use crate::game::quake2::world::states::{Update, after};
use crate::game::quake2::{Baselines, EntityState, FullFrame, InView, PlayerState, diff_entity};
use crate::wire::F32;
use crate::world::Changes;

/// Kinds of movement: of a player whose entity is told without place and angles, and of those who died.
const PM_NORMAL: u8 = 0;
const PM_DEAD: u8 = 2;
const PM_HEAD: u8 = 3;

/// A player who is gone.
#[derive(Debug, Clone)]
struct Gone {
    slot: u8,
    /// Was here since the slot has its name.
    played: bool,
    /// Others were here since then: servers leave out who watches, and at the end of a match everybody at once.
    watches: bool,
    state: PlayerState,
}

/// What a frame of a level does not hold itself. Those who are here stand in the frame, which is changed where it is:
/// most of it stays as it was.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownStates {
    /// Slots of the players in the frame, in its order.
    slots: Vec<u8>,
    gone: Vec<Gone>,
    /// Where an entity stands in the frame, by number: one more than the index, 0 for none.
    places: Vec<u16>,
    /// Entities that are gone.
    entities_gone: Baselines,
    /// Entities that the last frame told of: they rest in the next one.
    moving: Vec<u16>,
}

/// Entities that a block changed, by number, as they were before it; `None`: not in view.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangedEntities(Vec<(u16, Option<EntityState>)>);

impl ChangedEntities {
    /// Remembers what an entity was, unless it is known.
    fn keep(&mut self, number: u16, was: Option<EntityState>) {
        match self.0.last() {
            Some((last, _)) if *last >= number => {
                if let Err(at) = self.0.binary_search_by_key(&number, |(number, _)| *number) {
                    self.0.insert(at, (number, was));
                }
            }
            _ => self.0.push((number, was)),
        }
    }

    /// Notes what is not as it was, and forgets it.
    pub(super) fn compare(&mut self, known: &KnownStates, frame: &FullFrame, changes: &mut Changes) {
        for (number, was) in self.0.drain(..) {
            let now = known.place(number).and_then(|at| frame.entities.get(at));
            match (was, now.map(|entity| &entity.state)) {
                (None, Some(_)) => changes.added.push(number),
                (Some(_), None) => changes.removed.push(number),
                (Some(was), Some(now)) if now.has_changed(&was) => changes.changed.push(number),
                _ => {}
            }
        }
    }
}

/// How a recording is to be understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'w> {
    /// Numbers of entities from here on no engine takes.
    pub(super) limit: u16,
    pub(super) dialect: &'w Dialect,
    /// It is about the first player who is here.
    pub(super) single: bool,
    /// Slot of the spectator that the server pretends to have.
    pub(super) pretended: Option<u8>,
}

/// Players, a bit for each slot.
#[derive(Default)]
struct Slots([u64; 4]);

impl Slots {
    fn set(&mut self, slot: u8) {
        if let Some(word) = self.0.get_mut(usize::from(slot) / 64) {
            *word |= 1 << (slot % 64);
        }
    }

    fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..=u8::MAX).step_by(64).zip(self.0).flat_map(|(from, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < u64::BITS).then(|| from + bit as u8)
            })
        })
    }
}

impl KnownStates {
    pub(super) fn clear(&mut self) {
        *self = KnownStates::default();
    }

    /// Changes the last frame into the one that is told; `before` gets what was there.
    pub(super) fn take_in(
        &mut self,
        frame: &mut FullFrame,
        scene: &SceneDelta,
        rules: Rules<'_>,
        before: &mut ChangedEntities,
    ) {
        for number in self.moving.drain(..) {
            let place = self.places.get(usize::from(number)).and_then(|place| usize::from(*place).checked_sub(1));
            let entity = place.and_then(|at| frame.entities.get_mut(at));
            if let Some(entity) = entity.filter(|entity| !entity.state.rests()) {
                entity.state = entity.state.rested();
            }
        }
        let mut told = Slots::default();
        for m in &scene.players {
            self.player(frame, m, rules.dialect);
            told.set(m.slot);
        }
        if rules.single {
            let slots = self.slots.iter().enumerate().map(|(n, slot)| Some(*slot).filter(|_| n > 0));
            frame.players.iter_mut().zip(slots).for_each(|((of, _), slot)| *of = slot);
        }
        if self.slots.iter().any(|slot| Some(*slot) != rules.pretended) {
            self.gone.iter_mut().for_each(|gone| gone.watches = true);
        }
        for m in scene.entities.entities.iter().filter(|m| m.number() < rules.limit) {
            self.entity(frame, m, rules.dialect, before);
            if let Some(slot) = m.number().checked_sub(1).and_then(|slot| u8::try_from(slot).ok()) {
                told.set(slot);
            }
        }
        for slot in told.iter() {
            self.follow(frame, slot, before);
        }
    }

    fn player(&mut self, frame: &mut FullFrame, m: &PlayerDelta, d: &Dialect) {
        let here = self.slots.binary_search(&m.slot);
        if let (Ok(at), false) = (here, m.remove) {
            if let Some((_, state)) = frame.players.get_mut(at) {
                state.apply(m, d);
            }
            return;
        }
        let (mut state, played) = match here {
            Ok(at) => {
                self.slots.remove(at);
                (frame.players.remove(at).1, true)
            }
            Err(_) => match self.gone.iter().position(|gone| gone.slot == m.slot) {
                Some(at) => {
                    let gone = self.gone.swap_remove(at);
                    (gone.state, gone.played)
                }
                None => (PlayerState::ZERO, false),
            },
        };
        state.apply(m, d);
        match here {
            Err(at) if !m.remove => {
                self.slots.insert(at, m.slot);
                frame.players.insert(at, (Some(m.slot), state));
            }
            _ => self.gone.push(Gone { slot: m.slot, played, watches: false, state }),
        }
    }

    /// Where an entity stands in the frame.
    #[inline]
    fn place(&self, number: u16) -> Option<usize> {
        self.places.get(usize::from(number)).and_then(|place| usize::from(*place).checked_sub(1))
    }

    /// Notes where the entities from a place on stand.
    fn note_places(&mut self, entities: &[InView], from: usize) {
        for (n, entity) in entities.iter().enumerate().skip(from) {
            let number = usize::from(entity.number);
            if self.places.len() <= number {
                self.places.resize(number + 1, 0);
            }
            if let Some(place) = self.places.get_mut(number) {
                *place = n as u16 + 1;
            }
        }
    }

    fn entity(&mut self, frame: &mut FullFrame, m: &PacketEntity, d: &Dialect, before: &mut ChangedEntities) {
        let number = m.number();
        let there = self.place(number);
        let was = there.and_then(|at| frame.entities.get(at)).map(|entity| entity.state);
        let state = after(m, was.as_ref().unwrap_or_else(|| self.entities_gone.get(number)), d);
        if m.removes() {
            self.entities_gone.put(number, state);
        }
        if was.is_some() || !m.removes() {
            self.moving.push(number);
            before.keep(number, was);
        }
        match there {
            Some(at) if m.removes() => {
                frame.entities.remove(at);
                self.places.get_mut(usize::from(number)).into_iter().for_each(|place| *place = 0);
                self.note_places(&frame.entities, at);
            }
            Some(at) => frame.entities.get_mut(at).into_iter().for_each(|entity| entity.state = state),
            None if m.removes() => {}
            None => {
                let at = frame.entities.partition_point(|entity| entity.number < number);
                frame.entities.insert(at, InView { number, state });
                self.note_places(&frame.entities, at);
            }
        }
    }

    /// The entity of a player is where the player is.
    fn follow(&mut self, frame: &mut FullFrame, slot: u8, before: &mut ChangedEntities) {
        let player = self.slots.binary_search(&slot).ok().and_then(|at| frame.players.get(at));
        let number = u16::from(slot) + 1;
        let entity = self.place(number).and_then(|at| frame.entities.get(at).map(|entity| (at, entity.state)));
        let (Some((_, player)), Some((at, was))) = (player, entity) else { return };
        let mut now = was;
        match player.pm_type {
            PM_NORMAL => now.follow(player),
            // Versions of Q2PRO differ in what the place of one who just died is told as a difference to.
            PM_DEAD | PM_HEAD => now.stand(player),
            _ => return,
        }
        if now != was {
            self.moving.push(number);
            before.keep(number, Some(was));
            frame.entities.get_mut(at).into_iter().for_each(|entity| entity.state = now);
        }
    }

    /// What a server that told everything up to `from` tells of what is in `to`: each with the frame that those stand in
    /// who are here.
    pub(super) fn diff(
        from: (&KnownStates, Option<&FullFrame>),
        to: (&KnownStates, Option<&FullFrame>),
        d: &Dialect,
    ) -> (Vec<PlayerDelta>, PacketEntities) {
        let slots = 0..=u8::MAX;
        let players: Vec<_> = slots.filter_map(|slot| Self::diff_player(slot, from, to, d)).collect();
        let numbers = [from, to].map(|(known, _)| known.places.len().max(known.entities_gone.numbers()));
        let numbers = 1..numbers.into_iter().max().unwrap_or_default() as u16;
        let entity = |number: u16| {
            let slot = number.checked_sub(1).and_then(|slot| u8::try_from(slot).ok());
            let player = slot.and_then(|slot| to.0.here(slot, to.1));
            // The places of players who move are those of their entities.
            let follows = player.is_some_and(|player| player.pm_type == PM_NORMAL);
            Self::diff_entity(number, from, to, follows, d)
        };
        (players, PacketEntities { entities: numbers.filter_map(entity).collect(), end_mask: 0 })
    }

    fn diff_player(
        slot: u8,
        from: (&KnownStates, Option<&FullFrame>),
        to: (&KnownStates, Option<&FullFrame>),
        d: &Dialect,
    ) -> Option<PlayerDelta> {
        let (was_here, is_here) = (from.0.here(slot, from.1), to.0.here(slot, to.1));
        let known = was_here.or_else(|| from.0.gone(slot)).unwrap_or(&PlayerState::ZERO);
        // Who is not known yet, as on a way back, is gone as he was.
        let state = is_here.or_else(|| to.0.gone(slot)).or(was_here)?;
        let told = was_here.is_some() != is_here.is_some() || known != state;
        told.then(|| PlayerDelta { slot, remove: is_here.is_none(), ..State::diff(known, state, d) })
    }

    fn diff_entity(
        number: u16,
        from: (&KnownStates, Option<&FullFrame>),
        to: (&KnownStates, Option<&FullFrame>),
        follows: bool,
        d: &Dialect,
    ) -> Option<PacketEntity> {
        let of = |(known, frame): (&KnownStates, Option<&FullFrame>)| {
            let at = known.place(number)?;
            frame?.entities.get(at).map(|entity| entity.state)
        };
        let (was_here, is_here) = (of(from), of(to));
        let known = was_here.unwrap_or_else(|| *from.0.entities_gone.get(number));
        let state = is_here.unwrap_or_else(|| *to.0.entities_gone.get(number));
        let rested = known.rested();
        if was_here.is_some() == is_here.is_some() && (rested == state || was_here.is_none() && known == state) {
            return None;
        }
        let mut m = diff_entity(number, &rested, &state, d);
        m.remove = is_here.is_none();
        if follows && is_here.is_some() {
            (m.origin_x, m.origin_y, m.origin_z) = (None, None, None);
            (m.angles_1, m.angles_2, m.angles_3) = (None, None, None);
        }
        let told = was_here.is_some() != is_here.is_some() || EntityState::told(&m) != 0;
        told.then_some(m)
    }

    /// The state of a player who is here.
    fn here<'w>(&self, slot: u8, frame: Option<&'w FullFrame>) -> Option<&'w PlayerState> {
        let at = self.slots.binary_search(&slot).ok()?;
        frame?.players.get(at).map(|(_, state)| state)
    }

    /// The state of a player who is gone.
    fn gone(&self, slot: u8) -> Option<&PlayerState> {
        self.gone.iter().find(|gone| gone.slot == slot).map(|gone| &gone.state)
    }

    /// What has to be told a frame earlier, as one frame cannot tell it: that players who are gone played, and the angles
    /// that entities took over from players while these moved, which are more precise than those of entities.
    pub(super) fn told_before(&self, frame: Option<&FullFrame>, d: &Dialect) -> (Vec<PlayerDelta>, PacketEntities) {
        let gone = self.gone.iter().filter(|gone| gone.played);
        let mut players: BTreeMap<u8, PlayerState> = gone.map(|gone| (gone.slot, gone.state)).collect();
        let mut entities = Vec::new();
        for slot in 0..u8::MAX {
            let number = u16::from(slot) + 1;
            let here = self.place(number).and_then(|at| frame?.entities.get(at)).map(|entity| entity.state);
            let state = here.unwrap_or_else(|| *self.entities_gone.get(number));
            let player = self.here(slot, frame);
            if here.is_some() && player.is_some_and(|player| player.pm_type == PM_NORMAL) {
                continue;
            }
            let resting = EntityState { event: 0, ..state };
            let mut m = diff_entity(number, &EntityState::ZERO, &resting, d);
            if after(&m, &EntityState::ZERO, d).angles == state.angles {
                continue;
            }
            (m.angles_1, m.angles_2, m.angles_3) = (None, None, None);
            entities.push(m);
            let player = player.or_else(|| self.gone(slot)).copied().unwrap_or(PlayerState::ZERO);
            let [pitch, yaw, _] = state.angles;
            let viewangles = [F32::from(pitch.get() * EntityState::VIEW), yaw, F32::from(0.0)];
            players.insert(slot, PlayerState { pm_type: PM_NORMAL, viewangles, ..player });
        }
        let told =
            |(slot, state): (u8, PlayerState)| PlayerDelta { slot, ..State::diff(&PlayerState::ZERO, &state, d) };
        (players.into_iter().map(told).collect(), PacketEntities { entities, end_mask: 0 })
    }

    /// Players who are gone and were told something of: slot, state, and whether one played since the slot has its name.
    pub(super) fn players_gone(&self) -> BTreeMap<u8, (&PlayerState, bool)> {
        let known = self.gone.iter().filter(|gone| gone.played || gone.state != PlayerState::ZERO);
        known.map(|gone| (gone.slot, (&gone.state, gone.played))).collect()
    }

    /// Entities that are gone and were something.
    pub(super) fn entities_gone(&self) -> impl Iterator<Item = (u16, &EntityState)> {
        let gone = self.entities_gone.iter().filter(|(number, _)| self.place(*number).is_none());
        gone.filter(|(_, state)| **state != EntityState::ZERO)
    }

    /// True for a player who is gone, though others are here, or were since then.
    pub(super) fn watches(&self, slot: usize) -> bool {
        self.gone.iter().any(|gone| usize::from(gone.slot) == slot && gone.watches)
    }

    /// Slots of those who are here.
    pub(super) fn slots(&self) -> &[u8] {
        &self.slots
    }

    /// Slot of the first player who is here.
    pub(super) fn first(&self) -> Option<u8> {
        self.slots.first().copied()
    }

    /// Somebody else is in a slot.
    pub(super) fn forget(&mut self, slot: usize) {
        self.gone.iter_mut().filter(|gone| usize::from(gone.slot) == slot).for_each(|gone| gone.played = false);
    }

    /// The state of a player as it was last told, if the player was ever here.
    pub(super) fn last<'w>(&'w self, slot: usize, frame: Option<&'w FullFrame>) -> Option<&'w PlayerState> {
        let slot = u8::try_from(slot).ok()?;
        match self.slots.binary_search(&slot) {
            Ok(at) => frame?.players.get(at).map(|(_, state)| state),
            Err(_) => self.gone.iter().find(|gone| gone.slot == slot && gone.played).map(|gone| &gone.state),
        }
    }
}
