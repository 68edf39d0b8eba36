//! Matches: from the end of the warm-up to the intermission.

use super::command::{Configstrings, Phase as Told, ROUND, number};
use super::names::Module;
use crate::event::Phase;
use crate::format::dm3::{Dialect, FieldValue, PlayerField, Snapshot};
use crate::wire::without_colors;

/// What configstrings say of a match that stands still.
///
/// * Quake Live: one configstring has the server time at which a time-out began, empty when there is none; the next one
///   when it ends, 0 while that is not known, and for a pause by an admin. It may be moved while it runs.
/// * CPMA: `te` in the configstring about the game is the time into the match at which the time-out began, 0 without
///   one; `td` is how long all of them took.
/// * OSP has no word for it: it moves the beginning of the level into the future, and when the match goes on to where it
///   was, later by the length of the time-out. A second in the future is usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Never,
    Now,
    /// Up to this server time.
    Until(i32),
}

impl Stop {
    /// Other games than OSP have the beginning of a level so much in the future, in ms.
    const USUAL: i32 = 1000;

    /// To be asked for when configstrings changed.
    pub(crate) fn by(strings: &Configstrings, dialect: &Dialect, module: Module) -> Self {
        let indices = &dialect.layout.indices;
        let until = |end| if end == 0 { Stop::Now } else { Stop::Until(end) };
        if let Some(start) = indices.timeout {
            return match number::<i32>(strings.get(start)) {
                None | Some(0) => Stop::Never,
                Some(_) => until(number(strings.get(start + 1)).unwrap_or(0)),
            };
        }
        if module == Module::Cpma {
            let begun: Option<i32> = strings.cpma(module, "te").and_then(number);
            return if matches!(begun, None | Some(0)) { Stop::Never } else { Stop::Now };
        }
        let start: Option<i32> = number(strings.get(indices.level_start));
        start.map_or(Stop::Never, |start| Stop::Until(start.saturating_sub(Self::USUAL)))
    }

    /// True when the match stands still at a server time.
    pub(crate) fn is_on(self, now: Option<i32>) -> bool {
        match (self, now) {
            (Stop::Now, _) => true,
            (Stop::Until(end), Some(now)) => end > now,
            _ => false,
        }
    }
}

/// How a game tells of the rounds of a match.
///
/// * CPMA counts down to each within the match, and tells when it began: `ts` in the configstring about the game. Older
///   versions do not count down: there one begins where the other ends. `pr`, how many of the red team are left, is told in
///   games of rounds alone. Elsewhere a countdown is to a restart, or to the end of a time-out.
/// * Quake Live: one configstring has the server time at which the round began, and -1 once it is over. In attack and defend
///   each turn is a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounds {
    Untold,
    CountedDown,
    GoesOn,
    Over,
}

impl Rounds {
    fn by(strings: &Configstrings, module: Module) -> Self {
        match module {
            Module::Cpma => Rounds::CountedDown,
            Module::QuakeLive => match number::<i32>(strings.get(ROUND)) {
                Some(1..) => Rounds::GoesOn,
                Some(..=-1) => Rounds::Over,
                _ => Rounds::Untold,
            },
            _ => Rounds::Untold,
        }
    }
}

/// What the configstrings say of the match: to be asked for when they changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchState {
    /// Where the match is.
    phase: Told,
    /// The level is over.
    over: bool,
    /// Server time at which the level began.
    start: Option<i32>,
    stop: Stop,
    rounds: Rounds,
    /// Server time at which the round began, in games of rounds of CPMA.
    round_start: Option<i32>,
}

impl MatchState {
    pub(crate) fn by(strings: &Configstrings, dialect: &Dialect, module: Module) -> Self {
        let indices = &dialect.layout.indices;
        MatchState {
            phase: strings.phase(dialect, module),
            over: matches!(strings.get(indices.intermission), b"1" | b"qtrue"),
            start: number(strings.get(indices.level_start)),
            stop: Stop::by(strings, dialect, module),
            rounds: Rounds::by(strings, module),
            round_start: strings.cpma(module, "pr").and_then(|_| strings.cpma(module, "ts").and_then(number)),
        }
    }
}

/// A phase that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhaseAt {
    pub(crate) phase: Phase,
    /// Server time.
    pub(crate) time: i32,
    /// Of [`Phase::Start`]: its beginning was recorded.
    pub(crate) begun: bool,
}

