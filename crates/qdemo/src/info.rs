//! What a demo says about itself, for all formats.

use std::io::Read;

use serde::Serialize;
use serde_json::json;

use crate::demo::FileKind;
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Reader};
use crate::error::{Moment, Result};
use crate::faults::Faults;
use crate::format::dm3::Dialect;
pub use crate::format::facts::{Share, Tally};
use crate::format::{Format, dem, dm2, dm3, mvd2, qwd};
use crate::json::row;
use crate::limits::Limits;

row! {
    /// What a demo says about itself.
    #[derive(Debug)]
    #[non_exhaustive]
    pub struct Info {
        /// What the file was taken for, and why.
        pub detected: Detected,
        /// Bytes in the (unpacked) file.
        pub bytes: u64,
        /// The facts, by format.
        #[serde(flatten)]
        pub facts: Facts,
        /// What is wrong with the file.
        #[serde(flatten)]
        pub faults: Faults,
    }
    |info| json!({"format": info.detected.kind})
}

/// Facts by format.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
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
/// let demo: &[u8] = include_bytes!("../../../testdata/clip.dem");
/// let info = qdemo::info::info(demo, "clip.dem", qdemo::Limits::default())?;
/// // As `qdemo info --json` has it.
/// let json = serde_json::to_value(&info).expect("facts are JSON");
/// assert_eq!(json["levels"][0]["map"], "start");
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
/// let demo: &[u8] = include_bytes!("../../../testdata/oa-dm4.dm_71");
/// let info = qdemo::info::quick(demo, "oa-dm4.dm_71", qdemo::Limits::default())?;
/// let qdemo::info::Facts::Dm3(facts) = info.facts else { panic!() };
/// assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].length(), facts.whole), ("oa_dm4", Some(42_050), false));
/// # Ok(()) }
/// ```
pub fn quick(input: impl Read, name: &str, limits: Limits) -> Result<Info> {
    gather(input, name, limits, dm3::InfoBuilder::quick)
}

fn gather(input: impl Read, name: &str, limits: Limits, quake3: fn(Dialect) -> dm3::InfoBuilder) -> Result<Info> {
    let mut reader = Reader::new(input, name, limits)?;
    let detected = reader.detected().clone();
    let mut faults = Faults::default();
    let mut builder = match detected.kind {
        FileKind::Dem => Builder::Dem(Box::default()),
        FileKind::Qwd => Builder::QuakeWorld(Box::new(qwd::InfoBuilder::new(false))),
        FileKind::Mvd => Builder::QuakeWorld(Box::new(qwd::InfoBuilder::new(true))),
        FileKind::Dm2 => Builder::Dm2(Box::default()),
        FileKind::Mvd2 => Builder::Mvd2(Box::default()),
        FileKind::Dm3 => Builder::Dm3(Box::new(quake3(dm3::Dm3::first_dialect(detected.protocol)))),
        FileKind::Unknown => Builder::Unknown,
    };
    while let Some(chunk) = reader.next_chunk()? {
        match (&mut builder, &chunk) {
            (Builder::Dem(builder), Chunk::Dem(chunk)) => {
                let diagnostic = builder.chunk(chunk);
                faults.note(name, builder.time(), diagnostic);
            }
            (Builder::QuakeWorld(builder), Chunk::Qwd(chunk)) => {
                let diagnostic = builder.chunk(chunk);
                faults.note(name, builder.time(), diagnostic);
            }
            (Builder::QuakeWorld(builder), Chunk::Mvd(chunk)) => {
                let diagnostic = builder.record(chunk);
                faults.note(name, builder.time(), diagnostic);
            }
            (Builder::Dm2(builder), Chunk::Dm2(chunk)) => {
                let diagnostic = builder.chunk(chunk);
                faults.note(name, builder.time(), diagnostic);
            }
            (Builder::Mvd2(builder), Chunk::Mvd2(chunk)) => {
                let diagnostic = builder.chunk(chunk);
                faults.note(name, builder.time(), diagnostic);
            }
            (Builder::Dm3(builder), Chunk::Dm3(chunk)) => {
                let diagnostic = builder.chunk(chunk);
                faults.note(name, builder.time().map(Moment::Milliseconds), diagnostic);
            }
            _ => faults.not_a_demo(name, &detected),
        }
    }
    let facts = match builder {
        Builder::Dem(builder) => Facts::Dem(Box::new(builder.finish())),
        Builder::QuakeWorld(builder) => Facts::QuakeWorld(Box::new(builder.finish())),
        Builder::Dm2(builder) => Facts::Dm2(Box::new(builder.finish())),
        Builder::Mvd2(builder) => Facts::Mvd2(Box::new(builder.finish())),
        Builder::Dm3(builder) => {
            let facts = builder.finish();
            if let Some(missing) = dm3::Dm3::missing_end(reader.offset()).filter(|_| !facts.ends_cleanly) {
                faults.add_unless_cut(name, missing);
            }
            Facts::Dm3(Box::new(facts))
        }
        Builder::Unknown => Facts::Unknown,
    };
    Ok(Info { detected, bytes: reader.offset(), facts, faults })
}

/// Gathers facts by format.
enum Builder {
    Dem(Box<dem::InfoBuilder>),
    QuakeWorld(Box<qwd::InfoBuilder>),
    Dm2(Box<dm2::InfoBuilder>),
    Mvd2(Box<mvd2::InfoBuilder>),
    Dm3(Box<dm3::InfoBuilder>),
    Unknown,
}
