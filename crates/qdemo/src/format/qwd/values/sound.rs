//! The head of a sound: channel, entity, and what is told of volume and attenuation.

use crate::describe::{Field, Fields, Mistake, Name, Sink, TypeSchema};
use crate::format::qwd::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

/// What a sound's first two bytes and their options say: channel, entity, loudness, fading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SoundHead {
    /// Channel, 0 to 7.
    pub channel: u8,
    /// Entity that makes the sound, 0 to 1023.
    pub entity: u16,
    /// Bit 13, which has no meaning.
    pub bit13: bool,
    /// Loudness in 255ths; full when absent.
    pub vol: Option<u8>,
    /// How fast it fades with distance, in 64ths; 1 when absent.
    pub attenuation: Option<u8>,
}

impl SoundHead {
    const CHANNEL: Name = Name::new("channel");
    const ENTITY: Name = Name::new("entity");
    const VOL: Name = Name::new("vol");
    const ATTENUATION: Name = Name::new("attenuation");
    const BIT13: Name = Name::with("bit13", "");
}

impl<'a> Field<'a, Wire> for SoundHead {
    const TYPE: TypeSchema =
        TypeSchema::new("u16: channel 3 bits, entity 10, bit 14 attenuation, bit 15 vol; u8, u8", "", "")
            .spread(&[
                ("channel", "integer"),
                ("entity", "integer"),
                ("vol", "number"),
                ("attenuation", "number"),
                ("bit13", "boolean"),
            ])
            .needs(&["channel", "entity"]);
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let word = r.u16()?;
        Ok(SoundHead {
            channel: word as u8 & 7,
            entity: word >> 3 & 0x3FF,
            bit13: word >> 13 & 1 == 1,
            vol: if word >> 15 & 1 == 1 { Some(r.u8()?) } else { None },
            attenuation: if word >> 14 & 1 == 1 { Some(r.u8()?) } else { None },
        })
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if self.channel > 7 || self.entity > 0x3FF {
            return Err(Fault::unwritable("a channel above 7 or an entity above 1023"));
        }
        let flags = u16::from(self.bit13) << 13
            | u16::from(self.attenuation.is_some()) << 14
            | u16::from(self.vol.is_some()) << 15;
        w.u16(u16::from(self.channel) | self.entity << 3 | flags);
        self.vol.iter().chain(&self.attenuation).for_each(|b| w.u8(*b));
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::CHANNEL, Scalar::Int(i64::from(self.channel)));
        s.value(Self::ENTITY, Scalar::Int(i64::from(self.entity)));
        if let Some(v) = self.vol {
            s.value(Self::VOL, Scalar::Near((f64::from(v) / 255.0) as f32));
        }
        if let Some(v) = self.attenuation {
            s.value(Self::ATTENUATION, Scalar::Binary(i32::from(v), 6));
        }
        if self.bit13 {
            s.flag(Self::BIT13);
        }
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let mut part = |name: Name, per: f64| -> Result<Option<u8>, Mistake> {
            if !f.has(name) {
                return Ok(None);
            }
            let v = (f.take(name)?.number()? * per).round();
            match (0.0..=255.0).contains(&v) {
                true => Ok(Some(v as u8)),
                false => Err(f.mistake(format!("{} does not fit into a byte", name.text))),
            }
        };
        let (vol, attenuation) = (part(Self::VOL, 255.0)?, part(Self::ATTENUATION, 64.0)?);
        Ok(SoundHead {
            channel: f.take(Self::CHANNEL)?.int(0, 7)? as u8,
            entity: f.take(Self::ENTITY)?.int(0, 0x3FF)? as u16,
            bit13: f.flag(Self::BIT13)?,
            vol,
            attenuation,
        })
    }
    fn given(_: &Fields<'a, '_>, _: Name, _: &Dialect) -> bool {
        true
    }
}
