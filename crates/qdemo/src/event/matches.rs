//! Matches: what the [`Phase`]s of a game add up to, for everybody who asks where matches lie.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::Phase;
use crate::error::Moment;
use crate::world::{Clock, DemoTime, Stretch, Time};

/// A match, as far as it was recorded. `T` is a time on whichever clock.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Match<T> {
    /// When it begins: as the game tells it, else with its first moment in the recording.
    pub begin: T,
    /// When it ends, or its last moment in the recording.
    pub end: T,
    /// True when its beginning was recorded.
    pub begun: bool,
    /// True when its end was recorded.
    pub ended: bool,
    /// Its rounds, from and to, where it is told that it has several.
    pub rounds: Vec<[T; 2]>,
    /// When it stood still, from and to.
    pub pauses: Vec<[T; 2]>,
    /// When time was added.
    pub overtimes: Vec<T>,
    /// The recording shows that it was given up: it has no end.
    pub given_up: bool,
    /// How many rounds each team has won, where that is told.
    pub rounds_won: Vec<RoundsWon>,
}

impl<T> Match<T> {
    /// How long it was played: without the time in which it stood still, which a client records and a server need not.
    /// `length` tells how long it is from one time to another.
    pub(crate) fn played(&self, length: impl Fn(&T, &T) -> Option<i64>) -> Option<i64> {
        let still = self.pauses.iter().map(|[from, to]| length(from, to)).sum::<Option<i64>>()?;
        length(&self.begin, &self.end).map(|all| all.saturating_sub(still))
    }

    /// It was given up: what the server said of its end was none.
    pub(crate) fn take_back_the_end(&mut self) {
        (self.ended, self.given_up) = (false, true);
    }
}

impl Match<Moment> {
    /// How long it was played in milliseconds: without the time in which it stood still. `None` where its times are on several
    /// clocks.
    pub fn played_ms(&self) -> Option<i64> {
        self.played(|from, to| Stretch::of(Some(*from), Some(*to)).length_ms())
    }
}

impl Match<Clock> {
    /// How long it was played in milliseconds of the recording: without the time in which it stood still.
    pub fn played_ms(&self) -> Option<i64> {
        self.played(|from, to| Some(to.demo.0.saturating_sub(from.demo.0))).map(|all| DemoTime(all).ms())
    }
}

/// The rounds of a match that a team has won.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RoundsWon {
    /// The team in plain characters.
    pub team: String,
    /// How many rounds.
    pub rounds: u32,
}

/// What a phase is to a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It begins.
    Begins,
    /// Its next round begins.
    GoesOn,
    /// A round is over: what happens up to the next one counts for nothing.
    Rests,
    /// It is over.
    Ends,
}

/// A time by which matches are followed.
pub(crate) trait When: Copy + PartialEq {
    /// The later one of two. Where clocks are not the same it is `other`.
    fn later(self, other: Self) -> Self;
}

impl When for Clock {
    fn later(self, other: Self) -> Self {
        if self.demo > other.demo { self } else { other }
    }
}

/// With the number of a block.
impl When for (Clock, u64) {
    fn later(self, other: Self) -> Self {
        if self.0.demo > other.0.demo { self } else { other }
    }
}

/// Two that follow each other in a level: there a clock may run backwards, but hardly ever does.
impl When for Moment {
    fn later(self, other: Self) -> Self {
        if other.is_before(self) { self } else { other }
    }
}

/// Follows matches from phase to phase, and by the frames in which they are played.
#[derive(Debug, Clone)]
pub(crate) struct Matches<T> {
    current: Option<Match<T>>,
    /// When the round that goes on began; `None` between two.
    round: Option<T>,
    /// When the last round was over.
    rests: Option<T>,
    /// Since when the game stands still.
    paused: Option<T>,
    /// The last frame of the level, or what was told of a match behind it; `None` before the first frame.
    last: Option<T>,
    table: RoundsTable,
    done: Vec<Match<T>>,
}

impl<T> Default for Matches<T> {
    fn default() -> Self {
        let table = RoundsTable::default();
        Matches { current: None, round: None, rests: None, paused: None, last: None, table, done: Vec::new() }
    }
}

impl<T: When> Matches<T> {
    /// No match has as many rounds, pauses or overtimes. What a hostile file has beyond is left out.
    const MOST: usize = 1024;

    /// True where a level goes on, though its beginning was not recorded: there was a frame of it, or a match has begun.
    pub(crate) fn shows_level(&self) -> bool {
        self.last.is_some() || self.current.is_some()
    }

