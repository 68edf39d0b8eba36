//! DZIP: archives made by hand from what is known of the format, and what dzip itself made where there is some.

use super::build::*;
use crate::common::{Random, need, rounds};

/// A file of an archive, as its entry shall describe it.
struct Dzipped {
    name: &'static str,
    kind: u32,
    /// Before it is deflated.
    coded: Vec<u8>,
    /// What is to come out.
    whole: Vec<u8>,
    /// Of a PAK the number of members, of a member its place.
    pak: u16,
}

fn file(name: &'static str, kind: u32, coded: &[u8], whole: &[u8]) -> Dzipped {
    Dzipped { name, kind, coded: coded.to_vec(), whole: whole.to_vec(), pak: 0 }
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// An archive of version 2 or 3: header, each file deflated by itself, directory.
fn later(major: u8, files: &[Dzipped]) -> Vec<u8> {
    let (mut out, mut directory) = (vec![b'D', b'Z', major, 0, 0, 0, 0, 0], Vec::new());
    out.extend((files.len() as u32).to_le_bytes());
    for file in files {
        let packed = match file.kind {
            3 | 7 => Vec::new(),
            8 => file.whole.clone(),
            _ => zlib(&file.coded),
        };
        let sizes = [out.len(), packed.len(), file.whole.len()].map(|n| (n as u32).to_le_bytes());
        directory.extend(sizes.as_flattened());
        directory.extend((file.name.len() as u16 + 1).to_le_bytes());
        directory.extend(file.pak.to_le_bytes());
        directory.extend((!crc(&file.whole)).to_le_bytes());
        directory.extend(file.kind.to_le_bytes());
        directory.extend([0; 4]);
        directory.extend((file.coded.len() as u32).to_le_bytes());
        directory.extend(file.name.as_bytes());
        directory.push(0);
        out.extend(packed);
    }
    finish(out, directory)
}

/// An archive of version 1: all files deflated in one go, places counted in what they inflate to.
fn first(files: &[Dzipped]) -> Vec<u8> {
    let mut out = b"DZ\x01\x03\0\0\0\0".to_vec();
    out.extend((files.len() as u32).to_le_bytes());
    let (mut directory, mut all) = (Vec::new(), Vec::new());
    for file in files {
        let sizes = [12 + all.len(), file.coded.len(), file.whole.len()].map(|n| (n as u32).to_le_bytes());
        directory.extend(sizes.as_flattened());
        directory.extend((file.name.len() as u16 + 1).to_le_bytes());
        directory.extend([0; 2]);
        directory.extend((!crc(&file.whole)).to_le_bytes());
        directory.extend(file.kind.to_le_bytes());
        directory.extend(file.name.as_bytes());
        directory.push(0);
        all.extend(&file.coded);
    }
    out.extend(zlib(&all));
    finish(out, directory)
}

fn finish(mut out: Vec<u8>, directory: Vec<u8>) -> Vec<u8> {
    let at = (out.len() as u32).to_le_bytes();
    out[4..8].copy_from_slice(&at);
    out.extend(directory);
    out
}

/// A block of a recording: length, angles, messages.
fn block(angles: [f32; 3], messages: &[&[u8]]) -> Vec<u8> {
    let messages = messages.concat();
    let mut block = (messages.len() as u32).to_le_bytes().to_vec();
    angles.iter().for_each(|angle| block.extend(angle.to_le_bytes()));
    block.extend(messages);
    block
}

fn whole(blocks: &[Vec<u8>]) -> Vec<u8> {
    [b"-1\n".to_vec(), blocks.concat()].concat()
}

fn coded(blocks: &[&[&[u8]]]) -> Vec<u8> {
    let blocks: Vec<_> = blocks.iter().map(|block| block.concat()).collect();
    [b"-1\n".to_vec(), blocks.concat()].concat()
}

const SERVERINFO: &[u8] = b"\x0B\x0F\0\0\0\x01\0the level\0maps/a.bsp\0progs/b.mdl\0\0s.wav\0\0";

#[test]
fn a_dz_lists_and_opens() {
    let data = sample(5000);
    let files = [
        file("runs\\", 7, b"", b""),
        file("runs\\e1m1_0024.txt", 2, &data, &data),
        file("readme", 0, b"read me", b"read me"),
        file("noise", 8, b"", b"x"),
    ];
    for major in [2, 3] {
        let archive = later(major, &files);
        assert_eq!(sniff(&archive), ContainerKind::Dz);
        let l = listing(&archive, "");
        assert_eq!((l.kind, l.damage.as_deref()), (ContainerKind::Dz, None));
        // A folder is no file.
        assert_eq!(names(&l), ["runs\\e1m1_0024.txt", "readme", "noise"]);
        assert_eq!(l.entries[0].size, 5000);
        assert!(l.entries[0].packed < 3000);
        assert_eq!(read(&archive, "e1m1_0024.txt"), data);
        assert_eq!(read(&archive, "noise"), b"x");
        assert_eq!(read(&gzip(&archive), "readme"), b"read me");
    }
    let twice = later(2, &[file("one", 0, b"old", b"old"), file("one", 0, b"new", b"new")]);
    assert_eq!((read(&twice, "one"), read(&twice, "#1/one")), (b"new".to_vec(), b"old".to_vec()));
    assert_eq!(sniff(b"DZ\x04\0\x0C\0\0\0"), ContainerKind::Plain);
    assert_eq!(sniff(b"DZ\x02\x09\x01\0\0\0"), ContainerKind::Plain);
}

#[test]
fn all_files_of_version_1_are_one_stream() {
    let data = sample(60_000);
    let files: Vec<_> = ["a", "b", "c"].into_iter().zip(data.chunks(20_000)).map(|(n, d)| file(n, 0, d, d)).collect();
    let archive = first(&files);
    // In any order, and side by side.
    for (name, at) in [("c", 2), ("a", 0), ("b", 1), ("b", 1)] {
        assert_eq!(read(&archive, name), data[at * 20_000..][..20_000]);
    }
    let l = listing(&archive, "");
    let mut open: Vec<_> = (0..3)
        .map(|i| match l.open(i, &Limits::default()).unwrap() {
            Opened::File(file) => file,
            Opened::Listing(_) => panic!(),
        })
        .collect();
    let mut buf = [0; 1000];
    for part in 0..20 {
        for (i, file) in open.iter_mut().enumerate() {
            file.read_exact(&mut buf).unwrap();
            assert_eq!(buf[..], data[i * 20_000 + part * 1000..][..1000]);
        }
    }
}

#[test]
fn a_pak_in_a_dz_is_put_together() {
    let (one, two) = (sample(700), b"two".to_vec());
    let pak = pak_of(&[("a/one.dem", &one), ("two", &two)]);
    let mut files = [
        file("pak0.pak", 3, b"", &pak),
        file("a/one.dem", 0, &one, &one),
        file("two", 2, &two, &two),
        file("readme", 0, b"read me", b"read me"),
    ];
    (files[0].pak, files[1].pak, files[2].pak) = (2, 1, 2);
    let mut archive = later(2, &files);
    assert_eq!(names(&listing(&archive, "")), ["pak0.pak", "readme"]);
    assert_eq!(names(&listing(&archive, "pak0.pak")), ["a/one.dem", "two"]);
    assert_eq!(read(&archive, "pak0.pak:one.dem"), one);
    assert_eq!(read(&archive, "pak0.pak:two"), two);
    // Damage to one member leaves the others where they are.
    archive[20] ^= 0x55;
    let mut file = source(&archive, "pak0.pak:two");
    let (bytes, error) = file.salvage(&Limits::default());
    assert_eq!(bytes, two);
    is_container(error, "member a/one.dem of the pak");
}

/// A PAK whose names have nothing but zeros behind them.
fn pak_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut pak = pak(files);
    let start = pak.len() - 64 * files.len();
    for (i, (name, _)) in files.iter().enumerate() {
        pak[start + 64 * i + name.len()..start + 64 * i + 56].fill(0);
    }
    pak
}

