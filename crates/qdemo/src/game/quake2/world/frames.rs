//! Frames: what the server says of one moment, complete; and the ring of those that later ones build on.

use std::sync::Arc;

use crate::describe::{ByteOrShort, State};
use crate::format::dm2::{
    Dialect, OldOriginInFront, OriginCoord, PacketEntities, PacketEntity, SpawnBaseline, TestEntities, TestEntity,
    TestNumber,
};
use crate::game::pairs::pairs;
use crate::game::quake2::world::states::{Baselines, EntityState, PlayerState, Update};
use crate::wire::{Coord, CoordKind};
use crate::world::Changes;

/// An entity in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InView {
    /// Its number.
    pub number: u16,
    /// Its state.
    pub state: EntityState,
}

/// What a server tells those who know the entities `from` about the entities `to`: nothing of what rests. Without `from`
/// the list is complete. Both are in order of numbers.
pub fn diff_entities(from: Option<&[InView]>, to: &[InView], baselines: &Baselines, d: &Dialect) -> PacketEntities {
    let all = pairs(from.unwrap_or_default(), to, |entity| entity.number);
    let told = all.filter_map(|(number, old, new)| {
        // Most of what is there rests.
        let same = |(old, new): (&InView, &InView)| old.state.rests() && old.state == new.state;
        if old.zip(new).is_some_and(same) { None } else { told_of(number, old, new, baselines, d) }
    });
    PacketEntities { entities: told.collect(), end_mask: 0 }
}

/// The same, where the entities are known that [have changed](EntityState::has_changed), in order of numbers: of the others only those that came
/// or went are looked at.
pub(crate) fn diff_entities_among(
    changed: &[u16],
    from: &[InView],
    to: &[InView],
    baselines: &Baselines,
    d: &Dialect,
) -> PacketEntities {
    let mut changed = changed.iter().peekable();
    let told = pairs(from, to, |entity| entity.number).filter_map(|(number, old, new)| {
        while changed.next_if(|changed| **changed < number).is_some() {}
        let is_among = changed.peek().is_some_and(|changed| **changed == number);
        let both = old.is_some() && new.is_some_and(|new| new.state.rests());
        if both && !is_among { None } else { told_of(number, old, new, baselines, d) }
    });
    PacketEntities { entities: told.collect(), end_mask: 0 }
}

/// What is told of an entity that was there, is there, or both.
fn told_of(
    number: u16,
    old: Option<&InView>,
    new: Option<&InView>,
    baselines: &Baselines,
    d: &Dialect,
) -> Option<PacketEntity> {
    let Some(InView { state, .. }) = new else {
        return Some(PacketEntity { entity: ByteOrShort(number), remove: true, ..PacketEntity::default() });
    };
    let known = old.map_or(baselines.get(number), |old| &old.state).rested();
    (old.is_none() || known != *state).then(|| diff_entity(number, &known, state, d))
}

/// What is told of an entity where a state is known, after it [rested](EntityState::rested).
pub(in crate::game::quake2) fn diff_entity(
    number: u16,
    from: &EntityState,
    to: &EntityState,
    d: &Dialect,
) -> PacketEntity {
    let mut m = PacketEntity { entity: ByteOrShort(number), ..State::diff(from, to, d) };
    places_by_box([&mut m.origin_x, &mut m.origin_y, &mut m.origin_z], &mut m.old_origin_in_front, to, d);
    m
}

/// What tells a baseline.
pub(super) fn diff_baseline(number: u16, to: &EntityState, d: &Dialect) -> SpawnBaseline {
    let mut m = SpawnBaseline { entity: ByteOrShort(number), ..State::diff(&EntityState::ZERO, to, d) };
    places_by_box([&mut m.origin_x, &mut m.origin_y, &mut m.origin_z], &mut m.old_origin_in_front, to, d);
    m
}

/// Places take two bytes where there is no box, in protocol 2022.
fn places_by_box(
    places: [&mut Option<OriginCoord>; 3],
    old: &mut Option<Box<OldOriginInFront>>,
    to: &EntityState,
    d: &Dialect,
) {
    if d.layout.origin_by_box && to.solid == 0 {
        let old = old.iter_mut().flat_map(|old| &mut old.0);
        let all = places.into_iter().flatten().chain(old);
        all.for_each(|place| place.0 = Coord::of_float(place.0.float(), CoordKind::EitherShort));
    }
}

/// All entities in sight, as the test release tells them.
pub fn diff_test_entities(to: &[InView], baselines: &Baselines, d: &Dialect) -> TestEntities {
    let told = |InView { number, state }: &InView| {
        let known = baselines.get(*number).rested();
        TestEntity { entity: TestNumber(*number), ..State::diff(&known, state, d) }
    };
    TestEntities { entities: to.iter().map(told).collect() }
}

