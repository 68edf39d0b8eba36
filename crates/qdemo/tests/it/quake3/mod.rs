//! Quake III's family: worlds, and what happens in them.

mod events;
pub(crate) mod made;
mod made_commands;
mod made_events;
mod made_matches;
mod made_modules;
mod outcome;
mod pauses;
mod scores;
mod told;
mod told_in_recordings;
mod world;
