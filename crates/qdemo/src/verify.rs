//! Checking that the model is exact: every block is decoded to messages, encoded from them alone, and compared.

use std::io::Read;

use crate::detect::{Detected, Format};
use crate::dialect::Dialect;
use crate::error::{Moment, Result};
use crate::faults::Faults;
use crate::format::{Diagnostic, Checked, dem, dm2, dm3, mvd, mvd2, qwd};
use crate::limits::Limits;
use crate::stream::{Chunk, Reader};
use crate::wire::{Fault, FaultKind, ByteWriter};

/// FaultKind [`verify`] found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// FaultKind the file was taken for.
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
    /// Reader whose bytes encoded from the model differ from those in the file.
    pub different: u64,
    /// Faults found, those of differing chunks included.
    pub faults: Faults,
    /// True when the file ends as a cleanly stopped recording does: with the lone `disconnect` of Quake, with the end
    /// mark of Quake III.
    pub ends_cleanly: bool,
}

impl Report {
    /// True when the model covers every byte and gives each of them back.
    pub fn is_exact(&self) -> bool {
        self.uncovered == 0 && self.different == 0
    }

    /// True when the file is a demo, exact, and nothing in it is damaged or cut short.
    pub fn is_sound(&self) -> bool {
        self.is_exact() && self.faults.is_empty() && self.detected.format != Format::Unknown
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
pub fn verify(input: impl Read, name: &str, limits: Limits) -> Result<Report> {
    let mut chunks = Reader::new(input, name, limits)?;
    let detected = chunks.detected().clone();
    let mut decoder = dem::Decoder::default();
    let mut boxes = dm2::Boxes::default();
    let mut dialect = match detected.format {
        Format::Mvd => Dialect::MULTIVIEW,
        Format::Dm2 => Dialect::QUAKE2,
        Format::Mvd2 => Dialect::MVD2,
        _ => Dialect::QUAKEWORLD,
    };
    let mut msec = 0i32;
    let mut clock = mvd2::FrameClock::default();
    let mut quake3 = match detected.format {
        Format::Dm3(dialect) => Some(dm3::Checker::new(dialect)),
        _ => None,
    };
    let mut report = Report {
        protocol: 0,
        dialect: "",
        detected,
        blocks: 0,
        messages: 0,
        bytes: 0,
        uncovered: 0,
        different: 0,
        faults: Faults::default(),
        ends_cleanly: false,
    };
    let mut w = ByteWriter::default();
    loop {
        let offset = chunks.offset();
        let Some(chunk) = chunks.next_chunk()? else { break };
        w.clear();
        let checked = match &chunk {
            Chunk::Dem(chunk) => dem::check(&mut decoder, chunk, &mut w),
            Chunk::Qwd(chunk) => {
                if let qwd::Chunk::Block(block) = chunk {
                    report.faults.at(Some(Moment::Seconds(block.time.get())));
                }
                qwd::check(&mut dialect, chunk, &mut w)
            }
            Chunk::Mvd(chunk) => {
                if let mvd::Chunk::Block(block) = chunk {
                    msec = msec.wrapping_add(i32::from(block.msec));
                    report.faults.at(Some(Moment::Milliseconds(msec)));
                }
                mvd::check(&mut dialect, chunk, &mut w)
            }
            Chunk::Dm2(chunk) => dm2::check(&mut dialect, &mut boxes, chunk, &mut w),
            Chunk::Mvd2(chunk) => mvd2::check(&mut dialect, &mut clock, chunk, &mut w),
            Chunk::Dm3(chunk) => {
                let Some(checker) = &mut quake3 else { continue };
                let checked = checker.check(chunk, &mut w);
                report.faults.at(checker.time.map(Moment::Milliseconds));
                checked
            }
            Chunk::Unknown(unframed) => {
                report.faults.not_a_demo(name, &report.detected);
                report.uncovered += unframed.bytes.len() as u64;
                report.bytes += unframed.bytes.len() as u64;
                continue;
            }
        };
        report.add(name, checked, offset, &w, chunks.raw());
    }
    if matches!(report.detected.format, Format::Dm3(_)) && !report.ends_cleanly {
        report.faults.add_unless_cut(name, dm3::no_end_mark(report.bytes));
    }
    (report.protocol, report.dialect) = match report.detected.format {
        Format::Dem => (decoder.dialect().protocol, decoder.dialect().name),
        Format::Qwd | Format::Mvd | Format::Dm2 | Format::Mvd2 => (dialect.protocol, dialect.name),
        Format::Dm3(dialect) => (dialect.protocol, dialect.name),
        Format::Unknown => (0, "unknown"),
    };
    Ok(report)
}

impl Report {
    /// Adds what came of one chunk: `w` is what the model gives, `raw` what the file has at `offset`.
    fn add(&mut self, name: &str, checked: Checked, offset: u64, w: &ByteWriter, raw: &[u8]) {
        self.blocks += checked.blocks;
        self.messages += checked.messages;
        self.uncovered += checked.uncovered;
        self.bytes += raw.len() as u64;
        self.ends_cleanly = checked.clean_end;
        self.faults.note(name, checked.time, checked.broken);
        if checked.written.is_ok() && w.as_slice() == raw {
            return;
        }
        self.different += 1;
        let first = w.as_slice().iter().zip(raw).position(|(a, b)| a != b);
        let at = first.unwrap_or(w.len().min(raw.len()));
        let what = FaultKind::Malformed("the model gives other bytes than the file has");
        let fault = checked.written.err().unwrap_or(Fault::new(what, at));
        self.faults.add(name, Diagnostic { fault, offset: offset + at as u64, block: None, after: Vec::new() });
    }
}

impl Report {
    /// The report as JSON, with the keys that `qdemo verify --json` documents.
    pub fn to_json(&self, file: &str) -> serde_json::Value {
        let faults: Vec<_> = self.faults.iter().map(crate::json::fault).collect();
        serde_json::json!({
            "file": file,
            "format": self.detected.format.name(),
            "protocol": self.protocol,
            "dialect": self.dialect,
            "exact": self.is_exact(),
            "sound": self.is_sound(),
            "blocks": self.blocks,
            "messages": self.messages,
            "bytes": self.bytes,
            "covered": self.covered(),
            "uncovered": self.uncovered,
            "different": self.different,
            "ends_cleanly": self.ends_cleanly,
            "fault_count": self.faults.count(),
            "faults": faults,
        })
    }
}
