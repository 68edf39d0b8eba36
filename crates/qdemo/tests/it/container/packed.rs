//! Files and archives that other tools packed: see `testdata/PROVENANCE.md`.

use super::build::*;
use crate::common::{Random, rounds, testdata};

fn fixture(name: &str) -> Vec<u8> {
    testdata(&format!("containers/{name}"))
}

#[test]
fn packed_files_are_transparent() {
    for (name, kind) in [
        ("one.xz", ContainerKind::Xz),
        ("blocks.xz", ContainerKind::Xz),
        ("one.bz2", ContainerKind::Bzip2),
        ("one.zst", ContainerKind::Zstd),
    ] {
        let packed = fixture(name);
        assert_eq!(sniff(&packed), kind, "{name}");
        assert_eq!(source(&packed, "").containers, [kind]);
        assert!(read(&packed, "") == sample(3000), "{name}");
        // Streams follow each other, with padding between them.
        let twice = [packed.as_slice(), &[0; 8], &packed].concat();
        assert!(read(&twice, "") == [sample(3000), sample(3000)].concat(), "{name}");
        assert!(read(&gzip(&packed), "") == sample(3000), "{name}");
        assert!(read(&pak(&[("a", &packed)]), "a") == sample(3000), "{name}");
        // However small the reads are.
        let (mut file, mut bytes, mut one) = (source(&packed, ""), Vec::new(), [0]);
        while file.read(&mut one).unwrap() > 0 {
            bytes.push(one[0]);
        }
        assert!(bytes == sample(3000), "{name}");
    }
}

/// A member of a zip that Python's `zipfile` packed by LZMA: text of 873 bytes with the checksum 4016668514.
const LZMA: &str = "090405005d0000800000361a4a1f08a026034d069df8b2a5acae0b44da27c1941fa948898c9595d049218735dfede5369f50c0c1206fd6\
                    3734ac03f24aac91ae33cc30da4f178469a5a9a38c898f2c04cf8d6a31f6a3f468595bc78e46bd576b38aa289a46b964f5a49165c36ef9\
                    b23740cc26198ec27a48e2c03fedf86a4391b35996d76881827b3334fd7bc686db458fc4a2c68203fffef66052";

/// What the packers of files make stands in zips, too.
#[test]
fn zip_members_are_packed_in_many_ways() {
    let member = |name: &str, method| {
        let (packed, data) = (fixture(name), sample(3000));
        Member { method, packed_size: packed.len() as u32, packed, ..stored(name, &data) }
    };
    let hex = |at: usize| u8::from_str_radix(&LZMA[at..at + 2], 16).unwrap();
    let packed: Vec<u8> = (0..LZMA.len()).step_by(2).map(hex).collect();
    let lines = (0..40u32).map(|n| format!("line {} of the member\n", n * n % 97)).collect::<String>();
    let size = packed.len() as u32;
    let lzma = Member { method: 14, flags: 2, packed_size: size, packed, ..stored("lzma", lines.as_bytes()) };
    assert_eq!((lzma.size, lzma.crc), (873, 4_016_668_514));
    let all = [member("one.bz2", 12), member("one.zst", 93), member("one.zst", 20), member("one.xz", 95), lzma];
    for one in &all {
        let archive = zip(&[deflated("front.dem", &sample(100)), one.clone(), stored("behind.dem", &sample(50))]);
        let name = String::from_utf8_lossy(&one.name).into_owned();
        let data = if name == "lzma" { lines.clone().into_bytes() } else { sample(3000) };
        assert!(read(&archive, &name) == data, "{name}");
        // Damage is told, and nothing panics.
        for at in (0..one.packed.len()).step_by(7) {
            let mut packed = one.packed.clone();
            packed[at] ^= 0x55;
            drop(salvage(&zip(&[Member { packed, ..one.clone() }]), &name));
        }
    }
}

