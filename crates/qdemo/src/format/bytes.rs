//! Messages that travel on bytes: reading and writing those of a block, for all formats but Quake III's.

use super::{Begin, BlockOf, DialectOf, Format, MessageSet, Packet, State, Visitor};
use std::marker::PhantomData;

use crate::describe::{Body, ByteWire, Receiver, Unknown, Wire};
use crate::error::Protocol;
use crate::format::AnyDialect;
use crate::frame::{Block, Diagnostic, Header};
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
    fault: Option<Fault>,
    start: usize,
}

impl<'a, M: ByteMessages<'a>> Messages<'a, M> {
    /// The messages of a block's payload.
    pub fn new(payload: &'a [u8], dialect: DialectIn<'a, M>) -> Self {
        Self::remembering(payload, dialect, M::Memory::default())
    }

    /// The messages of a block's payload, in a dialect that needs memory of the blocks before.
    pub fn remembering(payload: &'a [u8], dialect: DialectIn<'a, M>, memory: M::Memory) -> Self {
        Messages { r: ByteReader::new(payload), dialect, memory, fault: None, start: 0 }
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
        let read = match M::remembers(&self.dialect) {
            false => M::read_numbered(id, &mut self.r, &self.dialect),
            true => M::read_remembering(id, &mut self.r, &self.dialect, &mut self.memory),
        };
        match read {
            Some(read) => read,
            None => Err(Fault::new(FaultKind::UnknownMessage(id), self.start)),
        }
    }

    /// Hands on all messages that are left, each with the dialect after it and its size: the same as going through them, and faster.
    #[inline(always)]
    fn each<F: Format<Wire = M::Wire, Message<'a> = M>, V: Visitor<F>>(&mut self, to: &mut V) {
        while !self.r.is_empty() {
            self.start = self.r.pos();
            let mut carry = Carry { before: &self.dialect, after: None, to, format: PhantomData };
            let read = match self.r.u8() {
                Ok(id) if self.dialect.is_decoded() && !M::remembers(&self.dialect) => {
                    M::read_numbered_then(id, &mut self.r, &self.dialect, &mut carry)
                }
                _ => None,
            };
            let after = carry.after;
            if let Some(after) = after {
                self.dialect = after;
                self.memory = M::Memory::default();
            }
            if !matches!(read, Some(Ok(()))) {
                // Once more, slowly: what went wrong is told there.
                self.r.back_to(self.start);
                self.next_to(to);
            }
            to.size(self.r.pos() - self.start);
        }
    }

    /// Hands on the next message. Apart, and not in code of its own for each kind, so that compilers are done with it sooner.
    #[cold]
    #[inline(never)]
    fn next_to<F: Format<Wire = M::Wire, Message<'a> = M>, V: Visitor<F>>(&mut self, to: &mut V) {
        if let Some(message) = self.next() {
            to.message(&message, &self.dialect);
        }
    }

    #[cold]
    fn give_up(&mut self, fault: Fault) -> M {
        if let (FaultKind::Unsupported(protocol), true) = (fault.what, self.dialect.is_decoded()) {
            self.dialect = self.dialect.undecoded(protocol.number);
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
    fn receive(&mut self, message: &M) {
        self.after = message.dialect_after(self.before);
        self.to.message(message, self.after.as_ref().unwrap_or(self.before));
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

/// Where the messages of a block are.
#[derive(Debug)]
pub(crate) struct Split<'a, C> {
    /// What stands around them.
    pub(crate) contents: C,
    /// The messages.
    pub(crate) messages: &'a [u8],
    /// What is wrong with what stands in front of them: the fault, and where in the payload.
    pub(crate) fault: Option<(Fault, usize)>,
}

impl<'a, C> Split<'a, C> {
    /// A payload of messages alone.
    pub(crate) fn all(contents: C, messages: &'a [u8]) -> Self {
        Split { contents, messages, fault: None }
    }
}

/// A format whose messages travel on bytes.
pub(crate) trait ByteFormat: Format {
    /// Finds the messages of a block.
    fn split<'a>(block: &BlockOf<'a, Self>, d: &DialectOf<Self>) -> Split<'a, Self::Contents<'a>>;

    /// Writes what stands in front of the messages.
    fn write_contents(_: &Self::Contents<'_>, _: &mut ByteWriter) -> Result<(), Fault> {
        Ok(())
    }

    /// The dialect of a block that says itself how it is read, whatever the recording has told before.
    fn told(_: &BlockOf<'_, Self>, _: &DialectOf<Self>) -> Option<DialectOf<Self>> {
        None
    }

    /// True where that dialect may turn out to be wrong: when the block does not decode, [`ByteFormat::others`] are tried.
    fn is_open(_: &BlockOf<'_, Self>, _: &DialectOf<Self>) -> bool {
        false
    }

    /// The other dialects that a block may be in.
    fn others(_: &BlockOf<'_, Self>, _: &DialectOf<Self>) -> Vec<DialectOf<Self>> {
        Vec::new()
    }

    /// Messages that are laid out in a way of their own: those read, and the bytes from the first that could not be.
    fn read_otherwise<'a>(_: &Split<'a, Self::Contents<'a>>, _: &DialectOf<Self>) -> Option<OwnLayout<'a, Self>> {
        None
    }

    /// Writes a message that is laid out in a way of its own; `None` for one that is not.
    fn write_otherwise(
        _: &Self::Contents<'_>,
        _: &Self::Message<'_>,
        _: &DialectOf<Self>,
        _: &mut ByteWriter,
    ) -> Option<Result<(), Fault>> {
        None
    }
}

/// Messages that are laid out in a way of their own.
#[derive(Debug)]
pub(crate) struct OwnLayout<'a, F: Format> {
    /// Those that could be read, each with its bytes.
    pub(crate) messages: Vec<(F::Message<'a>, usize)>,
    /// The bytes from the first that could not.
    pub(crate) rest: &'a [u8],
    /// Why not.
    pub(crate) why: &'static str,
}

impl<'a, F: Format> OwnLayout<'a, F> {
    fn diagnostic(&self, block: &BlockOf<'a, F>) -> Option<Diagnostic> {
        let offset = block.payload_offset() + (block.payload.len() - self.rest.len()) as u64;
        let fault = || Fault::new(FaultKind::Malformed(self.why), 0);
        (!self.rest.is_empty()).then(|| block.diagnostic(fault(), offset))
    }
}

/// The messages of a block, as what was told so far has them.
#[inline]
fn as_told<'a, F, M>(state: &State<F>, block: &BlockOf<'a, F>, bytes: &'a [u8]) -> Messages<'a, M>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M, Memory = M::Memory>,
    M: ByteMessages<'a>,
{
    match F::told(block, &state.dialect) {
        Some(dialect) => Messages::new(bytes, dialect),
        None => Messages::remembering(bytes, state.dialect, state.memory.clone()),
    }
}

/// The first of the other readings of a block that decodes all of it, when the one that was `tried` did not. A protocol
/// that is not decoded has none.
fn otherwise<'a, F, M>(
    state: &State<F>,
    block: &BlockOf<'a, F>,
    tried: &Messages<'a, M>,
    bytes: &'a [u8],
) -> Option<Messages<'a, M>>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M>,
    M: ByteMessages<'a>,
{
    let fault = tried.fault()?;
    if matches!(fault.what, FaultKind::Unsupported(_)) || !F::is_open(block, &state.dialect) {
        return None;
    }
    let others = F::others(block, &state.dialect).into_iter().map(|dialect| Messages::new(bytes, dialect));
    let is_clean = |messages: &Messages<'a, M>| {
        let mut trial = messages.clone();
        trial.by_ref().for_each(drop);
        trial.fault().is_none()
    };
    others.into_iter().find(is_clean)
}

