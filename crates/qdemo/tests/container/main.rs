//! Containers: what is found in them, and what is made of damaged ones.
//!
//! All archives are built here, field by field, so that every one of them can be made to lie.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers below

mod anything;
mod build;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod files;
mod kinds;
mod qwz;
