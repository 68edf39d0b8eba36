//! Messages of one moment, which no state holds: what is heard, seen and read once.

use crate::format::{dem, dm2, qwd};

/// A message that may be one of a moment.
pub(super) trait Momentary {
    /// True for a sound, an effect, a print: nothing builds on it.
    fn is_of_a_moment(&self) -> bool;
}

impl Momentary for dem::Message<'_> {
    fn is_of_a_moment(&self) -> bool {
        use dem::Message::{CenterPrint, Damage, LocalSound, Particle, Print, Sound, StopSound, TempEntity};
        matches!(
            self,
            Sound(_)
                | LocalSound(_)
                | StopSound(_)
                | TempEntity(_)
                | Particle(_)
                | Damage(_)
                | Print(_)
                | CenterPrint(_)
        )
    }
}

impl Momentary for qwd::Message<'_> {
    fn is_of_a_moment(&self) -> bool {
        use qwd::Message::{BigKick, CenterPrint, Damage, MuzzleFlash, Print, SmallKick, Sound, StopSound, TempEntity};
        let is_read = matches!(self, Print(_) | CenterPrint(_));
        let is_heard = matches!(self, Sound(_) | StopSound(_));
        is_read || is_heard || matches!(self, TempEntity(_) | Damage(_) | SmallKick(_) | BigKick(_) | MuzzleFlash(_))
    }
}

impl Momentary for dm2::Message<'_> {
    fn is_of_a_moment(&self) -> bool {
        use dm2::Message::{
            BotChat, CenterPrint, Damage, LocPrint, MuzzleFlash, MuzzleFlash2, MuzzleFlash3, Print, Sound, TempEntity,
            Unicast,
        };
        match self {
            Print(_) | CenterPrint(_) | LocPrint(_) | BotChat(_) => true,
            Sound(_) | TempEntity(_) | Damage(_) | MuzzleFlash(_) | MuzzleFlash2(_) | MuzzleFlash3(_) => true,
            Unicast(m) => m.message.is_of_a_moment(),
            _ => false,
        }
    }
}
