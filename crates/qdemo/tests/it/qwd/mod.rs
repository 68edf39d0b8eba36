//! QuakeWorld: what a client records, `.qwd`, and the messages that multi-view demos have too.

mod bad;
pub(crate) mod build;
mod damage;
mod extensions;
mod facts;
mod flags;
mod properties;
mod recordings;

use std::path::PathBuf;

use qdemo::format::qwd::Qwd;

use crate::common::{Random, all_qwd};
use crate::every::Samples;
use build::some_blocks;

impl Samples for Qwd {
    const FILE: &'static str = "x.qwd";
    const SHIPPED: &'static str = "ez-dm.qwd";
    const HEADER: usize = 9;
    const ROUNDS: usize = 50_000;

    fn recordings() -> Vec<PathBuf> {
        all_qwd()
    }

    /// The beginning of a recording, without most of what comes before the game, then some of the game.
    fn short() -> Vec<Vec<u8>> {
        vec![some_blocks(&Self::shipped(), false, |n| n < 3 || (60..160).contains(&n))]
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
pub(crate) fn parts<F: Samples>(multiview: bool) -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
    let demo = F::short().remove(0);
    let introduction = some_blocks(&demo, multiview, |_| false);
    move |_, random| {
        let from = introduction.len() + random.below(demo.len() - introduction.len() - 600);
        ([&introduction[..], &demo[from..from + 600]].concat(), F::FILE)
    }
}
