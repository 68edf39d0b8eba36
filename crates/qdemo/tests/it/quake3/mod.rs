//! Quake III: what its recordings add up to.

mod events;
mod made;
mod told;
mod world;
