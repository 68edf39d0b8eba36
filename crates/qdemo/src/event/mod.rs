//! What happened: one vocabulary for all games.
//!
//! A [`Detector`] looks at the world after each chunk of a recording and tells the [`Event`]s: who killed whom, who said
//! what, scores, matches, pickups ... Each has its place, its time, where it comes from, and whether it was told or inferred.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, event::{self, What}};
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let mut frags = 0;
//! event::events(demo, "oa-dm4.dm_71", Limits::default(), &mut |_, event| {
//!     frags += usize::from(matches!(event.what, What::Frag(_)));
//!     Ok(())
//! })?;
//! assert!(frags > 0);
//! # Ok(()) }
//! ```

mod console;
mod dem;
mod dm2;
mod dm3;
mod flags;
mod json;
mod obituary;
mod quakeworld;
mod roster;
mod what;

use std::io::Read;
use std::sync::Arc;

pub(crate) use console::Lines;
pub use obituary::Patterns;
pub(crate) use what::kinds;
pub use what::{Action, Chat, Damage, Frag, FragKind, Kind, Phase, Run, What, Who};

use crate::detect::Format;
use crate::error::Result;
use crate::faults::Faults;
use crate::limits::Limits;
use crate::stream::{Chunk, Reader};
use crate::world::{Clock, Scene, World};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Number of the block that tells it, from 0; in `.mvd` of the record.
    pub block: u64,
    /// Offset of that block's messages in the file.
    pub offset: u64,
    /// When it happened.
    pub clock: Clock,
    /// The message that tells it.
    pub source: &'static str,
    /// How it is known.
    pub sure: Sure,
    /// What happened.
    pub what: What,
}

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// The recording says so.
    Told,
    /// It follows from what the recording says; this is how.
    Inferred(&'static str),
}

/// Tells events, chunk by chunk.
#[derive(Debug)]
pub struct Detector {
    games: Games,
    out: Vec<Event>,
    /// The last block.
    block: u64,
    offset: u64,
}

#[derive(Debug)]
enum Games {
    Dm3(Box<dm3::Detector>),
    QuakeWorld(Box<quakeworld::Detector>),
    Dem(Box<dem::Detector>),
    Dm2(Box<dm2::Detector>),
    None,
}

/// Where events of one chunk go.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<Event>,
    block: u64,
    offset: u64,
    clock: Clock,
}

impl Sink<'_> {
    /// Something that the recording says.
    pub(crate) fn told(&mut self, source: &'static str, what: What) {
        self.at(self.clock, source, Sure::Told, what);
    }

    /// Something that follows from what it says.
    pub(crate) fn inferred(&mut self, source: &'static str, how: &'static str, what: What) {
        self.at(self.clock, source, Sure::Inferred(how), what);
    }

    /// Something that happened at another time than now.
    pub(crate) fn at(&mut self, clock: Clock, source: &'static str, sure: Sure, what: What) {
        self.push(Event { clock, ..self.event(source, sure, what) });
    }

    /// An event of now, to be told later.
    pub(crate) fn event(&self, source: &'static str, sure: Sure, what: What) -> Event {
        Event { block: self.block, offset: self.offset, clock: self.clock, source, sure, what }
    }

    /// Tells an event.
    pub(crate) fn push(&mut self, event: Event) {
        self.out.push(event);
    }
}

impl Detector {
    /// A detector at the beginning of a recording.
    pub fn new(format: Format) -> Self {
        Self::build(format, if is_quake2(format) { Patterns::shared_quake2() } else { Patterns::shared() })
    }

    /// The same, with texts of deaths that the caller knows beside the built-in ones: Quake, QuakeWorld and Quake II.
    pub fn with_patterns(format: Format, more: Patterns) -> Self {
        let known = if is_quake2(format) { Patterns::quake2() } else { Patterns::known() };
        Self::build(format, Arc::new(more.and(known)))
    }

