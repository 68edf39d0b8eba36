//! Multi-view demos of Quake II: real recordings come back; so do demos of every minor version, command and mask bit,
//! built here from what Q2PRO's source tells, and whatever bytes stand in one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod build;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod facts;
mod properties;
mod recordings;
