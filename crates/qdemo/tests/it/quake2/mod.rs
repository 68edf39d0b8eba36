//! Quake II: what its recordings add up to.

mod events;
mod multiview;
mod world;
