//! Entities: base states, and which of them a frame shows.

use crate::format::dem::{SpawnBaseline, SpawnBaseline2, SpawnStatic, SpawnStatic2, UpdateEntity};
use crate::wire::{Angle, Coord};
use crate::world::Changes;

/// The state of an entity.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EntityState {
    /// Model number; 0 none.
    pub model: u16,
    /// Frame of the model.
    pub frame: u16,
    /// 0 none, n: the colours of player n - 1.
    pub colormap: u8,
    /// Skin of the model.
    pub skin: u8,
    /// Effects: 1 brightfield, 2 muzzle flash, 4 bright light, 8 dim light.
    pub effects: u8,
    /// Printed without shadows. (Nehahra)
    pub fullbright: bool,
    /// Where it is, in units.
    pub origin: [f32; 3],
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
    /// Opacity, 0 to 1. `None`: opaque, unless the texture says other. (FitzQuake, Nehahra, BJP)
    pub opacity: Option<f32>,
    /// Size as a factor. (999)
    pub scale: f32,
}

impl EntityState {
    /// The base state of an entity that has none: all zero.
    pub(super) const ZERO: EntityState = EntityState {
        model: 0,
        frame: 0,
        colormap: 0,
        skin: 0,
        effects: 0,
        fullbright: false,
        origin: [0.0; 3],
        angles: [0.0; 3],
        opacity: None,
        scale: 1.0,
    };
}

/// The base state of an entity that has none: all zero.
impl Default for EntityState {
    fn default() -> Self {
        Self::ZERO
    }
}

/// An opacity byte of FitzQuake: 0 the default, else 1 to 255 for 0 to 1.
pub(super) fn opacity(byte: u8) -> Option<f32> {
    byte.checked_sub(1).map(|v| f32::from(v) / 254.0)
}

/// The state that a message without a mask spells out.
macro_rules! spelled_out {
    ($($message:ty),*) => {$(
        impl From<&$message> for EntityState {
            fn from(m: &$message) -> Self {
                EntityState {
                    model: m.default_modelindex.0,
                    frame: u16::from(m.default_frame),
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

spelled_out!(SpawnBaseline, SpawnStatic);

/// The same with FitzQuake's longer numbers.
macro_rules! spelled_out_long {
    ($($message:ty),*) => {$(
        impl From<&$message> for EntityState {
            fn from(m: &$message) -> Self {
                EntityState {
                    model: m.default_modelindex.0,
                    frame: m.default_frame.0,
                    colormap: m.default_colormap,
                    skin: m.default_skin,
                    origin: m.placement.origin.map(units),
                    angles: m.placement.angles.map(degrees),
                    opacity: m.default_alpha.and_then(opacity),
                    scale: m.default_scale.map_or(1.0, sixteenths),
                    ..EntityState::default()
                }
            }
        }
    )*};
}

spelled_out_long!(SpawnBaseline2, SpawnStatic2);

#[inline]
pub(super) fn units(v: Coord) -> f32 {
    v.get() as f32
}

#[inline]
pub(super) fn degrees(v: Angle) -> f32 {
    v.degrees() as f32
}

fn sixteenths(v: u8) -> f32 {
    f32::from(v) / 16.0
}

impl EntityState {
    /// Puts what an update tells on top of the base state.
    #[inline]
    fn update(&mut self, m: &UpdateEntity) {
        if let Some(v) = m.modelindex {
            self.model = v.0;
        }
        if let Some(v) = m.frame {
            self.frame = u16::from(v);
        }
        if let Some(v) = m.colormap {
            self.colormap = v;
        }
        if let Some(v) = m.skin {
            self.skin = v;
        }
        if let Some(v) = m.effects {
            self.effects = v;
        }
        for axis in 0..3 {
            if let Some(v) = m.place.first[axis] {
                self.origin[axis] = units(v);
            }
            if let Some(v) = m.place.second[axis] {
                self.angles[axis] = degrees(v);
            }
        }
        let more = &m.more;
        if let Some(high) = more.modelindex2 {
            self.model = self.model & 0xFF | u16::from(high) << 8;
        }
        if let Some(high) = more.frame2 {
            self.frame = self.frame & 0xFF | u16::from(high) << 8;
        }
        if let Some(v) = more.alpha {
            self.opacity = opacity(v);
        }
        if let Some(v) = more.scale {
            self.scale = sixteenths(v);
        }
        if let Some(trans) = &more.trans {
            self.opacity = Some(trans.alpha.get());
            self.fullbright = trans.fullbright.is_some_and(|v| v.get() > 0.5);
        }
    }
}

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

/// Base states by entity number. Numbers have gaps, so states stand in a row and an index finds them.
#[derive(Debug, Clone, Default)]
pub(super) struct Baselines {
    /// Place in `states`, from 1; 0 none.
    index: Vec<u16>,
    states: Vec<(u16, EntityState)>,
}

impl Baselines {
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.states.clear();
    }

    pub(super) fn set(&mut self, number: u16, state: EntityState) {
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

    /// The base state of an entity, if it was told.
    #[inline]
    pub(super) fn get(&self, number: u16) -> Option<&EntityState> {
        let place = usize::from(*self.index.get(usize::from(number))?);
        self.states.get(place.wrapping_sub(1)).map(|s| &s.1)
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u16, &EntityState)> {
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
    pub(super) fn update(&mut self, m: &UpdateEntity, base: &EntityState) {
        let number = m.entity.0;
        self.mixed |= self.fresh.last().is_some_and(|last| last.number >= number);
        let lerp_finish = m.more.lerpfinish;
        self.fresh.push(InView { number, state: *base, step: m.new, snap: m.new, lerp_finish });
        // In place: a copy of what was just written in parts would have to wait for them.
        if let Some(entity) = self.fresh.last_mut() {
            entity.state.update(m);
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
