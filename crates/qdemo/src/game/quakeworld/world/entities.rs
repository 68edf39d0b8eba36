//! Entities, and the frames that later ones are told as the difference to.

use std::sync::Arc;

use crate::describe::State;
use crate::format::qwd::{Dialect, PacketEntity};
use crate::game::pairs::pairs;
use crate::game::quakeworld::world::states::EntityState;
use crate::world::Changes;

/// Numbers have 11 bits.
const NUMBERS: usize = 2048;

/// Base states by number.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    states: Vec<EntityState>,
    /// The numbers of those that were told, in order: a number may be far above all others.
    told: Vec<u16>,
}

impl Baselines {
    pub(crate) fn set(&mut self, state: EntityState) {
        let at = usize::from(state.number);
        if at >= NUMBERS {
            return;
        }
        if at >= self.states.len() {
            self.states.resize(at + 1, EntityState::default());
        }
        if let Some(to) = self.states.get_mut(at) {
            *to = state;
        }
        match self.told.binary_search(&state.number) {
            Ok(place) if state == EntityState::default() => _ = self.told.remove(place),
            Err(place) if state != EntityState::default() => self.told.insert(place, state.number),
            Ok(_) | Err(_) => {}
        }
    }

    /// The base state of an entity: zeros where none was told.
    #[inline]
    pub fn get(&self, number: u16) -> EntityState {
        self.states.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Those that were told.
    pub fn told(&self) -> impl Iterator<Item = &EntityState> {
        self.told.iter().filter_map(|number| self.states.get(usize::from(*number)))
    }
}

/// What a message makes of what is known of an entity.
#[inline]
fn after(m: &PacketEntity, known: EntityState, d: &Dialect) -> EntityState {
    let mut state = known;
    state.apply(m, d);
    state
}

/// What a server tells those who know the list `from` about the list `to`; without `from` the list is complete. Both are
/// in order of numbers.
pub fn diff_entities(
    from: Option<&[EntityState]>,
    to: &[EntityState],
    baselines: &Baselines,
    d: &Dialect,
) -> Vec<PacketEntity> {
    let all = pairs(from.unwrap_or_default(), to, |state| state.number);
    all.filter_map(|(number, old, new)| diff_entity(number, old, new, baselines, d)).collect()
}

/// The same where no others than those with these numbers, in order, can differ.
pub(crate) fn diff_entities_among(
    numbers: &[u16],
    [from, to]: [&[EntityState]; 2],
    baselines: &Baselines,
    d: &Dialect,
) -> Vec<PacketEntity> {
    let of = |all: &'_ [EntityState], number| all.binary_search_by_key(&number, |state| state.number).ok();
    let told = |number: &u16| {
        let old = of(from, *number).and_then(|at| from.get(at));
        let new = of(to, *number).and_then(|at| to.get(at));
        if old.is_none() && new.is_none() { None } else { diff_entity(*number, old, new, baselines, d) }
    };
    numbers.iter().filter_map(told).collect()
}

/// What to tell of an entity that was one and is another, if anything.
fn diff_entity(
    number: u16,
    old: Option<&EntityState>,
    new: Option<&EntityState>,
    baselines: &Baselines,
    d: &Dialect,
) -> Option<PacketEntity> {
    match (old, new) {
        (Some(old), Some(new)) => (old != new).then(|| State::diff(old, new, d)),
        (None, Some(new)) => Some(State::diff(&baselines.get(number), new, d)),
        (_, None) => Some(PacketEntity { remove: true, ..PacketEntity::of(number) }),
    }
}

/// What a list builds on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'w> {
    pub(super) baselines: &'w Baselines,
    pub(super) dialect: &'w Dialect,
}

/// The entities of one packet, by number.
#[derive(Debug, Default)]
pub(super) struct Frame {
    sequence: u32,
    entities: Vec<EntityState>,
}

