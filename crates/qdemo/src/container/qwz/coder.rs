//! The range decoder.

use super::tables::Tables;
use crate::container::ContainerKind;
use crate::container::behind::{self, Behind};
use std::io::{self, BufRead};

/// `low` and `high` are moved up by a byte while they are this close together.
const NARROW: u32 = 0x00FF_FFFF;

/// The kinds of blocks: nearly all are commands and packets.
pub(super) const KINDS: [u32; 4] = [0x8000_0000, 0xFFFF_FC00, 0xFFFF_FE00, u32::MAX];

/// Decodes symbols. Behind the end of the input it finds zeros, and counts them.
pub(super) struct Coder<R> {
    input: R,
    tables: &'static Tables,
    low: u32,
    high: u32,
    code: u32,
    used: u64,
    beyond: u64,
    is_sure: bool,
    fault: Option<io::Error>,
}

impl<R: BufRead> Coder<R> {
    /// Takes in the first four bytes.
    pub(super) fn new(input: R) -> Self {
        let (tables, high) = (Tables::get(), u32::MAX);
        let mut coder = Coder { input, tables, low: 0, high, code: 0, used: 0, beyond: 0, is_sure: true, fault: None };
        for _ in 0..4 {
            coder.code = coder.code << 8 | u32::from(coder.next());
        }
        coder
    }

    /// Bytes of the input taken in.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Zeros taken in behind the end of the input.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }

    /// False when a symbol depended on what would follow behind the end of the input.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// What kept the input from being read to its end.
    pub(super) fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// What follows, from the next byte on. Behind the end of the demo, zeros with which disks fill a block up are none
    /// of it.
    pub(super) fn rest(&mut self, at_end: bool) -> io::Result<Option<Behind>> {
        if let Some(fault) = self.take_fault() {
            return Err(fault);
        }
        let zeros = if at_end { behind::skip_zeros(&mut self.input)? } else { 0 };
        Behind::read(ContainerKind::Qwz, self.used + zeros, &mut self.input)
    }

    /// A symbol of a row.
    pub(super) fn byte(&mut self, row: u8) -> u8 {
        // Below 256, as the row has so many symbols.
        self.symbol(self.tables.row(row)) as u8
    }

    /// A symbol of the row, for a signed difference.
    pub(super) fn signed(&mut self, row: u8) -> i16 {
        i16::from(self.byte(row) as i8)
    }

    /// A symbol of the row, for the high byte of a difference.
    pub(super) fn high(&mut self, row: u8) -> i16 {
        i16::from_be_bytes([self.byte(row), 0])
    }

    /// A symbol of the two rows that begin with `row`: a byte, or the number of a string.
    pub(super) fn wide(&mut self, row: u8) -> u16 {
        self.symbol(self.tables.pair(row)) as u16
    }

    /// Whether a damage message has a place.
    pub(super) fn has_from(&mut self) -> bool {
        self.symbol(self.tables.has_from()) == 1
    }

    /// The kind of a block.
    pub(super) fn kind(&mut self) -> usize {
        self.symbol(&KINDS)
    }

    /// Decodes a symbol by the cumulative frequencies of a table, of which the last one is `u32::MAX`. `N` is a power
    /// of two.
    fn symbol<const N: usize>(&mut self, table: &[u32; N]) -> usize {
        while self.high.wrapping_sub(self.low) <= NARROW {
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
            self.code = self.code << 8 | u32::from(self.next());
        }
        let range = u64::from(self.high.wrapping_sub(self.low));
        let symbol = find(table, self.code.wrapping_sub(self.low), range);
        if self.beyond > 0 {
            // The zeros might be anything.
            let most = self.code | 1u32.checked_shl(8 * self.beyond.min(4) as u32).unwrap_or(0).wrapping_sub(1);
            self.is_sure &= find(table, most.wrapping_sub(self.low), range) == symbol;
        }
        let scaled = |share: u32| ((u64::from(share) * range) >> 32) as u32;
        self.high = self.low.wrapping_add(scaled(table[symbol])).wrapping_sub(1);
        if symbol > 0 {
            self.low = self.low.wrapping_add(scaled(table[symbol - 1]));
        }
        symbol
    }

    fn next(&mut self) -> u8 {
        match self.peek() {
            Some(byte) => {
                self.input.consume(1);
                self.used += 1;
                byte
            }
            None => {
                self.beyond += 1;
                0
            }
        }
    }

    fn peek(&mut self) -> Option<u8> {
        if self.fault.is_some() {
            return None;
        }
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return bytes.first().copied(),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.fault = Some(e);
                    return None;
                }
            }
        }
    }
}

/// The symbol at a place in a range.
#[inline]
fn find<const N: usize>(table: &[u32; N], offset: u32, range: u64) -> usize {
    // Damaged input may lead beyond 32 bits; the original cuts, too.
    let value = ((u64::from(offset) << 32 | u64::from(u32::MAX)) / range) as u32;
    let mut symbol = 0;
    let mut step = N / 2;
    while step > 0 {
        if table[symbol + step - 1] <= value {
            symbol += step;
        }
        step /= 2;
    }
    symbol
}
