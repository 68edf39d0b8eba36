//! Packets: blocks as values that can be kept, changed and written.

use super::{Contents, DialectOf, Format, MessageSet};
use crate::describe::Part;
use crate::wire::{ByteWriter, Fault};

/// A block of a recording: its header, its messages, and what else it holds.
///
/// ```
/// use qdemo::format::dem::{Dialect, Disconnect, Packet};
/// use qdemo::wire::ByteWriter;
/// let packet = Packet::new([0.0; 3], vec![Disconnect {}.into()]);
/// let mut w = ByteWriter::default();
/// packet.write(&mut Dialect::QUAKE.clone(), &mut w).unwrap();
/// assert_eq!(w.as_slice(), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
/// ```
#[derive(Debug)]
pub struct Packet<'a, F: Format> {
    /// The header. It tells a size only where that is not the size of what follows, as in a block that was cut.
    pub header: F::Header,
    /// What stands around the messages.
    pub contents: F::Contents<'a>,
    /// The messages. What could not be decoded is the last of them.
    pub messages: Vec<F::Message<'a>>,
}

impl<F: Format> Clone for Packet<'_, F> {
    fn clone(&self) -> Self {
        Packet { header: self.header, contents: self.contents.clone(), messages: self.messages.clone() }
    }
}

impl<F: Format> PartialEq for Packet<'_, F> {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header && self.contents == other.contents && self.messages == other.messages
    }
}

impl<F: Format> Packet<'_, F> {
    /// Writes the whole block; `dialect` changes where a message says so.
    ///
    /// # Errors
    /// A [`Fault`] names the message and field that the dialect cannot write.
    pub fn write(&self, dialect: &mut DialectOf<F>, w: &mut ByteWriter) -> Result<(), Fault> {
        self.header.write(w)?;
        let start = w.len();
        F::write(self, dialect, w)?;
        w.close_size(start)
    }

    /// The bytes of the whole block, which begins in a dialect.
    ///
    /// # Errors
    /// Those of [`Packet::write`].
    pub fn to_bytes(&self, mut dialect: DialectOf<F>) -> Result<Vec<u8>, Fault> {
        let mut w = ByteWriter::default();
        self.write(&mut dialect, &mut w)?;
        Ok(w.into_vec())
    }

    /// The same packet, borrowing nothing.
    pub fn into_owned(self) -> Packet<'static, F> {
        F::into_owned(self)
    }

    /// Messages that were decoded.
    pub fn decoded(&self) -> usize {
        self.coverage().0
    }

    /// Bytes that no declaration covers: from the first message on that could not be decoded.
    pub fn uncovered(&self) -> usize {
        self.coverage().1
    }

    /// [`Packet::decoded`] and [`Packet::uncovered`], in one go.
    pub(crate) fn coverage(&self) -> (usize, usize) {
        let unknown = self.messages.iter().filter_map(MessageSet::unknown_bytes);
        let (count, bytes) = unknown.fold((0, 0), |(count, bytes), unknown| (count + 1, bytes + unknown.len()));
        (self.messages.len() - count, bytes + self.contents.uncovered())
    }
}
