//! What lies where in a recording: levels, matches, pauses, gaps, whose eyes it shows; and who played.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::demo::Faults;
use crate::error::{Moment, Result};
use crate::event::roster::tells_apart;
use crate::event::{Event, EventKind, Match, Matches, Phase, Turn, Won};
use crate::json::{Named, row};
use crate::kinds::kinds;
use crate::limits::Limits;
use crate::replay::{Analyser, GivenUp, Left, Newcomers, Pass, Step, World};
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
    |span| -> Length { Length { length_ms: span.to.demo.ms() - span.from.demo.ms() } }
}

/// How long something lasts.
#[derive(Serialize, JsonSchema)]
struct Length {
    /// How long it lasts, in milliseconds; 0 for a moment.
    length_ms: i64,
}

kinds! {
    /// Of when a score is.
    pub enum ScoreTime {
        /// When it was last told.
        Last = "last",
        /// At the end of a match.
        MatchEnd = "match_end",
        /// At the end of a level.
        LevelEnd = "level_end",
    }
}

row! {
    /// A player, for as long as the name stays. Whoever leaves and comes back is one.
    #[derive(Debug, Clone, PartialEq)]
    #[non_exhaustive]
    pub struct Presence {
        /// Slot, from 0: the last one.
        pub slot: usize,
        /// The name in plain characters.
        #[serde(skip)]
        pub name: String,
        /// The name, as the bytes in the file.
        #[serde(skip)]
        pub name_raw: Vec<u8>,
        /// The last team that is not that of the spectators, or else that.
        #[serde(serialize_with = "plain")]
        #[schemars(with = "Option<String>")]
        pub team: Option<Vec<u8>>,
        /// True when never seen as anything but a spectator.
        pub spectator: bool,
        /// True for the player who recorded.
        pub recorder: bool,
        /// When the name was first there.
        #[serde(rename = "from_demo_ms")]
        pub from: DemoTime,
        /// When it was last there.
        #[serde(rename = "to_demo_ms")]
        pub to: DemoTime,
        /// For how long the player was in view.
        #[serde(rename = "in_view_ms")]
        pub in_view: DemoTime,
        /// Score at the end of the last match; without one at the end of the last level in which somebody scored. What is
        /// set to 0 behind it does not count, nor what is played then. `frags_at` tells which it is. `None` for one who only
        /// watches.
        pub frags: Option<i32>,
        /// Of when that score is, where there is one.
        pub frags_at: Option<ScoreTime>,
        /// Round trip time when it was last told.
        pub ping: Option<i32>,
    }
    |presence| -> Named { Named::new(&presence.name, &presence.name_raw) }
}

fn plain<S: Serializer>(text: &Option<Vec<u8>>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    text.as_deref().map(clean).serialize(serializer)
}

/// What lies where in a recording.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Timeline {
    /// What there is, in order of its beginning.
    pub spans: Vec<Span>,
    /// Who played, by slot.
    pub players: Vec<Presence>,
    /// Length of the recording.
    pub length: DemoTime,
    /// Frames of the server.
    pub frames: u64,
    /// What is wrong with the file; nothing where the timeline comes of a [`Builder`].
    pub faults: Faults,
}

impl Timeline {
    /// A longer time without a frame is a gap. The slowest servers send ten a second.
    pub const GAP: DemoTime = DemoTime(1_000_000);
}

/// Reads a recording once and tells what lies where.
///
/// # Errors
/// A file that is no recording, and whatever reading gives.
///
/// ```
/// # fn main() -> qdemo::Result<()> {
/// let demo = &std::fs::read("../../testdata/ez-dm.mvd")?[..];
/// let timeline = qdemo::replay::timeline::timeline(demo, "ez-dm.mvd", qdemo::Limits::default())?;
/// assert_eq!(timeline.spans[0].kind.name(), "level");
/// # Ok(()) }
/// ```
pub fn timeline(input: impl Read, name: &str, limits: Limits) -> Result<Timeline> {
    let mut builder = Builder::new();
    let faults = Pass::new(limits).run(input, name, &mut [&mut builder])?;
    Ok(Timeline { faults, ..builder.finish() })
}

