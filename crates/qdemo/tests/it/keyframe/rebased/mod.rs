//! Keyframes of Quake II and Quake III: a recording may begin anywhere with what its world says of that moment.
//!
//! Two laws: a new world that takes in the keyframe of another shows the same; and what comes next, with the first
//! frames based anew, leads to the same worlds as in the whole recording.

use std::fs;
use std::path::PathBuf;

/// A file with its name.
struct File {
    name: String,
    bytes: Vec<u8>,
}

/// Recordings at hand whose extension is one of those.
fn recordings(is: impl Fn(&str) -> bool) -> Vec<File> {
    let read = |path: PathBuf| File {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        bytes: fs::read(&path).unwrap(),
    };
    crate::common::recordings(is).into_iter().map(read).collect()
}

/// Parts at which a recording of so many is cut: spread over it, and some of the first.
fn places(parts: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (1..=8).map(|n| parts * n / 9).chain([1, 5]).filter(|at| *at < parts).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// What of a world as JSON a keyframe carries: not what the documents of keyframes name.
fn carried(mut json: serde_json::Map<String, serde_json::Value>, left_out: &[&str]) -> String {
    fn strip(value: &mut serde_json::Value, left_out: &[&str]) {
        match value {
            serde_json::Value::Object(map) => {
                map.retain(|key, _| !left_out.contains(&key.as_str()));
                map.values_mut().for_each(|value| strip(value, left_out));
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(|value| strip(value, left_out)),
            _ => {}
        }
    }
    json.retain(|key, _| !left_out.contains(&key.as_str()));
    json.values_mut().for_each(|value| strip(value, left_out));
    serde_json::Value::Object(json).to_string()
}

/// Says where two things differ that should be the same.
fn same(ours: &str, theirs: &str, context: &str) {
    if ours != theirs {
        let at = ours.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
        let around = |text: &str| {
            let bytes = &text.as_bytes()[at.saturating_sub(300)..(at + 200).min(text.len())];
            String::from_utf8_lossy(bytes).into_owned()
        };
        panic!("{context}:\n{}\n-- but in the whole recording --\n{}", around(ours), around(theirs));
    }
}

/// Checks both laws for a recording that is cut behind a part, over so many parts behind it; `packets` is
/// what engines take of bytes in a packet. Gives the recording that
/// begins there; `None` where there is no keyframe.
macro_rules! laws {
    ($format:ident, $world:ty, new $new:expr, oldest $oldest:expr, rebase $rebase:expr, counts $counts:expr, packets $bytes:literal,) => {
        fn check(file: &crate::keyframe::rebased::File, at: usize, most: usize) -> Option<Vec<u8>> {
            use qdemo::demo::Recording as Held;
            use qdemo::format::Format as _;
            use qdemo::replay::World;
            use qdemo::{Chunk, Limits, Reader};
            let context = format!("{} cut behind part {at}", file.name);
            fn open<'b>(bytes: &'b [u8], name: &str) -> Reader<&'b [u8]> {
                Reader::new(bytes, name, Limits::default()).unwrap()
            }
            let fold = |reader: &mut Reader<&[u8]>, world: &mut $world| match reader.next_chunk().unwrap() {
                Some(Chunk::$format(chunk)) => {
                    world.apply(&chunk);
                    Some(if let qdemo::frame::Chunk::Block(block) = chunk { block.payload.len() } else { 0 })
                }
                _ => None,
            };
            let json = |world: &$world| {
                crate::keyframe::rebased::carried(World::$format(Box::new(world.clone())).to_json(), $counts)
            };

            let mut reader = open(&file.bytes, &file.name);
            let mut whole: $world = ($new)(reader.detected());
            for _ in 0..=at {
                assert!(fold(&mut reader, &mut whole).is_some(), "{context}");
            }
            let start = whole.clone();
            let keyframe = start.keyframe().unwrap_or_else(|fault| panic!("{context}: {fault:?}"));
            if keyframe.is_empty() {
                return None;
            }
            let (packets, oldest) = (keyframe.len(), ($oldest)(&start));

            // What comes next builds on nothing in front of the keyframe.
            let mut clip = Held::<$format>::read(file.bytes.clone(), &file.name).unwrap();
            clip.remove((at + 1).saturating_add(most)..clip.len());
            let mut changed = Vec::new();
            let mut rest = clip.packets_from(at + 1).peekable();
            for part in at + 1..clip.len() {
                fold(&mut reader, &mut whole);
                if let Some((_, mut packet)) = rest.next_if(|(found, _)| *found == part) {
                    if ($rebase)(&whole, &mut packet, oldest) {
                        changed.push((part, packet.into_owned()));
                    }
                }
            }
            drop(rest);
            for (part, packet) in changed {
                clip.replace(part, packet);
            }
            for packet in keyframe.into_iter().rev() {
                clip.insert(at + 1, packet);
            }
            clip.remove(0..at + 1);
            clip.push_bytes($format::END_MARK);
            let bytes = clip.to_bytes().unwrap_or_else(|error| panic!("{context}: {error}"));

            // The first law.
            let mut reader = open(&bytes, &file.name);
            let mut ours: $world = ($new)(reader.detected());
            for _ in 0..packets {
                let size = fold(&mut reader, &mut ours).expect(&context);
                assert!(size <= $bytes, "{context}: {size} bytes");
            }
            let differ = |ours: &$world, whole: &$world, context: &str| {
                if let Some(part) = ours.difference(whole) {
                    panic!("{context}: {part}");
                }
            };
            differ(&ours, &start, &context);
            crate::keyframe::rebased::same(&json(&ours), &json(&start), &context);

            // The second law.
            let mut theirs = open(&file.bytes, &file.name);
            for _ in 0..=at {
                theirs.next_chunk().unwrap();
            }
            let mut whole = start;
            for part in at + 1..clip.len() - packets - 1 + at + 1 {
                let context = format!("{context}, in part {part}");
                let there = (fold(&mut reader, &mut ours).is_some(), fold(&mut theirs, &mut whole).is_some());
                assert_eq!(there.0, there.1, "{context}");
                differ(&ours, &whole, &context);
            }
            crate::keyframe::rebased::same(&json(&ours), &json(&whole), &context);
            Some(bytes)
        }
    };
}
pub(crate) use laws;

mod made;
mod quake2;
mod quake3;
