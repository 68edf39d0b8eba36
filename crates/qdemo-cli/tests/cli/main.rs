//! The command as its users meet it: what it prints, where, and with which exit code.
// In a test a failed step may end it at once; clippy knows that only of the test functions themselves.
#![allow(clippy::unwrap_used)]

mod camera;
mod catalogue;
mod check;
mod containers;
mod diff;
mod edit;
// Its commands are those of a POSIX shell.
mod convert;
#[cfg(unix)]
mod cookbook;
mod cut;
mod data_set;
mod draw;
mod events;
#[cfg(unix)]
mod examples;
mod facts;
mod hash;
mod highlights;
mod join;
mod json_lines;
mod json_schema;
mod lists;
mod manners;
mod match_report;
mod merge;
mod quake2;
mod quake2_multiview;
mod quake3;
mod quakeworld;
mod repair;
mod retime;
mod schema;
#[cfg(unix)]
mod shell;
mod stats;
mod streaming;
mod support;
mod text;
mod texts;
mod view;
mod world;
