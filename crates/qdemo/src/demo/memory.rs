//! Recordings in memory: to be held, changed and written.

use std::io::Write;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::detect::{Detected, detect};
use super::{Cursor, Listed};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{BlockOf, Decoder, DialectOf, Packet};
use crate::frame::{Block, Diagnostic};
use crate::limits::Limits;
use crate::wire::{ByteWriter, Fault};

/// A recording of one format in memory. Its blocks stay bytes until they are changed: what nobody touches is written as
/// it was read, byte for byte.
///
/// ```
/// use qdemo::demo::Recording;
/// use qdemo::format::dem::{Dem, Message};
/// # fn main() -> qdemo::Result<()> {
/// let bytes = std::fs::read("../../testdata/clip.dem")?;
/// let mut demo = Recording::<Dem>::read(bytes.to_vec(), "clip.dem")?;
/// assert_eq!(demo.to_bytes()?, bytes);
/// let prints = demo.edit(|packet| {
///     let before = packet.messages.len();
///     packet.messages.retain(|message| !matches!(message, Message::Print(_)));
///     packet.messages.len() != before
/// });
/// assert!(prints > 0 && demo.to_bytes()?.len() < bytes.len());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Recording<F: Listed> {
    name: String,
    detected: Detected,
    /// What was read.
    bytes: Vec<u8>,
    parts: Vec<Part<F>>,
    checkpoints: Checkpoints<F>,
}

/// Decoders in front of some parts, up to the last one that was asked for.
#[derive(Debug)]
struct Checkpoints<F: Listed>(Mutex<Vec<(usize, Decoder<F>)>>);

impl<F: Listed> Checkpoints<F> {
    /// Parts between two of them.
    const SPACING: usize = 256;

    fn known(&self) -> MutexGuard<'_, Vec<(usize, Decoder<F>)>> {
        // What stands in it holds whatever became of who wrote it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part was changed: what was found behind it holds no more.
    fn touched(&self, part: usize) {
        let mut known = self.known();
        let kept = known.partition_point(|(at, _)| *at <= part);
        known.truncate(kept);
    }
}

impl<F: Listed> Default for Checkpoints<F> {
    fn default() -> Self {
        Checkpoints(Mutex::default())
    }
}

impl<F: Listed> Clone for Checkpoints<F> {
    fn clone(&self) -> Self {
        Checkpoints(Mutex::new(self.known().clone()))
    }
}

/// A part of a recording.
#[derive(Debug, Clone)]
enum Part<F: Listed> {
    /// A block as it was read, with its number.
    Block(Range<usize>, u64),
    /// Other bytes as they were read: what stands in front, damage, an end mark, a trailer.
    Bytes(Range<usize>),
    /// A packet that was changed or added, and the dialect to write it with unless a packet just before it leads to another one.
    Packet(Box<Packet<'static, F>>, DialectOf<F>),
    /// Other bytes that were added.
    Added(Vec<u8>),
}

impl<F: Listed> Recording<F> {
    /// An empty recording. A protocol is named for Quake III alone: of other games the messages tell it.
    pub fn new(protocol: Option<i32>) -> Self {
        let detected = Detected {
            kind: F::KIND,
            protocol,
            score: 100,
            reason: "made by a program".to_owned(),
            name_disagrees: false,
            introduction: None,
            open: false,
        };
        // The name tells the protocol, where it can.
        let name = match (F::NUMBERED, protocol) {
            (Some(numbered), Some(protocol)) => format!("made.{numbered}{protocol}"),
            _ => format!("made.{}", F::NAME),
        };
        Recording { name, detected, bytes: Vec::new(), parts: Vec::new(), checkpoints: Checkpoints::default() }
    }

    /// A recording from the bytes of a file. `name` decides only when the content does not.
    ///
    /// # Errors
    /// A file of another format, or of none.
    pub fn read(bytes: Vec<u8>, name: &str) -> Result<Self> {
        let limits = Limits::default();
        let detected = detect(&bytes, true, name, limits);
        if detected.kind != F::KIND {
            let what = format!("it is no .{}: {}", F::NAME, detected.reason);
            return Err(Error::new(ErrorKind::NotADemo(what)).in_file(name));
        }
        Ok(Self::from_detected(bytes, name, detected, limits))
    }

    pub(super) fn from_detected(bytes: Vec<u8>, name: &str, detected: Detected, limits: Limits) -> Self {
        let mut cursor = Cursor::new(detected.kind, limits);
        let mut parts = Vec::new();
        let mut start = 0;
        while let Some(chunk) = cursor.next(&bytes) {
            let range = start..cursor.offset();
            start = range.end;
            parts.push(match chunk.block() {
                Some((index, _)) => Part::Block(range, index),
                None => Part::Bytes(range),
            });
        }
        Recording { name: name.to_owned(), detected, bytes, parts, checkpoints: Checkpoints::default() }
    }

