//! Entities: base states, and which of them a frame shows.

use crate::describe::{ByteOrShort, State};
use crate::format::dem::{Dialect, UpdateEntity};
use crate::game::quake::world::states::EntityState;
use crate::world::Changes;

/// An entity that the last frame shows.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct InView {
    /// Its number.
    pub number: u16,
    /// Its state.
    pub state: EntityState,
    /// It moves in steps: do not interpolate its place.
    pub step: bool,
    /// Do not interpolate from the frame before: it was not in view, has another model, or moves in steps.
    pub snap: bool,
    /// Time until its next step, in 255ths of a second from this frame; a tenth of a second when not told. (FitzQuake)
    pub lerp_finish: Option<u8>,
}

impl InView {
    /// An entity that moves as usual.
    pub(crate) fn new(number: u16, state: EntityState) -> Self {
        InView { number, state, step: false, snap: false, lerp_finish: None }
    }

    /// The update that a server sends for the entity, as the difference to its base state.
    pub fn update(&self, base: &EntityState, d: &Dialect) -> UpdateEntity {
        let mut m = UpdateEntity { entity: ByteOrShort(self.number), ..State::diff(base, &self.state, d) };
        (m.new, m.more.lerpfinish) = (self.step, self.lerp_finish);
        m
    }
}

/// The updates of a frame, in order of numbers: there is no message that removes, each frame tells all that is in view.
pub fn diff_entities(to: &[InView], baselines: &Baselines, d: &Dialect) -> Vec<UpdateEntity> {
    to.iter().map(|entity| entity.update(baselines.base(entity.number), d)).collect()
}

/// Base states by entity number. Numbers have gaps, so states stand in a row and an index finds them.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    /// Place in `states`, from 1; 0 none.
    index: Vec<u16>,
    states: Vec<(u16, EntityState)>,
    /// The base state of all others.
    zero: EntityState,
}

impl PartialEq for Baselines {
    fn eq(&self, other: &Self) -> bool {
        self.zero == other.zero && self.iter().eq(other.iter())
    }
}

impl Baselines {
    /// Forgets all; `zero` is the base state of those of which nothing is told.
    pub(super) fn clear(&mut self, zero: EntityState) {
        self.index.clear();
        self.states.clear();
        self.zero = zero;
    }

    pub(crate) fn set(&mut self, number: u16, state: EntityState) {
        let at = usize::from(number);
        if at >= self.index.len() {
            self.index.resize(at + 1, 0);
        }
        let Some(place) = self.index.get_mut(at) else { return };
        match self.states.get_mut(usize::from(*place).wrapping_sub(1)) {
            Some(old) => old.1 = state,
            None => {
                // 65,536 numbers, one more than places: the last of so many has to do without.
                let Ok(next) = u16::try_from(self.states.len() + 1) else { return };
                self.states.push((number, state));
                *place = next;
            }
        }
    }

    /// The base state that updates of an entity begin at: all zero where none was told.
    #[inline]
    pub fn base(&self, number: u16) -> &EntityState {
        self.get(number).unwrap_or(&self.zero)
    }

    /// The base state of an entity, if it was told.
    #[inline]
    pub fn get(&self, number: u16) -> Option<&EntityState> {
        let place = usize::from(*self.index.get(usize::from(number))?);
        self.states.get(place.wrapping_sub(1)).map(|s| &s.1)
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &EntityState)> {
        let places = self.index.iter().filter_map(|place| usize::from(*place).checked_sub(1));
        places.filter_map(|place| self.states.get(place)).map(|(number, state)| (*number, state))
    }
}

/// What is in view. There is no message that removes: who is not mentioned in a frame is not in view.
#[derive(Debug, Clone, Default)]
pub(super) struct Visible {
    /// By number.
    shown: Vec<InView>,
    /// What the block at hand told, in its order.
    fresh: Vec<InView>,
    /// True when `fresh` is not in order of numbers. Engines go through entities in order.
    mixed: bool,
    merged: Vec<InView>,
}

impl Visible {
    pub(super) fn all(&self) -> &[InView] {
        &self.shown
    }

    pub(super) fn get(&self, number: u16) -> Option<&InView> {
        self.shown.binary_search_by_key(&number, |e| e.number).ok().and_then(|at| self.shown.get(at))
    }

    /// Forgets what the block at hand told.
    pub(super) fn forget_fresh(&mut self) {
        self.fresh.clear();
        self.mixed = false;
    }

    /// Takes in an update.
    #[inline]
    pub(super) fn update(&mut self, m: &UpdateEntity, base: &EntityState, d: &Dialect) {
        let number = m.entity.0;
        self.mixed |= self.fresh.last().is_some_and(|last| last.number >= number);
        let lerp_finish = m.more.lerpfinish;
        self.fresh.push(InView { number, state: *base, step: m.new, snap: m.new, lerp_finish });
        // In place: a copy of what was just written in parts would have to wait for them.
        if let Some(entity) = self.fresh.last_mut() {
            entity.state.apply(m, d);
        }
    }

    /// A block is over: what it told is shown now, and what was shown before only when the frame goes on (`keep`).
    pub(super) fn settle(&mut self, keep: bool, changes: &mut Changes) {
        if self.mixed {
            self.put_in_order();
        }
        if keep && self.fresh.is_empty() {
            return;
        }
        let mut before = self.shown.iter();
        let mut next = before.next();
        for entity in &mut self.fresh {
            while let Some(old) = next.filter(|old| old.number < entity.number) {
                if keep {
                    self.merged.push(*old);
                } else {
                    changes.removed.push(old.number);
                }
                next = before.next();
            }
            match next.filter(|old| old.number == entity.number) {
                Some(old) => {
                    entity.snap |= old.state.model != entity.state.model;
                    if old.state != entity.state {
                        changes.changed.push(entity.number);
                    }
                    next = before.next();
                }
                None => {
                    entity.snap = true;
                    changes.added.push(entity.number);
                }
            }
            if keep {
                self.merged.push(*entity);
            }
        }
        for old in next.into_iter().chain(before) {
            if keep {
                self.merged.push(*old);
            } else {
                changes.removed.push(old.number);
            }
        }
        std::mem::swap(&mut self.shown, if keep { &mut self.merged } else { &mut self.fresh });
        self.fresh.clear();
        self.merged.clear();
    }

    /// Order by number; the last of several updates counts, as each begins at the base state.
    #[cold]
    fn put_in_order(&mut self) {
        self.fresh.sort_by_key(|e| e.number);
        self.fresh.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same {
                *earlier = *later;
            }
            same
        });
        self.mixed = false;
    }
}
