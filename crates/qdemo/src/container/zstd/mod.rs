//! Zstandard (RFC 8878): one file in one or more frames. Numbers of sections in comments are those of the RFC.
//!
//! The decoder is our own: the crate `ruzstd` unpacks what a block claims without a bound before its version 0.9, which
//! needs a newer Rust than this library does.
//!
//! | file | job |
//! |---|---|
//! | `mod` | frames and blocks |
//! | `block` | literals and sequences of a compressed block |
//! | `entropy` | Huffman's code, tables of finite state entropy |
//! | `bits` | bits in both directions |
//! | `hash` | the checksum |

mod bits;
mod block;
mod entropy;
mod hash;

use std::io::{self, Read};

use super::ContainerKind;
use super::input::Input;
use super::streams::Packed;
use crate::error::{Error, ErrorKind};
use crate::limits::Bound;
use block::Blocks;
use hash::Hash;

const FRAME: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// A header of a frame with all its fields (3.1.1.1).
const MAX_HEADER: usize = 14;

/// Most bytes that come out of a block (3.1.1.2.3).
const MAX_BLOCK: usize = 128 << 10;

/// True for the first bytes of a frame.
pub(super) fn begins(prefix: &[u8]) -> bool {
    prefix.starts_with(&FRAME)
}

/// Unpacks a frame, and checks its checksum.
pub(super) struct Unzstd {
    input: Input,
    /// Largest window in bytes.
    held: u64,
    window: usize,
    has_checksum: bool,
    blocks: Blocks,
    hash: Hash,
    /// What came out of the frame, of which a window is kept to be looked back into.
    out: Vec<u8>,
    /// How much of `out` was given away.
    given: usize,
    is_last: bool,
    ended: bool,
}

/// The header of a frame.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    len: usize,
    window: u64,
    has_dictionary: bool,
    has_checksum: bool,
}

impl Header {
    /// Reads the header of a frame (3.1.1.1); `None` where it is cut off.
    fn read(bytes: &[u8]) -> Option<Header> {
        let descriptor = *bytes.get(4)?;
        let is_single = descriptor & 1 << 5 != 0;
        let mut rest = bytes.get(5..)?;
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at_checked(len)?;
            rest = left;
            Some(taken.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        };
        let mut window = 0;
        if !is_single {
            let byte = take(1)?;
            let base = 1u64 << (10 + (byte >> 3));
            window = base + (base >> 3) * (byte & 7);
        }
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let has_dictionary = take(dictionary)? != 0;
        let size = match descriptor >> 6 {
            0 => usize::from(is_single),
            more => 1 << more,
        };
        let content = take(size)? + if size == 2 { 256 } else { 0 };
        if is_single {
            window = content;
        }
        let len = bytes.len() - rest.len();
        Some(Header { len, window, has_dictionary, has_checksum: descriptor & 1 << 2 != 0 })
    }
}

impl Unzstd {
    pub(super) fn new(input: Input, held: u64) -> Self {
        Unzstd {
            input,
            held,
            window: 0,
            has_checksum: false,
            blocks: Blocks::new(),
            hash: Hash::new(),
            out: Vec::new(),
            given: 0,
            is_last: false,
            ended: true,
        }
    }

    /// Unpacks a block (3.1.1.2).
    fn block(&mut self) -> io::Result<()> {
        // What is too far back to be looked at; seldom, for it has to be moved.
        if self.out.len() > 2 * self.window + 8 * MAX_BLOCK {
            let old = self.out.len() - self.window;
            self.out.drain(..old);
            self.given -= old;
        }
        let [a, b, c] = self.input.array()?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        let size = (header >> 3) as usize;
        let most = MAX_BLOCK.min(self.window.max(1 << 10));
        let start = self.out.len();
        match header >> 1 & 3 {
            0 => {
                // It grows with what is there, not with what is announced.
                let n = (&mut self.input).take(size as u64).read_to_end(&mut self.out)?;
                if n < size {
                    return Err(super::input::truncated((size - n) as u64));
                }
            }
            1 if size <= most => {
                let [byte] = self.input.array()?;
                self.out.resize(start + size, byte);
            }
            2 if size <= most => {
                let mut packed = Vec::new();
                let n = (&mut self.input).take(size as u64).read_to_end(&mut packed)?;
                if n < size {
                    return Err(super::input::truncated((size - n) as u64));
                }
                let from = start.saturating_sub(self.window);
                if self.blocks.unpack(&packed, &mut self.out, from, most).is_none() {
                    // What a damaged block left behind is no block.
                    self.out.truncate(start);
                    return Err(damaged("is corrupt"));
                }
            }
            _ => return Err(damaged("is corrupt")),
        }
        self.hash.add(self.out.get(start..).unwrap_or_default());
        self.is_last = header & 1 != 0;
        Ok(())
    }
}

impl Packed for Unzstd {
    const KIND: ContainerKind = ContainerKind::Zstd;

    /// A frame, or one to be skipped (3.1.2).
    fn begins(prefix: &[u8]) -> bool {
        begins(prefix) || is_skippable(prefix)
    }

    fn start(&mut self) -> io::Result<()> {
        if is_skippable(self.input.peek(FRAME.len())?) {
            self.input.skip(FRAME.len() as u64)?;
            let len = u32::from_le_bytes(self.input.array()?);
            self.ended = true;
            return self.input.skip(len.into());
        }
        let Some(header) = Header::read(self.input.peek(MAX_HEADER)?) else {
            return Err(super::input::truncated(1));
        };
        if header.has_dictionary {
            return Err(Error::container("is packed with a dictionary, which is not part of the file").into());
        }
        if header.window > self.held {
            let kind = ErrorKind::Limit { what: Bound::Held, limit: self.held, found: header.window };
            return Err(Error::new(kind).into());
        }
        self.input.skip(header.len as u64)?;
        self.window = usize::try_from(header.window).unwrap_or(usize::MAX / 4);
        self.has_checksum = header.has_checksum;
        (self.blocks, self.hash) = (Blocks::new(), Hash::new());
        self.out.clear();
        (self.given, self.is_last, self.ended) = (0, false, false);
        Ok(())
    }

    fn input(&mut self) -> &mut Input {
        &mut self.input
    }
}

impl Read for Unzstd {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        while !self.ended {
            if let Some(ready @ [_, ..]) = self.out.get(self.given..) {
                let n = ready.len().min(buf.len());
                buf[..n].copy_from_slice(&ready[..n]);
                self.given += n;
                return Ok(n);
            }
            if !self.is_last {
                self.block()?;
                continue;
            }
            self.ended = true;
            if self.has_checksum && u32::from_le_bytes(self.input.array()?) != self.hash.finish() as u32 {
                return Err(damaged("does not match its checksum"));
            }
        }
        Ok(0)
    }
}

fn is_skippable(prefix: &[u8]) -> bool {
    matches!(prefix, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
}

#[cold]
fn damaged(what: &str) -> io::Error {
    Error::container(format!("damaged: the zstd data {what}")).into()
}
