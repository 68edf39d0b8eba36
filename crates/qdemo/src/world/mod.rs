//! The world at any moment: messages are differences, and this is their sum.
//!
//! A [`World`] takes in a recording chunk by chunk and knows what is where after each: players, entities, tables, the
//! clock. [`Scene`] asks the same questions of all games; the state of each game is underneath ([`dem::World`] ...).
//! [`Seeker`] goes to any time of a recording.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, Reader, world::{Scene, World}};
//! let demo: &[u8] = include_bytes!("../../../../testdata/ez-dm.mvd");
//! let mut reader = Reader::new(demo, "ez-dm.mvd", Limits::default())?;
//! let mut world = World::new(reader.detected()).expect("a format with a world");
//! while let Some(chunk) = reader.next_chunk()? {
//!     world.fold(&chunk);
//! }
//! assert_eq!(world.level().map, b"lqdm13");
//! # Ok(()) }
//! ```

mod changes;
mod clock;
pub mod dem;
pub mod dm2;
pub mod dm3;
pub mod mvd2;
mod pairs;
mod quake_items;
pub mod quakeworld;
mod scene;
mod seek;
mod split;

use serde_json::{Map, Value};

use pairs::pairs;

pub(crate) use changes::Hurt;
pub use changes::{Changes, Said, Sound};
pub use clock::{Clock, ClockKind, DemoTime};
pub(crate) use quake_items::item_of;
pub use scene::{Charset, Entity, Level, Player, Scene, View};
pub use seek::{Seeker, at};

use crate::Error;
use crate::demo::Chunk;
use crate::demo::FileKind;
use crate::demo::detect::Detected;
use crate::describe::{Body, ByteWire, State};
use crate::error::{Kind, Result};
use crate::format::Format;
use crate::format::dm3::Dm3;
use crate::frame::Diagnostic;
use crate::wire::ByteWriter;

/// What has a short form and one for what that has no room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShortOrLong<Short, Long> {
    /// The usual form.
    Short(Short),
    /// The one with more room.
    Long(Long),
}

impl<Short, Long> ShortOrLong<Short, Long> {
    /// The message that tells a state alone: the long one only where the short one does not tell all of it.
    fn of<S, W: ByteWire>(state: &S, d: &W::Dialect) -> Self
    where
        S: State<Short, W::Dialect> + State<Long, W::Dialect>,
        Short: for<'a> Body<'a, W>,
    {
        let short: Short = S::diff(&S::ZERO, state, d);
        match short.write(0, &mut ByteWriter::default(), d).is_ok() && S::of(&short, d) == *state {
            true => ShortOrLong::Short(short),
            false => ShortOrLong::Long(S::diff(&S::ZERO, state, d)),
        }
    }
}

