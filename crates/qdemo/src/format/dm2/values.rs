//! Value types that only Quake II's messages have.

use super::directions::DIRECTIONS;
use crate::describe::Bytes as Wire;
use crate::describe::{
    Alpha, Attenuation, Braced, Field, FieldSchema, Fields, Form, MaskedGroup, Mistake, Name, Presence, Share16, Sink,
    SoundIndex, Table, TypeSchema, Volume, WideField, coordinates, field_bits, field_parse, field_read, field_schema,
    field_show, field_type, field_write, name_of, rare,
};
use crate::dialect::{Dialect, EntityMaskKind, Packing, StatsKind};
use crate::wire::{Angle, AngleKind, Coord, F32, Fault, Reader, Scalar, What, Writer};

coordinates! {
    /// A coordinate of an entity's or a player's origin.
    OriginCoord, |d| d.quake2.origin;
    /// A part of the player's velocity.
    VelocityCoord, |d| d.quake2.velocity;
}

/// An angle of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntityAngle(pub Angle);

impl EntityAngle {
    /// True where a mask bit tells that angles are long.
    #[inline]
    fn short(d: &Dialect, wide: bool) -> bool {
        d.quake2.entity_mask == EntityMaskKind::Extended && !wide
    }
}

impl<'a> Field<'a> for EntityAngle {
    const TYPE: TypeSchema = TypeSchema::new("angle", "number", "degrees");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Angle::read(r, d.angle).map(EntityAngle)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.0.write(w, d.angle)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, self.0.into());
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.angles::<1>(d.angle).map(|[a]| EntityAngle(a))
    }
}

impl<'a> WideField<'a> for EntityAngle {
    #[inline(always)]
    fn read_wide(r: &mut Reader<'a>, d: &Dialect, wide: bool) -> Result<Self, Fault> {
        let kind = if Self::short(d, wide) { AngleKind::I8 } else { d.angle };
        Angle::read(r, kind).map(EntityAngle)
    }
    #[inline]
    fn write_wide(&self, w: &mut Writer, d: &Dialect, wide: bool) -> Result<(), Fault> {
        match (self.0, Self::short(d, wide)) {
            // Degrees in text do not tell how many bytes they take.
            (Angle::I16(v), true) if v & 0xFF == 0 => w.i8((v >> 8) as i8),
            (Angle::I8(v), false) if d.angle == AngleKind::I16 => w.i16(i16::from(v) << 8),
            (angle, true) => return angle.write(w, AngleKind::I8),
            (angle, false) => return angle.write(w, d.angle),
        }
        Ok(())
    }
    /// The mask adds the bit where engines do.
    #[inline]
    fn needs_wide(&self, _: &Dialect) -> bool {
        false
    }
}

const LOOP_ATTENUATION: Name = Name::with("loop_attenuation", "");
const LOOP_VOLUME: Name = Name::with("loop_volume", "");

/// Fields that some dialects have at another place than others: types of their own, with the name that the field has
/// elsewhere, and with the dialects that are meant.
macro_rules! elsewhere {
    ($($(#[$doc:meta])* $ty:ident($inner:ty) = $name:expr, $has:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty(pub $inner);

        impl $ty {
            const NAME: Name = $name;
        }

        impl<'a> Field<'a> for $ty {
            const TYPE: TypeSchema =
                <$inner as Field<'static>>::TYPE.spread(&[($ty::NAME.text, <$inner as Field<'static>>::TYPE.json)]);
            fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                Field::read(r, d).map($ty)
            }
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                self.0.write(w, d)
            }
            fn show<S: Sink>(&self, _: Name, s: &mut S) {
                self.0.show(Self::NAME, s);
            }
            fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
                Field::parse(f, Self::NAME, d).map($ty)
            }
            fn given(f: &Fields<'a, '_>, _: Name, d: &Dialect) -> bool {
                let has: fn(&Dialect) -> bool = $has;
                has(d) && f.has(Self::NAME)
            }
        }
    )*};
}
pub(super) use elsewhere;

elsewhere! {
    /// Opacity as KMQuake2 has it: in front of the sound, where others have it at the end.
    AlphaInFront(Alpha) = Name::new("alpha"), |d| d.quake2.entity_mask == EntityMaskKind::KmQuake2;
    /// How fast the sound of an entity fades, as KMQuake2 has it.
    LoopAttenuation(Attenuation) = LOOP_ATTENUATION, |d| d.quake2.entity_mask == EntityMaskKind::KmQuake2;
}

/// The sound of an entity, and where the dialect has that, how loud it is and how it fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntitySound {
    /// Number of the sound.
    pub index: u16,
    /// How loud.
    pub volume: Option<Volume>,
    /// How fast it fades with distance: 3 for none.
    pub attenuation: Option<Attenuation>,
}

impl EntitySound {
    const VOLUME: u16 = 0x4000;
    const ATTENUATION: u16 = 0x8000;

    /// A sound of the usual loudness.
    pub const fn new(index: u16) -> Self {
        EntitySound { index, volume: None, attenuation: None }
    }
}

