//! Decoding a chunk and writing it again from the model alone.

use super::block::{Block, BlockKind, Chunk};
use super::message::Message;
use super::packet::{Messages, PacketHead, UserCommand, open_block, too_short};
use crate::dialect::Dialect;
use crate::format::{Checked, check_chunk, close_block};
use crate::wire::ByteWriter;

/// Writes to `w` what the model of a chunk says; the caller compares. `dialect` is carried along.
pub(crate) fn check(dialect: &mut Dialect, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
    check_chunk(chunk, w, |block, w, checked| check_block(dialect, block, w, checked))
}

fn check_block(dialect: &mut Dialect, block: &Block<'_>, w: &mut ByteWriter, checked: &mut Checked) {
    let start = open_block(block.time, block.kind, w);
    let cut = block.is_cut();
    match block.kind {
        BlockKind::Command => match UserCommand::read(block.payload) {
            Some(command) => command.write(w),
            None => leave(block.payload, w, checked),
        },
        BlockKind::Frame if cut => leave(block.payload, w, checked),
        BlockKind::Frame => w.bytes(block.payload),
        BlockKind::Packet { size } => {
            let (head, payload) = PacketHead::split(block.payload);
            head.write(w);
            match head {
                PacketHead::Short(bytes) => {
                    checked.uncovered = bytes.len() as u64;
                    checked.broken.get_or_insert_with(|| too_short(block));
                }
                PacketHead::Connectionless { id: 2, .. } => checked.clean_end = true,
                PacketHead::Connectionless { .. } => {}
                PacketHead::Game { .. } => {
                    let mut messages = Messages::new(payload, *dialect);
                    let offset = block.payload_offset() + PacketHead::GAME as u64;
                    *dialect = checked.rewrite(&mut messages, offset, block.index, w, |checked, all, _| {
                        checked.clean_end = matches!(all.last(), Some(Message::Disconnect(_)));
                    });
                }
            }
            if checked.written.is_ok() {
                checked.written = close_block(start, cut.then_some(size), w);
            }
        }
    }
}

/// The beginning of a cut block stays bytes.
fn leave(bytes: &[u8], w: &mut ByteWriter, checked: &mut Checked) {
    w.bytes(bytes);
    checked.uncovered = bytes.len() as u64;
}
