//! Quake.

use qdemo::format::dem::Dem;
use qdemo::world::World;
use qdemo::world::dem::World as Quake;

use super::{Asked, check_all};

fn quake(world: &World) -> &Quake {
    let World::Dem(world) = world else { panic!("another game") };
    world
}

const ASKED: Asked<Dem> =
    Asked { keyframe: |world| quake(world).keyframe(), difference: |one, other| quake(one).difference(quake(other)) };

/// Anywhere in a recording a keyframe makes the world that all of it before has made, and what follows does the same
/// to both. id's engine has room for blocks of 8,000 bytes.
#[test]
fn a_keyframe_is_the_world() {
    let seen = check_all(&ASKED);
    assert!(seen.largest <= 8000, "{seen:?}");
}
