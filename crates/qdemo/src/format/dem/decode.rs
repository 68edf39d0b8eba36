//! Messages of a block: bytes to messages, messages to bytes.

use super::block::Block;
use super::message::{Kind, Message};
use crate::dialect::{Dialect, Variant};
use crate::format::{Diagnostic, Framed, encode_messages, message_set};
use crate::wire::{F32, Fault, ByteReader, FaultKind, ByteWriter};

/// The messages of one block, in order. Reading never fails: at a fault the rest of the block becomes one
/// [`Message::Unknown`], and [`Messages::fault`](crate::format::Messages::fault) tells why.
///
/// ```
/// use qdemo::dialect::Dialect;
/// use qdemo::format::dem::{Message, Messages};
/// let mut messages = Messages::new(&[5, 1, 0, 0xFF, 99], Dialect::QUAKE);
/// assert!(matches!(messages.next(), Some(Message::SetView(v)) if v.entity == 1));
/// assert!(matches!(messages.next(), Some(Message::Unknown(_))));
/// assert!(messages.fault().is_some());
/// ```
pub type Messages<'a> = crate::format::Messages<'a, Message<'a>>;

message_set!(Message, Kind, after);

#[inline(always)]
fn after(message: &Message<'_>, d: &Dialect) -> Option<Dialect> {
    match message {
        Message::ServerInfo(info) => Some(Dialect::after(info, d.variant)),
        _ => None,
    }
}

/// The fault of some messages with its place, when these are the messages of `block`; or that the file ends within it,
/// which may be between two messages.
pub(crate) fn broken(messages: &Messages<'_>, block: &Block<'_>) -> Option<Diagnostic> {
    messages.broken_at(block.payload_offset(), block.index).or_else(|| block.cut_short())
}

/// Writes messages as they stand in a block; `dialect` changes at each `serverinfo`.
///
/// # Errors
/// A [`Fault`] names the message and field that the dialect cannot write.
pub fn encode_block<'m, 'a: 'm>(
    messages: impl IntoIterator<Item = &'m Message<'a>>,
    dialect: &mut Dialect,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    encode_messages(messages, dialect, w)
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
    w: &mut ByteWriter,
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

    /// Decodes a block into `messages`, which is emptied first. FaultKind could not be decoded is the last message.
    pub fn read<'a>(&mut self, block: &Block<'a>, messages: &mut Vec<Message<'a>>) -> Option<Diagnostic> {
        loop {
            messages.clear();
            let mut decoder = Messages::new(block.payload, self.dialect);
            messages.extend(decoder.by_ref());
            if !self.reconsider(block, &decoder) {
                self.carry(&decoder);
                return broken(&decoder, block);
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
        if block.is_cut() || matches!(fault.what, FaultKind::Unsupported(_)) {
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
