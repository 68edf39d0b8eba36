//! The other recordings, followed to the moments of the first one.

use super::survey::{LevelId, Levels, Survey};
use super::{Input, open};
use crate::demo::{Chunk, Reader};
use crate::error::Result;
use crate::limits::Limits;
use crate::replay::World;

/// What a recording shows at a moment.
#[derive(Debug)]
pub(super) struct Glimpse<V> {
    pub(super) level: LevelId,
    /// On the clock of the first recording.
    pub(super) at: i64,
    pub(super) view: V,
}

/// What is shown at a moment, and whether it is of that very moment.
pub(super) type Shown<'f, V> = Option<(&'f Glimpse<V>, bool)>;

/// Reads a recording for what it shows.
pub(super) trait Watch {
    /// What is taken out of a moment.
    type View;
    /// Takes a chunk in; gives what is shown, if a frame came with it, with its time on the recording's clock.
    fn take(&mut self, chunk: &Chunk<'_>) -> Option<(i64, Self::View)>;
    /// What the chunks so far make.
    fn world(&self) -> &World;
}

/// A recording that is followed.
pub(super) struct Follower<'a, T: Watch> {
    name: &'a str,
    reader: Reader<&'a [u8]>,
    watch: T,
    /// The level that it is in.
    level: Levels,
    /// Levels that lie ahead.
    levels: Vec<LevelId>,
    /// What is added to its clock.
    offset: i64,
    /// The last moment that is not behind the one that was asked for, and the one after it.
    last: Option<Glimpse<T::View>>,
    next: Option<Glimpse<T::View>>,
    /// There is nothing behind `next`.
    ended: bool,
}

impl<'a, T: Watch> Follower<'a, T> {
    /// The oldest moment that stands in for one of which there is nothing, in ms.
    const OLDEST: i64 = 100;

    pub(super) fn new(input: &Input<'a>, survey: &Survey, watch: T, offset: i64, limits: Limits) -> Result<Self> {
        let reader = open(input, limits)?;
        let levels = survey.levels.clone();
        let level = Levels::default();
        Ok(Follower { name: input.name, reader, watch, level, levels, offset, last: None, next: None, ended: false })
    }

    /// What reads it.
    pub(super) fn watch(&mut self) -> &mut T {
        &mut self.watch
    }

    /// What is added to its clock.
    pub(super) fn offset(&self) -> i64 {
        self.offset
    }

    fn read(&mut self) -> Result<()> {
        while let Some(chunk) = self.reader.next_chunk().map_err(|e| e.in_file(self.name))? {
            let Some((at, view)) = self.watch.take(&chunk) else { continue };
            if let Some(level) = self.level.of(self.watch.world()) {
                let glimpse = Glimpse { level, at: at.saturating_add(self.offset), view };
                if self.next.as_ref().is_none_or(|next| next.level != glimpse.level) {
                    let passed = self.levels.iter().position(|level| *level == glimpse.level).map_or(0, |n| n + 1);
                    self.levels.drain(..passed);
                }
                self.last = self.next.replace(glimpse);
                return Ok(());
            }
        }
        self.last = self.next.take();
        self.ended = true;
        Ok(())
    }

    /// What it shows at a moment of a level. Where several frames have the same time, each is shown once, for as long as
    /// there are any. Where the clock goes back within a level, the frames behind that are shown when the one of those who
    /// ask has gone back. Behind its last frame it shows nothing.
    pub(super) fn at(&mut self, level: &LevelId, at: i64) -> Result<Shown<'_, T::View>> {
        let mut is_there = false;
        loop {
            let goes_on = match &self.next {
                Some(next) if next.level == *level => {
                    let last = self.last.as_ref().filter(|last| last.level == *level);
                    let goes_back = last.is_some_and(|last| next.at < last.at && at >= last.at);
                    next.at <= at && !goes_back && !is_there
                }
                Some(_) => self.levels.contains(level),
                None => !self.ended,
            };
            if !goes_on {
                break;
            }
            self.read()?;
            is_there = self.last.as_ref().is_some_and(|last| last.level == *level && last.at == at);
        }
        let oldest = if self.ended { 0 } else { Self::OLDEST };
        let is_near = |last: &&Glimpse<T::View>| last.level == *level && (0..=oldest).contains(&(at - last.at));
        Ok(self.last.as_ref().filter(is_near).map(|last| (last, last.at == at)))
    }
}
