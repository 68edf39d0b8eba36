//! What stands around the messages of Quake III: headers, the number of the last client command, ends of messages.

use super::dialect::{Bits, Dialect};
use super::gamestate::Gamestate;
use super::message::{Eof, Message, MessageKind};
use super::snapshot::Snapshot;
use crate::describe::{Field, Fields, Mistake, Name, Reference, Sink, Size32, Unknown, field_schema, name_of, packet};
use crate::error::Moment;
use crate::format::{Begin, Format, Look, Read, Sealed, State, Verdict, Visitor};
use crate::frame::{self, Diagnostic, HeaderRead, Rules};
use crate::wire::{BitReader, BitWriter, ByteReader, ByteWriter, Fault, FaultKind, Scalar};

/// Demos of Quake III Arena and its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dm3;

packet! {
    /// The header of a block.
    pub struct Header {
        /// Number of the packet.
        sequence: i32;
        /// Size of a block that the end of the file cuts.
        size as "": Size32, behind;
    }
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 8;
    /// Packets that may be lost between two blocks of a row.
    const GAP: i32 = 2_000;
}

impl Sealed for Header {}

impl frame::Header for Header {
    #[inline]
    fn payload(&self) -> i64 {
        i64::from(self.size.0.unwrap_or_default() as i32)
    }
    #[inline]
    fn with_size(self, size: Option<u32>) -> Self {
        Header { size: Size32(size), ..self }
    }
}

impl Rules for Header {
    const CHAIN: usize = 3;
    const AHEAD: u32 = 2;
    const LARGEST: usize = 32_768;
    const LAST: Option<&'static [u8]> = None;

    #[inline]
    fn find(bytes: &[u8]) -> HeaderRead<Self> {
        HeaderRead::of(bytes, Self::LEN)
    }
    #[inline]
    fn is_end(&self) -> bool {
        self.sequence == -1 && frame::Header::payload(self) == -1
    }
    #[inline]
    fn possible(&self, behind: &[u8]) -> bool {
        self.is_end() || self.plausible(behind, None)
    }
    #[inline]
    fn plausible(&self, _: &[u8], before: Option<&Self>) -> bool {
        let gap = |b: &Self| (1..=Self::GAP).contains(&self.sequence.wrapping_sub(b.sequence));
        let size = (1..=Self::LARGEST as i64).contains(&frame::Header::payload(self));
        size && self.sequence >= 0 && before.is_none_or(gap)
    }
}

/// The end mark: a header of which all bits are set.
pub const END_MARK: [u8; 8] = [0xFF; 8];

/// What a block holds besides messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Number of the last client command that the server got. `None` in protocols 43 and 45, where snapshots tell it,
    /// and in a packet that is too short for it.
    pub rel_ack: Option<i32>,
    /// True when an end of message closes the block, as it should from protocol 66 on.
    pub closed: bool,
    /// Bits behind it as bytes, the first bit lowest. An engine rounds the size of a block up by at least one bit:
    /// when the bits end with a byte, the next byte is part of the block with whatever was in memory. Where messages were
    /// changed and the last byte has no room for it any more, zeros are written.
    pub tail: Vec<u8>,
}

pub(super) const REL_ACK: Name = Name::new("rel_ack");
/// Words of the text form for how a block ends.
pub(crate) const CLOSED: Name = Name::with("closed", "");
pub(crate) const UNCLOSED: Name = Name::with("unclosed", "");

impl Contents {
    /// As an engine writes it: `rel_ack` is the number of the last client command that the server got.
    pub fn new(rel_ack: i32, dialect: &Dialect) -> Self {
        Contents {
            rel_ack: dialect.layout.ack_first.then_some(rel_ack),
            closed: dialect.layout.end.is_some(),
            tail: usual_tail(dialect).to_vec(),
        }
    }
}

impl Contents {
    /// The word for an end that is not that of the protocol.
    pub(crate) fn unusual_end(&self, dialect: &Dialect) -> Option<Name> {
        match (self.closed, dialect.layout.end) {
            (true, None) => Some(CLOSED),
            (false, Some(_)) => Some(UNCLOSED),
            _ => None,
        }
    }
}

