//! One pass over a recording, chunk by chunk, with the world in front of each: for edits that decide what to keep.

use std::fmt;
use std::io::{Read, Write};
use std::ops::ControlFlow;

use super::writer::Piece;
use super::{Account, Writer};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Faults, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::World;
use crate::world::{Clock, Scene};

/// Goes through a recording for an edit, with memory for a world and a few blocks.
///
/// A verb of one's own, here one that leaves out five seconds:
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use std::ops::ControlFlow;
/// use qdemo::{Limits, edit::{Editor, Writer}};
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// let mut writer = Writer::new(Vec::new());
/// let mut editor = Editor::new(demo, "ez-dm.mvd", Limits::default())?;
/// editor.run(&mut |coming| {
///     if !(5_000..10_000).contains(&coming.clock().demo.ms()) {
///         coming.keep(&mut writer)?;
///     }
///     Ok(ControlFlow::Continue(()))
/// })?;
/// let (shorter, account) = writer.finish()?;
/// assert_eq!((account.starts.len(), account.bytes_written), (1, shorter.len() as u64));
/// # Ok(()) }
/// ```
pub struct Editor<R> {
    reader: Reader<R>,
    name: String,
    state: State,
}

/// What goes along with the reading.
struct State {
    /// The world in front of the next chunk; behind the last start that will be made it may stand still.
    world: World,
    /// No more starts are made: the world is taken along only while a writer asks for it.
    let_go: bool,
    /// A world that knows the clock after the next chunk.
    ahead: World,
    /// What stands in front of all blocks.
    front: Vec<u8>,
    /// Frames of the game have been seen.
    shown: bool,
    blocks: u64,
    faults: Faults,
}

/// A chunk of a recording that comes next.
pub struct Coming<'e> {
    piece: Piece<'e>,
    state: &'e mut State,
    name: &'e str,
    taken: bool,
}

/// How far it has come.
impl<R> fmt::Debug for Editor<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { world, blocks, faults, .. } = &self.state;
        f.debug_struct("Editor")
            .field("name", &self.name)
            .field("blocks", blocks)
            .field("clock", &world.clock())
            .field("faults", &faults.count())
            .finish_non_exhaustive()
    }
}

/// Which chunk it is.
impl fmt::Debug for Coming<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coming")
            .field("offset", &self.offset())
            .field("block", &self.block())
            .field("clock", &self.clock())
            .finish_non_exhaustive()
    }
}

impl<R: Read> Editor<R> {
    /// Looks at the beginning of a recording.
    ///
    /// # Errors
    /// A file that is no recording, and whatever reading gives.
    pub fn new(input: R, name: &str, limits: Limits) -> Result<Self> {
        let reader = Reader::new(input, name, limits)?;
        let world = World::of(reader.detected(), name)?;
        let mut ahead = world.clone();
        ahead.only_texts();
        let (front, faults) = (Vec::new(), Faults::default());
        let state = State { world, let_go: false, ahead, front, shown: false, blocks: 0, faults };
        Ok(Editor { reader, name: name.to_owned(), state })
    }

    /// What the file was taken for.
    pub(super) fn detected(&self) -> &Detected {
        self.reader.detected()
    }