/// Tells pauses behind the beginning of the match that they are in, which is told late.
#[derive(Debug, Clone)]
pub(crate) struct Pauses<T> {
    held: Vec<T>,
}

impl<T> Default for Pauses<T> {
    fn default() -> Self {
        Pauses { held: Vec::new() }
    }
}

impl<T> Pauses<T> {
    /// So many changes wait at most: an even number. What is between more pauses is left out.
    const MOST: usize = 64;

    /// Takes in a phase, and tells what does not wait.
    pub(crate) fn add(&mut self, phase: Phase, told: T, each: &mut impl FnMut(T)) {
        match phase {
            Phase::Pause | Phase::Resume if self.held.len() < Self::MOST => self.held.push(told),
            // A pause that begins: the last one goes on.
            Phase::Pause | Phase::Resume => drop(self.held.pop()),
            Phase::Start => {
                each(told);
                self.tell(each);
            }
            _ => {
                self.tell(each);
                each(told);
            }
        }
    }

    /// Tells what waits: no beginning is to be told.
    pub(crate) fn tell(&mut self, each: &mut impl FnMut(T)) {
        self.held.drain(..).for_each(each);
    }
}

/// A match that goes on, as far as it was recorded.
#[derive(Debug, Clone, Copy)]
struct Playing {
    /// Server time at which it begins: as the game tells it, else that of its first snapshot.
    begin: i32,
    begun: bool,
    /// It is long enough to be one, and has been told.
    told: bool,
    /// True while a round goes on, false between two; `None` while neither has been told.
    round: Option<bool>,
    /// Server time at which the round began that was told last.
    round_start: Option<i32>,
}

/// True for `Timelimit hit.`, `NAME hit the fraglimit.` and the like, and not for a name that reads like it.
fn says_limit_hit(text: &[u8]) -> bool {
    let line = without_colors(text).to_ascii_lowercase();
    let line = line.trim_end().trim_end_matches('.');
    let limits = ["time", "frag", "capture", "score", "round", "mercy"];
    let is_limit = |word: &str| word.strip_suffix("limit").is_some_and(|of| limits.contains(&of));
    line.strip_suffix(" hit").is_some_and(is_limit)
        || line.rsplit_once(" hit the ").is_some_and(|(by, word)| is_limit(word) && !by.contains(" renamed to "))
}

/// Follows the phases of the matches in a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phases {
    playing: Option<Playing>,
    /// Server time of the last snapshot.
    last: Option<i32>,
    restarted: bool,
    countdown: bool,
    paused: bool,
    /// True while the player who is seen looks at the scores.
    intermission: bool,
    /// That has been told.
    shown: bool,
    /// What the configstring about it says. A restart does not clear it, so only its change says something: in a later match
    /// of the level it says nothing, nor where a recording begins with it.
    over: bool,
    /// The server says that a limit is hit.
    hit: bool,
    /// True from then on, or from that change.
    finished: bool,
}

impl Phases {
    /// A warm-up's end and the restart of the map do not come in one packet: what is shorter is no match.
    const SHORTEST: i32 = 1000;
    /// The first snapshot of a match comes no later than this.
    const LATE: i32 = 2000;

    /// The level begins anew.
    pub(crate) fn restart(&mut self) {
        self.restarted = true;
    }

    /// A line of the server. `LogExit` of id's `g_main.c`, which tells the configstring, comes with one that says why.
    pub(crate) fn print(&mut self, text: &[u8]) {
        self.hit |= self.over && !self.finished && says_limit_hit(text);
    }

    /// What a snapshot tells of how the player moves who is seen: what it builds on need not be known.
    pub(crate) fn snapshot(&mut self, snapshot: &Snapshot) {
        match snapshot.player().get(PlayerField::PmType as u8) {
            Some(FieldValue::Int(kind)) => self.intermission = matches!(kind, 5 | 6),
            _ => self.intermission &= snapshot.delta_num != 0,
        }
    }

    /// True while a match goes on.
    pub(crate) fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// True where the level has begun anew within what was not told of yet: it will not be.
    pub(crate) fn drops_open(&self) -> bool {
        self.restarted && self.open().is_some()
    }

