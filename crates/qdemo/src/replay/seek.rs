//! Going to any time of a recording.

use std::borrow::Cow;
use std::io::Read;

use super::{Position, World};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Cursor, Ending, Faults, Reader};
use crate::detect;
use crate::error::Result;
use crate::frame::Diagnostic;
use crate::limits::Limits;
use crate::world::{DemoTime, Scene};

/// A recording in memory whose world can be seen at any time.
///
/// Opening reads the recording once and keeps copies of the world on the way; a seek begins at the copy before.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::Limits;
/// use qdemo::world::{DemoTime, Scene};
/// use qdemo::replay::Seeker;
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// let mut seeker = Seeker::open(demo, "ez-dm.mvd", Limits::default())?;
/// let world = seeker.seek(DemoTime::from_ms(1_000));
/// assert!(world.clock().demo <= DemoTime::from_ms(1_000));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Seeker<'a> {
    bytes: Cow<'a, [u8]>,
    detected: Detected,
    /// The time after each chunk.
    times: Vec<DemoTime>,
    places: Places,
    now: Place,
}

/// A place between two chunks of a recording in memory, and the world there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Chunks in front of it.
    pub(crate) taken: usize,
    pub(crate) world: World,
    cursor: Cursor,
}

impl Place {
    /// The beginning.
    pub(crate) fn begin(detected: &Detected, limits: Limits, world: World) -> Self {
        Place { taken: 0, world, cursor: Cursor::new(detected.kind, limits) }
    }

    /// Bytes in front of it.
    pub(crate) fn offset(&self) -> usize {
        self.cursor.offset()
    }

    /// Takes in the next chunk of `bytes`, which is the whole recording, and gives it with its bytes.
    pub(crate) fn next<'b>(&mut self, bytes: &'b [u8]) -> Option<(Chunk<'b>, &'b [u8])> {
        let start = self.offset();
        let (chunk, _) = self.step(bytes)?;
        Some((chunk, bytes.get(start..self.offset()).unwrap_or_default()))
    }

    /// The same, and gives what is wrong with the chunk.
    fn step<'b>(&mut self, bytes: &'b [u8]) -> Option<(Chunk<'b>, Option<Diagnostic>)> {
        let chunk = self.cursor.next(bytes)?;
        let fault = self.world.apply(&chunk);
        self.taken += 1;
        Some((chunk, fault))
    }

    /// A copy to be kept, as small as can be.
    pub(crate) fn compact_copy(&self) -> Self {
        Place { taken: self.taken, world: self.world.compact_copy(), cursor: self.cursor.clone() }
    }
}

/// Places in a recording that are kept: whoever goes to one reads on from the one before.
#[derive(Debug)]
pub(crate) struct Places(Vec<Place>);

impl Places {
    /// As many are kept, at most: to go anywhere reads at most this part of the recording.
    const MOST: usize = 128;

    /// Reads a recording once from its beginning, and shows each chunk, the place behind it, and what is wrong with it.
    pub(crate) fn read(
        bytes: &[u8],
        begin: Place,
        each: &mut dyn FnMut(&Place, &Chunk<'_>, Option<Diagnostic>),
    ) -> Self {
        let mut places = vec![begin.clone()];
        let mut place = begin;
        let spacing = bytes.len() / Self::MOST;
        let mut last = 0;
        while let Some((chunk, fault)) = place.step(bytes) {
            each(&place, &chunk, fault);
            if place.offset() - last > spacing {
                last = place.offset();
                places.push(place.compact_copy());
            }
        }
        Places(places)
    }

    /// The beginning.
    pub(crate) fn first(&self) -> Option<&Place> {
        self.0.first()
    }

    /// The last place with at most so many chunks in front of it.
    pub(crate) fn before(&self, taken: usize) -> Option<&Place> {
        self.0.get(self.0.partition_point(|place| place.taken <= taken).checked_sub(1)?)
    }
}

impl<'a> Seeker<'a> {
    /// Reads a recording once. `name` decides its format only when the content does not.
    ///
    /// # Errors
    /// A file that is no recording.
    pub fn open(bytes: impl Into<Cow<'a, [u8]>>, name: &str, limits: Limits) -> Result<Self> {
        let bytes = bytes.into();
        let detected = detect::detect(&bytes, true, name, limits);
        let begin = Place::begin(&detected, limits, World::of(&detected, name)?);
        let now = begin.clone();
        let mut times = Vec::new();
        let places = Places::read(&bytes, begin, &mut |place, _, _| times.push(place.world.clock().demo));
        Ok(Seeker { bytes, detected, times, places, now })
    }