impl<'a> Field<'a> for EntitySound {
    const TYPE: TypeSchema = TypeSchema::new("u8; u16; u16 and two bytes by its bits 14 and 15", "integer", "")
        .spread(&[("sound", "integer"), ("loop_volume", "number"), ("loop_attenuation", "number")]);
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        match d.quake2.entity_sound {
            Packing::Byte => Ok(EntitySound::new(u16::from(r.u8()?))),
            Packing::Word => r.u16().map(EntitySound::new),
            Packing::PackedWord => {
                let word = r.u16()?;
                Ok(EntitySound {
                    index: word & !(Self::VOLUME | Self::ATTENUATION),
                    volume: if word & Self::VOLUME != 0 { Some(Volume(r.u8()?)) } else { None },
                    attenuation: if word & Self::ATTENUATION != 0 { Some(Attenuation(r.u8()?)) } else { None },
                })
            }
        }
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        let plain = self.volume.is_none() && self.attenuation.is_none();
        match (d.quake2.entity_sound, self.index) {
            (Packing::Byte, 0..=255) if plain => w.u8(self.index as u8),
            (Packing::Word, _) if plain => w.u16(self.index),
            (Packing::PackedWord, 0..=0x3FFF) => {
                let volume = if self.volume.is_some() { Self::VOLUME } else { 0 };
                let attenuation = if self.attenuation.is_some() { Self::ATTENUATION } else { 0 };
                w.u16(self.index | volume | attenuation);
                self.volume.into_iter().for_each(|v| w.u8(v.0));
                self.attenuation.into_iter().for_each(|v| w.u8(v.0));
            }
            _ => return Err(Fault::unwritable("a sound that this protocol has no room for")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.index(name, u32::from(self.index), Table::Sounds);
        if let Some(v) = &self.volume {
            v.show(LOOP_VOLUME, s);
        }
        if let Some(v) = &self.attenuation {
            v.show(LOOP_ATTENUATION, s);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let mut sound = EntitySound::new(SoundIndex::parse(f, name, d)?.0);
        if d.quake2.entity_sound == Packing::PackedWord {
            if f.has(LOOP_VOLUME) {
                sound.volume = Some(Volume::parse(f, LOOP_VOLUME, d)?);
            }
            if f.has(LOOP_ATTENUATION) {
                sound.attenuation = Some(Attenuation::parse(f, LOOP_ATTENUATION, d)?);
            }
        }
        Ok(sound)
    }
}

/// Numbers that are short in most protocols, and long in the others.
macro_rules! by_dialect {
    ($($(#[$doc:meta])* $ty:ident($inner:ident): $short:ident, $max:literal, $wire:literal, $long:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $ty(pub $inner);

        impl<'a> Field<'a> for $ty {
            const TYPE: TypeSchema = TypeSchema::new($wire, "integer", "");
            #[inline(always)]
            fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
                let long: fn(&Dialect) -> bool = $long;
                Ok($ty(if long(d) { r.$inner()? } else { $inner::from(r.$short()?) }))
            }
            #[inline]
            fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
                let long: fn(&Dialect) -> bool = $long;
                match (long(d), $short::try_from(self.0)) {
                    (true, _) => w.$inner(self.0),
                    (false, Ok(v)) => w.$short(v),
                    (false, Err(_)) => return Err(Fault::unwritable("a number that this protocol has no room for")),
                }
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.value(name, Scalar::Int(i64::from(self.0)));
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
                let long: fn(&Dialect) -> bool = $long;
                // LMPC writes some unsigned numbers with a sign.
                match f.take(name)?.int(-$max, i64::from($inner::MAX))? {
                    v @ 0.. => Ok($ty(v as $inner)),
                    v if long(d) => Ok($ty(v as $inner)),
                    v => Ok($ty($inner::from(v as $short))),
                }
            }
        }
    )*};
}

by_dialect! {
    /// The box of an entity.
    Solid(u32): u16, 32_768, "u16; u32 in Q2PRO's extended demos and the re-release", |d| d.quake2.long_solid;
    /// Time or flags of a player's movement.
    Movement(u16): u8, 128, "u8; u16 in Q2PRO's extended demos and the re-release", |d| d.quake2.long_movement;
}

/// The model of the weapon in view, and where the dialect has that, its skin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GunIndex {
    /// Model number.
    pub index: u16,
    /// Skin, 0 to 7.
    pub skin: u8,
}

impl GunIndex {
    const SKIN: Name = Name::with("gunskin", "");
    const SKIN_BIT: u32 = 13;

    /// A model with its first skin.
    pub const fn new(index: u16) -> Self {
        GunIndex { index, skin: 0 }
    }
}

