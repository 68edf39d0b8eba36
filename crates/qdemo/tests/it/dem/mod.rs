//! Quake's `.dem`.

mod bad;
mod damage;
mod facts;
mod properties;

use std::path::PathBuf;

use qdemo::format::dem::Dem;

use crate::common::{Random, all_dem};
use crate::every::Samples;

impl Samples for Dem {
    const FILE: &'static str = "x.dem";
    const SHIPPED: &'static str = "dm13-15.dem";
    const HEADER: usize = 16;
    const ROUNDS: usize = 100_000;

    fn recordings() -> Vec<PathBuf> {
        all_dem()
    }

    /// The first blocks of a recording, the last one cut.
    fn short() -> Vec<Vec<u8>> {
        vec![Self::shipped()[..12_000].to_vec()]
    }

    /// A window of a recording, half of the time with the head that it begins with.
    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let demo = Self::short().remove(0);
        move |round, random| {
            let from = if round % 2 == 0 { 0 } else { random.below(demo.len() - 1_200) };
            let part = &demo[from..from + 1_200];
            (if from == 0 { part.to_vec() } else { Self::begun(part) }, Self::FILE)
        }
    }

    fn begun(bytes: &[u8]) -> Vec<u8> {
        [b"-1\n", bytes].concat()
    }
}
