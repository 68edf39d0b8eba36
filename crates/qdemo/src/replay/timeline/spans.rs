//! What lies where: levels, matches, pauses, gaps, whose eyes the recording shows.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::Timeline;
use crate::error::Moment;
use crate::event::{Event, Match, Matches, Phase, Turn};
use crate::game::quake::matches::takes_back_an_end;
use crate::json::row;
use crate::replay::World;
use crate::wire::clean;
use crate::world::{Clock, DemoTime, FromTo, Scene};

/// A stretch of a recording, or a moment of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SpanKind {
    /// A level.
    Level {
        /// Name of the map.
        map: String,
        /// Name of the level for people.
        title: String,
        /// Frames of the server in it.
        frames: u64,
    },
    /// The countdown to a match.
    Countdown,
    /// A match.
    Match {
        /// The recording has its beginning.
        begun: bool,
        /// The recording has its end.
        ended: bool,
        /// How long it was played: without the time in which it stood still, which a client records and a server need not.
        #[serde(rename = "played_ms")]
        played: DemoTime,
    },
    /// A round of a match that has several.
    Round,
    /// Time is added to a match.
    Overtime,
    /// From here on everybody looks at the scores.
    Intermission,
    /// The game stands still.
    Pause,
    /// No frame for more than a second, although the game goes on: lost packets, or a cut.
    Gap,
    /// The recording looks through the eyes of a player.
    View {
        /// Slot of the player.
        slot: usize,
        /// The player's name at the beginning, in plain characters.
        name: String,
    },
    /// Frames build on others that were not recorded: nothing is known of entities, players apart in `.mvd`.
    Incomplete,
    /// The game's clock ran backwards, within a level.
    #[serde(serialize_with = "clock_back")]
    #[schemars(with = "FromTo")]
    ClockBack {
        /// What it showed before.
        from: Moment,
        /// What it shows then.
        to: Moment,
    },
}

fn clock_back<S: Serializer>(from: &Moment, to: &Moment, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    FromTo::of(Some(*from), Some(*to)).serialize(serializer)
}

impl SpanKind {
    /// The name in tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            SpanKind::Level { .. } => "level",
            SpanKind::Countdown => "countdown",
            SpanKind::Match { .. } => "match",
            SpanKind::Round => "round",
            SpanKind::Overtime => "overtime",
            SpanKind::Intermission => "intermission",
            SpanKind::Pause => "pause",
            SpanKind::Gap => "gap",
            SpanKind::View { .. } => "view",
            SpanKind::Incomplete => "incomplete",
            SpanKind::ClockBack { .. } => "clock_back",
        }
    }
}

row! {
    /// A part of the timeline.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Span {
        /// What it is.
        #[serde(flatten)]
        pub kind: SpanKind,
        /// When it begins.
        #[serde(flatten)]
        pub from: Clock,
        /// When it ends; the same for a moment.
        #[serde(skip)]
        pub to: Clock,
        /// First block; in `.mvd` record.
        pub block: u64,
    }
    |span| -> Length { Length { length_ms: span.length_ms() } }
}

impl Span {
    /// How long it lasts, in milliseconds: the difference of the times as they are told; 0 for a moment.
    pub fn length_ms(&self) -> i64 {
        self.to.demo.ms().saturating_sub(self.from.demo.ms())
    }
}

/// How long something lasts.
#[derive(Serialize, JsonSchema)]
struct Length {
    /// How long it lasts, in milliseconds; 0 for a moment.
    length_ms: i64,
}

/// Finds out what lies where.
#[derive(Debug, Default)]
pub(super) struct Spans {
    list: Vec<Span>,
    frames: u64,
    /// The clock at the last frame.
    last: Option<Clock>,
    level: Option<usize>,
    pause: Option<usize>,
    /// The countdown to a match.
    countdown: Option<usize>,
    /// Matches, by times and blocks.
    matches: Matches<(Clock, u64)>,
    view: Option<usize>,
    incomplete: Option<usize>,
}

impl Spans {
    /// What there is, in order of its beginning.
    pub(super) fn finish(mut self) -> Vec<Span> {
        self.list.sort_by_key(|span| span.from.demo);
        self.list
    }

