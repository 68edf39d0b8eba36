//! A cursor over bits, and its counterpart: the streams of Quake III.
//!
//! Bits fill bytes from the lowest on. A value of `n` bits is written as its lowest `n % 8` bits as they are, then its
//! remaining whole bytes, low byte first, each as a Huffman code; nothing is aligned. Older protocols write the same
//! values as plain bits.

use super::fault::{Fault, FaultKind};
use super::huffman::{CODES, LONGEST, SYMBOLS};
use super::writer::ByteWriter;

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
    /// The bytes themselves where they are fewer than eight.
    short: u64,
    coding: Coding,
}

macro_rules! read_numbers {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $bits:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        /// As [`BitReader::value`].
        #[inline]
        pub fn $name(&mut self) -> Result<$ty, Fault> {
            self.value($bits).map(|v| v as $ty)
        }
    )*};
}

impl<'a> BitReader<'a> {
    /// Bits that [`BitReader::peek`] gives at least, except in front of the end.
    pub(crate) const PEEK: u32 = 57;
    /// Bits of the longest value: 7 plain ones, or 4 codes of 11.
    pub(crate) const LONGEST: u32 = 44;

    /// A cursor at the first bit.
    pub fn new(data: &'a [u8], coding: Coding) -> Self {
        let mut short = 0;
        if data.len() < 8 {
            for b in data.iter().rev() {
                short = short << 8 | u64::from(*b);
            }
        }
        BitReader { data, pos: 0, short, coding }
    }

    /// Passes over bits, at most to the end.
    pub fn skip(&mut self, bits: usize) {
        self.pos = self.pos.saturating_add(bits).min(self.data.len() * 8);
    }

    /// How whole bytes are written.
    #[inline]
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Bits read so far.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Bits not read yet.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.data.len() * 8 - self.pos
    }

    /// The next bits, the first one lowest; zeros behind the end.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        // In front of the end the last eight bytes are shifted further.
        let at = (self.pos >> 3).min(self.data.len().wrapping_sub(8));
        let shift = (self.pos - at.min(self.pos >> 3) * 8).min(63);
        match self.data.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk) >> shift,
            None => self.short >> self.pos.min(63),
        }
    }

    /// Moves on, unless that leads behind the end.
    #[inline(always)]
    pub(crate) fn take(&mut self, bits: u32) -> Result<(), Fault> {
        let pos = self.pos + bits as usize;
        if pos > self.data.len() * 8 {
            return Err(Self::short(bits, self.data.len() * 8 - self.pos, self.pos));
        }
        self.pos = pos;
        Ok(())
    }

    #[cold]
    fn short(bits: u32, left: usize, pos: usize) -> Fault {
        Fault::new(FaultKind::Truncated { needed: (bits as usize).div_ceil(8), available: left / 8 }, pos / 8)
    }

    #[cold]
    fn out_of_step(pos: usize) -> Fault {
        Fault::new(FaultKind::Malformed("a Huffman code that no engine writes: the stream is out of step"), pos / 8)
    }

    /// A value of at most 32 bits.
    ///
    /// # Errors
    /// At the end of the bits, and at the escape code.
    #[inline]
    pub fn value(&mut self, bits: u32) -> Result<u32, Fault> {
        debug_assert!(bits <= 32);
        let (value, used) = self.decode(self.peek(), bits)?;
        self.take(used)?;
        Ok(value)
    }

    /// One bit.
    ///
    /// # Errors
    /// At the end of the bits.
    #[inline]
    pub fn bit(&mut self) -> Result<bool, Fault> {
        let bit = self.peek() & 1 == 1;
        self.take(1)?;
        Ok(bit)
    }

    /// A value of at most 32 bits at the beginning of `next`, and how many bits it takes there: at most
    /// [`BitReader::LONGEST`]. The cursor stays where it is.
    #[inline(always)]
    pub(crate) fn decode(&self, next: u64, bits: u32) -> Result<(u32, u32), Fault> {
        if self.coding == Coding::Plain {
            return Ok(((next & ((1 << bits) - 1)) as u32, bits));
        }
        self.decode_huffman(next, bits)
    }

    /// [`BitReader::decode`] where the coding is known.
    #[inline(always)]
    pub(crate) fn decode_huffman(&self, mut next: u64, bits: u32) -> Result<(u32, u32), Fault> {
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
        Ok((value, used))
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

    read_numbers! {
        /// One unsigned byte.
        u8: u8, 8;
        /// One signed byte.
        i8: i8, 8;
        /// Two bytes, unsigned.
        u16: u16, 16;
        /// Two bytes, signed.
        i16: i16, 16;
        /// Four bytes, unsigned.
        u32: u32, 32;
        /// Four bytes, signed.
        i32: i32, 32;
    }

    /// The bytes of a string up to its NUL, which is passed over.
    ///
    /// # Errors
    /// As [`BitReader::value`].
    pub fn text(&mut self) -> Result<Vec<u8>, Fault> {
        let mut local = *self;
        let mut out = Vec::new();
        loop {
            if local.remaining() < u64::BITS as usize {
                match local.u8()? {
                    0 => break,
                    b => out.push(b),
                }
                continue;
            }
            // As many characters as are seen at once, in one step of the cursor.
            let (mut next, mut used) = (local.peek(), 0);
            while used + LONGEST <= Self::PEEK {
                let (value, bits) = local.decode(next, 8)?;
                used += bits;
                next >>= bits;
                if value == 0 {
                    local.take(used)?;
                    *self = local;
                    return Ok(out);
                }
                out.push(value as u8);
            }
            local.take(used)?;
        }
        *self = local;
        Ok(out)
    }

    /// Passes over the bits up to the next byte border.
    ///
    /// # Errors
    /// A bit that is set there.
    #[inline]
    pub fn align(&mut self) -> Result<(), Fault> {
        let bits = (8 - self.pos as u32 % 8) % 8;
        if self.peek() & ((1 << bits) - 1) != 0 {
            return Err(Fault::new(FaultKind::Malformed("bits are set that fill up a byte"), self.pos / 8));
        }
        self.take(bits)
    }

    /// The bits from the cursor to the end, for what is kept without a meaning: whole bytes, the first bit lowest.
    /// As the end is a byte border, the last byte has as many unused bits as the cursor is away from one.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.remaining().div_ceil(8));
        while self.remaining() > 0 {
            let n = self.remaining().min(8);
            out.push((self.peek() & ((1 << n) - 1)) as u8);
            self.pos += n;
        }
        out
    }
}

