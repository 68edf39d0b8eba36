//! The way through a recording.

use std::io::Read;

use super::map::{Part, TimeMap};
use super::{Game, Moment, Sink, Step, dem, dm2, dm3, mvd, mvd2, qwd, refused};
use crate::demo::{Chunk, Faults, FileKind, Listed, Reader};
use crate::edit::Account;
use crate::error::{Error, ErrorKind, Moment as Shows, Result};
use crate::format::dem::Dem;
use crate::format::dm2::Dm2;
use crate::format::qwd::Qwd;
use crate::limits::Limits;
use crate::replay::{Place, Places, World};
use crate::world::{DemoTime, Scene};

pub(super) fn run<R: Read>(
    mut reader: Reader<R>,
    name: &str,
    limits: Limits,
    map: &TimeMap,
    mut sink: Sink<'_>,
) -> Result<Account> {
    let world = World::of(reader.detected(), name)?;
    if map.is_identity() {
        return copy(reader, name, world, sink);
    }
    let mut game = game_of(&reader, map)?;
    if map.is_forward() {
        stream(&mut reader, name, world, map, &mut *game, &mut sink)?;
    } else {
        let mut bytes = Vec::new();
        while let Some((chunk, of_chunk)) = reader.next_with_bytes()? {
            match chunk.cut_block() {
                Some(block) => sink.leaves_out(block),
                None => bytes.extend_from_slice(of_chunk),
            }
        }
        let tape = Tape::new(&bytes, name, Place::begin(reader.detected(), limits, world), &mut sink.faults);
        tape.play(map, &mut *game, &mut sink)?;
    }
    if sink.is_coarse.get() {
        sink.remark("the clock counts in floats: so late, or with frames so near, some of them have the same time");
    }
    if sink.not_known > 0 {
        sink.remark(format!(
            "{} moments are left out: what they build on was not recorded, so that no engine shows them",
            sink.not_known
        ));
    }
    let account = &mut sink.account;
    account.note_damage(&sink.faults);
    account.blocks_dropped = account.blocks_read.saturating_sub(account.blocks_kept + account.blocks_changed);
    Ok(sink.account)
}

fn game_of<R: Read>(reader: &Reader<R>, map: &TimeMap) -> Result<Box<dyn Game>> {
    let detected = reader.detected();
    Ok(match detected.kind {
        FileKind::Dem => Box::new(dem::Quake::new(Dem::decoder(detected), map)),
        FileKind::Qwd => Box::new(qwd::Client::new(Qwd::decoder(detected))),
        FileKind::Mvd => Box::new(mvd::Server::default()),
        FileKind::Dm3 => Box::new(dm3::Quake3::new(detected.protocol)),
        FileKind::Dm2 => Box::new(dm2::Client::new(Dm2::decoder(detected), map)),
        FileKind::Mvd2 => Box::new(mvd2::Server::default()),
        kind => return Err(Error::new(ErrorKind::Refused(format!("{} cannot be retimed", kind.name())))),
    })
}

/// Everything as it is.
fn copy<R: Read>(mut reader: Reader<R>, name: &str, mut world: World, mut sink: Sink<'_>) -> Result<Account> {
    world.only_texts();
    while let Some((chunk, bytes)) = reader.next_with_bytes()? {
        let fault = world.apply(&chunk);
        sink.faults.note(name, world.clock().now, fault);
        match chunk.block() {
            Some(_) => sink.kept(bytes)?,
            None => sink.bytes(bytes)?,
        }
        sink.account.blocks_read += u64::from(chunk.block().is_some());
    }
    sink.account.note_damage(&sink.faults);
    Ok(sink.account)
}

/// The part that is shown, on the way forward.
struct At {
    parts: Vec<Part>,
    /// Which part.
    part: usize,
    /// Where it begins in the output.
    begin: i64,
    /// The moment at which time is to stand still has passed, and there was nothing yet that could.
    waits: bool,
}

impl At {
    fn now(&self) -> Option<&Part> {
        self.parts.get(self.part)
    }

    /// True where time stands still at the end of this part.
    fn is_held(&self) -> bool {
        matches!(self.parts.get(self.part + 1), Some(Part::Hold { .. }))
    }

    /// This part goes on up to a moment, at which time stands still then.
    fn put_off(&mut self, moment: DemoTime) {
        if let Some([Part::Play { to, .. }, Part::Hold { at, .. }, behind @ ..]) = self.parts.get_mut(self.part..) {
            (*to, *at) = (moment, moment);
            if let Some(Part::Play { from, .. }) = behind.first_mut() {
                *from = moment;
            }
        }
    }
}