impl<'a> Field<'a> for GunIndex {
    const TYPE: TypeSchema = TypeSchema::new("u8; u16; u16 = index + skin*8192", "integer", "")
        .spread(&[("gunindex", "integer"), ("gunskin", "integer")]);
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        match d.quake2.gun_index {
            Packing::Byte => Ok(GunIndex::new(u16::from(r.u8()?))),
            Packing::Word => r.u16().map(GunIndex::new),
            Packing::PackedWord => {
                let word = r.u16()?;
                Ok(GunIndex { index: word & ((1 << Self::SKIN_BIT) - 1), skin: (word >> Self::SKIN_BIT) as u8 })
            }
        }
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        match (d.quake2.gun_index, self.index, self.skin) {
            (Packing::Byte, 0..=255, 0) => w.u8(self.index as u8),
            (Packing::Word, _, 0) => w.u16(self.index),
            (Packing::PackedWord, 0..=0x1FFF, 0..=7) => w.u16(self.index | u16::from(self.skin) << Self::SKIN_BIT),
            _ => return Err(Fault::unwritable("a weapon that this protocol has no room for")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.index(name, u32::from(self.index), Table::Models);
        if self.skin != 0 {
            s.value(Self::SKIN, Scalar::Int(i64::from(self.skin)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let index = f.take(name)?.int(0, 65_535)? as u16;
        let packed = d.quake2.gun_index == Packing::PackedWord && f.has(Self::SKIN);
        Ok(GunIndex { index, skin: if packed { f.take(Self::SKIN)?.int(0, 7)? as u8 } else { 0 } })
    }
}

rare! {
    /// The player's second weapon, skins of both, and how fast the player is, in KMQuake2.
    pub struct KmPlayer {
        /// Skin of the weapon.
        gunskin as "": u16, bit 15;
        /// Skin of the second weapon.
        gunskin2 as "": u16, bit 18;
        /// Highest speed.
        maxspeed as "": i16, bit 19;
        /// Speed when ducked.
        duckspeed as "": i16, bit 20;
        /// Speed in water.
        waterspeed as "": i16, bit 21;
        /// Acceleration.
        accel as "": i16, bit 22;
        /// Speed below which the player stops at once.
        stopspeed as "": i16, bit 23;
    }
}

rare! {
    /// Fog that the player is in, as the difference to an earlier frame, in Q2PRO's extended demos.
    pub struct PlayerFog {
        /// Colour.
        color as "": [u8; 3], bit 0;
        /// How dense it is.
        density as "": Share16, bit 1;
        /// How much of the sky it hides.
        sky_factor as "": Share16, bit 1;
        /// How dense the fog is that depends on height.
        height_density as "": u16, bit 2;
        /// How fast that one thins out with height.
        height_falloff as "": u16, bit 3;
        /// Its colour at its start.
        start_color as "": [u8; 3], bit 4;
        /// Its colour at its end.
        end_color as "": [u8; 3], bit 5;
        /// Height of its start.
        start_height as "": Coord, bit 6;
        /// Height of its end.
        end_height as "": Coord, bit 7;
    }
}

rare! {
    /// Colours of the whole screen, each for itself.
    pub struct BlendParts {
        /// Red.
        red as "": Alpha, bit 0;
        /// Green.
        green as "": Alpha, bit 1;
        /// Blue.
        blue as "": Alpha, bit 2;
        /// Opacity.
        alpha as "": Alpha, bit 3;
        /// Red of damage.
        damage_red as "": Alpha, bit 4;
        /// Green of damage.
        damage_green as "": Alpha, bit 5;
        /// Blue of damage.
        damage_blue as "": Alpha, bit 6;
        /// Opacity of damage.
        damage_alpha as "": Alpha, bit 7;
    }
}

/// A direction by its number, 0 to 161; shown as a unit vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Direction(pub u8);

impl Direction {
    /// The unit vector.
    pub fn vector(self) -> Option<[f32; 3]> {
        DIRECTIONS.get(usize::from(self.0)).copied()
    }
}

impl<'a> Field<'a> for Direction {
    const TYPE: TypeSchema = TypeSchema::new("u8, one of 162 directions", "number[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let at = r.pos();
        let direction = Direction(r.u8()?);
        match direction.vector() {
            Some(_) => Ok(direction),
            None => Err(Fault::new(What::Malformed("a direction beyond the 162 that there are"), at)),
        }
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.vector().is_none() {
            return Err(Fault::unwritable("a direction beyond the 162 that there are"));
        }
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let vector = self.vector().unwrap_or_default();
        s.values(name, &vector.map(|v| Scalar::Float(F32::from(v))));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let wanted = f.take(name)?.floats::<3>()?.map(F32::get);
        // The one nearest to it, as the engine writes directions.
        let near = |v: &[f32; 3]| v.iter().zip(&wanted).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let mut best = (0, f64::NEG_INFINITY);
        for (n, vector) in DIRECTIONS.iter().enumerate() {
            let product = near(vector);
            if product > best.1 {
                best = (n, product);
            }
        }
        Ok(Direction(best.0 as u8))
    }
}

/// Three angles in 65536ths of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Angles16(pub [i16; 3]);

impl<'a> Field<'a> for Angles16 {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536 [3]", "number[3]", "degrees");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Angles16([r.i16()?, r.i16()?, r.i16()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Turn65536));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let angles = f.take(name)?.angles::<3>(AngleKind::I16)?;
        Ok(Angles16(angles.map(|a| if let Angle::I16(v) = a { v } else { 0 })))
    }
}

/// Three signed bytes in quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quarters(pub [i8; 3]);

impl Quarters {
    fn scalars(self) -> [Scalar; 3] {
        self.0.map(|v| Scalar::Binary(i32::from(v), 2))
    }
}

impl<'a> Field<'a> for Quarters {
    const TYPE: TypeSchema = TypeSchema::new("i8/4 [3]", "number[3]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Quarters([r.i8()?, r.i8()?, r.i8()?]))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i8(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.scalars());
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.floats::<3>()?.map(|v| (v.get() * 4.0).round());
        if values.iter().any(|v| !(-128.0..=127.0).contains(v)) {
            return Err(f.mistake("a quarter is from -32 to 31.75"));
        }
        Ok(Quarters(values.map(|v| v as i8)))
    }
}

/// The weapon in view: frame, offset and angles, which come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gun {
    /// Frame of the weapon; absent only beside that of a second one.
    pub frame: Option<u8>,
    /// Frame of a second weapon, in KMQuake2.
    pub frame2: Option<u8>,
    /// Its place against the eyes, in quarters of a unit.
    pub offset: Quarters,
    /// Its direction against the view, in quarters of a degree.
    pub angles: Quarters,
}

impl Gun {
    const FRAME: Name = Name::new("gunframe");
    const FRAME2: Name = Name::with("gunframe2", "");
    const OFFSET: Name = Name::new("gunoffset");
    const ANGLES: Name = Name::new("gunangles");
    const BITS: [u32; 2] = [13, 17];
}

impl<'a> MaskedGroup<'a> for Option<Gun> {
    const BITS: u64 = 1 << Gun::BITS[0] | 1 << Gun::BITS[1];
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: "gunframe",
            lmpc: Some("gunframe"),
            doc: "Frame of the weapon.",
            ty: TypeSchema::new("u8", "integer", ""),
            presence: Presence::Bit(13),
        },
        FieldSchema {
            name: "gunframe2",
            lmpc: None,
            doc: "Frame of the second weapon, in KMQuake2.",
            ty: TypeSchema::new("u8", "integer", ""),
            presence: Presence::Bit(17),
        },
        FieldSchema {
            name: "gunoffset",
            lmpc: Some("gunoffset"),
            doc: "Place of the weapon against the eyes, with its frame.",
            ty: Quarters::TYPE,
            presence: Presence::Selected,
        },
        FieldSchema {
            name: "gunangles",
            lmpc: Some("gunangles"),
            doc: "Direction of the weapon against the view, with its frame.",
            ty: Quarters::TYPE,
            presence: Presence::Selected,
        },
    ];
    #[inline(always)]
    fn read(r: &mut Reader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & <Self as MaskedGroup<'a>>::BITS == 0 {
            return Ok(None);
        }
        Ok(Some(Gun {
            frame: if mask >> Gun::BITS[0] & 1 == 1 { Some(r.u8()?) } else { None },
            frame2: if mask >> Gun::BITS[1] & 1 == 1 { Some(r.u8()?) } else { None },
            offset: Quarters::read(r, d)?,
            angles: Quarters::read(r, d)?,
        }))
    }
    #[inline]
    fn bits(&self) -> u64 {
        self.as_ref().map_or(0, |gun| {
            u64::from(gun.frame.is_some()) << Gun::BITS[0] | u64::from(gun.frame2.is_some()) << Gun::BITS[1]
        })
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        let Some(gun) = self else { return Ok(()) };
        if gun.frame.is_none() && gun.frame2.is_none() {
            return Err(Fault::unwritable("a weapon in view without a frame"));
        }
        gun.frame.into_iter().chain(gun.frame2).for_each(|v| w.u8(v));
        gun.offset.write(w, d)?;
        gun.angles.write(w, d)
    }
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(gun) = self else { return };
        for (name, frame) in [(Gun::FRAME, gun.frame), (Gun::FRAME2, gun.frame2)] {
            if let Some(v) = frame {
                s.value(name, Scalar::Int(i64::from(v)));
            }
        }
        gun.offset.show(Gun::OFFSET, s);
        gun.angles.show(Gun::ANGLES, s);
    }
    fn parse(f: &mut Fields<'a, '_>, d: &Dialect) -> Result<Self, Mistake> {
        let mut frames = [None; 2];
        for (name, frame) in [Gun::FRAME, Gun::FRAME2].into_iter().zip(&mut frames) {
            if f.has(name) {
                *frame = Some(f.take(name)?.int(0, 255)? as u8);
            }
        }
        if frames == [None; 2] {
            return Ok(None);
        }
        Ok(Some(Gun {
            frame: frames[0],
            frame2: frames[1],
            offset: Quarters::parse(f, Gun::OFFSET, d)?,
            angles: Quarters::parse(f, Gun::ANGLES, d)?,
        }))
    }
}

