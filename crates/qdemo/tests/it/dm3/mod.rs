//! Quake III: `.dm3` and all kinds of `.dm_NN`.

mod bad;
mod damage;
mod facts;
mod properties;
pub(crate) mod recordings;

use std::path::PathBuf;

use qdemo::describe::Size32;
use qdemo::format::BlockOf;
use qdemo::format::dm3::{Block, Decoder, Dialect, Dm3, Header, Packet};
use qdemo::frame::Diagnostic;

use crate::common::quake3::{block, protocol};
use crate::common::{Random, all_dm3};
use crate::every::Samples;

impl Samples for Dm3 {
    const FILE: &'static str = "x.dm_68";
    const SHIPPED: &'static str = "oa-dm2.dm_68";
    const HEADER: usize = 8;
    const ROUNDS: usize = 100_000;

    fn recordings() -> Vec<PathBuf> {
        all_dm3()
    }

    /// The gamestate and the first snapshots of a recording, the last one cut.
    fn short() -> Vec<Vec<u8>> {
        vec![Self::shipped()[..8_000].to_vec()]
    }

    /// Messages end between bits, and bits are read when their block is whole.
    fn end(block: &BlockOf<'_, Self>, _: usize) -> u64 {
        block.payload_offset() + block.size() as u64
    }

    /// Snapshots without their gamestate, which is long; all kinds of names and protocols take their turn.
    fn parts() -> impl FnMut(usize, &mut Random) -> (Vec<u8>, &'static str) {
        let names = ["x.dm_68", "x.dm3", "x.dm_48", "x.dm_91", "x"];
        let numbers = [68, 45, 48, 91, 73];
        let demo = Self::shipped();
        let gamestate = 8 + i32::from_le_bytes(demo[4..8].try_into().unwrap()) as usize;
        move |round, random| {
            let snapshots = &demo[gamestate..];
            let mut part = Vec::new();
            // The right protocol, now and then another that the same bytes are taken for.
            if round % 3 == 0 {
                part = block(1, &protocol(numbers[round % numbers.len()]).gamestate());
            }
            let from = if round % 2 == 0 { 0 } else { random.below(snapshots.len() - 600) };
            part.extend(&snapshots[from..from + 400]);
            (part, names[round % names.len()])
        }
    }

    /// The header of a block of 50 bytes.
    fn begun(bytes: &[u8]) -> Vec<u8> {
        [&[7, 0, 0, 0, 50, 0, 0, 0], bytes].concat()
    }
}

/// The packet that a payload is, and what is wrong with it.
fn packet(payload: &[u8], dialect: Dialect) -> (Packet<'_>, Option<Diagnostic>) {
    let header = Header { sequence: 1, size: Size32(Some(payload.len() as u32)) };
    Decoder::new(dialect).read(&Block {
        index: 0,
        offset: 0,
        header,
        header_len: Header::LEN,
        payload,
        ends_moment: true,
    })
}
