//! States of entities and players, complete, and the steps that lead to them.

use crate::format::dm2::{
    Angles16, Blend, FrameNumber, Gun, GunIndex, KmPlayer, PacketEntity, PlayerFog, PlayerInfo, PreciseGun,
    PreciseView, Quarters, SpawnBaseline, Stats, TestBaseline, TestEntity, TestPlayerInfo,
};
use crate::format::mvd2::{PitchYaw, PlayerDelta};
use crate::wire::{Angle, Coord, F32};

/// Eighths of a unit; a difference counts from `before`.
#[inline]
fn eighths(coord: Coord, before: i32) -> i32 {
    match coord {
        Coord::I16(v) | Coord::Short(v) => i32::from(v),
        Coord::I24Eighths(v) | Coord::Long(v) | Coord::NeedlesslyLong(v) => v,
        Coord::By(v) => before.saturating_add(i32::from(v)),
        // No height of fog has these.
        Coord::I24(..) | Coord::I32(_) | Coord::F32(_) | Coord::EitherShort(_) => (coord.get() * 8.0) as i32,
    }
}

/// Three numbers, kept as their bits: so that states can be compared.
type Vector = [F32; 3];
const ZERO: Vector = [F32::from_bits(0); 3];

fn floats(v: Vector) -> [f32; 3] {
    v.map(F32::get)
}

/// Units: all coordinates of the game fit, as 24 bits are the most that any has.
#[inline]
fn units(coord: Coord, before: F32) -> F32 {
    match coord {
        Coord::F32(v) => v,
        Coord::By(v) => F32::from(before.get() + f32::from(v) / 8.0),
        _ => F32::from(coord.get() as f32),
    }
}

#[inline]
fn all_units(coords: [Coord; 3], before: Vector) -> Vector {
    std::array::from_fn(|i| units(coords[i], before[i]))
}

#[inline]
fn degrees(angle: Angle) -> F32 {
    match angle {
        Angle::F32(v) => v,
        _ => F32::from(angle.degrees() as f32),
    }
}

fn turns(angles: Angles16) -> Vector {
    angles.0.map(|v| degrees(Angle::I16(v)))
}

fn quarters(v: Quarters) -> Vector {
    v.0.map(|v| F32::from(f32::from(v) / 4.0))
}

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
    pub(super) fn is_beam(&self) -> bool {
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
    pub(super) whole_sound: bool,
    /// Upper effects that are not told beside the others are none.
    pub(super) whole_effects: bool,
}

macro_rules! set {
    ($to:expr, $value:expr) => {
        if let Some(value) = $value {
            $to = value;
        }
    };
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
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.states.clear();
    }

    /// Takes in a baseline; its number is below the limit of the protocol.
    pub(super) fn set<U: Update>(&mut self, update: &U) {
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

/// Fog that the player is in, in Q2PRO's extended demos.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fog {
    /// Red, green and blue.
    pub color: [u8; 3],
    /// How dense it is, in 65535ths.
    pub density: u16,
    /// How much of the sky it hides, in 65535ths.
    pub sky_factor: u16,
    /// How dense the fog is that depends on height.
    pub height_density: u16,
    /// How fast that one thins out with height.
    pub height_falloff: u16,
    /// Its colours at its start and its end.
    pub height_colors: [[u8; 3]; 2],
    /// Heights of its start and its end, in eighths of a unit.
    pub heights: [i32; 2],
}

impl Fog {
    fn apply(&mut self, m: &PlayerFog) {
        set!(self.color, m.color);
        set!(self.density, m.density.map(|v| v.0));
        set!(self.sky_factor, m.sky_factor.map(|v| v.0));
        set!(self.height_density, m.height_density);
        set!(self.height_falloff, m.height_falloff);
        set!(self.height_colors[0], m.start_color);
        set!(self.height_colors[1], m.end_color);
        set!(self.heights[0], m.start_height.map(|c| eighths(c, 0)));
        set!(self.heights[1], m.end_height.map(|c| eighths(c, 0)));
    }
}

