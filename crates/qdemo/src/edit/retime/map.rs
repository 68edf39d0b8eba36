//! Which moment of a recording is shown when.

use super::refused;
use crate::error::Result;
use crate::world::DemoTime;

/// A part of a [`TimeMap`]: what is shown for a while. Moments are counted from the beginning of the recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// What lies between two moments, the second one excluded.
    Play {
        /// The first moment.
        from: DemoTime,
        /// The moment behind it, or [`TimeMap::END`].
        to: DemoTime,
        /// Seconds of the recording in a second: 0.5 is slow motion.
        speed: f64,
    },
    /// One moment, standing still.
    Hold {
        /// The moment.
        at: DemoTime,
        /// How long.
        length: DemoTime,
    },
    /// What lies between two moments, backwards.
    Back {
        /// The later moment, or [`TimeMap::END`].
        from: DemoTime,
        /// The earlier one.
        to: DemoTime,
        /// Seconds of the recording in a second.
        speed: f64,
    },
}

impl Part {
    /// How long it takes to show it; [`TimeMap::END`] where it goes to an end that is not known yet.
    pub fn length(&self) -> DemoTime {
        let (one, other, speed) = match *self {
            Part::Hold { length, .. } => return length,
            Part::Play { from, to, speed } => (from, to, speed),
            Part::Back { from, to, speed } => (to, from, speed),
        };
        if other == TimeMap::END { TimeMap::END } else { DemoTime(((other.0 - one.0) as f64 / speed).round() as i64) }
    }
}

/// A retiming: which moment of the input is shown at a moment of the output, and what the game's clock shows then.
///
/// The output plays the parts one after the other. Each is a line: within it, time of the output and time of the input
/// go on in step.
///
/// ```
/// use qdemo::{edit::TimeMap, world::DemoTime};
/// let s = |seconds: i64| DemoTime::from_ms(1000 * seconds);
/// let slow = TimeMap::speed(0.5, Some((s(10), s(20)))).unwrap();
/// assert_eq!(slow.input(s(5)), s(5));
/// assert_eq!(slow.input(s(14)), s(12));
/// assert_eq!(slow.input(s(31)), s(21));
/// let twice = TimeMap::repeat(s(10), s(20), 2).unwrap();
/// assert_eq!(twice.input(s(25)), s(15));
/// let back = TimeMap::reverse(Some((s(10), s(20)))).unwrap();
/// assert_eq!(back.input(s(12)), s(18));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMap {
    parts: Vec<Part>,
    /// What is added to the game's clock, in microseconds.
    shift: i64,
}

impl TimeMap {
    /// Behind every moment: the end of the recording.
    pub const END: DemoTime = DemoTime(i64::MAX);
    /// Slower or faster than this by as much is no speed.
    const MOST: f64 = 1000.0;
    /// So often may a part be repeated.
    const REPEATED: u32 = 10_000;

    /// Everything as it was.
    pub fn identity() -> Self {
        TimeMap { parts: vec![Part::Play { from: DemoTime(0), to: Self::END, speed: 1.0 }], shift: 0 }
    }

    /// Plays the recording, or what lies between two moments of it, at another speed: 0.5 takes twice as long.
    ///
    /// # Errors
    /// A speed that is not between 0.001 and 1000, an end that is not behind the beginning.
    pub fn speed(speed: f64, range: Option<(DemoTime, DemoTime)>) -> Result<Self> {
        if !(1.0 / Self::MOST..=Self::MOST).contains(&speed) {
            return Err(refused("a speed lies between 0.001 and 1000: name another one"));
        }
        let (from, to) = range.unwrap_or((DemoTime(0), Self::END));
        Self::around(from, to, [Part::Play { from, to, speed }])
    }

    /// Plays what lies between two moments so many times.
    ///
    /// # Errors
    /// An end that is not behind the beginning, a number that is not between 1 and 10000.
    pub fn repeat(from: DemoTime, to: DemoTime, times: u32) -> Result<Self> {
        if !(1..=Self::REPEATED).contains(&times) {
            return Err(refused("a part is played between 1 and 10000 times: name such a number"));
        }
        Self::around(from, to, (0..times).map(|_| Part::Play { from, to, speed: 1.0 }))
    }

    /// Stands still for a while. Where nothing has been shown by then, the first frame stands still.
    ///
    /// # Errors
    /// A moment in front of the beginning, a time that is negative or longer than a day.
    pub fn freeze(at: DemoTime, length: DemoTime) -> Result<Self> {
        if at.0 < 0 || length.0 < 0 {
            return Err(refused("a moment and how long it stands still are 0 or more: name such times"));
        }
        if length > DemoTime::from_ms(86_400_000) {
            return Err(refused("a recording stands still for a day at most: name a shorter time"));
        }
        let parts = vec![
            Part::Play { from: DemoTime(0), to: at, speed: 1.0 },
            Part::Hold { at, length },
            Part::Play { from: at, to: Self::END, speed: 1.0 },
        ];
        Ok(TimeMap { parts, shift: 0 })
    }

    /// Plays the recording backwards, or what lies between two moments: then what is in front of and behind it stays as it
    /// is.
    ///
    /// # Errors
    /// An end that is not behind the beginning.
    pub fn reverse(range: Option<(DemoTime, DemoTime)>) -> Result<Self> {
        let (from, to) = range.unwrap_or((DemoTime(0), Self::END));
        Self::around(from, to, [Part::Back { from: to, to: from, speed: 1.0 }])
    }

