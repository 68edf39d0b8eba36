//! Who played in a period, and what follows from what was counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::held::Held;
use super::measure::{Measure, Numbers};
use super::reported::Difference;
use crate::event::PlayerRef;
use crate::json::{Known, known, row};
use crate::world::DemoTime;

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
        /// Number within the period, in the order in which players came.
        #[serde(skip)]
        pub(crate) number: usize,
        /// How often each player killed this one, by number; `None` is the world. Sums up to the deaths, but for those by
        /// somebody of whom nothing is told.
        #[serde(skip)]
        pub(crate) killed_by: BTreeMap<Option<usize>, u32>,
        #[serde(skip)]
        pub(super) run: i64,
        #[serde(skip)]
        pub(super) held: Vec<Held>,
        /// Carries the flag of a team, since then.
        #[serde(skip)]
        pub(super) flag: Option<(Box<str>, DemoTime)>,
        #[serde(skip)]
        pub(super) since: Option<DemoTime>,
        /// Known by the ghost alone: left before the recording began.
        #[serde(skip)]
        pub(super) is_ghost: bool,
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

impl Player {
    pub(super) fn new(who: &PlayerRef) -> Self {
        Player {
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
            number: 0,
            killed_by: BTreeMap::new(),
            run: 0,
            held: Vec::new(),
            flag: None,
            since: None,
            is_ghost: false,
            came_into_view: false,
            stayed: false,
            played: 0,
        }
    }

    pub(super) fn stops(&mut self, now: DemoTime) {
        self.lets_all_go(now);
        if let Some(since) = self.since.take() {
            self.played = self.played.saturating_add(now.0.saturating_sub(since.0).max(0));
        }
    }

    /// What follows from what was counted. Whoever neither killed nor died has that number of kills and deaths.
    pub(super) fn finish(&mut self, damage: bool) {
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
    pub(super) fn only_came_by(&self) -> bool {
        const MOMENT_MS: i64 = 2000;
        !self.is_ghost
            && !self.stayed
            && DemoTime(self.played).ms() <= MOMENT_MS
            && self.counted.is_idle()
            && self.reported.is_empty()
    }

    /// True for one without a name, of whom nothing is told either: there is nobody to count for.
    pub(super) fn is_nobody(&self) -> bool {
        self.who.name_raw.is_empty() && self.counted.is_idle() && self.reported.is_empty()
    }

    /// True for one of whom a whole match shows nothing but the name: never in view, in no death, without a team or a score.
    pub(super) fn only_watched(&self) -> bool {
        let has_score = self.counted.get(Measure::Score).is_some() || !self.reported.is_empty();
        !self.came_into_view && !has_score && self.who.team.is_none() && self.counted.is_idle()
    }
}

/// What follows from what was counted.
pub(super) fn derive(counted: &mut Numbers) {
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
