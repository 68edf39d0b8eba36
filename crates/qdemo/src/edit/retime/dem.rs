//! Quake: the server's time stands in each frame, in seconds.

use super::{Game, LEAP, LEAPS, Moment, Sink, Step, TimeMap};
use crate::demo::Chunk;
use crate::edit::moment::Momentary;
use crate::error::Result;
use crate::format::dem::{self, Decoder, Dem, Dialect, Message, Packet};
use crate::format::{Begin, Visitor};
use crate::frame;
use crate::game::quake::{Sight, World as QuakeWorld};
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::Scene;

/// Engines show no frame for longer than this: the next one is taken for as old as that (WinQuake `CL_LerpPoint`).
const LONGEST: i64 = 100_000;

/// Where in a block times stand.
#[derive(Default)]
struct Times {
    at: usize,
    is_time: bool,
    found: Vec<usize>,
}

impl Visitor<Dem> for Times {
    fn takes_back(&self) -> bool {
        true
    }
    fn begin(&mut self, _: Begin<'_, '_, Dem>) {
        *self = Times { found: std::mem::take(&mut self.found), ..Times::default() };
        self.found.clear();
    }
    #[inline(always)]
    fn message(&mut self, message: &Message<'_>, _: &Dialect) {
        self.is_time = matches!(message, Message::Time(_));
    }
    #[inline(always)]
    fn size(&mut self, size: usize) {
        if self.is_time {
            // Behind the number of the message.
            self.found.push(self.at + 1);
        }
        self.at += size;
    }
}

/// The frame that was shown last.
struct Shown {
    /// On the clocks of the input and the output, in microseconds.
    time: i64,
    out: i64,
    sight: Sight,
}

pub(super) struct Quake {
    decoder: Decoder,
    times: Times,
    buffer: Vec<u8>,
    /// Frames may have to be put in between.
    fills: bool,
    shown: Option<Shown>,
    /// The time of the output up to which everything is told.
    told: i64,
}

impl Quake {
    pub(super) fn new(decoder: Decoder, map: &TimeMap) -> Self {
        Quake { decoder, times: Times::default(), buffer: Vec::new(), fills: map.is_slow(), shown: None, told: 0 }
    }

    /// Frames between the one that was shown last and that of a world, where they are further apart than in the input and
    /// than engines show.
    fn fill(&mut self, world: &QuakeWorld, time: i64, sink: &mut Sink<'_>) -> Result<()> {
        let out = sink.line.out(time);
        let Some(shown) = self.shown.take() else { return Ok(()) };
        let (gap, before) = (out - shown.out, time - shown.time);
        if before > LEAP {
            sink.remark(LEAPS);
        } else if gap > LONGEST && gap > before && before > 0 && world.is_shown() && !sink.line.is_still() {
            let frames = (gap + LONGEST - 1) / LONGEST;
            for n in 1..frames {
                let share = n as f64 / frames as f64;
                let at = shown.out + gap * n / frames;
                let Some(seconds) = self.seconds(world, time, at, sink)? else { break };
                for packet in world.frame_of(&world.between(&shown.sight, share as f32), seconds)? {
                    sink.packet::<Dem>(&packet, world.dialect(), true)?;
                }
            }
            sink.remark("frames in between: engines show none for longer than a tenth of a second");
        }
        Ok(())
    }

    /// What the clock shows at a time of the output, for a world whose time in the input is `time`.
    fn seconds(&self, world: &QuakeWorld, time: i64, out: i64, sink: &Sink<'_>) -> Result<Option<f32>> {
        let offset = sink.line.offset_at(time, out);
        world.seconds().map(|seconds| sink.seconds(seconds, offset)).transpose()
    }

    fn show(&mut self, world: &QuakeWorld, time: i64, out: i64) {
        match &mut self.shown {
            Some(shown) => {
                (shown.time, shown.out) = (time, out);
                shown.sight.take(world);
            }
            shown => *shown = Some(Shown { time, out, sight: world.sight() }),
        }
    }

