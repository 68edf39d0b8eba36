//! QuakeWorld: what a client records, `.qwd`, and the messages that multi-view demos have too.

mod bad;
pub(crate) mod build;
mod damage;
mod extensions;
mod facts;
mod flags;
mod properties;
mod recordings;

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::dialect::Dialect;
use qdemo::format::qwd::{BlockKind, Message, Messages, PacketHead};
use qdemo::format::{mvd, qwd};
use qdemo::{Limits, Chunk, Reader, detect};

use crate::common::{Random, all_qwd};
use crate::every::Format;
use build::some_blocks;

pub(crate) struct Qwd;

impl Format for Qwd {
    const NAME: &'static str = "x.qwd";
    const SHIPPED: &'static str = "ez-dm.qwd";
    const HEADER: usize = 9;
    const ROUNDS: usize = 50_000;

    fn is(format: detect::Format) -> bool {
        format == detect::Format::Qwd
    }

    fn recordings() -> Vec<PathBuf> {
        all_qwd()
    }

    /// The beginning of a recording, without most of what comes before the game, then some of the game.
    fn short() -> Vec<Vec<u8>> {
        vec![some_blocks(&Self::shipped(), false, |n| n < 3 || (60..160).contains(&n))]
    }

    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        each_message(demo, Self::NAME, each);
    }

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        parts::<Self>(false)
    }

    /// The head of a packet that holds 50 bytes.
    fn begun(bytes: &[u8]) -> Vec<u8> {
        [&[0, 0, 0x80, 0x3F, 1, 50, 0, 0, 0], bytes].concat()
    }
}

/// Windows of a short recording. Its introduction in front keeps them in the dialect that the messages need.
pub(crate) fn parts<F: Format>(multiview: bool) -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
    let demo = F::short().remove(0);
    let introduction = some_blocks(&demo, multiview, |_| false);
    move |_, random| {
        let from = introduction.len() + random.below(demo.len() - introduction.len() - 600);
        ([&introduction[..], &demo[from..from + 600]].concat(), F::NAME)
    }
}

/// Shows every message of a recording, with the offset behind it.
pub(crate) fn each_message(demo: &[u8], name: &str, each: &mut dyn FnMut(u64, &dyn Debug)) {
    let mut chunks = Reader::new(demo, name, Limits::default()).unwrap();
    let mut dialect = if name.ends_with("mvd") { Dialect::MULTIVIEW } else { Dialect::QUAKEWORLD };
    while let Some(chunk) = chunks.next_chunk().unwrap() {
        let (payload, offset) = match &chunk {
            Chunk::Qwd(qwd::Chunk::Block(b)) if matches!(b.kind, BlockKind::Packet { .. }) => {
                (PacketHead::split(b.payload).1, b.payload_offset() + PacketHead::GAME as u64)
            }
            Chunk::Mvd(mvd::Chunk::Block(b)) if !matches!(b.target, mvd::Target::Command | mvd::Target::Set) => {
                (b.payload, b.payload_offset())
            }
            _ => continue,
        };
        let mut reader = Messages::new(payload, dialect);
        while let Some(message) = reader.next() {
            let end = offset + (reader.start() + reader.raw().len()) as u64;
            if !matches!(message, Message::Unknown(_)) {
                each(end, &message);
            }
        }
        dialect = reader.dialect();
    }
}