/// Colour of the whole screen: red, green, blue and opacity in 255ths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blend {
    /// All of them.
    All([u8; 4]),
    /// Those that changed, and those of damage, in Q2PRO's extended demos.
    Parts(Braced<BlendParts>),
}

impl<'a> Field<'a> for Blend {
    const TYPE: TypeSchema =
        TypeSchema::new("u8/255 [4]; a mask and u8/255 each in Q2PRO's extended demos", "number[4]", "0..1");
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        if d.quake2.blend_parts {
            return Field::read(r, d).map(Blend::Parts);
        }
        Ok(Blend::All([r.u8()?, r.u8()?, r.u8()?, r.u8()?]))
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        match (self, d.quake2.blend_parts) {
            (Blend::All(all), false) => w.bytes(all),
            (Blend::Parts(parts), true) => return parts.write(w, d),
            _ => return Err(Fault::unwritable("the dialect tells colours of the screen in another way")),
        }
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        match self {
            Blend::All(all) => s.values(name, &all.map(|v| Scalar::Near((f64::from(v) / 255.0) as f32))),
            Blend::Parts(parts) => parts.show(name, s),
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        if d.quake2.blend_parts {
            return Field::parse(f, name, d).map(Blend::Parts);
        }
        let values = f.take(name)?.floats::<4>()?.map(|v| (v.get() * 255.0).round());
        if values.iter().any(|v| !(0.0..=255.0).contains(v)) {
            return Err(f.mistake("a colour is from 0 to 1"));
        }
        Ok(Blend::All(values.map(|v| v as u8)))
    }
}

