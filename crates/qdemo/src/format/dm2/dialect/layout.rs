//! How messages are laid out: what protocols of Quake II share.

use crate::describe::Width;
use crate::wire::{AngleKind, CoordKind};

/// How the mask of an entity is packed. The bits mean the same everywhere once they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntityMaskKind {
    /// One to four bytes.
    Standard,
    /// One to five bytes; angles take two bytes where bit 13 says so.
    Extended,
    /// One to four bytes; bits 28 to 31 have their own meanings, and count as 36 to 39.
    KmQuake2,
    /// One to five bytes; bits 24, 27, 29 and 33 to 35 have their own meanings, and count as 41 to 48.
    Rerelease,
}

/// How the mask of a player's state is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayerMaskKind {
    /// Two bytes.
    Word,
    /// Two bytes; where bit 15 says so, a third, whose bits count from 32 on.
    WordAndByte,
    /// Four bytes.
    Long,
    /// Two bytes; where bit 15 says so, two more, whose bits count from 40 on. Bits 6 to 9 and 13 have their own
    /// layouts, and count as 33 to 37.
    TwoWords,
}

/// How a number with something in its highest bits is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Packing {
    /// One byte, the number alone.
    Byte,
    /// Two bytes, the number alone.
    Word,
    /// Two bytes, something else in the highest bits.
    PackedWord,
}

/// Which numbers of the status bar the mask in front of them tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatsKind {
    /// 32, by a mask of four bytes.
    Standard,
    /// 256, by a mask of four bytes: each bit stands for every 32nd of them.
    EightTimes,
    /// 64, by a mask in groups of seven bits.
    Variable,
    /// 64, by a mask of four bytes in front of each 32.
    Twice,
}

/// Where configstrings of a kind begin.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigStrings {
    /// Models: the map is the second.
    pub models: u16,
    /// Sounds.
    pub sounds: u16,
    /// Pictures.
    pub images: u16,
    /// Styles of lights.
    pub lights: u16,
    /// Names of items.
    pub items: u16,
    /// Players: name, model and skin.
    pub players: u16,
    /// Whatever the game wants.
    pub general: u16,
    /// The number behind the last one.
    pub end: u16,
}

impl ConfigStrings {
    /// The CD track.
    pub const TRACK: u16 = 1;
    /// The status bar.
    const STATUS_BAR: u16 = 5;

    /// Slot of the player whom a configstring is about.
    pub fn player(&self, index: u16) -> Option<usize> {
        index.checked_sub(self.players).filter(|_| index < self.general).map(usize::from)
    }

    /// True for the name of a picture.
    pub(crate) fn is_image(&self, index: u16) -> bool {
        (self.images..self.lights).contains(&index)
    }

    /// True for what draws the status bar: from the fifth on, in front of the numbers of the level.
    pub(crate) fn is_status_bar(&self, index: u16) -> bool {
        index >= Self::STATUS_BAR && index < self.air_acceleration()
    }

    /// How players steer in the air: the first of the three numbers of the level in front of the models.
    pub(crate) const fn air_acceleration(&self) -> u16 {
        self.models.saturating_sub(3)
    }

    /// Where each kind begins, and where the last one ends. Before the models stand three numbers of the level.
    const fn begins(&self) -> [u16; 10] {
        let ConfigStrings { models, sounds, images, lights, items, players, general, end } = *self;
        [0, self.air_acceleration(), models, sounds, images, lights, items, players, general, end]
    }

