//! Who killed whom, and how often.

use crate::analysis::stats::Period;

/// More players are left out: nobody reads such a table.
const MOST: usize = 40;

/// Who killed whom.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Matrix {
    /// Those who killed or died, those with the best scores first.
    pub(super) names: Vec<String>,
    /// How often each of them was killed by each, and behind them by the world.
    pub(super) counts: Vec<Vec<u32>>,
}

impl Matrix {
    pub(super) fn new(period: &Period) -> Self {
        // Who neither killed nor died tells nothing.
        let killed = |number| period.players.iter().any(|victim| victim.killed_by.contains_key(&Some(number)));
        let known = period.players.iter().filter(|player| !player.killed_by.is_empty() || killed(player.number));
        let players: Vec<_> = known.take(MOST).collect();
        let row = |by: Option<usize>| players.iter().map(|it| it.killed_by.get(&by).copied().unwrap_or(0)).collect();
        let rows = players.iter().map(|player| Some(player.number)).chain([None]);
        Matrix {
            names: players.iter().map(|player| player.who.name.clone()).collect(),
            counts: rows.map(row).collect(),
        }
    }
}
