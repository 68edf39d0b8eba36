//! The player state array: numbers that only the recorder is told.

use super::states::Client;
use crate::describe::StatIndex;
use crate::format::dem::UpdateStat;

/// The player state array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
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

    /// Takes over the numbers that `clientdata` tells.
    #[inline]
    pub(super) fn take(&mut self, client: &Client) {
        let Client { health, weapon_model, ammo, armor, weapon_frame, .. } = *client;
        self.set(Self::HEALTH, health.into());
        let told = [(Self::WEAPON_MODEL, weapon_model), (Self::AMMO, ammo), (Self::ARMOR, armor)];
        let ammo = [client.shells, client.nails, client.rockets, client.cells];
        told.into_iter().for_each(|(n, value)| self.set(n, value.into()));
        self.set(Self::WEAPON_FRAME, weapon_frame.into());
        (Self::SHELLS..).zip(ammo).for_each(|(n, value)| self.set(n, value.into()));
        self.set(Self::WEAPON, client.weapon.into());
    }

    /// Counts one more.
    pub(super) fn add(&mut self, index: usize) {
        self.set(index, self.get(index).unwrap_or_default().wrapping_add(1));
    }

    /// An entry, once it was told.
    pub fn get(&self, index: usize) -> Option<i32> {
        self.values.get(index).copied().filter(|_| self.told >> index & 1 == 1)
    }

    /// What a server sends to those who know `from`. Entries that were told stay so.
    pub fn diff(from: &Stats, to: &Stats) -> Vec<UpdateStat> {
        let new = (0..Self::COUNT).filter_map(|n| Some((n, to.get(n).filter(|_| from.get(n) != to.get(n))?)));
        new.map(|(n, value)| UpdateStat { index: StatIndex(n as u16), value }).collect()
    }

    /// Entry, name where it has one, value, of all that were told.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Option<&'static str>, i32)> {
        (0..Self::COUNT).filter_map(|n| Some((n, Self::NAMES.get(n).copied(), self.get(n)?)))
    }
}