impl Frame {
    fn put(&mut self, state: EntityState) {
        match self.entities.last() {
            // Servers keep the order of numbers. Whatever does not is put where it belongs.
            Some(last) if last.number >= state.number => {
                match self.entities.binary_search_by_key(&state.number, |e| e.number) {
                    Ok(at) => self.entities[at] = state,
                    Err(at) => self.entities.insert(at, state),
                }
            }
            _ => self.entities.push(state),
        }
    }

    fn remove(&mut self, number: u16) {
        if let Ok(at) = self.entities.binary_search_by_key(&number, |e| e.number) {
            self.entities.remove(at);
        }
    }

    /// Becomes `base` with what a list says differently. Entities that are not named stay.
    fn merge(&mut self, base: &[EntityState], list: &[PacketEntity], rules: Rules<'_>) {
        let mut rest = base;
        for m in list {
            let (stay, from) = rest.split_at(rest.partition_point(|e| e.number < m.entity.0));
            self.entities.extend_from_slice(stay);
            rest = from;
            let known = rest.first().filter(|e| e.number == m.entity.0);
            if known.is_some() {
                rest = rest.get(1..).unwrap_or_default();
            }
            if m.remove {
                self.remove(m.entity.0);
            } else {
                let known = known.copied().unwrap_or_else(|| rules.baselines.get(m.entity.0));
                self.put(after(m, known, rules.dialect));
            }
        }
        self.entities.extend_from_slice(rest);
    }

    /// The same without a copy of what stays, for a list in order of numbers. Notes what differs.
    fn update(&mut self, list: &[PacketEntity], rules: Rules<'_>, changes: &mut Changes) {
        for m in list {
            let number = m.entity.0;
            match self.entities.binary_search_by_key(&number, |e| e.number) {
                Ok(at) if m.remove => {
                    self.entities.remove(at);
                    changes.removed.push(number);
                }
                Ok(at) => {
                    let state = &mut self.entities[at];
                    let after = after(m, *state, rules.dialect);
                    if after != *state {
                        *state = after;
                        changes.changed.push(number);
                    }
                }
                Err(_) if m.remove => {}
                Err(at) => {
                    self.entities.insert(at, after(m, rules.baselines.get(number), rules.dialect));
                    changes.added.push(number);
                }
            }
        }
    }
}

/// What a list of entities is the difference to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// To the base states alone: the list is complete.
    Baselines,
    /// To the packet whose number has these lowest bits.
    Packet(u8),
}

/// The packets of late, and what is in view.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    /// By the lowest bits of the packet's number; empty in a multi-view recording, which has only the last list.
    ring: [Option<Arc<Frame>>; Self::RING],
    current: Option<Arc<Frame>>,
    /// The packet that is the base of the next one in a multi-view recording, once it is known.
    counter: Option<u8>,
    /// A list could not be taken in, for what it is the difference to is missing.
    missing: bool,
}

impl Default for Frames {
    fn default() -> Self {
        Frames { ring: [const { None }; Self::RING], current: None, counter: None, missing: false }
    }
}

impl Frames {
    const RING: usize = 64;

    pub(super) fn is_complete(&self) -> bool {
        !self.missing
    }

    /// Says that what the entities build on was not recorded.
    pub(super) fn lose(&mut self, changes: &mut Changes) {
        if let Some(before) = self.current.take() {
            changes.removed.extend(before.entities.iter().map(|e| e.number));
        }
        self.missing = true;
    }

    pub(super) fn entities(&self) -> &[EntityState] {
        self.current.as_ref().map(|frame| &*frame.entities).unwrap_or_default()
    }

    pub(super) fn entity(&self, number: u16) -> Option<&EntityState> {
        let all = self.entities();
        all.binary_search_by_key(&number, |e| e.number).ok().and_then(|at| all.get(at))
    }

    /// The packet whose list is in view: its number, which is 0 in a multi-view recording, and the list.
    pub(super) fn in_view(&self) -> Option<(u32, &[EntityState])> {
        self.current.as_ref().map(|frame| (frame.sequence, &*frame.entities))
    }