    /// Frames of the server so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// True once a level has begun.
    pub(super) fn is_in_level(&self) -> bool {
        self.level.is_some()
    }

    /// Some formats tell the name of a level only after it began.
    fn name_level(&mut self, world: &World) {
        let level = self.level.and_then(|at| self.list.get_mut(at));
        if let Some(SpanKind::Level { map, title, .. }) = level.map(|span| &mut span.kind) {
            if map.is_empty() {
                *map = clean(world.level().map);
            }
            if title.is_empty() {
                *title = world.charset().clean(world.level().title);
            }
        }
    }

    /// Takes in a chunk. Where the server sent a frame in it, complete or not, gives the time since the one before, 0 for the
    /// first one of a level.
    pub(super) fn chunk(&mut self, world: &World, block: u64) -> Option<DemoTime> {
        let (now, changes) = (world.clock(), world.changes());
        if changes.level {
            // What was before belongs to the level before.
            self.cut(now, block);
            (self.pause, self.countdown, self.view, self.incomplete, self.last) = (None, None, None, None, None);
            self.level = Some(self.open(level_of(world), now, block));
        }
        self.name_level(world);
        // In front of the first moment there are no frames to miss.
        if world.is_complete() {
            // The frame that is complete again ends it.
            if changes.frame {
                self.incomplete = None;
            }
        } else if now.now.is_some() {
            let at = match self.incomplete {
                Some(at) => at,
                None => self.open(SpanKind::Incomplete, now, block),
            };
            self.incomplete = Some(at);
            self.go_on(at, now);
        }
        changes.sent.then(|| self.frame(world, now, block))
    }

    /// A frame of the server: gives the time since the one before.
    fn frame(&mut self, world: &World, now: Clock, block: u64) -> DemoTime {
        self.frames += 1;
        // A recording may begin within a level.
        let level = match self.level {
            Some(at) => at,
            None => self.open(level_of(world), now, block),
        };
        self.level = Some(level);
        if let Some(SpanKind::Level { frames, .. }) = self.go_on(level, now) {
            *frames += 1;
        }
        let step = self.last.map(|last| DemoTime(now.demo.0 - last.demo.0));
        if let Some(last) = self.last {
            if step.is_some_and(|step| step > Timeline::GAP) && !world.is_paused() {
                self.list.push(Span { kind: SpanKind::Gap, from: last, to: now, block });
            }
            if let (Some(from), Some(to)) = (last.now, now.now) {
                if to.is_before(from) {
                    self.list.push(Span { kind: SpanKind::ClockBack { from, to }, from: now, to: now, block });
                    // While a server loads a level it shows the clock of the level before.
                    if let (World::Dm3(_), Some(level)) = (world, self.list.get_mut(level)) {
                        level.from.now = level.from.now.map(|from| if to.is_before(from) { to } else { from });
                    }
                }
            }
        }
        self.last = Some(now);
        self.matches.frame((now, block));
        for at in [self.pause, self.countdown].into_iter().flatten() {
            self.go_on(at, now);
        }
        // Of a frame that is not complete it is not known whose eyes it shows.
        if world.changes().frame {
            self.look(world, now, block);
        }
        step.unwrap_or_default()
    }

    /// Takes in what an event tells of matches: gives whether one begins or ends with it.
    pub(super) fn phase(&mut self, phase: Phase, event: &Event) -> Option<Turn> {
        let turn = self.matches.step(phase, event.is_begun(), (event.clock, event.block));
        if takes_back_an_end(phase, event.certainty, turn) {
            let ended = self.list.iter_mut().rev().find_map(|span| match &mut span.kind {
                SpanKind::Match { ended, .. } => Some(ended),
                _ => None,
            });
            ended.into_iter().for_each(|ended| *ended = false);
        }
        // A match is of a level, though neither its beginning was recorded nor a frame of it.
        if self.level.is_none() && self.matches.shows_level() {
            self.level = Some(self.open(
                SpanKind::Level { map: String::new(), title: String::new(), frames: 0 },
                event.clock,
                event.block,
            ));
        }
        self.take_matches();
        if !self.matches.is_paused() {
            if let Some(at) = self.pause.take() {
                self.go_on(at, event.clock);
            }
        } else if self.pause.is_none() {
            self.pause = Some(self.open(SpanKind::Pause, event.clock, event.block));
        }
        if turn.is_some() || phase == Phase::Countdown {
            if let Some(span) = self.countdown.take().and_then(|at| self.list.get_mut(at)) {
                span.to = event.clock;
            }
        }
        match phase {
            Phase::Countdown => self.countdown = Some(self.open(SpanKind::Countdown, event.clock, event.block)),
            Phase::Intermission => drop(self.open(SpanKind::Intermission, event.clock, event.block)),
            Phase::Overtime => drop(self.open(SpanKind::Overtime, event.clock, event.block)),
            _ => {}
        }
        turn
    }