    /// The name that it was read under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file as it was read; `None` when something was changed since.
    pub fn as_read(&self) -> Option<&[u8]> {
        let parts = self.parts.iter().map(|part| match part {
            Part::Block(range, _) | Part::Bytes(range) => range.len(),
            Part::Packet(..) | Part::Added(_) => usize::MAX,
        });
        let read = parts.fold(0, usize::saturating_add);
        (read == self.bytes.len()).then_some(&self.bytes)
    }

    /// What the file was taken for, and why.
    pub fn detected(&self) -> &Detected {
        &self.detected
    }

    /// How many parts there are: blocks, and the runs of other bytes in front, between and behind.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True for a recording of nothing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The packets in order, each with the number of its part. What could not be decoded is the last message of a packet.
    pub fn packets(&self) -> Packets<'_, F> {
        Packets { recording: self, part: 0, decoder: F::decoder(&self.detected), diagnostic: None }
    }

    /// The packet at a part; `None` for a part that is no block.
    pub fn packet(&self, part: usize) -> Option<Packet<'_, F>> {
        self.packets_from(part).next().filter(|(found, _)| *found == part).map(|(_, packet)| packet)
    }

    /// The packets from a part on.
    pub fn packets_from(&self, part: usize) -> Packets<'_, F> {
        let mut known = self.checkpoints.known();
        let before = known.partition_point(|(at, _)| *at <= part);
        let mut packets = match before.checked_sub(1).and_then(|n| known.get(n)) {
            Some((at, decoder)) => Packets { recording: self, part: *at, decoder: decoder.clone(), diagnostic: None },
            None => self.packets(),
        };
        while packets.part < part {
            if known.last().is_none_or(|(at, _)| packets.part >= at + Checkpoints::<F>::SPACING) {
                known.push((packets.part, packets.decoder.clone()));
            }
            if packets.step().is_none() {
                break;
            }
        }
        packets
    }

    /// Shows every packet, in order, to a function that may change it and says whether it did. Gives how many were changed.
    pub fn edit(&mut self, mut change: impl FnMut(&mut Packet<'_, F>) -> bool) -> usize {
        let mut changed = Vec::new();
        let mut packets = self.packets();
        while let Some((part, mut packet)) = packets.next() {
            let dialect = packets.decoder.before();
            if change(&mut packet) {
                changed.push((part, packet.into_owned(), dialect));
            }
        }
        let (count, first) = (changed.len(), changed.first().map(|(part, ..)| *part));
        for (part, packet, dialect) in changed {
            if let Some(slot) = self.parts.get_mut(part) {
                *slot = Part::Packet(Box::new(packet), dialect);
            }
        }
        self.checkpoints.touched(first.unwrap_or(self.parts.len()));
        count
    }

    /// Shows every message, in order, to a function that may change it and says whether it did. Gives how many were
    /// changed.
    pub fn edit_messages(&mut self, mut change: impl FnMut(&mut F::Message<'_>) -> bool) -> usize {
        let mut all = 0;
        self.edit(|packet| {
            let before = all;
            all += packet.messages.iter_mut().map(|message| usize::from(change(message))).sum::<usize>();
            all > before
        });
        all
    }

    /// Puts a packet in the place of a part, and gives whether there was one. In ascending order all of them take as long as one
    /// reading; otherwise each may, and [`Recording::edit`] is the way to change many.
    pub fn replace(&mut self, part: usize, packet: Packet<'_, F>) -> bool {
        let dialect = self.dialect_at(part);
        let Some(slot) = self.parts.get_mut(part) else { return false };
        *slot = Part::Packet(Box::new(packet.into_owned()), dialect);
        self.checkpoints.touched(part);
        true
    }

    /// Puts a packet in front of a part, at most behind the last. As with [`Recording::replace`] go in ascending order.
    pub fn insert(&mut self, part: usize, packet: Packet<'_, F>) {
        let part = part.min(self.parts.len());
        let dialect = self.dialect_at(part);
        self.parts.insert(part, Part::Packet(Box::new(packet.into_owned()), dialect));
        self.checkpoints.touched(part);
    }

    /// Adds a packet at the end.
    pub fn push(&mut self, packet: Packet<'_, F>) {
        // Whatever the packet before leads to is found when it is written.
        let dialect = match self.parts.last() {
            None | Some(Part::Packet(..)) => F::decoder(&self.detected).dialect(),
            Some(_) => self.dialect_at(self.parts.len()),
        };
        self.push_in(packet, dialect);
    }

    /// Adds a packet at the end that is in a dialect which nothing in front of it tells, such as another reading of its
    /// protocol. Where a packet that was added or changed stands just before, its dialect holds.
    pub fn push_in(&mut self, packet: Packet<'_, F>, dialect: DialectOf<F>) {
        self.checkpoints.touched(self.parts.len());
        self.parts.push(Part::Packet(Box::new(packet.into_owned()), dialect));
    }

    /// Adds bytes at the end: the CD track line of Quake, an end mark ([`Format::END_MARK`](crate::format::Format::END_MARK)).
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.checkpoints.touched(self.parts.len());
        self.parts.push(Part::Added(bytes.to_vec()));
    }

    /// Takes out parts.
    pub fn remove(&mut self, parts: Range<usize>) {
        let end = parts.end.min(self.parts.len());
        let start = parts.start.min(end);
        self.parts.drain(start..end);
        self.checkpoints.touched(start);
    }

    /// The dialect that a packet at a part is in.
    pub fn dialect_at(&self, part: usize) -> DialectOf<F> {
        match self.parts.get(part) {
            Some(Part::Packet(_, dialect)) if !self.is_behind_a_packet(part) => *dialect,
            _ => self.packets_from(part).decoder.dialect(),
        }
    }

    /// True when the block in front of a part is a packet that was changed or added: the dialect is what that leads to.
    fn is_behind_a_packet(&self, part: usize) -> bool {
        let before = self.parts.get(..part).unwrap_or(&self.parts).iter().rev();
        let mut blocks = before.filter(|part| !matches!(part, Part::Bytes(_) | Part::Added(_)));
        matches!(blocks.next(), Some(Part::Packet(..)))
    }

    /// The block at a part that was read.
    fn block(&self, part: &Part<F>) -> Option<BlockOf<'_, F>> {
        let Part::Block(range, index) = part else { return None };
        Block::of_bytes(self.bytes.get(range.clone())?, *index, range.start as u64)
    }

    /// The file: what was not touched as it was read, the rest from its model.
    ///
    /// # Errors
    /// A packet that its dialect cannot write: the error tells which block it would have been, which message and field.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes.len());
        self.write_to(&mut out)?;
        Ok(out)
    }

    /// Writes the file: see [`Recording::to_bytes`].
    ///
    /// # Errors
    /// A packet that its dialect cannot write, and whatever writing gives.
    pub fn write_to(&self, mut out: impl Write) -> Result<()> {
        let mut w = ByteWriter::default();
        // What the packet just before leads to.
        let mut carried = None;
        let mut blocks = 0;
        for part in &self.parts {
            match part {
                Part::Block(range, _) => {
                    out.write_all(self.bytes.get(range.clone()).unwrap_or_default())?;
                    (carried, blocks) = (None, blocks + 1);
                }
                Part::Bytes(range) => out.write_all(self.bytes.get(range.clone()).unwrap_or_default())?,
                Part::Added(bytes) => out.write_all(bytes)?,
                Part::Packet(packet, dialect) => {
                    w.clear();
                    let mut dialect = carried.unwrap_or(*dialect);
                    packet.write(&mut dialect, &mut w).map_err(|fault| in_block(fault, blocks))?;
                    out.write_all(w.as_slice())?;
                    (carried, blocks) = (Some(dialect), blocks + 1);
                }
            }
        }
        out.flush()?;
        Ok(())
    }
}

