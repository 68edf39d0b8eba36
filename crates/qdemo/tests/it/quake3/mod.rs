//! Quake III: what its recordings add up to.

mod events;
mod outcome;
mod world;
