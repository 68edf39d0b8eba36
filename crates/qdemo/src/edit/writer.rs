//! An output of an edit: parts of recordings, each of which goes on from a full start.

use std::io::Write;

use super::account::{Account, Kept, Start};
use super::end::Last;
use super::rebase::Rebase;
use crate::Error;
use crate::demo::Chunk;
use crate::error::{ErrorKind, Result};
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
/// through byte for byte, but for frames that build on others which are not there: they are based anew.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    /// Offset in the input behind what was written last.
    next: u64,
    rebase: Option<Rebase>,
    last: Last,
    account: Account,
}

impl<W: Write> Writer<W> {
    /// An empty recording.
    pub fn new(out: W) -> Self {
        Writer { out, next: 0, rebase: None, last: Last::default(), account: Account::default() }
    }

    /// True as long as nothing was written.
    pub fn is_empty(&self) -> bool {
        self.account.bytes_written == 0
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
        self.out.write_all(bytes)?;
        self.account.bytes_written += bytes.len() as u64;
        Ok(())
    }

    /// Makes sure that a chunk can follow: writes a full start, unless what stands in front of it was written last. A chunk
    /// that begins a level needs none.
    pub(super) fn go_to(&mut self, piece: &Piece<'_>, begins_level: bool, world: &World, front: &[u8]) -> Result<()> {
        if self.next == piece.offset {
            return Ok(());
        }
        // What is no block, such as a trailer, does not begin anything.
        let Some((block, _)) = piece.chunk.block() else { return Ok(()) };
        if self.is_empty() {
            self.bytes(front)?;
        }
        self.rebase = None;
        if begins_level { Ok(()) } else { self.start(block, world) }
    }

    /// Writes a full start: all that a world knows. What comes next may build on it.
    fn start(&mut self, block: u64, world: &World) -> Result<()> {
        let keyframe = world.keyframe()?;
        let mut blocks = 0;
        let before = self.account.bytes_written;
        let bytes = keyframe.to_bytes()?;
        keyframe.each_chunk(|chunk| {
            blocks += u64::from(chunk.block().is_some());
            self.last.take(chunk);
            Ok(())
        })?;
        self.bytes(&bytes)?;
        self.rebase = Rebase::behind(world);
        let bytes = self.account.bytes_written - before;
        if blocks > 0 {
            self.account.starts.push(Start { at: world.clock(), block, blocks, bytes });
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
        let Piece { chunk, bytes, offset } = *piece;
        self.next = offset + bytes.len() as u64;
        let changed = match &mut self.rebase {
            Some(rebase) => rebase.changed(world)?,
            None => None,
        };
        self.last.take(chunk);
        if let Some((block, _)) = chunk.block() {
            let kept = Kept { block, at: clock };
            self.account.first.get_or_insert(kept);
            self.account.last = Some(kept);
        }
        match changed {
            Some(bytes) => {
                self.account.blocks_changed += 1;
                self.bytes(&bytes)
            }
            None => {
                self.account.blocks_kept += u64::from(chunk.block().is_some());
                self.bytes(bytes)
            }
        }
    }

    /// Completes the recording with an end, unless what was kept has one, and gives back what it was written to.
    ///
    /// # Errors
    /// An output that nothing was written to, and whatever writing gives.
    pub fn finish(mut self) -> Result<(W, Account)> {
        if self.is_empty() {
            return Err(Error::new(ErrorKind::Absent("nothing of the recording lies in that range".to_owned())));
        }
        if let Some(end) = self.last.end()? {
            self.bytes(&end.bytes)?;
            self.account.blocks_made += u64::from(end.is_block);
            self.account.end_made = true;
        }
        self.out.flush()?;
        Ok((self.out, self.account))
    }
}