impl Sealed for Contents {}

impl crate::format::Contents for Contents {
    fn show_front<S: Sink>(&self, s: &mut S) {
        if let Some(ack) = self.rel_ack {
            s.value(REL_ACK, Scalar::Int(i64::from(ack)));
        }
    }
}

/// The bytes behind the end of message when there is nothing unusual about them.
pub(crate) fn usual_tail(dialect: &Dialect) -> &'static [u8] {
    if dialect.layout.end.is_some() { &[0] } else { &[] }
}

/// A chunk of a file. A block is what the server sent in one packet; the end mark is a header of which all bits are
/// set. DeFRaG puts a trailer behind it.
pub type Chunk<'a> = frame::Chunk<'a, Header>;

/// A block of messages.
pub type Block<'a> = frame::Block<'a, Header>;

/// A block with its messages, which own what they hold.
///
/// ```
/// use qdemo::format::dm3::{Dialect, Message, Packet, ServerCommand, Text};
/// use qdemo::wire::ByteWriter;
/// let command = ServerCommand { seq: 7, value: Text(b"print \"hello\"".to_vec()) };
/// let packet = Packet::new(20, 3, vec![Message::ServerCommand(command)], &Dialect::QUAKE3);
/// let mut w = ByteWriter::default();
/// packet.write(&mut Dialect::QUAKE3.clone(), &mut w).unwrap();
/// assert_eq!(w.as_slice()[..4], [20, 0, 0, 0]);
/// ```
pub type Packet<'a> = crate::format::Packet<'a, Dm3>;

/// Reads block after block.
pub type Decoder = crate::format::Decoder<Dm3>;

impl Decoder {
    /// The messages of the block visited last.
    pub(crate) fn visited(&self) -> &[Message] {
        &self.state.memory.messages
    }

    /// What that block holds besides messages.
    pub(crate) fn visited_contents(&self) -> &Contents {
        &self.state.memory.contents
    }
}

impl Packet<'_> {
    /// A packet as an engine would write it: its number, the number of the last client command that the server got, and the messages
    /// without the end of message that closes it.
    pub fn new(sequence: i32, rel_ack: i32, messages: Vec<Message>, dialect: &Dialect) -> Self {
        let header = Header { sequence, size: Size32(None) };
        Packet { header, contents: Contents::new(rel_ack, dialect), messages }
    }
}

impl Sealed for Dm3 {}

