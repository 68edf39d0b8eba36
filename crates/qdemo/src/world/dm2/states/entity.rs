//! Entities.

use super::{PlayerState, Vector, ZERO, all_units, degrees, floats, units};
use crate::format::dm2::{FrameNumber, PacketEntity, SpawnBaseline, TestBaseline, TestEntity};
use crate::wire::F32;

/// An entity with all its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityState {
    /// Model numbers: 0 none, 255 that of the player whose number the skin tells. The last two are KMQuake2's.
    pub models: [u16; 6],
    /// Frame of the model.
    pub frame: u16,
    /// Skin of the model; of a player the slot, plus 256 times the number of the weapon in hand; of a beam colours.
    pub skin: u32,
    /// Effects: `EF_` bits.
    pub effects: u32,
    /// More effects, in Q2PRO's extended demos and the re-release.
    pub more_effects: u32,
    /// Render flags: `RF_` bits.
    pub renderfx: u32,
    /// The box: see [`Solid`](crate::format::dm2::Solid).
    pub solid: u32,
    /// Sound that repeats; 0 none.
    pub sound: u16,
    /// How loud it is, in 255ths; `None`: as usual.
    pub sound_volume: Option<u8>,
    /// How fast it fades, in 64ths; `None`: as usual.
    pub sound_attenuation: Option<u8>,
    /// What happened to the entity in this frame; 0 nothing.
    pub event: u8,
    /// Opacity in 255ths; 0: nothing was said of it.
    pub alpha: u8,
    /// Size in 16ths of the usual one; 0: nothing was said of it.
    pub scale: u8,
    /// Players at the recorder's screen who do not see it, in the re-release: a bit each.
    pub instance: u8,
    /// Entity that it belongs to, in the re-release; 0 none.
    pub owner: i16,
    /// Frame of the model in front of this one, in the re-release.
    pub old_frame: u16,
    angles: Vector,
    origin: Vector,
    old_origin: Vector,
}

impl EntityState {
    /// The state that baselines are differences to.
    pub const ZERO: EntityState = EntityState {
        models: [0; 6],
        frame: 0,
        skin: 0,
        effects: 0,
        more_effects: 0,
        renderfx: 0,
        solid: 0,
        sound: 0,
        sound_volume: None,
        sound_attenuation: None,
        event: 0,
        alpha: 0,
        scale: 0,
        instance: 0,
        owner: 0,
        old_frame: 0,
        angles: ZERO,
        origin: ZERO,
        old_origin: ZERO,
    };

    /// Where the entity is, in units.
    pub fn origin(&self) -> [f32; 3] {
        floats(self.origin)
    }

    /// Where it was in the frame before; of a beam its other end.
    pub fn old_origin(&self) -> [f32; 3] {
        floats(self.old_origin)
    }

    /// Pitch, yaw and roll in degrees.
    pub fn angles(&self) -> [f32; 3] {
        floats(self.angles)
    }

    /// True when the next frame shows the same unless it tells something.
    #[inline(always)]
    pub(in crate::world) fn rests(&self) -> bool {
        self.event == 0 && (self.old_origin == self.origin || self.is_beam())
    }

    /// The state in the next frame when nothing is told: events are over, and it was where it is. A beam keeps its ends.
    #[inline]
    pub(in crate::world) fn rested(&self) -> EntityState {
        let old_origin = if self.is_beam() { self.old_origin } else { self.origin };
        EntityState { event: 0, old_origin, ..*self }
    }

    #[inline(always)]
    pub(in crate::world::dm2) fn is_beam(&self) -> bool {
        const RF_BEAM: u32 = 128;
        self.renderfx & RF_BEAM != 0
    }

    /// Is where a player is, after it [rested](Self::rested).
    pub(in crate::world) fn stand(&mut self, player: &PlayerState) {
        self.origin = player.origin;
    }

    /// Is where a player is and looks there.
    pub(in crate::world) fn follow(&mut self, player: &PlayerState) {
        self.stand(player);
        // Others see a third of the pitch.
        let [pitch, yaw, _] = player.viewangles;
        self.angles = [F32::from(pitch.get() / 3.0), yaw, F32::from(0.0)];
    }

    /// True when it is to be seen that this is not `before` any more.
    #[inline]
    pub(in crate::world) fn differs(&self, before: &EntityState) -> bool {
        let old_origin = if self.is_beam() { before.old_origin } else { self.old_origin };
        self.event != 0 || EntityState { event: 0, old_origin, ..*before } != *self
    }
}

/// What changes an entity.
pub(in crate::world) trait Update {
    fn number(&self) -> u16;
    fn removes(&self) -> bool;
    /// Changes the state; the origin of `to` is still that of before.
    fn apply(&self, to: &mut EntityState, rules: Wholes);
}

/// What is told as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::world) struct Wholes {
    /// What is not said of a sound is as usual again.
    pub(in crate::world::dm2) whole_sound: bool,
    /// Upper effects that are not told beside the others are none.
    pub(in crate::world::dm2) whole_effects: bool,
}