#[test]
fn what_stands_behind_packed_data_is_told() {
    for (name, kind) in
        [("one.xz", ContainerKind::Xz), ("one.bz2", ContainerKind::Bzip2), ("one.zst", ContainerKind::Zstd)]
    {
        let mut packed = fixture(name);
        let end = packed.len() as u64;
        packed.extend(b"\r\n");
        assert!(read(&packed, "") == sample(3000), "{name}");
        assert_eq!(behind(&packed, ""), [(kind, end, b"\r\n".to_vec())]);
        // Of a member of an archive it is told with the member.
        let archive = pak(&[("a", &packed), ("b", b"whole")]);
        assert_eq!(behind(&archive, "a").len(), 1);
        assert_eq!(behind(&archive, "b"), []);
        // What stands behind the archive is told to who goes through it.
        let around = [gzip(&pak(&[("b", b"whole")])), b"junk".to_vec()].concat();
        assert_eq!(behind(&around, "b").len(), 1);
        assert_eq!(listing(&around, "").behind().len(), 1);
        // Two containers, each with something behind it.
        let mut outer = gzip(&packed);
        outer.extend(b"junk");
        let both: Vec<_> = behind(&outer, "").into_iter().map(|(kind, ..)| kind).collect();
        assert!(both.len() == 2 && both.contains(&ContainerKind::Gzip) && both.contains(&kind));
    }
}

#[test]
fn what_stands_behind_is_counted_and_kept_in_part() {
    let mut packed = gzip(b"demo");
    let end = packed.len() as u64;
    packed.resize(packed.len() + (3 << 20), b'x');
    let mut file = source(&packed, "");
    assert_eq!(file.read_all(&Limits::default()).unwrap(), b"demo");
    let [behind] = &file.behind()[..] else { panic!() };
    assert_eq!((behind.offset, behind.len, behind.kept.len()), (end, 3 << 20, 1 << 20));
    let told = behind.to_string();
    assert!(
        told.starts_with(&format!("3145728 bytes behind the end of the gzip data, at byte {end}: 78 78")),
        "{told}"
    );
}

#[test]
fn truncated_streams_give_what_is_left() {
    for name in ["one.xz", "blocks.xz", "one.bz2", "one.zst", "long.zst"] {
        let packed = fixture(name);
        for end in [20, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let (bytes, error) = salvage(&packed[..end], "");
            assert!(sample(200_000).starts_with(&bytes), "{name}");
            is_truncated(error, bytes.len() as u64);
        }
    }
    // A block of 1,000 bytes of which nothing is missing comes out.
    let (bytes, _) = salvage(&fixture("blocks.xz")[..1200], "");
    assert!(bytes.len() >= 1000, "{}", bytes.len());
}

#[test]
fn corrupt_streams_give_what_is_before() {
    for name in ["one.xz", "one.bz2", "one.zst"] {
        let mut packed = fixture(name);
        let middle = packed.len() / 2;
        packed[middle] ^= 0xFF;
        let (bytes, error) = salvage(&packed, "");
        assert!(bytes.len() <= 3000, "{name}");
        is_container(error, "damaged: the ");
    }
}

#[test]
fn a_dictionary_beyond_the_limit_is_refused() {
    let mut limits = Limits::default();
    limits.held = 100 << 10;
    let Opened::File(mut file) = open_bytes("a", fixture("one.xz"), &[], &limits).unwrap() else { panic!() };
    let error = file.salvage(&limits).1.unwrap();
    assert!(matches!(error.kind, error::ErrorKind::Limit { what: Bound::Held, .. }), "{error}");
    assert!(error.to_string().contains("--max-held"), "{error}");
}

/// What `zstd` makes of much data: several blocks, which take over from each other and look back far; from standard input,
/// without a size; runs of one byte, and what does not shrink.
#[test]
fn zstandard_of_all_kinds_is_unpacked() {
    let data = sample(200_000);
    assert!(read(&fixture("long.zst"), "") == data);
    assert!(read(&fixture("piped.zst"), "") == data[..60_000]);
    let mixed =
        [vec![0; 200_000], (0..3_000u32).map(|i| (i.wrapping_mul(i).wrapping_mul(0x9E37_79B9) >> 24) as u8).collect()];
    assert!(read(&fixture("mixed.zst"), "") == mixed.concat());
    // A part that is passed over, in front and between; nothing at all.
    let skipped = [b"\x50\x2A\x4D\x18\x03\0\0\0abc".to_vec(), fixture("one.zst")].concat();
    assert!(read(&[fixture("one.zst"), skipped].concat(), "") == [sample(3000), sample(3000)].concat());
    assert_eq!(read(&fixture("empty.zst"), ""), b"");
    // What came out of whole blocks comes out of a cut file.
    let long = fixture("long.zst");
    let (bytes, error) = salvage(&long[..long.len() - 3], "");
    assert!(data.starts_with(&bytes) && bytes.len() > 100_000, "{}", bytes.len());
    is_truncated(error, bytes.len() as u64);
    let mut wrong = long.clone();
    let end = wrong.len();
    wrong[end - 1] ^= 1;
    let (bytes, error) = salvage(&wrong, "");
    assert!(bytes == data);
    is_container(error, "does not match its checksum");
}

