//! Who takes what: as texts, inventories and sounds tell it.
//!
//! A server hears everything: whoever takes a thing makes its sound there and then (id Software's `items.qc`, KTX's
//! `items.c`), and the thing goes from the list of entities in the same record, or comes back later to a place that is
//! known. So a recording of a server has each pickup, whatever texts its players asked for, in the frame of a spawn too,
//! where an inventory says nothing: it is filled then without anything being taken. What KTX counts of armour, health and
//! powerups is what is heard, in every recording at hand.

use std::borrow::Cow;

use super::damage::Vitals;
use super::{Detector, MOMENT, slot_of};
use crate::event::{EventKind, Reason, Sink};
use crate::game::quake::Game;
use crate::game::quake::items::item_of;
use crate::game::quakeworld::World;
use crate::wire::info_value;
use crate::world::{DemoTime, Scene, Sound};

/// What tells of a pickup: each tells of it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Teller {
    Print = 1,
    Command = 2,
    Inventory = 4,
    Sound = 8,
}

impl Teller {
    /// The message.
    fn source(self) -> &'static str {
        match self {
            Teller::Print => super::PRINT,
            Teller::Command => "stufftext",
            Teller::Inventory => "stat",
            Teller::Sound => "sound",
        }
    }

    fn reason(self) -> Option<Reason> {
        match self {
            Teller::Print | Teller::Command => None,
            Teller::Inventory => Some(Reason::InInventory),
            Teller::Sound => Some(Reason::HeardThere),
        }
    }
}

/// Something that a player took of late.
#[derive(Debug)]
pub(super) struct Pickup {
    at: DemoTime,
    item: Cow<'static, str>,
    /// Who told of it: a bit each.
    tellers: u8,
}

/// Something that lies about.
#[derive(Debug, Clone, Copy)]
struct Thing {
    item: &'static str,
    /// The middle of its floor.
    origin: [f32; 3],
}

/// The things of a level.
#[derive(Debug, Default)]
pub(super) struct Things {
    /// By entity, where they were seen last.
    seen: Vec<Option<Thing>>,
    /// The base states are among them.
    based: bool,
}

/// The sounds of pickups and what makes them. Sources: id Software's `items.qc`; the lists of sounds of recordings.
const SOUNDS: [(&[u8], &[&str]); 10] = [
    (b"items/armor1.wav", &["green_armor", "yellow_armor", "red_armor"]),
    (b"items/r_item1.wav", &["health_15"]),
    (b"items/health1.wav", &["health_25"]),
    (b"items/r_item2.wav", &["megahealth"]),
    (b"items/damage.wav", &["quad"]),
    (b"items/protect.wav", &["invulnerability"]),
    (b"items/inv1.wav", &["invisibility"]),
    (b"items/suit.wav", &["biosuit"]),
    (b"weapons/lock4.wav", &["shells", "nails", "rockets", "cells", BACKPACK]),
    (
        b"weapons/pkup.wav",
        &["super_shotgun", "nailgun", "super_nailgun", "grenade_launcher", "rocket_launcher", "lightning_gun"],
    ),
];
/// To a client they tell of the same pickup within this time.
const LATE: i64 = 1_000_000;
/// Armour of which the text does not tell the colour, as in id Software's `items.qc`.
const ARMOR: &str = "armor";
/// What dead players leave behind has no place of its own.
const BACKPACK: &str = "backpack";

impl Thing {
    fn of(number: u16, model: &[u8], skin: u32, origin: [f32; 3]) -> Option<(usize, Thing)> {
        /// Boxes that are maps stand on a corner.
        const HALF: f32 = 16.0;
        let item = item_of(model, skin)?;
        let corner = if model.starts_with(b"maps/") { HALF } else { 0.0 };
        Some((usize::from(number), Thing { item, origin: [origin[0] + corner, origin[1] + corner, origin[2]] }))
    }

    /// The square of how far it is from someone who touches it; `None` for someone who does not.
    fn touched(&self, at: [f32; 3]) -> Option<f32> {
        /// Half a player, half a thing, and what QuakeWorld adds to touch it, with what the wire rounds: `SV_LinkEdict`.
        const ACROSS: f32 = 16.0 + 16.0 + 16.0 + 1.0;
        /// Things are 56 high, what makes the sound is the middle of the player, and what hangs in the air falls.
        const UPRIGHT: f32 = 56.0 + 24.0 + 4.0;
        let [x, y, z]: [f32; 3] = std::array::from_fn(|n| (at[n] - self.origin[n]).abs());
        (x <= ACROSS && y <= ACROSS && z <= UPRIGHT).then_some(x * x + y * y + z * z)
    }
}

