//! Bytes that no declaration covers, kept in place.

use std::borrow::Cow;

use super::{Fields, Mistake, Name, Sink};
use crate::wire::{BitWriter, ByteWriter, Fault, Scalar, into_owned};

/// Bytes that could not be decoded, from a message number up to the end of its block.
///
/// In text: `unknown { id 0x37; data 0x01 0x02; }`, or `unknown { data ...; }` where no message number is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown<'a> {
    /// All bytes, the message number first.
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> Unknown<'a> {
    pub(crate) const NAME: Name = Name::new("unknown");
    const ID: Name = Name::new("id");
    const DATA: Name = Name::new("data");

    /// Shows the bytes as a message.
    pub fn show<S: Sink>(&self, s: &mut S) {
        s.open(Self::NAME, false);
        if let Some((id, data)) = self.bytes.split_first() {
            s.value(Self::ID, Scalar::Hex(u64::from(*id)));
            if !data.is_empty() {
                s.bytes(Self::DATA, data);
            }
        }
        s.close();
    }

    /// Shows bytes outside any block.
    pub fn show_unframed<S: Sink>(bytes: &[u8], s: &mut S) {
        s.open(Self::NAME, false);
        s.bytes(Self::DATA, bytes);
        s.close();
    }

    /// Takes the bytes out of a parsed statement.
    pub fn parse(f: &mut Fields<'a, '_>) -> Result<Self, Mistake> {
        f.check_shape(false)?;
        let mut bytes = Vec::new();
        if f.has(Self::ID) {
            bytes.push(f.take(Self::ID)?.int(0, 255)? as u8);
        }
        if f.has(Self::DATA) {
            bytes.extend(f.take(Self::DATA)?.bytes()?);
        }
        f.finish()?;
        Ok(Unknown { bytes: Cow::Owned(bytes) })
    }
}

into_owned!(Unknown<'a> { bytes cow });

/// A writer of messages, and of the bytes among them that no declaration covers.
pub trait UnknownWriter {
    /// Writes such bytes, as [`Unknown`] kept them.
    ///
    /// # Errors
    /// Bits that have no place in front of the next byte border.
    fn unknown(&mut self, bytes: &[u8]) -> Result<(), Fault>;
}

impl UnknownWriter for ByteWriter {
    #[inline]
    fn unknown(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes(bytes);
        Ok(())
    }
}

impl UnknownWriter for BitWriter {
    fn unknown(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.rest(bytes)
    }
}