/// Finds out what lies where, in a [`Pass`].
#[derive(Debug, Default)]
pub struct Builder {
    length: DemoTime,
    spans: Vec<Span>,
    players: Vec<Presence>,
    /// Which of them was last in a slot.
    in_slot: Vec<InSlot>,
    /// Slots of whom more may have been told since they were last looked at than whether they are in view, a bit each, of higher
    /// ones that of the slot modulo 32; `None` for all.
    told: Option<u32>,
    /// Which of them have a name.
    named: HashMap<Vec<u8>, Vec<usize>>,
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
    /// Scores are those of something that is over.
    kept: Option<Kept>,
    /// Of a match of Quake II that began in the recording, those who were seen in it or had part in a death: places in the
    /// list of players.
    played: Option<BTreeSet<usize>>,
    given_up: GivenUp,
    left: Left,
    newcomers: Newcomers,
}

/// Who was last in a slot.
#[derive(Debug, Clone, Copy)]
struct InSlot {
    /// Place in the list of players.
    at: usize,
    /// Still is.
    is_there: bool,
}

/// Scores of something that is over.
#[derive(Debug, Clone, Copy)]
struct Kept {
    at: ScoreTime,
    /// When that was over.
    since: DemoTime,
    /// They were set to 0: what follows belongs to something else.
    closed: bool,
    /// Another level has begun since.
    new_level: bool,
}

impl Analyser for Builder {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        // Whoever comes in the chunk that ends something comes behind it.
        if self.kept.is_none() {
            self.newcomers.clear();
        }
        for event in step.events {
            self.given_up.take(event, step.world);
            self.newcomers.take(event);
        }
        self.left.look(step.world, step.events);
        // What happens may change what counts of anybody, and so may what is told between frames.
        let is_quiet = step.events.is_empty() && step.changes().frame;
        if !is_quiet {
            self.told = None;
        }
        // A match that its level ends is over before the next level begins.
        let level = |event: &Event| matches!(event.kind, EventKind::Level { .. });
        let before = step.events.iter().position(level).unwrap_or(step.events.len());
        let (before, behind) = step.events.split_at(if step.changes().level { before } else { 0 });
        let ends = |event: &&Event| matches!(event.kind, EventKind::Match(Phase::End));
        before.iter().filter(ends).for_each(|event| self.happens(event));
        if !step.is_end() {
            self.chunk(step.world, step.block);
        }
        if !is_quiet {
            self.told = None;
        }
        before.iter().filter(|event| !ends(event)).chain(behind).for_each(|event| self.happens(event));
        if matches!(step.world, World::Dm2(_) | World::Mvd2(_)) {
            step.events.iter().for_each(|event| self.end_of_two(event));
        }
        if step.is_end() {
            self.length = step.clock().demo;
            self.cut(step.clock(), step.block);
        }
        Ok(())
    }
}

impl Builder {
    /// At the beginning of a recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// What there is, once the pass is over.
    pub fn finish(mut self) -> Timeline {
        self.spans.sort_by_key(|span| span.from.demo);
        // Scoreboards leave out slots without a name. Alone in a recording such a one is the player.
        if self.players.iter().any(|player| !player.name_raw.is_empty()) {
            self.players.retain(|player| !player.name_raw.is_empty());
        }
        self.players.sort_by_key(|player| (player.slot, player.from));
        Timeline {
            spans: self.spans,
            players: self.players,
            length: self.length,
            frames: self.frames,
            faults: Faults::default(),
        }
    }

    /// Some formats tell the name of a level only after it began.
    fn name_level(&mut self, world: &World) {
        let level = self.level.and_then(|at| self.spans.get_mut(at));
        if let Some(SpanKind::Level { map, title, .. }) = level.map(|span| &mut span.kind) {
            if map.is_empty() {
                *map = clean(world.level().map);
            }
            if title.is_empty() {
                *title = world.charset().clean(world.level().title);
            }
        }
    }

