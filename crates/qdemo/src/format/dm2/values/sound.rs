//! Sounds: of entities, and of messages.

use crate::describe::{
    Attenuation, Field, Fields, Form, Mistake, Name, Sink, SoundIndex, Table, TypeSchema, Volume, WideField,
};
use crate::format::dm2::{Bytes as Wire, Dialect, Packing};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

pub(super) const LOOP_ATTENUATION: Name = Name::with("loop_attenuation", "");
const LOOP_VOLUME: Name = Name::with("loop_volume", "");

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

impl<'a> Field<'a, Wire> for EntitySound {
    const TYPE: TypeSchema = TypeSchema::new("u8; u16; u16 and two bytes by its bits 14 and 15", "integer", "")
        .spread(&[("sound", "integer"), ("loop_volume", "number"), ("loop_attenuation", "number")]);
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        match d.layout.entity_sound {
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
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        let plain = self.volume.is_none() && self.attenuation.is_none();
        match (d.layout.entity_sound, self.index) {
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
            Field::<Wire>::show(v, LOOP_VOLUME, s);
        }
        if let Some(v) = &self.attenuation {
            Field::<Wire>::show(v, LOOP_ATTENUATION, s);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &Dialect) -> Result<Self, Mistake> {
        let mut sound = EntitySound::new(<SoundIndex as Field<Wire>>::parse(f, name, d)?.0);
        if d.layout.entity_sound == Packing::PackedWord {
            if f.has(LOOP_VOLUME) {
                sound.volume = Some(Field::<Wire>::parse(f, LOOP_VOLUME, d)?);
            }
            if f.has(LOOP_ATTENUATION) {
                sound.attenuation = Some(Field::<Wire>::parse(f, LOOP_ATTENUATION, d)?);
            }
        }
        Ok(sound)
    }
}

/// Time of a sound after its frame, in thousandths of a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOffset(pub u8);

impl<'a> Field<'a, Wire> for TimeOffset {
    const TYPE: TypeSchema = TypeSchema::new("u8/1000", "number", "s");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.u8().map(TimeOffset)
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u8(self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        let seconds = (f64::from(self.0) / 1000.0) as f32;
        // LMPC cuts thousandths off where it should round, and does not read all that it writes itself.
        let cut = s.form() == Form::Lmpc && f64::from(seconds) * 1000.0 < f64::from(self.0);
        let seconds = if cut { ((f64::from(self.0) + 0.25) / 1000.0) as f32 } else { seconds };
        s.value(name, Scalar::Near(seconds));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let v = (f.take(name)?.number()? * 1000.0).round();
        if (0.0..=255.0).contains(&v) { Ok(TimeOffset(v as u8)) } else { Err(f.mistake("timeofs is at most 0.255 s")) }
    }
}

/// Channel and entity of a sound, in one short; in the re-release where a mask bit says so in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// The last one that LMPC has room for.
    const LAST_FOR_LMPC: u32 = 0x7FF;
}

impl<'a> WideField<'a, Wire> for SoundSource {
    #[inline]
    fn read_wide(r: &mut ByteReader<'a>, _: &Dialect, wide: bool) -> Result<Self, Fault> {
        let both = if wide { r.u32()? } else { u32::from(r.u16()?) };
        Ok(SoundSource { channel: both as u8 & 7, entity: both >> 3 })
    }
    #[inline]
    fn write_wide(&self, w: &mut ByteWriter, _: &Dialect, wide: bool) -> Result<(), Fault> {
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

impl<'a> Field<'a, Wire> for SoundSource {
    const TYPE: TypeSchema = TypeSchema::new("u16 or u32 = entity*8 + channel", "", "")
        .spread(&[("channel", "integer"), ("entity", "integer")]);
    fn read(r: &mut ByteReader<'a>, d: &Dialect) -> Result<Self, Fault> {
        Self::read_wide(r, d, false)
    }
    fn write(&self, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
        self.write_wide(w, d, false)
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        if self.entity > Self::LAST_FOR_LMPC {
            s.foreign();
        }
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
