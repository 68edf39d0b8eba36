//! Quake: the [`World`] of a `.dem`, its events, and what it says about itself.

pub(crate) mod events;
pub mod info;
pub(crate) mod items;
pub(crate) mod matches;
pub(crate) mod runs;
pub(crate) mod shots;
mod world;

pub(crate) use events::Detector;
pub use items::Game;
pub use world::*;
