//! Matches: from the end of the warm-up to the intermission.

use serde::Serialize;

use super::command::{Configstrings, Phase};
use crate::format::dm3::Dialect;

/// A match, as far as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Server time at which it begins, in ms: as the game tells it, else that of its first snapshot in the recording.
    #[serde(rename = "first_time_ms")]
    pub first_time: i32,
    /// Server time of its last one.
    #[serde(rename = "last_time_ms")]
    pub last_time: i32,
    /// True when its beginning was recorded.
    pub begun: bool,
    /// True when its end was recorded.
    pub ended: bool,
}

impl Match {
    /// A warm-up's end and the restart of the map do not come in one packet: what is shorter is no match.
    const SHORTEST: i32 = 1000;
    /// The first snapshot of a match comes no later than this.
    const LATE: i32 = 2000;

    /// True for one that is long enough.
    pub(crate) fn counts(&self) -> bool {
        self.last_time.wrapping_sub(self.first_time) >= Self::SHORTEST
    }
}

/// Follows the matches of a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matches {
    playing: Option<Match>,
    restarted: bool,
    /// True while the player who is seen looks at the scores.
    intermission: bool,
    /// What the configstring about it says. A restart does not clear it, so only its change says something.
    over: bool,
    /// True from that change on.
    finished: bool,
}

/// What the configstrings say of the match: to be asked for when they changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchState {
    /// Where the match is.
    pub(crate) phase: Phase,
    /// The level is over.
    over: bool,
    /// Server time at which the level began.
    start: Option<i32>,
}

impl MatchState {
    /// `game` is the name of the game module.
    pub(crate) fn by(strings: &Configstrings, dialect: &Dialect, game: Option<&str>) -> Self {
        let indices = &dialect.layout.indices;
        MatchState {
            phase: strings.phase(dialect, game),
            over: matches!(strings.get(indices.intermission), b"1" | b"qtrue"),
            start: std::str::from_utf8(strings.get(indices.level_start)).ok().and_then(|t| t.parse().ok()),
        }
    }
}

impl Matches {
    /// The level begins anew.
    pub(crate) fn restart(&mut self) {
        self.restarted = true;
    }

    /// What kind of movement a snapshot tells; `complete`: it builds on no other.
    pub(crate) fn movement(&mut self, kind: Option<i32>, complete: bool) {
        match kind {
            Some(kind) => self.intermission = matches!(kind, 5 | 6),
            None => self.intermission &= !complete,
        }
    }

    /// The match that goes on.
    pub(crate) fn current(&self) -> Option<&Match> {
        self.playing.as_ref()
    }

    /// True while everybody looks at the scores.
    pub(crate) fn is_intermission(&self) -> bool {
        self.intermission
    }

    /// After a block: gives the match that ended with it. `level_begins` is the server time of the first snapshot of the
    /// level.
    pub(crate) fn step(&mut self, time: i32, told: &MatchState, level_begins: Option<i32>) -> Option<Match> {
        self.finished |= told.over && !std::mem::replace(&mut self.over, told.over);
        self.finished &= told.over;
        let mut ended = None;
        if std::mem::take(&mut self.restarted) {
            self.finished = false;
            ended = self.stop(true);
        }
        let playing = match told.phase {
            Phase::Warmup => false,
            // The end of a time-out is counted down, and some games count down before every round.
            Phase::Countdown => self.playing.is_some(),
            Phase::Playing => true,
        };
        if !playing || self.intermission || self.finished {
            return ended.or_else(|| self.stop(true));
        }
        match &mut self.playing {
            Some(now) => now.last_time = time,
            none => {
                let begun = level_begins != Some(time);
                let near = |start: &i32| (0..=Match::LATE).contains(&time.wrapping_sub(*start));
                let first_time = told.start.filter(|start| begun && near(start)).unwrap_or(time);
                *none = Some(Match { first_time, last_time: time, begun, ended: false });
            }
        }
        ended
    }

    /// The match ends, or the recording does.
    pub(crate) fn stop(&mut self, ended: bool) -> Option<Match> {
        let game = self.playing.take()?;
        Some(Match { ended, ..game }).filter(Match::counts)
    }
}
