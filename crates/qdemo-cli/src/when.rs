//! On which clock times are given and shown, and of which match.

use std::io::Read;

use clap::ValueEnum;
use qdemo::Limits;
use qdemo::error::{Error, ErrorKind};
use qdemo::replay::timeline::{SpanKind, Timeline, timeline};
use qdemo::replay::{Position, Range};
use qdemo::world::{Clock, DemoTime, Scene};
use qdemo_inputs::{Item, LenientReader, Wanted, open_one};
use schemars::JsonSchema;
use serde::Serialize;

use crate::clips::Again;
use crate::show::moment;

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct When {
    /// The clock on which times are shown, and given where they name none
    #[arg(long, value_enum, default_value_t = OnClock::Demo, hide_default_value = true)]
    clock: OnClock,

    /// Only this match, counted from 1 as `timeline` lists them
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    number: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnClock {
    /// Since the beginning of the recording (the default)
    Demo,
    /// What the game's own clock shows
    #[value(alias = "game")]
    Server,
    /// Since the match began in which it is, without the time in which it stood still
    Match,
    /// Since the level began in which it is
    Level,
}

/// A part of a recording.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Between {
    /// Only from this place on: a time from the beginning of the recording as 90, 1:30, 1500ms, on the game's own clock as
    /// server:90, recorder:90, recording:90, clock:90; or frame:12, block:12
    #[arg(
        long,
        value_name = "PLACE",
        allow_negative_numbers = true,
        default_value = "start",
        hide_default_value = true
    )]
    from: Position,

    /// Only up to this place
    #[arg(long, value_name = "PLACE", allow_negative_numbers = true, default_value = "end", hide_default_value = true)]
    to: Position,
}

impl Between {
    pub(crate) fn range(self) -> Range {
        Range { from: self.from, to: self.to }
    }
}

/// The clock of times that are given, for verbs that ask for matches in a way of their own.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct GivenClock {
    /// The clock on which times are given that name none; --match N counts from that match, else from the first
    #[arg(long, value_enum, default_value_t = OnClock::Demo, hide_default_value = true)]
    clock: OnClock,
}

impl GivenClock {
    /// True for times that count from the beginning of a match.
    pub(crate) fn in_match(self) -> bool {
        self.clock == OnClock::Match
    }

    /// Times on this clock; `number` is that of a match, from 1.
    pub(crate) fn when(self, number: Option<u32>) -> When {
        When { clock: self.clock, number }
    }
}

/// Where the matches and levels of a recording lie.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    matches: Vec<[DemoTime; 2]>,
    levels: Vec<[DemoTime; 2]>,
    /// When the game stood still.
    pauses: Vec<[DemoTime; 2]>,
}

impl Parts {
    /// # Errors
    /// What reading gives.
    fn read(input: impl Read, name: &str, limits: Limits) -> qdemo::Result<Self> {
        Ok(Self::of(&timeline(input, name, limits)?))
    }

    pub(crate) fn of(timeline: &Timeline) -> Self {
        let all = |is: fn(&SpanKind) -> bool| {
            let spans = timeline.spans.iter().filter(|span| is(&span.kind));
            spans.map(|span| [span.from.demo, span.to.demo]).collect()
        };
        Parts {
            matches: all(|kind| matches!(kind, SpanKind::Match { .. })),
            levels: all(|kind| matches!(kind, SpanKind::Level { .. })),
            pauses: all(|kind| matches!(kind, SpanKind::Pause)),
        }
    }

    /// How much has been played of a match that began at one moment until another. Clients record on while it stands still;
    /// servers need not.
    fn played(&self, from: DemoTime, to: DemoTime) -> DemoTime {
        let still =
            self.pauses.iter().map(|[begin, end]| ((*end).min(to).0 - (*begin).max(from).0).max(0)).sum::<i64>();
        DemoTime(to.0 - from.0 - still)
    }

    /// The first moment at which so much of it has been played.
    fn when_played(&self, from: DemoTime, time: DemoTime) -> DemoTime {
        let mut at = from.0.saturating_add(time.0);
        for [begin, end] in self.pauses.iter().filter(|[_, end]| *end > from) {
            let begin = (*begin).max(from).0;
            if begin < at {
                at = at.saturating_add(end.0 - begin);
            }
        }
        DemoTime(at)
    }
}

