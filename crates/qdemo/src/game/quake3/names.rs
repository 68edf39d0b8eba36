//! What the game modules of Quake III's family mean by numbers: items, weapons, stats, entity types.
//!
//! Sources: id Software's game source for 43 to 71; for Quake Live recordings and the tables of other analysers.

use std::ops::RangeInclusive;

use crate::format::dm3::{Array, Era, Indices};
use crate::game::quake3::Configstrings;
use crate::wire::info_value;
use crate::world::Charset;

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
    /// Event number of a weapon that is fired.
    pub fire: u8,
    /// Event numbers of sounds that a configstring names: at a place, and everywhere.
    pub sounds: [u8; 2],
    /// Event number of a sound for a team or all: flags taken, captured, returned.
    pub team_sound: Option<u8>,
    /// Event number of time that is added.
    pub overtime: Option<u8>,
    /// Where in a player's `stats` things are, but for what [`Game::stat_slots`] tells.
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
    /// The base game, and mods with its items.
    #[default]
    Base,
    /// OSP.
    Osp,
    /// DeFRaG.
    Defrag,
    /// CPMA.
    Cpma,
    /// Team Arena, and mods with its items.
    TeamArena,
    /// OpenArena.
    OpenArena,
    /// Quake Live.
    QuakeLive,
    /// One whose numbers are its own.
    Other,
}

impl Module {
    /// The module of a level.
    ///
    /// `gamename` of serverinfo names it: the game module sets it. It does not tell all: OpenArena up to 0.8.1 and mods
    /// of Team Arena call themselves `baseq3`, and so do servers of OSP, whose `gameversion` says what they are. What the
    /// game module was built with is told by the configstring of the items, a character for each one it knows: in id's
    /// source, the switch `MISSIONPACK` adds Team Arena's items (`bg_misc.c`) and its means of death (`bg_public.h`)
    /// together. In recordings these are 36 of the base game and DeFRaG, 37 of OSP, none of CPMA; 52 of Team Arena's source
    /// (`fs_game\\missionpack`), 54 of OpenArena 0.8.1 and 61 of 0.8.8, whose engines have `+oa` in `version`; Quake Live
    /// has 54 and, from protocol 90 on, 60.
    pub fn of(strings: &Configstrings, indices: &Indices) -> Self {
        let info = |key| info_value(strings.get(0), key).unwrap_or_default();
        let (name, items) = (info("gamename").to_ascii_lowercase(), strings.get(indices.items).len());
        let has = |text: &[u8], part: &str| text.windows(part.len()).any(|w| w.eq_ignore_ascii_case(part.as_bytes()));
        match &*name {
            _ if indices.quake_live => Module::QuakeLive,
            b"cpma" => Module::Cpma,
            b"missionpack" => Module::TeamArena,
            b"baseoa" => Module::OpenArena,
            _ if items >= TEAM_ARENA_ITEMS && has(info("version"), "+oa") => Module::OpenArena,
            b"" | b"baseq3" if items >= TEAM_ARENA_ITEMS => Module::TeamArena,
            _ if has(&name, "osp") || has(info("gameversion"), "osp") => Module::Osp,
            b"defrag" => Module::Defrag,
            b"" | b"baseq3" => Module::Base,
            _ if items == TEAM_ARENA_ITEMS => Module::TeamArena,
            _ if items == BASE_ITEMS => Module::Base,
            _ => Module::Other,
        }
    }

    /// How the module writes names and texts.
    pub fn charset(self) -> Charset {
        if self == Module::Osp { Charset::HexCarets } else { Charset::Carets }
    }

    /// False for a module whose items, weapons, powerups and events have numbers of its own.
    pub fn has_known_numbers(self) -> bool {
        self != Module::Other
    }

    /// True for games with Team Arena's weapons.
    pub fn has_team_arena(self) -> bool {
        matches!(self, Module::TeamArena | Module::OpenArena | Module::QuakeLive)
    }
}

/// Items of the base game, with the one that is none.
const BASE_ITEMS: usize = 36;
/// Those of Team Arena.
const TEAM_ARENA_ITEMS: usize = ITEMS.len();

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
/// The last of them: those who watch.
pub(crate) const SPECTATOR: usize = TEAMS.len() - 1;

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

