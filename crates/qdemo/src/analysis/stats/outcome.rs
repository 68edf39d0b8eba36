//! How a match ended, and who won it.

use schemars::JsonSchema;
use serde::Serialize;

use super::measure::Measure;
use super::period::{Period, time_of_race};
use crate::event::Won;
use crate::kinds::kinds;
use crate::world::DemoTime;

kinds! {
    /// What ended a match.
    #[non_exhaustive]
    pub enum Ending {
        /// Its time was over.
        TimeLimit = "time_limit",
        /// Somebody had killed enough.
        FragLimit = "frag_limit",
        /// A score was reached.
        ScoreLimit = "score_limit",
        /// A team had captured enough flags.
        CaptureLimit = "capture_limit",
        /// Enough rounds were won.
        RoundLimit = "round_limit",
        /// One side was too far ahead.
        MercyLimit = "mercy_limit",
        /// One side gave up, or left.
        Forfeit = "forfeit",
        /// The players voted for it to stop, or an administrator stopped it: it has no end, and nobody won.
        Stopped = "stopped",
        /// Another level began within it: it has no end, and nobody won.
        LevelChange = "level_change",
    }
}

impl Ending {
    /// True for what leaves a match without an end.
    pub(super) fn gives_up(self) -> bool {
        matches!(self, Ending::Stopped | Ending::LevelChange)
    }

    /// What a line of the server says.
    ///
    /// All games say `Timelimit hit.`, `NAME hit the fraglimit.`, `Red hit the capturelimit.` and the like, with their own
    /// case and marks around. Quake Live says `Game has been forfeited.`, OpenTDM `NAME wins by forfeit!`, KTX
    /// `Match stopped by majority vote` and `NAME forces a break!`, and in Clan Arena `Team NAME has won the series!`
    pub(super) fn by_text(line: &str) -> Option<Self> {
        let line = line.to_ascii_lowercase();
        if line.contains("game has been forfeited") || line.trim_end().ends_with(" wins by forfeit!") {
            return Some(Ending::Forfeit);
        }
        let mut lines = line.lines().map(str::trim);
        if lines.clone().any(|line| line == "match stopped by majority vote" || line.ends_with(" forces a break!")) {
            return Some(Ending::Stopped);
        }
        if lines.any(|line| line.starts_with("team ") && line.ends_with(" has won the series!")) {
            return Some(Ending::RoundLimit);
        }
        let words = || line.split(|c: char| !c.is_ascii_alphabetic());
        if !words().any(|word| word == "hit") {
            return None;
        }
        words().find_map(|word| match word {
            "timelimit" => Some(Ending::TimeLimit),
            "fraglimit" => Some(Ending::FragLimit),
            "scorelimit" => Some(Ending::ScoreLimit),
            "capturelimit" => Some(Ending::CaptureLimit),
            "roundlimit" => Some(Ending::RoundLimit),
            "mercylimit" => Some(Ending::MercyLimit),
            _ => None,
        })
    }
}

/// A side or a player, and how it stood at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FinalPlace")]
#[non_exhaustive]
pub struct Place {
    /// Name of the team, or of the player.
    pub name: String,
    /// The score.
    pub score: i64,
    /// Whose place it is.
    #[serde(skip)]
    pub holder: Holder,
}

/// Who has a place at the end of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// A team.
    Team,
    /// A player who was there to the end, in this slot.
    Stayed(usize),
    /// A player who left, and whom the game still lists when the match is over: KTX.
    Listed,
    /// A player who left. Games list those who are there, so whoever left wins nothing.
    Left,
    /// A player whom the recording has no name of. Whether that one was there to the end is not known.
    Unnamed,
}

/// What is known of the end of a match while it goes on.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    /// Whoever won, where the server says so.
    won: Option<Won>,
    /// The scores of both sides, or of the first and the second player.
    sides: Option<[i32; 2]>,
    /// A text said why it ends.
    said: Option<(Ending, DemoTime)>,
    /// KTX has said that the last second of the time begins.
    last_second: Option<DemoTime>,
    /// A side became nobody: when, and the score of the other.
    left: Option<(DemoTime, Option<i32>)>,
}