    fn build(format: Format, patterns: Arc<Patterns>) -> Self {
        let games = match format {
            Format::Dm3(_) => Games::Dm3(Box::default()),
            Format::Qwd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns, false))),
            Format::Mvd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns, true))),
            Format::Dem => Games::Dem(Box::new(dem::Detector::new(patterns))),
            Format::Dm2 => Games::Dm2(Box::new(dm2::Detector::new(patterns, false))),
            Format::Mvd2 => Games::Dm2(Box::new(dm2::Detector::new(patterns, true))),
            Format::Unknown => Games::None,
        };
        Detector { games, out: Vec::new(), block: 0, offset: 0 }
    }

    /// The events of a chunk that `world` has just taken in.
    pub fn step(&mut self, world: &World, chunk: &Chunk<'_>) -> &[Event] {
        self.out.clear();
        if let Some(block) = chunk.block_number() {
            (self.block, self.offset) = (block, chunk.payload_offset());
        }
        let mut sink = Sink { out: &mut self.out, block: self.block, offset: self.offset, clock: world.clock() };
        match (&mut self.games, world) {
            (Games::Dm3(detector), World::Dm3(world)) => detector.step(world, &mut sink),
            (Games::QuakeWorld(detector), World::QuakeWorld(world)) => detector.step(world, &mut sink),
            (Games::Dem(detector), World::Dem(world)) => detector.step(world, &mut sink),
            (Games::Dm2(detector), World::Dm2(world)) => detector.step(world, &mut sink),
            (Games::Dm2(detector), World::Mvd2(world)) => detector.step(world.game(), &mut sink),
            _ => {}
        }
        &self.out
    }

    /// The events that only the end of a recording tells, such as that of a match that goes on.
    pub fn finish(&mut self, world: &World) -> &[Event] {
        self.out.clear();
        let mut sink = Sink { out: &mut self.out, block: self.block, offset: self.offset, clock: world.clock() };
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

/// True for formats whose deaths have texts of Quake II.
fn is_quake2(format: Format) -> bool {
    matches!(format, Format::Dm2 | Format::Mvd2)
}

/// Reads a recording once and hands out its events, with the world as it is then. Gives what is wrong with the file.
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give.
pub fn events(
    input: impl Read,
    name: &str,
    limits: Limits,
    each: &mut impl FnMut(&World, &Event) -> Result<()>,
) -> Result<Faults> {
    let all = Options::default();
    each_step(input, name, limits, &all, &mut |world, events| events.iter().try_for_each(|event| each(world, event)))
}

/// What is wanted of a recording.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Texts of deaths to know beside the built-in ones.
    pub deaths: Option<Patterns>,
    /// Kinds that are wanted; empty: all. Others may come too, but work that only they need is left out.
    pub kinds: Vec<Kind>,
}

impl Options {
    /// True when texts alone tell what is wanted.
    fn only_texts(&self) -> bool {
        !self.kinds.is_empty() && self.kinds.iter().all(|kind| matches!(kind, Kind::Chat | Kind::Print | Kind::Center))
    }
}

/// The same step by step: the events of each chunk, and at last those that only the end tells.
///
/// # Errors
/// As [`events`].
pub fn each_step(
    input: impl Read,
    name: &str,
    limits: Limits,
    options: &Options,
    each: &mut impl FnMut(&World, &[Event]) -> Result<()>,
) -> Result<Faults> {
    let mut chunks = Reader::new(input, name, limits)?;
    let detected = chunks.detected().clone();
    let mut world = World::of(&detected, name)?;
    if options.only_texts() {
        world.only_texts();
    }
    let mut detector = match &options.deaths {
        Some(more) => Detector::with_patterns(detected.format, more.clone()),
        None => Detector::new(detected.format),
    };
    let mut faults = Faults::default();
    while let Some(chunk) = chunks.next_chunk()? {
        let broken = world.fold(&chunk);
        if let Some(broken) = broken {
            faults.at(world.clock().now);
            faults.add(name, broken);
        }
        each(&world, detector.step(&world, &chunk))?;
    }
    each(&world, detector.finish(&world))?;
    Ok(faults)
}