/// Those of Quake Live's protocols 73 and 90: the first ten are id's, for the others see WolfcamQL's `PWOLD_` (`bg_public.h`).
/// They stand in the order of protocol 91, but that the three flags come behind `flight`.
const POWERUPS_73: [&str; 16] = {
    let [none, red, blue, neutral, quad, suit, haste, ring, regeneration, flight, a, b, c, d, e, frozen] = POWERUPS_91;
    [none, quad, suit, haste, ring, regeneration, flight, red, blue, neutral, a, b, c, d, e, frozen]
};

/// Those of protocol 91, as game servers' own modules number them. Frozen ones have a bit among them.
const POWERUPS_91: [&str; 16] = [
    "none",
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
    FROZEN,
];

const FROZEN: &str = "frozen";

const ITEMS: [&str; 52] = [
    "none",
    "armor_shard",
    "yellow_armor",
    "red_armor",
    "health_small",
    "health",
    "health_large",
    "megahealth",
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
/// With a persistant powerup in front of the weapons: Team Arena's order, which is Quake Live's too.
const STATS_TEAM_ARENA: StatSlots = StatSlots { weapons: 3, armor: 4, max_health: 7, ..STATS };
/// Numbers of items that are persistant powerups, in Team Arena and OpenArena: scout, guard, doubler, ammo regeneration.
const PERSISTANT: RangeInclusive<i32> = 42..=45;
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
    fire: 23,
    sounds: [45, 46],
    team_sound: Some(47),
    overtime: None,
    stats: STATS,
    scores: SCORES,
    powerups: &POWERUPS,
    items: &ITEMS,
};

/// Protocols 73 and 90. Source of the number of overtime: headers of minqlx; wolfcamql has the same.
static GAME_73: Game = Game {
    first_event: 13,
    obituary: 58,
    pickups: [15, 16],
    respawn: 37,
    fire: 20,
    sounds: [42, 43],
    team_sound: Some(44),
    overtime: Some(84),
    stats: STATS_TEAM_ARENA,
    scores: ScoreSlots { deaths: 7, impressive: 8, excellent: 9, gauntlet: 12, flags: Some([10, 11, 13]), ..SCORES },
    powerups: &POWERUPS_73,
    items: &ITEMS_LIVE,
};

/// Protocol 91.
static GAME_91: Game = Game { powerups: &POWERUPS_91, ..GAME_73 };

/// True for a powerup, or a flag, of any era; whoever is frozen holds none.
pub fn is_powerup(name: &str) -> bool {
    name != FROZEN && POWERUPS.iter().chain(&POWERUPS_91).any(|powerup| *powerup == name)
}

/// True while a powerup lasts, by the time that is left of it. Those that a player keeps up to death end in every frame anew,
/// at the time of the frame (`ClientEndFrame` in id's `g_active.c`).
pub(crate) fn lasts(powerup: &str, left: i64) -> bool {
    let is_kept = || matches!(powerup, "scout" | "guard" | "doubler" | "ammo_regeneration" | "armor_regeneration");
    left > 0 || left == 0 && is_kept()
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

    /// Where things are in these `stats` of a player.
    ///
    /// Game modules built with `MISSIONPACK` have the persistant powerup in slot 2 and what follows one slot later
    /// (`bg_public.h` of id's source); so have OpenArena 0.8.8 and the mission pack of OpenArena 0.6. OpenArena 0.8.1 has the
    /// base game's order, and OpenArena's later source too, with the powerup behind all. Names and numbers of items do not
    /// tell which it is, but the stats do: everybody who is in the game has some highest health, and what stands beside it
    /// is nothing, or clients who are ready (Team Arena's order), or the powerup (the other one).
    pub fn stat_slots(&self, module: Module, stats: &[i32; Array::SLOTS]) -> StatSlots {
        if !matches!(module, Module::TeamArena | Module::OpenArena) {
            return self.stats;
        }
        let [base, later] = [STATS, STATS_TEAM_ARENA].map(|slots| stats.get(slots.max_health).copied().unwrap_or(0));
        if later != 0 && (base == 0 || !PERSISTANT.contains(&later)) { STATS_TEAM_ARENA } else { STATS }
    }

    /// The name of an item, by its number. CPMA has three of its own; OSP has one, which adds 25 armour and is what its
    /// `statsinfo` counts as green.
    pub fn item(&self, number: usize, module: Module) -> Option<&'static str> {
        match (module, number) {
            (Module::Cpma | Module::Osp, 36) => Some("green_armor"),
            (Module::Cpma, 37) => Some("backpack"),
            (Module::Cpma, 38) => Some("neutral_flag"),
            (Module::Other, _) => None,
            _ => self.items.get(number).copied().filter(|_| number > 0),
        }
    }
}

