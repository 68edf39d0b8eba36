//! The world of QuakeWorld recordings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // also in the helpers below

mod agreement;
#[path = "../quakeworld/build.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod build;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod rules;
mod seek;

use std::path::PathBuf;

use qdemo::game::quakeworld;
use qdemo::replay::World;
use qdemo::{Chunk, Limits, Reader};

/// Every recording with an extension: shipped, of the corpus, and recorded for the project.
fn recordings(extension: &str) -> Vec<PathBuf> {
    let mut all = common::files(&common::root().join("testdata"), extension);
    for part in ["corpus", "recorded"] {
        all.extend(
            common::shared(&format!("{part}/{extension}"))
                .map(|dir| common::files(&dir, extension))
                .unwrap_or_default(),
        );
    }
    all
}

/// True where the large corpus is at hand.
fn has_corpus() -> bool {
    common::shared("corpus/mvd").is_some() && common::shared("corpus/qwd").is_some()
}

fn quakeworld(world: &World) -> &quakeworld::World {
    match world {
        World::QuakeWorld(world) => world,
        _ => panic!("another game"),
    }
}

/// Folds a recording; `each` sees every chunk with the world after it.
fn fold(demo: &[u8], name: &str, mut each: impl FnMut(&Chunk<'_>, &quakeworld::World)) -> World {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut world = World::new(chunks.detected().format).unwrap();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        world.fold(&chunk);
        each(&chunk, quakeworld(&world));
    }
    world
}
