//! QuakeWorld.

use qdemo::format::mvd::Mvd;
use qdemo::format::qwd::Qwd;
use qdemo::world::World;
use qdemo::world::quakeworld::World as QuakeWorld;

use super::{Asked, check_all};

fn quakeworld(world: &World) -> &QuakeWorld {
    let World::QuakeWorld(world) = world else { panic!("another game") };
    world
}

const PACKETS: Asked<Qwd> = Asked {
    keyframe: |world| quakeworld(world).keyframe_packets(),
    difference: |one, other| quakeworld(one).difference(quakeworld(other)),
};

const RECORDS: Asked<Mvd> = Asked {
    keyframe: |world| quakeworld(world).keyframe_records(),
    difference: |one, other| quakeworld(one).difference(quakeworld(other)),
};

/// Anywhere in the recording of a client a keyframe makes the world that all of it before has made, and what follows
/// does the same to both. id's client has room for packets of 1,450 bytes.
#[test]
fn a_keyframe_of_a_client_is_the_world() {
    let seen = check_all(&PACKETS);
    assert!(seen.largest <= 1450, "{seen:?}");
}

/// The same in the recording of a server. MVDSV writes records of at most 8,092 bytes.
#[test]
fn a_keyframe_of_a_server_is_the_world() {
    let seen = check_all(&RECORDS);
    assert!(seen.largest <= 8092, "{seen:?}");
}
