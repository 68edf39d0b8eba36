//! Numbers that take a byte or two: of models, sounds, entities.

use crate::describe::{
    ByteDialect, ByteWire, Field, Fields, Mistake, Name, Sink, Table, TypeSchema, WideField, Width, carries,
};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar};

/// Numbers into a precache list or the state array: shown with the name they stand for.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident, $wire:literal, $table:expr, $width:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name(pub u16);

        impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for $name {
            const TYPE: TypeSchema = TypeSchema::new($wire, "integer", "");
            #[inline(always)]
            fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
                WideField::<W>::read_wide(r, d, false)
            }
            #[inline]
            fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
                WideField::<W>::write_wide(self, w, d, false)
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                s.index(name, u32::from(self.0), $table);
            }
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &W::Dialect) -> Result<Self, Mistake> {
                f.take(name)?.int(0, 65535).map(|v| $name(v as u16))
            }
        }

        impl<'a, W: ByteWire<Dialect: ByteDialect>> WideField<'a, W> for $name {
            #[inline(always)]
            fn read_wide(r: &mut ByteReader<'a>, d: &W::Dialect, wide: bool) -> Result<Self, Fault> {
                let width: fn(&W::Dialect) -> Width = $width;
                Ok($name(if wide || width(d) == Width::U16 { r.u16()? } else { u16::from(r.u8()?) }))
            }
            #[inline]
            fn write_wide(&self, w: &mut ByteWriter, d: &W::Dialect, wide: bool) -> Result<(), Fault> {
                let width: fn(&W::Dialect) -> Width = $width;
                match (wide || width(d) == Width::U16, u8::try_from(self.0)) {
                    (true, _) => w.u16(self.0),
                    (false, Ok(v)) => w.u8(v),
                    (false, Err(_)) => return Err(Fault::unwritable("a number above 255 in a one-byte field")),
                }
                Ok(())
            }
            #[inline]
            fn needs_wide(&self, d: &W::Dialect) -> bool {
                let width: fn(&W::Dialect) -> Width = $width;
                width(d) == Width::U8 && self.0 > 255
            }
        }

        carries! { $name(u16); }
    )*};
}

indices! {
    /// A number in the model precache list, 1 the map; 0 no model.
    ModelIndex, "u8 (u16 in BJP)", Table::Models, ByteDialect::model_index;
    /// A number in the sound precache list, from 1.
    SoundIndex, "u8 (u16 in BJP)", Table::Sounds, ByteDialect::sound_index;
    /// A number in the sound precache list of an ambient sound.
    StaticSoundIndex, "u8 (u16 in BJP)", Table::Sounds, ByteDialect::static_sound_index;
    /// A number in the sound precache list that is always two bytes.
    LongSoundIndex, "u16", Table::Sounds, |_| Width::U16;
    /// A number in the player state array, 0 to 31.
    StatIndex, "u8", Table::Stats, |_| Width::U8;
}

/// A number that takes one byte, or two when a mask bit says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteOrShort(pub u16);

impl<'a, W: ByteWire<Dialect: ByteDialect>> Field<'a, W> for ByteOrShort {
    const TYPE: TypeSchema = TypeSchema::new("u8 or u16", "integer", "");
    fn read(r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        WideField::<W>::read_wide(r, d, false)
    }
    fn write(&self, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        WideField::<W>::write_wide(self, w, d, false)
    }
    #[inline]
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(name, Scalar::Int(i64::from(self.0)));
    }
    #[inline]
    fn parse(f: &mut Fields<'a, '_>, name: Name, d: &W::Dialect) -> Result<Self, Mistake> {
        <u16 as Field<W>>::parse(f, name, d).map(ByteOrShort)
    }
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> WideField<'a, W> for ByteOrShort {
    #[inline(always)]
    fn read_wide(r: &mut ByteReader<'a>, d: &W::Dialect, wide: bool) -> Result<Self, Fault> {
        <StatIndex as WideField<W>>::read_wide(r, d, wide).map(|v| ByteOrShort(v.0))
    }
    #[inline]
    fn write_wide(&self, w: &mut ByteWriter, d: &W::Dialect, wide: bool) -> Result<(), Fault> {
        WideField::<W>::write_wide(&StatIndex(self.0), w, d, wide)
    }
    #[inline]
    fn needs_wide(&self, _: &W::Dialect) -> bool {
        self.0 > 255
    }
}
