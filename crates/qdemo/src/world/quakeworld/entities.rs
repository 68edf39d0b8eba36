//! Entities, and the frames that later ones are told as the difference to.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::format::dem::{SpawnBaseline, SpawnStatic};
use crate::format::qwd::{FteSpawnBaseline2, FteSpawnStatic2, PacketEntity};
use crate::wire::{Angle, Coord};
use crate::world::Changes;

/// An entity, or the base state of one. Everything is 0 that nothing was told of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EntityState {
    /// Its number; 0 for one that never changes.
    pub number: u16,
    /// Number of its model, from 1; 0 none.
    pub model: u16,
    /// Frame of the model.
    pub frame: u8,
    /// 0 none, n: the colours of player n - 1.
    pub colormap: u8,
    /// Skin of the model.
    pub skin: u8,
    /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light, 16 and 32 flags, 64 blue, 128 red.
    pub effects: u8,
    /// Where it is, in units.
    pub origin: [f32; 3],
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
    /// A hint for prediction: the entity is solid.
    pub solid: bool,
    /// Opacity in 255ths; 0 where nothing was told: opaque. (FTE)
    pub alpha: u8,
    /// Red, green and blue; all 0 where nothing was told. (FTE)
    pub color: [u8; 3],
}

/// Numbers have 11 bits.
const NUMBERS: usize = 2048;

impl EntityState {
    /// True for the same bits. Faster than a comparison of numbers, and a NaN does not change from itself.
    #[inline]
    fn is_same(&self, other: &EntityState) -> bool {
        let small = |e: &EntityState| {
            let bytes = [e.frame, e.colormap, e.skin, e.effects, e.alpha, u8::from(e.solid), 0, 0];
            let [r, g, b] = e.color.map(u64::from);
            let words = u64::from(e.number) | u64::from(e.model) << 16 | r << 32 | g << 40 | b << 48;
            (u64::from_le_bytes(bytes), words)
        };
        let places = self.origin.iter().zip(&other.origin).chain(self.angles.iter().zip(&other.angles));
        let moved = places.fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits()));
        moved == 0 && small(self) == small(other)
    }
}

/// A message that tells what is different about an entity.
pub(super) trait Delta {
    /// What is known of it, with what the message says differently.
    fn after(&self, known: &EntityState) -> EntityState;
}

macro_rules! delta {
    ($($ty:ty),*) => {$(
        impl Delta for $ty {
            #[inline]
            fn after(&self, known: &EntityState) -> EntityState {
                let mut it = EntityState { number: self.entity.0, ..*known };
                it.model = self.model.index.unwrap_or(it.model);
                it.frame = self.frame.unwrap_or(it.frame);
                it.colormap = self.colormap.unwrap_or(it.colormap);
                it.skin = self.skin.unwrap_or(it.skin);
                it.effects = self.effects.unwrap_or(it.effects);
                for (to, from) in it.origin.iter_mut().zip(&self.place.first) {
                    if let Some(from) = from {
                        *to = units(from.0);
                    }
                }
                for (to, from) in it.angles.iter_mut().zip(&self.place.second) {
                    if let Some(from) = from {
                        *to = degrees(*from);
                    }
                }
                it.solid |= self.solid;
                it.alpha = self.alpha.unwrap_or(it.alpha);
                if let Some(color) = self.colormod {
                    it.color = color.0;
                }
                it
            }
        }
    )*};
}

delta!(PacketEntity, FteSpawnStatic2, FteSpawnBaseline2);

macro_rules! from_base_state {
    ($($ty:ty, $number:expr;)*) => {$(
        impl From<&$ty> for EntityState {
            fn from(m: &$ty) -> Self {
                let number: fn(&$ty) -> u16 = $number;
                EntityState {
                    number: number(m),
                    model: m.default_modelindex.0,
                    frame: m.default_frame,
                    colormap: m.default_colormap,
                    skin: m.default_skin,
                    origin: m.placement.origin.map(units),
                    angles: m.placement.angles.map(degrees),
                    ..EntityState::default()
                }
            }
        }
    )*};
}

