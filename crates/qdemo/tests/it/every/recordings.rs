//! Every recording comes back: from the model, from text, from LMPC's text, from JSON.

use qdemo::detect::detect;
use qdemo::text::{Options, decompile_bytes};
use qdemo::{FileKind, Limits, Reader};

use super::{Samples, for_every_format};
use crate::common::{
    Random, assert_sound, assert_survives, comes_back, file_name, files, is_broken, manifest, not_long, shared,
};

for_every_format!(
    the_model_is_exact,
    text_and_json_lead_back,
    the_content_tells_the_format,
    text_is_plain_ascii,
    limits_may_be_high
);

/// The model covers every byte and gives it back. The number of blocks is that of another decoder, where one counted them.
fn the_model_is_exact<F: Samples>() {
    let (manifest, mut messages, mut counted) = (manifest(), 0, 0);
    for path in F::recordings().into_iter().filter(|path| !is_broken(path)) {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let report = assert_sound(&demo, &name);
        assert!(report.detected.kind == F::KIND, "{name}");
        if let Some(blocks) = manifest.get(&name).and_then(|listed| listed.blocks) {
            assert_eq!(report.blocks, blocks, "{name}");
            counted += 1;
        }
        messages += report.messages;
    }
    assert!(messages > 300, "the shipped recording alone has more than {messages}");
    assert!(manifest.is_empty() || counted > 0);
}

/// Of recordings whole and broken text, LMPC's style and JSON lines all compile to the same bytes.
fn text_and_json_lead_back<F: Samples>() {
    for path in not_long(F::recordings()) {
        assert_survives(&std::fs::read(&path).unwrap(), &file_name(&path));
    }
}

/// Whatever the file is called; and a name that says something else is noticed.
fn the_content_tells_the_format<F: Samples>() {
    for path in F::recordings() {
        let (demo, file) = (std::fs::read(&path).unwrap(), file_name(&path));
        // What is left of a broken one may look like little from its beginning alone.
        let names = ["x", "x.dem", "x.qwd", "x.mvd", "x.dm2", "x.mvd2", "x.dm_68"];
        for name in names.into_iter().take(if is_broken(&path) { 1 } else { names.len() }) {
            // Of a whole file, or as of one whose beginning is known so far.
            let known = if name == "x" { &demo } else { &demo[..demo.len().min(100_000)] };
            let found = detect(known, known.len() == demo.len(), name, Limits::default());
            assert!(found.kind == F::KIND, "{file} as {name}: {}", found.reason);
            let of_another = name != "x" && name != F::FILE;
            // Of Quake III a name tells the protocol too.
            let protocol = name == F::FILE && found.kind == FileKind::Dm3;
            assert!(found.name_disagrees == of_another || protocol, "{file} as {name}");
        }
    }
}

/// What the decompiler writes by default, whatever is in the demo.
fn text_is_plain_ascii<F: Samples>() {
    let mut demo = F::shipped();
    demo.extend(Random(7).bytes(500));
    let text = decompile_bytes(&demo, F::FILE, &Options::default()).unwrap();
    assert!(text.iter().all(|b| matches!(b, b'\n' | 0x20..=0x7E)));
}

/// Whoever wants no limits names the highest numbers.
fn limits_may_be_high<F: Samples>() {
    let mut limits = Limits::default();
    (limits.block, limits.statement) = (usize::MAX, usize::MAX);
    let (demo, mut bytes) = (F::shipped(), Vec::new());
    let mut reader = Reader::new(&demo[..], F::SHIPPED, limits).unwrap();
    while let Some((_, chunk)) = reader.next_with_bytes().unwrap() {
        bytes.extend_from_slice(chunk);
    }
    assert!(bytes == demo, "{}", F::NAME);
}

/// Files of other games come back too, and so does what is no demo at all. They are not taken for QuakeWorld's, whose
/// blocks look like little; packed recordings are not taken for any.
#[test]
fn foreign_files() {
    for part in ["corpus/other", "corpus/qwz"] {
        for path in shared(part).map(|dir| files(&dir, "")).unwrap_or_default() {
            let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
            for called in ["x", &name] {
                let found = detect(&demo, true, called, Limits::default());
                let unknown = found.kind == FileKind::Unknown;
                let quakeworld = matches!(found.kind, FileKind::Qwd | FileKind::Mvd);
                assert!(unknown || part == "corpus/other" && !quakeworld, "{name}: {}", found.reason);
            }
            if part == "corpus/other" {
                assert_survives(&demo, &name);
            }
        }
    }
    let mut random = Random(1);
    for n in [0, 1, 2, 3, 7, 16, 17, 100, 5_000, 70_000, 200_000] {
        comes_back(&random.bytes(n), "random.dem");
        comes_back(&vec![0; n], "zero.dem");
    }
}