    /// A full start of a world at a time of the output, in a level whose clock begins as recorded. Time passes only where
    /// a clock shows it, so what has passed since the last frame lies between two times of this one.
    fn start(&mut self, world: &QuakeWorld, out: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let packets = world.keyframe()?;
        // How a level ended has a time of its own, in front of that.
        let is_now = |message: &Message<'_>| match message {
            Message::Time(told) => Some(told.time.0.get()) == world.seconds(),
            _ => false,
        };
        let is_frame = |packet: &Packet<'_>| packet.messages.iter().any(is_now);
        let mut dialect = Dialect::initial(world.dialect().variant);
        let passed = (out - self.told).max(0) as f64 / 1e6;
        let before = world.seconds().map(|seconds| (f64::from(seconds) - passed) as f32);
        let mut before = before.filter(|_| passed > 0.0);
        sink.start(world.clock(), |sink| {
            for packet in &packets {
                if let Some(seconds) = before.take_if(|_| is_frame(packet)) {
                    let time = Message::Time(dem::Time { time: seconds.into() });
                    sink.packet_in::<Dem>(&Packet::new(packet.header.camera, vec![time]), &mut dialect, true)?;
                }
                sink.packet_in::<Dem>(packet, &mut dialect, true)?;
            }
            Ok(())
        })?;
        Ok(!packets.is_empty())
    }

    /// Writes packets that the input does not have.
    fn put(&mut self, packets: &[Packet<'static>], mut dialect: Dialect, sink: &mut Sink<'_>) -> Result<()> {
        for packet in packets {
            let mut w = ByteWriter::default();
            packet.write(&mut dialect, &mut w)?;
            sink.made(w.as_slice())?;
        }
        Ok(())
    }
}

fn quake(world: &World) -> Option<&QuakeWorld> {
    if let World::Dem(world) = world { Some(world) } else { None }
}

impl Game for Quake {
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Chunk::Dem(frame::Chunk::Block(block)) = step.chunk else { return sink.kept(step.bytes) };
        sink.last.take(step.chunk);
        self.decoder.visit(block, &mut self.times);
        self.told = sink.line.out(step.time);
        let world = step.world.and_then(quake);
        if let Some(world) = world.filter(|world| self.fills && world.changes().frame) {
            self.fill(world, step.time, sink)?;
            self.show(world, step.time, sink.line.out(step.time));
        }
        let offset = sink.line.offset(step.time);
        if offset == 0 || self.times.found.is_empty() {
            return sink.kept(step.bytes);
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(step.bytes);
        for at in &self.times.found {
            let Some(bytes) = self.buffer.get_mut(dem::Header::LEN + at..).and_then(|b| b.first_chunk_mut()) else {
                continue;
            };
            *bytes = sink.seconds(f32::from_le_bytes(*bytes), offset)?.to_le_bytes();
        }
        sink.changed(&self.buffer)
    }

    fn can_hold(&self, world: &World) -> bool {
        quake(world).is_some_and(QuakeWorld::is_shown)
    }

    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some(world) = quake(world).filter(|world| world.is_shown()) else { return Ok(()) };
        let time = world.clock().demo.0;
        let mut at = sink.line.begin;
        while at < until {
            if let Some(seconds) = self.seconds(world, time, at, sink)? {
                self.put(&world.frame_of(&world.sight(), seconds)?, world.dialect(), sink)?;
            }
            self.show(world, time, at);
            self.told = at;
            at += LONGEST;
        }
        Ok(())
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (quake(shown), quake(world)) else { return Ok(false) };
        let out = sink.line.out(time);
        // What it shows may be older than the moment.
        let seconds = self.seconds(world, world.clock().demo.0, out, sink)?;
        let told = seconds.map(|seconds| world.after(shown, seconds)).transpose()?.flatten();
        let is_shown = match told {
            Some(packets) => {
                self.put(&packets, world.dialect(), sink)?;
                true
            }
            None => {
                sink.line.begin_level(time, out);
                self.start(world, out, sink)?
            }
        };
        (self.shown, self.told) = (None, out);
        Ok(is_shown)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = quake(moment.world) else { return Ok(false) };
        let out = sink.line.out(moment.time);
        // What is heard and seen for a moment, as it was told.
        let mut shots = Vec::new();
        let mut camera = QuakeWorld::NO_CAMERA;
        for (chunk, _) in moment.chunks {
            let Chunk::Dem(frame::Chunk::Block(block)) = chunk else { continue };
            camera = block.header.camera;
            let mut decoder = Decoder::new(world.dialect());
            let (packet, _) = decoder.read(block);
            let of_moment = packet.messages.into_iter().filter(Momentary::is_of_a_moment);
            shots.extend(of_moment.map(crate::wire::IntoOwned::into_owned));
        }
        let is_shown = self.jump(shown, moment.world, moment.time, sink)?;
        if !shots.is_empty() {
            if let Some(seconds) = self.seconds(world, moment.time, out, sink)? {
                let time = dem::Time { time: seconds.into() };
                shots.insert(0, Message::Time(time));
                self.put(&[Packet::new(camera, shots)], world.dialect(), sink)?;
            }
        }
        Ok(is_shown)
    }
}
