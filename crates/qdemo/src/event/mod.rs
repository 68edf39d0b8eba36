//! What happened: one vocabulary for all games.
//!
//! A [`Detector`] looks at the world after each chunk of a recording and tells the [`Event`]s: who killed whom, who said
//! what, scores, matches, pickups ... Each has its place, its time, where it comes from, and whether it was told or inferred.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, event::{self, EventKind}};
//! let demo: &[u8] = include_bytes!("../../../../testdata/oa-dm4.dm_71");
//! let mut frags = 0;
//! event::events(demo, "oa-dm4.dm_71", Limits::default(), &mut |_, event| {
//!     frags += usize::from(matches!(event.kind, EventKind::Frag(_)));
//!     Ok(())
//! })?;
//! assert!(frags > 0);
//! # Ok(()) }
//! ```

mod certainty;
mod console;
mod dem;
mod dm2;
mod dm3;
mod flags;
mod kind;
mod obituary;
mod quakeworld;
mod roster;

use std::io::Read;
use std::sync::Arc;

use serde::{Serialize, Serializer};

pub use certainty::{Certainty, Reason};
pub(crate) use console::Lines;
pub use kind::{Chat, Damage, EventKind, EventTag, FlagAction, Frag, FragKind, Phase, PlayerRef, Run};
pub use obituary::Patterns;

use crate::demo::Chunk;
use crate::demo::FileKind;
use crate::error::Result;
use crate::faults::Faults;
use crate::limits::Limits;
use crate::replay::{Pass, Step};
use crate::world::{Clock, Scene, World};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Number of the block that tells it, from 0; in `.mvd` of the record.
    pub block: u64,
    /// Offset of that block's messages in the file.
    pub offset: u64,
    /// When it happened.
    #[serde(flatten)]
    pub clock: Clock,
    /// The message that tells it.
    pub source: &'static str,
    /// How it is known.
    #[serde(rename = "inferred", skip_serializing_if = "Certainty::is_stated")]
    pub certainty: Certainty,
    /// What happened.
    #[serde(flatten, serialize_with = "with_tag")]
    pub kind: EventKind,
}

fn with_tag<S: Serializer>(kind: &EventKind, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row<'w> {
        kind: EventTag,
        #[serde(flatten)]
        what: &'w EventKind,
    }
    Row { kind: kind.tag(), what: kind }.serialize(serializer)
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
    pub(crate) fn stated(&mut self, source: &'static str, kind: EventKind) {
        self.at(self.clock, source, Certainty::Stated, kind);
    }

    /// Something that follows from what it says.
    pub(crate) fn inferred(&mut self, source: &'static str, reason: Reason, kind: EventKind) {
        self.at(self.clock, source, Certainty::Inferred(reason), kind);
    }

    /// Something that happened at another time than now.
    pub(crate) fn at(&mut self, clock: Clock, source: &'static str, certainty: Certainty, kind: EventKind) {
        self.push(Event { clock, ..self.event(source, certainty, kind) });
    }

    /// An event of now, to be told later.
    pub(crate) fn event(&self, source: &'static str, certainty: Certainty, kind: EventKind) -> Event {
        Event { block: self.block, offset: self.offset, clock: self.clock, source, certainty, kind }
    }

    /// Tells an event.
    pub(crate) fn push(&mut self, event: Event) {
        self.out.push(event);
    }
}

impl Detector {
    /// A detector at the beginning of a recording.
    pub fn new(kind: FileKind) -> Self {
        Self::build(kind, if is_quake2(kind) { Patterns::shared_quake2() } else { Patterns::shared() })
    }

    /// The same, with texts of deaths that the caller knows beside the built-in ones: Quake, QuakeWorld and Quake II.
    pub fn with_patterns(kind: FileKind, more: Patterns) -> Self {
        let known = if is_quake2(kind) { Patterns::quake2() } else { Patterns::known() };
        Self::build(kind, Arc::new(more.and(known)))
    }

    fn build(kind: FileKind, patterns: Arc<Patterns>) -> Self {
        let games = match kind {
            FileKind::Dm3 => Games::Dm3(Box::default()),
            FileKind::Qwd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns, false))),
            FileKind::Mvd => Games::QuakeWorld(Box::new(quakeworld::Detector::new(patterns, true))),
            FileKind::Dem => Games::Dem(Box::new(dem::Detector::new(patterns))),
            FileKind::Dm2 => Games::Dm2(Box::new(dm2::Detector::new(patterns, false))),
            FileKind::Mvd2 => Games::Dm2(Box::new(dm2::Detector::new(patterns, true))),
            FileKind::Unknown => Games::None,
        };
        Detector { games, out: Vec::new(), block: 0, offset: 0 }
    }

    /// The events of a chunk that `world` has just taken in.
    pub fn step(&mut self, world: &World, chunk: &Chunk<'_>) -> &[Event] {
        self.out.clear();
        if let Some(block) = chunk.block() {
            (self.block, self.offset) = block;
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
fn is_quake2(kind: FileKind) -> bool {
    matches!(kind, FileKind::Dm2 | FileKind::Mvd2)
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
    let mut all = |step: &Step<'_>| step.events.iter().try_for_each(|event| each(step.world, event));
    Pass::new(limits).run(input, name, &mut [&mut all])
}
