//! What Quake and QuakeWorld say alike, and what of the one means what of the other.

use crate::format::{dem, qwd};
use crate::wire::{Angle, AngleKind};

/// Levels of prints: important, and chat.
pub(super) const HIGH: u8 = 2;
pub(super) const CHAT: u8 = 3;
/// In Quake the first byte of a print marks chat, and text in the other colour.
pub(super) const CHAT_MARK: u8 = 1;
pub(super) const COLOR_MARK: u8 = 2;
/// Effects that mean the same: glitter, bright and dim light. A flash at the muzzle is a message in QuakeWorld.
pub(super) const SHARED_EFFECTS: u8 = 0b1101;
pub(super) const MUZZLE_FLASH: u8 = 0b0010;
/// Particles of a hit, and the colours of those of blood and of lightning.
pub(super) const PARTICLES: u8 = 20;
pub(super) const BLOOD: u8 = 73;
pub(super) const LIGHTNING: u8 = 225;
/// The highest number that an entity of QuakeWorld has without extensions. Engines of Quake have room for 600.
pub(super) const LAST_ENTITY: u16 = 511;

/// The messages that both have.
macro_rules! alike {
    ($($message:ident),*) => {
        /// A message of Quake that QuakeWorld has too; `None` for another one.
        pub(super) fn of_quake(message: dem::Message<'_>) -> Option<qwd::Message<'_>> {
            match message {
                $(dem::Message::$message(m) => Some(qwd::Message::$message(m)),)*
                _ => None,
            }
        }
        /// A message of QuakeWorld that Quake has too; `None` for another one.
        pub(super) fn of_quakeworld(message: qwd::Message<'_>) -> Option<dem::Message<'_>> {
            match message {
                $(qwd::Message::$message(m) => Some(dem::Message::$message(m)),)*
                _ => None,
            }
        }
    };
}

alike! {
    StuffText, CenterPrint, LightStyle, UpdateFrags, StopSound, Damage, SetPause, KilledMonster, FoundSecret, SellScreen,
    Finale
}

/// An angle in 65536ths of a turn.
pub(crate) fn turn(degrees: f32) -> i16 {
    match Angle::of_float(degrees.into(), AngleKind::I16) {
        Angle::I16(turn) => turn,
        _ => 0,
    }
}
