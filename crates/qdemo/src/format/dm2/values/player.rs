//! What only players have: weapons in view, turns and blends.

use crate::describe::{
    Alpha, Braced, Field, FieldSchema, Fields, MaskedGroup, Mistake, Name, Presence, Share16, Sink, Table, TypeSchema,
    field_bits, field_parse, field_read, field_schema, field_show, field_type, field_write, name_of, rare,
};
use crate::format::dm2::{Bytes as Wire, Dialect, Packing};
use crate::wire::{ByteReader, ByteWriter, Coord, Fault, Scalar};

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

impl<'a> Field<'a, Wire> for GunIndex {
    const TYPE: TypeSchema = TypeSchema::new("u8; u16; u16 = index + skin*8192", "integer", "")
        .spread(&[("gunindex", "integer"), ("gunskin", "integer")]);
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        match d.layout.gun_index {
            Packing::Byte => Ok(GunIndex::new(u16::from(r.u8()?))),
            Packing::Word => r.u16().map(GunIndex::new),
            Packing::PackedWord => {
                let word = r.u16()?;
                Ok(GunIndex { index: word & ((1 << Self::SKIN_BIT) - 1), skin: (word >> Self::SKIN_BIT) as u8 })
            }
        }
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        match (d.layout.gun_index, self.index, self.skin) {
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
        let packed = d.layout.gun_index == Packing::PackedWord && f.has(Self::SKIN);
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

/// Three angles in 65536ths of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Angles16(pub [i16; 3]);

impl<'a> Field<'a, Wire> for Angles16 {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536 [3]", "number[3]", "degrees");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Angles16([r.i16()?, r.i16()?, r.i16()?]))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.i16(*v));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Turn65536));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.turns().map(Angles16)
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

impl<'a> Field<'a, Wire> for Quarters {
    const TYPE: TypeSchema = TypeSchema::new("i8/4 [3]", "number[3]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        Ok(Quarters([r.i8()?, r.i8()?, r.i8()?]))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
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

impl<'a> MaskedGroup<'a, Wire> for Option<Gun> {
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
    fn read(r: &mut ByteReader<'a>, d: &Dialect, mask: u64) -> Result<Self, Fault> {
        if mask & <Self as MaskedGroup<'a, Wire>>::BITS == 0 {
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
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
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

impl<'a> Field<'a, Wire> for Blend {
    const TYPE: TypeSchema =
        TypeSchema::new("u8/255 [4]; a mask and u8/255 each in Q2PRO's extended demos", "number[4]", "0..1");
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        if d.layout.blend_parts {
            return Field::read(r, d).map(Blend::Parts);
        }
        Ok(Blend::All([r.u8()?, r.u8()?, r.u8()?, r.u8()?]))
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        match (self, d.layout.blend_parts) {
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
        if d.layout.blend_parts {
            return Field::parse(f, name, d).map(Blend::Parts);
        }
        let values = f.take(name)?.floats::<4>()?.map(|v| (v.get() * 255.0).round());
        if values.iter().any(|v| !(0.0..=255.0).contains(v)) {
            return Err(f.mistake("a colour is from 0 to 1"));
        }
        Ok(Blend::All(values.map(|v| v as u8)))
    }
}
