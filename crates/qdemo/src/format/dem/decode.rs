//! Messages of a block: bytes to messages, messages to bytes.

use super::block::Block;
use super::message::{Kind, Message};
use crate::describe::Unknown;
use crate::dialect::{Dialect, Variant};
use crate::format::Broken;
use crate::wire::{F32, Fault, Reader, What, Writer};

/// The messages of one block, in order. Reading never fails: at a fault the rest of the block becomes one
/// [`Message::Unknown`], and [`Messages::fault`] tells why.
///
/// ```
/// use qdemo::dialect::Dialect;
/// use qdemo::format::dem::{Message, Messages};
/// let mut messages = Messages::new(&[5, 1, 0, 0xFF, 99], Dialect::QUAKE);
/// assert!(matches!(messages.next(), Some(Message::SetView(v)) if v.entity == 1));
/// assert!(matches!(messages.next(), Some(Message::Unknown(_))));
/// assert!(messages.fault().is_some());
/// ```
#[derive(Debug, Clone)]
pub struct Messages<'a> {
    r: Reader<'a>,
    /// The dialect at the beginning of the block.
    first: Dialect,
    dialect: Dialect,
    fault: Option<Fault>,
    start: usize,
}

impl<'a> Messages<'a> {
    /// The messages of a block's payload.
    pub fn new(payload: &'a [u8], dialect: Dialect) -> Self {
        Messages { r: Reader::new(payload), first: dialect, dialect, fault: None, start: 0 }
    }

    /// The dialect after the messages read so far: a `serverinfo` changes it. Carry it to the next block.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Offset within the payload of the message read last.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The bytes of the message read last.
    pub fn raw(&self) -> &'a [u8] {
        self.r.since(self.start)
    }

    /// Why the last message is unknown.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// The fault with its place, when these are the messages of `block`.
    pub fn broken(&self, block: &Block<'_>) -> Option<Broken> {
        let fault = self.fault.clone()?;
        let offset = block.payload_offset() + self.start as u64;
        Some(Broken { fault, offset, block: Some(block.index), after: self.before_the_fault() })
    }

    /// Names of the messages just before the one read last. They are read again: only a fault asks for them.
    #[cold]
    fn before_the_fault(&self) -> Vec<&'static str> {
        const MOST: usize = 3;
        let mut again = Messages::new(self.r.clone().rest_from(0), self.first);
        let mut names = Vec::new();
        while let Some(message) = again.next().filter(|_| again.start < self.start) {
            names.push(message.name());
            if names.len() > MOST {
                names.remove(0);
            }
        }
        names
    }

    #[inline]
    fn read(&mut self) -> Result<Message<'a>, Fault> {
        let id = self.r.u8()?;
        let Some(&kind) = self.dialect.opcodes.kind(id).and_then(|k| Kind::ALL.get(k)) else {
            return Err(Fault::new(What::UnknownMessage(id), self.start));
        };
        Message::read(kind, id, &mut self.r, &self.dialect)
    }

    #[cold]
    fn give_up(&mut self, fault: Fault) -> Message<'a> {
        if let What::Unsupported(protocol) = fault.what {
            self.dialect = Dialect::undecoded(protocol.number);
        }
        self.fault = Some(fault);
        Message::Unknown(Unknown { bytes: self.r.rest_from(self.start).into() })
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Message<'a>;

    #[inline]
    fn next(&mut self) -> Option<Message<'a>> {
        if self.r.is_empty() {
            return None;
        }
        self.start = self.r.pos();
        if !self.dialect.decoded {
            let protocol = crate::error::Protocol { number: self.dialect.protocol, name: self.dialect.name };
            return Some(self.give_up(Fault::new(What::Unsupported(protocol), self.start)));
        }
        match self.read() {
            Ok(message) => {
                if let Message::ServerInfo(info) = &message {
                    self.dialect = Dialect::after(info, self.dialect.variant);
                }
                Some(message)
            }
            Err(fault) => Some(self.give_up(fault)),
        }
    }
}

