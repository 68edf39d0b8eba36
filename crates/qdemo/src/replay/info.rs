//! What a demo says about itself, for all formats.

use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;

use crate::demo::detect::Detected;
use crate::demo::{AnyVisitor, Chunk, Ending, Faults, FileKind, Listed, Reader};
use crate::error::{Moment, Result};
use crate::format::Format;
use crate::format::dem::Dem;
use crate::format::dm2::Dm2;
use crate::format::dm3::{self, Dialect};
use crate::format::mvd::Mvd;
use crate::format::mvd2::Mvd2;
use crate::format::qwd::Qwd;
use crate::frame::Diagnostic;
use crate::game::quake2::{self, multiview};
use crate::game::{quake, quake3, quakeworld};
use crate::json::{Nothing, row};
use crate::limits::Limits;
use crate::replay::World;

row! {
    /// What a demo says about itself.
    #[derive(Debug, PartialEq)]
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
    |info| -> Kind { Kind { format: info.detected.kind } }
}

/// What a file is.
#[derive(Serialize, JsonSchema)]
struct Kind {
    /// The format of the recording.
    format: FileKind,
}

/// Facts by format.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Facts {
    /// Quake. Boxed: the largest of the formats' facts would make all of them large.
    Dem(Box<quake::info::Info>),
    /// QuakeWorld, `.qwd` and `.mvd`.
    QuakeWorld(Box<quakeworld::info::Info>),
    /// Quake II.
    Dm2(Box<quake2::info::Info>),
    /// Quake II, multi-view.
    Mvd2(Box<multiview::info::Info>),
    /// Quake III.
    Dm3(Box<quake3::info::Info>),
    /// No format that qdemo knows.
    #[schemars(with = "Nothing")]
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
/// let info = qdemo::replay::info::info(demo, "clip.dem", qdemo::Limits::default())?;
/// // As `qdemo info --json` has it.
/// let json = serde_json::to_value(&info).expect("facts are JSON");
/// assert_eq!(json["levels"][0]["map"], "start");
/// let qdemo::replay::info::Facts::Dem(facts) = info.facts else { panic!() };
/// assert_eq!(facts.levels[0].map, "start");
/// assert_eq!(facts.dialect.protocol, 999);
/// # Ok(()) }
/// ```
pub fn info(mut input: impl Read, name: &str, limits: Limits) -> Result<Info> {
    gather(&mut input, name, limits, Builder::new)
}

/// The same, but in Quake III demos texts and clocks alone are read: messages are not counted, nothing is told of
/// matches and of whom the recorder saw through, and damage in snapshots is not seen: [`info`] counts those that are read
/// as a whole, this one all that have a time. That is several times as fast.
/// Demos of other games are read in whole.
///
/// # Errors
/// As [`info`].
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let info = qdemo::replay::info::quick(demo, "oa-dm4.dm_71", qdemo::Limits::default())?;
/// let qdemo::replay::info::Facts::Dm3(facts) = info.facts else { panic!() };
/// assert_eq!((facts.levels[0].map.as_str(), facts.levels[0].length(), facts.whole), ("oa_dm4", Some(42_050), false));
/// # Ok(()) }
/// ```
pub fn quick(mut input: impl Read, name: &str, limits: Limits) -> Result<Info> {
    gather(&mut input, name, limits, Builder::quick)
}

/// Compiled here, and not again for each type of input.
fn gather(input: &mut dyn Read, name: &str, limits: Limits, builder: fn(&Detected) -> Builder) -> Result<Info> {
    let mut reader = Reader::new(input, name, limits)?;
    let detected = reader.detected().clone();
    let mut faults = Faults::default();
    let mut builder = builder(&detected);
    let mut ending = Ending::default();
    loop {
        let offset = reader.offset();
        let Some(chunk) = reader.next_chunk()? else { break };
        ending.chunk(name, &chunk, offset, &mut faults);
        if let Chunk::Unknown(_) = chunk {
            faults.not_a_demo(name, &detected);
            continue;
        }
        let diagnostic = builder.chunk(&chunk);
        faults.note(name, builder.time(), diagnostic);
    }
    ending.finish(name, detected.kind, reader.offset(), &mut faults);
    Ok(Info { detected, bytes: reader.offset(), facts: builder.finish(), faults })
}

/// Gathers the facts of a recording chunk by chunk, for programs that read it themselves.
#[derive(Debug)]
pub struct Builder(Games);

#[derive(Debug)]
enum Games {
    Dem(Box<quake::info::InfoBuilder>),
    QuakeWorld(Box<quakeworld::info::InfoBuilder>),
    Dm2(Box<quake2::info::InfoBuilder>),
    Mvd2(Box<multiview::info::InfoBuilder>),
    Dm3(Box<quake3::info::InfoBuilder>),
    Unknown,
}

impl Builder {
    /// Before the first chunk.
    pub fn new(detected: &Detected) -> Self {
        Self::with(detected, quake3::info::InfoBuilder::new)
    }

    /// One that gathers what [`quick`] tells.
    pub fn quick(detected: &Detected) -> Self {
        Self::with(detected, quake3::info::InfoBuilder::quick)
    }

