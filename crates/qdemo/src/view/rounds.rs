//! Rounds that teams have won: their scores, where a match is won by these.

use super::strings::Strings;
use super::track::Values;
use crate::event::{Event, EventKind, Phase, RoundsTable};

/// What is told of rounds won, as KTX tells it behind each one of Clan Arena.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    table: RoundsTable,
    /// In order, with times in milliseconds.
    told: Vec<(i64, Told)>,
}

#[derive(Debug)]
enum Told {
    Level,
    MatchBegins,
    /// A team, in small letters, and how many it has won.
    Won(String, u32),
}

/// The score of a team from a row on.
type ScoreKey = (u32, Option<i64>);

impl Rounds {
    /// In front of the name of a team, in small letters, the name of its score among the values of the world.
    const SCORE: &str = "score_";
    /// More teams have no scores.
    const TEAMS: usize = 64;

    pub(super) fn look(&mut self, event: &Event) {
        let (ms, told) = (event.clock.demo.ms(), &mut self.told);
        match &event.kind {
            EventKind::Level { .. } => told.push((ms, Told::Level)),
            EventKind::Match(Phase::Start) => told.push((ms, Told::MatchBegins)),
            EventKind::Print { text, .. } => self.table.text(text, &mut |team, rounds| {
                told.push((ms, Told::Won(team.to_ascii_lowercase(), rounds)));
            }),
            _ => {}
        }
    }

    /// The scores of teams: from the beginning of the match on, 0 up to the first table.
    pub(super) fn values(&self, rows: &[i64], strings: &mut Strings) -> Vec<Values> {
        let mut teams: Vec<(&str, Vec<ScoreKey>)> = Vec::new();
        let mut begun = None;
        for (ms, told) in &self.told {
            let row = rows.partition_point(|row| row < ms);
            if row == rows.len() {
                continue;
            }
            let row = row as u32;
            let Told::Won(team, rounds) = told else {
                begun = matches!(told, Told::MatchBegins).then_some(row);
                teams.iter_mut().for_each(|(_, keys)| add(keys, (row, None)));
                continue;
            };
            if teams.len() < Self::TEAMS && teams.iter().all(|(name, _)| name != team) {
                teams.push((team, Vec::new()));
            }
            let Some((_, keys)) = teams.iter_mut().find(|(name, _)| name == team) else { continue };
            let is_first = keys.last().is_none_or(|(_, rounds)| rounds.is_none());
            begun.filter(|_| is_first).into_iter().for_each(|begun| add(keys, (begun, Some(0))));
            add(keys, (row, Some(i64::from(*rounds))));
        }
        let values = teams.into_iter().filter(|(_, keys)| keys.iter().any(|(_, score)| score.is_some()));
        let named = |(team, keys)| Values { slot: None, name: strings.number(&format!("{}{team}", Self::SCORE)), keys };
        values.map(named).collect()
    }
}

/// What is told last of a row counts.
fn add(keys: &mut Vec<ScoreKey>, key: ScoreKey) {
    keys.truncate(keys.partition_point(|before| before.0 < key.0));
    if keys.last().and_then(|before| before.1) != key.1 {
        keys.push(key);
    }
}
