//! Recordings of Quake as dzip shortens them before it deflates.
//!
//! The line with the CD track comes first, as it is. Then blocks: one that begins with FF is 4 bytes of length and that
//! many bytes as they are, whatever did not fit. Any other begins with a byte whose lowest bits tell which of the three
//! view angles change, by an integer added to the bits of the float; then messages, to a byte 0. The length of the block
//! is what comes out.

use std::io::{self, Read};

use super::client::Client;
use super::entities::Entities;
use super::first;
use crate::Error;
use crate::container::input::{Input, truncated};
use crate::container::source::Stream;

/// The line with the CD track is at most so long.
const MAX_TRACK: usize = 12;

/// A block beyond this size in bytes cannot be one: engines stop at 65,536.
const MAX_BLOCK: usize = 1 << 20;

/// Which codes messages have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    First,
    /// Versions 2 and 3: the codes of 3 are more.
    Later,
}

/// Unpacks a recording.
pub(super) struct Recording {
    data: Data,
    state: State,
    /// How much of `data.out` was given away.
    given: usize,
    /// Bytes as they are, still to come.
    raw: u64,
    has_begun: bool,
}

/// Shortened bytes in, the recording out.
pub(super) struct Data {
    input: Input,
    pub(super) out: Vec<u8>,
}

/// What later messages are told as differences from.
pub(super) struct State {
    pub(super) version: Version,
    /// The view angles: the bits of floats.
    angles: [u32; 3],
    /// The clock: the bits of a float.
    pub(super) time: u32,
    /// True for Quake's own protocol, which Nehahra shares; false for FitzQuake's.
    pub(super) is_plain: bool,
    pub(super) client: Client,
    pub(super) entities: Entities,
}

impl Recording {
    pub(super) fn new(data: Stream, version: Version) -> Self {
        let state = State {
            version,
            angles: [0; 3],
            time: 0,
            is_plain: true,
            client: Client::new(),
            entities: Entities::new(),
        };
        let data = Data { input: Input::new(data), out: Vec::new() };
        Recording { data, state, given: 0, raw: 0, has_begun: false }
    }

    /// Unpacks what comes next. False at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.data.out.clear();
        self.given = 0;
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.track().map(|()| true);
        }
        match self.data.input.peek(1)? {
            [] => Ok(false),
            [0xFF, ..] => {
                let [_, length @ ..] = self.data.input.array::<5>()?;
                self.raw = u32::from_le_bytes(length).into();
                Ok(true)
            }
            _ => {
                let done = self.state.block(&mut self.data);
                if done.is_err() {
                    // What a damaged block left behind is no block.
                    self.data.out.clear();
                }
                done.map(|()| true)
            }
        }
    }

    /// The line with the CD track.
    fn track(&mut self) -> io::Result<()> {
        let line = self.data.input.peek(MAX_TRACK)?;
        let Some(end) = line.iter().position(|&b| b == b'\n') else {
            return Err(if line.len() < MAX_TRACK { truncated(1) } else { corrupt("there is no CD track") });
        };
        self.data.copy(end + 1)
    }

    fn raw(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let most = buf.len().min(usize::try_from(self.raw).unwrap_or(usize::MAX));
        let n = self.data.input.read(&mut buf[..most])?;
        if n == 0 {
            return Err(truncated(self.raw));
        }
        self.raw -= n as u64;
        Ok(n)
    }
}

impl Read for Recording {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            if let ready @ [_, ..] = &self.data.out[self.given..] {
                let n = ready.len().min(buf.len());
                buf[..n].copy_from_slice(&ready[..n]);
                self.given += n;
                return Ok(n);
            }
            if self.raw > 0 {
                return self.raw(buf);
            }
            if !self.fill()? {
                return Ok(0);
            }
        }
    }
}

impl State {
    /// A block with its messages.
    fn block(&mut self, data: &mut Data) -> io::Result<()> {
        let changed = data.u8()?;
        data.out.extend([0; 4]);
        for (i, angle) in self.angles.iter_mut().enumerate() {
            if changed & 1 << i != 0 {
                *angle = angle.wrapping_add(data.u32()?);
            }
            data.out.extend(angle.to_le_bytes());
        }
        loop {
            let code = data.u8()?;
            let is_update = match self.version {
                Version::First => code & 0xF8 == first::UPDATE,
                Version::Later => code & 0xF8 == super::entities::UPDATE,
            };
            if !is_update {
                first::show(self, data);
            }
            match self.version {
                _ if code == 0 => break,
                Version::First if is_update => first::update(self, data, code)?,
                Version::Later if is_update => super::entities::update(self, data)?,
                _ => self.message(data, code)?,
            }
            if data.out.len() > MAX_BLOCK {
                return Err(corrupt("a block without end"));
            }
        }
        let length = (data.out.len() - 16) as u32;
        data.out[..4].copy_from_slice(&length.to_le_bytes());
        self.entities.end_block(self.version);
        Ok(())
    }
}

impl Data {
    pub(super) fn u8(&mut self) -> io::Result<u8> {
        self.input.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> io::Result<u16> {
        self.input.array().map(u16::from_le_bytes)
    }

    pub(super) fn i16(&mut self) -> io::Result<i16> {
        self.input.array().map(i16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> io::Result<u32> {
        self.input.array().map(u32::from_le_bytes)
    }

    /// A byte that is a difference.
    pub(super) fn i8(&mut self) -> io::Result<i8> {
        self.u8().map(|byte| byte as i8)
    }

    /// The next byte without taking it in; 0 at the end, where a block has its own.
    pub(super) fn peek(&mut self) -> io::Result<u8> {
        Ok(self.input.peek(1)?.first().copied().unwrap_or(0))
    }

    /// Takes bytes over as they are.
    pub(super) fn copy(&mut self, len: usize) -> io::Result<()> {
        for _ in 0..len {
            let byte = self.u8()?;
            self.out.push(byte);
        }
        Ok(())
    }

    /// Takes a string with its NUL over, and tells its length.
    pub(super) fn copy_string(&mut self) -> io::Result<usize> {
        let start = self.out.len();
        loop {
            let byte = self.u8()?;
            self.out.push(byte);
            if byte == 0 {
                return Ok(self.out.len() - start - 1);
            }
            if self.out.len() > MAX_BLOCK {
                return Err(corrupt("a text without end"));
            }
        }
    }
}

/// The error for what no encoder writes.
#[cold]
pub(super) fn corrupt(what: &str) -> io::Error {
    Error::container(format!("damaged: {what} in the dz data")).into()
}