    fn with(detected: &Detected, quake3: fn(Dialect) -> quake3::info::InfoBuilder) -> Self {
        Builder(match detected.kind {
            FileKind::Dem => Games::Dem(Box::new(quake::info::InfoBuilder::default().reading(Dem::decoder(detected)))),
            FileKind::Qwd => {
                let builder = quakeworld::info::InfoBuilder::new(false);
                Games::QuakeWorld(Box::new(builder.reading_packets(Qwd::decoder(detected))))
            }
            FileKind::Mvd => {
                let builder = quakeworld::info::InfoBuilder::new(true);
                Games::QuakeWorld(Box::new(builder.reading_records(Mvd::decoder(detected))))
            }
            FileKind::Dm2 => Games::Dm2(Box::new(quake2::info::InfoBuilder::default().reading(Dm2::decoder(detected)))),
            FileKind::Mvd2 => {
                Games::Mvd2(Box::new(multiview::info::InfoBuilder::default().reading(Mvd2::decoder(detected))))
            }
            FileKind::Dm3 => Games::Dm3(Box::new(quake3(dm3::Dm3::first_dialect(detected.protocol)))),
            FileKind::Unknown => Games::Unknown,
        })
    }

    /// Takes in a chunk. Gives the fault in it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Option<Diagnostic> {
        match (&mut self.0, chunk) {
            (Games::Dem(builder), Chunk::Dem(chunk)) => builder.chunk(chunk),
            (Games::QuakeWorld(builder), Chunk::Qwd(chunk)) => builder.chunk(chunk),
            (Games::QuakeWorld(builder), Chunk::Mvd(chunk)) => builder.record(chunk),
            (Games::Dm2(builder), Chunk::Dm2(chunk)) => builder.chunk(chunk),
            (Games::Mvd2(builder), Chunk::Mvd2(chunk)) => builder.chunk(chunk),
            (Games::Dm3(builder), Chunk::Dm3(chunk)) => builder.chunk(chunk),
            // A chunk of another recording says nothing about this one.
            _ => None,
        }
    }

    /// Who is to see the messages of the next chunk, where somebody else reads them; then [`Builder::seen`] takes it in.
    pub fn visitor(&mut self) -> Option<AnyVisitor<'_>> {
        Some(match &mut self.0 {
            Games::Dem(builder) => AnyVisitor::Dem(&mut **builder),
            Games::QuakeWorld(builder) => match builder.is_multiview() {
                true => AnyVisitor::Mvd(&mut **builder),
                false => AnyVisitor::Qwd(&mut **builder),
            },
            Games::Dm2(builder) => AnyVisitor::Dm2(&mut **builder),
            Games::Mvd2(builder) => AnyVisitor::Mvd2(&mut **builder),
            Games::Dm3(builder) => AnyVisitor::Dm3(&mut **builder),
            Games::Unknown => return None,
        })
    }

    /// Takes in a chunk whose messages it has seen as the world of the recording took them in.
    pub fn seen(&mut self, chunk: &Chunk<'_>, world: &World) {
        match (&mut self.0, chunk, world) {
            (Games::Dem(builder), Chunk::Dem(chunk), World::Dem(world)) => builder.seen(chunk, world.dialect()),
            (Games::QuakeWorld(builder), Chunk::Qwd(chunk), World::QuakeWorld(world)) => {
                builder.seen(chunk, world.dialect())
            }
            (Games::QuakeWorld(builder), Chunk::Mvd(chunk), World::QuakeWorld(world)) => {
                builder.seen(chunk, world.dialect())
            }
            (Games::Dm2(builder), Chunk::Dm2(chunk), World::Dm2(world)) => builder.seen(chunk, world.dialect()),
            (Games::Mvd2(builder), Chunk::Mvd2(chunk), World::Mvd2(world)) => builder.seen(chunk, world.dialect()),
            (Games::Dm3(builder), Chunk::Dm3(chunk), World::Dm3(_)) => builder.seen(chunk),
            // A chunk of another recording says nothing about this one.
            _ => None,
        };
    }

    /// The time after the last chunk.
    pub fn time(&self) -> Option<Moment> {
        match &self.0 {
            Games::Dem(builder) => builder.time(),
            Games::QuakeWorld(builder) => builder.time(),
            Games::Dm2(builder) => builder.time(),
            Games::Mvd2(builder) => builder.time(),
            Games::Dm3(builder) => builder.time().map(Moment::Milliseconds),
            Games::Unknown => None,
        }
    }

    /// The facts, at the end.
    pub fn finish(self) -> Facts {
        match self.0 {
            Games::Dem(builder) => Facts::Dem(Box::new(builder.finish())),
            Games::QuakeWorld(builder) => Facts::QuakeWorld(Box::new(builder.finish())),
            Games::Dm2(builder) => Facts::Dm2(Box::new(builder.finish())),
            Games::Mvd2(builder) => Facts::Mvd2(Box::new(builder.finish())),
            Games::Dm3(builder) => Facts::Dm3(Box::new(builder.finish())),
            Games::Unknown => Facts::Unknown,
        }
    }
}
