//! Parts of a recording, and who played in them.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::measure::{Kin, Measure, Numbers, WeaponMeasure};
use crate::event::Who;
use crate::json::{known, row};
use crate::kinds::kinds;
use crate::world::{Clock, DemoTime};

kinds! {
    /// What a part of a recording is.
    pub enum PartKind {
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

/// A part of a recording, with the numbers of those who played in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What it is.
    #[serde(rename = "part")]
    pub kind: PartKind,
    /// Number of the level within the recording, from 0.
    pub level: u32,
    /// Name of the map.
    pub map: String,
    /// When it begins.
    #[serde(flatten, serialize_with = "begin")]
    pub begin: Clock,
    /// When it ends.
    #[serde(flatten, serialize_with = "end")]
    pub end: Clock,
    /// The recording has its beginning.
    pub begun: bool,
    /// The recording has its end.
    pub ended: bool,
    /// It is a game of teams.
    #[serde(skip)]
    pub in_teams: bool,
    /// Who played, by score.
    pub players: Vec<Player>,
    /// The teams, by score; none in a game without.
    pub teams: Vec<Team>,
    /// It shows what everybody does, not only those in view of the player who recorded.
    pub shows_all: bool,
}

fn begin<S: Serializer>(begin: &Clock, serializer: S) -> Result<S::Ok, S::Error> {
    known(&json!({"clock": begin.kind, "from_ms": begin.ms(), "from_demo_ms": begin.demo}), serializer)
}

fn end<S: Serializer>(end: &Clock, serializer: S) -> Result<S::Ok, S::Error> {
    known(&json!({"to_ms": end.ms(), "to_demo_ms": end.demo}), serializer)
}

row! {
    /// A player in a part.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Player {
        /// Who it is, as known last.
        #[serde(flatten, serialize_with = "known")]
        pub who: Who,
        /// What the recording makes of the player.
        #[serde(flatten)]
        pub ours: Numbers,
        /// What the game says, each number as it said it last.
        #[serde(skip_serializing_if = "Numbers::is_empty")]
        pub told: Numbers,
        /// By which messages it did, and when last.
        #[serde(skip)]
        pub told_by: Vec<(&'static str, DemoTime)>,
        /// Where both differ, of the numbers that both define alike and that were told at the end.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub differences: Vec<Difference>,
        /// What each message told.
        #[serde(skip)]
        pub(super) sheets: Vec<Numbers>,
        #[serde(skip)]
        pub(super) run: i64,
        #[serde(skip)]
        pub(super) since: Option<DemoTime>,
        #[serde(skip)]
        pub(super) played: i64,
    }
    |player| (!player.told.is_empty()).then(|| {
        let by = player.told_by.iter().map(|(source, at)| json!({"source": source, "demo_ms": at}));
        json!({"told_by": by.collect::<Vec<_>>()})
    })
}

/// A team in a part.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Team {
    /// Its name.
    pub name: String,
    /// The sums of its players, and what only teams have.
    #[serde(flatten)]
    pub ours: Numbers,
    /// What the game says of the team, or the sums of what it says of its players.
    #[serde(skip_serializing_if = "Numbers::is_empty")]
    pub told: Numbers,
}

/// Where our number and the game's differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The number: `kills`, `rocket_launcher hits`, `red_armor`.
    pub what: String,
    /// Ours.
    pub ours: i64,
    /// The game's.
    pub told: i64,
}

/// Players whom one part has room for. What a hostile file has beyond is left out.
const PLAYERS: usize = 256;

impl Part {
    /// True where what the game tells of a player is its last word: numbers that it told earlier are not compared.
    pub fn is_told(&self, player: &Player) -> bool {
        player.told_by.iter().any(|(_, at)| Player::is_final(*at, self.end.demo))
    }

    pub(super) fn new(kind: PartKind, level: u32, map: String, begin: Clock) -> Self {
        Part {
            kind,
            level,
            map,
            begin,
            end: begin,
            begun: true,
            ended: false,
            in_teams: false,
            players: Vec::new(),
            teams: Vec::new(),
            shows_all: false,
        }
    }

