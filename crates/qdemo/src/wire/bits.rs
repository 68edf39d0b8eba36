//! A cursor over bits, and its counterpart: the streams of Quake III.
//!
//! Bits fill bytes from the lowest on. A value of `n` bits is written as its lowest `n % 8` bits as they are, then its
//! remaining whole bytes, low byte first, each as a Huffman code; nothing is aligned. Older protocols write the same
//! values as plain bits.

use super::fault::{Fault, What};
use super::huffman::{CODES, LONGEST, SYMBOLS};

/// How the whole bytes of a value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// As Huffman codes (protocol 66 and later).
    Huffman,
    /// As they are (protocols 43 to 48).
    Plain,
}

/// A cursor over the bits of a message.
///
/// ```
/// use qdemo::wire::{BitReader, BitWriter, Coding};
/// let mut w = BitWriter::new(Coding::Huffman);
/// w.value(1022, 10);
/// w.value(1, 1);
/// let bytes = w.into_bytes();
/// let mut r = BitReader::new(&bytes, Coding::Huffman);
/// assert_eq!(r.value(10).unwrap(), 1022);
/// assert_eq!(r.value(1).unwrap(), 1);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BitReader<'a> {
    data: &'a [u8],
    pos: usize,
    coding: Coding,
}

impl<'a> BitReader<'a> {
    /// A cursor at the first bit.
    pub fn new(data: &'a [u8], coding: Coding) -> Self {
        BitReader { data, pos: 0, coding }
    }

    /// Bits read so far.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Bits not read yet.
    pub fn remaining(&self) -> usize {
        self.data.len() * 8 - self.pos
    }

    /// The next bits, the first one lowest; at least 57, zeros behind the end.
    #[inline(always)]
    fn peek(&self) -> u64 {
        let rest = &self.data[self.pos >> 3..];
        let word = match rest.first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                chunk[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(chunk)
            }
        };
        word >> (self.pos & 7)
    }

    /// Moves on, unless that leads behind the end.
    #[inline(always)]
    fn take(&mut self, bits: u32) -> Result<(), Fault> {
        let pos = self.pos + bits as usize;
        if pos > self.data.len() * 8 {
            return Err(Self::short(bits, self.data.len() * 8 - self.pos, self.pos));
        }
        self.pos = pos;
        Ok(())
    }

    #[cold]
    fn short(bits: u32, left: usize, pos: usize) -> Fault {
        Fault::new(What::Truncated { needed: (bits as usize).div_ceil(8), available: left / 8 }, pos / 8)
    }

    #[cold]
    fn out_of_step(pos: usize) -> Fault {
        Fault::new(What::Malformed("a Huffman code that no engine writes: the stream is out of step"), pos / 8)
    }

    /// A value of at most 32 bits.
    ///
    /// # Errors
    /// At the end of the bits, and at the escape code.
    #[inline]
    pub fn value(&mut self, bits: u32) -> Result<u32, Fault> {
        debug_assert!(bits <= 32);
        let mut next = self.peek();
        if self.coding == Coding::Plain {
            self.take(bits)?;
            return Ok((next & ((1 << bits) - 1)) as u32);
        }
        // 7 plain bits and 4 codes of 11 fit into one look ahead.
        let raw = bits & 7;
        let mut value = (next & ((1 << raw) - 1)) as u32;
        let mut used = raw;
        next >>= raw;
        let mut shift = raw;
        while shift < bits {
            let symbol = SYMBOLS[(next & ((1 << LONGEST) - 1)) as usize];
            if symbol.length == 0 {
                // Behind the end there are zeros, which are no escape: this one is in the data.
                return Err(Self::out_of_step(self.pos));
            }
            value |= u32::from(symbol.value) << shift;
            shift += 8;
            used += u32::from(symbol.length);
            next >>= symbol.length;
        }
        self.take(used)?;
        Ok(value)
    }

    /// A value whose highest bit is its sign.
    ///
    /// # Errors
    /// As [`BitReader::value`].
    #[inline]
    pub fn signed(&mut self, bits: u32) -> Result<i32, Fault> {
        let shift = 32 - bits.clamp(1, 32);
        self.value(bits).map(|v| ((v << shift) as i32) >> shift)
    }

    /// The bits from the cursor to the end, for what is kept without a meaning: whole bytes, the first bit lowest,
    /// and how many bits they hold.
    pub fn rest(&mut self) -> (Vec<u8>, usize) {
        let count = self.remaining();
        let mut out = Vec::with_capacity(count.div_ceil(8));
        while self.remaining() > 0 {
            let n = self.remaining().min(8);
            out.push((self.peek() & ((1 << n) - 1)) as u8);
            self.pos += n;
        }
        (out, count)
    }
}

