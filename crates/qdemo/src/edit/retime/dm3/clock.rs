//! The clock of the output.

use crate::edit::retime::map::Line;
use crate::edit::retime::refused;
use crate::error::Result;

/// What the clock of the output shows when that of the input shows a time.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Clock {
    pub(super) line: Line,
    /// How fast things move: 0 where they stand still.
    pub(super) speed: f64,
    /// What the input's time is before its clock, in microseconds; `None` while it is not known.
    pub(super) before: Option<i64>,
    /// At a time of the output: everything is as much later.
    pub(super) fixed: Option<i64>,
}

impl Clock {
    pub(super) fn micros(&self, ms: i32) -> i64 {
        let clock = i64::from(ms) * 1000;
        match (self.fixed, self.before) {
            (Some(offset), _) => clock.saturating_add(offset),
            (None, Some(before)) => clock.saturating_add(self.line.offset(clock.saturating_add(before))),
            (None, None) => clock.saturating_add(self.line.shift),
        }
    }

    pub(super) fn at(&self, ms: i32) -> i32 {
        let now = self.micros(ms).saturating_add(500).div_euclid(1000);
        now.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    /// The milliseconds that a snapshot has for a time of the output's clock.
    ///
    /// # Errors
    /// A time that is more than it can tell.
    pub(super) fn ms(micros: i64) -> Result<i32> {
        let ms = micros.saturating_add(500).div_euclid(1000);
        let most = i32::MAX;
        i32::try_from(ms.max(i32::MIN.into())).map_err(|_| {
            refused(format!(
                "the game's clock would be {ms} ms, and a snapshot can tell {most} at most: shift it by less"
            ))
        })
    }

    /// What was as long before a time as the recording says.
    fn as_long_before(&self, now: i32, ms: i32) -> i32 {
        ms.saturating_add(self.at(now).saturating_sub(now))
    }
}

/// The clocks that a level has had in the output, each from a time of the input on.
///
/// Servers tell the same time of a configstring again, while it is to come and when it has been: in the output, too, it is
/// one time then, whatever became of the speed.
#[derive(Default)]
pub(super) struct Clocks {
    all: Vec<(i32, Clock)>,
}

impl Clocks {
    /// A level begins: nothing of it has been shown.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// From a time of the input on this is the clock.
    pub(super) fn go_on(&mut self, from: i32, clock: Clock) {
        if self.all.last().is_none_or(|(_, last)| *last != clock) {
            self.all.push((from, clock));
        }
    }

    /// The time in the output of one in a configstring that is told now, on a clock. What is to come comes at its moment; what
    /// has been was when the output showed it; what was before the level is shown was as long before as the recording says.
    pub(super) fn told_at(&self, ms: i32, now: Option<i32>, clock: Clock) -> i32 {
        let Some(now) = now.filter(|now| ms <= *now) else { return clock.at(ms) };
        if clock.speed < 0.0 {
            return clock.as_long_before(now, ms);
        }
        let (past, later) = self.all.split_at(self.all.iter().rposition(|(from, _)| *from <= ms).map_or(0, |n| n + 1));
        match (past.last(), later.first()) {
            // Between two parts that leave something out lies nothing.
            (Some((_, clock)), Some((from, next))) => clock.at(ms).min(next.at(*from)),
            (Some((_, clock)), None) => clock.at(ms),
            (None, Some((from, first))) => first.as_long_before(*from, ms),
            (None, None) => clock.as_long_before(now, ms),
        }
    }
}
