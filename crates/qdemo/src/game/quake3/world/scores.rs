//! Scores and what players know of their team, from the commands that the server sends now and then.

use std::borrow::Cow;

use crate::format::dm3::Era;
use crate::game::quake3::scoreboards::{self, Board, DUEL_END, DUELS, ReportedNumber, Subject};

/// A line of the scoreboard, as it was last sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// Score.
    pub score: i32,
    /// Round trip time in ms; `None` for one who is about to connect.
    pub ping: Option<i32>,
    /// Server time in ms when it was sent.
    pub time: Option<i32>,
}

/// What a player is told of a team mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// Slots whose score a command told that lists players alone, a bit each.
    of_players: u64,
    /// Scores of the red and the blue team, or of the first and the second player.
    pub(super) sides: Option<[i32; 2]>,
    board: Board,
    /// The last command of each name that told something of these, of those about one player the last about each, in the
    /// order in which they came.
    standing: Vec<Standing>,
    duel_end: Option<DuelEnd>,
    /// Nothing was told since a match began: another one that begins has the same.
    is_of_begin: bool,
}

/// A command that stands until another replaces it.
#[derive(Debug, Clone)]
struct Standing {
    command: &'static str,
    /// The one player whom it is about.
    about: Option<usize>,
    text: Vec<u8>,
    /// Server time in ms when it was sent.
    time: Option<i32>,
    /// Those of whom it tells no longer, a bit each.
    gone: u64,
    /// It lists players with their scores, and all of them are 0.
    is_of_nothing: bool,
}

impl Standing {
    /// The command as it tells of those who are there still; empty where nobody is.
    fn told(&self, era: Era) -> Cow<'_, [u8]> {
        match self.gone {
            0 => Cow::Borrowed(&self.text),
            gone => scoreboards::without(&self.text, gone, era),
        }
    }
}

/// What was told at the end of a duel: who won and who lost it, then the statistics of these, whose clients are no slots.
#[derive(Debug, Clone)]
struct DuelEnd {
    names: Vec<u8>,
    statistics: [Vec<u8>; 2],
}

impl Default for Roster {
    fn default() -> Self {
        Roster {
            scores: [None; Self::SLOTS],
            team: [None; Self::SLOTS],
            of_players: 0,
            sides: None,
            board: Board::default(),
            standing: Vec::new(),
            duel_end: None,
            is_of_begin: false,
        }
    }
}

/// The command about the own team.
const TEAM: &str = "tinfo";

impl Roster {
    const SLOTS: usize = 64;
    /// So many commands stand at most: engines hold 64 (`MAX_RELIABLE_COMMANDS`), and there are others.
    const STANDING: usize = 40;

