//! QuakeWorld, recorded by a player: the recorder's time stands in each block.

use super::qw::{Found, change, change_all, quakeworld};
use super::{Game, LEAP, Moment, Sink, Step};
use crate::demo::Chunk;
use crate::edit::moment::Momentary;
use crate::error::{Moment as Shows, Result};
use crate::format::qwd::{self, BlockKind, Contents, Dialect, Message, Qwd, SequenceNumbers};
use crate::frame;
use crate::game::quakeworld::World as QuakeWorld;
use crate::replay::World;
use crate::wire::{F32, IntoOwned};
use crate::world::{Scene, microseconds};

/// A `.qwd`.
pub(super) struct Client {
    decoder: qwd::Decoder,
    found: Found,
    buffer: Vec<u8>,
    /// Time of the input, of the output, and what the recorder's clock shows in the output, of the last block.
    last: Option<(i64, i64, f32)>,
    /// By how much the recorder's clock is ahead of the time of the output, and what is added to that of the input for it to
    /// stay so: that may step back where a level begins, and time does not.
    ahead: Option<i64>,
    add_clock: i64,
    /// The numbers of packets in the output: the next one of the client, and the last one of the server.
    outgoing: u32,
    sequence: u32,
    /// What is added to the numbers of packets of the server and the client.
    add: (u32, u32),
    /// Lists that build on packets before this one of the input are told in full.
    oldest: Option<u32>,
}

impl Client {
    pub(super) fn new(decoder: qwd::Decoder) -> Self {
        Client {
            decoder,
            found: Found::default(),
            buffer: Vec::new(),
            last: None,
            ahead: None,
            add_clock: 0,
            outgoing: 1,
            sequence: 0,
            add: (0, 0),
            oldest: None,
        }
    }
}

const LOW: u32 = 0x7FFF_FFFF;

impl Client {
    /// Engines cut a time without blocks to a second (id's `CL_GetDemoMessage`).
    const SECOND: i64 = 1_000_000;
    /// No time without blocks is longer.
    const LONGEST: i64 = Self::SECOND / 2;

    /// A block that changes nothing: where the numbers of packets stand.
    fn idle(&mut self, clock: f32, sink: &mut Sink<'_>) -> Result<()> {
        let numbers = SequenceNumbers { seq1: self.outgoing, seq2: self.sequence };
        sink.packet::<Qwd>(&qwd::Packet::frame(F32::from(clock), numbers), Dialect::QUAKEWORLD, true)
    }

    /// Such blocks up to a time of the output at which the clock shows `clock`.
    fn wait(&mut self, out: i64, clock: f32, sink: &mut Sink<'_>) -> Result<()> {
        let Some((_, from, _)) = self.last else { return Ok(()) };
        let gap = out - from;
        let steps = (gap + Self::LONGEST - 1) / Self::LONGEST;
        for n in 1..steps {
            let left = (gap - gap * n / steps) as f64 / 1e6;
            self.idle((f64::from(clock) - left) as f32, sink)?;
        }
        if steps > 1 {
            sink.remark("blocks that change nothing: engines wait no longer than a second for the next one");
        }
        Ok(())
    }

    /// The recorder's clock at a time of the output, for one that shows `clock` at `time`. It does not begin anew with levels.
    fn clock(clock: f32, time: i64, out: i64, add: i64, sink: &Sink<'_>) -> Result<f32> {
        let offset = out.saturating_sub(time).saturating_add(sink.line.shift).saturating_add(add);
        sink.seconds(clock, offset)
    }

    /// From a block on, the clock of which shows `clock` at `time`, the clock goes on from where it is in the output.
    fn goes_on(&mut self, clock: f32, time: i64, sink: &Sink<'_>) {
        let ahead = microseconds(clock).saturating_sub(time);
        let due = self.ahead.or(match sink.first {
            Some(Shows::Seconds(first)) => Some(microseconds(first)),
            _ => None,
        });
        self.add_clock = due.unwrap_or(ahead).saturating_sub(ahead);
        self.ahead = Some(due.unwrap_or(ahead));
    }

    /// The clock of the next block of the input shows this. Where it has gone back, as where another recording stands behind
    /// the first, so much less time may have passed in the output that it would show less than 0 there, which no engine's
    /// clock does: it begins anew then with what it shows in the input, or goes on from what the output has reached.
    fn keep_above_0(&mut self, clock: f32, time: i64, out: i64, sink: &Sink<'_>) {
        let anew = microseconds(clock).saturating_add(sink.line.shift);
        let due = anew.saturating_sub(time).saturating_add(out).saturating_add(self.add_clock);
        if due < 0 && anew >= 0 && clock.is_finite() {
            let reached = self.last.map_or(0, |(.., clock)| microseconds(clock).max(0));
            self.add_clock = self.add_clock.saturating_add(anew.min(reached)).saturating_sub(due);
        }
    }

