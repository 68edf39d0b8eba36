//! What can be read of a recording, for those who write it anew: damage is not passed on.
//!
//! Of a block in which something cannot be read the messages in front of that stay, as a block of their own, but for parts
//! of what is nothing in part. Bytes that are no block are left out, and so is a block of which nothing stays.

use std::io::Read;

use super::end::{End, Last};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Listed, Reader, with_format};
use crate::error::Result;
use crate::format::dem::{self, Dem};
use crate::format::dm2::{self, Dm2};
use crate::format::dm3::{self, Dm3};
use crate::format::mvd::{self, Mvd};
use crate::format::mvd2::Mvd2;
use crate::format::qwd::{self, Qwd};
use crate::format::{BlockOf, ChunkOf, Decoder, DialectOf, Framed, MessageSet as _, Packet};
use crate::frame::{self, Diagnostic, Header as _, Rules as _};
use crate::wire::FaultKind;

/// A format of whose blocks a part can stay.
pub(crate) trait Partial: Listed + Framed {
    /// Takes away what a block that was shortened must not have: parts of a frame. False when nothing of it is left.
    fn settle(packet: &mut Packet<'_, Self>, _: &DialectOf<Self>) -> bool {
        !packet.messages.is_empty()
    }
}

impl Partial for Dem {
    /// What is not told of at a new time is gone then. Without the time and what is told of, all stays in view as it was.
    fn settle(packet: &mut dem::Packet<'_>, _: &dem::Dialect) -> bool {
        packet.messages.retain(|m| !matches!(m, dem::Message::Time(_) | dem::Message::UpdateEntity(_)));
        !packet.messages.is_empty()
    }
}

impl Partial for Mvd2 {}

impl Partial for Dm2 {
    /// A frame of which a part is missing is none.
    fn settle(packet: &mut dm2::Packet<'_>, _: &dm2::Dialect) -> bool {
        use dm2::Message;
        let is_list = |m: &Message<'_>| matches!(m, Message::PacketEntities(_) | Message::TestEntities(_));
        let at = packet.messages.iter().position(|m| matches!(m, Message::Frame(_)));
        if let Some(at) = at.filter(|_| !packet.messages.iter().any(is_list)) {
            let rest = packet.messages.split_off(at);
            let is_part =
                |m: &Message<'_>| matches!(m, Message::Frame(_) | Message::PlayerInfo(_) | Message::TestPlayerInfo(_));
            packet.messages.extend(rest.into_iter().filter(|m| !is_part(m)));
        }
        packet.messages.retain(|m| !matches!(m, Message::PlayerInfo(_) if at.is_none()));
        !packet.messages.is_empty()
    }
}

impl Partial for Dm3 {
    fn settle(packet: &mut dm3::Packet<'_>, d: &dm3::Dialect) -> bool {
        let usual = dm3::Contents::new(0, d);
        (packet.contents.closed, packet.contents.tail) = (usual.closed, usual.tail);
        // A number that cannot be may be one of what is damaged.
        packet.contents.rel_ack.is_some() == usual.rel_ack.is_some() && !packet.messages.is_empty()
    }
}

impl Partial for Qwd {
    fn settle(packet: &mut qwd::Packet<'_>, _: &qwd::Dialect) -> bool {
        matches!(packet.contents, qwd::Contents::Packet(_)) && !packet.messages.is_empty()
    }
}

impl Partial for Mvd {
    /// A record keeps the time that it lets pass.
    fn settle(packet: &mut mvd::Packet<'_>, _: &DialectOf<Self>) -> bool {
        if !matches!(packet.contents, mvd::Contents::Messages | mvd::Contents::Hidden) {
            return false;
        }
        !packet.messages.is_empty() || packet.header.msec > 0
    }
}

