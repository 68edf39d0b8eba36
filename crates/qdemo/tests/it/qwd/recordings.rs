//! Every recording comes back: from the model, from text, from LMPC's style, from JSON.

use std::io::Read;
use std::path::PathBuf;

use qdemo::Limits;
use qdemo::detect::{Format, detect};
use qdemo::text::{Options, Style, compile_bytes, decompile_bytes};
use qdemo::verify::verify;

use crate::common::{assert_survives, files, root, shared};

const FORMATS: [(&str, Format); 2] = [("qwd", Format::Qwd), ("mvd", Format::Mvd)];

/// Every recording at hand: shipped, of the corpus, and recorded for the project.
fn all(extension: &str) -> Vec<PathBuf> {
    let mut all = files(&root().join("testdata"), extension);
    for part in ["corpus", "recorded"] {
        all.extend(shared(&format!("{part}/{extension}")).map(|dir| files(&dir, extension)).unwrap_or_default());
    }
    all
}

/// The model covers every byte of a recording and gives it back.
#[test]
fn the_model_is_exact_on_every_recording() {
    for (extension, format) in FORMATS {
        let mut messages = 0;
        for path in all(extension) {
            let demo = std::fs::read(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let report = verify(&demo[..], name, Limits::default()).unwrap();
            let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
            assert!(report.is_sound(), "{name}: {} bytes uncovered, {faults:?}", report.uncovered);
            assert_eq!((report.detected.format, report.bytes), (format, demo.len() as u64), "{name}");
            messages += report.messages;
        }
        assert!(messages > 1_000, "the shipped recording alone has more");
    }
}

/// Text, LMPC's style and JSON lines all compile to the same bytes.
#[test]
fn every_recording_survives_text_and_json() {
    for (extension, _) in FORMATS {
        for path in all(extension) {
            assert_survives(&std::fs::read(&path).unwrap(), &path.display().to_string());
        }
    }
}

/// The content tells the format, whatever the file is called.
#[test]
fn recordings_are_known_by_their_content() {
    for (extension, format) in FORMATS {
        for path in all(extension) {
            let demo = std::fs::read(&path).unwrap();
            for name in ["x", "x.dem", "x.dm_68", if extension == "qwd" { "x.mvd" } else { "x.qwd" }] {
                let found = detect(&demo, true, name, Limits::default());
                assert_eq!(found.format, format, "{} as {name}: {}", path.display(), found.reason);
                assert_eq!(found.name_disagrees, name != "x", "{} as {name}", path.display());
            }
        }
    }
    // And other games are not taken for QuakeWorld.
    for part in ["corpus/dem", "corpus/dm2", "corpus/q3", "corpus/qwz", "corpus/other", "recorded/dem", "recorded/dm2"]
    {
        for path in shared(part).map(|dir| files(&dir, "")).unwrap_or_default() {
            let found = detect(&std::fs::read(&path).unwrap(), true, "x", Limits::default());
            assert!(!matches!(found.format, Format::Qwd | Format::Mvd), "{}: {}", path.display(), found.reason);
        }
    }
}

/// Behind the end of MVDSV's file stands what was in its buffer: a trailer, and no damage. ezQuake was killed here.
#[test]
fn shipped_recordings_end_as_they_end() {
    let mvd = std::fs::read(root().join("testdata/ez-dm.mvd")).unwrap();
    let end = b"\x02EndOfDemo\0";
    let at = mvd.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let found = qdemo::info::info(&mvd[..], "ez-dm.mvd", Limits::default()).unwrap();
    let qdemo::info::Facts::QuakeWorld(facts) = found.facts else { panic!("{:?}", found.detected) };
    assert_eq!(facts.trailer_bytes, (mvd.len() - at) as u64);
    assert!(facts.ends_cleanly && at < mvd.len());
    let qwd = std::fs::read(root().join("testdata/ez-dm.qwd")).unwrap();
    assert!(!verify(&qwd[..], "ez-dm.qwd", Limits::default()).unwrap().ends_cleanly);
}

/// What LMPC 3.4.5 wrote for recordings of the corpus.
fn lmpc_texts() -> Vec<(String, String, Vec<u8>)> {
    let (Some(texts), Some(demos)) = (shared("oracle/lmpc"), shared("corpus/qwd")) else { return Vec::new() };
    let mut all = Vec::new();
    for path in files(&texts, "gz") {
        let name = path.file_name().unwrap().to_string_lossy().replace(".txt.gz", "");
        if name.ends_with(".qwd") {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
            let text = text.iter().map(|&b| char::from(b)).collect();
            all.push((name.clone(), text, std::fs::read(demos.join(name)).unwrap()));
        }
    }
    all
}

/// Texts of LMPC compile to the recording they were made from.
#[test]
fn texts_of_lmpc_compile_to_the_original() {
    for (name, text, demo) in lmpc_texts() {
        let text: Vec<u8> = text.chars().map(|c| c as u8).collect();
        match compile_bytes(&text, &name) {
            Ok(back) => assert!(back == demo, "{name} differs"),
            Err(e) => panic!("{name}: {e}"),
        }
    }
}

/// `--style lmpc` writes what LMPC itself writes, but for the name of the source in line 1, and for the place of
/// `unknown_mask_bits` in `playerinfo`: LMPC has it in front of the player's slot, we have it behind.
#[test]
fn lmpc_style_is_nearly_what_lmpc_writes() {
    let mut masks = 0;
    for (name, theirs, demo) in lmpc_texts() {
        let ours = decompile_bytes(&demo, "in.qwd", &Options::with_style(Style::Lmpc)).unwrap();
        let ours: String = ours.iter().map(|&b| char::from(b)).collect();
        let mut ours: Vec<_> = ours.split('\n').skip(1).collect();
        for n in 1..ours.len() {
            if ours[n].starts_with("  unknown_mask_bits") {
                assert!(ours[n - 1].starts_with("  player "), "{name}");
                ours.swap(n - 1, n);
                masks += 1;
            }
        }
        let theirs: Vec<_> = theirs.split('\n').skip(1).collect();
        let first = ours.iter().zip(&theirs).enumerate().find(|(_, (a, b))| a != b);
        assert!(ours == theirs, "{name}: {first:?}, {} and {} lines", ours.len(), theirs.len());
    }
    // way2ez2_01 has them: ZQuake's bit 11, jump held.
    assert!(masks > 0 || shared("oracle/lmpc").is_none());
}