    /// Shows every chunk to `each`, until that says to break.
    ///
    /// # Errors
    /// Whatever reading and `each` give.
    pub fn run(&mut self, each: &mut dyn FnMut(&mut Coming<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        loop {
            let offset = self.reader.offset();
            let Some((chunk, bytes)) = self.reader.next_with_bytes()? else { return Ok(()) };
            let state = &mut self.state;
            let fault = state.ahead.apply(&chunk);
            if state.let_go {
                state.faults.note(&self.name, state.ahead.clock().now, fault);
            }
            if chunk.is_start() {
                state.front = bytes.to_vec();
            }
            state.blocks += u64::from(chunk.block().is_some());
            let mut coming =
                Coming { piece: Piece { chunk: &chunk, bytes, offset }, state, name: &self.name, taken: false };
            let flow = each(&mut coming)?;
            if !coming.taken {
                coming.take(false);
            }
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    /// The world after what was read last.
    pub fn world(&self) -> &World {
        &self.state.world
    }

    /// What is wrong with what was read.
    pub fn faults(&self) -> &Faults {
        &self.state.faults
    }

    /// Completes what a writer says of itself with what was read.
    pub fn account(&self, account: &mut Account) {
        account.blocks_read = self.state.blocks;
        account.blocks_dropped = self.state.blocks.saturating_sub(account.blocks_kept + account.blocks_changed);
        account.note_damage(&self.state.faults);
    }
}

impl Coming<'_> {
    /// The chunk.
    pub fn chunk(&self) -> &Chunk<'_> {
        self.piece.chunk
    }

    /// Where it begins in the file.
    pub fn offset(&self) -> u64 {
        self.piece.offset
    }

    /// Number of the block, from 0; `None` for what is no block.
    pub fn block(&self) -> Option<u64> {
        self.piece.chunk.block().map(|(number, _)| number)
    }

    /// The world in front of it. It stands still after [`Coming::let_go`].
    pub fn world(&self) -> &World {
        &self.state.world
    }

    /// The time after it.
    pub fn clock(&self) -> Clock {
        self.state.ahead.clock()
    }

    /// True when a level begins with it.
    pub fn begins_level(&self) -> bool {
        self.state.ahead.changes().level
    }

    /// From here on all is kept, up to where the pass ends: no writer will need another start. That saves following the
    /// world, which is most of the work.
    pub fn let_go(&mut self) {
        self.state.let_go = true;
    }

    /// Puts it into an output. Where what stands in front of it is not there, a full start comes first.
    ///
    /// # Errors
    /// A chunk that was kept already, a world that has no full start (see [`World::keyframe`]), a value that the dialect cannot
    /// write, and whatever writing gives.
    pub fn keep<W: Write>(&mut self, writer: &mut Writer<W>) -> Result<()> {
        self.keep_in([writer])
    }

    /// Puts it into several outputs. A chunk can be kept only once: name all outputs then.
    ///
    /// # Errors
    /// Those of [`Coming::keep`].
    pub fn keep_in<'w, W: Write + 'w>(&mut self, writers: impl IntoIterator<Item = &'w mut Writer<W>>) -> Result<()> {
        if self.taken {
            let what = "a chunk is kept once: name all outputs together (`keep_in`)";
            return Err(Error::new(ErrorKind::Refused(what.to_owned())).in_file(self.name));
        }
        let (clock, name, begins_level) = (self.clock(), self.name, self.begins_level());
        let mut writers: Vec<_> = writers.into_iter().collect();
        let mut followed = false;
        for writer in &mut writers {
            let State { world, front, shown, .. } = &*self.state;
            writer.go_to(&self.piece, begins_level, (world, *shown), front).map_err(|e| e.in_file(name))?;
            followed |= writer.read(self.piece.chunk);
        }
        self.take(followed);
        for writer in writers {
            writer.put(&self.piece, &self.state.world, clock).map_err(|e| e.in_file(name))?;
        }
        Ok(())
    }

    /// Puts it behind what the output has, as it is or as it was changed.
    pub(super) fn append<W: Write>(&mut self, writer: &mut Writer<W>, changed: Option<Vec<u8>>) -> Result<()> {
        let clock = self.clock();
        self.take(false);
        writer.put_as(&self.piece, changed, &self.state.world, clock).map_err(|e| e.in_file(self.name))
    }

    /// Leaves it out, so that the world does not know of it either.
    pub(super) fn leave_out(&mut self) {
        self.taken = true;
    }

    /// Takes the chunk into the world, where anybody wants to know.
    fn take(&mut self, asked: bool) {
        self.taken = true;
        if asked || !self.state.let_go {
            let fault = self.state.world.apply(self.piece.chunk);
            let world = &self.state.world;
            // In QuakeWorld and multi-view recordings time passes without frames.
            let has_clock = !matches!(world, World::QuakeWorld(_) | World::Mvd2(_)) && world.clock().now.is_some();
            self.state.shown |= world.changes().frame || has_clock;
            if !self.state.let_go {
                self.state.faults.note(self.name, self.state.world.clock().now, fault);
            }
        }
    }
}