    /// Changes nothing but what the game's clock shows, by so many milliseconds: 24 days at most, see
    /// [`retime`](crate::edit::retime).
    pub fn shift(ms: i64) -> Self {
        TimeMap { shift: ms.saturating_mul(1000), ..Self::identity() }
    }

    /// In the place of what lies between two moments, these parts.
    fn around(from: DemoTime, to: DemoTime, parts: impl IntoIterator<Item = Part>) -> Result<Self> {
        if to <= from || from.0 < 0 {
            return Err(refused("the part ends where it begins, or before: name a later end"));
        }
        let before = Part::Play { from: DemoTime(0), to: from, speed: 1.0 };
        let behind = Part::Play { from: to, to: Self::END, speed: 1.0 };
        let before = Some(before).filter(|_| from > DemoTime(0));
        let behind = Some(behind).filter(|_| to != Self::END);
        Ok(TimeMap { parts: before.into_iter().chain(parts).chain(behind).collect(), shift: 0 })
    }

    /// The parts, in the order in which they are shown.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// What is added to the game's clock.
    pub fn shift_ms(&self) -> i64 {
        self.shift / 1000
    }

    /// The same map of a recording that is so long: no part goes to an end that is not known.
    #[must_use]
    pub fn of_length(&self, length: DemoTime) -> Self {
        let end = DemoTime(length.0.saturating_add(1));
        let mut map = self.clone();
        for part in &mut map.parts {
            match part {
                Part::Play { to, .. } => *to = (*to).min(end),
                // The last moment is shown first.
                Part::Back { from, .. } => *from = (*from).min(length),
                Part::Hold { .. } => {}
            }
        }
        map
    }

    /// The moment of the input that is shown at a moment of the output; the last one behind the end.
    pub fn input(&self, output: DemoTime) -> DemoTime {
        let mut left = output.0.max(0);
        let mut last = DemoTime(0);
        for part in &self.parts {
            let length = part.length();
            let inside = left < length.0;
            let at = left.min(length.0);
            last = match *part {
                Part::Play { from, speed, .. } => DemoTime(from.0.saturating_add((at as f64 * speed).round() as i64)),
                Part::Hold { at, .. } => at,
                Part::Back { from, speed, .. } => DemoTime(from.0.saturating_sub((at as f64 * speed).round() as i64)),
            };
            if inside {
                return last;
            }
            left -= length.0;
        }
        last
    }

    /// True when the output is the input.
    pub(super) fn is_identity(&self) -> bool {
        let plays = |part: &Part| matches!(part, Part::Play { speed, .. } if *speed == 1.0);
        self.shift == 0 && self.is_forward() && self.parts.iter().all(plays)
    }

    /// True when no part goes back, so that the recording can be read as it comes.
    pub(super) fn is_forward(&self) -> bool {
        let mut at = DemoTime(0);
        self.parts.iter().all(|part| match *part {
            Part::Play { from, to, .. } => std::mem::replace(&mut at, to) == from,
            Part::Hold { at: moment, .. } => moment == at,
            Part::Back { .. } => false,
        })
    }

    /// True when something is shown that no block of the input shows.
    pub(super) fn stands_still(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Hold { .. }))
    }

    /// True when something is slower than it was.
    pub(super) fn is_slow(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Play { speed, .. } | Part::Back { speed, .. } => *speed < 1.0,
            Part::Hold { .. } => true,
        })
    }

    pub(super) fn shift_us(&self) -> i64 {
        self.shift
    }
}

/// The part that is shown, as a line: time of the output for time of the input, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// Where it begins in the output, and in the input.
    pub(super) begin: i64,
    pub(super) from: i64,
    /// Time of the input in time of the output; negative for one that goes back, 0 for one that stands still.
    pub(super) speed: f64,
    /// What is taken off the game's clock: it begins each level as recorded.
    pub(super) level: i64,
    /// What is added to it.
    pub(super) shift: i64,
}

impl Line {
    pub(super) fn new(map: &TimeMap) -> Self {
        Line { begin: 0, from: 0, speed: 1.0, level: 0, shift: map.shift_us() }
    }

    /// Goes on with a part, from a time of the output on.
    pub(super) fn enter(&mut self, part: &Part, begin: i64) {
        self.begin = begin;
        (self.from, self.speed) = match *part {
            Part::Play { from, speed, .. } => (from.0, speed),
            Part::Hold { at, .. } => (at.0, 0.0),
            Part::Back { from, speed, .. } => (from.0, -speed),
        };
    }

    /// The time of the output at which a moment of the input is shown.
    pub(super) fn out(&self, t: i64) -> i64 {
        let since = t.saturating_sub(self.from);
        let since = match self.speed {
            1.0 => since,
            0.0 => 0,
            speed => (since as f64 / speed).round() as i64,
        };
        self.begin.saturating_add(since)
    }

    /// What is added to the game's clock at a moment of the input that is shown at a moment of the output.
    pub(super) fn offset_at(&self, t: i64, out: i64) -> i64 {
        out.saturating_sub(t).saturating_sub(self.level).saturating_add(self.shift)
    }

    /// What is added to the game's clock at a moment of the input.
    pub(super) fn offset(&self, t: i64) -> i64 {
        self.offset_at(t, self.out(t))
    }

    /// A level begins at a moment: its clock begins as recorded.
    pub(super) fn begin_level(&mut self, t: i64, out: i64) {
        self.level = out.saturating_sub(t);
    }

    /// True when nothing is changed.
    pub(super) fn is_still(&self) -> bool {
        self.speed == 0.0
    }
}