/// Reads a block: see [`Format::read`].
pub(crate) fn read<'a, F, M>(
    state: &mut State<F>,
    block: &BlockOf<'a, F>,
    messages: &mut Vec<M>,
    ends: &mut Vec<usize>,
) -> super::Read<F::Contents<'a>>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M, Memory = M::Memory>,
    M: ByteMessages<'a>,
{
    let split = F::split(block, &state.dialect);
    let at = block.payload.len() - split.messages.len();
    if let Some(laid) = F::read_otherwise(&split, &state.dialect) {
        let diagnostic = laid.diagnostic(block);
        let mut end = at;
        messages.extend(laid.messages.into_iter().map(|(message, size)| {
            end += size;
            ends.push(end);
            message
        }));
        if !laid.rest.is_empty() {
            messages.push(M::unknown(Unknown { bytes: laid.rest.into() }));
            ends.push(block.payload.len());
        }
        state.before = state.dialect;
        return super::Read { contents: split.contents, start: at, diagnostic };
    }
    if split.messages.is_empty() {
        state.before = state.dialect;
        let diagnostic = in_front(block, &split);
        return super::Read { contents: split.contents, start: at, diagnostic };
    }
    // Messages have 7 bytes on average; growing by doubling would copy most of them twice.
    messages.reserve(split.messages.len() / 6 + 1);
    let mut all = |reader: &mut Messages<'a, M>| {
        messages.clear();
        ends.clear();
        let start = reader.r.pos();
        // Each ends where the next one begins: noted then, a message goes to its place in the list without a copy.
        messages.extend(std::iter::from_fn(|| {
            if reader.r.pos() > start {
                ends.push(at + reader.r.pos());
            }
            reader.next()
        }));
    };
    let mut reader = as_told::<F, M>(state, block, split.messages);
    state.before = reader.dialect;
    all(&mut reader);
    let first = otherwise::<F, M>(state, block, &reader, split.messages);
    if let Some(other) = &first {
        state.before = other.dialect;
        reader = other.clone();
        all(&mut reader);
    }
    let diagnostic = finish(state, block, &split, first, &mut reader);
    super::Read { contents: split.contents, start: at, diagnostic }
}

