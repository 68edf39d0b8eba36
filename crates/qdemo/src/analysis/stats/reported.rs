//! What the game reports of players, and where that differs from what was counted.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::measure::{Comparison, ItemMeasure, ItemNumbers, Measure, Numbers, WeaponMeasure, WeaponNumbers};
use super::player::{Player, derive};
use crate::world::DemoTime;

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

/// How what the game reports of a player is to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// Pickups of all are seen.
    pub(super) shows_all: bool,
    /// The beginning was recorded.
    pub(super) begun: bool,
    /// The game counts anew whoever comes back.
    pub(super) anew: bool,
    /// It is told who hurts whom.
    pub(super) damage: bool,
    pub(super) end: DemoTime,
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

impl Player {
    /// True for what is told at the end of a period.
    pub(super) fn is_final(at: DemoTime, end: DemoTime) -> bool {
        /// So much earlier than the end is at the end, in microseconds.
        const NEAR: i64 = 1_000_000;
        at.0 >= end.0.saturating_sub(NEAR)
    }

    /// Takes in all that a kind of message has told.
    pub(super) fn tells(&mut self, source: &'static str, numbers: &Numbers, now: DemoTime) {
        match self.reported_by.iter_mut().zip(&mut self.reports).find(|((by, _), _)| *by == source) {
            Some(((_, at), report)) => {
                *at = now;
                report.clone_from(numbers);
            }
            None => {
                self.reported_by.push((source, now));
                self.reports.push(numbers.clone());
            }
        }
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
        self.tells(source, numbers, now);
    }

    /// Puts together what was told, and compares what was told at the end of the period: with what was counted since the
    /// game began to count. Of a match whose beginning was not recorded that is not known, but for the score.
    pub(super) fn compare(&mut self, terms: Terms) {
        let mut order: Vec<_> =
            self.reported_by.iter().map(|(_, at)| *at).zip(std::mem::take(&mut self.reports)).collect();
        order.sort_by_key(|(at, _)| *at);
        let mut last = Numbers::default();
        for (at, report) in &order {
            self.reported.replace(report);
            if Self::is_final(*at, terms.end) {
                last.replace(report);
            }
        }
        // The first time that a score is told may be the last.
        if let (None, Some(score)) = (self.counted.get(Measure::Score), last.get(Measure::Score)) {
            self.counted.set(Measure::Score, score);
        }
        let back = self.before.take().filter(|_| terms.anew || self.anew);
        let before = self.changed.take().filter(|_| self.anew && back.is_none()).or(back);
        let whole = before.is_some() || terms.begun && !self.anew;
        let counted = match &before {
            Some(before) => {
                let mut since = self.counted.less(before);
                derive(&mut since);
                Cow::Owned(since)
            }
            None => Cow::Borrowed(&self.counted),
        };
        let mut found = Found::default();
        // Where it is not told who did it, damage taken is all of it, and no more is known.
        let known = |m: &&Measure| terms.damage || **m != Measure::DamageTaken;
        let same = |m: &&Measure| m.comparison() == Comparison::Same && (whole || **m == Measure::Score);
        for measure in Measure::ALL.iter().filter(same).filter(known) {
            found.compare(measure.name(), counted.get(*measure), last.get(*measure));
        }
        if whole {
            last.weapons().for_each(|(name, reported)| found.weapon(name, counted.weapon(name), reported, terms));
        }
        if whole && terms.shows_all {
            last.items().for_each(|(name, reported)| found.item(name, counted.item(name), reported));
        }
        self.differences = found.0;
    }
}

/// The differences that were found.
#[derive(Default)]
struct Found(Vec<Difference>);

impl Found {
    fn compare(&mut self, what: &str, counted: Option<i64>, reported: Option<i64>) {
        if let Some((counted, reported)) = counted.zip(reported).filter(|(counted, reported)| counted != reported) {
            self.0.push(Difference { what: what.to_owned(), counted, reported });
        }
    }

    fn weapon(&mut self, name: &str, counted: Option<&WeaponNumbers>, reported: &WeaponNumbers, terms: Terms) {
        use WeaponMeasure::{
            Damage, DamageTeam, Deaths, Hits, Kills, KillsAndSuicides, OwnersKilled, Pickups, Shots, Suicides,
            TeamKills,
        };
        let told = |measure| counted.and_then(|counted| counted.get(measure));
        let number = |measure| told(measure).unwrap_or(0);
        for measure in WeaponMeasure::ALL {
            let counted = match measure {
                Kills | Deaths | TeamKills | Suicides => Some(number(*measure)),
                KillsAndSuicides => Some(number(Kills) + number(Suicides)),
                Pickups | OwnersKilled => terms.shows_all.then(|| number(*measure)),
                DamageTeam => terms.damage.then(|| number(DamageTeam)),
                Shots | Hits | Damage => told(*measure),
                _ => None,
            };
            self.compare(&format!("{name} {}", measure.name()), counted, reported.get(*measure));
        }
    }

    fn item(&mut self, name: &str, counted: Option<&ItemNumbers>, reported: &ItemNumbers) {
        let number = |measure| Some(counted.and_then(|counted| counted.get(measure)).unwrap_or(0));
        self.compare(name, number(ItemMeasure::Taken), reported.get(ItemMeasure::Taken));
        let what = format!("{name} {}", ItemMeasure::Streak.name());
        self.compare(&what, number(ItemMeasure::Streak), reported.get(ItemMeasure::Streak));
    }
}
