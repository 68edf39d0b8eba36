//! Names of weapons, items and kinds of entities of Quake and QuakeWorld. Mission packs use the bits in other ways.
//!
//! Sources: the DEM document, tables 5 and 6; WinQuake's `quakedef.h` for the mission packs, and its status bar, which
//! shows wetsuit and empathy shields at bits 24 and 25.

/// Whose rules the bits of weapons and items follow, as the models of the level tell, and settings of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Game {
    /// Quake, and all mods that are not known.
    #[default]
    Quake,
    /// Quake with flags to capture: the bits of the episodes' runes are those of the runes of the game.
    CaptureTheFlag,
    /// Mission pack 1, Scourge of Armagon.
    Hipnotic,
    /// Mission pack 2, Dissolution of Eternity.
    Rogue,
}

/// A bit and its name.
type Named = (u8, &'static str);

const WEAPONS: [Named; 7] = [
    (0, "shotgun"),
    (1, "super_shotgun"),
    (2, "nailgun"),
    (3, "super_nailgun"),
    (4, "grenade_launcher"),
    (5, "rocket_launcher"),
    (6, "lightning_gun"),
];
const POWERUPS: [Named; 6] = [
    (17, "silver_key"),
    (18, "gold_key"),
    (19, "invisibility"),
    (20, "invulnerability"),
    (21, "biosuit"),
    (22, "quad"),
];
const ARMORS: [Named; 3] = [(13, "green_armor"), (14, "yellow_armor"), (15, "red_armor")];
const QUAKE_WEAPONS: [Named; 1] = [(12, "axe")];
const QUAKE_ITEMS: [Named; 5] = [(16, "megahealth"), RUNES[0].0, RUNES[1].0, RUNES[2].0, RUNES[3].0];
/// The runes of the episodes, and the models without which none lies on a level. Their bits are no player's but the server's
/// (`serverflags`), which tells everybody: mods show a clock with them.
///
/// Sources: QuakeWorld's `SV_UpdateClientStats` and Quake's `SV_WriteClientdataToMessage`; id Software's `items.qc`, which
/// loads the model of each rune that lies on a level.
const RUNES: [(Named, &[u8]); 4] = [
    ((28, "sigil_1"), b"progs/end1.mdl"),
    ((29, "sigil_2"), b"progs/end2.mdl"),
    ((30, "sigil_3"), b"progs/end3.mdl"),
    ((31, "sigil_4"), b"progs/end4.mdl"),
];
/// Sources: Threewave's Capture the Flag, which numbers its runes so, with sounds `rune/rune1.wav` to `rune4.wav`; KTX,
/// which has the same order and sends them in these bits (`CheckStuffRune` in `runes.c`).
const CTF_ITEMS: [Named; 5] =
    [(16, "megahealth"), (28, "resistance"), (29, "strength"), (30, "haste"), (31, "regeneration")];
/// The model of flags. KTX shows them as keys where its server has no other models (`k_ctf_custom_models`).
pub(crate) const FLAG_MODEL: &[u8] = b"progs/flag.mdl";
/// Bits of the keys among the items. In Capture the Flag they are flags, and no names of items: other modules give the one who
/// carries a flag its key; KTX 1.42 shows everybody those of the flags that are away (recordings of that; `FlagTouch` of earlier
/// ones gives them to who carries).
pub(crate) const KEYS: u32 = 1 << 17 | 1 << 18;
/// Bits of the pentagram, which protects health, and of the quad.
pub(crate) const PENTAGRAM: u32 = 1 << 20;
pub(crate) const QUAD: u32 = 1 << 22;
const HIPNOTIC_WEAPONS: [Named; 4] = [(7, "mjolnir"), (12, "axe"), (16, "proximity_gun"), (23, "laser_cannon")];
const HIPNOTIC_ITEMS: [Named; 2] = [(24, "wetsuit"), (25, "empathy_shields")];
const ROGUE_WEAPONS: [Named; 6] = [
    (11, "axe"),
    (12, "lava_nailgun"),
    (13, "lava_super_nailgun"),
    (14, "multi_grenade_launcher"),
    (15, "multi_rocket_launcher"),
    (16, "plasma_gun"),
];
const ROGUE_ITEMS: [Named; 6] = [
    (23, "green_armor"),
    (24, "yellow_armor"),
    (25, "red_armor"),
    (29, "shield"),
    (30, "antigrav_belt"),
    (31, "megahealth"),
];

impl Game {
    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            // Its rules are Quake's.
            Game::Quake | Game::CaptureTheFlag => "quake",
            Game::Hipnotic => "hipnotic",
            Game::Rogue => "rogue",
        }
    }

    fn weapons(self) -> impl Iterator<Item = Named> {
        let more: &[Named] = match self {
            Game::Quake | Game::CaptureTheFlag => &QUAKE_WEAPONS,
            Game::Hipnotic => &HIPNOTIC_WEAPONS,
            Game::Rogue => &ROGUE_WEAPONS,
        };
        WEAPONS.iter().chain(more).copied()
    }

    /// The bit of a weapon; `None` for what is none.
    pub(crate) fn weapon_bit(self, name: &str) -> Option<u32> {
        self.weapons().find(|(_, weapon)| *weapon == name).map(|(bit, _)| 1 << bit)
    }

    /// The bits of all weapons.
    pub(crate) fn weapon_bits(self) -> u32 {
        self.weapons().fold(0, |bits, (bit, _)| bits | 1 << bit)
    }

    /// Bits of the kinds of armour.
    pub(crate) fn armors(self) -> u32 {
        match self {
            Game::Quake | Game::CaptureTheFlag | Game::Hipnotic => 0b111 << 13,
            Game::Rogue => 0b111 << 23,
        }
    }

    /// Names of all bits that are set: weapons, armour, keys, powerups, runes. The bits for the kind of ammunition in
    /// use say nothing new and are left out, those of flags have no name.
    pub(crate) fn items(self, bits: u32) -> impl Iterator<Item = &'static str> {
        let (armors, more): (&[Named], &[Named]) = match self {
            Game::Quake => (&ARMORS, &QUAKE_ITEMS),
            Game::CaptureTheFlag => (&ARMORS, &CTF_ITEMS),
            Game::Hipnotic => (&ARMORS, &HIPNOTIC_ITEMS),
            Game::Rogue => (&[], &ROGUE_ITEMS),
        };
        let bits = if self == Game::CaptureTheFlag { bits & !KEYS } else { bits };
        let all = self.weapons().chain(armors.iter().chain(&POWERUPS).chain(more).copied());
        all.filter(move |(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// What a player took who has these bits now and had not before, on a level that has loaded some models.
    pub(crate) fn taken(self, bits: u32, has_model: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = &'static str> {
        self.items(bits).filter(move |item| rune(item).is_none_or(&has_model))
    }

    /// The weapon in hand by the number that `clientdata` has for it: its bit, or in mission packs the number of its
    /// bit. The axe's bit has no room in a byte: 0. `None` for a number that is no weapon.
    pub(crate) fn weapon(self, active: i32) -> Option<&'static str> {
        let bit = match (self, active) {
            (Game::Quake | Game::CaptureTheFlag, 0) => return Some("axe"),
            // Stats have room for the whole bit. An engine that was not told of the mission pack sends bits as well.
            (Game::Quake | Game::CaptureTheFlag, _) | (_, 32..) => {
                let bits = active as u32;
                bits.is_power_of_two().then(|| bits.trailing_zeros())?
            }
            (_, _) => u32::try_from(active).ok()?,
        };
        self.weapons().find(|(b, _)| u32::from(*b) == bit).map(|(_, name)| name)
    }

    /// The same of `clientdata`, which tells the model in hand as well. An engine that is started for a mission pack sends
    /// numbers of bits whatever it plays, which only that model shows where the level has nothing of the mission pack.
    pub(crate) fn weapon_in_hand(self, active: i32, model: &[u8]) -> Option<&'static str> {
        let shown = || IN_HAND.iter().find(|(name, _)| *name == model).map(|(_, weapon)| *weapon);
        let counted = self.weapons().find(|(bit, _)| i32::from(*bit) == active).map(|(_, weapon)| weapon);
        counted.filter(|_| counted == shown()).or_else(|| self.weapon(active))
    }
}

