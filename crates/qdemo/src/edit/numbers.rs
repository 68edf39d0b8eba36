//! Numbers that have to go on rising where a recording does not go on: of packets, of server commands, of the recorder's
//! clock.
//!
//! A client of QuakeWorld passes over packets whose number is not above the last one (`Netchan_Process`): what follows a
//! joint gets all of its numbers raised by a multiple of 256, so that the low bytes by which lists of entities name what
//! they build on stay right, and so do the slots of the client's ring of 64 frames. Both sides count together, so
//! acknowledged numbers are raised by as much.
//!
//! In Quake III snapshots tell how many packets back they build, so any number may be added to those of packets. The game's
//! client program carries out the server commands whose numbers are above the last one that it had, also across a
//! gamestate: those behind a joint are numbered on from there. With lower ones it would pass over all that is said and
//! changed, with higher ones carry out old ones again.
//!
//! An `.mvd2` has no numbers, but a mark: players look for it once, at the beginning of a file (Q2PRO `demo_read_first`).

use crate::demo::Chunk;
use crate::describe::{Part, Seconds};
use crate::error::Result;
use crate::format::dm3;
use crate::format::qwd::{self, BlockKind, Connectionless, PacketNumbers, SequenceNumbers};
use crate::frame;
use crate::replay::World;
use crate::wire::{ByteReader, ByteWriter};

/// What was written last, and what is added to what comes.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    qwd: QwdNumbers,
    dm3: Dm3Numbers,
    /// A block of an `.mvd2` was written.
    mvd2: bool,
}

/// What became of a block.
#[derive(Debug, Default)]
pub(super) struct Renumbered {
    /// A block that comes before it.
    pub(super) front: Option<Vec<u8>>,
    /// The block as it has to be, where that is not as it was.
    pub(super) block: Option<Vec<u8>>,
}

/// How much is added to the numbers of what is written.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Shifts {
    pub(super) packets: i64,
    pub(super) commands: i64,
    pub(super) seconds: f64,
}

#[derive(Debug, Default)]
struct QwdNumbers {
    /// Number of the last packet that a client took, as written; `None` before the first block.
    last: Option<u32>,
    /// Time of the last block, as written.
    time: f32,
    shift: u32,
    seconds: f64,
    /// A joint that no numbered packet has followed yet.
    joint: Option<Joint>,
    /// A joint that no block has followed yet; true where no time may lie between.
    clock: Option<bool>,
}

/// What goes before a joint in a `.qwd`, and in which numbers.
#[derive(Debug, Clone, Copy)]
struct Joint {
    /// The client's next packet, and the last of the server, in the numbers of what comes. Told where it does not do so.
    numbers: SequenceNumbers,
    told: bool,
}

#[derive(Debug, Default)]
struct Dm3Numbers {
    /// Number of the last packet, as written.
    last: Option<i32>,
    /// Number of the last server command, as written.
    command: i32,
    shift: i32,
    commands: i32,
    /// What reads blocks behind a joint, to find commands in them.
    decoder: Option<dm3::Decoder>,
    /// A joint that no packet has followed yet, and one that no gamestate has.
    joint: bool,
    gamestate: bool,
}

impl Numbers {
    /// A joint: what comes next does not go on from what was written last. `world` is the one in front of it. A start that
    /// is `complete` tells the client's own number; `close` lets no time lie between.
    pub(super) fn joint(&mut self, world: &World, complete: bool, close: bool) {
        match world {
            World::QuakeWorld(world) if !world.is_multiview() && self.qwd.last.is_some() => {
                let numbers = SequenceNumbers { seq1: world.outgoing(), seq2: world.sequence().0 };
                self.qwd.joint = Some(Joint { numbers, told: complete });
                self.qwd.clock = Some(close);
            }
            World::Dm3(world) if self.dm3.last.is_some() => {
                (self.dm3.joint, self.dm3.gamestate, self.dm3.commands) = (true, true, 0);
                self.dm3.decoder = Some(dm3::Decoder::new(world.dialect()));
            }
            _ => {}
        }
    }

    /// The world after what was written.
    pub(super) fn after(&mut self, world: &World) {
        match world {
            World::Dm3(world) if !self.dm3.gamestate => {
                self.dm3.command = world.command().wrapping_add(self.dm3.commands);
            }
            _ => {}
        }
    }

