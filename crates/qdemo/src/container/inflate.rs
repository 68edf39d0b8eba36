//! Raw deflate (RFC 1951) that gives out every byte before the damage.
//!
//! The ready-made readers of `flate2` return an error *instead of* the bytes that were unpacked in
//! the same step. For a damaged demo these are worth having, so this reader keeps the two apart.

use crate::error::{Error, ErrorKind};
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Read};

/// A sensible buffer size for the packed side.
pub(super) const INPUT: usize = 32 << 10;

/// Distance that deflate can look back.
const WINDOW: usize = 32 << 10;

/// Unpacks raw deflate data.
pub(super) struct Inflate<R> {
    input: R,
    raw: Decompress,
    out: Vec<u8>,
    /// The part of `out` not yet given away.
    ready: std::ops::Range<usize>,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Running,
    /// The end mark of the data was read.
    Done,
    Corrupt,
}

impl<R: BufRead> Inflate<R> {
    pub(super) fn new(input: R) -> Self {
        Inflate { input, raw: Decompress::new(false), out: vec![0; WINDOW], ready: 0..0, state: State::Running }
    }

    /// Starts anew behind the end of one deflate stream.
    pub(super) fn restart(&mut self) {
        self.raw.reset(false);
        self.ready = 0..0;
        self.state = State::Running;
    }

    /// The packed side, positioned right behind the end mark once everything is unpacked.
    pub(super) fn input(&mut self) -> &mut R {
        &mut self.input
    }

    /// Packed bytes used since the start.
    pub(super) fn consumed(&self) -> u64 {
        self.raw.total_in()
    }

    /// Unpacks until there is a byte to give or the end is reached.
    fn fill(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            match self.state {
                State::Running => {}
                State::Done => return Ok(()),
                State::Corrupt => {
                    return Err(Error::container("damaged: the deflate data is corrupt").into());
                }
            }
            let input = self.input.fill_buf()?;
            let ended = input.is_empty();
            let (used, made) = (self.raw.total_in(), self.raw.total_out());
            // The decoder unpacks into a ring of its own before it copies. Never asking beyond the
            // end of that ring means that nothing is left in it when an error comes.
            let room = WINDOW - (made % WINDOW as u64) as usize;
            let status = self.raw.decompress(input, &mut self.out[..room], FlushDecompress::None);
            let used = (self.raw.total_in() - used) as usize;
            let made = (self.raw.total_out() - made) as usize;
            self.input.consume(used);
            self.ready = 0..made;
            match status {
                Ok(Status::StreamEnd) => self.state = State::Done,
                Ok(_) if made > 0 || used > 0 => {}
                Ok(_) if ended => {
                    // How much is missing cannot be known, but an end mark is.
                    let (needed, available) = (1, 0);
                    return Err(Error::new(ErrorKind::Truncated { needed, available }).into());
                }
                // Neither progress nor an end: without this arm a faulty decoder would hang us.
                Ok(_) | Err(_) => self.state = State::Corrupt,
            }
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        self.fill()?;
        let n = self.ready.len().min(buf.len());
        buf[..n].copy_from_slice(&self.out[self.ready.start..][..n]);
        self.ready.start += n;
        Ok(n)
    }
}
