//! The directory of a 7z archive.

use lzma_rust2::FilterConfig;

use crate::error::ErrorKind;
use crate::limits::Bound;
use crate::{Error, Limits, Result};

/// Marks of what follows (7zFormat.txt, "Property IDs").
mod id {
    pub(super) const END: u64 = 0x00;
    pub(super) const HEADER: u64 = 0x01;
    pub(super) const ARCHIVE_PROPERTIES: u64 = 0x02;
    pub(super) const ADDITIONAL_STREAMS: u64 = 0x03;
    pub(super) const MAIN_STREAMS: u64 = 0x04;
    pub(super) const FILES: u64 = 0x05;
    pub(super) const PACK_INFO: u64 = 0x06;
    pub(super) const UNPACK_INFO: u64 = 0x07;
    pub(super) const SUBSTREAMS: u64 = 0x08;
    pub(super) const SIZE: u64 = 0x09;
    pub(super) const CRC: u64 = 0x0A;
    pub(super) const FOLDER: u64 = 0x0B;
    pub(super) const UNPACK_SIZE: u64 = 0x0C;
    pub(super) const SUBSTREAM_COUNT: u64 = 0x0D;
    pub(super) const EMPTY_STREAM: u64 = 0x0E;
    pub(super) const EMPTY_FILE: u64 = 0x0F;
    pub(super) const NAMES: u64 = 0x11;
    pub(super) const ENCODED: u64 = 0x17;
}

/// Methods in one folder are at most so many.
const MAX_METHODS: u64 = 32;

/// What a directory turns out to be.
pub(super) enum Directory {
    /// Packed: what unpacks it.
    Packed(Folder),
    Plain {
        folders: Vec<Folder>,
        files: Vec<File>,
    },
}

/// Data packed as one piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Folder {
    /// Where it begins, counted from the end of the first header, and how long it is there.
    pub(super) offset: u64,
    pub(super) packed: u64,
    /// Its unpacked size.
    pub(super) size: u64,
    /// The size behind the first method.
    pub(super) first_size: u64,
    pub(super) crc: Option<u32>,
    /// In the order in which they unpack. Empty for what is no chain.
    pub(super) methods: Vec<Method>,
    /// How many packed streams it takes: more than one where it is no chain.
    streams: usize,
    /// Which of the sizes told is that of the folder, which that behind the first method; how many are told.
    last: usize,
    first: usize,
    outputs: usize,
}

/// A way to pack.
#[derive(Debug, Clone)]
pub(super) struct Method {
    pub(super) id: Vec<u8>,
    pub(super) properties: Vec<u8>,
}

/// A file or folder of names.
#[derive(Debug)]
pub(super) struct File {
    pub(super) name: Vec<u8>,
    pub(super) size: u64,
    pub(super) crc: Option<u32>,
    /// The folder of data, and the offset within it.
    pub(super) place: Option<(usize, u64)>,
    /// No other file lies in that folder.
    pub(super) is_alone: bool,
    pub(super) is_folder: bool,
}

impl Method {
    /// The name, for people.
    pub(super) fn name(&self) -> String {
        let name = match self.id.as_slice() {
            [0] => "copy",
            [3] => "delta",
            [0x21] => "LZMA2",
            [3, 1, 1] => "LZMA",
            [3, 3, 1, 3] | [4] => "BCJ",
            [3, 3, 1, 0x1B] => "BCJ2",
            [3, 4, 1] => "PPMd",
            [4, 1, 8] => "deflate",
            [4, 1, 9] => "deflate64",
            [4, 2, 2] => "bzip2",
            [4, 0xF7, 0x11, 1] => "Zstandard",
            [6, 0xF1, 7, 1] => "AES encryption",
            other => {
                let id: String = other.iter().map(|byte| format!("{byte:02X}")).collect();
                return format!("method {id}");
            }
        };
        name.to_owned()
    }

    /// What a method that makes nothing smaller does to bytes behind another one.
    pub(super) fn filter(&self) -> Option<FilterConfig> {
        match (self.id.as_slice(), self.properties.as_slice()) {
            ([3], [distance]) => Some(FilterConfig::new_delta(u32::from(*distance) + 1)),
            ([3, 3, 1, 3] | [4], []) => Some(FilterConfig::new_bcj_x86(0)),
            _ => None,
        }
    }
}