    /// A full start, all of it when the clock shows `clock`. Clients pass over packets whose numbers are not above the last
    /// one, so all of them are raised, by a multiple of 256: lists name what they build on by the lowest byte.
    fn start(
        &mut self,
        world: &QuakeWorld,
        packets: Vec<qwd::Packet<'_>>,
        clock: f32,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let add = self.sequence.div_ceil(256).wrapping_mul(256);
        let raised = |number: u32| number.wrapping_add(add) & LOW;
        let mut dialect = Dialect::QUAKEWORLD;
        sink.start(world.clock(), |sink| {
            packets.into_iter().try_for_each(|mut packet| {
                packet.header.time = clock.into();
                match &mut packet.contents {
                    Contents::Packet(numbers) => {
                        (numbers.seq1, numbers.seq2) = (raised(numbers.seq1), raised(numbers.seq2));
                    }
                    Contents::Frame(numbers) => {
                        (numbers.seq1, numbers.seq2) = (raised(numbers.seq1), raised(numbers.seq2));
                    }
                    _ => {}
                }
                sink.packet_in::<Qwd>(&packet, &mut dialect, true)
            })
        })?;
        (self.sequence, self.outgoing) = (raised(world.sequence().0), raised(world.outgoing()));
        (self.add, self.oldest) = ((add, add), None);
        Ok(())
    }

    fn block(&mut self, bytes: &[u8], kind: BlockKind, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        self.buffer.clear();
        self.buffer.extend_from_slice(bytes);
        let out = sink.line.out(time);
        let mut clock = 0.0;
        let shows = bytes.first_chunk().map_or(0.0, |seconds| f32::from_le_bytes(*seconds));
        self.keep_above_0(shows, time, out, sink);
        let add = self.add_clock;
        let mut changed = change::<4>(&mut self.buffer, 0, |_| {
            clock = Self::clock(shows, time, out, add, sink)?;
            Ok(clock.to_le_bytes())
        })?;
        self.ahead = Some(microseconds(shows).saturating_sub(time).saturating_add(add));
        if let Some((before, shown, showed)) = self.last {
            let (passed, gap) = (time - before, out - shown);
            if gap > passed.max(Self::LONGEST) && passed > LEAP {
                // Engines show a second of it, and that is as much longer as all else is. The rest stays a leap.
                let second = gap / (passed / Self::SECOND);
                self.wait(shown + second, (f64::from(showed) + second as f64 / 1e6) as f32, sink)?;
                sink.remark(
                    "the recorder's clock leaps by more than a minute: that stays the second that engines make of it",
                );
            } else if gap > passed.max(Self::LONGEST) {
                self.wait(out, clock, sink)?;
            }
        }
        self.last = Some((time, out, clock));
        sink.seconds_shown = Some(clock);
        let front = if kind == BlockKind::Packet { 9 } else { 5 };
        match kind {
            BlockKind::Command => self.outgoing = self.outgoing.wrapping_add(1),
            BlockKind::Frame | BlockKind::Packet => {
                let (server, client) = self.add;
                let (first, second) = if kind == BlockKind::Packet { (server, client) } else { (client, server) };
                let mut numbers = [0; 2];
                let connectionless = bytes.get(front..front + 4) == Some(&[0xFF; 4]) && kind == BlockKind::Packet;
                for (n, (number, add)) in numbers.iter_mut().zip([first, second]).enumerate() {
                    if connectionless {
                        break;
                    }
                    changed |= change(&mut self.buffer, front + 4 * n, |word| {
                        let word = u32::from_le_bytes(word);
                        *number = word.wrapping_add(add) & LOW;
                        Ok((word & !LOW | *number).to_le_bytes())
                    })?;
                }
                match kind {
                    _ if connectionless => {}
                    BlockKind::Frame => (self.outgoing, self.sequence) = (numbers[0], numbers[1]),
                    _ => self.sequence = numbers[0],
                }
            }
        }
        changed |= change_all(&mut self.buffer, front, &self.found, time, self.add.0, sink)?;
        Ok(changed)
    }
}

