//! Multi-view demos of QuakeWorld.

mod facts;

use std::path::PathBuf;

use qdemo::format::mvd::Mvd;

use crate::common::{Random, all_mvd};
use crate::every::Samples;
use crate::qwd::build::some_blocks;
use crate::qwd::parts;

impl Samples for Mvd {
    const FILE: &'static str = "x.mvd";
    const SHIPPED: &'static str = "ez-dm.mvd";
    const HEADER: usize = 6;
    const ROUNDS: usize = 50_000;

    fn recordings() -> Vec<PathBuf> {
        all_mvd()
    }

    /// The beginning of a recording, without most of what comes before the game, then some of the game.
    fn short() -> Vec<Vec<u8>> {
        vec![some_blocks(&Self::shipped(), true, |n| n < 2 || (10..200).contains(&n))]
    }

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        parts::<Self>(true)
    }

    /// The head of a record for everybody that holds 50 bytes.
    fn begun(bytes: &[u8]) -> Vec<u8> {
        [&[0, 6, 50, 0, 0, 0], bytes].concat()
    }
}
