//! What only the re-release of 2023 has.
//!
//! Source: the description of protocol 2023 beside the source of its game (id-Software/quake2-rerelease-dll,
//! README.md); names are those of its messages. Where something of a state stands elsewhere, or has another layout, it
//! is a field of its own with the usual name: mask bits tell them apart (see [`EntityMaskKind`] and
//! [`PlayerMaskKind`]).
//!
//! [`EntityMaskKind`]: crate::format::dm2::EntityMaskKind::Rerelease
//! [`PlayerMaskKind`]: crate::format::dm2::PlayerMaskKind::TwoWords

mod blast;
mod fog;
mod lists;
mod message;
mod player;
mod state;

pub use blast::{ConfigBlast, Packed, SpawnBaselineBlast, Unpacked};
pub use fog::{FogChange, FogDensity};
pub use lists::{Args, ChangedStrings, Hit, Hits};
pub use message::*;
pub use player::{FinalView, GunParts, PreciseAngles, PreciseGun, PreciseKick, PreciseView, PreciseViewOffset};
pub use state::{FinalState, OldOriginInFront, SolidInFront, WideEffects};
