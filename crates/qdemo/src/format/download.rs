//! A message that QuakeWorld and Quake II have alike.

use std::borrow::Cow;

use crate::describe::{
    Body, ByteDialect, ByteWire, FieldSchema, Fields, Mistake, Name, Presence, Schema, Sink, TypeSchema,
};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, into_owned};

/// A part of a file that the server sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Download<'a> {
    /// Bytes in this part; negative when there is no such file.
    pub size: i16,
    /// How much of the file is there with this part, in percent.
    pub percent: u8,
    /// The bytes, as many as `size` says. None where the protocol sends none: in Quake II before 32.
    pub data: Cow<'a, [u8]>,
}

into_owned!(Download<'a> { size, percent, data cow });

const NAME: Name = Name::new("download");
const SIZE: Name = Name::new("size");
const PERCENT: Name = Name::new("percent");
const DATA: Name = Name::new("data");

/// Bytes of data behind a size.
fn data_len(size: i16, d: &impl ByteDialect) -> usize {
    if d.download_data() { usize::try_from(size).unwrap_or(0) } else { 0 }
}

impl<'a, W: ByteWire<Dialect: ByteDialect>> Body<'a, W> for Download<'a> {
    const NAME: Name = NAME;
    const SCHEMA: Schema = Schema {
        name: "download",
        lmpc: Some("download"),
        doc: "A part of a file that the server sends.",
        inline: false,
        masked: false,
        fields: &[&[
            FieldSchema::new(
                "size",
                TypeSchema::new("i16", "integer", ""),
                Presence::Always,
                "Bytes in this part; negative when there is no such file.",
            ),
            FieldSchema::new(
                "percent",
                TypeSchema::new("u8", "integer", "%"),
                Presence::Always,
                "How much of the file is there with this part.",
            ),
            FieldSchema::new(
                "data",
                TypeSchema::new("u8[size]", "integer[]", ""),
                Presence::Selected,
                "The bytes; in Quake II from protocol 32 on.",
            ),
        ]],
    };
    fn read(_: u8, r: &mut ByteReader<'a>, d: &W::Dialect) -> Result<Self, Fault> {
        let (size, percent) = (r.i16()?, r.u8()?);
        Ok(Download { size, percent, data: r.bytes(data_len(size, d))?.into() })
    }
    fn write(&self, id: u8, w: &mut ByteWriter, d: &W::Dialect) -> Result<(), Fault> {
        if self.data.len() != data_len(self.size, d) {
            return Err(Fault::unwritable("a download with other data than its size says"));
        }
        w.u8(id);
        w.i16(self.size);
        w.u8(self.percent);
        w.bytes(&self.data);
        Ok(())
    }
    fn show<S: Sink>(&self, s: &mut S) {
        s.open(NAME, false);
        s.value(SIZE, Scalar::Int(i64::from(self.size)));
        s.value(PERCENT, Scalar::Int(i64::from(self.percent)));
        if !self.data.is_empty() {
            s.bytes(DATA, &self.data);
        }
        s.close();
    }
    fn parse(f: &mut Fields<'a, '_>, _: &W::Dialect) -> Result<Self, Mistake> {
        Ok(Download {
            size: f.take(SIZE)?.int(-32_768, 32_767)? as i16,
            percent: f.take(PERCENT)?.int(0, 255)? as u8,
            data: if f.has(DATA) { f.take(DATA)?.bytes()?.into() } else { Cow::default() },
        })
    }
}
