//! How long players hold what they hold: weapons, armour, powerups, flags.
//!
//! What somebody holds is what [`Scene::carried`] names, but for ammunition: of everybody where a server recorded, else of
//! whom the recording shows, for as long as it does. The dead hold nothing. Of Quake II it is what they have on: its inventory is
//! shown when its owner asks for it.

use super::Stats;
use super::count::is_weapon;
use super::fact::Fact;
use super::measure::{ItemMeasure, Measure, WeaponMeasure};
use super::period::PeriodKind;
use super::player::Player;
use crate::game::quake::items::rune;
use crate::game::quake3::names::{is_powerup, lasts};
use crate::game::quakeworld::stat;
use crate::replay::World;
use crate::world::{DemoTime, Scene};

/// What a player holds in a period, or held last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    name: Box<str>,
    since: DemoTime,
    until: Option<DemoTime>,
    /// Kills since then.
    kills: i64,
}

/// What players hold, as it was told last.
#[derive(Debug, Default)]
pub(super) struct Holdings {
    by_slot: Vec<Vec<Box<str>>>,
    /// What the numbers were that it comes from, where there is one for all.
    bits: Vec<Option<u64>>,
    /// The period that was told of it, and whether it was between rounds.
    told: Option<(u32, PeriodKind, DemoTime, bool)>,
}

/// Things that are counted and not held.
const AMMUNITION: [&str; 4] = ["shells", "nails", "rockets", "cells"];

/// What [`bits`] gives for a player who is dead.
const DEAD: u64 = u64::MAX;

/// What a player has of what counts here, as one number, in games that have it so; whoever is dead has nothing.
fn bits(world: &World, slot: usize) -> Option<u64> {
    let (health, items) = match world {
        World::QuakeWorld(world) => {
            let stats = world.own_stats(slot)?;
            (stats.get(stat::HEALTH), stats.get(stat::ITEMS) as u32)
        }
        World::Dem(world) => (world.stat(HEALTH).unwrap_or(0), world.client()?.items),
        World::Dm3(world) => return world.powerups(slot),
        _ => return None,
    };
    Some(if health > 0 { items.into() } else { DEAD })
}

/// Number of that stat in Quake.
const HEALTH: u8 = 0;

impl Stats {
    /// Looks at what those hold of whom the last chunk told.
    pub(super) fn holdings(&mut self, world: &World) {
        let changes = world.changes();
        if changes.level {
            self.holdings = Holdings::default();
        }
        let now = self.playing(world.clock().demo);
        match world {
            World::QuakeWorld(_) => {
                let mut told = changes.stats;
                while told != 0 {
                    self.holds(world, told.trailing_zeros() as usize, now);
                    told &= told - 1;
                }
            }
            World::Dm3(dm3) if changes.frame => {
                let seen = dm3.seen();
                let shown = [&changes.added, &changes.changed, &changes.removed].into_iter().flatten();
                let players = shown.map(|n| usize::from(*n)).filter(|n| *n < Self::PLAYERS && Some(*n) != seen);
                players.chain(seen).for_each(|slot| self.holds(world, slot, now));
            }
            // Their states have the numbers of the status bar, each of its own player.
            World::Mvd2(_) if changes.frame => {
                (0..world.player_slots().min(Self::SLOTS)).for_each(|slot| self.holds(world, slot, now));
            }
            _ if changes.frame => world.recorder().into_iter().for_each(|slot| self.holds(world, slot, now)),
            _ => {}
        }
        // A period or a round that begins is told what everybody has.
        let Some(period) = &self.current else { return };
        let rests = self.matches.is_resting();
        let key = (period.level, period.kind, period.begin.demo, rests);
        if self.holdings.told.replace(key) != Some(key) && !rests {
            for slot in 0..self.holdings.by_slot.len() {
                self.holds_on(super::moment(&world.clock()), slot, now);
            }
        }
    }

    /// Tells again what a player holds: to a period that begins, and of whoever is known to play only after it was told.
    pub(super) fn holds_on(&mut self, at: i64, slot: usize, now: DemoTime) {
        let all = self.holdings.by_slot.get(slot).filter(|all| !all.is_empty() && !self.matches.is_resting()).cloned();
        if let Some(all) = all {
            self.push(at, Fact::Holds(slot, all, now));
        }
    }

    /// Slots of players among the entities of Quake III.
    const PLAYERS: usize = 64;

