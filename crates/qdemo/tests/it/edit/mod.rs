//! Editing: what is written plays, and shows the states of what was read.

mod change;
mod cut;
mod join;
mod quake2_rules;
mod repair;
mod retime;