    /// The other packets that a list may still build on after the packet with a number, oldest first.
    pub(super) fn before(&self, sequence: u32) -> Vec<(u32, &[EntityState])> {
        let age = |frame: &Frame| sequence.wrapping_sub(frame.sequence);
        let in_view = self.in_view().map(|(number, _)| number);
        let mut frames: Vec<&Frame> = self.ring.iter().flatten().map(|frame| &**frame).collect();
        frames.retain(|frame| age(frame) < Self::RING as u32 && Some(frame.sequence) != in_view);
        frames.sort_by_key(|frame| std::cmp::Reverse(age(frame)));
        frames.into_iter().map(|frame| (frame.sequence, &*frame.entities)).collect()
    }

    /// Takes in the list of a client's packet with its number.
    pub(super) fn packet(
        &mut self,
        sequence: u32,
        base: Base,
        list: &[PacketEntity],
        rules: Rules<'_>,
        changes: &mut Changes,
    ) {
        let from = match base {
            Base::Baselines => None,
            Base::Packet(low) => {
                // The nearest earlier packet with these bits, if it is still there.
                let back = (sequence as u8).wrapping_sub(low);
                let wanted = sequence.wrapping_sub(u32::from(back));
                let there = (1..Self::RING as u8).contains(&back).then(|| self.slot(wanted)).flatten();
                let Some(frame) = there.filter(|frame| frame.sequence == wanted) else {
                    *self.slot_mut(sequence) = None;
                    return self.lose(changes);
                };
                Some(Arc::clone(frame))
            }
        };
        // The frame that stood here is used again, unless a copy of the world has it too.
        let mut next = self.slot_mut(sequence).take().unwrap_or_default();
        if Arc::get_mut(&mut next).is_none() {
            next = Arc::default();
        }
        // A list in order tells by itself what it changes in what is in view.
        let from_current = match (&self.current, &from) {
            (Some(current), Some(from)) => Arc::ptr_eq(current, from) && in_order(list),
            _ => false,
        };
        if let Some(frame) = Arc::get_mut(&mut next) {
            frame.sequence = sequence;
            frame.entities.clear();
            match &from {
                Some(from) if from_current => {
                    frame.entities.extend_from_slice(&from.entities);
                    frame.update(list, rules, changes);
                }
                from => frame.merge(from.as_ref().map(|f| &*f.entities).unwrap_or_default(), list, rules),
            }
        }
        *self.slot_mut(sequence) = Some(Arc::clone(&next));
        self.show(next, from_current, changes);
    }

    /// Takes in the list of a record that a server wrote: the base is the list before, and its number tells whether
    /// that is there.
    pub(super) fn record(&mut self, base: Base, list: &[PacketEntity], rules: Rules<'_>, changes: &mut Changes) {
        let from = match base {
            Base::Baselines => {
                self.counter = None;
                false
            }
            Base::Packet(number) => {
                let follows = self.counter.is_none_or(|counter| counter == number);
                self.counter = Some(number.wrapping_add(1));
                if !follows || self.current.is_none() {
                    return self.lose(changes);
                }
                true
            }
        };
        match self.current.as_mut().and_then(Arc::get_mut) {
            // Nobody else has the list before: it becomes the new one.
            Some(frame) if from && in_order(list) => {
                frame.update(list, rules, changes);
                self.missing = false;
            }
            _ => {
                let base = self.current.clone().filter(|_| from);
                let mut frame = Frame::default();
                frame.merge(base.as_ref().map(|f| &*f.entities).unwrap_or_default(), list, rules);
                self.show(Arc::new(frame), false, changes);
            }
        }
    }

    /// The number of the packet that a list in the packet `sequence` builds on, by its lowest bits, if that is not kept.
    pub(super) fn lost_base(&self, sequence: u32, low: u8) -> Option<u32> {
        let back = (sequence as u8).wrapping_sub(low);
        let wanted = sequence.wrapping_sub(u32::from(back));
        let near = (1..Self::RING as u8).contains(&back);
        let there = self.slot(wanted).is_some_and(|frame| frame.sequence == wanted);
        (!near || !there).then_some(wanted)
    }

