//! A place in a recording, on any of the clocks that it has.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::world::{Clock, ClockKind, DemoTime};

/// A place in a recording, as a person names it. Times are whole milliseconds, rounded as in everything that is told of a
/// recording: whatever time is told of a moment names that moment.
///
/// | text | place |
/// |---|---|
/// | `1:30`, `90`, `1500ms` | time since the recording began |
/// | `server:754.25`, `recorder:5:00`, `recording:90000ms` | what the game's clock shows, whose it is named; `clock:` for whichever it is |
/// | `frame:1234` | number of the server's frame: Quake II |
/// | `block:55` | number of the block; in `.mvd` of the record |
/// | `start`, `end` | the first, the last block |
///
/// ```
/// use qdemo::{replay::Position, world::DemoTime};
/// assert_eq!("1:30".parse(), Ok(Position::Demo(DemoTime::from_ms(90_000))));
/// assert_eq!("frame:12".parse(), Ok(Position::Frame(12)));
/// assert_eq!("server:12.5".parse::<Position>().unwrap().to_string(), "server:0:12.500");
/// assert!("noon".parse::<Position>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Position {
    /// The beginning.
    Start,
    /// So long after the recording began.
    Demo(DemoTime),
    /// The game's clock shows so many milliseconds, in the first level in which it comes to that. The clock must be of that
    /// kind, where one is named.
    Clock(Option<ClockKind>, i64),
    /// The frame with that number.
    Frame(i64),
    /// The block with that number.
    Block(u64),
    /// The end.
    End,
}

/// A part of a recording, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first block that reaches this place is the first one of the part.
    pub from: Position,
    /// The last block that is not past this place is the last one.
    pub to: Position,
}

impl Range {
    /// All of a recording.
    pub const ALL: Range = Range { from: Position::Start, to: Position::End };

    /// True for a block of the part: its number, and the time after it.
    pub fn contains(&self, block: Option<u64>, clock: &Clock) -> bool {
        self.from.is_reached(block, clock) && !self.to.is_passed(block, clock)
    }

    /// Says whether anything can lie between both places, as far as that is known without a recording.
    ///
    /// # Errors
    /// An end in front of the beginning.
    pub fn check_order(&self) -> Result<()> {
        let backwards = match (self.from, self.to) {
            (Position::Demo(from), Position::Demo(to)) => from.ms() > to.ms(),
            // A clock may be set back: the end is then looked for behind the beginning.
            (Position::Frame(from), Position::Frame(to)) => from > to,
            (Position::Block(from), Position::Block(to)) => from > to,
            (Position::End, to) => to != Position::End,
            _ => false,
        };
        if backwards {
            let what = format!("nothing lies between: {} is in front of {}", self.to, self.from);
            return Err(Error::new(ErrorKind::Absent(what)));
        }
        Ok(())
    }

    /// Says whether a recording with such a clock can have both places, and whether anything can lie between them.
    ///
    /// ```
    /// use qdemo::{replay::{Position, Range}, world::{Clock, Scene}};
    /// # fn main() -> qdemo::Result<()> {
    /// # let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
    /// # let clock = qdemo::replay::at(demo, "ez-dm.mvd", qdemo::Limits::default(), None)?.0.clock();
    /// let range = |from: &str, to: &str| Range { from: from.parse().unwrap(), to: to.parse().unwrap() };
    /// assert!(range("0:30", "block:100").check(&clock).is_ok());
    /// assert!(range("0:30", "0:20").check(&clock).is_err());
    /// assert!(range("frame:1", "end").check(&clock).is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// A clock that the recording does not have; an end in front of the beginning.
    pub fn check(&self, clock: &Clock) -> Result<()> {
        self.from.check(clock)?;
        self.to.check(clock)?;
        self.check_order()
    }
}

impl From<DemoTime> for Position {
    fn from(time: DemoTime) -> Self {
        Position::Demo(time)
    }
}

impl Position {
    /// True when a block stands at this place or behind it: its number, and the time after it.
    pub fn is_reached(&self, block: Option<u64>, clock: &Clock) -> bool {
        match self {
            Position::Start => true,
            Position::Demo(time) => clock.demo.ms() >= time.ms(),
            Position::Clock(_, ms) => clock.ms().is_some_and(|now| now >= *ms),
            Position::Frame(number) => clock.frame.is_some_and(|now| now >= *number),
            Position::Block(number) => block.is_some_and(|now| now >= *number),
            Position::End => false,
        }
    }

    /// True when a block stands behind this place.
    pub fn is_passed(&self, block: Option<u64>, clock: &Clock) -> bool {
        match self {
            Position::Start => clock.demo.ms() > 0,
            Position::Demo(time) => clock.demo.ms() > time.ms(),
            Position::Clock(_, ms) => clock.ms().is_some_and(|now| now > *ms),
            Position::Frame(number) => clock.frame.is_some_and(|now| now > *number),
            Position::Block(number) => block.is_some_and(|now| now > *number),
            Position::End => false,
        }
    }

    /// Says whether a recording with such a clock can have the place.
    ///
    /// # Errors
    /// A clock that it does not have.
    pub fn check(&self, clock: &Clock) -> Result<()> {
        match self {
            Position::Clock(Some(kind), _) if *kind != clock.kind => {
                let (asked, has) = (kind.name(), clock.kind.name());
                let what = format!("this recording has no clock of the {asked}: write {has}: in front of the time");
                Err(Error::new(ErrorKind::Absent(what)))
            }
            Position::Frame(_) if clock.now.is_some() && clock.frame.is_none() => {
                let what = "frames of this recording have no numbers: name a time or a block";
                Err(Error::new(ErrorKind::Absent(what.to_owned())))
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let clock = |kind, time: &str| Ok(Position::Clock(kind, time.parse::<DemoTime>()?.ms()));
        let whole = |what: &str| format!("{what}: needs a whole number behind it");
        match text.split_once(':') {
            None if text == "start" => Ok(Position::Start),
            None if text == "end" => Ok(Position::End),
            Some(("clock", time)) => clock(None, time),
            Some(("server", time)) => clock(Some(ClockKind::Server), time),
            Some(("recorder", time)) => clock(Some(ClockKind::Recorder), time),
            Some(("recording", time)) => clock(Some(ClockKind::Recording), time),
            Some(("frame", number)) => number.parse().map(Position::Frame).map_err(|_| whole("frame")),
            Some(("block", number)) => number.parse().map(Position::Block).map_err(|_| whole("block")),
            _ => text.parse().map(Position::Demo).map_err(|times| {
                format!(
                    "{times}; of another clock server:90, recorder:90, recording:90; or frame:12, block:12, start, end"
                )
            }),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Start => write!(f, "start"),
            Position::Demo(time) => write!(f, "{time}"),
            Position::Clock(kind, ms) => {
                write!(f, "{}:{}", kind.map_or("clock", |kind| kind.name()), DemoTime::from_ms(*ms))
            }
            Position::Frame(number) => write!(f, "frame:{number}"),
            Position::Block(number) => write!(f, "block:{number}"),
            Position::End => write!(f, "end"),
        }
    }
}
