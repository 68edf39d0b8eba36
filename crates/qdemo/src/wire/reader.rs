//! A cursor over bytes. All numbers in the Quake family are little endian.

use super::fault::{Fault, FaultKind};

/// A cursor over borrowed bytes. Reading past the end is a [`Fault`], never a panic.
///
/// ```
/// use qdemo::wire::ByteReader;
/// let mut r = ByteReader::new(&[0x2A, 0x01, 0x00, b'h', b'i', 0]);
/// assert_eq!(r.u8().unwrap(), 42);
/// assert_eq!(r.i16().unwrap(), 1);
/// assert_eq!(r.until_nul().unwrap(), b"hi");
/// assert!(r.u8().is_err());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ByteReader<'a> {
    data: &'a [u8],
    pos: usize,
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(&mut self) -> Result<$ty, Fault> {
            Ok(<$ty>::from_le_bytes(self.array()?))
        }
    )*};
}

impl<'a> ByteReader<'a> {
    /// A cursor at the start of `data`.
    pub fn new(data: &'a [u8]) -> Self {
        ByteReader { data, pos: 0 }
    }

    /// Offset from the start, in bytes.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Bytes not read yet.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.data.len() - self.pos
    }

    /// True at the end.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.pos == self.data.len()
    }

    /// The bytes from offset `from` up to the cursor.
    pub fn since(&self, from: usize) -> &'a [u8] {
        self.data.get(from..self.pos).unwrap_or_default()
    }

    /// Everything from offset `from` to the end; the cursor moves to the end.
    pub fn rest_from(&mut self, from: usize) -> &'a [u8] {
        self.pos = self.data.len();
        self.data.get(from..).unwrap_or_default()
    }

    /// Moves the cursor back to an offset that it passed.
    pub(crate) fn back_to(&mut self, pos: usize) {
        self.pos = pos.min(self.pos);
    }

    /// Takes values, not the reader: a reader whose address never leaves lives in registers.
    #[cold]
    fn short(needed: usize, available: usize, at: usize) -> Fault {
        Fault::new(FaultKind::Truncated { needed, available }, at)
    }

    /// A fault at the cursor.
    #[cold]
    pub fn malformed(&self, what: &'static str) -> Fault {
        Fault::new(FaultKind::Malformed(what), self.pos)
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        match self.data[self.pos..].first_chunk::<N>() {
            Some(chunk) => {
                self.pos += N;
                Ok(*chunk)
            }
            None => Err(Self::short(N, self.remaining(), self.pos)),
        }
    }

    numbers! {
        /// One unsigned byte.
        u8: u8;
        /// One signed byte.
        i8: i8;
        /// Two bytes, unsigned.
        u16: u16;
        /// Two bytes, signed.
        i16: i16;
        /// Four bytes, unsigned.
        u32: u32;
        /// Four bytes, signed.
        i32: i32;
    }

    /// Exactly `n` bytes.
    #[inline]
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], Fault> {
        match self.data[self.pos..].get(..n) {
            Some(bytes) => {
                self.pos += n;
                Ok(bytes)
            }
            None => Err(Self::short(n, self.remaining(), self.pos)),
        }
    }

    /// Four bytes ahead as a number, without moving.
    pub fn peek_u32(&self) -> Option<u32> {
        self.data[self.pos..].first_chunk::<4>().map(|c| u32::from_le_bytes(*c))
    }

    /// The bytes up to the next NUL, which is passed over.
    #[inline]
    pub fn until_nul(&mut self) -> Result<&'a [u8], Fault> {
        let rest = &self.data[self.pos..];
        match rest.iter().position(|&b| b == 0) {
            Some(n) => {
                self.pos += n + 1;
                Ok(&rest[..n])
            }
            None => Err(Fault::new(FaultKind::Truncated { needed: 1, available: 0 }, self.data.len())),
        }
    }
}
