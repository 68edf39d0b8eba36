//! Quake III: what another player saw, from a recording that shows that player.

use std::io::{Read, Write};

use crate::convert::Shown;
use crate::convert::loss::{Conversion, Loss};
use crate::convert::mapping::Way;
use crate::demo::{Chunk, FileKind, Reader};
use crate::edit::readable::ReadableReader;
use crate::edit::snapshots::{Instead, Retold, Snapshots, packet_of};
use crate::error::Result;
use crate::format::Format;
use crate::format::dm3::{Block, Dm3, Message};
use crate::frame;
use crate::game::quake3::{EventsTold, FullSnapshot, Lives, World, all_areas};
use crate::wire::ByteWriter;
use crate::world::Scene;

/// Where a conversion is.
struct Eyes {
    slot: u16,
    lives: Lives,
    /// What the recorder's player did that others hear of.
    recorder: Option<EventsTold>,
    /// Snapshots of the player's own, or as others see him, and of all.
    own: u64,
    seen: u64,
    all: u64,
    /// Somebody's health was told of the player in the last one.
    is_told: bool,
}

impl Eyes {
    /// What a snapshot shows instead; `None`: what it did.
    fn show(&mut self, now: &FullSnapshot<'_>, world: &World) -> Option<Instead> {
        self.all += 1;
        if world.seen() == Some(self.slot.into()) {
            self.own += 1;
            self.recorder = None;
            return None;
        }
        let body = world.seen_entity(now, &mut self.recorder);
        let (player, is_told) = world.eyes_of(now, self.slot, &mut self.lives)?;
        (self.seen, self.is_told) = (self.seen + 1, is_told);
        let mut instead = Instead { player, areas: all_areas(&now.areas()), entities: Vec::new() };
        // Nobody is told of the own entity.
        instead.set(self.slot, None);
        if let Some((number, state)) = body.filter(|(number, _)| now.entity(*number).is_none()) {
            instead.set(number, Some(state));
        }
        Some(instead)
    }
}

/// Writes the recording of the player in a slot.
pub(super) fn convert<R: Read, W: Write>(reader: Reader<R>, slot: u8, mut out: W) -> Result<(W, Conversion)> {
    let mut reader = ReadableReader::new(reader);
    let from = Dm3::first_dialect(reader.detected().protocol);
    let way = Way { from: FileKind::Dm3, into: FileKind::Dm3 };
    let mut done = Conversion { from_protocols: vec![from.protocol], ..Conversion::new(way, from.protocol) };
    let mut world = World::new(from);
    let (mut snapshots, mut w) = (Snapshots::default(), ByteWriter::default());
    let mut eyes =
        Eyes { slot: slot.into(), lives: Lives::default(), recorder: None, own: 0, seen: 0, all: 0, is_told: true };
    while let Some((any, bytes, readable)) = reader.next()? {
        let number = any.block().map(|(number, _)| number);
        let chunk = readable.of(any, bytes);
        if let Some((Chunk::Dm3(chunk), _)) = &chunk {
            world.apply(chunk);
        }
        done.read(number, readable, world.clock());
        let Some((any, bytes)) = chunk else { continue };
        w.clear();
        if let Chunk::Dm3(frame::Chunk::Block(block)) = &any {
            eyes.is_told = true;
            let retold = snapshots.block(block, &world, |now| Ok(eyes.show(now, &world)))?;
            let clock = world.clock();
            if !eyes.is_told {
                done.lose(Loss::Stat, block.index, clock);
            }
            match retold {
                Retold::New(packet, mut dialect) => {
                    packet.write(&mut dialect, &mut w)?;
                    snapshots.recycle(packet);
                }
                Retold::OutOfOrder => done.lose(Loss::View, block.index, clock),
                Retold::Same => begin(block, &world, slot, &mut w)?,
            }
            done.account.has(any.block(), clock);
            let is_new = readable.is_less() || !w.is_empty() && w.as_slice() != bytes;
            *(if is_new { &mut done.account.blocks_changed } else { &mut done.account.blocks_kept }) += 1;
        }
        let written = if w.is_empty() { bytes } else { w.as_slice() };
        out.write_all(written)?;
        done.account.bytes_written += written.len() as u64;
    }
    if let Some(end) = reader.end()? {
        end.write(&mut done.account, &mut out)?;
    }
    if eyes.own + eyes.seen == 0 {
        return Err(Shown { all: eyes.all, seen: 0 }.refusal(slot, "snapshots"));
    }
    let others = eyes.all - eyes.own - eyes.seen;
    if others > 0 {
        done.account
            .notes
            .push(format!("{others} of {} snapshots do not show the player, and have the recorded view", eyes.all));
    }
    out.flush()?;
    Ok((out, done))
}

/// Where a level begins, the client is another one.
fn begin(block: &Block<'_>, world: &World, slot: u8, w: &mut ByteWriter) -> Result<()> {
    if !world.messages().iter().any(|message| matches!(message, Message::Gamestate(_))) {
        return Ok(());
    }
    let Some(mut packet) = packet_of(block, world, None) else { return Ok(()) };
    for message in &mut packet.messages {
        if let Message::Gamestate(level) = message {
            level.client_num = level.client_num.map(|_| slot.into());
        }
    }
    packet.write(&mut world.dialect(), w)?;
    Ok(())
}
