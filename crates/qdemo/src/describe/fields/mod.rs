//! The wire types that several formats share, as [`Field`](super::Field)s.

mod group;
mod index;
mod number;
mod place;
mod size;
mod text;

pub use group::Braced;
pub use index::{ByteOrShort, LongSoundIndex, ModelIndex, SoundIndex, StatIndex, StaticSoundIndex};
pub use number::{Alpha, Attenuation, Scale, Seconds, Share16, SignedByte, Velocity16, Volume};
pub(crate) use place::float_coordinates;
pub use place::{Interleaved, NamedAxes};
pub use size::{Size16, Size32};
