//! Keyframes: a recording can begin anywhere, and is the same from there on.

mod quake;
mod quakeworld;
mod rebased;

use std::fs;

use qdemo::demo::{Listed, Recording};
use qdemo::format::Packet;
use qdemo::replay::World;
use qdemo::wire::Fault;
use qdemo::world::Scene;
use qdemo::{Limits, Reader};

/// What a test asks of a game.
struct Asked<F: Listed> {
    /// The packets of a full start.
    keyframe: fn(&World) -> Result<Vec<Packet<'static, F>>, Fault>,
    /// Which part of two worlds differs.
    difference: fn(&World, &World) -> Option<&'static str>,
}

fn name<F: Listed>() -> String {
    format!("keyframe.{}", F::NAME)
}

/// A recording of packets and the bytes that follow them.
fn joined<F: Listed>(front: &[u8], keyframe: Vec<Packet<'static, F>>, rest: &[u8]) -> Vec<u8> {
    let mut demo = Recording::<F>::new(None);
    demo.push_bytes(front);
    keyframe.into_iter().for_each(|packet| demo.push(packet));
    demo.push_bytes(rest);
    demo.to_bytes().unwrap()
}

/// The world after a recording, in which nothing is wrong.
#[track_caller]
fn world_of<F: Listed>(bytes: &[u8], what: &str) -> World {
    let mut reader = Reader::new(bytes, &name::<F>(), Limits::default()).unwrap();
    assert_eq!(reader.detected().kind, F::KIND, "{what}: {}", reader.detected().reason);
    let mut world = World::new(reader.detected()).unwrap();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        assert_eq!(world.apply(&chunk), None, "{what}");
    }
    world
}

/// How much a test has seen.
#[derive(Debug, Default)]
struct Seen {
    keyframes: usize,
    /// Worlds without a level, or in which not enough is known for a keyframe.
    none: usize,
    /// Worlds compared after more of the recording.
    later: usize,
    /// The largest block that is larger than those of the recording itself, in bytes.
    largest: usize,
}

/// At some places of a recording: the keyframe makes the same world, and with the rest of the recording behind it the
/// worlds stay the same.
fn check<F: Listed>(file: &str, bytes: &[u8], asked: &Asked<F>, seen: &mut Seen) {
    /// Places in a recording.
    const PLACES: usize = 10;
    /// Chunks after each of them that are compared.
    const NEXT: usize = 150;
    let mut reader = Reader::new(bytes, file, Limits::default()).unwrap();
    if reader.detected().kind != F::KIND {
        return;
    }
    let mut world = World::new(reader.detected()).unwrap();
    let mut chunks = 0;
    while reader.next_chunk().unwrap().is_some() {
        chunks += 1;
    }
    let step = (chunks / PLACES).max(1);
    let mut reader = Reader::new(bytes, file, Limits::default()).unwrap();
    let mut front = 0;
    let mut at = 0;
    // The worlds that began with a keyframe and go on, and where each began. One of them goes on to the end.
    let mut started: Vec<(usize, World)> = Vec::new();
    while let Some(chunk) = reader.next_chunk().unwrap() {
        let is_front = at == 0 && chunk.block().is_none();
        world.apply(&chunk);
        for (_, other) in &mut started {
            other.apply(&chunk);
        }
        at += 1;
        front = if is_front { reader.offset() as usize } else { front };
        started.retain(|(begin, _)| at - begin < NEXT || begin / step == PLACES / 2);
        for (begin, other) in &started {
            if at - begin < NEXT || at % 16 == 0 || at == chunks {
                let differs = (asked.difference)(&world, other);
                assert_eq!(differs, None, "{file}: keyframe after {begin} of {chunks} chunks, now {at}");
                seen.later += 1;
            }
        }
        // Not all places are at the same step of what repeats.
        if at % step != (at / step) % 5 % step {
            continue;
        }
        let keyframe = match (asked.keyframe)(&world) {
            Ok(keyframe) if keyframe.is_empty() => {
                seen.none += 1;
                continue;
            }
            Ok(keyframe) => keyframe,
            Err(fault) => {
                assert!(!world.is_complete(), "{file}: {fault}");
                seen.none += 1;
                continue;
            }
        };
        let what = format!("{file}: keyframe after {at} of {chunks} chunks");
        let begun = joined(&bytes[..front], keyframe, &[]);
        let size = largest::<F>(&begun);
        if size > largest::<F>(bytes) {
            seen.largest = seen.largest.max(size);
        }
        let other = world_of::<F>(&begun, &what);
        assert_eq!((asked.difference)(&world, &other), None, "{what}");
        seen.keyframes += 1;
        started.push((at, other));
    }
}

/// The largest block of a recording in bytes.
fn largest<F: Listed>(bytes: &[u8]) -> usize {
    let mut reader = Reader::new(bytes, &name::<F>(), Limits::default()).unwrap();
    let mut largest = 0;
    while let Some(chunk) = reader.next_chunk().unwrap() {
        if let Some(qdemo::frame::Chunk::Block(block)) = F::chunk(&chunk) {
            largest = largest.max(block.payload.len());
        }
    }
    largest
}

fn check_all<F: Listed>(asked: &Asked<F>) -> Seen {
    let mut seen = Seen::default();
    for path in crate::common::recordings(|extension| extension == F::NAME) {
        let file = path.file_name().unwrap().to_string_lossy();
        check(&file, &fs::read(&path).unwrap(), asked, &mut seen);
    }
    eprintln!("{}: {seen:?}", F::NAME);
    assert!(seen.keyframes >= 8 && seen.later > 100, "{seen:?}");
    seen
}

/// The same for a recording made of packets, after each of them.
fn check_made<F: Listed>(front: &[u8], packets: Vec<Packet<'static, F>>, asked: &Asked<F>) -> Seen {
    let mut seen = Seen::default();
    assert!(packets.len() <= 10, "so that each is a place to begin at");
    check(&name::<F>(), &joined(front, packets, &[]), asked, &mut seen);
    seen
}
