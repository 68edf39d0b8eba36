//! An output of an edit: parts of recordings, each of which goes on from a full start.

use std::io::Write;

use super::account::{Account, Start};
use super::end::{self, Held, Last};
use super::numbers::{Numbers, Shifts};
use super::rebase::Rebase;
use crate::Error;
use crate::demo::{Chunk, Cursor};
use crate::error::{ErrorKind, Result};
use crate::limits::Limits;
use crate::replay::World;
use crate::world::{Clock, Scene};

/// A chunk of the input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'p> {
    pub(super) chunk: &'p Chunk<'p>,
    pub(super) bytes: &'p [u8],
    pub(super) offset: u64,
}

/// Writes a recording made of parts of another one. What is given to it by [`Coming::keep`](super::Coming::keep) goes
/// through byte for byte, but for frames that build on others which are not there: they are based anew. Where something is
/// left out in the middle, numbers that engines want to rise go on rising: those of packets in a `.qwd`, and of packets and
/// server commands in Quake III.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// Offset in the input behind what was written last.
    next: u64,
    rebase: Option<Rebase>,
    numbers: Numbers,
    last: Last,
    held: Held,
    account: Account,
}

impl<W: Write> Writer<W> {
    /// An empty recording.
    pub fn new(out: W) -> Self {
        let (numbers, last) = (Numbers::default(), Last::default());
        Writer { out, next: 0, rebase: None, numbers, last, held: Held::default(), account: Account::default() }
    }

    /// True as long as nothing was written.
    pub fn is_empty(&self) -> bool {
        self.account.bytes_written == 0 && self.held.is_empty()
    }