    /// The number that a configstring has in another protocol; `None` where that has no room for it.
    ///
    /// ```
    /// # use qdemo::format::dm2::ConfigStrings;
    /// let (old, new) = (ConfigStrings::STANDARD, ConfigStrings::RERELEASE);
    /// assert_eq!(old.number_in(33, &new), Some(63));
    /// assert_eq!(new.number_in(62 + 300, &old), None);
    /// ```
    pub fn number_in(&self, index: u16, other: &ConfigStrings) -> Option<u16> {
        let (own, theirs) = (self.begins(), other.begins());
        let bounds = own.windows(2).zip(theirs.windows(2));
        bounds.into_iter().find_map(|(own, theirs)| {
            let ([from, to], [begin, end]) = (own, theirs) else { return None };
            let at = index.checked_sub(*from).filter(|_| index < *to)?;
            Some(at.checked_add(*begin).filter(|number| number < end))
        })?
    }

    /// Up to protocol 36.
    pub const STANDARD: ConfigStrings = ConfigStrings {
        models: 32,
        sounds: 288,
        images: 544,
        lights: 800,
        items: 1056,
        players: 1312,
        general: 1568,
        end: 2080,
    };
    /// Q2PRO's extended demos.
    pub const EXTENDED: ConfigStrings = ConfigStrings {
        models: 62,
        sounds: 8254,
        images: 10_302,
        lights: 12_350,
        items: 12_606,
        players: 12_862,
        general: 13_118,
        end: 13_630,
    };
    /// The re-release. Shadows of lights stand between styles of lights and items, the weapon wheel behind the others.
    pub const RERELEASE: ConfigStrings = ConfigStrings {
        models: 62,
        sounds: 8254,
        images: 10_302,
        lights: 10_814,
        items: 11_326,
        players: 11_582,
        general: 11_838,
        end: 12_448,
    };
    /// KMQuake2.
    pub const KMQUAKE2: ConfigStrings = ConfigStrings {
        models: 32,
        sounds: 8224,
        images: 16_416,
        lights: 18_464,
        items: 18_720,
        players: 18_976,
        general: 19_232,
        end: 19_744,
    };
}

/// What the messages of several protocols have in common. There is one of each, so it is compared by its place.
#[derive(Debug)]
pub struct ProtocolLayout {
    /// How coordinates are written.
    pub coord: CoordKind,
    /// How angles are written, but for those that [`Dialect::angle`](super::Dialect::angle) tells.
    pub angle: AngleKind,
    /// Width of model numbers.
    pub model_index: Width,
    /// Width of sound numbers.
    pub sound_index: Width,
    /// Bits of the `sound` mask that have a meaning.
    pub sound_bits: u64,
    /// How the origins of entities and players are written, unless boxes say so.
    pub origin: CoordKind,
    /// Origins of entities take two bytes or four by the boxes that these entities have; see
    /// [`EntitySizes`](crate::format::dm2::EntitySizes).
    pub origin_by_box: bool,
    /// How the velocity of the player is written.
    pub velocity: CoordKind,
    /// How the masks of entities are packed.
    pub entity_mask: EntityMaskKind,
    /// Bits of these masks that have a meaning.
    pub entity_bits: u64,
    /// How the masks of players' states are packed.
    pub player_mask: PlayerMaskKind,
    /// Bits of these masks that have a meaning.
    pub player_bits: u64,
    /// How the sound of an entity is written; packed: how loud, and how it fades.
    pub entity_sound: Packing,
    /// How the weapon's model is written; packed: its skin.
    pub gun_index: Packing,
    /// The box of an entity takes four bytes.
    pub long_solid: bool,
    /// Time and flags of a player's movement take two bytes.
    pub long_movement: bool,
    /// Colours of the screen are told one by one.
    pub blend_parts: bool,
    /// Numbers on the status bar.
    pub stats: StatsKind,
    /// There is a temporary entity 128.
    pub damage_effect: bool,
    /// The messages are those of the re-release, and views of players are told in its way.
    pub rerelease: bool,
    /// Where configstrings of a kind begin.
    pub configstrings: &'static ConfigStrings,
}

