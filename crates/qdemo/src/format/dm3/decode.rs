//! Packets: the messages of a block, bytes to messages and messages to bytes.

use super::block::Block;
use super::message::{Eof, Kind, Message};
use super::snapshot::Snapshot;
use crate::describe::Unknown;
use crate::dialect::quake3::Dialect;
use crate::format::{Diagnostic, close_block};
use crate::wire::{BitReader, BitWriter, Fault, FaultKind, ByteWriter};

/// FaultKind a block holds.
///
/// Reading never fails: at a fault the rest of the block becomes one [`Message::Unknown`]. Reading into the same packet
/// again keeps its memory.
///
/// ```
/// use qdemo::dialect::quake3::Dialect;
/// use qdemo::format::dm3::{Message, Packet, ServerCommand, Text};
/// use qdemo::wire::ByteWriter;
/// let command = ServerCommand { seq: 7, value: Text(b"print \"hello\"".to_vec()) };
/// let packet = Packet::new(vec![Message::ServerCommand(command)], &Dialect::QUAKE3);
/// let mut w = ByteWriter::default();
/// packet.write(&mut w, &Dialect::QUAKE3).unwrap();
/// let mut again = Packet::default();
/// assert!(again.read(w.as_slice(), &Dialect::QUAKE3).is_none());
/// assert_eq!(again, packet);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Packet {
    /// Number of the last client command that the server got. `None` in protocols 43 and 45, where snapshots tell it,
    /// and in a packet that is too short for it.
    pub rel_ack: Option<i32>,
    /// The messages, without the end of message that closes the block.
    pub messages: Vec<Message>,
    /// True when an end of message closes the block, as it should from protocol 66 on.
    pub closed: bool,
    /// Bits behind it as bytes, the first bit lowest. An engine rounds the size of a block up by at least one bit:
    /// when the bits end with a byte, the next byte is part of the block with whatever was in memory.
    pub tail: Vec<u8>,
    /// A snapshot whose memory can be used again.
    spare: Option<Snapshot>,
}

impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        self.rel_ack == other.rel_ack
            && self.messages == other.messages
            && self.closed == other.closed
            && self.tail == other.tail
    }
}

/// Why the messages of a packet end early, and the bit at which the message in question begins.
#[derive(Debug)]
pub struct PacketFault {
    /// The fault.
    pub fault: Fault,
    /// Offset in bits.
    pub bit: usize,
}

impl PacketFault {
    /// The fault with its place, when these are the messages of `block`.
    pub fn broken(self, block: &Block<'_>, packet: &Packet) -> Diagnostic {
        const MOST: usize = 3;
        let known = packet.messages.iter().filter(|m| m.kind().is_some()).map(Message::name);
        let names: Vec<_> = known.collect();
        let after = names[names.len().saturating_sub(MOST)..].to_vec();
        let offset = block.payload_offset() + (self.bit / 8) as u64;
        Diagnostic { fault: self.fault, offset, block: Some(block.index), after }
    }
}

/// Where the bits of one message are, for statistics.
pub(super) type Spans<'s> = Option<&'s mut Vec<usize>>;

impl Packet {
    /// A packet as an engine would write it.
    pub fn new(messages: Vec<Message>, dialect: &Dialect) -> Self {
        let mut packet = Packet { messages, ..Packet::default() };
        packet.rel_ack = dialect.layout.ack_first.then_some(0);
        packet.closed = dialect.layout.end.is_some();
        packet.tail = Self::usual_tail(dialect).to_vec();
        packet
    }

