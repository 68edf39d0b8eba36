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
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// How sure, 0 to 100.
    pub score: u8,
    /// Why, for people.
    pub reason: String,
    /// The protocol, where it is known before the messages are decoded.
    pub protocol: Option<i32>,
}

impl Verdict {
    /// A score, at most 100, and its reason.
    pub(crate) fn new(score: u64, reason: impl Into<String>) -> Self {
        Verdict { score: score.min(100) as u8, reason: reason.into(), protocol: None }
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
}

impl Survey {
    /// The part of blocks among all that was seen, of a score.
    pub(crate) fn share(&self, of: u64) -> u64 {
        of * self.clean / (self.blocks + self.unframed).max(1)
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
        matches!(what, Some(FaultKind::Unsupported(protocol)) if protocol.name != "unknown")
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
        let mut framer = F::Framer::new(self.limits);
        let (mut at, mut seen) = (0, Survey::default());
        while let Some(Step::Cut(cut)) = self.beginning.get(at..).map(|rest| framer.next(rest, self.at_end)) {
            match cut.chunk(self.beginning.get(at..).unwrap_or_default()) {
                Chunk::Start(bytes) => seen.start = bytes.len(),
                Chunk::Block(block) => {
                    seen.blocks += 1;
                    let (packet, diagnostic) = decoder.read(&block);
                    let sample = Sample { block: &block, packet: &packet, diagnostic: diagnostic.as_ref() };
                    seen.clean += u64::from(speaks(&sample));
                    decoder.recycle(packet);
                }
                Chunk::Unframed(_) => seen.unframed += 1,
                // Behind an end mark nothing is of interest; where there is none, the trailer may be a mistake.
                Chunk::End | Chunk::Trailer(_) if !F::END_MARK.is_empty() => break,
                Chunk::End | Chunk::Trailer(_) => {}
            }
            at += cut.len;
            if enough(&seen) {
                break;
            }
        }
        seen
    }
}
