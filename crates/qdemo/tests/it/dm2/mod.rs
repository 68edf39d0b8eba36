//! Quake II: real recordings come back; so do demos of every protocol, kind of recording and message, built here from
//! the documents, and whatever bytes stand in one.

pub(crate) mod build;
mod extended;
mod facts;
mod messages;
mod properties;
mod rerelease;
mod rerelease_demos;
mod wire;

use std::path::PathBuf;

use qdemo::format::dm2::{Dm2, Message, PacketEntities, Recording};

use crate::common::{Random, all_dm2};
use crate::every::Samples;
use build::{demo, frame, full_entity, level, plain_entity, quiet_player};

impl Samples for Dm2 {
    const FILE: &'static str = "x.dm2";
    const SHIPPED: &'static str = "q2-demo1.dm2";
    const HEADER: usize = 4;
    const ROUNDS: usize = 20_000;

    fn recordings() -> Vec<PathBuf> {
        all_dm2()
    }

    fn made() -> Vec<Vec<u8>> {
        vec![crate::quake2::world::long_recording()]
    }

    /// A recording with every message, and little games of the re-release.
    fn short() -> Vec<Vec<u8>> {
        vec![every_message(), rerelease::little_game(), rerelease_demos::little_game()]
    }

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let whole = [
            every_message(),
            demo(&level(31, Recording::Relay, 0x80)),
            demo(&level(26, Recording::Server, 2)),
            demo(&level(32, Recording::Client, 1)),
        ];
        move |round, _| (whole[round % whole.len()].clone(), Self::FILE)
    }

    /// The size of a block of 50 bytes, and the number and protocol of a `serverdata`.
    fn begun(bytes: &[u8]) -> Vec<u8> {
        [&[50, 0, 0, 0, 12, 34, 0, 0, 0], bytes].concat()
    }
}

/// A short recording with every message.
fn every_message() -> Vec<u8> {
    let frames = (0..3).map(|n| {
        let entities = PacketEntities { entities: vec![plain_entity(1), full_entity(2)], end_mask: 0 };
        let player = Message::PlayerInfo(quiet_player());
        vec![frame(Recording::Client, 34, n), player, Message::PacketEntities(entities)]
    });
    demo(&[level(34, Recording::Client, 1), frames.collect()].concat())
}
