//! Reading of a block's bytes.

use super::rules::{Broken, DIRECTION, MESSAGE_WHOLE, STRING_END, STRING_LENGTH};

/// The longest string that engines read (document 2.3).
const LONGEST_STRING: usize = 0x7FF;
/// Directions there are (document 2.3).
const DIRECTIONS: u8 = 162;

/// The bytes of one block, with their offsets in the file. All numbers are little endian.
pub(super) struct Bytes<'a> {
    file: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(file: &'a [u8], at: usize, end: usize) -> Self {
        Self { file, at, end }
    }

    /// Offset in the file of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What of the block is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.file[self.at..self.end]
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<&'a [u8], Broken> {
        let Some(bytes) = self.rest().get(..count) else {
            return MESSAGE_WHOLE.broken(self.at, format!("{count} bytes where {} are left", self.rest().len()));
        };
        self.at += count;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let mut array = [0; N];
        array.copy_from_slice(self.skip(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Broken> {
        Ok(self.array::<1>()?[0])
    }

    /// A short without sign.
    pub(super) fn word(&mut self) -> Result<u16, Broken> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn short(&mut self) -> Result<i16, Broken> {
        self.array().map(i16::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Result<i32, Broken> {
        self.array().map(i32::from_le_bytes)
    }

    /// A long without sign.
    pub(super) fn mask(&mut self) -> Result<u32, Broken> {
        self.array().map(u32::from_le_bytes)
    }

    /// Text without the zero byte that ends it.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Broken> {
        let at = self.at;
        let Some(length) = self.rest().iter().position(|&byte| byte == 0) else {
            return STRING_END.broken(at, format!("{} bytes without one", self.rest().len()));
        };
        STRING_LENGTH.holds(length <= LONGEST_STRING, at, || format!("{length} bytes"))?;
        Ok(&self.skip(length + 1)?[..length])
    }

    /// Three shorts.
    pub(super) fn position(&mut self) -> Result<(), Broken> {
        self.skip(6).map(drop)
    }

    pub(super) fn direction(&mut self) -> Result<(), Broken> {
        let at = self.at;
        let direction = self.byte()?;
        DIRECTION.holds(direction < DIRECTIONS, at, || direction.to_string())
    }
}
