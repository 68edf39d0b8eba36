//! Quake's `.dem`.

mod bad;
mod damage;
mod facts;
mod properties;

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::format::dem::{Decoder, Message, Messages, Chunk};
use qdemo::{Limits, Reader, detect};

use crate::common::{Random, all_dem};
use crate::every::Format;

pub(crate) struct Dem;

impl Format for Dem {
    const NAME: &'static str = "x.dem";
    const SHIPPED: &'static str = "dm13-15.dem";
    const HEADER: usize = 16;
    const ROUNDS: usize = 100_000;

    fn is(format: detect::Format) -> bool {
        format == detect::Format::Dem
    }

    fn recordings() -> Vec<PathBuf> {
        all_dem()
    }

    /// The first blocks of a recording, the last one cut.
    fn short() -> Vec<Vec<u8>> {
        vec![Self::shipped()[..12_000].to_vec()]
    }

    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        let mut chunks = Reader::new(demo, Self::NAME, Limits::default()).unwrap();
        let mut dialect = Decoder::default().dialect();
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let qdemo::Chunk::Dem(Chunk::Block(block)) = chunk else { continue };
            let mut messages = Messages::new(block.payload, dialect);
            while let Some(message) = messages.next() {
                let end = block.payload_offset() + (messages.start() + messages.raw().len()) as u64;
                if !matches!(message, Message::Unknown(_)) {
                    each(end, &message);
                }
            }
            dialect = messages.dialect();
        }
    }

    /// A window of a recording, half of the time with the head that it begins with.
    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let demo = Self::short().remove(0);
        move |round, random| {
            let from = if round % 2 == 0 { 0 } else { random.below(demo.len() - 1_200) };
            let part = &demo[from..from + 1_200];
            (if from == 0 { part.to_vec() } else { Self::begun(part) }, Self::NAME)
        }
    }

    fn begun(bytes: &[u8]) -> Vec<u8> {
        [b"-1\n", bytes].concat()
    }
}
