//! Reading and writing the messages of a block, for the formats whose messages travel on bytes.

use crate::describe::{Body, Each, Unknown};
use crate::dialect::Dialect;
use crate::error::Protocol;
use crate::format::Diagnostic;
use crate::wire::{Fault, ByteReader, FaultKind, ByteWriter};

/// The messages of one format, as its declarations give them.
pub trait MessageSet<'a>: Sized {
    /// FaultKind of earlier messages it takes to read later ones: nothing in nearly all dialects.
    type Memory: Clone + Default + std::fmt::Debug;
    /// True for a dialect whose messages can only be read with that.
    fn remembers(_: &Dialect) -> bool {
        false
    }
    /// [`MessageSet::read_numbered`] in such a dialect.
    fn read_remembering(id: u8, r: &mut ByteReader<'a>, d: &Dialect, _: &mut Self::Memory) -> Option<Result<Self, Fault>> {
        Self::read_numbered(id, r, d)
    }
    /// Reads the message with a number; `None` when the dialect has none with it. The cursor stands behind the number.
    fn read_numbered(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Option<Result<Self, Fault>>;
    /// Reads the message with a number and hands it on; `None` when the dialect has none with it.
    fn read_numbered_then(
        id: u8,
        r: &mut ByteReader<'a>,
        d: &Dialect,
        to: &mut impl Each<Self>,
    ) -> Option<Result<(), Fault>>;
    /// Bytes that could not be decoded, as a message.
    fn unknown(bytes: Unknown<'a>) -> Self;
    /// True for such a message.
    fn is_unknown(&self) -> bool;
    /// The name in text.
    fn message_name(&self) -> &'static str;
    /// Its number in a dialect.
    fn number(&self, d: &Dialect) -> Option<u8>;
    /// Writes the message with its number `id`.
    ///
    /// # Errors
    /// FaultKind the dialect cannot write.
    fn write_numbered(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault>;
    /// The dialect after this message, when it changes it.
    fn dialect_after(&self, d: &Dialect) -> Option<Dialect>;
}

/// Writes the deltas of entities, and the word 0 that ends their list.
pub(crate) fn write_deltas<'a, M: Body<'a>>(list: &[M], w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
    for entity in list {
        let at = w.len();
        Body::write(entity, 0, w, d)?;
        if w.as_slice().get(at..at + 2) == Some(&[0, 0]) {
            return Err(Fault::unwritable("entity 0 without a change: its mask would end the list"));
        }
    }
    w.u16(0);
    Ok(())
}

/// The messages of one block, in order. Reading never fails: at a fault the rest of the block becomes one unknown
/// message, and [`Messages::fault`] tells why.
#[derive(Debug, Clone)]
pub struct Messages<'a, M: MessageSet<'a>> {
    r: ByteReader<'a>,
    /// Dialect and memory at the beginning of the block.
    first: (Dialect, M::Memory),
    dialect: Dialect,
    memory: M::Memory,
    fault: Option<Fault>,
    start: usize,
}

impl<'a, M: MessageSet<'a>> Messages<'a, M> {
    /// The messages of a block's payload.
    pub fn new(payload: &'a [u8], dialect: Dialect) -> Self {
        Self::remembering(payload, dialect, M::Memory::default())
    }

    /// The messages of a block's payload, in a dialect that needs memory of the blocks before.
    pub fn remembering(payload: &'a [u8], dialect: Dialect, memory: M::Memory) -> Self {
        let first = (dialect, memory.clone());
        Messages { r: ByteReader::new(payload), first, dialect, memory, fault: None, start: 0 }
    }

    /// The memory after the messages read so far. Carry it to the next block.
    pub fn memory(&self) -> M::Memory {
        self.memory.clone()
    }

    /// The dialect after the messages read so far: the server's introduction changes it. Carry it to the next block.
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

    /// The fault with its place: `payload` is the offset of the first message in the file.
    pub fn broken_at(&self, payload: u64, block: u64) -> Option<Diagnostic> {
        let fault = self.fault.clone()?;
        Some(Diagnostic { fault, offset: payload + self.start as u64, block: Some(block), after: self.before_the_fault() })
    }

    /// Names of the messages just before the one read last. They are read again: only a fault asks for them.
    #[cold]
    fn before_the_fault(&self) -> Vec<&'static str> {
        const MOST: usize = 3;
        let (dialect, memory) = self.first.clone();
        let mut again = Self::remembering(self.r.clone().rest_from(0), dialect, memory);
        let mut names = Vec::new();
        while let Some(message) = again.next().filter(|_| again.start < self.start) {
            names.push(message.message_name());
            if names.len() > MOST {
                names.remove(0);
            }
        }
        names
    }

    #[inline]
    fn read(&mut self) -> Result<M, Fault> {
        let id = self.r.u8()?;
        let read = match M::remembers(&self.dialect) {
            false => M::read_numbered(id, &mut self.r, &self.dialect),
            true => M::read_remembering(id, &mut self.r, &self.dialect, &mut self.memory),
        };
        match read {
            Some(read) => read,
            None => Err(Fault::new(FaultKind::UnknownMessage(id), self.start)),
        }
    }

    /// Hands on all messages that are left: the same as going through them, and faster.
    #[inline(always)]
    pub(crate) fn each(&mut self, to: &mut impl Each<M>) {
        while !self.r.is_empty() {
            self.start = self.r.pos();
            let mut carry = Carry { before: &self.dialect, after: None, to: &mut *to };
            let read = match self.r.u8() {
                Ok(id) if self.dialect.decoded && !M::remembers(&self.dialect) => {
                    M::read_numbered_then(id, &mut self.r, &self.dialect, &mut carry)
                }
                _ => None,
            };
            if let Some(after) = carry.after {
                self.dialect = after;
                self.memory = M::Memory::default();
            }
            if !matches!(read, Some(Ok(()))) {
                // Once more, slowly: what went wrong is told there.
                self.r.back_to(self.start);
                if let Some(message) = self.next() {
                    to.each(&message);
                }
            }
        }
    }

    #[cold]
    fn give_up(&mut self, fault: Fault) -> M {
        if let (FaultKind::Unsupported(protocol), true) = (fault.what, self.dialect.decoded) {
            self.dialect = Dialect::undecoded(protocol.number);
        }
        self.fault = Some(fault);
        M::unknown(Unknown { bytes: self.r.rest_from(self.start).into() })
    }
}

