//! Quake II: what its recordings add up to.

mod events;
pub(crate) mod multiview;
pub(crate) mod world;