impl Format for Dm3 {
    const NAME: &'static str = "dm3";
    const EXTENSIONS: &'static [&'static str] = &["dm3"];
    const NUMBERED: Option<&'static str> = Some("dm_");
    const END_MARK: &'static [u8] = &END_MARK;
    const IN_BITS: bool = true;
    type Wire = Bits;
    type Header = Header;
    type Contents<'a> = Contents;
    type Message<'a> = Message;
    type Memory = Memory;
    type Clock = ();

    fn read<'a>(
        state: &mut State<Self>,
        block: &Block<'a>,
        messages: &mut Vec<Message>,
        ends: &mut Vec<usize>,
    ) -> Read<Contents> {
        let memory = &mut state.memory;
        memory.keep(messages);
        let (spare, time, last) = (&mut memory.spare, Time::None, state.time);
        let mut reading = Reading { messages, ends: Some(ends), spare, time, last, first: 0 };
        let (contents, fault) = reading.payload(block.payload, &state.dialect);
        let start = reading.first;
        let diagnostic = fault.map(|fault| fault.diagnostic(block, messages));
        Read { contents, start, diagnostic }
    }

    fn visit<V: Visitor<Self>>(state: &mut State<Self>, block: &Block<'_>, visitor: &mut V) -> Option<Diagnostic> {
        let memory = &mut state.memory;
        let mut messages = std::mem::take(&mut memory.messages);
        memory.keep(&mut messages);
        let mut ends = std::mem::take(&mut memory.ends);
        ends.clear();
        // A block that the end of the file cuts is read as far as it goes, to tell what is missing.
        let texts = visitor.texts_alone() && !block.is_cut();
        let time = if texts { Time::Wanted } else { Time::None };
        let (ends_of, spare) = (Some(&mut ends), &mut memory.spare);
        let last = state.time;
        let mut reading = Reading { messages: &mut messages, ends: ends_of, spare, time, last, first: 0 };
        let (contents, fault) = reading.payload(block.payload, &state.dialect);
        let mut start = reading.first;
        let told = if let Time::Told(time) = reading.time { Some(time) } else { None };
        let server_time = told.or_else(|| server_time(block, &messages, state));
        state.time = server_time.map(Moment::Milliseconds).or(state.time);
        let dialect = &state.dialect;
        visitor.begin(Begin { block, contents: &contents, dialect, server_time, on_trial: false });
        for (n, message) in messages.iter().enumerate() {
            visitor.message(message, dialect);
            let end = ends.get(n).copied().unwrap_or(8 * block.payload.len());
            visitor.size(end.saturating_sub(start));
            start = end;
        }
        let diagnostic = fault.map(|fault| fault.diagnostic(block, &messages));
        let memory = &mut state.memory;
        (memory.messages, memory.ends, memory.contents) = (messages, ends, contents);
        diagnostic
    }

    fn write(packet: &crate::format::Packet<'_, Self>, d: &mut Dialect, w: &mut ByteWriter) -> Result<(), Fault> {
        let mut bits = BitWriter::behind(std::mem::take(w), d.layout.coding);
        let written = write_bits(&packet.contents, &packet.messages, &mut bits, d);
        *w = bits.finish();
        written
    }

    fn first_dialect(protocol: Option<i32>) -> Dialect {
        protocol.and_then(Dialect::by_protocol).unwrap_or(Dialect::QUAKE3)
    }

    fn tells_moment(messages: &[Message]) -> bool {
        messages.iter().any(|m| matches!(m, Message::Snapshot(_)))
    }

    fn introductions(told: Option<i32>) -> Vec<Packet<'static>> {
        let d = Self::first_dialect(told);
        vec![Packet::new(0, 0, vec![Message::Gamestate(Gamestate::new(0, 0, 0, &d))], &d)]
    }

    fn missing_end(offset: u64) -> Option<Diagnostic> {
        let what = FaultKind::Truncated { needed: END_MARK.len(), available: 0 };
        let fault = Fault::new(what, 0).in_field("end mark");
        Some(Diagnostic { fault, offset, block: None, after: Vec::new() })
    }

    fn reference() -> Reference {
        super::reference::reference()
    }

    fn look(look: &Look<'_>) -> Verdict {
        super::detect::look(look)
    }

    fn time(_: &mut (), block: &Block<'_>, messages: &[Message], state: &State<Self>) -> Option<Moment> {
        server_time(block, messages, state).map(Moment::Milliseconds)
    }

    fn shorten<'a>(packet: Packet<'static>) -> Packet<'a> {
        Packet { header: packet.header, contents: packet.contents, messages: packet.messages }
    }

    fn into_owned(packet: Packet<'_>) -> Packet<'static> {
        Packet { header: packet.header, contents: packet.contents, messages: packet.messages }
    }

    fn recycle(state: &mut State<Self>, messages: &mut Vec<Message>) {
        state.memory.keep(messages);
    }
}

/// Memory to use again.
#[derive(Debug, Default)]
pub struct Memory {
    messages: Vec<Message>,
    ends: Vec<usize>,
    contents: Contents,
    /// A snapshot that is wanted no more.
    spare: Option<Snapshot>,
}

