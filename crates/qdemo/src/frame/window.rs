//! A sliding window over a reader.

use std::io::Read;

use crate::error::{Error, Result};

/// A sliding window over a reader.
pub(crate) struct Window<R> {
    inner: R,
    buffer: Vec<u8>,
    /// Where the bytes begin that are not consumed.
    start: usize,
    at_end: bool,
    /// What ended reading, behind the bytes that came before it.
    failed: Option<Error>,
    /// Bytes consumed before the window.
    pub(crate) offset: u64,
}

impl<R: Read> Window<R> {
    const FIRST: usize = 32 * 1024;
    const CHUNK: usize = 64 * 1024;

    pub(crate) fn new(inner: R) -> Self {
        Window { inner, buffer: Vec::new(), start: 0, at_end: false, failed: None, offset: 0 }
    }

    /// The bytes in the window.
    #[inline]
    pub(crate) fn data(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// True when the window reaches to the end of the input.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end
    }

    /// True when the input gives no more: nothing, or an error, stands behind the window.
    pub(crate) fn has_ended(&self) -> bool {
        self.at_end || self.has_failed()
    }

    /// True when an error stands behind the window.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// What ended reading before the end of the input.
    pub(crate) fn failure(&mut self) -> Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Moves the beginning of the window.
    #[inline]
    pub(crate) fn consume(&mut self, n: usize) {
        let n = n.min(self.buffer.len() - self.start);
        self.start += n;
        self.offset += n as u64;
    }

    /// Puts bytes back in front of the window that were consumed last.
    pub(crate) fn put_back(&mut self, bytes: &[u8]) {
        self.buffer.splice(..self.start, bytes.iter().copied());
        self.start = 0;
        self.offset = self.offset.saturating_sub(bytes.len() as u64);
    }

    /// Reads more. The window grows only when nothing could be read otherwise. What was read in front of an error is given
    /// first.
    pub(crate) fn more(&mut self) -> Result<()> {
        self.failure()?;
        self.buffer.drain(..self.start);
        self.start = 0;
        let (held, size) = (self.buffer.len(), self.buffer.capacity());
        if size - held < Self::CHUNK {
            // Most files are small: begin with little, then read in large chunks.
            let larger = if size == 0 { Self::FIRST } else { (size * 2).max(2 * Self::CHUNK) };
            self.buffer.reserve_exact(larger - held);
        }
        let room = self.buffer.capacity() - held;
        if !self.at_end {
            // A pipe hands out little at a time: fill the window before parsing goes on.
            match self.inner.by_ref().take(room as u64).read_to_end(&mut self.buffer) {
                Ok(read) => self.at_end = read < room,
                Err(e) => {
                    let error = Error::from(e).at_offset(self.offset + self.buffer.len() as u64);
                    if self.buffer.len() == held {
                        return Err(error);
                    }
                    self.failed = Some(error);
                }
            }
        }
        Ok(())
    }
}
