//! Retiming: a recording slower, faster, standing still, repeated, backwards, or on another clock.

mod dem;
mod dm2;
mod dm3;
mod map;
mod mvd;
mod mvd2;
mod qw;
mod qwd;
mod run;

use std::cell::Cell;
use std::io::{Read, Write};

use super::end::{self, Held, Last};
use super::{Account, Start};
use crate::demo::{Chunk, Faults, Reader};
use crate::error::{Error, ErrorKind, Moment as Shows, Result};
use crate::format::{BlockOf, DialectOf, Format, Packet};
use crate::frame::Block;
use crate::limits::Limits;
use crate::replay::World;
use crate::wire::ByteWriter;
use crate::world::{Clock, DemoTime, microseconds};
use map::Line;
pub use map::{Part, TimeMap};

/// Gives a recording another time: see [`TimeMap`].
///
/// What a moment of the output shows is what the input shows at [`TimeMap::input`] of it: every state is that of the
/// original, times apart. How formats tell time, and what is done about it:
///
/// * Quake tells the server's time with every frame: these times are changed, and nothing else. Engines show no frame for
///   longer than a tenth of a second, so where frames would be further apart, others are put in between: things in
///   view are between their places in both. A clock that leaps by more than a minute stays a leap, here and in Quake II.
/// * QuakeWorld's `.qwd` has the recorder's time with every block. Numbers of packets and commands stay as they are, and so
///   does the duration that a command has (`msec`): it is the time of the game in which the player moves. The server's
///   time among the stats, and how long ago players came, go along. Where no block would come for half a second, one
///   comes that changes nothing. A clock that leaps by more than a minute is the second that engines make of it: no client
///   waits so long for its server.
/// * An `.mvd` has milliseconds between records, at most 255: where more would pass, empty records come in between. The
///   server's clock is told where a level begins, and to some among the stats: a shift changes these alone.
/// * Quake III has the server's time in every snapshot, and times within it: they go along, so snapshots are told
///   anew as differences. What moves along a line or swings has its speed or period changed with the speed of the part.
///   What falls is on a line that begins anew with each snapshot, unless the speed is the recorded one. Where time stands still or
///   runs back, what is left of a powerup is what the recording shows. Configstrings with
///   times go along, too: what has been stays when the output showed it, and what is to come is told again where a part
///   begins in which it comes at another time.
/// * In Quake II the number of a frame is its time: faster, frames are left out, and what is said and heard in them comes with
///   the next one; slower, others are put in between, where things in view are between their places in both. (In an `.mvd2`,
///   which has neither numbers nor a clock, the frame before stands for them.) Frames are told anew as differences.
///
/// The game's clock begins each level as recorded (plus the [shift](TimeMap::shift)), and goes on from there with the time of
/// the output.
///
/// Where an earlier moment follows a later one, what differs is told again. There is no message for what the recording had
/// not told by then, as scores before the first scoreboard: that stays known. A time-out of Quake Live is over by its own
/// account on the way back.
///
/// A map that only goes forward is carried out as the recording is read, with memory for a world and a few blocks.
/// Otherwise the recording is held in memory, and worlds at some places in it.
///
/// Gives back what was written to, and what was done.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, edit::{TimeMap, retime}, replay};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let map = TimeMap::speed(0.5, None)?;
/// let (slow, account) = retime(demo, "oa-dm4.dm_71", Limits::default(), &map, Vec::new())?;
/// let (_, length, faults) = replay::at(&slow[..], "slow.dm_71", Limits::default(), None)?;
/// assert!(faults.is_empty() && account.blocks_changed > 0);
/// assert_eq!(length.ms(), 2 * 42_050);
/// # Ok(()) }
/// ```
///
/// # Errors
/// A moment that lies behind the end, a shift that brings a time below 0 or beyond what the format can tell, or by more than 24
/// days, and whatever reading and writing give. Where times in seconds become so large that two moments have one time, the
/// account says so.
pub fn retime<W: Write>(
    input: impl Read,
    name: &str,
    limits: Limits,
    map: &TimeMap,
    mut out: W,
) -> Result<(W, Account)> {
    if i32::try_from(map.shift_ms()).is_err() {
        return Err(refused("no clock of a game goes on for more than 24 days: shift it by less"));
    }
    let reader = Reader::new(input, name, limits)?;
    let sink = Sink::new(&mut out, map);
    let account = run::run(reader, name, limits, map, sink).map_err(|e| e.in_file(name))?;
    out.flush()?;
    Ok((out, account))
}

