//! Players.

use crate::describe::{Boxed, Not, Share16, Where, Whole, state, told};
use crate::format::dm2::{Dialect, PlayerFog, PlayerInfo, TestPlayerInfo};
use crate::format::mvd2::PlayerDelta;
use crate::game::quake2::world::states::links::{Damage, Eighths, KmQuake2, Rerelease};
use crate::wire::F32;

state! {
    /// A player with all fields.
    pub struct PlayerState, told by PlayerInfo {
        /// Kind of movement: 0 normal, 1 spectator, 2 dead, 3 a head, 4 frozen. In the re-release: 0 normal, 1 grapple,
        /// 2 through walls, 3 spectator, 4 dead, 5 a head, 6 frozen.
        pm_type: u8 as "pm_type" = pm_type;
        /// Where the player is, in units.
        origin: [F32; 3] as "origin" = origin;
        /// Velocity in units a second.
        velocity: [F32; 3] as "velocity" = velocity;
        /// Time for which some flags last, in 8 ms; in the re-release in 1 ms.
        pm_time: u16 as "pm_time" = pm_time;
        /// 1 ducked, 2 jump held, 4 on ground, 8 water jump, 16 landing, 32 teleported, 64 no prediction.
        pm_flags: u16 as "pm_flags" = pm_flags;
        /// Gravity.
        gravity: i16 as "gravity" = gravity;
        /// What is added to the angles of commands, in degrees.
        delta_angles: [F32; 3] as "delta_angles" = delta_angles as Where<Not<Rerelease>>,
            delta_angles in precise as Where<Rerelease>;
        /// The eyes.
        eyes: Eyes = viewoffset as Where<Not<Rerelease>>, viewoffset in precise as Where<Rerelease>;
        /// Pitch, yaw and roll of the view, in degrees.
        viewangles: [F32; 3] as "viewangles" = viewangles as Where<Not<Rerelease>>,
            viewangles in precise as Where<Rerelease>;
        /// Kick of the view, in degrees.
        kick_angles: [F32; 3] as "kick_angles" = kick_angles as Where<Not<Rerelease>>,
            kick_angles in precise as Where<Rerelease>;
        /// Models of the weapons in view.
        guns: Guns = gunindex & gunindex2, gunskin & gunskin2 in kmquake2 as Where<KmQuake2>;
        /// The weapon in view.
        gun: GunView = gun as Where<Not<Rerelease>>, precise_gun as Where<Rerelease, Boxed>;
        /// Colours of the whole screen.
        screen: Screen = blend, damage_blend in rerelease as Where<Rerelease, Damage>;
        /// Fog that the player is in, in Q2PRO's extended demos.
        fog: Fog as "fog" = fog as Boxed;
        /// Highest speed, in KMQuake2.
        maxspeed: i16 as "maxspeed" = maxspeed in kmquake2;
        /// Speed when ducked, in KMQuake2.
        duckspeed: i16 as "duckspeed" = duckspeed in kmquake2;
        /// Speed in water, in KMQuake2.
        waterspeed: i16 as "waterspeed" = waterspeed in kmquake2;
        /// Acceleration, in KMQuake2.
        accel: i16 as "accel" = accel in kmquake2;
        /// Speed below which the player stops at once, in KMQuake2.
        stopspeed: i16 as "stopspeed" = stopspeed in kmquake2;
        /// Field of view in degrees.
        fov: u8 as "fov" = fov;
        /// 1 under water, 2 no world, 4 infrared, 8 ultraviolet.
        rdflags: u8 as "rdflags" = rdflags;
        /// Team, in the re-release.
        team_id: u8 as "team_id" = team_id in rerelease;
        /// Numbers on the status bar: 1 health, 3 ammo, 5 armour, 14 frags ...
        stats: [i16; 256] = stats;
    }
}

// In a multi-view recording.
told! {
    PlayerState by PlayerDelta {
        pm_type = pm_type;
        origin = origin_xy & origin_z;
        eyes = viewoffset;
        viewangles = view_pitch_yaw & view_roll;
        kick_angles = kick_angles;
        guns = gunindex;
        gun = gunframe & gunoffset & gunangles;
        screen = blend;
        fog = fog as Boxed;
        fov = fov;
        rdflags = rdflags;
        stats = stats;
    }
}

// In the test release, where each frame tells everything.
told! {
    PlayerState by TestPlayerInfo {
        origin = origin as Whole;
        viewangles = viewangles as Whole;
        delta_angles = delta_angles;
        guns = gunindex;
        gun = gun;
        screen = blend;
        stats = stats;
    }
}

state! {
    /// The eyes of a player.
    pub struct Eyes {
        /// Where they are, above the origin.
        offset: [F32; 3] as "viewoffset";
        /// Their height, in the re-release: the offset has it in it.
        height: i8 as "viewheight";
    }
}

