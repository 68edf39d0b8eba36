//! Decoding a piece and writing it again from the model alone.

use super::block::{Block, Piece};
use super::decode::{Decoder, write_block};
use crate::format::{Broken, Checked};
use crate::wire::{Fault, What, Writer};

/// Writes to `w` what the model of a piece says; the caller compares.
pub(crate) fn check(decoder: &mut Decoder, piece: &Piece<'_>, w: &mut Writer) -> Checked {
    let mut checked = Checked { blocks: 0, messages: 0, uncovered: 0, clean_end: false, broken: None, written: Ok(()) };
    match piece {
        Piece::Track(track) => w.bytes(track.bytes),
        Piece::Stray(stray) => {
            w.bytes(stray.bytes);
            checked.uncovered = stray.bytes.len() as u64;
            checked.broken = Some(stray.into());
        }
        Piece::Block(block) => check_block(decoder, block, w, &mut checked),
    }
    checked
}

fn check_block(decoder: &mut Decoder, block: &Block<'_>, w: &mut Writer, checked: &mut Checked) {
    checked.blocks = 1;
    checked.clean_end = block.is_final();
    // Messages have 7 bytes on average; growing by doubling would copy most of them twice.
    let mut messages = Vec::with_capacity(block.payload.len() / 6 + 1);
    checked.broken = decoder.read(block, &mut messages);
    checked.messages = messages.iter().filter(|m| m.kind().is_some()).count() as u64;
    if let Some(broken) = &checked.broken {
        checked.uncovered = block.payload_offset() + block.payload.len() as u64 - broken.offset;
    } else if block.is_cut() {
        let what = What::Truncated { needed: block.size as usize, available: block.payload.len() };
        let fault = Fault::new(what, 0);
        checked.broken = Some(Broken { fault, offset: block.offset, block: Some(block.index), after: Vec::new() });
    }
    let size = block.is_cut().then_some(block.size);
    checked.written = write_block(size, block.camera, &messages, &mut decoder.before(), w);
}
