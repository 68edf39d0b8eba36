//! 7z archives.
//!
//! A header of 32 bytes tells where the directory lies, which is most often packed itself. Files lie one behind the other
//! in folders; a folder is data packed as one piece, by a chain of methods. The layout is that of 7zFormat.txt of the LZMA
//! SDK. What a directory counts is never believed before it is there.

mod directory;

use std::io::{BufReader, Cursor, Read};
use std::sync::Arc;

use super::budget::Budget;
use super::checked::Checked;
use super::codecs::{Bzip2, Deflate, Lzma, Lzma2};
use super::entry::{self, Entry};
use super::input::INPUT;
use super::listing::Contents;
use super::pump::{Codec, Pump};
use super::solid::Solid;
use super::source::Stream;
use super::store::Store;
use crate::error::ErrorKind;
use crate::limits::Bound;
use crate::{Error, Limits, Result};
use directory::{Directory, Folder, Method};

const MAGIC: [u8; 6] = [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C];

/// The first header: magic number, version, checksum; place, size and checksum of the directory.
const HEADER: u64 = 32;

/// How often a directory may be packed.
const MAX_PACKED: usize = 4;

/// True for the first bytes of a 7z.
pub(super) fn begins(prefix: &[u8]) -> bool {
    prefix.starts_with(&MAGIC)
}

/// Where and how a member is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// Without data.
    Empty,
    /// In a folder, from this offset on.
    Packed { folder: Arc<Packed>, offset: u64, crc: Option<u32> },
}

/// A folder of an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packed {
    solid: Solid,
    obstacle: Option<String>,
}

impl Form {
    /// Why the member cannot be unpacked, if so.
    pub(super) fn obstacle(&self) -> Option<String> {
        match self {
            Form::Empty => None,
            Form::Packed { folder, .. } => folder.obstacle.clone(),
        }
    }
}

/// Lists the members.
///
/// # Errors
///
/// When the directory lies outside the file, is damaged, or has too many entries.
pub(super) fn read(store: &Store, limits: &Limits) -> Result<Contents> {
    let Some(header) = store.array::<{ HEADER as usize }>(0)? else {
        return Err(Error::new(ErrorKind::Truncated { needed: HEADER, available: store.len() }).at_offset(0));
    };
    let number =
        |at: usize, len: usize| header.iter().skip(at).take(len).rev().fold(0, |sum, &b| sum << 8 | u64::from(b));
    let (start, size, crc) = (HEADER.saturating_add(number(12, 8)), number(20, 8), number(28, 4) as u32);
    let end = start.saturating_add(size);
    if end > store.len() {
        return Err(Error::container(format!(
            "the 7z directory (bytes {start} to {end}) lies outside the file of {} bytes: its end is missing, and with it the names",
            store.len()
        )));
    }
    if size == 0 {
        return Ok(Contents { entries: Vec::new(), damage: None, base: 0 });
    }
    if size > limits.held {
        return Err(Error::new(ErrorKind::Limit { what: Bound::Held, limit: limits.held, found: size }));
    }
    let mut bytes = whole(Box::new(store.range(start, size)), size, Some(crc))?;
    for _ in 0..MAX_PACKED {
        match Directory::read(&bytes, limits)? {
            Directory::Packed(folder) => {
                let size = folder.size;
                if size > limits.held {
                    return Err(Error::new(ErrorKind::Limit { what: Bound::Held, limit: limits.held, found: size }));
                }
                bytes = whole(open(store, &folder, limits.held)?, size, folder.crc)?;
            }
            Directory::Plain { folders, files } => return Ok(contents(store, folders, files, limits)),
        }
    }
    Err(Error::container("damaged: the 7z directory is packed again and again"))
}

/// All bytes of a directory.
fn whole(stream: Stream, size: u64, crc: Option<u32>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Checked::new(stream, size, crc).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn contents(store: &Store, folders: Vec<Folder>, files: Vec<directory::File>, limits: &Limits) -> Contents {
    let held = limits.held;
    let packed: Vec<_> = folders
        .into_iter()
        .map(|folder| {
            let obstacle = method(&folder, held).err().map(|what| what.kind.to_string());
            let (store, packed) = (store.clone(), folder.packed);
            let solid = Solid::new(move || open(&store, &folder, held));
            (Arc::new(Packed { solid, obstacle }), packed)
        })
        .collect();
    let mut entries = Vec::new();
    for file in files.into_iter().filter(|file| !file.is_folder) {
        let place = file.place.and_then(|(folder, offset)| Some((packed.get(folder)?, offset)));
        let (packed, form) = match place {
            Some(((folder, packed), offset)) => {
                (*packed, Form::Packed { folder: Arc::clone(folder), offset, crc: file.crc })
            }
            None => (0, Form::Empty),
        };
        // Of files that are packed together nobody knows what each takes up.
        let packed = if packed > 0 && file.is_alone { packed } else { 0 };
        entries.push(Entry::new(file.name, file.size, packed, entry::Form::SevenZip(form)));
    }
    Contents { entries, damage: None, base: 0 }
}

/// The unpacked bytes of a member.
pub(super) fn unpack(entry: &Entry, form: &Form, budget: &Budget) -> Result<Stream> {
    match form {
        Form::Empty => Ok(Box::new(Cursor::new(Vec::new()))),
        Form::Packed { folder, offset, crc } => {
            if let Some(obstacle) = &folder.obstacle {
                return Err(Error::container(format!("the member {obstacle}")));
            }
            let data = folder.solid.part(*offset, entry.size, budget);
            Ok(Box::new(Checked::new(data, entry.size, *crc)))
        }
    }
}

/// How a folder is unpacked.
enum How {
    Copy,
    Deflate,
    Bzip2,
    Lzma(Lzma),
    Lzma2(Lzma2),
}

/// The way to unpack a folder; an error in words where there is none.
fn method(folder: &Folder, held: u64) -> Result<How> {
    let unknown = || {
        let names: Vec<_> = folder.methods.iter().map(Method::name).collect();
        Error::container(format!("is packed by {}, which qdemo does not unpack", names.join(" and ")))
    };
    let [packed, filter @ ..] = folder.methods.as_slice() else { return Err(unknown()) };
    let filter = match filter {
        [] => None,
        [filter] => Some(filter.filter().ok_or_else(unknown)?),
        _ => return Err(unknown()),
    };
    match packed.id.as_slice() {
        [0] if filter.is_none() => Ok(How::Copy),
        [4, 1, 8] if filter.is_none() => Ok(How::Deflate),
        [4, 2, 2] if filter.is_none() => Ok(How::Bzip2),
        [3, 1, 1] => Ok(How::Lzma(Lzma::new(&packed.properties, folder.first_size, filter, held)?)),
        [0x21] => Ok(How::Lzma2(Lzma2::new(&packed.properties, filter, held)?)),
        _ => Err(unknown()),
    }
}

/// The unpacked bytes of a folder.
fn open(store: &Store, folder: &Folder, held: u64) -> Result<Stream> {
    let packed = store.range(HEADER.saturating_add(folder.offset), folder.packed);
    fn pump<C: Codec + Send + 'static>(packed: super::store::Window, codec: C) -> Stream {
        Box::new(Pump::new(BufReader::with_capacity(INPUT, packed), codec))
    }
    Ok(match method(folder, held)? {
        How::Copy => Box::new(packed),
        How::Deflate => pump(packed, Deflate::new()),
        How::Bzip2 => pump(packed, Bzip2::new()),
        How::Lzma(codec) => pump(packed, codec),
        How::Lzma2(codec) => pump(packed, codec),
    })
}