macro_rules! update {
    ($($ty:ty),*) => {$(
        impl Update for $ty {
            #[inline(always)]
            fn number(&self) -> u16 {
                self.entity.0
            }
            #[inline(always)]
            fn removes(&self) -> bool {
                self.remove
            }
            #[inline(always)]
            fn apply(&self, to: &mut EntityState, rules: Wholes) {
                set!(to.models[0], self.modelindex.map(|m| m.0));
                set!(to.models[1], self.modelindex2.map(|m| m.0));
                set!(to.models[2], self.modelindex3.map(|m| m.0));
                set!(to.models[3], self.modelindex4.map(|m| m.0));
                set!(to.models[4], self.modelindex5.map(|m| m.0));
                set!(to.models[5], self.modelindex6.map(|m| m.0));
                set!(to.frame, frame(self.frame));
                set!(to.skin, self.skin.value());
                if let Some(effects) = self.effects.value() {
                    to.effects = effects;
                    if rules.whole_effects {
                        to.more_effects = 0;
                    }
                }
                if let Some(wide) = &self.wide_effects {
                    (to.effects, to.more_effects) = (wide.effects, wide.morefx);
                }
                set!(to.renderfx, self.renderfx.value());
                set!(to.origin[0], self.origin_x.map(|c| units(c.0, to.origin[0])));
                set!(to.origin[1], self.origin_y.map(|c| units(c.0, to.origin[1])));
                set!(to.origin[2], self.origin_z.map(|c| units(c.0, to.origin[2])));
                set!(to.angles[0], self.angles_1.map(|a| degrees(a.0)));
                set!(to.angles[1], self.angles_2.map(|a| degrees(a.0)));
                set!(to.angles[2], self.angles_3.map(|a| degrees(a.0)));
                let old_origin = self.old_origin.or(self.old_origin_in_front.as_ref().map(|o| o.0.map(|c| c.0)));
                set!(to.old_origin, old_origin.map(|o| all_units(o, to.old_origin)));
                if let Some(sound) = &self.sound {
                    to.sound = sound.index;
                    if rules.whole_sound {
                        to.sound_volume = sound.volume.map(|v| v.0);
                        to.sound_attenuation = sound.attenuation.map(|a| a.0);
                    }
                }
                set!(to.sound_attenuation, self.loop_attenuation.map(|a| Some(a.0.0)));
                set!(to.event, self.event);
                set!(to.solid, self.solid_in_front.map(|s| s.0.0).or(self.solid.map(|s| s.0)));
                set!(to.more_effects, self.morefx.value());
                set!(to.alpha, self.alpha_in_front.map(|a| a.0.0).or(self.alpha.map(|a| a.0)));
                set!(to.scale, self.scale.map(|s| s.0));
                if let Some(more) = &self.rerelease {
                    set!(to.instance, more.instance);
                    set!(to.owner, more.owner);
                    set!(to.old_frame, more.old_frame);
                }
            }
        }
    )*};
}

update!(PacketEntity, SpawnBaseline);

macro_rules! test_update {
    ($($ty:ty),*) => {$(
        impl Update for $ty {
            fn number(&self) -> u16 {
                self.entity.0
            }
            fn removes(&self) -> bool {
                false
            }
            fn apply(&self, to: &mut EntityState, _: Wholes) {
                set!(to.models[0], self.modelindex.map(|m| m.0));
                set!(to.frame, self.frame16.or(self.frame.map(u16::from)));
                set!(to.skin, self.skin32.or(self.skin.map(u32::from)));
                set!(to.effects, self.effects16.map(u32::from).or(self.effects.map(u32::from)));
                set!(to.renderfx, self.renderfx16.map(u32::from).or(self.renderfx.map(u32::from)));
                set!(to.origin[0], self.origin_x.map(|c| units(c, F32::default())));
                set!(to.origin[1], self.origin_y.map(|c| units(c, F32::default())));
                set!(to.origin[2], self.origin_z.map(|c| units(c, F32::default())));
                set!(to.angles[0], self.angles_1.map(degrees));
                set!(to.angles[1], self.angles_2.map(degrees));
                set!(to.angles[2], self.angles_3.map(degrees));
                set!(to.old_origin, self.old_origin.map(|o| all_units(o, ZERO)));
                set!(to.sound, self.sound.map(|s| s.0));
            }
        }
    )*};
}

test_update!(TestEntity, TestBaseline);

#[inline(always)]
fn frame(frame: FrameNumber) -> Option<u16> {
    frame.short.or(frame.byte.map(u16::from))
}

/// The state that a message makes of an earlier one.
#[inline(always)]
pub(in crate::world) fn after<U: Update>(update: &U, from: &EntityState, rules: Wholes) -> EntityState {
    let mut state = from.rested();
    update.apply(&mut state, rules);
    state
}

/// The states that entities come into view with.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    /// By entity number: one more than the place in `states`, 0 for none.
    places: Vec<u16>,
    states: Vec<EntityState>,
}

impl Baselines {
    pub(in crate::world::dm2) fn clear(&mut self) {
        self.places.clear();
        self.states.clear();
    }

    /// Takes in a baseline; its number is below the limit of the protocol.
    pub(in crate::world::dm2) fn set<U: Update>(&mut self, update: &U) {
        let mut state = EntityState::ZERO;
        update.apply(&mut state, Wholes { whole_sound: true, whole_effects: false });
        self.put(update.number(), state);
    }

    /// Takes in a state; its number is below the limit of the protocol.
    pub(in crate::world) fn put(&mut self, number: u16, state: EntityState) {
        let number = usize::from(number);
        if self.places.len() <= number {
            self.places.resize(number + 1, 0);
        }
        let Some(place) = self.places.get_mut(number) else { return };
        match usize::from(*place).checked_sub(1).and_then(|n| self.states.get_mut(n)) {
            Some(old) => *old = state,
            None => {
                self.states.push(state);
                *place = self.states.len() as u16;
            }
        }
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
