//! Numbers of players, weapons and items: for each match, or each level where there is no match.
//!
//! [`Stats`] counts the [events](crate::event) and takes in what the game itself tells: both stand side by side in a
//! [`Player`], counted and reported, and where they should be equal and are not there is a [`Difference`].
//!
//! ```
//! # fn main() -> qdemo::Result<()> {
//! use qdemo::Limits;
//! use qdemo::analysis::stats;
//! use qdemo::analysis::stats::Measure;
//! let demo = &std::fs::read("../../testdata/oa-dm4.dm_71")?[..];
//! let mut kills = 0;
//! stats::stats(demo, "oa-dm4.dm_71", Limits::default(), &mut |period| {
//!     kills += period.players.iter().filter_map(|player| player.counted.get(Measure::Kills)).sum::<i64>();
//!     Ok(())
//! })?;
//! assert!(kills > 0);
//! # Ok(()) }
//! ```

mod board;
mod count;
mod fact;
mod held;
mod ktx;
mod measure;
mod outcome;
mod period;
mod player;
mod quake3;
mod reported;
mod told;
mod watch;

use std::io::Read;

pub use board::{Board, Head};
pub use measure::{Comparison, ItemMeasure, ItemNumbers, Measure, Numbers, WeaponMeasure, WeaponNumbers};
pub(crate) use measure::{item_measures, measures, weapon_measures};
pub use outcome::{Ending, Holder, Place};
pub use period::{Period, PeriodKind, Team};
pub use player::Player;
pub use reported::Difference;

use self::fact::{Fact, Waiting};
use self::held::Holdings;
use self::outcome::Standing;
use self::watch::SeenPlayer;
use crate::demo::Faults;
use crate::error::Result;
use crate::event::{Certainty, Event, EventKind, Match, Matches, Phase, PlayerRef, Reason, Turn, When};
use crate::game::quake::matches::takes_back_an_end;
use crate::game::quake3::{first_word, scoreboards};
use crate::limits::Limits;
use crate::replay::{Analyser, GivenUp, Left, Newcomers, Pass, Step, World, has_left};
use crate::wire::clean;
use crate::world::{Clock, DemoTime, Scene, TextKind};

/// Counts, step by step.
#[derive(Debug)]
pub struct Stats {
    current: Option<Period>,
    /// A match that is over, of which the game may still tell something.
    held: Option<Period>,
    /// Up to then scores are those of that match.
    held_open: Option<DemoTime>,
    /// Everybody looks at the scores of that match.
    shown: bool,
    /// The intermission of a level without a match has begun: what everybody looks at is how it ended.
    level_shown: bool,
    /// Who came behind that match, or that level.
    newcomers: Newcomers,
    matches: Matches<Clock>,
    /// How the match stands that goes on, or that is over and held.
    standing: Standing,
    /// How the match that is over and held stood at its end.
    final_standing: Standing,
    /// The scores of both sides in front of this chunk.
    sides_before: Option<[i32; 2]>,
    given_up: GivenUp,
    left: Left,
    /// The date that the server printed last.
    date: Option<String>,
    /// How long the game stood still, in microseconds, and since when it does.
    still: i64,
    still_since: Option<DemoTime>,
    waiting: Waiting,
    /// What was told last between two rounds, and its time: the next round may have begun with it.
    rested: (i64, Waiting),
    /// No frame of the level has been seen: the clock may be that of the level before.
    fresh: bool,
    /// The level begins anew with this chunk.
    restarts: bool,
    /// Slot of the player who was seen last, of those who play: Quake III.
    eyes: Option<usize>,
    /// The scoreboard that it sent last: Quake III.
    board: scoreboards::Board,
    /// Winner and loser, by name, where the statistics that follow number them so: CPMA.
    duel: Option<[Vec<u8>; 2]>,
    /// Who was in each slot at the last look.
    seen: Vec<Option<SeenPlayer>>,
    /// Who had left the match by then, as far as KTX lists them, with their scores.
    ghosts: Vec<(PlayerRef, i64)>,
    looked: Option<DemoTime>,
    holdings: Holdings,
    /// The recording tells who hurts whom.
    damage: bool,
    statistics: Vec<u8>,
    /// What KTX prints of them.
    printed: ktx::Printed,
    done: Vec<Period>,
    /// So many of them are of levels before this one.
    done_before: usize,
}