/// What a list of entities means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'w> {
    /// The states that entities come into view with.
    pub(super) first: &'w Baselines,
    /// Numbers from here on no engine takes.
    pub(super) limit: u16,
    pub(super) dialect: &'w Dialect,
}

/// A frame, complete.
#[derive(Debug, Clone, Default)]
pub struct FullFrame {
    pub(super) number: i32,
    pub(super) delta: Option<i32>,
    pub(super) suppress: u8,
    pub(super) areas: Vec<u8>,
    pub(super) connected: Vec<u8>,
    pub(in crate::game::quake2) entities: Vec<InView>,
    /// Players with the client that the state is for; `None`: the recorder.
    pub(in crate::game::quake2) players: Vec<(Option<u8>, PlayerState)>,
}

impl FullFrame {
    /// Entities that there is room for at once.
    const USUAL: usize = 64;

    /// Number of the frame.
    pub fn number(&self) -> i32 {
        self.number
    }

    /// Number of the frame that it was told as a difference to; `None`: it was told in full.
    pub fn delta(&self) -> Option<i32> {
        self.delta
    }

    /// Packets that the server left out in front of it.
    pub fn suppress(&self) -> u8 {
        self.suppress
    }

    /// Areas that can be seen: a bit each.
    pub fn areas(&self) -> &[u8] {
        &self.areas
    }

    /// Clients that are connected. Only in Relay recordings.
    pub fn connected(&self) -> &[u8] {
        &self.connected
    }

    /// The entities, by number.
    pub fn entities(&self) -> &[InView] {
        &self.entities
    }

    /// The entity with a number.
    pub fn entity(&self, number: u16) -> Option<&EntityState> {
        // None stands further behind than its number says: players, who are asked for most, all do so in front.
        let front = self.entities.get(..=usize::from(number)).unwrap_or(&self.entities);
        let at = front.binary_search_by_key(&number, |e| e.number).ok()?;
        front.get(at).map(|e| &e.state)
    }

    /// The state of a player: of the recorder (`None`), or in Relay recordings of a client.
    pub fn player(&self, client: Option<u8>) -> Option<&PlayerState> {
        self.players.iter().find(|(of, _)| *of == client).map(|(_, state)| state)
    }

    /// Forgets everything but its memory.
    fn clear(&mut self) {
        self.areas.clear();
        self.connected.clear();
        self.entities.clear();
        self.players.clear();
    }

    /// Takes over what stays as it is.
    #[inline]
    fn carry(&mut self, entities: &[InView]) {
        let from = self.entities.len();
        self.entities.extend_from_slice(entities);
        for entity in self.entities.get_mut(from..).unwrap_or_default() {
            if !entity.state.rests() {
                entity.state = entity.state.rested();
            }
        }
    }

    /// Becomes what `updates` make of `base`; `changes` is for what differs from that. False when the list was not in
    /// order: then what it notes is of no use.
    #[inline(always)]
    fn merge<U: Update>(
        &mut self,
        base: &[InView],
        updates: &[U],
        rules: Rules<'_>,
        mut changes: Option<&mut Changes>,
    ) -> bool {
        self.entities.reserve(Self::USUAL.max(base.len() + updates.len()));
        let (mut rest, mut last) = (base, None);
        let mut in_order = true;
        for update in updates {
            let number = update.number();
            if number >= rules.limit {
                continue;
            }
            in_order &= last.replace(number).is_none_or(|last| last < number);
            let run = rest.iter().take_while(|e| e.number < number).count();
            let (before, mut behind) = rest.split_at(run);
            self.carry(before);
            let there = behind.split_first().filter(|(e, _)| e.number == number);
            let from = match there {
                Some((entity, others)) => {
                    behind = others;
                    &entity.state
                }
                None => rules.first.get(number),
            };
            rest = behind;
            if update.removes() {
                if let (Some(changes), Some(_)) = (&mut changes, there) {
                    changes.removed.push(number);
                }
                continue;
            }
            // In its place: what is built elsewhere and then moved costs a wait for all of it.
            self.entities.push(InView { number, state: from.rested() });
            let Some(InView { state, .. }) = self.entities.last_mut() else { continue };
            update.update(state, rules.dialect);
            if let Some(changes) = &mut changes {
                match there {
                    None => changes.added.push(number),
                    Some((was, _)) if state.has_changed(&was.state) => changes.changed.push(number),
                    Some(_) => {}
                }
            }
        }
        self.carry(rest);
        if !in_order {
            self.put_in_order();
        }
        in_order
    }

    /// Only damaged files have lists that are not: what comes later counts.
    #[cold]
    fn put_in_order(&mut self) {
        self.entities.reverse();
        self.entities.sort_by_key(|e| e.number);
        self.entities.dedup_by_key(|e| e.number);
    }