impl Things {
    fn put(&mut self, (at, thing): (usize, Thing)) {
        if at >= self.seen.len() {
            self.seen.resize(at + 1, None);
        }
        if let Some(place) = self.seen.get_mut(at) {
            *place = Some(thing);
        }
    }

    /// Takes in what is there now. What went stays known: it comes back.
    fn look(&mut self, world: &World) {
        let models = world.models();
        if !self.based && !models.is_empty() {
            self.based = true;
            for e in world.baselines().told() {
                let model = models.get(usize::from(e.model)).unwrap_or_default();
                Thing::of(e.number, model, u32::from(e.skin), e.origin()).into_iter().for_each(|it| self.put(it));
            }
        }
        let changes = world.changes();
        let there = |number: &u16| self.seen.get(usize::from(*number)).is_some_and(Option::is_some);
        // Most of what changes are missiles.
        let moved: Vec<u16> = changes.changed.iter().copied().filter(there).collect();
        for number in changes.added.iter().chain(&moved).copied() {
            let Some(e) = world.entity(usize::from(number)).filter(|e| e.player.is_none()) else { continue };
            match Thing::of(number, &e.model, e.skin, e.origin) {
                Some(thing) => self.put(thing),
                // The entity is another thing now.
                None => self.seen.get_mut(usize::from(number)).into_iter().for_each(|place| *place = None),
            }
        }
    }
}

impl Detector {
    /// Somebody tells that a player took something. What others told of before is the same.
    pub(super) fn takes(
        &mut self,
        slot: usize,
        item: Cow<'static, str>,
        teller: Teller,
        now: DemoTime,
        sink: &mut Sink<'_>,
    ) {
        // To a client stats are sent until they arrive: where packets are lost they come after the sound.
        let within = if self.multiview { MOMENT } else { LATE };
        let Some(followed) = self.slots.get_mut(slot) else { return };
        followed.took.retain(|it| now.0 - it.at.0 <= within);
        let armor = |a: &str, b: &str| a == ARMOR && b.ends_with("_armor");
        let same = |it: &&mut Pickup| {
            let alike = it.item == item || armor(&it.item, &item) || armor(&item, &it.item);
            alike && it.tellers & teller as u8 == 0
        };
        if let Some(told) = followed.took.iter_mut().find(same) {
            told.tellers |= teller as u8;
            if told.item == ARMOR && item != ARMOR {
                told.item.clone_from(&item);
                let at = told.at;
                self.is_armor(slot, at, item);
            }
            return;
        }
        followed.took.push(Pickup { at: now, item: item.clone(), tellers: teller as u8 });
        // Sounds and inventories know the colour, and are told behind texts.
        let waits = item == ARMOR;
        let kind = EventKind::Pickup { player: Some(self.who_or_slot(slot)), item };
        let event = sink.event(teller.source(), teller.reason().into(), kind);
        if waits { self.open.push(event) } else { self.tell(event, sink) }
    }

    /// The armour that a player took, of which a text told, is this one.
    fn is_armor(&mut self, slot: usize, at: DemoTime, is: Cow<'static, str>) {
        let told =
            self.open.iter_mut().filter(|event| event.clock.demo == at).find_map(|event| match &mut event.kind {
                EventKind::Pickup { player: Some(who), item } if who.slot == Some(slot) && *item == ARMOR => Some(item),
                _ => None,
            });
        if let Some(item) = told {
            *item = is;
        }
    }

    /// Pickups that are heard: of everybody in the recording of a server, of the recorder in that of a client.
    pub(super) fn heard(&mut self, world: &World, sink: &mut Sink<'_>) {
        let changes = world.changes();
        if !changes.sounds.is_empty() {
            let mut gone: Vec<Thing> = changes
                .removed
                .iter()
                .filter_map(|n| self.things.seen.get(usize::from(*n)).copied().flatten())
                .collect();
            for sound in &changes.sounds {
                self.hears(world, sound, &mut gone, sink);
            }
        }
        self.things.look(world);
    }

