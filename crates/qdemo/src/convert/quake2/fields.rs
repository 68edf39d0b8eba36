//! What is left of the states of entities and players in another protocol.

use crate::convert::loss::Loss;
use crate::convert::places::nearest;
use crate::describe::{Alpha, Scale};
use crate::format::dm2::{Dialect, EntityMaskKind, Packing, StatsKind};
use crate::game::quake2::{Effects, EntityState, Eyes, Fog, GunView, PlayerState};
use crate::wire::{CoordKind, F32};

/// The way of states from one protocol to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) from: Dialect,
    pub(super) to: Dialect,
}

/// Whatever is lost is handed on.
pub(super) type Lose<'l> = &'l mut dyn FnMut(Loss);

impl Fields {
    /// What is left of an entity, but for the numbers of its models and sounds.
    pub(super) fn entity(&self, state: &EntityState, lose: Lose<'_>) -> EntityState {
        let to = self.to.layout;
        let has = |kinds: &[EntityMaskKind]| kinds.contains(&to.entity_mask);
        let kmquake2 = has(&[EntityMaskKind::KmQuake2]);
        let rerelease = has(&[EntityMaskKind::Rerelease]);
        let extended = rerelease || has(&[EntityMaskKind::Extended]);
        let mut it = *state;
        it.solid = self.solid(state.solid);
        if !kmquake2 {
            (it.modelindex5, it.modelindex6) = (0, 0);
        }
        if !extended {
            it.effects = Effects { more: 0, ..it.effects };
            it.scale = Scale::default();
            it.sound.volume = None;
        }
        if !extended && !kmquake2 {
            it.alpha = Alpha::default();
            it.sound.attenuation = None;
        }
        if !rerelease {
            (it.instance, it.owner, it.old_frame) = (0, 0, 0);
        }
        self.far(&mut it.origin, to.origin, lose);
        self.far(&mut it.old_origin, to.coord, lose);
        let left = it.as_told(&self.to);
        for (loss, lost) in [
            (Loss::Place, left.origin != it.origin || left.old_origin != it.old_origin),
            (Loss::Angle, left.angles != it.angles),
            (Loss::Model, (left.modelindex5, left.modelindex6) != (state.modelindex5, state.modelindex6)),
            (Loss::Effect, left.effects != state.effects),
            (Loss::Alpha, left.alpha != state.alpha),
            (Loss::Scale, left.scale != state.scale),
            (
                Loss::Volume,
                (left.sound.volume, left.sound.attenuation) != (state.sound.volume, state.sound.attenuation),
            ),
            (
                Loss::Rerelease,
                (left.instance, left.owner, left.old_frame) != (state.instance, state.owner, state.old_frame),
            ),
        ] {
            if lost {
                lose(loss);
            }
        }
        left
    }