from_base_state! {
    SpawnBaseline, |m| m.entity;
    SpawnStatic, |_| 0;
}

/// A coordinate as a float; what the wire has fits exactly.
#[inline]
pub(super) fn units(v: Coord) -> f32 {
    match v {
        Coord::I16(v) => f32::from(v) / 8.0,
        Coord::F32(v) => v.get(),
        _ => v.get() as f32,
    }
}

/// An angle as a float; what the wire has fits exactly.
#[inline]
pub(super) fn degrees(v: Angle) -> f32 {
    match v {
        Angle::I8(v) => f32::from(v) * (360.0 / 256.0),
        Angle::I16(v) => f32::from(v) * (360.0 / 65536.0),
        Angle::F32(v) => v.get(),
    }
}

/// Base states by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Baselines(Vec<EntityState>);

impl Baselines {
    pub(super) fn set(&mut self, state: EntityState) {
        let at = usize::from(state.number);
        if at >= NUMBERS {
            return;
        }
        if at >= self.0.len() {
            self.0.resize(at + 1, EntityState::default());
        }
        if let Some(to) = self.0.get_mut(at) {
            *to = state;
        }
    }

    /// The base state of an entity: zeros where none was told.
    #[inline]
    pub(super) fn get(&self, number: u16) -> EntityState {
        self.0.get(usize::from(number)).copied().unwrap_or_default()
    }

    pub(super) fn told(&self) -> impl Iterator<Item = &EntityState> {
        self.0.iter().filter(|state| **state != EntityState::default())
    }
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
    fn merge(&mut self, base: &[EntityState], list: &[PacketEntity], baselines: &Baselines) {
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
                self.put(m.after(&known.copied().unwrap_or_else(|| baselines.get(m.entity.0))));
            }
        }
        self.entities.extend_from_slice(rest);
    }

    /// The same without a copy of what stays, for a list in order of numbers. Notes what differs.
    fn update(&mut self, list: &[PacketEntity], baselines: &Baselines, changes: &mut Changes) {
        for m in list {
            let number = m.entity.0;
            match self.entities.binary_search_by_key(&number, |e| e.number) {
                Ok(at) if m.remove => {
                    self.entities.remove(at);
                    changes.removed.push(number);
                }
                Ok(at) => {
                    let state = &mut self.entities[at];
                    let after = m.after(state);
                    if !after.is_same(state) {
                        *state = after;
                        changes.changed.push(number);
                    }
                }
                Err(_) if m.remove => {}
                Err(at) => {
                    self.entities.insert(at, m.after(&baselines.get(number)));
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

    /// Takes in the list of a client's packet with its number.
    pub(super) fn packet(
        &mut self,
        sequence: u32,
        base: Base,
        list: &[PacketEntity],
        baselines: &Baselines,
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
                    frame.update(list, baselines, changes);
                }
                from => frame.merge(from.as_ref().map(|f| &*f.entities).unwrap_or_default(), list, baselines),
            }
        }
        *self.slot_mut(sequence) = Some(Arc::clone(&next));
        self.show(next, from_current, changes);
    }

    /// Takes in the list of a record that a server wrote: the base is the list before, and its number tells whether
    /// that is there.
    pub(super) fn record(&mut self, base: Base, list: &[PacketEntity], baselines: &Baselines, changes: &mut Changes) {
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
                frame.update(list, baselines, changes);
                self.missing = false;
            }
            _ => {
                let base = self.current.clone().filter(|_| from);
                let mut frame = Frame::default();
                frame.merge(base.as_ref().map(|f| &*f.entities).unwrap_or_default(), list, baselines);
                self.show(Arc::new(frame), false, changes);
            }
        }
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
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(a), Some(b)) => a.number.cmp(&b.number),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let (mut a, mut b) = (None, None);
        if order != Ordering::Greater {
            a = old.next();
        }
        if order != Ordering::Less {
            b = new.next();
        }
        match (a, b) {
            (Some(a), Some(b)) if !a.is_same(b) => changes.changed.push(b.number),
            (Some(a), None) => changes.removed.push(a.number),
            (None, Some(b)) => changes.added.push(b.number),
            _ => {}
        }
    }
}
