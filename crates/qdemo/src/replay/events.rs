//! What happened in a recording of whichever game.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

use super::World;
use super::pass::{Analyser, Pass, Step};
use crate::demo::{Chunk, Faults, FileKind};
use crate::error::Result;
use crate::event::{Event, Patterns, Sink};
use crate::game::{quake, quake2, quake3, quakeworld};
use crate::limits::Limits;
use crate::world::{DemoTime, Scene};

/// Tells events, chunk by chunk.
#[derive(Debug)]
pub struct Detector {
    games: Games,
    out: Vec<Event>,
    /// The last block: its number, and where it begins.
    block: (u64, u64),
    settled: DemoTime,
}

#[derive(Debug)]
enum Games {
    Dm3(Box<quake3::Detector>),
    QuakeWorld(Box<quakeworld::Detector>),
    Dem(Box<quake::Detector>),
    Dm2(Box<quake2::Detector>),
    None,
}

impl Detector {
    /// A detector at the beginning of a recording.
    pub fn new(kind: FileKind) -> Self {
        Self::build(kind, None)
    }

    /// The same, with texts of deaths that the caller knows beside the built-in ones: Quake, QuakeWorld and Quake II.
    pub fn with_patterns(kind: FileKind, more: Patterns) -> Self {
        Self::build(kind, Some(more))
    }

    fn build(kind: FileKind, more: Option<Patterns>) -> Self {
        let patterns =
            |more: Option<Patterns>| more.map_or_else(Patterns::shared, |more| Arc::new(more.and(Patterns::known())));
        let games = match kind {
            FileKind::Dm3 => Games::Dm3(Box::default()),
            FileKind::Qwd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns(more), false))),
            FileKind::Mvd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns(more), true))),
            FileKind::Dem => Games::Dem(Box::new(quake::Detector::new(patterns(more)))),
            FileKind::Dm2 => Games::Dm2(Box::new(quake2::Detector::new(more.unwrap_or_default(), false))),
            FileKind::Mvd2 => Games::Dm2(Box::new(quake2::Detector::new(more.unwrap_or_default(), true))),
            FileKind::Unknown => Games::None,
        };
        Detector { games, out: Vec::new(), block: (0, 0), settled: DemoTime(0) }
    }

    /// What the last step told.
    pub fn events(&self) -> &[Event] {
        &self.out
    }

    /// All that happened before then has been told: what the next chunks tell is of that time, or later.
    pub fn settled(&self) -> DemoTime {
        self.settled
    }

    /// The events of a chunk that `world` has just taken in.
    pub fn step(&mut self, world: &World, chunk: &Chunk<'_>) -> &[Event] {
        self.out.clear();
        if let Some(block) = chunk.block() {
            self.block = block;
        }
        let mut sink = Sink::new(&mut self.out, self.block, world.clock());
        match (&mut self.games, world) {
            (Games::Dm3(detector), World::Dm3(world)) => detector.step(world, &mut sink),
            (Games::QuakeWorld(detector), World::QuakeWorld(world)) => detector.step(world, &mut sink),
            (Games::Dem(detector), World::Dem(world)) => detector.step(world, &mut sink),
            (Games::Dm2(detector), World::Dm2(world)) => detector.step(world, &mut sink),
            (Games::Dm2(detector), World::Mvd2(world)) => detector.step(world.game(), &mut sink),
            _ => {}
        }
        let open = match &self.games {
            Games::Dm3(detector) => detector.open_since(),
            Games::QuakeWorld(detector) => detector.open_since(),
            _ => None,
        };
        let now = world.clock().demo;
        self.settled = open.map_or(now, |open| open.min(now));
        &self.out
    }

    /// The events that only the end of a recording tells, such as that of a match that goes on.
    pub fn finish(&mut self, world: &World) -> &[Event] {
        self.out.clear();
        let mut sink = Sink::new(&mut self.out, self.block, world.clock());
        match (&mut self.games, world) {
            (Games::Dm3(detector), _) => detector.finish(&mut sink),
            (Games::QuakeWorld(detector), World::QuakeWorld(world)) => detector.finish(world, &mut sink),
            (Games::Dem(detector), World::Dem(world)) => detector.finish(world, &mut sink),
            (Games::Dm2(detector), World::Dm2(world)) => detector.finish(world, &mut sink),
            (Games::Dm2(detector), World::Mvd2(world)) => detector.finish(world.game(), &mut sink),
            _ => {}
        }
        &self.out
    }
}

/// Reads a recording once and hands out its events, in the order of their times. Gives what is wrong with the file.
///
/// For events beside the world in which they happen there is [`Pass`].
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give.
pub fn events(
    input: impl Read,
    name: &str,
    limits: Limits,
    each: &mut impl FnMut(&Event) -> Result<()>,
) -> Result<Faults> {
    Pass::new(limits).run(input, name, &mut [&mut InOrder::new(each)])
}

/// Hands out events in the order of their times, in a [`Pass`].
///
/// Some things are known only later than they happened: that a match began is told once it is clear that it does not
/// begin anew at once, and that a flag is gone once no text has told where. What happened in between waits here, for
/// seconds.
#[derive(Debug)]
pub struct InOrder<F> {
    waiting: Waiting,
    each: F,
}

impl<F: FnMut(&Event) -> Result<()>> InOrder<F> {
    /// Hands events to `each`.
    pub fn new(each: F) -> Self {
        InOrder { waiting: Waiting::default(), each }
    }
}

impl<F: FnMut(&Event) -> Result<()>> Analyser for InOrder<F> {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        self.waiting.take_in(step, &mut self.each)
    }
}

/// Events that wait until all of their time are told.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// In the order of their times.
    events: VecDeque<Event>,
    last: DemoTime,
}

impl Waiting {
    /// Takes in those of a step, and hands out the ones that need not wait any more.
    pub(crate) fn take_in(&mut self, step: &Step<'_>, each: &mut dyn FnMut(&Event) -> Result<()>) -> Result<()> {
        for event in step.events {
            // Most are later than all that wait.
            let at = self.events.partition_point(|other| other.clock.demo <= event.clock.demo);
            self.events.insert(at, event.clone());
        }
        let ready = |event: &Event| step.is_end() || event.clock.demo <= step.settled;
        while self.events.front().is_some_and(ready) {
            let Some(mut event) = self.events.pop_front() else { break };
            // Whatever a hostile file makes of its clocks: time does not run backwards.
            self.last = self.last.max(event.clock.demo);
            event.clock.demo = self.last;
            each(&event)?;
        }
        Ok(())
    }
}
