//! What messages travel on: bytes, or the bit streams of Quake III.

use crate::dialect::{Dialect, quake3};
use crate::wire::{BitReader, BitWriter, ByteReader, ByteWriter, Fault};

/// How the messages of a format are laid out, and with which dialects. Declarations name theirs once, as `Wire`.
pub trait Wire {
    /// Where values come from.
    type Reader<'a>;
    /// Where values go.
    type Writer;
    /// What the protocols of the format differ in.
    type Dialect: crate::dialect::AnyDialect;

    /// Writes bytes that no declaration covers, as they were kept by [`Unknown`](super::Unknown).
    ///
    /// # Errors
    /// Bits that have no place in front of the next byte border.
    fn write_unknown(w: &mut Self::Writer, bytes: &[u8]) -> Result<(), Fault>;
}

/// Whole bytes: Quake, QuakeWorld and Quake II.
#[derive(Debug, Clone, Copy)]
pub struct Bytes;

impl Wire for Bytes {
    type Reader<'a> = ByteReader<'a>;
    type Writer = ByteWriter;
    type Dialect = Dialect;

    #[inline]
    fn write_unknown(w: &mut ByteWriter, bytes: &[u8]) -> Result<(), Fault> {
        w.bytes(bytes);
        Ok(())
    }
}

/// Bits: Quake III Arena.
#[derive(Debug, Clone, Copy)]
pub struct Bits;

impl Wire for Bits {
    type Reader<'a> = BitReader<'a>;
    type Writer = BitWriter;
    type Dialect = quake3::Dialect;

    fn write_unknown(w: &mut BitWriter, bytes: &[u8]) -> Result<(), Fault> {
        w.rest(bytes)
    }
}
