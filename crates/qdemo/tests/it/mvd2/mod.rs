//! Multi-view demos of Quake II: real recordings come back; so do demos of every minor version, command and mask bit,
//! built here from what Q2PRO's source tells, and whatever bytes stand in one.

pub(crate) mod build;
mod damage;
mod facts;
mod properties;
mod recordings;

use std::path::PathBuf;

use qdemo::format::mvd2::Mvd2;

use crate::common::{Random, all_mvd2};
use crate::every::Samples;
use build::{VERSIONS, Version, demo};

impl Samples for Mvd2 {
    const FILE: &'static str = "x.mvd2";
    const SHIPPED: &'static str = "q2pro-dm.mvd2";
    const HEADER: usize = 2;
    const ROUNDS: usize = 20_000;

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

    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let whole = VERSIONS.map(one_of_each);
        move |round, _| (whole[round % whole.len()].clone(), Self::FILE)
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
