//! Going to any time of a recording.

use std::borrow::Cow;
use std::io::Read;

use super::{Position, World};
use crate::demo::detect::Detected;
use crate::demo::{Chunk, Cursor, Faults, Reader};
use crate::detect;
use crate::error::Result;
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
    keyframes: Vec<Keyframe>,
    /// Where `now` stands.
    cursor: Cursor,
    /// Chunks that `now` has taken in.
    taken: usize,
    now: World,
}

/// A copy of the world after some chunks, and the place where reading goes on.
#[derive(Debug)]
struct Keyframe {
    taken: usize,
    cursor: Cursor,
    world: World,
}

impl<'a> Seeker<'a> {
    /// Copies of the world that are kept, at most: a seek reads at most this part of the recording.
    const KEYFRAMES: usize = 128;

    /// Reads a recording once. `name` decides its format only when the content does not.
    ///
    /// # Errors
    /// A file that is no recording.
    pub fn open(bytes: impl Into<Cow<'a, [u8]>>, name: &str, limits: Limits) -> Result<Self> {
        let bytes = bytes.into();
        let detected = detect::detect(&bytes, true, name, limits);
        let mut world = World::of(&detected, name)?;
        let first = world.clone();
        let mut cursor = Cursor::new(detected.kind, limits);
        let start = cursor.clone();
        let mut times = Vec::new();
        let mut keyframes = vec![Keyframe { taken: 0, cursor: start.clone(), world: first.clone() }];
        let spacing = bytes.len() / Self::KEYFRAMES;
        let mut last = 0;
        while let Some(chunk) = cursor.next(&bytes) {
            world.apply(&chunk);
            times.push(world.clock().demo);
            if cursor.offset() - last > spacing {
                last = cursor.offset();
                keyframes.push(Keyframe { taken: times.len(), cursor: cursor.clone(), world: world.compact_copy() });
            }
        }
        Ok(Seeker { bytes, detected, times, keyframes, cursor: start, taken: 0, now: first })
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
        &self.now
    }

    /// Goes to a time: the world is as all chunks up to and including that time have made it.
    pub fn seek(&mut self, time: DemoTime) -> &World {
        // Times never run backwards.
        self.go_to(self.times.partition_point(|t| *t <= time))
    }

    /// Goes to where so many chunks are taken in, at most all.
    pub fn go_to(&mut self, chunks: usize) -> &World {
        let chunks = chunks.min(self.times.len());
        let before = self.keyframes.partition_point(|k| k.taken <= chunks);
        if let Some(keyframe) = before.checked_sub(1).and_then(|n| self.keyframes.get(n)) {
            // Go on from here when nothing nearer is known.
            if self.taken > chunks || keyframe.taken > self.taken {
                self.now.clone_from(&keyframe.world);
                self.cursor = keyframe.cursor.clone();
                self.taken = keyframe.taken;
            }
        }
        while self.taken < chunks && self.step().is_some() {}
        &self.now
    }

    /// The time after the next chunk; `None` at the end.
    pub fn next_time(&self) -> Option<DemoTime> {
        self.times.get(self.taken).copied()
    }

    /// Takes in the next chunk, and gives it; `None` at the end.
    pub fn step(&mut self) -> Option<Chunk<'_>> {
        let chunk = self.cursor.next(&self.bytes)?;
        self.now.apply(&chunk);
        self.taken += 1;
        Some(chunk)
    }
}

/// Reads a recording and gives the world as all chunks up to and including a place have made it, or all; how long the
/// recording is; and what is wrong with it. This takes memory for a few blocks, whatever the file's size. For many times
/// there is [`Seeker`].
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
    let mut world = World::of(&detected, name)?;
    // A world knows the time of a chunk only when it has taken it in: another one goes ahead, for the clock. It reads all,
    // as what is damaged tells no time.
    let mut ahead = world.clone();
    let mut faults = Faults::default();
    let (mut block, mut passed) = (None, false);
    while let Some(chunk) = chunks.next_chunk()? {
        if let Some(place) = place {
            ahead.apply(&chunk);
            let clock = ahead.clock();
            place.check(&clock).map_err(|e| e.in_file(name))?;
            block = chunk.block().map_or(block, |(number, _)| Some(number));
            passed |= place.is_passed(block, &clock);
            if passed {
                continue;
            }
        }
        if let Some(broken) = world.apply(&chunk) {
            faults.at(world.clock().now);
            faults.add(name, broken);
        }
    }
    let length = world.clock().demo.max(ahead.clock().demo);
    Ok((world, length, faults))
}
