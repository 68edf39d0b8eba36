//! The world and the events of multi-view recordings of Quake II: what is derived from them is what the rules say, and
//! what recordings of clients and the game itself say of the same games.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agreement;
#[path = "../mvd2/build.rs"]
#[allow(dead_code, reason = "made for other tests too")]
mod build;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod damage;
mod happenings;
mod rules;
mod seek;

use std::path::PathBuf;

use common::{files, root, shared};
use qdemo::game::quake2::multiview::World as Multi;
use qdemo::replay::World;
use qdemo::{Chunk, Limits, Reader};

/// Every `.mvd2` at hand.
fn recordings() -> Vec<PathBuf> {
    let folders = ["corpus/dm2", "recorded/mvd2"].into_iter().filter_map(shared).chain([root().join("testdata")]);
    folders.flat_map(|dir| files(&dir, "mvd2")).collect()
}

/// Folds a recording and calls `each` after every chunk.
fn fold(demo: &[u8], mut each: impl FnMut(&Multi)) -> Multi {
    let mut chunks = Reader::new(demo, "x.mvd2", Limits::default()).unwrap();
    let World::Mvd2(mut world) = World::new(chunks.detected().format).unwrap() else { panic!() };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let Chunk::Mvd2(chunk) = chunk else { panic!() };
        world.fold(&chunk);
        each(&world);
    }
    *world
}