/// The weapons that models in hand show, by the names of these.
const IN_HAND: [(&[u8], &str); 8] = [
    (b"progs/v_axe.mdl", "axe"),
    (b"progs/v_shot.mdl", "shotgun"),
    (b"progs/v_shot2.mdl", "super_shotgun"),
    (b"progs/v_nail.mdl", "nailgun"),
    (b"progs/v_nail2.mdl", "super_nailgun"),
    (b"progs/v_rock.mdl", "grenade_launcher"),
    (b"progs/v_rock2.mdl", "rocket_launcher"),
    (b"progs/v_light.mdl", "lightning_gun"),
];

/// The model of a rune of the episodes; `None` for anything else. Nobody holds one.
pub(crate) fn rune(item: &str) -> Option<&'static [u8]> {
    RUNES.iter().find(|((_, name), _)| *name == item).map(|(_, model)| *model)
}

/// What an entity is, by the name of its model; empty where the name does not tell. `more` are kinds that one game tells
/// beside items, missiles and movers, with the names of their models.
pub(crate) fn kind_of(model: &[u8], more: &[(&'static str, &[&str])]) -> &'static str {
    let Ok(model) = std::str::from_utf8(model) else { return "" };
    if model.starts_with('*') {
        return "mover";
    }
    // The document's table of models: boxes of ammunition and health are maps of their own.
    if let Some(map) = model.strip_prefix("maps/") {
        return if map.starts_with("b_") { "item" } else { "mover" };
    }
    let Some(name) = model.strip_prefix("progs/").and_then(|m| m.strip_suffix(".mdl")) else { return "" };
    if name.starts_with("g_") || ITEMS.contains(&name) {
        "item"
    } else if MISSILES.contains(&name) {
        "missile"
    } else {
        more.iter().find(|(_, names)| names.contains(&name)).map_or("", |(kind, _)| kind)
    }
}

/// The item that a model shows; the skin tells armours apart. `None` for what is no single item.
pub(crate) fn item_of(model: &[u8], skin: u32) -> Option<&'static str> {
    let name = std::str::from_utf8(model).ok()?;
    if name == "progs/armor.mdl" {
        return ["green_armor", "yellow_armor", "red_armor"].get(skin as usize).copied();
    }
    ITEM_MODELS.iter().find(|(model, _)| *model == name).map(|(_, item)| *item)
}

const ITEM_MODELS: [(&str, &str); 22] = [
    ("maps/b_bh10.bsp", "health_15"),
    ("maps/b_bh25.bsp", "health_25"),
    ("maps/b_bh100.bsp", "megahealth"),
    ("maps/b_shell0.bsp", "shells"),
    ("maps/b_shell1.bsp", "shells"),
    ("maps/b_nail0.bsp", "nails"),
    ("maps/b_nail1.bsp", "nails"),
    ("maps/b_rock0.bsp", "rockets"),
    ("maps/b_rock1.bsp", "rockets"),
    ("maps/b_batt0.bsp", "cells"),
    ("maps/b_batt1.bsp", "cells"),
    ("progs/backpack.mdl", "backpack"),
    ("progs/g_shot.mdl", "super_shotgun"),
    ("progs/g_nail.mdl", "nailgun"),
    ("progs/g_nail2.mdl", "super_nailgun"),
    ("progs/g_rock.mdl", "grenade_launcher"),
    ("progs/g_rock2.mdl", "rocket_launcher"),
    ("progs/g_light.mdl", "lightning_gun"),
    ("progs/quaddama.mdl", "quad"),
    ("progs/invulner.mdl", "invulnerability"),
    ("progs/invisibl.mdl", "invisibility"),
    ("progs/suit.mdl", "biosuit"),
];

const ITEMS: [&str; 16] = [
    "armor", "backpack", "quaddama", "invulner", "invisibl", "suit", "w_s_key", "w_g_key", "m_s_key", "m_g_key",
    "b_s_key", "b_g_key", "end1", "end2", "end3", "end4",
];
const MISSILES: [&str; 6] = ["missile", "grenade", "spike", "s_spike", "laser", "lavaball"];

/// What moves in Quake alone.
pub(crate) const OF_QUAKE: [(&str, &[&str]); 2] = [
    ("missile", &["k_spike", "w_spike", "v_spike"]),
    (
        "monster",
        &[
            "soldier", "dog", "ogre", "ogre2", "knight", "hknight", "zombie", "wizard", "demon", "shambler",
            "enforcer", "fish", "tarbaby", "shalrath", "boss", "oldone",
        ],
    ),
];
/// Players are no entities in QuakeWorld, but an entity may have their model.
pub(crate) const OF_QUAKEWORLD: [(&str, &[&str]); 1] = [("player", &["player"])];
