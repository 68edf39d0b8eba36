//! What lies where in a recording: levels, matches, pauses, gaps, whose eyes it shows; and who played.

mod duel;
mod players;
mod spans;

use std::io::Read;

use self::players::Players;
pub use self::players::{Presence, ScoreTime};
use self::spans::Spans;
pub use self::spans::{Span, SpanKind};
use crate::demo::Faults;
use crate::error::Result;
use crate::event::{Event, EventKind, Phase};
use crate::limits::Limits;
use crate::replay::{Analyser, Pass, Step, World};
use crate::world::{DemoTime, Scene};

/// What lies where in a recording.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Timeline {
    /// What there is, in order of its beginning.
    pub spans: Vec<Span>,
    /// Who played, by slot.
    pub players: Vec<Presence>,
    /// Length of the recording.
    pub length: DemoTime,
    /// Frames of the server.
    pub frames: u64,
    /// What is wrong with the file; nothing where the timeline comes of a [`Builder`].
    pub faults: Faults,
}

impl Timeline {
    /// A longer time without a frame is a gap. The slowest servers send ten a second.
    pub const GAP: DemoTime = DemoTime(1_000_000);
}

/// Reads a recording once and tells what lies where.
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// let timeline = qdemo::replay::timeline::timeline(demo, "ez-dm.mvd", qdemo::Limits::default())?;
/// assert_eq!(timeline.spans[0].kind.name(), "level");
/// # Ok(()) }
/// ```
pub fn timeline(input: impl Read, name: &str, limits: Limits) -> Result<Timeline> {
    let mut builder = Builder::new();
    let faults = Pass::new(limits).run(input, name, &mut [&mut builder])?;
    Ok(Timeline { faults, ..builder.finish() })
}

/// Finds out what lies where, in a [`Pass`].
#[derive(Debug, Default)]
pub struct Builder {
    spans: Spans,
    players: Players,
    length: DemoTime,
}

impl Analyser for Builder {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        self.players.begin(step);
        // What happens may change what counts of anybody, and so may what is told between frames. Of whom, QuakeWorld notes.
        let is_noted = step.changes().frame || matches!(step.world, World::QuakeWorld(_));
        let is_quiet = step.events.is_empty() && is_noted;
        if !is_quiet {
            self.players.look_at_all();
        }
        // A match that its level ends is over before the next level begins.
        let level = |event: &Event| matches!(event.kind, EventKind::Level { .. });
        let before = step.events.iter().position(level).unwrap_or(step.events.len());
        let (before, behind) = step.events.split_at(if step.changes().level { before } else { 0 });
        let ends = |event: &&Event| matches!(event.kind, EventKind::Match(Phase::End | Phase::GivenUp));
        before.iter().filter(ends).for_each(|event| self.happens(event));
        if !step.is_end() {
            self.chunk(step.world, step.block);
        }
        match is_quiet {
            true => self.players.look_at_told(step.world),
            false => self.players.look_at_all(),
        }
        before.iter().filter(|event| !ends(event)).chain(behind).for_each(|event| self.happens(event));
        if matches!(step.world, World::Dm2(_) | World::Mvd2(_)) {
            step.events.iter().for_each(|event| self.players.duel(event));
        }
        if step.is_end() {
            self.length = step.clock().demo;
            self.spans.cut(step.clock(), step.block);
        }
        Ok(())
    }
}

impl Builder {
    /// At the beginning of a recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// What there is, once the pass is over.
    pub fn finish(self) -> Timeline {
        Timeline {
            frames: self.spans.frames(),
            spans: self.spans.finish(),
            players: self.players.finish(),
            length: self.length,
            faults: Faults::default(),
        }
    }

    fn chunk(&mut self, world: &World, block: u64) {
        if world.changes().level {
            self.players.level(self.spans.is_in_level(), world.clock().demo);
        }
        if let Some(step) = self.spans.chunk(world, block) {
            // Who is there is known, too, where nothing is of entities.
            self.players.meet(world, step, self.spans.frames() == 1);
        }
    }

    /// Where matches begin and end.
    fn happens(&mut self, event: &Event) {
        self.players.give_up(event);
        if let EventKind::Match(phase) = event.kind {
            let turn = self.spans.phase(phase, event);
            self.players.phase(phase, turn, event);
        }
    }
}
