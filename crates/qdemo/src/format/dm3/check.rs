//! Decoding a chunk and writing it again from the model alone.

use super::block::{Block, Chunk};
use super::decode::{END_MARK, Packet, write_block};
use super::message::Message;
use crate::dialect::quake3::Dialect;
use crate::format::{Diagnostic, Checked, check_chunk};
use crate::wire::{Fault, FaultKind, ByteWriter};

/// Checks chunk after chunk with the memory of one packet.
#[derive(Debug)]
pub(crate) struct Checker {
    dialect: Dialect,
    packet: Packet,
    /// Server time of the last snapshot, in ms.
    pub(crate) time: Option<i32>,
}

impl Checker {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Checker { dialect, packet: Packet::default(), time: None }
    }

    /// Writes to `w` what the model of a chunk says; the caller compares.
    pub(crate) fn check(&mut self, chunk: &Chunk<'_>, w: &mut ByteWriter) -> Checked {
        check_chunk(chunk, w, |block, w, checked| self.check_block(block, w, checked))
    }

    fn check_block(&mut self, block: &Block<'_>, w: &mut ByteWriter, checked: &mut Checked) {
        let fault = self.packet.read(block.payload, &self.dialect);
        checked.messages = self.packet.messages.iter().filter(|m| m.kind().is_some()).count() as u64;
        for message in &self.packet.messages {
            if let Message::Snapshot(snapshot) = message {
                self.time = Some(snapshot.server_time);
            }
        }
        if let Some(fault) = fault {
            let broken = fault.broken(block, &self.packet);
            checked.uncovered = block.payload_offset() + block.payload.len() as u64 - broken.offset;
            checked.broken = Some(broken);
        }
        let size = block.is_cut().then_some(block.size);
        checked.written = write_block(size, block.sequence, &self.packet, &self.dialect, w);
    }
}

/// A fault that says that a file ends at `offset` without an end mark.
pub(crate) fn no_end_mark(offset: u64) -> Diagnostic {
    let fault = Fault::new(FaultKind::Truncated { needed: END_MARK.len(), available: 0 }, 0).in_field("end mark");
    Diagnostic { fault, offset, block: None, after: Vec::new() }
}