#[test]
fn what_dzip_does_not_know_is_kept_as_it_is() {
    let raw = sample(300_000);
    let length = (raw.len() as u32).to_le_bytes();
    let archive =
        later(2, &[file("a.dem", 5, &coded(&[&[b"\xFF", &length, &raw]]), &whole(std::slice::from_ref(&raw)))]);
    assert_eq!(read(&archive, "a.dem"), whole(&[raw]));
}

#[test]
fn angles_and_clocks_are_differences_of_their_bits() {
    let angles: [f32; 3] = [1.5, -90.0, 0.25];
    let bits = angles.map(f32::to_bits);
    let times = [10.0f32, 10.1].map(f32::to_bits);
    let step = |from: u32, to: u32| to.wrapping_sub(from).to_le_bytes();
    let coded = coded(&[
        &[b"\x07", &step(0, bits[0]), &step(0, bits[1]), &step(0, bits[2]), b"\x23", &step(0, times[0]), b"\0"],
        // The pitch alone changes; a short step of the clock.
        &[b"\x01", &step(bits[0], 2.0f32.to_bits()), b"\x07\x05\x80\x01\0"],
        &[b"\0", b"\x23", &step(times[0] + 0x8005, times[1]), b"\0"],
    ]);
    let time = |bits: u32| [b"\x07".as_slice(), &bits.to_le_bytes()].concat();
    let whole = whole(&[
        block(angles, &[&time(times[0])]),
        block([2.0, -90.0, 0.25], &[&time(times[0] + 0x8005), b"\x01"]),
        block([2.0, -90.0, 0.25], &[&time(times[1])]),
    ]);
    assert_eq!(read(&later(2, &[file("a.dem", 5, &coded, &whole)]), "a.dem"), whole);
}