/// A struct whose `clone_from` uses the memory of what it replaces again, field by field: seeks do so.
macro_rules! cloned_in_place {
    ($(#[$meta:meta])* $vis:vis struct $ty:ident { $($(#[$of:meta])* $inside:vis $field:ident: $fty:ty,)* }) => {
        $(#[$meta])*
        $vis struct $ty {
            $($(#[$of])* $inside $field: $fty,)*
        }

        impl Clone for $ty {
            fn clone(&self) -> Self {
                $ty { $($field: self.$field.clone(),)* }
            }
            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)*
            }
        }
    };
}
pub(crate) use cloned_in_place;

macro_rules! worlds {
    ($($(#[$doc:meta])* $variant:ident($world:ty),)*) => {
        /// The world of one recording, whatever its game. A clone is a keyframe.
        #[derive(Debug)]
        pub enum World {
            $($(#[$doc])* $variant(Box<$world>),)*
        }

        impl Clone for World {
            fn clone(&self) -> Self {
                match self { $(World::$variant(world) => World::$variant(world.clone()),)* }
            }
            fn clone_from(&mut self, from: &Self) {
                match (self, from) {
                    $((World::$variant(world), World::$variant(from)) => world.clone_from(from),)*
                    (to, _) => *to = from.clone(),
                }
            }
        }

        /// Asks the world of whichever game it is.
        macro_rules! ask {
            ($it:expr, $world_name:ident => $answer:expr) => {
                match $it { $(World::$variant($world_name) => $answer,)* }
            };
        }
    };
}

worlds! {
    /// Quake.
    Dem(dem::World),
    /// QuakeWorld, `.qwd` and `.mvd`.
    QuakeWorld(quakeworld::World),
    /// Quake II.
    Dm2(dm2::World),
    /// Quake II, multi-view.
    Mvd2(mvd2::World),
    /// Quake III.
    Dm3(dm3::World),
}

impl World {
    /// The world before anything happened in a recording; `None` for a file that is no recording.
    pub fn new(detected: &Detected) -> Option<World> {
        Some(match detected.kind {
            FileKind::Dem => World::Dem(Box::default()),
            FileKind::Qwd => World::QuakeWorld(Box::new(quakeworld::World::new(false))),
            FileKind::Mvd => World::QuakeWorld(Box::new(quakeworld::World::new(true))),
            FileKind::Dm2 => World::Dm2(Box::default()),
            FileKind::Dm3 => World::Dm3(Box::new(dm3::World::new(Dm3::first_dialect(detected.protocol)))),
            FileKind::Mvd2 => World::Mvd2(Box::default()),
            FileKind::Unknown => return None,
        })
    }

    /// [`World::new`] for a file that was looked at.
    ///
    /// # Errors
    /// A file that is no recording.
    pub fn of(detected: &Detected, file: &str) -> Result<World> {
        World::new(detected).ok_or_else(|| Error::new(Kind::NotADemo(detected.reason.clone())).in_file(file))
    }

    /// Takes in the next chunk: [`Scene::changes`] tells what it changed. Gives the fault in it; what stands in front
    /// of a fault is taken in.
    pub fn fold(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        match (self, chunk) {
            (World::Dem(world), Chunk::Dem(chunk)) => world.fold(chunk),
            (World::QuakeWorld(world), Chunk::Qwd(chunk)) => world.fold_packet(chunk),
            (World::QuakeWorld(world), Chunk::Mvd(chunk)) => world.fold_record(chunk),
            (World::Dm2(world), Chunk::Dm2(chunk)) => world.fold(chunk),
            (World::Mvd2(world), Chunk::Mvd2(chunk)) => world.fold(chunk),
            (World::Dm3(world), Chunk::Dm3(chunk)) => world.fold(chunk),
            // Reader of another recording say nothing about this one.
            _ => None,
        }
    }

    /// A copy to be kept, as small as can be.
    fn keyframe(&self) -> World {
        let mut copy = self.clone();
        if let World::Dm3(world) = &mut copy {
            world.shrink();
        }
        copy
    }

    /// From here on what players and entities do is left out, for those who want texts, settings and clocks only: that
    /// is much faster. [`Changes::frame`] stays false where a frame is made of what is left out.
    pub fn only_texts(&mut self) {
        ask!(self, world => world.only_texts());
    }

    /// True for a game of teams, where the recording tells.
    pub fn in_teams(&self) -> bool {
        match self {
            World::QuakeWorld(world) => world.in_teams(),
            World::Dm3(world) => world.in_teams(),
            World::Dem(_) | World::Dm2(_) | World::Mvd2(_) => false,
        }
    }

    /// The whole world as JSON, with the keys that `qdemo state --json` documents.
    pub fn to_json(&self) -> Map<String, Value> {
        ask!(self, world => scene::to_json(&**world))
    }
}

impl Scene for World {
    fn clock(&self) -> Clock {
        ask!(self, world => world.clock())
    }
    fn charset(&self) -> Charset {
        ask!(self, world => world.charset())
    }
    fn level(&self) -> Level<'_> {
        ask!(self, world => world.level())
    }
    fn recorder(&self) -> Option<usize> {
        ask!(self, world => world.recorder())
    }
    fn view(&self) -> Option<View> {
        ask!(self, world => world.view())
    }
    fn changes(&self) -> &Changes {
        ask!(self, world => world.changes())
    }
    fn is_complete(&self) -> bool {
        ask!(self, world => world.is_complete())
    }
    fn is_paused(&self) -> bool {
        ask!(self, world => world.is_paused())
    }
    fn player_slots(&self) -> usize {
        ask!(self, world => world.player_slots())
    }
    fn player(&self, slot: usize) -> Option<Player<'_>> {
        ask!(self, world => world.player(slot))
    }
    fn carried(&self, slot: usize, each: &mut dyn FnMut(&str, i64)) {
        ask!(self, world => world.carried(slot, each))
    }
    fn entity_slots(&self) -> usize {
        ask!(self, world => world.entity_slots())
    }
    fn entity(&self, number: usize) -> Option<Entity<'_>> {
        ask!(self, world => world.entity(number))
    }
    fn sound_name(&self, sound: u16) -> Option<&[u8]> {
        ask!(self, world => world.sound_name(sound))
    }
    fn own(&self) -> Map<String, Value> {
        ask!(self, world => world.own())
    }
}