/// The weapon in view. The second one is KMQuake2's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GunState {
    /// Model number; 0 none.
    pub model: u16,
    /// Skin of the model.
    pub skin: u16,
    /// Frame of the model.
    pub frame: u16,
}

/// A player with all fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerState {
    /// Kind of movement: 0 normal, 1 spectator, 2 dead, 3 a head, 4 frozen. In the re-release: 0 normal, 1 grapple,
    /// 2 through walls, 3 spectator, 4 dead, 5 a head, 6 frozen.
    pub pm_type: u8,
    /// Time for which some flags last, in 8 ms; in the re-release in 1 ms.
    pub pm_time: u16,
    /// 1 ducked, 2 jump held, 4 on ground, 8 water jump, 16 landing, 32 teleported, 64 no prediction.
    pub pm_flags: u16,
    /// Gravity.
    pub gravity: i16,
    /// The weapons in view.
    pub guns: [GunState; 2],
    /// Colour of the whole screen: red, green, blue and opacity.
    pub blend: [u8; 4],
    /// That of damage, in Q2PRO's extended demos and the re-release.
    pub damage_blend: [u8; 4],
    /// Fog that the player is in.
    pub fog: Fog,
    /// Highest speed, that when ducked, that in water, acceleration, and the speed below which the player stops:
    /// KMQuake2.
    pub speeds: [i16; 5],
    /// Field of view in degrees.
    pub fov: u8,
    /// 1 under water, 2 no world, 4 infrared, 8 ultraviolet.
    pub rdflags: u8,
    /// Height of the eyes, in the re-release. The offset of the eyes has it in it.
    pub viewheight: i8,
    /// Frames of the weapon a second, in the re-release; 0 for 10.
    pub gunrate: u8,
    /// Team, in the re-release.
    pub team_id: u8,
    viewoffset: Vector,
    kick_angles: Vector,
    gun_offset: Vector,
    gun_angles: Vector,
    viewangles: Vector,
    delta_angles: Vector,
    origin: Vector,
    velocity: Vector,
    stats: [i16; PlayerState::STATS],
}

impl PlayerState {
    /// Numbers on the status bar, in the protocol that has most.
    pub const STATS: usize = 256;

    /// The state that a complete frame is a difference to.
    pub const ZERO: PlayerState = PlayerState {
        pm_type: 0,
        pm_time: 0,
        pm_flags: 0,
        gravity: 0,
        guns: [GunState { model: 0, skin: 0, frame: 0 }; 2],
        blend: [0; 4],
        damage_blend: [0; 4],
        fog: Fog {
            color: [0; 3],
            density: 0,
            sky_factor: 0,
            height_density: 0,
            height_falloff: 0,
            height_colors: [[0; 3]; 2],
            heights: [0; 2],
        },
        speeds: [0; 5],
        fov: 0,
        rdflags: 0,
        viewheight: 0,
        gunrate: 0,
        team_id: 0,
        viewoffset: ZERO,
        kick_angles: ZERO,
        gun_offset: ZERO,
        gun_angles: ZERO,
        viewangles: ZERO,
        delta_angles: ZERO,
        origin: ZERO,
        velocity: ZERO,
        stats: [0; PlayerState::STATS],
    };

    /// Where the player is, in units.
    pub fn origin(&self) -> [f32; 3] {
        floats(self.origin)
    }

    /// Velocity in units a second.
    pub fn velocity(&self) -> [f32; 3] {
        floats(self.velocity)
    }

    /// The eyes above the origin.
    pub fn viewoffset(&self) -> [f32; 3] {
        floats(self.viewoffset)
    }

    /// Pitch, yaw and roll of the view, in degrees.
    pub fn viewangles(&self) -> [f32; 3] {
        floats(self.viewangles)
    }

