//! Messages of a block: bytes to messages, messages to bytes.

use super::block::{Framer, Piece, Step};
use super::message::{Kind, Message};
use crate::describe::Unknown;
use crate::dialect::{Dialect, Variant};
use crate::limits::Limits;
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
    dialect: Dialect,
    fault: Option<Fault>,
    start: usize,
    recent: [&'static str; 3],
}

impl<'a> Messages<'a> {
    /// The messages of a block's payload.
    pub fn new(payload: &'a [u8], dialect: Dialect) -> Self {
        Messages { r: Reader::new(payload), dialect, fault: None, start: 0, recent: [""; 3] }
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
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Names of the messages read before the fault, oldest first, at most 3.
    pub fn recent(&self) -> impl Iterator<Item = &'static str> {
        self.recent.into_iter().filter(|n| !n.is_empty())
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

    /// The messages just before `at`, read again: this happens only after a fault.
    #[cold]
    fn remember(&mut self, first: &Dialect) {
        let until = self.start;
        let mut again = Messages::new(self.r.clone().rest_from(0), *first);
        let mut recent = [""; 3];
        while again.r.pos() < until {
            match again.read() {
                Ok(m) => recent = [recent[1], recent[2], m.name()],
                Err(_) => break,
            }
            again.start = again.r.pos();
        }
        self.recent = recent;
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
            Err(fault) => {
                let dialect = self.dialect;
                let message = self.give_up(fault);
                self.remember(&dialect);
                Some(message)
            }
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

/// Which reading of the protocol decodes the beginning of a file with the fewest faults.
///
/// Protocol 15 alone does not tell Nehahra and a few others from Quake; nearly always the first trial is clean.
pub fn find_variant(beginning: &[u8], at_end: bool, limits: Limits) -> Variant {
    let faults = |variant| {
        let mut framer = Framer::new(limits);
        let mut dialect = Dialect::initial(variant);
        let (mut at, mut faults) = (0, 0usize);
        while let Step::Cut(cut) = framer.next(&beginning[at..], at_end) {
            let piece = cut.piece(&beginning[at..]);
            at += cut.len;
            if let Piece::Block(block) = piece {
                let mut messages = Messages::new(block.payload, dialect);
                messages.by_ref().for_each(drop);
                // A cut block ends with a fault in every reading.
                let fault = messages.fault().filter(|f| !block.is_cut() && !matches!(f.what, What::Unsupported(_)));
                faults += usize::from(fault.is_some());
                dialect = messages.dialect();
            }
        }
        faults
    };
    let mut best = (Variant::Standard, faults(Variant::Standard));
    for variant in Variant::ALL {
        if best.1 == 0 {
            break;
        }
        let n = faults(variant);
        if n < best.1 {
            best = (variant, n);
        }
    }
    best.0
}
