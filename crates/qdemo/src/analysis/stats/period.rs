//! Periods of a recording, and who played in them.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::measure::{Measure, Numbers};
use super::outcome::{Ending, Place, Standing};
use super::player::Player;
use super::reported::Terms;
use crate::event::{Match, PlayerRef, RoundsWon};
use crate::kinds::kinds;
use crate::world::{Clock, ClockKind, DemoTime, Rules};

kinds! {
    /// What a period of a recording is.
    pub enum PeriodKind {
        /// A match.
        Match = "match",
        /// What is played before a match, or between two.
        WarmUp = "warmup",
        /// What is played after the last match of a level.
        After = "after",
        /// A level without a match.
        Level = "level",
    }
}

/// A period of a recording, with the numbers of those who played in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Period {
    /// What it is.
    #[serde(rename = "part")]
    pub kind: PeriodKind,
    /// Number of the level within the recording, from 0.
    pub level: u32,
    /// Name of the map.
    pub map: String,
    /// When it begins.
    #[serde(flatten, serialize_with = "begin")]
    #[schemars(with = "Begin")]
    pub begin: Clock,
    /// When it ends.
    #[serde(flatten, serialize_with = "end")]
    #[schemars(with = "End")]
    pub end: Clock,
    /// The recording has its beginning.
    pub begun: bool,
    /// The recording has its end.
    pub ended: bool,
    /// A match: its rounds, when it stood still, when time was added.
    #[serde(flatten, serialize_with = "course")]
    #[schemars(with = "Course")]
    pub game: Option<Match<Clock>>,
    /// A match that ended, or was given up: what ended it, where a text, a side that left or the next level tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// A match that ended: the team or the player who won; none where it stood even.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// A match that ended: the teams, or the players where there are none, with their scores, the first in front;
    /// behind them players who left. Of Quake III both teams, also one without players.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// The date of the match as the server printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The rules, as far as the server tells them: where they change within a match, those by which it ends.
    pub rules: Rules,
    /// It is a game of teams.
    #[serde(skip)]
    pub in_teams: bool,
    /// Who played, by score.
    pub players: Vec<Player>,
    /// The teams, by score; none in a game without.
    pub teams: Vec<Team>,
    /// It shows what everybody does, not only those in view of the player who recorded.
    pub shows_all: bool,
    /// The game counts a player anew who comes back.
    #[serde(skip)]
    pub(super) counts_anew: bool,
    /// Scores are times, of which the shortest wins.
    #[serde(skip)]
    pub(super) is_race: bool,
    /// Everybody plays to win, whatever the team: teams have no rows.
    #[serde(skip)]
    pub(super) is_for_oneself: bool,
}

/// When a period begins.
#[derive(Serialize, JsonSchema)]
struct Begin {
    /// Whose clock `from_ms` and `to_ms` are on.
    clock: ClockKind,
    /// What the game's own clock shows at the beginning, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_ms: Option<i64>,
    /// The beginning in milliseconds since the first moment of the recording.
    from_demo_ms: DemoTime,
}

fn begin<S: Serializer>(begin: &Clock, serializer: S) -> Result<S::Ok, S::Error> {
    Begin { clock: begin.kind, from_ms: begin.ms(), from_demo_ms: begin.demo }.serialize(serializer)
}

/// When a period ends.
#[derive(Serialize, JsonSchema)]
struct End {
    /// What the game's own clock shows at the end, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_ms: Option<i64>,
    /// The end in milliseconds since the first moment of the recording.
    to_demo_ms: DemoTime,
}

fn end<S: Serializer>(end: &Clock, serializer: S) -> Result<S::Ok, S::Error> {
    End { to_ms: end.ms(), to_demo_ms: end.demo }.serialize(serializer)
}

/// What a match has within it, where there is something to tell.
#[derive(Default, Serialize, JsonSchema)]
struct Course {
    /// How long the match was played in milliseconds of the recording: without the time in which it stood still.
    #[serde(skip_serializing_if = "Option::is_none")]
    played_ms: Option<i64>,
    /// The rounds of a match that has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<Within>,
    /// When the match stood still.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pauses: Vec<Within>,
    /// When time was added to the match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overtimes: Vec<Added>,
    /// True where the recording shows that the match was given up: it has no end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    given_up: bool,
    /// How many rounds each team has won, where the game tells it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds_won: Vec<RoundsWon>,
}

/// A stretch of a match, on the clock of the recording and on that of the game.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StretchOfMatch")]
struct Within {
    /// What the game's own clock shows at its beginning, in milliseconds.
    from_ms: Option<i64>,
    /// What it shows at its end, in milliseconds.
    to_ms: Option<i64>,
    /// Its beginning in milliseconds since the first moment of the recording.
    from_demo_ms: DemoTime,
    /// Its end in milliseconds since the first moment of the recording.
    to_demo_ms: DemoTime,
}

