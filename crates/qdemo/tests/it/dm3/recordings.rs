//! What recordings at hand tell of themselves, whole and broken.

use std::path::PathBuf;

use crate::common::{Listed, all_dm3, file_name, is_broken, manifest, need, shared, testdata};
use qdemo::detect::{Detected, detect};
use qdemo::format::dm3;
use qdemo::replay::info::{Facts, info, quick};
use qdemo::verify::verify;
use qdemo::{Chunk, FileKind, Limits, Reader};

/// Blocks of a file by a plain walk from header to header, up to the end mark or to what is no header: offset, size.
pub(crate) fn walk(demo: &[u8], mut at: usize) -> (Vec<(u64, usize)>, usize) {
    let long = |at: usize| demo.get(at..at + 4).map(|b| i32::from_le_bytes(b.try_into().unwrap()));
    let mut blocks = Vec::new();
    let mut last = None;
    while let (Some(sequence), Some(size)) = (long(at), long(at + 4)) {
        let follows = last.is_none_or(|last| (0..2_000).contains(&(sequence - last)));
        // Facts 1.2: messages have at most 16,384 bytes. A level may begin its numbers anew with a gamestate.
        if sequence < 0 || !(1..=16_384).contains(&size) || at + 8 + size as usize > demo.len() || !follows {
            break;
        }
        blocks.push((at as u64, size as usize));
        last = Some(sequence);
        at += 8 + size as usize;
    }
    (blocks, at)
}

/// What the library finds: offset and size of each block.
fn blocks(demo: &[u8], name: &str) -> Vec<(u64, usize)> {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        if let Chunk::Dm3(dm3::Chunk::Block(block)) = chunk {
            all.push((block.offset, block.payload.len()));
        }
    }
    all
}

fn detected(demo: &[u8], name: &str) -> Detected {
    detect(demo, true, name, Limits::default())
}

fn well_formed() -> impl Iterator<Item = PathBuf> {
    all_dm3().into_iter().filter(|path| !is_broken(path))
}

/// A recording is known by its content: with a name that says nothing the protocol is that of its serverinfo.
#[test]
fn protocols_are_told_by_content() {
    let manifest = manifest();
    let mut known = 0;
    for path in all_dm3() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let found = detected(&demo, "x").protocol;
        // Of this one the gamestate is damaged.
        if name.contains("invalid_command_byte") {
            assert_eq!(found, Some(68), "{name}");
            continue;
        }
        assert!(found.is_some(), "{name}");
        let told = |listed: &Listed| listed.what.strip_prefix("protocol ")?.split(' ').next()?.parse().ok();
        if let Some(told) = manifest.get(&name).and_then(told) {
            assert_eq!(found, Some(told), "{name}");
            known += 1;
        }
    }
    assert!(manifest.is_empty() || known >= 25, "{known} files tell their protocol");
}

/// Facts 1.2: the extension is not the protocol. Where the two differ the content counts, and the name is reported.
#[test]
fn wrong_extensions_are_overruled() {
    let mut wrong = 0;
    for path in well_formed() {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        let found = detected(&demo, &name);
        let told = name.rsplit_once("dm_").and_then(|(_, n)| n.parse().ok());
        let old = name.ends_with(".dm3") && found.protocol.is_some_and(|protocol| protocol < 46);
        let agrees = told.map_or(old, |n| found.protocol == Some(n));
        assert_eq!(found.name_disagrees, !agrees, "{name}");
        // Under a right name there is nothing to report, under another game's there is.
        assert!(!detected(&demo, &format!("x.dm_{}", found.protocol.unwrap())).name_disagrees, "{name}");
        assert!(detected(&demo, "x.dem").name_disagrees, "{name}");
        if !agrees {
            // The server itself says which protocol it speaks.
            let Facts::Dm3(facts) = info(&demo[..], &name, Limits::default()).unwrap().facts else { panic!("{name}") };
            assert_eq!(facts.server_protocol, found.protocol, "{name}");
            wrong += 1;
        }
    }
    assert!(shared("corpus/q3").is_none() || wrong >= 1);
    // The same with what everybody has: a name of another protocol.
    let found = detected(&testdata("oa-dm2.dm_68"), "x.dm_73");
    assert!(found.name_disagrees && found.protocol == Some(68), "{found:?}");
}

/// Recordings of other games with Quake III's engine are named as such whatever they are called.
#[test]
fn other_games_of_the_engine_are_named() {
    let Some(folder) = shared("corpus/other") else { return };
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let numbered: Vec<_> = files.filter(|path| file_name(path).contains(".dm_")).collect();
    assert!(numbered.len() >= 2, "{numbered:?}");
    for path in numbered {
        let (demo, name) = (std::fs::read(&path).unwrap(), file_name(&path));
        for called in [&name, "", "x.dem", "x.mvd", "x.dm_68"] {
            let found = detected(&demo, called);
            assert_eq!(found.kind, FileKind::Unknown, "{name} as {called:?}");
            assert!(
                found.reason.contains("another game with Quake III's engine"),
                "{name} as {called:?}: {}",
                found.reason
            );
        }
    }
}