    /// Server time of a beginning that may still be told.
    pub(crate) fn open(&self) -> Option<i32> {
        self.playing.filter(|playing| !playing.told).map(|playing| playing.begin)
    }

    /// After a block: what begins with it. `level_begins` is the server time of the first snapshot of the level.
    pub(crate) fn step(
        &mut self,
        time: i32,
        told: &MatchState,
        level_begins: Option<i32>,
        each: &mut impl FnMut(PhaseAt),
    ) {
        let changed = std::mem::replace(&mut self.over, told.over) != told.over && self.last.is_some();
        self.finished |= std::mem::take(&mut self.hit) || changed;
        self.finished &= told.over;
        if std::mem::take(&mut self.restarted) {
            // What is over says so before the level begins anew. What is not was given up when the other one began.
            let phase = if std::mem::take(&mut self.finished) { Phase::End } else { Phase::GivenUp };
            self.ends(phase, self.begin(time, told), each);
        }
        let playing = match told.phase {
            Told::Warmup => false,
            // The end of a time-out is counted down, and some games count down before every round.
            Told::Countdown => self.playing.is_some(),
            Told::Playing => true,
        };
        if !playing || self.intermission || self.finished {
            self.ends(Phase::End, time, each);
        } else {
            self.plays(time, told, level_begins, each);
            self.rounds(time, told, each);
        }
        let now = |phase| PhaseAt { phase, time, begun: true };
        let countdown = told.phase == Told::Countdown && self.playing.is_none();
        if !std::mem::replace(&mut self.countdown, countdown) && countdown {
            each(now(Phase::Countdown));
        }
        let paused = told.stop.is_on(Some(time));
        if std::mem::replace(&mut self.paused, paused) != paused {
            each(now(if paused { Phase::Pause } else { Phase::Resume }));
        }
        if !std::mem::replace(&mut self.shown, self.intermission) && self.intermission {
            each(now(Phase::Intermission));
        }
        self.last = Some(time);
    }

    /// When a match begins that is seen at a time: as the game tells it, but not before the last look at what was before.
    fn begin(&self, time: i32, told: &MatchState) -> i32 {
        let near = |start: &i32| (0..=Self::LATE).contains(&time.wrapping_sub(*start));
        let new = |start: &i32| self.last.is_none_or(|last| last <= *start);
        told.start.filter(|start| near(start) && new(start)).unwrap_or(time)
    }

    fn plays(&mut self, time: i32, told: &MatchState, level_begins: Option<i32>, each: &mut impl FnMut(PhaseAt)) {
        let begun = level_begins != Some(time);
        let begin = if begun { self.begin(time, told) } else { time };
        let new = Playing { begin, begun, told: false, round: None, round_start: None };
        let now = self.playing.get_or_insert(new);
        if !now.told && time.wrapping_sub(now.begin) >= Self::SHORTEST {
            now.told = true;
            each(PhaseAt { phase: Phase::Start, time: now.begin, begun: now.begun });
        }
    }

    /// What is told of rounds, in a match that has several.
    fn rounds(&mut self, time: i32, told: &MatchState, each: &mut impl FnMut(PhaseAt)) {
        let Some(now) = self.playing.as_mut().filter(|now| now.told) else { return };
        let goes_on = match told.rounds {
            Rounds::Untold => return,
            Rounds::CountedDown => told.phase != Told::Countdown || told.stop.is_on(Some(time)),
            Rounds::GoesOn => true,
            Rounds::Over => false,
        };
        // The first one begins with the match; a recording may begin between two.
        if now.round.is_none() && now.begun && !goes_on {
            return;
        }
        let (went_on, start) = (now.round.replace(goes_on), std::mem::replace(&mut now.round_start, told.round_start));
        let mut tell = |phase| each(PhaseAt { phase, time, begun: true });
        match (went_on, goes_on) {
            (Some(true), false) => tell(Phase::Round),
            (Some(false), true) => tell(Phase::NextRound),
            (Some(true), true) if start != told.round_start && start.is_some() => {
                tell(Phase::Round);
                tell(Phase::NextRound);
            }
            _ => {}
        }
    }

    fn ends(&mut self, phase: Phase, time: i32, each: &mut impl FnMut(PhaseAt)) {
        if self.playing.take().is_some_and(|playing| playing.told) {
            each(PhaseAt { phase, time, begun: true });
        }
    }
}
