//! What the game modules of Quake III's family mean by numbers: items, weapons, stats, entity types.
//!
//! Sources: id Software's game source for 43 to 71; for Quake Live recordings and the tables of other analysers.

use crate::format::dm3::Era;

/// The numbers of the game modules of one era. The modules share them, but for a few that [`Module`] tells.
#[derive(Debug, PartialEq, Eq)]
pub struct Game {
    /// The first entity type that is an event.
    pub first_event: u8,
    /// Event number of an obituary.
    pub obituary: u8,
    /// Event number of an item that somebody picks up, and of one that all hear of.
    pub pickups: [u8; 2],
    /// Event number of an item that appears again.
    pub respawn: u8,
    /// Event number of a sound for a team or all: flags taken, captured, returned.
    pub team_sound: Option<u8>,
    /// Where in a player's `stats` things are.
    pub stats: StatSlots,
    /// Where in a player's `persistant` things are.
    pub scores: ScoreSlots,
    /// Powerups by number; 0 is none.
    pub powerups: &'static [&'static str],
    /// Items by number; 0 is none.
    pub items: &'static [&'static str],
}

/// Slots of a player's `stats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatSlots {
    /// Health.
    pub health: usize,
    /// Number of the item that can be used.
    pub holdable: usize,
    /// Weapons, a bit each.
    pub weapons: usize,
    /// Armour.
    pub armor: usize,
    /// Health that is not counted down.
    pub max_health: usize,
}

/// Slots of a player's `persistant`: what lasts over deaths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreSlots {
    /// Score.
    pub score: usize,
    /// Hits given; counts damage in some games.
    pub hits: usize,
    /// Place: 0 the first; plus 0x4000 when shared.
    pub rank: usize,
    /// Team.
    pub team: usize,
    /// Counts the spawns.
    pub spawns: usize,
    /// Client who attacked last.
    pub attacker: usize,
    /// Deaths.
    pub deaths: usize,
    /// Awards: impressive, excellent, gauntlet, and where they are there defend, assist, captures.
    pub impressive: usize,
    /// Two frags in a short time.
    pub excellent: usize,
    /// Frags with the gauntlet.
    pub gauntlet: usize,
    /// Defences of a flag, assists, captures.
    pub flags: Option<[usize; 3]>,
}

/// A game module, as far as it changes the meaning of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Module {
    /// The base game and what builds on it: OSP, DeFRaG ...
    #[default]
    Base,
    /// CPMA.
    Cpma,
    /// Team Arena.
    TeamArena,
    /// OpenArena.
    OpenArena,
    /// Quake Live.
    QuakeLive,
}

impl Module {
    /// The module, by `gamename` in serverinfo.
    pub fn by_name(name: &[u8], quake_live: bool) -> Self {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        match () {
            () if quake_live => Module::QuakeLive,
            () if is("cpma") => Module::Cpma,
            () if is("missionpack") => Module::TeamArena,
            () if is("baseoa") => Module::OpenArena,
            () => Module::Base,
        }
    }

    /// True for games with Team Arena's weapons.
    pub fn has_team_arena(self) -> bool {
        matches!(self, Module::TeamArena | Module::OpenArena | Module::QuakeLive)
    }
}

/// Weapons by number, in all protocols; 0 is none.
pub const WEAPONS: [&str; 15] = [
    "none",
    "gauntlet",
    "machinegun",
    "shotgun",
    "grenade_launcher",
    "rocket_launcher",
    "lightning_gun",
    "railgun",
    "plasma_gun",
    "bfg",
    "grapple",
    "nailgun",
    "prox_launcher",
    "chaingun",
    "heavy_machinegun",
];

/// Teams by number.
pub const TEAMS: [&str; 4] = ["free", "red", "blue", "spectator"];

/// Types of entities by number, up to the events.
pub const ENTITY_TYPES: [&str; 13] = [
    "general",
    "player",
    "item",
    "missile",
    "mover",
    "beam",
    "portal",
    "speaker",
    "push_trigger",
    "teleport_trigger",
    "invisible",
    "grapple",
    "team",
];

const POWERUPS: [&str; 15] = [
    "none",
    "quad",
    "battlesuit",
    "haste",
    "invisibility",
    "regeneration",
    "flight",
    "red_flag",
    "blue_flag",
    "neutral_flag",
    "scout",
    "guard",
    "doubler",
    "ammo_regeneration",
    "invulnerability",
];

const POWERUPS_91: [&str; 16] = [
    "none",
    "spawn_armor",
    "red_flag",
    "blue_flag",
    "neutral_flag",
    "quad",
    "battlesuit",
    "haste",
    "invisibility",
    "regeneration",
    "flight",
    "invulnerability",
    "scout",
    "guard",
    "doubler",
    "armor_regeneration",
];

const ITEMS: [&str; 52] = [
    "none",
    "armor_shard",
    "yellow_armor",
    "red_armor",
    "health_small",
    "health",
    "health_large",
    "mega_health",
    "gauntlet",
    "shotgun",
    "machinegun",
    "grenade_launcher",
    "rocket_launcher",
    "lightning_gun",
    "railgun",
    "plasma_gun",
    "bfg",
    "grapple",
    "shells",
    "bullets",
    "grenades",
    "cells",
    "lightning",
    "rockets",
    "slugs",
    "bfg_ammo",
    "teleporter",
    "medkit",
    "quad",
    "battlesuit",
    "haste",
    "invisibility",
    "regeneration",
    "flight",
    "red_flag",
    "blue_flag",
    "kamikaze",
    "portal",
    "invulnerability",
    "nails",
    "mines",
    "belt",
    "scout",
    "guard",
    "doubler",
    "ammo_regeneration",
    "neutral_flag",
    "red_cube",
    "blue_cube",
    "nailgun",
    "prox_launcher",
    "chaingun",
];

