//! What players carry, as status bars, inventories and effects tell it.

use std::borrow::Cow;

use super::World;
use super::scene::stat;
use super::states::PlayerState;
use crate::wire::clean;
use crate::world::DemoTime;

/// Items by their pictures on the status bar, where it shows armour, ammunition and powerups: `itemlist` of id's game, then
/// of The Reckoning and Ground Zero. An item has the name that it has where it is taken.
const PICTURES: [(&str, &str); 28] = [
    ("i_bodyarmor", "body_armor"),
    ("i_combatarmor", "combat_armor"),
    ("i_jacketarmor", "jacket_armor"),
    ("i_powerscreen", "power_screen"),
    ("i_powershield", "power_shield"),
    ("a_shells", "shells"),
    ("a_bullets", "bullets"),
    ("a_cells", "cells"),
    ("a_grenades", "grenades"),
    ("a_rockets", "rockets"),
    ("a_slugs", "slugs"),
    ("p_quad", QUAD),
    ("p_invulnerability", INVULNERABILITY),
    ("p_silencer", "silencer"),
    ("p_rebreather", "rebreather"),
    ("p_envirosuit", "environment_suit"),
    ("a_mslugs", "mag_slug"),
    ("a_trap", "trap"),
    ("p_quadfire", "dualfire_damage"),
    ("a_flechettes", "flechettes"),
    ("a_prox", "prox"),
    ("a_tesla", "tesla"),
    ("a_disruptor", "rounds"),
    ("p_double", DOUBLE),
    ("p_ir", "ir_goggles"),
    ("p_defender", "defender_sphere"),
    ("p_hunter", "hunter_sphere"),
    ("p_vengeance", "vengeance_sphere"),
];

const QUAD: &str = "quad_damage";
const INVULNERABILITY: &str = "invulnerability";
const DOUBLE: &str = "double_damage";

/// What effects say of the one who has them.
const POWERS: [(u32, &str); 6] = [
    (0x8000, QUAD),
    (0x1_0000, INVULNERABILITY),
    (0x4_0000, "red_flag"),
    (0x8_0000, "blue_flag"),
    (0x800_0000, DOUBLE),
    (0x4000_0000, "half_damage"),
];

/// Pictures in turn with those of armour: the number beside them is that of cells.
const POWER_ARMOR: [&[u8]; 2] = [b"i_powershield", b"i_powerscreen"];
/// What power armour eats.
const CELLS: &str = "cells";

/// An item as events and tables name it: `Combat Armor` is `combat_armor`.
pub(in crate::game::quake2) fn item_word(name: &[u8]) -> String {
    clean(name).to_ascii_lowercase().replace([' ', '-'], "_")
}

/// The item of a picture; of a picture that a mod has brought the name of that.
fn item_of(picture: &[u8]) -> Option<Cow<'static, str>> {
    let known = PICTURES.iter().find(|(of, _)| of.as_bytes() == picture).map(|(_, item)| Cow::Borrowed(*item));
    known.or_else(|| Some(clean(picture)).filter(|name| !name.is_empty()).map(Cow::Owned))
}

/// Armour as the status bar has it: its picture, and its points or cells. 0 and 0: there is none.
type Armor = (i16, i16);

/// Armour of those whose status bars are told. With power armour on, the status bar shows that in turn with the other
/// (`G_SetStats`): each is what it was while the other one is shown, for as long as it may be hidden.
#[derive(Debug, Clone, Default)]
pub(super) struct ArmorSeen(Vec<Seen>);

#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Whose numbers they are.
    slot: usize,
    /// Armour, once it is known.
    armor: Option<Armor>,
    /// Power armour.
    power: Armor,
    /// When each was told last.
    armor_at: DemoTime,
    power_at: DemoTime,
}

const NO_ARMOR: Armor = (0, 0);