    fn chunk(&mut self, world: &World, block: u64) {
        let (now, changes) = (world.clock(), world.changes());
        if changes.level {
            let level = world.level();
            let what = SpanKind::Level { map: clean(level.map), title: world.charset().clean(level.title), frames: 0 };
            // What was before belongs to the level before.
            self.cut(now, block);
            if self.kept.is_none() && self.level.is_some() {
                self.keep(ScoreTime::LevelEnd, now.demo);
            }
            if let Some(kept) = &mut self.kept {
                (kept.closed, kept.new_level) = (true, true);
            }
            (self.pause, self.countdown, self.view, self.incomplete, self.last) = (None, None, None, None, None);
            self.level = Some(self.open(what, now, block));
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
        if !changes.frame {
            return;
        }
        self.frames += 1;
        // A recording may begin within a level.
        let level = match self.level {
            Some(at) => at,
            None => {
                let level = world.level();
                let what =
                    SpanKind::Level { map: clean(level.map), title: world.charset().clean(level.title), frames: 0 };
                self.open(what, now, block)
            }
        };
        self.level = Some(level);
        if let Some(SpanKind::Level { frames, .. }) = self.go_on(level, now) {
            *frames += 1;
        }
        let step = self.last.map(|last| DemoTime(now.demo.0 - last.demo.0));
        if let Some(last) = self.last {
            if step.is_some_and(|step| step > Timeline::GAP) && !world.is_paused() {
                self.spans.push(Span { kind: SpanKind::Gap, from: last, to: now, block });
            }
            if let (Some(from), Some(to)) = (last.now, now.now) {
                if ran_back(from, to) {
                    self.spans.push(Span { kind: SpanKind::ClockBack { from, to }, from: now, to: now, block });
                    // While a server loads a level it shows the clock of the level before.
                    if let (World::Dm3(_), Some(level)) = (world, self.spans.get_mut(level)) {
                        level.from.now = level.from.now.map(|from| if ran_back(from, to) { to } else { from });
                    }
                }
            }
        }
        self.last = Some(now);
        for at in [self.pause, self.countdown].into_iter().flatten() {
            self.go_on(at, now);
        }
        self.look(world, now, block);
        self.meet(world, step.unwrap_or_default());
    }

    /// Where matches begin and end.
    fn happens(&mut self, event: &Event) {
        if let Some((who, to)) = self.given_up.score(event).filter(|_| self.given_up.is_on()) {
            let in_it = |slot: &usize| self.kept.is_none() || !self.newcomers.has(*slot);
            let at = who.slot.filter(in_it).and_then(|slot| self.in_slot.get(slot));
            if let Some(presence) = at.and_then(|in_slot| self.players.get_mut(in_slot.at)) {
                presence.frags = Some(to);
            }
        }
        let EventKind::Match(phase) = event.kind else { return };
        let at = (event.clock, event.block);
        let turn = self.matches.step(phase, event.is_begun(), at);
        self.matches();
        if !self.matches.is_paused() {
            if let Some(at) = self.pause.take() {
                self.go_on(at, event.clock);
            }
        } else if self.pause.is_none() {
            self.pause = Some(self.open(SpanKind::Pause, event.clock, event.block));
        }
        match (turn, phase) {
            (Some(Turn::Begins), _) => {
                self.kept = None;
                self.played = event.is_begun().then(BTreeSet::new);
            }
            (Some(Turn::Ends), _) => self.keep(ScoreTime::MatchEnd, event.clock.demo),
            (_, Phase::Intermission) if self.kept.is_none() => self.keep(ScoreTime::LevelEnd, event.clock.demo),
            (_, Phase::Countdown) => {
                if let Some(kept) = &mut self.kept {
                    kept.closed = true;
                }
            }
            _ => {}
        }
        if turn.is_some() || phase == Phase::Countdown {
            if let Some(span) = self.countdown.take().and_then(|at| self.spans.get_mut(at)) {
                span.to = event.clock;
            }
        }
        match phase {
            Phase::Countdown => self.countdown = Some(self.open(SpanKind::Countdown, event.clock, event.block)),
            Phase::Intermission => drop(self.open(SpanKind::Intermission, event.clock, event.block)),
            Phase::Overtime => drop(self.open(SpanKind::Overtime, event.clock, event.block)),
            _ => {}
        }
    }

    /// Of two players the text that ends a match tells the scores of both. Recordings of clients of Quake II tell no other
    /// score of the one who did not record.
    fn end_of_two(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Frag(frag) => {
                let slots =
                    [frag.attacker.as_ref(), Some(&frag.victim)].into_iter().flatten().filter_map(|who| who.slot);
                let places = slots.filter_map(|slot| self.in_slot.get(slot)).map(|in_slot| in_slot.at);
                self.played.iter_mut().for_each(|played| played.extend(places.clone()));
            }
            EventKind::Print { text, .. } => {
                let over = |kept: &Kept| kept.at == ScoreTime::MatchEnd && kept.since == event.clock.demo;
                let Some(won) = Won::by_text(text).filter(|_| self.kept.as_ref().is_some_and(over)) else { return };
                let played = self.played.iter().flatten().copied().collect::<Vec<_>>();
                let &[first, second] = played.as_slice() else { return };
                let name = |at: usize| self.players.get(at).map_or("", |presence| presence.name.as_str());
                let Some(scores) = won.scores_of_two([name(first), name(second)]) else { return };
                for (at, score) in played.iter().zip(scores) {
                    if let Some(presence) = self.players.get_mut(*at) {
                        (presence.frags, presence.frags_at) = (Some(score), Some(ScoreTime::MatchEnd));
                    }
                }
            }
            _ => {}
        }
    }

