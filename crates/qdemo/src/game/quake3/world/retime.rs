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

/// The times among the fields of an entity, beside those of movements.
const TIMES: [EntityField; 3] = [EntityField::Time, EntityField::Time2, EntityField::JumpTime];

/// What a field is in time.
#[derive(Clone, Copy)]
enum Role {
    Other,
    /// A time, or 0.
    Time,
    /// The kind of a movement.
    Kind,
    /// Of a movement: when it began, how long it lasts, how fast it is.
    Start(&'static Fields),
    Duration(&'static Fields),
    Delta(&'static Fields),
}

const ROLES: [Role; EntityField::ALL.len()] = {
    let mut roles = [Role::Other; EntityField::ALL.len()];
    let mut n = 0;
    while n < TIMES.len() {
        roles[TIMES[n] as usize] = Role::Time;
        n += 1;
    }
    let tracks: [&'static Fields; 2] = [&PLACE, &ANGLES];
    let mut n = 0;
    while n < tracks.len() {
        let track = tracks[n];
        roles[track.kind as usize] = Role::Kind;
        roles[track.start as usize] = Role::Start(track);
        roles[track.duration as usize] = Role::Duration(track);
        let mut i = 0;
        while i < track.delta.len() {
            roles[track.delta[i] as usize] = Role::Delta(track);
            i += 1;
        }
        n += 1;
    }
    roles
};

/// The fields whose role is one of some.
fn fields_that(is: impl Fn(Role) -> bool) -> Vec<u8> {
    EntityField::ALL.iter().map(|field| *field as u8).filter(|id| is(ROLES[usize::from(*id)])).collect()
}

impl EntityState {
    /// The fields that another clock changes, as numbers.
    pub(crate) fn timed_fields() -> Vec<u8> {
        fields_that(|role| !matches!(role, Role::Other | Role::Kind))
    }

    /// The fields that tell how it moves, as numbers.
    pub(crate) fn kinds_of_movement() -> Vec<u8> {
        fields_that(|role| matches!(role, Role::Kind))
    }

    /// True when it falls: at another speed it is on another line at every moment.
    #[inline]
    pub(crate) fn falls(&self) -> bool {
        [PLACE.kind, ANGLES.kind].map(|kind| self.int(kind)).contains(&track::GRAVITY)
    }

    /// The entity as it is shown when the clock shows `at` of what it showed, and runs at a speed; `now` is what it
    /// showed. Where something is at that moment does not change.
    ///
    /// Times that are 0 are none, and stay so. What has a speed of its own has that speed. Where time stands still or runs
    /// back, and for what falls, the movement is a line that begins now.
    pub(crate) fn retimed(&self, now: i32, speed: f64, at: impl Fn(i32) -> i32) -> EntityState {
        let mut state = *self;
        for field in TIMES {
            self.retime_field(field, speed, &at, &mut state);
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
        if speed <= 0.0 || kind == track::GRAVITY && speed != 1.0 {
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
        self.retime_field(fields.start, speed, at, to);
        self.retime_field(fields.duration, speed, at, to);
        for field in fields.delta {
            self.retime_field(field, speed, at, to);
        }
    }

    fn retime_field(&self, field: EntityField, speed: f64, at: &impl Fn(i32) -> i32, to: &mut EntityState) {
        to.set(field, self.retimed_field(field as u8, self.bits(field), speed, at));
    }

    /// The bits of a field, given as a number, of an entity that moves as this one does, where time runs forward: what
    /// [`retimed`](Self::retimed) makes of them, but for what falls.
    pub(crate) fn retimed_field(&self, field: u8, bits: u32, speed: f64, at: impl Fn(i32) -> i32) -> u32 {
        let role = ROLES.get(usize::from(field)).copied().unwrap_or(Role::Other);
        match role {
            Role::Time if bits == 0 => 0,
            Role::Time => at(bits as i32) as u32,
            Role::Start(track) if (track::LINEAR..=track::GRAVITY).contains(&self.int(track.kind)) => {
                at(bits as i32) as u32
            }
            _ if speed == 1.0 => bits,
            Role::Delta(track) if matches!(self.int(track.kind), track::LINEAR | track::LINEAR_STOP) => {
                ((f64::from(f32::from_bits(bits)) * speed) as f32).to_bits()
            }
            Role::Duration(track) if matches!(self.int(track.kind), track::LINEAR_STOP | track::SINE) => {
                (f64::from(bits as i32) / speed).round() as i32 as u32
            }
            _ => bits,
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
    /// The fields that another clock changes, as numbers.
    pub(crate) const TIMES: [u8; 3] =
        [PlayerField::CommandTime as u8, PlayerField::JumpTime as u8, PlayerField::CrouchTime as u8];

    /// The player when the clock shows `at` of what it showed: the time of the last command, when powerups end, when
    /// players of Quake Live jumped and crouched. Times that are 0, and powerups without end, stay so.
    pub(crate) fn retimed(&self, at: impl Fn(i32) -> i32) -> PlayerState {
        let mut state = *self;
        for field in [PlayerField::CommandTime, PlayerField::JumpTime, PlayerField::CrouchTime] {
            state.set(field, Self::retimed_field(field as u8, self.bits(field), &at));
        }
        for (slot, ends) in self.array(Array::Powerups).iter().enumerate() {
            state.set_slot(Array::Powerups, slot, Self::retimed_slot(Array::Powerups, *ends, &at));
        }
        state
    }

    /// What that makes of the bits of a field, given as a number.
    pub(crate) fn retimed_field(field: u8, bits: u32, at: impl Fn(i32) -> i32) -> u32 {
        if bits != 0 && Self::TIMES.contains(&field) { at(bits as i32) as u32 } else { bits }
    }

    /// And of a slot of an array.
    pub(crate) fn retimed_slot(array: Array, value: i32, at: impl Fn(i32) -> i32) -> i32 {
        if array == Array::Powerups && (1..i32::MAX).contains(&value) { at(value) } else { value }
    }
}
