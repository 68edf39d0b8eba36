//! Quake II: the [`World`] of a `.dm2`, that of a recording of all players in [`multiview`], their events, and what they
//! say about themselves.

pub(crate) mod events;
mod holders;
pub mod info;
pub(crate) mod matches;
pub mod multiview;
mod runs;
pub(crate) mod shots;
mod world;

pub(crate) use events::Detector;
pub use world::*;