/// Messages one behind the other.
type Pieces<'p> = &'p [&'p [u8]];

/// A recording coded by hand comes out as it is, from an archive of each version.
#[track_caller]
fn decodes(majors: &[u8], blocks: &[(Pieces<'_>, Pieces<'_>)]) {
    let blocks_coded: Vec<_> =
        blocks.iter().map(|(coded, _)| [b"\0", coded.concat().as_slice(), b"\0"].concat()).collect();
    let blocks_whole: Vec<_> = blocks.iter().map(|(_, whole)| block([0.0; 3], whole)).collect();
    let (coded, whole) = ([b"-1\n".to_vec(), blocks_coded.concat()].concat(), whole(&blocks_whole));
    for &major in majors {
        let archive = match major {
            1 => first(&[file("a.dem", 1, &coded, &whole), file("b.dem", 1, &coded, &whole)]),
            _ => later(major, &[file("a.dem", 5, &coded, &whole), file("b.dem", 6, &coded, &whole)]),
        };
        for name in ["a.dem", "b.dem"] {
            let (bytes, error) = salvage(&archive, name);
            assert_eq!((bytes, error.map(|e| e.to_string())), (whole.clone(), None), "version {major}");
        }
    }
}

#[test]
fn plain_messages_are_as_they_are() {
    let level = [SERVERINFO, b"\x19\x01"].concat();
    let all: &[&[u8]] = &[
        &level,
        b"\x03\x09\x01\x02\x03\x04",
        b"\x04\x0F\0\0\0\x05\x01\0",
        b"\x08hello\n\0\x09bf\n\0\x0A\x01\x02\x03",
        b"\x0C\x02mm\0\x0D\x01anna\0\x0E\x01\x05\0\x10\x08\0\x11\x01\x44",
        b"\x12\x01\0\x02\0\x03\0\x04\x05\x06\x07\x08",
        b"\x13\x01\x02\x03\0\x04\0\x05\0",
        b"\x14\x01\x02\x03\x04\x05\0\x06\x07\0\x08\x09\0\x0A",
        b"\x17\x03\x01\0\x02\0\x03\0\x17\x05\x09\0\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0\x17\x0C\x01\0\x02\0\x03\0\x04\x05",
        b"\x18\x01\x1A\x48i\0\x1B\x1C\x1D\x01\0\x02\0\x03\0\x04\x05\x06\x1E\x1F\x46in\0\x20\x02\x02\x21\x22\x43ut\0",
    ];
    decodes(&[1, 2, 3], &[(all, all)]);
    // Nehahra's showlmp has the number of a long step of the clock, and so another one.
    let nehahra: (Pieces<'_>, Pieces<'_>) = (&[b"\x26a\0b.lmp\0\x01\x02\x24a\0"], &[b"\x23a\0b.lmp\0\x01\x02\x24a\0"]);
    decodes(&[2, 3], &[nehahra]);
}

/// `clientdata` as the first one is: nothing but the items that dzip begins with.
const CLIENT: &[u8] = b"\x0F\0\x02\x01\x40\0\0\0\0\0\0\0\0\0\0";

#[test]
fn what_the_player_has_is_told_as_differences() {
    // Velocity 2 to -5, on the ground, health 100, a bit of the items, 25 shells.
    let told: &[u8] = b"\x0F\x80\x06\xFB\x03\x40\0\0\x64\0\0\x19\0\0\0\0";
    // Velocity 0 is told although it is 0, until that is taken back.
    let forced: &[u8] = b"\x0F\xA0\x06\0\xFB\x03\x40\0\0\x64\0\0\x19\0\0\0\0";
    decodes(
        &[2, 3],
        &[
            (&[b"\x40"], &[CLIENT]),
            (&[b"\x49\xB2\x02\xFB\x64\0\x02\0\0\0\x19"], &[told]),
            (&[b"\x40\x51"], &[forced]),
            (&[b"\x40"], &[forced]),
            (&[b"\x40\x51"], &[told]),
            // A byte goes around: -5 + -123.
            (&[b"\x41\x85"], &[b"\x0F\x80\x06\x80\x03\x40\0\0\x64\0\0\x19\0\0\0\0"]),
        ],
    );
}

#[test]
fn fitzquake_has_high_bytes() {
    let serverinfo: &[u8] = b"\x0B\x9A\x02\0\0\x01\0level\0\0\0";
    // 300 rounds, the alpha of the weapon.
    let told: &[u8] = b"\x0F\0\x82\x84\x02\x01\x40\0\0\0\0\x2C\0\0\0\0\0\x01\x80";
    // Alpha is told when it changes; a difference to what is large is not cut.
    let next: &[u8] = b"\x0F\0\x82\x04\x01\x40\0\0\0\0\x2D\0\0\0\0\0\x01";
    decodes(
        &[2, 3],
        &[(&[serverinfo, b"\x48\x80\x80\xC0\x40\x2C\x01\x80"], &[serverinfo, told]), (&[b"\x48\x08\x01"], &[next])],
    );
}

/// Baselines of entities 1 (model 5, origin 16 32 48) and 3 (model 7, frame 9), coded and whole.
const BASELINES: (&[u8], &[u8]) = (
    b"\x16\x01\x20\x05\x10\0\x20\0\x30\0\x16\x02\x04\x07\x09",
    b"\x16\x01\0\x05\0\0\0\x10\0\0\x20\0\0\x30\0\0\x16\x03\0\x07\x09\0\0\0\0\0\0\0\0\0\0\0",
);

#[test]
fn entities_are_told_as_differences_and_go_on() {
    decodes(
        &[2, 3],
        &[
            (&[SERVERINFO, BASELINES.0], &[SERVERINFO, BASELINES.1]),
            // 1 moves up by 8 and is in its next frame, 3 turns and has another model.
            (&[b"\x30\x01\x03\0\x41\x08\x88\x20\x10\x0B"], &[b"\xC8\x01\x01\x38\0", b"\x81\x05\x03\x0B\x10"]),
            // 1 is told no more, and goes on; 3 is gone.
            (&[b"\x30\0\0\x80"], &[b"\xC8\x01\x01\x40\0"]),
            (&[b"\x30\0"], &[b"\xC8\x01\x01\x48\0"]),
            // Its second coordinate is told although it is as in the baseline.
            (&[b"\x30\0\x31\x01\x04\0\0"], &[b"\xCC\x01\x01\x20\0\x50\0"]),
            // A sound counts from where its entity is, and its channel is turned around: 2 - 1.
            (&[b"\x38\x09\0\x07\0\0\x01\0\xFF\xFF"], &[b"\x06\0\x09\0\x07\x10\0\x21\0\x4F\0"]),
            (&[b"\x3B\x80\x40\x09\0\x07\0\0\0\0\0\0"], &[b"\x06\x03\x80\x40\x09\0\x07\x10\0\x20\0\x50\0"]),
            (&[b"\x06\0\x08\0\x07\0\0\0\0\0\0"], &[b"\x06\0\x0A\0\x07\x10\0\x20\0\x50\0"]),
            // One out of order, as it is.
            (&[b"\x81\x40\x05\0"], &[b"\x81\x40\x05\0"]),
            // A new level forgets all of it.
            (&[SERVERINFO, b"\x16\x01\0\x05"], &[SERVERINFO, b"\x16\x01\0\x05\0\0\0\0\0\0\0\0\0\0\0\0"]),
        ],
    );
}

#[test]
fn version_3_has_more_entities_and_sounds() {
    let serverinfo: &[u8] = b"\x0B\x9A\x02\0\0\x01\0level\0\0\0";
    // Entity 300 by a baseline that is long for its model, 1100 by one that is long for its number.
    let long = b"\x2A\x2C\x01\x01\x02\x34\x12";
    let long_whole = b"\x2A\x2C\x01\x01\x34\x12\0\0\0\0\0\0\0\0\0\0\0\0";
    let numbered = b"\x2A\x4C\x04\x01\x01\x06";
    let numbered_whole = b"\x16\x4C\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0";
    decodes(
        &[3],
        &[
            (&[serverinfo, long, numbered], &[serverinfo, long_whole, numbered_whole]),
            // It turns and fades.
            (&[b"\x30\xFF\x2E\0\x88\x80\x04\x10\x40"], &[b"\x81\xC1\x01\x2C\x01\x10\x40"]),
            // Its frame is told although it is as in the baseline.
            (&[b"\x30\0\0\x32\x2C\x01\x40\0\0"], &[b"\xC1\xC1\x01\x2C\x01\0\x10\x40"]),
            (&[b"\x60\x2C\x01\x05\x34\x12\x01\0\0\0\0\0"], &[b"\x06\x18\x2C\x01\x05\x34\x12\x01\0\0\0\0\0"]),
        ],
    );
}

#[test]
fn nehahra_has_transparency() {
    // Alpha 0.5, then how bright it is by itself: 0 is stored as 1.
    decodes(
        &[2, 3],
        &[
            (&[SERVERINFO, BASELINES.0], &[SERVERINFO, BASELINES.1]),
            (
                &[b"\x30\x01\0\x88\x80\x04\x10\0\0\0\x3F\x31\x01\x80\x80\0\0"],
                &[b"\x81\x81\x01\x10\0\0\x80\x3F\0\0\0\x3F"],
            ),
            (&[b"\x30\0\x88\x80\x08\x10\x01"], &[b"\x81\x81\x01\x20\0\0\0\x40\0\0\0\x3F\0\0\0\0"]),
        ],
    );
}

#[test]
fn version_1_has_codes_of_its_own() {
    decodes(
        &[1],
        &[
            (&[SERVERINFO, BASELINES.0], &[SERVERINFO, BASELINES.1]),
            // What is told of entities is put out in front of the next message; the clock has 4 bytes.
            (
                &[b"\x07\x05\0\0\0\x80\x01\x12\x08\0\0\x01\xF2\xFB"],
                &[b"\x07\x05\0\0\0", b"\xC8\x01\x01\x38\0", b"\x01", b"\x0F\x80\x02\xFB\x01\x40\0\0\0\0\0\0\0\0\0\0"],
            ),
            // The first entity is 1; at the end of the block they are put out too.
            (&[b"\x81\x12\x08\0\0"], &[b"\xC8\x01\x02\x40\0"]),
            // As before, and something told although it is as in the baseline.
            (&[b"\x84\x01\x04\0\0"], &[b"\xCC\x01\x02\x20\0\x40\0"]),
            (&[b"\x83\x01\0\0\0"], &[]),
            // Sounds are as they are. Items are a sum: 16385 + 1.
            (
                &[b"\x06\0\x08\0\x07\x01\0\x02\0\x03\0\xF1\x01\x20\x01\0\0\0"],
                &[b"\x06\0\x08\0\x07\x01\0\x02\0\x03\0", b"\x0F\x80\x02\xFB\x02\x40\0\0\0\0\0\0\0\0\0\0"],
            ),
        ],
    );
}

#[test]
fn damage_leaves_the_blocks_before_it() {
    let blocks = [b"\0\x01\0".to_vec(), b"\0\x01\x01\0".to_vec()];
    let begun = whole(&[block([0.0; 3], &[b"\x01"]), block([0.0; 3], &[b"\x01\x01"])]);
    for (bad, words) in [(&b"\0\x01\x2F\0"[..], "unknown message 2F"), (b"\0\x0B\xE7\x03\0\0", "protocol 999")] {
        let coded = [b"-1\n".to_vec(), blocks.concat(), bad.to_vec()].concat();
        let (bytes, error) = salvage(&later(2, &[file("a.dem", 5, &coded, &sample(100))]), "a.dem");
        assert_eq!(bytes, begun);
        is_container(error, words);
    }
    // A block that breaks off.
    let coded = [b"-1\n".to_vec(), blocks.concat(), b"\0\x03\x01".to_vec()].concat();
    let (bytes, error) = salvage(&later(2, &[file("a.dem", 5, &coded, &sample(100))]), "a.dem");
    assert_eq!(bytes, begun);
    is_truncated(error, begun.len() as u64);
    // The checksum is over what comes out.
    let mut archive = later(2, &[file("a.dem", 5, &[b"-1\n".to_vec(), blocks.concat()].concat(), &begun)]);
    let entry = archive.len() - 32 - 6;
    archive[entry + 16] ^= 1;
    let (bytes, error) = salvage(&archive, "a.dem");
    assert_eq!(bytes, begun);
    is_container(error, "checksum");
}

#[test]
fn a_damaged_directory_is_listed_as_far_as_it_goes() {
    let files = [file("a", 8, b"", b"one"), file("b", 8, b"", b"two")];
    let archive = later(2, &files);
    let cut = &archive[..archive.len() - 5];
    assert_eq!(names(&listing(cut, "")), ["a"]);
    assert!(listing(cut, "").damage.unwrap().contains("1 of 2"));
    assert_eq!(read(cut, "a"), b"one");
    assert!(refused(&archive[..14], "").contains("lies outside the file of 14 bytes"));
    let mut limits = Limits::default();
    limits.entries = 1;
    let error = open_bytes("a", archive.clone(), &[], &limits).unwrap_err();
    assert!(matches!(error.kind, error::ErrorKind::Limit { what: Bound::Entries, limit: 1, found: 2 }), "{error}");
    let odd = later(2, &[file("a", 9, b"x", b"x")]);
    assert!(refused(&odd, "a").contains("is of kind 9"));
}

#[test]
fn no_change_of_a_dz_does_harm() {
    let blocks: &[&[&[u8]]] = &[
        &[b"\0", SERVERINFO, BASELINES.0, b"\0"],
        &[b"\0", b"\x30\x01\x03\0\x41\x08\x88\x20\x10\x0B", b"\x40\x38\x09\0\x07\0\0\x01\0\xFF\xFF", b"\0"],
    ];
    let seed = coded(blocks);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut limits = Limits::default();
    limits.unpacked = 1 << 20;
    let (mut bytes, all) = (0, rounds(3000));
    for round in 0..all {
        let mut data = seed.clone();
        for _ in 0..1 + random.below(3) {
            let at = 3 + random.below(data.len() - 3);
            data[at] = random.below(256) as u8;
        }
        let kind = if round % 3 == 0 { 1 } else { 5 };
        let files = [file("a.dem", kind, &data, b"")];
        let archive = if kind == 1 { first(&files) } else { later(3, &files) };
        // The size in the directory is that of nothing: let it be larger.
        let mut archive = archive;
        let entry = archive.len() - 6 - if kind == 1 { 24 } else { 32 };
        archive[entry + 8..entry + 12].copy_from_slice(&(1u32 << 20).to_le_bytes());
        let Opened::Listing(l) = open_bytes("a", archive, &[], &limits).unwrap() else { panic!() };
        let Opened::File(mut file) = l.open(0, &limits).unwrap() else { panic!() };
        bytes += file.salvage(&limits).0.len();
    }
    assert!(bytes > all * 10, "{bytes} bytes: nothing was tested");
}

/// The archives that dzip made of recordings of the corpus.
#[test]
fn what_dzip_made_comes_out_as_it_was() {
    let (Some(samples), Some(corpus)) = (need("facts/data/dz_samples"), need("corpus/dem")) else { return };
    for (archive, member, original) in
        [("a15.dz", "a15.dem", "osm_quake__demo1.dem"), ("b666.dz", "b666.dem", "fpiesche_LibreQuake__MEDSR.dem")]
    {
        let archive = std::fs::read(samples.join(archive)).unwrap();
        assert_eq!(names(&listing(&archive, "")), [member, "note.txt"]);
        let original = std::fs::read(corpus.join(original)).unwrap();
        assert!(read(&archive, member) == original, "{member}");
        read(&archive, "note.txt");
    }
}
