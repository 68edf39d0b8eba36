//! Clocks: each game's own, exactly as recorded, and the time since the recording began.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::error::Moment;
use crate::json::decimal;
use crate::kinds::kinds;

/// So many seconds, 30,000 years, are no time of a recording.
const NO_TIME: f64 = 1e12;

/// Time since the first moment that a recording shows, in microseconds. It never runs backwards: where the game's own
/// clock does, as at a change of level, it stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DemoTime(pub i64);

impl DemoTime {
    /// Whole milliseconds, as JSON and tables have them. Exact where the game counts milliseconds.
    pub fn ms(self) -> i64 {
        self.0.saturating_add(500).div_euclid(1000)
    }

    /// From milliseconds.
    pub fn from_ms(ms: i64) -> Self {
        DemoTime(ms.saturating_mul(1000))
    }

    /// In seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// As people write a time: `90`, `1:30`, `1:02:03.5`, `90s`, `1500ms`.
///
/// ```
/// use qdemo::world::DemoTime;
/// assert_eq!("1:30".parse(), Ok(DemoTime::from_ms(90_000)));
/// assert!("1:60".parse::<DemoTime>().is_err());
/// ```
impl FromStr for DemoTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with('-') {
            return Err("a time counts from the beginning and is never negative: 90, 1:30, 1500ms".to_owned());
        }
        let bad = || "a time is written 90, 1:30, 1:02:03.5, 90s or 1500ms".to_owned();
        let is_time = |v: f64| (0.0..NO_TIME).contains(&v);
        let micros = |v: f64| if is_time(v) { Ok(DemoTime((v * 1e6).round() as i64)) } else { Err(bad()) };
        let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            true => text.parse::<f64>().map_err(|_| bad()),
            false => Err(bad()),
        };
        if let Some(ms) = text.strip_suffix("ms") {
            return micros(number(ms)? / 1000.0);
        }
        let text = text.strip_suffix('s').unwrap_or(text);
        let parts: Vec<_> = text.split(':').collect();
        if parts.len() > 3 {
            return Err(bad());
        }
        let mut seconds = 0.0;
        for (n, part) in parts.iter().enumerate() {
            let value = number(part)?;
            let last = n + 1 == parts.len();
            if n > 0 && value >= 60.0 || !last && part.contains('.') {
                return Err(bad());
            }
            seconds = seconds * 60.0 + value;
        }
        micros(seconds)
    }
}

/// As whole milliseconds.
impl Serialize for DemoTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.ms().serialize(serializer)
    }
}

impl JsonSchema for DemoTime {
    fn schema_name() -> Cow<'static, str> {
        "DemoTime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        i64::json_schema(generator)
    }
}

/// As `1:02.345`, with hours in front where there are any, and a sign where it is less than 0.
impl fmt::Display for DemoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.ms() < 0 { "-" } else { "" };
        let ms = self.ms().unsigned_abs();
        let (s, ms) = (ms / 1000, ms % 1000);
        let (minutes, s) = (s / 60, s % 60);
        match minutes / 60 {
            0 => write!(f, "{sign}{minutes}:{s:02}.{ms:03}"),
            hours => write!(f, "{sign}{hours}:{:02}:{s:02}.{ms:03}", minutes % 60),
        }
    }
}

kinds! {
    /// Whose clock a time is on.
    #[non_exhaustive]
    pub enum ClockKind {
        /// The server's: seconds in Quake, milliseconds in Quake III, frames of a tenth of a second in Quake II.
        Server = "server",
        /// That of the recording client, in seconds: `.qwd`.
        Recorder = "recorder",
        /// Milliseconds since the recording began: `.mvd`, and `.mvd2`, which has frames to count and no clock.
        Recording = "recording",
    }
}

/// The time of a moment on all clocks that there are.
///
/// Every JSON line has it: `clock`, whose clock it is; `time_ms`, what it shows; `time`, the same in seconds where it is
/// recorded so; `demo_ms` since the recording began; `frame` where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Clock {
    /// Whose clock `now` is.
    #[serde(rename = "clock")]
    pub kind: ClockKind,
    /// What it shows, as recorded. `None` before the first moment.
    #[serde(flatten, serialize_with = "ms_and_seconds")]
    #[schemars(with = "Time")]
    pub now: Option<Moment>,
    /// Number of the server's frame, where the format has one; in `.mvd2` counted since the recording began, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<i64>,
    /// Time since the first moment of the recording, in milliseconds. It never runs backwards.
    #[serde(rename = "demo_ms")]
    pub demo: DemoTime,
}

