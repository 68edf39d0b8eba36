//! Qizmo's `.qwz`: one QuakeWorld recording (`.qwd`), compressed.
//!
//! Qizmo, a proxy for QuakeWorld, compresses a recording by knowing what is in it. It rebuilds every packet from the
//! ones before: where players and entities will be is guessed, and only how far the guess is off goes into a range
//! coder, with a table of frequencies of its own for each field. The tables are part of Qizmo and not of the file, and
//! the file has no header, no length and no checksum.
//!
//! What is told here follows Qizmo 2.x's own decoder, as read by osm/quake (GitHub, demo/qwz), and was checked against
//! real files whose `.qwd` is known. Numbers of rows are those of Qizmo's `compress.dat`.
//!
//! | file | job |
//! |---|---|
//! | `coder`, `tables` | the range decoder and its frequencies |
//! | `start` | tells a `.qwz` by its first bytes |
//! | `command` | blocks with a command of the player |
//! | `raw`, `world` | uncompressed packets, and what is remembered of all packets |
//! | `remap` | numbers of models and sounds |
//! | `packet`, `players`, `entities` | compressed packets |
//! | `strings` | texts and names that Qizmo knows |
//!
//! # Damage
//!
//! Without a checksum, wrong bytes show only when something impossible comes out, which is soon, but not at once. A file
//! that ends too early is different: the decoder knows which symbols depend on bytes that are missing, and all blocks
//! before are given out.

mod coder;
mod command;
mod entities;
mod packet;
mod players;
mod raw;
mod remap;
#[cfg(test)]
mod sample;
mod start;
mod strings;
mod tables;
mod world;

pub(super) use start::{is_qwz, is_unpacked};

use super::behind::{Behind, Remains};
use crate::error::{Error, ErrorKind};
use coder::Coder;
use command::Command;
use packet::{BYTES, Packet};
use std::io::{self, BufRead, Read};
use world::World;

/// Size in bytes beyond which a packet cannot be one. Servers stop at 8,192.
const MAX_PACKET: usize = 1 << 16;

/// Output is gathered up to this size in bytes before it is given away.
const ENOUGH: usize = 16 << 10;

/// Blocks before the first packet beyond which there cannot be one.
const MAX_LEAD: u32 = 256;

/// Zeros that the original puts behind the data. A sound file does not need more.
const PADDING: u64 = 4;

/// What keeps a block from being rebuilt.
enum Trouble {
    /// It refers to what is not there. Qizmo leaves it empty and goes on.
    Drop,
    /// It is the end of the demo.
    End,
    /// No encoder writes this.
    Damage(&'static str),
}

/// Unpacks a `.qwz`: gives the bytes of the `.qwd` inside.
pub(super) struct Unqizmo<R> {
    stage: Stage<R>,
    out: Vec<u8>,
    /// How much of `out` may be given away, and how much was.
    sure: usize,
    given: usize,
    /// Where to leave what stands behind the end.
    remains: Remains,
}

enum Stage<R> {
    /// Nothing was read yet. Without input only for a moment.
    First(Option<R>),
    Running(Box<Decoder<R>>),
    /// With what is to be told behind the last byte.
    Done(Option<io::Error>),
}

impl<R: BufRead> Unqizmo<R> {
    pub(super) fn new(input: R, remains: Remains) -> Self {
        Unqizmo { stage: Stage::First(Some(input)), out: Vec::new(), sure: 0, given: 0, remains }
    }

    /// Decodes blocks until there is enough to give away, or the end.
    fn fill(&mut self) {
        self.out.drain(..self.given);
        self.sure -= self.given;
        self.given = 0;
        while self.sure < ENOUGH {
            let decoder = match &mut self.stage {
                Stage::First(input) => {
                    let Some(input) = input.take() else { return };
                    self.stage = Stage::Running(Box::new(Decoder::new(input)));
                    continue;
                }
                Stage::Running(decoder) => decoder,
                Stage::Done(_) => return,
            };
            let start = self.out.len();
            let trouble = decoder.block(&mut self.out).err();
            if decoder.coder.is_sure() && decoder.has_begun {
                // What a damaged block left behind is no block.
                self.sure = if matches!(trouble, Some(Trouble::Damage(_))) { start } else { self.out.len() };
            }
            let end = match trouble {
                _ if decoder.coder.beyond() > PADDING => Some(decoder.truncated()),
                None | Some(Trouble::Drop) => continue,
                Some(Trouble::Damage(_)) if !decoder.coder.is_sure() => Some(decoder.truncated()),
                Some(Trouble::Damage(what)) => Some(decoder.damaged(what)),
                Some(Trouble::End) => {
                    self.sure = self.out.len();
                    decoder.ended(&self.remains)
                }
            };
            self.out.truncate(self.sure);
            self.stage = Stage::Done(end);
        }
    }
}

impl<R: BufRead> Read for Unqizmo<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if self.given == self.sure {
            self.fill();
        }
        let ready = self.out.get(self.given..self.sure).unwrap_or_default();
        if let (true, Stage::Done(error)) = (ready.is_empty(), &mut self.stage) {
            return error.take().map_or(Ok(0), Err);
        }
        let n = ready.len().min(buf.len());
        buf[..n].copy_from_slice(&ready[..n]);
        self.given += n;
        Ok(n)
    }
}

