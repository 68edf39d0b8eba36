//! What the output of a conversion shows.

use std::io::Write;

use crate::convert::across::Output;
use crate::error::Result;
use crate::format::dm2::{self, Dialect, Dm2, Message};
use crate::frame::Block;
use crate::game::quake2::{FullFrame, World};
use crate::game::split;

/// Bytes of a packet that every engine accepts.
const LONGEST: usize = 1400;

/// What the output shows.
#[derive(Default)]
pub(super) struct Told {
    /// The level, as it began.
    world: World,
    /// The last frame of it. Its states are those that the dialect tells, so that it need not be read again.
    frame: Option<FullFrame>,
    /// A packet was longer than some engines accept.
    noted: bool,
}

impl Told {
    /// Writes a packet, of which nothing is a level or a frame.
    pub(super) fn packet<W: Write>(&mut self, messages: Vec<Message<'static>>, out: &mut Output<Dm2, W>) -> Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        out.packet(dm2::Packet::new(messages))?;
        let is_usual = out.progress.done.to_protocol == Dialect::QUAKE2.protocol;
        if is_usual && out.written().len() > LONGEST && !std::mem::replace(&mut self.noted, true) {
            let note = "packets have more than 1400 bytes, as everything is told that was recorded: id's engine does not \
                        play them, Q2PRO and others do";
            out.progress.done.account.notes.push(note.to_owned());
        }
        Ok(())
    }

    /// Writes a frame as the difference to the last one, between what is told in front of it and behind it. `changed` are
    /// the entities that are others than in the last frame, in order, where that is known.
    pub(super) fn frame<W: Write>(
        &mut self,
        mut messages: Vec<Message<'static>>,
        frame: FullFrame,
        changed: Option<&[u16]>,
        behind: Vec<Message<'static>>,
        out: &mut Output<Dm2, W>,
    ) -> Result<()> {
        messages.extend(self.world.frame_after(self.frame.as_ref(), &frame, changed)?);
        messages.extend(behind);
        self.frame = Some(frame);
        self.packet(messages, out)
    }

    /// Writes what a level begins with.
    pub(super) fn level<W: Write>(&mut self, level: Vec<Message<'static>>, out: &mut Output<Dm2, W>) -> Result<()> {
        self.frame = None;
        for messages in split(level, None, LONGEST, &mut out.dialect())? {
            self.packet(messages, out)?;
            if let Some(block) = Block::of_bytes(out.written(), 0, 0) {
                self.world.apply(&dm2::Chunk::Block(block));
            }
        }
        Ok(())
    }
}