    /// What is added now.
    pub(super) fn shifts(&self) -> Shifts {
        Shifts {
            packets: i64::from(self.qwd.shift) + i64::from(self.dm3.shift),
            commands: self.dm3.commands.into(),
            seconds: self.qwd.seconds,
        }
    }

    /// The time of the last block of a `.qwd`, as written.
    pub(super) fn time(&self) -> f32 {
        self.qwd.time
    }

    /// A block that comes next, of which these are the bytes.
    pub(super) fn next(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Result<Renumbered> {
        match chunk {
            Chunk::Qwd(frame::Chunk::Block(block)) => self.qwd.next(&with_bytes(block, bytes)),
            Chunk::Dm3(frame::Chunk::Block(block)) => self.dm3.next(&with_bytes(block, bytes)),
            Chunk::Mvd2(frame::Chunk::Block(block)) => {
                let first = !std::mem::replace(&mut self.mvd2, true);
                Ok(Renumbered { front: None, block: with_bytes(block, bytes).placed(first)? })
            }
            _ => Ok(Renumbered::default()),
        }
    }
}

/// A block of which something was changed.
fn with_bytes<'a, H: frame::Header>(block: &frame::Block<'_, H>, bytes: &'a [u8]) -> frame::Block<'a, H> {
    let payload = bytes.get(block.header_len..).unwrap_or_default();
    let header = match u32::try_from(payload.len()) {
        Ok(size) if payload.len() != block.payload.len() => block.header.with_size(Some(size)),
        _ => block.header,
    };
    frame::Block {
        index: block.index,
        offset: block.offset,
        header,
        header_len: block.header_len,
        payload,
        ends_moment: block.ends_moment,
    }
}

impl QwdNumbers {
    /// Numbers of packets have so many bits.
    const BITS: u32 = 0x7FFF_FFFF;
    /// Beyond this there is no room to go on rising.
    const FULL: u32 = 1 << 30;
    /// A list of entities is named by the low byte of its packet's number.
    const STEP: u32 = 256;

    fn next(&mut self, block: &qwd::Block<'_>) -> Result<Renumbered> {
        let mut header = block.model();
        let before = header.time.0.get();
        if let Some(close) = self.clock.take() {
            let (last, now) = (f64::from(self.time), f64::from(before));
            self.seconds = if close || now < last { last - now } else { 0.0 };
        }
        let time = (f64::from(before) + self.seconds) as f32;
        // A clock that cannot be told any more stays as it was.
        let time = if self.seconds != 0.0 && time.is_finite() { time } else { before };
        header.time = Seconds(time.into());
        self.time = time;

        let numbers = numbers_of(block);
        let front = match self.joint {
            Some(joint) if numbers.is_some() || block.header.kind == BlockKind::Command => {
                self.joint = None;
                self.join(joint, numbers, time)?
            }
            _ => None,
        };
        self.last.get_or_insert(0);
        let mut changed = time.to_bits() != before.to_bits();
        let mut w = ByteWriter::default();
        header.write(&mut w)?;
        let start = w.len();
        match numbers {
            Some(PacketNumbers { seq1, seq2 }) => {
                changed |= self.shift != 0;
                let [seq1, seq2] = [seq1, seq2].map(|number| self.raised(number));
                let number = seq1 & Self::BITS;
                if block.header.kind == BlockKind::Frame {
                    SequenceNumbers { seq1, seq2 }.write(&mut w)?;
                    self.last = Some(seq2 & Self::BITS);
                } else {
                    PacketNumbers { seq1, seq2 }.write(&mut w)?;
                    self.last = self.last.max(Some(number));
                }
                w.bytes(block.payload.get(PacketNumbers::LEN..).unwrap_or_default());
            }
            None => w.bytes(block.payload),
        }
        w.close_size(start)?;
        Ok(Renumbered { front, block: changed.then(|| w.into_vec()) })
    }

    /// Finds what to add from a joint on, and makes the block that tells a client where the numbers stand.
    fn join(&mut self, joint: Joint, first: Option<PacketNumbers>, time: f32) -> Result<Option<Vec<u8>>> {
        let last = self.last.unwrap_or_default();
        let start = joint.numbers.seq2 & Self::BITS;
        let first = first.map_or(start.saturating_add(1), |first| first.seq1 & Self::BITS);
        let full = last >= Self::FULL || first >= Self::FULL;
        self.shift = match (last + 1).checked_sub(first) {
            Some(missing) if !full => missing.div_ceil(Self::STEP) * Self::STEP,
            _ => 0,
        };
        if joint.told && !full {
            return Ok(None);
        }
        let seq2 = self.raised(start.min(first.saturating_sub(1)));
        let numbers = SequenceNumbers { seq1: self.raised(joint.numbers.seq1), seq2 };
        self.last = Some(seq2 & Self::BITS);
        Ok(Some(qwd::Packet::frame(time, numbers).to_bytes(qwd::Dialect::QUAKEWORLD)?))
    }

