//! Multi-view demos of Quake II: real recordings come back; so do demos of every minor version, command and mask bit,
//! built here from what Q2PRO's source tells, and whatever bytes stand in one.

pub(crate) mod build;
mod damage;
mod facts;
mod properties;
mod recordings;

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::dialect::Dialect;
use qdemo::format::mvd2::{Messages, Chunk};
use qdemo::{Limits, Reader, detect};

use crate::common::{Random, all_mvd2};
use crate::every::Format;
use build::{VERSIONS, Version, demo};

pub(crate) struct Mvd2;

impl Format for Mvd2 {
    const NAME: &'static str = "x.mvd2";
    const SHIPPED: &'static str = "q2pro-dm.mvd2";
    const HEADER: usize = 2;
    const ROUNDS: usize = 20_000;

    fn is(format: detect::Format) -> bool {
        format == detect::Format::Mvd2
    }

    fn recordings() -> Vec<PathBuf> {
        all_mvd2()
    }

    fn made() -> Vec<Vec<u8>> {
        let each = VERSIONS.iter().map(|version| version.demo());
        each.chain([crate::quake2::multiview::two_levels()]).collect()
    }

    fn short() -> Vec<Vec<u8>> {
        [VERSIONS[1], VERSIONS[3], VERSIONS[8]].map(one_of_each).to_vec()
    }

    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        let mut chunks = Reader::new(demo, Self::NAME, Limits::default()).unwrap();
        let mut dialect = Dialect::MVD2;
        while let Some(chunk) = chunks.next_chunk().unwrap() {
            let qdemo::Chunk::Mvd2(Chunk::Block(block)) = chunk else { continue };
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
        let whole = VERSIONS.map(one_of_each);
        move |round, _| (whole[round % whole.len()].clone(), Self::NAME)
    }

    fn begun(bytes: &[u8]) -> Vec<u8> {
        [b"MVD2", bytes].concat()
    }
}

/// A demo with one of each command, in short blocks.
fn one_of_each(version: Version) -> Vec<u8> {
    let mut payloads = vec![version.serverdata(&version.scene(&[version.player(0, 1, false)], &[version.entity()]))];
    payloads.extend(version.commands().into_iter().filter(|c| c.len() < 200));
    demo(&payloads)
}
