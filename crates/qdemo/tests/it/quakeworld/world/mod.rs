//! The world of QuakeWorld recordings.

mod agreement;
mod check;
mod rules;

use crate::common;
use qdemo::game::quakeworld;
use qdemo::replay::World;
use qdemo::{Chunk, Limits, Reader};

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
    let mut world = World::new(chunks.detected()).unwrap();
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        world.apply(&chunk);
        each(&chunk, quakeworld(&world));
    }
    world
}
