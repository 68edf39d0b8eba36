//! QuakeWorld: `.qwd` and `.mvd`.

mod bad;
pub(crate) mod build;
mod damage;
mod extensions;
mod facts;
mod findings;
mod flags;
mod properties;
mod recordings;