    /// The level ends, or the recording does: so does a match that goes on.
    pub(super) fn cut(&mut self, now: Clock, block: u64) {
        let last = self.last.unwrap_or(now);
        let goes_on = |at: &usize| self.list.get(*at).is_some_and(|span| span.from.demo <= last.demo);
        if let Some(at) = self.pause.filter(goes_on) {
            self.go_on(at, last);
        }
        self.matches.cut((now, block));
        self.take_matches();
    }

    /// Notes the matches that are over.
    fn take_matches(&mut self) {
        for game in self.matches.take() {
            let played = game.played(|(from, _), (to, _)| Some(to.demo.0.saturating_sub(from.demo.0)));
            let Match { begin, end, begun, ended, rounds, .. } = game;
            let played = DemoTime(played.unwrap_or_default());
            let span =
                |kind, from: (Clock, u64), to: (Clock, u64)| Span { kind, from: from.0, to: to.0, block: from.1 };
            self.list.push(span(SpanKind::Match { begun, ended, played }, begin, end));
            self.list.extend(rounds.into_iter().map(|[from, to]| span(SpanKind::Round, from, to)));
        }
    }

    fn open(&mut self, kind: SpanKind, now: Clock, block: u64) -> usize {
        self.list.push(Span { kind, from: now, to: now, block });
        self.list.len() - 1
    }

    fn go_on(&mut self, at: usize, now: Clock) -> Option<&mut SpanKind> {
        let span = self.list.get_mut(at)?;
        span.to = now;
        // The clock may not have shown anything at the beginning.
        if span.from.now.is_none() {
            span.from = Clock { demo: span.from.demo, ..now };
        }
        Some(&mut span.kind)
    }

    /// Whose eyes the recording shows.
    fn look(&mut self, world: &World, now: Clock, block: u64) {
        let Some(slot) = world.view().and_then(|view| view.slot) else {
            self.view = None;
            return;
        };
        let same = self.view.filter(
            |at| matches!(self.list.get(*at), Some(Span { kind: SpanKind::View { slot: s, .. }, .. }) if *s == slot),
        );
        let at = match same {
            Some(at) => at,
            None => {
                let name = world.player(slot).map(|p| p.clean_name()).unwrap_or_default();
                self.open(SpanKind::View { slot, name }, now, block)
            }
        };
        self.go_on(at, now);
        self.view = Some(at);
    }
}

fn level_of(world: &World) -> SpanKind {
    let level = world.level();
    SpanKind::Level { map: clean(level.map), title: world.charset().clean(level.title), frames: 0 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::ClockKind;

    /// A key of a time says the same in all games: seconds stand beside the milliseconds.
    #[test]
    fn a_clock_that_ran_back_shows_milliseconds_in_all_games() {
        let now = Clock { kind: ClockKind::Server, now: None, frame: None, demo: DemoTime::from_ms(7) };
        let back = |from, to| Span { kind: SpanKind::ClockBack { from, to }, from: now, to: now, block: 3 };
        let common = json!({
            "kind": "clock_back", "clock": "server", "time_ms": null, "demo_ms": 7, "block": 3, "length_ms": 0,
            "from_ms": 2500, "to_ms": 1000,
        });
        let told = |span| serde_json::to_value(span).unwrap();
        assert_eq!(told(back(Moment::Milliseconds(2500), Moment::Milliseconds(1000))), common);
        let mut seconds = common;
        (seconds["from"], seconds["to"]) = (json!(2.5), json!(1.0));
        assert_eq!(told(back(Moment::Seconds(2.5), Moment::Seconds(1.0))), seconds);
    }
}
