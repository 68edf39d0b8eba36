//! What is found in sound containers, and under which names.

use super::build::*;
use crate::common::testdata;

#[test]
fn a_container_is_known_by_its_first_bytes() {
    assert_eq!(sniff(b"\x1F\x8B\x08\0"), ContainerKind::Gzip);
    assert_eq!(sniff(b"PK\x03\x04"), ContainerKind::Zip);
    assert_eq!(sniff(b"PK\x05\x06"), ContainerKind::Zip);
    assert_eq!(sniff(b"PACK"), ContainerKind::Pak);
    for plain in [&b""[..], b"P", b"PK", b"-1\n", b"PK\x07\x08"] {
        assert_eq!(sniff(plain), ContainerKind::Plain, "{plain:?}");
    }
}

#[test]
fn a_demo_that_begins_with_the_gzip_magic_stays_a_demo() {
    // A Quake III demo begins with the number of its first message, any 32-bit number.
    assert_eq!(sniff(&0x0001_8B1Fu32.to_le_bytes()), ContainerKind::Plain);
    let demo = [0x1F, 0x8B, 1, 0, 5, 5, 5];
    assert_eq!(read(&demo, ""), demo);
}

/// Quake III counts packets from any number on, and a QuakeWorld recording begins with a time in floats: their bytes are what
/// archives and packed files begin with as well.
#[test]
fn demos_may_begin_with_the_numbers_of_archives() {
    use qdemo::FileKind;
    let (quake3, quakeworld) = (testdata("oa-dm4.dm_71"), testdata("ez-dm.qwd"));
    let arj = [0xEA60, 0x3_EA60, 0x2C_EA60].map(u32::to_le_bytes);
    let compress = [0x9D1F, 0x90_9D1F, 0x10_9D1F].map(u32::to_le_bytes);
    let deflated = [0x08_8B1F].map(u32::to_le_bytes);
    let dzip = [0x1_5A44, 0x2_5A44, 0x3_5A44].map(u32::to_le_bytes);
    let times = [[0x60, 0xEA, 0x48, 0x42], [0x1F, 0x9D, 0x90, 0x42], [0x1F, 0x8B, 0x08, 0x42]];
    let numbers = [&arj[..], &compress, &deflated, &dzip].concat();
    let first = numbers.iter().map(|number| (&quake3, number, FileKind::Dm3));
    for (demo, number, kind) in first.chain(times.iter().map(|time| (&quakeworld, time, FileKind::Qwd))) {
        let demo = [number, &demo[4..]].concat();
        assert_eq!(sniff(&demo), ContainerKind::Plain, "{number:X?}");
        assert_eq!(read(&demo, ""), demo, "{number:X?}");
        let found = qdemo::detect::detect(&demo, true, "x", Limits::default());
        assert_eq!(found.kind, kind, "{number:X?}: {}", found.reason);
    }
    // What is packed is known all the same, whatever the time of the file; of damage behind its beginning, too.
    let data = quake3.clone();
    for time in [1_u32, 20_000, 1 << 16] {
        let mut packed = gzip(&data);
        packed[4..8].copy_from_slice(&time.to_le_bytes());
        assert_eq!(read(&packed, ""), data);
        let middle = packed.len() / 2;
        packed[middle] ^= 0xFF;
        assert_eq!(sniff(&packed), ContainerKind::Gzip);
        assert_eq!(sniff(&packed[..11]), ContainerKind::Gzip);
    }
    let mut short = gzip(b"demo");
    short[4] = 100;
    assert_eq!(read(&short, ""), b"demo");
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
    assert_eq!(file.containers, [ContainerKind::Gzip]);
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
    let end = packed.len() as u64;
    packed.extend(b"junk\0");
    assert_eq!(read(&packed, ""), data);
    assert_eq!(behind(&packed, ""), [(ContainerKind::Gzip, end, b"junk\0".to_vec())]);
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
    assert_eq!((l.kind, l.name.as_str()), (ContainerKind::Pak, "a"));
    assert_eq!(names(&l), ["demo1.dem", "demos/two.dem", "empty"]);
    assert_eq!((l.entries[1].size, l.entries[1].packed), (6, 6));
    assert_eq!(l.damage, None);
    assert_eq!(read(&archive, "demo1.dem"), b"one");
    assert_eq!(read(&archive, "demos/two.dem"), b"twenty");
    assert_eq!(read(&archive, "empty"), b"");
    let file = source(&archive, "two.dem");
    assert_eq!((file.name.as_str(), file.size), ("a:two.dem", Some(6)));
    assert_eq!(file.containers, [ContainerKind::Pak]);
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
    assert_eq!(hidden.name, "a:#2/a");
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
    assert_eq!(l.kind, ContainerKind::Zip);
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
    assert_eq!(file.containers, [ContainerKind::Gzip, ContainerKind::Pak]);
    assert_eq!(file.name, "a:demo1.dem");
    assert_eq!(read(&packed, "demo1.dem"), demo);

    let l = listing(&zip(&[stored("b.pak", &inner)]), "");
    let Opened::Listing(l) = l.open(0, &Limits::default()).unwrap() else { panic!() };
    assert_eq!((l.name.as_str(), l.containers.as_slice()), ("a:b.pak", &[ContainerKind::Zip, ContainerKind::Pak][..]));
}

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

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, data) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(data.len() as u64);
        archive.append_data(&mut header, name, *data).unwrap();
    }
    archive.into_inner().unwrap()
}

