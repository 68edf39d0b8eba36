//! Recordings of whichever game, played from their beginning to their end, or at any time.
//!
//! * [`World`] takes in a recording chunk by chunk; [`Seeker`] goes to any time of one.
//! * [`events()`] tells what happened, [`timeline()`](timeline::timeline) what was where, [`info`](info::info) what the recording says
//!   about itself.
//! * A [`Pass`] reads a recording once, with the world and the events of each moment, for as many [`Analyser`]s as want to
//!   look: [`Stats`](crate::analysis::stats::Stats), a highlight [`Finder`](crate::analysis::highlight::Finder), a [`Builder`](timeline::Builder)
//!   of a timeline, or any function of a [`Step`].
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, analysis::stats::Stats, replay::{Pass, Step, timeline}};
//! let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
//! let (mut stats, mut timeline, mut frames) = (Stats::new(), timeline::Builder::new(), 0);
//! let mut count = |step: &Step<'_>| {
//!     frames += u64::from(step.changes().frame);
//!     Ok(())
//! };
//! let faults = Pass::new(Limits::default()).run(demo, "ez-dm.mvd", &mut [&mut stats, &mut timeline, &mut count])?;
//! assert!(faults.is_empty());
//! assert_eq!(timeline.finish().frames, frames);
//! assert!(stats.take().iter().all(|period| period.map == "lqdm13"));
//! # Ok(()) }
//! ```

mod events;
mod given_up;
pub mod info;
mod left;
mod newcomers;
mod pass;
mod position;
mod seek;
mod shots;
pub mod timeline;
mod world;

pub(crate) use events::Waiting;
pub use events::{Detector, InOrder, events};
pub(crate) use given_up::{GivenUp, has_left};
pub(crate) use left::Left;
pub(crate) use newcomers::Newcomers;
pub use pass::{Analyser, Options, Pass, Step};
pub use position::{Position, Range};
pub(crate) use seek::{Place, Places};
pub use seek::{Seeker, at};
pub use shots::{Shots, Sounds};
pub use world::World;
