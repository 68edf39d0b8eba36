//! The counterpart of the reader: appends little-endian values to a buffer.

use super::fault::Fault;

/// Appends wire values to a byte buffer.
///
/// ```
/// use qdemo::wire::ByteWriter;
/// let mut w = ByteWriter::default();
/// w.u8(7);
/// w.i16(-2);
/// w.str(b"ok");
/// assert_eq!(w.as_slice(), [7, 0xFE, 0xFF, b'o', b'k', 0]);
/// ```
#[derive(Debug, Default, Clone)]
pub struct ByteWriter {
    out: Vec<u8>,
    /// Where a size is still missing.
    size: Option<(usize, SizeWidth)>,
}

/// How many bytes a size takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SizeWidth {
    Two,
    Four,
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self, v: $ty) {
            self.out.extend_from_slice(&v.to_le_bytes());
        }
    )*};
}

impl ByteWriter {
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

    /// Bytes as they are.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Bytes and a closing NUL. One within them ends the string for whoever reads it.
    #[inline]
    pub fn str(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.out.push(0);
    }

    /// The bytes of a string, and its NUL.
    ///
    /// # Errors
    /// A NUL within it, behind which readers would take the rest for something else.
    #[inline]
    pub(crate) fn string(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if memchr::memchr(0, bytes).is_some() {
            return Err(Fault::unwritable("a string with a NUL in it"));
        }
        self.str(bytes);
        Ok(())
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// True before the first byte.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// What was written, as a list.
    pub fn into_vec(self) -> Vec<u8> {
        self.out
    }

    /// What was written.
    pub fn as_slice(&self) -> &[u8] {
        &self.out
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.out.clear();
        self.size = None;
    }

    /// Forgets everything after the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.out.truncate(len);
    }

    /// Puts eight bytes at `at`, over what is there and behind it.
    #[inline]
    pub(super) fn put(&mut self, at: usize, v: u64) {
        if self.out.len() < at + 8 {
            self.grow(at);
        }
        if let Some(slot) = self.out.get_mut(at..at + 8) {
            slot.copy_from_slice(&v.to_le_bytes());
        }
    }

    #[cold]
    fn grow(&mut self, at: usize) {
        self.out.resize((2 * at).max(256), 0);
    }

    /// Leaves room for a size that [`ByteWriter::close_size`] puts in.
    #[inline]
    pub(crate) fn size_later(&mut self, width: SizeWidth) {
        self.size = Some((self.out.len(), width));
        match width {
            SizeWidth::Two => self.u16(0),
            SizeWidth::Four => self.u32(0),
        }
    }

    /// Puts the size of what was written since `start` where room was left for it, if any was.
    ///
    /// # Errors
    /// A size that the room is too small for.
    #[inline]
    pub(crate) fn close_size(&mut self, start: usize) -> Result<(), Fault> {
        let Some((at, width)) = self.size.take() else { return Ok(()) };
        let size = self.out.len() - start;
        let room = self.out.get_mut(at..).unwrap_or_default();
        match width {
            SizeWidth::Two => {
                let size = u16::try_from(size).map_err(|_| Fault::unwritable("a block above 65535 bytes"))?;
                put_in(room, size.to_le_bytes());
            }
            SizeWidth::Four => {
                let size = u32::try_from(size).map_err(|_| Fault::unwritable("a block above 4 GiB"))?;
                put_in(room, size.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// Puts bytes over the first ones of a room.
#[inline]
fn put_in<const N: usize>(room: &mut [u8], bytes: [u8; N]) {
    if let Some(slot) = room.first_chunk_mut() {
        *slot = bytes;
    }
}
