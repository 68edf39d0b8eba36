//! States on another clock.

use super::states::{DEFAULT_GRAVITY, EntityState, PlayerState};
use crate::format::dm3::{Array, EntityField, PlayerField};

/// How things move (`trType_t` in the game's `q_shared.h`).
mod track {
    pub(super) const STATIONARY: i32 = 0;
    pub(super) const LINEAR: i32 = 2;
    pub(super) const LINEAR_STOP: i32 = 3;
    pub(super) const SINE: i32 = 4;
    pub(super) const GRAVITY: i32 = 5;
}

/// The fields of a movement: of the place, or of the angles.
struct Fields {
    kind: EntityField,
    start: EntityField,
    duration: EntityField,
    base: [EntityField; 3],
    delta: [EntityField; 3],
}

const PLACE: Fields = Fields {
    kind: EntityField::PosTrType,
    start: EntityField::PosTrTime,
    duration: EntityField::PosTrDuration,
    base: EntityState::BASE,
    delta: EntityState::DELTA,
};
const ANGLES: Fields = Fields {
    kind: EntityField::AposTrType,
    start: EntityField::AposTrTime,
    duration: EntityField::AposTrDuration,
    base: EntityState::TURN_BASE,
    delta: EntityState::TURN_DELTA,
};

impl EntityState {
    /// The entity as it is shown when the clock shows `at` of what it showed, and runs at a speed; `now` is what it
    /// showed. Where something is at that moment does not change.
    ///
    /// Times that are 0 are none, and stay so. What has a speed of its own has that speed. Where time stands still or runs
    /// back, and for what falls, the movement is a line that begins now.
    pub(crate) fn retimed(&self, now: i32, speed: f64, at: impl Fn(i32) -> i32) -> EntityState {
        let mut state = *self;
        for field in [EntityField::Time, EntityField::Time2, EntityField::JumpTime] {
            if self.int(field) != 0 {
                state.set_int(field, at(self.int(field)));
            }
        }
        for fields in [&PLACE, &ANGLES] {
            self.move_on(fields, now, speed, &at, &mut state);
        }
        state
    }

    fn move_on(&self, fields: &Fields, now: i32, speed: f64, at: &impl Fn(i32) -> i32, to: &mut EntityState) {
        let kind = self.int(fields.kind);
        if !matches!(kind, track::LINEAR | track::LINEAR_STOP | track::SINE | track::GRAVITY) {
            return;
        }
        if speed == 1.0 {
            to.set_int(fields.start, at(self.int(fields.start)));
            return;
        }
        if speed <= 0.0 || kind == track::GRAVITY {
            let place = matches!(fields.kind, EntityField::PosTrType);
            let base = if place { self.origin(now) } else { self.angles(now) };
            let velocity = self.velocity_at(fields, now);
            to.set_int(fields.kind, if speed == 0.0 { track::STATIONARY } else { track::LINEAR });
            to.set_int(fields.start, at(now));
            to.set_int(fields.duration, 0);
            for (n, field) in fields.base.iter().enumerate() {
                to.set_float(*field, base.get(n).copied().unwrap_or_default());
            }
            for (n, field) in fields.delta.iter().enumerate() {
                to.set_float(*field, (f64::from(velocity.get(n).copied().unwrap_or_default()) * speed) as f32);
            }
            return;
        }
        to.set_int(fields.start, at(self.int(fields.start)));
        if kind != track::SINE {
            for field in fields.delta {
                to.set_float(field, (f64::from(self.float(field)) * speed) as f32);
            }
        }
        if kind != track::LINEAR {
            let duration = f64::from(self.int(fields.duration)) / speed;
            to.set_int(fields.duration, duration.round() as i32);
        }
    }

    /// Units, or degrees, a second.
    fn velocity_at(&self, fields: &Fields, now: i32) -> [f32; 3] {
        let delta = self.vector(fields.delta);
        let (start, duration) = (i64::from(self.int(fields.start)), i64::from(self.int(fields.duration)));
        let since = (i64::from(now) - start) as f32 / 1000.0;
        match self.int(fields.kind) {
            track::LINEAR_STOP if !(start..start + duration).contains(&now.into()) => [0.0; 3],
            track::SINE if duration != 0 => {
                let period = duration as f32 / 1000.0;
                let turn = std::f32::consts::TAU / period;
                delta.map(|delta| delta * turn * (since * turn).cos())
            }
            track::SINE => [0.0; 3],
            track::GRAVITY => {
                let gravity = match self.int(EntityField::PosGravity) {
                    0 => DEFAULT_GRAVITY,
                    gravity => gravity as f32,
                };
                let [x, y, z] = delta;
                [x, y, z - gravity * since]
            }
            _ => delta,
        }
    }
}

impl PlayerState {
    /// The player when the clock shows `at` of what it showed: the time of the last command, when powerups end, when
    /// players of Quake Live jumped and crouched. Times that are 0, and powerups without end, stay so.
    pub(crate) fn retimed(&self, at: impl Fn(i32) -> i32) -> PlayerState {
        let mut state = *self;
        for field in [PlayerField::CommandTime, PlayerField::JumpTime, PlayerField::CrouchTime] {
            if self.int(field) != 0 {
                state.set_int(field, at(self.int(field)));
            }
        }
        for (slot, ends) in self.array(Array::Powerups).iter().enumerate() {
            if (1..i32::MAX).contains(ends) {
                state.set_slot(Array::Powerups, slot, at(*ends));
            }
        }
        state
    }
}
