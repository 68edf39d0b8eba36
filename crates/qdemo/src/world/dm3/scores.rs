//! Scores and what players know of their team, from the commands that the server sends now and then.

/// A line of the scoreboard, as it was last sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// Score.
    pub score: i32,
    /// Round trip time in ms.
    pub ping: Option<i32>,
    /// Server time in ms when it was sent.
    pub time: Option<i32>,
}

/// What a player is told of a team mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamInfo {
    /// Number of the place.
    pub location: i32,
    /// Health.
    pub health: i32,
    /// Armour.
    pub armor: i32,
    /// Weapon in hand.
    pub weapon: i32,
    /// Powerups, a bit each.
    pub powerups: i32,
    /// Server time in ms when it was sent.
    pub time: Option<i32>,
}

/// The scoreboard and the team, by client.
#[derive(Debug, Clone)]
pub(super) struct Roster {
    pub(super) scores: [Option<Score>; Roster::SLOTS],
    pub(super) team: [Option<TeamInfo>; Roster::SLOTS],
    /// Scores of the red and the blue team, or of the first and the second player.
    pub(super) sides: Option<[i32; 2]>,
}

impl Default for Roster {
    fn default() -> Self {
        Roster { scores: [None; Self::SLOTS], team: [None; Self::SLOTS], sides: None }
    }
}

/// How a command lists players: numbers count the words of the command from 0.
struct Listing {
    command: &'static [u8],
    /// Words in front of the first player.
    head: usize,
    /// The one that tells how many players follow.
    count: usize,
    /// Words for each player; the first is the client.
    each: usize,
    score: usize,
    ping: Option<usize>,
    /// Where the scores of both sides begin.
    sides: Option<usize>,
}

const fn listing(
    command: &'static [u8],
    (head, count, each): (usize, usize, usize),
    score: usize,
    ping: usize,
    sides: usize,
) -> Listing {
    let ping = if ping == 0 { None } else { Some(ping) };
    Listing { command, head, count, each, score, ping, sides: if sides == 0 { None } else { Some(sides) } }
}

/// Which of these a command is, the number of its words tells.
const LISTINGS: [Listing; 18] = [
    listing(b"scores", (4, 1, 6), 1, 2, 2),
    listing(b"scores", (4, 1, 14), 1, 2, 2),
    listing(b"scores", (5, 1, 15), 1, 2, 2),
    listing(b"scores", (4, 1, 18), 1, 2, 2),
    listing(b"scores_duel", (2, 1, 91), 1, 2, 0),
    listing(b"scores_duel", (2, 1, 86), 1, 2, 0),
    listing(b"scores_tdm", (32, 29, 16), 3, 4, 30),
    listing(b"scores_tdm", (32, 29, 15), 2, 3, 30),
    listing(b"scores_ctf", (38, 35, 19), 3, 4, 36),
    listing(b"scores_ctf", (38, 35, 17), 2, 3, 36),
    listing(b"scores_ca", (4, 1, 17), 3, 4, 2),
    listing(b"scores_ca", (4, 1, 16), 2, 3, 2),
    listing(b"scores_ft", (32, 29, 18), 3, 4, 30),
    listing(b"scores_ft", (32, 29, 17), 2, 3, 30),
    listing(b"scores_rr", (4, 1, 19), 1, 3, 2),
    listing(b"scores_rr", (4, 1, 18), 1, 3, 2),
    listing(b"xscores", (2, 1, 7), 1, 0, 0),
    listing(b"tinfo", (2, 1, 6), 0, 0, 0),
];

impl Roster {
    const SLOTS: usize = 64;

    /// Takes in a command, if it is one that lists players.
    pub(super) fn command(&mut self, text: &[u8], time: Option<i32>) {
        let name = text.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
        if !LISTINGS.iter().any(|l| l.command == name) {
            return;
        }
        let mut words = [0; Self::WORDS];
        let mut count = 0;
        for word in text.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()) {
            let Some(slot) = words.get_mut(count) else { return };
            *slot = number(word);
            count += 1;
        }
        let words = words.get(..count).unwrap_or_default();
        let fits = |l: &&Listing| {
            let players = words.get(l.count).and_then(|n| usize::try_from(*n).ok());
            l.command == name && players.is_some_and(|n| n <= Self::SLOTS && l.head + n * l.each == words.len())
        };
        let Some(listing) = LISTINGS.iter().find(fits) else { return };
        let Some(rows) = words.get(listing.head..) else { return };
        if let Some([red, blue]) = listing.sides.and_then(|at| words.get(at..at + 2)) {
            self.sides = Some([*red, *blue]);
        }
        for row in rows.chunks_exact(listing.each) {
            let Some(slot) = row.first().and_then(|n| usize::try_from(*n).ok()).filter(|n| *n < Self::SLOTS) else {
                continue;
            };
            match (listing.command, row) {
                (b"tinfo", [_, location, health, armor, weapon, powerups]) => {
                    self.team[slot] = Some(TeamInfo {
                        location: *location,
                        health: *health,
                        armor: *armor,
                        weapon: *weapon,
                        powerups: *powerups,
                        time,
                    });
                }
                _ => {
                    let word = |n: usize| row.get(n).copied();
                    let score = word(listing.score).unwrap_or(0);
                    self.scores[slot] = Some(Score { score, ping: listing.ping.and_then(word), time });
                }
            }
        }
    }

    /// More than the longest of these commands has.
    const WORDS: usize = 1200;
}

/// A number, or 0 for a word that is none.
fn number(word: &[u8]) -> i32 {
    std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(command: &[u8]) -> Roster {
        let mut roster = Roster::default();
        roster.command(command, Some(5));
        roster
    }

    #[test]
    fn scoreboards_are_told_by_their_length() {
        let roster = after(b"scores 2 7 3 0 12 50 4 0 0 30 1 0 0 0 0 0 0 3 -1 999 4 0 0 30 1 0 0 0 0 0 0");
        assert_eq!(roster.scores[0], Some(Score { score: 12, ping: Some(50), time: Some(5) }));
        assert_eq!(roster.scores[3], Some(Score { score: -1, ping: Some(999), time: Some(5) }));
        assert_eq!(roster.sides, Some([7, 3]));
        let old = after(b"scores 1 0 0 2 9 48 10 0 0");
        assert_eq!(old.scores[2].map(|s| (s.score, s.ping)), Some((9, Some(48))));
        // DeFRaG's own command of the same name is none of them.
        assert_eq!(after(b"scores 1 1650 0 \"\" 0 0 0 -1").scores, [None; 64]);
        assert_eq!(after(b"scores 99 0 0").scores, [None; 64]);
        assert_eq!(after(b"scores -1 0 0").scores, [None; 64]);
    }

    #[test]
    fn team_mates() {
        let roster = after(b"tinfo 1 6 3 125 50 5 2");
        let told = TeamInfo { location: 3, health: 125, armor: 50, weapon: 5, powerups: 2, time: Some(5) };
        assert_eq!(roster.team[6], Some(told));
    }
}