    /// Takes in a command, if it is one that lists players.
    pub(super) fn command(&mut self, text: &[u8], era: Era, time: Option<i32>) {
        if scoreboards::duel_ends(text).is_some() {
            self.duel_end = Some(DuelEnd { names: text.to_vec(), statistics: Default::default() });
            self.is_of_begin = false;
            return;
        }
        let Some((command, told)) = scoreboards::read(text, era, &mut self.board) else { return };
        self.is_of_begin = false;
        if let Some(end) = self.duel_end.as_mut().filter(|_| command == DUEL_END) {
            let place = told.first().and_then(|number| usize::try_from(number.client?).ok());
            if let Some(statistics) = place.and_then(|place| end.statistics.get_mut(place)) {
                *statistics = text.to_vec();
            }
            return;
        }
        let narrow = |value: i64| i32::try_from(value).unwrap_or(0);
        let mut sides = [None; 2];
        let mut listed = false;
        let (mut about, mut has_scores, mut has_points) = (None, false, false);
        for ReportedNumber { client, of, name, value } in told {
            let slot = client.and_then(|n| usize::try_from(n).ok()).filter(|n| *n < Self::SLOTS);
            let value = narrow(value);
            about = about.or(slot);
            match (slot, of, name) {
                (None, Subject::Game, "red" | "blue") => {
                    sides[usize::from(name == "blue")] = Some(value);
                    has_points |= value != 0;
                }
                (Some(slot), Subject::Player, _) if command == TEAM => {
                    listed = true;
                    let told = self.team[slot].get_or_insert_default();
                    told.time = time;
                    match name {
                        "location" => told.location = value,
                        "health" => told.health = value,
                        "armor" => told.armor = value,
                        "weapon" => told.weapon = value,
                        _ => told.powerups = value,
                    }
                }
                (Some(slot), Subject::Player, "score") => {
                    (listed, has_scores) = (true, true);
                    has_points |= value != 0;
                    self.scores[slot] = Some(Score { score: value, ping: None, time });
                    let bit = 1 << slot;
                    self.of_players &= !bit;
                    self.of_players |= if DUELS.contains(&command) { bit } else { 0 };
                }
                (Some(slot), Subject::Player, "ping") => {
                    if let Some(score) = &mut self.scores[slot] {
                        // -1: the client is about to connect.
                        score.ping = Some(value).filter(|ping| *ping >= 0);
                    }
                }
                _ => {}
            }
        }
        if let [Some(red), Some(blue)] = sides {
            self.sides = Some([red, blue]);
            listed = true;
        }
        if listed {
            let is_of_one = scoreboards::is_of_one(command);
            about = about.filter(|_| is_of_one);
            self.standing.retain(|standing| (standing.command, standing.about) != (command, about));
            if self.standing.len() == Self::STANDING {
                self.standing.remove(0);
            }
            let is_of_nothing = has_scores && !has_points && !is_of_one;
            self.standing.push(Standing { command, about, text: text.to_vec(), time, gone: 0, is_of_nothing });
        }
    }

    /// A match begins: what stands is of the one before, but for what the team is told, and for lists in which nobody has a
    /// score, as nobody has now. These alone tell scores then.
    pub(super) fn match_begins(&mut self, era: Era) {
        if self.is_of_begin {
            return;
        }
        let before = std::mem::take(self);
        self.team = before.team;
        for standing in before.standing {
            if standing.command == TEAM {
                self.standing.push(standing);
            } else if standing.is_of_nothing {
                self.command(&standing.told(era), era, standing.time);
            }
        }
        self.is_of_begin = true;
    }

    /// Whoever has a slot goes: the next one in it is somebody else.
    pub(super) fn goes(&mut self, slot: usize) {
        if let Some(score) = self.scores.get_mut(slot) {
            *score = None;
        }
        self.standing.retain(|standing| standing.about != Some(slot));
        self.leave_out(slot, |_| true);
        self.leaves_team(slot);
    }

    /// A player changes teams: what the team was told is told no longer.
    pub(super) fn leaves_team(&mut self, slot: usize) {
        if let Some(told) = self.team.get_mut(slot) {
            *told = None;
        }
        self.leave_out(slot, |command| command == TEAM);
    }

    /// What stands tells no more of whoever had a slot. The words are read only when they are told again: a slot may be
    /// emptied over and over.
    fn leave_out(&mut self, slot: usize, of: impl Fn(&str) -> bool) {
        let bit = u32::try_from(slot).ok().and_then(|slot| 1_u64.checked_shl(slot)).unwrap_or(0);
        self.standing.iter_mut().filter(|standing| of(standing.command)).for_each(|standing| standing.gone |= bit);
    }

    /// True where a command told the score that lists players alone.
    pub(super) fn is_of_player(&self, slot: usize) -> bool {
        self.of_players >> (slot & 63) & 1 == 1
    }

    /// The commands that the scoreboard is from, in the order in which they came, and those of the end of a duel.
    pub(super) fn standing(&self, era: Era) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let told = self.standing.iter().map(move |standing| standing.told(era));
        let end = self.duel_end.iter().flat_map(|end| std::iter::once(&end.names).chain(&end.statistics));
        told.chain(end.map(|text| Cow::Borrowed(&text[..]))).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(command: &[u8]) -> Roster {
        let mut roster = Roster::default();
        roster.command(command, Era::Arena, Some(5));
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
