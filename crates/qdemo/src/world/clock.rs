//! Clocks: each game's own, exactly as recorded, and the time since the recording began.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::error::Moment;
use crate::json::decimal;
use crate::kinds::kinds;

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
        let micros =
            |v: f64| if (0.0..1e12).contains(&v) { Ok(DemoTime((v * 1e6).round() as i64)) } else { Err(bad()) };
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

/// As `1:02.345`, with hours in front where there are any.
impl fmt::Display for DemoTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.ms();
        let (s, ms) = (ms.div_euclid(1000), ms.rem_euclid(1000));
        let (minutes, s) = (s / 60, s % 60);
        match minutes / 60 {
            0 => write!(f, "{minutes}:{s:02}.{ms:03}"),
            hours => write!(f, "{hours}:{:02}:{s:02}.{ms:03}", minutes % 60),
        }
    }
}

kinds! {
    /// Whose clock a [`Clock::now`] is.
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Clock {
    /// Whose clock `now` is.
    #[serde(rename = "clock")]
    pub kind: ClockKind,
    /// What it shows, as recorded. `None` before the first moment.
    #[serde(flatten, serialize_with = "ms_and_seconds")]
    pub now: Option<Moment>,
    /// Number of the server's frame, where the format has one; in `.mvd2` counted since the recording began, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<i64>,
    /// Time since the recording began.
    #[serde(rename = "demo_ms")]
    pub demo: DemoTime,
}

/// As `time_ms`, null before the first moment, and `time` where that is in seconds.
fn ms_and_seconds<S: Serializer>(now: &Option<Moment>, serializer: S) -> Result<S::Ok, S::Error> {
    moments(&[("time", *now)]).serialize(serializer)
}

/// Moments of a game's clock as JSON, each under two keys: `NAME_ms` in milliseconds, null where there is none, and `NAME` in
/// seconds as recorded, where the clock counts seconds.
pub(crate) fn moments(all: &[(&str, Option<Moment>)]) -> Map<String, Value> {
    let mut map = Map::new();
    for (name, moment) in all {
        map.insert(format!("{name}_ms"), json!(moment.and_then(whole_ms)));
        if let Some(seconds) = moment.and_then(|moment| match moment {
            Moment::Seconds(seconds) => decimal(Some(seconds)),
            Moment::Milliseconds(_) => None,
        }) {
            map.insert((*name).to_owned(), seconds.into());
        }
    }
    map
}

/// From one moment of a game's clock to another, in the same way, and `length_ms`.
pub(crate) fn stretch(from: Option<Moment>, to: Option<Moment>) -> Map<String, Value> {
    let mut map = moments(&[("from", from), ("to", to)]);
    let length = from.and_then(whole_ms).zip(to.and_then(whole_ms)).map(|(from, to)| to - from);
    map.insert("length_ms".to_owned(), length.into());
    map
}

impl Clock {
    /// What the clock shows in milliseconds: exact where the game counts them, else rounded. `None` before the first
    /// moment, and for numbers that are no time.
    pub fn ms(&self) -> Option<i64> {
        whole_ms(self.now?)
    }
}

fn whole_ms(moment: Moment) -> Option<i64> {
    match moment {
        Moment::Milliseconds(ms) => Some(ms.into()),
        Moment::Seconds(s) => s.is_finite().then(|| (f64::from(s) * 1000.0).round() as i64),
    }
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
        if now.is_finite() { self.micros((f64::from(now) * 1e6).round() as i64) } else { self.at }
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
        assert_eq!(DemoTime(1_499).ms(), 1);
        assert_eq!(DemoTime(1_500).ms(), 2);
    }
}
