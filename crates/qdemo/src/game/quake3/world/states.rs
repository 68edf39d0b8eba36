//! States of entities and players, complete; and the baselines that they are differences to.

use std::sync::Arc;

use crate::format::dm3::{Array, Baseline, Change, Dialect, EntityField, Gamestate, PlayerField, Snapshot, State};

macro_rules! fields {
    ($ty:ident, $field:ident) => {
        impl $ty {
            /// An integer field.
            #[inline]
            pub fn int(&self, field: $field) -> i32 {
                self.fields.get(field as usize).map_or(0, |v| *v as i32)
            }

            /// A float field.
            #[inline]
            pub fn float(&self, field: $field) -> f32 {
                self.fields.get(field as usize).map_or(0.0, |v| f32::from_bits(*v))
            }

            /// Three float fields.
            #[inline]
            pub fn vector(&self, fields: [$field; 3]) -> [f32; 3] {
                fields.map(|field| self.float(field))
            }

            /// The bits of a field, as on the wire: an integer, or a float.
            pub fn bits(&self, field: $field) -> u32 {
                self.fields.get(field as usize).copied().unwrap_or(0)
            }

            /// Sets an integer field.
            pub fn set_int(&mut self, field: $field, value: i32) {
                self.set(field, value as u32);
            }

            /// Sets a float field.
            pub fn set_float(&mut self, field: $field, value: f32) {
                self.set(field, value.to_bits());
            }

            /// Sets the bits of a field. Of an integer as many are sent as the protocol has for it.
            pub fn set(&mut self, field: $field, bits: u32) {
                if let Some(to) = self.fields.get_mut(field as usize) {
                    *to = bits;
                }
            }
        }
    };
}

/// An entity with all its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityState {
    pub(super) fields: [u32; EntityField::ALL.len()],
}

fields!(EntityState, EntityField);

impl EntityState {
    /// The state that baselines are differences to.
    pub const ZERO: EntityState = EntityState { fields: [0; EntityField::ALL.len()] };

    pub(super) const BASE: [EntityField; 3] =
        [EntityField::PosTrBaseX, EntityField::PosTrBaseY, EntityField::PosTrBaseZ];
    pub(super) const DELTA: [EntityField; 3] =
        [EntityField::PosTrDeltaX, EntityField::PosTrDeltaY, EntityField::PosTrDeltaZ];
    pub(super) const TURN_BASE: [EntityField; 3] =
        [EntityField::AposTrBaseX, EntityField::AposTrBaseY, EntityField::AposTrBaseZ];
    pub(super) const TURN_DELTA: [EntityField; 3] =
        [EntityField::AposTrDeltaX, EntityField::AposTrDeltaY, EntityField::AposTrDeltaZ];

    /// Takes over the fields that were sent.
    pub fn apply(&mut self, sent: &State<'_>) {
        sent.apply(&mut self.fields);
    }

    /// The type, without the events that temporary entities carry in it.
    pub fn kind(&self) -> i32 {
        self.int(EntityField::EType)
    }

    /// Where the entity is at a server time.
    pub fn origin(&self, time: i32) -> [f32; 3] {
        let gravity = match self.int(EntityField::PosGravity) {
            0 => DEFAULT_GRAVITY,
            gravity => gravity as f32,
        };
        let track = Track {
            kind: self.int(EntityField::PosTrType),
            start: self.int(EntityField::PosTrTime),
            duration: self.int(EntityField::PosTrDuration),
            gravity,
        };
        track.at(time, self.vector(Self::BASE), self.vector(Self::DELTA))
    }

    /// Pitch, yaw and roll at a server time, within a turn: what turns has no end of its own.
    pub fn angles(&self, time: i32) -> [f32; 3] {
        let track = Track {
            kind: self.int(EntityField::AposTrType),
            start: self.int(EntityField::AposTrTime),
            duration: self.int(EntityField::AposTrDuration),
            gravity: DEFAULT_GRAVITY,
        };
        let angles = track.at(time, self.vector(Self::TURN_BASE), self.vector(Self::TURN_DELTA));
        angles.map(|angle| if angle.abs() > 360.0 { within_a_turn(angle) } else { angle })
    }

    /// True for what goes on moving, or turning, by itself: no snapshot tells where it is now.
    pub(crate) fn moves(&self) -> bool {
        [EntityField::PosTrType, EntityField::AposTrType].iter().any(|field| (2..=5).contains(&self.int(*field)))
    }

    /// Health and armour: 16 bits of a number with sign, which the protocol declares without. The dead have less than none.
    pub fn health_and_armor(&self) -> [i32; 2] {
        [EntityField::Health, EntityField::Armor].map(|field| (self.int(field) as i16).into())
    }

    /// Velocity as sent: of players the real one, of others that at the beginning of the movement.
    pub fn velocity(&self) -> [f32; 3] {
        self.vector(Self::DELTA)
    }
}

/// Apart, as a remainder is slow and would else be taken of every angle.
#[cold]
#[inline(never)]
fn within_a_turn(angle: f32) -> f32 {
    angle % 360.0
}

/// What falls without a gravity of its own.
pub(super) const DEFAULT_GRAVITY: f32 = 800.0;

/// How something moves.
struct Track {
    kind: i32,
    start: i32,
    duration: i32,
    gravity: f32,
}

impl Track {
    /// Most things stand still.
    #[inline]
    fn at(&self, time: i32, base: [f32; 3], delta: [f32; 3]) -> [f32; 3] {
        if (2..=5).contains(&self.kind) { self.moved(time, base, delta) } else { base }
    }

