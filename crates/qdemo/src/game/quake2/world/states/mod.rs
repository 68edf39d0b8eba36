//! States of entities and players, complete, and the steps that lead to them.

mod entity;
mod links;
mod player;

pub use entity::{Baselines, Effects, EntityState, LoopSound};
pub(in crate::game::quake2) use entity::{Update, after};
pub use links::Eighths;
pub(in crate::game::quake2) use player::PMF_NO_PREDICTION;
pub use player::{Eyes, Fog, FogDensity, GunView, Guns, PlayerState, Screen};
