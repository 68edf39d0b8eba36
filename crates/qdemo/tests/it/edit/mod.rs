//! Demos that were edited: cut, joined, retimed, repaired.

pub(crate) mod quake2_rules;
