//! A recording with bytes lost at its front, or with some more there.

use std::fs;

use qdemo::FileKind;
use qdemo::Limits;
use qdemo::detect::detect;

use super::{all, blocks, repaired};
use crate::common::{assert_sound, file_name, is_broken, recordings};

/// Recordings with a few bytes fewer or more at the front.
fn moved(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let fewer = (1..=12).map(|n| bytes[n..].to_vec());
    let more = [b"\0".as_slice(), b"\x01", b"\x14", b"\xFF", b"\0\0\0", b"ab", b"\r\n"];
    fewer.chain(more.map(|more| [more, bytes].concat()))
}

/// A block or two that some bytes happen to be are no recording of another format: what follows them is none.
#[test]
fn a_recording_stays_what_it_is() {
    let is_demo = |extension: &str| extension != "qwz" && FileKind::by_extension(extension).is_some();
    for path in recordings(is_demo).into_iter().filter(|path| !is_broken(path)) {
        let (bytes, name) = (fs::read(&path).unwrap(), file_name(&path));
        // A build that is not optimised does with the short ones.
        let most = if cfg!(debug_assertions) { 50_000 } else { 200_000 };
        if !(2_000..most).contains(&bytes.len()) {
            continue;
        }
        let kind = detect(&bytes, true, &name, Limits::default()).kind;
        // Where the name is of another format, it is no help.
        if FileKind::by_extension(name.rsplit('.').next().unwrap()) != Some(kind) || kind == FileKind::Unknown {
            continue;
        }
        for (nth, moved) in moved(&bytes).enumerate() {
            let found = detect(&moved, true, &name, Limits::default());
            // Of a `.dem` nothing may be found again within its first blocks.
            let is_lost = kind == FileKind::Dem && found.kind == FileKind::Unknown;
            assert!(found.kind == kind || is_lost, "{name} {nth}: {} {}", found.kind.name(), found.reason);
        }
    }
}

/// What is lost is the block that the bytes are of, and a few that lie next to it.
#[test]
fn nearly_all_of_it_is_kept() {
    for (name, bytes) in all() {
        let whole = blocks(&bytes, name).ranges.len();
        for (nth, moved) in moved(&bytes).enumerate() {
            if detect(&moved, true, name, Limits::default()).kind == FileKind::Unknown {
                assert!(name.ends_with(".dem"), "{name} {nth}");
                continue;
            }
            let (out, account) = repaired(&moved, name);
            assert_sound(&out, name);
            let kept = account.account.blocks_kept + account.account.blocks_changed;
            assert!(kept as usize + 12 >= whole, "{name} {nth}: {kept} of {whole}");
        }
    }
}