/// Reads a block past a visitor: see [`Format::visit`].
#[inline(always)]
pub(crate) fn visit<'a, F, M>(
    state: &mut State<F>,
    block: &BlockOf<'a, F>,
    visitor: &mut impl Visitor<F>,
) -> Option<Diagnostic>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M, Memory = M::Memory>,
    M: ByteMessages<'a>,
{
    let split = F::split(block, &state.dialect);
    if let Some(laid) = F::read_otherwise(&split, &state.dialect) {
        visitor.begin(Begin {
            block,
            contents: &split.contents,
            dialect: &state.dialect,
            server_time: None,
            on_trial: false,
        });
        for (message, size) in &laid.messages {
            visitor.message(message, &state.dialect);
            visitor.size(*size);
        }
        if !laid.rest.is_empty() {
            visitor.message(&M::unknown(Unknown { bytes: laid.rest.into() }), &state.dialect);
            visitor.size(laid.rest.len());
        }
        return laid.diagnostic(block);
    }
    if split.messages.is_empty() {
        let (contents, dialect) = (&split.contents, &state.dialect);
        visitor.begin(Begin { block, contents, dialect, server_time: None, on_trial: false });
        return in_front(block, &split);
    }
    let mut on_trial = F::is_open(block, &state.dialect);
    let mut reader = as_told::<F, M>(state, block, split.messages);
    let mut first = None;
    if on_trial && !visitor.takes_back() {
        let mut trial = reader.clone();
        trial.by_ref().for_each(drop);
        first = otherwise::<F, M>(state, block, &trial, split.messages);
        reader = first.clone().unwrap_or(reader);
        on_trial = false;
    }
    visitor.begin(Begin { block, contents: &split.contents, dialect: &reader.dialect, server_time: None, on_trial });
    reader.each(visitor);
    if on_trial && reader.fault.is_some() {
        first = otherwise::<F, M>(state, block, &reader, split.messages);
        if let Some(other) = &first {
            visitor.take_back();
            let (contents, dialect) = (&split.contents, &other.dialect);
            visitor.begin(Begin { block, contents, dialect, server_time: None, on_trial: false });
            reader = other.clone();
            while !reader.r.is_empty() {
                reader.next_to(visitor);
                visitor.size(reader.r.pos() - reader.start);
            }
        }
    }
    finish(state, block, &split, first, &mut reader)
}

/// Goes on behind a block; gives the fault in it. `first` is the reading at its beginning, when it is not what was told.
#[inline]
fn finish<'a, F, M>(
    state: &mut State<F>,
    block: &BlockOf<'a, F>,
    split: &Split<'a, F::Contents<'a>>,
    first: Option<Messages<'a, M>>,
    reader: &mut Messages<'a, M>,
) -> Option<Diagnostic>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M, Memory = M::Memory>,
    M: ByteMessages<'a>,
{
    let diagnostic = match (&split.fault, &reader.fault) {
        (None, None) => None,
        _ => fault_in(state, block, split, first, reader),
    };
    state.dialect = reader.dialect;
    state.memory = std::mem::take(&mut reader.memory);
    diagnostic
}