/// Decodes blocks.
struct Decoder<R> {
    coder: Coder<R>,
    world: World,
    command: Command,
    /// Time in ms, and how much it grows from command to command.
    time: u32,
    step: u8,
    /// Blocks before the first packet.
    lead: u32,
    /// A packet has come that a recording can begin with.
    has_begun: bool,
    /// Number of packets left empty.
    dropped: u64,
}

impl<R: BufRead> Decoder<R> {
    fn new(input: R) -> Self {
        Decoder {
            coder: Coder::new(input),
            world: World::new(),
            command: Command::new(),
            time: 0,
            step: 0,
            lead: 0,
            has_begun: false,
            dropped: 0,
        }
    }

    /// Decodes a block and puts it behind `out`.
    fn block(&mut self, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let kind = self.coder.kind();
        if kind == 3 {
            return if self.has_begun { Err(Trouble::End) } else { Err(FOREIGN) };
        }
        let seconds = (f64::from(self.time) * 0.001) as f32;
        out.extend(seconds.to_le_bytes());
        out.push(kind as u8);
        match kind {
            0 => {
                self.command.read(&mut self.coder);
                self.command.write(out);
                self.world.add_command(self.command.msec);
                self.step = self.step.wrapping_add(self.coder.byte(241));
                self.time = self.time.wrapping_add(self.step.into());
            }
            1 => return self.packet(out),
            _ => {
                let bytes: [u8; 8] = std::array::from_fn(|_| self.coder.byte(BYTES));
                let [a, b, c, d, ..] = bytes;
                self.world.command = u32::from_le_bytes([a, b, c, d]);
                self.world.names.renumber();
                out.extend(bytes);
            }
        }
        self.lead += u32::from(!self.has_begun);
        if self.lead > MAX_LEAD { Err(FOREIGN) } else { Ok(()) }
    }

    fn packet(&mut self, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let step = self.coder.byte(242);
        if step > 0 {
            if !self.has_begun {
                return Err(FOREIGN);
            }
            let done = Packet::new(&mut self.coder, &mut self.world, out).read(step);
            self.dropped += u64::from(matches!(done, Err(Trouble::Drop)));
            return done;
        }
        let length = u16::from_le_bytes([self.coder.byte(BYTES), self.coder.byte(BYTES)]);
        out.extend(u32::from(length).to_le_bytes());
        let start = out.len();
        out.extend((0..length).map(|_| self.coder.byte(BYTES)));
        let packet = out.get(start..).unwrap_or_default();
        if !self.has_begun && !start::may_begin(packet) {
            return Err(FOREIGN);
        }
        self.has_begun = true;
        self.world.watch(packet);
        Ok(())
    }

    /// The error for a file that ends too early.
    #[cold]
    fn truncated(&mut self) -> io::Error {
        // How much is missing cannot be known, but an end mark is.
        let (needed, available) = (1, 0);
        self.coder.take_fault().unwrap_or_else(|| Error::new(ErrorKind::Truncated { needed, available }).into())
    }

    /// The error for bytes that no encoder writes.
    #[cold]
    fn damaged(&mut self, what: &str) -> io::Error {
        let at = self.coder.used();
        let left = match self.coder.rest(false) {
            Err(e) => return e,
            Ok(None) => "nothing follows".to_owned(),
            Ok(Some(Behind { len: 1, .. })) => "1 byte follows, which is not unpacked".to_owned(),
            Ok(Some(rest)) => format!("{} bytes follow, which are not unpacked", rest.len),
        };
        Error::container(format!("damaged: {what}, at byte {at} of the qwz data or before; {left}")).into()
    }

    /// What is to be told at the end of the demo.
    fn ended(&mut self, remains: &Remains) -> Option<io::Error> {
        match self.coder.rest(true) {
            Ok(rest) => rest.into_iter().for_each(|rest| remains.add(rest)),
            Err(e) => return Some(e),
        }
        let what = match self.dropped {
            0 => return None,
            1 => "damaged: a packet refers to one that is not there; it is left empty".to_owned(),
            n => format!("damaged: {n} packets refer to others that are not there; they are left empty"),
        };
        Some(Error::container(what).into())
    }
}

const FOREIGN: Trouble = Trouble::Damage("this does not begin like a demo that Qizmo compressed");