    /// What was done so far.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Writes bytes as they are: what stands in front of all blocks, say.
    ///
    /// # Errors
    /// Whatever writing gives.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.account.bytes_written += self.held.write(bytes, &mut self.out)?;
        Ok(())
    }

    /// Makes sure that a chunk can follow: writes a full start, unless what stands in front of it was written last. A chunk
    /// that begins a level needs none. The world comes with whether it has shown a frame.
    pub(super) fn go_to(
        &mut self,
        piece: &Piece<'_>,
        begins_level: bool,
        (world, shown): (&World, bool),
        front: &[u8],
    ) -> Result<()> {
        if self.next == piece.offset {
            return Ok(());
        }
        // What is no block, such as a trailer, does not begin anything.
        let Some((block, _)) = piece.chunk.block() else { return Ok(()) };
        if self.is_empty() {
            self.bytes(front)?;
        }
        self.rebase = None;
        self.numbers.joint(world, !begins_level, false);
        let made = self.account.blocks_made;
        if !begins_level {
            self.start(block, world)?;
        }
        match shown && !begins_level && self.account.blocks_made == made {
            true => Err(no_beginning()),
            false => Ok(()),
        }
    }

    /// What comes next begins anew, and not where what was written last ends: no time lies between. `world` is the one in
    /// front of it.
    pub(super) fn joint(&mut self, world: &World) {
        self.rebase = None;
        self.numbers.joint(world, false, true);
    }

    /// What is added to numbers now.
    pub(super) fn shifts(&self) -> Shifts {
        self.numbers.shifts()
    }

    /// Writes a full start: all that a world knows. What comes next may build on it.
    fn start(&mut self, block: u64, world: &World) -> Result<()> {
        let keyframe = world.keyframe()?;
        if world.hides() {
            self.account.notes.push(shows_nothing(world.clock()));
        }
        let mut blocks = 0;
        let before = self.account.bytes_written;
        let bytes = keyframe.to_bytes()?;
        // Of what format it is need not be found out: its first numbers may be those of anything.
        let mut chunks = Cursor::new(keyframe.detected().kind, Limits::default());
        let mut from = 0;
        while let Some(chunk) = chunks.next(&bytes) {
            blocks += u64::from(chunk.block().is_some());
            self.last.take(&chunk);
            self.numbered(&chunk, bytes.get(from..chunks.offset()).unwrap_or_default())?;
            from = chunks.offset();
        }
        self.numbers.after(world);
        self.rebase = Rebase::behind(world);
        let bytes = self.account.bytes_written - before;
        if blocks > 0 {
            self.account.starts.push(Start { at: world.clock(), block: Some(block), blocks, bytes });
            self.account.blocks_made += blocks;
        }
        Ok(())
    }

    /// Reads a chunk that is about to be put, where it may have to be changed; true if so.
    pub(super) fn read(&mut self, chunk: &Chunk<'_>) -> bool {
        if self.rebase.as_ref().is_some_and(Rebase::is_over) {
            self.rebase = None;
        }
        self.rebase.as_mut().is_some_and(|rebase| rebase.read(chunk))
    }

    /// Writes a chunk that `world` has taken in, if it was to be [read](Writer::read).
    pub(super) fn put(&mut self, piece: &Piece<'_>, world: &World, clock: Clock) -> Result<()> {
        let changed = match &mut self.rebase {
            Some(rebase) => rebase.changed(world)?,
            None => None,
        };
        self.put_as(piece, changed, world, clock)
    }

    /// Writes a chunk as it was changed, if it was.
    pub(super) fn put_as(
        &mut self,
        piece: &Piece<'_>,
        changed: Option<Vec<u8>>,
        world: &World,
        clock: Clock,
    ) -> Result<()> {
        let Piece { chunk, bytes, offset } = *piece;
        self.next = offset + bytes.len() as u64;
        if let Some(block) = chunk.cut_block() {
            self.account.notes.push(end::cut_off(block));
            return Ok(());
        }
        self.last.take(chunk);
        if self.held.takes(chunk, bytes) {
            return Ok(());
        }
        self.account.has(chunk.block(), clock);
        let renumbered = self.numbered(chunk, changed.as_deref().unwrap_or(bytes))?;
        if changed.is_some() || renumbered {
            self.account.blocks_changed += 1;
        } else {
            self.account.blocks_kept += u64::from(chunk.block().is_some());
        }
        self.numbers.after(world);
        Ok(())
    }

    /// Writes a chunk in numbers that go on; true where they had to be changed.
    fn numbered(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Result<bool> {
        let renumbered = self.numbers.next(chunk, bytes)?;
        if let Some(front) = &renumbered.front {
            self.account.blocks_made += 1;
            self.bytes(front)?;
        }
        self.last.is_at(self.numbers.time());
        self.bytes(renumbered.block.as_deref().unwrap_or(bytes))?;
        Ok(renumbered.block.is_some())
    }

    /// Completes the recording with an end, unless what was kept has one, and gives back what it was written to. A block within
    /// which its file ends is left out, and so are bytes behind the last block where an end is made.
    ///
    /// # Errors
    /// An output that nothing was written to, and whatever writing gives.
    pub fn finish(mut self) -> Result<(W, Account)> {
        if self.is_empty() {
            return Err(Error::new(ErrorKind::Absent("nothing of the recording lies in that range".to_owned())));
        }
        if let Some(end) = self.last.end()? {
            self.account.notes.extend(self.held.leave_out());
            self.bytes(&end.bytes)?;
            self.account.blocks_made += u64::from(end.is_block);
            self.account.end_made = true;
        } else {
            self.account.bytes_written += self.held.write(&[], &mut self.out)?;
        }
        self.out.flush()?;
        Ok((self.out, self.account))
    }
}

/// A part that begins where frames build on what was not recorded.
fn shows_nothing(clock: Clock) -> String {
    format!(
        "it begins at {} where frames build on what is not in the recording, and shows nothing until one that is complete; \
         `qdemo repair` may bring them back",
        clock.demo
    )
}

/// A level of which no full start can be made.
pub(super) fn no_beginning() -> Error {
    let what =
        "the beginning of the level was not recorded, so that nothing can begin within it; `qdemo repair` makes one";
    Error::new(ErrorKind::Refused(what.to_owned()))
}