/// When something happens in its match or level.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Since {
    /// With `--clock match`.
    Match {
        /// Milliseconds since its match began, without those in which it stood still; null where it is in none.
        match_ms: Option<i64>,
    },
    /// With `--clock level`.
    Level {
        /// Milliseconds since its level began; null where it is in none.
        level_ms: Option<i64>,
    },
    /// With another clock.
    Nothing {},
}

impl When {
    /// Where matches and levels lie, if that matters: then a recording is read once more, but from standard input, which
    /// can be read only once.
    ///
    /// # Errors
    /// Standard input, and what reading gives.
    pub(crate) fn parts(&self, item: &Item, limits: Limits) -> qdemo::Result<Parts> {
        if !self.needs_parts() {
            return Ok(Parts::default());
        }
        if item.is_stdin() {
            let what = "standard input can be read only once, and where its matches lie is not known: name a file";
            return Err(Error::new(ErrorKind::Absent(what.to_owned())));
        }
        let source = open_one(item, Some(Wanted::Demos), &limits).map_err(std::io::Error::other)?;
        Parts::read(&mut LenientReader::new(source), &item.to_string(), limits)
    }

    /// Places of a recording that is read once more where that is needed.
    ///
    /// # Errors
    /// A match or level that is not there, and what reading gives.
    pub(crate) fn places(&self, given: Range, again: &Again<'_>, name: &str) -> anyhow::Result<Range> {
        let read = |input: &mut dyn Read| Ok(Parts::read(input, name, again.limits)?);
        let parts = if self.needs_parts() { again.read(&mut Vec::new(), read)? } else { Parts::default() };
        Ok(self.places_in(given, &parts).map_err(|e| e.in_file(name))?)
    }

    /// Places of a recording in which matches and levels lie so.
    ///
    /// # Errors
    /// A match or level that is not there.
    pub(crate) fn places_in(&self, given: Range, parts: &Parts) -> qdemo::Result<Range> {
        if !self.needs_parts() {
            return Ok(self.range(given));
        }
        self.check(parts)?;
        // Of a match that is named all is meant.
        let whole = self.number.and_then(|number| parts.matches.get(number as usize - 1));
        let place = |given, bound: Position, of_match: Option<&DemoTime>| match of_match {
            Some(time) if given == bound => Ok(Position::Demo(*time)),
            _ => self.resolve(given, parts),
        };
        let from = place(given.from, Position::Start, whole.map(|[begin, _]| begin))?;
        Ok(Range { from, to: place(given.to, Position::End, whole.map(|[_, end]| end))? })
    }

    /// A time since the beginning of a recording, which is read once more where that is needed.
    ///
    /// # Errors
    /// A match or level that is not there, and what reading gives.
    pub(crate) fn time(&self, given: DemoTime, again: &Again<'_>, name: &str) -> anyhow::Result<DemoTime> {
        let given = Range { from: Position::Demo(given), to: Position::End };
        match self.places(given, again, name)?.from {
            Position::Demo(time) => Ok(time),
            place => {
                let limits = again.limits;
                let at = |input: &mut dyn Read| Ok(qdemo::replay::at(input, name, limits, Some(place))?);
                let (world, ..) = again.read(&mut Vec::new(), at)?;
                Ok(world.clock().demo)
            }
        }
    }

    /// True where finding a place may take reading a recording once more.
    pub(crate) fn reads_again(&self) -> bool {
        self.needs_parts() || self.clock == OnClock::Server
    }

    /// True where [`Parts`] are needed.
    pub(crate) fn needs_parts(&self) -> bool {
        self.number.is_some() || matches!(self.clock, OnClock::Match | OnClock::Level)
    }

    /// The place that is meant by one that a user gave, as far as a recording knows it by itself.
    fn place(&self, given: Position, else_where: Position) -> Position {
        match (given, self.clock) {
            (Position::Demo(time), OnClock::Server) => Position::Clock(None, time.ms()),
            (Position::Demo(_), OnClock::Match | OnClock::Level) => else_where,
            _ => given,
        }
    }

    /// What has to be looked at of a range.
    pub(crate) fn range(&self, given: Range) -> Range {
        Range { from: self.place(given.from, Position::Start), to: self.place(given.to, Position::End) }
    }