impl Analyser for Stats {
    fn step(&mut self, step: &Step<'_>) -> Result<()> {
        match step.is_end() {
            false => self.chunk(step.world, step.events),
            true => self.finish(step.world, step.events),
        }
        Ok(())
    }
}

impl Default for Stats {
    fn default() -> Self {
        Self::new()
    }
}

/// On one clock of a level.
fn moment(clock: &Clock) -> i64 {
    clock.ms().unwrap_or_else(|| clock.demo.ms())
}

impl Stats {
    /// Slots that are looked at.
    const SLOTS: usize = 256;
    /// For so long after a match, in microseconds, scores are those of the match; and while they are shown.
    const HELD: [i64; 2] = [2_000_000, 60_000_000];
    /// So often who plays is looked at, in microseconds.
    const LOOK: i64 = 1_000_000;
    /// So many periods wait for the name of their level.
    const NAMELESS: usize = 64;
    /// No statistics of KTX are longer, by far.
    const STATISTICS: usize = 1 << 20;

    /// At the beginning of a recording.
    pub fn new() -> Self {
        Stats {
            current: None,
            held: None,
            held_open: None,
            shown: false,
            level_shown: false,
            newcomers: Newcomers::default(),
            matches: Matches::default(),
            standing: Standing::default(),
            final_standing: Standing::default(),
            sides_before: None,
            given_up: GivenUp::default(),
            left: Left::default(),
            date: None,
            still: 0,
            still_since: None,
            waiting: Waiting::default(),
            rested: Default::default(),
            fresh: true,
            restarts: false,
            eyes: None,
            board: scoreboards::Board::default(),
            duel: None,
            seen: Vec::new(),
            ghosts: Vec::new(),
            looked: None,
            holdings: Holdings::default(),
            damage: false,
            statistics: Vec::new(),
            printed: ktx::Printed::default(),
            done: Vec::new(),
            done_before: 0,
        }
    }

    /// The periods that are complete, and have not been taken. Where the beginning of a level was not recorded, its name may
    /// be told later: until then its periods wait.
    pub fn take(&mut self) -> Vec<Period> {
        let waits = self.done.len() < Self::NAMELESS && self.current.as_ref().is_some_and(|now| now.map.is_empty());
        let count = if waits { self.done_before } else { self.done.len() };
        self.done_before = 0;
        self.done.drain(..count).collect()
    }

    /// Counts what happened in a chunk.
    fn chunk(&mut self, world: &World, events: &[Event]) {
        let now = world.clock();
        let changes = world.changes();
        // Who is there at the first frame of a level is there from then on.
        let is_first = self.fresh && changes.frame;
        self.fresh &= !changes.sent;
        self.sides_before = self.standing.sides();
        let mut look = changes.board != 0;
        self.left.look(world, events);
        let command =
            |(said, text, _): (TextKind, &[u8], _)| said == TextKind::Command && first_word(text) == b"map_restart";
        self.restarts = changes.texts().any(command);
        let shown = !matches!(world, World::Dm3(world) if !world.is_intermission());
        if self.restarts || self.shown && !shown {
            (self.held_open, self.shown, self.level_shown) = (None, false, false);
        }
        // Whoever takes another name is known by it before anything else is said.
        for event in events {
            if let EventKind::Rename(who, from) = &event.kind {
                self.rename(moment(&event.clock), who, from);
            }
        }
        let begins = |event: &Event| matches!(event.kind, EventKind::Level { .. });
        if changes.sent && self.current.is_none() && !events.iter().any(begins) {
            // The recording begins within a level.
            let (number, map) = (world.level().number, clean(world.level().map));
            self.current = Some(Period::new(PeriodKind::Level, number, map, now));
        }
        for event in events {
            look |= self.event(world, event);
        }
        // A match ends by the rules of its end: those may change within it, by a vote.
        if let Some(period) = self.current.as_mut().filter(|now| now.kind == PeriodKind::Match && changes.settings) {
            period.rules.change(world.rules());
        }
        if let Some(period) = self.current.as_mut().filter(|_| changes.sent) {
            // Some formats tell the name only after the level began, and the clock may not have shown anything then.
            if period.map.is_empty() {
                period.map = clean(world.level().map);
                let others = self.done.iter_mut().skip(self.done_before).chain(&mut self.held);
                others.filter(|other| other.map.is_empty()).for_each(|other| other.map.clone_from(&period.map));
            }
            if period.begin.now.is_none() {
                period.begin = Clock { demo: period.begin.demo, ..now };
            }
        }
        if self.held_open.is_some_and(|until| now.demo > until) {
            self.held_open = None;
        }
        let old = self.looked.is_none_or(|at| now.demo.0.saturating_sub(at.0) >= Self::LOOK);
        if look || is_first || changes.frame && old {
            self.look(world);
        } else if changes.frame {
            self.look_who_comes_into_view(world);
        }
        self.holdings(world);
        if let World::Dm3(world) = world {
            let plays = |slot: &usize| self.seen.get(*slot).is_some_and(Option::is_some);
            self.eyes = world.seen().filter(plays).or(self.eyes);
        }
        for (said, text, _) in changes.texts() {
            self.text(world, said, text);
        }
        if changes.sent {
            self.matches.frame(now);
        }
        if let Some((text, last)) = &changes.statistics {
            if self.statistics.len() < Self::STATISTICS {
                self.statistics.extend_from_slice(text);
            }
            if *last {
                let text = std::mem::take(&mut self.statistics);
                self.flush(i64::MAX);
                if let Some(period) = self.held.as_mut().or(self.current.as_mut()) {
                    ktx::report(period, &text, now.demo);
                }
            }
        }
    }

