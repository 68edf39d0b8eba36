//! Reading block after block: the one place where the dialect is carried along and other readings are tried.

use super::{BlockOf, DialectOf, Format, MessageSet, Packet, State};
use crate::error::Moment;
use crate::frame::{Block, Diagnostic};

/// Reads the blocks of a recording, carrying along what later ones need of earlier ones.
///
/// Reading never fails: at a fault the rest of a block becomes one unknown message. Where a protocol number does not
/// tell how messages are read, and a block does not decode, the other readings are tried, and one that decodes all of
/// it is taken from there on.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Chunk, Limits, Reader, format::dem};
/// let demo = &std::fs::read("../../testdata/dm13-15.dem")?[..];
/// let mut reader = Reader::new(demo, "dm13-15.dem", Limits::default())?;
/// let mut decoder = dem::Decoder::default();
/// let mut names = Vec::new();
/// while let Some(chunk) = reader.next_chunk()? {
///     let Chunk::Dem(dem::Chunk::Block(block)) = chunk else { continue };
///     let (packet, _) = decoder.read(&block);
///     for message in &packet.messages {
///         if let dem::Message::UpdateName(m) = message {
///             names.push(m.netname.clean());
///         }
///     }
/// }
/// assert_eq!(names[0], "Recorder");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Decoder<F: Format> {
    pub(super) state: State<F>,
    clock: F::Clock,
    block_time: Option<Moment>,
    start: usize,
    ends: Vec<usize>,
    /// Memory for messages.
    spare: Vec<F::Message<'static>>,
}

/// The memory of a list, for another one.
fn reused<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    // Collecting a list whose items are all left out, into one of items of the same size, uses its memory again.
    list.into_iter().filter_map(|_| None).collect()
}

impl<F: Format> Decoder<F> {
    /// A decoder at the beginning of a recording that begins in a dialect.
    pub fn new(dialect: DialectOf<F>) -> Self {
        let state = State { dialect, before: dialect, memory: F::Memory::default(), introduced: false, time: None };
        Decoder { state, clock: F::Clock::default(), block_time: None, start: 0, ends: Vec::new(), spare: Vec::new() }
    }

    /// One behind an introduction that the recording lacks, in a recording that begins in a dialect. It knows no time yet.
    pub(crate) fn behind(first: DialectOf<F>, introduction: &Packet<'_, F>) -> Self {
        let mut decoder = Self::new(first);
        decoder.follow(introduction);
        decoder.anew(decoder.dialect())
    }

    /// One that goes on from here, to be joined later: it knows no time yet.
    pub(crate) fn fork(&self) -> Self {
        let state = State { time: None, ..self.state.clone() };
        Decoder { state, clock: self.clock.clone(), ..Self::new(self.state.dialect) }
    }