fn in_block(fault: Fault, block: u64) -> Error {
    let mut error = Error::from(fault);
    error.place.block = Some(block);
    error
}

/// The packets of a [`Recording`], in order, each with the number of its part.
#[derive(Debug)]
pub struct Packets<'r, F: Listed> {
    recording: &'r Recording<F>,
    part: usize,
    decoder: Decoder<F>,
    diagnostic: Option<Diagnostic>,
}

impl<F: Listed> Packets<'_, F> {
    /// What is wrong with the packet given last.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        self.diagnostic.as_ref()
    }

    /// What has read the packet given last: its dialect, its time.
    pub fn decoder(&self) -> &Decoder<F> {
        &self.decoder
    }
}

impl<'r, F: Listed> Packets<'r, F> {
    /// Goes on by one part: its packet, if it has one. `None` behind the last.
    fn step(&mut self) -> Option<Option<Packet<'r, F>>> {
        let (at, part) = (self.part, self.recording.parts.get(self.part)?);
        self.part += 1;
        Some(match part {
            Part::Block(..) => self.recording.block(part).map(|block| {
                let (packet, diagnostic) = self.decoder.read(&block);
                self.diagnostic = diagnostic;
                packet
            }),
            Part::Packet(packet, dialect) => {
                let dialect = if self.recording.is_behind_a_packet(at) { self.decoder.dialect() } else { *dialect };
                self.diagnostic = None;
                self.decoder.follow_in(packet, dialect);
                Some(F::shorten(Packet::clone(packet)))
            }
            Part::Bytes(_) | Part::Added(_) => None,
        })
    }
}

impl<'r, F: Listed> Iterator for Packets<'r, F> {
    type Item = (usize, Packet<'r, F>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = self.part;
            if let Some(packet) = self.step()? {
                return Some((at, packet));
            }
        }
    }
}
