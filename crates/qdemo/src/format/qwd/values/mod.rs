//! Value types that only QuakeWorld's messages have.

mod command;
mod player;
mod sound;

pub use command::{Buttons, Command, Impulse};
pub use player::{Age, Effects, PlayerFlags, Prediction, Velocity};
pub use sound::SoundHead;

use std::borrow::Cow;

use crate::describe::{Field, Fields, Mistake, Name, Sink, TypeSchema, coordinates};
use crate::format::qwd::{Bytes as Wire, Dialect};
use crate::wire::{ByteReader, ByteWriter, Coord, F32, Fault, Scalar, byte_string, into_owned};

/// An angle in 65536ths of a turn, whatever the dialect's other angles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Angle16(pub i16);

impl<'a> Field<'a, Wire> for Angle16 {
    const TYPE: TypeSchema = TypeSchema::new("i16*360/65536", "number", "degrees");
    #[inline(always)]
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.i16().map(Angle16)
    }
    #[inline]
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.i16(self.0);
        Ok(())
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Turn65536(self.0));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.turns().map(|[turn]| Angle16(turn))
    }
}

coordinates! {
    /// A coordinate of a player.
    PlayerCoord, |d| d.player_coord;
    /// A coordinate of an entity delta.
    EntityCoord, |d| d.entity_coord;
}

/// Ten floats: what the physics of the server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MoveVars(pub [F32; 10]);

impl<'a> Field<'a, Wire> for MoveVars {
    const TYPE: TypeSchema = TypeSchema::new("f32[10]", "number[10]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let mut all = [F32::default(); 10];
        for v in &mut all {
            *v = F32::from_bits(r.u32()?);
        }
        Ok(MoveVars(all))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        self.0.iter().for_each(|v| w.u32(v.bits()));
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.values(name, &self.0.map(Scalar::Float));
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.floats::<10>().map(MoveVars)
    }
}

/// Bytes behind their number.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Blob<'a>(pub Cow<'a, [u8]>);

byte_string!(Blob<'a>);

into_owned!(Blob<'a> { 0 cow });

impl<'a> Field<'a, Wire> for Blob<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u16 size, u8[size]", "integer[]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let size = r.u16()?;
        r.bytes(usize::from(size)).map(|b| Blob(b.into()))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u16(u16::try_from(self.0.len()).map_err(|_| Fault::unwritable("more than 65,535 bytes"))?);
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(|b| Blob(b.into()))
    }
}

/// Qizmo's voice: 34 bytes.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct VoiceFrame<'a>(pub Cow<'a, [u8]>);

byte_string!(VoiceFrame<'a>);

into_owned!(VoiceFrame<'a> { 0 cow });

impl VoiceFrame<'_> {
    const BYTES: usize = 34;
}

impl<'a> Field<'a, Wire> for VoiceFrame<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u8[34]", "integer[34]", "");
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.bytes(Self::BYTES).map(|b| VoiceFrame(b.into()))
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        if self.0.len() != Self::BYTES {
            return Err(Fault::unwritable("a piece of Qizmo's voice has 34 bytes"));
        }
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(|b| VoiceFrame(b.into()))
    }
}