impl Standing {
    /// A text, or that a side left, belongs to an end that comes so much later at most, in microseconds.
    const NEAR: i64 = 3_000_000;

    /// How far an end that the time brings may be from the second behind KTX's last count, in microseconds: a few frames of a
    /// server.
    const FRAMES: i64 = 150_000;

    pub(super) fn text(&mut self, line: &str, now: DemoTime) {
        // It counts the last seconds, and goes on to count down to the very end of the match (`TimerThink`).
        if line.trim() == "[1] second" {
            self.last_second = Some(now);
        }
        if let Some(ending) = Ending::by_text(line) {
            self.ends_by(ending, now);
        }
    }

    pub(super) fn ends_by(&mut self, ending: Ending, now: DemoTime) {
        self.said = Some((ending, now));
    }

    /// A text that comes with the end of the match.
    pub(super) fn says_who_won(&mut self, text: &str) {
        self.won = Won::by_text(text).or(self.won.take());
    }

    /// Who won, where the server says so.
    pub(super) fn won(&self) -> Option<&Won> {
        self.won.as_ref()
    }

    pub(super) fn scores(&mut self, sides: [Option<i32>; 2], now: DemoTime) {
        match sides {
            [Some(first), Some(second)] => {
                if self.left.is_none_or(|(at, _)| now.0.saturating_sub(at.0) > Self::NEAR) {
                    self.sides = Some([first, second]);
                }
            }
            [stays, None] | [None, stays] => self.left = Some((now, stays)),
        }
    }

    /// The scores of both sides, or of the first and the second player.
    pub(super) fn sides(&self) -> Option<[i32; 2]> {
        self.sides
    }

    /// The scores are those of before.
    pub(super) fn reset_sides(&mut self, sides: Option<[i32; 2]>) {
        self.sides = sides;
    }

    /// Scores that are told when the match is over. That a side left then is no longer of it.
    pub(super) fn late_scores(&mut self, sides: [Option<i32>; 2]) {
        if let ([Some(first), Some(second)], false) = (sides, self.left.is_some()) {
            self.sides = Some([first, second]);
        }
    }

    /// What ended a match that ends now.
    pub(super) fn ending(&self, now: DemoTime) -> Option<Ending> {
        let near = |at: DemoTime| now.0.saturating_sub(at.0) <= Self::NEAR;
        let said = self.said.filter(|(_, at)| near(*at)).map(|(ending, _)| ending);
        let forfeit = || self.left.filter(|(at, _)| near(*at)).map(|_| Ending::Forfeit);
        let is_second = |at: &DemoTime| (now.0.saturating_sub(at.0) - 1_000_000).abs() <= Self::FRAMES;
        said.or_else(forfeit).or_else(|| self.last_second.filter(is_second).map(|_| Ending::TimeLimit))
    }
}

/// The names of both sides, in the order of their scores.
const SIDES: [&str; 2] = ["red", "blue"];

/// The score of the team of such a name.
fn of_side(sides: [i32; 2], name: &str) -> Option<i64> {
    let n = SIDES.iter().position(|side| *side == name)?;
    sides.get(n).copied().map(i64::from)
}

impl Period {
    /// True for a game of teams in which they play to win.
    pub fn is_won_by_teams(&self) -> bool {
        self.in_teams && !self.is_for_oneself
    }

    /// The score of a team, where the game counts it: the rounds that it has won, where there are some, else what `sides` have.
    fn score_of_team(&self, name: &str, sides: Option<[i32; 2]>) -> Option<i64> {
        let rounds = self.game.as_ref().map(|game| &game.rounds_won).filter(|rounds| !rounds.is_empty());
        match rounds {
            Some(rounds) => Some(rounds.iter().find(|won| won.team == name.trim()).map_or(0, |won| won.rounds.into())),
            None => of_side(sides?, name),
        }
    }

