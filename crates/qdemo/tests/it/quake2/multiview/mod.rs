//! The world and the events of multi-view recordings of Quake II: what is derived from them is what the rules say, and
//! what recordings of clients and the game itself say of the same games.

mod agreement;
mod check;
mod damage;
mod happenings;
mod rules;

pub(crate) use rules::two_levels;

use qdemo::game::quake2::multiview::World as Multi;
use qdemo::replay::World;
use qdemo::{Chunk, Limits, Reader};

/// Folds a recording and calls `each` after every chunk.
fn fold(demo: &[u8], mut each: impl FnMut(&Multi)) -> Multi {
    let mut chunks = Reader::new(demo, "x.mvd2", Limits::default()).unwrap();
    let World::Mvd2(mut world) = World::new(chunks.detected()).unwrap() else { panic!() };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Mvd2(chunk) = chunk else { panic!() };
        world.apply(&chunk);
        each(&world);
    }
    *world
}