    fn hears(&mut self, world: &World, sound: &Sound, gone: &mut Vec<Thing>, sink: &mut Sink<'_>) {
        let slot = sound.entity.and_then(slot_of).filter(|slot| self.multiview || world.recorder() == Some(*slot));
        let name = world.sound_name(sound.sound).unwrap_or_default();
        let made_by = SOUNDS.iter().find(|(sound, _)| *sound == name).map(|(_, things)| *things);
        let (Some(slot), Some(at), Some(made_by)) = (slot, sound.origin, made_by) else { return };
        let now = world.clock().demo;
        if made_by.contains(&BACKPACK) {
            self.packs(world, slot, now, sink);
        }
        let of_sound = |thing: &Thing| made_by.contains(&thing.item);
        let near = |thing: &Thing| thing.touched(at).filter(|_| of_sound(thing));
        let nearest =
            gone.iter().enumerate().filter_map(|(n, it)| Some((near(it)?, n))).min_by(|a, b| a.0.total_cmp(&b.0));
        let thing = match nearest {
            Some((_, n)) => gone.swap_remove(n),
            // It was taken as it came back or was dropped, or weapons stay.
            None => {
                if let Some(item) = self.told_without_sound(slot, made_by, now) {
                    return self.takes(slot, Cow::Borrowed(item), Teller::Sound, now, sink);
                }
                let known = self.things.seen.iter().flatten().filter(|it| it.item != BACKPACK);
                let found = known.filter_map(|it| Some((near(it)?, *it))).min_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, thing)) = found else { return };
                thing
            }
        };
        // Whoever has a weapon takes what is in it.
        if Game::Quake.weapon_bit(thing.item).is_some_and(|bit| self.had_before(slot, now) & bit != 0) {
            return;
        }
        self.takes(slot, Cow::Borrowed(thing.item), Teller::Sound, now, sink);
    }

    /// What a text or a command says that a player takes in this moment, of what makes such a sound, and no sound has told yet.
    fn told_without_sound(&self, slot: usize, made_by: &'static [&'static str], now: DemoTime) -> Option<&'static str> {
        let [told, heard] = [Teller::Print as u8 | Teller::Command as u8, Teller::Sound as u8];
        let is_silent = |it: &&Pickup| it.at == now && it.tellers & told != 0 && it.tellers & heard == 0;
        let took = &self.slots.get(slot)?.took;
        made_by.iter().copied().find(|item| took.iter().filter(is_silent).any(|it| it.item == *item))
    }

    /// What a player had before this moment; nothing for one who appears in it.
    fn had_before(&self, slot: usize, now: DemoTime) -> u32 {
        let Some(followed) = self.slots.get(slot) else { return 0 };
        let before = followed.before.filter(|(at, _)| *at == now).map(|(_, had)| had).or(followed.had);
        before.filter(|had| had.health > 0 && !self.begins(now)).map_or(0, |had| had.items)
    }

    /// The sound of a backpack is heard. Whoever appears in this frame may have found weapons in it.
    fn packs(&mut self, world: &World, slot: usize, now: DemoTime, sink: &mut Sink<'_>) {
        let Some(followed) = self.slots.get_mut(slot) else { return };
        followed.packed = Some(now);
        if let Some(had) = followed.had.filter(|_| followed.appeared == Some(now)) {
            self.appears(world, slot, had, now, sink);
        }
    }

    /// A player appears, with what it has now. What it has beyond what all are given then it found in a backpack, when the
    /// sound of one is heard in this frame, whichever of both is told first.
    pub(super) fn appears(&mut self, world: &World, slot: usize, has: Vitals, now: DemoTime, sink: &mut Sink<'_>) {
        let Some(followed) = self.slots.get_mut(slot) else { return };
        followed.appeared = Some(now);
        let took = followed.packed == Some(now);
        let seen = self.given.filter(|(of, _)| *of == self.begun).map(|(_, given)| given);
        if !took {
            let hurt = self.hits.iter().any(|hit| hit.victim == slot && hit.at == now);
            // Whoever took something healthy as well is not the measure.
            let least = match seen {
                None if hurt => Vitals::GIVEN,
                Some(seen) if hurt || seen.all() <= has.all() => seen,
                _ => has,
            };
            let items = has.items & seen.map_or(u32::MAX, |seen| seen.items);
            self.given = Some((self.begun, Vitals { items, ..least }));
            return;
        }
        // By the rules of these games it is a shotgun and an axe; others give more.
        let usual = matches!(info_value(world.serverinfo(), "deathmatch"), Some(b"1" | b"2" | b"3"));
        let Some(given) = seen.map(|seen| seen.items).or_else(|| usual.then_some(1 | 1 << 12)) else { return };
        for item in Game::Quake.items(has.items & !given & Game::Quake.weapon_bits()) {
            self.takes(slot, Cow::Borrowed(item), Teller::Inventory, now, sink);
        }
    }

    /// True while everybody appears at the beginning of a match, and is given things.
    pub(super) fn begins(&self, now: DemoTime) -> bool {
        self.begun.is_some_and(|begun| now.0 - begun.0 <= MOMENT)
    }
}
