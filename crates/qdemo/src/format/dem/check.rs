//! Decoding a chunk and writing it again from the model alone.

use super::block::{Block, Chunk};
use super::decode::{Decoder, write_block};
use super::message::Message;
use crate::error::Moment;
use crate::format::Checked;
use crate::wire::ByteWriter;

/// Writes to `w` what the model of a chunk says; the caller compares.
pub(crate) fn check(decoder: &mut Decoder, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
    let mut checked = Checked::default();
    match chunk {
        Chunk::Track(track) => w.bytes(track.bytes),
        Chunk::Unframed(unframed) => checked.unframed(unframed, w),
        Chunk::Block(block) => check_block(decoder, block, w, &mut checked),
    }
    checked
}

fn check_block(decoder: &mut Decoder, block: &Block<'_>, w: &mut ByteWriter, checked: &mut Checked) {
    checked.blocks = 1;
    checked.clean_end = block.is_final();
    // Messages have 7 bytes on average; growing by doubling would copy most of them twice.
    let mut messages = Vec::with_capacity(block.payload.len() / 6 + 1);
    checked.broken = decoder.read(block, &mut messages);
    checked.messages = messages.iter().filter(|m| m.kind().is_some()).count() as u64;
    checked.time = block.time().map(Moment::Seconds);
    if let Some(Message::Unknown(unknown)) = messages.last() {
        checked.uncovered = unknown.bytes.len() as u64;
    }
    let size = block.is_cut().then_some(block.size);
    checked.written = write_block(size, block.camera, &messages, &mut decoder.before(), w);
}