    /// True between two rounds of a match.
    pub(crate) fn is_resting(&self) -> bool {
        self.current.is_some() && self.round.is_none()
    }

    /// When the round was over that was the last one, between two.
    pub(crate) fn resting_since(&self) -> Option<T> {
        self.rests.filter(|_| self.is_resting())
    }

    /// True while the game stands still.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// The last frame of the level, or what was told of a match behind it.
    pub(crate) fn last(&self) -> Option<T> {
        self.last
    }

    /// The matches that are over and have not been taken.
    pub(crate) fn take(&mut self) -> Vec<Match<T>> {
        std::mem::take(&mut self.done)
    }

    /// The match that ended last, and has not been taken, was given up.
    pub(crate) fn take_back_the_end(&mut self) {
        self.done.last_mut().into_iter().for_each(Match::take_back_the_end);
    }

    /// The server sent a frame of the level, whether or not what it builds on was recorded.
    pub(crate) fn frame(&mut self, at: T) {
        self.last = Some(at);
    }

    /// Takes in a phase. `begun` tells of [`Phase::Start`] that the recording shows the beginning.
    pub(crate) fn step(&mut self, phase: Phase, begun: bool, at: T) -> Option<Turn> {
        let turn = self.turn(phase, begun, at);
        // What is told of a match that goes on is of it, though no frame has followed.
        if self.current.is_some() {
            self.last = self.last.map(|last| last.later(at));
        }
        turn
    }

    /// Takes in a text that the server prints for everybody, in plain characters.
    pub(crate) fn text(&mut self, text: &str) {
        let Some(current) = &mut self.current else { return };
        self.table.text(text, &mut |team, rounds| match current.rounds_won.iter_mut().find(|won| won.team == team) {
            Some(won) => won.rounds = rounds,
            None => Self::note(&mut current.rounds_won, RoundsWon { team: team.to_owned(), rounds }),
        });
    }

    fn turn(&mut self, phase: Phase, begun: bool, at: T) -> Option<Turn> {
        match phase {
            Phase::NextRound if self.is_resting() => {
                self.round = Some(at);
                Some(Turn::GoesOn)
            }
            // The beginning of the match is not known, and that of this round is not its own.
            Phase::NextRound if self.current.is_none() => self.turn(Phase::Start, false, at),
            Phase::NextRound => None,
            // Told to several readers.
            Phase::Start if self.current.as_ref().is_some_and(|current| current.begin == at) => None,
            Phase::Start => {
                self.close(at, false);
                self.current = Some(Match {
                    begin: at,
                    end: at,
                    begun,
                    ended: false,
                    rounds: Vec::new(),
                    pauses: Vec::new(),
                    overtimes: Vec::new(),
                    given_up: false,
                    rounds_won: Vec::new(),
                });
                self.table = RoundsTable::default();
                self.round = Some(at);
                self.paused = self.paused.map(|_| at);
                Some(Turn::Begins)
            }
            Phase::Round => {
                let from = self.round.take()?;
                self.rests = Some(at);
                Self::note(&mut self.current.as_mut()?.rounds, [from, at]);
                Some(Turn::Rests)
            }
            Phase::End => self.close(at, true),
            Phase::GivenUp => {
                self.current.as_mut()?.given_up = true;
                self.close(at, false)
            }
            Phase::Overtime => {
                Self::note(&mut self.current.as_mut()?.overtimes, at);
                None
            }
            Phase::Pause => {
                self.paused.get_or_insert(at);
                None
            }
            Phase::Resume => {
                self.resumes(at);
                None
            }
            Phase::Countdown | Phase::Intermission => None,
        }
    }

    /// The level ends, or the recording does: so does a match that goes on, without its end. It was over with the last frame
    /// of the level, however long the next level took to come; `now` counts where there was none.
    pub(crate) fn cut(&mut self, now: T) {
        let begin = self.current.as_ref().map(|current| current.begin);
        let at = self.last.take().unwrap_or_else(|| begin.map_or(now, |begin| begin.later(now)));
        self.close(at, false);
        self.paused = None;
    }

    fn close(&mut self, at: T, ended: bool) -> Option<Turn> {
        self.current.as_ref()?;
        let since = self.paused;
        self.resumes(at);
        // Whoever stands still goes on to do so.
        self.paused = since.map(|_| at);
        let mut over = self.current.take()?;
        if let Some(from) = self.round.take().filter(|_| !over.rounds.is_empty()) {
            Self::note(&mut over.rounds, [from, at]);
        }
        (over.end, over.ended) = (at, ended);
        self.done.push(over);
        Some(Turn::Ends)
    }

