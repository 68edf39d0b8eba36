//! What happened: one vocabulary for all games.
//!
//! A [`Detector`](crate::replay::Detector) looks at the world after each chunk of a recording and tells the [`Event`]s:
//! who killed whom, who said what, scores, matches, pickups ... Each has its place, its time, where it comes from, and
//! whether the recording states it or it is inferred.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, event::EventKind, replay};
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let mut frags = 0;
//! replay::events(demo, "oa-dm4.dm_71", Limits::default(), &mut |event| {
//!     frags += usize::from(matches!(event.kind, EventKind::Frag(_)));
//!     Ok(())
//! })?;
//! assert!(frags > 0);
//! # Ok(()) }
//! ```

mod certainty;
pub(crate) mod commands;
pub(crate) mod console;
pub(crate) mod flags;
mod kind;
mod last_run;
mod matches;
pub(crate) mod obituary;
pub(crate) mod roster;
mod won;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

pub use certainty::{Certainty, Reason};
pub(crate) use console::Lines;
pub use kind::{Chat, Damage, EventKind, EventTag, FlagAction, Frag, FragKind, Phase, PlayerRef, Run};
pub(crate) use last_run::LastRun;
pub use matches::{Match, RoundsWon};
pub(crate) use matches::{Matches, RoundsTable, Turn, When};
pub use obituary::Patterns;
pub(crate) use won::Won;

use crate::world::Clock;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
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
    /// How it is known, where the recording does not say so itself.
    #[serde(rename = "inferred", skip_serializing_if = "Certainty::is_stated")]
    #[schemars(with = "Reason")]
    pub certainty: Certainty,
    /// What happened.
    #[serde(flatten, serialize_with = "with_tag")]
    #[schemars(with = "Tagged")]
    pub kind: EventKind,
}

impl Event {
    /// False for the beginning of a match that was under way before the recording was.
    pub(crate) fn is_begun(&self) -> bool {
        self.certainty != Certainty::Inferred(Reason::Underway)
    }
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

/// In a schema: what happened, with its kind.
struct Tagged;

impl JsonSchema for Tagged {
    fn schema_name() -> Cow<'static, str> {
        EventKind::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = EventTag::ALL.iter().map(|tag| tag.name());
        crate::json::tagged(EventKind::json_schema(generator), "kind", kinds)
    }
}

/// A text that people type, for people: without the line end that mods put behind some, and without control characters,
/// such as the carriage return with which players of QuakeWorld hide what stands in front. One within the text that parts words
/// becomes a blank.
pub(crate) fn one_line(text: &str) -> String {
    let ends = |c: char| c.is_control();
    let parts = |c| matches!(c, '\n' | '\r' | '\t');
    let text = text.trim_matches(ends).chars();
    text.filter(|c| !ends(*c) || parts(*c)).map(|c| if parts(c) { ' ' } else { c }).collect()
}

/// Where events of one chunk go.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<Event>,
    block: u64,
    offset: u64,
    /// The time.
    pub(crate) clock: Clock,
}

impl<'a> Sink<'a> {
    /// For the events that a block tells: its number, and where it begins in the file.
    pub(crate) fn new(out: &'a mut Vec<Event>, (block, offset): (u64, u64), clock: Clock) -> Self {
        Sink { out, block, offset, clock }
    }

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
