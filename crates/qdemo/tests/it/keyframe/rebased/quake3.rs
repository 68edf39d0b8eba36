//! Quake III.

use std::collections::BTreeMap;

use qdemo::demo::detect::Detected;
use qdemo::format::dm3::{Dm3, Message, Packet, Text};
use qdemo::game::quake3::World as World3;

use crate::keyframe::rebased::{places, recordings};

/// What a keyframe does not carry, as its documents name it.
const COUNTS: &[&str] =
    &["demo_ms", "level", "missing_bases", "scores", "team", "frags", "ping", "health", "armor", "weapon"];

crate::keyframe::rebased::laws! {
    Dm3, World3,
    new |detected: &Detected| World3::new(Dm3::first_dialect(detected.protocol)),
    oldest |world: &World3| world.snapshot().map_or(i32::MAX, |snapshot| snapshot.number()),
    rebase |world: &World3, packet: &mut Packet<'_>, oldest| world.rebase(packet, oldest),
    counts COUNTS,
    packets 16_384,
}

#[test]
fn recordings_may_begin_anywhere() {
    let mut cuts = 0;
    for file in recordings(|extension| extension.starts_with("dm_") || extension == "dm3") {
        if file.name.contains("invalid_") || file.name.contains("truncated") {
            continue;
        }
        let parts = qdemo::demo::Recording::<Dm3>::read(file.bytes.clone(), &file.name).unwrap().len();
        for (n, at) in places(parts).into_iter().enumerate() {
            cuts += usize::from(check(&file, at, if n == 3 { 3000 } else { 120 }).is_some());
        }
    }
    assert!(cuts >= 25, "{cuts}");
}

/// Clips for an engine to play: `QDEMO_CLIPS` is the folder to write them to.
#[test]
#[ignore = "writes files for a real engine"]
fn clips_to_play() {
    let folder = std::path::PathBuf::from(std::env::var_os("QDEMO_CLIPS").expect("a folder"));
    for file in recordings(|extension| matches!(extension, "dm_66" | "dm_67" | "dm_68" | "dm_71")) {
        if file.name.contains("invalid_") || file.name.contains("truncated") {
            continue;
        }
        let parts = qdemo::demo::Recording::<Dm3>::read(file.bytes.clone(), &file.name).unwrap().len();
        for at in [parts / 3, parts * 4 / 5] {
            if let Some(clip) = check(&file, at, 1500) {
                std::fs::write(folder.join(format!("{at}-{}", file.name)), clip).unwrap();
            }
        }
    }
}

/// A long configstring comes in parts: who begins between two of them knows what has come.
#[test]
fn long_configstrings_are_completed() {
    let file =
        recordings(|extension| extension == "dm_71").into_iter().find(|file| file.name.starts_with("oa")).unwrap();
    let mut demo = qdemo::demo::Recording::<Dm3>::read(file.bytes.clone(), &file.name).unwrap();
    // The parts in which commands come first, behind the first snapshots.
    let mut first: BTreeMap<i32, usize> = BTreeMap::new();
    for (part, packet) in demo.packets() {
        let commands = packet.messages.iter().filter_map(|message| match message {
            Message::ServerCommand(command) => Some(command.seq),
            _ => None,
        });
        for seq in commands {
            first.entry(seq).or_insert(part);
        }
    }
    let mut told: Vec<(i32, usize)> = first.into_iter().filter(|(_, part)| *part > 20).collect();
    told.dedup_by_key(|(_, part)| *part);
    let [(begins, from), (goes_on, _), (ends, to)] = told[..3] else { panic!("{told:?}") };
    let long = "x".repeat(950);
    demo.edit(|packet| {
        let mut changed = false;
        for message in &mut packet.messages {
            if let Message::ServerCommand(command) = message {
                let text = match command.seq {
                    seq if seq == begins => format!("bcs0 900 \"{long}\""),
                    seq if seq == goes_on => "bcs1 900 \"yz\"".to_owned(),
                    seq if seq == ends => "bcs2 900 \"end\"\n".to_owned(),
                    _ => continue,
                };
                (command.value, changed) = (Text(text.into_bytes()), true);
                packet.contents.tail = vec![0];
            }
        }
        changed
    });
    let file = crate::keyframe::rebased::File { name: file.name, bytes: demo.to_bytes().unwrap() };
    for at in [from, (from + to) / 2, to - 1, to] {
        let clip = check(&file, at, to + 20 - at).unwrap();
        let demo = qdemo::demo::Recording::<Dm3>::read(clip.clone(), &file.name).unwrap();
        let mut world = World3::new(demo.dialect_at(0));
        let mut reader = qdemo::Reader::new(&clip[..], &file.name, qdemo::Limits::default()).unwrap();
        while let Some(qdemo::Chunk::Dm3(chunk)) = reader.next_chunk().unwrap() {
            world.apply(&chunk);
        }
        assert_eq!(world.configstrings().get(900), format!("{long}yzend").as_bytes(), "cut behind part {at}");
    }
}

/// Over a slow connection snapshots build on older ones: behind a cut some build on what is not there.
#[test]
fn snapshots_behind_a_cut_are_based_anew() {
    let all = recordings(|extension| extension == "dm_71");
    let file = all.into_iter().find(|file| file.name.starts_with("oa")).unwrap();
    let mut slow = qdemo::demo::Recording::<Dm3>::read(file.bytes.clone(), &file.name).unwrap();
    slow.remove(160..slow.len());
    let mut world = World3::new(slow.dialect_at(0));
    let mut reader = qdemo::Reader::new(&file.bytes[..], &file.name, qdemo::Limits::default()).unwrap();
    for part in 0..slow.len() {
        let Some(qdemo::Chunk::Dm3(chunk)) = reader.next_chunk().unwrap() else { panic!() };
        world.apply(&chunk);
        let now = world.snapshot().filter(|now| part > 20 && world.earlier(now.number() - 5).is_some());
        let Some((now, mut packet)) = now.zip(slow.packet(part)) else { continue };
        let from = world.earlier(now.number() - 5).unwrap();
        for message in &mut packet.messages {
            if let Message::Snapshot(snapshot) = message {
                *snapshot = now.diff(Some((from, 5)), world.baselines(), &world.dialect());
            }
        }
        packet.contents.tail = vec![0];
        slow.replace(part, packet.into_owned());
    }
    let file = crate::keyframe::rebased::File { name: file.name, bytes: slow.to_bytes().unwrap() };
    for at in [30, 31, 100] {
        let clip = check(&file, at, 40).unwrap();
        let clip = qdemo::demo::Recording::<Dm3>::read(clip, &file.name).unwrap();
        let back: Vec<u8> = clip
            .packets()
            .flat_map(|(_, packet)| packet.messages)
            .filter_map(
                |message| if let Message::Snapshot(snapshot) = message { Some(snapshot.delta_num) } else { None },
            )
            .collect();
        // In full, then on the one before, until the fifth back is there.
        assert_eq!(back[..8], [0, 1, 1, 1, 1, 5, 5, 5]);
    }
}
