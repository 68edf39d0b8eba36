//! Messages that travel on bytes, for all formats but Quake III's: reading and writing them one after the other; `block` has
//! what stands around them.

mod block;

use std::marker::PhantomData;

use super::{Format, MessageSet, Visitor};
use crate::describe::{Body, ByteWire, Receiver, Unknown, Wire};
use crate::error::Protocol;
use crate::format::AnyDialect;
use crate::wire::{ByteReader, ByteWriter, Fault, FaultKind};

/// Messages that travel on bytes, each behind its number.
pub trait ByteMessages<'a>: MessageSet<'a, Wire: ByteWire> {
    /// What of earlier messages it takes to read later ones: nothing in nearly all dialects.
    type Memory: Clone + Default + PartialEq + std::fmt::Debug + Send;
    /// True for a dialect whose messages can only be read with that.
    fn remembers(_: &DialectIn<'a, Self>) -> bool {
        false
    }
    /// [`ByteMessages::read_numbered`] in such a dialect.
    fn read_remembering(
        id: u8,
        r: &mut ByteReader<'a>,
        d: &DialectIn<'a, Self>,
        _: &mut Self::Memory,
    ) -> Option<Result<Self, Fault>> {
        Self::read_numbered(id, r, d)
    }
    /// Within a recording of a known protocol: refuses the message with a number if that is an introduction with one that nobody
    /// knows. Only where such an introduction can be read, that is; else reading refuses it. The cursor stands behind the number.
    ///
    /// # Errors
    /// The protocol is not decoded.
    fn refuse_nobodys(_id: u8, _: &ByteReader<'a>, _: &DialectIn<'a, Self>) -> Result<(), Fault> {
        Ok(())
    }
    /// Reads the message with a number; `None` when the dialect has none with it. The cursor stands behind the number.
    fn read_numbered(id: u8, r: &mut ByteReader<'a>, d: &DialectIn<'a, Self>) -> Option<Result<Self, Fault>>;
    /// Reads the message with a number and hands it on; `None` when the dialect has none with it.
    fn read_numbered_then(
        id: u8,
        r: &mut ByteReader<'a>,
        d: &DialectIn<'a, Self>,
        to: &mut impl Receiver<Self>,
    ) -> Option<Result<(), Fault>>;
    /// Its number in a dialect.
    fn number(&self, d: &DialectIn<'a, Self>) -> Option<u8>;
    /// Writes the message with its number `id`.
    ///
    /// # Errors
    /// What the dialect cannot write.
    fn write_numbered(&self, id: u8, w: &mut ByteWriter, d: &DialectIn<'a, Self>) -> Result<(), Fault>;
}

/// What the protocols of some messages differ in.
type DialectIn<'a, M> = <<M as MessageSet<'a>>::Wire as Wire>::Dialect;

/// Writes the deltas of entities, and the word 0 that ends their list.
pub(crate) fn write_deltas<'a, W: ByteWire, M: Body<'a, W>>(
    list: &[M],
    w: &mut ByteWriter,
    d: &W::Dialect,
) -> Result<(), Fault> {
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
pub struct Messages<'a, M: ByteMessages<'a>> {
    r: ByteReader<'a>,
    dialect: DialectIn<'a, M>,
    memory: M::Memory,
    /// A server has introduced itself with a protocol that is decoded.
    introduced: bool,
    fault: Option<Fault>,
    start: usize,
}

/// Why a protocol is damage that no server of the Quake family has.
const NOBODYS: &str = "a protocol that is not known, within a recording of one that is";

impl<'a, M: ByteMessages<'a>> Messages<'a, M> {
    /// The messages of a block's payload.
    pub fn new(payload: &'a [u8], dialect: DialectIn<'a, M>) -> Self {
        Self::remembering(payload, dialect, M::Memory::default())
    }

    /// The messages of a block's payload, in a dialect that needs memory of the blocks before.
    pub fn remembering(payload: &'a [u8], dialect: DialectIn<'a, M>, memory: M::Memory) -> Self {
        Messages { r: ByteReader::new(payload), dialect, memory, introduced: false, fault: None, start: 0 }
    }

    /// The same within a recording, in which a server has `introduced` itself with a protocol that is decoded, or not yet. An
    /// introduction with a protocol that nobody knows is damage there: it changes nothing for what follows.
    #[must_use]
    pub(crate) fn within(self, introduced: bool) -> Self {
        Messages { introduced, ..self }
    }

    /// The memory after the messages read so far. Carry it to the next block.
    pub fn memory(&self) -> M::Memory {
        self.memory.clone()
    }

    /// The dialect after the messages read so far: the server's introduction changes it. Carry it to the next block.
    pub fn dialect(&self) -> DialectIn<'a, M> {
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

    /// Names of the messages just before the one read last. They are read `again`: only a fault asks for them.
    #[cold]
    fn before_the_fault(&self, mut again: Self) -> Vec<&'static str> {
        const MOST: usize = 3;
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
    fn read(&mut self) -> Result<M, Fault> {
        let id = self.r.u8()?;
        self.check(id)?;
        let read = match M::remembers(&self.dialect) {
            false => M::read_numbered(id, &mut self.r, &self.dialect),
            true => M::read_remembering(id, &mut self.r, &self.dialect, &mut self.memory),
        };
        match read {
            Some(read) => read,
            None => Err(Fault::new(FaultKind::UnknownMessage(id), self.start)),
        }
    }

    /// Looks at the message with a number before it is read. To refuse one that was read would copy each of them once more.
    #[inline(always)]
    fn check(&self, id: u8) -> Result<(), Fault> {
        if self.introduced { M::refuse_nobodys(id, &self.r, &self.dialect) } else { Ok(()) }
    }

    /// Hands on all messages that are left, each with the dialect after it and its size: the same as going through them, and faster.
    #[inline(always)]
    fn each<F: Format<Wire = M::Wire, Message<'a> = M>, V: Visitor<F>>(&mut self, to: &mut V) {
        while !self.r.is_empty() {
            self.start = self.r.pos();
            let mut carry = Carry { before: &self.dialect, after: None, to, format: PhantomData };
            let read = match self.r.u8() {
                Ok(id) if self.dialect.is_decoded() && !M::remembers(&self.dialect) && self.check(id).is_ok() => {
                    M::read_numbered_then(id, &mut self.r, &self.dialect, &mut carry)
                }
                _ => None,
            };
            if let Some(after) = carry.after {
                self.change(after);
            }
            if !matches!(read, Some(Ok(()))) {
                // Once more, slowly: what went wrong is told there.
                self.r.back_to(self.start);
                self.next_to(to);
            }
            to.size(self.r.pos() - self.start);
        }
    }

    /// Reads the next message to behind others: the same as [`Iterator::next`], and faster, as most are far smaller than the place
    /// that the largest takes, all of which is moved once a message is made. False where there is none.
    #[inline(always)]
    fn next_onto(&mut self, to: &mut Vec<M>) -> bool {
        if self.r.is_empty() {
            return false;
        }
        self.start = self.r.pos();
        let read = match self.r.u8() {
            Ok(id) if self.dialect.is_decoded() && !M::remembers(&self.dialect) && self.check(id).is_ok() => {
                M::read_numbered_then(id, &mut self.r, &self.dialect, to)
            }
            _ => None,
        };
        if !matches!(read, Some(Ok(()))) {
            // Once more, slowly: what went wrong is told there.
            self.r.back_to(self.start);
            to.extend(self.next());
        } else if let Some(after) = to.last().and_then(|message| message.dialect_after(&self.dialect)) {
            self.change(after);
        }
        true
    }

    /// Hands on the next message. Apart, and not in code of its own for each kind, so that compilers are done with it sooner.
    #[cold]
    #[inline(never)]
    fn next_to<F: Format<Wire = M::Wire, Message<'a> = M>, V: Visitor<F>>(&mut self, to: &mut V) {
        if let Some(message) = self.next() {
            to.message(&message, &self.dialect);
        }
    }

