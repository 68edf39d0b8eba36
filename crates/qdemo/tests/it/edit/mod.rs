//! Editing: what is written plays, and shows the states of what was read.

mod cut;
mod retime;