/// Writes bits.
#[derive(Debug, Clone)]
pub struct BitWriter {
    out: Vec<u8>,
    /// Bits not in `out` yet, the first one lowest, and how many.
    pending: u64,
    count: u32,
    coding: Coding,
}

impl BitWriter {
    /// An empty writer.
    pub fn new(coding: Coding) -> Self {
        BitWriter { out: Vec::new(), pending: 0, count: 0, coding }
    }

    /// Bits written so far.
    pub fn len(&self) -> usize {
        self.out.len() * 8 + self.count as usize
    }

    /// True before the first bit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most 32 bits as they are.
    #[inline]
    pub fn raw(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32);
        self.pending |= (u64::from(value) & ((1 << bits) - 1)) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.out.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// A value of at most 32 bits in the writer's coding.
    #[inline]
    pub fn value(&mut self, value: u32, bits: u32) {
        if self.coding == Coding::Plain {
            return self.raw(value, bits);
        }
        let raw = bits & 7;
        self.raw(value, raw);
        let mut shift = raw;
        while shift < bits {
            let (code, length) = CODES[usize::from((value >> shift) as u8)];
            self.raw(u32::from(code), u32::from(length));
            shift += 8;
        }
    }

    /// The bytes; unused bits of the last one are 0.
    pub fn into_bytes(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.out.push(self.pending as u8);
        }
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every width, values at the edges, both codings: read as written, at the same bit.
    #[test]
    fn values_of_all_widths_come_back() {
        let values = [0, 1, 2, 127, 128, 255, 256, 1023, 0x00FF_FF00, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];
        for coding in [Coding::Huffman, Coding::Plain] {
            let mut w = BitWriter::new(coding);
            let mut ends = Vec::new();
            for bits in 0..=32u32 {
                for v in values {
                    w.value(v, bits);
                    ends.push((bits, v & (((1u64 << bits) - 1) as u32), w.len()));
                }
            }
            let bytes = w.into_bytes();
            let mut r = BitReader::new(&bytes, coding);
            for (bits, value, end) in ends {
                assert_eq!((r.value(bits).unwrap(), r.pos()), (value, end), "{coding:?} {bits}");
            }
            assert!(r.remaining() < 8);
        }
    }

    /// The end of message (byte 8) has the code 10101, and ten bits are two plain ones and a code.
    #[test]
    fn codes_as_engines_write_them() {
        let mut w = BitWriter::new(Coding::Huffman);
        w.value(8, 8);
        assert_eq!((w.len(), w.into_bytes()), (5, vec![0b10101]));
        let mut w = BitWriter::new(Coding::Huffman);
        w.value(1023, 10);
        // 11, then the code of 255, 001001, in the order of the stream.
        assert_eq!((w.len(), w.into_bytes()), (8, vec![0b1001_0011]));
    }

    #[test]
    fn the_end_and_the_escape_are_faults() {
        assert!(matches!(BitReader::new(&[], Coding::Plain).value(1).unwrap_err().what, What::Truncated { .. }));
        assert!(matches!(BitReader::new(&[0xFF], Coding::Huffman).value(16).unwrap_err().what, What::Truncated { .. }));
        let (code, length) = super::super::huffman::ESCAPE;
        let mut w = BitWriter::new(Coding::Huffman);
        w.raw(u32::from(code), u32::from(length));
        w.raw(0, 8);
        let bytes = w.into_bytes();
        let fault = BitReader::new(&bytes, Coding::Huffman).value(8).unwrap_err();
        assert!(matches!(fault.what, What::Malformed(_)));
    }

    #[test]
    fn signs_are_extended() {
        let mut w = BitWriter::new(Coding::Huffman);
        w.value(-8i32 as u32, 8);
        w.value(-1i32 as u32, 16);
        let bytes = w.into_bytes();
        let mut r = BitReader::new(&bytes, Coding::Huffman);
        assert_eq!((r.signed(8).unwrap(), r.signed(16).unwrap()), (-8, -1));
    }

    #[test]
    fn the_rest_is_kept_bit_by_bit() {
        let mut r = BitReader::new(&[0b1011_0101, 0b11], Coding::Plain);
        r.value(3).unwrap();
        assert_eq!(r.rest(), (vec![0b0111_0110, 0b0000_0000], 13));
        assert_eq!(r.remaining(), 0);
    }
}