    /// What is added to the angles of commands, in degrees.
    pub fn delta_angles(&self) -> [f32; 3] {
        floats(self.delta_angles)
    }

    /// Kick of the view, in degrees.
    pub fn kick_angles(&self) -> [f32; 3] {
        floats(self.kick_angles)
    }

    /// Place of the weapon against the eyes.
    pub fn gun_offset(&self) -> [f32; 3] {
        floats(self.gun_offset)
    }

    /// Direction of the weapon against the view, in degrees.
    pub fn gun_angles(&self) -> [f32; 3] {
        floats(self.gun_angles)
    }

    /// A number on the status bar: 1 health, 3 ammo, 5 armour, 14 frags ...; 0 beyond those that there are.
    pub fn stat(&self, index: usize) -> i16 {
        self.stats.get(index).copied().unwrap_or(0)
    }

    /// All numbers on the status bar.
    pub fn stats(&self) -> &[i16; PlayerState::STATS] {
        &self.stats
    }

    pub(super) fn apply(&mut self, m: &PlayerInfo) {
        set!(self.pm_type, m.pm_type);
        set!(self.origin, m.origin.map(|o| all_units(o.map(|c| c.0), self.origin)));
        set!(self.velocity, m.velocity.map(|v| all_units(v.map(|c| c.0), self.velocity)));
        set!(self.pm_time, m.pm_time.map(|v| v.0));
        set!(self.pm_flags, m.pm_flags.map(|v| v.0));
        set!(self.gravity, m.gravity);
        set!(self.delta_angles, m.delta_angles.map(turns));
        set!(self.viewoffset, m.viewoffset.map(quarters));
        set!(self.viewangles, m.viewangles.map(turns));
        set!(self.kick_angles, m.kick_angles.map(quarters));
        if let Some(view) = &m.precise {
            self.precise(view);
        }
        if let Some(gun) = &m.precise_gun {
            self.precise_gun(gun);
        }
        self.hold(m.gunindex);
        set!(self.guns[1].model, m.gunindex2.map(|g| g.0));
        if let Some(gun) = &m.gun {
            self.gun(gun);
        }
        if let Some(km) = &m.kmquake2 {
            self.kmquake2(km);
        }
        self.screen(m.blend.as_ref(), m.fog.as_ref().map(|fog| &fog.0));
        set!(self.fov, m.fov);
        set!(self.rdflags, m.rdflags);
        self.numbers(&m.stats);
        if let Some(last) = &m.rerelease {
            if let Some(Blend::All(all)) = &last.damage_blend {
                self.damage_blend = *all;
            }
            set!(self.team_id, last.team_id);
        }
    }

    fn precise(&mut self, m: &PreciseView) {
        set!(self.delta_angles, m.delta_angles.map(|a| a.0));
        if let Some(offset) = &m.viewoffset {
            self.viewheight = offset.viewheight;
            self.viewoffset = offset.eyes().map(F32::from);
        }
        set!(self.viewangles, m.viewangles.map(|a| a.0));
        set!(self.kick_angles, m.kick_angles.map(|k| k.degrees().map(F32::from)));
    }

    fn precise_gun(&mut self, m: &PreciseGun) {
        self.guns[0].frame = m.frame;
        let p = &m.parts;
        let offset = [p.gunoffset_x, p.gunoffset_y, p.gunoffset_z];
        let angles = [p.gunangles_1, p.gunangles_2, p.gunangles_3];
        for (to, from) in self.gun_offset.iter_mut().chain(&mut self.gun_angles).zip(offset.into_iter().chain(angles)) {
            set!(*to, from);
        }
        set!(self.gunrate, p.gunrate);
    }