/// Bytes behind their number: areas, connected clients.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByteList(pub Vec<u8>);

impl<'a> Field<'a> for ByteList {
    const TYPE: TypeSchema = TypeSchema::new("u8 count, u8[count]", "integer[]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let count = r.u8()?;
        r.bytes(usize::from(count)).map(|b| ByteList(b.to_vec()))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u8(u8::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 255 bytes in a list"))?);
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(ByteList)
    }
}

/// What the player carries: 256 numbers by item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Items(pub Box<[i16; 256]>);

impl<'a> Field<'a> for Items {
    const TYPE: TypeSchema = TypeSchema::new("i16[256]", "integer[256]", "");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = Box::new([0; 256]);
        for v in all.iter_mut() {
            *v = r.i16()?;
        }
        Ok(Items(all))
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let all: Vec<_> = self.0.iter().map(|v| Scalar::Int(i64::from(*v))).collect();
        s.values(name, &all);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let values = f.take(name)?.ints(-32_768, 65_535)?;
        let mut all = Box::new([0; 256]);
        if values.len() != all.len() {
            return Err(f.mistake("an inventory has 256 numbers"));
        }
        for (slot, v) in all.iter_mut().zip(values) {
            *slot = v as i16;
        }
        Ok(Items(all))
    }
}

/// The numbers on the status bar that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// A bit for each number that is there; in KMQuake2 for each eight of them, 32 apart.
    pub mask: u64,
    /// The numbers, lowest first.
    pub values: Vec<i16>,
    /// Bytes of a mask of variable length beyond those that it needs; 0 in most files.
    pub spare_bytes: u8,
}

macro_rules! stat_names {
    ($($n:literal)*) => { [$(Name::new(concat!("stats[", $n, "]"))),*] };
}

impl Stats {
    const NAMES: [Name; 256] = stat_names!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76
        77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109
        110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136
        137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163
        164 165 166 167 168 169 170 171 172 173 174 175 176 177 178 179 180 181 182 183 184 185 186 187 188 189 190
        191 192 193 194 195 196 197 198 199 200 201 202 203 204 205 206 207 208 209 210 211 212 213 214 215 216 217
        218 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243 244
        245 246 247 248 249 250 251 252 253 254 255
    );
    const LIST: Name = Name::new("stats");
    const ITEM: Name = Name::new("stat");
    const INDEX: Name = Name::new("index");
    const VALUE: Name = Name::new("value");
    const SPARE: Name = Name::with("stats_spare_bytes", "");
    /// Numbers for each bit of the mask in KMQuake2.
    const TIMES: usize = 8;

    /// The number in a word like `stats[12]`.
    #[inline]
    fn number(word: &[u8]) -> Option<usize> {
        match word.strip_prefix(b"stats[")?.strip_suffix(b"]")? {
            [a @ b'0'..=b'9'] => Some(usize::from(a - b'0')),
            digits @ [b'1'..=b'9', ..] => std::str::from_utf8(digits).ok()?.parse::<u8>().ok().map(usize::from),
            _ => None,
        }
    }

    /// The numbers with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, i16)> + '_ {
        let (count, width) = match self.values.len() > self.mask.count_ones() as usize {
            true => (256, 32),
            false => (64, 64),
        };
        (0..count).filter(move |n| self.mask >> (n % width) & 1 == 1).zip(self.values.iter().copied())
    }

    /// True when a parsed statement holds any of the numbers.
    pub(crate) fn any_given(f: &Fields<'_, '_>) -> bool {
        f.children().any(|c| c.keyword().starts_with(b"stats") && !c.is_used())
    }

    fn read_mask(r: &mut Reader<'_>) -> Result<(u64, u8), Fault> {
        let (mut mask, mut bytes) = (0, 0);
        loop {
            let byte = u64::from(r.u8()?);
            let part = byte & 0x7F;
            if bytes == 9 && part > 1 || bytes > 9 {
                return Err(r.malformed("a mask of more than 64 bits"));
            }
            mask |= part << (7 * bytes);
            bytes += 1;
            if byte & 0x80 == 0 {
                return Ok((mask, bytes - Self::mask_bytes(mask)));
            }
        }
    }

    /// Bytes that a mask of variable length needs.
    fn mask_bytes(mask: u64) -> u8 {
        (64 - mask.leading_zeros()).div_ceil(7).max(1) as u8
    }

    fn read_twice(r: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut all = Stats::default();
        for shift in [0, 32] {
            let mask = r.u32()?;
            all.mask |= u64::from(mask) << shift;
            for _ in 0..mask.count_ones() {
                all.values.push(r.i16()?);
            }
        }
        Ok(all)
    }

    fn write_mask(&self, w: &mut Writer) -> Result<(), Fault> {
        let bytes = Self::mask_bytes(self.mask).saturating_add(self.spare_bytes);
        if bytes > 10 {
            return Err(Fault::unwritable("a mask of more than ten bytes"));
        }
        for n in 0..bytes {
            let more = if n + 1 < bytes { 0x80 } else { 0 };
            w.u8((self.mask >> (7 * n)) as u8 & 0x7F | more);
        }
        Ok(())
    }
}