/// Notes what dialect a message leads to, on its way.
struct Carry<'d, 'e, E> {
    before: &'d Dialect,
    after: Option<Dialect>,
    to: &'e mut E,
}

impl<'a, M: MessageSet<'a>, E: Each<M>> Each<M> for Carry<'_, '_, E> {
    #[inline(always)]
    fn each(&mut self, message: &M) {
        self.after = message.dialect_after(self.before);
        self.to.each(message);
    }
}

impl<'a, M: MessageSet<'a>> Iterator for Messages<'a, M> {
    type Item = M;

    #[inline]
    fn next(&mut self) -> Option<M> {
        if self.r.is_empty() {
            return None;
        }
        self.start = self.r.pos();
        if !self.dialect.decoded {
            let protocol = Protocol { number: self.dialect.protocol, name: self.dialect.name };
            return Some(self.give_up(Fault::new(FaultKind::Unsupported(protocol), self.start)));
        }
        match self.read() {
            Ok(message) => {
                if let Some(dialect) = message.dialect_after(&self.dialect) {
                    self.dialect = dialect;
                    self.memory = M::Memory::default();
                }
                Some(message)
            }
            Err(fault) => Some(self.give_up(fault)),
        }
    }
}

/// Writes messages as they stand in a block; `dialect` changes where the server introduces itself.
///
/// # Errors
/// A [`Fault`] names the message and field that the dialect cannot write.
pub fn encode_messages<'m, 'a: 'm, M: MessageSet<'a> + 'm>(
    messages: impl IntoIterator<Item = &'m M>,
    dialect: &mut Dialect,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    for message in messages {
        let id = match message.is_unknown() {
            true => 0,
            false => message.number(dialect).ok_or_else(|| {
                Fault::unwritable("this protocol has no such message").in_message(message.message_name())
            })?,
        };
        message.write_numbered(id, w, dialect)?;
        if let Some(after) = message.dialect_after(dialect) {
            *dialect = after;
        }
    }
    Ok(())
}

/// Implements [`MessageSet`] for the enum of a format. `after` is a function from message and dialect to the dialect
/// that it leads to; `memory` is what a format remembers, with `matter` and `read` for what [`MessageSet`] has.
macro_rules! message_set {
    ($message:ident, $kind:ident, $after:path) => {
        message_set!(@ $message, $kind, $after, { type Memory = (); });
    };
    ($message:ident, $kind:ident, $after:path, memory $memory:ty) => {
        message_set!(@ $message, $kind, $after, {
            type Memory = $memory;
            #[inline]
            fn remembers(d: &Dialect) -> bool {
                <$memory>::matter(d)
            }
            fn read_remembering(
                id: u8,
                r: &mut ByteReader<'a>,
                d: &Dialect,
                memory: &mut $memory,
            ) -> Option<Result<Self, Fault>> {
                memory.read(id, r, d)
            }
        });
    };
    (@ $message:ident, $kind:ident, $after:path, { $($memory:tt)* }) => {
        impl<'a> $crate::format::MessageSet<'a> for $message<'a> {
            $($memory)*
            #[inline(always)]
            fn read_numbered(id: u8, r: &mut ByteReader<'a>, d: &Dialect) -> Option<Result<Self, Fault>> {
                let kind = $kind::ALL.get(d.opcodes.kind(id)?)?;
                Some($message::read(*kind, id, r, d))
            }
            #[inline(always)]
            fn read_numbered_then(
                id: u8,
                r: &mut ByteReader<'a>,
                d: &Dialect,
                to: &mut impl $crate::describe::Each<Self>,
            ) -> Option<Result<(), Fault>> {
                let kind = $kind::ALL.get(d.opcodes.kind(id)?)?;
                Some($message::read_then(*kind, id, r, d, to))
            }
            fn unknown(bytes: $crate::describe::Unknown<'a>) -> Self {
                $message::Unknown(bytes)
            }
            #[inline]
            fn is_unknown(&self) -> bool {
                matches!(self, $message::Unknown(_))
            }
            fn message_name(&self) -> &'static str {
                self.name()
            }
            #[inline]
            fn number(&self, d: &Dialect) -> Option<u8> {
                d.opcodes.code(self.kind()? as usize)
            }
            #[inline]
            fn write_numbered(&self, id: u8, w: &mut ByteWriter, d: &Dialect) -> Result<(), Fault> {
                self.write_as(id, w, d)
            }
            #[inline(always)]
            fn dialect_after(&self, d: &Dialect) -> Option<Dialect> {
                $after(self, d)
            }
        }
    };
}

pub(crate) use message_set;
