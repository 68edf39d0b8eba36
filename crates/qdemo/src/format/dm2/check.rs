//! Decoding a piece and writing it again from the model alone.

use super::block::{Block, Piece};
use super::decode::{END_MARK, cut_short, encode_block, messages};
use super::message::Message;
use crate::dialect::Dialect;
use crate::format::Checked;
use crate::wire::Writer;

/// Writes to `w` what the model of a piece says; the caller compares. `dialect` is carried along.
pub(crate) fn check(dialect: &mut Dialect, piece: &Piece<'_>, w: &mut Writer) -> Checked {
    let mut checked = Checked { blocks: 0, messages: 0, uncovered: 0, clean_end: false, broken: None, written: Ok(()) };
    match piece {
        Piece::End => {
            w.bytes(&END_MARK);
            checked.clean_end = true;
        }
        Piece::Trailer(bytes) => {
            w.bytes(bytes);
            checked.clean_end = true;
        }
        Piece::Stray(stray) => {
            w.bytes(stray.bytes);
            checked.uncovered = stray.bytes.len() as u64;
            checked.broken = Some(stray.into());
        }
        Piece::Block(block) => {
            checked.blocks = 1;
            if block.is_cut() {
                checked.broken = Some(cut_short(block));
            }
            check_block(dialect, block, w, &mut checked);
        }
    }
    checked
}

fn check_block(dialect: &mut Dialect, block: &Block<'_>, w: &mut Writer, checked: &mut Checked) {
    w.u32(block.size);
    let start = w.len();
    let mut decoder = messages(block, *dialect);
    let mut before = decoder.dialect();
    let all: Vec<Message<'_>> = decoder.by_ref().collect();
    checked.messages = all.iter().filter(|m| m.kind().is_some()).count() as u64;
    if let Some(broken) = decoder.broken_at(block.payload_offset(), block.index) {
        checked.uncovered = block.payload_offset() + block.payload.len() as u64 - broken.offset;
        checked.broken = Some(broken);
    }
    checked.written = encode_block(&all, &mut before, w);
    if !block.is_cut() {
        let size = (w.len() - start) as u32;
        w.patch_u32(start - 4, size);
    }
    *dialect = decoder.dialect();
}