fn stream<R: Read>(
    reader: &mut Reader<R>,
    name: &str,
    mut world: World,
    map: &TimeMap,
    game: &mut dyn Game,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let follows = match world {
        World::Dem(_) => map.is_slow(),
        World::QuakeWorld(_) => map.stands_still(),
        _ => true,
    };
    // What stands still is the world in front of the block that comes after it: else one world does.
    let behind = map.stands_still();
    let mut ahead = world.clone();
    if behind || !follows {
        ahead.only_texts();
    }
    let mut at = At { parts: map.parts().to_vec(), part: 0, begin: 0, waits: false };
    // The last moment at which a frame of the level has been shown.
    let mut shown = None;
    if let Some(part) = at.now() {
        sink.line.enter(part, 0);
    }
    // Another clock alone adds nothing, and no end.
    let gets_end = changes_something(map.parts());
    while let Some((chunk, bytes)) = reader.next_with_bytes()? {
        if let Some(block) = chunk.cut_block().filter(|_| gets_end) {
            sink.leaves_out(block);
            break;
        }
        let fault = ahead.apply(&chunk);
        let clock = ahead.clock();
        sink.faults.note(name, clock.now, fault);
        let time = clock.demo.0;
        let is_block = chunk.block().is_some();
        sink.account.blocks_read += u64::from(is_block);
        while is_block && clock.now.is_some() {
            let must_wait = at.is_held() && !(shown.is_some_and(|shown| shown < time) && game.can_hold(&world));
            match at.now() {
                Some(Part::Play { to, .. }) if to.0 <= time && must_wait => {
                    at.waits = true;
                    break;
                }
                Some(Part::Play { .. }) if at.waits => {
                    // The moment of the first frame ends in front of this block.
                    at.put_off(DemoTime(time));
                    at.waits = false;
                    continue;
                }
                Some(part @ Part::Play { to, .. }) if to.0 <= time => at.begin += part.length().0,
                Some(part @ Part::Hold { .. }) => {
                    at.begin += part.length().0;
                    game.hold(&world, at.begin, sink)?;
                }
                _ => break,
            }
            at.part += 1;
            if let Some(part) = at.now() {
                sink.line.enter(part, at.begin);
            }
        }
        if ahead.changes().level {
            let out = sink.line.out(time);
            sink.line.begin_level(time, out);
        }
        if behind {
            world.apply(&chunk);
            let changes = world.changes();
            shown = if changes.frame { Some(time) } else { shown.filter(|_| !changes.level) };
        }
        if is_block {
            sink.account.has(chunk.block(), clock);
            sink.shows(bytes);
            let world = follows.then_some(if behind { &world } else { &ahead });
            game.forward(&Step { chunk: &chunk, bytes, world, time }, sink)?;
        } else {
            game.finish(sink)?;
            sink.other(&chunk, bytes)?;
        }
        sink.last.take(&chunk);
    }
    game.finish(sink)?;
    if gets_end {
        ends(sink)?;
    }
    sink.bytes(&[])?;
    match at.parts.get(at.part + 1..) {
        Some([next, ..]) if at.waits => {
            Err(refused(format!("nothing is shown that could stand still at {} or later", first_of(next))))
        }
        Some(rest @ [next, ..]) if changes_something(rest) => Err(behind_the_end(next, ahead.clock().demo)),
        _ => Ok(()),
    }
}

/// Gives the output an end, unless it has one.
fn ends(sink: &mut Sink<'_>) -> Result<()> {
    let Some(mut end) = sink.last.end()? else { return sink.bytes(&[]) };
    if let Some(what) = sink.held.leave_out() {
        sink.remark(what);
    }
    if let (Some(seconds), Some(time)) = (sink.seconds_shown, end.bytes.first_chunk_mut()) {
        *time = seconds.to_le_bytes();
    }
    if end.is_block {
        sink.made(&end.bytes)?;
    } else {
        sink.bytes(&end.bytes)?;
    }
    sink.account.end_made = true;
    Ok(())
}

/// True when something is to be done in parts that are still to come: not where each goes on as recorded from where the one
/// before ended.
fn changes_something(parts: &[Part]) -> bool {
    let mut at = None;
    !parts.iter().all(|part| match *part {
        Part::Play { from, to, speed } => speed == 1.0 && at.replace(to).is_none_or(|at| at == from),
        Part::Hold { .. } | Part::Back { .. } => false,
    })
}