/// The first fault in a block: in front of its messages, or in one of them.
#[cold]
fn fault_in<'a, F, M>(
    state: &State<F>,
    block: &BlockOf<'a, F>,
    split: &Split<'a, F::Contents<'a>>,
    first: Option<Messages<'a, M>>,
    reader: &Messages<'a, M>,
) -> Option<Diagnostic>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M, Memory = M::Memory>,
    M: ByteMessages<'a>,
{
    in_front(block, split).or_else(|| {
        let fault = reader.fault.clone()?;
        let again = first.unwrap_or_else(|| as_told::<F, M>(state, block, split.messages));
        let after = reader.before_the_fault(again);
        let at = block.payload.len() - split.messages.len() + reader.start;
        Some(Diagnostic { after, ..block.diagnostic(fault, block.payload_offset() + at as u64) })
    })
}

/// The fault in what stands in front of the messages of a block.
fn in_front<H: Header, C>(block: &Block<'_, H>, split: &Split<'_, C>) -> Option<Diagnostic> {
    let (fault, at) = split.fault.as_ref()?;
    Some(block.diagnostic(fault.clone(), block.payload_offset() + *at as u64))
}

/// Writes the payload of a packet: see [`Format::write`].
pub(crate) fn write<'a, F, M>(
    packet: &Packet<'a, F>,
    dialect: &mut DialectOf<F>,
    w: &mut ByteWriter,
) -> Result<(), Fault>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M>,
    M: ByteMessages<'a>,
{
    F::write_contents(&packet.contents, w)?;
    packet.messages.iter().try_for_each(|message| write_message::<F, M>(&packet.contents, message, dialect, w))
}

/// Writes a message among these contents.
#[inline]
pub(crate) fn write_message<'a, F, M>(
    contents: &F::Contents<'a>,
    message: &M,
    dialect: &mut DialectOf<F>,
    w: &mut ByteWriter,
) -> Result<(), Fault>
where
    F: ByteFormat<Wire = M::Wire, Message<'a> = M>,
    M: ByteMessages<'a>,
{
    match F::write_otherwise(contents, message, dialect, w) {
        Some(written) => written,
        None => encode_message(message, dialect, w),
    }
}

/// What [`Format`] asks of a format on bytes, once for all of them.
macro_rules! byte_format {
    () => {
        fn read<'a>(
            state: &mut $crate::format::State<Self>,
            block: &$crate::format::BlockOf<'a, Self>,
            messages: &mut Vec<Self::Message<'a>>,
            ends: &mut Vec<usize>,
        ) -> $crate::format::Read<Self::Contents<'a>> {
            $crate::format::bytes::read(state, block, messages, ends)
        }
        #[inline(always)]
        fn visit<V: $crate::format::Visitor<Self>>(
            state: &mut $crate::format::State<Self>,
            block: &$crate::format::BlockOf<'_, Self>,
            visitor: &mut V,
        ) -> Option<$crate::frame::Diagnostic> {
            $crate::format::bytes::visit(state, block, visitor)
        }
        fn write(
            packet: &$crate::format::Packet<'_, Self>,
            d: &mut $crate::format::DialectOf<Self>,
            w: &mut $crate::wire::ByteWriter,
        ) -> Result<(), $crate::wire::Fault> {
            $crate::format::bytes::write(packet, d, w)
        }
        fn shorten<'a>(packet: $crate::format::Packet<'static, Self>) -> $crate::format::Packet<'a, Self> {
            let $crate::format::Packet { header, contents, messages } = packet;
            $crate::format::Packet { header, contents, messages }
        }
        fn into_owned(packet: $crate::format::Packet<'_, Self>) -> $crate::format::Packet<'static, Self> {
            use $crate::wire::IntoOwned;
            $crate::format::Packet {
                header: packet.header,
                contents: packet.contents.into_owned(),
                messages: packet.messages.into_iter().map(IntoOwned::into_owned).collect(),
            }
        }
    };
}

/// Implements [`ByteMessages`] for the messages of a format; `memory` is what they remember, with `matter` and `read`
/// for what [`ByteMessages`] has.
macro_rules! byte_messages {
    ($message:ident, $kind:ident) => {
        byte_messages!(@ $message, $kind, { type Memory = (); });
    };
    ($message:ident, $kind:ident, memory $memory:ty) => {
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

pub(crate) use {byte_format, byte_messages};
