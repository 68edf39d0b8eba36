//! Commands by which servers tell scores and statistics: what their words are.
//!
//! Sources: words of 15,098 real commands, whose count fits; names of the words after id Software's release, the tables
//! of other analysers, and players' numbers that can be counted otherwise.

/// What stands in a command, one after the other. Names of words that a scoreboard or statistics can hold are those of
/// the measures; `-` is a word of which nothing is said. `a:b` are two numbers in one word: `a` in the low 16 bits.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Words.
    Words(&'static str),
    /// Words about a team.
    Team(&'static str, &'static str),
    /// As many players as the word of this name says, each with these parts.
    Players(&'static str, &'static [Part]),
    /// These words for each weapon from number 1 on.
    Weapons(usize, usize, &'static str),
    /// These words for each bit that is set in the word of this name, a weapon each.
    WeaponsOf(&'static str, &'static str),
    /// Likewise, a powerup each.
    PowerupsOf(&'static str, &'static str),
    /// Words of which newer versions may send more.
    Open(&'static str),
}

use Part::{Open, Players, PowerupsOf, Team, Weapons, WeaponsOf, Words};

/// A command and its parts. Which of those with one name it is, the number of its words tells.
type Layout = (&'static str, &'static [Part]);

const PLAYER: &str = "client score ping minutes flags powerups accuracy impressive excellent gauntlet_awards defends \
                      assists perfect captures";
const SIDES: &str = "players red blue";
const TDM_TEAM: &str =
    "red_armor yellow_armor green_armor mega_health quad battlesuit regeneration haste invisibility - - - - -";
const CTF_TEAM: &str = "red_armor yellow_armor green_armor mega_health quad battlesuit regeneration haste invisibility \
                        flag medkit - - - - - -";
const TDM: [Part; 2] = [Team("red", TDM_TEAM), Team("blue", TDM_TEAM)];
const CTF: [Part; 2] = [Team("red", CTF_TEAM), Team("blue", CTF_TEAM)];
const DUEL: &str = "client score ping minutes kills_and_suicides deaths accuracy - damage_given impressive excellent gauntlet_awards \
                    perfect red_armor - yellow_armor - green_armor - mega_health -";
const DUEL_WEAPON: &str = "hits shots - damage kills_and_suicides";
const CPMA: &str = "hits shots kills deaths pickups drops";
const CPMA_TAIL: &[Part] = &[
    Words("client weapons"),
    WeaponsOf("weapons", CPMA),
    Words("damage_given damage_taken armor_taken health_taken mega_health red_armor yellow_armor green_armor held"),
    PowerupsOf("held", "pickups -"),
    Words("- -"),
    Open(
        "score weapon_kills weapon_deaths own_deaths telefrags damage_team team_kills rocket_damage rocket_direct_hits",
    ),
];

/// Players of Quake Live's games of teams, behind the words about who it is: one more up to protocol 90.
const TDM_PLAYER: &str = "score ping minutes kills deaths accuracy - impressive excellent gauntlet_awards team_kills - \
                          damage_given";
const CTF_PLAYER: [&str; 2] = [
    "score ping minutes kills deaths powerups accuracy - impressive excellent gauntlet_awards defends assists captures \
     perfect -",
    "score ping minutes kills deaths - - impressive excellent gauntlet_awards defends assists captures perfect -",
];
const CA_PLAYER: &str = "score ping minutes kills deaths accuracy - - damage_given impressive excellent gauntlet_awards \
                         perfect -";
const FT_PLAYER: &str = "score ping minutes kills deaths accuracy - impressive excellent - assists team_kills - \
                         damage_given -";
const RR_PLAYER: &str = "client score - ping minutes kills deaths - - - - - - - - - - -";
const OLD: Part = Words("client - -");
const NEW: Part = Words("client -");

const LAYOUTS: &[Layout] = &[
    ("scores", &[Words(SIDES), Players("players", &[Words("client score ping minutes flags powerups")])]),
    ("scores", &[Words(SIDES), Players("players", &[Words(PLAYER)])]),
    // OpenArena.
    ("scores", &[Words("players red blue -"), Players("players", &[Words(PLAYER), Words("-")])]),
    // Quake Live.
    ("scores", &[Words(SIDES), Players("players", &[Words(PLAYER), Words("- kills deaths -")])]),
    ("scores_duel", &[Words("players"), Players("players", &[Words(DUEL), Weapons(1, 14, DUEL_WEAPON)])]),
    ("scores_duel", &[Words("players"), Players("players", &[Words(DUEL), Weapons(1, 13, DUEL_WEAPON)])]),
    ("scores_tdm", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[OLD, Words(TDM_PLAYER)])]),
    ("scores_tdm", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[NEW, Words(TDM_PLAYER)])]),
    ("scores_ctf", &[CTF[0], CTF[1], Words(SIDES), Players("players", &[OLD, Words(CTF_PLAYER[0])])]),
    ("scores_ctf", &[CTF[0], CTF[1], Words(SIDES), Players("players", &[NEW, Words(CTF_PLAYER[1])])]),
    ("scores_ca", &[Words(SIDES), Players("players", &[OLD, Words(CA_PLAYER)])]),
    ("scores_ca", &[Words(SIDES), Players("players", &[NEW, Words(CA_PLAYER)])]),
    ("scores_ft", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[OLD, Words(FT_PLAYER)])]),
    ("scores_ft", &[TDM[0], TDM[1], Words(SIDES), Players("players", &[NEW, Words(FT_PLAYER)])]),
    ("scores_rr", &[Words(SIDES), Players("players", &[Words(RR_PLAYER), Words("-")])]),
    ("scores_rr", &[Words(SIDES), Players("players", &[Words(RR_PLAYER)])]),
    ("xscores", &[Words("players"), Players("players", &[Words("client score - minutes powerups - -")])]),
    ("tinfo", &[Words("players"), Players("players", &[Words("client location health armor weapon powerups")])]),
    ("mstats", CPMA_TAIL),
    ("xstats2", CPMA_TAIL),
    // OSP, the stats of whoever is seen.
    (
        "statsinfo",
        &[
            Words(
                "- score team_kills kills killed own_deaths - damage_team damage_given damage_taken :armor_taken :health_taken - - - \
                 - - mega_health green_armor red_armor yellow_armor weapons",
            ),
            WeaponsOf("weapons", "hits:drops shots:pickups kills deaths"),
        ],
    ),
    (
        "statsinfo",
        &[
            Words(
                "- score team_kills kills killed own_deaths - damage_team damage_given damage_taken - - - - - - - weapons",
            ),
            WeaponsOf("weapons", "hits shots kills deaths"),
        ],
    ),
    // 0.99t.
    (
        "statsinfo",
        &[
            Words("- score team_kills kills killed own_deaths - damage_team damage_given damage_taken - - - - - - -"),
            Weapons(1, 9, "shots hits kills deaths"),
        ],
    ),
    (
        "xstats1",
        &[
            Words("client weapons"),
            WeaponsOf("weapons", "hits:drops shots:pickups kills deaths"),
            Words("armor_taken health_taken damage_given damage_taken mega_health green_armor red_armor yellow_armor"),
        ],
    ),
    (
        "xstats1",
        &[Words("client weapons"), WeaponsOf("weapons", "hits shots kills deaths"), Words("damage_given damage_taken")],
    ),
];