    fn moved(&self, time: i32, base: [f32; 3], delta: [f32; 3]) -> [f32; 3] {
        // Milliseconds may lie anywhere in a damaged file.
        let since = |time: i32| (i64::from(time) - i64::from(self.start)) as f32 / 1000.0;
        let along = |t: f32| std::array::from_fn(|i| base[i] + delta[i] * t);
        match self.kind {
            2 => along(since(time)),
            3 => {
                let last = self.start.saturating_add(self.duration);
                along(since(time.min(last)).max(0.0))
            }
            4 if self.duration != 0 => {
                let turns = since(time) * 1000.0 / self.duration as f32;
                along((turns * std::f32::consts::TAU).sin())
            }
            5 => {
                let t = since(time);
                let mut at = along(t);
                at[2] -= 0.5 * self.gravity * t * t;
                at
            }
            _ => base,
        }
    }
}

/// A player with all fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerState {
    pub(super) fields: [u32; PlayerField::ALL.len()],
    pub(super) arrays: [[i32; Array::SLOTS]; 4],
}

fields!(PlayerState, PlayerField);

impl PlayerState {
    /// The state that a complete snapshot is a difference to.
    pub const ZERO: PlayerState = PlayerState { fields: [0; PlayerField::ALL.len()], arrays: [[0; Array::SLOTS]; 4] };

    /// Takes over what a snapshot tells of the player.
    pub fn apply(&mut self, snapshot: &Snapshot) {
        snapshot.player().apply(&mut self.fields);
        for (array, slot, value) in snapshot.arrays() {
            self.set_slot(array, slot, value);
        }
    }

    /// Sets a slot of an array, if there is one.
    pub fn set_slot(&mut self, array: Array, slot: usize, value: i32) {
        if let Some(to) = self.arrays[array as usize].get_mut(slot) {
            *to = value;
        }
    }

    /// A slot of an array; 0 beyond its 16.
    pub fn slot(&self, array: Array, slot: usize) -> i32 {
        self.array(array).get(slot).copied().unwrap_or(0)
    }

    /// A whole array.
    pub fn array(&self, array: Array) -> &[i32; Array::SLOTS] {
        &self.arrays[array as usize]
    }
}

impl Baseline {
    /// The baseline of an entity, for a [`Gamestate`].
    pub fn new(number: u16, state: &EntityState, d: &Dialect) -> Self {
        Self::telling(number, &state.fields, d)
    }
}

/// The baselines of a level.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    /// By entity number: one more than the place in `states`, 0 for none.
    places: Vec<u16>,
    states: Vec<EntityState>,
}

impl Baselines {
    /// Numbers that ten bits can tell.
    const NUMBERS: usize = 1024;

    pub(super) fn of(gamestate: &Gamestate) -> Arc<Self> {
        Arc::new(Self::from(gamestate))
    }

    /// The baseline of an entity; all zero where the level has none.
    #[inline]
    pub fn get(&self, number: u16) -> &EntityState {
        let place = self.places.get(usize::from(number)).map_or(0, |p| usize::from(*p));
        place.checked_sub(1).and_then(|n| self.states.get(n)).unwrap_or(&EntityState::ZERO)
    }

    /// The entities that have one.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &EntityState)> + '_ {
        let there = self.places.iter().enumerate().filter(|(_, place)| **place != 0);
        there.map(|(number, _)| (number as u16, self.get(number as u16)))
    }
}

/// Those that a gamestate tells.
impl From<&Gamestate> for Baselines {
    fn from(gamestate: &Gamestate) -> Self {
        let mut it = Baselines { places: vec![0; Baselines::NUMBERS], states: Vec::new() };
        for update in gamestate.baselines() {
            let mut state = EntityState::ZERO;
            if let Change::Fields(fields) = update.change {
                state.apply(&fields);
            }
            it.states.push(state);
            if let (Some(place), Ok(n)) =
                (it.places.get_mut(usize::from(update.number)), u16::try_from(it.states.len()))
            {
                *place = n;
            }
        }
        it
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_move_as_their_tracks_say() {
        let (base, delta) = ([10.0, 20.0, 30.0], [100.0, 0.0, 50.0]);
        let track = |kind, duration| Track { kind, start: 1000, duration, gravity: 800.0 };
        // Stationary and interpolated things are where they were sent.
        assert_eq!(track(0, 0).at(3000, base, delta), base);
        assert_eq!(track(1, 0).at(3000, base, delta), base);
        // Two seconds at 100 units a second.
        assert_eq!(track(2, 0).at(3000, base, delta), [210.0, 20.0, 130.0]);
        // Stops after half a second, and has not begun before its time.
        assert_eq!(track(3, 500).at(3000, base, delta), [60.0, 20.0, 55.0]);
        assert_eq!(track(3, 500).at(900, base, delta), base);
        // A quarter of a swing is the whole amplitude.
        let swing = track(4, 4000).at(2000, base, delta);
        assert!((swing[0] - 110.0).abs() < 1e-3 && (swing[2] - 80.0).abs() < 1e-3);
        // One second of falling: 400 units down.
        assert_eq!(track(5, 0).at(2000, base, delta), [110.0, 20.0, -320.0]);
        // Hostile numbers do not overflow.
        track(3, i32::MAX).at(i32::MIN, base, delta);
        track(4, i32::MIN).at(i32::MAX, base, delta);
    }
}
