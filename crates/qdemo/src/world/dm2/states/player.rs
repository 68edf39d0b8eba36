//! Players.

use super::{Vector, ZERO, all_units, degrees, eighths, floats, quarters, turns, units};
use crate::format::dm2::{
    Blend, Gun, GunIndex, KmPlayer, PlayerFog, PlayerInfo, PreciseGun, PreciseView, Stats, TestPlayerInfo,
};
use crate::format::mvd2::{PitchYaw, PlayerDelta};
use crate::wire::{Angle, F32};

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
    pub(super) viewangles: Vector,
    delta_angles: Vector,
    pub(super) origin: Vector,
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

    pub(in crate::world::dm2) fn apply(&mut self, m: &PlayerInfo) {
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
    pub(in crate::world::dm2) fn apply_test(&mut self, m: &TestPlayerInfo) {
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