    /// What the file was taken for.
    pub fn detected(&self) -> &Detected {
        &self.detected
    }

    /// The time at the end of the recording.
    pub fn length(&self) -> DemoTime {
        self.times.last().copied().unwrap_or_default()
    }

    /// The world where the last seek or step left it.
    pub fn world(&self) -> &World {
        &self.now.world
    }

    /// Goes to a time: the world is as all chunks up to and including that time have made it: exactly, while a
    /// [`Position`] is a whole millisecond.
    pub fn seek(&mut self, time: DemoTime) -> &World {
        // Times never run backwards.
        self.go_to(self.times.partition_point(|t| *t <= time))
    }

    /// Goes to where so many chunks are taken in, at most all.
    pub fn go_to(&mut self, chunks: usize) -> &World {
        let chunks = chunks.min(self.times.len());
        if let Some(place) = self.places.before(chunks) {
            // Go on from here when nothing nearer is known.
            if self.now.taken > chunks || place.taken > self.now.taken {
                self.now.world.clone_from(&place.world);
                self.now.cursor = place.cursor.clone();
                self.now.taken = place.taken;
            }
        }
        while self.now.taken < chunks && self.step().is_some() {}
        &self.now.world
    }

    /// The time after the next chunk; `None` at the end.
    pub fn next_time(&self) -> Option<DemoTime> {
        self.times.get(self.now.taken).copied()
    }

    /// Takes in the next chunk, and gives it; `None` at the end.
    pub fn step(&mut self) -> Option<Chunk<'_>> {
        self.now.next(&self.bytes).map(|(chunk, _)| chunk)
    }
}

/// Reads a recording and gives the world as all chunks up to and including a place have made it, or all; how long the
/// recording is; and what is wrong with all of it, whatever the place. This takes memory for a few blocks, whatever the file's
/// size. For many times there is [`Seeker`].
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, replay, world::{DemoTime, Scene}};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let (world, length, _) = replay::at(demo, "oa-dm4.dm_71", Limits::default(), Some(DemoTime::from_ms(10_000).into()))?;
/// assert_eq!((world.clock().demo.ms(), length.ms()), (10_000, 42_050));
/// # Ok(()) }
/// ```
///
/// # Errors
/// A file that is no recording, a clock that it does not have, and whatever reading gives.
pub fn at(
    mut input: impl Read,
    name: &str,
    limits: Limits,
    place: Option<Position>,
) -> Result<(World, DemoTime, Faults)> {
    at_any(&mut input, name, limits, place)
}

/// [`at`], compiled here and not again for each type of input.
fn at_any(
    input: &mut dyn Read,
    name: &str,
    limits: Limits,
    place: Option<Position>,
) -> Result<(World, DemoTime, Faults)> {
    let mut chunks = Reader::new(input, name, limits)?;
    let detected = chunks.detected().clone();
    // What reads all of the recording: its clock tells the length, and what is wrong with it is counted once.
    let mut whole = World::of(&detected, name)?;
    // A world knows the time of a chunk only when it has taken it in: one that stops at a place goes behind it.
    let mut stopping = place.map(|place| (place, whole.clone()));
    let mut faults = Faults::default();
    let mut ending = Ending::default();
    let (mut block, mut passed) = (None, false);
    loop {
        let offset = chunks.offset();
        let Some(chunk) = chunks.next_chunk()? else { break };
        ending.chunk(name, &chunk, offset, &mut faults);
        let diagnostic = whole.apply_noting(&chunk, Vec::new(), &mut faults);
        let clock = whole.clock();
        faults.note(name, clock.now, diagnostic);
        if let Some((place, world)) = &mut stopping {
            place.check(&clock).map_err(|e| e.in_file(name))?;
            block = chunk.block().map_or(block, |(number, _)| Some(number));
            passed |= place.is_passed(block, &clock);
            if !passed {
                world.apply(&chunk);
            }
        }
    }
    ending.finish(name, detected.kind, chunks.offset(), &mut faults);
    let length = whole.clock().demo;
    let world = stopping.map_or(whole, |(_, world)| world);
    Ok((world, length, faults))
}
