//! What players have while a replay is made, and the values that become of it.

use super::NAME;
use super::strings::Strings;
use super::track::Values;
use crate::replay::World;
use crate::world::{Player, Scene};

/// What somebody has.
#[derive(Debug, Default)]
pub(super) struct ValuesOf {
    all: Vec<Value>,
    changed: bool,
}

/// Something that somebody has.
#[derive(Debug)]
struct Value {
    name: Box<str>,
    now: Option<i64>,
    written: Option<i64>,
    /// Number of its list among the values of the replay, once it has one.
    list: Option<usize>,
    /// It was told in this look at what is carried.
    told: bool,
}

impl ValuesOf {
    /// Sets a value. They are told in the same order most of the time, so that it is looked for from `at` on; gives where the
    /// next one is expected.
    pub(super) fn set(&mut self, at: usize, name: &str, value: Option<i64>) -> usize {
        let is = |it: &Value| *it.name == *name;
        let place = match self.all.get(at) {
            Some(it) if is(it) => at,
            _ => self.all.iter().position(is).unwrap_or_else(|| {
                self.all.push(Value { name: name.into(), now: None, written: None, list: None, told: false });
                self.all.len() - 1
            }),
        };
        if let Some(it) = self.all.get_mut(place) {
            self.changed |= it.now != value;
            (it.now, it.told) = (value, true);
        }
        place + 1
    }

    /// Nothing is told any more.
    pub(super) fn forget(&mut self) {
        self.changed = true;
        self.all.iter_mut().for_each(|it| it.now = None);
    }

    /// Nobody has a name, though it is told who had the slot.
    pub(super) fn forget_name(&mut self) {
        self.changed = true;
        self.all.iter_mut().filter(|it| *it.name == *NAME).for_each(|it| it.now = None);
    }

    /// Somebody goes: a name that is told behind it, in the same row too, is told anew.
    pub(super) fn end_name(&mut self, row: u32, out: &mut [Values]) {
        for it in self.all.iter_mut().filter(|it| *it.name == *NAME && it.written.is_some()) {
            (it.written, self.changed) = (None, true);
            if let Some(values) = it.list.and_then(|list| out.get_mut(list)) {
                values.keys.push((row, None));
            }
        }
    }

    /// Notes what changed.
    pub(super) fn write(&mut self, slot: Option<u32>, row: u32, strings: &mut Strings, out: &mut Vec<Values>) {
        if !std::mem::take(&mut self.changed) {
            return;
        }
        for it in self.all.iter_mut().filter(|it| it.now != it.written) {
            it.written = it.now;
            let list = *it.list.get_or_insert_with(|| {
                out.push(Values { slot, name: strings.number(&it.name), keys: Vec::new() });
                out.len() - 1
            });
            if let Some(values) = out.get_mut(list) {
                values.keys.push((row, it.now));
            }
        }
    }
}

/// The texts that a player had last, and their numbers: most of the time they are the same.
#[derive(Debug, Default)]
pub(super) struct Texts {
    name: Last,
    team: Last,
    weapon: Last,
}

#[derive(Debug, Default)]
struct Last(Vec<u8>, Option<u32>);

impl Last {
    fn number(&mut self, text: &[u8], number: impl FnOnce(&[u8]) -> u32) -> u32 {
        match self.1.filter(|_| self.0 == text) {
            Some(number) => number,
            None => {
                self.0.clear();
                self.0.extend_from_slice(text);
                *self.1.insert(number(text))
            }
        }
    }
}

/// What a player is and has, by name.
pub(super) fn values_of(player: &Player<'_>, texts: &mut Texts, strings: &mut Strings, values: &mut ValuesOf) {
    let clean = |raw: &[u8]| player.charset.clean(raw);
    let name = texts.name.number(&player.name, |raw| strings.of_bytes(raw, clean));
    let team = player.team.as_deref();
    let team = team.map(|team| texts.team.number(team, |raw| strings.of_bytes(raw, clean)));
    let weapon = player.weapon.as_deref();
    let weapon = weapon.map(|weapon| texts.weapon.number(weapon.as_bytes(), |_| strings.number(weapon)));
    let all = [
        (NAME, Some(i64::from(name))),
        ("team", team.map(i64::from)),
        ("weapon", weapon.map(i64::from)),
        ("spectator", player.spectator.then_some(1)),
        ("health", player.health.map(i64::from)),
        ("armor", player.armor.map(i64::from)),
        ("ammo", player.ammo.map(i64::from)),
        ("frags", player.frags.map(i64::from)),
        ("ping", player.ping.map(i64::from)),
    ];
    // They stand in this order, once they are there.
    if values.all.len() < all.len() {
        for (name, _) in &all {
            values.set(usize::MAX, name, None);
        }
    }
    for (it, (_, value)) in values.all.iter_mut().zip(all) {
        values.changed |= it.now != value;
        it.now = value;
    }
}

/// What a player carries, by name.
pub(super) fn carried_by(world: &World, slot: usize, carried: &mut ValuesOf) {
    let mut at = 0;
    carried.all.iter_mut().for_each(|it| it.told = false);
    world.carried(slot, &mut |name, value| at = carried.set(at, name, Some(value)));
    for it in carried.all.iter_mut().filter(|it| !it.told && it.now.is_some()) {
        it.now = None;
        carried.changed = true;
    }
}
