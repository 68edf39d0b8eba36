//! Decoding a piece and writing it again from the model alone.

use super::block::{Block, Piece, Target};
use super::hidden::{read_hidden, write_hidden};
use crate::dialect::Dialect;
use crate::format::qwd::{Message, Messages, UserCommand, encode_block};
use crate::format::{Broken, Checked};
use crate::wire::{Fault, What, Writer};

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
            check_block(dialect, block, w, &mut checked);
        }
    }
    checked
}

fn check_block(dialect: &mut Dialect, block: &Block<'_>, w: &mut Writer, checked: &mut Checked) {
    let start = open_record(block, w);
    if block.is_cut() {
        checked.broken = Some(cut_short(block));
    }
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
            let mut decoder = Messages::new(block.payload, *dialect);
            let messages: Vec<_> = decoder.by_ref().collect();
            checked.messages = messages.iter().filter(|m| m.kind().is_some()).count() as u64;
            checked.clean_end = matches!(messages.last(), Some(Message::Disconnect(_)));
            if let Some(broken) = decoder.broken_at(block.payload_offset(), block.index) {
                checked.uncovered = block.payload_offset() + block.payload.len() as u64 - broken.offset;
                checked.broken = Some(broken);
            }
            checked.written = encode_block(&messages, dialect, w);
            *dialect = decoder.dialect();
        }
    }
    if checked.written.is_ok() {
        checked.written = close_record(start, block.target, block.is_cut().then_some(block.size), w);
    }
}

/// Writes the header of a record; its size is put in later with [`close_record`].
pub(crate) fn open_record(block: &Block<'_>, w: &mut Writer) -> usize {
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
pub(crate) fn close_record(start: usize, target: Target, size: Option<u32>, w: &mut Writer) -> Result<(), Fault> {
    if !matches!(target, Target::Command | Target::Set) {
        let actual = u32::try_from(w.len() - start).map_err(|_| Fault::unwritable("a record above 4 GiB"))?;
        w.patch_u32(start - 4, size.unwrap_or(actual));
    }
    Ok(())
}

/// A fault that says that the file ends within a record.
pub(crate) fn cut_short(block: &Block<'_>) -> Broken {
    let what = What::Truncated { needed: block.size as usize, available: block.payload.len() };
    Broken { fault: Fault::new(what, 0), offset: block.offset, block: Some(block.index), after: Vec::new() }
}

/// A fault that says that some bytes are no hidden messages.
pub(crate) fn not_hidden(block: &Block<'_>, rest: &[u8]) -> Broken {
    let fault = Fault::new(What::Malformed("no hidden message"), 0);
    let offset = block.payload_offset() + (block.payload.len() - rest.len()) as u64;
    Broken { fault, offset, block: Some(block.index), after: Vec::new() }
}
