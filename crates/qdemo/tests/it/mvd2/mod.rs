//! Multi-view demos of Quake II: real recordings come back; so do demos of every minor version, command and mask bit,
//! built here from what Q2PRO's source tells, and whatever bytes stand in one.

pub(crate) mod build;
mod damage;
mod facts;
mod properties;
mod recordings;