    /// The recording ends, and with it the periods that were not complete.
    fn finish(&mut self, world: &World, events: &[Event]) {
        for event in events {
            self.event(world, event);
        }
        self.flush(i64::MAX);
        let now = world.clock();
        self.cut(now, now, false);
    }

    /// The level ends, or the recording does: with its last frame, or `without_frames` where there is none.
    fn cut(&mut self, now: Clock, without_frames: Clock, ended: bool) {
        let last = self.matches.last().unwrap_or(without_frames);
        self.release();
        self.matches.cut(now);
        self.end(last, ended);
        self.resumes(last.demo);
    }

    /// The clock on which the time of players runs: it stands while the game does.
    fn playing(&self, now: DemoTime) -> DemoTime {
        let since = self.still_since.map_or(0, |since| now.0.saturating_sub(since.0));
        DemoTime(now.0.saturating_sub(self.still).saturating_sub(since.max(0)))
    }

    /// Takes in an event. True when it is about who plays.
    fn event(&mut self, world: &World, event: &Event) -> bool {
        let at = moment(&event.clock);
        self.given_up.take(event, world);
        self.newcomers.take(event);
        match &event.kind {
            EventKind::Level { map, .. } => {
                self.flush(i64::MAX);
                // A level without a frame ends where it began.
                let began = self.current.as_ref().map(|period| period.begin);
                self.cut(event.clock, began.unwrap_or(event.clock), true);
                self.done_before = self.done.len();
                self.seen.clear();
                self.newcomers = Newcomers::default();
                self.level_shown = false;
                self.eyes = None;
                self.printed = ktx::Printed::default();
                (self.board, self.duel) = (scoreboards::Board::default(), None);
                self.fresh = !world.changes().sent;
                let number = world.level().number;
                self.current = Some(Period::new(PeriodKind::Level, number, map.clone(), event.clock));
                return true;
            }
            EventKind::Match(phase) => self.phase(world, *phase, event),
            EventKind::Join(who) if self.level_shown => {
                who.slot.into_iter().for_each(|slot| self.look_at(world, slot));
                return true;
            }
            EventKind::Join(_) | EventKind::Rename(..) | EventKind::Team(..) => return true,
            // Others are there still, whom events behind this one are about.
            EventKind::Leave(who) => {
                who.slot.into_iter().for_each(|slot| self.look_at(world, slot));
                return true;
            }
            // The attackers that Quake III names are a guess, and it tells of one player alone.
            EventKind::Damage(_) if event.certainty != Certainty::Stated => {}
            EventKind::Damage(damage) => {
                self.damage |= damage.attacker.is_some();
                self.push(at, Fact::Damage(damage.clone()));
            }
            EventKind::Frag(frag) => self.push(at, Fact::Frag(frag.clone(), self.playing(event.clock.demo))),
            EventKind::Pickup { player: Some(who), item } => self.push(at, Fact::Pickup(who.clone(), item.clone())),
            EventKind::Drop { player: Some(who), item } => self.push(at, Fact::Drop(who.clone(), item.clone())),
            EventKind::Flag { team, action, player } => {
                let (team, action, player) = (team.clone(), *action, player.clone());
                self.push(at, Fact::Flag { team, action, player, at: self.playing(event.clock.demo) })
            }
            EventKind::Score { .. } => {
                if let Some((player, to)) = self.given_up.score(event) {
                    self.score(at, player, to, event);
                }
            }
            // Whoever is alone where everybody plays for oneself has not won by that.
            EventKind::Scores(sides) if sides.contains(&None) && !has_left(*sides, world) => {}
            EventKind::Scores(sides) => {
                self.standing.scores(*sides, event.clock.demo);
                if self.held_open.is_some() && self.is_near_held(event) {
                    self.final_standing.late_scores(*sides);
                }
            }
            EventKind::Print { text, text_raw, .. } => {
                if let (World::QuakeWorld(_), Some(period)) = (world, self.held.as_mut().or(self.current.as_mut())) {
                    self.printed.text(period, text_raw, event.clock.demo);
                }
                self.standing.text(text, event.clock.demo);
                self.matches.text(text);
                // The text that ends a match comes behind the end that it tells.
                if let Some(held) = self.held.as_mut().filter(|held| held.end.demo == event.clock.demo) {
                    let ends = |ending: &Ending| held.ended && !ending.gives_up();
                    held.ending = held.ending.or_else(|| Ending::by_text(text).filter(ends));
                    if matches!(world, World::Dm2(_) | World::Mvd2(_)) {
                        self.final_standing.says_who_won(text);
                    }
                }
                let date = text.lines().find_map(|line| line.trim().strip_prefix("matchdate: "));
                self.date = date.map(str::to_owned).or(self.date.take());
            }
            _ => {}
        }
        false
    }