impl<'a> Field<'a> for Stats {
    const TYPE: TypeSchema =
        TypeSchema::new("mask, u32 or 7 bits a byte, i16 each; in the re-release twice u32, i16 each", "integer", "");
    #[inline]
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        let (mask, spare_bytes) = match d.quake2.stats {
            StatsKind::Variable => Self::read_mask(r)?,
            StatsKind::Twice => return Self::read_twice(r),
            _ => (u64::from(r.u32()?), 0),
        };
        if mask == 0 {
            return Ok(Stats { spare_bytes, ..Stats::default() });
        }
        let times = if d.quake2.stats == StatsKind::EightTimes { Self::TIMES } else { 1 };
        let values = (0..mask.count_ones() as usize * times).map(|_| r.i16()).collect::<Result<_, _>>()?;
        Ok(Stats { mask, values, spare_bytes })
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        let times = if d.quake2.stats == StatsKind::EightTimes { Self::TIMES } else { 1 };
        if self.mask.count_ones() as usize * times != self.values.len() {
            return Err(Fault::unwritable("stats with a mask that does not fit them"));
        }
        match (d.quake2.stats, u32::try_from(self.mask), self.spare_bytes) {
            (StatsKind::Twice, _, 0) => {
                let (low, high) = self.values.split_at((self.mask as u32).count_ones() as usize);
                for (mask, values) in [(self.mask as u32, low), ((self.mask >> 32) as u32, high)] {
                    w.u32(mask);
                    values.iter().for_each(|v| w.i16(*v));
                }
                return Ok(());
            }
            (StatsKind::Variable, ..) => self.write_mask(w)?,
            (_, Ok(mask), 0) => w.u32(mask),
            _ => return Err(Fault::unwritable("stats beyond those of this protocol")),
        }
        self.values.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        if s.form() != Form::Lmpc {
            for (n, value) in self.iter() {
                if let Some(name) = Self::NAMES.get(n) {
                    s.value(*name, Scalar::Int(i64::from(value)));
                }
            }
            if self.spare_bytes != 0 {
                s.value(Self::SPARE, Scalar::Int(i64::from(self.spare_bytes)));
            }
            return;
        }
        if self.mask == 0 {
            return;
        }
        s.group(Self::LIST);
        for (n, value) in self.iter() {
            s.group(Self::ITEM);
            s.value(Self::INDEX, Scalar::Int(n as i64));
            s.value(Self::VALUE, Scalar::Int(i64::from(value)));
            s.close();
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, d: &Dialect) -> Result<Self, Mistake> {
        let mut slots = [None; 256];
        let (count, width) = match d.quake2.stats {
            StatsKind::Standard => (32, 32),
            StatsKind::EightTimes => (256, 32),
            StatsKind::Variable | StatsKind::Twice => (64, 64),
        };
        // LMPC's form first.
        if let Some(list) = f.take_child(Self::LIST) {
            for mut item in list.children() {
                if !Self::ITEM.is(item.keyword()) {
                    return Err(item.mistake("stats are made of stat { index N; value N; }"));
                }
                let n = item.take(Self::INDEX)?.int(0, count - 1)? as usize;
                slots[n] = Some(item.take(Self::VALUE)?.int(-32_768, 65_535)? as i16);
                item.finish()?;
            }
        }
        // One look at each child: nearly all of the names are absent.
        let mut named = [false; 256];
        for mut child in f.children() {
            let Some(n) = Self::number(child.keyword()).filter(|n| *n < count as usize) else { continue };
            // One that stands twice is left, which is a mistake.
            if let (false, Some(name)) = (std::mem::replace(&mut named[n], true), Self::NAMES.get(n)) {
                slots[n] = Some(child.take(*name)?.int(-32_768, 65_535)? as i16);
            }
        }
        let mask = slots.iter().enumerate().fold(0, |mask, (n, slot)| mask | u64::from(slot.is_some()) << (n % width));
        let spare_bytes = if f.has(Self::SPARE) { f.take(Self::SPARE)?.int(0, 9)? as u8 } else { 0 };
        Ok(Stats { mask, values: slots.iter().flatten().copied().collect(), spare_bytes })
    }
    fn given(_: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        true
    }
}