/// What a number in a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// A player.
    Player,
    /// A player and a weapon, by its number.
    Weapon(usize),
    /// A player and a powerup, by its number.
    Powerup(usize),
    /// A team.
    Team(&'static str),
    /// All.
    Game,
}

/// A number in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    /// The player; `None` where the command is about the one who is seen.
    pub(crate) client: Option<i64>,
    pub(crate) of: Of,
    pub(crate) name: &'static str,
    pub(crate) value: i64,
}

/// More than the longest of these commands has.
const WORDS: usize = 1200;
/// Slots that there are in any game of the family.
const SLOTS: i64 = 64;

/// True for the name of a command that tells scores or statistics.
pub(crate) fn is_one(name: &[u8]) -> bool {
    LAYOUTS.iter().any(|(command, _)| command.as_bytes() == name)
}

/// The numbers in a command of that kind, with its name; `None` for another, and for one whose words do not fit. A word
/// that is no whole number counts as 0.
pub(crate) fn read(command: &[u8]) -> Option<(&'static str, Vec<Told>)> {
    let mut words = command.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let name = words.next()?;
    if !is_one(name) {
        return None;
    }
    let words: Vec<i64> = words.take(WORDS + 1).map(number).collect();
    if words.len() > WORDS {
        return None;
    }
    let mut layouts = LAYOUTS.iter().filter(|(command, _)| command.as_bytes() == name);
    layouts.find_map(|(command, parts)| {
        let mut reader = Reader { words: words.iter().copied(), client: None, known: Vec::new(), told: Vec::new() };
        reader.parts(parts)?;
        reader.words.next().is_none().then_some((*command, reader.told))
    })
}