/// A cause of death: its name, and the weapon; an empty weapon for none.
type Means = (&'static str, &'static str);

/// Of the base game and all mods of it, in all protocols.
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

/// From number 23 on, in Team Arena, OpenArena (0.8.1 to 0.8.8) and Quake Live.
const MEANS_TEAM_ARENA: [Means; 6] = [
    ("nail", "nailgun"),
    ("chaingun", "chaingun"),
    ("proximity_mine", "prox_launcher"),
    ("kamikaze", ""),
    ("juiced", ""),
    GRAPPLE,
];

/// From number 29 on, in Quake Live. Sources: recordings (29, 32, 33), headers of minqlx (all).
const MEANS_LIVE: [Means; 5] = [
    ("switch_teams", ""),
    (THAW, ""),
    ("lightning_discharge", "lightning_gun"),
    ("heavy_machinegun", "heavy_machinegun"),
    ("railgun_headshot", "railgun"),
];

/// In Quake Live's freeze tag somebody is thawed. That is told as an obituary, but nobody dies.
///
/// Sources: wolfcamql's client (it counts no death and says "You thawed ..."), minqlx (it calls the number so).
pub(crate) const THAW: &str = "thaw";

impl Module {
    /// A cause of death by its number: its name, and the weapon; an empty weapon for none. Gives `None` for numbers that
    /// the game module has of its own.
    pub fn means(self, number: usize) -> Option<(&'static str, &'static str)> {
        let (team_arena, live): (&[Means], &[Means]) = match self {
            Module::Other => return None,
            Module::QuakeLive => (&MEANS_TEAM_ARENA, &MEANS_LIVE),
            _ if self.has_team_arena() => (&MEANS_TEAM_ARENA, &[]),
            _ => (&[GRAPPLE], &[]),
        };
        MEANS.iter().chain(team_arena).chain(live).nth(number).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_mods() {
        let of = |module, number| Game::of(Era::Arena).item(number, module);
        assert_eq!(of(Module::Base, 35), Some("blue_flag"));
        // OSP counts what it has beyond the base game as green armour.
        assert_eq!(
            [Module::Osp, Module::Cpma, Module::TeamArena].map(|it| of(it, 36)),
            [Some("green_armor"), Some("green_armor"), Some("kamikaze")]
        );
        assert_eq!((of(Module::Base, 0), of(Module::Other, 2)), (None, None));
    }

    /// Stats of recordings: OpenArena 0.8.1, 0.8.8 and, by its source, later; the mission pack of OpenArena 0.6.
    #[test]
    fn stats_of_mods() {
        use Module::{Base, OpenArena, Other, TeamArena};
        let stats = |all: &[(usize, i32)]| {
            let mut stats = [0; Array::SLOTS];
            all.iter().for_each(|(slot, value)| stats[*slot] = *value);
            stats
        };
        for (module, is_later, all) in [
            (Base, false, &[(0, 125), (2, 6), (6, 100)][..]),
            (OpenArena, false, &[(0, 125), (2, 6), (6, 100)]),
            (OpenArena, true, &[(0, 100), (3, 78), (4, 25), (7, 100)]),
            (TeamArena, true, &[(0, 125), (3, 6), (7, 100)]),
            // Clients who are ready; dead; before the game has begun.
            (OpenArena, true, &[(0, 0), (3, 6), (5, 270), (6, 3), (7, 100)]),
            (OpenArena, false, &[]),
            // Persistant powerups.
            (TeamArena, true, &[(2, 43), (3, 6), (7, 200)]),
            (OpenArena, false, &[(2, 6), (6, 200), (7, 43)]),
            // A handicap.
            (OpenArena, true, &[(3, 6), (7, 45)]),
            (Other, false, &[(3, 6), (7, 100)]),
        ] {
            let slots = Game::of(Era::Arena).stat_slots(module, &stats(all));
            assert_eq!(slots, if is_later { STATS_TEAM_ARENA } else { STATS }, "{module:?} {all:?}");
        }
    }
}
