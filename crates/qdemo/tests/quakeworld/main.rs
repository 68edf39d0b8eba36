//! QuakeWorld: `.qwd` and `.mvd`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers below

mod bad;
mod build;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod extensions;
mod facts;
mod findings;
mod flags;
mod multiview;
mod properties;
mod recordings;
