//! Telling a format by the beginning of a file.

use std::ops::Range;

use super::{AnyDialect, BlockOf, ChunkOf, Decoder, Format, Framed, Introduction, MessageSet, Packet, Trial};
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
    /// What stands for the first introduction, where that is damaged and the blocks behind it show what it was.
    pub(crate) introduction: Option<Introduction>,
    /// More of the file may show that.
    pub(crate) open: bool,
}

impl Verdict {
    /// A score, at most 100, and its reason.
    pub(crate) fn new(score: u64, reason: impl Into<String>) -> Self {
        Verdict { score: score.min(100) as u8, reason: reason.into(), explained: 100, ..Verdict::default() }
    }

    /// The same, of what was seen.
    pub(crate) fn of(self, seen: &Survey) -> Self {
        Verdict { explained: seen.explained(100) as u8, ..self }
    }

    /// The same, with what stands for a damaged introduction.
    pub(crate) fn assuming(self, assumed: Assumed) -> Self {
        let reason = match assumed.reason {
            Some(why) => format!("{why} ({})", self.reason),
            None => self.reason,
        };
        Verdict { reason, introduction: assumed.introduction, open: assumed.open, ..self }
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
    /// What cannot be read, in front of any introduction that can.
    doubt: Option<Doubt>,
}

/// A block in which something cannot be read, while no server has introduced itself.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    /// Where it ends.
    end: usize,
    /// The protocol that it tells, if that is why.
    told: Option<i32>,
}

/// What may stand for a damaged introduction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assumed {
    introduction: Option<Introduction>,
    reason: Option<String>,
    open: bool,
}

impl Assumed {
    /// True when there is something.
    pub(crate) fn is_some(&self) -> bool {
        self.introduction.is_some()
    }
}

/// What came of reading blocks in one way.
#[derive(Default)]
struct Outcome {
    /// For each block whether it could be read.
    sound: Vec<bool>,
    /// Those among them that tell of a moment of the game.
    moments: usize,
}

/// A way to read blocks, with all that was read so.
struct Reading<'a, F: Format> {
    trial: Trial<F>,
    packets: Vec<Packet<'a, F>>,
    outcome: Outcome,
}

impl Outcome {
    /// Blocks that show how they are to be read; and those among them that tell of a moment, as what stands in front of these is
    /// much the same in all protocols.
    const LEAST: usize = 5;
    const MOMENTS: usize = 3;

    fn add<F: Format>(&mut self, packet: &Packet<'_, F>, is_sound: bool) {
        self.sound.push(is_sound);
        self.moments += usize::from(is_sound && F::tells_moment(&packet.messages));
    }

    /// Blocks that could be read.
    fn sound(&self) -> usize {
        self.sound.iter().filter(|sound| **sound).count()
    }

    /// True where nearly all could be read, in the later half too.
    fn holds(&self) -> bool {
        let (_, later) = self.sound.split_at(self.sound.len() / 2);
        self.sound.len() >= Self::LEAST && self.moments >= Self::MOMENTS && nearly_all(&self.sound) && nearly_all(later)
    }
}

