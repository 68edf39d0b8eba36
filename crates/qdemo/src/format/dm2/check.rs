//! Decoding a piece and writing it again from the model alone.

use super::block::Piece;
use super::decode::messages;
use crate::dialect::Dialect;
use crate::format::{Checked, check_piece, close_block};
use crate::wire::Writer;

/// Writes to `w` what the model of a piece says; the caller compares. `dialect` is carried along.
pub(crate) fn check(dialect: &mut Dialect, piece: &Piece<'_>, w: &mut Writer) -> Checked {
    check_piece(piece, w, |block, w, checked| {
        w.u32(0);
        let start = w.len();
        let messages = messages(block, *dialect);
        *dialect = checked.rewrite(messages, block.payload_offset(), block.index, w, |_| false);
        if checked.written.is_ok() {
            checked.written = close_block(start, block.is_cut().then_some(block.size), w);
        }
    })
}
