//! Quake II, multi-view: each frame lasts a tenth of a second, so that frames are left out, or empty ones put in between.

use super::dm2::ROUNDING;
use super::{Game, Moment, Sink, Step, refused};
use crate::demo::Chunk;
use crate::edit::moment::Momentary;
use crate::error::Result;
use crate::format::dm2::Dialect;
use crate::format::mvd2::{self, Mvd2};
use crate::frame;
use crate::game::quake2::multiview::World as MultiviewWorld;
use crate::replay::World;
use crate::wire::IntoOwned;
use crate::world::Scene;

/// An `.mvd2`.
#[derive(Default)]
pub(super) struct Server {
    decoder: mvd2::Decoder,
    viewer: Box<MultiviewWorld>,
    /// A block was written.
    begun: bool,
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

    /// True for the first block: it alone has the mark that players look for at the beginning of a file.
    fn is_first(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    fn write(&mut self, mut packet: mvd2::Packet<'_>, d: Dialect, made: bool, sink: &mut Sink<'_>) -> Result<()> {
        packet.header.mark.0 = self.is_first();
        let viewer = &mut self.viewer;
        sink.packet_seen::<Mvd2>(&packet, d, made, |block| drop(viewer.apply(&frame::Chunk::Block(block))))
    }

    /// A block as it is.
    fn keep(&mut self, block: &mvd2::Block<'_>, bytes: &[u8], sink: &mut Sink<'_>) -> Result<()> {
        self.viewer.apply(&frame::Chunk::Block(*block));
        match block.placed(self.is_first())? {
            Some(bytes) => sink.changed(&bytes),
            None => sink.kept(bytes),
        }
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
            self.write(mvd2::Packet::new(false, vec![frame]), self.decoder.dialect(), true, sink)?;
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
            false => self.write(mvd2::Packet::new(false, carried), d, true, sink),
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
            return Err(refused("an .mvd2 has no clock that could be shifted, only frames"));
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
            return self.keep(block, step.bytes, sink);
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
                return self.write(mvd2::Packet::new(false, messages), d, false, sink);
            }
        }
        self.keep(block, step.bytes, sink)
    }

    fn finish(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        self.put_carried(self.viewer.game().dialect(), sink)
    }

    fn can_hold(&self, _: &World) -> bool {
        self.last.is_some()
    }

    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = multiview(world) else { return Ok(()) };
        self.wait(Self::place(until, world.game().period()), sink)
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (multiview(shown), multiview(world)) else { return Ok(false) };
        let out = sink.line.out(time);
        let d = world.game().dialect();
        if world.game().level_number() != shown.game().level_number() || self.last.is_none() {
            let level = world.keyframe()?;
            let is_shown = !level.is_empty();
            sink.start(world.clock(), |sink| {
                // The first one tells the dialect of those behind it.
                let dialects = std::iter::once(Dialect::MVD2).chain(std::iter::repeat(d));
                level.into_iter().zip(dialects).try_for_each(|(packet, d)| self.write(packet, d, true, sink))
            })?;
            self.last = Some(Self::place(out, world.game().period()));
            return Ok(is_shown);
        }
        let place = Self::place(out, world.game().period());
        self.wait(place, sink)?;
        let mut messages = world.tables_after(shown);
        messages.append(&mut self.carried);
        messages.push(self.frame_to(world));
        self.behind = false;
        self.last = Some(place.max(self.last.map_or(0, |last| last + 1)));
        self.write(mvd2::Packet::new(false, messages), d, true, sink)?;
        Ok(true)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = multiview(moment.world) else { return Ok(false) };
        let mut shots = Vec::new();
        for (chunk, _) in moment.chunks {
            let Chunk::Mvd2(frame::Chunk::Block(block)) = chunk else { continue };
            let (packet, _) = mvd2::Decoder::new(world.game().dialect()).read(block);
            for message in packet.messages.into_iter().map(IntoOwned::into_owned) {
                match message {
                    mvd2::Message::Sound(_) | mvd2::Message::Print(_) => shots.push(message),
                    mvd2::Message::Unicast(mut m) => {
                        m.messages.retain(Momentary::is_of_a_moment);
                        if !m.messages.is_empty() {
                            shots.push(mvd2::Message::Unicast(m));
                        }
                    }
                    mvd2::Message::Multicast(mut m) => {
                        m.messages.retain(Momentary::is_of_a_moment);
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
        let is_shown = self.jump(shown, moment.world, moment.time, sink)?;
        self.carried.append(&mut shots);
        Ok(is_shown)
    }
}
