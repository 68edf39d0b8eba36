//! Unpacking that gives out every byte before the damage.
//!
//! The ready-made readers of the crates that unpack return an error *instead of* the bytes that were unpacked in
//! the same step. For a damaged demo these are worth having, so this reader keeps the two apart.

use super::input::truncated;
use crate::error::Error;
use std::io::{self, BufRead, Read};

/// Unpacked bytes of one step.
const WINDOW: usize = 32 << 10;

/// One kind of compressed data, unpacked from bytes to bytes.
pub(super) trait Codec {
    /// Unpacks from `input` to `out` as far as both reach. `ended` tells that no more input comes.
    fn step(&mut self, input: &[u8], ended: bool, out: &mut [u8]) -> Progress;

    /// How many bytes of a window to unpack at once.
    fn room(&self, window: usize) -> usize {
        window
    }
}

/// A kind of which files have several streams.
pub(super) trait Anew: Codec {
    /// One for another stream.
    fn anew(&self) -> Self;
}

/// What one step came to.
pub(super) struct Progress {
    /// Bytes of the input taken in.
    pub(super) used: usize,
    /// Bytes put out.
    pub(super) made: usize,
    pub(super) state: State,
}

/// Whether more comes.
pub(super) enum State {
    Running,
    /// The end mark of the data was read.
    Done,
    Failed(Error),
}

/// Unpacks one stream of compressed data.
pub(super) struct Pump<R, C> {
    input: R,
    codec: C,
    out: Vec<u8>,
    /// The part of `out` not yet given away.
    ready: std::ops::Range<usize>,
    used: u64,
    /// What came of the last step.
    state: State,
}

impl<R: BufRead, C: Codec> Pump<R, C> {
    pub(super) fn new(input: R, codec: C) -> Self {
        Pump { input, codec, out: vec![0; WINDOW], ready: 0..0, used: 0, state: State::Running }
    }

    /// Starts anew behind the end of one stream.
    pub(super) fn restart(&mut self)
    where
        C: Anew,
    {
        self.codec = self.codec.anew();
        self.ready = 0..0;
        self.state = State::Running;
    }

    /// The packed side, positioned right behind the end mark once everything is unpacked.
    pub(super) fn input(&mut self) -> &mut R {
        &mut self.input
    }

    /// Packed bytes used since the start.
    pub(super) fn consumed(&self) -> u64 {
        self.used
    }

    /// Unpacks until there is a byte to give or the end is reached.
    fn fill(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            match &mut self.state {
                State::Running => {}
                State::Done => return Ok(()),
                // Told once: `Bounded` above repeats it.
                State::Failed(e) => return Err(std::mem::replace(e, Error::container("damaged")).into()),
            }
            let input = self.input.fill_buf()?;
            let ended = input.is_empty();
            let room = self.codec.room(WINDOW).min(WINDOW);
            let Progress { used, made, state } = self.codec.step(input, ended, &mut self.out[..room]);
            self.input.consume(used);
            self.used += used as u64;
            self.ready = 0..made;
            self.state = match state {
                // How much is missing cannot be known, but an end mark is.
                State::Running | State::Failed(_) if ended && made == 0 => return Err(truncated(1)),
                // Without this arm a faulty decoder would hang us.
                State::Running if made == 0 && used == 0 => State::Failed(Error::container("damaged: no data follows")),
                state => state,
            };
        }
        Ok(())
    }
}

impl<R: BufRead, C: Codec> Read for Pump<R, C> {
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