    /// True when the next block means the same to both.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (state, others) = (&self.state, &other.state);
        let clocks = F::clock_behind(0).is_some() || self.clock == other.clock;
        let same = state.dialect == others.dialect && state.introduced == others.introduced;
        clocks && same && state.memory == others.memory
    }

    /// A new one in a dialect, in the recording that this one is in.
    pub(crate) fn anew(&self, dialect: DialectOf<F>) -> Self {
        let mut new = Self::new(dialect);
        new.state.introduced = self.state.introduced;
        new
    }

    /// Goes on where a fork has come to, which began with the next block.
    pub(crate) fn join(&mut self, fork: Self) {
        let time = fork.state.time.or(self.state.time);
        *self = fork;
        self.state.time = time;
    }

    /// A part of a recording begins, in front of which headers have told so many milliseconds.
    pub(crate) fn begin_part(&mut self, msec: i32) {
        if let Some(clock) = F::clock_behind(msec) {
            self.clock = clock;
        }
    }

    /// True when a server has introduced itself with a protocol that is decoded.
    pub(crate) fn is_introduced(&self) -> bool {
        self.state.introduced
    }

    /// The dialect at the beginning of the next block.
    pub fn dialect(&self) -> DialectOf<F> {
        self.state.dialect
    }

    /// The dialect that the block read last begins with: what its packet is to be written with.
    pub fn before(&self) -> DialectOf<F> {
        self.state.before
    }

    /// The time of the block read last, or of the last one before it that tells one.
    pub fn time(&self) -> Option<Moment> {
        self.state.time
    }

    /// The time of the block read last, if it tells one.
    pub(crate) fn block_time(&self) -> Option<Moment> {
        self.block_time
    }

    /// Where the messages of the block read last begin within the payload.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where each message of the block read last ends within the payload: in bytes, in Quake III in bits.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Reads a block, and tells what is wrong with it: what could not be decoded is the last message.
    pub fn read<'a>(&mut self, block: &BlockOf<'a, F>) -> (Packet<'a, F>, Option<Diagnostic>) {
        let mut messages = reused(std::mem::take(&mut self.spare));
        self.ends.clear();
        let read = F::read(&mut self.state, block, &mut messages, &mut self.ends);
        self.start = read.start;
        self.block_time = F::time(&mut self.clock, block, &messages, &self.state);
        self.state.time = self.block_time.or(self.state.time);
        let packet = Packet { header: block.model(), contents: read.contents, messages };
        (packet, read.diagnostic.or_else(|| block.cut_short()))
    }

    /// Goes on behind a packet that was not read but made: as if it had been written and read.
    pub fn follow(&mut self, packet: &Packet<'_, F>) {
        self.follow_in(packet, self.state.dialect);
    }

    /// The same behind one in a dialect that nothing in front of it may tell.
    pub(crate) fn follow_in(&mut self, packet: &Packet<'_, F>, before: DialectOf<F>) {
        let after = packet.messages.iter().fold(before, |d, message| message.dialect_after(&d).unwrap_or(d));
        self.state.dialect = before;
        match packet.to_bytes(before) {
            Ok(bytes) => {
                if let Some(block) = Block::of_bytes(&bytes, 0, 0) {
                    let (read, _) = self.read(&block);
                    self.recycle(read);
                }
            }
            // It tells no time, and what follows it is read without what it tells.
            Err(_) => {
                (self.block_time, self.start) = (None, 0);
                self.ends.clear();
            }
        }
        // What the packet says of itself holds, even where its bytes could be read in another way.
        (self.state.before, self.state.dialect) = (before, after);
    }

    /// Takes back the memory of a packet that is not wanted any more, for the next one.
    pub fn recycle(&mut self, packet: Packet<'_, F>) {
        let mut messages = packet.messages;
        F::recycle(&mut self.state, &mut messages);
        self.spare = reused(messages);
    }

    /// Shows the messages of a block to a visitor as they are read: faster than [`Decoder::read`]. Tells what is wrong
    /// with the block.
    #[inline]
    pub fn visit<V: Visitor<F>>(&mut self, block: &BlockOf<'_, F>, visitor: &mut V) -> Option<Diagnostic> {
        F::visit(&mut self.state, block, visitor).or_else(|| block.cut_short())
    }
}

/// A decoder whose owner visits with it: it is taken out for that time. It is made when it is needed.
#[derive(Debug, Clone)]
pub(crate) struct Owned<F: Format>(Option<Box<Decoder<F>>>);

impl<F: Format> Owned<F> {
    /// One that begins in a dialect.
    pub(crate) fn new(dialect: DialectOf<F>) -> Self {
        Owned(Some(Box::new(Decoder::new(dialect))))
    }

    /// One that goes on as a decoder.
    pub(crate) fn of(decoder: Decoder<F>) -> Self {
        Owned(Some(Box::new(decoder)))
    }

    /// The decoder. It is absent only while its owner visits with it.
    pub(crate) fn get(&self) -> Option<&Decoder<F>> {
        self.0.as_deref()
    }

    /// Shows a block to the owner of a decoder; `slot` finds it there.
    #[inline]
    pub(crate) fn visit<V: Visitor<F>>(
        owner: &mut V,
        slot: fn(&mut V) -> &mut Owned<F>,
        block: &BlockOf<'_, F>,
    ) -> Option<Diagnostic> {
        let mut decoder = slot(owner).0.take()?;
        let diagnostic = decoder.visit(block, owner);
        slot(owner).0 = Some(decoder);
        diagnostic
    }

