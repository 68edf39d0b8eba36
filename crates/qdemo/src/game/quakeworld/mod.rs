//! QuakeWorld: the [`World`] of a `.qwd` or an `.mvd`, its events, and what it says about itself.

pub(crate) mod events;
pub mod info;
mod pause;
mod runs;
mod world;

pub(crate) use events::Detector;
pub use world::*;

/// The slots in a mask.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (slot < u32::BITS).then_some(slot as usize)
    })
}