    /// A number with what is added, and its highest bit, which says something else.
    fn raised(&self, number: u32) -> u32 {
        (number & Self::BITS).wrapping_add(self.shift) & Self::BITS | number & !Self::BITS
    }
}

/// The numbers at the beginning of a block.
fn numbers_of(block: &qwd::Block<'_>) -> Option<PacketNumbers> {
    if block.header.kind == BlockKind::Command || block.payload.starts_with(&Connectionless::WORD) {
        return None;
    }
    PacketNumbers::read(&mut ByteReader::new(block.payload)).ok()
}

impl Dm3Numbers {
    /// Beyond this there is no room to go on rising.
    const FULL: i32 = 1 << 30;

    fn next(&mut self, block: &dm3::Block<'_>) -> Result<Renumbered> {
        let joint = std::mem::take(&mut self.joint);
        let number = block.header.sequence;
        if joint {
            let next = self.last.unwrap_or_default().saturating_add(1);
            self.shift = if next < Self::FULL { next.saturating_sub(number.max(0)).max(0) } else { 0 };
        }
        let sequence = number.saturating_add(self.shift);
        self.last = Some(sequence);
        // Only the first packets of a client build on numbers below 1.
        let small = self.shift != 0 && number <= i32::from(u8::MAX);
        let mut model = None;
        if let Some(decoder) = self.decoder.as_mut().filter(|_| self.gamestate || self.commands != 0 || small) {
            let (mut packet, _) = decoder.read(block);
            if let Some(before) = first_gamestate(&packet).filter(|_| self.gamestate) {
                self.commands = self.command.wrapping_sub(before);
                self.gamestate = false;
            }
            let renumbered = renumber(&mut packet, self.commands);
            // What builds on a packet before the first one is complete.
            let complete = self.shift != 0 && complete(&mut packet);
            if renumbered || complete {
                // Bits behind the end are as many as the last byte has room for: the usual ones fit everywhere.
                if packet.contents.closed {
                    packet.contents.tail = dm3::Contents::new(0, &decoder.before()).tail;
                }
                model = Some((packet, decoder.before()));
            }
        }
        let block = match model {
            Some((mut packet, dialect)) => {
                packet.header.sequence = sequence;
                Some(packet.to_bytes(dialect)?)
            }
            None if sequence != number => {
                let mut w = ByteWriter::default();
                dm3::Header { sequence, ..block.model() }.write(&mut w)?;
                let start = w.len();
                w.bytes(block.payload);
                w.close_size(start)?;
                Some(w.into_vec())
            }
            None => None,
        };
        Ok(Renumbered { front: None, block })
    }
}

/// Number of the last server command before the first gamestate in a packet.
fn first_gamestate(packet: &dm3::Packet<'_>) -> Option<i32> {
    packet.messages.iter().find_map(|message| match message {
        dm3::Message::Gamestate(gamestate) => Some(gamestate.server_command_sequence),
        _ => None,
    })
}

/// Adds to the numbers of server commands. False where there are none, or nothing is added.
fn renumber(packet: &mut dm3::Packet<'_>, commands: i32) -> bool {
    let mut changed = false;
    for message in packet.messages.iter_mut().filter(|_| commands != 0) {
        let number = match message {
            dm3::Message::ServerCommand(command) => &mut command.seq,
            dm3::Message::Gamestate(gamestate) => &mut gamestate.server_command_sequence,
            _ => continue,
        };
        *number = number.wrapping_add(commands);
        changed = true;
    }
    changed
}

/// A snapshot that builds on a number of 0 or less is complete. With a higher number it would build on something.
fn complete(packet: &mut dm3::Packet<'_>) -> bool {
    let number = packet.header.sequence;
    let mut changed = false;
    for message in &mut packet.messages {
        if let dm3::Message::Snapshot(snapshot) = message {
            if snapshot.delta_num > 0 && number <= i32::from(snapshot.delta_num) {
                snapshot.delta_num = 0;
                changed = true;
            }
        }
    }
    changed
}
