//! What a demo says about itself, for all formats.

use std::io::Read;

use serde_json::{Value, json};

use crate::detect::{Detected, Format};
use crate::dialect::quake3::Dialect;
use crate::error::{Moment, Result};
use crate::faults::Faults;
pub use crate::format::facts::{Share, Tally};
use crate::format::{dem, dm2, dm3, mvd2, qwd};
use crate::limits::Limits;
use crate::stream::{Chunk, Reader};

/// What a demo says about itself.
#[derive(Debug)]
#[non_exhaustive]
pub struct Info {
    /// What the file was taken for, and why.
    pub detected: Detected,
    /// Bytes in the (unpacked) file.
    pub bytes: u64,
    /// The facts, by format.
    pub facts: Facts,
    /// What is wrong with the file.
    pub faults: Faults,
}

/// Facts by format.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Facts {
    /// Quake. Boxed: the largest of the formats' facts would make all of them large.
    Dem(Box<dem::Info>),
    /// QuakeWorld, `.qwd` and `.mvd`.
    QuakeWorld(Box<qwd::Info>),
    /// Quake II.
    Dm2(Box<dm2::Info>),
    /// Quake II, multi-view.
    Mvd2(Box<mvd2::Info>),
    /// Quake III.
    Dm3(Box<dm3::Info>),
    /// No format that qdemo knows.
    Unknown,
}

/// Reads a demo and gathers what it says about itself.
///
/// # Errors
/// Whatever reading gives. Damage is no error: it is listed in [`Info::faults`].
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let info = qdemo::info::info(demo, "clip.dem", qdemo::Limits::default())?;
/// let qdemo::info::Facts::Dem(facts) = info.facts else { panic!() };
/// assert_eq!(facts.levels[0].map, "start");
/// assert_eq!(facts.dialect.protocol, 999);
/// # Ok(()) }
/// ```
pub fn info(input: impl Read, name: &str, limits: Limits) -> Result<Info> {
    gather(input, name, limits, dm3::InfoBuilder::new)
}

/// The same, but in Quake III demos texts and clocks alone are read: messages are not counted, nothing is told of
/// matches and of whom the recorder saw through, and damage in snapshots is not seen. That is several times as fast.
/// Demos of other games are read in whole.
///
/// # Errors
/// As [`info`].
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let info = qdemo::info::quick(demo, "oa-dm4.dm_71", qdemo::Limits::default())?;
/// let qdemo::info::Facts::Dm3(facts) = info.facts else { panic!() };
/// assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].length(), facts.whole), ("oa_dm4", Some(42_050), false));
/// # Ok(()) }
/// ```
pub fn quick(input: impl Read, name: &str, limits: Limits) -> Result<Info> {
    gather(input, name, limits, dm3::InfoBuilder::quick)
}

fn gather(input: impl Read, name: &str, limits: Limits, quake3: fn(Dialect) -> dm3::InfoBuilder) -> Result<Info> {
    let mut chunks = Reader::new(input, name, limits)?;
    let detected = chunks.detected().clone();
    let mut gather = dem::InfoBuilder::default();
    let mut faults = Faults::default();
    let mut quakeworld = qwd::InfoBuilder::new(detected.format == Format::Mvd);
    let mut quake2 = dm2::InfoBuilder::default();
    let mut multiview2 = mvd2::InfoBuilder::default();
    let mut quake3 = match detected.format {
        Format::Dm3(dialect) => Some(quake3(dialect)),
        _ => None,
    };
    while let Some(chunk) = chunks.next_chunk()? {
        match chunk {
            Chunk::Dem(chunk) => {
                let time = if let dem::Chunk::Block(block) = &chunk { block.time() } else { None };
                faults.note(name, time.map(Moment::Seconds), gather.chunk(&chunk));
            }
            Chunk::Qwd(chunk) => {
                let broken = quakeworld.chunk(&chunk);
                faults.note(name, quakeworld.time(), broken);
            }
            Chunk::Mvd(chunk) => {
                let broken = quakeworld.record(&chunk);
                faults.note(name, quakeworld.time(), broken);
            }
            Chunk::Dm2(chunk) => {
                let broken = quake2.chunk(&chunk);
                faults.note(name, quake2.time(), broken);
            }
            Chunk::Mvd2(chunk) => {
                let broken = multiview2.chunk(&chunk);
                faults.note(name, multiview2.time(), broken);
            }
            Chunk::Dm3(chunk) => {
                let Some(gather) = &mut quake3 else { continue };
                let broken = gather.chunk(&chunk);
                faults.note(name, gather.time().map(Moment::Milliseconds), broken);
            }
            Chunk::Unknown(_) => faults.not_a_demo(name, &detected),
        }
    }
    let facts = match (detected.format, quake3) {
        (Format::Dem, _) => Facts::Dem(Box::new(gather.finish())),
        (Format::Dm2, _) => Facts::Dm2(Box::new(quake2.finish())),
        (Format::Mvd2, _) => Facts::Mvd2(Box::new(multiview2.finish())),
        (Format::Qwd | Format::Mvd, _) => Facts::QuakeWorld(Box::new(quakeworld.finish())),
        (_, Some(gather)) => {
            let facts = gather.finish();
            if !facts.ends_cleanly {
                faults.add_unless_cut(name, dm3::no_end_mark(chunks.offset()));
            }
            Facts::Dm3(Box::new(facts))
        }
        _ => Facts::Unknown,
    };
    Ok(Info { detected, bytes: chunks.offset(), facts, faults })
}

impl Info {
    /// The facts as JSON, with the keys that `qdemo info --json` documents. `detail` adds bytes by kind of message.
    pub fn to_json(&self, file: &str, detail: bool) -> Value {
        let mut all = json!({
            "file": file,
            "bytes": self.bytes,
            "format": self.detected.format.name(),
            "detected": {"score": self.detected.score, "reason": self.detected.reason,
                "name_disagrees": self.detected.name_disagrees},
            "fault_count": self.faults.count(),
            "faults": self.faults.iter().map(crate::json::fault).collect::<Vec<_>>(),
        });
        let facts = match &self.facts {
            Facts::Dem(facts) => facts.to_json(detail),
            Facts::QuakeWorld(facts) => facts.to_json(detail),
            Facts::Dm2(facts) => facts.to_json(detail),
            Facts::Mvd2(facts) => facts.to_json(detail),
            Facts::Dm3(facts) => facts.to_json(detail),
            Facts::Unknown => return all,
        };
        if let (Value::Object(more), Some(map)) = (facts, all.as_object_mut()) {
            map.extend(more);
        }
        all
    }
}
