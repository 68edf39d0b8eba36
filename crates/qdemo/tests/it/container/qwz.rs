//! Qizmo's `.qwz`: a sample made for this project (see `testdata/PROVENANCE.md`), and real files where there are some.

use super::build::*;
use crate::common::{self, Random};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

fn sample_qwz() -> Vec<u8> {
    common::testdata("qizmo.qwz")
}

/// What is in the sample, put together by hand.
fn sample_qwd() -> Vec<u8> {
    let mut qwd = Vec::new();
    let mut block = |ms: u32, kind: u8, body: &[u8]| {
        qwd.extend((f64::from(ms) as f32 / 1000.0).to_le_bytes());
        qwd.push(kind);
        if kind == 1 {
            qwd.extend((body.len() as u32).to_le_bytes());
        }
        qwd.extend(body);
    };
    let packet = |n: u8, messages: &[&[u8]]| {
        let head = [n, 0, 0, 0, n, 0, 0, 0];
        [head.as_slice(), &messages.concat()].concat()
    };
    let serverdata = b"\x0B\x1C\0\0\0\x07\0\0\0qw\0\x02The Abandoned Base\0";
    block(0, 1, &packet(1, &[serverdata, &[0; 40]]));
    let sounds = b"\x2E\0weapons/own.wav\0ambience/fire1.wav\0\0\0";
    let models = b"\x2D\0maps/dm3.bsp\0progs/grenade.mdl\0progs/player.mdl\0\0\0";
    // Entity 40: model 2, the origin 256 128 0 in eighths.
    let baseline = b"\x16\x28\0\x02\0\0\0\0\x08\0\0\x04\0\0\0\0";
    block(0, 1, &packet(2, &[sounds, models, baseline, b"\x09cmd spawn 7 0\n\0"]));
    // Player 2 with the first velocity word, at 800 0 192 eighths, frame 12, 320 units a second; no entities.
    block(0, 1, &packet(3, &[b"\x2A\x02\x04\0\x20\x03\0\0\xC0\0\x0C\x40\x01", b"\x2F\0\0"]));

    let words = [0x1000, 0x2000, 0x2FFF, 0x3FFE, 0x4FFD];
    for (word, ms) in words.into_iter().zip([0, 13, 26, 39, 52]) {
        let pitch = (word as f32 * 360.0 / 65536.0).to_le_bytes();
        let angles = [pitch.as_slice(), &[0; 8]].concat();
        let moves = [144, 0, 0, 0, 0, 0];
        block(ms, 0, &[&[20, 0, 0, 0], angles.as_slice(), &moves, &[0, 8], &angles].concat());
    }

    // After 20 ms at 320 units a second: 6.4 units, 51 eighths.
    let own = |x: u16| [b"\x2A\x02\x04\0", &x.to_le_bytes()[..], b"\0\0\xC8\0\x0C\x40\x01"].concat();
    let entities = b"\x2F\x28\xA0\x04\x03\x03\0\0";
    // The sound is where the entity is.
    let sound = b"\x06\x40\x01\x02\0\x08\0\x04\0\0";
    block(65, 1, &packet(4, &[&own(851), entities, sound, b"\x08\x01I accepts it\0", b"\x03\0\x50"]));
    let other = b"\x2A\x05\x01\0\x7E\x03\0\0\xC8\0\0\x0A";
    block(65, 1, &packet(5, &[&own(902), other, b"\x2F\x28\xA2\x04\x03\x03\x40\x08\0\0"]));
    block(65, 1, &packet(6, &[&own(953), b"\x2F\0\0"]));
    block(65, 2, &[9, 0, 0, 0, 6, 0, 0, 0]);
    block(65, 1, b"\xFF\xFF\xFF\xFF\x02EndOfDemo\0");
    qwd
}

/// The ends of the blocks of a `.qwd`.
fn block_ends(qwd: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, vec![0]);
    while at < qwd.len() {
        at += match qwd[at + 4] {
            0 => 41,
            1 => 9 + u32::from_le_bytes(qwd[at + 5..at + 9].try_into().unwrap()) as usize,
            _ => 13,
        };
        ends.push(at);
    }
    ends
}