#[test]
fn no_change_of_packed_data_does_harm() {
    let seeds = ["long.zst", "one.zst", "one.xz", "one.bz2", "solid.7z", "deflate.7z", "gnu.tar.xz"].map(fixture);
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut limits = Limits::default();
    limits.unpacked = 1 << 20;
    let mut bytes = 0;
    for round in 0..rounds(1500) {
        let mut data = seeds[round % seeds.len()].clone();
        data.truncate(20_000);
        for _ in 0..1 + random.below(3) {
            let at = random.below(data.len());
            data[at] = random.below(256) as u8;
        }
        let all = |opened| match opened {
            Opened::File(mut file) => file.salvage(&limits).0.len(),
            Opened::Listing(l) => (0..l.entries.len())
                .filter_map(|index| match l.open(index, &limits) {
                    Ok(Opened::File(mut file)) => Some(file.salvage(&limits).0.len()),
                    _ => None,
                })
                .sum(),
        };
        bytes += open_bytes("a", data, &[], &limits).map_or(0, all);
    }
    assert!(bytes > 100_000, "{bytes} bytes: nothing was tested");
}

const FILES: [&str; 5] = ["readme.txt", "empty", "demos/one.dem", "demos/two.dem", "long"];

/// Names without the long one, which is replaced.
fn short_names(listing: &Listing) -> Vec<String> {
    let long = format!("demos/{}.dem", "d".repeat(120));
    let mut names = names(listing);
    names.iter_mut().filter(|name| **name == long).for_each(|name| *name = "long".to_owned());
    names.sort_by_key(|name| FILES.iter().position(|known| known == name));
    names
}

#[track_caller]
fn holds_the_files(archive: &[u8]) {
    let l = listing(archive, "");
    assert_eq!((short_names(&l), l.damage.as_deref()), (FILES.map(str::to_owned).to_vec(), None));
    // In any order: members may be packed as one piece.
    assert!(read(archive, "two.dem") == sample(5000)[3000..]);
    assert!(read(archive, "one.dem") == sample(3000));
    assert_eq!(read(archive, "readme.txt"), b"read me\n");
    assert_eq!(read(archive, "empty"), b"");
    assert_eq!(read(archive, &format!("{}.dem", "d".repeat(120))), b"long");
    // Side by side.
    let mut open: Vec<_> = (0..l.entries.len())
        .map(|index| match l.open(index, &Limits::default()).unwrap() {
            Opened::File(file) => file,
            Opened::Listing(_) => panic!(),
        })
        .collect();
    let mut bytes = vec![Vec::<u8>::new(); open.len()];
    for _ in 0..4000 {
        for (file, bytes) in open.iter_mut().zip(&mut bytes) {
            let mut one = [0; 3];
            let n = file.read(&mut one).unwrap();
            bytes.extend(&one[..n]);
        }
    }
    for (entry, bytes) in l.entries.iter().zip(&bytes) {
        assert_eq!(entry.size, bytes.len() as u64, "{}", entry.display_name());
    }
}

