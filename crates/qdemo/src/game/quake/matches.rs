//! Matches, as KTX and its forerunners tell of them, and mods of Quake in the same words: in prints, the settings of the server,
//! a line for recordings alone.

use crate::event::obituary::without_stop;
use crate::event::{Certainty, Phase, Reason, Turn};

/// A phase that begins: how it is known, and the message that tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhaseTold {
    pub(crate) phase: Phase,
    pub(crate) certainty: Certainty,
    pub(crate) source: &'static str,
}

impl PhaseTold {
    /// True where the match that has just ended was given up: another level begins.
    pub(crate) fn takes_back_an_end(&self, turn: Option<Turn>) -> bool {
        takes_back_an_end(self.phase, self.certainty, turn)
    }

    /// False where the match was under way before the recording was.
    pub(crate) fn is_begun(&self) -> bool {
        self.certainty != Certainty::Inferred(Reason::Underway)
    }
}

/// True where another level shows that the match which has just ended was given up. `turn` is what the phase was to matches.
pub(crate) fn takes_back_an_end(phase: Phase, certainty: Certainty, turn: Option<Turn>) -> bool {
    (phase, turn) == (Phase::GivenUp, None) && certainty == Certainty::Inferred(Reason::NextLevel)
}

/// Where a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stage {
    #[default]
    Idle,
    Countdown,
    Running,
}

/// Follows the phases of the matches in a recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phases {
    stage: Stage,
    /// The first frame of the level has been seen.
    settled: bool,
    /// The settings told the time of the match.
    timed: bool,
    /// What the server said last of whether it stands still.
    paused_told: bool,
    /// The server stands still.
    paused: bool,
    /// The match does, as a mod prints.
    halted: bool,
    intermission: bool,
    /// A round is over, and the match is not.
    rests: bool,
    /// It was one of Rocket Arena.
    arena: bool,
    /// The line in front says that the match is stopped.
    stopped: bool,
    /// A match has ended, and no frame has followed.
    just_ended: bool,
}

/// What a line of the server says of a match. It is the whole line: players may have the same words for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notice {
    /// A countdown goes on.
    Counts,
    /// So many minutes are left: the countdown is over.
    Remains,
    Begins,
    /// The countdown stops.
    Stops,
    /// The match stands still.
    Halts,
    /// And does so no longer.
    Resumes,
    RoundOver,
    /// A round of Rocket Arena is over: somebody died, or left.
    ArenaOver,
    Overtime,
    /// Somebody stops it: the line behind this one says that it is over.
    Stopped,
    Ends,
}

impl Notice {
    /// Of KTX and its forerunners, and Threewave's competitions, which end so many minutes after it as the limit says; of
    /// PureCTF, Team Fortress, and Clan Ring's mod for Quake. Sources: KTX's `match.c`, `clan_arena.c` and `arena.c`;
    /// `StartMatch` of PureCTF (qwsrc/match.qc) and Classic Fortress (clan.qc), `PreMatch_Think` of Team Fortress (clan.qc),
    /// `match_begin`, `match_end`, `match_pause`, `match_unpause` and `match_notready` of CRMod (match.qc); recordings. What KTX
    /// prints of pauses and of matches that are stopped: its server's log (1.42) beside the recording, `vote_check_break` (vote.c),
    /// `AdminForceBreak` (admin.c).
    fn of(line: &str) -> Option<Self> {
        let line = without_stop(line);
        let between = |front: &str, behind: &str| line.strip_prefix(front)?.strip_suffix(behind);
        // A match, a duel.
        let begins = || between("The ", " has begun").is_some_and(|what| !what.contains(' '));
        // Forerunners of KTX write a number behind it.
        let number = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '(' | ')' | '[' | ']');
        let ends = || line.strip_prefix("The match is over").is_some_and(|rest| rest.chars().all(number));
        // No name is as long as what stands behind it.
        let paused = || {
            let behind = line.split_once(" paused the game. He has ").map(|(_, behind)| behind);
            behind
                .and_then(|behind| behind.strip_suffix(" remaining request(s)"))
                .is_some_and(|n| n.parse::<i32>().is_ok())
        };
        let longer = || {
            let (minutes, rest) = line.strip_suffix(" overtime follows")?.split_once(" minute")?;
            (matches!(rest, "" | "s") && minutes.chars().all(number)).then_some(())
        };
        if matches!(line, "Match started" | "Match Started" | "MATCH BEGINS NOW") || begins() {
            Some(Notice::Begins)
        } else if line.starts_with("Match begins in ") {
            Some(Notice::Counts)
        } else if line.strip_suffix(" minutes remaining").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())) {
            Some(Notice::Remains)
        } else if line.ends_with(" stops the countdown") || line == "Timer stopped" {
            Some(Notice::Stops)
        } else if line == "Match paused" || paused() {
            Some(Notice::Halts)
        } else if matches!(line, "Match unpaused" | "game unpaused") {
            Some(Notice::Resumes)
        } else if matches!(line, "The point is over" | "The round is a draw")
            || between("Team ", " has won the round").is_some()
        {
            Some(Notice::RoundOver)
        } else if matches!(line, "The winner has left" | "The challenger has left") || fallen(line).is_some() {
            Some(Notice::ArenaOver)
        } else if ends() {
            Some(Notice::Ends)
        } else if line == "Match stopped by majority vote" || line.ends_with(" forces a break") {
            Some(Notice::Stopped)
        } else if line.strip_suffix(" overtime begins").is_some_and(is_sudden)
            || longer().is_some()
            || matches!(line, "Match tied - Overtime" | "Match tied - Sudden Death Overtime")
        {
            Some(Notice::Overtime)
        } else {
            None
        }
    }
}