/// A moment at which time is added to a match.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Overtime")]
struct Added {
    /// What the game's own clock shows, in milliseconds.
    time_ms: Option<i64>,
    /// Milliseconds since the first moment of the recording.
    demo_ms: DemoTime,
}

fn course<S: Serializer>(game: &Option<Match<Clock>>, serializer: S) -> Result<S::Ok, S::Error> {
    let stretch = |[from, to]: &[Clock; 2]| Within {
        from_ms: from.ms(),
        to_ms: to.ms(),
        from_demo_ms: from.demo,
        to_demo_ms: to.demo,
    };
    let course = game.as_ref().map(|game| Course {
        played_ms: game.played_ms(),
        rounds: game.rounds.iter().map(stretch).collect(),
        pauses: game.pauses.iter().map(stretch).collect(),
        overtimes: game.overtimes.iter().map(|at| Added { time_ms: at.ms(), demo_ms: at.demo }).collect(),
        given_up: game.given_up,
        rounds_won: game.rounds_won.clone(),
    });
    course.unwrap_or_default().serialize(serializer)
}

/// A team in a period.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "TeamStats")]
pub struct Team {
    /// Its name.
    pub name: String,
    /// The sums of its players, and what only teams have; the score is that of the team where the game tells it: in Clan Arena
    /// the rounds that it has won.
    #[serde(flatten)]
    pub counted: Numbers,
    /// What the game says of the team, or the sums of what it says of its players.
    #[serde(rename = "told", skip_serializing_if = "Numbers::is_empty")]
    pub reported: Numbers,
}

/// Players whom one period has room for. What a hostile file has beyond is left out.
const PLAYERS: usize = 256;

impl Period {
    /// True where what the game tells of a player is its last word: numbers that it told earlier are not compared.
    pub fn is_reported(&self, player: &Player) -> bool {
        player.reported_by.iter().any(|(_, at)| Player::is_final(*at, self.end.demo))
    }

    /// Where and when it was, and how it ended, in words for people: `on dm2, 0:10.000 to 10:10.000; ended by time limit`.
    pub fn in_words(&self) -> String {
        let mut text = format!("on {}, {} to {}", self.map, self.begin.demo, self.end.demo);
        if self.kind == PeriodKind::Match {
            let is_given_up = self.game.as_ref().is_some_and(|game| game.given_up);
            let gives_up = is_given_up || self.ending.is_some_and(Ending::gives_up);
            text.push_str(match (self.begun, self.ended) {
                (true, true) => "",
                (false, true) => "; its beginning was not recorded",
                (true, false) if gives_up => "",
                (false, false) if gives_up => "; its beginning was not recorded",
                (true, false) => "; its end was not recorded",
                (false, false) => "; neither its beginning nor its end was recorded",
            });
            match self.ending {
                Some(Ending::Stopped) => text += "; stopped before its end",
                Some(Ending::LevelChange) => text += "; another level began before its end",
                Some(ending) => text += &format!("; ended by {}", ending.name().replace('_', " ")),
                None if is_given_up => text += "; stopped before its end",
                None => {}
            }
            if let Some(winner) = &self.winner {
                text += &format!("; {winner} won");
            }
        }
        text
    }

    pub(super) fn new(kind: PeriodKind, level: u32, map: String, begin: Clock) -> Self {
        Period {
            kind,
            level,
            map,
            begin,
            end: begin,
            begun: true,
            ended: false,
            game: None,
            ending: None,
            winner: None,
            places: Vec::new(),
            date: None,
            rules: Rules::default(),
            in_teams: false,
            players: Vec::new(),
            teams: Vec::new(),
            shows_all: false,
            counts_anew: false,
            is_race: false,
            is_for_oneself: false,
        }
    }

    /// The row of a player. Whoever comes back, or is named without a slot, has the row of that name; a slot that
    /// another takes gets a new one.
    pub(super) fn seat(&mut self, who: &PlayerRef) -> Option<usize> {
        if who.name_raw.is_empty() && who.slot.is_none() {
            return None;
        }
        let same_name = |p: &Player| p.who.name_raw == who.name_raw;
        let comes_back = |p: &Player| same_name(p) && (who.slot.is_none() || p.since.is_none());
        let found = self.players.iter().position(|p| p.who.slot == who.slot && same_name(p));
        // Two without a name are not one.
        let found = found.or_else(|| self.players.iter().position(comes_back).filter(|_| !who.name_raw.is_empty()));
        let at = match found {
            Some(at) => at,
            None if self.players.len() < PLAYERS => {
                let number = self.players.len();
                self.players.push(Player { number, ..Player::new(who) });
                number
            }
            None => return None,
        };
        let player = self.players.get_mut(at)?;
        if who.slot.is_some() {
            player.who.clone_from(who);
        }
        Some(at)
    }

    pub(super) fn player(&mut self, who: &PlayerRef) -> Option<&mut Player> {
        let at = self.seat(who)?;
        self.players.get_mut(at)
    }

