//! Entities.

use crate::describe::{Alpha, Attenuation, Boxed, Not, Scale, State, Volume, Where, state, told};
use crate::format::dm2::{Dialect, PacketEntity, SpawnBaseline, TestBaseline, TestEntity};
use crate::game::quake2::world::states::PlayerState;
use crate::game::quake2::world::states::links::{KmQuake2, Rerelease};
use crate::wire::{F32, signed};

state! {
    /// An entity with all its fields.
    pub struct EntityState, told by PacketEntity, SpawnBaseline {
        /// Model number: 0 none, 255 that of the player whose number the skin tells.
        modelindex: u16 as "modelindex" = modelindex;
        /// Second model: weapon, flag ...
        modelindex2: u16 as "modelindex2" = modelindex2;
        /// Third model.
        modelindex3: u16 as "modelindex3" = modelindex3;
        /// Fourth model.
        modelindex4: u16 as "modelindex4" = modelindex4;
        /// Fifth model, in KMQuake2.
        modelindex5: u16 as "modelindex5" = modelindex5;
        /// Sixth model, in KMQuake2.
        modelindex6: u16 as "modelindex6" = modelindex6;
        /// Frame of the model.
        frame: u16 as "frame" = frame;
        /// Skin of the model; of a player the slot, plus 256 times the number of the weapon in hand; of a beam colours.
        skin: u32 as "skin" = skin;
        /// Effects.
        effects: Effects = effects & morefx, wide_effects;
        /// Render flags: `RF_` bits.
        renderfx: u32 as "renderfx" = renderfx;
        /// The box: see [`Solid`](crate::format::dm2::Solid).
        solid: u32 as "solid" = solid_in_front as Where<Rerelease>, solid as Where<Not<Rerelease>>;
        /// Sound that repeats.
        sound: LoopSound = sound & loop_attenuation;
        /// What happened to the entity in this frame; 0 nothing.
        event: u8 as "event" = event;
        /// Opacity; 0: nothing was said of it.
        alpha: Alpha as "alpha" = alpha_in_front as Where<KmQuake2>, alpha as Where<Not<KmQuake2>>;
        /// Size; 0: nothing was said of it.
        scale: Scale as "scale" = scale;
        /// Players at the recorder's screen who do not see it, in the re-release: a bit each.
        instance: u8 as "instance" = instance in rerelease;
        /// Entity that it belongs to, in the re-release; 0 none.
        owner: i16 as "owner" = owner in rerelease;
        /// Frame of the model in front of this one, in the re-release.
        old_frame: u16 as "old_frame" = old_frame in rerelease;
        /// Pitch, yaw and roll in degrees.
        angles: [F32; 3] as "angles" = angles_1 & angles_2 & angles_3;
        /// Where it is, in units.
        origin: [F32; 3] as "origin" = origin_x & origin_y & origin_z;
        /// Where it was in the frame before; of a beam its other end.
        old_origin: [F32; 3] as "old_origin" = old_origin_in_front as Where<Rerelease, Boxed>,
            old_origin as Where<Not<Rerelease>>;
    }
}

told! {
    EntityState by TestEntity, TestBaseline {
        modelindex = modelindex;
        frame = frame & frame16;
        skin = skin & skin32;
        effects = effects & effects16;
        renderfx = renderfx & renderfx16;
        angles = angles_1 & angles_2 & angles_3;
        origin = origin_x & origin_y & origin_z;
        old_origin = old_origin;
        sound = sound;
    }
}

state! {
    /// Effects of an entity.
    pub struct Effects {
        /// `EF_` bits.
        effects: u32 as "effects";
        /// More of them, in Q2PRO's extended demos and the re-release.
        more: u32 as "morefx";
    }
}

state! {
    /// A sound that an entity repeats.
    pub struct LoopSound {
        /// Number of the sound; 0 none.
        index: u16 as "sound";
        /// How loud it is; `None`: as usual.
        volume: Option<Volume> as "loop_volume";
        /// How fast it fades; `None`: as usual.
        attenuation: Option<Attenuation> as "loop_attenuation";
    }
}

impl EntityState {
    /// Where the entity is, in units.
    pub fn origin(&self) -> [f32; 3] {
        self.origin.map(F32::get)
    }

    /// Where it was in the frame before; of a beam its other end.
    pub fn old_origin(&self) -> [f32; 3] {
        self.old_origin.map(F32::get)
    }

    /// Pitch, yaw and roll in degrees.
    pub fn angles(&self) -> [f32; 3] {
        self.angles.map(F32::get)
    }

