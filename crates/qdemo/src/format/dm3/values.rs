//! Value types that only Quake III's messages have.

use super::dialect::{Bits, Dialect};
use crate::describe::{Field, Fields, Mistake, Name, PlainBytes, Sink, TypeSchema};
use crate::wire::{BitReader, BitWriter, Fault, Scalar, byte_string, clean};

/// Whole numbers of whole bytes, the same as in the other formats.
macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl<'a> Field<'a, Bits> for $ty {
            const TYPE: TypeSchema = <$ty as Field<'a, PlainBytes>>::TYPE;
            #[inline(always)]
            fn read(r: &mut BitReader<'a>, _: &Dialect) -> Result<Self, Fault> {
                r.$ty()
            }
            #[inline]
            fn write(&self, w: &mut BitWriter, _: &Dialect) -> Result<(), Fault> {
                w.$ty(*self);
                Ok(())
            }
            #[inline]
            fn show<S: Sink>(&self, name: Name, s: &mut S) {
                Field::<PlainBytes>::show(self, name, s);
            }
            #[inline]
            fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
                Field::<PlainBytes>::parse(f, name, &())
            }
        }
    )*};
}

integers! { u8 i8 u16 i16 u32 i32 }

/// A string without its NUL, as the bytes on the wire. (An engine shows `%` and bytes above 127 as `.`.)
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Text(pub Vec<u8>);

byte_string!(Text);

impl Text {
    /// The string in plain ASCII; colour codes stay.
    pub fn clean(&self) -> String {
        clean(&self.0)
    }
}

impl<'a> Field<'a, Bits> for Text {
    const TYPE: TypeSchema = TypeSchema::new("string", "string", "");
    fn read(r: &mut BitReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        r.text().map(Text)
    }
    fn write(&self, w: &mut BitWriter, _: &Dialect) -> Result<(), Fault> {
        if self.0.contains(&0) {
            return Err(Fault::unwritable("a string with a NUL in it"));
        }
        w.text(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.string(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.string().map(|s| Text(s.to_vec()))
    }
}

fn read_data(r: &mut BitReader<'_>, size: u16) -> Result<Vec<u8>, Fault> {
    (0..size).map(|_| r.u8()).collect()
}

fn write_size(w: &mut BitWriter, data: &[u8]) -> Result<(), Fault> {
    w.u16(u16::try_from(data.len()).map_err(|_| Fault::unwritable("data of more than 65,535 bytes"))?);
    Ok(())
}

/// Bytes behind their number.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Data(pub Vec<u8>);

byte_string!(Data);

impl<'a> Field<'a, Bits> for Data {
    const TYPE: TypeSchema = TypeSchema::new("u16 size, u8[size]", "integer[]", "");
    fn read(r: &mut BitReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let size = r.u16()?;
        read_data(r, size).map(Data)
    }
    fn write(&self, w: &mut BitWriter, _: &Dialect) -> Result<(), Fault> {
        write_size(w, &self.0)?;
        w.bytes(&self.0);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.bytes(name, &self.0);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        f.take(name)?.bytes().map(Data)
    }
}

/// Bytes behind their number and two flags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlaggedData {
    /// 1 spatial, 2 direct.
    pub flags: u8,
    /// The bytes.
    pub data: Vec<u8>,
}

const FLAGS: Name = Name::with("flags", "");
const FLAG_BITS: u32 = 2;

impl<'a> Field<'a, Bits> for FlaggedData {
    const TYPE: TypeSchema =
        TypeSchema::new("u16 size, u2 flags, u8[size]", "", "").spread(&[("flags", "integer"), ("data", "integer[]")]);
    fn read(r: &mut BitReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let size = r.u16()?;
        let flags = r.value(FLAG_BITS)? as u8;
        Ok(FlaggedData { flags, data: read_data(r, size)? })
    }
    fn write(&self, w: &mut BitWriter, _: &Dialect) -> Result<(), Fault> {
        write_size(w, &self.data)?;
        w.value(u32::from(self.flags), FLAG_BITS);
        w.bytes(&self.data);
        Ok(())
    }
    fn show<S: Sink>(&self, name: Name, s: &mut S) {
        s.value(FLAGS, Scalar::Int(i64::from(self.flags)));
        s.bytes(name, &self.data);
    }
    fn parse(f: &mut Fields<'a, '_>, name: Name, _: &Dialect) -> Result<Self, Mistake> {
        let flags = f.take(FLAGS)?.int(0, 3)? as u8;
        Ok(FlaggedData { flags, data: f.take(name)?.bytes()? })
    }
}