/// Writes messages as they stand in a block; `dialect` changes at each `serverinfo`.
///
/// # Errors
/// A [`Fault`] names the message and field that the dialect cannot write.
pub fn encode_block<'m, 'a: 'm>(
    messages: impl IntoIterator<Item = &'m Message<'a>>,
    dialect: &mut Dialect,
    w: &mut Writer,
) -> Result<(), Fault> {
    for message in messages {
        let id = match message.kind() {
            None => 0,
            Some(kind) => dialect
                .opcodes
                .code(kind as usize)
                .ok_or_else(|| Fault::unwritable("this protocol has no such message").in_message(message.name()))?,
        };
        message.write_as(id, w, dialect)?;
        if let Message::ServerInfo(info) = message {
            *dialect = Dialect::after(info, dialect.variant);
        }
    }
    Ok(())
}

/// Writes a whole block. `size` is what the header says; `None`, the normal case, is the size of the messages.
///
/// # Errors
/// As [`encode_block`].
pub fn write_block<'m, 'a: 'm>(
    size: Option<u32>,
    camera: [F32; 3],
    messages: impl IntoIterator<Item = &'m Message<'a>>,
    dialect: &mut Dialect,
    w: &mut Writer,
) -> Result<(), Fault> {
    let start = w.len();
    w.u32(0);
    for angle in camera {
        w.u32(angle.bits());
    }
    let payload = w.len();
    encode_block(messages, dialect, w)?;
    let actual = u32::try_from(w.len() - payload).map_err(|_| Fault::unwritable("a block above 4 GiB"))?;
    w.patch_u32(start, size.unwrap_or(actual));
    Ok(())
}

/// Decodes block after block, carrying the dialect along.
///
/// A protocol number does not always tell how its messages are read (see [`Variant`]). When a block does not decode,
/// the other readings of its protocol are tried, and one that decodes all of it is taken from there on.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    dialect: Dialect,
    before: Dialect,
}

impl Default for Decoder {
    fn default() -> Self {
        let dialect = Dialect::initial(Variant::Standard);
        Decoder { dialect, before: dialect }
    }
}

impl Decoder {
    /// The dialect at the beginning of the next block.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The dialect at the beginning of the block read last: what its messages are to be written with.
    pub fn before(&self) -> Dialect {
        self.before
    }

    /// Decodes a block into `messages`, which is emptied first. What could not be decoded is the last message.
    pub fn read<'a>(&mut self, block: &Block<'a>, messages: &mut Vec<Message<'a>>) -> Option<Broken> {
        loop {
            messages.clear();
            let mut decoder = Messages::new(block.payload, self.dialect);
            messages.extend(decoder.by_ref());
            if !self.reconsider(block, &decoder) {
                self.carry(&decoder);
                return decoder.broken(block);
            }
        }
    }

    /// After `messages` of a block were read: true when there was a fault that another reading of the protocol does
    /// not have. That reading is in force now, and the block is to be read again.
    #[inline]
    pub(crate) fn reconsider(&mut self, block: &Block<'_>, messages: &Messages<'_>) -> bool {
        match messages.fault() {
            None => false,
            Some(fault) => self.other_reading(block, fault),
        }
    }

    #[cold]
    fn other_reading(&mut self, block: &Block<'_>, fault: &Fault) -> bool {
        // A cut block ends with a fault in every reading, and an unsupported protocol has none.
        if block.is_cut() || matches!(fault.what, What::Unsupported(_)) {
            return false;
        }
        let clean = |dialect: &Dialect| {
            let mut trial = Messages::new(block.payload, *dialect);
            trial.by_ref().for_each(drop);
            trial.fault().is_none()
        };
        let others = Dialect::variants(self.dialect.protocol).iter().filter(|v| **v != self.dialect.variant);
        match others.map(|v| self.dialect.with_variant(*v)).find(clean) {
            Some(dialect) => {
                self.dialect = dialect;
                true
            }
            None => false,
        }
    }

    /// Goes on with the dialect after `messages`.
    #[inline]
    pub(crate) fn carry(&mut self, messages: &Messages<'_>) {
        self.before = self.dialect;
        self.dialect = messages.dialect();
    }
}