/// Time of a sound after its frame, in thousandths of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOffset(pub u8);

impl<'a> Field<'a> for TimeOffset {
    const TYPE: TypeSchema = TypeSchema::new("u8/1000", "number", "s");
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(TimeOffset)
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Near((f64::from(self.0) / 1000.0) as f32));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let v = (f.take(name)?.number()? * 1000.0).round();
        if (0.0..=255.0).contains(&v) { Ok(TimeOffset(v as u8)) } else { Err(f.mistake("timeofs is at most 0.255 s")) }
    }
}

/// Channel and entity of a sound, in one short; in the re-release where a mask bit says so in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoundSource {
    /// Channel, 0 to 7.
    pub channel: u8,
    /// Entity that makes the sound.
    pub entity: u32,
}

impl SoundSource {
    const CHANNEL: Name = Name::new("channel");
    const ENTITY: Name = Name::new("entity");
    /// The last entity that four bytes have room for.
    const LAST: u32 = u32::MAX >> 3;
    /// The last one that two bytes have room for.
    const LAST_SHORT: u32 = 0x1FFF;
}

impl<'a> WideField<'a> for SoundSource {
    #[inline]
    fn read_wide(r: &mut Reader<'a>, _: &Dialect, wide: bool) -> Result<Self, Fault> {
        let both = if wide { r.u32()? } else { u32::from(r.u16()?) };
        Ok(SoundSource { channel: both as u8 & 7, entity: both >> 3 })
    }
    #[inline]
    fn write_wide(&self, w: &mut Writer, _: &Dialect, wide: bool) -> Result<(), Fault> {
        let both = self.entity << 3 | u32::from(self.channel);
        match (self.channel, self.entity, wide) {
            (0..=7, 0..=Self::LAST_SHORT, false) => w.u16(both as u16),
            (0..=7, 0..=Self::LAST, true) => w.u32(both),
            _ => return Err(Fault::unwritable("a channel above 7, or an entity that this protocol has no room for")),
        }
        Ok(())
    }
    #[inline]
    fn needs_wide(&self, _: &Dialect) -> bool {
        self.entity > Self::LAST_SHORT
    }
}

impl<'a> Field<'a> for SoundSource {
    const TYPE: TypeSchema = TypeSchema::new("u16 or u32 = entity*8 + channel", "", "")
        .spread(&[("channel", "integer"), ("entity", "integer")]);
    fn read(r: &mut Reader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Self::read_wide(r, d, false)
    }
    fn write(&self, w: &mut Writer, d: &Dialect) -> Result<(), Fault> {
        self.write_wide(w, d, false)
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::CHANNEL, Scalar::Int(i64::from(self.channel)));
        s.value(Self::ENTITY, Scalar::Int(i64::from(self.entity)));
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        Ok(SoundSource {
            channel: f.take(Self::CHANNEL)?.int(0, 7)? as u8,
            entity: f.take(Self::ENTITY)?.int(0, i64::from(Self::LAST))? as u32,
        })
    }
    fn given(f: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        f.has(Self::ENTITY) || f.has(Self::CHANNEL)
    }
}

/// The type of a temporary entity, and for steam the number that chains its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectType {
    /// The type.
    pub entitytype: u8,
    /// Steam: -1 for a piece of its own.
    pub nextid: Option<i16>,
}

impl EffectType {
    pub(super) const STEAM: u8 = 40;
    const TYPE_NAME: Name = Name::new("entitytype");
    const NEXTID: Name = Name::new("nextid");
}

impl<'a> Field<'a> for EffectType {
    const TYPE: TypeSchema =
        TypeSchema::new("u8, with 40: i16", "", "").spread(&[("entitytype", "integer"), ("nextid", "integer")]);
    fn read(r: &mut Reader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let entitytype = r.u8()?;
        Ok(EffectType { entitytype, nextid: if entitytype == Self::STEAM { Some(r.i16()?) } else { None } })
    }
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        if self.nextid.is_some() != (self.entitytype == Self::STEAM) {
            return Err(Fault::unwritable("nextid belongs to steam, type 40"));
        }
        w.u8(self.entitytype);
        if let Some(v) = self.nextid {
            w.i16(v);
        }
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::TYPE_NAME, Scalar::Int(i64::from(self.entitytype)));
        if let Some(v) = self.nextid {
            s.value(Self::NEXTID, Scalar::Int(i64::from(v)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let entitytype = f.take(Self::TYPE_NAME)?.int(0, 255)? as u8;
        let nextid = if f.has(Self::NEXTID) { Some(f.take(Self::NEXTID)?.int(-32_768, 65_535)? as i16) } else { None };
        Ok(EffectType { entitytype, nextid })
    }
}

/// Which masked number a [`Sized32`] is.
pub trait SizedNumber {
    /// Mask bits: one byte, two bytes; both: four bytes.
    const BITS: (u8, u8);
    /// The name; LMPC splits the skin in two.
    const NAME: Name;
    /// What it means.
    const DOC: &'static str;
    /// From here on engines write four bytes.
    const LONG: u32;
    /// LMPC's second name, for what is above the lowest byte.
    const HIGH: Option<Name>;
    /// How text says that more bytes were used than needed.
    const BYTES: Name;
}

/// A number of one, two or four bytes by two mask bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sized32<N> {
    /// The number; 0 when it was not sent.
    value: u32,
    /// Bytes that it takes; 0 when it was not sent.
    bytes: u8,
    which: std::marker::PhantomData<N>,
}

