//! Decoding a piece and writing it again from the model alone.

use super::block::{Block, BlockKind, Piece};
use super::message::Message;
use super::packet::{Messages, PacketHead, UserCommand, close_packet, cut_short, encode_block, open_block, too_short};
use crate::dialect::Dialect;
use crate::format::Checked;
use crate::wire::Writer;

/// Writes to `w` what the model of a piece says; the caller compares. `dialect` is carried along.
pub(crate) fn check(dialect: &mut Dialect, piece: &Piece<'_>, w: &mut Writer) -> Checked {
    let mut checked = Checked { blocks: 0, messages: 0, uncovered: 0, clean_end: false, broken: None, written: Ok(()) };
    match piece {
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
                    let mut decoder = Messages::new(payload, *dialect);
                    let messages: Vec<_> = decoder.by_ref().collect();
                    let known = messages.iter().filter(|m| m.kind().is_some()).count();
                    checked.messages = known as u64;
                    checked.clean_end = matches!(messages.last(), Some(Message::Disconnect(_)));
                    let offset = block.payload_offset() + PacketHead::GAME as u64;
                    if let Some(broken) = decoder.broken_at(offset, block.index) {
                        checked.uncovered = offset + payload.len() as u64 - broken.offset;
                        checked.broken = Some(broken);
                    }
                    checked.written = encode_block(&messages, dialect, w);
                    *dialect = decoder.dialect();
                }
            }
            if checked.written.is_ok() {
                checked.written = close_packet(start, cut.then_some(size), w);
            }
        }
    }
}

/// The beginning of a cut block stays bytes.
fn leave(bytes: &[u8], w: &mut Writer, checked: &mut Checked) {
    w.bytes(bytes);
    checked.uncovered = bytes.len() as u64;
}
