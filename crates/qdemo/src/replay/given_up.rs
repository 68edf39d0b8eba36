//! Matches that somebody gave up.

use super::World;
use crate::event::{Event, EventKind, Phase, PlayerRef};
use crate::game::quake3::game_types::WITHOUT_SIDES;
use crate::world::Scene;

/// True for scores of two sides that say that one of them is there no longer. Where any number play for themselves there is no
/// second score while one player is alone (`CalculateRanks`), who may be the first to come.
pub(crate) fn has_left(sides: [Option<i32>; 2], world: &World) -> bool {
    sides.contains(&None) && !world.rules().game_type.as_deref().is_some_and(|kind| WITHOUT_SIDES.contains(&kind))
}

/// Knows when a side of a match gave up, or left. From then on what states say of scores is not what was reached: whoever
/// goes has none any more, and whoever comes back begins anew. Scoreboards tell what it was.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GivenUp {
    /// A match goes on.
    plays: bool,
    is_given_up: bool,
}

impl GivenUp {
    /// Takes in an event: those of a chunk in front of the state that it leads to.
    pub(crate) fn take(&mut self, event: &Event, world: &World) {
        match &event.kind {
            EventKind::Scores(sides) => self.is_given_up |= self.plays && has_left(*sides, world),
            EventKind::Match(Phase::Start) => *self = GivenUp { plays: true, is_given_up: false },
            EventKind::Match(Phase::End | Phase::GivenUp) => self.plays = false,
            EventKind::Level { .. } => *self = GivenUp::default(),
            _ => {}
        }
    }

    /// True from then on, up to the next match.
    pub(crate) fn is_on(&self) -> bool {
        self.is_given_up
    }

    /// The score that an event tells, if it is to be believed.
    pub(crate) fn score<'e>(&self, event: &'e Event) -> Option<(&'e PlayerRef, i32)> {
        match &event.kind {
            EventKind::Score { player, to, .. } if !self.is_given_up || event.source == "serverCommand" => {
                Some((player, *to))
            }
            _ => None,
        }
    }
}