/// The earliest moment of a part.
fn first_of(part: &Part) -> DemoTime {
    match *part {
        Part::Play { from, .. } => from,
        Part::Hold { at, .. } => at,
        Part::Back { to, .. } => to,
    }
}

fn behind_the_end(part: &Part, end: DemoTime) -> Error {
    let at = first_of(part);
    Error::new(ErrorKind::Absent(format!("{at} lies behind the end of the recording, which is at {end}")))
}

/// A recording in memory, and worlds at some places in it.
struct Tape<'b> {
    bytes: &'b [u8],
    /// Each chunk: where it ends, the time after it, and whether a level begins with it.
    marks: Vec<Mark>,
    /// So many of them stand in front of all blocks.
    front: usize,
    places: Places,
    /// What the clock shows first.
    first: Option<Shows>,
}

#[derive(Clone, Copy)]
struct Mark {
    end: usize,
    time: i64,
    is_block: bool,
    /// The recording ends with it.
    is_end: bool,
    /// The game's clock has shown something: here, or before a later level began.
    begun: bool,
    level: bool,
}

impl<'b> Tape<'b> {
    fn new(bytes: &'b [u8], name: &str, begin: Place, faults: &mut Faults) -> Self {
        let mut marks = Vec::new();
        let mut first = None;
        let places = Places::read(bytes, begin, &mut |place, chunk, fault| {
            let clock = place.world.clock();
            faults.note(name, clock.now, fault);
            first = first.or(clock.now);
            marks.push(Mark {
                end: place.offset(),
                time: clock.demo.0,
                is_block: chunk.block().is_some(),
                is_end: is_end(chunk),
                begun: first.is_some(),
                level: place.world.changes().level,
            });
        });
        let front = marks.iter().position(|mark| mark.is_block).unwrap_or(marks.len());
        Tape { bytes, marks, front, places, first }
    }

    fn length(&self) -> DemoTime {
        DemoTime(self.marks.iter().rev().find(|mark| mark.is_block && !mark.is_end).map_or(0, |mark| mark.time))
    }

    /// The place in front of a chunk.
    fn place(&self, taken: usize) -> Option<Place> {
        let mut place = self.places.before(taken)?.clone();
        while place.taken < taken {
            place.next(self.bytes)?;
        }
        Some(place)
    }

    /// The first block that shows a moment or a later one.
    fn at(&self, moment: DemoTime) -> usize {
        let before = |mark: &Mark| mark.time < moment.0 || !mark.begun;
        if moment <= DemoTime(0) { 0 } else { self.marks.partition_point(before) }
    }

    fn play(&self, map: &TimeMap, game: &mut dyn Game, sink: &mut Sink<'_>) -> Result<()> {
        let end = self.length();
        sink.account.blocks_read += self.marks.iter().filter(|mark| mark.is_block).count() as u64;
        sink.first = self.first;
        let mut begin = 0;
        // The world that has been shown last, and how many chunks are in front of it.
        let mut shown: Option<Place> = None;
        for (n, part) in map.of_length(end).parts().iter().enumerate() {
            if first_of(part) > end {
                if changes_something(map.parts().get(n..).unwrap_or_default()) {
                    return Err(behind_the_end(part, end));
                }
                // Nothing is there to be shown.
                break;
            }
            sink.line.enter(part, begin);
            begin += part.length().0;
            match *part {
                Part::Play { from, to, .. } => {
                    // What ends the recording stands once, behind the last moment that is shown.
                    let later = map.parts().get(n + 1..).unwrap_or_default();
                    let is_last = later.iter().all(|part| matches!(part, Part::Play { from, .. } if *from > end));
                    shown = self.forward(from, to, is_last, shown, game, sink)?;
                }
                Part::Back { from, to, .. } => shown = self.back(from, to, shown, game, sink)?,
                Part::Hold { .. } => {
                    if let Some(place) = &shown {
                        game.hold(&place.world, begin, sink)?;
                    }
                }
            }
        }
        let account = &sink.account;
        if account.blocks_read > 0 && account.blocks_kept + account.blocks_changed + account.blocks_made == 0 {
            let what = "no moment of the recording can be shown that way";
            return Err(refused(what));
        }
        game.finish(sink)?;
        ends(sink)
    }

