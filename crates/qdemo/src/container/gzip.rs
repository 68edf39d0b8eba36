//! gzip (RFC 1952): one file in one or more compressed members.

use super::codecs::Deflate;
use super::input::{Input, truncated};
use super::pump::{Codec, Progress, Pump, State};
use super::streams::Packed;
use super::{ContainerKind, PREFIX};
use crate::error::Error;
use flate2::Crc;
use std::io::{self, BufRead, Read};

/// Flag bits of the header that must be zero (RFC 1952, 2.3.1.2).
const RESERVED: u8 = 0b1110_0000;

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

/// True for the first bytes of a member: the magic number, the method deflate, no reserved flags (RFC 1952, 2.3.1). A
/// demo may well begin with the two bytes of the magic number alone.
pub(super) fn begins(prefix: &[u8]) -> bool {
    match prefix {
        [0x1F, 0x8B] | [0x1F, 0x8B, 8] => true,
        [0x1F, 0x8B, 8, flags, ..] => flags & RESERVED == 0,
        _ => false,
    }
}

/// True for the first bytes of a file. A recording of Quake III begins with the number and the size of its first packet, and these
/// may make up a header without flags: then the bytes behind it must be deflated. In a header the size is the time of the file,
/// here one of the first day of 1970.
pub(super) fn begins_file(prefix: &[u8]) -> bool {
    let [_, _, _, 0, a, b, c, d, _, _, body @ ..] = prefix else { return begins(prefix) };
    let size = u32::from_le_bytes([*a, *b, *c, *d]);
    // Damage further inside is that of a gzip.
    let body = body.get(..PREFIX).unwrap_or(body);
    begins(prefix) && (size == 0 || size > PACKET || is_deflated(body))
}

/// No packet is as large, in bytes.
const PACKET: u32 = 1 << 16;

/// True for the beginning of deflated data. Where all of it is there, checksum and length follow.
fn is_deflated(body: &[u8]) -> bool {
    let mut codec = Deflate::new();
    let (mut used, mut crc, mut out) = (0, Crc::new(), [0; 4096]);
    loop {
        let Progress { used: more, made, state } = codec.step(body.get(used..).unwrap_or_default(), false, &mut out);
        used += more;
        crc.update(out.get(..made).unwrap_or_default());
        let rest = body.get(used..).unwrap_or_default();
        match state {
            State::Failed(_) => return body.is_empty(),
            State::Running if rest.is_empty() => return true,
            State::Running => {}
            State::Done => {
                let told = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
                return told.iter().zip(rest).all(|(told, byte)| told == byte);
            }
        }
    }
}

/// Unpacks a member and checks its checksum.
pub(super) struct Gunzip {
    body: Pump<Input, Deflate>,
    crc: Crc,
    ended: bool,
}

impl Gunzip {
    pub(super) fn new(input: Input) -> Self {
        Gunzip { body: Pump::new(input, Deflate::new()), crc: Crc::new(), ended: false }
    }

    /// Compares checksum and length with what came out.
    fn trailer(&mut self) -> io::Result<()> {
        let input = self.body.input();
        let crc = u32::from_le_bytes(input.array()?);
        let len = u32::from_le_bytes(input.array()?);
        if crc != self.crc.sum() {
            return damaged("damaged: the gzip checksum does not match the data before");
        }
        if len != self.crc.amount() {
            return damaged("damaged: the gzip length does not match the data before");
        }
        Ok(())
    }
}

impl Packed for Gunzip {
    const KIND: ContainerKind = ContainerKind::Gzip;

    fn begins(prefix: &[u8]) -> bool {
        begins(prefix)
    }

    /// Reads the header of a member (RFC 1952, 2.3).
    fn start(&mut self) -> io::Result<()> {
        let input = self.body.input();
        let head: [u8; 10] = input.array()?;
        let flags = head[3];
        if flags & EXTRA != 0 {
            let len = u16::from_le_bytes(input.array()?);
            input.skip(len.into())?;
        }
        if flags & NAME != 0 {
            skip_string(input)?;
        }
        if flags & COMMENT != 0 {
            skip_string(input)?;
        }
        if flags & HEADER_CRC != 0 {
            input.skip(2)?;
        }
        self.body.restart();
        self.crc.reset();
        self.ended = false;
        Ok(())
    }

    fn input(&mut self) -> &mut Input {
        self.body.input()
    }
}

impl Read for Gunzip {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let n = self.body.read(buf)?;
        self.crc.update(&buf[..n]);
        if n == 0 && !buf.is_empty() {
            self.trailer()?;
            self.ended = true;
        }
        Ok(n)
    }
}

fn damaged<T>(what: &str) -> io::Result<T> {
    Err(Error::container(what).into())
}

/// Skips a string and its NUL. Nothing is kept, so its length needs no bound.
fn skip_string(input: &mut Input) -> io::Result<()> {
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