impl Game for Client {
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Chunk::Qwd(frame::Chunk::Block(block)) = step.chunk else { return sink.kept(step.bytes) };
        sink.last.take(step.chunk);
        let mut again = None;
        if let (Some(oldest), Some(world)) = (self.oldest, step.world.and_then(quakeworld)) {
            // A list that builds on a packet of which this one does not know is told in full.
            let (number, _) = world.sequence();
            if let Some(Some(base)) = world.listed_base() {
                let back = u32::from((number as u8).wrapping_sub(base));
                if number.wrapping_sub(back) < oldest || number < oldest {
                    again =
                        Some(world.whole_list().map_or_else(|| world.unknown_list(number), Message::PacketEntities));
                }
            }
        }
        let mut made = Vec::new();
        if let Some(list) = again {
            let (mut packet, fault) = self.decoder.read(block);
            if fault.is_none() {
                for message in &mut packet.messages {
                    if matches!(message, Message::DeltaPacketEntities(_)) {
                        *message = list.clone();
                    }
                }
                made = packet.to_bytes(self.decoder.before())?;
            }
            // The times in it stand elsewhere now.
            if let Some(block) = frame::Block::of_bytes(&made, 0, 0) {
                qwd::Decoder::new(self.decoder.before()).visit(&block, &mut self.found);
            }
        } else {
            self.decoder.visit(block, &mut self.found);
        }
        let bytes = if made.is_empty() { step.bytes } else { &made };
        let changed = self.block(bytes, block.header.kind, step.time, sink)? || !made.is_empty();
        if changed { sink.changed(&self.buffer) } else { sink.kept(step.bytes) }
    }

    fn hold(&mut self, _: &World, until: i64, sink: &mut Sink<'_>) -> Result<()> {
        let Some((time, out, clock)) = self.last else { return Ok(()) };
        let end = (f64::from(clock) + (until - out) as f64 / 1e6) as f32;
        self.wait(until, end, sink)?;
        self.last = Some((time, until, end));
        Ok(())
    }

    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool> {
        let (Some(shown), Some(world)) = (quakeworld(shown), quakeworld(world)) else { return Ok(false) };
        let out = sink.line.out(time);
        let own = world.clock();
        let mut clock = 0.0;
        if let Some(Shows::Seconds(shows)) = own.now {
            self.goes_on(shows, own.demo.0, sink);
            clock = Self::clock(shows, own.demo.0, out, self.add_clock, sink)?;
        }
        if let Some((_, before, shown)) = self.last {
            clock = (f64::from(shown) + (out - before) as f64 / 1e6) as f32;
        }
        let (number, acknowledged) = world.sequence();
        let latency = world.outgoing().wrapping_sub(acknowledged).min(63);
        let ack = self.outgoing.wrapping_sub(latency);
        match world.packets_after(shown, clock.into(), self.sequence.wrapping_add(1), ack) {
            Some(packets) => {
                for packet in &packets {
                    sink.packet::<Qwd>(packet, world.dialect(), true)?;
                    self.sequence = self.sequence.wrapping_add(1);
                }
                let listed = world.listed().unwrap_or(number);
                self.add = (self.sequence.wrapping_sub(listed), self.outgoing.wrapping_sub(world.outgoing()));
                self.oldest = Some(listed);
            }
            None => {
                let packets = world.keyframe_packets()?;
                let is_shown = !packets.is_empty();
                self.start(world, packets, clock, sink)?;
                if !is_shown {
                    return Ok(false);
                }
                sink.line.begin_level(time, out);
            }
        }
        self.last = Some((time, out, clock));
        sink.seconds_shown = Some(clock);
        Ok(true)
    }

    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool> {
        let Some(world) = quakeworld(moment.world) else { return Ok(false) };
        let mut shots = Vec::new();
        let mut frame = false;
        for (chunk, bytes) in moment.chunks {
            let Chunk::Qwd(frame::Chunk::Block(block)) = chunk else { continue };
            match block.header.kind {
                // Without a level there is nobody who moves.
                BlockKind::Command if self.last.is_none() => {}
                BlockKind::Command => {
                    self.found.begin(0);
                    self.goes_on(block.header.time.0.get(), moment.time, sink);
                    self.block(bytes, BlockKind::Command, moment.time, sink)?;
                    let buffer = std::mem::take(&mut self.buffer);
                    sink.changed(&buffer)?;
                    self.buffer = buffer;
                }
                BlockKind::Packet => {
                    frame = true;
                    let (packet, _) = qwd::Decoder::new(world.dialect()).read(block);
                    shots.extend(
                        packet.messages.into_iter().filter(Momentary::is_of_a_moment).map(IntoOwned::into_owned),
                    );
                }
                BlockKind::Frame => {}
            }
        }
        if !frame || !self.jump(shown, moment.world, moment.time, sink)? {
            return Ok(false);
        }
        if !shots.is_empty() {
            self.sequence = self.sequence.wrapping_add(1);
            let numbers = qwd::PacketNumbers { seq1: self.sequence & LOW, seq2: self.outgoing.wrapping_sub(1) & LOW };
            let clock = self.last.map_or(0.0, |(_, _, clock)| clock);
            sink.packet::<Qwd>(&qwd::Packet::new(F32::from(clock), numbers, shots), world.dialect(), true)?;
        }
        Ok(true)
    }
}
