//! Packs what a replay holds.

use zlib_rs::{Deflate, DeflateFlush, Status};

use super::columns::malformed;
use crate::error::Result;

/// How much trouble is taken, of 9.
const LEVEL: i32 = 6;
/// Looks back over 32 KB: the most that there is.
const WINDOW_BITS: u8 = 15;
/// Bytes that are packed into at once.
const ROOM: usize = 64 << 10;

/// Parts one behind the other as a stream of zlib (RFC 1950). With each part a block ends, and with it the codes that suit
/// its bytes.
///
/// # Errors
/// None that memory can give.
pub(super) fn packed<'p>(parts: impl Iterator<Item = &'p [u8]>) -> Result<Vec<u8>> {
    let mut packer = Packer { deflate: Deflate::new(LEVEL, true, WINDOW_BITS), out: Vec::new(), room: vec![0; ROOM] };
    for part in parts {
        packer.pack(part, DeflateFlush::Block)?;
    }
    packer.pack(&[], DeflateFlush::Finish)?;
    Ok(packer.out)
}

struct Packer {
    deflate: Deflate,
    out: Vec<u8>,
    room: Vec<u8>,
}

impl Packer {
    fn pack(&mut self, mut part: &[u8], flush: DeflateFlush) -> Result<()> {
        let ends = matches!(flush, DeflateFlush::Finish);
        loop {
            let (read, written) = (self.deflate.total_in(), self.deflate.total_out());
            let status =
                self.deflate.compress(part, &mut self.room, flush).map_err(|_| malformed("it cannot be packed"))?;
            let (read, written) = (self.deflate.total_in() - read, self.deflate.total_out() - written);
            part = part.get(read as usize..).unwrap_or_default();
            self.out.extend_from_slice(self.room.get(..written as usize).unwrap_or_default());
            // There may be more to write where no room is left.
            let done = if ends { status == Status::StreamEnd } else { part.is_empty() && (written as usize) < ROOM };
            if done {
                return Ok(());
            }
            if read == 0 && written == 0 {
                return Err(malformed("it cannot be packed"));
            }
        }
    }
}