    fn phase(&mut self, world: &World, phase: Phase, event: &Event) {
        match phase {
            Phase::Pause => drop(self.still_since.get_or_insert(event.clock.demo)),
            Phase::Resume => self.resumes(event.clock.demo),
            Phase::Countdown => self.held_open = None,
            _ => {}
        }
        let resting_since = self.matches.resting_since();
        let turn = self.matches.step(phase, event.is_begun(), event.clock);
        if takes_back_an_end(phase, event.certainty, turn) {
            if let Some(held) = self.held.as_mut().filter(|held| held.ended) {
                (held.ended, held.ending) = (false, Some(Ending::LevelChange));
                held.game.iter_mut().for_each(Match::take_back_the_end);
            }
        }
        match turn {
            Some(Turn::GoesOn) => {
                self.flush(resting_since.map_or(i64::MIN, |since| moment(&since)));
                // What happened between the rounds counts for nothing.
                let at = moment(&event.clock);
                self.waiting.retain(|when, fact| when >= at || !fact.counts());
                // A text in the middle of the screen comes behind what happens in its frame, of which the round has begun.
                let (when, mut rested) = std::mem::take(&mut self.rested);
                let is_of_round = when >= at && resting_since.is_some_and(|since| moment(&since) < when);
                if is_of_round && event.source == "centerprint" {
                    rested.take(i64::MAX).for_each(|fact| self.waiting.push(when, fact));
                }
            }
            Some(Turn::Begins) => self.begins(world, event),
            Some(Turn::Rests) => {
                // That a round is over may be told a little later.
                self.flush(moment(&event.clock));
                self.waiting.retain(|_, fact| !fact.counts());
                self.rested = Default::default();
                self.push(moment(&event.clock), Fact::Rests(self.playing(event.clock.demo)));
            }
            Some(Turn::Ends) => {
                if event.certainty == Certainty::Inferred(Reason::NextLevel) {
                    self.standing.ends_by(Ending::LevelChange, event.clock.demo);
                }
                self.over(event.clock, phase == Phase::End)
            }
            None => {}
        }
        if phase == Phase::Intermission {
            if !self.level_shown && self.current.as_ref().is_some_and(|period| period.kind == PeriodKind::Level) {
                self.level_shown = true;
                self.newcomers.clear();
            }
            if let Some(until) = &mut self.held_open {
                self.shown = true;
                *until = DemoTime(event.clock.demo.0.saturating_add(Self::HELD[1]));
            }
        }
    }

    fn resumes(&mut self, now: DemoTime) {
        let since = self.still_since.take().map_or(0, |since| now.0.saturating_sub(since.0));
        self.still = self.still.saturating_add(since.max(0));
    }