fn ms_and_seconds<S: Serializer>(now: &Option<Moment>, serializer: S) -> Result<S::Ok, S::Error> {
    Time::of(*now).serialize(serializer)
}

// Moments of a game's clock as JSON have two keys each: `NAME_ms`, null where there is none, and `NAME` in seconds.

/// What the game's clock shows at a moment.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Time {
    /// What the game's own clock shows, in milliseconds, rounded where the game counts seconds; `clock` says whose clock it
    /// is. Null before the first moment, and for numbers that are no time.
    time_ms: Option<i64>,
    /// The same in seconds, as recorded; only where the game has seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
}

impl Time {
    pub(crate) fn of(now: Option<Moment>) -> Self {
        let (time_ms, time) = both(now);
        Time { time_ms, time }
    }
}

/// What the game's clock shows at two moments.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FromTo {
    /// What the game's own clock shows at the beginning, in milliseconds.
    from_ms: Option<i64>,
    /// The same in seconds, as recorded; only where the game has seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<f64>,
    /// What it shows at the end, in milliseconds.
    to_ms: Option<i64>,
    /// The same in seconds, as recorded; only where the game has seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<f64>,
}

impl FromTo {
    pub(crate) fn of(from: Option<Moment>, to: Option<Moment>) -> Self {
        let ((from_ms, from), (to_ms, to)) = (both(from), both(to));
        FromTo { from_ms, from, to_ms, to }
    }
}

/// From one moment of a game's clock to another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Stretch {
    #[serde(flatten)]
    from_to: FromTo,
    /// From the one to the other, in milliseconds; less than 0 where the clock ran backwards.
    length_ms: Option<i64>,
}

impl Stretch {
    pub(crate) fn of(begin: Option<Moment>, end: Option<Moment>) -> Self {
        let from_to = FromTo::of(begin, end);
        let length_ms = from_to.from_ms.zip(from_to.to_ms).map(|(from, to)| to - from);
        Stretch { from_to, length_ms }
    }

    pub(crate) fn length_ms(&self) -> Option<i64> {
        self.length_ms
    }
}

/// Where a level lies, and on whose clock that is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OnClock {
    /// Whose clock the times of the level are on.
    pub(crate) clock: ClockKind,
    #[serde(flatten)]
    pub(crate) stretch: Stretch,
}

impl OnClock {
    pub(crate) fn of(clock: ClockKind, begin: Option<Moment>, end: Option<Moment>) -> Self {
        OnClock { clock, stretch: Stretch::of(begin, end) }
    }
}

/// The same of a level that somebody may have finished.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Finished {
    #[serde(flatten)]
    on_clock: OnClock,
    /// What the clock shows at the first intermission or end text, in milliseconds; null where there is none.
    finished_ms: Option<i64>,
    /// The same in seconds, as recorded; only where the game has seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<f64>,
}

impl Finished {
    pub(crate) fn of(on_clock: OnClock, at: Option<Moment>) -> Self {
        let (finished_ms, finished) = both(at);
        Finished { on_clock, finished_ms, finished }
    }
}

/// A moment in milliseconds, and as it was recorded where that is in seconds.
fn both(moment: Option<Moment>) -> (Option<i64>, Option<f64>) {
    let seconds = moment.and_then(|moment| match moment {
        Moment::Seconds(seconds) => decimal(Some(seconds)),
        Moment::Milliseconds(_) => None,
    });
    (moment.and_then(whole_ms), seconds)
}

impl Clock {
    /// What the clock shows in milliseconds: exact where the game counts them, else rounded. `None` before the first
    /// moment, and for numbers that are no time.
    pub fn ms(&self) -> Option<i64> {
        whole_ms(self.now?)
    }

    /// What the clock shows in seconds, as recorded; `None` where the game counts milliseconds.
    pub fn seconds(&self) -> Option<f32> {
        match self.now? {
            Moment::Seconds(seconds) => Some(seconds),
            Moment::Milliseconds(_) => None,
        }
    }
}

