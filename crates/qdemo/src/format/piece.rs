//! FaultKind the chunks of all formats have in common that are cut by headers: blocks, an end mark, a trailer, unframed bytes.

use super::{Diagnostic, Checked, Unframed};
use crate::wire::{Fault, ByteWriter};

/// One part of a file, with blocks of the type `B`. All parts in order make up the file, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk<'a, B> {
    /// A block. (Multi-view demos call it a record.)
    Block(B),
    /// The end mark. QuakeWorld's formats have none.
    End,
    /// Bytes behind the end that are no blocks: what DeFRaG puts there, or what was left in the recorder's memory.
    Trailer(&'a [u8]),
    /// Bytes that are no block.
    Unframed(Unframed<'a>),
}

impl<B> Chunk<'_, B> {
    /// The block. Of anything else its bytes are counted; `Err` is the fault in it.
    pub(crate) fn block_or_count(&self, counts: Counts<'_>) -> Result<&B, Option<Diagnostic>> {
        match self {
            Chunk::Block(block) => return Ok(block),
            Chunk::End => *counts.ends_cleanly = true,
            Chunk::Trailer(bytes) => {
                *counts.trailer_bytes += bytes.len() as u64;
                *counts.ends_cleanly = true;
            }
            Chunk::Unframed(unframed) => {
                *counts.unknown_bytes += unframed.bytes.len() as u64;
                return Err(Some(unframed.into()));
            }
        }
        Err(None)
    }
}

/// FaultKind the facts about a demo say of chunks that are no blocks.
pub(crate) struct Counts<'i> {
    /// Bytes that no message covers.
    pub(crate) unknown_bytes: &'i mut u64,
    /// Bytes behind the end.
    pub(crate) trailer_bytes: &'i mut u64,
    /// True when the recording was stopped cleanly.
    pub(crate) ends_cleanly: &'i mut bool,
}

/// The [`Counts`] among the fields of some facts.
macro_rules! counts {
    ($info:expr) => {
        $crate::format::Counts {
            unknown_bytes: &mut $info.unknown_bytes,
            trailer_bytes: &mut $info.trailer_bytes,
            ends_cleanly: &mut $info.ends_cleanly,
        }
    };
}

/// FaultKind the blocks of all formats can tell of themselves.
pub(crate) trait Framed {
    /// The end mark of the format; empty where it has none.
    const END_MARK: &'static [u8] = &[];

    /// The fault that the file ends within the block, if it does.
    fn cut_short(&self) -> Option<Diagnostic>;
}

/// Gives a block what all blocks have, from the bytes of its header and those that its payload should have.
macro_rules! framed {
    ($block:ident: header $header:expr, payload $whole:expr $(, end mark $mark:expr)?) => {
        impl $block<'_> {
            /// Offset of the payload in the file.
            #[inline]
            pub fn payload_offset(&self) -> u64 {
                let header: fn(&Self) -> usize = $header;
                self.offset + header(self) as u64
            }

            /// True when the file ends within the block.
            #[inline]
            pub fn is_cut(&self) -> bool {
                let whole: fn(&Self) -> usize = $whole;
                self.payload.len() != whole(self)
            }
        }

        impl $crate::format::Framed for $block<'_> {
            $(const END_MARK: &'static [u8] = $mark;)?

            #[inline]
            fn cut_short(&self) -> Option<$crate::format::Diagnostic> {
                let whole: fn(&Self) -> usize = $whole;
                self.is_cut().then(|| {
                    let what = $crate::wire::FaultKind::Truncated { needed: whole(self), available: self.payload.len() };
                    $crate::format::Diagnostic {
                        fault: $crate::wire::Fault::new(what, 0),
                        offset: self.offset,
                        block: Some(self.index),
                        after: Vec::new(),
                    }
                })
            }
        }
    };
}

pub(crate) use {counts, framed};

/// Writes to `w` what the model of a chunk says; the caller compares. `check_block` does it for a block.
#[inline]
pub(crate) fn check_chunk<B: Framed>(
    chunk: &Chunk<'_, B>,
    w: &mut ByteWriter,
    check_block: impl FnOnce(&B, &mut ByteWriter, &mut Checked),
) -> Checked {
    let mut checked = Checked::default();
    match chunk {
        Chunk::Block(block) => {
            checked.blocks = 1;
            checked.broken = block.cut_short();
            check_block(block, w, &mut checked);
        }
        Chunk::End => {
            w.bytes(B::END_MARK);
            checked.clean_end = true;
        }
        Chunk::Trailer(bytes) => {
            w.bytes(bytes);
            checked.clean_end = true;
        }
        Chunk::Unframed(unframed) => checked.unframed(unframed, w),
    }
    checked
}

/// Puts the size of what was written since `start` into the four bytes in front: the end of a block's header. `size`
/// is what the header says instead.
pub(crate) fn close_block(start: usize, size: Option<u32>, w: &mut ByteWriter) -> Result<(), Fault> {
    let actual = u32::try_from(w.len() - start).map_err(|_| Fault::unwritable("a block above 4 GiB"))?;
    w.patch_u32(start - 4, size.unwrap_or(actual));
    Ok(())
}
