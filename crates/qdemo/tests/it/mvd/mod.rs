//! Multi-view demos of QuakeWorld.

mod facts;

use std::fmt::Debug;
use std::path::PathBuf;

use qdemo::detect;

use crate::common::{Random, all_mvd};
use crate::every::Format;
use crate::qwd::build::some_blocks;
use crate::qwd::{each_message, parts};

pub(crate) struct Mvd;

impl Format for Mvd {
    const NAME: &'static str = "x.mvd";
    const SHIPPED: &'static str = "ez-dm.mvd";
    const HEADER: usize = 6;
    const ROUNDS: usize = 50_000;

    fn is(format: detect::Format) -> bool {
        format == detect::Format::Mvd
    }

    fn recordings() -> Vec<PathBuf> {
        all_mvd()
    }

    /// The beginning of a recording, without most of what comes before the game, then some of the game.
    fn short() -> Vec<Vec<u8>> {
        vec![some_blocks(&Self::shipped(), true, |n| n < 2 || (10..200).contains(&n))]
    }

    fn each_message(demo: &[u8], each: &mut dyn FnMut(u64, &dyn Debug)) {
        each_message(demo, Self::NAME, each);
    }

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        parts::<Self>(true)
    }

    /// The head of a record for everybody that holds 50 bytes.
    fn begun(bytes: &[u8]) -> Vec<u8> {
        [&[0, 6, 50, 0, 0, 0], bytes].concat()
    }
}
