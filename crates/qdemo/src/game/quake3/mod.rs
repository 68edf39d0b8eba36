//! Quake III Arena and its family: names, the [`World`] of a recording, its events, scoreboards and matches, and what it
//! says about itself.

mod command;
pub(crate) mod events;
pub(crate) mod game_types;
pub mod info;
pub(crate) mod matches;
pub mod names;
mod runs;
pub(crate) mod scoreboards;
pub(crate) mod shots;
mod world;

pub use command::{Command, Configstrings, Phase};
pub(crate) use command::{Shown, retimed, shown, shown_at, told_string, unquoted};
pub(crate) use events::Detector;
pub use runs::Defrag;
pub use world::*;
