//! Kinds of games: what the game modules of Quake III's family mean by `g_gametype`.

use super::Configstrings;
use super::names::Module;
use crate::wire::info_value;

const FREE_FOR_ALL: &str = "free for all";

const SINGLE_PLAYER: &str = "single player";
const LAST_MAN_STANDING: &str = "last man standing";
const POSSESSION: &str = "possession";
const RACE: &str = "race";

/// Kinds of games without two sides: any number of players, each for oneself.
pub(crate) const WITHOUT_SIDES: [&str; 5] = [FREE_FOR_ALL, SINGLE_PLAYER, LAST_MAN_STANDING, POSSESSION, RACE];

/// Kinds of games by number in Team Arena.
const GAME_TYPES: [&str; 8] = [
    FREE_FOR_ALL,
    "tournament",
    SINGLE_PLAYER,
    "team deathmatch",
    "capture the flag",
    "one flag CTF",
    "obelisk",
    "harvester",
];

/// Those that the base game has: the first ones.
const BASE_GAME_TYPES: usize = 5;

const GAME_TYPES_LIVE: [&str; 13] = [
    FREE_FOR_ALL,
    "duel",
    RACE,
    "team deathmatch",
    "clan arena",
    "capture the flag",
    "one flag CTF",
    "obelisk",
    "harvester",
    "freeze tag",
    "domination",
    "attack and defend",
    "red rover",
];

/// Behind those of the base game.
const GAME_TYPES_CPMA: [&str; 5] =
    ["clan arena", "freeze tag", "capture strike", "not team fortress", "two versus two"];

/// Behind those of the base game, in Excessive Plus ("Game Types" of its documentation).
const GAME_TYPES_EXCESSIVE: [&str; 5] =
    ["return the flag", "one flag CTF", "clan arena", "freeze tag", "protect the leader"];

/// Behind those of Team Arena, in OpenArena.
const GAME_TYPES_OPEN_ARENA: [&str; 6] =
    ["elimination", "CTF elimination", LAST_MAN_STANDING, "double domination", "domination", POSSESSION];

/// Kinds of games of OpenArena, by number, that have no teams though their numbers are those of teams: last man standing and
/// possession (`GAMETYPE_IS_A_TEAM_GAME` of its `bg_public.h`).
const WITHOUT_TEAMS_OPEN_ARENA: [i32; 2] = [10, 13];

/// True for Quake Live's race, whose scores are the best times in ms: the lowest is the first.
pub(crate) fn is_race(module: Module, number: i32) -> bool {
    module == Module::QuakeLive && number == 2
}

/// True for a game of two sides in which everybody plays to win: Quake Live's red rover. The scores of both sides are those of
/// the first and the second player there, whose names stand in configstrings 659 and 660.
pub(crate) fn is_for_oneself(module: Module, number: i32) -> bool {
    module == Module::QuakeLive && number == 12
}

/// True for OpenArena's double domination. The configstring for flags says there whose each of both points is, and texts who
/// took control of it. (Source: `updateDDpoints` of its `g_team.c`; a recording and what its server wrote of it.)
pub(crate) fn has_points(module: Module, number: i32) -> bool {
    module == Module::OpenArena && number == 11
}

/// True for a kind of game of two teams, which id's modules have from number 3 on; `None` where the module has numbers of its
/// own. World of Padman begins them at 5.
pub(crate) fn has_teams(module: Module, number: i32) -> Option<bool> {
    let without = module == Module::OpenArena && WITHOUT_TEAMS_OPEN_ARENA.contains(&number);
    module.has_known_numbers().then_some(number >= 3 && !without)
}

/// The name of a kind of game of a level; empty for a number that is not known. From 5 on numbers are the game module's own;
/// modules whose items are not id's have others below, too: all have 0 in common.
pub(crate) fn game_type_of(module: Module, strings: &Configstrings, number: i32) -> &'static str {
    let base = GAME_TYPES.get(..BASE_GAME_TYPES).unwrap_or_default();
    let (first, more): (&[&'static str], &[&'static str]) = match module {
        Module::QuakeLive => (&GAME_TYPES_LIVE, &[]),
        Module::Cpma if number == -1 => return "hoony mode",
        Module::Cpma => (base, &GAME_TYPES_CPMA),
        _ if is_excessive_plus(strings) => (base, &GAME_TYPES_EXCESSIVE),
        Module::Osp => (base, &["clan arena"]),
        Module::TeamArena => (&GAME_TYPES, &[]),
        Module::OpenArena => (&GAME_TYPES, &GAME_TYPES_OPEN_ARENA),
        Module::Base | Module::Defrag => (base, &[]),
        Module::Other if number != 0 => return "",
        Module::Other => (base, &[]),
    };
    let name = usize::try_from(number).ok().and_then(|number| first.iter().chain(more).nth(number));
    name.copied().unwrap_or("")
}