    /// The scores of teams are those that the game counts, where it tells them: not the sums of what players have.
    pub(super) fn score_teams(&mut self, sides: Option<[i32; 2]>) {
        if !self.is_won_by_teams() {
            return;
        }
        let scores: Vec<_> = self.teams.iter().map(|team| self.score_of_team(&team.name, sides)).collect();
        for (team, score) in self.teams.iter_mut().zip(scores) {
            if let Some(score) = score {
                team.counted.set(Measure::Score, score);
                if team.reported.get(Measure::Score).is_some() {
                    team.reported.set(Measure::Score, score);
                }
            }
        }
    }

    /// The scores of two who play for themselves are those that the server says at the end.
    pub(super) fn score_two(&mut self, won: Option<&Won>) {
        if let (Some(won), [first, second]) = (won, self.players.as_mut_slice()) {
            let scores = won.scores_of_two([&*first.who.name, &*second.who.name]);
            for (player, score) in [first, second].into_iter().zip(scores.into_iter().flatten()) {
                player.counted.set(Measure::Score, score.into());
            }
        }
    }

    /// Who stands where, as the server says it: of two who play for themselves both, else whoever won.
    fn places_as_told(&self, won: &Won) -> Vec<Place> {
        let Some(scores) = won.scores else { return self.places.clone() };
        let of_two = self.players.len() == 2 && self.players.iter().any(|player| player.who.name == won.name);
        let player = |wins: bool| self.players.iter().find(|player| of_two && (player.who.name == won.name) == wins);
        let [first, second] = scores.map(i64::from);
        let won = Place { name: won.name.clone(), score: first, holder: Holder::Team };
        let first = player(true).map_or(won, |player| self.place_of(player, first));
        [first].into_iter().chain(player(false).map(|player| self.place_of(player, second))).collect()
    }

    fn holder(&self, player: &super::Player) -> Holder {
        let listed = || player.reported_by.iter().any(|(_, at)| *at >= self.end.demo);
        match player.who.slot.filter(|_| player.stayed) {
            Some(slot) => Holder::Stayed(slot),
            None if listed() => Holder::Listed,
            None if player.who.name_raw.is_empty() => Holder::Unnamed,
            None => Holder::Left,
        }
    }

    fn place_of(&self, player: &super::Player, score: i64) -> Place {
        Place { name: player.who.name.clone(), score, holder: self.holder(player) }
    }

    /// The last score of a player.
    fn score_of(&self, player: &super::Player) -> Option<i64> {
        let reported = player.reported.get(Measure::Score).filter(|_| self.is_reported(player));
        reported.or(player.counted.get(Measure::Score))
    }

    /// KTX says nothing of why a match ends. It ends one with a death, in teams too, once the killer or the victim has as many frags
    /// as the limit (`T_Damage` in its `combat.c`); so nobody plays on who has them.
    pub(super) fn ends_by_frags(&mut self) {
        let limit = self.rules.frag_limit.filter(|limit| *limit > 0 && self.rules.module.as_deref() == Some("ktx"));
        let has_rounds = self.game.as_ref().is_some_and(|game| !game.rounds.is_empty());
        let Some(limit) = limit.filter(|_| self.ending.is_none() && !self.is_race && !has_rounds) else { return };
        let reaches = |player: &super::Player| self.score_of(player).is_some_and(|score| score >= limit);
        if self.players.iter().any(|player| player.stayed && reaches(player)) {
            self.ending = Some(Ending::FragLimit);
        }
    }