/// `tar` unpacks a hard link as the file that has that name where it stands.
#[test]
fn hard_links_of_tar_are_files() {
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, data: &[u8]| {
        let mut header = tar::Header::new_ustar();
        header.set_size(data.len() as u64);
        archive.append_data(&mut header, name, data).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Link);
        header.set_size(0);
        archive.append_link(&mut header, format!("again/{}", data.len()), name).unwrap();
        archive.append_link(&mut header, format!("nothing/{}", data.len()), "gone").unwrap();
    };
    add("a.dem", b"1st");
    add("a.dem", b"second");
    let archive = archive.into_inner().unwrap();
    assert_eq!(names(&listing(&archive, "")), ["a.dem", "again/3", "a.dem", "again/6"]);
    assert_eq!((read(&archive, "again/3"), read(&archive, "again/6")), (b"1st".to_vec(), b"second".to_vec()));
}

/// Files of three bytes each, at most nine, in one piece that is not packed.
fn sevenzip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let data = files.iter().map(|(_, data)| *data).collect::<Vec<_>>().concat();
    let names = files.iter().flat_map(|(name, _)| name.encode_utf16().chain([0])).flat_map(u16::to_le_bytes);
    let names: Vec<_> = std::iter::once(0).chain(names).collect();
    let (len, count) = (data.len() as u8, files.len() as u8);
    let header = [
        &[1, 4, 6, 0, 1, 9, len, 0, 7, 11, 1, 0, 1, 1, 0, 12, len, 0, 8, 13, count, 9][..],
        &vec![3; files.len() - 1],
        &[0, 0, 5, count, 17, names.len() as u8],
        &names,
        &[0, 0],
    ]
    .concat();
    let place = [&(data.len() as u64).to_le_bytes()[..], &(header.len() as u64).to_le_bytes()].concat();
    let place = [place, crc(&header).to_le_bytes().to_vec()].concat();
    [b"7z\xBC\xAF\x27\x1C\0\x04", &crc(&place).to_le_bytes()[..], &place, &data, &header].concat()
}

#[test]
fn members_of_one_name_have_numbers() {
    let zip = |files: &[(&str, &[u8])]| zip(&files.iter().map(|(name, data)| stored(name, data)).collect::<Vec<_>>());
    let files: [(&str, &[u8]); 7] = [
        ("a", b"1st"),
        ("a", b"2nd"),
        ("b/c", b"1 c"),
        // What is really called so keeps its name.
        ("#2/a", b"own"),
        ("b/c", b"2 c"),
        ("a", b"3rd"),
        ("#2/a", b"twn"),
    ];
    let last = ["#1/a", "#3/a", "#1/b/c", "#1/#2/a", "b/c", "a", "#2/a"];
    let first = ["a", "#3/a", "b/c", "#2/a", "#2/b/c", "#4/a", "#2/#2/a"];
    for (archive, wanted) in [(zip(&files), last), (tar(&files), last), (sevenzip(&files), last), (pak(&files), first)]
    {
        let l = listing(&archive, "");
        assert_eq!(l.entries.iter().map(|it| it.address()).collect::<Vec<_>>(), wanted, "{:?}", l.kind);
        for (at, (address, (_, data))) in wanted.iter().zip(files).enumerate() {
            assert_eq!((read(&archive, address), l.find(address).unwrap()), (data.to_vec(), at), "{address}");
            let Opened::File(file) = l.open(at, &Limits::default()).unwrap() else { panic!() };
            assert_eq!(file.name, format!("a:{address}"));
        }
    }
    // Names that look alike when they are shown are one name.
    let alike = zip(&[("\u{1}", b"1"), ("\\x01", b"2")]);
    assert_eq!((read(&alike, "#1/\\x01"), read(&alike, "\\x01")), (b"1".to_vec(), b"2".to_vec()));
}

#[test]
fn odd_names_can_be_shown_and_found() {
    let odd = Member { name: b"\x1B[31m\xFFdemo.dem".to_vec(), ..stored("", b"odd") };
    let archive = zip(&[odd]);
    let shown = names(&listing(&archive, "")).remove(0);
    assert_eq!(shown, r"\x1b[31m\xffdemo.dem");
    assert_eq!(read(&archive, &shown), b"odd");
}

#[test]
fn a_plain_file_has_no_members() {
    assert!(refused(b"-1\n....", "demo1.dem").contains("not an archive"));
    assert!(refused(&pak(&[("one.dem", b"one")]), "one.dem:two").contains("not an archive"));
}