/// The bytes of a packet that readers take for a block.
pub(super) fn bytes_of<F: Partial>(packet: &Packet<'_, F>, d: &DialectOf<F>) -> Option<Vec<u8>> {
    let bytes = packet.to_bytes(*d).ok()?;
    let is_block =
        |bytes| BlockOf::<F>::of_bytes(bytes, 0, 0).is_some_and(|block| block.header.possible(block.payload));
    is_block(&bytes).then_some(bytes)
}

/// True for a fault that says no more than that the protocol is not decoded.
pub(super) fn is_unsupported(fault: &Diagnostic) -> bool {
    matches!(fault.fault.what, FaultKind::Unsupported(_))
}

/// How much of a chunk can be read.
#[derive(Debug)]
pub(crate) enum Readable {
    /// All of it; of a block in a protocol that is not decoded, as much as of any.
    All,
    /// A part of a block, which is a block of its own.
    Part(Vec<u8>),
    /// Nothing.
    Nothing,
}

impl Readable {
    /// True where something is left out.
    pub(crate) fn is_less(&self) -> bool {
        !matches!(self, Readable::All)
    }

    /// What is gone on with in place of a chunk, and its bytes. A block keeps its number and its place in the input.
    pub(crate) fn of<'a>(&'a self, chunk: Chunk<'a>, bytes: &'a [u8]) -> Option<(Chunk<'a>, &'a [u8])> {
        match self {
            Readable::All => Some((chunk, bytes)),
            Readable::Part(part) => {
                with_format!(chunk.kind(), F => Some((F::any(shortened::<F>(F::chunk(&chunk)?, part)?), part)), unknown => None)
            }
            Readable::Nothing => None,
        }
    }
}

/// A block as it is with other bytes.
fn shortened<'a, F: Listed>(chunk: &ChunkOf<'_, F>, bytes: &'a [u8]) -> Option<ChunkOf<'a, F>> {
    let frame::Chunk::Block(block) = chunk else { return None };
    let ends_moment = block.ends_moment;
    let part = BlockOf::<F>::of_bytes(bytes, block.index, block.offset)?;
    Some(frame::Chunk::Block(frame::Block { ends_moment, ..part }))
}

/// Reads chunk after chunk for what can be read of each, and knows what end the recording has.
#[derive(Debug)]
pub(crate) struct Shortener<F: Partial> {
    decoder: Decoder<F>,
    last: Last,
    /// Something was left out.
    is_less: bool,
}

impl<F: Partial> Shortener<F> {
    /// At the beginning of a recording.
    pub(crate) fn new(detected: &Detected) -> Self {
        Shortener { decoder: F::decoder(detected), last: Last::default(), is_less: false }
    }

    /// How much of a chunk can be read, and of a block its messages: those that stay.
    pub(crate) fn read<'a>(&mut self, chunk: &ChunkOf<'a, F>) -> (Option<Packet<'a, F>>, Readable) {
        let block = match chunk {
            frame::Chunk::Block(block) => block,
            frame::Chunk::Unframed(_) => {
                self.is_less = true;
                return (None, Readable::Nothing);
            }
            other => {
                self.last.take(&F::any(other.clone()));
                return (None, Readable::All);
            }
        };
        let before = self.decoder.fork();
        let (mut packet, fault) = self.decoder.read(block);
        if fault.is_none_or(|fault| is_unsupported(&fault)) {
            self.last.take(&F::any(chunk.clone()));
            return (Some(packet), Readable::All);
        }
        self.is_less = true;
        packet.messages.retain(|message| message.unknown_bytes().is_none());
        // A size that the end of the file has cut is that of the messages now.
        packet.header = packet.header.with_size(None);
        let mut after = before.fork();
        match self::part(&mut packet, &mut after) {
            Some(bytes) => {
                self.decoder.join(after);
                if let Some(part) = shortened::<F>(chunk, &bytes) {
                    self.last.take(&F::any(part));
                }
                (Some(packet), Readable::Part(bytes))
            }
            None => {
                self.decoder.join(before);
                (None, Readable::Nothing)
            }
        }
    }

    /// The dialect that the block read last begins with.
    pub(crate) fn before(&self) -> DialectOf<F> {
        self.decoder.before()
    }

    /// Takes back the memory of a packet that is not wanted any more.
    pub(crate) fn recycle(&mut self, packet: Packet<'_, F>) {
        self.decoder.recycle(packet);
    }

    /// The end that the recording lacks; `None` where it has one. Without an end mark a recording of which nothing was left out
    /// is as it was.
    pub(crate) fn end(&self) -> Result<Option<End>> {
        if self.is_less || !F::END_MARK.is_empty() { self.last.end() } else { Ok(None) }
    }
}

