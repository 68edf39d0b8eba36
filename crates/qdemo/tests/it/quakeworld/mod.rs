//! QuakeWorld: what its recordings add up to.

mod events;
mod made;
mod world;