/// Something that cannot be done, or not to this recording.
fn refused(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused(what.into()))
}

/// Clients give up a server of which they hear nothing for so long, in microseconds (id's `cl_timeout` of QuakeWorld; Quake and
/// Quake II wait for longer): a clock that goes on by more from one moment to the next has leapt, as a damaged one does.
const LEAP: i64 = 60_000_000;
/// What is said of such a leap where frames would be put in between.
const LEAPS: &str = "the clock leaps by more than a minute: nothing is put in between";

/// What is written.
pub(super) struct Sink<'o> {
    out: &'o mut dyn Write,
    account: Account,
    /// What is wrong with what was read.
    faults: Faults,
    last: Last,
    held: Held,
    /// The block of the input that is shown now.
    given: Vec<u8>,
    /// What the clock of the input shows first; `None` on the way forward alone.
    first: Option<Shows>,
    /// What the recorder's clock shows in the output: `.qwd`.
    seconds_shown: Option<f32>,
    /// The last time in seconds of the input that was changed, and what it became.
    last_seconds: Cell<[f32; 2]>,
    /// Moments that were left out on the way back, as what they build on was not recorded.
    not_known: u64,
    /// Times that differ became one.
    is_coarse: Cell<bool>,
    line: Line,
    w: ByteWriter,
}

impl<'o> Sink<'o> {
    fn new(out: &'o mut dyn Write, map: &TimeMap) -> Self {
        Sink {
            out,
            account: Account::default(),
            faults: Faults::default(),
            last: Last::default(),
            held: Held::default(),
            given: Vec::new(),
            first: None,
            seconds_shown: None,
            last_seconds: Cell::new([f32::NAN; 2]),
            not_known: 0,
            is_coarse: Cell::new(false),
            line: Line::new(map),
            w: ByteWriter::default(),
        }
    }