/// Writes bits.
#[derive(Debug, Clone)]
pub struct BitWriter {
    /// What is written, and room behind it that is not: bytes go out eight at a time.
    out: ByteWriter,
    /// Bytes in `out` before the first bit.
    start: usize,
    /// Bytes in `out` that are written.
    end: usize,
    /// Bits not in `out` yet, the first one lowest, and how many: at most 7.
    pending: u64,
    count: u32,
    coding: Coding,
}

macro_rules! write_numbers {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $bits:literal;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, v: $ty) {
            self.value(v as u32, $bits);
        }
    )*};
}

impl BitWriter {
    /// An empty writer.
    pub fn new(coding: Coding) -> Self {
        BitWriter::behind(ByteWriter::default(), coding)
    }

    /// A writer whose bits follow what is in `out`.
    pub fn behind(out: ByteWriter, coding: Coding) -> Self {
        BitWriter { start: out.len(), end: out.len(), out, pending: 0, count: 0, coding }
    }

    /// How whole bytes are written.
    pub fn coding(&self) -> Coding {
        self.coding
    }

    /// Bits written so far.
    pub fn len(&self) -> usize {
        (self.end - self.start) * 8 + self.count as usize
    }

    /// True before the first bit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At most 56 bits; those above them are 0.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        debug_assert!(count <= 56);
        self.pending |= bits << self.count;
        self.count += count;
        self.out.put(self.end, self.pending);
        self.end += self.count as usize / 8;
        // At most 7 + 56 bits.
        self.pending >>= self.count & !7;
        self.count &= 7;
    }

    /// At most 32 bits as they are.
    #[inline]
    pub fn raw(&mut self, value: u32, bits: u32) {
        debug_assert!(bits <= 32);
        self.push(u64::from(value) & ((1 << bits) - 1), bits);
    }

    /// A value of at most 32 bits in the writer's coding.
    #[inline]
    pub fn value(&mut self, value: u32, bits: u32) {
        self.flagged(0, 0, value, bits);
    }

    /// A value of at most 32 bits in the writer's coding, behind at most [`FLAGS`](Self::FLAGS) bits as they are.
    #[inline(always)]
    pub(crate) fn flagged(&mut self, flags: u32, count: u32, value: u32, bits: u32) {
        debug_assert!(count <= Self::FLAGS && bits <= 32 && flags >> count == 0);
        let mut all = u64::from(flags);
        if self.coding == Coding::Plain {
            let value = u64::from(value) & ((1 << bits) - 1);
            return self.push(all | value << count, count + bits);
        }
        // Plain bits, then bytes as codes of at most 11: 44 bits at most. They go out together.
        let raw = bits & 7;
        all |= (u64::from(value) & ((1 << raw) - 1)) << count;
        let (mut count, mut shift) = (count + raw, raw);
        while shift < bits {
            let (code, length) = CODES[usize::from((value >> shift) as u8)];
            all |= u64::from(code) << count;
            count += u32::from(length);
            shift += 8;
        }
        self.push(all, count);
    }

    /// Bits that go out together with a value.
    pub(crate) const FLAGS: u32 = 12;

    write_numbers! {
        /// One unsigned byte.
        u8: u8, 8;
        /// One signed byte.
        i8: i8, 8;
        /// Two bytes, unsigned.
        u16: u16, 16;
        /// Two bytes, signed.
        i16: i16, 16;
        /// Four bytes, unsigned.
        u32: u32, 32;
        /// Four bytes, signed.
        i32: i32, 32;
    }

    /// Bytes, each in the writer's coding.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for four in bytes.chunks(4) {
            match four.first_chunk() {
                Some(four) => self.u32(u32::from_le_bytes(*four)),
                None => four.iter().for_each(|b| self.u8(*b)),
            }
        }
    }

    /// A string and its NUL.
    pub fn text(&mut self, text: &[u8]) {
        self.bytes(text);
        self.u8(0);
    }

    /// Zeros up to the next byte border.
    #[inline]
    pub fn align(&mut self) {
        self.raw(0, (8 - self.count % 8) % 8);
    }

    /// Bits to the end of the message, as [`BitReader::rest`] gave them.
    ///
    /// # Errors
    /// A bit set where the last byte has no room.
    pub fn rest(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.last().is_some_and(|last| u32::from(*last) >> self.room() != 0) {
            return Err(Fault::unwritable("bits to the end of a block: the last byte has bits that do not fit in"));
        }
        self.tail(bytes);
        Ok(())
    }

    /// The same of bits that tell nothing: a last byte that does not fit in is zeros.
    pub fn tail(&mut self, bytes: &[u8]) {
        let Some((last, bytes)) = bytes.split_last() else { return };
        let room = self.room();
        for b in bytes {
            self.raw(u32::from(*b), 8);
        }
        let last = u32::from(*last);
        self.raw(if last >> room == 0 { last } else { 0 }, room);
    }

    /// Bits up to the end of the byte.
    fn room(&self) -> u32 {
        8 - self.count % 8
    }

    /// The writer that this one was put behind, with all bits in it; unused bits of the last byte are 0.
    pub fn finish(mut self) -> ByteWriter {
        self.out.truncate(self.end);
        if self.count > 0 {
            self.out.u8(self.pending as u8);
        }
        self.out
    }

    /// The bytes; unused bits of the last one are 0.
    pub fn into_bytes(self) -> Vec<u8> {
        self.finish().as_slice().to_vec()
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
        assert!(matches!(BitReader::new(&[], Coding::Plain).value(1).unwrap_err().what, FaultKind::Truncated { .. }));
        assert!(matches!(
            BitReader::new(&[0xFF], Coding::Huffman).value(16).unwrap_err().what,
            FaultKind::Truncated { .. }
        ));
        let (code, length) = super::super::huffman::ESCAPE;
        let mut w = BitWriter::new(Coding::Huffman);
        w.raw(u32::from(code), u32::from(length));
        w.raw(0, 8);
        let bytes = w.into_bytes();
        let fault = BitReader::new(&bytes, Coding::Huffman).value(8).unwrap_err();
        assert!(matches!(fault.what, FaultKind::Malformed(_)));
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
        let rest = r.rest();
        assert_eq!(rest, [0b0111_0110, 0b0000_0000]);
        assert_eq!(r.remaining(), 0);
        let mut w = BitWriter::new(Coding::Plain);
        w.raw(0b101, 3);
        w.rest(&rest).unwrap();
        assert_eq!(w.into_bytes(), [0b1011_0101, 0b11]);
        // Thirteen bits are left of sixteen: five of the last byte have a place.
        for (last, written) in [(0b0001_0000, 0b1000_0000), (0b0010_0000, 0), (0xFF, 0)] {
            let mut w = BitWriter::new(Coding::Plain);
            w.raw(0b101, 3);
            assert_eq!(w.clone().rest(&[0, last]).is_ok(), last < 0b10_0000, "{last}");
            w.tail(&[0, last]);
            assert_eq!(w.into_bytes(), [0b101, written]);
        }
    }
}
