//! What only the recorder is told: health, ammunition, items, the kick of the view.

use super::entities::opacity;
use crate::format::dem::ClientData;

/// Entries of the player state array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stats {
    values: [i32; Stats::COUNT],
    /// Bit n: entry n was told.
    told: u32,
}

impl Stats {
    pub(super) const COUNT: usize = 32;
    pub(super) const HEALTH: usize = 0;
    pub(super) const WEAPON_MODEL: usize = 2;
    pub(super) const AMMO: usize = 3;
    pub(super) const ARMOR: usize = 4;
    pub(super) const WEAPON_FRAME: usize = 5;
    pub(super) const SHELLS: usize = 6;
    pub(super) const WEAPON: usize = 10;
    pub(super) const SECRETS: usize = 13;
    pub(super) const MONSTERS: usize = 14;

    /// Names of the entries that have one, by number.
    pub(super) const NAMES: [&str; 15] = [
        "health",
        "frags",
        "weapon_model",
        "ammo",
        "armor",
        "weapon_frame",
        "shells",
        "nails",
        "rockets",
        "cells",
        "weapon",
        "total_secrets",
        "total_monsters",
        "secrets",
        "monsters",
    ];

    #[inline]
    pub(super) fn set(&mut self, index: usize, value: i32) {
        if let Some(entry) = self.values.get_mut(index) {
            *entry = value;
            self.told |= 1 << index;
        }
    }

    /// Counts one more.
    pub(super) fn add(&mut self, index: usize) {
        self.set(index, self.get(index).unwrap_or_default().wrapping_add(1));
    }

    pub(super) fn get(&self, index: usize) -> Option<i32> {
        self.values.get(index).copied().filter(|_| self.told >> index & 1 == 1)
    }

    /// Entry, name where it has one, value, of all that were told.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Option<&'static str>, i32)> {
        (0..Self::COUNT).filter_map(|n| Some((n, Self::NAMES.get(n).copied(), self.get(n)?)))
    }
}

/// The recorder's state, as `clientdata` tells it beside the stats.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Client {
    /// Height of the eyes above the origin, in units.
    pub view_height: f32,
    /// Pitch that the view drifts to on slopes, in degrees.
    pub ideal_pitch: f32,
    /// Kick of the view: pitch, yaw and roll in degrees.
    pub punch: [f32; 3],
    /// Velocity in units a second, in steps of 16.
    pub velocity: [f32; 3],
    /// Items as bits: see the DEM document, table 5.
    pub items: u32,
    /// Stands on something.
    pub on_ground: bool,
    /// Is under water.
    pub in_water: bool,
    /// Opacity of the weapon, 0 to 1; `None`: opaque. (FitzQuake)
    pub weapon_opacity: Option<f32>,
}

impl Client {
    /// Takes in a `clientdata`. What it leaves out has its default, it is never what it was before.
    #[inline]
    pub(super) fn new(m: &ClientData, before: Option<&Client>, stats: &mut Stats) -> Client {
        let signed = |v: Option<crate::describe::SignedByte>| v.map_or(0.0, |v| f32::from(v.0));
        let high = &m.fitzquake;
        let wide = |low: u16, high: Option<u8>| match high {
            Some(high) => i32::from(low & 0xFF) | i32::from(high) << 8,
            None => i32::from(low),
        };
        let wide_byte = |low: u8, high: Option<u8>| wide(u16::from(low), high);
        stats.set(Stats::HEALTH, i32::from(m.health));
        stats.set(Stats::WEAPON_MODEL, wide(m.weaponmodel.map_or(0, |v| v.0), high.weaponmodel2));
        stats.set(Stats::AMMO, wide_byte(m.currentammo, high.currentammo2));
        stats.set(Stats::ARMOR, wide_byte(m.armorvalue.unwrap_or(0), high.armorvalue2));
        stats.set(Stats::WEAPON_FRAME, wide_byte(m.weaponframe.unwrap_or(0), high.weaponframe2));
        let ammo = [
            (m.ammo_shells, high.ammo_shells2),
            (m.ammo_nails, high.ammo_nails2),
            (m.ammo_rockets, high.ammo_rockets2),
            (m.ammo_cells, high.ammo_cells2),
        ];
        for (n, (low, high)) in ammo.into_iter().enumerate() {
            stats.set(Stats::SHELLS + n, wide_byte(low, high));
        }
        stats.set(Stats::WEAPON, i32::from(m.weapon.0));
        Client {
            view_height: m.view_ofs_z.map_or(22.0, |v| f32::from(v.0)),
            ideal_pitch: signed(m.punchangle_x),
            punch: m.motion.first.map(signed),
            velocity: m.motion.second.map(|v| signed(v) * 16.0),
            // Only engines up to 1.06 leave items out, and then they are what they were.
            items: m.items.map_or_else(|| before.map_or(0, |b| b.items), |v| v.0),
            on_ground: m.onground,
            in_water: m.inwater,
            weapon_opacity: high.weaponalpha.and_then(opacity),
        }
    }
}