    /// Notes what differs from what was in view before.
    fn compare(&self, before: &[InView], changes: &mut Changes) {
        for (number, old, new) in pairs(before, &self.entities, |entity| entity.number) {
            match (old, new) {
                (Some(old), Some(new)) if new.state.has_changed(&old.state) => changes.changed.push(number),
                (Some(_), None) => changes.removed.push(number),
                (None, Some(_)) => changes.added.push(number),
                _ => {}
            }
        }
    }
}

/// The frame that is being told, and its memory. It is no state: a clone begins without.
#[derive(Debug, Default)]
struct Next(FullFrame);

impl Clone for Next {
    fn clone(&self) -> Self {
        Next::default()
    }
}

#[derive(Debug, Clone, Default)]
struct Slot {
    /// Number of the frame that stands here, while later ones may build on it.
    number: Option<i32>,
    frame: Arc<FullFrame>,
}

/// A frame that is being told.
#[derive(Debug, Clone, Copy)]
struct OpenFrame {
    /// Slot of the frame that it builds on.
    base: Option<usize>,
    /// Its entities have been told.
    entities: bool,
    /// What differs from the frame before is noted.
    noted: bool,
}

/// The frames that later ones may build on.
#[derive(Debug, Clone, Default)]
pub(super) struct Ring {
    slots: Vec<Slot>,
    /// Slot of the last complete frame.
    now: Option<usize>,
    next: Next,
    open: Option<OpenFrame>,
    /// Slots that were filled since the last [`Ring::begin_block`]: a bit each.
    filled: u64,
}

impl Ring {
    /// Slots of the largest ring.
    pub(super) const MOST: usize = 64;
    /// Frames from each of which to the next an entity changed, if it is to be held for one that always does.
    const RESTLESS: usize = 4;

    /// Marks what a block adds.
    pub(super) fn begin_block(&mut self) {
        self.filled = 0;
    }

    /// Forgets what the block added.
    pub(super) fn take_back(&mut self) {
        let filled = self.filled;
        let is_filled = |at: usize| filled >> (at % Self::MOST) & 1 == 1;
        self.slots.iter_mut().enumerate().filter(|(at, _)| is_filled(*at)).for_each(|(_, slot)| slot.number = None);
        self.now = self.now.filter(|at| !is_filled(*at));
        self.open = None;
    }

    /// Forgets all frames, and keeps `size` of those to come.
    /// `size` is a power of two.
    pub(super) fn begin(&mut self, size: usize) {
        self.slots.resize_with(size.min(Self::MOST), Slot::default);
        self.slots.iter_mut().for_each(|slot| slot.number = None);
        self.now = None;
        self.open = None;
    }

    /// False before the first level.
    pub(super) fn has_slots(&self) -> bool {
        !self.slots.is_empty()
    }

    /// The last complete frame.
    pub(super) fn now(&self) -> Option<&FullFrame> {
        self.slots.get(self.now?).map(|slot| &*slot.frame)
    }

    /// The frame with a number, while it is kept.
    pub(super) fn get(&self, number: i32) -> Option<&FullFrame> {
        let slot = self.slots.get(self.slot(number)?)?;
        (slot.number == Some(number)).then_some(&*slot.frame)
    }

    /// The number of slots is a power of two.
    fn slot(&self, number: i32) -> Option<usize> {
        Some(number as u32 as usize & self.slots.len().checked_sub(1)?)
    }

    /// A frame begins. False when what it builds on is not there: then nothing can be said of it.
    pub(super) fn open(&mut self, number: i32, delta: Option<i32>) -> bool {
        let base = delta.and_then(|n| self.slot(n).filter(|at| self.slots.get(*at).is_some_and(|s| s.number == delta)));
        self.open = None;
        if delta.is_some() && base.is_none() {
            // What builds on it cannot be told either. The frame in its slot is not what a later one means.
            if let Some(slot) = self.slot(number).and_then(|at| self.slots.get_mut(at)) {
                slot.number = slot.number.filter(|n| *n != number);
            }
            return false;
        }
        let frame = &mut self.next.0;
        frame.clear();
        (frame.number, frame.delta) = (number, delta);
        self.open = Some(OpenFrame { base, entities: false, noted: false });
        true
    }

    /// A frame that is known stands for a lost one: see [`World::assume`](super::World::assume). `told` are the numbers of
    /// the entities that the frame `number` tells of, which builds on the lost one.
    pub(super) fn assume(&mut self, lost: i32, number: i32, told: &[u16], invented: bool) -> bool {
        let kept = || self.slots.iter().filter(|slot| slot.number.is_some_and(|n| n < number));
        let behind = kept().filter(|slot| slot.number > Some(lost)).min_by_key(|slot| slot.number);
        let before = || kept().filter(|slot| slot.number < Some(lost)).max_by_key(|slot| slot.number);
        let known = match behind {
            Some(slot) => Some(Arc::clone(&slot.frame)),
            None => before().map(|slot| Arc::new(self.without_gone(&slot.frame, told))),
        };
        let Some(frame) = known.or_else(|| invented.then(Arc::default)) else { return false };
        let Some(slot) = self.slot(lost).and_then(|at| self.slots.get_mut(at)) else { return false };
        *slot = Slot { number: Some(lost), frame };
        true
    }