/// A whole number, or 0.
fn number(word: &[u8]) -> i64 {
    std::str::from_utf8(word).ok().and_then(|w| w.parse::<i32>().ok()).map_or(0, i64::from)
}

struct Reader<W> {
    words: W,
    client: Option<i64>,
    /// Numbers about all, which may tell how many others there are.
    known: Vec<(&'static str, i64)>,
    told: Vec<Told>,
}

impl<W: Iterator<Item = i64> + Clone> Reader<W> {
    fn parts(&mut self, parts: &[Part]) -> Option<()> {
        parts.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, part: &Part) -> Option<()> {
        let of = |reader: &Self| if reader.client.is_some() { Of::Player } else { Of::Game };
        match *part {
            Words(names) => names.split_whitespace().try_for_each(|name| self.word(of(self), name)),
            Team(team, names) => names.split_whitespace().try_for_each(|name| self.word(Of::Team(team), name)),
            Weapons(first, last, names) => (first..=last).try_for_each(|n| self.group(Of::Weapon(n), names)),
            WeaponsOf(mask, names) => self.bits(mask).try_for_each(|n| self.group(Of::Weapon(n), names)),
            PowerupsOf(mask, names) => self.bits(mask).try_for_each(|n| self.group(Of::Powerup(n), names)),
            Players(count, parts) => {
                let count = self.known(count);
                if !(0..=SLOTS).contains(&count) {
                    return None;
                }
                for _ in 0..count {
                    self.parts(parts)?;
                }
                Some(())
            }
            Open(names) => {
                let _ = names.split_whitespace().try_for_each(|name| self.word(of(self), name));
                self.words.by_ref().for_each(drop);
                Some(())
            }
        }
    }

    fn group(&mut self, of: Of, names: &'static str) -> Option<()> {
        names.split_whitespace().try_for_each(|name| self.word(of, name))
    }

    fn known(&self, name: &str) -> i64 {
        self.known.iter().rev().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value)
    }

    /// The bits that are set in a number.
    fn bits(&self, name: &str) -> impl Iterator<Item = usize> + use<W> {
        let mask = self.known(name) as u32;
        (0..32).filter(move |n| mask >> n & 1 == 1)
    }