/// Who died in a round of Rocket Arena, as a line of the server has it: the name, and the line from the name on.
pub(crate) fn fallen(line: &str) -> Option<(&str, &str)> {
    let texts = [("The winner ", " has been defeated"), ("The challenger ", " has failed")];
    texts.into_iter().find_map(|(front, behind)| {
        let rest = line.strip_prefix(front)?;
        Some((rest.strip_suffix(behind)?, rest))
    })
}

/// Kinds of overtime without an end of its own.
fn is_sudden(kind: &str) -> bool {
    ["sudden death", "tie-break", "tiebreak"].iter().any(|known| kind.eq_ignore_ascii_case(known))
}

/// Level of prints that are chat.
pub(crate) const LEVEL_CHAT: u8 = 3;
const PRINT: &str = "print";
const SERVERINFO: &str = "serverinfo";

impl Phases {
    /// Where the match is.
    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    /// Everybody looks at the scores.
    pub(crate) fn is_intermission(&self) -> bool {
        self.intermission
    }

    fn told(phase: Phase, certainty: impl Into<Certainty>, source: &'static str) -> Option<PhaseTold> {
        Some(PhaseTold { phase, certainty: certainty.into(), source })
    }

    /// A level begins: with it a match is given up that goes on, or of which a server that leaves the level says that it is over:
    /// KTX does (`EndMatch` on `GAME_SHUTDOWN`), and shows no scores. Where it `is_same`, told once more to whoever connects
    /// again, nothing is said of the match.
    pub(crate) fn level(&mut self, is_same: bool) -> Option<PhaseTold> {
        let before = std::mem::take(self);
        Self::told(Phase::GivenUp, Some(Reason::NextLevel), "serverdata")
            .filter(|_| (before.goes_on() || before.just_ended) && !is_same)
    }

    /// A frame has been seen.
    pub(crate) fn frame(&mut self) {
        (self.settled, self.just_ended) = (true, false);
    }

    /// A text in the middle of the screen, in plain characters.
    pub(crate) fn center(&mut self, plain: &str) -> [Option<PhaseTold>; 2] {
        const CENTERPRINT: &str = "centerprint";
        let text = plain.trim();
        // Clan Arena and Rocket Arena say so when a round begins.
        if self.rests && text == "FIGHT!" {
            return self.begins(None, CENTERPRINT);
        }
        if self.stage != Stage::Idle || !text.starts_with("Countdown:") {
            return [None; 2];
        }
        [None, self.counts(CENTERPRINT)]
    }

    /// A text that the server prints and that is no chat, in plain characters.
    pub(crate) fn print(&mut self, plain: &str) -> [Option<PhaseTold>; 2] {
        let told = plain.lines().map(str::trim).filter(|line| !line.is_empty()).find_map(|line| {
            // Rocket Arena names both who are to fight.
            if self.rests && self.arena && line.contains(" vs. ") {
                return Some(self.begins(None, PRINT));
            }
            let notice = Notice::of(line);
            let told = notice.map_or([None; 2], |notice| self.notice(notice));
            // What a name may end with, too, counts only right in front of the end.
            self.stopped = notice == Some(Notice::Stopped);
            (told != [None; 2]).then_some(told)
        });
        told.unwrap_or_default()
    }

    fn notice(&mut self, notice: Notice) -> [Option<PhaseTold>; 2] {
        let told = match (notice, self.stage) {
            // Version 6 of CRMod does not say that a match begins.
            (Notice::Begins, _) | (Notice::Remains, Stage::Countdown) => return self.begins(None, PRINT),
            (Notice::Ends, _) if self.goes_on() => return self.ends(None, PRINT),
            (Notice::Counts, Stage::Idle) if !self.rests => self.counts(PRINT),
            (Notice::Stops, Stage::Countdown) => {
                self.stage = Stage::Idle;
                None
            }
            (Notice::RoundOver | Notice::ArenaOver, Stage::Running) => {
                (self.stage, self.rests, self.arena) = (Stage::Idle, true, notice == Notice::ArenaOver);
                Self::told(Phase::Round, None, PRINT)
            }
            (Notice::Halts, _) if self.goes_on() => self.still(PRINT, |phases| phases.halted = true),
            (Notice::Resumes, _) => self.resumes(PRINT),
            (Notice::Overtime, Stage::Running) => Self::told(Phase::Overtime, None, PRINT),
            _ => None,
        };
        [None, told]
    }