    fn holds(&mut self, world: &World, slot: usize, now: DemoTime) {
        if slot >= self.holdings.by_slot.len() {
            self.holdings.by_slot.resize(slot + 1, Vec::new());
        }
        // Most of what is told is something else.
        if let Some(bits) = bits(world, slot) {
            if slot >= self.holdings.bits.len() {
                self.holdings.bits.resize(slot + 1, None);
            }
            let place = self.holdings.bits.get_mut(slot);
            if place.is_some_and(|place| place.replace(bits) == Some(bits)) {
                return;
            }
        }
        let Some(before) = self.holdings.by_slot.get(slot) else { return };
        let quake3 = matches!(world, World::Dm3(_));
        let counts = |name: &str, left: i64| match quake3 {
            // Weapons are those of the one who is seen alone, and so is what is held in the hand.
            true => lasts(name, left) && is_powerup(name),
            false => !AMMUNITION.contains(&name) && rune(name).is_none(),
        };
        let has = |each: &mut dyn FnMut(&str, i64)| match world {
            World::Dm2(world) => world.worn(slot, each),
            World::Mvd2(world) => world.game().worn(slot, each),
            world => world.carried(slot, each),
        };
        let alive = bits(world, slot).is_none_or(|bits| bits != DEAD);
        let (mut n, mut same) = (0, true);
        if alive {
            has(&mut |name, left| {
                if counts(name, left) {
                    same &= before.get(n).is_some_and(|known| **known == *name);
                    n += 1;
                }
            });
        }
        if same && n == before.len() {
            return;
        }
        let mut all = Vec::with_capacity(n);
        if alive {
            has(&mut |name, left| {
                if counts(name, left) {
                    all.push(Box::from(name))
                }
            });
        }
        if let Some(place) = self.holdings.by_slot.get_mut(slot) {
            place.clone_from(&all);
        }
        if !self.matches.is_resting() {
            self.push(super::moment(&world.clock()), Fact::Holds(slot, all, now));
        }
    }
}

impl Player {
    /// From now on the player holds this and nothing else.
    pub(super) fn holds(&mut self, all: &[Box<str>], now: DemoTime) {
        for n in 0..self.held.len() {
            if self.held.get(n).is_some_and(|held| held.until.is_none() && !all.contains(&held.name)) {
                self.lets_go(n, now);
            }
        }
        for name in all {
            self.takes_hold(name, now);
        }
    }

    /// The player has it from now on, or has it anew.
    fn takes_hold(&mut self, name: &str, now: DemoTime) {
        let fresh = Held { name: Box::from(name), since: now, until: None, kills: 0 };
        match self.held.iter_mut().find(|held| *held.name == *name) {
            Some(held) if held.until.is_none() => {}
            Some(held) => *held = fresh,
            None => self.held.push(fresh),
        }
    }

    fn lets_go(&mut self, n: usize, now: DemoTime) {
        let Some(held) = self.held.get_mut(n).filter(|held| held.until.is_none()) else { return };
        held.until = Some(now);
        let time = DemoTime(now.0.saturating_sub(held.since.0)).ms();
        if time <= 0 {
            return;
        }
        if is_weapon(&held.name) {
            if let Some(weapon) = self.counted.weapon_mut(&held.name) {
                weapon.add(WeaponMeasure::TimeMs, time);
            }
        } else if let Some(item) = self.counted.item_mut(&held.name) {
            item.add(ItemMeasure::TimeMs, time);
        }
    }

    /// The player holds nothing any longer, or plays no longer.
    pub(super) fn lets_all_go(&mut self, now: DemoTime) {
        (0..self.held.len()).for_each(|n| self.lets_go(n, now));
        self.flag_ends(now);
    }

    /// The names of what the player had at a time: what was lost at that moment is among them.
    pub(super) fn had(&self, at: DemoTime) -> impl Iterator<Item = &str> {
        let had = move |held: &&Held| held.since <= at && held.until.is_none_or(|until| until >= at);
        self.held.iter().filter(had).map(|held| &*held.name)
    }

    /// An enemy is killed.
    pub(super) fn kills_with(&mut self, at: DemoTime) {
        let had = |held: &&mut Held| held.since <= at && held.until.is_none_or(|until| until >= at);
        for held in self.held.iter_mut().filter(had).filter(|held| !is_weapon(&held.name)) {
            held.kills += 1;
            if let Some(item) = self.counted.item_mut(&held.name) {
                item.add(ItemMeasure::Kills, 1);
                let best = item.get(ItemMeasure::Streak).unwrap_or(0).max(held.kills);
                item.set(ItemMeasure::Streak, best);
            }
        }
    }

    /// Something is taken anew.
    pub(super) fn takes_again(&mut self, item: &str) {
        self.held.iter_mut().filter(|held| *held.name == *item).for_each(|held| held.kills = 0);
    }

    /// The player has a flag from now on.
    pub(super) fn flag_begins(&mut self, team: &str, now: DemoTime) {
        self.flag_ends(now);
        self.flag = Some((team.into(), now));
    }

    /// Or has none any longer.
    pub(super) fn flag_ends(&mut self, now: DemoTime) {
        if let Some((_, since)) = self.flag.take() {
            self.counted.add(Measure::FlagTimeMs, DemoTime(now.0.saturating_sub(since.0).max(0)).ms());
        }
    }
}