    /// The row of whoever has a slot now, or had it when the period ended.
    pub(super) fn in_slot(&mut self, slot: usize) -> Option<&mut Player> {
        let of_slot = |p: &&mut Player| p.who.slot == Some(slot);
        // Whoever came last.
        self.players.iter_mut().filter(of_slot).max_by_key(|p| (p.since, p.stayed))
    }

    /// A player plays from now on.
    pub(super) fn comes(&mut self, who: &PlayerRef, now: DemoTime) {
        let was = self.players.iter().find(|p| p.is(who)).and_then(|p| p.who.team.clone());
        if let Some(player) = self.player(who) {
            let changes = player.since.is_some() && was.is_some() && was != who.team;
            if player.since.is_none() && player.played > 0 {
                (player.before, player.changed) = (Some(player.counted.clone()), None);
            } else if changes {
                player.changed = Some(player.counted.clone());
            }
            player.since.get_or_insert(now);
        }
    }

    /// Whoever has the slot does not play any longer.
    pub(super) fn goes(&mut self, slot: usize, now: DemoTime) {
        self.players.iter_mut().filter(|p| p.who.slot == Some(slot)).for_each(|p| p.stops(now));
    }

    /// True when nothing happened in it.
    pub(super) fn is_idle(&self) -> bool {
        self.players.iter().all(|player| player.counted.is_idle())
    }

    /// The period ends: the time, and that on the clock of players.
    pub(super) fn close(&mut self, end: Clock, playing: DemoTime) {
        self.end = end;
        for player in &mut self.players {
            player.stayed = player.since.is_some();
            player.stops(playing);
        }
    }

    /// Who left a match before the recording began is known by the ghost alone, with the score.
    pub(super) fn haunt(&mut self, ghosts: &[(PlayerRef, i64)]) {
        if self.kind != PeriodKind::Match || self.begun {
            return;
        }
        for (who, score) in ghosts {
            if self.players.iter().all(|player| player.who.name_raw != who.name_raw) {
                if let Some(player) = self.player(who) {
                    player.is_ghost = true;
                    player.counted.set(Measure::Score, *score);
                }
            }
        }
    }

    /// Makes sums and puts things in order. `standing` has what the game tells of the end.
    pub(super) fn finish(&mut self, damage: bool, standing: &Standing) {
        let (anew, end) = (self.counts_anew, self.end.demo);
        let terms = Terms { shows_all: self.shows_all, begun: self.begun, anew, damage, end };
        for player in &mut self.players {
            player.finish(damage);
            player.compare(terms);
        }
        self.players.retain(|player| !player.is_nobody());
        if self.kind == PeriodKind::Match {
            let is_whole = self.begun && self.ended;
            self.players.retain(|player| !(player.only_came_by() || is_whole && player.only_watched()));
        }
        if self.ended {
            self.score_two(standing.won());
        }
        let is_race = self.is_race;
        let rank = |n: &Numbers| match n.get(Measure::Score) {
            Some(time) if is_race => std::cmp::Reverse(time_of_race(time).map(|time| -time)),
            None if is_race => std::cmp::Reverse(None),
            score => std::cmp::Reverse(score.or_else(|| n.get(Measure::Frags))),
        };
        self.players.sort_by_cached_key(|p| (rank(&p.counted), p.who.slot));
        let reported = std::mem::take(&mut self.teams);
        for player in &self.players {
            let Some(name) =
                player.who.team.as_ref().filter(|team| !["", "free", "spectator"].contains(&team.as_str()))
            else {
                continue;
            };
            let at = self.teams.iter().position(|team| team.name == *name).unwrap_or_else(|| {
                self.teams.push(Team { name: name.clone(), ..Team::default() });
                self.teams.len() - 1
            });
            if let Some(team) = self.teams.get_mut(at) {
                team.counted.add_all(&player.counted);
                team.reported.add_all(&player.reported);
            }
        }
        if !self.is_won_by_teams() {
            self.teams.clear();
        }
        for team in reported {
            if let Some(own) = self.teams.iter_mut().find(|own| own.name == team.name) {
                own.reported.replace(&team.reported);
            }
        }
        self.score_teams(standing.sides());
        self.teams.sort_by_cached_key(|team| (rank(&team.counted), team.name.clone()));
    }

    /// The row of a team of which the game tells something.
    pub(super) fn reported_team(&mut self, name: &str) -> Option<&mut Numbers> {
        let at = match self.teams.iter().position(|team| team.name == name) {
            Some(at) => at,
            None => {
                self.teams.push(Team { name: name.to_owned(), ..Team::default() });
                self.teams.len() - 1
            }
        };
        self.teams.get_mut(at).map(|team| &mut team.reported)
    }
}

/// The time that a score of a race is; `None` for one who has not finished.
pub(super) fn time_of_race(score: i64) -> Option<i64> {
    Some(score).filter(|score| *score > 0)
}