impl PartialEq for ProtocolLayout {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for ProtocolLayout {}

/// Bits of an entity's mask that have a meaning in all protocols.
const ENTITY_BITS: u64 = 0x0FFF_7F7F & !(1 << 13) & !(1 << 23);

/// Protocols 25 to 34.
pub(super) static STANDARD: ProtocolLayout = ProtocolLayout {
    coord: CoordKind::I16,
    angle: AngleKind::I8,
    model_index: Width::U8,
    sound_index: Width::U8,
    sound_bits: 0x1F,
    origin: CoordKind::I16,
    origin_by_box: false,
    velocity: CoordKind::I16,
    entity_mask: EntityMaskKind::Standard,
    entity_bits: ENTITY_BITS,
    player_mask: PlayerMaskKind::Word,
    player_bits: 0x7FFF,
    entity_sound: Packing::Byte,
    gun_index: Packing::Byte,
    long_solid: false,
    long_movement: false,
    blend_parts: false,
    stats: StatsKind::Standard,
    damage_effect: false,
    rerelease: false,
    configstrings: &ConfigStrings::STANDARD,
};

/// Q2PRO's extended demos, the first of them.
pub(super) static EXTENDED: ProtocolLayout = ProtocolLayout {
    angle: AngleKind::I16,
    sound_bits: 0x3F,
    entity_mask: EntityMaskKind::Extended,
    entity_bits: ENTITY_BITS | 1 << 13 | 0b11_0111 << 28,
    entity_sound: Packing::PackedWord,
    gun_index: Packing::PackedWord,
    long_solid: true,
    damage_effect: true,
    configstrings: &ConfigStrings::EXTENDED,
    ..STANDARD
};

/// The next of them.
pub(super) static STRETCHED: ProtocolLayout = ProtocolLayout {
    coord: CoordKind::Stretched,
    origin: CoordKind::StretchedDelta,
    velocity: CoordKind::StretchedDelta,
    long_movement: true,
    blend_parts: true,
    stats: StatsKind::Variable,
    ..EXTENDED
};

/// The last of them.
pub(super) static FOG: ProtocolLayout =
    ProtocolLayout { player_mask: PlayerMaskKind::WordAndByte, player_bits: 0x7FFF | 1 << 32, ..STRETCHED };

/// KMQuake2.
pub(super) static KMQUAKE2: ProtocolLayout = ProtocolLayout {
    coord: CoordKind::I24Eighths,
    model_index: Width::U16,
    sound_index: Width::U16,
    origin: CoordKind::I24Eighths,
    entity_mask: EntityMaskKind::KmQuake2,
    entity_bits: ENTITY_BITS | 0xF << 36,
    player_mask: PlayerMaskKind::Long,
    player_bits: 0x00FF_FFFF,
    entity_sound: Packing::Word,
    gun_index: Packing::Word,
    stats: StatsKind::EightTimes,
    configstrings: &ConfigStrings::KMQUAKE2,
    ..STANDARD
};

/// The re-release.
pub(super) static RERELEASE: ProtocolLayout = ProtocolLayout {
    coord: CoordKind::F32,
    angle: AngleKind::F32,
    sound_index: Width::U16,
    sound_bits: 0x15F,
    origin: CoordKind::F32,
    velocity: CoordKind::F32,
    entity_mask: EntityMaskKind::Rerelease,
    entity_bits: ENTITY_BITS & !(0b1001 << 24) | 0b1_0101 << 28 | 0xFF << 41,
    player_mask: PlayerMaskKind::TwoWords,
    player_bits: 0x5C3F | 0b1_1111 << 33 | 0b11 << 40,
    entity_sound: Packing::PackedWord,
    gun_index: Packing::PackedWord,
    long_solid: true,
    long_movement: true,
    stats: StatsKind::Twice,
    rerelease: true,
    configstrings: &ConfigStrings::RERELEASE,
    ..STANDARD
};

/// The demos that came with it.
pub(super) static RERELEASE_DEMOS: ProtocolLayout =
    ProtocolLayout { coord: CoordKind::I16, origin: CoordKind::Either, origin_by_box: true, ..RERELEASE };
