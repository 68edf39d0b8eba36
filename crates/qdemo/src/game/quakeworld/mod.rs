//! QuakeWorld: the [`World`] of a `.qwd` or an `.mvd`, its events, and what it says about itself.

pub(crate) mod events;
pub mod info;
mod pause;
mod runs;
mod world;

pub(crate) use events::Detector;
pub use world::*;
