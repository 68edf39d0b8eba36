//! Rows of any tables, of one reading.

use std::io;

use super::row::Row;
use super::told::Blocks;
use super::world::Frames;
use super::{Interval, Rows, Subject, Table, event, highlight, level, one_match, presence, span, stats};
use crate::analysis::highlight::{Criteria, Finder, Highlight};
use crate::analysis::stats::{Period, PeriodKind, Stats};
use crate::analysis::summary::{self, Summary};
use crate::demo::detect::Detected;
use crate::demo::{AnyVisitor, Faults};
use crate::error::Result;
use crate::event::{Event, EventTag, Patterns};
use crate::limits::Limits;
use crate::replay::timeline::{self, SpanKind, Timeline};
use crate::replay::{self, Analyser, Pass, Step, Waiting};

/// What is wanted of tables.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// How often [`POSITIONS`](super::POSITIONS), [`ENTITIES`](super::ENTITIES) and [`FRAMES`](super::FRAMES) take rows.
    pub every: Interval,
    /// Texts of deaths to know beside the built-in ones.
    pub deaths: Option<Patterns>,
    /// What counts as a highlight.
    pub criteria: Criteria,
    /// Statistics also of what is played before and after matches.
    pub warmup: bool,
}

/// Takes the rows of several tables.
pub trait TableRows {
    /// A recording begins, and this is what it was taken for.
    ///
    /// # Errors
    /// Whatever ends the reading.
    fn begin(&mut self, _: &Detected) -> Result<()> {
        Ok(())
    }

    /// The next row of the table at a place in the list of them.
    ///
    /// # Errors
    /// Whatever writing it gives.
    fn row(&mut self, table: usize, row: &Row<'_>) -> Result<()>;
}

impl<F: FnMut(usize, &Row<'_>) -> Result<()>> TableRows for F {
    fn row(&mut self, table: usize, row: &Row<'_>) -> Result<()> {
        self(table, row)
    }
}

/// What a reading for tables gave.
#[derive(Debug)]
pub struct Read {
    faults: Faults,
    /// The recording as a row of [`DEMOS`](super::DEMOS), where that table was asked for. [`demo`](super::demo) makes the row, when the
    /// reader of the file has added what it knows.
    pub summary: Option<Summary>,
}

impl Read {
    /// What is wrong with the recording.
    pub fn faults(&self) -> &Faults {
        self.summary.as_ref().map_or(&self.faults, |summary| &summary.info.faults)
    }

    /// The same, to keep.
    pub fn into_faults(self) -> Faults {
        self.summary.map_or(self.faults, |summary| summary.info.faults)
    }
}

/// Reads a recording once and hands out the rows of tables, each with the place of its table in `tables`; of
/// [`DEMOS`](super::DEMOS) there is [`Read::summary`] in the end instead. Rows of a table are in order.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, table::{self, Options, Row}};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let mut rows = [0, 0];
/// let tables = [&table::FRAGS, &table::LEVELS];
/// table::read(&tables, demo, "oa-dm4.dm_71", &Options::default(), Limits::default(), &mut |at, _: &Row<'_>| {
///     rows[at] += 1;
///     Ok(())
/// })?;
/// assert!(rows[0] > 10);
/// assert_eq!(rows[1], 1);
/// # Ok(()) }
/// ```
///
/// # Errors
/// A file that is no recording, and whatever reading and `rows` give.
pub fn read(
    tables: &[&Table],
    mut input: impl io::Read,
    name: &str,
    options: &Options,
    limits: Limits,
    rows: &mut dyn TableRows,
) -> Result<Read> {
    gather(tables, &mut input, name, options, limits, rows)
}

/// Compiled here, and not again for each type of input.
fn gather(
    tables: &[&Table],
    input: &mut dyn io::Read,
    name: &str,
    options: &Options,
    limits: Limits,
    rows: &mut dyn TableRows,
) -> Result<Read> {
    let pass = Pass::new(limits).with(asked(tables, options));
    let mut teller = Teller::new(tables, options, rows);
    let faults = pass.run(input, name, &mut [&mut teller])?;
    match teller.summary.take() {
        Some(builder) => {
            let summary = builder.finish(faults);
            teller.end(summary.as_ref().map(|summary| &summary.timeline))?;
            Ok(Read { faults: Faults::default(), summary })
        }
        None => {
            let timeline = teller.timeline.take().map(timeline::Builder::finish);
            teller.end(timeline.as_ref())?;
            Ok(Read { faults, summary: None })
        }
    }
}

/// What a pass must tell for some tables.
fn asked(tables: &[&Table], options: &Options) -> replay::Options {
    let mut asked = replay::Options { deaths: options.deaths.clone(), ..replay::Options::default() };
    asked.without_events = tables.iter().all(|table| table.is_of_world());
    let mut kinds = Vec::new();
    for table in tables {
        match table.of {
            Subject::Events(of_table) => kinds.extend_from_slice(of_table),
            // Texts alone tell these.
            Subject::Messages | Subject::Texts(_) => kinds.push(EventTag::Print),
            _ => return asked,
        }
    }
    asked.kinds = kinds;
    asked
}

/// Tells the rows of all tables.
struct Teller<'t, 'r> {
    tables: &'t [&'t Table],
    each: Vec<Each>,
    begun: bool,
    warmup: bool,
    events: Option<Waiting>,
    finder: Option<Finder>,
    /// Highlights are told by time.
    found: Vec<Highlight>,
    stats: Option<Stats>,
    matches: u32,
    summary: Option<summary::Builder>,
    timeline: Option<timeline::Builder>,
    rows: &'r mut dyn TableRows,
}