    fn begins(&mut self, world: &World, event: &Event) {
        self.look(world);
        self.flush(moment(&event.clock).saturating_sub(1));
        self.release();
        self.level_shown = false;
        // A match is of a level, though neither its beginning was recorded nor a frame of it.
        let first = || Period::new(PeriodKind::Level, world.level().number, clean(world.level().map), event.clock);
        let before = self.current.take().unwrap_or_else(first);
        let (level, map) = (before.level, before.map.clone());
        // A match that was given up for this one has no end.
        let kind = if before.kind == PeriodKind::Match { before.kind } else { PeriodKind::WarmUp };
        self.current = Some(Period { kind, ..before });
        self.end(event.clock, true);
        let (in_teams, shows_all) = (world.in_teams(), Self::shows_all(world));
        let mut period = Period {
            begun: event.is_begun(),
            rules: world.rules(),
            date: self.date.take(),
            in_teams,
            is_for_oneself: world.is_for_oneself(),
            shows_all,
            ..Period::new(PeriodKind::Match, level, map, event.clock)
        };
        (self.standing, self.duel) = (Standing::default(), None);
        // What was printed so far is of the match before.
        self.printed = ktx::Printed::default();
        // One that is under way goes on with the scores that stand; and that of a side may be 0 already when a match begins.
        if let (World::Dm3(world), true) = (world, !event.is_begun() || in_teams) {
            self.standing.reset_sides(world.sides().and_then(|[first, second]| Some([first?, second?])));
        }
        let now = self.playing(event.clock.demo);
        for seen in self.seen.iter().flatten() {
            seen.enters(&mut period, now);
        }
        self.current = Some(period);
    }

    /// The match is over. What happens at its last moment may be told with the one behind it; the score of then is
    /// that of the match only where the level does not begin anew.
    fn over(&mut self, now: Clock, ended: bool) {
        let last = moment(&now);
        if self.restarts {
            self.waiting.retain(|at, fact| at < last || fact.counts());
        }
        self.flush(i64::MAX);
        if self.current.as_ref().is_none_or(|period| period.kind != PeriodKind::Match) {
            return;
        }
        self.release();
        let Some(mut period) = self.current.take() else { return };
        let mut after = Period::new(PeriodKind::After, period.level, period.map.clone(), now);
        let playing = self.playing(now.demo);
        self.seen.iter().flatten().for_each(|seen| seen.enters(&mut after, playing));
        period.close(now, playing);
        period.haunt(&self.ghosts);
        period.game = self.matches.take().pop();
        period.ended = ended;
        period.ending = self.standing.ending(now.demo).filter(|ending| ending.gives_up() != ended);
        self.final_standing = self.standing.clone();
        if self.restarts {
            // The scores of now are those of the level that begins anew.
            self.final_standing.reset_sides(self.sides_before);
        }
        self.held = Some(period);
        self.newcomers.clear();
        self.held_open = (!self.restarts).then(|| DemoTime(now.demo.0.saturating_add(Self::HELD[0])));
        self.current = Some(after);
    }

    /// The match that is over is complete.
    fn release(&mut self) {
        self.held_open = None;
        if let Some(mut period) = self.held.take() {
            period.finish(self.damage, &self.final_standing);
            if period.ended {
                period.ends_by_frags();
                period.rank(&self.final_standing);
            }
            self.done.push(period);
        }
    }

    /// The period that goes on ends. What is no match and shows nothing is left out, but for levels without a match.
    fn end(&mut self, now: Clock, ended: bool) {
        if let Some(mut period) = self.current.take() {
            if period.kind == PeriodKind::Match {
                period.game = self.matches.take().pop();
            }
            let end = period.game.as_ref().map_or(period.begin.later(now), |game| game.end);
            period.close(end, self.playing(end.demo));
            period.haunt(&self.ghosts);
            period.ended = ended && period.kind != PeriodKind::Match;
            if matches!(period.kind, PeriodKind::Match | PeriodKind::Level) || !period.is_idle() {
                // Of what is no match it is not told who has won.
                let is_match = period.kind == PeriodKind::Match;
                let standing = if is_match { self.standing.clone() } else { Standing::default() };
                period.finish(self.damage, &standing);
                self.done.push(period);
            }
        }
    }