    /// The row of a player. Whoever comes back, or is named without a slot, has the row of that name; a slot that
    /// another takes gets a new one.
    pub(super) fn seat(&mut self, who: &Who) -> Option<usize> {
        if who.name_raw.is_empty() && who.slot.is_none() {
            return None;
        }
        let same_name = |p: &Player| p.who.name_raw == who.name_raw;
        let found =
            self.players.iter().position(|p| p.who.slot == who.slot && same_name(p)).or_else(|| {
                self.players.iter().position(|p| same_name(p) && (who.slot.is_none() || p.since.is_none()))
            });
        let at = match found {
            Some(at) => at,
            None if self.players.len() < PLAYERS => {
                let player = Player {
                    who: who.clone(),
                    ours: Numbers::default(),
                    told: Numbers::default(),
                    told_by: Vec::new(),
                    differences: Vec::new(),
                    sheets: Vec::new(),
                    run: 0,
                    since: None,
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

    pub(super) fn player(&mut self, who: &Who) -> Option<&mut Player> {
        let at = self.seat(who)?;
        self.players.get_mut(at)
    }

    /// The row of whoever has a slot now.
    pub(super) fn in_slot(&mut self, slot: usize) -> Option<&mut Player> {
        let of_slot = |p: &&mut Player| p.who.slot == Some(slot);
        // Whoever came last.
        self.players.iter_mut().filter(of_slot).max_by_key(|p| p.since)
    }

    /// A player plays from now on.
    pub(super) fn comes(&mut self, who: &Who, now: DemoTime) {
        if let Some(player) = self.player(who) {
            player.since.get_or_insert(now);
        }
    }

    /// Whoever has the slot does not play any longer.
    pub(super) fn goes(&mut self, slot: usize, now: DemoTime) {
        self.players.iter_mut().filter(|p| p.who.slot == Some(slot)).for_each(|p| p.stops(now));
    }

    /// True when nothing happened in it.
    pub(super) fn is_idle(&self) -> bool {
        self.players.iter().all(|player| player.ours.is_idle())
    }

    /// The part ends.
    pub(super) fn close(&mut self, end: Clock) {
        self.end = end;
        self.players.iter_mut().for_each(|player| player.stops(end.demo));
    }

    /// Makes sums and puts things in order.
    pub(super) fn finish(&mut self, damage: bool) {
        let (shows_all, end) = (self.shows_all, self.end.demo);
        for player in &mut self.players {
            player.finish(damage);
            player.compare(shows_all, end);
        }
        let rank = |n: &Numbers| std::cmp::Reverse(n.get(Measure::Score).or_else(|| n.get(Measure::Frags)));
        self.players.sort_by_cached_key(|p| (rank(&p.ours), p.who.slot));
        let told = std::mem::take(&mut self.teams);
        for player in &self.players {
            let Some(name) = player.who.team.as_ref().filter(|team| !team.is_empty() && *team != "free") else {
                continue;
            };
            let at = self.teams.iter().position(|team| team.name == *name).unwrap_or_else(|| {
                self.teams.push(Team { name: name.clone(), ..Team::default() });
                self.teams.len() - 1
            });
            if let Some(team) = self.teams.get_mut(at) {
                team.ours.add_all(&player.ours);
                team.told.add_all(&player.told);
            }
        }
        if !self.in_teams {
            self.teams.clear();
        }
        for team in told {
            if let Some(own) = self.teams.iter_mut().find(|own| own.name == team.name) {
                own.told.replace(&team.told);
            }
        }
        self.teams.sort_by_cached_key(|team| (rank(&team.ours), team.name.clone()));
    }

    /// The row of a team of which the game tells something.
    pub(super) fn told_team(&mut self, name: &str) -> Option<&mut Numbers> {
        let at = match self.teams.iter().position(|team| team.name == name) {
            Some(at) => at,
            None => {
                self.teams.push(Team { name: name.to_owned(), ..Team::default() });
                self.teams.len() - 1
            }
        };
        self.teams.get_mut(at).map(|team| &mut team.told)
    }
}

impl Player {
    fn stops(&mut self, now: DemoTime) {
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
        let harm = [
            Measure::DamageGiven,
            Measure::DamageTaken,
            Measure::DamageTeam,
            Measure::DamageSelf,
            Measure::DamageWorld,
        ];
        for measure in counted.into_iter().chain(harm.into_iter().filter(|_| damage)) {
            self.ours.add(measure, 0);
        }
        let counts = self.ours.clone();
        let count = |measure| counts.get(measure).unwrap_or(0);
        let lost = [Measure::TeamKills, Measure::Suicides, Measure::WorldDeaths].map(count).iter().sum::<i64>();
        let own = count(Measure::Suicides) + count(Measure::WorldDeaths);
        self.ours.set(Measure::Frags, count(Measure::Kills) - lost);
        self.ours.set(Measure::OwnDeaths, own);
        self.ours.set(Measure::Killed, count(Measure::Deaths) - own);
        self.ours.set(Measure::KillsAndSuicides, count(Measure::Kills) + count(Measure::Suicides));
        self.ours.set(Measure::TimeMs, DemoTime(self.played).ms());
    }

    /// True for what is told at the end of a part.
    fn is_final(at: DemoTime, end: DemoTime) -> bool {
        /// So much earlier than the end is at the end, in microseconds.
        const NEAR: i64 = 1_000_000;
        at.0 >= end.0.saturating_sub(NEAR)
    }

    /// Where what a message tells goes.
    pub(super) fn sheet(&mut self, source: &'static str, now: DemoTime) -> Option<&mut Numbers> {
        let at = match self.told_by.iter().position(|(by, _)| *by == source) {
            Some(at) => at,
            None => {
                self.told_by.push((source, now));
                self.sheets.push(Numbers::default());
                self.told_by.len() - 1
            }
        };
        self.told_by.get_mut(at)?.1 = now;
        self.sheets.get_mut(at)
    }

    /// Puts together what was told, and compares what was told at the end of the part.
    fn compare(&mut self, shows_all: bool, end: DemoTime) {
        let mut order: Vec<_> = self.told_by.iter().map(|(_, at)| *at).zip(std::mem::take(&mut self.sheets)).collect();
        order.sort_by_key(|(at, _)| *at);
        let mut last = Numbers::default();
        for (at, sheet) in &order {
            self.told.replace(sheet);
            if Self::is_final(*at, end) {
                last.replace(sheet);
            }
        }
        let mut differ = |what: String, ours: Option<i64>, told: Option<i64>| {
            if let Some((ours, told)) = ours.zip(told).filter(|(ours, told)| ours != told) {
                self.differences.push(Difference { what, ours, told });
            }
        };
        for measure in Measure::ALL.iter().filter(|m| m.kin() == Kin::Same) {
            differ(measure.name().to_owned(), self.ours.get(*measure), last.get(*measure));
        }
        for (name, told) in last.weapons() {
            let ours = self.ours.weapon(name).copied().unwrap_or_default();
            use WeaponMeasure::{Damage, Deaths, Hits, Kills, KillsAndSuicides, Pickups, Shots, Suicides, TeamKills};
            let number = |m| ours.get(m).unwrap_or(0);
            for measure in WeaponMeasure::ALL {
                let counted = match measure {
                    Kills | Deaths | TeamKills | Suicides => Some(number(*measure)),
                    KillsAndSuicides => Some(number(Kills) + number(Suicides)),
                    Pickups => shows_all.then(|| number(Pickups)),
                    Shots | Hits | Damage => ours.get(*measure),
                    _ => None,
                };
                differ(format!("{name} {}", measure.name()), counted, told.get(*measure));
            }
        }
        for (name, told) in last.items().filter(|_| shows_all) {
            differ(name.to_owned(), Some(self.ours.item(name).unwrap_or(0)), Some(told));
        }
    }
}