    /// The line for recordings that KTX writes when a match begins.
    pub(crate) fn console(&mut self, line: &[u8]) -> [Option<PhaseTold>; 2] {
        let begins = line.strip_prefix(b"//ktx ").is_some_and(|said| said.trim_ascii() == b"matchstart");
        if begins { self.begins(None, PRINT) } else { [None; 2] }
    }

    /// The settings of the server: what `status` says.
    pub(crate) fn status(&mut self, status: &str) -> [Option<PhaseTold>; 2] {
        // The time is told until the scores are shown: only that it was not before says something.
        let timed = status.ends_with("left");
        let before = std::mem::replace(&mut self.timed, timed);
        if timed && !before {
            let reason = if self.settled { Reason::SettingsTime } else { Reason::Underway };
            return self.begins(Some(reason), SERVERINFO);
        }
        match status {
            "Countdown" if self.stage == Stage::Idle => [None, self.counts(SERVERINFO)],
            // KTX says the first between two rounds, too, and Classic Fortress the second where a match is stopped (`StopTimer`).
            "Standby" | "Normal" if self.rests => {
                self.stage = Stage::Idle;
                [None; 2]
            }
            "Standby" | "Normal" => self.ends(Some(Reason::Standby), SERVERINFO),
            _ => [None; 2],
        }
    }

    /// The server says whether the game stands still.
    pub(crate) fn pause(&mut self, paused: bool) -> Option<PhaseTold> {
        if std::mem::replace(&mut self.paused_told, paused) == paused {
            return None;
        }
        self.still("setpause", |phases| phases.paused = paused)
    }

    /// What stands still changes.
    fn still(&mut self, source: &'static str, change: impl FnOnce(&mut Self)) -> Option<PhaseTold> {
        let is_still = |phases: &Self| phases.paused || phases.halted;
        let before = is_still(self);
        change(self);
        let now = is_still(self);
        let phase = if now { Phase::Pause } else { Phase::Resume };
        Self::told(phase, None, source).filter(|_| before != now)
    }

    /// The match goes on, or stands still no longer as it is over.
    fn resumes(&mut self, source: &'static str) -> Option<PhaseTold> {
        self.still(source, |phases| phases.halted = false)
    }

    /// Everybody looks at the scores: with it ends a match that goes on.
    pub(crate) fn intermission(&mut self) -> [Option<PhaseTold>; 3] {
        if std::mem::replace(&mut self.intermission, true) {
            return [None; 3];
        }
        const INTERMISSION: &str = "intermission";
        let [resumed, end] = self.ends(Some(Reason::Intermission), INTERMISSION);
        [resumed, end, Self::told(Phase::Intermission, None, INTERMISSION)]
    }

    fn counts(&mut self, source: &'static str) -> Option<PhaseTold> {
        self.stage = Stage::Countdown;
        Self::told(Phase::Countdown, None, source)
    }

    fn begins(&mut self, reason: Option<Reason>, source: &'static str) -> [Option<PhaseTold>; 2] {
        let before = std::mem::replace(&mut self.stage, Stage::Running);
        let told = match std::mem::take(&mut self.rests) {
            true => Self::told(Phase::NextRound, None, source),
            false => Self::told(Phase::Start, reason, source).filter(|_| before != Stage::Running),
        };
        // A server that stands still begins nothing (it calls no `SV_Physics`); what is under way may stand still.
        let begun = told.is_some() && reason != Some(Reason::Underway);
        let resumed = self.still(source, |phases| (phases.halted, phases.paused) = (false, phases.paused && !begun));
        [resumed, told]
    }

    /// True in a match, between its rounds too.
    pub(crate) fn goes_on(&self) -> bool {
        self.rests || self.stage == Stage::Running
    }

    /// No match goes on from now on. Version 7 of CRMod ends one that has stood still for too long.
    fn ends(&mut self, reason: Option<Reason>, source: &'static str) -> [Option<PhaseTold>; 2] {
        let resumed = self.resumes(source);
        let phase = if self.stopped { Phase::GivenUp } else { Phase::End };
        let end = Self::told(phase, reason, source).filter(|_| self.goes_on());
        self.just_ended |= end.is_some();
        (self.stage, self.rests) = (Stage::Idle, false);
        [resumed, end]
    }
}
