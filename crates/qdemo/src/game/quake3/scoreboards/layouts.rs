//! The words of each command.
//!
//! Sources: words of 15,098 real commands, whose count fits; names of the words after id Software's release, the tables
//! of other analysers, and players' numbers that can be counted otherwise. The commands of Quake Live from `scores_ffa`
//! on: uberdemotools, WolfcamQL and the senders as others read them out of Quake Live's own program, where they agree or
//! one alone knows them, and recordings of protocols 73, 90 and 91.

use crate::format::dm3::Era;

/// What stands in a command, one after the other. Names of words that a scoreboard or statistics can hold are those of
/// the measures; `-` is a word of which nothing is said. `a:b` are two numbers in one word: `a` in the low 16 bits.
/// `a_held` and `a_delay` are times of an item: for how long it was held, in seconds, and how long it lay there. `best_weapon`
/// is the number of a weapon, so that commands of as many words can be told apart. `client` says whose the words behind it are. `row` does so by the row of the scoreboard that came last. `eyes` is the
/// client through whose eyes that player looks: whoever waits or watches looks through those of others, and then what
/// follows is left out, for it is not told of whom it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum LayoutPart {
    /// Words.
    Words(&'static str),
    /// Words about a team.
    Team(&'static str, &'static str),
    /// As many players as the word of this name says, each with these parts. Those of `players` are the scoreboard.
    Players(&'static str, &'static [LayoutPart]),
    /// The players of the scoreboard that came last, in its order, each with these parts, as long as there are words.
    Rows(&'static [LayoutPart]),
    /// The two who play a duel, as the scoreboard that came last has them, each with these parts: the lower client number
    /// comes first, whoever leads. In all 61 of these commands at hand ping and accuracy, the first word and the fourth,
    /// are those of the scoreboard in that order; in the order of configstrings 659 and 660 (the names of the first and the
    /// second) they are so in 44, in that of the scoreboard's rows in 45. Quake Live's own program sorts the two in this way for
    /// `scores_duel`. A row whose ping or accuracy is not that of the scoreboard is left out.
    Duel(&'static [LayoutPart]),
    /// These words for each weapon from number 1 on.
    Weapons(usize, usize, &'static str),
    /// These words for each bit that is set in the word of this name, a weapon each.
    WeaponsOf(&'static str, &'static str),
    /// Likewise, a powerup each.
    PowerupsOf(&'static str, &'static str),
    /// Words of which newer versions may send more.
    Open(&'static str),
    /// More rows of so many words, of those who do not play: they are left out.
    Others(usize),
    /// Nothing: the command is of these protocols.
    Of(&'static [Era]),
}

use LayoutPart::{Duel, Of, Open, Others, Players, PowerupsOf, Rows, Team, Weapons, WeaponsOf, Words};

/// A command and its parts. Which of those with one name it is, the number of its words tells.
pub(super) type Layout = (&'static str, &'static [LayoutPart]);

const PLAYER: &str = "client score ping minutes flags powerups accuracy impressive excellent gauntlet_awards defends \
                      assists perfect captures";
const RAT_PLAYER: &str = "client score ping - flags powerups accuracy impressive excellent gauntlet_awards defends \
                          assists perfect captures";
const SIDES: &str = "players red blue";
/// Quake Live's teams: how often items were taken, then for how long powerups were held, in seconds (a haste of 30 s
/// each: two of them, 57).
const TDM_TEAM: &str = "red_armor yellow_armor green_armor megahealth quad battlesuit regeneration haste invisibility \
                        quad_held battlesuit_held regeneration_held haste_held invisibility_held";
const CTF_TEAM: &str = "red_armor yellow_armor green_armor megahealth quad battlesuit regeneration haste invisibility \
                        flag medkit quad_held battlesuit_held regeneration_held haste_held invisibility_held flag_held";
const TDM: [LayoutPart; 2] = [Team("red", TDM_TEAM), Team("blue", TDM_TEAM)];
const CTF: [LayoutPart; 2] = [Team("red", CTF_TEAM), Team("blue", CTF_TEAM)];
/// Kills are kills, or with them suicides: see `suicides_among_kills`.
const DUEL: &str = "client score ping minutes kills deaths accuracy best_weapon damage_given impressive excellent \
                    gauntlet_awards perfect red_armor red_armor_delay yellow_armor yellow_armor_delay green_armor \
                    green_armor_delay megahealth megahealth_delay";
const DUEL_WEAPON: &str = "hits shots - damage kills";
const CPMA: &str = "hits shots kills deaths pickups drops";
const CPMA_TAIL: &[LayoutPart] = &[
    Words("client weapons"),
    WeaponsOf("weapons", CPMA),
    Words("damage_given damage_taken armor_taken health_taken megahealth red_armor yellow_armor green_armor held"),
    PowerupsOf("held", "pickups held_ms"),
    Words("- -"),
    Open(
        "score weapon_kills weapon_deaths own_deaths telefrags damage_team team_kills rocket_damage rocket_direct_hits",
    ),
];

/// Players of Quake Live's games of teams, behind the words about who it is: one more up to protocol 90.
const TDM_PLAYER: &str = "score ping minutes kills deaths accuracy best_weapon impressive excellent gauntlet_awards \
                          team_kills team_deaths damage_given";
const CTF_PLAYER: [&str; 2] = [
    "score ping minutes kills deaths powerups accuracy best_weapon impressive excellent gauntlet_awards defends assists \
     captures perfect -",
    "score ping minutes kills deaths accuracy best_weapon impressive excellent gauntlet_awards defends assists captures \
     perfect -",
];
const CA_PLAYER: &str = "score ping minutes kills deaths accuracy best_weapon best_weapon_accuracy damage_given impressive \
                         excellent gauntlet_awards perfect -";
/// Up to protocol 90, and from 91 on.
const FT_PLAYER: [&str; 2] = [
    "score ping minutes kills deaths accuracy best_weapon impressive excellent thaws assists team_kills team_deaths \
     damage_given -",
    "score ping minutes kills deaths accuracy best_weapon impressive excellent gauntlet_awards thaws team_kills team_deaths \
     damage_given -",
];
const FFA_PLAYER: &str = "client score ping minutes accuracy impressive excellent gauntlet_awards defends assists perfect \
                          captures - kills deaths best_weapon powerups damage_given";
/// Red rover of protocol 90, of 91, and of its last versions, which tell damage.
const RR_PLAYER: [&str; 3] = [
    "client score - ping minutes kills deaths powerups accuracy best_weapon best_weapon_accuracy impressive excellent \
     gauntlet_awards defends assists perfect captures -",
    "client score - ping minutes kills deaths accuracy best_weapon best_weapon_accuracy impressive excellent \
     gauntlet_awards defends assists perfect captures -",
    "client score - ping minutes kills deaths accuracy best_weapon best_weapon_accuracy damage_given impressive excellent \
     gauntlet_awards defends assists perfect captures -",
];
const OLD_TDM_TEAM: &str = "red_armor yellow_armor green_armor megahealth quad battlesuit quad_held battlesuit_held";
const OLD_RR_PLAYER: &str = "client score - ping minutes flags powerups accuracy impressive excellent gauntlet_awards \
                             defends assists perfect captures - kills deaths best_weapon";
const OLD_DUEL: &str = "ping kills deaths accuracy damage_given impressive excellent gauntlet_awards - - red_armor \
                        red_armor_delay yellow_armor yellow_armor_delay green_armor green_armor_delay megahealth \
                        megahealth_delay";
/// The first word is deaths by the world: not the player's own doing alone, and so no measure of ours.
const TDM_STATS: &str = "row - team_kills team_deaths damage_given damage_taken red_armor yellow_armor green_armor \
                         megahealth quad battlesuit";
const CTF_STATS: &str = "row - damage_given damage_taken red_armor yellow_armor green_armor megahealth quad battlesuit \
                         regeneration haste invisibility";
const CA_WEAPON: &str = "hit_rate kills";
/// The scores of the last 20 turns, then those of the teams.
const AD: &str = "- - - - - - - - - - - - - - - - - - - - red blue";
/// The third word is the team. In all 14 recordings at hand score = kills - own deaths - team kills, and the table that is
/// printed at the end of the match has the same numbers under `Sui` and `TK`; its `Dth` are deaths by enemies.
const OSP_STATS: &str = "- score - kills enemy_deaths own_deaths team_kills damage_team damage_given damage_taken";
const OLD: LayoutPart = Words("client - -");
const NEW: LayoutPart = Words("client -");

pub(super) const LAYOUTS: &[Layout] = &[
    ("scores", &[Words(SIDES), Players("players", &[Words("client score ping minutes flags powerups")])]),
    ("scores", &[Words(SIDES), Players("players", &[Words(PLAYER)])]),
    // OpenArena.
    ("scores", &[Words("players red blue -"), Players("players", &[Words(PLAYER), Words("-")])]),
    // RatOA, whose times are in seconds (`CG_ParseRatScores` and `CG_ParseRatScores1` of its client).
    ("ratscores", &[Words("players red blue -"), Players("players", &[Words(RAT_PLAYER), Words("- - - - - - -")])]),
    ("ratscores1", &[Words("- players red blue - -"), Players("players", &[Words(RAT_PLAYER), Words("- - -")])]),
    // Quake Live.
    ("scores", &[Words(SIDES), Players("players", &[Words(PLAYER), Words("- kills deaths best_weapon")])]),
    ("scores_duel", &[Words("players"), Players("players", &[Words(DUEL), Weapons(1, 14, DUEL_WEAPON)])]),
    ("scores_duel", &[Words("players"), Players("players", &[Words(DUEL), Weapons(1, 13, DUEL_WEAPON)])]),
    ("scores_tdm", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[OLD, Words(TDM_PLAYER)])]),
    ("scores_tdm", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[NEW, Words(TDM_PLAYER)])]),
    // Older: without the scores of the teams.
    ("scores_tdm", &[TDM[0], TDM[1], Words("players"), Players("players", &[OLD, Words(TDM_PLAYER)])]),
    ("scores_ctf", &[CTF[0], CTF[1], Words(SIDES), Players("players", &[OLD, Words(CTF_PLAYER[0])])]),
    ("scores_ctf", &[CTF[0], CTF[1], Words(SIDES), Players("players", &[NEW, Words(CTF_PLAYER[1])])]),
    ("scores_ca", &[Words(SIDES), Players("players", &[OLD, Words(CA_PLAYER)])]),
    ("scores_ca", &[Words(SIDES), Players("players", &[NEW, Words(CA_PLAYER)])]),
    ("scores_ft", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[OLD, Words(FT_PLAYER[0])])]),
    ("scores_ft", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[NEW, Words(FT_PLAYER[1])])]),
    // Older: without the scores of the teams.
    ("scores_ft", &[TDM[0], TDM[1], Words("players"), Players("players", &[OLD, Words(FT_PLAYER[0])])]),
    ("scores_rr", &[Words(SIDES), Players("players", &[Words(RR_PLAYER[2])])]),
    ("scores_rr", &[Words(SIDES), Players("players", &[Words(RR_PLAYER[0])])]),
    ("scores_rr", &[Words(SIDES), Players("players", &[Words(RR_PLAYER[1])])]),
    // The score is the best time, in ms. With rows of others the number of words does not tell which it is (WolfcamQL).
    (
        "scores_race",
        &[
            Of(&[Era::QuakeLive]),
            Words("players"),
            Players("players", &[Words("client - score ping minutes")]),
            Others(5),
        ],
    ),
    (
        "scores_race",
        &[
            Of(&[Era::LaterQuakeLive]),
            Words("players"),
            Players("players", &[Words("client score ping minutes")]),
            Others(4),
        ],
    ),
    ("scores_ffa", &[Words(SIDES), Players("players", &[Words(FFA_PLAYER)])]),
    // Instead of others, now and then.
    ("smscores", &[Words(SIDES), Players("players", &[Words("client score ping minutes - - kills deaths")])]),
    // Older ones, and what comes at the end of a match.
    ("adscores", &[Words(AD)]),
    ("scores_ad", &[Words(AD)]),
    ("ctfscores", &[CTF[0], CTF[1], Rows(&[Words("eyes - -")])]),
    ("ctfstats", &[Words(CTF_STATS)]),
    (
        "tdmscores",
        &[
            Team("red", OLD_TDM_TEAM),
            Team("blue", OLD_TDM_TEAM),
            Rows(&[Words("eyes - team_kills team_deaths damage_given")]),
        ],
    ),
    ("tdmscores2", &[TDM[0], TDM[1], Rows(&[Words("eyes - - team_kills team_deaths damage_given")])]),
    ("tdmstats", &[Words(TDM_STATS), Weapons(1, 14, "hits shots - damage kills")]),
    ("tdmstats", &[Words(TDM_STATS), Open("")]),
    ("cascores", &[Rows(&[Words("eyes - - damage_given accuracy")])]),
    ("castats", &[Words("row damage_given damage_taken"), Weapons(1, 15, CA_WEAPON)]),
    ("castats", &[Words("row damage_given damage_taken"), Weapons(1, 14, CA_WEAPON)]),
    ("castats", &[Words("row damage_given damage_taken"), Weapons(1, 13, CA_WEAPON)]),
    ("castats", &[Words("row damage_given damage_taken"), Open("")]),
    ("rrscores", &[Words(SIDES), Players("players", &[Words(OLD_RR_PLAYER)])]),
    ("dscores", &[Duel(&[Words(OLD_DUEL), Weapons(1, 13, DUEL_WEAPON)])]),
    ("dscores", &[Duel(&[Words(OLD_DUEL), Weapons(1, 14, DUEL_WEAPON)])]),
    ("xscores", &[Words("players"), Players("players", &[Words("client score - minutes powerups - -")])]),
    ("tinfo", &[Words("mates"), Players("mates", &[Words("client location health armor weapon powerups")])]),
    ("mstats", CPMA_TAIL),
    ("xstats2", CPMA_TAIL),
    // The same from 1.50 on. At the end of a duel the clients 0 and 1 of the second are the winner and the loser, whom
    // `duelendscores` names before.
    ("mstatsa", CPMA_TAIL),
    ("xstats2a", CPMA_TAIL),
    // OSP, the stats of whoever is seen.
    (
        "statsinfo",
        &[
            Words(OSP_STATS),
            Words(":armor_taken :health_taken - - - - - megahealth green_armor red_armor yellow_armor weapons"),
            WeaponsOf("weapons", "hits:drops shots:pickups kills deaths"),
        ],
    ),
    ("statsinfo", &[Words(OSP_STATS), Words("- - - - - - - weapons"), WeaponsOf("weapons", "hits shots kills deaths")]),
    // 0.99t: no mask of weapons, but all of them.
    ("statsinfo", &[Words(OSP_STATS), Words("- - - - - - -"), Weapons(1, 9, "shots hits kills deaths")]),
    (
        "xstats1",
        &[
            Words("client weapons"),
            WeaponsOf("weapons", "hits:drops shots:pickups kills deaths"),
            Words("armor_taken health_taken damage_given damage_taken megahealth green_armor red_armor yellow_armor"),
        ],
    ),
    (
        "xstats1",
        &[Words("client weapons"), WeaponsOf("weapons", "hits shots kills deaths"), Words("damage_given damage_taken")],
    ),
];
