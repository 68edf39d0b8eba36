//! Frames of Quake II that show something else in the output than in the recording: each is told as the difference to what
//! the output has shown.

use crate::error::Result;
use crate::format::dm2::{Block, Decoder, Dialect, Message, Packet};
use crate::game::quake2::{FullFrame, World};
use crate::world::Scene;

/// Frames that later ones may build on.
const RING: usize = 64;

/// What becomes of a block.
pub(crate) enum RetoldFrame<'a> {
    /// It is as it was.
    Same,
    /// It would be another one, but something in it cannot be read.
    Faulty,
    /// It is another one.
    New(Packet<'a>, Dialect),
    /// It would be larger than is allowed, and shows what it did: as it was, or told as the difference to another frame.
    TooLarge(Option<Packet<'a>>),
}

/// The frames that were changed, the last ones.
#[derive(Default)]
pub(crate) struct Frames {
    changed: Vec<FullFrame>,
    /// How the block at hand is read.
    decoder: Option<Decoder>,
}

impl Frames {
    /// A block comes next, in front of which the world is this one.
    pub(crate) fn before(&mut self, world: &World) {
        self.decoder = world.decoder().cloned();
    }

    fn told(&self, number: i32) -> Option<&FullFrame> {
        self.changed.iter().rev().find(|frame| frame.number() == number)
    }

    /// A block that the world has read. `show` says what its frame shows instead; it is asked for whole frames alone. `fits`
    /// says whether a packet is small enough.
    pub(crate) fn block<'b>(
        &mut self,
        block: &Block<'b>,
        world: &World,
        show: impl FnOnce(&FullFrame) -> Result<Option<FullFrame>>,
        mut fits: impl FnMut(&Packet<'_>) -> Result<bool>,
    ) -> Result<RetoldFrame<'b>> {
        if world.changes().level {
            self.changed.clear();
        }
        let Some(now) = world.complete_frame().filter(|_| world.changes().frame) else { return Ok(RetoldFrame::Same) };
        let shown = show(now)?;
        let mut decoder = self.decoder.take().unwrap_or_default();
        let base = now.delta().and_then(|number| self.told(number));
        if shown.is_none() && base.is_none() {
            return Ok(RetoldFrame::Same);
        }
        let (mut packet, fault) = decoder.read(block);
        let frames = packet.messages.iter().filter(|message| matches!(message, Message::Frame(_))).count();
        if fault.is_some() || frames != 1 {
            return Ok(RetoldFrame::Faulty);
        }
        let from = base.or_else(|| now.delta().and_then(|number| world.earlier(number)));
        let told = world.frame_from(from, shown.as_ref().unwrap_or(now))?;
        World::replace_frame(&mut packet.messages, told);
        if shown.is_some() && !fits(&packet)? {
            let as_it_was = match base {
                None => None,
                Some(_) => {
                    let told = world.frame_from(from, now)?;
                    World::replace_frame(&mut packet.messages, told);
                    Some(packet)
                }
            };
            return Ok(RetoldFrame::TooLarge(as_it_was));
        }
        if let Some(frame) = shown {
            if self.changed.len() >= RING {
                self.changed.remove(0);
            }
            self.changed.push(frame);
        }
        Ok(RetoldFrame::New(packet, decoder.before()))
    }
}
