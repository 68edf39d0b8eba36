//! Quake II: the number of a frame is its time, so that frames are left out, or others put in between.

use super::{Game, LEAP, LEAPS, Moment, Sink, Step, TimeMap, refused};
use crate::demo::Chunk;
use crate::edit::moment::Momentary;
use crate::edit::writer::no_beginning;
use crate::error::Result;
use crate::format::dm2::{self, Dialect, Dm2, Message};
use crate::frame;
use crate::game::quake2::{FullFrame, World as Quake2World};
use crate::game::split;
use crate::replay::World;
use crate::wire::{ByteWriter, IntoOwned};
use crate::world::Scene;

/// Bytes of a packet that every engine accepts.
const PACKET: usize = 1400;

/// What rounding may take from a time, in microseconds.
pub(super) const ROUNDING: i64 = 1_000;

/// A `.dm2`.
pub(super) struct Client {
    decoder: dm2::Decoder,
    /// Nothing but the numbers of frames changes.
    numbers_only: bool,
    /// What those see who watch the output.
    viewer: Box<Quake2World>,
    /// Number of the last frame in the output; `None` before there is one in the level.
    last: Option<i32>,
    /// The same in the input, and the frame.
    shown: Option<(i32, FullFrame)>,
    /// Messages of frames that are left out, for the next one.
    carried: Vec<Message<'static>>,
}

impl Client {
    pub(super) fn new(decoder: dm2::Decoder, map: &TimeMap) -> Self {
        let plain = TimeMap::shift(map.shift_ms());
        Client {
            decoder,
            numbers_only: *map == plain,
            viewer: Box::default(),
            last: None,
            shown: None,
            carried: Vec::new(),
        }
    }

    /// Frames from the one in the input to that in the output. What is not just at a frame's time comes with the one
    /// before, so that what is keeps its place.
    fn later(offset: i64, period: i64) -> i64 {
        (offset + ROUNDING).div_euclid(period)
    }

    /// Numbers of frames, by so many frames later.
    fn renumber(messages: &mut [Message<'_>], by: i64) -> Result<bool> {
        let mut changed = false;
        for message in messages {
            let Message::Frame(m) = message else { continue };
            let other = |number: i32| i32::try_from(i64::from(number) + by).ok().filter(|number| *number >= 0);
            let what = || {
                let (number, most) = (m.seq1, i32::MAX);
                refused(match by < 0 {
                    true => format!("frame {number} would have a number below 0: shift it back by less"),
                    false => format!("frame {number} would have a number above {most}: shift it by less"),
                })
            };
            m.seq1 = other(m.seq1).ok_or_else(what)?;
            // No frame, or one that is told in full.
            m.seq2 = m.seq2.map(|base| if base > 0 { other(base).unwrap_or(-1) } else { base });
            changed = true;
        }
        Ok(changed)
    }

    /// Writes messages as a packet, in front of which those come that were carried along.
    fn put(&mut self, messages: Vec<Message<'_>>, d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        if self.carried.is_empty() {
            return self.write(&dm2::Packet::new(messages), d, made, sink);
        }
        let size = |messages: &[Message<'_>]| -> Result<usize> {
            let mut w = ByteWriter::default();
            crate::format::encode_messages(messages, &mut { d }, &mut w)?;
            Ok(w.len())
        };
        let mut front = self.take_carried(d)?;
        if size(&messages)? + front.last().map_or(Ok(0), |last| size(last))? <= PACKET {
            let mut last = front.pop().unwrap_or_default();
            last.extend(messages.into_iter().map(IntoOwned::into_owned));
            self.put_in_front(front, d, sink)?;
            return self.write(&dm2::Packet::new(last), d, made, sink);
        }
        self.put_in_front(front, d, sink)?;
        self.write(&dm2::Packet::new(messages), d, made, sink)
    }

    /// What was carried along, in as many packets as it takes.
    fn take_carried(&mut self, d: Dialect) -> Result<Vec<Vec<Message<'static>>>> {
        let mut packets = split(std::mem::take(&mut self.carried), None, PACKET, &mut { d })?;
        packets.retain(|messages| !messages.is_empty());
        Ok(packets)
    }

    fn put_in_front(&mut self, packets: Vec<Vec<Message<'static>>>, d: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        packets.into_iter().try_for_each(|messages| self.write(&dm2::Packet::new(messages), d, true, sink))
    }

    /// What was carried along, alone.
    fn put_carried(&mut self, d: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        let packets = self.take_carried(d)?;
        self.put_in_front(packets, d, sink)
    }

    fn write(&mut self, packet: &dm2::Packet<'_>, d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        let viewer = &mut self.viewer;
        sink.packet_seen::<Dm2>(packet, d, made, |block| drop(viewer.apply(&frame::Chunk::Block(block))))
    }

    /// A frame of the input under a number, and those between it and the one before.
    fn frames(
        &mut self,
        world: &Quake2World,
        now: &FullFrame,
        number: i32,
        d: Dialect,
        sink: &mut Sink<'_>,
    ) -> Result<Vec<Message<'static>>> {
        if let (Some(last), Some((before, frame))) = (self.last, self.shown.take()) {
            let (gap, was) = (number.saturating_sub(last), now.number().saturating_sub(before).max(1));
            if i64::from(was) * world.period() > LEAP {
                sink.remark(LEAPS);
            } else if gap > was {
                for n in 1..gap {
                    let between = frame.between(now, n as f32 / gap as f32);
                    let told = world.frame_for(&self.viewer, &between, last.saturating_add(n))?;
                    self.put(told, d, true, sink)?;
                }
                sink.remark("frames in between");
            }
        }
        self.last = Some(number);
        self.shown = Some((now.number(), now.clone()));
        Ok(world.frame_for(&self.viewer, now, number)?)
    }
}

