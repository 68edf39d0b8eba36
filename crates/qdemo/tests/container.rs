//! Containers: what is found in them, and what is made of damaged ones.
//!
//! All archives are built here, field by field, so that every one of them can be made to lie.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers below

use flate2::{Compression, Crc, write::DeflateEncoder, write::GzEncoder};
use qdemo::container::{Kind, Listing, Location, Opened, Source, open, open_bytes, sniff};
use qdemo::{Error, Limits, error};
use std::io::{Read, Write};
use std::path::PathBuf;

// ---------------------------------------------------------------- building

/// Text that deflates, but not to nothing, and of which every part differs.
fn sample(len: usize) -> Vec<u8> {
    let lines = (0u32..).map(|i| format!("{i} {:08x}\n", i.wrapping_mul(0x9E37_79B9)));
    lines.flat_map(String::into_bytes).take(len).collect()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn crc(data: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(data);
    crc.sum()
}

/// PAK: header, data in order, directory last. `lie` may change (offset, length) of an entry.
fn pak_with(files: &[(&str, &[u8])], lie: impl Fn(usize, &mut u32, &mut u32)) -> Vec<u8> {
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

fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    pak_with(files, |_, _, _| {})
}

/// A member of a ZIP, as its headers shall describe it.
#[derive(Clone)]
struct Member {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: Vec<u8>,
    packed_size: u32,
    size: u32,
    /// Extra field of the central header.
    extra: Vec<u8>,
    /// Name and sizes of the local header are wrong.
    local_lies: bool,
}

fn stored(name: &str, data: &[u8]) -> Member {
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

fn deflated(name: &str, data: &[u8]) -> Member {
    let packed = deflate(data);
    Member { method: 8, packed_size: packed.len() as u32, packed, ..stored(name, data) }
}

/// As a tool writes it that cannot go back: sizes follow the data.
fn streamed(name: &str, data: &[u8]) -> Member {
    Member { flags: 8, ..deflated(name, data) }
}

fn header(m: &Member) -> Vec<u8> {
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
fn zip(members: &[Member]) -> Vec<u8> {
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

// ---------------------------------------------------------------- reading

fn at(path: &str) -> Vec<String> {
    path.split(':').filter(|p| !p.is_empty()).map(str::to_owned).collect()
}

fn source(data: &[u8], path: &str) -> Source {
    match open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap() {
        Opened::File(source) => source,
        Opened::Listing(l) => panic!("a listing of {}", l.name),
    }
}

fn listing(data: &[u8], path: &str) -> Listing {
    match open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap() {
        Opened::Listing(listing) => listing,
        Opened::File(s) => panic!("the file {}", s.name),
    }
}

/// What comes out, and the error after it.
fn salvage(data: &[u8], path: &str) -> (Vec<u8>, Option<Error>) {
    source(data, path).salvage(&Limits::default())
}

fn read(data: &[u8], path: &str) -> Vec<u8> {
    let (bytes, error) = salvage(data, path);
    assert!(error.is_none(), "{error:?}");
    bytes
}

fn refused(data: &[u8], path: &str) -> String {
    open_bytes("a", data.to_vec(), &at(path), &Limits::default()).unwrap_err().to_string()
}

fn names(listing: &Listing) -> Vec<String> {
    listing.entries.iter().map(|e| e.display_name()).collect()
}

#[track_caller]
fn is_truncated(error: Option<Error>, offset: u64) {
    let error = error.expect("an error");
    assert!(matches!(error.kind, error::Kind::Truncated { .. }), "{error}");
    assert_eq!(error.place.offset, Some(offset), "{error}");
}

#[track_caller]
fn is_container(error: Option<Error>, words: &str) {
    let error = error.expect("an error");
    assert!(matches!(error.kind, error::Kind::Container(_)), "{error:?}");
    assert!(error.to_string().contains(words), "{error}");
}

// ---------------------------------------------------------------- kinds

#[test]
fn a_container_is_known_by_its_first_bytes() {
    assert_eq!(sniff(b"\x1F\x8B\x08\0"), Kind::Gzip);
    assert_eq!(sniff(b"PK\x03\x04"), Kind::Zip);
    assert_eq!(sniff(b"PK\x05\x06"), Kind::Zip);
    assert_eq!(sniff(b"PACK"), Kind::Pak);
    for plain in [&b""[..], b"P", b"PK", b"-1\n", b"PK\x07\x08"] {
        assert_eq!(sniff(plain), Kind::Plain, "{plain:?}");
    }
}

#[test]
fn a_demo_that_begins_with_the_gzip_magic_stays_a_demo() {
    // A Quake III demo begins with the number of its first message, any 32-bit number.
    assert_eq!(sniff(&0x0001_8B1Fu32.to_le_bytes()), Kind::Plain);
    let demo = [0x1F, 0x8B, 1, 0, 5, 5, 5];
    assert_eq!(read(&demo, ""), demo);
}

#[test]
fn a_plain_file_comes_out_as_it_is() {
    let data = sample(1000);
    let mut plain = source(&data, "");
    assert_eq!((plain.size, plain.containers.len()), (Some(1000), 0));
    assert_eq!(plain.read_all(&Limits::default()).unwrap(), data);
    assert_eq!(read(b"", ""), b"");
    assert_eq!(read(b"PK", ""), b"PK");
}

#[test]
fn gzip_is_transparent() {
    let data = sample(100_000);
    let file = source(&gzip(&data), "");
    assert_eq!((file.name.as_str(), file.size), ("a", None));
    assert_eq!(file.containers, [Kind::Gzip]);
    assert_eq!(read(&gzip(&data), ""), data);
    assert_eq!(read(&gzip(&gzip(&data)), ""), data);
}

#[test]
fn gzip_members_follow_each_other() {
    let data = sample(5000);
    let mut packed = gzip(&data[..2000]);
    packed.extend(gzip(b""));
    packed.extend(gzip(&data[2000..]));
    assert_eq!(read(&packed, ""), data);
    // Zeros fill up a block of a tape.
    packed.extend([0; 700]);
    assert_eq!(read(&packed, ""), data);
    packed.extend(b"junk");
    let (bytes, error) = salvage(&packed, "");
    assert_eq!(bytes, data);
    is_container(error, "is not gzip");
}

#[test]
fn gzip_headers_have_optional_fields() {
    let data = sample(300);
    let plain = gzip(&data);
    let mut packed = plain[..10].to_vec();
    packed[3] = 0b1_1110; // comment, name, extra field, header checksum
    packed.extend(b"\x03\0abcdemo.mvd\0from a server\0\x12\x34");
    packed.extend(&plain[10..]);
    assert_eq!(read(&packed, ""), data);
    for end in 10..packed.len() - plain.len() + 10 {
        is_truncated(salvage(&packed[..end], "").1, 0);
    }
}

#[test]
fn pak_lists_and_opens() {
    let archive = pak(&[("demo1.dem", b"one"), ("demos/two.dem", b"twenty"), ("empty", b"")]);
    let l = listing(&archive, "");
    assert_eq!((l.kind, l.name.as_str()), (Kind::Pak, "a"));
    assert_eq!(names(&l), ["demo1.dem", "demos/two.dem", "empty"]);
    assert_eq!((l.entries[1].size, l.entries[1].packed), (6, 6));
    assert_eq!(l.damage, None);
    assert_eq!(read(&archive, "demo1.dem"), b"one");
    assert_eq!(read(&archive, "demos/two.dem"), b"twenty");
    assert_eq!(read(&archive, "empty"), b"");
    let file = source(&archive, "two.dem");
    assert_eq!((file.name.as_str(), file.size), ("a:two.dem", Some(6)));
    assert_eq!(file.containers, [Kind::Pak]);
}

#[test]
fn pak_names_may_fill_their_field() {
    let long = "d".repeat(56);
    let mut archive = pak(&[("x", b"data")]);
    let at = archive.len() - 64;
    archive[at..at + 56].copy_from_slice(long.as_bytes());
    assert_eq!(names(&listing(&archive, "")), [long.as_str()]);
    assert_eq!(read(&archive, &long), b"data");
}

#[test]
fn pak_entries_may_overlap_and_repeat() {
    let archive = pak_with(&[("a", b"0123456789"), ("b", b"x"), ("a", b"later")], |i, at, len| {
        if i == 1 {
            (*at, *len) = (16, 4);
        }
    });
    assert_eq!(read(&archive, "b"), b"4567");
    // The engine searches from the front.
    assert_eq!(read(&archive, "a"), b"0123456789");
    let l = listing(&archive, "");
    let Opened::File(mut hidden) = l.open(2, &Limits::default()).unwrap() else { panic!() };
    assert_eq!(hidden.read_all(&Limits::default()).unwrap(), b"later");
    assert_eq!(hidden.name, "a:a");
    assert!(l.open(3, &Limits::default()).is_err());
}

#[test]
fn zip_lists_and_opens() {
    let data = sample(70_000);
    let archive = zip(&[
        stored("demos/", b""),
        stored("demos/one.dem", b"one"),
        deflated("two.dm_68", &data),
        streamed("three.mvd", &data),
    ]);
    let l = listing(&archive, "");
    assert_eq!(l.kind, Kind::Zip);
    assert_eq!(names(&l), ["demos/one.dem", "two.dm_68", "three.mvd"]);
    assert_eq!(l.entries[1].size, 70_000);
    assert!(l.entries[1].packed < 70_000);
    assert_eq!(read(&archive, "one.dem"), b"one");
    assert_eq!(read(&archive, "two.dm_68"), data);
    assert_eq!(read(&archive, "three.mvd"), data);
    assert_eq!(source(&archive, "two.dm_68").size, Some(70_000));
    assert!(names(&listing(&zip(&[]), "")).is_empty());
}

#[test]
fn zip_does_not_trust_local_headers() {
    let lying = Member { local_lies: true, ..deflated("true.dem", b"contents") };
    assert_eq!(read(&zip(&[lying]), "true.dem"), b"contents");
}

#[test]
fn zip_has_a_comment_or_junk_behind() {
    let mut archive = zip(&[stored("one.dem", b"one")]);
    let end = archive.len();
    archive[end - 2] = 9;
    archive.extend(b"PK\x05\x06 demo");
    assert_eq!(read(&archive, "one.dem"), b"one");
    archive.extend([0; 1000]);
    assert_eq!(read(&archive, "one.dem"), b"one");
}

#[test]
fn zip_may_stand_behind_a_program() {
    let mut exe = b"MZ this program cannot be run in DOS mode".to_vec();
    exe.extend(zip(&[deflated("one.dem", b"one")]));
    assert_eq!(read(&exe, "one.dem"), b"one");
    // Without a member it is the program.
    assert_eq!(read(&exe, ""), exe);
}

#[test]
fn zip_may_have_64_bit_sizes() {
    let data = sample(500);
    let mut wide = deflated("wide.dem", &data);
    wide.extra.extend(b"\x99\x99\x02\0??\x01\0\x10\0");
    wide.extra.extend(500u64.to_le_bytes());
    wide.extra.extend(u64::from(wide.packed_size).to_le_bytes());
    (wide.size, wide.packed_size) = (u32::MAX, u32::MAX);
    let archive = zip(&[wide]);
    assert_eq!(listing(&archive, "").entries[0].size, 500);
    assert_eq!(read(&archive, "wide.dem"), data);

    // The same with an end record of 64 bits, and something in front.
    let end = archive.len() - 22;
    let (count, size) = (1u64, u64::from(u32::from_le_bytes(archive[end + 12..end + 16].try_into().unwrap())));
    let mut large = b"in front".to_vec();
    large.extend(&archive[..end]);
    large.extend(b"PK\x06\x06\x2C\0\0\0\0\0\0\0\x2D\0\x2D\0\0\0\0\0\0\0\0\0");
    large.extend([count, count, size, end as u64 - size].map(u64::to_le_bytes).as_flattened());
    large.extend(b"PK\x06\x07\0\0\0\0");
    large.extend((end as u64).to_le_bytes());
    large.extend(b"\x01\0\0\0PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF");
    large.extend([0xFF; 8]);
    large.extend([0; 2]);
    assert_eq!(read(&large, "wide.dem"), data);
    assert_eq!(read(&large[8..], "wide.dem"), data);
}

#[test]
fn containers_lie_in_containers() {
    let demo = sample(3000);
    let inner = pak(&[("demos/demo1.dem", &demo)]);
    for member in [stored("b.pak", &inner), deflated("b.pak", &inner), stored("b.pak", &gzip(&inner))] {
        let archive = zip(&[member]);
        assert_eq!(read(&archive, "b.pak:demo1.dem"), demo);
        assert_eq!(names(&listing(&archive, "b.pak")), ["demos/demo1.dem"]);
    }
    let packed = gzip(&inner);
    let file = source(&packed, "demo1.dem");
    assert_eq!(file.containers, [Kind::Gzip, Kind::Pak]);
    assert_eq!(file.name, "a:demo1.dem");
    assert_eq!(read(&packed, "demo1.dem"), demo);

    let l = listing(&zip(&[stored("b.pak", &inner)]), "");
    let Opened::Listing(l) = l.open(0, &Limits::default()).unwrap() else { panic!() };
    assert_eq!((l.name.as_str(), l.containers.as_slice()), ("a:b.pak", &[Kind::Zip, Kind::Pak][..]));
}

// ---------------------------------------------------------------- names

#[test]
fn names_are_found_loosely_but_not_by_guessing() {
    let archive = pak(&[("Demos\\Big.DEM", b"1"), ("x/same.dem", b"2"), ("y/same.dem", b"3"), ("big.txt", b"4")]);
    assert_eq!(read(&archive, "demos/big.dem"), b"1");
    assert_eq!(read(&archive, "BIG.dem"), b"1");
    assert_eq!(read(&archive, "x\\same.dem"), b"2");
    let ambiguous = refused(&archive, "same.dem");
    assert!(ambiguous.contains("x/same.dem, y/same.dem"), "{ambiguous}");
    let missing = refused(&archive, "ig.dem");
    assert!(missing.starts_with("a: no member 'ig.dem' among the 4 of this pak"), "{missing}");
    assert!(missing.contains("x/same.dem"), "{missing}");
}

#[test]
fn an_exact_name_wins() {
    let archive = zip(&[stored("d/A.dem", b"1"), stored("a.dem", b"2"), stored("A.dem", b"3"), stored("a:b", b"4")]);
    assert_eq!(read(&archive, "A.dem"), b"3");
    assert_eq!(read(&archive, "a.dem"), b"2");
    assert!(refused(&archive, "a.DEM").contains("may be any of 2"));
    // A colon in a name is no division.
    assert_eq!(read(&archive, "a:b"), b"4");
    // Unpacking a ZIP leaves the last of two files with the same name.
    assert_eq!(read(&zip(&[stored("a", b"old"), stored("a", b"new")]), "a"), b"new");
}

#[test]
fn odd_names_can_be_shown_and_found() {
    let odd = Member { name: b"\x1B[31m\xFFdemo.dem".to_vec(), ..stored("", b"odd") };
    let archive = zip(&[odd]);
    let shown = names(&listing(&archive, "")).remove(0);
    assert_eq!(shown, "\u{FFFD}[31m\u{FFFD}demo.dem");
    assert_eq!(read(&archive, &shown), b"odd");
}

#[test]
fn a_plain_file_has_no_members() {
    assert!(refused(b"-1\n....", "demo1.dem").contains("not an archive"));
    assert!(refused(&pak(&[("one.dem", b"one")]), "one.dem:two").contains("not an archive"));
}

// ---------------------------------------------------------------- damage

#[test]
fn truncated_gzip_gives_all_that_is_left() {
    let data = sample(300_000);
    let packed = gzip(&data);
    for end in [20, 100, 5000, 40_000, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
        let (bytes, error) = salvage(&packed[..end], "");
        assert!(data.starts_with(&bytes));
        // Deflate makes this text smaller, so at least as much comes out as was left.
        assert!(bytes.len() + 400 > end, "{} of {end}", bytes.len());
        is_truncated(error, bytes.len() as u64);
    }
}

#[test]
fn corrupt_deflate_gives_all_before_the_damage() {
    // Stored blocks make the place of the damage exact: a block type of 3 does not exist.
    let data = sample(100_000);
    let mut raw = Vec::new();
    for chunk in data.chunks(33_333) {
        raw.push(0);
        raw.extend((chunk.len() as u16).to_le_bytes());
        raw.extend((!(chunk.len() as u16)).to_le_bytes());
        raw.extend(chunk);
    }
    raw.push(0b111);
    let (intact, end) = (100_000u64, raw.len());
    let member =
        Member { method: 8, packed_size: end as u32, packed: raw.clone(), size: 200_000, ..stored("one.dem", &data) };
    let mut packed = b"\x1F\x8B\x08\0\0\0\0\0\0\0".to_vec();
    packed.extend(&raw);
    for (archive, path) in [(packed, ""), (zip(&[member]), "one.dem")] {
        let mut file = source(&archive, path);
        let (bytes, error) = file.salvage(&Limits::default());
        assert!(bytes == data, "{} bytes", bytes.len());
        assert_eq!(error.as_ref().unwrap().place.offset, Some(intact));
        is_container(error, "corrupt");
        // An error stays one: a buffering reader must not take the next read for the end.
        assert!(file.read(&mut [0]).is_err());
    }
}

#[test]
fn wrong_checksums_are_told_after_the_data() {
    let data = sample(2000);
    let mut packed = gzip(&data);
    let end = packed.len();
    packed[end - 8] ^= 1;
    let (bytes, error) = salvage(&packed, "");
    assert_eq!(bytes, data);
    is_container(error, "checksum");
    packed[end - 8] ^= 1;
    packed[end - 1] ^= 1;
    is_container(salvage(&packed, "").1, "length");
    for good in [stored("one.dem", &data), deflated("one.dem", &data)] {
        let (bytes, error) = salvage(&zip(&[Member { crc: 1, ..good }]), "one.dem");
        assert_eq!(bytes, data);
        is_container(error, "a:one.dem: damaged: the checksum");
    }
}

#[test]
fn zip_sizes_that_lie_are_found_out() {
    let data = sample(2000);
    for good in [stored("one.dem", &data), deflated("one.dem", &data)] {
        let (bytes, error) = salvage(&zip(&[Member { size: 1999, ..good.clone() }]), "one.dem");
        assert_eq!(bytes, data[..1999]);
        is_container(error, "more data than the 1999 bytes");
        let (bytes, error) = salvage(&zip(&[Member { size: 4000, ..good.clone() }]), "one.dem");
        assert_eq!(bytes, data);
        is_container(error, "2000 bytes of data instead of the 4000");
        let short = Member { packed_size: good.packed_size / 2, ..good };
        let (bytes, error) = salvage(&zip(&[short]), "one.dem");
        assert!(data.starts_with(&bytes) && !bytes.is_empty());
        assert!(error.is_some());
    }
}

#[test]
fn zip_members_that_cannot_be_unpacked_say_why() {
    let data = b"data".as_slice();
    let encrypted = Member { flags: 1, ..deflated("secret.dem", data) };
    let imploded = Member { method: 6, ..stored("old.dem", data) };
    let strange = Member { method: 77, ..stored("strange.dem", data) };
    let archive = zip(&[encrypted, imploded, strange, stored("one.dem", data)]);
    assert!(refused(&archive, "secret.dem").contains("a:secret.dem: the member is encrypted"));
    assert!(refused(&archive, "old.dem").contains("method 6 (implode)"));
    assert!(refused(&archive, "strange.dem").contains("method 77 (unknown)"));
    let l = listing(&archive, "");
    assert!(l.entries[0].obstacle().is_some());
    assert!(l.entries[3].obstacle().is_none());
    assert_eq!(read(&archive, "one.dem"), data);
}

#[test]
fn pak_entries_outside_the_file_are_given_as_far_as_they_reach() {
    let archive = pak_with(&[("far.dem", b"0123456789"), ("one.dem", b"one")], |i, at, len| match i {
        0 => *len = 5000,
        _ => *at = 1_000_000,
    });
    let (bytes, error) = salvage(&archive, "far.dem");
    assert_eq!(bytes, archive[12..]);
    let error = error.unwrap();
    assert_eq!(error.place.file.as_deref(), Some("a:far.dem"));
    let missing = 5000 - (archive.len() as u64 - 12);
    assert!(matches!(error.kind, error::Kind::Truncated { needed, .. } if needed == missing));
    is_truncated(Some(error), archive.len() as u64 - 12);
    is_truncated(salvage(&archive, "one.dem").1, 0);
}

#[test]
fn pak_directory_outside_the_file() {
    let archive = pak(&[("one.dem", b"one"), ("two.dem", b"two")]);
    let cut = &archive[..archive.len() - 10];
    assert_eq!(names(&listing(cut, "")), ["one.dem"]);
    assert!(listing(cut, "").damage.unwrap().contains("1 of 2"));
    assert_eq!(read(cut, "one.dem"), b"one");
    assert!(refused(cut, "two.dem").contains("1 of 2"));
    assert!(refused(&archive[..20], "").contains("lies outside the file of 20 bytes"));
    assert!(refused(b"PACK\xFF\xFF\xFF\xFF\x40\0\0\0", "").contains("lies outside"));
    assert!(refused(b"PACK", "").contains("truncated"));
    assert!(names(&listing(b"PACK\x0C\0\0\0\0\0\0\0", "")).is_empty());
}

#[test]
fn a_zip_without_its_end_is_read_from_the_front() {
    let data = sample(20_000);
    let members = [
        stored("one.dem", &data),
        deflated("two.dem", &data),
        streamed("three.dem", &data),
        deflated("last.dem", &data),
    ];
    let archive = zip(&members);
    let directory = archive.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    // Only the directory is lost: everything is there.
    for end in [directory, directory + 30, archive.len() - 22] {
        let l = listing(&archive[..end], "");
        assert_eq!(names(&l), ["one.dem", "two.dem", "three.dem", "last.dem"]);
        assert!(l.damage.unwrap().contains("no directory"));
        for name in ["one.dem", "two.dem", "three.dem", "last.dem"] {
            assert_eq!(read(&archive[..end], name), data, "{name}");
        }
    }
    // The last one is cut.
    let (bytes, error) = salvage(&archive[..directory - 50], "last.dem");
    assert!(data.starts_with(&bytes) && bytes.len() > 15_000);
    is_truncated(error, bytes.len() as u64);
    // Cut in a member of unknown size.
    let cut = zip(&members[2..3]);
    let cut = &cut[..members[2].packed.len()];
    let (bytes, error) = salvage(cut, "three.dem");
    assert!(data.starts_with(&bytes) && bytes.len() > 15_000);
    is_truncated(error, bytes.len() as u64);
    assert!(refused(b"PK\x03\x04", "").contains("neither a directory nor a member"));
}

#[test]
fn a_cut_zip_is_not_taken_for_the_zip_inside() {
    let inner = zip(&[stored("inner.dem", b"inner")]);
    let archive = zip(&[stored("inner.zip", &inner), stored("outer.dem", b"outer")]);
    let cut = &archive[..archive.len() - 22];
    assert_eq!(names(&listing(cut, "")), ["inner.zip", "outer.dem"]);
    assert_eq!(read(cut, "inner.zip:inner.dem"), b"inner");
}

#[test]
fn a_damaged_archive_in_an_archive_is_listed_as_far_as_it_goes() {
    // Directory in front, as no tool does but any may.
    let data = sample(6000);
    let mut inner = b"PACK\x0C\0\0\0\x80\0\0\0".to_vec();
    for (name, at) in [("one.dem", 140u32), ("two.dem", 3140)] {
        let mut record = name.as_bytes().to_vec();
        record.resize(56, 0);
        inner.extend(record);
        inner.extend(at.to_le_bytes());
        inner.extend(3000u32.to_le_bytes());
    }
    inner.extend(&data);

    let packed = gzip(&inner);
    let cut = &packed[..packed.len() - 100];
    assert!(listing(cut, "").damage.unwrap().contains("truncated"));
    assert_eq!(read(cut, "one.dem"), data[..3000]);
    let (bytes, error) = salvage(cut, "two.dem");
    assert!(data[3000..].starts_with(&bytes) && bytes.len() > 2000);
    is_truncated(error, bytes.len() as u64);

    // With a wrong checksum any byte may be wrong, and a PAK has no checksums of its own.
    let mut wrong = packed.clone();
    wrong[packed.len() - 8] ^= 1;
    let (bytes, error) = salvage(&wrong, "one.dem");
    assert_eq!(bytes, data[..3000]);
    is_container(error, "the archive around is damaged");
    // The directory itself is lost.
    is_container(
        open_bytes("a", gzip(&pak(&[("one.dem", &data)]))[..2000].to_vec(), &[], &Limits::default()).err(),
        "truncated",
    );
}

// ---------------------------------------------------------------- limits

#[test]
fn unpacked_sizes_are_bounded() {
    let data = sample(1001);
    let mut limits = Limits::default();
    for (archive, path) in [
        (gzip(&data), ""),
        (pak(&[("one.dem", &data)]), "one.dem"),
        (zip(&[stored("one.dem", &data)]), "one.dem"),
        (zip(&[deflated("one.dem", &data)]), "one.dem"),
    ] {
        for limit in [1000, 1001] {
            limits.unpacked = limit;
            let Opened::File(mut file) = open_bytes("a", archive.clone(), &at(path), &limits).unwrap() else {
                panic!()
            };
            let mut bytes = Vec::new();
            let result = file.read_to_end(&mut bytes);
            assert_eq!(bytes, data[..limit as usize]);
            match limit {
                1000 => {
                    let e = Error::from(result.unwrap_err());
                    assert!(matches!(e.kind, error::Kind::Limit { limit: 1000, found: 1001, .. }), "{e}");
                    assert_eq!(e.place.offset, Some(1000));
                    assert_eq!(file.offset(), 1000);
                }
                _ => assert_eq!(result.unwrap(), 1001),
            }
        }
    }
    // An archive inside is unpacked into memory, so it is bounded before it is listed.
    limits.unpacked = 100;
    let e = open_bytes("a", gzip(&pak(&[("one.dem", &data)])), &[], &limits).unwrap_err();
    assert!(matches!(e.kind, error::Kind::Limit { limit: 100, .. }), "{e}");
}

#[test]
fn entries_are_bounded() {
    let mut limits = Limits::default();
    limits.entries = 2;
    let two = [("a", &b""[..]), ("b", b"")];
    let three = [("a", &b""[..]), ("b", b""), ("c", b"")];
    let members: Vec<_> = three.iter().map(|(n, d)| stored(n, d)).collect();
    let whole = zip(&members);
    let headless = whole[..whole.len() - 22].to_vec();
    assert!(open_bytes("a", pak(&two), &[], &limits).is_ok());
    assert!(open_bytes("a", zip(&members[..2]), &[], &limits).is_ok());
    for archive in [pak(&three), whole, headless, b"PACK\0\0\0\0\xFF\xFF\xFF\xFF".to_vec()] {
        let e = open_bytes("a", archive, &[], &limits).unwrap_err();
        assert!(matches!(e.kind, error::Kind::Limit { limit: 2, found: 3.., .. }), "{e}");
    }
}

#[test]
fn nesting_is_bounded() {
    let mut limits = Limits::default();
    limits.depth = 2;
    let two = gzip(&gzip(b"demo"));
    assert!(open_bytes("a", two.clone(), &[], &limits).is_ok());
    let e = open_bytes("a", gzip(&two), &[], &limits).unwrap_err();
    assert!(matches!(e.kind, error::Kind::Limit { limit: 2, found: 3, .. }), "{e}");
    let nested = zip(&[stored("b", &zip(&[stored("c", &zip(&[]))]))]);
    assert!(open_bytes("a", nested.clone(), &at("b"), &limits).is_ok());
    assert!(open_bytes("a", nested, &at("b:c"), &limits).is_err());
}

// ---------------------------------------------------------------- files

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("qdemo-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn add(&self, name: &str, data: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, data).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_opened_by_location() {
    let folder = Folder::new("open");
    let limits = Limits::default();
    let data = sample(200_000);
    let file = |text: &str| match open(&Location::parse(text), &limits).unwrap() {
        Opened::File(mut file) => {
            assert_eq!(file.name, text);
            file.read_all(&limits).unwrap()
        }
        Opened::Listing(l) => panic!("a listing of {}", l.name),
    };
    let plain = folder.add("demo.dem", &data);
    let gz = folder.add("demo.mvd.gz", &gzip(&data));
    let pk = folder.add("pak0.pak", &pak(&[("a.dem", b"a"), ("demo1.dem", &data)]));
    let pk3 = folder.add("x.pk3", &zip(&[deflated("pak0.pak", &pak(&[("demo1.dem", &data)]))]));
    assert_eq!(file(&plain), data);
    assert_eq!(file(&gz), data);
    assert_eq!(file(&format!("{pk}:demo1.dem")), data);
    assert_eq!(file(&format!("{pk3}:pak0.pak:demo1.dem")), data);

    // Members of one archive are read side by side.
    let Opened::Listing(l) = open(&Location::file(&pk), &limits).unwrap() else { panic!() };
    let mut pair = [1, 1].map(|i| match l.open(i, &limits).unwrap() {
        Opened::File(file) => file,
        Opened::Listing(_) => panic!(),
    });
    let mut halves = [[0; 1000]; 2];
    for part in 0..200 {
        for (file, half) in pair.iter_mut().zip(&mut halves) {
            file.read_exact(half).unwrap();
            assert_eq!(half[..], data[part * 1000..][..1000]);
        }
    }

    let e = open(&Location::parse(&format!("{plain}.gone")), &limits).unwrap_err();
    assert!(matches!(&e.kind, error::Kind::Io(e) if e.kind() == std::io::ErrorKind::NotFound));
    assert_eq!(e.place.file, Some(format!("{plain}.gone")));
    assert!(open(&Location::file(&folder.0), &limits).is_err());
}

#[test]
fn locations_are_split_where_a_file_ends() {
    let folder = Folder::new("location");
    let pk = folder.add("pak0.pak", b"PACK");
    let parts = |text: &str| {
        let location = Location::parse(text);
        assert_eq!(location.to_string(), text);
        (location.path.to_str().unwrap().to_owned(), location.members)
    };
    assert_eq!(parts(&pk), (pk.clone(), vec![]));
    assert_eq!(parts(&format!("{pk}:a.dem")), (pk.clone(), at("a.dem")));
    assert_eq!(parts(&format!("{pk}:b.zip:c")), (pk.clone(), at("b.zip:c")));
    // What does not exist is not split, so a drive letter stays where it is.
    assert_eq!(parts("C:\\gone.pak:a.dem").0, "C:\\gone.pak:a.dem");
    assert_eq!(parts("-"), ("-".to_owned(), vec![]));
    assert_eq!(parts("-:a.dem"), ("-".to_owned(), at("a.dem")));
    assert!(Location::parse("-:a.dem").is_stdin());
    assert_eq!(Location::parse(&format!("{pk}:")).members, [""; 0]);
    #[cfg(unix)]
    {
        let colon = folder.add("pak0.pak:a.dem", b"demo");
        assert_eq!(parts(&colon), (colon.clone(), vec![]));
        assert_eq!(parts(&format!("{colon}:b")), (colon.clone(), at("b")));
    }
}

#[test]
fn sources_can_go_to_another_thread() {
    fn sent<T: Send>() {}
    sent::<Source>();
    sent::<Listing>();
}

// ---------------------------------------------------------------- anything

/// Marsaglia's xorshift; the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn mutate(&mut self, data: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            if data.is_empty() {
                return;
            }
            let at = self.below(data.len());
            match self.below(6) {
                0 => data[at] ^= 1 << self.below(8),
                1 => data[at] = self.below(256) as u8,
                2 => data[at] = [0, 0xFF, 0x7F, 0x80][self.below(4)],
                3 => data.truncate(at),
                4 => drop(data.drain(at..(at + 1 + self.below(20)).min(data.len()))),
                _ => {
                    let end = (at + self.below(40)).min(data.len());
                    let part = data[at..end].to_vec();
                    let to = self.below(data.len());
                    data.splice(to..to, part);
                }
            }
        }
    }
}