    /// The same, for others too.
    #[inline]
    pub(crate) fn visit_with<V: Visitor<F>>(
        owner: &mut V,
        slot: fn(&mut V) -> &mut Owned<F>,
        block: &BlockOf<'_, F>,
        others: &mut [&mut dyn Visitor<F>],
    ) -> Option<Diagnostic> {
        if others.is_empty() {
            return Owned::visit(owner, slot, block);
        }
        let mut decoder = slot(owner).0.take()?;
        let diagnostic = decoder.visit(block, &mut (&mut *owner, others));
        slot(owner).0 = Some(decoder);
        diagnostic
    }
}

/// What is known of a block before its messages are visited.
#[derive(Debug)]
pub struct Begin<'b, 'a, F: Format> {
    /// The block.
    pub block: &'b BlockOf<'a, F>,
    /// What it holds besides messages.
    pub contents: &'b F::Contents<'a>,
    /// The dialect that its messages begin with.
    pub dialect: &'b DialectOf<F>,
    /// Server time of its snapshot in ms, which a damaged one may have, too: Quake III. Commands take effect then, though they
    /// stand in front of it.
    pub server_time: Option<i32>,
    /// True when another reading of the protocol may turn out to be the right one: then [`Visitor::take_back`] is called.
    pub on_trial: bool,
}

impl<F: Format> Clone for Begin<'_, '_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Format> Copy for Begin<'_, '_, F> {}

/// Sees the messages of blocks as they are read.
pub trait Visitor<F: Format> {
    /// True for a visitor that can take back what it has made of a block. Others see blocks only when it is clear how they
    /// are to be read; that costs a second reading where a protocol leaves it open.
    fn takes_back(&self) -> bool {
        false
    }

    /// True for a visitor that wants no states of players and entities: they are passed over where that is faster.
    fn texts_alone(&self) -> bool {
        false
    }

    /// A block begins.
    fn begin(&mut self, _: Begin<'_, '_, F>) {}

    /// A message, and the dialect after it.
    fn message(&mut self, message: &F::Message<'_>, dialect: &DialectOf<F>);

    /// The message seen last was so large: bytes, in Quake III bits.
    #[inline(always)]
    fn size(&mut self, _: usize) {}

    /// What was seen since the block began was a wrong reading. It begins again.
    fn take_back(&mut self) {}
}

/// Two visitors in one reading.
impl<F: Format, A: Visitor<F>, B: Visitor<F> + ?Sized> Visitor<F> for (&mut A, &mut B) {
    fn takes_back(&self) -> bool {
        self.0.takes_back() && self.1.takes_back()
    }

    fn texts_alone(&self) -> bool {
        self.0.texts_alone() && self.1.texts_alone()
    }
    fn begin(&mut self, begin: Begin<'_, '_, F>) {
        self.0.begin(begin);
        self.1.begin(begin);
    }
    fn message(&mut self, message: &F::Message<'_>, dialect: &DialectOf<F>) {
        self.0.message(message, dialect);
        self.1.message(message, dialect);
    }
    fn size(&mut self, size: usize) {
        self.0.size(size);
        self.1.size(size);
    }
    fn take_back(&mut self) {
        self.0.take_back();
        self.1.take_back();
    }
}

/// Any number of them.
impl<F: Format> Visitor<F> for [&mut dyn Visitor<F>] {
    fn takes_back(&self) -> bool {
        self.iter().all(|visitor| visitor.takes_back())
    }

    fn texts_alone(&self) -> bool {
        self.iter().all(|visitor| visitor.texts_alone())
    }
    fn begin(&mut self, begin: Begin<'_, '_, F>) {
        self.iter_mut().for_each(|visitor| visitor.begin(begin));
    }
    fn message(&mut self, message: &F::Message<'_>, dialect: &DialectOf<F>) {
        self.iter_mut().for_each(|visitor| visitor.message(message, dialect));
    }
    fn size(&mut self, size: usize) {
        self.iter_mut().for_each(|visitor| visitor.size(size));
    }
    fn take_back(&mut self) {
        self.iter_mut().for_each(|visitor| visitor.take_back());
    }
}