impl<N> Default for Sized32<N> {
    fn default() -> Self {
        Sized32 { value: 0, bytes: 0, which: std::marker::PhantomData }
    }
}

impl<N: SizedNumber> Sized32<N> {
    /// A number in as many bytes as engines use.
    pub fn of(value: u32) -> Self {
        let bytes = match value {
            0..=255 => 1,
            v if v < N::LONG => 2,
            _ => 4,
        };
        Sized32 { value, bytes, which: std::marker::PhantomData }
    }

    /// Bytes that it takes; 0 when it was not sent.
    pub fn bytes(&self) -> u8 {
        self.bytes
    }

    /// The number, when it was sent.
    pub fn value(&self) -> Option<u32> {
        (self.bytes != 0).then_some(self.value)
    }
}

impl<'a, N: SizedNumber> MaskedGroup<'a> for Sized32<N> {
    const BITS: u64 = 1 << N::BITS.0 | 1 << N::BITS.1;
    const FIELDS: &'static [FieldSchema] = &[
        FieldSchema {
            name: N::NAME.text,
            lmpc: N::NAME.lmpc,
            doc: N::DOC,
            ty: TypeSchema::new("u8, u16 or u32", "integer", ""),
            presence: Presence::Bit(N::BITS.0),
        },
        FieldSchema {
            name: N::BYTES.text,
            lmpc: None,
            doc: "Bytes of it, when there are more than needed.",
            ty: TypeSchema::new("which of two mask bits", "integer", ""),
            presence: Presence::Bit(N::BITS.1),
        },
    ];
    #[inline(always)]
    fn read(r: &mut Reader<'a>, _: &Dialect, mask: u64) -> Result<Self, Fault> {
        let (value, bytes) = match (mask >> N::BITS.0 & 1, mask >> N::BITS.1 & 1) {
            (0, 0) => return Ok(Self::default()),
            (1, 0) => (u32::from(r.u8()?), 1),
            (0, _) => (u32::from(r.u16()?), 2),
            _ => (r.u32()?, 4),
        };
        Ok(Sized32 { value, bytes, which: std::marker::PhantomData })
    }
    #[inline]
    fn bits(&self) -> u64 {
        match self.bytes {
            0 => 0,
            1 => 1 << N::BITS.0,
            2 => 1 << N::BITS.1,
            _ => <Self as MaskedGroup<'a>>::BITS,
        }
    }
    #[inline]
    fn write(&self, w: &mut Writer, _: &Dialect) -> Result<(), Fault> {
        match (self.value, self.bytes) {
            (_, 0) => {}
            (v @ 0..=0xFF, 1) => w.u8(v as u8),
            (v @ 0..=0xFFFF, 2) => w.u16(v as u16),
            (v, 4) => w.u32(v),
            _ => return Err(Fault::unwritable("a number in fewer bytes than it needs")),
        }
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, s: &mut S) {
        let Some(value) = self.value() else { return };
        if let (Some(high), Form::Lmpc) = (N::HIGH, s.form()) {
            s.value(N::NAME, Scalar::Int(i64::from(value & 0xFF)));
            if value >> 8 != 0 {
                s.value(high, Scalar::Int(i64::from(value >> 8)));
            }
        } else {
            s.value(N::NAME, Scalar::Int(i64::from(value)));
        }
        if self.bytes != Self::of(value).bytes {
            s.value(N::BYTES, Scalar::Int(i64::from(self.bytes)));
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: &Dialect) -> Result<Self, Mistake> {
        if !f.has(N::NAME) {
            return Ok(Self::default());
        }
        let mut value = f.take(N::NAME)?.int(i64::from(i32::MIN), i64::from(u32::MAX))? as u32;
        if let Some(high) = N::HIGH.filter(|high| f.has(*high)) {
            value = value & 0xFF | (f.take(high)?.int(0, 0x00FF_FFFF)? as u32) << 8;
        }
        let mut it = Self::of(value);
        if f.has(N::BYTES) {
            it.bytes = match f.take(N::BYTES)?.int(1, 4)? {
                3 => return Err(f.mistake("a number takes 1, 2 or 4 bytes")),
                n => n as u8,
            };
        }
        Ok(it)
    }
}
