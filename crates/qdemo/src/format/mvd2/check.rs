//! Decoding a chunk and writing it again from the model alone.

use super::block::Chunk;
use super::decode::{FrameClock, MAGIC, Messages};
use crate::dialect::Dialect;
use crate::format::{Checked, check_chunk};
use crate::wire::{Fault, ByteWriter};

/// Writes to `w` what the model of a chunk says; the caller compares. `dialect` is carried along.
/// `clock` counts the frames so far.
pub(crate) fn check(dialect: &mut Dialect, clock: &mut FrameClock, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
    check_chunk(chunk, w, |block, w, checked| {
        if block.marked {
            w.bytes(&MAGIC);
        }
        w.u16(0);
        let start = w.len();
        let mut messages = Messages::new(block.payload, *dialect);
        *dialect = checked.rewrite(&mut messages, block.payload_offset(), block.index, w, |checked, all, _| {
            all.iter().for_each(|m| clock.count(m));
            checked.time = clock.time();
        });
        if checked.written.is_ok() {
            checked.written = close_block(start, block.is_cut().then_some(block.size), w);
        }
    })
}

/// Puts the size of what was written since `start` into the two bytes in front. `size` is what the header says instead.
pub(crate) fn close_block(start: usize, size: Option<u16>, w: &mut ByteWriter) -> Result<(), Fault> {
    let actual = u16::try_from(w.len() - start).map_err(|_| Fault::unwritable("a block above 65535 bytes"))?;
    w.patch_u16(start - 2, size.unwrap_or(actual));
    Ok(())
}
