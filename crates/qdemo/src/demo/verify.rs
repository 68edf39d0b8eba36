//! Checking that the model is exact: every block is decoded to messages, encoded from them alone, and compared.

use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;

use super::detect::{Detected, format};
use super::{Chunk, FileKind, Listed, Part, Reader, with_format};
use crate::demo::{Ending, Faults};
use crate::divide::{Divisible, divide};
use crate::error::Result;
use crate::format::{AnyDialect, Decoder, Format};
use crate::frame::{self, Diagnostic};
use crate::json::row;
use crate::limits::Limits;
use crate::wire::{ByteWriter, Fault, FaultKind};

row! {
    /// What [`verify`] found.
    #[derive(Debug, PartialEq)]
    #[schemars(rename = "VerifyReport")]
    #[non_exhaustive]
    pub struct Report {
        /// What the file was taken for.
        #[serde(rename = "format", serialize_with = "format")]
        #[schemars(with = "FileKind")]
        pub detected: Detected,
        /// Protocol number at the end of the file; 0 when there is none.
        pub protocol: i32,
        /// Name of the dialect at the end of the file.
        pub dialect: &'static str,
        /// Blocks.
        pub blocks: u64,
        /// Messages, unknown ones not counted.
        pub messages: u64,
        /// Bytes in the file.
        pub bytes: u64,
        /// Bytes that no declared message or header covers: they are kept as they are, without a meaning.
        pub uncovered: u64,
        /// Chunks whose bytes encoded from the model differ from those in the file.
        pub different: u64,
        /// Faults found, those of differing chunks included.
        #[serde(flatten)]
        pub faults: Faults,
        /// True when the file ends as a cleanly stopped recording does: with the lone `disconnect` of Quake, with the end
        /// mark of Quake III.
        pub ends_cleanly: bool,
    }
    |report| -> Verdict {
        Verdict { exact: report.is_exact(), sound: report.is_sound(), covered: report.covered() }
    }
}

/// What follows from the numbers of a report.
#[derive(Serialize, JsonSchema)]
struct Verdict {
    /// True when the model covers every byte and gives each of them back.
    exact: bool,
    /// True when the file is a demo, exact, and nothing in it is damaged or cut short.
    sound: bool,
    /// Bytes that the model covers.
    covered: u64,
}

impl Report {
    /// True when the model covers every byte and gives each of them back.
    pub fn is_exact(&self) -> bool {
        self.uncovered == 0 && self.different == 0
    }

    /// True when the file is a demo, exact, and nothing in it is damaged or cut short.
    pub fn is_sound(&self) -> bool {
        self.is_exact() && self.faults.is_empty() && self.detected.kind != FileKind::Unknown
    }

    /// Bytes that the model covers.
    pub fn covered(&self) -> u64 {
        self.bytes - self.uncovered
    }
}

/// Verifies a demo with memory for a few blocks.
///
/// # Errors
/// Whatever reading gives. A fault in the demo is part of the [`Report`].
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/clip.dem")?[..];
/// let report = qdemo::verify::verify(demo, "clip.dem", qdemo::Limits::default())?;
/// assert!(report.is_sound());
/// assert_eq!(report.bytes, demo.len() as u64);
/// # Ok(()) }
/// ```
pub fn verify(mut input: impl Read, name: &str, limits: Limits) -> Result<Report> {
    verify_any(1, &mut input, name, limits)
}

/// [`verify`] on so many threads; the report is the same.
///
/// # Errors
/// As [`verify`].
pub fn verify_on(threads: usize, mut input: impl Read, name: &str, limits: Limits) -> Result<Report> {
    verify_any(threads, &mut input, name, limits)
}

/// [`verify`], compiled here and not again for each type of input.
fn verify_any(threads: usize, input: &mut dyn Read, name: &str, limits: Limits) -> Result<Report> {
    let mut reader = Reader::new(input, name, limits)?;
    let detected = reader.detected().clone();
    let kind = detected.kind;
    let mut report = Report::new(detected);
    with_format!(kind, F => report.read::<F>(threads, &mut reader, name)?, unknown => report.read_unknown(&mut reader, name)?);
    Ok(report)
}

/// A report on what was read, and what it takes to go on.
struct Work<'n, F: Listed> {
    name: &'n str,
    report: Report,
    decoder: Decoder<F>,
    w: ByteWriter,
    ending: Ending,
}

impl<F: Listed> Work<'_, F> {
    fn chunk(&mut self, any: &Chunk<'_>, raw: &[u8], offset: u64) {
        let Some(chunk) = F::chunk(any) else { return };
        self.w.clear();
        self.ending.chunk(self.name, any, offset, &mut self.report.faults);
        let written = self.report.write(&mut self.decoder, chunk, self.name, &mut self.w);
        self.report.compare(self.name, written, offset, &self.w, raw);
    }
}

