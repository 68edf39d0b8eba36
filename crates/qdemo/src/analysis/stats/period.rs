//! Periods of a recording, and who played in them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::held::Held;
use super::measure::{Comparison, ItemMeasure, Measure, Numbers, WeaponMeasure};
use super::outcome::{Ending, Place, Standing};
use crate::event::{Match, PlayerRef};
use crate::json::{Known, known, row};
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
    /// A match that ended: what ended it, where a text or a side that left tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// A match that ended: the team or the player who won; none where it stood even.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// A match that ended: the teams, or the players where there are none, with their scores, the first in front;
    /// behind them players who left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// The date of the match as the server printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The rules, as far as the server tells them.
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
    /// The rounds of a match that has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<Within>,
    /// When the match stood still.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pauses: Vec<Within>,
    /// When time was added to the match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overtimes: Vec<Added>,
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
        rounds: game.rounds.iter().map(stretch).collect(),
        pauses: game.pauses.iter().map(stretch).collect(),
        overtimes: game.overtimes.iter().map(|at| Added { time_ms: at.ms(), demo_ms: at.demo }).collect(),
    });
    course.unwrap_or_default().serialize(serializer)
}

row! {
    /// A player in a period.
    #[derive(Debug, Clone, PartialEq)]
    #[schemars(rename = "PlayerStats")]
    pub struct Player {
        /// Who it is, as known last.
        #[serde(flatten, serialize_with = "known")]
        #[schemars(with = "Known<PlayerRef>")]
        pub who: PlayerRef,
        /// The account of the player, where the game tells that.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub login: Option<String>,
        /// What the recording makes of the player.
        #[serde(flatten)]
        pub counted: Numbers,
        /// What the game reports, each number as it did so last.
        #[serde(rename = "told", skip_serializing_if = "Numbers::is_empty")]
        pub reported: Numbers,
        /// By which messages it did, and when last.
        #[serde(skip)]
        pub reported_by: Vec<(&'static str, DemoTime)>,
        /// Where both differ, of the numbers that both define alike and that were told at the end.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub differences: Vec<Difference>,
        /// What each message told.
        #[serde(skip)]
        pub(super) reports: Vec<Numbers>,
        /// What was counted when the player came back last.
        #[serde(skip)]
        pub(super) before: Option<Numbers>,
        /// What was counted when the player changed from one team to another last, since then.
        #[serde(skip)]
        pub(super) changed: Option<Numbers>,
        /// A scoreboard told the score when the period was over, or it was set to 0 since.
        #[serde(skip)]
        pub(super) settled: bool,
        /// The game was seen to count the player anew.
        #[serde(skip)]
        pub(super) anew: bool,
        #[serde(skip)]
        pub(super) run: i64,
        #[serde(skip)]
        pub(super) held: Vec<Held>,
        /// Carries the flag of a team, since then.
        #[serde(skip)]
        pub(super) flag: Option<(Box<str>, DemoTime)>,
        #[serde(skip)]
        pub(super) since: Option<DemoTime>,
        /// Was in view, or the game tells who plays by other means.
        #[serde(skip)]
        pub(super) came_into_view: bool,
        /// Played when the period ended.
        #[serde(skip)]
        pub(super) stayed: bool,
        #[serde(skip)]
        pub(super) played: i64,
    }
    |player| -> ToldBy {
        let source = |(source, at): &(&'static str, DemoTime)| Source { source, demo_ms: *at };
        ToldBy { told_by: (!player.reported.is_empty()).then(|| player.reported_by.iter().map(source).collect()) }
    }
}

/// By what the game reports its numbers.
#[derive(Serialize, JsonSchema)]
struct ToldBy {
    /// By which messages the game reports its numbers, and when last.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_by: Option<Vec<Source>>,
}

/// A message by which the game reports numbers.
#[derive(Serialize, JsonSchema)]
struct Source {
    /// The message, or what else tells them: `hidden_demoinfo`, `scores`, `print` ...
    source: &'static str,
    /// When it did so last: milliseconds since the first moment of the recording.
    demo_ms: DemoTime,
}

/// A team in a period.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(rename = "TeamStats")]
pub struct Team {
    /// Its name.
    pub name: String,
    /// The sums of its players, and what only teams have; the score is that of the team where the game tells it.
    #[serde(flatten)]
    pub counted: Numbers,
    /// What the game says of the team, or the sums of what it says of its players.
    #[serde(rename = "told", skip_serializing_if = "Numbers::is_empty")]
    pub reported: Numbers,
}

/// Where our number and the game's differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StatsDifference")]
pub struct Difference {
    /// The number: `kills`, `rocket_launcher hits`, `red_armor`.
    pub what: String,
    /// As it was counted.
    #[serde(rename = "ours")]
    pub counted: i64,
    /// As the game reports it.
    #[serde(rename = "told")]
    pub reported: i64,
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
            text.push_str(match (self.begun, self.ended) {
                (true, true) => "",
                (false, true) => "; its beginning was not recorded",
                (true, false) => "; its end was not recorded",
                (false, false) => "; neither its beginning nor its end was recorded",
            });
            if let Some(ending) = self.ending {
                text += &format!("; ended by {}", ending.name().replace('_', " "));
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
                let player = Player {
                    who: who.clone(),
                    login: None,
                    counted: Numbers::default(),
                    reported: Numbers::default(),
                    reported_by: Vec::new(),
                    differences: Vec::new(),
                    reports: Vec::new(),
                    before: None,
                    changed: None,
                    anew: false,
                    settled: false,
                    run: 0,
                    held: Vec::new(),
                    flag: None,
                    since: None,
                    came_into_view: false,
                    stayed: false,
                    played: 0,
                };
                self.players.push(player);
                self.players.len() - 1
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

    /// Makes sums and puts things in order. `standing` has what the game tells of the end.
    pub(super) fn finish(&mut self, damage: bool, standing: &Standing) {
        let (anew, end) = (self.counts_anew, self.end.demo);
        let told = Told { shows_all: self.shows_all, begun: self.begun, anew, damage, end };
        for player in &mut self.players {
            player.finish(damage);
            player.compare(told);
        }
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

/// How what the game tells is to be compared.
#[derive(Debug, Clone, Copy)]
struct Told {
    /// Pickups of all are seen.
    shows_all: bool,
    /// The beginning was recorded.
    begun: bool,
    /// The game counts anew whoever comes back.
    anew: bool,
    /// It is told who hurts whom.
    damage: bool,
    end: DemoTime,
}

/// What every game counts up, of whoever plays.
const COUNTERS: [Measure; 11] = [
    Measure::Kills,
    Measure::KillsAndSuicides,
    Measure::WeaponKills,
    Measure::Deaths,
    Measure::WeaponDeaths,
    Measure::EnemyDeaths,
    Measure::OwnDeaths,
    Measure::TeamKills,
    Measure::DamageGiven,
    Measure::DamageTaken,
    Measure::DamageTeam,
];

/// What follows from what was counted.
fn derive(counted: &mut Numbers) {
    let count = |measure| counted.get(measure).unwrap_or(0);
    let lost = [Measure::TeamKills, Measure::Suicides, Measure::WorldDeaths].map(count).iter().sum::<i64>();
    let own = count(Measure::Suicides) + count(Measure::WorldDeaths);
    let killed = count(Measure::Deaths) - own;
    for (measure, value) in [
        (Measure::Frags, count(Measure::Kills) - lost),
        (Measure::OwnDeaths, own),
        (Measure::Killed, killed),
        (Measure::EnemyDeaths, killed - count(Measure::TeamDeaths)),
        (Measure::KillsAndSuicides, count(Measure::Kills) + count(Measure::Suicides)),
    ] {
        counted.set(measure, value);
    }
}

impl Player {
    fn stops(&mut self, now: DemoTime) {
        self.lets_all_go(now);
        if let Some(since) = self.since.take() {
            self.played = self.played.saturating_add(now.0.saturating_sub(since.0).max(0));
        }
    }

    /// What follows from what was counted. Whoever neither killed nor died has that number of kills and deaths.
    fn finish(&mut self, damage: bool) {
        let counted = [
            Measure::Kills,
            Measure::Deaths,
            Measure::Suicides,
            Measure::TeamKills,
            Measure::TeamDeaths,
            Measure::WorldDeaths,
            Measure::Streak,
            Measure::Telefrags,
            Measure::WeaponKills,
            Measure::WeaponDeaths,
        ];
        let damages = [
            Measure::DamageGiven,
            Measure::DamageTaken,
            Measure::DamageTeam,
            Measure::DamageSelf,
            Measure::DamageWorld,
        ];
        for measure in counted.into_iter().chain(damages.into_iter().filter(|_| damage)) {
            self.counted.add(measure, 0);
        }
        derive(&mut self.counted);
        self.counted.set(Measure::TimeMs, DemoTime(self.played).ms());
    }

    /// True for one who was there for a moment, did nothing, and is told nothing of. OpenTDM gives two frames of play to all who
    /// join, before they watch.
    fn only_came_by(&self) -> bool {
        const MOMENT_MS: i64 = 2000;
        !self.stayed && DemoTime(self.played).ms() <= MOMENT_MS && self.counted.is_idle() && self.reported.is_empty()
    }

    /// True for one of whom a whole match shows nothing but the name: never in view, in no death, without a team or a score.
    fn only_watched(&self) -> bool {
        let has_score = self.counted.get(Measure::Score).is_some() || !self.reported.is_empty();
        !self.came_into_view && !has_score && self.who.team.is_none() && self.counted.is_idle()
    }

    /// True for what is told at the end of a period.
    fn is_final(at: DemoTime, end: DemoTime) -> bool {
        /// So much earlier than the end is at the end, in microseconds.
        const NEAR: i64 = 1_000_000;
        at.0 >= end.0.saturating_sub(NEAR)
    }

    /// Where what a kind of message tells goes.
    pub(super) fn report_mut(&mut self, source: &'static str, now: DemoTime) -> Option<&mut Numbers> {
        let at = match self.reported_by.iter().position(|(by, _)| *by == source) {
            Some(at) => at,
            None => {
                self.reported_by.push((source, now));
                self.reports.push(Numbers::default());
                self.reported_by.len() - 1
            }
        };
        self.reported_by.get_mut(at)?.1 = now;
        self.reports.get_mut(at)
    }

    /// Takes in what a message tells. What a game counts does not become less: where it does, the game began to count the
    /// player anew (who came back, or gave the match up), and what it tells when the match is `over` is not about it.
    pub(super) fn report(&mut self, source: &'static str, numbers: &Numbers, now: DemoTime, over: bool) {
        let before = self.reported_by.iter().position(|(by, _)| *by == source).and_then(|at| self.reports.get(at));
        let less = |m: &Measure| {
            numbers.get(*m).zip(before.and_then(|before| before.get(*m))).is_some_and(|(now, before)| now < before)
        };
        if COUNTERS.iter().any(less) {
            if over {
                return;
            }
            self.anew = true;
        }
        // Each message tells all that it tells of a player.
        if let Some(report) = self.report_mut(source, now) {
            report.clone_from(numbers);
        }
    }

    /// Puts together what was told, and compares what was told at the end of the period: with what was counted since the
    /// game began to count. Of a match whose beginning was not recorded that is not known, but for the score.
    fn compare(&mut self, told: Told) {
        let mut order: Vec<_> =
            self.reported_by.iter().map(|(_, at)| *at).zip(std::mem::take(&mut self.reports)).collect();
        order.sort_by_key(|(at, _)| *at);
        let mut last = Numbers::default();
        for (at, report) in &order {
            self.reported.replace(report);
            if Self::is_final(*at, told.end) {
                last.replace(report);
            }
        }
        // The first time that a score is told may be the last.
        if let (None, Some(score)) = (self.counted.get(Measure::Score), last.get(Measure::Score)) {
            self.counted.set(Measure::Score, score);
        }
        let back = self.before.take().filter(|_| told.anew || self.anew);
        let before = self.changed.take().filter(|_| self.anew && back.is_none()).or(back);
        let whole = before.is_some() || told.begun && !self.anew;
        let counted = match &before {
            Some(before) => {
                let mut since = self.counted.less(before);
                derive(&mut since);
                Cow::Owned(since)
            }
            None => Cow::Borrowed(&self.counted),
        };
        let mut differences = Vec::new();
        let mut differ = |what: String, counted: Option<i64>, reported: Option<i64>| {
            if let Some((counted, reported)) = counted.zip(reported).filter(|(counted, reported)| counted != reported) {
                differences.push(Difference { what, counted, reported });
            }
        };
        // Where it is not told who did it, damage taken is all of it, and no more is known.
        let known = |m: &&Measure| told.damage || **m != Measure::DamageTaken;
        let same = |m: &&Measure| m.comparison() == Comparison::Same && (whole || **m == Measure::Score);
        for measure in Measure::ALL.iter().filter(same).filter(known) {
            differ(measure.name().to_owned(), counted.get(*measure), last.get(*measure));
        }
        for (name, reported) in last.weapons().filter(|_| whole) {
            let counted = counted.weapon(name).copied().unwrap_or_default();
            use WeaponMeasure::{
                Damage, DamageTeam, Deaths, Hits, Kills, KillsAndSuicides, OwnersKilled, Pickups, Shots, Suicides,
                TeamKills,
            };
            let number = |m| counted.get(m).unwrap_or(0);
            for measure in WeaponMeasure::ALL {
                let counted = match measure {
                    Kills | Deaths | TeamKills | Suicides => Some(number(*measure)),
                    KillsAndSuicides => Some(number(Kills) + number(Suicides)),
                    Pickups | OwnersKilled => told.shows_all.then(|| number(*measure)),
                    DamageTeam => told.damage.then(|| number(DamageTeam)),
                    Shots | Hits | Damage => counted.get(*measure),
                    _ => None,
                };
                differ(format!("{name} {}", measure.name()), counted, reported.get(*measure));
            }
        }
        for (name, reported) in last.items().filter(|_| told.shows_all && whole) {
            let counted = counted.item(name).copied().unwrap_or_default();
            let number = |measure| Some(counted.get(measure).unwrap_or(0));
            differ(name.to_owned(), number(ItemMeasure::Taken), reported.get(ItemMeasure::Taken));
            let streak = reported.get(ItemMeasure::Streak);
            differ(format!("{name} {}", ItemMeasure::Streak.name()), number(ItemMeasure::Streak), streak);
        }
        self.differences = differences;
    }
}
