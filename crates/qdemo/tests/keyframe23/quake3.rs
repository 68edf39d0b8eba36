//! Quake III.

use qdemo::demo::detect::Detected;
use qdemo::format::dm3::{Dm3, Packet};
use qdemo::world::dm3::World as World3;

use crate::{places, recordings};

/// What a keyframe does not carry, as its documents name it.
const COUNTS: &[&str] = &["demo_ms", "level", "missing_bases", "scores", "team", "frags", "ping"];

crate::laws! {
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
