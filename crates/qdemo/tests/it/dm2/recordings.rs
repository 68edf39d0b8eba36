//! Real recordings come back, through every language.

use std::io::Read;
use std::path::PathBuf;

use qdemo::Limits;
use qdemo::detect::{Format, detect};
use qdemo::text::compile_bytes;
use qdemo::verify::{Report, verify};

use crate::common::{assert_survives, files, shared};

/// Every `.dm2` at hand.
pub(crate) fn recordings() -> Vec<(String, Vec<u8>)> {
    let folders = ["corpus/dm2", "recorded/dm2"].into_iter().filter_map(shared);
    let all = folders.flat_map(|dir| files(&dir, "dm2"));
    all.map(|path: PathBuf| (path.display().to_string(), std::fs::read(&path).unwrap())).collect()
}

pub(crate) fn report(demo: &[u8], name: &str) -> Report {
    verify(demo, name, Limits::default()).unwrap()
}

#[track_caller]
pub(crate) fn assert_sound(demo: &[u8], name: &str) -> Report {
    let report = report(demo, name);
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{name}: {} uncovered, {} different, {faults:?}", report.uncovered, report.different);
    assert_eq!(report.bytes, demo.len() as u64);
    assert!(!report.detected.name_disagrees || !name.contains(".dm2"), "{name}");
    report
}

#[test]
fn the_model_is_exact_on_every_recording() {
    for (name, demo) in recordings() {
        assert_sound(&demo, &name);
    }
}

/// Text, LMPC's style and JSON compile to the same bytes, KMQuake2's included.
#[test]
fn every_recording_survives_text_and_json() {
    for (name, demo) in recordings() {
        assert_survives(&demo, &name);
    }
}

#[test]
fn recordings_are_known_by_their_content() {
    for (name, demo) in recordings() {
        assert_eq!(detect(&demo, true, "x", Limits::default()).format, Format::Dm2, "{name}");
    }
}

/// What LMPC 3.4.5 wrote compiles to the recording that it was made from.
#[test]
fn texts_of_lmpc_compile_to_the_original() {
    let (Some(texts), Some(demos)) = (shared("oracle/lmpc"), shared("corpus/dm2")) else { return };
    let mut seen = 0;
    for path in files(&texts, "gz") {
        let name = path.file_name().unwrap().to_string_lossy().replace(".txt.gz", "");
        if name.ends_with(".dm2") {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_end(&mut text).unwrap();
            match compile_bytes(&text, &name) {
                Ok(back) => assert!(back == std::fs::read(demos.join(&name)).unwrap(), "{name} differs"),
                Err(e) => panic!("{name}: {e}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 0, "a folder of texts without one of Quake II");
}
