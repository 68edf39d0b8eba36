//! What is made of damaged containers, and the limits.

use super::build::*;
use crate::common::root;

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

/// Who looks ahead takes nothing away: bytes and errors come as they would have.
#[test]
fn what_was_looked_at_is_still_to_be_read() {
    let data = sample(50_000);
    let packed = gzip(&data);
    let outside = |_: usize, offset: &mut u32, _: &mut u32| *offset += 1000;
    for (archive, path) in [
        (packed.clone(), ""),
        (packed[..packed.len() / 2].to_vec(), ""),
        (zip(&[Member { crc: 1, ..stored("one.dem", &data) }]), "one.dem"),
        (zip(&[Member { crc: 1, ..deflated("one.dem", &data) }]), "one.dem"),
        (pak_with(&[("one.dem", &data)], outside), "one.dem"),
    ] {
        let (bytes, error) = salvage(&archive, path);
        for most in [0, 1, 512, 10_000, 50_000, 1_000_000] {
            let mut file = source(&archive, path);
            assert!(file.peek(most) == bytes[..most.min(bytes.len())], "{most}");
            assert!(file.peek(2 * most) == bytes[..(2 * most).min(bytes.len())], "{most}");
            assert_eq!(file.offset(), 0);
            let (again, same) = file.salvage(&Limits::default());
            assert!(again == bytes, "{most}");
            assert_eq!(same, error, "{most}");
        }
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
    assert!(matches!(error.kind, error::ErrorKind::Truncated { needed, .. } if needed == missing));
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
                    assert!(matches!(e.kind, error::ErrorKind::Limit { limit: 1000, found: 1001, .. }), "{e}");
                    assert_eq!(e.place.offset, Some(1000));
                    assert_eq!(file.offset(), 1000);
                }
                _ => assert_eq!(result.unwrap(), 1001),
            }
        }
    }
    // An archive inside is unpacked into memory, so it is bounded before it is listed.
    (limits.unpacked, limits.held) = (100, 1 << 20);
    let inner = gzip(&pak(&[("one.dem", &data)]));
    let e = open_bytes("a", inner.clone(), &[], &limits).unwrap_err();
    assert!(matches!(e.kind, error::ErrorKind::Limit { what: Bound::Unpacked, limit: 100, .. }), "{e}");
    (limits.unpacked, limits.held) = (1 << 20, 100);
    let e = open_bytes("a", inner, &[], &limits).unwrap_err();
    assert!(matches!(e.kind, error::ErrorKind::Limit { what: Bound::Held, limit: 100, .. }), "{e}");
}

#[test]
fn all_that_comes_out_of_a_file_is_bounded_together() {
    let data = sample(1000);
    let mut limits = Limits::default();
    let archives = [
        zip(&["a", "b", "c"].map(|name| deflated(name, &data))),
        // Entries that are all the same bytes: a small file is large work.
        pak_with(&[("a", &data), ("b", b""), ("c", b"")], |_, at, len| (*at, *len) = (12, 1000)),
    ];
    for archive in archives {
        limits.unpacked = 2500;
        let Opened::Listing(l) = open_bytes("a", archive, &[], &limits).unwrap() else { panic!() };
        let mut all = Vec::new();
        let mut outcome = Vec::new();
        for index in 0..3 {
            let Opened::File(mut file) = l.open(index, &limits).unwrap() else { panic!() };
            let (bytes, error) = file.salvage(&limits);
            all.extend(bytes);
            outcome.extend(error);
        }
        assert_eq!(all.len(), 2500);
        let [error] = &outcome[..] else { panic!("{outcome:?}") };
        assert!(matches!(error.kind, error::ErrorKind::Limit { what: Bound::Unpacked, limit: 2500, .. }), "{error}");
        assert_eq!(error.place.offset, Some(500));
        assert!(error.to_string().contains("--max-unpacked"), "{error}");
    }
    // Levels within each other count together.
    limits.unpacked = 2500;
    let nested = gzip(&gzip(&data));
    let Opened::File(mut file) = open_bytes("a", nested, &[], &limits).unwrap() else { panic!() };
    assert_eq!(file.read_all(&limits).unwrap(), data);
    limits.unpacked = 1200;
    let Opened::File(mut file) = open_bytes("a", gzip(&gzip(&data)), &[], &limits).unwrap() else { panic!() };
    assert!(file.read_all(&limits).is_err());
}

#[cfg(unix)]
#[test]
fn what_has_no_end_stops_at_the_limit() {
    let mut limits = Limits::default();
    limits.unpacked = 100_000;
    let Opened::File(mut file) = open(&Location::file("/dev/zero"), &limits).unwrap() else { panic!() };
    let (bytes, error) = file.salvage(&limits);
    assert_eq!(bytes.len(), 100_000);
    let error = error.unwrap();
    assert!(matches!(error.kind, error::ErrorKind::Limit { what: Bound::Endless, limit: 100_000, .. }), "{error}");
}

#[test]
fn archives_of_other_kinds_are_named() {
    let rar = b"Rar!\x1A\x07\x00\xCF\x90\x73\x00\x00\x0D";
    assert!(refused(rar, "demo1.dem").contains("this is a RAR archive, which qdemo does not unpack"));
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
        assert!(matches!(e.kind, error::ErrorKind::Limit { limit: 2, found: 3.., .. }), "{e}");
    }
}

#[test]
fn nesting_is_bounded() {
    let mut limits = Limits::default();
    limits.depth = 2;
    let two = gzip(&gzip(b"demo"));
    assert!(open_bytes("a", two.clone(), &[], &limits).is_ok());
    let e = open_bytes("a", gzip(&two), &[], &limits).unwrap_err();
    assert!(matches!(e.kind, error::ErrorKind::Limit { limit: 2, found: 3, .. }), "{e}");
    let nested = zip(&[stored("b", &zip(&[stored("c", &zip(&[]))]))]);
    assert!(open_bytes("a", nested.clone(), &at("b"), &limits).is_ok());
    assert!(open_bytes("a", nested, &at("b:c"), &limits).is_err());
}

#[test]
fn a_cut_container_delivers_what_came_before() {
    let Opened::File(mut source) =
        open(&Location::file(root().join("testdata/bad/cut.dem.gz")), &Limits::default()).unwrap()
    else {
        panic!("a gzip file holds one file")
    };
    let (bytes, error) = source.salvage(&Limits::default());
    assert!(bytes.starts_with(b"-1\n"), "{} bytes", bytes.len());
    assert!(matches!(error.unwrap().kind, error::ErrorKind::Truncated { .. }));
}
