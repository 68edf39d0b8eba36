//! The tests of the library as its users meet it.
//!
//! One program: each further one would link the library, and what of it is generic, once more. By format what is read,
//! by game what it adds up to, and under `every` what holds for all of them alike.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers

mod check;
mod common;
mod container;
mod deaths;
mod dem;
mod diff;
mod dm2;
mod dm3;
mod draw;
mod edit;
mod event;
mod every;
mod highlights;
mod keyframe;
mod layers;
mod merge;
mod mvd;
mod mvd2;
mod quake;
mod quake2;
mod quake3;
mod quakeworld;
mod qwd;
mod report;
mod runs;
mod states;
mod stats;
mod tables;
mod text;
mod view;
mod wire;