impl<F: Listed> Divisible for Work<'_, F> {
    type Part = Part;
    type Room = ByteWriter;

    fn fork(&self, w: ByteWriter) -> Self {
        let report = Report::new(self.report.detected.clone());
        Work { name: self.name, report, decoder: self.decoder.fork(), w, ending: self.ending }
    }

    fn work(&mut self, part: &Part) -> bool {
        self.decoder.begin_part(part.msec);
        part.chunks().for_each(|(chunk, raw, offset)| self.chunk(&chunk, raw, offset));
        true
    }

    /// Faults are told with the time that is known of what was before: they are found again in order.
    fn join(&mut self, begun: &Self, done: Self) -> Option<ByteWriter> {
        if !done.report.faults.is_empty() || !self.decoder.is_same(&begun.decoder) || self.ending != begun.ending {
            return None;
        }
        let (all, more) = (&mut self.report, done.report);
        all.blocks += more.blocks;
        all.messages += more.messages;
        all.bytes += more.bytes;
        all.uncovered += more.uncovered;
        all.different += more.different;
        all.ends_cleanly = more.ends_cleanly;
        all.faults.at(more.faults.time());
        self.decoder.join(done.decoder);
        self.ending = done.ending;
        Some(done.w)
    }
}

impl Report {
    fn new(detected: Detected) -> Self {
        Report {
            protocol: 0,
            dialect: "unknown",
            detected,
            blocks: 0,
            messages: 0,
            bytes: 0,
            uncovered: 0,
            different: 0,
            faults: Faults::default(),
            ends_cleanly: false,
        }
    }

    fn read<F: Listed>(&mut self, threads: usize, reader: &mut Reader<&mut dyn Read>, name: &str) -> Result<()> {
        /// Threads work on so many bytes of a recording at a time.
        const PART: usize = 64 * 1024;
        let decoder = F::decoder(&self.detected);
        let report = Report::new(self.detected.clone());
        let mut work = Work::<F> { name, report, decoder, w: ByteWriter::default(), ending: Ending::default() };
        if threads > 1 && F::is_divisible() {
            divide(threads, &mut work, |part| reader.next_part(PART, part), |_| Ok(()))?;
        } else {
            loop {
                let offset = reader.offset();
                let Some((chunk, raw)) = reader.next_with_bytes()? else { break };
                work.chunk(&chunk, raw, offset);
            }
        }
        let Work { mut report, ending, decoder, .. } = work;
        let dialect = decoder.dialect();
        ending.finish(name, F::KIND, report.bytes, &mut report.faults);
        *self = Report { protocol: dialect.protocol(), dialect: dialect.name(), ..report };
        Ok(())
    }

    /// Writes a chunk from its model alone.
    fn write<F: Format>(
        &mut self,
        decoder: &mut Decoder<F>,
        chunk: &frame::Chunk<'_, F::Header>,
        name: &str,
        w: &mut ByteWriter,
    ) -> std::result::Result<(), Fault> {
        self.ends_cleanly = false;
        match chunk {
            frame::Chunk::Start(bytes) => w.bytes(bytes),
            frame::Chunk::Block(block) => {
                let (packet, diagnostic) = decoder.read(block);
                self.blocks += 1;
                let (decoded, uncovered) = packet.coverage();
                self.messages += decoded as u64;
                self.uncovered += uncovered as u64;
                self.ends_cleanly = F::is_last(block, &packet);
                self.faults.note(name, decoder.time(), diagnostic);
                let written = packet.write(&mut decoder.before(), w);
                decoder.recycle(packet);
                return written;
            }
            frame::Chunk::End => {
                w.bytes(F::END_MARK);
                self.ends_cleanly = true;
            }
            frame::Chunk::Trailer(bytes) => {
                w.bytes(bytes);
                self.ends_cleanly = true;
            }
            frame::Chunk::Unframed(unframed) => {
                w.bytes(unframed.bytes);
                self.uncovered += unframed.bytes.len() as u64;
                self.faults.add(name, unframed.into());
            }
        }
        Ok(())
    }

    /// Compares what the model gives with what the file has at `offset`.
    fn compare(
        &mut self,
        name: &str,
        written: std::result::Result<(), Fault>,
        offset: u64,
        w: &ByteWriter,
        raw: &[u8],
    ) {
        self.bytes += raw.len() as u64;
        if written.is_ok() && w.as_slice() == raw {
            return;
        }
        self.different += 1;
        let first = w.as_slice().iter().zip(raw).position(|(a, b)| a != b);
        let at = first.unwrap_or(w.len().min(raw.len()));
        let what = FaultKind::Malformed("the model gives other bytes than the file has");
        let fault = written.err().unwrap_or(Fault::new(what, at));
        self.faults.add(name, Diagnostic { fault, offset: offset + at as u64, block: None, after: Vec::new() });
    }

    /// A file of no format: bytes without a meaning.
    fn read_unknown(&mut self, reader: &mut Reader<&mut dyn Read>, name: &str) -> Result<()> {
        while let Some(chunk) = reader.next_chunk()? {
            let Chunk::Unknown(unframed) = chunk else { continue };
            self.faults.not_a_demo(name, &self.detected);
            self.uncovered += unframed.bytes.len() as u64;
            self.bytes += unframed.bytes.len() as u64;
        }
        Ok(())
    }
}