/// The broken recordings: what was intact before and after the damage is delivered.
#[test]
fn broken_recordings_deliver_what_is_intact() {
    if need("corpus/q3").is_none() {
        return;
    }
    let read = |part: &str| {
        let path = all_dm3().into_iter().find(|p| file_name(p).contains(part)).unwrap();
        (std::fs::read(&path).unwrap(), file_name(&path))
    };
    // Rows of blocks as a plain walk finds them; pages of another file lie over this one, and the walk begins again
    // behind each. All but the last block of a row end where a header stands: these are intact in their framing.
    let cases: [(&str, &[usize]); 2] = [
        ("invalid_area_mask_length", &[0, 4_343, 41_174]),
        ("invalid_command_byte", &[16_392, 20_732, 45_097, 106_506, 110_622, 139_287, 151_587]),
    ];
    for (part, rows) in cases {
        let (demo, name) = read(part);
        let found = blocks(&demo, &name);
        let mut intact = 0;
        for row in rows {
            let (mut row, end) = walk(&demo, *row);
            // The last row ends with the end mark.
            if demo[end..].get(..8) != Some(&[0xFF; 8]) {
                row.pop();
            }
            intact += row.len();
            for block in row {
                assert!(found.contains(&block), "{name}: the block at {} is missing", block.0);
            }
        }
        // The list of the corpus: 7 blocks before the damage at 4252; the page border 4096 lies within the last.
        assert!(intact > 1_600, "{name}: {intact}");
        let report = verify(&demo[..], &name, Limits::default()).unwrap();
        assert!(!report.is_sound() && report.different == 0, "{name}");
        assert!(report.uncovered < demo.len() as u64 / 50, "{name}: {} bytes", report.uncovered);
    }

    // Cut between two blocks: nothing is wrong but that the end mark is missing. 238 blocks, says the list.
    let (demo, name) = read("uberdemotools__truncated");
    let report = verify(&demo[..], &name, Limits::default()).unwrap();
    assert!(report.is_exact() && !report.is_sound() && !report.ends_cleanly);
    let fault = report.faults.iter().next().unwrap();
    assert_eq!((fault.place.offset, fault.place.field), (Some(demo.len() as u64), Some("end mark")));
    let (row, end) = walk(&demo, 0);
    assert_eq!((row.len(), end, report.blocks), (238, demo.len(), 238));

    // Cut within block 543, of which 43 bytes of 51 are there: it is named, and its beginning is still a block.
    let (demo, name) = read("sinister-21618-truncated");
    let report = verify(&demo[..], &name, Limits::default()).unwrap();
    assert_eq!(report.blocks, 544);
    assert_eq!(blocks(&demo, &name)[..543], walk(&demo, 0).0[..]);
    let fault = report.faults.iter().next().unwrap();
    assert_eq!((fault.place.block, report.faults.count()), (Some(543), 1), "{fault}");
    assert!(fault.place.offset.is_some_and(|at| at >= 42_957), "{fault}");
}

/// Damage within a snapshot is seen where it is read: such a one does not count, and does with those that have a time alone.
#[test]
fn quick_facts_count_damaged_snapshots() {
    let sound = testdata("oa-dm4.dm_71");
    let snapshots = |demo: &[u8]| {
        let facts = [info(demo, "x.dm_71", Limits::default()), quick(demo, "x.dm_71", Limits::default())];
        facts.map(|info| match info.unwrap().facts {
            Facts::Dm3(facts) => facts.snapshots,
            _ => panic!("Quake III"),
        })
    };
    let [all, _] = snapshots(&sound);
    let mut damaged = 0;
    for (at, size) in walk(&sound, 0).0.into_iter().skip(10).step_by(20) {
        let mut demo = sound.clone();
        let end = at as usize + 8 + size;
        demo[end - size / 4..end].fill(0xFF);
        let [whole, quick] = snapshots(&demo);
        assert!(whole <= quick && quick <= all && all - whole <= 1, "{at}: {whole} and {quick} of {all}");
        damaged += quick - whole;
    }
    assert!(damaged > 5, "{damaged}");
}

/// What texts and clocks tell is the same when nothing else is read.
#[test]
fn quick_facts_are_those_of_the_whole() {
    let mut same = 0;
    for path in all_dm3().into_iter().filter(|path| !is_broken(path)) {
        let (name, demo) = (file_name(&path), std::fs::read(&path).unwrap());
        let whole = qdemo::replay::info::info(&demo[..], &name, Limits::default()).unwrap();
        let mut whole = serde_json::to_value(whole).unwrap();
        let quick = quick(&demo[..], &name, Limits::default()).unwrap();
        let quick = serde_json::to_value(quick).unwrap();
        for key in ["messages", "messages_by_kind", "seen"] {
            assert!(whole.as_object_mut().unwrap().remove(key).is_some() && quick.get(key).is_none(), "{name}: {key}");
        }
        for level in whole["levels"].as_array_mut().unwrap() {
            assert!(level.as_object_mut().unwrap().remove("matches").is_some());
        }
        assert_eq!(whole, quick, "{name}");
        assert!(quick["snapshots"].as_u64().unwrap() > 1 && quick["levels"][0]["length_ms"].is_i64(), "{name}");
        same += 1;
    }
    assert!(same >= 3);
}