    /// True for what happens in the match that is asked for, and in a range that is counted from the beginning of a match or
    /// level.
    pub(crate) fn wants(&self, given: Range, clock: &Clock, parts: &Parts) -> bool {
        let number = self.number.map_or(usize::MAX, |number| number as usize - 1);
        let in_match = parts.matches.get(number).is_some_and(|[from, to]| (*from..=*to).contains(&clock.demo));
        let relative = matches!(self.clock, OnClock::Match | OnClock::Level);
        let since = self.since(clock, parts);
        let above = |place: Position, is: fn(i64, i64) -> bool| match place {
            Position::Demo(time) if relative => since.is_some_and(|since| is(since.ms(), time.ms())),
            _ => true,
        };
        (self.number.is_none() || in_match)
            && above(given.from, |since, from| since >= from)
            && above(given.to, |since, to| since <= to)
    }

    /// How long after the beginning of its match or level a moment is.
    fn since(&self, clock: &Clock, parts: &Parts) -> Option<DemoTime> {
        let all = if self.clock == OnClock::Match { &parts.matches } else { &parts.levels };
        let [from, _] = all.iter().rev().find(|[from, to]| (*from..=*to).contains(&clock.demo))?;
        match self.clock {
            OnClock::Match => Some(parts.played(*from, clock.demo)),
            _ => Some(DemoTime(clock.demo.0 - from.0)),
        }
    }

    /// The place in a recording of one that counts from the beginning of a match or level: of the one that is asked for, else
    /// of the first.
    pub(crate) fn resolve(&self, given: Position, parts: &Parts) -> qdemo::Result<Position> {
        let Position::Demo(time) = given else { return Ok(self.place(given, given)) };
        let (all, number) = match self.clock {
            OnClock::Match => (&parts.matches, self.number.unwrap_or(1)),
            OnClock::Level => (&parts.levels, 1),
            OnClock::Demo | OnClock::Server => return Ok(self.place(given, given)),
        };
        let [from, _] = all.get(number as usize - 1).ok_or_else(|| Self::none(parts))?;
        Ok(Position::Demo(match self.clock {
            OnClock::Match => parts.when_played(*from, time),
            _ => DemoTime(from.0.saturating_add(time.0)),
        }))
    }

    /// # Errors
    /// A match that the recording does not have.
    pub(crate) fn check(&self, parts: &Parts) -> qdemo::Result<()> {
        match self.number {
            Some(number) if number as usize > parts.matches.len() => Err(Self::none(parts)),
            _ => Ok(()),
        }
    }

    fn none(parts: &Parts) -> Error {
        let what = match parts.matches.len() {
            0 => "this recording has no match".to_owned(),
            1 => "this recording has one match".to_owned(),
            n => format!("this recording has {n} matches"),
        };
        Error::new(ErrorKind::Absent(what))
    }

    /// A time as people read it.
    pub(crate) fn show(&self, clock: &Clock, parts: &Parts) -> String {
        match self.clock {
            OnClock::Demo => clock.demo.to_string(),
            OnClock::Server => moment(clock.now),
            OnClock::Match | OnClock::Level => self.since(clock, parts).map_or("-".to_owned(), |t| t.to_string()),
        }
    }

    /// How long after the beginning of its match or level a moment is, where such times are asked for.
    pub(crate) fn note(&self, clock: &Clock, parts: &Parts) -> Since {
        let ms = self.since(clock, parts).map(DemoTime::ms);
        match self.clock {
            OnClock::Match => Since::Match { match_ms: ms },
            OnClock::Level => Since::Level { level_ms: ms },
            OnClock::Demo | OnClock::Server => Since::Nothing {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client records on while a match stands still, and the game's own clock does not: what was played counts. Pauses before
    /// the match, within it and up to its end.
    #[test]
    fn the_time_of_a_match_leaves_pauses_out() {
        let s = |seconds: i64| DemoTime(seconds * 1_000_000);
        let parts = Parts {
            matches: vec![[s(8), s(70)]],
            levels: vec![[s(0), s(90)]],
            pauses: [[2, 9], [20, 25], [40, 41]].map(|pause| pause.map(s)).to_vec(),
        };
        let when = |clock| When { clock, number: None };
        for (at, played) in [(8, 0), (9, 0), (20, 11), (22, 11), (25, 11), (30, 16), (40, 26), (41, 26), (50, 35)] {
            assert_eq!(parts.played(s(8), s(at)), s(played), "{at}");
        }
        for (time, at) in [(0, 8), (11, 20), (12, 26), (26, 40), (35, 50)] {
            let found = when(OnClock::Match).resolve(Position::Demo(s(time)), &parts).unwrap();
            assert_eq!(found, Position::Demo(s(at)), "{time}");
        }
        let level = when(OnClock::Level).resolve(Position::Demo(s(30)), &parts).unwrap();
        assert_eq!(level, Position::Demo(s(30)));
    }
}