#[test]
fn a_qwz_opens_as_the_qwd_inside() {
    let (qwz, qwd) = (sample_qwz(), sample_qwd());
    assert_eq!(sniff(&qwz[..64]), ContainerKind::Qwz);
    let file = source(&qwz, "");
    assert_eq!((file.containers.as_slice(), file.size), (&[ContainerKind::Qwz][..], None));
    assert_eq!(read(&qwz, ""), qwd);
    assert_eq!(read(&gzip(&qwz), ""), qwd);
    assert_eq!(read(&pak(&[("qw/demo.qwz", &qwz)]), "demo.qwz"), qwd);
    assert_eq!(read(&zip(&[deflated("demo.QWZ", &qwz)]), "demo.QWZ"), qwd);
    assert!(refused(&qwz, "demo1.dem").contains("not an archive"));
    // However small the reads are.
    let (mut file, mut bytes, mut one) = (source(&qwz, ""), Vec::new(), [0]);
    while file.read(&mut one).unwrap() > 0 {
        bytes.push(one[0]);
    }
    assert_eq!(bytes, qwd);
}

#[test]
fn what_follows_the_end_is_told_and_no_damage() {
    let (mut qwz, qwd) = (sample_qwz(), sample_qwd());
    qwz.extend([0; 700]);
    assert_eq!(read(&qwz, ""), qwd);
    // Zeros are padding.
    assert_eq!(behind(&qwz, ""), []);
    // A transfer as text puts a line end behind it.
    let end = qwz.len() as u64;
    qwz.extend(b"\r\n");
    assert_eq!(read(&qwz, ""), qwd);
    assert_eq!(behind(&qwz, ""), [(ContainerKind::Qwz, end, b"\r\n".to_vec())]);
}

#[test]
fn a_damaged_qwz_tells_how_much_follows() {
    let mut qwz = sample_qwz();
    let end = qwz.len();
    // From the middle on nothing makes sense; what cannot be an end shows it.
    let noise = |seed: usize| (0..4000).map(move |i| (((i + 7 * seed + 1) * (i + seed) * 0x9E37) >> 5) as u8);
    let error = (0..256).find_map(|seed| {
        qwz.splice(end / 2.., noise(seed));
        salvage(&qwz, "").1.map(|e| e.to_string()).filter(|e| e.contains("of the qwz data or before"))
    });
    let error = error.unwrap();
    let (_, place) = error.split_once("at byte ").unwrap();
    let (at, rest) = place.split_once(" of the qwz data or before; ").unwrap();
    let at: usize = at.parse().unwrap();
    let end = qwz.len();
    assert!(at > 50 && at < end, "{error}");
    assert!(rest.starts_with(&format!("{} bytes follow, which are not unpacked", end - at)), "{error}");
}

#[test]
fn a_truncated_qwz_gives_all_whole_blocks() {
    let (qwz, qwd) = (sample_qwz(), sample_qwd());
    let ends = block_ends(&qwd);
    let mut most = 0;
    for end in 0..qwz.len() - 4 {
        let limits = Limits::default();
        let Opened::File(mut file) = open_bytes("a.qwz", qwz[..end].to_vec(), &[], &limits).unwrap() else { panic!() };
        let (bytes, error) = file.salvage(&limits);
        assert!(qwd.starts_with(&bytes) && ends.contains(&bytes.len()), "{} of {end}", bytes.len());
        is_truncated(error, bytes.len() as u64);
        assert!(file.read(&mut [0]).is_err());
        assert!(bytes.len() >= most, "{} of {end}", bytes.len());
        most = bytes.len();
    }
    // All but the last block or two.
    assert!(most >= ends[ends.len() - 3]);
}

#[test]
fn the_name_is_believed_when_the_beginning_is_damaged() {
    let limits = Limits::default();
    for name in ["a.qwz", "b.zip:A.QWZ", "a.qwz.gz"] {
        let junk = b"<!DOCTYPE html><title>404</title> Not found.................".to_vec();
        let Opened::File(mut file) = open_bytes(name, junk.clone(), &[], &limits).unwrap() else { panic!() };
        assert_eq!(file.containers, [ContainerKind::Qwz]);
        let (bytes, error) = file.salvage(&limits);
        assert!(bytes.is_empty());
        assert_eq!(error.as_ref().unwrap().place.offset, Some(0));
        is_container(error, "does not begin like a demo that Qizmo compressed");
        assert_eq!(source(&junk, "").containers, []);
    }
}