impl ArmorSeen {
    /// A status bar shows armour, or power armour. Neither is hidden for more than so many microseconds.
    fn take(&mut self, slot: usize, (shown, is_power): (Armor, bool), now: DemoTime, most: i64) {
        let at = self.0.iter().position(|seen| seen.slot == slot).unwrap_or_else(|| {
            self.0.push(Seen { slot, armor: None, power: NO_ARMOR, armor_at: now, power_at: now });
            self.0.len() - 1
        });
        let Some(seen) = self.0.get_mut(at) else { return };
        let is_over = |at: DemoTime| now.0.saturating_sub(at.0) > most;
        if is_power {
            (seen.power, seen.power_at) = (shown, now);
            if is_over(seen.armor_at) {
                seen.armor = Some(NO_ARMOR);
            }
        } else {
            (seen.armor, seen.armor_at) = (Some(shown), now);
            // Without armour the other one would be shown.
            if shown == NO_ARMOR || is_over(seen.power_at) {
                seen.power = NO_ARMOR;
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl World {
    /// For so long one armour is shown and hides the other at most, in microseconds: power armour is shown where bit 3 of the
    /// number of the frame is set, in the re-release in the first half of each three seconds (`G_SetStats`).
    fn armor_is_hidden_for(&self) -> i64 {
        if self.dialect.layout.rerelease { 1_500_000 } else { 800_000 }
    }

    /// Keeps what the status bars of the last frame show of armour.
    pub(super) fn see_armor(&mut self, now: DemoTime) {
        let most = self.armor_is_hidden_for();
        let mut armors = std::mem::take(&mut self.armors);
        for (slot, state) in self.status_bars() {
            let shown = (state.stat(stat::ARMOR_ICON), state.stat(stat::ARMOR));
            let is_power = self.picture(shown.0).is_some_and(|picture| POWER_ARMOR.contains(&picture));
            armors.take(slot, (shown, is_power), now, most);
        }
        self.armors = armors;
    }

    /// The armour of the player in a slot whose status bar is told, and the power armour.
    fn armors_of(&self, slot: usize) -> Option<(Option<Armor>, Armor)> {
        self.armors.0.iter().find(|seen| seen.slot == slot).map(|seen| (seen.armor, seen.power))
    }

    /// Points of the armour of that player; not those of power armour.
    pub(super) fn armor_of(&self, slot: usize) -> Option<i32> {
        Some(i32::from(self.armors_of(slot)?.0?.1))
    }

    /// The name of a picture by its number on the status bar.
    fn picture(&self, number: i16) -> Option<&[u8]> {
        u16::try_from(number).ok().filter(|number| *number != 0).map(|number| self.image_name(number))
    }

    /// What a player has put on, or is under: armour with its points, powerups with the milliseconds that are left, where
    /// told, flags.
    pub(crate) fn worn(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        let told = self.told_of(slot);
        let state = told.as_ref().and_then(|told| told.status_bar());
        let item = |picture: i16| self.picture(picture).and_then(item_of);
        if let Some((armor, power)) = state.and_then(|_| self.armors_of(slot)) {
            if let Some((name, points)) = armor.and_then(|(picture, points)| Some((item(picture)?, points))) {
                if points > 0 {
                    each(&name, points.into());
                }
            }
            item(power.0).into_iter().for_each(|name| each(&name, 1));
        }
        let timed = state.and_then(|state| Some((item(state.stat(stat::TIMER_ICON))?, state.stat(stat::TIMER))));
        if let Some((name, seconds)) = &timed {
            each(name, i64::from(*seconds) * 1000);
        }
        let effects = told.and_then(|told| told.entity).map_or(0, |entity| entity.effects.effects);
        for (_, name) in POWERS.iter().filter(|(bit, _)| effects & bit != 0) {
            if timed.as_ref().is_none_or(|(timed, _)| *timed != *name) {
                each(name, 1);
            }
        }
    }

    /// The ammunition that the status bar of a player tells: of the weapon in hand, and the cells of power armour.
    fn ammunition(&self, slot: usize, state: &PlayerState) -> impl Iterator<Item = (Cow<'static, str>, i64)> {
        let of_weapon = self.picture(state.stat(stat::AMMO_ICON)).and_then(item_of);
        let of_weapon = of_weapon.map(|name| (name, i64::from(state.stat(stat::AMMO))));
        let power = self.armors_of(slot).map(|(_, power)| power).filter(|power| power.0 != 0);
        let cells = power.filter(|_| of_weapon.as_ref().is_none_or(|(name, _)| *name != CELLS));
        of_weapon.into_iter().chain(cells.map(|(_, cells)| (Cow::Borrowed(CELLS), cells.into())))
    }

    /// All that a player carries: see [`Scene::carried`](crate::world::Scene::carried).
    pub(super) fn carried_by(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        let mut now: Vec<(Cow<'static, str>, i64)> = Vec::new();
        if let Some(state) = self.told_of(slot).and_then(|told| told.status_bar()) {
            now.extend(self.ammunition(slot, state));
        }
        self.worn(slot, &mut |name, value| now.push((Cow::Owned(name.to_owned()), value)));
        let client = if self.facts.client.map(usize::from) == Some(slot) { None } else { u8::try_from(slot).ok() };
        let items = self.personal(client).and_then(|told| told.inventory.as_deref());
        for (item, count) in items.into_iter().flatten().enumerate().filter(|(_, count)| **count != 0) {
            let name = Some(item_word(self.item_name(item))).filter(|name| !name.is_empty());
            let name = name.unwrap_or_else(|| format!("item_{item}"));
            // The inventory is as it was when it was last shown.
            if now.iter().all(|(told, _)| *told != name) {
                each(&name, i64::from(*count));
            }
        }
        now.iter().for_each(|(name, value)| each(name, *value));
    }
}
