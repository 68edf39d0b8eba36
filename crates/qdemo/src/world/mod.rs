//! What is asked of the world of a recording at any moment, in one vocabulary for all games.
//!
//! [`Scene`] asks for the level, players, entities and the clock, and [`Changes`] tells what the last messages changed.
//! The worlds themselves are those of the [games](crate::game), and [`World`](crate::replay::World) is any of them.
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, Reader, replay::World, world::Scene};
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let mut reader = Reader::new(demo, "ez-dm.mvd", Limits::default())?;
//! let mut world = World::new(reader.detected()).expect("a format with a world");
//! while let Some(chunk) = reader.next_chunk()? {
//!     world.apply(&chunk);
//! }
//! assert_eq!(world.level().map, b"lqdm13");
//! # Ok(()) }
//! ```

mod changes;
mod clock;
mod input;
mod levels;
mod rules;
mod scene;
mod shot;

pub(crate) use changes::{Beam, DamageMessage, GOLDEN, MuzzleFlash, SAID, Told};
pub use changes::{Changes, Sound, StringKind, TextKind, TextTag};
pub use clock::{Clock, ClockKind, DemoTime};
pub(crate) use clock::{DemoClock, Finished, FromTo, OnClock, Stretch, Time, microseconds};
pub use input::{Input, InputSource};
pub(crate) use levels::LevelCount;
pub use rules::Rules;
pub use scene::{Charset, Entity, Level, Place, Player, Scene, ScoreLine, View};
pub(crate) use scene::{Shown, to_json, to_json_beside};
pub use shot::{PlayedSound, Shot, ShotSource, SoundSource};