#[test]
fn the_unpacked_size_of_a_qwz_is_bounded() {
    let mut limits = Limits::default();
    limits.unpacked = 100;
    let Opened::File(mut file) = open_bytes("a", sample_qwz(), &[], &limits).unwrap() else { panic!() };
    let mut bytes = Vec::new();
    let error = Error::from(file.read_to_end(&mut bytes).unwrap_err());
    assert_eq!(bytes, sample_qwd()[..100]);
    assert!(matches!(error.kind, error::ErrorKind::Limit { limit: 100, .. }), "{error}");
}

/// The `.qwz` files of the corpus, with the SHA-256 of the `.qwd` in each.
fn corpus() -> Vec<(PathBuf, String)> {
    let (Some(dir), Some(oracle)) = (common::need("corpus/qwz"), common::need("oracle/qwz")) else {
        return Vec::new();
    };
    let known = std::fs::read_to_string(oracle.join("qwd_sha256.tsv")).unwrap();
    let files = common::files(&dir, "qwz").into_iter().filter_map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut rows = known.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let row = rows.find(|row| name.ends_with(&format!("__{}", row[0])))?;
        Some((path.clone(), row[2].to_owned()))
    });
    files.collect()
}

#[test]
fn real_files_give_the_known_recordings() {
    for (path, wanted) in corpus() {
        let Opened::File(mut file) = open(&Location::file(&path), &Limits::default()).unwrap() else { panic!() };
        assert_eq!(file.containers, [ContainerKind::Qwz]);
        let qwd = file.read_all(&Limits::default()).unwrap();
        let digest: String = Sha256::digest(&qwd).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, wanted, "{}", path.display());
        // Without its name it is known, too.
        assert_eq!(sniff(&std::fs::read(&path).unwrap()[..64]), ContainerKind::Qwz, "{}", path.display());
    }
}

#[test]
fn truncated_real_files_give_all_whole_blocks() {
    for (path, _) in corpus().into_iter().filter(|(path, _)| path.metadata().unwrap().len() < 40_000) {
        let qwz = std::fs::read(&path).unwrap();
        let qwd = read(&qwz, "");
        let ends = block_ends(&qwd);
        for end in (64..qwz.len() - 4).step_by(97) {
            let (bytes, error) = salvage(&qwz[..end], "");
            assert!(qwd.starts_with(&bytes) && ends.contains(&bytes.len()), "{} of {end}", bytes.len());
            is_truncated(error, bytes.len() as u64);
        }
    }
}

#[test]
fn no_change_of_a_qwz_does_harm() {
    let mut seeds = vec![sample_qwz()];
    // The beginning of a real file is enough for most of the work.
    seeds.extend(corpus().iter().map(|(path, _)| {
        let mut qwz = std::fs::read(path).unwrap();
        qwz.truncate(30_000);
        qwz
    }));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut limits = Limits::default();
    limits.unpacked = 4 << 20;
    let (mut slowest, mut bytes) = (Duration::ZERO, 0);
    for round in 0..2000 {
        let mut qwz = seeds[round % seeds.len()].clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(qwz.len());
            match random.below(4) {
                0 => qwz[at] ^= 1 << random.below(8),
                1 => qwz[at] = random.below(256) as u8,
                2 => qwz.truncate(at.max(1)),
                _ => drop(qwz.drain(at..(at + 1 + random.below(20)).min(qwz.len()))),
            }
            if qwz.is_empty() {
                qwz.push(0);
            }
        }
        let start = Instant::now();
        let Opened::File(mut file) = open_bytes("a.qwz", qwz, &[], &limits).unwrap() else { panic!() };
        bytes += file.salvage(&limits).0.len();
        slowest = slowest.max(start.elapsed());
    }
    assert!(bytes > 100_000, "{bytes} bytes: nothing was tested");
    assert!(slowest < Duration::from_secs(20), "{slowest:?}");
}
