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

    /// The same for a configstring that is told now: what is to come comes at its moment; what has been was as long ago as
    /// the recording says.
    pub(super) fn told_at(&self, ms: i32, now: Option<i32>) -> i32 {
        match now.filter(|now| ms <= *now) {
            Some(now) => ms.saturating_add(self.at(now).saturating_sub(now)),
            None => self.at(ms),
        }
    }
}
