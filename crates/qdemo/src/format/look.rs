//! Telling a format by the beginning of a file.

use super::{BlockOf, Decoder, Format, Framed, MessageSet, Packet};
use crate::frame::{Chunk, Diagnostic, Framer, Step};
use crate::limits::Limits;
use crate::wire::FaultKind;

/// What there is to look at.
#[derive(Debug, Clone, Copy)]
pub struct Look<'b> {
    /// The beginning of the file.
    pub beginning: &'b [u8],
    /// True when that is all of it.
    pub at_end: bool,
    /// True when the name of the file says that it is of this format.
    pub named: bool,
    /// The protocol that the name tells.
    pub protocol: Option<i32>,
    /// Bounds on blocks.
    pub limits: Limits,
}

/// How much a file looks like one of a format.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// How sure, 0 to 100.
    pub score: u8,
    /// Why, for people.
    pub reason: String,
    /// The protocol, where it is known before the messages are decoded.
    pub protocol: Option<i32>,
    /// How much of what was looked at is read as this format, in percent.
    pub explained: u8,
}

impl Verdict {
    /// A score, at most 100, and its reason.
    pub(crate) fn new(score: u64, reason: impl Into<String>) -> Self {
        Verdict { score: score.min(100) as u8, reason: reason.into(), protocol: None, explained: 100 }
    }

    /// The same, of what was seen.
    pub(crate) fn of(self, seen: &Survey) -> Self {
        Verdict { explained: seen.explained(100) as u8, ..self }
    }
}

/// What the first blocks are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Survey {
    /// Blocks.
    pub(crate) blocks: u64,
    /// Blocks that speak for the format.
    pub(crate) clean: u64,
    /// Runs of bytes that are none.
    pub(crate) unframed: u64,
    /// Bytes in front of all blocks.
    pub(crate) start: usize,
    /// Bytes that were looked at, and those of them that are read: blocks that speak for the format, and what is in front of all.
    pub(crate) bytes: u64,
    pub(crate) read: u64,
}

impl Survey {
    /// The part of blocks among all that was seen, of a score.
    pub(crate) fn share(&self, of: u64) -> u64 {
        of * self.clean / (self.blocks + self.unframed).max(1)
    }

    /// The part of bytes that are read among all, of a score. Some blocks in a row prove what they are, whatever follows.
    pub(crate) fn explained(&self, of: u64) -> u64 {
        const ROW: u64 = 8;
        const ENOUGH: u64 = 1_024;
        let all = if self.clean < ROW { self.bytes } else { self.bytes.min(ENOUGH) };
        of * self.read.min(all) / all.max(1)
    }

    /// The part of a score that is for blocks without anything between them: with little between them it is most of it.
    pub(crate) fn framed(&self, of: u64) -> u64 {
        if self.unframed == 0 { of } else { self.explained(of) }
    }
}

/// A block of the beginning, decoded.
pub(crate) struct Sample<'s, 'a, F: Format> {
    pub(crate) block: &'s BlockOf<'a, F>,
    pub(crate) packet: &'s Packet<'a, F>,
    diagnostic: Option<&'s Diagnostic>,
}

impl<F: Format> Sample<'_, '_, F> {
    /// True when every message of the block could be decoded.
    pub(crate) fn is_whole(&self) -> bool {
        self.packet.messages.iter().all(|message| message.kind().is_some())
    }

    /// True for a protocol that is known by name and not decoded.
    pub(crate) fn is_named_only(&self) -> bool {
        let what = self.diagnostic.map(|diagnostic| diagnostic.fault.what);
        matches!(what, Some(FaultKind::Unsupported(protocol)) if protocol.is_known())
    }

    /// Bytes of the block that are read: all of a whole one of a protocol that is known by name.
    fn read(&self) -> usize {
        let size = self.block.header_len + self.block.payload.len();
        if self.is_named_only() && !self.block.is_cut() { size } else { size.saturating_sub(self.packet.uncovered()) }
    }
}

impl Look<'_> {
    /// Decodes the first blocks. `speaks` tells whether a block speaks for the format, `enough` whether what was seen is.
    pub(crate) fn survey<F: Framed>(
        &self,
        mut decoder: Decoder<F>,
        enough: impl Fn(&Survey) -> bool,
        mut speaks: impl FnMut(&Sample<'_, '_, F>) -> bool,
    ) -> Survey {
        let mut framer = Framer::<F::Header>::new(self.limits);
        let (mut at, mut seen, mut behind) = (0, Survey::default(), 0);
        loop {
            let rest = self.beginning.get(at..).unwrap_or_default();
            let cut = match framer.next(rest, self.at_end) {
                Step::Cut(cut) => cut,
                // Something is larger than what there is of it, or no block begins in it.
                Step::More => {
                    at += rest.len();
                    break;
                }
                Step::End => break,
            };
            match cut.chunk(rest) {
                Chunk::Start(bytes) => {
                    seen.start = bytes.len();
                    seen.read += bytes.len() as u64;
                }
                Chunk::Block(block) => {
                    seen.blocks += 1;
                    let (packet, diagnostic) = decoder.read(&block);
                    let sample = Sample { block: &block, packet: &packet, diagnostic: diagnostic.as_ref() };
                    if speaks(&sample) {
                        seen.clean += 1;
                        seen.read += sample.read() as u64;
                    }
                    decoder.recycle(packet);
                }
                Chunk::Unframed(_) => seen.unframed += 1,
                // Behind an end mark nothing is of interest; where there is none, the trailer may be a mistake.
                Chunk::End | Chunk::Trailer(_) if !F::END_MARK.is_empty() => break,
                Chunk::End | Chunk::Trailer(_) => behind += cut.len,
            }
            at += cut.len;
            if enough(&seen) {
                break;
            }
        }
        seen.bytes = at.saturating_sub(behind) as u64;
        seen
    }
}