    /// A list that is known stands for a lost one, that of the packet `number`, on which that of `sequence` builds: the first
    /// one behind it, which has all that was told until then; else the last one in front of it. An empty one, if that may be
    /// `invented`, where none is known. False when nothing can.
    pub(super) fn assume(&mut self, number: u32, sequence: u32, invented: bool) -> bool {
        let kept = || self.ring.iter().flatten();
        let behind =
            kept().filter(|frame| (1..sequence.wrapping_sub(number)).contains(&frame.sequence.wrapping_sub(number)));
        let before = kept().filter(|frame| number.wrapping_sub(frame.sequence) < 1 << 31);
        let known = behind.min_by_key(|frame| frame.sequence.wrapping_sub(number));
        let known = known.or_else(|| before.min_by_key(|frame| number.wrapping_sub(frame.sequence)));
        let known = known.or(self.current.as_ref());
        let known = known.map(|frame| frame.entities.clone()).or_else(|| invented.then(Vec::new));
        let Some(entities) = known else { return false };
        *self.slot_mut(number) = Some(Arc::new(Frame { sequence: number, entities }));
        true
    }

    /// Nothing stands for the list of a packet any more.
    pub(super) fn forget(&mut self, number: u32) {
        let slot = self.slot_mut(number);
        if slot.as_ref().is_some_and(|frame| frame.sequence == number) {
            *slot = None;
        }
    }

    /// True where the next list of a multi-view recording builds on another one than the last.
    pub(super) fn lacks_record(&self, number: u8) -> bool {
        self.current.is_none() || self.counter.is_some_and(|counter| counter != number)
    }

    /// The last list of a multi-view recording stands for the one in front of the next; an empty one, if that may be
    /// `invented`, where none is known. False when nothing can.
    pub(super) fn assume_record(&mut self, invented: bool) -> bool {
        if self.current.is_none() && invented {
            self.current = Some(Arc::default());
        }
        self.counter = None;
        self.current.is_some()
    }

    /// Entities with other numbers are no more in view.
    pub(super) fn keep(&mut self, is_kept: impl Fn(u16) -> bool) {
        let Some(current) = self.current.as_ref() else { return };
        if current.entities.iter().all(|e| is_kept(e.number)) {
            return;
        }
        let entities = current.entities.iter().filter(|e| is_kept(e.number)).copied().collect();
        let kept = Arc::new(Frame { sequence: current.sequence, entities });
        if let Some(slot) = self.ring.iter_mut().flatten().find(|slot| Arc::ptr_eq(slot, current)) {
            *slot = Arc::clone(&kept);
        }
        self.current = Some(kept);
    }

    /// From now on this is in view. `noted` when its changes are.
    fn show(&mut self, next: Arc<Frame>, noted: bool, changes: &mut Changes) {
        let before = self.current.replace(Arc::clone(&next));
        if !noted {
            compare(before.as_ref().map(|f| &*f.entities).unwrap_or_default(), &next.entities, changes);
        }
        self.missing = false;
    }

    #[inline]
    fn slot(&self, sequence: u32) -> Option<&Arc<Frame>> {
        self.ring[sequence as usize % Self::RING].as_ref()
    }

    #[inline]
    fn slot_mut(&mut self, sequence: u32) -> &mut Option<Arc<Frame>> {
        &mut self.ring[sequence as usize % Self::RING]
    }
}

/// True for a list in order of numbers, as all servers write it.
fn in_order(list: &[PacketEntity]) -> bool {
    list.is_sorted_by(|a, b| a.entity.0 < b.entity.0)
}

/// Notes what differs between two lists in order of numbers.
fn compare(before: &[EntityState], after: &[EntityState], changes: &mut Changes) {
    for (number, old, new) in pairs(before, after, |state| state.number) {
        match (old, new) {
            (Some(old), Some(new)) if old != new => changes.changed.push(number),
            (Some(_), None) => changes.removed.push(number),
            (None, Some(_)) => changes.added.push(number),
            _ => {}
        }
    }
}
