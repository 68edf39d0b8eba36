//! Quake III Arena and its family: names, the [`World`] of a recording, its events, scoreboards and matches, and what it
//! says about itself.

mod command;
pub(crate) mod events;
pub mod info;
pub(crate) mod matches;
pub mod names;
pub(crate) mod scoreboards;
mod world;

pub use command::{Command, Configstrings, Phase};
pub(crate) use command::{retimed, unquoted};
pub(crate) use events::Detector;
pub use world::*;