    /// Goes on in another dialect.
    // A call between reading a message and handing it on would copy it once more: `scripts/instructions.sh` shows that.
    #[inline(always)]
    fn change(&mut self, dialect: DialectIn<'a, M>) {
        self.introduced |= dialect.is_decoded();
        self.dialect = dialect;
        self.memory = M::Memory::default();
    }

    #[cold]
    fn give_up(&mut self, mut fault: Fault) -> M {
        if let (FaultKind::Unsupported(protocol), true) = (fault.what, self.dialect.is_decoded()) {
            let after = self.dialect.undecoded(protocol.number);
            // A protocol that nobody knows is damage, where a server was introduced before.
            match self.introduced && after.name() == Protocol::UNKNOWN {
                true => fault = fault.because(FaultKind::Malformed(NOBODYS)),
                false => self.dialect = after,
            }
        }
        self.fault = Some(fault);
        M::unknown(Unknown { bytes: self.r.rest_from(self.start).into() })
    }
}

/// Hands a message to a visitor, and notes what dialect it leads to.
struct Carry<'d, 'v, D, V, F> {
    before: &'d D,
    after: Option<D>,
    to: &'v mut V,
    format: PhantomData<F>,
}

impl<'a, M, V, F> Receiver<M> for Carry<'_, '_, DialectIn<'a, M>, V, F>
where
    M: ByteMessages<'a>,
    F: Format<Wire = M::Wire, Message<'a> = M>,
    V: Visitor<F>,
{
    #[inline(always)]
    fn receive(&mut self, message: M) {
        self.after = message.dialect_after(self.before);
        self.to.message(&message, self.after.as_ref().unwrap_or(self.before));
    }
}

