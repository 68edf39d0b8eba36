//! The packed side of a container: bytes that are counted and can be looked at beforehand.

use std::io::{self, BufRead, Read};

use super::source::Stream;
use crate::error::{Error, ErrorKind};

/// A sensible buffer size for packed bytes.
pub(super) const INPUT: usize = 32 << 10;

/// Packed bytes in order.
pub(super) struct Input {
    inner: Stream,
    buffer: Vec<u8>,
    /// The part of `buffer` that is not taken in yet.
    ready: std::ops::Range<usize>,
    used: u64,
    ended: bool,
}

impl Input {
    pub(super) fn new(inner: Stream) -> Self {
        Input { inner, buffer: vec![0; INPUT], ready: 0..0, used: 0, ended: false }
    }

    /// How many bytes were taken in: the offset of the next one.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The next `len` bytes without taking them in; fewer where fewer are left. `len` is at most [`INPUT`].
    pub(super) fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        while self.ready.len() < len && !self.ended {
            self.buffer.copy_within(self.ready.clone(), 0);
            self.ready = 0..self.ready.len();
            self.read_more()?;
        }
        let ready = &self.buffer[self.ready.clone()];
        Ok(ready.get(..len).unwrap_or(ready))
    }

    /// Puts bytes behind those that are ready.
    fn read_more(&mut self) -> io::Result<()> {
        loop {
            match self.inner.read(&mut self.buffer[self.ready.end..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.ready.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
            return Ok(());
        }
    }

    /// The next `N` bytes. Fewer are a truncation, not an error of the operating system.
    pub(super) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        let mut len = 0;
        while len < N {
            match self.read(&mut bytes[len..])? {
                0 => return Err(truncated((N - len) as u64)),
                n => len += n,
            }
        }
        Ok(bytes)
    }

    /// Passes over this many bytes.
    pub(super) fn skip(&mut self, len: u64) -> io::Result<()> {
        let mut left = len;
        while left > 0 {
            let ready = self.fill_buf()?.len();
            if ready == 0 {
                return Err(truncated(left));
            }
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(ready);
            self.consume(n);
            left -= n as u64;
        }
        Ok(())
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ready.is_empty() && !self.ended {
            self.ready = 0..0;
            self.read_more()?;
        }
        Ok(&self.buffer[self.ready.clone()])
    }

    fn consume(&mut self, len: usize) {
        let len = len.min(self.ready.len());
        self.ready.start += len;
        self.used += len as u64;
    }
}

/// The error for packed bytes that end too early.
pub(super) fn truncated(needed: u64) -> io::Error {
    Error::new(ErrorKind::Truncated { needed, available: 0 }).into()
}
