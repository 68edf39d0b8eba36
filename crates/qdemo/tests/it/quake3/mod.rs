//! Quake III's family: worlds, and what happens in them.

mod events;
mod made;
mod made_matches;
mod told;
mod world;
