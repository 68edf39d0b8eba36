//! Shots and sounds, as tables have them.

use std::borrow::Cow;

use crate::kinds::kinds;

kinds! {
    /// What tells of a [`Shot`].
    #[non_exhaustive]
    pub enum ShotSource {
        /// The sound that the weapon makes: Quake, QuakeWorld.
        Sound = "sound",
        /// The lightning that comes of it: Quake, QuakeWorld.
        Beam = "temp_entity",
        /// The flash of a player's weapon: Quake II.
        MuzzleFlash = "muzzleflash",
        /// The flash of a monster's weapon: Quake II.
        MonsterFlash = "muzzleflash2",
        /// The event of an entity, or of the player who is seen: Quake III.
        Event = "event",
    }
}

/// A shot.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shot {
    /// What tells of it.
    pub source: ShotSource,
    /// Slot of the player who shoots; `None` for a monster.
    pub slot: Option<usize>,
    /// Entity that shoots.
    pub entity: Option<u16>,
    /// The weapon; `None` where its number has no name.
    pub weapon: Option<Cow<'static, str>>,
    /// Where the one who shoots is, in units.
    pub origin: Option<[f32; 3]>,
    /// Where that one looks: pitch, yaw and roll in degrees.
    pub angles: Option<[f32; 3]>,
}

kinds! {
    /// What tells of a [`PlayedSound`].
    #[non_exhaustive]
    pub enum SoundSource {
        /// A message of its own.
        Message = "sound",
        /// An event at a place: Quake III.
        Event = "event",
        /// An event that everybody hears: Quake III.
        GlobalEvent = "global_event",
    }
}

/// A sound that begins.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlayedSound<'w> {
    /// What tells of it.
    pub source: SoundSource,
    /// Its number.
    pub number: u16,
    /// Its name, where the level has one with that number.
    pub name: Option<&'w [u8]>,
    /// Entity that makes it.
    pub entity: Option<u16>,
    /// Slot of the player who makes it.
    pub slot: Option<usize>,
    /// Its channel.
    pub channel: Option<u8>,
    /// Loudness, 0 to 1.
    pub volume: Option<f32>,
    /// How fast it fades with distance: 0 not at all, 1 as usual, 2 and 3 faster.
    pub attenuation: Option<f32>,
    /// So long after the moment of the message it begins, in ms.
    pub delay_ms: Option<u8>,
    /// Where it is, in units: as the message tells, else where its entity is.
    pub origin: Option<[f32; 3]>,
}