    /// Bytes as they are.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.account.bytes_written += self.held.write(bytes, self.out)?;
        Ok(())
    }

    /// What is no block, as it is.
    fn other(&mut self, chunk: &Chunk<'_>, bytes: &[u8]) -> Result<()> {
        if self.held.takes(chunk, bytes) { Ok(()) } else { self.bytes(bytes) }
    }

    /// A block as it is.
    fn kept(&mut self, bytes: &[u8]) -> Result<()> {
        self.account.blocks_kept += 1;
        self.bytes(bytes)
    }

    /// A block of the input is about to be shown.
    fn shows(&mut self, bytes: &[u8]) {
        self.given.clear();
        self.given.extend_from_slice(bytes);
    }

    /// A block that was written anew, and may be as it was.
    fn changed(&mut self, bytes: &[u8]) -> Result<()> {
        if self.given == bytes {
            return self.kept(bytes);
        }
        self.account.blocks_changed += 1;
        self.bytes(bytes)
    }

    /// A block that the input does not have.
    fn made(&mut self, bytes: &[u8]) -> Result<()> {
        self.account.blocks_made += 1;
        self.bytes(bytes)
    }

    /// A packet in the place of a block, or one that the input does not have.
    fn packet<F: Format>(&mut self, packet: &Packet<'_, F>, mut dialect: DialectOf<F>, made: bool) -> Result<()> {
        self.packet_in(packet, &mut dialect, made)
    }

    /// The same, and shows the block to those who watch the output.
    fn packet_seen<F: Format>(
        &mut self,
        packet: &Packet<'_, F>,
        dialect: DialectOf<F>,
        made: bool,
        see: impl FnOnce(BlockOf<'_, F>),
    ) -> Result<()> {
        let bytes = packet.to_bytes(dialect)?;
        if let Some(block) = Block::of_bytes(&bytes, 0, 0) {
            see(block);
        }
        if made { self.made(&bytes) } else { self.changed(&bytes) }
    }

    /// The same of one of several: the dialect is that of the next one then.
    fn packet_in<F: Format>(&mut self, packet: &Packet<'_, F>, dialect: &mut DialectOf<F>, made: bool) -> Result<()> {
        let mut w = std::mem::take(&mut self.w);
        w.clear();
        packet.write(dialect, &mut w)?;
        let written = if made { self.made(w.as_slice()) } else { self.changed(w.as_slice()) };
        self.w = w;
        written
    }

    /// What the game's clock shows, in microseconds, that showed `clock` at a moment of the input.
    fn clock(&self, clock: i64, offset: i64) -> Result<i64> {
        let now = clock.saturating_add(offset);
        if now < 0 && clock >= 0 && self.line.shift < 0 {
            let least = DemoTime(clock.saturating_add(offset).saturating_sub(self.line.shift));
            let what = format!("the game's clock would be below 0: shift it back by {least} at most");
            return Err(Error::new(ErrorKind::Refused(what)));
        }
        Ok(now)
    }

    /// The same of seconds.
    fn seconds(&self, clock: f32, offset: i64) -> Result<f32> {
        if offset == 0 || !clock.is_finite() {
            return Ok(clock);
        }
        self.clock(microseconds(clock), offset)?;
        let new = (f64::from(clock) + offset as f64 / 1e6) as f32;
        let [before, told] = self.last_seconds.replace([clock, new]);
        self.is_coarse.set(self.is_coarse.get() || told == new && before < clock);
        Ok(new)
    }

    /// A full start of a world, written by `write`.
    fn start(&mut self, at: Clock, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (blocks, bytes) = (self.account.blocks_made, self.account.bytes_written);
        write(self)?;
        let (blocks, bytes) = (self.account.blocks_made - blocks, self.account.bytes_written - bytes);
        if blocks > 0 {
            self.account.starts.push(Start { at, block: None, blocks, bytes });
        }
        Ok(())
    }

    /// A block within which the file ends, and behind which an end would be a part of it.
    fn leaves_out(&mut self, block: u64) {
        self.account.blocks_read += 1;
        self.remark(end::cut_off(block));
    }

    fn remark(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.account.notes.contains(&note) {
            self.account.notes.push(note);
        }
    }
}

/// A chunk of the input.
pub(super) struct Step<'s> {
    chunk: &'s Chunk<'s>,
    bytes: &'s [u8],
    /// The world after it, for games that ask for one.
    world: Option<&'s World>,
    /// The time after it.
    time: i64,
}

/// How a format is retimed.
trait Game {
    /// Forward through a chunk.
    fn forward(&mut self, step: &Step<'_>, sink: &mut Sink<'_>) -> Result<()>;
    /// What is left of what was read so far is told: what follows is no block.
    fn finish(&mut self, _: &mut Sink<'_>) -> Result<()> {
        Ok(())
    }
    /// True for a world that can stand still, once a frame of its level has been shown.
    fn can_hold(&self, _: &World) -> bool {
        true
    }
    /// A world stands still up to a time of the output. It has been shown.
    fn hold(&mut self, world: &World, until: i64, sink: &mut Sink<'_>) -> Result<()>;
    /// Another world than the one that has been shown. Both are of the input; the line is that of what follows. `time` is its
    /// time. False where there is nothing to be shown of it.
    fn jump(&mut self, shown: &World, world: &World, time: i64, sink: &mut Sink<'_>) -> Result<bool>;
    /// A moment of a part that goes back: its world, behind the one that has been shown, and the chunks that make it. False
    /// where it was not shown.
    fn back(&mut self, shown: &World, moment: &Moment<'_>, sink: &mut Sink<'_>) -> Result<bool>;
    /// True where moments are shown on the way back of which not everything was recorded.
    fn shows_incomplete(&self) -> bool {
        false
    }
}

/// A moment of the input that is shown on the way back.
pub(super) struct Moment<'s> {
    world: &'s World,
    time: i64,
    chunks: &'s [(Chunk<'s>, &'s [u8])],
    /// Number of the last server command in front of it: Quake III.
    commands_before: Option<i32>,
}