/// What tells the rows of one table.
enum Each {
    Frames(Frames),
    Blocks(Blocks),
    /// What several tables share.
    Shared,
}

impl<'t, 'r> Teller<'t, 'r> {
    fn new(tables: &'t [&'t Table], options: &Options, rows: &'r mut dyn TableRows) -> Self {
        let each = |table: &&Table| match table.of {
            Subject::Players | Subject::Entities | Subject::Frames => {
                Each::Frames(Frames::new(table.of, options.every))
            }
            Subject::Inputs | Subject::Shots | Subject::Sounds | Subject::Messages | Subject::Texts(_) => {
                Each::Blocks(Blocks::new(table.of))
            }
            _ => Each::Shared,
        };
        let any = |is: fn(Subject) -> bool| tables.iter().any(|table| is(table.of));
        let summary = any(|of| matches!(of, Subject::Demos)).then(summary::Builder::default);
        let timeline = any(|of| matches!(of, Subject::Levels | Subject::Presences | Subject::Spans));
        Teller {
            tables,
            each: tables.iter().map(each).collect(),
            begun: false,
            warmup: options.warmup,
            events: any(|of| matches!(of, Subject::Events(_))).then(Waiting::default),
            finder: any(|of| matches!(of, Subject::Highlights)).then(|| Finder::new(options.criteria)),
            found: Vec::new(),
            stats: any(|of| matches!(of, Subject::Stats(_) | Subject::Matches)).then(Stats::new),
            matches: 0,
            // A summary has one of its own.
            timeline: (timeline && summary.is_none()).then(timeline::Builder::new),
            summary,
            rows,
        }
    }

    fn event(&mut self, it: &Event) -> Result<()> {
        for (at, table) in self.tables.iter().enumerate() {
            if let Some(row) = event(table, it) {
                self.rows.row(at, &row)?;
            }
        }
        Ok(())
    }

    fn period(&mut self, period: &Period) -> Result<()> {
        for (at, table) in self.tables.iter().enumerate() {
            match table.of {
                Subject::Matches if period.kind == PeriodKind::Match => {
                    self.rows.row(at, &one_match(period, self.matches))?;
                }
                Subject::Stats(_) if self.warmup || matches!(period.kind, PeriodKind::Match | PeriodKind::Level) => {
                    stats(table, period).iter().try_for_each(|row| self.rows.row(at, row))?;
                }
                _ => {}
            }
        }
        self.matches += u32::from(period.kind == PeriodKind::Match);
        Ok(())
    }
}

impl Analyser for Teller<'_, '_> {
    fn visitor(&mut self, detected: &Detected) -> Option<AnyVisitor<'_>> {
        self.summary.as_mut()?.visitor(detected)
    }

    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            self.rows.begin(step.detected)?;
        }
        for (at, each) in self.each.iter_mut().enumerate() {
            let mut rows = |row: &Row<'_>| self.rows.row(at, row);
            match each {
                Each::Frames(frames) => frames.step(step, &mut rows)?,
                Each::Blocks(blocks) => blocks.step(step, &mut rows)?,
                Each::Shared => {}
            }
        }
        if let Some(mut events) = self.events.take() {
            let done = events.take_in(step, &mut |it| self.event(it));
            self.events = Some(events);
            done?;
        }
        if let Some(finder) = &mut self.finder {
            finder.step(step)?;
            self.found.extend(finder.take());
        }
        if let Some(stats) = &mut self.stats {
            stats.step(step)?;
            for period in stats.take() {
                self.period(&period)?;
            }
        }
        if let Some(summary) = &mut self.summary {
            summary.step(step)?;
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.step(step)?;
        }
        Ok(())
    }
}

impl Teller<'_, '_> {
    /// What only the end of a recording tells.
    fn end(&mut self, timeline: Option<&Timeline>) -> Result<()> {
        self.found.sort_by_key(|it| it.clock.demo);
        for (at, table) in self.tables.iter().enumerate() {
            let rows = &mut *self.rows;
            if let Subject::Highlights = table.of {
                self.found.iter().try_for_each(|it| rows.row(at, &highlight(it)))?;
            }
            if let Some(timeline) = timeline {
                of_timeline(table, timeline, &mut |row: &Row<'_>| rows.row(at, row))?;
            }
        }
        Ok(())
    }
}

fn of_timeline(table: &Table, timeline: &Timeline, rows: &mut impl Rows) -> Result<()> {
    match table.of {
        Subject::Presences => timeline.players.iter().try_for_each(|player| rows.row(&presence(player))),
        Subject::Spans => timeline.spans.iter().try_for_each(|it| rows.row(&span(it))),
        Subject::Levels => {
            let levels = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. }));
            (0..).zip(levels).try_for_each(|(number, span)| rows.row(&level(span, number, timeline)))
        }
        _ => Ok(()),
    }
}
