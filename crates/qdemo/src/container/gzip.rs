//! gzip (RFC 1952): one file in one or more compressed members.

use super::inflate::Inflate;
use crate::error::{Error, ErrorKind};
use flate2::Crc;
use std::io::{self, BufRead, Read};

/// Flag bits of the header that must be zero (RFC 1952, 2.3.1.2).
pub(super) const RESERVED: u8 = 0b1110_0000;

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

/// Unpacks gzip data, member after member (RFC 1952, 2.2), and checks their checksums.
pub(super) struct Gunzip<R> {
    body: Inflate<R>,
    crc: Crc,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    /// Before the header of the first member.
    First,
    /// Before the header of another member, or at the end.
    Next,
    Body,
    Done,
}

impl<R: BufRead> Gunzip<R> {
    pub(super) fn new(input: R) -> Self {
        Gunzip { body: Inflate::new(input), crc: Crc::new(), stage: Stage::First }
    }

    /// Reads the header of a member (RFC 1952, 2.3).
    fn header(&mut self) -> io::Result<()> {
        let input = self.body.input();
        let head: [u8; 10] = array(input)?;
        let flags = head[3];
        if !matches!(head, [0x1F, 0x8B, 8, ..]) || flags & RESERVED != 0 {
            return damaged("what follows the gzip data is not gzip; all before it is whole");
        }
        if flags & EXTRA != 0 {
            let len = u16::from_le_bytes(array(input)?);
            skip(input, len.into())?;
        }
        if flags & NAME != 0 {
            skip_string(input)?;
        }
        if flags & COMMENT != 0 {
            skip_string(input)?;
        }
        if flags & HEADER_CRC != 0 {
            skip(input, 2)?;
        }
        self.body.restart();
        self.crc.reset();
        Ok(())
    }

    /// Compares checksum and length with what came out.
    fn trailer(&mut self) -> io::Result<()> {
        let input = self.body.input();
        let crc = u32::from_le_bytes(array(input)?);
        let len = u32::from_le_bytes(array(input)?);
        if crc != self.crc.sum() {
            return damaged("damaged: the gzip checksum does not match the data before");
        }
        if len != self.crc.amount() {
            return damaged("damaged: the gzip length does not match the data before");
        }
        Ok(())
    }

    /// True when nothing follows but zeros, with which tapes and disks fill a block up.
    fn at_end(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.body.input().fill_buf()?;
            let zeros = rest.iter().take_while(|&&b| b == 0).count();
            if zeros < rest.len() {
                return Ok(false);
            }
            if zeros == 0 {
                return Ok(true);
            }
            self.body.input().consume(zeros);
        }
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            match self.stage {
                Stage::First => {
                    self.header()?;
                    self.stage = Stage::Body;
                }
                Stage::Next => {
                    if self.at_end()? {
                        self.stage = Stage::Done;
                    } else {
                        self.header()?;
                        self.stage = Stage::Body;
                    }
                }
                Stage::Body => {
                    let n = self.body.read(buf)?;
                    if n > 0 {
                        self.crc.update(&buf[..n]);
                        return Ok(n);
                    }
                    self.trailer()?;
                    self.stage = Stage::Next;
                }
                Stage::Done => return Ok(0),
            }
        }
    }
}

fn damaged<T>(what: &str) -> io::Result<T> {
    Err(Error::container(what).into())
}

/// The next `N` bytes. Fewer are a truncation, not an error of the operating system.
fn array<const N: usize>(input: &mut impl BufRead) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut len = 0;
    while len < N {
        match input.read(&mut bytes[len..]) {
            Ok(0) => return Err(truncated((N - len) as u64)),
            Ok(n) => len += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(bytes)
}

fn skip(input: &mut impl BufRead, len: u64) -> io::Result<()> {
    let got = io::copy(&mut input.take(len), &mut io::sink())?;
    if got < len { Err(truncated(len - got)) } else { Ok(()) }
}

/// Skips a string and its NUL. Nothing is kept, so its length needs no bound.
fn skip_string(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let len = bytes.len();
        if len == 0 {
            return Err(truncated(1));
        }
        match bytes.iter().position(|&b| b == 0) {
            Some(at) => {
                input.consume(at + 1);
                return Ok(());
            }
            None => input.consume(len),
        }
    }
}

fn truncated(needed: u64) -> io::Error {
    Error::new(ErrorKind::Truncated { needed, available: 0 }).into()
}
