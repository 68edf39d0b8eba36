//! Unpacked bytes compared with the size and the checksum that a directory tells.

use crate::Error;
use flate2::Crc;
use std::io::{self, Read};

/// Passes bytes on and, at the end, compares their number and CRC-32 with what a directory says.
pub(super) struct Checked<R> {
    inner: R,
    size: u64,
    given: u64,
    crc: Crc,
    expected: Option<u32>,
}

impl<R: Read> Checked<R> {
    pub(super) fn new(inner: R, size: u64, expected: Option<u32>) -> Self {
        Checked { inner, size, given: 0, crc: Crc::new(), expected }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.size - self.given).unwrap_or(usize::MAX);
        let size = self.size;
        if buf.is_empty() {
            return Ok(0);
        }
        if left == 0 {
            if self.inner.read(&mut [0])? > 0 {
                return Err(
                    Error::container(format!("damaged: more data than the {size} bytes in the directory")).into()
                );
            }
            if self.expected.is_some_and(|crc| crc != self.crc.sum()) {
                return Err(Error::container("damaged: the checksum does not match the data before").into());
            }
            return Ok(0);
        }
        let most = left.min(buf.len());
        let n = self.inner.read(&mut buf[..most])?;
        if n == 0 {
            return Err(Error::container(format!(
                "damaged: {} bytes of data instead of the {size} in the directory",
                self.given
            ))
            .into());
        }
        self.crc.update(&buf[..n]);
        self.given += n as u64;
        Ok(n)
    }
}
