//! Frames behind a full start that build on frames in front of it: they are told as the difference to others.

use crate::demo::Chunk;
use crate::error::Result;
use crate::format::dm2::Dm2;
use crate::format::dm3::Dm3;
use crate::format::{Format, Packet};
use crate::frame;
use crate::replay::World;

/// Reads the blocks behind a full start for as long as some of them may build on what is not there.
#[derive(Debug)]
pub(super) enum Rebase {
    Dm2(Box<Reading<Dm2>>),
    Dm3(Box<Reading<Dm3>>),
}

#[derive(Debug)]
pub(super) struct Reading<F: Format> {
    decoder: crate::format::Decoder<F>,
    /// Number of the frame in the full start, or of the first one behind it; before there is one, nothing may be built on.
    oldest: i32,
    /// Blocks that are still to be looked at.
    left: u32,
    packet: Option<Packet<'static, F>>,
}

/// Frames tell how many frames back they build, in a byte, or engines keep fewer than that.
const REACH: u32 = 256;

impl Rebase {
    /// For what follows a full start of a world. Nothing is to be done where frames build on none before them, and where
    /// the full start tells all that they may build on.
    pub(super) fn behind(world: &World) -> Option<Rebase> {
        match world {
            World::Dm2(world) => {
                let oldest = world.frame().map_or(i32::MAX, |frame| frame.number());
                Some(Rebase::Dm2(Box::new(Reading::new(world.decoder()?.clone(), oldest))))
            }
            World::Dm3(world) => {
                let oldest = world.snapshot().map_or(i32::MAX, |snapshot| snapshot.number());
                Some(Rebase::Dm3(Box::new(Reading::new(world.decoder()?.clone(), oldest))))
            }
            _ => None,
        }
    }

    /// True when nothing builds on what is not there any more.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Rebase::Dm2(reading) => reading.left == 0,
            Rebase::Dm3(reading) => reading.left == 0,
        }
    }

    /// Reads a chunk before the world takes it in; false for one that stays as it is.
    pub(super) fn read(&mut self, chunk: &Chunk<'_>) -> bool {
        match (self, chunk) {
            (Rebase::Dm2(reading), Chunk::Dm2(frame::Chunk::Block(block))) => reading.read(block),
            (Rebase::Dm3(reading), Chunk::Dm3(frame::Chunk::Block(block))) => reading.read(block),
            _ => false,
        }
    }

    /// The chunk read last as it has to be, when the world has taken it in; `None` where it stays as it is.
    pub(super) fn changed(&mut self, world: &World) -> Result<Option<Vec<u8>>> {
        match (self, world) {
            (Rebase::Dm2(reading), World::Dm2(world)) => {
                let Some(mut packet) = reading.packet.take() else { return Ok(None) };
                let changed = world.rebase(&mut packet, reading.oldest)?;
                reading.begin(world.complete_frame().map(|frame| frame.number()));
                reading.written(changed, &packet)
            }
            (Rebase::Dm3(reading), World::Dm3(world)) => {
                let Some(mut packet) = reading.packet.take() else { return Ok(None) };
                let changed = world.rebase(&mut packet, reading.oldest);
                reading.begin(world.complete_snapshot().map(|snapshot| snapshot.number()));
                reading.written(changed, &packet)
            }
            _ => Ok(None),
        }
    }
}

impl<F: Format> Reading<F> {
    fn new(decoder: crate::format::Decoder<F>, oldest: i32) -> Self {
        Reading { decoder, oldest, left: REACH, packet: None }
    }

    fn read(&mut self, block: &crate::format::BlockOf<'_, F>) -> bool {
        let (packet, fault) = self.decoder.read(block);
        self.left = self.left.saturating_sub(1);
        // A block that is damaged stays so.
        self.packet = fault.is_none().then(|| packet.into_owned());
        true
    }

    /// The first frame of the output builds on nothing, and later ones may build on it.
    fn begin(&mut self, frame: Option<i32>) {
        if let Some(frame) = frame.filter(|_| self.oldest == i32::MAX) {
            self.oldest = frame;
        }
    }

    fn written(&self, changed: bool, packet: &Packet<'_, F>) -> Result<Option<Vec<u8>>> {
        Ok(changed.then(|| packet.to_bytes(self.decoder.before())).transpose()?)
    }
}
