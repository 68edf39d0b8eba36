//! Decoding a chunk and writing it again from the model alone.

use super::block::Chunk;
use super::boxes::Boxes;
use super::decode::messages;
use super::info::frame_time;
use super::message::Message;
use crate::dialect::Dialect;
use crate::error::Moment;
use crate::format::{Checked, check_chunk, close_block};
use crate::wire::ByteWriter;

/// Writes to `w` what the model of a chunk says; the caller compares. `dialect` and `boxes` are carried along.
pub(crate) fn check(dialect: &mut Dialect, boxes: &mut Boxes, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
    check_chunk(chunk, w, |block, w, checked| {
        w.u32(0);
        let start = w.len();
        let mut messages = messages(block, *dialect, boxes);
        *dialect = checked.rewrite(&mut messages, block.payload_offset(), block.index, w, |checked, all, d| {
            let frames =
                all.iter().rev().filter_map(|m| if let Message::Frame(frame) = m { Some(frame) } else { None });
            checked.time = frames.map(|frame| Moment::Milliseconds(frame_time(frame, d))).next();
        });
        *boxes = messages.memory();
        if checked.written.is_ok() {
            checked.written = close_block(start, block.is_cut().then_some(block.size), w);
        }
    })
}