    /// Who stands where at the end of a match, once all is counted: teams where there are any, else players.
    pub(super) fn rank(&mut self, standing: &Standing) {
        let teams = self.is_won_by_teams();
        self.places = if teams {
            let score = |team: &super::Team| {
                let told = self.score_of_team(&team.name, standing.sides);
                told.or(team.reported.get(Measure::Score)).or(team.counted.get(Measure::Score))
            };
            let place = |name: &str, score| Place { name: name.to_owned(), score, holder: Holder::Team };
            let held = self.teams.iter().filter_map(|team| Some(place(&team.name, score(team)?)));
            // A side without players has its score, and a place: the game tells the scores of both.
            let told = standing.sides.filter(|_| self.teams.iter().any(|team| SIDES.contains(&team.name.as_str())));
            let is_empty = |name: &&str| self.teams.iter().all(|team| team.name != *name);
            let empty = SIDES.into_iter().filter(|name| told.is_some() && is_empty(name));
            held.chain(empty.filter_map(|name| Some(place(name, self.score_of_team(name, told)?)))).collect()
        } else {
            let score =
                |player| self.score_of(player).and_then(|n| if self.is_race { time_of_race(n) } else { Some(n) });
            self.players.iter().filter_map(|player| Some(self.place_of(player, score(player)?))).collect()
        };
        let is_race = self.is_race;
        let order = |score: i64| if is_race { score } else { score.saturating_neg() };
        self.places.sort_by_key(|place| order(place.score));
        // Of two players the game tells the first and the second; of one who gave up its last board may tell more. Where
        // one left and the match went on, or others play, those are not the scores of these two at the end.
        let reported = standing.left.is_some() && self.players.iter().all(|player| self.is_reported(player));
        let left = self.players.iter().any(|player| matches!(self.holder(player), Holder::Left | Holder::Unnamed));
        let went_on = left && self.ending != Some(Ending::Forfeit);
        let others = self.players.len() > self.places.len();
        if let (false, Some(mut sides), [first, second]) =
            (teams || reported || went_on || others || is_race, standing.sides, self.places.as_mut_slice())
        {
            sides.sort_unstable();
            (first.score, second.score) = (sides[1].into(), sides[0].into());
        }
        if let Some(won) = &standing.won {
            self.winner = Some(won.name.clone());
            self.places = self.places_as_told(won);
            return;
        }
        self.places.sort_by_key(|place| place.holder == Holder::Left);
        let mut there = self.places.iter().filter(|place| place.holder != Holder::Left);
        let (first, second) = (there.next(), there.next());
        // Where the score of one alone is known, others may have had a better one.
        let stands = |player: &&super::Player| self.holder(player) != Holder::Left;
        let sides = if teams { self.teams.len() } else { self.players.iter().filter(stands).count() };
        let is_first = |second: Option<&Place>, first: &Place| match second {
            Some(second) => order(second.score) > order(first.score),
            None => sides == 1 || is_race,
        };
        // The best score that the game tells may be that of somebody of whom nothing else is told, or of one who left.
        let is_told = !teams && !is_race && self.places.iter().all(|place| place.holder != Holder::Left);
        let best = standing.sides.filter(|_| is_told).and_then(|sides| sides.into_iter().max());
        let is_best = |first: &Place| !first.name.is_empty() && best.is_none_or(|best| first.score >= best.into());
        self.winner = match (&self.ending, first, second) {
            // Whoever is left wins, whatever the score.
            (Some(Ending::Forfeit), ..) => {
                let other = standing.left.and_then(|(_, score)| Some(i64::from(score?)));
                let is_there = |place: &&Place| place.holder != Holder::Left;
                let mut of_other = self.places.iter().filter(is_there).filter(|place| Some(place.score) == other);
                let only = of_other.next().filter(|_| of_other.next().is_none());
                let stays = |place: &&Place| {
                    self.players.iter().any(|player| {
                        let name = if teams { player.who.team.as_deref() } else { Some(&*player.who.name) };
                        player.stayed && name == Some(&place.name)
                    })
                };
                let named = |place: &&Place| !place.name.is_empty();
                only.or_else(|| self.places.iter().find(stays)).filter(named).map(|place| place.name.clone())
            }
            (_, Some(first), second) if is_first(second, first) && is_best(first) => Some(first.name.clone()),
            _ => None,
        };
    }
}