    fn push(&mut self, at: i64, fact: Fact) {
        // A capture that ends a round is told behind that end.
        let of_the_round = |since: &Clock| at <= moment(since) && matches!(fact, Fact::Flag { .. });
        if self.matches.resting_since().is_some_and(|since| fact.counts() && !of_the_round(&since)) {
            return self.rests(at, fact);
        }
        // What is told at the last moment of a match, behind its end, is of the match: the frame of a server in which a
        // match ends has shots, pickups and deaths in any order, and KTX sends the sums of shots last.
        if let Some(held) = self.held.as_mut().filter(|held| fact.counts() && !self.fresh && at <= moment(&held.end)) {
            return held.count(fact);
        }
        let at = if self.fresh { i64::MIN } else { at };
        if self.waiting.is_full() {
            self.flush(i64::MAX);
        }
        self.waiting.push(at, fact);
    }

    /// Between two rounds only what is told last may count: that the next one has begun may be told at the end of a frame.
    fn rests(&mut self, at: i64, fact: Fact) {
        if at > self.rested.0 {
            self.rested = (at, Waiting::default());
        }
        if at == self.rested.0 && !self.rested.1.is_full() {
            self.rested.1.push(at, fact);
        }
    }

    /// Counts what happened up to a time.
    fn flush(&mut self, to: i64) {
        match &mut self.current {
            Some(period) => self.waiting.take(to).for_each(|fact| period.count(fact)),
            None => self.waiting = Waiting::default(),
        }
    }

    /// A score: of the match that is over, or of the period that goes on. The level may begin anew while the scores are
    /// shown: then states say so first, and only scoreboards are to be believed. What a scoreboard says of a match that is
    /// over is the last word: the state may be that of another player who is followed. Where scores of QuakeWorld are set
    /// to 0 behind a match, they are no longer of it.
    fn score(&mut self, at: i64, who: &PlayerRef, to: i32, event: &Event) {
        if who.slot.is_some_and(|slot| self.is_behind_level(slot)) {
            return;
        }
        let near = self.is_near_held(event);
        if let Some(period) = self.held.as_mut().filter(|_| self.held_open.is_some()) {
            let board = event.source == "serverCommand";
            let is_newcomer = who.slot.is_some_and(|slot| self.newcomers.has(slot));
            let seen = who.slot.and_then(|slot| self.seen.get(slot)?.as_ref());
            let player = match seen.filter(|seen| seen.who.name_raw == who.name_raw).and_then(|seen| seen.who.slot) {
                // Since then the player may have taken another name.
                Some(slot) => period.in_slot(slot),
                None => period.players.iter_mut().find(|p| p.is(who)),
            };
            if let Some(player) = player.filter(|player| !is_newcomer && (board || near && !player.settled)) {
                let had = player.counted.get(Measure::Score);
                let reset = event.source == "updatefrags" && to == 0 && had.is_some_and(|had| had != 0);
                if !reset {
                    player.counted.set(Measure::Score, to.into());
                }
                player.settled |= board || reset;
            }
        }
        self.push(at, Fact::Score(who.clone(), to));
    }

    /// True for a slot of whoever came when the result of a level without a match was shown already, which that changes no
    /// more.
    fn is_behind_level(&self, slot: usize) -> bool {
        self.level_shown && self.newcomers.has(slot)
    }

    /// True so short a time after the match that is held that what states say is still of it.
    fn is_near_held(&self, event: &Event) -> bool {
        let near = |held: &Period| event.clock.demo.0 <= held.end.demo.0.saturating_add(Self::HELD[0]);
        self.held.as_ref().is_some_and(near)
    }

    fn shows_all(world: &World) -> bool {
        matches!(world, World::QuakeWorld(world) if world.is_multiview())
    }
}

/// Reads a recording once and hands out its periods, each as soon as it is complete. Gives what is wrong with the file.
///
/// # Errors
/// A file that is no recording, and whatever reading and `each` give.
pub fn stats(
    input: impl Read,
    name: &str,
    limits: Limits,
    each: &mut impl FnMut(Period) -> Result<()>,
) -> Result<Faults> {
    let mut stats = Stats::new();
    let mut step = |step: &Step<'_>| {
        stats.step(step)?;
        stats.take().into_iter().try_for_each(&mut *each)
    };
    Pass::new(limits).run(input, name, &mut [&mut step])
}
