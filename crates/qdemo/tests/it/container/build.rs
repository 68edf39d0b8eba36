//! Archives built field by field, and short ways to read them.

pub(crate) use flate2::{Compression, Crc, write::DeflateEncoder, write::GzEncoder};
pub(crate) use qdemo::container::{ContainerKind, Listing, Location, Opened, Source, open, open_bytes, sniff};
pub(crate) use qdemo::{Bound, Error, Limits, error};
pub(crate) use std::io::{Read, Write};
pub(crate) use std::path::PathBuf;

/// Text that deflates, but not to nothing, and of which every part differs.
pub(crate) fn sample(len: usize) -> Vec<u8> {
    let lines = (0u32..).map(|i| format!("{i} {:08x}\n", i.wrapping_mul(0x9E37_79B9)));
    lines.flat_map(String::into_bytes).take(len).collect()
}

pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn crc(data: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(data);
    crc.sum()
}

/// PAK: header, data in order, directory last. `lie` may change (offset, length) of an entry.
pub(crate) fn pak_with(files: &[(&str, &[u8])], lie: impl Fn(usize, &mut u32, &mut u32)) -> Vec<u8> {
    let mut out = b"PACK\0\0\0\0\0\0\0\0".to_vec();
    let mut directory = Vec::new();
    for (index, (name, data)) in files.iter().enumerate() {
        let (mut offset, mut len) = (out.len() as u32, data.len() as u32);
        lie(index, &mut offset, &mut len);
        let mut record = name.as_bytes().to_vec();
        record.push(0);
        record.resize(56, b'?');
        record.extend(offset.to_le_bytes());
        record.extend(len.to_le_bytes());
        directory.extend(record);
        out.extend_from_slice(data);
    }
    let (at, len) = (out.len() as u32, directory.len() as u32);
    out[4..8].copy_from_slice(&at.to_le_bytes());
    out[8..12].copy_from_slice(&len.to_le_bytes());
    out.extend(directory);
    out
}

pub(crate) fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    pak_with(files, |_, _, _| {})
}

/// A member of a ZIP, as its headers shall describe it.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: Vec<u8>,
    pub(crate) packed_size: u32,
    pub(crate) size: u32,
    /// Extra field of the central header.
    pub(crate) extra: Vec<u8>,
    /// Name and sizes of the local header are wrong.
    pub(crate) local_lies: bool,
}

pub(crate) fn stored(name: &str, data: &[u8]) -> Member {
    Member {
        name: name.into(),
        flags: 0,
        method: 0,
        crc: crc(data),
        packed: data.to_vec(),
        packed_size: data.len() as u32,
        size: data.len() as u32,
        extra: Vec::new(),
        local_lies: false,
    }
}

pub(crate) fn deflated(name: &str, data: &[u8]) -> Member {
    let packed = deflate(data);
    Member { method: 8, packed_size: packed.len() as u32, packed, ..stored(name, data) }
}

/// As a tool writes it that cannot go back: sizes follow the data.
pub(crate) fn streamed(name: &str, data: &[u8]) -> Member {
    Member { flags: 8, ..deflated(name, data) }
}

pub(crate) fn header(m: &Member) -> Vec<u8> {
    let mut h = Vec::new();
    h.extend(20u16.to_le_bytes());
    h.extend(m.flags.to_le_bytes());
    h.extend(m.method.to_le_bytes());
    h.extend([0; 4]); // time and date
    h.extend(m.crc.to_le_bytes());
    h.extend(m.packed_size.to_le_bytes());
    h.extend(m.size.to_le_bytes());
    h.extend((m.name.len() as u16).to_le_bytes());
    h
}

/// ZIP: members with local headers, central directory, end record.
pub(crate) fn zip(members: &[Member]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut central = Vec::new();
    for m in members {
        central.extend(b"PK\x01\x02\x14\0");
        central.extend(header(m));
        central.extend((m.extra.len() as u16).to_le_bytes());
        central.extend([0; 10]); // comment, disk, attributes
        central.extend((out.len() as u32).to_le_bytes());
        central.extend(&m.name);
        central.extend(&m.extra);

        let mut local = m.clone();
        if m.local_lies {
            (local.name, local.size, local.packed_size) = (b"x".to_vec(), 1, 2);
        }
        if m.flags & 8 != 0 {
            (local.crc, local.size, local.packed_size) = (0, 0, 0);
        }
        out.extend(b"PK\x03\x04");
        out.extend(header(&local));
        out.extend([0; 2]); // extra
        out.extend(&local.name);
        out.extend(&m.packed);
        if m.flags & 8 != 0 {
            out.extend(b"PK\x07\x08");
            out.extend(m.crc.to_le_bytes());
            out.extend(m.packed_size.to_le_bytes());
            out.extend(m.size.to_le_bytes());
        }
    }
    let at = out.len() as u32;
    out.extend(&central);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((members.len() as u16).to_le_bytes());
    out.extend((central.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    out
}

pub(crate) fn at(path: &str) -> Vec<String> {
    path.split(':').filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

pub(crate) fn source(data: &[u8], path: &str) -> Source {
    match open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap() {
        Opened::File(source) => source,
        Opened::Listing(l) => panic!("a listing of {}", l.name),
    }
}

pub(crate) fn listing(data: &[u8], path: &str) -> Listing {
    match open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap() {
        Opened::Listing(listing) => listing,
        Opened::File(s) => panic!("the file {}", s.name),
    }
}

/// What comes out, and the error after it.
pub(crate) fn salvage(data: &[u8], path: &str) -> (Vec<u8>, Option<Error>) {
    source(data, path).salvage(&Limits::default())
}

pub(crate) fn read(data: &[u8], path: &str) -> Vec<u8> {
    let (bytes, error) = salvage(data, path);
    assert!(error.is_none(), "{error:?}");
    bytes
}

/// What stands behind the end of containers: kind, place, the bytes.
pub(crate) fn behind(data: &[u8], path: &str) -> Vec<(ContainerKind, u64, Vec<u8>)> {
    let mut file = source(data, path);
    file.read_to_end(&mut Vec::new()).unwrap();
    file.behind().into_iter().map(|behind| (behind.container, behind.offset, behind.kept)).collect()
}

pub(crate) fn refused(data: &[u8], path: &str) -> String {
    open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap_err().to_string()
}

pub(crate) fn names(listing: &Listing) -> Vec<String> {
    listing.entries.iter().map(|e| e.display_name()).collect()
}

#[track_caller]
pub(crate) fn is_truncated(error: Option<Error>, offset: u64) {
    let error = error.expect("an error");
    assert!(matches!(error.kind, error::ErrorKind::Truncated { .. }), "{error}");
    assert_eq!(error.place.offset, Some(offset), "{error}");
}

#[track_caller]
pub(crate) fn is_container(error: Option<Error>, words: &str) {
    let error = error.expect("an error");
    assert!(matches!(error.kind, error::ErrorKind::Container(_)), "{error:?}");
    assert!(error.to_string().contains(words), "{error}");
}