    fn word(&mut self, of: Of, name: &'static str) -> Option<()> {
        let value = self.words.next()?;
        let mut tell = |name: &'static str, value: i64| match name {
            "-" | "" => {}
            "client" => self.client = Some(value),
            _ => {
                if matches!(name, "players" | "weapons" | "held") {
                    self.known.push((name, value));
                }
                self.told.push(Told { client: self.client, of, name, value });
            }
        };
        match name.split_once(':') {
            Some((low, high)) => {
                tell(low, value & 0xFFFF);
                tell(high, value >> 16 & 0xFFFF);
            }
            None => tell(name, value),
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(command: &str, client: Option<i64>, of: Of, name: &str) -> Option<i64> {
        let (_, told) = read(command.as_bytes())?;
        told.iter().find(|t| (t.client, t.of, t.name) == (client, of, name)).map(|t| t.value)
    }

    /// A command of CPMA at the end of a duel: the rocket launcher is weapon 5.
    #[test]
    fn masks_tell_how_many_weapons_follow() {
        let line = "mstats 2 238 0 0 0 0 0 1 32 182 0 1 0 3 4 32 0 2 6 1 53 221 9 8 36 14 28 138 4 8 13 1 16 45 3 6 21 7 \
                    4480 5284 1710 840 0 0 16 0 0 2 abbfbabqaaaa 15 16 25 2 1 0 0 2636 11 0 0 0 0";
        let rocket = |name| find(line, Some(2), Of::Weapon(5), name);
        assert_eq!(
            ["hits", "shots", "kills", "deaths", "pickups", "drops"].map(rocket),
            [53, 221, 9, 8, 36, 14].map(Some)
        );
        let player = |name| find(line, Some(2), Of::Player, name);
        assert_eq!(player("yellow_armor"), Some(16));
        assert_eq!(["score", "weapon_kills", "weapon_deaths", "own_deaths"].map(player), [15, 16, 25, 2].map(Some));
        // A weapon less than the mask says.
        assert_eq!(read(b"mstats 2 238 0 0 0 0 0 1"), None);
    }

    /// The counts of words that real commands have, by the number of players.
    #[test]
    fn scoreboards_have_so_many_words() {
        for (command, count, head, each) in [
            ("scores", 0, 4, 6),
            ("scores", 0, 4, 14),
            ("scores", 0, 5, 15),
            ("scores", 0, 4, 18),
            ("scores_duel", 0, 2, 91),
            ("scores_duel", 0, 2, 86),
            ("scores_tdm", 28, 32, 16),
            ("scores_tdm", 28, 32, 15),
            ("scores_ctf", 34, 38, 19),
            ("scores_ctf", 34, 38, 17),
            ("scores_ca", 0, 4, 17),
            ("scores_ca", 0, 4, 16),
            ("scores_ft", 28, 32, 18),
            ("scores_ft", 28, 32, 17),
            ("scores_rr", 0, 4, 19),
            ("scores_rr", 0, 4, 18),
            ("xscores", 0, 2, 7),
            ("tinfo", 0, 2, 6),
        ] {
            let mut words = vec!["7".to_owned(); head - 1 + 2 * each];
            words[count] = "2".to_owned();
            let line = format!("{command} {}", words.join(" "));
            let (_, told) = read(line.as_bytes()).unwrap_or_else(|| panic!("{command} {head} + 2 * {each}"));
            assert!(told.iter().any(|t| t.client == Some(7) && t.of == Of::Player), "{command}");
            assert_eq!(read(format!("{line} 7").as_bytes()), None, "{command}");
        }
    }

    #[test]
    fn osp_packs_two_numbers_in_a_word() {
        let line = "statsinfo 1 13 0 14 11 1 0 0 4287 4427 137953281 84541440 0 0 0 0 0 3 0 0 35  428 72 256 3 2 65545 \
                    655459 1 0 131116 1573047 7 2 131086 852021 3 5 1 262158 0 2";
        let shotgun = |name| find(line, None, Of::Weapon(3), name);
        assert_eq!(["hits", "shots", "drops", "pickups"].map(shotgun), [9, 99, 1, 10].map(Some));
        assert_eq!(find(line, None, Of::Game, "armor_taken"), Some(2105));
        assert_eq!(find(line, None, Of::Game, "yellow_armor"), Some(35));
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        for line in ["scores", "scores 1 0 0 2 9", "scores 99 0 0", "scores -1 0 0", "print 1", "xstats1 1 -1 5", ""] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
        assert_eq!(read("scores 0 0 0 ".repeat(2000).as_bytes()), None);
    }
}
