//! Bits of Zstandard: tables are written forwards, everything else is read from its end.

/// Bits from the first byte on, the lowest of each byte first.
pub(super) struct Forward<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Forward<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Forward { bytes, at: 0 }
    }

    /// The next bits as a number; `None` where there are not so many.
    pub(super) fn take(&mut self, count: u32) -> Option<u32> {
        let end = self.at + count as usize;
        if end > 8 * self.bytes.len() {
            return None;
        }
        let value = bits_at(self.bytes, self.at, count);
        self.at = end;
        Some(value as u32)
    }

    /// Goes back.
    pub(super) fn give_back(&mut self, count: usize) {
        self.at -= count.min(self.at);
    }

    /// What follows from the next byte border on.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at.div_ceil(8)..).unwrap_or_default()
    }
}

/// Bits from the end on. The last byte has a bit set in front of them, to show where they end.
pub(super) struct Backward<'b> {
    bytes: &'b [u8],
    /// Bits left; below 0 when more were taken than there were.
    left: i64,
}

impl<'b> Backward<'b> {
    /// `None` when the mark is missing.
    pub(super) fn new(bytes: &'b [u8]) -> Option<Self> {
        let last = *bytes.last().filter(|last| **last != 0)?;
        let left = 8 * bytes.len() as i64 - 1 - i64::from(last.leading_zeros());
        Some(Backward { bytes, left })
    }

    /// The bits before, as many as are asked for: zeros where there are no more.
    pub(super) fn peek(&self, count: u32) -> u64 {
        let start = self.left - i64::from(count);
        if start >= 0 {
            return bits_at(self.bytes, start as usize, count);
        }
        let there = self.left.max(0) as u32;
        bits_at(self.bytes, 0, there) << (count - there).min(63)
    }

    pub(super) fn take(&mut self, count: u32) -> u64 {
        let value = self.peek(count);
        self.left -= i64::from(count);
        value
    }

    pub(super) fn pass(&mut self, count: u32) {
        self.left -= i64::from(count);
    }

    /// Bits left; below 0 when more were taken than there were.
    pub(super) fn left(&self) -> i64 {
        self.left
    }
}

/// Up to 56 bits from a place on.
fn bits_at(bytes: &[u8], at: usize, count: u32) -> u64 {
    let mut eight = [0; 8];
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let n = rest.len().min(8);
    eight[..n].copy_from_slice(&rest[..n]);
    u64::from_le_bytes(eight) >> (at % 8) & ((1 << count) - 1)
}
