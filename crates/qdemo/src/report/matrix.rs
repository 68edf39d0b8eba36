//! Who killed whom, and how often.

use crate::analysis::stats::Period;
use crate::view::{Mark, MarkKind, Who};

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
    pub(super) fn new(period: &Period, marks: &[Mark]) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut seat = |name: &str| {
            let known = names.iter().position(|it| it == name);
            known.or_else(|| {
                names.push(name.to_owned());
                (names.len() <= MOST).then_some(names.len() - 1)
            })
        };
        period.players.iter().for_each(|player| {
            seat(&player.who.name);
        });
        let frag = |mark: &Mark| match &mark.kind {
            MarkKind::Frag { attacker, victim, .. } => Some((attacker.clone(), victim.clone())),
            _ => None,
        };
        let frags: Vec<(Option<Who>, Who)> = marks.iter().filter_map(frag).collect();
        let seated: Vec<_> = frags
            .iter()
            .filter_map(|(attacker, victim)| {
                let by = match attacker {
                    Some(who) => Some(seat(&who.name)?),
                    None => None,
                };
                Some((by, seat(&victim.name)?))
            })
            .collect();
        names.truncate(MOST);
        let mut times = vec![vec![0_u32; names.len()]; names.len() + 1];
        for (by, victim) in seated {
            let row = by.unwrap_or(names.len());
            if let Some(count) = times.get_mut(row).and_then(|row| row.get_mut(victim)) {
                *count += 1;
            }
        }
        // Who neither killed nor died tells nothing.
        let idle = |n: usize| times[n].iter().all(|count| *count == 0) && times.iter().all(|row| row[n] == 0);
        let used: Vec<usize> = (0..names.len()).filter(|n| !idle(*n)).collect();
        let world = names.len();
        let row = |n: usize| used.iter().map(|at| times[n][*at]).collect();
        let counts = used.iter().copied().chain([world]).map(row).collect();
        Matrix { names: used.iter().map(|n| names[*n].clone()).collect(), counts }
    }
}