state! {
    /// Models of the weapons in view. The second one is KMQuake2's.
    pub struct Guns {
        /// Model number; 0 none.
        index: u16 as "gunindex";
        /// Skin of the model.
        skin: u16 as "gunskin";
        /// Model number of the second one; 0 none.
        index2: u16 as "gunindex2";
        /// Its skin.
        skin2: u16 as "gunskin2";
    }
}

state! {
    /// Frame, place and direction of the weapon in view.
    pub struct GunView {
        /// Frame of the model.
        frame: u16 as "gunframe";
        /// That of the second weapon, in KMQuake2.
        frame2: u16 as "gunframe2";
        /// Place against the eyes.
        offset: [F32; 3] as "gunoffset";
        /// Direction against the view, in degrees.
        angles: [F32; 3] as "gunangles";
        /// Frames a second, in the re-release; 0 for 10.
        rate: u8 as "gunrate";
    }
}

state! {
    /// Colours of the whole screen: red, green, blue and opacity.
    pub struct Screen {
        /// As the game has it.
        blend: [u8; 4] as "blend";
        /// Of damage, in Q2PRO's extended demos and the re-release.
        damage: [u8; 4] as "damage_blend";
    }
}

state! {
    /// Fog that the player is in, in Q2PRO's extended demos.
    pub struct Fog, told by PlayerFog {
        /// Red, green and blue.
        color: [u8; 3] as "color" = color;
        /// How dense it is.
        density: FogDensity = density & sky_factor;
        /// How dense the fog is that depends on height.
        height_density: u16 as "height_density" = height_density;
        /// How fast that one thins out with height.
        height_falloff: u16 as "height_falloff" = height_falloff;
        /// Its colour at its start.
        start_color: [u8; 3] as "start_color" = start_color;
        /// Its colour at its end.
        end_color: [u8; 3] as "end_color" = end_color;
        /// Height of its start.
        start_height: Eighths as "start_height" = start_height;
        /// Height of its end.
        end_height: Eighths as "end_height" = end_height;
    }
}

state! {
    /// How dense fog is, and how much of the sky it hides: the two are told together.
    pub struct FogDensity {
        /// How dense it is.
        density: Share16 as "density";
        /// How much of the sky it hides.
        sky_factor: Share16 as "sky_factor";
    }
}

/// Engines do not guess where the player goes (`q_shared.h`).
pub(in crate::game::quake2) const PMF_NO_PREDICTION: u16 = 64;
/// Kinds of movement: by oneself, and none.
const PM_NORMAL: u8 = 0;
const PM_FREEZE: u8 = 4;

impl PlayerState {
    /// Numbers on the status bar, in the protocol that has most.
    pub const STATS: usize = 256;

    /// Where the player is, in units.
    pub fn origin(&self) -> [f32; 3] {
        self.origin.map(F32::get)
    }

    /// Velocity in units a second.
    pub fn velocity(&self) -> [f32; 3] {
        self.velocity.map(F32::get)
    }

    /// True where velocity and flags tell how the player moves. Of somebody who does not move by himself and whose way engines
    /// are not to guess, as games show one who is followed, they tell nothing.
    pub(crate) fn tells_movement(&self) -> bool {
        self.pm_flags & PMF_NO_PREDICTION == 0 || self.pm_type == PM_NORMAL
    }

    /// Says that how the player moves is not known, as Q2PRO does where it shows a player of a recording of all
    /// (`MVD_UpdateClient`). Those who are dead or watch stay so.
    pub(crate) fn hide_movement(&mut self) {
        self.pm_flags |= PMF_NO_PREDICTION;
        if self.pm_type == PM_NORMAL {
            self.pm_type = PM_FREEZE;
        }
    }

    /// The eyes above the origin.
    pub fn viewoffset(&self) -> [f32; 3] {
        self.eyes.offset.map(F32::get)
    }

    /// Pitch, yaw and roll of the view, in degrees.
    pub fn viewangles(&self) -> [f32; 3] {
        self.viewangles.map(F32::get)
    }

    /// What is added to the angles of commands, in degrees.
    pub fn delta_angles(&self) -> [f32; 3] {
        self.delta_angles.map(F32::get)
    }

    /// Kick of the view, in degrees.
    pub fn kick_angles(&self) -> [f32; 3] {
        self.kick_angles.map(F32::get)
    }

    /// Place of the weapon against the eyes.
    pub fn gun_offset(&self) -> [f32; 3] {
        self.gun.offset.map(F32::get)
    }

    /// Direction of the weapon against the view, in degrees.
    pub fn gun_angles(&self) -> [f32; 3] {
        self.gun.angles.map(F32::get)
    }

    /// A number on the status bar: 1 health, 3 ammo, 5 armour, 14 frags ...; 0 beyond those that there are.
    pub fn stat(&self, index: usize) -> i16 {
        self.stats.get(index).copied().unwrap_or(0)
    }
}
