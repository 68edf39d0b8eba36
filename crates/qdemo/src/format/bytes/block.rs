//! Blocks whose messages travel on bytes: what stands in front of the messages, other readings where the first does not
//! decode, and what is wrong with one.

use super::{ByteMessages, Messages, encode_message};
use crate::describe::Unknown;
use crate::format::{Begin, BlockOf, DialectOf, Format, Packet, Read, State, Visitor};
use crate::frame::{Block, Diagnostic, Header};
use crate::wire::{ByteWriter, Fault, FaultKind};

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
    .within(state.introduced)
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
    let in_dialect = |dialect| Messages::new(bytes, dialect).within(state.introduced);
    let others = F::others(block, &state.dialect).into_iter().map(in_dialect);
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
) -> Read<F::Contents<'a>>
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
        return Read { contents: split.contents, start: at, diagnostic };
    }
    if split.messages.is_empty() {
        state.before = state.dialect;
        let diagnostic = in_front(block, &split);
        return Read { contents: split.contents, start: at, diagnostic };
    }
    // Messages have 7 bytes on average; growing by doubling would copy most of them twice.
    messages.reserve(split.messages.len() / 6 + 1);
    let mut all = |reader: &mut Messages<'a, M>| {
        messages.clear();
        ends.clear();
        while reader.next_onto(messages) {
            ends.push(at + reader.r.pos());
        }
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
    Read { contents: split.contents, start: at, diagnostic }
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
    (state.dialect, state.introduced) = (reader.dialect, reader.introduced);
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

pub(crate) use byte_format;