    /// Degrees of a player's view for one of the model's pitch: models bend by a third of it (`ClientEndServerFrame`).
    pub(in crate::game::quake2) const VIEW: f32 = 3.0;

    /// Where a player looks whose entity it is: pitch, yaw and roll in degrees. Most protocols cut the model's pitch to
    /// steps of 1.4 degrees: the view's is up to 4 degrees off. The view has no roll: that of the model says how fast the player
    /// goes aside (`SV_CalcRoll`).
    pub fn view_angles(&self) -> [f32; 3] {
        let [pitch, yaw, _] = self.angles();
        [signed(pitch) * Self::VIEW, yaw, 0.0]
    }

    /// True when the next frame shows the same unless it tells something.
    #[inline(always)]
    pub(in crate::game::quake2) fn rests(&self) -> bool {
        self.event == 0 && (self.old_origin == self.origin || self.is_beam())
    }

    /// The state in the next frame when nothing is told: events are over, and it was where it is. A beam keeps its ends.
    /// What is told of the next frame is the difference to this.
    #[inline]
    pub fn rested(&self) -> EntityState {
        let old_origin = if self.is_beam() { self.old_origin } else { self.origin };
        EntityState { event: 0, old_origin, ..*self }
    }

    #[inline(always)]
    pub(in crate::game::quake2) fn is_beam(&self) -> bool {
        const RF_BEAM: u32 = 128;
        self.renderfx & RF_BEAM != 0
    }

    /// Is where a player is, after it [rested](Self::rested).
    pub(in crate::game::quake2) fn stand(&mut self, player: &PlayerState) {
        self.origin = player.origin;
    }

    /// Is where a player is and looks there.
    pub(in crate::game::quake2) fn follow(&mut self, player: &PlayerState) {
        self.stand(player);
        let [pitch, yaw, _] = player.viewangles;
        self.angles = [F32::from(pitch.get() / Self::VIEW), yaw, F32::from(0.0)];
    }

    /// True when it is to be seen that this is not `before` any more.
    #[inline]
    pub(in crate::game::quake2) fn has_changed(&self, before: &EntityState) -> bool {
        let old_origin = if self.is_beam() { before.old_origin } else { self.old_origin };
        self.event != 0 || EntityState { event: 0, old_origin, ..*before } != *self
    }
}

/// What changes an entity.
pub(in crate::game::quake2) trait Update: Sized {
    fn number(&self) -> u16;
    fn removes(&self) -> bool;
    /// Changes the state, which [rested](EntityState::rested).
    fn update(&self, state: &mut EntityState, d: &Dialect);
}

macro_rules! update {
    ($($ty:ty, $removes:expr;)*) => {$(
        impl Update for $ty {
            #[inline(always)]
            fn number(&self) -> u16 {
                self.entity.0
            }
            #[inline(always)]
            fn removes(&self) -> bool {
                let removes: fn(&$ty) -> bool = $removes;
                removes(self)
            }
            #[inline(always)]
            fn update(&self, state: &mut EntityState, d: &Dialect) {
                state.apply(self, d);
            }
        }
    )*};
}

update! {
    PacketEntity, |m| m.remove;
    SpawnBaseline, |m| m.remove;
    TestEntity, |_| false;
    TestBaseline, |_| false;
}

/// The state that a message makes of an earlier one.
#[inline(always)]
pub(in crate::game::quake2) fn after<U: Update>(update: &U, from: &EntityState, d: &Dialect) -> EntityState {
    let mut state = from.rested();
    update.update(&mut state, d);
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
    pub(in crate::game::quake2) fn clear(&mut self) {
        self.places.clear();
        self.states.clear();
    }

    /// Takes in a baseline; its number is below the limit of the protocol.
    pub(in crate::game::quake2) fn set<U: Update>(&mut self, update: &U, d: &Dialect) {
        let mut state = EntityState::ZERO;
        update.update(&mut state, d);
        self.put(update.number(), state);
    }
    /// Takes in a state; its number is below the limit of the protocol.
    pub(in crate::game::quake2) fn put(&mut self, number: u16, state: EntityState) {
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

    /// One more than the highest number of an entity that has one.
    pub(in crate::game::quake2) fn numbers(&self) -> usize {
        self.places.len()
    }

    /// The entities that have one.
    pub fn iter(&self) -> impl Iterator<Item = (u16, &EntityState)> + '_ {
        let there = self.places.iter().enumerate().filter(|(_, place)| **place != 0);
        there.map(|(number, _)| (number as u16, self.get(number as u16)))
    }
}
