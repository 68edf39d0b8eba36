//! Two recordings of QuakeWorld on one clock: clients are not told the server's, but both see the same players go the same
//! way, and both are told the same texts.

use std::collections::HashMap;

use super::Input;
use super::account::Aligned;
use super::survey::{LevelId, quakeworld_level};
use crate::demo::Chunk;
use crate::error::Result;
use crate::frame;
use crate::game::quakeworld::World as QuakeWorld;
use crate::limits::Limits;
use crate::merge::open;
use crate::replay::World;
use crate::world::{Scene, TextKind};

/// What can be seen or told once: a player at a place that is not the one before, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Mark {
    /// In whole units, as recordings differ in how fine they tell places.
    Place(LevelId, u8, [i32; 3]),
    Text(LevelId, Vec<u8>),
}

/// When each was: those that came again are none.
pub(super) struct Marks(HashMap<Mark, Option<i64>>);

/// Fewer places than these may be chance.
const ENOUGH: usize = 8;
/// A single one says nothing of times: servers tell some of the same texts in every match.
const LEAST: usize = 2;

impl Marks {
    pub(super) fn of(input: &Input<'_>, limits: Limits) -> Result<Self> {
        let mut reader = open(input, limits)?;
        let mut world = World::of(reader.detected(), input.name)?;
        let mut marks = Marks(HashMap::new());
        let mut last: [Option<[i32; 3]>; QuakeWorld::SLOTS] = [None; QuakeWorld::SLOTS];
        while let Some(chunk) = reader.next_chunk().map_err(|e| e.in_file(input.name))? {
            world.apply(&chunk);
            let (Chunk::Qwd(frame::Chunk::Block(_)), World::QuakeWorld(game)) = (&chunk, &world) else { continue };
            let (Some(level), at) = (quakeworld_level(game), world.clock().demo.ms()) else { continue };
            for (kind, text, _) in world.changes().texts() {
                if matches!(kind, TextKind::Print(_)) && text.len() > 3 {
                    marks.put(Mark::Text(level.clone(), text.to_vec()), at);
                }
            }
            if !world.changes().frame {
                continue;
            }
            for (slot, last) in (0..).zip(&mut last) {
                let state = game.slot(slot.into()).and_then(|it| it.state).filter(|_| game.is_in_view(slot.into()));
                let place = state.and_then(|state| state.origin()).map(|origin| origin.map(|v| v.round() as i32));
                // Who stands still is at the same place at many times.
                if let Some(place) = place.filter(|place| last.is_some_and(|last| last != *place)) {
                    marks.put(Mark::Place(level.clone(), slot, place), at);
                }
                *last = place;
            }
        }
        Ok(marks)
    }

    fn put(&mut self, mark: Mark, at: i64) {
        self.0.entry(mark).and_modify(|at| *at = None).or_insert(Some(at));
    }

    /// How much has to be added to the times of `other` for these: by what it was found, the number of ms, how many marks both
    /// have, and within how many ms half of them lie. `None` where both have too little in common.
    pub(super) fn offset(&self, other: &Marks) -> Option<(Aligned, i64, u64, i64)> {
        let differences = |places: bool| {
            let theirs = other.0.iter().filter(|(mark, _)| matches!(mark, Mark::Place(..)) == places);
            let mut all: Vec<i64> =
                theirs.filter_map(|(mark, at)| Some((*self.0.get(mark)?)?.saturating_sub((*at)?))).collect();
            all.sort_unstable();
            all
        };
        let (mut by, mut all) = (Aligned::Places, differences(true));
        if all.len() < ENOUGH {
            let texts = differences(false);
            if texts.len() > all.len() {
                (by, all) = (Aligned::Texts, texts);
            }
        }
        if all.len() < LEAST {
            return None;
        }
        let median = *all.get(all.len() / 2)?;
        let mut away: Vec<i64> = all.iter().map(|difference| (difference - median).abs()).collect();
        away.sort_unstable();
        let spread = away.get(away.len() / 2).copied().unwrap_or(0);
        Some((by, median, all.len() as u64, spread))
    }
}
