//! Packed configstrings and baselines. What is packed stays as it is: who packs it again may get other bytes.

use std::borrow::Cow;

use flate2::{Decompress, FlushDecompress, Status};

use crate::describe::{
    Field, Fields, Mistake, Name, Sink, TypeSchema, field_parse, field_read, field_schema, field_show, field_write,
    message, name_of,
};
use crate::format::dm2::{Bytes as Wire, ConfigString, Dialect, SpawnBaseline};
use crate::wire::{ByteReader, ByteWriter, Fault, Scalar, Str, into_owned};

message! {
    /// Configstrings, packed. Text shows them as remarks.
    pub struct ConfigBlast<'a> = "configblast" as "", block {
        /// What they are packed in.
        packed as "": Packed<'a>;
    }
}
message! {
    /// Baselines, packed. Text shows them as remarks.
    pub struct SpawnBaselineBlast<'a> = "spawnbaselineblast" as "", block {
        /// What they are packed in.
        packed as "": Packed<'a>;
    }
}

impl ConfigBlast<'_> {
    /// Hands on the configstrings one by one.
    pub fn each(&self, mut each: impl FnMut(&ConfigString<'_>)) -> Unpacked {
        self.packed.each(|r| {
            let (index, string) = (r.u16()?, r.until_nul()?);
            each(&ConfigString { index, string: Str::new(string) });
            Ok(())
        })
    }
}

impl SpawnBaselineBlast<'_> {
    /// Hands on the baselines one by one.
    pub fn each(&self, d: &Dialect, mut each: impl FnMut(&SpawnBaseline)) -> Unpacked {
        self.packed.each(|r| {
            each(&SpawnBaseline::read_whole(r, d)?);
            Ok(())
        })
    }
}

/// How well something could be unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpacked {
    /// Bytes that came out.
    pub size: usize,
    /// What is packed is damaged, or goes on beyond what a message may hold, or something stands behind it.
    pub damaged: bool,
    /// Bytes at the end that nothing could be made of.
    pub unread: usize,
}

/// Something packed with zlib.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed<'a> {
    /// Its size when unpacked, as the message says.
    pub size: u16,
    /// What is packed.
    pub data: Cow<'a, [u8]>,
}

into_owned!(Packed<'a> { size, data cow });

impl Packed<'_> {
    const SIZE: Name = Name::with("size", "");
    const DATA: Name = Name::with("data", "");
    /// No message tells of more.
    const MOST: usize = 65_535;

    /// Unpacks it. What comes out in front of damage is given all the same.
    pub fn unpack(&self) -> (Vec<u8>, bool) {
        let mut zlib = Decompress::new(true);
        let (mut out, mut part) = (Vec::new(), [0; 4096]);
        loop {
            let (used, made) = (zlib.total_in(), zlib.total_out());
            let rest = usize::try_from(used).ok().and_then(|used| self.data.get(used..)).unwrap_or_default();
            let status = zlib.decompress(rest, &mut part, FlushDecompress::None);
            let new = usize::try_from(zlib.total_out() - made).unwrap_or(0);
            out.extend_from_slice(part.get(..new).unwrap_or_default());
            let ended = matches!(status, Ok(Status::StreamEnd));
            let stuck = status.is_err() || zlib.total_in() == used && new == 0;
            if ended || stuck || out.len() > Self::MOST {
                let whole = ended && zlib.total_in() == self.data.len() as u64 && out.len() <= Self::MOST;
                out.truncate(Self::MOST);
                return (out, !whole);
            }
        }
    }

    /// Reads all that is packed, as far as it can be read.
    fn each(&self, mut read: impl FnMut(&mut ByteReader<'_>) -> Result<(), Fault>) -> Unpacked {
        let (bytes, damaged) = self.unpack();
        let mut r = ByteReader::new(&bytes);
        let mut start = 0;
        while !r.is_empty() && read(&mut r).is_ok() {
            start = r.pos();
        }
        Unpacked { size: bytes.len(), damaged, unread: bytes.len() - start }
    }
}

impl<'a> Field<'a, Wire> for Packed<'a> {
    const TYPE: TypeSchema = TypeSchema::new("u16 packed size, u16 size, zlib data", "", "")
        .spread(&[("size", "integer"), ("data", "integer[]")]);
    fn read(r: &mut ByteReader<'a>, _: &Dialect) -> Result<Self, Fault> {
        let (packed, size) = (r.u16()?, r.u16()?);
        Ok(Packed { size, data: r.bytes(usize::from(packed))?.into() })
    }
    fn write(&self, w: &mut ByteWriter, _: &Dialect) -> Result<(), Fault> {
        w.u16(u16::try_from(self.data.len()).map_err(|_| Fault::unwritable("more than 65535 packed bytes"))?);
        w.u16(self.size);
        w.bytes(&self.data);
        Ok(())
    }
    fn show<S: Sink>(&self, _: Name, s: &mut S) {
        s.value(Self::SIZE, Scalar::Int(i64::from(self.size)));
        s.bytes(Self::DATA, &self.data);
    }
    fn parse(f: &mut Fields<'a, '_>, _: Name, _: &Dialect) -> Result<Self, Mistake> {
        let size = f.take(Self::SIZE)?.int(0, 65_535)? as u16;
        Ok(Packed { size, data: f.take(Self::DATA)?.bytes()?.into() })
    }
}