/// True for nine of ten.
fn nearly_all(sound: &[bool]) -> bool {
    10 * sound.iter().filter(|sound| **sound).count() >= 9 * sound.len()
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

impl<'b> Look<'b> {
    /// Decodes the first blocks. `speaks` tells whether a block speaks for the format, `enough` whether what was seen is.
    pub(crate) fn survey<F: Framed>(
        &self,
        mut decoder: Decoder<F>,
        enough: impl Fn(&Survey) -> bool,
        mut speaks: impl FnMut(&Sample<'_, '_, F>) -> bool,
    ) -> Survey {
        let (mut seen, mut behind) = (Survey::default(), 0);
        let at = self.chunks::<F>(|chunk, range| {
            match chunk {
                Chunk::Start(bytes) => {
                    seen.start = bytes.len();
                    seen.read += bytes.len() as u64;
                }
                Chunk::Block(block) => {
                    seen.blocks += 1;
                    let introduced = decoder.is_introduced();
                    let (packet, diagnostic) = decoder.read(block);
                    if let (Some(fault), None, false) = (&diagnostic, seen.doubt, introduced) {
                        let told = match fault.fault.what {
                            FaultKind::Unsupported(protocol) => Some(protocol.number),
                            _ => None,
                        };
                        seen.doubt = (!block.is_cut()).then_some(Doubt { end: range.end, told });
                    }
                    let sample = Sample { block, packet: &packet, diagnostic: diagnostic.as_ref() };
                    if speaks(&sample) {
                        seen.clean += 1;
                        seen.read += sample.read() as u64;
                    }
                    decoder.recycle(packet);
                }
                Chunk::Unframed(_) => seen.unframed += 1,
                // Behind an end mark nothing is of interest; where there is none, the trailer may be a mistake.
                Chunk::End | Chunk::Trailer(_) => {
                    behind += range.len();
                    if !F::END_MARK.is_empty() {
                        return false;
                    }
                }
            }
            !enough(&seen)
        });
        seen.bytes = at.saturating_sub(behind) as u64;
        seen
    }

    /// What may stand for the first introduction where that cannot be believed: what a `survey` with the usual `decoder` has
    /// seen. Gives what reads a recording behind it too.
    ///
    /// All introductions that there may have been are tried on the blocks behind it. One is taken if nearly all can be read then,
    /// as they cannot be without it, and if no other one does as well. Of several those are meant whose protocol is told but for
    /// one bit: Quake II's protocol 26 can read recordings of 34, if not as they are meant. If there still are several, each of
    /// them has to read the very same messages: then the most likely is as good as any.
    pub(crate) fn assume<F: Framed>(&self, decoder: Decoder<F>, seen: &Survey) -> (Decoder<F>, Assumed) {
        let Some(doubt) = seen.doubt else { return (decoder, Assumed::default()) };
        let (mut told, mut as_told) = (decoder.clone(), Outcome::default());
        let begin = |trial| Reading { trial, packets: Vec::new(), outcome: Outcome::default() };
        let mut readings: Vec<Reading<'_, F>> = Trial::all(doubt.told).into_iter().map(begin).collect();
        self.chunks::<F>(|chunk, range| {
            let Chunk::Block(block) = chunk else { return !matches!(chunk, Chunk::End | Chunk::Trailer(_)) };
            let (packet, fault) = told.read(block);
            // What stands there without messages, or is one byte again and again, is read alike in every way.
            let is_same = block.payload.windows(2).all(|pair| pair.first() == pair.last());
            let counts = range.start >= doubt.end && !block.is_cut() && !is_same && !packet.messages.is_empty();
            if counts {
                as_told.add(&packet, fault.is_none());
            }
            for Reading { trial, packets, outcome } in &mut readings {
                let (packet, fault) = trial.read(block);
                if counts {
                    outcome.add(&packet, fault.is_none());
                    packets.push(packet);
                }
            }
            as_told.sound.len() < MOST
        });
        if as_told.holds() {
            return (decoder, Assumed::default());
        }
        let open = !self.at_end && as_told.sound.len() < MOST;
        let undecided = Assumed { open, ..Assumed::default() };
        readings.retain(|reading| reading.outcome.holds());
        let Some(most) = readings.iter().map(|reading| reading.outcome.sound()).max() else {
            return (decoder, undecided);
        };
        readings.retain(|reading| reading.outcome.sound() == most);
        let is_near = |reading: &Reading<'_, F>| {
            doubt.told.is_some_and(|told| (told ^ reading.trial.dialect.protocol()).count_ones() <= 1)
        };
        if readings.iter().any(is_near) {
            readings.retain(is_near);
        }
        let mut best = readings.into_iter();
        let Some(first) = best.next().filter(|first| best.all(|other| other.packets == first.packets)) else {
            return (decoder, undecided);
        };
        let protocol = first.trial.dialect.protocol();
        let why = match doubt.told {
            // Q2PRO's multi-view recordings have versions of it.
            Some(number) if number == protocol => {
                format!("the version of protocol {protocol} that its beginning tells is not known")
            }
            Some(number) => format!("the protocol that its beginning tells, {number}, is not known"),
            None => "its beginning cannot be read".to_owned(),
        };
        let reason = Some(format!("{why}; its blocks can be read as protocol {protocol}"));
        (first.trial.begin(), Assumed { introduction: first.trial.into_introduction(), reason, open: false })
    }

    /// Goes through the first chunks, each with its place, while the function wants more. Gives where it stopped.
    fn chunks<F: Framed>(&self, mut each: impl FnMut(&ChunkOf<'b, F>, Range<usize>) -> bool) -> usize {
        let (mut framer, mut at) = (Framer::<F::Header>::new(self.limits), 0);
        loop {
            let rest = self.beginning.get(at..).unwrap_or_default();
            let cut = match framer.next(rest, self.at_end) {
                Step::Cut(cut) => cut,
                // Something is larger than what there is of it, or no block begins in it.
                Step::More => return at + rest.len(),
                Step::End => return at,
            };
            let start = at;
            at += cut.len;
            if !each(&cut.chunk(rest), start..at) {
                return at;
            }
        }
    }
}

/// Blocks that are looked at behind a damaged introduction.
const MOST: usize = 256;