    fn resumes(&mut self, at: T) {
        if let (Some(since), Some(current)) = (self.paused.take(), &mut self.current) {
            // What stood still up to the beginning of the match did not in it.
            if [since, at] != [current.begin; 2] {
                Self::note(&mut current.pauses, [since, at]);
            }
        }
    }

    fn note<V>(all: &mut Vec<V>, value: V) {
        if all.len() < Self::MOST {
            all.push(value);
        }
    }
}

/// Reads the table that KTX prints behind each round of Clan Arena and Wipeout: how many each team has won, and how many it still
/// needs (`team_round_summary`).
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundsTable {
    /// Its lines follow.
    begun: bool,
}

impl RoundsTable {
    /// Takes in a text, in plain characters. Shows each team and its rounds.
    pub(crate) fn text(&mut self, text: &str, each: &mut dyn FnMut(&str, u32)) {
        for line in text.lines() {
            if line.split_ascii_whitespace().eq(["team", "wins", "need", "status"]) {
                self.begun = true;
            } else if self.begun && !line.trim_matches(['-', ' ']).is_empty() {
                match rounds_won(line) {
                    Some((team, rounds)) => each(team, rounds),
                    None => self.begun = false,
                }
            }
        }
    }
}

/// A line of the table of rounds won: the team, how many it has won, how many it needs, and what it is after the last one.
fn rounds_won(line: &str) -> Option<(&str, u32)> {
    let line = line.trim_end();
    let line = ["round winner", "tied round"].iter().find_map(|status| line.strip_suffix(status)).unwrap_or(line);
    let (front, needed) = line.trim_end().rsplit_once(' ')?;
    let (team, won) = front.trim_end().rsplit_once(' ')?;
    let _: i32 = needed.parse().ok()?;
    Some((team.trim(), won.parse().ok()?))
}

/// A match, as far as it was recorded. Times are those of the game's clock.
#[derive(Serialize, JsonSchema)]
struct Row {
    #[serde(flatten)]
    stretch: Stretch,
    /// How long it was played: without the time in which it stood still, in milliseconds.
    played_ms: Option<i64>,
    /// Its rounds, where it is told that it has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<Stretch>,
    /// When it stood still.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pauses: Vec<Stretch>,
    /// When time was added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overtimes: Vec<Time>,
    /// True when its beginning was recorded.
    begun: bool,
    /// True when its end was recorded.
    ended: bool,
    /// True where the recording shows that it was given up: it has no end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    given_up: bool,
    /// How many rounds each team has won, where the game tells it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds_won: Vec<RoundsWon>,
}

impl Serialize for Match<Moment> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = |stretches: &[[Moment; 2]]| {
            stretches.iter().map(|[from, to]| Stretch::of(Some(*from), Some(*to))).collect()
        };
        let row = Row {
            stretch: Stretch::of(Some(self.begin), Some(self.end)),
            played_ms: self.played_ms(),
            rounds: all(&self.rounds),
            pauses: all(&self.pauses),
            overtimes: self.overtimes.iter().map(|at| Time::of(Some(*at))).collect(),
            begun: self.begun,
            ended: self.ended,
            given_up: self.given_up,
            rounds_won: self.rounds_won.clone(),
        };
        row.serialize(serializer)
    }
}

impl JsonSchema for Match<Moment> {
    fn schema_name() -> Cow<'static, str> {
        "Match".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Row::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl When for i32 {
        fn later(self, other: Self) -> Self {
            self.max(other)
        }
    }

    fn followed(phases: &[(Phase, i32)]) -> Matches<i32> {
        let mut matches = Matches::default();
        for (phase, at) in phases {
            matches.step(*phase, true, *at);
        }
        matches
    }

