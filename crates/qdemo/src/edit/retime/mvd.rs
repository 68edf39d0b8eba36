//! QuakeWorld, recorded by a server: each record has the time that passes in front of it.

use super::qw::{Found, Told, change, change_all, quakeworld};
use super::{Game, Moment, Sink, Step};
use crate::demo::Chunk;
use crate::edit::moment::Momentary;
use crate::error::Result;
use crate::format::Format;
use crate::format::mvd::{self, Mvd};
use crate::format::qwd::{DeltaPacketEntities, Dialect, Message};
use crate::frame;
use crate::replay::World;
use crate::world::Scene;

/// An `.mvd`.
#[derive(Default)]
pub(super) struct Server {
    decoder: mvd::Decoder,
    found: Found,
    buffer: Vec<u8>,
    /// Milliseconds that have passed in the output.
    passed: i64,
    frames: Frames,
}

/// The numbers of frames, of which a list names that of the frame before by its lowest byte.
#[derive(Default)]
struct Frames {
    /// The number that the last list of the output names, or would.
    named: Option<u8>,
    /// What is added to the numbers of the input; `None`: the next list tells.
    add: Option<u8>,
    /// The last list is whole: the next one builds on that, whatever it names.
    is_whole: bool,
}

impl Frames {
    /// A number so far from the one that is due names no frame that is there.
    const ABSENT: u8 = 128;

    /// Takes in a list of the output that names `base` or nothing.
    fn list(&mut self, base: Option<u8>) {
        self.named = base.or(self.named.map(|named| named.wrapping_add(1)));
        self.is_whole = base.is_none();
    }

    /// The number that the next list is to name.
    fn due(&self) -> Option<u8> {
        self.named.map(|named| named.wrapping_add(1))
    }

    /// What is added to the numbers of a record, which is taken in.
    fn add(&mut self, found: &Found, record: &[u8]) -> u8 {
        for (told, at) in &found.all {
            match told {
                Told::Base => {
                    let base = record.get(*at).copied().unwrap_or_default();
                    let due = self.due().unwrap_or(base);
                    let add = *self.add.get_or_insert(due.wrapping_sub(base));
                    self.list(Some(base.wrapping_add(add)));
                }
                Told::Whole => self.list(None),
                Told::Ago | Told::ServerTime | Told::Level => {}
            }
        }
        self.add.unwrap_or_default()
    }

    /// The next list builds on a frame that is not there. It must not be the first one behind a whole list, which builds on
    /// that, whatever it names.
    fn lose(&mut self) {
        self.named = self.named.map(|named| named.wrapping_add(Self::ABSENT));
    }

    /// Numbers the lists of a record that the input does not have.
    fn number(&mut self, record: &mut mvd::Packet<'_>) {
        for message in &mut record.messages {
            match message {
                Message::DeltaPacketEntities(list) => {
                    list.frame = self.due().unwrap_or(list.frame);
                    self.list(Some(list.frame));
                }
                Message::PacketEntities(_) => self.list(None),
                _ => {}
            }
        }
    }
}

impl Server {
    /// Lets time pass up to a time of the output: gives what is left for the next record, at most 255.
    fn pass(&mut self, out: i64, sink: &mut Sink<'_>) -> Result<u8> {
        let mut left = ((out + 500).div_euclid(1000) - self.passed).max(0);
        self.passed += left;
        while left > 255 {
            // For whom the next record is remains as it was.
            let header = mvd::Header::new(255, mvd::Target::Same, 0);
            sink.packet::<Mvd>(&mvd::Packet::new(header, Vec::new()), Mvd::first_dialect(None), true)?;
            left -= 255;
            sink.remark("empty records: one tells of 255 ms at most");
        }
        Ok(left as u8)
    }

    /// Writes records that the input does not have.
    fn put(&mut self, records: &[mvd::Packet<'_>], out: i64, dialect: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        let mut msec = self.pass(out, sink)?;
        let mut dialect = dialect;
        for record in records {
            let mut record = record.clone();
            record.header.msec = std::mem::take(&mut msec);
            self.frames.number(&mut record);
            sink.packet_in::<Mvd>(&record, &mut dialect, true)?;
        }
        self.passed -= i64::from(msec);
        // What follows in the input goes on from here.
        self.frames.add = None;
        Ok(())
    }

    /// The next list builds on one that is not there: from it on, entities are not known.
    fn lose(&mut self, out: i64, dialect: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        if self.frames.is_whole {
            let nothing = DeltaPacketEntities { frame: 0, entities: Vec::new() };
            let header = mvd::Header::new(0, mvd::Target::All, 0);
            let between = mvd::Packet::new(header, vec![Message::DeltaPacketEntities(nothing)]);
            self.put(&[between], out, dialect, sink)?;
        }
        self.frames.lose();
        sink.remark("entities that the recording does not know at a moment: a list that builds on one that is not there says so");
        Ok(())
    }
}

impl Game for Server {
    /// Players are told apart from entities: engines show them all the same.
    fn shows_incomplete(&self) -> bool {
        true
    }

    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Chunk::Mvd(frame::Chunk::Block(block)) = step.chunk else { return sink.kept(step.bytes) };
        sink.last.take(step.chunk);
        self.decoder.visit(block, &mut self.found);
        let msec = self.pass(sink.line.out(step.time), sink)?;
        self.buffer.clear();
        self.buffer.extend_from_slice(step.bytes);
        let mut changed = change(&mut self.buffer, 0, |_| Ok([msec]))?;
        let add = self.frames.add(&self.found, step.bytes.get(block.header_len..).unwrap_or_default());
        changed |= change_all(&mut self.buffer, block.header_len, &self.found, step.time, u32::from(add), sink)?;
        if changed { sink.changed(&self.buffer) } else { sink.kept(step.bytes) }
    }

    fn hold(&mut self, _: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let left = self.pass(until, sink)?;
        // The next record tells it.
        self.passed -= i64::from(left);
        Ok(())
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (quakeworld(shown), quakeworld(world)) else { return Ok(false) };
        let out = sink.line.out(time);
        match world.records_after(shown) {
            Some(records) => {
                if world.loses_entities(shown) {
                    self.lose(out, world.dialect(), sink)?;
                }
                self.put(&records, out, world.dialect(), sink)?;
                Ok(true)
            }
            None => {
                let records = world.keyframe_records()?;
                if records.is_empty() {
                    return Ok(false);
                }
                sink.line.begin_level(time, out);
                self.frames = Frames::default();
                sink.start(world.clock(), |sink| self.put(&records, out, Dialect::MULTIVIEW, sink))?;
                Ok(true)
            }
        }
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = quakeworld(moment.world) else { return Ok(false) };
        if !self.jump(shown, moment.world, moment.time, sink)? {
            return Ok(false);
        }
        let mut records = Vec::new();
        let mut to = None;
        for (chunk, _) in moment.chunks {
            let Chunk::Mvd(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = mvd::Decoder::new(world.dialect()).read(block);
            let mut packet = packet.into_owned();
            if packet.header.to.target == mvd::Target::Same {
                packet.header.to = to.unwrap_or(packet.header.to);
            } else {
                to = Some(packet.header.to);
            }
            packet.messages.retain(Momentary::is_of_a_moment);
            if !packet.messages.is_empty() {
                records.push(packet);
            }
        }
        self.put(&records, sink.line.out(moment.time), world.dialect(), sink)?;
        Ok(true)
    }
}
