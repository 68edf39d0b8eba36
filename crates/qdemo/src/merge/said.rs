//! What only others were told.

use std::cmp::Reverse;

use super::survey::{LevelId, Said, Survey};

/// What only others were told and the output has not told yet.
#[derive(Debug)]
pub(super) struct Unsaid {
    /// With the number of the input; the last one first.
    said: Vec<(usize, Said)>,
}

impl Unsaid {
    /// What was said in the recordings behind the first one while that was made and not in that, each once, on the clock of the
    /// first one: `offsets` are added to those of the others.
    pub(super) fn new(surveys: &[Survey], offsets: &[i64]) -> Self {
        let mut said: Vec<(usize, Said)> = Vec::new();
        let Some(first) = surveys.first() else { return Unsaid { said } };
        for ((nth, survey), offset) in surveys.iter().enumerate().zip(offsets).skip(1) {
            let known: Vec<_> = said.iter().map(|(_, said)| said.clone()).collect();
            let alone = survey.said_here_alone(first, *offset).into_iter();
            said.extend(alone.filter(|said| !known.iter().any(|known| known.is_same(said))).map(|said| (nth, said)));
        }
        let order = |level: &LevelId| first.levels.iter().position(|known| known == level);
        said.sort_by_key(|(_, said)| Reverse((order(&said.level), said.at)));
        Unsaid { said }
    }

    /// True when something is due at a moment of a level.
    pub(super) fn is_due(&self, level: &LevelId, at: i64) -> bool {
        self.said.last().is_some_and(|(_, said)| said.level == *level && said.at <= at)
    }

    /// What is due, with the number of the input that has it.
    pub(super) fn take(&mut self, level: &LevelId, at: i64) -> Option<(usize, Said)> {
        if self.is_due(level, at) { self.said.pop() } else { None }
    }
}
