//! Recordings played from their beginning to their end.
//!
//! A [`Pass`] reads a recording once, with the world and the events of each moment, for as many [`Analyser`]s as want to
//! look: [`Stats`](crate::stats::Stats), [`Finder`](crate::highlight::Finder), a [`Builder`](crate::timeline::Builder) of a
//! timeline, or any function of a [`Step`].
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::{Limits, replay::{Pass, Step}, stats::Stats, timeline};
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

mod pass;

pub use pass::{Analyser, Options, Pass, Step};