    /// A frame in front of a loss, without the entities that changed in every frame and that the first frame behind the
    /// loss does not tell of.
    fn without_gone(&self, known: &FullFrame, told: &[u16]) -> FullFrame {
        let mut earlier: Vec<_> = self.slots.iter().filter(|s| s.number.is_some_and(|n| n <= known.number)).collect();
        earlier.sort_by_key(|slot| std::cmp::Reverse(slot.number));
        earlier.truncate(Self::RESTLESS);
        let is_restless = |entity: u16| {
            let states: Option<Vec<_>> = earlier.iter().map(|slot| slot.frame.entity(entity)).collect();
            let changed = |pair: &[&EntityState]| matches!(pair, [a, b] if a.rested() != b.rested());
            states.is_some_and(|states| states.len() == Self::RESTLESS && states.windows(2).all(changed))
        };
        let mut left = known.clone();
        left.entities.retain(|e| told.contains(&e.number) || !is_restless(e.number));
        left
    }

    /// Nothing stands for a lost frame any more.
    pub(super) fn forget(&mut self, lost: i32) {
        if let Some(slot) = self.slot(lost).and_then(|at| self.slots.get_mut(at)) {
            slot.number = slot.number.filter(|n| *n != lost);
        }
    }

    /// Changes the last frame where it is; the first one is empty.
    pub(super) fn amend(&mut self, change: impl FnOnce(&mut FullFrame)) {
        let Some(slot) = self.slots.first_mut() else { return };
        let frame = Arc::make_mut(&mut slot.frame);
        if self.now.replace(0).is_none() {
            frame.clear();
            (frame.number, slot.number) = (0, Some(0));
        }
        change(frame);
    }

    /// The frame that is being told.
    pub(super) fn opened(&mut self) -> Option<&mut FullFrame> {
        self.open.map(|_| &mut self.next.0)
    }

    /// The state of a player in the frame that is being told.
    #[inline]
    pub(super) fn player(&mut self, client: Option<u8>, change: impl FnOnce(&mut PlayerState)) {
        let Some(open) = self.open else { return };
        let frame = &mut self.next.0;
        let base = open.base.and_then(|at| self.slots.get(at)).map_or(&[][..], |slot| &slot.frame.players);
        frame.players.retain(|(of, _)| *of != client);
        // As a slice: that copies the state once.
        match base.iter().position(|(of, _)| *of == client).and_then(|at| base.get(at..=at)) {
            Some(base) => frame.players.extend_from_slice(base),
            None => frame.players.push((client, PlayerState::ZERO)),
        }
        if let Some((_, state)) = frame.players.last_mut() {
            change(state);
        }
    }

    /// The entities of the frame that is being told: one list.
    #[inline]
    pub(super) fn entities<U: Update>(&mut self, updates: &[U], rules: Rules<'_>, changes: &mut Changes) {
        let Some(open) = self.open.as_mut().filter(|open| !open.entities) else { return };
        let frame = &mut self.next.0;
        let base = open.base.and_then(|at| self.slots.get(at)).map_or(&[][..], |slot| &slot.frame.entities);
        // Most build on the frame before: then what differs from that is found on the way.
        let noting = changes.is_quiet() && open.base.is_some() && open.base == self.now;
        open.entities = true;
        open.noted = frame.merge(base, updates, rules, noting.then_some(&mut *changes)) && noting;
        if noting && !open.noted {
            changes.added.clear();
            changes.changed.clear();
            changes.removed.clear();
        }
    }

    /// Everything of the frame has been told. True when there was one.
    pub(super) fn close(&mut self, changes: &mut Changes) -> bool {
        let Some(open) = self.open.take().filter(|open| open.entities) else { return false };
        if !open.noted {
            self.next.0.compare(self.now().map_or(&[][..], |frame| &frame.entities), changes);
        }
        let number = self.next.0.number;
        let Some(at) = self.slot(number) else { return false };
        let Some(slot) = self.slots.get_mut(at) else { return false };
        match Arc::get_mut(&mut slot.frame) {
            Some(frame) => std::mem::swap(frame, &mut self.next.0),
            // Some clone still has what stands here.
            None => slot.frame = Arc::new(std::mem::take(&mut self.next.0)),
        }
        slot.number = Some(number);
        self.now = Some(at);
        self.filled |= 1 << (at % Self::MOST);
        true
    }
}