    #[test]
    fn rounds_are_of_one_match() {
        let mut matches =
            followed(&[(Phase::Start, 10), (Phase::Round, 20), (Phase::NextRound, 25), (Phase::Overtime, 27)]);
        assert!(!matches.is_resting());
        assert_eq!(matches.step(Phase::End, true, 30), Some(Turn::Ends));
        let all = matches.take();
        assert_eq!((all.len(), all[0].begin, all[0].end, all[0].ended), (1, 10, 30, true));
        assert_eq!((&all[0].rounds[..], &all[0].overtimes[..]), (&[[10, 20], [25, 30]][..], &[27][..]));
        let mut matches = followed(&[(Phase::Start, 10), (Phase::Round, 20), (Phase::End, 22)]);
        assert_eq!(matches.take()[0].rounds, [[10, 20]]);
        // A match that begins between the rounds of another is no round of it.
        let mut matches = followed(&[(Phase::Start, 10), (Phase::Round, 20), (Phase::Start, 25), (Phase::End, 30)]);
        let times: Vec<_> = matches.take().iter().map(|m| (m.begin, m.end, m.begun, m.ended)).collect();
        assert_eq!(times, [(10, 25, true, false), (25, 30, true, true)]);
        let mut matches = followed(&[(Phase::NextRound, 10), (Phase::End, 30)]);
        assert!(!matches.take()[0].begun);
    }

    #[test]
    fn pauses_are_those_within_a_match() {
        let phases =
            [(Phase::Pause, 1), (Phase::Resume, 2), (Phase::Start, 10), (Phase::Pause, 12), (Phase::Resume, 15)];
        let mut matches = followed(&phases);
        assert_eq!(matches.step(Phase::Pause, true, 20), None);
        matches.cut(21);
        let all = matches.take();
        assert_eq!(all[0].pauses, [[12, 15], [20, 21]]);
        assert_eq!((all[0].end, all[0].ended), (21, false));
    }

    /// Where nothing can begin that stands still, the phases of the game say so.
    #[test]
    fn a_match_may_begin_while_it_stands_still() {
        for begun in [true, false] {
            let mut matches = followed(&[(Phase::Pause, 5)]);
            matches.step(Phase::Start, begun, 10);
            matches.step(Phase::Resume, true, 15);
            matches.cut(20);
            assert_eq!(matches.take()[0].pauses, [[10, 15]]);
        }
        let phases =
            [(Phase::Start, 10), (Phase::Pause, 12), (Phase::Resume, 20), (Phase::Start, 20), (Phase::End, 30)];
        let pauses: Vec<_> = followed(&phases).take().into_iter().map(|m| m.pauses).collect();
        assert_eq!(pauses, [vec![[12, 20]], vec![]]);
    }

    /// What stood still up to the beginning of a match did not in it; a pause may take no time on a clock that stands still.
    #[test]
    fn a_pause_up_to_the_beginning_is_none() {
        let before = [(Phase::Pause, 5), (Phase::Start, 10), (Phase::Resume, 10), (Phase::End, 20)];
        assert_eq!(followed(&before).take()[0].pauses, [[0; 2]; 0]);
        let within = [(Phase::Start, 10), (Phase::Pause, 15), (Phase::Resume, 15), (Phase::End, 20)];
        assert_eq!(followed(&within).take()[0].pauses, [[15, 15]]);
    }

    /// It ends with the last frame of the level, however long the next one took to come, and never in front of its beginning:
    /// where that is told behind the last frame, or there is no frame at all.
    #[test]
    fn a_match_that_is_cut_ends_with_the_last_frame() {
        let ends = |frames: &[i32], now: i32| {
            let mut matches = Matches::default();
            frames.iter().filter(|at| **at <= 10).for_each(|at| matches.frame(*at));
            matches.step(Phase::Start, true, 10);
            frames.iter().filter(|at| **at > 10).for_each(|at| matches.frame(*at));
            matches.cut(now);
            matches.take()[0].end
        };
        assert_eq!(ends(&[5, 15, 20], 60), 20);
        assert_eq!(ends(&[5], 60), 10);
        assert_eq!(ends(&[], 60), 60);
        assert_eq!(ends(&[], 3), 10);
    }

    #[test]
    fn a_match_may_begin_where_another_was_given_up() {
        let mut matches = followed(&[(Phase::Start, 10), (Phase::Start, 20), (Phase::End, 30), (Phase::End, 31)]);
        let times: Vec<_> = matches.take().iter().map(|m| (m.begin, m.end, m.ended)).collect();
        assert_eq!(times, [(10, 20, false), (20, 30, true)]);
        let mut matches = followed(&[(Phase::Start, 10), (Phase::GivenUp, 15), (Phase::End, 20)]);
        let times: Vec<_> = matches.take().iter().map(|m| (m.begin, m.end, m.ended)).collect();
        assert_eq!(times, [(10, 15, false)]);
    }
}