#[test]
fn tar_lists_and_opens() {
    for name in ["gnu.tar.xz", "pax.tar.xz"] {
        let packed = fixture(name);
        assert_eq!(source(&packed, "one.dem").containers, [ContainerKind::Xz, ContainerKind::Tar]);
        assert_eq!(source(&packed, "demos/one.dem").name, "a:demos/one.dem");
        holds_the_files(&packed);
        let plain = unxz(&packed);
        assert_eq!(sniff(&plain), ContainerKind::Tar);
        assert_eq!(listing(&plain, "").kind, ContainerKind::Tar);
        holds_the_files(&plain);
        // A member cut off.
        let data = plain.windows(20).position(|bytes| bytes == &sample(20)[..]).unwrap();
        let (bytes, error) = salvage(&plain[..data + 1500], "one.dem");
        assert!(bytes == sample(1500), "{}", bytes.len());
        is_truncated(error, 1500);
    }
}

/// The tar in a file.
fn unxz(packed: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    lzma_rust2::XzReader::new(packed, false).read_to_end(&mut out).unwrap();
    out
}

#[test]
fn a_demo_is_no_tar() {
    let mut almost = unxz(&fixture("gnu.tar.xz"));
    almost[150] ^= 1;
    assert_eq!(sniff(&almost), ContainerKind::Plain);
    assert_eq!(sniff(&[0; 600]), ContainerKind::Plain);
}

#[test]
fn a_tar_whose_headers_break_off_is_listed_as_far_as_they_go() {
    let mut archive = unxz(&fixture("gnu.tar.xz"));
    let header = archive.windows(13).position(|bytes| bytes == b"demos/one.dem").unwrap();
    archive[header + 150] ^= 1;
    let l = listing(&archive, "");
    assert!(l.damage.as_ref().unwrap().contains("the tar is damaged"), "{:?}", l.damage);
    assert_eq!(read(&archive, "readme.txt"), b"read me\n");
}

#[test]
fn sevenzip_lists_and_opens() {
    let solid = fixture("solid.7z");
    assert_eq!(sniff(&solid), ContainerKind::SevenZip);
    holds_the_files(&solid);
    assert!(read(&gzip(&solid), "one.dem") == sample(3000));
    let apart = fixture("apart.7z");
    let l = listing(&apart, "");
    let packed: Vec<_> = l.entries.iter().map(|entry| (entry.display_name(), entry.size, entry.packed > 0)).collect();
    assert!(packed.contains(&("demos/one.dem".to_owned(), 3000, true)), "{packed:?}");
    assert!(read(&apart, "one.dem") == sample(3000));
    for method in ["bzip2", "copy", "deflate", "bcj"] {
        assert!(read(&fixture(&format!("{method}.7z")), "demos/one.dem") == sample(3000), "{method}");
    }
}

#[test]
fn sevenzip_members_that_cannot_be_unpacked_say_why() {
    for (name, why) in [("ppmd", "PPMd"), ("bcj2", "BCJ2"), ("aes", "AES encryption")] {
        let archive = fixture(&format!("{name}.7z"));
        assert!(listing(&archive, "").entries[0].obstacle().unwrap().contains(why), "{name}");
        assert!(refused(&archive, "one.dem").contains(why), "{name}");
    }
    // Where the names are encrypted too there is nothing to list.
    assert!(refused(&fixture("aes-names.7z"), "").contains("AES encryption"));
}

#[test]
fn damaged_sevenzips_say_so() {
    let whole = fixture("solid.7z");
    assert!(refused(&whole[..whole.len() - 1], "").contains("lies outside the file"));
    assert!(refused(&whole[..20], "").contains("truncated"));
    let mut data = whole.clone();
    data[200] ^= 0xFF;
    let l = listing(&data, "");
    let faults = (0..l.entries.len()).filter(|index| match l.open(*index, &Limits::default()).unwrap() {
        Opened::File(mut file) => file.salvage(&Limits::default()).1.is_some(),
        Opened::Listing(_) => false,
    });
    assert!(faults.count() > 0);
    let mut directory = whole.clone();
    let end = directory.len();
    directory[end - 10] ^= 0xFF;
    assert!(refused(&directory, "").contains("damaged"));
}

#[test]
fn counts_in_a_sevenzip_are_bounded() {
    let mut limits = Limits::default();
    limits.entries = 4;
    let error = open_bytes("a", fixture("solid.7z"), &[], &limits).unwrap_err();
    assert!(matches!(error.kind, error::ErrorKind::Limit { what: Bound::Entries, limit: 4, .. }), "{error}");
}
