//! Every demo comes back: from the model, from text, from LMPC's text, from JSON.

use std::io::Read;

use crate::common::{self, Random, all_dem, assert_survives, files, shared, shipped};
use qdemo::Limits;
use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};
use qdemo::verify::verify;

/// DESIGN promise 2: on well-formed recordings the model covers every byte and gives it back.
#[test]
fn the_model_is_exact_on_every_recording() {
    let mut bytes = 0;
    for path in all_dem() {
        let demo = std::fs::read(&path).unwrap();
        let report = verify(&demo[..], "x.dem", Limits::default()).unwrap();
        let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
        assert!(report.is_sound(), "{}: {} bytes uncovered, {faults:?}", path.display(), report.uncovered);
        assert_eq!(report.bytes, demo.len() as u64);
        bytes += report.bytes;
    }
    assert!(bytes > 100_000, "testdata alone is larger");
}

/// DESIGN promise 1, on recordings: text, LMPC's style and JSON lines all compile to the same bytes.
#[test]
fn every_recording_survives_text_and_json() {
    for path in all_dem() {
        assert_survives(&std::fs::read(&path).unwrap(), &path.display().to_string());
    }
}

/// Files that are no Quake demo at all come back too.
#[test]
fn foreign_files_survive() {
    for path in shared("corpus/other").map(|dir| files(&dir, "")).unwrap_or_default() {
        assert_survives(&std::fs::read(&path).unwrap(), &path.display().to_string());
    }
    let mut random = Random(1);
    for n in [0, 1, 2, 3, 7, 16, 17, 100, 5_000, 70_000, 200_000] {
        assert_survives(&random.bytes(n), "random.dem");
        assert_survives(&vec![0; n], "zero.dem");
    }
}

/// What LMPC 3.4.5 wrote for recordings of the corpus.
fn lmpc_texts() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let (Some(texts), Some(demos)) = (shared("oracle/lmpc"), shared("corpus/dem")) else { return Vec::new() };
    let mut all = Vec::new();
    for path in files(&texts, "gz") {
        let name = path.file_name().unwrap().to_string_lossy().replace(".txt.gz", "");
        if !name.ends_with(".dem") {
            continue;
        }
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
        all.push((name.clone(), text, std::fs::read(demos.join(name)).unwrap()));
    }
    all
}

/// Texts of LMPC compile to the recording they were made from.
#[test]
fn texts_of_lmpc_compile_to_the_original() {
    for (name, text, demo) in lmpc_texts() {
        match compile_bytes(&text, &name) {
            Ok(back) => assert!(back == demo, "{name} differs"),
            Err(e) => panic!("{name}: {e}"),
        }
    }
}

/// `--style lmpc` writes what LMPC itself writes, to the letter. Left out are the name of the source in the first
/// line and LMPC's question whether the player cheats.
#[test]
fn lmpc_style_is_what_lmpc_writes() {
    for (name, text, demo) in lmpc_texts() {
        let ours = decompile_bytes(&demo, "in.dem", &Options::with_style(Style::Lmpc)).unwrap();
        let theirs: Vec<u8> = text
            .split_inclusive(|&b| b == b'\n')
            .flat_map(|line| match line.windows(14).position(|w| w == b" do you cheat?") {
                Some(_) => {
                    let comment = line.windows(4).position(|w| w == b" // ").unwrap();
                    [&line[..comment], b"\n"].concat()
                }
                None => line.to_vec(),
            })
            .collect();
        if ours != theirs {
            let line = ours.split(|&b| b == b'\n').zip(theirs.split(|&b| b == b'\n')).position(|(a, b)| a != b);
            panic!("{name}: line {:?} differs", line.map(|n| n + 1));
        }
    }
}

/// What the decompiler writes by default is plain ASCII, whatever is in the demo.
#[test]
fn text_is_plain_ascii() {
    let mut random = Random(7);
    let mut demo = common::demo("-1\n", &[b"\x08\xFF\x80 gold \xC1\0", b"\x1A\x01\x02\x7F\0"]);
    demo.extend(random.bytes(500));
    let text = decompile_bytes(&demo, "x.dem", &Options::default()).unwrap();
    assert!(text.iter().all(|b| matches!(b, b'\n' | 0x20..=0x7E)));
    for path in shipped() {
        let text = decompile_bytes(&std::fs::read(path).unwrap(), "x.dem", &Options::default()).unwrap();
        assert!(text.is_ascii());
    }
}

/// Recordings of other games are not taken for Quake demos, whatever they are called.
#[test]
fn other_formats_are_not_taken_for_quake() {
    use qdemo::detect::{Format, detect};
    for part in ["corpus/qwd", "corpus/mvd", "corpus/dm2", "corpus/q3", "corpus/qwz"] {
        for path in shared(part).map(|dir| files(&dir, "")).unwrap_or_default() {
            let demo = std::fs::read(&path).unwrap();
            let name = path.display().to_string();
            assert_ne!(detect(&demo, true, &name, Limits::default()).format, Format::Dem, "{name}");
        }
    }
    for path in all_dem() {
        let demo = std::fs::read(&path).unwrap();
        assert_eq!(detect(&demo, true, "x", Limits::default()).format, Format::Dem, "{}", path.display());
    }
}
