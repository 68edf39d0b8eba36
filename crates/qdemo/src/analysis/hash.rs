//! A number for what a recording holds, whatever it is called and packed in.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Reads and notes the SHA-256 of what goes by.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let (_, hash, bytes) = qdemo::analysis::hash::HashingReader::new(&b"abc"[..]).finish()?;
/// // FIPS 180-2, B.1.
/// assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!(bytes, 3);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HashingReader<R> {
    input: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: Read> HashingReader<R> {
    /// Reads from `input`.
    pub fn new(input: R) -> Self {
        HashingReader { input, hash: Sha256::new(), bytes: 0 }
    }

    /// Reads what is left. Gives what was read from, the hash as small hexadecimal digits, and the number of bytes.
    ///
    /// # Errors
    /// What reading gives.
    pub fn finish(mut self) -> io::Result<(R, String, u64)> {
        io::copy(&mut self, &mut io::sink())?;
        let digits = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((self.input, digits, self.bytes))
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buf)?;
        self.hash.update(buf.get(..read).unwrap_or_default());
        self.bytes += read as u64;
        Ok(read)
    }
}
