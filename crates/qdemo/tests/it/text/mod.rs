//! The text form.

mod bad;
pub(crate) mod lmpc;
mod properties;