    /// The bytes behind the end of message when there is nothing unusual about them.
    pub(crate) fn usual_tail(dialect: &Dialect) -> &'static [u8] {
        if dialect.layout.end.is_some() { &[0] } else { &[] }
    }

    /// Reads the payload of a block.
    pub fn read(&mut self, payload: &[u8], dialect: &Dialect) -> Option<PacketFault> {
        self.read_spans(payload, dialect, None)
    }

    /// Reads the messages in front of the snapshot, and of that only the server time in ms. Servers tell nothing behind
    /// it but parts of files.
    pub(crate) fn read_texts(&mut self, payload: &[u8], dialect: &Dialect) -> (Option<i32>, Option<PacketFault>) {
        let mut time = None;
        let fault = self.read_with(payload, dialect, None, Some(&mut time));
        (time, fault)
    }

    /// The same, and notes where each message ends, in bits.
    pub(super) fn read_spans(&mut self, payload: &[u8], dialect: &Dialect, spans: Spans<'_>) -> Option<PacketFault> {
        self.read_with(payload, dialect, spans, None)
    }

    /// With `time` it ends there, with the time of the snapshot.
    fn read_with(
        &mut self,
        payload: &[u8],
        dialect: &Dialect,
        spans: Spans<'_>,
        time: Option<&mut Option<i32>>,
    ) -> Option<PacketFault> {
        self.rel_ack = None;
        self.closed = false;
        self.tail.clear();
        for message in self.messages.drain(..) {
            if let Message::Snapshot(snapshot) = message {
                self.spare = Some(snapshot);
            }
        }
        let mut r = BitReader::new(payload, dialect.layout.coding);
        let mut start = 0;
        let fault = self.read_all(&mut r, &mut start, dialect, spans, time).err()?;
        // The reader may stand anywhere within the message: begin it again.
        let mut rest = BitReader::new(payload, dialect.layout.coding);
        rest.skip(start);
        self.messages.push(Message::Unknown(Unknown { bytes: rest.rest().into() }));
        Some(PacketFault { fault, bit: start })
    }

    fn read_all(
        &mut self,
        r: &mut BitReader<'_>,
        start: &mut usize,
        dialect: &Dialect,
        mut spans: Spans<'_>,
        mut time: Option<&mut Option<i32>>,
    ) -> Result<(), Fault> {
        let layout = dialect.layout;
        if layout.ack_first {
            self.rel_ack = Some(r.i32().map_err(|f| f.in_field("rel_ack"))?);
        }
        let ended_by = dialect.number_of(Kind::Eof);
        loop {
            *start = r.pos();
            if r.remaining() == 0 {
                return match layout.end {
                    None => Ok(()),
                    Some(_) => Err(Fault::new(FaultKind::Malformed("the block has no end of message"), r.pos() / 8)),
                };
            }
            let id = r.u8()?;
            if Some(id) == ended_by {
                self.closed = true;
                *start = r.pos();
                if self.goes_on(r, dialect) {
                    self.messages.push(Message::Eof(Eof {}));
                    self.closed = false;
                    continue;
                }
                self.tail = r.rest();
                return Ok(());
            }
            let kind = match dialect.opcodes.kind(id).and_then(|k| Kind::ALL.get(k)) {
                _ if id == EXTENSION && matches!(self.messages.last(), Some(Message::Eof(_))) => Kind::Extension,
                // Old protocols end a message with 0; their 8 is no other way to say so.
                None | Some(Kind::Extension | Kind::Eof) => {
                    return Err(Fault::new(FaultKind::UnknownMessage(id), *start / 8));
                }
                Some(kind) => *kind,
            };
            if let (Kind::Snapshot, Some(time)) = (kind, time.as_deref_mut()) {
                *time = Some(Snapshot::read_time(r, dialect).map_err(|f| f.in_message("snapshot"))?);
                return Ok(());
            }
            let message = match (kind, self.spare.take()) {
                (Kind::Snapshot, Some(mut snapshot)) => {
                    snapshot.read_again(r, dialect).map_err(|f| f.in_message("snapshot"))?;
                    Message::Snapshot(snapshot)
                }
                (_, spare) => {
                    self.spare = spare;
                    Message::read(kind, id, r, dialect)?
                }
            };
            if layout.end.is_none() {
                r.align().map_err(|f| f.in_message(message.name()))?;
            }
            self.messages.push(message);
            if let Some(spans) = &mut spans {
                spans.push(r.pos());
            }
        }
    }

    /// After an end of message: true when more messages follow. Some servers write it twice, and old ioquake3 hides
    /// voice behind it. One byte of anything is usual.
    fn goes_on(&self, r: &BitReader<'_>, dialect: &Dialect) -> bool {
        let mut ahead = *r;
        let byte_border = r.pos() % 8 == 0;
        match ahead.u8() {
            Ok(id) if dialect.layout.end == Some(id) => {
                // FaultKind follows the second one must be as usual, else this is a byte from memory.
                let left = ahead.remaining();
                let clear = ahead.rest().iter().all(|&b| b == 0);
                if byte_border { left >= 8 } else { left >= 8 || clear }
            }
            Ok(EXTENSION) => {
                dialect.layout.end.is_some()
                    && r.remaining() > 16
                    && Message::read(Kind::Extension, EXTENSION, &mut ahead, dialect).is_ok()
            }
            _ => false,
        }
    }

    /// Writes the packet: the payload of a block.
    ///
    /// # Errors
    /// A [`Fault`] names the message and field that the dialect cannot write.
    pub fn write(&self, w: &mut ByteWriter, dialect: &Dialect) -> Result<(), Fault> {
        let mut bits = BitWriter::behind(std::mem::take(w), dialect.layout.coding);
        let written = self.write_bits(&mut bits, dialect);
        *w = bits.finish();
        written
    }

    fn write_bits(&self, w: &mut BitWriter, dialect: &Dialect) -> Result<(), Fault> {
        if let Some(ack) = self.rel_ack {
            w.i32(ack);
        }
        for message in &self.messages {
            write_message(message, w, dialect)?;
        }
        if self.closed {
            match dialect.number_of(Kind::Eof) {
                Some(id) => w.u8(id),
                None => return Err(Fault::unwritable("this protocol has no end of message")),
            }
        }
        w.rest(&self.tail)
    }
}

/// Message number of voice behind an end of message.
const EXTENSION: u8 = 9;

/// Writes one message.
pub(crate) fn write_message(message: &Message, w: &mut BitWriter, dialect: &Dialect) -> Result<(), Fault> {
    let id = match message.kind() {
        None => 0,
        Some(Kind::Extension) => EXTENSION,
        Some(kind) => dialect
            .number_of(kind)
            .ok_or_else(|| Fault::unwritable("this protocol has no such message").in_message(message.name()))?,
    };
    message.write_as(id, w, dialect)?;
    if dialect.layout.end.is_none() && message.kind().is_some() {
        w.align();
    }
    Ok(())
}

/// Writes a whole block. `size` is what the header says; `None`, the normal case, is the size of the messages.
///
/// # Errors
/// As [`Packet::write`].
pub fn write_block(
    size: Option<u32>,
    sequence: i32,
    packet: &Packet,
    dialect: &Dialect,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    w.i32(sequence);
    w.u32(0);
    let payload = w.len();
    packet.write(w, dialect)?;
    close_block(payload, size, w)
}

/// The end mark.
pub const END_MARK: [u8; 8] = [0xFF; 8];