fn quake2(world: &World) -> Option<&Quake2World> {
    if let World::Dm2(world) = world { Some(world) } else { None }
}

impl Game for Client {
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (Chunk::Dm2(frame::Chunk::Block(block)), Some(world)) = (step.chunk, step.world.and_then(quake2)) else {
            return sink.kept(step.bytes);
        };
        sink.last.take(step.chunk);
        let (mut packet, fault) = self.decoder.read(block);
        let d = self.decoder.before();
        let offset = sink.line.offset(step.time);
        let later = Self::later(offset, world.period());
        if self.numbers_only {
            if later * world.period() != offset {
                let period = world.period() / 1000;
                return Err(refused(format!("frames are {period} ms apart: shift by a multiple of that")));
            }
            let changed = fault.is_none() && Self::renumber(&mut packet.messages, later)?;
            return if changed { sink.packet::<Dm2>(&packet, d, false) } else { sink.kept(step.bytes) };
        }
        if packet.messages.iter().any(|message| matches!(message, Message::ServerData(_))) {
            (self.last, self.shown) = (None, None);
        }
        let told =
            packet.messages.iter().find_map(|message| if let Message::Frame(m) = message { Some(m) } else { None });
        let now = world.complete_frame().filter(|now| told.is_some_and(|told| told.seq1 == now.number()));
        let Some(now) = now.filter(|_| fault.is_none()) else {
            // What is damaged, or builds on what is not there, stays so.
            self.put_carried(d, sink)?;
            self.viewer.apply(&frame::Chunk::Block(*block));
            return sink.kept(step.bytes);
        };
        let number = i32::try_from(i64::from(now.number()) + later).unwrap_or(now.number());
        if self.last.is_some_and(|last| number <= last) {
            // Another frame stands at that time: what is said and heard comes with the next one.
            Quake2World::remove_frame(&mut packet.messages);
            self.carried.extend(packet.messages.into_iter().map(IntoOwned::into_owned));
            return Ok(());
        }
        let frame = self.frames(world, now, number, d, sink)?;
        Quake2World::replace_frame(&mut packet.messages, frame);
        self.put(packet.messages, d, false, sink)
    }

    fn finish(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        self.put_carried(self.viewer.dialect(), sink)
    }

    fn can_hold(&self, world: &World) -> bool {
        self.last.is_some() && quake2(world).is_some_and(|world| world.complete_frame().is_some())
    }

    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = quake2(world) else { return Ok(()) };
        let (Some(now), Some(last)) = (world.complete_frame(), self.last) else { return Ok(()) };
        let offset = sink.line.offset_at(world.clock().demo.0, until);
        let end = i64::from(now.number()) + Self::later(offset, world.period());
        let still = now.rested();
        let mut number = last;
        while i64::from(number) + 1 < end {
            number += 1;
            let told = world.frame_for(&self.viewer, &still, number)?;
            self.put(told, world.dialect(), true, sink)?;
        }
        self.last = Some(number);
        sink.remark("frames that stand still");
        Ok(())
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (quake2(shown), quake2(world)) else { return Ok(false) };
        let Some(now) = world.complete_frame() else { return Ok(false) };
        let out = sink.line.out(time);
        self.shown = None;
        if world.level_number() != shown.level_number() || self.last.is_none() {
            sink.line.begin_level(time, out);
            let level = world.keyframe()?;
            if level.is_empty() {
                return Err(no_beginning());
            }
            sink.start(world.clock(), |sink| {
                level.iter().try_for_each(|packet| self.write(packet, world.dialect(), true, sink))
            })?;
            self.last = Some(now.number());
            self.shown = Some((now.number(), now.clone()));
            return Ok(true);
        }
        let own = world.clock().demo.0;
        let later = Self::later(sink.line.offset_at(own, out), world.period());
        let number = i32::try_from(i64::from(now.number()) + later).unwrap_or(now.number());
        let number = number.max(self.last.map_or(1, |last| last.saturating_add(1)));
        let mut messages = world.tables_after(shown);
        messages.extend(world.frame_for(&self.viewer, now, number)?);
        self.put(messages, world.dialect(), true, sink)?;
        self.last = Some(number);
        self.shown = Some((now.number(), now.clone()));
        Ok(true)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = quake2(moment.world) else { return Ok(false) };
        for (chunk, _) in moment.chunks {
            let Chunk::Dm2(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = dm2::Decoder::new(world.dialect()).read(block);
            self.carried
                .extend(packet.messages.into_iter().filter(Momentary::is_of_a_moment).map(IntoOwned::into_owned));
        }
        if world.complete_frame().is_none() {
            return Ok(false);
        }
        // The first frame comes behind its level.
        let shots = if self.last.is_none() { std::mem::take(&mut self.carried) } else { Vec::new() };
        let is_shown = self.jump(shown, moment.world, moment.time, sink)?;
        self.carried.extend(shots);
        Ok(is_shown)
    }
}