fn whole_ms(moment: Moment) -> Option<i64> {
    match moment {
        Moment::Milliseconds(ms) => Some(ms.into()),
        // What is further is damage: no clock shows it.
        Moment::Seconds(s) => (f64::from(s).abs() < NO_TIME).then(|| (f64::from(s) * 1000.0).round() as i64),
    }
}

/// Seconds of a clock in whole microseconds. Damage may tell anything for them: any two of these can be subtracted.
pub(crate) fn microseconds(seconds: f32) -> i64 {
    const FARTHEST: f64 = 1e18;
    (f64::from(seconds) * 1e6).round().clamp(-FARTHEST, FARTHEST) as i64
}

/// Makes a [`DemoTime`] of a clock that may stop, jump and run backwards.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct DemoClock {
    at: DemoTime,
    last: Option<i64>,
}

impl DemoClock {
    /// A step that is no step of a game but damage: 10 days.
    const ABSURD: i64 = 864_000_000_000;

    /// The clock shows so many microseconds.
    pub(crate) fn micros(&mut self, now: i64) -> DemoTime {
        let step = now.saturating_sub(self.last.replace(now).unwrap_or(now));
        if (0..Self::ABSURD).contains(&step) {
            self.at.0 = self.at.0.saturating_add(step);
        }
        self.at
    }

    /// The clock shows so many seconds.
    pub(crate) fn seconds(&mut self, now: f32) -> DemoTime {
        if now.is_finite() { self.micros(microseconds(now)) } else { self.at }
    }

    /// The clock shows so many milliseconds.
    pub(crate) fn ms(&mut self, now: i64) -> DemoTime {
        self.micros(now.saturating_mul(1000))
    }

    /// The clock begins anew: whatever it shows next is now.
    pub(crate) fn restart(&mut self) {
        self.last = None;
    }

    /// The time now.
    pub(crate) fn now(&self) -> DemoTime {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_clock_shows_has_no_milliseconds() {
        let of = |from: f32, to: f32| Stretch::of(Some(Moment::Seconds(from)), Some(Moment::Seconds(to)));
        assert_eq!(of(1.5, 3.0).length_ms, Some(1500));
        for (from, to) in [(f32::MIN, f32::MAX), (-1e30, 1.0), (1.0, f32::INFINITY), (f32::NAN, 1.0)] {
            assert_eq!(of(from, to).length_ms, None, "{from} to {to}");
        }
    }

    #[test]
    fn time_never_runs_backwards() {
        let mut clock = DemoClock::default();
        assert_eq!(clock.ms(5000).ms(), 0);
        assert_eq!(clock.ms(5100).ms(), 100);
        // A new level: the server counts from 0.
        assert_eq!(clock.ms(0).ms(), 100);
        assert_eq!(clock.ms(50).ms(), 150);
        clock.restart();
        assert_eq!(clock.ms(90_000).ms(), 150);
        assert_eq!(clock.seconds(f32::NAN).ms(), 150);
        assert_eq!(clock.seconds(f32::INFINITY).ms(), 150);
    }

    #[test]
    fn times_as_people_write_them() {
        let ms = |text: &str| text.parse::<DemoTime>().map(DemoTime::ms);
        assert_eq!(ms("90"), Ok(90_000));
        assert_eq!(ms("1:30"), Ok(90_000));
        assert_eq!(ms("1:02:03.5"), Ok(3_723_500));
        assert_eq!(ms("90.25s"), Ok(90_250));
        assert_eq!(ms("1500ms"), Ok(1_500));
        for bad in ["", "x", "1:60", "1.5:00", "1:2:3:4", "-1", "1e9", "99999999999999"] {
            assert!(ms(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_for_people() {
        assert_eq!(DemoTime::from_ms(62_345).to_string(), "1:02.345");
        assert_eq!(DemoTime::from_ms(3_662_005).to_string(), "1:01:02.005");
        // Lengths and differences are written so, too.
        assert_eq!(DemoTime::from_ms(-11_300).to_string(), "-0:11.300");
        assert_eq!(DemoTime::from_ms(-62_345).to_string(), "-1:02.345");
        assert_eq!(DemoTime(1_499).ms(), 1);
        assert_eq!(DemoTime(1_500).ms(), 2);
    }
}