/// It holds nothing but memory.
impl PartialEq for Memory {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// It holds nothing but memory: a copy begins without.
impl Clone for Memory {
    fn clone(&self) -> Self {
        Memory::default()
    }
}

impl Memory {
    /// Empties a list of messages; keeps the snapshot in it.
    fn keep(&mut self, messages: &mut Vec<Message>) {
        for message in messages.drain(..) {
            if let Message::Snapshot(snapshot) = message {
                self.spare = Some(snapshot);
            }
        }
    }
}

/// Why the messages of a packet end early, and the bit at which the message in question begins.
#[derive(Debug)]
struct PacketFault {
    fault: Fault,
    bit: usize,
}

impl PacketFault {
    /// The fault with its place, when these are the messages of `block`.
    fn diagnostic(self, block: &Block<'_>, messages: &[Message]) -> Diagnostic {
        const MOST: usize = 3;
        let known = messages.iter().filter(|m| m.kind().is_some()).map(Message::name);
        let names: Vec<_> = known.collect();
        let after = names[names.len().saturating_sub(MOST)..].to_vec();
        let offset = block.payload_offset() + (self.bit / 8) as u64;
        Diagnostic { after, ..block.diagnostic(self.fault, offset) }
    }
}

/// What a reading wants of the time of a snapshot.
enum Time {
    /// Snapshots are read whole.
    None,
    /// Only the time is wanted: where it follows the one before, reading ends there. Servers tell nothing behind it but parts
    /// of files.
    Wanted,
    /// This is it.
    Told(i32),
}

/// Where the messages of a payload go.
struct Reading<'r> {
    messages: &'r mut Vec<Message>,
    /// Where each ends, in bits.
    ends: Option<&'r mut Vec<usize>>,
    /// Memory for a snapshot.
    spare: &'r mut Option<Snapshot>,
    time: Time,
    /// The time before.
    last: Option<Moment>,
    /// Where the first begins, in bits.
    first: usize,
}

impl Reading<'_> {
    fn payload(&mut self, payload: &[u8], dialect: &Dialect) -> (Contents, Option<PacketFault>) {
        let mut contents = Contents::default();
        let mut r = BitReader::new(payload, dialect.layout.coding);
        let mut start = 0;
        let Err(fault) = self.read_all(&mut r, &mut start, &mut contents, dialect) else { return (contents, None) };
        // The reader may stand anywhere within the message: begin it again.
        let mut rest = BitReader::new(payload, dialect.layout.coding);
        rest.skip(start);
        self.messages.push(Message::Unknown(Unknown { bytes: rest.rest().into() }));
        (contents, Some(PacketFault { fault, bit: start }))
    }

    fn read_all(
        &mut self,
        r: &mut BitReader<'_>,
        start: &mut usize,
        contents: &mut Contents,
        dialect: &Dialect,
    ) -> Result<(), Fault> {
        let layout = dialect.layout;
        if layout.ack_first {
            contents.rel_ack = Some(r.i32().map_err(|f| f.in_field("rel_ack"))?);
            self.first = r.pos();
        }
        let ended_by = dialect.number_of(MessageKind::Eof);
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
                contents.closed = true;
                *start = r.pos();
                if goes_on(r, dialect) {
                    self.messages.push(Message::Eof(Eof {}));
                    if let Some(ends) = &mut self.ends {
                        ends.push(r.pos());
                    }
                    contents.closed = false;
                    continue;
                }
                contents.tail = r.rest();
                return Ok(());
            }
            let kind = match dialect.opcodes.kind(id).and_then(|k| MessageKind::ALL.get(k)) {
                _ if id == EXTENSION && matches!(self.messages.last(), Some(Message::Eof(_))) => MessageKind::Extension,
                // Old protocols end a message with 0; their 8 is no other way to say so.
                None | Some(MessageKind::Extension | MessageKind::Eof) => {
                    return Err(Fault::new(FaultKind::UnknownMessage(id), *start / 8));
                }
                Some(kind) => *kind,
            };
            let time_alone = matches!((kind, &self.time), (MessageKind::Snapshot, Time::Wanted));
            if time_alone {
                let mut ahead = *r;
                let time = Snapshot::read_time(&mut ahead, dialect).ok();
                if let Some(time) = time.filter(|time| follows(*time, self.last)) {
                    self.time = Time::Told(time);
                    return Ok(());
                }
            }
            let spare = if kind == MessageKind::Snapshot { self.spare.take() } else { None };
            let message = match spare {
                Some(mut snapshot) => {
                    snapshot.read_again(r, dialect).map_err(|f| f.in_message("snapshot"))?;
                    Message::Snapshot(snapshot)
                }
                None => Message::read(kind, id, r, dialect)?,
            };
            if let (Message::Snapshot(snapshot), true) = (&message, time_alone) {
                self.time = Time::Told(snapshot.server_time);
                return Ok(());
            }
            if layout.end.is_none() {
                r.align().map_err(|f| f.in_message(message.name()))?;
            }
            self.messages.push(message);
            if let Some(ends) = &mut self.ends {
                ends.push(r.pos());
            }
        }
    }
}

