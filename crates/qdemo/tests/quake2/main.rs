//! Quake II: real recordings come back; so do demos of every protocol, kind of recording and message, built here from
//! the documents, and whatever bytes stand in one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod build;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod messages;
mod properties;
mod recordings;