    /// In a multi-view recording.
    pub(in crate::world) fn apply_multiview(&mut self, m: &PlayerDelta) {
        set!(self.pm_type, m.pm_type);
        if let Some(xy) = m.origin_xy {
            self.origin[0] = units(xy.0[0], self.origin[0]);
            self.origin[1] = units(xy.0[1], self.origin[1]);
        }
        set!(self.origin[2], m.origin_z.map(|z| units(z.0, self.origin[2])));
        set!(self.viewoffset, m.viewoffset.map(quarters));
        if let Some(PitchYaw([pitch, yaw])) = m.view_pitch_yaw {
            self.viewangles[0] = degrees(Angle::I16(pitch));
            self.viewangles[1] = degrees(Angle::I16(yaw));
        }
        set!(self.viewangles[2], m.view_roll.map(|roll| degrees(Angle::I16(roll.0))));
        set!(self.kick_angles, m.kick_angles.map(quarters));
        self.hold(m.gunindex);
        set!(self.guns[0].frame, m.gunframe.map(u16::from));
        set!(self.gun_offset, m.gunoffset.map(quarters));
        set!(self.gun_angles, m.gunangles.map(quarters));
        self.screen(m.blend.as_ref(), m.fog.as_ref().map(|fog| &fog.0));
        set!(self.fov, m.fov);
        set!(self.rdflags, m.rdflags);
        if let Some(stats) = &m.stats {
            self.numbers(&stats.0);
        }
    }

    /// In the test release: each frame tells everything.
    pub(super) fn apply_test(&mut self, m: &TestPlayerInfo) {
        self.origin = all_units(m.origin, ZERO);
        self.viewangles = turns(m.viewangles);
        set!(self.delta_angles, m.delta_angles.map(turns));
        set!(self.guns[0].model, m.gunindex);
        if let Some(gun) = &m.gun {
            self.guns[0].frame = gun.frame;
            self.gun_offset = quarters(gun.offset);
            self.gun_angles = quarters(gun.angles);
        }
        if let Some(blend) = &m.blend {
            self.blend(blend);
        }
        self.numbers(&m.stats);
    }

    fn hold(&mut self, gun: Option<GunIndex>) {
        if let Some(gun) = gun {
            self.guns[0].model = gun.index;
            self.guns[0].skin = u16::from(gun.skin);
        }
    }

    fn gun(&mut self, gun: &Gun) {
        set!(self.guns[0].frame, gun.frame.map(u16::from));
        set!(self.guns[1].frame, gun.frame2.map(u16::from));
        self.gun_offset = quarters(gun.offset);
        self.gun_angles = quarters(gun.angles);
    }

    #[cold]
    fn kmquake2(&mut self, m: &KmPlayer) {
        set!(self.guns[0].skin, m.gunskin);
        set!(self.guns[1].skin, m.gunskin2);
        let all = [m.maxspeed, m.duckspeed, m.waterspeed, m.accel, m.stopspeed];
        for (to, from) in self.speeds.iter_mut().zip(all) {
            set!(*to, from);
        }
    }

    fn screen(&mut self, blend: Option<&Blend>, fog: Option<&PlayerFog>) {
        if let Some(blend) = blend {
            self.blend(blend);
        }
        if let Some(fog) = fog {
            self.fog.apply(fog);
        }
    }

    fn blend(&mut self, blend: &Blend) {
        match blend {
            Blend::All(all) => self.blend = *all,
            Blend::Parts(parts) => {
                let p = &parts.0;
                let own = [p.red, p.green, p.blue, p.alpha];
                let damage = [p.damage_red, p.damage_green, p.damage_blue, p.damage_alpha];
                let to = self.blend.iter_mut().chain(&mut self.damage_blend);
                for (to, from) in to.zip(own.into_iter().chain(damage)) {
                    set!(*to, from.map(|v| v.0));
                }
            }
        }
    }

    fn numbers(&mut self, stats: &Stats) {
        if stats.mask == 0 {
            return;
        }
        for (n, value) in stats.iter() {
            if let Some(stat) = self.stats.get_mut(n) {
                *stat = value;
            }
        }
    }
}