/// The time of the snapshot among the messages of a block. It tells its time first: of one that is damaged behind that, the
/// time counts where it follows the one before. Any other may be damage, too; and a block that the end of the file cuts is no
/// moment of the recording.
fn server_time(block: &Block<'_>, messages: &[Message], state: &State<Dm3>) -> Option<i32> {
    messages.iter().find_map(|message| match message {
        Message::Unknown(_) if block.is_cut() => None,
        Message::Unknown(unknown) => {
            let d = &state.dialect;
            let mut r = BitReader::new(&unknown.bytes, d.layout.coding);
            let is_snapshot = r.u8().is_ok_and(|id| d.number_of(MessageKind::Snapshot) == Some(id));
            let time = if is_snapshot { Snapshot::read_time(&mut r, d).ok() } else { None };
            time.filter(|time| follows(*time, state.time))
        }
        other => other.server_time(),
    })
}

/// True for a time that the snapshot behind one of that time may have, where nothing was lost in between.
fn follows(time: i32, last: Option<Moment>) -> bool {
    const MOST: i32 = 1000;
    matches!(last, Some(Moment::Milliseconds(last)) if (0..=MOST).contains(&time.wrapping_sub(last)))
}

/// After an end of message: true when more messages follow. Some servers write it twice, and old ioquake3 hides
/// voice behind it. One byte of anything is usual.
fn goes_on(r: &BitReader<'_>, dialect: &Dialect) -> bool {
    let mut ahead = *r;
    let byte_border = r.pos() % 8 == 0;
    match ahead.u8() {
        Ok(id) if dialect.layout.end == Some(id) => {
            // What follows the second one must be as usual, else this is a byte from memory.
            let left = ahead.remaining();
            let clear = ahead.rest().iter().all(|&b| b == 0);
            if byte_border { left >= 8 } else { left >= 8 || clear }
        }
        Ok(EXTENSION) => {
            dialect.layout.end.is_some()
                && r.remaining() > 16
                && Message::read(MessageKind::Extension, EXTENSION, &mut ahead, dialect).is_ok()
        }
        _ => false,
    }
}

fn write_bits(contents: &Contents, messages: &[Message], w: &mut BitWriter, d: &Dialect) -> Result<(), Fault> {
    if let Some(ack) = contents.rel_ack {
        w.i32(ack);
    }
    for message in messages {
        write_message(message, w, d)?;
    }
    if contents.closed {
        match d.number_of(MessageKind::Eof) {
            Some(id) => w.u8(id),
            None => return Err(Fault::unwritable("this protocol has no end of message")),
        }
    }
    // A tail of whatever was in memory stands where the bits end with a byte. Since a message was changed they may end within
    // one: then engines leave zeros.
    w.tail(&contents.tail);
    Ok(())
}

/// Message number of voice behind an end of message.
const EXTENSION: u8 = 9;

/// Writes one message.
pub(crate) fn write_message(message: &Message, w: &mut BitWriter, dialect: &Dialect) -> Result<(), Fault> {
    let id = match message.kind() {
        None => 0,
        Some(MessageKind::Extension) => EXTENSION,
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