/// Excessive Plus tells its version as `XP 2.3`, whatever it calls itself.
fn is_excessive_plus(strings: &Configstrings) -> bool {
    let info = |key| info_value(strings.get(0), key).unwrap_or_default();
    let version = info("xp_version").get(..2).unwrap_or_default();
    info("gamename").eq_ignore_ascii_case(b"excessiveplus") || version.eq_ignore_ascii_case(b"xp")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::dm3::Dialect;

    /// A level whose serverinfo says so, with so many items.
    fn level(info: &str, items: usize, dialect: &Dialect) -> Configstrings {
        let mut strings = Configstrings::default();
        strings.command(format!("cs 0 \"{info}\"").as_bytes());
        strings.command(format!("cs {} \"{}\"", dialect.layout.indices.items, "1".repeat(items)).as_bytes());
        strings
    }

    #[test]
    fn kinds_of_games() {
        let old = Dialect::by_protocol(68).unwrap();
        for (info, items, number, name) in [
            (r"\gamename\baseq3", 36, 4, "capture the flag"),
            (r"\gamename\baseq3", 36, 5, ""),
            (r"\gamename\freeze", 36, 3, "team deathmatch"),
            (r"\gamename\missionpack", 52, 7, "harvester"),
            (r"\gamename\baseq3\gameversion\OSP v1.03a", 37, 5, "clan arena"),
            (r"\gamename\osp", 37, 6, ""),
            (r"\gamename\excessiveplus", 36, 5, "return the flag"),
            (r"\gamename\excessiveplus", 36, 6, "one flag CTF"),
            (r"\gamename\excessiveplus", 40, 7, "clan arena"),
            (r"\gamename\excessiveplus", 36, 8, "freeze tag"),
            (r"\gamename\baseq3\xp_version\XP 2.3", 36, 9, "protect the leader"),
            (r"\gamename\excessiveplus", 36, 1, "tournament"),
            (r"\gamename\cpma", 0, -1, "hoony mode"),
            (r"\gamename\cpma", 0, 7, "capture strike"),
            (r"\gamename\cpma", 0, 9, "two versus two"),
            (r"\gamename\cpma", 0, 10, ""),
            (r"\gamename\baseq3\version\ioq3+oa 1.35", 54, 8, "elimination"),
            (r"\gamename\baseoa", 61, 13, "possession"),
            (r"\gamename\baseoa", 61, 5, "one flag CTF"),
            (r"\gamename\q3ut4", 20, 0, "free for all"),
            (r"\gamename\q3ut4", 20, 3, ""),
            (r"\gamename\q3ut4", 20, 4, ""),
            (r"\gamename\q3ut4", 20, 7, ""),
            (r"\gamename\defrag", 36, 0, "free for all"),
            (r"\gamename\baseq3", 36, -1, ""),
        ] {
            let strings = level(info, items, &old);
            let module = Module::of(&strings, &old.layout.indices);
            assert_eq!(game_type_of(module, &strings, number), name, "{info} {number}");
        }
        // World of Padman has other kinds of games below 5: nothing is known of such modules.
        let teams = [(Module::Base, 2), (Module::Base, 3), (Module::OpenArena, 9), (Module::OpenArena, 10)];
        let more = [(Module::OpenArena, 11), (Module::OpenArena, 13), (Module::Other, 3)];
        let told: Vec<_> = teams.into_iter().chain(more).map(|(module, number)| has_teams(module, number)).collect();
        assert_eq!(told, [Some(false), Some(true), Some(true), Some(false), Some(true), Some(false), None]);
        let live = Dialect::by_protocol(91).unwrap();
        let strings = level(r"\gamename\baseqz", 60, &live);
        let module = Module::of(&strings, &live.layout.indices);
        assert_eq!([4, 12, 13].map(|n| game_type_of(module, &strings, n)), ["clan arena", "red rover", ""]);
    }
}