/// A file in a folder: size and checksum.
type Stream = (u64, Option<u32>);

/// Which packed and unpacked streams there are.
#[derive(Default)]
struct Streams {
    folders: Vec<Folder>,
    /// The files in each folder.
    files: Vec<Vec<Stream>>,
}

impl Directory {
    /// # Errors
    ///
    /// Damage, and more entries than the limits allow.
    pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Directory> {
        let mut input = Bytes { rest: bytes, most: limits.entries };
        match input.number()? {
            id::ENCODED => {
                let folder = input.streams()?.folders.into_iter().next();
                folder.map(Directory::Packed).ok_or_else(damaged)
            }
            id::HEADER => {
                let mut streams = Streams::default();
                loop {
                    match input.number()? {
                        id::END => return Ok(Directory::Plain { folders: streams.folders, files: Vec::new() }),
                        id::ARCHIVE_PROPERTIES => input.properties()?,
                        id::ADDITIONAL_STREAMS => drop(input.streams()?),
                        id::MAIN_STREAMS => streams = input.streams()?,
                        id::FILES => {
                            let files = input.files(&streams)?;
                            return Ok(Directory::Plain { folders: streams.folders, files });
                        }
                        _ => return Err(damaged()),
                    }
                }
            }
            _ => Err(damaged()),
        }
    }
}

#[cold]
fn damaged() -> Error {
    Error::container("damaged: the 7z directory does not make sense")
}

/// Bytes of a directory.
struct Bytes<'b> {
    rest: &'b [u8],
    /// Most of anything that is counted.
    most: usize,
}