/// What stays of a packet, and its bytes, if it is a block that means the same. `decoder` stands in front of it, and behind it
/// then.
fn part<F: Partial>(packet: &mut Packet<'_, F>, decoder: &mut Decoder<F>) -> Option<Vec<u8>> {
    let d = decoder.dialect();
    let bytes = Some(F::settle(packet, &d)).filter(|left| *left).and_then(|_| bytes_of(packet, &d))?;
    let (again, fault) = decoder.read(&BlockOf::<F>::of_bytes(&bytes, 0, 0)?);
    let is_same = fault.is_none()
        && again.messages.len() == packet.messages.len()
        && again.to_bytes(d).is_ok_and(|again| again == bytes);
    drop(again);
    is_same.then_some(bytes)
}

/// Reads what can be read of a recording of whichever format.
pub(crate) struct ReadableReader<R> {
    reader: Reader<R>,
    shortener: Box<dyn Shorten>,
    readable: Readable,
}

/// A [`Shortener`] of a format.
trait Shorten {
    fn shorten(&mut self, chunk: &Chunk<'_>) -> Readable;
    fn end(&self) -> Result<Option<End>>;
}

impl<F: Partial> Shorten for Shortener<F> {
    fn shorten(&mut self, chunk: &Chunk<'_>) -> Readable {
        let Some(chunk) = F::chunk(chunk) else { return Readable::Nothing };
        let (packet, readable) = self.read(chunk);
        packet.into_iter().for_each(|packet| self.recycle(packet));
        readable
    }

    fn end(&self) -> Result<Option<End>> {
        Shortener::end(self)
    }
}

/// A file of no format, of which nothing can be read.
struct Nothing;

impl Shorten for Nothing {
    fn shorten(&mut self, _: &Chunk<'_>) -> Readable {
        Readable::Nothing
    }

    fn end(&self) -> Result<Option<End>> {
        Ok(None)
    }
}

impl<R: Read> ReadableReader<R> {
    /// A reader at the beginning of a recording.
    pub(crate) fn new(reader: Reader<R>) -> Self {
        let detected = reader.detected();
        let shortener: Box<dyn Shorten> =
            with_format!(detected.kind, F => Box::new(Shortener::<F>::new(detected)), unknown => Box::new(Nothing));
        ReadableReader { reader, shortener, readable: Readable::All }
    }

    /// What the file was taken for.
    pub(crate) fn detected(&self) -> &Detected {
        self.reader.detected()
    }

    /// The next chunk and its bytes, and how much of it can be read.
    ///
    /// # Errors
    /// Whatever reading gives.
    pub(crate) fn next(&mut self) -> Result<Option<(Chunk<'_>, &[u8], &Readable)>> {
        let Some((chunk, bytes)) = self.reader.next_with_bytes()? else { return Ok(None) };
        self.readable = self.shortener.shorten(&chunk);
        Ok(Some((chunk, bytes, &self.readable)))
    }

    /// The end that the recording lacks; `None` where it has one.
    ///
    /// # Errors
    /// Those of writing it.
    pub(crate) fn end(&self) -> Result<Option<End>> {
        self.shortener.end()
    }
}
