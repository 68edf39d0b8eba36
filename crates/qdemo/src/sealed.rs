//! Traits that only this crate implements: adding a format, or a game, is adding its module here.

/// What such a trait asks for. It has no path outside the crate.
pub trait Sealed {}