impl<'b> Bytes<'b> {
    fn take(&mut self, len: u64) -> Result<&'b [u8]> {
        let split = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        let (taken, rest) = split.ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| damaged())?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// A number of 1 to 9 bytes: as many bytes follow the first one as it begins with ones, and what is left of it is on
    /// top.
    fn number(&mut self) -> Result<u64> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let low = self.take(more.into())?.iter().rev().fold(0, |sum: u64, &byte| sum << 8 | u64::from(byte));
        let top = if more >= 7 { 0 } else { u64::from(first) & ((1 << (7 - more)) - 1) };
        Ok(low | top.checked_shl(8 * more).unwrap_or(0))
    }

    /// How many of something there are.
    fn count(&mut self) -> Result<usize> {
        let found = self.number()?;
        if found > self.most as u64 {
            return Err(Error::new(ErrorKind::Limit { what: Bound::Entries, limit: self.most as u64, found }));
        }
        Ok(found as usize)
    }

    fn expect(&mut self, id: u64) -> Result<()> {
        if self.number()? == id { Ok(()) } else { Err(damaged()) }
    }

    /// Bits, the highest of each byte first.
    fn bits(&mut self, count: usize) -> Result<Vec<bool>> {
        let bytes = self.take(count.div_ceil(8) as u64)?;
        Ok((0..count).map(|at| bytes[at / 8] & 0x80 >> (at % 8) != 0).collect())
    }

    /// Checksums of which some may be missing.
    fn checksums(&mut self, count: usize) -> Result<Vec<Option<u32>>> {
        let known = if self.byte()? != 0 { vec![true; count] } else { self.bits(count)? };
        known.into_iter().map(|known| if known { self.u32().map(Some) } else { Ok(None) }).collect()
    }

    /// Properties of the archive, none of which matter.
    fn properties(&mut self) -> Result<()> {
        while self.number()? != id::END {
            let len = self.number()?;
            self.take(len)?;
        }
        Ok(())
    }

    fn streams(&mut self) -> Result<Streams> {
        let mut streams = Streams::default();
        let (mut start, mut packed) = (0, Vec::new());
        loop {
            match self.number()? {
                id::END => break,
                id::PACK_INFO => (start, packed) = self.pack_info()?,
                id::UNPACK_INFO => {
                    streams.folders = self.folders()?;
                    // Each is one file where nothing else is told.
                    streams.files = streams.folders.iter().map(|folder| vec![(folder.size, folder.crc)]).collect();
                }
                id::SUBSTREAMS => streams.files = self.substreams(&streams.folders)?,
                _ => return Err(damaged()),
            }
        }
        let mut sizes = packed.into_iter();
        for folder in &mut streams.folders {
            folder.offset = start;
            for _ in 0..folder.streams {
                let size: u64 = sizes.next().ok_or_else(damaged)?;
                folder.packed = folder.packed.saturating_add(size);
                start = start.saturating_add(size);
            }
        }
        Ok(streams)
    }

    /// Where packed streams begin, and their sizes.
    fn pack_info(&mut self) -> Result<(u64, Vec<u64>)> {
        let start = self.number()?;
        let count = self.count()?;
        let mut sizes = Vec::new();
        loop {
            match self.number()? {
                id::END => return Ok((start, sizes)),
                id::SIZE => sizes = (0..count).map(|_| self.number()).collect::<Result<_>>()?,
                id::CRC => drop(self.checksums(count)?),
                _ => return Err(damaged()),
            }
        }
    }

    fn folders(&mut self) -> Result<Vec<Folder>> {
        self.expect(id::FOLDER)?;
        let count = self.count()?;
        self.here()?;
        let mut folders = (0..count).map(|_| self.folder()).collect::<Result<Vec<_>>>()?;
        self.expect(id::UNPACK_SIZE)?;
        for folder in &mut folders {
            let sizes = (0..folder.outputs).map(|_| self.number()).collect::<Result<Vec<_>>>()?;
            folder.size = sizes.get(folder.last).copied().unwrap_or_default();
            folder.first_size = sizes.get(folder.first).copied().unwrap_or_default();
        }
        loop {
            match self.number()? {
                id::END => return Ok(folders),
                id::CRC => {
                    let checksums = self.checksums(folders.len())?;
                    folders.iter_mut().zip(checksums).for_each(|(folder, crc)| folder.crc = crc);
                }
                _ => return Err(damaged()),
            }
        }
    }

    /// Data may stand in another stream, which nobody does.
    fn here(&mut self) -> Result<()> {
        if self.byte()? == 0 { Ok(()) } else { Err(damaged()) }
    }

    /// The methods of a folder and how they are connected.
    fn folder(&mut self) -> Result<Folder> {
        let count = self.number()?;
        if count == 0 || count > MAX_METHODS {
            return Err(damaged());
        }
        let mut methods = Vec::new();
        let (mut inputs, mut outputs) = (0, 0);
        for _ in 0..count {
            let flags = self.byte()?;
            let id = self.take((flags & 0x0F).into())?.to_vec();
            let (ins, outs) = if flags & 0x10 != 0 { (self.number()?, self.number()?) } else { (1, 1) };
            let len = if flags & 0x20 != 0 { self.number()? } else { 0 };
            let properties = self.take(len)?.to_vec();
            if flags & 0xC0 != 0 || ins > MAX_METHODS || outs != 1 {
                return Err(damaged());
            }
            inputs += ins;
            outputs += outs;
            methods.push(Method { id, properties });
        }
        let pairs: Vec<_> = (1..outputs).map(|_| Ok((self.number()?, self.number()?))).collect::<Result<_>>()?;
        let streams = inputs.checked_sub(pairs.len() as u64).ok_or_else(damaged)?;
        if streams > 1 {
            for _ in 0..streams {
                self.number()?;
            }
        }
        let last = (0..outputs).find(|out| !pairs.iter().any(|(_, from)| from == out)).ok_or_else(damaged)?;
        let mut folder = Folder { streams: streams as usize, outputs: outputs as usize, ..Folder::default() };
        folder.last = last as usize;
        // One input each: then inputs and outputs have the numbers of their methods, and the chain begins where nothing
        // comes in.
        let mut at = (0..inputs).find(|input| !pairs.iter().any(|(to, _)| to == input));
        folder.first = at.unwrap_or_default() as usize;
        while let Some(method) = at.filter(|_| inputs == outputs) {
            folder.methods.push(methods.get(method as usize).ok_or_else(damaged)?.clone());
            at = pairs.iter().find(|(_, from)| *from == method).map(|(to, _)| *to);
            if folder.methods.len() > methods.len() {
                return Err(damaged());
            }
        }
        if folder.methods.len() != methods.len() {
            // No chain: `name` tells what it is all the same.
            folder.methods = methods;
            folder.methods.push(Method { id: vec![3, 3, 1, 0x1B], properties: Vec::new() });
        }
        Ok(folder)
    }

    /// The files in each folder.
    fn substreams(&mut self, folders: &[Folder]) -> Result<Vec<Vec<Stream>>> {
        let mut counts = vec![1; folders.len()];
        let mut id = self.number()?;
        if id == id::SUBSTREAM_COUNT {
            for count in &mut counts {
                *count = self.count()?;
            }
            id = self.number()?;
        }
        if counts.iter().sum::<usize>() > self.most {
            let (limit, found) = (self.most as u64, counts.iter().sum::<usize>() as u64);
            return Err(Error::new(ErrorKind::Limit { what: Bound::Entries, limit, found }));
        }
        let has_sizes = id == id::SIZE;
        let mut files = Vec::new();
        for (folder, &count) in folders.iter().zip(&counts) {
            // The last one has what is left.
            let mut left = folder.size;
            let mut sizes = Vec::new();
            for _ in 1..count {
                let size = if has_sizes { self.number()? } else { 0 };
                left = left.checked_sub(size).ok_or_else(damaged)?;
                sizes.push((size, None));
            }
            if count > 0 {
                // The checksum of the folder is that of its only file.
                sizes.push((left, folder.crc.filter(|_| count == 1)));
            }
            files.push(sizes);
        }
        if has_sizes {
            id = self.number()?;
        }
        loop {
            match id {
                id::END => return Ok(files),
                id::CRC => {
                    let mut unknown: Vec<_> =
                        files.iter_mut().flatten().filter(|(_, crc)| crc.is_none()).map(|(_, crc)| crc).collect();
                    let checksums = self.checksums(unknown.len())?;
                    unknown.iter_mut().zip(checksums).for_each(|(crc, told)| **crc = told);
                }
                _ => return Err(damaged()),
            }
            id = self.number()?;
        }
    }

    fn files(&mut self, streams: &Streams) -> Result<Vec<File>> {
        let count = self.count()?;
        let mut names = Vec::new();
        let mut has_no_data = vec![false; count];
        let mut is_file = Vec::new();
        loop {
            let id = self.number()?;
            if id == id::END {
                break;
            }
            let len = self.number()?;
            let mut property = Bytes { rest: self.take(len)?, most: self.most };
            match id {
                id::EMPTY_STREAM => has_no_data = property.bits(count)?,
                id::EMPTY_FILE => {
                    let empty = has_no_data.iter().filter(|empty| **empty).count();
                    is_file = property.bits(empty)?;
                }
                id::NAMES => {
                    property.here()?;
                    names = property.names();
                }
                _ => {}
            }
        }
        let folders = streams.files.iter().enumerate();
        let mut places = folders.flat_map(|(folder, files)| {
            let offsets =
                files.iter().scan(0u64, |at, (size, _)| Some(std::mem::replace(at, at.saturating_add(*size))));
            files.iter().zip(offsets).map(move |(file, offset)| (folder, offset, files.len() == 1, *file))
        });
        let (mut names, mut is_file) = (names.into_iter(), is_file.into_iter());
        let mut files = Vec::new();
        for has_no_data in has_no_data {
            let name = names.next().unwrap_or_default();
            let mut file = File { name, size: 0, crc: None, place: None, is_alone: false, is_folder: false };
            if has_no_data {
                file.is_folder = !is_file.next().unwrap_or(false);
            } else {
                let (folder, offset, is_alone, (size, crc)) = places.next().ok_or_else(damaged)?;
                (file.size, file.crc, file.place, file.is_alone) = (size, crc, Some((folder, offset)), is_alone);
            }
            files.push(file);
        }
        Ok(files)
    }

    /// Names in UTF-16, each with a 0 behind it.
    fn names(&self) -> Vec<Vec<u8>> {
        let units: Vec<_> =
            self.rest.chunks_exact(2).map(|pair| u16::from(pair[0]) | u16::from(pair[1]) << 8).collect();
        let names = units.split(|&unit| unit == 0);
        names.map(|name| String::from_utf16_lossy(name).into_bytes()).collect()
    }
}