/// Opens all there is and returns the number of bytes that came out of the largest file.
fn exhaust(opened: Opened, limits: &Limits) -> u64 {
    match opened {
        Opened::File(mut file) => {
            let (mut count, mut buf) = (0, [0; 700]);
            while let Ok(n @ 1..) = file.read(&mut buf) {
                count += n as u64;
            }
            assert_eq!(count, file.offset());
            count
        }
        Opened::Listing(l) => {
            assert!(l.entries.len() <= limits.entries);
            assert!(l.containers.len() <= limits.depth);
            let all = (0..l.entries.len()).filter_map(|i| {
                let _ = l.find(&l.entries[i].display_name());
                Some(exhaust(l.open(i, limits).ok()?, limits))
            });
            all.max().unwrap_or(0)
        }
    }
}

#[test]
fn no_bytes_whatever_do_harm() {
    let data = sample(1500);
    let inner = pak(&[("one.dem", &data[..200]), ("demos/two.dem", &data)]);
    let mut wide = deflated("wide", &data);
    wide.extra.extend(b"\x01\0\x08\0");
    wide.extra.extend(1500u64.to_le_bytes());
    wide.size = u32::MAX;
    let whole = zip(&[stored("b.pak", &inner), deflated("c.dem", &data), streamed("d.dem", &data), wide]);
    let mut multi = gzip(&data[..700]);
    multi.extend(gzip(&data[700..]));
    let seeds = [
        whole[..whole.len() - 30].to_vec(),
        whole,
        zip(&[deflated("zeros", &[0; 20_000]), stored("e.gz", &gzip(&data))]),
        gzip(&inner),
        multi,
        inner,
    ];
    let mut limits = Limits::default();
    (limits.unpacked, limits.entries, limits.depth) = (6000, 20, 3);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut opened, mut bytes) = (0, 0);
    for round in 0..20_000 {
        let mut data = seeds[round % seeds.len()].clone();
        random.mutate(&mut data);
        // A file that is no container any more is given out whole; it is not "unpacked".
        let bound = limits.unpacked.max(data.len() as u64);
        let members = if round % 5 == 0 { at("c.dem") } else { vec![] };
        if let Ok(container) = open_bytes("a", data, &members, &limits) {
            let most = exhaust(container, &limits);
            assert!(most <= bound, "{most} bytes in round {round}");
            opened += 1;
            bytes += most;
        }
    }
    // Most mutants are still worth reading; if not, this test would test nothing.
    assert!(opened > 10_000 && bytes > 10_000_000, "{opened} opened, {bytes} bytes");
}
