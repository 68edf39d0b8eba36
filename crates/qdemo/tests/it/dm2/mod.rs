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

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::dialect::{Dialect, Recording};
use qdemo::format::dm2::{Message, Messages, PacketEntities, Chunk};
use qdemo::{Limits, Reader, detect};

use crate::common::{Random, all_dm2};
use crate::every::Format;
use build::{demo, frame, full_entity, level, plain_entity, quiet_player};

pub(crate) struct Dm2;

impl Format for Dm2 {
    const NAME: &'static str = "x.dm2";
    const SHIPPED: &'static str = "q2-demo1.dm2";
    const HEADER: usize = 4;
    const ROUNDS: usize = 20_000;

    fn is(format: detect::Format) -> bool {
        format == detect::Format::Dm2
    }

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

    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        let mut chunks = Reader::new(demo, Self::NAME, Limits::default()).unwrap();
        let mut dialect = Dialect::QUAKE2;
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let qdemo::Chunk::Dm2(Chunk::Block(block)) = chunk else { continue };
            let mut messages = Messages::new(block.payload, dialect);
            while let Some(message) = messages.next() {
                if message.kind().is_some() {
                    let end = block.payload_offset() + (messages.start() + messages.raw().len()) as u64;
                    each(end, &message);
                }
            }
            dialect = messages.dialect();
        }
    }

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let whole = [
            every_message(),
            demo(&level(31, Recording::Relay, 0x80)),
            demo(&level(26, Recording::Server, 2)),
            demo(&level(32, Recording::Client, 1)),
        ];
        move |round, _| (whole[round % whole.len()].clone(), Self::NAME)
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
