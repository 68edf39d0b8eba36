//! Helpers of the tests: recordings to read, blocks to build, damage to do.

mod corpus;
pub(crate) mod quake3;

pub(crate) use corpus::*;

use crate::text::lmpc::assert_taken_by_lmpc;
use proptest::test_runner::Config as ProptestConfig;
use qdemo::demo::Faults;
use qdemo::event::Event;
use qdemo::replay::{Pass, Step, World};
use qdemo::text::{Options, Style, compile_bytes, decompile};
use qdemo::verify::{Report, verify};
use qdemo::{FileKind, Limits};

/// A block of a Quake demo: header and messages.
pub(crate) fn block(payload: &[u8]) -> Vec<u8> {
    let mut b = (payload.len() as u32).to_le_bytes().to_vec();
    b.extend([0; 12]);
    b.extend(payload);
    b
}

/// A demo of blocks.
pub(crate) fn demo(track: &str, blocks: &[&[u8]]) -> Vec<u8> {
    let mut d = track.as_bytes().to_vec();
    blocks.iter().for_each(|b| d.extend(block(b)));
    d
}

/// A demo of Quake II: blocks behind their sizes, and the end mark.
pub(crate) fn quake2_demo(blocks: &[&[u8]]) -> Vec<u8> {
    let mut d = Vec::new();
    for block in blocks {
        d.extend((block.len() as u32).to_le_bytes());
        d.extend(*block);
    }
    d.extend(qdemo::format::dm2::END_MARK);
    d
}

/// The payload of a serverinfo: protocol, what follows it, and lists of one model and one sound.
pub(crate) fn serverinfo(protocol: i32, flags: &[u8]) -> Vec<u8> {
    let mut p = vec![11];
    p.extend(protocol.to_le_bytes());
    p.extend(flags);
    p.extend([1, 0]);
    p.extend(b"the Slipgate Complex\0maps/e1m1.bsp\0\0misc/null.wav\0\0");
    p
}

/// In a build that is not optimised, tests that do the same very often are content with a part of it.
const FULL: bool = !cfg!(debug_assertions);

/// So many rounds of something random.
pub(crate) fn rounds(all: usize) -> usize {
    if FULL { all } else { all.div_ceil(50) }
}

/// The same for proptest.
pub(crate) fn cases(all: u32) -> ProptestConfig {
    ProptestConfig::with_cases(if FULL { all } else { all.div_ceil(20) })
}

/// Every place in a file of this length.
pub(crate) fn places(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(if FULL { 1 } else { 23 })
}

/// What verifying says of a file.
pub(crate) fn report(demo: &[u8], name: &str) -> Report {
    verify(demo, name, Limits::default()).unwrap()
}

/// The model covers every byte of the demo and gives it back, and nothing is wrong with it.
#[track_caller]
pub(crate) fn assert_sound(demo: &[u8], name: &str) -> Report {
    let report = report(demo, name);
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert!(report.is_sound(), "{name}: {} uncovered, {} different, {faults:?}", report.uncovered, report.different);
    assert_eq!(report.bytes, demo.len() as u64, "{name}");
    report
}

/// The model gives any file back, whatever is wrong with it.
#[track_caller]
pub(crate) fn assert_written_back(demo: &[u8], name: &str) -> Report {
    let report = report(demo, name);
    assert_eq!((report.different, report.bytes), (0, demo.len() as u64), "{name}: {:?}", report.faults);
    report
}

/// So do text and JSON.
#[track_caller]
pub(crate) fn comes_back(demo: &[u8], name: &str) -> Report {
    assert_survives(demo, name);
    assert_written_back(demo, name)
}

/// A recording whose text is not read as LMPC does on the side.
const LONG: usize = 100_000;

/// Text and JSON give the demo back. LMPC's language cannot hold everything of Quake III: there the decompiler says
/// so, and what it wrote compiles all the same.
#[track_caller]
pub(crate) fn assert_survives(demo: &[u8], name: &str) {
    for style in [Style::Text, Style::Lmpc, Style::Json] {
        let mut text = Vec::new();
        let done = decompile(demo, name, &mut text, &Options::with_style(style)).unwrap();
        let quake3 = matches!(done.detected.kind, FileKind::Dm3);
        if style == Style::Lmpc && demo.len() < LONG {
            assert_taken_by_lmpc(demo, name, &text, &done);
        }
        match compile_bytes(&text, "text") {
            Ok(back) if back == demo => {}
            Ok(_) if style == Style::Lmpc && quake3 && done.beyond_lmpc > 0 => {}
            Ok(back) => {
                let at = back.iter().zip(demo).position(|(a, b)| a != b).unwrap_or(back.len().min(demo.len()));
                panic!("{name}: {style:?} gives other bytes from offset {at} on ({} and {})", back.len(), demo.len());
            }
            Err(e) => panic!("{name}: {style:?}: {e}\n{}", e.details().unwrap_or_default()),
        }
    }
}

/// A small generator of random numbers, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Damages bytes in one to four places: changes, gaps, additions, or an end that comes too early.
    pub(crate) fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..(at + self.below(40)).min(bytes.len()))),
                3 => {
                    let n = self.below(40);
                    bytes.splice(at..at, self.bytes(n));
                }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
    }

    /// Random bytes.
    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}

/// The events of a recording beside the world that tells them, as they are known: not in the order of their times.
pub(crate) fn with_worlds(
    demo: &[u8],
    name: &str,
    each: &mut impl FnMut(&World, &Event) -> qdemo::Result<()>,
) -> qdemo::Result<Faults> {
    let mut all = |step: &Step<'_>| step.events.iter().try_for_each(|event| each(step.world, event));
    Pass::new(Limits::default()).run(demo, name, &mut [&mut all])
}
