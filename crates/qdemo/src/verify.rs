//! Checking that the model is exact: every block is decoded to messages, encoded from them alone, and compared.

use std::io::Read;

use crate::detect::{Detected, Format};
use crate::dialect::Dialect;
use crate::error::{Kind, Result};
use crate::faults::Faults;
use crate::format::dem;
use crate::limits::Limits;
use crate::stream::{Piece, Pieces};
use crate::wire::{Fault, What, Writer};

/// What [`verify`] found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// What the file was taken for.
    pub detected: Detected,
    /// Dialect at the end of the file.
    pub dialect: Dialect,
    /// Blocks.
    pub blocks: u64,
    /// Messages, unknown ones not counted.
    pub messages: u64,
    /// Bytes in the file.
    pub bytes: u64,
    /// Bytes that no declared message or header covers: they are kept as they are, without a meaning.
    pub uncovered: u64,
    /// Pieces whose bytes encoded from the model differ from those in the file.
    pub different: u64,
    /// Faults found, those of differing pieces included.
    pub faults: Faults,
    /// True when the last block is the lone `disconnect` of a cleanly stopped recording.
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
/// let demo: &[u8] = include_bytes!("../../../testdata/clip.dem");
/// let report = qdemo::verify::verify(demo, "clip.dem", qdemo::Limits::default())?;
/// assert!(report.is_sound());
/// assert_eq!(report.bytes, demo.len() as u64);
/// # Ok(()) }
/// ```
pub fn verify(input: impl Read, name: &str, limits: Limits) -> Result<Report> {
    let mut pieces = Pieces::new(input, name, limits)?;
    let detected = pieces.detected().clone();
    let mut decoder = dem::Decoder::default();
    let mut report = Report {
        dialect: decoder.dialect(),
        detected,
        blocks: 0,
        messages: 0,
        bytes: 0,
        uncovered: 0,
        different: 0,
        faults: Faults::default(),
        ends_cleanly: false,
    };
    let mut w = Writer::default();
    loop {
        let offset = pieces.offset();
        let Some(piece) = pieces.next_piece()? else { break };
        let Piece::Dem(piece) = piece else {
            if let Piece::Unknown(stray) = piece {
                report.faults.not_a_demo(name, &report.detected);
                report.uncovered += stray.bytes.len() as u64;
                report.bytes += stray.bytes.len() as u64;
            }
            continue;
        };
        w.clear();
        report.faults.see(&piece);
        let written = match &piece {
            dem::Piece::Track(track) => {
                w.bytes(track.bytes);
                Ok(())
            }
            dem::Piece::Stray(stray) => {
                w.bytes(stray.bytes);
                report.uncovered += stray.bytes.len() as u64;
                report.faults.add(name, stray.why.clone(), Vec::new(), stray.offset);
                Ok(())
            }
            dem::Piece::Block(block) => report.block(name, block, &mut decoder, &mut w),
        };
        let same = written.is_ok() && w.as_slice() == pieces.raw();
        report.bytes += pieces.raw().len() as u64;
        if !same {
            report.different += 1;
            let first = w.as_slice().iter().zip(pieces.raw()).position(|(a, b)| a != b);
            let at = first.unwrap_or(w.len().min(pieces.raw().len()));
            let what = What::Malformed("the model gives other bytes than the file has");
            let fault = written.err().unwrap_or(Fault::new(what, at));
            report.faults.add(name, fault, Vec::new(), offset + at as u64);
        }
    }
    report.dialect = decoder.dialect();
    Ok(report)
}

impl Report {
    /// Decodes a block, and encodes it from its messages alone.
    fn block(
        &mut self,
        name: &str,
        block: &dem::Block<'_>,
        decoder: &mut dem::Decoder,
        w: &mut Writer,
    ) -> std::result::Result<(), Fault> {
        self.blocks += 1;
        self.ends_cleanly = block.payload == [2] && !block.is_cut();
        // Messages have 7 bytes on average; growing by doubling would copy most of them twice.
        let mut messages = Vec::with_capacity(block.payload.len() / 6 + 1);
        let broken = decoder.read(block, &mut messages);
        self.messages += messages.iter().filter(|m| m.kind().is_some()).count() as u64;
        if let Some(broken) = broken {
            self.uncovered += (block.payload.len() - broken.at) as u64;
            let offset = block.payload_offset() + broken.at as u64;
            self.faults.add(name, broken.fault, broken.after, offset);
        } else if block.is_cut() {
            let what = What::Truncated { needed: block.size as usize, available: block.payload.len() };
            self.faults.add(name, Fault::new(what, 0), Vec::new(), block.offset);
        }
        let size = block.is_cut().then_some(block.size);
        dem::write_block(size, block.camera, &messages, &mut decoder.before(), w)
    }
}

impl Report {
    /// The report as JSON, with the keys that `qdemo verify --json` documents.
    pub fn to_json(&self, file: &str) -> serde_json::Value {
        let faults: Vec<_> = self.faults.iter().map(fault_json).collect();
        serde_json::json!({
            "file": file,
            "format": self.detected.format.name(),
            "protocol": self.dialect.protocol,
            "dialect": self.dialect.name,
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

/// A fault as JSON: `what`, `offset`, `block`, `time`, `message`, `field`, `advice`.
pub(crate) fn fault_json(e: &crate::Error) -> serde_json::Value {
    let kind = match &e.kind {
        Kind::Truncated { .. } => "truncated",
        Kind::UnknownMessage(_) => "unknown_message",
        Kind::Unsupported(_) => "unsupported",
        Kind::Limit { .. } => "limit",
        Kind::Malformed(_) => "malformed",
        Kind::NotADemo(_) => "not_a_demo",
        _ => "other",
    };
    serde_json::json!({
        "kind": kind,
        "what": e.kind.to_string(),
        "offset": e.place.offset,
        "block": e.place.block,
        "time": crate::info::decimal(e.place.time),
        "message": e.place.message,
        "field": e.place.field,
        "advice": e.advice(),
    })
}