impl<'a, M: ByteMessages<'a>> Iterator for Messages<'a, M> {
    type Item = M;

    // A call of its own would copy the message once more.
    #[inline(always)]
    fn next(&mut self) -> Option<M> {
        if self.r.is_empty() {
            return None;
        }
        self.start = self.r.pos();
        if !self.dialect.is_decoded() {
            let protocol = Protocol { number: self.dialect.protocol(), name: self.dialect.name() };
            return Some(self.give_up(Fault::new(FaultKind::Unsupported(protocol), self.start)));
        }
        match self.read() {
            Ok(message) => {
                if let Some(after) = message.dialect_after(&self.dialect) {
                    self.change(after);
                }
                Some(message)
            }
            Err(fault) => Some(self.give_up(fault)),
        }
    }
}

/// Writes messages as they stand in a block; `dialect` changes where one says so.
///
/// # Errors
/// A [`Fault`] names the message and field that the dialect cannot write.
pub fn encode_messages<'m, 'a: 'm, M: ByteMessages<'a> + 'm>(
    messages: impl IntoIterator<Item = &'m M>,
    dialect: &mut DialectIn<'a, M>,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    messages.into_iter().try_for_each(|message| encode_message(message, dialect, w))
}

/// Writes a message as it stands in a block.
#[inline(always)]
fn encode_message<'a, M: ByteMessages<'a>>(
    message: &M,
    dialect: &mut DialectIn<'a, M>,
    w: &mut ByteWriter,
) -> Result<(), Fault> {
    let id = match message.kind() {
        None => 0,
        Some(_) => message
            .number(dialect)
            .ok_or_else(|| Fault::unwritable("this protocol has no such message").in_message(message.name()))?,
    };
    message.write_numbered(id, w, dialect)?;
    if let Some(after) = message.dialect_after(dialect) {
        *dialect = after;
    }
    Ok(())
}

/// Implements [`ByteMessages`] for the messages of a format; `memory` is what they remember, with `matter` and `read`
/// for what [`ByteMessages`] has; `refuse` is [`ByteMessages::refuse_nobodys`].
macro_rules! byte_messages {
    ($message:ident, $kind:ident) => {
        byte_messages!(@ $message, $kind, { type Memory = (); });
    };
    ($message:ident, $kind:ident, memory $memory:ty, refuse $refuse:path) => {
        byte_messages!(@ $message, $kind, {
            type Memory = $memory;
            #[inline]
            fn remembers(d: &<Wire as $crate::describe::Wire>::Dialect) -> bool {
                <$memory>::matter(d)
            }
            fn read_remembering(
                id: u8,
                r: &mut ByteReader<'a>,
                d: &<Wire as $crate::describe::Wire>::Dialect,
                memory: &mut $memory,
            ) -> Option<Result<Self, Fault>> {
                memory.read(id, r, d)
            }
            #[inline(always)]
            fn refuse_nobodys(
                id: u8,
                r: &ByteReader<'a>,
                d: &<Wire as $crate::describe::Wire>::Dialect,
            ) -> Result<(), Fault> {
                $refuse(id, r, d)
            }
        });
    };
    (@ $message:ident, $kind:ident, { $($memory:tt)* }) => {
        impl<'a> $crate::format::ByteMessages<'a> for $message<'a> {
            $($memory)*
            #[inline(always)]
            fn read_numbered(id: u8, r: &mut ByteReader<'a>, d: &<Wire as $crate::describe::Wire>::Dialect) -> Option<Result<Self, Fault>> {
                let kind = $kind::ALL.get(d.opcodes.kind(id)?)?;
                Some($message::read(*kind, id, r, d))
            }
            #[inline(always)]
            fn read_numbered_then(
                id: u8,
                r: &mut ByteReader<'a>,
                d: &<Wire as $crate::describe::Wire>::Dialect,
                to: &mut impl $crate::describe::Receiver<Self>,
            ) -> Option<Result<(), Fault>> {
                let kind = $kind::ALL.get(d.opcodes.kind(id)?)?;
                Some($message::read_then(*kind, id, r, d, to))
            }
            #[inline]
            fn number(&self, d: &<Wire as $crate::describe::Wire>::Dialect) -> Option<u8> {
                d.opcodes.code(self.kind()? as usize)
            }
            #[inline]
            fn write_numbered(&self, id: u8, w: &mut ByteWriter, d: &<Wire as $crate::describe::Wire>::Dialect) -> Result<(), Fault> {
                self.write_as(id, w, d)
            }
        }
    };
}

pub(crate) use block::{ByteFormat, OwnLayout, Split, byte_format, read, visit, write, write_message};
pub(crate) use byte_messages;
