//! Quake II: the number of a frame is its time, so that frames are left out, or others put in between.

use super::{Game, Moment, Sink, Step, TimeMap};
use crate::demo::Chunk;
use crate::describe::Part as _;
use crate::error::{Error, ErrorKind, Result};
use crate::format::dm2::{self, Dialect, Dm2, Message};
use crate::format::mvd2;
use crate::frame;
use crate::game::quake2::multiview::World as MultiviewWorld;
use crate::game::quake2::{FullFrame, World as Quake2World};
use crate::replay::World;
use crate::wire::{ByteReader, ByteWriter, IntoOwned};
use crate::world::Scene;

/// Bytes of a packet that every engine accepts.
const PACKET: usize = 1400;

/// What rounding may take from a time, in microseconds.
const ROUNDING: i64 = 1_000;

fn refused(what: String) -> Error {
    Error::new(ErrorKind::Absent(what))
}

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
    pub(super) fn new(map: &TimeMap) -> Self {
        let plain = TimeMap::shift(map.shift_ms());
        Client {
            decoder: dm2::Decoder::default(),
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
            let what = || refused(format!("frame {} would have a number below 0: shift it back by less", m.seq1));
            m.seq1 = other(m.seq1).ok_or_else(what)?;
            // No frame, or one that is told in full.
            m.seq2 = m.seq2.map(|base| if base > 0 { other(base).unwrap_or(-1) } else { base });
            changed = true;
        }
        Ok(changed)
    }

    /// Writes messages as a packet, in front of which those come that were carried along.
    fn put(&mut self, messages: Vec<Message<'_>>, d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        let mut carried = std::mem::take(&mut self.carried);
        let size = |messages: &[Message<'_>]| -> Result<usize> {
            let mut w = ByteWriter::default();
            crate::format::encode_messages(messages, &mut d.clone(), &mut w)?;
            Ok(w.len())
        };
        if !carried.is_empty() {
            if size(&carried)? + size(&messages)? > PACKET {
                self.write(&dm2::Packet::new(std::mem::take(&mut carried)), d, true, sink)?;
            }
            carried.extend(messages.into_iter().map(IntoOwned::into_owned));
            return self.write(&dm2::Packet::new(carried), d, made, sink);
        }

        self.write(&dm2::Packet::new(messages), d, made, sink)
    }

    fn write(&mut self, packet: &dm2::Packet<'_>, mut d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        let mut w = ByteWriter::default();
        packet.write(&mut d, &mut w)?;
        self.see(w.as_slice());
        if made { sink.made(w.as_slice()) } else { sink.changed(w.as_slice()) }
    }

    /// Those who watch the output see a block.
    fn see(&mut self, bytes: &[u8]) {
        let mut r = ByteReader::new(bytes);
        let Ok(header) = dm2::Header::read(&mut r) else { return };
        let header_len = r.pos();
        let payload = bytes.get(header_len..).unwrap_or_default();
        let block = dm2::Block { index: 0, offset: 0, header, header_len, payload };
        self.viewer.apply(&frame::Chunk::Block(block));
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
            if gap > was {
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
            let messages = std::mem::take(&mut self.carried);
            if !messages.is_empty() {
                self.put(messages, d, true, sink)?;
            }
            self.see(step.bytes);
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

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<()> {
        let (Some(shown), Some(world)) = (quake2(shown), quake2(world)) else { return Ok(()) };
        let Some(now) = world.complete_frame() else { return Ok(()) };
        let out = sink.line.out(time);
        self.shown = None;
        if world.level_number() != shown.level_number() || self.last.is_none() {
            sink.line.begin_level(time, out);
            for packet in world.keyframe()? {
                self.write(&packet, world.dialect(), true, sink)?;
            }
            sink.started(world.clock());
            self.last = Some(now.number());
            self.shown = Some((now.number(), now.clone()));
            return Ok(());
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
        Ok(())
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = quake2(moment.world) else { return Ok(()) };
        for (chunk, _) in moment.chunks {
            let Chunk::Dm2(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = dm2::Decoder::new(world.dialect()).read(block);
            self.carried.extend(packet.messages.into_iter().filter(is_shot).map(IntoOwned::into_owned));
        }
        if world.complete_frame().is_none() {
            return Ok(());
        }
        // The first frame comes behind its level.
        let shots = if self.last.is_none() { std::mem::take(&mut self.carried) } else { Vec::new() };
        self.jump(shown, moment.world, moment.time, sink)?;
        self.carried.extend(shots);
        Ok(())
    }
}

/// True for messages of one moment, which no state holds.
fn is_shot(message: &Message<'_>) -> bool {
    match message {
        Message::MuzzleFlash(_)
        | Message::MuzzleFlash2(_)
        | Message::MuzzleFlash3(_)
        | Message::TempEntity(_)
        | Message::Sound(_)
        | Message::Print(_)
        | Message::CenterPrint(_)
        | Message::Damage(_)
        | Message::LocPrint(_)
        | Message::BotChat(_) => true,
        Message::Unicast(m) => is_shot(&m.message),
        _ => false,
    }
}

/// An `.mvd2`.
#[derive(Default)]
pub(super) struct Server {
    decoder: mvd2::Decoder,
    viewer: Box<MultiviewWorld>,
    /// Frames of the output in this level, and those of the input.
    last: Option<i64>,
    /// Something was left out since the last frame.
    behind: bool,
    carried: Vec<mvd2::Message<'static>>,
}

impl Server {
    /// Which frame stands at a time of the output.
    fn place(out: i64, period: i64) -> i64 {
        (out + ROUNDING).div_euclid(period)
    }

    fn write(&mut self, packet: &mvd2::Packet<'_>, mut d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        let mut w = ByteWriter::default();
        packet.write(&mut d, &mut w)?;
        self.see(w.as_slice());
        if made { sink.made(w.as_slice()) } else { sink.changed(w.as_slice()) }
    }

    fn see(&mut self, bytes: &[u8]) {
        let mut r = ByteReader::new(bytes);
        let Ok(header) = mvd2::Header::read(&mut r) else { return };
        let header_len = r.pos();
        let payload = bytes.get(header_len..).unwrap_or_default();
        let block = mvd2::Block { index: 0, offset: 0, header, header_len, payload };
        self.viewer.apply(&frame::Chunk::Block(block));
    }

    /// The frame that leads those who watch to a world.
    fn frame_to(&self, world: &MultiviewWorld) -> mvd2::Message<'static> {
        let scene = MultiviewWorld::diff(&self.viewer, world);
        mvd2::Message::Frame(mvd2::Frame { spare_bits: mvd2::SpareBits::default(), scene })
    }

    /// Frames in which nothing happens, up to the one in front of a place.
    fn wait(&mut self, place: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(last) = self.last else { return Ok(()) };
        for _ in last + 1..place {
            let viewer = std::mem::take(&mut self.viewer);
            let scene = MultiviewWorld::diff(&viewer, &viewer);
            self.viewer = viewer;
            let frame = mvd2::Message::Frame(mvd2::Frame { spare_bits: mvd2::SpareBits::default(), scene });
            self.write(&mvd2::Packet::new(false, vec![frame]), self.decoder.dialect(), true, sink)?;
            sink.remark("frames in which nothing moves: those in front of them stand longer");
        }
        self.last = Some(last.max(place - 1));
        Ok(())
    }

    /// What was carried along, alone.
    fn put_carried(&mut self, d: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        let carried = std::mem::take(&mut self.carried);
        match carried.is_empty() {
            true => Ok(()),
            false => self.write(&mvd2::Packet::new(false, carried), d, true, sink),
        }
    }
}

fn multiview(world: &World) -> Option<&MultiviewWorld> {
    if let World::Mvd2(world) = world { Some(world) } else { None }
}

impl Game for Server {
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let (Chunk::Mvd2(frame::Chunk::Block(block)), Some(world)) = (step.chunk, step.world.and_then(multiview))
        else {
            return sink.kept(step.bytes);
        };
        if sink.line.shift != 0 {
            return Err(refused("an .mvd2 has no clock that could be shifted, only frames".to_owned()));
        }
        sink.last.take(step.chunk);
        let (mut packet, fault) = self.decoder.read(block);
        let d = self.decoder.before();
        let place = Self::place(sink.line.out(step.time), world.game().period());
        let is_frame = |message: &mvd2::Message<'_>| matches!(message, mvd2::Message::Frame(_));
        let level = packet.messages.iter().any(|message| matches!(message, mvd2::Message::ServerData(_)));
        let frames = packet.messages.iter().filter(|message| is_frame(message)).count();
        if level || fault.is_some() || frames > 1 || !world.is_complete() {
            self.put_carried(d, sink)?;
            self.behind = false;
            if level || frames > 0 {
                self.last = Some(place);
            }
            self.see(step.bytes);
            return sink.kept(step.bytes);
        }
        if frames == 1 {
            if self.last.is_some_and(|last| place <= last) {
                packet.messages.retain(|message| !is_frame(message));
                self.behind = true;
                self.carried.extend(packet.messages.into_iter().map(IntoOwned::into_owned));
                return Ok(());
            }
            self.wait(place, sink)?;
            self.last = Some(place);
            if std::mem::take(&mut self.behind) {
                let frame = self.frame_to(world);
                if let Some(slot) = packet.messages.iter_mut().find(|message| is_frame(message)) {
                    *slot = frame;
                }
                let mut messages = std::mem::take(&mut self.carried);
                messages.extend(packet.messages.into_iter().map(IntoOwned::into_owned));
                return self.write(&mvd2::Packet::new(block.header.mark.0, messages), d, false, sink);
            }
        }
        self.see(step.bytes);
        sink.kept(step.bytes)
    }

    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = multiview(world) else { return Ok(()) };
        self.wait(Self::place(until, world.game().period()), sink)
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<()> {
        let (Some(shown), Some(world)) = (multiview(shown), multiview(world)) else { return Ok(()) };
        let out = sink.line.out(time);
        let d = world.game().dialect();
        if world.game().level_number() != shown.game().level_number() || self.last.is_none() {
            let level = world.keyframe()?;
            for (n, packet) in level.iter().enumerate() {
                // The first one tells the dialect of those behind it.
                self.write(packet, if n == 0 { Dialect::MVD2 } else { d }, true, sink)?;
            }
            sink.started(world.clock());
            self.last = Some(Self::place(out, world.game().period()));
            return Ok(());
        }
        let place = Self::place(out, world.game().period());
        self.wait(place, sink)?;
        let mut messages = world.tables_after(shown);
        messages.append(&mut self.carried);
        messages.push(self.frame_to(world));
        self.behind = false;
        self.last = Some(place.max(self.last.map_or(0, |last| last + 1)));
        self.write(&mvd2::Packet::new(false, messages), d, true, sink)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = multiview(moment.world) else { return Ok(()) };
        let mut shots = Vec::new();
        for (chunk, _) in moment.chunks {
            let Chunk::Mvd2(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = mvd2::Decoder::new(world.game().dialect()).read(block);
            for message in packet.messages.into_iter().map(IntoOwned::into_owned) {
                match message {
                    mvd2::Message::Sound(_) | mvd2::Message::Print(_) => shots.push(message),
                    mvd2::Message::Unicast(mut m) => {
                        m.messages.retain(is_shot);
                        if !m.messages.is_empty() {
                            shots.push(mvd2::Message::Unicast(m));
                        }
                    }
                    mvd2::Message::Multicast(mut m) => {
                        m.messages.retain(is_shot);
                        if !m.messages.is_empty() {
                            shots.push(mvd2::Message::Multicast(m));
                        }
                    }
                    _ => {}
                }
            }
        }
        if self.last.is_some() {
            self.carried.append(&mut shots);
        }
        self.jump(shown, moment.world, moment.time, sink)?;
        self.carried.append(&mut shots);
        Ok(())
    }
}
