//! Numbers in columns: each a number of seven bits a byte, the lowest first, with the highest bit set where more follow.

use crate::error::{Error, ErrorKind, Result};

/// A column that is written.
#[derive(Debug, Clone, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    /// A number from 0 up.
    pub(super) fn count(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.0.push(v as u8 | 0x80);
            v >>= 7;
        }
        self.0.push(v as u8);
    }

    /// Any number: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...
    pub(super) fn number(&mut self, v: i64) {
        self.count(folded(v));
    }

    /// A number that may be missing: 0, else one more than what [`Writer::number`] writes.
    pub(super) fn perhaps(&mut self, v: Option<i64>) {
        self.count(v.map_or(0, |v| folded(v).saturating_add(1)));
    }
}

fn folded(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

fn unfolded(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

/// A column that is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    /// # Errors
    /// The column is over, or its number is longer than one can be.
    pub(super) fn count(&mut self) -> Result<u64> {
        let mut v = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            v |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(v);
            }
        }
        Err(malformed("a number in a column of the replay is too long"))
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(|| malformed("a column of the replay is too short"))?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<i64> {
        self.count().map(unfolded)
    }

    pub(super) fn perhaps(&mut self) -> Result<Option<i64>> {
        Ok(self.count()?.checked_sub(1).map(unfolded))
    }

    /// A number that counts rows, strings ...
    pub(super) fn index(&mut self) -> Result<u32> {
        u32::try_from(self.count()?).map_err(|_| malformed("a number in a column of the replay is too large"))
    }
}

pub(super) fn malformed(what: &'static str) -> Error {
    Error::new(ErrorKind::Malformed(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let all = [0, -1, 1, 63, -64, 64, 8191, -8192, i64::MAX, i64::MIN + 1];
        let mut column = Writer::default();
        all.iter().for_each(|v| column.number(*v));
        column.perhaps(None);
        column.perhaps(Some(-5));
        column.count(u64::MAX);
        let mut column = Reader(&column.0);
        assert!(all.iter().all(|v| column.number().unwrap() == *v));
        assert_eq!((column.perhaps().unwrap(), column.perhaps().unwrap()), (None, Some(-5)));
        assert_eq!(column.count().unwrap(), u64::MAX);
        assert!(column.count().is_err());
        assert!(Reader(&[0xFF; 12]).count().is_err());
    }

    #[test]
    fn small_numbers_take_a_byte() {
        let mut column = Writer::default();
        [0, 63, -64].iter().for_each(|v| column.number(*v));
        assert_eq!(column.0, [0, 126, 127]);
        column.number(64);
        assert_eq!(column.0[3..], [0x80, 1]);
    }
}