/// Quake Live has a third armour behind the red one.
const ITEMS_LIVE: [&str; 60] = {
    let more =
        ["spawn_armor", "heavy_machinegun", "heavy_bullets", "ammo_pack", "silver_key", "gold_key", "master_key"];
    let mut all = ["none"; 60];
    let mut i = 0;
    while i < 60 {
        all[i] = match i {
            0..4 => ITEMS[i],
            4 => "green_armor",
            5..53 => ITEMS[i - 1],
            _ => more[i - 53],
        };
        i += 1;
    }
    all
};

const STATS: StatSlots = StatSlots { health: 0, holdable: 1, weapons: 2, armor: 3, max_health: 6 };
const STATS_LIVE: StatSlots = StatSlots { weapons: 3, armor: 4, max_health: 7, ..STATS };
const SCORES: ScoreSlots = ScoreSlots {
    score: 0,
    hits: 1,
    rank: 2,
    team: 3,
    spawns: 4,
    attacker: 6,
    deaths: 8,
    impressive: 9,
    excellent: 10,
    gauntlet: 13,
    flags: Some([11, 12, 14]),
};

/// Protocols 43 and 45.
static GAME_43: Game = Game {
    first_event: 12,
    obituary: 58,
    team_sound: None,
    scores: ScoreSlots { attacker: 7, gauntlet: 11, flags: None, ..SCORES },
    ..GAME_48
};

/// Protocols 46 to 71.
static GAME_48: Game = Game {
    first_event: 13,
    obituary: 60,
    pickups: [19, 20],
    respawn: 40,
    team_sound: Some(47),
    stats: STATS,
    scores: SCORES,
    powerups: &POWERUPS,
    items: &ITEMS,
};

/// Protocols 73 and 90.
static GAME_73: Game = Game {
    first_event: 13,
    obituary: 58,
    pickups: [15, 16],
    respawn: 37,
    team_sound: Some(44),
    stats: STATS_LIVE,
    scores: ScoreSlots { deaths: 7, impressive: 8, excellent: 9, gauntlet: 12, flags: Some([10, 11, 13]), ..SCORES },
    powerups: &POWERUPS,
    items: &ITEMS_LIVE,
};

/// Protocol 91.
static GAME_91: Game = Game { powerups: &POWERUPS_91, ..GAME_73 };

/// True for a powerup, or a flag, of any era.
pub fn is_powerup(name: &str) -> bool {
    POWERUPS.iter().chain(&POWERUPS_91).any(|powerup| *powerup == name)
}

impl Game {
    /// The numbers of an era.
    pub fn of(era: Era) -> &'static Game {
        match era {
            Era::Test => &GAME_43,
            Era::Arena => &GAME_48,
            Era::QuakeLive => &GAME_73,
            Era::LaterQuakeLive => &GAME_91,
        }
    }

    /// The name of an item, by its number. CPMA has three of its own.
    pub fn item(&self, number: usize, module: Module) -> Option<&'static str> {
        match (module, number) {
            (Module::Cpma, 36) => Some("green_armor"),
            (Module::Cpma, 37) => Some("backpack"),
            (Module::Cpma, 38) => Some("neutral_flag"),
            _ => self.items.get(number).copied().filter(|_| number > 0),
        }
    }
}

/// A cause of death: its name, and the weapon; an empty weapon for none.
type Means = (&'static str, &'static str);

const MEANS: [Means; 23] = [
    ("unknown", ""),
    ("shotgun", "shotgun"),
    ("gauntlet", "gauntlet"),
    ("machinegun", "machinegun"),
    ("grenade", "grenade_launcher"),
    ("grenade_splash", "grenade_launcher"),
    ("rocket", "rocket_launcher"),
    ("rocket_splash", "rocket_launcher"),
    ("plasma", "plasma_gun"),
    ("plasma_splash", "plasma_gun"),
    ("railgun", "railgun"),
    ("lightning", "lightning_gun"),
    ("bfg", "bfg"),
    ("bfg_splash", "bfg"),
    ("water", ""),
    ("slime", ""),
    ("lava", ""),
    ("crush", ""),
    ("telefrag", ""),
    ("falling", ""),
    ("suicide", ""),
    ("target_laser", ""),
    ("trigger_hurt", ""),
];

/// Number 23 in the base game.
const GRAPPLE: Means = ("grapple", "grapple");

/// From number 23 on, in Team Arena and what builds on it.
const MEANS_MORE: [Means; 11] = [
    ("nail", "nailgun"),
    ("chaingun", "chaingun"),
    ("proximity_mine", "prox_launcher"),
    ("kamikaze", ""),
    ("juiced", ""),
    GRAPPLE,
    ("switch_teams", ""),
    ("thaw", ""),
    ("lightning_discharge", "lightning_gun"),
    ("heavy_machinegun", "heavy_machinegun"),
    ("railgun_headshot", "railgun"),
];

impl Module {
    /// A cause of death by its number: its name, and the weapon; an empty weapon for none.
    pub fn means(self, number: usize) -> Option<(&'static str, &'static str)> {
        match number.checked_sub(MEANS.len()) {
            None => MEANS.get(number).copied(),
            Some(more) if self.has_team_arena() => MEANS_MORE.get(more).copied(),
            Some(0) => Some(GRAPPLE),
            Some(_) => None,
        }
    }
}
