//! The text form.

mod bad;
mod lmpc;
mod properties;
