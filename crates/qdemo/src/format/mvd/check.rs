//! Decoding a chunk and writing it again from the model alone.

use super::block::{Block, Chunk, Target};
use super::hidden::{read_hidden, write_hidden};
use crate::dialect::Dialect;
use crate::format::qwd::{Message, Messages, UserCommand};
use crate::format::{Diagnostic, Checked, check_chunk, close_block};
use crate::wire::{Fault, FaultKind, ByteWriter};

/// Writes to `w` what the model of a chunk says; the caller compares. `dialect` is carried along.
pub(crate) fn check(dialect: &mut Dialect, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
    check_chunk(chunk, w, |block, w, checked| check_block(dialect, block, w, checked))
}

fn check_block(dialect: &mut Dialect, block: &Block<'_>, w: &mut ByteWriter, checked: &mut Checked) {
    let start = open_record(block, w);
    match block.target {
        Target::Command => match UserCommand::read(block.payload) {
            Some(command) => command.write(w),
            None => {
                w.bytes(block.payload);
                checked.uncovered = block.payload.len() as u64;
            }
        },
        Target::Set => {
            w.bytes(block.payload);
            checked.uncovered = if block.is_cut() { block.payload.len() as u64 } else { 0 };
        }
        Target::Multiple(0) if dialect.quakeworld.hidden => {
            let (messages, rest) = read_hidden(block.payload, dialect);
            checked.messages = messages.len() as u64;
            checked.written = messages.iter().try_for_each(|m| write_hidden(m, w, dialect));
            w.bytes(rest);
            checked.uncovered = rest.len() as u64;
            if !rest.is_empty() {
                checked.broken = Some(not_hidden(block, rest));
            }
        }
        _ => {
            let mut messages = Messages::new(block.payload, *dialect);
            *dialect = checked.rewrite(&mut messages, block.payload_offset(), block.index, w, |checked, all, _| {
                checked.clean_end = matches!(all.last(), Some(Message::Disconnect(_)));
            });
        }
    }
    if checked.written.is_ok() {
        checked.written = close_record(start, block.target, block.is_cut().then_some(block.size), w);
    }
}

/// Writes the header of a record; its size is put in later with [`close_record`].
pub(crate) fn open_record(block: &Block<'_>, w: &mut ByteWriter) -> usize {
    w.u8(block.msec);
    w.u8(block.target.number() | block.slot << 3);
    if let Target::Multiple(mask) = block.target {
        w.u32(mask);
    }
    if !matches!(block.target, Target::Command | Target::Set) {
        w.u32(0);
    }
    w.len()
}

/// Puts the size of what was written since into the header of a record.
pub(crate) fn close_record(start: usize, target: Target, size: Option<u32>, w: &mut ByteWriter) -> Result<(), Fault> {
    if !matches!(target, Target::Command | Target::Set) {
        close_block(start, size, w)?;
    }
    Ok(())
}

/// A fault that says that some bytes are no hidden messages.
pub(crate) fn not_hidden(block: &Block<'_>, rest: &[u8]) -> Diagnostic {
    let fault = Fault::new(FaultKind::Malformed("no hidden message"), 0);
    let offset = block.payload_offset() + (block.payload.len() - rest.len()) as u64;
    Diagnostic { fault, offset, block: Some(block.index), after: Vec::new() }
}