    /// The level ends, or the recording does: so does a match that goes on.
    fn cut(&mut self, now: Clock, block: u64) {
        let last = self.last.unwrap_or(now);
        let goes_on = |at: &usize| self.spans.get(*at).is_some_and(|span| span.from.demo <= last.demo);
        if let Some(at) = self.pause.filter(goes_on) {
            self.go_on(at, last);
        }
        self.matches.cut((last, block));
        self.matches();
    }

    /// Notes the matches that are over.
    fn matches(&mut self) {
        for Match { begin, end, begun, ended, rounds, .. } in self.matches.take() {
            let span =
                |kind, from: (Clock, u64), to: (Clock, u64)| Span { kind, from: from.0, to: to.0, block: from.1 };
            self.spans.push(span(SpanKind::Match { begun, ended }, begin, end));
            self.spans.extend(rounds.into_iter().map(|[from, to]| span(SpanKind::Round, from, to)));
        }
    }

    fn open(&mut self, kind: SpanKind, now: Clock, block: u64) -> usize {
        self.spans.push(Span { kind, from: now, to: now, block });
        self.spans.len() - 1
    }

    fn go_on(&mut self, at: usize, now: Clock) -> Option<&mut SpanKind> {
        let span = self.spans.get_mut(at)?;
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
            |at| matches!(self.spans.get(*at), Some(Span { kind: SpanKind::View { slot: s, .. }, .. }) if *s == slot),
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

    /// Who is there.
    fn meet(&mut self, world: &World, step: DemoTime) {
        let (now, recorder) = (world.clock().demo, world.recorder());
        let mut scored = false;
        let (told, in_view) = match world {
            World::Dm3(own) => (own.told_lines(), own.in_view()),
            _ => (u32::MAX, 0),
        };
        // Whose score the state of the one who was seen told is another one as soon as somebody else is seen.
        let wanted = self.told.replace(told).filter(|_| self.kept.is_none()).map_or(u32::MAX, |before| before | told);
        for slot in 0..world.player_slots() {
            if wanted >> (slot & 31) & 1 == 0 {
                let there = self.in_slot.get(slot).filter(|in_slot| in_slot.is_there);
                if let Some(presence) = there.and_then(|in_slot| self.players.get_mut(in_slot.at)) {
                    (presence.to, presence.slot) = (now, slot);
                    if in_view >> (slot & 63) & 1 == 1 {
                        presence.in_view.0 += step.0;
                    }
                }
                continue;
            }
            let player = world.score_line(slot).filter(|player| !self.left.has(slot, &player.name));
            let plays = player.as_ref().filter(|player| !player.spectator && !player.name.is_empty());
            self.newcomers.look(slot, plays.map(|player| &*player.name));
            // Whoever is there at the first frame has not come: the recording may begin in an intermission.
            if self.frames == 1 {
                self.newcomers.clear();
            }
            let Some(player) = player else {
                self.in_slot.get_mut(slot).into_iter().for_each(|in_slot| in_slot.is_there = false);
                continue;
            };
            let there = |s: &Presence| s.slot == player.slot && s.name_raw == *player.name;
            // Most stay who they are from frame to frame.
            let last = self.in_slot.get(player.slot).map(|in_slot| in_slot.at);
            let last = last.filter(|at| self.players.get(*at).is_some_and(there));
            let named = || self.named.get(&*player.name).into_iter().flatten().rev().copied();
            let last_who = |is: &dyn Fn(&Presence) -> bool| named().find(|at| self.players.get(*at).is_some_and(is));
            let known = || last_who(&there);
            // Whoever comes back may get another slot, and the one of before may keep the name.
            let gone = |s: &Presence| {
                let left = self.left.has(s.slot, &player.name);
                left || world.score_line(s.slot).is_none_or(|now| now.name != player.name)
            };
            let back = || last_who(&gone).filter(|_| tells_apart(&player.name));
            let at = match last.or_else(known).or_else(back) {
                Some(at) => at,
                None => {
                    self.named.entry(player.name.to_vec()).or_default().push(self.players.len());
                    self.players.push(Presence {
                        slot: player.slot,
                        name: player.clean_name(),
                        name_raw: player.name.to_vec(),
                        team: None,
                        spectator: true,
                        recorder: false,
                        from: now,
                        to: now,
                        in_view: DemoTime(0),
                        frags: None,
                        frags_at: None,
                        ping: None,
                    });
                    self.players.len() - 1
                }
            };
            if self.in_slot.len() <= player.slot {
                self.in_slot.resize(player.slot + 1, InSlot { at: usize::MAX, is_there: false });
            }
            if let Some(in_slot) = self.in_slot.get_mut(player.slot) {
                *in_slot = InSlot { at, is_there: true };
            }
            let Some(presence) = self.players.get_mut(at) else { continue };
            (presence.to, presence.slot) = (now, player.slot);
            presence.recorder |= recorder == Some(player.slot);
            let counts = presence.spectator || !player.spectator;
            if counts && presence.team.as_deref() != player.team.as_deref() {
                presence.team = player.team.as_deref().map(<[u8]>::to_vec);
            }
            presence.spectator &= player.spectator;
            if player.is_placed {
                presence.in_view.0 += step.0;
                if let (Some(played), None, World::Dm2(_) | World::Mvd2(_)) = (&mut self.played, self.kept, world) {
                    played.insert(at);
                }
            }
            // Whoever gives up to watch keeps the score. Who only watches has none, whatever the server says.
            if let Some(told) = player.frags.filter(|_| !player.spectator && !self.given_up.is_on()) {
                scored |= told != 0;
                let reset = told == 0 && presence.frags.is_some_and(|before| before != 0);
                match &mut self.kept {
                    Some(kept) if !kept.closed && self.newcomers.has(slot) => {}
                    Some(kept) if reset => kept.closed = true,
                    Some(kept) if kept.closed && presence.frags.is_some() => {}
                    Some(kept) if !kept.closed => (presence.frags, presence.frags_at) = (Some(told), Some(kept.at)),
                    Some(_) | None => (presence.frags, presence.frags_at) = (Some(told), Some(ScoreTime::Last)),
                }
            }
            presence.ping = player.ping.or(presence.ping);
        }
        // Without matches the next level counts from its first point on.
        if scored && self.kept.is_some_and(|kept| kept.at == ScoreTime::LevelEnd && kept.new_level) {
            self.kept = None;
            // From now on scores are taken of those of whom only that they are there was looked at.
            self.told = None;
        }
    }

    /// From now on scores are those of what is over, until they are set to 0.
    fn keep(&mut self, at: ScoreTime, now: DemoTime) {
        self.kept = Some(Kept { at, since: now, closed: false, new_level: false });
        let since = now.0.saturating_sub(Timeline::GAP.0);
        for presence in self.players.iter_mut().filter(|presence| presence.to.0 >= since && presence.frags.is_some()) {
            presence.frags_at = Some(at);
        }
    }
}

/// True when a clock runs backwards.
pub(crate) fn ran_back(from: Moment, to: Moment) -> bool {
    match (from, to) {
        (Moment::Seconds(a), Moment::Seconds(b)) => b < a,
        (Moment::Milliseconds(a), Moment::Milliseconds(b)) => b < a,
        _ => false,
    }
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