    /// What is left of a player, but for the numbers of models.
    pub(super) fn player(&self, state: &PlayerState, lose: Lose<'_>) -> PlayerState {
        let to = self.to.layout;
        let mut it = *state;
        it.pm_type = self.movement(state.pm_type);
        it.pm_time = match (self.from.layout.rerelease, to.rerelease) {
            (true, false) => state.pm_time / MS_OF_TIME,
            (false, true) => state.pm_time.saturating_mul(MS_OF_TIME),
            _ => state.pm_time,
        };
        if !to.long_movement {
            it.pm_time = it.pm_time.min(u8::MAX.into());
            it.pm_flags &= u16::from(u8::MAX);
        }
        let kmquake2 = to.entity_mask == EntityMaskKind::KmQuake2;
        if !kmquake2 {
            (it.guns.index2, it.guns.skin2, it.gun.frame2) = (0, 0, 0);
            (it.maxspeed, it.duckspeed, it.waterspeed, it.accel, it.stopspeed) = (0, 0, 0, 0, 0);
        }
        it.guns.skin = match to.gun_index {
            Packing::PackedWord => it.guns.skin.min(7),
            _ if kmquake2 => it.guns.skin,
            _ => 0,
        };
        let frames = if to.rerelease { 512 } else { 256 };
        it.gun.frame = Some(it.gun.frame).filter(|frame| *frame < frames).unwrap_or(0);
        if !to.rerelease {
            it.gun = GunView { rate: 0, ..it.gun };
            it.eyes = Eyes { height: 0, ..it.eyes };
            it.team_id = 0;
        }
        if !to.rerelease && !to.blend_parts {
            it.screen.damage = [0; 4];
        }
        const FOG: u64 = 1 << 32;
        if to.player_bits & FOG == 0 {
            it.fog = Fog::default();
        }
        let numbers = match to.stats {
            StatsKind::Standard => 32,
            StatsKind::EightTimes => it.stats.len(),
            StatsKind::Variable | StatsKind::Twice => 64,
        };
        it.stats.iter_mut().skip(numbers).for_each(|stat| *stat = 0);
        if self.from.protocol == Dialect::TEST_RELEASE_PROTOCOL {
            // It does not tell them.
            it.fov = FIELD_OF_VIEW;
            it.eyes.offset = [0.0, 0.0, EYES].map(F32::from);
        }
        self.far(&mut it.origin, to.origin, lose);
        self.far(&mut it.velocity, to.velocity, &mut |_| {});
        let left = it.as_told(&self.to);
        for (loss, lost) in [
            (Loss::Place, left.origin != it.origin || left.eyes.offset != it.eyes.offset),
            (Loss::Angle, left.viewangles != it.viewangles || left.kick_angles != it.kick_angles),
            (Loss::Movement, (left.velocity, left.pm_flags) != (state.velocity, state.pm_flags)),
            (Loss::Stat, left.stats != state.stats),
            (Loss::Frame, left.gun.frame != state.gun.frame),
            (Loss::Model, left.guns.index2 != state.guns.index2),
            (Loss::Blend, left.screen != state.screen),
            (Loss::Fog, left.fog != state.fog),
        ] {
            if lost {
                lose(loss);
            }
        }
        left
    }

    /// Puts a place that is too far for the target at the edge.
    fn far(&self, place: &mut [F32; 3], kind: CoordKind, lose: Lose<'_>) {
        for coord in place {
            if let (near, Some(Loss::FarPlace)) = nearest(coord.get().into(), kind) {
                lose(Loss::FarPlace);
                *coord = near.float();
            }
        }
    }

    /// The box of an entity: in steps of eight units, or in bytes.
    fn solid(&self, solid: u32) -> u32 {
        match (self.from.layout.long_solid, self.to.layout.long_solid) {
            _ if solid == 0 || solid == BRUSH => solid,
            (true, false) => {
                let [width, _, depth, height] = solid.to_le_bytes().map(u32::from);
                // What is there at all is at least one step.
                let steps = |size: u32, most: u32| if size == 0 { 0 } else { (size / 8).clamp(1, most) };
                steps(width, 31) | steps(depth, 31) << 5 | steps(height, 63) << 10
            }
            (false, true) => {
                let (width, depth, height) = ((solid & 31) * 8, (solid >> 5 & 31) * 8, (solid >> 10 & 63) * 8);
                width | width << 8 | depth << 16 | height.min(255) << 24
            }
            _ => solid,
        }
    }

    /// The kind of movement: the re-release has two more.
    fn movement(&self, pm_type: u8) -> u8 {
        const OLD: [u8; 7] = [0, 0, 1, 1, 2, 3, 4];
        const NEW: [u8; 5] = [0, 3, 4, 5, 6];
        let kinds: &[u8] = match (self.from.layout.rerelease, self.to.layout.rerelease) {
            (true, false) => &OLD,
            (false, true) => &NEW,
            _ => return pm_type,
        };
        kinds.get(usize::from(pm_type)).copied().unwrap_or(pm_type)
    }
}

/// The box of a brush model.
const BRUSH: u32 = 31;
/// Ms in one step of the time of a movement.
const MS_OF_TIME: u16 = 8;
/// What players have unless a game changes it: field of view in degrees, height of the eyes.
const FIELD_OF_VIEW: u8 = 90;
const EYES: f32 = 22.0;
