//! Parts of a recording that people ask for by what happens in them: the third frag, each match, every highlight.

use std::io::Read;

use schemars::JsonSchema;
use serde::Serialize;

use super::highlight::{Criteria, Finder, Highlight, HighlightKind};
use crate::demo::Faults;
use crate::error::Result;
use crate::event::{Event, EventKind, PlayerRef};
use crate::kinds::kinds;
use crate::limits::Limits;
use crate::replay::timeline::{Builder, Span, SpanKind, Timeline};
use crate::replay::{InOrder, Options, Pass, Position, Range};
use crate::world::DemoTime;

kinds! {
    /// What parts of a recording are made of.
    #[non_exhaustive]
    pub enum PartKind {
        /// Each death: from it to it.
        Frag = "frag",
        /// Each line of chat.
        Chat = "chat",
        /// Each match, as far as the recording has it.
        Match = "match",
        /// Each round of a match that has several.
        Round = "round",
        /// Each level; all of them together are the recording.
        Level = "level",
        /// Each run against the clock: as long as its time says, up to its end.
        Run = "run",
        /// Each highlight.
        Highlight = "highlight",
        /// Each stretch in which a player is there.
        Player = "player",
    }
}

impl PartKind {
    /// What recordings are split by, under the names that users give; a gamestate is what begins a level.
    pub const SPLITS: [(&'static str, PartKind); 5] = [
        ("level", PartKind::Level),
        ("match", PartKind::Match),
        ("gamestate", PartKind::Level),
        ("run", PartKind::Run),
        ("round", PartKind::Round),
    ];

    /// What recordings are split by, by the name that a user gives.
    pub fn to_split_by(name: &str) -> Option<PartKind> {
        PartKind::SPLITS.into_iter().find(|(called, _)| *called == name).map(|(_, kind)| kind)
    }
}

/// Parts of a recording that are wanted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Wanted<'w> {
    /// What they are made of.
    pub kind: PartKind,
    /// Only those about a player whose name, in plain characters, contains this, whatever its case.
    pub player: Option<&'w str>,
    /// Only highlights of these kinds; empty: all.
    pub highlights: &'w [HighlightKind],
    /// What a highlight is.
    pub criteria: Criteria,
    /// So much more in front of each. Levels have none.
    pub before: DemoTime,
    /// So much more behind it.
    pub after: DemoTime,
    /// What is asked of the pass: texts of deaths, say.
    pub options: Options,
}

impl<'w> Wanted<'w> {
    /// All parts of a kind, with nothing around them.
    pub fn new(kind: PartKind) -> Self {
        let (before, after) = (DemoTime(0), DemoTime(0));
        let (criteria, options) = (Criteria::default(), Options::default());
        Wanted { kind, player: None, highlights: &[], criteria, before, after, options }
    }

    /// A part between two times.
    fn range(&self, from: DemoTime, to: DemoTime) -> Range {
        let from = DemoTime(from.0.saturating_sub(self.before.0).max(0));
        let to = DemoTime(to.0.saturating_add(self.after.0));
        Range { from: from.into(), to: to.into() }
    }

    fn is_about<'p>(&self, mut players: impl Iterator<Item = &'p PlayerRef>) -> bool {
        self.player.is_none_or(|name| players.any(|who| has(&who.name, name)))
    }
}

/// True for a name that contains another, whatever its case.
fn has(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}

/// A part of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Part {
    /// Its number among those wanted, from 1.
    pub number: usize,
    /// What happens in it, in words for people.
    pub what: String,
    /// What was said, in plain characters: of chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When that begins.
    #[serde(rename = "from_demo_ms")]
    pub from: DemoTime,
    /// When it ends.
    #[serde(rename = "to_demo_ms")]
    pub to: DemoTime,
    /// Where the part lies, with what was asked for around it.
    #[serde(skip)]
    pub range: Range,
}

impl Part {
    fn new(what: String, from: DemoTime, to: DemoTime, range: Range) -> Self {
        Part { number: 0, what, text: None, from, to, range }
    }
}