    /// A part on the way forward; behind the last one the recording ends as it did.
    fn forward(
        &self,
        from: DemoTime,
        to: DemoTime,
        is_last: bool,
        shown: Option<Place>,
        game: &mut dyn Game,
        sink: &mut Sink<'_>,
    ) -> Result<Option<Place>> {
        let (first, last) = (self.at(from), if to > self.length() { self.marks.len() } else { self.at(to) });
        let ends = is_last && last == self.marks.len();
        let mut place = match shown {
            Some(shown) if shown.taken == first => shown,
            shown => {
                let Some(place) = self.place(first) else { return Ok(shown) };
                if let Some(shown) = shown {
                    game.jump(&shown.world, &place.world, from.0, sink)?;
                }
                place
            }
        };
        while place.taken < last {
            let Some(mark) = self.marks.get(place.taken) else { break };
            let Some((chunk, bytes)) = place.next(self.bytes) else { break };
            if mark.level && place.taken > 1 {
                let out = sink.line.out(mark.time);
                sink.line.begin_level(mark.time, out);
            }
            if mark.is_block {
                let clock = place.world.clock();
                sink.account.has(chunk.block(), clock);
                if is_end(&chunk) && !ends {
                    continue;
                }
                sink.shows(bytes);
                game.forward(&Step { chunk: &chunk, bytes, world: Some(&place.world), time: mark.time }, sink)?;
                continue;
            }
            // What stands in front of all blocks does so once; what stands behind them comes with the end.
            let is_due = if place.taken > self.front { ends } else { sink.account.bytes_written == 0 };
            if is_due {
                game.finish(sink)?;
                sink.last.take(&chunk);
                sink.other(&chunk, bytes)?;
            }
        }
        Ok(Some(place))
    }

    /// A part on the way back.
    fn back(
        &self,
        from: DemoTime,
        to: DemoTime,
        mut shown: Option<Place>,
        game: &mut dyn Game,
        sink: &mut Sink<'_>,
    ) -> Result<Option<Place>> {
        let (first, mut last) = (self.at(to), self.at(DemoTime(from.0.saturating_add(1))).min(self.marks.len()));
        if shown.is_none() {
            // What stands in front of all blocks.
            if let Some(mark) = self.marks.first().filter(|mark| !mark.is_block) {
                sink.bytes(self.bytes.get(..mark.end).unwrap_or_default())?;
            }
        }
        while last > first {
            // From one kept world to the next, in one go.
            let start = self.places.before(last - 1).map_or(0, |place| place.taken);
            let start = start.max(first);
            // A moment is not divided.
            let start = self.begin_of_moment(start).max(first);
            let Some(mut place) = self.place(start) else { break };
            let mut moments = Vec::new();
            while place.taken < last {
                let time = self.marks.get(place.taken).map_or(0, |mark| mark.time);
                let command = command_of(&place.world);
                let mut chunks = Vec::new();
                let mut level = false;
                while place.taken < last {
                    let Some(mark) = self.marks.get(place.taken).filter(|mark| mark.time == time) else { break };
                    level |= mark.level;
                    match place.next(self.bytes) {
                        Some(chunk) if mark.is_block && !is_end(&chunk.0) => chunks.push(chunk),
                        Some(_) => {}
                        None => break,
                    }
                }
                moments.push((time, chunks, place.compact_copy(), command, level));
            }
            for (time, chunks, place, command, level) in moments.into_iter().rev() {
                if chunks.is_empty() {
                    continue;
                }
                if !place.world.is_complete() && !game.shows_incomplete() {
                    sink.not_known += u64::from(place.world.clock().now.is_some());
                    continue;
                }
                let clock = place.world.clock();
                sink.account.has(chunks.first().and_then(|(chunk, _)| chunk.block()), clock);
                for (chunk, _) in &chunks {
                    sink.last.take(chunk);
                }
                let commands_before = command.filter(|_| !level);
                let moment = Moment { world: &place.world, time, chunks: &chunks, commands_before };
                let Some(before) = shown.as_ref().or(self.places.first()) else { continue };
                if game.back(&before.world, &moment, sink)? {
                    shown = Some(place);
                }
            }
            last = start;
        }
        Ok(shown)
    }

    /// The first chunk with the time of a chunk.
    fn begin_of_moment(&self, chunk: usize) -> usize {
        let Some(mark) = self.marks.get(chunk) else { return chunk };
        let same = self.marks.get(..chunk).unwrap_or_default().iter().rev();
        chunk - same.take_while(|before| before.time == mark.time).count()
    }
}

/// Number of the last server command: Quake III.
fn command_of(world: &World) -> Option<i32> {
    if let World::Dm3(world) = world { Some(world.command()) } else { None }
}

/// True for a block that ends a recording.
fn is_end(chunk: &Chunk<'_>) -> bool {
    chunk.block().is_some() && chunk.ends() == Some(true)
}