/// Reads a recording once and tells where the parts are that are wanted, in order of their beginning, and what is wrong with
/// the file.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// use qdemo::{Limits, analysis::parts::{PartKind, Wanted, parts}, edit::cut, world::DemoTime};
/// let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
/// let mut wanted = Wanted::new(PartKind::Frag);
/// (wanted.before, wanted.after) = (DemoTime::from_ms(3000), DemoTime::from_ms(1000));
/// let (frags, _) = parts(demo, "oa-dm4.dm_71", Limits::default(), &wanted)?;
/// let (clip, _) = cut(demo, "oa-dm4.dm_71", Limits::default(), frags[0].range, Vec::new())?;
/// assert!(clip.len() < demo.len());
/// # Ok(()) }
/// ```
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
pub fn parts(input: impl Read, name: &str, limits: Limits, wanted: &Wanted<'_>) -> Result<(Vec<Part>, Faults)> {
    let mut found = Vec::new();
    let mut events = InOrder::new(|event: &Event| {
        found.extend(of_event(event, wanted));
        Ok(())
    });
    // When scores of both sides are told.
    let mut scores = Vec::new();
    let mut scored = InOrder::new(|event: &Event| {
        let is_told = matches!(event.kind, EventKind::Scores([Some(_), Some(_)]));
        scores.extend(is_told.then_some((event.clock.demo, event.block)));
        Ok(())
    });
    let (mut timeline, mut finder) = (Builder::new(), Finder::new(wanted.criteria));
    let pass = Pass::new(limits).with(wanted.options.clone());
    let faults = match wanted.kind {
        PartKind::Frag | PartKind::Chat | PartKind::Run => pass.run(input, name, &mut [&mut events])?,
        PartKind::Highlight => pass.run(input, name, &mut [&mut finder])?,
        PartKind::Match => pass.run(input, name, &mut [&mut timeline, &mut scored])?,
        PartKind::Round | PartKind::Level | PartKind::Player => pass.run(input, name, &mut [&mut timeline])?,
    };
    match wanted.kind {
        PartKind::Highlight => found.extend(finder.take().iter().filter_map(|it| of_highlight(it, wanted))),
        PartKind::Player => of_players(&timeline.finish(), wanted, &mut found),
        PartKind::Level => of_levels(&timeline.finish(), &mut found),
        PartKind::Match | PartKind::Round => of_spans(&timeline.finish(), wanted, &scores, &mut found),
        PartKind::Frag | PartKind::Chat | PartKind::Run => {}
    }
    found.sort_by_key(|part| part.from);
    (1..).zip(&mut found).for_each(|(number, part)| part.number = number);
    Ok((found, faults))
}

fn of_event(event: &Event, wanted: &Wanted<'_>) -> Option<Part> {
    if !wanted.is_about(event.kind.players().into_iter().flatten()) {
        return None;
    }
    let to = event.clock.demo;
    let from = match (&event.kind, wanted.kind) {
        (EventKind::Frag(_), PartKind::Frag) | (EventKind::Chat(_), PartKind::Chat) => to,
        (EventKind::Run(run), PartKind::Run) => DemoTime(to.0.saturating_sub((run.time * 1e6) as i64).max(0)),
        _ => return None,
    };
    let text = if let EventKind::Chat(chat) = &event.kind { Some(chat.text.clone()) } else { None };
    Some(Part { text, ..Part::new(event.kind.to_string(), from, to, wanted.range(from, to)) })
}

fn of_highlight(it: &Highlight, wanted: &Wanted<'_>) -> Option<Part> {
    let of_kind = wanted.highlights.is_empty() || wanted.highlights.contains(&it.kind);
    if !of_kind || !wanted.is_about(std::iter::once(&it.player)) {
        return None;
    }
    let (from, to) = (it.clock.demo, it.end());
    let what = format!("{} {}: {it}", it.kind.name(), it.player.name);
    Some(Part::new(what, from, to, wanted.range(from, to)))
}

fn of_players(timeline: &Timeline, wanted: &Wanted<'_>, found: &mut Vec<Part>) {
    let name = wanted.player.unwrap_or_default();
    for it in timeline.players.iter().filter(|it| has(&it.name, name)) {
        let range = wanted.range(it.from, it.to);
        found.push(Part::new(it.name.clone(), it.from, it.to, range));
    }
}

fn of_levels(timeline: &Timeline, found: &mut Vec<Part>) {
    let levels: Vec<_> = timeline.spans.iter().filter(|span| matches!(span.kind, SpanKind::Level { .. })).collect();
    for (n, span) in levels.iter().enumerate() {
        let SpanKind::Level { map, title, .. } = &span.kind else { continue };
        let from = if n == 0 { Position::Start } else { Position::Block(span.block) };
        let to = levels.get(n + 1).map_or(Position::End, |next| Position::Block(next.block.saturating_sub(1)));
        let what = if map.is_empty() { title.clone() } else { map.clone() };
        found.push(Part::new(what, span.from.demo, span.to.demo, Range { from, to }));
    }
}

/// Matches or rounds. Where the score of a match that is over is told a moment later, as CPMA does it in capture strike, it
/// lies within the part: without it the match would have another winner. What the next level or match begins with does not,
/// even where it comes at the same moment.
fn of_spans(timeline: &Timeline, wanted: &Wanted<'_>, scores: &[(DemoTime, u64)], found: &mut Vec<Part>) {
    /// No later than this, in microseconds.
    const LATE: i64 = 500_000;
    for span in timeline.spans.iter().filter(|span| span.kind.name() == wanted.kind.name()) {
        let (from, to) = (span.from.demo, span.to.demo);
        let ended = matches!(span.kind, SpanKind::Match { ended: true, .. });
        let begins = |next: &&Span| matches!(next.kind, SpanKind::Level { .. } | SpanKind::Match { .. });
        let behind = timeline.spans.iter().filter(begins).filter(|next| next.block > span.block);
        let next = behind.min_by_key(|next| next.block);
        let is_late = |(at, block): &&(DemoTime, u64)| {
            ended && *at > to && at.0 - to.0 <= LATE && next.is_none_or(|next| *block < next.block)
        };
        let late = scores.iter().filter(is_late).map(|(at, _)| *at).max();
        let mut range = wanted.range(from, late.unwrap_or(to));
        // More behind it may be wanted.
        if let Some(next) = next.filter(|next| wanted.after.0 <= 0 && next.from.demo <= late.unwrap_or(to)) {
            range.to = Position::Block(next.block - 1);
        }
        found.push(Part::new(span.kind.name().to_owned(), from, to, range));
    }
}
